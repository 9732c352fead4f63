"""Operations that make, move and join cells: constants, broadcasts, slices, pads, transposes, updates.

Operations on shapes that are known when a program runs: extents, and what makes or cuts arrays of such extents.

A shape is a vector of 64-bit integers, each affine in the sizes, or a quotient, the greater or the lesser of such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Indices, Obligations, Shape, SymbolicTensor, affine_of, fold_exact
from tensorlift.comprehension.terms import Apply
from tensorlift.ops.dtypes import integer_range
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal
from tensorlift.targets.arrays import shape as array_shape
from tensorlift.targets.arrays.creation import check_extents, exact_size, range_extent
from tensorlift.targets.arrays.index import Selection, select, store
from tensorlift.targets.target import Slice, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.mlir_text.rows import ElementType, Ints, Ranges, ResultType


Number = SymbolicTensor


def named_axes(o: Obligations, axes: Ints, rank: int) -> Ints:
    """Return axes, which are distinct and counted from the first."""
    if min(axes, default=0) < 0:
        o.refuse("an axis that is counted from the last")
    return array_shape.axes_of(o, axes, rank)


def _constant(o: Obligations, *, value: Number) -> SymbolicTensor:  # noqa: ARG001 - a constant demands nothing
    return value


def _iota(o: Obligations, *, iota_dimension: int, result: ResultType) -> SymbolicTensor:
    if not 0 <= iota_dimension < len(result.shape) or result.dtype not in ("i32", "i64"):
        o.refuse("a range along no axis, or of other types than i32 and i64")
    require_positions_fit(o, result.shape[iota_dimension], result.dtype)
    return SymbolicTensor(
        result.shape, result.dtype, lambda indices: terms.index(indices[iota_dimension], result.dtype)
    )


def require_positions_fit(o: Obligations, extent: Affine, dtype: DType) -> None:
    """Demand that no position along an axis wraps."""
    if dtype != "i64":
        o.require("positions fit their type", at_least(integer_range(dtype)[1], extent - 1))


def _broadcast_in_dim(
    o: Obligations, operand: Tensor, *, broadcast_dimensions: Ints, result: ResultType
) -> SymbolicTensor:
    return spread_in(o, operand, broadcast_dimensions, result.shape)


def spread_in(o: Obligations, operand: SymbolicTensor, broadcast_dimensions: Ints, shape: Shape) -> SymbolicTensor:
    """Return an operand as one of a larger shape, whose axes are named for each of the operand's."""
    axes = named_axes(o, broadcast_dimensions, len(shape))
    if len(axes) != operand.rank:
        o.refuse("a broadcast that does not name an axis for each of the operand's")
    stretched = [extent == ONE and shape[axis] != ONE for extent, axis in zip(operand.shape, axes, strict=True)]
    for extent, axis, is_stretched in zip(operand.shape, axes, stretched, strict=True):
        if not is_stretched:
            o.require("an extent is broadcast from one or stays", equal(extent, shape[axis]))

    def cell(indices: Indices) -> Term:
        return operand.at(tuple(ZERO if s else indices[axis] for s, axis in zip(stretched, axes, strict=True)))

    return operand.with_cells(shape, cell)


def _reshape(o: Obligations, operand: Tensor, *, result: ResultType) -> SymbolicTensor:
    return reshaped(o, operand, result.shape)


def reshaped(o: Obligations, operand: SymbolicTensor, shape: Shape) -> SymbolicTensor:
    """Return an operand in another shape: only axes of extent 1 come and go."""
    mine = [axis for axis, extent in enumerate(operand.shape) if extent != ONE]
    theirs = [axis for axis, extent in enumerate(shape) if extent != ONE]
    if [operand.shape[a] for a in mine] != [shape[a] for a in theirs]:
        o.refuse("a reshape that does more than to add or drop axes of extent 1")
    places = dict(zip(mine, theirs, strict=True))

    def cell(indices: Indices) -> Term:
        return operand.at(tuple(indices[places[a]] if a in places else ZERO for a in range(operand.rank)))

    return operand.with_cells(shape, cell)


def _transpose(o: Obligations, operand: Tensor, *, permutation: Ints) -> SymbolicTensor:
    order = named_axes(o, permutation, operand.rank)
    if len(order) != operand.rank:
        o.refuse("a transpose of some of the axes")
    return array_shape.permuted(operand, order)


