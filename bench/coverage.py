"""Write docs/coverage.md, what lifts of each collection of programs: ``python bench/coverage.py [--check] [NAME...]``.

A collection is one function that gives its rows; ``COLLECTIONS`` lists them in the order of the document.  Every lifted
program is also run against its compiled original.  ``--check`` writes nothing; the exit status is 1 where a program
falls short of the verdict that its first line states, other than the known gaps, or where a test fails.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.record import FunctionRecord

BENCH = Path(__file__).parent
DOCUMENT = BENCH.parent / "docs" / "coverage.md"
VERDICTS = ("refused", "unchanged", "hybrid", "scan", "loop-free")  # each better than the one before


@dataclass(frozen=True)
class Row:
    """One program: what was expected of it and what became of it."""

    name: str
    about: str
    expected: str
    verdict: str
    level: str
    tests: str
    failed: bool
    remark: str

    @property
    def falls_short(self) -> bool:
        """Whether the verdict is weaker than the expected one, or a test failed."""
        return self.failed or VERDICTS.index(self.verdict) < VERDICTS.index(self.expected)


@dataclass(frozen=True)
class Collection:
    """Programs under a title, with what they are."""

    title: str
    about: str
    rows: list[Row]


def main() -> int:
    """Run the command line."""
    options = _arguments()
    chosen = [name for name in COLLECTIONS if not options.names or name in options.names]
    collections = [COLLECTIONS[name]() for name in chosen]
    text = "\n".join([HEAD, *map(section, collections)])
    if options.check or options.names:
        print(text)
    else:
        DOCUMENT.write_text(text, encoding="utf-8")
    return 1 if any(row.failed for collection in collections for row in collection.rows) else 0


def legacy_programs() -> Collection:
    """Lift the functions in the manner of legacy C."""
    about = "Functions in the manner of DSP libraries, neural-network runtimes and vectoriser suites."
    paths = sorted((BENCH / "legacy_programs").glob("*.c"))
    return Collection("Legacy C", about, [c_program(path) for path in paths])


def python_programs() -> Collection:
    """Lift the Python functions; their aim is to be lifted at all."""
    about = "Python functions over NumPy arrays, over nested lists, as written for Numba, and all of PolyBench."
    files = sorted((BENCH / "python_programs").rglob("[a-z]*.py"))
    rows = [
        row_of(function, path.stem.replace("_", " "), "unchanged")
        for path in files
        for function in lift_source(read_source(str(path)), LiftOptions(test=True)).functions
    ]
    return Collection("Python", about, rows)


COLLECTIONS: dict[str, Callable[[], Collection]] = {"legacy": legacy_programs, "python": python_programs}

HEAD = """# Coverage

What lifts, program by program; refresh with `python bench/coverage.py`. A program's first line states the verdict that
the project aims at; **bold** verdicts fall short of it. Lifted programs are proved for every size unless the level says
otherwise, and each was run against its compiled original.
"""


def c_program(path: Path) -> Row:
    """Lift one C program, the function that its file is named after, and test it against the compiled source."""
    first, second, *_ = path.read_text(encoding="utf-8").splitlines()
    record = lift_source(read_source(str(path)), LiftOptions((path.stem,), test=True))
    expected, about = first.removeprefix("// expect: "), second.removeprefix("// ")
    if not record.functions:
        return Row(path.stem, about, expected, "refused", "", "", failed=False, remark=_remark(record.diagnostics[0]))
    return row_of(record.functions[0], about, expected)


def row_of(function: FunctionRecord, about: str, expected: str) -> Row:
    """Describe what became of a function."""
    tests = ", ".join(f"{trial.cases} {trial.against}" for trial in function.tests)
    failed = any(trial.failure for trial in function.tests)
    remark = _remark(function.diagnostics[0]) if function.diagnostics else ""
    verdict, level = str(function.verdict), str(function.level or "")
    return Row(function.name, about, expected, verdict, level, tests, failed=failed, remark=remark)


def section(collection: Collection) -> str:
    """Render a collection: a summary, then a table."""
    counts = Counter(row.verdict for row in collection.rows)
    lifted = len(collection.rows) - counts["refused"]
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in reversed(VERDICTS) if counts[verdict])
    head = f"## {collection.title}\n\n{collection.about} {lifted} of {len(collection.rows)} lift: {summary}.\n"
    table = ["| program | what it is | verdict | level | test cases | remark |", "|---|---|---|---|---|---|"]
    return "\n".join([head, *table, *map(_line, collection.rows), ""])


def _line(row: Row) -> str:
    verdict = f"**{row.verdict}** (aim: {row.expected})" if row.falls_short else row.verdict
    cells = (f"`{row.name}`", row.about, verdict, row.level, row.tests, row.remark.replace("|", "\\|"))
    return f"| {' | '.join(cells)} |"


def _remark(diagnostic: Diagnostic) -> str:
    line = f"line {diagnostic.location.line}: " if diagnostic.location else ""
    remedy = f" ({diagnostic.remedy})" if diagnostic.remedy else ""
    return f"{diagnostic.code}, {line}{diagnostic.message}{remedy}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write docs/coverage.md.")
    parser.add_argument("names", nargs="*", choices=[[], *COLLECTIONS], help="only these collections, to the terminal")
    parser.add_argument("--check", action="store_true", help="print, and write nothing")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
