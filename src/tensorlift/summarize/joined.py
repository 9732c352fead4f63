"""Pieces that say the same in other words are one piece, as the two sides of ``K[i][j] = K[j][i] = exp(-g * s)``.

On one side ``s`` adds up ``(x(i, k) - x(j, k))**2``, on the other one ``(x(j, k) - x(i, k))**2``: the normal form
has one form for both.  Both must apply the same operations, as often, and convert no floats: equality over the reals
does not see what is rounded, nor what is divided.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, rewrite, terms
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.ops.dtypes import DType, is_float

if TYPE_CHECKING:
    from tensorlift.comprehension.state import Piece
    from tensorlift.poly.domain import Domain

_MOST_PIECES = 4


def joined(pieces: list[Piece]) -> list[Piece]:
    """Return pieces of which no two that lie side by side are shown to have one term."""
    if not 1 < len(pieces) <= _MOST_PIECES:
        return pieces
    for one, other in combinations(pieces, 2):
        found = _one(one, other) or _one(other, one)
        if found is not None:
            return joined([found, *(piece for piece in pieces if piece not in (one, other))])
    return pieces


def _one(first: Piece, second: Piece) -> Piece | None:
    (domain, term), (rest, other) = first, second
    if isinstance(term, Read) or not term.reads or term.reads != other.reads or term.dtype != other.dtype:
        return None
    applied = _operations(term)
    if applied != _operations(other) or any(op == "cast" and is_float(dtype) for op, dtype in applied):
        return None
    whole = (domain | rest).coalesce()
    if whole.size > 1:
        return None
    wide = _widened(term, domain, whole)
    is_same = normal.equal(wide, term, domain) and normal.equal(wide, other, rest)
    return (whole, wide) if is_same else None


def _operations(term: Term) -> Counter[tuple[str, DType]]:
    return Counter((node.op, node.dtype) for node in rewrite.walk(term) if isinstance(node, Apply | Reduce))


def _widened(term: Term, domain: Domain, whole: Domain) -> Term:
    """Let reductions of a term have points beyond its domain, as they have them there."""

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if not node.has_domains:
            return node
        if isinstance(node, Reduce):
            points = node.domain.gist(domain) & whole
            return terms.reduce(node.op, node.bound, points, descend(node.body, where))
        return rewrite.rebuild(node, lambda child: descend(child, where))

    return rewrite.transform(term, domain, rule)
