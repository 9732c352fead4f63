"""Which integer arrays hold places of other arrays, and the values that keep these reads inside, for drawing inputs.

A read ``x[ix[i] + 1]`` needs ``ix`` from -1 up to two less than the extent of ``x``.  Where more than a constant is
added on the way, the range is only a guess: the interpreter tells whether a read leaves its array, and then smaller
values are drawn.  The bounds of a loop over some places of an axis are among these, or behind the last one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block, BlockArgument, Operation

from tensorlift.ir.function import tables_of
from tensorlift.ir.linear import Linear, NotLinearError, Quotient, apply_map
from tensorlift.ir.within import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.ir import SSAValue

    from tensorlift.ir.function import FunctionView, Parameter

SHARES = (1.0, 0.25, 0.0)  # of the range of places, from which values are drawn one after the other
_CASTS = {"arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast", "arith.index_castui"}
_LOADS = {"affine.load": 0, "memref.load": 0}
_MOST_TRIPS, _MORE = 72, 4  # of an outer loop in a test; where a counter may start
_SMALL = (2, 1)  # what indices are multiplied by in a test, at most
_ACCESSES = {"memref.load": 0, "memref.store": 1}
_MAKING = {"memref.alloc", "memref.alloca"}
_STORES = {"affine.store": 1, "memref.store": 1}


@dataclass(frozen=True, slots=True)
class Place:
    """The cells of an array of integers, plus an offset, are places below an extent; ``is_exact`` where that is all.

    One that ``is_bound`` says where a loop begins or ends.
    """

    array: str
    offset: int
    extent: Linear
    is_exact: bool
    is_bound: bool = False


class Places:
    """The places of one function."""

    def __init__(self, view: FunctionView) -> None:
        self._parameters: dict[SSAValue, Parameter] = {p.value: p for p in view.parameters if p.role == "array"}
        self._extents = {value: p.extents for value, p in self._parameters.items()}
        self._extents |= {t.value: tuple(Linear.of({}, extent) for extent in t.extents) for t in tables_of(view)}
        made = (op for op in view.operations if op.name in _MAKING)
        self._extents |= {op.results[0]: view.extents_of(op.results[0], op.attributes) for op in made}
        self._sizes = {p.value: p.name for p in view.parameters if p.role == "size"}
        self._operations = view.operations
        self.found = tuple(dict.fromkeys(self._places()))

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of the ranges to draw from: all values if these are exact."""
        return SHARES if any(not place.is_exact for place in self.found) else SHARES[:1]

    @property
    def bounds(self) -> frozenset[str]:
        """The arrays of places at which loops begin or end."""
        return frozenset(place.array for place in self.found if place.is_bound)

    def ranges(self, sizes: Mapping[str, int], share: float = 1.0) -> dict[str, tuple[int, int]]:
        """Return the least value and the one behind the greatest for each array of places, at given sizes."""
        known: dict[str, tuple[int, int]] = {}
        for place in self.found:
            extent = place.extent.at(sizes)
            low, high = -place.offset, extent - place.offset
            if not place.is_exact:
                low, high = 0, max(int(extent * share), 1)
            before = known.get(place.array, (low, high))
            known[place.array] = max(low, before[0]), min(high, before[1])
        return known

    def room(self) -> list[Linear]:
        """Return what must be at least 0 for each array of places to have values that keep all its reads inside."""
        return [
            *self._counted(),
            *self._products(),
            *(
                Linear(one.extent.terms, one.extent.constant - one.offset + other.offset - 1)
                for one in self.found
                for other in self.found
                if one.array == other.array and one.is_exact and other.is_exact
            ),
        ]

    def _counted(self) -> Iterator[Linear]:
        """Yield how much longer an array is than as often as a loop accesses it at places that count."""
        accesses: dict[tuple[Linear, Linear], int] = {}
        for op in self._operations:
            position = _ACCESSES.get(op.name)
            extents = None if position is None else self._extents.get(op.operands[position])
            trips = self._trips(op)
            if trips is not None and position is not None and extents is not None and len(extents) == 1:
                index = op.operands[position + 1]
                is_exact = any(offset is not None for _, offset in self._roots(index, 0, set()))
                if not is_exact and _counts(index, set()) and self._most(index, [], 1) is None:
                    accesses[extents[0], trips] = accesses.get((extents[0], trips), 0) + 1
        for (extent, trips), count in accesses.items():
            if extent.terms and {size for size, _ in extent.terms}.isdisjoint(size for size, _ in trips.terms):
                yield extent + trips * -count

    def _products(self) -> Iterator[Linear]:
        """Yield what keeps products of indices and sizes inside: all factors but one are small."""
        for op in self._operations:
            position = _ACCESSES.get(op.name)
            extents = None if position is None else self._extents.get(op.operands[position])
            indices = op.operands[position + 1 :] if position is not None else ()
            for index, extent in zip(indices, extents, strict=True) if extents is not None else ():
                for limit in _SMALL:
                    small: list[tuple[Linear, Linear]] = []
                    most = self._most(index, small, limit)
                    if most is None or not small:
                        break
                    if limit == 1 or {size for size, _ in extent.terms}.isdisjoint(size for size, _ in most.terms):
                        added = Linear.of({size: factor for size, factor in most.terms if factor > 0}, most.constant)
                        yield from [extent - most] if added == most else [extent - added - 1, most]
                        yield from (Linear.of({}, limit) - factor for _, factor in small)
                        yield from (factor - 1 for _, factor in small)  # else nothing is tested
                        yield from (Linear.of({size: 1}, -1) for size, _ in most.terms)
                        break

    def _most(self, value: SSAValue, small: list[tuple[Linear, Linear]], limit: int) -> Linear | None:
        """Return an upper bound of a sum of products, if factors are up to a limit; None for anything else."""
        op: Any = value.owner
        if isinstance(op, Block):
            if isinstance(value, BlockArgument) and value in self._sizes:
                return Linear.size(self._sizes[value])
            around = op.parent_op()
            return self._bound(around) if around is not None and around.name == "affine.for" else None
        if op.name in _CASTS:
            return self._most(op.operands[0], small, limit)
        number = _constant(value)
        if number is not None:
            return Linear.of({}, number)
        if op.name not in {"arith.addi", "arith.muli"}:
            return None
        left, right = (self._most(operand, small, limit) for operand in op.operands)
        if left is None or right is None:
            return None
        if op.name == "arith.addi":
            return left + right
        return _product(left, right, small, limit)

    def _trips(self, op: Operation) -> Linear | None:
        """Return how often loops execute an operation at most, and a bit more; None where sizes do not tell."""
        found, around = None, op.parent_op()
        while around is not None:
            if around.name == "affine.for":
                found = self._bound(around) if found is None else found * _MOST_TRIPS
                if found is None:
                    return None
            around = around.parent_op()
        return None if found is None else found + _MORE

    def _bound(self, loop: Any) -> Linear | None:
        """Return the upper bound of a loop, where it is an expression of sizes."""
        sizes = [Linear.size(self._sizes[operand]) for operand in loop.upperBoundOperands if operand in self._sizes]
        bounds, dims = loop.upperBoundMap.data, loop.upperBoundMap.data.num_dims
        if len(sizes) < len(loop.upperBoundOperands):
            return None
        try:
            return apply_map(bounds, sizes[:dims], sizes[dims:])[0]
        except NotLinearError:
            return None

    def _places(self) -> Iterator[Place]:
        for op in self._operations:
            memory = {"memref.load": 0, "memref.store": 1}.get(op.name)
            extents = None if memory is None else self._extents.get(op.operands[memory])
            indices = op.operands[memory + 1 :] if memory is not None else ()
            for index, extent in zip(indices, extents, strict=True) if extents is not None else ():
                for array, offset in self._roots(index, 0, set()):
                    yield Place(array, offset or 0, extent, offset is not None)

        for place, *bounds in filter(None, map(parts_of, self._operations)):
            end = self._upper(place)
            if end is not None:
                extent = Linear(end.terms, end.constant + 1)
                for array, offset in (root for bound in bounds for root in self._roots(bound, 0, set())):
                    yield Place(array, offset or 0, extent, offset is not None, is_bound=True)

    def _upper(self, place: SSAValue) -> Linear | None:
        """Return the bound of the loop whose variable a place is."""
        variable = place.owner.operands[0] if isinstance(place.owner, Operation) else place
        loop: Any = variable.owner.parent_op() if isinstance(variable.owner, Block) else None
        if loop is None or loop.name != "affine.for" or len(loop.upperBoundMap.data.results) != 1:
            return None
        return self._bound(loop)

    def _roots(self, value: SSAValue, offset: int | None, seen: set[SSAValue]) -> Iterator[tuple[str, int | None]]:
        """Yield the arrays from which a value comes, each with what is added on the way; None for anything else."""
        op: Any = value.owner
        if value in seen or not hasattr(op, "operands"):
            return
        seen.add(value)
        if op.name in _LOADS:
            yield from self._stored(op.operands[0], offset, seen)
            return
        added = _added(op)
        if added is not None:
            inner, number = added
            yield from self._roots(inner, None if offset is None else offset + number, seen)
            return
        for operand in op.operands:
            yield from self._roots(operand, offset if op.name in _CASTS else None, seen)

    def _stored(self, memory: SSAValue, offset: int | None, seen: set[SSAValue]) -> Iterator[tuple[str, int | None]]:
        """Yield the arrays from which the cells of a memory come: itself if it is a parameter, or what is stored."""
        if memory in self._parameters:
            if self._parameters[memory].dtype[0] in "iu":
                yield self._parameters[memory].name, offset
            return
        stored = [op.operands[0] for op in self._operations if op.name in _STORES and op.operands[1] is memory]
        counts = any(_is_made_of(value, memory) for value in stored)
        for value in stored:
            yield from self._roots(value, None if counts else offset, seen)


