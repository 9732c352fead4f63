"""Sketches that take goals apart along what their cells are computed by: functions, folds, regions of cells.

*Spines*: a goal that depends on many symbols has many derivatives, and few of them say how to take it apart.  Its nodes
still know an expression: a fold over an extent is a spine of as many operations, whose k-th operand is the k-th
summand.
"""

from __future__ import annotations

from collections import Counter
from functools import partial, reduce
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.derive.contraction import contract
from tensorlift.synthesis.derive.elementwise import guarded_operands
from tensorlift.synthesis.derive.reductions import start_of
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.algebra import reduction_axis
from tensorlift.synthesis.sketch.construct import folded, minus, number_of, over, plus, power, times, total
from tensorlift.synthesis.sketch.goals import Candidate, Goal, extents_of, ties, without_constant_axes
from tensorlift.synthesis.symbolic.graph import ARITHMETIC, EXTREMES
from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Expression
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.sketch.goals import Index, Library
    from tensorlift.synthesis.symbolic.trace import Cells, Nodes
    from tensorlift.synthesis.symbolic.views import View


FOLDS: dict[str, Reducer] = {
    "add": "sum", "mul": "prod", "max": "max", "min": "min", "fmax": "fmax", "fmin": "fmin",
}  # fmt: skip
_FARTHEST_DIAGONAL = 2
_LEAST_SHARE = 0.15  # of a matrix that a region other than a diagonal must have
_LAST = 1e3  # a penalty that puts a sketch after all others


