"""What the meaning of a row is called with: operands, attributes, regions and result types of an operation.

Operations of imported dialects in a text: the instance that its types and attributes state gives the meaning.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, TypeVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.ir.affine import AffineBinaryOpKind, AffineExpr

from tensorlift.comprehension import terms
from tensorlift.comprehension.instance import DIVISIONS
from tensorlift.comprehension.rewrite import place_of, substitute, walk
from tensorlift.comprehension.tensor import Obligations, SymbolicTensor, convert, pieces, scalar_value, size
from tensorlift.comprehension.terms import Constant, Reduce, Term, applies
from tensorlift.ir.linear import evaluated
from tensorlift.ops.dtypes import FLOATS, DType, rounded, wrap
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, equal
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import extreme_of
from tensorlift.targets.imported import is_list, list_operation, stated_attributes
from tensorlift.targets.mlir_text.operations import SplatAttr, dtype_of
from tensorlift.targets.mlir_text.rows import Map, ResultType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Region

    from tensorlift.comprehension.instance import Instance, InstanceOperand
    from tensorlift.proofs.obligations import Ledger
    from tensorlift.proofs.values import Held
    from tensorlift.targets.target import OpRow


T = TypeVar("T")
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


def _of_kind(kind: type[T], attribute: Attribute) -> T:
    if not isinstance(attribute, kind):
        raise TypeError
    return attribute


def integers(attribute: Attribute) -> tuple[int, ...]:
    """Return the integers of an array; raises TypeError for any other attribute."""
    return tuple(int(value) for value in _of_kind(DenseArrayBase, attribute).get_values())


def integer(attribute: Attribute) -> int:
    """Return an integer; raises TypeError for any other attribute."""
    return _of_kind(IntegerAttr, attribute).value.data


def _ranges(attribute: Attribute) -> tuple[tuple[int, ...], ...]:
    values = integers(attribute)
    return tuple(values[k : k + _TRIPLE] for k in range(0, len(values), _TRIPLE))


def _pairs(attribute: Attribute) -> tuple[tuple[int, int], ...]:
    values = [int(value) for value in _of_kind(DenseIntOrFPElementsAttr, attribute).get_values()]
    return tuple(zip(values[::2], values[1::2], strict=True))


def _flag(attribute: Attribute) -> bool:
    if _of_kind(IntegerAttr, attribute).type != i1:
        raise TypeError
    return bool(integer(attribute))


def _text(attribute: Attribute) -> str:
    return _of_kind(StringAttr, attribute).data


def _each(read: Callable[[Attribute], T]) -> Callable[[Attribute], tuple[T, ...]]:
    """Read each element of an array."""
    return lambda attribute: tuple(map(read, _of_kind(ArrayAttr, attribute)))


def _number(attribute: Attribute) -> SymbolicTensor:
    """Return a tensor that holds one number everywhere, or a vector of integers."""
    splat = _of_kind(SplatAttr, attribute).data
    kind, value = result_type(splat.type), splat.value
    if isinstance(value, tuple):
        if len(kind.shape) != 1 or kind.dtype != "i64":
            raise TypeError
        numbers = [number_term(number, kind.dtype) for number in value]
        return SymbolicTensor(kind.shape, kind.dtype, lambda at: _listed(numbers, at[0]))
    cell = number_term(value, kind.dtype)
    return SymbolicTensor(kind.shape, kind.dtype, lambda _: cell)


def listed_cells(value: Attribute | None, of_type: Attribute) -> Sequence[float]:
    """Return the cells of a tensor of a type that a text lists, row by row; none where it lists no such."""
    if isinstance(value, SplatAttr):
        listed = value.data.value
        return listed if isinstance(listed, tuple) and value.data.type == of_type else ()
    if not isinstance(value, DenseIntOrFPElementsAttr) or value.type != of_type:
        return ()
    cells: Any = value.get_values()
    return tuple(cells)


def _listed(numbers: Sequence[Term], index: Affine) -> Term:
    """Return the number at an index of a vector."""
    return pieces(*((Domain.of(equal(index, k)), number) for k, number in enumerate(numbers)))


def number_term(value: float, dtype: DType) -> Term:
    """Return a number of a text as a term; those that are not finite have names."""
    if isfinite(value):
        return terms.constant(bool(value) if dtype == "bool" else Fraction(value), dtype)
    named = terms.apply("nan" if isnan(value) else "infinity")
    return convert(terms.apply("neg", named) if value < 0 else named, dtype)


def spelled_number(value: Attribute) -> SymbolicTensor:
    """Return the number that an attribute is, or that its only cell is.

    Raises:
        TypeError: where it is none.

    """
    if isinstance(value, DenseIntOrFPElementsAttr) and len(value) == 1:
        (value,) = value.get_attrs()
    if isinstance(value, IntegerAttr):
        if isinstance(value.type, IndexType):
            return size(Affine(value.value.data))
        return scalar_value(whole(value.value.data, dtype_of(value.type)))
    if not isinstance(value, FloatAttr):
        raise TypeError
    return scalar_value(real(value.value.data, dtype_of(value.type)))


def whole(value: int, dtype: DType | None) -> Term:
    """Return an integer as a term; raises TypeError where it has no type of ours."""
    if dtype is None:
        raise TypeError
    return terms.constant(bool(value) if dtype == "bool" else wrap(value, dtype), dtype)


def real(value: float, dtype: DType | None) -> Term:
    """Return a real as a term; raises TypeError for any other type."""
    if dtype not in FLOATS:
        raise TypeError
    number = number_term(value, dtype)
    return terms.constant(rounded(Fraction(value), dtype), dtype) if isinstance(number, Constant) else number


def _map(attribute: Attribute) -> Map:
    data = _of_kind(AffineMapAttr, attribute).data

    def apply(o: Obligations, dimensions: Sequence[Affine], symbols: Sequence[Affine]) -> tuple[Affine, ...]:
        return tuple(_affine(o, result, dimensions, symbols) for result in data.results)

    return Map(data.num_dims, data.num_symbols, apply)


def _affine(o: Obligations, node: AffineExpr, dimensions: Sequence[Affine], symbols: Sequence[Affine]) -> Affine:
    """Return the value of an affine expression; a division rounds down, by a positive constant."""

    def combined(kind: AffineBinaryOpKind, left: Affine, right: Affine) -> Affine:
        if kind is AffineBinaryOpKind.Add:
            return left + right
        if kind is AffineBinaryOpKind.Mul and (left.is_constant or right.is_constant):
            return right * left.constant if left.is_constant else left * right.constant
        if kind is AffineBinaryOpKind.FloorDiv and right.is_constant and right.constant > 0:
            return o.quotient(left, right.constant)
        if kind is AffineBinaryOpKind.FloorDiv and right.variables:
            known = o.known_quotient(left, right)
            if known is not None:
                return known
        return o.refuse("an affine map that is none of sums, multiples and quotients rounded down")

    return evaluated(node, dimensions, symbols, Affine, combined)


_CONVERTERS: dict[str, Callable[[Attribute], object]] = {
    "Ints": integers,
    "Labels": _each(_text),
    "Precisions": _each(_text),
    "Texts": _each(_text),
    "Groups": _each(_each(integer)),
    "Map": _map,
    "Maps": _each(_map),
    "Ranges": _ranges,
    "Pairs": _pairs,
    "int": integer,
    "Flag": _flag,
    "Text": _text,
    "Number": _number,
}


def imported_result(row: OpRow, op: Operation, held: Sequence[Held], o: Ledger, place: int) -> SymbolicTensor:
    """Return a result of an operation, by an instance of the stated types and attributes whose extents fit.

    Operands whose cells that instance does not read may have no values.  ``held`` are those that are no lists.
    """
    if not op.results or op.successors:
        o.refuse(f"'{op.name}' has no result")
    given = {**op.attributes, **op.properties}
    stated = [operand.type for operand in op.operands if not is_list(operand)]
    operands = [value.tensor for value in held]
    meant = [
        i
        for i in row.instances
        if (i.others + 1, i.place) == (len(op.results), place)
        and _has_attributes(i, given)
        and _has_lists(i, op)
        and _has_regions(i, op)
        and _is_of(i, stated, operands)
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


def _has_regions(instance: Instance, op: Operation) -> bool:
    """Tell whether the regions are those of an instance: each gives one of its arguments, the last operands."""
    form = instance.regions
    if form is None or len(op.regions) != form.arms:
        return form is None and not op.regions
    types = [operand.type for operand in op.operands][-form.arms :]
    return all(_gives(region, form.end, types, place) for place, region in enumerate(op.regions))


def _gives(region: Region, end: str, types: Sequence[Attribute], place: int) -> bool:
    """Tell whether a region takes values of some types and gives the one at a place."""
    if len(region.blocks) != 1 or len(region.block.ops) != 1:
        return False
    block, op = region.block, region.block.last_op
    if op is None or _parts(op) != (end, {}, [], 1, 0, 0) or [own.type for own in block.args] != list(types):
        return False
    return op.operands[0] is block.args[place]


def _parts(owner: Operation | Block | None) -> tuple[object, ...]:
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


def _over(point: tuple[str, ...], cell: Term, result: SymbolicTensor) -> SymbolicTensor:
    """Return a term at the points of a result as a tensor."""
    return SymbolicTensor(result.shape, cell.dtype, lambda at: substitute(cell, dict(zip(point, at, strict=True))))


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
    result = instance.computed(operands, sizes)
    if any(applies(node, ("hits", *DIVISIONS)) for d in instance.definitions for node in d.nodes()):
        _demand_success(instance.operation, result, o)
    return result


def _demand_success(operation: str, result: SymbolicTensor, o: Ledger) -> None:
    """Demand that what an operation reads at places that depend on data lies inside, and that no divisor is zero."""
    point = tuple(fresh("p") for _ in result.shape)
    over = Domain.box(point, result.shape)
    nodes = list(walk(result.at(tuple(map(Affine.var, point)))))
    bound = {name for node in nodes if isinstance(node, Reduce) for name in node.bound}
    for node in nodes:
        if applies(node, DIVISIONS) and not isinstance(node.args[1], Constant):
            if not node.args[1].free.isdisjoint(bound):
                o.refuse(f"{operation}: it divides by what is not understood")
            dividend, divisor = (_over(point, part, result) for part in node.args)
            o.nonzero(divisor, f"{operation} divides an integer", dividend)
        if not isinstance(node, Reduce) or not any(applies(inner, ("hits",)) for inner in walk(node.body)):
            continue
        place = place_of(node)
        ends = extreme_of(node.domain & over, node.bound[0], maximum=True) if place is not None else []
        if place is None or len(ends) != 1 or not place.free.isdisjoint(bound):
            o.refuse(f"{operation}: it reads at places that are not understood")
        o.read(f"{operation} reads inside", place, ends[0][1] + 1, over)
