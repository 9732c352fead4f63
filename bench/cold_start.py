"""Time a cold start: lift one file, each time in a fresh process: ``python bench/cold_start.py [FILE] [--runs N]``.

The first table gives the milliseconds of wall clock and of processor for the whole process, for a Python that does
nothing, and for one that only imports the libraries.  The second says where the imports go: for each library, and each
room of ours, the time of its own modules, from ``-X importtime``; each module counts with the best of the runs, so that
other work of the machine matters little.  The exit status is 1 where the median of the processor time of lifting is
above ``--limit`` milliseconds.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

EXAMPLE = Path(__file__).parent.parent / "examples" / "covariance.c"
LIBRARIES = ("xdsl", "numpy", "clang", "click", "rich")
_DIALECTS = "from xdsl.dialects import affine, arith, func, memref"
_ONLY_LIBRARIES = f"import click, numpy, clang.cindex, os; {_DIALECTS}; os._exit(0)"
_IMPORT = re.compile(r"^import time:\s+(?P<self>\d+) \|\s+\d+ \|\s+(?P<module>\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Cost:
    """What one process took, in seconds."""

    wall: float
    processor: float


def main() -> int:
    """Run the command line."""
    options = _arguments()
    lifting = ["-m", "tensorlift", "lift", options.file]
    commands = {"python": ["-c", "pass"], "libraries": ["-c", _ONLY_LIBRARIES], "lift": lifting}
    costs = {name: _measure(command, options.runs) for name, command in commands.items()}
    _print_costs(costs)
    _print_imports(_imports(lifting, options.runs))
    median = statistics.median(cost.processor for cost in costs["lift"])
    return int(options.limit is not None and median * 1e3 > options.limit)


def _environment() -> dict[str, str]:
    """Give the environment of a user: Python keeps the bytecode that it compiles; BLAS as a lift sets it."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "OPENBLAS_NUM_THREADS": "1"}


def _measure(command: list[str], runs: int) -> list[Cost]:
    """Run a Python command several times, after once for the bytecode and the caches of the machine."""
    return [_run(command) for _ in range(runs + 1)][1:]


def _run(command: list[str]) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], env=_environment(), stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} ended with status {process.returncode}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def _imports(command: list[str], runs: int) -> dict[str, float]:
    """Give the seconds that each imported module took by itself, the least of the runs."""
    best: dict[str, float] = {}
    for _ in range(runs):
        timed = [sys.executable, "-X", "importtime", *command]
        text = subprocess.run(timed, env=_environment(), capture_output=True, text=True, check=True).stderr
        for row in _IMPORT.finditer(text):
            seconds = int(row["self"]) * 1e-6
            best[row["module"]] = min(seconds, best.get(row["module"], seconds))
    return best


def _group(module: str) -> str:
    """Name the library or the room that a module belongs to."""
    parts = module.split(".")
    if parts[0] == "tensorlift":
        return ".".join(parts[:2])
    return parts[0] if parts[0] in LIBRARIES else "(others)"


def _print_costs(costs: dict[str, list[Cost]]) -> None:
    print(f"{'milliseconds':14}{'wall':>8}{'median':>8}{'processor':>12}{'median':>8}")
    for name, runs in costs.items():
        walls, processor = [1e3 * run.wall for run in runs], [1e3 * run.processor for run in runs]
        print(
            f"{name:14}{min(walls):8.0f}{statistics.median(walls):8.0f}"
            f"{min(processor):12.0f}{statistics.median(processor):8.0f}"
        )


def _print_imports(seconds: dict[str, float]) -> None:
    modules = Counter(map(_group, seconds))
    totals = dict.fromkeys(modules, 0.0)
    for module, spent in seconds.items():
        totals[_group(module)] += spent
    print(f"\n{'imports':28}{'modules':>8}{'ms':>8}")
    for group, spent in sorted(totals.items(), key=lambda row: -row[1]):
        print(f"{group:28}{modules[group]:8}{spent * 1e3:8.1f}")
    print(f"{'all':28}{len(seconds):8}{sum(seconds.values()) * 1e3:8.1f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time lifting one file in a fresh process.")
    parser.add_argument("file", nargs="?", default=str(EXAMPLE), help="what to lift")
    parser.add_argument("--runs", type=int, default=7, help="how often each process runs")
    parser.add_argument("--limit", type=float, help="the most milliseconds of processor that a lift may take")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
