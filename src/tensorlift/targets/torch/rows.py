"""Every PyTorch operation that an emitted program may use, one row each."""

from __future__ import annotations

from tensorlift.targets.target import OpRow, by_spelling
from tensorlift.targets.torch import (
    rows_contraction,
    rows_creation,
    rows_functions,
    rows_index,
    rows_operators,
    rows_reduction,
    rows_shape,
)

ROWS: dict[str, OpRow] = by_spelling(
    [
        *rows_operators.ROWS,
        *rows_functions.ROWS,
        *rows_creation.ROWS,
        *rows_shape.ROWS,
        *rows_index.ROWS,
        *rows_reduction.ROWS,
        *rows_contraction.ROWS,
    ]
)
