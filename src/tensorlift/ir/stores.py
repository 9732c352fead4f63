"""Stores into slices: which of them update the cells that they write, and which write every cell."""

from __future__ import annotations

from tensorlift.ir.tensor_program import (
    Elementwise,
    Expression,
    Range,
    SetSlice,
    Shape,
    Subscript,
    SubscriptItem,
    Variable,
)
from tensorlift.poly.affine import ZERO

UPDATES = ("add", "sub", "mul", "div")  # what an update may do with the cells


def in_place(statement: SetSlice) -> tuple[str, Expression]:
    """Return ``add`` and the operand where the value is the slice itself plus something, and so on; else no name."""
    value = statement.value
    if isinstance(value, Elementwise) and value.op in UPDATES:
        first, second = value.arguments
        if is_variable(_argument(first), statement.name) and second.dtype == value.dtype == first.dtype:
            items = first.items if isinstance(first, Subscript) else ()
            if _without_whole(items, statement.shape) == _without_whole(statement.items, statement.shape):
                return value.op, second
    return "", value


def writes_all(statement: SetSlice) -> bool:
    """Tell whether a store writes every cell of its array."""
    return not _without_whole(statement.items, statement.shape)


def is_variable(value: Expression, name: str) -> bool:
    """Tell whether a value is the variable of a name."""
    return isinstance(value, Variable) and value.name == name


def _argument(value: Expression) -> Expression:
    return value.argument if isinstance(value, Subscript) else value


def _without_whole(items: tuple[SubscriptItem, ...], shape: Shape) -> tuple[SubscriptItem, ...]:
    """Leave out the whole axes at the end, which need no item."""
    while items and len(items) <= len(shape) and items[-1] == Range(ZERO, shape[len(items) - 1]):
        items = items[:-1]
    return items
