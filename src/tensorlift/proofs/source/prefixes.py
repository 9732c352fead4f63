"""Loops that do something and are left early: what they do up to their first hit, and what they leave there.

Say that iterations would go on where the program leaves the loop.  Up to the first hit ``h`` that is what it does, so
that ``h`` is the first iteration at which the tests hold of what they would see then: of numbers that iterations hand
on the claim says what these are, ``running`` on, which induction shows.  Cells that are tested must be as they were.

The states that are claimed tell of ``h`` by a name, in comparisons.  They are shown by induction for any integer of
that name: an iteration before it does what it does where the loop goes on, one at it what it does on the way out, and
later ones do nothing.  Numbers that iterations hand on are at ``h`` what they are before that iteration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import ArrayInfo
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.state import Effect, RecurrenceError, at
from tensorlift.comprehension.terms import Apply, Index, Piecewise, Read, Term, applies
from tensorlift.ir.scalar_terms import choose, choose_by, compare, convert, neutral
from tensorlift.ops.dtypes import is_integer
from tensorlift.ops.scalar_ops import TURNED
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.polynomial import Polynomial
from tensorlift.proofs.source.exits import at_exit
from tensorlift.proofs.source.frames import Entered, Exit, Frame, Outcome, under
from tensorlift.proofs.source.induction import Guess, check_induction
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Memory, Undecided, Value, as_data, element_type
from tensorlift.proofs.source.sense import are_bits_of
from tensorlift.proofs.source.sharing import Tracked

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.source.claims import Hit
    from tensorlift.proofs.source.execution import Execution

_PLACE = "first hit"  # the integer that a hit is; no name of a source has spaces


def run_prefix(
    run: Execution, loop: Entered, iteration: tuple[Frame, Outcome], frame: Frame, stop: int
) -> tuple[int, Outcome | None]:
    """Decide what is claimed of a loop that is left early, and leave it.

    Raises:
        Undecided: where that is not shown.

    """
    inner, after = iteration
    if loop.claim.hit is None:
        raise Undecided("the loop may be left early", loop.last)
    run.require_counters(loop, after.passed)
    is_told = isinstance(loop.claim.step, int)  # which iterations there are
    if not is_told or not all(loop.iterations.is_subset(way.context) for way in inner.exits):
        raise Undecided("the loop may be left early", loop.last)
    prefix = _Prefix(run, loop, inner, after, loop.claim.hit)
    return prefix.leave(frame, stop)


class _Prefix:
    """One loop, an iteration of it that goes on, and the ways out."""

    def __init__(self, run: Execution, loop: Entered, inner: Frame, after: Outcome, hit: Hit) -> None:
        self.run, self.loop, self.inner, self.after, self.hit = run, loop, inner, after, hit
        self.variable, self.ways = loop.claim.variable, inner.exits
        counter = loop.before[hit.counter] if hit.counter < len(loop.before) else None
        place = counter.value.as_affine() if isinstance(counter, Exact) else None
        argument = loop.block.args[hit.counter]
        if place is None or place.coefficient(self.variable) not in (1, -1):
            raise Undecided("a hit is not told by a counter", loop.last)
        if not are_bits_of(element_type(argument.type), hit.dtype) or not is_integer(hit.dtype):
            raise Undecided("a hit is told by another type", loop.last)
        is_unsigned = hit.dtype.startswith("u")
        is_exact = loop.iterations.implies(at_least(place, 0)) if is_unsigned else counter.is_signed  # type: ignore[union-attr]  # it is exact
        self.place, self.rises = place, place.coefficient(self.variable) > 0
        beyond = (less(place, hit.none) if self.rises else less(hit.none, place),)
        if not is_exact or not loop.iterations.implies(*beyond):
            raise Undecided("a hit is not told from none", loop.last)
        run.memory.require_number(hit.name)
        if hit.name not in run.arrays:
            run.arrays[hit.name] = ArrayInfo(hit.name, hit.dtype, (), is_parameter=False)
        info = run.arrays[hit.name]
        self.numbers = {phi: number for phi, _, number in loop.phis()}
        self.written = {*after.state.pieces, *self.numbers}.union(*(way.frame.state.pieces for way in self.ways))
        others = {*self.written, *loop.claim.locals, *loop.claim.phis, *run.versions.definitions}
        if (
            info.shape
            or info.dtype != hit.dtype
            or info.is_parameter
            or not hit.name.isidentifier()
            or hit.name in others
        ):
            raise Undecided("a hit has the name of something else", loop.last)
        self.read = terms.read(hit.name, (), hit.dtype)
        # The hit as it is known behind the loop, the state before that, and what numbers are that iterations hand on.
        self.found: Term = self.read
        self.before, self.resolve = Tracked(), loop.entry | inner.outer
        self.final: dict[str, Term] = {}

    # -- the hit

    def _first(self) -> Term:
        """Return the first hit, once it is shown what the tests are of."""
        self._require_running()
        goes_on: Term = TRUE
        for way in reversed(self.ways):
            guard = self._settled(way.frame.guard, self.loop.iterations)
            goes_on = terms.apply("not", guard) if goes_on is TRUE else choose(guard, FALSE, goes_on)
        place = fresh("k")
        moved = {self.variable: affine(place)}
        none = terms.index(self.hit.none, self.hit.dtype)
        here = terms.index(self.place.substitute(moved), self.hit.dtype)
        body = choose(rewrite.substitute(goes_on, moved), none, here)
        domain = self.loop.iterations.gist(self.loop.context).rename({self.variable: place})
        op: terms.Reducer = "min" if self.rises else "max"
        return terms.apply(op, none, terms.reduce(op, (place,), domain, body))

    def _require_running(self) -> None:
        """Show what numbers would be that iterations hand on, if they went on for ever."""
        claim, running = self.loop.claim, self.loop.claim.running
        effect: Effect = {}
        for phi, argument, number in self.loop.phis():
            if phi in running:
                value = as_data(self.after.passed[number], argument.type, self.run.arrays[phi].dtype)
                effect[phi] = [(self.loop.iterations, value)]
        if running.keys() - effect.keys():
            raise Undecided("what is claimed is of another loop", self.loop.last)
        others = self.written - running.keys()
        if any(not term.reads.isdisjoint(others) for pieces in effect.values() for _, term in pieces):
            raise Undecided("what is tested depends on what earlier iterations stored", self.loop.last)
        region = self.loop.context & Domain.of(*(at_least(high, self.variable) for high in claim.upper))
        self._induction(effect, running, region)

    def _induction(self, effect: Effect, states: Effect, region: Domain) -> None:
        if any(t.dtype != self.run.arrays[array].dtype for array, pieces in states.items() for _, t in pieces):
            raise Undecided("a claim gives cells another type", self.loop.last)
        guess = Guess(self.loop.claim, effect, states, region, self.loop.iterations)
        try:
            check_induction(guess, self.run.arrays)
        except RecurrenceError as error:
            raise Undecided(f"{error.array} {error.why}", self.loop.last) from None

    def _settled(self, term: Term, domain: Domain) -> Term:
        """Say a term of an iteration that is not after the hit by what there was before the loop.

        Raises:
            Undecided: where an earlier iteration may have changed it, but for numbers that are said to run on.

        """
        running = self.loop.claim.running

        def convert(found: Read, where: Domain) -> Term:
            if found.array in running:
                return rewrite.lookup(running[found.array], {}, where, found)
            if found.array not in self.written:
                return found
            states = self.loop.claim.states.get(found.array)
            if states is None or found.array in self.numbers:
                raise Undecided("what is tested depends on what earlier iterations left", self.loop.last)
            if rewrite.lookup(states, at(found.array, found.indices), where, found) is not found:
                raise Undecided("what is tested depends on what earlier iterations stored", self.loop.last)
            return found

        return rewrite.map_reads(term, domain, convert)

    # -- the states

    def _effect(self) -> Effect:
        """Return what the loop leaves in arrays, and in numbers that iterations hand on, in terms of the hit."""
        claim = self.loop.claim
        missing = self.written - claim.states.keys()
        kept = {p for p, n in self.numbers.items() if self._handed(p, n) is self.loop.before[n]}
        if any(
            way.frame.state.pieces.keys() & missing or self.after.state.pieces.keys() & missing for way in self.ways
        ):
            raise Undecided("of what a loop stores that is left early nothing is claimed", self.loop.last)
        region = self.loop.context & Domain.of(*(at_least(high, self.variable) for high in claim.upper))
        states = {
            a: self.run.with_locals(claim, claim.states[a], self.inner) for a in self.written if a in claim.states
        }
        told = {array: [(d, self._told(t, d)) for d, t in pieces] for array, pieces in states.items()}
        plain, guarded = (self._iteration(states, is_guarded=is_guarded) for is_guarded in (False, True))
        mixed = {a: plain[a] if a in self.numbers else guarded[a] for a in guarded if a in plain}
        for number, effect in enumerate((guarded, mixed, plain)):
            try:
                self._induction(effect, told, region)
                break
            except Undecided:
                if number == 2:  # noqa: PLR2004 - the last one
                    raise
        left = at_exit(claim, states, self.loop.context)
        return left | {phi: self.run.lost(phi) for phi in self.numbers if phi in missing - kept}

    def _handed(self, phi: str, number: int) -> Term:
        argument = self.loop.block.args[number]
        return as_data(self.after.passed[number], argument.type, self.run.arrays[phi].dtype)

    def _iteration(self, states: Effect, *, is_guarded: bool) -> Effect:
        """Return what one iteration does before the hit, and at it; it may do so by guards, false before."""
        variable, up_to = affine(_PLACE), self._last_acting() if is_guarded else len(self.ways) - 1
        before = Domain.of(less(self.place, variable) if self.rises else less(variable, self.place))
        there = Domain.of(equal(self.place, variable))
        goes_on = self.after.state.copy()
        for phi, number in self.numbers.items():
            goes_on.overwrite(phi, [(self.loop.iterations, self._handed(phi, number))])
        state = self.ways[up_to].frame.state
        if is_guarded:
            state = _by_place(goes_on, before, state, there)
        for way in reversed(self.ways[:up_to]):
            reached = way.frame.state
            if is_guarded:
                reached = _by_place(reached, before, reached, there)
            chosen = Tracked()
            chosen.choose(way.frame.guard, (reached, UNIVERSE), (state, UNIVERSE), self.run.own)
            state = chosen
        if not is_guarded:
            state = _by_place(goes_on, before, state, there)
        return {a: [p for p in state.pieces.get(a, []) if not p[0].is_empty()] for a in states}

    def _last_acting(self) -> int:
        """Return the first of the ways out after which an iteration does nothing more before it is left."""
        states = [way.frame.state.pieces for way in self.ways]
        return next(k for k in range(len(states)) if all(states[k] == later for later in states[k + 1 :]))

    def _told(self, term: Term, domain: Domain) -> Term:
        """Turn comparisons with the hit into conditions on an integer."""
        if self.hit.name not in term.reads:
            return term

        def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
            if self.hit.name not in node.reads:
                return node
            if isinstance(node, Apply) and node.op in TURNED:
                holds = self._compared(node, where)
                return node if holds is None else choose_by(holds, TRUE, FALSE)
            if not isinstance(node, Apply):
                return rewrite.rebuild_inside(node, where, descend)
            args = [descend(arg, where) for arg in node.args]
            return _distributed(node, args)

        return rewrite.transform(term, domain, rule)

    def _compared(self, node: Apply, where: Domain) -> Domain | None:
        op, (left, right) = node.op, node.args
        if left is self.read:
            op, left, right = TURNED[op], right, left
        while applies(left, "cast") and isinstance(left.args[0], Index):
            if not where.implies(at_least(left.args[0].affine, 0)) or not is_integer(left.dtype):
                return None
            left = left.args[0]
        if right is not self.read or not isinstance(left, Index):
            return None
        return compare(op, left.affine, affine(_PLACE))

    # -- control

    def leave(self, frame: Frame, stop: int) -> tuple[int, Outcome | None]:
        """Leave the loop where there was a hit, and where there was none."""
        run, loop, header = self.run, self.loop, self.loop.claim.header
        self.before = frame.state.copy()
        self.found = frame.state.resolved(self._first(), loop.context, self.resolve)
        effect = self._effect()
        version = loop.claim.versions.get(self.hit.name) if frame.is_sequential else None
        if version is not None:
            run.versions.require(self.hit.name, [(UNIVERSE, self.found)], version, loop.context)
            self.found = run.versions.own(self.hit.name, version)
        frame.state.apply(effect, {**self.resolve, self.hit.name: self.found})
        inside = {*run.flow.values(run.flow.loops[header].blocks)}
        known = {v: k for v, k in frame.values.items() if v not in inside}
        end = run.meets(header, frame, stop)
        last, rest = run.leave(loop, frame, is_search=True)
        ended = {value: frame.values[value] for value in run.flow.values([header])}
        for phi, argument, _ in loop.phis():
            self.final[phi] = as_data(frame.values[argument], argument.type, run.arrays[phi].dtype)
        was_hit = terms.apply("ne", self.found, terms.index(self.hit.none, self.hit.dtype))
        other = run.arm(Exit(last, rest, under(was_hit, frame, is_true=False), loop.context), end)
        hits = [self._taken(way, replace(frame, values=dict(known), state=frame.state.copy())) for way in self.ways]
        arms = [run.arm(hit._replace(frame=under(was_hit, hit.frame)), end) for hit in hits]
        one = arms[-1]
        for way, arm in reversed([*zip(self.ways[:-1], arms, strict=False)]):
            one = run.merged(self._at_hit(way.frame.guard), arm, one, replace(frame, state=frame.state.copy()), end)
        for value, at_end in ended.items():
            early = hits[0].frame.values.get(value)
            frame.values.pop(value, None)
            if early is not None and self._is_none(at_end, early, value.type):
                frame.values[value] = early
            elif early is not None:
                frame.values[value] = run.chosen(was_hit, early, at_end, value.type)
        both = run.merged(was_hit, one, other, frame, end)
        if both is None or one is None or other is None:
            return end, both
        pairs = zip(other.passed, one.passed, both.passed, run.types(end), strict=True)
        return end, both._replace(passed=[one if self._is_none(o, one, of) else two for o, one, two, of in pairs])

    def _is_none(self, at_end: Value, early: Value, of_type: Attribute) -> bool:
        """Tell whether a value is the hit where there is one, and what that is else where there is none."""
        dtype = element_type(of_type)
        if not isinstance(at_end, Exact) or not (at_end.is_signed or are_bits_of(dtype, self.hit.dtype)):
            return False
        return early is convert(self.found, dtype) and at_end.value == Polynomial.of(self.hit.none)

    def _taken(self, way: Exit, frame: Frame) -> Exit:
        """Say what is known on a way out, where it is taken."""
        blocks = {self.run.flow.blocks[number] for number in self.run.flow.loops[self.loop.claim.header].blocks}
        for value, meaning in way.frame.values.items():
            if any(use.operation.parent not in blocks for use in value.uses):
                told = self._value(meaning, value.type)
                if told is not None:
                    frame.values[value] = told
        passed = []
        for meaning, of_type in zip(way.passed, self.run.types(way.block), strict=True):
            told = self._value(meaning, of_type)
            if told is None:
                raise Undecided("the loop hands on what it found", self.loop.last)
            passed.append(told)
        return Exit(way.block, passed, frame, self.loop.context)

    def _value(self, value: Value, of_type: Attribute) -> Value | None:
        """Return a value of an iteration where that is the hit's; None where it is not known."""
        if isinstance(value, Memory):
            return value
        if isinstance(value, Exact):
            exact = value.value.as_affine()
            if self.variable not in value.value.variables():
                return value
            dtype = element_type(of_type)
            is_known = value.is_signed or are_bits_of(dtype, self.hit.dtype)
            return self._counted(exact, dtype) if exact is not None and is_known else None
        try:
            return self._at_hit(as_data(value, of_type))
        except Undecided:
            return None

    def _counted(self, exact: Affine, dtype: DType) -> Term | None:
        """Return an integer that moves as the counter does at the hit."""
        if exact.coefficient(self.variable) != self.place.coefficient(self.variable):
            return None
        rest, wide = exact - self.place, convert(self.found, dtype)
        return wide if rest == affine(0) else terms.apply("add", wide, terms.index(rest, dtype))

    def _at_hit(self, term: Term) -> Term:
        """Say a term of an iteration where that is the hit's, by the numbers that iterations hand on.

        Raises:
            Undecided: where that is not known.

        """
        is_of_numbers = not term.reads.isdisjoint(self.numbers)
        if not is_of_numbers and self.variable not in term.free:
            settled = self._settled(term, self.loop.iterations)
            return self.before.resolved(settled, self.loop.context, self.resolve)
        if isinstance(term, Read) and term.array in self.numbers:
            return self.final[term.array]
        counted = self._counted(term.affine, term.dtype) if isinstance(term, Index) else None
        if counted is not None:
            return counted
        if isinstance(term, Apply) and (is_of_numbers or not term.reads):
            return rewrite.simplified(term.op, tuple(map(self._at_hit, term.args)), term)
        if is_of_numbers or isinstance(term, Piecewise):
            raise Undecided("the loop hands on what it found", self.loop.last)
        return self._picked(term)

    def _picked(self, term: Term) -> Term:
        """Pick what an iteration computes of its number, and of what was there before the loop."""
        place = fresh("k")
        moved = {self.variable: affine(place)}
        domain = self.loop.iterations.rename({self.variable: place})
        settled = rewrite.substitute(self._settled(term, self.loop.iterations), moved)
        value = self.before.resolved(settled, domain, self.resolve)
        here = terms.apply("eq", terms.index(self.place.substitute(moved), self.hit.dtype), self.found)
        op: terms.Reducer = "any" if term.dtype == "bool" else "sum"
        body = terms.apply("and", here, value) if op == "any" else choose(here, value, neutral(op, term.dtype))
        return terms.reduce(op, (place,), domain.gist(self.loop.context), body)


def _by_place(one: Tracked, here: Domain, other: Tracked, there: Domain) -> Tracked:
    """Return a state that is one here, and another one there."""
    found = Tracked()
    for array in dict.fromkeys((*one.pieces, *other.pieces)):
        pieces = [(d & here, t) for d, t in one.pieces.get(array, [])]
        pieces += [(d & there, t) for d, t in other.pieces.get(array, [])]
        found.pieces[array] = [piece for piece in pieces if not piece[0].is_empty()]
    return found


def _distributed(node: Apply, args: list[Term]) -> Term:
    """Rebuild an operation, of what a condition on indices chooses as such a choice."""
    for number, arg in enumerate(args):
        if isinstance(arg, Piecewise) and (arg.dtype == "bool" or node.dtype == "bool"):
            return terms.piecewise(
                (domain, _distributed(node, [*args[:number], part, *args[number + 1 :]])) for domain, part in arg.pieces
            )
    return rewrite.simplified(node.op, tuple(args), node)
