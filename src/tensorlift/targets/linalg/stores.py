"""Stores where data say: loops over what is stored, in order, that extract, combine and insert one cell at a time."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.updates import REDUCERS
from tensorlift.ir.tensor_program import Literal, SizeValue
from tensorlift.poly.affine import Affine
from tensorlift.targets.linalg.body import Body
from tensorlift.targets.linalg.loops import inserted, over, repeated, results_of, spelled, yielded
from tensorlift.targets.linalg.writer import COMBINERS, Value, element_type, operation, tensor_type, to_index

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Expression, Scatter, Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.linalg.values import Values
    from tensorlift.targets.linalg.writer import Writer


def stored(values: Values, node: Scatter) -> Value:
    """Return a tensor after updates at index arrays, or after what a mask keeps is stored."""
    if node.op == "keep":
        return _compacted(values, node)
    places = _common([index.shape for index in node.indices])
    shape = (*node.shape[: node.axes[0]], *places, *node.shape[node.axes[-1] + 1 :])
    target = values.cast(values.tensor(node.argument), tensor_type(node.shape, node.dtype))
    arrays = [values.spread(index, places) if index.shape else values.scalar(index) for index in node.indices]
    part = _operand(values, node.value, shape)
    walked = range(node.axes[0], node.axes[0] + len(places))
    writer = values.writer
    variables = [Value(writer.fresh("p"), "index") for _ in shape]

    def step(given: list[Value]) -> list[Value]:
        into = given[0]
        at = [variables[axis] for axis in walked]
        chosen = iter(_place(writer, a, at, index.dtype) for a, index in zip(arrays, node.indices, strict=True))
        cell = _cell(writer, part, variables, element_type(node.dtype))
        whole = [v for axis, v in enumerate(variables) if axis not in walked]
        kept = iter(whole)
        indices = [next(chosen) if axis in node.axes else next(kept) for axis in range(len(node.shape))]
        if node.op in REDUCERS:
            named = ", ".join(index.name for index in indices)
            old = writer.define(f"tensor.extract {into.name}[{named}] : {into.type}", cell.type)
            combine = operation(COMBINERS[REDUCERS[node.op]], node.dtype)
            cell = writer.define(f"{combine} {old.name}, {cell.name} : {cell.type}", cell.type)
        return [inserted(writer, cell, into, indices)]

    return over(writer, [writer.size(extent) for extent in shape], variables, target, step)


def _compacted(values: Values, node: Scatter) -> Value:
    """Return a tensor after what a mask keeps is stored, by a loop that hands on the place behind what is stored."""
    writer, (start, _, mask) = values.writer, node.indices
    target = values.cast(values.tensor(node.argument), tensor_type(node.shape, node.dtype))
    variable = Value(writer.fresh("p"), "index")
    body = Body(values, mask.shape, [variable])
    kept, cell = body.at(mask, body.point()), body.typed(node.value, body.point(), node.dtype)
    first, one = values.scalar(start), writer.number(Fraction(1), start.dtype)

    def step(given: list[Value]) -> list[Value]:
        body.write()
        into, place = given
        results = results_of(writer, given)
        types = f"{into.type}, {place.type}"
        writer.line(f"{spelled(results)}scf.if {kept.name} -> ({types}) {{")
        with writer.inner():
            at = writer.define(f"arith.index_cast {place.name} : {place.type} to index", "index")
            stored = inserted(writer, cell, into, [at])
            yielded(writer, [stored, writer.define(f"arith.addi {place.name}, {one.name} : {place.type}", place.type)])
        writer.line("} else {")
        with writer.inner():
            yielded(writer, given)
        writer.line("}")
        return results

    ends = writer.index(0), writer.size(mask.shape[0])
    return repeated(writer, variable, ends, [target, first], step)[0]


def _common(shapes: list[Shape]) -> Shape:
    """Return the shape to which shapes broadcast."""
    rank = max(map(len, shapes))
    padded = [(Affine(1),) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(next((e for e in extents if e != Affine(1)), Affine(1)) for extents in zip(*padded, strict=True))


def _operand(values: Values, node: Expression, shape: Shape) -> Value:
    if isinstance(node, Literal | SizeValue) or not node.shape:
        return values.scalar(node)
    return values.spread(node, shape)


def _cell(writer: Writer, array: Value, at: list[Value], type_: str) -> Value:
    """Return a cell of a tensor, or the number that is the same for all."""
    if not array.type.startswith("tensor"):
        return array
    places = ", ".join(place.name for place in at)
    return writer.define(f"tensor.extract {array.name}[{places}] : {array.type}", type_)


def _place(writer: Writer, array: Value, at: list[Value], dtype: DType) -> Value:
    type_ = array.type.removesuffix(">").rpartition("x")[2] if array.type.startswith("tensor") else array.type
    place = _cell(writer, array, at, type_)
    return writer.define(f"{to_index(dtype)} {place.name} : {type_} to index", "index")
