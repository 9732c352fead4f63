"""Every NumPy operation that an emitted program may use, one row each."""

from __future__ import annotations

from tensorlift.targets.numpy import (
    rows_arithmetic,
    rows_contraction,
    rows_creation,
    rows_functions,
    rows_index,
    rows_logic,
    rows_reduction,
    rows_shape,
)
from tensorlift.targets.target import OpRow, by_spelling

ROWS: dict[str, OpRow] = by_spelling(
    [
        *rows_arithmetic.ROWS,
        *rows_logic.ROWS,
        *rows_functions.ROWS,
        *rows_creation.ROWS,
        *rows_shape.ROWS,
        *rows_index.ROWS,
        *rows_reduction.ROWS,
        *rows_contraction.ROWS,
    ]
)
