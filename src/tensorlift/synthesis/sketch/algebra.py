"""Sketches that are solved by algebra: a goal is taken apart by one array on which it depends.

With ``A`` a view or an array of opaque values, and ``T`` the goal, cell by cell:

- homogeneous of degree d: ``T = A**d * X``; putting one for A gives X;
- a polynomial in A's own cell: ``T = T0 + A * X`` (Horner); putting zero for A gives T0, X follows from derivatives;
- linear in many cells of A: ``T = sum A * X``, a contraction whose X are the derivatives;
- otherwise ``T = T0 + T1`` with T0 free of A.

Each X and T0 is a hole: a goal of its own.  A sketch is proposed only where putting the solution in gives the goal
back.

In a contraction ``T = sum A * X`` given axes of A are tied to axes of the goal.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import ZERO
from tensorlift.synthesis.derive.contraction import contract
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.construct import over, plus, power, times
from tensorlift.synthesis.sketch.goals import Candidate, Goal, extents_of, ties, without_constant_axes
from tensorlift.synthesis.symbolic.field import PRIME
from tensorlift.synthesis.symbolic.graph import Undefined
from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.poly.affine import Affine
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.sketch.goals import Index, Library
    from tensorlift.synthesis.symbolic.trace import Nodes
    from tensorlift.synthesis.symbolic.views import View


_HIGHEST_DEGREE = 6
_MOST_PARTIAL_TIES = 4

ValueOf = Callable[[list[Value]], Value]  # of the array, from what the holes turned out to be
Derivatives = list[dict[int, int]]  # for each cell of the goal, by the array's node


class Peeling:
    """Takes goals apart by views."""

    def __init__(self, library: Library, grammar: Grammar) -> None:
        self.library = library
        self.graph = library.graph
        self.scope = library.scope
        self.grammar = grammar

    def candidates(self, goal: Goal, view: View) -> Iterator[Candidate]:
        """Yield the sketches that use a view of an array, or a scalar."""
        derivatives = self._derivatives(goal, [int(n) for n in view.nodes.flat])
        if derivatives is None:
            return
        extents = extents_of(goal, self.scope)
        for tie in ties(view.extents, extents):
            if len(tie) < len(view.extents):
                break
            own = self._own_cells(goal, view, tie)
            value = Value(view.expression, tuple(goal.axes[tie[k]] for k in range(len(tie))))
            is_only = all(set(row) <= {cell} for row, cell in zip(derivatives, own, strict=True))
            if is_only:
                yield from self.cellwise(goal, own, derivatives, _always(value), ())
            elif all(cell in row for row, cell in zip(derivatives, own, strict=True)):
                # one point of a stencil: other cells of the array are other views of it
                for candidate in self._horner(goal, own, _always(value), ()):
                    yield candidate._replace(tag="point of a stencil")
        yield from self._sums(goal, view, derivatives)

    def hidden(self, goal: Goal, inner: Goal) -> Iterator[Candidate]:
        """Yield the sketches that use an array of opaque values, which is a hole itself."""
        own = [node for _, node in inner.wanted]
        derivatives = self._derivatives(goal, own)
        if derivatives is not None and all(set(r) <= {c} for r, c in zip(derivatives, own, strict=True)):
            yield from self.cellwise(goal, own, derivatives, lambda values: values[0], (inner,))

    def _derivatives(self, goal: Goal, variables: list[int]) -> Derivatives | None:
        """Return the derivatives that are not zero; None where a cell is no polynomial or quotient of the variables."""
        graph = self.graph
        rows: Derivatives = []
        for _, node in goal.wanted:
            row = {}
            for variable in variables:
                if graph.support[node] & graph.bit.get(variable, 0):
                    slope = graph.derivative(node, variable)
                    if slope is None:
                        return None
                    if graph.value[slope]:
                        row[variable] = slope
            rows.append(row)
        return rows

    @staticmethod
    def _own_cells(goal: Goal, view: View, tie: dict[int, int]) -> list[int]:
        return [int(view.nodes[tuple(index[tie[k]] for k in range(len(tie)))]) for index, _ in goal.wanted]

    # -- cell by cell

    def cellwise(
        self, goal: Goal, own: list[int], derivatives: Derivatives, value_of: ValueOf, holes: tuple[Goal, ...]
    ) -> Iterator[Candidate]:
        """Yield products and polynomials of a value with one node ``own`` for each cell of the goal."""
        try:
            degree = self._degree(goal, own, derivatives)
            if degree is not None and self.grammar.has("mul" if degree > 0 else "div"):
                candidate = self._factor(goal, own, degree, value_of, holes)
                yield candidate._replace(is_first=len(set(own)) == 1 and len(own) > 1)
            else:
                yield from self._horner(goal, own, value_of, holes)
        except Undefined:
            return

    def _degree(self, goal: Goal, own: list[int], derivatives: Derivatives) -> int | None:
        """Return the degree in which every cell is homogeneous in its variable, None where there is no such degree."""
        graph = self.graph
        degrees: set[Fraction | None] = set()
        for (_, node), variable, row in zip(goal.wanted, own, derivatives, strict=True):
            if not graph.value[node]:
                continue
            slope = row.get(variable)
            if slope is None:
                return None
            quotient = graph.value[slope] * graph.value[variable] * pow(graph.value[node], -1, PRIME) % PRIME
            degrees.add(graph.ratio(quotient))
            if len(degrees) > 1:
                return None
        degree = degrees.pop() if degrees else None
        if degree is None or degree.denominator != 1 or not 0 < abs(degree) <= _HIGHEST_DEGREE:
            return None
        return int(degree) if degree > 0 or is_float(goal.dtype(graph)) else None

    def _factor(self, goal: Goal, own: list[int], degree: int, value_of: ValueOf, holes: tuple[Goal, ...]) -> Candidate:
        graph = self.graph
        one = graph.one(goal.dtype(graph))
        rest = [graph.substitute(n, {v: one}, graph.bit[v], {}) for (_, n), v in zip(goal.wanted, own, strict=True)]

        def build(values: list[Value]) -> Value:
            factor = power(value_of(values), abs(degree), self.scope)
            return times(factor, values[-1], self.scope) if degree > 0 else over(values[-1], factor, self.scope)

        return Candidate(f"factor**{degree}", (*holes, goal.mapped(rest)), build)

    def _horner(self, goal: Goal, own: list[int], value_of: ValueOf, holes: tuple[Goal, ...]) -> Iterator[Candidate]:
        constants, slopes = [], []
        for (_, node), variable in zip(goal.wanted, own, strict=True):
            split = self._split(node, variable)
            if split is None:
                return
            constants.append(split[0])
            slopes.append(split[1])

        def build(values: list[Value]) -> Value:
            return plus(values[-2], times(value_of(values), values[-1], self.scope), self.scope)

        if self.grammar.has("add") and self.grammar.has("mul"):
            yield Candidate("polynomial", (*holes, goal.mapped(constants), goal.mapped(slopes)), build)

    def _split(self, node: int, variable: int) -> tuple[int, int] | None:
        """Return T0 and X with ``T = T0 + variable * X``, where T is a polynomial in the variable."""
        graph = self.graph
        dtype = graph.dtype[node]
        at_zero = {variable: graph.zero(dtype)}
        coefficients: list[int] = []
        rest: int | None = node
        factorial = 1
        for power_ in range(_HIGHEST_DEGREE + 1):
            if rest is None:
                return None
            value = graph.substitute(rest, at_zero, graph.bit[variable], {})
            coefficients.append(graph.div(value, graph.constant(factorial, dtype)))
            rest = graph.derivative(rest, variable)
            if rest is not None and not graph.value[rest]:
                break
            factorial *= power_ + 1
        else:
            return None
        slope = graph.zero(dtype)
        for coefficient in reversed(coefficients[1:]):
            slope = graph.add(graph.mul(slope, variable), coefficient)
        return (coefficients[0], slope) if graph.add(coefficients[0], graph.mul(variable, slope)) == node else None

    # -- sums over cells

    def _sums(self, goal: Goal, view: View, derivatives: Derivatives) -> Iterator[Candidate]:
        if not view.extents or not any(derivatives):
            return
        try:
            if not self._is_homogeneous(goal, derivatives):
                yield from self._split_off(goal, view, derivatives)
                return
            yield from self._common_factor(goal, derivatives)
            if self.grammar.has_contractions:
                yield from self._contractions(goal, view, derivatives)
        except Undefined:
            return

    def _is_homogeneous(self, goal: Goal, derivatives: Derivatives) -> bool:
        """Tell whether all cells are homogeneous of one degree in all cells of the array together."""
        graph = self.graph
        degrees = set()
        for (_, node), row in zip(goal.wanted, derivatives, strict=True):
            if graph.value[node]:
                total = sum(graph.value[v] * graph.value[slope] for v, slope in row.items()) % PRIME
                degrees.add(graph.ratio(total * pow(graph.value[node], -1, PRIME) % PRIME))
            if len(degrees) > 1:
                return False
        return not degrees & {None, Fraction(0)}

    def _common_factor(self, goal: Goal, derivatives: Derivatives) -> Iterator[Candidate]:
        """Propose ``number * X`` where all cells of the array have the same number as their coefficient."""
        graph = self.graph
        slopes = {slope for row in derivatives for slope in row.values()}
        number = graph.as_constant(next(iter(slopes)))
        if len(slopes) == 1 and number is not None and number not in (0, 1):
            (slope,) = slopes
            value = self.scope.number(number, goal.dtype(graph))
            hole = goal.mapped([graph.div(node, slope) for _, node in goal.wanted])
            yield Candidate("number", (hole,), lambda values: times(values[0], value, self.scope), is_first=True)

    def _split_off(self, goal: Goal, view: View, derivatives: Derivatives) -> Iterator[Candidate]:
        """Propose ``T0 + T1`` with T0 what is left without the array."""
        graph = self.graph
        zero = graph.zero(goal.dtype(graph))
        at_zero = {int(v): zero for v in view.nodes.flat}
        bits = 0
        for variable in at_zero:
            bits |= graph.bit[variable]
        memo: dict[int, int] = {}
        without, rest = [], []
        for (_, node), row in zip(goal.wanted, derivatives, strict=True):
            free = graph.substitute(node, at_zero, bits, memo)
            linear = zero
            for variable, slope in row.items():
                linear = graph.add(linear, graph.mul(variable, graph.substitute(slope, at_zero, bits, memo)))
            without.append(free)
            rest.append(linear if graph.add(free, linear) == node else graph.sub(node, free))
        if any(graph.value[n] for n in without) and any(graph.value[n] for n in rest):
            holes = (goal.mapped(without), goal.mapped(rest))
            yield Candidate("split sum", holes, lambda values: plus(values[0], values[1], self.scope))

    def _contractions(self, goal: Goal, view: View, derivatives: Derivatives) -> Iterator[Candidate]:
        position = {int(node): index for index, node in np.ndenumerate(view.nodes)}
        total = sum(map(len, derivatives))
        covered = []
        for tie in ties(view.extents, extents_of(goal, self.scope)):
            count = sum(
                all(position[v][d] == index[t] for d, t in tie.items())
                for (index, _), row in zip(goal.wanted, derivatives, strict=True)
                for v in row
            )
            covered.append((count, tie))
        full = [tie for count, tie in covered if count == total]
        most = max((len(tie) for tie in full), default=-1)
        chosen = [(tie, True) for tie in full if len(tie) == most < len(view.extents)]
        if not chosen or most < 1:
            partial = [(count, tie) for count, tie in covered if 0 < count < total and tie]
            partial.sort(key=lambda entry: (-len(entry[1]), -entry[0]))
            few = [e for e in partial if len(e[1]) < len(view.extents)][:_MOST_PARTIAL_TIES]
            chosen += [(tie, False) for _, tie in few]
            chosen += [(tie, False) for _, tie in partial if len(tie) == len(view.extents)][:2]
        for tie, is_full in chosen:
            yield from Contraction(self.library, goal, view, derivatives, tie).candidates(is_full=is_full)


def _always(value: Value) -> ValueOf:
    """Return the array where it is no hole."""
    return lambda _: value


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
