"""Arrays from nothing or from one value: filled arrays, ranges, masks below a diagonal, broadcasts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import (
    Indices,
    Obligations,
    SymbolicTensor,
    affine_of,
    array,
    broadcast_to,
    choose,
    convert,
    mask,
    number,
)
from tensorlift.ops.dtypes import NARROW, DType, is_float
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.functions import as_type
from tensorlift.targets.target import ElementType, Memory, OpRow, Size, Sizes, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.comprehension.terms import Term


def check_extents(o: Obligations, shape: Sizes) -> None:
    """Demand that no extent is negative."""
    for extent in shape:
        if not extent.is_constant or extent.constant < 0:
            o.require("an extent is not negative", at_least(extent, 0))


def _filled(o: Obligations, shape: Sizes, value: SymbolicTensor, dtype: DType) -> SymbolicTensor:
    check_extents(o, shape)
    cells = broadcast_to(o, as_type(o, value, dtype), checked_broadcast(o, value, shape))
    return SymbolicTensor(shape, dtype, cells)


def checked_broadcast(o: Obligations, value: SymbolicTensor, shape: Sizes) -> Sizes:
    """Refuse a value of higher rank than the shape that it is broadcast to."""
    if value.rank > len(shape):
        o.refuse(f"an array of rank {value.rank} is broadcast to rank {len(shape)}")
    return shape


def full(o: Obligations, shape: Sizes, fill_value: Tensor, dtype: ElementType | None = None) -> SymbolicTensor:
    """Return an array of one value, or of values that broadcast to its shape."""
    return _filled(o, shape, fill_value, dtype.dtype if dtype else o.types.filled_type(o, fill_value))


def _full_like(o: Obligations, a: Tensor, fill_value: Tensor, dtype: ElementType | None = None) -> SymbolicTensor:
    return _filled(o, a.shape, fill_value, dtype.dtype if dtype else o.types.filled_type(o, a))


def constant_array(value: int, o: Obligations, shape: Sizes, dtype: ElementType | None = None) -> SymbolicTensor:
    """Return an array of one number."""
    return _filled(o, shape, number(value), dtype.dtype if dtype else o.types.real_type(o))


def constant_like(value: int, o: Obligations, a: Tensor, dtype: ElementType | None = None) -> SymbolicTensor:
    """Return an array of one number in the shape of another."""
    return _filled(o, a.shape, number(value), dtype.dtype if dtype else o.types.filled_type(o, a))


def empty(o: Obligations, shape: Sizes, dtype: ElementType | None = None) -> SymbolicTensor:
    """Cells without a value: nothing equals them."""
    check_extents(o, shape)
    return array(f"undefined {fresh('cells')}", shape, dtype.dtype if dtype else o.types.real_type(o))


def _empty_like(o: Obligations, a: Tensor, dtype: ElementType | None = None) -> SymbolicTensor:
    return empty(o, a.shape, ElementType(dtype.dtype if dtype else o.types.filled_type(o, a)))


def arange(
    o: Obligations,
    start: Tensor,
    stop: Tensor | None = None,
    step: Tensor | None = None,
    dtype: ElementType | None = None,
) -> SymbolicTensor:
    """Return the integers from a start up to a stop, in steps; floats are exact at the start, and so is the step."""
    lower, upper = (ZERO, exact_size(o, start)) if stop is None else (exact_size(o, start), exact_size(o, stop))
    stride = exact_size(o, step) if step is not None else Affine(1)
    if not stride.is_constant or stride.constant == 0:
        o.refuse("a range with a step that is no constant")
    extent = range_extent(o, lower, upper, stride.constant)
    element: DType = dtype.dtype if dtype else "i64"
    if not is_float(element) and element not in ("i32", "i64"):
        o.refuse("a range of narrow integers")
    if element in NARROW and (lower, stride) != (ZERO, Affine(1)):  # what is added up there is rounded before
        o.refuse(f"a range of {element} that does not count from zero")
    start_and_next = (lower, lower + stride.constant)
    for value in start_and_next if is_float(element) else (lower, lower + (extent - 1) * stride.constant):
        o.fits(f"a range of {element} holds its values", value, element, Domain.of(at_least(extent, 1)))
    counted = "i64" if element in NARROW else element

    def cell(indices: Sequence[Affine]) -> Term:
        return terms.cast(terms.index(indices[0] * stride.constant + lower, counted), element)

    return SymbolicTensor((extent,), element, cell)


def exact_size(o: Obligations, x: SymbolicTensor) -> Affine:
    """Return the size that a rank-0 integer is."""
    value = None if x.rank else affine_of(x.value())
    if value is None:
        o.refuse("an integer that is not affine in the sizes")
    return value


def range_extent(o: Obligations, lower: Affine, upper: Affine, step: int) -> Affine:
    """Return the number of steps from ``lower`` up (or down, for a negative step) to ``upper``, exclusive."""
    distance = upper - lower if step > 0 else lower - upper
    if not o.decide(at_least(distance, 0)):
        return ZERO
    return distance if abs(step) == 1 else o.quotient(distance + abs(step) - 1, abs(step))


def _diagonal_mask(test: Callable[[Affine, Affine], Domain]) -> Callable[[Indices, Affine], Term]:
    return lambda indices, k: mask(test(indices[-2] + k, indices[-1]))


_ON_OR_BELOW = _diagonal_mask(lambda row, column: Domain.of(at_least(row, column)))
_ON_OR_ABOVE = _diagonal_mask(lambda row, column: Domain.of(at_least(column, row)))
_ON = _diagonal_mask(lambda row, column: Domain.of(equal(row, column)))


def _mask_array(  # noqa: PLR0913, PLR0917 - NumPy's parameters
    pick: Callable[[Indices, Affine], Term],
    o: Obligations,
    N: Size,  # noqa: N803 - NumPy's name
    M: Size | None = None,  # noqa: N803 - NumPy's name
    k: Size = ZERO,
    dtype: ElementType | None = None,
) -> SymbolicTensor:
    shape = (N, N if M is None else M)
    check_extents(o, shape)
    element: DType = dtype.dtype if dtype else o.types.real_type(o)
    return SymbolicTensor(shape, element, lambda indices: convert(pick(indices, k), element))


triangle_mask = partial(_mask_array, _ON_OR_BELOW)
diagonal_mask = partial(_mask_array, _ON)


def _masked(pick: Callable[[Indices, Affine], Term], o: Obligations, m: Tensor, k: Size = ZERO) -> SymbolicTensor:
    if m.rank < 2:  # noqa: PLR2004 - a triangle needs rows and columns
        o.refuse("a triangle of less than a matrix")
    zero = terms.zero(m.dtype)
    return m.with_cells(m.shape, lambda indices: choose(pick(indices, k), m.at(indices), zero))


lower_triangle = partial(_masked, _ON_OR_BELOW)
upper_triangle = partial(_masked, _ON_OR_ABOVE)


def _identity(o: Obligations, n: Size, dtype: ElementType | None = None) -> SymbolicTensor:
    tensor = diagonal_mask(o, n, dtype=dtype)
    assert isinstance(tensor, SymbolicTensor)
    return tensor


def broadcast(o: Obligations, array: Tensor, shape: Sizes) -> SymbolicTensor:
    """Return a view with a larger shape."""
    check_extents(o, shape)
    o.types.filled_type(o, array)
    return SymbolicTensor(shape, array.dtype, broadcast_to(o, array, checked_broadcast(o, array, shape)))


def _diagonal_matrix(o: Obligations, v: Tensor, k: Size = ZERO) -> SymbolicTensor:
    if v.rank != 1 or k != ZERO:
        o.refuse("np.diag of anything but the main diagonal from a vector")
    zero = terms.zero(v.dtype)
    return v.with_cells((v.shape[0],) * 2, lambda indices: choose(_ON(indices, ZERO), v.at(indices[:1]), zero))


def _constants(name: str, meaning: Callable[..., SymbolicTensor]) -> OpRow:
    texts = [
        f"np.{name}((m, n))",
        f"np.{name}(n)",
        f"np.{name}((m,), dtype=np.int32)",
        f"np.{name}(())",
        f"np.{name}((n, 3), bool)",
    ]
    return row(f"np.{name}", meaning, *texts)


def _like(name: str, meaning: Callable[..., SymbolicTensor]) -> OpRow:
    samples = (sample(f"np.{name}(a)", a="arith[m, n]"), sample(f"np.{name}(a, dtype=np.float32)", a="arith[m]"))
    return row(f"np.{name}", meaning, *samples, reads_cells=False)


def _masks(name: str, meaning: Callable[..., SymbolicTensor]) -> OpRow:
    texts = [
        f"np.{name}(n)",
        f"np.{name}(m, n)",
        f"np.{name}(m, n, 1)",
        f"np.{name}(m, n, k=-1, dtype=bool)",
        f"np.{name}(n, k=m, dtype=np.int32)",
    ]
    return row(f"np.{name}", meaning, *texts)


def _triangle(name: str, meaning: Callable[..., SymbolicTensor]) -> OpRow:
    texts = [f"np.{name}(a)", f"np.{name}(a, 1)", f"np.{name}(a, k=-1)", f"np.{name}(a, n - m)"]
    return row(f"np.{name}", meaning, *texts, a="arith[m, n]")


ROWS = [
    row(
        "np.full",
        full,
        "np.full((m, n), 3)",
        "np.full(n, 2.5, dtype=np.float32)",
        "np.full((m, n), x)",
        "np.full((m, n), a)",
        "np.full((n,), -np.inf)",
        "np.full((), n)",
        x="arith[]",
        a="number[n]",
    ),
    row("np.full_like", _full_like, "np.full_like(a, 2)", a="number[m, n]"),
    _constants("zeros", partial(constant_array, 0)),
    _constants("ones", partial(constant_array, 1)),
    _like("zeros_like", partial(constant_like, 0)),
    _like("ones_like", partial(constant_like, 1)),
    row(
        "np.empty",
        empty,
        "np.zeros_like(np.empty((m, n), np.int32))",
        "np.zeros_like(np.empty(n))",
        memory=Memory.BLANK,
    ),
    row(
        "np.empty_like",
        _empty_like,
        "np.zeros_like(np.empty_like(a))",
        memory=Memory.BLANK,
        reads_cells=False,
        a="number[m, n]",
    ),
    row(
        "np.arange",
        arange,
        "np.arange(n)",
        "np.arange(m, n)",
        "np.arange(1, m + n)",
        "np.arange(n, dtype=np.int32)",
        "np.arange(n - 1, -1, -1)",
        "np.arange(0, n, 2)",
        "np.arange(m, m + n, 3)",
        "np.arange(n, dtype=np.float64)",
        "np.arange(n)[:, None] * 2 - np.arange(m) + 1",
    ),
    _masks("tri", triangle_mask),
    _masks("eye", diagonal_mask),
    row("np.identity", _identity, "np.identity(n)"),
    _triangle("tril", lower_triangle),
    _triangle("triu", upper_triangle),
    row(
        "np.broadcast_to",
        broadcast,
        "np.broadcast_to(a, (m, n))",
        sample("np.broadcast_to(a[:, None], (m, n))", a="number[m]"),
        "np.broadcast_to(x, (m, n))",
        "np.broadcast_to(2.5, (n,))",
        memory=Memory.WINDOW,
        a="number[n]",
        x="number[]",
    ),
    row("np.diag", _diagonal_matrix, "np.diag(a)", a="number[n]"),
]
