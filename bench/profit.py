"""Whether what goes into a C program pays: ``python bench/profit.py [--random FIRST COUNT] [--array-bytes 4K,1M]``.

``tensorlift build`` makes libraries of the files in C in ``bench/`` and ``examples/``, or of random programs. Each
function that it lifted is measured beside the one in a library that gcc makes of the file as it is, at ``-O3
-march=native``, in turns. A figure is how many times faster it is: the median of the ratios, and the bound that this
median lies above, as sure as 97 %. The same code runs at nine tenths of the speed at another place: a function below
``--bar`` is measured again with all code moved on, and the better figures count. Printed are functions whose bound is
below the bar, then how many medians are below what. The exit status is 1 where a median is below it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from bench import random_irregular
from bench.generate import generate
from bench.targets import bytes_of
from tensorlift.cli import main as tensorlift
from tensorlift.commands.measured import ratio_of
from tensorlift.diagnostics import LiftError
from tensorlift.pipeline import LiftOptions
from tensorlift.runtime.compilers import OPTIMISED, Project, build_library
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("examples", "bench/kernels", "bench/legacy_programs", "bench/irregular_programs", "bench/vectoriser_loops")
_STEPS = (0.5, 0.9, 0.95, 1.05, 2.0, inf)
_LIFTED = "lifted, "
_FLAGS = (*OPTIMISED, "-falign-functions=64")  # the same code runs at half the speed elsewhere in a line of the cache
_MOVED = ("-falign-functions=1024",)


@dataclass(frozen=True)
class Profit:
    """What measuring a function gave: the median of the ratios, and the bound below it; or why there is none."""

    name: str
    size: str
    median: float = 0.0
    bound: float = 0.0
    remark: str = ""

    def __str__(self) -> str:
        """Write it as a line."""
        return f"{self.size:>5} {self.name:64}{self.remark or f'{self.median:8.2f} {self.bound:8.2f}'}"


def main() -> int:
    """Run the command line."""
    options = _arguments()
    found: list[Profit] = []
    kept = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in _random(options.random, Path(folder)) if options.random else _files(options.files):
            became, libraries = built(path, Path(folder))
            kept += sum(how == "as it was" for how in became.values())
            for name in [name for name, how in became.items() if how.startswith(_LIFTED)]:
                for size in options.array_bytes.split(","):
                    found.append(measured(path, name, libraries, size, options))
                    if not found[-1].remark and found[-1].median < options.bar:
                        _, moved = built(path, Path(folder), moved=True)
                        found[-1] = max(found[-1], measured(path, name, moved, size, options), key=lambda p: p.median)
                    if options.all or (not found[-1].remark and found[-1].bound < options.bar):
                        print(found[-1], flush=True)
    medians = [profit.median for profit in found if not profit.remark]
    print(f"{kept} as they were, {len(medians)} measured, {len(found) - len(medians)} not")
    for step in _STEPS:
        print(f"{sum(median < step for median in medians):6} below {step:g}")
    print(*(f"{count} {remark}" for remark, count in Counter(p.remark for p in found if p.remark).items()), sep="\n")
    return 1 if any(median < options.bar for median in medians) else 0


def built(path: Path, folder: Path, *, moved: bool = False) -> tuple[dict[str, str], tuple[Path, Path]]:
    """Make libraries of a file as it is and of what is lifted, ``moved`` on; say what became of each function."""
    plain, library = (folder / f"{name}{moved}.so" for name in ("plain", "lifted"))
    flags = (*_FLAGS, *(_MOVED if moved else ()))
    beside = Project(flags=(*flags, "-iquote", str(path.parent)))
    plain.write_bytes(build_library(path.read_text(encoding="utf-8"), (), (), beside))
    said = StringIO()
    with redirect_stdout(said), redirect_stderr(StringIO()):
        tensorlift(["build", str(path), "-o", str(library), "-I", str(path.parent), "--cflags", " ".join(flags)])
    became = dict(line.split(": ", 1) for line in said.getvalue().splitlines() if ": " in line)
    return became, (plain, library)


def measured(path: Path, function: str, libraries: tuple[Path, Path], size: str, options: argparse.Namespace) -> Profit:
    """Measure a function in two libraries, of a file as it is and of what is lifted."""
    name, include = f"{path.name}:{function}", (str(path.parent),)
    lifting = LiftOptions((function,), "c", include_dirs=include)
    source, threads, seconds = read_source(str(path)), options.threads, options.seconds
    try:
        found = ratio_of(source, lifting, libraries, bytes_of(size), threads=threads, seconds=seconds)
    except LiftError as refusal:
        return Profit(name, size, remark=f"{refusal.diagnostics[0].code} {refusal.diagnostics[0].message[:90]}")
    return Profit(name, size, *found)


def _files(files: Sequence[Path]) -> Iterator[Path]:
    yield from files or [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.c"))]


def _random(seeds: tuple[int, int], folder: Path) -> Iterator[Path]:
    """Write random programs, affine ones and irregular ones in turns."""
    for seed in range(seeds[0], sum(seeds)):
        path = folder / f"seed{seed}.c"
        path.write_text(random_irregular.generate(seed) if seed % 2 else generate(seed), encoding="utf-8")
        yield path


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--random", nargs=2, type=int, metavar=("FIRST", "COUNT"), help="programs of these seeds")
    parser.add_argument("--array-bytes", default="1M", help="sizes of arrays, with commas between")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2.0, help="that a function is measured for at each size")
    parser.add_argument("--bar", type=float, default=0.9)
    parser.add_argument("--all", action="store_true", help="print all")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
