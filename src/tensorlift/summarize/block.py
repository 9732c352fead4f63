"""Straight-line evaluation: what a block of statements does to arrays, in terms of the state at its entry.

Inner loops are replaced by their effects (`loop`).  A branch under an affine condition restricts domains; under a
condition on data it becomes a `select` between what its arms leave.  Values, which loads and branches yield, are terms
of the entry state; those of outer blocks stay names, for the outer block to put in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.domain import Domain, NotAffine
from tensorlift.comprehension.state import Effect, RecurrenceError, State, own_cell
from tensorlift.comprehension.terms import Reduce
from tensorlift.ir.scalar_terms import choose, choose_by, reconverted
from tensorlift.ops.dtypes import is_float
from tensorlift.summarize.loop import LoopRule
from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Statement, Store
from tensorlift.summarize.unwritten import unwritten

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.proofs.source.induction import Guess
    from tensorlift.summarize.liveness import Liveness

Values = dict[str, "Term"]


class Evaluator:
    """Evaluates blocks of one program; remembers the effects of loops, and which have none that is known.

    ``unfolds``: see `LoopRule.closed`.  Where the program ``has_nan`` among its literals, it has no extremes of floats:
    they are of numbers alone, and from what a NaN becomes a number depends on how the source compares.
    """

    def __init__(self, arrays: Mapping[str, ArrayInfo], liveness: Liveness, *, unfolds: bool, has_nan: bool) -> None:
        self.arrays = arrays
        self.liveness = liveness
        self.unfolds = unfolds
        self.has_nan = has_nan
        self.guesses: list[tuple[Loop, Guess | None]] = []  # of the loops that have a closed form, as they were proved
        self._effects: dict[tuple[Loop, Domain, frozenset[str]], Effect | RecurrenceError | NotAffine] = {}

    def run(self, block: Block, state: State, values: Values, context: Domain) -> None:
        """Run a block: change the state and add to the values.

        Raises:
            RecurrenceError: where a loop has no closed form.
            NotAffine: where a closed form needs an integer division.

        """
        for statement in block:
            self._statement(statement, state, values, context)

    def _statement(self, s: Statement, state: State, values: Values, context: Domain) -> None:
        if isinstance(s, Load):
            values[s.value] = state.read(s.array, s.indices, s.dtype, context)
        elif isinstance(s, Store):
            state.store(s.array, s.indices, reconverted(_resolved(s.term, values, context)), context)
        elif isinstance(s, Loop):
            state.apply(self.loop(s, context), values)
        elif isinstance(s, Branch):
            self._branch(s, state, values, context)
        else:
            state.forget(s.array)

    # -- branches

    def _branch(self, s: Branch, state: State, values: Values, context: Domain) -> None:
        condition = s.condition if isinstance(s.condition, Domain) else _resolved(s.condition, values, context)
        inside, outside = s.then_domain(context), s.otherwise_domain(context)
        then, otherwise = state.copy(), state.copy()
        self.run(s.then, then, values, inside)
        self.run(s.otherwise, otherwise, values, outside)
        for value, chosen, other in zip(s.values, s.then_terms, s.otherwise_terms, strict=True):
            arms = _resolved(chosen, values, inside), _resolved(other, values, outside)
            values[value] = _chosen(condition, *arms, inside, outside)
        state.choose(condition, (then, inside), (otherwise, outside), self._own)

    def _own(self, array: str) -> Read:
        info = self.arrays[array]
        return own_cell(array, len(info.shape), info.dtype)

    # -- loops

    def loop(self, loop: Loop, context: Domain) -> Effect:
        """Return the effect of a whole loop."""
        key = (loop, context, self.liveness.after[loop])
        found = self._effects.get(key)
        if found is None:
            try:
                found = self._loop(loop, context)
            except (RecurrenceError, NotAffine) as failure:
                if isinstance(failure, RecurrenceError) and failure.variable is None:
                    failure.variable = loop.variable
                found = failure
            self._effects[key] = found
        if isinstance(found, Exception):
            raise found.with_traceback(None)
        return found

    def _loop(self, loop: Loop, context: Domain) -> Effect:
        iterations = context & loop.domain()
        if iterations.is_empty():
            return {}
        state = State()
        self.run(loop.body, state, {}, iterations)
        local = {s.array for s in loop.body if isinstance(s, Allocate)}
        effect = {a: [(d, _defined(t, d, local)) for d, t in p] for a, p in state.pieces.items() if a not in local}
        effect = needed_part(effect, self.liveness.after[loop])
        rule = LoopRule(loop, effect, context, iterations, self.arrays)
        closed = rule.closed(unfolds=self.unfolds) if effect else {}
        self.guesses.append((loop, rule.guess))
        if self.has_nan:
            _refuse_extremes(closed)
        return closed


def _refuse_extremes(effect: Effect) -> None:
    for array, pieces in effect.items():
        nodes = (node for _, term in pieces for node in rewrite.walk(term) if isinstance(node, Reduce))
        if any(is_float(node.dtype) and node.op.endswith(("max", "min")) for node in nodes):
            raise RecurrenceError(array, "may be an extreme of numbers and a NaN")


def needed_part(effect: Effect, live: frozenset[str]) -> Effect:
    """Keep the arrays that live after a loop, and those that an iteration reads to compute them."""
    needed: set[str] = set()
    stack = [array for array in effect if array in live]
    while stack:
        array = stack.pop()
        if array not in needed:
            needed.add(array)
            stack += [read for _, term in effect[array] for read in term.reads if read in effect]
    return {array: pieces for array, pieces in effect.items() if array in needed}


def _defined(term: Term, domain: Domain, local: set[str]) -> Term:
    """Mark reads of locals that have no value yet."""
    if term.reads.isdisjoint(local):
        return term
    return rewrite.map_reads(term, domain, lambda r, _: unwritten(r) if r.array in local else r)


def _resolved(term: Term, values: Values, domain: Domain) -> Term:
    """Put values in for their names."""
    if term.reads.isdisjoint(values):
        return term
    return rewrite.map_reads(term, domain, lambda r, _: values.get(r.array, r))


def _chosen(condition: Domain | Term, chosen: Term, other: Term, inside: Domain, outside: Domain) -> Term:
    if not isinstance(condition, Domain):
        return _guarded_choice(condition, chosen, other, inside, outside)
    if inside.is_empty():
        return other
    return chosen if outside.is_empty() else choose_by(condition, chosen, other)


def _guarded_choice(condition: Term, chosen: Term, other: Term, inside: Domain, outside: Domain) -> Term:
    """Choose by a condition on data, which is false outside ``inside`` and true outside ``outside``."""
    if inside is outside:
        return choose(condition, chosen, other)
    cases = [
        (inside & outside, choose(condition, chosen, other)),
        (outside - inside, other),
        (inside - outside, chosen),
    ]
    possible = [case for case in cases if not case[0].is_empty()]
    return terms.piecewise(possible) if possible else other
