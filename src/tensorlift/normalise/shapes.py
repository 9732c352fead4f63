"""The shape of every array: declared extents are taken as declared, missing ones are the greatest subscript plus one.

Where several accesses give extents that cannot be ordered for all sizes, one is chosen and the order becomes a
precondition.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from tensorlift.normalise.delinearise import Split, dimensions_of
from tensorlift.normalise.gathers import in_rows
from tensorlift.normalise.respread import respread
from tensorlift.normalise.values import Access, Array, depends_on_data
from tensorlift.poly.loops import Domain
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.normalise.preconditions import Preconditions
    from tensorlift.poly.ranges import Ranges


class Shapes:
    """Finds the shapes of the arrays of one function."""

    def __init__(
        self, ranges: Ranges, preconditions: Preconditions, new_size: Callable[[Array, int], Polynomial]
    ) -> None:
        self._ranges = ranges
        self._preconditions = preconditions
        self._new_size = new_size

    def settle(self, array: Array) -> list[Split]:
        """Set extents and strides of an array and give its accesses in dimensions."""
        for position, exact in enumerate(array.exact):
            if exact is not None and exact.is_affine:
                array.extents[position] = exact
        for access in array.accesses:
            if len(access.subscripts) != len(array.extents):
                raise refusal("delinearise", access.location, array.name)
        if array.gathers:
            is_plain = _is_flat(array) and not (array.keeps_rank or array.at_places or array.exact)
            found = in_rows(array, self._ranges) if is_plain else None
            if found is not None:
                return self._settled_in_rows(array, *found)
            self._gathered_extents(array)
        declared = list(array.extents)
        flat = _is_flat(array)
        if not array.accesses:
            array.extents = [ONE if extent is None else extent for extent in array.extents]
            self._check_exact(array)
            return []
        splits = self._splits(array, is_flat=flat and not array.keeps_rank)
        more = len(array.extents) - len(declared)
        kept = [*[None] * (more + 1), *declared[1:]] if more else declared
        if not array.is_object:  # else accesses must stay in extents that the array has
            chosen = [axis for axis, extent in enumerate(array.extents) if extent != kept[axis]]
            array.inferred = [axis for axis in chosen if kept[axis] is None or not array.keeps_rank]
        self._check_affine(array)
        self._check_inside(array, splits)
        self._check_exact(array)
        return splits

    def _splits(self, array: Array, *, is_flat: bool) -> list[Split]:
        """Give the accesses in dimensions, by the way that what is declared of the array asks for."""
        if is_flat:
            strides, splits = dimensions_of(array, self._ranges)
            self._inner_extents(array, strides, splits)
            return splits
        is_ragged = array.keeps_rank and array.is_object and array.extents[-1] is None
        if is_ragged and not all(map(_is_affine_last, array.accesses)):
            return self._within_rows(array)
        if self._is_flat_of_groups(array):
            return self._across_groups(array)
        splits = [self._in_dimensions(array, access) for access in array.accesses]
        self._declared_extents(array, splits)
        return splits

    def _settled_in_rows(self, array: Array, strides: list[Polynomial], splits: list[Split]) -> list[Split]:
        """Set the extents of an array of which data choose rows, and the subscripts of the accesses where they do."""
        plain, places = splits[: len(array.accesses)], splits[len(array.accesses) :]
        known = [replace(split, access=gather) for split, gather in zip(places, array.gathers, strict=True)]
        array.gathers = [replace(split.access, subscripts=split.subscripts) for split in known]
        self._inner_extents(array, strides, [*plain, *known])
        is_chosen = any(depends_on_data(split.subscripts[0]) for split in known)
        array.inferred = [*range(is_chosen, len(array.extents))]
        self._check_affine(array)
        self._check_inside(array, [*plain, *known])
        return plain

    def _gathered_extents(self, array: Array) -> None:
        """Make sizes of the extents that no declaration tells, of an array that is read where data say."""
        for axis, extent in enumerate(array.extents):
            if extent is None or not extent.is_affine:
                array.extents[axis] = self._new_size(array, axis)

    def _check_exact(self, array: Array) -> None:
        """Make sure that a flat array that must have a length has it: the product of its dimensions, without gaps."""
        exact = array.exact[0] if array.exact else None
        if exact is None or exact.is_affine:
            return
        length = ONE
        for extent in array.extents:
            length = length * (ONE if extent is None else extent)
        if array.strides is not None or length != exact:
            raise refusal("extent", array.location, array.name)

    def _within_rows(self, array: Array) -> list[Split]:
        """Find the dimensions inside of rows that lie anywhere, where they are subscripted as flat memory."""
        rows = Array(array.name, array.element, [None], array.location)
        rows.accesses = [Access(a.subscripts[-1:], a.domain, a.location, a.operation) for a in array.accesses]
        strides, inner = dimensions_of(rows, self._ranges)
        self._inner_extents(rows, strides, inner)
        outer = list(zip(array.accesses, inner, strict=True))
        wrong = [access.location for access, _ in outer if not all(s.is_affine for s in access.subscripts[:-1])]
        if wrong or rows.strides is not None:
            raise refusal("delinearise", [*wrong, array.location][0], array.name)
        splits = [Split(access, (*access.subscripts[:-1], *split.subscripts)) for access, split in outer]
        array.extents = [*array.extents[:-1], *rows.extents]
        self._declared_extents(array, splits)
        return splits

    @staticmethod
    def _is_flat_of_groups(array: Array) -> bool:
        """Whether an array of groups of constant extents is subscripted as flat memory of these: ``z[i*n + j][0]``."""
        first, *inner = array.extents
        is_plain = not (array.keeps_rank or array.row_table) and bool(inner)
        in_groups = is_plain and all(extent is not None and extent.is_constant for extent in inner)
        is_open = first is None or not first.is_affine
        return in_groups and is_open and not all(access.subscripts[0].is_affine for access in array.accesses)

    def _across_groups(self, array: Array) -> list[Split]:
        """Find the dimensions of flat memory whose elements are groups of constant extents."""
        groups = Array(array.name, array.element, [None], array.location)
        groups.accesses = [Access(a.subscripts[:1], a.domain, a.location, a.operation) for a in array.accesses]
        strides, outer = dimensions_of(groups, self._ranges)
        self._inner_extents(groups, strides, outer)
        inner = [extent for extent in array.extents[1:] if extent is not None]
        pairs = zip(array.accesses, outer, strict=True)
        splits = [Split(access, (*split.subscripts, *access.subscripts[1:])) for access, split in pairs]
        if groups.strides is not None:
            steps = [prod(inner[k:], start=ONE) for k in range(len(inner) + 1)]
            array.strides = [*(stride * steps[0] for stride in groups.strides), *steps[1:]]
        array.extents = [*groups.extents, *inner]
        self._declared_extents(array, splits)
        return splits

    def _in_dimensions(self, array: Array, access: Access) -> Split:
        """Give an access to a declared array in its dimensions; one that runs over rows is spread anew."""
        split = Split(access, access.subscripts)
        if array.row_table or array.keeps_rank:
            if not all(subscript.is_affine for subscript in access.subscripts):
                raise refusal("subscript-affine", access.location, _spell(access, array).strip("`"))
            return split
        inner = array.extents[1:]
        rooms = [
            self._room(split, position + 1, extent, array)
            for position, extent in enumerate(inner)
            if extent is not None
        ]
        if all(subscript.is_affine for subscript in access.subscripts) and not any(map(self._is_negative, rooms)):
            return split
        known = [ONE if extent is None else extent for extent in array.extents]
        return respread(array, access, known, self._ranges)

    def _is_negative(self, polynomial: Polynomial) -> bool:
        return self._ranges.is_nonnegative(ZERO - polynomial - ONE)

    def _inner_extents(self, array: Array, strides: list[Polynomial], splits: list[Split]) -> None:
        """Infer the extents of a flat array; a row may be shorter than its stride, along a diagonal it is one cell."""
        extents: list[Polynomial] = []
        span = ZERO
        for position in range(len(strides) - 1, 0, -1):
            width, gap = strides[position - 1].divide(strides[position])
            extent, there = width, _told(splits, position)
            is_diagonal = len(strides[position - 1].terms) > 1
            if is_diagonal and all(split.subscripts[position] == ZERO for split in there):
                extent = ONE  # what lies between its cells belongs to rows of another length
            elif gap != ZERO or not all(self._fits(split, position, width) for split in there):
                extent = self._extent(array, position, there)
                if gap == ZERO and self._is_negative(width - extent):
                    extent = width  # only sizes for which every row is long enough make sense
            extents.insert(0, extent)
            span = span + (extent - ONE) * strides[position]
            if extent != width or gap != ZERO:
                slack = strides[position - 1] - span - ONE
                if _limits_sizes(slack, strides[position - 1]):
                    raise refusal("delinearise", splits[0].access.location, array.name)
                self._preconditions.record("stride", slack, splits[0].access.location)
        there = _told(splits, 0)
        extents.insert(0, self._extent(array, 0, splits) if len(there) == len(splits) else self._new_size(array, 0))
        array.extents = list(extents)
        array.strides = None if _is_dense(strides, extents) else strides

    def _fits(self, split: Split, position: int, width: Polynomial) -> bool:
        return self._ranges.is_nonnegative(width - ONE - split.subscripts[position], split.access.domain)

    def _most(self, split: Split, position: int) -> Polynomial | None:
        return self._ranges.maximum(split.subscripts[position], split.access.domain)

    def _extent(self, array: Array, position: int, splits: Sequence[Split]) -> Polynomial:
        """Give one more than the greatest subscript of a dimension."""
        needed: dict[tuple[Polynomial, ...], None] = {}
        for split in sorted(splits, key=lambda split: not self._moves(split, position)):
            bounds = self._ranges.closest_bounds(split.subscripts[position], split.access.domain)
            enough = tuple(dict.fromkeys(self._ranges.rounded_up(b) + ONE for b in bounds if b.is_affine))
            if not enough:
                raise refusal("extent", split.access.location, array.name)
            needed.setdefault(enough)
        return self._least_enough(list(needed))

    def _moves(self, split: Split, position: int) -> bool:
        """Tell whether a subscript varies with loops: where none is greatest, these tell the extent."""
        return not split.access.domain.variables.isdisjoint(self._ranges.leaves(split.subscripts[position]))

    def _least_enough(self, needed: list[tuple[Polynomial, ...]]) -> Polynomial:
        """Choose the extent that is provably enough for the most accesses, each of which has several that are.

        Where none is enough for all, the sizes must be such that the chosen one is: large ones, if it grows with them.
        Of several that are as good, the plainest: the ``h`` of ``if (y + i < h)`` before the ``h + r - 1`` of loops.
        """
        candidates = list(dict.fromkeys(extent for enough in needed for extent in enough))
        best = self._most_enough(needed, candidates, self._ranges.is_nonnegative)
        if all(best in enough for enough in needed):
            return best
        return self._most_enough(needed, candidates, self._ranges.is_nonnegative_for_sizes)

    @staticmethod
    def _most_enough(
        needed: list[tuple[Polynomial, ...]], candidates: list[Polynomial], holds: Callable[[Polynomial], bool]
    ) -> Polynomial:
        def rank(candidate: Polynomial) -> tuple[int, bool, int, int, int]:
            below = {other for other in candidates if holds(candidate - other)}
            doubts = sum(below.isdisjoint(enough) for enough in needed)
            lesser = sum(other in below and not holds(other - candidate) for other in candidates)
            is_odd = doubts > 0 and candidate.is_constant
            return doubts, is_odd, lesser, len(candidate.terms), candidates.index(candidate)

        return min(_without_lesser(candidates, needed), key=rank)

    def _declared_extents(self, array: Array, splits: Sequence[Split]) -> None:
        """Check every access against the declared extents, and infer a missing first extent."""
        for position, extent in enumerate(array.extents):
            if extent is None:
                array.extents[position] = self._extent(array, position, splits)
                continue
            for split in splits:
                room = self._room(split, position, extent, array)
                if not self._is_negative(room) or self._never(split.access.domain) is not None:
                    continue
                if position or not array.is_parameter or array.is_object or array.keeps_rank or array.exact:
                    raise refusal("outside", split.access.location, _outside(split, array, extent))
                array.extents[position] = self._extent(array, position, splits)
                break

    def _room(self, split: Split, position: int, extent: Polynomial, array: Array) -> Polynomial:
        """Give how many elements of a dimension lie after the last access."""
        most = self._most(split, position)
        if most is None:
            raise refusal("extent", split.access.location, array.name)
        return extent - ONE - most

    def _check_inside(self, array: Array, splits: Sequence[Split]) -> None:
        """Make sure that every access stays inside the extents, or record the sizes for which it does."""
        checked: set[tuple[int, Polynomial, Domain]] = set()
        for split in sorted(splits, key=lambda split: len(split.access.domain.choices)):
            domain, location = self._existing(array, split.access.domain), split.access.location
            for position, subscript in enumerate(split.subscripts):
                extent = array.extents[position]
                assert extent is not None
                if depends_on_data(subscript) or (position, subscript, domain) in checked:
                    continue
                checked.add((position, subscript, domain))
                for room in (subscript, extent - ONE - subscript):
                    if self._ranges.is_certain(room, domain) or self._has_room(room, domain):
                        continue
                    least = self._ranges.minimum(room, domain)
                    if least is None:
                        raise refusal("extent", location, array.name)
                    may_grow = not extent.is_constant or (room is subscript and position in array.inferred)
                    if (may_grow and _is_falling(least)) or self._is_negative(least):
                        never = self._never(domain)
                        if never is not None:
                            self._preconditions.insist("extent", never, location)
                            continue
                        reason = "negative" if room is subscript else "outside"
                        detail = _spell(split.access, array) if room is subscript else _outside(split, array, extent)
                        raise refusal(reason, location, detail)
                    self._preconditions.insist("extent", least, location)

    def _has_room(self, room: Polynomial, domain: Domain) -> bool:
        """Whether one of several upper bounds of a loop leaves room, as is asked for already."""
        bounds = self._ranges.closest_bounds(ZERO - room, domain) if domain.guards or len(domain.choices) > 1 else []
        known = self._preconditions.known() if bounds else []
        return any(self._ranges.is_nonnegative(ZERO - bound - least) for bound in bounds for least in known)

    def _never(self, domain: Domain) -> Polynomial | None:
        """Give what must be at least 0 so that some condition on iterations never holds: the weakest that is known."""
        best: Polynomial | None = None
        for guard in domain.guards:
            others = replace(domain, guards=tuple([other for other in domain.guards if other is not guard]))
            most = None if domain.variables.isdisjoint(guard.variables()) else self._ranges.maximum(guard, others)
            never = None if most is None else ZERO - ONE - most
            if never is None or self._is_negative(never):
                continue
            if best is None or self._ranges.is_nonnegative(never - best):
                best = never
        return best

    def _existing(self, array: Array, domain: Domain) -> Domain:
        """Add what conditions say of an array that there is: one of its extents that is not zero is more."""
        some = Domain((), tuple([extent for extent in array.extents if extent is not None]))
        sides = [side for condition in domain.apart for side in (condition.polynomial, -condition.polynomial)]
        more = tuple([side - ONE for side in sides if self._ranges.is_certain(side, some)])
        return replace(domain, guards=domain.guards + more) if more else domain

    def _check_affine(self, array: Array) -> None:
        for extent in array.extents:
            assert extent is not None
            if not extent.is_affine:
                raise refusal("extent", array.location, array.name)


def _is_flat(array: Array) -> bool:
    """Whether accesses may tell the dimensions of an array."""
    return len(array.extents) == 1 and (array.extents[0] is None or not array.extents[0].is_affine)


def _told(splits: Sequence[Split], position: int) -> list[Split]:
    """Return the accesses of which no data tell a subscript."""
    return [split for split in splits if not depends_on_data(split.subscripts[position])]


def _limits_sizes(room: Polynomial, length: Polynomial) -> bool:
    """Whether there is room for small sizes alone, in a length that grows with sizes: no such shape is meant."""
    return not length.is_constant and _is_falling(room)


def _is_falling(room: Polynomial) -> bool:
    """Whether there is the less room the larger sizes are."""
    growing = [value for monomial, value in room.terms.items() if monomial]
    return bool(growing) and all(value < 0 for value in growing)


def _is_affine_last(access: Access) -> bool:
    return access.subscripts[-1].is_affine


def _is_dense(strides: Sequence[Polynomial], extents: Sequence[Polynomial]) -> bool:
    """Whether the strides are those of a row-major array without gaps."""
    expected = ONE
    for stride, extent in zip(reversed(strides), reversed(extents), strict=True):
        if stride != expected:
            return False
        expected = expected * extent
    return True


def _spell(access: Access, array: Array) -> str:
    """Spell an access for a message."""
    return f"`{array.name}" + "".join(f"[{subscript}]" for subscript in access.subscripts) + "`"


def _outside(split: Split, array: Array, extent: Polynomial) -> str:
    return f"{_spell(split.access, array)} lies beyond the extent {extent} of the array"


def _without_lesser(candidates: Sequence[Polynomial], needed: Sequence[tuple[Polynomial, ...]]) -> list[Polynomial]:
    """Leave out candidates that are less by a number than what some access needs: of a row of cells all but one."""
    most: dict[Polynomial, int] = {}
    for extent in (enough[0] for enough in needed if len(enough) == 1):
        constant = extent.terms.get((), 0)
        slope = extent - Polynomial.constant(constant)
        most[slope] = max(constant, most.get(slope, constant))

    def is_less(candidate: Polynomial) -> bool:
        constant = candidate.terms.get((), 0)
        return constant < most.get(candidate - Polynomial.constant(constant), constant)

    return [candidate for candidate in candidates if not is_less(candidate)]
