"""Cells that are computed from cells which earlier iterations wrote, in chains of one step: they are computed again."""

from __future__ import annotations

import pytest
from tests.summarize.programs import closed, function_of, kept, lifted

ONE_STEP = {
    "a fixed element": "for (int i = 0; i < n; i++) a[i] = a[0] + b[i];",
    "an element in the middle": "for (int i = 0; i < n; i++) a[i] = a[n / 2] * b[i];",
    "a fixed element, updated": "for (int i = 0; i < n; i++) a[i] -= a[2] * b[i];",
    "an element behind": "for (int i = 0; i < n; i++) a[i] = 2 * a[n - 1];",
    "a crossing threshold": "for (int i = 0; i < n; i++) a[i] = 2 * a[n - 1 - i] + b[i];",
    "a crossing threshold, falling": "for (int i = n - 1; i >= 0; i--) a[i] = a[n - 1 - i] - b[i];",
    "through another array": """for (int i = 0; i < n; i++) {
        double t = a[n - 1 - i] + b[i] * o[i]; a[i] = t - 1.0; b[i] = t; }""",
    "two elements": "for (int i = 0; i < n; i++) a[i] = a[0] * b[i] + a[n - 1];",
    "under a condition": "for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = a[3] + b[i];",
}


@pytest.mark.parametrize("case", ONE_STEP)
def test_what_an_earlier_iteration_wrote_is_computed_again(case: str) -> None:
    closed(f"void f(int n, double a[n], double b[n], double o[n]) {{ {ONE_STEP[case]} }}")


def test_the_inner_loops_of_shortest_paths_are_closed() -> None:
    text = """void f(int n, int d[n][n]) {
        for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
            if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j]; }"""
    assert kept(lifted(function_of(text)).items) == [("k", [])]


@pytest.mark.parametrize(
    "body",
    [
        "a[i] = a[i] * a[1] + a[i - 1] * a[i - 1]",
        "a[i] = a[i - 1] * a[i - 1] + b[i]",
        "a[i] = a[n - 1 - i] * a[i - 1]",
    ],
)
def test_longer_chains_stay_loops(body: str) -> None:
    text = f"void f(int n, double a[n], double b[n]) {{ for (int i = 1; i < n; i++) {body}; }}"
    assert kept(lifted(function_of(text)).items) == [("i", [])]
