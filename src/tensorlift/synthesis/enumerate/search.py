"""Bottom-up enumeration: all candidates with one operation, with two, and so on, until one has the goal's cells.

    leaves -> for each number of operations: every step between pools -> fingerprints of whole blocks
           -> those of the goal? compared in every cell -> those not seen: all their cells, kept for larger candidates

Nothing is built, typed or compared one by one: a block is a few array operations.  Candidates that compute what another
one does (*observational equivalence*) are dropped.  The budget is a number of candidates, so that the same input gives
the same program.
"""

from __future__ import annotations

import itertools
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.synthesis.enumerate.heuristics import WITH, Folds, Leaves, folds_of
from tensorlift.synthesis.enumerate.levels import Levels, Options, Statistics
from tensorlift.synthesis.enumerate.monomials import Monomials, TooMany
from tensorlift.synthesis.enumerate.pools import Kind, Pool
from tensorlift.synthesis.enumerate.steps import Cellwise, Fold, Step
from tensorlift.synthesis.sketch.goals import Goal, extents_of, without_constant_axes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.enumerate.goals import Aim
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.symbolic.task import Task
    from tensorlift.synthesis.symbolic.views import View

_FOLDED = {"sum": "add", "prod": "mul"}
_COMPARISONS = frozenset({"lt", "le", "eq", "ne"})
_LOGICAL = frozenset({"and", "or", "not"})


