"""Where terms read arrays at places that depend on data, and under which conditions.

So is where definitions write: a cell of theirs that a place hits.

The bounds of a loop over places count as well: all cells of their arrays are places of an axis, or behind its last one.
What the loop reads at a place that is a cell of an array, as ``x[col[p]]``, is inside for all cells of that, those
between no bounds too.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from tensorlift.comprehension.counts import conjuncts
from tensorlift.comprehension.definition import DefinitionError
from tensorlift.comprehension.latest import latest_in
from tensorlift.comprehension.matching import alike
from tensorlift.comprehension.positions import DTYPE, position_of
from tensorlift.comprehension.positions import place_of as position_place
from tensorlift.comprehension.quotients import bounded, divides
from tensorlift.comprehension.ranges import ends_of, value_range
from tensorlift.comprehension.rewrite import bottom_up, lookup, map_reads, place_of, substitute, walk
from tensorlift.comprehension.tensor import affine_of
from tensorlift.comprehension.terms import (
    Apply,
    Constant,
    Index,
    Piecewise,
    Read,
    Reduce,
    Term,
    applies,
    cast,
    read,
    reduce,
    unconverted,
)
from tensorlift.diagnostics import refuse
from tensorlift.ops.conversions import is_exact
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Definition, Summary
    from tensorlift.poly.domain import Constraint

_MOST_STORED = 4  # arrays of places of places
Guards = tuple[tuple[Term, bool], ...]  # conditions, each with whether it holds


class Gathered(NamedTuple):
    """A cell that is read at places: for each axis its place, None where the cell's own index says it."""

    cell: Read
    places: tuple[Term | None, ...]


def gathered(term: Term) -> Gathered | None:
    """Read a term as a cell at places that depend on data, each along an axis of its own; None where it is none.

    No place depends on another, as that of an extreme in the row of an extreme does.
    """
    places: dict[str, Term] = {}
    while isinstance(term, Reduce) and (place := place_of(term)) is not None:
        if not place.free.isdisjoint(places):
            return None
        places[term.bound[0]] = place
        assert isinstance(term.body, Apply)
        term = term.body.args[1]
    if not places or not isinstance(term, Read):
        return None
    axes = [index.variable if index.variable in places else None for index in term.indices]
    named = [axis for axis in axes if axis is not None]
    others = {v for index, axis in zip(term.indices, axes, strict=True) if axis is None for v in index.variables}
    if sorted(named) != sorted(places) or not others.isdisjoint(places):
        return None
    return Gathered(term, tuple(None if axis is None else places[axis] for axis in axes))


def without_widening(place: Term) -> Term:
    """Look through conversions that leave every value as it is: places may be integers of any type."""
    while applies(place, "cast") and is_integer(place.args[0].dtype) and is_exact(place.args[0].dtype, place.dtype):
        place = place.args[0]
    return place


class PlaceRead(NamedTuple):
    """A cell is read at a place: where ``guards`` hold on a domain, over which ``hit`` walks the cells of the axis.

    Where it is written, ``hit`` is an index of the definition, and there is no value.
    Of a bound of a loop there is no ``value``, and ``extent`` is how far ``hit`` walks.  ``is_any`` says that the place
    is a cell of an array of which no cell may be outside.
    """

    place: Term
    domain: Domain
    variables: tuple[str, ...]
    hit: str
    value: Term | None
    guards: Guards = ()
    extent: Affine | None = None
    is_any: bool = False


def of_one_variable(terms: Sequence[Term], pair: tuple[str, str]) -> tuple[list[Term], Affine, str] | None:
    """Return terms by the sum, or the difference, of two variables where they depend on that alone, and its name."""
    first, second = pair
    name = fresh("s")
    for sign in (1, -1):
        found = [substitute(term, {first: Affine.var(name) - Affine.var(second, sign)}) for term in terms]
        if all(second not in term.free for term in found):
            return found, Affine.var(first) + Affine.var(second, sign), name
    return None


def by_sums(found: PlaceRead) -> Iterator[PlaceRead]:
    """Yield a read by the sum of two of its variables where place and conditions depend on that alone."""
    for pair in combinations([v for v in found.variables if v in found.place.free], 2):
        one = of_one_variable((found.place, *(condition for condition, _ in found.guards)), pair)
        if one is not None:
            (place, *conditions), total, name = one
            guards = tuple((c, holds) for c, (_, holds) in zip(conditions, found.guards, strict=True))
            there = (found.domain & Domain.of(equal(name, total))).project_out(*pair)
            variables = (*(v for v in found.variables if v not in pair), name)
            yield found._replace(place=place, domain=there, variables=variables, guards=guards)


