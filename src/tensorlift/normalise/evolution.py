"""Closed forms of what a loop carries: scalar evolution over structured control.

A loop is looked at with symbols for the values that its iterations begin with.  What an iteration leaves in terms of
them gives the steps, and these the values at iteration ``t`` as polynomials.  Only what a question needs is computed,
and nothing is emitted: what is loaded has no closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from xdsl.ir import Block, Operation, OpResult, SSAValue

from tensorlift.ir.arithmetic import predicate_of
from tensorlift.normalise.exact import EXACT, constant, integer, number_type, read_as
from tensorlift.normalise.exchanges import can_exchange, exchanged
from tensorlift.normalise.induction import TripCount, trip_count, trips_of
from tensorlift.normalise.steering import handed_on, is_integer, is_memory
from tensorlift.normalise.values import Address, depends_on_data
from tensorlift.ops.c_types import INT, IntegerType
from tensorlift.poly.index_arithmetic import Index, Need, Setting, fit
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.poly.ranges import Ranges

    Closed = Index | Address

ITERATION = "@t"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One comparison that keeps a loop going; a side that is told already is no value."""

    operator: str
    left: SSAValue | Index
    right: SSAValue | Index
    is_signed: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class LoopView:
    """A loop: ``scf.while`` whose first region only tests.

    ``arguments`` are those of its header, with ``inits`` and what an iteration ``yields``.  The body names ``inner``
    values, and the loop gives ``results``: each is one of ``handed``, a value of the header.  Its first iteration may
    be one that is not tested, as the pass ``rotate`` writes that.
    """

    op: Operation
    arguments: Sequence[SSAValue]
    inits: Sequence[SSAValue]
    handed: Sequence[SSAValue]
    inner: Sequence[SSAValue]
    results: Sequence[SSAValue]
    body: Block
    tests: Sequence[Comparison]
    is_tested: bool = True

    @property
    def yields(self) -> Sequence[SSAValue]:
        """What an iteration hands on to the next one: loops in the body may have been rewritten."""
        end = self.body.last_op
        assert end is not None
        return end.operands[: len(self.arguments)]


def loop_view(op: Operation) -> LoopView | None:
    """Look at a loop; None where its condition is no conjunction of comparisons, or its header does more than test."""
    before, after = (region.block for region in op.regions)
    last = before.last_op
    assert last is not None
    condition, choice = last.operands[0], last.operands[0].owner
    arguments, is_tested = before.args, True
    if not isinstance(choice, Block) and choice.name == "arith.select" and choice.operands[0] is before.args[-1]:
        condition, arguments, is_tested = choice.operands[2], before.args[:-1], False
    tests, count = _tests(condition, before), len(arguments)
    others = [o for o in before.ops if o is not last and (is_tested or o is not choice)]
    if tests is None or (len(tests) > 1 and not is_tested) or any(not _is_test(o) for o in others):
        return None
    handed = last.operands[1:] if is_tested else last.operands[1:-1]
    inner, results = after.args[: len(handed)], op.results[: len(handed)]
    return LoopView(op, arguments, op.operands[:count], handed, inner, results, after, tests, is_tested=is_tested)


def _is_test(op: Operation) -> bool:
    return op.name in {"arith.cmpi", "arith.constant", "arith.andi", *EXACT}


def _tests(condition: SSAValue, block: Block) -> tuple[Comparison, ...] | None:
    op = condition.owner
    if isinstance(op, Block) or op.parent is not block:
        return None
    if op.name == "arith.cmpi":
        operator, is_signed = predicate_of(op)
        left, right = op.operands
        return (Comparison(operator, left, right, is_signed),)
    if op.name == "arith.andi":
        parts = [_tests(operand, block) for operand in op.operands]
        return None if None in parts else tuple(test for part in parts if part is not None for test in part)
    return None


