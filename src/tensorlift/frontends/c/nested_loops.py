"""The lengths of the nested loops that a loop over a product of sizes is split into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.calls import Calls
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.splitting import divisors, factors_of
from tensorlift.frontends.c.values import Index, Need

if TYPE_CHECKING:
    from tensorlift.frontends.c.induction import LoopSummary


class NestedLoops(Calls):
    """Splitting of loops."""

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
