"""Means, as elementwise operations have them: sums divided by the number of what they sum; folds that keep axes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeGuard

from tensorlift.ir.tensor_program import (
    Cast,
    Elementwise,
    Expression,
    NewAxis,
    Reduction,
    SizeValue,
    Subscript,
)
from tensorlift.ir.views import is_whole
from tensorlift.ops.dtypes import is_float

if TYPE_CHECKING:
    from tensorlift.poly.affine import Affine


def is_mean(left: Expression, right: Expression) -> TypeGuard[Reduction]:
    """Tell whether a sum of reals is divided by the number of its summands."""
    if not isinstance(left, Reduction) or left.op != "sum" or left.initial is not None:
        return False
    is_plain = not isinstance(left.argument, Cast) and is_float(left.dtype)
    return is_plain and _factors(right) == Counter(left.argument.shape[axis] for axis in left.axes)


def kept_fold(node: Subscript) -> tuple[Reduction, str] | None:
    """Return the fold, with ``mean`` where it is one, in which axes are inserted again where they were folded."""
    fold, method = node.argument, ""
    if isinstance(fold, Elementwise) and fold.op == "div" and is_mean(fold.arguments[0], fold.arguments[1]):
        fold, method = fold.arguments[0], "mean"
    if not isinstance(fold, Reduction) or not fold.shape:
        return None
    inserted = tuple(axis for axis, item in enumerate(node.items) if isinstance(item, NewAxis))
    parts = [item for item in node.items if not isinstance(item, NewAxis)]
    keeps_all = all(is_whole(item, extent) for item, extent in zip(parts, fold.shape, strict=False))
    return (fold, method) if keeps_all and inserted == tuple(sorted(fold.axes)) else None


def _factors(count: Expression) -> Counter[Affine] | None:
    """Return the sizes of which a number is the product, None for any other number, and for one that may wrap."""
    if isinstance(count, SizeValue):
        return Counter([count.affine])
    if not is_float(count.dtype) and count.dtype != "i64":
        return None
    if isinstance(count, Cast):
        return _factors(count.argument)
    if not isinstance(count, Elementwise) or count.op != "mul" or count.shape:
        return None
    parts = [_factors(one) for one in count.arguments]
    return None if None in parts else sum((part for part in parts if part), Counter())
