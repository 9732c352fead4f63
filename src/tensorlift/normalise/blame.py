"""Why an integer that steers has no exact value: it is loaded, or changed by a loop in no closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tensorlift.normalise.exact import DIVISIONS
from tensorlift.normalise.steering import is_integer, made_of
from tensorlift.normalise.values import Unknown, depends_on_data
from tensorlift.poly.index_arithmetic import Index
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from tensorlift.diagnostics import LiftError, Location
    from tensorlift.normalise.execution import Execution

_STEPS = {"arith.addi", "arith.subi", "arith.muli", "arith.shli", "arith.select", *DIVISIONS}


def inexact(ex: Execution, value: SSAValue, place: Location, reason: str = "subscript-data") -> LiftError:
    """Refuse an integer without an exact value at what makes it so; ``reason`` says that it is data."""
    work: list[tuple[SSAValue, Operation | None]] = [(value, None)]
    seen: set[SSAValue] = set()
    while work:
        found, user = work.pop()
        known = ex.values.get(found)
        if isinstance(known, Unknown):
            return refusal(known.reason, place, known.detail)
        is_exact = isinstance(known, Index) and not depends_on_data(known.polynomial)
        if found in seen or is_exact or not is_integer(found):
            continue
        seen.add(found)
        op = found.owner
        if not isinstance(op, Block) and op.name == "memref.load":
            return refusal(reason, place, "data")
        if _is_carried(found):
            step = _step(found) or user
            return refusal("closed-form", place if step is None else ex.at(step), _variable(found))
        work += [(part, None if isinstance(op, Block) else op) for part in reversed(made_of(found))]
    return refusal(reason, place, "data")


def _variable(value: SSAValue) -> str:
    """Spell a variable as the source does; the size of a vector is one."""
    hint = value.name_hint or "a variable"
    return f"{hint}()" if hint.endswith(".size") else hint


def _is_carried(value: SSAValue) -> bool:
    """Whether loops or branches give a value."""
    if isinstance(value, BlockArgument):
        return value.block.parent_op() is not None and value.block.parent_op().name == "scf.while"  # type: ignore[union-attr] # as just asked
    return isinstance(value, OpResult) and value.op.name in {"scf.while", "scf.if"}


def _step(carried: SSAValue) -> Operation | None:
    """Return the first arithmetic on what goes round."""
    work, seen = [carried], {carried}
    while work:
        value = work.pop()
        op = value.owner
        if not isinstance(op, Block) and op.name in _STEPS:
            return op
        new = [part for part in made_of(value) if part not in seen and is_integer(part)]
        seen.update(new)
        work += reversed(new)
    return None
