"""What a function gives back to who calls its program: numbers in memory of theirs, and memory that it makes.

A number of a structure is stored in memory that is an argument, ``return.x[]``, and so is a complex one, ``return[]``.
Memory that the function makes and returns a pointer to is a result: ``return``, ``return.data``.  What it was given and
returns as it is, the caller has, and nobody has what it never sets: that is neither.  Calls that return a null pointer
are left out where others do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.arith import AddiOp, ConstantOp, IndexCastOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    i1,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.dialects.memref import AllocOp, StoreOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import BlockArgument, SSAValue

from tensorlift.frontends.c.member_facts import fields
from tensorlift.ir.literal_function import argument_names, callee_of, left_out, name_arguments
from tensorlift.ir.location import location_of
from tensorlift.ir.prototype import RETURNED
from tensorlift.ops.c_types import PARTS, ComplexType, CType, PointerType
from tensorlift.readers.clang.returned import null_returned
from tensorlift.readers.flow import NSW
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.ir import Operation

    from tensorlift.frontends.c.clang_types import TypeReader


class Leaf(NamedTuple):
    """A number or pointer that is returned: what it is called, and its type."""

    name: str
    ctype: CType


def leaves_of(types: TypeReader, of_type: Any, name: str = RETURNED) -> Iterator[Leaf]:
    """Yield what a type that is returned is made of."""
    inside = fields(of_type)
    for field in inside:
        yield from leaves_of(types, field.type, f"{name}.{field.spelling}")
    if not inside:
        yield Leaf(name, types.read(of_type))


def give_back(functions: Mapping[str, FuncOp], function: FuncOp, leaves: Sequence[Leaf]) -> None:
    """Let a function return the memory that it makes alone, and store numbers where its caller wants them."""
    returns, results = _returns(function), list[str]()
    left, kept = [list(op.operands) for op in returns], [list[SSAValue]() for _ in returns]
    for name, ctype in leaves:
        width = PARTS if isinstance(ctype, PointerType | ComplexType) else 1
        parts, left = [values[:width] for values in left], [values[width:] for values in left]
        origins = [[_origin(functions, value) for value in values] for values in parts]
        told = [values for values in origins if not isinstance(values[0].owner, PoisonOp)]
        if not isinstance(ctype, ComplexType) and (not told or _is_given(function, told)):
            for op, (memory, *_) in zip(returns, parts, strict=True):
                if told and isinstance(ctype, PointerType):
                    _leave_out_null(functions, op, memory)
            continue
        if isinstance(ctype, PointerType):
            results.append(name)
            for op, (base, offset), own in zip(returns, parts, kept, strict=True):
                _name_made(functions, op, name, base, offset)
                own.append(base)
        else:
            _store(function, returns, parts, f"{name}[]")
    for op, own in zip(returns, kept, strict=True):
        op.operands = own
    types = [value.type for value in kept[0]] if kept else []
    function.function_type = FunctionType.from_lists(function.function_type.inputs.data, types)
    if results:
        function.res_attrs = ArrayAttr([DictionaryAttr({"tl.name": StringAttr(name)}) for name in results])


def _returns(function: FuncOp) -> list[ReturnOp]:
    return [op for op in function.walk() if isinstance(op, ReturnOp)]


def _is_given(function: FuncOp, origins: Sequence[Sequence[SSAValue]]) -> bool:
    """Whether a number or pointer is one that the function was given, wherever it returns."""
    entry, (first, *others) = function.body.blocks[0], origins
    at = [value.index for value in first if isinstance(value, BlockArgument) and value.block is entry]
    is_argument = len(at) == len(first) and at == list(range(at[0], at[0] + len(at)))
    return is_argument and all(values == first for values in others)


def _origin(functions: Mapping[str, FuncOp], value: SSAValue) -> SSAValue:
    """Find what a value is that calls hand through; what is undefined, as what null pointers point to, is left out."""
    while isinstance(call := value.owner, CallOp) and callee_of(call) in functions:
        callee, position = functions[callee_of(call)], call.results.index(value)
        every = [_origin(functions, op.operands[position]) for op in _returns(callee)]
        found = [one for one in every if not isinstance(one.owner, PoisonOp)]
        if not found or not all(_is_same(found[0], other) for other in found):
            return value
        one = found[0]
        if not isinstance(one, BlockArgument):
            return one
        if one.block is not callee.body.blocks[0]:
            return value
        value = call.operands[one.index]
    return value


def _is_same(one: SSAValue, other: SSAValue) -> bool:
    first, second = one.owner, other.owner
    is_constant = isinstance(first, ConstantOp) and isinstance(second, ConstantOp) and first.value == second.value
    return one is other or is_constant


def _name_made(functions: Mapping[str, FuncOp], op: ReturnOp, name: str, base: SSAValue, offset: SSAValue) -> None:
    """Give memory that is made the name of what is returned; its beginning has to be."""
    made, start = _origin(functions, base).owner, _origin(functions, offset).owner
    is_first = isinstance(start, ConstantOp) and start.value == IntegerAttr(0, i64)
    if isinstance(made, AllocOp) and is_first and not (made.memref.name_hint or "").startswith(f"{RETURNED}."):
        made.memref.name_hint = name
    elif not isinstance(made, PoisonOp):
        raise refusal("pointer-value", location_of(op), "a pointer is returned that is no beginning of new memory")
    _leave_out_null(functions, op, base)


def _leave_out_null(functions: Mapping[str, FuncOp], op: ReturnOp, base: SSAValue) -> None:
    """Assert that the function, or one whose result it hands on, does not come where it returns a null pointer."""
    if isinstance(base.owner, PoisonOp):
        never = ConstantOp.create(properties={"value": IntegerAttr(0, i1)}, result_types=(i1,), location=op.location)
        _before(op, never, left_out(never.result, op.location, null_returned(location_of(op))))
    elif isinstance(base.owner, CallOp):
        for inner in _returns(functions[callee_of(base.owner)]):
            _leave_out_null(functions, inner, inner.operands[base.owner.results.index(base)])


def _store(function: FuncOp, returns: Sequence[ReturnOp], parts: Sequence[Sequence[SSAValue]], name: str) -> None:
    """Let a function store a number in memory of its caller, which is its last argument."""
    entry, at = function.body.blocks[0], function.location
    base = entry.insert_arg(MemRefType(parts[0][0].type, (DYNAMIC_INDEX,)), len(entry.args), at)
    start = entry.insert_arg(i64, len(entry.args), at)
    base.name_hint, start.name_hint = RETURNED, f"{RETURNED}_at"
    for op, values in zip(returns, parts, strict=True):
        for number, value in enumerate(values):
            by = ConstantOp.create(
                properties={"value": IntegerAttr(number, i64)}, result_types=(i64,), location=op.location
            )
            place = AddiOp.create(
                operands=(start, *by.results), result_types=(i64,), properties=NSW, location=op.location
            )
            index = IndexCastOp(place.results[0], IndexType())
            stored = StoreOp.create(operands=(value, base, index.result), location=op.location)
            index.location = op.location
            _before(op, by, place, index, stored)
    name_arguments(function, [*argument_names(function), name, f"{name}_at"])


def _before(op: Operation, *made: Operation) -> None:
    assert op.parent is not None
    op.parent.insert_ops_before(made, op)
