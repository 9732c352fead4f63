"""Operations on whole tensors, of the dialects tensor and affine: extents, parts, single cells, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import (
    Obligations,
    Strength,
    SymbolicTensor,
    affine_of,
    array,
    broadcast_shape,
    broadcast_to,
    pieces,
    size,
)
from tensorlift.ir.scalar_terms import choose
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.creation import check_extents
from tensorlift.targets.arrays.index import Selection, read_at, stored_cells, stored_value
from tensorlift.targets.mlir_text.rows import Groups, Ints, Map, Mixed, Open, Result, Scalar, Scalars, is_index
from tensorlift.targets.target import Memory, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.tensor import Indices, Shape
    from tensorlift.comprehension.terms import Term


def _constant_index(o: Obligations, value: SymbolicTensor) -> int:
    index = affine_of(value.value()) if is_index(value) and not value.rank else None
    if index is None or not index.is_constant:
        o.refuse("an axis that is no constant")
    return index.constant


def _dim(o: Obligations, source: Tensor, index: Scalar) -> SymbolicTensor:
    axis = _constant_index(o, index)
    if not 0 <= axis < source.rank:
        o.refuse(f"an axis {axis} of a tensor of rank {source.rank}")
    return size(source.shape[axis])


def stated_shape(o: Obligations, result: Result, open_extents: Sequence[Affine]) -> Shape:
    """Return the shape that a type states, with sizes for the extents that it leaves open."""
    waiting = list(open_extents)
    if not result.is_tensor or len(waiting) != sum(extent is None for extent in result.extents):
        o.refuse("another number of sizes than of open extents")
    return tuple(waiting.pop(0) if extent is None else Affine(extent) for extent in result.extents)


def _empty(o: Obligations, dynamic_sizes: Open, result: Result) -> SymbolicTensor:
    shape = stated_shape(o, result, dynamic_sizes)
    check_extents(o, shape)
    return array(f"undefined {fresh('cells')}", shape, result.dtype)


def _positions(o: Obligations, shape: Shape, indices: Scalars) -> tuple[Shape, list[SymbolicTensor]]:
    """Return the points at which cells are picked, and the positions there, which must be in range.

    Those that depend on data are in range where the source reads there.
    """
    if len(indices) != len(shape) or not all(is_index(index) for index in indices):
        o.refuse("another number of indices than of axes")
    space = broadcast_shape(o, [index.shape for index in indices]) if indices else ()
    names = tuple(fresh("p") for _ in space)
    point = tuple(map(Affine.var, names))
    spread = [SymbolicTensor(space, "i64", broadcast_to(o, index, space), Strength.WEAK) for index in indices]
    for index, extent in zip(spread, shape, strict=True):
        position, over = index.at(point), Domain.box(names, space)
        value = affine_of(position)
        if value is not None:
            o.require("an index is in range", at_least(value, 0), less(value, extent), over=over)
        else:
            o.read("an index is in range", position, extent, over)
    return space, spread


def _exact(o: Obligations, term: Term) -> Affine:
    value = affine_of(term)
    if value is None:
        o.refuse("an index that is not affine in positions and sizes")
    return value


def _extract(o: Obligations, tensor: Tensor, indices: Scalars) -> SymbolicTensor:
    space, positions = _positions(o, tensor.shape, indices)
    return SymbolicTensor(
        space, tensor.dtype, lambda point: read_at([p.at(point) for p in positions], list(tensor.shape), tensor.at)
    )


def _insert(o: Obligations, scalar: Scalar, dest: Tensor, indices: Scalars) -> SymbolicTensor:
    space, positions = _positions(o, dest.shape, indices)
    if space or scalar.rank or is_index(scalar) or scalar.dtype != dest.dtype:
        o.refuse("what is inserted is not one number of the tensor's type")
    places = [p.value() for p in positions]

    def cell(at: Indices) -> Term:
        pairs = list(zip(at, places, strict=True))
        here = Domain.of(*(equal(a, exact) for a, p in pairs if (exact := affine_of(p)) is not None))
        stored = scalar.value()
        for index, place in pairs:
            if affine_of(place) is None:
                test = terms.apply("hits", terms.cast(place, "i64"), terms.index(index, "i64"))
                stored = choose(test, stored, dest.at(at))
        return pieces((here, stored), (here.complement(), dest.at(at)))

    return dest.with_cells(dest.shape, cell)


def _part(o: Obligations, shape: Shape, offsets: Mixed, sizes: Mixed, strides: Mixed) -> tuple[Selection, Shape]:
    """Return which cells a part of a tensor has, which must be inside of it; one without cells reads none."""
    if not len(offsets) == len(sizes) == len(strides) == len(shape):
        o.refuse("another number of offsets, sizes or strides than of axes")
    selection = Selection()
    check_extents(o, sizes)
    some = Domain.of(*(at_least(extent, 1) for extent in sizes))
    for offset, extent, stride, whole in zip(offsets, sizes, strides, shape, strict=True):
        if not stride.is_constant or stride.constant < 1:
            o.refuse("a stride that is no positive constant")
        last = offset + (extent - 1) * stride.constant
        o.require("a part is inside of a tensor", at_least(offset, 0), less(last, whole), over=some)
        selection.walk(offset, stride.constant, extent)
    return selection, tuple(sizes)


def _dropped(o: Obligations, full: Shape, kept: Sequence[int | None], rank: int) -> list[int]:
    """Return the axes of a part that a tensor of a lower rank has: those left out have the extent one."""
    axes: list[int] = []
    excess = len(full) - rank
    for axis, extent in enumerate(full):
        place = len(axes)
        fits = place < rank and (kept[place] is None or extent == kept[place])
        if excess and extent == ONE and not (fits and kept[place] == 1):
            excess -= 1
        elif place < rank:
            axes.append(axis)
    if len(axes) != rank or excess:
        o.refuse("a part of another rank")
    return axes


def _spread(axes: Sequence[int], rank: int, at: Indices) -> Indices:
    """Return an index of the part for one of the tensor of a lower rank."""
    values = dict(zip(axes, at, strict=True))
    return tuple(values.get(axis, ZERO) for axis in range(rank))


def _extract_slice(  # noqa: PLR0913 - the operation's operands
    o: Obligations, source: Tensor, *, offsets: Mixed, sizes: Mixed, strides: Mixed, result: Result
) -> SymbolicTensor:
    selection, full = _part(o, source.shape, offsets, sizes, strides)
    axes = _dropped(o, full, result.extents, len(result.extents))
    shape = tuple(full[axis] for axis in axes)
    return source.with_cells(shape, lambda at: source.at(selection.source(_spread(axes, len(full), at))))


def _insert_slice(  # noqa: PLR0913 - the operation's operands
    o: Obligations, source: Tensor, dest: Tensor, *, offsets: Mixed, sizes: Mixed, strides: Mixed
) -> SymbolicTensor:
    selection, full = _part(o, dest.shape, offsets, sizes, strides)
    if source.dtype != dest.dtype:
        o.refuse("a part of another type")
    extents = [extent.constant if extent.is_constant else None for extent in source.shape]
    axes = _dropped(o, full, extents, source.rank)
    for axis, extent in zip(axes, source.shape, strict=True):
        if extent != full[axis]:
            o.require("a part has the extents of its place", equal(extent, full[axis]))
    spread = source.with_cells(full, lambda at: source.at(tuple(at[axis] for axis in axes)))

    def cell(at: Indices) -> Term:
        here = stored_cells(selection, at)
        return pieces((here, stored_value(selection, at, spread.at)), (here.complement(), dest.at(at)))

    return dest.with_cells(dest.shape, cell)


def _splat(o: Obligations, input: Scalar, dynamicSizes: Open, result: Result) -> SymbolicTensor:  # noqa: A002, N803 - MLIR's names
    """Return a tensor that has a number in every cell."""
    shape = stated_shape(o, result, dynamicSizes)
    check_extents(o, shape)
    if input.rank or is_index(input):
        o.refuse("what is spread is no number of a tensor")
    return SymbolicTensor(shape, input.dtype, lambda _: input.value())


def _expand_shape(  # noqa: PLR0913 - the operation's operands
    o: Obligations,
    src: Tensor,
    *,
    reassociation: Groups,
    dynamic_output_shape: Scalars,
    static_output_shape: Ints,
    result: Result,
) -> SymbolicTensor:
    """Insert axes of one position: of the axes that one becomes, the others have the extent one."""
    waiting = [_exact(o, extent.value()) for extent in dynamic_output_shape]
    if sum(extent < 0 for extent in static_output_shape) != len(waiting):
        o.refuse("another number of sizes than of open extents")
    shape = tuple(waiting.pop(0) if extent < 0 else Affine(extent) for extent in static_output_shape)
    whole = tuple(range(len(shape)))
    if len(reassociation) != src.rank or sum(reassociation, ()) != (whole if src.rank else ()):
        o.refuse("groups that are not all axes in order")
    if not src.rank and any(extent != ONE for extent in shape):
        o.refuse("a number that becomes more than one cell")
    places = [next((axis for axis in group if shape[axis] != ONE), group[0]) for group in reassociation]
    for axis, (group, place) in enumerate(zip(reassociation, places, strict=True)):
        if any(shape[other] != ONE for other in group if other != place):
            o.refuse("an axis that becomes several")
        if shape[place] != src.shape[axis]:
            o.require("an axis keeps its extent", equal(shape[place], src.shape[axis]))
    if not result.is_tensor or len(result.extents) != len(shape):
        o.refuse("a tensor of another rank")
    return src.with_cells(shape, lambda at: src.at(tuple(at[place] for place in places)))


def _cast(o: Obligations, source: Tensor, result: Result) -> SymbolicTensor:
    """Say more or less of the extents; what is said is demanded where the result's type is."""
    if not result.is_tensor or len(result.extents) != source.rank:
        o.refuse("a tensor of another rank")
    return source


