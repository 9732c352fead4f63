"""Complex numbers are pairs of reals, in arguments, results, arrays and calls, and mean what the source computes."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

import pytest
from tests.lifts import lifted

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from pathlib import Path

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


@pytest.mark.in_turns(2)
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


IN_PYTHON = {
    "elements": """
        def f(a: complex, x: "complex128[:]", y: np.ndarray):
            for i in range(len(x)):
                if x[i] != 0:
                    y[i] = (2 - x[i]) / 4 + a * x[i].conjugate() * 1j - abs(a)
            return sum(v * v for v in y), a.real""",
    "whole arrays": """
        def f(A: "complex128[:, :]", x: NDArray[np.complex128], y: NDArray[np.complex128]):
            t = A @ x[:] + y
            y *= 2j - np.vdot(x, x)
            y[1:] += np.exp(1j * y[:-1].imag)
            return t.conj() / 2, np.sum(y), t.real""",
    "items, and arrays of its own": """
        def f(x: "complex128[:]", y: "complex128[:]", r: "float64[:]"):
            z = np.zeros((len(x), 2), dtype=complex)
            for i, (v) in enumerate(x):
                z[i, 1] = v ** 2 - r[i]
            return z, sum(a * b for a, b in zip(x, y))""",
}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_program_in_python_means_what_it_computes(name: str, tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(f"import numpy as np\nfrom numpy.typing import NDArray\n{dedent(IN_PYTHON[name])}\n")
    (function,) = lifted(read_source(str(tmp_path / "f.py")), LiftOptions(("f",), test=True)).functions
    assert function.lifted, function.diagnostics
    assert (str(function.level), str(function.definitions)) == ("proved", "proved"), function.undecided
    assert function.tests
    assert not [trial.failure for trial in function.tests if trial.failure]


IN_CPP = {
    "vectors, references and literals": """
        cplx f(std::vector<cplx> &x, const cplx &a, cplx &sum, const std::complex<float> *p) {
          cplx last;
          for (auto &v : x) { v *= a + 2.0i; v.real(v.imag()); v -= 1.0; if (v != 0.0) v = -(1.0 / v); }
          for (cplx v : x) { sum += std::exp(v); last = std::norm(v) > 1.0 ? v : cplx{std::abs(v), 2}; }
          return last * cplx(p[1]) + x[0].imag() * std::polar(1.0, std::real(a));
        }""",
    "functions of the library, and vectors of its own": """
        template <typename T> T twice(T a) { if (a == T(1)) return a; return a + a; }
        std::vector<cplx> f(const std::vector<cplx> &x, cplx u, const std::array<cplx, 2> &w) {
          std::vector<cplx> y(x.size(), u), z = y;
          std::transform(x.begin(), x.end(), y.begin(), [&](const cplx &v) { return twice(v) * std::conj(w[1]); });
          z[0] = std::accumulate(x.begin(), x.end(), cplx(0, 1));
          for (std::size_t i = 0; i < x.size(); ++i) y[i] += z[i];
          return y;
        }""",
}


@pytest.mark.parametrize("name", IN_CPP)
def test_a_program_in_cpp_means_what_it_computes(name: str, tmp_path: Path) -> None:
    headers = "".join(f"#include <{name}>\n" for name in ("algorithm", "array", "complex", "numeric", "vector"))
    text = f"{headers}using namespace std::complex_literals;\nusing cplx = std::complex<double>;\n"
    (tmp_path / "f.cpp").write_text(text + dedent(IN_CPP[name]))
    (function,) = lifted(read_source(str(tmp_path / "f.cpp")), LiftOptions(("f",), test=True)).functions
    assert function.lifted, function.diagnostics
    assert (str(function.level), str(function.definitions)) == ("proved", "proved"), function.undecided
    assert function.tests
    assert not [trial.failure for trial in function.tests if trial.failure]


REFUSED = {
    'def f(a: float, t: "float64[:]"):\n    return np.sum(a + 1j * t)': "are made of different arrays",
    'def f(t: "float64[:]"):\n    return (1j * t).real': "are made of different arrays",
    'def f(x: "complex128[:]"):\n    t = x[1:]\n    t *= 2': "may have other names",
    'def f(x: "complex128[:]"):\n    x[:] = x.imag + 1j * x.real': "as it lies in memory",
    'def f(x: "complex128[:]"):\n    return x[0] > x[1]': "not lifted: `x[0]`",
    'def f(x: "complex128[:]", r: "float64[:]"):\n    r[0] = x[0]': "a complex number is stored in `r[0]`",
    'def f(x: "complex128[:]"):\n    return np.unwrap(x)': "not lifted: `np.unwrap(x)`",
    'def f(x: "complex128[:]"):\n    return x ** 0.5': "this operator on complex numbers",
    'def f(A: "complex128[:, :]"):\n    return np.vdot(A, A)': "of what may have several dimensions",
    'def f(x: "complex64[:]", a: complex):\n    x[0] = abs(a)': "beside numbers of 32 bits",
    'def f(x: "list[complex]"):\n    return x[0]': "the annotation `'list[complex]'`",
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_not_lifted_is_refused(source: str, tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(f"import numpy as np\n{source}\n")
    (function,) = lift_source(read_source(str(tmp_path / "f.py")), LiftOptions(("f",))).functions
    assert not function.lifted
    assert function.diagnostics[0].code == "TL179"
    assert REFUSED[source] in function.diagnostics[0].message


def test_a_running_sum_in_c_goes_over_the_numbers_once_for_each_part() -> None:
    source = (
        HEAD
        + """void f(int n, const double complex *x, double complex *y) {
      double complex s = 0; for (int i = 0; i < n; i++) { s += x[i]; y[i] = s; } }"""
    )
    (function,) = lifted(source_from_text(source), LiftOptions(("f",), "c", test=True)).functions
    assert function.program.count("for (") == 2, function.program
    assert not [trial.failure for trial in function.tests if trial.failure]
