"""Tests of pointers: a function takes whether its pointers are null, or are the same, where it or what it calls asks.

A test is read as a conversion of what it asks of to a truth value: of memory, whether that is null, of two pointers,
which are memory and an offset each, whether they are the same.  When all functions are read, it becomes the argument
``p null`` or ``p is q``; memory that the program makes, or has at file scope, is there, and what it makes is no other.
A test of nothing is whether an assertion fails that cannot be read; it becomes an argument of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from xdsl.dialects.arith import CmpiOp, ConstantOp, XOrIOp
from xdsl.dialects.builtin import (
    IntegerAttr,
    UnitAttr,
    UnrealizedConversionCastOp,
    i1,
)
from xdsl.dialects.func import CallOp
from xdsl.dialects.memref import CastOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tensorlift.ir.function import FAILS, NULL, ROW, SAME
from tensorlift.ir.literal_function import argument_names, callee_of, name_arguments
from tensorlift.ir.location import location_of
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.diagnostics import LiftError

_MAKERS = {"memref.alloc", "memref.alloca", "memref.get_global"}
_THERE = -1  # stands for memory that is there

_DIFFER, _TABLES = "tl.differ", "tl.tables"  # attributes: it is asked whether not, and of tables of rows

Asked: TypeAlias = tuple[int, ...]  # the arguments that are asked of: a pointer, or two, or none


def test_of(memory: SSAValue, at: Any) -> UnrealizedConversionCastOp:
    """Make the test whether a pointer into memory is null."""
    return UnrealizedConversionCastOp.create(operands=[memory], result_types=[i1], location=at)


def test_of_two(pointers: Sequence[SSAValue], at: Any, *, same: bool, are_tables: bool) -> UnrealizedConversionCastOp:
    """Make the test whether two pointers, memory and an offset each, are the same, or are not."""
    marks = [_DIFFER] * (not same) + [_TABLES] * are_tables
    attributes = {name: UnitAttr() for name in marks}
    return UnrealizedConversionCastOp.create(operands=pointers, result_types=[i1], attributes=attributes, location=at)


def test_of_assertion(at: Any) -> UnrealizedConversionCastOp:
    """Make the test whether what cannot be read holds."""
    return UnrealizedConversionCastOp.create(result_types=[i1], attributes={_DIFFER: UnitAttr()}, location=at)


def take_null(functions: Mapping[str, FuncOp]) -> Iterator[tuple[str, LiftError]]:
    """Let functions take what is asked of their pointers; yields those that ask of what is not told, and why."""
    if not any(isinstance(op, UnrealizedConversionCastOp) for function in functions.values() for op in function.walk()):
        return
    taken: dict[str, list[Asked]] = {name: [] for name in functions}
    refused: dict[str, LiftError] = {}
    changed = True
    while changed:
        changed = False
        for name, function in functions.items():
            for test in _tested(function, functions, taken):
                found = _outcome(function, test)
                if isinstance(found, tuple) and found not in taken[name]:
                    taken[name].append(found)
                    changed = True
                elif found is None and name not in refused:
                    refused[name] = _refused(test)
    for name, function in functions.items():
        if name not in refused:
            _rewrite(function, functions, taken)
    yield from refused.items()


class _Test(NamedTuple):
    """What is asked of, by which operation: a test, or a call of what asks."""

    values: Sequence[SSAValue]
    at: Operation
    are_tables: bool = False


def _refused(test: _Test) -> LiftError:
    if len(test.values) == 1:
        return refusal("pointer-null", location_of(test.at), "a pointer is compared with null")
    return refusal("pointer-compared", location_of(test.at), "pointers into different arrays are compared")


def _tested(function: FuncOp, functions: Mapping[str, FuncOp], taken: Mapping[str, list[Asked]]) -> Iterator[_Test]:
    """Yield what a function asks, or what it calls does."""
    for op in function.walk():
        if isinstance(op, UnrealizedConversionCastOp):
            yield _Test(op.operands, op, _TABLES in op.attributes)
        elif isinstance(op, CallOp):
            for asked in taken.get(callee_of(op), ()):
                yield _handed(op, asked, functions[callee_of(op)])


def _handed(call: CallOp, asked: Asked, callee: FuncOp) -> _Test:
    """Give what is asked of, of what a call hands on."""
    if not asked:
        return _Test([], call)
    if len(asked) == 1:
        return _Test([call.operands[asked[0]]], call)
    names = argument_names(callee)
    values = [call.operands[position + k] for position in asked for k in range(2)]  # with the offset
    return _Test(values, call, all(f"{names[position]}{ROW}" in names for position in asked))


def _outcome(function: FuncOp, test: _Test) -> Asked | bool | CmpiOp | None:
    """Give the arguments that are asked of, or what is known: which test it is, or its outcome; None for nothing."""
    if not test.values:
        return ()
    if len(test.values) == 1:
        found = _position(function, test.values[0])
        return None if found is None else False if found == _THERE else (found,)
    one, at, other, there = test.values
    if one is other:
        return at is there or CmpiOp(at, there, "ne" if _DIFFER in test.at.attributes else "eq")
    ends = [_position(function, memory, is_table=test.are_tables) for memory in (one, other)]
    if None not in ends and _THERE in ends and ends[0] != ends[1] and not any(map(_is_outside, (one, other))):
        return False
    entry = function.body.blocks[0].args
    starts = [entry[end + 1] for end in ends if end is not None and end != _THERE]
    positions = sorted(end for end in ends if end is not None)
    return tuple(positions) if starts == [at, there] else None


def _position(function: FuncOp, memory: SSAValue, *, is_table: bool = False) -> int | None:
    """Return which argument memory is, or that it is there; None for a row, or one of several."""
    if isinstance(memory, BlockArgument):
        names = argument_names(function)
        is_argument = memory.block is function.body.blocks[0]
        is_known = is_argument and (is_table or f"{names[memory.index]}{ROW}" not in names)
        return memory.index if is_known else None
    if isinstance(memory.owner, CastOp):
        return _position(function, memory.owner.source)
    return None if isinstance(memory.owner, Block) or memory.owner.name not in _MAKERS else _THERE


def _is_outside(memory: SSAValue) -> bool:
    """Whether memory is that of a variable at file scope, to which a caller may point as well."""
    made = memory.owner
    return not isinstance(made, Block) and (
        made.name == "memref.get_global" or (isinstance(made, CastOp) and _is_outside(made.source))
    )


def _rewrite(function: FuncOp, functions: Mapping[str, FuncOp], taken: Mapping[str, list[Asked]]) -> None:
    """Add the arguments, use them for the tests, and pass them to what is called."""
    name, entry = function.sym_name.data, function.body.blocks[0]
    added: dict[Asked, SSAValue] = {
        asked: entry.insert_arg(i1, len(entry.args), entry.args[asked[0]].location if asked else function.location)
        for asked in taken[name]
    }
    names = argument_names(function)
    called = [SAME.join(names[k] for k in asked) + NULL * (len(asked) == 1) if asked else FAILS for asked in added]
    name_arguments(function, [*names, *called])

    def told(test: _Test) -> SSAValue:
        found, differ, at = _outcome(function, test), _DIFFER in test.at.attributes, test.at
        if isinstance(found, tuple) and not differ:
            return added[found]
        made: list[Operation] = []
        if isinstance(found, CmpiOp):
            made.append(found)
        else:
            made.append(ConstantOp(IntegerAttr(-int(isinstance(found, tuple) or found is not differ), i1)))
        if isinstance(found, tuple):
            made.append(XOrIOp(added[found], made[0].results[0]))
        for op in made:
            op.location = at.location
        assert at.parent is not None
        at.parent.insert_ops_before(made, at)
        return made[-1].results[0]

    for op in list(function.walk()):
        if isinstance(op, UnrealizedConversionCastOp):
            op.results[0].replace_all_uses_with(told(_Test(op.operands, op, _TABLES in op.attributes)))
            op.detach()  # type: ignore[no-untyped-call]  # of xDSL
            op.erase()
        elif isinstance(op, CallOp) and taken.get(callee_of(op)):
            callee = callee_of(op)
            op.operands = [*op.operands, *(told(_handed(op, asked, functions[callee])) for asked in taken[callee])]
