"""Traces: every cell of a definition at concrete sizes as a node of a graph.

So is what instances of imported operations compute of nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tensorlift.comprehension.terms import COMBINER, Apply, Constant, Index, Piecewise, Read, Reduce, Scalar
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.symbolic.points import Untraceable, contains, points

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.task import Pieces, Task


Nodes = npt.NDArray[np.int64]  # the numbers of nodes
Cells = npt.NDArray[np.bool_]  # which cells of an array are meant
FREE = -1  # in the place of a node: the cell may have any value
_MOST_CELLS = 1 << 14


def cell(graph: Graph, array: str, index: tuple[int, ...], dtype: DType) -> int:
    """Return the node of an array's cell."""
    return graph.symbol(("cell", array, *index), dtype)


def array_nodes(graph: Graph, array: str, shape: tuple[int, ...], dtype: DType) -> Nodes:
    """Return the nodes of a whole array.

    Raises:
        Untraceable: where it is large even at small sizes.

    """
    nodes = _filled(shape)
    for index in np.ndindex(*shape):
        nodes[index] = cell(graph, array, index, dtype)
    return nodes


def _filled(shape: tuple[int, ...]) -> Nodes:
    if int(np.prod(shape)) > _MOST_CELLS:
        raise Untraceable("an array is large even at small sizes")
    return np.full(shape, FREE, np.int64)


def trace(tracer: Tracer, task: Task) -> Nodes:
    """Return the nodes of all cells of a task's box, `FREE` where the domain does not hold.

    Raises:
        Untraceable: where a cell has no value there.
        Undefined: where a cell would be divided by zero.

    """
    sizes = tracer.sizes
    firsts = [first.evaluate(sizes) for first, _ in task.spans.values()]
    ends = [after.evaluate(sizes) for _, after in task.spans.values()]
    shape = tuple(max(end - first, 0) for first, end in zip(firsts, ends, strict=True))
    nodes = _filled(shape)
    for index in np.ndindex(*shape):
        at = dict(sizes)
        for axis, first, position in zip(task.axes, firsts, index, strict=True):
            at[axis] = first + position
        if contains(task.relevant, at):
            nodes[index] = tracer.piece(task.conditions, at)
    return nodes


