"""What is asked on the way to a question may answer it: compared with all integers of four bits."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.arith import CmpiOp
from xdsl.dialects.cf import ConditionalBranchOp
from xdsl.dialects.func import FuncOp

from tensorlift import lift
from tensorlift.ir.arithmetic import evaluator
from tensorlift.ir.dialects import literal_context
from tensorlift.ir.text import parse_module
from tensorlift.normalise.jumps import decide_branches

_ALL = range(-8, 8)
_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_SIDES = st.sampled_from(["%a", "%b", *(f"%c{number + 8}" for number in _ALL)])
_QUESTIONS = st.tuples(st.sampled_from(_PREDICATES), _SIDES, _SIDES)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(_QUESTIONS, st.booleans()), min_size=1, max_size=2), _QUESTIONS)
def test_a_question_is_answered_where_all_integers_agree(
    asked: list[tuple[tuple[str, str, str], bool]], last: tuple[str, str, str]
) -> None:
    lines = [f"%c{number + 8} = arith.constant {number} : i4" for number in _ALL]
    for number, ((predicate, left, right), holds) in enumerate(asked):
        ways = f"^then{number}, ^end" if holds else f"^end, ^then{number}"
        lines += [f"%q{number} = arith.cmpi {predicate}, {left}, {right} : i4", f"cf.cond_br %q{number}, {ways}"]
        lines += [f"^then{number}:"]
    predicate, left, right = last
    lines += [f"%q = arith.cmpi {predicate}, {left}, {right} : i4", "cf.cond_br %q, ^yes, ^end"]
    lines += ["^yes:", "cf.br ^end", "^end:", "func.return"]
    module = parse_module(
        "func.func @f(%a: i4, %b: i4) {\n" + "\n".join(lines) + "\n}\n", "f.mlir", context=literal_context()
    )
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    *before, question = (op for op in function.walk() if isinstance(op, CmpiOp))
    decide_branches(function)
    left_open = any(isinstance(op, ConditionalBranchOp) and op.cond is question.result for op in function.walk())
    answers = {
        _answer(question, a, b)
        for a, b in product(_ALL, _ALL)
        if all(_answer(op, a, b) == holds for op, (_, holds) in zip(before, asked, strict=True))
    }
    assert left_open or len(answers) <= 1
    mine, *others = [{*sides} & {"%a", "%b"} for _, *sides in [last, *(one for one, _ in asked)]]
    if len(answers) == 1 and all(one <= mine for one in others) and (any(others) or not mine):
        assert not left_open


def _answer(op: CmpiOp, a: int, b: int) -> bool:
    evaluate = evaluator(op)
    assert evaluate is not None
    given_ = {"a": a, "b": b} | {f"c{number + 8}": number for number in _ALL}
    return bool(evaluate(*(given_[str(value.name_hint)] for value in op.operands)))


def test_a_loop_that_counts_in_its_test_counts() -> None:
    loop = "for (i = n; i > 0 && i--;) y[i] += a[i * n + i] * y[i];"
    (function,) = lift(f"void f(int n, const double *a, double *y) {{ int i; {loop} }}").functions
    assert function.verdict == "loop-free"
