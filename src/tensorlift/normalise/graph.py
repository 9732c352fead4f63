"""The control-flow graph of a function, as what makes it structured asks of it, before anything is moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.location import CONDITION, name_of
from tensorlift.ir.regions import ControlFlow, Region
from tensorlift.normalise.choices import may_be_asked
from tensorlift.normalise.edit import last_of
from tensorlift.normalise.ways import END

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Block, SSAValue


class Graph(ControlFlow):
    """The blocks of a function by their numbers; seen from outside, a loop is one *step*, its header.

    ``rank`` says when each is reached, ``places`` where loops stand in the source, ``conditions`` where theirs do,
    ``tests`` where those are left that their begin leaves, ``escaping`` which values of loops are used after them, and
    ``home`` where those are computed.  ``sources`` are the steps from which edges lead to a block, and ``merges`` the
    blocks after a step where several edges meet.

    What a loop does last is part of it, as ``r = 2; break`` and ``return 2`` are, where it goes on at one place then.
    """

    def __init__(self, function: FuncOp) -> None:
        """Look at a function.

        Raises:
            IrreducibleError: where a cycle of control has more than one entry.

        """
        super().__init__(function)
        self.rank = self.ranks() | {END: END}
        self.places = {header: self._place(header) for header in self.loops}
        self.conditions = {header: self._condition(header) for header in self.loops}
        self.sources = self._sources()
        self.tests = {header: self._tests(header) for header in self.loops}
        self.loops = self._with_ends()
        self.home: dict[SSAValue, int] = {}
        self.escaping = self._escaping()
        self.sources = self._sources()
        self.merges = self._merges()

    def _place(self, header: int) -> LocationAttr:
        """Return the place of a loop: where it is entered from outside."""
        entering = (b for b, targets in enumerate(self.successors) if header in targets)
        return last_of(self.blocks[next(b for b in entering if b not in self.loops[header].blocks)]).location

    def _condition(self, header: int) -> LocationAttr:
        """Return the place of a loop's condition, or of the first branch that leaves it."""
        inside, first = self.loops[header].blocks, last_of(self.blocks[header])
        leaving = [b for b in sorted(inside, key=self.rank.__getitem__) if not inside.issuperset(self.successors[b])]
        ends = [last_of(self.blocks[b]) for b in leaving]
        found = next((end for end in [first, *ends] if name_of(end) == CONDITION), ends[0] if ends else None)
        return found.location if found is not None else self.places[header]

    def _with_ends(self) -> dict[int, Region]:
        """Return the loops with what they do last: it has no effect, and goes on where another way out does."""
        ends: dict[int, list[int]] = {}
        for header, loop in self.loops.items():
            last = [] if self.tests[header] else [block for block in loop.exits if self._is_end(block, loop.blocks)]
            to = [self._following(block) for block in last]
            ends[header] = [
                block for block, target in zip(last, to, strict=True) if to.count(target) > 1 or target in loop.exits
            ]
        found: dict[int, Region] = {}
        for header, loop in self.loops.items():
            inside = loop.blocks.union(*(ends[inner] for inner in ends if inner in loop.blocks))
            targets = (target for block in sorted(inside) for target in self.successors[block] or (END,))
            found[header] = Region(inside, tuple(dict.fromkeys(t for t in targets if t not in inside)))
        return found

    def _is_end(self, number: int, inside: frozenset[int]) -> bool:
        """Whether only blocks of a loop lead to one, which has no effect and ends with a jump."""
        block = self.blocks[number]
        is_shared = any(self.position[use.operation.parent] not in inside for use in block.uses)
        return not is_shared and len(self.successors[number]) <= 1 and may_be_asked(block)

    def _following(self, block: int) -> int:
        return next(iter(self.successors[block]), END)

    def around(self, block: int) -> list[int]:
        """List the loops around a block, inner ones first."""
        found = [header for header, loop in self.loops.items() if block in loop.blocks]
        return sorted(found, key=lambda header: len(self.loops[header].blocks))

    def _escaping(self) -> dict[int, dict[SSAValue, None]]:
        """List for each loop the values of it that are used after it."""
        found: dict[int, dict[SSAValue, None]] = {header: {} for header in self.loops}
        around = [frozenset(self.around(number)) for number in range(len(self.blocks))]
        home = {value: number for number in range(len(around)) for value in self.values([number])}
        for number, block in enumerate(self.blocks):
            for value in (value for op in block.ops for value in op.operands):
                for header in around[home[value]] - around[number]:
                    found[header][value] = None
                    self.home[value] = home[value]
        return found

    def _sources(self) -> dict[int, list[int]]:
        """List for each block the steps that edges come from; seen from outside, an inner loop is one, its header."""
        found: dict[int, list[int]] = {block: [] for block in self.position.values()}
        for source, targets in enumerate(self.successors):
            for target in targets:
                step = self._step_of(source, target)
                if self.rank[source] < self.rank[target] and (step == source or step not in found[target]):
                    found[target].append(step)
        return found

    def _merges(self) -> dict[int, list[int]]:
        """List for each step those blocks after it where several edges meet."""
        found: dict[int, list[int]] = {}
        for block in sorted(self.sources, key=self.rank.__getitem__):
            if len(self.sources[block]) > 1:
                before = max(self.dominators(block) - {block}, key=self.rank.__getitem__)
                found.setdefault(self._step_of(before, block), []).append(block)
        return found

    def _step_of(self, source: int, target: int) -> int:
        """Return the header of the outermost loop that is left on the way from a block to another, or the block."""
        left = [header for header in self.around(source) if target not in self.loops[header].blocks]
        return left[-1] if left else source

    def alternatives(self, start: int, merges: Sequence[int]) -> Iterator[int]:
        """Yield where conditions lead beside a block where several of them lead.

        ``if (a && b) x; else y;`` has ``x`` after its condition, not in the arm of ``b``: so ``y`` is the other arm.
        """
        for merge in merges:
            tests = {start}
            for source in self.sources[merge]:
                while source not in tests and len(self.sources[source]) == 1 and source not in self.loops:
                    tests.add(source)
                    (source,) = self.sources[source]  # noqa: PLW2901 - up to the first test
                if source not in tests:
                    break
            else:
                others = {target for test in tests for target in self.successors[test]} - tests - {merge}
                inner = [self.blocks[test] for test in tests - {start}]
                if len(others) == 1 and not any(self._is_used_outside(block, inner) for block in inner):
                    yield from (other for other in others if tests.issuperset(self.sources[other]))

    def _is_used_outside(self, block: Block, blocks: Sequence[Block]) -> bool:
        """Whether anything that a block computes is used in others than some."""
        values = self.values([self.position[block]])
        return any(use.operation.parent not in blocks for value in values for use in value.uses)

    def leads(self, source: int, target: int) -> bool:
        """Whether a block is reached from another one, without going back."""
        seen, stack = {source}, [source]
        while stack:
            block = stack.pop()
            forward = {t for t in self.successors[block] if self.rank[block] < self.rank[t] <= self.rank[target]}
            new = forward - seen
            seen |= new
            stack += new
        return target in seen

    def _tests(self, header: int) -> list[int]:
        """List where a loop is left, if that is at its begin: by the test of its header, and those that follow on that.

        What these compute has no effect, so that they may be asked at once.
        """
        inside, block = self.loops[header].blocks, header
        found: list[int] = []
        first: list[tuple[int, Sequence[SSAValue]]] = []
        while block not in found:
            targets = self.successors[block]
            if len(targets) > 1:
                leaving = [(target, passed) for target, passed in self.edges(block) if target not in inside]
                if len(leaving) != 1 or (found and leaving != first):
                    break
                found.append(block)
                first = leaving
            following = next(target for target in targets if target in inside)
            if len(self.sources[following]) != 1 or following in self.loops:
                break
            if found and (len(self.successors[following]) == 1 or not may_be_asked(self.blocks[following])):
                break
            block = following
        entering = {t for test in found for t in self.successors[test] if t in inside}
        leaving_blocks = {b for b in inside for target in self.successors[b] if target not in inside}
        return found if leaving_blocks == {*found} and header not in entering else []
