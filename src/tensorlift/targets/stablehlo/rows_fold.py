"""Operations that combine many cells: reductions, running reductions, contractions, gathers, convolutions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor, convert, scalar_value
from tensorlift.comprehension.terms import COMBINER, Reducer
from tensorlift.ops import scalar_ops
from tensorlift.ops.dtypes import NARROW
from tensorlift.poly.affine import ONE, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.arithmetic import cell as arithmetic_cell
from tensorlift.targets.arrays.contraction import contracted
from tensorlift.targets.arrays.index import read_at
from tensorlift.targets.arrays.reduction import Fold, folded
from tensorlift.targets.arrays.scatter import require_in_range
from tensorlift.targets.stablehlo.rows_shape import named_axes
from tensorlift.targets.target import Flag, OpRow, Tensor, Text, row, sample

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.mlir_text.rows import Ints, Labels, Pairs, Precisions, Region

REDUCERS: dict[str, Reducer] = {
    "stablehlo.add": "sum", "stablehlo.multiply": "prod", "stablehlo.maximum": "max", "stablehlo.minimum": "min",
    "stablehlo.or": "any", "stablehlo.and": "all",
}  # fmt: skip
_HIGHEST = ("HIGHEST", "HIGHEST")
_TRUTHS = ("any", "all")
_COMBINED: dict[Reducer, str] = {op: COMBINER[op] for op in REDUCERS.values()}


def _neutral(op: Reducer, dtype: DType) -> Term:
    """Return the value that an operation does not change another by, as a constant of a text is read."""
    value = scalar_ops.neutral(op, dtype)
    if isinstance(value, int):
        return terms.constant(bool(value) if dtype == "bool" else value, dtype)
    infinity = terms.apply("infinity")
    return convert(terms.apply("neg", infinity) if value == "-inf" else infinity, dtype)


def _check_element(o: Obligations, op: Reducer, dtype: DType) -> None:
    if (dtype == "bool") is not (op in _TRUTHS):
        o.refuse(f"{op} over values of the type {dtype}")


def _reduce(o: Obligations, operand: Tensor, init: Tensor, *, body: Text, dimensions: Ints) -> SymbolicTensor:
    op = REDUCERS.get(body)
    if op is None or init.rank or init.dtype != operand.dtype:
        o.refuse("a reduction by another operation, or with another initial value than a number of its type")
    _check_element(o, op, operand.dtype)
    axes = named_axes(o, dimensions, operand.rank)
    start = init.value()
    changes_nothing = op not in ("max", "min") and start is _neutral(op, operand.dtype)
    return folded(o, Fold(op, operand.dtype, None if changes_nothing else start), operand, axes)


def _reduce_window(  # noqa: PLR0913 - the attributes of the operation
    o: Obligations,
    operand: Tensor,
    init: Tensor,
    *,
    body: Region,
    window_dimensions: Ints,
    padding: Pairs,
    window_strides: Ints = (),
    base_dilations: Ints = (),
    window_dilations: Ints = (),
) -> SymbolicTensor:
    """Windows that move by one cell, and that may reach beyond the ends."""
    ones = (1,) * operand.rank
    given = (window_strides, base_dilations, window_dilations)
    if any(values not in ((), ones) for values in given) or not len(window_dimensions) == len(padding) == operand.rank:
        o.refuse("windows with strides or dilations, or of another rank")
    op = operation_of(o, body, operand.dtype)
    if init.rank or init.dtype != operand.dtype or min(*window_dimensions, *(p for pair in padding for p in pair)) < 0:
        o.refuse("an initial value that is no number of the type, or padding that cuts off")
    if init.value() is not _neutral(op, operand.dtype):
        o.refuse("windows with another initial value than the neutral one, which stands outside of the operand too")
    if op in ("max", "min"):
        if any(max(pair) >= window for pair, window in zip(padding, window_dimensions, strict=True)):
            o.refuse("windows of an extreme that may hold no cell")
        o.require(f"{op} needs an axis that is not empty", *(at_least(extent, 1) for extent in operand.shape))
    windows = _Windows(operand, window_dimensions, padding)
    shape = tuple(
        extent + low + high - window + 1
        for extent, (low, high), window in zip(operand.shape, padding, window_dimensions, strict=True)
    )
    for extent in shape:
        o.require("a window fits", at_least(extent, 0))
    return operand.with_cells(shape, lambda indices: windows.fold(op, indices))


class _Windows(NamedTuple):
    """The windows of an operand: their extents, and how far they reach before its start and behind its end."""

    operand: SymbolicTensor
    extents: Ints
    padding: Pairs

    def fold(self, op: Reducer, indices: Indices) -> Term:
        """Fold the cells of the window that starts at an index."""
        names, places = [], []
        inside = []
        axes = zip(indices, self.operand.shape, self.extents, self.padding, strict=True)
        for index, extent, window, (low, high) in axes:
            if window == 1 and not low and not high:
                places.append(index)
                continue
            names.append(name := fresh("w"))
            places.append(Affine.var(name))
            inside += [at_least(name, 0), less(name, extent)]
            inside += [at_least(name, index - low), less(name, index - low + window)]
        return terms.reduce(op, tuple(names), Domain.of(*inside), self.operand.at(tuple(places)))


def operation_of(o: Obligations, body: Region, dtype: DType) -> Reducer:
    """Return the operation that a region combines its two arguments with."""
    left, right = (terms.scalar(fresh("argument"), dtype) for _ in range(2))
    result = body(scalar_value(left), scalar_value(right)).value()
    for op, combiner in _COMBINED.items():
        if result in (terms.apply(combiner, left, right), terms.apply(combiner, right, left)):
            _check_element(o, op, dtype)
            return op
    return o.refuse("a region that does not combine its arguments by one operation")


def _require_precise(o: Obligations, operand: SymbolicTensor, precision: Labels) -> None:
    """Demand the precision of the type, which backends but the CPU's round otherwise before they multiply."""
    if precision not in ((), _HIGHEST):
        o.refuse("a precision of products that is not the highest of both operands")
    if operand.dtype in NARROW and not precision:
        o.refuse(f"a product of the type {operand.dtype} whose precision is not stated as the highest")


