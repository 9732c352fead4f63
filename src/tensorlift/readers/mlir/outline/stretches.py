"""Stretches: operations of a block that follow each other, from a loop to a loop, and may become a function.

A stretch is as long as it can be: it ends at operations of other dialects, at calls of what is not known, and where
memory is freed.  Where a stretch is refused, its loops are tried one by one, and then what is inside them.

What a stretch takes from around it, and gives to it, as a function of its own.

Operations between its loops whose values others use, and that may as well run earlier, stay before the call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import BlockArgument, Operation

from tensorlift.diagnostics import refuse
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.ir.cleanup import PURE
from tensorlift.ir.mixed import Mixed, OpaqueOp, opaque_in
from tensorlift.readers.mlir.reader import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import Block, SSAValue

    from tensorlift.diagnostics import LiftError, Location


LOOPS = {"affine.for", "affine.parallel", "scf.for", "scf.forall", "scf.parallel", "scf.while"}
_PARALLEL = {"affine.parallel", "scf.forall", "scf.parallel"}  # iterations may run at the same time
_ENDS = {"affine.yield", "func.return", "linalg.yield", "scf.forall.in_parallel", "scf.reduce.return", "scf.yield"}
_FLOATS = (*PURE, "memref.alloc", "memref.alloca", "memref.cast", "memref.dim", "memref.get_global", "memref.subview")
_LOOP_TEXT = re.compile(r"\b(?:affine\.(?:for|parallel)|scf\.(?:for|forall|parallel|while))\b")
_ASYNC = re.compile(r"\basync\b")
_REGION = re.compile(r"\{[ \t]*\n")
_SYMBOL = re.compile(r"@([\w$.-]+)")


@dataclass(frozen=True, slots=True)
class Stretch:
    """Operations of one block, one behind the other; the first and the last have loops."""

    ops: tuple[Operation, ...]
    function: Operation
    mixed: Mixed

    @property
    def start(self) -> int:
        """The offset of the first character."""
        return self.mixed.spans[self.ops[0]][0]

    @property
    def end(self) -> int:
        """The offset behind the last one."""
        return self.mixed.spans[self.ops[-1]][1]

    @property
    def is_single(self) -> bool:
        """Whether it is one operation."""
        return len(self.ops) == 1

    def parts(self) -> list[Stretch]:
        """List the smaller stretches inside: each loop, else what is inside of the only operation."""
        if not self.is_single:
            return [Stretch((op,), self.function, self.mixed) for op in self.ops if has_loop(op)]
        return [] if self.ops[0].name in _PARALLEL else list(_inside(self.ops[0], self.function, self.mixed))

    def between(self, first: Stretch, last: Stretch) -> Stretch:
        """Give the stretch from one of its parts to another."""
        start, end = self.ops.index(first.ops[0]), self.ops.index(last.ops[-1])
        return Stretch(self.ops[start : end + 1], self.function, self.mixed)


def has_loop(op: Operation) -> bool:
    """Tell whether an operation is a loop or has one inside."""
    return any(inner.name in LOOPS for inner in op.walk())


def stretches_of(function: Operation, mixed: Mixed) -> list[Stretch]:
    """List the longest stretches with loops of a function."""
    return list(_inside(function, function, mixed))


def opaque_loops(op: Operation, mixed: Mixed) -> list[OpaqueOp]:
    """List the operations of other dialects in one, itself too, that have loops in their text."""
    return [found for found in opaque_in(op) if _LOOP_TEXT.search(mixed.of(found))]


def called_by(op: Operation, functions: Mapping[str, Operation]) -> dict[str, Operation]:
    """Give the known functions that an operation calls, directly or not, by name."""
    found: dict[str, Operation] = {}
    pending = [op]
    while pending:
        for inner in pending.pop().walk():
            name = callee_of(inner)
            if name in functions and name not in found:
                found[name] = functions[name]
                pending.append(functions[name])
    return found


def at_the_same_time(mixed: Mixed) -> set[str]:
    """Name the functions beside which others may run: called in parallel loops or regions of other dialects, or async.

    A program brings whole arrays back, and so would undo what another thread wrote beside it.
    """
    functions = mixed.functions()
    started = {name for name, op in functions.items() if any(_ASYNC.search(mixed.of(o)) for o in opaque_in(op))}
    for op in mixed.module.walk():
        if op.name in _PARALLEL:
            started |= set(called_by(op, functions))
        if isinstance(op, OpaqueOp) and _REGION.search(mixed.of(op)):
            started |= set(_SYMBOL.findall(mixed.of(op))) & set(functions)
    return started.union(*(called_by(functions[name], functions) for name in started))


def _inside(op: Operation, function: Operation, mixed: Mixed) -> Iterator[Stretch]:
    for region in op.regions:
        for block in region.blocks:
            yield from _in_block(block, function, mixed)


def _in_block(block: Block, function: Operation, mixed: Mixed) -> Iterator[Stretch]:
    """Yield the longest stretches of a block, in order, and those inside of what ends them."""
    functions = mixed.functions()
    run: list[Operation] = []
    for op in block.ops:
        if keeping(op, functions) is None:
            run.append(op)
            continue
        yield from _run(run, function, mixed)
        run = []
        if has_loop(op):
            yield Stretch((op,), function, mixed)
    yield from _run(run, function, mixed)


def _run(run: Sequence[Operation], function: Operation, mixed: Mixed) -> Iterator[Stretch]:
    loops = [k for k, op in enumerate(run) if has_loop(op)]
    if loops:
        yield Stretch(tuple(run[loops[0] : loops[-1] + 1]), function, mixed)


def keeping(op: Operation, functions: Mapping[str, Operation]) -> Operation | None:
    """Give what keeps an operation out of longer stretches: what is not known in it, or ends a block; else None."""
    if op.next_op is None and op.name in _ENDS:
        return op
    every = [op, *called_by(op, functions).values()]
    return next((inner for one in every for inner in one.walk() if not _is_known(inner, op, functions)), None)


def _is_known(op: Operation, outer: Operation, functions: Mapping[str, Operation]) -> bool:
    if op.name == "memref.dealloc":
        made: Any = op.operands[0].owner
        return isinstance(made, Operation) and outer.is_ancestor(made)
    if op.name == "func.call":
        return callee_of(op) in functions
    return op.name in RULES or op.name in _ENDS or op.name in {"func.func", "scf.reduce"}


def floats(op: Operation) -> bool:
    """Tell whether an operation may as well run earlier, once its operands are there."""
    return op.name.startswith(_FLOATS) and not op.regions


def callee_of(op: Operation) -> str:
    """Give the name of the function that an operation calls, nothing for any other operation."""
    callee: Any = op.properties.get("callee") if op.name == "func.call" else None
    return "" if callee is None else str(callee.string_value())


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
            return self.stretch.mixed.reason(op)
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
    remedy = "free it after the loops"
    return refuse("TL584", "memory is freed here that was made elsewhere", place, remedy)


def several_values(place: Location) -> LiftError:
    """Build the refusal of operations that give more than a number."""
    message = "several values, or an array, are computed here and used after the loops"
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
