"""What is asked of isl gives its memory back, and says why there is no answer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.isl import IslError
from tensorlift.poly.variables import disjoint_parts, extreme_of, spelled, stride_of, strided, unconstrained
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable

_TIMES, _ALLOWED = 4_000, 64 << 10  # bytes: islpy lost 32 for each operand, 128,000 or more in all
_BOX = Domain.of(at_least("i", 0), less("i", "n"), less("j", "i"))
_OTHER = Domain.of(at_least("i", 2), less("i", "m"))
_BOTH = _BOX | _OTHER
_EVERY_THIRD = _BOX & strided("i", Affine(0), 3)

QUESTIONS: dict[str, Callable[[], object]] = {
    "parse": lambda: Domain.read("[n] -> { : n > 0 }"),
    "text": lambda: _BOX.text,
    "intersect": lambda: _BOX & _OTHER,
    "unite": lambda: _BOX | _OTHER,
    "subtract": lambda: _BOX - _OTHER,
    "disjoint from": lambda: _BOX.is_disjoint(_OTHER),
    "subset": lambda: _BOTH.is_subset(_BOX),
    "equal": lambda: _BOX.is_equal(_BOTH),
    "at": lambda: _BOX.at({"n": 5, "j": 1 << 70}),
    "coalesce": _BOTH.coalesce,
    "gist": lambda: _BOX.gist(_OTHER),
    "disjoint": lambda: disjoint_parts(_BOTH),
    "plain": _EVERY_THIRD.plain,
    "variables": _BOX.variables,
    "project out": lambda: _BOX.project_out("i", "j"),
    "drop": lambda: unconstrained(_BOX, "i"),
    "rename": lambda: _BOX.rename({"i": "p", "j": "q"}),
    "substitute": lambda: _BOX.substitute({"i": Affine.var("j", 2), "j": Affine.var("k") + 1}),
    "conjuncts": _BOTH.conjuncts,
    "parts": _BOTH.parts,
    "divisions": lambda: _EVERY_THIRD.has_divisions,
    "greatest": lambda: extreme_of(_BOX, "i", maximum=True),
    "stride": lambda: stride_of(_EVERY_THIRD, "i"),
    "spelled": lambda: spelled(_BOX, ("i", "j")),
    "build": lambda: Domain.of(equal("i", Affine.var("n", 3)), at_least("n", 1 << 65)),
}


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _grown_by(ask: Callable[[], object]) -> int:
    before = _resident()
    for _ in range(_TIMES):
        ask()
        SESSION.forget()
    return _resident() - before


@pytest.mark.in_turns(4)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux tells how much memory a process has now")
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_gives_its_memory_back(question: str) -> None:
    """What is lost is lost each time; other threads' memory, and pages that Linux counts late, are not."""
    assert any(_grown_by(QUESTIONS[question]) < _ALLOWED for _ in range(5))


def test_a_text_that_is_no_set_is_refused() -> None:
    with pytest.raises(IslError, match="syntax error"):
        Domain.read("[n] -> { : n >")
