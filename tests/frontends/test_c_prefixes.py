"""Loops that do something and are left early: what is done up to the first hit, and what they leave there."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import source_from_text

_HEAD = "(int n, double *restrict x, double *restrict y, int *restrict k, double t)"
LIFTED = {
    "before the test": "for (int i = 0; i < n; i++) { y[i] = x[i]; if (x[i] > t) break; } return 0;",
    "after the test": "int i; for (i = 0; i < n; i++) { if (x[i] > t) break; x[i] = 0; } return i;",
    "before and after": "for (int i = 0; i < n; i++) { x[i] *= 2; if (x[i] > t) break; x[i] += 1; } return 0;",
    "a sum": "double s = t; int i = 2; while (i < n && x[i] != t) { s += x[i] * y[i]; i++; } return s * i;",
    "a product and a sum": "double s = 0, p = 1; for (int i = 0; i < n; i++) { s += x[i]; if (x[i] < 0) return -s; "
    "p *= y[i]; } return p;",
    "the sum that is tested": "double s = 0; int i; for (i = 0; i < n; i++) { s += x[i]; if (s > t) break; } return i;",
    "two ways out": "for (int i = 0; i < n; i++) { if (k[i] < 0) return -1; y[i] = k[i]; if (k[i] > 9) return 1; } "
    "return 0;",
    "stores on the ways out": "double s = 0; for (int i = 0; i < n; i++) { if (x[i] < 0) { k[0] = 1; break; } "
    "if (y[i] < 0) { k[0] = 2; break; } s += x[i]; } return s;",
    "the greatest so far": "double m = x[0]; int i; for (i = 1; i < n; i++) { if (x[i] < m) break; m = x[i]; } "
    "return i;",
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("body", LIFTED.values(), ids=LIFTED)
def test_a_loop_that_is_left_early_is_proved_in_both_halves(body: str) -> None:
    text = f"double f{_HEAD} {{ {body} }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(test=True)).functions
    assert function.verdict in {Verdict.LOOP_FREE, Verdict.SCAN}, function.diagnostics
    assert all(report.passed for report in function.tests)
    assert function.definitions is Level.PROVED, function.undecided


def test_a_test_keeps_apart_from_what_the_loop_stores() -> None:
    text = "void f(int n, const int *a, int *b) { for (int i = 0; i < n; i++) { b[i] = a[i]; if (a[i] < 0) break; } }"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions()).functions
    assert "b shares no memory with a" in [row.text for row in function.preconditions]


def test_a_sum_so_far_that_is_tested_is_not_computed_again_for_each_iteration() -> None:
    body = LIFTED["the sum that is tested"]
    text = f"double f{_HEAD} {{ {body} }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(target="c")).functions
    assert function.program.count("for (") == 1


def test_the_first_hit_in_a_matrix_has_its_column() -> None:
    text = """int f(int m, int n, int a[m][n], int key, int *row, int *column) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                if (a[i][j] == key) { *row = i; *column = j; return 1; }
        return 0; }"""
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(test=True)).functions
    assert function.verdict is Verdict.LOOP_FREE, function.diagnostics
    assert all(report.passed for report in function.tests)
