"""Decorate functions that scientists write, and call them with real arrays: ``python bench/call_python.py [NAME...]``.

Each function of ``bench/python_calls`` is lifted as ``@lift`` lifts it and called at several sizes beside the original:
what it returns and what it leaves in its arguments must be the same, types included.  The exit status is 1 where
anything differs, where the source is refused without a remedy, or where fewer than 80 % of the functions lift.
"""

from __future__ import annotations

import copy
import importlib
import sys
import warnings
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.fuzz_python import same
from tensorlift import LiftError, lift

if TYPE_CHECKING:
    from collections.abc import Callable

PROGRAMS = Path(__file__).parent / "python_calls"
SIZES = (6, 9, 4)
_SHARE = 0.8


class Case(NamedTuple):
    """A function, and what makes its arguments of a size."""

    name: str
    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator, int], tuple[Any, ...]]


class Result(NamedTuple):
    """What became of a function: a verdict, ``refused``, or ``wrong`` with what was."""

    kind: str
    remark: str = ""
    program: str = ""


def cases() -> list[Case]:
    """List the functions with their arguments."""
    files = sorted(path.stem for path in PROGRAMS.glob("[a-z]*.py"))
    modules = [importlib.import_module(f"bench.python_calls.{name}") for name in files]
    return [
        Case(name, getattr(module, name), arguments) for module in modules for name, arguments in module.CASES.items()
    ]


def called(case: Case) -> Result:
    """Lift a function and call it at all sizes."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            lifted = lift(case.function, cache=False)
            for size in SIZES:
                given = case.arguments(np.random.default_rng(zlib.crc32(f"{case.name}{size}".encode())), size)
                mine, others = copy.deepcopy(given), copy.deepcopy(given)
                found, expected = lifted(*mine), case.function(*others)
                for what, one, other in (("result", found, expected), ("arguments", mine, others)):
                    if not same(one, other):
                        return Result("wrong", f"{what} {one!r}, not {other!r}, of {given!r}")
    except LiftError as error:
        item = error.diagnostics[0]
        place = f"{item.location.line}: " if item.location else ""
        kind = "refused" if item.remedy or item.code > "TL4" else "wrong"
        return Result(kind, f"{place}{item.code} {item.message} ({item.remedy})")
    return Result(f"{lifted.verdict} {lifted.level}", program=lifted.source)


def main() -> int:
    """Run the command line."""
    chosen = [case for case in cases() if not sys.argv[1:] or case.name in sys.argv[1:]]
    results = [(case, called(case)) for case in chosen]
    for case, result in results:
        print(f"{case.name:26}{result.kind:20}{result.remark}")
    kinds = [result.kind for _, result in results]
    lifted = len(kinds) - kinds.count("refused") - kinds.count("wrong")
    print(f"{lifted} of {len(kinds)} functions are lifted and equal their original")
    return int("wrong" in kinds or lifted < _SHARE * len(kinds))


if __name__ == "__main__":
    sys.exit(main())
