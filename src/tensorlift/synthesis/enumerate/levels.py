"""Levels of an enumeration: candidates by their number of operations, evaluated by the block, each kept once.

What the steps and the leaves are is said by those that enumerate.

Pools have the candidates of each type found so far, all their cells in one array, and what they are made of.  A
candidate is told from others by its values in a few cells, its *fingerprint*: two with one fingerprint compute the
same and the second is dropped.
"""

from __future__ import annotations

import itertools
import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.symbolic import field as gf
from tensorlift.synthesis.symbolic.covering import Exhausted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ir.tensor_program import Expression, Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.enumerate.steps import Step
    from tensorlift.synthesis.sketch.goals import Goal
    from tensorlift.synthesis.symbolic.field import Elements
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes
    from tensorlift.synthesis.symbolic.views import View


_BLOCK = 1 << 14  # candidates evaluated at once
_MOST_STORED = 1 << 18  # candidates that larger ones are made of
_MOST_MATCHED = 8  # candidates of a block with the goal's fingerprint that are compared with it


@dataclass(frozen=True, slots=True)
class Options:
    """How to enumerate: the budget, and the heuristics that tell from the source which operations to try.

    The search fails where it is not done by ``deadline``, a moment of `time.perf_counter`.
    """

    budget: int = 16_000_000  # candidates
    most_operations: int = 6
    by_operations: bool = True  # only scalar functions that the source applies
    by_reductions: bool = True  # only folds that the source has, along extents along which it folds
    deadline: float = math.inf


@dataclass(slots=True)
class Statistics:
    """What was enumerated, dropped by type, evaluated, dropped as equivalent and kept; operations of the last.

    ``matched`` are those with the goal's fingerprint, ``rejected`` those of them that differ from it in other cells or
    at other sizes, ``unverified`` those that the dialect's verifier refuses.
    """

    enumerated: int = 0
    filtered: int = 0
    evaluated: int = 0
    equivalent: int = 0
    kept: int = 0
    matched: int = 0
    rejected: int = 0
    unverified: int = 0
    operations: int = 0


class Wanted(Protocol):
    """What is searched for: its nodes are in a graph, at some sizes, and a candidate can be confirmed at others."""

    @property
    def graph(self) -> Graph:
        """The graph of all nodes."""

    @property
    def scope(self) -> Scope:
        """The axes, and what builds expressions."""

    @property
    def sizes(self) -> Sequence[dict[str, int]]:
        """The sets of sizes; candidates are evaluated at the first."""

    def confirmed(self, value: Value) -> Value | None:
        """Return a value that holds at all sets of sizes, else None."""


