"""The NumPy target: rows with the meanings of NumPy 2, and an emitter that is loaded when it is asked for."""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.targets.arrays import arithmetic, functions, logic, reduction
from tensorlift.targets.arrays.functions import ELEMENT_TYPES
from tensorlift.targets.numpy.rows import ROWS
from tensorlift.targets.numpy.types import NumpyTypes
from tensorlift.targets.target import Overlaps, Target

_PRODUCTS = {"np.dot", ".dot()", "np.vdot", "np.inner", "np.einsum", "np.trace"}

# NumPy's universal functions: one row each, but for what has a pair of parentheses, a conversion.
_UNIVERSAL = {
    row.spelling
    for row in (*arithmetic.ROWS, *functions.ROWS, *logic.ROWS)
    if row.spelling.startswith("np.") and not row.spelling.endswith("()")
} - {"np.where", "np.copy", "np.array"}

# Of rank 0 their results are NumPy's scalars; those of others, np.where among them, are arrays.
NUMBERS = frozenset(
    {spelling for spelling in ROWS if not (spelling[0].isalpha() or spelling[0] == ".")}
    | {row.spelling for row in reduction.ROWS}
    | _UNIVERSAL
    | _PRODUCTS
    | {"x[]"}
)

TARGET = Target(
    name="numpy",
    takes_empty=True,
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
    overlaps=Overlaps.STRIDED,
    numbers=NUMBERS,
    costs=Costs(
        operation=2000,
        view=250,
        cell=0.21,
        function=5,
        product=0.05,
        loose_product=0.13,
        along=1.6,
        inner=10,
        in_place=0.21,
    ),
    forms=frozenset({"sliced", "blocked", "stacked", "copied"}),
)
