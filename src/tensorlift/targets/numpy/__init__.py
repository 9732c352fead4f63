"""The NumPy target: rows with the meanings of NumPy 2, and an emitter that is loaded when it is asked for."""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.targets.arrays.functions import ELEMENT_TYPES
from tensorlift.targets.numpy.rows import ROWS
from tensorlift.targets.numpy.types import NumpyTypes
from tensorlift.targets.target import Target

TARGET = Target(
    name="numpy",
    rows=ROWS,
    types=NumpyTypes(),
    modules={
        "np": "import numpy as np",
        "sliding_window_view": "from numpy.lib.stride_tricks import sliding_window_view",
    },
    element_types=ELEMENT_TYPES,
    constants={
        "np.inf": scalar_value(terms.apply("infinity"), Strength.WEAK),
        "np.nan": scalar_value(terms.apply("nan"), Strength.WEAK),
        "np.newaxis": None,
    },
    emitter="tensorlift.targets.numpy.emit:emit",
    guarder="tensorlift.targets.python_text.guards:guarded",
)
