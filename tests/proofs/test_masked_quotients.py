"""A guarded quotient may be selected, but not multiplied by a truth value: zero times infinity is NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.proofs.failure import UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

GUARDED = """void f(int n, double a[n], double b[n], double c[n]) {
  for (int i = 0; i < n; i++) c[i] = b[i] != 0 ? a[i] / b[i] : 0;
}"""


def test_a_guarded_quotient_is_selected_not_multiplied_away(accept: Accept, reject: Reject) -> None:
    accept(GUARDED, "def f(a, b):\n    return np.where(b != 0, a / b, 0.0)")
    assert reject(GUARDED, "def f(a, b):\n    return (b != 0) * (a / b)") == UNREADABLE
    assert reject(GUARDED, "def f(a, b):\n    return a / b * (b != 0)") == UNREADABLE
