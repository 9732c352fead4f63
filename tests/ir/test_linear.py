"""Linear expressions are canonical, and affine maps apply to them."""

from __future__ import annotations

import pytest
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from tensorlift.ir.linear import Linear, NotLinearError, apply_map

N, M = Linear.size("n"), Linear.size("m")


def test_equal_expressions_are_equal_values() -> None:
    assert N + M - N == M
    assert Linear((("n", 2),), 6) == (N + 2) * 3 - N
    assert Linear() == N - N
    assert hash(N + M) == hash(M + N)


@pytest.mark.parametrize(
    ("expression", "text"),
    [(N, "n"), (N * 2 - M + 3, "-m + 2*n + 3"), (Linear((), -4), "-4"), (Linear(), "0"), (-N, "-n"), (M - 1, "m - 1")],
)
def test_spelling_is_a_formula(expression: Linear, text: str) -> None:
    assert str(expression) == text


def test_evaluation_substitutes_sizes() -> None:
    assert (N * 2 - M + 3).at({"n": 5, "m": 1}) == 12


def test_a_map_of_linear_operands_is_linear() -> None:
    d0, s0 = AffineExpr.dimension(0), AffineExpr.symbol(0)
    affine_map = AffineMap(1, 1, (d0 * 2 + s0 - 1, AffineExpr.constant(7) // AffineExpr.constant(2)))
    assert apply_map(affine_map, [N], [M]) == (N * 2 + M - 1, Linear((), 3))


def test_products_of_sizes_are_not_linear() -> None:
    d0, s0 = AffineExpr.dimension(0), AffineExpr.symbol(0)
    product = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, d0, s0)
    with pytest.raises(NotLinearError, match="is not linear"):
        apply_map(AffineMap(1, 1, (product,)), [N], [M])


def test_division_by_a_constant_is_a_quotient_of_sizes() -> None:
    d0 = AffineExpr.dimension(0)
    two = AffineExpr.constant(2)
    expressions = (d0 // two, d0.ceil_div(two), d0 % AffineExpr.constant(3))
    floor, ceiling, rest = apply_map(AffineMap(1, 0, expressions), [N * 3 + 1], [])
    for n in range(6):
        value = 3 * n + 1
        assert [e.at({"n": n}) for e in (floor, ceiling, rest)] == [value // 2, -(-value // 2), value % 3]
    assert str(floor) == "((3*n + 1) // 2)"