@dataclass(slots=True, eq=False)
class Quiet:
    """Values as far as they are exact, where ``known`` are given; the others are computed when they are asked for."""

    ranges: Ranges
    fresh: Callable[[str], str]
    exact_from: int
    known: dict[SSAValue, Closed | None]
    place: Location
    outer: Callable[[SSAValue], Closed | None]
    inside: set[Block] = field(default_factory=set)

    @property
    def setting(self) -> Setting:
        """Where integers are computed."""
        return Setting(self.ranges, None, self.place, self.exact_from)

    def side(self, side: SSAValue | Index) -> Index | None:
        """Give a side of a comparison, None where it is not exact."""
        return side if isinstance(side, Index) else self.index(side)

    def value(self, value: SSAValue) -> Closed | None:
        """Give a value, None where it is not exact."""
        if value not in self.known:
            self.known[value] = None  # while it is computed, and for good where it depends on itself
            self.known[value] = self._computed(value)
        return self.known[value]

    def index(self, value: SSAValue) -> Index | None:
        """Give an integer, None where it is not exact."""
        found = self.value(value)
        return found if isinstance(found, Index) else None

    def _computed(self, value: SSAValue) -> Closed | None:
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        if not self._is_inside(block):
            return self.outer(value)
        if not isinstance(value, OpResult):
            return None
        op = value.op
        if op.name == "arith.constant":
            return constant(op) if is_integer(value) else None
        if op.name in EXACT and is_integer(value):
            operands = [self.index(operand) for operand in op.operands]
            exact = [operand for operand in operands if operand is not None]
            if len(exact) < len(operands):
                return None
            return EXACT[op.name](op, exact, self.setting)
        if op.name == "scf.if" and len(op.regions[1].blocks) > 0:
            ends = [self.value(region.block.last_op.operands[value.index]) for region in op.regions]  # type: ignore[union-attr] # a yield
            return same(ends[0], ends[1])
        if op.name == "scf.while":
            return self._left(op, value)
        return None

    def _is_inside(self, block: Block | None) -> bool:
        while block is not None:
            if block in self.inside:
                return True
            parent = block.parent_op()
            block = parent.parent if parent is not None else None
        return False

    def _left(self, op: Operation, value: OpResult) -> Closed | None:
        """Give what a loop inside leaves."""
        view = loop_view(op)
        if view is None:
            return None
        solved = Evolution(view, self)
        if solved.solve() is not None or len(solved.counts) != 1 or not solved.counts[0].stride.is_constant:
            return None
        (count,), (trips,) = solved.counts, solved.trips()
        left = solved.at(view.handed[value.index], trips, is_after=True)
        if not isinstance(left, Index):
            return left
        reach = Need("extent", runs_as_often(count, view), self.place)
        return replace(left, needs=(*left.needs, reach))


def runs_as_often(count: TripCount, view: LoopView) -> Polynomial:
    """Give what is not negative where a loop runs as often as is counted: one that is not tested at first, once."""
    return count.distance + count.stride - ONE if view.is_tested else count.distance - ONE


def same(first: object, second: object) -> Closed | None:
    """Give what two ways leave, where that is exact and the same."""
    if isinstance(first, Index) and isinstance(second, Index) and first.polynomial == second.polynomial:
        return Index(first.polynomial, first.ctype, first.needs + second.needs)
    if isinstance(first, Address) and isinstance(second, Address) and first.base is second.base:
        return first
    return None


