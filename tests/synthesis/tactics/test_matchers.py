"""Matchers: shapes, operations and accesses of definitions, whatever order the source has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.synthesis.notation_reader import summary

from tensorlift.comprehension.terms import Apply, Read, Term
from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.tactics.matchers import Matcher, Nest, access, assign, op

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Definition

_MATRICES = "m, n, p, alpha: f64, C: f64[m, n], A: f64[m, p], B: f64[p, n]"
_GEMM = Matcher(assign(access("C", "i", "j"), "+=", op("mul", access("A", "i", "k"), access("B", "k", "j"))))


def _definition(signature: str, text: str) -> Definition:
    name = text.split("[", maxsplit=1)[0]
    (definition,) = summary("f", signature, [text], name).definitions()
    return definition


@pytest.mark.parametrize(
    "text",
    [
        "C_1[i, j] = C[i, j] + sum(A[i, k] * B[k, j] for k in range(p))",
        "C_1[i, j] = sum(B[k, j] * A[i, k] for k in range(p)) + C[i, j]",
        "C_1[i, j] = sum(A[i, k] * B[k, j] for k in range(p))",
        "C_1[i, j] = 2 * C[i, j] - 1 + sum(A[i, k] * B[k, j] for k in range(p))",
    ],
)
def test_a_product_is_found_in_any_order_with_or_without_the_value_before(text: str) -> None:
    definition = _definition(_MATRICES, text)
    found = next(_GEMM.matches(definition))
    assert {name: bound[1].array for name, bound in found.arrays.items() if bound and isinstance(bound[1], Read)} == {
        "A": "A",
        "B": "B",
    } | ({"C": "C"} if "= C[" in text or text.endswith("C[i, j]") else {})
    assert [found.axes[index] for index in ("i", "j")] == [(definition.indices[0],), (definition.indices[1],)]


def test_a_product_with_a_scalar_is_another_pattern() -> None:
    definition = _definition(_MATRICES, "C_1[i, j] = sum(alpha * A[i, k] * B[k, j] for k in range(p))")
    assert not list(_GEMM.matches(definition))
    (found, *_) = Matcher.of("C(i, j) += a * A(i, k) * B(k, j)").matches(definition)
    assert repr(found.scalars["a"]) == "alpha"


def test_transposed_operands_are_told_apart_by_their_places() -> None:
    definition = _definition(
        "m, n, p, C: f64[m, n], A: f64[p, m], B: f64[p, n]",
        "C_1[i, j] = sum(A[k, i] * B[k, j] for k in range(p))",
    )
    assert not list(_GEMM.matches(definition))
    assert list(Matcher.of("C(i, j) += A(k, i) * B(k, j)").matches(definition))


def test_factor_placeholders_are_bound_and_constants_belong_to_the_view() -> None:
    definition = _definition(
        "n, m, y: f64[n], x: f64[3 * n + 2 * m], w: f64[m]",
        "y_1[i] = sum(x[3 * i + 2 * k + 1] * w[k] for k in range(m))",
    )
    (found, *_) = Matcher.of("y(i) += x(s * i + d * k) * w(k)").matches(definition)
    assert (found.factors["s"], found.factors["d"]) == (3, 2)
    assert not list(Matcher.of("y(i) += x(i + k) * w(k)").matches(definition))
    assert list(Matcher.of("y(i) += x(3 * i + 2 * k) * w(k)").matches(definition))


def test_the_same_array_at_other_indices_must_be_the_same_array() -> None:
    matcher = Matcher.of("C(i, j) += A(i, k) * A(j, k)")
    one = _definition("n, p, C: f64[n, n], A: f64[n, p]", "C_1[i, j] = sum(A[i, k] * A[j, k] for k in range(p))")
    two = _definition(
        "n, p, C: f64[n, n], A: f64[n, p], B: f64[n, p]",
        "C_1[i, j] = sum(A[i, k] * B[j, k] for k in range(p))",
    )
    assert list(matcher.matches(one))
    assert not list(matcher.matches(two))


def test_groups_are_told_by_where_their_indices_occur() -> None:
    definition = _definition(
        "n, p, C: f64[n, n, n], A: f64[n, p, n, n], B: f64[n, n, p]",
        "C_1[a, b, c] = sum(A[a, e, c, d] * B[d, b, e] for d in range(n) for e in range(p))",
    )
    (found, *_) = Matcher.of("C(i..., j...) += A(i..., k...) * B(k..., j...)").matches(definition)
    a, b, c = definition.indices
    assert (found.axes["i..."], found.axes["j..."], len(found.axes["k..."])) == ((a, c), (b,), 2)


def test_a_shape_is_asked_for_with_a_callback() -> None:
    definition = _definition(_MATRICES, "C_1[i, j] = sum(A[i, k] * B[k, j] for k in range(p))")
    asked: list[Term] = []

    def is_product(term: Term) -> bool:
        asked.append(term)
        return isinstance(term, Apply) and term.op == "mul"

    assert Nest(2, ("sum",), is_product).accepts(definition)
    assert len(asked) == 1
    assert not Nest(2, ()).accepts(definition)
    assert not Nest(3).accepts(definition)
    assert not Nest(folds=("max",)).accepts(definition)
    assert not Nest(inside=lambda term: isinstance(term, Read)).accepts(definition)


def test_matchers_whose_names_do_not_fit_are_refused() -> None:
    with pytest.raises(LiftError, match="`k` is not bound"):
        Matcher(assign(access("C", "i"), "=", access("A", "i", "k")))
