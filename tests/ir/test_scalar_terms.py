"""The rows of ``ir/scalar_terms`` mean what the interpreters compute, at the corners of a type."""

from __future__ import annotations

import itertools

import pytest
from tests.comprehension.evaluate import Evaluator
from xdsl.dialects.builtin import i8
from xdsl.ir import Block

from tensorlift.comprehension import terms
from tensorlift.ir.arithmetic import ArithmeticFault, evaluator
from tensorlift.ir.operations import operation_class
from tensorlift.ir.scalar_terms import term_of

_CORNERS = (-128, -127, -7, -1, 0, 1, 2, 7, 126, 127)
_BINARY = (
    "addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "floordivsi", "maxsi", "maxui", "minsi", "minui",
    "andi", "ori", "xori", "shli", "shrsi", "shrui",
)  # fmt: skip


@pytest.mark.parametrize("name", _BINARY)
def test_an_operation_on_integers_means_what_it_computes(name: str) -> None:
    block = Block(arg_types=[i8, i8])
    op = operation_class(f"arith.{name}").create(operands=block.args, result_types=[i8])
    compute, evaluate, seen = evaluator(op), Evaluator(0), 0
    assert compute is not None
    for left, right in itertools.product(_CORNERS, repeat=2):
        try:
            expected = compute(left, right)
        except ArithmeticFault:
            continue
        term = term_of(op, [terms.constant(left, "i8"), terms.constant(right, "i8")])
        assert (int(evaluate.value(term, {})) - expected) % 256 == 0, (left, right)
        seen += 1
    assert seen
