"""Flat memrefs of a nest as views with dimensions: found, put before the nest, and accessed instead."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from xdsl.dialects import memref
from xdsl.dialects.arith import AddiOp, ConstantOp, MuliOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from tensorlift.contract.language import Sum
from tensorlift.poly.polynomial import ONE
from tensorlift.raising.assumed import longer, value_of
from tensorlift.raising.dimensions import Dimensions, Place, Positions, dimensions_of, flat, is_inside
from tensorlift.raising.outline import is_allocated
from tensorlift.raising.place import erase_unneeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.poly.polynomial import Polynomial
    from tensorlift.raising.assumed import Assumption

_ACCESSES = ("affine.load", "affine.store", "memref.load", "memref.store")
_APART = ("memref.dim", "memref.dealloc")  # which do not touch the cells


@dataclass(frozen=True, slots=True)
class Seen:
    """An array as a nest accesses it: the type of the view, the number of accesses, and a condition or nothing."""

    type: str
    accesses: int
    condition: str
    assumptions: tuple[Assumption, ...] = ()


@dataclass
class Views:
    """Makes views in one function, each once."""

    positions: Positions = field(default_factory=Positions)
    made: dict[object, Operation] = field(default_factory=dict)
    replaced: list[SSAValue] = field(default_factory=list)  # indices that accesses had before

    def arrays(self, nest: Operation) -> list[SSAValue]:
        """Return the flat memrefs that a nest accesses, which lie around it."""
        accessed = (op.operands[op.name.endswith("store")] for op in nest.walk() if op.name in _ACCESSES)
        return [value for value in dict.fromkeys(accessed) if _is_flat(value.type) and not is_inside(value, nest)]

    def see(self, array: SSAValue, nest: Operation) -> Seen | None:
        """Let a nest access a view of an array; None where it has one dimension there.

        Raises:
            LiftError: TL594, where the array has no dimensions that are proved.

        """
        uses = {use.operation for use in array.uses if nest.is_ancestor(use.operation)}
        used = [op for op in nest.walk() if op in uses and op.name not in _APART]
        accesses = [op for op in used if op.name in _ACCESSES]
        other = next((op for op in used if op.name not in _ACCESSES), None)
        places = list(self._places(accesses, nest))
        length = _length(array)
        found = dimensions_of(places, length)
        if found is None:
            return None
        if other is not None:
            raise flat(f"`{other.name}` uses it as it is")
        condition = "" if found.is_certain else self._condition(found)
        assumptions = longer(array, self._length_of(found), condition) if condition else []
        view = self._view(array, found, nest, length)
        for op, subscripts in zip(accesses, found.subscripts, strict=True):
            self._access(op, view, subscripts)
        return Seen(str(view.type), len(accesses), condition, tuple(assumptions))

    def _length_of(self, found: Dimensions) -> Sum | None:
        """Give the length that memory must have over the arguments of the function; None where that is not known."""
        length = ONE
        for extent in found.extents:
            length = length * extent
        total = Sum()
        for monomial, factor in length.terms.items():
            product: Sum | None = Sum.number(factor)
            for name in monomial:
                value = value_of(self.positions.values[name])
                product = None if product is None or value is None else product * value
            if product is None:
                return None
            total = total + product
        return total

    def _condition(self, found: Dimensions) -> str:
        """Say how long memory must be for dimensions."""
        length = ONE
        for extent in found.extents:
            length = length * extent
        return f"it has {length.spell(lambda name: self.positions.values[name].name_hint or name)} elements"

    def _places(self, accesses: Sequence[Operation], nest: Operation) -> Iterator[Place]:
        indices = []
        for op in accesses:
            (index,) = self.positions.subscripts(op)
            if index is None:
                raise flat("a subscript divides")
            indices.append((index, *self.positions.points(op, nest)))
        moving = frozenset(name for name, value in self.positions.values.items() if is_inside(value, nest))
        for index, domain, is_certain in indices:
            yield Place(index, domain, moving, is_certain)

    def finish(self) -> int:
        """Erase what nothing needs any more, and let allocations have the dimensions of their views; count these."""
        erase_unneeded(self.replaced)
        arrays = dict.fromkeys(view.operands[0] for view in self.made.values())
        return sum(_has_dimensions(array) for array in arrays if is_allocated(array))

    # -- the view

    def _view(self, array: SSAValue, found: Dimensions, nest: Operation, length: int | None) -> Any:
        """Return the view, made before the nest, or where the array comes from if its shape is static."""
        shape = [DYNAMIC_INDEX if (n := extent.constant_value) is None else n for extent in found.extents]
        is_static = DYNAMIC_INDEX not in shape
        key = (array, found.extents, None if is_static else nest.parent)
        if key not in self.made:
            of_type: Any = array.type
            to = MemRefType(of_type.element_type, shape, memory_space=of_type.memory_space)
            point = _behind(array) if is_static else InsertPoint.before(nest)
            is_whole = is_static and length == list(accumulate(shape, int.__mul__))[-1]
            made = _expanded(array, to) if is_whole else self._reinterpreted(array, found, to, point)
            made.location = nest.location
            made.results[0].name_hint = f"{array.name_hint or 'array'}_{len(shape)}d"
            Rewriter.insert_op(made, point)
            self.made[key] = made
        return self.made[key].results[0]

    def _reinterpreted(self, array: SSAValue, found: Dimensions, to: MemRefType[Any], point: InsertPoint) -> Operation:
        sizes, strides = ([self._number(one, point) for one in part] for part in (found.extents, found.strides))
        cast: Operation = memref.ReinterpretCastOp.from_dynamic(array, [0], sizes, strides, to)
        return cast

    def _number(self, value: Polynomial, point: InsertPoint) -> SSAValue | int:
        """Return a number, or a value that is computed at a point."""
        constant = value.constant_value
        return constant if constant is not None else self._computed(value, point)

    def _computed(self, value: Polynomial, point: InsertPoint) -> SSAValue:
        """Compute an index by sums and products."""
        total: SSAValue | None = None
        for monomial, number in value.terms.items():
            factors = [self.positions.values[name] for name in monomial]
            if number != 1 or not factors:
                factors.append(_inserted(ConstantOp(IntegerAttr.from_index_int_value(number)), point))
            term = factors[0]
            for factor in factors[1:]:
                term = _inserted(MuliOp(term, factor), point)
            total = term if total is None else _inserted(AddiOp(total, term), point)
        return _inserted(ConstantOp(IntegerAttr.from_index_int_value(0)), point) if total is None else total

    # -- accesses

    def _access(self, op: Operation, view: SSAValue, subscripts: Sequence[Polynomial]) -> None:
        """Let an access take its cell from the view."""
        first = op.name.endswith("store")
        before = list(op.operands[first + 1 :])
        if op.name.startswith("affine"):
            names = list(dict.fromkeys(name for part in subscripts for name in sorted(part.variables())))
            results = tuple(_expression(part, names) for part in subscripts)
            op.properties["map"] = AffineMapAttr(AffineMap(len(names), 0, results))
            operands = [self.positions.values[name] for name in names]
        else:
            operands = [self._computed(part, InsertPoint.before(op)) for part in subscripts]
        op.operands = [*op.operands[:first], view, *operands]
        self.replaced += before


def _is_flat(of_type: Any) -> bool:
    is_plain = isinstance(of_type, MemRefType) and isinstance(of_type.layout, NoneAttr)
    return is_plain and len(of_type.get_shape()) == 1


def _length(array: Any) -> int | None:
    (length,) = array.type.get_shape()
    return None if length == DYNAMIC_INDEX else int(length)


def _behind(array: SSAValue) -> InsertPoint:
    """Return the point at which a value is there."""
    owner = array.owner
    return InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)


def _expanded(array: SSAValue, to: MemRefType[Any]) -> Operation:
    group = ArrayAttr([IntegerAttr(axis, i64) for axis in range(len(to.get_shape()))])
    return memref.ExpandShapeOp.create(
        operands=[array],
        result_types=[to],
        properties={
            "reassociation": ArrayAttr([group]),
            "static_output_shape": DenseArrayBase.from_list(i64, list(to.get_shape())),
        },
    )


def _inserted(op: Operation, point: InsertPoint) -> SSAValue:
    Rewriter.insert_op(op, point)
    return op.results[0]


def _expression(value: Polynomial, names: Sequence[str]) -> AffineExpr:
    """Return a linear subscript over dimensions."""
    total: AffineExpr = AffineExpr.constant(value.terms.get((), 0))
    for monomial, number in value.terms.items():
        if monomial:
            total = AffineExpr.dimension(names.index(monomial[0])) * number + total
    return total


def _has_dimensions(array: SSAValue) -> bool:
    """Give an allocation dimensions where every use is the same view of all of it; tell whether it has them."""
    users = [use.operation for use in array.uses]
    views = [user for user in users if user.name == "memref.expand_shape"]
    others = [user for user in users if user not in views]
    types = {view.results[0].type for view in views}
    if len(types) != 1 or any(other.name != "memref.dealloc" for other in others):
        return False
    made = Rewriter.replace_value_with_new_type(array, types.pop())
    for view in views:
        view.results[0].replace_all_uses_with(made)
        Rewriter.erase_op(view)
    return True
