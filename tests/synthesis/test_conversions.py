"""Sums of products of integers in floats come out as contractions where no integer can wrap."""

from __future__ import annotations

import pytest
from tests.synthesis.test_output_of_programs import emitted

_PRODUCT = """void f(int n, int m, int p, FACTOR a[n][p], FACTOR b[p][m], SUM c[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float s = 0;
      for (int k = 0; k < p; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }
}"""


def _returned(factor: str, total: str) -> str:
    return emitted(_PRODUCT.replace("FACTOR", factor).replace("SUM", total)).split("return ")[-1].strip()


@pytest.mark.parametrize("factor", ["unsigned char", "signed char", "short"])
def test_narrow_factors_are_converted_not_their_products(factor: str) -> None:
    assert _returned(factor, "float") == "a.astype(np.float32) @ b.astype(np.float32)"


@pytest.mark.parametrize("factor", ["unsigned short", "unsigned", "unsigned long"])
def test_products_that_may_wrap_are_converted_themselves(factor: str) -> None:
    assert "@" not in _returned(factor, "float")


def test_a_sum_that_becomes_an_integer_is_summed_in_integers() -> None:
    assert _returned("int", "int") == 'np.einsum("ik,kj->ij", a, b)'


def test_a_product_that_is_no_larger_than_a_factor_stays() -> None:
    loop = "float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s;"
    assert "np.sum" in emitted(f"float f(int n, short a[n], short b[n]) {{ {loop} }}")


@pytest.mark.parametrize("condition", ["i > k", "i != k", "i >= k && i < 2 * k", "i / 3 > k"])
def test_truth_values_are_stored_in_floats_at_every_third_position(condition: str) -> None:
    loop = f"for (int i = 0; i < n; i += 3) x[i] = {condition};"
    assert "x[::3] = " in emitted(f"void f(int n, int k, double *x) {{ {loop} }}")
