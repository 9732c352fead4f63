"""What a stretch takes from around it, and gives to it, as a function of its own.

Operations between its loops whose values others use, and that may as well run earlier, stay before the call.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import BlockArgument, Operation

from tensorlift.diagnostics import refuse
from tensorlift.frontends.mlir.outline.stretches import callee_of, floats, keeping
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.ir.mixed import OpaqueOp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.diagnostics import LiftError, Location
    from tensorlift.frontends.mlir.outline.stretches import Stretch

_VIEWS = {"memref.cast", "memref.subview"}
_AGAIN = {"affine.apply", "arith.constant", *_VIEWS}


@dataclass(slots=True)
class Capture:
    """What operations take: ``arguments`` are values from around, ``again`` the operations that compute others.

    ``staying`` are operations among them that stay where they are; ``result`` is the only value that others use.
    """

    stretch: Stretch
    staying: list[Operation] = field(default_factory=list)
    inside: list[Operation] = field(default_factory=list)
    arguments: list[SSAValue] = field(default_factory=list)
    again: list[Operation] = field(default_factory=list)
    result: SSAValue | None = None

    def check(self) -> None:
        """Find all of it.

        Raises:
            LiftError: TL583 and others, where the operations cannot be taken out of their place.

        """
        functions = self.stretch.mixed.functions()
        for op in self.stretch.ops:
            kept = keeping(op, functions)
            if kept is not None:
                raise self._kept(kept)
        self._divide()
        given = list(dict.fromkeys(self._given()))
        arrays = {_memory(value) for value in given if isinstance(value.type, MemRefType)}
        for value in given:
            self._take(value, arrays)

    def _kept(self, op: Operation) -> LiftError:
        place = self.stretch.mixed.location(op)
        if isinstance(op, OpaqueOp):
            return self.stretch.mixed.reasons[op]
        if callee_of(op):
            return refusal("call", place, callee_of(op))
        if op.name == "memref.dealloc":
            return freed_elsewhere(place)
        return refusal("operation", place, op.name)

    def _divide(self) -> None:
        """Tell the operations that stay from those that move, and find the result."""
        ops = self.stretch.ops
        for op in reversed(ops):
            used = [value for value in op.results if self._is_used(value, [*ops[: ops.index(op)], *self.inside, op])]
            if used and floats(op):
                self.staying.insert(0, op)
                continue
            self.inside.insert(0, op)
            for value in used:
                if self.result is not None or len(op.results) > 1 or isinstance(value.type, MemRefType):
                    place = self.stretch.mixed.location(op)
                    raise several_values(place)
                self.result = value
        moved = {value for op in self.inside for value in op.results}
        late = next((op for op in self.staying if not moved.isdisjoint(op.operands)), None)
        if late is not None:
            raise several_values(self.stretch.mixed.location(late))

    def _is_used(self, value: SSAValue, moving: Sequence[Operation]) -> bool:
        """Tell whether anything but the moving operations uses a value."""
        if self.stretch.mixed.names.get(value, "").partition("#")[0] in self.stretch.mixed.unknown:
            return True
        return any(not _is_within(use.operation, moving) for use in value.uses)

    def _given(self) -> Iterator[SSAValue]:
        """Yield the values from around that the moving operations use."""
        for op in self.inside:
            for inner in op.walk():
                for value in inner.operands:
                    owner = value.owner
                    holder = owner if isinstance(owner, Operation) else owner.parent_op()
                    if holder is None or not _is_within(holder, self.inside):
                        yield value

    def _take(self, value: SSAValue, arrays: set[SSAValue]) -> None:
        """Compute a value again, or take it as an argument."""
        op: Any = value.owner
        if isinstance(op, Operation) and (
            op.name in _AGAIN or (op.name == "memref.dim" and _memory(op.operands[0]) in arrays)
        ):
            if op not in self.again:
                for operand in op.operands:
                    self._take(operand, arrays)
                self.again.append(op)
        elif value not in self.arguments:
            self.arguments.append(value)


def freed_elsewhere(place: Location) -> LiftError:
    """Build the refusal of operations that free what others made."""
    remedy = "free it behind the loops that are to be lifted"
    return refuse("TL584", "memory is freed here that was made elsewhere", place, remedy)


def several_values(place: Location) -> LiftError:
    """Build the refusal of operations that give more than a number."""
    message = "several values that are computed here are used behind, or an array"
    return refuse("TL585", message, place, "store values into arrays")


def _is_within(op: Operation, ops: Sequence[Operation]) -> bool:
    return any(one is op or one.is_ancestor(op) for one in ops)


def _memory(value: SSAValue) -> SSAValue:
    """Give the memref that one is a view of."""
    while isinstance(value.owner, Operation) and value.owner.name in _VIEWS:
        value = value.owner.operands[0]
    return value


def first_iteration(value: SSAValue) -> int | None:
    """Give the number that the variable of a loop starts at, None where it is not known or no such variable."""
    loop: Any = value.owner.parent_op() if isinstance(value, BlockArgument) and value.index == 0 else None
    if loop is None or not isinstance(value.type, IndexType):
        return None
    if loop.name == "affine.for":
        start = loop.lowerBoundMap.data.results
        return int(start[0].value) if len(start) == 1 and hasattr(start[0], "value") else None
    if loop.name == "scf.for" and getattr(loop.operands[0].owner, "name", "") == "arith.constant":
        return int(loop.operands[0].owner.properties["value"].value.data)
    return None
