"""Operations of StableHLO, each with the type of its result.

The extents of a value are affine in the sizes, and open in its type where they are no numbers; one that may come out
negative there counts as none.
"""

from __future__ import annotations

from contextlib import contextmanager
from math import inf, nan
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Block, Region

from tensorlift.comprehension.affine import ZERO, Affine
from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import integer_range, is_float
from tensorlift.targets.mlir_text.operations import Splat, SplatAttr, ints_attribute, operation_class
from tensorlift.targets.mlir_text.types import dtype_of, tensor_type
from tensorlift.targets.stablehlo.dialect import GatherAttr, ReturnOp, ScatterAttr, WhileOp
from tensorlift.targets.stablehlo.rows import ROWS
from tensorlift.targets.stablehlo.rows_fold import GatherDimensions
from tensorlift.targets.stablehlo.rows_scatter import ScatterDimensions
from tensorlift.targets.stablehlo.sizes import Sizes
from tensorlift.targets.stablehlo.spans import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Attribute, SSAValue

    from tensorlift.comprehension.domain import Domain
    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.mlir_text.writer import Writer

    Ints = Sequence[int]

NAMED = {"inf": inf, "-inf": -inf, "nan": nan}
_ESTIMATE = 256  # of every size
COMBINING = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum", "any": "or", "all": "and"}


def type_of_shape(shape: Shape, dtype: DType) -> TensorType[Attribute]:
    """Return the type of values of a shape."""
    return tensor_type([e.constant if e.is_constant else DYNAMIC_INDEX for e in shape], dtype)


def static(shape: Shape) -> list[int]:
    """Return extents that are numbers as such."""
    assert is_static(shape)
    return [extent.constant for extent in shape]


def is_static(shape: Shape) -> bool:
    """Tell whether all extents are numbers."""
    return all(extent.is_constant for extent in shape)


def estimate(extent: Affine) -> int:
    """Return a number for an extent, which costs are compared by."""
    return max(extent.evaluate(dict.fromkeys(extent.variables, _ESTIMATE)), 0)


def type_of(value: SSAValue) -> DType:
    """Return the element type of a value."""
    assert isinstance(value.type, TensorType)
    dtype = dtype_of(value.type.element_type)
    assert dtype is not None
    return dtype


def neutral_number(op: str, dtype: DType) -> float:
    """Return the number that a fold does not change another by."""
    if op not in ("max", "min"):
        return int(op in ("prod", "all"))
    if is_float(dtype):
        return -inf if op == "max" else inf
    return integer_range(dtype)[0 if op == "max" else 1]


