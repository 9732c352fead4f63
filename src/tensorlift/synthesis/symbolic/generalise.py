"""Numbers that are sizes: a solution may hold the number that a size happens to be where it was found."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.affine import Affine
from tensorlift.ir.tensor_program import Literal, rewritten, walk_expressions
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.symbolic.trace import FREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.ir.tensor_program import Expression
    from tensorlift.synthesis.derive.builder import Builder
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes


def with_sizes(value: Value, sizes: Mapping[str, int], build: Builder) -> Iterator[Value]:
    """Yield the value with a number replaced by each size that is equal to it at the given sizes."""
    numbers = {node.value for node in walk_expressions(value.expression) if isinstance(node, Literal)}
    for name, size in sizes.items():
        if size in numbers:
            yield Value(rewritten(value.expression, partial(_named, build, size, name), {}), value.axes)


def at_numbers(graph: Graph, nodes: Nodes, sizes: Mapping[str, int]) -> Nodes:
    """Return nodes with the symbols of sizes replaced by their numbers; cells that do not count stay so."""
    symbols = {node: name for node, name in graph.symbols.items() if name[0] == "size"}
    numbers = {node: graph.constant(sizes[str(name[1])], graph.dtype[node]) for node, name in symbols.items()}
    bits = sum(graph.bit[node] for node in numbers)
    memo: dict[int, int] = {}
    done = [node if node == FREE else graph.substitute(node, numbers, bits, memo) for node in nodes.ravel().tolist()]
    return np.array(done, np.int64).reshape(nodes.shape)


def _named(build: Builder, number: int, name: str, node: Expression, _: Expression) -> Expression:
    is_size = isinstance(node, Literal) and node.value == number
    return build.size(Affine.var(name), node.dtype) if is_size else node
