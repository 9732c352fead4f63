"""The body of one ``linalg.generic``: an expression at a point of the iteration space, as scalar operations.

Everything that works cell by cell (scalar functions, views, broadcasts, masks, ranges of integers) is fused into the
body.  What is an array by itself is read: through an indexing map where each subscript is a dimension, or a sum of
them, of a slice; through ``tensor.extract`` otherwise.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Copy,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Expression,
    Full,
    Gather,
    Iota,
    Range,
    Take,
    Triangle,
    TriangleMask,
)
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.targets.linalg.writer import Value, element_type, map_text, operands_text, tensor_type, to_index
from tensorlift.targets.mlir_text.text import number_at, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.linalg.values import Values

Indices = tuple[Affine, ...]


class Body:
    """A body under construction; ``inputs`` are the operands, each with its map, that it reads so far.

    A body of loops, which has their ``variables``, reads cells by their indices.
    """

    def __init__(self, values: Values, extents: Shape, variables: Sequence[Value] = ()) -> None:
        self.values = values
        self.extents = extents
        self.variables = variables
        self.dimensions = tuple(f"%{k}" for k in range(len(extents)))  # no source name starts so
        self.inputs: dict[tuple[Value, Indices], str] = {}
        self.lines: list[str] = []
        self._names: set[str] = set()
        self._known: dict[object, Value] = {}
        self._places: dict[str, Value] = {}  # indices that depend on data, by the variables that stand for them

    def point(self) -> Indices:
        """Return the index of the point at hand."""
        return tuple(map(Affine.var, self.dimensions))

    def at(self, node: Expression, indices: Indices) -> Value:
        """Return an expression's cell at an index that is affine in the dimensions."""
        if not node.shape:
            return self.values.scalar(node)
        key = (node, indices)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.cell(node, indices)
        return found

    def define(self, operation: str, type_: str) -> Value:
        """Add an operation, unless it is there already."""
        found = self._known.get((operation, type_))
        if found is None:
            found = self._known[operation, type_] = Value(self.values.writer.fresh(), type_)
            self.lines.append(f"{found.name} = {operation}")
        return found

    def name(self, stem: str) -> str:
        """Return a name for an argument, which no other value has that is visible in the body."""
        name = self.values.writer.unused(stem, self._names)
        self._names.add(name)
        return f"%{name}"

    def write(self) -> None:
        """Add the lines to the program, inside of the loops whose variables the body has."""
        for line in self.lines:
            self.values.writer.line(line)

    # -- expressions

    def cell(self, node: Expression, indices: Indices) -> Value:
        """Return what an expression is at an index, also where it has no axes."""
        if not self.values.is_known(node):
            view = shown(node, indices)
            if view is not None:
                return self.at(*view)
            if type(node) in _RULES:
                return _RULES[type(node)](self, node, indices)
        return self._read(self.values.tensor(node), node.shape, node.dtype, indices)

    def typed(self, node: Expression, indices: Indices, dtype: DType) -> Value:
        """Return a cell in a type."""
        if not node.shape:
            return self.values.scalar(node, dtype)
        return self.values.writer.converted(self.at(node, indices), node.dtype, dtype, self.define)

    def compared(self, predicate: str, left: Affine, right: Affine) -> Value:
        """Compare indices."""
        operands = f"{self.index(left).name}, {self.index(right).name}"
        return self.define(f"arith.cmpi {predicate}, {operands} : index", "i1")

    def index(self, value: Affine) -> Value:
        """Return an affine expression of dimensions, places and sizes as an index."""
        inner = [v for v in value.variables if v in self.dimensions or v in self._places]
        if not inner:
            return self.values.writer.size(value)
        indices = [self._places.get(v) or self._dimension(v) for v in inner]
        if value == Affine.var(inner[0]):
            return indices[0]
        outer = [v for v in value.variables if v not in inner]
        listed = ", ".join(i.name for i in indices)
        symbols = self.values.writer.named(outer)
        spelled = map_text(inner, (value,), outer)
        return self.define(f"affine.apply {spelled}({listed})" + (f"[{symbols}]" if outer else ""), "index")

    def _dimension(self, name: str) -> Value:
        place = self.dimensions.index(name)
        return self.variables[place] if self.variables else self.define(f"linalg.index {place} : index", "index")

    def place(self, node: Expression, indices: Indices) -> Affine:
        """Return a cell of an array of integers as an index: affine in its own, or a variable for what is data."""
        found = number_at(node, indices)
        if found is not None:
            return found
        cell = self.at(node, indices)
        value = self.define(f"{to_index(node.dtype)} {cell.name} : {cell.type} to index", "index")
        name = next((n for n, known in self._places.items() if known == value), f"place {len(self._places)}")
        self._places[name] = value
        return Affine.var(name)

    # -- reads

    def _read(self, array: Value, shape: Shape, dtype: DType, indices: Indices) -> Value:
        if not any(index.mentions((*self.dimensions, *self._places)) for index in indices):
            return self.values.extracted(array, indices, dtype)
        walks = [None if index.mentions(self._places) else self._walk(index) for index in indices]
        if self.variables or any(walk is None for walk in walks):
            places = ", ".join(self.index(index).name for index in indices)
            return self.define(f"tensor.extract {array.name}[{places}] : {array.type}", element_type(dtype))
        source = self.values.sliced(array, shape, dtype, [self._slice(index) for index in indices])
        results = tuple(walk for walk in walks if walk is not None and walk != ZERO)
        key = (source, results)
        if key not in self.inputs:
            self.inputs[key] = self.name("in")
        return Value(self.inputs[key], element_type(dtype))

    def _walk(self, index: Affine) -> Affine | None:
        """Return how dimensions walk a slice: one of them, a sum, or none (zero); None where no slice is walked so."""
        steps = self._steps(index)
        if any(step < 1 for step in steps.values()):
            return None
        if len(steps) == 1:
            return Affine.var(next(iter(steps)))
        return sum((Affine.var(v, step) for v, step in steps.items()), ZERO)

    def _steps(self, index: Affine) -> dict[str, int]:
        return {v: index.coefficient(v) for v in index.variables if v in self.dimensions}

    def _slice(self, index: Affine) -> Range | At:
        """Return the part of an axis that an index walks."""
        steps = self._steps(index)
        start = index - sum((Affine.var(v, c) for v, c in steps.items()), ZERO)
        if not steps:
            return At(start)
        length = sum(((self.extents[self.dimensions.index(v)] - 1) * c for v, c in steps.items()), ZERO)
        return Range(start, start + length + 1, step=next(iter(steps.values())) if len(steps) == 1 else 1)


