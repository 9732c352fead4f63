"""Stores where data says, in C: a loop over what is stored or folded in, in the order of the source.

    for (i ...) h[idx[i]] += v[i];

Where later points come after earlier ones the last value stays.  A place that counts the points before, as that of
``if (p) out[k++] = x[i]``, is a counter of the loop: to count them at each point would be more than the source does.
Places between bounds that depend on data are a loop from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.counts import conjuncts, running_count
from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.places import without_widening
from tensorlift.comprehension.rewrite import simplified, substitute, walk
from tensorlift.comprehension.segments import place_between
from tensorlift.comprehension.terms import Apply, Index, Read
from tensorlift.comprehension.updates import REDUCERS, has_hits
from tensorlift.diagnostics import refuse
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, less
from tensorlift.targets.c.courses import course_of
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.scalars import SUM
from tensorlift.targets.c.sums import folds_of, has_fold
from tensorlift.targets.c.text import Block

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tensorlift.comprehension.definition import Item
    from tensorlift.comprehension.terms import Term
    from tensorlift.comprehension.updates import Update
    from tensorlift.diagnostics import LiftError
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.scalars import Text
    from tensorlift.targets.c.storage import Slot
    from tensorlift.targets.c.text import Line, Names

    Body = Callable[[Mapping[str, Affine]], list[Line]]
    CellAt = Callable[[Domain], Cell]
    NewSlot = Callable[[str, DType, Sequence[Affine]], Slot]


class Counter(NamedTuple):
    """A variable of C that is a place in each iteration, and ``end`` after all; it steps where tests hold."""

    slot: Slot
    place: Term
    start: Term
    step: int
    tests: tuple[Term, ...]
    end: Term


def stores_where_data_say(definition: Definition) -> bool:
    """Tell whether places choose cells of a definition."""
    return any(has_hits(term, definition.indices) for _, term in definition.pieces)


def reordered(items: Sequence[Item], array_of: Callable[[str], str]) -> list[Item]:
    """Put stores where data say behind numbers that read the array as it was, and ahead of other ones.

    The array need not be copied then, and what a counter holds after its loop need not be counted again.
    """
    found = list(items)
    storing = {item.name for item in found if isinstance(item, Definition) and stores_where_data_say(item)}

    def is_before(item: Item, store: Item) -> bool | None:
        """Tell whether a number belongs before a store; None where nothing says so."""
        if not isinstance(item, Definition) or not isinstance(store, Definition):
            return None
        if item.shape or item.name in store.reads or item.name in storing or store.name not in storing:
            return None
        reads_array = any(array_of(version) == store.array for version in item.reads)
        return None if store.name in item.reads else reads_array

    for _ in storing and found:
        for k, (one, other) in enumerate(pairwise(found)):
            if is_before(one, other) is False or is_before(other, one):
                found[k : k + 2] = other, one
    return found


def in_place(updates: Sequence[Update], versions: set[str], indices: Sequence[str]) -> bool:
    """Tell whether updates can be made in the memory of versions, as no cell is read after it was overwritten.

    One point reads all before it stores; without a fold no two points hit one cell, so that each may read its own.
    """
    if all(term.reads.isdisjoint(versions) for update in updates for term in update.terms):
        return True
    (first, *others), own = updates, tuple(map(Affine.var, indices))
    if others or first.bound:
        return False
    read = (node for term in first.terms for node in walk(term) if isinstance(node, Read) and node.array in versions)
    is_own = all(place.reads.isdisjoint(versions) for place in first.places.values())
    return len(first.places) == len(indices) or (is_own and all(node.indices == own for node in read))


@dataclass
class UpdateWriter:
    """Writes the updates of a definition, whose indices have their names in C already, in the memory of its array."""

    definition: Definition
    slot: Slot
    context: Domain
    shapes: Mapping[str, Sequence[Affine]]
    names: Names
    cell_at: CellAt
    new_slot: NewSlot

    def lines(self, updates: Sequence[Update]) -> tuple[list[Line], list[Counter]]:
        """Return loops that make updates in their order, with their counters; folds of the same points share one."""
        found, counters, rest = list["Line"](), list[Counter](), list(updates)
        while rest:
            shared = 1
            while shared < len(rest) and _share(rest[0], rest[shared]):
                shared += 1
            lines, counted = self._nest(rest[:shared])
            found, counters, rest = [*found, *lines], [*counters, *counted], rest[shared:]
        return found, counters

    def _nest(self, updates: Sequence[Update]) -> tuple[list[Line], list[Counter]]:
        definition, places = self.definition, updates[0].places
        extents = dict(zip(definition.indices, definition.shape, strict=True))
        free = {name: extent for name, extent in extents.items() if name not in places}
        everywhere = Domain.box(extents, extents.values()) & self.context
        if any(map(updates[0].domain.mentions, places)) or not everywhere.is_subset(definition.domain):
            raise self._refuse("places that depend on data choose some cells of an array alone")
        with self.names.scope():
            named = {name: Affine.var(self.names.fresh("i")) for name in updates[0].bound}
            points = updates[0].domain.substitute(named) & Domain.box(free, free.values())
            order, where = (*map(str, named.values()), *free), points & self.context
            made: list[tuple[Update, Counter | None]] = []
            span = _span(updates[0].at(named))
            rows = _of_rows(span, updates[0].at(named), free)
            for update in updates:
                moved = update.at(named).at_places(where, self.shapes)
                if moved is None or (span is not None and not {span, *rows} <= {*moved.conditions}):
                    raise self._refuse("what is stored at a place that depends on data depends on the place")
                if span is not None:
                    moved = replace(moved, conditions=tuple(c for c in moved.conditions if c not in (span, *rows)))
                counter = self._counter(moved, points, order) if span is None else None
                self._check_folds(moved, counter, where, order)
                made.append((moved, counter))

            def body(values: Mapping[str, Affine]) -> list[Line]:
                return [line for one in made for line in self._step(*one, where, values)]

            loops = (
                nest(points, order, self.context, body)
                if span is None
                else self._ranged(span, rows, points, order, body)
            )
            counters = [counter for _, counter in made if counter is not None]
            return [*(line for counter in counters for line in self._started(counter)), *loops], counters

    def _ranged(
        self, span: Apply, rows: Sequence[Term], points: Domain, order: Sequence[str], body: Body
    ) -> list[Line]:
        """Return a nest in which one loop goes from one bound that depends on data to another, in some rows."""
        place = span.args[0]
        assert isinstance(place, Index)
        last = str(place.affine.variable)
        outer, inner = order[: order.index(last)], order[order.index(last) + 1 :]
        where = points & self.context

        def row(values: Mapping[str, Affine]) -> list[Line]:
            if values:
                raise self._refuse("places between bounds that depend on data are those of one row")
            return self._under(rows, where.project_out(last, *inner), between)

        def between(cell: Cell) -> list[Line]:
            low, high = (cell.value(bound) for bound in span.args[1:])
            head = f"for (long {last} = {low.source}; {last} < {high.within(SUM)}; {last}++)"
            return [*cell.lines, Block(head, nest(points, inner, where.project_out(*inner), body))]

        return nest(points.project_out(last, *inner), outer, self.context, row)

    def _started(self, counter: Counter) -> list[Line]:
        cell = self.cell_at(self.context)
        text = cell.value(counter.start)
        return [*cell.lines, f"{counter.slot.name} = {text.source};"]

    def _step(self, update: Update, counter: Counter | None, where: Domain, values: Mapping[str, Affine]) -> list[Line]:
        """Make an update at one point, and count it."""
        update = update.at(values)
        if counter is None:
            return self._under(update.conditions, where, lambda cell: self._stored(update, cell, values))
        tests = [substitute(test, values) for test in counter.tests]
        place = substitute(counter.place, values)
        step, counted = terms.constant(counter.step, counter.slot.dtype), self.cell_at(where)
        counting = counted.update("sum", counter.slot.dtype, counter.slot.name, counted.value(step))

        def stored(cell: Cell) -> list[Line]:
            cell.know(place, counter.slot.name)
            return self._stored(update, cell, values)

        if not set(tests) <= set(update.conditions):
            return [*self._under(update.conditions, where, stored), *self._under(tests, where, lambda _: [counting])]
        others = [test for test in update.conditions if test not in tests]
        return self._under(tests, where, lambda _: [*self._under(others, where, stored), counting])

    def _under(self, tests: Sequence[Term], where: Domain, body: Callable[[Cell], list[Line]]) -> list[Line]:
        """Do something where conditions hold, with what is needed for that alone."""
        if not tests:
            return body(self.cell_at(where))
        cell = self.cell_at(where)
        with self.names.scope():
            text = cell.value(reduce(lambda one, other: simplified("and", (one, other)), tests))
            inner = body(self.cell_at(where))
        return [*cell.lines, Block(f"if ({text.source})", inner)]

    def _stored(self, update: Update, cell: Cell, values: Mapping[str, Affine]) -> list[Line]:
        with self.names.scope():
            value = cell.value(update.term)
            at: list[Affine | Text] = []
            for name in self.definition.indices:
                place = update.places.get(name)
                if place is None or isinstance(place, Index):
                    at.append(Affine.var(name).substitute(values) if place is None else place.affine)
                else:
                    at.append(cell.value(without_widening(place)))
            target = self.slot.cell(at).source
            if update.op not in REDUCERS:
                return [*cell.lines, f"{target} = {value.source};"]
            step = cell.step(REDUCERS[update.op], self.definition.dtype, target, value)
        return [*cell.lines, *step]

    def _counter(self, update: Update, points: Domain, order: Sequence[str]) -> Counter | None:
        """Return the counter that a place is, of the points before."""
        counting = [without_widening(place) for place in update.places.values() if has_fold(place)]
        count = running_count(counting[0], order[0]) if counting and len(order) == 1 else None
        if count is None:
            return None
        (variable,), earlier, known = order, points.rename({order[0]: count.variable}), points & self.context
        before = earlier & Domain.of(less(count.variable, variable))
        if not (before & known).is_equal(count.total.domain & known):
            return None
        slot = self.new_slot("count", count.total.dtype, ())
        everything = terms.reduce("sum", (count.variable,), earlier, count.total.body)
        end = simplified("add", (count.start, everything))
        return Counter(slot, counting[0], count.start, count.step, tuple(conjuncts(count.at(variable))), end)

    def _check_folds(self, update: Update, counter: Counter | None, where: Domain, order: Sequence[str]) -> None:
        """Demand that no fold is computed again at each point which the source computes once, or keeps in between."""
        known = None if counter is None else counter.place
        for term in update.terms:
            folds = folds_of(term) if without_widening(term) is not known else []
            is_running = bool(folds) and course_of(term, order, where) is not None
            if is_running or any(not fold.free.issuperset(order) for fold in folds):
                raise self._refuse("what is stored at places that depend on data is folded at each of them")

    def _refuse(self, message: str) -> LiftError:
        return refuse("TL305", f"{self.definition.array}: {message}", self.definition.location, "try another target")


def _span(update: Update) -> Apply | None:
    """Return the bounds, which depend on data, of the last variable of an update, if it has such bounds."""
    tests = (test for test in update.conditions if isinstance(test, Apply))
    return next((test for test in tests if place_between(test) in update.bound[-1:]), None)


def _of_rows(span: Apply | None, update: Update, free: Collection[str]) -> list[Term]:
    """Return the conditions of an update under which there are places between bounds at all."""
    inner = {*update.bound[-1:], *free, *update.places}
    return [c for c in update.conditions if c is not span and c.free.isdisjoint(inner)] if span is not None else []


def _share(one: Update, other: Update) -> bool:
    """Tell whether two updates may be made in one loop."""
    is_alike = one.bound == other.bound and one.places.keys() == other.places.keys()
    return one.op in REDUCERS and other.op in REDUCERS and is_alike and one.domain.is_equal(other.domain)