def _apply(o: Obligations, map: Map, mapOperands: Scalars) -> SymbolicTensor:  # noqa: A002, N803 - MLIR's names
    """Return the only result of an affine map, at all points at which the operands are."""
    return _mapped(o, map, mapOperands, 1)[0]


def _mapped(o: Obligations, map: Map, operands: Scalars, results: int) -> list[SymbolicTensor]:  # noqa: A002 - as above
    if len(operands) != map.dimensions + map.symbols or not all(is_index(operand) for operand in operands):
        o.refuse("another number of indices than the map takes")
    space = broadcast_shape(o, [operand.shape for operand in operands]) if operands else ()
    cells = [broadcast_to(o, operand, space) for operand in operands]

    def values(at: Indices) -> tuple[Affine, ...]:
        given = [_exact(o, cell(at)) for cell in cells]
        return map.apply(o, given[: map.dimensions], given[map.dimensions :])

    if len(values(tuple(Affine.var(fresh("p")) for _ in space))) != results:
        o.refuse("another number of results")

    def result(k: int) -> SymbolicTensor:
        return SymbolicTensor(space, "i64", lambda at: terms.index(values(at)[k], "i64"), Strength.WEAK)

    return [result(k) for k in range(results)]


def _greatest(o: Obligations, map: Map, arguments: Scalars) -> SymbolicTensor:  # noqa: A002 - MLIR's name
    """Return the greater of two results of an affine map of sizes."""
    first, second = _mapped(o, map, arguments, 2)
    if first.rank:
        o.refuse("an extreme that is no size")
    left, right = _exact(o, first.value()), _exact(o, second.value())
    return size(left if o.decide(at_least(left, right)) else right)


