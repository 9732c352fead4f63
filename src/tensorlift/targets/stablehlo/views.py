"""What views and stores are in StableHLO: cells behind subscripts, diagonals, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    Broadcast,
    Cast,
    Copy,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Full,
    Iota,
    Literal,
    SizeValue,
    Subscript,
    Transpose,
    Variable,
)
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.targets.stablehlo.builder import array_text, is_static, static, type_of
from tensorlift.targets.stablehlo.rows_elementwise import FUNCTIONS, ROUNDINGS
from tensorlift.targets.stablehlo.spans import Span, neutral_number, spans

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tensorlift.ir.tensor_program import Expression, Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.stablehlo.builder import Array, Builder


_FUNCTIONS = {
    "add": "add", "sub": "subtract", "mul": "multiply", "div": "divide", "tdiv": "divide", "rem": "remainder",
    "max": "maximum", "min": "minimum", "pow": "power", "atan2": "atan2", "neg": "negate", "abs": "abs",
    "and": "and", "or": "or", "not": "not", "bitand": "and", "bitor": "or", "bitxor": "xor", "bitnot": "not",
    "shl": "shift_left", **FUNCTIONS, **ROUNDINGS,
}  # fmt: skip
IGNORING_NAN = {"fmax": "maximum", "fmin": "minimum"}


def rounded_down(build: Builder, op: str, dividend: Array, divisor: Array, *, by_positive: bool) -> Array:
    """Return Python's remainder or quotient: a remainder with another sign than the divisor is one step off."""
    rest = build.elementwise("remainder", dividend, divisor)
    zero = build.constant(0, rest.shape, rest.dtype)
    is_off = build.compare("LT", rest, zero)
    if not by_positive:
        is_off = build.select(build.compare("LT", divisor, zero), build.compare("GT", rest, zero), is_off)
    if op == "mod":
        return build.select(is_off, build.elementwise("add", rest, divisor), rest)
    whole = build.elementwise("divide", dividend, divisor)
    lower = build.elementwise("subtract", whole, build.constant(1, rest.shape, rest.dtype))
    return build.select(is_off, lower, whole)


def ignoring_nan(build: Builder, op: str, left: Array, right: Array) -> Array:
    """Return the greater or the lesser, and the other one where one is no number."""
    either = build.elementwise(IGNORING_NAN[op], left, right)
    if not is_float(left.dtype):
        return either
    either = build.select(build.compare("NE", right, right), left, either)
    return build.select(build.compare("NE", left, left), right, either)


def spans_of(build: Builder, items: Sequence[SubscriptItem], value: Array) -> list[Span]:
    """Return what subscripts pick of every axis, which must be there."""
    wanted = spans(items, value.shape, build.sizes.is_counted)
    build.sizes.check_inside(wanted, value.shape)
    return wanted


def part_of(build: Builder, value: Array, wanted: Sequence[Span]) -> Array:
    """Return some cells of every axis."""
    if not any(build.sizes.is_counted(span.start) for span in wanted):
        return build.slice(value, wanted)
    value = build.part(value, [span.start for span in wanted], tuple(span.width for span in wanted))
    return build.slice(value, [span._replace(start=ZERO) for span in wanted])


def cells_at(build: Builder, value: Array, indices: Sequence[Array]) -> Array:
    """Return the cells at index arrays of one shape, one for each axis."""
    dtype: DType = "i32" if all(index.dtype == "i32" for index in indices) else "i64"
    return gathered(build, value, index_vectors(build, [build.convert(index, dtype) for index in indices]))


def gathered(build: Builder, value: Array, vectors: Array, axis: int | None = None) -> Array:
    """Return the cells at index vectors, which stand along the last axis.

    With an ``axis`` the vectors are places along it, and stand in its place; the others, whose extents are numbers, are
    whole.
    """
    axes = list(range(len(value.shape))) if axis is None else [axis]
    places = vectors.shape[:-1]
    kept = [other for other in range(len(value.shape)) if other not in axes]
    numbers = {
        "offset_dims": [other if other < axes[0] else other - 1 + len(places) for other in kept],
        "collapsed_slice_dims": axes,
        "start_index_map": axes,
        "index_vector_dim": len(places),
    }
    sizes = [1 if other in axes else extent.constant for other, extent in enumerate(value.shape)]
    dims = f"dimension_numbers = #stablehlo.gather<{_given(numbers)}>, slice_sizes = {array_text(sizes)}"
    shape = places if axis is None else (*value.shape[:axis], *places, *value.shape[axis + 1 :])
    types = f"({value.type}, {vectors.type}) -> {type_of(shape, value.dtype)}"
    return build.define(f'"stablehlo.gather"({value.name}, {vectors.name}) <{{{dims}}}> : {types}', shape, value.dtype)


