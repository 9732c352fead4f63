"""Scan functions by one process and by more: ``python bench/scan.py [--functions N] [--jobs 1,2] [--rounds N]``.

One function in ``--one-in`` is a random program, which takes long; the others are as most functions of a code base are:
short loops, a helper without any, a search, a loop that calls what nothing is known of.

Prints for each number of processes the median of functions a second, how many times as many that is as with the first
number (in turns, the median of the ratios), and the most memory that the process took which scans.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench.generate import generate

_IN_A_FILE = 10
_SHORT = (
    "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] *= 0.5; }",
    "int f(int a, int b) { return a < b ? b - a : 0; }",
    "float f(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }",
    "int f(int n, const int *x, int key) { for (int i = 0; i < n; i++) if (x[i] == key) return i; return -1; }",
    "extern void g(void *); void f(void **list, int n) { for (int i = 0; i < n; i++) g(list[i]); }",
)


def write_sources(folder: Path, functions: int, one_in: int) -> None:
    """Write files in C of ten functions each; one function in ``one_in`` is random."""
    for first in range(0, functions, _IN_A_FILE):
        numbers = range(first, min(first + _IN_A_FILE, functions))
        texts = (_SHORT[number % len(_SHORT)] if number % one_in else generate(number) for number in numbers)
        named = (text.replace(" f(", f" f{number}(", 1) for number, text in zip(numbers, texts, strict=True))
        (folder / f"file{first}.c").write_text("\n".join(named), encoding="utf-8")


def scan(folder: Path, jobs: int) -> tuple[float, float]:
    """Scan a folder; give the seconds, and the most memory of the process that scans, in MiB."""
    command = [sys.executable, "-m", "tensorlift", "scan", str(folder), "-j", str(jobs)]
    start, most = time.perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, _resident(process.pid))
        time.sleep(0.05)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"exit status {process.returncode}: {' '.join(command)}")
    return seconds, most


def _resident(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), 0.0)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Tell how fast code is scanned by several processes.")
    parser.add_argument("--functions", type=int, default=10_000, help="how many")
    parser.add_argument("--jobs", default="1,2", help="numbers of processes")
    parser.add_argument("--rounds", type=int, default=1, help="scans with each number, in turns")
    parser.add_argument("--one-in", type=int, default=5, help="so many functions is random")
    options = parser.parse_args()
    jobs = [int(number) for number in options.jobs.split(",")]
    with tempfile.TemporaryDirectory() as name:
        write_sources(Path(name), options.functions, options.one_in)
        taken = [[scan(Path(name), number) for number in jobs] for _ in range(options.rounds)]
    for place, number in enumerate(jobs):
        rate = median(options.functions / turn[place][0] for turn in taken)
        ratio = median(turn[0][0] / turn[place][0] for turn in taken)
        memory = max(turn[place][1] for turn in taken)
        print(f"-j {number}: {rate:.1f} functions a second, {ratio:.2f} times as fast, {memory:.0f} MiB")


if __name__ == "__main__":
    main()
