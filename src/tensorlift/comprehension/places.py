"""Where terms read arrays at places that depend on data, and under which conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.positions import DTYPE
from tensorlift.comprehension.ranges import value_range
from tensorlift.comprehension.rewrite import place_of, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Term, applies
from tensorlift.ops.dtypes import is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import at_least, less

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


def index_of(term: Term) -> Affine | None:
    """Return the index that an integer is; None where data decide."""
    if isinstance(term, Index):
        return term.affine
    return Affine(int(term.value)) if isinstance(term, Constant) and is_integer(term.dtype) else None


def stays_within(place: Term, low: Affine, high: Affine, domain: Domain) -> bool:
    """Tell whether a place is shown to be from ``low`` to ``high`` on every point of a domain.

    So are indices, the ones of them that data choose, and extremes of them.
    """
    if domain.is_empty():
        return True
    index = index_of(place)
    if index is not None:
        return domain.implies(at_least(index, low), at_least(high, index))
    if isinstance(place, Apply) and (place.op == "select" or (place.op in {"max", "min"} and place.dtype == DTYPE)):
        arms = place.args[1:] if place.op == "select" else place.args
        return all(stays_within(arm, low, high, domain) for arm in arms)
    if isinstance(place, Piecewise):
        return all(stays_within(term, low, high, domain & part) for part, term in place.pieces)
    if isinstance(place, Reduce) and place.op in {"max", "min"} and not any(map(domain.mentions, place.bound)):
        inside = domain & place.domain
        return domain.is_subset(inside.project_out(*place.bound)) and stays_within(place.body, low, high, inside)
    return False


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


def is_inside(read: PlaceRead, extent: Affine) -> bool:
    """Tell whether the type of a place, or how it is chosen, keeps it inside of an axis."""
    least, most = value_range(read.place)
    if read.domain.implies(at_least(least, 0), less(most, extent)):
        return True
    return stays_within(read.place, Affine(0), extent - 1, read.domain)


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
