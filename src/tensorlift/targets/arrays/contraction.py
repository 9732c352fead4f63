"""Sums of products: matrix products, einsum, outer products, traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import (
    CellMap,
    Indices,
    Obligations,
    SymbolicTensor,
    broadcast_shape,
    broadcast_to,
)
from tensorlift.poly.affine import ONE, Affine
from tensorlift.poly.domain import Domain, equal
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.arithmetic import ROWS as ARITHMETIC_ROWS
from tensorlift.targets.arrays.arithmetic import cell as arithmetic_cell
from tensorlift.targets.arrays.promotion import converted
from tensorlift.targets.arrays.reduction import fold
from tensorlift.targets.arrays.shape import axes_of
from tensorlift.targets.target import (
    Axes,
    AxisPairs,
    ElementType,
    Flag,
    Memory,
    OpRow,
    Sample,
    Sizes,
    Tensor,
    Tensors,
    Text,
    row,
    sample,
    samples_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType


def contracted(
    o: Obligations, labels: Sequence[Sequence[str]], out: Sequence[str], tensors: Tensors, dtype: DType
) -> SymbolicTensor:
    """Sum the product of the operands over every label that is not in the result."""
    extents = _extents(o, labels, tensors)
    bound = {label: fresh("e") for label in extents if label not in out}
    box = Domain.box(bound.values(), [extents[label] for label in bound])
    summed = {label: Affine.var(name) for label, name in bound.items()}
    operands = [(spec, converted(o, t, dtype)) for spec, t in zip(labels, tensors, strict=True)]

    def cell(indices: Indices) -> Term:
        values = summed | dict(zip(out, indices, strict=True))
        body: Term | None = None
        for spec, operand in operands:
            factor = operand.at(tuple(values[label] for label in spec))
            body = factor if body is None else arithmetic_cell("mul", body, factor)
        assert body is not None
        return terms.reduce("sum", tuple(bound.values()), box, body)

    return SymbolicTensor(tuple(extents[label] for label in out), dtype, cell)


def _extents(o: Obligations, labels: Sequence[Sequence[str]], tensors: Tensors) -> dict[str, Affine]:
    extents: dict[str, Affine] = {}
    for spec, tensor in zip(labels, tensors, strict=True):
        if len(spec) != tensor.rank:
            o.refuse(f"the labels '{''.join(spec)}' are given to an array of rank {tensor.rank}")
        for label, extent in zip(spec, tensor.shape, strict=True):
            known = extents.setdefault(label, extent)
            if known != extent:
                o.require("contracted extents are equal", equal(known, extent))
    return extents


def _number_type(o: Obligations, tensors: Tensors) -> DType:
    dtype = o.types.result_type(o, tensors)
    if dtype == "bool":
        o.refuse("a product of truth values")
    return dtype


def einsum(o: Obligations, subscripts: Text, *operands: Tensor, optimize: Flag = False) -> SymbolicTensor:  # noqa: ARG001 - an order of evaluation
    """Return a sum of products in Einstein's notation."""
    labels, out = _einsum_labels(o, subscripts)
    if len(labels) != len(operands):
        o.refuse("einsum has another number of operands than its subscripts say")
    return contracted(o, labels, out, operands, _number_type(o, operands))


def _einsum_labels(o: Obligations, subscripts: str) -> tuple[list[str], str]:
    left, arrow, out = subscripts.replace(" ", "").partition("->")
    labels = left.split(",")
    is_plain = arrow and all(label.isascii() and label.isalpha() for label in left.replace(",", "") + out)
    if not is_plain or len(set(out)) != len(out) or not set(out) <= set(left) - {","}:
        o.refuse(f"einsum subscripts '{subscripts}' are not in the explicit form")
    return labels, out


def _einsum_memory(subscripts: str, *operands: SymbolicTensor, optimize: bool = False) -> Memory:  # noqa: ARG001 - as above
    """One operand whose labels all stay is only rearranged."""
    left, _, out = subscripts.replace(" ", "").partition("->")
    return Memory.VIEW if len(operands) == 1 and set(left) <= set(out) else Memory.NEW


def matmul(o: Obligations, x1: Tensor, x2: Tensor) -> SymbolicTensor:
    """Return a matrix product; leading axes broadcast."""
    if not x1.rank or not x2.rank:
        o.refuse("a matrix product with a number")
    dtype = _number_type(o, (x1, x2))
    left, right = converted(o, x1, dtype), converted(o, x2, dtype)
    inner, other = left.shape[-1], right.shape[0 if right.rank == 1 else -2]
    if inner != other:
        o.require("a matrix product has equal inner extents", equal(inner, other))
    batch = broadcast_shape(o, (left.shape[:-2], right.shape[:-2], ()))
    cells = (_stretched(o, left, batch), _stretched(o, right, batch))
    return _product(left, right, batch, cells, dtype)


