"""Whether the arrays and lists of a call share memory where one of them is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.runtime.preconditions import are_separate, is_injective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.calls.kinds import Argument


def share_memory(one: Argument, other: Argument, *, unless_same: bool) -> bool:
    """Tell whether two arguments share memory; where that is hard to tell, they do.

    With ``unless_same`` two names of the very same elements do not count.
    """
    if isinstance(one.given, list) or isinstance(other.given, list):
        same = unless_same and one.given is other.given
        return not same and not set(_rows(one.given)).isdisjoint(_rows(other.given))
    return not are_separate(one.held, other.held, or_same=unless_same)


def overlaps_itself(argument: Argument) -> bool:
    """Tell whether two elements of an argument may lie at one place."""
    if isinstance(argument.given, list):
        rows = list(_rows(argument.given))
        return len(rows) != len(set(rows))
    return not argument.held.flags.forc and not is_injective(argument.held)


def _rows(value: Any) -> Iterator[int]:
    """Yield the identities of a list and of the lists in it."""
    if isinstance(value, list):
        yield id(value)
        if value and isinstance(value[0], list):
            for row in value:
                yield from _rows(row)
