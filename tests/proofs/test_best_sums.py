"""The best sum of neighbours is the greatest difference of two sums: right programs are proved, others are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.proofs.failure import UNEQUAL

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

BEST = """double f(int n, const double *x) { double s = 0, b = 0;
  for (int i = 0; i < n; i++) { s += x[i]; if (s < 0) s = 0; if (s > b) b = s; } return b; }"""
PROGRAM = """def f(x):
    t = np.cumsum(x)
    return np.max(t + np.maximum(0.0, np.maximum.accumulate(-t)), initial=0.0)
"""
WRONG = [
    ("cumsum(x)", "cumsum(x[::-1])"),
    ("t + np", "t - np"),
    ("np.maximum(0.0, np.maximum.accumulate(-t))", "np.maximum.accumulate(-t)"),
    ("maximum.accumulate", "minimum.accumulate"),
    ("np.max(", "np.min("),
    ("maximum(0.0", "maximum(1.0"),
]


def test_the_greatest_difference_of_sums_is_proved(accept: Accept) -> None:
    accept(BEST, PROGRAM)


@pytest.mark.parametrize(("right", "wrong"), WRONG)
def test_another_difference_is_rejected(reject: Reject, right: str, wrong: str) -> None:
    assert right in PROGRAM
    assert reject(BEST, PROGRAM.replace(right, wrong)) == UNEQUAL
