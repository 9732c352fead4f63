"""Blocks: a sum over blocks of the sum over each block is one sum over all points.

``sum(b : 0 <= b < m) sum(k : 0 <= k < 16) f(16 b + k)`` and ``sum(b : 0 <= b < m) sum(k : 16 b <= k < 16 b + 16) f(k)``
are ``sum(k : 0 <= k < 16 m) f(k)``: each point is in one block only, and nothing else depends on which.  Tiled loops
come out of the summariser in the first forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.rewrite import Descend, flattened, rebuild_inside, substitute, transform, walk
from tensorlift.comprehension.terms import Read, Reduce, Term

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import Definition


def without_blocks(definition: Definition) -> Definition:
    """Return a definition with one reduction for those over blocks."""
    return definition.mapped(lambda term, domain: transform(term, domain, _without_blocks))


def _without_blocks(term: Term, domain: Domain, descend: Descend) -> Term:
    if not term.has_domains:
        return term
    if isinstance(term, Reduce):
        flat = flattened(term)
        for found in _numbered(flat) if len(flat.bound) > 1 else ():
            for block in found.bound:
                if block not in found.body.free and (found.domain & domain).is_single_valued(block):
                    left = tuple(v for v in found.bound if v != block)
                    points = _plain(found.domain.project_out(block))
                    return descend(terms.reduce(term.op, left, points, found.body), domain)
    return rebuild_inside(term, domain, descend)


def _numbered(flat: Reduce) -> Iterator[Reduce]:
    """Yield a reduction as it is, and with the points of all blocks numbered through: ``k`` for ``16 b + k``."""
    yield flat
    for block in flat.bound:
        for point in flat.bound:
            ratio = _ratio(flat.body, block, point)
            if ratio is None:
                continue
            number = fresh("k")
            value = {point: Affine.var(number) - Affine.var(block, ratio)}
            bound = tuple(number if v == point else v for v in flat.bound)
            moved = terms.reduce(flat.op, bound, flat.domain.substitute(value), substitute(flat.body, value))
            if isinstance(moved, Reduce):
                yield moved


def _ratio(body: Term, block: str, point: str) -> int | None:
    """Return by how many points a block is before the next one, as the first subscript with both of them says."""
    for node in walk(body):
        for index in node.indices if isinstance(node, Read) else ():
            of_block, of_point = index.coefficient(block), index.coefficient(point)
            if of_block and of_point:
                whole = of_block % of_point == 0 and abs(of_block) > abs(of_point)
                return of_block // of_point if whole else None
    return None


def _plain(domain: Domain) -> Domain:
    """Return a domain without integer divisions, where they say nothing."""
    plain = Domain(domain.isl.remove_divs(), domain.zeros)
    return plain if plain.is_equal(domain) else domain
