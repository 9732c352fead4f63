"""Branches: affine conditions stay affine, what either arm leaves is exact, chosen, or in a cell."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, OpResult, SSAValue

from tensorlift.normalise.cases import both_signs, chosen_form, is_never_set, undecided
from tensorlift.normalise.checks import require
from tensorlift.normalise.conditions import AffineCondition, Condition
from tensorlift.normalise.evolution import same
from tensorlift.normalise.execution import Test, ctype_of, join_least, note_least, nothing, require_returned
from tensorlift.normalise.scalars import chosen, is_eager
from tensorlift.normalise.steering import SEEDS, is_memory
from tensorlift.normalise.truths import decided_here, joined_known
from tensorlift.normalise.values import Address, Choice, Data, Unknown
from tensorlift.ops.c_types import BOOL
from tensorlift.poly.index_arithmetic import Index
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tensorlift.normalise.cases import Form
    from tensorlift.normalise.cells import Held
    from tensorlift.normalise.execution import Execution, Rule
    from tensorlift.poly.loops import Known

_AROUND_ZERO = {ZERO, -ONE}


def branch(ex: Execution, op: Operation) -> None:
    """Execute an ``scf.if``."""
    test = decided_here(ex, ex.test(op.operands[0]))
    blocks = [region.block if region.blocks else None for region in op.regions]
    for arm, other in ((0, 1), (1, 0)):
        ending = ex.steering.endings.get(blocks[arm])
        if ending is not None:
            require(ex, op, test, ending, holds=other == 0)
            _decided(ex, op, blocks[other])
            return
    if test.contrary is not None and len(blocks) > 1:
        test, blocks = Test(test.contrary, test.known[::-1]), blocks[::-1]
    if isinstance(test.condition, bool):
        _decided(ex, op, blocks[0 if test.condition else 1])
    elif op.results and not any(result.name_hint for result in op.results) and all(map(_is_eager, blocks)):
        _chosen(ex, op, test, cast("list[Block]", blocks))
    else:
        _branched(ex, op, test, blocks)


def _is_eager(block: Block | None) -> bool:
    return block is not None and all(map(is_eager, block.ops))


def _decided(ex: Execution, op: Operation, block: Block | None) -> None:
    if block is not None:
        ex.execute_block(block)
        for result, value in zip(op.results, _ends(block), strict=True):
            ex.values[result] = ex.values[value]


def _chosen(ex: Execution, op: Operation, test: Test, blocks: list[Block]) -> None:
    """Compute both arms, and choose between what they leave."""
    for block, known in zip(blocks, test.known, strict=True):
        with ex.inside(guards=known):
            ex.execute_block(block)
    ex.place = ex.at(op)
    for result, *arms in zip(op.results, *map(_ends, blocks), strict=True):
        ex.values[result] = chosen(ex, test, (arms[0], arms[1]), result)


def _branched(ex: Execution, op: Operation, test: Test, blocks: list[Block | None]) -> None:
    """Compute one of the arms."""
    place = ex.at(op)
    arms: list[_Arm] = []
    before = ex.cells.held()
    for block, known in zip(blocks, test.known, strict=True):
        with _within(ex, known) as arm:
            if block is not None:
                ex.execute_block(block)
                arm.ends = _ends(block)
        arms.append(arm)
        ex.cells.restore(before)
    ex.place = place
    _join(ex, op, test, arms)


def by_cases(ex: Execution, op: Operation, rule: Rule, needed: Sequence[SSAValue]) -> None:
    """Follow the rule of an operation, by cases where it needs values that are not decided.

    A cell holds what it loads.
    """
    if op.name in SEEDS or op.name == "scf.while":
        _ask_for_directions(ex, [ex.values.get(value) for value in needed])
    if undecided(ex, map(ex.values.get, needed)) is None:
        rule(ex, op)
    elif op.name == "memref.load":
        (result,) = op.results
        cell = ex.cells.make("there", [result])

        def store(ex: Execution, op: Operation) -> None:
            rule(ex, op)
            ex.cells.put(cell, ex.number(result))

        _split(ex, op, store, needed, ())
        ex.values[result] = ex.cells.read(cell)
    else:
        _split(ex, op, rule, needed, [result for result in op.results if result.first_use is not None])
        _forget_inside(ex, op)


def _forget_inside(ex: Execution, op: Operation) -> None:
    """Forget the values inside of an operation that is followed by cases: they are those of the last case alone."""
    for inner in op.walk():
        for result in inner.results if inner is not op else ():
            ex.values.pop(result, None)


def _ask_for_directions(ex: Execution, places: Sequence[object]) -> None:
    """Ask for strides to be positive on whose signs places depend: an array of the program has one direction.

    With ``ix = incx > 0 ? 0 : (1 - n) * incx``, as BLAS has it, ``x[ix + i * incx]`` goes through ``x`` from its end.
    """
    while (point := undecided(ex, places)) is not None and (stride := _stride_in(ex, point, places)) is not None:
        ex.preconditions.insist("direction", stride - ONE, ex.place)


def _stride_in(ex: Execution, point: Polynomial, places: Sequence[object]) -> Polynomial | None:
    """Give the size on whose sign a polynomial tells, where places hold multiples of it, not numbers alone."""
    sizes = [name for name in point.variables() if name in ex.ranges.sizes and ex.ranges.sizes[name].signed]
    found = [Polynomial.variable(name) for name in sizes if any(map(partial(_holds_multiples, name), places))]
    return next((one for one in found if {point - one, -point - ONE - one} & _AROUND_ZERO), None)


def _holds_multiples(name: str, value: object) -> bool:
    """Whether a value, or one of those that it may be, has terms that are products of a size and something else."""
    if isinstance(value, Choice):
        return _holds_multiples(name, value.then) or _holds_multiples(name, value.otherwise)
    return isinstance(value, Index) and any(name in term and len(term) > 1 for term in value.polynomial.terms)


def _split(ex: Execution, op: Operation, rule: Rule, needed: Sequence[SSAValue], results: Sequence[SSAValue]) -> None:
    """Follow a rule where a polynomial is not negative, and once more where it is, until all is decided."""
    point = undecided(ex, map(ex.values.get, needed))
    if point is None:
        rule(ex, op)
        return
    place, before = ex.place, ex.cells.held()
    arms: list[_Arm] = []
    left: list[list[object]] = []
    least: list[list[tuple[Index, ...]]] = []
    for known in both_signs(point):
        with _within(ex, known) as arm:
            _split(ex, op, rule, needed, results)
        arms.append(arm)
        left.append([ex.values[result] for result in results])
        least.append([ex.least.get(result, ()) for result in results])
        ex.cells.restore(before)
    ex.place = place
    test = Test(AffineCondition(((point, False),)))
    made: dict[SSAValue, list[Data]] = {}
    for result, *cases in zip(results, *least, strict=True):
        join_least(ex, result, test, cases)
    for result, *ends in zip(results, *left, strict=True):
        found = _exact(ex, result, test, *ends)
        if found is not None:
            ex.values[result] = found
        else:
            made[result] = [_number_in(ex, arm, end) for arm, end in zip(arms, ends, strict=True)]
    ex.cells.join(arms[0].held, arms[1].held)
    pairs = [(first, second) for first, second in made.values()]
    condition = cast("Condition", test.condition)
    ex.values |= zip(made, ex.sink.choose(condition, (arms[0].block, arms[1].block), pairs, place), strict=True)


def _number_in(ex: Execution, arm: _Arm, value: Any) -> Data:
    """Give a value at the end of an arm as one of the program."""
    with ex.inside(guards=arm.known), ex.sink.inside(arm.block):
        return ex.number_of(value)


@contextmanager
def _within(ex: Execution, known: Known) -> Iterator[_Arm]:
    """Execute in one way through a branch."""
    arm = _Arm(Block(), (), known, {})
    ex.branches_around += 1
    with ex.sink.inside(arm.block), ex.inside(guards=known):
        yield arm
    arm.held = ex.cells.held()
    ex.branches_around -= 1


@dataclass(slots=True)
class _Arm:
    """One way through a branch: what was emitted, what it leaves, what is known there, and what the cells hold."""

    block: Block
    ends: tuple[SSAValue, ...]
    known: Known
    held: Held


def _join(ex: Execution, op: Operation, test: Test, arms: list[_Arm]) -> None:
    """Emit the branch; what both arms leave alike, and memory, is no result of it."""
    condition = cast("Condition", test.condition)
    wanted: dict[SSAValue, Collection[SSAValue]] = {}
    for result, *ends in zip(op.results, *(arm.ends for arm in arms), strict=True):
        found = _exact(ex, result, test, *(ex.values[end] for end in ends))
        note_least(ex, result, test, [ex.values[end] for end in ends])
        if found is None:
            wanted[result] = ends
        else:
            ex.values[result] = found
    named = ex.cells.assign(wanted)
    plain = [result for result in wanted if result not in named]
    left = [_end(ex, op, arm, named, plain) for arm in arms]
    ex.cells.join(arms[0].held, arms[1].held)
    pairs = list(zip(*left, strict=True))
    made = ex.sink.choose(condition, (arms[0].block, arms[1].block), pairs, ex.place)
    for left_by, value in zip(plain, made, strict=True):
        data = Data(value.ssa, ctype_of(left_by), truth=left_by.type == i1)
        ex.values[left_by] = data
        if data.truth:
            number = list(op.results).index(cast("OpResult", left_by))
            ex.values[left_by] = Test(data, joined_known(test, *(ex.test(arm.ends[number]) for arm in arms)))
    for left_by in named:
        ex.values[left_by] = ex.cells.load(left_by)


def _end(ex: Execution, op: Operation, arm: _Arm, named: list[SSAValue], plain: list[SSAValue]) -> list[Data]:
    """End an arm: store what has a name, and give the rest."""
    ends: dict[SSAValue, SSAValue] = dict(zip(op.results, arm.ends, strict=True))
    ex.cells.restore(arm.held)
    with ex.inside(guards=arm.known), ex.sink.inside(arm.block):
        ex.cells.hand_on([(result, ends[result]) for result in named])
        found = [_given(ex, ends[result]) for result in plain]
    arm.held = ex.cells.held()
    return found


def _given(ex: Execution, value: SSAValue) -> Data:
    """Give what an arm leaves; where that is undefined, any number."""
    if isinstance(ex.values[value], Unknown):
        ctype = ctype_of(value)
        return ex.sink.truth(0, ex.place) if ctype is BOOL else ex.sink.constant(0, ctype, ex.place)
    return ex.number(value)


def _exact(ex: Execution, result: SSAValue, test: Test, first: object, second: object) -> Form | Unknown | None:
    """Give what both arms leave, or one where the other leaves it undefined; None for data."""
    require_returned(ex, first, second)
    alike = same(first, second) or chosen_form(ex, result, test, (first, second))
    if alike is not None:
        return alike
    for one, other in ((first, second), (second, first)):
        if is_never_set(one) and isinstance(other, Index | Address | Choice):
            return one
        if isinstance(one, Unknown) and (one.reason != "uninitialised" or not isinstance(other, Data | Test)):
            return other if isinstance(other, Index | Address | Choice | Unknown) else one
    return Unknown("pointer-choice", "a pointer into one of several arrays is used") if is_memory(result) else None


def _ends(block: Block) -> tuple[SSAValue, ...]:
    last = block.last_op
    return tuple(last.operands) if last is not None and last.name == "scf.yield" else ()


BRANCHES: dict[str, Rule] = {
    "scf.if": branch,
    **dict.fromkeys(("scf.yield", "scf.condition"), nothing),
}