def _stretched(o: Obligations, matrix: SymbolicTensor, batch: Sizes) -> CellMap:
    return matrix.at if matrix.rank == 1 else broadcast_to(o, matrix, (*batch, *matrix.shape[-2:]))


def _product(
    left: SymbolicTensor,
    right: SymbolicTensor,
    batch: Sizes,
    cells: tuple[CellMap, CellMap],
    dtype: DType,
) -> SymbolicTensor:
    name, depth = fresh("e"), len(batch)
    middle, box = Affine.var(name), Domain.box((name,), (left.shape[-1],))
    tall, wide = left.rank > 1, right.rank > 1

    def cell(indices: Indices) -> Term:
        lead = indices[:depth]
        row = indices[depth : depth + tall]
        column = indices[depth + tall :]
        a = cells[0]((*lead, *row, middle) if tall else (middle,))
        b = cells[1]((*lead, middle, *column) if wide else (middle,))
        return terms.reduce("sum", (name,), box, arithmetic_cell("mul", a, b))

    shape = (*batch, *left.shape[-2:-1], *(right.shape[-1:] if wide else ()))
    return SymbolicTensor(shape, dtype, cell)


def _dot(o: Obligations, a: Tensor, b: Tensor) -> SymbolicTensor:
    if not a.rank or not b.rank:
        o.refuse("np.dot with a number")
    if max(a.rank, b.rank) <= 2:  # noqa: PLR2004 - beyond matrices, dot and matmul differ
        return matmul(o, a, b)
    return o.refuse("np.dot beyond matrices")


def _vdot(o: Obligations, a: Tensor, b: Tensor) -> SymbolicTensor:
    if a.rank != b.rank:
        o.refuse("np.vdot of different ranks")
    label = "abcdefgh"[: a.rank]
    return contracted(o, [label, label], "", (a, b), _number_type(o, (a, b)))


def _inner(o: Obligations, a: Tensor, b: Tensor) -> SymbolicTensor:
    if not a.rank or not b.rank:
        o.refuse("np.inner with a number")
    left, right = "abcdefgh"[: a.rank - 1], "ijklmnop"[: b.rank - 1]
    return contracted(o, [left + "z", right + "z"], left + right, (a, b), _number_type(o, (a, b)))


def tensordot(o: Obligations, a: Tensor, b: Tensor, axes: AxisPairs = 2) -> SymbolicTensor:
    """Return a product summed over pairs of axes."""
    if isinstance(axes, int):
        left, right = tuple(range(a.rank - axes, a.rank)), tuple(range(axes))
    else:
        first, second = axes
        left, right = _listed(o, first, a.rank), _listed(o, second, b.rank)
    if len(left) != len(right) or len(left) > min(a.rank, b.rank):
        o.refuse("np.tensordot pairs different numbers of axes")
    names_a = list("abcdefgh"[: a.rank])
    names_b = list("ijklmnop"[: b.rank])
    for mine, theirs in zip(left, right, strict=True):
        names_b[theirs] = names_a[mine]
    kept = [n for k, n in enumerate(names_a) if k not in left] + [n for k, n in enumerate(names_b) if k not in right]
    return contracted(o, ["".join(names_a), "".join(names_b)], "".join(kept), (a, b), _number_type(o, (a, b)))


def _listed(o: Obligations, axes: object, rank: int) -> tuple[int, ...]:
    if not isinstance(axes, int | tuple):
        o.refuse("axes of np.tensordot that are no integers")
    return axes_of(o, axes, rank)


def outer(o: Obligations, a: Tensor, b: Tensor) -> SymbolicTensor:
    """Return the products of two vectors' cells."""
    if a.rank != 1 or b.rank != 1:
        o.refuse("np.outer of anything but vectors")
    return contracted(o, ["i", "j"], "ij", (a, b), _number_type(o, (a, b)))


def sum_of_arrays(o: Obligations, x: Tensor, axes: Axes) -> SymbolicTensor:
    """Return the sum of arrays, given as one with the axes along which they are counted: Python adds them to zero."""
    assert isinstance(axes, tuple)
    if x.rank == len(axes) or x.dtype == "bool":
        o.refuse("a sum of anything but arrays of numbers")
    return fold("sum", x, axes, x.dtype)


SUM_OF_ARRAYS = row(
    "sum(x for i in range(n))", sum_of_arrays,
    "sum(a[k : k + n] * b[k] for k in range(3))", "sum(a[k + l : k + l + n] for k in range(2) for l in range(2))",
    name="sum of arrays", a="number[n + 2]", b="number[3]",
)  # fmt: skip


