"""Control flow of literal IR: its loops, and where the arms of a branch meet again.

A loop is a block that edges lead back to, and all blocks from which such an edge is reached without passing it: a
natural loop.  Seen from outside, an inner loop is one step from its header to where it exits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Block, SSAValue


class IrreducibleError(Exception):
    """Raised for a cycle of control that has more than one entry."""


@dataclass(frozen=True, slots=True)
class Region:
    """The blocks of a loop, and those outside that it is left to, by their positions."""

    blocks: frozenset[int]
    exits: tuple[int, ...]


class ControlFlow:
    """The blocks of a function in their order, and its loops by the positions of their headers."""

    def __init__(self, function: FuncOp) -> None:
        """Find the loops.

        Raises:
            IrreducibleError: where a cycle is entered other than by its header.

        """
        self.function = function
        self.blocks: list[Block] = list(function.body.blocks)
        self.position = {block: position for position, block in enumerate(self.blocks)}
        self.successors = [tuple(self.position[s] for s in _successors(block)) for block in self.blocks]
        self._joins: dict[int | None, dict[int, int | None]] = {}
        self._dominators: dict[int, int | None] = {}
        self.loops = self._natural_loops()

    def _natural_loops(self) -> dict[int, Region]:
        back: dict[int, set[int]] = {}
        predecessors: list[list[int]] = [[] for _ in self.blocks]
        for source, target in self._edges():
            predecessors[target].append(source)
        for source, target in self._backward_edges():
            back.setdefault(target, set()).add(source)
        bodies: dict[int, frozenset[int]] = {}
        for header, latches in back.items():
            body: set[int] = {header}
            stack = [*latches]
            while stack:
                block = stack.pop()
                if block not in body:
                    body.add(block)
                    stack += predecessors[block]
            if 0 in body and header != 0:
                raise IrreducibleError
            bodies[header] = frozenset(body)
        loops = {}
        for header, blocks in bodies.items():
            exits = tuple(dict.fromkeys(t for s in sorted(blocks) for t in self.successors[s] if t not in blocks))
            loops[header] = Region(blocks, exits)
        return loops

    def _edges(self) -> list[tuple[int, int]]:
        return [(source, target) for source, targets in enumerate(self.successors) for target in targets]

    def _backward_edges(self) -> list[tuple[int, int]]:
        """List the edges to blocks that are still being visited, depth first."""
        found: list[tuple[int, int]] = []
        done: set[int] = set()
        path: set[int] = set()
        stack: list[tuple[int, bool]] = [(0, False)]
        while stack:
            block, is_left = stack.pop()
            if is_left:
                path.discard(block)
                continue
            if block in done:
                continue
            done.add(block)
            path.add(block)
            stack.append((block, True))
            for target in self.successors[block]:
                if target in path:
                    found.append((block, target))
                elif target not in done:
                    stack.append((target, False))
        return found

    def edges(self, block: int) -> list[tuple[int, Sequence[SSAValue]]]:
        """Return where control goes from a block, and with what."""
        last, targets = self.blocks[block].last_op, self.successors[block]
        operands = tuple(last.operands) if last is not None else ()
        if len(targets) < 2:  # noqa: PLR2004 - a branch
            return [(target, operands) for target in targets]
        count = 1 + len(self.blocks[targets[0]].args)
        return [(targets[0], operands[1:count]), (targets[1], operands[count:])]

    def values(self, blocks: Iterable[int]) -> Iterator[SSAValue]:
        """Yield the arguments of blocks, and the results of their operations."""
        for block in (self.blocks[number] for number in blocks):
            yield from block.args
            yield from (result for op in block.ops for result in op.results)

    def join(self, block: int, header: int | None) -> int | None:
        """Return where all ways from a block meet again in the body of a loop, or of the function; None: at its end."""
        if header not in self._joins:
            self._joins[header] = self._post_dominators(header)
        return self._joins[header].get(block)

    def _post_dominators(self, header: int | None) -> dict[int, int | None]:
        """Immediate post-dominators among the blocks of one level."""
        inside = self.loops[header].blocks if header is not None else frozenset(range(len(self.blocks)))
        order = _finished(header or 0, lambda block: self._next(block, header, inside))
        ways = {
            block: [*nexts, *([None] if len(nexts) < len(self._targets(block, header)) else [])]
            for block in order
            for nexts in [self._next(block, header, inside)]
        }
        return _immediate(order, ways)

    def ranks(self) -> dict[int, int]:
        """Return the place of each block in an order in which it follows what leads to it, but back to a header."""
        order = _finished(0, lambda block: list(self.successors[block]))[::-1]
        return {block: number for number, block in enumerate(order)}

    def dominators(self, block: int) -> frozenset[int]:
        """Return the blocks that each way from the entry to a block passes, the block itself among them."""
        if not self._dominators:
            rank, order = self.ranks(), list(self.ranks())
            before: dict[int, list[int | None]] = {0: [None]}
            for source in order:
                for target in self.successors[source]:
                    if rank[source] < rank[target]:  # what is reducible has its other edges from inside of the loop
                        before.setdefault(target, []).append(source)
            self._dominators = _immediate(order, before)
        found: set[int] = set()
        at: int | None = block
        while at is not None:
            found.add(at)
            at = self._dominators[at]
        return frozenset(found)

    def _targets(self, block: int, header: int | None) -> tuple[int, ...]:
        loop = self.loops.get(block)
        return loop.exits if loop is not None and block != header else self.successors[block]

    def _next(self, block: int, header: int | None, inside: frozenset[int]) -> list[int]:
        return [t for t in self._targets(block, header) if t in inside and t != header]


def _finished(start: int, following: Callable[[int], list[int]]) -> list[int]:
    """List blocks in the order in which a search in depth leaves them."""
    order: list[int] = []
    seen: set[int] = set()
    stack = [(start, False)]
    while stack:
        block, is_left = stack.pop()
        if is_left:
            order.append(block)
        elif block not in seen:
            seen.add(block)
            stack.append((block, True))
            stack += [(target, False) for target in following(block)]
    return order


def _immediate(order: list[int], ways: Mapping[int, Sequence[int | None]]) -> dict[int, int | None]:
    """Find where all ways from each block meet first (Cooper, Harvey and Kennedy 2001); they lead up in the order."""
    rank: dict[int | None, int] = {block: number for number, block in enumerate(order, 1)} | {None: 0}
    found: dict[int, int | None] = {}
    for block in order:
        meet, *others = ways[block] or [None]
        for way in others:
            other = way
            while meet != other:
                if rank[meet] > rank[other]:
                    meet = found[meet] if meet is not None else None
                else:
                    other = found[other] if other is not None else None
        found[block] = meet
    return found


def _successors(block: Block) -> tuple[Block, ...]:
    last = block.last_op
    return tuple(last.successors) if last is not None else ()
