"""Straight-line evaluation: what a block of statements does to arrays, in terms of the state at its entry.

Inner loops are replaced by their effects (see the loop rule).  A branch under an affine condition restricts domains;
under a condition on data it becomes a `select` between what its arms leave.  Values, which loads and branches yield,
are terms of the entry state; those of outer blocks stay names, for the outer block to put in.

The loop rule: from what one iteration does to what the whole loop does, for every trip count.

An iteration is an effect: piece by piece, a term for each cell that it writes, over the state that it starts from.
Each read of an array that the loop writes is classified: no earlier iteration writes the cell, so it holds its
*initial* value; it is the *same cell* that the piece overwrites; or an *earlier iteration* may have written it.  In the
last case the state of that array before the iteration is computed first, as a function of the loop variable, and put
in.  What an array's pieces then do to it is brought into closed form by `phases`, or guessed to be `chains`; or, where
what an iteration reads of earlier ones was written without reading of still earlier ones, as in
``p[i] = p[n - 1 - i] + q[i]``, the state that the first `phases` give is put into the second.

The closed form is the state *before iteration* ``i`` for every ``i`` up to the upper bound; the loop's effect is that
state at the upper bound.  It is a guess until `induction` has proved it.
"""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.state import Effect, Piece, RecurrenceError, State, at, merged, own_cell, split
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.ir.scalar_terms import choose, choose_by, reconverted
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, NotAffine, at_least, equal, less
from tensorlift.poly.names import formals, fresh
from tensorlift.poly.variables import strided
from tensorlift.proofs.source.exits import at_exit
from tensorlift.proofs.source.induction import Guess, check_induction
from tensorlift.summarize.accumulation import self_read
from tensorlift.summarize.chains import guess_chain
from tensorlift.summarize.phases import Phases, iteration_of
from tensorlift.summarize.scan import (
    guess_last_writer,
    guess_latest,
    guess_latest_value,
    guess_position,
    guess_since,
)
from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Statement, Store
from tensorlift.summarize.unwritten import unwritten

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.summarize.dependence import Liveness

INITIAL = "!"  # marks a read of the state before the loop
AFTER = "+"  # marks a read of the state after the iteration


class Forms(NamedTuple):
    """Which closed forms a target can make use of.

    Where they ``unfold``, what earlier iterations wrote is computed again where it is read, if that ends after one
    step; several chains of cells may lie side by side, and their operands alternate in sign.  Where they ``gather``,
    numbers may be what an array holds at a place that depends on data.
    """

    unfold: bool = True
    gather: bool = True