def written(body: Body, value: Value, shape: Shape, dtype: DType) -> Value:
    """Return the tensor of a body's values, by the operation that says most."""
    if not body.lines and not body.inputs:
        return body.values.filled(value, shape, dtype)
    if not body.lines and [results for _, results in body.inputs] == [body.point()]:
        ((source, _),) = body.inputs
        return body.values.cast(source, tensor_type(shape, dtype))
    out = body.values.empty(shape, dtype)
    if not body.lines:
        ((source, results),) = body.inputs
        moved = _moved(body, source, results, out)
        return moved or generic(body, value, out, body.point())
    short = _short(body, value, out)
    return short or generic(body, value, out, body.point())


def _moved(body: Body, source: Value, results: Indices, out: Value) -> Value | None:
    """Return a tensor with permuted axes, or with more; None where it is neither."""
    places = [body.dimensions.index(r.variable) if r.variable else -1 for r in results]
    axes = list(range(len(body.dimensions)))
    operands = operands_text([source], out)
    if sorted(places) == axes:
        permutation = [places.index(axis) for axis in axes]
        return body.values.writer.define(f"linalg.transpose {operands} permutation = {permutation}", out.type)
    if places == sorted(set(places)) and -1 not in places:
        added = [axis for axis in axes if axis not in places]
        return body.values.writer.define(f"linalg.broadcast {operands} dimensions = {added}", out.type)
    return None


def _short(body: Body, value: Value, out: Value) -> Value | None:
    """Return a map with a single operation on whole tensors, None where it is none."""
    operation, _, operands = body.lines[0].partition(" = ")[2].partition(" ")
    types = {source.type for source, _ in body.inputs}
    is_whole = all(results == body.point() for _, results in body.inputs) and types == {out.type}
    if len(body.lines) > 1 or not is_whole or operands != f"{', '.join(body.inputs.values())} : {value.type}":
        return None
    text = f"linalg.map {{ {operation} }} {operands_text((source for source, _ in body.inputs), out)}"
    return body.values.writer.define(text, out.type)


