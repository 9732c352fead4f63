"""The work of loops and of programs, by degree."""

import pytest

from tensorlift.ir.work import Work
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least
from tensorlift.source import source_from_text

N, M, SQUARE, BOTH = (Work(frozenset({names})) for names in (("n",), ("m",), ("n", "n"), ("m", "n")))

SOURCES = {
    "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[i] += A[i][j] * x[j];": "n**2",
    "for (int i = 0; i < n; i++) y[i] = 2 * x[i]; for (int i = 0; i < m; i++) z[i] = 1;": "m + n",
    "for (int i = 0; i + 4 <= n; i += 4) for (int k = 0; k < 4; k++) y[i + k] = x[i + k];": "n",
    "for (int i = 0; i < n; i++) { y[i] = 0; for (int p = r[i]; p < r[i + 1]; p++) y[i] += v[p]; }": "n + v_size",
    "while (x[0] > 1) { for (int i = 0; i < n; i++) x[i] = x[i] / 2; }": "n*steps",
}


@pytest.mark.parametrize("body", SOURCES)
def test_the_work_of_a_source_is_that_of_its_innermost_statements(body: str) -> None:
    parameters = "int n, int m, double A[n][n], double x[n], double y[n], double z[m], const int *r, const double *v"
    text = f"void f({parameters}) {{ {body} }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert function.work["source"] == SOURCES[body]


def test_what_divides_another_product_does_not_count() -> None:
    assert str(N + M + BOTH) == "m*n"
    assert str((N + M) * N) == "m*n + n**2"


def test_a_size_may_stand_for_one_that_is_no_less() -> None:
    assert N.fits(BOTH, UNIVERSE)
    assert not SQUARE.fits(BOTH, UNIVERSE)
    assert SQUARE.fits(BOTH, Domain.of(at_least(Affine.var("m"), Affine.var("n"))))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", ["c", "numpy"])
@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 1; i < n; i++) A[0][i] = A[0][i - 1] + B[0][i];",
        "for (int i = 1; i < m; i++) A[i][0] = A[i - 1][0] * B[i][0];",
        "double s = 0; for (int i = 0; i < n; i++) { s += B[0][i]; A[0][i] = s; A[1][i] = s * s; }",
        "for (int j = n - 2; j >= 0; j--) A[1][j] = A[1][j + 1] + B[1][j];",
        "double t = 0; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) { t += A[i][j]; A[i][j] = t; }",
    ],
)
def test_a_running_sum_along_a_row_is_no_more_than_that(body: str, target: str) -> None:
    text = f"void f(int m, int n, double A[m][n], const double B[m][n]) {{ {body} }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target, test=True)).functions
    assert function.lifted
    assert "**2" not in function.work["program"]


def test_attention_in_c_is_the_loop_over_its_rows() -> None:
    text = """#include <math.h>
    void f(int n, int d, double q[n][d], double k[n][d], double v[n][d], double p[n], double o[n][d]) {
      for (int i = 0; i < n; i++) {
        double best = -INFINITY, sum = 0;
        for (int j = 0; j < n; j++) {
          p[j] = 0;
          for (int l = 0; l < d; l++) p[j] += q[i][l] * k[j][l];
          if (p[j] > best) best = p[j];
        }
        for (int j = 0; j < n; j++) { p[j] = exp(p[j] - best); sum += p[j]; }
        for (int l = 0; l < d; l++) {
          o[i][l] = 0;
          for (int j = 0; j < n; j++) o[i][l] += p[j] / sum * v[j][l];
        }
      }
    }"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target="c", test=True)).functions
    assert function.level == "proved"
    assert function.work == {"source": "d*n**2", "program": "d*n**2"}
    assert "cblas_dgemv" in function.program


@pytest.mark.parametrize("target", ["jax", "numpy"])
def test_a_loop_that_goes_over_a_whole_array_in_each_iteration_is_no_gain(target: str) -> None:
    text = """void swapped(int n, double x[n]) {
      double buf[n];
      for (int i = 0; i < n; i++) buf[i] = x[i];
      for (int i = 1; i < n; i++) {
        double t = buf[n - 1 - i]; buf[n - 1 - i] = buf[i]; buf[i] = t; x[i] = buf[n - 1]; } }"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions
    assert (function.level, function.verdict) == ("proved", "unchanged")
    assert function.work["excess"] == function.work["program"] == "n**2"
