"""Operations on shapes that are known when a program runs: extents, and what makes or cuts arrays of such extents.

A shape is a vector of 64-bit integers, each affine in the sizes, or a quotient, the greater or the lesser of such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import at_least
from tensorlift.comprehension.tensor import Obligations, Shape, SymbolicTensor, affine_of, fold_exact
from tensorlift.comprehension.terms import Apply
from tensorlift.ops.dtypes import integer_range
from tensorlift.targets.arrays.creation import check_extents, range_extent
from tensorlift.targets.arrays.index import Selection
from tensorlift.targets.stablehlo.rows_shape import require_positions_fit, reshaped, spread_in
from tensorlift.targets.target import Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Term
    from tensorlift.targets.mlir_text.rows import ElementType, Ints


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

ROWS = [
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
