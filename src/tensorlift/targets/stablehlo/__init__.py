"""The StableHLO target: rows with the meanings of its operations, and an emitter that is loaded when it is asked for.

Programs are written for given sizes, so that every shape is static, or for every size, with shapes that are open.

Every StableHLO operation that an emitted program may use, one row each.
"""

from __future__ import annotations

from tensorlift.ir.cost import Costs
from tensorlift.targets.mlir_text.rows import StatedTypes
from tensorlift.targets.stablehlo import rows_elementwise, rows_fold, rows_scatter, rows_shape
from tensorlift.targets.target import Target, by_spelling

_TABLES = (rows_elementwise, rows_shape, rows_fold, rows_scatter)

TARGET = Target(
    name="stablehlo",
    takes_empty=True,
    short_windows=True,
    segmented=frozenset({"pairs"}),
    rows=by_spelling(row for table in _TABLES for row in table.ROWS),
    types=StatedTypes(),
    emitter="tensorlift.targets.stablehlo.emit:emit",
    changes_arrays=False,
    library="stablehlo",
    costs=Costs(operation=20000, view=50, cell=0.25, function=2, product=0.05, loose_product=0.16, in_place=0.25),
    language="mlir",
    dialects=("tensorlift.targets.stablehlo.dialect:DIALECT",),
    loops=("stablehlo.while",),
    takes_sizes=True,
)
