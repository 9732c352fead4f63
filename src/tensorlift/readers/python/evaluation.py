"""Evaluation of expressions: one rule for each kind, in a table that the files of rules fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.ops.c_types import LONG
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import ArrayLike, Operand, Size

RULES: dict[type[ast.expr], Callable[[Context, Any], Operand]] = {}


def evaluate(ctx: Context, node: ast.expr) -> Operand:
    """Evaluate an expression."""
    outer, ctx.at = ctx.at, ctx.place(node)
    ctx.enter()
    found = RULES[type(node)](ctx, node)
    ctx.depth -= 1
    ctx.at = outer
    return found


def number(ctx: Context, node: ast.expr) -> Number:
    """Evaluate an expression that is a number."""
    found = evaluate(ctx, node)
    assert isinstance(found, Number)
    return found


def size(ctx: Context, node: ast.expr) -> Size:
    """Evaluate an expression that is an integer."""
    return as_size(ctx, evaluate(ctx, node))


def as_size(ctx: Context, found: Operand) -> Size:
    """Give an integer as a size."""
    assert isinstance(found, Number)
    assert found.is_integer, "an index or a size"
    if isinstance(found.value, int):
        return found.value
    return ctx.value(ctx.cast(found, LONG))


def array(ctx: Context, node: ast.expr) -> ArrayLike:
    """Evaluate an expression that is an array."""
    found = evaluate(ctx, node)
    assert isinstance(found, View | Rule)
    return found
