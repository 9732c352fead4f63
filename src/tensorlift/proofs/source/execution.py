"""Symbolic execution of literal IR under claims: what a function leaves in its arrays, as definitions say it.

A block of straight-line code is evaluated on a state (`comprehension.state`).  A branch on indices and sizes restricts
the points at which its arms run; a branch on data runs both and selects.  A loop is run once, for an iteration that its
claim describes, on the state that the claim says to be there; induction then shows the claim, and the loop's effect is
what the claim says of its end.  Where control, an access or a value is not understood, the answer is `Undecided`.

An execution that C leaves undefined has no meaning that could be wrong: what is read where nothing was written may be
taken for anything.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import ArrayInfo, Summary
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.state import Effect, Piece, RecurrenceError, own_cell
from tensorlift.ir.function import function_named
from tensorlift.ir.regions import ControlFlow
from tensorlift.ir.scalar_terms import UnknownOperationError, choose, choose_by, unsigned
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import UNIVERSE, Domain, NotAffine, at_least, equal
from tensorlift.poly.names import fresh
from tensorlift.proofs.source.checks import decided, require_holds, where
from tensorlift.proofs.source.claims import Advance, Claims, LoopClaim
from tensorlift.proofs.source.counters import counter_before, require_moved
from tensorlift.proofs.source.exits import at_exit, counter_at_end
from tensorlift.proofs.source.frames import Entered, Exit, Frame, Outcome, under
from tensorlift.proofs.source.induction import Guess, check_induction
from tensorlift.proofs.source.integers import Exact, Known
from tensorlift.proofs.source.interchange import run_interchanged, run_row
from tensorlift.proofs.source.memory import ACCESSES, MemoryAccess, made_by
from tensorlift.proofs.source.nests import run_nest
from tensorlift.proofs.source.operations import (
    Cases,
    Undecided,
    Value,
    as_data,
    as_test,
    element_type,
    evaluated,
    joined,
)
from tensorlift.proofs.source.prefixes import run_prefix
from tensorlift.proofs.source.searches import run_search
from tensorlift.proofs.source.segments import bounds_stated, run_segment
from tensorlift.proofs.source.sense import are_bits_of, cell_names, require_sense
from tensorlift.proofs.source.sequential import run_sequential
from tensorlift.proofs.source.sharing import Tracked
from tensorlift.proofs.source.starts import run_from_starts, several_starts
from tensorlift.proofs.source.stated import decided_by_places, places_stated
from tensorlift.proofs.source.tested_behind import is_tested_behind, left_behind, require_last
from tensorlift.proofs.source.unbounded import run_unbounded
from tensorlift.proofs.source.versions import UNDEFINED, UNKNOWN, Versions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.proofs.source.places import Places

_MOST_WAYS = 32  # that lead to one block
AT_END = -1  # the block after the last: where a function returns


class Execution:
    """Runs one function, and decides what is claimed of it on the way."""

    def __init__(self, flow: ControlFlow, summary: Summary, claims: Claims, places: Places) -> None:
        self.flow = flow
        self.summary = summary
        self.claims = claims
        self.arrays = summary.all_arrays()
        self.known = Known.of(summary)
        self.versions = Versions(summary)
        self.memory = MemoryAccess(places, summary, self.arrays, made_by(flow.function, claims))
        self.cell_names = cell_names(summary)
        self.calls: tuple[str, ...] = ()  # inside of each other
        self.ways = Counter[int]()  # to each block
        self.bounds = bounds_stated(summary)
        self.stated = places_stated(summary)

    # -- control

    def run(self, start: int, passed: list[Value], frame: Frame, context: Domain, stop: int) -> Outcome | None:
        """Run a block, and on until ``stop``; None where no point of the context gets there."""
        block = start
        while True:
            if frame.header is not None and block not in self.flow.loops[frame.header].blocks:
                frame.exits.append(Exit(block, passed, frame, context))
                return None
            body = self._block(block)
            if block != frame.header and block in self.flow.loops:
                block, ended = self._loop(block, passed, frame, context, stop)
            else:
                frame.values.update(zip(body.args, passed, strict=True))
                last = self.straight(body, frame, context)
                if last.name == "func.return":
                    if stop != AT_END:
                        raise Undecided("the function returns from inside of a branch", last)
                    return Outcome(frame.all(last.operands), frame.state, context)
                if last.name == "cf.cond_br":
                    block, ended = self._branch(block, last, frame, context, stop)
                else:
                    (block,) = self.flow.successors[block]
                    ended = Outcome(frame.all(last.operands), frame.state, context)
            if ended is None or block == stop:
                return ended
            passed, frame.state, context = ended

    def _block(self, block: int) -> Block:
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
        (then, given), (otherwise, others) = self.flow.edges(block)
        first, second = frame.all(given), frame.all(others)
        inside, outside = (context & where(condition, is_true=is_true) for is_true in (True, False))
        if outside.is_empty():
            return then, Outcome(first, frame.state, context)
        if inside.is_empty():
            return otherwise, Outcome(second, frame.state, context)
        end, test = self.meets(block, frame, stop), as_test(condition)
        one = self.arm(Exit(then, first, under(test, frame), inside), end)
        other = self.arm(Exit(otherwise, second, under(test, frame, is_true=False), outside), end)
        return end, self.merged(test, one, other, frame, end)

    def meets(self, block: int, frame: Frame, stop: int) -> int:
        """Return where all ways from a block meet again, at the latest at ``stop``."""
        join = self.flow.join(block, frame.header)
        return stop if join is None else join

    def arm(self, way: Exit, end: int) -> Outcome | None:
        """Run one way until it meets the others."""
        if way.block == end:
            return Outcome(way.passed, way.frame.state, way.context)
        return self.run(*way, end)

    def merged(
        self, test: Domain | Term, one: Outcome | None, other: Outcome | None, frame: Frame, end: int
    ) -> Outcome | None:
        """Choose between what two arms leave where they meet; where one does not get there, it is the other."""
        if one is None or other is None:
            return other if one is None else one
        passed = [self.chosen(test, *pair) for pair in zip(one.passed, other.passed, self.types(end), strict=True)]
        frame.state.choose(test, (one.state, one.context), (other.state, other.context), self.own)
        return Outcome(passed, frame.state, one.context | other.context)

    def types(self, block: int) -> list[Attribute]:
        """Return the types of what is passed to a block, or returned."""
        if block != AT_END:
            return [argument.type for argument in self.flow.blocks[block].args]
        last = next(b.last_op for b in self.flow.blocks if b.last_op is not None and b.last_op.name == "func.return")
        return [value.type for value in last.operands]

    def chosen(self, test: Domain | Term, one: Value, other: Value, of_type: Attribute) -> Value:
        """Choose between the values that two arms pass on."""
        if one == other:
            return one
        if isinstance(one, Exact) and isinstance(other, Exact) and one.value == other.value:
            return Exact(one.value, one.is_signed and other.is_signed)
        for value, undefined in ((one, other), (other, one)):  # who uses that has no meaning
            is_undefined = isinstance(undefined, terms.Read) and undefined.array == UNDEFINED
            if is_undefined and isinstance(value, Exact | Cases | Domain):
                return value
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

    def own(self, array: str) -> terms.Read:
        """Return a cell of an array as it was."""
        info = self.arrays[array]
        return own_cell(array, len(info.shape), info.dtype)

    # -- loops

    def _loop(
        self, header: int, passed: list[Value], frame: Frame, context: Domain, stop: int
    ) -> tuple[int, Outcome | None]:
        """Decide the claim of a loop, and put what it says of the end into the state; return where control goes on."""
        claim = self.claims.loops.get(header)
        if claim is None or claim.header != header:
            raise Undecided("nothing is claimed of the loop", self.flow.blocks[header].last_op)
        if claim.is_segment:
            return run_segment(self, claim, passed, frame, context)
        way = Exit(header, passed, frame, context)
        by_cases = claim.item is None and several_starts(claim, way)
        return (
            self.counted(claim, way, stop) if claim.lower and not by_cases else run_from_starts(self, claim, way, stop)
        )

    def counted(self, claim: LoopClaim, way: Exit, stop: int) -> tuple[int, Outcome | None]:
        """Decide the claim of a loop that goes from a lower bound up to the least of its upper ones."""
        header, passed, frame, context = way
        loop = self.entered(claim, passed, frame, context)
        if claim.item and claim.item.goes_on is not None:
            return run_unbounded(self, loop, frame)
        is_behind = is_tested_behind(self.flow, header)
        ends_at_header = not is_behind and self._require_end(loop, frame)
        if claim.item is None and not claim.rows and not loop.iterations.is_empty():
            return self._closed(loop, frame, stop, is_behind=is_behind, ends_at_header=ends_at_header)
        if is_behind:
            raise Undecided("a loop that tests after its body stays, or does not run", loop.last)
        if claim.item is not None:
            (run_sequential if frame.row is None else run_row)(self, loop, frame)
        elif not loop.iterations.is_empty():
            run_interchanged(self, loop, frame)
        block, passed = self.leave(loop, frame)
        return block, Outcome(passed, frame.state, context)

    def _closed(
        self, loop: Entered, frame: Frame, stop: int, *, is_behind: bool, ends_at_header: bool
    ) -> tuple[int, Outcome | None]:
        """Decide the claim of a loop that has a closed form."""
        inner, after = self.iteration(loop, frame)
        if is_behind and loop.claim.inner is not None:
            raise Undecided("a loop that tests after its body is a nest", loop.last)
        if is_behind:
            require_last(loop, inner, after)
        elif inner.exits:
            if not ends_at_header:
                raise Undecided("a search has more than one end", loop.last)
            leave = run_search if loop.claim.hit is None else run_prefix
            return leave(self, loop, (inner, after), frame, stop)
        frame.state.apply(self.checked(loop, after, inner), loop.entry | inner.outer)
        if is_behind:
            return left_behind(self, loop, inner, frame)
        block, passed = self.leave(loop, frame)
        return block, Outcome(passed, frame.state, loop.context)

    def iteration(self, loop: Entered, frame: Frame) -> tuple[Frame, Outcome]:
        """Run an iteration of a loop that has a closed form, on the state that is claimed to be there."""
        claim, header = loop.claim, loop.claim.header
        inner = Frame({}, Tracked(), frame, header, variables=frame.variables | {claim.variable}, claim=claim)
        if claim.inner is not None:
            return inner, run_nest(self, claim.inner, loop, inner)
        after = self.run(header, loop.before, inner, loop.iterations, header)
        if after is None:
            raise Undecided("the loop ends in its first iteration", loop.last)
        return inner, after

    def entered(self, claim: LoopClaim, passed: list[Value], frame: Frame, context: Domain) -> Entered:
        """Say what a claim means for the values with which its loop is entered."""
        block = self.flow.blocks[claim.header]
        require_sense(claim, frame.variables, self.cell_names, context)
        if len(claim.phis) != len(passed):
            raise Undecided("what is claimed is of another loop", block.last_op)
        iterations = claim.reached(context) & claim.below
        before: list[Value] = []
        entry: dict[str, Term] = {}
        for phi, value, argument in zip(claim.phis, passed, block.args, strict=True):
            if isinstance(phi, Advance):
                if not isinstance(value, Exact):
                    raise Undecided("a counter starts at a value that is not known", block.last_op)
                before.append(counter_before(claim, phi, value))
            else:
                dtype = self._type_of(phi, argument)
                entry[phi] = as_data(value, argument.type, dtype)
                before.append(terms.read(phi, (), dtype))
        return Entered(claim, block, context, iterations, before, passed, entry)

    def _type_of(self, phi: str, argument: BlockArgument) -> DType:
        """Return the type of a number that a loop hands on, as the definitions have it."""
        self.memory.require_number(phi)
        dtype = element_type(argument.type)
        if phi not in self.summary.arrays:
            self.arrays[phi] = ArrayInfo(phi, dtype, (), is_parameter=False)
        info = self.arrays[phi]
        if info.shape or not are_bits_of(dtype, info.dtype):
            raise Undecided(f"{phi} has another type in the definitions")
        return info.dtype

    def _value_at(self, block: int, position: int) -> SSAValue:
        """Return a value by its block, and the position of its operation or, counted from -1 down, of its argument."""
        try:
            at = self.flow.blocks[block]
            return at.args[-1 - position] if position < 0 else list(at.ops)[position].results[0]
        except IndexError:
            raise Undecided("a claim tells of a value that does not exist") from None

    def _require_end(self, loop: Entered, frame: Frame) -> bool:
        """Show that a loop ends as soon as its variable is not below its upper bounds; tell if at its header alone."""
        claim, below = loop.claim, loop.claim.below
        variable = affine(claim.variable)
        first = Domain.of(equal(variable, claim.lower[0]))
        following = below.substitute({claim.variable: variable - claim.step})
        ended = (claim.reached(loop.context) - below) & (first | following)
        if ended.is_empty():
            return True
        body, ways = self.flow.loops[claim.header].blocks - {claim.header}, self.ways.copy()
        trial = Frame({}, Tracked(), frame, claim.header, variables=frame.variables | {claim.variable})
        if self.run(claim.header, list(loop.before), trial, ended, claim.header) is not None:
            raise Undecided("the loop may run longer than claimed", loop.last)
        if any(way.frame.state.pieces for way in trial.exits):
            raise Undecided("the loop does something where it ends", loop.last)
        return all(self.ways[block] == ways[block] for block in body)

    def require_counters(self, loop: Entered, passed: list[Value]) -> None:
        """Show that integers move as claimed."""
        for phi, was, value in zip(loop.claim.phis, loop.before, passed, strict=True):
            if isinstance(phi, Advance):
                require_moved(loop.claim, phi, was, value, loop.iterations)

    def checked(self, loop: Entered, after: Outcome, inner: Frame) -> Effect:
        """Show a claim by induction, after an iteration in a frame; return the effect of the whole loop."""
        claim, state = loop.claim, after.state
        self.require_counters(loop, after.passed)
        for phi, argument, number in loop.phis():
            value = as_data(after.passed[number], argument.type, self.arrays[phi].dtype)
            if value is not loop.before[number]:
                state.overwrite(phi, [(loop.iterations, value)])
        effect = {array: state.pieces[array] for array in claim.states if array in state.pieces}
        lost = state.pieces.keys() - effect.keys()
        if not inner.claimed.isdisjoint(lost):
            raise Undecided("an iteration reads what may be what an earlier one wrote", loop.last)
        if any(not term.reads.isdisjoint(lost) for pieces in effect.values() for _, term in pieces):
            raise Undecided("an iteration reads what an earlier one left, of which nothing is claimed", loop.last)
        region = loop.context & Domain.of(*(at_least(high, claim.variable) for high in claim.upper))
        states = {array: self.with_locals(claim, claim.states[array], inner) for array in effect}
        if any(term.dtype != self.arrays[array].dtype for array, pieces in states.items() for _, term in pieces):
            raise Undecided("a claim gives cells another type", loop.last)
        try:
            check_induction(Guess(claim, effect, states, region, loop.iterations), self.arrays)
        except RecurrenceError as error:
            raise Undecided(f"{error.array} {error.why}", loop.last) from None
        return at_exit(claim, states, loop.context) | {array: self.lost(array) for array in lost}

    def with_locals(self, claim: LoopClaim, pieces: list[Piece], inner: Frame) -> list[Piece]:
        """Put values in for locals that are no memory in the literal IR."""
        if all(term.reads.isdisjoint(claim.locals) for _, term in pieces):
            return pieces
        known = {name: self._value_at(*place) for name, place in claim.locals.items()}
        named = {name: as_data(inner.value(value), value.type) for name, value in known.items()}
        return [(d, rewrite.map_reads(t, d, lambda read, _: named.get(read.array, read))) for d, t in pieces]

    def lost(self, array: str) -> list[Piece]:
        """Return the cells of an array of which nothing is known."""
        own = self.own(array)
        return [(UNIVERSE, terms.read(fresh(UNKNOWN), own.indices, own.dtype))]

    def leave(self, loop: Entered, frame: Frame, *, is_search: bool = False) -> tuple[int, list[Value]]:
        """Run the header once more, with the counter at its end, and leave the loop."""
        header, ends = loop.claim.header, self.ends(loop, frame)
        frame.values.update(zip(loop.block.args, ends, strict=True))
        self.straight(loop.block, frame, loop.context)
        block, operands = self.way_out(header, is_search=is_search)
        return block, frame.all(operands)

    def ends(self, loop: Entered, frame: Frame) -> list[Value]:
        """Return what the arguments of a header are when its loop has ended, and name the arrays that it wrote."""
        ends = [counter_at_end(loop, n) if isinstance(v, Exact | Cases) else v for n, v in enumerate(loop.before)]
        for phi, _, number in loop.phis():
            ends[number] = rewrite.lookup(frame.state.pieces.get(phi, []), {}, loop.context, loop.entry[phi])
            frame.state.forget(phi)
        if frame.is_sequential:
            self._cut(loop, ends, frame)
        return ends

    def way_out(self, header: int, *, is_search: bool) -> tuple[int, Sequence[SSAValue]]:
        """Return where a loop leads when it has ended, and with what, which is the same from wherever it is left."""
        inside = self.flow.loops[header].blocks
        blocks = [header] if is_search else sorted(inside)
        edges = [edge for block in blocks for edge in self.flow.edges(block) if edge[0] not in inside]
        if not edges or any(edge != edges[0] for edge in edges):
            raise Undecided("the loop has no end, or more than one", self.flow.blocks[header].last_op)
        return edges[0]

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
                frame.state.rename(array, [(UNIVERSE, self.versions.own(array, version))])

    # -- straight-line code

    def straight(self, block: Block, frame: Frame, context: Domain) -> Operation:
        """Evaluate the operations of a block; return its last one, which says where control goes."""
        last = block.last_op
        assert last is not None
        for op in block.ops:
            if op is not last:
                try:
                    rule, access = _RULES.get(op.name), ACCESSES.get(op.name)
                    if rule is not None:
                        rule(self, op, frame, context)
                    elif access is not None:
                        access(self.memory, op, frame, context)
                    else:
                        operands = frame.all(op.operands)
                        value = evaluated(op, operands, context, self.known)
                        frame.values[op.results[0]] = decided_by_places(value, self.stated, self.versions.definitions)
                except UnknownOperationError:
                    raise Undecided(f"{op.name} has no meaning here", op) from None
                except NotAffine:
                    raise Undecided("an index is not affine", op) from None
        return last

    def select(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Choose as a branch does."""
        condition, one, other = frame.all(op.operands)
        known = decided(condition, context)
        chosen = self.chosen(as_test(condition), one, other, op.results[0].type) if known is None else None
        frame.values[op.results[0]] = chosen if chosen is not None else one if known else other

    def call(self, op: Operation, frame: Frame, context: Domain) -> None:
        """Run a function of the file that has no loops, in place of its call."""
        module, symbol = self.flow.function.parent_op(), op.properties["callee"]
        assert isinstance(module, ModuleOp)
        assert isinstance(symbol, SymbolRefAttr)
        name, inner = symbol.root_reference.data, copy(self)
        inner.flow = ControlFlow(function_named(module, name))
        inner.calls, inner.ways = (*self.calls, name), Counter()
        if inner.flow.loops or name in self.calls:
            raise Undecided("a function that has loops, or calls itself, is called", op)
        if any(op.name == "memref.alloc" for op in inner.flow.function.walk()):
            raise Undecided("a function that is called makes memory", op)
        ended = inner.run(0, frame.all(op.operands), Frame({}, frame.state, frame), context, AT_END)
        if ended is None:
            raise Undecided("a function that is called does not end", op)
        frame.state = ended.state
        frame.values.update(zip(op.results, ended.passed, strict=True))


_RULES: dict[str, Callable[[Execution, Operation, Frame, Domain], None]] = {
    "arith.select": Execution.select,
    "func.call": Execution.call,
    "cf.assert": require_holds,
}
