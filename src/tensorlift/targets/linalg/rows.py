"""Every operation that an emitted program may use, one row each."""

from __future__ import annotations

from dataclasses import replace

from tensorlift.targets.linalg import rows_named, rows_scalar, rows_tensor
from tensorlift.targets.linalg.probes import probes
from tensorlift.targets.target import by_spelling

_LISTED = (*rows_named.ROWS, *rows_tensor.ROWS, *rows_scalar.ROWS)
ROWS = by_spelling(replace(row, probe=probes) for row in _LISTED)
