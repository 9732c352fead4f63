"""What a first look sees: names of bound variables, order and grouping of operands, equalities of the context."""

from __future__ import annotations

import functools

import pytest
from tests.comprehension.builders import add, box, idx, mul, read, sub, total

from tensorlift.comprehension import terms
from tensorlift.comprehension.normal import alike
from tensorlift.comprehension.terms import Term, apply
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less

V = Affine.var
A, B, C = (read(name, "i") for name in "ABC")
POINTS = box(i="n", j="n")
DIAGONAL = POINTS & Domain.of(equal("i", "j"))

LOW, HIGH = Domain.of(less("k", 5)), Domain.of(at_least("k", 5))


def neg(term: Term) -> Term:
    return apply("neg", term)


def greatest(*operands: Term) -> Term:
    return functools.reduce(lambda left, right: apply("max", left, right), operands)


def row_sum(row: str, bound: str) -> Term:
    return total(bound, 0, "n", read("M", row, bound))


def sum_of(bound: str, operand: Term) -> Term:
    return total(bound, 0, "n", operand)


SEEN = {
    "names": (row_sum("i", "k"), row_sum("i", "l"), POINTS),
    "order": (add(A, B), add(B, A), POINTS),
    "grouping": (add(add(A, B), C), add(C, add(B, A)), POINTS),
    "signs": (sub(A, sub(B, C)), add(neg(B), add(C, A)), POINTS),
    "factors": (mul(mul(A, B), A), mul(A, mul(A, B)), POINTS),
    "grouping of a maximum": (greatest(A, B, C), greatest(C, greatest(B, A)), POINTS),
    "selected maximum": (apply("select", apply("gt", A, B), A, B), greatest(B, A), POINTS),
    "selected minimum": (apply("select", apply("ge", A, B), B, A), apply("min", A, B), POINTS),
    "factor before a sum": (mul(A, row_sum("i", "k")), sum_of("k", mul(A, read("M", "i", "k"))), POINTS),
    "sign before a sum": (sub(A, row_sum("i", "k")), add(A, sum_of("k", neg(read("M", "i", "k")))), POINTS),
    "sum of sums": (
        sub(sum_of("k", mul(B, read("M", "i", "k"))), row_sum("j", "k")),
        sum_of("l", sub(mul(read("M", "i", "l"), B), read("M", "j", "l"))),
        POINTS,
    ),
    "the piece that applies": (terms.piecewise([(DIAGONAL, A), (POINTS - DIAGONAL, B)]), A, DIAGONAL),
    "equality": (read("M", "i", "j"), read("M", "j", "i"), DIAGONAL),
    "equality of a value": (idx("i"), idx("j"), DIAGONAL),
    "equality inside a fold": (row_sum("i", "k"), row_sum("j", "l"), DIAGONAL),
}
NOT_SEEN = {
    "sign": (sub(A, B), sub(B, A), POINTS),
    "how often": (add(add(A, A), B), add(add(A, B), B), POINTS),
    "minimum for maximum": (apply("select", apply("lt", A, B), A, B), greatest(A, B), POINTS),
    "selection of something else": (apply("select", apply("gt", A, B), A, C), greatest(A, B), POINTS),
    "factor that is none": (mul(A, row_sum("i", "k")), sum_of("k", mul(B, read("M", "i", "k"))), POINTS),
    "factor that changes": (
        mul(read("A", "k"), row_sum("i", "k")),
        sum_of("k", mul(read("A", "k"), read("M", "i", "k"))),
        POINTS,
    ),
    "sign of a part": (row_sum("i", "k"), sum_of("k", neg(read("M", "i", "k"))), POINTS),
    "factor before a maximum": (
        mul(A, terms.reduce("max", ("k",), box(k="n"), read("M", "i", "k"))),
        terms.reduce("max", ("k",), box(k="n"), mul(A, read("M", "i", "k"))),
        POINTS,
    ),
    "another piece": (terms.piecewise([(DIAGONAL, A), (POINTS - DIAGONAL, B)]), B, DIAGONAL),
    "several pieces": (terms.piecewise([(DIAGONAL, A), (POINTS - DIAGONAL, B)]), A, POINTS),
    "a piece for some points of a fold": (
        sum_of("k", terms.piecewise([(LOW, A), (HIGH, B)])),
        sum_of("k", A),
        POINTS & Domain.of(equal("n", 1)),
    ),
    "no equality": (read("M", "i", "j"), read("M", "j", "i"), POINTS),
    "a product is no sum": (mul(A, B), add(A, B), POINTS),
    "width": (
        apply("add", apply("add", read("X", "i", dtype="i8"), read("Y", "i", dtype="i8")), read("Z", "i", dtype="i32")),
        apply("add", read("X", "i", dtype="i8"), apply("add", read("Y", "i", dtype="i8"), read("Z", "i", dtype="i32"))),
        POINTS,
    ),
}


@pytest.mark.parametrize("name", SEEN)
def test_sees(name: str) -> None:
    left, right, domain = SEEN[name]
    assert alike(left, right, domain)
    assert alike(right, left, domain)


@pytest.mark.parametrize("name", NOT_SEEN)
def test_does_not_see(name: str) -> None:
    left, right, domain = NOT_SEEN[name]
    assert not alike(left, right, domain)


def test_an_equality_does_not_reach_a_bound_variable_of_its_name() -> None:
    def hidden(index: str) -> Term:
        return terms.reduce("sum", ("i",), box(i="n"), read("A", index))

    assert not alike(hidden("i"), hidden("j"), DIAGONAL)


def test_sums_of_many_operands_are_compared_one_operation_after_the_other() -> None:
    parts = [read("A", V("i") + step) for step in range(100)]
    left = right = parts[0]
    for part in parts[1:]:
        left, right = add(left, part), add(part, right)
    assert alike(left, right, POINTS)
