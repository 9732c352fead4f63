"""Operations that JAX has beside NumPy's, or in which it differs from NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ZERO
from tensorlift.targets.arrays import creation, functions, reduction
from tensorlift.targets.target import Axes, ElementType, Flag, OpRow, Size, Tensor, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.targets.target import Meaning


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


def _running_extreme(op: Reducer) -> Meaning:
    def meaning(o: Obligations, operand: Tensor, axis: int = 0) -> SymbolicTensor:
        return reduction.running(op, default_axis=0)(o, operand, axis)

    return meaning


def _of_lax(name: str, op: Reducer) -> OpRow:
    texts = (f"lax.{name}(a)", f"lax.{name}(a, axis=1)")
    return row(f"lax.{name}", _running_extreme(op), *tuple(sample(text, 0, a="number[m, n]") for text in texts))


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

ROWS = [
    row("jnp.asarray", functions.new_array, "jnp.asarray(a)", a="arith[m]"),
    row("jnp.tri", _tri, *tuple(sample(f"jnp.tri{text}") for text in _TRIANGLES)),
    row(".sum()", _sum, *tuple(sample(f"a.sum{text}", a="arith[m, n]") for text in _SUMS), name="method sum"),
    _of_lax("cummax", "max"),
    _of_lax("cummin", "min"),
    _ignoring_nan("nanmax", "fmax"),
    _ignoring_nan("nanmin", "fmin"),
]
