"""Irregular loops become what their comments say: each on NumPy and on one other target by turns, some run as well."""

from __future__ import annotations

import pytest
from bench.irregular import Program, outcome, programs
from tests.shared import has_turn

from tensorlift.targets import target_names

_PROGRAMS = programs()
_OTHERS = [name for name in target_names() if name != "numpy"]


@pytest.mark.parametrize("program", _PROGRAMS, ids=str)
def test_every_target_has_what_is_expected(program: Program) -> None:
    assert set(program.expected) == set(target_names())


@pytest.mark.parametrize("program", _PROGRAMS, ids=str)
def test_numpy_gets_what_is_expected(program: Program) -> None:
    assert outcome(program, "numpy", test=has_turn(program, 0, 4)) == program.expected["numpy"]


@pytest.mark.parametrize(
    ("program", "target"),
    [(p, t) for p in _PROGRAMS for turn, t in enumerate(_OTHERS) if has_turn(p, turn, len(_OTHERS))],
    ids=str,
)
def test_another_target_gets_what_is_expected(program: Program, target: str) -> None:
    assert outcome(program, target, test=False) == program.expected[target]
