"""Bottom-up enumeration: all candidates with one operation, with two, and so on, until one has the goal's cells.

    leaves -> for each number of operations: every step between pools -> fingerprints of whole blocks
           -> those of the goal? compared in every cell -> those not seen: all their cells, kept for larger candidates

Nothing is built, typed or compared one by one: a block is a few array operations.  Candidates that compute what another
one does (*observational equivalence*) are dropped.  The budget is a number of candidates, so that the same input gives
the same program.
"""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.scalar_ops import SCALAR_OPS
from tensorlift.comprehension.terms import Apply, Constant, Reduce
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.enumerate.pools import Block, Entries, Kind, Pool, fingerprints
from tensorlift.synthesis.enumerate.steps import Cellwise, Contraction, Fold, Step
from tensorlift.synthesis.sketch.goals import Goal, extents_of, without_constant_axes
from tensorlift.synthesis.sketch.library import Library
from tensorlift.synthesis.symbolic.covering import Exhausted
from tensorlift.synthesis.symbolic.points import evaluate
from tensorlift.synthesis.symbolic.views import View, views_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.comprehension.dtypes import DType
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Shape
    from tensorlift.synthesis.enumerate.pools import Positions
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.symbolic.covering import Traced
    from tensorlift.synthesis.symbolic.field import Elements
    from tensorlift.synthesis.symbolic.task import Task

_BLOCK = 1 << 14  # candidates evaluated at once
_MOST_STORED = 1 << 18  # candidates that larger ones are made of
_WITH = {  # operations that say the same as one of the source
    "sub": ("neg",), "neg": ("sub",), "select": ("max", "min"), "gt": ("lt",), "ge": ("le",), "mul": ("div",),
    "pow": ("mul",),
}  # fmt: skip
_COMPARISONS = frozenset({"lt", "le", "eq", "ne"})
_LOGICAL = frozenset({"and", "or", "not"})


@dataclass(frozen=True, slots=True)
class Options:
    """How to enumerate: the budget, and the heuristics that tell from the source which operations to try.

    The search fails where it is not done by ``deadline``, a moment of `time.perf_counter`.
    """

    budget: int = 16_000_000  # candidates
    most_operations: int = 6
    by_operations: bool = True  # only scalar functions that the source applies
    by_reductions: bool = True  # only folds that the source has
    deadline: float = math.inf


@dataclass(slots=True)
class Statistics:
    """What was enumerated, dropped by type, evaluated, dropped as equivalent and kept; operations of the last."""

    enumerated: int = 0
    filtered: int = 0
    evaluated: int = 0
    equivalent: int = 0
    kept: int = 0
    operations: int = 0


