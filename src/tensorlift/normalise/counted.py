"""Loops that count: their ranges, what they carry in closed form, and the rest in cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from xdsl.ir import Block, Operation, OpResult, SSAValue

from tensorlift.diagnostics import LiftError
from tensorlift.ir.left_early import JUMP, refusal_of
from tensorlift.ir.location import name_of
from tensorlift.normalise.blame import inexact
from tensorlift.normalise.cases import decided
from tensorlift.normalise.edit import last_of
from tensorlift.normalise.evolution import ITERATION, Comparison, Evolution, LoopView, Quiet, loop_view, runs_as_often
from tensorlift.normalise.exact import DIVISIONS, QUOTIENTS
from tensorlift.normalise.exchanges import exchange
from tensorlift.normalise.execution import derived_size
from tensorlift.normalise.induction import TripCount, nested_loops
from tensorlift.normalise.segments import over_all_places
from tensorlift.normalise.splitting import factors_of
from tensorlift.normalise.steering import is_memory, made_of
from tensorlift.normalise.turns import turned
from tensorlift.normalise.values import Address, Array, Choice, Unknown, depends_on_data
from tensorlift.normalise.ways import is_within
from tensorlift.normalise.wrapping import require_exact
from tensorlift.ops.c_types import LONG
from tensorlift.poly.index_arithmetic import Index, Need
from tensorlift.poly.loops import LoopRange
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import REFUSALS, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.scf import WhileOp

    from tensorlift.normalise.execution import Execution, Rule


_TESTS = {"arith.cmpi", "arith.cmpf"}
_DATA = {"arith.cmpf", "memref.load"}
_MEMORY = {"memref.load": 0, "memref.store": 1}  # which operand is memory


@dataclass(frozen=True, slots=True)
class _Count:
    """The ranges of the loop variables, outermost first, and the number of the iteration in terms of them.

    A loop whose variable is a counter that moves by more than one has no number of the iteration.
    """

    loops: tuple[LoopRange, ...]
    iteration: Polynomial | None
    trips: Polynomial | None
    hint: str
    nonempty: Need | None


def loop(ex: Execution, op: Operation) -> None:
    """Execute a loop."""
    view, place = loop_view(op), ex.place
    if view is None:
        _between(ex, op, _unseen(ex, op))
        return
    view = replace(view, tests=[part for test in view.tests for part in _parts(ex, test)])
    solved = Evolution(view, _exact_values(ex))
    reason = solved.solve()
    if reason is not None:
        _between(ex, op, _of_data(ex, op, solved) if reason[0] == "loop-data" else _unsolved(ex, op, *reason))
        return
    require_exact(ex, solved, ex.at(last_of(op.regions[0].block)))
    count = _counted(ex, op, solved)
    is_kept = [_before(ex, solved, number, ZERO) is None for number in range(len(view.arguments))]
    kept = [number for number, is_one in enumerate(is_kept) if is_one and not is_memory(view.arguments[number])]
    ex.cells.assign({view.arguments[number]: (view.inits[number],) for number in kept}, anonymous=True)
    for number in kept:
        ex.cells.store(view.arguments[number], view.inits[number])
    before, noted = ex.cells.held(), ex.cells.mark()
    for over in count.loops:
        ex.sink.begin_loop(over, count.hint, place, refusal_of(op))
    with ex.inside(loops=count.loops):
        ex.cells.enter(op)
        _enter(ex, solved, count, kept)
        ex.execute_block(view.body)
        ex.place = place
        ex.cells.hand_on([(view.arguments[number], view.yields[number]) for number in kept])
        for pair in solved.exchanged:
            exchange(ex, *(ex.array(view.arguments[number]) for number in pair))
    for over in reversed(count.loops):
        ex.sink.end_loop(over)
    if refusal_of(op) is not None:
        for load in (inside for inside in op.walk() if inside.name == "memref.load"):
            ex.ask_for_all(ex.values.get(load.operands[0]), place)
    ex.cells.leave(before)
    ex.cells.unmark(noted)
    _leave(ex, solved, count, kept)


def _between(ex: Execution, op: Operation, refused: LiftError) -> None:
    """Execute a loop between bounds that are data as one over all places."""
    is_of_data = any(diagnostic.code == REFUSALS["loop-data"].code for diagnostic in refused.diagnostics)
    rewritten = over_all_places(ex, op) if is_of_data else None
    if rewritten is None:
        if all(diagnostic.code != REFUSALS["loop-forever"].code for diagnostic in refused.diagnostics):
            ex.uncounted.append(cast("WhileOp", op))
        raise refused
    for one in rewritten:
        ex.place = ex.at(one)
        ex.run(one)


def _unseen(ex: Execution, op: Operation) -> LiftError:
    """Refuse a loop whose condition is no conjunction of comparisons, or that does more than test before its body."""
    jump, condition = refusal_of(op, JUMP), last_of(op.regions[0].block)
    if jump is not None:
        return LiftError(jump)
    made = {inside.name for inside in _made_inside(condition.operands[0], op.regions[0].block)}
    if made.isdisjoint(_TESTS):
        return _unsolved(ex, op, "loop-forever", "has no condition")
    if not made.isdisjoint(_DATA):
        return _unsolved(ex, op, "loop-data", "data")
    return _unsolved(ex, op, "loop-condition", "does not compare a counter with a bound")


def _unsolved(ex: Execution, op: Operation, reason: str, detail: str) -> LiftError:
    """Refuse a loop that does not count, and say why; one that `goto` makes is refused for that."""
    keyword, jump = name_of(op), refusal_of(op, JUMP)
    if jump is not None and jump.code == REFUSALS["goto"].code:
        return LiftError(jump)
    if keyword in {"while", "do"} and reason not in {"loop-data", "closed-form"}:
        return refusal("while", ex.place, keyword)
    return refusal(reason, ex.at(last_of(op.regions[0].block)), detail)


def _of_data(ex: Execution, op: Operation, evolution: Evolution) -> LiftError:
    """Refuse a loop whose test asks of what has no exact value."""
    view, place = evolution.view, ex.at(last_of(op.regions[0].block))
    for side in (side for test in view.tests for side in (test.left, test.right) if not isinstance(side, Index)):
        number = view.arguments.index(side) if side in view.arguments else None
        start = evolution.starts.get(number) if number is not None else None
        if number is not None and (not isinstance(start, Index) or depends_on_data(start.polynomial)):
            return inexact(ex, view.inits[number], place, "loop-data")
        found = evolution.quiet.side(side)
        if found is None or depends_on_data(found.polynomial):
            return inexact(ex, side, place, "loop-data")
    return _unsolved(ex, op, "loop-data", "data")


def _made_inside(value: SSAValue, block: Block) -> Iterator[Operation]:
    """Yield the operations of a block that a value is made of."""
    work: list[SSAValue] = [value]
    seen: set[SSAValue] = set()
    while work:
        made = work.pop()
        if isinstance(made, OpResult) and made not in seen and is_within(made, block):
            seen.add(made)
            yield made.op
            work += made.op.operands
            if made.op.name == "scf.if":
                work += [last_of(region.block).operands[made.index] for region in made.op.regions]


def heads(ex: Execution, op: Operation) -> list[SSAValue]:
    """List the values that say how often a loop runs, and with what it begins, but for the least of two as a bound."""
    view = loop_view(op)
    if view is None:
        return []
    asked = list(view.inits)
    for test in view.tests:
        least = test.right if test.operator in {"<", "<="} and test.right in ex.least else None
        asked += [side for side in (test.left, test.right) if side is not least and not isinstance(side, Index)]
    return asked


def _exact_values(ex: Execution) -> Quiet:
    """Give the values that are exact as they are here."""

    def known(value: SSAValue) -> Index | Address | None:
        found = decided(ex, ex.values.get(value))
        return found if isinstance(found, Index | Address) else None

    return Quiet(ex.ranges, ex.fresh, ex.exact_from, {}, ex.place, known)


def _parts(ex: Execution, test: Comparison) -> Iterator[Comparison]:
    """Yield what a comparison with the least of two integers asks: a comparison with each."""
    least = ex.least.get(test.right) if not isinstance(test.right, Index) else None
    if least is None or test.operator not in {"<", "<="}:
        yield test
    else:
        yield from (replace(test, right=side) for side in least)


def _enter(ex: Execution, solved: Evolution, count: _Count, kept: list[int]) -> None:
    """Give what the general iteration begins with."""
    view = solved.view

    def counter(number: int) -> Index | Address | None:
        start, variable = solved.starts.get(number), Polynomial.variable(count.loops[0].variable)
        if isinstance(start, Index) and solved.moves.get(number) != ZERO:
            return Index(variable, start.ctype, start.needs)
        return start

    for number, argument in enumerate(view.arguments):
        if number in kept:
            ex.values[argument] = ex.cells.load(argument)
            continue
        found = _before(ex, solved, number, count.iteration) if count.iteration is not None else counter(number)
        ex.values[argument] = found if found is not None else Unknown("pointer-walk", argument.name_hint or "a pointer")
    for op in view.op.regions[0].block.ops:
        if op.name not in {"arith.select", "scf.condition"}:  # a select says that the first iteration is not tested
            ex.run(op)
    for inner, handed in zip(view.inner, view.handed, strict=True):
        ex.values[inner] = ex.values[handed]
        ex.cells.alias(inner, handed)


def _before(
    ex: Execution, solved: Evolution, number: int, iteration: Polynomial, *, is_after: bool = False
) -> Index | Address | Choice | None:
    """Give what an argument of the header is before an iteration, or after the last one.

    Of one without a step, it is what was left for it.
    """
    if number in solved.moves or is_memory(solved.view.arguments[number]):
        return solved.argument(number, iteration, is_after=is_after)
    found = turned(ex, solved, number, iteration)
    return found if found is not None else _left_by_one_before(ex, solved, number, iteration)


def _left_by_one_before(
    ex: Execution, solved: Evolution, number: int, iteration: Polynomial, seen: tuple[int, ...] = ()
) -> Index | Choice | None:
    """Give what the iteration before left, or what there was.

    In ``previous = i`` that is ``i - 1`` to all but the first.
    """
    view, previous = solved.view, iteration - ONE
    first, end = ex.values[view.inits[number]], view.yields[number]
    steers = view.arguments[number] in ex.steering.values
    if not steers or not isinstance(first, Index | Choice) or number in seen or not iteration.is_affine:
        return None
    end = view.handed[view.inner.index(end)] if end in view.inner else end
    source = view.arguments.index(end) if end in view.arguments else number
    later: object
    if source != number and source not in solved.moves:
        later = _left_by_one_before(ex, solved, source, previous, (*seen, number))
    else:
        later = solved.at(end, previous)
    if not isinstance(later, Index | Choice) or ex.ranges.is_certain(previous, ex.domain):
        return later if isinstance(later, Index | Choice) else None
    return Choice((previous,), later, first)


def _leave(ex: Execution, solved: Evolution, count: _Count, kept: list[int]) -> None:
    """Give what the loop leaves."""
    view, arguments = solved.view, list(solved.view.arguments)
    needs = (count.nonempty,) if count.nonempty is not None else ()
    for result, handed in zip(view.results, view.handed, strict=True):
        if handed in arguments and arguments.index(handed) in kept:
            ex.values[result] = ex.cells.load(result, handed)
            continue
        found: Index | Address | Choice | None = None
        if count.trips is not None:
            number = arguments.index(handed) if handed in arguments else None
            if number is None:
                found = solved.at(handed, count.trips, is_after=True)
            else:
                found = _before(ex, solved, number, count.trips, is_after=True)
        elif is_memory(handed):
            found = solved.at(handed, ZERO)
        if isinstance(found, Index):
            found = replace(found, needs=found.needs + needs)
        reason = "pointer-walk" if is_memory(result) else "closed-form"
        ex.values[result] = found if found is not None else Unknown(reason, result.name_hint or "a variable")


def _counted(ex: Execution, op: Operation, solved: Evolution) -> _Count:
    """Choose the loop variable: the counter itself where it rises by one, else the number of the iteration."""
    trips = solved.trips()
    first = solved.counts[0]
    if not first.stride.is_constant:
        return _counted_by_size(ex, op, solved)
    nonempty = _reach(ex, first, solved.view) if len(trips) == 1 else None
    primary = _primary(solved)
    hint = (solved.view.arguments[primary].name_hint if primary is not None else None) or "t"
    after = trips[0] if len(trips) == 1 else None
    lengths = _lengths(ex, op, solved, trips)
    if lengths is not None:
        loops, iteration = nested_loops(lengths, hint, ex)
        return _Count(loops, iteration, after, hint, nonempty)
    variable = ex.fresh(hint)
    start = solved.starts[primary] if primary is not None else None
    steps_by_one = primary is not None and solved.moves[primary] == Polynomial.variable(ITERATION)
    if isinstance(start, Index) and first.stride == ONE and steps_by_one and ex.ranges.is_affine(start.polynomial):
        over = LoopRange(variable, start.polynomial, tuple(start.polynomial + count for count in trips))
        return _Count((over,), Polynomial.variable(variable) - start.polynomial, after, hint, nonempty)
    if primary is not None and isinstance(start, Index) and _vary(ex, trips) and _counts_alone(ex, solved, primary):
        bounds = tuple(start.polynomial + counted.distance for counted in solved.counts)
        return _Count((LoopRange(variable, start.polynomial, bounds, first.stride),), None, after, hint, nonempty)
    over = LoopRange(variable, ZERO, tuple(trips))
    return _Count((over,), Polynomial.variable(variable), after, hint, nonempty)


def _counted_by_size(ex: Execution, op: Operation, solved: Evolution) -> _Count:
    """Give the loop of a counter that rises by a size; where it ends is not known."""
    stride, primary = solved.counts[0].stride, _primary(solved)
    start = solved.starts[primary] if primary is not None else None
    refused = _unsolved(ex, op, "loop-step", f"`{stride}` is not a constant")
    hint = (solved.view.arguments[primary].name_hint if primary is not None else None) or "t"
    if primary is not None and isinstance(start, Index) and _counts_alone(ex, solved, primary):
        low, bounds = start.polynomial, tuple(start.polynomial + counted.distance for counted in solved.counts)
        is_known = all(ex.ranges.is_affine(side) for side in (low, stride, *bounds))
        if is_known and _has_tiles(solved.view, primary):
            ex.preconditions.demand(Need("range", stride - ONE, ex.place), ex.domain)
            return _Count((LoopRange(ex.fresh(hint), low, bounds, stride),), None, None, hint, None)
    ex.uncounted.append(cast("WhileOp", op))  # for where places are not known by the number of the iteration
    trips = _rounded_up(ex, solved)
    if trips is None:
        raise refused
    variable = ex.fresh(hint)
    return _Count((LoopRange(variable, ZERO, (trips,)),), Polynomial.variable(variable), trips, hint, None)


def _rounded_up(ex: Execution, solved: Evolution) -> Polynomial | None:
    """Give how often a loop runs whose stride is a size, as a size of its own; None where it is none."""
    if len(solved.counts) > 1 or not solved.view.is_tested:
        return None
    (count,) = solved.counts
    found = derived_size(ex, Index(count.distance + count.stride - ONE, LONG), Index(count.stride, LONG), LONG)
    for need in found.needs if found is not None else ():
        ex.preconditions.demand(need, ex.domain)
    return None if found is None else found.polynomial


def _has_tiles(view: LoopView, counter: int) -> bool:
    """Whether a loop inside begins at a counter, as those over tiles do."""
    inside = (one for one in view.body.walk() if one.name == "scf.while")
    return any(_is_made_of(value, view, counter) for one in inside for value in one.operands)


def _is_made_of(value: SSAValue, view: LoopView, counter: int) -> bool:
    """Whether an integer is a counter of a loop, or computed with it."""
    work, seen = [value], set[SSAValue]()
    while work:
        found = work.pop()
        if found is view.arguments[counter]:
            return True
        if found not in seen:
            seen.add(found)
            work += made_of(found)
    return False


def _counts_alone(ex: Execution, solved: Evolution, primary: int) -> bool:
    """Whether a counter rises by the stride of its test, and all else that is handed on has a cell or stays."""
    others = [n for n in range(len(solved.view.arguments)) if n != primary and solved.moves.get(n) != ZERO]
    moves = solved.counts[0].stride * Polynomial.variable(ITERATION)
    has_cells = all(n not in solved.moves and _before(ex, solved, n, ZERO) is None for n in others)
    return has_cells and solved.moves[primary] == moves and solved.view.is_tested


def _vary(ex: Execution, trips: list[Polynomial]) -> bool:
    """Whether numbers of iterations are quotients that depend on loops around: no size stands for those."""
    quotients = [name for count in trips for name in count.variables() if name in ex.ranges.quotients]
    return any(not ex.domain.variables.isdisjoint(ex.ranges.leaves(Polynomial.variable(q))) for q in quotients)


def _primary(solved: Evolution) -> int | None:
    """Find the counter: the first integer in the condition that has a step."""
    tested = solved.tested
    return next((n for n in sorted(tested) if n in solved.moves and solved.moves[n] != ZERO), None)


def _reach(ex: Execution, count: TripCount, view: LoopView) -> Need | None:
    """Give the condition that the loop runs as often: at once where the loop needs it, else for later."""
    distance = count.distance if view.is_tested else count.distance - ONE
    if ex.ranges.is_certain(distance, ex.domain):
        return None
    need = Need("overflow" if count.must_reach else "extent", runs_as_often(count, view), ex.place)
    if count.must_reach or not view.is_tested:
        ex.preconditions.demand(need, ex.domain)
        return None
    return need


# -- flat loops over a product of sizes


def _lengths(ex: Execution, op: Operation, solved: Evolution, trips: list[Polynomial]) -> list[Polynomial] | None:
    """Give the lengths of the nested loops that a loop is split into, None where it stays; it must be affine."""
    lengths = None
    if len(trips) == 1:
        known = dict.fromkeys([*_strides(ex, op, solved), *_rows(ex, op)])
        is_affine = trips[0].is_affine
        if known or not is_affine:
            _note_products(ex, op, solved)
            lengths = factors_of(trips[0], list(known), ex.products)
            if lengths is not None and not known:
                lengths = ex.orders.ordered(lengths)
    for trip in trips if lengths is None else lengths:
        if not ex.ranges.is_affine(trip):
            raise refusal("loop-affine", ex.at(last_of(op.regions[0].block)), str(trip))
    for length in lengths or ():
        ex.preconditions.demand(Need("extent", length, ex.place), ex.domain)
    return lengths


def _note_products(ex: Execution, op: Operation, solved: Evolution) -> None:
    """Note the factors of the products in a loop's test, which is not executed before."""
    for inside in op.regions[0].walk():
        if inside.name == "arith.muli":
            left, right = (solved.quiet.index(operand) for operand in inside.operands)
            if left is not None and right is not None:
                product = left.polynomial * right.polynomial
                ex.products.setdefault(product, (left.polynomial, right.polynomial))


