"""Regions of a task: the cells at which a condition of the source on positions holds, as masks for programs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.derive.masks import mask_of
from tensorlift.synthesis.symbolic.points import contains, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.domain import Domain
    from tensorlift.synthesis.derive.scope import Scope, Value
    from tensorlift.synthesis.symbolic.task import Task
    from tensorlift.synthesis.symbolic.trace import Cells


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
        cells = _cells(condition, axes, scope, sizes)
        if {(axes, cells.tobytes()), (axes, (~cells).tobytes())}.isdisjoint(found) and 0 < cells.sum() < cells.size:
            found[axes, cells.tobytes()] = Region(axes, cells, condition, scope)
    return list(found.values())


def _cells(condition: Domain, axes: tuple[str, ...], scope: Scope, sizes: Mapping[str, int]) -> Cells:
    firsts = [evaluate(scope.spans[axis][0], sizes) for axis in axes]
    cells = np.zeros([evaluate(scope.extent(axis), sizes) for axis in axes], np.bool_)
    for index in np.ndindex(*cells.shape):
        positions = (first + k for first, k in zip(firsts, index, strict=True))
        cells[index] = contains(condition, {**sizes, **dict(zip(axes, positions, strict=True))})
    return cells
