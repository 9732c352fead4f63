"""What expressions of a tensor program are at concrete sizes, as nodes of a graph: a candidate is compared by them."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.terms import COMBINER
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Contraction,
    Copy,
    Cumulative,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Empty,
    Expression,
    Full,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Operation,
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Subscript,
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.synthesis.symbolic.trace import array_nodes, computed_nodes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Cells, Nodes


class Meaning:
    """Evaluates expressions over one graph at given sizes; each node is evaluated once."""

    def __init__(self, graph: Graph, sizes: Mapping[str, int]) -> None:
        self.graph = graph
        self.sizes = sizes
        self._memo: dict[Expression, Nodes] = {}

    def of(self, expression: Expression) -> Nodes:
        """Return the nodes of an expression's cells.

        Raises:
            Undefined: where a cell is divided by zero.
            ValueError: where cells are picked by data, or none are folded.

        """
        found = self._memo.get(expression)
        if found is None:
            rule = _RULES.get(type(expression))
            if rule is None:
                raise ValueError(f"what {type(expression).__name__} picks is known when it runs")
            found = self._memo[expression] = rule(self, expression)
        return found

    def extents(self, expression: Expression) -> tuple[int, ...]:
        """Return the shape at these sizes."""
        return tuple(extent.evaluate(self.sizes) for extent in expression.shape)

    def cellwise(self, op: str, node: Expression, operands: list[Nodes]) -> Nodes:
        """Apply a scalar function to cells that broadcast together."""
        together = np.broadcast_arrays(*operands)
        cells = zip(*(o.ravel().tolist() for o in together), strict=True)
        done = [self.graph.apply(op, cell, node.dtype) for cell in cells]
        return np.array(done, np.int64).reshape(together[0].shape)

    def folded(self, op: str, node: Expression, nodes: Nodes, count: int) -> Nodes:
        """Fold the last ``count`` axes."""
        kept = nodes.shape[: nodes.ndim - count]
        rows = nodes.reshape(*kept, -1)
        result = np.empty(kept, np.int64)
        for index in np.ndindex(*kept):
            cells = rows[index].tolist()
            if not cells:
                raise ValueError("a fold of no cells has none here")
            result[index] = reduce(lambda a, b: self.graph.apply(op, (a, b), node.dtype), cells)
        return result


def _variable(at: Meaning, node: Variable) -> Nodes:
    if node.is_weak:
        return np.array(at.graph.symbol(("scalar", node.name), node.dtype))
    return array_nodes(at.graph, node.name, at.extents(node), node.dtype)


def _empty(at: Meaning, node: Empty) -> Nodes:
    """Return cells that are unlike any other, as nothing is known of them."""
    return array_nodes(at.graph, "an empty tensor", at.extents(node), node.dtype)


def _literal(at: Meaning, node: Literal) -> Nodes:
    if isinstance(node.value, str):
        op = "infinity" if node.value.endswith("inf") else "nan"
        return np.array(at.graph.apply(op, (), node.dtype))
    return np.array(at.graph.constant(node.value, node.dtype))


def _subscript(at: Meaning, node: Subscript) -> Nodes:
    items: list[int | slice | None] = []
    for item in node.items:
        if isinstance(item, NewAxis):
            items.append(None)
        elif isinstance(item, At):
            items.append(item.index.evaluate(at.sizes))
        elif isinstance(item, Reverse):
            items.append(slice(None, None, -1))
        else:
            assert isinstance(item, Range)
            start, stop = (max(end.evaluate(at.sizes), 0) for end in (item.start, item.stop))  # those of an empty one
            items.append(slice(start, stop, item.step))
    result: Nodes = at.of(node.argument)[tuple(items)]
    return result


def _iota(at: Meaning, node: Iota) -> Nodes:
    first = node.start.evaluate(at.sizes)
    numbers = [at.graph.constant(first + k, node.dtype) for k in range(at.extents(node)[0])]
    return np.array(numbers, np.int64)


def _full(at: Meaning, node: Full | Broadcast) -> Nodes:
    return np.broadcast_to(at.of(node.argument), at.extents(node))


def _mask(at: Meaning, node: TriangleMask | DiagonalMask) -> Nodes:
    rows, columns = at.extents(node)
    offset = node.offset.evaluate(at.sizes)
    holds = np.tri(rows, columns, offset) if isinstance(node, TriangleMask) else np.eye(rows, columns, offset)
    return _chosen(holds > 0, at.graph.one("bool"), at.graph.zero("bool"))


def _windows(at: Meaning, node: Windows) -> Nodes:
    extents = [extent.evaluate(at.sizes) for extent in node.extents]
    return np.lib.stride_tricks.sliding_window_view(at.of(node.argument), extents, node.axes)


def _gather(at: Meaning, node: Gather) -> Nodes:
    """Return the cells at indices that are numbers."""
    shaped = []
    for index in node.indices:
        numbers = [at.graph.constants.get(n) for n in at.of(index).ravel().tolist()]
        if any(number is None for number in numbers):
            raise ValueError("cells at indices that are no numbers")
        shaped.append(np.array([int(number or 0) for number in numbers], np.int64).reshape(at.extents(index)))
    found: Nodes = at.of(node.argument)[tuple(shaped)]
    return found


def _triangle(at: Meaning, node: Triangle) -> Nodes:
    nodes = at.of(node.argument)
    offset = node.offset.evaluate(at.sizes)
    lower = np.tri(nodes.shape[-2], nodes.shape[-1], offset - 1 if node.is_upper else offset) > 0
    return _chosen(~lower if node.is_upper else lower, nodes, at.graph.zero(node.dtype))


def _chosen(holds: Cells, chosen: Nodes | int, other: int) -> Nodes:
    return np.where(holds, chosen, other).astype(np.int64)


def _contraction(at: Meaning, node: Contraction) -> Nodes:
    names = dict.fromkeys([*node.output, *(label for labels in node.labels for label in labels)])
    places = {label: place for place, label in enumerate(names)}
    spread = []
    for argument, labels in zip(node.arguments, node.labels, strict=True):
        nodes = at.of(argument)
        order = np.argsort([places[label] for label in labels])
        index = tuple(slice(None) if name in labels else None for name in names)
        spread.append(np.transpose(nodes, order.tolist())[index])
    product = reduce(lambda a, b: at.cellwise("mul", node, [a, b]), spread)
    return at.folded("add", node, product, len(names) - len(node.output))


def _reduction(at: Meaning, node: Reduction) -> Nodes:
    nodes = np.moveaxis(at.of(node.argument), node.axes, range(-len(node.axes), 0))
    return at.folded(COMBINER[node.op], node, nodes, len(node.axes))


def _cumulative(at: Meaning, node: Cumulative) -> Nodes:
    nodes = np.moveaxis(at.of(node.argument), node.axis, 0).copy()
    for k in range(1, len(nodes)):
        nodes[k] = at.cellwise(COMBINER[node.op], node, [nodes[k - 1], nodes[k]])
    return np.moveaxis(nodes, 0, node.axis)


_RULES: dict[type[Expression], Callable[..., Nodes]] = {
    Literal: _literal,
    SizeValue: lambda at, node: np.array(at.graph.of_affine(node.affine, node.dtype)),
    Variable: _variable,
    Elementwise: lambda at, node: at.cellwise(node.op, node, [at.of(a) for a in node.arguments]),
    Cast: lambda at, node: at.cellwise("cast", node, [at.of(node.argument)]),
    Copy: lambda at, node: at.of(node.argument),
    Empty: _empty,
    Broadcast: _full,
    Full: _full,
    Subscript: _subscript,
    Transpose: lambda at, node: np.transpose(at.of(node.argument), node.permutation),
    Windows: _windows,
    Gather: _gather,
    Diagonal: lambda at, node: np.diagonal(at.of(node.argument)),
    Triangle: _triangle,
    TriangleMask: _mask,
    DiagonalMask: _mask,
    Iota: _iota,
    Contraction: _contraction,
    Reduction: _reduction,
    Cumulative: _cumulative,
    Operation: lambda at, node: computed_nodes(at.graph, node.instance, [at.of(a) for a in node.arguments]),
}
