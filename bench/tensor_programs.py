"""Lift random tensor programs by sketches: ``python -m bench.tensor_programs [--count 50] [--length 4 ..] [--growth]``.

A program has one loop nest for each operation (`bench/random_programs/tensors.py`), the same for a seed and a length.
The engine `sketch-whole` solves its output from the parameters alone, through all nests; `sketch` with a cut for each
nest.  A row is a length and an engine: how many programs are lifted and proved within the limit, and the seconds of
their search and of everything, median and worst.  ``--growth`` goes on to 64 operations and shows by which power of the
length the time of the search grows from one length to the next.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from dataclasses import dataclass

from bench.random_programs.tensors import tensor_program
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import source_from_text

ENGINES = ("sketch-whole", "sketch")
LENGTHS = (4, 8, 12, 16)
LONGER = (24, 32, 48, 64)
COUNT = 50
LIMIT = 5.0  # seconds for a program


@dataclass(frozen=True)
class Result:
    """What became of one program; seconds are those of the search and of everything."""

    seed: int
    is_proved: bool
    search: float
    total: float
    remark: str


def result(seed: int, length: int, engine: str) -> Result:
    """Lift the program of a seed and a length."""
    source = source_from_text(tensor_program(seed, length), "program.c")
    start = time.perf_counter()
    (function,) = lift_source(source, LiftOptions(engine=engine)).functions
    total = time.perf_counter() - start
    remark = function.diagnostics[0].message if function.diagnostics else ""
    return Result(seed, function.level is Level.PROVED, function.seconds.get("derive", 0.0), total, remark)


def main() -> int:
    """Run the command line."""
    options = _arguments()
    result(0, LENGTHS[0], "derive")  # loads every room
    lengths = options.length or (*LENGTHS, *(LONGER if options.growth else ()))
    head = f"{'operations':>10} {'engine':14}{'proved':>8}{'in time':>9}"
    print(f"{head}{'search, s':>12}{'worst':>8}{'all, s':>9}{'worst':>8}")
    for engine in options.engine or ENGINES:
        medians: dict[int, float] = {}
        for length in lengths:
            results = [result(seed, length, engine) for seed in range(options.count)]
            medians[length] = _row(engine, length, results)
        if options.growth:
            print(f"{engine}: {_growth(medians)}")
    return 0


def _row(engine: str, length: int, results: list[Result]) -> float:
    """Print a row; return the median of the seconds of the search."""
    proved = [r for r in results if r.is_proved]
    in_time = sum(r.total <= LIMIT for r in proved)
    search, total = [r.search for r in results], [r.total for r in results]
    median = statistics.median(search)
    print(
        f"{length:10} {engine:14}{len(proved):5}/{len(results):<2}{in_time:9}{median:12.3f}{max(search):8.2f}"
        f"{statistics.median(total):9.3f}{max(total):8.2f}",
        flush=True,
    )
    for r in results:
        if not r.is_proved:
            print(f"{'':11}seed {r.seed}: {r.remark}")
    return median


def _growth(medians: dict[int, float]) -> str:
    """Spell by which power the time grows between the first length and the last."""
    first, *_, last = medians
    power = math.log(medians[last] / medians[first]) / math.log(last / first)
    return f"from {first} to {last} operations the search grows with the power {power:.2f} of the length"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lift random tensor programs by sketches.")
    parser.add_argument("--count", type=int, default=COUNT, help="programs of each length")
    parser.add_argument("--length", type=int, nargs="+", help="only these numbers of operations")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only this engine")
    parser.add_argument("--growth", action="store_true", help="go on to 64 operations")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
