"""Loops that end early: which are run to their ends, what that asks for, and which stay refused."""

from __future__ import annotations

import pytest

from tensorlift.ir.function import FunctionView
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import source_from_text

LOOP_FREE = {
    "first index": "int f(int n, int *x, int t) { for (int i = 0; i < n; i++) if (x[i] == t) return i; return -1; }",
    "all": "int f(int n, int *a, int *b) { int i; for (i = 0; i < n; i++) if (a[i] != b[i]) break; return i == n; }",
    "rows": "void f(int m, int n, double a[m][n], int *k) { for (int i = 0; i < m; i++) { int j = 0; "
    "while (j < n && a[i][j] <= 0) j++; k[i] = j; } }",
    "an end that moves": "int f(int n, double *x) { int m = n; "
    "for (int i = 0; i < m; i++) if (x[i] > 1) { m = i; break; } return m; }",
}


@pytest.mark.parametrize("source", LOOP_FREE.values(), ids=LOOP_FREE)
def test_a_search_has_no_loop(source: str) -> None:
    (function,) = lift_source(source_from_text(source, "k.c"), LiftOptions(test=True)).functions
    assert function.verdict is Verdict.LOOP_FREE, function.diagnostics
    assert [report.passed for report in function.tests] == [True, True]
    assert function.definitions is Level.PROVED


def test_the_elements_behind_the_first_hit_are_asked_for() -> None:
    body = "{ for (int i = 0; i < 8; i++) if (x[i] == t) return i; return -1; }"
    (open_end,) = read_c(f"int f(const int *x, int t) {body}", "k.c")
    assert open_end.module is not None
    (func_op,) = open_end.module.ops
    texts = [row.text for row in FunctionView(func_op).requires]
    assert texts == ["x has all elements that a loop would read if it did not end early"]


_LOOP = "for (int i = 0; i < n; i++)"
REFUSED = {
    "a division": ("LOOP if (k[0] / k[i] > 1) return i; return n;", "TL114"),
    "where it is stored behind a store": (
        "LOOP if (x[i] > 1) { x[k[0]] = 1; x[(int)x[0]] = 3; break; } return n;",
        "TL112",
    ),
}


UNCHANGED = {
    "a store to what is tested later": "LOOP { if (x[i] > 1) return i; x[n - 1 - i] = 0; } return n;",
    "a test of what was stored": "for (int i = 1; i < n; i++) { if (x[i - 1] > 1) return i; x[i] = k[i]; } return n;",
    "a counter of its own pace": "int i = 0; while (i < n && x[i++] > 1) i++; return i;",
}


@pytest.mark.parametrize("body", UNCHANGED.values(), ids=UNCHANGED)
def test_an_early_end_that_matters_stays_a_loop(body: str) -> None:
    text = f"int f(int n, double *x, const int *k) {{ {body.replace('LOOP', _LOOP)} }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions(test=True)).functions
    assert function.verdict is Verdict.UNCHANGED, function.diagnostics
    assert [report.passed for report in function.tests] == [True, True]


@pytest.mark.parametrize(("body", "code"), REFUSED.values(), ids=REFUSED)
def test_an_early_end_that_matters_is_refused(body: str, code: str) -> None:
    """Where the loop itself is a search, what is refused is the access at the place that it finds."""
    text = f"int f(int n, double *x, const int *k) {{ {body.replace('LOOP', _LOOP)} }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions()).functions
    assert not function.lifted
    assert function.diagnostics[0].code == code
    assert function.diagnostics[0].location is not None
    assert function.diagnostics[0].location.column > 40


def test_a_loop_of_many_exits_is_refused_before_a_program_is_sought() -> None:
    exits = "".join(f"if (x[i] == {k}) {{ r = {k}; break; }} " for k in range(25))
    text = f"int f(int n, const int *x) {{ int r = -1; for (int i = 0; i < n; i++) {{ {exits} }} return r; }}"
    (function,) = lift_source(source_from_text(text, "k.c"), LiftOptions()).functions
    assert function.diagnostics[0].code == "TL112"
    assert "derive" not in function.seconds
