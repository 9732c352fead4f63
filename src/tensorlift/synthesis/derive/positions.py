"""Positions of extremes: the first place of the greatest or least value along an axis, counted from zero.

The last place is the first one in the other direction, and a range that does not begin with zero is counted from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import at_least
from tensorlift.comprehension.positions import counted_from_zero, position_of
from tensorlift.comprehension.terms import Reduce
from tensorlift.synthesis.derive.scope import Value

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.domain import Domain
    from tensorlift.synthesis.derive.scope import Scope

    Evaluation = Callable[[Reduce, Domain, Scope], tuple[Scope, Domain | None]]


def position_value(term: Reduce, scope: Scope, evaluation: Evaluation) -> Value | None:
    """Return the value of a position over the axes of the scope; None where it is none, or no range has it alone."""
    found = position_of(term)
    if found is None:
        return None
    counted = counted_from_zero(term, scope.box)
    if counted is not None:
        return scope.evaluate(counted, scope)
    extreme = found.extreme
    if found.is_last or not isinstance(extreme, Reduce):
        return None
    inner, extra = evaluation(extreme, scope.domain & found.domain, scope)
    value = inner.evaluate(found.body, inner)
    first, after = inner.spans[found.bound]
    is_whole = first.is_constant and not first.constant and inner.context.implies(at_least(after, 1))
    if extra is not None or not is_whole or found.bound not in value.axes:
        return None
    rest = tuple(a for a in value.axes if a != found.bound)
    axis = value.axes.index(found.bound)
    return Value(inner.build.position(value.expression, axis, is_greatest=found.is_greatest), rest)
