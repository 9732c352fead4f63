"""Goals: the nodes of an array that an expression is wanted for, with an index variable for each axis.

The library has what needs no search: constants, scalars, sizes, views of arrays in any order of their axes, counts of
positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tensorlift.ops.dtypes import is_integer
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.construct import negated
from tensorlift.synthesis.symbolic.trace import FREE
from tensorlift.synthesis.symbolic.views import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.ir.tensor_program import Expression, Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes
    from tensorlift.synthesis.symbolic.views import Region


Key = tuple[tuple[str, ...], tuple[int, ...], bytes]
Index = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Goal:
    """An array of nodes, `FREE` where a cell does not count, and the names of its axes."""

    nodes: Nodes
    axes: tuple[str, ...]

    @cached_property
    def key(self) -> Key:
        """What tells goals apart."""
        return self.axes, self.nodes.shape, self.nodes.tobytes()

    @cached_property
    def wanted(self) -> list[tuple[Index, int]]:
        """The cells that count, with their nodes."""
        return [(index, int(node)) for index, node in np.ndenumerate(self.nodes) if node != FREE]

    def dtype(self, graph: Graph) -> DType:
        """Return the element type."""
        return graph.dtype[self.wanted[0][1]]

    def support(self, graph: Graph) -> int:
        """Return the symbols on which some cell depends."""
        result = 0
        for _, node in self.wanted:
            result |= graph.support[node]
        return result

    def mapped(self, nodes: Sequence[int]) -> Goal:
        """Return the goal with other nodes in the cells that count."""
        result = np.full(self.nodes.shape, FREE, np.int64)
        for (index, _), node in zip(self.wanted, nodes, strict=True):
            result[index] = node
        return Goal(result, self.axes)


class Candidate(NamedTuple):
    """A sketch: an expression with holes.  ``build`` makes the expression from what the holes turn out to be.

    ``tag`` names the sketch; ``is_guarded`` where the first hole says where the others count, a ``mask`` says where the
    first hole counts, and elsewhere the others do; ``is_first`` where no other sketch is to be tried before;
    ``is_algebraic`` where the holes are what algebra solves, not operands that the goal's nodes have.
    """

    tag: str
    holes: tuple[Goal, ...]
    build: Callable[[list[Value]], Value | None]
    is_guarded: bool = False
    penalty: float = 0.0
    is_first: bool = False
    mask: Value | None = None
    is_algebraic: bool = False


def without_constant_axes(goal: Goal) -> Goal:
    """Drop the axes along which no cell changes."""
    nodes, axes = goal.nodes, list(goal.axes)
    axis = 0
    while axis < nodes.ndim:
        merged = nodes.max(axis=axis, initial=FREE)  # less than every node
        if nodes.shape[axis] and bool(((nodes == np.expand_dims(merged, axis)) | (nodes == FREE)).all()):
            nodes = merged
            del axes[axis]
        else:
            axis += 1
    return Goal(np.array(nodes, order="C"), tuple(axes))


def score(goal: Goal, graph: Graph) -> float:
    """Return how complex a goal is: the symbols of data in a cell, on average over all cells."""
    total = sum((graph.support[node] & graph.cells).bit_count() for _, node in goal.wanted)
    return total / max(goal.nodes.size, 1)


def extents_of(goal: Goal, scope: Scope) -> tuple[Affine, ...]:
    """Return the extents of a goal's axes as expressions of the sizes."""
    return tuple(scope.extent(axis) for axis in goal.axes)


def ties(extents: Sequence[Affine], goal_extents: Sequence[Affine]) -> Iterator[dict[int, int]]:
    """Yield the maps from axes of an array to different axes of a goal with the same extent, the largest first."""
    found: list[dict[int, int]] = []

    def extend(axis: int, chosen: dict[int, int]) -> None:
        if axis == len(extents):
            found.append(chosen)
            return
        for position, extent in enumerate(goal_extents):
            if extent == extents[axis] and position not in chosen.values():
                extend(axis + 1, {**chosen, axis: position})
        extend(axis + 1, chosen)

    extend(0, {})
    yield from sorted(found, key=len, reverse=True)


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
            return self.scope.number(number, dtype) if whole else None
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