def _reverse(o: Obligations, operand: Tensor, *, dimensions: Ints) -> SymbolicTensor:
    return array_shape.flip(o, operand, named_axes(o, dimensions, operand.rank))


def _slice(o: Obligations, operand: Tensor, *, ranges: Ranges) -> SymbolicTensor:
    if len(ranges) != operand.rank:
        o.refuse("a slice that does not name every axis")
    for (start, limit, step), extent in zip(ranges, operand.shape, strict=True):
        if not 0 <= start <= limit or step < 1:
            o.refuse("a slice that does not go up")
        o.require_always("a slice is in range", at_least(extent, limit))
    items = tuple(Slice(Affine(start), Affine(limit), step) for start, limit, step in ranges)
    selection = select(o, operand.shape, items)
    return operand.with_cells(tuple(selection.shape), lambda indices: operand.at(selection.source(indices)))


def _pad(  # noqa: PLR0913 - the attributes of the operation
    o: Obligations, operand: Tensor, padding_value: Tensor, *, low: Ints, high: Ints, interior: Ints
) -> SymbolicTensor:
    if not len(low) == len(high) == len(interior) == operand.rank or padding_value.rank:
        o.refuse("a pad that does not name every axis")
    if min((*low, *high, *interior), default=0) < 0 or padding_value.dtype != operand.dtype:
        o.refuse("a pad that cuts off, or by another element type")
    if not operand.rank:
        return operand
    items, shape = [], []
    for extent, before, after, between in zip(operand.shape, low, high, interior, strict=True):
        o.require("a padded axis is not empty", at_least(extent, 1))
        length = (extent - 1) * (between + 1) + 1
        items.append(Slice(Affine(before), length + before, between + 1))
        shape.append(length + before + after)
    around = padding_value.with_cells(tuple(shape), lambda _: padding_value.value())
    return store(o, around, tuple(items), operand)


def _concatenate(o: Obligations, *inputs: Tensor, dimension: int) -> SymbolicTensor:
    (axis,) = named_axes(o, (dimension,), inputs[0].rank)
    return array_shape.concatenate(o, inputs, axis)


def _dynamic_slice(o: Obligations, operand: Tensor, *start_indices: Tensor, slice_sizes: Ints) -> SymbolicTensor:
    starts = [exact_size(o, start) for start in start_indices]
    if not len(starts) == len(slice_sizes) == operand.rank:
        o.refuse("a slice that does not name every axis")
    for start, size, extent in zip(starts, slice_sizes, operand.shape, strict=True):
        o.require_always("a slice is not longer than its operand", at_least(extent, size))
        o.require("a slice is in range", at_least(start, 0), at_least(extent, start + size))
    shape = tuple(map(Affine, slice_sizes))

    def cell(indices: Indices) -> Term:
        return operand.at(tuple(start + index for start, index in zip(starts, indices, strict=True)))

    return operand.with_cells(shape, cell)


def _dynamic_update_slice(o: Obligations, operand: Tensor, update: Tensor, *start_indices: Tensor) -> SymbolicTensor:
    starts = [exact_size(o, start) for start in start_indices]
    if len(starts) != operand.rank or update.rank != operand.rank or operand.dtype != update.dtype:
        o.refuse("an update of another rank or element type")
    if not operand.rank:
        return update
    some = Domain.of(*(at_least(extent, 1) for extent in update.shape))
    for start, extent, whole in zip(starts, update.shape, operand.shape, strict=True):
        o.require_always("an update is not longer than its operand", at_least(whole, extent))
        o.require("an update is in range", at_least(start, 0), at_least(whole, start + extent), over=some)
    items = tuple(Slice(start, start + extent) for start, extent in zip(starts, update.shape, strict=True))
    return store(o, operand, items, update)


_CONVERSION = "(type(operand)) -> type(result)"
_STARTS = "%i = stablehlo.constant dense<1> : tensor<i64>\n%j = stablehlo.constant dense<0> : tensor<i64>\n"

