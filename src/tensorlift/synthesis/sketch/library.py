"""What needs no search: constants, scalars, sizes, views of arrays in any order of their axes, counts of positions."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.affine import Affine
from tensorlift.ops.dtypes import is_integer
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.construct import negated
from tensorlift.synthesis.sketch.goals import Goal, extents_of
from tensorlift.synthesis.symbolic.trace import FREE
from tensorlift.synthesis.symbolic.views import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ir.tensor_program import Expression, Shape
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.regions import Region
    from tensorlift.synthesis.symbolic.trace import Nodes


class Library:
    """Known values, found by the nodes of their cells; ``windows`` are known too.

    Goals are taken apart by views, by windows of which no two cells are one, and along ``regions``.
    """

    def __init__(
        self,
        graph: Graph,
        scope: Scope,
        views: Sequence[View],
        windows: Sequence[View] = (),
        regions: Sequence[Region] = (),
    ) -> None:
        self.graph = graph
        self.scope = scope
        self.regions = regions
        self.windows = list(windows)
        self.views = [*views, *(w for w in windows if len(np.unique(w.nodes)) == w.nodes.size)]
        self._exact: dict[tuple[Shape, tuple[int, ...], bytes], tuple[Expression, tuple[int, ...]]] = {}
        self._by_shape: dict[tuple[Shape, tuple[int, ...]], list[tuple[Nodes, Expression, tuple[int, ...]]]] = {}
        for view in (*views, *windows):
            self._enter(view)

    def _enter(self, view: View) -> None:
        for permutation in permutations(range(len(view.extents))):
            nodes = np.array(np.transpose(view.nodes, permutation), order="C")
            extents = tuple(view.extents[k] for k in permutation)
            self._exact.setdefault((extents, nodes.shape, nodes.tobytes()), (view.expression, permutation))
            listed = self._by_shape.setdefault((extents, nodes.shape), [])
            listed.append((nodes, view.expression, permutation))

    def scalars(self) -> Iterator[View]:
        """Yield the scalars and sizes that occur, as arrays without axes."""
        for node, name in sorted(self.graph.symbols.items()):
            if name[0] != "cell":
                dtype = self.graph.dtype[node]
                build = self.scope.build
                is_size = name[0] == "size"
                value = build.size(Affine.var(str(name[1])), dtype) if is_size else build.scalar(str(name[1]), dtype)
                yield View(value, (), np.array(node))

    def lookup(self, goal: Goal) -> Value | None:
        """Return a known value with the goal's nodes in every cell that counts."""
        if not goal.wanted:
            return None
        extents = extents_of(goal, self.scope)
        found = self._exact.get((extents, goal.nodes.shape, goal.nodes.tobytes()))
        if found is not None:
            return _placed(*found, goal.axes)
        if not goal.axes:
            return self._number(int(goal.nodes))
        if len(goal.wanted) < goal.nodes.size:
            for nodes, expression, permutation in self._by_shape.get((extents, goal.nodes.shape), ()):
                if bool(((nodes == goal.nodes) | (goal.nodes == FREE)).all()):
                    return _placed(expression, permutation, goal.axes)
        return self._positions(goal)

    def matching(self, goal: Goal) -> Iterator[tuple[Nodes, Value]]:
        """Yield the views of the goal's shape, with their nodes in its order of axes."""
        key = (extents_of(goal, self.scope), goal.nodes.shape)
        for nodes, expression, permutation in self._by_shape.get(key, ()):
            yield nodes, _placed(expression, permutation, goal.axes)

    def _number(self, node: int) -> Value | None:
        graph, build = self.graph, self.scope.build
        dtype = graph.dtype[node]
        number = graph.as_constant(node)
        if number is not None:
            whole = number.denominator == 1 or not is_integer(dtype)
            return Value(build.literal(number, dtype), ()) if whole else None
        name = graph.symbols.get(node)
        if name is not None and name[0] == "scalar":
            return Value(build.scalar(str(name[1]), dtype), ())
        size = graph.affine(node)
        return None if size is None else Value(build.size(size, dtype), ())

    def _positions(self, goal: Goal) -> Value | None:
        """Return ``start + i`` or ``start - i`` where the cells count positions along the only axis, up or down."""
        if len(goal.axes) != 1:
            return None
        graph, scope = self.graph, self.scope
        numbers = [(index[0], graph.constants.get(node)) for index, node in goal.wanted]
        for sign in (1, -1):
            starts = {None if number is None else number - sign * position for position, number in numbers}
            start = starts.pop()
            if starts or start is None or start.denominator != 1:
                continue
            (extent,) = extents_of(goal, scope)
            first = Affine(sign * int(start))
            counted = scope.build.cast(scope.build.iota(first, extent + first), goal.dtype(graph))
            value = Value(counted, goal.axes)
            return value if sign == 1 else negated(value, scope)
        return None


def _placed(expression: Expression, permutation: tuple[int, ...], axes: tuple[str, ...]) -> Value:
    """Name the axes of a view whose axis ``permutation[k]`` is the goal's axis ``k``."""
    names = dict(zip(permutation, axes, strict=True))
    return Value(expression, tuple(names[k] for k in range(len(axes))))
