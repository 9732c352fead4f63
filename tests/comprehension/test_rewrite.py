"""Rewriting keeps the meaning, and tells where each read is evaluated."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.comprehension.builders import add, box, mul, num, read, total
from tests.comprehension.evaluate import Evaluator
from tests.comprehension.evaluate import contains as holds
from tests.comprehension.pairs import BOX, POINTS
from tests.comprehension.random_terms import DTYPES, Generator

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import (
    contains,
    lookup,
    map_reads,
    rebuild,
    restrict_pieces,
    simplified,
    substitute,
    visit_reads,
    walk,
)
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term, apply
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain, at_least, equal, less

V = Affine.var


def random_term(seed: int) -> tuple[Generator, Term]:
    generator = Generator(Random(seed))
    return generator, generator.term(generator.random.choice(DTYPES), 3, ("i", "j"))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 1 << 32))
def test_substitution_evaluates_at_the_substituted_point(seed: int) -> None:
    generator, term = random_term(seed)
    values = {"i": generator.affine(("i", "j")), "j": generator.affine(("i", "j"))}
    moved = substitute(term, values)
    evaluator = Evaluator(seed)
    for point in POINTS[::5]:
        inner = {**point, **{name: value.evaluate(point) for name, value in values.items()}}
        assert evaluator.value(moved, point) == evaluator.value(term, inner)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(0, 1 << 32))
def test_rebuilding_simplifies_without_changing_values(seed: int) -> None:
    _, term = random_term(seed)

    def again(node: Term) -> Term:
        # Every cell becomes one, so that every node above it is built anew, some of them simplified.
        if node.children:
            return rebuild(node, again)
        return terms.constant(1, node.dtype) if isinstance(node, Read) and node.dtype != "bool" else node

    rebuilt = again(term)
    plain = _ones(term)
    evaluator = Evaluator(seed)
    for point in POINTS[::5]:
        assert evaluator.value(rebuilt, point) == evaluator.value(plain, point)


def _ones(node: Term) -> Term:
    """Replace cells by one, building without simplification."""
    if isinstance(node, Read) and node.dtype != "bool":
        return terms.constant(1, node.dtype)
    if isinstance(node, Apply):
        return apply(node.op, *map(_ones, node.args), dtype=node.dtype)
    if isinstance(node, Reduce):
        return terms.reduce(node.op, node.bound, node.domain, _ones(node.body))
    if isinstance(node, terms.Piecewise):
        return terms.piecewise((d, _ones(t)) for d, t in node.pieces)
    return node


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 1 << 32))
def test_reads_are_visited_with_the_points_where_they_are_evaluated(seed: int) -> None:
    _, term = random_term(seed)
    seen: list[tuple[Read, Domain]] = []
    visit_reads(term, BOX, lambda found, where: seen.append((found, where)))
    assert {found.array for found, _ in seen} <= term.reads
    for _, where in seen:
        assert where.is_subset(BOX)


def test_substitution_captures_no_name() -> None:
    term = total("k", 0, "n", read("A", "i", "k"))
    moved = substitute(term, {"i": V("k")})
    assert isinstance(moved, Reduce)
    assert moved.bound != ("k",)
    assert moved.free == {"k", "n"}


def test_substitution_leaves_terms_without_the_variables_alone() -> None:
    term = total("k", 0, "n", read("A", "i", "k"))
    assert substitute(term, {"k": V("j"), "z": V("i")}) is term


A, ZERO, ONE = read("A", "i"), num(0), num(1)


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        ("add", (A, ZERO), A),
        ("add", (ZERO, A), A),
        ("sub", (A, ZERO), A),
        ("mul", (A, ONE), A),
        ("mul", (ONE, A), A),
        ("div", (A, ONE), A),
        ("select", (terms.constant(1, "bool"), A, ZERO), A),
        ("select", (terms.scalar("c", "bool"), A, A), A),
        ("sub", (ZERO, A), apply("sub", ZERO, A)),
        ("mul", (A, ZERO), apply("mul", A, ZERO)),
    ],
)
def test_neutral_operands_are_dropped(op: str, args: tuple[Term, ...], expected: Term) -> None:
    assert simplified(op, args) is expected


def test_a_neutral_operand_of_another_type_stays() -> None:
    narrow = read("B", "i", dtype="i8")
    assert simplified("add", (narrow, num(0, "i64"))).dtype == "i64"


def test_a_condition_inside_an_arm_is_decided() -> None:
    c = terms.scalar("c", "bool")
    assert simplified("select", (c, apply("select", c, A, ZERO), ONE)) is apply("select", c, A, ONE)


def test_reads_are_replaced_in_the_range_of_their_fold() -> None:
    term = add(total("k", 0, "n", read("A", "k")), read("A", "i"))
    domains: list[Domain] = []

    def convert(found: Read, where: Domain) -> Term:
        domains.append(where)
        return read("B", *found.indices)

    assert map_reads(term, box(i="n"), convert) is add(total("k", 0, "n", read("B", "k")), read("B", "i"))
    assert any(where.implies(at_least("k", 0), less("k", "n")) for where in domains)


def test_pieces_outside_the_domain_are_dropped() -> None:
    low, high = Domain.of(less("i", 3)), Domain.of(at_least("i", 3))
    assert restrict_pieces([(low, A), (high, ONE)], Domain.of(equal("i", 1))) is A
    with pytest.raises(ValueError, match="no piece covers the domain"):
        restrict_pieces([(low, A)], Domain.of(equal("i", 5)))
    assert restrict_pieces([(low, A)], EMPTY) is A


def test_every_node_is_walked_once() -> None:
    shared = mul(A, A)
    nodes = list(walk(add(shared, shared)))
    assert nodes == [add(shared, shared), shared, A]
    assert contains(add(shared, shared), Read)
    assert not contains(shared, Reduce)


def test_looking_up_a_point_cuts_the_domain() -> None:
    pieces = [(Domain.of(less("x", "m")), read("A", "x")), (Domain.of(at_least("x", "m")), ONE)]
    found = lookup(pieces, {"x": V("i") + 1}, box(i="n"), ZERO)
    evaluator = Evaluator(0)
    for point in POINTS:
        expected = read("A", V("i") + 1) if point["i"] + 1 < point["m"] else ONE
        assert evaluator.value(found, point) == evaluator.value(expected, point)
    below = Domain.of(less(V("i") + 1, "m"))
    assert lookup(pieces, {"x": V("i") + 1}, below, ZERO) is read("A", V("i") + 1)
    gap = lookup(pieces[:1], {"x": V("i")}, UNIVERSE, ZERO)
    assert isinstance(gap, terms.Piecewise)
    assert holds(gap.pieces[1][0], {"i": 3, "m": 2})
    assert gap.pieces[1][1] is ZERO
