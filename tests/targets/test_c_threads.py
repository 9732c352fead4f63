"""Programs in C on several threads: which loops say so, and that the checker believes none of it."""

from __future__ import annotations

import re

import pytest
from tests.targets.tampering import refusal

from tensorlift import lift
from tensorlift.runtime.differential import always_on_threads

SCALE = """void scale(int m, int n, double a[m][n], double b[m][n], double c[m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) a[i][j] = b[i][j] * c[i] + b[i][j];
}
"""
ROWS = """void rows(int m, int n, float x[m][n], float y[m]) {
  for (int i = 0; i < m; i++) {
    float sum = 0;
    for (int j = 0; j < n; j++) sum += x[i][j] * x[i][j] * x[i][j];
    y[i] = sum;
  }
}
"""
CELL = """void cell(int n, double a[n], double *out) {
  for (int i = 0; i < n; i++) *out += a[i];
}
"""
TOTAL = """int total(int n, int a[n]) {
  int sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sum;
}
"""
GREATEST = """float greatest(int n, float a[n]) {
  float most = a[0];
  for (int i = 1; i < n; i++) if (a[i] > most) most = a[i];
  return most;
}
"""
SMOOTH = """void smooth(int steps, int n, double a[n], double b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i + 1]) / 2;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
MIRROR = """void mirror(int n, double a[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) a[i][j] = a[j][i];
}
"""
WRAPPED = """int wrapped(int n, unsigned a[n]) {
  int s = 0;
  for (int i = 0; i < n; i++) s = a[i] > s ? a[i] : s;
  return s;
}
"""
NARROW = """int narrow(int n, int a[n]) {
  unsigned char s = 0;
  for (int i = 0; i < n; i++) if (a[i] > s) s = a[i];
  return s;
}
"""
KEPT = """void kept(int n, double a[n], double b[n], double *r) {
  for (int i = 0; i < n; i++) { *r = *r * *r + a[i]; b[i] = *r; }
}
"""
PREFIX = """void prefix(int m, int n, double x[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 1; j < n; j++) x[i][j] += x[i][j - 1] * x[i][j];
}
"""
CHAINS = """void chains(int m, int n, double x[m][n], double y[m][n], double z[m][n]) {
  for (int i = 0; i < m; i++) {
    z[i][0] = 1;
    for (int j = 1; j < n; j++) {
      x[i][j] = y[i][j] / (2 + x[i][j - 1]);
      z[i][j] = (y[i][j] - z[i][j - 1]) / (2 + x[i][j - 1]);
    }
    for (int j = n - 2; j >= 0; j--) y[i][j] = x[i][j] - y[i][j + 1] * y[i][j + 1] * z[i][j];
  }
}
"""
ACROSS = """void across(int m, int n, double x[m][n], double y[m][n]) {
  for (int j = 1; j < n; j++)
    for (int i = 0; i < m; i++) x[i][j] = y[i][j] / (2 + x[i][j - 1]);
}
"""
DOWN = """void down(int m, int n, double x[m][n], double y[m][n]) {
  for (int j = 0; j < n; j++)
    for (int i = 1; i < m; i++) x[i][j] = y[i][j] / (2 + x[i - 1][j]);
}
"""
SOLVE = """void solve(int n, double l[n][n], double x[n], double b[n]) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= l[i][j] * x[j];
    x[i] = x[i] / l[i][i];
  }
}
"""
UPSAMPLE = """void upsample(int n, float x[n], float y[2 * n]) {
  for (int i = 0; i < 2 * n; i++) y[i] = x[i / 2];
}
"""
SMALL = """void small(int n, double a[4][8], double b[4][8]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++) a[i][j] = b[i][j] * n;
}
"""
LARGE = """void large(double a[400][800], double b[400][800]) {
  for (int i = 0; i < 400; i++)
    for (int j = 0; j < 800; j++) a[i][j] = b[i][j] * 2;
}
"""
_VECTORS = "#pragma omp simd"


def _text(source: str) -> str:
    program = lift(source, to="c").functions[0].program
    assert program is not None
    return program


def _pragmas(source: str) -> list[str]:
    return [line.strip() for line in _text(source).splitlines() if "#pragma" in line]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("source", "pragmas"),
    [
        (SCALE, ["#pragma omp parallel for if ((double)m * n > 65536)", _VECTORS]),
        (ROWS, ["#pragma omp parallel for if ((double)m * n > 65536)"]),
        (TOTAL, ["#pragma omp parallel for reduction(+: sum) if (n > 65536)"]),
        (GREATEST, ["#pragma omp parallel for simd reduction(max: most) if (parallel: n > 65536)"]),
        (SMOOTH, ["#pragma omp parallel for simd if (parallel: n - 2 > 65536)"] * 2),
        (MIRROR, ["#pragma omp parallel for schedule(static, 8) if ((double)(n - 1) * (n - 1) > 65536)"]),
        (PREFIX, ["#pragma omp parallel for if ((double)m * (n - 1) > 65536)"]),
        (SOLVE, []),
        (WRAPPED, ["#pragma omp parallel for simd reduction(max: s) if (parallel: n > 65536)"]),
        (NARROW, []),
        (KEPT, []),
        (UPSAMPLE, ["#pragma omp parallel for if (n > 32768)", _VECTORS]),
        (SMALL, []),
        (LARGE, ["#pragma omp parallel for", _VECTORS]),
    ],
)
def test_loops_with_independent_iterations_say_so_where_there_is_enough_to_do(source: str, pragmas: list[str]) -> None:
    assert _pragmas(source) == pragmas


@pytest.mark.parametrize("source", [CHAINS, ACROSS])
def test_recurrences_along_rows_run_row_by_row_on_several_threads(source: str) -> None:
    text = _text(source)
    assert _pragmas(source) == ["#pragma omp parallel for if ((double)m * (n - 1) > 65536)"]
    assert text.count("for (") == source.count("for (")
    assert "    for (ptrdiff_t j = 1;" in text
    record = lift(source, to="c").functions[0]
    assert "its iterations are independent, and the loop over j in it stays" in record.residual_loops[0].reason


def test_a_recurrence_down_columns_runs_through_rows() -> None:
    text = _text(DOWN)
    assert text.index("for (ptrdiff_t i = 1;") < text.index("for (ptrdiff_t k = 0; k < n; k++)")
    assert _pragmas(DOWN) == []


_DEPENDENT = "the iterations of this loop are not proved independent"
_OTHERWISE = "may change what the statements compute"


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        pytest.param(TOTAL, " reduction(+: sum)", "", id="no reduction"),
        pytest.param(TOTAL, "(+: sum)", "(*: sum)", id="another operator"),
        pytest.param(TOTAL, "(+: sum)", "(+: n)", id="another variable"),
        pytest.param(GREATEST, "(max: most)", "(min: most)", id="the least for the greatest"),
        pytest.param(
            SMOOTH,
            "  for (ptrdiff_t t",
            "  #pragma omp parallel for if (steps > 65536)\n  for (ptrdiff_t t",
            id="time steps",
        ),
        pytest.param(
            PREFIX,
            "  for (ptrdiff_t j",
            "  #pragma omp parallel for if (n > 65536)\n  for (ptrdiff_t j",
            id="a running value",
        ),
        pytest.param(
            SOLVE,
            "  for (ptrdiff_t i = 0; i < n; i++) {",
            "  #pragma omp parallel for if (n > 65536)\n  for (ptrdiff_t i = 0; i < n; i++) {",
            id="a recurrence",
        ),
        pytest.param(CELL, "sum += a[k]", "*out += a[k]", id="a cell of the caller"),
    ],
)
def test_a_pragma_on_iterations_that_depend_on_each_other_is_refused(source: str, old: str, new: str) -> None:
    assert any(reason in refusal(source, (old, new)) for reason in (_DEPENDENT, _OTHERWISE))


def test_a_pragma_on_a_line_of_two_loops_is_refused() -> None:
    pragma = "#pragma omp parallel for simd if (parallel: n - 2 > 65536)"
    old = f"  for (ptrdiff_t t = 0; t < steps; t++) {{\n    {pragma}\n    for"
    new = "  #pragma omp parallel for if (n - 2 > 65536)\n  for (ptrdiff_t t = 0; t < steps; t++) { for"
    assert refusal(SMOOTH, (old, new)) == _DEPENDENT


def test_a_variable_that_threads_would_share_is_refused() -> None:
    pragma = "  #pragma omp parallel for if ((double)m * n > 65536)\n"
    changes = ((pragma, f"  float sum;\n{pragma}"), ("    float sum = 0.0f;", "    sum = 0.0f;"))
    assert refusal(ROWS, *changes) == _DEPENDENT


@pytest.mark.parametrize(
    "directive",
    [
        "#pragma omp parallel for nowait",
        "#pragma omp parallel for private(m)",
        "#pragma omp parallel for if (m++ > 65536)",
        "#pragma omp parallel for if (apart(a, 1, b, 1) > 0)",
        "#pragma omp simd safelen(8)",
        "#pragma GCC ivdep",
        '_Pragma("omp parallel for")',
        "#line 3",
        "#pragma omp parallel for\n  ;",
        "%:pragma omp parallel for",
        "??=pragma omp parallel for",
        "#define n 7",
        "#ifndef _OPENMP",
        '#include "threads.h"',
    ],
)
def test_any_other_directive_is_refused(directive: str) -> None:
    reason = refusal(SCALE, ("#pragma omp parallel for if ((double)m * n > 65536)", directive))
    assert re.search(r" is no (part of a program|(directive|word) of a program's)$", reason), reason


def test_a_test_runs_every_such_loop_on_several_threads() -> None:
    text = _text(TOTAL)
    assert "#pragma omp parallel for reduction(+: sum)\n" in always_on_threads(text)
    assert " if (n >= 1" in always_on_threads(text)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", [SCALE, ROWS, TOTAL, GREATEST, SMOOTH, MIRROR, PREFIX])
def test_programs_always_on_threads_agree_with_the_compiled_original(source: str) -> None:
    (function,) = lift(source, to="c", test=True).functions
    assert [trial.passed for trial in function.tests] == [True, True]
