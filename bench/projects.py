"""What becomes of whole projects in C: ``python bench/projects.py [--rounds N] [--keep FOLDER] [NAME..]``.

Each folder of ``bench/projects`` has a Makefile whose ``make`` makes ``program`` of all files in C that stand there, by
``CC``, ``CFLAGS`` and ``LDLIBS``.  Without input, ``program`` prints figures that do not depend on the order of sums,
and on standard error lines ``time: PART SECONDS``.  A copy is scanned, its files are rewritten in place, or made
libraries by ``tensorlift build`` where they have no ``main``, all by the documented commands; then it is made again.

Printed are how much lifts, warnings (``-Wall``) that only the rewritten project has, whether the output is the same,
and for the whole and each part, run in turns with the original, seconds of the original, the median of the ratios, and
the bound that it lies above, as sure as 97 %.  The exit status is 1 where there is a new warning or another output, or
where the bound of the whole is below ``--bar``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script, only bench/ would be searched

from tensorlift.commands.measured import ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROJECTS = Path(__file__).resolve().parent / "projects"
_WARNING = re.compile(r"(?:warning|error): .*")
_PART = re.compile(r"^time: (.+) (\S+)$", re.MULTILINE)
_MAIN = re.compile(r"^int main\(|^main\(", re.MULTILINE)
_TENSORLIFT = (sys.executable, "-m", "tensorlift")
_SHORT = 0.01  # seconds that say little
_COMMANDS = "compile_commands.json"


@dataclass
class Made:
    """A project that was made: its folder, with ``program`` in it, what the compiler said, and times as they come."""

    folder: Path
    warnings: Counter[str] = field(default_factory=Counter)
    output: str = ""
    seconds: dict[str, list[float]] = field(default_factory=dict)

    def run(self, threads: int) -> None:
        """Run the program once more, and note what it took, as a whole and each part."""
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        start = time.perf_counter()
        done = subprocess.run(
            ["./program"],
            cwd=self.folder,
            env={**os.environ, **dict.fromkeys(names, str(threads)), "OMP_WAIT_POLICY": "passive"},
            check=True,
            capture_output=True,
            text=True,
        )
        self.seconds.setdefault("all", []).append(time.perf_counter() - start)
        for part, seconds in _PART.findall(done.stderr):
            self.seconds.setdefault(part, []).append(float(seconds))
        self.output = done.stdout


def main() -> int:
    """Run the command line."""
    options = _arguments()
    names = options.names or sorted(path.parent.name for path in PROJECTS.glob("*/Makefile"))
    fine = True
    with tempfile.TemporaryDirectory() as temporary:
        for name in names:
            fine &= _tried(name, (options.keep or Path(temporary)) / name, options)
    return 0 if fine else 1


def _tried(name: str, place: Path, options: argparse.Namespace) -> bool:
    """Print what becomes of a project; tell whether that is fine."""
    shutil.rmtree(place, ignore_errors=True)
    original = copied(name, place / "original")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in original.glob("*.[ch]"))
    print(f"{name}: {lines} lines, {scanned(original)}", flush=True)
    flags = flags_of(original)
    before = made(original, flags, "-lm")
    fine = True
    for how, folder, more in (
        ("in place", rewritten(copied(name, place / "in-place")), ()),
        ("in place, -fopenmp", copied_as(place / "in-place", place / "openmp"), ("-fopenmp",)),
        ("build", copied(name, place / "build"), ()),
    ):
        if more and more[0] in flags:
            continue
        after = with_libraries(folder, flags) if how == "build" else made(folder, [*flags, *more], "-lopenblas -lm")
        new = after.warnings - before.warnings
        for warning, count in sorted(new.items()):
            print(f"  {how}: {count} times: {warning}")
        fine &= not new
        for threads in (1, 2):
            fine &= _compared(before, after, f"{how}, threads: {threads}", threads, options)
    return fine


def _compared(before: Made, after: Made, how: str, threads: int, options: argparse.Namespace) -> bool:
    """Run two programs in turns, and print how they compare; tell whether that is fine."""
    before.seconds, after.seconds = {}, {}
    bound = 0.0
    for turn in range(options.rounds):
        for one in (before, after) if turn % 2 else (after, before):
            one.run(threads)
    same = before.output == after.output
    print(f"  {how}{'' if same else ', ANOTHER OUTPUT'}")
    for part, seconds in before.seconds.items():
        median, below = ratio(seconds, after.seconds[part])
        bound = below if part == "all" else bound
        middle = sorted(seconds)[len(seconds) // 2]
        if middle < _SHORT:
            continue
        print(f"    {part:24}{middle:8.3f} s{median:8.2f} {below:8.2f}", flush=True)
    return same and bound >= options.bar


def copied(name: str, folder: Path) -> Path:
    """Copy a project to a folder, with what a build would tell of itself."""
    copied_as(PROJECTS / name, folder)
    commands = [
        {"directory": str(folder), "file": path.name, "arguments": ["cc", *flags_of(folder), "-c", path.name]}
        for path in _sources(folder)
    ]
    (folder / _COMMANDS).write_text(json.dumps(commands), encoding="utf-8")
    return folder


def copied_as(original: Path, folder: Path) -> Path:
    """Copy a folder to where none is."""
    return Path(shutil.copytree(original, folder, ignore=shutil.ignore_patterns("program", "*.o")))


def flags_of(folder: Path) -> list[str]:
    """Read the flags in a Makefile."""
    found = re.search(r"^CFLAGS *[?:]?= *(.*)$", (folder / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return shlex.split(found[1]) if found else []


def scanned(folder: Path) -> str:
    """Scan a project; say what lifts."""
    said = subprocess.run(
        [
            *_TENSORLIFT,
            "scan",
            ".",
            "-p",
            _COMMANDS,
            "--to",
            "c",
            "--no-times",
            "-o",
            "record.jsonl",
            "--html",
            "scan.html",
        ],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return next((line for line in said.stdout.splitlines() if "with loops" in line), "no loops")


def rewritten(folder: Path, only: Sequence[str] = ()) -> Path:
    """Rewrite the files of a project, or only some of them, in place; keep beside each what was said."""
    for path in _sources(folder):
        if not only or path.name in only:
            said = subprocess.run(
                [*_TENSORLIFT, "lift", path.name, "--in-place", "-p", _COMMANDS],
                cwd=folder,
                check=False,
                capture_output=True,
                text=True,
            )
            assert said.returncode in {0, 1}, said.stderr
            path.with_suffix(".txt").write_text(said.stdout + said.stderr, encoding="utf-8")
    return folder


def made(folder: Path, flags: Sequence[str], libraries: str) -> Made:
    """Let ``make`` make a project."""
    assignments = [f"CFLAGS={shlex.join(flags)} -Wall", f"LDLIBS={libraries}"]
    return Made(folder, _said(["make", "-B", *assignments], folder))


def with_libraries(folder: Path, flags: Sequence[str]) -> Made:
    """Make libraries of the files that have no ``main``, and a program that is linked with them."""
    objects = []
    warnings = Counter[str]()
    for path in _sources(folder):
        if _MAIN.search(path.read_text(encoding="utf-8")):
            objects.append(path.name)
        else:
            library = path.with_suffix(".so").name
            command = [*_TENSORLIFT, "build", path.name, "-o", library, "-p", _COMMANDS]
            subprocess.run(command, cwd=folder, check=False, capture_output=True)
            objects.append(f"./{library}")
    warnings += _said(
        ["cc", *flags, "-Wall", "-Wl,--no-as-needed", *objects, "-o", "program", "-lopenblas", "-lm"], folder
    )
    return Made(folder, warnings)


def _said(command: Sequence[str], folder: Path) -> Counter[str]:
    """Run a command that compiles; count its warnings."""
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return Counter(_WARNING.findall(done.stderr))


def _sources(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.glob("*.c"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--bar", type=float, default=0.95)
    parser.add_argument("--keep", type=Path, help="leave the projects, as they became, in this folder")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
