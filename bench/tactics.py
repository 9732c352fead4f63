"""Lift every reference kernel with the shipped tactics alone: ``python bench/tactics.py [--suite NAME] [--chains]``.

A line for each kernel: its verdict, the milliseconds of the search and of the whole lift, and the tactics that the
program is made of.  Then the number of kernels that are lifted and proved, with and without PolyBench's, which are also
counted by themselves.  ``--chains`` adds the matrix chains of the tactics' paper: multiplications and times as written
and reordered.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.selection import KERNELS, add_selection, selected
from tensorlift.attempts import Request, proved_program
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView, functions
from tensorlift.pipeline import StageClock
from tensorlift.source import read_source
from tensorlift.synthesis.tactics import Engine, shipped_tactics
from tensorlift.synthesis.tactics.chains import chain_order, parenthesised
from tensorlift.targets import get_target

CHAINS = (
    (800, 1100, 900, 1200, 100),
    (1000, 2000, 900, 1500, 600, 800),
    (1500, 400, 2000, 2200, 600, 1400, 1000),
)
_REPEATS = 3


@dataclass(frozen=True)
class Row:
    """What became of one kernel; ``remark`` is why it is refused, or the tactics."""

    suite: str
    name: str
    lifted: bool
    seconds: float
    searching: float
    remark: str


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Lift the reference kernels with tactics alone.")
    add_selection(parser)
    parser.add_argument("--chains", action="store_true", help="also reorder and time matrix chains")
    options = parser.parse_args()
    start = time.perf_counter()
    engine = Engine(shipped_tactics())
    print(f"{len(engine.tactics)} tactics loaded and checked in {time.perf_counter() - start:.2f} s")
    rows = [lift_entry(entry, engine) for entry in selected(options)]
    for row in rows:
        verdict = "proved" if row.lifted else "refused"
        times = f"{row.searching * 1e3:8.1f}{row.seconds * 1e3:8.1f}"
        print(f"{row.suite + '/' + row.name:36}{verdict:8}{times}  {row.remark[:110]}")
    _print_count("all suites", rows)
    _print_count("suites other than PolyBench", [r for r in rows if not r.suite.startswith("polybench")])
    if options.chains:
        _print_chains()
    return 0


def lift_entry(entry: dict[str, Any], engine: Engine) -> Row:
    """Lift and prove one kernel of the index."""
    from tensorlift.languages.c import read_c  # noqa: PLC0415 - the other readers are not loaded
    from tensorlift.languages.cpp import read_cpp  # noqa: PLC0415 - as above

    path = KERNELS / entry["file"]
    source = read_source(str(path))
    read = read_c if path.suffix == ".c" else read_cpp
    clock = StageClock()
    start = time.perf_counter()

    def lift() -> None:
        (function,) = read(source.text, source.name, include_dirs=(str(path.parent),), function=entry["function"])
        if function.module is None:
            raise LiftError(*function.diagnostics)
        (func_op,) = functions(function.module)
        request = Request(get_target("numpy"), search=lambda summary, *_: engine.program(summary))
        proved_program(FunctionView(func_op), request, clock.stage)

    try:
        with_deep_stack(lift)
        lifted, remark = True, " ".join(dict.fromkeys(engine.applied)) or "(access only)"
    except LiftError as refusal:
        lifted, remark = False, refusal.diagnostics[0].message
    seconds = time.perf_counter() - start
    return Row(entry["suite"], entry["name"], lifted, seconds, clock.seconds.get("derive", 0.0), remark)


def _print_count(what: str, rows: list[Row]) -> None:
    print(f"{sum(row.lifted for row in rows)} of {len(rows)} kernels lifted and proved by tactics alone ({what})")


def _print_chains() -> None:
    print(f"{'chain':44}{'as written':>12}{'reordered':>12}{'ms':>9}{'ms':>9}  order")
    for extents in CHAINS:
        names = [f"A{k + 1}" for k in range(len(extents) - 1)]
        rng = np.random.default_rng(0)
        matrices = [rng.random((a, b)) for a, b in pairwise(extents)]
        order = chain_order(extents)
        written = sum(extents[0] * a * b for a, b in pairwise(extents[1:]))
        spelled = parenthesised(order.tree, names)
        plain = " @ ".join(names)
        known = dict(zip(names, matrices, strict=True))
        before, after = (_milliseconds(text, known) for text in (plain, spelled))
        print(
            f"{' x '.join(map(str, extents)):44}{written:12.3g}{order.cost:12.3g}{before:9.1f}{after:9.1f}  {spelled}"
        )


def _milliseconds(expression: str, matrices: dict[str, Any]) -> float:
    code = compile(expression, "chain", "eval")
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        eval(code, {}, matrices)
        best = min(best, time.perf_counter() - start)
    return best * 1e3


if __name__ == "__main__":
    sys.exit(main())
