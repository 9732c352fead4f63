"""Arrays of libraries that a program is not written for go in, and what comes out is of the kind that came in."""

# mypy: allow-untyped-calls

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.calls import functions, functions_of_arrays

from tensorlift import ArgumentTypeError, ArgumentValueError, lift

if TYPE_CHECKING:
    from collections.abc import Callable

X = np.arange(6, dtype=np.float32) ** 2


class _Array:
    """What has ``__array__``, of memory that stays."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._values

    def tolist(self) -> Any:
        return self._values.tolist()


class _Capsule(_Array):
    """What only has DLPack."""

    __array__: Any = None

    def __dlpack__(self, **choices: Any) -> Any:
        return self._values.__dlpack__(**choices)

    def __dlpack_device__(self) -> Any:
        return self._values.__dlpack_device__()


class _Copy(_Array):
    """What gives another array each time."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._values.copy()


@cache
def _lifted(function: Any, library: str = "numpy") -> Any:
    return lift(function, to=library)


def _values(array: Any) -> Any:
    return array.tolist() if hasattr(array, "tolist") else np.asarray(array).tolist()


def _made(kind: str) -> Callable[[Any], Any]:
    """Give what makes an array of a kind of one of NumPy."""
    if kind in {"array", "capsule"}:
        return _Array if kind == "array" else _Capsule
    module = pytest.importorskip({"jax": "jax.numpy", "standard": "array_api_strict"}.get(kind, kind))
    return lambda values: module.asarray(values.copy())


KINDS = ["array", "capsule", "standard", "torch", "jax"]


@pytest.mark.parametrize(
    ("library", "kind"), [(one, kind) for one in ("numpy", "jax", "torch") for kind in KINDS if kind != one]
)
def test_results_are_of_the_kind_that_came_in(library: str, kind: str) -> None:
    made = _made(kind)
    if library != "numpy":
        pytest.importorskip(library)
    x, like = made(X.copy()), np.float32(0) if kind in {"array", "capsule"} else made(X.copy())
    found = _lifted(functions_of_arrays.energy, library)(x)
    assert isinstance(found, type(like))
    assert float(found) == functions_of_arrays.energy(X)
    written = _lifted(functions_of_arrays.grown, library)(2.0, x)
    scaled, total = (x, written) if kind != "jax" else written
    assert type(scaled) is type(x)
    assert _values(scaled) == (2 * X).tolist()
    assert float(total) == 2 * X.sum()
    assert kind != "jax" or _values(x) == X.tolist()  # those of JAX do not change
    if library == "numpy":
        with pytest.raises(ArgumentValueError, match="y shares no memory with x"):
            _lifted(functions_of_arrays.smooth)(x, x)


def test_kinds_may_be_mixed() -> None:
    torch = pytest.importorskip("torch")
    y, x = np.zeros(6, np.float32), torch.tensor(X)
    assert _lifted(functions.shifted)(x, y) is y
    assert y.tolist() == functions.shifted(X, np.zeros(6, np.float32)).tolist()
    assert _lifted(functions.scaled)(X, torch.tensor(0.5)).tolist() == (X / 2).tolist()


def test_complex_numbers_go_in_too() -> None:
    z = np.array([1 + 2j, 3 - 1j])
    for kind in ("array", "standard", "torch"):
        x = _made(kind)(z.copy())
        same, first, real = _lifted(functions.scale_complex)(x, 2j)
        assert same is x
        assert _values(x) == (z * 2j).tolist()
        assert complex(first) == z[0] * 2j * 1j
        assert _values(real) == (z * 2j).real.tolist()


def test_what_cannot_be_taken_is_refused() -> None:
    class Broken:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise OSError("gone")

    with pytest.raises(ArgumentTypeError, match="`x` cannot be taken as an array of NumPy: OSError: gone"):
        _lifted(functions.total)(Broken())
    with pytest.raises(ArgumentValueError, match="the function writes `x`, of which only a copy can be taken"):
        _lifted(functions_of_arrays.grown)(2.0, _Copy(X.copy()))
    assert _lifted(functions_of_arrays.energy)(_Copy(X)) == functions_of_arrays.energy(X)


def test_gradients_and_traces_are_not_lost() -> None:
    jax, torch = pytest.importorskip("jax"), pytest.importorskip("torch")
    lifted, x = _lifted(functions_of_arrays.energy), torch.tensor(X, requires_grad=True)
    with pytest.raises(ArgumentTypeError, match="a tensor that requires a gradient, which a program"):
        lifted(x)
    with torch.no_grad():
        assert lifted(x) == functions_of_arrays.energy(X)
    with pytest.raises(ArgumentTypeError, match=r'is a tensor that is traced, .*\n.*lift with `to="torch"`'):
        torch.func.vmap(lifted)(torch.tensor(np.stack([X, X])))
    with pytest.raises(ArgumentTypeError, match=r'is a JAX array that is traced, .*\n.*lift with `to="jax"`'):
        jax.jit(lifted)(jax.numpy.asarray(X))


def test_results_of_64_bits_need_these_in_jax() -> None:
    jax = pytest.importorskip("jax")
    lifted = _lifted(functions.several)
    with jax.enable_x64(new_val=True):
        x = jax.numpy.asarray([2.0, 3.0])
        assert lifted(x)[0].dtype == np.float64
    with jax.enable_x64(new_val=False), pytest.raises(ArgumentTypeError, match="64 bits, which JAX has switched off"):
        lifted(x)


def test_memory_of_tensors_on_other_devices_is_theirs() -> None:
    torch = pytest.importorskip("torch")
    b = torch.tensor(X)
    with pytest.raises(ArgumentValueError, match="y shares no memory with x"):
        _lifted(functions_of_arrays.smooth)(b[:4], b[2:])
    with pytest.raises(ArgumentValueError, match="elements of `x` share memory"):
        _lifted(functions_of_arrays.grown)(2.0, torch.zeros(1).expand(5))
    _lifted(functions_of_arrays.grown)(2.0, b[::2])
    assert b.tolist() == [v * (2 if i % 2 == 0 else 1) for i, v in enumerate(X.tolist())]
