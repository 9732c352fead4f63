"""What is shown of the signs of polynomials, and what it takes."""

from __future__ import annotations

import pytest

from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Constraint, Domain
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.proofs.source.integers import is_nonnegative


def _left(names: str) -> tuple[Polynomial, Domain, list[Polynomial]]:
    """Return how many cells of an array come behind one of them, the box of its indices, and the extents."""
    sizes = [Polynomial.variable(name) for name in names]
    indices = [f"i{name}" for name in names]
    box = Domain.box(indices, [Affine.var(name) for name in names])
    flat, cells = ZERO, ONE
    for index, size in zip(indices, sizes, strict=True):
        flat, cells = flat * size + Polynomial.variable(index), cells * size
    return cells - flat - ONE, box, sizes


def test_a_cell_is_inside_of_an_array_of_five_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Constraint, ...]] = []
    implies = Domain.implies

    def counted(self: Domain, *constraints: Constraint) -> bool:
        asked.append(constraints)
        return implies(self, *constraints)

    monkeypatch.setattr(Domain, "implies", counted)
    left, box, extents = _left("abcde")
    assert is_nonnegative(left, box, extents)
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("names", ["ab", "abcd", "abcdefg"])
def test_what_may_be_below_zero_is_not_shown_and_takes_no_age(names: str) -> None:
    left, box, extents = _left(names)
    assert not is_nonnegative(left - ONE, box, extents)
