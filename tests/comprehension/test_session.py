"""Caches of sets end with the function that is lifted."""

from __future__ import annotations

import gc

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.session import SESSION, Session
from tensorlift.source import source_from_text


def _box() -> Domain:
    return Domain.of(at_least("i", 0), less("i", "n"), at_least("n", 1))


def test_results_are_kept_until_they_are_forgotten() -> None:
    session = Session()
    asked: list[object] = []

    @session.cached
    def once(value: int) -> int:
        asked.append(value)
        return value

    @session.cached_by_identity
    def together(left: list[int], right: list[int]) -> int:
        asked.append((left, right))
        return len(left) + len(right)

    one, other = [1], [1]
    assert [once(3), once(3), together(one, other), together(one, other)] == [3, 3, 2, 2]
    assert len(asked) == 2
    assert together(other, one) == together(one, one) == 2
    assert len(asked) == 4, "equal objects are not the same object"
    session.forget()
    assert [once(3), together(one, other)] == [3, 2]
    assert len(asked) == 6


def test_what_is_printed_does_not_depend_on_earlier_functions() -> None:
    SESSION.restart()
    alone = str(_box())
    before = _box()
    before.is_equal(Domain.of(less("i", "n"), at_least("i", 0)))  # isl drops what is redundant, in place
    SESSION.restart()
    assert str(_box()) == alone
    assert _box() is not before
    assert _box() is _box()


def test_nothing_of_a_lift_outlives_it() -> None:
    source = "void f{0}(int n, double x[n], double y[n]) {{ for (int i = 0; i < n; i++) y[i] += {0} * x[i]; }}"
    counts: list[int] = []
    for number in range(2, 7):
        lift_source(source_from_text(source.format(number), "f.c"), LiftOptions())
        if not counts:
            gc.freeze()  # what other tests left is not looked at
        gc.collect()
        counts.append(sum(isinstance(one, Domain) for one in gc.get_objects()))
    gc.unfreeze()
    assert counts[1:] == [counts[1]] * (len(counts) - 1)
