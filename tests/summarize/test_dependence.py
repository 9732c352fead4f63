"""Dependences agree with what a run of the loop would show, whether subscripts alone decide them or isl does."""

from __future__ import annotations

from itertools import product

import pytest

from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.summarize.dependence import Access, Conflict

I = affine("i")  # noqa: E741 - the loop variable
SIZE = 9
ITERATIONS = Domain.of(at_least("i", 0), less("i", SIZE))
SUBSCRIPTS = [I, I + 2, I - 3, 2 * I, 2 * I + 1, 2 * I - 4, -I, 8 - I, Affine(3), I + 20]


def access(*indices: Affine, writes: bool = False) -> Access:
    return Access("a", indices, writes, ITERATIONS, ("i",), None)


def meetings(first: Affine, second: Affine) -> set[tuple[int, int]]:
    """Return the pairs of iterations whose accesses touch one cell."""
    pairs = product(range(SIZE), repeat=2)
    return {(p, q) for p, q in pairs if first.evaluate({"i": p}) == second.evaluate({"i": q})}


@pytest.mark.parametrize("first", SUBSCRIPTS, ids=str)
@pytest.mark.parametrize("second", SUBSCRIPTS, ids=str)
def test_conflicts_are_those_of_a_run(first: Affine, second: Affine) -> None:
    conflict = Conflict(access(first, writes=True), access(second), "i")
    later = {q - p for p, q in meetings(first, second) if q > p}
    assert conflict.forward() == bool(later)
    assert conflict.within() == any(p == q for p, q in meetings(first, second))
    if later:
        assert conflict.distance() == (later.pop() if len(later) == 1 else None)


def test_one_pair_of_subscripts_decides() -> None:
    conflict = Conflict(access(I, I + 1, writes=True), access(I, I), "i")
    assert not conflict.forward()
    assert not conflict.within()
