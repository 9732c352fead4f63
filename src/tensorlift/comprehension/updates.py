"""Updates of cells that data choose: what definitions store, or fold, where places hit.

A choice by ``hits`` in a fold, ``sum(i : ...) select(hits(t(i), [c]), v(i), 0)``, is folded in; others store.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from tensorlift.comprehension.additions import added_to, joined, negated
from tensorlift.comprehension.counts import conjuncts
from tensorlift.comprehension.latest import latest_in
from tensorlift.comprehension.rewrite import flattened, map_reads, substitute, summands, walk
from tensorlift.comprehension.segments import neutral_term
from tensorlift.comprehension.state import split
from tensorlift.comprehension.terms import (
    Apply,
    Constant,
    Index,
    Read,
    Reduce,
    Term,
    applies,
    apply,
    cast,
    index,
    piecewise,
    reduce,
    zero,
)
from tensorlift.ops.dtypes import is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Reducer

UpdateOp = str  # set, last, add, mul, max or min

_FOLDS: dict[str, UpdateOp] = {"sum": "add", "prod": "mul", "max": "max", "min": "min"}
REDUCERS: dict[str, Reducer] = {"add": "sum", "mul": "prod", "max": "max", "min": "min"}


@dataclass(frozen=True)
class Update:
    """What is done at the cells that places hit: on each point of a domain of the bound variables, if conditions hold.

    ``places`` are those of the axes that hits choose; ``term`` is what is stored, or folded into the cell.
    """

    op: UpdateOp
    bound: tuple[str, ...]
    domain: Domain
    places: dict[str, Term]
    conditions: tuple[Term, ...]
    term: Term

    @property
    def terms(self) -> tuple[Term, ...]:
        """Everything that is computed for an update."""
        return (*self.places.values(), *self.conditions, self.term)

    def at(self, values: Mapping[str, Affine]) -> Update:
        """Put values, or new names, in for bound variables and indices of other axes."""
        names = tuple(values[name].variable or name if name in values else name for name in self.bound)
        places = {axis: substitute(place, values) for axis, place in self.places.items()}
        conditions = tuple(substitute(condition, values) for condition in self.conditions)
        return Update(self.op, names, self.domain.substitute(values), places, conditions, substitute(self.term, values))

    def at_places(self, domain: Domain, shapes: Mapping[str, Sequence[Affine]]) -> Update | None:
        """Say what is stored, and under which conditions, as terms of the places alone; None where it is none."""
        moved = [self.at_place(term, domain, shapes) for term in (*self.conditions, self.term)]
        found = [term for term in moved if term is not None]
        return replace(self, conditions=tuple(found[:-1]), term=found[-1]) if len(found) == len(moved) else None

    def at_place(self, term: Term, domain: Domain, shapes: Mapping[str, Sequence[Affine]]) -> Term | None:
        """Say a term of a cell, at the points of a domain, as one of the place that hits it; None where it is none."""
        used = term.free & self.places.keys()
        if not used:
            return term

        def convert(cell: Read, _: Domain) -> Term:
            found: Term = cell
            for axis, at in enumerate(cell.indices):
                if at.variable in used:
                    name = fresh("k")
                    found = substitute(found, {at.variable: Affine.var(name)})
                    test = apply("hits", cast(self.places[at.variable], "i64"), index(Affine.var(name), "i64"))
                    box = Domain.box((name,), (shapes[cell.array][axis],))
                    found = reduce("sum", (name,), box, apply("select", test, found, zero(cell.dtype)))
            return found

        moved = map_reads(term, domain, convert)
        return moved if moved.free.isdisjoint(used) else None


class NoUpdatesError(Exception):
    """Places choose cells in a way that is no update of them; says which."""


def updating(definition: Definition, domain: Domain) -> tuple[tuple[tuple[Domain, Term], ...], list[Update]] | None:
    """Return the pieces of what is there before, and the updates; None where no places choose cells.

    Where folds of no operands are left out, the updates of the other pieces do nothing.

    Raises:
        NoUpdatesError: where places choose cells in another way, or not all cells alike.

    """
    axes = definition.indices
    if not any(has_hits(term, axes) for _, term in definition.pieces):
        return None
    parts = [(known, *updates_of(term, axes)) for known, term in definition.pieces]
    updates = next((found for _, _, found in parts if found), [])
    if not updates or any(has_hits(old, axes) for _, old, _ in parts):
        raise NoUpdatesError("places that depend on data choose cells in a way that has no form here")
    if any(found not in ([], updates) for _, _, found in parts):
        raise NoUpdatesError("places that depend on data are not the same for all cells")
    if not all(found or _is_nothing(updates, d & domain) for d, _, found in parts):
        where = Domain.union(known for known, _, found in parts if found) & domain
        updates = _on_rows(updates, where, domain)
    before: dict[Term, Domain] = {}
    for known, old in split((known, old) for known, old, _ in parts):
        before[old] = before[old] | known if old in before else known
    return tuple((known.coalesce(), old) for old, known in before.items()), updates


def _on_rows(updates: Sequence[Update], where: Domain, domain: Domain) -> list[Update]:
    """Return updates of some cells alone, which axes say that no place chooses."""
    chosen = {axis for update in updates for axis in update.places}
    rows = where.project_out(*chosen)
    if not (rows & domain).is_subset(where):
        raise NoUpdatesError("places that depend on data are not the same for all cells")
    return [replace(update, domain=(update.domain & rows).coalesce()) for update in updates]


def _is_nothing(updates: Sequence[Update], domain: Domain) -> bool:
    """Tell whether updates are folds without operands on a domain."""
    return all(u.bound and (u.domain & domain).is_empty() for u in updates)


def updates_of(term: Term, axes: Sequence[str]) -> tuple[Term, list[Update]]:
    """Split a term of a cell into what is there before, and what is done where places hit it, in order."""
    if not has_hits(term, axes):
        return term, []
    if isinstance(term, Reduce) and term.op in _FOLDS:
        found = _folded(flattened(term), axes)
        if found is not None:
            return neutral_term(term.op, term.dtype), found
    if applies(term, ("add", "mul", "max", "min")) and term.args[0].dtype == term.args[1].dtype == term.dtype:
        sides = [updates_of(side, axes) for side in term.args]
        if any(found for _, found in sides) and all(u.op == term.op for _, found in sides for u in found):
            (left, before), (right, behind) = sides
            nothing = neutral_term(REDUCERS[term.op], term.dtype)
            rest = right if left is nothing else left if right is nothing else apply(term.op, left, right)
            return rest, [*before, *behind]
    if applies(term, "select"):
        return _stored(term, axes)
    return term, []


def kept_version(definition: Definition) -> str | None:
    """Return the version of the array whose cells the definition keeps where it does not change them."""
    found = [updates_of(term, definition.indices) for _, term in definition.pieces]
    kept = [old.array for old, _ in found if isinstance(old, Read) and old.indices and definition.is_own_cell(old)]
    return kept[0] if kept and (len(found) > 1 or found[0][1]) else None


def has_hits(term: Term, axes: Sequence[str]) -> bool:
    """Tell whether places choose cells of some axes."""
    return any(_axis_of(node, axes) is not None for node in walk(term))


def _axis_of(test: Term, axes: Sequence[str]) -> str | None:
    """Return the axis on which a test compares a place with the cells."""
    at = test.args[1] if applies(test, "hits") else None
    name = at.affine.variable if isinstance(at, Index) else None
    return name if name in axes else None


def _folded(term: Reduce, axes: Sequence[str]) -> list[Update] | None:
    """Read a fold over choices by hits as updates; None where it is another one."""
    found: list[Update] = []
    for sign, tests, value in _branches(term.body, term.op, neutral_term(term.op, term.dtype), axes):
        places, conditions = _sorted_out(tests, axes)
        if not places or any(has_hits(part, axes) for part in (value, *conditions)):
            return None
        operand = value if sign > 0 else negated(value)
        found.append(Update(_FOLDS[term.op], term.bound, term.domain, places, conditions, operand))
    return found


def _branches(body: Term, op: Reducer, nothing: Term, axes: Sequence[str]) -> Iterator[tuple[int, list[Term], Term]]:
    """List what is folded: its sign in a sum, the conditions under which it is, and itself."""
    if body is nothing:
        return
    if applies(body, "select") and (nothing in body.args[1:] or has_hits(body, axes)):
        test, chosen, other = body.args
        for condition, arm in ((test, chosen), (apply("not", test), other)):
            for sign, tests, value in _branches(arm, op, nothing, axes):
                yield sign, [*conjuncts(condition), *tests], value
    elif op == "sum" and len(parts := summands(body)) > 1 and has_hits(body, axes):
        for outer, part in parts:
            for sign, tests, value in _branches(part, op, nothing, axes):
                yield outer * sign, tests, value
    else:
        yield 1, [], body


def _chosen(body: Term, axes: Sequence[str], nothing: Term) -> tuple[dict[str, Term], tuple[Term, ...], Term]:
    """Look through choices between a value and nothing."""
    tests: list[Term] = []
    while applies(body, "select") and nothing in body.args[1:]:
        test, chosen, other = body.args
        tests += conjuncts(test if other is nothing else apply("not", test))
        body = chosen if other is nothing else other
    return *_sorted_out(tests, axes), body


def _sorted_out(tests: Iterable[Term], axes: Sequence[str]) -> tuple[dict[str, Term], tuple[Term, ...]]:
    places: dict[str, Term] = {}
    conditions: list[Term] = []
    for test in tests:
        axis = _axis_of(test, axes)
        place = None if axis is None else test.children[0]
        if axis is None or place is None or places.setdefault(axis, place) is not place:
            conditions.append(test)
    return places, tuple(conditions)


def _stored(term: Apply, axes: Sequence[str]) -> tuple[Term, list[Update]]:
    """Read a choice by hits as a store: of one value for all that hits, or of one that hits alone."""
    test, chosen, old = term.args
    if not has_hits(test, axes):
        return _in_cases(term, axes)
    alone = _stored_alone(test, chosen, axes)
    if alone is not None:
        before, found = updates_of(old, axes)
        return before, [*found, alone]
    latched = [node for node in (test,) if isinstance(node, Reduce) and node.op == "any"]
    if latched and isinstance(chosen, Constant):
        fold = flattened(latched[0])
        places, conditions = _sorted_out(conjuncts(fold.body), axes)
        if places and not any(has_hits(condition, axes) for condition in conditions):
            before, found = updates_of(old, axes)
            return before, [*found, Update("set", fold.bound, fold.domain, places, conditions, chosen)]
    last = _last(term, axes)
    if last is not None:
        before, found = updates_of(old, axes)
        return before, [*found, last]
    tests: list[Term] = []
    value: Term = term
    while applies(value, "select") and old in value.args[1:]:
        test, chosen, other = value.args
        tests += conjuncts(test if other is old else apply("not", test))
        value = chosen if other is old else other
    places, conditions = _sorted_out(tests, axes)
    if not places or has_hits(value, axes) or any(has_hits(c, axes) for c in conditions):
        return term, []
    before, found = updates_of(old, axes)
    added = _added(value, old)
    if added is not None:
        return before, [*found, Update("add", (), UNIVERSE, places, conditions, added)]
    return before, [*found, Update("set", (), UNIVERSE, places, conditions, value)]


def _in_cases(term: Apply, axes: Sequence[str]) -> tuple[Term, list[Update]]:
    """Read a choice between updates of the same: those that both arms begin with, and the others of each arm."""
    test, *arms = term.args
    (first, chosen), (second, others) = (updates_of(arm, axes) for arm in arms)
    if has_hits(first, axes) or has_hits(second, axes):
        return term, []
    if first is not second:
        first = _chosen_in_pieces(test, first, second)
    same = sum(1 for _ in takewhile(lambda both: both[0] == both[1], zip(chosen, others, strict=False)))
    cases = (test, chosen[same:]), (apply("not", test), others[same:])
    under = (replace(u, conditions=(*conjuncts(t), *u.conditions)) for t, updates in cases for u in updates)
    return first, [*chosen[:same], *under]


def _chosen_in_pieces(test: Term, first: Term, second: Term) -> Term:
    """Choose between what is there before in two arms, piece by piece, so that what is the same needs no choice."""
    pieces = [
        (inner & other, one if one is two else apply("select", test, one, two))
        for inner, one in split([(UNIVERSE, first)])
        for other, two in split([(UNIVERSE, second)])
    ]
    return piecewise(piece for piece in pieces if not piece[0].is_empty())


def _last(term: Apply, axes: Sequence[str]) -> Update | None:
    """Read a store of the last value."""
    latest = latest_in(term)
    if latest is None:
        return None
    places, conditions = _sorted_out(latest.tests, axes)
    if not places or has_hits(latest.value, axes):
        return None
    return Update("last", latest.bound, latest.domain, places, conditions, latest.value)


def _stored_alone(test: Term, chosen: Term, axes: Sequence[str]) -> Update | None:
    """Read the value of the only point that hits a cell, if one does."""
    if not isinstance(test, Reduce) or test.op != "any" or not isinstance(chosen, Reduce):
        return None
    fold = flattened(chosen)
    places, conditions, value = _chosen(fold.body, axes, zero(fold.dtype))
    if not places or has_hits(value, axes):
        return None
    return Update("set", fold.bound, fold.domain, places, conditions, value)


def _added(value: Term, old: Term) -> Term | None:
    """Return what is added to the value before."""
    parts = added_to(value, lambda term: term is old, lambda term: any(node is old for node in walk(term)))
    if parts is None or value.dtype != old.dtype:
        return None
    rest = joined(parts)
    return cast(rest, value.dtype) if is_integer(value.dtype) or rest.dtype == value.dtype else None