ROWS = [
    row(
        "stablehlo.constant",
        _constant,
        "stablehlo.constant dense<2> : tensor<{m}x{n}xi32>",
        "stablehlo.constant dense<2.5> : tensor<{m}xf32>",
        "stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>",
        "stablehlo.constant dense<true> : tensor<{n}xi1>",
        "stablehlo.constant dense<[3, -1, 2]> : tensor<3xi64>",
        form="#value",
    ),
    row(
        "stablehlo.iota",
        _iota,
        "stablehlo.iota dim = 1 : tensor<{m}x{n}xi64>",
        "stablehlo.iota dim = 0 : tensor<{m}xi32>",
        form="dim = #iota_dimension : type(result)",
    ),
    row(
        "stablehlo.broadcast_in_dim",
        _broadcast_in_dim,
        "stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<{n}x{a}>) -> tensor<{m}x{n}x{a}>",
        sample(
            "stablehlo.broadcast_in_dim %a, dims = [2, 0] : (tensor<1x{n}xf64>) -> tensor<{n}x{m}x{k}xf64>",
            a="f64[1, n]",
        ),
        sample("stablehlo.broadcast_in_dim %a, dims = [] : (tensor<{a}>) -> tensor<{m}x{a}>", a="arith[]"),
        form=f"$operand, dims = #broadcast_dimensions : {_CONVERSION}",
        a="arith[n]",
    ),
    row(
        "stablehlo.reshape",
        _reshape,
        "stablehlo.reshape %a : (tensor<{m}x1x{n}x{a}>) -> tensor<{m}x{n}x1x{a}>",
        sample("stablehlo.reshape %a : (tensor<1x1xf64>) -> tensor<f64>", a="f64[1, 1]"),
        form=f"$operand : {_CONVERSION}",
        a="arith[m, 1, n]",
    ),
    row(
        "stablehlo.transpose",
        _transpose,
        "stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<{m}x{n}x{k}x{a}>) -> tensor<{k}x{m}x{n}x{a}>",
        form=f"$operand, dims = #permutation : {_CONVERSION}",
        a="arith[m, n, k]",
    ),
    row(
        "stablehlo.reverse",
        _reverse,
        "stablehlo.reverse %a, dims = [1] : tensor<{m}x{n}x{a}>",
        form="$operand, dims = #dimensions : type(result)",
        a="arith[m, n]",
    ),
    row(
        "stablehlo.slice",
        _slice,
        "stablehlo.slice %a [1:{m+1}, 0:{n}] : (tensor<{m+2}x{n}x{a}>) -> tensor<{m}x{n}x{a}>",
        sample("stablehlo.slice %a [1:6:2] : (tensor<7x{a}>) -> tensor<3x{a}>", a="arith[7]"),
        form=f"$operand #ranges : {_CONVERSION}",
        a="arith[m + 2, n]",
    ),
    row(
        "stablehlo.pad",
        _pad,
        sample(
            "stablehlo.pad %a, %b, low = [1, 0], high = [0, 2], interior = [0, 0]"
            " : (tensor<{m}x{n}x{a}>, tensor<{a}>) -> tensor<{m+1}x{n+2}x{a}>",
            1,
            a="arith[m, n]",
            b="arith[]",
        ),
        "stablehlo.pad %a, %b, low = [1], high = [1], interior = [2] : (tensor<3x{a}>, tensor<{a}>) -> tensor<9x{a}>",
        form="$operand, $padding_value, low = #low, high = #high, interior = #interior"
        " : (type(operand), type(padding_value)) -> type(result)",
        a="arith[3]",
        b="arith[]",
    ),
    row(
        "stablehlo.concatenate",
        _concatenate,
        "stablehlo.concatenate %a, %b, dim = 1 : (tensor<{m}x{n}x{a}>, tensor<{m}x2x{a}>) -> tensor<{m}x{n+2}x{a}>",
        form="$*inputs, dim = #dimension : (types(inputs)) -> type(result)",
        a="arith[m, n]",
        b="arith[m, 2]",
    ),
    row(
        "stablehlo.dynamic_slice",
        _dynamic_slice,
        f"{_STARTS}stablehlo.dynamic_slice %a, %i, %j, sizes = [{{m}}, {{n}}]"
        " : (tensor<{m+2}x{n}x{a}>, tensor<i64>, tensor<i64>) -> tensor<{m}x{n}x{a}>",
        form="$operand, $*start_indices, sizes = #slice_sizes : (type(operand), types(start_indices)) -> type(result)",
        a="arith[m + 2, n]",
    ),
    row(
        "stablehlo.dynamic_update_slice",
        _dynamic_update_slice,
        f"{_STARTS}stablehlo.dynamic_update_slice %a, %b, %i, %j"
        " : (tensor<{m+2}x{n}x{a}>, tensor<{m}x{n}x{a}>, tensor<i64>, tensor<i64>) ->"
        " tensor<{m+2}x{n}x{a}>",
        form="$operand, $update, $*start_indices : (type(operand), type(update), types(start_indices)) -> type(result)",
        a="arith[m + 2, n]",
        b="arith[m, n]",
    ),
]


