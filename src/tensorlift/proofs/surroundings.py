"""What the source executes around the present place of the program, and what that tells of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from tensorlift.comprehension.definition import Definition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tensorlift.comprehension.definition import Item, KeptLoop
    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.terms import Term

Fact = TypeVar("Fact")


class Surroundings:
    """The items executed around the present place: the whole function, and the bodies of the loops around it."""

    def __init__(self, items: tuple[Item, ...]) -> None:
        self._active: list[tuple[Item, ...]] = [items]
        self._changing: list[frozenset[str]] = [frozenset()]

    def enter(self, loop: KeptLoop) -> None:
        """Go on inside a loop: outside of it the names of what it carries mean the arrays after the loop."""
        self._active.append(loop.body)
        self._changing.append(frozenset(c.name for c in loop.carried))

    def leave(self) -> None:
        """Go on outside the innermost loop."""
        self._active.pop()
        self._changing.pop()

    def definitions(self) -> dict[str, Definition]:
        """Return the definitions that have a meaning at the present place, by name."""
        return {item.name: item for items in self._active for item in items if isinstance(item, Definition)}

    def __iter__(self) -> Iterator[tuple[tuple[Item, ...], frozenset[str]]]:
        """Yield the items of each body, outermost first, with the names that mean something else there."""
        for depth, items in enumerate(self._active):
            yield items, frozenset().union(*self._changing[depth + 1 :])


class Facts(Generic[Fact]):
    """What definitions tell at the present place; collected once for each body.

    ``collect`` takes the term of a piece, its domain and the indices of its definition; ``term`` gives what a fact is
    about, which must mean the same at the present place.
    """

    def __init__(
        self,
        surroundings: Surroundings,
        collect: Callable[[Term, Domain, tuple[str, ...]], Iterable[Fact]],
        term: Callable[[Fact], Term],
    ) -> None:
        self._surroundings = surroundings
        self._collect = collect
        self._term = term
        self._known: dict[int, list[Fact]] = {}

    def __iter__(self) -> Iterator[Fact]:
        """Yield the facts that hold at the present place."""
        for items, changing in self._surroundings:
            known = self._known.get(id(items))
            if known is None:
                known = self._known[id(items)] = list(self._of(items))
            yield from (fact for fact in known if self._term(fact).reads.isdisjoint(changing))

    def _of(self, items: tuple[Item, ...]) -> Iterator[Fact]:
        for item in items:
            if isinstance(item, Definition):
                for piece, term in item.pieces:
                    yield from self._collect(term, item.domain & piece, item.indices)
