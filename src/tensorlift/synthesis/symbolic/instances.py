"""What instances of imported operations compute at concrete sizes, as nodes of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.affine import Affine
from tensorlift.synthesis.symbolic.points import contains, evaluate
from tensorlift.synthesis.symbolic.trace import Tracer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.instance import Instance
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes


class Cells:
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
        return tuple(evaluate(extent, self._numbers) for extent in definition.shape)

    def _node(self, definition: Definition, index: tuple[int, ...]) -> int:
        at = {**self._numbers, **dict(zip(definition.indices, index, strict=True))}
        return self._tracer.piece(definition.pieces, at)


def computed_nodes(graph: Graph, instance: Instance, operands: Sequence[Nodes]) -> Nodes:
    """Return the nodes of the result's cells for those of the operands, which fit the instance.

    Raises:
        Undefined, ValueError: as `Cells`.

    """
    cells = Cells(graph, instance, operands)
    nodes = [cells.at(position) for position in range(int(np.prod(cells.shape)))]
    return np.array(nodes, np.int64).reshape(cells.shape)
