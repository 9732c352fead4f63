"""Parts: what a solution computes on its way that definitions of the source name.

A solution that looks through definitions says nothing of them, and a proof through many operations at once is long.  A
part of its expression that has the cells of such a definition, or of its transpose, at both sets of sizes becomes a
variable which claims to be that definition, so that the proof goes from one to the next.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.ir.rewriting import rewritten, with_operands
from tensorlift.ir.tensor_program import (
    Assign,
    Broadcast,
    Diagonal,
    Literal,
    SizeValue,
    Subscript,
    Transpose,
    Variable,
    walk_expressions,
)
from tensorlift.synthesis.symbolic.graph import Undefined
from tensorlift.synthesis.symbolic.points import Untraceable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.ir.tensor_program import Expression, Shape, Statement
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.builder import Builder
    from tensorlift.synthesis.symbolic.covering import Traced
    from tensorlift.synthesis.symbolic.trace import Nodes

Part = tuple["Definition", bool]  # a definition, and whether the part is its transpose
_Look = tuple["DType", "Shape", bytes]  # what a value is at small sizes
_MATRIX = 2  # axes
_PLAIN = (Literal, SizeValue, Variable, Subscript, Transpose, Diagonal, Broadcast)


class Parts:
    """The parts of expressions that are definitions."""

    def __init__(self) -> None:
        self.definitions: dict[Expression, Part] = {}

    def find(self, root: Expression, traced: Traced) -> None:
        """Look for definitions that a task looks through among the parts of its solution."""
        known: dict[_Look, Part] = {}
        for definition in traced.task.looked_through:
            nodes = _nodes_of(definition, traced)
            if nodes is not None:
                known.setdefault((definition.dtype, definition.shape, _bytes(nodes)), (definition, False))
                if len(definition.shape) == _MATRIX:
                    turned = _bytes([n.T for n in nodes])
                    known.setdefault((definition.dtype, definition.shape[::-1], turned), (definition, True))
        for node in walk_expressions(root):
            if not isinstance(node, _PLAIN):
                cells = _bytes([meaning.of(node) for meaning in traced.meanings])
                found = known.get((node.dtype, node.shape, cells))
                if found is not None:
                    self.definitions[node] = found

    def named(self, body: Sequence[Statement], build: Builder) -> tuple[Statement, ...]:
        """Return the statements of a block with the parts assigned to variables before the first use."""
        statements: list[Statement] = []
        done: dict[Expression, Expression] = {}
        assigned: set[str] = set()

        def rule(node: Expression, original: Expression) -> Expression:
            if original not in self.definitions:
                return node
            definition, is_turned = self.definitions[original]
            if definition.name not in assigned:
                assigned.add(definition.name)
                own = build.transpose(node, (1, 0)) if is_turned else node
                statements.append(Assign(definition.name, own, definition.name))
            variable = build.variable(definition.name, definition.dtype, definition.shape)
            return build.transpose(variable, (1, 0)) if is_turned else variable

        for statement in body:
            if isinstance(statement, Assign):
                operands = tuple(rewritten(operand, rule, done) for operand in statement.value.operands)
                statement = replace(statement, value=with_operands(statement.value, operands))  # noqa: PLW2901 - rewritten
            statements.append(statement)
        return tuple(statements)


def _nodes_of(definition: Definition, traced: Traced) -> list[Nodes] | None:
    """Return the cells of a definition at both sets of sizes, None where one has no value."""
    found: list[Nodes] = []
    for tracer, sizes in zip(traced.tracers, traced.sizes, strict=True):
        shape = tuple(extent.evaluate(sizes) for extent in definition.shape)
        try:
            nodes = [tracer.inside(definition.name, index) for index in np.ndindex(*shape)]
        except (Untraceable, Undefined):
            return None
        found.append(np.array(nodes, np.int64).reshape(shape))
    return found


def _bytes(nodes: Sequence[Nodes]) -> bytes:
    return b"".join(n.tobytes() for n in nodes)
