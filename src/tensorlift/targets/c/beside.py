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
from tensorlift.targets.c.storage import earlier, reads_of
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
        if _keeps_what_is_read(ordered, memory, falling=falling):
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


def _keeps_what_is_read(groups: Iterable[Sequence[Piece]], memory: Memory, *, falling: bool) -> bool:
    """Tell whether no cell is read after it was overwritten."""
    done: list[Piece] = []
    for group in groups:
        for piece in group:
            if any(_overwritten(piece, other, memory, in_turn=None) for other in done):
                return False
            if any(_overwritten(piece, other, memory, in_turn=falling) for other in group):
                return False
        done += group
    return True


def _overwritten(piece: Piece, other: Piece, memory: Memory, *, in_turn: bool | None) -> bool:
    """Tell whether a piece reads what another one wrote: before it, or in an iteration before, rising or falling."""
    own = tuple(map(Affine.var, piece.variables))
    for found, where in reads_of(piece.term, piece.where, memory.inside(other.slot)):
        point = _point_of(found.indices, other)
        written = where & other.domain.substitute(point)
        cell = [point[name] for name in piece.variables]
        before = [] if in_turn is None else [written & first for first in earlier(cell, own, falling=in_turn)]
        if not all(domain.is_empty() for domain in before or [written]):
            return True
    return False


def _point_of(cell: Sequence[Affine], piece: Piece) -> dict[str, Affine]:
    """Return the point at which a piece would compute a cell."""
    pairs = zip(piece.variables, cell, piece.own.indices, strict=True)
    return {name: index - (own - Affine.var(name)) for name, index, own in pairs}
