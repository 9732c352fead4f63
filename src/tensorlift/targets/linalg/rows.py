"""Every operation that an emitted program may use, one row each."""

from __future__ import annotations

from tensorlift.targets.linalg import rows_named, rows_scalar, rows_tensor
from tensorlift.targets.target import by_spelling

ROWS = by_spelling([*rows_named.ROWS, *rows_tensor.ROWS, *rows_scalar.ROWS])
