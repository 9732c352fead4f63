"""Chains of matrix products get the order with the fewest multiplications."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.polynomial import Polynomial
from tensorlift.source import source_from_text
from tensorlift.synthesis.tactics.chains import (
    chain_order,
    cost_of,
    fanned,
    multiplications,
    parenthesised,
    product_order,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_PUBLISHED = [
    ([800, 1100, 900, 1200, 100], "A1 @ (A2 @ (A3 @ A4))"),
    ([1000, 2000, 900, 1500, 600, 800], "(A1 @ (A2 @ (A3 @ A4))) @ A5"),
    ([1500, 400, 2000, 2200, 600, 1400, 1000], "A1 @ ((((A2 @ A3) @ A4) @ A5) @ A6)"),
]


def _least(extents: list[int]) -> int:
    """Return the fewest multiplications, from every tree."""

    @cache
    def least(first: int, last: int) -> int:
        if first == last:
            return 0
        return min(
            least(first, k) + least(k + 1, last) + extents[first] * extents[k + 1] * extents[last + 1]
            for k in range(first, last)
        )

    return least(0, len(extents) - 2)


def _source(extents: Sequence[int | str], sizes: str = "") -> str:
    """Return loops that multiply matrices from left to right."""
    count = len(extents) - 1
    parameters = [sizes] if sizes else []
    parameters += [f"double A{k + 1}[{extents[k]}][{extents[k + 1]}]" for k in range(count)]
    lines, before = [], "A1"
    for k in range(1, count):
        after, rows, inner, columns = f"T{k}" if k < count - 1 else "out", extents[0], extents[k], extents[k + 1]
        lines += [f"double {after}[{rows}][{columns}];"] if k < count - 1 else []
        lines += [
            f"for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++) {{ {after}[i][j] = 0;",
            f"for (int k = 0; k < {inner}; k++) {after}[i][j] += {before}[i][k] * A{k + 1}[k][j]; }}",
        ]
        before = after
    body = "\n  ".join(lines)
    return f"void chain({', '.join(parameters)}, double out[{extents[0]}][{extents[-1]}]) {{\n  {body}\n}}\n"


def _spelled_as_numpy_reads_it(order: str) -> str:
    """Leave out the parentheses that grouping from the left makes needless."""
    return order.replace("(((A2 @ A3) @ A4) @ A5) @ A6", "A2 @ A3 @ A4 @ A5 @ A6").replace(
        "(A1 @ (A2 @ (A3 @ A4))) @ A5", "A1 @ (A2 @ (A3 @ A4)) @ A5"
    )


def _lifted(text: str) -> str:
    (function,) = lift_source(source_from_text(text, "c.c"), LiftOptions(engine="tactics")).functions
    assert (str(function.verdict), str(function.level)) == ("loop-free", "proved"), function.diagnostics
    return function.program


@pytest.mark.parametrize(("extents", "wanted"), _PUBLISHED, ids=["4", "5", "6"])
def test_the_published_chains_get_their_best_order(extents: list[int], wanted: str) -> None:
    order = chain_order(extents)
    assert order.cost == _least(extents)
    assert parenthesised(order.tree, [f"A{k + 1}" for k in range(len(extents) - 1)]) == wanted
    program = _lifted(_source(extents))
    assert _spelled_as_numpy_reads_it(wanted) in program
    assert "T1" not in program


@given(st.lists(st.integers(1, 9), min_size=2, max_size=9))
def test_no_order_of_a_chain_is_cheaper(extents: list[int]) -> None:
    order = chain_order(extents)
    factors = [frozenset({f"x{k}", f"x{k + 1}"}) for k in range(len(extents) - 1)]
    ends = frozenset({"x0", f"x{len(extents) - 1}"})
    sizes = {f"x{k}": extent for k, extent in enumerate(extents)}
    assert order.cost == _least(extents) == cost_of(order.tree, factors, ends, sizes)
    assert product_order(factors, ends, sizes).cost == order.cost
    assert product_order(factors[::-1], ends, sizes).cost == order.cost


def test_a_chain_of_unknown_sizes_stays_as_it_is_written() -> None:
    program = _lifted(_source(["n", "n", "n", "n", "n"], "int n"))
    assert [line.strip() for line in program.splitlines()[-3:]] == ["T1 = A1 @ A2", "T2 = T1 @ A3", "return T2 @ A4"]


def test_a_vector_at_the_end_is_multiplied_first() -> None:
    text = """void f(int n, double A[n][n], double B[n][n], double x[n], double y[n]) {
      double T[n][n];
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        T[i][j] = 0;
        for (int k = 0; k < n; k++) T[i][j] += A[i][k] * B[k][j];
      }
      for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < n; k++) y[i] += T[i][k] * x[k];
      }
    }"""
    assert "A @ (B @ x)" in _lifted(text)


_SUMS = """void f(double alpha, double beta,
       double A[80][110], double B[110][90], double C[90][10], double D[80][10]) {{
  double T[80][90];
  for (int i = 0; i < 80; i++) for (int j = 0; j < 90; j++) {{
    T[i][j] = 0;
    for (int k = 0; k < 110; k++) T[i][j] += {inner}A[i][k] * B[k][j];
  }}
  for (int i = 0; i < 80; i++) for (int j = 0; j < 10; j++) {{
    {before}
    for (int k = 0; k < 90; k++) D[i][j] += {outer}T[i][k] * C[k][j];
    {behind}
  }}
}}"""


@pytest.mark.parametrize(
    ("inner", "before", "outer", "behind", "value"),
    [
        ("", "", "", "", "D + A @ (B @ C)"),
        ("", "D[i][j] *= beta;", "alpha * ", "", "D * beta + alpha * (A @ (B @ C))"),
        ("alpha * ", "D[i][j] *= beta;", "", "", "D * beta + alpha * (A @ (B @ C))"),
        ("", "D[i][j] = 0;", "", "D[i][j] = 1 / (1 + D[i][j]);", "1.0 / (1.0 + A @ (B @ C))"),
    ],
)
def test_a_chain_may_be_added_to_something_and_scaled(
    inner: str, before: str, outer: str, behind: str, value: str
) -> None:
    assert value in _lifted(_SUMS.format(inner=inner, before=before, outer=outer, behind=behind))


def test_a_product_that_is_needed_twice_is_computed_once() -> None:
    text = _SUMS.format(
        inner="", before="", outer="", behind="for (int k = 0; k < 90; k++) D[i][j] += T[i][k] * E[k][j];"
    )
    program = _lifted(text.replace("double C[90][10]", "double C[90][10], double E[90][10]"))
    assert "T = A @ B" in program


@given(st.lists(st.integers(1, 60), min_size=3, max_size=9))
def test_some_order_outwards_from_a_size_takes_at_most_twice_the_fewest(extents: list[int]) -> None:
    numbers = [Polynomial.constant(extent) for extent in extents]
    costs = [multiplications(tree, numbers).constant_value for tree in fanned(len(extents) - 1)]
    assert min(cost for cost in costs if cost is not None) <= 2 * chain_order(extents).cost


@pytest.mark.parametrize(("matrices", "orders"), [(2, 1), (3, 2), (4, 5), (5, 6)])
def test_up_to_four_matrices_all_orders_go_outwards_from_a_size(matrices: int, orders: int) -> None:
    assert len(set(fanned(matrices))) == orders


def test_a_function_for_no_sizes_is_refused_and_has_no_products() -> None:
    text = """void f(int n, int *u, int *v, int t[n][n]) {
        for (int i = 2; i < n; i += 2) v[i - 1] = 1;
        t[0][0] = 1;
        for (int i = 0; i < n; i += 3) v[i] = u[i * n];
        for (int i = 2; i < n; i += 2) u[i * n + i] = 3; }"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert [diagnostic.code for diagnostic in function.diagnostics] == ["TL302"]
