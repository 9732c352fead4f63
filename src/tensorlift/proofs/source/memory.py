"""Accesses to memory: which cell of which array of the definitions an operation reads or writes, by claimed views."""

from __future__ import annotations

from itertools import chain, product
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import MemRefType

from tensorlift.comprehension import terms
from tensorlift.comprehension.state import cell_domain, own_cell
from tensorlift.ir.scalar_terms import number as literal
from tensorlift.ir.tables import constants_of, contents_of, known_cell
from tensorlift.poly.affine import Affine, affine, solved
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.proofs.source.indirect import gathered, scattered, subscripts, subscripts_at
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Cases, Memory, Place, Undecided, Value, as_data, element_type
from tensorlift.proofs.source.places import Places, View, dense
from tensorlift.proofs.source.sense import are_apart, are_bits_of, named_number
from tensorlift.proofs.source.sharing import Partners, Tracked, require_unwritten
from tensorlift.proofs.source.versions import UNDEFINED, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xdsl.dialects.memref import GlobalOp
    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.proofs.source.claims import Claims
    from tensorlift.proofs.source.frames import Frame
    from tensorlift.proofs.source.indirect import Subscripts
    from tensorlift.proofs.source.rows import Rows


_MAKES_MEMORY = {"memref.alloca", "memref.alloc"}


def made_by(function: Operation, claims: Claims) -> dict[Operation, str]:
    """Return which array each memory is claimed to be that a function makes."""
    made = [op for op in function.walk() if op.name in _MAKES_MEMORY]
    return {op: claims.memories[number] for number, op in enumerate(made) if number in claims.memories}


