"""What a loop reads at a place that it keeps is kept too: ``if (v[i] > v[k]) k = i;`` as a search that keeps the value.

``v[k]`` is a read at a place that depends on data.  Where the loop has no effect but what it leaves, a value that is
``v[k]`` before the loop, and ``v[i]`` wherever ``k`` becomes ``i``, is that of ``v[k]`` all the time, and the loop
reads at its counters alone:

    held = v[k]; for (...) if (v[i] > held) { k = i; held = v[i]; }

Nothing is read but what the loop reads, given enough iterations: ``v[i]`` is one of its own reads, and ``v[k]`` before
the loop is read at zero, where it is read behind the loop as well, or where the loop is entered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import CmpiOp, SelectOp
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.memref import LoadOp
from xdsl.dialects.scf import IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from tensorlift.ir.arithmetic import constant_of
from tensorlift.normalise.edit import insert, is_asked, is_quiet, last_of, move, nested, remove, supersede, sweep
from tensorlift.normalise.evolution import LoopView, loop_view
from tensorlift.normalise.exact import DIVISIONS
from tensorlift.normalise.steering import is_integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Values = Mapping[SSAValue, SSAValue]


@dataclass(frozen=True)
class KeptPlaces:
    """The pass that keeps values at places that loops keep."""

    name = "kept-places"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each loop that can be."""
        for op in nested(module, WhileOp):
            found: WhileOp | None = op
            while found is not None:
                found = _kept(found)


@dataclass(frozen=True, slots=True)
class _Place:
    """A place that a loop keeps: its argument, by number and in the body, its value behind the loop, and what is there.

    That is a number that is computed of what is read there.
    """

    view: LoopView
    number: int
    kept: SSAValue
    result: SSAValue
    value: SSAValue

    @property
    def reads(self) -> list[LoadOp]:
        """What is read for the number."""
        return _loads(self.value, self.view.op)

    @property
    def start(self) -> SSAValue:
        """What the place is before the loop."""
        return self.view.inits[self.number]


def _kept(op: WhileOp) -> WhileOp | None:
    """Keep the value at one place of a loop; gives what stands for the loop then, None where there is none to keep."""
    view = loop_view(op) if is_quiet(op) else None
    if view is None or not view.is_tested:
        return None
    handed = list(view.handed)
    for number, argument in enumerate(view.arguments):
        if is_integer(argument) and argument in handed:
            position = handed.index(argument)
            kept = view.inner[position]
            for value in _values(op, kept) if _is_read_at(kept, op) else ():
                place = _Place(view, number, kept, view.results[position], value)
                settings = _settings(view.yields[number], place)
                if settings and all(_is_read(place, one) for one in settings):
                    return _rewritten(op, place)
    return None


def _values(op: Operation, kept: SSAValue) -> Iterator[SSAValue]:
    """Yield the greatest numbers that a loop computes of what is read at a place, and that nothing else moves."""
    found = [inside.results[0] for inside in op.walk() if inside is not op and _is_value(inside, kept, op)]
    for value in found:
        if not any(use.operation.results and use.operation.results[0] in found for use in value.uses):
            yield value


def _is_read_at(kept: SSAValue, op: Operation) -> bool:
    """Whether a loop reads at a place that is computed of a value."""
    uses = [use for use in kept.uses if _is_computed(use.operation) and op.is_ancestor(use.operation)]
    return any(
        use.index > 0 if isinstance(use.operation, LoadOp) else _is_read_at(use.operation.results[0], op)
        for use in uses
    )


def _is_value(inside: Operation, kept: SSAValue, op: Operation) -> bool:
    """Whether an operation gives a number that is made of what is read at a place and of what is fixed in a loop."""
    if not _is_computed(inside) or inside.results[0].type == i1:
        return False
    leaves = _leaves(inside.results[0], kept, op)
    fixed = all(leaf is kept or not op.is_ancestor(leaf.owner) for leaf in leaves)
    return fixed and any(kept in _leaves(load.indices[0], kept, op) for load in _loads(inside.results[0], op))


def _is_computed(op: Operation | Block) -> bool:
    """Whether an operation only computes a number, or reads one, and that anywhere."""
    if isinstance(op, LoadOp):
        return bool(op.indices)
    return isinstance(op, Operation) and op.name.startswith(("arith.", "math.")) and op.name not in DIVISIONS


def _leaves(value: SSAValue, kept: SSAValue, op: Operation) -> list[SSAValue]:
    """List what a number is made of, and begins with."""
    return [part for part in _parts(value, op, kept) if part is kept or not _is_made_in(part, op)]


def _loads(value: SSAValue, op: Operation) -> list[LoadOp]:
    """List the reads that a number is made of."""
    parts = _parts(value, op)
    return [part.owner for part in parts if isinstance(part.owner, LoadOp) and _is_made_in(part, op)]