def taken(build: Builder, value: Array, index: Array, axis: int) -> Array:
    """Return the places of an index array along an axis: whole windows if their extents are numbers, else cells."""
    places, before, after = index.shape, value.shape[:axis], value.shape[axis + 1 :]
    if index.dtype != "i32":
        index = build.convert(index, "i64")
    if is_static((*before, *after)):
        return gathered(build, value, build.reshape(index, (*places, ONE)), axis)
    shape = (*before, *places, *after)
    wide = build.reshape(build.convert(index, "i64"), (*places, *(ONE for _ in after)))
    indices = [build.iota(k, shape) for k in range(len(before))]
    indices.append(build.broadcast(wide, shape))
    indices += [build.iota(k, shape) for k in range(len(shape) - len(after), len(shape))]
    return cells_at(build, value, indices)


def scattered(  # noqa: PLR0913, PLR0917 - what is put where
    build: Builder,
    whole: Array,
    vectors: Array,
    part: Array,
    axes: Sequence[int],
    combine: str | None = None,
    *,
    unique: bool = True,
) -> Array:
    """Put a part at index vectors into axes of a whole, or combine it with what is there.

    Vectors that are ``unique`` stand along axes of the part that take the place of those of the whole one by one.
    """
    more = len(vectors.shape) - 1 - len(axes)
    kept = [axis for axis in range(len(whole.shape)) if axis not in axes]
    numbers = {
        "update_window_dims": [axis if axis < axes[0] or unique else axis + more for axis in kept],
        "inserted_window_dims": list(axes),
        "scatter_dims_to_operand_dims": list(axes),
        "index_vector_dim": len(vectors.shape) - 1,
    }
    promise = ", unique_indices = true" if unique else ""
    attributes = f"scatter_dimension_numbers = #stablehlo.scatter<{_given(numbers)}>{promise}"
    return build.folded("scatter", (whole, vectors, part), attributes, combine)


def kept_places(build: Builder, start: Array | None, counted_in: DType, mask: Array, whole: Array) -> Array:
    """Return where what a mask keeps is stored in a whole, one after the other; the rest goes behind its end."""
    ones = build.convert(mask, counted_in)
    before = build.elementwise("subtract", build.running("sum", ones, 0), ones)
    if start is not None:
        before = build.elementwise("add", start, before)
    behind = build.broadcast(build.sizes.index(whole.shape[0]), mask.shape)
    return build.select(mask, build.convert(before, "i64"), behind)


def _given(numbers: Mapping[str, object]) -> str:
    """Spell dimension numbers, but for those that are empty."""
    return ", ".join(f"{name} = {value}" for name, value in numbers.items() if value not in ([], 0))


def index_vectors(build: Builder, indices: Sequence[Array]) -> Array:
    """Return index arrays of one shape, one for each axis, as an array of index vectors."""
    shape = indices[0].shape
    return build.concatenate([build.reshape(index, (*shape, ONE)) for index in indices], len(shape))


def foldable(build: Builder, op: str, value: Array) -> tuple[str, Array]:
    """Return a fold that StableHLO has, and what to fold: a neutral number where one is to be ignored."""
    if op not in IGNORING_NAN:
        return op, value
    op = op.removeprefix("f")
    if not is_float(value.dtype):
        return op, value
    neutral = build.constant(neutral_number(op, value.dtype), value.shape, value.dtype)
    return op, build.select(build.compare("NE", value, value), neutral, value)


