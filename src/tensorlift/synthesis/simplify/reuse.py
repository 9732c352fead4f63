"""Reuse: a reduction that an earlier definition computed already is read from there.

For programs that work in memory, in which each definition is computed whether others repeat it or not, so is all that
an earlier definition has stored and that is still in its array.  What takes long in an array and in sums over it, as
the exponentials of a softmax, is stored in that array before.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, definitions_of
from tensorlift.comprehension.matching import alike, matches
from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.positions import position_of
from tensorlift.comprehension.rewrite import rebuild_inside, substitute, transform, walk
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term, applies, read
from tensorlift.ops.scalar_ops import FUNCTIONS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.names import formals
from tensorlift.poly.variables import extreme_of, is_single_valued
from tensorlift.synthesis.simplify.inline import with_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.definition import Item
    from tensorlift.comprehension.rewrite import Descend


_MOST_INDICES = 4
_MOST_KNOWN = 24  # earlier reductions over the same arrays that one is compared with, the last ones


def reuse_earlier(definitions: list[Definition]) -> list[Definition]:
    """Return the definitions with reductions replaced by reads of earlier definitions that are just that reduction.

    What is a whole reduction that an earlier definition is, is read as that one.
    """
    result: list[Definition] = []
    computed: dict[frozenset[str], list[Definition]] = {}
    same: list[Definition] = []
    for definition in definitions:
        for one in same:
            if one.name in definition.reads:
                definition = with_terms(definition, one, lambda _: True) or definition  # noqa: PLW2901 - as it goes on
        read_together = [term.reads for _, term in definition.pieces]
        groups = [group for reads, group in computed.items() if any(map(reads.issubset, read_together))]
        known = [earlier for group in groups for earlier in group[-_MOST_KNOWN:]]
        if known:
            definition = definition.mapped(partial(_reuse, known))  # noqa: PLW2901 - the definition as it goes on
        result.append(definition)
        if len(definition.pieces) == 1 and isinstance(definition.pieces[0][1], Reduce):
            computed.setdefault(definition.pieces[0][1].reads, []).append(definition)
        elif known and len(definition.pieces) == 1 and isinstance(definition.pieces[0][1], Read):
            same.append(definition)
    return result


def _reuse(known: list[Definition], term: Term, domain: Domain) -> Term:
    def rule(node: Term, where: Domain, descend: Descend) -> Term:
        if not node.has_domains or position_of(node) is not None:
            return node  # a position is one operation, with the extreme inside
        if isinstance(node, Reduce):
            found = next(filter(None, (_as_read(node, where, definition) for definition in known)), None)
            if found is not None:
                return found
        return rebuild_inside(node, where, descend)

    return transform(term, domain, rule)


def _as_read(term: Reduce, domain: Domain, definition: Definition) -> Term | None:
    """Return the cell of the definition that holds the reduction wherever it is evaluated, if there is one."""
    whole, body = definition.pieces[0]
    if body.reads != term.reads or body.dtype != term.dtype or len(definition.indices) > _MOST_INDICES:
        return None
    variables = sorted(v for v in term.free if domain.mentions(v))
    for chosen in itertools.permutations(variables, len(definition.indices)):
        point = dict(zip(definition.indices, map(Affine.var, chosen), strict=True))
        if domain.is_subset(whole.substitute(point)) and equal(substitute(body, point), term, domain):
            return read(definition.name, tuple(point.values()), term.dtype)
    return None


@dataclass(frozen=True)
class _Stored:
    """Cells of a definition that hold a term."""

    definition: Definition
    domain: Domain
    term: Term

    def cell(self, term: Term, where: Domain) -> Term | None:
        """Return the cell that holds a term wherever it is evaluated; None without one."""
        indices = self.definition.indices
        if term.reads != self.term.reads or term.dtype != self.definition.dtype:
            return None
        for values in matches(self.term, term, indices):
            point = self._completed(values)
            if (
                point is not None
                and alike(substitute(self.term, point), term)
                and where.is_subset(self.domain.substitute(point))
            ):
                return read(self.definition.name, tuple(point[index] for index in indices), term.dtype)
        return None

    def _completed(self, values: Mapping[str, Affine]) -> dict[str, Affine] | None:
        """Give indices of which the term says nothing the only value that they have; None where they have several."""
        point = dict(values)
        for index in self.definition.indices:
            if index not in point:
                if not is_single_valued(self.domain, index):
                    return None
                ends = extreme_of(self.domain, index, maximum=True)
                if len(ends) != 1 or ends[0][1].mentions(self.definition.indices):
                    return None
                point[index] = ends[0][1]
        return point


def reading_stored(items: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items of a function, which read what is stored instead of computing it again."""
    return _block(items, [])


