"""Lift the reference kernels with each engine and print the table: ``python -m bench.engines [--engine sketch]``.

A row is a kernel, a group of columns an engine: the verdict (of a lift that is proved; every other is a refusal), the
milliseconds of its search, the operations of the program, what the search tried, and the estimated microseconds of a
call.  The engine ``auto`` lets all others search for the cheapest program, in ``--budget`` seconds.  ``--suite`` and
``--kernel`` choose, ``--to TARGET`` lifts to another target (to one of static shapes at small sizes), ``--json FILE``
writes the rows.  To an imported dialect the kernels of ``layers.c`` are lifted.  Of searches through a million
candidates and more the rate is told.  ``--agree`` also lets the checker decide, where two engines succeed, that their
programs are equal.  ``--paper`` measures the tables of a paper instead (`bench/papers.py`), with ``--large`` on large
arrays.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.agreement import disagreement
from bench.kernels.catalogue import ROOT
from bench.kernels.sizes import small_sizes
from bench.selection import add_selection, selected
from tensorlift.engines import AUTO, engine_names
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.record import Json

TRIED = ("candidates", "enumerated", "applied")  # what counts as tried, by engine
LAYERS = Path(__file__).with_name("layers.c")  # what is lifted to imported dialects
LONG = 1_000_000  # candidates of a search whose rate is told
BUDGET = 10.0  # seconds for all engines together


@dataclass(frozen=True)
class Cell:
    """What became of one kernel with one engine, in seconds; ``cost`` is what a call takes, in nanoseconds."""

    kernel: str
    engine: str
    verdict: str
    search: float
    total: float
    operations: int
    tried: int
    cost: float | None
    found_by: str
    remark: str
    certificate: Mapping[str, Json] | None = field(default=None, repr=False)
    counts: Mapping[str, int] = field(default_factory=dict, repr=False)

    @property
    def is_lifted(self) -> bool:
        """Whether there is a proved program."""
        return self.verdict != "refused"


def main() -> int:
    """Run the command line."""
    options = _arguments()
    if options.paper:
        from bench.papers import write  # noqa: PLC0415 - which measures by this module

        write(options.paper, **({"is_large": True} if options.large else {}))
        return 0
    entries = _layers(options.kernel) if get_target(options.to).instances else selected(options)
    engines = options.engine or [*engine_names(), AUTO]
    head = "".join(f"{engine:>13}{'ms':>9}{'ops':>5}{'tried':>10}{'us':>9}" for engine in engines)
    print(f"{'kernel':34}{head}")
    rows, apart = [], 0
    for entry in entries:
        row = [cell(entry, engine, options.to, budget=options.budget) for engine in engines]
        rows.append(row)
        print(f"{row[0].kernel:34}{''.join(map(_text, row))}", flush=True)
        apart += _disagreements(row, options.to) if options.agree else 0
    for position, engine in enumerate(engines):
        print(_summary(engine, [row[position] for row in rows]))
    if options.agree:
        pairs = sum(_pairs(row) for row in rows)
        print(f"{pairs} pairs of programs, {pairs - apart} decided equal")
    if options.json:
        listed = [asdict(replace(c, certificate=None)) for row in rows for c in row]
        Path(options.json).write_text(json.dumps(listed, indent=1) + "\n")
    return 1 if apart else 0


def _layers(names: list[str]) -> list[dict[str, Any]]:
    """Return the kernels for imported dialects as entries of an index."""
    known = re.findall(r"^\w+ (\w+)\(", LAYERS.read_text(encoding="utf-8"), re.MULTILINE)
    chosen = [name for name in known if not names or name in names]
    if not chosen:
        sys.exit("no kernel has that name")
    return [{"suite": "layers", "name": name, "file": str(LAYERS), "function": name} for name in chosen]


def _text(cell_: Cell) -> str:
    cost = "" if cell_.cost is None else f"{cell_.cost / 1e3:.1f}"
    return f"{cell_.verdict:>13}{cell_.search * 1e3:9.1f}{cell_.operations:5}{cell_.tried:10}{cost:>9}"


def _summary(engine: str, column: list[Cell]) -> str:
    lifted = [c for c in column if c.is_lifted]
    worst = max(column, key=lambda c: c.search)
    return (
        f"{engine}: {len(lifted)} of {len(column)} lifted and proved, {sum(c.search for c in column):.2f} s of search,"
        f" worst {worst.kernel} {worst.search * 1e3:.0f} ms{_rate(column)}"
    )


def _rate(column: list[Cell]) -> str:
    """Say how many candidates a second the long searches tried."""
    rates = sorted(c.tried / c.search / 1e6 for c in column if c.tried >= LONG)
    if not rates:
        return ""
    return f", {rates[0]:.1f} to {rates[-1]:.1f} million candidates a second, {median(rates):.1f} at the median"


def _pairs(row: list[Cell]) -> int:
    return max(sum(c.is_lifted for c in row) - 1, 0)


def _disagreements(row: list[Cell], target: str) -> int:
    """Compare each program with that of the first engine that has one; print and count those that are not equal."""
    certificates = [(c.engine, c.certificate) for c in row if c.is_lifted and c.certificate is not None]
    count = 0
    for engine, certificate in certificates[1:]:
        message = disagreement(certificates[0][1], certificate, target)
        if message:
            count += 1
            print(f"    {engine} and {certificates[0][0]}: {message}")
    return count


def cell(entry: dict[str, Any], engine: str, target: str, *, budget: float = BUDGET) -> Cell:
    """Lift one kernel of the index with one engine."""
    path = ROOT / entry["file"]
    options = LiftOptions((entry["function"],), target, include_dirs=(str(path.parent),), engine=engine)
    if engine == AUTO:
        options = replace(options, budget=budget)
    if get_target(target).takes_sizes:
        options = replace(options, sizes=tuple(small_sizes(path, entry["function"])[-1].items()))
    source = read_source(str(path))
    start = time.perf_counter()
    record = lift_source(source, options)
    total = time.perf_counter() - start
    name = f"{entry['suite']}/{entry['name']}"
    if not record.functions:
        return Cell(name, engine, "refused", 0.0, total, 0, 0, None, "", record.diagnostics[0].message)
    function = record.functions[0]
    verdict = str(function.verdict) if str(function.level) == "proved" else "refused"
    remark = function.diagnostics[0].message if function.diagnostics else ""
    search = function.seconds.get("derive", 0.0)
    counts = Counter[str]()
    for run in function.engines:
        counts.update(run.counts)
    tried = sum(counts[name] for name in TRIED)
    cost = function.engines[0].cost if function.engines and function.lifted else None
    operations = _operations(function.program, target)
    found_by, certificate = function.engine, function.certificate
    return Cell(name, engine, verdict, search, total, operations, tried, cost, found_by, remark, certificate, counts)


def _operations(program: str, target: str) -> int:
    """Count operators, calls and subscripts of a program's functions, in MLIR what gives results but constants."""
    if get_target(target).language == "mlir":
        return len(re.findall(r"^ *%\S+(?:, %\S+)* = (?!\S*constant)", program, re.MULTILINE))
    counted = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call)
    return sum(isinstance(node, counted) for node in ast.walk(ast.parse(program))) if program else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lift the reference kernels with each engine.")
    choices = [*engine_names(), AUTO]
    parser.add_argument("--engine", action="append", choices=choices, help="only this engine")
    parser.add_argument("--to", metavar="TARGET", default="numpy", help="lift to this target")
    parser.add_argument("--budget", type=float, metavar="SECONDS", default=BUDGET, help="of the engine auto")
    parser.add_argument("--agree", action="store_true", help="decide that the programs of a kernel are equal")
    parser.add_argument("--json", metavar="FILE", help="write the rows to a file")
    parser.add_argument("--paper", choices=["mlirsynth", "tensorize"], help="write a paper's tables to docs/papers.md")
    parser.add_argument("--large", action="store_true", help="run all kernels on large arrays for the paper tensorize")
    add_selection(parser)
    options = parser.parse_args()
    if options.large and options.paper != "tensorize":
        parser.error("--large is for --paper tensorize")
    return options


if __name__ == "__main__":
    sys.exit(main())
