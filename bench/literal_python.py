"""How much Python is read literally, and whether it runs as Python does: ``python bench/literal_python.py [NAME...]``.

Each function that is read is run by the interpreter of literal IR on a few small inputs, and compared with the function
itself.  Numbers are compared bit by bit; where a function calls what NumPy computes in its own way, they may differ in
the last bits.  With ``--random FIRST COUNT``, functions of ``bench/random_python`` are run instead.
"""

from __future__ import annotations

import argparse
import sys
import warnings
import zlib
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.random_python.generate import generate
from tensorlift.contract.required import required
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.ir.execution import InterpreterError
from tensorlift.ir.function import FunctionView
from tensorlift.ir.literal_interpreter import EndedError, LiteralInterpreter
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.runtime.data import STYLES, random_arguments, seeded
from tensorlift.runtime.literal import LiteralRun
from tensorlift.runtime.original import Original, python_facts
from tensorlift.runtime.python_original_worker import PythonCall
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.source import Source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.frontends.read_function import ReadFunction

    Arguments = dict[str, Any]

PROGRAMS = Path(__file__).parent / "python_programs"
_MOST_BRANCHES = 200_000
_SIZES = 4
_ULPS = 1024  # of the greatest number: what is rounded in another way goes on
_RESULTS = ("equal", "close", "different")
_RAISED = (ArithmeticError, ValueError, IndexError, TypeError)


class Compared(NamedTuple):
    """What became of a function: ``equal``, ``close``, ``different``, ``refused``, or ``not run`` on any input."""

    name: str
    result: str
    remark: str = ""
    ran: int = 0
    stopped: int = 0


def files() -> list[Path]:
    """List the files of the corpus."""
    return sorted(path for path in PROGRAMS.rglob("*.py") if path.name != "__init__.py")


def compare_file(source: Source, sizes: int = _SIZES) -> list[Compared]:
    """Compare the functions of a file that the front end reads."""
    try:
        read = read_functions(source, LiftOptions())
    except LiftError:
        return []
    return [compare_function(source, function, sizes) for function in read if function.module is not None]


def compare_function(source: Source, function: ReadFunction, sizes: int = _SIZES) -> Compared:
    """Run a function by its literal IR and by Python on the same arguments."""
    assert function.module is not None
    assert function.literally is not None
    try:
        module = function.literally()
    except LiftError as error:
        return Compared(function.name, "refused", str(error.diagnostics[0].message))
    operation = function.module.body.block.first_op
    assert operation is not None
    view = FunctionView(operation)
    literal = LiteralRun.of(view, LiteralInterpreter(module))
    if literal is None:
        return Compared(function.name, "different", "the loop IR takes other parameters")
    facts = python_facts(Original(source.text, source.name), view)
    outcomes = [_one(view, literal, facts, arguments) for arguments in _drawn(view, function.name, sizes)]
    ran, stopped = sum(result in _RESULTS for result, _ in outcomes), sum(result == "stopped" for result, _ in outcomes)
    different = next((remark for result, remark in outcomes if result == "different"), "")
    worst = max((result for result, _ in outcomes if result in _RESULTS), key=_RESULTS.index, default="not run")
    return Compared(function.name, worst, different, ran, stopped)


def _one(view: FunctionView, literal: LiteralRun, facts: dict[str, Any], arguments: Arguments) -> tuple[str, str]:
    """Call both on the same arguments."""
    call = PythonCall(facts, 0, {f"0:{name}": np.asarray(value) for name, value in arguments.items()})
    try:
        call()
    except _RAISED as error:
        goes_on = isinstance(error, IndexError) and not _stops(literal, arguments)
        return ("different", f"Python raises {error!r} of {arguments}") if goes_on else ("stopped", "")
    try:
        after, returned = literal(arguments, _MOST_BRANCHES)
    except EndedError as error:
        return "different", f"it ends: {error} of {arguments}"
    except InterpreterError:
        return "stopped", ""
    expected = call.after()
    pairs = [(name, after[name], expected[f"0:{name}"]) for name in after]
    pairs += [("", np.asarray(returned), np.asarray(expected["0:"]))] if view.result_dtype is not None else []
    wrong = [pair for pair in pairs if not _is_same(*pair[1:])]
    for name, mine, theirs in wrong:
        if not _is_close(mine, theirs):
            return "different", f"{name}: {mine} and {theirs} of {arguments}"
    return ("close" if wrong else "equal"), ""


def _stops(literal: LiteralRun, arguments: Arguments) -> bool:
    try:
        literal(arguments, _MOST_BRANCHES)
    except InterpreterError:
        return True
    return False


def _drawn(view: FunctionView, name: str, count: int) -> Iterator[Arguments]:
    rng = seeded(zlib.crc32(name.encode()))
    try:
        for sizes in choose_sizes(view.parameters, required(view), rng, count):
            for style in STYLES:
                yield random_arguments(view.parameters, sizes, rng, style)
    except (LiftError, ValueError) as error:
        print(view.name, error, file=sys.stderr)


def _is_same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Compare bits; NaNs are all the same."""
    if not one.size and not other.size:  # as a list, it has fewer dimensions
        return True
    if one.dtype.itemsize != other.dtype.itemsize or one.shape != other.shape:
        return False
    bits = f"u{one.dtype.itemsize}"
    differ = np.ascontiguousarray(one).view(bits) != np.ascontiguousarray(other).view(bits)
    if one.dtype.kind == "f":
        differ &= ~(np.isnan(one) & np.isnan(other))
    return not np.any(differ)


def _is_close(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    if one.dtype.kind != "f" or one.shape != other.shape:
        return False
    finite = np.abs(other[np.isfinite(other)])
    unit = _ULPS * np.finfo(one.dtype).eps * max(1.0, float(finite.max(initial=0)))
    return np.allclose(one, other, rtol=0, atol=unit, equal_nan=True)


def compare_seed(seed: int) -> list[Compared]:
    """Compare the random function of a seed."""
    text = generate(seed).text
    return with_deep_stack(partial(compare_file, source_from_text(text, f"seed{seed}.py"), 3))


def main() -> int:
    """Print the figures; the exit status is 1 where literal IR and Python differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", type=Path, help="files, the corpus if none is given")
    parser.add_argument("--random", nargs=2, type=int, metavar=("FIRST", "COUNT"))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[Compared] = []
    if options.random:
        first, count = options.random
        for seed in range(first, first + count):
            found += [one._replace(name=f"seed {seed}") for one in compare_seed(seed)]
    for path in () if options.random else options.names or files():
        source = source_from_text(path.read_text(encoding="utf-8"), str(path))
        found += with_deep_stack(partial(compare_file, source))
    _print(found)
    return int(any(one.result == "different" for one in found))


def _print(found: Sequence[Compared]) -> None:
    for one in found:
        if one.result not in {"equal", "close"}:
            print(one.name, one.result, one.remark)
    print(dict(Counter(one.result for one in found)), f"{sum(one.ran for one in found)} runs")
    print("refused:", Counter(one.remark for one in found if one.result == "refused").most_common(20))


if __name__ == "__main__":
    sys.exit(main())
