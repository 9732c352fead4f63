"""Every StableHLO operation that an emitted program may use, one row each."""

from __future__ import annotations

from tensorlift.targets.stablehlo import (
    rows_dynamic,
    rows_elementwise,
    rows_fold,
    rows_scatter,
    rows_shape,
)
from tensorlift.targets.target import by_spelling

_TABLES = (rows_elementwise, rows_shape, rows_dynamic, rows_fold, rows_scatter)
ROWS = by_spelling([*(row for table in _TABLES for row in table.ROWS), *rows_fold.CONVOLUTIONS])
