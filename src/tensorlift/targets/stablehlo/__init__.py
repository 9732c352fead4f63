"""The StableHLO target: rows with the meanings of its operations, and an emitter that is loaded when it is asked for.

Programs are written for given sizes, so that every shape is static, or for every size, with shapes that are open.
"""

from __future__ import annotations

from tensorlift.ir.cost import Costs
from tensorlift.targets.mlir_text.promotion import StatedTypes
from tensorlift.targets.stablehlo.rows import ROWS
from tensorlift.targets.target import Target

TARGET = Target(
    name="stablehlo",
    takes_empty=True,
    short_windows=True,
    rows=ROWS,
    types=StatedTypes(),
    modules={},
    element_types={},
    emitter="tensorlift.targets.stablehlo.emit:emit",
    changes_arrays=False,
    library="stablehlo",
    costs=Costs(operation=20000, view=50, cell=0.25, function=2, product=0.05, loose_product=0.16, in_place=0.25),
    language="mlir",
    dialects=("tensorlift.targets.stablehlo.dialect:DIALECT",),
    loops=("stablehlo.while",),
    takes_sizes=True,
)
