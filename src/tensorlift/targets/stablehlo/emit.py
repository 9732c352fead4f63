"""Emitting StableHLO: each node of a tensor program, whose sizes are numbers, as operations on static shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.dtypes import is_float
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Contraction,
    Copy,
    Cumulative,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Empty,
    Expression,
    Full,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Subscript,
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.targets.mlir_text.emission import TextEmission
from tensorlift.targets.mlir_text.types import tensor_type
from tensorlift.targets.stablehlo.builder import COMBINING, NAMED, Builder, shape_of, type_of
from tensorlift.targets.stablehlo.contraction import contract
from tensorlift.targets.stablehlo.rows_elementwise import DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xdsl.ir import Attribute, SSAValue

    from tensorlift.comprehension.dtypes import DType
    from tensorlift.ir.tensor_program import Parameter, SetSlice, Shape, SubscriptItem, TensorProgram
    from tensorlift.targets.emitted import Emitted
    from tensorlift.targets.stablehlo.builder import Extents

_FUNCTIONS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "tdiv": "divide", "rem": "remainder",
    "max": "maximum", "min": "minimum", "pow": "power", "atan2": "atan2", "neg": "negate", "abs": "abs",
    "and": "and", "or": "or", "not": "not", "bitand": "and", "bitor": "or", "bitxor": "xor", "bitnot": "not",
    "shl": "shift_left", "sqrt": "sqrt", "cbrt": "cbrt", "exp": "exponential", "expm1": "exponential_minus_one",
    "log": "log", "log1p": "log_plus_one", "sin": "sine", "cos": "cosine", "tan": "tan", "tanh": "tanh",
    "floor": "floor", "ceil": "ceil", "rint": "round_nearest_even", "round": "round_nearest_afz",
}  # fmt: skip
_COMPARISONS = {op: direction for direction, op in DIRECTIONS.items()}
_LOGICAL = ("and", "or", "not")


def emit(program: TensorProgram) -> Emitted:
    """Return the program as StableHLO.

    Raises:
        LiftError: TL305 where StableHLO has no such function, TL307 where it does not convert so, TL308 where a loop
            is kept, TL306 where the program returns nothing.

    """
    return _StableHloEmission(program).emit()


class _StableHloEmission(TextEmission):
    title = "StableHLO"

    def __init__(self, program: TensorProgram) -> None:
        super().__init__(program)
        self.build = Builder(self.writer)
        self._memo: dict[Expression, SSAValue] = {}

    def parameter_type(self, parameter: Parameter) -> Attribute:
        """Return the type of a parameter: a scalar is a tensor without axes."""
        return tensor_type(_numbers(parameter.shape), parameter.dtype)

    def start_statement(self) -> None:
        """Forget the values of expressions."""
        self._memo = {}

    def value(self, node: Expression) -> SSAValue:
        """Return the value of an expression; that of a variable changes with assignments."""
        if isinstance(node, Variable):
            return self.values[node.name]
        if node not in self._memo:
            self._memo[node] = getattr(self, _METHODS[type(node)])(node)
        return self._memo[node]

    def operand(self, node: Expression, shape: Extents, dtype: DType) -> SSAValue:
        """Return the value of an expression in an element type and a shape to which it broadcasts."""
        if isinstance(node, Literal | SizeValue):
            return self.build.constant(_number(node), shape, dtype)
        return self.build.broadcast(self.build.convert(self.value(node), dtype), shape)

    def typed(self, node: Expression, dtype: DType) -> SSAValue:
        """Return the value of an expression in an element type."""
        return self.operand(node, self.shape(node), dtype)

    def shape(self, node: Expression) -> Extents:
        """Return the extents of the value of an expression."""
        return () if isinstance(node, Literal | SizeValue) else shape_of(self.value(node))

    # -- from nothing or from one value

    def _number(self, node: Literal | SizeValue) -> SSAValue:
        return self.build.constant(_number(node), (), node.dtype)

    def _iota(self, node: Iota) -> SSAValue:
        shape = _numbers(node.shape)
        values = self.build.iota(0, shape)
        if node.start.constant:
            values = self.build.elementwise("add", values, self.build.constant(node.start.constant, shape, "i64"))
        return self.build.convert(values, node.dtype)

    def _full(self, node: Full) -> SSAValue:
        return self.operand(node.argument, _numbers(node.shape), node.dtype)

    def _empty(self, node: Empty) -> SSAValue:
        return self.build.constant(0, _numbers(node.shape), node.dtype)

    def _same(self, node: Copy) -> SSAValue:
        return self.typed(node.argument, node.dtype)

    def _cast(self, node: Cast) -> SSAValue:
        return self.typed(node.argument, node.dtype)

    def _mask(self, node: TriangleMask | DiagonalMask) -> SSAValue:
        direction = "GE" if isinstance(node, TriangleMask) else "EQ"
        return self.build.convert(self._below(_numbers(node.shape), node.offset.constant, direction), node.dtype)

    def _below(self, shape: Extents, offset: int, direction: str) -> SSAValue:
        """Compare ``row + offset`` with the column, along the last two axes."""
        rows, columns = (self.build.iota(len(shape) - back, shape) for back in (2, 1))
        if offset:
            rows = self.build.elementwise("add", rows, self.build.constant(offset, shape, "i64"))
        return self.build.compare(direction, rows, columns)

    def _triangle(self, node: Triangle) -> SSAValue:
        value = self.value(node.argument)
        kept = self._below(shape_of(value), node.offset.constant, "LE" if node.is_upper else "GE")
        return self.build.select(kept, value, self.build.constant(0, shape_of(value), type_of(value)))

    # -- cell by cell

    def _elementwise(self, node: Elementwise) -> SSAValue:
        shape = _broadcast(self.shape(argument) for argument in node.arguments)
        if node.op == "select":
            condition, *arms = node.arguments
            chosen, other = (self.operand(arm, shape, node.dtype) for arm in arms)
            return self.build.select(self.operand(condition, shape, "bool"), chosen, other)
        if node.op in _COMPARISONS:
            dtype = _common(node.arguments)
            left, right = (self.operand(argument, shape, dtype) for argument in node.arguments)
            return self.build.compare(_COMPARISONS[node.op], left, right)
        dtype = "bool" if node.op in _LOGICAL else node.dtype
        operands = [self.operand(argument, shape, dtype) for argument in node.arguments]
        return self.build.elementwise(_function(node.op, dtype), *operands)

    # -- the same cells elsewhere

    def _broadcast_to(self, node: Broadcast) -> SSAValue:
        return self.operand(node.argument, _numbers(node.shape), node.dtype)

    def _transpose(self, node: Transpose) -> SSAValue:
        return self.build.transpose(self.value(node.argument), node.permutation)

    def _subscript(self, node: Subscript) -> SSAValue:
        value = self.value(node.argument)
        ranges = _ranges(node.items, shape_of(value))
        value = self.build.slice(value, ranges)
        value = self.build.reverse(value, _reversed(node.items))
        shape: list[int] = []
        extents = iter(shape_of(value))
        for item in node.items:
            extent = 1 if isinstance(item, NewAxis) else next(extents)
            shape += [] if isinstance(item, At) else [extent]
        return self.build.reshape(value, (*shape, *extents))

    def _diagonal(self, node: Diagonal) -> SSAValue:
        value = self.value(node.argument)
        return self.build.gather(value, self.build.iota(0, (min(shape_of(value)), 2)))

    def _gather(self, node: Gather) -> SSAValue:
        shape = _broadcast(self.shape(index) for index in node.indices)
        return self._at(self.value(node.argument), [self.operand(index, shape, "i64") for index in node.indices])

    def _windows(self, node: Windows) -> SSAValue:
        """Gather windows: each axis is walked by its position and by that inside the window."""
        value = self.value(node.argument)
        rank = len(shape_of(value))
        inside = dict(zip(node.axes, range(rank, rank + len(node.axes)), strict=True))
        extents = dict(zip(node.axes, _numbers(node.extents), strict=True))
        places = [extent - extents.get(axis, 1) + 1 for axis, extent in enumerate(shape_of(value))]
        shape = (*places, *(extents[axis] for axis in node.axes))
        indices = []
        for axis in range(rank):
            index = self.build.iota(axis, shape)
            if axis in inside:
                index = self.build.elementwise("add", index, self.build.iota(inside[axis], shape))
            indices.append(index)
        return self._at(value, indices)

    def _at(self, value: SSAValue, indices: Sequence[SSAValue]) -> SSAValue:
        """Return the cells at index arrays of one shape, one for each axis."""
        shape = shape_of(indices[0])
        columns = [self.build.reshape(index, (*shape, 1)) for index in indices]
        return self.build.gather(value, self.build.concatenate(columns, len(shape)))

    # -- folds

    def _reduction(self, node: Reduction) -> SSAValue:
        _check_fold(node.op)
        value = self.typed(node.argument, node.dtype)
        initial = None if node.initial is None else self.typed(node.initial, node.dtype)
        return self.build.reduce(node.op, value, node.axes, initial)

    def _cumulative(self, node: Cumulative) -> SSAValue:
        _check_fold(node.op)
        return self.build.running(node.op, self.typed(node.argument, node.dtype), node.axis)

    def _contraction(self, node: Contraction) -> SSAValue:
        operands = [self.typed(argument, node.dtype) for argument in node.arguments]
        return contract(self.build, operands, node.labels, node.output)

    # -- stores

    def stored(self, statement: SetSlice, old: SSAValue) -> SSAValue:
        """Return an array after a store: an update in one piece, or cells spread by steps and selected."""
        whole, dtype = shape_of(old), type_of(old)
        ranges = _ranges(statement.items, whole)
        extents = tuple(-(-(limit - start) // step) for start, limit, step in ranges)
        if 0 in extents:
            return old
        kept = tuple(e for e, item in zip(extents, statement.items, strict=False) if not isinstance(item, At))
        kept += extents[len(statement.items) :]
        part = self.build.reshape(self.operand(statement.value, kept, dtype), extents)
        part = self.build.reverse(part, _reversed(statement.items))
        starts = tuple(start for start, _, _ in ranges)
        steps = tuple(1 if extent == 1 else step for extent, (_, _, step) in zip(extents, ranges, strict=True))
        if extents == whole:
            return part
        if all(step == 1 for step in steps):
            return self.build.update(old, part, starts)
        return self._spread(old, part, starts, tuple(step - 1 for step in steps))

    def _spread(self, old: SSAValue, part: SSAValue, starts: Extents, interior: Extents) -> SSAValue:
        whole, dtype = shape_of(old), type_of(old)
        spread = self.build.pad(part, self.build.constant(0, (), dtype), starts, whole, interior)
        yes, no = self.build.constant(1, shape_of(part), "bool"), self.build.constant(0, (), "bool")
        return self.build.select(self.build.pad(yes, no, starts, whole, interior), spread, old)


def _numbers(shape: Shape) -> Extents:
    """Return extents as numbers; a negative one is that of nothing."""
    return tuple(max(extent.constant, 0) for extent in shape)


def _number(node: Literal | SizeValue) -> float:
    if isinstance(node, SizeValue):
        return node.affine.constant
    if isinstance(node.value, str):
        return NAMED[node.value]
    return int(node.value) if node.value.denominator == 1 and not is_float(node.dtype) else float(node.value)


def _broadcast(shapes: Iterable[Extents]) -> Extents:
    """Return the shape that shapes broadcast to."""
    listed = list(shapes)
    rank = max(map(len, listed))
    padded = [(1,) * (rank - len(shape)) + shape for shape in listed]
    return tuple(next((e for e in extents if e != 1), 1) for extents in zip(*padded, strict=True))


def _common(arguments: Sequence[Expression]) -> DType:
    """Return the type in which operands are compared: that of the first that is no plain number."""
    firm = [argument for argument in arguments if not argument.is_weak]
    return (firm or list(arguments))[0].dtype


def _function(op: str, dtype: DType) -> str:
    """Return the name of a scalar function."""
    if op == "shr":
        return "shift_right_logical" if dtype.startswith("u") else "shift_right_arithmetic"
    if op not in _FUNCTIONS:
        remedy = "write it with the functions that StableHLO has"
        raise refuse("TL305", f"StableHLO has no function {op}", remedy=remedy)
    return _FUNCTIONS[op]


def _check_fold(op: str) -> None:
    if op not in COMBINING:
        raise refuse("TL305", f"StableHLO has no reduction {op}", remedy="lift to another target")


def _ranges(items: Sequence[SubscriptItem], shape: Extents) -> list[tuple[int, int, int]]:
    """Return start, limit and step for every axis, as slices clip them."""
    ranges = []
    extents = iter(shape)
    for item in items:
        if isinstance(item, NewAxis):
            continue
        extent = next(extents)
        if isinstance(item, At):
            ranges.append((item.index.constant, item.index.constant + 1, 1))
        elif isinstance(item, Range):
            start = min(max(item.start.constant, 0), extent)
            limit = min(max(item.stop.constant, start), extent)
            ranges.append((start, limit, item.step))
        else:
            ranges.append((0, extent, 1))
    return [*ranges, *((0, extent, 1) for extent in extents)]


def _reversed(items: Sequence[SubscriptItem]) -> list[int]:
    """Return the axes that are reversed."""
    axes = [item for item in items if not isinstance(item, NewAxis)]
    return [axis for axis, item in enumerate(axes) if isinstance(item, Reverse)]


_METHODS: dict[type[Expression], str] = {
    Literal: "_number", SizeValue: "_number", Iota: "_iota", TriangleMask: "_mask", DiagonalMask: "_mask",
    Full: "_full", Empty: "_empty", Subscript: "_subscript", Transpose: "_transpose", Diagonal: "_diagonal",
    Windows: "_windows", Gather: "_gather", Broadcast: "_broadcast_to", Copy: "_same", Triangle: "_triangle",
    Elementwise: "_elementwise", Cast: "_cast", Reduction: "_reduction", Cumulative: "_cumulative",
    Contraction: "_contraction",
}  # fmt: skip
