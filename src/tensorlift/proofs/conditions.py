"""Conditions in the names that definitions have: extents as sizes, so that one condition has one form."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.contract.language import AnyOf, Atom, Compare, Condition, Extent, Inside, Sum, atoms_of

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary


def in_sizes(condition: Condition, summary: Summary) -> Condition:
    """Replace the extents of arrays in a condition by the sizes that they are, and names by those of the source."""
    if not isinstance(condition, Compare | AnyOf | Inside):
        return condition
    if isinstance(condition, Inside):
        condition = replace(condition, array=summary.source_name(condition.array))
    return condition.substitute({atom: _in_source(atom, summary) for atom in atoms_of(condition)})


def _in_source(atom: Atom, summary: Summary) -> Sum:
    if isinstance(atom, str):
        return Sum.name(summary.source_name(atom))
    info = summary.arrays.get(summary.source_name(atom.array)) if isinstance(atom, Extent) else None
    if info is None or not isinstance(atom, Extent) or atom.axis >= len(info.shape):
        return Sum.name(atom)
    extent = info.shape[atom.axis]
    return Sum.of(*((factor, (size,)) for size, factor in extent.terms), (extent.constant, ()))
