"""Expressions as one would write them: products with one, sums with negative numbers and the like are simplified.

So are folds over an axis: of a fold, one over several axes; the sum of a product, a contraction.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import At, Contraction, Elementwise, Literal, NewAxis, Reduction, Subscript
from tensorlift.synthesis.derive.contraction import contract, reduced
from tensorlift.synthesis.derive.scope import Value

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Expression
    from tensorlift.synthesis.derive.scope import Scope


def number_of(value: Value) -> Fraction | None:
    """Return the number that a value is, if it is one."""
    expression = value.expression
    return expression.value if isinstance(expression, Literal) and isinstance(expression.value, Fraction) else None


def negated(value: Value, scope: Scope) -> Value:
    """Return ``-value``."""
    number = number_of(value)
    if number is not None:
        return scope.number(-number, value.expression.dtype)
    inner = _inside(value, "neg")
    return inner[0] if inner else scope.combined("neg", value)


def plus(left: Value, right: Value, scope: Scope) -> Value:
    """Return ``left + right``."""
    a, b = number_of(left), number_of(right)
    if a is not None and b is None:
        left, right, a, b = right, left, b, a
    if b is not None and b < 0:
        return scope.combined("sub", left, negated(right, scope))
    if a is None and b is None:
        for first, second in ((left, right), (right, left)):
            opposite = _opposite(second, scope)
            if opposite is not None and _opposite(first, scope) is None:
                return minus(first, opposite, scope)
    return scope.combined("add", left, right)


def minus(left: Value, right: Value, scope: Scope) -> Value:
    """Return ``left - right``."""
    if number_of(left) == 0:
        return negated(right, scope)
    if number_of(right) == 0:
        return left
    opposite = _opposite(right, scope)
    return scope.combined("sub", left, right) if opposite is None else plus(left, opposite, scope)


def times(left: Value, right: Value, scope: Scope) -> Value:
    """Return ``left * right``; a fraction of one divides."""
    for first, second in ((left, right), (right, left)):
        number = number_of(first)
        if number == -1:
            return negated(second, scope)
        if number is not None and number.numerator == 1 and number.denominator > 1:
            return over(second, scope.number(number.denominator, first.expression.dtype), scope)
        inner = _inside(first, "neg")
        if inner and number is None:
            return negated(times(inner[0], second, scope), scope)
        parts = _inside(first, "div")
        if parts and number_of(parts[0]) == 1:
            return over(second, parts[1], scope)
    return scope.combined("mul", left, right)


def over(left: Value, right: Value, scope: Scope) -> Value:
    """Return ``left / right`` of reals."""
    return left if number_of(right) == 1 else scope.combined("div", left, right)


def power(base: Value, degree: int, scope: Scope) -> Value:
    """Return the product of ``degree`` equal factors."""
    if degree == 1:
        return base
    half = power(base, degree // 2, scope)
    square = scope.combined("mul", half, half)
    return scope.combined("mul", square, base) if degree % 2 else square


def _opposite(value: Value, scope: Scope) -> Value | None:
    """Return ``x`` where a value is ``-x`` or ``-3 * x``."""
    inner = _inside(value, "neg")
    if inner:
        return inner[0]
    parts = _inside(value, "mul")
    for position, part in enumerate(parts):
        number = number_of(part)
        if number is not None and number < 0:
            return times(negated(part, scope), parts[1 - position], scope)
    return None


def _inside(value: Value, op: str) -> list[Value]:
    """Return the operands of an operation whose operands are numbers or have all of its axes, else nothing."""
    node = value.expression
    if not isinstance(node, Elementwise) or node.op != op:
        return []
    if not all(a.shape in ((), node.shape) for a in node.arguments):
        return []
    return [Value(a, value.axes if a.rank else ()) for a in node.arguments]


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
    return reduced(op, value, (name,), scope, start)


def _named(argument: Expression, value: Value, scope: Scope) -> Value | None:
    """Return an operand with the axes of the result that it has, None where that is not plain to see."""
    view, own = argument, value.axes[len(value.axes) - argument.rank :]
    if isinstance(argument, Subscript):
        made = [isinstance(item, NewAxis) for item in argument.items if not isinstance(item, At)]
        own = tuple(axis for k, axis in enumerate(own) if k >= len(made) or not made[k])
        view = scope.build.subscript(argument.argument, [i for i in argument.items if not isinstance(i, NewAxis)])
    return Value(view, own) if view.shape == tuple(map(scope.extent, own)) else None
