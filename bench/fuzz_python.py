"""Lift random Python functions and run them beside their originals: ``python bench/fuzz_python.py FIRST COUNT``.

Each function of ``bench/random_python`` is lifted as ``@lift`` lifts it, and called at several sizes: what it returns
and what it leaves in its arguments must be what the original returns and leaves, types included.  A difference, a
crash, a refusal of the source without a remedy, or a program that runs where the original raises, is printed with its
source; the exit status is then 1.
"""

from __future__ import annotations

import argparse
import copy
import linecache
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzzing import Outcome, TooSlowError, add_arguments, fuzz, within
from bench.random_python.generate import arguments, generate
from tensorlift import LiftError, lift

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.random_python.generate import Program

LIMIT = 20  # seconds of the processor for one function
SIZES = ({"n": 3, "m": 3}, {"n": 5, "m": 4}, {"n": 4, "m": 7})


def run(seed: int, to: str = "numpy") -> Outcome:
    """Lift and call the function of one seed within the limit."""
    return within(LIMIT, partial(_reported, seed, to))


def _reported(seed: int, to: str) -> Outcome:
    try:
        return lift_seed(seed, to)
    except TooSlowError:
        raise
    except Exception as error:  # noqa: BLE001 - every other exception is a fault to report
        return Outcome("crash", f"{type(error).__name__}: {error}")


def lift_seed(seed: int, to: str = "numpy") -> Outcome:
    """Lift and call the function of one seed, without the warnings of its arithmetic."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return judge(generate(seed), seed, to)


def judge(program: Program, seed: int, to: str) -> Outcome:
    """Lift a function, and compare its calls with those of the original."""
    function = defined(program.text, f"<seed {seed}>")
    try:
        lifted = lift(function, to=to, cache=False)
    except LiftError as error:
        return _refused(error)
    kinds = [_called(function, lifted, arguments(program, seed + k, sizes)) for k, sizes in enumerate(SIZES)]
    wrong = next((kind for kind in kinds if kind.fault), None)
    runs = any(not kind.kind for kind in kinds)
    return wrong or (Outcome(f"{lifted.verdict} {lifted.level}") if runs else kinds[0])


def defined(text: str, name: str) -> Callable[..., Any]:
    """Define the function of a source text, which is kept as that of a notebook cell is."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    function: Callable[..., Any] = namespace["f"]
    return function


def _refused(error: LiftError) -> Outcome:
    item = error.diagnostics[0]
    if item.code.startswith("TL9"):
        return Outcome("crash", str(error))
    if not item.remedy and item.code < "TL4":
        return Outcome("unhelpful", str(error))
    return Outcome(f"refused {item.code}")


def _called(function: Callable[..., Any], lifted: Callable[..., Any], given: list[Any]) -> Outcome:
    """Call both on copies of the same arguments."""
    mine, others = copy.deepcopy(given), copy.deepcopy(given)
    try:
        expected = function(*others)
    except (ArithmeticError, ValueError, IndexError, TypeError) as error:
        expected = error
    try:
        found = lifted(*mine)
    except LiftError as error:
        item = error.diagnostics[0]
        return Outcome("crash", str(error)) if item.code.startswith("TL9") else Outcome(f"call refused {item.code}")
    if isinstance(expected, Exception):
        return Outcome("hole", f"the original raises {type(expected).__name__}: {expected}")
    if _is_beyond((expected, others)):
        return Outcome("integers beyond 64 bits, which it requires not to be")
    for what, one, other in (("result", found, expected), ("arguments", mine, others)):
        if not same(one, other):
            return Outcome("wrong", f"{what} {one!r}, not {other!r}, of {given!r}")
    return Outcome("")


def _is_beyond(value: Any) -> bool:
    """Tell whether there is an integer of Python that 64 bits do not hold."""
    if isinstance(value, list | tuple):
        return any(map(_is_beyond, value))
    return isinstance(value, int) and not -(1 << 63) <= value < 1 << 63


def same(found: Any, expected: Any) -> bool:
    """Tell whether two results are the same: equal numbers, of equal types but for the items of lists."""
    if isinstance(expected, tuple):
        return isinstance(found, tuple) and len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, dict):
        return isinstance(found, dict) and [*found] == [*expected] and all(same(found[k], expected[k]) for k in found)
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return False
        return all(same(a, b) if isinstance(b, list) else _close(a, b) for a, b in zip(found, expected, strict=True))
    if isinstance(expected, np.ndarray):
        return isinstance(found, np.ndarray) and found.dtype == expected.dtype and _close(found, expected)
    if expected is None or found is None or isinstance(expected, str):
        return type(found) is type(expected) and bool(found == expected)
    fixed = isinstance(found, np.generic) and isinstance(expected, np.generic)
    return (found.dtype == expected.dtype if fixed else True) and _close(found, expected)


def _close(found: Any, expected: Any) -> bool:
    """Tell whether numbers are equal up to the order of additions."""
    a, b = np.asarray(found), np.asarray(expected)
    if a.shape != b.shape or (a.dtype.kind == "b") != (b.dtype.kind == "b"):
        return False
    single = np.float32 in (a.dtype, b.dtype)
    tolerance = 1e-5 if single else 1e-10
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Lift random Python functions.")
    add_arguments(parser)
    parser.add_argument("--to", default="numpy", help="the target, as `tensorlift targets` lists them")
    options = parser.parse_args()
    return fuzz(options, partial(run, to=options.to), lambda seed: generate(seed).text)


if __name__ == "__main__":
    sys.exit(main())
