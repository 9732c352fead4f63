"""Order: definitions of a block so that few versions of an array are alive at a time, for updates in place.

Cells that an update leaves alone are read from the new version, which lets the old one die.  A definition that replaces
a version that others still read goes after them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.definition import Definition, Item
from tensorlift.comprehension.rewrite import map_reads
from tensorlift.comprehension.terms import Read, Term, read

if TYPE_CHECKING:
    from tensorlift.comprehension.domain import Domain


def arranged(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items of a block with the same meaning, in an order with fewer versions alive at once."""
    listed = list(items)
    for position, item in enumerate(listed):
        if isinstance(item, Definition):
            listed[position + 1 :] = _reading_new(item, listed[position + 1 :])
    return tuple(_delayed(listed))


# -- reading the new version


def kept_version(definition: Definition) -> str | None:
    """Return the version of the array whose cells the definition keeps where it does not change them."""
    own = tuple(map(Affine.var, definition.indices))
    kept = [t.array for _, t in definition.pieces if isinstance(t, Read) and t.indices == own and len(own)]
    return kept[0] if kept and len(definition.pieces) > 1 else None


def _reading_new(update: Definition, later: list[Item]) -> list[Item]:
    old = kept_version(update)
    if old is None:
        return later
    own = tuple(map(Affine.var, update.indices))
    changed = [d for d, t in update.pieces if not (isinstance(t, Read) and t.array == old and t.indices == own)]

    def convert(found: Read, where: Domain) -> Term:
        if found.array != old:
            return found
        point = dict(zip(update.indices, found.indices, strict=True))
        if all((domain.substitute(point) & where).is_empty() for domain in changed):
            return read(update.name, found.indices, found.dtype)
        return found

    return [_converted(item, old, convert) for item in later]


def _converted(item: Item, old: str, convert: object) -> Item:
    if not isinstance(item, Definition) or not any(old in term.reads for _, term in item.pieces):
        return item
    assert callable(convert)
    pieces = tuple((domain, map_reads(term, domain & item.domain, convert)) for domain, term in item.pieces)
    if any(old in term.reads for _, term in pieces):
        return item  # the old version lives on: better read one than two
    return replace(item, pieces=pieces)


# -- later definitions


def _delayed(items: list[Item]) -> list[Item]:
    """Move each definition behind the last reader of the version that it replaces, where nothing between needs it."""
    for item in [i for i in reversed(items) if isinstance(i, Definition)]:
        position = items.index(item)
        target = position
        for place in range(position + 1, len(items)):
            other = items[place]
            if not isinstance(other, Definition) or _reads(other, item.name):
                break
            if any(_is_version(name, item, other) for name in _names(other)):
                target = place
        if target > position:
            items.insert(target, items.pop(position))
    return items


def _reads(item: Definition, name: str) -> bool:
    return any(name in term.reads for _, term in item.pieces)


def _names(item: Definition) -> set[str]:
    return set().union(*(term.reads for _, term in item.pieces))


def _is_version(name: str, item: Definition, other: Definition) -> bool:
    """Tell whether a name that another definition reads is an earlier version of the item's array."""
    return name not in (item.name, other.name) and name.rsplit("_", 1)[0] == item.array
