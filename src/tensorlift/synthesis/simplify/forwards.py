"""Searches that meet what they read from its end, or row by row: the order does not matter to them.

    any(k : 0 <= k < n) (a(n - k - 1) < 0)    becomes    any(k : 0 <= k < n) (a(k) < 0)

A search that is left at its first hit runs backwards, and one in a nest asks for a hit in a row with a hit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.ranges import ends_of
from tensorlift.comprehension.rewrite import contains, flattened, rebuild_inside, substitute, transform, walk
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.terms import Apply, Index, Piecewise, Read, Reduce, Term
from tensorlift.poly.affine import affine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.rewrite import Descend
    from tensorlift.poly.affine import Affine
    from tensorlift.poly.domain import Domain


def forwards(definition: Definition) -> Definition:
    """Let the searches of a definition meet what they read from its start."""
    return definition.mapped(lambda term, domain: transform(term, domain, _rule) if contains(term, Reduce) else term)


def _rule(node: Term, domain: Domain, descend: Descend) -> Term:
    found = rebuild_inside(node, domain, descend)
    if isinstance(found, Reduce) and found.op == "any":
        found = terms.reduce(found.op, found.bound, found.domain, _plain(found.body))
        found = flattened(found) if isinstance(found, Reduce) else found
    for name in found.bound if isinstance(found, Reduce) and _is_search(found) else ():
        assert isinstance(found, Reduce)
        ends = ends_of(found.domain, name) if _is_backward(found.body, name) else None
        if ends is not None:
            last = min((ends[0] + ends[1], *_lasts(found.body, name)), key=lambda value: len(value.variables))
            other = {name: last - affine(name)}
            found = terms.reduce(found.op, found.bound, found.domain.substitute(other), substitute(found.body, other))
    return found


def _plain(term: Term) -> Term:
    """Give the truth value that a choice of ``true`` or ``false`` is."""
    is_plain = isinstance(term, Apply) and term.op == "select" and term.args[1:] == (TRUE, FALSE)
    return term.children[0] if is_plain else term


def _is_search(fold: Reduce) -> bool:
    """Whether a reduction asks whether there is a hit, or for the place of one; those of extremes stay as they are."""
    if contains(fold.body, Reduce):
        return False
    body = fold.body
    is_choice = isinstance(body, Apply) and body.op == "select" and isinstance(body.args[1], Index)
    return fold.op == "any" or (fold.op in {"min", "max"} and is_choice)


def _is_backward(body: Term, name: str) -> bool:
    """Whether all that is made of a variable falls where that rises."""
    found = {sign for sign in _signs(body, name) if sign}
    return bool(found) and max(found) < 0


def _lasts(body: Term, name: str) -> Iterator[Affine]:
    """Yield what subscripts count down from: the cells themselves can be counted then."""
    for node in walk(body):
        for subscript in node.indices if isinstance(node, Read) else ():
            if subscript.coefficient(name) == -1:
                yield subscript + affine(name)


def _signs(body: Term, name: str) -> Iterator[int]:
    for node in walk(body):
        if isinstance(node, Read):
            yield from (subscript.coefficient(name) for subscript in node.indices)
        elif isinstance(node, Index):
            yield node.affine.coefficient(name)
        elif isinstance(node, Piecewise):
            yield from (1 for domain, _ in node.pieces if domain.mentions(name))
