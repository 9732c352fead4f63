"""Null tests: a function takes, for each pointer that it or what it calls compares with null, whether that is null.

A test is read as a conversion of memory to a truth value.  When all functions are read, it becomes the argument
``p null`` of the pointer ``p`` that the memory is; memory that the program makes, or has at file scope, is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    IntegerAttr,
    UnrealizedConversionCastOp,
    i1,
)
from xdsl.dialects.func import CallOp
from xdsl.dialects.memref import CastOp
from xdsl.ir import Block, BlockArgument

from tensorlift.ir.function import NULL, ROW
from tensorlift.ir.literal_function import argument_names, callee_of, name_arguments
from tensorlift.ir.location import location_of
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation, SSAValue

    from tensorlift.diagnostics import LiftError

_MAKERS = {"memref.alloc", "memref.alloca", "memref.get_global"}
_THERE = -1  # stands for memory that is there


def test_of(memory: SSAValue, at: Any) -> UnrealizedConversionCastOp:
    """Make the test whether a pointer into memory is null."""
    return UnrealizedConversionCastOp.create(operands=[memory], result_types=[i1], location=at)


def take_null(functions: Mapping[str, FuncOp]) -> Iterator[tuple[str, LiftError]]:
    """Let functions take which of their pointers are null; yields those that test what is not told, and why."""
    if not any(isinstance(op, UnrealizedConversionCastOp) for function in functions.values() for op in function.walk()):
        return
    taken: dict[str, list[int]] = {name: [] for name in functions}
    refused: dict[str, LiftError] = {}
    changed = True
    while changed:
        changed = False
        for name, function in functions.items():
            for memory, at in _tested(function, taken):
                found = _position(function, memory)
                if found is not None and found != _THERE and found not in taken[name]:
                    taken[name].append(found)
                    changed = True
                elif found is None and name not in refused:
                    refused[name] = refusal("pointer-null", location_of(at), "a pointer is compared with null")
    for name, function in functions.items():
        if name not in refused:
            _rewrite(function, taken)
    yield from refused.items()


def _tested(function: FuncOp, taken: Mapping[str, list[int]]) -> Iterator[tuple[SSAValue, Operation]]:
    """Yield what a function tests, or what it calls does, with where."""
    for op in function.walk():
        if isinstance(op, UnrealizedConversionCastOp):
            yield op.operands[0], op
        elif isinstance(op, CallOp):
            for position in taken.get(callee_of(op), ()):
                yield op.operands[position], op


def _position(function: FuncOp, memory: SSAValue) -> int | None:
    """Return which argument memory is, or that it is there; None for a row, or one of several."""
    if isinstance(memory, BlockArgument):
        names = argument_names(function)
        is_argument = memory.block is function.body.blocks[0]
        return memory.index if is_argument and f"{names[memory.index]}{ROW}" not in names else None
    if isinstance(memory.owner, CastOp):
        return _position(function, memory.owner.source)
    return None if isinstance(memory.owner, Block) or memory.owner.name not in _MAKERS else _THERE


def _rewrite(function: FuncOp, taken: Mapping[str, list[int]]) -> None:
    """Add the arguments, use them for the tests, and pass them to what is called."""
    name, entry = function.sym_name.data, function.body.blocks[0]
    added: dict[int, SSAValue] = {k: entry.insert_arg(i1, len(entry.args), entry.args[k].location) for k in taken[name]}
    names = argument_names(function)
    name_arguments(function, [*names, *(f"{names[k]}{NULL}" for k in added)])

    def told(memory: SSAValue, at: Operation) -> SSAValue:
        found = _position(function, memory)
        if found is not None and found != _THERE:
            return added[found]
        there = ConstantOp(IntegerAttr(0, i1))
        there.location = at.location
        assert at.parent is not None
        at.parent.insert_op_before(there, at)
        return there.result

    for op in list(function.walk()):
        if isinstance(op, UnrealizedConversionCastOp):
            op.results[0].replace_all_uses_with(told(op.operands[0], op))
            op.detach()  # type: ignore[no-untyped-call]  # of xDSL
            op.erase()
        elif isinstance(op, CallOp) and taken.get(callee_of(op)):
            op.operands = [*op.operands, *(told(op.operands[k], op) for k in taken[callee_of(op)])]
