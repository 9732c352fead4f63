"""Sequential loops stay around lifted bodies; what can be split or interchanged is."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text
from tests.summarize.programs import closed, function_of, kept, lifted

from tensorlift.comprehension.definition import Definition, KeptLoop


def test_the_parallel_part_of_a_body_leaves_the_loop() -> None:
    text = """void f(int n, double a[n], double b[n], double o[n]) { for (int i = 1; i < n; i++) {
        a[i] = b[i] * b[i]; o[i] = o[i - 1] * o[i - 1] + a[i]; b[i] = o[i] + 1; } }"""
    items = lifted(function_of(text)).items
    assert [type(item) for item in items] == [Definition, KeptLoop, Definition]


def test_a_loop_whose_parts_all_stay_is_not_split() -> None:
    text = """void f(int n, double a[n], double c[n], double d[n]) { for (int i = 1; i < n; i++) {
        double m = 2 - c[i - 1] * a[i]; c[i] = c[i] / m; d[i] = (d[i] - d[i - 1] * a[i]) / m; } }"""
    assert kept(lifted(function_of(text)).items) == [("i", [])]


def test_a_scalar_gets_a_cell_for_each_iteration_where_that_frees_a_loop() -> None:
    text = """void f(int n, int m, double P[n][m], double o[n]) { for (int i = 0; i < n; i++) {
        double s = 1; for (int j = 0; j < m; j++) s = s * 0.5 + P[i][j]; o[i] = s; } }"""
    assert kept(lifted(function_of(text)).items) == [("j", [])]


def test_the_last_value_of_an_expanded_scalar_is_restored() -> None:
    text = """double f(int n, int m, double P[n][m], double o[n]) { double s = 0; for (int i = 0; i < n; i++) {
        s = 1; for (int j = 0; j < m; j++) s = s * 0.5 + P[i][j]; o[i] = s; } return s; }"""
    assert kept(lifted(function_of(text)).items) == [("j", [])]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_last_value_of_an_expanded_scalar_is_that_of_the_last_step(step: int) -> None:
    text = f"""double f(int n, double t, const double *z, double *o) {{ int k = 0; double s = 0;
        for (int i = 0; i < n; i++) if (z[i] >= t) {{ o[k] = z[i]; k++; }}
        for (int i = 0; i < n; i += {step}) {{ s = t; o[i] = 1; }} return s; }}"""
    (trial,) = lifted_text(text).tests
    assert trial.passed


@pytest.mark.parametrize("condition", ["n > 2", "a[0] > 2", "n > 2 && a[0] > 2"])
def test_a_kept_loop_may_stand_under_a_condition(condition: str) -> None:
    text = f"""void f(int n, double a[n], double o[n]) {{ if ({condition}) {{ a[0] = 1;
        for (int i = 1; i < n; i++) a[i] = a[i - 1] * a[i - 1] - a[0] * 0.5; o[0] = a[n - 1]; }} else o[0] = 5; }}"""
    assert [variable for variable, _ in kept(lifted(function_of(text), largest=4).items)] == ["i"]


def test_a_kept_loop_may_stand_under_conditions_inside_conditions() -> None:
    text = """void f(int n, double a[n], double o[n]) { for (int t = 0; t < 3; t++) { if (a[0] > 1) {
        if (o[0] < 3) { o[0] = a[0] + t; for (int i = 1; i < n; i++) a[i] = a[i - 1] * 0.5 + o[i] * a[i]; }
        else a[0] = a[0] - 1; } } }"""
    assert kept(lifted(function_of(text), largest=4).items)


def test_an_array_that_no_iteration_hands_on_is_not_carried() -> None:
    text = """void f(int n, double a[n][n]) { double t[n]; for (int i = 1; i < n; i++) {
        for (int j = 0; j < n; j++) t[j] = a[i - 1][j] * a[i][j];
        for (int j = 0; j < n; j++) a[i][j] = t[n - 1 - j] * a[i - 1][0]; } }"""
    (loop,) = (item for item in lifted(function_of(text), largest=4).items if isinstance(item, KeptLoop))
    assert "a" in {c.array for c in loop.carried}


def test_bounds_of_which_the_lesser_counts_guard_the_body() -> None:
    text = """void f(int n, int m, double a[n], double b[m]) {
        for (int i = 1; i < n && i < m; i++) a[i] = a[i - 1] * a[i] + b[i]; }"""
    assert [variable for variable, _ in kept(lifted(function_of(text)).items)] == ["i"]


def test_a_stencil_over_time_keeps_the_loop_over_time_only() -> None:
    text = """void f(int T, int n, double a[n], double b[n]) { for (int t = 0; t < T; t++) {
        for (int i = 1; i < n - 1; i++) b[i] = 0.3 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < n - 1; i++) a[i] = 0.3 * (b[i - 1] + b[i] + b[i + 1]); } }"""
    assert kept(lifted(function_of(text)).items) == [("t", [])]


def test_loops_inside_loops_close_where_the_outer_one_does() -> None:
    closed("""void f(int n, double a[n], double s[1]) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++)
        for (int k = j; k < i; k++) s[0] += a[k] * a[j]; }""")


def test_a_loop_whose_closed_form_has_too_many_cases_stays() -> None:
    text = """void f(int n, int s, int U[n][n], int v[n]) { for (int i = 1; i < n; ++i) for (int j = i; j < n; j += 3)
        for (int k = 0; k < n / 2; k++) { U[j][2 * k] = s; U[k][j] = v[j - 1]; } }"""
    items = lifted(function_of(text)).items
    (outer,) = (item for item in items if isinstance(item, KeptLoop))
    assert "too many cases" in str(outer.reason)


def test_a_scalar_that_an_iteration_may_leave_as_it_was_gets_no_cells_of_its_own() -> None:
    text = """int f(int n, double x[n], double y[n]) { double best = -1; int k = -1; for (int i = 0; i < n; i++) {
        y[i] = x[i] * x[i]; if (x[i] > best) { best = 2 * x[i]; k = i; } } return k; }"""
    items = lifted(function_of(text)).items
    assert [variable for variable, _ in kept(items)] == ["i"]
    assert not any("k_by_i" in str(item) for item in items)


def test_a_scalar_that_is_set_again_in_each_iteration_is_split_from_one_that_may_stay() -> None:
    text = """int f(int n, double x[n]) { double best = -1; int k = -1; for (int i = 0; i < n; i++) {
        double d = x[i] - 1; d = d < 0 ? -d : d; if (d > best) { best = d; k = i; } } return k; }"""
    assert not kept(lifted(function_of(text)).items)
