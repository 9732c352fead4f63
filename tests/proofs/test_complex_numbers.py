"""Complex numbers of C are pairs of reals, in arguments, results, arrays and calls, and mean what C computes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.lifts import lifted

from tensorlift.pipeline import LiftOptions
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

HEAD = "#include <complex.h>\n#include <stdlib.h>\n"
PROGRAMS = {
    "both kinds of arguments, and of results": """
        double complex f(int n, double complex a, const float complex *x, double *r) {
          double complex s = a; float complex t = x[0]; __imag__ t = 3;
          for (int i = 0; i < n; i++) { s += x[i] * a; r[i] = s == a ? 1 : -creal(t); }
          return ~s - CMPLX(1, 2) / t;
        }""",
    "real operands on either side": """
        void f(int n, int k, double complex *x) {
          for (int i = 0; i < n; i++) x[i] = (k - x[i]) / 2 + (2 - I) * 3 / (x[i] * conj(x[i]) + 1.5) - 1;
        }""",
    "narrowing, truth and parts": """
        void f(int n, float complex *x, double a, double complex *z) {
          for (int i = 0; i < n; i++) {
            x[i] *= a; if (x[i] && !z[i]) z[i] = x[i] - I;
            double re = z[i]; __imag__ z[i] = re;
          }
        }""",
    "memory of its own, and an array of constants": """
        void f(int n, const double complex *x, double complex y[n]) {
          double complex *t = malloc(n * sizeof *t), w[2] = {2.0, -1.5 * I};
          for (int i = 0; i < n; i++) t[i] = x[i];
          for (int i = 0; i < n; i++) y[i] = t[n - 1 - i] * w[0] + w[1] * x[i];
          free(t);
        }""",
    "a call, and a choice": """
        static double complex g(double complex a, double b) { return cabs(a) > b ? a / cabs(a) : a; }
        void f(int n, double complex *x) { for (int i = 0; i < n; i++) x[i] = g(x[i] * I, 0.5); }""",
    "rows in flat memory, with gaps": """
        void f(int n, int m, int ld, const double complex *A, const double complex *x, double complex *y) {
          for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += A[i * ld + j] * x[j]; }
        }""",
    "a pointer to the parts": """
        void f(int n, double complex *x) {
          double *r = (double *)x;
          for (int i = 0; i < n; i++) r[2 * i + 1] = -r[2 * i + 1];
        }""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_means_what_it_computes(name: str) -> None:
    record = lifted(source_from_text(HEAD + PROGRAMS[name]), LiftOptions(("f",), test=True))
    (function,) = record.functions
    assert function.lifted, function.diagnostics
    assert (str(function.level), str(function.definitions)) == ("proved", "proved"), function.undecided
    assert function.tests
    assert not [trial.failure for trial in function.tests if trial.failure]


PRODUCT = (
    HEAD
    + """void f(int n, double complex a, const double complex *restrict x, double complex *restrict y) {
  for (int i = 0; i < n; i++) y[i] = a * conj(x[i]); }"""
)
PROGRAM = """def f(a_re, a_im, x, y):
    n = x.shape[0]
    y = np.empty((n, 2))
    y[:, 0] = {}
    y[:, 1] = {}
    return y
"""
RE, IM = "a_re * x[:, 0] + a_im * x[:, 1]", "a_im * x[:, 0] - a_re * x[:, 1]"


def test_the_product_is_proved(accept: Accept) -> None:
    accept(PRODUCT, PROGRAM.format(RE, IM))


@pytest.mark.parametrize(
    ("re", "im"),
    [(RE.replace("+", "-"), IM), (RE, IM.replace("-", "+")), (IM, RE), (RE, "a_re * x[:, 1] - a_im * x[:, 0]")],
)
def test_another_product_is_rejected(reject: Reject, re: str, im: str) -> None:
    reject(PRODUCT, PROGRAM.format(re, im))
