"""Locals of which a cell is read that nothing was written to are refused, with the place and the name."""

from __future__ import annotations

import pytest
from tests.summarize.programs import function_of, lifted

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

READ_TOO_EARLY = {
    "in each iteration": "double s; for (int i = 0; i < n; i++) s += a[i]; a[0] = s;",
    "in an array": "double s[4]; for (int i = 0; i < n; i++) a[i] = s[2];",
    "under a condition": "for (int i = 0; i < n; i++) if (a[i] > 0) { double s; a[i] = s; }",
    "after another loop": "double s; for (int i = 0; i < n; i++) a[i] = 1; a[0] = s;",
    "under another condition": "double s; for (int i = 0; i < n; i++) { if (a[i] > 1) a[i] = s; else s = 2; }",
    "past what was written": "double s[n]; for (int i = 0; i < n - 1; i++) s[i] = a[i]; a[n - 1] = s[n - 1];",
    "before what was written": (
        "double s[n]; for (int i = 1; i < n; i++) s[i] = 1; for (int i = 0; i < n; i++) a[i] = s[i];"
    ),
    "between what was written": (
        "double s[n]; for (int i = 0; i < n; i += 2) s[i] = 1; for (int i = 0; i < n; i++) a[i] = s[i];"
    ),
    "above a triangle": (
        "double s[n][n]; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s[i][j] = 1;"
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i] += s[i][j];"
    ),
    "at another index": "double s[n]; s[0] = 1; a[0] = s[n / 2];",
    "in the other case": "double s; if (a[0] > 0) s = 1; a[1] = s;",
    "in the other case of a loop": (
        "double s[n]; for (int i = 0; i < n; i++) if (a[i] > 0) s[i] = 1; for (int i = 0; i < n; i++) a[i] = s[i];"
    ),
    "under a weaker condition": (
        "double s[n]; for (int i = 0; i < n; i++) if (a[i] > 0 && a[i] < 1) s[i] = 1;"
        "for (int i = 0; i < n; i++) if (a[i] > 0) a[i] = s[i];"
    ),
    "where none is found": "double s; for (int i = 0; i < n; i++) if (a[i] == 7) s = i; a[0] = s;",
    "into a sum": "double s[n], t = 0; s[0] = 1; for (int i = 0; i < n; i++) t += s[i]; a[0] = t;",
    "as a copy of a copy": (
        "double s[n], t[n]; s[0] = 1; for (int i = 0; i < n; i++) t[i] = s[i]; for (int i = 0; i < n; i++) a[i] = t[i];"
    ),
    "as a condition": "int s[n]; s[0] = 1; for (int i = 0; i < n; i++) if (s[i]) a[i] = 0;",
    "in the other case of a loop that stays": (
        "double s, t = 1; for (int i = 0; i < n; i++) { t = sin(t * a[i]); if (a[i] > 0) s = t; } a[0] = s;"
    ),
    "in a later iteration": (
        "double s[n]; s[0] = 1; for (int i = 1; i < n; i++) { a[i] = sin(a[i - 1]) * s[i]; s[i] = a[i]; }"
    ),
    "ahead in a loop that stays": (
        "double s[n + 1]; s[0] = 1;"
        "for (int i = 1; i < n; i++) { s[i] = sin(a[i] * s[i - 1]); a[i] = s[i + 1]; }"
    ),
    "after a loop that stays": (
        "double s[n + 1], t = 1; for (int i = 0; i < n; i++) { t = sin(t * a[i]); s[i] = t; } a[0] = s[n];"
    ),
    "after a loop that data end at once": (
        "double s; int j = n - 1; while (j >= 0 && a[j] > 1) { s = a[j]; a[j] = 0; j--; } a[0] = s;"
    ),
    "of an earlier iteration of the outer loop": (
        "for (int i = 0; i < n; i++) { double s[2]; if (i == 0) s[1] = 0; s[0] = a[i]; a[i] = s[0] + s[1]; }"
    ),
}  # fmt: skip
WRITTEN = {
    "in the first iteration": "double s; for (int i = 0; i < n; i++) { if (i == 0) s = 0; s += a[i]; } a[0] = s;",
    "in one arm": "double s; if (a[0] > 0) s = 1; else s = 2; a[0] = s;",
    "in both loops": "double s; for (int i = 0; i < n; i++) s = a[i]; for (int i = 0; i < n; i++) a[i] += s;",
    "in two halves": (
        "double s[2 * n]; for (int i = 0; i < n; i++) s[2 * i] = a[i]; for (int i = 0; i < n; i++) s[2 * i + 1] = 1;"
        "for (int i = 0; i < n; i++) a[i] = s[i];"
    ),
    "below a triangle": (
        "double s[n][n]; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) s[i][j] = a[j];"
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (j <= i) a[i] += s[i][j];"
    ),
    "under the same condition": (
        "double s[n]; for (int i = 0; i < n; i++) if (a[i] > 0) s[i] = 1;"
        "for (int i = 0; i < n; i++) if (a[i] > 0) a[i] = s[i];"
    ),
    "under a stronger condition": (
        "double s; if (a[0] > 0) s = 1; if (a[0] > 0 && a[1] > 0) a[1] = s;"
    ),
    "under both conditions": "double s; if (a[0] > 0) s = 1; if (!(a[0] > 0)) s = 2; a[0] = s;",
    "with a flag": "double s; int is = 0; if (a[0] > 0) { s = 1; is = 1; } if (is) a[0] = s;",
    "with a flag, in a search": (
        "double s; int is = 0; for (int i = 0; i < n; i++) if (a[i] == 7) { s = i; is = 1; } if (is) a[0] = s;"
    ),
    "and nothing is read": "double s[n]; s[0] = 1; a[0] = s[0];",
    "and only copied": "double s[n], t[n]; s[0] = 1; for (int i = 0; i < n; i++) t[i] = s[i]; a[0] = t[0];",
    "before it, in a loop that stays": (
        "double s[n]; s[0] = 1; for (int i = 1; i < n; i++) { s[i] = sin(s[i - 1]) * a[i]; a[i] = s[i]; }"
    ),
    "in a loop that stays": (
        "double s[n + 1], t = 1; for (int i = 0; i < n; i++) { t = sin(t * a[i]); s[i] = t; } a[0] = s[n - 1];"
    ),
    "under a condition, in a loop that stays": (
        "double s[n], t = 1; for (int i = 0; i < n; i++) { t = sin(t * a[i]); if (a[i] > 0) s[i] = t; }"
        "for (int i = 0; i < n; i++) if (a[i] > 0) a[i] = s[i];"
    ),
    "and computed with, for nothing": "double s[n], t; s[0] = 1; t = s[n - 1] + 1; a[0] = s[0];",
    "before a loop that data end": (
        "for (int i = 0; i < n; i++) {"
        "  double s = 1; for (int k = 0; k < 9; k++) { double t = sin(s + a[i]); if (t > 3) break; s = t; } a[i] = s; }"
    ),
    "under a condition that is pushed into a loop": (
        "for (int i = 0; i < n; i++) {"
        "  if (a[0] <= 1) { double s = 1; for (int j = 0; j < n; j++) s += a[j]; a[i] += s; }"
        "  else for (int j = 0; j < i; j++) a[j] = a[i - j]; }"
    ),
    "one cell a step": (
        "double s[n][n]; for (int i = 0; i < n; i++) s[0][i] = a[i];"
        "for (int t = 1; t < n; t++) for (int i = 0; i < n; i++)"
        "  { if (i == 0) s[t][i] = 1; else s[t][i] = sin(s[t - 1][i - 1]) * s[t][i - 1]; }"
        "for (int i = 0; i < n; i++) a[i] = s[n - 1][i];"
    ),
}  # fmt: skip


