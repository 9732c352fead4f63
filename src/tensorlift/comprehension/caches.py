"""Results about sets that are kept while one function is lifted, and forgotten before the next.

isl simplifies the constraints of a set in place when it compares it with another.  What is printed of a set that was
kept for longer would depend on what was lifted before.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_KNOWN = 1 << 12

Item = TypeVar("Item")
Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")

_forgets: list[Callable[[], None]] = []


def cached(decide: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return a function that keeps its last results by the values of its arguments."""
    known = lru_cache(maxsize=_MOST_KNOWN)(decide)
    _forgets.append(known.cache_clear)
    return cast("Callable[Parameters, Result]", known)


def cached_by_identity(decide: Callable[[Item, Item], Result]) -> Callable[[Item, Item], Result]:
    """Return a function of two objects that keeps its last results for those very objects, which need no hash."""
    known: dict[tuple[int, int], tuple[Item, Item, Result]] = {}  # with the objects, so that their identities stay
    _forgets.append(known.clear)

    def decided(left: Item, right: Item) -> Result:
        key = (id(left), id(right))
        found = known.get(key)
        if found is None:
            if len(known) == _MOST_KNOWN:
                known.clear()
            found = known[key] = (left, right, decide(left, right))
        return found[2]

    return decided


def forget() -> None:
    """Forget all results."""
    for each in _forgets:
        each()