def always_computed(term: Apply) -> tuple[Term, ...]:
    """Return the operands that C computes in any case; of a conjunction nobody knows which one came first."""
    if term.op in ("and", "or"):
        return term.args if all(applies(part, "hits") for part in conjuncts(term)) else ()
    return term.args[:1] if term.op == "select" else term.args


def stays_within(place: Term, low: Affine, high: Affine, domain: Domain) -> bool:
    """Tell whether a place is shown to be from ``low`` to ``high`` on every point of a domain.

    So are indices, the ones of them that data choose, extremes of them, positions of extremes, numbers of points at
    which something holds, what an index is added to, and rests of what is divided.
    """
    if domain.is_empty():
        return True
    known = affine_of(place)
    if known is not None:
        return domain.implies(at_least(known, low), at_least(high, known))
    counted = position_place(place) if place.dtype == DTYPE else None  # narrower types may not hold it
    if counted is not None and not domain.mentions(counted.position.bound):
        inside, bound = domain & counted.position.domain, counted.position.bound
        is_some = domain.is_subset(inside.project_out(bound))
        return is_some and stays_within(counted.at(affine(bound)), low, high, inside)
    if _is_choice(place):
        return all(_sides(place, low, high, domain, ()))
    if isinstance(place, Piecewise):
        return all(stays_within(term, low, high, domain & part) for part, term in place.pieces)
    inner, by = _moved(place)
    if inner is not place:
        return stays_within(inner, low - by, high - by, domain)
    if _counts_truths(place) and not any(map(domain.mentions, place.bound)):
        ends = ends_of(domain & place.domain, place.bound[0])
        most = None if ends is None else ends[1] - ends[0] + 1
        return most is not None and domain.implies(at_least(0, low), at_least(high, most), at_least(high, 0))
    if isinstance(place, Reduce) and place.op in {"max", "min"} and not any(map(domain.mentions, place.bound)):
        inside = domain & place.domain
        return domain.is_subset(inside.project_out(*place.bound)) and stays_within(place.body, low, high, inside)
    found = bounded(place, domain) if divides(place) else None
    return found is not None and found.lies_in(low, high, domain)


def _is_choice(place: Term) -> TypeGuard[Apply]:
    """Tell whether a place is one of two."""
    return isinstance(place, Apply) and (place.op == "select" or (place.op in {"max", "min"} and place.dtype == DTYPE))


def _sides(place: Term, low: Affine, high: Affine, domain: Domain, guards: Guards) -> tuple[bool, bool]:
    """Tell whether a place is at least ``low``, and whether it is at most ``high``, where conditions hold."""
    if not _is_choice(place):
        least = most = stays_within(place, low, high, domain)
        value = affine_of(place)
        lowest, highest = (value, value) if value is not None else value_range(place)
        if not least:
            least, most = domain.implies(at_least(lowest, low)), domain.implies(at_least(high, highest))
    elif place.op == "select":
        condition, *arms = place.args
        cases = zip(arms, (True, False), strict=True)
        found = [_sides(arm, low, high, domain, (*guards, (condition, holds))) for arm, holds in cases]
        if _asks_for_itself(condition, arms[0]) and (of_some := _sides_of_some(arms[0], low, high, domain)) is not None:
            found[0] = of_some
        least, most = (all(side) for side in zip(*found, strict=True))
    else:
        found = [_sides(arm, low, high, domain, guards) for arm in place.args]
        whole, either = (all, any) if place.op == "min" else (any, all)
        least, most = whole(side[0] for side in found), either(side[1] for side in found)
    from_guards = _guarded(place, low, high, domain, guards)
    return least or from_guards[0], most or from_guards[1]


def _sides_of_some(place: Term, low: Affine, high: Affine, domain: Domain) -> tuple[bool, bool] | None:
    """Tell so of an extreme over the points at which something holds, of which there are some; None for other terms."""
    if not isinstance(place, Reduce) or place.op not in {"min", "max"} or any(map(domain.mentions, place.bound)):
        return None
    assert isinstance(place.body, Apply)
    inside = domain & place.domain
    (least, most), beside = (_sides(value, low, high, inside, ()) for value in place.body.args[1:])
    return (least and beside[0], most) if place.op == "min" else (least, most and beside[1])


