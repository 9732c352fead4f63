"""Steps: one operation of the target's grammar with its attributes, between kinds of candidates.

A step evaluates whole blocks of candidates at once.  For some flat cells of its result it needs certain cells of each
operand (`needs`), one or a run of them; `combine` takes these, with candidates along one axis for each operand, and
gives the result's cells; `build` gives the expression, with axes of given names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.synthesis.derive.contraction import contract, reduced
from tensorlift.synthesis.derive.elementwise import guarded_operands
from tensorlift.synthesis.derive.reductions import start_of
from tensorlift.synthesis.sketch.algebra import reduction_axis
from tensorlift.synthesis.symbolic import field as gf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.scope import Scope, Value
    from tensorlift.synthesis.enumerate.pools import Kind, Pool, Positions
    from tensorlift.synthesis.symbolic.field import Elements

_SORTED = frozenset({"max", "min", "fmax", "fmin", "eq", "ne", "and", "or", "bitand", "bitor", "bitxor"})
_COMMUTATIVE = _SORTED | {"add", "mul"}
_ARITHMETIC = {"sum": gf.add, "prod": gf.mul}
_MIRRORED = {"gt": "lt", "ge": "le"}
Axes = tuple[str, ...]


class Step(ABC):
    """One operation between kinds of candidates, ``operands``, with a result of the kind ``result``."""

    op: str
    operands: tuple[Pool, ...]
    result: Kind
    inverts_last = False  # whether the last operand is needed as its reciprocal
    is_symmetric = False  # whether exchanging the operands changes nothing

    @abstractmethod
    def needs(self, cells: Positions, shape: tuple[int, ...]) -> list[Positions]:
        """Return the flat cells of each operand for flat cells of a result, runs along a last axis."""

    @abstractmethod
    def combine(self, parts: Sequence[Elements], cells: Positions) -> Elements:
        """Return the flat cells of the result from those of the operands, which broadcast together."""

    @abstractmethod
    def operand_axes(self, axes: Axes, scope: Scope) -> list[Axes]:
        """Return the names of the operands' axes for those of the result."""

    @abstractmethod
    def build(self, values: list[Value], axes: Axes, scope: Scope) -> Value:
        """Return the expression."""


class Cellwise(Step):
    """A scalar function, cell by cell; ``places`` say which axis of the result each axis of an operand is."""

    def __init__(self, op: str, operands: tuple[Pool, ...], places: tuple[tuple[int, ...], ...], result: Kind) -> None:
        self.op = op
        self.operands = operands
        self.places = places
        self.result = result
        self.inverts_last = op == "div"
        self.is_symmetric = op in _COMMUTATIVE and operands[0] is operands[1] and places[0] == places[1]

    def needs(self, cells: Positions, shape: tuple[int, ...]) -> list[Positions]:
        """Return one cell of each operand for a cell."""
        index = np.unravel_index(cells, shape) if shape else ()
        found = []
        for pool, places in zip(self.operands, self.places, strict=True):
            own = tuple(index[place] for place in places)
            found.append(np.ravel_multi_index(own, pool.shape) if own else np.zeros_like(cells))
        return [np.asarray(positions, np.int64) for positions in found]

    def combine(self, parts: Sequence[Elements], cells: Positions) -> Elements:  # noqa: ARG002 - the parts are in order
        """Apply the function."""
        return applied(self.op, self.result.dtype, parts)

    def operand_axes(self, axes: Axes, scope: Scope) -> list[Axes]:  # noqa: ARG002 - other steps name sums in it
        """Return the axes by their places."""
        return [tuple(axes[place] for place in places) for places in self.places]

    def build(self, values: list[Value], axes: Axes, scope: Scope) -> Value:  # noqa: ARG002 - their order is free
        """Apply the function."""
        return scope.combined(self.op, *guarded_operands(self.op, values, scope))


class Fold(Step):
    """A fold over one axis of each operand, of their products where there are two; the other axes stay, in order."""

    def __init__(self, op: Reducer, operands: tuple[Pool, ...], axes: tuple[int, ...], result: Kind) -> None:
        self.op = self.reducer = op
        self.operands = operands
        self.axes = axes
        self.result = result
        self.is_symmetric = len(set(operands)) < len(operands) and len(set(axes)) == 1 and not result.extents

    def needs(self, cells: Positions, shape: tuple[int, ...]) -> list[Positions]:
        """Return the cells along the axis."""
        index = list(np.unravel_index(cells, shape)) if shape else []
        found, start = [], 0
        for pool, axis in zip(self.operands, self.axes, strict=True):
            own = index[start : start + len(pool.shape) - 1]
            start += len(own)
            found.append(_run(own, axis, pool.shape, len(cells)))
        return found

    def combine(self, parts: Sequence[Elements], cells: Positions) -> Elements:  # noqa: ARG002 - the parts are in order
        """Multiply, and fold along the runs, which are the second axis."""
        columns = (reduce(gf.mul, (part[:, k] for part in parts)) for k in range(parts[0].shape[1]))
        if self.reducer in _ARITHMETIC:
            return reduce(_ARITHMETIC[self.reducer], columns)
        return gf.mixed_arrays(self.op, self.result.dtype, list(np.sort(np.stack(list(columns)), axis=0)))

    def operand_axes(self, axes: Axes, scope: Scope) -> list[Axes]:
        """Insert the axis that is folded over."""
        name = reduction_axis(self.operands[0].kind.extents[self.axes[0]], axes, scope)
        count = len(self.operands[0].shape) - 1
        return [
            (*own[:axis], name, *own[axis:]) for own, axis in zip((axes[:count], axes[count:]), self.axes, strict=False)
        ]

    def build(self, values: list[Value], axes: Axes, scope: Scope) -> Value:
        """Contract or fold."""
        if self.reducer == "sum":
            return contract(values, axes, scope)
        (value,) = values
        (name,) = (axis for axis in value.axes if axis not in axes)
        extent = value.expression.shape[value.axes.index(name)]
        start = start_of(self.reducer, value.expression.dtype, [extent], scope)
        return reduced(self.reducer, value, (name,), scope, start)


def _run(own: Sequence[Positions], axis: int, shape: tuple[int, ...], count: int) -> Positions:
    """Return the flat cells along an axis, the other indices given."""
    index = [np.asarray(i)[:, None] for i in own]
    index.insert(axis, np.broadcast_to(np.arange(shape[axis]), (count, shape[axis])))
    return np.asarray(np.ravel_multi_index(tuple(np.broadcast_arrays(*index)), shape), np.int64)


def applied(op: str, dtype: DType, parts: Sequence[Elements]) -> Elements:
    """Apply a scalar function to values that broadcast together, as the graph of nodes does; a divisor is inverted."""
    if op in ("mul", "div"):
        return gf.mul(parts[0], parts[1])
    if op == "add":
        return gf.add(parts[0], parts[1])
    if op == "sub":
        return gf.sub(parts[0], parts[1])
    if op == "neg":
        return gf.sub(np.zeros_like(parts[0]), parts[0])
    if op == "select" and bool((parts[0] <= 1).all()):  # the condition is of positions, not of data
        return np.where(parts[0] == 1, parts[1], parts[2])
    if op in _SORTED:
        parts = [np.minimum(*parts), np.maximum(*parts)]
    if op in _MIRRORED:
        op, parts = _MIRRORED[op], parts[::-1]
    return gf.mixed_arrays(op, dtype, parts)