def _parts(value: SSAValue, op: Operation, kept: SSAValue | None = None) -> list[SSAValue]:
    """List what a number is made of in a loop, itself first, up to what is computed before it or is kept."""
    found = {value: None}
    work = [value]
    while work:
        part = work.pop()
        if part is not kept and _is_made_in(part, op):
            inner = [operand for operand in part.owner.operands if operand not in found]  # type: ignore[union-attr] # an operation
            found.update(dict.fromkeys(inner))
            work += inner
    return list(found)


def _is_made_in(value: SSAValue, op: Operation) -> bool:
    return _is_computed(value.owner) and op.is_ancestor(value.owner)


def _settings(value: SSAValue, place: _Place) -> list[SSAValue]:
    """List the values that an iteration sets a place to, on some way; none where that is on all ways, or not told."""
    ways = list(_ways(value))
    found = [end for end in ways if end is not place.kept]
    return found if len(found) < len(ways) else []


def _ways(value: SSAValue) -> Iterator[SSAValue]:
    """Yield what is chosen between by conditions."""
    match value:
        case OpResult(op=IfOp() as op, index=index) if all(region.blocks for region in op.regions):
            for region in op.regions:
                yield from _ways(last_of(region.block).operands[index])
        case OpResult(op=SelectOp() as op):
            yield from _ways(op.lhs)
            yield from _ways(op.rhs)
        case _:
            yield value


def _is_read(place: _Place, value: SSAValue) -> bool:
    """Whether a loop reads itself where it reads once the kept place is set to some value."""
    read = [inside.results[0] for inside in place.view.op.walk() if isinstance(inside, LoadOp)]
    given = {place.kept: value}
    return all(any(_are_alike(one, load.res, given) for one in read) for load in place.reads)


def _are_alike(one: SSAValue, other: SSAValue, given: Values) -> bool:
    """Whether two numbers are made alike, where some values stand for others in the second one."""
    pairs, seen = [(one, other)], set[tuple[SSAValue, SSAValue]]()
    while pairs:
        first, second = pair = pairs.pop()
        if pair in seen or first is given.get(second):
            continue
        seen.add(pair)
        made, like = first.owner, second.owner
        if first is second and not (given and isinstance(like, Operation) and _is_computed(like)):
            if second in given:
                return False
            continue
        if not isinstance(made, Operation) or not isinstance(like, Operation) or not _is_computed(like):
            return False
        if made.name != like.name or made.properties != like.properties or first.type != second.type:
            return False
        pairs += zip(made.operands, like.operands, strict=True)
    return True


def _rewritten(op: WhileOp, place: _Place) -> WhileOp:
    """Write a loop that keeps the value at a place."""
    view, at, kind = place.view, _location(place.value), place.value.type
    before, after = op.before_region.block, op.after_region.block
    behind = [value for value in _behind(op) if _are_alike(value, place.value, {place.kept: place.result})]
    hint = f"{place.reads[0].memref.name_hint or 'value'}_at_{view.arguments[place.number].name_hint or 'place'}"
    is_read = bool(behind) or constant_of(place.start) == 0
    first = _first(op, place, in_any_case=is_read)
    if is_read:
        _ask_at_start(op, place)
    there = [inside.results[0] for inside in op.walk() if inside is not op and _is_like(inside, place)]
    held, inner = (block.insert_arg(kind, len(block.args), at) for block in (before, after))
    condition, end = last_of(before), last_of(after)
    condition.operands = [*condition.operands, held]
    left = _next(view.yields[place.number], place, inner, end)
    end.operands = [*end.operands, left]
    for same in there:
        same.replace_all_uses_with(inner)
    regions = [op.detach_region(region) for region in list(op.regions)]
    made = WhileOp.create(
        operands=[*op.operands, first],
        result_types=[*(result.type for result in op.results), kind],
        regions=regions,
        attributes=op.attributes,
        location=op.location,
    )
    supersede(op, made)
    for value in (*[first] * is_read, held, inner, made.results[-1]):
        value.name_hint = hint
    for value in behind:
        value.replace_all_uses_with(made.results[-1])
        work = [value.owner]
        while work:  # what is read there is read no more
            dead = work.pop()
            if isinstance(dead, Operation) and _is_computed(dead) and not any(one.first_use for one in dead.results):
                work += [operand.owner for operand in dead.operands]
                remove(dead)
    sweep(after)
    return made


def _ask_at_start(op: WhileOp, place: _Place) -> None:
    """Ask of what the place is before a loop that it is inside of a part, as the loop asks of all that it becomes."""
    asked = [inside for inside in [*op.walk(), *_following(op)] if is_asked(inside)]
    tests = {check: check.operands[0].owner for check in asked}
    told = [(test.lhs, test.rhs) for test in tests.values() if isinstance(test, CmpiOp)]
    becomes = _settings(place.view.yields[place.number], place)
    for check, test in tests.items():
        if not isinstance(test, CmpiOp) or test.lhs not in {place.kept, place.result}:
            continue
        if all((value, test.rhs) in told for value in becomes) and not op.is_ancestor(test.rhs.owner):
            at_start = test.clone({test.lhs: place.start})
            insert([at_start, check.clone({test.result: at_start.result})], op)
            remove(check)


