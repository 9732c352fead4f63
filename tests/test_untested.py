"""Functions whose constants are too large to test with are lifted on their proof alone, with a warning."""

from __future__ import annotations

import pytest

from tensorlift import lift
from tensorlift.diagnostics import Severity

LARGE = """void gemm(double a[1000][1100], double b[1100][1200], double c[1000][1200]) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1200; j++)
      for (int k = 0; k < 1100; k++) c[i][j] += a[i][k] * b[k][j];
}
"""
LONG = """float a[256][256], b[256][256];
void square(void) {
  for (int i = 0; i < 256; i++)
    for (int j = 0; j < 256; j++)
      for (int k = 0; k < 256; k++) a[i][j] += b[i][k] * b[k][j];
}
"""
MIDDLING = "float a[32000], b[32000]; void f(void) { for (int i = 0; i < 32000; i++) a[i] += b[i]; }"


@pytest.mark.parametrize(
    ("text", "message"), [(LARGE, "the arrays are too large"), (LONG, "the source takes too long")]
)
def test_what_is_too_large_to_test_is_proved_with_a_warning(text: str, message: str) -> None:
    (function,) = lift(text).functions
    assert (function.verdict, function.level, function.tests) == ("loop-free", "proved", ())
    (warning,) = function.diagnostics
    assert (warning.code, warning.severity) == ("TL611", Severity.WARNING)
    assert warning.message.startswith(message)


def test_large_arrays_of_one_dimension_are_tested() -> None:
    (function,) = lift(MIDDLING).functions
    assert [(trial.against, trial.cases) for trial in function.tests] == [("interpreter", 1)]
    assert function.diagnostics == ()
