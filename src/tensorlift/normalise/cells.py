"""Which values that loops and branches hand on share one cell of memory: the webs of SSA form, undone.

What an iteration begins with, what it hands on and what the loop leaves are one variable of the source, mostly.  They
get one cell, together with what the loop begins with where that is such a value of another loop or branch.  Values are
read from a cell where they are defined, so that a later store does not change them; a store is left out where the cell
holds the value already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Block, BlockArgument, OpResult

from tensorlift.frontends.c.c_types import DOUBLE, FLOAT, FloatType, IntegerType
from tensorlift.frontends.c.values import Array, Data, Unknown
from tensorlift.normalise.exact import integer
from tensorlift.normalise.execution import ctype_of
from tensorlift.normalise.steering import is_integer, is_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Operation, SSAValue

    from tensorlift.normalise.execution import Execution

LOOPS = {"scf.for", "scf.while"}
_UNSIGNED = {"arith.extui", "arith.uitofp", "arith.divui", "arith.remui", "arith.shrui"}
_FIRST_UNSIGNED = 6


class Cells:
    """The cells of one function that is executed."""

    def __init__(self, ex: Execution, function: FuncOp) -> None:
        """Find the webs."""
        self._ex = ex
        self._parent: dict[SSAValue, SSAValue] = {}
        self._roles: dict[SSAValue, dict[tuple[Operation, int], int]] = {}
        self._members: dict[SSAValue, list[SSAValue]] = {}
        self._cells: dict[SSAValue, Array] = {}
        self._holds: dict[SSAValue, SSAValue] = {}
        for first, second in _handed_on(function):
            self._join(first, second)

    # -- webs

    def _root(self, value: SSAValue) -> SSAValue:
        while self._parent.get(value, value) is not value:
            value = self._parent[value]
        if value not in self._members:
            self._members[value] = [value]
            self._roles[value] = _role(value)
        return value

    def _join(self, first: SSAValue, second: SSAValue) -> None:
        """Make two webs one, unless a loop hands on values of both."""
        one, other = self._root(first), self._root(second)
        mine, its = self._roles[one], self._roles[other]
        if one is other or any(mine[key] != number for key, number in its.items() if key in mine):
            return
        self._parent[other] = one
        mine.update(its)
        self._members[one] += self._members.pop(other)

    # -- cells

    def has_cell(self, value: SSAValue) -> bool:
        """Whether the web of a value has a cell by now."""
        return self._root(value) in self._cells

    def begin(self, value: SSAValue, init: SSAValue) -> None:
        """Let the cell of a value hold its first one."""
        ex, root = self._ex, self._root(value)
        if root not in self._cells:
            self._cells[root] = self._made(root)
        if self._holds.get(root) is not init:
            self.store(value, init)

    def _made(self, root: SSAValue) -> Array:
        ex, members = self._ex, self._members[root]
        name = next((value.name_hint for value in members if value.name_hint), "carried")
        ctype = _ctype(members)
        array = Array(name, ctype, [], ex.place, ctype.spelling)
        ex.sink.allocate(array, ex.domain)
        return array

    def store(self, value: SSAValue, given: SSAValue) -> None:
        """Store what the web of a value goes on with, unless its cell holds that."""
        ex, root = self._ex, self._root(value)
        if self._holds.get(root) is given:
            return
        found = ex.values[given]
        if not (isinstance(found, Unknown) and found.reason == "uninitialised"):
            array = self._cells[root]
            data = ex.data(given)
            data = data if not data.truth else Data(data.ssa, array.element, truth=True)
            ex.sink.store(array, (), data, ex.domain, ex.place)
        self._holds[root] = given

    def load(self, value: SSAValue, of: SSAValue | None = None) -> Data:
        """Read a value where it is defined, from the cell of another one where a loop leaves that."""
        ex, root = self._ex, self._root(value if of is None else of)
        if self._root(value) is root:
            self._holds[root] = value
        else:
            self._holds.pop(root, None)
        data = ex.sink.load(self._cells[root], (), ex.domain, ex.place)
        return Data(data.ssa, data.ctype, truth=str(value.type) == "i1")

    def enter(self, op: Operation) -> None:
        """Forget what the cells hold that a loop may change."""
        for root in list(self._holds):
            if any(_is_within(owner, op) for owner, _ in self._roles[root]):
                del self._holds[root]

    def held(self) -> dict[SSAValue, SSAValue]:
        """Give what the cells hold."""
        return dict(self._holds)

    def restore(self, held: dict[SSAValue, SSAValue]) -> None:
        """Go back to what the cells held."""
        self._holds = dict(held)

    def join(self, one: dict[SSAValue, SSAValue], other: dict[SSAValue, SSAValue]) -> None:
        """Keep what the cells hold after either of two ways."""
        self._holds = {root: value for root, value in one.items() if other.get(root) is value}


def _role(value: SSAValue) -> dict[tuple[Operation, int], int]:
    """Give which of the values that an operation gives, or a region of it takes, a value is."""
    if isinstance(value, OpResult):
        return {(value.op, -1): value.index}
    assert isinstance(value, BlockArgument)
    op = value.block.parent_op()
    assert op is not None
    return {(op, [region.block for region in op.regions].index(value.block)): value.index}


def _is_within(op: Operation, loop: Operation) -> bool:
    parent = op.parent_op()
    while parent is not None and parent is not loop:
        parent = parent.parent_op()
    return parent is loop


def _is_handed(value: SSAValue) -> bool:
    """Whether a loop or branch hands a value on."""
    if isinstance(value, OpResult):
        return value.op.name in {*LOOPS, "scf.if"}
    assert isinstance(value, BlockArgument)
    op = value.block.parent_op()
    return op is not None and op.name in LOOPS


def _handed_on(function: FuncOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Yield pairs of values of which one becomes the other."""
    for op in function.walk():
        if op.name == "scf.for":
            yield from _along(op.regions[0].block.args[1:], op.results)
            yield from _along(op.regions[0].block.args[1:], _ends(op.regions[0].block))
            yield from _along(op.regions[0].block.args[1:], op.operands[3:])
        elif op.name == "scf.while":
            before, after = (region.block for region in op.regions)
            handed = _ends(before)[1:]
            yield from _along(after.args, handed)
            yield from _along(op.results, handed)
            yield from _along(before.args, _ends(after))
            yield from _along(before.args, op.operands)
        elif op.name == "scf.if":
            for region in op.regions:
                if region.blocks:
                    yield from _along(op.results, _ends(region.block))


