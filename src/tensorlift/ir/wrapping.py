"""The widths at which arithmetic of literal IR may wrap where it decides data: what is stored, returned, or compared.

What the source leaves undefined does not count, nor arithmetic of counters and places alone.  A program in C spells
such arithmetic without a sign, as its own language leaves the overflow of signed integers undefined.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.memref import LoadOp, StoreOp
from xdsl.ir import Operation, SSAValue

from tensorlift.ir.arithmetic import never_wraps, width_of
from tensorlift.ir.literal_function import callee_of
from tensorlift.ir.literal_regions import handed_on

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xdsl.dialects.builtin import ModuleOp

ALL_WIDTHS = frozenset({8, 16, 32, 64})
_WRAPPING = {"arith.addi", "arith.subi", "arith.muli", "arith.shli"}


def wrapping_widths(literal: ModuleOp) -> frozenset[int]:
    """Return the widths at which a module wraps what decides data."""
    ops = list(literal.walk())
    sources = defaultdict[SSAValue, list[SSAValue]](list)
    functions = {op.sym_name.data: op for op in ops if isinstance(op, FuncOp)}
    for op in ops:
        for target, value in _given(op, functions):
            sources[target].append(value)
    found: set[Operation] = set()
    for op in ops:
        if isinstance(op, StoreOp | ReturnOp):
            found |= _behind(op.operands[:1] if isinstance(op, StoreOp) else op.operands, sources)
        elif op.name in {"arith.cmpi", "arith.sitofp", "arith.uitofp"}:
            behind = _behind(op.operands, sources)
            found |= behind if any(isinstance(one, LoadOp) for one in behind) else set()
    return frozenset(width for width in map(_wraps_at, found) if width in ALL_WIDTHS)


def _wraps_at(op: Operation) -> int | None:
    """Return the width at which an operation wraps, None for one that does not."""
    if op.name == "arith.trunci" or (op.name in _WRAPPING and not never_wraps(op)):
        return width_of(op.results[0].type)
    return None


def _given(op: Operation, functions: dict[str, FuncOp]) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield the values that an operation gives to others: to arguments of blocks and of functions, and to results."""
    yield from handed_on(op)
    match op:
        case BranchOp():
            yield from zip(op.successor.args, op.arguments, strict=True)
        case ConditionalBranchOp():
            yield from zip(op.then_block.args, op.then_arguments, strict=True)
            yield from zip(op.else_block.args, op.else_arguments, strict=True)
        case CallOp() if callee_of(op) in functions and functions[callee_of(op)].body.blocks:
            called = functions[callee_of(op)]
            yield from zip(called.args, op.operands, strict=True)
            for block in called.body.blocks:
                if isinstance(block.last_op, ReturnOp):
                    yield from zip(op.results, block.last_op.operands, strict=True)


def _behind(values: Iterable[SSAValue], sources: dict[SSAValue, list[SSAValue]]) -> set[Operation]:
    """Collect the operations that values are made by; what a load reads is behind the store of it."""
    found, seen, work = set[Operation](), set[SSAValue](), list(values)
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        work += sources.get(value, [])
        if isinstance(value.owner, Operation):
            found.add(value.owner)
            work += [] if isinstance(value.owner, LoadOp | CallOp) else value.owner.operands
    return found
