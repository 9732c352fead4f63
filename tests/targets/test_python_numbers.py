"""Numbers of Python in emitted programs: where they would raise or round to something else, the text converts them."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

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
}


@pytest.mark.parametrize("case", _LIFTED)
def test_numbers_are_converted_where_their_type_counts(case: str) -> None:
    text, line = _LIFTED[case]
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(("f",))).functions
    assert function.lifted, function.diagnostics
    assert function.program is not None
    assert line in function.program
