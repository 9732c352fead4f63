"""A choice between two numbers by Python itself: programs that are right are proved, wrong ones rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.proofs.failure import UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

SOURCE = "double f(const double *x) { return x[0] > 0 ? x[1] * x[1] : -x[2]; }"


def _program(body: str) -> str:
    *statements, result = body.split("; ")
    return "def f(x):\n" + "".join(f"    {line}\n" for line in (*statements, f"return {result}"))


@pytest.mark.parametrize(
    "body",
    [
        "x[1] ** 2 if x[0] > 0 else -x[2]",
        "-x[2] if x[0] <= 0 else x[1] * x[1]",
        "a = x[1] * x[1]; a = a if x[0] > 0 else -x[2]; a",
    ],
)
def test_a_right_choice_is_proved(accept: Accept, body: str) -> None:
    accept(SOURCE, _program(body))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("-x[2] if x[0] > 0 else x[1] * x[1]", UNEQUAL),
        ("x[1] * x[1] if x[0] >= 0 else -x[2]", UNEQUAL),
        ("x[1] * x[1] if x[0] > 0 else x[2]", UNEQUAL),
        ("x[1] * x[1] if x[0] else -x[2]", UNREADABLE),
        ("x[1] * x[1] if x > 0 else -x[2]", UNREADABLE),
        ("(x[1:2] * x[1] if x[0] > 0 else -x[2:3])[0]", UNREADABLE),
        ("np.copy(x[1]) if x[0] > 0 else -x[2]", UNREADABLE),
        ("np.sqrt(x[1]) if x[0] > 0 else 0", UNREADABLE),
    ],
)
def test_a_wrong_choice_is_rejected(reject: Reject, body: str, code: str) -> None:
    assert reject(SOURCE, _program(body)) == code
