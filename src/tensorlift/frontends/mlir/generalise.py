"""Turns constants into sizes where an index ties them: ``memref<1000xf64>`` and the loop ``0 to 1000`` over it.

Every constant extent and every constant upper bound is a *slot*.  An access ``A[i + c]`` whose greatest index is the
last of its dimension ties the slot of the bound of ``i`` to that of the extent, at a constant distance, and with it all
equal extents that ``i`` runs over.  Each class of slots that holds both an extent and a bound becomes one size.  They
are found in the loop IR of the function as it is written, by which the function is then read anew with sizes.  At the
constants of the source the program is the same, so that nothing is claimed that the source does not say; for other
sizes it is what the source would be with other constants.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.dialects.affine import ForOp, LoadOp, StoreOp
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.memref import AllocaOp
from xdsl.ir.affine import AffineBinaryOpKind

from tensorlift.ir.function import FunctionView
from tensorlift.ir.linear import evaluated
from tensorlift.ir.location import location_of
from tensorlift.poly.affine import Affine
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation, SSAValue
    from xdsl.ir.affine import AffineMap

Slot = tuple[object, int]  # an array by name and one of its dimensions, or a place and which of its loops has the bound
_SMALLEST = 3  # extents below it are no sizes: planes of a buffer, real and imaginary parts


@dataclass(frozen=True, slots=True)
class Sizes:
    """The constants that become sizes: of each slot the name of a size, and how much more it is."""

    slots: Mapping[Slot, tuple[str, int]]
    values: Mapping[str, int]
    arrays: Mapping[str, Sequence[str]]  # of each size those of which it is an extent
    loops: Counter[object]  # how many there are at each place


@dataclass(slots=True)
class _Classes:
    """A union-find of slots: each is its parent plus a distance."""

    parent: dict[Slot, tuple[Slot, int]] = field(default_factory=dict)

    def find(self, slot: Slot) -> tuple[Slot, int]:
        """Give the representative, and how much more the slot is."""
        parent, distance = self.parent.setdefault(slot, (slot, 0))
        if parent == slot:
            return slot, 0
        root, more = self.find(parent)
        return root, distance + more

    def tie(self, slot: Slot, other: Slot, distance: int) -> None:
        """Say that ``slot`` is ``other + distance``."""
        root, more = self.find(slot)
        target, other_more = self.find(other)
        if root != target:
            self.parent[root] = (target, other_more + distance - more)


class _Constants:
    """The constant extents and bounds of one function."""

    def __init__(self, function: FuncOp) -> None:
        self.loops: Counter[object] = Counter()
        self.bounds: dict[Slot, int] = {}
        self.extents: dict[Slot, int] = {}
        self.names: dict[SSAValue, str] = {}
        self._loop: dict[str, tuple[Slot, Any]] = {}  # by its variable
        self._accesses: dict[str, list[tuple[Any, Sequence[SSAValue]]]] = {}
        view = FunctionView(function)
        self.names |= dict(zip(function.body.blocks[0].args, (p.name for p in view.parameters), strict=True))
        for op in function.walk():
            self._note(op)
        for value, name in self.names.items():
            shape: Any = getattr(value.type, "get_shape", tuple)()
            self.extents |= {
                (name, axis): extent
                for axis, extent in enumerate(shape)
                if extent != DYNAMIC_INDEX and extent >= _SMALLEST
            }

    def _note(self, op: Operation) -> None:
        match op:
            case AllocaOp():
                self.names[op.results[0]] = op.attributes["tl.name"].data  # type: ignore[attr-defined]  # a text
            case ForOp():
                place = location_of(op)
                slot: Slot = (place, self.loops[place])
                self.loops[place] += 1
                self._loop[_variable(op.body.block.args[0])] = slot, op
                upper = op.upperBoundMap.data.results
                if len(upper) == 1 and op.step.value.data == 1:
                    index = _indices(op.upperBoundMap.data, op.upperBoundOperands)[0]
                    if index is not None and not index.terms:
                        self.bounds[slot] = index.constant
            case LoadOp() | StoreOp():
                self._accesses.setdefault(self.names[op.memref], []).append((op.map.data, op.indices))

    def classes(self) -> _Classes:
        """Tie bounds to the extents that they fill, then equal extents that the same loops run over."""
        found = _Classes()
        filled: dict[Slot, set[int]] = {}  # bounds, and the extents that they fill
        reached = list(self._reached())
        for slot, bound, last in reached:
            if last == self.extents[slot] - 1:
                filled.setdefault(bound, set()).add(self.extents[slot])
        for slot, bound, _ in reached:
            if self.extents[slot] in filled.get(bound, ()):
                found.tie(slot, bound, self.extents[slot] - self.bounds[bound])
        return found

    def _reached(self) -> Iterator[tuple[Slot, Slot, int]]:
        """Yield constant extents with the bounds of loops over them, and the greatest index that each reaches."""
        for name, accesses in self._accesses.items():
            for of_map, operands in accesses:
                for axis, index in enumerate(_indices(of_map, operands)):
                    found = self._reach(index) if (name, axis) in self.extents else None
                    if found is not None:
                        yield (name, axis), *found

    def _reach(self, index: Affine | None) -> tuple[Slot, int] | None:
        """Give the bound that decides the greatest value of an index, and that value."""
        if index is None or len(index.terms) != 1 or index.terms[0][1] != 1 or index.terms[0][0] not in self._loop:
            return None
        slot, op = self._loop[index.terms[0][0]]
        if slot in self.bounds:
            return slot, self.bounds[slot] - 1 + index.constant
        if len(op.upperBoundMap.data.results) > 1 or op.step.value.data != 1:
            return None
        (upper,) = _indices(op.upperBoundMap.data, op.upperBoundOperands)
        return None if upper is None else self._reach(upper + (index.constant - 1))


def sizes_in(function: FuncOp) -> Sizes | None:
    """Find the constants of a function in the loop IR that may become sizes; None where there is none."""
    constants = _Constants(function)
    classes = constants.classes()
    members: dict[Slot, list[Slot]] = {}
    for slot in classes.parent:
        members.setdefault(classes.find(slot)[0], []).append(slot)
    taken = set(constants.names.values())
    slots: dict[Slot, tuple[str, int]] = {}
    values: dict[str, int] = {}
    arrays: dict[str, Sequence[str]] = {}
    for group in members.values():
        extents = sorted((slot for slot in group if slot in constants.extents), key=list(constants.extents).index)
        if not extents or len(extents) == len(group):
            continue
        name = unused("n", taken, "_")
        values[name], base = constants.extents[extents[0]], classes.find(extents[0])[1]
        arrays[name] = list(dict.fromkeys(str(array) for array, _ in extents))
        slots |= {slot: (name, classes.find(slot)[1] - base) for slot in group}
    return Sizes(slots, values, arrays, constants.loops) if slots else None


def _variable(value: SSAValue) -> str:
    return f"v{id(value)}"


def _indices(of_map: AffineMap, operands: Sequence[SSAValue]) -> list[Affine | None]:
    """Give the results of a map where they are sums of variables."""
    given: list[Affine | None] = [Affine.var(_variable(operand)) for operand in operands]
    dims, symbols = given[: of_map.num_dims], given[of_map.num_dims :]
    return [evaluated(result, dims, symbols, _number, _combined) for result in of_map.results]


def _number(number: int) -> Affine | None:
    return Affine(number)


def _combined(kind: AffineBinaryOpKind, left: Affine | None, right: Affine | None) -> Affine | None:
    if left is None or right is None:
        return None
    if kind is AffineBinaryOpKind.Add:
        return left + right
    if kind is AffineBinaryOpKind.Mul and not right.terms:
        return left * right.constant
    return None
