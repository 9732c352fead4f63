"""Whether a program is for fewer sizes than the source: because of a condition that no access of the source needs.

A condition that fixes a size, relates sizes by an equality or bounds one above restricts the program, unless the source
is undefined for the sizes that it excludes.  Those are the sizes for which an access leaves an array whose extents the
source tells.  An equality of extents is taken to be the source's where it rests on one of an array that callers pass.
An array may be asked for the cells that loops, other than those over a whole array, would reach if all ran twice.
So does a condition that a stride is positive where the source says what it does with others.
Conditions on the layout of memory, and that no extent or trip count is negative, are none, nor are those on the range
of integers, unless they leave out small sizes, for which integers wrap in the source.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from tensorlift.contract.gather import domain_of, is_binding
from tensorlift.contract.language import AnyOf, Compare, Condition, Extent, atoms_of
from tensorlift.diagnostics import LiftError
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain, at_least
from tensorlift.poly.isl import TooManyPartsError, together
from tensorlift.summarize.bounds import running_loops, sizes_in_bounds

_RESTRICTING = {"argument", "left-out"}  # kinds of conditions, where they bind
_SMALL = 100
_OPERATIONS = 1_000_000  # of isl, some 1 s: what is not known by then is taken to be restricted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.contract.interface import Precondition
    from tensorlift.ir.function import FunctionView


def is_restricted(view: FunctionView, summary: Summary, preconditions: Sequence[Precondition]) -> bool:
    """Tell whether preconditions leave out sizes for which the source is defined."""
    if any(p.kind == "direction" or (p.kind in _RESTRICTING and is_binding(p.condition)) for p in preconditions):
        return True
    wrapping = [p.condition for p in preconditions if p.kind == "overflow" and is_binding(p.condition)]
    if not all(_holds_for_small_sizes(view, summary, condition) for condition in wrapping):
        return True
    binding = [p.condition for p in preconditions if p.kind == "extent" and is_binding(p.condition)]
    binding = [condition for condition in binding if not _relates_extents(condition)]
    if not binding:
        return False
    extents = [condition for condition in binding if _bounds_by_extent(condition)]
    others = [condition for condition in binding if not _bounds_by_extent(condition)]
    running = Domain.of(*running_loops(view))
    try:
        with together(_OPERATIONS):
            return not (_follow(view, summary, extents, running) and _follow(view, summary, others, UNIVERSE))
    except TooManyPartsError:
        return True


def _holds_for_small_sizes(view: FunctionView, summary: Summary, condition: Condition | None) -> bool:
    """Tell whether a condition leaves out no small sizes; one that is not affine is taken to be on large ones."""
    allowed = domain_of(view, summary, condition) if isinstance(condition, Compare) else None
    small = Domain.of(*(c for name in view.size_names for c in (at_least(name, 0), at_least(_SMALL, name))))
    return allowed is None or (small & summary.assumed).is_subset(allowed)


def _bounds_by_extent(condition: Condition | None) -> bool:
    """Tell whether a condition says that an extent is large enough."""
    if not isinstance(condition, Compare) or condition.relation == "==":
        return False
    return any(isinstance(atom, Extent) for atom in atoms_of(condition))


def _relates_extents(condition: Condition | None) -> bool:
    """Tell whether a condition is an equality of the extent of an array and another extent or size."""
    atoms = list(atoms_of(condition)) if isinstance(condition, Compare) and condition.relation == "==" else []
    return len(atoms) > 1 and any(isinstance(atom, Extent) for atom in atoms)


def _follow(view: FunctionView, summary: Summary, conditions: Sequence[Condition | None], within: Domain) -> bool:
    """Tell whether conditions hold for all sizes for which the source is defined, of those within a domain if any."""
    if not conditions:
        return True
    try:
        known = sizes_in_bounds(view, summary.assumed & within)
    except TooManyPartsError:
        raise
    except LiftError:  # an access leaves its array for all of these sizes
        known = sizes_in_bounds(view, summary.assumed)
    return all(_follows(view, summary, condition, known) for condition in conditions)


def _follows(view: FunctionView, summary: Summary, condition: Condition | None, known: Domain) -> bool:
    """Tell whether a condition holds for all sizes of a domain."""
    choices = condition.choices if isinstance(condition, AnyOf) else ((condition,),)
    allowed = EMPTY
    for choice in choices:
        parts = [domain_of(view, summary, part) for part in choice if isinstance(part, Compare)]
        allowed |= reduce(and_, [part or EMPTY for part in parts], UNIVERSE)
    return known.is_subset(allowed)