class Builder:
    """Adds operations to a program; a number that was there before is not made again."""

    def __init__(self, writer: Writer, context: Domain) -> None:
        self._writer = writer
        self._constants: dict[tuple[float | str, Shape, DType], SSAValue] = {}
        self._shapes: dict[SSAValue, Shape] = {}
        self.sizes = Sizes(self, context)

    def shape_of(self, value: SSAValue) -> Shape:
        """Return the extents of a value."""
        assert isinstance(value.type, TensorType)
        return self._shapes.get(value) or tuple(map(Affine, value.type.get_shape()))

    def given(self, value: SSAValue, shape: Shape) -> SSAValue:
        """Say which extents a value has whose type does not tell."""
        if not is_static(shape):
            self._shapes[value] = shape
        return value

    def add(
        self,
        name: str,
        operands: Sequence[SSAValue],
        shape: Shape,
        dtype: DType,
        region: Region | None = None,
        **attributes: Attribute,
    ) -> SSAValue:
        """Add an operation by its name without the dialect."""
        row = ROWS[f"stablehlo.{name}"]
        value = self._writer.add(operation_class(row), operands, type_of_shape(shape, dtype), attributes, region)
        return self.given(value, shape)

    @contextmanager
    def region(self, arguments: Sequence[Attribute]) -> Iterator[Block]:
        """Add what follows to a new block with arguments of these types; its numbers are not seen outside."""
        outer, self._constants = self._constants, dict(self._constants)
        try:
            with self._writer.region(arguments) as block, self.sizes.region():
                yield block
        finally:
            self._constants = outer

    # -- cells from nothing

    def constant(self, number: float, shape: Shape, dtype: DType) -> SSAValue:
        """Return a tensor that holds a number everywhere."""
        key = (str(number) if number != number else number, shape, dtype)  # noqa: PLR0124 - NaN is not itself
        if key not in self._constants:
            self._constants[key] = self._constant(number, shape, dtype)
        return self._constants[key]

    def _constant(self, number: float, shape: Shape, dtype: DType) -> SSAValue:
        if not is_static(shape):
            return self.broadcast(self.constant(number, (), dtype), shape)
        if is_float(dtype):
            value = float(number)
        else:
            low, high = integer_range(dtype)
            if not low <= number <= high:
                message = f"StableHLO has no constant {number} of type {dtype}"
                raise refuse("TL305", message, remedy="keep the number in the range of its type")
            value = int(number)
        attribute = SplatAttr(Splat(tensor_type(static(shape), dtype), value))
        return self.add("constant", (), shape, dtype, value=attribute)

    def numbers(self, values: tuple[int, ...]) -> SSAValue:
        """Return a vector of sizes that are numbers."""
        if len(set(values)) == 1:
            return self.constant(values[0], (Affine(len(values)),), "i64")
        attribute = SplatAttr(Splat(tensor_type([len(values)], "i64"), values))
        return self.add("constant", (), (Affine(len(values)),), "i64", value=attribute)

    def iota(self, dimension: int, shape: Shape, dtype: DType = "i64") -> SSAValue:
        """Return the position along an axis."""
        axis = IntegerAttr(dimension, i64)
        if is_static(shape):
            return self.add("iota", (), shape, dtype, iota_dimension=axis)
        return self.add("dynamic_iota", (self.sizes.vector(shape),), shape, dtype, iota_dimension=axis)

    # -- cell by cell

    def elementwise(self, name: str, *operands: SSAValue) -> SSAValue:
        """Apply a function of cells to operands of one shape and type."""
        return self.add(name, operands, self.shape_of(operands[0]), type_of(operands[0]))

    def compare(self, direction: str, left: SSAValue, right: SSAValue) -> SSAValue:
        """Compare cells."""
        return self.add("compare", (left, right), self.shape_of(left), "bool", direction=StringAttr(direction))

    def select(self, condition: SSAValue, chosen: SSAValue, other: SSAValue) -> SSAValue:
        """Choose cells."""
        return self.add("select", (condition, chosen, other), self.shape_of(chosen), type_of(chosen))

    def convert(self, value: SSAValue, dtype: DType) -> SSAValue:
        """Return a value in an element type; whether a number is not zero, as a truth value."""
        source = type_of(value)
        if source == dtype:
            return value
        if dtype == "bool":
            return self.compare("NE", value, self.constant(0, self.shape_of(value), source))
        if is_float(source) and dtype.startswith("u"):
            message = f"StableHLO gives zero for a negative {source} as {dtype}"
            raise refuse("TL307", message, remedy="convert to a signed type first")
        return self.add("convert", (value,), self.shape_of(value), dtype)

    # -- the same cells elsewhere

    def broadcast(self, value: SSAValue, shape: Shape, axes: Sequence[int] | None = None) -> SSAValue:
        """Return a value as one of a larger shape: along the given axes, or along the last ones."""
        mine = self.shape_of(value)
        if mine == shape:
            return value
        dims = tuple(axes) if axes is not None else tuple(range(len(shape) - len(mine), len(shape)))
        name, operands = "broadcast_in_dim", [value]
        if not is_static(shape):
            name, operands = "dynamic_broadcast_in_dim", [value, self.sizes.vector(shape)]
        return self.add(name, operands, shape, type_of(value), broadcast_dimensions=ints_attribute(dims))

    def reshape(self, value: SSAValue, shape: Shape) -> SSAValue:
        """Add and drop axes of extent 1."""
        if self.shape_of(value) == shape:
            return value
        if is_static(shape):
            return self.add("reshape", (value,), shape, type_of(value))
        return self.add("dynamic_reshape", (value, self.sizes.vector(shape)), shape, type_of(value))

    def slice(self, value: SSAValue, wanted: Sequence[Span]) -> SSAValue:
        """Return the cells of spans of every axis, whose starts no loop computes."""
        whole = self.shape_of(value)
        if all(span == Span(ZERO, extent) for span, extent in zip(wanted, whole, strict=True)):
            return value
        shape = tuple(span.cells for span in wanted)
        if all(span.is_static for span in wanted):
            numbers = [(span.start.constant, span.limit.constant, span.step) for span in wanted]
            attribute = ints_attribute(number for entry in numbers for number in entry)
            return self.add("slice", (value,), shape, type_of(value), ranges=attribute)
        steps = self.sizes.vector([Affine(span.step) for span in wanted])
        return self._cut(value, [span.start for span in wanted], [span.width for span in wanted], steps, shape)

    def part(self, value: SSAValue, starts: Sequence[Affine], extents: Shape) -> SSAValue:
        """Return so many cells of every axis from positions on that are computed."""
        if is_static(extents):
            sizes, places = ints_attribute(static(extents)), map(self.sizes.index, starts)
            return self.add("dynamic_slice", (value, *places), extents, type_of(value), slice_sizes=sizes)
        ones = self.constant(1, (Affine(len(starts)),), "i64")
        return self._cut(value, starts, extents, ones, extents)

    def _cut(
        self, value: SSAValue, starts: Sequence[Affine], widths: Sequence[Affine], steps: SSAValue, shape: Shape
    ) -> SSAValue:
        whole = self.shape_of(value)
        first, limits = self.sizes.places(starts, whole), self.sizes.limits(starts, widths, whole)
        return self.add("real_dynamic_slice", (value, first, limits, steps), shape, type_of(value))

    def reverse(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        """Reverse axes."""
        if not axes:
            return value
        return self.add("reverse", (value,), self.shape_of(value), type_of(value), dimensions=ints_attribute(axes))

    def transpose(self, value: SSAValue, order: Sequence[int]) -> SSAValue:
        """Return a value whose axis ``k`` is axis ``order[k]``."""
        if list(order) == sorted(order):
            return value
        shape = tuple(self.shape_of(value)[axis] for axis in order)
        return self.add("transpose", (value,), shape, type_of(value), permutation=ints_attribute(order))

    def pad(self, value: SSAValue, around: SSAValue, low: Ints, shape: Shape, interior: Ints) -> SSAValue:
        """Spread a value in a larger shape, with another number around and between; all extents are numbers."""
        used = [(e - 1) * (gap + 1) + 1 for e, gap in zip(static(self.shape_of(value)), interior, strict=True)]
        high = tuple(whole - start - length for whole, start, length in zip(static(shape), low, used, strict=True))
        attributes = {"low": low, "high": high, "interior": interior}
        given = {name: ints_attribute(values) for name, values in attributes.items()}
        return self.add("pad", (value, around), shape, type_of(value), None, **given)

    def concatenate(self, values: Sequence[SSAValue], axis: int) -> SSAValue:
        """Join values along an axis."""
        if len(values) == 1:
            return values[0]
        shape = list(self.shape_of(values[0]))
        shape[axis] = sum((self.shape_of(value)[axis] for value in values), ZERO)
        dimension = IntegerAttr(axis, i64)
        return self.add("concatenate", values, tuple(shape), type_of(values[0]), dimension=dimension)

    def update(self, whole: SSAValue, part: SSAValue, starts: Sequence[SSAValue]) -> SSAValue:
        """Put a part at a place of a whole."""
        return self.add("dynamic_update_slice", (whole, part, *starts), self.shape_of(whole), type_of(whole))

    def loop(self, initial: Sequence[SSAValue], condition: Block, body: Block) -> Sequence[SSAValue]:
        """Repeat a block on what it gives out as long as a condition on that holds."""
        op = WhileOp.create(
            operands=list(initial),
            result_types=[value.type for value in initial],
            regions=[Region(condition), Region(body)],
        )
        results = self._writer.add_operation(op).results
        return [self.given(result, self.shape_of(value)) for result, value in zip(results, initial, strict=True)]

    def give_out(self, values: Sequence[SSAValue]) -> None:
        """End a region."""
        self._writer.add_operation(ReturnOp.create(operands=list(values)))

    def gather(self, value: SSAValue, vectors: SSAValue) -> SSAValue:
        """Return the cells at index vectors, which stand along the last axis."""
        axes = tuple(range(len(self.shape_of(value))))
        numbers = GatherDimensions((), axes, (), (), axes, len(self.shape_of(vectors)) - 1)
        return self.add(
            "gather",
            (value, vectors),
            self.shape_of(vectors)[:-1],
            type_of(value),
            dimension_numbers=GatherAttr(numbers),
            slice_sizes=ints_attribute((1,) * len(axes)),
        )

    def scatter(
        self, whole: SSAValue, vectors: SSAValue, part: SSAValue, axes: Sequence[int], *, adds: bool = False
    ) -> SSAValue:
        """Put a part at index vectors into axes of a whole, or add it there; no two vectors are the same."""
        windows = tuple(axis for axis in range(len(self.shape_of(whole))) if axis not in axes)
        numbers = ScatterDimensions(windows, tuple(axes), (), (), tuple(axes), len(self.shape_of(vectors)) - 1)
        return self.add(
            "scatter",
            (whole, vectors, part),
            self.shape_of(whole),
            type_of(whole),
            _region("add" if adds else None, type_of(whole)),
            scatter_dimension_numbers=ScatterAttr(numbers),
            unique_indices=IntegerAttr(1, 1),
        )

    # -- folds

    def reduce(self, op: str, value: SSAValue, axes: Sequence[int], initial: SSAValue | None = None) -> SSAValue:
        """Fold axes."""
        if not axes:
            return value
        dtype = type_of(value)
        start = initial if initial is not None else self.constant(neutral_number(op, dtype), (), dtype)
        shape = tuple(extent for axis, extent in enumerate(self.shape_of(value)) if axis not in axes)
        body = StringAttr(f"stablehlo.{COMBINING[op]}")
        return self.add("reduce", (value, start), shape, dtype, body=body, dimensions=ints_attribute(axes))

    def running(self, op: str, value: SSAValue, axis: int) -> SSAValue:
        """Fold each cell with those before it along an axis: windows that reach far before the start."""
        dtype, shape = type_of(value), self.shape_of(value)
        extent = self.sizes.number(shape[axis], "a running fold is over windows of static extents")
        window = [1] * len(shape)
        padding = [0] * (2 * len(shape))
        window[axis], padding[2 * axis] = max(extent, 1), max(extent - 1, 0)
        pairs: TensorType[Any] = TensorType(i64, [len(shape), 2])
        return self.add(
            "reduce_window",
            (value, self.constant(neutral_number(op, dtype), (), dtype)),
            shape,
            dtype,
            _region(COMBINING[op], dtype),
            padding=DenseIntOrFPElementsAttr.from_list(pairs, padding),
            window_dimensions=ints_attribute(window),
        )

    def dot(
        self,
        left: SSAValue,
        right: SSAValue,
        batch: tuple[Sequence[int], Sequence[int]],
        summed: tuple[Sequence[int], Sequence[int]],
    ) -> SSAValue:
        """Sum products over pairs of axes; the result has the batch axes first, then the left's and the right's."""
        mine, theirs = self.shape_of(left), self.shape_of(right)
        free = [e for axis, e in enumerate(mine) if axis not in (*batch[0], *summed[0])]
        free += [e for axis, e in enumerate(theirs) if axis not in (*batch[1], *summed[1])]
        shape = (*(mine[axis] for axis in batch[0]), *free)
        names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
        given = {name: ints_attribute(axes) for name, axes in zip(names, (*batch, *summed), strict=True)}
        return self.add("dot_general", (left, right), shape, type_of(left), None, **given)


def _region(op: str | None, dtype: DType) -> Region:
    """Return the region that combines two numbers by an operation, or gives the second one."""
    number = tensor_type((), dtype)
    block = Block(arg_types=[number, number])
    result: SSAValue = block.args[1]
    if op is not None:
        combine = operation_class(ROWS[f"stablehlo.{op}"])
        combined = combine.create(operands=list(block.args), result_types=[number])
        block.add_op(combined)
        (result,) = combined.results
    block.add_op(ReturnOp.create(operands=[result]))
    return Region(block)
