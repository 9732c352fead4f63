"""Lift the reference kernels with each engine and print the table: ``python -m bench.engines [--engine sketch]``.

A row is a kernel, a group of columns an engine: the verdict (of a lift that is proved; every other is a refusal), the
milliseconds of its search, the operations of the program, and what the search tried.  ``--suite`` and ``--kernel``
choose, ``--to TARGET`` lifts to another target, ``--json FILE`` writes the rows.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.kernels.catalogue import ROOT, read
from bench.selection import add_selection, selected
from tensorlift.attempts import start_afresh
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.engines import engine_names
from tensorlift.ir.function import functions
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source
from tensorlift.summarize import summarise
from tensorlift.synthesis.enumerate import Statistics, enumerated
from tensorlift.synthesis.simplify import simplify
from tensorlift.synthesis.sketch import Run, sketch
from tensorlift.targets import get_target


@dataclass(frozen=True)
class Cell:
    """What became of one kernel with one engine; seconds are those of the search and of everything."""

    kernel: str
    engine: str
    verdict: str
    search: float
    total: float
    operations: int
    candidates: int
    remark: str


def main() -> int:
    """Run the command line."""
    options = _arguments()
    entries = selected(options)
    engines = options.engine or engine_names()
    cells = [[cell(e, engine, options.to, counts=options.candidates) for engine in engines] for e in entries]
    tried = f"{'tried':>10}" if options.candidates else ""
    print(f"{'kernel':34}" + "".join(f"{engine:>12}{'ms':>9}{'ops':>5}{tried}" for engine in engines))
    for row in cells:
        print(f"{row[0].kernel:34}" + "".join(_text(c, counts=options.candidates) for c in row))
    for position, engine in enumerate(engines):
        column = [row[position] for row in cells]
        lifted = [c for c in column if c.verdict != "refused"]
        worst = max(column, key=lambda c: c.search)
        seconds = sum(c.search for c in column)
        print(
            f"{engine}: {len(lifted)} of {len(column)} lifted and proved, {seconds:.2f} s of search,"
            f" worst {worst.kernel} {worst.search * 1e3:.0f} ms"
        )
    if options.json:
        Path(options.json).write_text(json.dumps([asdict(c) for row in cells for c in row], indent=1) + "\n")
    return 0


def _text(cell_: Cell, *, counts: bool) -> str:
    tried = f"{cell_.candidates:10}" if counts else ""
    return f"{cell_.verdict:>12}{cell_.search * 1e3:9.1f}{cell_.operations:5}{tried}"


def cell(entry: dict[str, Any], engine: str, target: str, *, counts: bool) -> Cell:
    """Lift one kernel of the index with one engine; ``counts`` searches once more, to count candidates."""
    path = ROOT / entry["file"]
    options = LiftOptions((entry["function"],), target, include_dirs=(str(path.parent),), engine=engine)
    source = read_source(str(path))
    start = time.perf_counter()
    record = lift_source(source, options)
    total = time.perf_counter() - start
    name = f"{entry['suite']}/{entry['name']}"
    if not record.functions:
        return Cell(name, engine, "refused", 0.0, total, 0, 0, record.diagnostics[0].message)
    function = record.functions[0]
    verdict = str(function.verdict) if str(function.level) == "proved" else "refused"
    remark = function.diagnostics[0].message if function.diagnostics else ""
    search = function.seconds.get("derive", 0.0)
    tried = _candidates(path, options) if counts else 0
    return Cell(name, engine, verdict, search, total, _operations(function.program), tried, remark)


def _candidates(path: Path, options: LiftOptions) -> int:
    """Count what an engine tries, of those that count."""
    if options.engine not in ("sketch", "enumerate"):
        return 0
    run, numbers = Run(), Statistics()

    def search() -> None:
        module = next(f.module for f in read(path) if f.name in options.functions)
        assert module is not None
        start_afresh()
        summary, target = simplify(summarise(functions(module)[0])), get_target(options.target)
        with suppress(LiftError):  # a refusal was told before
            if options.engine == "sketch":
                sketch(summary, target, run)
            else:
                enumerated(summary, target, numbers)

    with_deep_stack(search)
    return run.statistics.candidates + numbers.enumerated


def _operations(program: str) -> int:
    """Count operators, calls and subscripts of a program's functions; an adapter of C's division counts with it."""
    counted = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)
    return sum(isinstance(node, counted) for node in ast.walk(ast.parse(program))) if program else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lift the reference kernels with each engine.")
    parser.add_argument("--engine", action="append", choices=engine_names(), help="only this engine")
    parser.add_argument("--candidates", action="store_true", help="also count what the search tried")
    parser.add_argument("--to", metavar="TARGET", default="numpy", help="lift to this target")
    parser.add_argument("--json", metavar="FILE", help="write the rows to a file")
    add_selection(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
