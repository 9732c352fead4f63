"""The functions in the manner of legacy C reach the verdicts that their first lines state, but for known gaps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

FOLDER = Path(__file__).parents[2] / "bench" / "legacy_programs"
PROGRAMS = sorted(FOLDER.glob("*.c"))
VERDICTS = ("refused", "unchanged", "hybrid", "scan", "loop-free")  # each better than the one before
GAPS = {
    "activate_by_kind": "unchanged",
    "im2col_padded": "hybrid",  # its border may be of less than no cells: pad may be negative
    "max_pool_2x2": "hybrid",
}


def _lifted(path: Path) -> FunctionRecord:
    (function,) = lift_source(read_source(str(path)), LiftOptions((path.stem,))).functions
    return function


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_reaches_its_verdict(path: Path) -> None:
    function = _lifted(path)
    expected = path.read_text().splitlines()[0].removeprefix("// expect: ")
    least = GAPS.get(path.stem, expected)
    assert VERDICTS.index(function.verdict) >= VERDICTS.index(least), function.diagnostics
    assert not any(trial.failure for trial in function.tests)
    if function.lifted:
        assert str(function.level) == "proved"
    for diagnostic in function.diagnostics:
        assert diagnostic.message


def test_at_least_ninety_are_expected_to_lift() -> None:
    refused = [path for path in PROGRAMS if path.read_text().startswith("// expect: refused")]
    gaps = [name for name, verdict in GAPS.items() if verdict == "refused"]
    assert len(PROGRAMS) - len(refused) - len(gaps) >= 90
