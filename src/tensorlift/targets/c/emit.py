"""Emitting C: definitions become loop nests and calls of BLAS over the memory of the source's arrays, in place.

The program is one function over sizes, scalars and arrays that share no memory, and over scratch memory where versions
of arrays need it; `signature` adds the function with the signature of the source.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, KeptLoop, definitions_of, loops_of
from tensorlift.comprehension.older import older_first
from tensorlift.comprehension.quotients import towards_zero
from tensorlift.comprehension.segments import asking_all, placed
from tensorlift.comprehension.terms import Read, Term, read
from tensorlift.comprehension.updates import NoUpdatesError, updating
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ops.dtypes import integer_range
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.variables import strided
from tensorlift.targets.c.beside import read_as_made, side_by_side
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.definitions import PieceWriter
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.points import widened
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.signature import by_names, entry_lines, quotients_of
from tensorlift.targets.c.storage import Memory, Piece, Slot, initialiser, order_in_place, with_own_cells
from tensorlift.targets.c.text import (
    HEADERS,
    OWN_HEADERS,
    PROGRAM,
    Block,
    Holds,
    Names,
    is_of_blas,
    mentions,
    print_lines,
    tidied,
)
from tensorlift.targets.c.updates import in_place, reordered
from tensorlift.targets.emitted import Emitted
from tensorlift.targets.target import UnspelledError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tensorlift.comprehension.definition import Carried, Item, Summary
    from tensorlift.comprehension.updates import Update
    from tensorlift.contract.language import Condition
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.c.signature import Signature
    from tensorlift.targets.c.storage import Cells
    from tensorlift.targets.c.text import Line

_MOST_JOINT = 4  # arrays that are defined in one loop
_MOST_LOCAL = 512  # elements of an array of constant extents that is a local of the function


def emit(  # noqa: PLR0913 - what a program computes, and what is known of its surroundings
    summary: Summary,
    strides: Mapping[str, tuple[str, ...]],
    *,
    signature: Signature | None = None,
    conditions: Sequence[Condition] = (),
    wrapping: Collection[int] = (),
    plain: bool = False,
) -> Emitted:
    """Return a program that computes what a summary says; ``strides`` are those of arrays that are not dense.

    With a ``signature``, the function that C calls stands behind it, which checks the ``conditions``.  A ``plain``
    program computes cell by cell: it is proved more often, and runs longer.  Integers of the widths in ``wrapping`` may
    wrap.

    Raises:
        UnspelledError: TL305, where C has no spelling of something that is defined.

    """
    asked = asking_all(towards_zero(summary, integer_range("i32")[1]), folds=False)
    return _Emission(asked, strides, signature, conditions, wrapping, plain=plain).emit()


class _Emission:
    def __init__(  # noqa: PLR0913 - as `emit`
        self,
        summary: Summary,
        strides: Mapping[str, tuple[str, ...]],
        signature: Signature | None,
        conditions: Sequence[Condition],
        wrapping: Collection[int],
        *,
        plain: bool,
    ) -> None:
        self.summary = summary
        self.signature = signature
        self.conditions = conditions
        arrays = [name for name, info in summary.arrays.items() if info.is_parameter]
        tables = [name for name in arrays if summary.arrays[name].contents]
        declared = [] if signature is None else list(signature.parameters)
        self.quotients = quotients_of(summary)
        self.sizes = (*summary.sizes, *self.quotients)
        self.names = Names(dict.fromkeys([summary.name, *self.sizes, *summary.scalars, *arrays, *declared]))
        self.entry = self.names.spelled[summary.name] + ("" if signature is None else PROGRAM)
        self.memory = Memory()
        blas = not is_of_blas(summary.name)
        self.writer = PieceWriter(
            self.memory, self.names, self.sizes, self._new_slot, wrapping=wrapping, plain=plain, blas=blas
        )
        self.scratch: list[Slot] = []
        self.locals: list[Slot] = []
        self.parameters = [self._parameter(name, strides.get(name)) for name in arrays if name not in tables]
        self.tables = {name: self._table(name) for name in tables}
        self.written: set[str] = set()
        self.is_in_loop = False
        self.shapes = {name: info.shape for name, info in summary.arrays.items()}
        self.shapes |= {d.name: d.shape for d in summary.definitions()}
        self.shapes |= {c.name: self.shapes[c.array] for loop in loops_of(summary.items) for c in loop.carried}
        self.parts: set[str] = set()  # of versions, which the summary does not define

    def emit(self) -> Emitted:
        summary = self.summary
        results = {version for _, version in summary.outputs}
        results |= {summary.result} if summary.result is not None else set()
        lines = self._block(summary.items, summary.context, results)
        lines += self._handed_over()
        head = [*self._includes(), "", *self._signature(), "{"]
        lines = tidied(lines, {slot.name: C_TYPES[slot.dtype] for slot in self.locals if not slot.shape})
        declared: list[Line] = [
            f"static const {slot.declaration(writable=False)} = {initialiser(summary.arrays[name])};"
            for name, slot in self.tables.items()
            if mentions(lines, slot.name)
        ]
        declared += [f"{slot.declaration(writable=True)};" for slot in self.locals if slot.shape]
        named = ((name, text) for name, text in self.quotients.items() if mentions(lines, name))
        declared += [f"const ptrdiff_t {name} = {text[1:-1]};" for name, text in named]
        body, cuts = print_lines([*declared, *lines], len(head) + 1)
        text = "\n".join([*head, *body, "}", *self._caller()]) + "\n"
        return Emitted(text, self.entry, tuple(cuts))

    def _caller(self) -> list[str]:
        """Write the function with the signature of the source."""
        if self.signature is None:
            return []
        taken = [*self.summary.sizes, *self.summary.scalars, *(slot.source for slot in self.parameters)]
        written = [slot.name for slot in self.parameters if slot.name in self.written]
        return ["", *entry_lines(self.signature, taken, self.parameters, written, self.scratch, self.conditions)]

    # -- the signature

    def _parameter(self, name: str, strides: tuple[str, ...] | None) -> Slot:
        info = self.summary.arrays[name]
        inner = tuple(self._sized(extent) for extent in info.shape[1:])
        shape = tuple(info.shape)
        if strides is not None:
            strides = tuple(by_names(stride, self.summary).replace(" ", "") for stride in strides)
            if len(strides) == 2 and strides[1] == "1":  # noqa: PLR2004 - rows with gaps between
                inner, strides = (strides[0].replace("*", " * "),), None
            elif strides == ("1",):
                strides = None
        ctype = "" if self.signature is None else self.signature.element(name)
        slot = Slot(self.names.spelled[name], info.dtype, shape, inner, strides, source=name, ctype=ctype)
        self.memory.put(name, slot)
        return slot

    def _table(self, name: str) -> Slot:
        """Return a table of constants, as a local that is written where it is declared."""
        info = self.summary.arrays[name]
        slot = Slot(self.names.spelled[name], info.dtype, tuple(info.shape), is_local=True)
        self.memory.put(name, slot)
        return slot

    def _sized(self, extent: Affine) -> str:
        return affine_text(extent.substitute({n: Affine.var(s) for n, s in self.names.spelled.items()})).source

    def _signature(self) -> list[str]:
        summary = self.summary
        dtype = self._definition(summary.result).dtype if summary.result is not None else None
        listed = [f"ptrdiff_t {self.names.spelled[name]}" for name in summary.sizes]
        listed += [f"{C_TYPES[dtype_]} {self.names.spelled[name]}" for name, dtype_ in summary.scalars.items()]
        listed += [slot.declaration(writable=slot.name in self.written) for slot in self.parameters]
        listed += [slot.declaration(writable=True) for slot in self.scratch]
        listed = [self._of_parameters(text) for text in listed]
        linkage = "" if self.signature is None else "static "
        start = f"{linkage}{'void' if dtype is None else C_TYPES[dtype]} {self.entry}("
        lines, width = [start], 118
        for position, parameter in enumerate(listed or ["void"]):
            piece = parameter + (", " if position < len(listed) - 1 else ")")
            if len(lines[-1]) + len(piece.rstrip()) > width:
                lines.append(" " * min(len(start), 40))
            lines[-1] += piece
        return [line.rstrip() for line in lines]

    def _of_parameters(self, declaration: str) -> str:
        """Spell an extent that is a quotient by what the function takes."""
        for name, text in self.quotients.items():
            declaration = re.sub(rf"\b{name}\b", text, declaration)
        return declaration

    def _definition(self, name: str | None) -> Definition:
        return next(d for d in definitions_of(self.summary.items) if d.name == name)

    def _includes(self) -> list[str]:
        blas = ["#include <cblas.h>"] if self.writer.matcher.used else []
        headers = OWN_HEADERS if self.signature is None else HEADERS
        return [*blas, *(f"#include <{header}>" for header in headers)]

    # -- statements

    def _block(self, items: Sequence[Item], context: Domain, needed: set[str]) -> list[Line]:
        lines: list[Line] = []
        items = reordered(items, lambda name: name if name in self.parts else self.summary.array_of(name))
        while items:
            item, later = items[0], needed | _read_by(items[1:])
            count, made = self._joint(items, context, needed, later)
            if made is not None:
                lines += made
            elif isinstance(item, Definition):
                lines += self._spelled(item, context, later)
            else:
                lines += self._loop(item, context, later)
            items = items[count:]
        return lines

    def _joint(
        self, items: Sequence[Item], context: Domain, needed: set[str], later: set[str]
    ) -> tuple[int, list[Line] | None]:
        """Define the first few arrays in one loop, where the others read what the first one overwrites; how many."""
        slot = self._memory_of(items[0], needed) if isinstance(items[0], Definition) else None
        if slot is not None and self.memory.holder.get(slot.name) in later:
            for count in range(2, min(len(items), _MOST_JOINT) + 1):
                together = [item for item in items[:count] if isinstance(item, Definition)]
                still = needed | _read_by(items[count:])
                made = self._beside(together, context, still) if len(together) == count else None
                if made is not None:
                    return count, made
        return 1, None

    def _spelled(self, definition: Definition, context: Domain, later: set[str]) -> list[Line]:
        try:
            return self._define(definition, context, later)
        except LiftError as error:
            raise UnspelledError(error, (definition.name,)) from None

    def _loop(self, loop: KeptLoop, context: Domain, later: set[str]) -> list[Line]:
        inside = later | _read_by(loop.body)
        lines: list[Line] = []
        for carried in loop.carried:
            lines += self._carry(carried, inside, context)
        homes = {c.name: self.memory.place[c.name] for c in loop.carried}
        lines += [Holds(homes[c.name].name, c.name) for c in loop.carried]
        with self.names.scope():
            variable = self.names.fresh(loop.variable) if loop.variable.isidentifier() else self.names.fresh("i")
            if variable != loop.variable:
                loop = loop.over(variable)
            within = Domain.of(at_least(variable, loop.lower), less(variable, loop.upper))
            within = context & within & strided(variable, loop.lower, loop.step)
            constant = {name for name in inside if name in self.memory.place} - homes.keys()
            was_in_loop, self.is_in_loop, counted = self.is_in_loop, True, list(self.writer.counted)
            ordered = replace(loop, body=tuple(reordered(loop.body, self.summary.array_of)))
            items, parts, _ = older_first(ordered, self.shapes, within)
            self.parts |= {part.name for part in parts}
            body = self._block(items, within, {c.after for c in loop.carried} | constant)
            self.is_in_loop, self.writer.counted = was_in_loop, counted
            body += self._back_home(loop, homes, within)
            if loop.goes_on is not None:
                lines.append(Block(f"while ({homes[loop.goes_on].cell(()).source})", body))
            else:
                lines.append(Block(self._counting(loop), body))
        for carried in loop.carried:
            self.memory.put(carried.name, homes[carried.name])
        return lines

    @staticmethod
    def _counting(loop: KeptLoop) -> str:
        """Spell the head of a loop that counts."""
        variable, lower, upper = loop.variable, affine_text(loop.lower).source, affine_text(loop.upper).source
        rise = f"{variable}++" if loop.step == 1 else f"{variable} += {loop.step}"
        return f"for (ptrdiff_t {variable} = {lower}; {variable} < {upper}; {rise})"

    def _carry(self, carried: Carried, later: set[str], context: Domain) -> list[Line]:
        """Let a carried array start where its version before the loop is, which goes elsewhere if it is needed."""
        lines: list[Line] = []
        if carried.before not in self.memory.place:
            info = self.summary.arrays[carried.array]
            self.memory.put(carried.before, self._new_slot(carried.array, info.dtype, info.shape))
        slot = self.memory.place[carried.before]
        if carried.before in later:
            lines = self._evacuate(slot, context)
        self.written.add(slot.name)
        self.memory.put(carried.name, slot)
        return lines

    def _back_home(self, loop: KeptLoop, homes: Mapping[str, Slot], context: Domain) -> list[Line]:
        """Bring what an iteration hands on to where the next one looks for it."""
        lines: list[Line] = []
        moving = [c for c in loop.carried if self.memory.place[c.after].name != homes[c.name].name]
        for carried in moving:
            home = homes[carried.name]
            occupant = self.memory.holder[home.name]
            if any(other.after == occupant and other is not carried for other in moving):
                lines += self._evacuate(home, context)
            lines += self._copied(home, carried.after, context)
            self.memory.holder[home.name] = carried.after
        return lines

    def _handed_over(self) -> list[Line]:
        """Bring outputs to where the caller looks for them, and return the result."""
        lines: list[Line] = []
        for name, version in self.summary.outputs:
            home = next(slot for slot in self.parameters if slot.name == self.names.spelled[name])
            if self.memory.place[version].name != home.name:
                lines += self._copied(home, version, self.summary.context)
        if self.summary.result is not None:
            lines.append(f"return {self.memory.place[self.summary.result].cell(()).source};")
        return lines

    # -- definitions

    def _define(self, definition: Definition, context: Domain, later: set[str]) -> list[Line]:
        lines: list[Line] = []
        slot = self._home(definition, later)
        with self.names.scope():
            definition = definition.over([self.names.fresh("i") for _ in definition.indices])
            indices, box = definition.indices, definition.domain & context
            pieces, updates = self._cells_of(definition, slot, context)
            occupant, inside = self.memory.holder.get(slot.name), self.memory.inside(slot)
            pieces = pieces if self.writer.plain else widened(pieces, indices, inside, context, self.memory.shape)
            listed = [self._piece(definition, slot, context, *cells) for cells in pieces]
            is_alone = len(listed) == 1 and not updates
            found = [self.writer.hoisted(replace(piece, is_alone=is_alone)) for piece in listed]
            lines += [line for before, _ in found for line in before]
            left = [piece for _, piece in found]
            order = order_in_place(left, inside, self.writer.read_by_cells)
            fails = order is None and not updates and not self.writer.plain
            beside = side_by_side(left, self.memory) if fails else None
            stays = occupant not in later and bool(order or beside) and in_place(updates, inside, indices)
            if occupant is not None and (left or updates) and not stays:
                if updates and slot.shape and self.is_in_loop:
                    message = f"{definition.array}: in each iteration it would be copied before a store where data say"
                    raise refuse("TL305", message, definition.location, "lift to numpy")
                lines += self._evacuate(slot, context)
                order, beside = order_in_place(left, set()), None
            self.written |= {slot.name} if left or updates else set()
            if beside is not None:
                lines += self.writer.beside(beside)
            elif order is not None:
                written: list[list[Line]] = []
                for piece in order.pieces:
                    with self.names.scope():
                        made = self.writer.piece(replace(piece, falling=order.falling))
                    self.names.keep(line for line in made if isinstance(line, str))
                    written.append(made)
                is_whole = not indices and (context & box).is_subset(Domain.union([one.domain for one in order.pieces]))
                lines += _alternatives(written) if is_whole else [line for made in written for line in made]
            lines += self.writer.updates(updates, definition, slot, context) if updates else []
        return [*lines, *self._defined(definition, slot, lines)]

    def _beside(self, definitions: Sequence[Definition], context: Domain, later: set[str]) -> list[Line] | None:
        """Define arrays that overwrite what the others read in one loop; None where that is not possible."""
        slots = [self._memory_of(definition, later) for definition in definitions]
        homes = [slot for slot in slots if slot is not None and self.memory.holder.get(slot.name) not in later]
        if len({home.name for home in homes}) < len(definitions) or self.writer.plain:
            return None
        with self.names.scope():
            indices = [self.names.fresh("i") for _ in definitions[0].indices]
            pieces, made = list[Piece](), dict[str, Definition]()
            for definition, home in zip(definitions, homes, strict=True):
                if len(definition.indices) != len(indices):
                    return None
                moved = made[definition.name] = read_as_made(definition.over(indices), context, made)
                cells, updates = self._cells_of(moved, home, context)
                if updates or any(not term.reads.isdisjoint(made) for _, term in cells):
                    return None
                pieces += [self._piece(moved, home, context, *one) for one in cells]
            found = side_by_side(pieces, self.memory)
            if found is None:
                return None
            self.written |= {piece.slot.name for piece in pieces}
            lines = self.writer.beside(found)
        return [*lines, *(d for pair in zip(definitions, homes, strict=True) for d in self._defined(*pair, lines))]

    def _cells_of(self, definition: Definition, slot: Slot, context: Domain) -> tuple[list[Cells], list[Update]]:
        """Return what some memory is to hold, where that is not there yet, and updates where data say after it."""
        box = definition.domain & context
        before, updates = _updates_of(definition, box)
        pieces = [(domain & box, term) for domain, term in before]
        occupant, inside = self.memory.holder.get(slot.name), self.memory.inside(slot)
        pieces = [(d, t) for d, t in pieces if not _is_own(t, occupant, definition.indices) and not d.is_empty()]
        return [(d, with_own_cells(t, d & context, inside, definition.indices)) for d, t in pieces], updates

    def _piece(self, definition: Definition, slot: Slot, context: Domain, domain: Domain, term: Term) -> Piece:
        place = tuple(map(Affine.var, definition.indices))
        own = read(self.memory.holder.get(slot.name) or definition.array, place, definition.dtype)
        return Piece(slot, tuple(definition.indices), domain, term, context, own)

    def _defined(self, definition: Definition, slot: Slot, lines: Sequence[Line]) -> list[Line]:
        """Let a definition be in some memory from some lines on."""
        self.names.keep(line for line in lines if isinstance(line, str))
        self.memory.put(definition.name, slot)
        return [] if definition.name in self.parts else [Holds(slot.name, definition.name)]

    def _home(self, definition: Definition, later: set[str]) -> Slot:
        """Choose memory for a definition: that of its array, or new one for a local whose old version is needed."""
        found = self._memory_of(definition, later)
        return found or self._new_slot(definition.array, definition.dtype, definition.shape)

    def _memory_of(self, definition: Definition, later: set[str]) -> Slot | None:
        """Return the memory of the array of a definition; None of a local whose old version is needed."""
        for slot in (s for s in self.memory.place.values() if s.rank == len(definition.shape)):
            if slot.name == self.names.spelled.get(definition.array) and slot.shape == definition.shape:
                occupant = self.memory.holder.get(slot.name)
                if slot in self.parameters or occupant not in later:
                    return slot
        return None

    def _new_slot(self, array: str, dtype: DType, shape: Sequence[Affine]) -> Slot:
        name = self.names.add(array) if array not in self.names.spelled else self.names.add(f"{array}_before")
        self.names.spelled[array] = self.names.spelled.get(array, name)
        number = 1
        for extent in shape:
            number *= extent.constant if extent.is_constant else _MOST_LOCAL + 1
        if any(v not in self.sizes for extent in shape for v in extent.variables):
            raise refuse("TL305", f"the extents of {array} are no sizes", remedy="lift to numpy")
        inner = tuple(self._sized(extent) for extent in shape[1:])
        slot = Slot(name, dtype, tuple(shape), inner, is_local=number <= _MOST_LOCAL)
        (self.locals if slot.is_local else self.scratch).append(slot)
        return slot

    def _evacuate(self, slot: Slot, context: Domain) -> list[Line]:
        """Move the version in some memory elsewhere, for those who still read it."""
        occupant = self.memory.holder[slot.name]
        other = self._new_slot(f"{slot.name}_before", slot.dtype, slot.shape)
        lines = self._copied(other, occupant, context)
        self.memory.place[occupant] = other
        return lines

    def _copied(self, target: Slot, version: str, context: Domain) -> list[Line]:
        """Copy a version into other memory."""
        self.written.add(target.name)
        source = self.memory.place[version]
        with self.names.scope():
            indices = [self.names.fresh("i") for _ in target.shape]
            cell = tuple(map(Affine.var, indices))
            box = Domain.box(indices, target.shape)
            return nest(box, indices, context, lambda _: [f"{target.cell(cell).source} = {source.cell(cell).source};"])


def _updates_of(definition: Definition, box: Domain) -> tuple[Sequence[tuple[Domain, Term]], list[Update]]:
    """Return the pieces before updates at places that depend on data, and these."""
    try:
        return updating(placed(definition, box), box) or (definition.pieces, [])
    except NoUpdatesError as other:
        raise refuse("TL305", f"{definition.array}: {other}", definition.location, "try another target") from None


def _alternatives(pieces: Sequence[list[Line]]) -> list[Line]:
    """Write one choice where of several pieces, each under a condition, one applies."""
    lines = [line for made in pieces for line in made]
    if len(pieces) == 1 or len(lines) > len(pieces) or not all(_is_conditional(line) for line in lines):
        return lines
    blocks = [line for line in lines if isinstance(line, Block)]
    first, *others = blocks
    chain = [Block(f"else {block.header}", block.body) for block in others]
    chain[-1] = Block("else", others[-1].body)
    return [first, *chain]


def _is_conditional(line: Line) -> bool:
    return isinstance(line, Block) and line.header.startswith("if (")


def _is_own(term: Term, version: str | None, indices: Sequence[str]) -> bool:
    """Tell whether a term is the own cell of a version."""
    return isinstance(term, Read) and term.array == version and term.indices == tuple(map(Affine.var, indices))


def _read_by(items: Iterable[Item]) -> set[str]:
    """Return the versions that items read or start from."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, Definition):
            found.update(*(term.reads for _, term in item.pieces))
        else:
            found |= {c.before for c in item.carried} | _read_by(item.body)
    return found
