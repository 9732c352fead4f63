"""Scans: arrays whose cells follow each other, or others some cells away, become reductions over prefixes."""

from __future__ import annotations

import pytest
from tests.summarize.programs import closed, function_of, kept, lifted

from tensorlift.comprehension.definition import KeptLoop

ONE_AXIS = {
    "scalar": "double s = 0; for (int i = 0; i < n; i++) { s += a[i]; o[i] = s; }",
    "exclusive": "double s = 0; for (int i = 0; i < n; i++) { o[i] = s; s += a[i]; }",
    "array": "o[0] = a[0]; for (int i = 1; i < n; i++) o[i] = o[i - 1] + a[i];",
    "in place": "for (int i = 1; i < n; i++) a[i] += a[i - 1];",
    "falling": "for (int i = n - 2; i >= 0; i--) a[i] = a[i + 1] + b[i];",
    "falling scalar": "double s = 0; for (int i = n - 1; i >= 0; i--) { s += a[i]; o[i] = s; }",
    "shifted": "for (int i = 0; i < n - 1; i++) o[i + 1] = o[i] - a[i];",
    "start inside": "for (int i = 0; i < n; i++) { if (i == 0) o[i] = b[i]; else o[i] = o[i - 1] + a[i]; }",
    "product": "for (int i = 1; i < n; i++) a[i] = a[i - 1] * b[i];",
    "maximum": "double s = a[0]; for (int i = 0; i < n; i++) { s = fmax(s, a[i]); o[i] = s; }",
    "two apart": "for (int i = 2; i < n; i++) a[i] = a[i - 2] + b[i];",
    "three apart, falling": "for (int i = n - 4; i >= 0; i--) a[i] = a[i + 3] * b[i];",
    "each second, four apart": "for (int i = 4; i < n; i += 2) a[i] += a[i - 4];",
    "two apart, starts inside": "for (int i = 0; i < n; i++) { if (i < 2) o[i] = b[i]; else o[i] = o[i - 2] + a[i]; }",
    "alternating": "for (int i = 1; i < n; i++) o[i] = a[i] - o[i - 1];",
    "alternating, two apart": "for (int i = 2; i < n; i++) o[i] = a[i] - o[i - 2];",
    "alternating, falling": "for (int i = n - 2; i >= 0; i--) o[i] = a[i] - o[i + 1];",
    "previous input": "double t = 7; for (int i = 0; i < n; i++) { o[i] = b[i] * t; t = a[i]; }",
    "previous two inputs": "double t = 7, u = 5; for (int i = 0; i < n; i++) { o[i] = b[i] * t; t = u; u = a[i]; }",
}
TWO_AXES = {
    "inner": "for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) P[i][j] = P[i][j - 1] + Q[i][j];",
    "outer": "for (int j = 1; j < m; j++) for (int i = 0; i < n; i++) P[i][j] = P[i][j - 1] + Q[i][j];",
    "two columns apart": "for (int i = 0; i < n; i++) for (int j = 2; j < m; j++) P[i][j] = P[i][j - 2] + Q[i][j];",
    "alternating rows": "for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) P[i][j] = Q[i][j] - P[i - 1][j];",
    "integral image": """for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) {
        s += Q[i][j]; if (i == 0) P[i][j] = s; else P[i][j] = P[i - 1][j] + s; } }""",
}


@pytest.mark.parametrize("case", ONE_AXIS)
def test_a_chain_of_cells_is_a_prefix_reduction(case: str) -> None:
    closed(f"void f(int n, double a[n], double b[n], double o[n]) {{ {ONE_AXIS[case]} }}")


@pytest.mark.parametrize("case", TWO_AXES)
def test_a_chain_may_run_along_one_axis_of_several(case: str) -> None:
    closed(f"void f(int n, int m, double P[n][m], double Q[n][m]) {{ {TWO_AXES[case]} }}")


def test_a_linear_recurrence_stays_and_is_vectorised_over_the_other_axis() -> None:
    text = """void f(int n, int m, double P[n][m], double Q[n][m]) {
        for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) P[i][j] = P[i][j - 1] * 0.5 + Q[i][j]; }"""
    assert kept(lifted(function_of(text)).items) == [("j", [])]


@pytest.mark.parametrize("step", ["a[i - 9] + a[i]", "b[i] - 2 * a[i - 1]", "a[i - 1] - a[i - 2]"])
def test_cells_that_are_in_no_chain_of_sums_stay(step: str) -> None:
    text = f"void f(int n, double a[n], double b[n]) {{ for (int i = 9; i < n; i++) a[i] = {step}; }}"
    assert kept(lifted(function_of(text)).items)


def test_a_value_that_is_compared_with_itself_is_no_reduction() -> None:
    text = "void f(int n, double a[n]) { for (int i = 0; i < n - 1; i++) { a[i + 1] = fmax(a[i], a[i]); a[i] = 0; } }"
    assert kept(lifted(function_of(text)).items) == [("i", [])]


def test_the_reason_names_array_and_distance() -> None:
    text = "void f(int n, double a[n]) {\n  for (int i = 3; i < n; i++)\n    a[i] = a[i - 3] * a[i] + 1;\n}"
    (loop,) = lifted(function_of("\n" + text)).items
    assert isinstance(loop, KeptLoop)
    reason, (note, *_) = loop.reason, loop.reason.notes
    assert "the loop over i stays: a depends on" in reason.message
    assert reason.message.endswith("3 iterations apart")
    assert reason.location is not None
    assert note.location is not None
    assert (reason.location.line, note.location.line) == (4, 5)
