"""Variables of programs in C: declared where they get their first value, and none that only hands a value on."""

from __future__ import annotations

import pytest

from tensorlift import lift

NORM = """double norm(int n, double x[n]) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i] * x[i];
  return sum;
}
"""
FILTER = """void filter(int m, int n, float a, float x[m][n], float y[m][n]) {
  for (int i = 0; i < m; i++) {
    float last = 0;
    for (int j = 0; j < n; j++) { y[i][j] = a * x[i][j] + (1 - a) * last * last; last = y[i][j]; }
  }
}
"""
CARRIED = """float carried(int n, float a, float x[n]) {
  float last = a;
  for (int i = 0; i < n; i++) { x[i] = x[i] + last * last; last = x[i]; }
  return last;
}
"""
STATUS = """int scaled(int n, int m, double x[m], double y[m]) {
  if (n < m) return -1;
  if (n > m) return -2;
  for (int i = 0; i < m; i++) y[i] = 2 * x[i];
  return 0;
}
"""
COUNTED = """int counted(int n, int x[n]) {
  int most = x[0], count = 0;
  for (int i = 1; i < n; i++) if (x[i] > most) most = x[i];
  for (int i = 0; i < n; i++) if (x[i] == most) count++;
  return count;
}
"""

CLIPPED = """void clipped(int n, int s, const signed char *x, signed char *y) {
  for (int i = 0; i < n; i++) { int v = x[i] * (1 << s); y[i] = v > 127 ? 127 : v < -128 ? -128 : v; }
}
"""


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            NORM,
            """
  double sum = 0.0;
  #pragma omp parallel for reduction(+: sum) if (n > 65536)
  for (ptrdiff_t k = 0; k < n; k++)
    sum += x[k] * x[k] * x[k];
  return sum;
}
""",
        ),
        (
            STATUS,
            """
  int result;
  if (n == m)
    #pragma omp parallel for simd if (parallel: m > 65536)
    for (ptrdiff_t i = 0; i < m; i++)
      y[i] = 2.0 * x[i];
  if (m >= n + 1)
    result = -1;
  else if (n >= m + 1)
    result = -2;
  else
    result = 0;
  return result;
}
""",
        ),
        (
            FILTER,
            """
  #pragma omp parallel for if ((double)m * n > 65536)
  for (ptrdiff_t i = 0; i < m; i++) {
    float last = 0.0f;
    for (ptrdiff_t j = 0; j < n; j++) {
      y[i][j] = a * x[i][j] + (1.0f - a) * last * last;
      last = y[i][j];
    }
  }
}
""",
        ),
        (
            CARRIED,
            """
  float last = a;
  for (ptrdiff_t i = 0; i < n; i++) {
    x[i] += last * last;
    last = x[i];
  }
  return last;
}
""",
        ),
    ],
)
def test_a_variable_is_declared_at_its_first_value(source: str, text: str) -> None:
    (function,) = lift(source, to="c", test=True).functions
    assert text in (function.program or "")
    assert all(trial.passed for trial in function.tests)


def test_a_choice_is_made_before_it_is_made_narrow() -> None:
    """Compilers would make both of what it is chosen from narrow, and find no limits of a range any more."""
    (function,) = lift(CLIPPED, to="c", test=True).functions
    assert "    const int t1 = t > 127 ? 127 : t < -128 ? -128 : t;\n    y[i] = (signed char)t1;" in function.program
    assert all(trial.passed for trial in function.tests)


def test_what_is_computed_from_a_fold_reads_its_variable() -> None:
    text = lift(COUNTED, to="c", test=True).source
    assert "parallel for simd reduction(max: most)" in text
    assert "count += x[k] == most ? 1 : 0;" in text
    assert "return count;" in text
