"""Integers that an iteration of a loop hands to the next: ``previous = i`` leaves ``i - 1`` to all but the first.

What moves by a constant step rests on fitting into its type each time.  A loop over a product of sizes is split into
nested loops, whose lengths are found here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import IntegerType
from tensorlift.frontends.c.calls import Calls
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.index_arithmetic import Setting, fit
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.splitting import divisors, factors_of
from tensorlift.frontends.c.values import Address, Binding, Choice, Index, Need

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.induction import LoopSummary, LoopTest, Steps


ITERATION = "@t"


class Carried(Calls):
    """Values from the iteration before, and the splitting of loops."""

    def nested_lengths(
        self, loop: nodes.Loop, summary: LoopSummary, trips: tuple[Polynomial, ...]
    ) -> list[Polynomial] | None:
        """Give the lengths of the nested loops that a loop is split into, None where it stays; it must be affine."""
        lengths = None
        if len(trips) == 1 and loop.keyword != "do":
            steering = trips[0].is_affine
            divided = divisors(loop.body, steering=steering) if self.demand.divides else ()
            found = [self._stride(factors, summary) for factors in divided]
            known = dict.fromkeys(item for item in found if item is not None)
            self._note_products(loop)
            if known or not steering:
                lengths = factors_of(trips[0], list(known), self.products)
                if lengths is not None and not known:
                    lengths = self.orders.ordered(lengths)
        for trip in trips if lengths is None else lengths:
            if not self.ranges.is_affine(trip):
                assert loop.condition is not None
                raise refusal("loop-affine", loop.condition.location, str(trip))
        for length in lengths or ():
            self.preconditions.demand(Need("extent", length, loop.location), self.domain)
        return lengths

    def _note_products(self, loop: nodes.Loop) -> None:
        """Note the factors of the products in a loop condition."""
        for node in walk(loop.condition) if loop.condition is not None else ():
            if isinstance(node, nodes.Binary) and node.operator == "*" and self.is_index(node):
                with self.quiet(dict(self.environment)):
                    self.evaluate(node)

    def _stride(self, factors: tuple[nodes.Expression, ...], summary: LoopSummary) -> Polynomial | None:
        """Give the product of factors that are exact and do not change in the loop."""
        stride = ONE
        for factor in factors:
            names = {node.variable for node in walk(factor) if isinstance(node, nodes.Name)}
            if not self.is_index(factor) or not names.isdisjoint([*summary.steps, *summary.lost]):
                return None
            with self.quiet(dict(self.environment)):
                value = self.evaluate(factor)
            stride = stride * value.polynomial if isinstance(value, Index) else ZERO
        return None if stride in {ZERO, ONE} else stride

    def values(self, summary: LoopSummary, symbols: set[str], steps: Steps | None = None) -> dict[str, Polynomial]:
        """Map symbols of a summary to the present values, or with steps to those at iteration ``t``."""
        values: dict[str, Polynomial] = {}
        for symbol in symbols & summary.variables.keys():
            variable = summary.variables[symbol]
            binding = self.environment.get(variable)
            if isinstance(binding, Index):
                values[symbol] = binding.polynomial
            elif isinstance(binding, Address):
                values[symbol] = binding.subscripts[-1]
            if steps and variable in steps:
                values[symbol] = values[symbol] + steps[variable] * Polynomial.variable(ITERATION)
        return values

    def symbols_of(self, test: LoopTest) -> set[str]:
        """Collect the symbols that occur in the integers of a test."""
        sides = [side.polynomial for side in (test.left, test.right) if isinstance(side, Index)]
        return set().union(*map(self.ranges.leaves, sides))

    def advanced(
        self, variable: nodes.Variable, summary: LoopSummary, distance: Polynomial, location: Location
    ) -> Index | Address:
        """Move a steering value; of counters in the condition it is known that they do not wrap."""
        match self.environment[variable]:
            case Index() as index:
                moved = fit(
                    index.polynomial + distance,
                    index.ctype,
                    index.needs,
                    Setting(self.ranges, self.domain, location, self.exact_from),
                )
                tested = summary.symbols[variable] in set().union(*map(self.symbols_of, summary.tests))
                return replace(moved, needs=index.needs) if tested else moved
            case Address(base, (*outer, last), needs):
                return Address(base, (*outer, last + distance), needs)
            case _:
                raise AssertionError(variable.name)

    def rely_on_steps(self, summary: LoopSummary, steps: Steps) -> None:
        """Rely on what closed forms rest on: each iteration left what the next one starts with."""
        for variable in (*steps, *summary.last):
            match self.environment.get(variable):
                case Index(polynomial, ctype, needs):
                    exact = variable in summary.last
                    kept = tuple(need for need in needs if exact or not need.wraps)
                    self.rely_on(Index(polynomial, ctype, kept))

    def carried(self, summary: LoopSummary, steps: Steps, iteration: Polynomial) -> dict[nodes.Variable, Binding]:
        """Give what variables without step are before an iteration: what they were, or what the one before left."""
        if not iteration.is_affine:
            return {}
        found = {variable: self._before(variable, summary, steps, iteration) for variable in summary.last}
        return {variable: binding for variable, binding in found.items() if binding is not None}

    def _before(
        self,
        variable: nodes.Variable,
        summary: LoopSummary,
        steps: Steps,
        iteration: Polynomial,
        seen: tuple[nodes.Variable, ...] = (),
    ) -> Index | Choice | None:
        first, previous = self.environment.get(variable), iteration - ONE
        if not isinstance(first, Index | Choice) or variable in seen:
            return None
        source = self._handed_over(variable, summary)
        if source is not None:
            later = self._before(source, summary, steps, previous, (*seen, variable))
        else:
            later = self._left(variable, summary, steps, previous)
        if later is None or self.ranges.is_certain(previous, self.domain):
            return later
        return Choice((previous,), later, first)

    def _handed_over(self, variable: nodes.Variable, summary: LoopSummary) -> nodes.Variable | None:
        """Give the variable whose value at the start of an iteration is what the iteration leaves in this one."""
        return next(
            (v for v in summary.last if summary.last[variable] == Polynomial.variable(summary.symbols[v])), None
        )

    def _left(
        self,
        variable: nodes.Variable,
        summary: LoopSummary,
        steps: Steps,
        iteration: Polynomial,
    ) -> Index | None:
        """Give what an iteration leaves in a variable, in terms of the variables that have steps or do not change."""
        last = summary.last[variable]
        symbols = {name for name in self.ranges.leaves(last) if name.startswith("@")}
        values = self.values(summary, symbols, steps)
        moving = {summary.symbols[v] for v in [*summary.lost, *summary.steps] if v not in steps}
        if not symbols <= values.keys() or not moving.isdisjoint(symbols):
            return None
        assert isinstance(variable.ctype, IntegerType)
        exact = self.ranges.substitute(self.ranges.substitute(last, values), {ITERATION: iteration})
        return Index(exact, variable.ctype)