def _is_like(inside: Operation, place: _Place) -> bool:
    return len(inside.results) == 1 and _are_alike(inside.results[0], place.value, {})


def _behind(op: Operation) -> Iterator[SSAValue]:
    """Yield what is computed behind a loop, up to what may change something."""
    for following in _following(op):
        yield from following.results


def _following(op: Operation) -> Iterator[Operation]:
    current = op.next_op
    while current is not None and is_quiet(current):
        yield current
        current = current.next_op


def _first(op: WhileOp, place: _Place, *, in_any_case: bool) -> SSAValue:
    """Compute what is at a place before a loop: where that is entered, or would be for the place as its counter."""
    if in_any_case:
        block = Block()
        found = _read_at(place, place.start, block)
        move(list(block.ops), op)
        return found
    otherwise: Block | None = None
    for condition in _entries(op, place):
        then, block = Block(), Block()
        then.add_op(YieldOp(_read_at(place, place.start, then)))
        if otherwise is None:
            otherwise = Block()
            kind = place.value.type
            otherwise.add_op(none := PoisonOp.create(result_types=[kind], properties={"value": PoisonAttr()}))
            otherwise.add_op(YieldOp(none.results[0]))
        holds = _tested(op, condition, block)
        block.add_op(branch := _branch(holds, then, otherwise, place))
        block.add_op(YieldOp(branch.results[0]))
        otherwise = block
    assert otherwise is not None, "a loop is entered"
    left = last_of(otherwise).operands[0]
    remove(last_of(otherwise))
    move(list(otherwise.ops), op)
    return left


def _entries(op: WhileOp, place: _Place) -> list[dict[SSAValue, SSAValue]]:
    """List what the test of a loop is asked of before it: what the loop begins with, and the place as its counter."""
    view = place.view
    first: dict[SSAValue, SSAValue] = dict(zip(view.arguments, view.inits, strict=True))
    asked = {
        operand
        for inside in op.before_region.block.ops
        if inside.name != "scf.condition"
        for operand in inside.operands
    }
    moving = [a for a, end in zip(view.arguments, view.yields, strict=True) if a in asked and end is not a]
    if len(moving) == 1 and moving[0].type == place.start.type:
        return [first, {**first, moving[0]: place.start}]
    return [first]


def _tested(op: WhileOp, known: dict[SSAValue, SSAValue], to: Block) -> SSAValue:
    """Ask whether a loop goes on with some values."""
    test = op.before_region.block
    for inside in test.ops:
        if inside is not test.last_op:
            to.add_op(inside.clone(known))
    holds = last_of(test).operands[0]
    return known.get(holds, holds)


def _branch(condition: SSAValue, then: Block, otherwise: Block, place: _Place) -> IfOp:
    return IfOp.create(
        operands=[condition],
        result_types=[place.value.type],
        regions=[Region(then), Region(otherwise)],
        location=_location(place.value),
    )


def _read_at(place: _Place, value: SSAValue, to: Block) -> SSAValue:
    """Compute what is there where the kept place would be, were it some value."""
    return _copied(place.value, {place.kept: value}, place.view.op, to)


def _copied(value: SSAValue, known: dict[SSAValue, SSAValue], op: Operation, to: Block) -> SSAValue:
    """Copy what a number is made of."""
    if value not in known and _is_made_in(value, op):
        made: Any = value.owner
        for operand in made.operands:
            _copied(operand, known, op, to)
        to.add_op(made.clone(known))
    return known.get(value, value)


def _location(value: SSAValue) -> Any:
    """Give the place of the operation that computes a value."""
    return value.owner.location  # type: ignore[union-attr] # an operation


def _next(value: SSAValue, place: _Place, held: SSAValue, end: Operation) -> SSAValue:
    """Give the value at what an iteration leaves for a place, computed before an operation."""
    if value is place.kept:
        return held
    match value:
        case OpResult(op=IfOp() as op, index=index) if all(region.blocks for region in op.regions):
            for arm in [last_of(region.block) for region in op.regions]:
                left = _next(arm.operands[index], place, held, arm)
                arm.operands = [*arm.operands, left]
            return _widened(op, place).results[-1]
        case OpResult(op=SelectOp() as op):
            blocks = []
            for side in (op.lhs, op.rhs):
                block = Block()
                block.add_op(YieldOp(_next_in(side, place, held, block)))
                blocks.append(block)
            insert([made := _branch(op.cond, blocks[0], blocks[1], place)], end)
            return made.results[0]
    block = Block()
    found = _read_at(place, value, block)
    move(list(block.ops), end)
    return found


def _next_in(value: SSAValue, place: _Place, held: SSAValue, block: Block) -> SSAValue:
    return held if value is place.kept else _read_at(place, value, block)


def _widened(op: IfOp, place: _Place) -> IfOp:
    """Give a branch one result more, which its arms leave already."""
    regions = [op.detach_region(region) for region in list(op.regions)]
    types = [*(result.type for result in op.results), place.value.type]
    made = IfOp.create(operands=op.operands, result_types=types, regions=regions, location=op.location)
    supersede(op, made)
    return made
