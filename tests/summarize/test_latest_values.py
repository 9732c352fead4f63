"""Values that were last taken under a condition: the state of the loop is what an array holds at the latest place."""

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
    "a quotient": "for (int i = 0; i < n; i++) { if (z[i] != 0) l = x[i] / z[i]; y[i] = l; }",
}
STAY = {
    "a condition on itself": "for (int i = 0; i < n; i++) { if (x[i] > l + 1) l = x[i] - 2; y[i] = l; }",
    "a value made of itself": "for (int i = 0; i < n; i++) { if (x[i] > 0) l = x[i] - l; y[i] = l; }",
    "what the loop writes": "for (int i = 1; i < n; i++) { if (x[i] > 0) l = y[i - 1] * 2; y[i] = l; }",
}


@pytest.mark.parametrize("body", SCANS.values(), ids=SCANS)
def test_a_value_taken_last_is_a_scan_with_proof(body: str) -> None:
    record = lifted_text(HEAD + body + " }")
    assert (record.verdict, record.level, record.definitions) == (Verdict.SCAN, Level.PROVED, Level.PROVED)
    assert not any("place" in p.text for p in record.preconditions)


@pytest.mark.parametrize("body", STAY.values(), ids=STAY)
def test_a_value_that_depends_on_itself_stays_a_loop(body: str) -> None:
    assert lifted_text(HEAD + body + " }").verdict is Verdict.HYBRID
