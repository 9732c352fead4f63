"""An allowance ends questions about sets that take too long, and those alone."""

from __future__ import annotations

import pytest

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.allowance import AllowanceSpentError, allowance
from tensorlift.comprehension.domain import Domain, at_least


def is_inside(parts: int) -> bool:
    """Tell whether a sum of ``parts`` or more has an addend of one or more."""
    names = [f"x{k}" for k in range(parts)]
    corners = Domain.union(Domain.of(at_least(name, 1)) for name in names)
    return Domain.of(at_least(sum((Affine.var(name) for name in names), Affine(0)), parts)).is_subset(corners)


def test_a_question_beyond_its_allowance_is_given_up() -> None:
    with pytest.raises(AllowanceSpentError), allowance(100):
        is_inside(12)


def test_what_stays_within_an_allowance_is_decided_and_so_is_what_comes_after_one_that_was_spent() -> None:
    with pytest.raises(AllowanceSpentError), allowance(100):
        is_inside(13)
    with allowance(1_000_000):
        assert is_inside(5)
    assert is_inside(14)
