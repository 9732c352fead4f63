"""What constants, and the branches around an operation, say of a comparison of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.arith import AddiOp, AndIOp, CmpiOp, ConstantOp, ExtSIOp, ExtUIOp, SubiOp, XOrIOp
from xdsl.dialects.builtin import IntegerType
from xdsl.dialects.scf import IfOp

from tensorlift.ir.arithmetic import MIRRORED, NEGATED, constant, predicate_number, predicate_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.ir import Operation, SSAValue


class Linear(NamedTuple):
    """A value plus a number; a number alone has no value, and one that is extended is told by how."""

    base: object
    offset: int


class Comparison(NamedTuple):
    """Two integers and how they compare; of ``operator`` only those are left that ``>`` can be turned into."""

    operator: str
    left: Linear
    right: Linear
    is_unsigned: bool

    @property
    def gap(self) -> int:
        """By how much the number on the right is greater."""
        return self.right.offset - self.left.offset


def contrary(op: CmpiOp) -> int:
    """Return the predicate that holds where that of a comparison does not."""
    operator, signed = predicate_of(op)
    return predicate_number(NEGATED[operator], signed=signed)


def linear(value: SSAValue, given: Mapping[SSAValue, SSAValue]) -> Linear:
    """Split a value, where some stand for others."""
    value, owner = given.get(value, value), given.get(value, value).owner
    if isinstance(owner, ConstantOp) and isinstance(value.type, IntegerType):
        return Linear(None, int(constant(owner)))
    if isinstance(owner, AddiOp | SubiOp):
        left, right = (linear(operand, given) for operand in owner.operands)
        if right.base is None:
            return Linear(left.base, left.offset + (right.offset if isinstance(owner, AddiOp) else -right.offset))
        if left.base is None and isinstance(owner, AddiOp):
            return Linear(right.base, left.offset + right.offset)
    if isinstance(owner, ExtSIOp | ExtUIOp):
        inner = linear(owner.input, given)
        return inner if inner.base is None else Linear((owner.name, inner), 0)
    return Linear(value, 0)


def comparison(op: CmpiOp, given: Mapping[SSAValue, SSAValue], *, holds: bool = True) -> Comparison:
    """Look at a comparison that holds, or does not."""
    operator, signed = predicate_of(op)
    operator = operator if holds else NEGATED[operator]
    left, right = linear(op.lhs, given), linear(op.rhs, given)
    if operator.startswith(">"):
        operator, left, right = MIRRORED[operator], right, left
    return Comparison(operator, left, right, not signed)


def is_certain(asked: Comparison, at: Operation) -> bool:
    """Whether a comparison holds wherever an operation is run."""
    if asked.left.base is None and asked.right.base is None:
        return _is_true(asked)
    return any(_implies(known, asked) for known in _known(at))


def _is_true(asked: Comparison) -> bool:
    gap = asked.gap
    if asked.is_unsigned and min(asked.left.offset, asked.right.offset) < 0:
        return False  # not asked of any program so far
    return {"==": gap == 0, "!=": gap != 0, "<": gap > 0, "<=": gap >= 0}[asked.operator]


def _implies(known: Comparison, asked: Comparison) -> bool:
    """Whether one comparison follows from another one; offsets are taken for exact."""
    if known.is_unsigned != asked.is_unsigned and {known.operator, asked.operator} != {"!="}:
        return False
    if asked.operator == "!=" and known.operator in {"<", "!="}:
        turned = asked._replace(left=asked.right, right=asked.left)
        return any(_same(known, one) and known.gap == one.gap for one in (asked, turned))
    least = {"<": 1, "<=": 0}
    if known.operator not in least or asked.operator not in least or not _same(known, asked):
        return False
    return least[known.operator] - known.gap >= least[asked.operator] - asked.gap


def _same(one: Comparison, other: Comparison) -> bool:
    return one.left.base == other.left.base and one.right.base == other.right.base


def _known(at: Operation) -> Iterator[Comparison]:
    """Yield the comparisons that the branches around an operation made."""
    inner, outer = at, at.parent_op()
    while outer is not None:
        if isinstance(outer, IfOp):
            yield from _said_by(outer.cond, holds=inner.parent_region() is outer.true_region)
        inner, outer = outer, outer.parent_op()


def _said_by(condition: SSAValue, *, holds: bool) -> Iterator[Comparison]:
    op = condition.owner
    if isinstance(op, CmpiOp):
        yield comparison(op, {}, holds=holds)
    elif isinstance(op, AndIOp) and holds:
        for operand in op.operands:
            yield from _said_by(operand, holds=True)
    elif isinstance(op, XOrIOp) and isinstance(op.rhs.owner, ConstantOp):
        yield from _said_by(op.lhs, holds=not holds)
