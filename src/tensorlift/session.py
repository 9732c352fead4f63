"""What is remembered while one function is lifted: names that were given, answers about sets and terms.

Nothing of it outlives the function, so that its bytes do not depend on what was lifted before, and a process that lifts
many takes no more memory.  isl simplifies the constraints of a set in place when it compares it with another: what is
printed of a set that was kept for longer would depend on the others.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_KNOWN = 1 << 12

Item = TypeVar("Item")
Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class Session:
    """Counters and tables, which start anew with each function, and with each attempt at one."""

    def __init__(self) -> None:
        self.numbers = itertools.count()  # of names
        self.reserved: set[str] = set()
        self.marks = itertools.count(1)  # of names that no term has
        self.spent: Counter[Any] = Counter()  # by questions about a function, for each purpose, and by all for None
        self.loops = 1  # of the function, which say how much it may take
        self._tables: list[Callable[[], None]] = []

    def table(self) -> dict[Any, Any]:
        """Return a dictionary that is emptied with each attempt."""
        known: dict[Any, Any] = {}
        self._tables.append(known.clear)
        return known

    def cached(self, decide: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        """Return a function that keeps its last results by the values of its arguments."""
        known = lru_cache(maxsize=_MOST_KNOWN)(decide)
        self._tables.append(known.cache_clear)
        return cast("Callable[Parameters, Result]", known)

    def cached_by_identity(self, decide: Callable[[Item, Item], Result]) -> Callable[[Item, Item], Result]:
        """Return a function of two objects that keeps its last results for those very objects, which need no hash."""
        known = self.table()  # with the objects, so that their identities stay

        def decided(left: Item, right: Item) -> Result:
            key = (id(left), id(right))
            found: tuple[Item, Item, Result] | None = known.get(key)
            if found is None:
                if len(known) == _MOST_KNOWN:
                    known.clear()
                found = known[key] = (left, right, decide(left, right))
            return found[2]

        return decided

    def forget(self, *, same_function: bool = False) -> None:
        """Forget all answers, and what they took unless the next ones are about the same function."""
        self.marks = itertools.count(1)
        for empty in self._tables:
            empty()
        if not same_function:
            self.spent.clear()

    def restart(self, *, same_function: bool = False) -> None:
        """Forget names and answers; all attempts at one function together have the time that one function may take."""
        self.numbers = itertools.count()
        self.reserved.clear()
        self.forget(same_function=same_function)


SESSION = Session()
