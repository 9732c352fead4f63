"""What the meaning of a row is called with: operands, attributes, regions and result types of an operation."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, isnan
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
)

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, equal
from tensorlift.comprehension.tensor import SymbolicTensor, convert, pieces
from tensorlift.targets.mlir_text.operations import SplatAttr
from tensorlift.targets.mlir_text.rows import ResultType
from tensorlift.targets.mlir_text.types import dtype_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType

_TRIPLE = 3


def attribute_value(kind: str, attribute: Attribute) -> object:
    """Return an attribute as a kind of argument.

    Raises:
        TypeError: where it is none of that kind.

    """
    convert = _CONVERTERS.get(kind)
    if convert is not None:
        return convert(attribute)
    content: object = getattr(attribute, "data", None)  # an attribute that a dialect defines with its rows
    if type(content).__name__ != kind:
        raise TypeError
    return content


def result_type(kind: Attribute) -> ResultType:
    """Return the type of a tensor, whose extents are all stated.

    Raises:
        TypeError: where it is no such type.

    """
    dtype = element_type(kind)
    if not isinstance(kind, TensorType) or min(kind.get_shape(), default=0) < 0:
        raise TypeError
    return ResultType(tuple(map(Affine, kind.get_shape())), dtype)


def element_type(kind: Attribute) -> DType:
    """Return the element type of a tensor, whose extents may be open.

    Raises:
        TypeError: where it is none.

    """
    dtype = dtype_of(kind.element_type) if isinstance(kind, TensorType) else None
    if dtype is None:
        raise TypeError
    return dtype


def _ints(attribute: Attribute) -> tuple[int, ...]:
    if not isinstance(attribute, DenseArrayBase):
        raise TypeError
    return tuple(int(value) for value in attribute.get_values())


def _labels(attribute: Attribute) -> tuple[str, ...]:
    if not isinstance(attribute, ArrayAttr):
        raise TypeError
    return tuple(map(_text, attribute))


def _ranges(attribute: Attribute) -> tuple[tuple[int, ...], ...]:
    values = _ints(attribute)
    return tuple(values[k : k + _TRIPLE] for k in range(0, len(values), _TRIPLE))


def _pairs(attribute: Attribute) -> tuple[tuple[int, int], ...]:
    if not isinstance(attribute, DenseIntOrFPElementsAttr):
        raise TypeError
    values = [int(value) for value in attribute.get_values()]
    return tuple(zip(values[::2], values[1::2], strict=True))


def _integer(attribute: Attribute) -> int:
    if not isinstance(attribute, IntegerAttr):
        raise TypeError
    return attribute.value.data


def _flag(attribute: Attribute) -> bool:
    if not isinstance(attribute, IntegerAttr) or attribute.type != i1:
        raise TypeError
    return bool(attribute.value.data)


def _text(attribute: Attribute) -> str:
    if not isinstance(attribute, StringAttr):
        raise TypeError
    return attribute.data


def _number(attribute: Attribute) -> SymbolicTensor:
    """Return a tensor that holds one number everywhere, or a vector."""
    if not isinstance(attribute, SplatAttr):
        raise TypeError
    kind, value = result_type(attribute.data.type), attribute.data.value
    if isinstance(value, tuple):
        numbers = [number_term(number, kind.dtype) for number in value]
        return SymbolicTensor(kind.shape, kind.dtype, lambda at: _listed(numbers, at[0]))
    cell = number_term(value, kind.dtype)
    return SymbolicTensor(kind.shape, kind.dtype, lambda _: cell)


def _listed(numbers: Sequence[Term], index: Affine) -> Term:
    """Return the number at an index of a vector."""
    return pieces(*((Domain.of(equal(index, k)), number) for k, number in enumerate(numbers)))


def number_term(value: float, dtype: DType) -> Term:
    """Return a number of a text as a term; those that are not finite have names."""
    if isfinite(value):
        return terms.constant(bool(value) if dtype == "bool" else Fraction(value), dtype)
    named = terms.apply("nan" if isnan(value) else "infinity")
    return convert(terms.apply("neg", named) if value < 0 else named, dtype)


_CONVERTERS: dict[str, Callable[[Attribute], object]] = {
    "Ints": _ints,
    "Labels": _labels,
    "Ranges": _ranges,
    "Pairs": _pairs,
    "int": _integer,
    "Flag": _flag,
    "Text": _text,
    "Number": _number,
}
