"""Put faults into a copy of the package, one at a time, and tell which check catches each.

    python bench/seeded_faults.py [--fault N]

The checks are those that every lift and every run of the tests has:

- *claims*: functions of which source = definitions was decided no longer are.  Where both halves are still proved of
  another program, that runs against the compiled original, and must agree;
- *compiled*: literal IR no longer runs as the compiled source does, bit by bit (``bench/literal.py``);
- *corners*: a test of single operations, conversions or rules fails.

The exit status is 1 where nothing catches a fault, or a program is proved that is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent))  # behind the copy of the package

from bench.literal import read, run
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
_COLLECTIONS = (
    "bench/legacy_programs/*.c",
    "tests/programs/*.c",
    "tests/readers/constructs.c",
    "tests/frontends/agreement.c",
)
_CORNERS = [
    *(f"tests/comprehension/test_{name}.py" for name in ("rules", "machine_terms", "ranges", "terms")),
    *(f"tests/ir/test_{name}.py" for name in ("arithmetic", "interpreter", "literal_interpreter", "scalar_terms")),
    *(f"tests/targets/test_{name}.py" for name in ("conversions", "conversions_at_corners")),
]
_TIMEOUT = 900  # of a busy machine


class Fault(NamedTuple):
    """A text in a file of the package, which occurs once, and what stands there instead."""

    room: str
    what: str
    file: str
    old: str
    new: str


FAULTS = [Fault(**entry) for entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["fault"]]


def main() -> int:
    """Print a row for each fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", type=int, action="append", help="only this one, by its position")
    parser.add_argument("--worker", choices=_WORKERS, help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(_WORKERS[options.worker](options.names)))
        return 0
    lifts, runs, missed = _ask("lifts", ROOT / "src"), _ask("literal", ROOT / "src"), 0
    print("| room | fault | claims | compiled | corners |\n|---|---|---|---|---|", flush=True)
    for number, fault in enumerate(FAULTS):
        if options.fault is None or number in options.fault:
            with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
                cells = caught(fault, lifts, runs, Path(folder) / "src")
            missed += not any(cells) or "WRONG" in cells[0]
            print(f"| {fault.room} | {fault.what} | {' | '.join(cells)} |", flush=True)
    return 1 if missed else 0


def caught(fault: Fault, lifts: dict[str, str], runs: dict[str, str], copy: Path) -> tuple[str, str, str]:
    """Say what each check finds with a fault in a copy of the package; nothing where it finds nothing.

    ``lifts`` are the programs of which both halves are proved without it, ``runs`` what became of literal IR.
    """
    shutil.copytree(ROOT / "src", copy, ignore=shutil.ignore_patterns("__pycache__"))
    put(fault, copy / "tensorlift")
    now, results = _ask("lifts", copy), _ask("literal", copy)
    others = [name for name, program in now.items() if lifts.get(name) != program]
    wrong = _ask("wrong", copy, *others) if others else []
    fewer = len(lifts.keys() - now.keys())
    claims = f"WRONG: {', '.join(wrong)}" if wrong else f"{fewer} functions" if fewer else ""
    different = sum(results.get(name) != "equal" for name, result in runs.items() if result == "equal")
    return claims, f"{different} functions" if different else "", _failing_corner(copy)


def put(fault: Fault, package: Path) -> None:
    """Put a fault into a package.

    Raises:
        ValueError: where its text does not occur once.

    """
    path = package / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.old) != 1 or fault.old == fault.new:
        raise ValueError(f"{fault.what}: its text occurs {text.count(fault.old)} times in {fault.file}")
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")


def _environment(source: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}


def _ask(worker: str, source: Path, *names: str) -> Any:
    """Run a worker with the package at a place; one that fails, or does not end, answers of no function."""
    command = [sys.executable, __file__, "--worker", worker, *names]
    try:
        done = subprocess.run(
            command, env=_environment(source), capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        return {}
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}


def _failing_corner(source: Path) -> str:
    """Return the name of a test of corners that fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", *_CORNERS]
    done = subprocess.run(
        command, env=_environment(source), cwd=ROOT, capture_output=True, text=True, timeout=_TIMEOUT, check=False
    )
    if done.returncode not in {0, 1, 2}:  # 2 is for a test that cannot be loaded
        raise RuntimeError(done.stdout + done.stderr)
    failed = (line for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR ")))
    return next((line.split()[1].rpartition("::")[2].partition("[")[0] for line in failed), "")


def _paths() -> list[Path]:
    return [path for name in _COLLECTIONS for path in sorted(ROOT.glob(name))]


def _lifts(_: list[str]) -> dict[str, str]:
    """Return the programs of which both halves are proved, by file and function."""
    return {
        f"{path.name}:{function.name}": function.program
        for path in _paths()
        for function in lift_source(read_source(str(path)), LiftOptions()).functions
        if function.definitions == function.level == Level.PROVED
    }


def _wrong(names: list[str]) -> list[str]:
    """Return those functions whose programs do not agree with the compiled source."""
    wanted = {path: tuple(n.partition(":")[2] for n in names if n.startswith(f"{path.name}:")) for path in _paths()}
    return [
        function.name
        for path, functions in wanted.items()
        if functions
        for function in lift_source(read_source(str(path)), LiftOptions(functions, test=True)).functions
        if any(trial.failure for trial in function.tests if trial.against == "compiled")
    ]


def _literal(_: list[str]) -> dict[str, str]:
    """Run the literal IR of every function beside the compiled source."""
    corpus = read(_paths())
    run(corpus.subjects)
    return {f"{one.path.name}:{one.function.name}": one.result for one in corpus.subjects}


_WORKERS: dict[str, Callable[[list[str]], Any]] = {"lifts": _lifts, "wrong": _wrong, "literal": _literal}

if __name__ == "__main__":
    sys.exit(main())
