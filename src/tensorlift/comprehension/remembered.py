"""Questions about two objects that are answered once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_KNOWN = 1 << 12

Item = TypeVar("Item")
Result = TypeVar("Result")


def remembered(decide: Callable[[Item, Item], Result]) -> Callable[[Item, Item], Result]:
    """Return a function that remembers its last results, each for the same two objects.

    Objects that are only equal are told apart: sets that are equal may list their constraints in another order, and
    what is printed must not depend on what was asked before.
    """
    known: dict[tuple[int, int], tuple[Item, Item, Result]] = {}  # with the objects, so that their identities stay

    def decided(left: Item, right: Item) -> Result:
        key = (id(left), id(right))
        found = known.get(key)
        if found is None:
            if len(known) == _MOST_KNOWN:
                known.clear()
            found = known[key] = (left, right, decide(left, right))
        return found[2]

    return decided