def _counts(value: SSAValue, seen: set[SSAValue]) -> bool:
    """Tell whether a value is computed of more than parameters and variables of loops: iterations may hand it on."""
    op: Any = value.owner
    if value in seen:
        return False
    seen.add(value)
    if isinstance(value, BlockArgument):
        around: Any = op.parent_op()
        return around is not None and around.name != "func.func" and (around.name != "affine.for" or value.index > 0)
    return op.name in _LOADS or bool(op.regions) or any(_counts(operand, seen) for operand in op.operands)


def _is_made_of(value: SSAValue, memory: SSAValue) -> bool:
    """Tell whether a value is computed of what a memory holds."""
    work: list[Any] = [value]
    seen: set[Any] = set()
    while work:
        op = work.pop().owner
        if isinstance(op, Block) or op.results[0] in seen:
            continue
        if op.name in _LOADS and op.operands[0] is memory:
            return True
        seen.add(op.results[0])
        work += op.operands if op.name not in _LOADS else []
    return False


def _added(op: Operation) -> tuple[SSAValue, int] | None:
    """Return the operand to which an operation adds a number, and the number."""
    if op.name not in ("arith.addi", "arith.subi"):
        return None
    for inner, other in (tuple(op.operands), tuple(op.operands)[::-1]):
        number = _constant(other)
        if number is not None and (op.name == "arith.addi" or other is op.operands[1]):
            return inner, number if op.name == "arith.addi" else -number
    return None


def _constant(value: SSAValue) -> int | None:
    op: Any = value.owner
    name = getattr(op, "name", "")
    if name == "affine.apply" and not op.operands:
        (result,) = apply_map(op.properties["map"].data, (), ())
        return result.constant
    return op.properties["value"].value.data if name == "arith.constant" else None


def _product(left: Linear, right: Linear, small: list[tuple[Linear, Linear]], limit: int) -> Linear:
    """Return an upper bound of a product, of which one factor is up to a limit where sizes do not tell more."""
    if not left.terms or not right.terms:
        return left * right.constant if left.terms else right * left.constant
    for one, other in ((left, right), (right, left)):
        whole = _numerator(one, other)
        if whole is not None:
            return whole - other  # a loop below ``n // d``, times ``d``
    small.append((left, right))
    return left * limit


def _numerator(quotient: Linear, divisor: Linear) -> Linear | None:
    """Return what is divided where an expression is a quotient by another one."""
    ((size, factor), *more) = quotient.terms
    is_quotient = isinstance(size, Quotient) and size.divisor == divisor and not more
    return (
        size.numerator if isinstance(size, Quotient) and is_quotient and factor == 1 and not quotient.constant else None
    )