def _program(body: str) -> str:
    return f"#include <math.h>\nvoid f(int n, double a[n]) {{ {body} }}"


@pytest.mark.parametrize("case", READ_TOO_EARLY)
def test_an_early_read_is_refused(case: str) -> None:
    (function,) = lift_source(source_from_text(_program(READ_TOO_EARLY[case]), "f.c"), LiftOptions()).functions
    (found,) = function.diagnostics
    if found.code == "TL160":  # a variable that is no memory, and that nothing sets on any way
        assert found.message == "`s` has no value here"
    else:
        assert found.code == "TL204"
        assert found.message.removeprefix("cells of ").startswith("`s` ")
    assert found.location is not None
    assert found.location.column > 24


@pytest.mark.parametrize("case", WRITTEN)
def test_a_read_of_what_was_written_is_accepted(case: str) -> None:
    lifted(function_of(_program(WRITTEN[case])))


STEERS = {
    "a bound": "int s; if (n > 4) s = 1; for (int i = 0; i < s; i++) a[i] = 0;",
    "a bound that data sets": "int s; if (a[0] > 1) s = 1; for (int i = 0; i < s; i++) a[i] = 0;",
    "a subscript": "int s; if (n > 4) s = 1; a[s] = 0;",
    "a pointer": "double *s; if (n > 4) s = a; for (int i = 0; i < n; i++) s[i] = 0;",
}


@pytest.mark.parametrize("case", STEERS)
def test_what_steers_is_set_on_all_ways(case: str) -> None:
    (function,) = lift_source(source_from_text(_program(STEERS[case]), "f.c"), LiftOptions()).functions
    assert [found.code for found in function.diagnostics] in [["TL126"], ["TL160"]]
    assert "`s`" in function.diagnostics[0].message


def test_what_steers_may_be_set_where_it_is_used() -> None:
    body = "int s; if (n > 4) s = 1; if (n > 5) for (int i = s; i < n; i++) a[i] = 0;"
    (function,) = lift_source(source_from_text(_program(body), "f.c"), LiftOptions(test=True)).functions
    assert [report.passed for report in function.tests] == [True, True], function.diagnostics