class LoopRule:
    """One loop with the effect of its iterations.

    ``context`` holds the points of the outer variables, ``iterations`` those at which the loop's is in its range too.
    """

    def __init__(
        self, loop: Loop, effect: Effect, context: Domain, iterations: Domain, arrays: Mapping[str, ArrayInfo]
    ) -> None:
        self.loop = loop
        self.variable = loop.variable
        self.effect = effect
        self.context = context
        self.iterations = iterations
        self.arrays = arrays
        # Between iterations the variable is at most each upper bound.
        self.region = context & Domain.of(*(at_least(high, loop.variable) for high in loop.upper))
        self.written_before: dict[str, Domain] = {}
        self.needs: dict[str, set[str]] = {array: set() for array in effect}
        self.late: dict[str, list[tuple[Mapping[str, Affine], Domain]]] = {array: [] for array in effect}
        self.pieces: Effect = {}
        self.states: Effect = {}
        self.guess: Guess | None = None  # what was proved

    def closed(self, forms: Forms) -> Effect:
        """Return the effect of the loop.

        Raises:
            RecurrenceError: where there is no closed form, or the guess is not proved.
            NotAffine: where a closed form needs an integer division.

        """
        numbers = self._numbers_after()
        for array, pieces in self.effect.items():
            named = [(domain, self._named(array, term, numbers)) for domain, term in pieces]
            self.pieces[array] = split(self._classified(array, piece) for piece in named)
        for array in self._in_order_of_needs():
            self.states[array] = self._state_before(array, forms)
        states = {array: [(d, unmarked(t, d)) for d, t in self.states[array]] for array in self.effect}
        effect, iterations = self.effect, self.iterations
        if not isinstance(self.loop.step, int):
            reached = strided(self.variable, self.loop.lower[0], self.loop.step)
            effect = {a: [(here, t) for d, t in p if not (here := d & reached).is_empty()] for a, p in effect.items()}
            iterations = iterations & reached
        self.guess = Guess(self.loop, effect, states, self.region, iterations)
        check_induction(self.guess, self.arrays)
        return at_exit(self.loop, states, self.context)

    def _written_before(self, array: str) -> Domain:
        """Return the cells that an iteration before ``variable`` writes."""
        known = self.written_before.get(array)
        if known is None:
            earlier = fresh("earlier")
            domains = Domain.union(domain.rename({self.variable: earlier}) for domain, _ in self.effect[array])
            known = (domains & self.loop.order(earlier, self.variable)).project_out(earlier)
            self.written_before[array] = known
        return known

    # -- what an iteration leaves in a number

    def _numbers_after(self) -> dict[Term, Read]:
        """Return what an iteration leaves in numbers that it hands on, with the reads that stand for it elsewhere."""
        found: dict[Term, Read] = {}
        for array, pieces in self.effect.items():
            (domain, term), *others = pieces
            is_number = not others and not self.arrays[array].shape and self.iterations.is_subset(domain)
            if is_number and array in term.reads and isinstance(term, Apply):
                found[term] = terms.read(array + AFTER, (), term.dtype)
        return found

    def _named(self, array: str, term: Term, numbers: Mapping[Term, Read]) -> Term:
        """Return a term with what is left in other numbers by their names, so that it is not computed again."""
        others = {left: read for left, read in numbers.items() if read.array != array + AFTER}
        if not others or term.reads.isdisjoint(self.effect):
            return term

        def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
            read = others.get(node)
            if read is not None:
                self.needs[array].add(read.array.removesuffix(AFTER))
                return read
            return node if isinstance(node, Reduce) else rewrite.rebuild_inside(node, where, descend)

        return rewrite.transform(term, self.iterations, rule)

    # -- classification

    def _classified(self, array: str, piece: Piece) -> Piece:
        domain, term = piece
        if term.reads.isdisjoint(self.effect):
            return piece
        return domain, rewrite.map_reads(term, domain, lambda found, where: self._class(array, found, where))

    def _class(self, array: str, found: Read, where: Domain) -> Term:
        if found.array not in self.effect:
            return found
        cell = at(found.array, found.indices)
        own = found.array == array and where.implies(*(equal(name, index) for name, index in cell.items()))
        if own:  # at the points of the piece, the subscripts are the index variables as they are
            cell = {}
        if self._is_written_later(found.array, cell, where) or self._is_unwritten(found.array, cell, where):
            return initial(found)
        if own:
            return self_read(found.dtype)
        self.needs[array].add(found.array)
        if found.array == array:
            self.late[array].append((cell, where))
        return found

    def _is_written_later(self, array: str, cell: Mapping[str, Affine], where: Domain) -> bool:
        """Tell whether a cell is written in this iteration or in later ones, as equalities of the writes may say."""
        for domain, _ in self.effect[array]:
            writer = iteration_of(domain, self.variable)
            if writer is None:
                return False
            ahead = where.reduced(writer.substitute(cell) - affine(self.variable))
            if not ahead.is_constant or ahead.constant < 0:
                return False
        return True

    def _is_unwritten(self, array: str, cell: Mapping[str, Affine], where: Domain) -> bool:
        """Tell whether no iteration before this one writes a cell."""
        return (self._written_before(array).substitute(cell) & where).is_empty()

    def _in_order_of_needs(self) -> Iterable[str]:
        """Return the arrays so that each comes after the others whose state its own depends on."""
        order = TopologicalSorter({array: sorted(needed - {array}) for array, needed in self.needs.items()})
        try:
            return tuple(order.static_order())
        except CycleError as error:
            array = min(error.args[1])
            raise RecurrenceError(array, "depends on earlier iterations through other arrays") from None

    # -- the state before an iteration

    def _state_before(self, array: str, forms: Forms) -> list[Piece]:
        """Return the cells of an array before iteration ``variable``, over marked reads of the state before the loop.

        Raises:
            RecurrenceError: where the array depends on itself in no known way.

        """
        needed = {a: self.states[a] for a in self.needs[array] - {array}}
        pieces = self._resolved(self.pieces[array], needed | {a + AFTER: self._after(p) for a, p in needed.items()})
        if array in self.needs[array]:
            return merged(self._recurrent(array, pieces, unfolds=forms.unfold))
        is_number, position = not self.arrays[array].shape, None
        if is_number and self.needs[array]:
            position = guess_position(self.pieces, array, self.loop, self.region, self._shape)
        elif is_number:
            position = guess_latest(self.pieces, array, self.loop, self.region)
        try:
            if position is None:
                return merged(self._phases(array, pieces))
        except RecurrenceError:
            if is_number and not self.needs[array] and forms.gather:
                position = guess_since(self.pieces, array, self.loop, self.region) or guess_latest_value(
                    self.pieces, array, self.loop, self.region, self._shape
                )
            if not is_number:
                position = guess_last_writer(pieces, self.loop, self.region, self._own(array))
            if position is None:
                raise
        return [(domain, self._marked(term, domain)) for domain, term in position]

    def _shape(self, array: str) -> tuple[Affine, ...]:
        """Return the shape of an array, which may be marked."""
        return self.arrays[array.removesuffix(INITIAL)].shape

    def _after(self, pieces: list[Piece]) -> list[Piece]:
        """Return a state before an iteration as that after it."""
        advance = {self.variable: affine(self.variable) + 1}
        return [(domain.substitute(advance), rewrite.substitute(term, advance)) for domain, term in pieces]

    def _marked(self, term: Term, domain: Domain) -> Term:
        """Mark the reads of arrays that the loop writes."""
        return rewrite.map_reads(term, domain, lambda found, _: initial(found) if found.array in self.effect else found)

    def _own(self, array: str) -> Read:
        info = self.arrays[array]
        return own_cell(array, len(info.shape), info.dtype)

    def _recurrent(self, array: str, pieces: list[Piece], *, unfolds: bool) -> list[Piece]:
        guess = guess_chain(self.loop, array, pieces, self.region, self._shape, as_loops=not unfolds)
        if guess is None and unfolds and self._has_short_chains(array):
            first = self._phases(array, self._resolved(pieces, {array: []}))
            guess = self._phases(array, self._resolved(pieces, {array: first}))
        if guess is None:
            raise RecurrenceError(array, "depends on cells that earlier iterations wrote")
        return guess

    def _has_short_chains(self, array: str) -> bool:
        """Tell whether what iterations read of earlier ones was written without reading of still earlier ones."""
        written = self._written_before(array)
        late = [(cell, written.substitute(cell) & where) for cell, where in self.late[array]]
        writers = [iteration_of(domain, self.variable) for domain, _ in self.effect[array]]
        kept = set(self.iterations.variables())
        iterations = Domain.union(
            where.project_out(*(v for v in where.variables() if v not in kept)) for _, where in late
        )
        return all(
            writer is not None and (iterations.substitute({self.variable: writer.substitute(cell)}) & where).is_empty()
            for cell, where in late
            for writer in writers
        )

    def _phases(self, array: str, pieces: list[Piece]) -> list[Piece]:
        iteration = fresh("k")
        ended = Domain.union(Domain.of(equal(self.variable, high)) for high in self.loop.upper)
        earlier = self.loop.order(iteration, self.variable) | (ended & Domain.of(less(iteration, self.variable)))
        earlier = self.region & earlier
        found = []
        for domain, term in pieces:
            when = domain.rename({self.variable: iteration}) & earlier
            if not when.is_empty():
                found.append((when.coalesce(), rewrite.substitute(term, {self.variable: affine(iteration)})))
        info = self.arrays[array]
        box = Domain.box(formals(array, len(info.shape)), info.shape)
        old = initial(self._own(array))
        phases = Phases(self.loop, array, iteration, initial=old, box=box, region=self.region)
        return phases.closed(found)

    def _resolved(self, pieces: list[Piece], states: Effect) -> list[Piece]:
        """Return pieces with the states of arrays put in."""
        if not states:
            return pieces

        def convert(found: Read, where: Domain) -> Term:
            if found.array not in states:
                return found
            return rewrite.lookup(states[found.array], at(found.array, found.indices), where, initial(found))

        return split((domain, rewrite.map_reads(term, domain, convert)) for domain, term in pieces)


