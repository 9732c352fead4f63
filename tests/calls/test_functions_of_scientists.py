"""Functions that scientists write lift through the decorator, and do what they do, or are refused with a remedy."""

from __future__ import annotations

import pytest
from bench import fuzz_arrays
from bench.call_python import Case, called, cases
from bench.python_calls import REFUSED
from bench.style import faults
from tests.shared import has_turn, sampled

_TURNS = 8
_CASES = cases()


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("case", [c for c in _CASES if has_turn(c.name, 0, _TURNS)], ids=lambda case: case.name)
def test_a_function_is_lifted_or_refused_as_listed(case: Case) -> None:
    found = called(case)
    assert found.kind != "wrong", found.remark
    assert (found.remark.split()[1] if found.remark else "") == REFUSED.get(case.name, ""), found.remark
    assert not found.program or faults(found.program) == []


def test_four_in_five_lift() -> None:
    assert len(_CASES) >= 60
    assert len(REFUSED) <= 0.2 * len(_CASES)


def test_random_functions_on_whole_arrays_have_no_fault() -> None:
    found = {seed: fuzz_arrays.run(seed) for seed in range(sampled(12, 400))}
    assert {seed: outcome.fault for seed, outcome in found.items() if outcome.fault} == {}
    assert sum("proved" in outcome.kind for outcome in found.values()) >= 0.6 * len(found)
