"""The effect of a whole loop: the state at its end, which is where its first upper bound ends it.

What a loop leaves where one of its upper bounds ends it is joined with what it leaves where another one does:

``sum(k : low <= k < a) f(k)`` where ``a <= b`` and ``sum(k : low <= k < b) f(k)`` where ``b < a`` are one sum, over
``low <= k < a and k < b``.  Tiled loops end where the tile does or where the array does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.state import Effect, Piece, merged, split
from tensorlift.comprehension.terms import Apply, Reduce, Term
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.poly.polynomial import Polynomial
from tensorlift.poly.variables import strided
from tensorlift.proofs.source.counters import pieces_of
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.proofs.source.frames import Entered
    from tensorlift.proofs.source.induction import Counted
    from tensorlift.proofs.source.operations import Value


def at_exit(loop: Counted, states: Effect, context: Domain) -> Effect:
    """Return the state at the end of a loop, given that before each iteration."""
    ends = []
    for number, high in enumerate(loop.upper):
        others = [at_least(other, high) for other in loop.upper[number + 1 :]]
        others += [less(high, other) for other in loop.upper[:number]]
        ends.append((high, context & Domain.of(*others)))
    found = {
        array: merged(
            [end for p in pieces for end in joined(split(_at(p, loop.variable, high, where) for high, where in ends))]
        )
        for array, pieces in states.items()
    }
    return {array: pieces for array, pieces in found.items() if pieces}


def _at(piece: Piece, variable: str, value: Affine, where: Domain) -> Piece:
    domain, term = piece
    values = {variable: value}
    return domain.substitute(values) & where, rewrite.substitute(term, values)


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Return pieces with disjoint domains as one, if they only differ in the domains of reductions."""
    if len(pieces) < 2:  # noqa: PLR2004 - nothing to join
        return list(pieces)
    domains = [domain for domain, _ in pieces]
    term = _joined([term for _, term in pieces], domains)
    return list(pieces) if term is None else [(Domain.union(domains).coalesce(), term)]


def _joined(parts: Sequence[Term], domains: Sequence[Domain]) -> Term | None:
    """Return a term that is each part on its domain, or None."""
    first, *others = parts
    if all(other is first for other in others):
        return first
    if isinstance(first, Apply):
        return _joined_operands(first, parts, domains)
    if isinstance(first, Reduce):
        return _joined_reductions(first, parts, domains)
    return None


def _joined_operands(first: Apply, parts: Sequence[Term], domains: Sequence[Domain]) -> Term | None:
    operands = []
    for part in parts:
        if not isinstance(part, Apply) or (part.op, part.dtype, len(part.args)) != (
            first.op,
            first.dtype,
            len(first.args),
        ):
            return None
        operands.append(part.args)
    args = [_joined(column, domains) for column in zip(*operands, strict=True)]
    found = tuple(arg for arg in args if arg is not None)
    return rewrite.simplified(first.op, found, first) if len(found) == len(args) else None


def _joined_reductions(first: Reduce, parts: Sequence[Term], domains: Sequence[Domain]) -> Term | None:
    """Return one reduction over the points of each, if those have one shape together."""
    points = []
    for part, domain in zip(parts, domains, strict=True):
        if not isinstance(part, Reduce) or part.op != first.op or len(part.bound) != len(first.bound):
            return None
        names = {old: Affine.var(new) for old, new in zip(part.bound, first.bound, strict=True) if old != new}
        if rewrite.substitute(part.body, names) is not first.body:
            return None
        points.append(part.domain.substitute(names) & domain)
    together = Domain.union(points).coalesce()
    return terms.reduce(first.op, first.bound, together, first.body) if together.size == 1 else None


def counter_at_end(loop: Entered, number: int) -> Value:
    """Return a counter where the loop ends, under a new name where that depends on more than is known."""
    claim, was, start = loop.claim, loop.before[number], loop.given[number]
    low = claim.lower[0]
    for high in claim.upper:
        others = [at_least(other, high) for other in claim.upper if other is not high]
        is_told = isinstance(claim.step, int)
        whole = strided("end", low, claim.step).substitute({"end": high}) if is_told else EMPTY
        if loop.context.implies(at_least(high, low), *others) and loop.context.is_subset(whole):
            at, value = {claim.variable: high}, {claim.variable: Polynomial.of(high)}
            ends = [
                (where.substitute(at), Exact(p.value.substitute(value), p.is_signed)) for where, p in pieces_of(was)
            ]
            left = tuple(one for one in ends if not loop.context.is_disjoint(one[0]))
            return Cases(left) if len(left) > 1 else (left or ends)[0][1]
    if any(loop.context.implies(at_least(low, high)) for high in claim.upper):
        return start
    return Exact(Polynomial.variable(fresh("end")), is_signed=False)
