"""Symbolic execution of literal IR under claims: what a function leaves in its arrays, as definitions say it.

A block of straight-line code is evaluated on a state (`comprehension.state`).  A branch on indices and sizes restricts
the points at which its arms run; a branch on data runs both and selects.  A loop is run once, for an iteration that its
claim describes, on the state that the claim says to be there; induction then shows the claim, and the loop's effect is
what the claim says of its end.  Where control, an access or a value is not understood, the answer is `Undecided`.

An execution that C leaves undefined has no meaning that could be wrong: what is read where nothing was written may be
taken for anything.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import MemRefType, ModuleOp, SymbolRefAttr, i1

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.affine import Affine, affine
from tensorlift.comprehension.definition import ArrayInfo
from tensorlift.comprehension.domain import UNIVERSE, Domain, NotAffine, at_least, equal, less
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.state import RecurrenceError, State, own_cell
from tensorlift.ir.function import function_named
from tensorlift.ir.regions import ControlFlow
from tensorlift.ir.scalar_terms import UnknownOperationError, choose, choose_by, convert, unsigned
from tensorlift.proofs.source.claims import Advance
from tensorlift.proofs.source.exits import at_exit
from tensorlift.proofs.source.induction import Guess, check_induction
from tensorlift.proofs.source.integers import Exact, polynomial
from tensorlift.proofs.source.operations import (
    Cases,
    Memory,
    Place,
    Undecided,
    Value,
    as_data,
    element_type,
    evaluated,
    joined,
)
from tensorlift.proofs.source.sense import are_apart, are_bits_of, cell_names, named_number, require_sense
from tensorlift.proofs.source.sharing import require_unwritten
from tensorlift.proofs.source.versions import UNDEFINED, UNKNOWN, Versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence

    from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

    from tensorlift.comprehension.definition import Item, Summary
    from tensorlift.comprehension.state import Effect, Piece
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.source.claims import Claims, LoopClaim
    from tensorlift.proofs.source.places import Places

_MOST_WAYS = 32  # that lead to one block
_AT_END = -1  # the block after the last: where a function returns


@dataclass(slots=True)
class Frame:
    """One run of the body of a loop, or of the function: its values, and the state so far.

    Data that a loop gets from around it has a name there, by which ``outer`` tells what it is.  At the level of the
    definitions, which is in no loop but those that stay, it is what it is: there the frame ``is_sequential``, and
    ``items`` are the definitions of that level.  ``variables`` are the names that integers have here,
    and ``claimed`` are arrays of which ``claim`` tells what earlier iterations wrote, if anything.
    """

    values: MutableMapping[SSAValue, Value]
    state: State
    around: Frame | None = None
    header: int | None = None
    is_sequential: bool = False
    variables: frozenset[str] = frozenset()
    items: tuple[Item, ...] = ()
    claim: LoopClaim | None = None
    claimed: set[str] = field(default_factory=set)
    outer: dict[str, Term] = field(default_factory=dict)
    names: dict[SSAValue, Term] = field(default_factory=dict)

    def value(self, value: SSAValue) -> Value:
        """Return what a value is here."""
        found = self.values.get(value, self.names.get(value))
        if found is None:
            if self.around is None:
                raise Undecided("a value is used where nothing is known of it")
            found = self.around.value(value)
            if isinstance(found, terms.Term) and found.reads and not self.is_sequential:
                name = f"%{len(self.outer)}"
                self.outer[name] = found
                found = self.names[value] = terms.read(name, (), found.dtype)
        return found

    def all(self, values: Sequence[SSAValue]) -> list[Value]:
        """Return what several values are."""
        return [self.value(value) for value in values]


class Outcome(NamedTuple):
    """What is passed on where a run ends, the state there, and the points that get there."""

    passed: list[Value]
    state: State
    context: Domain


@dataclass(frozen=True, slots=True)
class Entered:
    """A loop that is reached: its claim, what its header's arguments are before an iteration, and at the entry."""

    claim: LoopClaim
    block: Block
    context: Domain
    iterations: Domain
    before: list[Value]
    given: list[Value]
    entry: dict[str, Term]

    @property
    def last(self) -> Operation:
        """The end of the header."""
        assert self.block.last_op is not None
        return self.block.last_op

    def phis(self) -> Iterator[tuple[str, BlockArgument, int]]:
        """Yield the arguments that are data, with the names under which states have them."""
        for number, (phi, argument) in enumerate(zip(self.claim.phis, self.block.args, strict=True)):
            if isinstance(phi, str):
                yield phi, argument, number


