"""Every PyTorch operation that an emitted program may use, one row each."""

from __future__ import annotations

from tensorlift.targets.target import OpRow, by_spelling
from tensorlift.targets.torch import (
    rows_creation,
    rows_functions,
    rows_reduction,
    rows_shape,
)

ROWS: dict[str, OpRow] = by_spelling(
    [
        *rows_functions.ROWS,
        *rows_creation.ROWS,
        *rows_shape.ROWS,
        *rows_reduction.ROWS,
    ]
)
