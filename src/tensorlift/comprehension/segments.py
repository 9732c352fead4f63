"""Loops between bounds that are data: where each place may be asked whether it is between them.

The source goes over the places between the bounds alone.  To ask all places of an axis costs no more by degree where an
array has a cell for each place and each pair of bounds, as a batch that is padded has, or where there is one pair.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.counts import conjuncts
from tensorlift.comprehension.definition import KeptLoop
from tensorlift.comprehension.places import without_widening
from tensorlift.comprehension.rewrite import bottom_up, exchanged, rebuild, substitute
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Term, applies
from tensorlift.ops.scalar_ops import neutral
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from tensorlift.comprehension.definition import Definition, Item, Summary
    from tensorlift.ops.dtypes import DType


def asking_all(summary: Summary, *, folds: bool = True) -> Summary:
    """Return the summary with plain comparisons where each place may be asked; without ``folds`` not in folds."""
    return replace(summary, items=tuple(_item(item, (), folds=folds) for item in summary.items))


def _item(item: Item, around: tuple[str, ...], *, folds: bool) -> Item:
    if isinstance(item, KeptLoop):
        body = tuple(_item(inner, (*around, item.variable), folds=folds) for inner in item.body)
        return replace(item, body=body)
    grids = [set(item.indices), *(_grid(node) for node in item.nodes() if isinstance(node, Read))]
    sizes = _sizes(item).difference(around)

    def is_grid(names: frozenset[str]) -> bool:
        return any(names - sizes <= grid for grid in grids)

    kept = set() if folds else {test for node in item.nodes() if (test := folded_between(node)) is not None}
    return item.mapped(lambda term, _: _asked(term, is_grid, kept))


def placed(definition: Definition, domain: Domain) -> Definition:
    """Return a definition of which what is spread over the places between bounds is folded in at each of them.

    ``fold(i) select(within([c], low(i), high(i)), v(i, c), neutral)`` is so at the places ``p`` that are ``c``: a fold
    over ``i`` and ``p`` of ``select(within([p], low(i), high(i)), select(hits([p], [c]), v(i, p), neutral), neutral)``.
    """
    extents = dict(zip(definition.indices, definition.shape, strict=True))

    def convert(term: Term) -> Term | None:
        found = _spread_between(term, extents)
        if found is None or not isinstance(term, Reduce):
            return None
        axis, tests, value = found
        points = term.domain.project_out(axis)
        if not (points & domain).is_subset(term.domain):
            return term
        name, nothing = fresh("p"), neutral_term(term.op, term.dtype)
        values = {axis: Affine.var(name)}
        place, cell = terms.index(values[axis], "i64"), terms.index(Affine.var(axis), "i64")
        body = terms.apply("select", terms.apply("hits", place, cell), substitute(value, values), nothing)
        for test in reversed(tests):
            body = terms.apply("select", substitute(test, values), body, nothing)
        return terms.reduce(term.op, (*term.bound, name), points & Domain.box((name,), (extents[axis],)), body)

    return replace(definition, pieces=tuple((known, exchanged(term, convert)) for known, term in definition.pieces))


def _spread_between(term: Term, axes: Container[str]) -> tuple[str, list[Term], Term] | None:
    """Return the axis of which a fold chooses the places between bounds, all that it asks, and what it folds."""
    if not isinstance(term, Reduce):
        return None
    tests, value = list["Term"](), term.body
    while applies(value, "select") and is_neutral(value.args[2], term.op):
        tests += conjuncts(value.args[0])
        value = value.args[1]
    axis = next((axis for axis in map(place_between, tests) if axis is not None and axis in axes), None)
    return None if axis is None else (axis, tests, value)


def place_between(test: Term) -> str | None:
    """Return the variable of the place that a test asks to be between bounds, which do not change with it."""
    place = test.args[0] if applies(test, "within") else None
    name = place.affine.variable if isinstance(place, Index) else None
    return name if name is not None and not any(name in bound.free for bound in test.children[1:]) else None


def folded_between(term: Term) -> Apply | None:
    """Return what a fold asks of its places, if it goes over those between bounds and no others."""
    if not isinstance(term, Reduce) or len(term.bound) != 1 or not applies(term.body, "select"):
        return None
    test, _, nothing = term.body.args
    if not applies(test, "within") or not is_neutral(nothing, term.op) or not isinstance(test.args[0], Index):
        return None
    return test if test.args[0].affine.variable == term.bound[0] else None


def _sizes(definition: Definition) -> set[str]:
    bound = {name for node in definition.nodes() if isinstance(node, Reduce) for name in node.bound}
    return {name for node in definition.nodes() for name in node.free} - bound - set(definition.indices)


def _grid(read: Read) -> set[str]:
    """Return the variables of which each has an axis of its own."""
    names = [index.variable for index in read.indices]
    return {name for name in names if name is not None and names.count(name) == 1}


def _asked(term: Term, is_grid: Callable[[frozenset[str]], bool], kept: set[Apply]) -> Term:
    done: dict[Term, Term] = {}
    for node in bottom_up(term, done):
        is_asked = applies(node, "within") and node not in kept and is_grid(node.free)
        if not is_asked or not isinstance(node, Apply):
            done[node] = rebuild(node, done.__getitem__)
        else:
            place, low, high = node.args
            is_below_all = isinstance(low, Constant) and low.value <= 0
            done[node] = terms.apply("lt", place, high) if is_below_all else between(node)
    return done[term]


def between(term: Apply) -> Term:
    """Return whether a place is between two bounds as comparisons."""
    place, low, high = term.args
    return terms.apply("and", terms.apply("le", low, place), terms.apply("lt", place, high))


def whole_segment(term: Apply, domain: Domain) -> Term | None:
    """Return what a choice by ``low < high`` gives of a fold over the places between them, which is neutral elsewhere.

    ``select(low < high, fold(p : ...) select(within(p, low, high), value, neutral), neutral)`` is the fold.  So are its
    multiples where that is 0, which they are as well.
    """
    condition, chosen, other = term.args
    if not applies(condition, ("lt", "gt")):
        return None
    low, high = condition.args if condition.op == "lt" else condition.args[::-1]

    def whole(chosen: Term) -> Term | None:
        if isinstance(chosen, Piecewise):
            parts = [part for where, part in chosen.pieces if not where.is_disjoint(domain)]
            chosen = parts[0] if len(parts) == 1 else chosen
        if applies(chosen, "select") and chosen.args[0] is condition:
            chosen = chosen.args[1]
        if applies(chosen, ("mul", "div")) and isinstance(other, Constant) and not other.value:
            left, right = chosen.args
            if (found := whole(left)) is not None:
                return terms.apply(chosen.op, found, right)
            found = whole(right) if chosen.op == "mul" else None
            return None if found is None else terms.apply("mul", left, found)
        return chosen if _folds_between(chosen, low, high, other) else None

    return whole(chosen)


def _folds_between(term: Term, low: Term, high: Term, nothing: Term) -> bool:
    """Tell whether a term folds values over the places between two bounds, and has ``nothing`` elsewhere."""
    if not isinstance(term, Reduce) or not applies(term.body, "select") or term.body.args[2] is not nothing:
        return False
    within = term.body.args[0]
    if not applies(within, "within") or not is_neutral(nothing, term.op):
        return False
    return _is_same(low, within.args[1]) and _is_same(high, within.args[2])


def _is_same(one: Term, other: Term) -> bool:
    """Tell whether two integers are the same number, perhaps in types that hold it."""
    return without_widening(one) is without_widening(other)


def is_neutral(term: Term, op: str) -> bool:
    """Tell whether a term is what changes nothing in a fold."""
    return term is neutral_term(op, term.dtype)


def neutral_term(op: str, dtype: DType) -> Term:
    """Return what changes nothing in a fold."""
    wanted = neutral(op, dtype)
    if isinstance(wanted, int):
        return terms.constant(wanted, dtype)
    infinite = terms.cast(terms.apply("nan" if wanted == "nan" else "infinity"), dtype)
    return terms.apply("neg", infinite) if wanted == "-inf" else infinite
