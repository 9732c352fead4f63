"""Whether the arrays and lists of a call share memory where one of them is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.calls.arrays import JAX, TORCH, library_of
from tensorlift.contract.decide import are_separate, is_injective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.calls.kinds import Argument, Array


def share_memory(one: Argument, other: Argument, *, unless_same: bool) -> bool:
    """Tell whether two arguments share memory; where that is hard to tell, they do.

    With ``unless_same`` two names of the very same elements do not count.
    """
    if JAX in (library_of(one.held), library_of(other.held)):
        return one.given is other.given and not unless_same  # others are of memory that does not change
    if isinstance(one.given, list) or isinstance(other.given, list):
        same = unless_same and one.given is other.given
        return not same and not set(_rows(one.given)).isdisjoint(_rows(other.given))
    return not are_separate(_place(one), _place(other), or_same=unless_same)


def overlaps_itself(argument: Argument) -> bool:
    """Tell whether two elements of an argument may lie at one place."""
    if library_of(argument.held) is JAX:
        return False
    if isinstance(argument.given, list):
        rows = list(_rows(argument.given))
        return len(rows) != len(set(rows))
    place = _place(argument)
    return not place.flags.forc and not is_injective(place)


def _place(argument: Argument) -> Array:
    """Give an array that lies where an argument lies."""
    place: Array = TORCH.memory(argument.held) if library_of(argument.held) is TORCH else argument.held
    return place


def _rows(value: Any) -> Iterator[int]:
    """Yield the identities of a list and of the lists in it."""
    if isinstance(value, list):
        yield id(value)
        if value and isinstance(value[0], list):
            for row in value:
                yield from _rows(row)
