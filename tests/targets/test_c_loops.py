"""Loops in C: folds that are computed once, running folds in place, and names of what stands in one block."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from tensorlift import lift

if TYPE_CHECKING:
    from pathlib import Path

VARIANCE = """double variance(int n, const double *x) {
  double mu = 0, v = 0;
  for (int i = 0; i < n; i++) mu += x[i];
  mu /= n;
  for (int i = 0; i < n; i++) v += (x[i] - mu) * (x[i] - mu);
  return v / n;
}
"""
TWO_SUMS = """void f(int n, double a[n], double b[n], double c[n]) {
  double s = 0, t = 0;
  for (int i = 0; i < n; i++) { s += a[i] * a[i] * a[i]; t += b[i] * b[i] * b[i]; }
  for (int i = 0; i < n; i++) c[i] = c[i] * s + t;
}
"""
ROW_VARIANCES = """void f(int m, int n, double x[m][n], double y[m]) {
  for (int i = 0; i < m; i++) {
    double mu = 0;
    y[i] = 0;
    for (int j = 0; j < n; j++) mu += x[i][j];
    for (int j = 0; j < n; j++) y[i] += (x[i][j] - mu / n) * (x[i][j] - mu / n);
  }
}
"""
LAYER_NORM = """#include <math.h>
void f(int m, int n, float x[m][n], float y[m][n]) {
  for (int i = 0; i < m; i++) {
    float mu = 0, v = 0;
    for (int j = 0; j < n; j++) mu += x[i][j];
    mu /= n;
    for (int j = 0; j < n; j++) v += (x[i][j] - mu) * (x[i][j] - mu);
    for (int j = 0; j < n; j++) y[i][j] = (x[i][j] - mu) / sqrtf(v / n + 1e-5f);
  }
}
"""
LOG_SOFTMAX = """#include <math.h>
void f(int m, int n, float x[m][n], float y[m][n]) {
  for (int i = 0; i < m; i++) {
    float mx = x[i][0], s = 0;
    for (int j = 1; j < n; j++) if (x[i][j] > mx) mx = x[i][j];
    for (int j = 0; j < n; j++) s += expf(x[i][j] - mx);
    for (int j = 0; j < n; j++) y[i][j] = x[i][j] - (logf(s) + mx);
  }
}
"""
ARGMAX = """void f(int m, int n, float x[m][n], int y[m]) {
  for (int i = 0; i < m; i++) {
    int best = 0;
    for (int j = 1; j < n; j++) if (x[i][j] > x[i][best]) best = j;
    y[i] = best;
  }
}
"""
SOFTMAX = """#include <math.h>
void f(int m, int n, float x[m][n]) {
  for (int i = 0; i < m; i++) {
    float mx = x[i][0], s = 0;
    for (int j = 1; j < n; j++) if (x[i][j] > mx) mx = x[i][j];
    for (int j = 0; j < n; j++) { x[i][j] = expf(x[i][j] - mx); s += x[i][j]; }
    for (int j = 0; j < n; j++) x[i][j] /= s;
  }
}
"""
TRIANGLE = """void f(int n, double x[n][n], double y[n][n]) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j <= i; j++) s += x[i][j];
    for (int j = 0; j <= i; j++) y[i][j] = x[i][j] / s;
  }
}
"""
CUBE = """#include <math.h>
void f(int m, int n, int p, double x[m][n][p], double y[m][n][p]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < p; k++) s += x[i][j][k];
      for (int k = 0; k < p; k++) y[i][j][k] = s * exp(x[0][i][0]) + x[i][j][k];
    }
}
"""
NORMALISE = """#include <math.h>
void f(int m, int n, double x[m][n]) {
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += x[i][j] * x[i][j];
    for (int j = 0; j < n; j++) x[i][j] /= sqrt(s);
  }
}
"""
DISTANCES = """#include <math.h>
void f(int m, int n, int d, double a[m][d], double b[n][d], double c[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k < d; k++) s += (a[i][k] - b[j][k]) * (a[i][k] - b[j][k]);
      c[i][j] = sqrt(s);
    }
}
"""
RUNNING_SUM = "void f(int n, double x[n]) { for (int i = 1; i < n; i++) x[i] += x[i - 1]; }"
RUNNING_MAX = "void f(int n, int x[n]) { for (int i = 1; i < n; i++) x[i] = x[i] > x[i - 1] ? x[i] : x[i - 1]; }"
RUNNING_ROWS = """void f(int m, int n, double x[m][n]) {
  for (int i = 0; i < m; i++) for (int j = 1; j < n; j++) x[i][j] += x[i][j - 1];
}
"""
RUNNING_COLUMNS = """void f(int m, int n, double x[m][n]) {
  for (int i = 1; i < m; i++) for (int j = 0; j < n; j++) x[i][j] += x[i - 1][j];
}
"""
EXCLUSIVE = """void f(int n, double x[n], double y[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) { y[i] = s; s += x[i]; }
}
"""
EXCLUSIVE_ROWS = """void f(int m, int n, double x[m][n], double y[m][n]) {
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) { y[i][j] = s; s += x[i][j]; }
  }
}
"""
SHIFTED = """void f(int n, double x[n]) {
  double s = 0;
  for (int i = 0; i < n; i++) { double t = x[i]; x[i] = s; s += t; }
}
"""
DISCOUNTED = """void f(int n, double s, double x[n], double y[n]) {
  for (int i = 0; i < n; i++) { y[i] = 2 * s; s /= 1 + x[i]; }
}
"""
SUFFIX = """void f(int n, double x[n], double y[n]) {
  double s = 0;
  for (int i = n - 1; i >= 0; i--) { s += x[i]; y[i] = s; }
}
"""
SUFFIX_ROWS = """void f(int m, int n, double x[m][n], double y[m][n]) {
  for (int i = 0; i < m; i++) {
    double s = 0;
    for (int j = n - 1; j >= 0; j--) { y[i][j] = s; s += x[i][j]; }
  }
}
"""
STATISTICS = """#include <math.h>
double f(int m, int n, double x[m][n], double mean[n], double sd[n]) {
  double total = 0;
  for (int j = 0; j < n; j++) {
    double s = 0, q = 0;
    for (int i = 0; i < m; i++) { s += x[i][j]; q += x[i][j] * x[i][j]; }
    mean[j] = s / m;
    sd[j] = sqrt(q / m - mean[j] * mean[j]);
    total += sd[j];
  }
  return total;
}
"""
PIVOT = """void f(int n, double x[n]) {
  for (int i = n - 1; i >= 1; i--)
    for (int j = 1; j <= i; j++) x[j] -= x[i];
}
"""
SCALED_BY_ONE = "void f(int n, int k, double x[n]) { if (k < n) for (int i = 0; i < k; i++) x[i] /= x[k]; }"
LAST_OF_ITS_OWN = "void f(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = x[i] * x[i] - x[n - 1]; }"
OF_THE_SAME_TYPE = "void f(int n, const int *r, int *q) { for (int i = 0; i < n; i++) q[i] = r[0] % 97; }"
FIRST_OF_ITS_OWN = "void f(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] -= x[0]; }"
MOMENTUM = """void f(int n, double lr, double mu, double g[n], double v[n], double w[n]) {
  for (int i = 0; i < n; i++) { v[i] = mu * v[i] + g[i]; w[i] -= lr * v[i]; }
}
"""


SAME = """int f(int n, const int *a, const int *b) {
  int same = 1;
  for (int i = 0; i < n; i++) same = same && a[i] == b[i];
  return same;
}
"""
PADDED = """void f(int h, int w, const double *x, const double *k, double *y) {
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++) {
      double s = 0;
      for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
          if (i + p >= 1 && i + p <= h && j + q >= 1 && j + q <= w) s += x[(i + p - 1) * w + j + q - 1] * k[3 * p + q];
      y[i * w + j] = s;
    }
}
"""


def _program(source: str) -> str:
    """Lift to C, compare with the compiled source, and return the program without the function around it."""
    lifted = lift(source, to="c", test=shutil.which("cc") is not None)
    return lifted.source.partition("_original(")[0]


@pytest.mark.parametrize(
    ("source", "loops"), [(RUNNING_SUM, 1), (RUNNING_MAX, 1), (RUNNING_ROWS, 2), (RUNNING_COLUMNS, 2)]
)
def test_a_running_fold_in_place_keeps_its_accumulator(source: str, loops: int) -> None:
    assert _program(source).count("for (") == loops


@pytest.mark.parametrize(
    ("source", "first", "step"),
    [
        (EXCLUSIVE, "y[0] = sum;", "sum += x[i - 1];"),
        (EXCLUSIVE_ROWS, "y[i][0] = sum;", "sum += x[i][j - 1];"),
        (DISCOUNTED, "y[0] = 2.0 * (s * product);", "product *= 1.0 / (1.0 + x[i - 1]);"),
        (SUFFIX_ROWS, "y[i][n - 1] = sum;", "sum += x[i][n - k];"),
    ],
)
def test_a_running_fold_without_the_present_cell_writes_the_first_one_before(
    source: str, first: str, step: str
) -> None:
    text = _program(source)
    assert first in text
    assert step in text
    assert text.count("for (") == source.count("for (")


def test_a_running_fold_that_falls_goes_through_the_cells_from_the_last_one() -> None:
    assert "sum += x[n - j - 1];\n    y[n - j - 1] = sum;" in _program(SUFFIX)


@pytest.mark.parametrize(
    ("source", "once"),
    [
        (PIVOT, "double x_cell = x[n - i - 1];\n"),
        (SCALED_BY_ONE, "  if (n >= k + 1)\n    x_cell = x[k];\n"),
        (OF_THE_SAME_TYPE, "int r_cell = r[0];\n"),
        (LAST_OF_ITS_OWN, "double x_cell = x[n - 1];\n"),
    ],
)
def test_a_cell_that_a_loop_overwrites_is_read_before_it(source: str, once: str) -> None:
    text = _program(source)
    assert once in text
    assert text.count("_cell") == 2 + text.count("double x_cell;")


def test_a_cell_that_a_loop_reads_after_it_was_overwritten_is_read_where_it_is() -> None:
    assert "cell" not in _program(FIRST_OF_ITS_OWN)


def test_a_running_fold_of_cells_that_it_overwrites_reads_a_copy() -> None:
    assert "sum += x_before[i - 1];\n    x[i] = sum;" in _program(SHIFTED)


def test_a_running_fold_of_cells_behind_it_reads_them_before_they_are_written() -> None:
    text = _program(
        """void f(int n, double x[n]) {
          double s = 0, y[n];
          for (int i = 0; i < n; i++) { s += x[n - 1 - i]; y[i] = s; }
          for (int i = 0; i < n; i++) x[i] = y[i];
        }"""
    )
    assert "sum += x[n - i - 1];" in text
    assert "x[i] = sum;" not in text


@pytest.mark.parametrize(("source", "names"), [(VARIANCE, ("sum", "v")), (TWO_SUMS, ("s", "t"))])
def test_accumulators_in_one_block_have_names_of_their_own(source: str, names: tuple[str, str]) -> None:
    text = _program(source)
    assert all(text.count(f"double {name} = 0.0;") == 1 for name in names)


@pytest.mark.parametrize(("source", "loops"), [(ROW_VARIANCES, 3), (LAYER_NORM, 4), (LOG_SOFTMAX, 4)])
def test_a_fold_that_does_not_vary_is_computed_once(source: str, loops: int) -> None:
    assert _program(source).count("for (") == loops


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", [LAYER_NORM, LOG_SOFTMAX, NORMALISE, SOFTMAX, TRIANGLE, CUBE])
def test_what_the_cells_of_a_row_share_is_computed_at_its_start(source: str) -> None:
    text = _program(source)
    assert "part" not in text
    assert "x_before" not in text
    assert not re.search(r"\[j\].*(sqrt|log|exp)f?\((sum|s|x\[i\]\[0\])", text)


def test_folds_that_read_other_rows_are_computed_before() -> None:
    text = _program(
        """void f(int m, int n, double x[m + 1][n]) {
          for (int i = 0; i < m; i++) {
            double s = 0;
            for (int j = 0; j < n; j++) s += x[i + 1][j];
            for (int j = 0; j < n; j++) x[i][j] = s;
          }
        }"""
    )
    assert "part[i] = sum;" in text


def test_rows_share_nothing_where_two_pieces_overwrite_them() -> None:
    text = _program(
        """void f(int m, int n, double x[m][n]) {
          for (int i = 0; i < m; i++) {
            double s = 0;
            for (int j = 0; j < n; j++) s += x[i][j];
            for (int j = 1; j < n; j++) x[i][j] = s * x[i][j];
            x[i][0] = -s;
          }
        }"""
    )
    assert "part" in text


@pytest.mark.parametrize(
    ("fold", "value"),
    [
        ("double r = x[i]; for (int k = 0; k < m; k++) r = fmax(r, y[i]);", "fmax(x[i], y[i])"),
        ("double r = x[i]; for (int k = 0; k < m; k++) r = y[i] > r ? y[i] : r;", "x[i] > y[i] ? x[i] : y[i]"),
        ("int r = 0; for (int k = 0; k < m; k++) if (y[i] > 3) r = 1;", "y[i] > 3.0 ? 1.0 : 0.0"),
    ],
)
def test_a_fold_of_one_value_is_that(fold: str, value: str) -> None:
    text = _program(
        f"""#include <math.h>
        void f(int n, int m, double x[n], double y[n], double z[n]) {{
          for (int i = 0; i < n; i++) {{ {fold} z[i] = r; }}
        }}"""
    )
    assert value in text
    assert text.count("for (") == 1


def test_a_fold_of_one_value_over_perhaps_no_points_asks_once() -> None:
    text = _program(
        "double f(int n, double a) { double s = 3; for (int k = 5; k < n; k++) if (a > s) s = a; return s; }"
    )
    assert "  if (n >= 6)\n    s = a > s ? a : s;" in text


def test_a_greatest_float_is_one_of_the_floats() -> None:
    assert "float best = -INFINITY;" in _program(ARGMAX)


def test_an_array_that_a_fold_reads_is_overwritten_without_a_copy() -> None:
    assert "x_before" not in _program(NORMALISE)


def test_squares_of_differences_are_not_multiplied_out() -> None:
    text = _program(DISTANCES)
    assert "a[i][k] - b[j][k]" in text
    assert "cblas" not in text


def test_a_conjunction_in_an_integer_is_one_in_a_truth_value() -> None:
    assert "every = every && a[k] == b[k];" in _program(SAME)


def test_windows_that_reach_over_the_border_start_and_end_at_it() -> None:
    text = _program(PADDED)
    assert "= 0 > -i + 1 ? 0 : -i + 1;" in text
    assert " ? " not in text[text.index("sum1 +=") :].partition(";")[0]


def test_what_an_array_holds_is_read_and_not_computed_again() -> None:
    text = _program(STATISTICS)
    assert "sqrt(sd[j] / (double)m - mean[j] * mean[j])" in text.replace("[i]", "[j]")
    assert "total += sd[k];" in text
    assert "w[i] = w[i] - lr * v[i];" in _program(MOMENTUM)


def test_what_was_overwritten_since_is_computed_again() -> None:
    text = _program(
        """void f(int n, double a[n], double b[n], double x[n], double y[n]) {
          for (int i = 0; i < n; i++) x[i] = a[i] * b[i];
          for (int i = 0; i < n; i++) x[i] += 1;
          for (int i = 0; i < n; i++) y[i] = a[i] * b[i];
        }"""
    )
    assert "y[i] = a[i] * b[i];" in text


def test_cells_that_hold_another_value_are_not_read() -> None:
    text = _program(
        """void f(int n, double a[n], double b[n], double x[n + 1], double y[n]) {
          for (int i = 1; i < n; i++) x[i] = a[i] * b[i];
          for (int i = 0; i < n; i++) y[i] = a[i] * b[i];
        }"""
    )
    assert "y[i] = a[i] * b[i];" in text


def test_scratch_memory_of_rows_is_given_as_such() -> None:
    source = """void f(int n, float a[n][n]) {
      for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) { float t = a[i][j]; a[i][j] = a[j][i]; a[j][i] = t; }
    }"""
    assert "f_lifted(n, (void *)a, (void *)a_before);" in lift(source, to="c").source


def test_what_cells_and_folds_over_them_need_is_computed_once_and_stored_first() -> None:
    text = _program(SOFTMAX)
    assert text.count("expf(") == 1
    assert "x[i][j] = expf(x[i][j] - best);" in text
    assert "x[i][j] = x[i][j] / sum;" in text


def test_what_is_needed_of_the_old_cells_is_not_stored_over_them() -> None:
    text = _program(
        SOFTMAX.replace("x[i][j] /= s;", "x[i][j] = x[i][j] / s + z[i][j];").replace(
            "x[m][n])", "x[m][n], float z[m][n])"
        )
    )
    assert text.count("expf(") == 1
    text = _program(
        """#include <math.h>
        void f(int m, int n, double x[m][n]) {
          for (int i = 0; i < m; i++) {
            double s = 0;
            for (int j = 0; j < n; j++) s += exp(x[i][j]);
            for (int j = 0; j < n; j++) x[i][j] = x[i][j] * exp(x[i][j]) / s;
          }
        }"""
    )
    assert text.count("exp(") == 2


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        ("", "", 1),
        ("", "return;", 1),
        ("x[0] = 0;", "", 1),
        ("", "for (int j = 0; j < n; j++) y[j] = x[j] + s;", 2),  # what is read of the old cells stays
    ],
)
def test_what_an_array_and_a_sum_over_it_need_is_stored_first(before: str, after: str, count: int) -> None:
    sums = "for (int j = 0; j < n; j++) s += exp(x[j] - 1);"
    cells = "for (int j = 0; j < n; j++) x[j] = exp(x[j] - 1) / s;"
    late, last = (after, "") if count > 1 else ("", after)
    body = f"double s = 0; {before} {sums} {late} {cells} {last}"
    text = _program(f"#include <math.h>\nvoid f(int n, double *x, double *y) {{ {body} }}")
    assert text.count("exp(") == count


def test_what_is_stored_first_is_no_more_than_the_array_has() -> None:
    text = _program(
        """#include <math.h>
        void f(int n, int m, double *x) {
          double s = 0;
          for (int j = 0; j < m; j++) s += exp(x[j]);
          for (int j = 0; j < n; j++) x[j] = exp(x[j]) / s;
        }"""
    )
    assert text.count("exp(") == 2


def test_a_kernel_of_which_a_definition_has_no_cells_goes_to_c(root: Path) -> None:
    assert lift(root / "bench/kernels/polybench/nussinov.c", to="c").verdict == "hybrid"
