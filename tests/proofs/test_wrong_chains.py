"""Cells that follow others some cells away, signs that alternate: right programs are proved, wrong ones rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.proofs.failure import UNEQUAL

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

TWO_APART = """void f(int n, double a[n + 2], const double b[n + 2]) {
  for (int i = 2; i < n + 2; i++) a[i] = a[i - 2] + b[i]; }"""
TWO_SUMS = """def f(a, b):
    n = a.shape[0]
    t = np.arange(n) % 2
    some = np.arange(n) > 1
    e = np.cumsum(np.where((t == 0) & some, b, 0.0))
    o = np.cumsum(np.where((t == 1) & some, b, 0.0))
    return {}
"""
ALTERNATING = """void f(int n, double a[n + 1], const double b[n + 1]) {
  for (int i = 1; i < n + 1; i++) a[i] = b[i] - a[i - 1]; }"""
ONE_SUM = """def f(a, b):
    s = np.arange(a.shape[0]) % 2 == 1
    t = np.where(s, -b, b)
    t[0] = {}
    t = np.cumsum(t)
    return {}
"""


def test_sums_side_by_side_and_of_changing_signs_are_proved(accept: Accept) -> None:
    accept(TWO_APART, TWO_SUMS.format("np.where(t == 0, a[0] + e, a[1] + o)"))
    accept(ALTERNATING, ONE_SUM.format("a[0]", "np.where(s, -t, t)"))


@pytest.mark.parametrize(
    "wrong",
    [
        "np.where(t == 1, a[0] + e, a[1] + o)",
        "np.where(t == 0, a[0] + o, a[1] + e)",
        "np.where(t == 0, a[1] + e, a[0] + o)",
        "np.where(t == 0, a[0] - e, a[1] + o)",
        "np.where(t == 0, a[0] + e, a[1] + e)",
    ],
)
def test_one_chain_for_another_is_rejected(reject: Reject, wrong: str) -> None:
    assert reject(TWO_APART, TWO_SUMS.format(wrong)) == UNEQUAL


@pytest.mark.parametrize(
    ("start", "wrong"),
    [("a[0]", "np.where(s, t, -t)"), ("a[0]", "t"), ("-a[0]", "np.where(s, -t, t)"), ("b[0]", "np.where(s, -t, t)")],
)
def test_another_sign_is_rejected(reject: Reject, start: str, wrong: str) -> None:
    assert reject(ALTERNATING, ONE_SUM.format(start, wrong)) == UNEQUAL