def _counts_truths(place: Term) -> TypeGuard[Reduce]:
    """Tell whether a place is the number of the points of a range at which something holds."""
    if not isinstance(place, Reduce) or place.op != "sum" or len(place.bound) != 1 or place.dtype != DTYPE:
        return False
    body = unconverted(place.body)
    chosen = body.args[1:] if applies(body, "select") else ()
    is_choice = bool(chosen) and all(isinstance(one, Constant) and one.value in {0, 1} for one in chosen)
    return body.dtype == "bool" or is_choice


_ADDED_IN = ("i32", "i64")  # in these types NumPy adds a number as the source does


def _is_hit(term: Term) -> bool:
    """Tell whether a condition says that places hit a cell, and perhaps more."""
    return any(applies(part, "hits") for part in conjuncts(term))


def _asks_for_itself(condition: Term, chosen: Term) -> bool:
    """Tell whether a sum is chosen where one of its points counts: at those points the condition holds."""
    if not isinstance(condition, Reduce) or not isinstance(chosen, Reduce) or condition.op != "any":
        return False
    test = chosen.body.args[0] if applies(chosen.body, "select") else None
    return test is not None and alike(condition, reduce("any", chosen.bound, chosen.domain, test))


At = tuple["Term", "Domain", tuple[str, ...]]  # a term with the points and the variables for which it is computed


def operands_in_any_case(at: At) -> list[At]:
    """Return what C computes of a term however its conditions turn out, the last operand first."""
    term, domain, variables = at
    if isinstance(term, Reduce):
        is_cut_short = term.op in ("any", "all") and not _is_hit(term.body)
        return [] if is_cut_short else [(term.body, domain & term.domain, variables + term.bound)]
    if isinstance(term, Piecewise):
        return [(piece, domain & part, variables) for part, piece in reversed(term.pieces)]
    if isinstance(term, Apply):
        return [*_stored_always(at), *((argument, domain, variables) for argument in reversed(always_computed(term)))]
    return []


def _stored_always(at: At) -> list[At]:
    """Return the value of a store that the latest point decides, where each point stores its own."""
    term, domain, variables = at
    latest = latest_in(term)
    if latest is None or not all(applies(test, "hits") for test in latest.tests):
        return []
    return [(latest.value, domain & latest.domain, variables + latest.bound)]


def is_inside(found: PlaceRead, extent: Affine) -> bool:
    """Tell whether the type of a place, or how it is chosen, keeps it inside of an axis."""
    least, most = value_range(found.place)
    if found.domain.implies(at_least(least, 0), less(most, extent)):
        return True
    return stays_within(found.place, Affine(0), extent - 1, found.domain)


def opened(found: PlaceRead, definitions: Mapping[str, Definition]) -> PlaceRead:
    """Look places up that are stored in arrays of integers, and what they are computed of."""

    def convert(cell: Read, domain: Domain) -> Term:
        known = definitions.get(cell.array)
        if known is None or not is_integer(cell.dtype):
            return cell
        return lookup(list(known.pieces), dict(zip(known.indices, cell.indices, strict=True)), domain, cell)

    place = found.place
    for _ in range(_MOST_STORED):
        before, place = place, map_reads(place, found.domain, convert)
        if place is before:
            break
    return found._replace(place=place)


def room_for(found: PlaceRead, extent: Affine, others: Iterable[Affine]) -> Constraint | None:
    """Return how long an axis must be, as long as another one, for a place to be inside; None where that is not known.

    Where the place is an extreme's, that is the axis of this.
    """
    ends = (
        ends_of(position.domain & found.domain, position.bound)
        for position in map(position_of, walk(found.place))
        if position is not None
    )
    for length in (*(end[1] + 1 for end in ends if end is not None), *others):
        room = at_least(extent, length)
        if is_inside(found._replace(domain=found.domain & Domain.of(room)), extent):
            return room
    return None


def is_guarded(found: PlaceRead, extent: Affine) -> bool:
    """Tell whether the conditions under which a place is read keep it inside of an axis."""
    return all(_guarded(found.place, Affine(0), extent - 1, found.domain, found.guards))


