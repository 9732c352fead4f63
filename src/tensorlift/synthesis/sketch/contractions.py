"""Contractions as sketches: ``T = sum A * X`` with given axes of A tied to axes of the goal, and X a hole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.affine import ZERO
from tensorlift.synthesis.derive.contraction import contract
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.construct import plus
from tensorlift.synthesis.sketch.goals import Candidate, Goal, without_constant_axes
from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.affine import Affine
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.sketch.goals import Index, Library
    from tensorlift.synthesis.symbolic.trace import Nodes
    from tensorlift.synthesis.symbolic.views import View

_KNOWN_SHARE = 0.4  # of the cells that a solution must be tried on
_EXPLAINED = 0.8  # of the derivatives may be left in a residual
_ROLES = (0, 1, 2)  # ways to distrust cells whose derivative has several causes
_LAST = 1e2  # after all others
_UNLIKELY = 1e5  # a hole with more axes than anything in sight


def reduction_axis(extent: Affine, taken: tuple[str, ...], scope: Scope) -> str:
    """Return a name for an axis of an extent that is summed over, the same in every goal where it is not taken."""
    count = 0
    while (name := f"({extent})#{count}") in taken:
        count += 1
    scope.spans.setdefault(name, (ZERO, extent))
    return name


class Contraction:
    """One way to tie an array to a goal; ``derivatives`` are those of the goal's cells by the array's nodes."""

    def __init__(
        self, library: Library, goal: Goal, view: View, derivatives: list[dict[int, int]], tie: dict[int, int]
    ) -> None:
        self.library = library
        self.graph = library.graph
        self.scope = scope = library.scope
        self.goal = goal
        self.view = view
        self.derivatives = derivatives
        self.tie = tie
        self.summed = [k for k in range(len(view.extents)) if k not in tie]
        names: list[str] = []
        for axis in self.summed:
            names.append(reduction_axis(view.extents[axis], (*goal.axes, *names), scope))
        self.axes = (*goal.axes, *names)
        own = {k: goal.axes[t] for k, t in tie.items()} | dict(zip(self.summed, names, strict=True))
        self.value = Value(view.expression, tuple(own[k] for k in range(len(view.extents))))

    def candidates(self, *, is_full: bool) -> Iterator[Candidate]:
        """Yield the contraction where it explains the goal, and the contraction plus a rest where it does in part."""
        for distrust in _ROLES:
            other = self._other(distrust)
            reduced = without_constant_axes(other)
            if not reduced.wanted:
                return
            reduced = self._completed(reduced)
            if len(reduced.axes) == len(self.axes) and self.summed and not is_full:
                continue
            rests = self._rests(reduced)
            known = [r for r in rests if r is not None]
            if len(known) < _KNOWN_SHARE * len(rests):
                continue
            if not any(self.graph.value[r] for r in known) and len(known) == len(rests):
                yield Candidate("contraction", (reduced,), self._build, penalty=self._penalty(reduced))
                return
            rest = self.goal.mapped([FREE if r is None else r for r in rests])
            if (not is_full or distrust) and self._is_simpler(rest):
                yield Candidate("contraction and rest", (reduced, rest), self._build, penalty=2e-3)
                return

    def _penalty(self, reduced: Goal) -> float:
        """Put off contractions with arrays of more axes than anything in sight, tables of numbers, diagonals."""
        if reduced.nodes.ndim > max(2, len(self.goal.axes), len(self.view.extents)):
            return _UNLIKELY
        is_table = reduced.axes and not reduced.support(self.graph) & self.graph.cells
        return _LAST if is_table or self._is_diagonal(reduced) else 0.0

    def _is_diagonal(self, reduced: Goal) -> bool:
        """Tell whether each cell of the goal takes one cell of the array at most: no sum is needed for that."""
        summed = tuple(k for k, axis in enumerate(reduced.axes) if axis not in self.goal.axes)
        if not summed:
            return False
        zero = self.graph.zero(self.goal.dtype(self.graph))
        counts = ((reduced.nodes != zero) & (reduced.nodes != FREE)).sum(axis=summed)
        return reduced.nodes.size > counts.size and int(counts.max()) <= 1

    def _completed(self, reduced: Goal) -> Goal:
        """Fill cells that are not known from a view that agrees with all others."""
        if len(reduced.wanted) < reduced.nodes.size:
            for nodes, _ in self.library.matching(reduced):
                if bool(((nodes == reduced.nodes) | (reduced.nodes == FREE)).all()):
                    return Goal(nodes, reduced.axes)
        return reduced

    def _cells(self, index: Index) -> Iterator[tuple[Index, int]]:
        """Yield the positions of the summed axes, with the array's node there, for a cell of the goal."""
        extents = [self.view.nodes.shape[k] for k in self.summed]
        for position in np.ndindex(*extents):
            full = [0] * self.view.nodes.ndim
            for axis, place in self.tie.items():
                full[axis] = index[place]
            for axis, place in zip(self.summed, position, strict=True):
                full[axis] = place
            yield position, int(self.view.nodes[tuple(full)])

    def _other(self, distrust: int) -> Goal:
        """Return the other factor: the derivatives, divided by the degree in which the array's cell occurs."""
        graph = self.graph
        shape = (*self.goal.nodes.shape, *(self.view.nodes.shape[k] for k in self.summed))
        nodes: Nodes = np.full(shape, FREE, np.int64)
        zero = graph.zero(self.goal.dtype(graph))
        for (index, _), row in zip(self.goal.wanted, self.derivatives, strict=True):
            for position, variable in self._cells(index):
                if distrust and self._is_ambiguous(index, position, distrust):
                    continue
                slope = row.get(variable)
                nodes[index + position] = zero if slope is None else self._coefficient(slope, variable)
        return Goal(nodes, self.axes)

    def _coefficient(self, slope: int, variable: int) -> int:
        graph = self.graph
        second = graph.derivative(slope, variable)
        if second is None or not graph.value[second]:
            return FREE if second is None else slope
        degree = graph.as_constant(graph.div(graph.mul(second, variable), slope))
        if degree is None or degree == -1:
            return FREE
        return graph.div(slope, graph.constant(degree + 1, graph.dtype[slope]))

    def _is_ambiguous(self, index: Index, position: Index, distrust: int) -> bool:
        """Tell whether another tie of the array explains the same derivative: a cell with equal indices does."""
        extents = self.goal.nodes.shape
        tied = set(self.tie.values())
        if any(index[t] == index[u] for t in tied for u in range(len(index)) if t != u and extents[t] == extents[u]):
            return True
        if distrust == 1:
            return False
        full = dict(zip(self.summed, position, strict=True)) | {k: index[t] for k, t in self.tie.items()}
        return any(
            full[k] == index[u]
            for k in range(self.view.nodes.ndim)
            for u in range(len(index))
            if self.tie.get(k) != u and self.view.nodes.shape[k] == extents[u]
        )

    def _rests(self, reduced: Goal) -> list[int | None]:
        """Return what the contraction leaves of each cell, None where it is not known."""
        graph = self.graph
        places = [self.axes.index(axis) for axis in reduced.axes]
        rests: list[int | None] = []
        for index, node in self.goal.wanted:
            total = graph.zero(graph.dtype[node])
            for position, variable in self._cells(index):
                full = index + position
                factor = int(reduced.nodes[tuple(full[p] for p in places)])
                if factor == FREE:
                    rests.append(None)
                    break
                total = graph.add(total, graph.mul(variable, factor))
            else:
                rests.append(graph.sub(node, total))
        return rests

    def _is_simpler(self, rest: Goal) -> bool:
        """Tell whether the rest depends on fewer cells of the array."""
        graph = self.graph
        variables = [int(v) for v in self.view.nodes.flat]
        left = 0
        for _, node in rest.wanted:
            slopes = [graph.derivative(node, v) for v in variables if graph.support[node] & graph.bit[v]]
            if None in slopes:
                return False
            left += sum(bool(graph.value[s]) for s in slopes if s is not None)
        return left < _EXPLAINED * sum(map(len, self.derivatives))

    def _build(self, values: list[Value]) -> Value:
        total = contract([self.value, values[0]], self.goal.axes, self.scope)
        return total if len(values) == 1 else plus(values[1], total, self.scope)
