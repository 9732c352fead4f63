"""Stores of views into the memory that they view, and whether they write what was there before."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.tensor import SymbolicTensor
from tensorlift.proofs.values import Held
from tensorlift.targets.target import NewAxis, Overlaps

if TYPE_CHECKING:
    from tensorlift.proofs.values import Item
    from tensorlift.targets.target import Subscripts


class Store(NamedTuple):
    """A store ``array[items] = value``, and the text of both sides."""

    target: ast.Subscript
    source: ast.expr
    array: Held
    items: Subscripts
    value: Item

    @property
    def is_cell(self) -> bool:
        """Whether a single cell is written, whose new value is read before."""
        return len(self.items) == self.array.tensor.rank and all(map(_is_index, self.items))

    @property
    def rank(self) -> int:
        """The number of axes of the region that is written, -1 where index arrays pick it."""
        if any(isinstance(item, SymbolicTensor) and item.rank for item in self.items):
            return -1
        added = sum(isinstance(item, NewAxis) for item in self.items)
        return self.array.tensor.rank + added - sum(map(_is_index, self.items))


def shares_memory(array: Item, value: Item) -> bool:
    """Tell whether a value lies in the memory of an array with axes."""
    if not isinstance(array, Held) or not isinstance(value, Held) or not array.tensor.rank:
        return False
    return value.buffer is not None and value.buffer is array.buffer


def writes_old_cells(store: Store, overlaps: Overlaps) -> bool:
    """Tell whether a store writes its value as it was before the store."""
    if overlaps is Overlaps.COPIED or store.is_cell or not shares_memory(store.array, store.value):
        return True
    if overlaps is Overlaps.LOST:
        return False
    return store.rank > 1 or (store.rank == 1 and _is_along(store))


def _is_index(item: object) -> bool:
    return isinstance(item, SymbolicTensor) and not item.rank


def _is_along(store: Store) -> bool:
    """Tell whether the value is one cell, or a part of the same axis in steps as long or the other way round.

    Each side has one slice then: of subscripts, no more than axes, that leave one axis, none is an ellipsis or new.
    """
    target, source = store.target, store.source
    assert isinstance(store.value, Held)
    if not isinstance(source, ast.Subscript) or ast.dump(source.value) != ast.dump(target.value):
        return False
    if store.value.tensor.rank != 1:
        return not store.value.tensor.rank
    written, read = (_slices(side.slice, store.array.tensor.rank) for side in (target, source))
    if len(written) != 1 or len(read) != 1:
        return False
    (axis, step), (other_axis, other_step) = *written, *read
    return axis == other_axis and (step == other_step or step * other_step < 0)


def _slices(subscript: ast.expr, rank: int) -> list[tuple[int, int]]:
    """Return axis and step of each slice whose step is a number; axes without a subscript are whole."""
    items = subscript.elts if isinstance(subscript, ast.Tuple) else [subscript]
    if len(items) > rank:
        return []
    whole = [ast.Slice()] * (rank - len(items))
    steps = ((axis, _step(item)) for axis, item in enumerate([*items, *whole]) if isinstance(item, ast.Slice))
    return [(axis, step) for axis, step in steps if step]


def _step(item: ast.Slice) -> int:
    """Return a step that is written as a number, zero for another."""
    try:
        step = 1 if item.step is None else ast.literal_eval(item.step)
    except ValueError:
        return 0
    return step if isinstance(step, int) else 0
