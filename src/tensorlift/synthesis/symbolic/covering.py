"""Covering definitions by an engine that finds an expression for a task: the same for every engine that searches.

A solution may hold the number that a size happens to be where it was found; it is tried with the size in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.ir.rewriting import rewritten
from tensorlift.ir.tensor_program import Assign, Literal, walk_expressions
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE
from tensorlift.synthesis.derive.pieces import PieceLowering, whole_value
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.symbolic.graph import Graph, Undefined
from tensorlift.synthesis.symbolic.meaning import Meaning
from tensorlift.synthesis.symbolic.points import Unlike, Untraceable, compact_sizes, small_sizes
from tensorlift.synthesis.symbolic.task import Task
from tensorlift.synthesis.symbolic.trace import FREE, Tracer, trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.terms import Term
    from tensorlift.ir.tensor_program import Expression, Statement
    from tensorlift.synthesis.derive.builder import Builder
    from tensorlift.synthesis.derive.lower import DiesHere
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.symbolic.trace import Nodes


_LEAST = (3, 4)  # the least size in each of the two traces


ANOTHER = Untraceable.remedy


class Exhausted(Exception):  # noqa: N818 - an end, not a fault
    """Raised where a limit is met; the text says which, and ``remedy`` what to do."""

    def __init__(self, limit: str, remedy: str = ANOTHER) -> None:
        super().__init__(limit)
        self.remedy = remedy


class Traced:
    """A task with its cells at two sets of sizes: a candidate is found at the first and must hold at both."""

    def __init__(self, task: Task, scope: Scope, *, is_compact: bool = False) -> None:
        """Trace a task; where it is to be compact, at sizes of which several may be equal.

        Raises:
            Untraceable, Undefined: where it has no values at small sizes.

        """
        self.task = task
        self.graph = Graph()
        sizes = compact_sizes if is_compact else small_sizes
        margins = task.margins
        first = sizes(task.symbols, task.relevant, task.extents, _LEAST[0], Unlike(positive=margins))
        apart = Unlike([*task.offsets, *margins], first, margins)
        second = sizes(task.symbols, task.relevant, task.extents, _LEAST[1], apart)
        self.sizes = [first, second]
        self.tracers = [Tracer(self.graph, at, inner=task.inner) for at in self.sizes]
        self.cells = [trace(tracer, task) for tracer in self.tracers]
        self.meanings = [Meaning(self.graph, at) for at in self.sizes]
        self.scope = replace(scope, spans=dict(task.spans), memo={})

    def confirmed(self, value: Value, cells: Sequence[Nodes] | None = None) -> Value | None:
        """Return a value that holds at both sets of sizes: as it is, or with numbers that are sizes named so.

        It holds where it has the nodes ``cells``, by default those of the task.

        As it is, it holds with sizes as symbols, or as numbers, with which it may compare positions.
        """
        named = with_sizes(value, self.sizes[0], self.scope.build)
        for version, counts in chain([(value, False), (value, True)], ((other, True) for other in named)):
            expression = self.scope.aligned(version, self.task.axes)
            tests = zip(self.meanings, cells or self.cells, strict=True)
            if all(self._holds(expression, at, wanted, counts=counts) for at, wanted in tests):
                return version
        return None

    def _holds(self, expression: Expression, at: Meaning, wanted: Nodes, *, counts: bool) -> bool:
        """Tell whether an expression has the wanted nodes at some sizes, in every cell that counts.

        With ``counts`` sizes are the numbers that they are there, and no symbols.
        """
        try:
            found = np.broadcast_to(at.of(expression), wanted.shape)
        except (Undefined, ValueError, IndexError):
            return False
        if counts:
            found, wanted = (at_numbers(self.graph, nodes, at.sizes) for nodes in (found, wanted))
        return bool(((found == wanted) | (wanted == FREE)).all())


Find = Callable[[Traced, str], "Value | None"]  # the value of a task that has a name


class Covering:
    """Covers the definitions of one program, box by box where they fall into boxes.

    Where definitions are to be looked through, ``inner``, each is covered as a whole.
    """

    def __init__(self, find: Find, inner: Mapping[str, Definition] | None = None, *, is_compact: bool = False) -> None:
        self.find = find
        self.inner = inner or {}
        self.is_compact = is_compact

    def statements(self, definition: Definition, scope: Scope, dies_here: DiesHere) -> list[Statement]:
        """Return the statements that compute a definition.

        Raises:
            LiftError: TL311 where nothing is found, TL312 where the budget is spent before.

        """
        try:
            boxes = PieceLowering(definition, replace(scope, evaluate=self._part), dies_here)
            if not self.inner and boxes.is_in_boxes:
                return boxes.statements()
            try:
                task = Task(definition.pieces, scope.spans, scope.domain, scope.shapes, self.inner)
                value = self._found(task, scope, definition.name)
            except (Untraceable, Undefined):
                if self.inner or len(definition.pieces) == 1:
                    raise
                return self._in_pieces(boxes)
            return [Assign(definition.name, whole_value(value, definition, scope), definition.name)]
        except (Untraceable, Undefined) as error:
            message, remedy = str(error) or "a division by zero at small sizes", getattr(error, "remedy", ANOTHER)
            raise refuse("TL311", f"{definition.array}: {message}", definition.location, remedy) from None
        except Exhausted as error:
            message = f"{definition.array}: no program was found within {error}"
            raise refuse("TL312", message, definition.location, error.remedy) from None

    def _in_pieces(self, boxes: PieceLowering) -> list[Statement]:
        """Return the statements of pieces that are selected where they hold, each a task of its own."""
        try:
            return boxes.statements()
        except LiftError as error:
            raise Untraceable(error.diagnostics[0].message) from None

    def _part(self, term: Term, scope: Scope) -> Value:
        """Return the value of a term in a box."""
        return self._found(Task(((UNIVERSE, term),), scope.spans, scope.domain, scope.shapes), scope, "a part")

    def _found(self, task: Task, scope: Scope, name: str) -> Value:
        value = self.find(Traced(task, scope, is_compact=self.is_compact), name)
        if value is None:
            raise Untraceable("the engine finds no operations of the target that compute it")
        return value


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
