"""Loops with closed forms: maps, overwritten stores, shifts, swaps, conditions, strides, triangles."""

from __future__ import annotations

import pytest
from tests.summarize.programs import closed, function_of, lifted, summary_of

VECTORS = {
    "map": "for (int i = 0; i < n; i++) o[i] = a[i] * 2 + i;",
    "last store wins": "for (int i = 0; i < n; i++) o[0] = a[i];",
    "overwritten": "for (int i = 0; i < n; i++) o[i] = 1; for (int i = 0; i < n - 1; i++) o[i] = a[i + 1];",
    "overwritten within": "for (int i = 0; i < n; i++) { o[i] = 1; o[i] = o[i] + a[i]; }",
    "store ahead": "for (int i = 0; i < n - 1; i++) { o[i] = a[i]; o[i + 1] = 2; }",
    "read ahead in place": "for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];",
    "swap": "for (int i = 0; i < n; i++) { double t = a[i]; a[i] = b[i]; b[i] = t; }",
    "reverse in place": "for (int i = 0; i < n / 2; i++) { double t = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = t; }",
    "strided": "for (int i = 1; i < n; i += 3) a[i] = b[i];",
    "strided sum": "double s = 0; for (int i = 1; i < n; i += 2) s += a[i]; o[0] = s;",
    "half": "for (int i = 0; i < n / 2; i++) o[i] = a[2 * i];",
    "every other by condition": "for (int i = 0; i < n; i++) if (i % 2 == 0) o[i] = a[i]; else o[i] = -a[i];",
    "quotient as a number": "for (int i = 0; i < n; i++) o[i] = i / 3 + i % 4;",
    "clip": "for (int i = 0; i < n; i++) { if (a[i] < 1) a[i] = 1; if (a[i] > 3) a[i] = 3; }",
    "guarded division": "for (int i = 0; i < n; i++) o[i] = a[i] > 2 ? b[i] / (a[i] - 2) : 0;",
    "guarded access": "for (int i = 0; i < n; i++) o[i] = i > 0 && a[i] > 1 ? a[i - 1] : 0;",
    "size as a number": "for (int i = 0; i < n; i++) o[i] = a[i] / n;",
    "two bounds": "for (int i = 0; i < n; i++) for (int j = i; j < n && j < i + 2; j++) o[i] += a[j];",
}
MATRICES = {
    "transpose in place": """for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) {
        double t = P[i][j]; P[i][j] = P[j][i]; P[j][i] = t; }""",
    "mirrored triangle": """for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) {
        double s = 0; for (int k = 0; k < n; k++) s += Q[i][k] * Q[j][k]; P[i][j] = s; P[j][i] = s; }""",
    "diagonal": "for (int i = 0; i < n; i++) P[i][i] += Q[i][i];",
    "trace": "double s = 0; for (int i = 0; i < n; i++) s += P[i][i]; Q[0][0] = s;",
    "rows": """for (int i = 0; i < n; i++) { double m = P[i][0]; for (int j = 1; j < n; j++) m = fmax(m, P[i][j]);
        for (int j = 0; j < n; j++) P[i][j] -= m; }""",
    "running maximum of sums": """double o[n]; for (int i = 0; i < n; i++) { double m = -INFINITY, t = 0;
        for (int j = 0; j < n; j++) { double s = 0; for (int k = 0; k < n; k++) s += P[i][k] * Q[j][k];
        o[j] = s; if (s > m) m = s; } for (int j = 0; j < n; j++) t += o[j] - m; P[i][0] = t; }""",
    "row buffer": """double t[n]; for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) t[j] = P[i][j];
        for (int j = 0; j < n; j++) P[i][j] = t[n - 1 - j]; }""",
}


@pytest.mark.parametrize("case", VECTORS)
def test_a_loop_over_vectors_is_closed(case: str) -> None:
    closed(f"void f(int n, double a[n], double b[n], double o[n]) {{ {VECTORS[case]} }}")


@pytest.mark.parametrize("case", MATRICES)
def test_a_nest_over_matrices_is_closed(case: str) -> None:
    closed(f"void f(int n, double P[n][n], double Q[n][n]) {{ {MATRICES[case]} }}")


@pytest.mark.parametrize(
    ("term", "pieces"),
    [
        ("exp(-(Q[i][0] - Q[j][0]) * (Q[i][0] - Q[j][0]))", 1),
        ("exp(Q[i][0] - Q[j][0])", 2),
        ("(double)(float)Q[i][0] * Q[j][0]", 2),
        ("Q[i][0] / Q[j][0]", 2),
    ],
)
def test_both_sides_of_a_diagonal_are_one_piece_where_they_are_the_same(term: str, pieces: int) -> None:
    body = f"for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) P[i][j] = P[j][i] = {term};"
    (definition,) = closed(f"void f(int n, double P[n][n], double Q[n][n]) {{ {body} }}").definitions()
    assert len(definition.pieces) == pieces


def test_a_local_that_is_dead_after_the_nest_has_no_definition() -> None:
    text = """void f(int n, double a[n], double o[n]) { double s; for (int i = 0; i < n; i++) {
        s = 0; for (int j = 0; j <= i; j++) s += a[j]; o[i] = s; } }"""
    assert {d.array for d in closed(text).definitions()} == {"o"}


def test_matrix_multiplication_is_one_sum() -> None:
    text = """void f(int n, int m, int l, double C[n][m], double A[n][l], double B[l][m]) {
        for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { C[i][j] = 0;
            for (int k = 0; k < l; k++) C[i][j] += A[i][k] * B[k][j]; } }"""
    (definition,) = closed(text).definitions()
    assert definition.name == "C_1"
    assert definition.location is not None
    assert definition.location.line == 3
    assert len(definition.pieces) == 1


def test_names_of_versions_avoid_those_of_parameters() -> None:
    text = "void f(int n, double y[n], double y_1[n]) { for (int i = 0; i < n; i++) y[i] = y_1[i]; }"
    assert closed(text).outputs == (("y", "y_2"),)


def test_a_size_named_like_a_fresh_variable_is_not_captured() -> None:
    sizes = ", ".join(f"int k_{number}" for number in range(6))
    text = f"""void f({sizes}, double a[k_0], double o[1]) {{
        for (int i = 0; i < k_0; i++) for (int j = 0; j < k_1; j++) o[0] += a[i] * k_2 * k_3 + k_4 * k_5; }}"""
    assert lifted(function_of(text), runs=3, largest=3)


def test_the_same_function_gives_the_same_summary() -> None:
    function = function_of("void f(int n, double a[n], double o[1]) { for (int i = 0; i < n; i++) o[0] += a[i]; }")
    assert repr(summary_of(function)) == repr(summary_of(function))
