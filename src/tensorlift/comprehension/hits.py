"""Cells that a place hits: there, what is read at that place is the cell.

``select(hits(t, [c]), v, old(c))`` is what a store at ``t`` leaves in cell ``c``.  Where ``v`` reads at the same place,
as in ``h[t] = h[t] + 1``, that is ``sum(g : 0 <= g < n) select(hits(t, [g]), h(g), 0)``: cell ``c``, if it is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.tensor import decided_in_arms
from tensorlift.comprehension.terms import Apply, Index, Reduce, Term, applies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.rewrite import Descend
    from tensorlift.poly.affine import Affine
    from tensorlift.poly.domain import Domain


def hit_in_cases(term: Term, domain: Domain) -> Term:
    """Return a choice by whether ``p ? t : u`` hits, of values that ask ``p`` too, as a choice by ``p``.

    Where the cell that ``u`` hits gets its own value, as what is not to be stored, no place is asked for.
    """
    if not applies(term, "select") or not applies(term.args[0], "hits"):
        return term
    (place, cell), chosen, other = term.args[0].args, *term.args[1:]
    condition, *places = _alternatives(place)
    chosen = _asking(chosen, condition) if places else chosen
    if not places or not any(node is condition for node in rewrite.walk(chosen)):
        return term
    arms = (terms.apply("select", terms.apply("hits", one, cell), chosen, other) for one in places)
    decided = decided_in_arms(condition, *arms)
    return terms.apply("select", condition, *(_settled(seen_where_hit(arm, domain)) for arm in decided.args[1:]))


def _settled(term: Term) -> Term:
    return term.children[1] if applies(term, "select") and term.args[1] is term.args[2] else term


def _asking(term: Term, condition: Term) -> Term:
    """Return a term with a condition as it is, where it asks the same with other bound names."""

    def ask(node: Term) -> Term | None:
        if not isinstance(node, Apply):
            return node
        return condition if alike(node, condition) else None

    return rewrite.exchanged(term, ask)


def _alternatives(place: Term) -> tuple[Term, ...]:
    """Return by which condition a place is one of two, and these; the place alone where it is one."""
    if applies(place, "select"):
        return place.args
    if not applies(place, "cast"):
        return (place,)
    condition, *places = _alternatives(place.args[0])
    return (condition, *(terms.cast(one, place.dtype) for one in places)) if places else (place,)


def seen_where_hit(term: Term, domain: Domain) -> Term:
    """Return a choice by hits with what is read where they hit as the cell that it is, for the points of a domain."""
    return _seen(term, domain, {})


def _seen(term: Term, domain: Domain, known: Mapping[Term, tuple[Affine, ...]]) -> Term:
    """Give that for places that are known to be some indices: one that hits on two axes is both, and read as such."""
    if applies(term, "select"):
        test, chosen, other = _by_place(*term.args)
        if applies(test, "hits") and isinstance(test.args[1], Index):
            place, at = test.args[0], test.args[1].affine
            inner = _seen(chosen, domain, {**known, place: (*known.get(place, ()), at)})
            return term if inner is chosen else terms.apply("select", test, inner, _seen(other, domain, known))
    return _replaced(term, domain, known) if known else term


def _by_place(condition: Term, chosen: Term, other: Term) -> tuple[Term, Term, Term]:
    """Ask for the place first, of ``select(p, select(hits(t, [c]), v, old), old)`` where ``p`` reads at ``t``."""
    turned = isinstance(other, Apply) and other.op == "select" and chosen is other.args[2]
    inner, old = (other, chosen) if turned else (chosen, other)
    if isinstance(inner, Apply) and inner.op == "select" and inner.args[2] is old:
        test, value = inner.args[:2]
        if applies(test, "hits") and any(rewrite.place_of(node) is test.args[0] for node in rewrite.walk(condition)):
            arms = (old, value) if turned else (value, old)
            return test, terms.apply("select", condition, *arms), old
    return condition, chosen, other


def _replaced(term: Term, domain: Domain, known: Mapping[Term, tuple[Affine, ...]]) -> Term:
    def rule(node: Term, where: Domain, descend: Descend) -> Term:
        place = rewrite.place_of(node) if isinstance(node, Reduce) else None
        if isinstance(node, Reduce) and place is not None and place in known:
            first, *rest = known[place]
            at = {node.bound[0]: first}
            if where.is_subset(node.domain.substitute(at)):
                inner = rewrite.substitute(node.body.children[1], at)
                return _replaced(inner, where, {**known, place: tuple(rest)} if rest else known)
        return rewrite.rebuild_inside(node, where, descend) if node.has_domains else node

    return rewrite.transform(term, domain, rule)