def _guarded(place: Term, low: Affine, high: Affine, domain: Domain, guards: Guards) -> tuple[bool, bool]:
    """Tell whether conditions say that a place is at least ``low``, and that it is at most ``high``."""
    least = most = False
    work, (value, moved) = list(guards), _moved(place)
    while work:
        condition, holds = work.pop()
        if applies(condition, "not"):
            work.append((condition.args[0], not holds))
        elif applies(condition, "and" if holds else "or"):
            work += [(part, holds) for part in condition.args]
        elif applies(condition, _REVERSED):
            sides = [_moved(side) for side in condition.args]
            is_first = sides[0][0] == value
            by, bound, op = sides[not is_first][1], affine_of(condition.args[is_first]), condition.op
            if bound is None or sides[not is_first][0] != value:
                continue
            op, limit = op if is_first else _REVERSED[op], bound + moved - by
            op = op if holds else _NEGATED[op]
            if op in {"gt", "ge"}:
                least |= domain.implies(at_least(limit + (op == "gt"), low))
            else:
                most |= domain.implies(at_least(high, limit - (op == "lt")))
    return least, most


def _moved(place: Term) -> tuple[Term, Affine]:
    """Return an integer without what is added to it, and that."""
    by = Affine(0)
    while applies(place, ("add", "sub")) and place.dtype == DTYPE and (added := affine_of(place.args[1])) is not None:
        by, place = by + added if place.op == "add" else by - added, place.args[0]
    return place, by


_REVERSED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def cell_at(found: PlaceRead, definition: Definition, summary: Summary) -> tuple[str, int]:
    """Return the array of the cell that is read, or that the definition writes, and the axis that the place is on.

    A bound has none.

    Raises:
        DefinitionError: where the place is no index by itself, such as a place in a reversed row.

    """
    if found.extent is not None:
        return "", 0
    if found.value is None:
        return definition.array, definition.indices.index(found.hit)
    for node in (node for node in walk(found.value) if isinstance(node, Read)):
        names = [index.variable for index in node.indices]
        if found.hit in names:
            return summary.array_of(node.array), names.index(found.hit)
    message = "a place that is read here is computed from data, and has no bounds of its own"
    raise DefinitionError(refuse("TL211", message, remedy="lift to numpy, jax or torch"), definition)


def limit_of(found: PlaceRead, cell: tuple[str, int], summary: Summary) -> Affine:
    """Return the first place that is outside."""
    return summary.arrays[cell[0]].shape[cell[1]] if found.extent is None else found.extent


def places_read(term: Term, domain: Domain, variables: tuple[str, ...]) -> Iterator[PlaceRead]:
    """Yield where a term reads at places that depend on data; shared ones once for the same conditions."""
    yield from _bounds_in((term, domain, variables))
    holding = _holding_places(term)
    seen: set[tuple[At, Guards]] = set()
    stack: list[tuple[At, Guards]] = [((term, domain, variables), ())]
    while stack:
        found = (node, inside, bound), guards = stack.pop()
        if node not in holding or found in seen:
            continue
        seen.add(found)
        place = place_of(node) if isinstance(node, Reduce) else None
        if isinstance(node, Reduce) and place is not None:
            assert isinstance(node.body, Apply)
            value, within = node.body.args[1], inside & node.domain
            others = tuple(case for case in guards if not (case[1] and applies(case[0], "within")))
            is_any = len(others) < len(guards) and isinstance(unconverted(place), Read)
            at = place, within, bound + node.bound, node.bound[0], value
            yield PlaceRead(*at, others if is_any else guards, is_any=is_any)
            stack += [((value, within, bound + node.bound), guards), ((place, inside, bound), guards)]
            continue
        latest = latest_in(node)
        if latest is not None:  # each point at which the tests hold has stored its value
            assert isinstance(node, Apply)
            condition, _, old = node.args
            known = tuple((test, True) for test in latest.tests if not applies(test, "hits"))
            there = latest.value, inside & latest.domain, bound + latest.bound
            stack += [(there, (*guards, *known)), ((old, inside, bound), (*guards, (condition, False)))]
            stack.append(((condition, inside, bound), guards))
            continue
        test = node.args[1] if applies(node, "hits") else None
        hit = test.affine.variable if isinstance(test, Index) else None
        if isinstance(node, Apply) and hit in bound:
            yield PlaceRead(node.args[0], inside, bound, hit, None, guards)
        stack += [((part, inside, bound), (*guards, *more)) for part, more in _under_conditions(node)]
        stack += [(operand, guards) for operand in operands_in_any_case((node, inside, bound))]


