"""Leaves of a search: scalars, and the views of arrays through which a task reads them.

A read ``A(h, i + 1)`` with ``0 <= i < n - 1`` is a cell of the view ``A[h, 1:]``.  Such views, the whole arrays and
the diagonals that are read are what programs are built from.  A read ``A(i + p, j + q)`` moves along windows, whose
cells occur in several of them: such views are found by `windows_of`.

The regions of a task are the cells at which a condition of the source on positions holds, as masks for programs.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.diagnostics import LiftError
from tensorlift.ir.tensor_program import At, Range, Reverse
from tensorlift.ir.views import whole
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain
from tensorlift.synthesis.derive.masks import mask_of
from tensorlift.synthesis.derive.reads import read_value
from tensorlift.synthesis.derive.scope import ranges_of, span_box
from tensorlift.synthesis.symbolic.meaning import Meaning
from tensorlift.synthesis.symbolic.points import contains

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.terms import Read
    from tensorlift.ir.tensor_program import Expression, Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.derive.scope import Scope, Value
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.task import Task
    from tensorlift.synthesis.symbolic.trace import Cells, Nodes


@dataclass(frozen=True, eq=False)
class View:
    """An expression without computation, its extents, and the nodes of its cells."""

    expression: Expression
    extents: Shape
    nodes: Nodes


@dataclass(frozen=True)
class _Access:
    """How reads touch an array: a subscript for each axis, and the pair of axes read along their diagonal."""

    array: str
    items: tuple[SubscriptItem, ...]
    reversed_axes: tuple[int, ...]
    is_diagonal: bool


def views_of(graph: Graph, task: Task, scope: Scope, sizes: Mapping[str, int]) -> list[View]:
    """Return the views of the arrays that a task reads at small sizes, the most specific first.

    Raises:
        Untraceable: where an array is large even at small sizes.

    """
    views, meaning = [], Meaning(graph, sizes)
    for access, dtype in _accesses(task, scope, frozenset(sizes)).items():
        shape = scope.shapes[access.array]
        concrete = (extent.evaluate(sizes) for extent in shape)
        if all(_exists(item, extent, sizes) for item, extent in zip(access.items, concrete, strict=True)):
            expression = _view(access, scope.build.variable(access.array, dtype, shape), scope)
            views.append(View(expression, expression.shape, np.array(meaning.of(expression), order="C")))
    return views  # without those in which no read comes at these sizes


def windows_of(graph: Graph, task: Task, scope: Scope, sizes: Mapping[str, int]) -> list[View]:
    """Return the views of the reads that are no plain slices: windows, cells at steps, gathered cells.

    A read that leaves its array somewhere in the box of its variables has none.
    """
    views: dict[Expression, View] = {}
    meaning = Meaning(graph, sizes)
    places = (*task.axes, *(index for definition in task.looked_through for index in definition.indices))
    for read, where in task.reads:
        expression = _moving(read, where, scope, frozenset(sizes), places)
        if expression is None or expression in views:
            continue
        with suppress(ValueError, IndexError):  # no read comes there at these sizes
            views[expression] = View(expression, expression.shape, np.array(meaning.of(expression), order="C"))
    return [view for view in views.values() if view.nodes.size]


def _moving(read: Read, where: Domain, scope: Scope, sizes: frozenset[str], places: Sequence[str]) -> Expression | None:
    """Return the cells of a read over the box of all variables in its subscripts, None where it is a plain slice.

    The ``places`` of windows are its first axes.
    """
    if _access(read, where, scope, sizes) is not None:
        return None
    moving = dict.fromkeys(v for index in read.indices for v in index.variables if v not in sizes)
    names = sorted(moving, key=lambda name: name not in places)
    spans = ranges_of(where, names, [v for v in where.variables() if v not in sizes])
    if not spans:
        return None
    if not (scope.context & span_box(spans)).is_subset(Domain.box(read.indices, scope.shapes[read.array])):
        return None
    return read_value(read, replace(scope, spans=spans, domain=where, memo={})).expression


def _view(access: _Access, variable: Expression, scope: Scope) -> Expression:
    expression = scope.build.subscript(variable, list(access.items))
    if access.reversed_axes:
        items = [Reverse() if k in access.reversed_axes else whole(e) for k, e in enumerate(expression.shape)]
        expression = scope.build.subscript(expression, items)
    return scope.build.diagonal(expression) if access.is_diagonal else expression


def _exists(item: SubscriptItem, extent: int, sizes: Mapping[str, int]) -> bool:
    """Tell whether a position, or all of a range that is not empty, lies in its axis."""
    if isinstance(item, At):
        return 0 <= item.index.evaluate(sizes) < extent
    assert isinstance(item, Range)
    start, stop = item.start.evaluate(sizes), item.stop.evaluate(sizes)
    return stop <= start or (start >= 0 and stop <= extent)


def _accesses(task: Task, scope: Scope, sizes: frozenset[str]) -> dict[_Access, DType]:
    found: dict[_Access, DType] = {}
    for read, where in task.reads:
        access = _access(read, where, scope, sizes)
        if access is not None:
            found.setdefault(access, read.dtype)
    for read, _ in task.reads:
        items = tuple(whole(extent) for extent in scope.shapes[read.array])
        found.setdefault(_Access(read.array, items, (), is_diagonal=False), read.dtype)
    return found


def _access(read: Read, where: Domain, scope: Scope, sizes: frozenset[str]) -> _Access | None:
    """Return the view of the cells that a read touches, None where they are no plain slices."""
    moving = [[v for v in index.variables if v not in sizes] for index in read.indices]
    names = tuple(dict.fromkeys(v for group in moving for v in group))
    spans = ranges_of(where, names, [v for v in where.variables() if v not in sizes]) if names else {}
    if spans is None or any(len(group) > 1 for group in moving):
        return None
    items: list[SubscriptItem] = []
    reversed_axes = []
    for index, group, extent in zip(read.indices, moving, scope.shapes[read.array], strict=True):
        if not group:
            items.append(At(index))
            continue
        (name,) = group
        factor, (first, after) = index.coefficient(name), spans[name]
        rest = index - Affine.var(name, factor)
        if abs(factor) != 1:
            return None
        if factor == -1:
            reversed_axes.append(sum(not isinstance(item, At) for item in items))
            first, after = ONE - after, ONE - first
        first, after = first + rest, after + rest
        items.append(whole(extent) if (first, after) == (ZERO, extent) else scope.range(first, after, extent))
    used = [group[0] for group in moving if group]
    if len(set(used)) == len(used):
        return _Access(read.array, tuple(items), tuple(reversed_axes), is_diagonal=False)
    is_square = len(used) == 2 and not reversed_axes and _same_extents(items)  # noqa: PLR2004 - the axes of a matrix
    return _Access(read.array, tuple(items), (), is_diagonal=True) if is_square else None


def _same_extents(items: list[SubscriptItem]) -> bool:
    ranges = [item for item in items if isinstance(item, Range)]
    return all(r.stop - r.start == ranges[0].stop - ranges[0].start for r in ranges)


@dataclass(frozen=True, eq=False)
class Region:
    """Where a condition holds: its cells over ``axes`` at small sizes."""

    axes: tuple[str, ...]
    cells: Cells
    condition: Domain
    scope: Scope

    @cached_property
    def mask(self) -> Value | None:
        """The truth values over the axes, None where no program has them."""
        try:
            return mask_of(self.condition, self.scope)
        except LiftError:
            return None

    def over(self, axes: tuple[str, ...]) -> Cells | None:
        """Return the cells of an array over more axes, others of extent 1; None where one is missing."""
        if not set(self.axes) <= set(axes):
            return None
        order = [self.axes.index(axis) for axis in axes if axis in self.axes]
        shape = [self.cells.shape[self.axes.index(axis)] if axis in self.axes else 1 for axis in axes]
        return np.transpose(self.cells, order).reshape(shape)


def regions_of(task: Task, scope: Scope, sizes: Mapping[str, int]) -> list[Region]:
    """Return the regions into which conditions on positions divide a task, each once, at small sizes."""
    found: dict[tuple[tuple[str, ...], bytes], Region] = {}
    for condition in task.divisions:
        axes = scope.ordered(condition.variables())
        if not axes or any(v not in sizes and v not in axes for v in condition.variables()):
            continue
        cells = holding(condition, axes, scope, sizes)
        if {(axes, cells.tobytes()), (axes, (~cells).tobytes())}.isdisjoint(found) and 0 < cells.sum() < cells.size:
            found[axes, cells.tobytes()] = Region(axes, cells, condition, scope)
    return list(found.values())


def holding(condition: Domain, axes: tuple[str, ...], scope: Scope, sizes: Mapping[str, int]) -> Cells:
    """Return where a condition holds in the box of some axes at small sizes."""
    firsts = [scope.spans[axis][0].evaluate(sizes) for axis in axes]
    cells = np.zeros([scope.extent(axis).evaluate(sizes) for axis in axes], np.bool_)
    for index in np.ndindex(*cells.shape):
        positions = (first + k for first, k in zip(firsts, index, strict=True))
        cells[index] = contains(condition, {**sizes, **dict(zip(axes, positions, strict=True))})
    return cells