class Evolution:
    """A loop: how often it runs, and what it carries at iteration ``t``.

    ``counts`` are the numbers of its iterations, one for each test, of which the least counts.  An argument of its
    header begins with ``starts``, and moves by ``moves``, which rests on ``needs`` in each iteration before.  What is
    ``exchanged`` are pairs of arrays that change places in each iteration.
    """

    def __init__(self, view: LoopView, outer: Quiet) -> None:
        """Give each exact value that an iteration begins with a symbol; ``outer`` gives the values around."""
        self.view = view
        self.ranges = outer.ranges
        self.symbols: dict[str, int] = {}
        self.starts: dict[int, Closed] = {}
        known: dict[SSAValue, Closed | None] = {}
        for number, (argument, init) in enumerate(zip(view.arguments, view.inits, strict=True)):
            start = outer.value(init) if is_integer(init) or is_memory(init) else None
            known[argument] = None
            if isinstance(start, Address):
                known[argument] = self.starts[number] = start
            elif start is not None:
                symbol = outer.fresh(f"@{argument.name_hint or 'v'}")
                self.symbols[symbol] = number
                ctype = integer(argument.type, signed=True)
                if ctype.width < INT.width:
                    ctype = cast("IntegerType", number_type(argument.type, handed_on(argument)))
                    start = read_as(start, ctype, outer.setting) or start
                self.starts[number] = start
                known[argument] = Index(Polynomial.variable(symbol), ctype)
        blocks = {region.block for region in view.op.regions}
        self.quiet = Quiet(outer.ranges, outer.fresh, outer.exact_from, known, outer.place, outer.value, blocks)
        known |= {mine: self.quiet.value(handed) for mine, handed in zip(view.inner, view.handed, strict=True)}
        self.moves: dict[int, Polynomial] = {}
        self.kinds: dict[int, Any] = {}
        self.needs: dict[int, tuple[Need, ...]] = {}
        self.counts: list[TripCount] = []
        bases = {number: start.base for number, start in self.starts.items() if isinstance(start, Address)}
        pairs = exchanged(view) if len(bases) > 1 else []
        self.exchanged = [(one, other) for one, other in pairs if can_exchange(bases.get(one), bases.get(other))]

    def solve(self) -> tuple[str, str] | None:
        """Solve the loop, or say why that cannot be done: a row of the refusals, and its detail."""
        self._solve_steps()
        for test in self.view.tests:
            count = self._count(test)
            if not isinstance(count, TripCount):
                return count
            self.counts.append(count)
        strides = {count.stride for count in self.counts}
        if len(self.counts) > 1 and (len(strides) > 1 or any(count.must_reach for count in self.counts)):
            return "loop-condition", "joins tests of different kinds"
        return None

    # What is asked of a loop that is solved.

    def trips(self) -> list[Polynomial]:
        """Give the numbers of iterations as polynomials."""
        return [trips_of(count, self.ranges) for count in self.counts]

    @cached_property
    def tested(self) -> set[int]:
        """The arguments that the tests compare."""
        return {number for test in self.view.tests for number in self.compared(test)}

    def compared(self, test: Comparison) -> list[int]:
        """Give the arguments that a comparison is made of."""
        sides = [self.quiet.side(side) for side in (test.left, test.right)]
        return sorted(set[int]().union(*(self.needed(side.polynomial) for side in sides if side is not None)))

    def symbol(self, number: int) -> Polynomial:
        """Give what an argument is in terms of what an iteration begins with: a symbol."""
        return Polynomial.variable(next(name for name, position in self.symbols.items() if position == number))

    def at_iteration(self, polynomial: Polynomial) -> Polynomial:
        """Write a polynomial of symbols as one of the iteration."""
        values: dict[str, Polynomial] = {}
        for name in self.ranges.leaves(polynomial) & self.symbols.keys():
            start = self.starts[self.symbols[name]]
            assert isinstance(start, Index)
            values[name] = start.polynomial + self.moves[self.symbols[name]]
        return self.ranges.substitute(polynomial, values)

    def argument(self, number: int, iteration: Polynomial, *, is_after: bool = False) -> Closed | None:
        """Give what an argument of the header is before an iteration, or after the last one."""
        start = self.starts.get(number)
        if isinstance(start, Address):
            return start
        if start is None or number not in self.moves:
            return None
        moved = self.ranges.substitute(self.moves[number], {ITERATION: iteration})
        needs = start.needs + self.asked_before(iteration, self.needs[number])
        if number in self.tested and not is_after:
            return Index(start.polynomial + moved, self.kinds[number], needs)  # it is asked that it does not wrap
        return fit(start.polynomial + moved, self.kinds[number], needs, self.quiet.setting)

    def asked_before(self, iteration: Polynomial, needs: Iterable[Need]) -> tuple[Need, ...]:
        """Give what an iteration rests on of what each one before needs: at the first one, or at the last."""
        found: list[Need] = []
        for need in needs:
            slope = need.polynomial.coefficient(ITERATION).constant_value
            times = [ZERO] if slope is None or slope >= 0 else []
            times += [iteration - ONE] if slope is None or slope < 0 else []
            found += [replace(need, polynomial=self.ranges.substitute(need.polynomial, {ITERATION: t})) for t in times]
        return tuple(found)

    def at(self, value: SSAValue, iteration: Polynomial, *, is_after: bool = False) -> Closed | None:
        """Give what a value of the header is in an iteration, or after the last one."""
        arguments = list(self.view.arguments)
        if value in arguments:
            return self.argument(arguments.index(value), iteration, is_after=is_after)
        found = self.quiet.value(value)
        if not isinstance(found, Index):
            return found
        ranges, values = self.ranges, dict[str, Polynomial]()
        needs: list[Need] = []
        is_in_ring = found.polynomial.variables().isdisjoint(ranges.quotients)
        leaves = [ranges.leaves(polynomial) for polynomial in (found.polynomial, *(n.polynomial for n in found.needs))]
        for symbol in sorted(self.symbols.keys() & set().union(*leaves)):
            part = self.argument(self.symbols[symbol], iteration, is_after=is_after)
            if not isinstance(part, Index):
                return None
            values[symbol] = part.polynomial
            needs += [
                replace(need, wraps=need.wraps and is_in_ring and found.ctype == part.ctype) for need in part.needs
            ]
        needs += [replace(n, polynomial=ranges.substitute(n.polynomial, values)) for n in found.needs]
        polynomial = ranges.substitute(found.polynomial, values)
        if polynomial.constant_value is not None:
            polynomial = Polynomial.constant(found.ctype.wrap(polynomial.constant_value))
        return Index(polynomial, found.ctype, tuple(dict.fromkeys(needs)))

    # How it is solved.

    def _solve_steps(self) -> None:
        """Find closed forms, those first that others are made of."""
        steps: dict[int, Polynomial] = {}
        exchanged = {number for pair in self.exchanged for number in pair}
        for number, start in list(self.starts.items()):
            end = self.quiet.value(self.view.yields[number])
            if isinstance(start, Address):
                if number not in exchanged and (not isinstance(end, Address) or end.base is not start.base):
                    del self.starts[number]
            elif isinstance(end, Index):
                steps[number] = end.polynomial - self.symbol(number)
                self.kinds[number] = end.ctype
        steps |= dict.fromkeys(self._still(), ZERO)
        waiting = {number: step for number, step in steps.items() if not self._turns(number, step)}
        while waiting:
            ready = {n: step for n, step in waiting.items() if self.needed(step) <= self.moves.keys()}
            if not ready:
                return
            for number, step in ready.items():
                del waiting[number]
                total = self._sum(self.at_iteration(step))
                if total is not None:
                    self.moves[number], self.needs[number] = total, ()
                    self._rest(number, step)

    def _turns(self, number: int, step: Polynomial) -> bool:
        """Note how an integer moves that turns from one of two values to the other in each iteration: ``c - v``.

        It is ``a + k*((e + t) mod 2)``, where it starts at ``a + k*(e mod 2)`` and ``c`` is ``2*a + k``.
        """
        start, total, turned = self.starts[number], step + self.symbol(number).scale(2), ZERO
        if not isinstance(start, Index) or self.needed(total):
            return False
        least = start.polynomial
        for name in least.variables() & self.ranges.quotients.keys():
            turned = self.ranges.quotients[name][0]
            half, rest = least.coefficient(name).divide(Polynomial.constant(-2))
            least = least - half * self._odd(turned) if rest == ZERO else least
        apart = total - least.scale(2)
        if apart.constant_value is None or least + apart * self._odd(turned) != start.polynomial:
            return False
        ends, kind = {least.constant_value, (least + apart).constant_value} - {None}, self.kinds[number]
        if any(kind.wrap(end) != end for end in ends):
            return False
        after = self._odd(turned + Polynomial.variable(ITERATION))
        self.moves[number] = apart * (after - self._odd(turned))
        self.needs[number] = fit(total - start.polynomial, kind, start.needs, self.quiet.setting).needs
        return True

    def _odd(self, polynomial: Polynomial) -> Polynomial:
        """Give 1 for an odd integer, and 0 for an even one."""
        return polynomial - self.ranges.quotient(polynomial, 2).scale(2)

    def _rest(self, number: int, step: Polynomial) -> None:
        """Note on what a step rests in each iteration; one that rests on what is not linear gives no closed form.

        What wraps is right modulo the range of its type, so that it only counts whether the sum is in there.
        """
        end = self.quiet.index(self.view.yields[number])
        found = [] if end is None else [need for need in end.needs if not need.wraps]
        names = self.needed(step).union(*(self.needed(need.polynomial) for need in found))
        if not names <= self.moves.keys():
            del self.moves[number]
            return
        needs = [replace(need, polynomial=self.at_iteration(need.polynomial)) for need in found]
        for other in sorted(names):
            start = self.starts[other]
            assert isinstance(start, Index), "it has a symbol"
            needs += self.needs[other]
            if other not in self.tested:  # of which it is asked that they do not wrap
                needs += fit(
                    start.polynomial + self.moves[other], self.kinds[other], start.needs, self.quiet.setting
                ).needs
        slopes = [need.polynomial.coefficient(ITERATION) for need in needs]
        rests = [need.polynomial.without([ITERATION]) for need in needs]
        if any(ITERATION in self.ranges.leaves(part) for part in (*slopes, *rests)):
            del self.moves[number]
            return
        self.needs[number] = tuple(dict.fromkeys(replace(need, wraps=False) for need in needs))

    def _still(self) -> set[int]:
        """Give the integers that take each other's places and are the same at first, so that none of them changes."""
        ends = {number: self.quiet.index(self.view.yields[number]) for number in self.symbols.values()}
        source = {number: self._symbol_of(end.polynomial) for number, end in ends.items() if end is not None}
        found = set(source)
        while left := {n for n in found if source[n] not in found or not same(self.starts[n], self.starts[source[n]])}:
            found -= left
        return found

    def _symbol_of(self, polynomial: Polynomial) -> int:
        """Give the number of the argument that a polynomial is the symbol of; -1 if it is none."""
        return next((n for symbol, n in self.symbols.items() if polynomial == Polynomial.variable(symbol)), -1)

    def needed(self, step: Polynomial) -> set[int]:
        """Give the arguments that a polynomial is made of."""
        return {self.symbols[name] for name in self.ranges.leaves(step) if name in self.symbols}

    def _sum(self, step: Polynomial) -> Polynomial | None:
        """Give the sum of the steps of all iterations before ``t``."""
        t = Polynomial.variable(ITERATION)
        slope = step.coefficient(ITERATION)
        if slope == ZERO:
            return None if ITERATION in self.ranges.leaves(step) else step * t
        rest = step.without([ITERATION])
        is_linear = ITERATION not in self.ranges.leaves(slope) | self.ranges.leaves(rest)
        half, left = slope.divide(Polynomial.constant(2))
        return rest * t + half * (t * t - t) if is_linear and left == ZERO else None

    def _count(self, test: Comparison) -> TripCount | tuple[str, str]:
        """Find how often a comparison holds."""
        sides = [self.quiet.side(side) for side in (test.left, test.right)]
        polynomials: list[Polynomial] = []
        for side, value in zip(sides, (test.left, test.right), strict=True):
            name = None if isinstance(value, Index) else value.name_hint
            if side is None:
                return "loop-data", name or "data"
            if not self.needed(side.polynomial) <= self.moves.keys():
                return "closed-form", name or "a variable"
            polynomials.append(self.at_iteration(side.polynomial))
        distance = polynomials[0] - polynomials[1]
        if depends_on_data(distance):  # pointers into a row are as far apart whatever that row is
            pairs = zip(polynomials, (test.left, test.right), strict=True)
            of_data = (one for polynomial, one in pairs if depends_on_data(polynomial) and not isinstance(one, Index))
            return "loop-data", next((one.name_hint for one in of_data if one.name_hint), "data")
        slope, start = distance.coefficient(ITERATION), distance.without([ITERATION])
        if ITERATION in self.ranges.leaves(slope) | self.ranges.leaves(start):
            return "loop-condition", "is not linear in the iterations"
        start, slope = self._in_steps(test.operator, start, slope)
        if not any(slope.is_constant or self.ranges.is_nonnegative(way) for way in (slope, -slope)):
            return "loop-step", f"`{slope}` is not a constant"
        found = trip_count(test.operator, start, slope)
        if not isinstance(found, str) and not self.ranges.is_nonnegative(found.stride):
            found = "moves away from its bound"
        if isinstance(found, str):
            return ("loop-forever" if "away" in found or "change" in found else "loop-condition"), found
        return found

    def _in_steps(self, operator: str, start: Polynomial, step: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Count in steps of a size where these meet the bound, as in ``i < n * step``, or ``i != 2 * n`` in twos."""
        if operator == "!=" and step.is_constant and step != ZERO:
            steps, rest = start.divide(step)
            return (steps, ONE) if rest == ZERO else (start, step)
        if step.is_constant or operator != "<":
            return start, step
        steps, rest = start.divide(step)
        return (steps, ONE) if rest == ZERO and self.ranges.is_nonnegative(step) else (start, step)