class Levels(ABC):
    """One bottom-up search for a goal."""

    def __init__(self, wanted: Wanted, goal: Goal, options: Options, statistics: Statistics) -> None:
        self.wanted = wanted
        self.scope = wanted.scope
        self.goal = goal
        self.options = options
        self.statistics = statistics
        self.start = statistics.enumerated
        self.stored = 0
        self.keeps = True
        self.pools: dict[Kind, Pool] = {}
        self.goals: dict[Kind, list[tuple[int, Elements, tuple[str, ...]]]] = {}

    @abstractmethod
    def set_goal(self) -> None:
        """Take the fingerprints of the goal, in all forms in which it is looked for."""

    @abstractmethod
    def _steps(self, level: int) -> Iterator[Step]:
        """Yield the steps between the kinds that there are."""

    def found(self) -> Value | None:
        """Return the first value that holds at both sets of sizes, None where there is none with so many operations.

        Raises:
            Exhausted: where the budget is spent before.

        """
        if not self.is_whole:
            return None
        self.set_goal()
        return next((v for level in range(self.options.most_operations + 1) if (v := self.reached(level))), None)

    @property
    def is_whole(self) -> bool:
        """Whether every cell of the goal counts, and there are some."""
        return 0 < self.goal.nodes.size == len(self.goal.wanted)

    def reached(self, level: int) -> Value | None:
        """Return the goal's value with so many operations, None where there is none; fewer were tried before."""
        self.statistics.operations = level
        if level:
            return self._reached(level)
        pools = [pool for pool in self.pools.values() if pool.levels]
        return next((value for pool in pools if (value := self._hit(pool, pool.levels[0]))), None)

    def _reached(self, level: int) -> Value | None:
        """Evaluate all candidates with so many operations; return the goal's value if it is one."""
        values = (self._level(step, level) for step in self._steps(level))
        return next((value for value in values if value is not None), None)

    def _pool(self, kind: Kind) -> Pool:
        pool = self.pools.get(kind)
        if pool is None:
            shape = tuple(extent.evaluate(self.wanted.sizes[0]) for extent in kind.extents)
            pool = self.pools[kind] = Pool(kind, shape, len(self.pools))
        return pool

    def _values(self, nodes: Nodes) -> Elements:
        return np.array([self.wanted.graph.value[node] for node in nodes.ravel().tolist()], np.uint64)

    def _enter(self, view: View) -> None:
        """Keep a leaf, which takes no operations."""
        if view.nodes.size:
            pool = self._pool(Kind(self.wanted.graph.dtype[int(view.nodes.flat[0])], view.extents))
            pool.store(0, self._values(view.nodes)[None], Block(None, (), (), (view.expression,)))

    def _seek(self, extents: Shape, cells: Elements, axes: tuple[str, ...]) -> None:
        """Look for the goal in a form: its extents, its cells, and the names of its axes."""
        kind = Kind(self.goal.dtype(self.wanted.graph), extents)
        prints = int(fingerprints(cells[self._pool(kind).samples][:, None])[0])
        self.goals.setdefault(kind, []).append((prints, cells, axes))

    # -- levels

    def _level(self, step: Step, level: int) -> Value | None:
        """Evaluate all candidates of a step with so many operations; return the goal's value if it is one."""
        for levels in _compositions(level - 1, len(step.operands)):
            entries = [pool.levels.get(n) for pool, n in zip(step.operands, levels, strict=True)]
            if any(e is None for e in entries):
                continue
            if step.is_symmetric and levels[0] > levels[1]:
                continue
            value = self._product(step, level, [e for e in entries if e is not None])
            if value is not None:
                return value
        return None

    def _product(self, step: Step, level: int, entries: list[Entries]) -> Value | None:
        target = self._pool(step.result)
        needs = step.needs(target.samples, target.shape)
        parts = [
            e.at(positions, inverse=step.inverts_last and k == len(entries) - 1)
            for k, (e, positions) in enumerate(zip(entries, needs, strict=True))
        ]
        for bounds in _blocks([len(e) for e in entries]):
            rows = [np.arange(low, high) for low, high in bounds]
            chosen = [part[..., low:high] for part, (low, high) in zip(parts, bounds, strict=True)]
            counts = tuple(len(r) for r in rows)
            self._count(int(np.prod(counts)))
            samples = np.broadcast_to(step.combine(_spread(chosen), target.samples), (len(target.samples), *counts))
            prints = fingerprints(samples).reshape(-1)
            value = self._block(step, level, target, entries, rows, prints)
            if value is not None:
                return value
        return None

    def _count(self, candidates: int) -> None:
        self.statistics.enumerated += candidates
        self.statistics.evaluated += candidates
        if self.statistics.enumerated - self.start > self.options.budget:
            raise Exhausted(f"{self.options.budget} candidates")
        if time.perf_counter() > self.options.deadline:
            raise Exhausted("its time")

    def _block(  # noqa: PLR0913, PLR0917 - one block of candidates
        self, step: Step, level: int, target: Pool, entries: list[Entries], rows: list[Positions], prints: Elements
    ) -> Value | None:
        """Compare a block with the goal, and keep what is new if that is wanted now."""
        for wanted, _, _ in self.goals.get(target.kind, ()):
            hits = np.flatnonzero(prints == np.uint64(wanted))
            if len(hits):
                value = self._hit(target, self._made(step, target, entries, rows, hits[:_MOST_MATCHED]))
                if value is not None:
                    return value
        if not self.keeps:
            return None
        fresh = target.new_rows(prints)
        self.statistics.equivalent += len(prints) - len(fresh)
        if len(fresh) and level < self.options.most_operations and self.stored < _MOST_STORED:
            made = self._made(step, target, entries, rows, fresh)
            target.store(level, made.cells, made.blocks[0])
            self.stored += len(fresh)
            self.statistics.kept += len(fresh)
        return None

    def _made(
        self, step: Step, target: Pool, entries: list[Entries], rows: list[Positions], chosen: Positions
    ) -> Entries:
        """Return candidates of a block with all their cells."""
        index = np.unravel_index(chosen, [len(r) for r in rows])
        own = tuple(r[i] for r, i in zip(rows, index, strict=True))
        parts, whole = [], np.arange(target.size)
        for k, (e, positions) in enumerate(zip(entries, step.needs(whole, target.shape), strict=True)):
            inverse = step.inverts_last and k == len(entries) - 1
            cells = e.inverses() if inverse else e.cells
            parts.append(np.moveaxis(cells[own[k]][:, positions], 0, -1))
        cells = np.moveaxis(step.combine(parts, whole), -1, 0)
        block = Block(step, tuple(entries), own)
        return Entries(target.kind, target.shape, np.ascontiguousarray(cells), [block])

    # -- results

    def _hit(self, pool: Pool, entries: Entries) -> Value | None:
        """Return the value of a candidate that has the goal's cells and holds at both sets of sizes."""
        for prints, wanted, axes in self.goals.get(pool.kind, ()):
            for row in np.flatnonzero(fingerprints(entries.cells[:, pool.samples].T) == np.uint64(prints)):
                self.statistics.matched += 1
                is_equal = bool((entries.cells[row] == wanted).all())
                value = self.wanted.confirmed(self._value(entries, int(row), axes)) if is_equal else None
                if value is None:
                    self.statistics.rejected += 1
                elif self._is_verified(value):
                    return value
                else:
                    self.statistics.unverified += 1
        return None

    def _is_verified(self, value: Value) -> bool:  # noqa: ARG002 - for those that have a verifier
        """Tell whether the dialect's verifier takes the operations of a value."""
        return True

    def _value(self, entries: Entries, row: int, axes: tuple[str, ...]) -> Value:
        block, at = entries.origin(row)
        if block.step is None:
            return Value(block.leaves[at], axes)
        inner = block.step.operand_axes(axes, self.scope)
        outside = self.scope.guard
        values: list[Value] = []
        for position, (operand, rows) in enumerate(zip(block.operands, block.rows, strict=True)):
            if block.step.op == "select" and position:  # an arm counts only where the condition says so
                holds = values[0] if position == 1 else self.scope.combined("not", values[0])
                self.scope.guard = holds if outside is None else self.scope.combined("and", outside, holds)
            values.append(self._value(operand, int(rows[at]), inner[position]))
        self.scope.guard = outside
        return block.step.build(values, axes, self.scope)


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to give a number of operations to operands."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)


