"""Scan random functions by one process and by more: ``python bench/scan.py [--functions N] [--jobs 1,2] [--rounds N]``.

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


def write_sources(folder: Path, functions: int) -> None:
    """Write files in C of ten functions each."""
    for first in range(0, functions, _IN_A_FILE):
        seeds = range(first, min(first + _IN_A_FILE, functions))
        texts = (generate(seed).replace(" f(", f" f{seed}(", 1) for seed in seeds)
        (folder / f"file{first}.c").write_text("\n".join(texts), encoding="utf-8")


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
    options = parser.parse_args()
    jobs = [int(number) for number in options.jobs.split(",")]
    with tempfile.TemporaryDirectory() as name:
        write_sources(Path(name), options.functions)
        taken = [[scan(Path(name), number) for number in jobs] for _ in range(options.rounds)]
    for place, number in enumerate(jobs):
        rate = median(options.functions / turn[place][0] for turn in taken)
        ratio = median(turn[0][0] / turn[place][0] for turn in taken)
        memory = max(turn[place][1] for turn in taken)
        print(f"-j {number}: {rate:.1f} functions a second, {ratio:.2f} times as fast, {memory:.0f} MiB")


if __name__ == "__main__":
    main()
