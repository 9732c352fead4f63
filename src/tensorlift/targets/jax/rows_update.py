"""Functional updates: ``x.at[...].set(value)`` and its kin give a new array; the old one stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.targets.arrays import arithmetic, index
from tensorlift.targets.target import OpRow, Subscripts, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.targets.target import Meaning, Sample

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


def _updated(op: str) -> Meaning:
    combine = _BINARY[op]

    def meaning(o: Obligations, x: Tensor, items: Subscripts, values: Tensor) -> SymbolicTensor:
        _require_fitting(o, x, values)
        if x.dtype == "bool":
            o.refuse("arithmetic on cells that are truth values, which JAX does not update so")
        return index.store(o, x, items, combine(o, index.subscript(o, x, items), values))

    return meaning


def _require_fitting(o: Obligations, x: SymbolicTensor, values: SymbolicTensor) -> None:
    if o.types.result_type(o, (x, values)) != x.dtype:
        o.refuse(f"values are stored in the narrower type {x.dtype}")


_BINARY: dict[str, Callable[[Obligations, SymbolicTensor, SymbolicTensor], SymbolicTensor]] = {
    "add": arithmetic.plain("add", operator=True),
    "subtract": arithmetic.plain("sub", operator=True),
    "multiply": arithmetic.plain("mul", operator=True),
    "divide": arithmetic.true_divide(operator=True),
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

ROWS = [
    _row("set", _set, "number", *_STRIDED),
    *(_row(name, _updated(name), "positive_real") for name in _BINARY),
]
