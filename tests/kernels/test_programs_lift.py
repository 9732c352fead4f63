"""The programs that users try: none is lifted wrongly, and none gets a worse verdict than it had.

``tests/programs/verdicts.json`` holds what each one reaches; the first line of each program states the best that it may
reach.  ``pytest --update`` refreshes the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from bench.kernels import native
from tests.shared import has_turn

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import read_source

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

_FOLDER = Path(__file__).parents[1] / "programs"
_REACHED = _FOLDER / "verdicts.json"
_PROGRAMS = sorted(_FOLDER.glob("*.c"))
_BEST_FIRST = list(Verdict)


def _reached() -> dict[str, str]:
    table: dict[str, str] = json.loads(_REACHED.read_text(encoding="utf-8")) if _REACHED.exists() else {}
    return table


def _lift(path: Path) -> FunctionRecord | None:
    options = LiftOptions((path.stem,), test=native.compiler() is not None and has_turn(path.stem, 0, 3))
    record = lift_source(read_source(str(path)), options)
    assert not [d for d in record.all_diagnostics if d.code.startswith("TL9")]
    return record.functions[0] if record.functions else None


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("path", _PROGRAMS, ids=lambda path: path.stem)
def test_program_is_not_lifted_wrongly_and_reaches_what_it_reached(path: Path, update: bool) -> None:  # noqa: FBT001 - a fixture
    function = _lift(path)
    verdict = function.verdict if function else Verdict.REFUSED
    if function and function.lifted:
        assert function.level is Level.PROVED
        assert all(trial.passed for trial in function.tests)
    if update:
        table = {**_reached(), path.stem: str(verdict)}
        _REACHED.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert _BEST_FIRST.index(verdict) <= _BEST_FIRST.index(Verdict(_reached()[path.stem]))


def test_the_table_names_each_program_once() -> None:
    assert sorted(_reached()) == [path.stem for path in _PROGRAMS]
