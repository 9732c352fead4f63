"""Domains are sets of points: every operation is that of the sets."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.comprehension.evaluate import contains
from tests.comprehension.random_terms import Generator

from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import (
    EMPTY,
    UNIVERSE,
    Constraint,
    Domain,
    NotAffine,
    at_least,
    equal,
    less,
    parse_domain,
)
from tensorlift.poly.variables import (
    disjoint_parts,
    extreme_of,
    is_single_valued,
    spelled,
    stride_of,
    strided,
    unconstrained,
)

V = Affine.var
NAMES = ("i", "j", "n")
POINTS = [dict(zip(NAMES, values, strict=True)) for values in itertools.product(range(-2, 5), repeat=3)]
BOX = Domain.box(("i", "j"), (V("n"), V("n") + 1))


def members(domain: Domain) -> set[int]:
    return {number for number, point in enumerate(POINTS) if contains(domain, point)}


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    generator = Generator(Random(draw(st.integers(0, 1 << 32))))
    first, second = (generator.domain(NAMES) for _ in range(2))
    return draw(st.sampled_from([first, first & second, first | second, first - second]))


@settings(deadline=None)
@given(domains(), domains())
def test_set_algebra(a: Domain, b: Domain) -> None:
    x, y = members(a), members(b)
    assert members(a & b) == x & y
    assert members(a | b) == x | y
    assert members(a - b) == x - y
    assert members(a.complement()) == set(range(len(POINTS))) - x
    assert members(a.coalesce()) == members(a.pruned()) == members(disjoint_parts(a)) == x
    assert members(a.gist(b) & b) == x & y
    if a.is_subset(b):
        assert x <= y
    if a.is_disjoint(b):
        assert not x & y
    if a.is_equal(b):
        assert x == y


@settings(deadline=None)
@given(domains(), st.integers(0, 1 << 32))
def test_substitution_takes_the_preimage(a: Domain, seed: int) -> None:
    generator = Generator(Random(seed))
    values = {"i": generator.affine(NAMES), "j": generator.affine(NAMES)}
    image = a.substitute(values)
    for point in POINTS[::7]:
        inner = {**point, **{name: value.evaluate(point) for name, value in values.items()}}
        assert contains(image, point) == contains(a, inner)


@settings(deadline=None)
@given(domains())
def test_domains_are_read_as_they_are_spelled(a: Domain) -> None:
    assert parse_domain(str(a)).is_equal(a)
    assert parse_domain(spelled(a, ("i",))).is_equal(a)


@settings(deadline=None)
@given(domains())
def test_parts_and_equalities(a: Domain) -> None:
    found = set().union(*(members(part) for part in a.parts()))
    assert found == members(a)
    for equality in a.equalities():
        assert all(equality.evaluate(point) == 0 for point in POINTS if contains(a, point))


def test_a_stride_hides_no_equality() -> None:
    odd = strided("j", Affine(1), 2) & Domain.of(equal("i", V("j") + 1), at_least("j", 0))
    assert odd.equalities() in ([V("i") - V("j") - 1], [V("j") - V("i") + 1])
    assert odd.has_divisions
    assert stride_of(odd.project_out("i"), "j") == (Affine(1), 2)
    assert stride_of(BOX, "i") is None
    assert not BOX.has_divisions


@settings(deadline=None)
@given(domains(), domains(), st.integers(0, 1 << 32))
def test_equalities_known_by_construction_hold(a: Domain, b: Domain, seed: int) -> None:
    generator = Generator(Random(seed))
    known = a & Domain.of(equal(generator.affine(NAMES), generator.affine(NAMES)), equal("k", "i"))
    shifted = known.substitute({"i": V("j") + 1, "j": V("i")})
    made = [known, known.rename({"i": "m"}), shifted, known.project_out("i", "j"), known - b, known | b, known.gist(b)]
    made += [
        known.coalesce(),
        unconstrained(known, "k"),
        known.complement(),
        *known.parts(),
        shifted & known,
        known.at({"i": 1}),
    ]
    for domain in made:
        assert all((domain - Domain.of(Constraint(zero, is_equality=True))).is_empty() for zero in domain.zeros)
    assert known.vanishes(V("k") - V("i"))
    assert known.implies(equal("k", "i"))


def test_large_numbers_come_out_of_isl_whole() -> None:
    far = equal("i", 3 << 60)
    assert Domain.of(far).conjuncts() == [[far]]


@pytest.mark.parametrize("number", [(1 << 63) - 1, 1 << 63, -(1 << 63), -(1 << 63) - 1, 5 << 70])
def test_large_numbers_go_into_isl_whole(number: int) -> None:
    domain = Domain.of(equal("i", number), at_least("j", Affine.var("i", number)))
    assert domain.implies(at_least("i", number), less("i", number + 1), at_least("j", number * number))
    assert not domain.implies(at_least("i", number + 1))


def test_emptiness_is_for_all_values_of_the_variables() -> None:
    assert Domain.of(less("i", 0), at_least("i", 0)).is_empty()
    assert not BOX.is_empty()
    assert EMPTY.is_empty()
    assert not UNIVERSE.is_empty()
    assert Domain.of(equal(V("i") * 2, V("j") * 2 + 1)).is_empty()


def test_projecting_out_keeps_what_a_value_implies() -> None:
    assert BOX.project_out("i").implies(at_least("n", 1))
    assert not unconstrained(BOX, "i").implies(at_least("n", 1))
    assert BOX.project_out("k") is BOX
    assert not BOX.project_out("i").mentions("i")


def test_renaming_and_variables() -> None:
    renamed = BOX.rename({"i": "k", "absent": "l"})
    assert set(renamed.variables()) == {"k", "j", "n"}
    assert renamed.mentions("k")
    assert not renamed.mentions("i")


def test_variables_are_exchanged_at_once() -> None:
    triangle = Domain.of(less("i", "j"))
    assert triangle.substitute({"i": V("j"), "j": V("i")}).is_equal(Domain.of(less("j", "i")))


def test_extremes() -> None:
    triangle = BOX & Domain.of(at_least("i", "j"))
    assert extreme_of(triangle, "j", maximum=True)[0][1] == V("i")
    assert extreme_of(triangle, "i", maximum=True)[0][1] == V("n") - 1
    assert extreme_of(triangle, "i", maximum=False)[0][1] == V("j")
    with pytest.raises(NotAffine):
        extreme_of(Domain.of(at_least("n", V("i") * 2), at_least("i", 0)), "i", maximum=True)


def test_single_values() -> None:
    diagonal = BOX & Domain.of(equal("i", "j"))
    assert is_single_valued(diagonal, "i")
    assert not is_single_valued(BOX, "i")
    assert not is_single_valued(BOX, "k")


def test_strides_from_variables_of_any_name() -> None:
    points = strided("i", Affine.var("t"), 2) & Domain.of(at_least("i", 3), less("i", 5), at_least("t", 0))
    assert not points.at({"t": 1, "i": 3}).is_empty()
    assert points.at({"t": 1, "i": 4}).is_empty()


def test_strides() -> None:
    even = strided("i", Affine(0), 2)
    assert [p for p in range(-2, 5) if contains(even, {"i": p})] == [-2, 0, 2, 4]
    assert strided("i", Affine(0), 1) is UNIVERSE
    with pytest.raises(NotAffine):
        even.conjuncts()


def test_points_with_given_values() -> None:
    assert BOX.at({"n": 0}).is_empty()
    assert BOX.at({"n": 2, "i": 1}).is_equal(
        Domain.of(equal("n", 2), equal("i", 1), at_least("j", 0), at_least(2, "j"))
    )


@pytest.mark.parametrize(
    ("constraint", "text"),
    [
        (at_least("i", 0), "i >= 0"),
        (less("i", "n"), "n >= i + 1"),
        (Constraint(V("i") - V("j"), is_equality=True), "i == j"),
    ],
)
def test_constraints_are_spelled_with_positive_terms(constraint: Constraint, text: str) -> None:
    assert str(constraint) == text


def test_unions_and_identity() -> None:
    halves = [Domain.of(less("i", 0)), Domain.of(at_least("i", 0))]
    assert Domain.union(halves).is_equal(UNIVERSE)
    assert Domain.union([]).is_empty()
    assert Domain.of(at_least("i", 0)) is Domain.of(at_least("i", 0))
    assert BOX & UNIVERSE is BOX
    assert str(UNIVERSE) == "true"
