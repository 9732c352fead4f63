"""Cells of a version that is older than the newest: read before that is made, so that memory can be updated in place.

    a_2(x) = { a(i) * b(i) if x = i - 1; a(x) }      and then      a_3(x) = { a(i - 1) + .. if x = i; a_2(x) }

needs ``a`` beside ``a_2``, and a copy of a whole array in each iteration.  With ``t = a(i - 1)`` first, which is less
than an array, ``a`` ends where ``a_2`` begins.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Definition, Item, KeptLoop, reads_of
from tensorlift.comprehension.updates import kept_version
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.terms import Read, Term

_MOST_OLDER = 4  # parts of one version


def older_first(
    loop: KeptLoop, shapes: Mapping[str, tuple[Affine, ...]], context: Domain
) -> tuple[tuple[Item, ...], list[Definition], set[str]]:
    """Return the items of a loop's body, which read parts of versions before these are updated, and the parts.

    The names are of what must be no view of a version that is updated then.
    """
    body, made, apart = list(loop.body), list[Definition](), set[str]()
    mine = {one.name for one in loop.carried} | {item.name for item in body if isinstance(item, Definition)}
    mine |= {one.name for item in body if isinstance(item, KeptLoop) for one in item.carried}
    mine -= {one.after for one in loop.carried}
    number = 0
    while number < len(body):
        for version in sorted(mine.intersection(_updated(body[number]))):
            parts = _Parts(version, shapes[version], context & loop.domain)
            rest = [parts.inside(body[number]), *map(parts.without, body[number + 1 :])]
            if parts.fails or version in reads_of([*_body(rest[0]), *rest[1:]]):
                continue
            views = (d for d in body[:number] if isinstance(d, Definition) and version in d.reads)
            apart |= {d.name for d in views if len(d.shape) < len(shapes[version]) and d.name in reads_of(rest)}
            body, made = [*body[:number], *parts.made, *rest], made + parts.made
            number += len(parts.made)
        number += 1
    return tuple(body), made, apart | {part.name for part in made}


def _updated(item: Item) -> set[str]:
    """Return the versions of which an item keeps all cells but for some."""
    if isinstance(item, KeptLoop):
        return {one.before for one in item.carried if one.after != one.name}
    kept = kept_version(item)
    return set() if kept is None else {kept}


def _body(item: Item) -> tuple[Item, ...]:
    return item.body if isinstance(item, KeptLoop) else ()


@dataclass
class _Parts:
    """The parts of a version that later items read, each a definition of fewer axes."""

    version: str
    shape: tuple[Affine, ...]
    known: Domain
    made: list[Definition] = field(default_factory=list)
    fails: bool = False
    _by_place: dict[tuple[Affine | None, ...], Definition] = field(default_factory=dict)

    def inside(self, item: Item) -> Item:
        """Return the item that updates the version, which reads the parts where it goes on doing so."""
        return self.without(item) if isinstance(item, KeptLoop) else item

    def without(self, item: Item, moving: Sequence[str] = ()) -> Item:
        """Return an item that reads the parts; ``moving`` are variables of loops around it."""
        if isinstance(item, KeptLoop):
            return replace(item, body=tuple(self.without(inner, (*moving, item.variable)) for inner in item.body))
        variables = {*moving, *item.indices}

        def convert(found: Read, _where: Domain) -> Term:
            return self._part(found, variables, item) if found.array == self.version else found

        return item.mapped(lambda term, domain: rewrite.map_reads(term, domain, convert))

    def _part(self, found: Read, variables: set[str], item: Definition) -> Term:
        outside = {*self.known.variables()}
        place = tuple(None if {*i.variables} & variables or not {*i.variables} <= outside else i for i in found.indices)
        fixed = [(i, extent) for i, extent in zip(place, self.shape, strict=True) if i is not None]
        inside = [one for i, extent in fixed for one in (at_least(i, 0), less(i, extent))]
        if not fixed or not self.known.implies(*inside) or len(self._by_place) == _MOST_OLDER:
            self.fails = True
            return found
        part = self._by_place.get(place)
        if part is None:
            names = tuple(None if i is not None else fresh("p") for i in place)
            indices = tuple(name for name in names if name is not None)
            shape = tuple(e for e, name in zip(self.shape, names, strict=True) if name is not None)
            cells = tuple(Affine.var(n) if n is not None else i for n, i in zip(names, place, strict=True))
            box = self.known & Domain.box(indices, shape)
            array = f"{item.array}_older"
            read = terms.read(self.version, tuple(c for c in cells if c is not None), found.dtype)
            part = Definition(fresh(array), array, found.dtype, indices, shape, box, ((box, read),), item.location)
            self._by_place[place] = part
            self.made.append(part)
        moved = tuple(i for i, at in zip(found.indices, place, strict=True) if at is None)
        return terms.read(part.name, moved, found.dtype)