class Enumeration(Levels):
    """One bottom-up search for the goal of a task, or for a part of it."""

    def __init__(self, aim: Aim, grammar: Grammar, options: Options, statistics: Statistics, leaves: Leaves) -> None:
        traced = aim.traced
        goal = without_constant_axes(Goal(aim.cells[0], traced.task.axes))
        super().__init__(aim, goal, options, statistics)
        self.folds = folds_of(traced.task) if options.by_reductions else None
        self.scalar_ops, self.reducers, self.contracts = _vocabulary(traced.task, grammar, options, self.folds)
        masks = leaves.masks if grammar.has("select") else []
        if masks:
            self.scalar_ops = sorted({*self.scalar_ops, "select"})
        self.monomials = _monomials_of(self.goal, aim, options)
        self.set_goal()
        for view in (*leaves.views, *leaves.numbers, *masks):
            self._enter_leaf(view)
        for view in leaves.constants:
            self._enter_leaf(view, 1)
        self.most_axes = max(len(self.goal.axes), *(len(kind.extents) for kind in self.pools), 1)

    def _enter_leaf(self, view: View, level: int = 0) -> None:
        """Keep a leaf unless it cannot become a part of the goal."""
        if self.monomials is None:
            self._enter(view, level)
            return
        with suppress(TooMany):
            own = self.monomials.of(view.nodes.ravel().tolist())
            if self.monomials.distance(own) is not None:
                self._enter(view, level, own)

    def set_goal(self) -> None:
        """Look for the goal in each order of its axes."""
        extents = extents_of(self.goal, self.scope)
        self._extents = Counter(extents)
        for order in itertools.permutations(range(len(extents))):
            axes = tuple(self.goal.axes[k] for k in order)
            self._seek(tuple(extents[k] for k in order), np.transpose(self.goal.nodes, order), axes)

    # -- steps

    def _steps(self, level: int) -> Iterator[Step]:
        """Yield the steps between the kinds that there are from which the goal is not too far."""
        left, found = self.options.operations - level, []
        for step in self._typed(level):
            if self._distance(step.result) <= left:
                found.append(step)
            else:
                self.statistics.filtered += _products(step, level - 1)
        yield from sorted(found, key=lambda step: step.result.type not in self.goals)

    def _distance(self, kind: Kind) -> int:
        """Return how many operations it takes at least to make the goal of a kind.

        Each operation takes one axis away at most, and a truth value is the condition of a selection.
        """
        surplus = Counter(kind.extents) - self._extents
        axes = surplus.total()
        if len(self._folded(tuple(surplus))) < len(surplus) or (axes and not self.reducers and not self.contracts):
            return self.options.operations + 1
        types = kind.dtype == "bool" and all(dtype != "bool" for dtype, _ in self.goals)
        steps = 0
        if self.monomials is not None and kind.monomials is not None and "prod" not in self.reducers:
            steps = self.monomials.distance(kind.monomials) or 0
        return max(axes, int(types), steps)

    def _kind(self, dtype: DType, extents: Shape, op: str, *operands: Pool) -> Kind | None:
        """Return the kind of a function of candidates, None where that cannot become a part of the goal."""
        if self.monomials is None:
            return Kind(dtype, extents)
        made = self.monomials.made(op, [pool.kind.monomials or frozenset() for pool in operands])
        return None if made is None else Kind(dtype, extents, made)

    def _typed(self, level: int) -> Iterator[Step]:
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
                made = self._kind(kind.dtype, kind.extents, op, pool)
                if made is not None:
                    yield Cellwise(op, (pool,), (own,), made)
        for reducer in self.reducers if kind.dtype != "bool" else ():
            for axis in self._folded(kind.extents):
                extents = (*kind.extents[:axis], *kind.extents[axis + 1 :])
                operands = (pool,) * (pool.shape[axis] if reducer == "prod" else 1)
                made = self._kind(kind.dtype, extents, _FOLDED.get(reducer, reducer), *operands)
                if made is not None:
                    yield Fold(reducer, (pool,), (axis,), made)

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
            made = self._kind("bool" if op in _COMPARISONS else left.kind.dtype, (), op, left, right)
            if made is None:
                continue
            for extents, both in _placements(left.kind.extents, right.kind.extents, self.most_axes):
                yield Cellwise(op, (left, right), both, made._replace(extents=extents))

    def _contractions(self, left: Pool, right: Pool) -> Iterator[Step]:
        a, b = left.kind.extents, right.kind.extents
        rank = len(a) + len(b) - 2
        if left.kind.dtype != right.kind.dtype or left.kind.dtype == "bool" or rank > self.most_axes:
            return
        made = self._kind(left.kind.dtype, (), "mul", left, right)
        if made is None:
            return
        for i, j in itertools.product(self._folded(a), range(len(b))):
            if a[i] == b[j]:
                extents = (*a[:i], *a[i + 1 :], *b[:j], *b[j + 1 :])
                yield Fold("sum", (left, right), (i, j), made._replace(extents=extents))

    def _folded(self, extents: Shape) -> list[int]:
        """Return the axes along which to fold."""
        return [k for k, e in enumerate(extents) if self.folds is None or e in self.folds.extents]

    def _selections(self, mask: Pool, left: Pool, right: Pool) -> Iterator[Step]:
        extents = max((p.kind.extents for p in (mask, left, right)), key=len)
        if left.kind.dtype != right.kind.dtype:
            return
        own = [_own_places(p.kind.extents, extents) for p in (mask, left, right)]
        made = self._kind(left.kind.dtype, extents, "select", mask, left, right) if all(own) else None
        if made is not None:
            for places in itertools.product(*own):
                yield Cellwise("select", (mask, left, right), places, made)


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


def _monomials_of(goal: Goal, aim: Aim, options: Options) -> Monomials | None:
    """Return what candidates may multiply, None where that is not to count or would be much."""
    if options.by_monomials:
        with suppress(TooMany):
            return Monomials(aim.graph, [node for _, node in goal.wanted])
    return None


def _products(step: Step, operations: int) -> int:
    """Count the candidates of a step whose operands have so many operations together."""
    counts = [1]
    for pool in step.operands:
        own = [len(pool.levels.get(n, ())) for n in range(operations + 1)]
        counts = np.convolve(counts, own)[: operations + 1].tolist()
    return counts[operations] if len(counts) > operations else 0


def _pairs(left: Pool, right: Pool, operations: int) -> int:
    """Count the pairs of candidates that have so many operations together."""
    counts = [[len(pool.levels.get(n, ())) for n in range(operations + 1)] for pool in (left, right)]
    return sum(a * b for a, b in zip(counts[0], reversed(counts[1]), strict=True))


__all__ = ["Enumeration", "Options", "Statistics"]
