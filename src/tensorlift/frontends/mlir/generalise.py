"""Turns constants into sizes where an index ties them: ``memref<1000xf64>`` and the loop ``0 to 1000`` over it.

Every constant extent and every constant upper bound is a *slot*.  An access ``A[i + c]`` whose greatest index is the
last of its dimension ties the slot of the bound of ``i`` to that of the extent, at a constant distance, and with it all
equal extents that ``i`` runs over.  Each class of slots that holds both an extent and a bound becomes one size.  At the
constants of the source the program is the same, so that nothing is claimed that the source does not say; for other
sizes it is what the source would be with other constants.  A bound from which something was proved stays.

That is done unless it is forbidden.  Where it is asked for, a dimension that the type leaves open counts as one of the
constant extent that its accesses reach, so that the bounds over it become sizes too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.diagnostics import Diagnostic, Severity
from tensorlift.ir.location import location_of
from tensorlift.poly.affine import affine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.ir import Operation

    from tensorlift.frontends.mlir.translator import Translator
    from tensorlift.frontends.mlir.values import Memory
    from tensorlift.poly.affine import Affine

Slot = tuple[str, int, int]  # "extent" of a memory and a dimension, or "bound" of a loop and one of its bounds
_SMALLEST = 3  # extents below it are no sizes: planes of a buffer, real and imaginary parts


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


def generalise(t: Translator, function: Operation, *, open_extents: bool) -> tuple[Diagnostic, ...]:
    """Replace tied constants by sizes, those over extents that no type states only if asked; a note tells each."""
    if open_extents:
        _state_reached(t)
    classes = _tied(t)
    members: dict[Slot, list[Slot]] = {}
    for slot in classes.parent:
        members.setdefault(classes.find(slot)[0], []).append(slot)
    both = [slots for slots in members.values() if {kind for kind, _, _ in slots} == {"extent", "bound"}]
    return tuple(_replace(t, classes, slots, function) for slots in both)


def _state_reached(t: Translator) -> None:
    """State the extents that are left open, where accesses reach constant indices only."""
    for memory in t.memories:
        for dimension, extent in enumerate(memory.extents):
            reached = [_last(t, access.indices[dimension]) for access in memory.accesses]
            ends = [last for last in reached if last is not None]
            if extent is None and ends and len(ends) == len(reached):
                memory.extents[dimension] = affine(max(ends) + 1)


def _last(t: Translator, index: Affine) -> int | None:
    """Give the greatest value of an index that is constant or that of a loop with a constant bound."""
    if not index.terms:
        return index.constant
    found = _reach(t, index)
    return found[1] if found is not None else None


def _tied(t: Translator) -> _Classes:
    """Tie bounds to the extents that they fill, then equal extents that the same loops run over."""
    classes = _Classes()
    filled: dict[Slot, set[int]] = {}  # bounds, and the extents that they fill
    indexed = list(_indexed(t))
    for _, bound, extent, last in indexed:
        if last == extent - 1:
            filled.setdefault(bound, set()).add(extent)
    for slot, bound, extent, _ in indexed:
        if extent in filled.get(bound, ()):
            classes.tie(slot, bound, extent - t.loops[bound[1]].uppers[bound[2]].constant)
    return classes


def _indexed(t: Translator) -> Iterator[tuple[Slot, Slot, int, int]]:
    """Yield constant extents with the bounds of loops over them, and the greatest index that such a loop reaches."""
    for number, memory in enumerate(t.memories):
        for dimension, extent in enumerate(memory.extents):
            if extent is None or extent.terms or extent.constant < _SMALLEST:
                continue
            for access in memory.accesses:
                found = _reach(t, access.indices[dimension])
                if found is not None:
                    yield ("extent", number, dimension), found[0], extent.constant, found[1]


def _reach(t: Translator, index: Affine) -> tuple[Slot, int] | None:
    """Give the bound that decides the greatest value of an index, and that value."""
    if len(index.terms) != 1 or index.terms[0][1] != 1 or index.terms[0][0] in t.atoms.relied:
        return None
    for number, loop in enumerate(t.loops):
        if loop.variable == index.terms[0][0] and len(loop.uppers) == 1 and loop.step == 1:
            upper = loop.uppers[0]
            if upper.terms:
                return _reach(t, upper + (index.constant - 1))
            return ("bound", number, 0), upper.constant - 1 + index.constant
    return None


def _replace(t: Translator, classes: _Classes, slots: list[Slot], function: Operation) -> Diagnostic:
    """Make one size of a class, equal to its first extent."""
    kind, number, dimension = first = next(slot for slot in slots if slot[0] == "extent")
    extent = t.memories[number].extents[dimension]
    assert extent is not None
    base = classes.find(first)[1]
    size = t.new_size("n", function)
    for slot in slots:
        kind, number, position = slot
        value = size + (classes.find(slot)[1] - base)
        if kind == "bound":
            uppers = list(t.loops[number].uppers)
            uppers[position] = value
            t.loops[number].uppers = tuple(uppers)
        else:
            _replace_extent(t.memories[number], position, value)
    names = list(dict.fromkeys(t.memories[n].name for k, n, _ in slots if k == "extent"))
    name = size.terms[0][0].split("#")[0]
    t.generalised[name] = extent.constant
    message = f"the constant {extent.constant}, an extent of {', '.join(names)}, is generalised to the size {name}"
    remedy = "lift with --no-generalise to keep the constant"
    return Diagnostic("TL199", message, location_of(function), remedy, Severity.NOTE)


def _replace_extent(memory: Memory, dimension: int, value: Affine) -> None:
    """Set an extent; an access to the constant last element is one to the last element."""
    old = memory.extents[dimension]
    assert old is not None
    memory.extents[dimension] = value
    for access in memory.accesses:
        if access.indices[dimension] == old - 1:
            indices = list(access.indices)
            indices[dimension] = value - 1
            access.indices = tuple(indices)
