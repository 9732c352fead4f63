"""Reads and stores at quotients and rests of indices: right programs are proved, those that round otherwise are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift import lift
from tensorlift.comprehension.quotients import bounded, exactly
from tensorlift.comprehension.terms import Term, apply, cast, constant, index, scalar
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.proofs.failure import OBLIGATION, UNEQUAL

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

HALF = "void f(int n, const double *c, double *y) { for (int i = 0; i < n; i++) y[i] = c[i / 2]; }"
MIXED = "void f(int n, const double *c, double *y) { for (int i = 0; i < n; i++) y[i] = c[i / 2 + i % 3]; }"
BINS = "void f(int n, const double *c, double *y) { for (int i = 0; i < n; i++) y[i / 4] += c[i]; }"
RING = """void f(int n, int m, const double *c, double y[n][m]) {
  for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i][k] = c[(i + k) % n]; }"""
SUMS = "(np.arange(n)[:, None] + np.arange(m)).astype(np.int32)"
WINDOWS = "np.lib.stride_tricks.sliding_window_view(c[np.fmod({}.astype(np.int32), n)], m).copy()"
RIGHT = [
    (HALF, "c[np.arange(n) // 2]"),
    (HALF, "c[np.arange(n) - (np.arange(n) + 1) // 2]"),
    (MIXED, "c[np.arange(n) // 2 + np.arange(n) % 3]"),
    (MIXED, "c[np.arange(n) + np.arange(n) // 2 - 3 * (np.arange(n) // 3)]"),
    (RING, f"c[np.fmod({SUMS}, n)]"),
    (RING, WINDOWS.format("np.arange(n + m - 1)")),
]
WRONG = [
    (HALF, "c[np.arange(n) // 3]", UNEQUAL),
    (HALF, "c[np.arange(n) // 2 + 1]", OBLIGATION),
    (HALF, "c[np.arange(n) // 2 - 1]", OBLIGATION),
    (HALF, "c[np.arange(n)]", OBLIGATION),
    (HALF, "c[np.arange(n) % 2]", OBLIGATION),
    (MIXED, "c[np.arange(n) // 2 + np.arange(n) % 2]", UNEQUAL),
    (MIXED, "c[np.arange(n) // 2 - np.arange(n) % 3]", OBLIGATION),
    (RING, f"c[np.fmod({SUMS}, m)]", OBLIGATION),
    (RING, WINDOWS.format("np.arange(1, n + m)"), OBLIGATION),
    (RING, WINDOWS.format("np.arange(n + m - 1)[::-1]"), UNEQUAL),
    (RING, WINDOWS.format("np.arange(-1, n + m - 2)"), OBLIGATION),
    (RING, f"c[np.fmod({SUMS}, n + 1)]", OBLIGATION),
    (RING, f"c[np.fmod({SUMS.replace('+', '-')}, n)]", OBLIGATION),
    (RING, f"c[np.fmod({SUMS.replace('int32', 'int16')}, n)]", OBLIGATION),
]


def _program(value: str) -> str:
    return f"def f(n, {'m, ' if 'm)' in value else ''}c):\n    return {value}\n"


@pytest.mark.parametrize(("source", "value"), RIGHT)
def test_what_reads_the_same_cells_is_proved(accept: Accept, source: str, value: str) -> None:
    accept(source, _program(value))


@pytest.mark.parametrize(("source", "value", "code"), WRONG)
def test_what_reads_other_cells_is_rejected(reject: Reject, source: str, value: str, code: str) -> None:
    assert reject(source, _program(value)) == code


ROLL = "void f(int n, int k, const double *x, double *y) { for (int i = 0; i < n; i++) y[(i + k) % n] = x[i]; }"
ROLLED = """def f(k, x, y):
    n = x.shape[0]
    y = y.copy()
    y[np.fmod(np.arange(k, k + n).astype(np.int32), n)] = x
    return y
"""


def test_a_store_at_a_remainder_by_a_size_is_proved(accept: Accept) -> None:
    accept(ROLL, ROLLED)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("arange(k, k + n)", "arange(n)", OBLIGATION),
        ("arange(k, k + n)", "arange(k + 1, k + n + 1)", OBLIGATION),
        ("np.int32), n)", "np.int32), n + 1)", OBLIGATION),
        ("np.int32", "np.int16", OBLIGATION),
        ("= x\n", "= x[::-1]\n", UNEQUAL),
        ("] = x\n", "] += x\n", UNEQUAL),
    ],
)
def test_a_store_at_another_remainder_is_rejected(reject: Reject, old: str, new: str, code: str) -> None:
    assert reject(ROLL, ROLLED.replace(old, new)) == code


@pytest.mark.parametrize("source", [HALF, MIXED, BINS])
def test_both_halves_are_proved_without_a_condition_on_places(source: str) -> None:
    (function,) = lift(source).functions
    assert (str(function.verdict), str(function.level)) == ("loop-free", "proved")
    assert not any("place" in str(one) for one in function.preconditions)


AT, N = Affine.var("i"), Affine.var("n")
INSIDE = Domain.of(at_least(AT, 0), less(AT, N))


def _by(op: str, divisor: Term, dividend: Term | None = None) -> Term:
    return apply(op, dividend if dividend is not None else index(AT, "i64"), divisor)


@pytest.mark.parametrize(("op", "quotient"), [("floordiv", -4), ("tdiv", -3), ("mod", 1), ("rem", -1)])
def test_negative_numbers_are_rounded_as_each_operation_does(op: str, quotient: int) -> None:
    found = exactly(_by(op, constant(2, "i64")), Domain.of(equal(AT, -7)))
    assert found is not None
    assert found.lies_in(Affine(quotient), Affine(quotient), Domain.of(equal(AT, -7)))


def test_what_may_wrap_or_is_of_data_is_not_exact() -> None:
    half = _by("floordiv", constant(2, "i32"), index(AT, "i32"))
    assert exactly(cast(half, "i64"), INSIDE & Domain.of(less(N, 1 << 31))) is not None
    assert exactly(cast(half, "i64"), INSIDE) is None
    assert exactly(_by("floordiv", constant(2, "i64"), scalar("s", "i64")), INSIDE) is None
    assert exactly(_by("mod", index(N, "i64")), INSIDE) is None
    assert exactly(_by("floordiv", constant(0, "i64")), INSIDE) is None


@pytest.mark.parametrize(
    ("op", "divisor", "dividend", "is_inside"),
    [
        ("mod", index(N, "i64"), scalar("s", "i64"), True),
        ("rem", index(N, "i64"), scalar("s", "i64"), False),
        ("rem", index(N, "i64"), cast(scalar("s", "u8"), "i64"), True),
        ("mod", index(N + 1, "i64"), scalar("s", "i64"), False),
        ("floordiv", index(N, "i64"), None, True),
        ("floordiv", scalar("s", "i64"), None, False),
    ],
)
def test_a_rest_is_less_than_a_size(op: str, divisor: Term, dividend: Term | None, is_inside: bool) -> None:  # noqa: FBT001 - the row
    found = bounded(_by(op, divisor, dividend), INSIDE)
    assert found is not None
    assert found.lies_in(Affine(0), N - 1, INSIDE) is is_inside
