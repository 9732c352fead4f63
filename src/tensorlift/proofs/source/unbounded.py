"""Loops that run as long as data say: the literal loop goes on exactly where that of the definitions does.

What iterations hand on is in the versions that the definitions' loop carries, and one of these is a truth value that
says whether it goes on.  By induction: where the loop is entered, arrays and numbers are the versions before it, and
the truth value is what the literal loop *asks* first, in its header and in blocks that follow and do no more than ask.
On any such versions one iteration gives those that the definitions' iteration ends with, and the truth value is then
that no other way out was taken, and what is asked next.  So both loops go on together, or neither does; neither need
ever end.  Wherever the loop is left, arrays are the versions that an iteration ends with, and so is each number that is
used later.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.poly.domain import UNIVERSE
from tensorlift.proofs.source.frames import Entered, Exit, Frame, Outcome
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Undecided, as_data
from tensorlift.proofs.source.sequential import iteration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import SSAValue

    from tensorlift.comprehension.definition import Carried
    from tensorlift.comprehension.state import Piece
    from tensorlift.comprehension.terms import Term
    from tensorlift.ir.regions import ControlFlow
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.source.execution import Execution
    from tensorlift.proofs.source.operations import Value
    from tensorlift.proofs.source.sharing import Tracked

    Edge = tuple[int, Sequence[SSAValue]]

_PURE = ("arith.", "math.", "memref.load", "cf.")


def run_unbounded(run: Execution, loop: Entered, frame: Frame) -> tuple[int, Outcome]:
    """Show that a loop is the one of the definitions that is claimed, take its versions, and leave it.

    Raises:
        Undecided: where that is not shown.

    """
    item = loop.claim.item
    assert item is not None
    if not frame.is_sequential or not any(item is one for one in frame.items):
        raise Undecided("the loop is not that of the definitions", loop.last)
    _, *longer = asking = _asking(run.flow, loop.claim.header)
    for tests in [*reversed(longer), asking[0]]:
        unbounded = _Unbounded(run, loop, frame, tests)
        try:
            unbounded.require_start()
        except Undecided:
            if tests:
                continue
            raise
        return unbounded.left()
    raise AssertionError("the last one returns, or raises")


def _asking(flow: ControlFlow, header: int) -> list[tuple[_Test, ...]]:
    """Return the blocks that may be those that ask whether a loop goes on: none, the header, and others behind it."""
    found: list[tuple[_Test, ...]] = [()]
    inside, block = flow.loops[header].blocks, header
    while True:
        edges, pure = flow.edges(block), all(op.name.startswith(_PURE) for op in flow.blocks[block].ops)
        ways_in = [edge for edge in edges if edge[0] in inside]
        if not pure or len(edges) != 2 or len(ways_in) != 1 or ways_in[0][0] == header:  # noqa: PLR2004 - goes on or not
            return found
        (way_out,) = (edge for edge in edges if edge[0] not in inside)
        found.append((*found[-1], _Test(block, ways_in[0], way_out, is_true=edges[0] == ways_in[0])))
        block = ways_in[0][0]
        if block in flow.loops or sum(block in targets for targets in flow.successors) > 1:
            return found


class _Test(NamedTuple):
    """A block that asks whether a loop goes on, and where it leads if so, which is where ``is_true``, and if not."""

    block: int
    way_in: Edge
    way_out: Edge
    is_true: bool


class _End(NamedTuple):
    """Where a loop leads when it is left, what is passed there, and values that are used there as they are."""

    block: int
    passed: list[Value]
    values: dict[SSAValue, Value]


class _Unbounded:
    """One loop; ``carried`` are the arrays of the source that the definitions' loop carries, and ``asks`` is that.

    ``tests`` are the blocks that ask.
    """

    def __init__(self, run: Execution, loop: Entered, frame: Frame, tests: tuple[_Test, ...]) -> None:
        self.run, self.loop, self.frame, self.tests = run, loop, frame, tests
        item, self.header = loop.claim.item, loop.claim.header
        assert item is not None
        self.inside = run.flow.loops[self.header].blocks
        phis = {phi for phi, _, _ in loop.phis()}
        self.carried = {one.array: one for one in item.carried if one.array in phis or run.memory.has(one.array)}
        asked = [one for one in item.carried if one.name == item.goes_on]
        if len(asked) != 1 or asked[0].array in self.carried or run.arrays[asked[0].array].shape:
            raise Undecided("it is not said what the loop asks", loop.last)
        self.asks = asked[0]

    def require_start(self) -> None:
        """Show that arrays, numbers and what is asked are the versions before the loop where it is entered."""
        run, loop, frame = self.run, self.loop, self.frame
        for array, one in self.carried.items():
            given = loop.entry.get(array)
            pieces = [(UNIVERSE, given)] if given is not None else frame.state.pieces.get(array, [])
            run.versions.require(array, pieces, one.before, loop.context)
        self._require_asked([], loop.given, frame.state, self.asks.before, loop.context)

    def left(self) -> tuple[int, Outcome]:
        """Decide the rest of the claim, and leave the loop."""
        run, loop, frame = self.run, self.loop, self.frame
        start = {array: self._cells(one.name, array) for array, one in self.carried.items()}
        after, lost, inner = iteration(run, loop, frame, start, self._begin)
        if not all(loop.iterations.is_subset(c) for c in (after.context, *(way.context for way in inner.exits))):
            raise Undecided("where the loop is left depends on more than data", loop.last)
        left = dict(after.state.pieces)
        for phi, argument, number in loop.phis():
            left[phi] = [(UNIVERSE, as_data(after.passed[number], argument.type, run.arrays[phi].dtype))]
        for array, one in self.carried.items():
            run.versions.require(array, left.get(array, []), one.after, loop.iterations)
            for way in inner.exits:
                if array not in loop.entry:
                    run.versions.require(array, way.frame.state.pieces.get(array, []), one.after, loop.iterations)
        stays = [terms.apply("not", way.frame.guard) for way in inner.exits]
        self._require_asked(stays, after.passed, after.state, self.asks.after, loop.iterations)
        ends = [self._end(way) for way in inner.exits]
        for array in sorted(lost.union(phi for phi, _, _ in loop.phis())):
            frame.state.rename(array, run.lost(array))
        for array, one in self.carried.items():
            frame.state.rename(array, self._cells(one.name, array))
        return self._leave(ends)

    def _cells(self, version: str, array: str) -> list[Piece]:
        return [(UNIVERSE, self.run.versions.own(array, version))]

    # -- what the loop asks

    def _require_asked(
        self, stays: Sequence[Term], passed: list[Value], state: Tracked, version: str, context: Domain
    ) -> None:
        """Show that a version says whether the loop goes on: it is not left in another way, and all tests hold."""
        trial = Frame({}, state.copy(), self.frame, self.header, is_sequential=True, variables=self.frame.variables)
        asked: list[Term] = [*stays]
        for test in self.tests:
            value, passed = self._ask(test, passed, trial, context)
            asked.append(value if test.is_true else terms.apply("not", value))
        goes_on = reduce(partial(terms.apply, "and"), asked) if asked else TRUE
        self.run.versions.require(self.asks.array, [(UNIVERSE, goes_on)], version, context)

    def _ask(self, test: _Test, passed: list[Value], frame: Frame, context: Domain) -> tuple[Term, list[Value]]:
        """Run a block that asks; return its condition, and what it passes on if the loop goes on."""
        block = self.run.flow.blocks[test.block]
        frame.values.update(zip(block.args, passed, strict=True))
        last = self.run.straight(block, frame, context)
        return as_data(frame.value(last.operands[0]), last.operands[0].type), frame.all(test.way_in[1])

    def _begin(self, passed: list[Value], frame: Frame) -> tuple[int, list[Value]]:
        """Begin an iteration: run the blocks that ask, whose conditions hold."""
        block = self.header
        for test in self.tests:
            _, passed = self._ask(test, passed, frame, self.loop.iterations)
            block = test.way_in[0]
        return block, passed

    # -- what the loop leaves

    def _end(self, way: Exit) -> _End:
        """Say by the versions that an iteration ends with what it hands to where it leaves the loop."""
        used = {v: k for v, k in way.frame.values.items() if self._is_used_later(v)}
        block, found, _ = self._forwarded(way.block, way.passed, way.frame)
        passed = [self._named(value, of_type) for value, of_type in zip(found, self.run.types(block), strict=True)]
        return _End(block, passed, {value: self._named(known, value.type) for value, known in used.items()})

    def _is_used_later(self, value: SSAValue) -> bool:
        """Tell whether a value is used after the loop, other than where `_forwarded` hands it on."""
        flow = self.run.flow
        places = {flow.position[use.operation.parent] for use in value.uses if use.operation.parent is not None}
        return any(not self._only_leads_on(block) for block in places - self.inside)

    def _only_leads_on(self, block: int) -> bool:
        """Tell whether a block does no more than lead to another one."""
        flow = self.run.flow
        return flow.blocks[block].first_op is flow.blocks[block].last_op and len(flow.edges(block)) == 1

    def _named(self, value: Value, of_type: object) -> Value:
        """Return what a number at the end of an iteration is after the loop."""
        for array, one in self.carried.items():
            info = self.run.arrays[array]
            if not info.shape and self._is(value, of_type, one):
                return self.run.versions.own(array, one.name)
        is_fixed = isinstance(value, terms.Term) and not value.reads and not value.free
        if is_fixed or (isinstance(value, Exact) and value.value.is_constant):
            return value
        raise Undecided("what the loop leaves is nothing that the definitions carry", self.loop.last)

    def _is(self, value: Value, of_type: object, one: Carried) -> bool:
        info = self.run.arrays[one.array]
        try:
            found = as_data(value, of_type, info.dtype)  # type: ignore[arg-type] # a type of the IR
            self.run.versions.require(one.array, [(UNIVERSE, found)], one.after, self.loop.iterations)
        except Undecided:
            return False
        return True

    def _leave(self, ends: list[_End]) -> tuple[int, Outcome]:
        """Leave the loop, which hands on the same wherever it is left."""
        loop, frame = self.loop, self.frame
        passed = list(loop.before)
        for phi, _, number in loop.phis():
            passed[number] = frame.state.pieces[phi][0][1]
        asked: list[_End] = []
        for test in self.tests:
            value, following = self._ask(test, passed, frame, loop.context)
            if value is not (TRUE if test.is_true else FALSE):  # as `while (1)` has it
                asked.append(self._forwarded(test.way_out[0], frame.all(test.way_out[1]), frame))
            passed = following
        for phi, _, _ in loop.phis():
            frame.state.forget(phi)
        ends = [*asked, *ends]
        if len(ends) == 1:
            frame.values.update(ends[0].values)
        known = [frame.values.get(value) == left for end in ends for value, left in end.values.items()]
        if not ends or not all(known) or any(end[:2] != ends[0][:2] for end in ends):
            raise Undecided("the loop has no end, or ends in which it leaves one thing or another", loop.last)
        return ends[0].block, Outcome(ends[0].passed, frame.state, loop.context)

    def _forwarded(self, block: int, passed: list[Value], frame: Frame) -> _End:
        """Go on to the first block that does more than lead to another one."""
        flow = self.run.flow
        while self._only_leads_on(block):
            frame.values.update(zip(flow.blocks[block].args, passed, strict=True))
            ((block, operands),) = flow.edges(block)
            passed = frame.all(operands)
        return _End(block, passed, {})
