"""Searches: what is known of the first iteration of a loop at which a condition on data holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.ir.scalar_terms import convert, neutral
from tensorlift.poly.affine import affine
from tensorlift.poly.names import fresh
from tensorlift.proofs.source.frames import Entered, Exit, Frame, Outcome, under
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Memory, Undecided, Value, element_type

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from tensorlift.comprehension.terms import Term
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.source.execution import Execution


@dataclass(frozen=True, slots=True)
class Search:
    """A search for the first of some places, values of the loop's variable, at which a condition holds."""

    variable: str
    place: str
    domain: Domain
    condition: Term

    @classmethod
    def over(cls, variable: str, iterations: Domain, guard: Term) -> Search:
        """Look among the iterations of a loop, by a name of its own for their variable."""
        place = fresh("k")
        moved = rewrite.substitute(guard, {variable: affine(place)})
        return cls(variable, place, iterations.rename({variable: place}), moved)

    @property
    def any(self) -> Term:
        """Whether it holds at any of them."""
        return terms.reduce("any", (self.place,), self.domain, self.condition)

    def first(self, value: Value, of_type: Attribute) -> Value | None:
        """Return a value of the iteration at the first place; None where that is not known."""
        if isinstance(value, Memory):
            return value
        exact = value.value.as_affine() if isinstance(value, Exact) and value.is_signed else None
        if exact is None:
            return None
        if not exact.coefficient(self.variable):
            return value
        op: terms.Reducer = "min" if exact.coefficient(self.variable) > 0 else "max"
        index = terms.index(exact.substitute({self.variable: affine(self.place)}), "i64")
        chosen = terms.apply("select", self.condition, index, neutral(op, "i64"))
        return convert(terms.reduce(op, (self.place,), self.domain, chosen), element_type(of_type))


def run_search(
    run: Execution, loop: Entered, iteration: tuple[Frame, Outcome], frame: Frame, stop: int
) -> tuple[int, Outcome | None]:
    """Leave a loop that does nothing but look for the first iteration at which a condition on data holds.

    There is one if there is any, and an index that rises with the iterations is then the least of those at which
    it holds.  Whether reads beyond stay inside of their arrays is the contract's matter.

    Raises:
        Undecided: where it does anything else.

    """
    inner, after = iteration
    run.require_counters(loop, after.passed)
    early, header = inner.exits[0], loop.claim.header
    is_pure = not after.state.pieces and not early.frame.state.pieces and not list(loop.phis())
    is_told = isinstance(loop.claim.step, int)  # which iterations there are
    if len(inner.exits) > 1 or not (is_pure and is_told) or not loop.iterations.is_subset(early.context):
        raise Undecided("the loop may be left early", loop.last)
    guard = frame.state.resolved(early.frame.guard, loop.iterations, loop.entry | inner.outer)
    search = Search.over(loop.claim.variable, loop.iterations.gist(loop.context), guard)
    found = {value: search.first(known, value.type) for value, known in early.frame.values.items()}
    inside = {*run.flow.values(run.flow.loops[header].blocks)}
    known = {v: k for v, k in frame.values.items() if v not in inside}
    hit = replace(frame, values=known | {v: k for v, k in found.items() if k is not None})
    types = run.types(early.block)
    passed = [search.first(value, of_type) for value, of_type in zip(early.passed, types, strict=True)]
    if any(value is None for value in passed):
        raise Undecided("the loop hands on what it found", loop.last)
    hit.state = frame.state.copy()
    end = run.meets(header, frame, stop)
    last, rest = run.leave(loop, frame, is_search=True)
    ended = {value: frame.values[value] for value in run.flow.values([header])}
    other = run.arm(Exit(last, rest, under(search.any, frame, is_true=False), loop.context), end)
    kept = [value for value in passed if value is not None]
    one = run.arm(Exit(early.block, kept, under(search.any, hit), loop.context), end)
    for value, last_one in ended.items():
        first = found.get(value)
        del frame.values[value]  # where there was a hit, it is not what it is at the end
        if first is not None:
            frame.values[value] = run.chosen(search.any, first, last_one, value.type)
    return end, run.merged(search.any, one, other, frame, end)
