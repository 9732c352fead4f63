"""Conditions are spelled, read back and written as data without loss."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.contract import notation as written
from tensorlift.contract.language import (
    RELATIONS,
    AnyOf,
    Compare,
    Condition,
    DistinctRows,
    Elements,
    EqualRows,
    Extent,
    Inside,
    InWords,
    IsArray,
    IsScalar,
    NotNull,
    Quotient,
    ReadInside,
    Separate,
    Sum,
)
from tensorlift.contract.notation import parse_condition, parse_sum

NAMES = st.sampled_from(["n", "m", "lda", "x_shape0"])
LEAVES = st.one_of(NAMES, st.builds(Extent, st.sampled_from(["A", "b"]), st.integers(0, 2)))
PRODUCTS = st.tuples(st.integers(-9, 9), st.lists(LEAVES, max_size=2).map(tuple))
FLAT = st.lists(PRODUCTS, max_size=3).map(lambda terms: Sum.of(*terms))
ATOMS = st.one_of(LEAVES, st.builds(Quotient, FLAT, st.integers(1, 5).map(Sum.number)))
SUMS = st.lists(st.tuples(st.integers(-9, 9), st.lists(ATOMS, max_size=2).map(tuple)), max_size=3).map(
    lambda terms: Sum.of(*terms)
)
COMPARISONS = st.builds(Compare, SUMS, st.sampled_from(RELATIONS), SUMS)
WORDS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
CONDITIONS = st.one_of(
    COMPARISONS,
    st.lists(st.lists(COMPARISONS, min_size=1, max_size=2).map(tuple), min_size=2, max_size=3).map(
        lambda choices: AnyOf(tuple(choices))
    ),
    st.builds(Separate, NAMES, WORDS, st.booleans()),
    st.builds(DistinctRows, NAMES),
    st.builds(EqualRows, NAMES),
    st.builds(Elements, NAMES, SUMS, st.booleans()),
    st.builds(Inside, NAMES, st.integers(-9, 9), SUMS),
    st.builds(ReadInside, NAMES),
    st.builds(NotNull, NAMES),
    st.builds(IsArray, NAMES, st.sampled_from(["float64", "int8"]), st.integers(0, 4)),
    st.builds(IsScalar, NAMES, st.just("float32")),
    st.just(InWords("the moon is full")),
)


@given(CONDITIONS)
def test_what_is_spelled_is_read_back(condition: object) -> None:
    assert str(parse_condition(str(condition))) == str(condition)
    assert parse_condition(str(condition)) == condition


@given(CONDITIONS)
def test_what_is_written_as_data_is_read_back(condition: Compare) -> None:
    assert written.CONDITIONS.read(Condition, json.loads(json.dumps(written.CONDITIONS.write(condition)))) == condition


@given(SUMS, SUMS, st.lists(st.integers(-3, 7), min_size=4, max_size=4), st.lists(st.integers(0, 5), min_size=6))
def test_sums_are_numbers(a: Sum, b: Sum, sizes: list[int], extents: list[int]) -> None:
    values = dict(zip(("n", "m", "lda", "x_shape0"), sizes, strict=True))
    shapes = {"A": tuple(extents[:3]), "b": tuple(extents[3:6])}
    at_a, at_b = a.at(values, shapes), b.at(values, shapes)
    assert (a + b).at(values, shapes) == at_a + at_b
    assert (a - b).at(values, shapes) == at_a - at_b
    assert (a * b).at(values, shapes) == at_a * at_b
    assert a.substitute({"n": Sum.number(values["n"])}).at(values, shapes) == at_a


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("K <= lda", "K <= lda"),
        ("(h + 1)*w <= 3 * s", "h*w + w <= 3*s"),
        ("n >= 4*(n/4)", "n >= 4*(n // 4)"),
        ("y.shape[0] - 1 == x.shape[1]", "y.shape[0] - 1 == x.shape[1]"),
        ("(m >= 1 and n >= 1) or (m == 0)", "(m >= 1 and n >= 1) or (m == 0)"),
        ("0 <= n", "0 <= n"),
        ("len(A[0]) == len(b)", "len(A[0]) == len(b)"),
    ],
)
def test_relations_are_read_as_front_ends_spell_them(text: str, spelled: str) -> None:
    condition = parse_condition(text)
    assert not isinstance(condition, InWords)
    assert str(condition) == spelled


@pytest.mark.parametrize("text", ["n", "f(n) >= 1", "n/m >= 1", "n/0 >= 1", "1 <= n <= 3", "n >= 1.5", "A[0] >= 1", ""])
def test_what_is_no_condition_stays_in_words(text: str) -> None:
    assert parse_condition(text) == InWords(text)


@pytest.mark.parametrize(
    "text", ["", "n +", "A.size", "n ** 2", "A.shape[-1]", "A.shape[True]", "len(A[1])", "len(A, b)"]
)
def test_what_is_no_sum_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no sum|no extent"):
        parse_sum(text)


@pytest.mark.parametrize("data", [{"is": "a mood"}, {"is": "compare", "left": [], "relation": "~", "right": []}])
def test_data_that_is_no_condition_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no"):
        written.CONDITIONS.read(Condition, data)