def spread_in(build: Builder, old: Array, part: Array, wanted: Sequence[Span]) -> Array:
    """Put a part into an array, some cells apart; all extents are numbers."""
    spread = _spread(build, part, build.constant(0, (), old.dtype), wanted, old.shape)
    yes, no = build.constant(1, part.shape, "bool"), build.constant(0, (), "bool")
    return build.select(_spread(build, yes, no, wanted, old.shape), spread, old)


def _spread(build: Builder, value: Array, around: Array, wanted: Sequence[Span], shape: Shape) -> Array:
    """Spread a value over spans of a larger shape, with another number around and between."""
    low, interior = [span.start.constant for span in wanted], [span.step - 1 for span in wanted]
    used = [(e - 1) * span.step + 1 for e, span in zip(static(value.shape), wanted, strict=True)]
    high = [whole - start - length for whole, start, length in zip(static(shape), low, used, strict=True)]
    attributes = f", low = {low}, high = {high}, interior = {interior}"
    return build.add("pad", [value, around], shape, value.dtype, attributes)


def function_name(op: str, dtype: DType) -> str:
    """Return the name of a scalar function."""
    if op == "shr":
        return "shift_right_logical" if dtype.startswith("u") else "shift_right_arithmetic"
    if op not in _FUNCTIONS:
        raise refuse("TL305", f"StableHLO has no function {op}", remedy="lift to c")
    return _FUNCTIONS[op]


class DiagonalStore(NamedTuple):
    """So many cells of a matrix on a diagonal that starts at a row and a column.

    They become ``values``, a number or one for each column, or ``values`` are added to them.
    """

    row: int
    column: int
    cells: int
    values: Expression
    adds: bool


def diagonal_store(mask: Expression | None, chosen: Expression, other: Expression) -> DiagonalStore | None:
    """Return what ``chosen`` where a mask holds, else a variable, stores into that variable, or None."""
    if not isinstance(mask, DiagonalMask) or not isinstance(other, Variable) or chosen.rank > 1:
        return None
    numbers = (mask.offset, *mask.shape, *other.shape)
    if chosen.dtype != other.dtype or not all(number.is_constant for number in numbers):
        return None
    rows, columns = (extent.constant for extent in mask.shape)
    row, column = max(-mask.offset.constant, 0), max(mask.offset.constant, 0)
    cells = min(rows - row, columns - column)
    if mask.shape != other.shape or cells < 1:
        return None
    added = None if mask.offset.constant else _added(chosen, other)
    return DiagonalStore(row, column, cells, chosen if added is None else added, added is not None)


def _added(chosen: Expression, other: Variable) -> Expression | None:
    """Return what is added to the diagonal of a variable, None where something else is computed."""
    if not isinstance(chosen, Elementwise) or chosen.op != "add":
        return None
    for old, update in (chosen.arguments, reversed(chosen.arguments)):
        if isinstance(old, Diagonal) and isinstance(old.argument, Variable) and old.argument.name == other.name:
            return update
    return None


def is_position(node: Expression, known: Collection[str] = ()) -> bool:
    """Tell whether an integer is seen never to be negative: a position, a ``known`` variable, or made of these."""
    if isinstance(node, Variable):
        return node.name in known
    if isinstance(node, Literal):
        return not isinstance(node.value, str) and node.value >= 0
    if isinstance(node, Iota | SizeValue):
        start = node.start if isinstance(node, Iota) else node.affine
        return start.is_constant and start.constant >= 0
    if isinstance(node, Elementwise):
        return node.op == "add" and all(is_position(one, known) for one in node.arguments)
    return isinstance(node, Subscript | Broadcast | Cast | Copy | Full | Transpose) and is_position(
        node.argument, known
    )


Indices = tuple[Affine, ...]


def common_shape(shapes: Iterable[Shape]) -> Shape:
    """Return the shape that shapes broadcast to."""
    listed = list(shapes)
    rank = max(map(len, listed))
    padded = [(ONE,) * (rank - len(shape)) + shape for shape in listed]
    return tuple(next((e for e in extents if e != ONE), ONE) for extents in zip(*padded, strict=True))


def common_type(arguments: Sequence[Expression]) -> DType:
    """Return the type in which operands are compared: that of the first that is no plain number."""
    firm = [argument for argument in arguments if not argument.is_weak]
    return (firm or list(arguments))[0].dtype
