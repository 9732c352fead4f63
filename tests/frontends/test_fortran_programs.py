"""The Fortran programs reach the verdicts that stand before them, proved, and equal what gfortran makes of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.shared import has_turn

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source

pytest.importorskip("fparser")
FOLDER = Path(__file__).parents[2] / "bench" / "fortran_programs"
FILES = sorted([*FOLDER.glob("*.f90"), *FOLDER.glob("*.f")])
VERDICTS = ("refused", "unchanged", "hybrid", "scan", "loop-free")  # each better than the one before
_EXPECTED = re.compile(
    r"^ *[!*] *expect: (.+)\n(?:.*\n)*?.*?\b(?:subroutine|function) +(\w+)", re.MULTILINE | re.IGNORECASE
)

COMPILER = shutil.which("gfortran")
PROGRAMS = {
    name.lower(): (path, verdict.strip())
    for path in FILES
    for verdict, name in _EXPECTED.findall(path.read_text(encoding="utf-8"))
}


@pytest.mark.in_turns(12)
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_reaches_its_verdict_and_equals_its_original(name: str) -> None:
    path, expected = PROGRAMS[name]
    runs = COMPILER is not None and has_turn(name, 0, 2)
    (function,) = lift_source(read_source(str(path)), LiftOptions((name,), test=runs)).functions
    verdict, _, code = expected.partition(" ")
    assert function.verdict == verdict, function.diagnostics
    assert all(trial.passed for trial in function.tests)
    if verdict == "refused":
        assert [diagnostic.code for diagnostic in function.diagnostics][:1] == [code]
        return
    assert function.level is function.definitions is Level.PROVED, function.undecided
    assert len(function.tests) == 1 + runs


def test_each_procedure_states_its_verdict() -> None:
    stated = sum(path.read_text(encoding="utf-8").lower().count("expect:") for path in FILES)
    assert stated == len(PROGRAMS)
    assert {verdict.partition(" ")[0] for _, verdict in PROGRAMS.values()} <= set(VERDICTS)