class Enumeration:
    """One bottom-up search for the goal of a task."""

    def __init__(self, traced: Traced, grammar: Grammar, options: Options, statistics: Statistics) -> None:
        self.traced = traced
        self.scope = traced.scope
        self.options = options
        self.statistics = statistics
        self.start = statistics.enumerated
        self.stored = 0
        self.scalar_ops, self.reducers, self.contracts = _vocabulary(traced.task, grammar, options)
        self.pools: dict[Kind, Pool] = {}
        self.goal = without_constant_axes(Goal(traced.cells[0], traced.task.axes))
        self._enter_leaves()
        self.most_axes = max(len(self.goal.axes), *(len(kind.extents) for kind in self.pools), 1)

    def found(self) -> Value | None:
        """Return the first value that holds at both sets of sizes, None where there is none with so many operations.

        Raises:
            Exhausted: where the budget is spent before.

        """
        if len(self.goal.wanted) < self.goal.nodes.size or not self.goal.nodes.size:
            return None
        self._set_goal()
        for pool in [pool for pool in self.pools.values() if pool.levels]:
            value = self._hit(pool, pool.levels[0])
            if value is not None:
                return value
        for level in range(1, self.options.most_operations + 1):
            self.statistics.operations = level
            for step in self._steps(level):
                value = self._level(step, level)
                if value is not None:
                    return value
        return None

    # -- leaves and goal

    def _enter_leaves(self) -> None:
        graph, task = self.traced.graph, self.traced.task
        library = Library(graph, self.scope, ())
        leaves = [*views_of(graph, task, self.scope, self.traced.sizes[0]), *library.scalars(), *self._constants()]
        for view in leaves:
            if not view.nodes.size:
                continue
            dtype = graph.dtype[int(view.nodes.flat[0])] if view.nodes.size else "f64"
            pool = self._pool(Kind(dtype, view.extents))
            cells = np.array([graph.value[int(n)] for n in view.nodes.flat], np.uint64)
            pool.store(0, cells.reshape(1, -1), Block(None, (), (), (view.expression,)))

    def _constants(self) -> Iterator[View]:
        graph = self.traced.graph
        found = {n: None for _, term in self.traced.task.pieces for n in walk(term) if isinstance(n, Constant)}
        for term in found:
            if term.dtype != "bool":
                literal = self.scope.build.literal(term.value, term.dtype)
                yield View(literal, (), np.array(graph.constant(term.value, term.dtype)))

    def _pool(self, kind: Kind) -> Pool:
        pool = self.pools.get(kind)
        if pool is None:
            shape = tuple(evaluate(extent, self.traced.sizes[0]) for extent in kind.extents)
            pool = self.pools[kind] = Pool(kind, shape, len(self.pools))
        return pool

    def _set_goal(self) -> None:
        """Take the fingerprints of the goal in each order of its axes."""
        graph = self.traced.graph
        values = np.array([graph.value[int(n)] for n in self.goal.nodes.flat], np.uint64).reshape(self.goal.nodes.shape)
        extents = extents_of(self.goal, self.scope)
        self.goals: dict[Kind, list[tuple[int, Elements, tuple[str, ...]]]] = {}
        for order in itertools.permutations(range(len(extents))):
            kind = Kind(self.goal.dtype(graph), tuple(extents[k] for k in order))
            cells = np.transpose(values, order).reshape(-1)
            pool = self._pool(kind)
            prints = int(fingerprints(cells[pool.samples][:, None])[0])
            axes = tuple(self.goal.axes[k] for k in order)
            self.goals.setdefault(kind, []).append((prints, cells, axes))

    # -- steps

    def _steps(self, level: int) -> Iterator[Step]:
        """Yield the steps between the kinds that there are; types are checked here, before anything is evaluated."""
        pools = list(self.pools.values())
        for pool in pools:
            yield from self._unary(pool)
        for left, right in itertools.product(pools, repeat=2):
            found = list(self._binary(left, right))
            self.statistics.filtered += 0 if found else _pairs(left, right, level - 1)
            yield from found
            if self.contracts:
                yield from self._contractions(left, right)
        if "select" in self.scalar_ops:
            masks = [pool for pool in pools if pool.kind.dtype == "bool"]
            values = [pool for pool in pools if pool.kind.dtype != "bool"]
            for mask, left, right in itertools.product(masks, values, values):
                yield from self._selections(mask, left, right)

    def _unary(self, pool: Pool) -> Iterator[Step]:
        kind = pool.kind
        own = tuple(range(len(kind.extents)))
        for op in self.scalar_ops:
            if SCALAR_OPS[op].arity == 1 and op != "cast" and (op in _LOGICAL) == (kind.dtype == "bool"):
                yield Cellwise(op, (pool,), (own,), kind)
        for reducer in self.reducers if kind.dtype != "bool" else ():
            for axis in own:
                extents = (*kind.extents[:axis], *kind.extents[axis + 1 :])
                yield Fold(reducer, pool, axis, Kind(kind.dtype, extents))

    def _binary(self, left: Pool, right: Pool) -> Iterator[Step]:
        if left.kind.dtype != right.kind.dtype:
            return
        is_truth = left.kind.dtype == "bool"
        for op in self.scalar_ops:
            row = SCALAR_OPS[op]
            if row.arity != 2 or (op in _LOGICAL) != is_truth or (op == "div" and left.kind.dtype[0] != "f"):  # noqa: PLR2004 - binary
                continue
            if row.commutative and left.number > right.number:
                continue
            dtype: DType = "bool" if op in _COMPARISONS else left.kind.dtype
            for extents, both in _placements(left.kind.extents, right.kind.extents, self.most_axes):
                yield Cellwise(op, (left, right), both, Kind(dtype, extents))

    def _contractions(self, left: Pool, right: Pool) -> Iterator[Step]:
        a, b = left.kind.extents, right.kind.extents
        rank = len(a) + len(b) - 2
        if left.kind.dtype != right.kind.dtype or left.kind.dtype == "bool" or rank > self.most_axes:
            return
        for i, j in itertools.product(range(len(a)), range(len(b))):
            if a[i] == b[j]:
                extents = (*a[:i], *a[i + 1 :], *b[:j], *b[j + 1 :])
                yield Contraction(left, right, i, j, Kind(left.kind.dtype, extents))

    def _selections(self, mask: Pool, left: Pool, right: Pool) -> Iterator[Step]:
        extents = max((p.kind.extents for p in (mask, left, right)), key=len)
        own = [_own_places(p.kind.extents, extents) for p in (mask, left, right)]
        if left.kind.dtype == right.kind.dtype and all(own):
            places = tuple(places[0] for places in own)
            yield Cellwise("select", (mask, left, right), places, Kind(left.kind.dtype, extents))

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
            samples = np.broadcast_to(step.combine(_spread(chosen)), (len(target.samples), *counts))
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
        """Compare a block with the goal, and keep what is new."""
        for wanted, _, _ in self.goals.get(target.kind, ()):
            hits = np.flatnonzero(prints == np.uint64(wanted))
            if len(hits):
                value = self._hit(target, self._made(step, target, entries, rows, hits[:1]))
                if value is not None:
                    return value
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
        parts = []
        for k, (e, positions) in enumerate(zip(entries, step.needs(np.arange(target.size), target.shape), strict=True)):
            inverse = step.inverts_last and k == len(entries) - 1
            cells = e.inverses() if inverse else e.cells
            parts.append(np.moveaxis(cells[own[k]][:, positions], 0, -1))
        cells = np.moveaxis(step.combine(parts), -1, 0)
        block = Block(step, tuple(entries), own)
        return Entries(target.kind, target.shape, np.ascontiguousarray(cells), [block])

    # -- results

    def _hit(self, pool: Pool, entries: Entries) -> Value | None:
        """Return the value of a candidate that has the goal's cells and holds at both sets of sizes."""
        for _, wanted, axes in self.goals.get(pool.kind, ()):
            for row in np.flatnonzero((entries.cells == wanted).all(axis=1)):
                value = self.traced.confirmed(self._value(entries, int(row), axes))
                if value is not None:
                    return value
        return None

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


