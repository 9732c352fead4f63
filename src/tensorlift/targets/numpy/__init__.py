"""The NumPy target: rows with the meanings of NumPy 2, and an emitter that is loaded when it is asked for.

Types of NumPy 2's results (NEP 50): arrays and NumPy scalars count by type, Python numbers only by kind.

Every NumPy operation that an emitted program may use, one row each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor, scalar_value
from tensorlift.ir.cost import Costs
from tensorlift.ops.dtypes import DType, is_float, width
from tensorlift.targets.arrays import (
    arithmetic,
    compaction,
    contraction,
    creation,
    functions,
    index,
    logic,
    reduction,
    scatter,
    shape,
    spans,
)
from tensorlift.targets.arrays.functions import ELEMENT_TYPES
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand, kind_of, operator_strength, promote_integers
from tensorlift.targets.numpy import helpers
from tensorlift.targets.target import Overlaps, Target, by_spelling, row

if TYPE_CHECKING:
    from collections.abc import Sequence


_TABLES = (arithmetic, logic, functions, creation, shape, index, scatter, compaction, reduction, contraction)
ROWS = by_spelling(
    [
        *(row for table in _TABLES for row in table.ROWS),
        *spans.spreads_of("np.arange"),
        row(
            "x if c else y", logic.conditional,
            "a[0] if a[1] > 0 else b[0]", "1.0 if a[0] > b[0] else 0.0", "a[1] if b[0] > 0 else -(a @ a)",
            name="conditional expression", a="number[2]", b="number[1]",
        ),
        row("not x", logic.opposite, "not a[0] > b[0]", name="operator not", a="number[1]", b="number[1]"),
    ]
)  # fmt: skip


class NumpyTypes(ArrayTypes):
    """Type rules of NumPy 2."""

    def common(self, o: Obligations, operands: Sequence[Operand]) -> DType:  # noqa: ARG002 - every combination has a type
        """Return the common type of operands, as ``np.result_type`` does."""
        result: DType | None = None
        for operand in operands:
            if operand.is_strong:
                result = operand.dtype if result is None else promote(result, operand.dtype)
        for operand in operands:
            if not operand.is_strong:
                result = kind_of(operand.dtype) if result is None else _promote_weak(result, operand.dtype)
        if result is None:
            raise ValueError("no operands")
        return result

    def float_type(self, o: Obligations, dtype: DType) -> DType:  # noqa: ARG002 - every type has one
        """Return the type in which a function of reals is computed: the narrowest float that has room for integers."""
        return dtype if is_float(dtype) else _float_for(dtype)

    def quotient_type(self, o: Obligations, dtype: DType) -> DType:  # noqa: ARG002 - every type has a quotient
        """Return the type of ``/``: that of reals, double precision for integers."""
        return dtype if is_float(dtype) else "f64"

    def function_strength(self, o: Obligations, tensors: Sequence[SymbolicTensor]) -> Strength:
        """Return that a function gives a value of NumPy's own, in double precision for a Python float."""
        if operator_strength(tensors) is Strength.EITHER and any(t.dtype != "f64" for t in tensors):
            o.refuse("the type depends on how the scalar is given; convert it first, as np.float32(x) does")
        return Strength.STRONG

    def filled_type(self, o: Obligations, value: SymbolicTensor) -> DType:
        """Return the element type of an array that is filled with a value."""
        if value.strength is Strength.EITHER and value.dtype != "f64":
            o.refuse("the element type depends on how the scalar is given; convert it first, as np.float32(x) does")
        return value.dtype

    def real_type(self, o: Obligations) -> DType:  # noqa: ARG002 - NumPy has one default
        """Return double precision."""
        return "f64"


def promote(left: DType, right: DType) -> DType:
    """Return the common type of two types, as ``np.promote_types`` does."""
    if right in (left, "bool") or not (is_float(left) or is_float(right)):
        return promote_integers(left, right)
    return right if left == "bool" else _promote_floats(left, right)


def _promote_floats(left: DType, right: DType) -> DType:
    if is_float(left) and is_float(right):
        return max(left, right, key=width)
    floating, integer = (left, right) if is_float(left) else (right, left)
    return max(floating, _float_for(integer), key=width)


def _float_for(integer: DType) -> DType:
    """Return the float type of at least twice the width of integers, double precision for wide ones."""
    return {8: "f16", 16: "f32"}.get(max(width(integer), 8), "f64")  # type: ignore[return-value]  # one of the types


def _promote_weak(strong: DType, weak: DType) -> DType:
    if weak == "bool" or is_float(strong):
        return strong
    if is_float(weak):
        return "f64"
    return "i64" if strong == "bool" else strong


_PRODUCTS = {"np.dot", ".dot()", "np.vdot", "np.inner", "np.einsum", "np.trace"}

# NumPy's universal functions, and conversions (`np.int32(x)`): one row each.
_UNIVERSAL = {
    row.spelling for row in (*arithmetic.ROWS, *functions.ROWS, *logic.ROWS) if row.spelling.startswith("np.")
} - {"np.where", "np.copy", "np.array"}

# Of rank 0 their results are NumPy's scalars; those of others, np.where among them, are arrays.
NUMBERS = frozenset(
    {spelling for spelling in ROWS if not (spelling[0].isalpha() or spelling[0] == ".")}
    | {row.spelling for row in reduction.ROWS if not row.spelling.endswith(".reduceat")}
    | _UNIVERSAL
    | _PRODUCTS
    | {"x[]"}
)

TARGET = Target(
    name="numpy",
    is_interpreted=True,
    takes_empty=True,
    segmented=frozenset({"lists", "spread"}),
    helpers=helpers.HELPERS,
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
    table="np.array",
    emitter="tensorlift.targets.numpy.emit:emit",
    guarder="tensorlift.targets.python_text.wrap:guarded",
    overlaps=Overlaps.STRIDED,
    orders_stores=True,
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
    forms=frozenset({"skewed", "sliced", "blocked", "stacked", "copied"}),
)
