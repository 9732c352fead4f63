"""Values taken last under a condition are read at the latest place; sums up to a limit stay, as differences cancel."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text

from tensorlift.record import Level, Verdict

HEAD = "#include <math.h>\nvoid f(int n, const double *x, const double *z, double *y) { double l = 7; "
SCANS = {
    "forwards": "for (int i = 0; i < n; i++) { if (x[i] > 0) l = x[i]; y[i] = l; }",
    "backwards": "for (int i = n - 1; i >= 0; i--) { if (x[i] > 0) l = z[i]; y[i] = l; }",
    "before it is taken": "for (int i = 0; i < n; i++) { y[i] = l; if (x[i] > 0) l = x[i] * 2 + i; }",
    "from both ends": "for (int i = 0; i < n; i++) { l = x[i] > 0 ? x[i] * z[n - 1 - i] : l; y[i] = l; }",
    "into the next cell": "for (int i = 1; i < n; i++) y[i] = x[i] > 0 ? z[i] : y[i - 1];",
    "into the cell before": "for (int i = n - 2; i >= 0; i--) if (y[i] < 0) y[i] = y[i + 1];",
    "a quotient": "for (int i = 0; i < n; i++) { if (z[i] != 0) l = x[i] / z[i]; y[i] = l; }",
}
COUNTS = {
    "a run": "int k = 0; for (int i = 0; i < n; i++) { k = x[i] > 0 ? k + 1 : 0; y[i] = k; }",
    "equal neighbours": "int k = 1; for (int i = 1; i < n; i++) { k = x[i] == x[i - 1] ? k + 1 : 1; y[i] = k; }",
    "since a reset": "int k = n; for (int i = 0; i < n; i++) { k += 3; if (x[i] > 0) k = 7; y[i] = k; }",
    "reset, then counted": "unsigned k = 5; for (int i = 2; i < n; i++) { if (x[i] < 0) k = 0; k++; y[i] = k; }",
    "backwards": "long k = 0; for (int i = n - 1; i >= 0; i--) { k++; if (x[i] > z[i]) k = 0; y[i] = k; }",
}
STAY = {
    "a condition on itself": "for (int i = 0; i < n; i++) { if (x[i] > l + 1) l = x[i] - 2; y[i] = l; }",
    "a value made of itself": "for (int i = 0; i < n; i++) { if (x[i] > 0) l = x[i] - l; y[i] = l; }",
    "a count by what changes": "int k = 0; for (int i = 0; i < n; i++) { k = x[i] > 0 ? k + i : 0; y[i] = k; }",
    "a count that asks itself": "int k = 0; for (int i = 0; i < n; i++) { k = k < 9 ? k + 2 : 0; y[i] = k; }",
    "a sum up to a limit": "for (int i = 0; i < n; i++) { l = x[i] + l < 5 ? x[i] + l : 5; y[i] = l; }",
    "a sum from nothing": "for (int i = 0; i < n; i++) { l += x[i]; if (l < 0) l = 0; y[i] = l; }",
    "the best sum": "double b = 0; for (int i = 0; i < n; i++) { l = fmax(x[i], l + x[i]); b = fmax(b, l); } y[0] = b;",
    "a sum of reals": "for (int i = 0; i < n; i++) { l = x[i] > 0 ? l + z[i] : 0; y[i] = l; }",
    "machine integers": "int s = 0; for (int i = 0; i < n; i++) { s += i; if (s < 0) s = 0; y[i] = s; }",
    "what the loop writes": "for (int i = 1; i < n; i++) { if (x[i] > 0) l = y[i - 1] * 2; y[i] = l; }",
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("body", SCANS.values(), ids=SCANS)
def test_a_value_taken_last_is_a_scan_with_proof(body: str) -> None:
    record = lifted_text(HEAD + body + " }")
    assert (record.verdict, record.level, record.definitions) == (Verdict.SCAN, Level.PROVED, Level.PROVED)
    assert not any("place" in p.text for p in record.preconditions)


@pytest.mark.parametrize("body", COUNTS.values(), ids=COUNTS)
def test_a_count_since_it_began_is_a_scan_with_proof(body: str) -> None:
    record = lifted_text(HEAD + body + " }")
    assert (record.verdict, record.level, record.definitions) == (Verdict.SCAN, Level.PROVED, Level.PROVED)
    assert not any(trial.failure for trial in record.tests)


@pytest.mark.parametrize("body", STAY.values(), ids=STAY)
def test_a_value_that_depends_on_itself_stays_a_loop(body: str) -> None:
    assert lifted_text(HEAD + body + " }").verdict is Verdict.UNCHANGED
