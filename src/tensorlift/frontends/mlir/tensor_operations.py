"""What each operation on tensors does in memory, a row each; ``tensors`` writes the function.

Operations of Linalg keep their form.  Those of ``arith`` and ``math`` on tensors visit each element.  A loop keeps a
tensor that it carries in one memory, and branches keep one that they give.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IndexType,
    MemRefType,
    TensorType,
    UnrankedTensorType,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap

from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.tensor_parts import extract_slice, forall, insert_slice, subview
from tensorlift.frontends.mlir.tensor_shapes import collapse, expand
from tensorlift.frontends.mlir.tensors import InMemory, extent_of, generic, is_last, memory_of, root_of
from tensorlift.ir.elementwise import OnTensors
from tensorlift.ir.location import location_of
from tensorlift.ir.structured import space_of
from tensorlift.ir.subscripts import PRODUCTS, READ_ONLY, STRUCTURED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xdsl.ir import Attribute

    from tensorlift.frontends.mlir.tensors import Rule

_INDEX = IndexType()
_MOST_ELEMENTS = 256  # of a constant, each of which becomes a store


def is_on_tensors(function: Operation) -> bool:
    """Tell whether a function takes, gives or makes tensors."""
    signature: Any = function.properties["function_type"]
    kinds = [*signature.inputs, *signature.outputs]
    kinds += [result.type for op in function.walk() for result in op.results]
    return any(isinstance(kind, TensorType | UnrankedTensorType) for kind in kinds)


def in_memory(function: Operation) -> FuncOp:
    """Give the function on memory that does what one on tensors does.

    Raises:
        LiftError: TL190 and TL191, where an operation on tensors is not known, or of a form that is not read.

    """
    return InMemory(function, _RULES).function()


# -- Linalg


def _structured(to: InMemory, op: Operation) -> None:
    parts: Any = op
    count = len(parts.inputs)
    inputs = [to.known[value] for value in parts.inputs]
    outputs = [_output(to, op, count + k) for k in range(len(parts.outputs))]
    regions = []
    if isinstance(op, GenericOp):
        block, last = to.inside(op.regions[0].block, (), [argument.type for argument in op.regions[0].block.args])
        block.add_op(YieldOp(*(to.known[value] for value in last.operands)))
        regions.append(Region(block))
    to.add(
        type(op).create(
            operands=[*inputs, *outputs],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
            regions=regions,
        )
    )
    to.known.update(zip(op.results, outputs, strict=False))


def _output(to: InMemory, op: Operation, position: int) -> SSAValue:
    """Give the memory of an output: without what was there, where all of it is written and nothing of it is read."""
    value = op.operands[position]
    if not isinstance(value.type, TensorType):
        return to.known[value]
    hint = op.results[0].name_hint
    if isinstance(op, GenericOp):
        is_read = bool(op.regions[0].block.args[position].uses)
    else:
        is_read = op.name.removeprefix("linalg.") in PRODUCTS
    space = space_of(op)
    subscripts = space.maps[position].results
    is_whole = all(isinstance(one, AffineDimExpr) for one in subscripts) and (
        len(set(subscripts)) == len(subscripts) == len(space.folded)  # else nothing is written where others are empty
    )
    if is_read or not is_whole:
        return to.written(value, op, hint)
    memory = to.known[value]
    return memory if memory in to.own and is_last(value, op) else to.like(memory, hint)


def _elementwise(to: InMemory, op: Operation) -> None:
    """Read an operation of numbers on tensors of one shape."""
    if isinstance(op, arith.ConstantOp):
        _constant(to, op)
        return
    result, *others = op.results
    shaped = next((value for value in op.operands if isinstance(value.type, TensorType)), None)
    of_type: Any = result.type
    if others or shaped is None or not isinstance(of_type, TensorType):
        raise refusal("operation", location_of(op), op.name)
    inputs = [to.known[value] for value in op.operands]
    like, shape = to.known[shaped], of_type.get_shape()
    sizes = [to.size(like, k) for k, extent in enumerate(shape) if extent == DYNAMIC_INDEX]
    output = to.allocated(MemRefType(of_type.element_type, shape), sizes, result.name_hint)
    types = [_element(value.type) for value in (*op.operands, result)]
    block = Block(arg_types=types)
    kind = op.OF_NUMBERS if isinstance(op, OnTensors) else type(op)
    made = kind.create(
        operands=list(block.args[:-1]),
        result_types=[types[-1]],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
    )
    made.location = op.location
    block.add_op(made)
    block.add_op(YieldOp(made.results[0]))
    rank = len(shape)
    whole, none = AffineMap.identity(rank), AffineMap(rank, 0, ())
    maps = [whole if isinstance(value.type, TensorType) else none for value in op.operands]
    to.add(generic(inputs, output, maps, block))
    to.known[result] = output


def _element(of_type: Any) -> Attribute:
    element: Attribute = of_type.element_type if isinstance(of_type, TensorType) else of_type
    return element


# -- tensors


def _constant(to: InMemory, op: Operation) -> None:
    value: Any = op.properties["value"]
    result: Any = op.results[0]
    if not isinstance(value, DenseIntOrFPElementsAttr):
        raise refusal("tensors", location_of(op), "a constant of this form is not lifted")
    element = result.type.element_type
    memory = to.allocated(memory_of(result.type, op), (), result.name_hint)
    attributes = list(value.get_attrs())

    def number(attribute: Attribute) -> SSAValue:
        return to.made(arith.ConstantOp.create(result_types=[element], properties={"value": attribute}))

    if attributes and value.is_splat():
        to.filled(memory, number(attributes[0]))
    else:
        _stored(to, op, memory, [partial(number, attribute) for attribute in attributes])
    to.known[result] = memory


def _stored(to: InMemory, op: Operation, memory: SSAValue, elements: Sequence[Callable[[], SSAValue]]) -> None:
    """Write elements one by one, in the order of rows."""
    if len(elements) > _MOST_ELEMENTS:
        raise refusal("tensors", location_of(op), f"`{op.name}` has more than {_MOST_ELEMENTS} elements")
    of_type: Any = memory.type
    shape = of_type.get_shape()
    for position, element in enumerate(elements):
        rest, place = position, list[int]()
        for extent in reversed(shape):
            place.insert(0, rest % extent)
            rest //= extent
        value = element()
        to.add(memref.StoreOp.create(operands=[value, memory, *map(to.number, place)]))


def _empty(to: InMemory, op: Operation) -> None:
    sizes = [to.known[value] for value in op.operands]
    (result,) = op.results
    to.known[result] = to.allocated(memory_of(result.type, op), sizes, result.name_hint)


def _splat(to: InMemory, op: Operation) -> None:
    value, *sizes = (to.known[operand] for operand in op.operands)
    (result,) = op.results
    memory = to.known[result] = to.allocated(memory_of(result.type, op), sizes, result.name_hint)
    to.filled(memory, value)


def _from_elements(to: InMemory, op: Operation) -> None:
    (result,) = op.results
    memory = to.known[result] = to.allocated(memory_of(result.type, op), (), result.name_hint)
    _stored(to, op, memory, [partial(to.known.__getitem__, operand) for operand in op.operands])


def _size(to: InMemory, op: Operation) -> None:
    to.known[op.results[0]] = to.made(
        memref.DimOp.create(operands=[to.known[value] for value in op.operands], result_types=[_INDEX])
    )


def _cast(to: InMemory, op: Operation) -> None:
    memory, (result,) = to.known[op.operands[0]], op.results
    to.own.discard(memory)
    of_type = memory_of(result.type, op)
    to.known[result] = to.made(memref.CastOp.create(operands=[memory], result_types=[of_type]))


def _extract(to: InMemory, op: Operation) -> None:
    memory, *place = (to.known[value] for value in op.operands)
    of_type: Any = memory.type
    to.known[op.results[0]] = to.made(
        memref.LoadOp.create(operands=[memory, *place], result_types=[of_type.element_type])
    )


def _insert(to: InMemory, op: Operation) -> None:
    value, tensor, *place = op.operands
    memory = to.written(tensor, op, op.results[0].name_hint)
    to.add(memref.StoreOp.create(operands=[to.known[value], memory, *(to.known[one] for one in place)]))
    to.known[op.results[0]] = memory


def _pad(to: InMemory, op: Operation) -> None:
    """Make a larger tensor that holds one value around another tensor."""
    parts: Any = op
    source, result = to.known[parts.source], op.results[0]
    block = op.regions[0].block
    if any(argument.uses for argument in block.args):
        raise refusal("tensors", location_of(op), "the value of `tensor.pad` depends on the place")
    value = to.known[to.read(block).operands[0]]
    low = _mixed(to, parts.static_low, parts.low)
    high = _mixed(to, parts.static_high, parts.high)
    if any(isinstance(one, int) and one < 0 for one in (*low, *high)):
        raise refusal("tensors", location_of(op), "`tensor.pad` makes a tensor smaller")
    inner: list[int | SSAValue] = [
        to.size(source, axis) if extent == DYNAMIC_INDEX else extent
        for axis, extent in enumerate(parts.source.type.get_shape())
    ]
    sizes = [_sum(to, _sum(to, before, extent), after) for before, extent, after in zip(low, inner, high, strict=True)]
    of_type: Any = memory_of(result.type, op)
    open_ = [
        _value(to, size) for size, extent in zip(sizes, of_type.get_shape(), strict=True) if extent == DYNAMIC_INDEX
    ]
    memory = to.known[result] = to.allocated(of_type, open_, result.name_hint)
    to.filled(memory, value)
    ones: list[int | SSAValue] = [1] * len(low)
    static = [
        DenseArrayBase.from_list(i64, [one if isinstance(one, int) else DYNAMIC_INDEX for one in group])
        for group in (low, inner, ones)
    ]
    dynamic = [[one for one in group if not isinstance(one, int)] for group in (low, inner, ones)]
    to.copy(source, subview(to, memory, dynamic, static, source.type))


def _mixed(to: InMemory, static: Any, dynamic: Iterable[SSAValue]) -> list[int | SSAValue]:
    given = (to.known[value] for value in dynamic)
    return [next(given) if value == DYNAMIC_INDEX else value for value in static.get_values()]


def _sum(to: InMemory, one: int | SSAValue, other: int | SSAValue) -> int | SSAValue:
    if isinstance(one, int) and isinstance(other, int):
        return one + other
    if 0 in (one, other):
        return other if one == 0 else one
    flags = {"overflowFlags": arith.IntegerOverflowAttr("none")}
    operands = [_value(to, one), _value(to, other)]
    return to.made(arith.AddiOp.create(operands=operands, result_types=[_INDEX], properties=dict(flags)))


def _value(to: InMemory, number: int | SSAValue) -> SSAValue:
    return to.number(number) if isinstance(number, int) else number


# -- calls


def _call(to: InMemory, op: Operation) -> None:
    """Do what a function of the module does, in place of the call."""
    callee: Any = op.properties["callee"]
    name, module = callee.string_value(), to.source.parent_op()
    found = [one for one in module.walk() if isinstance(one, FuncOp) and one.sym_name.data == name] if module else []
    if not found or not found[0].body.blocks:
        raise refusal("call", location_of(op), name)
    (function,) = found
    if function is to.source or any(one.properties["callee"] == callee for one in to.calls):
        raise refusal("recursion", location_of(op), name)
    if len(function.body.blocks) > 1:
        raise refusal("control", location_of(op), f"`{name}` has several blocks")
    for operand, argument in zip(op.operands, function.body.block.args, strict=True):
        memory = to.known[argument] = to.known[operand]
        to.own.discard(memory)  # the caller may read it later
    to.calls.append(op)
    last = to.read(function.body.block)
    to.calls.pop()
    given = [to.known[value] for value in last.operands]
    to.own -= {memory for memory in given if given.count(memory) > 1}
    to.known.update(zip(op.results, given, strict=True))


# -- loops


def _loop(to: InMemory, op: Operation) -> None:
    """Keep the tensors that a loop carries in one memory each; other values are carried as they were."""
    loop: Any = op
    block = op.regions[0].block
    initial: Sequence[SSAValue] = loop.iter_args if isinstance(op, scf.ForOp) else loop.inits
    bounds = op.operands[: len(op.operands) - len(initial)]
    kept = [to.written(value, op, value.name_hint) for value in initial if isinstance(value.type, TensorType)]
    numbers = [value for value in initial if not isinstance(value.type, TensorType)]
    to.own |= {*kept}
    types = [argument.type for argument in block.args if not isinstance(argument.type, TensorType)]
    inside, last = to.inside(block, kept, types)
    _yield(to, inside, last, kept)
    properties = dict(op.properties)
    if "operandSegmentSizes" in properties:
        counts: Any = properties["operandSegmentSizes"]
        lower, upper, _ = counts.get_values()
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [lower, upper, len(numbers)])
    made = type(op).create(
        operands=[to.known[value] for value in (*bounds, *numbers)],
        result_types=[value.type for value in numbers],
        properties=properties,
        attributes=dict(op.attributes),
        regions=[Region(inside)],
    )
    to.add(made)
    to.own |= {*kept}
    _give(to, op, made, kept)


def _branch(to: InMemory, op: Operation) -> None:
    """Keep the tensors that branches give in a memory each, with the extents of one that was there before."""
    lasts: list[Any] = [region.block.last_op for region in op.regions if region.blocks]
    kept = [
        _before(to, op, result, [last.operands[position] for last in lasts])
        for position, result in enumerate(op.results)
        if isinstance(result.type, TensorType)
    ]
    regions = []
    for region in op.regions:
        regions.append(Region())
        if region.blocks:
            inside, last = to.inside(region.block, (), ())
            _yield(to, inside, last, kept)
            regions[-1].add_block(inside)
    made = type(op).create(
        operands=[to.known[value] for value in op.operands],
        result_types=[result.type for result in op.results if not isinstance(result.type, TensorType)],
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    to.add(made)
    _give(to, op, made, kept)


def _before(to: InMemory, op: Operation, result: SSAValue, given: Sequence[SSAValue]) -> SSAValue:
    """Make memory for a tensor that branches give, by one of which the extents are known before."""
    of_type: Any = memory_of(result.type, op)
    if DYNAMIC_INDEX not in of_type.get_shape():
        return to.allocated(of_type, (), result.name_hint)
    known = [value for value in given if value in to.known]
    if not known:
        raise refusal("tensors", location_of(op), f"`{op.name}` gives tensors of extents that are made inside of it")
    return to.like(to.known[known[0]], result.name_hint)


def _yield(to: InMemory, block: Block, last: Operation, kept: Sequence[SSAValue]) -> None:
    """End a block that puts the tensors that it gives into memories, and gives the rest."""
    outer, to.block = to.block, block
    values = [to.known[value] for value in last.operands if isinstance(value.type, TensorType)]
    _put(to, last, values, kept)
    rest = [to.known[value] for value in last.operands if not isinstance(value.type, TensorType)]
    to.add(type(last).create(operands=rest))
    to.block = outer


def _give(to: InMemory, op: Operation, made: Operation, kept: Sequence[SSAValue]) -> None:
    """Let memories stand for results that are tensors, and the results of what was made for the others."""
    memories, results = iter(kept), iter(made.results)
    for result in op.results:
        to.known[result] = next(memories) if isinstance(result.type, TensorType) else next(results)


def _put(to: InMemory, last: Operation, values: Sequence[SSAValue], kept: Sequence[SSAValue]) -> None:
    """Let memories hold the values that a block ends with, some of which may lie in another one of them."""
    moved = []
    for value, memory in zip(values, kept, strict=True):
        of_type: Any = memory.type
        if any(extent_of(value, axis) != extent_of(memory, axis) for axis in range(len(of_type.get_shape()))):
            raise refusal("extents", location_of(last), f"of tensors that `{last.name}` gives")
        root = root_of(value)
        moved.append(to.copied(value) if root in kept and root is not memory else value)
    for value, memory in zip(moved, kept, strict=True):
        if root_of(value) is not memory:
            to.copy(value, memory)


_RULES: dict[str, Rule] = {
    "affine.if": _branch,
    **dict.fromkeys((*STRUCTURED, *READ_ONLY), _structured),
    "affine.for": _loop,
    "arith": _elementwise,
    "func.call": _call,
    "math": _elementwise,
    "scf.for": _loop,
    "scf.forall": forall,
    "scf.if": _branch,
    "tensor.cast": _cast,
    "tensor.collapse_shape": collapse,
    "tensor.dim": _size,
    "tensor.empty": _empty,
    "tensor.expand_shape": expand,
    "tensor.extract": _extract,
    "tensor.extract_slice": extract_slice,
    "tensor.from_elements": _from_elements,
    "tensor.insert": _insert,
    "tensor.insert_slice": insert_slice,
    "tensor.pad": _pad,
    "tensor.splat": _splat,
}
