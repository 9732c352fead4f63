"""Where versions of arrays live: in the memory of a parameter, in scratch memory, or in a local of the function.

A version replaces the one before it in place where nobody reads that one any more, and where each cell is read before
it is overwritten, in some order of the pieces and of the loops.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import map_reads, substitute, visit_reads
from tensorlift.comprehension.terms import Read, Term, read
from tensorlift.contract.notation import parse_sum
from tensorlift.ops.dtypes import NARROW, cell_value, integer_range, is_float, shortest
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, equal, less
from tensorlift.targets.c.cells import affine_text, index_text
from tensorlift.targets.c.scalars import C_TYPES, PRODUCT, SUFFIXES, SUM, UNARY, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.ops.dtypes import DType

Cells = tuple[Domain, Term]  # what the cells of a domain become


@dataclass(frozen=True, slots=True)
class Slot:
    """Memory for one array.

    ``strides`` are polynomials over sizes, where the memory is not dense and row-major with the extents of its type;
    ``inner`` are the inner extents in the type of a dense one.  ``is_local`` marks a variable of the function itself;
    ``source`` is the name in the source of what is a parameter, and ``ctype`` the type of its elements there: what is
    written as ``long long`` must not be read as ``long``, which is as wide.
    """

    name: str
    dtype: DType
    shape: tuple[Affine, ...]
    inner: tuple[str, ...] = ()
    strides: tuple[str, ...] | None = None
    is_local: bool = False
    source: str = ""
    ctype: str = ""

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)

    def cell(self, indices: Sequence[Affine | Text]) -> Text:
        """Spell a cell; an index that is a text is one that depends on data."""
        if not self.shape:
            return Text(self.name) if self.is_local else Text(f"*{self.name}", UNARY)
        if self.strides is None:
            return Text(self.name + "".join(f"[{index_text(i).source}]" for i in indices))
        return Text(f"{self.name}[{self._offset(indices)}]")

    def address(self, indices: Sequence[Affine]) -> str:
        """Spell the address of a cell."""
        cell = self.cell(indices).source
        return cell[1:] if cell.startswith("*") else f"&{cell}"

    def _offset(self, indices: Sequence[Affine | Text]) -> str:
        parts = []
        for index, stride in zip(indices, self.strides or (), strict=True):
            text = index_text(index)
            if index == Affine(0):
                continue
            wide = text.within(PRODUCT) if text.source[0] != "-" else f"({text.source})"
            parts.append(text.within(SUM) if stride == "1" else f"{wide} * {_factor(stride)}")
        return " + ".join(parts) or "0"

    def stride(self, axis: int) -> str:
        """Spell the distance of neighbours along an axis, in elements."""
        if self.strides is not None:
            return self.strides[axis]
        return " * ".join(_parenthesised(e) for e in self.inner[axis:]) or "1"

    def declaration(self, *, writable: bool) -> str:
        """Spell the parameter, or the local variable."""
        ctype = self.ctype or C_TYPES[self.dtype]
        if self.is_local:
            return ctype + " " + self.name + "".join(f"[{affine_text(e).source}]" for e in self.shape)
        const = "" if writable else "const "
        if self.strides is not None or not self.shape:
            return f"{const}{ctype} *restrict {self.name}"
        outer = affine_text(self.shape[0]).source
        return f"{const}{ctype} {self.name}[restrict {outer}]" + "".join(f"[{e}]" for e in self.inner)


def _factor(stride: str) -> str:
    """Spell a polynomial as a factor behind a wide one."""
    terms = parse_sum(stride).terms
    return stride.replace("*", " * ") if len(terms) == 1 else f"({stride.replace('*', ' * ')})"


def _parenthesised(text: str) -> str:
    return text if text.isidentifier() or text.isdigit() else f"({text})"


@dataclass(frozen=True, slots=True)
class Piece:
    """Cells of an array to be computed; the variables, the array's axes, have their names in C already.

    ``context`` is what is known of sizes and of the variables of enclosing loops; ``own`` the present value of a cell.
    Where it ``is_alone``, nothing else is written into its memory at the time.
    """

    slot: Slot
    variables: tuple[str, ...]
    domain: Domain
    term: Term
    context: Domain
    own: Read
    falling: bool = False
    is_alone: bool = False

    @property
    def where(self) -> Domain:
        """The points, with what is known of them."""
        return self.domain & self.context

    def target(self, values: Mapping[str, Affine]) -> str:
        """Spell a cell, where variables have other values."""
        return self.slot.cell([index.substitute(values) for index in self.own.indices]).source

    def point_of(self, cell: Sequence[Affine]) -> tuple[Affine, ...]:
        """Return the point at which a cell would be computed, of which each index is a variable and a distance."""
        pairs = zip(self.variables, cell, self.own.indices, strict=True)
        return tuple(index - (own - Affine.var(name)) for name, index, own in pairs)

    def over(self, variables: Sequence[str], values: Mapping[str, Affine]) -> Piece:
        """Return the same cells over other variables; ``values`` are those that the present ones have."""
        return replace(
            self,
            variables=tuple(variables),
            domain=self.domain.substitute(values),
            term=substitute(self.term, values),
            own=read(self.own.array, tuple(i.substitute(values) for i in self.own.indices), self.own.dtype),
        )


@dataclass(frozen=True, slots=True)
class Order:
    """An order in which cells are computed: that of the pieces, and upwards or downwards in each."""

    pieces: tuple[Piece, ...]
    falling: bool


@dataclass(slots=True)
class Memory:
    """Which version is where: ``place`` is the memory of a version, ``holder`` the version in it now."""

    place: dict[str, Slot] = field(default_factory=dict)
    holder: dict[str, str] = field(default_factory=dict)

    def inside(self, slot: Slot) -> set[str]:
        """Return the versions that some memory is that of."""
        return {version for version, place in self.place.items() if place.name == slot.name}

    def shape(self, version: str) -> tuple[Affine, ...]:
        """Return the extents of a version."""
        return self.place[version].shape

    def put(self, version: str, slot: Slot) -> None:
        """Let a version be in some memory from now on."""
        self.place[version] = slot
        self.holder[slot.name] = version


def order_in_place(
    pieces: Sequence[Piece], versions: set[str], rising: Callable[[Piece], Term] | None = None
) -> Order | None:
    """Find an order in which pieces can overwrite versions in whose memory they are written; None without one.

    ``rising`` returns what is read at a cell where loops go upwards, if that is less than a term reads: then they are
    to go upwards, as all of it is much more to do at each cell.
    """
    rising_ones = pieces if rising is None else [replace(piece, term=rising(piece)) for piece in pieces]
    only_upwards = any(less.term is not all_.term for less, all_ in zip(rising_ones, pieces, strict=True))
    for backwards, falling in product((False, True), (False,) if only_upwards else (False, True)):
        read = pieces if falling else rising_ones
        groups = [[piece] for piece in (reversed(read) if backwards else read)]
        if keeps_what_is_read(groups, lambda _: versions, falling=falling):
            return Order(tuple(reversed(pieces)) if backwards else tuple(pieces), falling)
    return None


def keeps_what_is_read(
    groups: Iterable[Sequence[Piece]], versions: Callable[[Slot], set[str]], *, falling: bool
) -> bool:
    """Tell whether no cell is read after it was overwritten.

    Groups are computed one after the other, the pieces of one at each point together; ``versions`` are those that some
    memory is that of.
    """
    done: list[Piece] = []
    for group in groups:
        for piece in group:
            if any(_overwritten(piece, other, versions(other.slot), in_turn=None) for other in done):
                return False
            if any(_overwritten(piece, other, versions(other.slot), in_turn=falling) for other in group):
                return False
        done += group
    return True


def _overwritten(piece: Piece, other: Piece, versions: set[str], *, in_turn: bool | None) -> bool:
    """Tell whether a piece reads what another one wrote: before it, or in an iteration before, rising or falling."""
    own = tuple(map(Affine.var, piece.variables))
    for found, where in _reads_of(piece.term, piece.where, versions):
        cell = other.point_of(found.indices)
        written = where & other.domain.substitute(dict(zip(other.variables, cell, strict=True)))
        before = [written] if in_turn is None else [written & first for first in _earlier(cell, own, falling=in_turn)]
        if not all(domain.is_empty() for domain in before):
            return True
    return False


def reads_written(term: Term, points: Domain, piece: Piece, versions: set[str], *, but_own: bool = False) -> bool:
    """Tell whether a term reads, at some points, cells of versions that a piece writes; its own one may be left out."""
    for found, where in _reads_of(term, points, versions):
        if but_own and found.indices == piece.own.indices:
            continue
        if not (where & piece.where.substitute(dict(zip(piece.variables, found.indices, strict=True)))).is_empty():
            return True
    return False


def with_own_cells(term: Term, where: Domain, versions: set[str], indices: Sequence[str]) -> Term:
    """Write reads of versions that are of the own cell, wherever they are evaluated, with the own indices."""
    own = tuple(map(Affine.var, indices))

    def convert(found: Read, points: Domain) -> Term:
        is_own = found.array in versions and all(
            points.implies(equal(*ends)) for ends in zip(found.indices, own, strict=True)
        )
        return read(found.array, own, found.dtype) if is_own else found

    return term if term.reads.isdisjoint(versions) else map_reads(term, where, convert)


def _earlier(cell: Sequence[Affine], own: Sequence[Affine], *, falling: bool) -> Iterator[Domain]:
    """Yield the points at which a cell comes before the own one in the order of the loops."""
    for axis in range(len(own)):
        same = [equal(a, b) for a, b in zip(cell[:axis], own[:axis], strict=True)]
        first = less(own[axis], cell[axis]) if falling else less(cell[axis], own[axis])
        yield Domain.of(*same, first)


def _reads_of(term: Term, domain: Domain, versions: set[str]) -> list[tuple[Read, Domain]]:
    """Return what a term reads of some versions, with the points at which it does."""
    found: list[tuple[Read, Domain]] = []
    if not term.reads.isdisjoint(versions):
        visit_reads(term, domain, lambda one, where: found.append((one, where)) if one.array in versions else None)
    return found


def initialiser(table: ArrayInfo) -> str:
    """Spell the cells of a table, by its extents."""
    cells = [_cell(cell_value(text, table.dtype), table.dtype) for text in table.contents]
    for extent in reversed(table.shape):
        length = extent.constant
        cells = [f"{{{', '.join(cells[k : k + length])}}}" for k in range(0, len(cells), length)]
    return cells[0]


def _cell(value: float, dtype: DType) -> str:
    if is_float(dtype):
        dtype = "f32" if dtype in NARROW else dtype
        return shortest(value, dtype) + SUFFIXES.get(dtype, "")
    if dtype == "u64":
        return f"{value}UL"
    least, _ = integer_range("i64")
    return f"({value + 1} - 1)" if value == least else str(value)