def generic(body: Body, value: Value, out: Value, kept: Indices, name: str = "") -> Value:
    """Add a ``linalg.generic``; ``kept`` is the map of the result, ``name`` that of what is written over."""
    maps = [map_text(body.dimensions, results) for _, results in body.inputs]
    maps.append(map_text(body.dimensions, kept))
    iterators = ", ".join(f'"{"parallel" if walk in kept else "reduction"}"' for walk in body.point())
    result = Value(body.values.writer.fresh(), out.type)
    given = operands_text((source for source, _ in body.inputs), out)
    body.values.writer.line(
        f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{iterators}]}}"
        f" {given} {{"
    )
    arguments = [f"{inner}: {_element_of(source.type)}" for (source, _), inner in body.inputs.items()]
    arguments.append(f"{name or body.name('out')}: {value.type}")
    body.values.writer.line(f"^bb0({', '.join(arguments)}):")
    for line in [*body.lines, f"linalg.yield {value.name} : {value.type}"]:
        body.values.writer.line("  " + line)
    body.values.writer.line(f"}} -> {out.type}")
    return result


def _element_of(type_: str) -> str:
    return type_.removeprefix("tensor<").removesuffix(">").rpartition("x")[2]


def aligned(operand: Expression, shape: Shape, indices: Indices) -> Indices:
    """Return the index of an operand's cell: axes are aligned at the end, and those of extent one are stretched."""
    kept = indices[len(shape) - operand.rank :]
    shape = shape[len(shape) - operand.rank :]
    return tuple(
        ZERO if extent == ONE and wanted != ONE else index
        for extent, wanted, index in zip(operand.shape, shape, kept, strict=True)
    )


def _elementwise(body: Body, node: Elementwise, indices: Indices) -> Value:
    def cell(operand: Expression, dtype: DType) -> Value:
        return body.typed(operand, aligned(operand, node.shape, indices), dtype)

    return body.values.combined(node, cell, body.define)


def _broadcast(body: Body, node: Broadcast | Full, indices: Indices) -> Value:
    """Return the operand's cell, of a stretched axis the only one."""
    return body.typed(node.argument, aligned(node.argument, node.shape, indices), node.dtype)


def _triangle(body: Body, node: Triangle, indices: Indices) -> Value:
    """Return the cell on one side of a diagonal, zero on the other."""
    row, column = indices[-2] + node.offset, indices[-1]
    holds = body.compared("sge" if node.is_upper else "sle", column, row)
    zero = body.values.writer.number(Fraction(0), node.dtype)
    cell = body.at(node.argument, indices)
    return body.define(f"arith.select {holds.name}, {cell.name}, {zero.name} : {cell.type}", cell.type)


def _take(body: Body, node: Take, indices: Indices) -> Value:
    """Return the operand's cell at a place along one axis."""
    end = node.axis + node.index.rank
    place = body.place(node.index, indices[node.axis : end])
    return body.at(node.argument, (*indices[: node.axis], place, *indices[end:]))


def _iota(body: Body, node: Iota, indices: Indices) -> Value:
    """Return the position as an integer."""
    place = body.define(f"arith.index_cast {body.index(indices[0] + node.start).name} : index to i64", "i64")
    return body.values.writer.converted(place, "i64", node.dtype, body.define)


_RULES: dict[type[Expression], Callable[[Body, Any, Indices], Value]] = {
    Elementwise: _elementwise,
    Cast: lambda body, node, at: body.typed(node.argument, at, node.dtype),
    Copy: lambda body, node, at: body.at(node.argument, at),  # values do not change
    Broadcast: _broadcast,
    Full: _broadcast,
    Diagonal: lambda body, node, at: body.at(node.argument, at * 2),
    Gather: lambda body, node, at: body.at(
        node.argument, tuple(body.place(i, aligned(i, node.shape, at)) for i in node.indices)
    ),
    Take: _take,
    Triangle: _triangle,
    TriangleMask: lambda body, node, at: body.compared("sle", at[1], at[0] + node.offset),
    DiagonalMask: lambda body, node, at: body.compared("eq", at[1], at[0] + node.offset),
    Iota: _iota,
}


def is_mapped(node: Expression) -> bool:
    """Tell whether an expression is computed cell by cell, or shows the cells of another one."""
    return type(node) in _RULES or shown(node, tuple(ZERO for _ in node.shape)) is not None
