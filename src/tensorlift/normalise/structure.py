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

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.arith import AndIOp, ConstantOp, XOrIOp
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block, BlockArgument, Region

from tensorlift.ir.regions import ControlFlow
from tensorlift.normalise.choices import choose_in_tests, may_be_asked
from tensorlift.normalise.jumps import thread_jumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from xdsl.dialects.builtin import LocationAttr, ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue

    Pair = tuple["SSAValue | None", "SSAValue | None"]

_END = 1 << 62  # the target of a return, which is later than all blocks


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
            if isinstance(op, FuncOp) and len(op.body.blocks) > 1:
                flow = ControlFlow(op)
                headers = [flow.blocks[header] for header in flow.loops]
                thread_jumps(op, headers)
                choose_in_tests(headers)
                _Structuring(op).run()


class _Flag(NamedTuple):
    """A truth value, or the contrary of one."""

    value: SSAValue
    holds: bool = True


@dataclass(frozen=True)
class _Way:
    """One way in which a piece of control may be left: to a block, with what that is passed.

    ``flag`` tells whether it is this one, where it is none of those before it; the last way needs none.
    """

    target: int
    values: tuple[SSAValue, ...]
    flag: _Flag | None = None


@dataclass(frozen=True)
class _Left:
    """How a piece of control is left: in one of several ways, in the order of their targets.

    ``escaping`` are the values that are used after the loop around, None where they are not computed.
    """

    ways: tuple[_Way, ...]
    location: LocationAttr
    escaping: tuple[SSAValue | None, ...] = ()

    def way(self, target: int) -> _Way | None:
        """Return the way to a target."""
        return next((way for way in self.ways if way.target == target), None)

    def only(self, way: _Way) -> _Left:
        """Say that one way is taken."""
        return replace(self, ways=(replace(way, flag=None),))

    def without(self, way: _Way) -> _Left:
        """Say that one way is not taken."""
        return replace(self, ways=tuple(other for other in self.ways if other is not way))


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

    def __init__(self, function: FuncOp) -> None:
        self.flow = flow = ControlFlow(function)
        self.to, self.level = Block(), _Level()
        self.rank = flow.ranks() | {_END: _END}
        self.pending = set(flow.blocks)
        self.replaced: dict[SSAValue, SSAValue] = {}
        self.constants: dict[object, Operation] = {}
        self.places = {h: self._place(h) for h in flow.loops}
        self.home: dict[SSAValue, int] = {}
        self.escaping = self._escaping()
        self.sources = self._sources()
        self.merges = self._merges()

    def run(self) -> None:
        """Make the function one block."""
        function = self.flow.function
        entry, *others = self.flow.blocks
        left = self.piece(0, tuple(entry.args), {_END})
        types = function.function_type.outputs.data
        returned = left.ways[0].values if left.ways else [self.poison(of) for of in types]  # it never ends
        self.to.add_op(ReturnOp.create(operands=returned, location=left.location))
        for block in others:
            function.body.detach_block(block)
        entry.add_ops(op for op in self.constants.values() if op.results[0].first_use is not None)
        for op in list(self.to.ops):
            op.detach()
            entry.add_op(op)

    # What is known of the graph before it is changed.

    def _place(self, header: int) -> LocationAttr:
        """Return the place of a loop: where it is entered from outside."""
        entering = (b for b, targets in enumerate(self.flow.successors) if header in targets)
        return self.terminator(next(b for b in entering if b not in self.flow.loops[header].blocks)).location

    def terminator(self, block: int) -> Operation:
        """Return how a block ends."""
        last = self.flow.blocks[block].last_op
        assert last is not None, "a block ends"
        return last

    def around(self, block: int) -> list[int]:
        """List the loops around a block, inner ones first."""
        found = [header for header, loop in self.flow.loops.items() if block in loop.blocks]
        return sorted(found, key=lambda header: len(self.flow.loops[header].blocks))

    def _escaping(self) -> dict[int, dict[SSAValue, None]]:
        """List for each loop the values of it that are used after it."""
        found: dict[int, dict[SSAValue, None]] = {header: {} for header in self.flow.loops}
        around = [frozenset(self.around(number)) for number in range(len(self.flow.blocks))]
        home = {value: number for number in range(len(around)) for value in self.flow.values([number])}
        for number, block in enumerate(self.flow.blocks):
            for value in (value for op in block.ops for value in op.operands):
                for header in around[home[value]] - around[number]:
                    found[header][value] = None
                    self.home[value] = home[value]
        return found

    def _sources(self) -> dict[int, list[int]]:
        """List for each block the steps that edges come from; seen from outside, an inner loop is one, its header."""
        found: dict[int, list[int]] = {block: [] for block in self.flow.position.values()}
        for source, targets in enumerate(self.flow.successors):
            for target in targets:
                step = self._step_of(source, target)
                if self.rank[source] < self.rank[target] and (step == source or step not in found[target]):
                    found[target].append(step)
        return found

    def _merges(self) -> dict[int, list[int]]:
        """List for each step those blocks after it where several edges meet."""
        found: dict[int, list[int]] = {}
        for block in sorted(self.sources, key=self.rank.__getitem__):
            if len(self.sources[block]) > 1:
                before = max(self.flow.dominators(block) - {block}, key=self.rank.__getitem__)
                found.setdefault(self._step_of(before, block), []).append(block)
        return found

    def _step_of(self, source: int, target: int) -> int:
        """Return the header of the outermost loop that is left on the way from a block to another, or the block."""
        left = [header for header in self.around(source) if target not in self.flow.loops[header].blocks]
        return left[-1] if left else source

    # Pieces of control.

    def piece(self, start: int, values: Sequence[SSAValue], ends: AbstractSet[int]) -> _Left:
        """Write what begins with a block, up to the blocks where it ends."""
        if start in self.flow.loops and start != self.level.header:
            last, left, inside = start, self.loop(start, values), self.flow.loops[start].blocks
        else:
            (last, left), inside = self.straight(start, values), frozenset()
        merges = [b for b in self.merges.get(last, ()) if self.level.holds(b) and b not in ends and b not in inside]
        merges = sorted({*merges, *self._alternatives(last, merges)}, key=self.rank.__getitem__)
        left = self.arms(left, {*ends, *merges})
        for number, block in enumerate(merges, 1):
            if left.way(block) is not None:
                left, later = self.with_first(left, block), merges[number:]
                other = next((w.target for w in left.ways if w.target in later and not self._leads(block, w.target)), None)
                left = self.go_on(left, {*ends, *later}, other)
        return left

    def _alternatives(self, start: int, merges: Iterable[int]) -> Iterable[int]:
        """Yield where conditions lead that do not hold, beside blocks where several of them lead that do.

        ``if (a && b) x; else y;`` has ``x`` after its condition, not in the arm of ``b``, so that ``y`` is its other arm.
        """
        for merge in merges:
            tests = {start}
            for source in self.sources[merge]:
                while source not in tests and len(self.sources[source]) == 1 and source not in self.flow.loops:
                    tests.add(source)
                    (source,) = self.sources[source]  # noqa: PLW2901 - up to the first test
                if source not in tests:
                    break
            else:
                others = {target for test in tests for target in self.flow.successors[test]} - tests - {merge}
                inner = [self.flow.blocks[test] for test in tests - {start}]
                if len(others) == 1 and not any(self._is_used_outside(block, inner) for block in inner):
                    yield from (t for t in others if self.level.holds(t) and tests.issuperset(self.sources[t]))

    def _is_used_outside(self, block: Block, blocks: Sequence[Block]) -> bool:
        """Whether anything that a block computes is used in others than some."""
        values = self.flow.values([self.flow.position[block]])
        return any(use.operation.parent not in blocks for value in values for use in value.uses)

    def _leads(self, source: int, target: int) -> bool:
        """Whether a block is reached from another one, without going back."""
        seen, stack = {source}, [source]
        while stack:
            block = stack.pop()
            new = {t for t in self.flow.successors[block] if self.rank[block] < self.rank[t] <= self.rank[target]} - seen
            seen |= new
            stack += new
        return target in seen

    def straight(self, start: int, values: Sequence[SSAValue]) -> tuple[int, _Left]:
        """Write a block, and those that simply follow; return the last one, and how it is left."""
        while True:
            for argument, value in zip(self.flow.blocks[start].args, values, strict=True):
                self.replace(argument, value)
            ways = [_Way(target, tuple(passed)) for target, passed in self.flow.edges(start)]
            last = self.terminator(start)
            self.pending.discard(self.flow.blocks[start])
            for op in list(self.flow.blocks[start].ops):
                op.detach()
                if op is not last:
                    self.to.add_op(op)
            operands = tuple(last.operands)
            last.erase()
            if len(ways) != 1 or not self._follows(ways[0].target):
                break
            start, values = ways[0].target, ways[0].values
        if not ways:
            ways = [_Way(_END, operands)]
        left = _Left(tuple(ways), last.location, self._escape(start, ways))
        if len(ways) == 1:
            return start, left
        flag, (then, other) = _Flag(operands[0]), ways
        if then.target == other.target:
            return start, self.branch(flag, lambda: left.only(then), lambda: left.only(other), left.location)
        if self.rank[then.target] > self.rank[other.target]:
            then, other, flag = other, then, _Flag(flag.value, holds=False)
        return start, replace(left, ways=(replace(then, flag=flag), other))

    def _follows(self, target: int) -> bool:
        """Whether a block stands right after the only one that leads to it."""
        is_loop = target in self.flow.loops
        return len(self.sources[target]) == 1 and not is_loop and self.level.holds(target)

    def _escape(self, block: int, ways: Iterable[_Way]) -> tuple[SSAValue | None, ...]:
        """Return the values that are used after the loop around, as far as they are computed where it is left."""
        if all(way.target != _END and self.level.holds(way.target) for way in ways):
            return (None,) * len(self.level.escaping)
        known = self.flow.dominators(block)
        if block in self.flow.loops and block != self.level.header:
            known |= self.flow.loops[block].blocks
        return tuple(self.settled(v) if self.home[v] in known else None for v in self.level.escaping)

    def arms(self, left: _Left, ends: AbstractSet[int]) -> _Left:
        """Write the blocks that only one way leads to."""
        return left if all(way.target in ends for way in left.ways) else self.go_on(left, ends)

    def go_on(self, left: _Left, ends: AbstractSet[int], other: int | None = None) -> _Left:
        """Write the block of the first way, under its flag if there are others, whose blocks stand in the other arm.

        So does ``other``, which is one of the ends.
        """
        way = left.ways[0]
        if way.flag is not None:
            only, others, beside = left.only(way), left.without(way), ends - {other}
            return self.branch(way.flag, lambda: self.arms(only, ends), lambda: self.arms(others, beside), left.location)
        return self.piece(way.target, way.values, ends)

    def with_first(self, left: _Left, target: int) -> _Left:
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
            flag = _Flag(op.result)
        last = () if after else (replace(before[-1], flag=None),)
        return replace(left, ways=(replace(way, flag=flag), *before[: len(before) - len(last)], *last, *after))

    # Branches.

    def branch(
        self, flag: _Flag, then: Callable[[], _Left], otherwise: Callable[[], _Left], location: LocationAttr
    ) -> _Left:
        """Write two arms, and put together how they are left."""
        outside, arms = self.to, (Block(), Block())
        ends: list[_Left] = []
        for arm, write in zip(arms, (then, otherwise) if flag.holds else (otherwise, then), strict=True):
            self.to = arm
            ends.append(write())
        targets = sorted({way.target for left in ends for way in left.ways}, key=self.rank.__getitem__)
        passed = [_pairs([left.way(target) for left in ends]) for target in targets]
        flags = [self._told(target, ends, arms) for target in targets[:-1]]
        escaping = list(zip(*(left.escaping for left in ends), strict=True))
        self.to = outside
        pairs = [*(pair for several in passed for pair in several), *(pair for pair, _ in flags), *escaping]
        joined = self._joined(flag.value, arms, dict.fromkeys(pairs), location)
        told = [*(self._flag(flag.value, pair, joined, holds=holds) for pair, holds in flags), None]
        ways = [
            _Way(target, tuple(joined[pair] or self.poison(_type(pair)) for pair in several), found)
            for target, several, found in zip(targets, passed, told, strict=False)
        ]
        return _Left(tuple(ways), location, tuple(joined[pair] for pair in escaping))

    def _told(self, target: int, ends: Sequence[_Left], arms: Sequence[Block]) -> tuple[Pair, bool]:
        """Return what tells in each arm whether it is left to a target, or what tells the contrary."""
        known = [_flag_in(left, target, self.rank) for left in ends]
        holds = any(not isinstance(flag, _Flag) or flag.holds for flag in known)
        found: list[SSAValue | None] = []
        for flag, self.to in zip(known, arms, strict=True):
            if isinstance(flag, bool):
                found.append(self.truth(flag))
            else:
                found.append(flag and (flag.value if flag.holds == holds else self.truth(flag)))
        return (found[0], found[1]), holds

    def _flag(self, condition: SSAValue, pair: Pair, joined: dict[Pair, SSAValue | None], *, holds: bool) -> _Flag:
        """Return the flag after a branch; often it is the condition of that."""
        if pair == (self.truth(True), self.truth(False)):
            return _Flag(condition)
        if pair == (self.truth(False), self.truth(True)):
            return _Flag(condition, holds=False)
        value = joined[pair]
        assert value is not None, "one of the arms tells"
        return _Flag(value, holds)

    def _joined(
        self, condition: SSAValue, arms: Sequence[Block], pairs: Iterable[Pair], location: LocationAttr
    ) -> dict[Pair, SSAValue | None]:
        """Write the branch, with a result for each pair of values that needs one."""
        truths = {self.truth(True), self.truth(False)}
        found: dict[Pair, SSAValue | None] = {}
        for pair in pairs:
            values = [value for value in dict.fromkeys(pair) if value is not None]
            if not values or (len(values) == 1 and not any(_is_within(values[0], arm) for arm in arms)):
                found[pair] = values[0] if values else None
            elif {*values} == truths:
                found[pair] = None
        results = [pair for pair in pairs if pair not in found]
        if not results and not any(arm.ops for arm in arms):
            return found
        for side, arm in enumerate(arms):
            yielded = [pair[side] or self.poison(_type(pair)) for pair in results]
            arm.add_op(YieldOp.create(operands=yielded, location=location))
        regions = [Region(arms[0]), Region(arms[1]) if results or len(arms[1].ops) > 1 else Region()]
        op = IfOp.create(
            operands=[condition], result_types=[_type(pair) for pair in results], regions=regions, location=location
        )
        self.to.add_op(op)
        for pair, result in zip(results, op.results, strict=True):
            found[pair] = result
        return found

    # Loops.

    def loop(self, header: int, values: Sequence[SSAValue]) -> _Left:
        """Write a loop; return how it is left."""
        around, outside, loop = self.level, self.to, self.flow.loops[header]
        self.level = _Level(header, loop.blocks, tuple(self.escaping[header]))
        arguments = self.flow.blocks[header].args
        before, after = Block(arg_types=[a.type for a in arguments]), Block()
        carried = _Carried(before, after)
        self.to = before
        tests = self._tests(header)
        if tests:
            condition, left, entering = self._tested(header, before.args, len(tests))
            self.to = after
            following = self.piece(entering.target, entering.values, {header}).way(header)
            after.add_op(YieldOp.create(operands=self._passed(following, header), location=self.places[header]))
            carried.replace_uses(self.pending)
        else:
            left = self.piece(header, before.args, {header, *loop.exits})
            following = left.way(header)
            condition = self.truth(False if following is None else following.flag or True)
            left = left if following is None else left.without(following)
            yielded = [carried(value) for value in self._passed(following, header)]
            after.add_op(YieldOp.create(operands=yielded, location=self.places[header]))
        for value in (value for way in left.ways for value in (*way.values, *([way.flag.value] if way.flag else []))):
            carried(value)
        for escaping in left.escaping:
            if escaping is not None:
                carried(escaping)
        self.to, self.level = outside, around
        return self._leave(header, values, condition, carried, left)

    def _tests(self, header: int) -> list[int]:
        """List where a loop is left, if that is at its begin: by the test of its header, and those that follow on that.

        What these compute has no effect, so that they may be asked at once.
        """
        inside, block = self.flow.loops[header].blocks, header
        found: list[int] = []
        first: list[tuple[int, Sequence[SSAValue]]] = []
        while block not in found:
            targets = self.flow.successors[block]
            if len(targets) > 1:
                leaving = [(target, passed) for target, passed in self.flow.edges(block) if target not in inside]
                if len(leaving) != 1 or (found and leaving != first):
                    break
                found.append(block)
                first = leaving
            following = next(target for target in targets if target in inside)
            if len(self.sources[following]) != 1 or following in self.flow.loops:
                break
            if found and (len(self.flow.successors[following]) == 1 or not may_be_asked(self.flow.blocks[following])):
                break
            block = following
        entering = {t for test in found for t in self.flow.successors[test] if t in inside}
        leaving_blocks = {b for b in inside for target in self.flow.successors[b] if target not in inside}
        return found if leaving_blocks == {*found} and header not in entering else []

    def _tested(self, header: int, values: Sequence[SSAValue], count: int) -> tuple[SSAValue, _Left, _Way]:
        """Write the tests of a loop; return whether it goes on, how it is left, and how its body is entered."""
        _, first = self.straight(header, values)
        left = first
        conditions: list[SSAValue] = []
        for number in range(count):
            leaving, entering = sorted(left.ways, key=lambda way: self.level.holds(way.target))
            flag = left.ways[0].flag
            assert flag is not None, "one of two ways"
            conditions.append(self.truth(flag if entering is left.ways[0] else _Flag(flag.value, not flag.holds)))
            if number == 0:
                first = left.only(leaving)
            if number < count - 1:
                _, left = self.straight(entering.target, entering.values)
        while len(conditions) > 1:
            self.to.add_op(op := AndIOp(*conditions[:2]))
            conditions[:2] = [op.result]
        return conditions[0], first, entering

    def _passed(self, following: _Way | None, header: int) -> Sequence[SSAValue]:
        """Return what the header is passed by its latches; nothing is where the loop never gets there."""
        arguments = self.flow.blocks[header].args
        return following.values if following is not None else [self.poison(argument.type) for argument in arguments]

    def _leave(
        self, header: int, values: Sequence[SSAValue], condition: SSAValue, carried: _Carried, left: _Left
    ) -> _Left:
        """Write the operation, and let its results stand for what is used after it."""
        location = self.places[header]
        forwarded = list(carried.arguments)
        carried.before.add_op(ConditionOp.create(operands=[condition, *forwarded], location=location))
        op = WhileOp.create(
            operands=list(values),
            result_types=[value.type for value in forwarded],
            regions=[Region(carried.before), Region(carried.after)],
            location=location,
        )
        self.to.add_op(op)
        result = dict(zip(forwarded, op.results, strict=True))
        for value, mine in result.items():
            mine.name_hint = value.name_hint
        for value, mine in zip(self.escaping[header], left.escaping, strict=True):
            if mine is not None:
                self.replace(self.settled(value), result.get(mine, mine), only=self.pending)
        ways = tuple(
            _Way(
                way.target,
                tuple(result.get(value, value) for value in way.values),
                way.flag and _Flag(result.get(way.flag.value, way.flag.value), way.flag.holds),
            )
            for way in left.ways
        )
        return _Left(ways, location, self._escape(header, ways))

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

    def truth(self, flag: _Flag | bool) -> SSAValue:  # noqa: FBT001 - what is told
        """Return the value of a flag, computed here where that is the contrary of one."""
        if isinstance(flag, _Flag) and not flag.holds:
            op = XOrIOp(flag.value, self.truth(True))
            self.to.add_op(op)
            return op.result
        if isinstance(flag, _Flag):
            return flag.value
        return self._constant(flag, lambda: ConstantOp(IntegerAttr(-1 if flag else 0, i1)))

    def poison(self, of_type: Attribute) -> SSAValue:
        """Return the undefined value of a type; a truth value that nobody asks for is false."""
        if of_type == i1:
            return self.truth(False)
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
        if not _is_within(value, self.before):
            return value
        if value not in self.arguments:
            self.arguments[value] = self.after.insert_arg(value.type, len(self.after.args), _location(value))
            self.arguments[value].name_hint = value.name_hint
        return self.arguments[value]

    def replace_uses(self, pending: AbstractSet[Block]) -> None:
        """Carry what the second region uses."""
        for value in [*self.before.args, *(result for op in self.before.ops for result in op.results)]:
            for use in tuple(value.uses):
                if use.operation.parent is not self.before and use.operation.parent not in pending:
                    use.operation.operands[use.index] = self(value)


def _pairs(ways: Sequence[_Way | None]) -> list[Pair]:
    """Return what is passed along a way from either arm."""
    one, other = (way.values if way is not None else None for way in ways)
    return [*zip(one or (None,) * len(other or ()), other or (None,) * len(one or ()), strict=True)]


def _flag_in(left: _Left, target: int, rank: dict[int, int]) -> _Flag | bool | None:
    """Tell whether control is left to a target, given that it is to none before; None: then it is not so left."""
    way = left.way(target)
    if way is not None:
        return way.flag or True
    return False if left.ways and rank[left.ways[-1].target] > rank[target] else None


def _location(value: SSAValue) -> LocationAttr:
    return value.location if isinstance(value, BlockArgument) else value.owner.location


def _type(pair: Pair) -> Attribute:
    return next(value.type for value in pair if value is not None)


def _is_within(value: SSAValue, block: Block) -> bool:
    """Whether a value is computed in a block, or in a region of it."""
    at = value.owner if isinstance(value.owner, Block) else value.owner.parent
    while at is not None and at is not block:
        at = at.parent_block()
    return at is block
