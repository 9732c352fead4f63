"""The Linalg target: operations on tensors of open extents, with those of the dialects around it.

Programs take tensors and give new ones; upstream's passes put them into memory.
"""

from __future__ import annotations

from tensorlift.ir.cost import Costs
from tensorlift.targets.linalg.rows import ROWS
from tensorlift.targets.mlir_text.rows import StatedTypes
from tensorlift.targets.target import Target

TARGET = Target(
    name="linalg",
    takes_empty=True,
    short_windows=True,
    rows=ROWS,
    types=StatedTypes(),
    modules={},
    element_types={},
    emitter="tensorlift.targets.linalg.emit:emit",
    changes_arrays=False,
    library="linalg",
    costs=Costs(operation=75, view=0, cell=0.48, function=10, product=0.5, loose_product=0.14, in_place=0.48),
    language="mlir",
    has_numbers=True,
    loops=("scf.for",),
    dialects=(
        "tensorlift.targets.linalg.dialect:LINALG",
        "tensorlift.targets.linalg.dialect:AFFINE",
        "tensorlift.targets.linalg.dialect:ARITH",
        "xdsl.dialects.math:Math",
        "xdsl.dialects.scf:Scf",
        "xdsl.dialects.tensor:Tensor",
    ),
)
