"""Stretches: operations of a block that follow each other, from a loop to a loop, and may become a function.

A stretch is as long as it can be: it ends at operations of other dialects, at calls of what is not known, and where
memory is freed.  Where a stretch is refused, its loops are tried one by one, and then what is inside them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation

from tensorlift.frontends.mlir.cleanup import PURE
from tensorlift.frontends.mlir.function import HANDLERS
from tensorlift.ir.mixed import Mixed, OpaqueOp, opaque_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import Block

LOOPS = {"affine.for", "affine.parallel", "scf.for", "scf.parallel", "scf.while"}
_PARALLEL = {"affine.parallel", "scf.parallel"}  # iterations may run at the same time
_ENDS = {"affine.yield", "func.return", "linalg.yield", "scf.reduce.return", "scf.yield"}
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
    return op.name in HANDLERS or op.name in _ENDS or op.name in {"func.func", "scf.reduce"}


def floats(op: Operation) -> bool:
    """Tell whether an operation may as well run earlier, once its operands are there."""
    return op.name.startswith(_FLOATS) and not op.regions


def callee_of(op: Operation) -> str:
    """Give the name of the function that an operation calls, nothing for any other operation."""
    callee: Any = op.properties.get("callee") if op.name == "func.call" else None
    return "" if callee is None else str(callee.string_value())
