"""Execution of loops: counting, closed forms of the steering variables inside, and their values afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import INT, ArrayType, IntegerType, PointerType
from tensorlift.frontends.c.carried import ITERATION, Carried
from tensorlift.frontends.c.conditions import COMPARISONS, least_of_choice
from tensorlift.frontends.c.induction import (
    LoopSummary,
    LoopTest,
    Steps,
    TripCount,
    classify,
    nested_loops,
    trip_count,
    trips_of,
)
from tensorlift.frontends.c.modified import ModifiedVariables, assigned_in, has_effects
from tensorlift.frontends.c.places import lost
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.splitting import divisor_name
from tensorlift.frontends.c.values import Address, Choice, Index, LoopRange, Need, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.frontends.c.demand import Demand
    from tensorlift.frontends.c.preconditions import Preconditions
    from tensorlift.frontends.c.ranges import Ranges
    from tensorlift.frontends.c.sink import Sink


@dataclass(frozen=True, slots=True)
class _Count:
    """A solved loop: the ranges of its loop variables, the iteration number in them, the iterations if known.

    A loop that was split has several loop variables, outermost first; one that steps has no iteration number.
    """

    loops: tuple[LoopRange, ...]
    iteration: Polynomial | None
    trips: Polynomial | None
    hint: str
    nonempty: Need | None


class Loops(Carried):
    """Execution of loops."""

    def __init__(self, demand: Demand, ranges: Ranges, preconditions: Preconditions, sink: Sink) -> None:
        super().__init__(demand, ranges, preconditions, sink)
        self._summaries: dict[nodes.Loop, LoopSummary] = {}
        self._modified = ModifiedVariables()

    def loop(self, loop: nodes.Loop) -> None:
        """Execute a loop."""
        if loop.initial is not None:
            self.execute(loop.initial)
        if loop.condition is None:
            raise refusal("loop-forever", loop.location, "has no condition")
        summary = self._summary(loop)
        steps = self._steps(summary)
        count = self._count(loop, summary, steps)
        if count is None:
            self._lose(summary, {})
        else:
            self._run(loop, summary, steps, count)
            self._leave(loop, summary, steps, count)
            if loop.keyword != "do":
                self._effects_of_condition(loop)
        self.end_scope(loop.initial)

    def _summary(self, loop: nodes.Loop) -> LoopSummary:
        """Analyse one iteration, once for each loop of the source unless it uses choices, which differ."""
        if any(isinstance(self.environment.get(variable), Choice) for variable in self._modified.used(loop)):
            return self._analyse(loop)
        known = self._summaries.get(loop)
        if known is None:
            known = self._summaries[loop] = self._analyse(loop)
        return known

    def _analyse(self, loop: nodes.Loop) -> LoopSummary:
        """Run the body quietly from symbolic starts."""
        starts: dict[nodes.Variable, Value] = {}
        symbols: dict[nodes.Variable, str] = {}
        environment = dict(self.environment)
        for variable in self._modified.used(loop):
            if isinstance(environment.get(variable), Choice) and variable not in self._modified.of(loop):
                continue
            symbolic = self._symbolic(variable, symbols) if variable in environment else None
            if symbolic is not None:
                environment[variable] = starts[variable] = symbolic
        summary = LoopSummary(symbols)
        with self.quiet(environment):
            if loop.keyword != "do":
                self._note_condition(loop.condition, summary)
            self.execute(loop.body)
            if loop.advance is not None:
                self.evaluate(loop.advance)
            if loop.keyword == "do":
                self._note_condition(loop.condition, summary)
            classify(summary, starts, self.environment, self._modified.of(loop), self.ranges)
        return summary

    def _symbolic(self, variable: nodes.Variable, symbols: dict[nodes.Variable, str]) -> Value | None:
        """Give the symbol for a variable's value at the start of an iteration."""
        if isinstance(variable.ctype, PointerType | ArrayType):
            symbols[variable] = self.fresh(f"@{variable.name}")
            return Address(variable, (Polynomial.variable(symbols[variable]),))
        if isinstance(variable.ctype, IntegerType) and self.demand.steers(variable):
            symbols[variable] = self.fresh(f"@{variable.name}")
            return Index(Polynomial.variable(symbols[variable]), variable.ctype)
        return None

    def _note_condition(self, condition: nodes.Expression | None, summary: LoopSummary) -> None:
        """Note the comparisons that must all hold for the loop to go on; none where they are not understood."""
        while isinstance(condition, nodes.Cast):
            condition = condition.operand
        assert condition is not None
        if isinstance(condition, nodes.Binary) and condition.operator == "&&":
            self._note_condition(condition.left, summary)
            self._note_condition(condition.right, summary)
        elif isinstance(condition, nodes.Binary) and condition.operator in COMPARISONS:
            left = self.evaluate(condition.left)
            bounds = self._least_of(condition.right) if condition.operator in {"<", "<="} else None
            for right in bounds or [self.evaluate(condition.right)]:
                summary.tests.append(LoopTest(condition.operator, left, right, condition.location))
        elif isinstance(condition, nodes.Binary) and condition.operator == "||":
            summary.tests.append(LoopTest("||", self.evaluate(condition), Index(ZERO, INT), condition.location))
        else:
            summary.tests.append(LoopTest("!=", self.evaluate(condition), Index(ZERO, INT), condition.location))

    def _least_of(self, expression: nodes.Expression) -> list[Value] | None:
        """Read ``a < b ? a : b`` as two bounds."""
        choice = least_of_choice(expression, self.environment)
        if choice is not None:
            return [*choice]
        conversions = nodes.conversions_of(expression)
        expression = nodes.without_casts(expression)
        if not isinstance(expression, nodes.Conditional) or not isinstance(expression.condition, nodes.Binary):
            return None
        condition = expression.condition
        sides = [condition.left, condition.right, expression.then, expression.otherwise]
        if condition.operator not in {"<", "<=", ">", ">="} or not all(map(self.is_index, sides)):
            return None
        first, second, then, otherwise = map(self.evaluate, sides)
        if condition.operator in {">", ">="}:
            first, second = second, first
        if (first, second) != (then, otherwise):
            return None
        return [self.evaluate(_with_conversions(arm, conversions)) for arm in (expression.then, expression.otherwise)]

    def _steps(self, summary: LoopSummary) -> Steps:
        """Give the steps of the closed forms in terms of the values around the loop."""
        steps: Steps = {}
        for variable, step in summary.steps.items():
            start = self.environment.get(variable)
            symbols = {name for name in self.ranges.leaves(step) if name.startswith("@")}
            values = self.values(summary, symbols)
            if isinstance(start, Index | Address) and symbols <= values.keys():
                steps[variable] = self.ranges.substitute(step, values)
        return steps

    def _count(self, loop: nodes.Loop, summary: LoopSummary, steps: Steps) -> _Count | None:
        """Solve the loop condition; None where an analysis run cannot."""
        solved = self._solve(summary, steps)
        if isinstance(solved, list) and len(solved) > 1 and loop.keyword == "do":
            solved = "loop-condition", "joins several tests"
        if isinstance(solved, list):
            return self._range(loop, summary, steps, solved)
        if not self.sink.emits:
            return None
        reason, detail = solved
        divisor = divisor_name(loop.condition) if loop.condition is not None else None
        if reason == "loop-data" and divisor is not None:
            reason, detail = "quotient", divisor
        for variable in summary.symbols:
            binding = self.environment.get(variable)
            if reason == "closed-form" and variable.name == detail and isinstance(binding, Unknown):
                reason, detail = binding.reason, binding.detail
        if loop.keyword != "for" and reason not in {"loop-data", "closed-form", "quotient"}:
            raise refusal("while", loop.location, loop.keyword)
        raise refusal(reason, loop.condition.location if loop.condition else loop.location, detail)

    def _solve(self, summary: LoopSummary, steps: Steps) -> list[TripCount] | tuple[str, str]:
        """Find the trip counts, of which the least counts, or the refusal to raise."""
        found: list[TripCount] = []
        for test in summary.tests:
            solved = self._solve_test(test, summary, steps)
            if not isinstance(solved, TripCount):
                return solved
            found.append(solved)
        if len(found) > 1 and any(item.must_reach or item.stride != found[0].stride for item in found):
            return "loop-condition", "joins tests of different kinds"
        return found

    def _solve_test(self, test: LoopTest, summary: LoopSummary, steps: Steps) -> TripCount | tuple[str, str]:
        """Find how often one comparison holds, or the refusal to raise."""
        if test.operator == "||":
            return "loop-condition", "joins tests by `||`"
        for side in (test.left, test.right):
            if isinstance(side, Unknown):
                reasons = {"subscript-data": "loop-data", "quotient": "quotient"}
                return reasons.get(side.reason, "closed-form"), side.detail
            if not isinstance(side, Index | Address):
                return "loop-data", "data"
        if self._row_of(test.left) != self._row_of(test.right):
            return "pointer", "pointers into different arrays are compared"
        distance = self._distance(test, summary, steps)
        if isinstance(distance, str):
            return "closed-form", distance
        slope = distance.coefficient(ITERATION)
        start = distance.without([ITERATION])
        if ITERATION in self.ranges.leaves(slope) | self.ranges.leaves(start):
            return "loop-condition", "is not linear in the iterations"
        start, slope = self._in_steps(test, start, slope)
        if slope.constant_value is None:
            return "loop-step", f"`{slope}` is not a constant"
        solved = trip_count(test.operator, start, slope.constant_value)
        if isinstance(solved, str):
            return ("loop-forever" if "away" in solved or "change" in solved else "loop-condition"), solved
        self._rely_on_condition(test, summary, steps, solved)
        return self._unsigned_safe(test, summary, steps, solved)

    def _in_steps(self, test: LoopTest, start: Polynomial, step: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Count in steps of a size where these meet the bound, as in ``i < n * step``; it must be at least one."""
        if step.is_constant or test.operator != "<":
            return start, step
        steps, rest = start.divide(step)
        if rest != ZERO or not self.ranges.is_nonnegative(step):
            return start, step
        if self.sink.emits:
            self.preconditions.demand(Need("stride", step - ONE, test.location), self.domain)
        return steps, ONE

    def _row_of(self, side: Value) -> tuple[object, tuple[Polynomial, ...]] | None:
        """Give what a pointer points into, array and outer subscripts; None for an integer."""
        if not isinstance(side, Address):
            return None
        start = self.environment.get(side.base) if isinstance(side.base, nodes.Variable) else None
        if isinstance(start, Address) and start.base is not side.base:
            return self._row_of(start)
        return side.base, side.subscripts[:-1]

    def _rely_on_condition(self, test: LoopTest, summary: LoopSummary, steps: Steps, solved: TripCount) -> None:
        """Rely on the exactness of both sides of the condition, at every time that it is evaluated."""
        if not self.sink.emits:
            return
        symbols = self.symbols_of(test)
        for variable, symbol in summary.symbols.items():
            binding = self.environment.get(variable)
            if symbol in symbols and isinstance(binding, Index):
                self.rely_on(binding)
        needs = [need for side in (test.left, test.right) if isinstance(side, Index | Address) for need in side.needs]
        if not needs:
            return
        values = self.values(summary, set(summary.variables), steps)
        last = self.ranges.quotient(solved.distance + Polynomial.constant(solved.stride - 1), solved.stride)
        times = LoopRange(ITERATION, ZERO, (last + ONE,))
        for need in needs:
            polynomial = self.ranges.substitute(need.polynomial, values)
            first = self.ranges.substitute(polynomial, {ITERATION: ZERO})
            self.preconditions.demand(Need(need.kind, first, need.location), self.domain)
            if first != polynomial:
                with self.inside(loops=(times,)):  # not empty: the first time is checked apart
                    self.preconditions.demand(Need(need.kind, polynomial, need.location), self.domain)

    def _distance(self, test: LoopTest, summary: LoopSummary, steps: Steps) -> Polynomial | str:
        """Give left minus right of the condition at iteration ``t``, or the variable that stands in the way."""
        lost = {
            summary.symbols[variable]: variable.name
            for variable in [*summary.lost, *summary.steps]
            if variable not in steps
        }
        sides: list[Polynomial] = []
        for side in (test.left, test.right):
            polynomial = side.polynomial if isinstance(side, Index) else side.subscripts[-1]  # type: ignore[union-attr] # checked by the caller
            names = self.ranges.leaves(polynomial)
            values = self.values(summary, names, steps)
            for name in sorted(names):
                if name in lost or (name.startswith("@") and name not in values):
                    return lost.get(name, name.removeprefix("@"))
            sides.append(self.ranges.substitute(polynomial, values))
        return sides[0] - sides[1]

    def _unsigned_safe(
        self, test: LoopTest, summary: LoopSummary, steps: Steps, solved: TripCount
    ) -> TripCount | tuple[str, str]:
        """Make sure that no counter wraps: unsigned ones rise to their bound or fall by one, or meet half-way."""
        symbols = self.symbols_of(test)
        moving = {variable: step for variable, step in steps.items() if summary.symbols[variable] in symbols}
        if self._meet(test, {summary.symbols[variable]: step for variable, step in moving.items()}):
            return solved
        for variable, step in moving.items():
            ctype = variable.ctype
            if not isinstance(ctype, IntegerType):
                continue
            if ctype.signed and ctype.width >= INT.width:
                continue  # it does not wrap
            value = step.constant_value
            rising = value is not None and value > 0
            falling = value == -1 and self._ends_in_range(variable, solved, test)
            if not ctype.signed and not rising and not falling:
                return "loop-wrap", variable.name
            if rising:
                if value != solved.stride:
                    return "loop-wrap", variable.name
                self._stay_below(variable, ctype, solved, test)
        return solved

    @staticmethod
    def _meet(test: LoopTest, steps: dict[str, Polynomial]) -> bool:
        """Tell whether two counters, by symbol, move towards each other by one and stop before they pass."""
        sides = test.right, test.left
        low, high = sides if test.operator == ">" else sides[::-1]
        if test.operator not in {"<", ">"} or not isinstance(low, Index) or not isinstance(high, Index):
            return False
        ends = {low.polynomial: ONE, high.polynomial: -ONE}
        return {Polynomial.variable(symbol): step for symbol, step in steps.items()} == ends

    def _ends_in_range(self, variable: nodes.Variable, solved: TripCount, test: LoopTest) -> bool:
        """Tell whether a counter that falls by one ends at no less than zero; record that where it is not certain."""
        if test.operator not in {"<=", ">="}:
            return True  # its bound is no less
        end = self._start(variable) - solved.distance
        if end.constant_value is not None and end.constant_value < 0:
            return False
        if self.sink.emits:
            self.preconditions.demand(Need("overflow", end, test.location), self.domain)
        return True

    def _stay_below(self, variable: nodes.Variable, ctype: IntegerType, solved: TripCount, test: LoopTest) -> None:
        """Prove or record that a rising counter reaches its bound before the end of its type."""
        if not self.sink.emits or ctype.width > INT.width:
            return
        last = self._start(variable) + solved.distance + Polynomial.constant(solved.stride - 1)
        room = Polynomial.constant(ctype.maximum) - last
        self.preconditions.demand(Need("overflow", room, test.location), self.domain)

    def _range(self, loop: nodes.Loop, summary: LoopSummary, steps: Steps, solved: list[TripCount]) -> _Count:
        """Choose the loop variable: the counter itself where it rises, else the iteration number."""
        stride = solved[0].stride
        extra = Polynomial.constant(stride) if loop.keyword == "do" else ZERO
        distances = [item.distance + extra for item in solved]
        trips = tuple(trips_of(distance, stride, self.ranges) for distance in distances)
        nonempty = self._reach(loop, solved[0], distances[0]) if len(solved) == 1 else None
        primary = self._primary(summary, steps)
        hint = primary.name if primary is not None else "t"
        after = trips[0] if len(solved) == 1 else None
        lengths = self.nested_lengths(loop, summary, trips) if self.sink.emits else None
        if lengths is not None:
            return _Count(*nested_loops(lengths, hint, self), after, hint, nonempty)
        variable = self.fresh(hint)
        if primary is not None:
            start, step = self._start(primary), steps[primary].constant_value
            if step == 1 and stride == 1:
                over = LoopRange(variable, start, tuple(start + count for count in trips))
                return _Count((over,), Polynomial.variable(variable) - start, after, hint, nonempty)
            if step is not None and step == stride and len(steps) == 1 and self._vary(trips) and not summary.last:
                over = LoopRange(variable, start, tuple(start + distance for distance in distances), step)
                return _Count((over,), None, after, hint, nonempty)
        return _Count((LoopRange(variable, ZERO, trips),), Polynomial.variable(variable), after, hint, nonempty)

    def _vary(self, trips: tuple[Polynomial, ...]) -> bool:
        """Tell whether numbers of iterations are quotients that depend on loops around: no size stands for those."""
        quotients = [name for count in trips for name in count.variables() if name in self.ranges.quotients]
        return any(not self.domain.variables.isdisjoint(self.ranges.leaves(Polynomial.variable(q))) for q in quotients)

    def _reach(self, loop: nodes.Loop, solved: TripCount, distance: Polynomial) -> Need | None:
        """Give the condition that the trip count is not negative: at once where the loop needs it, else for later."""
        distance = distance - ONE if loop.keyword == "do" else distance
        if self.ranges.is_certain(distance, self.domain):
            return None
        last = distance + Polynomial.constant(solved.stride - 1)  # not negative: then the count is not, rounded up
        need = Need("overflow" if solved.must_reach else "extent", last, loop.location)
        if (solved.must_reach or loop.keyword == "do") and self.sink.emits:
            self.preconditions.demand(need, self.domain)
            return None
        return need

    def _start(self, variable: nodes.Variable) -> Polynomial:
        binding = self.environment[variable]
        assert isinstance(binding, Index)
        return binding.polynomial

    def _primary(self, summary: LoopSummary, steps: Steps) -> nodes.Variable | None:
        """Find the counter: the first integer in the condition that has a step."""
        symbols = set().union(*map(self.symbols_of, summary.tests))
        for variable in steps:
            if summary.symbols[variable] in symbols and isinstance(self.environment.get(variable), Index):
                return variable
        return None

    def _run(self, loop: nodes.Loop, summary: LoopSummary, steps: Steps, count: _Count) -> None:
        """Execute the body once, for all iterations."""
        if not self.sink.emits:
            return
        outer = dict(self.environment)
        for over in count.loops:
            self.sink.begin_loop(over, count.hint, loop.location, loop.left)
        with self.inside(loops=count.loops):
            self._enter(loop, summary, steps, count)
            if loop.keyword != "do":
                self._effects_of_condition(loop)
            self.execute(loop.body)
            if loop.advance is not None:
                self.evaluate(loop.advance)
            self.rely_on_steps(summary, steps)
        for _ in count.loops:
            self.sink.end_loop()
        self.environment = outer

    def _effects_of_condition(self, loop: nodes.Loop) -> None:
        """Apply the side effects of a loop condition, as in ``while (n--)``."""
        condition = loop.condition
        if condition is None or not has_effects(condition):
            return
        for variable in assigned_in(condition):
            if not isinstance(variable.ctype, PointerType | ArrayType) and not self.demand.steers(variable):
                raise refusal("loop-condition", condition.location, f"changes `{variable.name}`, which is data")
        with self.quiet(self.environment):
            self.evaluate(condition)

    def _enter(self, loop: nodes.Loop, summary: LoopSummary, steps: Steps, count: _Count) -> None:
        """Bind the steering variables to their values in the general iteration."""
        carried = {} if count.iteration is None else self.carried(summary, steps, count.iteration)
        for variable, step in steps.items():
            binding = self.environment[variable]
            if count.iteration is None:
                assert isinstance(binding, Index)
                place = Polynomial.variable(count.loops[0].variable)
                self.environment[variable] = Index(place, binding.ctype, binding.needs)
            else:
                self.environment[variable] = self.advanced(variable, summary, step * count.iteration, loop.location)
        self._lose(summary, steps)
        self.environment.update(carried)

    def _leave(self, loop: nodes.Loop, summary: LoopSummary, steps: Steps, count: _Count) -> None:
        """Bind the steering variables to their values after the loop."""
        if count.trips is None:
            self._lose(summary, {})
            return
        needs = (count.nonempty,) if count.nonempty is not None else ()
        carried = self.carried(summary, steps, count.trips)
        for variable, step in steps.items():
            moved = self.advanced(variable, summary, step * count.trips, loop.location)
            self.environment[variable] = replace(moved, needs=moved.needs + needs)
        self._lose(summary, steps)
        self.environment.update(carried)

    def _lose(self, summary: LoopSummary, steps: Steps) -> None:
        """Forget the variables without closed form."""
        for variable in [*summary.lost, *summary.steps]:
            if variable not in steps and variable in self.environment:
                self.environment[variable] = lost(variable)


def _with_conversions(expression: nodes.Expression, conversions: Sequence[nodes.Cast]) -> nodes.Expression:
    """Put conversions, outermost first, around an expression."""
    for cast in reversed(conversions):
        expression = replace(cast, operand=expression)
    return expression
