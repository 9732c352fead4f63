"""The PyTorch target: rows with the meanings of torch, and an emitter that is loaded when it is asked for.

Slices are views and are stored into, as in NumPy, with two differences: a subscript for a single cell is a view too,
and a store of a view of the same memory is no copy.  What depends on PyTorch's default type has no meaning here.

Types of PyTorch's results: tensors with axes count before those without, and these before Python numbers.

An operand of a lower rank in this order changes the type only where it is of a higher category (truth values, integers,
reals).  A Python float among integers gives PyTorch's default type, which a program can change: it has no meaning here.

Every PyTorch operation that an emitted program may use, one row each.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.ops.dtypes import HALVES, DType, is_float, is_integer, width
from tensorlift.targets.arrays import spans
from tensorlift.targets.arrays.contraction import SUM_OF_ARRAYS
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand, kind_of, operator_strength, promote_integers
from tensorlift.targets.target import Overlaps, Target, by_spelling
from tensorlift.targets.torch import helpers, rows_functions, rows_scatter, rows_shape
from tensorlift.targets.torch.rows_functions import ELEMENT_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor


ROWS = by_spelling(
    [
        *rows_functions.ROWS,
        *rows_shape.ROWS,
        *rows_scatter.ROWS,
        *spans.rows_of("torch.arange"),
        *spans.spreads_of("torch.arange"),
        SUM_OF_ARRAYS,
    ]
)


class TorchTypes(ArrayTypes):
    """Type rules of torch."""

    of_negative_reals = "PyTorch promises nothing of negative reals as unsigned integers"

    def common(self, o: Obligations, operands: Sequence[Operand]) -> DType:
        """Return the common type of operands, as ``torch.result_type`` does."""
        ranked: tuple[list[DType], ...] = (
            [p.dtype for p in operands if p.is_strong and p.rank],
            [p.dtype for p in operands if p.is_strong and not p.rank],
            [kind_of(p.dtype) for p in operands if not p.is_strong],
        )
        strong = [reduce(promote, types) for types in ranked[:2] if types]
        result = _combined(strong)
        if not ranked[2]:
            assert result is not None
            return result
        weak = reduce(promote, ranked[2])
        if result is None:
            return weak
        if is_float(weak) and not is_float(result):
            o.refuse("a Python float among integers has PyTorch's default type; convert the integers first")
        return _combined([result, weak]) or weak

    def float_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type in which a function of reals is computed."""
        if not is_float(dtype):
            o.refuse("a function of reals has PyTorch's default type for integers; convert them first")
        return dtype

    def function_strength(self, o: Obligations, tensors: Sequence[SymbolicTensor]) -> Strength:
        """Return that a function gives a tensor; it needs one among its operands."""
        if operator_strength(tensors) is not Strength.STRONG:
            o.refuse("a function of Python numbers alone; make a tensor of one, as torch.as_tensor(x) does")
        return Strength.STRONG

    def filled_type(self, o: Obligations, value: SymbolicTensor) -> DType:
        """Return the element type of a tensor that is filled with a value, which must have a type."""
        if not value.is_strong:
            o.refuse("a tensor of Python numbers may have PyTorch's default type; name its dtype")
        return value.dtype

    def real_type(self, o: Obligations) -> DType:
        """Refuse what has PyTorch's default type."""
        return o.refuse("a tensor without dtype has PyTorch's default type; name its dtype")

    def check_difference(self, o: Obligations, operands: Sequence[SymbolicTensor]) -> None:
        """Refuse truth values beside a tensor, of whatever type."""
        if any(t.dtype == "bool" for t in operands) and any(t.is_strong for t in operands):
            o.refuse("PyTorch subtracts no truth values; convert them to integers first")

    def sum_type(self, dtype: DType) -> DType:
        """Return the type of a sum or product: integers and truth values are widened to 64 bits."""
        return dtype if is_float(dtype) else "i64"


def promote(left: DType, right: DType) -> DType:
    """Return the common type of two types of one rank, as ``torch.promote_types`` does."""
    floats = [dtype for dtype in (left, right) if is_float(dtype)]
    if set(floats) == set(HALVES):
        return "f32"
    return max(floats, key=width) if floats else promote_integers(left, right)


def _combined(types: Sequence[DType]) -> DType | None:
    """Return the type of operands in descending rank: a later one counts where its category is higher."""
    result: DType | None = None
    for dtype in types:
        if result is None or _category(dtype) > _category(result):
            result = dtype if result is None else promote(result, dtype)
    return result


def _category(dtype: DType) -> int:
    return 2 if is_float(dtype) else 1 if is_integer(dtype) else 0


TARGET = Target(
    name="torch",
    is_interpreted=True,
    takes_empty=True,
    rows=ROWS,
    types=TorchTypes(),
    modules={"torch": "import torch"},
    element_types=ELEMENT_TYPES,
    constants={
        "torch.inf": scalar_value(terms.apply("infinity"), Strength.WEAK),
        "torch.nan": scalar_value(terms.apply("nan"), Strength.WEAK),
    },
    table="torch.tensor",
    emitter="tensorlift.targets.torch.emit:emit",
    overlaps=Overlaps.LOST,
    segmented=frozenset({"pairs", "spread"}),
    helpers=helpers.HELPERS,
    library="torch",
    costs=Costs(operation=3500, view=800, cell=0.25, function=2, product=0.05, loose_product=0.17, in_place=0.12),
    forms=frozenset({"skewed", "sliced", "blocked", "stacked", "in place"}),
)
