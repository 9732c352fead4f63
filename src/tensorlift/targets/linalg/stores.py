"""Stores where data say: loops over what is stored, in order, that extract, combine and insert one cell at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.updates import REDUCERS
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import Literal, SizeValue
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh
from tensorlift.targets.linalg.writer import COMBINERS, Value, element_type, operation, tensor_type

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Expression, Scatter, Shape
    from tensorlift.targets.linalg.values import Values
    from tensorlift.targets.linalg.writer import Writer


def stored(values: Values, node: Scatter) -> Value:
    """Return a tensor after updates at index arrays.

    Raises:
        LiftError: TL305, where what a mask keeps is stored.

    """
    if node.op == "keep":
        raise refuse("TL305", "Linalg has no store of what a mask keeps", remedy="lift to another target")
    places = _common([index.shape for index in node.indices])
    shape = (*node.shape[: node.axes[0]], *places, *node.shape[node.axes[-1] + 1 :])
    target = values.cast(values.tensor(node.argument), tensor_type(node.shape, node.dtype))
    arrays = [values.spread(index, places) if index.shape else values.scalar(index) for index in node.indices]
    part = _operand(values, node.value, shape)
    walked = range(node.axes[0], node.axes[0] + len(places))
    writer = values.writer
    variables = [Value(writer.fresh("p"), "index") for _ in shape]

    def step(into: Value) -> Value:
        at = [variables[axis] for axis in walked]
        chosen = iter(_place(writer, array, at) for array in arrays)
        cell = _cell(writer, part, variables, element_type(node.dtype))
        whole = [v for axis, v in enumerate(variables) if axis not in walked]
        kept = iter(whole)
        indices = [next(chosen) if axis in node.axes else next(kept) for axis in range(len(node.shape))]
        spelled = ", ".join(index.name for index in indices)
        if node.op in REDUCERS:
            old = writer.define(f"tensor.extract {into.name}[{spelled}] : {into.type}", cell.type)
            combine = operation(COMBINERS[REDUCERS[node.op]], node.dtype)
            cell = writer.define(f"{combine} {old.name}, {cell.name} : {cell.type}", cell.type)
        return writer.define(f"tensor.insert {cell.name} into {into.name}[{spelled}] : {into.type}", into.type)

    def nest(axis: int, into: Value) -> Value:
        if axis == len(shape):
            return step(into)
        result, inner = Value(writer.fresh(), into.type), Value(writer.fresh(), into.type)
        ends = [writer.index(0).name, writer.size(shape[axis]).name, writer.index(1).name]
        head = f"scf.for {variables[axis].name} = {ends[0]} to {ends[1]} step {ends[2]}"
        writer.line(f"{result.name} = {head} iter_args({inner.name} = {into.name}) -> ({into.type}) {{")
        known = fresh("p")
        with writer.inner(Domain.box((known,), (shape[axis],))):
            writer.line(f"scf.yield {nest(axis + 1, inner).name} : {into.type}")
        writer.line("}")
        return result

    for extent in shape:
        writer.size(extent)  # outside of the loops
    return nest(0, target)


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


def _place(writer: Writer, array: Value, at: list[Value]) -> Value:
    type_ = array.type.removesuffix(">").rpartition("x")[2] if array.type.startswith("tensor") else array.type
    place = _cell(writer, array, at, type_)
    return writer.define(f"arith.index_cast {place.name} : {type_} to index", "index")
