"""Every JAX operation that an emitted program may use, one row each: most are NumPy's under another name.

Operations that JAX has beside NumPy's, or in which it differs from NumPy.

``x.at[...].set(value)`` and its kin give a new array; the old one stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ZERO
from tensorlift.targets.arrays import (
    arithmetic,
    contraction,
    creation,
    functions,
    index,
    logic,
    reduction,
    shape,
)
from tensorlift.targets.target import Axes, ElementType, Flag, OpRow, Size, Subscripts, Tensor, by_spelling, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.arrays.arithmetic import Binary
    from tensorlift.targets.target import Meaning, Sample


def _tri(
    o: Obligations,
    N: Size,  # noqa: N803 - NumPy's name
    M: Size | None = None,  # noqa: N803 - NumPy's name
    k: Size = ZERO,
    *,
    dtype: ElementType,
) -> SymbolicTensor:
    """Without an element type it is single precision, unlike the rest of JAX."""
    return creation.triangle_mask(o, N, M, k, dtype)


def _sum(  # noqa: PLR0913 - JAX's parameters
    o: Obligations,
    a: Tensor,
    axis: Axes = None,
    dtype: ElementType | None = None,
    *,
    keepdims: Flag = False,
    where: Tensor | None = None,
) -> SymbolicTensor:
    """Sum without ``initial``, which the method ignores, unlike the function."""
    return reduction.reduction("sum")(o, a, axis, dtype, keepdims=keepdims, where=where)


def _running_extreme(op: Reducer, o: Obligations, operand: Tensor, axis: int = 0) -> SymbolicTensor:
    return reduction.running(op, default_axis=0)(o, operand, axis)


def _of_lax(name: str, op: Reducer) -> OpRow:
    texts = (f"lax.{name}(a)", f"lax.{name}(a, axis=1)")
    return row(
        f"lax.{name}", partial(_running_extreme, op), *tuple(sample(text, 0, a="number[m, n]") for text in texts)
    )


def _ignoring_nan(name: str, op: Reducer) -> OpRow:
    infinite = "-jnp.inf" if op == "fmax" else "jnp.inf"
    samples = (
        sample(f"jnp.{name}(a)", 1, a="number[m, n]"),
        sample(f"jnp.{name}(a, axis=1)", 1, a="real[m, n]"),
        sample(f"jnp.{name}(a, axis=0, initial={infinite})", 0, a="real[m, n]"),
    )
    return row(f"jnp.{name}", reduction.reduction(op), *samples)


_TRIANGLES = ("(n, dtype=bool)", "(m, n, dtype=jnp.int32)", "(m, n, 1, dtype=bool)", "(m, n, k=-1, dtype=jnp.float64)")
_SUMS = ("()", "(axis=0)", "(axis=(0, 1))", "(axis=-1, keepdims=True)", "(axis=0, dtype=jnp.int32)", "(where=a > 1)")

_OWN = [
    row("jnp.asarray", functions.new_array, "jnp.asarray(a)", a="arith[m]"),
    row("jnp.tri", _tri, *tuple(sample(f"jnp.tri{text}") for text in _TRIANGLES)),
    row(".sum()", _sum, *tuple(sample(f"a.sum{text}", a="arith[m, n]") for text in _SUMS), name="method sum"),
    _of_lax("cummax", "max"),
    _of_lax("cummin", "min"),
    _ignoring_nan("nanmax", "fmax"),
    _ignoring_nan("nanmin", "fmin"),
]


_TEXTS = [
    "a.at[0].{}(1)",
    "a.at[-1].{}(b)",
    "a.at[:, 0].{}(2)",
    "a.at[0, n - 1].{}(b[0])",
    "a.at[:-1, 1:].{}(b[1:])",
    "a.at[:, ::-1].{}(b)",
    "a.at[...].{}(b)",
    "a.at[1:-1, 1:-1].{}(1)",
    "a.at[:, n:].{}(7)",
]


def _set(o: Obligations, x: Tensor, items: Subscripts, values: Tensor) -> SymbolicTensor:
    _require_fitting(o, x, values)
    return index.store(o, x, items, values)


def _updated(combine: Binary, o: Obligations, x: Tensor, items: Subscripts, values: Tensor) -> SymbolicTensor:
    _require_fitting(o, x, values)
    if x.dtype == "bool":
        o.refuse("arithmetic on cells that are truth values, which JAX does not update so")
    return index.store(o, x, items, combine(o, index.subscript(o, x, items), values))


def _require_fitting(o: Obligations, x: SymbolicTensor, values: SymbolicTensor) -> None:
    if o.types.result_type(o, (x, values)) != x.dtype:
        o.refuse(f"values are stored in the narrower type {x.dtype}")


_BINARY: dict[str, Binary] = {
    "add": partial(arithmetic.plain, "add", arithmetic.OPERATOR),
    "subtract": partial(arithmetic.plain, "sub", arithmetic.OPERATOR),
    "multiply": partial(arithmetic.plain, "mul", arithmetic.OPERATOR),
    "divide": partial(arithmetic.true_divide, arithmetic.OPERATOR),
}


def _row(name: str, meaning: Meaning, kind: str, *more: Sample) -> OpRow:
    samples = (
        *(sample(text.format(name), 1, a=f"{kind}[m, n]", b=f"{kind}[n]") for text in _TEXTS),
        sample(f"a.at[:, 1:].{name}(a[:, :-1])", 1, a=f"{kind}[m, n]"),
        *more,
    )
    return row(f".at[].{name}()", meaning, *samples, name=f"update {name}")


_STRIDED = tuple(
    sample(text, 1, a="f64[m, n]", b="f64[n]") for text in ("a.at[::2].set(b[0])", "a.at[1::2, ::-2].set(1)")
)

_UPDATES = [
    _row("set", _set, "number", *_STRIDED),
    *(_row(name, partial(_updated, combine), "positive_real") for name, combine in _BINARY.items()),
]


_NUMPY = re.compile(r"(?<![\w.])np\.")
# Operations of NumPy that JAX does not have, or that fail on the values of a transformed function.
_ABSENT = {
    "x[] =", "np.empty", "np.empty_like", "int()", "float()", "np.bool", "sliding_window_view",
    "np.lib.stride_tricks.sliding_window_view", "np.fmax.reduce", "np.fmin.reduce", "np.fmax.accumulate",
    "np.fmin.accumulate", "np.divide.outer", "np.tri", ".sum()",
}  # fmt: skip


# Samples whose results would be weakly typed, or whose types have other names.
_UNTYPED = {
    "np.where(a > 0, 1, 2)", "np.full((m, n), 3)", "np.full((n,), -np.inf)", "np.full((), n)",
    "np.broadcast_to(2.5, (n,))", "a.astype(int)", "a.astype(float)", "(a > 0).astype(float)",
}  # fmt: skip


def _renamed(text: str) -> str:
    return _NUMPY.sub("jnp.", text)


def _renamed_sample(entry: Sample) -> Sample:
    return entry._replace(text=_renamed(entry.text))


def _as_jax(row: OpRow) -> OpRow:
    samples = tuple(_renamed_sample(entry) for entry in row.samples if entry.text not in _UNTYPED)
    return replace(row, spelling=_renamed(row.spelling), samples=samples)


ELEMENT_TYPES: dict[str, DType] = {
    _renamed(name): dtype for name, dtype in functions.ELEMENT_TYPES.items() if name.startswith("np.") or name == "bool"
}


_SHARED = [
    *arithmetic.ROWS,
    *logic.ROWS,
    *functions.ROWS,
    *creation.ROWS,
    *shape.ROWS,
    *index.ROWS,
    *reduction.ROWS,
    *contraction.ROWS,
]

ROWS: dict[str, OpRow] = by_spelling(
    [
        *(_as_jax(row) for row in _SHARED if row.spelling not in _ABSENT),
        *_UPDATES,
        *_OWN,
    ]
)