def _dot_general(  # noqa: PLR0913 - the attributes of the operation
    o: Obligations,
    lhs: Tensor,
    rhs: Tensor,
    *,
    lhs_batching: Ints = (),
    rhs_batching: Ints = (),
    lhs_contracting: Ints,
    rhs_contracting: Ints,
    precision: Labels = (),
) -> SymbolicTensor:
    _require_precise(o, lhs, precision)
    if len(lhs_batching) != len(rhs_batching) or len(lhs_contracting) != len(rhs_contracting):
        o.refuse("axes that have no counterpart")
    if lhs.dtype != rhs.dtype or lhs.dtype == "bool":
        o.refuse("a product of truth values, or of different types")
    named_axes(o, (*lhs_batching, *lhs_contracting), lhs.rank)
    named_axes(o, (*rhs_batching, *rhs_contracting), rhs.rank)
    left = [f"l{axis}" for axis in range(lhs.rank)]
    right = [f"r{axis}" for axis in range(rhs.rank)]
    for mine, theirs in zip((*lhs_batching, *lhs_contracting), (*rhs_batching, *rhs_contracting), strict=True):
        right[theirs] = left[mine]
    batch = [left[axis] for axis in lhs_batching]
    summed = {left[axis] for axis in lhs_contracting}
    out = [*batch, *(label for label in (*left, *right) if label not in summed and label not in batch)]
    return contracted(o, (left, right), out, (lhs, rhs), lhs.dtype)


class GatherDimensions(NamedTuple):
    """Which axes a gather walks, as its dimension numbers say."""

    offset_dims: Ints = ()
    collapsed_slice_dims: Ints = ()
    operand_batching_dims: Ints = ()
    start_indices_batching_dims: Ints = ()
    start_index_map: Ints = ()
    index_vector_dim: int = 0