def _block(items: Iterable[Item], known: Sequence[_Stored]) -> tuple[Item, ...]:
    result: list[Item] = []
    for item in _storing_first(tuple(items)):
        if isinstance(item, Definition):
            pieces = tuple((piece, _reading(term, piece & item.domain, known)) for piece, term in item.pieces)
            result.append(replace(item, pieces=pieces))
            known = [*_without(known, {item.array}), *_stored_by(item)]
        else:
            changed = {c.array for c in item.carried} | {d.array for d in definitions_of(item.body)}
            known = _without(known, changed)
            result.append(replace(item, body=_block(item.body, known)))
    return tuple(result)


def _storing_first(items: Sequence[Item]) -> Sequence[Item]:
    """Add definitions of what takes long both in an array and in earlier definitions, which stand before these."""
    for position, item in enumerate(items):
        if not isinstance(item, Definition) or len(item.pieces) != 1 or not item.indices:
            continue
        ((domain, whole),) = item.pieces
        for term in walk(whole):
            if not applies(term, FUNCTIONS) or term.dtype != item.dtype or not term.free.issuperset(item.indices):
                continue
            name = f"{item.name} first"
            first = replace(item, name=name, pieces=((domain, term),)).over(formals(name, len(item.indices)))
            start = _first_use(_Stored(first, first.domain, first.pieces[0][1]), items[:position], item)
            if start is not None:
                behind = _storing_first(items[position + 1 :])
                return (*items[:start], first, *items[start : position + 1], *behind)
    return items


def _first_use(stored: _Stored, before: Sequence[Item], item: Definition) -> int | None:
    """Return the place from which on definitions before one use what it stores; None where that cannot stand there."""
    start, place = None, len(before)
    versions = {item.array, *(d.name for d in definitions_of(tuple(before)) if d.array == item.array)}
    for one in (item, *reversed(before)):
        if not isinstance(one, Definition) or one.name in stored.term.reads | versions:
            break
        left = [_reading(term, piece & one.domain, [stored]) for piece, term in one.pieces]
        if any(not term.reads.isdisjoint(versions) for term in left):
            break
        is_use = any(stored.definition.name in term.reads for term in left)
        start, place = (place if is_use and one is not item else start), place - 1
    return start


def _without(known: Sequence[_Stored], arrays: set[str]) -> list[_Stored]:
    return [stored for stored in known if stored.definition.array not in arrays]


def _stored_by(definition: Definition) -> list[_Stored]:
    """Return what is worth to be read: folds, and operations on several cells."""
    pieces = [(piece & definition.domain, term) for piece, term in definition.pieces]
    return [_Stored(definition, domain, term) for domain, term in pieces if _is_long(term)]


def _is_long(term: Term) -> bool:
    nodes = list(walk(term))
    cells = [node for node in nodes if isinstance(node, Read) and node.indices]
    is_long = len(cells) > 1 or any(isinstance(node, Reduce) or applies(node, FUNCTIONS) for node in nodes)
    return isinstance(term, Apply | Reduce) and is_long


def _reading(term: Term, domain: Domain, known: Sequence[_Stored]) -> Term:
    """Put cells that are stored already into the place of what they hold."""
    useful = [stored for stored in known if stored.term.reads <= term.reads]

    def rule(node: Term, where: Domain, descend: Descend) -> Term:
        if isinstance(node, Apply | Reduce):
            found = next(filter(None, (stored.cell(node, where) for stored in useful)), None)
            if found is not None:
                return found
        return rebuild_inside(node, where, descend)

    try:
        return transform(term, domain, rule) if useful else term
    except NotAffine:
        return term
