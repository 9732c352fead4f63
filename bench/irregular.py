"""What becomes of irregular loops on each target: ``python bench/irregular.py [--test] [--to TARGET] [FILE...]``.

Gathers, scatters, ragged rows, counters, early exits, recurrences, boundaries: ``bench/irregular_programs`` has a file
for each kind and language.  A comment before each function says what is expected of it::

    // expect: numpy loop-free, jax scan, c refused TL209

``--test`` also runs each lift against its original, ``--update`` writes the comments anew.  The exit status is 1 where
something else becomes of a function than its comment says, or where a program differs from its original.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source
from tensorlift.targets import target_names

FOLDER = Path(__file__).parent / "irregular_programs"
_EXPECTED = re.compile(r"^\s*(?://|#) expect: (.+)", re.MULTILINE)
_NAME = {".py": r"def (\w+)", ".mlir": r"func @(\w+)"}
_C_NAME = r"(\w+)\("


@dataclass(frozen=True)
class Program:
    """A function of a file, and what is expected of it on each target."""

    path: Path
    function: str
    expected: dict[str, str]
    start: int  # where in the file that is said
    end: int

    def __str__(self) -> str:
        """Name it as tests and tables do."""
        return f"{self.path.name}:{self.function}"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--test", action="store_true", help="run each lift against its original")
    parser.add_argument("--to", action="append", choices=target_names(), help="this target alone; may be repeated")
    parser.add_argument("--update", action="store_true", help="write what becomes of each into its comment")
    options = parser.parse_args()
    targets = tuple(options.to or target_names())
    wrong = 0
    chosen = programs(options.files or None)
    for program in reversed(chosen) if options.update else chosen:  # what is written moves what is behind it
        found = {target: outcome(program, target, test=options.test) for target in targets}
        if options.update:
            _update(program, program.expected | found)
        others = {target for target in targets if found[target] != program.expected.get(target)}
        wrong += len(others)
        cells = (f"{target} {found[target]}{' (!)' if target in others else ''}" for target in targets)
        print(f"{program!s:40}{', '.join(cells)}")
    return 1 if wrong else 0


def _update(program: Program, found: dict[str, str]) -> None:
    """Write what becomes of a function into its comment."""
    text = program.path.read_text(encoding="utf-8")
    said = ", ".join(f"{target} {found[target]}" for target in target_names())
    program.path.write_text(text[: program.start] + said + text[program.end :], encoding="utf-8")


def programs(files: list[Path] | None = None) -> list[Program]:
    """List the functions of all files, or of some."""
    return [program for path in files or sorted(FOLDER.glob("*.*")) for program in _programs(path)]


def outcome(program: Program, target: str, *, test: bool) -> str:
    """Lift a function: its verdict, with the code where it is refused, or how it differs from its original."""
    record = lift_source(read_source(str(program.path)), LiftOptions((program.function,), target, test=test))
    if not record.functions:
        return f"refused {record.diagnostics[0].code}"
    (function,) = record.functions
    if not function.lifted:
        return f"refused {function.diagnostics[0].code}"
    failures = [str(trial.failure) for trial in function.tests if trial.failure]
    level = "" if str(function.level) == "proved" else f" {function.level}"
    return "; ".join([f"{function.verdict}{level}", *failures])


def _programs(path: Path) -> list[Program]:
    text = path.read_text(encoding="utf-8")
    found = []
    for comment in _EXPECTED.finditer(text):
        name = re.compile(_NAME.get(path.suffix, _C_NAME)).search(text, comment.end())
        if name is None:
            raise ValueError(f"{path}: no function behind {comment.group()!r}")
        expected = dict(said.strip().split(" ", 1) for said in comment.group(1).split(","))
        found.append(Program(path, name.group(1), expected, *comment.span(1)))
    return found


if __name__ == "__main__":
    sys.exit(main())
