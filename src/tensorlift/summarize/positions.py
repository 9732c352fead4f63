"""Recognises positions of extremes: an index that is taken wherever a value beats the best one so far.

    if (v(i) > best) { best = v(i); k = i; }

After some iterations ``k`` is the first place of the greatest ``v`` if that beats what ``best`` was before the loop,
and what it was before otherwise; with ``>=`` it is the last place.  The guess is bold, as all are: the induction check
decides, for every order in which the values that are compared can be (`orders`).

    if (v(i) > t) k = i;

leaves the latest index at which the condition holds: the greatest one, or the least where the loop counts down.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.affine import Affine, affine
from tensorlift.comprehension.domain import Domain, less
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.positions import DTYPE, Place, Position
from tensorlift.comprehension.terms import Apply, Index, Read, Term
from tensorlift.ops.dtypes import integer_range, is_integer
from tensorlift.summarize.accumulate import recognise
from tensorlift.summarize.accumulation import SELF

if TYPE_CHECKING:
    from tensorlift.comprehension.state import Effect, Piece

_TURNED = {"gt": "lt", "ge": "le", "lt": "gt", "le": "ge"}
_OPPOSITE = {"gt": "le", "ge": "lt", "lt": "ge", "le": "gt"}


def guess_position(pieces: Effect, array: str, variable: str, region: Domain) -> list[Piece] | None:
    """Return the state of a number before an iteration, where it holds the position of an extreme; else None.

    ``pieces`` are what an iteration does to each array, the cell's own value read as `SELF`.  The state is over reads
    of what the arrays hold before the loop.
    """
    step = _step(pieces[array][0][1], pieces, variable) if len(pieces[array]) == 1 else None
    if step is None or len(pieces[step.best.array]) != 1:
        return None
    ((domain, term),), ((held, update),) = pieces[array], pieces[step.best.array]
    fold = recognise(update, variable)
    if fold is None or fold.op not in ("max", "min") or fold.latch is not None or not held.is_equal(domain):
        return None
    if not fold.term.reads.isdisjoint(pieces):
        return None
    bound = fresh("k")
    here = {variable: affine(bound)}
    points = (domain.substitute(here) & region & Domain.of(less(bound, variable))).coalesce()
    is_last = step.comparison in ("ge", "le")
    found = Position(fold.op == "max", is_last, bound, points, rewrite.substitute(fold.term, here))
    factor = step.place.coefficient(variable)
    place = Place(found, factor, step.place - Affine.var(variable, factor), term.dtype)
    beats = terms.apply(step.comparison, found.extreme, step.best)
    state = terms.apply("select", beats, place.term, terms.read(array, (), term.dtype))
    return [(points.project_out(bound), state)]


def guess_latest(pieces: Effect, array: str, variable: str, region: Domain) -> list[Piece] | None:
    """Return the state of a number before an iteration, where it holds the latest index of a condition; else None.

    Indices that rise are latest where they are greatest, those that fall where they are least.
    """
    if len(pieces[array]) != 1:
        return None
    ((domain, term),) = pieces[array]
    if (
        not isinstance(term, Apply)
        or term.op != "select"
        or not is_integer(term.dtype)
        or not domain.mentions(variable)
    ):
        return None
    condition, chosen, other = term.args
    if _is_self(chosen):
        condition, chosen, other = terms.apply("not", condition), other, chosen
    place = _index_of(chosen)
    if place is None or not _is_self(other) or not condition.reads.isdisjoint({*pieces, SELF}):
        return None
    rises = place.coefficient(variable)
    if not rises:
        return None
    bound = fresh("k")
    here = {variable: affine(bound)}
    points = (domain.substitute(here) & region & Domain.of(less(bound, variable))).coalesce()
    holds = rewrite.substitute(condition, here)
    nothing = terms.constant(integer_range(DTYPE)[0 if rises > 0 else 1], DTYPE)
    body = terms.apply("select", holds, terms.index(place.substitute(here), DTYPE), nothing)
    latest = terms.cast(terms.reduce("max" if rises > 0 else "min", (bound,), points, body), term.dtype)
    some = terms.reduce("any", (bound,), points, holds)
    state = terms.apply("select", some, latest, terms.read(array, (), term.dtype))
    return [(points.project_out(bound), state)]


def _index_of(term: Term) -> Affine | None:
    """Return the index that a term is, perhaps in another type."""
    while isinstance(term, Apply) and term.op == "cast" and is_integer(term.args[0].dtype):
        term = term.args[0]
    return term.affine if isinstance(term, Index) else None


class _Step(NamedTuple):
    """``x > best ? place : SELF``, with a place that is affine in the loop variable."""

    comparison: str
    best: Read
    place: Affine


def _step(term: Term, pieces: Effect, variable: str) -> _Step | None:
    if not isinstance(term, Apply) or term.op != "select" or not is_integer(term.dtype):
        return None
    condition, chosen, other = term.args
    is_opposite = _is_self(chosen)
    if is_opposite:
        chosen, other = other, chosen
    if isinstance(condition, Apply) and condition.op == "not":
        condition, is_opposite = condition.args[0], not is_opposite
    if not isinstance(condition, Apply) or condition.op not in _TURNED or not _is_self(other):
        return None
    op, (value, best) = condition.op, condition.args
    if isinstance(value, Read) and value.array in pieces:
        op, value, best = _TURNED[op], best, value
    place = _index_of(chosen)
    if not isinstance(best, Read) or best.array not in pieces or best.indices or place is None:
        return None
    if not value.reads.isdisjoint(pieces) or not place.coefficient(variable):
        return None
    return _Step(_OPPOSITE[op] if is_opposite else op, best, place)


def _is_self(term: Term) -> bool:
    return isinstance(term, Read) and term.array == SELF
