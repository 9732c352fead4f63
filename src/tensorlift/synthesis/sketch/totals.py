"""Folds over an axis as one would write them: of a fold, one over several axes; the sum of a product, a contraction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import At, Contraction, Elementwise, NewAxis, Reduction, Subscript
from tensorlift.synthesis.derive.contraction import contract
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.construct import negated

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Expression
    from tensorlift.synthesis.derive.scope import Scope


def total(value: Value, name: str, scope: Scope, *, has_contractions: bool) -> Value:
    """Return a value summed over one of its axes."""
    node = value.expression
    kept = tuple(axis for axis in value.axes if axis != name)
    if isinstance(node, Elementwise) and node.op == "neg":
        (inner,) = node.arguments
        return negated(total(Value(inner, value.axes), name, scope, has_contractions=has_contractions), scope)
    if isinstance(node, Elementwise) and node.op == "mul" and has_contractions:
        factors = [_named(argument, value, scope) for argument in node.arguments]
        known = [factor for factor in factors if factor is not None and name in factor.axes]
        if len(known) == len(factors):
            return contract(known, kept, scope)
    if isinstance(node, Contraction):
        position = value.axes.index(name)
        label = node.output[position]
        if all(label in labels for labels in node.labels):
            output = node.output[:position] + node.output[position + 1 :]
            return Value(scope.build.contraction(node.arguments, node.labels, output), kept)
    return folded("sum", value, name, None, scope)


def folded(op: Reducer, value: Value, name: str, start: Expression | None, scope: Scope) -> Value:
    """Return a value folded over one of its axes, from a start where that axis may be empty."""
    node, position = value.expression, value.axes.index(name)
    kept = tuple(axis for axis in value.axes if axis != name)
    if isinstance(node, Reduction) and node.op == op and node.initial is start:
        left = [axis for axis in range(node.argument.rank) if axis not in node.axes]
        axes = tuple(sorted((*node.axes, left[position])))
        return Value(scope.build.reduction(op, node.argument, axes, start), kept)
    return Value(scope.build.reduction(op, node, (position,), start), kept)


def _named(argument: Expression, value: Value, scope: Scope) -> Value | None:
    """Return an operand with the axes of the result that it has, None where that is not plain to see."""
    view, own = argument, value.axes[len(value.axes) - argument.rank :]
    if isinstance(argument, Subscript):
        made = [isinstance(item, NewAxis) for item in argument.items if not isinstance(item, At)]
        own = tuple(axis for k, axis in enumerate(own) if k >= len(made) or not made[k])
        view = scope.build.subscript(argument.argument, [i for i in argument.items if not isinstance(i, NewAxis)])
    return Value(view, own) if view.shape == tuple(map(scope.extent, own)) else None
