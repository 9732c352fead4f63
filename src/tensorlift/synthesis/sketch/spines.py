"""Sketches that follow how nodes were made: sums along a spine of additions, products of sums among them.

A goal that depends on many symbols has many derivatives, and few of them say how to take it apart.  Its nodes still
know an expression: a fold over an extent is a spine of as many operations, whose k-th operand is the k-th summand.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.synthesis.derive.contraction import contract
from tensorlift.synthesis.sketch.contractions import reduction_axis
from tensorlift.synthesis.sketch.goals import Candidate, Goal
from tensorlift.synthesis.sketch.structure import FOLDS
from tensorlift.synthesis.symbolic.graph import EXTREMES
from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.comprehension.affine import Affine
    from tensorlift.synthesis.derive.scope import Value
    from tensorlift.synthesis.sketch.goals import Index
    from tensorlift.synthesis.sketch.structure import Structure
    from tensorlift.synthesis.symbolic.trace import Nodes


_PAIR = 2
_COMMUTATIVE = {"add", "mul", *EXTREMES}


class Spines:
    """Takes goals apart by spines as long as one of some extents; ``extents`` has what each is at the small sizes."""

    def __init__(self, structure: Structure, extents: Mapping[Affine, int]) -> None:
        self.structure = structure
        self.graph = structure.graph
        self.scope = structure.scope
        self.extents = {extent: count for extent, count in extents.items() if count > 1}

    def candidates(self, goal: Goal) -> Iterator[Candidate]:
        """Yield the folds, each over one of the extents, and what makes every cell besides."""
        op = self._op(goal)
        if op in FOLDS and FOLDS[op] in self.structure.grammar.reductions:
            for extent, count in self.extents.items():
                folded = self._folded(goal, op, extent, count)
                if folded is not None:
                    yield from self._products(goal, folded)
                    yield self.structure.fold(op, folded, None)
                elif op in EXTREMES:
                    yield from self._with_rest(goal, op, extent, count)
        function = self.structure.function(goal)
        if function is not None:
            yield function
            if len(function.holes) == _PAIR and op in _COMMUTATIVE:
                for holes in islice(self._split(goal), 1, None):
                    yield function._replace(holes=holes)

    def _folded(self, goal: Goal, op: str, extent: Affine, count: int) -> Goal | None:
        spines = [self._spine(node, op, count) for _, node in goal.wanted]
        return self._with_axis(goal, [spine for spine in spines if spine is not None], extent, count)

    def _with_axis(self, goal: Goal, spines: list[list[int]], extent: Affine, count: int) -> Goal | None:
        """Return the goal with one more axis, along which the operands of each cell lie; None unless all fit."""
        if len(spines) < len(goal.wanted) or any(len(spine) != count for spine in spines):
            return None
        nodes: Nodes = np.full((*goal.nodes.shape, count), FREE, np.int64)
        for (index, _), spine in zip(goal.wanted, spines, strict=True):
            nodes[index] = spine
        return Goal(nodes, (*goal.axes, reduction_axis(extent, goal.axes, self.scope)))

    def _with_rest(self, goal: Goal, op: str, extent: Affine, count: int) -> Iterator[Candidate]:
        """Yield an extreme over an axis combined with a value that all cells have among their operands."""
        listed = [self.graph.operands[node] for _, node in goal.wanted]
        for common in sorted(set(listed[0]).intersection(*listed[1:])):
            spines = [[operand for operand in operands if operand != common] for operands in listed]
            folded = self._with_axis(goal, spines, extent, count)
            if folded is not None:
                yield self.structure.fold(op, folded, goal.mapped([common] * len(listed)))

    def _spine(self, node: int, op: str, count: int) -> list[int] | None:
        """Return the operands of so many nested operations of a kind, innermost first."""
        if op in EXTREMES:
            operands = self.graph.operands[node]
            return list(operands) if len(operands) == count else None
        found: list[int] = []
        for _ in range(count - 1):
            if self.graph.op[node] != op:
                return None
            node, last = self.graph.operands[node]
            found.append(last)
        return [node, *reversed(found)]

    def _products(self, goal: Goal, folded: Goal) -> Iterator[Candidate]:
        """Yield the sums of products that a sum is, with the factors as holes."""
        name = folded.axes[-1]

        def build(values: list[Value]) -> Value | None:
            if not any(name in value.axes for value in values):
                return None
            return contract(list(values), goal.axes, self.scope)

        if self._op(goal) == "add" and self._op(folded) == "mul" and self.structure.grammar.has_contractions:
            for factors in self._split(folded):
                yield Candidate("contraction", factors, build, is_first=True)

    def _op(self, goal: Goal) -> str:
        """Return the operation that makes every cell, nothing where there is no such one."""
        ops = {self.graph.op[node] for _, node in goal.wanted}
        return ops.pop() if len(ops) == 1 else ""

    def _split(self, goal: Goal) -> Iterator[tuple[Goal, Goal]]:
        """Yield the operands of a goal whose cells have two: as they are, then apart by the axes on which they depend.

        Nodes that are equal by value are one, so that in some cells the operands may be exchanged or grouped otherwise.
        """
        operands = [self.graph.operands[node] for _, node in goal.wanted]
        first, second = (goal.mapped([pair[side] for pair in operands]) for side in (0, 1))
        yield first, second
        seen = {first.key, second.key}
        for axis in range(goal.nodes.ndim):
            factors = self._apart(goal, axis)
            if factors is not None and factors[0].key not in seen:
                seen.update(factor.key for factor in factors)
                yield factors

    def _apart(self, goal: Goal, axis: int) -> tuple[Goal, Goal] | None:
        """Return what all cells along an axis have in common, and the rest; None where one of them is nothing."""
        op = self._op(goal)
        listed = {index: Counter(self.structure.flat(node, op)) for index, node in goal.wanted}
        common: dict[Index, Counter[int]] = {}
        for index, operands in listed.items():
            fibre = index[:axis] + index[axis + 1 :]
            common[fibre] = common[fibre] & operands if fibre in common else operands
        shared = {index: common[index[:axis] + index[axis + 1 :]] for index in listed}
        if any(not shared[index] or listed[index] == shared[index] for index in listed):
            return None
        join = self.structure.joined
        kept = [join(sorted(shared[index].elements()), op) for index in listed]
        rest = [join(sorted((listed[index] - shared[index]).elements()), op) for index in listed]
        return goal.mapped(kept), goal.mapped(rest)
