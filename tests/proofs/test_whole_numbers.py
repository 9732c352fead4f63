"""Integers that go through floats: the source may, since what does not fit is undefined; the program may not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.proofs.failure import UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

DOT = "int f(int n, int a[n], int b[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }"
FLOAT_DOT = DOT.replace("int s", "float s")
BYTES = """void f(int n, unsigned char a[n], signed char b[n], int o[n]) {
  for (int i = 0; i < n; i++) o[i] = EXPRESSION;
}"""
COUNT = "long f(int n, double a[n]) { long c = 2; for (int i = 0; i < n; i++) c += a[i] > 0; return c; }"
COPY = "void f(int n, int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[i]; }"
LONG_QUOTIENT = "void f(int n, long a[n], long b[n]) { for (int i = 0; i < n; i++) b[i] = a[i] / (b[i] * 2 + 1); }"


def test_a_sum_in_floats_may_be_computed_in_integers(accept: Accept) -> None:
    accept(FLOAT_DOT, "def f(a, b):\n    return a @ b")


def test_what_is_rounded_before_it_is_added_up_may_not_be_computed_in_integers(reject: Reject) -> None:
    source = DOT.replace("int s", "double s").replace("a[i] * b[i]", "(float)a[i] * b[i]")
    assert reject(source, "def f(a, b):\n    return a @ b") == UNEQUAL


@pytest.mark.parametrize("number", ["float", "double"])
def test_whole_numbers_that_floats_hold_may_be_computed_in_integers(accept: Accept, number: str) -> None:
    source = BYTES.replace("EXPRESSION", f"({number})a[i] * b[i] - ({number})2 * a[i]")
    accept(source, "def f(a, b):\n    return a.astype(np.int32) * b - 2 * a.astype(np.int32)")


def test_whole_numbers_that_floats_round_may_not_be_computed_in_integers(reject: Reject) -> None:
    source = BYTES.replace("EXPRESSION", "(float)a[i] * b[i] * a[i] * b[i]")
    assert reject(source, "def f(a, b):\n    t = a.astype(np.int32) * b\n    return t * t") == UNEQUAL


def test_a_sum_in_integers_may_not_be_computed_in_floats(reject: Reject) -> None:
    """It wraps where a float is out of the range of the type."""
    program = "def f(a, b):\n    return (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int32)"
    assert reject(DOT, program) == UNEQUAL


def test_an_integer_survives_double_but_not_single_precision(accept: Accept, reject: Reject) -> None:
    accept(COPY, "def f(a):\n    return a.astype(np.float64).astype(np.int32)")
    assert reject(COPY, "def f(a):\n    return a.astype(np.float32).astype(np.int32)") == UNEQUAL
    assert reject(COPY, "def f(a):\n    return a.astype(np.float32).astype(np.float64).astype(np.int32)") == UNEQUAL


def test_a_quotient_of_long_integers_is_no_quotient_of_doubles(reject: Reject) -> None:
    assert reject(LONG_QUOTIENT, "def f(a, b):\n    return (a / (b * 2 + 1)).astype(np.int64)") == UNEQUAL


def test_a_sum_of_truth_values_in_their_type_is_no_count(accept: Accept, reject: Reject) -> None:
    accept(COUNT, "def f(a):\n    return 2 + (a > 0).sum()")
    for text in ("sum(dtype=np.bool_)", "sum(dtype=bool)", "cumsum(dtype=bool)[-1]"):
        assert reject(COUNT, f"def f(a):\n    return 2 + (a > 0).{text}") == UNREADABLE
    accept(COUNT, "def f(a):\n    return 2 + (a > 0).sum()", target="torch")
    for text in ("sum(dtype=torch.bool)", "cumsum(0, dtype=torch.bool)[-1]"):
        assert reject(COUNT, f"def f(a):\n    return 2 + (a > 0).{text}", target="torch") == UNREADABLE
    assert reject(COUNT, "def f(a):\n    return 2 + (a > 0).any()") == UNEQUAL


def _product(element: str, to: str = "float") -> str:
    return f"""void f(int n, int m, int p, {element} a[n][p], {element} b[p][m], {to} c[n][m]) {{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {{
      float s = 0;
      for (int k = 0; k < p; k++) s += a[i][k] * b[k][j];
      c[i][j] = s;
    }}
}}"""


IN_FLOATS = "def f(a, b):\n    return a.astype(np.float32) @ b.astype(np.float32)"


@pytest.mark.parametrize("element", ["unsigned char", "signed char", "short"])
def test_factors_may_be_converted_where_no_product_wraps(accept: Accept, element: str) -> None:
    accept(_product(element), IN_FLOATS)


@pytest.mark.parametrize("element", ["unsigned short", "unsigned", "unsigned long"])
def test_factors_may_not_be_converted_where_a_product_may_wrap(reject: Reject, element: str) -> None:
    assert reject(_product(element), IN_FLOATS) == UNEQUAL


@pytest.mark.parametrize("element", ["int", "short"])
def test_a_sum_that_becomes_an_integer_is_a_product_of_integers(accept: Accept, reject: Reject, element: str) -> None:
    accept(_product(element, "int"), "def f(a, b):\n    return a.astype(np.int32) @ b.astype(np.int32)")
    assert reject(_product(element, "int"), "def f(a, b):\n    return a.astype(np.int32) @ b[::-1]") == UNEQUAL


def test_a_narrow_product_wraps_in_its_own_type(reject: Reject) -> None:
    """The source multiplies in 32 bits."""
    assert reject(_product("signed char"), "def f(a, b):\n    return (a @ b).astype(np.float32)") == UNEQUAL
    assert reject(_product("short", "int"), "def f(a, b):\n    return (a @ b).astype(np.int32)") == UNEQUAL