def _gather(  # noqa: PLR0913 - the attributes of the operation
    o: Obligations,
    operand: Tensor,
    start_indices: Tensor,
    *,
    dimension_numbers: GatherDimensions,
    slice_sizes: Ints,
    indices_are_sorted: Flag = False,  # noqa: ARG001 - a hint: nothing that we emit may rely on it
) -> SymbolicTensor:
    """Whole windows of the axes that are not indexed, at index vectors that are in range, so that none is clamped."""
    numbers, indexed = dimension_numbers, dimension_numbers.start_index_map
    named_axes(o, indexed, operand.rank)
    windows = tuple(axis for axis in range(operand.rank) if axis not in indexed)
    rank = len(windows) + start_indices.rank - 1
    named_axes(o, numbers.offset_dims, rank)
    wanted = GatherDimensions(
        tuple(sorted(numbers.offset_dims)), tuple(sorted(indexed)), (), (), indexed, start_indices.rank - 1
    )
    if numbers != wanted or len(numbers.offset_dims) != len(windows) or not indexed or not start_indices.rank:
        o.refuse("a gather of other parts than whole windows of the axes that are not indexed")
    sizes = tuple(ONE if axis in indexed else extent for axis, extent in enumerate(operand.shape))
    if slice_sizes != tuple(size.constant for size in sizes if size.is_constant) or len(slice_sizes) != len(sizes):
        o.refuse("a gather of parts of windows")
    if start_indices.shape[-1] != len(indexed) or start_indices.dtype not in ("i32", "i64"):
        o.refuse("index vectors of another length or type")
    shape = start_indices.shape[:-1]

    def places(number: int) -> SymbolicTensor:
        return start_indices.with_cells(shape, lambda at: start_indices.at((*at, Affine(number))))

    columns = [places(number) for number in range(len(indexed))]
    extents = [operand.shape[axis] for axis in indexed]
    for extent, column in zip(extents, columns, strict=True):
        o.require_always("there is a cell to gather", at_least(extent, 1))
        require_in_range(o, extent, column)
    scattered = [axis for axis in range(rank) if axis not in numbers.offset_dims]
    result = [operand.shape[axis] for axis in windows]
    whole = dict(zip(numbers.offset_dims, result, strict=True)) | dict(zip(scattered, shape, strict=True))

    def cell(indices: Indices) -> Term:
        inside = dict(zip(windows, (indices[axis] for axis in numbers.offset_dims), strict=True))
        at = tuple(indices[axis] for axis in scattered)

        def picked(found: Indices) -> Term:
            every = inside | dict(zip(indexed, found, strict=True))
            return operand.at(tuple(every[axis] for axis in range(operand.rank)))

        return read_at([column.at(at) for column in columns], extents, picked)

    return operand.with_cells(tuple(whole[axis] for axis in range(rank)), cell)


def _reductions() -> Sequence[OpRow]:
    def text(body: str, kind: str) -> str:
        return (
            f"%z = stablehlo.constant dense<{kind}> : tensor<{{a}}>\n"
            f"stablehlo.reduce(%a init: %z) applies stablehlo.{body} across dimensions = [0, 2]"
            " : (tensor<{m}x{n}x{k}x{a}>, tensor<{a}>) -> tensor<{n}x{a}>"
        )

    samples = [
        sample(text("add", "0.0"), a="real[m, n, k]"),
        sample(text("add", "3"), a="integer[m, n, k]"),
        sample(text("multiply", "1"), a="integer[m, n, k]"),
        sample(text("maximum", "0xFFF0000000000000"), 1, a="f64[m, n, k]"),
        sample(text("minimum", "1.5"), 1, a="real[m, n, k]"),
        sample(text("or", "false"), a="bool[m, n, k]"),
        sample(text("and", "true"), a="bool[m, n, k]"),
    ]
    return [
        row(
            "stablehlo.reduce",
            _reduce,
            *samples,
            form="($operand init: $init) applies #body across dimensions = #dimensions"
            " : (type(operand), type(init)) -> type(result)",
        )
    ]


