"""What the normal form shows equal is equal: random terms, rewritten in ways that keep or change their meaning."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.comprehension.pairs import difference, random_pair, stepped_pair
from tests.shared import sampled

from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.notation import show


@settings(max_examples=sampled(150, 400), deadline=None, derandomize=True)
@given(st.integers(0, 1 << 48))
def test_terms_shown_equal_have_equal_values(seed: int) -> None:
    pair = random_pair(seed)
    if pair.left is not pair.right and equal(pair.left, pair.right, pair.domain):
        assert difference(pair) is None, f"{show(pair.left)}\n{show(pair.right)}\n{pair.domain}"


@settings(max_examples=sampled(60, 400), deadline=None, derandomize=True)
@given(st.integers(0, 1 << 48))
def test_folds_with_steps_that_are_shown_equal_have_equal_values(seed: int) -> None:
    pair = stepped_pair(seed)
    if pair is not None and equal(pair.left, pair.right, pair.domain):
        assert difference(pair) is None, f"{show(pair.left)}\n{show(pair.right)}\n{pair.domain}"


def test_most_folds_with_steps_are_shown() -> None:
    kept = [pair for seed in range(sampled(100, 400)) if (pair := stepped_pair(seed)) is not None and pair.is_kept]
    shown = sum(equal(pair.left, pair.right, pair.domain) for pair in kept)
    assert shown > 0.6 * len(kept)


@settings(max_examples=sampled(80, 150), deadline=None, derandomize=True)
@given(st.integers(0, 1 << 48))
def test_rewritings_that_keep_the_meaning_keep_the_values(seed: int) -> None:
    pair = random_pair(seed)
    if pair.is_kept:
        assert difference(pair, contents=1) is None, f"{show(pair.left)}\n{show(pair.right)}\n{pair.domain}"


def test_most_rewritings_that_keep_the_meaning_are_shown() -> None:
    kept = [pair for seed in range(sampled(200, 400)) if (pair := random_pair(seed)).is_kept]
    shown = sum(equal(pair.left, pair.right, pair.domain) for pair in kept)
    assert shown > 0.9 * len(kept)


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    alone = []
    for seed in range(sampled(80, 150)):
        pair = random_pair(seed)
        alone.append(equal(pair.left, pair.right, pair.domain))
    again = []
    for seed in range(sampled(80, 150)):
        pair = random_pair(seed)
        equal(pair.right, pair.right if seed % 2 else pair.left, pair.domain)
        again.append(equal(pair.left, pair.right, pair.domain))
    assert alone == again


@pytest.mark.parametrize("seed", [5353, 7038])
def test_known_difficult_pairs(seed: int) -> None:
    pair = random_pair(seed)
    assert not equal(pair.left, pair.right, pair.domain) or difference(pair) is None
