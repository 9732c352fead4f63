"""Dimensions of flat memory: which strides the accesses of a nest have, and whether each subscript stays in its row.

The factors of loop variables in an index are strides, as 64 and 1 in ``64 * i + j``.  A chain of them, each of which
divides the next, gives dimensions; an index is split over it from the largest stride down.  The split is the same place
in memory by construction, which is checked; that inner subscripts stay inside of their dimensions is proved with isl,
for all points at which the access runs.  The chain with the most dimensions for which that holds is taken.

Where no type states how long the memory is, rows are counted by the greatest subscript.  If an access comes to the last
cell of the last row, all of them are in memory, as accesses are in any module that means something; else that memory is
so long is a condition.

Where accesses lie: index values as polynomials over what they are computed from, and the points that reach them.

A value that is no constant, sum, product or linear map of others has a name of its own; so do loop variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.ir.affine import AffineBinaryOpKind, AffineConstraintKind

from tensorlift.diagnostics import refuse
from tensorlift.ir.linear import evaluated
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, equal, less
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.poly.variables import strided
from tensorlift.raising.outline import is_global
from tensorlift.synthesis.derive.scope import ranges_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.ir import SSAValue
    from xdsl.ir.affine import AffineExpr

    from tensorlift.diagnostics import LiftError


_ARITHMETIC: dict[str, Callable[[Polynomial, Polynomial], Polynomial]] = {
    "arith.addi": Polynomial.__add__,
    "arith.subi": Polynomial.__sub__,
    "arith.muli": Polynomial.__mul__,
}
_COMBINED = {AffineBinaryOpKind.Add: Polynomial.__add__, AffineBinaryOpKind.Mul: Polynomial.__mul__}


@dataclass
class Positions:
    """Reads indices; ``values`` are those that have a name."""

    values: dict[str, SSAValue] = field(default_factory=dict)
    _names: dict[object, str] = field(default_factory=dict)

    def of(self, value: SSAValue) -> Polynomial:
        """Return the polynomial that an index is."""
        op: Any = value.owner
        if not isinstance(op, Block) and isinstance(value.type, IndexType):
            if op.name == "arith.constant":
                return Polynomial.constant(op.properties["value"].value.data)
            if op.name in _ARITHMETIC:
                return _ARITHMETIC[op.name](*map(self.of, op.operands))
            if op.name == "affine.apply":
                found = self.applied(op.properties["map"].data, op.operands)[0]
                return self._named(value, value) if found is None else found
            if op.name == "memref.dim":
                return self._extent(value, op)
        return self._named(value, value)

    def _extent(self, value: SSAValue, op: Operation) -> Polynomial:
        """Return an extent of a memref, which has one name however often a function asks for it outside of loops."""
        axis = self.of(op.operands[1]).constant_value
        of_type: Any = op.operands[0].type
        if axis is None:
            return self._named(value, value)
        extent = of_type.get_shape()[axis]
        if extent != DYNAMIC_INDEX:
            return Polynomial.constant(extent)
        return self._named((op.operands[0], axis) if is_global(value) else value, value)

    def _named(self, key: object, value: SSAValue) -> Polynomial:
        if key not in self._names:
            self._names[key] = f"x{len(self._names)}"
            self.values[self._names[key]] = value
        return Polynomial.variable(self._names[key])

    def applied(self, affine_map: Any, operands: Sequence[SSAValue]) -> list[Polynomial | None]:
        """Return the results of a map, None for one that divides."""
        known = [self.of(operand) for operand in operands]
        dims, symbols = known[: affine_map.num_dims], known[affine_map.num_dims :]
        return [polynomial_of(result, dims, symbols) for result in affine_map.results]

    def subscripts(self, op: Operation) -> list[Polynomial | None]:
        """Return the subscripts of a load or store."""
        operands = op.operands[1 + op.name.endswith("store") :]
        if not op.name.startswith("affine"):
            return [self.of(operand) for operand in operands]
        found: Any = op.properties["map"]
        return self.applied(found.data, operands)

    # -- points

    def points(self, op: Operation, root: Operation) -> tuple[Domain, bool]:
        """Return what loops and conditions say of the values where an operation inside of a nest runs.

        Tell too whether it certainly runs at all of these points, once the nest is reached.
        """
        found, is_certain, is_around = UNIVERSE, True, False
        inner, outer = op, op.parent_op()
        while outer is not None and outer.name != "func.func":
            parts = list(self._around(outer, inner))
            for part in parts:
                found = found if part is None else found & part
            is_certain = is_certain and (is_around or (bool(parts) and None not in parts))
            is_around = is_around or outer is root
            inner, outer = outer, outer.parent_op()
        return found, is_certain

    def _around(self, outer: Any, inner: Operation) -> Iterator[Domain | None]:
        """Yield what an operation around says: None stands for what is not linear."""
        if outer.name == "affine.for":
            lowers = self.applied(outer.lowerBoundMap.data, outer.lowerBoundOperands)
            uppers = self.applied(outer.upperBoundMap.data, outer.upperBoundOperands)
            yield from self._range(outer.body.block.args[0], lowers, uppers, outer.step.value.data)
        elif outer.name == "scf.for" and "unsignedCmp" not in outer.properties:
            lower, upper, step = map(self.of, outer.operands[:3])
            yield from self._range(outer.body.block.args[0], [lower], [upper], step.constant_value)
        elif outer.name == "scf.parallel":
            bounds = ([*map(self.of, part)] for part in (outer.lowerBound, outer.upperBound, outer.step))
            for variable, lower, upper, step in zip(outer.body.block.args, *bounds, strict=False):
                yield from self._range(variable, [lower], [upper], step.constant_value)
        elif outer.name == "scf.forall":
            for variable, bounds in zip(outer.body.block.args, outer.bounds(), strict=False):
                lower, upper, step = (Polynomial.constant(b) if isinstance(b, int) else self.of(b) for b in bounds)
                yield from self._range(variable, [lower], [upper], step.constant_value)
        elif outer.name == "affine.if" and inner.parent is outer.regions[0].block:
            yield from self._condition(outer)

    def _range(
        self,
        variable: SSAValue,
        lowers: Sequence[Polynomial | None],
        uppers: Sequence[Polynomial | None],
        step: int | None,
    ) -> Iterator[Domain | None]:
        """Yield the bounds of a loop variable; its steps count from the only lower bound."""
        index = self.of(variable)
        for lower in lowers:
            yield _at_least(index, lower)
        for upper in uppers:
            yield _at_least(None if upper is None else upper - ONE, index)
        start = lowers[0].as_affine() if len(lowers) == 1 and lowers[0] is not None else None
        if step != 1:
            (name,) = index.variables()
            yield None if step is None or start is None else strided(name, start, step)

    def _condition(self, op: Any) -> Iterator[Domain | None]:
        condition = op.properties["condition"].data
        known = [self.of(operand) for operand in op.operands]
        dims, symbols = known[: condition.num_dims], known[condition.num_dims :]
        for item in condition.constraints:
            left, right = (polynomial_of(side, dims, symbols) for side in (item.lhs, item.rhs))
            if item.kind is not AffineConstraintKind.le:
                yield _at_least(left, right)
            if item.kind is not AffineConstraintKind.ge:
                yield _at_least(right, left)


def _at_least(greater: Polynomial | None, less: Polynomial | None) -> Domain | None:
    """Return the points where one is at least the other; None where that is not linear."""
    difference = None if greater is None or less is None else (greater - less).as_affine()
    return None if difference is None else Domain.of(Constraint(difference))


def polynomial_of(
    expression: AffineExpr, dims: Sequence[Polynomial | None], symbols: Sequence[Polynomial | None]
) -> Polynomial | None:
    """Return what an affine expression is, with products of its operands too; None where it divides."""

    def combined(kind: AffineBinaryOpKind, left: Polynomial | None, right: Polynomial | None) -> Polynomial | None:
        known = _COMBINED.get(kind)
        return None if known is None or left is None or right is None else known(left, right)

    return evaluated(expression, dims, symbols, Polynomial.constant, combined)


def is_inside(value: SSAValue, root: Operation) -> bool:
    """Tell whether a value comes about inside of an operation."""
    owner = value.owner.parent_op() if isinstance(value, BlockArgument) else value.owner
    return isinstance(owner, Operation) and (owner is root or root.is_ancestor(owner))


_MOST_STRIDES = 6  # from which chains are made: their number doubles with each
_SUBSCRIPT = "subscript__"


@dataclass(frozen=True, slots=True)
class Place:
    """An index of flat memory, the points at which it is used, and the names of what changes inside of the nest.

    ``is_certain`` tells that it is used at all of these points, whenever the nest runs.
    """

    index: Polynomial
    domain: Domain
    moving: frozenset[str]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Dimensions:
    """Extents and strides, outermost first, and the subscripts of each place.

    ``is_certain`` tells that memory is as long as that, for what is known.
    """

    extents: tuple[Polynomial, ...]
    strides: tuple[Polynomial, ...]
    subscripts: tuple[tuple[Polynomial, ...], ...]
    is_certain: bool


def flat(message: str) -> LiftError:
    """Build the refusal of an array that stays flat."""
    remedy = "give the array its dimensions, or state its length in its type and bounds that keep subscripts in rows"
    return refuse("TL594", message, remedy=remedy)


def dimensions_of(places: Sequence[Place], length: int | None) -> Dimensions | None:
    """Return the dimensions of flat memory of some length, None where its accesses have one only.

    Raises:
        LiftError: TL594, where no dimensions hold all accesses.

    """
    strides = _strides(places)
    if not strides:
        return None
    if len(strides) > _MOST_STRIDES:
        raise flat(f"its subscripts have {len(strides)} strides, more than {_MOST_STRIDES}")
    uncertain = None
    for chain in ((ONE, *chosen) for count in range(len(strides), 0, -1) for chosen in combinations(strides, count)):
        found = _over(chain, places, length)
        if found is not None and found.is_certain:
            return found
        uncertain = uncertain or found
    if uncertain is not None:
        return uncertain
    raise flat("its subscripts are not proved to stay inside of rows")


def _strides(places: Sequence[Place]) -> list[Polynomial]:
    """Return the factors of what changes other than one, without their signs, and without numbers in products."""
    found: dict[Polynomial, None] = {}
    for place in places:
        for name in sorted(place.moving & place.index.variables()):
            factor = place.index.coefficient(name)
            if not factor.variables().isdisjoint(place.moving):
                raise flat("a subscript multiplies two numbers that change")
            for stride in (factor if _leading(factor) > 0 else -factor, _without_number(factor)):
                found.setdefault(stride)
    found.pop(ONE, None)
    return sorted(found, key=lambda stride: (_degree(stride), _leading(stride), str(stride)))


def _degree(stride: Polynomial) -> int:
    return max(map(len, stride.terms))


def _leading(stride: Polynomial) -> int:
    return stride.terms[max(stride.terms, key=lambda monomial: (len(monomial), monomial))]


def _without_number(factor: Polynomial) -> Polynomial:
    """Return the term of the highest degree without its number, as ``n`` of ``2 * n`` and of ``n + 1``."""
    if factor.is_constant:
        return ONE
    return Polynomial({max(factor.terms, key=lambda monomial: (len(monomial), monomial)): 1})


def _over(chain: tuple[Polynomial, ...], places: Sequence[Place], length: int | None) -> Dimensions | None:
    """Return dimensions over a chain of strides, innermost first; None where they do not hold every place."""
    widths: list[Affine] = []
    for inner, outer in pairwise(chain):
        quotient, rest = outer.divide(inner)
        width = quotient.as_affine()
        if rest != ZERO or width is None or width == 1:
            return None
        widths.append(width)
    outermost = _rows(chain[-1], length)
    if outermost == 0:
        return None
    splits: list[list[Affine]] = []
    for place in places:
        within = place.domain & _in_memory(place, length) if outermost is not None else place.domain
        split = _split(place, chain, widths, within)
        bounds = [*widths, *([] if outermost is None else [Affine(outermost)])]
        if split is None or not _is_inside(split, bounds, within):
            return None
        splits.append(split)
    first = Affine(outermost) if outermost is not None else _extent(places, [split[-1] for split in splits])
    if first is None:
        return None
    is_certain = outermost is not None or _comes_to_the_end(places, splits, [*widths, first])
    extents = tuple(Polynomial.of(extent) for extent in (first, *reversed(widths)))
    subscripts = tuple(tuple(Polynomial.of(part) for part in reversed(split)) for split in splits)
    return Dimensions(extents, tuple(reversed(chain)), subscripts, is_certain)


def _rows(stride: Polynomial, length: int | None) -> int | None:
    """Return how many whole rows memory of a known length has; None where one of both is not known."""
    width = stride.constant_value
    return None if length is None or width is None else length // width


def _in_memory(place: Place, length: int | None) -> Domain:
    """Return the points at which an index is inside of its memory, which every access presumes."""
    index = place.index.as_affine()
    if index is None or length is None:
        return Domain.of()
    return Domain.of(at_least(index, 0), less(index, length))


def _split(place: Place, chain: Sequence[Polynomial], widths: Sequence[Affine], within: Domain) -> list[Affine] | None:
    """Split an index over a chain, innermost first; None where a part of it is none of a dimension."""
    parts = [ZERO] * len(chain)
    for name in sorted(place.moving & place.index.variables()):
        rest = place.index.coefficient(name)
        for level in reversed(range(len(chain))):
            quotient, left = rest.divide(chain[level])
            if quotient.is_constant:
                parts[level] = parts[level] + quotient * Polynomial.variable(name)
                rest = left
        if rest != ZERO:
            return None
    rest = place.index.without(place.moving)
    for level in reversed(range(len(chain))):
        quotient, rest = rest.divide(chain[level])
        parts[level] = parts[level] + quotient
    split = [part.as_affine() for part in parts]
    known = [part for part in split if part is not None]
    if len(known) < len(parts):
        return None
    carried = _carried(known, widths, within)
    total = ZERO
    for part, stride in zip(carried, chain, strict=True):
        total = total + Polynomial.of(part) * stride
    return carried if total == place.index else None


def _carried(split: Sequence[Affine], widths: Sequence[Affine], within: Domain) -> list[Affine]:
    """Bring subscripts into their rows that are certainly outside: ``64 * i + 64 + j`` is in row ``i + 1``."""
    found = list(split)
    for level, width in enumerate(widths):
        if width.is_constant:
            whole = found[level].constant // width.constant
            found[level], found[level + 1] = found[level] - width * whole, found[level + 1] + whole
        if within.implies(less(found[level], 0)):
            found[level], found[level + 1] = found[level] + width, found[level + 1] - 1
        elif within.implies(at_least(found[level], width)):
            found[level], found[level + 1] = found[level] - width, found[level + 1] + 1
    return found


def _is_inside(split: Sequence[Affine], bounds: Sequence[Affine], within: Domain) -> bool:
    """Tell whether subscripts stay inside of extents; one without a known extent does not fall below zero."""
    if not within.implies(*(at_least(part, 0) for part in split)):
        return False
    return within.implies(*(less(part, bound) for part, bound in zip(split, bounds, strict=False)))


def _extent(places: Sequence[Place], subscripts: Sequence[Affine]) -> Affine | None:
    """Return one more than the greatest of some subscripts, over what does not change; None where there is no one."""
    found: dict[Affine, None] = {}
    for place, subscript in zip(places, subscripts, strict=True):
        points = place.domain & Domain.of(equal(_SUBSCRIPT, subscript))
        ranges = ranges_of(points, (_SUBSCRIPT,), (_SUBSCRIPT, *place.moving))
        if ranges is None:
            return None
        found.setdefault(ranges[_SUBSCRIPT][1])
    for extent in found:
        if Domain.of().implies(*(at_least(extent, other) for other in found)):
            return extent
    return None


def _comes_to_the_end(places: Sequence[Place], splits: Sequence[Sequence[Affine]], extents: Sequence[Affine]) -> bool:
    """Tell whether some access certainly comes to the last cell, whenever there is any access."""
    reached = Domain.union(
        (
            place.domain & Domain.of(*(equal(part, extent - 1) for part, extent in zip(split, extents, strict=True)))
        ).project_out(*place.moving)
        for place, split in zip(places, splits, strict=True)
        if place.is_certain
    )
    return all(place.domain.project_out(*place.moving).is_subset(reached) for place in places)
