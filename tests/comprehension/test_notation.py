"""Terms and definitions are printed in the notation and read back the same."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.comprehension.builders import add, box, mul, num, read, sub, total
from tests.comprehension.pairs import random_pair

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.notation import show, show_definition
from tensorlift.comprehension.notation.parser import parse_affine, parse_definition, parse_term
from tensorlift.comprehension.notation.syntax import SyntaxFault
from tensorlift.comprehension.terms import Apply, Piecewise, Reduce, Term, apply
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType

V = Affine.var
ELEMENTS: tuple[DType, ...] = ("f64", "f32", "i8", "i16", "i32", "i64", "u8", "bool")
RANDOM_NAMES: dict[str, DType] = {f"{kind}_{dtype}": dtype for kind in "VMs" for dtype in ELEMENTS}
NAMES: dict[str, DType] = {"A": "f64", "B": "f64", "C": "f64", "alpha": "f64", "X": "i32", "c": "bool"}


def alike(left: Term, right: Term) -> bool:
    """Tell whether two terms have the same structure, with equal domains."""
    if left is right:
        return True
    if isinstance(left, Apply) and isinstance(right, Apply):
        same = left.op == right.op and left.dtype == right.dtype
        return same and all(map(alike, left.args, right.args))
    if isinstance(left, Reduce) and isinstance(right, Reduce):
        same = left.op == right.op and left.bound == right.bound
        return same and left.domain.is_equal(right.domain) and alike(left.body, right.body)
    if isinstance(left, Piecewise) and isinstance(right, Piecewise):
        pairs = zip(left.pieces, right.pieces, strict=True)
        return all(d.is_equal(e) and alike(t, u) for (d, t), (e, u) in pairs)
    return False


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 1 << 48))
def test_terms_are_read_as_they_are_printed(seed: int) -> None:
    pair = random_pair(seed)
    for term in (pair.left, pair.right):
        assert alike(parse_term(show(term), RANDOM_NAMES), term), show(term)


A, B = read("A", "i", "k"), read("B", "k", "j")
ALPHA = terms.scalar("alpha", "f64")
X = read("X", "i", dtype="i32")
SPELLINGS = [
    (total("k", 0, "n", mul(A, B)), "sum(k : 0 <= k < n) A(i, k) * B(k, j)"),
    (mul(ALPHA, total("k", 0, "n", A)), "alpha * (sum(k : 0 <= k < n) A(i, k))"),
    (total("k", 0, "n", add(A, B)), "sum(k : 0 <= k < n) (A(i, k) + B(k, j))"),
    (add(total("k", 0, "n", A), B), "sum(k : 0 <= k < n) A(i, k) + B(k, j)"),
    (sub(A, sub(B, ALPHA)), "A(i, k) - (B(k, j) - alpha)"),
    (mul(add(A, num(2)), ALPHA), "(A(i, k) + 2) * alpha"),
    (add(X, num(-1, "i32")), "X(i) + -1"),
    (apply("pow", X, num(2, "i32")), "pow(X(i), 2)"),
    (num(2), "2:f64"),
    (add(num(2, "i32"), num(3, "i32")), "2:i32 + 3:i32"),
    (mul(terms.constant(Fraction(1, 2), "f64"), A), "0.5 * A(i, k)"),
    (mul(terms.constant(Fraction(1, 3), "f64"), A), "ratio(1, 3) * A(i, k)"),
    (terms.cast(X, "f64"), "f64(X(i))"),
    (terms.cast(terms.index(V("i") - 1, "i64"), "f64"), "f64([i - 1]:i64)"),
    (apply("max", A, apply("infinity")), "max(A(i, k), inf)"),
    (total("k", 0, "n", A, "max"), "max(k : 0 <= k < n) A(i, k)"),
    (apply("select", terms.scalar("c", "bool"), A, num(0)), "select(c, A(i, k), 0)"),
    (apply("mul", X, X, dtype="i64"), "mul.i64(X(i), X(i))"),
    (apply("neg", num(2)), "neg(2:f64)"),
    (apply("not", apply("lt", A, num(0))), "not(A(i, k) < 0)"),
    (
        terms.piecewise([(Domain.of(at_least("i", "j")), A), (Domain.of(at_least("i", "j")).complement(), num(0))]),
        "{ A(i, k) if j <= i; 0 if j > i }",
    ),
]


@pytest.mark.parametrize(("term", "text"), SPELLINGS, ids=[text for _, text in SPELLINGS])
def test_spelling(term: Term, text: str) -> None:
    assert show(term) == text
    assert alike(parse_term(text, NAMES), term)


def test_literals_take_an_expected_type() -> None:
    assert show(num(2), "f64") == "2"
    assert parse_term("2", {}, "f64") is num(2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A(i", "expected ')'"),
        ("A(i) +", "expected a term"),
        ("A(i) B(i)", "expected the end"),
        ("D(i)", "the type of D is not declared"),
        ("2", "annotate it, 2:f64"),
        ("A(i) @ B(i)", "at '@ B(i)'"),
        ("A(i j)", "expected an affine expression"),
    ],
)
def test_faults_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(SyntaxFault, match=message.replace("(", r"\(").replace(")", r"\)")):
        parse_term(text, NAMES)


@pytest.mark.parametrize("value", [Affine(0), V("i"), V("i") * -2 + 3, V("n") - V("i") - 1, Affine(-4)])
def test_affine_expressions_are_read_as_they_are_printed(value: Affine) -> None:
    assert parse_affine(str(value)) == value


def test_shared_nodes_are_abbreviated() -> None:
    value = read("A", "i")
    for _ in range(40):
        value = add(value, mul(value, value))
    text = show(value)
    assert text.startswith("let _1 = ")
    assert len(text) < 4000
    assert parse_term(text, NAMES) is value


def test_deep_terms_are_abbreviated() -> None:
    value = read("A", "i")
    for step in range(2000):
        value = apply("exp", add(value, read("A", V("i") + step)))
    assert parse_term(show(value), NAMES) is value


def test_definitions_are_read_as_they_are_printed() -> None:
    shape = (V("n"), V("n") + 1)
    domain = Domain.box(("C_x0", "C_x1"), shape)
    lower = domain & Domain.of(at_least("C_x0", "C_x1"))
    piece = total("k", 0, "n", mul(read("A", "C_x0", "k"), read("B", "k", "C_x1")))
    whole = Definition("C_1", "C", "f64", ("C_x0", "C_x1"), shape, domain, ((domain, piece),))
    parts = Definition("C_2", "C", "f64", ("C_x0", "C_x1"), shape, domain, ((lower, piece), (domain - lower, num(0))))
    cell = Definition("s_1", "s", "f64", (), (), box(), ((box(), num(1)),))
    for definition in (whole, parts, cell):
        again = parse_definition(show_definition(definition), NAMES)
        assert again.domain.is_equal(definition.domain)
        assert (again.name, again.array, again.dtype) == (definition.name, definition.array, definition.dtype)
        assert (again.indices, again.shape) == (definition.indices, definition.shape)
        for (where, term), (expected_where, expected) in zip(again.pieces, definition.pieces, strict=True):
            assert where.is_equal(expected_where)
            assert alike(term, expected)
    assert show_definition(whole) == (
        "array C_1: f64[n, n + 1] of C where 0 <= C_x0 < n and 0 <= C_x1 <= n\n"
        "C_1(C_x0, C_x1) = sum(k : 0 <= k < n) A(C_x0, k) * B(k, C_x1)"
    )