def _vocabulary(task: Task, grammar: Grammar, options: Options) -> tuple[list[str], list[Reducer], bool]:
    """Return the scalar functions, folds and whether contractions are tried, in a fixed order."""
    nodes = [node for _, term in task.pieces for node in walk(term)]
    folds = {node.op for node in nodes if isinstance(node, Reduce)}
    seen = {node.op for node in nodes if isinstance(node, Apply)}
    seen |= {other for op in seen for other in _WITH.get(op, ())}
    scalar = grammar.elementwise & seen if options.by_operations else grammar.elementwise
    reducers = grammar.reductions & folds if options.by_reductions else grammar.reductions
    contracts = grammar.has_contractions and (not options.by_reductions or "sum" in folds)
    plain = [op for op in sorted(scalar) if op not in ("gt", "ge", "cast")]
    return plain, sorted(reducers), contracts


def _own_places(extents: Shape, result: Shape) -> list[tuple[int, ...]]:
    """Return the ways to place axes in those of a result with the same extents."""
    choices = [[k for k, e in enumerate(result) if e == extent] for extent in extents]
    return [places for places in itertools.product(*choices) if len(set(places)) == len(places)]


def _placements(
    left: Shape, right: Shape, most_axes: int
) -> Iterator[tuple[Shape, tuple[tuple[int, ...], tuple[int, ...]]]]:
    """Yield the extents of the result of a binary function with the places of both operands' axes in it.

    The smaller operand's axes are some of the larger one's, in any order; two vectors may also span a matrix.
    """
    if len(left) >= len(right):
        yield from ((left, (tuple(range(len(left))), places)) for places in _own_places(right, left))
    else:
        yield from ((right, (places, tuple(range(len(right))))) for places in _own_places(left, right))
    if len(left) == len(right) == 1 and most_axes > 1:
        yield (*left, *right), ((0,), (1,))


def _pairs(left: Pool, right: Pool, operations: int) -> int:
    """Count the pairs of candidates that have so many operations together."""
    counts = [[len(pool.levels.get(n, ())) for n in range(operations + 1)] for pool in (left, right)]
    return sum(a * b for a, b in zip(counts[0], reversed(counts[1]), strict=True))


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
