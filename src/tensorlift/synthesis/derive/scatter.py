"""Cells that data choose: definitions that update an array at index arrays, cell by cell of what they are computed of.

    h_1(c) = h(c) + sum(i : 0 <= i < n) select(hits(idx(i), [c]), v(i), 0)

is ``h`` with ``v`` added at ``idx``, however often a place occurs; so it is with extremes.  What a choice by ``hits``
leaves without a fold is stored: ``select(hits(t, [c]), v, h(c))``.  An axis of the array that hits choose has
the places as its subscript; one on which places depend has its own numbers; others are whole.

No other form is right for ``hits``: to compare each place with each cell would be more work than the source does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.counts import conjuncts, running_count
from tensorlift.comprehension.places import without_widening
from tensorlift.comprehension.rewrite import flattened, map_reads, simplified, substitute, walk
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
    constant,
    index,
    read,
    reduce,
    zero,
)
from tensorlift.diagnostics import refuse
from tensorlift.ir.scalar_terms import neutral
from tensorlift.ir.tensor_program import Assign, Scatter, SetSlice, Statement
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.poly.names import fresh
from tensorlift.synthesis.derive.builder import whole
from tensorlift.synthesis.derive.masks import mask_of
from tensorlift.synthesis.derive.reads import affine_value, readable
from tensorlift.synthesis.derive.scope import Scope, Value, ranges_of, span_box
from tensorlift.synthesis.simplify.arithmetic import summands

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.diagnostics import LiftError
    from tensorlift.ir.tensor_program import Expression, ScatterOp

_FOLDS: dict[str, ScatterOp] = {"sum": "add", "max": "max", "min": "min"}
_REDUCERS: dict[str, Reducer] = {"add": "sum", "max": "max", "min": "min"}
DiesHere = Callable[[str], bool]


@dataclass(frozen=True)
class Update:
    """What is done at the cells that places hit: on each point of a domain of the bound variables, if conditions hold.

    ``places`` are those of the axes that hits choose; ``term`` is what is stored, or folded into the cell.
    """

    op: ScatterOp  # or last
    bound: tuple[str, ...]
    domain: Domain
    places: dict[str, Term]
    conditions: tuple[Term, ...]
    term: Term


def updates_of(term: Term, axes: Sequence[str]) -> tuple[Term, list[Update]]:
    """Split a term of a cell into what is there before, and what is done where places hit it, in order."""
    if isinstance(term, Reduce) and term.op in _FOLDS:
        found = _folded(flattened(term), axes)
        if found is not None:
            return neutral(term.op, term.dtype), found
    if applies(term, ("add", "max", "min")) and term.args[0].dtype == term.args[1].dtype == term.dtype:
        sides = [updates_of(side, axes) for side in term.args]
        if any(found for _, found in sides) and all(u.op == term.op for _, found in sides for u in found):
            (left, before), (right, behind) = sides
            nothing = neutral(_REDUCERS[term.op], term.dtype)
            rest = right if left is nothing else left if right is nothing else apply(term.op, left, right)
            return rest, [*before, *behind]
    if applies(term, "select"):
        return _stored(term, axes)
    return term, []


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
    parts = summands(term.body) if term.op == "sum" else [(1, term.body)]
    found: list[Update] = []
    for sign, body in parts:
        places, conditions, value = _chosen(body, axes, neutral(term.op, term.dtype))
        if not places or has_hits(value, axes):
            return None
        value = value if sign > 0 else apply("neg", value)
        found.append(Update(_FOLDS[term.op], term.bound, term.domain, places, conditions, value))
    return found


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
        if axis is None or axis in places:
            conditions.append(test)
        else:
            assert isinstance(test, Apply)
            places[axis] = test.args[0]
    return places, tuple(conditions)


def _stored(term: Apply, axes: Sequence[str]) -> tuple[Term, list[Update]]:
    """Read a choice by hits as a store: of one value for all that hits, or of one that hits alone."""
    test, chosen, old = term.args
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


def _last(term: Apply, axes: Sequence[str]) -> Update | None:
    """Read ``select(l >= 0, sum(k : ...) select(max(l, 0) == k, v(k), 0), old)``, a store of the last value.

    There ``l`` is ``max(-1, max(k : ...) select(hits(t(k), [c]), k, nothing))``, the last point that hits.
    """
    test, picked, _ = term.args
    latest = test.args[0] if applies(test, "ge") else None
    if not applies(latest, "max") or not isinstance(picked, Reduce) or not isinstance(latest.args[1], Reduce):
        return None
    fold, body = flattened(latest.args[1]), picked.body
    if not (applies(fold.body, "select") and applies(body, "select") and applies(body.args[0], "eq")):
        return None
    place = body.args[0].args[0]
    if not applies(place, "max") or len(fold.bound) != 1 or len(picked.bound) != 1:
        return None
    here = {fold.bound[0]: Affine.var(picked.bound[0])}
    places, conditions = _sorted_out(conjuncts(fold.body.args[0]), axes)
    if not places or has_hits(body.args[1], axes):
        return None
    places = {axis: substitute(place, here) for axis, place in places.items()}
    conditions = tuple(substitute(condition, here) for condition in conditions)
    domain = fold.domain.substitute(here) & picked.domain
    return Update("last", picked.bound, domain, places, conditions, body.args[1])


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
    if not applies(value, "add") or old not in value.args or value.dtype != old.dtype:
        return None
    return next((operand for operand in value.args if operand is not old), old)


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
    axes = definition.indices
    if not any(has_hits(term, axes) for _, term in definition.pieces):
        return None
    parts = [(domain, *updates_of(term, axes)) for domain, term in definition.pieces]
    updates = next((found for _, _, found in parts if found), [])
    if not updates or any(has_hits(old, axes) for _, old, _ in parts):
        raise _refuse(definition, "places that depend on data choose cells in a way that has no form here")
    if any(found != updates and (found or not _is_nothing(updates, d, scope)) for d, _, found in parts):
        raise _refuse(definition, "places that depend on data are not the same for all cells")
    old_cells: dict[Term, Domain] = {}
    for domain, old, _ in parts:
        old_cells[old] = old_cells[old] | domain if old in old_cells else domain
    lowering = _Lowering(definition, scope)
    changes = [lowering.statement(update) for update in updates]
    version = next(iter(old_cells))
    is_version = isinstance(version, Read) and definition.is_own_cell(version) and len(old_cells) == 1
    if isinstance(version, Read) and is_version and scope.shapes[version.array] == definition.shape:
        is_read = any(version.array in t.reads for u in updates for t in (u.term, *u.conditions, *u.places.values()))
        memory: Expression = scope.build.variable(version.array, definition.dtype, definition.shape)
        memory = memory if dies_here(version.array) and not is_read else scope.build.copy(memory)
        return [Assign(definition.name, memory, is_update=not is_read), *changes]
    pieces = tuple((domain.coalesce(), old) for old, domain in old_cells.items())
    return [*before(replace(definition, pieces=pieces), scope, dies_here), *changes]


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


def _is_nothing(updates: Sequence[Update], domain: Domain, scope: Scope) -> bool:
    """Tell whether updates are folds without operands on a domain."""
    return all(u.bound and (u.domain & domain & scope.domain).is_empty() for u in updates)


def _refuse(definition: Definition, message: str) -> LiftError:
    remedy = "split the loop where the conditions change"
    return refuse("TL302", f"{definition.array}: {message}", definition.location, remedy)


class _Lowering:
    """Lowers the updates of one definition."""

    def __init__(self, definition: Definition, scope: Scope) -> None:
        self.definition = definition
        self.scope = scope
        self.build = scope.build

    def statement(self, update: Update) -> SetSlice:
        """Return the statement that makes an update in the memory of the definition."""
        inner, mask = self._evaluation(update)
        conditions = [inner.evaluate(self._at_place(c, update), inner) for c in update.conditions]
        conditions += [] if mask is None else [mask]
        if update.op == "set" and update.bound and len(update.places) == 1:
            compacted = self._compacted(update, inner, mask)
            if compacted is not None:
                return compacted
        stores = update.op in ("set", "last")
        if conditions and stores and (update.bound or len(update.places) < len(self.definition.shape)):
            raise _refuse(self.definition, "a store at a place that depends on data is under a condition")
        places = {axis: inner.evaluate(without_widening(place), inner) for axis, place in update.places.items()}
        value = inner.converted(inner.evaluate(self._at_place(update.term, update), inner), self.definition.dtype)
        for condition in conditions:
            places = {a: inner.combined("select", condition, p, _zero(inner, p)) for a, p in places.items()}
            value = value if stores else inner.combined("select", condition, value, self._nothing(update, inner))
        axes = self.definition.indices
        walked = {a for place in places.values() for a in place.axes}
        if update.bound and not walked & set(update.bound):
            raise _refuse(self.definition, "a place that depends on data does not change with what is folded")
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
            raise _refuse(self.definition, "the last value that is stored at a place that depends on data")
        op = "set" if update.op == "last" else update.op
        for condition in conditions if stores else ():
            kept = self.build.gather(memory, tuple(index for index in indices if index is not None))
            value = inner.combined("select", condition, value, Value(kept, common))
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
        values = inner.filled(value, (bound,), (inner.extent(bound),)) if not value.axes else value.expression
        memory = self.build.variable(definition.name, definition.dtype, definition.shape)
        ends = start.expression, stop.expression, kept.expression
        made = Scatter(memory.dtype, definition.shape, False, memory, "keep", (0,), ends, values)  # noqa: FBT003 - a field
        return SetSlice(definition.name, definition.shape, tuple(map(whole, definition.shape)), made)

    def _evaluation(self, update: Update) -> tuple[Scope, Value | None]:
        """Return the scope of what is folded, and a mask where some points of its box do not count."""
        if not update.bound:
            return self.scope, None
        full = self.scope.domain & update.domain
        spans = ranges_of(full, update.bound, (*self.scope.spans, *update.bound))
        if spans is None:
            raise _refuse(self.definition, "what is folded at places that depend on data has no range")
        inner = replace(
            self.scope, spans={**spans, **self.scope.spans}, domain=self.scope.box & span_box(spans), memo={}
        )
        terms = (update.term, *update.conditions, *update.places.values())
        if not all(readable(term, full, inner.box, inner) for term in terms):
            raise _refuse(self.definition, "what is folded at places that depend on data reads outside of an array")
        return inner, mask_of(full, inner)

    def _at_place(self, term: Term, update: Update) -> Term:
        """Say a term of the cell as one of the place that hits it."""
        used = term.free & update.places.keys()
        if not used:
            return term

        def convert(cell: Read, _: Domain) -> Term:
            found: Term = cell
            for axis, at in enumerate(cell.indices):
                if at.variable in used:
                    name = fresh("k")
                    found = substitute(found, {at.variable: Affine.var(name)})
                    test = apply("hits", cast(update.places[at.variable], "i64"), index(Affine.var(name), "i64"))
                    box = Domain.box((name,), (self.scope.shapes[cell.array][axis],))
                    found = reduce("sum", (name,), box, apply("select", test, found, zero(cell.dtype)))
            return found

        moved = map_reads(term, self.scope.domain, convert)
        if not moved.free.isdisjoint(used):
            raise _refuse(self.definition, "what is stored at a place that depends on data depends on the place")
        return moved

    def _nothing(self, update: Update, inner: Scope) -> Value:
        return inner.evaluate(neutral(_REDUCERS[update.op], self.definition.dtype), inner)


def _zero(inner: Scope, place: Value) -> Value:
    return inner.number(0, place.expression.dtype)


def _is_torn(chosen: Sequence[bool]) -> bool:
    """Tell whether axes that are subscripted by places are not neighbours."""
    first = chosen.index(True)
    return sum(chosen) != len(chosen) - first - list(chosen)[::-1].index(True)