def _holding_places(term: Term) -> set[Term]:
    """Return the parts of a term in which there are places: others have as many ways to them as conditions say."""
    holding, done = set[Term](), set[Term]()
    for node in bottom_up(term, done):
        done.add(node)
        is_place = applies(node, "hits") or (isinstance(node, Reduce) and place_of(node) is not None)
        if is_place or not holding.isdisjoint(node.children):
            holding.add(node)
    return holding


def _bounds_in(at: At) -> Iterator[PlaceRead]:
    """Yield the bounds of loops over places, under whatever conditions the loops are."""
    if not any(applies(node, "within") for node in walk(at[0])):
        return
    seen: set[At] = set()
    stack = [at]
    while stack:
        at = node, inside, bound = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        if applies(node, "within"):
            yield from _bounds(node, inside, bound)
        if isinstance(node, Reduce):
            stack.append((node.body, inside & node.domain, bound + node.bound))
        elif isinstance(node, Piecewise):
            stack += [(piece, inside & part, bound) for part, piece in reversed(node.pieces)]
        else:
            stack += [(child, inside, bound) for child in reversed(node.children)]


def _bounds(term: Apply, domain: Domain, variables: tuple[str, ...]) -> Iterator[PlaceRead]:
    """Yield the bounds that are no numbers and are known to be inside of an axis, or behind its last place."""
    place = term.args[0].affine.variable if isinstance(term.args[0], Index) else None
    ends = ends_of(domain, place) if place is not None else None
    if place is None or ends is None:  # it is not known of which axis they are places
        yield PlaceRead(term, domain, variables, variables[-1] if variables else "", None, (), Affine(0), is_any=True)
        return
    extent, hit = ends[1] + 1, fresh("hit")
    there = Domain.of(at_least(hit, 0), at_least(extent, hit))
    for bound in term.args[1:]:
        cell = unconverted(bound)
        if isinstance(cell, Read):
            names = tuple(fresh("cell") for _ in cell.indices)
            any_cell = read(cell.array, tuple(map(Affine.var, names)), cell.dtype)
            yield PlaceRead(cast(any_cell, "i64"), there, (*names, hit), hit, None, (), extent + 1, is_any=True)
        elif bound.reads:
            around = domain.project_out(place) & there
            yield PlaceRead(bound, around, (*variables, hit), hit, None, (), extent + 1, is_any=True)


def cells_plus(place: Term, definitions: Mapping[str, Definition]) -> tuple[Read, int] | None:
    """Return the cells that are the places but for what is added to them; numbers with one definition are that."""
    added = 0
    while True:
        place = unconverted(place) if not is_float(unconverted(place).dtype) else place
        known = definitions.get(place.array) if isinstance(place, Read) and not place.indices else None
        if applies(place, ("add", "sub")) and place.dtype in _ADDED_IN and isinstance(place.args[1], Constant):
            added += int(place.args[1].value) * (1 if place.op == "add" else -1)
            place = place.args[0]
        elif known is not None and len(known.pieces) == 1:
            place = known.pieces[0][1]
        else:
            return (place, added) if isinstance(place, Read) else None


def _under_conditions(term: Term) -> Iterator[tuple[Term, Guards]]:
    """Yield what is computed of a term under conditions; what a store leaves where it hits is computed in any case."""
    if applies(term, "select"):
        condition, chosen, other = term.args
        tests = () if _asks_for_itself(condition, chosen) else conjuncts(condition)
        yield chosen, tuple((test, True) for test in tests if not applies(test, "hits"))
        yield other, ((condition, False),)
    elif applies(term, "and") and _is_hit(term):
        parts = list(conjuncts(term))
        conditions = tuple((part, True) for part in parts if not applies(part, "hits"))
        yield from ((part, conditions) for part in parts if conditions and applies(part, "hits"))


def any_gathered(definitions: Iterable[Definition]) -> bool:
    """Tell whether definitions read where data says."""
    return any(place_of(node) is not None for one in definitions for _, term in one.pieces for node in walk(term))
