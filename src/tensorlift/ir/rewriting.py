"""Rewriting expressions of tensor programs from their leaves."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import (
    Along,
    Conditional,
    Contraction,
    Elementwise,
    Expression,
    Gather,
    Operation,
    Scatter,
    SetSlice,
    Subscript,
    Unary,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from tensorlift.poly.affine import Affine

    Rule = Callable[[Expression, Expression], Expression]


def bottom_up(root: Expression, done: Container[Expression]) -> Iterator[Expression]:
    """Yield what is not done of an expression, operands first; the caller adds each to those that are done.

    There is no recursion, so that the depth of an expression does not matter.
    """
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [] if node in done else [operand for operand in node.operands if operand not in done]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if node not in done:
            yield node


def rewritten(root: Expression, rule: Rule, known: dict[Expression, Expression]) -> Expression:
    """Rewrite an expression from its leaves: ``rule(node, original)`` says what becomes of a node.

    Its operands are rewritten already; ``original`` has them as they were.  What is ``known`` stays so.
    """
    for node in bottom_up(root, known):
        known[node] = rule(with_operands(node, tuple(known[operand] for operand in node.operands)), node)
    return known[root]


def affines_in(node: Expression | SetSlice) -> Iterator[Affine]:
    """Yield the expressions of sizes and loop variables that a node itself mentions, its operands aside."""
    yield from node.shape
    fields = ((node, name) for name in ("affine", "offset", "start"))
    items = node.items if isinstance(node, Subscript | SetSlice) else ()
    parts = ((item, name) for item in items for name in ("start", "stop", "index"))
    yield from (getattr(holder, name) for holder, name in chain(fields, parts) if hasattr(holder, name))


def with_operands(expression: Expression, operands: tuple[Expression, ...]) -> Expression:
    """Return the expression on other operands of the same types and shapes; itself where they are its own."""
    if all(new is old for new, old in zip(operands, expression.operands, strict=True)):
        return expression
    if isinstance(expression, Gather):
        return replace(expression, argument=operands[0], indices=operands[1:])
    if isinstance(expression, Scatter):
        return replace(expression, argument=operands[0], indices=operands[1:-1], value=operands[-1])
    if isinstance(expression, Along):
        return expression.on(operands)
    if isinstance(expression, Unary):
        return replace(expression, argument=operands[0])
    if isinstance(expression, Elementwise | Contraction | Operation):
        return replace(expression, arguments=operands)
    if isinstance(expression, Conditional):
        return replace(expression, condition=operands[0], chosen=operands[1], other=operands[2])
    return expression
