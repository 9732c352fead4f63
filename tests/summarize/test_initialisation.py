"""Locals that are read before anything was written to them are refused, with the place and the name."""

from __future__ import annotations

import pytest
from tests.summarize.programs import function_of, summary_of

from tensorlift.diagnostics import LiftError

READ_TOO_EARLY = {
    "in each iteration": "double s; for (int i = 0; i < n; i++) s += a[i]; a[0] = s;",
    "in an array": "double s[4]; for (int i = 0; i < n; i++) a[i] = s[2];",
    "under a condition": "for (int i = 0; i < n; i++) if (a[i] > 0) { double s; a[i] = s; }",
    "after another loop": "double s; for (int i = 0; i < n; i++) a[i] = 1; a[0] = s;",
}
WRITTEN = {
    "in the first iteration": "double s; for (int i = 0; i < n; i++) { if (i == 0) s = 0; s += a[i]; } a[0] = s;",
    "in one arm": "double s; if (a[0] > 0) s = 1; else s = 2; a[0] = s;",
    "under another condition": "double s; for (int i = 0; i < n; i++) { if (a[i] > 1) a[i] = s; else s = 2; }",
    "in both loops": "double s; for (int i = 0; i < n; i++) s = a[i]; for (int i = 0; i < n; i++) a[i] += s;",
}


@pytest.mark.parametrize("case", READ_TOO_EARLY)
def test_an_early_read_is_refused(case: str) -> None:
    with pytest.raises(LiftError) as refusal:
        summary_of(function_of(f"void f(int n, double a[n]) {{ {READ_TOO_EARLY[case]} }}"))
    (found,) = refusal.value.diagnostics
    assert found.code == "TL204"
    assert found.message.startswith("s ")
    assert found.location is not None


@pytest.mark.parametrize("case", WRITTEN)
def test_a_read_that_a_write_may_precede_is_accepted(case: str) -> None:
    assert summary_of(function_of(f"void f(int n, double a[n]) {{ {WRITTEN[case]} }}")).items
