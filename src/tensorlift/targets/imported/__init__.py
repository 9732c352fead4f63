"""Targets that are dialects imported from their definition: the file that ``tensorlift target add`` writes.

Beside the operations of the dialect programs have what every program over tensors of open extents needs: slices and
extents of tensors, arithmetic on single numbers, loops that stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.targets.imported.rows import rows_of
from tensorlift.targets.linalg import TARGET as LINALG
from tensorlift.targets.mlir_text.rows import StatedTypes
from tensorlift.targets.target import Target

if TYPE_CHECKING:
    from tensorlift.targets.imported.record import ImportedDialect

_GLUE = ("tensor", "affine", "arith", "math")
_DIALECTS = tuple(place for place in LINALG.dialects if not place.endswith(":LINALG"))  # it may be what is imported


def target_of(dialect: ImportedDialect, name: str) -> Target:
    """Return an imported dialect as a target of some name."""
    glue = {s: row for s, row in LINALG.rows.items() if s.partition(".")[0] in _GLUE}
    return Target(
        name=name,
        rows={**rows_of(dialect.instances, dialect.irdl), **glue},
        types=StatedTypes(),
        modules={},
        element_types={},
        emitter="tensorlift.targets.imported.emit:emit",
        changes_arrays=False,
        library="imported",
        language="mlir",
        has_numbers=True,
        loops=LINALG.loops,
        dialects=_DIALECTS,
        instances=dialect.instances,
    )
