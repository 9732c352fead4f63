"""Steps of imported operations: an instance between kinds of candidates, evaluated from its meaning alone.

Its cells are traced as a graph over those of its operands, once for all searches, which is then evaluated for whole
blocks.
"""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tensorlift.comprehension.notation.definitions import show_definition
from tensorlift.comprehension.terms import Read, Scalar
from tensorlift.ir.tensor_program import At
from tensorlift.ir.views import whole
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.enumerate.steps import Step, applied
from tensorlift.synthesis.symbolic import field as gf
from tensorlift.synthesis.symbolic.graph import EXTREMES, Graph
from tensorlift.synthesis.symbolic.trace import Computed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.instance import Instance, InstanceOperand
    from tensorlift.ir.tensor_program import Expression
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.enumerate.pools import Kind, Pool, Positions
    from tensorlift.synthesis.enumerate.steps import Axes
    from tensorlift.synthesis.symbolic.field import Elements
    from tensorlift.synthesis.symbolic.trace import Nodes


def distinct(instances: Sequence[Instance]) -> list[Instance]:
    """Return the instances in order of simplicity, of those that compute the same the first.

    Few axes come first, and among them operations that are not told what to apply.
    """
    found: dict[str, Instance] = {}
    for instance in sorted(instances, key=_simplicity):
        found.setdefault(_by_positions(instance), instance)
    return list(found.values())


def moves(instance: Instance) -> bool:
    """Tell whether an operation takes one tensor and computes nothing: its cells are some of that."""
    cells = [term for _, term in instance.result.pieces]
    return len(instance.operands) == len(cells) == 1 and isinstance(cells[0], Read)


def lays_out(instance: Instance) -> bool:
    """Tell whether an operation only makes what all programs may have anyway.

    That is a tensor of one number, or one with other axes of one position.
    """
    if not moves(instance):
        return [type(term) for _, term in instance.result.pieces] == [Scalar]
    result, (operand, *_) = instance.result, instance.operands
    (cell,) = (term for _, term in result.pieces if isinstance(term, Read))
    moving = [index for index, extent in zip(cell.indices, operand.shape, strict=True) if extent != ONE]
    axes = [Affine.var(n) for n, extent in zip(result.indices, result.shape, strict=True) if extent != ONE]
    wide = [[extent for extent in shape if extent != ONE] for shape in (operand.shape, result.shape)]
    return moving == axes and wide[0] == wide[1]


def _simplicity(instance: Instance) -> tuple[int, bool]:
    most = max(len(operand.shape) for operand in instance.operands)
    return most, instance.form is not None and bool(instance.form.body)


@cache
def _by_positions(instance: Instance) -> str:
    """Show what an instance computes, with its names replaced by numbers."""
    own = (*(o.name for o in instance.operands), *instance.sizes)
    names = dict.fromkeys((*own, *(n for d in instance.definitions for n in (*d.indices, d.name))))
    numbers = {name: f"${number}" for number, name in enumerate(names)}
    shown = "\n".join([*map(_typed, instance.operands), *map(show_definition, instance.definitions)])
    return re.sub(r"\w+", lambda found: numbers.get(found[0], found[0]), shown)


def _typed(operand: InstanceOperand) -> str:
    return f"{operand.name} {operand.dtype} {operand.shape} {operand.is_number} {operand.value}"


