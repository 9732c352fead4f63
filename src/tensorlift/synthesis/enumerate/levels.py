"""Levels of an enumeration: candidates by their number of operations, evaluated by the block, each kept once.

What the steps and the leaves are is said by those that enumerate.
"""

from __future__ import annotations

import itertools
import math
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.enumerate.pools import (
    SAMPLES,
    Block,
    Entries,
    Kind,
    Pool,
    Sought,
    fingerprints,
    sample_positions,
)
from tensorlift.synthesis.symbolic.covering import ANOTHER, Exhausted
from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.enumerate.monomials import Polynomial
    from tensorlift.synthesis.enumerate.pools import Positions
    from tensorlift.synthesis.enumerate.steps import Step
    from tensorlift.synthesis.sketch.goals import Goal
    from tensorlift.synthesis.symbolic.field import Elements
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes
    from tensorlift.synthesis.symbolic.views import View


_BLOCK = 1 << 14  # candidates evaluated at once
_MOST_MATCHED = 8  # candidates of a block with the goal's fingerprint that are compared with it


@dataclass(frozen=True, slots=True)
class Options:
    """How to enumerate: the limits, and the heuristics that tell from the source what to try.

    ``candidates``, ``operations`` and ``bytes`` decide what is found; ``seconds`` and the ``deadline``, a moment of
    `time.perf_counter`, only end a search.  Once what is kept takes so many bytes, nothing more is kept.
    """

    candidates: int = 16_000_000
    operations: int = 6
    bytes: float = 1e9
    seconds: float = math.inf
    deadline: float = math.inf
    by_operations: bool = True  # only scalar functions that the source applies
    by_reductions: bool = True  # only folds that the source has, along extents along which it folds
    by_monomials: bool = True  # only what multiplies inputs as the goal does
    by_parts: bool = True  # cells of each condition by themselves, and the operands of a function that all cells are
    before: int = 0  # candidates that are counted already

    def begun(self, statistics: Statistics) -> Options:
        """Return the options of a search that begins now."""
        deadline = min(self.deadline, time.perf_counter() + self.seconds)
        return replace(self, deadline=deadline, before=statistics.enumerated)


