"""Programs that are equal over the reals but not in floats are rejected: they compute what the source does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.cut import Cut
from tensorlift.proofs.failure import DIVISOR, LOOP, UNEQUAL

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

PLAIN = "void f(int n, double a[n], double b[n], double c[n]) { for (int i = 0; i < n; i++) c[i] = a[i] + 0 * b[i]; }"
GUARDED = """void f(int n, double a[n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++) c[i] = b[i] != 0 ? a[i] / b[i] : 0;
}"""
CHOSEN = """void f(int n, double a[n], double b[n], int m[n], double c[n]) {
  for (int i = 0; i < n; i++) c[i] = m[i] > 0 && b[i] > 1 ? a[i] / b[i] : 0;
}"""
ROOT = """#include <math.h>
void f(int n, double a[n], double c[n]) { for (int i = 0; i < n; i++) c[i] = a[i] >= 0 ? sqrt(a[i]) : 0; }"""
LOGARITHM = ROOT.replace("a[i] >= 0 ? sqrt(a[i])", "a[i] > 0 ? log(a[i])")
POWER = ROOT.replace("sqrt(a[i])", "pow(a[i], 0.3)")
BELOW = """void f(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c[i][j] = j <= i ? a[i][j] / b[i][j] : 0;
}"""
ROWS = """void f(int n, double a[n][n], double b[n][n], double c[n]) {
  for (int i = 0; i < n; i++) { c[i] = 0; for (int j = 0; j <= i; j++) c[i] += a[i][j] / b[i][j]; }
}"""
EARLIER = """void f(int n, double a[n][n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++) { c[i] = 0; for (int j = 0; j < i; j++) c[i] += a[i][j] / b[i]; }
}"""
DIAGONAL = """void f(int n, double a[n][n], double b[n][n], double c[n]) {
  for (int i = 0; i < n; i++) c[i] = a[i][i] / b[i][i];
}"""
STEPS = """void f(int n, int t, double a[n], double b[n]) {
  for (int s = 0; s < t; s++) for (int i = 1; i < n; i++) a[i] = b[i] != 0 ? a[i - 1] / b[i] : a[i];
}"""

UNROLLED = """double f(int n, float a[n], float b[n]) {
  float s = 0; int i;
  for (i = 0; i + 1 < n; i += 2) s += a[i] / b[i] + a[i + 1] / b[i + 1];
  for (; i < n; i++) s += a[i] / b[i];
  return s;
}"""
HALVED = """double f(int n, double a[n], double b[n]) {
  double s = 0;
  for (int i = 0; i < n; i += 2) s += a[i] / b[i];
  return s;
}"""
IN_PARTS = """void f(int n, int a[2 * n], int b[2 * n]) {
  for (int i = 0; i < n; i++) a[i] = a[i] / b[i];
  for (int i = n; i < 2 * n; i++) a[i] = a[i] / b[i];
}"""
ONE_PART = "\n".join(line for line in IN_PARTS.splitlines() if "i = n" not in line)


WHERE_CHOSEN = """void f(int n, int p, int a[n], int b[n]) {
  for (int i = 0; i < n; i++) a[i] = b[i] > 3 && p > 2 ? 100 / (b[i] - p) : p < 0 ? 7 / b[i] : 1;
}"""
TDIV = "def tdiv(a, b):\n    return (a - np.fmod(a, b)) // b\n\n\n"


def test_the_source_divides_integers_under_conditions(accept: Accept, reject: Reject) -> None:
    def program(first: str, second: str) -> str:
        other = f"np.where(p < 0, tdiv(7, np.where({second}, b, 1)), 1)"
        value = f"np.where(m, tdiv(100, np.where({first}, b - p, 1)), {other})"
        return f"{TDIV}def f(p, b):\n    p = np.int32(p)\n    m = (b > 3) & (p > 2)\n    return {value}"

    accept(WHERE_CHOSEN, program("m", "~m & (p < 0)"))
    for first, second in [("b > 3", "~m & (p < 0)"), ("m | (p < 9)", "~m & (p < 0)"), ("m", "p < 1")]:
        assert reject(WHERE_CHOSEN, program(first, second)) == DIVISOR


WHERE_ROUNDED = """void f(int n, float a[n], int m[n], int c[n]) {
  for (int i = 0; i < n; i++) { int t = 0; if (m[i] > 0) t = (float)(a[i] * 0.1) > 1; c[i] = t; }
}"""


def test_a_conjunction_depends_on_an_operand_where_those_before_hold(accept: Accept, reject: Reject) -> None:
    rounded = "((a.astype(np.float64) * 0.1).astype(np.float32) > 1.0)"
    accept(WHERE_ROUNDED, f"def f(a, m):\n    return ((m > 0) & {rounded}).astype(np.int32)")
    accept(WHERE_ROUNDED, f"def f(a, m):\n    return (~((m <= 0) | ~{rounded})).astype(np.int32)")
    product = f"np.where(m > 0, np.int32(1), 0) * {rounded}.astype(np.int32)"
    for value in (f"({rounded} & (m > 0)).astype(np.int32)", product):
        assert reject(WHERE_ROUNDED, f"def f(a, m):\n    return {value}") == UNEQUAL


def test_the_source_divides_integers_in_several_places(accept: Accept, reject: Reject) -> None:
    quotient = "(a - np.fmod(a, b)) // b"
    accept(IN_PARTS, f"def f(a, b):\n    return {quotient}")
    half = "n = a.shape[0] // 2\n    c = a.copy()\n    c[:n] = q[:n]"
    assert reject(ONE_PART, f"def f(a, b):\n    q = {quotient}\n    {half}\n    return c") == DIVISOR


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (UNROLLED, "np.sum(a / b, dtype=np.float32).astype(np.float64)"),
        (HALVED, "np.sum(a[::2] / b[::2])"),
        (GUARDED, "np.where(b != 0, a / b, 0.0)"),
        (GUARDED, "np.where(b == 0, 0.0, a / b)"),
        (GUARDED, "np.where(b != 0, a / np.where(b != 0, b, 1.0), 0.0)"),
        (CHOSEN, "np.where((m > 0) & (b > 1), a / b, 0.0)"),
        (CHOSEN, "np.where(b > 1, np.where(m > 0, a / b, 0.0), 0.0)"),
        (CHOSEN, "np.where((b <= 1) | (m <= 0), 0.0, a / b)"),
        (ROOT, "np.where(a >= 0, np.sqrt(a), 0.0)"),
        (LOGARITHM, "np.where(a > 0, np.log(a), 0.0)"),
        (BELOW, "np.tril(a / b)"),
        (ROWS, "np.tril(a / b).sum(axis=1)"),
        (DIAGONAL, "np.diagonal(a) / np.diagonal(b)"),
        (DIAGONAL, "np.diagonal(a) * (1.0 / np.diagonal(b))"),
    ],
)
def test_the_program_may_compute_what_the_source_computes(accept: Accept, source: str, value: str) -> None:
    parameters = "a, b, m" if source is CHOSEN else "a" if "b[" not in source else "a, b"
    accept(source, f"def f({parameters}):\n    return {value}")


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (PLAIN, "a + (a / b - a / b)"),
        (PLAIN, "a + 0.0 * (a / b)"),
        (PLAIN, "a + np.zeros(a.shape[0]) * np.sqrt(b)"),
        (PLAIN, "a + (np.exp(b) - np.exp(b))"),
        (GUARDED, "(b != 0) * (a / b)"),
        (GUARDED, "a / b * (b != 0)"),
        (GUARDED, "(b != 0).astype(np.float64) * (a / b)"),
        (GUARDED, "np.where(b != 0, 1.0, 0.0) * (a / b)"),
        (GUARDED, "np.where(b != 0, a, 0.0) / b"),
        (GUARDED, "np.multiply(a / b, b != 0)"),
        (CHOSEN, "np.where(m > 0, (b > 1) * (a / b), 0.0)"),
        (CHOSEN, "np.where(m > 0, a / b, 0.0) * (b > 1)"),
        (ROOT, "(a >= 0) * np.sqrt(a)"),
        (ROOT, "np.where(a >= 0, 1.0, 0.0) * np.sqrt(a)"),
        (LOGARITHM, "(a > 0).astype(np.float64) * np.log(a)"),
        (POWER, "(a >= 0) * np.power(a, 0.3)"),
        (BELOW, "np.tri(a.shape[0]) * (a / b)"),
        (BELOW, "np.tril(a) / b"),
        (BELOW, "np.tril(np.ones((a.shape[0], a.shape[0]))) * (a / b)"),
        (ROWS, "np.einsum('ij,ij->i', np.tri(a.shape[0]), a / b)"),
        (ROWS, "(np.tri(a.shape[0]) * (a / b)).sum(axis=1)"),
        (ROWS, "np.diagonal((a / b) @ np.tri(a.shape[0]).T) + 0.0"),
        (DIAGONAL, "np.einsum('ij,ij->i', np.eye(a.shape[0]), a / b)"),
        (DIAGONAL, "(np.eye(a.shape[0]) * (a / b)).sum(axis=0)"),
        (DIAGONAL, "(a / b * np.identity(a.shape[0])) @ np.ones(a.shape[0])"),
        (EARLIER, "np.tril(a, -1).sum(axis=1) / b"),
        (HALVED, "np.sum(a / b) - np.sum(a[1::2] / b[1::2])"),
    ],
)
def test_what_is_multiplied_by_zero_or_cancels_is_computed_all_the_same(
    reject: Reject, source: str, value: str
) -> None:
    parameters = "a, b, m" if source is CHOSEN else "a" if "b[" not in source else "a, b"
    assert reject(source, f"def f({parameters}):\n    return {value}") == DIVISOR


NORMALISED = """#include <math.h>
void f(int n, double a[n], double c[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) { c[i] = 2 * a[i]; s += c[i] * c[i]; }
  s = sqrt(s);
  for (int i = 0; i < n; i++) c[i] /= s;
}"""
LAYER = """void f(int n, int m, float w[n][m], float x[m], float h[n]) {
  for (int i = 0; i < n; i++) { h[i] = 0; for (int j = 0; j < m; j++) h[i] += w[i][j] * x[j]; }
  for (int i = 0; i < n; i++) if (h[i] < 0) h[i] = 0;
}"""


@pytest.mark.parametrize(
    ("source", "program"),
    [
        (NORMALISED, "def f(a):\n    t = 2 * a\n    return t / np.sqrt(t @ t)"),
        (LAYER, "def f(w, x):\n    t = w @ x\n    return np.where(t < 0.0, 0.0, t)"),
    ],
)
def test_the_source_computes_what_the_values_that_it_reads_are_made_of(
    accept: Accept, source: str, program: str
) -> None:
    accept(source, program)


NESTED = """#include <math.h>
void f(int n, double a[n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++)
    if (a[i] > 0) { if (b[i] > 0) c[i] = sqrt(a[i]) / b[i]; else c[i] = log(a[i]); } else c[i] = 0;
}"""
IN_TURN = """void f(int n, double a[n], double b[n], double c[n]) {
  if (n > 0) {
    for (int i = 0; i < n; i++) if (a[i] > 0) c[i] = a[i] * b[i];
    for (int i = 0; i < n; i++) if (c[i] > 1) c[i] = 1 / c[i];
  }
}"""
_NESTED = "p = a > 0\n    q = b > 0\n    return np.where(p, np.where(q, {}, {}), 0.0)"
_ROOTS, _LOGARITHMS = "np.sqrt(np.where(p & q, a, 1.0)) / np.where(p & q, b, 1.0)", "np.log(np.where(p & ~q, a, 1.0))"
_IN_TURN = "c = np.where(a > 0, a * b, c)\n    return np.where({}, 1.0 / np.where({}, c, 1.0), c)"


def test_nested_conditions_are_known_in_both_of_their_arms(accept: Accept, reject: Reject) -> None:
    head = "def f(a, b):\n    "
    accept(NESTED, head + _NESTED.format(_ROOTS, _LOGARITHMS))
    for roots, logarithms, code in [
        (_ROOTS.replace("p & q, a", "p & ~q, a"), _LOGARITHMS, UNEQUAL),
        (_ROOTS.replace("p & q, b", "q & ~p, b"), _LOGARITHMS, UNEQUAL),
        (_ROOTS, _LOGARITHMS.replace("p & ~q", "p & q"), UNEQUAL),
        (_LOGARITHMS, _ROOTS, UNEQUAL),
    ]:
        assert reject(NESTED, head + _NESTED.format(roots, logarithms)) == code
    assert reject(NESTED, head + "return np.where((a > 0) & (b > 0), np.sqrt(a) / b, (a > 0) * np.log(a))") == DIVISOR


CROSSED = """#include <math.h>
void f(int n, const int m[n], const double r[n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) { if (m[i] != 2) c[i][j] = 0; else if (r[j] >= 0) c[i][j] = sqrt(r[j]); }
}"""


def test_what_one_axis_says_holds_where_another_one_says_so_too(accept: Accept, reject: Reject) -> None:
    head = "def f(m, r, c):\n    p = (m == 2)[:, None]\n    return "
    accept(CROSSED, head + "np.where(p, np.where(r >= 0, np.sqrt(r), c), 0.0)")
    accept(CROSSED, head + "np.where(r >= 0, np.where(p, np.sqrt(r), 0.0), np.where(p, c, 0.0))")
    for value in ("np.where(r >= 0, p * np.sqrt(r), p * c)", "np.where(p, (r >= 0) * np.sqrt(r) + (r < 0) * c, 0.0)"):
        assert reject(CROSSED, head + value) == DIVISOR


def test_what_the_source_divides_by_may_have_a_name_in_the_program(accept: Accept, reject: Reject) -> None:
    head = "def f(a, b, c):\n    "
    accept(IN_TURN, head + _IN_TURN.format("c > 1", "c > 1"))
    assert reject(IN_TURN, head + _IN_TURN.format("c > 1", "c > 2")) == UNEQUAL
    assert reject(IN_TURN, head + _IN_TURN.format("c > 0", "c > 0")) == UNEQUAL
    text = "c = np.where(a > 0, a * b, c)\n    return np.where(c > 1, 1.0, 0.0) * (1.0 / c) + np.where(c > 1, 0.0, c)"
    assert reject(IN_TURN, head + text) == DIVISOR


def test_a_value_is_made_of_no_more_than_what_is_read(reject: Reject) -> None:
    chosen = GUARDED.replace("for (", "double t[n];\n  for (int i = 0; i < n; i++) t[i] = 2 * b[i];\n  for (")
    chosen = chosen.replace("a[i] / b[i]", "a[i] / t[i]")
    assert reject(chosen, "def f(a, b):\n    return (b != 0) * (a / (2 * b))") == DIVISOR


def test_a_kept_loop_computes_no_more_than_that_of_the_source(accept: Accept, reject: Reject) -> None:
    loop = (
        "def f(t, a, b):\n    a = a.copy()\n    n = a.shape[0]\n    for s in range(t):\n        for i in range(1, n):\n"
    )
    accept(STEPS, f"{loop}            a[i] = np.where(b[i] != 0, a[i - 1] / b[i], a[i])\n    return a")
    masked = "a[i] = (b[i] != 0) * (a[i - 1] / b[i]) + (b[i] == 0) * a[i]"
    assert reject(STEPS, f"{loop}            {masked}\n    return a") == LOOP


DOUBLE = "void f(int n, double a[n], double c[n]) { for (int i = 0; i < n; i++) c[i] = 2 * a[i]; }"
DOT = """double f(int n, double a[n], double b[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}"""
WIDE_DOT = DOT.replace("double a[n], double b[n]", "float a[n], float b[n]").replace("+= a[i]", "+= (double)a[i]")
ROUNDED = DOUBLE.replace("2 * a[i]", "(float)(2 * a[i])")
SINGLE = DOUBLE.replace("double a[n], double c[n]", "float a[n], float c[n]")
FLOAT_OF_INTEGER = "void f(int n, int a[n], double c[n]) { for (int i = 0; i < n; i++) c[i] = a[i]; }"
DIFFERENCE = "void f(int n, double a[n], double b[n], float c[n]) { for (int i = 0; i < n; i++) c[i] = a[i] - b[i]; }"


@pytest.mark.parametrize(
    ("source", "program"),
    [
        (DOUBLE, "def f(a):\n    return (2 * a).astype(np.float32).astype(np.float64)"),
        (DOUBLE, "def f(a):\n    return 2 * a.astype(np.float32).astype(np.float64)"),
        (DOUBLE, "def f(a):\n    return a.astype(np.float32) * np.float64(2.0)"),
        (
            DOUBLE,
            "def f(a):\n    c = np.ones_like(a, dtype=np.float32)\n    c[:] = 2 * a\n    return c + 0.0 * a",
        ),
        (DOT, "def f(a, b):\n    return (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float64)"),
        (DOT, "def f(a, b):\n    return np.sum(a * b, dtype=np.float32).astype(np.float64)"),
        (DOT, "def f(a, b):\n    return a @ b.astype(np.float32)"),
        (WIDE_DOT, "def f(a, b):\n    return (a @ b).astype(np.float64)"),
        (WIDE_DOT, "def f(a, b):\n    return np.sum(a * b, dtype=np.float64)"),
        (FLOAT_OF_INTEGER, "def f(a):\n    return a.astype(np.float32).astype(np.float64)"),
        (DIFFERENCE, "def f(a, b):\n    return a.astype(np.float32) - b.astype(np.float32)"),
    ],
)
def test_doubles_are_not_computed_in_single_precision(reject: Reject, source: str, program: str) -> None:
    assert reject(source, program) == UNEQUAL


@pytest.mark.parametrize(
    ("source", "program"),
    [
        (ROUNDED, "def f(a):\n    return (2 * a).astype(np.float32).astype(np.float64)"),
        (SINGLE, "def f(a):\n    return 2 * a"),
        (SINGLE, "def f(a):\n    return (2 * a.astype(np.float64)).astype(np.float32)"),
        (WIDE_DOT, "def f(a, b):\n    return a.astype(np.float64) @ b.astype(np.float64)"),
        (DIFFERENCE, "def f(a, b):\n    return (a - b).astype(np.float32)"),
    ],
)
def test_roundings_of_the_source_are_kept(accept: Accept, source: str, program: str) -> None:
    accept(source, program)


ROUND = "def r(x):\n    return x.astype(np.float32).astype(np.float64)\n\n\n"
CHOICE = """void f(int n, double a[n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++) c[i] = b[i] > 0 ? (float)a[i] : a[i];
}"""
HALF = """void f(int n, double a[n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++) { float t = a[i]; c[i] = i < n / 2 ? t * b[i] : a[i] * b[i]; }
}"""
STORED = """void f(int n, double a[n], double b[n], double c[n]) {
  float t[n];
  for (int i = 0; i < n; i++) t[i] = a[i] * b[i];
  for (int i = 0; i < n; i++) c[i] = t[i] + b[i];
}"""
SUMMED = """double f(int n, double a[n], double b[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (float)(a[i] * b[i]);
  return s;
}"""
NARROW = (
    "void f(int n, double a[n], double b[n], float c[n]) { for (int i = 0; i < n; i++) c[i] = (float)a[i] * b[i]; }"
)
COMPARED = "void f(int n, double a[n], int c[n]) { for (int i = 0; i < n; i++) c[i] = (float)a[i] < 0.1; }"
CARRIED = """void f(int n, double a[n], double b[n]) {
  for (int i = 1; i < n; i++) a[i] = (float)(a[i - 1] * a[i - 1] + b[i]);
}"""
STEP = "def f(a, b):\n    a = a.copy()\n    for i in range(1, a.shape[0]):\n        a[i] = {}\n    return a\n"


@pytest.mark.parametrize(
    ("source", "right", "wrong"),
    [
        (ROUNDED, ["r(2 * a)"], ["2 * a", "2 * r(a)", "r(a) + r(a)", "r(2 * a) + (a - r(a))"]),
        (CHOICE, ["np.where(b > 0, r(a), a)"], ["a", "r(a)", "np.where(b > 0, a, r(a))", "np.where(b >= 0, r(a), a)"]),
        (
            HALF,
            ["np.where(np.arange(a.shape[0]) < a.shape[0] // 2, r(a), a) * b"],
            [
                "a * b",
                "r(a) * b",
                "np.where(np.arange(a.shape[0]) < a.shape[0] // 2, a, r(a)) * b",
                "np.where(np.arange(a.shape[0]) < a.shape[0] // 2, r(a * b), a * b)",
                "np.where(np.arange(a.shape[0]) <= a.shape[0] // 2, r(a), a) * b",
            ],
        ),
        (STORED, ["r(a * b) + b"], ["a * b + b", "r(a * b + b)", "r(a) * b + b", "r(a * b) + r(b)", "r(a) * r(b) + b"]),
        (SUMMED, ["r(a * b).sum()"], ["(a * b).sum()", "a @ b", "(r(a) * b).sum()", "r((a * b).sum())"]),
        (NARROW, ["(r(a) * b).astype(np.float32)"], ["(a * b).astype(np.float32)", "(r(a) * r(b)).astype(np.float32)"]),
        (COMPARED, ["(r(a) < 0.1).astype(np.int32)"], ["(a < 0.1).astype(np.int32)"]),
    ],
)  # fmt: skip
def test_a_double_is_rounded_and_widened_just_where_the_source_does(
    accept: Accept, reject: Reject, source: str, right: list[str], wrong: list[str]
) -> None:
    parameters = "a" if "b[" not in source else "a, b"
    for value in right:
        accept(source, f"{ROUND}def f({parameters}):\n    return {value}")
    for value in wrong:
        assert reject(source, f"{ROUND}def f({parameters}):\n    return {value}") == UNEQUAL, value


def test_a_double_is_rounded_in_every_iteration(accept: Accept, reject: Reject) -> None:
    accept(CARRIED, STEP.format("np.float64(np.float32(a[i - 1] * a[i - 1] + b[i]))"))
    for value in ("a[i - 1] * a[i - 1] + b[i]", "np.float64(np.float32(a[i - 1] * a[i - 1])) + b[i]"):
        assert reject(CARRIED, STEP.format(value)) == LOOP


@pytest.mark.parametrize(
    ("number", "same"), [("0.25f * 0.5f", True), ("1 - 0.25f", True), ("1.5f / 4", True), ("0.1f * 0.3f", False)]
)
def test_numbers_may_be_combined_where_that_is_exact(accept: Accept, reject: Reject, number: str, same: bool) -> None:  # noqa: FBT001 - a parameter
    source = SINGLE.replace("2 * a[i]", f"({number}) * a[i]")
    program = f"def f(a):\n    return ({number.replace('f', '')}) * a"
    assert accept(source, program) if same else reject(source, program) == UNEQUAL


TWICE = """void f(int n, double a[n], double c[n], double d[n]) {
  for (int i = 0; i < n; i++) c[i] = (float)(2 * a[i]);
  for (int i = 0; i < n; i++) d[i] = c[i] * c[n - 1 - i];
}"""


def test_what_a_cut_proved_to_be_rounded_needs_no_other_proof(accept: Accept, reject: Reject) -> None:
    program = "def f(a):\n    c = {}\n    d = c * c[::-1]\n    return c, d"
    cut = Cut(3, "c", "c_1")
    accept(TWICE, program.format("(2 * a).astype(np.float32).astype(np.float64)"), [cut])
    assert reject(TWICE, program.format("2 * a"), [cut]) == UNEQUAL


FACTOR = """float f(int n, double k, float x[n]) {
  float s = 0;
  for (int i = 0; i < n - 1; i++) { float d = x[i + 1] - x[i]; s += (float)k * d * d; }
  return s;
}"""


@pytest.mark.parametrize("factor", ["np.float32(k)", "(np.float32(k) + np.float32(0))"])
def test_how_a_factor_of_a_sum_over_nothing_is_rounded_does_not_show(accept: Accept, factor: str) -> None:
    accept(FACTOR, f"def f(k, x):\n    t = x[1:] - x[:-1]\n    return {factor} * (t @ t)")


@pytest.mark.parametrize(
    "value", ["np.float32(k) * (t @ t) + (np.float32(k) - np.float32(k))", "np.float32(1.0 / (1.0 / k)) * (t @ t)"]
)
def test_what_else_is_rounded_or_divided_shows(reject: Reject, value: str) -> None:
    assert reject(FACTOR, f"def f(k, x):\n    t = x[1:] - x[:-1]\n    return {value}") in {DIVISOR, UNEQUAL}
