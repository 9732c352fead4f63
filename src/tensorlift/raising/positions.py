"""Where accesses lie: index values as polynomials over what they are computed from, and the points that reach them.

A value that is no constant, sum, product or linear map of others has a name of its own; so do loop variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineSymExpr,
)

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import UNIVERSE, Constraint, Domain
from tensorlift.comprehension.polynomial import ONE, Polynomial
from tensorlift.raising.outline import is_global

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.ir import SSAValue
    from xdsl.ir.affine import AffineExpr

_ARITHMETIC: dict[str, Callable[[Polynomial, Polynomial], Polynomial]] = {
    "arith.addi": Polynomial.__add__,
    "arith.subi": Polynomial.__sub__,
    "arith.muli": Polynomial.__mul__,
}
_COMBINED = {AffineBinaryOpKind.Add: Polynomial.__add__, AffineBinaryOpKind.Mul: Polynomial.__mul__}


@dataclass
class Positions:
    """Reads indices; ``values`` are those that have a name."""

    values: dict[str, SSAValue] = field(default_factory=dict)
    _names: dict[object, str] = field(default_factory=dict)

    def of(self, value: SSAValue) -> Polynomial:
        """Return the polynomial that an index is."""
        op: Any = value.owner
        if not isinstance(op, Block) and isinstance(value.type, IndexType):
            if op.name == "arith.constant":
                return Polynomial.constant(op.properties["value"].value.data)
            if op.name in _ARITHMETIC:
                return _ARITHMETIC[op.name](*map(self.of, op.operands))
            if op.name == "affine.apply":
                found = self.applied(op.properties["map"].data, op.operands)[0]
                return self._named(value, value) if found is None else found
            if op.name == "memref.dim":
                return self._extent(value, op)
        return self._named(value, value)

    def _extent(self, value: SSAValue, op: Operation) -> Polynomial:
        """Return an extent of a memref, which has one name however often a function asks for it outside of loops."""
        axis = self.of(op.operands[1]).constant_value
        of_type: Any = op.operands[0].type
        if axis is None:
            return self._named(value, value)
        extent = of_type.get_shape()[axis]
        if extent != DYNAMIC_INDEX:
            return Polynomial.constant(extent)
        return self._named((op.operands[0], axis) if is_global(value) else value, value)

    def _named(self, key: object, value: SSAValue) -> Polynomial:
        if key not in self._names:
            self._names[key] = f"x{len(self._names)}"
            self.values[self._names[key]] = value
        return Polynomial.variable(self._names[key])

    def applied(self, affine_map: Any, operands: Sequence[SSAValue]) -> list[Polynomial | None]:
        """Return the results of a map, None for one that divides."""
        known = [self.of(operand) for operand in operands]
        dims, symbols = known[: affine_map.num_dims], known[affine_map.num_dims :]
        return [_expression(result, dims, symbols) for result in affine_map.results]

    def subscripts(self, op: Operation) -> list[Polynomial | None]:
        """Return the subscripts of a load or store."""
        operands = op.operands[1 + op.name.endswith("store") :]
        if not op.name.startswith("affine"):
            return [self.of(operand) for operand in operands]
        found: Any = op.properties["map"]
        return self.applied(found.data, operands)

    # -- points

    def points(self, op: Operation, root: Operation) -> tuple[Domain, bool]:
        """Return what loops and conditions say of the values where an operation inside of a nest runs.

        Tell too whether it certainly runs at all of these points, once the nest is reached.
        """
        found, is_certain, is_around = UNIVERSE, True, False
        inner, outer = op, op.parent_op()
        while outer is not None and outer.name != "func.func":
            parts = list(self._around(outer, inner))
            for part in parts:
                found = found if part is None else found & part
            is_certain = is_certain and (is_around or (bool(parts) and None not in parts))
            is_around = is_around or outer is root
            inner, outer = outer, outer.parent_op()
        return found, is_certain

    def _around(self, outer: Any, inner: Operation) -> Iterator[Domain | None]:
        """Yield what an operation around says: None stands for what is not linear."""
        if outer.name == "affine.for":
            lowers = self.applied(outer.lowerBoundMap.data, outer.lowerBoundOperands)
            uppers = self.applied(outer.upperBoundMap.data, outer.upperBoundOperands)
            yield from self._range(outer.body.block.args[0], lowers, uppers, outer.step.value.data)
        elif outer.name == "scf.for" and "unsignedCmp" not in outer.properties:
            lower, upper, step = map(self.of, outer.operands[:3])
            yield from self._range(outer.body.block.args[0], [lower], [upper], step.constant_value)
        elif outer.name == "scf.parallel":
            bounds = ([*map(self.of, part)] for part in (outer.lowerBound, outer.upperBound, outer.step))
            for variable, lower, upper, step in zip(outer.body.block.args, *bounds, strict=False):
                yield from self._range(variable, [lower], [upper], step.constant_value)
        elif outer.name == "affine.if" and inner.parent is outer.regions[0].block:
            yield from self._condition(outer)

    def _range(
        self,
        variable: SSAValue,
        lowers: Sequence[Polynomial | None],
        uppers: Sequence[Polynomial | None],
        step: int | None,
    ) -> Iterator[Domain | None]:
        """Yield the bounds of a loop variable; its steps count from the only lower bound."""
        index = self.of(variable)
        for lower in lowers:
            yield _at_least(index, lower)
        for upper in uppers:
            yield _at_least(None if upper is None else upper - ONE, index)
        start = linear(lowers[0]) if len(lowers) == 1 else None
        if step != 1:
            (name,) = index.variables()
            yield None if step is None or start is None else Domain.strided(name, start, step)

    def _condition(self, op: Any) -> Iterator[Domain | None]:
        condition = op.properties["condition"].data
        known = [self.of(operand) for operand in op.operands]
        dims, symbols = known[: condition.num_dims], known[condition.num_dims :]
        for item in condition.constraints:
            left, right = (_expression(side, dims, symbols) for side in (item.lhs, item.rhs))
            if item.kind is not AffineConstraintKind.le:
                yield _at_least(left, right)
            if item.kind is not AffineConstraintKind.ge:
                yield _at_least(right, left)


def linear(polynomial: Polynomial | None) -> Affine | None:
    """Return a polynomial as a linear expression; None where it is none."""
    if polynomial is None or not polynomial.is_affine:
        return None
    return Affine(polynomial.terms.get((), 0), {m[0]: value for m, value in polynomial.terms.items() if m})


def _at_least(greater: Polynomial | None, less: Polynomial | None) -> Domain | None:
    """Return the points where one is at least the other; None where that is not linear."""
    difference = None if greater is None or less is None else linear(greater - less)
    return None if difference is None else Domain.of(Constraint(difference))


def _expression(expression: AffineExpr, dims: Sequence[Polynomial], symbols: Sequence[Polynomial]) -> Polynomial | None:
    """Return what an affine expression is, with products of its operands too; None where it divides."""
    if isinstance(expression, AffineConstantExpr):
        return Polynomial.constant(expression.value)
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    assert isinstance(expression, AffineBinaryOpExpr)
    left, right = (_expression(side, dims, symbols) for side in (expression.lhs, expression.rhs))
    combined = _COMBINED.get(expression.kind)
    return None if combined is None or left is None or right is None else combined(left, right)


def is_inside(value: SSAValue, root: Operation) -> bool:
    """Tell whether a value comes about inside of an operation."""
    owner = value.owner.parent_op() if isinstance(value, BlockArgument) else value.owner
    return isinstance(owner, Operation) and (owner is root or root.is_ancestor(owner))
