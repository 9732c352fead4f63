"""Conditions that a source checks, and choices that indices and sizes decide."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation

from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Term
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Undecided, Value, as_data

_OUTSIDE = "IndexError"
_ARITHMETIC = {"ZeroDivisionError", "OverflowError"}
_RAISED = re.compile(r"\w+Error\b")  # begins the message of what Python raises, and of nothing else that ends a run

if TYPE_CHECKING:
    from tensorlift.proofs.source.frames import Frame


def require_holds(_run: object, op: Operation, frame: Frame, context: Domain) -> None:
    """Show that a condition holds, unless a run in which it does not has no meaning: Python raises.

    That is so where numbers have no result, and where data is to blame; not where literal IR alone ends, or C++ throws.

    Raises:
        Undecided: where that is not shown.

    """
    condition, message = frame.value(op.operands[0]), op.properties["msg"]
    assert isinstance(message, StringAttr)
    if isinstance(condition, Term) and message.data == _OUTSIDE:
        _count_from_first(op.operands[0].owner, frame)
        return
    is_of_data = isinstance(condition, Term) and bool(condition.reads) and _RAISED.match(message.data) is not None
    if is_of_data or message.data in _ARITHMETIC:
        return
    if not (isinstance(condition, Domain) and context.is_subset(condition)):
        raise Undecided("a check is not shown to hold", op)


def _count_from_first(test: Operation | Block, frame: Frame) -> None:
    """Take a subscript that data or products say for one that is not negative, as definitions do.

    Python adds the extent to those that are; that places are inside of their axis is a precondition.
    """
    for operand in test.operands if isinstance(test, Operation) else ():
        match frame.values.get(operand):
            case Apply(op="select", args=(Apply(op="lt", args=(below, Constant(value=0))), Apply(op="add"), place)):
                if below is place:
                    frame.values[operand] = place
            case Exact(value=value) as exact if not value.is_affine:
                frame.values[operand] = as_data(exact, operand.type)


def decided(condition: Value, context: Domain) -> bool | None:
    """Tell whether a condition holds at all points of a context, or at none; None where neither is known."""
    if not isinstance(condition, Domain):
        return None
    return False if context.is_disjoint(condition) else True if context.is_subset(condition) else None


def where(condition: Value, *, is_true: bool) -> Domain:
    """Return the points at which a truth value may be that: all of them, but for what indices and sizes say."""
    match condition:
        case Domain():
            return condition if is_true else condition.complement()
        case Constant(value=value):
            return UNIVERSE if bool(value) == is_true else EMPTY
        case Piecewise(pieces=pieces):
            left = Domain.union(domain for domain, _ in pieces).complement()
            return Domain.union([left, *(domain & where(part, is_true=is_true) for domain, part in pieces)])
        case Apply(op="not", args=(part,)):
            return where(part, is_true=not is_true)
        case Apply(op="and" | "or" as op, args=(left, right), dtype="bool"):
            one, other = (where(part, is_true=is_true) for part in (left, right))
            return one & other if (op == "and") == is_true else one | other
    return UNIVERSE
