"""Where terms read arrays at places that depend on data, and under which conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import place_of, walk
from tensorlift.comprehension.terms import Apply, Piecewise, Read, Reduce, Term, applies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.poly.domain import Domain

Guards = tuple[tuple[Term, bool], ...]  # conditions, each with whether it holds


class PlaceRead(NamedTuple):
    """A cell is read at a place: where ``guards`` hold on a domain, over which ``hit`` walks the cells of the axis."""

    place: Term
    domain: Domain
    variables: tuple[str, ...]
    hit: str
    value: Term
    guards: Guards = ()


def always_computed(term: Apply) -> tuple[Term, ...]:
    """Return the operands that C computes in any case; of a conjunction nobody knows which one came first."""
    if term.op in ("and", "or"):
        return ()
    return term.args[:1] if term.op == "select" else term.args


At = tuple["Term", "Domain", tuple[str, ...]]  # a term with the points and the variables for which it is computed


def operands_in_any_case(at: At) -> list[At]:
    """Return what C computes of a term however its conditions turn out, the last operand first."""
    term, domain, variables = at
    if isinstance(term, Reduce):
        is_cut_short = term.op in ("any", "all")
        return [] if is_cut_short else [(term.body, domain & term.domain, variables + term.bound)]
    if isinstance(term, Piecewise):
        return [(piece, domain & part, variables) for part, piece in reversed(term.pieces)]
    if isinstance(term, Apply):
        return [(argument, domain, variables) for argument in reversed(always_computed(term))]
    return []


def cell_read(read: PlaceRead) -> tuple[Read, int]:
    """Return the cell that is read, and the axis that the place is on."""
    return next(
        (node, axis)
        for node in walk(read.value)
        if isinstance(node, Read)
        for axis, index in enumerate(node.indices)
        if index.variable == read.hit
    )


def places_read(term: Term, domain: Domain, variables: tuple[str, ...]) -> Iterator[PlaceRead]:
    """Yield where a term reads at places that depend on data; shared ones once for the same conditions."""
    seen: set[tuple[At, Guards]] = set()
    stack: list[tuple[At, Guards]] = [((term, domain, variables), ())]
    while stack:
        found = (node, inside, bound), guards = stack.pop()
        if found in seen:
            continue
        seen.add(found)
        place = place_of(node) if isinstance(node, Reduce) else None
        if isinstance(node, Reduce) and place is not None:
            assert isinstance(node.body, Apply)
            value, within = node.body.args[1], inside & node.domain
            yield PlaceRead(place, within, bound + node.bound, node.bound[0], value, guards)
            stack += [((value, within, bound + node.bound), guards), ((place, inside, bound), guards)]
            continue
        if applies(node, "select"):
            condition, *arms = node.args
            cases = zip(arms, ((condition, True), (condition, False)), strict=True)
            stack += [((arm, inside, bound), (*guards, case)) for arm, case in cases]
        stack += [(operand, guards) for operand in operands_in_any_case((node, inside, bound))]