class MemoryAccess:
    """The memory of one function; ``owners`` tells of a local array which memory it is: one alone.

    ``made`` says which array each memory is that the function makes, where that is claimed; else its name says so.
    """

    def __init__(
        self, places: Places, summary: Summary, arrays: Mapping[str, ArrayInfo], made: Mapping[Operation, str]
    ) -> None:
        self.summary, self.arrays, self.made = summary, arrays, made
        self.places, self.views, self.names = places, dict(places.views), places.names
        self.owners: dict[str, Operation] = {}
        self.tables: dict[str, GlobalOp] = {}  # tables of constants, by the names of their memories
        self.accessed: set[str] = set()  # arrays of which cells are accessed
        self.partners = Partners.of(summary)
        self.rows: Rows | None = None
        self.written: set[str] = set()
        self.overlapping: set[str] = set()  # arrays that are read whose cells may be the same, so none may be written
        self.numbers: set[str] = set()  # names of numbers that loops hand on, which are no arrays

    def has(self, array: str) -> bool:
        """Tell whether some memory is an array, as is so of all but numbers of the function's own."""
        info = self.arrays[array]
        return bool(info.shape) or info.is_parameter or array in self.owners

    def start(self, module: Operation | None) -> Tracked:
        """Return the state at the start; tables that are constant are the arrays of the definitions of these cells."""
        state = Tracked()
        for table in constants_of(module):
            name = table.sym_name.data.split(".")[-1]
            self.tables[f"@{table.sym_name.data}"] = table
            alike = [info for info in self.arrays.values() if info.contents and self._is(table, info)]
            if alike:
                info = next((info for info in alike if info.name == name), alike[0])
                self.views[f"@{table.sym_name.data}"] = View(info.name, dense(info))
            elif name in self.views:
                self._fill(table, self.views[name], state)
        return state

    def _fill(self, table: GlobalOp, view: View, state: Tracked) -> None:
        """Let a local array of the definitions hold the cells of a table from the start."""
        info = self.arrays[view.array]
        values: Any = table.initial_value
        extents = [extent.constant for extent in info.shape if extent.is_constant]
        if info.is_parameter:
            return
        if len(extents) != len(info.shape) or view.strides != dense(info) or view.array in self.owners:
            raise Undecided(f"it is not known what {view.array} is at file scope", table)
        of_type: Any = table.type
        if not are_bits_of(element_type(of_type), info.dtype):
            raise Undecided(f"{view.array} has cells of another type", table)
        self.views[f"@{table.sym_name.data}"] = view
        self.owners[view.array] = table
        cells = zip(product(*map(range, extents)), values.get_values(), strict=True)
        pieces = [(cell_domain(view.array, tuple(map(affine, at))), literal(v, info.dtype)) for at, v in cells]
        state.overwrite(view.array, pieces)

    def _constant(self, memory: Value, offset: Value) -> float | None:
        """Return a cell of a table whose place is a number, or any one where all are alike."""
        table = self.tables.get(memory.name) if isinstance(memory, Memory) else None
        if table is None:
            return None
        return known_cell(table, offset.value.constant_value if isinstance(offset, Exact) else None)

    @staticmethod
    def _is(table: GlobalOp, info: ArrayInfo) -> bool:
        """Tell whether a table holds the cells of an array, in its type."""
        of_type: Any = table.type
        is_wide = are_bits_of(element_type(of_type), info.dtype)
        return is_wide and contents_of(table, info.dtype) == info.contents

    def load(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Read a cell, or a variable at file scope."""
        memory, offset = frame.all(op.operands[:2])
        known = self._constant(memory, offset)
        if known is not None:
            frame.values[op.results[0]] = literal(known, element_type(op.results[0].type))
            return
        if isinstance(memory, Memory) and isinstance(offset, Exact):
            name = self.names.get(memory.name)
            if name is not None and name not in self.arrays and not offset.value.terms:
                frame.values[op.results[0]] = named_number(name, op.results[0].type, self.summary)
                return
        if isinstance(offset, Place) and isinstance(memory, Memory):
            array = self._view(op, memory, context).array
            require_unwritten(array, None, frame, context, self.partners)
            hit = self._hit(op, memory, offset, context)
            frame.values[op.results[0]] = gathered(self.arrays[array], hit, frame.state, context)
            return
        found = []
        for domain, array, indices in self._cells(op, frame, context):
            require_unwritten(array, indices, frame, context & domain, self.partners)
            found.append((domain, frame.state.read(array, indices, self.arrays[array].dtype, context & domain)))
        frame.values[op.results[0]] = terms.piecewise(found)

    def _hit(self, op: Operation, memory: Memory, place: Place, context: Domain) -> Subscripts:
        """Return the subscripts that lead to a place: those without data are shown to be inside of their axes."""
        view = self._view(op, memory, context)
        for found in subscripts_at(place, memory.start, view.strides):
            exact = [(i, n) for i, n in zip(found, self.arrays[view.array].shape, strict=True) if isinstance(i, Affine)]
            if context.implies(*(c for index, n in exact for c in (at_least(index, 0), less(index, n)))):
                return found
        raise Undecided("a place in memory depends on data", op)

    def store(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Write a cell."""
        memory, offset = frame.all(op.operands[1:3])
        if isinstance(offset, Place) and isinstance(memory, Memory):
            info = self.arrays[self._view(op, memory, context).array]
            term = as_data(frame.value(op.operands[0]), op.operands[0].type, info.dtype)
            scattered(info, self._hit(op, memory, offset, context), term, frame.state, context)
            if self.rows is not None:
                self.rows.stored(info.name, frame, context)
            return
        for domain, array, indices in list(self._cells(op, frame, context)):
            term = as_data(frame.value(op.operands[0]), op.operands[0].type, self.arrays[array].dtype)
            frame.state.store(array, indices, term, context & domain)
            if self.rows is not None:
                self.rows.stored(array, frame, context)

    def _cells(self, op: Operation, frame: Frame, context: Domain) -> Iterator[tuple[Domain, str, tuple[Affine, ...]]]:
        """Yield the cells of an array that an operation accesses, by the view of its memory, with where it does."""
        memory, offset = frame.all(op.operands[-2:])
        for domain, part in offset.pieces if isinstance(offset, Cases) else ((UNIVERSE, offset),):
            where = context & domain if isinstance(offset, Cases) else context
            if where is context or not where.is_empty():
                yield domain, *self._cell(op, memory, part, where)

    def _cell(self, op: Operation, memory: Value, offset: Value, context: Domain) -> tuple[str, tuple[Affine, ...]]:
        """Return the cell of an array that an offset in a memory leads to.

        Raises:
            Undecided: where the offset is not shown to be that of one cell inside of the array.

        """
        view = self._view(op, memory, context)
        if not isinstance(offset, Exact) or not isinstance(memory, Memory):
            raise Undecided("a place in memory depends on data", op)
        shape = self.arrays[view.array].shape
        place = offset.value - memory.start
        for found in (
            found
            for fixed in chain(({},), _fixed(view, context))
            for found in subscripts(place.substitute(fixed), tuple(s.substitute(fixed) for s in view.strides))
        ):
            extents = zip(found, shape, strict=True)
            if context.implies(*(c for index, n in extents for c in (at_least(index, 0), less(index, n)))):
                return view.array, found
        raise Undecided(f"an access to {view.array} is not shown to be inside of it", op)

    def _view(self, op: Operation, memory: Value, context: Domain) -> View:
        """Return the array that an operation accesses, whose cells are apart if any is written."""
        view = self.views.get(memory.name) if isinstance(memory, Memory) else None
        if view is None:
            raise Undecided("the memory is no array of the definitions", op)
        shape = self._array(view.array, op).shape
        if view.array in self.overlapping or not are_apart(view.strides, shape, context, self.summary.derived):
            self.overlapping.add(view.array)
            if op.name == "memref.store" or not self.arrays[view.array].is_parameter or view.array in self.written:
                raise Undecided(f"cells of {view.array} are not shown to be apart", op)
        if op.name == "memref.store":
            self.written.add(view.array)
        return view

    def _array(self, array: str, op: Operation) -> ArrayInfo:
        """Return the array that an operation accesses, whose cells are as wide as those of the memory."""
        info, memory = self.arrays[array], next(v.type for v in op.operands if isinstance(v.type, MemRefType))
        self.accessed.add(array)
        if array in self.numbers:
            raise Undecided(f"{array} is an array, and a number besides", op)
        if not are_bits_of(element_type(memory), info.dtype):
            raise Undecided(f"{array} has cells of another type", op)
        return info

    def require_number(self, name: str) -> None:
        """Show that a name is that of a number, and not of an array besides."""
        self.numbers.add(name)
        if name in self.accessed:
            raise Undecided(f"{name} is an array, and a number besides")

    def allocate(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Begin the life of a local array, whose cells hold nothing yet."""
        name, array = op.results[0].name_hint or "", self.made.get(op)
        if array is not None and array in self.arrays:
            name = f"{array} of its own"  # no name of a source has spaces
            self.views[name] = View(array, dense(self.arrays[array]))
        view = self.views.get(name)
        if view is not None:
            is_outside = self.arrays[view.array].is_parameter and view.array not in self.places.returned
            if is_outside or self.owners.setdefault(view.array, op) is not op:
                raise Undecided(f"two memories are called {name}", op)
            own = own_cell(view.array, len(self.arrays[view.array].shape), self.arrays[view.array].dtype)
            # What is returned is the caller's to read, so that cells in which nothing is stored count as well.
            if view.array in self.places.returned:
                self._require_count(op, view, frame, context)
            content = fresh(UNKNOWN) if view.array in self.places.returned else UNDEFINED
            frame.state.overwrite(view.array, [(UNIVERSE, terms.read(content, own.indices, own.dtype))])
        frame.values[op.results[0]] = Memory(name)

    def _require_count(self, op: Operation, view: View, frame: Frame, context: Domain) -> None:
        """Show that memory that is returned has as many cells as its array."""
        count, shape = frame.value(op.operands[0]), self.arrays[view.array].shape
        cells = view.strides[0] * Polynomial.of(shape[0]) if shape else ONE
        more = (count.value - cells).as_affine() if isinstance(count, Exact) else None
        if more is None or (more != 0 and not context.implies(at_least(more, 0), at_least(0, more))):
            raise Undecided(f"what is returned is not shown to have the cells of {view.array}", op)

    def poison(self, op: Operation, frame: Frame, _: Domain) -> None:
        """Give a value that is undefined."""
        frame.values[op.results[0]] = terms.read(UNDEFINED, (), element_type(op.results[0].type))

    def global_(self, op: Operation, frame: Frame, _: Domain) -> None:
        """Give the memory of a variable at file scope."""
        symbol: Any = op.properties["name"]
        frame.values[op.results[0]] = Memory(f"@{symbol.root_reference.data}")

    def same(self, op: Operation, frame: Frame, _: Domain) -> None:
        """Give the same memory as another type."""
        frame.values[op.results[0]] = frame.value(op.operands[0])

    def free(self, op: Operation, frame: Frame, _: Domain) -> None:
        """End the life of memory that is not the caller's: what is read afterwards is undefined."""
        memory = frame.value(op.operands[0])
        view = self.views.get(memory.name) if isinstance(memory, Memory) else None
        if not isinstance(memory, Memory) or (view is not None and self.arrays[view.array].is_parameter):
            raise Undecided("the caller's memory is freed", op)


def _fixed(view: View, context: Domain) -> Iterator[dict[str, Polynomial]]:
    """Yield what the context says that the sizes in the strides are, if anything: numbers, or other sizes."""
    names = {name for stride in view.strides for name in stride.variables()}
    known = solved(context.equalities()) if names else {}
    fixed = {name: Polynomial.of(one) for name, one in known.items() if name in names or one.mentions(names)}
    if fixed:
        yield fixed


ACCESSES: dict[str, Callable[[MemoryAccess, Operation, Frame, Domain], None]] = {
    "memref.load": MemoryAccess.load,
    "memref.store": MemoryAccess.store,
    "memref.alloca": MemoryAccess.allocate,
    "memref.alloc": MemoryAccess.allocate,
    "memref.dealloc": MemoryAccess.free,
    "memref.get_global": MemoryAccess.global_,
    "memref.cast": MemoryAccess.same,
    "ub.poison": MemoryAccess.poison,
}
