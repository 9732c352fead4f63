"""A branch that does nothing but test for another one asks for both: ``if (a) { if (b) x; }`` is ``if (a && b) x;``.

That is so where both leave the same elsewhere, and where the second may be asked although the first does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.arith import AndIOp
from xdsl.dialects.scf import IfOp
from xdsl.ir import Block, SSAValue

from tensorlift.normalise.choices import is_harmless
from tensorlift.normalise.edit import insert, last_of, move, nested, supersede

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


@dataclass(frozen=True)
class Conjunctions:
    """The pass that joins branches."""

    name = "conjunctions"

    def apply(self, module: ModuleOp) -> None:
        """Join each branch with the one that it tests for, inner ones first."""
        for op in reversed(nested(module, IfOp)):
            inner = _tested_for(op)
            if inner is not None:
                _join(op, inner)


def _tested_for(outer: IfOp) -> IfOp | None:
    """Return the branch that the first arm of another one consists of, if their last arms leave the same."""
    then, otherwise = (region.block if region.blocks else Block() for region in outer.regions)
    ends = then.last_op
    inner = ends.prev_op if ends is not None else None
    if not isinstance(inner, IfOp) or ends is None or len(otherwise.ops) > 1:
        return None
    second = inner.false_region.block if inner.false_region.blocks else Block()
    if len(second.ops) > 1 or not all(is_harmless(op) for op in then.ops if op not in {inner, ends}):
        return None
    told: dict[SSAValue, SSAValue] = dict(
        zip(inner.results, last_of(second).operands if second.ops else (), strict=True)
    )
    left = last_of(otherwise).operands if otherwise.ops else ()
    is_alike = all(told.get(one, one) is other for one, other in zip(ends.operands, left, strict=True))
    return inner if is_alike else None


def _join(outer: IfOp, inner: IfOp) -> None:
    """Ask for both conditions at once."""
    then = outer.true_region.block
    ends = last_of(then)
    move([op for op in then.ops if op not in {inner, ends}], outer)
    both = AndIOp(outer.cond, inner.cond)
    both.location = outer.location
    insert([both], outer)
    body = inner.detach_region(inner.true_region)
    given: dict[SSAValue, SSAValue] = dict(zip(inner.results, last_of(body.block).operands, strict=True))
    last_of(body.block).operands = [given.get(value, value) for value in ends.operands]
    otherwise = outer.detach_region(outer.false_region)
    made = IfOp.create(
        operands=[both.result], result_types=outer.result_types, regions=[body, otherwise], location=outer.location
    )
    supersede(outer, made)
