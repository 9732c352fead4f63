"""Variables of the source, as cells of memory: what SSA form did to them, undone.

A value that is no exact integer and has the name of a variable is stored in the cell of that variable, which stands
where the name is first met; what loops hand on without a name gets a cell of its own.  While a cell holds a value, that
is read from it; afterwards the value itself is used.  So names decide how the program looks, never what it computes.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from xdsl.ir import Block, Operation, SSAValue

from tensorlift.normalise.exact import number_type
from tensorlift.normalise.steering import is_memory
from tensorlift.normalise.values import Array, Data, Unknown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.diagnostics import Location
    from tensorlift.normalise.execution import Execution
    from tensorlift.ops.c_types import FloatType, IntegerType

    Held = dict[Array, SSAValue]


class Cells:
    """The cells of one function that is executed."""

    def __init__(self, ex: Execution, function: FuncOp) -> None:
        """Begin without any."""
        self._ex = ex
        self._named: dict[str, list[SSAValue]] = {}
        for value in _values_in(function):
            self._named.setdefault(value.name_hint or "", []).append(value)
        self._made: list[tuple[object, Array]] = []  # with the block in which each stands
        self._cell: dict[SSAValue, Array] = {}
        self._holds: Held = {}
        self._stored: set[Array] = set()
        self._written: dict[Operation, set[str]] = {}

    # -- cells

    def assign(self, values: Mapping[SSAValue, Collection[SSAValue]], *, anonymous: bool = False) -> list[SSAValue]:
        """Give values that stand side by side their cells; those that have none are left out.

        With each value come those that its variable goes on from.
        """
        found: list[SSAValue] = []
        taken: set[Array] = set()
        for value, given in values.items():
            if value.name_hint or anonymous:
                self._cell[value] = cell = self._alive(value, given, taken)
                taken.add(cell)
                found.append(value)
        return found

    def _alive(self, value: SSAValue, given: Collection[SSAValue], taken: Collection[Array]) -> Array:
        """Give the cell of a variable, or make it here: one whose value is used later is that of another variable."""
        known = [cell for cell in self._known(value) if cell not in taken]
        same = [cell for cell in known if self._holds.get(cell) in given]
        for cell in same or [cell for cell in known if not self._is_used_later(self._holds.get(cell))]:
            return cell
        cell = self.make(value.name_hint or "carried", self._alike(value), str(value.type))
        self._made.append((self._ex.sink.block, cell))
        return cell

    def _known(self, value: SSAValue) -> list[Array]:
        """List the cells of the variable of a value that stand here, the last first."""
        self._made = [(block, cell) for block, cell in self._made if self._ex.sink.is_open(block)]
        wanted = value.name_hint, str(value.type)
        return [cell for _, cell in reversed(self._made) if value.name_hint and (cell.name, cell.c_type) == wanted]

    def cell_of(self, value: SSAValue) -> Array | None:
        """Give the cell of a value, if it has one."""
        return self._cell.get(value)

    def make(self, name: str, values: list[SSAValue], kind: str = "") -> Array:
        """Make a cell for one of some values."""
        cell = Array(name, number_type(values[0].type, values), [], self._ex.place, kind)
        self._ex.sink.allocate(cell)
        return cell

    def _is_used_later(self, value: SSAValue | None) -> bool:
        return value is not None and any(use.operation not in self._ex.executed for use in value.uses)

    def _alike(self, value: SSAValue) -> list[SSAValue]:
        """List the values of a variable: its cell has no sign where one of them is used so."""
        return [one for one in self._named[value.name_hint] if one.type == value.type] if value.name_hint else [value]

    def define(self, value: SSAValue) -> None:
        """Store a value that has the name of a variable."""
        known = self._known(value)
        is_for_later = all(use.operation.name == "scf.yield" for use in value.uses)
        if is_memory(value) or (is_for_later and any(self._is_used_later(self._holds.get(cell)) for cell in known)):
            return  # it is stored where it is handed on, after what the cell holds was used
        self._cell[value] = self._alive(value, (), ())
        self.store(value, value)

    def store(self, value: SSAValue, given: SSAValue) -> None:
        """Store what a variable goes on with, unless its cell holds that."""
        cell = self._cell[value]
        if self._holds.get(cell) is given:
            return
        if self._has_value(given):
            owner = given.owner
            self.put(cell, self._ex.number(given), None if isinstance(owner, Block) else self._ex.at(owner))
        self._holds[cell] = given

    def hand_on(self, pairs: Sequence[tuple[SSAValue, SSAValue]]) -> None:
        """Store what an iteration hands on to the next, all at once; what is not initialised leaves a cell as it is."""
        moved = [pair for pair in pairs if self._holds.get(self._cell[pair[0]]) is not pair[1]]
        given = [(self._cell[value], self._ex.number(end)) for value, end in moved if self._has_value(end)]
        for cell, data in given:
            self.put(cell, data)

    def _has_value(self, value: SSAValue) -> bool:
        found = self._ex.values[value]
        return not (isinstance(found, Unknown) and found.reason == "uninitialised")

    def put(self, cell: Array, data: Data, place: Location | None = None) -> None:
        """Store data in a cell; ``place`` is where they were computed, if not here."""
        ex = self._ex
        self._stored.add(cell)
        ex.sink.store(cell, (), data, ex.domain, place or ex.place)

    def alias(self, value: SSAValue, other: SSAValue) -> None:
        """Note that two values are one."""
        cell = self._cell.get(other)
        if cell is not None and self._holds.get(cell) is other:
            self._cell[value] = cell
            self._holds[cell] = value

    def load(self, value: SSAValue, of: SSAValue | None = None) -> Data:
        """Read a value where it is defined, of the variable of another one where a loop leaves that."""
        cell = self._cell[value if of is None else of]
        self._cell[value] = cell
        self._holds[cell] = value
        return self.read(cell)

    def read(self, cell: Array) -> Data:
        """Read a cell."""
        ex = self._ex
        return ex.sink.load(cell, (), ex.domain, ex.place)

    def current(self, value: SSAValue) -> Data | None:
        """Read a value from its cell, where that still holds it."""
        cell = self._cell.get(value)
        if cell is None or self._holds.get(cell) is not value:
            return None
        stands = any(known is cell and self._ex.sink.is_open(block) for block, known in self._made)
        return self.read(cell) if stands else None

    # -- what the cells hold

    def enter(self, op: Operation) -> None:
        """Forget what the cells hold that a loop may change."""
        if self._holds and op not in self._written:
            self._written[op] = {value.name_hint for value in _values_in(op) if value.name_hint}
        for cell in [cell for cell in self._holds if cell.name in self._written[op]]:
            del self._holds[cell]

    def leave(self, before: Held) -> None:
        """Go back to what the cells held before a loop, but for those that it changed."""
        self._holds = {cell: value for cell, value in before.items() if cell not in self._stored}

    def mark(self) -> set[Array]:
        """Note from here on what is stored; give what was noted."""
        noted, self._stored = self._stored, set()
        return noted

    def unmark(self, noted: set[Array]) -> None:
        """Note what was noted before as well."""
        self._stored |= noted

    @contextmanager
    def without(self, values: Collection[SSAValue]) -> Iterator[None]:
        """Read none of some values from cells, while they stand for others."""
        held = {cell: value for cell, value in self._holds.items() if value in values}
        self._holds = {cell: value for cell, value in self._holds.items() if cell not in held}
        yield
        self._holds = held | self._holds

    def held(self) -> Held:
        """Give what the cells hold."""
        return dict(self._holds)

    def restore(self, held: Held) -> None:
        """Go back to what the cells held."""
        self._holds = dict(held)

    def join(self, one: Held, other: Held) -> None:
        """Keep what the cells hold after either of two ways."""
        self._holds = {cell: value for cell, value in one.items() if other.get(cell) is value}


def _values_in(op: Operation) -> Iterator[SSAValue]:
    """Yield the values that are defined inside of an operation."""
    for inside in op.walk():
        if inside is not op:
            yield from inside.results
        for region in inside.regions:
            for block in region.blocks:
                yield from block.args


def element_type(memory: SSAValue) -> FloatType | IntegerType:
    """Give the type of the elements of memory that is made; without a sign where what is loaded is used so."""
    loads = [use.operation for use in memory.uses if use.operation.name == "memref.load"]
    kind = memory.type.element_type  # type: ignore[attr-defined] # memory
    return number_type(kind, [load.results[0] for load in loads])