def _sizes(o: Obligations, vector: SymbolicTensor) -> list[Affine]:
    """Return the sizes that a vector lists."""
    if vector.rank != 1 or not vector.shape[0].is_constant or vector.dtype != "i64":
        o.refuse("sizes that are no vector of 64-bit integers")
    return [_size(o, vector.at((Affine(k),))) for k in range(vector.shape[0].constant)]


def _size(o: Obligations, term: Term) -> Affine:
    """Return a size; which of two is greater is told by cases, and what may wrap is none."""
    exact = affine_of(term)
    if exact is None and isinstance(term, Apply) and term.op in (*_CHOSEN, *_FOLDED):
        left, right = (_size(o, argument) for argument in term.args)
        exact = _CHOSEN[term.op](o, left, right) if term.op in _CHOSEN else _folded(term.op, left, right)
    return o.refuse("a size or a position that is not affine in the sizes") if exact is None else exact


def _folded(op: str, left: Affine, right: Affine) -> Affine | None:
    folded = fold_exact(op, terms.index(left, "i64"), terms.index(right, "i64"))
    return None if folded is None else affine_of(folded)


def _greater(o: Obligations, left: Affine, right: Affine) -> Affine:
    return left if o.decide(at_least(left, right)) else right


def _lesser(o: Obligations, left: Affine, right: Affine) -> Affine:
    return right if o.decide(at_least(left, right)) else left


def _quotient(o: Obligations, left: Affine, right: Affine) -> Affine | None:
    return o.quotient(left, right.constant) if right.is_constant and right.constant > 0 else None


_CHOSEN: dict[str, Callable[[Obligations, Affine, Affine], Affine | None]] = {
    "max": _greater,
    "min": _lesser,
    "floordiv": _quotient,
}
_FOLDED = ("add", "sub", "mul")


def _shape(o: Obligations, vector: SymbolicTensor) -> Shape:
    shape = tuple(_sizes(o, vector))
    check_extents(o, shape)
    return shape


def _get_dimension_size(o: Obligations, operand: Tensor, *, dimension: int) -> SymbolicTensor:
    if not 0 <= dimension < operand.rank:
        o.refuse(f"an axis {dimension} of a tensor of rank {operand.rank}")
    extent = operand.shape[dimension]
    o.require("an extent is counted in 32 bits", at_least(integer_range("i32")[1], extent))
    return SymbolicTensor((), "i32", lambda _: terms.index(extent, "i32"))


def _dynamic_iota(o: Obligations, output_shape: Tensor, *, iota_dimension: int, result: ElementType) -> SymbolicTensor:
    shape = _shape(o, output_shape)
    if not 0 <= iota_dimension < len(shape) or result not in ("i32", "i64"):
        o.refuse("a range along no axis, or of other types than i32 and i64")
    require_positions_fit(o, shape[iota_dimension], result)
    return SymbolicTensor(shape, result, lambda indices: terms.index(indices[iota_dimension], result))


def _dynamic_broadcast_in_dim(
    o: Obligations, operand: Tensor, output_dimensions: Tensor, *, broadcast_dimensions: Ints
) -> SymbolicTensor:
    return spread_in(o, operand, broadcast_dimensions, _shape(o, output_dimensions))


def _dynamic_reshape(o: Obligations, operand: Tensor, output_shape: Tensor) -> SymbolicTensor:
    return reshaped(o, operand, _shape(o, output_shape))


