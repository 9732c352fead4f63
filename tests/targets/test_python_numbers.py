"""Numbers of Python in emitted programs: where they would raise or round to something else, the text converts them."""

from __future__ import annotations

import pytest

from tensorlift import lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

_LIFTED = {
    "square of a number that a kept loop starts from": (
        """double f(int n, const double *x, double c) { double a = 0, b = 0, t;
        for (int i = 0; i < n; i++) { t = x[i] + c * a - b; b = a; a = t; } return a * a; }""",
        "return a * a",
    ),
    "product of numbers of single precision": (
        "void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] *= 2.0f * 3.14159265f * i; }",
        "x * (6.2831855 * np.arange(n, dtype=np.float32))",
    ),
    "product with a parameter of single precision": (
        "void f(int n, float *x, float a) { for (int i = 0; i < n; i++) x[i] *= a * 3.14159265f; }",
        "a = np.float32(a)",
    ),
    "shift of bits around": (
        "void f(int n, unsigned *x, int k) { for (int i = 0; i < n; i++) x[i] = (x[i] << k) | (x[i] >> (32 - k)); }",
        "x << k.astype(np.uint32) | x >> (32 - k).astype(np.uint32)",
    ),
    "remainder of numbers alone": (
        "void f(int n, int *u, int *r) { for (int k = 0; k < n; k++) { int w = r[0] % 9; u[k] = w % 97 - r[0]; } }",
        "np.fmod(np.fmod(r[0], 9), 97) - r[0]",
    ),
    "choice between numbers that is stored into a cell": (
        """void f(int n, const double *a, double *u) { for (int i = 1; i < n; i++)
        u[i] = a[i] > 0 ? u[i - 1] + u[i] : a[i] < -1 ? 0.5 * u[i - 1] : 1; }""",
        "u[i] = u[i - 1] + u[i] if a[i] > 0.0 else 0.5 * u[i - 1] if a[i] < -1.0 else 1.0",
    ),
    "choice between integers that is stored into a cell": (
        """void f(int n, const long *a, long *u) { for (int i = 1; i < n; i++)
        u[i] = a[i] > 0 ? u[i - 1] * u[i] : 7; }""",
        "u[i] = u[i - 1] * u[i] if a[i] > 0 else 7",
    ),
    "choice in single precision": (
        """void f(int n, const float *a, float *u) { for (int i = 1; i < n; i++)
        u[i] = a[i] > 0 ? u[i - 1] * u[i] : 0.1f; }""",
        "u[i] = np.where(a[i] > 0.0, u[i - 1] * u[i], 0.1)",
    ),
    "choice for a variable that starts as a number of Python": (
        """double f(int n, const double *a) { double h = 0; for (int i = 0; i < n; i++)
        h = a[i] > 0 ? a[i] * h + 1 : 0.5 * h * h; return h; }""",
        "h = a[i] * h + 1.0 if a[i] > 0.0 else 0.5 * h * h",
    ),
}


@pytest.mark.parametrize("case", _LIFTED)
def test_numbers_are_converted_where_their_type_counts(case: str) -> None:
    text, line = _LIFTED[case]
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(("f",))).functions
    assert function.lifted, function.diagnostics
    assert function.program is not None
    assert line in function.program


@pytest.mark.parametrize("value", ["np.fmod(1, 97) - r[0]", "r[0] + np.int64(1)", "np.float64(r[0])"])
def test_a_store_of_a_number_that_numpy_would_refuse_to_convert_is_no_program(value: str) -> None:
    source = "void f(int n, int *u, int *r) { for (int k = 0; k < n; k++) u[k] = r[0] + 1; }"
    certificate = certificate_from_json(lift(source).functions[0].certificate or {})
    text = f"import numpy as np\n\n\ndef f(u, r):\n    u = u.copy()\n    u[:] = {value}\n    return u\n"
    with pytest.raises(CheckFailure, match="that i32 may not hold is stored; convert it first"):
        check(text, "f", certificate.summary, get_target("numpy"))


def test_what_the_library_chooses_is_denied_as_its_own() -> None:
    """A choice between truth values that data make is one of NumPy, whatever they are called."""
    text = """
void f(int n, double a, double *x) {
  double num = 1;
  _Bool goes_on = n > 0;
  while (goes_on) {
    double less = a * 0.5;
    _Bool big = less > num && num != 0, small = num / 3 > a;
    goes_on = !(big ? 0 : !small);
    for (int i = 0; i < n; i++) x[i] *= big ? 0.5 : small ? 3.0 : num / a;
    if (big) a = less; else if (small) num = num / 3;
  }
}
"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert "not " not in function.program, function.diagnostics
