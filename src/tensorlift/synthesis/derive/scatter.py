"""Cells that data choose: definitions that update an array at index arrays, cell by cell of what they are computed of.

    h_1(c) = h(c) + sum(i : 0 <= i < n) select(hits(idx(i), [c]), v(i), 0)

is ``h`` with ``v`` added at ``idx``, however often a place occurs; so it is with products and extremes.  What a choice
by ``hits`` leaves without a fold is stored: ``select(hits(t, [c]), v, h(c))``.  An axis of the array that hits choose
has the places as its subscript; one on which places depend has its own numbers; others are whole.

No other form is right for ``hits``: to compare each place with each cell would be more work than the source does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.counts import conjuncts, running_count
from tensorlift.comprehension.places import without_widening
from tensorlift.comprehension.rewrite import simplified, substitute
from tensorlift.comprehension.terms import Read, Term, apply, constant, index, read, reduce, zero
from tensorlift.comprehension.updates import REDUCERS, NoUpdatesError, has_hits, updates_of, updating
from tensorlift.diagnostics import refuse
from tensorlift.ir.scalar_terms import neutral
from tensorlift.ir.tensor_program import Assign, Scatter, SetSlice, Statement, variables_in
from tensorlift.ir.views import whole
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh
from tensorlift.synthesis.derive.builder import owned
from tensorlift.synthesis.derive.masks import mask_of
from tensorlift.synthesis.derive.reads import affine_value, readable
from tensorlift.synthesis.derive.scope import Scope, Value, ranges_of, span_box

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.updates import Update
    from tensorlift.diagnostics import LiftError

DiesHere = Callable[[str], bool]


def scattered(
    definition: Definition,
    scope: Scope,
    dies_here: DiesHere,
    before: Callable[[Definition, Scope, DiesHere], list[Statement]],
) -> list[Statement] | None:
    """Return statements that update what is there before at places that depend on data; None without such places.

    ``before`` gives those after which the variable of a definition holds its value.  Where folds of no operands are
    left out, the updates of the other pieces do nothing.
    """
    try:
        found = updating(definition, scope.domain)
    except NoUpdatesError as other:
        raise _refuse(definition, str(other)) from None
    if found is None:
        return None
    old_cells, updates = found
    version = _version(definition, old_cells, scope)
    kept = version or next((t.array for _, t in old_cells if isinstance(t, Read) and definition.is_own_cell(t)), None)
    in_place = kept is not None and dies_here(kept)
    lowering = _Lowering(definition, scope, kept if in_place else None, is_first=version is not None)
    changes = [lowering.statement(update) for update in updates]
    is_read = not in_place and any(kept in term.reads for update in updates for term in update.terms)
    if version is None:
        first, *stores = before(replace(definition, pieces=old_cells), scope, dies_here)
        if not isinstance(first, Assign) or not first.is_update:
            return [*lowering.early, first, *stores, *changes]
        return [replace(first, is_update=not is_read), *lowering.early, *stores, *changes]
    memory = scope.build.variable(version, definition.dtype, definition.shape)
    if in_place:
        return [Assign(definition.name, memory, is_update=True), *lowering.early, *changes]
    return [Assign(definition.name, scope.build.copy(memory), is_update=not is_read), *changes]


def _version(definition: Definition, old_cells: Sequence[tuple[Domain, Term]], scope: Scope) -> str | None:
    """Return the version of which all cells are what is there before updates, if it is one."""
    (_, cell), *others = old_cells
    if others or not isinstance(cell, Read) or not definition.is_own_cell(cell):
        return None
    return cell.array if scope.shapes[cell.array] == definition.shape else None


def by_latest(definition: Definition, scope: Scope) -> tuple[list[Definition], Definition] | None:
    """Return a definition that stores the last value by way of the last point that hits a cell, and arrays for that.

    None where the definition stores no last value, or where a store does so itself.
    """
    axes = definition.indices
    if not any(has_hits(term, axes) for _, term in definition.pieces):
        return None
    arrays: list[Definition] = []
    pieces: list[tuple[Domain, Term]] = []
    for domain, term in definition.pieces:
        old, updates = updates_of(term, axes)
        last = updates[0] if len(updates) == 1 and updates[0].op == "last" else None
        if last is None or (scope.build.orders_stores and len(last.places) == 1 and not last.conditions):
            pieces.append((domain, term))
            continue
        if scope.build.around:
            raise _refuse(definition, "the last value is stored again and again, at places that depend on data")
        made, picked = _picked(definition, last, scope)
        arrays += made
        reading = made[0]
        cell = read(reading.name, reading.cell, reading.dtype)
        pieces.append((domain, apply("select", apply("ge", cell, zero(cell.dtype)), picked, old)))
    return (arrays, replace(definition, pieces=tuple(pieces))) if arrays else None


def _picked(definition: Definition, last: Update, scope: Scope) -> tuple[list[Definition], Term]:
    """Return arrays of the last points that hit cells and of the values, and the value at the last point."""
    (bound,), build = last.bound, scope.build
    spans = ranges_of(scope.domain & last.domain, last.bound, (*scope.spans, bound))
    if spans is None or spans[bound][0] != 0:
        raise _refuse(definition, "what is stored last at places that depend on data has no range from zero on")
    tests = [apply("hits", place, index(Affine.var(axis), "i64")) for axis, place in last.places.items()]
    used = {*last.places}.union(*(t.free for t in (*last.places.values(), *last.conditions)))
    shapes = dict(zip(definition.indices, definition.shape, strict=True))

    def array(stem: str, extents: dict[str, Affine], known: Domain, term: Term) -> Definition:
        name, others = build.temporary(stem), [v for v in definition.indices if v not in extents]
        pieces = ((known.project_out(*others), term),)
        box = pieces[0][0] & Domain.box(tuple(extents), tuple(extents.values()))
        found = replace(definition, name=name, array=name, dtype=term.dtype, indices=tuple(extents), pieces=pieces)
        return replace(found, shape=tuple(extents.values()), domain=box)

    rest = [axis for axis in definition.indices if axis not in used]
    hit = _where([*last.conditions, *tests], index(Affine.var(bound), "i64"), neutral("max", "i64"))
    latest = reduce("max", last.bound, last.domain.project_out(*rest), hit)
    start = apply("max", constant(-1, "i64"), latest)
    made = [array("last", {a: n for a, n in shapes.items() if a in used}, definition.domain, start)]
    value = last.term
    if not (isinstance(value, Read) and [i for i in value.indices if i.coefficient(bound)] == [Affine.var(bound)]):
        extents = {bound: spans[bound][1]} | {a: n for a, n in shapes.items() if a in value.free}
        made.append(array("value", extents, definition.domain & last.domain, value))
        value = read(made[1].name, made[1].cell, value.dtype)
    place = apply("max", read(made[0].name, made[0].cell, "i64"), zero("i64"))
    at = fresh("k")
    box = Domain.box((at,), (spans[bound][1],))
    chosen = apply("hits", place, index(Affine.var(at), "i64"))
    value = substitute(value, {bound: Affine.var(at)})
    return made, reduce("sum", (at,), box, apply("select", chosen, value, zero(value.dtype)))


def _where(tests: Sequence[Term], value: Term, nothing: Term) -> Term:
    for test in reversed(tests):
        value = apply("select", test, value, nothing)
    return value


def _refuse(definition: Definition, message: str) -> LiftError:
    return refuse("TL302", f"{definition.array}: {message}", definition.location, "try another target")


class _Lowering:
    """Lowers the updates of one definition, in the memory of the version before where that is given.

    ``early`` are statements for what they read of that version after the first change of it.
    """

    def __init__(self, definition: Definition, scope: Scope, overwritten: str | None, *, is_first: bool) -> None:
        self.definition = definition
        self.scope = scope
        self.build = scope.build
        self.overwritten = overwritten
        self.early: list[Statement] = []
        self._is_first = is_first

    def statement(self, update: Update) -> SetSlice:
        """Return the statement that makes an update in the memory of the definition."""
        made = self._statement(update)
        self._is_first = False
        return made

    def _statement(self, update: Update) -> SetSlice:
        inner, mask = self._evaluation(update)
        conditions, guarded = self._under(update, inner)
        conditions += [] if mask is None else [mask]
        if update.op == "set" and update.bound and len(update.places) == 1:
            compacted = self._compacted(update, inner, mask)
            if compacted is not None:
                return compacted
        stores = update.op in ("set", "last")
        if conditions and stores and update.bound:
            raise _refuse(self.definition, "a store at a place that depends on data is under a condition")
        conditions = [self._kept(condition) for condition in conditions]
        places = {a: self._kept(guarded.evaluate(without_widening(p), guarded)) for a, p in update.places.items()}
        value = inner.converted(guarded.evaluate(self._at_place(update.term, update), guarded), self.definition.dtype)
        value = self._kept(value)
        for condition in conditions:
            places = {a: inner.combined("select", condition, p, _zero(inner, p)) for a, p in places.items()}
            value = value if stores else inner.combined("select", condition, value, self._nothing(update, inner))
        axes = self.definition.indices
        walked = {a for place in places.values() for a in place.axes}
        if update.bound and not walked & set(update.bound):
            raise _refuse(self.definition, "a place that depends on data does not change with what is folded")
        walked |= {axis for axis in axes if inner.spans[axis] != self.scope.spans[axis]}
        at = [places.get(a) or (affine_value(Affine.var(a), inner) if a in walked else None) for a in axes]
        if _is_torn([place is not None for place in at]):
            at = [affine_value(Affine.var(a), inner) if p is None else p for a, p in zip(axes, at, strict=True)]
        listed = [place for place in at if place is not None]
        common = inner.ordered(a for place in listed for a in place.axes)
        order = list(axes)
        start = next(n for n, place in enumerate(at) if place is not None)
        order[start : start + len(listed)] = common
        if not set(value.axes) <= set(order):
            raise _refuse(self.definition, "what is folded changes with more than places that depend on data")
        indices = tuple(None if place is None else inner.aligned(place, common) for place in at)
        shape = self.definition.shape
        memory = self.build.variable(self.definition.name, self.definition.dtype, shape)
        if update.op == "last" and not (self.build.orders_stores and len(listed) == 1):
            raise _refuse(self.definition, "the last of several values at a place that depends on data is kept")
        op = "set" if update.op == "last" else update.op
        for condition in conditions if stores else ():
            whole_axes = [affine_value(Affine.var(a), inner) if p is None else p for a, p in zip(axes, at, strict=True)]
            everywhere = inner.ordered(axis for place in whole_axes for axis in place.axes)
            kept = self.build.gather(memory, tuple(inner.aligned(place, everywhere) for place in whole_axes))
            value = inner.combined("select", condition, value, Value(kept, everywhere))
        given = tuple(index for index in indices if index is not None)
        numbers = tuple(axis for axis, index in enumerate(indices) if index is not None)
        stored = inner.aligned(value, tuple(order))
        updated = Scatter(memory.dtype, shape, False, memory, op, numbers, given, stored)  # noqa: FBT003 - a field
        return SetSlice(self.definition.name, shape, tuple(map(whole, shape)), updated)

    def _compacted(self, update: Update, inner: Scope, mask: Value | None) -> SetSlice | None:
        """Return the statement that stores what a mask keeps at places that count it; None where they do not."""
        definition, (place,) = self.definition, update.places.values()
        (bound,) = update.bound if len(update.bound) == 1 else (None,)
        count = None if bound is None or mask is not None else running_count(place, bound)
        if count is None or bound is None or count.step < 0 or len(definition.shape) != 1:
            return None
        if set(update.conditions) != set(conjuncts(count.at(bound))):
            return None
        span, scope = inner.spans[bound], self.scope.inner(self.scope.domain, {})
        total = reduce("sum", (count.variable,), span_box({count.variable: span}), count.total.body)
        start = scope.evaluate(count.start, scope)
        stop = scope.evaluate(simplified("add", (count.start, total)), scope)
        kept = inner.evaluate(count.at(bound), inner)
        value = inner.converted(inner.evaluate(update.term, inner.guarded(kept)), definition.dtype)
        if start.axes or stop.axes or kept.axes != (bound,) or set(value.axes) - {bound}:
            return None
        value = self._kept(value)
        values = inner.filled(value, (bound,), (inner.extent(bound),)) if not value.axes else value.expression
        memory = self.build.variable(definition.name, definition.dtype, definition.shape)
        ends = tuple(self._kept(one).expression for one in (start, stop, kept))
        made = Scatter(memory.dtype, definition.shape, False, memory, "keep", (0,), ends, values)  # noqa: FBT003 - a field
        return SetSlice(definition.name, definition.shape, tuple(map(whole, definition.shape)), made)

    def _kept(self, value: Value) -> Value:
        """Return a value that is read before the memory changes; a first change of one cell reads before it stores."""
        found = value.expression
        if self.overwritten not in variables_in(found) or (self._is_first and not found.shape):
            return value
        variable = self.build.variable(self.build.temporary("old"), found.dtype, found.shape)
        self.early.append(Assign(variable.name, owned(found, self.build) if found.shape else found))
        return value._replace(expression=variable)

    def _evaluation(self, update: Update) -> tuple[Scope, Value | None]:
        """Return the scope of what is folded, and a mask where some points of its box do not count."""
        if not update.bound:
            return self.scope, None
        full = self.scope.domain & update.domain
        others = (*self.scope.spans, *update.bound)
        spans = ranges_of(full, update.bound, others)
        if spans is None:
            raise _refuse(self.definition, "what is folded at places that depend on data has no range")
        spans |= ranges_of(full, [axis for axis in self.scope.spans if update.domain.mentions(axis)], others) or {}
        inner = replace(
            self.scope, spans={**self.scope.spans, **spans}, domain=self.scope.box & span_box(spans), memo={}
        )
        terms = (update.term, *update.conditions, *update.places.values())
        if not all(readable(term, full, inner.box, inner) for term in terms):
            raise _refuse(self.definition, "what is folded at places that depend on data reads outside of an array")
        return inner, mask_of(full, inner)

    def _under(self, update: Update, inner: Scope) -> tuple[list[Value], Scope]:
        """Return the conditions of an update, each computed where those before it hold, and the scope where all do."""
        conditions: list[Value] = []
        for condition in update.conditions:
            conditions.append(inner.evaluate(self._at_place(condition, update), inner))
            inner = inner.guarded(conditions[-1])
        return conditions, inner

    def _at_place(self, term: Term, update: Update) -> Term:
        moved = update.at_place(term, self.scope.domain, self.scope.shapes)
        if moved is None:
            raise _refuse(self.definition, "what is stored at a place that depends on data depends on the place")
        return moved

    def _nothing(self, update: Update, inner: Scope) -> Value:
        return inner.evaluate(neutral(REDUCERS[update.op], self.definition.dtype), inner)


def _zero(inner: Scope, place: Value) -> Value:
    return inner.number(0, place.expression.dtype)


def _is_torn(chosen: Sequence[bool]) -> bool:
    """Tell whether axes that are subscripted by places are not neighbours."""
    first = chosen.index(True)
    return sum(chosen) != len(chosen) - first - list(chosen)[::-1].index(True)