class Structure:
    """Takes goals apart by what their nodes are."""

    def __init__(self, library: Library, grammar: Grammar) -> None:
        self.library = library
        self.graph = library.graph
        self.scope = library.scope
        self.grammar = grammar

    # -- functions

    def hidden(self, goal: Goal) -> Iterator[Goal]:
        """Yield the arrays of opaque values in a goal: each cell has as many, made in the same order."""
        listed = [self._opaque_in(node) for _, node in goal.wanted]
        if not listed or len({len(nodes) for nodes in listed}) != 1:
            return
        for nodes in zip(*listed, strict=True):
            if len({self.graph.op[n] for n in nodes}) == 1:
                yield goal.mapped(nodes)

    def _opaque_in(self, node: int) -> list[int]:
        """Return the outermost opaque nodes that are no symbols, oldest first."""
        found: set[int] = set()
        seen: set[int] = set()
        stack = [node]
        while stack:
            top = stack.pop()
            if top in seen:
                continue
            seen.add(top)
            op = self.graph.op[top]
            if op in ARITHMETIC:
                stack.extend(self.graph.operands[top])
            elif op not in ("symbol", "constant"):
                found.add(top)
        return sorted(found)

    def function(self, goal: Goal) -> Candidate | None:
        """Return the function that makes every cell, with its operands as holes, None where there is no such one."""
        graph = self.graph
        ops = {(graph.op[node], len(graph.operands[node])) for _, node in goal.wanted}
        if len(ops) != 1:
            return None
        op, count = ops.pop()
        if op in ("symbol", "constant") or not (op == "cast" or self.grammar.has(op)):
            return None
        holes = tuple(goal.mapped([graph.operands[node][k] for _, node in goal.wanted]) for k in range(count))
        if op == "mul" and holes[0].key == holes[1].key:
            return Candidate("square", holes[:1], lambda values: power(values[0], 2, self.scope), is_first=True)
        if op in ARITHMETIC:
            combine = _ARITHMETIC[op]
            if op == "div" and not is_float(goal.dtype(graph)):
                return None
            is_sum = op in ("add", "sub")  # products stay together: to expand them would lose digits
            penalty = 1.0 if is_sum else 0.0
            return Candidate(op, holes, lambda v: combine(v[0], v[1], self.scope), penalty=penalty, is_first=not is_sum)
        dtype = goal.dtype(graph)
        return Candidate(op, holes, lambda values: self._applied(op, values, dtype), is_guarded=op == "select")

    def _applied(self, op: str, values: list[Value], dtype: DType) -> Value:
        is_indicator = op == "select" and number_of(values[1]) == 1 and number_of(values[2]) == 0
        if op == "cast" or is_indicator:
            return self.scope.converted(values[0], dtype)
        if op in EXTREMES:
            return reduce(lambda a, b: self.scope.combined(op, a, b), values)
        return self.scope.combined(op, *guarded_operands(op, values, self.scope))

    # -- folds

    def folds(self, goal: Goal) -> Iterator[Candidate]:
        """Yield sums, products and extremes over an axis of a view: each operand belongs to one slice of the view."""
        graph = self.graph
        ops = {graph.op[node] for _, node in goal.wanted}
        if len(ops) != 1 or (op := ops.pop()) not in FOLDS or FOLDS[op] not in self.grammar.reductions:
            return
        operands = [self.flat(node, op) for _, node in goal.wanted]
        seen: set[bytes] = set()
        for view in self.library.views:
            for axis in range(view.nodes.ndim):
                found = self._grouped(goal, operands, op, view, axis)
                if found is None or found[0].nodes.tobytes() in seen:
                    continue
                seen.add(found[0].nodes.tobytes())
                yield self.fold(op, *found)
        for window in self.library.windows:
            yield from self._along(goal, window, op)

    def _along(self, goal: Goal, window: View, op: str) -> Iterator[Candidate]:
        """Yield the fold of windows along all their axes that are none of the goal's, as one along the first of them.

        No operand belongs to one slice here: windows share cells.
        """
        for tie in ties(window.extents, extents_of(goal, self.scope)):
            inner = [axis for axis in range(len(window.extents)) if axis not in tie]
            if len(tie) < len(goal.axes) or not inner:
                continue
            nodes = np.transpose(window.nodes, [*sorted(tie, key=tie.__getitem__), *inner])
            if any(self.joined(nodes[index].ravel().tolist(), op) != node for index, node in goal.wanted):
                continue
            shape = nodes.shape[: len(goal.axes) + 1]
            parts = [self.joined(nodes[index].ravel().tolist(), op) for index in np.ndindex(*shape)]
            name = reduction_axis(window.extents[inner[0]], goal.axes, self.scope)
            yield self.fold(op, Goal(np.array(parts, np.int64).reshape(shape), (*goal.axes, name)), None)

    def flat(self, node: int, op: str) -> list[int]:
        """Return the operands of nested operations of one kind."""
        found, stack = [], [node]
        while stack:
            top = stack.pop()
            if self.graph.op[top] == op:
                stack.extend(reversed(self.graph.operands[top]))
            else:
                found.append(top)
        return found

    def _grouped(
        self, goal: Goal, operands: list[list[int]], op: str, view: View, axis: int
    ) -> tuple[Goal, Goal | None] | None:
        """Sort the operands by slices of the view: what is folded, with one more axis, and what belongs to no slice."""
        graph, extent = self.graph, view.nodes.shape[axis]
        if extent > min(map(len, operands)) or extent == 1:
            return None
        bits = []
        for k in range(extent):
            slice_bits = 0
            for node in np.take(view.nodes, k, axis).flat:
                slice_bits |= graph.bit[int(node)]
            bits.append(slice_bits)
        name = reduction_axis(view.extents[axis], goal.axes, self.scope)
        folded: Nodes = np.full((*goal.nodes.shape, extent), FREE, np.int64)
        rests: list[int] = []
        for (index, _), listed in zip(goal.wanted, operands, strict=True):
            groups, rest = _by_slice(listed, bits, graph.support)
            if groups is None:
                return None
            for k, group in enumerate(groups):
                folded[*index, k] = self.joined(group, op)
            rests.append(self.joined(rest, op) if rest else FREE)
        if all(r == FREE for r in rests):
            return Goal(folded, (*goal.axes, name)), None
        if any(r == FREE for r in rests):
            if op != "add":
                return None
            zero = graph.zero(goal.dtype(graph))
            rests = [zero if r == FREE else r for r in rests]
        return Goal(folded, (*goal.axes, name)), goal.mapped(rests)

    def joined(self, nodes: list[int], op: str) -> int:
        """Return nodes combined by an operation of two operands."""
        result = nodes[0]
        for node in nodes[1:]:
            result = self.graph.apply(op, (result, node), self.graph.dtype[node])
        return result

    def fold(self, op: str, folded: Goal, rest: Goal | None) -> Candidate:
        """Return the fold over a goal's last axis, combined with a rest where there is one."""
        name = folded.axes[-1]
        inside = without_constant_axes(folded)

        def build(values: list[Value]) -> Value | None:
            value = values[0]
            if name not in value.axes:
                return None
            result = self._folded(op, value, name)
            if rest is None:
                return result
            return plus(values[1], result, self.scope) if op == "add" else self.scope.combined(op, result, values[1])

        holes = (folded,) if rest is None else (folded, rest)
        is_wide = len(inside.axes) > max([2, *(len(v.extents) for v in self.library.views)])
        return Candidate(f"fold {op}", holes, build, penalty=_LAST if is_wide else 0.0)

    def _folded(self, op: str, value: Value, name: str) -> Value:
        if op == "add":
            return total(value, name, self.scope, has_contractions=self.grammar.has_contractions)
        inner, axis = value.expression, value.axes.index(name)
        start = start_of(FOLDS[op], inner.dtype, [inner.shape[axis]], self.scope)
        return folded(FOLDS[op], value, name, start, self.scope)

    # -- regions

    def regions(self, goal: Goal) -> Iterator[Candidate]:
        """Yield selections of a known value in a triangle or on a diagonal; the cells there are free in the rest.

        Also yield selections by the conditions of the source, whose arms are holes.
        """
        if not self.grammar.has("select"):
            return
        yield from self._divided(goal)
        if len(goal.axes) != 2:  # noqa: PLR2004 - a matrix
            return
        for nodes, value in self._known(goal):
            region = self._largest(goal, (nodes == goal.nodes) & (goal.nodes != FREE))
            if region is not None:
                yield self._selection(goal, value, *region)

    def _divided(self, goal: Goal) -> Iterator[Candidate]:
        counts = goal.nodes != FREE
        is_one_function = self.function(goal) is not None
        for region in self.library.regions:
            cells = region.over(goal.axes)
            if cells is None or not (counts & cells).any() or not (counts & ~cells).any() or region.mask is None:
                continue
            arms = tuple(Goal(np.where(where, goal.nodes, FREE), goal.axes) for where in (cells, ~cells))
            build = partial(self._by_mask, region.mask)
            parts = [without_constant_axes(arm) for arm in arms]
            unknown = sum(1 + len(part.axes) for part in parts if self.library.lookup(part) is None)
            penalty = _LAST * is_one_function + unknown
            yield Candidate("select by condition", arms, build, penalty=penalty, mask=region.mask)

    def _by_mask(self, mask: Value, values: list[Value]) -> Value:
        return self.scope.combined("select", mask, *values)

    def _known(self, goal: Goal) -> Iterator[tuple[Nodes, Value]]:
        graph = self.graph
        for node in dict.fromkeys(node for _, node in goal.wanted):
            number = graph.as_constant(node)
            if number is not None:
                literal = self.scope.build.literal(number, graph.dtype[node])
                yield np.full(goal.nodes.shape, node, np.int64), Value(literal, ())
        yield from self.library.matching(goal)

    def _largest(self, goal: Goal, equal: Cells) -> tuple[Cells, str, int] | None:
        """Return the region with most cells that count in which a value equals the goal, with its kind and offset."""
        counts = goal.nodes != FREE
        best: tuple[int, tuple[Cells, str, int]] | None = None
        for region, kind, offset in _regions(*goal.nodes.shape):
            inside = int((region & counts).sum())
            fits = inside and bool((equal | ~counts | ~region).all()) and bool((counts & ~region).any())
            enough = kind == "diagonal" or inside >= _LEAST_SHARE * goal.nodes.size
            if fits and enough and (best is None or inside > best[0]):
                best = inside, (region, kind, offset)
        return None if best is None else best[1]

    def _selection(self, goal: Goal, value: Value, region: Cells, kind: str, offset: int) -> Candidate:
        rest = Goal(np.where(region, FREE, goal.nodes), goal.axes)

        def build(values: list[Value]) -> Value:
            return self._selected(goal, kind, offset, value, values[0])

        return Candidate(f"select {kind}", (rest,), build)

    def _selected(self, goal: Goal, kind: str, offset: int, value: Value, rest: Value) -> Value:
        build, scope = self.scope.build, self.scope
        rows, columns = extents_of(goal, scope)
        number, other = number_of(value), number_of(rest)
        is_upper = kind == "upper"
        if number == 0 and kind != "diagonal" and other is None:
            flipped = rest if len(rest.axes) == len(goal.axes) else None
            if flipped is not None:
                expression = scope.permuted(flipped, goal.axes).expression
                kept = offset - 1 if is_upper else offset + 1
                return Value(build.triangle(expression, is_upper=not is_upper, offset=Affine(kept)), goal.axes)
        mask: Expression
        if kind == "diagonal":
            mask = build.diagonal_mask(rows, columns, Affine(offset))
        else:  # what is above a diagonal is what is not below
            mask = build.triangle_mask(rows, columns, Affine(offset - 1 if is_upper else offset))
        where = Value(mask, goal.axes)
        first, second = (rest, value) if is_upper else (value, rest)
        if number_of(first) == 1 and number_of(second) == 0:
            return scope.converted(where, first.expression.dtype)
        if number_of(first) == 0 and number_of(second) == 1:
            return scope.converted(scope.combined("not", where), first.expression.dtype)
        return scope.combined("select", where, first, second)


def _by_slice(nodes: list[int], bits: list[int], support: list[int]) -> tuple[list[list[int]] | None, list[int]]:
    """Sort nodes by the only slice on which they depend; nothing where one depends on several or a slice has none."""
    everything = 0
    for slice_bits in bits:
        everything |= slice_bits
    groups: list[list[int]] = [[] for _ in bits]
    rest = []
    for node in nodes:
        if not support[node] & everything:
            rest.append(node)
            continue
        hit = [k for k, slice_bits in enumerate(bits) if support[node] & slice_bits]
        if len(hit) != 1:
            return None, rest
        groups[hit[0]].append(node)
    return (groups, rest) if all(groups) else (None, rest)


def _regions(rows: int, columns: int) -> Iterator[tuple[Cells, str, int]]:
    """Yield triangles and diagonals of a matrix near its main diagonal."""
    i, j = np.ogrid[:rows, :columns]
    for offset in sorted(range(-_FARTHEST_DIAGONAL, _FARTHEST_DIAGONAL + 1), key=abs):
        yield j <= i + offset, "lower", offset
        yield j >= i + offset, "upper", offset
        yield j == i + offset, "diagonal", offset


_ARITHMETIC = {"add": plus, "sub": minus, "mul": times, "div": over}


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
