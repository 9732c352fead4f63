"""Inlining: definitions that nobody would name are replaced by their terms, and those that nobody reads are dropped.

A definition stays where it is read more than once or by a reduction, or is an output; it goes where it is a constant,
where it only starts an update of the same array (``C_1 = beta * C`` before ``C_2 = C_1 + ...``), where it merely
copies, and where it is a new version of an array of which one cell is read, or one of several
accumulators that are added.  One pass in program order, each definition
looking at what it reads: the time is linear in the program.

Cells that differ stay where data, or a remainder, choose among them: in a term by cases a place is compared with all.

Kept loops read the cells of a copy, or of an array of constants, at their origins: scalars of a loop get a cell for
each of its iterations, and those that start with a number or a cell of another array leave such arrays before the
loops that stay.  What a loop carries is another array after it, and is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.comprehension.places import gathered
from tensorlift.comprehension.positions import position_of
from tensorlift.comprehension.rewrite import lookup, map_reads, place_of, reads_in, summands, walk
from tensorlift.comprehension.terms import Constant, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.comprehension.updates import NoUpdatesError, updating
from tensorlift.synthesis.simplify.arithmetic import size
from tensorlift.synthesis.simplify.pieces import tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tensorlift.comprehension.definition import Item
    from tensorlift.poly.domain import Domain


_MOST_PARTS = 64  # convex parts of a definition times those of where it is read: telling them apart takes their square
_MOST_TOGETHER = 32  # convex parts of a definition with those of one in pieces that is put in: each of a row of stores


def drop_dead(definitions: list[Definition], needed: set[str]) -> list[Definition]:
    """Return the definitions that the needed names depend on, in order."""
    live: list[Definition] = []
    wanted = set(needed)
    for definition in reversed(definitions):
        if definition.name in wanted:
            live.append(definition)
            wanted |= definition.reads
    return live[::-1]


class Inliner:
    """Inlines definitions of one straight-line segment; ``needed`` are the names that outlive it."""

    def __init__(self, definitions: list[Definition], needed: set[str]) -> None:
        self.needed = needed
        self.order = [d.name for d in definitions]
        self.current = {d.name: d for d in definitions}
        self.users: dict[str, set[str]] = {}
        for definition in definitions:
            self._record(definition)

    def run(self) -> list[Definition]:
        """Return the definitions that stay, in order."""
        for name in self.order:
            self._expand(name)
        return drop_dead([self.current[name] for name in self.order], self.needed)

    def _record(self, definition: Definition) -> None:
        for read in definition.reads:
            self.users.setdefault(read, set()).add(definition.name)

    def _expand(self, name: str) -> None:
        """Inline into one definition until nothing that it reads should go."""
        while True:
            definition = self.current[name]
            for read in sorted(definition.reads & self.current.keys()):
                inlined = self._inline(self.current[read], definition)
                if inlined is not None:
                    self._replace(definition, inlined)
                    break
            else:
                return

    def _replace(self, old: Definition, new: Definition) -> None:
        for read in old.reads - new.reads:
            self.users[read].discard(old.name)
            if not self.users[read] and read not in self.needed and read in self.current:
                self._forget(read)
        self.current[new.name] = new
        self._record(new)

    def _forget(self, name: str) -> None:
        for read in self.current[name].reads:
            self.users[read].discard(name)

    def _inline(self, source: Definition, user: Definition) -> Definition | None:
        """Return the user with the source's terms in place of its cells; None where the source had better stay."""
        if len(source.pieces) > 1 and _parts(source) + _parts(user) > _MOST_TOGETHER:
            return None
        if self._should_go(source, user):
            found = with_terms(user, source, lambda _: True)
            return None if found is not None and _hides_updates(source, found) else found
        if len(source.pieces) > 1 and any(_is_leaf(term) for _, term in source.pieces):
            return with_terms(user, source, _is_leaf)
        return None

    def _should_go(self, source: Definition, user: Definition) -> bool:
        if all(isinstance(term, Constant | Scalar) for _, term in source.pieces):
            return True
        if source.name in self.needed:
            return False
        if _starts_fold(source, user):
            return True
        if self.users[source.name] != {user.name}:
            return False
        reads = _reads(user, source.name)
        if self._starts_update(source, user, reads) or self._is_for_one_cell(source, user, reads):
            return True
        if _is_for_one_piece(source, user) or _is_part_of_sum(source, user):
            return True
        plain = len(source.pieces) == 1 and not _reduces(source) and not _read_at_places(user, source.name)
        return plain and len(reads) == 1 and size(source.pieces[0][1]) <= 1

    @staticmethod
    def _starts_update(source: Definition, user: Definition, reads: list[Read]) -> bool:
        own_cell = user.cell
        if source.array != user.array or any(read.indices != own_cell for read in reads):
            return False
        return (len(reads) == 1 or not _reduces(source)) and not _read_by_reduction(user, source.name)

    @staticmethod
    def _is_for_one_cell(source: Definition, user: Definition, reads: list[Read]) -> bool:
        """Tell whether of a version that differs in some cells the user needs one cell only."""
        readers = [term for _, term in user.pieces if source.name in term.reads]
        if len(source.pieces) == 1 or len(reads) != 1 or len(readers) != 1 or _read_by_reduction(user, source.name):
            return False
        return bool(source.indices) and reads[0].free.isdisjoint(user.indices)