def trace(o: Obligations, a: Tensor, *, dtype: ElementType | None = None) -> SymbolicTensor:
    """Return the sum of a square matrix's diagonal."""
    if a.rank != 2:  # noqa: PLR2004 - the trace of a matrix
        o.refuse("a trace of anything but a matrix")
    o.require("a trace is of a square matrix", equal(a.shape[0], a.shape[1]))
    diagonal = a.with_cells(a.shape[:1], lambda indices: a.at(indices * 2))
    return fold("sum", diagonal, (0,), dtype.dtype if dtype else o.types.sum_type(a.dtype))


def _outer_of(function: str) -> OpRow:
    base = next(row for row in ARITHMETIC_ROWS if row.spelling == f"np.{function}")

    def meaning(o: Obligations, A: Tensor, B: Tensor) -> SymbolicTensor:  # noqa: N803 - NumPy's names
        if not (A.is_strong and B.is_strong):
            o.refuse(f"np.{function}.outer makes an array of a Python number, whose type would count")
        spread = A.with_cells((*A.shape, *(ONE,) * B.rank), lambda indices: A.at(indices[: A.rank]))
        result = base.meaning(o, spread, B)
        assert isinstance(result, SymbolicTensor)
        return result

    spelling = f"np.{function}.outer"
    return row(spelling, meaning, f"{spelling}(a, b)", name=f"{function}.outer", a="arith[m]", b="arith[n]")


def _products(form: str) -> tuple[Sample, ...]:
    shapes = [("[m, k]", "[k, n]"), ("[k]", "[k, n]"), ("[m, k]", "[k]"), ("[k]", "[k]")]
    mixed = [("f32", "f64"), ("i32", "i32"), ("i32", "f64")]
    return tuple(sample(form, a=f"{x}{left}", b=f"{y}{right}") for left, right in shapes for x, y in mixed)


ROWS = [
    SUM_OF_ARRAYS,
    row("@", matmul, *_products("a @ b"), "a @ b", name="operator matmul", a="f64[2, m, k]", b="f64[k, n]"),
    row("np.matmul", matmul, *_products("np.matmul(a, b)"), "np.matmul(a, b)", a="f64[2, m, k]", b="f64[1, k, n]"),
    row("np.dot", _dot, *_products("np.dot(a, b)")),
    row(".dot()", _dot, *_products("a.dot(b)"), name="method dot"),
    row("np.vdot", _vdot, "np.vdot(a, b)", a="number[m, n]", b="number[m, n]"),
    row(
        "np.inner",
        _inner,
        "np.inner(a, b)",
        sample("np.inner(a, b)", a="f64[k]", b="f64[k]"),
        a="number[m, k]",
        b="number[n, k]",
    ),
    row(
        "np.einsum",
        einsum,
        "np.einsum('ik,kj->ij', a, b)",
        "np.einsum('ik,kj->ji', a, b, optimize=True)",
        "np.einsum('ik,kj->k', a, b)",
        "np.einsum('ik,kj,i->j', a, b, c)",
        *samples_of(("np.einsum('ij->ji', a)", "np.einsum('ii->i', a)", "np.einsum('ii->', a)"), a="number[n, n]"),
        sample("np.einsum('i,i->i', a, b)", a="f64[n]", b="f32[n]"),
        sample("np.einsum('i,j->', a, b)", a="f64[n]", b="f64[m]"),
        sample("np.einsum('bik,bkj->bij', a, b)", a="f64[2, m, k]", b="f64[2, k, n]"),
        memory=_einsum_memory,
        a="arith[m, k]",
        b="arith[k, n]",
        c="f64[m]",
    ),
    row(
        "np.tensordot",
        tensordot,
        "np.tensordot(a, b, 1)",
        sample("np.tensordot(a, b)", a="f64[2, m, k]", b="f64[m, k, n]"),
        sample("np.tensordot(a, b, axes=((0, 2), (1, 0)))", a="f64[m, 2, k]", b="f64[k, m, n]"),
        sample("np.tensordot(a, b, axes=(0, 1))", a="f64[k, m]", b="f64[n, k]"),
        a="number[m, k]",
        b="number[k, n]",
    ),
    row("np.outer", outer, "np.outer(a, b)", a="arith[m]", b="number[n]"),
    row("np.trace", trace, "np.trace(a)", sample("np.trace(a, dtype=np.int32)", a="i32[n, n]"), a="arith[n, n]"),
    *map(_outer_of, ("add", "subtract", "multiply", "divide", "maximum", "minimum")),
]
