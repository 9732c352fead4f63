"""Irregular loops become what their comments say: a third of them, on NumPy or on one other target by turns, some run.

With ``--exhaustive`` each is lifted to all targets; ``bench/irregular.py`` does that too.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from bench.irregular import Program, outcome, programs
from tests.shared import has_turn

from tensorlift.targets import target_names

_PROGRAMS = programs()
_TURNS = [*["numpy"] * 5, *(name for name in target_names() if name != "numpy"), *[""] * 45]


def _having_turn(program: Program) -> list[str]:
    turns = [target for turn, target in enumerate(_TURNS) if has_turn(program, turn, len(_TURNS))]
    return [target for target in dict.fromkeys(turns) if target]


def test_every_target_has_what_is_expected() -> None:
    assert {str(p): set(p.expected) ^ set(target_names()) for p in _PROGRAMS} == {str(p): set() for p in _PROGRAMS}


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(
    ("program", "target"),
    [(p, t) for p in _PROGRAMS for t in _having_turn(p)],
    ids=str,
)
def test_a_target_gets_what_is_expected(program: Program, target: str) -> None:
    runs = target == "numpy" and has_turn(program, 0, len(_TURNS))
    assert outcome(program, target, test=runs) == program.expected[target]


@pytest.mark.skipif(find_spec("jax") is None, reason="XLA runs the program")
def test_xla_rounds_a_product_before_it_adds_to_it() -> None:
    (attention,) = (program for program in _PROGRAMS if str(program) == "guarded.py:attention")
    assert outcome(attention, "stablehlo", test=True) == "loop-free"
