"""Every NumPy operation that an emitted program may use, one row each."""

from __future__ import annotations

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
from tensorlift.targets.target import OpRow, by_spelling

ROWS: dict[str, OpRow] = by_spelling(
    [
        *arithmetic.ROWS,
        *logic.ROWS,
        *functions.ROWS,
        *creation.ROWS,
        *shape.ROWS,
        *index.ROWS,
        *reduction.ROWS,
        *contraction.ROWS,
    ]
)
