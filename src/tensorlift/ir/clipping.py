"""Clipping: values between two bounds, as elementwise operations have them."""

from __future__ import annotations

from fractions import Fraction

from tensorlift.ir.tensor_program import Elementwise, Expression, Literal

_BELOW, _ABOVE = ("lt", "le"), ("gt", "ge")


def clipped(node: Elementwise) -> tuple[Expression, Expression, Expression] | None:
    """Return a value with the least and the greatest that it may be: ``min(max(x, least), greatest)``.

    The other way round, and by comparisons, it is the same where the bounds are numbers in that order.
    """
    outer = _bounded(node)
    if outer is None or not isinstance(outer[1], Elementwise):
        return None
    inner = _bounded(outer[1])
    if inner is None or inner[0] == outer[0] or not inner[1].shape:
        return None
    least, greatest = (inner[2], outer[2]) if outer[0] == "min" else (outer[2], inner[2])
    is_plain = node.op == "min" and outer[1].op == "max"
    return (inner[1], least, greatest) if is_plain or _are_in_order(least, greatest) else None


def _bounded(node: Elementwise) -> tuple[str, Expression, Expression] | None:
    """Return ``max`` or ``min`` with what is compared with a number, and the number."""
    if node.op in ("max", "min"):
        left, right = node.arguments
        value, bound = (left, right) if left.shape else (right, left)
        return (node.op, value, bound) if value.shape and not bound.shape else None
    if node.op != "select":
        return None
    condition, chosen, other = node.arguments
    if not (isinstance(condition, Elementwise) and condition.op in (*_BELOW, *_ABOVE) and other.shape):
        return None
    value, bound = condition.arguments
    if not (isinstance(chosen, Literal) and isinstance(bound, Literal) and chosen.value == bound.value):
        return None
    op = "max" if condition.op in _BELOW else "min"
    inner = _bounded(other) if isinstance(other, Elementwise) else None
    is_same = other is value or (inner is not None and inner[1] is value and inner[0] != op)
    return (op, other, chosen) if is_same else None


def _are_in_order(least: Expression, greatest: Expression) -> bool:
    numbers = [one.value for one in (least, greatest) if isinstance(one, Literal) and isinstance(one.value, Fraction)]
    return len(numbers) == 2 and numbers[0] <= numbers[1]  # noqa: PLR2004 - both
