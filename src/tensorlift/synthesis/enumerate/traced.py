"""Imported operations on operands of given extents as graphs, traced once for all searches."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tensorlift.synthesis.symbolic.graph import Graph
from tensorlift.synthesis.symbolic.instances import Cells

if TYPE_CHECKING:
    from tensorlift.comprehension.instance import Instance, InstanceOperand
    from tensorlift.synthesis.enumerate.pools import Positions
    from tensorlift.synthesis.symbolic.trace import Nodes

Shape = tuple[int, ...]
_MOST = 1 << 14  # operations on operands of some extents that are remembered: each search tries all of a dialect


class Plan(NamedTuple):
    """How some cells are computed: cells of each operand, where each of these goes, and nodes in their order."""

    needs: list[Positions]
    reads: list[tuple[int, int, int]]
    computed: list[int]
    results: list[int]


class Traced:
    """The cells of an operation as a graph over those of its operands, those aside that are constants.

    ``shapes`` are the extents of the operands that are read, ``written`` those of the others, by name.
    """

    def __init__(self, instance: Instance, shapes: tuple[Shape, ...], written: tuple[tuple[str, Shape], ...]) -> None:
        self.graph = Graph()
        self._instance = instance
        self._shapes = shapes
        self._written = dict(written)
        self._plans: dict[bytes, Plan] = {}

    def plan(self, cells: Positions) -> Plan:
        """Return how cells are computed.

        Raises:
            Undefined: where a cell is divided by zero whatever the operands.

        """
        key = cells.tobytes()
        found = self._plans.get(key)
        if found is None:
            found = self._plans[key] = self._planned([self._cells.at(int(cell)) for cell in cells])
        return found

    @cached_property
    def _cells(self) -> Cells:
        """What the operation computes of symbols."""
        own = {operand.name: place for place, operand in enumerate(self._instance.free)}
        operands = self._instance.operands
        arrays = [self._symbols(o, own[o.name]) if o.name in own else self._unread(o) for o in operands]
        return Cells(self.graph, self._instance, arrays)

    def _symbols(self, operand: InstanceOperand, place: int) -> Nodes:
        shape = self._shapes[place]
        cells = [self.graph.symbol(("cell", str(place), k), operand.dtype) for k in range(int(np.prod(shape)))]
        return np.array(cells, np.int64).reshape(shape)

    def _unread(self, operand: InstanceOperand) -> Nodes:
        """Return a constant, or anything for cells that are not read."""
        node = self.graph.constant(operand.value or 0, operand.dtype)
        shape = self._written.get(operand.name)
        return np.full([extent.constant for extent in operand.shape] if shape is None else shape, node, np.int64)

    def _planned(self, results: list[int]) -> Plan:
        """Return how nodes are evaluated: which cells of operands are read, and what is computed, operands first."""
        done: dict[int, None] = {}
        stack = [(node, False) for node in results]
        while stack:
            node, is_left = stack.pop()
            if is_left:
                done.setdefault(node)
            elif node not in done:
                stack.append((node, True))
                stack.extend((o, False) for o in self.graph.operands[node])
        symbols = {node: self.graph.symbols[node] for node in done if node in self.graph.symbols}
        places = range(len(self._shapes))
        needed = [sorted(int(c) for _, k, c in symbols.values() if int(k) == own) for own in places]
        reads = [(node, int(k), needed[int(k)].index(int(c))) for node, (_, k, c) in symbols.items()]
        computed = [node for node in done if node not in symbols]
        return Plan([np.array(own, np.int64) for own in needed], reads, computed, results)


@lru_cache(maxsize=_MOST)
def traced(instance: Instance, shapes: tuple[Shape, ...], written: tuple[tuple[str, Shape], ...]) -> Traced:
    """Return an operation on operands of some extents as `Traced` takes them, the same one each time."""
    return Traced(instance, shapes, written)