class Tracer:
    """Evaluates terms at points; ``sizes`` stay symbols as values, and cells of ``arrays`` are nodes that are given.

    Reads of arrays that ``inner`` defines are evaluated too.
    """

    def __init__(
        self,
        graph: Graph,
        sizes: Mapping[str, int],
        arrays: Mapping[str, Nodes] | None = None,
        inner: Mapping[str, Definition] | None = None,
    ) -> None:
        self.graph = graph
        self.sizes = sizes
        self.arrays = arrays or {}
        self.inner = inner or {}
        self._inner: dict[tuple[str, tuple[int, ...]], int] = {}
        self._memo: dict[tuple[Term, tuple[int, ...]], int] = {}
        self._order: dict[Term, tuple[str, ...]] = {}

    def piece(self, pieces: Pieces, at: Mapping[str, int]) -> int:
        """Return the value of the piece that has the point."""
        for domain, term in pieces:
            if contains(domain, at):
                return self.node(term, at)
        raise Untraceable("a cell has no value")

    def node(self, term: Term, at: Mapping[str, int]) -> int:
        """Return the node of a term at a point."""
        order = self._order.get(term)
        if order is None:
            order = self._order[term] = tuple(sorted(term.free))
        key = (term, tuple([at[name] for name in order]))
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = self._built(term, at)
        return found

    def _built(self, term: Term, at: Mapping[str, int]) -> int:
        graph = self.graph
        if isinstance(term, Constant):
            return graph.constant(term.value, term.dtype)
        if isinstance(term, Scalar) and term.name in self.arrays:
            return int(self.arrays[term.name])
        if isinstance(term, Scalar):
            return graph.symbol(("scalar", term.name), term.dtype)
        if isinstance(term, Index):
            return graph.of_affine(self._with_indices(term.affine, at), term.dtype)
        if isinstance(term, Read) and term.array in self.arrays:
            return int(self.arrays[term.array][tuple(i.evaluate(at) for i in term.indices)])
        if isinstance(term, Read):
            index = tuple(i.evaluate(at) for i in term.indices)
            return (
                self.inside(term.array, index)
                if term.array in self.inner
                else cell(graph, term.array, index, term.dtype)
            )
        if isinstance(term, Apply):
            return graph.apply(term.op, [self.node(a, at) for a in term.args], term.dtype)
        if isinstance(term, Piecewise):
            return self.piece(term.pieces, at)
        assert isinstance(term, Reduce)
        return self._fold(term, at)

    def inside(self, name: str, index: tuple[int, ...]) -> int:
        """Return the node of a cell of an array that is looked through."""
        found = self._inner.get((name, index))
        if found is None:
            definition = self.inner[name]
            at = {**self.sizes, **dict(zip(definition.indices, index, strict=True))}
            found = self._inner[name, index] = self.piece(definition.pieces, at)
        return found

    def _with_indices(self, value: Affine, at: Mapping[str, int]) -> Affine:
        """Put in the numbers of index variables; sizes stay symbols, so that no number is taken for one."""
        constant = value.constant + sum(c * at[v] for v, c in value.terms if v not in self.sizes)
        return type(value)(constant, {v: c for v, c in value.terms if v in self.sizes})

    def _fold(self, term: Reduce, at: Mapping[str, int]) -> int:
        values = [
            self.node(term.body, {**at, **dict(zip(term.bound, point, strict=True))})
            for point in points(term.domain, term.bound, at)
        ]
        if not values:
            if term.op in ("max", "min", "fmax", "fmin"):
                raise Untraceable("an extreme of no values")
            return self.graph.constant(1 if term.op in ("prod", "all") else 0, term.dtype)
        result = values[0]
        for value in values[1:]:
            result = self.graph.apply(COMBINER[term.op], (result, value), term.dtype)
        return result


class Computed:
    """The cells of a result, each computed when it is asked for."""

    def __init__(self, graph: Graph, instance: Instance, operands: Sequence[Nodes]) -> None:
        """Compute what the result is made of.

        Raises:
            Undefined: where a cell is divided by zero.
            ValueError: where the operands do not fit.

        """
        sizes = instance.fits([tuple(map(Affine, nodes.shape)) for nodes in operands])
        if sizes is None:
            raise ValueError(f"operands that do not fit {instance.operation}")
        self._numbers = {name: extent.constant for name, extent in sizes.items()}
        if not contains(instance.context, self._numbers):
            raise ValueError(f"extents for which {instance.operation} is not defined")
        arrays = {o.name: nodes for o, nodes in zip(instance.operands, operands, strict=True)}
        self._tracer = Tracer(graph, {}, arrays)
        for definition in instance.definitions[:-1]:
            shape = self._shape(definition)
            nodes = [self._node(definition, index) for index in np.ndindex(*shape)]
            arrays[definition.name] = np.array(nodes, np.int64).reshape(shape)
        self._result = instance.result
        self.shape = self._shape(instance.result)

    def at(self, position: int) -> int:
        """Return the node of a cell by its flat position."""
        index = np.unravel_index(position, self.shape) if self.shape else ()
        return self._node(self._result, tuple(map(int, index)))

    def _shape(self, definition: Definition) -> tuple[int, ...]:
        return tuple(extent.evaluate(self._numbers) for extent in definition.shape)

    def _node(self, definition: Definition, index: tuple[int, ...]) -> int:
        at = {**self._numbers, **dict(zip(definition.indices, index, strict=True))}
        return self._tracer.piece(definition.pieces, at)


def computed_nodes(graph: Graph, instance: Instance, operands: Sequence[Nodes]) -> Nodes:
    """Return the nodes of the result's cells for those of the operands, which fit the instance.

    Raises:
        Undefined, ValueError: as `Computed`.

    """
    cells = Computed(graph, instance, operands)
    nodes = [cells.at(position) for position in range(int(np.prod(cells.shape)))]
    return np.array(nodes, np.int64).reshape(cells.shape)
