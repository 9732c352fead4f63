"""Places that count: what a store at a running count hits, no other iteration hits.

    k + sum(j : 0 <= j < i) select(p(j), 1, 0)

counts the iterations before ``i`` that satisfy ``p``.  Where only those store there, as ``if (p) out[k++] = x[i]``
does, the places of later iterations are beyond those of earlier ones.  Counts of 64 bits do not wrap, as no loop is so
long; signed ones of 32 bits end before, where all that counts stores: each place is one of a cell, so not negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.rules import FALSE
from tensorlift.comprehension.terms import Constant, Reduce, Term, applies
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import Domain, equal

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNED = ("i32", "i64")


class RunningCount(NamedTuple):
    """``start``, and ``step`` for each iteration before ``variable`` in which a condition holds; ``dtype`` counts."""

    start: Term
    step: int
    variable: str
    condition: Term
    total: Reduce

    def at(self, variable: str) -> Term:
        """Return the condition in another iteration."""
        return substitute(self.condition, {self.variable: affine(variable)})


def running_count(place: Term, variable: str) -> RunningCount | None:
    """Return the running count of iterations that a place is, of which a variable is the end."""
    while applies(place, "cast") and place.args[0].dtype in _SIGNED and place.dtype == "i64":
        place = place.args[0]
    if place.dtype not in _SIGNED:
        return None
    parts = list(summands(place))
    moving = [part for part in parts if variable in part.free]
    if len(moving) != 1:
        return None
    (count,) = moving
    if not isinstance(count, Reduce) or count.op != "sum" or len(count.bound) != 1 or variable in count.body.free:
        return None
    counted = _counted(count.body)
    if counted is None:
        return None
    start: Term = terms.zero(place.dtype)
    for part in parts:
        if part is not count:
            start = part if isinstance(start, Constant) and not start.value else terms.apply("add", start, part)
    condition, step = counted
    return RunningCount(start, step, count.bound[0], condition, count)


def is_alone(condition: Term, variable: str, other: str, pairs: Domain) -> bool:
    """Tell whether a condition that a place hits a cell holds in one of two iterations at most.

    ``pairs`` has the values of ``variable`` with those of ``other``, an earlier iteration.
    """
    tests = set(conjuncts(condition))
    for test in tests:
        if applies(test, "hits") and variable not in test.args[1].free:
            count = running_count(test.args[0], variable)
            counted = set() if count is None else set(conjuncts(count.at(variable)))
            if count is None or not counted <= tests or (count.total.dtype != "i64" and tests - counted != {test}):
                continue
            (bound,) = count.total.bound
            later = count.total.domain & pairs
            earlier = count.total.domain.substitute({variable: affine(other)}) & pairs
            own = Domain.of(equal(bound, other)) & pairs
            if earlier.is_subset(later) and own.is_subset(later) and own.is_disjoint(earlier):
                return True
    return False


def conjuncts(condition: Term) -> Iterator[Term]:
    """Yield what holds where a condition holds."""
    if applies(condition, "and"):
        for part in condition.args:
            yield from conjuncts(part)
    elif applies(condition, "select") and condition.args[2] is FALSE:
        yield from conjuncts(condition.args[0])
        yield from conjuncts(condition.args[1])
    else:
        yield condition


def summands(term: Term) -> Iterator[Term]:
    """Yield what is added up, in the type of the sum."""
    if applies(term, "add"):
        for part in term.args:
            yield from summands(part) if part.dtype == term.dtype else (part,)
    elif applies(term, "sub"):
        other = term.args[1]
        yield from summands(term.args[0])
        yield terms.constant(-other.value, other.dtype) if isinstance(other, Constant) else terms.apply("neg", other)
    else:
        yield term


def _counted(body: Term) -> tuple[Term, int] | None:
    """Return the condition under which one is added or taken off."""
    if applies(body, "cast") and body.args[0].dtype == "bool":
        return body.args[0], 1
    if not applies(body, "select"):
        return None
    condition, *arms = body.args
    inner = _counted(arms[0]) if _is_zero(arms[1]) else None
    if inner is not None:
        return terms.apply("and", condition, inner[0]), inner[1]
    values = [arm.value if isinstance(arm, Constant) else None for arm in arms]
    if None in values:
        return None
    if values[1] == 0 and values[0] in (1, -1):
        return condition, int(values[0])
    if values[0] == 0 and values[1] in (1, -1):
        return terms.apply("not", condition), int(values[1])
    return None


def _is_zero(term: Term) -> bool:
    return isinstance(term, Constant) and not term.value
