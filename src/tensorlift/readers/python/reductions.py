"""Reductions of arrays: sums, products, extremes, counts, of all elements or along axes, and products of matrices."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from xdsl.ir import Block

from tensorlift.frontends.python.scalars import accumulator, promoted
from tensorlift.frontends.python.syntax import reduction
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, BRAIN, FLOAT, HALF, LONG, FloatType
from tensorlift.readers.python.arrays import allocate, element, element_type, elementwise, in_memory, store
from tensorlift.readers.python.context import kept, read, variable
from tensorlift.readers.python.evaluation import array, evaluate, size
from tensorlift.readers.python.expressions import OPERATORS, length, transposed
from tensorlift.readers.python.functions import extreme_of, extreme_of_numpy
from tensorlift.readers.python.loops import over
from tensorlift.readers.python.numbers import binary, integer, test
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import ArrayLike, CNumber, Operand, Size


FOLDS = {"sum": ast.Add(), "prod": ast.Mult(), "any": ast.BitOr(), "all": ast.BitAnd()}
_FROM_ONE = (ast.Mult, ast.BitAnd)


def reduce_numpy(ctx: Context, name: str, value: ArrayLike, node: ast.Call, rest: Sequence[ast.expr]) -> Operand:
    """Reduce an array as NumPy does; ``rest`` are the arguments after it.

    Means of floats of 16 bits are computed in ``float32``, those in variances are not.
    """
    own = element_type(ctx, value)
    if name == "mean" and own in {HALF, BRAIN}:
        wide = elementwise(ctx, lambda c, sides: c.cast(sides[0], FLOAT), (value,))
        assert isinstance(wide, Rule)
        found = reduce_numpy(ctx, name, wide, node, rest)
        return elementwise(ctx, lambda c, sides: c.cast(sides[0], own), (found,))
    how = reduction(name, node, rest)
    rank = len(value.extents)
    if not how.keeps and (rank == 1 or how.axes is None):
        found = _spread(ctx, name, value, how.ddof) if name in {"var", "std"} else total(ctx, name, value)
        return replace(found, weak=False)
    axes = range(rank) if how.axes is None else [size(ctx, axis) for axis in how.axes]
    places = sorted((axis % rank for axis in axes if isinstance(axis, int)), reverse=True)
    return _along_axes(ctx, name, value, places, keeps=how.keeps, ddof=how.ddof)


def total(ctx: Context, name: str, value: ArrayLike, of_python: bool = False) -> Number:  # noqa: FBT001, FBT002 - whose
    """Reduce all elements to a number, as NumPy does or as a builtin ``of_python``."""
    match name:
        case "any" | "all":
            return replace(_folded(ctx, FOLDS[name], value, BOOL, weak=False), weak=of_python)
        case "count_nonzero":
            return _folded(ctx, FOLDS["sum"], _counted(ctx, value), LONG, weak=True)
        case "mean":
            return _mean(ctx, total(ctx, "sum", value), value.extents)
        case "sum" | "prod":
            own = element_type(ctx, value)
            ctype = (LONG if own is BOOL else own) if of_python else accumulator(own)
            return _folded(ctx, FOLDS[name], value, ctype, weak=of_python and value.is_list)
    for extent in value.extents:
        _has_elements(ctx, value, extent)
    first = element(ctx, value, [0] * len(value.extents))
    result = variable(ctx, first.ctype, ctx.temporary())
    ctx.flow.write(result, kept(ctx, first, first.ctype))
    apply = partial(extreme_of if of_python else extreme_of_numpy, name)

    def body(indices: Sequence[Size]) -> None:
        before = read(ctx, result, first.ctype, first.weak)
        ctx.flow.write(result, kept(ctx, apply(ctx, (before, element(ctx, value, indices))), first.ctype))

    over(ctx, value.extents, body)
    return read(ctx, result, first.ctype, first.weak)


def _has_elements(ctx: Context, value: ArrayLike, extent: Size) -> None:
    """Ask that there is a first element along an axis of an array, which may be a part of one, or made of such.

    Of a part that moves in a loop, as windows do, that is left to the access.
    """
    may_be_cut = not isinstance(value, View) or value.is_cut
    ctx.inside(0, extent, is_cut=may_be_cut and not _moves(ctx, extent))


def _moves(ctx: Context, extent: Size) -> bool:
    """Whether an extent is computed of what blocks other than the first one are handed."""
    work: list[Size] = [extent]
    seen: set[Size] = set()
    first = {size.owner for size in ctx.sizes}
    while work:
        found = ctx.settled(work.pop())
        if isinstance(found, int) or found in seen:
            continue
        seen.add(found)
        if not isinstance(found.owner, Block):
            work += found.owner.operands
        elif found.owner not in first:
            return True
    return False


def _folded(ctx: Context, op: ast.operator, value: ArrayLike, ctype: CNumber, *, weak: bool) -> Number:
    """Fold all elements by an operator in a type, beginning with the integer zero or one."""
    result = variable(ctx, ctype, ctx.temporary())
    ctx.flow.write(result, kept(ctx, integer(int(isinstance(op, _FROM_ONE))), ctype))

    def body(indices: Sequence[Size]) -> None:
        item = ctx.cast(element(ctx, value, indices), ctype)
        after = binary(ctx, op, read(ctx, result, ctype, weak), replace(item, weak=weak))
        ctx.flow.write(result, kept(ctx, after, ctype))

    over(ctx, value.extents, body)
    return read(ctx, result, ctype, weak)


def _counted(ctx: Context, value: ArrayLike) -> Rule:
    """Give 1 for each element that is other than zero, and 0 for others."""

    def at(indices: Sequence[Size]) -> Number:
        return ctx.cast(test(ctx.test(element(ctx, value, indices)), weak=True), LONG)

    return Rule(value.extents, at, value.reads, LONG)


def _mean(ctx: Context, summed: Number, extents: Sequence[Size], ddof: int = 0) -> Number:
    return binary(ctx, ast.Div(), replace(summed, weak=False), _count(ctx, extents, ddof))


def _count(ctx: Context, extents: Sequence[Size], ddof: int) -> Number:
    """Give the number of elements, less ``ddof``: of none that is zero, of arrays that do not move there are some."""
    count: Size = 1
    for extent in extents:
        count = ctx.combined("*", count, extent)
    if not ddof:
        return length(count)
    if not _moves(ctx, count):
        for extent in extents:
            ctx.require(ctx.comparison(">=", ctx.size(extent), ctx.constant(1, LONG), LONG), "`ddof` is too large")
        return length(ctx.combined("-", count, ddof))
    return extreme_of("max", ctx, (integer(0), length(ctx.combined("-", count, ddof))))


def _spread(ctx: Context, name: str, value: ArrayLike, ddof: int) -> Number:
    """Give the variance, or its root."""
    made = in_memory(ctx, value)
    mean = total(ctx, "mean", made)
    square = elementwise(ctx, _square_of_distance, (made, mean))
    assert isinstance(square, Rule)
    variance = _mean(ctx, total(ctx, "sum", square), made.extents, ddof)
    return variance if name == "var" else _root(ctx, (variance,))


def _square_of_distance(ctx: Context, sides: Sequence[Number]) -> Number:
    distance = binary(ctx, ast.Sub(), *sides)
    return binary(ctx, ast.Mult(), distance, distance)


def _root(ctx: Context, values: Sequence[Number]) -> Number:
    (value,) = values
    return Number(ctx.operation("math.sqrt", (ctx.value(value),), ir_type(value.ctype)), value.ctype)


# -- along axes


def _along_axes(  # noqa: PLR0913 - as NumPy's reductions have
    ctx: Context, name: str, value: ArrayLike, axes: Sequence[int], *, keeps: bool, ddof: int = 0
) -> Operand:
    """Reduce along axes, the last first."""
    if name in {"var", "std"}:
        mean = _along_axes(ctx, "mean", value, axes, keeps=True)
        square = elementwise(ctx, _square_of_distance, (value, mean))
        assert isinstance(square, Rule)
        variance = _along_axes(ctx, "mean", square, axes, keeps=keeps, ddof=ddof)
        return variance if name == "var" else elementwise(ctx, _root, (variance,))
    if name == "count_nonzero":
        return _along_axes(ctx, "sum", _counted(ctx, value), axes, keeps=keeps)
    result: Operand = value
    for axis in axes:
        assert isinstance(result, View | Rule)
        result = _along(ctx, "sum" if name == "mean" else name, result, axis)
    if name == "mean":
        count = _count(ctx, [value.extents[axis] for axis in axes], ddof)
        result = elementwise(ctx, lambda c, sides: binary(c, ast.Div(), *sides), (result, count))
    return _with_axes(ctx, result, set(axes)) if keeps else result


def _with_axes(ctx: Context, value: Operand, axes: set[int]) -> Operand:
    """Put axes of one position where a reduction took some away."""
    if isinstance(value, Number):
        return Rule((1,) * len(axes), lambda _: value, frozenset(), value.ctype)
    assert isinstance(value, View | Rule)
    extents = iter(value.extents)
    shape = tuple(1 if axis in axes else next(extents) for axis in range(len(value.extents) + len(axes)))

    def at(indices: Sequence[Size]) -> Number:
        return element(ctx, value, [index for axis, index in enumerate(indices) if axis not in axes])

    return Rule(shape, at, value.reads, value.element)


def _along(ctx: Context, name: str, value: ArrayLike, axis: int) -> Operand:
    """Give the sums or the extremes along one axis."""
    inner = value.extents[axis]
    extents = (*value.extents[:axis], *value.extents[axis + 1 :])

    def term(indices: Sequence[Size], k: Size) -> Number:
        return element(ctx, value, (*indices[:axis], k, *indices[axis:]))

    own = element_type(ctx, value)
    if name in FOLDS:
        return summed(ctx, extents, inner, term, BOOL if name in {"any", "all"} else accumulator(own), FOLDS[name])
    if not extents:
        return replace(total(ctx, name, value), weak=False)
    _has_elements(ctx, value, inner)
    made = allocate(ctx, ctx.temporary(), own, extents)

    def row(indices: Sequence[Size]) -> None:
        store(ctx, made, indices, term(indices, 0))

        def step(k: Sequence[Size]) -> None:
            before = element(ctx, made, indices)
            store(ctx, made, indices, extreme_of_numpy(name, ctx, (before, term(indices, k[0]))))

        over(ctx, (inner,), step)

    over(ctx, extents, row)
    return replace(made, is_new=True)


def summed(  # noqa: PLR0913, PLR0917 - what is folded, where, and how
    ctx: Context,
    extents: tuple[Size, ...],
    inner: Size,
    term: Callable[[Sequence[Size], Size], Number],
    ctype: CNumber,
    op: ast.operator = FOLDS["sum"],
) -> Operand:
    """Sum up ``term`` over ``inner`` for each index, or fold it by another operator; without extents to a number."""
    if not extents:
        return _folded(ctx, op, Rule((inner,), lambda k: term((), k[0])), ctype, weak=False)
    made = allocate(ctx, ctx.temporary(), ctype, extents)
    first = Number((float if isinstance(ctype, FloatType) else int)(isinstance(op, _FROM_ONE)), ctype)

    def row(indices: Sequence[Size]) -> None:
        store(ctx, made, indices, first)

        def step(k: Sequence[Size]) -> None:
            before = element(ctx, made, indices)
            store(ctx, made, indices, binary(ctx, op, before, ctx.cast(term(indices, k[0]), ctype)))

        over(ctx, (inner,), step)

    over(ctx, extents, row)
    return replace(made, is_new=True)


# -- products


def _kept(ctx: Context, value: Operand) -> View:
    """Give an array whose elements are read again and again."""
    assert isinstance(value, View | Rule)
    return value if isinstance(value, View) else in_memory(ctx, value)


def product(ctx: Context, left: Operand, right: Operand) -> Operand:
    """Multiply two arrays as ``@`` does."""
    a, b = _kept(ctx, left), _kept(ctx, right)
    inner, rows = a.extents[-1], len(a.extents) - 1
    ctx.require_equal(inner, b.extents[0])
    ctype = promoted(a.element, False, b.element, False)[0]  # noqa: FBT003 - neither is weak

    def term(indices: Sequence[Size], k: Size) -> Number:
        sides = element(ctx, a, (*indices[:rows], k)), element(ctx, b, (k, *indices[rows:]))
        return binary(ctx, ast.Mult(), *sides)

    return summed(ctx, (*a.extents[:-1], *b.extents[1:]), inner, term, ctype)


def _vectors(ctx: Context, node: ast.Call) -> list[View]:
    return [_kept(ctx, evaluate(ctx, argument)) for argument in node.args]


def _inner(ctx: Context, node: ast.Call) -> Operand:
    return product(ctx, *_vectors(ctx, node))


def _outer(ctx: Context, node: ast.Call) -> Operand:
    left, right = _vectors(ctx, node)

    def at(indices: Sequence[Size]) -> Number:
        return binary(ctx, ast.Mult(), element(ctx, left, indices[:1]), element(ctx, right, indices[1:]))

    return Rule((*left.extents, *right.extents), at, left.reads | right.reads)


def _product(ctx: Context, node: ast.Call) -> Operand:
    left = evaluate(ctx, node.args[0])
    return product(ctx, left, evaluate(ctx, node.args[1]))


def _transposed(ctx: Context, node: ast.Call) -> Operand:
    value = array(ctx, node.args[0])
    return transposed(value if isinstance(value, View) else in_memory(ctx, value))


def _diagonal(ctx: Context, node: ast.Call) -> Rule:
    value = array(ctx, node.args[0])
    ctx.require_equal(*value.extents)
    return Rule(value.extents[:1], lambda i: element(ctx, value, (*i, *i)), value.reads, value.element)


def _diagonal_or_matrix(ctx: Context, node: ast.Call) -> Rule:
    value = array(ctx, node.args[0])
    if len(value.extents) != 1:
        return _diagonal(ctx, node)

    def at(indices: Sequence[Size]) -> Number:
        own = replace(element(ctx, value, indices[:1]), weak=False)
        row, column = (ctx.size(index) for index in indices)
        is_same = ctx.comparison("==", row, column, LONG)
        held = ctx.value(own)
        return replace(own, value=ctx.operation("arith.select", (is_same, held, ctx.constant(0, own.ctype)), held.type))

    return Rule(value.extents * 2, at, value.reads, value.element)


def _trace(ctx: Context, node: ast.Call) -> Operand:
    return total(ctx, "sum", _diagonal(ctx, node))


OF_ARRAYS: dict[str, Callable[[Context, ast.Call], Operand]] = {
    "dot": _product,
    "matmul": _product,
    "inner": _inner,
    "vdot": _inner,
    "outer": _outer,
    "transpose": _transposed,
    "diag": _diagonal_or_matrix,
    "trace": _trace,
}
OPERATORS[ast.MatMult] = product
