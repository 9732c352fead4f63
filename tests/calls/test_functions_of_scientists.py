"""Functions that scientists write lift through the decorator, and do what they do, or are refused with a remedy."""

from __future__ import annotations

import pytest
from bench.call_python import Case, called, cases
from bench.python_calls import REFUSED
from bench.style import faults
from tests.shared import has_turn

_TURNS = 8
_CASES = cases()


@pytest.mark.parametrize("case", [c for c in _CASES if has_turn(c.name, 0, _TURNS)], ids=lambda case: case.name)
def test_a_function_is_lifted_or_refused_as_listed(case: Case) -> None:
    found = called(case)
    assert found.kind != "wrong", found.remark
    assert (found.remark.split()[1] if found.remark else "") == REFUSED.get(case.name, ""), found.remark
    assert not found.program or faults(found.program) == []


def test_four_in_five_lift() -> None:
    assert len(_CASES) >= 60
    assert len(REFUSED) <= 0.2 * len(_CASES)
