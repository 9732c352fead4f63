"""What a call of a lifted function costs beyond its program, in calls of ``np.sum``: ``python bench/calls.py``.

Each function is called on ten numbers, and so are its program alone and ``np.sum``, in turns; the least times of all
turns are compared.  The exit status is 1 where a call costs more than ``--limit`` calls of ``np.sum`` beyond that.
"""

from __future__ import annotations

import argparse
import inspect
import sys
import timeit
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift import lift
from tensorlift.calls.execute import executable

if TYPE_CHECKING:
    from collections.abc import Callable

_MICROSECONDS = 1e6
numpy_style = import_module("bench.python_programs.numpy_style")
X, PLACES, MATRIX = np.arange(10.0), np.arange(9, -1, -1), np.ones((10, 10))


def gather(x, places):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - calls tell what it takes
    """Read an array at places."""
    y = np.zeros_like(x)
    for i in range(len(places)):
        y[i] = x[places[i]]
    return y


def rotate(z, a):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - as above
    """Multiply complex numbers in place, and return the first."""
    for i in range(len(z)):
        z[i] *= a
    return z[0]


@dataclass
class Rod:
    """A state of which a function reads fields, and binds one."""

    u: Any
    rate: float = 0.5
    time: float = 0.0


def heat(rod, dt):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - as above
    """Let the ends of an object's array be, and count its time."""
    rod.u[1:-1] += dt * rod.rate * (rod.u[2:] - 2 * rod.u[1:-1] + rod.u[:-2])
    rod.time += dt
    return rod.time


def affine(p, x):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201 - as above
    """Read items of a dict."""
    return p["w"] * x + p["b"]


CALLS: dict[Callable[..., Any], tuple[Any, ...]] = {
    numpy_style.dot: (X, X),
    numpy_style.axpy: (1e-9, X, X.copy()),
    numpy_style.moving_average: (X, X.copy()),
    numpy_style.matvec: (MATRIX, X),
    gather: (X, PLACES),
    rotate: (X + 1j, 1j),
    heat: (Rod(X.copy()), 0.1),
    affine: ({"w": X, "b": 1.0}, X),
}
_IN_NUMPY = {rotate, heat, affine}  # complex numbers and objects go the quick way in NumPy alone


def main() -> int:
    """Run the command line."""
    options = _arguments()
    print(f"{'function':16}{'to':8}{'call':>9}{'program':>9}{'np.sum':>9}  microseconds; beyond the program, in sums")
    worst = 0.0
    for library in ("numpy", "jax", "torch"):
        if library == "numpy" or find_spec(library) is not None:
            for function, arguments in CALLS.items():
                if function in _IN_NUMPY and library != "numpy":
                    continue
                worst = max(worst, _measured(function, library, arguments, options.turns))
    return int(worst > options.limit)


def _measured(function: Callable[..., Any], library: str, arguments: tuple[Any, ...], turns: int) -> float:
    """Print a row, and give how many sums a call costs beyond the program."""
    given = [_array(value, library) for value in arguments]
    lifted = lift(function, to=library, cache=False)
    lifted(*given)
    program = executable(lifted.record, library)
    by_name = dict(zip(inspect.signature(function).parameters, given, strict=True))
    numbers = {name: value for name, value in by_name.items() if isinstance(value, complex)}
    held = {
        name: value if isinstance(value, dict) else getattr(value, "__dict__", {}) for name, value in by_name.items()
    }
    by_name |= {f"{name}_{key}": value for name, fields in held.items() for key, value in fields.items()}
    by_name |= {f"{name}_re": value.real for name, value in numbers.items()}
    by_name |= {f"{name}_im": value.imag for name, value in numbers.items()}
    by_name |= {name: _parts(value) for name, value in by_name.items()}
    passed = [by_name[name] for name in inspect.signature(program).parameters]
    timed = [lambda: lifted(*given), lambda: program(*passed), lambda: np.sum(X)]
    number = 200 if library == "numpy" else 20
    turns_of_all = [[timeit.timeit(one, number=number) for one in timed] for _ in range(turns)]
    call, alone, once = (_MICROSECONDS * min(of_one) / number for of_one in zip(*turns_of_all, strict=True))
    beyond: float = (call - alone) / once
    print(f"{function.__name__:16}{library:8}{call:9.2f}{alone:9.2f}{once:9.2f}{beyond:8.2f}")
    return beyond


def _parts(value: Any) -> Any:
    """See an array of complex numbers as the program does, as pairs, and anything else as it is."""
    is_complex = isinstance(value, np.ndarray) and value.dtype.kind == "c"
    return value[..., np.newaxis].view(value.real.dtype) if is_complex else value


def _array(value: Any, library: str) -> Any:
    """Give an array of a library, and a number as it is."""
    if not isinstance(value, np.ndarray) or library == "numpy":
        return value
    if library == "jax":
        import_module("jax").config.update("jax_enable_x64", True)  # noqa: FBT003 - as JAX is called
    return import_module("jax.numpy" if library == "jax" else library).asarray(value)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare calls of lifted functions with calls of np.sum.")
    parser.add_argument("--turns", type=int, default=50, help="how often each is timed")
    parser.add_argument(
        "--limit", type=float, default=6.0, help="the most sums that a call may cost beyond its program"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
