"""The PyTorch target: rows with the meanings of torch, and an emitter that is loaded when it is asked for.

Slices are views and are stored into, as in NumPy, with two differences: a subscript for a single cell is a view too,
and a store of a view of the same memory is no copy.  What depends on PyTorch's default type has no meaning here.
"""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.targets.target import Overlaps, Target
from tensorlift.targets.torch.rows import ROWS
from tensorlift.targets.torch.rows_functions import ELEMENT_TYPES
from tensorlift.targets.torch.types import TorchTypes

TARGET = Target(
    name="torch",
    takes_empty=True,
    rows=ROWS,
    types=TorchTypes(),
    modules={"torch": "import torch"},
    element_types=ELEMENT_TYPES,
    constants={
        "torch.inf": scalar_value(terms.apply("infinity"), Strength.WEAK),
        "torch.nan": scalar_value(terms.apply("nan"), Strength.WEAK),
    },
    emitter="tensorlift.targets.torch.emit:emit",
    overlaps=Overlaps.LOST,
    library="torch",
    costs=Costs(operation=3500, view=800, cell=0.25, function=2, product=0.05, loose_product=0.17, in_place=0.12),
    forms=frozenset({"sliced", "blocked", "stacked", "in place"}),
)
