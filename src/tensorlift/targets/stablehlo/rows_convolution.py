"""The operation that sums products over windows, with steps and with gaps inside of windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, equal
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor
from tensorlift.targets.arrays.arithmetic import cell as arithmetic_cell
from tensorlift.targets.target import Tensor, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term
    from tensorlift.targets.mlir_text.rows import Ints, Labels


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
) -> SymbolicTensor:
    """Batches and features of ``lhs``, input and output features of ``rhs``; numbers name the axes of windows."""
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


_ONCE = "{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}"
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

ROWS = [
    row(
        "stablehlo.convolution",
        _convolution,
        sample(_SIGNAL, 1, a="arith[1, 1, m + n - 1]", b="arith[1, 1, n]"),
        sample(_IMAGES, 1, a="arith[2, k, m + 2, 5]", b="arith[n, k, 2, 2]"),
        sample(_LAST, 1, a="arith[k, n, 6, m]", b="arith[n, 3, m, 2]"),
        form="($lhs, $rhs) dim_numbers = #lhs_dimensions x #rhs_dimensions -> #result_dimensions, window ="
        " {stride = #window_strides, rhs_dilate = #rhs_dilation} {batch_group_count = 1"
        " : i64, feature_group_count = 1 : i64} : (type(lhs), type(rhs)) -> type(result)",
    )
]