def _strides(ex: Execution, op: Operation, solved: Evolution) -> Iterator[Polynomial]:
    """Yield the products of sizes by which what the loop counts is divided."""
    quiet = solved.quiet
    for inside in (one for one in ex.divisions if op.is_ancestor(one)):
        dividend = quiet.index(inside.operands[0])
        if not _is_quotient(inside) if dividend is None else dividend.polynomial.is_constant:
            continue
        stride = ONE
        for divisor in _divisors(inside):
            value = quiet.index(divisor)
            is_fixed = value is not None and solved.symbols.keys().isdisjoint(ex.ranges.leaves(value.polynomial))
            stride = stride * value.polynomial if is_fixed and value is not None else ZERO
        if stride not in {ZERO, ONE}:
            yield stride


def _rows(ex: Execution, op: Operation) -> Iterator[Polynomial]:
    """Yield the lengths of the rows of arrays that a loop goes over which the source has not written, as ``memset``."""
    if name_of(op):
        return
    for inside in op.walk():
        memory = ex.values.get(inside.operands[_MEMORY[inside.name]]) if inside.name in _MEMORY else None
        array = memory.base if isinstance(memory, Address) else None
        stride = ONE
        for extent in reversed(array.extents[1:] if isinstance(array, Array) and array not in ex.rows else []):
            if extent is None:
                break
            stride = stride * extent
            yield stride


def _is_quotient(op: Operation) -> bool:
    return len(list(_divisors(op))) > 1


def _divisors(op: Operation) -> Iterator[SSAValue]:
    """Yield by what the operand of a division is divided, and was before."""
    current: object = op
    while getattr(current, "name", "") in DIVISIONS:
        yield current.operands[1]  # type: ignore[attr-defined] # an operation
        current = _behind_casts(current.operands[0])  # type: ignore[attr-defined] # an operation
        if getattr(current, "name", "") not in QUOTIENTS:
            return


def _behind_casts(value: SSAValue) -> object:
    owner = value.owner
    while getattr(owner, "name", "") in {"arith.extsi", "arith.extui", "arith.trunci", "arith.index_cast"}:
        owner = owner.operands[0].owner  # type: ignore[union-attr] # an operation
    return owner


COUNTED: dict[str, Rule] = {"scf.while": loop}
