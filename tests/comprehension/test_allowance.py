"""An allowance ends questions about sets that take too long, and those alone."""

from __future__ import annotations

import pytest

from tensorlift.comprehension import allowance
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.allowance import TooManyPartsError
from tensorlift.comprehension.domain import Domain, at_least


def is_inside(addends: int) -> bool:
    """Tell whether a sum of so many or more has an addend of one or more."""
    names = [f"x{k}" for k in range(addends)]
    total = sum((Affine.var(name) for name in names), Affine(0))
    return Domain.of(at_least(total, addends)).is_subset(Domain.union(Domain.of(at_least(n, 1)) for n in names))


def test_a_question_beyond_its_allowance_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowance, "_OPERATIONS", 100)
    with pytest.raises(TooManyPartsError, match="TL291"):
        is_inside(12)


def test_each_question_has_an_allowance_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as small:
        small.setattr(allowance, "_OPERATIONS", 100)
        with pytest.raises(TooManyPartsError):
            is_inside(13)
    assert all(is_inside(addends) for addends in range(2, 40))
