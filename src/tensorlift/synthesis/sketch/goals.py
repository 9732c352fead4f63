"""Goals: the nodes of an array that an expression is wanted for, with an index variable for each axis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.scope import Scope, Value
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes

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
    first hole counts, and elsewhere the others do; ``is_first`` where no other sketch is to be tried before.
    """

    tag: str
    holes: tuple[Goal, ...]
    build: Callable[[list[Value]], Value | None]
    is_guarded: bool = False
    penalty: float = 0.0
    is_first: bool = False
    mask: Value | None = None


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