def _real_dynamic_slice(
    o: Obligations, operand: Tensor, start_indices: Tensor, limit_indices: Tensor, strides: Tensor
) -> SymbolicTensor:
    starts, limits, steps = (_sizes(o, vector) for vector in (start_indices, limit_indices, strides))
    if not len(starts) == len(limits) == len(steps) == operand.rank:
        o.refuse("a slice that does not name every axis")
    selection = Selection()
    for start, limit, step, extent in zip(starts, limits, steps, operand.shape, strict=True):
        if not step.is_constant or step.constant < 1:
            o.refuse("a step that is no positive constant")
        o.require_always("a slice is not longer than its operand", at_least(extent, limit - start))
        o.require("a slice is in range", at_least(start, 0), at_least(limit, start), at_least(extent, limit))
        selection.walk(start, step.constant, range_extent(o, start, limit, step.constant))
    return operand.with_cells(tuple(selection.shape), lambda indices: operand.at(selection.source(indices)))


def _vector(name: str, *sizes: str) -> str:
    return f"%{name} = stablehlo.constant dense<[{', '.join(sizes)}]> : tensor<{len(sizes)}xi64>\n"


_PAIR = "tensor<2xi64>"
_CUT = f"(tensor<{{m+3}}x{{n}}x{{a}}>, {_PAIR}, {_PAIR}, {_PAIR})"

ROWS += [
    row(
        "stablehlo.get_dimension_size",
        _get_dimension_size,
        "stablehlo.get_dimension_size %a, dim = 1 : (tensor<{m}x{n}x{a}>) -> tensor<i32>",
        form="$operand, dim = #dimension : (type(operand)) -> type(result)",
        a="arith[m, n]",
    ),
    row(
        "stablehlo.dynamic_iota",
        _dynamic_iota,
        f"{_vector('s', '{m}', '{n}')}stablehlo.dynamic_iota %s, dim = 1 : ({_PAIR}) -> tensor<{{m}}x?xi64>",
        f"{_vector('s', '{m}')}stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>",
        form="$output_shape, dim = #iota_dimension : (type(output_shape)) -> type(result)",
    ),
    row(
        "stablehlo.dynamic_broadcast_in_dim",
        _dynamic_broadcast_in_dim,
        f"{_vector('s', '{m}', '{n}')}stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1]"
        f" : (tensor<{{n}}x{{a}}>, {_PAIR}) -> tensor<?x?x{{a}}>",
        sample(
            f"{_vector('s', '{m}', '{n}')}stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1]"
            f" : (tensor<{{m}}x1xf64>, {_PAIR}) -> tensor<?x?xf64>",
            a="f64[m, 1]",
        ),
        form="$operand, $output_dimensions, dims = #broadcast_dimensions"
        " : (type(operand), type(output_dimensions)) -> type(result)",
        a="arith[n]",
    ),
    row(
        "stablehlo.dynamic_reshape",
        _dynamic_reshape,
        f"{_vector('s', '{m}', '1', '{n}')}stablehlo.dynamic_reshape %a, %s"
        " : (tensor<{m}x{n}x{a}>, tensor<3xi64>) -> tensor<?x1x?x{a}>",
        form="$operand, $output_shape : (type(operand), type(output_shape)) -> type(result)",
        a="arith[m, n]",
    ),
    row(
        "stablehlo.real_dynamic_slice",
        _real_dynamic_slice,
        sample(
            _vector("s", "1", "0")
            + _vector("e", "{m+1}", "{n}")
            + "%u = stablehlo.constant dense<1> : tensor<2xi64>\n"
            + f"stablehlo.real_dynamic_slice %a, %s, %e, %u : {_CUT} -> tensor<?x?x{{a}}>",
            a="arith[m + 3, n]",
        ),
        sample(
            _vector("s", "1", "0")
            + _vector("e", "{m+3}", "{n}")
            + _vector("u", "2", "1")
            + f"stablehlo.real_dynamic_slice %a, %s, %e, %u : {_CUT} -> tensor<?x?x{{a}}>",
            a="arith[m + 3, n]",
        ),
        form="$operand, $start_indices, $limit_indices, $strides"
        " : (type(operand), type(start_indices), type(limit_indices), type(strides)) -> type(result)",
    ),
]
