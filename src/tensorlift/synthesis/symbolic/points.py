"""Points of domains at concrete sizes, and sizes that are small: without isl's machinery for each point."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, islice, permutations, product
from typing import TYPE_CHECKING

from tensorlift.poly.domain import UNIVERSE, Domain
from tensorlift.poly.variables import without_divisions
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.poly.affine import Affine
    from tensorlift.poly.domain import Constraint

_LARGEST = 16
_MOST_TRIED = 20_000
_VARIETY = 3  # different sizes, where several may be equal


class Untraceable(Exception):  # noqa: N818 - a property of a definition
    """Raised where a definition has no values at small sizes, or no program; the text says why."""

    remedy = "use another engine"


@SESSION.cached
def conjuncts_of(domain: Domain) -> list[list[Constraint]]:
    """Return what the convex parts of a domain state without integer divisions."""
    return [*chain.from_iterable(without_divisions(part).conjuncts() for part in domain.parts())]


@SESSION.cached
def is_divided(domain: Domain) -> bool:
    """Tell whether a domain needs an integer division, as one that holds for even numbers does."""
    return domain.has_divisions


def contains(domain: Domain, at: Mapping[str, int]) -> bool:
    """Tell whether a point with all its variables lies in a domain."""
    if domain is UNIVERSE:
        return True
    is_near = any(_meets(conjunct, at) for conjunct in conjuncts_of(domain))
    return is_near and (not is_divided(domain) or not domain.at(at).is_empty())


def _meets(conjunct: Sequence[Constraint], at: Mapping[str, int]) -> bool:
    for constraint in conjunct:
        value = constraint.affine.evaluate(at)
        if value < 0 or (value and constraint.is_equality):
            return False
    return True


def points(domain: Domain, bound: Sequence[str], at: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Return the values of the bound variables for which a domain holds, the other variables given, in order."""
    found: set[tuple[int, ...]] = set()
    for conjunct in conjuncts_of(domain):
        found.update(tuple(point[name] for name in bound) for point in _extended(conjunct, tuple(bound), dict(at)))
    if is_divided(domain):
        found = {point for point in found if contains(domain, {**at, **dict(zip(bound, point, strict=True))})}
    return sorted(found)


def _extended(conjunct: list[Constraint], open_: tuple[str, ...], at: dict[str, int]) -> Iterator[dict[str, int]]:
    if not open_:
        if _meets(conjunct, at):
            yield at
        return
    for name in open_:
        limits = _limits(conjunct, name, at)
        if limits is not None:
            rest = tuple(other for other in open_ if other != name)
            for value in range(limits[0], limits[1] + 1):
                yield from _extended(conjunct, rest, {**at, name: value})
            return
    raise Untraceable("a sum has no bounds at given sizes")


def _limits(conjunct: list[Constraint], name: str, at: Mapping[str, int]) -> tuple[int, int] | None:
    """Return the bounds of a variable that constraints over known variables state, None where one is missing."""
    low: int | None = None
    high: int | None = None
    for constraint in conjunct:
        factor = constraint.affine.coefficient(name)
        if not factor or any(v != name and v not in at for v in constraint.affine.variables):
            continue
        rest = constraint.affine.evaluate({**at, name: 0})
        if factor > 0 or constraint.is_equality:
            bound = -(rest // factor)
            low = bound if low is None else max(low, bound)
        if factor < 0 or constraint.is_equality:
            bound = rest // -factor
            high = bound if high is None else min(high, bound)
    return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class Unlike:
    """Asks for sizes at which some expressions have other values than at given ones, and some are positive."""

    expressions: Sequence[Affine] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    positive: Sequence[Affine] = ()

    def holds(self, sizes: Mapping[str, int]) -> bool:
        """Tell whether it is so."""
        differs = all(e.evaluate(sizes) != e.evaluate(self.sizes) for e in self.expressions)
        return differs and all(e.evaluate(sizes) > 0 for e in self.positive)


_ANY = Unlike()


def compact_sizes(
    names: Sequence[str], context: Domain, extents: Sequence[Affine], least: int, unlike: Unlike = _ANY
) -> dict[str, int]:
    """Return sizes as `small_sizes` does, of which several may be equal where there are many.

    Raises:
        Untraceable: where there are none.

    """
    sizes = {name: least + position % _VARIETY for position, name in enumerate(names)}
    relevant = context.project_out(*(v for v in context.variables() if v not in names))
    if len(names) > _VARIETY and contains(relevant, sizes) and all(e.evaluate(sizes) > 0 for e in extents):
        return sizes
    return small_sizes(names, context, extents, least, unlike)


def small_sizes(
    names: Sequence[str], context: Domain, extents: Sequence[Affine], least: int, unlike: Unlike = _ANY
) -> dict[str, int]:
    """Return sizes from ``least`` on at which a context holds.

    They are distinct, every extent is at least three, and they are as ``unlike`` asks, if that can be.

    Raises:
        Untraceable: where there are none.

    """
    relevant = context.project_out(*(v for v in context.variables() if v not in names))
    ways = [(3, True, unlike)] if unlike.expressions or unlike.positive else []
    for extent, distinct, apart in (*ways, (3, True, _ANY), (3, False, _ANY), (1, False, _ANY)):
        for sizes in _assignments(names, least, distinct=distinct):
            if contains(relevant, sizes) and all(e.evaluate(sizes) >= extent for e in extents) and apart.holds(sizes):
                return sizes
    raise Untraceable("no small sizes meet the preconditions")


def _assignments(names: Sequence[str], least: int, *, distinct: bool) -> Iterator[dict[str, int]]:
    """Yield assignments, those with a small greatest size first, of so many that are tried."""
    count = len(names)
    tried = (
        (top, values)
        for top in range(least + count - 1 if distinct else least, _LARGEST if names else least + 1)
        for values in (
            permutations(range(least, top + 1), count) if distinct else product(range(least, top + 1), repeat=count)
        )
    )
    for top, values in islice(tried, _MOST_TRIED):
        if max(values, default=top) == top:
            yield dict(zip(names, values, strict=True))
