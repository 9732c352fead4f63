"""Order: definitions of a block so that few versions of an array are alive at a time, for updates in place.

Cells that an update leaves alone are read from the new version, which lets the old one die.  A definition that replaces
a version that others still read goes after them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, Item
from tensorlift.comprehension.rewrite import map_reads
from tensorlift.comprehension.terms import Read, Term, read
from tensorlift.comprehension.updates import kept_version

if TYPE_CHECKING:
    from tensorlift.comprehension.rewrite import ReadMap
    from tensorlift.poly.domain import Domain


def arranged(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items of a block with the same meaning, in an order with fewer versions alive at once."""
    listed = list(items)
    for position, item in enumerate(listed):
        if isinstance(item, Definition):
            listed[position + 1 :] = _reading_new(item, listed[position + 1 :])
    return tuple(_delayed(listed))


# -- reading the new version


def _reading_new(update: Definition, later: list[Item]) -> list[Item]:
    old = kept_version(update)
    if old is None:
        return later
    changed = [d for d, t in update.pieces if not (old in t.reads and update.is_own_cell(t))]

    def convert(found: Read, where: Domain) -> Term:
        if found.array != old:
            return found
        point = dict(zip(update.indices, found.indices, strict=True))
        if all((domain.substitute(point) & where).is_empty() for domain in changed):
            return read(update.name, found.indices, found.dtype)
        return found

    return [_converted(item, old, convert) for item in later]


def _converted(item: Item, old: str, convert: ReadMap) -> Item:
    if not isinstance(item, Definition) or old not in item.reads:
        return item
    converted = item.mapped(lambda term, piece: map_reads(term, piece & item.domain, convert))
    return item if old in converted.reads else converted  # if the old version lives on, better read one than two


# -- later definitions


def _delayed(items: list[Item]) -> list[Item]:
    """Move each definition behind the last reader of the version that it replaces, where nothing between needs it."""
    for item in [i for i in reversed(items) if isinstance(i, Definition)]:
        position = items.index(item)
        target = position
        for place in range(position + 1, len(items)):
            other = items[place]
            if not isinstance(other, Definition) or item.name in other.reads:
                break
            if any(_is_version(name, item, other) for name in other.reads):
                target = place
        if target > position:
            items.insert(target, items.pop(position))
    return items


def _is_version(name: str, item: Definition, other: Definition) -> bool:
    """Tell whether a name that another definition reads is an earlier version of the item's array."""
    return name not in (item.name, other.name) and name.rsplit("_", 1)[0] == item.array
