"""Lift the Python programs and test them against the originals: ``python bench/lift_python.py [--markdown]``.

The exit status is 1 where a function that is expected to lift does not, or differs from its original.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

PROGRAMS = Path(__file__).parent / "python_programs"


def main() -> int:
    """Run the command line."""
    rows = [(path, function) for path in files() for function in lift_file(path)]
    for path, function in rows:
        print(_row(path, function))
    lifted = [function for _, function in rows if function.lifted]
    print(f"{len(lifted)} of {len(rows)} functions are lifted and agree with their original")
    return 0 if len(lifted) == len(rows) else 1


def files() -> list[Path]:
    """List the files of programs."""
    return sorted(path for path in PROGRAMS.rglob("*.py") if path.name != "__init__.py")


def lift_file(path: Path, *, test: bool = True) -> tuple[FunctionRecord, ...]:
    """Lift the functions of a file and test each against its original."""
    return lift_source(read_source(str(path)), LiftOptions(test=test)).functions


def _row(path: Path, function: FunctionRecord) -> str:
    remark = function.diagnostics[0].message if function.diagnostics else ""
    tests = ", ".join(f"{trial.cases} {trial.against}" for trial in function.tests)
    return f"{path.stem:14}{function.name:24}{function.verdict!s:10}{tests:28}{remark}"


if __name__ == "__main__":
    sys.exit(main())
