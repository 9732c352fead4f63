"""The C target: plain loops and calls of BLAS in the memory of the caller; programs are read back by the front end."""

from __future__ import annotations

from tensorlift.targets.c.routines import ROUTINES
from tensorlift.targets.numpy.types import NumpyTypes
from tensorlift.targets.target import Target

TARGET = Target(
    name="c",
    rows={},
    types=NumpyTypes(),
    modules={},
    element_types={},
    emitter="tensorlift.targets.c.emit:emit",
    language="c",
    routines=ROUTINES,
)