def initial(found: Read) -> Read:
    """Mark a read as one of the state before the loop."""
    return terms.read(found.array + INITIAL, found.indices, found.dtype)


def unmarked(term: Term, domain: Domain) -> Term:
    """Forget the marks: outside the loop rule, reads are of the state before the loop."""
    if not any(name.endswith(INITIAL) for name in term.reads):
        return term

    def convert(found: Read, _: Domain) -> Term:
        return terms.read(found.array.removesuffix(INITIAL), found.indices, found.dtype)

    return rewrite.map_reads(term, domain, convert)


Values = dict[str, "Term"]


class Evaluator:
    """Evaluates blocks of one program; remembers the effects of loops, and which have none that is known.

    ``forms``: see `Forms`.  Where the program ``has_nan`` among its literals, it has no extremes of floats:
    they are of numbers alone, and from what a NaN becomes a number depends on how the source compares.
    """

    def __init__(self, arrays: Mapping[str, ArrayInfo], liveness: Liveness, *, forms: Forms, has_nan: bool) -> None:
        self.arrays = arrays
        self.liveness = liveness
        self.forms = forms
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
        if loop.goes_on is not None:
            raise RecurrenceError(loop.goes_on, "says whether it goes on")
        iterations = context & loop.domain()
        if iterations.is_empty():
            return {}
        state = State()
        self.run(loop.body, state, {}, iterations)
        local = {s.array for s in loop.body if isinstance(s, Allocate)}
        effect = {a: [(d, _defined(t, d, local)) for d, t in p] for a, p in state.pieces.items() if a not in local}
        effect = needed_part(effect, self.liveness.after[loop])
        rule = LoopRule(loop, effect, context, iterations, self.arrays)
        closed = rule.closed(self.forms) if effect else {}
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
    if values.keys().isdisjoint(term.reads):  # the shorter one is gone through
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
