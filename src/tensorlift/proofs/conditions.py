"""Conditions in the names that definitions have: extents as sizes, so that one condition has one form."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.contract.language import AnyOf, Atom, Compare, Condition, Extent, Inside, Quotient, Sum, atoms_of
from tensorlift.poly.domain import Domain
from tensorlift.poly.isl import IslError

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.poly.affine import Affine


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
    return _sum(info.shape[atom.axis])


def on_sizes(condition: Condition, summary: Summary) -> Domain | None:
    """Return the sizes that meet a condition, None where it is one on memory or no affine one."""
    condition = in_sizes(condition, summary)
    for size in summary.derived:
        quotient = Quotient(_sum(size.numerator), _sum(size.divisor))
        if isinstance(condition, Compare | AnyOf):
            condition = condition.substitute({quotient: Sum.name(size.name)})
    names = [*summary.sizes, *(size.name for size in summary.derived)]
    text = str(condition).replace("==", "=")
    try:
        return Domain.read(f"[{', '.join(names)}] -> {{ : {text} }}")
    except IslError:
        return None


def _sum(value: Affine) -> Sum:
    return Sum.of(*((factor, (name,)) for name, factor in value.terms), (value.constant, ()))
