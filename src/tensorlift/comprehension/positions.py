"""Positions of extremes: where a value is greatest or least, first or last, as a term over the other reductions.

The first place of the greatest ``v(t)`` is the least ``t`` at which ``v(t)`` is the greatest value:

    min(t : 0 <= t < n) select(v(t) = max(j : 0 <= j < n) v(j), [t], greatest integer)

so that positions need no binder of their own.  The last place is the greatest such ``t``.  Here that form is built and
recognised, brought to the form that decides equality (first places counted from zero), and taken together with a value
and a place to start from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.ranges import ends_of
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Apply, Constant, Index, Reduce, Term, applies
from tensorlift.ops.dtypes import DType, integer_range, is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Callable


PositionName = Literal["argmax", "argmin"]  # how tensor programs call the first place of the greatest or least value

DTYPE: DType = "i64"  # of positions
_LEAST, _GREATEST = integer_range(DTYPE)


@dataclass(frozen=True, slots=True)
class Position:
    """The first or last value of ``bound`` in a domain at which the body is greatest or least."""

    is_greatest: bool
    is_last: bool
    bound: str
    domain: Domain
    body: Term

    @property
    def extreme_op(self) -> Literal["max", "min"]:
        """The reduction that gives the extreme."""
        return "max" if self.is_greatest else "min"

    @property
    def extreme(self) -> Term:
        """The greatest or least value."""
        return terms.reduce(self.extreme_op, (self.bound,), self.domain, self.body)

    @property
    def term(self) -> Term:
        """The position; that in an empty domain is the least integer where it is the last, else the greatest."""
        inner = fresh("j")
        renamed = {self.bound: Affine.var(inner)}
        best = terms.reduce(self.extreme_op, (inner,), self.domain.substitute(renamed), substitute(self.body, renamed))
        nothing = terms.constant(_LEAST if self.is_last else _GREATEST, DTYPE)
        here = terms.index(Affine.var(self.bound), DTYPE)
        body = terms.apply("select", terms.apply("eq", self.body, best), here, nothing)
        return terms.reduce("max" if self.is_last else "min", (self.bound,), self.domain, body)

    @property
    def beaten_by(self) -> str:
        """The comparison of a later value with the extreme so far by which the later one takes over."""
        strict, tied = ("gt", "ge") if self.is_greatest else ("lt", "le")
        return tied if self.is_last else strict

    def over(self, domain: Domain) -> Position:
        """Return the position in another domain."""
        return replace(self, domain=domain)


def position_of(term: Term) -> Position | None:
    """Return the position of an extreme that a term is, None where it is none."""
    if not isinstance(term, Reduce) or term.op not in ("max", "min") or term.dtype != DTYPE or len(term.bound) != 1:
        return None
    choice, (bound,) = term.body, term.bound
    if not applies(choice, "select"):
        return None
    condition, here, nothing = choice.args
    is_last = term.op == "max"
    if not isinstance(here, Index) or here.affine.variable != bound or not isinstance(nothing, Constant):
        return None
    if nothing.value != (_LEAST if is_last else _GREATEST) or not applies(condition, "eq"):
        return None
    body, best = condition.args
    if not isinstance(best, Reduce) or best.op not in ("max", "min") or len(best.bound) != 1 or bound in best.free:
        return None
    names = {best.bound[0]: Affine.var(bound)}
    if best.body.dtype != body.dtype or not alike(substitute(best.body, names), body):
        return None
    some = term.domain.project_out(bound)  # what holds where there are points need not be said again inside
    if not (best.domain.substitute(names) & some).is_equal(term.domain):
        return None
    return Position(best.op == "max", is_last, bound, term.domain, body)


def extreme_in(term: Term) -> Reduce | None:
    """Return the reduction inside of a position that gives the extreme; None for any other term."""
    if position_of(term) is None or not isinstance(term, Reduce):
        return None
    _, best = term.body.children[0].children
    return best if isinstance(best, Reduce) else None


def counted_from_zero(term: Term, context: Domain) -> Term | None:
    """Return a position as the first one of a range from zero; None where it is that, or the range is not known.

    The range must have a point for all values that the context has.
    """
    found = position_of(term)
    ends = None if found is None else _ends(found, context)
    if found is None or ends is None:
        return None
    low, high = ends
    if not found.is_last and low == Affine(0):
        return None
    place = Affine.var(found.bound)
    values = {found.bound: high - place if found.is_last else low + place}
    points, body = found.domain.substitute(values), substitute(found.body, values)
    counted = replace(found, is_last=False, domain=points, body=body)
    if found.is_last:
        return terms.apply("sub", terms.index(high, DTYPE), counted.term)
    return terms.apply("add", terms.index(low, DTYPE), counted.term)


def _ends(found: Position, context: Domain) -> tuple[Affine, Affine] | None:
    """Return the first and the last point of a range that is never empty in the context, whose names are others."""
    if context.mentions(found.bound):
        return None
    inside = context & found.domain
    ends = ends_of(inside, found.bound)
    if ends is None:
        return None
    first, last = ends
    whole = Domain.of(at_least(found.bound, first), less(found.bound, last + 1))
    if not context.implies(at_least(last, first)) or not (context & whole).is_equal(inside):
        return None
    return ends


# -- places: indices counted by positions


class Place(NamedTuple):
    """``rest + factor * position``, exact, as a value of a type."""

    position: Position
    factor: int
    rest: Affine
    dtype: DType

    @property
    def term(self) -> Term:
        """The place as a term."""
        found = self.position.term
        if self.factor == -1:
            return terms.cast(terms.apply("sub", terms.index(self.rest, DTYPE), found), self.dtype)
        if self.factor != 1:
            found = terms.apply("mul", terms.constant(self.factor, DTYPE), found)
        if self.rest != Affine(0):
            found = terms.apply("add", terms.index(self.rest, DTYPE), found)
        return terms.cast(found, self.dtype)

    def at(self, value: Affine) -> Term:
        """Return the place where the position is a given one."""
        return terms.index(self.rest + value * self.factor, self.dtype)

    def counted(self, context: Domain) -> Place:
        """Return the place with its position counted from zero, if the range of that is known."""
        counted = counted_from_zero(self.position.term, context)
        inner = None if counted is None else place_of(counted)
        if inner is None:
            return self
        return Place(inner.position, self.factor * inner.factor, self.rest + inner.rest * self.factor, self.dtype)


def place_of(term: Term) -> Place | None:
    """Return the place that a term is, None where it is none."""
    if applies(term, "cast") and is_integer(term.dtype):
        inner = place_of(term.args[0]) if term.args[0].dtype == DTYPE else None
        return None if inner is None else inner._replace(dtype=term.dtype)
    if term.dtype != DTYPE or not isinstance(term, Apply):
        found = position_of(term)
        return None if found is None else Place(found, 1, Affine(0), DTYPE)
    return _combined(term) if term.op in ("add", "sub", "mul") else None


def _combined(term: Apply) -> Place | None:
    """Return a place plus, minus or times an index."""
    left, right = term.args
    turns = not left.has_domains
    value, place = (_index(left), place_of(right)) if turns else (_index(right), place_of(left))
    if value is None or place is None:
        return None
    if term.op == "mul":
        if not value.is_constant:
            return None
        return place._replace(factor=place.factor * value.constant, rest=place.rest * value.constant)
    if term.op == "add":
        return place._replace(rest=place.rest + value)
    if turns:
        return place._replace(factor=-place.factor, rest=value - place.rest)
    return place._replace(rest=place.rest - value)


def _index(term: Term) -> Affine | None:
    if isinstance(term, Index):
        return term.affine
    return Affine(int(term.value)) if isinstance(term, Constant) else None


# -- a value and a place to start from


def with_start(term: Apply, context: Domain, same: Callable[[Term, Term], bool]) -> Term | None:
    """Return ``max(t) v(t) > v(s) ? the first place : s`` as the first place with ``s`` among the points; else None.

    ``s`` is the first point, or the one before it.  With ``>=``, which prefers the later points, it is so for the last
    place.  What is at a place instead of it, ``u`` at the first place or ``u(s)``, is at that place as well.  ``same``
    tells whether two terms are equal in the context.
    """
    found = _started(term)
    ends = None if found is None else _ends(found[0].position, context)
    if found is None or ends is None:
        return None
    (place, start), (_, chosen, other) = found, term.args
    position, picked = place.position, None if rewrite.place_of(chosen) is None else chosen
    for first in (ends[0] - 1, ends[0]):
        at_first: Term | None = place.at(first)
        if isinstance(picked, Reduce):
            at_first = _cell_at(picked, place.rest + first * place.factor, context)
        if same(start, substitute(position.body, {position.bound: first})) and at_first and same(other, at_first):
            point = Domain.of(equal(position.bound, first))
            grown = ((context & position.domain) | (context & point)).coalesce().gist(context)
            at = place._replace(position=position.over(grown)).counted(context).term
            return rewrite.with_place(picked, at) if isinstance(picked, Reduce) else at
    return None


def _cell_at(picked: Reduce, place: Affine, context: Domain) -> Term | None:
    """Return what is at an index, where a term is what is at a place; None where it is outside."""
    values = {picked.bound[0]: place}
    is_inside = context.is_subset(picked.domain.substitute(values))
    return substitute(picked.body.children[1], values) if is_inside else None


_TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def _started(term: Apply) -> tuple[Place, Term] | None:
    """Return the place and the start of ``extreme > start ? place : ...``, by the comparison that fits the place."""
    condition = term.args[0]
    place = place_of(rewrite.place_of(term.args[1]) or term.args[1])
    if place is None or not applies(condition, _TURNED):
        return None
    op, (best, start) = condition.op, condition.args
    if not _is_extreme(best, place.position):
        op, best, start = _TURNED[op], start, best
    if not _is_extreme(best, place.position) or op != place.position.beaten_by:
        return None
    return place, start


def _is_extreme(best: Term, position: Position) -> bool:
    """Tell whether a term is the value that is at a position."""
    if not isinstance(best, Reduce) or best.op != position.extreme_op or len(best.bound) != 1:
        return False
    names = {best.bound[0]: Affine.var(position.bound)}
    body, domain = substitute(best.body, names), best.domain.substitute(names)
    return alike(body, position.body) and domain.is_equal(position.domain)
