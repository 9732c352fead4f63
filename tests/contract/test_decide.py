"""Conditions are decided for the arguments of a call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlift.contract.decide import are_separate, holds, is_injective
from tensorlift.contract.notation import parse_condition

LINE = np.arange(12.0)
TABLE = LINE.reshape(3, 4)


def test_a_condition_on_what_the_call_does_not_have_is_left_alone() -> None:
    assert holds(parse_condition("n <= lda"), {"n": 3})
    assert not holds(parse_condition("n <= lda"), {"n": 3, "lda": 2})
    assert holds(parse_condition("y shares no memory with x"), {"x": LINE})
    assert holds(parse_condition("the moon is full"), {})


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("A.shape[1] == n", True),
        ("A.shape[1] != n", False),
        ("n < 4", False),
        ("n > 3", True),
        ("2*(n // 3) >= n", False),
        ("(n <= 3) or (n >= 4 and A.shape[0] == 3)", True),
        ("A is a float64 array of 2 dimensions", True),
        ("A is a float64 array of 1 dimension", False),
        ("n is one int64", True),
        ("A is one float64", False),
        ("the rows of A do not overlap", True),
    ],
)
def test_conditions_are_decided(text: str, outcome: bool) -> None:  # noqa: FBT001 - the expected answer
    assert holds(parse_condition(text), {"A": TABLE, "n": 4}) is outcome


@pytest.mark.parametrize(
    ("one", "other", "apart", "or_same"),
    [
        (LINE, LINE, False, True),
        (LINE, LINE.copy(), True, True),
        (LINE[:6], LINE[6:], True, True),
        (LINE[:6], LINE[5:11], False, False),
        (LINE[::2], LINE[1::2], True, True),
        (TABLE[:3, :3], TABLE[:3, :3].T, False, False),
        (LINE[:0], LINE, True, True),
    ],
)
def test_memory_is_shared_or_not(one: Any, other: Any, apart: bool, or_same: bool) -> None:  # noqa: FBT001 - expected answers
    assert are_separate(one, other) is apart
    assert are_separate(one, other, or_same=True) is or_same


def test_what_is_too_hard_to_decide_counts_as_shared() -> None:
    base = np.zeros(1 << 20, np.int8)
    strides = (12223, 12224, 12225, 12226, 12227)
    one = np.lib.stride_tricks.as_strided(base, (5,) * 5, strides)
    other = np.lib.stride_tricks.as_strided(base[7:], (5,) * 5, strides)
    assert not are_separate(one, other)


@pytest.mark.parametrize(
    ("array", "answer"),
    [
        (TABLE, True),
        (TABLE.T[::-1], True),
        (np.broadcast_to(LINE, (2, 12)), False),
        (np.lib.stride_tricks.sliding_window_view(LINE, 3), False),
        (np.broadcast_to(LINE[:0], (2, 0)), True),
        (np.broadcast_to(LINE, (1, 12)), True),
    ],
)
def test_elements_have_places_of_their_own(array: Any, answer: bool) -> None:  # noqa: FBT001 - the expected answer
    assert is_injective(array) is answer
