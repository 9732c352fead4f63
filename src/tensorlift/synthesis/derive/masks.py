"""Masks: domains as truth arrays over the axes of a scope, one comparison for each constraint.

A constraint between two axes is a triangle or a diagonal, one on a single axis a comparison of its range of integers.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Constraint, Domain, NotAffine, at_least
from tensorlift.poly.variables import disjoint_parts, stride_of, strided, without_divisions
from tensorlift.synthesis.derive.reads import affine_value
from tensorlift.synthesis.derive.scope import Scope, Value


class TriangleShape(NamedTuple):
    """A constraint ``column <= row + offset`` (lower) or ``column >= row + offset`` (upper), from position 0 on."""

    row: str
    column: str
    offset: Affine
    is_upper: bool


_MOST_PARTS = 4


def constraints_of(domain: Domain) -> list[list[Constraint]]:
    """Return the domain as disjoint conjunctions; refuse one that needs an integer division."""
    try:
        parts = domain.coalesce().conjuncts()
        return parts if len(parts) == 1 else disjoint_parts(domain).conjuncts()
    except NotAffine as error:
        message = "a condition needs an integer division"
        raise refuse("TL304", message, remedy="give the loop the step 1") from error


def mask_of(domain: Domain, scope: Scope) -> Value | None:
    """Return where the domain holds inside the scope's own domain and box; None where it holds everywhere."""
    domain = domain.gist(scope.domain & scope.box)
    strided = _strided_mask(domain, scope)
    if strided is not None:
        return strided
    conjunctions = constraints_of(domain)
    if not all(conjunctions):
        return None
    others = _others(domain, conjunctions, scope)
    if others:
        return scope.combined("not", _all_of(others, scope))
    return reduce(partial(scope.combined, "or"), (_all_of(conjunction, scope) for conjunction in conjunctions))


def _all_of(conjunction: list[Constraint], scope: Scope) -> Value:
    return reduce(partial(scope.combined, "and"), (constraint_mask(constraint, scope) for constraint in conjunction))


def _others(domain: Domain, conjunctions: list[list[Constraint]], scope: Scope) -> list[Constraint]:
    """Return the few constraints that hold where a domain of several parts does not; none where they are no fewer."""
    if len(conjunctions) == 1:
        return []
    parts = (scope.box - domain).gist(scope.box).conjuncts()
    return parts[0] if len(parts) == 1 and len(parts[0]) < sum(map(len, conjunctions)) else []


def _strided_mask(domain: Domain, scope: Scope) -> Value | None:
    """Return the mask of every ``step``-th value of an axis or a loop, in what the other constraints leave."""
    if not domain.has_divisions:
        return None
    inside = scope.domain & scope.box
    parts = [part for part in disjoint_parts(domain).parts() if not part.is_disjoint(inside)]
    domain = parts[0] if len(parts) == 1 else domain
    if 1 < len(parts) <= _MOST_PARTS:
        masks = [mask for part in parts if (mask := mask_of(part, scope)) is not None]
        return reduce(partial(scope.combined, "or"), masks) if len(masks) == len(parts) else None
    for name in (*scope.spans, *(v for v in domain.variables() if v not in scope.spans)):
        found = stride_of(domain, name)
        if found is None:
            continue
        offset, step = found
        rest = without_divisions(domain)
        if not (rest & strided(name, offset, step)).is_subset(domain):
            continue
        first = offset.constant
        numbers = affine_value(Affine.var(name) - offset + first, scope)
        remainder = scope.combined("mod", numbers, scope.number(step, "i64"))
        mask = scope.combined("eq", remainder, affine_value(Affine(first), scope))
        within = mask_of(rest, scope)
        return mask if within is None else scope.combined("and", mask, within)
    return None


def constraint_mask(constraint: Constraint, scope: Scope) -> Value:
    """Return where one constraint holds."""
    axes = scope.axes_of_affine(constraint.affine)
    shape = _triangle(constraint.affine, scope)
    if shape is not None and scope.context.implies(*(at_least(scope.extent(axis), 0) for axis in axes)):
        return _matrix_mask(shape, scope, is_diagonal=constraint.is_equality)
    op = "eq" if constraint.is_equality else "ge"
    left, right = _sides(constraint.affine, axes)
    if left.is_constant and right.mentions(axes):
        left, right, op = right, left, "eq" if constraint.is_equality else "le"
    return scope.combined(op, affine_value(left, scope), affine_value(right, scope))


def _sides(difference: Affine, axes: tuple[str, ...]) -> tuple[Affine, Affine]:
    """Write ``difference >= 0`` as ``left >= right`` with positive terms; sizes go away from the axes."""
    moving = {v: c for v, c in difference.terms if v in axes} if axes else dict(difference.terms)
    rest = difference - Affine(0, moving)
    negative = Affine(0, {v: -c for v, c in moving.items() if c < 0})
    positive = Affine(0, {v: c for v, c in moving.items() if c > 0})
    if not axes:
        below = min(difference.constant, 0)
        return positive + (difference.constant - below), negative - below
    return (positive, negative - rest) if positive != ZERO else (rest, negative)


def triangle_of(constraint: Constraint, scope: Scope) -> TriangleShape | None:
    """Return an inequality between two axes as a triangle of the matrix over both, rows before columns."""
    return None if constraint.is_equality else _triangle(constraint.affine, scope)


def _triangle(difference: Affine, scope: Scope) -> TriangleShape | None:
    axes = scope.axes_of_affine(difference)
    if len(axes) != 2 or {difference.coefficient(axis) for axis in axes} != {1, -1}:  # noqa: PLR2004 - rows and columns
        return None
    row, column = axes
    sign = difference.coefficient(row)
    # sign * (row - column) + rest >= 0, and positions count from the first value of each axis
    rest = difference - Affine.var(row, sign) + Affine.var(column, sign)
    shift = scope.spans[row][0] - scope.spans[column][0]
    return TriangleShape(row, column, shift + rest * sign, sign < 0)


def transposed(shape: TriangleShape) -> TriangleShape:
    """Return the same cells of the transposed matrix."""
    return TriangleShape(shape.column, shape.row, -shape.offset, not shape.is_upper)


def _matrix_mask(shape: TriangleShape, scope: Scope, *, is_diagonal: bool) -> Value:
    rows, columns, axes = scope.extent(shape.row), scope.extent(shape.column), (shape.row, shape.column)
    if is_diagonal:
        return Value(scope.build.diagonal_mask(rows, columns, shape.offset), axes)
    if not shape.is_upper:
        return Value(scope.build.triangle_mask(rows, columns, shape.offset), axes)
    below = Value(scope.build.triangle_mask(rows, columns, shape.offset - 1), axes)
    return scope.combined("not", below)
