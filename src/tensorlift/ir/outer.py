"""Outer products: products of a column and a row, as elementwise operations have them."""

from __future__ import annotations

from dataclasses import replace

from tensorlift.ir.tensor_program import Expression, NewAxis, Subscript


def outer_operands(left: Expression, right: Expression) -> tuple[Expression, Expression] | None:
    """Return the two vectors of ``left[:, None] * right``."""
    column = _column(left)
    if column is not None and right.rank == 1:
        return column, right
    column = _column(right)
    return (column, left) if column is not None and left.rank == 1 else None


def _column(node: Expression) -> Expression | None:
    """Return the vector of which the node is ``vector[:, None]``."""
    if node.rank != 2 or not isinstance(node, Subscript) or not isinstance(node.items[-1], NewAxis):  # noqa: PLR2004 - a matrix
        return None
    if sum(isinstance(item, NewAxis) for item in node.items) > 1 or node.argument.rank != len(node.items) - 1:
        return None
    whole = len(node.items) == 2 and node.argument.shape == node.shape[:1]  # noqa: PLR2004 - rows, and a new axis
    return node.argument if whole else replace(node, shape=node.shape[:1], items=node.items[:-1])
