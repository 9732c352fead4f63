"""How a piece of control is left: in one of several ways, and what tells which one it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from xdsl.ir import Attribute, Block, BlockArgument, SSAValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xdsl.dialects.builtin import LocationAttr

Pair = tuple["SSAValue | None", "SSAValue | None"]
END = 1 << 62  # the target of a return, which is later than all blocks


class Flag(NamedTuple):
    """A truth value, or the contrary of one."""

    value: SSAValue
    holds: bool = True


@dataclass(frozen=True)
class Way:
    """One way in which a piece of control may be left: to a block, with what that is passed.

    ``flag`` tells whether it is this one, where it is none of those before it; the last way needs none.
    """

    target: int
    values: tuple[SSAValue, ...]
    flag: Flag | None = None


@dataclass(frozen=True)
class Left:
    """How a piece of control is left: in one of several ways, in the order of their targets.

    ``escaping`` are the values that are used after the loop around, None where they are not computed.
    """

    ways: tuple[Way, ...]
    location: LocationAttr
    escaping: tuple[SSAValue | None, ...] = ()

    def way(self, target: int) -> Way | None:
        """Return the way to a target."""
        return next((way for way in self.ways if way.target == target), None)

    def only(self, way: Way) -> Left:
        """Say that one way is taken."""
        return replace(self, ways=(replace(way, flag=None),))

    def without(self, way: Way) -> Left:
        """Say that one way is not taken."""
        return replace(self, ways=tuple(other for other in self.ways if other is not way))


def pairs_of(ways: Sequence[Way | None]) -> list[Pair]:
    """Return what is passed along a way from either arm."""
    one, other = (way.values if way is not None else None for way in ways)
    return [*zip(one or (None,) * len(other or ()), other or (None,) * len(one or ()), strict=True)]


def flag_in(left: Left, target: int, rank: Mapping[int, int]) -> Flag | bool | None:
    """Tell whether control is left to a target, given that it is to none before; None: then it is not so left."""
    way = left.way(target)
    if way is not None:
        return way.flag or True
    return False if left.ways and rank[left.ways[-1].target] > rank[target] else None


def location_in(value: SSAValue) -> LocationAttr:
    """Return the place of a value."""
    place: LocationAttr = value.location if isinstance(value, BlockArgument) else value.owner.location  # type: ignore[union-attr]  # of an operation
    return place


def type_of(pair: Pair) -> Attribute:
    """Return the type of either value of a pair."""
    return next(value.type for value in pair if value is not None)


def is_within(value: SSAValue, block: Block) -> bool:
    """Whether a value is computed in a block, or in a region of it."""
    at = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while at is not None and at is not block:
        at = at.parent_block()
    return at is block