class Imported(Step):
    """An imported operation on operands that fit its instance, those aside that are constants.

    Tensors whose cells it does not read are no operands either: ``written`` has a pool of the kind of each.
    """

    def __init__(
        self, instance: Instance, operands: tuple[Pool, ...], written: Mapping[str, Pool], result: Kind
    ) -> None:
        self.op = instance.operation
        self.instance = instance
        self.operands = operands
        self.result = result
        self._written = written
        shapes = tuple((name, pool.shape) for name, pool in written.items())
        self._traced = traced(instance, tuple(pool.shape for pool in operands), shapes)

    def needs(self, cells: Positions, shape: tuple[int, ...]) -> list[Positions]:  # noqa: ARG002 - a cell has a number
        """Return the cells of each operand that any of the cells depends on.

        Raises:
            Undefined: where a cell is divided by zero whatever the operands.

        """
        return self._traced.plan(cells).needs

    def combine(self, parts: Sequence[Elements], cells: Positions) -> Elements:
        """Evaluate the graph of the cells."""
        graph, plan = self._traced.graph, self._traced.plan(cells)
        values: dict[int, Elements] = {}
        for node, operand, place in plan.reads:
            values[node] = parts[operand][place]
        for node in plan.computed:
            if graph.op[node] == "constant":
                values[node] = np.array(graph.value[node], np.uint64)
            else:
                operands = [values[o] for o in graph.operands[node]]
                values[node] = _applied(graph.op[node], graph, node, operands)
        least = (1,) * max((part.ndim - 1 for part in parts), default=0)
        shape = np.broadcast_shapes(least, *(values[node].shape for node in plan.results))
        cells_of = np.empty((len(plan.results), *shape), np.uint64)
        for place, node in enumerate(plan.results):
            cells_of[place] = values[node]
        return cells_of

    def operand_axes(self, axes: Axes, scope: Scope) -> list[Axes]:  # noqa: ARG002 - operands are positional
        """Return numbered axes: operands are taken as they lie."""
        return [tuple(map(str, range(len(pool.shape)))) for pool in self.operands]

    def build(self, values: list[Value], axes: Axes, scope: Scope) -> Value:
        """Apply the operation."""
        build, given = scope.build, iter(values)
        arguments: list[Expression] = []
        for own in self.instance.operands:
            if own.value is not None:
                arguments.append(build.full(build.literal(own.value, own.dtype), own.shape, own.dtype))
            elif own.name in self._written:
                arguments.append(build.empty(self._written[own.name].kind.extents, own.dtype))
            else:
                arguments.append(next(given).expression)
        return Value(build.operation(self.instance, tuple(arguments)), axes)


class Squeezed(Step):
    """The same cells without the axes of one position."""

    op = "squeeze"

    def __init__(self, operand: Pool, result: Kind) -> None:
        self.operands = (operand,)
        self.result = result

    def needs(self, cells: Positions, shape: tuple[int, ...]) -> list[Positions]:  # noqa: ARG002 - a cell has a number
        """Return the same cells."""
        return [cells]

    def combine(self, parts: Sequence[Elements], cells: Positions) -> Elements:  # noqa: ARG002 - as above
        """Return the cells as they are."""
        return parts[0]

    def operand_axes(self, axes: Axes, scope: Scope) -> list[Axes]:  # noqa: ARG002 - as above
        """Return numbered axes."""
        return [tuple(map(str, range(len(self.operands[0].shape))))]

    def build(self, values: list[Value], axes: Axes, scope: Scope) -> Value:
        """Take the only position of each such axis."""
        expression = values[0].expression
        items = [At(ZERO) if extent == ONE else whole(extent) for extent in expression.shape]
        return Value(scope.build.subscript(expression, items), axes)


def _applied(op: str, graph: Graph, node: int, operands: list[Elements]) -> Elements:
    """Apply a function of a graph to values; an extreme may have any number of operands."""
    if op == "div":
        return gf.mul(operands[0], gf.inverse(operands[1]))
    if op in EXTREMES:
        ordered = np.sort(np.stack(np.broadcast_arrays(*operands)), axis=0)
        return gf.mixed_arrays(op, graph.dtype[node], list(ordered))
    return applied(op, graph.dtype[node], operands)


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
    def _cells(self) -> Computed:
        """What the operation computes of symbols."""
        own = {operand.name: place for place, operand in enumerate(self._instance.free)}
        operands = self._instance.operands
        arrays = [self._symbols(o, own[o.name]) if o.name in own else self._unread(o) for o in operands]
        return Computed(self.graph, self._instance, arrays)

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
