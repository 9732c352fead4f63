"""Reuse: a reduction that an earlier definition computed already is read from there."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.positions import position_of
from tensorlift.comprehension.rewrite import rebuild_inside, substitute, transform
from tensorlift.comprehension.terms import Reduce, Term, read

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.rewrite import Descend

_MOST_INDICES = 4
_MOST_KNOWN = 24  # earlier reductions over the same arrays that one is compared with, the last ones


def reuse_earlier(definitions: list[Definition]) -> list[Definition]:
    """Return the definitions with reductions replaced by reads of earlier definitions that are just that reduction."""
    result: list[Definition] = []
    computed: dict[frozenset[str], list[Definition]] = {}
    for definition in definitions:
        read_together = [term.reads for _, term in definition.pieces]
        groups = [group for reads, group in computed.items() if any(map(reads.issubset, read_together))]
        known = [earlier for group in groups for earlier in group[-_MOST_KNOWN:]]
        if known:
            definition = definition.mapped(partial(_reuse, known))  # noqa: PLW2901 - the definition as it goes on
        result.append(definition)
        if len(definition.pieces) == 1 and isinstance(definition.pieces[0][1], Reduce):
            computed.setdefault(definition.pieces[0][1].reads, []).append(definition)
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
