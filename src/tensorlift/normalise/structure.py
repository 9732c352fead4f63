"""Control of blocks and branches becomes loops and branches with regions: ``cf`` to ``scf``.

The function is read along its dominator tree, as in Ramsey, "Beyond Relooper: Recursive Translation of Unstructured
Control Flow to Structured Control Flow" (ICFP 2022).  A block that is reached by one edge stands where that edge is;
one where several edges meet stands after the block that dominates it.  Where such a piece of control may be left in
several ways, there is a *flag* for each way but the last, beside what each way passes on, and a block that is reached
in one of them stands in an ``scf.if`` on its flag (Bahmann, Reissmann, Jahre and Meyer, "Perfect Reconstructability of
Control Flow from Demand Dependence Graphs", 2015).  Nothing is written twice, and operations are moved, not copied.

A loop that only its header leaves becomes the ``scf.while`` that it is.  Any other one is an ``scf.while`` whose first
region holds all of it, as that of a ``do`` does, and whose condition says whether the program goes on with the header.
Values of a loop that are used after it are results of it.  What a way does not compute is ``ub.poison``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.arith import AndIOp, CmpiOp, ConstantOp, XOrIOp
from xdsl.dialects.builtin import IntegerAttr, LocationAttr, ModuleOp, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tensorlift.ir.left_early import JUMP, marked
from tensorlift.ir.regions import ControlFlow
from tensorlift.normalise.asserted import put_asserted
from tensorlift.normalise.choices import choose_in_tests
from tensorlift.normalise.edit import move, remove
from tensorlift.normalise.graph import Graph
from tensorlift.normalise.guards import contrary
from tensorlift.normalise.jumps import decide_branches, thread_jumps
from tensorlift.normalise.leaving import left_by_jumps
from tensorlift.normalise.tails import write_tails
from tensorlift.normalise.ways import END, Flag, Left, Way, flag_in, is_within, location_in, pairs_of, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tensorlift.diagnostics import Diagnostic

from tensorlift.normalise.ways import Pair


@dataclass(frozen=True)
class Structure:
    """The pass that makes control structured."""

    name = "structure"

    def apply(self, module: ModuleOp) -> None:
        """Make each function one block.

        Raises:
            IrreducibleError: where a cycle of control has more than one entry.

        """
        for op in module.ops:
            if isinstance(op, FuncOp) and op.body.blocks:
                put_asserted(op)
            if isinstance(op, FuncOp) and len(op.body.blocks) > 1:
                decide_branches(op)
                flow = ControlFlow(op)
                headers = [flow.blocks[header] for header in flow.loops]
                jumps = left_by_jumps(flow)
                thread_jumps(op, headers)
                choose_in_tests(headers)
                graph = Graph(op)
                _Structuring(Graph(op) if write_tails(graph) else graph, jumps).run()


@dataclass(frozen=True)
class _Level:
    """The loop that is being written, by its header, and the values used after it; the function has neither."""

    header: int | None = None
    blocks: frozenset[int] | None = None
    escaping: Sequence[SSAValue] = ()

    def holds(self, block: int) -> bool:
        """Whether a block is part of it."""
        return self.blocks is None or block in self.blocks


class _Structuring:
    """The state of rewriting one function; operations are moved to the end of ``to``."""

    def __init__(self, graph: Graph, jumps: Mapping[Block, Diagnostic]) -> None:
        self.graph, self.jumps = graph, jumps
        self.to, self.level = Block(), _Level()
        self.pending = set(self.graph.blocks)
        self.replaced: dict[SSAValue, SSAValue] = {}
        self.constants: dict[object, Operation] = {}
        self.turned: list[CmpiOp] = []

    def run(self) -> None:
        """Make the function one block."""
        function = self.graph.function
        entry, *others = self.graph.blocks
        left = self.piece(0, tuple(entry.args), {END})
        types = function.function_type.outputs.data
        returned = left.ways[0].values if left.ways else [self.poison(of) for of in types]  # it never ends
        self.to.add_op(ReturnOp.create(operands=returned, location=left.location))
        for block in others:
            function.body.detach_block(block)
        entry.add_ops(op for op in self.constants.values() if op.results[0].first_use is not None)
        move(list(self.to.ops), entry)
        for test in dict.fromkeys(self.turned):
            if test.result.first_use is None:
                remove(test)

    # Pieces of control.

    def piece(self, start: int, values: Sequence[SSAValue], ends: AbstractSet[int]) -> Left:
        """Write what begins with a block, up to the blocks where it ends; one after the other, however many follow."""
        following: tuple[int, Sequence[SSAValue]] | None = (start, values)
        while following is not None:
            left, following = self._first(*following, ends)
        return left

    def _first(
        self, start: int, values: Sequence[SSAValue], ends: AbstractSet[int]
    ) -> tuple[Left, tuple[int, Sequence[SSAValue]] | None]:
        """Write a block or loop and what belongs to it; return how that is left, and what follows on all ways."""
        if start in self.graph.loops and start != self.level.header:
            last, left, inside = start, self.loop(start, values), self.graph.loops[start].blocks
        else:
            (last, left), inside = self.straight(start, values), frozenset()
        merges = [
            b for b in self.graph.merges.get(last, ()) if self.level.holds(b) and b not in ends and b not in inside
        ]
        beside = [b for b in self.graph.alternatives(last, merges) if self.level.holds(b)]
        merges = sorted({*merges, *beside}, key=self.graph.rank.__getitem__)
        if not merges and len(left.ways) == 1 and left.ways[0].target not in ends:
            return left, (left.ways[0].target, left.ways[0].values)
        left = self.arms(left, {*ends, *merges})
        for number, block in enumerate(merges, 1):
            if left.way(block) is not None:
                left, later = self.with_first(left, block), merges[number:]
                if not later and left.ways[0].flag is None:
                    return left, (block, left.ways[0].values)
                apart = (way.target for way in left.ways if way.target in later)
                other = next((target for target in apart if not self.graph.leads(block, target)), None)
                left = self.go_on(left, {*ends, *later}, other)
        return left, None

    def straight(self, start: int, values: Sequence[SSAValue]) -> tuple[int, Left]:
        """Write a block, and those that simply follow; return the last one, and how it is left."""
        while True:
            for argument, value in zip(self.graph.blocks[start].args, values, strict=True):
                self.replace(argument, value)
            ways = [Way(target, tuple(passed)) for target, passed in self.graph.edges(start)]
            self.pending.discard(self.graph.blocks[start])
            *ops, last = self.graph.blocks[start].ops
            move(ops, self.to)
            operands = tuple(last.operands)
            remove(last)
            if len(ways) != 1 or not self._follows(ways[0].target):
                break
            start, values = ways[0].target, ways[0].values
        if not ways:
            ways = [Way(END, operands)]
        left = Left(tuple(ways), last.location, self._escape(start, ways))
        if len(ways) == 1:
            return start, left
        flag, (then, other) = Flag(operands[0]), ways
        if then.target == other.target:
            return start, self.branch(flag, lambda: left.only(then), lambda: left.only(other), left.location)
        if self.graph.rank[then.target] > self.graph.rank[other.target]:
            then, other, flag = other, then, Flag(flag.value, holds=False)
        return start, replace(left, ways=(replace(then, flag=flag), other))

    def _follows(self, target: int) -> bool:
        """Whether a block stands right after the only one that leads to it."""
        is_loop = target in self.graph.loops
        return len(self.graph.sources[target]) == 1 and not is_loop and self.level.holds(target)

    def _escape(self, block: int, ways: Iterable[Way]) -> tuple[SSAValue | None, ...]:
        """Return the values that are used after the loop around, as far as they are computed where it is left."""
        if all(way.target != END and self.level.holds(way.target) for way in ways):
            return (None,) * len(self.level.escaping)
        known = self.graph.dominators(block)
        if block in self.graph.loops and block != self.level.header:
            known |= self.graph.loops[block].blocks
        return tuple(self.settled(v) if self.graph.home[v] in known else None for v in self.level.escaping)

    def arms(self, left: Left, ends: AbstractSet[int]) -> Left:
        """Write the blocks that only one way leads to."""
        return left if all(way.target in ends for way in left.ways) else self.go_on(left, ends)

    def go_on(self, left: Left, ends: AbstractSet[int], other: int | None = None) -> Left:
        """Write the block of the first way, under its flag if there are others, whose blocks stand in the other arm.

        So does ``other``, which is one of the ends.
        """
        way = left.ways[0]
        if way.flag is not None:
            only, others, beside = left.only(way), left.without(way), ends - {other}
            then, otherwise = (lambda: self.arms(only, ends)), (lambda: self.arms(others, beside))
            return self.branch(way.flag, then, otherwise, left.location)
        return self.piece(way.target, way.values, ends)

    def with_first(self, left: Left, target: int) -> Left:
        """Tell first whether control is left to one of the targets."""
        way = left.way(target)
        assert way is not None, "it may be left there"
        before = left.ways[: left.ways.index(way)]
        if not before:
            return left
        (first, *others), after = [way.flag for way in before], left.ways[len(before) + 1 :]
        assert first is not None, "one of several ways"
        flag = first._replace(holds=not first.holds)
        for other in [f._replace(holds=not f.holds) for f in others if f is not None] + [way.flag] * bool(after):
            op = AndIOp(self.truth(flag), self.truth(other or True))
            self.to.add_op(op)
            flag = Flag(op.result)
        last = () if after else (replace(before[-1], flag=None),)
        return replace(left, ways=(replace(way, flag=flag), *before[: len(before) - len(last)], *last, *after))

    # Branches.

    def branch(
        self, flag: Flag, then: Callable[[], Left], otherwise: Callable[[], Left], location: LocationAttr
    ) -> Left:
        """Write two arms, and put together how they are left."""
        outside, arms = self.to, (Block(), Block())
        ends: list[Left] = []
        for arm, write in zip(arms, (then, otherwise) if flag.holds else (otherwise, then), strict=True):
            self.to = arm
            ends.append(write())
        targets = sorted({way.target for left in ends for way in left.ways}, key=self.graph.rank.__getitem__)
        passed = [pairs_of([left.way(target) for left in ends]) for target in targets]
        flags = [self._told(target, ends, arms) for target in targets[:-1]]
        escaping = list(zip(*(left.escaping for left in ends), strict=True))
        self.to = outside
        pairs = [*(pair for several in passed for pair in several), *(pair for pair, _ in flags), *escaping]
        joined = self._joined(flag.value, arms, dict.fromkeys(pairs), location)
        told = [*(self._flag(flag.value, pair, joined, holds=holds) for pair, holds in flags), None]
        ways = [
            Way(target, tuple(joined[pair] or self.poison(type_of(pair)) for pair in several), found)
            for target, several, found in zip(targets, passed, told, strict=False)
        ]
        return Left(tuple(ways), location, tuple(joined[pair] for pair in escaping))

    def _told(self, target: int, ends: Sequence[Left], arms: Sequence[Block]) -> tuple[Pair, bool]:
        """Return what tells in each arm whether it is left to a target, or what tells the contrary."""
        known = [flag_in(left, target, self.graph.rank) for left in ends]
        holds = any(not isinstance(flag, Flag) or flag.holds for flag in known)
        found: list[SSAValue | None] = []
        for flag, self.to in zip(known, arms, strict=True):
            if isinstance(flag, bool):
                found.append(self.truth(flag))
            else:
                found.append(flag and (flag.value if flag.holds == holds else self.truth(flag)))
        return (found[0], found[1]), holds

    def _flag(self, condition: SSAValue, pair: Pair, joined: dict[Pair, SSAValue | None], *, holds: bool) -> Flag:
        """Return the flag after a branch; often it is the condition of that."""
        if pair == (self.true, self.false):
            return Flag(condition)
        if pair == (self.false, self.true):
            return Flag(condition, holds=False)
        value = joined[pair]
        assert value is not None, "one of the arms tells"
        return Flag(value, holds)

    def _joined(
        self, condition: SSAValue, arms: Sequence[Block], pairs: Iterable[Pair], location: LocationAttr
    ) -> dict[Pair, SSAValue | None]:
        """Write the branch, with a result for each pair of values that needs one."""
        truths = {self.true, self.false}
        found: dict[Pair, SSAValue | None] = {}
        for pair in pairs:
            values = [value for value in dict.fromkeys(pair) if value is not None]
            if not values or (len(values) == 1 and not any(is_within(values[0], arm) for arm in arms)):
                found[pair] = values[0] if values else None
            elif {*values} == truths:
                found[pair] = None
        results = [pair for pair in pairs if pair not in found]
        if not results and not any(arm.ops for arm in arms):
            return found
        for side, arm in enumerate(arms):
            yielded = [pair[side] or self.poison(type_of(pair)) for pair in results]
            arm.add_op(YieldOp.create(operands=yielded, location=location))
        regions = [Region(arms[0]), Region(arms[1]) if results or len(arms[1].ops) > 1 else Region()]
        op = IfOp.create(
            operands=[condition], result_types=[type_of(pair) for pair in results], regions=regions, location=location
        )
        self.to.add_op(op)
        found.update(zip(results, op.results, strict=True))
        return found

    # Loops.

    def loop(self, header: int, values: Sequence[SSAValue]) -> Left:
        """Write a loop; return how it is left."""
        around, outside, loop = self.level, self.to, self.graph.loops[header]
        self.level = _Level(header, loop.blocks, tuple(self.graph.escaping[header]))
        arguments = self.graph.blocks[header].args
        before, after = Block(arg_types=[a.type for a in arguments]), Block()
        carried = _Carried(before, after)
        self.to = before
        tests = self.graph.tests[header]
        if tests:
            condition, left, entering = self._tested(header, before.args, len(tests))
            self.to = after
            following = self.piece(entering.target, entering.values, {header}).way(header)
            after.add_op(YieldOp.create(operands=self._passed(following, header), location=self.graph.places[header]))
            carried.replace_uses(self.pending)
        else:
            left = self.piece(header, before.args, {header, *loop.exits})
            following = left.way(header)
            condition = self.truth(False if following is None else following.flag or True)
            left = left if following is None else left.without(following)
            yielded = [carried(value) for value in self._passed(following, header)]
            after.add_op(YieldOp.create(operands=yielded, location=self.graph.places[header]))
        for value in (value for way in left.ways for value in (*way.values, *([way.flag.value] if way.flag else []))):
            carried(value)
        for escaping in left.escaping:
            if escaping is not None:
                carried(escaping)
        self.to, self.level = outside, around
        return self._leave(header, values, condition, carried, left)

    def _tested(self, header: int, values: Sequence[SSAValue], count: int) -> tuple[SSAValue, Left, Way]:
        """Write the tests of a loop; return whether it goes on, how it is left, and how its body is entered."""
        _, first = self.straight(header, values)
        left = first
        conditions: list[SSAValue] = []
        for number in range(count):
            leaving, entering = sorted(left.ways, key=lambda way: self.level.holds(way.target))
            flag = left.ways[0].flag
            assert flag is not None, "one of two ways"
            conditions.append(self.truth(flag if entering is left.ways[0] else Flag(flag.value, not flag.holds)))
            if number == 0:
                first = left.only(leaving)
            if number < count - 1:
                _, left = self.straight(entering.target, entering.values)
        while len(conditions) > 1:
            one, other, *rest = conditions
            self.to.add_op(op := AndIOp(one, other))
            conditions = [op.result, *rest]
        return conditions[0], first, entering

    def _passed(self, following: Way | None, header: int) -> Sequence[SSAValue]:
        """Return what the header is passed by its latches; nothing is where the loop never gets there."""
        arguments = self.graph.blocks[header].args
        return following.values if following is not None else [self.poison(argument.type) for argument in arguments]

    def _leave(
        self, header: int, values: Sequence[SSAValue], condition: SSAValue, carried: _Carried, left: Left
    ) -> Left:
        """Write the operation, and let its results stand for what is used after it."""
        location, asked = self.graph.places[header], self.graph.conditions[header]
        forwarded = list(carried.arguments)
        carried.before.add_op(ConditionOp.create(operands=[condition, *forwarded], location=asked))
        op = WhileOp.create(
            operands=list(values),
            result_types=[value.type for value in forwarded],
            regions=[Region(carried.before), Region(carried.after)],
            attributes=marked(self.jumps.get(self.graph.blocks[header]), JUMP),
            location=location,
        )
        self.to.add_op(op)
        result: dict[SSAValue, SSAValue] = dict(zip(forwarded, op.results, strict=True))
        for value, mine in result.items():
            mine.name_hint = value.name_hint
        for value, end in zip(self.graph.escaping[header], left.escaping, strict=True):
            if end is not None:
                self.replace(self.settled(value), result.get(end, end), only=self.pending)
        ways = tuple(
            Way(
                way.target,
                tuple(result.get(value, value) for value in way.values),
                way.flag and Flag(result.get(way.flag.value, way.flag.value), way.flag.holds),
            )
            for way in left.ways
        )
        return Left(ways, location, self._escape(header, ways))

    # Values.

    def replace(self, value: SSAValue, by: SSAValue, only: AbstractSet[Block] | None = None) -> None:
        """Let another value stand for one, in all uses or in those in some blocks."""
        if value is by:
            return
        if by.name_hint is None and not isinstance(by.owner, ConstantOp | PoisonOp):
            by.name_hint = value.name_hint
        for use in tuple(value.uses):
            if only is None or use.operation.parent in only:
                use.operation.operands[use.index] = by
        self.replaced[value] = by

    def settled(self, value: SSAValue) -> SSAValue:
        """Return what stands for a value now."""
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def truth(self, flag: Flag | bool) -> SSAValue:  # noqa: FBT001 - what is told
        """Return the value of a flag, computed here where that is the contrary of one."""
        if isinstance(flag, Flag) and not flag.holds:
            test = flag.value.owner
            if isinstance(test, CmpiOp):
                self.to.add_op(compared := CmpiOp(test.lhs, test.rhs, contrary(test)))
                self.turned.append(test)
                return compared.result
            self.to.add_op(op := XOrIOp(flag.value, self.true))
            return op.result
        if isinstance(flag, Flag):
            return flag.value
        return self.true if flag else self.false

    @property
    def true(self) -> SSAValue:
        """The truth value of what holds."""
        return self._constant(-1, lambda: ConstantOp(IntegerAttr(-1, i1)))

    @property
    def false(self) -> SSAValue:
        """The truth value of what does not hold."""
        return self._constant(0, lambda: ConstantOp(IntegerAttr(0, i1)))

    def poison(self, of_type: Attribute) -> SSAValue:
        """Return the undefined value of a type; a truth value that nobody asks for is false."""
        if of_type == i1:
            return self.false
        return self._constant(
            of_type, lambda: PoisonOp.create(result_types=[of_type], properties={"value": PoisonAttr()})
        )

    def _constant(self, key: object, make: Callable[[], Operation]) -> SSAValue:
        if key not in self.constants:
            self.constants[key] = make()
        return self.constants[key].results[0]


class _Carried:
    """The values of the first region of a loop that its second one and what follows have: arguments of the second."""

    def __init__(self, before: Block, after: Block) -> None:
        self.before, self.after = before, after
        self.arguments: dict[SSAValue, SSAValue] = {}

    def __call__(self, value: SSAValue) -> SSAValue:
        """Return what stands for a value in the second region."""
        if not is_within(value, self.before):
            return value
        if value not in self.arguments:
            self.arguments[value] = self.after.insert_arg(value.type, len(self.after.args), location_in(value))
            self.arguments[value].name_hint = value.name_hint
        return self.arguments[value]

    def replace_uses(self, pending: AbstractSet[Block]) -> None:
        """Carry what the second region uses."""
        for value in [*self.before.args, *(result for op in self.before.ops for result in op.results)]:
            for use in tuple(value.uses):
                if use.operation.parent is not self.before and use.operation.parent not in pending:
                    use.operation.operands[use.index] = self(value)