def _is_part_of_sum(source: Definition, user: Definition) -> bool:
    """Tell whether a number adds up every so many-th cell, and the user adds it to others, as accumulators are."""
    ((_, term), *others), (_, whole) = source.pieces, user.pieces[0]
    if others or source.indices or len(user.pieces) > 1:
        return False
    added = {part for _, part in summands(whole)}
    return any(part.reads == {source.name} for part in added if isinstance(part, Read)) and any(
        isinstance(part, Reduce) and part.op == "sum" and _takes_steps(part) for _, part in summands(term)
    )


def _takes_steps(fold: Reduce) -> bool:
    """Tell whether all that a fold reads is at every so many-th cell."""
    cells = [node for node in walk(fold.body) if isinstance(node, Read)]
    moving = [max((abs(i.coefficient(v)) for i in cell.indices for v in fold.bound), default=0) for cell in cells]
    return min(moving, default=0) > 1


def with_terms(user: Definition, source: Definition, wanted: Callable[[Term], bool]) -> Definition | None:
    """Replace reads of ``source`` where the term found there is wanted; None where no read was replaced."""
    changed = False
    parts = _parts(source)
    taken = _taken(user) if len(source.pieces) > 1 else frozenset()

    def convert(read: Read, domain: Domain) -> Term:
        nonlocal changed
        if read.array != source.name or parts * domain.size > _MOST_PARTS:
            return read
        found = lookup(list(source.pieces), dict(zip(source.indices, read.indices, strict=True)), domain, read)
        if found is read or not wanted(found) or (read in taken and isinstance(found, Piecewise)):
            return read
        changed = True
        return found

    pieces = [(domain, map_reads(term, domain, convert)) for domain, term in user.pieces]
    return replace(user, pieces=tidy(pieces)) if changed else None


def _taken(definition: Definition) -> frozenset[Read]:
    """Return the cells that are read at computed places."""
    found = (gathered(node) for node in definition.nodes() if isinstance(node, Reduce))
    return frozenset(one.cell for one in found if one is not None)


def _hides_updates(source: Definition, user: Definition) -> bool:
    """Tell whether updates at places that data choose become a part of another computation: ``hist[k] /= total``."""
    return source.array == user.array and _is_updated(source) is True and _is_updated(user) is False


def _is_updated(definition: Definition) -> bool | None:
    """Tell whether places that data choose update a definition; None where there are none."""
    try:
        return None if updating(definition, definition.domain) is None else True
    except NoUpdatesError:
        return False


def _parts(definition: Definition) -> int:
    return sum(domain.size for domain, _ in definition.pieces)


def _reads(definition: Definition, name: str) -> list[Read]:
    """Return the distinct cells of one array that a definition reads."""
    found = (read for domain, term in definition.pieces for read, _ in reads_in(term, domain))
    return list(dict.fromkeys(read for read in found if read.array == name))


def _starts_fold(source: Definition, user: Definition) -> bool:
    """Tell whether a number is the one with which an extreme of the same name starts, or the position of one."""
    if source.indices or len(source.pieces) != 1 or _reduces(source):
        return False
    return source.array == user.array or any(map(position_of, user.nodes()))


def _is_for_one_piece(source: Definition, user: Definition) -> bool:
    """Tell whether a number depends on sizes, and each reader is for the same case."""
    if source.indices or len(source.pieces) == 1 or _read_by_reduction(user, source.name):
        return False
    readers = [domain for domain, term in user.pieces if source.name in term.reads]
    return sum(any(not case.is_disjoint(domain) for domain in readers) for case, _ in source.pieces) == 1


def _is_leaf(term: Term) -> bool:
    return isinstance(term, Constant | Scalar | Read)


def _reduces(definition: Definition) -> bool:
    return any(isinstance(node, Reduce) for node in definition.nodes())


def _read_by_reduction(definition: Definition, name: str) -> bool:
    return any(isinstance(node, Reduce) and name in node.reads for node in definition.nodes())


def _read_at_places(definition: Definition, name: str) -> bool:
    """Tell whether cells are read at places that depend on data: they are computed once, however often that is."""
    folds = (node for node in definition.nodes() if isinstance(node, Reduce) and name in node.reads)
    return any(place_of(node) is not None for node in folds)


def read_at_origins(items: tuple[Item, ...], known: Mapping[str, Definition] | None = None) -> tuple[Item, ...]:
    """Return items in which loops read origins; ``known`` has the copies that were made before the present loop."""
    outside = dict(known or {})
    here = dict(outside)
    result: list[Item] = []
    for item in items:
        if isinstance(item, KeptLoop):
            carried = set(_carried(item))
            inside = {n: d for n, d in here.items() if n not in carried and d.reads.isdisjoint(carried)}
            result.append(replace(item, body=read_at_origins(item.body, inside)))
            continue
        for name in sorted(item.reads & outside.keys()):
            item = with_terms(item, outside[name], lambda _: True) or item  # noqa: PLW2901 - one after another
        result.append(item)
        if len(item.pieces) == 1 and isinstance(item.pieces[0][1], Constant | Read):
            here[item.name] = item
    return tuple(result)


def _carried(loop: KeptLoop) -> Iterator[str]:
    """Yield the versions from which a loop, and those inside of it, start."""
    yield from (c.before for c in loop.carried)
    for item in loop.body:
        if isinstance(item, KeptLoop):
            yield from _carried(item)
