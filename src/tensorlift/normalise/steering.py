"""Which integers steer: the values that subscripts, loop bounds and extents are made of.

An argument that steers is a size.  A comparison with what steers makes arguments steer that it compares with, so that
``if (i < k)`` is an affine condition, and so does one that the program ends by.  What is loaded is data, and so is what
is made of it, and what loops carry that data end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.literal_function import NEGATIVE, OF_PART

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from xdsl.dialects.func import FuncOp

    from tensorlift.ir.nodes import Variable

# The operands of an operation that are places, bounds or extents.
SEEDS = {
    "memref.load": slice(1, None),
    "memref.store": slice(2, None),
    "memref.alloca": slice(None),
    "memref.alloc": slice(None),
}
_EDGES = ("arith.",)
UNBOUNDED = "tl.unbounded"  # marks loops of which data say how long they run


class Steering:
    """The integers of a function that steer."""

    def __init__(self, function: FuncOp, called: Collection[str], name_of: Callable[[Variable], str]) -> None:
        """Find them; ``called`` are the names of its arguments, ``name_of`` gives them to parameters."""
        self.values: set[SSAValue] = set()
        self.assigned: set[Variable] = set()
        self._stored: set[str] = set()
        self._loaded: dict[SSAValue, str] = {}
        self._arguments = dict(zip(called, function.body.blocks[0].args, strict=True))
        self._name_of = name_of
        self._stated: set[str] = set()
        self.endings = _endings(function)
        compared: list[tuple[set[SSAValue], tuple[SSAValue, ...]]] = []
        work: list[SSAValue] = []
        for op in function.walk():
            if op.name in SEEDS:
                work += op.operands[SEEDS[op.name]]
            if op.name == "memref.store":
                self._stored.update(_symbols(op, 1))
            elif op.name == "memref.load":
                self._loaded.update((op.results[0], symbol) for symbol in _symbols(op, 0))
            elif (op.name == "scf.condition" and not is_unbounded(op.parent_op())) or (
                isinstance(op, AssertOp) and op.msg.data in {NEGATIVE, OF_PART}
            ):
                work += _compared_in(op.operands[0])
            elif op.name == "arith.cmpi":
                compared.append((set(_leaves(op.operands)), ()))
                compared += [(set(_chosen_from(side)), (side,)) for side in op.operands if _is_chosen(side)]
            elif op.name == "cf.assert":
                asked = list(_leaves(list(_compared_in(op.operands[0]))))
                work += asked if all(map(self._is_plain, asked)) else []
            elif op.name == "scf.if" and self._may_end(op):
                work += self._asked_on_the_way(op)
        self._close(work, compared)

    def state(self, names: Collection[str], outer: Collection[Variable]) -> None:
        """Note parameters that the signature makes sizes, and variables at file scope."""
        self._stated |= set(names)
        self.assigned |= {variable for variable in outer if variable.symbol in self._stored}

    def steers(self, variable: Variable) -> bool:
        """Whether a parameter is a size."""
        argument = self._arguments.get(self._name_of(variable))
        if variable.name in self._stated or argument in self.values:
            return True
        loads = [value for value, symbol in self._loaded.items() if symbol == variable.symbol]
        return variable.is_global and any(value in self.values for value in loads)

    def _close(self, work: list[SSAValue], compared: Sequence[tuple[set[SSAValue], tuple[SSAValue, ...]]]) -> None:
        """Propagate until nothing changes; ``compared`` has what comparisons begin with, and what is chosen of it."""
        while work:
            while work:
                value = work.pop()
                if value not in self.values and is_integer(value) and not _is_carried_unbounded(value):
                    self.values.add(value)
                    work += made_of(value)
            for leaves, chosen in compared:
                if not leaves.isdisjoint(self.values) and all(map(self._is_plain, leaves)):
                    work += [value for value in (*leaves, *chosen) if value not in self.values]

    def _asked_on_the_way(self, branch: Operation) -> list[SSAValue]:
        """List the arguments that a branch asks of, or one around it, directly or by what these choose."""
        found: list[SSAValue] = []
        outer: Operation | None = branch
        while outer is not None and outer.name == "scf.if":
            asked = list(_leaves_of_choices(outer.operands[0]))
            found += asked if all(map(self._is_plain, asked)) else []
            outer = outer.parent_op()
        return found

    def _may_end(self, branch: Operation) -> bool:
        """Whether the program ends in an arm of a branch."""
        return any(region.blocks.first in self.endings for region in branch.regions)

    def _is_plain(self, value: SSAValue) -> bool:
        """Whether a value steers already, or is an argument or a variable at file scope that can."""
        is_known = value in self.values or value in self._arguments.values() or value in self._loaded
        return is_known and is_integer(value)


def _is_carried_unbounded(value: SSAValue) -> bool:
    """Tell whether a value is carried by a loop that data end, which makes it data, as what is loaded is."""
    owner = value.owner
    return is_unbounded(owner.parent_op() if isinstance(owner, Block) else owner)


def is_unbounded(op: Operation | None) -> bool:
    """Tell whether a loop is marked as one of which data say how long it runs."""
    return op is not None and UNBOUNDED in op.attributes


def _symbols(access: Operation, memory: int) -> Iterator[str]:
    """Yield what is at file scope that an operation reads or writes."""
    op = access.operands[memory].owner
    while not isinstance(op, Block) and op.name == "memref.cast":
        op = op.operands[0].owner
    if not isinstance(op, Block) and op.name == "memref.get_global":
        symbol: Any = op.properties["name"]
        yield symbol.string_value()


def is_integer(value: SSAValue) -> bool:
    """Whether a value is an integer of more than a bit."""
    kind = value.type
    return isinstance(kind, IndexType) or (isinstance(kind, IntegerType) and kind.width.data > 1)


def is_memory(value: SSAValue) -> bool:
    """Whether a value is memory."""
    return isinstance(value.type, MemRefType)


def handed_on(value: SSAValue) -> list[SSAValue]:
    """List what a value is unchanged where branches and loops hand it on, itself included."""
    found = [value]
    for known in found:
        for use in known.uses:
            op, number = use.operation, use.index
            outer: Any = op.parent_op()
            passed: list[Any] = []
            if op.name == "scf.while":
                passed = [op.regions[0].block.args[number]]
            elif op.name == "scf.condition" and number > 0:
                passed = [outer.regions[1].block.args[number - 1], outer.results[number - 1]]
            elif op.name == "scf.yield":
                passed = [outer.regions[0].block.args[number] if outer.name == "scf.while" else outer.results[number]]
            elif op.name == "arith.select" and number > 0:
                passed = [op.results[0]]
            found += [one for one in passed if one not in found]
    return found


def _compared_in(condition: SSAValue) -> Iterator[SSAValue]:
    """Yield the integers whose comparisons make up a condition."""
    work = [condition]
    while work:
        op = work.pop().owner
        if isinstance(op, Block):
            continue
        if op.name == "arith.cmpi":
            yield from op.operands
        elif op.name in {"arith.andi", "arith.ori", "arith.xori", "arith.select"}:
            work += op.operands


def made_of(value: SSAValue) -> list[SSAValue]:
    """List the integers that a value is made of, along all ways."""
    match value:
        case OpResult(op=op, index=index) if op.name == "scf.if":
            return [yielded(op, region)[index] for region in range(len(op.regions))]
        case OpResult(op=op, index=index) if op.name == "scf.while":
            before: Operation | None = op.regions[0].block.last_op
            return [before.operands[1 + index]] if before is not None else []
        case OpResult(op=op) if op.name.startswith(_EDGES):
            return list(op.operands)
        case BlockArgument(block=block, index=index):
            return _handed_to(block.parent_op(), block, index)
    return []


def _handed_to(op: Operation | None, block: Block, index: int) -> list[SSAValue]:
    """List what a loop hands to an argument of its body."""
    if op is None or op.name != "scf.while":
        return []
    if block is op.regions[0].block:
        return [op.operands[index], yielded(op, 1)[index]]
    return [yielded(op, 0)[1 + index]]


def yielded(op: Operation, region: int) -> tuple[SSAValue, ...]:
    """List what a region of an operation yields."""
    last = op.regions[region].block.last_op
    return tuple(last.operands) if last is not None else ()


def _leaves(values: Collection[SSAValue]) -> Iterator[SSAValue]:
    """Yield what arithmetic on integers begins with; constants are none."""
    work = list(values)
    while work:
        value = work.pop()
        op = value.owner
        if isinstance(op, Block) or not op.name.startswith(_EDGES):
            yield value
        elif op.name != "arith.constant":
            work += op.operands


def _is_chosen(value: SSAValue) -> bool:
    """Whether branches choose a value."""
    return not isinstance(value.owner, Block) and value.owner.name in {"scf.if", "arith.select"}


def _chosen_from(value: SSAValue) -> Iterator[SSAValue]:
    """Yield what branches choose a value from; constants are none."""
    work, seen = [value], {value}
    while work:
        found = work.pop()
        op = found.owner
        if not isinstance(op, Block) and _is_chosen(found):
            parts = made_of(found) if op.name == "scf.if" else op.operands[1:]
            work += [part for part in parts if part not in seen]
            seen.update(parts)
        elif isinstance(op, Block) or op.name != "arith.constant":
            yield found


def _leaves_of_choices(value: SSAValue) -> Iterator[SSAValue]:
    """Yield what a value begins with, where what branches choose begins with what they ask and choose from."""
    work, seen = [value], {value}
    while work:
        found = work.pop()
        op = found.owner
        if isinstance(op, Block) or not op.name.startswith((*_EDGES, "scf.if")):
            yield found
        else:
            parts = [*op.operands, *(made_of(found) if _is_chosen(found) else ())]
            work += [part for part in parts if part not in seen]
            seen.update(parts)


def _endings(outer: Operation) -> dict[Block | None, Operation]:
    """Find for each block inside of an operation the check that fails wherever it is executed, if there is one."""
    found: dict[Block | None, Operation] = {}
    for block in (block for region in outer.regions for block in region.blocks):
        for op in block.ops:
            if op.regions:
                found |= _endings(op)
            if block not in found and _always_fails(op, found):
                found[block] = op if op.name == "cf.assert" else found[op.regions[0].block]
    return found


def _always_fails(op: Operation, found: dict[Block | None, Operation]) -> bool:
    """Whether a program ends wherever it executes an operation."""
    if op.name == "scf.if":
        return all(region.blocks.first in found for region in op.regions)
    return op.name == "cf.assert" and constant_of(op.operands[0]) == 0
