"""Stores into slices: which of them update the cells that they write, which write every cell, and what they read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import (
    Assign,
    Elementwise,
    Expression,
    For,
    Range,
    SetSlice,
    Shape,
    Statement,
    Subscript,
    SubscriptItem,
    Variable,
    values_of,
    variables_in,
)
from tensorlift.poly.affine import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


def read_first(body: Iterable[Statement]) -> Iterator[str]:
    """Yield the variables that statements may read before they assign them; a store reads what it changes."""
    assigned: set[str] = set()
    for statement in body:
        if isinstance(statement, For):
            read = {*read_first(statement.body), *(v.name for v in values_of(statement) if isinstance(v, Variable))}
            yield from (name for name in read if name not in assigned)
            continue
        read = {name for value in values_of(statement) for name in variables_in(value)}
        if isinstance(statement, SetSlice):
            read.add(statement.name)
        yield from read - assigned
        if isinstance(statement, Assign):
            assigned.add(statement.name)
