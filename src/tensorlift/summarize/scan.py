"""Recognises positions of extremes: an index that is taken wherever a value beats the best one so far.

    if (v(i) > best) { best = v(i); k = i; }

After some iterations ``k`` is the first place of the greatest ``v`` if that beats what ``best`` was before the loop,
and what it was before otherwise; with ``>=`` it is the last place.  The guess is bold, as all are: the induction check
decides, for every order in which the values that are compared can be (`orders`).

    if (v(i) > t) k = i;

leaves the latest index at which the condition holds: the greatest one, or the least where the loop counts down.

    if (c(i) && v(i) > best) { best = v(i); k = i; }

leaves the place of the greatest ``c(i) ? v(i) : -infinity``.

    run = c(i) ? 0 : run + 1;

leaves how far the latest index is at which the condition holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.positions import DTYPE, Place, Position
from tensorlift.comprehension.rules import TRUE
from tensorlift.comprehension.terms import Apply, Index, Read, Reducer, Term, applies
from tensorlift.ops.dtypes import DType, integer_range, is_integer
from tensorlift.ops.scalar_ops import OPPOSITE, TURNED
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, less
from tensorlift.poly.names import fresh
from tensorlift.summarize.accumulate import recognise
from tensorlift.summarize.accumulation import SELF, has_self

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.state import Effect, Piece
    from tensorlift.summarize.statements import Loop

    Shapes = Callable[[str], tuple[Affine, ...]]  # of arrays, by their names

_ORDERS = ("lt", "le", "gt", "ge")


def guess_position(pieces: Effect, array: str, loop: Loop, region: Domain, shapes: Shapes) -> list[Piece] | None:
    """Return the state of a number before an iteration, where it is taken at the position of an extreme; else None.

    It is that position, a value that is the same in all iterations, as the row is in a loop over columns, or what an
    iteration has besides, as the column of the greatest value of a row.  ``pieces`` are what an iteration does to each
    array, the cell's own value read as `SELF`.  The state is over reads of what the arrays hold before the loop.
    """
    variable = loop.variable
    step = _step(pieces[array][0][1], pieces) if len(pieces[array]) == 1 else None
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
    beats = terms.apply(step.comparison, found.extreme, step.best)
    taken = _taken_at(found, step.taken, loop, held, shapes)
    state = terms.apply("select", beats, taken, terms.read(array, (), term.dtype))
    return [(points.project_out(bound), state)]


def _taken_at(found: Position, taken: Term, loop: Loop, held: Domain, shapes: Shapes) -> Term:
    """Return what a term is in the iteration that is the position of an extreme."""

    def index_at(index: Affine, dtype: DType) -> Term:
        factor = index.coefficient(loop.variable)
        return Place(found, factor, index - Affine.var(loop.variable, factor), dtype).term

    place, best = _index_of(taken), _Iteration(loop.variable, index_at, shapes)
    if place is not None and place.coefficient(loop.variable):
        return index_at(place, taken.dtype)
    if best.has(taken):
        return best.of(taken)
    at = fresh("k")
    hits = terms.apply("hits", found.term, terms.index(affine(at), DTYPE))
    value = terms.apply("select", hits, _at(taken, loop, at), terms.zero(taken.dtype))
    return terms.reduce("sum", (at,), (held & loop.domain()).rename({loop.variable: at}).coalesce(), value)


def guess_latest(pieces: Effect, array: str, loop: Loop, region: Domain) -> list[Piece] | None:
    """Return the state of a number before an iteration, where it holds the latest index of a condition; else None.

    Indices that rise are latest where they are greatest, those that fall where they are least.
    """
    if len(pieces[array]) != 1:
        return None
    ((domain, term),), variable = pieces[array], loop.variable
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


def guess_since(pieces: Effect, array: str, loop: Loop, region: Domain) -> list[Piece] | None:
    """Return the state of a number before an iteration, where it counts iterations since a condition held; else None.

        run = c(i) ? 0 : run + 1;

    leaves how far the latest index is at which the condition held.
    """
    if len(pieces[array]) != 1 or len(loop.lower) != 1 or loop.step != 1:
        return None
    ((domain, term),) = pieces[array]
    found = _begun_anew(term, loop.variable) if is_integer(term.dtype) and domain.mentions(loop.variable) else None
    if found is None or any(not part.reads.isdisjoint({*pieces, SELF}) for part in found):
        return None
    bound = fresh("k")
    here = {loop.variable: affine(bound)}
    points = (domain.substitute(here) & region & Domain.of(less(bound, loop.variable))).coalesce()
    holds = rewrite.substitute(found.condition, here)
    nothing = terms.constant(integer_range(DTYPE)[0], DTYPE)
    body = terms.apply("select", holds, terms.index(affine(bound), DTYPE), nothing)
    latest = terms.reduce("max", (bound,), points, body)
    some = terms.reduce("any", (bound,), points, holds)
    ago = terms.apply("sub", terms.index(affine(loop.variable) - 1, DTYPE), latest)
    ever = terms.index(affine(loop.variable) - loop.lower[0], DTYPE)

    def after(first: Term, count: Term) -> Term:
        """Return a number after so many steps."""
        return terms.apply("add", first, terms.apply("mul", terms.cast(count, term.dtype), found.step))

    state = terms.apply("select", some, after(found.first, ago), after(terms.read(array, (), term.dtype), ever))
    return [(points.project_out(bound), state)]


class _Anew(NamedTuple):
    """A number that is ``first`` where a condition holds, and grows by ``step`` elsewhere; none changes in the loop."""

    condition: Term
    first: Term
    step: Term


def _begun_anew(term: Term, variable: str) -> _Anew | None:
    """Return how a number begins anew by a choice, to which something may be added."""
    if applies(term, "select"):
        condition, first, other = term.args
        if has_self(first):
            condition, first, other = rewrite.simplified("not", (condition,)), other, first
        step = None if _is_self(other) else recognise(other, variable)
        if has_self(first) or has_self(condition) or not (_is_self(other) or (step and step.op == "sum")):
            return None
        found = _Anew(condition, first, step.term if step else terms.zero(term.dtype))
    elif applies(term, {"add", "sub"}) and has_self(term.args[0]) and not has_self(term.args[1]):
        inner = _begun_anew(term.args[0], variable)
        if inner is None:
            return None
        found = _Anew(inner.condition, *(rewrite.simplified(term.op, (part, term.args[1])) for part in inner[1:]))
    else:
        return None
    return None if variable in found.first.free | found.step.free else found


def guess_latest_value(pieces: Effect, array: str, loop: Loop, region: Domain, shapes: Shapes) -> list[Piece] | None:
    """Return the state of a number before an iteration, where it is what the latest iteration of some took; else None.

        if (v(i) > t) last = x(i);

    leaves ``x`` at the latest index at which the condition holds.  Where it never held yet, the first one stands for
    it, so that the place is inside of the array always.
    """
    if len(pieces[array]) != 1 or len(loop.lower) != 1:
        return None
    ((domain, term),) = pieces[array]
    taken = taken_by_choice(term) if domain.mentions(loop.variable) else None
    if taken is None or any(not part.reads.isdisjoint(pieces) for part in taken):
        return None
    condition, chosen = taken
    bound = fresh("k")
    here = {loop.variable: affine(bound)}
    points = (domain.substitute(here) & region & Domain.of(less(bound, loop.variable))).coalesce()
    holds = rewrite.substitute(condition, here)
    latest = latest_of(loop.variable, loop.lower[0], bound, points, holds, shapes)
    value = latest.of(chosen) if latest.has(chosen) else None
    if value is None:
        return None
    some = latest.of(condition) if latest.has(condition) else terms.reduce("any", (bound,), points, holds)
    state = terms.apply("select", some, value, terms.read(array, (), term.dtype))
    return [(points.project_out(bound), state)]


def latest_of(  # noqa: PLR0913, PLR0917 - which iterations, and what holds of them
    variable: str, start: Affine, bound: str, points: Domain, holds: Term, shapes: Shapes
) -> _Iteration:
    """Return the latest of the iterations ``bound`` in a domain at which something holds; the first one for none."""

    def index_at(index: Affine, dtype: DType) -> Term:
        """Return the greatest of the indices where they rise, else the least."""
        passed, first = (terms.index(index.substitute({variable: at}), dtype) for at in (affine(bound), start))
        op: Reducer = "max" if index.coefficient(variable) > 0 else "min"
        return terms.reduce(op, (bound,), points, terms.apply("select", holds, passed, first))

    return _Iteration(variable, index_at, shapes)


def _at(term: Term, loop: Loop, variable: str) -> Term:
    return rewrite.substitute(term, {loop.variable: affine(variable)})


def taken_by_choice(term: Term) -> tuple[Term, Term] | None:
    """Return when a number is given a value by nested choices, and which one; None where it always is or never."""
    if not applies(term, "select"):
        return None
    condition, chosen, other = term.args
    if _is_self(chosen):
        condition, chosen, other = rewrite.simplified("not", (condition,)), other, chosen
    first = (TRUE, chosen) if not has_self(chosen) else taken_by_choice(chosen)
    if first is None or has_self(condition):
        return None
    if _is_self(other):
        return rewrite.simplified("and", (condition, first[0])), first[1]
    second = (TRUE, other) if not has_self(other) else taken_by_choice(other)
    if second is None:
        return None
    when, what = (rewrite.simplified("select", (condition, *arms)) for arms in zip(first, second, strict=True))
    return when, what


@dataclass(frozen=True)
class _Iteration:
    """An iteration that depends on data: ``index`` gives the value of an index in it."""

    variable: str
    index: Callable[[Affine, DType], Term]
    shapes: Shapes
    cells: dict[Read, Term] = field(default_factory=dict)

    def has(self, term: Term) -> bool:
        """Tell whether the value of a term in that iteration has a form: whether it reads cells along one axis."""
        nodes = [node for node in rewrite.walk(term) if self.variable in node.free]
        return all(isinstance(node, Apply | Index) or (isinstance(node, Read) and self._is_row(node)) for node in nodes)

    def of(self, term: Term) -> Term:
        """Return the value of a term in that iteration."""
        if self.variable not in term.free:
            return term
        if isinstance(term, Index):
            return self.index(term.affine, term.dtype)
        if isinstance(term, Read):
            if term not in self.cells:
                self.cells[term] = self._cell(term)
            return self.cells[term]
        return rewrite.rebuild(term, self.of)

    def _is_row(self, read: Read) -> bool:
        return read.dtype != "bool" and sum(map(self._moves, read.indices)) == 1

    def _moves(self, index: Affine) -> bool:
        return bool(index.coefficient(self.variable))

    def _cell(self, read: Read) -> Term:
        axis = next(axis for axis, index in enumerate(read.indices) if self._moves(index))
        cell = fresh("k")
        hits = terms.apply("hits", self.index(read.indices[axis], DTYPE), terms.index(affine(cell), DTYPE))
        indices = tuple(affine(cell) if k == axis else index for k, index in enumerate(read.indices))
        value = terms.apply("select", hits, terms.read(read.array, indices, read.dtype), terms.zero(read.dtype))
        return terms.reduce("sum", (cell,), Domain.box((cell,), (self.shapes(read.array)[axis],)), value)


def guess_last_writer(pieces: list[Piece], loop: Loop, region: Domain, old: Read) -> list[Piece] | None:
    """Return the cells of an array before an iteration, where the latest one that writes a cell decides; else None.

    That is the value of the iteration that is the latest index of the condition: a place that depends on data.
    """
    if len(pieces) != 1 or not old.indices:
        return None
    ((domain, term),), variable = pieces, loop.variable
    found = taken_by_choice(term)
    if found is None or has_self(found[1]):
        return None
    condition, value = found
    bound, at = fresh("k"), fresh("k")
    here = {variable: affine(bound)}
    points = (domain.substitute(here) & region & Domain.of(less(bound, variable))).coalesce()
    every = (domain & loop.domain()).rename({variable: at}).coalesce()
    holds = rewrite.substitute(condition, here)
    nothing = terms.constant(integer_range(DTYPE)[0], DTYPE)
    latest = terms.reduce(
        "max", (bound,), points, terms.apply("select", holds, terms.index(affine(bound), DTYPE), nothing)
    )
    latest = terms.apply("max", terms.constant(-1, DTYPE), latest)
    first = terms.zero(DTYPE)
    chosen = terms.apply("eq", terms.apply("max", latest, first), terms.index(affine(at), DTYPE))
    values = rewrite.substitute(value, {variable: affine(at)})
    body = terms.apply("select", chosen, values, terms.zero(value.dtype))
    last = terms.reduce("sum", (at,), every, body)
    state = terms.apply("select", terms.apply("ge", latest, first), last, old)
    return [((domain.project_out(variable) & region).coalesce(), state)]


def _index_of(term: Term) -> Affine | None:
    """Return the index that a term is, perhaps in another type."""
    while applies(term, "cast") and is_integer(term.args[0].dtype):
        term = term.args[0]
    return term.affine if isinstance(term, Index) else None


class _Step(NamedTuple):
    """``x > best ? taken : SELF``, perhaps under conditions."""

    comparison: str
    best: Read
    taken: Term


def _step(term: Term, pieces: Effect) -> _Step | None:
    if not applies(term, "select"):
        return None
    condition, chosen, other = term.args
    is_opposite = _is_self(chosen)
    if is_opposite:
        chosen, other = other, chosen
    if applies(condition, "not"):
        condition, is_opposite = condition.args[0], not is_opposite
    if not _is_self(other):
        return None
    if applies(chosen, "select") and condition.reads.isdisjoint(pieces):
        return _step(chosen, pieces)
    if applies(chosen, "select") and _is_self(chosen.args[2]) and chosen.args[0].reads.isdisjoint(pieces):
        chosen = chosen.args[1]
    if applies(condition, "and") and not is_opposite:
        condition = next((part for part in condition.args if not part.reads.isdisjoint(pieces)), condition)
    is_known = chosen.reads.isdisjoint({*pieces, SELF})
    return _compared(condition, chosen, pieces, is_opposite=is_opposite) if is_known else None


def _compared(condition: Term, taken: Term, pieces: Effect, *, is_opposite: bool) -> _Step | None:
    """Return the step that takes a value by a comparison with the best one so far."""
    if not applies(condition, _ORDERS):
        return None
    op, (value, best) = condition.op, condition.args
    if isinstance(value, Read) and value.array in pieces:
        op, value, best = TURNED[op], best, value
    if not isinstance(best, Read) or best.array not in pieces or best.indices:
        return None
    if not value.reads.isdisjoint(pieces):
        return None
    return _Step(OPPOSITE[op] if is_opposite else op, best, taken)


def _is_self(term: Term) -> bool:
    return isinstance(term, Read) and term.array == SELF
