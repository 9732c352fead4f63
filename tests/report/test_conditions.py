"""Preconditions are told in few words, and none is lost."""

from __future__ import annotations

import pytest

from tensorlift.contract.interface import Precondition
from tensorlift.contract.notation import parse_condition
from tensorlift.report.terminal import in_few_words


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        ([], []),
        (["m >= 1", "n >= 1"], ["m, n >= 1"]),
        (["m >= 1", "n >= 2", "k >= 1"], ["m, k >= 1; n >= 2"]),
        (["n >= 0", "n >= 3"], ["n >= 3"]),
        (["k <= lda", "n >= 1", "2*n + 1 >= k"], ["n >= 1; k <= lda; 2*n + 1 >= k"]),
        (["a shares no memory with b", "n >= 1"], ["n >= 1", "a shares no memory with b"]),
        (["m >= n", "m >= n"], ["m >= n"]),
        (["-1 >= 0"], ["-1 >= 0"]),
    ],
)
def test_conditions_share_lines_and_bounds(texts: list[str], lines: list[str]) -> None:
    assert list(in_few_words(Precondition(text, "", condition=parse_condition(text)) for text in texts)) == lines
