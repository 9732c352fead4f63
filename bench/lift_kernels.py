"""Lift every reference kernel in one warm process and print the table: ``python bench/lift_kernels.py [--test]``.

Columns are milliseconds for each stage of the pipeline, the least of ``--rounds`` over all kernels, so that neither the
first use of a module nor another process counts.  ``--to TARGET`` lifts to another target than NumPy, to one of
static shapes at small sizes; ``--engine NAME`` with one engine alone.  ``--test`` also runs each lift against the
compiled original, ``--json FILE`` writes the rows, ``--suite NAME`` and ``--kernel NAME`` choose.  The exit status is 1
where a kernel does not get the verdict that ``bench/kernels/index.json`` expects.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.kernels.sizes import small_sizes
from bench.selection import KERNELS, add_selection, selected
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source
from tensorlift.targets import get_target

STAGES = ("read", "summarise", "simplify", "derive", "emit", "prove", "check")
SYNTHESIS = STAGES[1:-1]  # induction and proof included


@dataclass(frozen=True)
class Row:
    """One kernel: what became of it and the seconds that each stage took."""

    kernel: str
    verdict: str
    level: str
    tests: str
    seconds: dict[str, float]
    remark: str

    @property
    def total(self) -> float:
        """Seconds of lifting; the differential test against the compiled source is not part of it."""
        return sum(seconds for stage, seconds in self.seconds.items() if stage != "test")

    @property
    def synthesis(self) -> float:
        """Seconds from what was read to what is proved."""
        return sum(self.seconds.get(stage, 0.0) for stage in SYNTHESIS)

    def least(self, other: Row) -> Row:
        """Return the row with the lesser time of each stage."""
        return replace(self, seconds={s: min(t, other.seconds.get(s, t)) for s, t in self.seconds.items()})


def main() -> int:
    """Run the command line."""
    options = _arguments()
    entries = selected(options)
    start = time.perf_counter()
    rows = [lift_entry(entry, test=options.test, target=options.to, engine=options.engine) for entry in entries]
    wall = time.perf_counter() - start
    for _ in range(options.rounds - 1):
        again = (lift_entry(entry, test=False, target=options.to, engine=options.engine) for entry in entries)
        rows = [row.least(other) for row, other in zip(rows, again, strict=True)]
    _print_table(rows)
    misses = [(e, r) for e, r in zip(entries, rows, strict=True) if not _as_expected(e, r, test=options.test)]
    _print_summary(rows, len(misses), wall)
    if options.json:
        Path(options.json).write_text(json.dumps([row.__dict__ for row in rows], indent=1) + "\n")
    return 1 if misses else 0


def lift_entry(entry: dict[str, Any], *, test: bool, target: str = "numpy", engine: str = "auto") -> Row:
    """Lift one kernel of the index."""
    path = KERNELS / entry["file"]
    source = read_source(str(path))
    options = LiftOptions((entry["function"],), target, include_dirs=(str(path.parent),), engine=engine, test=test)
    if get_target(target).takes_sizes:
        sizes = small_sizes(path, entry["function"])[-1]
        options = replace(options, sizes=tuple(sizes.items()))
    record = lift_source(source, options)
    name = f"{entry['suite']}/{entry['name']}"
    if not record.functions:
        return Row(name, "refused", "-", "", dict(record.seconds), record.diagnostics[0].message)
    function = record.functions[0]
    tests = " ".join(f"{t.against[0]}{t.cases}{'' if t.passed else '!'}" for t in function.tests)
    remark = function.diagnostics[0].message if function.diagnostics else ""
    seconds = {**record.seconds, **function.seconds}
    return Row(name, str(function.verdict), str(function.level or "-"), tests, seconds, remark)


def _as_expected(entry: dict[str, Any], row: Row, *, test: bool) -> bool:
    kept = ("unchanged", "hybrid", "scan", "loop-free")
    accepted = kept if entry["expect"] in ("hybrid", "scan") else (entry["expect"],)
    proved = row.verdict == "refused" or row.level == "proved"
    tested = not test or row.verdict == "refused" or " c" in f" {row.tests}"
    return row.verdict in accepted and proved and tested and "!" not in row.tests


def _print_table(rows: list[Row]) -> None:
    head = "".join(f"{stage:>10}" for stage in STAGES)
    print(f"{'kernel':34}{'verdict':>10}{'level':>8}{head}{'total':>8}  tests")
    for row in rows:
        cells = "".join(f"{row.seconds.get(stage, 0.0) * 1e3:10.1f}" for stage in STAGES)
        remark = f"  {row.remark[:90]}" if row.remark else ""
        print(f"{row.kernel:34}{row.verdict:>10}{row.level:>8}{cells}{row.total * 1e3:8.1f}  {row.tests}{remark}")


def _print_summary(rows: list[Row], misses: int, wall: float) -> None:
    totals = {stage: sum(row.seconds.get(stage, 0.0) for row in rows) for stage in STAGES}
    print(f"{'seconds':52}" + "".join(f"{totals[stage]:10.3f}" for stage in STAGES))
    _print_total("lifted", {row.kernel: row.total for row in rows})
    _print_total("synthesised and proved", {row.kernel: row.synthesis for row in rows})
    print(f"first round {wall:.3f} s wall")
    verdicts = sorted({(row.verdict, row.level) for row in rows})
    counts = ", ".join(f"{sum((r.verdict, r.level) == v for r in rows)} {v[0]} {v[1]}" for v in verdicts)
    print(f"{counts}; {misses} not as expected")


def _print_total(done: str, seconds: dict[str, float]) -> None:
    worst = max(seconds, key=lambda kernel: seconds[kernel])
    total = f"{len(seconds)} kernels {done} in {sum(seconds.values()):.3f} s"
    print(f"{total}, worst {worst} {seconds[worst] * 1e3:.1f} ms")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lift the reference kernels and print a table.")
    parser.add_argument("--to", metavar="TARGET", default="numpy", help="lift to this target")
    parser.add_argument("--engine", default="auto", help="lift with this engine")
    parser.add_argument("--test", action="store_true", help="also run each lift against the compiled original")
    parser.add_argument("--rounds", type=int, default=3, help="lift all so many times, and print the least times")
    parser.add_argument("--json", metavar="FILE", help="write the rows to a file")
    add_selection(parser)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