class Execution:
    """Runs one function, and decides what is claimed of it on the way."""

    def __init__(self, flow: ControlFlow, summary: Summary, claims: Claims, places: Places) -> None:
        self.flow = flow
        self.summary = summary
        self.claims = claims
        self.places = places
        self.arrays = dict(summary.arrays)
        self.versions = Versions(summary)
        self.owners: dict[str, Operation] = {}  # the memory that a local array is
        self.cell_names = cell_names(summary)
        self.memories: set[str] = set()  # arrays of which cells are accessed
        self.phis: set[str] = set()  # names of numbers that loops hand on, which are no arrays
        self.calls: tuple[str, ...] = ()  # inside of each other
        self.ways: Counter[int] = Counter()  # to each block

    # -- control

    def run(self, start: int, passed: list[Value], frame: Frame, context: Domain, stop: int) -> Outcome | None:
        """Run a block, and on until ``stop``; None where no point of the context gets there."""
        block, body = start, self.flow.blocks[start]
        while True:
            if block != frame.header and block in self.flow.loops:
                block, passed = self._loop(block, passed, frame, context)
                if block == stop:
                    return Outcome(passed, frame.state, context)
                continue
            if frame.header is not None and block not in self.flow.loops[frame.header].blocks:
                raise Undecided("the loop may be left early", body.last_op)
            body = self._reached(block)
            frame.values.update(zip(body.args, passed, strict=True))
            last = self._straight(body, frame, context)
            if last.name == "func.return":
                if stop != _AT_END:
                    raise Undecided("the function returns from inside of a loop or a branch", last)
                return Outcome(frame.all(last.operands), frame.state, context)
            if last.name == "cf.cond_br":
                block, ended = self._branch(block, last, frame, context, stop)
                if ended is None:
                    return None
                passed, frame.state, context = ended
            else:
                (block,), passed = self.flow.successors[block], frame.all(last.operands)
            if block == stop:
                return Outcome(passed, frame.state, context)

    def _reached(self, block: int) -> Block:
        """Return a block that is run once more."""
        self.ways[block] += 1
        if self.ways[block] > _MOST_WAYS:
            raise Undecided("too many ways lead to one place", self.flow.blocks[block].last_op)
        return self.flow.blocks[block]

    def _branch(
        self, block: int, op: Operation, frame: Frame, context: Domain, stop: int
    ) -> tuple[int, Outcome | None]:
        """Take an arm where the other cannot be taken, else run both until they meet; return where, and with what."""
        condition = frame.value(op.operands[0])
        then, otherwise = self.flow.successors[block]
        count = 1 + len(self.flow.blocks[then].args)
        first, second = frame.all(op.operands[1:count]), frame.all(op.operands[count:])
        inside, outside = context, context
        if isinstance(condition, Domain):
            inside, outside = context & condition, context - condition
        if outside.is_empty() or (isinstance(condition, terms.Constant) and condition.value):
            return then, Outcome(first, frame.state, inside)
        if inside.is_empty() or isinstance(condition, terms.Constant):
            return otherwise, Outcome(second, frame.state, outside)
        join = self.flow.join(block, frame.header)
        end = stop if join is None else join
        one = self._arm(then, first, frame, inside, end)
        other = self._arm(otherwise, second, frame, outside, end)
        if one is None or other is None:
            return end, other if one is None else one
        test = condition if isinstance(condition, Domain) else as_data(condition, i1)
        passed = [self._chosen(test, *pair) for pair in zip(one.passed, other.passed, self._types(end), strict=True)]
        frame.state.choose(test, (one.state, inside), (other.state, outside), self._own)
        return end, Outcome(passed, frame.state, context)

    def _arm(self, start: int, passed: list[Value], frame: Frame, context: Domain, end: int) -> Outcome | None:
        inner = replace(frame, values=ChainMap({}, frame.values), state=frame.state.copy())
        return Outcome(passed, inner.state, context) if start == end else self.run(start, passed, inner, context, end)

    def _types(self, block: int) -> list[Attribute]:
        """Return the types of what is passed to a block, or returned."""
        if block != _AT_END:
            return [argument.type for argument in self.flow.blocks[block].args]
        last = next(b.last_op for b in self.flow.blocks if b.last_op is not None and b.last_op.name == "func.return")
        return [value.type for value in last.operands]

    def _chosen(self, test: Domain | Term, one: Value, other: Value, of_type: Attribute) -> Value:
        """Choose between the values that two arms pass on."""
        if one == other:
            return one
        if isinstance(one, Exact) and isinstance(other, Exact) and one.value == other.value:
            return Exact(one.value, one.is_signed and other.is_signed)
        kind = Domain if isinstance(one, Domain) else Exact | Cases
        if isinstance(test, Domain) and isinstance(one, kind) and isinstance(other, kind):
            return joined([(test, one), (test.complement(), other)], of_type)
        first, second = as_data(one, of_type), as_data(other, of_type)
        if first.dtype != second.dtype:  # the bits are the same
            first, second = unsigned(first), unsigned(second)
        if isinstance(test, Domain):
            return choose_by(test, first, second)
        if second is FALSE:  # as `&&` is
            return terms.apply("and", test, first)
        return terms.apply("or", test, second) if first is TRUE else choose(test, first, second)

    def _own(self, array: str) -> terms.Read:
        info = self.arrays[array]
        return own_cell(array, len(info.shape), info.dtype)

    # -- loops

    def _loop(self, header: int, passed: list[Value], frame: Frame, context: Domain) -> tuple[int, list[Value]]:
        """Decide the claim of a loop, and put what it says of the end into the state; return where the loop exits."""
        claim = self.claims.loops.get(header)
        if claim is None:
            raise Undecided("nothing is claimed of the loop", self.flow.blocks[header].last_op)
        require_sense(claim, frame.variables, self.cell_names)
        if claim.header != header or len(claim.phis) != len(passed):
            raise Undecided("what is claimed is of another loop", self.flow.blocks[header].last_op)
        loop = self._entered(claim, passed, context)
        self._require_end(loop, frame)
        if claim.item is not None:
            self._sequential(loop, frame)
        elif not loop.iterations.is_empty():
            inner = Frame({}, State(), frame, header, variables=frame.variables | {claim.variable}, claim=claim)
            after = self.run(header, loop.before, inner, loop.iterations, header)
            if after is None:
                raise Undecided("the loop ends in its first iteration", loop.last)
            known = {name: self._value_at(*place) for name, place in claim.locals.items()}
            named = {name: as_data(inner.value(value), value.type) for name, value in known.items()}
            effect = self._checked(loop, after, named, inner.claimed)
            frame.state.apply(effect, loop.entry | inner.outer)
        return self._left(loop, frame)

    def _entered(self, claim: LoopClaim, passed: list[Value], context: Domain) -> Entered:
        """Say what a claim means for the values with which its loop is entered."""
        block = self.flow.blocks[claim.header]
        variable = affine(claim.variable)
        iterations = _reached(claim, context) & Domain.of(*(less(variable, high) for high in claim.upper))
        before: list[Value] = []
        entry: dict[str, Term] = {}
        for phi, value, argument in zip(claim.phis, passed, block.args, strict=True):
            if isinstance(phi, Advance):
                if not isinstance(value, Exact) or len(claim.lower) != 1:
                    raise Undecided("a counter starts at a value that is not known", block.last_op)
                moved = phi.by * polynomial(variable - claim.lower[0])
                moved, rest = moved.divide(Polynomial.constant(claim.step))
                if rest.terms:
                    raise Undecided("a counter does not move by whole steps", block.last_op)
                before.append(Exact(value.value + moved, value.is_signed and not phi.wraps))
            else:
                dtype = self._type_of(phi, argument)
                entry[phi] = as_data(value, argument.type, dtype)
                before.append(terms.read(phi, (), dtype))
        return Entered(claim, block, context, iterations, before, passed, entry)

    def _type_of(self, phi: str, argument: BlockArgument) -> DType:
        """Return the type of a number that a loop hands on, as the definitions have it."""
        self._require_apart(phi, self.phis, self.memories)
        dtype = element_type(argument.type)
        if phi not in self.summary.arrays:
            self.arrays[phi] = ArrayInfo(phi, dtype, (), is_parameter=False)
        info = self.arrays[phi]
        if info.shape or not are_bits_of(dtype, info.dtype):
            raise Undecided(f"{phi} has another type in the definitions")
        return info.dtype

    def _require_apart(self, name: str, own: set[str], others: set[str]) -> None:
        """Show that a name is not that of a number and of an array at once."""
        own.add(name)
        if name in others:
            raise Undecided(f"{name} is an array, and a number besides")

    def _value_at(self, block: int, position: int) -> SSAValue:
        """Return a value by its block, and the position of its operation or, counted from -1 down, of its argument."""
        try:
            at = self.flow.blocks[block]
            return at.args[-1 - position] if position < 0 else list(at.ops)[position].results[0]
        except IndexError:
            raise Undecided("a claim tells of a value that does not exist") from None

    def _require_end(self, loop: Entered, frame: Frame) -> None:
        """Show that the loop ends as soon as its variable is not below its upper bounds."""
        claim, last = loop.claim, loop.last
        if last.name != "cf.cond_br" or any(op.name.startswith("memref.") for op in loop.block.ops):
            raise Undecided("the end of the loop depends on data", last)
        variable = affine(claim.variable)
        below = Domain.of(*(less(variable, high) for high in claim.upper))
        first = Domain.union(Domain.of(equal(variable, low)) for low in claim.lower)
        following = below.substitute({claim.variable: variable - claim.step})
        ended = (_reached(claim, loop.context) - below) & (first | following)
        if ended.is_empty():
            return
        trial = Frame(dict(zip(loop.block.args, loop.before, strict=True)), State(), frame, claim.header)
        self._straight(loop.block, trial, ended)
        condition = trial.value(last.operands[0])
        if not isinstance(condition, Domain):
            raise Undecided("the end of the loop depends on data", last)
        goes_on = self.flow.successors[claim.header][0] in self.flow.loops[claim.header].blocks
        if not (ended & condition if goes_on else ended - condition).is_empty():
            raise Undecided("the loop may run longer than claimed", last)

    def _require_counters(self, loop: Entered, passed: list[Value]) -> None:
        """Show that integers move as claimed."""
        for phi, was, value in zip(loop.claim.phis, loop.before, passed, strict=True):
            if isinstance(phi, Advance):
                assert isinstance(was, Exact)
                if not isinstance(value, Exact) or value.value != was.value + phi.by:
                    raise Undecided("a counter does not move as claimed", loop.last)
                if was.is_signed and not value.is_signed:
                    raise Undecided("a counter may wrap around", loop.last)

    def _checked(self, loop: Entered, after: Outcome, named: Mapping[str, Term], claimed: set[str]) -> Effect:
        """Show a claim by induction; return the effect of the whole loop; ``named`` are locals that its states read."""
        claim, state = loop.claim, after.state
        self._require_counters(loop, after.passed)
        for phi, argument, number in loop.phis():
            value = as_data(after.passed[number], argument.type, self.arrays[phi].dtype)
            if value is not loop.before[number]:
                state.overwrite(phi, [(loop.iterations, value)])
        effect = {array: state.pieces[array] for array in claim.states if array in state.pieces}
        lost = state.pieces.keys() - effect.keys()
        if not claimed.isdisjoint(lost):
            raise Undecided("an iteration reads what may be what an earlier one wrote", loop.last)
        if any(not term.reads.isdisjoint(lost) for pieces in effect.values() for _, term in pieces):
            raise Undecided("an iteration reads what an earlier one left, of which nothing is claimed", loop.last)
        region = loop.context & Domain.of(*(at_least(high, claim.variable) for high in claim.upper))
        states = {array: _with(claim.states[array], named) for array in effect}
        if any(term.dtype != self.arrays[array].dtype for array, pieces in states.items() for _, term in pieces):
            raise Undecided("a claim gives cells another type", loop.last)
        try:
            check_induction(Guess(claim, effect, states, region, loop.iterations), self.arrays)
        except RecurrenceError as error:
            raise Undecided(f"{error.array} {error.why}", loop.last) from None
        return at_exit(claim, states, loop.context) | {array: self._lost(array) for array in lost}

    def _lost(self, array: str, name: str = "") -> list[Piece]:
        own = self._own(array)
        return [(UNIVERSE, terms.read(name or fresh(UNKNOWN), own.indices, own.dtype))]

    def _left(self, loop: Entered, frame: Frame) -> tuple[int, list[Value]]:
        """Run the header once more, with the counter at its end, and leave the loop."""
        header = loop.claim.header
        ends = [self._at_end(loop, n) if isinstance(v, Exact) else v for n, v in enumerate(loop.before)]
        for phi, _, number in loop.phis():
            ends[number] = rewrite.lookup(frame.state.pieces.get(phi, []), {}, loop.context, loop.entry[phi])
            frame.state.forget(phi)
        if frame.is_sequential:
            self._cut(loop, ends, frame)
        frame.values.update(zip(loop.block.args, ends, strict=True))
        last = self._straight(loop.block, frame, loop.context)
        targets = self.flow.successors[header]
        outside = [n for n, target in enumerate(targets) if target not in self.flow.loops[header].blocks]
        if len(outside) != 1 or self.flow.loops[header].exits != (targets[outside[0]],):
            raise Undecided("the loop has more than one exit", last)
        count = 1 + len(self.flow.blocks[targets[0]].args)
        operands = last.operands[count:] if outside[0] else last.operands[1:count]
        return targets[outside[0]], frame.all(operands)

    def _at_end(self, loop: Entered, number: int) -> Value:
        """Return a counter where the loop ends, under a new name where that depends on more than is known."""
        claim, was, start = loop.claim, loop.before[number], loop.given[number]
        assert isinstance(was, Exact)
        low = claim.lower[0]
        for high in claim.upper:
            others = [at_least(other, high) for other in claim.upper if other is not high]
            whole = Domain.strided("end", low, claim.step).substitute({"end": high}) if claim.step > 1 else UNIVERSE
            if loop.context.implies(at_least(high, low), *others) and loop.context.is_subset(whole):
                return Exact(was.value.substitute({claim.variable: polynomial(high)}), was.is_signed)
        if any(loop.context.implies(at_least(low, high)) for high in claim.upper):
            return start
        return Exact(Polynomial.variable(fresh("end")), is_signed=False)

    def _cut(self, loop: Entered, ends: list[Value], frame: Frame) -> None:
        """Go on from the definitions that the arrays are equal to when a loop ends, as is shown first."""
        numbers = {phi: (argument, number) for phi, argument, number in loop.phis()}
        for array, version in loop.claim.versions.items():
            if array in numbers:
                argument, number = numbers[array]
                found = as_data(ends[number], argument.type, self.arrays[array].dtype)
                self.versions.require(array, [(UNIVERSE, found)], version, loop.context)
                ends[number] = self.versions.own(array, version)
            elif array in frame.state.pieces:
                self.versions.require(array, frame.state.pieces[array], version, loop.context)
                frame.state.overwrite(array, [(UNIVERSE, self.versions.own(array, version))])

    # -- loops that stay

    def _sequential(self, loop: Entered, frame: Frame) -> None:
        """Show that an iteration does what one of the definitions' loop does, and take its versions.

        What iterations hand on is in the versions that the definitions' loop carries; any other array that the loop
        writes is not known at the start of an iteration, nor after the loop.
        """
        claim, item = loop.claim, loop.claim.item
        assert item is not None
        if not frame.is_sequential:
            raise Undecided("a loop stays inside of one that does not", loop.last)
        if all(item is not known for known in frame.items):
            raise Undecided("the loop is none of the definitions, where it stands", loop.last)
        if (item.variable, item.step) != (claim.variable, claim.step) or (item.lower, item.upper) != (
            *claim.lower, *claim.upper
        ):  # fmt: skip
            raise Undecided("the loop is not that of the definitions", loop.last)
        for carried in item.carried:
            given = loop.entry.get(carried.array)
            now = [(UNIVERSE, given)] if given is not None else frame.state.pieces.get(carried.array, [])
            self.versions.require(carried.array, now, carried.before, loop.context)
        names = {carried.array: carried.name for carried in item.carried}
        after, lost = self._iteration(loop, frame, names, item.body)
        self._require_counters(loop, after.passed)
        left = dict(after.state.pieces)
        left |= {
            phi: [(UNIVERSE, as_data(after.passed[n], argument.type, self.arrays[phi].dtype))]
            for phi, argument, n in loop.phis()
        }
        for carried in item.carried:
            self.versions.require(carried.array, left.get(carried.array, []), carried.after, loop.iterations)
        for array in sorted(lost.union(phi for phi, _, _ in loop.phis())):
            frame.state.overwrite(array, self._lost(array))
        for carried in item.carried:
            frame.state.overwrite(carried.array, [(UNIVERSE, self.versions.own(carried.array, carried.name))])

    def _iteration(
        self, loop: Entered, frame: Frame, names: Mapping[str, str], items: tuple[Item, ...]
    ) -> tuple[Outcome, set[str]]:
        """Run an iteration on versions of arrays by their names; return the other arrays that it writes as well."""
        lost: set[str] = set()
        while True:
            state = frame.state.copy()
            for array in sorted(lost):
                state.overwrite(array, self._lost(array))
            for array, name in names.items():
                state.overwrite(array, [(UNIVERSE, self.versions.own(array, name))])
            before = list(loop.before)
            for phi, _, number in loop.phis():
                unknown = terms.read(fresh(UNKNOWN), (), self.arrays[phi].dtype)
                before[number] = self.versions.own(phi, names[phi]) if phi in names else unknown
            started = dict(state.pieces)
            inner = Frame(
                {}, state, frame, loop.claim.header, is_sequential=True,
                variables=frame.variables | {loop.claim.variable}, items=items,
            )  # fmt: skip
            after = self.run(loop.claim.header, before, inner, loop.iterations, loop.claim.header)
            if after is None:
                raise Undecided("the loop ends in its first iteration", loop.last)
            written = {array for array, pieces in after.state.pieces.items() if started.get(array) is not pieces}
            if written <= lost | names.keys():
                return after, lost
            lost |= written - names.keys()

    # -- straight-line code

    def _straight(self, block: Block, frame: Frame, context: Domain) -> Operation:
        """Evaluate the operations of a block; return its last one, which says where control goes."""
        last = block.last_op
        assert last is not None
        for op in block.ops:
            if op is not last:
                try:
                    rule = _RULES.get(op.name)
                    if rule is not None:
                        rule(self, op, frame, context)
                    else:
                        operands = frame.all(op.operands)
                        frame.values[op.results[0]] = evaluated(op, operands, context, self.summary.derived)
                except UnknownOperationError:
                    raise Undecided(f"{op.name} has no meaning here", op) from None
                except NotAffine:
                    raise Undecided("an index is not affine", op) from None
        return last

    def select(self, op: Operation, frame: Frame, _: Domain) -> None:
        """Choose as a branch does."""
        condition, one, other = frame.all(op.operands)
        test = condition if isinstance(condition, Domain) else as_data(condition, i1)
        frame.values[op.results[0]] = self._chosen(test, one, other, op.results[0].type)

    def load(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Read a cell, or a variable at file scope."""
        memory, offset = frame.all(op.operands[:2])
        if isinstance(memory, Memory) and isinstance(offset, Exact):
            number = self._number(memory, offset, op.results[0].type)
            if number is not None:
                frame.values[op.results[0]] = number
                return
        if isinstance(offset, Place) and isinstance(memory, Memory):
            frame.values[op.results[0]] = self._gathered(memory, offset, frame, op)
            require_unwritten(self.places.views[memory.name].array, None, frame, context, self.summary)
            return
        found = []
        for domain, array, indices in self._cells(op, frame, context):
            require_unwritten(array, indices, frame, context & domain, self.summary)
            found.append((domain, frame.state.read(array, indices, self.arrays[array].dtype, context & domain)))
        frame.values[op.results[0]] = terms.piecewise(found)

    def _gathered(self, memory: Memory, place: Place, frame: Frame, op: Operation) -> Term:
        """Read a cell of an array that is never written where data says, as definitions do (`terms`, ``hits``)."""
        view = self.places.views.get(memory.name)
        if view is None or len(view.strides) != 1 or place.start != memory.start or view.array in frame.state.pieces:
            raise Undecided("a place in memory depends on data", op)
        info, cell = self._array(view.array, op), fresh("k")
        wide, index = convert(place.data, "i64"), affine(cell)
        value = terms.read(view.array, (index,), info.dtype)
        chosen = terms.apply(
            "select", terms.apply("hits", wide, terms.index(index, "i64")), value, terms.zero(info.dtype)
        )
        return terms.reduce("sum", (cell,), Domain.box((cell,), info.shape), chosen)

    def _number(self, memory: Memory, offset: Exact, of_type: Attribute) -> Value | None:
        """Return a variable at file scope that is a parameter of the definitions."""
        name = self.places.numbers.get(memory.name)
        return None if name is None or offset.value.terms else named_number(name, of_type, self.summary)

    def store(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Write a cell."""
        for domain, array, indices in list(self._cells(op, frame, context)):
            term = as_data(frame.value(op.operands[0]), op.operands[0].type, self.arrays[array].dtype)
            frame.state.store(array, indices, term, context & domain)

    def _cells(self, op: Operation, frame: Frame, context: Domain) -> Iterator[tuple[Domain, str, tuple[Affine, ...]]]:
        """Yield the cells of an array that an operation accesses, by the view of its memory, with where it does."""
        memory, offset = frame.all(op.operands[-2:])
        for domain, part in offset.pieces if isinstance(offset, Cases) else ((UNIVERSE, offset),):
            where = context & domain if isinstance(offset, Cases) else context
            if where is context or not where.is_empty():
                yield domain, *self._cell(op, memory, part, where)

    def _cell(self, op: Operation, memory: Value, offset: Value, context: Domain) -> tuple[str, tuple[Affine, ...]]:
        """Return the cell of an array that an offset in a memory leads to.

        Raises:
            Undecided: where the offset is not shown to be that of one cell inside of the array.

        """
        view = self.places.views.get(memory.name) if isinstance(memory, Memory) else None
        if view is None or not isinstance(memory, Memory):
            raise Undecided("the memory is no array of the definitions", op)
        if not isinstance(offset, Exact):
            raise Undecided("a place in memory depends on data", op)
        shape = self._array(view.array, op).shape
        if not are_apart(view.strides, shape, context):
            raise Undecided(f"cells of {view.array} are not shown to be apart", op)
        for found in _subscripts(offset.value - memory.start, view.strides):
            extents = zip(found, shape, strict=True)
            if context.implies(*(c for index, n in extents for c in (at_least(index, 0), less(index, n)))):
                return view.array, found
        raise Undecided(f"an access to {view.array} is not shown to be inside of it", op)

    def _array(self, array: str, op: Operation) -> ArrayInfo:
        """Return the array that an operation accesses, whose cells are as wide as those of the memory."""
        info, memory = self.arrays[array], next(v.type for v in op.operands if isinstance(v.type, MemRefType))
        self._require_apart(array, self.memories, self.phis)
        if not are_bits_of(element_type(memory), info.dtype):
            raise Undecided(f"{array} has cells of another type", op)
        return info

    def allocate(self, op: Operation, frame: Frame, _: Domain) -> None:
        """Begin the life of a local array, whose cells hold nothing yet."""
        name = op.results[0].name_hint or ""
        view = self.places.views.get(name)
        if view is not None:
            if self.arrays[view.array].is_parameter or self.owners.setdefault(view.array, op) is not op:
                raise Undecided(f"two memories are called {name}", op)
            frame.state.overwrite(view.array, self._lost(view.array, UNDEFINED))
        frame.values[op.results[0]] = Memory(name)

    def call(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Run a function of the file that has no loops, in place of its call."""
        module, symbol = self.flow.function.parent_op(), op.properties["callee"]
        assert isinstance(module, ModuleOp)
        assert isinstance(symbol, SymbolRefAttr)
        name = symbol.root_reference.data
        inner = copy(self)
        inner.flow = ControlFlow(function_named(module, name))
        inner.calls, inner.ways = (*self.calls, name), Counter()
        if inner.flow.loops or name in self.calls:
            raise Undecided("a function that has loops, or calls itself, is called", op)
        if any(op.name == "memref.alloc" for op in inner.flow.function.walk()):
            raise Undecided("a function that is called makes memory", op)
        ended = inner.run(0, frame.all(op.operands), Frame({}, frame.state, frame), context, _AT_END)
        if ended is None:
            raise Undecided("a function that is called does not end", op)
        frame.state = ended.state
        frame.values.update(zip(op.results, ended.passed, strict=True))


def _reached(claim: LoopClaim, context: Domain) -> Domain:
    """Return the values that the variable of a loop may have, its end included and what is beyond."""
    starts = context & Domain.of(*(at_least(claim.variable, low) for low in claim.lower))
    return starts & Domain.strided(claim.variable, claim.lower[0], claim.step) if claim.step > 1 else starts


def _subscripts(offset: Polynomial, strides: Sequence[Polynomial]) -> Iterator[tuple[Affine, ...]]:
    """Yield subscripts that lead to an offset: quotients by the strides, and those less or more by one."""
    if not strides:
        if not offset.terms:
            yield ()
        return
    quotient, rest = offset.divide(strides[0])
    for change in (0, -1, 1) if len(strides) > 1 else (0,):
        subscript = (quotient + Polynomial.constant(change)).as_affine()
        if subscript is not None:
            for inner in _subscripts(rest - strides[0].scale(change), strides[1:]):
                yield (subscript, *inner)


def _with(pieces: list[Piece], named: Mapping[str, Term]) -> list[Piece]:
    """Put values in for locals that are no memory in the literal IR."""
    if all(term.reads.isdisjoint(named) for _, term in pieces):
        return pieces
    return [(d, rewrite.map_reads(t, d, lambda read, _: named.get(read.array, read))) for d, t in pieces]


def _global(_: Execution, op: Operation, frame: Frame, _context: Domain) -> None:
    symbol: Any = op.properties["name"]
    frame.values[op.results[0]] = Memory(f"@{symbol.root_reference.data}")


def _same(_: Execution, op: Operation, frame: Frame, _context: Domain) -> None:
    frame.values[op.results[0]] = frame.value(op.operands[0])


def _poison(_: Execution, op: Operation, frame: Frame, _context: Domain) -> None:
    frame.values[op.results[0]] = terms.read(UNDEFINED, (), element_type(op.results[0].type))


def _nothing(_: Execution, _op: Operation, _frame: Frame, _context: Domain) -> None:
    pass


_RULES: dict[str, Callable[[Execution, Operation, Frame, Domain], None]] = {
    "arith.select": Execution.select,
    "memref.load": Execution.load,
    "memref.store": Execution.store,
    "memref.alloca": Execution.allocate,
    "memref.alloc": Execution.allocate,
    "memref.dealloc": _nothing,
    "memref.get_global": _global,
    "memref.cast": _same,
    "func.call": Execution.call,
    "ub.poison": _poison,
}
