"""Every JAX operation that an emitted program may use, one row each: most are NumPy's under another name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

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
from tensorlift.targets.jax import rows_own
from tensorlift.targets.target import OpRow, by_spelling

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import Sample

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
        *rows_own.UPDATES,
        *rows_own.ROWS,
    ]
)
