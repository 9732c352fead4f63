"""Simplifications of truth values in integers keep the value at every point."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from tests.comprehension.evaluate import Evaluator

from tensorlift.comprehension import rewrite, terms

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType

TYPES: tuple[DType, ...] = ("i32", "u8", "i64")


def operands(dtype: DType) -> list[Term]:
    """Return integers of which some are flags, and bit operations on them."""
    truths = [terms.scalar(name, "bool") for name in "bc"]
    flags = [terms.cast(truth, dtype) for truth in truths]
    number = terms.scalar("x", dtype)
    simple = [*flags, number, terms.zero(dtype), terms.one(dtype)]
    joined = [terms.apply(op, number, flag) for op in ("bitand", "bitor") for flag in flags]
    chosen = [terms.apply("select", truths[0], terms.one(dtype), number)]
    return [*simple, *joined, *chosen, *(terms.cast(flag, "i64") for flag in flags)]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", ["eq", "ne", "bitand", "bitor"])
def test_an_operation_on_flags_keeps_its_value(op: str, dtype: DType) -> None:
    changed = 0
    for left, right in itertools.product(operands(dtype), repeat=2):
        plain, simple = terms.apply(op, left, right), rewrite.simplified(op, (left, right))
        changed += plain is not simple
        assert simple.dtype == plain.dtype
        for seed in range(12):
            assert Evaluator(seed).value(simple, {}) == Evaluator(seed).value(plain, {}), (plain, simple)
    assert changed


@pytest.mark.parametrize("narrow", TYPES)
def test_a_narrowed_bit_operation_keeps_its_value(narrow: DType) -> None:
    inner = [terms.cast(term, "i64") for term in operands(narrow) if term.dtype == narrow]
    for op, (left, right) in itertools.product(("bitand", "bitor"), itertools.product(inner, repeat=2)):
        plain = terms.apply("cast", terms.apply(op, left, right), dtype=narrow)
        simple = rewrite.simplified("cast", plain.args, plain)
        for seed in range(12):
            assert Evaluator(seed).value(simple, {}) == Evaluator(seed).value(plain, {}), (plain, simple)
