"""Basic blocks and SSA form, built while the source is read.

The method is that of Braun, Buchwald, Hack, Leissa, Mallon and Zwinkau, "Simple and Efficient Construction of Static
Single Assignment Form" (CC 2013).  Each block knows which value a local variable has at its end.  A variable that a
block does not define has the value of the only predecessor, or else a *phi*: an argument of the block with one operand
for each predecessor.  A block is *sealed* when all its predecessors are known; before that, a phi has no operands yet.
A phi whose operands are one value besides itself is trivial: that value takes its place, and the phis that used it are
looked at again.  Joins are found and filled from a list of things to do, so long functions need no deep stack.

A sealed block that nothing reaches, such as what follows a ``return``, gives its successors no edge, so no undefined
value comes from there.  Terminators are made last, when the phis are settled: they pass the operands to the arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.arith import ConstantOp, IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    NameLoc,
    StringAttr,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block, BlockArgument, SSAValue

from tensorlift.ir.c_types import float_attribute, ir_type
from tensorlift.ir.location import CONDITION
from tensorlift.ir.operations import (
    arithmetic_operation,
    conversion_operation,
    operation_class,
    predicate,
    way_between,
)
from tensorlift.ops.c_types import BOOL, FloatType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute, Operation

    from tensorlift.ops.c_types import NumberType

NSW = {"overflowFlags": IntegerOverflowAttr((IntegerOverflowFlag.NSW,))}
_WRAPS = {"overflowFlags": IntegerOverflowAttr("none")}
_CAN_OVERFLOW = {"arith.addi", "arith.subi", "arith.muli", "arith.shli"}
_integer = lru_cache(maxsize=1024)(IntegerAttr)  # attributes are immutable, and making one checks it


@dataclass(slots=True, eq=False)
class Local:
    """A variable in SSA form, known by its identity."""

    type: Attribute
    location: LocationAttr
    name: str | None = None


@dataclass(slots=True, eq=False, repr=False)
class Flow:
    """A basic block that is being built; ``ending`` is how it goes on: condition or results, and successors.

    Of the header of a loop with one entry, ``before`` is the block that enters, once the loop is complete, and
    ``changed`` are the variables that are written inside: the others need no phi.
    """

    block: Block = field(default_factory=Block)
    is_entry: bool = False
    is_sealed: bool = False
    predecessors: list[Flow] = field(default_factory=list)
    definitions: dict[Local, SSAValue] = field(default_factory=dict)
    phis: dict[BlockArgument, list[SSAValue]] = field(default_factory=dict)
    waiting: dict[Local, BlockArgument] = field(default_factory=dict)
    ending: tuple[Sequence[SSAValue], Sequence[Flow], LocationAttr] | None = None
    number: int = 0  # in the order in which blocks are started
    written: set[Local] = field(default_factory=set)
    before: Flow | None = None
    changed: frozenset[Local] = frozenset()

    @property
    def is_live(self) -> bool:
        """Whether the block may be reached; to one that is not sealed, edges may come yet."""
        return self.is_entry or not self.is_sealed or bool(self.predecessors)


def poison(of_type: Attribute, location: LocationAttr) -> PoisonOp:
    """Make an undefined value."""
    return PoisonOp.create(result_types=[of_type], properties={"value": PoisonAttr()}, location=location)


def named(name: str, location: LocationAttr) -> LocationAttr:
    """Give a place a name: what kind of loop or jump stands there."""
    return NameLoc(StringAttr(name), location)


class FlowGraph:
    """The blocks of one function; operations are appended to ``current``."""

    def __init__(self, entry: Block) -> None:
        """Begin in the entry block, whose arguments are the parameters."""
        self.entry = self.current = Flow(entry, is_entry=True, is_sealed=True)
        self._placed = [self.entry]
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._phi_users: dict[SSAValue, list[tuple[Flow, BlockArgument]]] = {}
        self._poison: dict[tuple[Attribute, str | None], PoisonOp] = {}
        self.placed: Callable[[LocationAttr], LocationAttr] | None = None  # how what is read in place of a call stands

    def add(self, operation: Operation) -> None:
        """Append an operation."""
        if self.placed is not None:
            operation.location = self.placed(operation.location)
        self.current.block.add_op(operation)

    def value(self, operation: Operation) -> SSAValue:
        """Append an operation and give its first result."""
        self.add(operation)
        return operation.results[0]

    def constant(self, value: float, ctype: NumberType, location: LocationAttr) -> SSAValue:
        """Append a constant of a type; a truth value is a byte."""
        attribute: Attribute
        if isinstance(ctype, FloatType):
            attribute = float_attribute(value, ctype)
        else:
            attribute = _integer(ctype.signless(int(value)), ir_type(ctype))
        return self.value(_constant(attribute, ir_type(ctype), location))

    def truth(self, value: int, location: LocationAttr) -> SSAValue:
        """Append a constant ``i1``."""
        return self.value(_constant(_integer(-value, i1), i1, location))

    def operation(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute,
        location: LocationAttr,
        **properties: Attribute,
    ) -> SSAValue:
        """Append an operation of one result."""
        kind = operation_class(name)
        return self.value(
            kind.create(operands=operands, result_types=(result,), properties=properties, location=location)
        )

    def arithmetic(  # noqa: PLR0913 - all that an operation is made of
        self,
        operator: str,
        left: SSAValue,
        right: SSAValue,
        ctype: NumberType,
        location: LocationAttr,
        *,
        wraps: bool,
    ) -> SSAValue:
        """Append an arithmetic operation on operands of one type, which wraps or must not leave its type."""
        name = arithmetic_operation(operator, ctype)
        flags = (_WRAPS if wraps else NSW) if name in _CAN_OVERFLOW else {}
        return self.operation(name, (left, right), ir_type(ctype), location, **flags)

    def comparison(
        self, operator: str, left: SSAValue, right: SSAValue, ctype: NumberType, location: LocationAttr
    ) -> SSAValue:
        """Append a comparison of operands of one type; it gives an ``i1``."""
        name = "arith.cmpf" if isinstance(ctype, FloatType) else "arith.cmpi"
        number = _integer(predicate(operator, ctype), i64)
        return self.operation(name, (left, right), i1, location, predicate=number)

    def is_nonzero(self, value: SSAValue, ctype: NumberType, location: LocationAttr) -> SSAValue:
        """Compare a number with zero."""
        return self.comparison("!=", value, self.constant(0, ctype, location), ctype, location)

    def converted(self, value: SSAValue, source: NumberType, target: NumberType, location: LocationAttr) -> SSAValue:
        """Convert between types of numbers; to a truth value is whether it is other than zero."""
        if source == target:
            return value
        if target == BOOL:
            return self.operation("arith.extui", (self.is_nonzero(value, source, location),), i8, location)
        between = way_between(source, target)
        if between is not None:
            value, source = self.converted(value, source, between, location), between
        name = conversion_operation(source, target)
        return value if name is None else self.operation(name, (value,), ir_type(target), location)

    # Control flow.

    def start(self, flow: Flow) -> None:
        """Go on in a block."""
        flow.number = len(self._placed)
        self._placed.append(flow)
        self.current = flow

    def enter(self, flow: Flow) -> None:
        """Go on in a block to which no more edges will lead."""
        self.start(flow)
        self.seal(flow)

    def jump(self, target: Flow, location: LocationAttr) -> None:
        """End the current block with a branch."""
        self._end((), (target,), location)

    def branch(self, condition: SSAValue, then: Flow, otherwise: Flow, location: LocationAttr) -> None:
        """End the current block with a conditional branch."""
        self._end((condition,), (then, otherwise), location)

    def name_conditions(self, first: Flow) -> None:
        """Name the branches since a block, which are those of a loop's condition."""
        for flow in self._placed[first.number :]:
            if flow.ending is not None and len(flow.ending[1]) > 1:
                values, targets, location = flow.ending
                flow.ending = values, targets, named(CONDITION, location)

    def leave(self, values: Sequence[SSAValue], location: LocationAttr) -> None:
        """End the current block with a return."""
        self._end(values, (), location)

    def _end(self, values: Sequence[SSAValue], targets: Sequence[Flow], location: LocationAttr) -> None:
        """End the current block; what follows is reached by nothing until another block is started."""
        flow = self.current
        flow.ending = values, targets, location if self.placed is None else self.placed(location)
        for target in targets if flow.is_live else ():
            assert not target.is_sealed, "an edge to a sealed block"
            target.predecessors.append(flow)
        self.start(Flow(is_sealed=True))

    def seal(self, flow: Flow) -> None:
        """Declare that no more edges will lead to a block, and fill the phis that waited for that."""
        flow.is_sealed = True
        waiting, flow.waiting = flow.waiting, {}
        self._fill([(flow, local, phi) for local, phi in waiting.items()])
        if len(flow.predecessors) > 1:
            self._complete(flow)

    def _complete(self, header: Flow) -> None:
        """Note how a loop is entered and what it writes, where the blocks since its header are all of it."""
        first, inside = header.number, self._placed[header.number + 1 :]
        entering = [source for source in header.predecessors if source.number < first]
        if len(entering) != 1 or not inside:
            return
        if all(flow.is_sealed and all(p.number >= first for p in flow.predecessors) for flow in inside):
            header.before = entering[0]
            header.changed = frozenset(header.written).union(*(flow.written for flow in inside))

    def loop(
        self,
        location: LocationAttr,
        test: Callable[[Flow, Flow], None],
        body: Callable[[Flow, Flow], None],
        advance: Callable[[], None],
    ) -> None:
        """Make a loop that tests before its body.

        ``test`` goes to the body or to what follows; ``body`` is told where ``continue`` and ``break`` lead, and
        ``advance`` is what an iteration ends with.
        """
        header, inside, latch, after = Flow(), Flow(), Flow(), Flow()
        self.jump(header, location)
        self.start(header)
        test(inside, after)
        self.name_conditions(header)
        self.enter(inside)
        body(latch, after)
        self.jump(latch, location)
        self.enter(latch)
        advance()
        self.jump(header, location)
        self.seal(header)
        self.enter(after)

    # Variables.

    def write(self, local: Local, value: SSAValue) -> None:
        """Give a variable a value from here on; the first variable to hold it names it, unless it is undefined."""
        is_counted = isinstance(value.owner, ConstantOp) and isinstance(value.type, IntegerType)
        if value.name_hint is None and not is_counted and not isinstance(value.owner, PoisonOp):
            value.name_hint = local.name
        self.current.definitions[local] = value
        self.current.written.add(local)

    def read(self, local: Local) -> SSAValue:
        """Give the value of a variable here; one that was never written is undefined."""
        pending: list[tuple[Flow, Local, BlockArgument]] = []
        value = self._at_end(local, self.current, pending)
        if pending:
            self._fill(pending)
        return self.settled(value)

    def begin_with(self, *operations: Operation) -> None:
        """Let the function begin with operations."""
        first = self.entry.block.first_op
        if first is None:
            self.entry.block.add_ops(operations)
        else:
            self.entry.block.insert_ops_before(operations, first)

    def undefined(self, of_type: Attribute, location: LocationAttr, name: str | None = None) -> SSAValue:
        """Give the undefined value of a type for a name, made once at the head of the function."""
        made = self._poison.get((of_type, name))
        if made is None:
            made = poison(of_type, location)
            self.begin_with(made)
            made.results[0].name_hint = name
            self._poison[of_type, name] = made
        return made.results[0]

    def settled(self, value: SSAValue) -> SSAValue:
        """Give what stands for a value now, where it was a trivial phi."""
        while (better := self._replaced.get(value)) is not None:
            value = better
        return value

    def _at_end(self, local: Local, flow: Flow, pending: list[tuple[Flow, Local, BlockArgument]]) -> SSAValue:
        """Find the value at the end of a block; a new phi of a sealed block is put on the list to be filled."""
        path: dict[Flow, None] = {}
        while (value := flow.definitions.get(local)) is None:
            is_cycle = flow in path  # of blocks with one predecessor each, so nothing else reaches them
            path[flow] = None
            if flow.is_sealed and len(flow.predecessors) == 1 and not is_cycle:
                flow = flow.predecessors[0]
                continue
            if flow.before is not None and local not in flow.changed:
                flow = flow.before
                continue
            if flow.is_sealed and (is_cycle or not flow.predecessors):
                value = self.undefined(local.type, local.location, local.name)
            else:
                value = self._new_phi(local, flow, pending)
            break
        for passed in path:
            passed.definitions[local] = value
        return value

    def _new_phi(self, local: Local, flow: Flow, pending: list[tuple[Flow, Local, BlockArgument]]) -> BlockArgument:
        phi = flow.block.insert_arg(local.type, len(flow.block.args), local.location)
        phi.name_hint = local.name
        flow.phis[phi] = []
        if flow.is_sealed:
            pending.append((flow, local, phi))
        else:
            flow.waiting[local] = phi
        return phi

    def _fill(self, pending: list[tuple[Flow, Local, BlockArgument]]) -> None:
        """Give phis their operands, which may need more phis; then remove those that are trivial."""
        filled: list[tuple[Flow, BlockArgument]] = []
        while pending:
            flow, local, phi = pending.pop()
            operands = [self.settled(self._at_end(local, source, pending)) for source in flow.predecessors]
            flow.phis[phi] = operands
            for operand in dict.fromkeys(operands):
                self._phi_users.setdefault(operand, []).append((flow, phi))
            filled.append((flow, phi))
        while filled:
            flow, phi = filled.pop()
            filled += self._without_trivial(flow, phi)

    def _without_trivial(self, flow: Flow, phi: BlockArgument) -> list[tuple[Flow, BlockArgument]]:
        """Replace a phi of one value besides itself; give the phis that used it."""
        if phi in self._replaced or phi not in flow.phis:
            return []
        others = {self.settled(operand) for operand in flow.phis[phi]} - {phi}
        if len(others) != 1:
            return []
        (value,) = others
        self._replaced[phi] = value
        del flow.phis[phi]
        phi.replace_all_uses_with(value)
        flow.block.erase_arg(phi)
        users = self._phi_users.pop(phi, [])
        self._phi_users.setdefault(value, []).extend(users)
        return users

    # The end.

    def finish(self) -> list[Block]:
        """Make the terminators, and give the blocks that are reached, in the order in which they were started."""
        for flow in self._placed:
            if not flow.is_sealed:
                self.seal(flow)
        reached = _reached(self.entry)
        blocks = [flow for flow in self._placed if flow in reached]
        for flow in self._placed:
            if flow not in reached:
                flow.block.drop_all_references()
        for flow in blocks:
            flow.block.add_op(self._terminator(flow))
        return [flow.block for flow in blocks]

    def _terminator(self, flow: Flow) -> Operation:
        values, targets, location = _ending(flow)
        values = [self.settled(value) for value in values]
        if not targets:
            return ReturnOp.create(operands=values, location=location)
        passed = [
            [self.settled(target.phis[phi][target.predecessors.index(flow)]) for phi in target.block.args]
            for target in targets
        ]
        blocks = [target.block for target in targets]
        if len(targets) == 1:
            return BranchOp.create(operands=passed[0], successors=blocks, location=location)
        sizes = DenseArrayBase.from_list(i32, [1, *map(len, passed)])
        return ConditionalBranchOp.create(
            operands=[*values, *passed[0], *passed[1]],
            successors=blocks,
            properties={"operandSegmentSizes": sizes},
            location=location,
        )


def _reached(entry: Flow) -> set[Flow]:
    """Collect the blocks that are reached from the first one."""
    reached, open_ = {entry}, [entry]
    while open_:
        _, targets, _ = _ending(open_.pop())
        new = [target for target in targets if target not in reached]
        reached.update(new)
        open_ += new
    return reached


def _ending(flow: Flow) -> tuple[Sequence[SSAValue], Sequence[Flow], LocationAttr]:
    assert flow.ending is not None, "a block that is reached goes on somewhere"
    return flow.ending


def _constant(value: Attribute, of_type: Attribute, location: LocationAttr) -> ConstantOp:
    return ConstantOp.create(result_types=(of_type,), properties={"value": value}, location=location)