def _blocks(counts: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Cut a product of rows into blocks."""
    widths, room = [], _BLOCK
    for count in reversed(counts):
        widths.append(max(min(count, room), 1))
        room = max(room // widths[-1], 1)
    ranges = [
        [(low, min(low + width, count)) for low in range(0, count, width)]
        for count, width in zip(counts, reversed(widths), strict=True)
    ]
    yield from map(list, itertools.product(*ranges))


def _spread(parts: list[Elements]) -> list[Elements]:
    """Give each operand's candidates an axis of their own."""
    count = len(parts)
    return [
        part.reshape(*part.shape[:-1], *(part.shape[-1] if axis == own else 1 for axis in range(count)))
        for own, part in enumerate(parts)
    ]


SAMPLES = 3
Positions = npt.NDArray[np.int64]
_FILTER_BITS = (12, 16, 20)  # of the slots of a memory, which grows
_ROOM = 16  # slots for each fingerprint, before it does
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


class Kind(NamedTuple):
    """The type of a candidate: its element type and its extents."""

    dtype: DType
    extents: Shape


@dataclass(eq=False)
class Block:
    """Candidates that were made together: by one step, from rows of entries; or leaves, by their expressions."""

    step: Step | None
    operands: tuple[Entries, ...]
    rows: tuple[Positions, ...]
    leaves: tuple[Expression, ...] = ()


@dataclass(eq=False)
class Entries:
    """The candidates of one kind and one number of operations; ``cells`` has a row for each."""

    kind: Kind
    shape: tuple[int, ...]
    cells: Elements
    blocks: list[Block]
    _gathered: dict[tuple[bytes, tuple[int, ...], bool], Elements] = field(default_factory=dict)
    _inverse: Elements | None = None

    def __len__(self) -> int:
        """Return the number of candidates."""
        return len(self.cells)

    def at(self, positions: Positions, *, inverse: bool = False) -> Elements:
        """Return the values, or their reciprocals, in flat positions: an axis for each of theirs, candidates last."""
        key = positions.tobytes(), positions.shape, inverse
        found = self._gathered.get(key)
        if found is None:
            cells = self.inverses() if inverse else self.cells
            found = self._gathered[key] = np.ascontiguousarray(np.moveaxis(cells[:, positions], 0, -1))
        return found

    def inverses(self) -> Elements:
        """Return the reciprocals of all cells."""
        if self._inverse is None:
            self._inverse = gf.inverse(self.cells)
        return self._inverse

    def origin(self, row: int) -> tuple[Block, int]:
        """Return the block that a candidate was made in, and its row there."""
        for block in self.blocks:
            count = len(block.leaves) if block.step is None else len(block.rows[0])
            if row < count:
                return block, row
            row -= count
        raise IndexError(row)


class Pool:
    """All candidates of one kind, by their number of operations."""

    def __init__(self, kind: Kind, shape: tuple[int, ...], number: int) -> None:
        self.kind = kind
        self.number = number  # in the order in which kinds turned up
        self.shape = shape
        self.size = int(np.prod(shape))
        self.samples = sample_positions(shape)
        self.levels: dict[int, Entries] = {}
        self._bits = _FILTER_BITS[0]
        self._seen = np.zeros(1 << self._bits, np.uint64)
        self._count = 0

    def new_rows(self, prints: Elements) -> Positions:
        """Return the rows of the first candidates with fingerprints that were not seen, and remember them.

        The memory is lossy: a fingerprint may be forgotten where another takes its place, never invented.
        """
        self._make_room(self._count + len(prints))
        slots = self._slots(prints)
        fresh = np.flatnonzero((self._seen[slots] != prints) & (prints != 0))
        _, first = np.unique(prints[fresh], return_index=True)
        rows = fresh[np.sort(first)]
        self._seen[slots[rows]] = prints[rows]
        self._count += len(rows)
        return rows

    def _slots(self, prints: Elements) -> Positions:
        return (prints >> np.uint64(64 - self._bits)).astype(np.int64)

    def _make_room(self, count: int) -> None:
        """Let the memory grow until it has room for so many fingerprints."""
        bits = next((b for b in _FILTER_BITS if count * _ROOM <= 1 << b), _FILTER_BITS[-1])
        if bits > self._bits:
            known, self._bits = self._seen[self._seen != 0], bits
            self._seen = np.zeros(1 << bits, np.uint64)
            self._seen[self._slots(known)] = known

    def store(self, level: int, cells: Elements, block: Block) -> None:
        """Add candidates."""
        known = self.levels.get(level)
        if known is None:
            self.levels[level] = Entries(self.kind, self.shape, cells, [block])
        else:
            known.cells = np.concatenate([known.cells, cells])
            known.blocks.append(block)


def sample_positions(shape: tuple[int, ...]) -> Positions:
    """Return flat positions of a few cells: below, above and on the diagonal where there is one."""
    wanted = [tuple((k * (axis + 1) + 1) % extent for axis, extent in enumerate(shape)) for k in range(SAMPLES)]
    flat = [int(np.ravel_multi_index(index, shape)) if shape else 0 for index in wanted]
    return np.array(flat, np.int64)


def fingerprints(samples: Elements) -> Elements:
    """Return a word for each candidate from its values in the sampled cells, along the first axis."""
    with np.errstate(over="ignore"):
        words = samples * _MULTIPLIERS.reshape(-1, *(1,) * (samples.ndim - 1))
        mixed = words[0] ^ (words[1] >> np.uint64(7)) ^ (words[2] >> np.uint64(13))
        return np.asarray((mixed ^ (mixed >> np.uint64(29))) * _MULTIPLIERS[1])
