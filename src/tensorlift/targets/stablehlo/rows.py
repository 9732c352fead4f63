"""Every StableHLO operation that an emitted program may use, one row each."""

from __future__ import annotations

from tensorlift.targets.stablehlo import rows_convolution, rows_elementwise, rows_fold, rows_shape
from tensorlift.targets.target import by_spelling

ROWS = by_spelling([*rows_elementwise.ROWS, *rows_shape.ROWS, *rows_fold.ROWS, *rows_convolution.ROWS])
