"""A loop that does something and is left early: it looks for its first hit, and does it up to there.

    for (i = 0; i < n; i++) {                     h = n;
        y[i] = 1;                                 for (i = 0; i < n; i++)
        if (x[i] < 0) break;                          h = min(h, x[i] < 0 ? i : n);
        s += x[i];                                for (i = 0; i < n; i++)
    }                                                 if (i <= h) {
                                                          y[i] = 1;
                                                          if (i < h) s += x[i];
                                                      }

That is so where the tests are of nothing that earlier iterations stored.  What they test of numbers that iterations
hand on, as a sum so far, the first loop computes as well, as if it were never left.

What iterations hand on has its last value before the hit.  What the loop leaves besides is computed after it, of that
and of the hit; where it needs more than arithmetic, as ``x[h]`` does, the second loop picks it.  Neither loop takes
fewer iterations than there may be: the mark ``tl.left`` holds the diagnostic that refuses one that stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.arith import (
    AddfOp,
    AddiOp,
    AndIOp,
    CmpiOp,
    ConstantOp,
    MaxSIOp,
    MinSIOp,
    MinUIOp,
    OrIOp,
    SelectOp,
    XOrIOp,
)
from xdsl.dialects.builtin import FloatAttr, IntegerType, i1
from xdsl.dialects.scf import IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue

from tensorlift.ir.arithmetic import constant_of, predicate_number
from tensorlift.ir.left_early import HIT, JUMP, PICKED, marked, refusal_of
from tensorlift.ir.location import location_of
from tensorlift.normalise.choices import is_harmless
from tensorlift.normalise.edit import is_asked, is_quiet, last_of, move, remove, sweep
from tensorlift.normalise.guards import contrary
from tensorlift.normalise.searches import Search, Writer
from tensorlift.normalise.slices import OutOfReachError, Slices, known_by
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections import ChainMap
    from collections.abc import Sequence


_EFFECTS = ("memref.store", "memref.alloca", "cf.assert")


def split(op: WhileOp, search: Search) -> bool:
    """Write a loop that is left early as one for its first hit, and one up to it; tell whether that can be."""
    has_memory = any(not isinstance(value.type, IntegerType) and "memref" in value.type.name for value in op.operands)
    is_known = all(is_quiet(inside) or _is_effect(inside) for inside in _leaves(op))
    falls_to_none = search.is_unsigned and (search.steps[search.counter] or 0) < 0
    counts = isinstance(op.operands[search.counter].type, IntegerType)
    if has_memory or falls_to_none or not is_known or not counts:
        return False
    return _Splitting(op, search).run()


def _leaves(op: Operation) -> list[Operation]:
    return [inside for inside in op.walk() if not inside.regions]


def _is_effect(op: Operation) -> bool:
    return op.name in _EFFECTS or is_asked(op)


def _has_effect(op: Operation) -> bool:
    return any(_is_effect(inside) for inside in op.walk())


class _Test(NamedTuple):
    """A branch of the body by which the loop is left in one arm, and goes on in the other one."""

    op: IfOp
    goes_on: Block
    exit: Block


def _tests(body: Block, goes_on: SSAValue) -> list[_Test] | None:
    """List the branches by which an iteration leaves the loop, each in an arm of the one before; else None."""
    found: list[_Test] = []
    block = body
    while constant_of(goes_on) in {None, 0}:
        branches = [op for op in block.ops if isinstance(op, IfOp) and _leads(op, goes_on)]
        if len(branches) != 1 or len(branches[0].regions[1].blocks) != 1:
            return None
        (branch,) = branches
        side = _leads(branch, goes_on)
        then, otherwise = (region.block for region in branch.regions)
        block, exit_ = (then, otherwise) if side == "then" else (otherwise, then)
        following, after = branch.next_op, False
        while following is not None:
            after = after or _has_effect(following)
            following = following.next_op
        if after or any(map(_has_effect, exit_.ops)):
            return None
        found.append(_Test(branch, block, exit_))
        if not isinstance(goes_on, OpResult) or goes_on.owner is not branch:
            return found
        goes_on = last_of(block).operands[goes_on.index]
    return found


def _leads(branch: IfOp, goes_on: SSAValue) -> str | None:
    """Return the arm of a branch in which the loop goes on, if that tells."""
    if isinstance(goes_on, OpResult) and goes_on.owner is branch:
        ends = [constant_of(last_of(region.block).operands[goes_on.index]) == 0 for region in branch.regions]
        return {(False, True): "then", (True, False): "else"}.get((ends[0], ends[1]))
    if goes_on is branch.cond:
        return "then"
    return "else" if _is_not(goes_on, branch.cond) else None


def _is_not(one: SSAValue, other: SSAValue) -> bool:
    """Whether one truth value is the contrary of another one."""
    made, like = one.owner, other.owner
    if isinstance(made, XOrIOp):
        return made.lhs is other and constant_of(made.rhs) not in {None, 0}
    if not isinstance(made, CmpiOp) or not isinstance(like, CmpiOp):
        return False
    return tuple(made.operands) == tuple(like.operands) and made.predicate.value.data == contrary(like)


class _Begun(NamedTuple):
    """A loop that is being written: what it begins with, how that is called, its blocks, what moves by steps there."""

    inits: Sequence[SSAValue]
    hints: Sequence[str | None]
    before: Block
    after: Block
    here: dict[SSAValue, SSAValue]


class _Splitting(Writer):
    """One loop, and the two that are written in place of it."""

    def __init__(self, op: WhileOp, search: Search) -> None:
        super().__init__(op, search)
        goes_on = self.condition.operands[0]
        assert isinstance(goes_on, OpResult)
        self.goes_on = last_of(search.body).operands[goes_on.index]
        self.slices = Slices(op, search.steps)
        self.arguments = self.before.args
        self.numbers = [k for k, step in enumerate(search.steps) if step is None]  # that iterations hand on
        self.following = [self.left(value, search.body) for value in search.handed]
        self.counter = self.arguments[search.counter]
        self.tests = _tests(search.body, self.goes_on)
        # What stands for results of the second loop until there is one: its numbers, and what it picks.
        self.stands = Block(arg_types=[self.arguments[k].type for k in self.numbers])
        self.picked: dict[SSAValue, BlockArgument] = {}
        self.left_at_hit: dict[SSAValue, SSAValue] = {}
        self.held = set[SSAValue]()  # results of tests that are what is held where these leave the loop

    def run(self) -> bool:
        """Write the loops; tell whether that can be."""
        ahead, behind = Block(), Block()
        try:
            hit, past, known = self._ahead(ahead)
            left = self._behind(behind, hit, past, known)
        except OutOfReachError:
            for block in (ahead, behind):
                for inside in [inside for op in block.ops for inside in op.walk()]:
                    inside.drop_all_references()
            return False
        self.place = self.op.location
        for result, value in left.items():
            result.replace_all_uses_with(value)
        move(list(ahead.ops), self.op)
        if self.picked:
            self._second(hit)
        is_asked_for = any(stand.first_use is not None for stand in self.stands.args[: len(self.numbers)])
        if is_asked_for or any(map(_has_effect, self.search.body.ops)):
            self._third(hit)
        move(list(behind.ops), self.op)
        remove(self.op)
        return True

    # -- the search

    def _ahead(self, block: Block) -> tuple[SSAValue, SSAValue, dict[SSAValue, SSAValue]]:
        """Write the first loop; return the hit, what that is without one, and what is known at the loop's end."""
        asked = self._asked()
        self.to = block
        known: dict[SSAValue, SSAValue] = {}
        past = self._bound(known)
        hints = [HIT, *(self.arguments[k].name_hint for k in asked)]
        begun = self._begun([self.low, past, *(self.op.operands[k] for k in asked)], hints)
        after = begun.after
        begun.here.update(zip((self.arguments[k] for k in asked), after.args[2:], strict=True))
        found = known_by(begun.here)
        goes_on = self.slices.copied(self.goes_on, found, after)
        least: type[MinSIOp | MinUIOp | MaxSIOp] = MinUIOp if self.search.is_unsigned else MinSIOp
        here_or_past = self.emit(SelectOp(goes_on, past, after.args[0]))
        hit = self.emit((least if self.step > 0 else MaxSIOp)(after.args[1], here_or_past))
        handed = [self.slices.copied(self._next(k), found, after) for k in asked]
        made = self._ended(begun, [hit, *handed], block)
        return made.results[1], past, known

    def _bound(self, known: dict[SSAValue, SSAValue]) -> SSAValue:
        """Return what the hit is where there is none: what the counter is then, if that is asked for."""
        past = self.past(known)
        results = (number for number, result in enumerate(self.op.results) if result.first_use is not None)
        left = (self.left(self.condition.operands[1 + number], self.search.rest) for number in results)
        return self.end(past) if any(map(self.asks, left)) else past

    def _asked(self) -> list[int]:
        """List the numbers that iterations hand on which the tests are of."""
        needed, work = set[int](), [self.goes_on]
        while work:
            for argument in self.slices.needs(work.pop()):
                number = argument.index  # type: ignore[attr-defined]  # an argument of the block
                if number in self.numbers and number not in needed:
                    needed.add(number)
                    work.append(self._next(number))
        return sorted(needed)

    def _next(self, number: int) -> SSAValue:
        """Return what an iteration that goes on hands on."""
        value = self.following[number]
        for test in self.tests or ():
            if isinstance(value, OpResult) and value.owner is test.op:
                value = last_of(test.goes_on).operands[value.index]
        return value

    # -- what the loop leaves

    def _behind(
        self, block: Block, hit: SSAValue, past: SSAValue, known: dict[SSAValue, SSAValue]
    ) -> dict[SSAValue, SSAValue]:
        """Compute what the loop leaves, where there was a hit or not."""
        self.to, self.place = block, self.condition.location
        at_hit: dict[SSAValue, SSAValue] = {}
        at_end = dict(known)
        self.give(at_hit, hit)
        self.give(at_end, past)
        for k, stand in zip(self.numbers, self.stands.args, strict=True):
            at_hit[self.arguments[k]] = at_end[self.arguments[k]] = stand
        self.left_at_hit = at_hit
        left: dict[SSAValue, SSAValue] = {}
        was_hit: SSAValue | None = None
        for number, result in enumerate(self.op.results):
            if result.first_use is None:
                continue
            value = self.condition.operands[1 + number]
            rest, early = self.left(value, self.search.rest), self.left(value, self.search.body)
            if not self.is_arithmetic(rest):
                raise OutOfReachError
            without, with_hit = self.copied(rest, at_end), self._at_hit(early)
            if isinstance(with_hit.owner, PoisonOp) or (with_hit is hit and without is past):
                left[result] = without if isinstance(with_hit.owner, PoisonOp) else hit
            elif isinstance(without.owner, PoisonOp) or without is with_hit:
                left[result] = with_hit
            else:
                was_hit = was_hit or self.emit(self._compared(hit, past, "!="))
                truths = constant_of(with_hit), constant_of(without)
                is_flag = result.type == i1 and truths in {(-1, 0), (1, 0)}
                left[result] = was_hit if is_flag else self.emit(SelectOp(was_hit, with_hit, without))
            if left[result].name_hint is None:
                left[result].name_hint = result.name_hint
        return left

    def _compared(self, left: SSAValue, right: SSAValue, operator: str) -> CmpiOp:
        return CmpiOp(left, right, predicate_number(operator, signed=not self.search.is_unsigned))

    def _at_hit(self, value: SSAValue) -> SSAValue:
        """Compute a value of the iteration of the hit."""
        known = self.left_at_hit
        if value in known or not self.op.is_ancestor(value.owner):
            return known.get(value, value)
        known[value] = self._made_at_hit(value)
        return known[value]

    def _made_at_hit(self, value: SSAValue) -> SSAValue:
        owner = value.owner
        tests = self.tests or ()
        if len(tests) == 1 and value.type == i1 and (value is tests[0].op.cond or _is_not(value, tests[0].op.cond)):
            stops = tests[0].exit is tests[0].op.true_region.block
            return self.number(-1 if stops is (value is tests[0].op.cond) else 0, i1)
        if isinstance(owner, IfOp) and isinstance(value, OpResult):
            ends = [last_of(region.block).operands[value.index] for region in owner.regions]
            if tests and owner is tests[-1].op:
                return self._at_hit(last_of(tests[-1].exit).operands[value.index])
            defined = [end for end in ends if not isinstance(end.owner, PoisonOp)]
            if len(defined) < len(ends):
                return self._at_hit(defined[0] if defined else ends[0])
            if any(owner is test.op for test in tests):
                return self.emit(SelectOp(self._at_hit(owner.cond), *map(self._at_hit, ends)))
        is_of_numbers = any(argument.index in self.numbers for argument in self.slices.needs(value))  # type: ignore[attr-defined]  # an argument
        if isinstance(owner, Operation) and is_harmless(owner) and (is_of_numbers or self.is_arithmetic(value)):
            return self.emit(owner.clone({operand: self._at_hit(operand) for operand in owner.operands}))
        if is_of_numbers:
            raise OutOfReachError
        if value not in self.picked:
            self.picked[value] = self.stands.insert_arg(value.type, len(self.stands.args))
            self.picked[value].name_hint = value.name_hint
        return self.picked[value]

    # -- the second loop

    def _second(self, hit: SSAValue) -> None:
        """Write the loop that picks values of the iteration of the hit, from what was there before the next one."""
        self.to = self.op
        inits = [self.low, *map(self._nothing, self.picked)]
        begun = self._begun(inits, [PICKED for _ in self.picked])
        known, so_far = known_by(begun.here), begun.after.args[1:]
        picks = [self._added(*pair, known, hit) for pair in zip(so_far, self.picked, strict=True)]
        made = self._ended(begun, picks)
        for stand, result in zip(self.picked.values(), made.results[1:], strict=True):
            stand.replace_all_uses_with(result)

    def _third(self, hit: SSAValue) -> None:
        """Write the loop that does what is done up to the hit."""
        inits = [self.low, *(self.op.operands[k] for k in self.numbers)]
        begun = self._begun(inits, [self.arguments[k].name_hint for k in self.numbers])
        held = begun.after.args[1:]
        begun.here.update(zip((self.arguments[k] for k in self.numbers), held, strict=True))
        for argument, value in begun.here.items():
            argument.replace_all_uses_with(value)
            self.following = [value if one is argument else one for one in self.following]
        *ops, _, _ = self.before.ops
        move(ops, begun.after)
        made = self._ended(begun, self._guarded(begun.after, hit, held))
        for stand, result in zip(self.stands.args, made.results[1:], strict=False):
            stand.replace_all_uses_with(result)
        sweep(begun.after)

    def _begun(self, inits: Sequence[SSAValue], hints: Sequence[str | None]) -> _Begun:
        """Begin a loop that counts as this one does, and hands on other values besides."""
        types = [value.type for value in inits]
        before = self.tested(types)
        self.to = after = Block(arg_types=types)
        here: dict[SSAValue, SSAValue] = {}
        self.give(here, after.args[0])
        return _Begun(inits, [self.counter.name_hint, *hints], before, after, here)

    def _ended(self, begun: _Begun, handed: Sequence[SSAValue], to: Block | None = None) -> WhileOp:
        """End a loop, whose body hands something on beside the counter, and write it."""
        inits, hints, before, after, _ = begun
        self.to = after
        following = self.plus(after.args[0], self.step)
        after.add_op(YieldOp.create(operands=[following, *handed], location=self.op.location))
        types = [value.type for value in inits]
        mark = marked(refusal_of(self.op, JUMP) or refusal("ends-early", location_of(self.op)).diagnostics[0])
        regions = [Region(before), Region(after)]
        made = WhileOp.create(operands=inits, result_types=types, regions=regions, attributes=mark)
        for values in (before.args, after.args, made.results):
            for value, hint in zip(values, hints, strict=True):
                value.name_hint = hint
        self.to = to or self.op
        self.emit(made)
        return made

    def _nothing(self, value: SSAValue) -> SSAValue:
        """Write zero, or what is not true."""
        if isinstance(value.type, IntegerType):
            return self.number(0, value.type)
        of_type: Any = value.type
        return self.emit(ConstantOp(FloatAttr(0.0, of_type)))

    def _added(self, so_far: SSAValue, value: SSAValue, known: ChainMap[SSAValue, SSAValue], hit: SSAValue) -> SSAValue:
        """Add a value where there is the hit."""
        assert isinstance(self.to, Block)
        is_hit = self.emit(self._compared(self.to.args[0], hit, "=="))
        found = self.slices.copied(value, known, self.to)
        if value.type == i1:
            return self.emit(OrIOp(so_far, self.emit(AndIOp(is_hit, found))))
        chosen = self.emit(SelectOp(is_hit, found, self._nothing(value)))
        return self.emit((AddiOp if isinstance(value.type, IntegerType) else AddfOp)(so_far, chosen))

    def _guarded(self, to: Block, hit: SSAValue, held: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Write the body up to the hit; return the numbers that it hands on."""
        body, tests = self.search.body, self.tests or ()
        blocks = [body, *(test.goes_on for test in tests)]
        acting = [number for number, test in enumerate(tests) if _acts(blocks[number], test)]
        strictly, self.to = "<" if self.step > 0 else ">", to
        is_before = until = self.emit(self._compared(to.args[0], hit, strictly))
        if acting or self.tests is None:
            until = self.emit(self._compared(to.args[0], hit, strictly + "="))
        if acting:
            kept, rest = tests[: acting[-1] + 1], tests[acting[-1] + 1 :]
            is_after = self._compared(to.args[0], hit, (">" if self.step > 0 else "<") + "=")
            is_then = kept[-1].goes_on is kept[-1].op.true_region.block
            kept[-1].op.operands[0] = is_before if is_then else self.emit(is_after)
            levels = [(block, test) for block, test in zip(blocks, kept, strict=False)]
            pairs = zip(self.numbers, held, strict=True)
            numbers = [self._up_to(self.following[k], levels, is_before, value) for k, value in pairs]
        elif self.tests is None:
            self.to, rest = last_of(body), []
            following = (self.following[k] for k in self.numbers)
            numbers = [self.emit(SelectOp(is_before, *pair)) for pair in zip(following, held, strict=True)]
        else:
            numbers, rest = [self._next(k) for k in self.numbers], tests
        for test in rest:
            _go_on(test)
        arm, otherwise = Block(), Block()
        *ops, _ = body.ops
        move(ops, arm)
        for block, values in ((arm, numbers), (otherwise, held)):
            block.add_op(YieldOp.create(operands=values, location=self.op.location))
        regions = [Region(arm), Region(otherwise) if held else Region()]
        types = [value.type for value in held]
        made = IfOp.create(operands=[until], result_types=types, regions=regions, location=self.op.location)
        to.add_op(made)
        for result, value in zip(made.results, held, strict=True):
            result.name_hint = value.name_hint
        return made.results

    def _up_to(
        self, value: SSAValue, levels: Sequence[tuple[Block, _Test]], is_before: SSAValue, held: SSAValue
    ) -> SSAValue:
        """Let a number that is handed on be the one that is held where the loop is left, by one of the tests."""
        if not levels or value is held:
            return value
        (block, test), *inner = levels
        if isinstance(value, OpResult) and value.owner is test.op and value not in self.held:
            self.held.add(value)
            last_of(test.exit).operands[value.index] = held
            end = last_of(test.goes_on)
            end.operands[value.index] = self._up_to(end.operands[value.index], inner, is_before, held)
            return value
        self.to = last_of(block)
        return self.emit(SelectOp(is_before, value, held))


def _acts(block: Block, test: _Test) -> bool:
    """Whether a block does something other than in the arms of a test."""
    return any(_has_effect(op) for op in block.ops if op is not test.op)


def _go_on(test: _Test) -> None:
    """Do what is done where a test does not leave the loop."""
    *ops, end = test.goes_on.ops
    values = list(end.operands)
    move(ops, test.op)
    for result, value in zip(test.op.results, values, strict=True):
        result.replace_all_uses_with(value)
    remove(test.op)
