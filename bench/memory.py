"""Lift reference kernels over and over in one process: ``python bench/memory.py [--lifts N] [--allowed PERCENT]``.

Prints the resident memory, in MiB, after a tenth of the lifts and after all of them, and some in between.  The exit
status is 1 where it has grown since the tenth by more than is allowed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.lift_kernels import lift_entry
from bench.selection import add_selection, selected

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> float:
    """Return the memory of this process that is in use now, in MiB."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE / (1 << 20)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Tell how much memory a process takes that lifts many functions.")
    parser.add_argument("--lifts", type=int, default=5000, help="how many functions are lifted")
    parser.add_argument("--allowed", type=float, default=20.0, help="percent of growth since a tenth of the lifts")
    add_selection(parser)
    options = parser.parse_args()
    steps = [options.lifts * tenths // 10 for tenths in (1, 2, 4, 6, 8, 10)]
    taken: dict[int, float] = {}
    for count, entry in enumerate(itertools.cycle(selected(options)), 1):
        lift_entry(entry, test=False)
        if count in steps:
            taken[count] = resident()
            print(f"after {count:6} lifts {taken[count]:8.1f} MiB", flush=True)
        if count == options.lifts:
            break
    growth = 100 * (taken[steps[-1]] / taken[steps[0]] - 1)
    print(f"grown by {growth:.1f} %")
    return int(growth > options.allowed)


if __name__ == "__main__":
    sys.exit(main())