_WINDOW = """%z = stablehlo.constant dense<0.0> : tensor<f64>
"stablehlo.reduce_window"(%a, %z) <{{padding = dense<[[0, 0], [{n-1}, 0]]> : tensor<2x2xi64>, \
window_dimensions = array<i64: 1, {n}>}}> ({{
^bb0(%x: tensor<f64>, %y: tensor<f64>):
  %s = stablehlo.add %x, %y : tensor<f64>
  stablehlo.return %s : tensor<f64>
}}) : (tensor<{m}x{n}xf64>, tensor<f64>) -> tensor<{m}x{n}xf64>"""
_BEHIND = """%z = stablehlo.constant dense<0.0> : tensor<f64>
"stablehlo.reduce_window"(%a, %z) <{{padding = dense<[[0, 2], [1, 0]]> : tensor<2x2xi64>, \
window_dimensions = array<i64: 1, 2>}}> ({{
^bb0(%x: tensor<f64>, %y: tensor<f64>):
  %s = stablehlo.add %x, %y : tensor<f64>
  stablehlo.return %s : tensor<f64>
}}) : (tensor<{m}x{n}xf64>, tensor<f64>) -> tensor<{m+2}x{n}xf64>"""
_GATHER = """%i = stablehlo.iota dim = 0 : tensor<{m}x2xi64>
"stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], \
start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}}> \
: (tensor<{m}x{m}x{a}>, tensor<{m}x2xi64>) -> tensor<{m}x{a}>"""
_GATHER_ROWS = """%i = stablehlo.iota dim = 0 : tensor<{m}x1xi32>
"stablehlo.gather"(%a, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], \
start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {n}>}}> \
: (tensor<{m}x{n}x{a}>, tensor<{m}x1xi32>) -> tensor<{n}x{m}x{a}>"""

ROWS = [
    *_reductions(),
    row(
        "stablehlo.reduce_window",
        _reduce_window,
        sample(_WINDOW, 1, a="f64[m, n]"),
        sample(_BEHIND, 1, a="f64[m, n]"),
        form="",
    ),
    row(
        "stablehlo.dot_general",
        _dot_general,
        "stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]"
        " : (tensor<{m}x{k}x{a}>, tensor<{k}x{n}x{a}>) -> tensor<{m}x{n}x{a}>",
        sample(
            "stablehlo.dot_general %a, %b, batching_dims = [0] x [2], contracting_dims = [2] x [0],"
            " precision = [HIGHEST, HIGHEST]"
            " : (tensor<{m}x2x{k}x{a}>, tensor<{k}x{n}x{m}x{a}>) -> tensor<{m}x2x{n}x{a}>",
            a="arith[m, 2, k]",
            b="arith[k, n, m]",
        ),
        sample(
            "stablehlo.dot_general %a, %b, contracting_dims = [] x []"
            " : (tensor<{m}xf64>, tensor<{n}xf64>) -> tensor<{m}x{n}xf64>",
            a="f64[m]",
            b="f64[n]",
        ),
        form="$lhs, $rhs, [?batching_dims = #lhs_batching x #rhs_batching, ?]contracting_dims = #lhs_contracting"
        " x #rhs_contracting[?, precision = #precision?] : (type(lhs), type(rhs)) -> type(result)",
        a="arith[m, k]",
        b="arith[k, n]",
    ),
    row(
        "stablehlo.gather",
        _gather,
        sample(_GATHER, 1, a="arith[m, m]"),
        sample(_GATHER_ROWS, 1, a="arith[m, n]"),
        form="",
    ),
]


