"""The C target: plain loops and calls of BLAS in the memory of the caller; programs are read back by the front end."""

from __future__ import annotations

from tensorlift.ir.cost import Costs
from tensorlift.targets.c.routines import ROUTINES
from tensorlift.targets.numpy import NumpyTypes
from tensorlift.targets.target import Target

TARGET = Target(
    name="c",
    rows={},
    types=NumpyTypes(),
    emitter="tensorlift.targets.c.emit:emit",
    costs=Costs(operation=56, view=0, cell=0.08, function=5, product=0.05, loose_product=0.07, in_place=0.08),
    language="c",
    routines=ROUTINES,
)
