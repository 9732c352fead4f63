"""Loops that stay, without the iterations at their ends for which conditions in their bodies are made.

    for i from 0 to n:  y(i) = { x(i) if i = 0; a * y(i - 1) if i > 0 }

is ``y(0) = x(0)`` where there is an iteration, and then a loop from 1 without a condition.  Nothing but the steps of a
loop is written out here, so that both the search and its checker may do it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import (
    Carried,
    Definition,
    Item,
    KeptLoop,
    Summary,
    definitions_of,
    loops_of,
    reads_of,
    substituted,
)
from tensorlift.comprehension.terms import Piecewise, Read, Reduce, Term
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Constraint, Domain, NotAffine, at_least, less
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_MOST_PEELED = 2  # iterations at each end of a loop
_MOST_WRITTEN = 16  # definitions, for all of them


def peeled(summary: Summary) -> Iterator[Summary]:
    """Yield summaries of the same function whose loops have fewer conditions, the one with fewest first."""
    for with_last in (True, False):
        peeling = _Peeling({*summary.arrays, *reads_of(summary.items), *_names(summary.items)}, with_last=with_last)
        items = peeling.items(summary.items, summary.context)
        if peeling.found:
            yield replace(summary, items=items)
        if not peeling.found_last:
            return


def _names(items: tuple[Item, ...]) -> Iterator[str]:
    yield from (definition.name for definition in definitions_of(items))
    yield from (one.name for loop in loops_of(items) for one in loop.carried)


@dataclass
class _Peeling:
    """The names that are taken, whether loops may be peeled at their ends, and whether some were."""

    taken: set[str]
    with_last: bool
    found: bool = False
    found_last: bool = False

    def items(self, items: tuple[Item, ...], known: Domain) -> tuple[Item, ...]:
        """Peel the loops among items; ``known`` holds where they are reached."""
        return tuple(made for item in items for made in self._item(item, known))

    def _item(self, item: Item, known: Domain) -> tuple[Item, ...]:
        if not isinstance(item, KeptLoop) or any(loop.goes_on is not None for loop in loops_of((item,))):
            return (item,)
        inside = known & Domain.of(at_least(item.variable, item.lower), less(item.variable, item.upper))
        loop = replace(item, body=self.items(item.body, inside))
        first, last = _conditions(loop) if loop.step == 1 else (0, 0)
        last = last if self.with_last else 0
        if not 0 < (first + last) * len(list(definitions_of(loop.body))) <= _MOST_WRITTEN:
            return (loop,)
        self.found, self.found_last = True, self.found_last or last > 0
        return self._peeled(loop, known, first, last)

    def _peeled(self, loop: KeptLoop, known: Domain, first: int, last: int) -> tuple[Item, ...]:
        """Write out so many iterations at the start and at the end of a loop, and the loop between them."""
        lower, upper = loop.lower + first, loop.upper - last
        now = {one.array: one.before for one in loop.carried}
        before: list[Item] = []
        for place in (loop.lower + number for number in range(first)):
            before += self._iteration(loop, place, known, less(place, loop.upper), now, {})
        changed = [one for one in loop.carried if one.after != one.name]
        inside = {one.name: one.name for one in loop.carried}
        inside |= {one.name: unused(one.name, self.taken, "_") for one in changed if last}
        between = Domain.of(at_least(loop.variable, lower), less(loop.variable, upper))
        carried = tuple(replace(one, before=now[one.array], name=inside[one.name]) for one in loop.carried)
        body = tuple(_renamed(_within(item, between), inside if last else {}) for item in loop.body)
        kept = replace(loop, lower=lower, upper=upper, domain=loop.domain & between, carried=carried, body=body)
        now = {one.array: one.name for one in carried}
        after: list[Item] = []
        for number in range(last):
            place, final = upper + number, {one.after: one.name for one in changed if number == last - 1}
            after += self._iteration(loop, place, known, at_least(place, lower), now, final)
        return (*before, kept, *after)

    def _iteration(  # noqa: PLR0913, PLR0917 - a loop, and where it is in its run
        self,
        loop: KeptLoop,
        place: Affine,
        known: Domain,
        runs: Constraint,
        now: dict[str, str],
        final: Mapping[str, str],
    ) -> list[Item]:
        """Write out an iteration, which runs under a condition, and move the versions on; some have their names."""
        names = {one.name: now[one.array] for one in loop.carried}
        iteration = _Iteration(loop.variable, place, Domain.of(runs), names, self.taken, final)
        made = iteration.items(loop.body, known, now)
        now |= {one.array: iteration.names.get(one.after, one.after) for one in loop.carried}
        return made


@dataclass
class _Iteration:
    """One iteration: where the variable is, for which sizes it ``runs``, and the names of versions in it.

    Those of ``final`` are given.
    """

    variable: str
    place: Affine
    runs: Domain
    names: dict[str, str]
    taken: set[str]
    final: Mapping[str, str]

    def items(self, body: tuple[Item, ...], known: Domain, now: Mapping[str, str]) -> list[Item]:
        """Write out the items of a body, where what is known holds; ``now`` has the versions of arrays before them."""
        found = [self._loop(i, known) if isinstance(i, KeptLoop) else self._define(i, known, now) for i in body]
        return [item for item in found if item is not None]

    def _name(self, name: str) -> str:
        self.names[name] = self.final.get(name) or unused(name, self.taken, "_")
        return self.names[name]

    def _loop(self, loop: KeptLoop, known: Domain) -> KeptLoop:
        lower, upper = (end.substitute({self.variable: self.place}) for end in (loop.lower, loop.upper))
        before = [self.names.get(one.before, one.before) for one in loop.carried]
        now = {one.array: self._name(one.name) for one in loop.carried}
        inside = known & Domain.of(at_least(loop.variable, lower), less(loop.variable, upper))
        body = tuple(self.items(loop.body, inside, now))
        carried = tuple(
            Carried(one.array, start, now[one.array], self.names.get(one.after, one.after))
            for one, start in zip(loop.carried, before, strict=True)
        )
        return replace(loop, lower=lower, upper=upper, domain=inside, carried=carried, body=body)

    def _define(self, definition: Definition, known: Domain, now: Mapping[str, str]) -> Definition | None:
        """Write out a definition, which leaves things as they are where the iteration does not run."""
        given = _renamed(_iteration_of(definition, self.variable, self.place, known), self.names)
        assert isinstance(given, Definition)
        box, runs = known & Domain.box(given.indices, given.shape), given.domain & self.runs
        pieces = tuple((piece, term) for piece, term in given.pieces if not piece.is_disjoint(runs))
        rest = box - runs
        if not rest.is_empty():
            before = now.get(given.array)
            cell = terms.zero(given.dtype) if before is None else terms.read(before, given.cell, given.dtype)
            pieces = (*((piece & runs, term) for piece, term in pieces), (rest, cell))
        own = [term.array for _, term in pieces if isinstance(term, Read) and given.is_own_cell(term)]
        if len(own) == len(pieces) and len(set(own)) == 1 and definition.name not in self.final:
            self.names[definition.name] = own[0]  # it has all cells of another version
            return None
        shortened = tuple((piece, rewrite.shorten(term, runs & piece)) for piece, term in pieces)
        return replace(given, name=self._name(definition.name), domain=box, pieces=shortened)


def _iteration_of(definition: Definition, variable: str, place: Affine, known: Domain) -> Definition:
    """Put in the place of a loop variable; what reads beside the cell that is defined says so, as slices do."""
    values = {variable: place}
    made = substituted(definition, values)
    assert isinstance(made, Definition)

    def index_at(found: Read, axis: int, where: Domain) -> Affine:
        index = found.indices[axis]
        at = index.substitute(values)
        cells = [cell for cell in definition.indices if where.vanishes(Affine.var(cell) - place)]
        if not cells or not index.mentions((variable,)) or not (index.variable or known.implies(at_least(at, 0))):
            return at
        own = definition.indices[axis] if axis < len(definition.indices) else ""
        return index.substitute({variable: Affine.var(own if own in cells else cells[0])})

    def convert(found: Read, where: Domain) -> Term:
        here = where & made.domain
        indices = tuple(index_at(found, axis, here) for axis in range(len(found.indices)))
        return terms.read(found.array, indices, found.dtype)

    pieces = tuple(
        (domain, rewrite.substitute(rewrite.map_reads(term, domain, convert), values))
        for (_, term), (domain, _) in zip(definition.pieces, made.pieces, strict=True)
    )
    return replace(made, pieces=pieces)


def _renamed(item: Item, names: Mapping[str, str]) -> Item:
    """Return an item that reads, and defines inside of loops, versions under other names."""
    if isinstance(item, Definition):

        def convert(found: Read, _where: Domain) -> Term:
            return terms.read(names.get(found.array, found.array), found.indices, found.dtype)

        return item.mapped(lambda term, domain: rewrite.map_reads(term, domain, convert))
    body = tuple(_renamed(inner, names) for inner in item.body)
    body = tuple(
        replace(inner, name=names.get(inner.name, inner.name)) if isinstance(inner, Definition) else inner
        for inner in body
    )
    carried = tuple(
        Carried(one.array, *(names.get(name, name) for name in (one.before, one.name, one.after)))
        for one in item.carried
    )
    return replace(item, carried=carried, body=body)


def _within(item: Item, where: Domain) -> Item:
    """Return an item of a body that is only reached where a condition holds."""
    domain = item.domain & where
    if isinstance(item, KeptLoop):
        return replace(item, domain=domain, body=tuple(_within(inner, where) for inner in item.body))
    given = [(piece, term) for piece, term in item.pieces if not piece.is_disjoint(domain)] or item.pieces[:1]
    pieces = tuple((piece & where, rewrite.shorten(term, domain & piece)) for piece, term in given)
    return replace(item, domain=domain, pieces=pieces)


def _conditions(loop: KeptLoop) -> tuple[int, int]:
    """Count the iterations at the start and at the end of a loop that its conditions tell from the rest."""
    first, last = [0], [0]
    for constraint in {one for definition in definitions_of(loop.body) for one in _constraints(definition)}:
        factor = constraint.affine.coefficient(loop.variable)
        if factor not in {1, -1}:
            continue
        at = constraint.affine * factor - Affine.var(loop.variable)
        since, until = at + loop.lower, at + loop.upper
        if since.is_constant:
            first.append(-since.constant + (factor < 0 or constraint.is_equality))
        elif until.is_constant:
            last.append(until.constant - (factor < 0 and not constraint.is_equality))
    return max(c for c in first if c <= _MOST_PEELED), max(c for c in last if c <= _MOST_PEELED)


def _constraints(definition: Definition) -> Iterator[Constraint]:
    """Yield what the conditions of a definition ask beyond what holds in all of its cells."""
    for domain in _domains(definition):
        with suppress(NotAffine):
            for conjunct in domain.gist(definition.domain).conjuncts():
                yield from conjunct


def _domains(definition: Definition) -> Iterator[Domain]:
    """Yield the domains of the pieces of a definition, and of those inside."""
    yield from (piece for piece, _ in definition.pieces)
    for node in definition.nodes():
        if isinstance(node, Piecewise):
            yield from (piece for piece, _ in node.pieces)
        elif isinstance(node, Reduce):
            yield node.domain
