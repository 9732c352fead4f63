"""Whole numbers that the source computes in floats, written in integers.

C leaves a conversion undefined that does not fit its type.  So where the *source* converts a sum of products of
integers from a float to an integer, and the float type holds each number on the way, the value fits, and integer
arithmetic, which wraps, gives the same value.  The program may therefore compute it in integers; the reverse would be
wrong: a conversion that does not fit does not wrap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.conversions import holds_integers
from tensorlift.comprehension.dtypes import DType, is_float, is_integer
from tensorlift.comprehension.ranges import combined, value_range
from tensorlift.comprehension.rewrite import rebuild
from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Term

if TYPE_CHECKING:
    from tensorlift.comprehension.ranges import Range

_RING = ("add", "sub", "mul", "neg")


def in_integers(term: Term) -> Term:
    """Return a term of the source without the detours that whole numbers take through floats."""
    return _Rewriting().visit(term)


class _Rewriting:
    """Rewrites one term; shared nodes are visited once."""

    def __init__(self) -> None:
        self._memo: dict[Term, Term] = {}

    def visit(self, item: Term) -> Term:
        found = self._memo.get(item)
        if found is None:
            found = self._memo[item] = self._converted(item) or rebuild(item, self.visit)
        return found

    def _converted(self, item: Term) -> Term | None:
        if isinstance(item, Apply) and item.op == "cast" and is_integer(item.dtype) and is_float(item.args[0].dtype):
            whole = self._whole(item.args[0], item.dtype)
            return None if whole is None else whole[0]
        return None

    def _whole(self, item: Term, dtype: DType) -> tuple[Term, Range] | None:
        """Return a real in an integer type with its range, None where it may be a fraction, or was rounded."""
        if isinstance(item, Constant):
            number = int(item.value)
            return (terms.constant(number, dtype), (number, number)) if item.value == number else None
        if isinstance(item, Apply):
            found = self._whole_operation(item, dtype)
            return found if found is not None and holds_integers(item.dtype, *found[1]) else None
        if isinstance(item, Piecewise):
            parts = self._all_whole(tuple(part for _, part in item.pieces), dtype)
            if parts is None:
                return None
            pieces = ((domain, part) for (domain, _), (part, _) in zip(item.pieces, parts, strict=True))
            lows, highs = zip(*(ends for _, ends in parts), strict=True)
            return terms.piecewise(pieces), (min(lows), max(highs))
        return None

    def _whole_operation(self, item: Apply, dtype: DType) -> tuple[Term, Range] | None:
        if item.op == "cast":
            operand = item.args[0]
            if is_float(operand.dtype):
                return self._whole(operand, dtype)
            return terms.cast(self.visit(operand), dtype), value_range(operand)
        operands = self._all_whole(item.args, dtype) if item.op in _RING else None
        if operands is None:
            return None
        return terms.apply(item.op, *(o for o, _ in operands)), combined(item.op, *(ends for _, ends in operands))

    def _all_whole(self, items: tuple[Term, ...], dtype: DType) -> list[tuple[Term, Range]] | None:
        found = [whole for whole in (self._whole(item, dtype) for item in items) if whole is not None]
        return found if len(found) == len(items) else None
