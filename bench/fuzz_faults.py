"""Put faults that the lifter once had back, and count how many random programs it takes to find each.

    python bench/fuzz_faults.py FIRST COUNT [--fault NAME]

A fault is found by ``bench/fuzz_types.py`` in programs of one language to NumPy.  It stays in the process, so that each
runs in one of its own.  The exit status is 1 where one is not found.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzz_types import Runner
from tensorlift.comprehension import ranges, rules, terms
from tensorlift.ir import scalar_terms
from tensorlift.ir.requirements import add_requirements
from tensorlift.languages import mlir
from tensorlift.ops import conversions
from tensorlift.ops.dtypes import is_float, is_integer, width
from tensorlift.readers.python import numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType

_DIVISIONS = {"floordiv", "mod", "shr", "bitand"}
_MISSED = 3  # exit status of a run that finds nothing


def _replace(function: Callable[..., Any], by: Callable[..., Any]) -> None:
    """Put another function in the place of one, in all modules that have it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tensorlift"):
            for key in [key for key, value in vars(module).items() if value is function]:
                setattr(module, key, by)


def _narrow_operands() -> None:
    convert = scalar_terms.convert

    def converted(term: Term, dtype: DType) -> Term:
        narrows = is_integer(term.dtype) and is_integer(dtype) and width(dtype) < width(term.dtype)
        if narrows and isinstance(term, terms.Apply) and term.op in _DIVISIONS:
            return terms.apply(term.op, *(convert(argument, dtype) for argument in term.args))
        return convert(term, dtype)

    _replace(convert, converted)


def _fuse_conversions() -> None:
    name = "conversion through integers as wide"

    def narrows(types: rules.Types) -> bool:
        return is_integer(types["M"]) and is_integer(types["T"]) and width(types["T"]) <= width(types["M"])

    rules.ROWS[name] = replace(rules.ROWS[name], when=narrows)


def _hold_integers_in_floats() -> None:
    is_exact = conversions.is_exact
    _replace(is_exact, lambda source, target: is_float(target) or is_exact(source, target))


def _compute_with_reals() -> None:
    vars(scalar_terms)["rounded"] = lambda value, _: value


def _bound_sizes() -> None:
    in_range = ranges.in_range
    _replace(in_range, lambda value, dtype: () if dtype == "i32" else in_range(value, dtype))


def _take_true_for_one() -> None:
    _replace(scalar_terms.sign_of, scalar_terms.convert)


def _compare_bits_as_numbers() -> None:
    for name in ("arith.maxsi", "arith.minsi", "arith.addi", "arith.subi"):
        del scalar_terms._ON_TRUTHS[name]  # noqa: SLF001 - the fault is there


def _add_truths_as_numbers() -> None:
    _replace(numbers._of_truths, lambda *_: None)  # noqa: SLF001 - the fault is there


def _take_bounds_for_extents() -> None:
    settled = mlir._settled  # noqa: SLF001 - the fault is there

    def fitted_to_bounds(*given: Any, **options: Any) -> Any:
        return settled(*given, **options | {"fitted": True})

    _replace(settled, fitted_to_bounds)
    _replace(add_requirements, lambda *_: None)


FAULTS: dict[str, tuple[str, Callable[[], None]]] = {
    "narrow-c": ("c", _narrow_operands),
    "narrow-python": ("python", _narrow_operands),
    "fused-c": ("c", _fuse_conversions),
    "fused-python": ("python", _fuse_conversions),
    "exact-c": ("c", _hold_integers_in_floats),
    "exact-python": ("python", _hold_integers_in_floats),
    "reals-c": ("c", _compute_with_reals),
    "reals-python": ("python", _compute_with_reals),
    "sizes": ("c", _bound_sizes),
    "sign": ("mlir", _take_true_for_one),
    "bits": ("mlir", _compare_bits_as_numbers),
    "extents": ("mlir", _take_bounds_for_extents),
    "truths": ("python", _add_truths_as_numbers),
}


def find(name: str, first: int, count: int) -> int:
    """Put a fault back and run programs until one shows it."""
    language, put_back = FAULTS[name]
    put_back()
    runner = Runner(argparse.Namespace(first=first, count=count, to="numpy", language=language))
    for seed in range(first, first + count):
        outcome = runner.run(seed)
        if outcome.fault:
            line = outcome.fault.splitlines()[0]
            print(f"{name:14} {language:7} found after {seed - first + 1}: {line[:90]}", flush=True)
            return 0
    print(f"{name:14} {language:7} not found in {count}", flush=True)
    return _MISSED


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, help="most seeds for one fault")
    parser.add_argument("--fault", choices=list(FAULTS), help="this one alone, in this process")
    options = parser.parse_args()
    if options.fault:
        return find(options.fault, options.first, options.count)
    seeds = [str(options.first), str(options.count)]
    runs = [subprocess.run([sys.executable, __file__, *seeds, "--fault", name], check=False) for name in FAULTS]
    return max(run.returncode for run in runs)


if __name__ == "__main__":
    sys.exit(main())
