"""Accesses to memory: which cell of which array of the definitions an operation reads or writes, by claimed views."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.memref import GlobalOp

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine, affine
from tensorlift.comprehension.domain import UNIVERSE, Domain, at_least, less
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.comprehension.state import State, cell_domain, own_cell
from tensorlift.ir.scalar_terms import convert
from tensorlift.ir.scalar_terms import number as literal
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Cases, Memory, Place, Undecided, Value, as_data, element_type
from tensorlift.proofs.source.versions import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.source.claims import Claims
    from tensorlift.proofs.source.frames import Frame


class MemoryAccess:
    """The memory of one function; ``owners`` tells of a local array which memory it is: one alone.

    ``names`` are the parameters of the definitions, by what literal IR calls them.
    """

    def __init__(
        self, claims: Claims, summary: Summary, arrays: Mapping[str, ArrayInfo], names: Mapping[str, str]
    ) -> None:
        self.claims, self.summary, self.arrays, self.names = claims, summary, arrays, names
        self.owners: dict[str, Operation] = {}

    def start(self, module: Operation | None) -> State:
        """Return the state at the start, in which tables at file scope that are constant have their values."""
        state = State()
        tables = [op for op in module.ops if isinstance(op, GlobalOp)] if isinstance(module, ModuleOp) else []
        for table in tables:
            view = self.claims.views.get(f"@{table.sym_name.data}")
            info = self.arrays[view.array] if view is not None else None
            if view is None or info is None or info.is_parameter:
                continue
            values, extents = table.initial_value, [extent.constant for extent in info.shape if extent.is_constant]
            is_known = table.constant is not None and len(extents) == len(info.shape)
            is_known = is_known and view.array not in self.owners and view.strides == _dense(extents)
            if not is_known or not isinstance(values, DenseIntOrFPElementsAttr):
                raise Undecided("a variable at file scope is claimed to be what it is not", table)
            self.owners[view.array] = table
            cells = zip(product(*map(range, extents)), values.get_values(), strict=True)
            pieces = [(cell_domain(view.array, tuple(map(affine, at))), literal(v, info.dtype)) for at, v in cells]
            state.overwrite(view.array, pieces)
        return state

    def load(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Read a cell, or a variable at file scope."""
        memory, offset = frame.all(op.operands[:2])
        number = self._number(memory, offset) if isinstance(memory, Memory) and isinstance(offset, Exact) else None
        if number is not None:
            frame.values[op.results[0]] = number
            return
        if isinstance(offset, Place) and isinstance(memory, Memory):
            frame.values[op.results[0]] = self._gathered(memory, offset, frame, op)
            return
        found = [
            (domain, frame.state.read(array, indices, self.arrays[array].dtype, context & domain))
            for domain, array, indices in self._cells(op, frame, context)
        ]
        frame.values[op.results[0]] = terms.piecewise(found)

    def _gathered(self, memory: Memory, place: Place, frame: Frame, op: Operation) -> Term:
        """Read a cell of an array that is never written where data says, as definitions do (`terms`, ``hits``)."""
        view = self.claims.views.get(memory.name)
        if view is None or len(view.strides) != 1 or place.start != memory.start or view.array in frame.state.pieces:
            raise Undecided("a place in memory depends on data", op)
        info, cell = self.arrays[view.array], fresh("k")
        wide, index = convert(place.data, "i64"), affine(cell)
        value = terms.read(view.array, (index,), info.dtype)
        chosen = terms.apply(
            "select", terms.apply("hits", wide, terms.index(index, "i64")), value, terms.zero(info.dtype)
        )
        return terms.reduce("sum", (cell,), Domain.box((cell,), info.shape), chosen)

    def _number(self, memory: Memory, offset: Exact) -> Value | None:
        """Return a variable at file scope that is a parameter of the definitions."""
        name = self.names.get(memory.name)
        if name is None or name in self.arrays or offset.value.terms:
            return None
        if name in self.summary.scalars:
            return terms.scalar(name, self.summary.scalars[name])
        return Exact(Polynomial.variable(name), is_signed=not self.summary.is_unsigned(name))

    def store(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Write a cell."""
        for domain, array, indices in list(self._cells(op, frame, context)):
            term = as_data(frame.value(op.operands[0]), op.operands[0].type, self.arrays[array].dtype)
            frame.state.store(array, indices, term, context & domain)

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
        view = self.claims.views.get(memory.name) if isinstance(memory, Memory) else None
        if view is None or not isinstance(memory, Memory):
            raise Undecided("nothing is claimed of the memory", op)
        if not isinstance(offset, Exact):
            raise Undecided("a place in memory depends on data", op)
        for found in _subscripts(offset.value - memory.start, view.strides):
            extents = zip(found, self.arrays[view.array].shape, strict=True)
            if context.implies(*(c for index, n in extents for c in (at_least(index, 0), less(index, n)))):
                return view.array, found
        raise Undecided(f"an access to {view.array} is not shown to be inside of it", op)

    def allocate(self, op: Operation, frame: Frame, _: Domain) -> None:
        """Begin the life of a local array, whose cells hold nothing yet."""
        name = op.results[0].name_hint or ""
        view = self.claims.views.get(name)
        if view is not None:
            if self.arrays[view.array].is_parameter or self.owners.setdefault(view.array, op) is not op:
                raise Undecided(f"two memories are called {name}", op)
            own = own_cell(view.array, len(self.arrays[view.array].shape), self.arrays[view.array].dtype)
            frame.state.overwrite(view.array, [(UNIVERSE, terms.read(UNDEFINED, own.indices, own.dtype))])
        frame.values[op.results[0]] = Memory(name)

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

    def nothing(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Do nothing: what is read after the end of its life is undefined."""


def _subscripts(offset: Polynomial, strides: Sequence[Polynomial]) -> Iterator[tuple[Affine, ...]]:
    """Yield subscripts that lead to an offset: quotients by the strides, and those less or more by one."""
    if not strides:
        if not offset.terms:
            yield ()
        return
    quotient, rest = offset.divide(strides[0])
    for change in (0, -1, 1) if len(strides) > 1 else (0,):
        subscript = (quotient + Polynomial.constant(change)).as_affine()
        if subscript is not None:
            for inner in _subscripts(rest - strides[0].scale(change), strides[1:]):
                yield (subscript, *inner)


def _dense(extents: Sequence[int]) -> tuple[Polynomial, ...]:
    return tuple(Polynomial.constant(prod(extents[axis + 1 :])) for axis in range(len(extents)))


ACCESSES: dict[str, Callable[[MemoryAccess, Operation, Frame, Domain], None]] = {
    "memref.load": MemoryAccess.load,
    "memref.store": MemoryAccess.store,
    "memref.alloca": MemoryAccess.allocate,
    "memref.alloc": MemoryAccess.allocate,
    "memref.dealloc": MemoryAccess.nothing,
    "memref.get_global": MemoryAccess.global_,
    "memref.cast": MemoryAccess.same,
    "ub.poison": MemoryAccess.poison,
}