@dataclass(slots=True)
class Statistics:
    """What was enumerated, dropped by type, evaluated, dropped as equivalent and kept, and the most operations tried.

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
        self.stored = 0  # bytes
        self.is_full = False
        self.keeps = True
        self.pools: dict[Kind, Pool] = {}
        self.goals: dict[tuple[DType, Shape], list[Sought]] = {}

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
        levels = range(self.options.operations + 1)
        value = next((v for level in levels if (v := self.reached(level))), None)
        if value is None:
            self.end()
        return value

    def end(self) -> None:
        """End a search that found nothing.

        Raises:
            Exhausted: where it had no room for all candidates.

        """
        if self.is_full:
            gigabytes = self.options.bytes / 1e9
            raise _met("gigabytes", f"{gigabytes:g} GB of candidates", gigabytes)

    @property
    def is_whole(self) -> bool:
        """Whether every cell of the goal counts, and there are some."""
        return 0 < self.goal.nodes.size == len(self.goal.wanted)

    def reached(self, level: int) -> Value | None:
        """Return the goal's value with so many operations, None where there is none; fewer were tried before."""
        self.statistics.operations = max(self.statistics.operations, level)
        found = (self._hit(pool, pool.levels[level]) for pool in list(self.pools.values()) if level in pool.levels)
        value = next((value for value in found if value is not None), None)
        return value if value is not None or not level else self._reached(level)

    def _reached(self, level: int) -> Value | None:
        """Evaluate all candidates with so many operations; return the goal's value if it is one."""
        values = (self._level(step, level) for step in self._steps(level))
        return next((value for value in values if value is not None), None)

    def _pool(self, kind: Kind) -> Pool:
        pool = self.pools.get(kind)
        if pool is None:
            shape = tuple(extent.evaluate(self.wanted.sizes[0]) for extent in kind.extents)
            goals = self.goals.get(kind.type, ())
            pool = self.pools[kind] = Pool(kind, shape, len(self.pools), [goal.where for goal in goals if goal.is_part])
        return pool

    def _values(self, nodes: Nodes) -> Elements:
        return np.array([self.wanted.graph.value[node] for node in nodes.ravel().tolist()], np.uint64)

    def _enter(self, view: View, level: int = 0, monomials: Polynomial | None = None) -> None:
        """Keep a leaf, which takes no operations but counts as so many."""
        if view.nodes.size:
            pool = self._pool(Kind(self.wanted.graph.dtype[int(view.nodes.flat[0])], view.extents, monomials))
            pool.store(level, self._values(view.nodes)[None], Block(None, (), (), (view.expression,)))

    def _seek(self, extents: Shape, nodes: Nodes, axes: tuple[str, ...]) -> None:
        """Look for the goal in a form: its extents, its nodes, and the names of its axes."""
        counts = np.flatnonzero(nodes.reshape(-1) != FREE)
        shape = tuple(extent.evaluate(self.wanted.sizes[0]) for extent in extents)
        is_part = len(counts) < nodes.size
        where = counts[np.linspace(0, len(counts) - 1, SAMPLES).astype(int)] if is_part else sample_positions(shape)
        cells = self._values(nodes)
        prints = int(fingerprints(cells[where][:, None])[0])
        goals = self.goals.setdefault((self.goal.dtype(self.wanted.graph), extents), [])
        goals.append(Sought(axes, cells[counts], counts, where, prints, is_part, sum(g.is_part for g in goals)))

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
            prints = [fingerprints(samples[k : k + SAMPLES]).reshape(-1) for k in range(0, len(samples), SAMPLES)]
            value = self._block(step, level, target, entries, rows, prints)
            if value is not None:
                return value
        return None

    def _count(self, candidates: int) -> None:
        self.statistics.enumerated += candidates
        self.statistics.evaluated += candidates
        if self.statistics.enumerated - self.options.before > self.options.candidates:
            raise _met("candidates", f"{self.options.candidates} candidates", self.options.candidates)
        if time.perf_counter() > self.options.deadline:
            seconds = self.options.seconds
            raise Exhausted("its time") if math.isinf(seconds) else _met("seconds", f"{seconds:g} seconds", seconds)

    def _block(  # noqa: PLR0913, PLR0917 - one block of candidates
        self, step: Step, level: int, target: Pool, entries: list[Entries], rows: list[Positions], found: list[Elements]
    ) -> Value | None:
        """Compare a block with the goal, and keep what is new if that is wanted now.

        ``found`` are the fingerprints of the block, first those by which candidates are told from others.
        """
        prints = found[0]
        for goal in self.goals.get(target.kind.type, ()):
            hits = np.flatnonzero(found[goal.part] == np.uint64(goal.prints))
            if len(hits):
                value = self._hit(target, self._made(step, target, entries, rows, hits[:_MOST_MATCHED]))
                if value is not None:
                    return value
        if not self.keeps:
            return None
        fresh = target.new_rows(prints)
        self.statistics.equivalent += len(prints) - len(fresh)
        needed = len(fresh) * 8 * (target.size + len(rows))
        self.is_full = self.is_full or self.stored + needed > self.options.bytes
        if len(fresh) and level < self.options.operations and not self.is_full:
            made = self._made(step, target, entries, rows, fresh)
            target.store(level, made.cells, made.blocks[0])
            self.stored += needed
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
        return Entries(target.kind, target.shape, [np.ascontiguousarray(cells)], [block])

    # -- results

    def _hit(self, pool: Pool, entries: Entries) -> Value | None:
        """Return the value of a candidate that has the goal's cells and holds at both sets of sizes."""
        for goal in self.goals.get(pool.kind.type, ()):
            for row in np.flatnonzero(fingerprints(entries.cells[:, goal.where].T) == np.uint64(goal.prints)):
                self.statistics.matched += 1
                is_equal = bool((entries.cells[row, goal.counts] == goal.cells).all())
                value = self.wanted.confirmed(self._value(entries, int(row), goal.axes)) if is_equal else None
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


def _met(limit: str, shown: str, value: float) -> Exhausted:
    """Return the end of a search at a limit, with twice of it as a remedy."""
    return Exhausted(shown, f"allow more with --limits {limit}={2 * value:.10g}, or {ANOTHER}")


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
