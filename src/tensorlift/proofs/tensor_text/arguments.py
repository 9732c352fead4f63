"""What the meaning of a row is called with: operands, attributes, regions and result types of an operation.

Operations of imported dialects in a text: the instance that its types and attributes state gives the meaning.
"""

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
from xdsl.ir import Operation

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, equal
from tensorlift.comprehension.tensor import SymbolicTensor, convert, pieces
from tensorlift.comprehension.terms import Constant
from tensorlift.proofs.tensor_text.structured import spelled_number
from tensorlift.targets.imported import is_list, list_operation, stated_attributes
from tensorlift.targets.mlir_text.operations import SplatAttr
from tensorlift.targets.mlir_text.rows import ResultType
from tensorlift.targets.mlir_text.types import dtype_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, Block

    from tensorlift.comprehension.instance import Instance, InstanceOperand
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.proofs.values import Held
    from tensorlift.targets.target import OpRow


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


def imported_result(row: OpRow, op: Operation, held: Sequence[Held], o: Ledger) -> SymbolicTensor:
    """Return the result of an operation, by an instance of the stated types and attributes whose extents fit.

    Operands whose cells that instance does not read may have no values.  ``held`` are those that are no lists.
    """
    if len(op.results) != 1 or op.regions or op.successors:
        o.refuse(f"'{op.name}' has regions, or another number of results than one")
    given = {**op.attributes, **op.properties}
    stated = [operand.type for operand in op.operands if not is_list(operand)]
    operands = [value.tensor for value in held]
    meant = [
        i for i in row.instances if _has_attributes(i, given) and _has_lists(i, op) and _is_of(i, stated, operands)
    ]
    if not meant:
        o.refuse(f"{op.name}: no meaning is known for operands of these types with these attributes")
    numbers = [spelled_number(given[name]) for name in meant[0].named]
    shapes = [operand.shape for operand in (*operands, *numbers)]
    instance = next((i for i in meant if i.fits(shapes) is not None), meant[0])
    pairs = zip(instance.operands, held, strict=False)
    if any(value.blank is not None and own.name not in instance.unread for own, value in pairs):
        o.refuse("cells are read that have no value")
    return _applied(instance, (*operands, *numbers), o)


def _has_attributes(instance: Instance, given: Mapping[str, Attribute]) -> bool:
    """Tell whether an instance has the attributes that a text states; numbers of its types may be any."""
    own = stated_attributes(instance)
    return own.keys() == given.keys() and all(
        getattr(given[name], "type", None) == getattr(value, "type", None)
        if name in instance.named
        else given[name] == value
        for name, value in own.items()
    )


def _has_lists(instance: Instance, op: Operation) -> bool:
    """Tell whether the operands that are lists are those of an instance, given by the same operation."""
    places = [place for place, operand in enumerate(op.operands) if is_list(operand)]
    return places == [own.place for own in instance.lists] and all(
        _parts(op.operands[own.place].owner) == _parts(list_operation(own)) for own in instance.lists
    )


def _parts(owner: Operation | Block) -> tuple[object, ...]:
    """Return what there is of an operation; of a block, whose arguments are no results, nothing."""
    if not isinstance(owner, Operation):
        return ()
    stated = {**owner.attributes, **owner.properties}
    return owner.name, stated, list(owner.result_types), len(owner.operands), len(owner.regions), len(owner.successors)


def _is_of(instance: Instance, stated: Sequence[Attribute], operands: Sequence[SymbolicTensor]) -> bool:
    count = len(instance.operands) - len(instance.named)
    return len(stated) == count and all(map(_fits, instance.operands, stated, operands))


def _fits(own: InstanceOperand, stated: Attribute, given: SymbolicTensor) -> bool:
    """Tell whether an operand is of the type of an instance's; extents that are numbers there are stated."""
    if own.is_number:
        return dtype_of(stated) == own.dtype == given.dtype
    if not isinstance(stated, TensorType) or len(stated.get_shape()) != len(own.shape):
        return False
    pairs = zip(own.shape, stated.get_shape(), strict=True)
    is_stated = all(extent == number for extent, number in pairs if extent.is_constant)
    return is_stated and dtype_of(stated.element_type) == own.dtype == given.dtype and _has_value(own, given)


def _has_value(own: InstanceOperand, given: SymbolicTensor) -> bool:
    """Tell whether every cell is the number that the instance has there, if it has one."""
    if own.value is None:
        return True
    cell = given.at(tuple(extent - extent for extent in given.shape))
    whole = all(extent.is_constant for extent in given.shape)
    return whole and isinstance(cell, Constant) and cell.value == own.value


def _applied(instance: Instance, operands: Sequence[SymbolicTensor], o: Ledger) -> SymbolicTensor:
    sizes = instance.sizes_of([operand.shape for operand in operands])
    if sizes is None:
        o.refuse(f"{instance.operation}: an extent of an operand is no size")
    for own, given in zip(instance.operands, operands, strict=True):
        for extent, number in zip(own.shape, given.shape, strict=True):
            wanted = extent.substitute(sizes)
            if wanted != number:
                o.require(f"operands of {instance.operation} have fitting extents", equal(wanted, number))
    for demand in instance.demands:
        o.require(f"{instance.operation} is defined for the extents", demand.substitute(sizes))
    return instance.computed(operands, sizes)
