"""Bottom-up enumeration: all candidates with one operation, with two, and so on, until one has the goal's cells.

    leaves -> for each number of operations: every step between pools -> fingerprints of whole blocks
           -> those of the goal? compared in every cell -> those not seen: all their cells, kept for larger candidates

Nothing is built, typed or compared one by one: a block is a few array operations.  Candidates that compute what another
one does (*observational equivalence*) are dropped.  The budget is a number of candidates, so that the same input gives
the same program.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.synthesis.enumerate.heuristics import WITH, Folds, folds_of, leaves_of
from tensorlift.synthesis.enumerate.levels import Kind, Levels, Options, Pool, Statistics
from tensorlift.synthesis.enumerate.steps import Cellwise, Fold, Step
from tensorlift.synthesis.sketch.goals import Goal, extents_of, without_constant_axes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.symbolic.covering import Traced
    from tensorlift.synthesis.symbolic.task import Task

_COMPARISONS = frozenset({"lt", "le", "eq", "ne"})
_LOGICAL = frozenset({"and", "or", "not"})


class Enumeration(Levels):
    """One bottom-up search for the goal of a task."""

    def __init__(self, traced: Traced, grammar: Grammar, options: Options, statistics: Statistics) -> None:
        goal = without_constant_axes(Goal(traced.cells[0], traced.task.axes))
        super().__init__(traced, goal, options, statistics)
        self.folds = folds_of(traced.task) if options.by_reductions else None
        self.scalar_ops, self.reducers, self.contracts = _vocabulary(traced.task, grammar, options, self.folds)
        leaves = leaves_of(traced)
        for view in (*leaves.views, *leaves.numbers):
            self._enter(view)
        self.most_axes = max(len(self.goal.axes), *(len(kind.extents) for kind in self.pools), 1)

    def set_goal(self) -> None:
        """Take the fingerprints of the goal in each order of its axes."""
        values = self._values(self.goal.nodes).reshape(self.goal.nodes.shape)
        extents = extents_of(self.goal, self.scope)
        self.goals = {}
        for order in itertools.permutations(range(len(extents))):
            cells, axes = np.transpose(values, order).reshape(-1), tuple(self.goal.axes[k] for k in order)
            self._seek(tuple(extents[k] for k in order), cells, axes)

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
            if SCALAR_OPS[op].arity == 1 and (op in _LOGICAL) == (kind.dtype == "bool"):
                yield Cellwise(op, (pool,), (own,), kind)
        for reducer in self.reducers if kind.dtype != "bool" else ():
            for axis in self._folded(kind.extents):
                extents = (*kind.extents[:axis], *kind.extents[axis + 1 :])
                yield Fold(reducer, (pool,), (axis,), Kind(kind.dtype, extents))

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
        for i, j in itertools.product(self._folded(a), range(len(b))):
            if a[i] == b[j]:
                extents = (*a[:i], *a[i + 1 :], *b[:j], *b[j + 1 :])
                yield Fold("sum", (left, right), (i, j), Kind(left.kind.dtype, extents))

    def _folded(self, extents: Shape) -> list[int]:
        """Return the axes along which to fold."""
        return [k for k, e in enumerate(extents) if self.folds is None or e in self.folds.extents]

    def _selections(self, mask: Pool, left: Pool, right: Pool) -> Iterator[Step]:
        extents = max((p.kind.extents for p in (mask, left, right)), key=len)
        own = [_own_places(p.kind.extents, extents) for p in (mask, left, right)]
        if left.kind.dtype == right.kind.dtype and all(own):
            places = tuple(places[0] for places in own)
            yield Cellwise("select", (mask, left, right), places, Kind(left.kind.dtype, extents))


def _vocabulary(
    task: Task, grammar: Grammar, options: Options, folds: Folds | None
) -> tuple[list[str], list[Reducer], bool]:
    """Return the scalar functions, folds and whether contractions are tried, in a fixed order."""
    seen = {node.op for _, term in task.pieces for node in walk(term) if isinstance(node, Apply)}
    seen |= {other for op in seen for other in WITH.get(op, ())}
    scalar = grammar.elementwise & seen if options.by_operations else grammar.elementwise
    reducers = grammar.reductions if folds is None else grammar.reductions & folds.reducers
    contracts = grammar.has_contractions and (folds is None or "sum" in folds.reducers)
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


__all__ = ["Enumeration", "Options", "Statistics"]
