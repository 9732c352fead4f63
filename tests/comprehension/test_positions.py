"""Positions of extremes as terms: their values, their notation, and which of them are equal."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.comprehension.builders import AffineLike, idx, num, read
from tests.comprehension.evaluate import Evaluator, content

from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.notation import show
from tensorlift.comprehension.notation.parser import parse_term
from tensorlift.comprehension.places import stays_within
from tensorlift.comprehension.positions import (
    Place,
    Position,
    counted_from_zero,
    extreme_in,
    place_of,
    position_of,
    with_start,
)
from tensorlift.comprehension.terms import Apply, Reduce, Term, apply, cast, reduce
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less

N, T = Affine.var("n"), Affine.var("t")
SOME = Domain.of(at_least("n", 1))
KINDS = [(is_greatest, is_last) for is_greatest in (True, False) for is_last in (True, False)]


def between(low: AffineLike, high: AffineLike, name: str = "t") -> Domain:
    return Domain.of(at_least(name, low), less(name, high))


def position(*, is_greatest: bool = True, is_last: bool = False, low: int = 0, shift: int = 0) -> Position:
    """The place of an extreme of ``v(t + shift)`` for ``low <= t < n``; there are ties, for `content` is coarse."""
    return Position(is_greatest, is_last, "t", between(low, "n"), read("v", T + shift, dtype="i8"))


def first_greatest(name: str, high: AffineLike, subscript: AffineLike) -> Position:
    """The first place of the greatest of ``v(subscript)`` for ``0 <= name < high``."""
    return replace(position(), bound=name, domain=between(0, high, name), body=read("v", subscript, dtype="i8"))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), size=st.integers(1, 5), kind=st.sampled_from(KINDS))
def test_a_position_is_where_a_search_finds_it(seed: int, size: int, kind: tuple[bool, bool]) -> None:
    is_greatest, is_last = kind
    found = position(is_greatest=is_greatest, is_last=is_last)
    values = [content(seed, "v", (t,), "i8") for t in range(size)]
    best = max(values) if is_greatest else min(values)
    places = [t for t, value in enumerate(values) if value == best]
    assert Evaluator(seed).value(found.term, {"n": size}) == places[-1 if is_last else 0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_position_is_read_back_from_its_term_and_its_notation(kind: tuple[bool, bool]) -> None:
    term = position(is_greatest=kind[0], is_last=kind[1]).term
    for seen in (term, parse_term(show(term), {"v": "i8"}, "i64")):
        found = position_of(seen)
        assert found is not None
        assert (found.is_greatest, found.is_last) == kind
        assert extreme_in(seen) is not None


def _changed(term: Term, what: str) -> Term:
    """Return a term that is nearly a position."""
    assert isinstance(term, Reduce)
    assert isinstance(term.body, Apply)
    condition, here, nothing = term.body.args
    parts = {
        "another condition": apply("select", apply("ne", *condition.children), here, nothing),
        "another place": apply("select", condition, idx(T + 1), nothing),
        "another value for none": apply("select", condition, here, num(7, "i64")),
        "another body": apply("select", apply("eq", read("w", "t", dtype="i8"), condition.children[1]), here, nothing),
    }
    domain = between(1, "n") if what == "another domain" else term.domain
    return reduce(term.op, term.bound, domain, parts.get(what, term.body))


@pytest.mark.parametrize(
    "what", ["another condition", "another place", "another value for none", "another body", "another domain"]
)
def test_a_term_that_is_nearly_a_position_is_none(what: str) -> None:
    term = _changed(position().term, what)
    assert position_of(term) is None
    assert place_of(term) is None
    assert extreme_in(term) is None


# -- equality


def test_names_and_the_way_of_counting_do_not_matter() -> None:
    renamed = first_greatest("u", "n", "u")
    assert equal(position().term, renamed.term, SOME)
    later = first_greatest("t", N - 2, T + 2)
    assert equal(position(low=2).term, apply("add", idx(2), later.term), Domain.of(at_least("n", 3)))
    backwards = first_greatest("t", "n", N - 1 - T)
    assert equal(position(is_last=True).term, apply("sub", idx(N - 1), backwards.term), SOME)


@pytest.mark.parametrize(
    "other", [position(is_last=True), position(is_greatest=False), position(shift=1), position(low=1)]
)
def test_other_positions_differ(other: Position) -> None:
    assert not equal(position().term, other.term, Domain.of(at_least("n", 2)))


def test_a_range_that_may_be_empty_is_not_counted_from_zero() -> None:
    assert counted_from_zero(position(low=2).term, Domain.of(at_least("n", 3))) is not None
    assert counted_from_zero(position(low=2).term, SOME) is None
    assert counted_from_zero(position(low=2).term, Domain.of(at_least("n", 3), less("t", 5))) is None


# -- a start


def _with_start(found: Position, comparison: str, start: Term, place: int, rest: int = 0) -> Apply:
    chosen = Place(found, 1, Affine(rest), "i32").term
    return apply("select", apply(comparison, found.extreme, start), chosen, num(place, "i32"))


V0, V1, V2 = (read("v", k, dtype="i8") for k in range(3))
STARTED = {
    "first, before": (_with_start(position(low=1), "gt", V0, 0), position()),
    "first, its own": (_with_start(position(low=1), "gt", V1, 1), position(low=1)),
    "last, before": (_with_start(position(low=1, is_last=True), "ge", V0, 0), position(is_last=True)),
    "last, its own": (_with_start(position(low=1, is_last=True), "ge", V1, 1), position(low=1, is_last=True)),
    "least": (_with_start(position(low=1, is_greatest=False), "lt", V0, 0), position(is_greatest=False)),
}
NOT_STARTED = {
    "a tie goes to the later one": _with_start(position(low=1), "ge", V0, 0),
    "a tie goes to the earlier one": _with_start(position(low=1, is_last=True), "gt", V0, 0),
    "the wrong order": _with_start(position(low=1), "lt", V0, 0),
    "another start": _with_start(position(low=1), "gt", V2, 0),
    "another place": _with_start(position(low=1), "gt", V0, 2),
    "a place one off": _with_start(position(low=1), "gt", V0, 0, rest=1),
}
TWO = Domain.of(at_least("n", 2))


@pytest.mark.parametrize("case", STARTED)
def test_a_start_beside_the_range_is_one_more_point(case: str) -> None:
    term, whole = STARTED[case]
    expected = cast(whole.term, "i32")
    found = with_start(term, TWO, lambda left, right: equal(left, right, TWO))
    assert found is not None
    assert equal(found, expected, TWO)
    assert equal(term, expected, TWO)
    for seed in range(8):
        for size in (2, 4):
            values = [Evaluator(seed).value(each, {"n": size}) for each in (term, found, expected)]
            assert len(set(values)) == 1


@pytest.mark.parametrize("case", NOT_STARTED)
def test_any_other_start_is_none(case: str) -> None:
    term = NOT_STARTED[case]
    assert with_start(term, TWO, lambda left, right: equal(left, right, TWO)) is None
    for whole in (position(), position(is_last=True)):
        assert not equal(term, cast(whole.term, "i32"), TWO)


@pytest.mark.parametrize(("factor", "rest"), [(1, Affine(0)), (-1, N - 1), (2, Affine(3)), (3, N)])
def test_a_place_is_read_back(factor: int, rest: Affine) -> None:
    place = Place(position(), factor, rest, "i32")
    found = place_of(place.term)
    assert found is not None
    assert (found.factor, found.rest, found.dtype) == (factor, rest, "i32")
    assert equal(found.term, place.term, SOME)


POSITIVE = reduce("sum", ("t",), between(0, "n"), cast(apply("gt", read("v", "t", dtype="i8"), num(0, "i8")), "i64"))


CELL, ZERO, LAST = read("v", "i", dtype="i64"), num(0, "i64"), idx(N - 1)
UNDER = apply("select", apply("ge", CELL, idx(N)), LAST, CELL)
SEEN = apply("gt", read("v", "t", dtype="i64"), ZERO)
BACKWARDS = reduce(
    "min", ("t",), between(0, "n"), apply("select", SEEN, idx(N - 1 - Affine.var("t")), num(2**63 - 1, "i64"))
)


@pytest.mark.parametrize(
    ("place", "is_inside"),
    [
        (CELL, False),
        (UNDER, False),
        (apply("select", apply("gt", CELL, idx(N)), LAST, CELL), False),
        (apply("min", apply("max", CELL, ZERO), LAST), True),
        (apply("max", apply("min", CELL, LAST), ZERO), True),
        (apply("max", apply("min", CELL, idx(N)), ZERO), False),
        (apply("min", CELL, LAST), False),
        (apply("select", apply("lt", UNDER, ZERO), ZERO, UNDER), True),
        (apply("select", apply("lt", UNDER, num(-1, "i64")), ZERO, UNDER), False),
        (apply("select", apply("ge", CELL, idx(N)), LAST, apply("max", CELL, ZERO)), True),
        (apply("select", apply("le", apply("add", CELL, num(2, "i64")), num(1, "i64")), ZERO, UNDER), True),
        (apply("select", apply("le", apply("add", CELL, num(2, "i64")), num(0, "i64")), ZERO, UNDER), False),
        (BACKWARDS, False),
        (apply("select", reduce("any", ("t",), between(0, "n"), SEEN), BACKWARDS, LAST), True),
        (apply("select", reduce("any", ("t",), between(0, "n"), SEEN), BACKWARDS, idx(N)), False),
    ],
)
def test_conditions_and_extremes_keep_a_place_between_bounds(place: Term, *, is_inside: bool) -> None:
    assert stays_within(place, Affine(0), N - 1, SOME) is is_inside


@pytest.mark.parametrize(
    ("place", "most", "domain", "is_inside"),
    [
        (POSITIVE, N, SOME, True),
        (POSITIVE, N - 1, SOME, False),
        (POSITIVE, Affine(3), between(0, 3) & Domain.of(at_least("n", 3)), False),  # that t is another one
        (apply("add", POSITIVE, idx("i")), N + 2, between(0, 3, "i"), True),
        (apply("add", POSITIVE, idx("i")), N + 1, between(0, 3, "i"), False),
        (apply("sub", POSITIVE, idx("i")), N, between(-1, 1, "i"), False),
        (apply("sub", POSITIVE, idx("i")), N + 1, between(-1, 1, "i"), True),
    ],
)
def test_a_count_is_at_most_as_long_as_its_range(place: Term, most: Affine, domain: Domain, *, is_inside: bool) -> None:
    assert stays_within(place, Affine(0), most, domain & SOME) is is_inside