_MATRIX = {"a": "int_or_real[m, n]"}
_VECTOR = {"a": "int_or_real[n]"}

ROWS = [
    row(
        "tensor.dim",
        _dim,
        sample("tensor.dim %a, %c1 : tensor<?x?x{a}>", **_MATRIX),
        sample("tensor.dim %a, %c0 : tensor<?x{a}>", **_VECTOR),
        reads_cells=False,
    ),
    row(
        "tensor.empty",
        _empty,
        "tensor.empty(%n) : tensor<2x?xf64>",
        "tensor.empty(%m, %n) : tensor<?x?xi32>",
        memory=Memory.BLANK,
    ),
    row(
        "tensor.extract",
        _extract,
        sample("tensor.extract %a[%c0, %c1] : tensor<?x?x{a}>", 2, **_MATRIX),
    ),
    row(
        "tensor.insert",
        _insert,
        "tensor.insert %x into %a[%c1, %c0] : tensor<?x?x{a}>",
        least=2,
        a="f64[m, n]",
        x="f64[]",
    ),
    row(
        "tensor.extract_slice",
        _extract_slice,
        sample("tensor.extract_slice %a[1, 0] [1, %n] [1, 1] : tensor<?x?x{a}> to tensor<?x{a}>", 2, **_MATRIX),
        sample("tensor.extract_slice %a[0, 1] [%m, 1] [1, 1] : tensor<?x?x{a}> to tensor<?x{a}>", 2, **_MATRIX),
        sample("tensor.extract_slice %a[0, 1] [1, 1] [1, 1] : tensor<?x?x{a}> to tensor<1x{a}>", 2, **_MATRIX),
        "tensor.extract_slice %a[1] [%n] [2] : tensor<?x{a}> to tensor<?x{a}>",
        sample("tensor.extract_slice %a[0, %c1] [%m, 0] [1, 1] : tensor<?x?x{a}> to tensor<?x0x{a}>", 1, **_MATRIX),
        least=1,
        a="f64[n + n + 1]",
    ),
    row(
        "tensor.insert_slice",
        _insert_slice,
        sample(
            "tensor.insert_slice %b into %a[1, 0] [1, %n] [1, 1] : tensor<?x{a}> into tensor<?x?x{a}>",
            2,
            a="f64[m, n]",
            b="f64[n]",
        ),
        "tensor.insert_slice %b into %a[1] [%n] [2] : tensor<?x{a}> into tensor<?x{a}>",
        least=1,
        a="i32[n + n + 1]",
        b="i32[n]",
    ),
    row(
        "tensor.splat",
        _splat,
        "tensor.splat %x[%n] : tensor<2x?xf64>",
        sample("tensor.splat %x[%m, %n] : tensor<?x?xi32>", x="i32[]"),
        x="f64[]",
    ),
    row(
        "tensor.expand_shape",
        _expand_shape,
        sample(
            "tensor.expand_shape %a [[0, 1], [2]] output_shape [1, %m, %n] : tensor<?x?x{a}> into tensor<1x?x?x{a}>",
            **_MATRIX,
        ),
        sample("tensor.expand_shape %a [[0, 1]] output_shape [%n, 1] : tensor<?x{a}> into tensor<?x1x{a}>", **_VECTOR),
    ),
    row(
        "tensor.cast",
        _cast,
        "tensor.cast %a : tensor<2x{a}> to tensor<?x{a}>",
        sample("tensor.cast %a : tensor<?x2x{a}> to tensor<?x?x{a}>", a="int_or_real[n, 2]"),
        a="int_or_real[2]",
    ),
    row(
        "affine.apply",
        _apply,
        "affine.apply affine_map<()[s0, s1] -> (s0 * 2 - s1 + 1)>()[%m, %n]",
        "affine.apply affine_map<(d0)[s0] -> ((d0 + s0) floordiv 2)>(%m)[%n]",
    ),
    row("affine.max", _greatest, "affine.max affine_map<()[s0] -> (s0 - 2, 0)>()[%n]"),
]