def _ends(block: Block) -> tuple[SSAValue, ...]:
    return tuple(block.last_op.operands) if block.last_op is not None else ()


def _along(targets: object, sources: object) -> Iterator[tuple[SSAValue, SSAValue]]:
    pairs: Iterator[tuple[SSAValue, SSAValue]] = zip(targets, sources, strict=True)  # type: ignore[call-overload] # sequences
    for target, source in pairs:
        if not is_memory(target) and _is_handed(source):
            yield target, source


def _ctype(members: list[SSAValue]) -> FloatType | IntegerType:
    """Give the type of a cell; without a sign where the values are used so."""
    if not is_integer(members[0]):
        return ctype_of(members[0])
    return integer(members[0].type, signed=not _are_unsigned(members))


def _are_unsigned(values: list[SSAValue]) -> bool:
    uses = [use.operation for value in values for use in value.uses]
    return any(op.name in _UNSIGNED or (op.name == "arith.cmpi" and _is_unsigned(op)) for op in uses)


def _is_unsigned(op: Operation) -> bool:
    predicate = op.properties["predicate"]
    return predicate.value.data >= _FIRST_UNSIGNED  # type: ignore[attr-defined] # a number


def element_type(memory: SSAValue) -> FloatType | IntegerType:
    """Give the type of the elements of memory that is made; without a sign where what is loaded is used so."""
    kind = memory.type.element_type  # type: ignore[attr-defined] # memory
    loaded = [use.operation.results[0] for use in memory.uses if use.operation.name == "memref.load"]
    if str(kind) in {"f32", "f64"}:
        return FLOAT if str(kind) == "f32" else DOUBLE
    return integer(kind, signed=not _are_unsigned(loaded))
