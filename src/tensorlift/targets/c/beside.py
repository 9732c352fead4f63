"""Pieces that overwrite what others read: computed side by side, in one loop that reads before it stores.

Numbers are turned in place so, ``x, y = c*x - s*y, s*x + c*y``, and the two halves of a butterfly.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import map_reads, substitute
from tensorlift.poly.affine import Affine
from tensorlift.targets.c.courses import end_of
from tensorlift.targets.c.storage import keeps_what_is_read
from tensorlift.targets.c.sums import has_fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.poly.domain import Domain
    from tensorlift.targets.c.storage import Memory, Piece


class Beside(NamedTuple):
    """Groups of pieces, one after the other; those of a group have the same points, gone through up- or downwards."""

    groups: tuple[tuple[Piece, ...], ...]
    falling: bool


def side_by_side(pieces: Sequence[Piece], memory: Memory) -> Beside | None:
    """Find an order in which pieces can overwrite what they read, each group of them in one loop; None without one."""
    if not pieces or any(has_fold(piece.term) or not piece.variables for piece in pieces):
        return None
    groups = _groups(pieces)
    for ordered, falling in product((groups, groups[::-1]), (False, True)):
        if keeps_what_is_read(ordered, memory.inside, falling=falling):
            return Beside(tuple(map(tuple, ordered)), falling)
    return None


def read_as_made(definition: Definition, context: Domain, made: Mapping[str, Definition]) -> Definition:
    """Put what is made of cells in place of reads of others that are defined at the same time."""

    def convert(found: Read, where: Domain) -> Term:
        other = made.get(found.array)
        if other is not None:
            place = dict(zip(other.indices, found.indices, strict=True))
            for domain, term in other.pieces:
                if where.is_subset(domain.substitute(place)):
                    return substitute(term, place)
        return found

    box = definition.domain & context
    return replace(definition, pieces=tuple((d, map_reads(term, d & box, convert)) for d, term in definition.pieces))


def _groups(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """Put pieces together that are at the same points, but for how far from the others they are."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        for group in groups:
            moved = _moved(piece, group[0])
            if moved is not None:
                group.append(moved)
                break
        else:
            groups.append([piece])
    return groups


def _moved(piece: Piece, first: Piece) -> Piece | None:
    """Return a piece over the points of another one; None where they are not as many, or lie in another way."""
    if piece.variables != first.variables:
        return None
    values: dict[str, Affine] = {}
    for name in piece.variables:
        ends = [end_of(name, one.where, maximum=False) for one in (piece, first)]
        if ends[0] is None or ends[1] is None:
            return None
        offset = ends[0] - ends[1]
        if offset.mentions(piece.variables):
            return None
        values[name] = Affine.var(name) + offset
    moved = piece.over(piece.variables, values)
    return moved if moved.where.is_equal(first.where) else None