def _convolution(  # noqa: PLR0913 - the attributes of the operation
    o: Obligations,
    lhs: Tensor,
    rhs: Tensor,
    *,
    lhs_dimensions: Labels,
    rhs_dimensions: Labels,
    result_dimensions: Labels,
    window_strides: Ints,
    rhs_dilation: Ints,
    precision: Precisions = (),
) -> SymbolicTensor:
    """Batches and features of ``lhs``, input and output features of ``rhs``; numbers name the axes of windows."""
    _require_precise(o, lhs, precision)
    spatial = tuple(map(str, range(len(window_strides))))
    listed = ((lhs_dimensions, "bf"), (rhs_dimensions, "oi"), (result_dimensions, "bf"))
    if any(sorted(labels) != sorted((*names, *spatial)) for labels, names in listed):
        o.refuse("a convolution whose axes are not each named once")
    if len(rhs_dilation) != len(spatial) or min((*window_strides, *rhs_dilation), default=1) < 1:
        o.refuse("a convolution that does not step up along every axis")
    if lhs.rank != len(lhs_dimensions) or rhs.rank != len(rhs_dimensions) or lhs.dtype != rhs.dtype:
        o.refuse("a convolution of arrays of other ranks or of different types")
    if lhs.dtype == "bool":
        o.refuse("a product of truth values")
    data = dict(zip(lhs_dimensions, lhs.shape, strict=True))
    kernel = dict(zip(rhs_dimensions, rhs.shape, strict=True))
    o.require("a convolution has as many features as its kernel takes", equal(data["f"], kernel["i"]))
    extents = {"b": data["b"], "f": kernel["o"]}
    for name, stride, dilation in zip(spatial, window_strides, rhs_dilation, strict=True):
        extents[name] = _positions(o, data[name], kernel[name], stride, dilation)
    bound = {name: fresh("e") for name in ("i", *spatial)}
    box = Domain.box(bound.values(), [kernel[name] for name in bound])
    inside = {name: Affine.var(bound[name]) for name in bound}

    def cell(indices: Indices) -> Term:
        at = dict(zip(result_dimensions, indices, strict=True))
        steps = zip(spatial, window_strides, rhs_dilation, strict=True)
        places = {name: at[name] * stride + inside[name] * gap for name, stride, gap in steps}
        left = {**places, "b": at["b"], "f": inside["i"]}
        right = {**inside, "o": at["f"]}
        factors = (lhs.at(tuple(left[n] for n in lhs_dimensions)), rhs.at(tuple(right[n] for n in rhs_dimensions)))
        return terms.reduce("sum", tuple(bound.values()), box, arithmetic_cell("mul", *factors))

    return SymbolicTensor(tuple(extents[name] for name in result_dimensions), lhs.dtype, cell)


def _positions(o: Obligations, extent: Affine, window: Affine, stride: int, dilation: int) -> Affine:
    """Return at how many places a window fits in an axis."""
    if not (extent.is_constant and window.is_constant and window.constant):
        o.refuse("a convolution over an extent that is not stated, or by an empty window")
    free = extent.constant - (window.constant - 1) * dilation - 1
    return Affine(max(free // stride + 1, 0))


_ONCE = (
    "{{batch_group_count = 1 : i64, feature_group_count = 1 : i64,"
    " precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}}"
)
_SIGNAL = (
    "stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],"
    f" window = {{{{stride = [1], rhs_dilate = [1]}}}} {_ONCE}"
    " : (tensor<1x1x{m+n-1}x{a}>, tensor<1x1x{n}x{a}>) -> tensor<1x1x{m}x{a}>"
)
_IMAGES = (
    "stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, 1, f, 0],"
    f" window = {{{{stride = [1, 2], rhs_dilate = [2, 1]}}}} {_ONCE}"
    " : (tensor<2x{k}x{m+2}x5x{a}>, tensor<{n}x{k}x2x2x{a}>) -> tensor<2x2x{n}x{m}x{a}>"
)
_LAST = (
    "stablehlo.convolution(%a, %b) dim_numbers = [b, 1, 0, f]x[1, 0, i, o]->[b, 0, 1, f],"
    f" window = {{{{stride = [3, 1], rhs_dilate = [1, 1]}}}} {_ONCE}"
    " : (tensor<{k}x{n}x6x{m}x{a}>, tensor<{n}x3x{m}x2x{a}>) -> tensor<{k}x2x1x2x{a}>"
)

ROWS += [
    row(
        "stablehlo.convolution",
        _convolution,
        sample(_SIGNAL, 1, a="arith[1, 1, m + n - 1]", b="arith[1, 1, n]"),
        sample(_IMAGES, 1, a="arith[2, k, m + 2, 5]", b="arith[n, k, 2, 2]"),
        sample(_LAST, 1, a="arith[k, n, 6, m]", b="arith[n, 3, m, 2]"),
        form="($lhs, $rhs) dim_numbers = #lhs_dimensions x #rhs_dimensions -> #result_dimensions, window ="
        " {stride = #window_strides, rhs_dilate = #rhs_dilation} {batch_group_count = 1"
        " : i64, feature_group_count = 1 : i64[?, precision_config = #precision?]}"
        " : (type(lhs), type(rhs)) -> type(result)",
    )
]
