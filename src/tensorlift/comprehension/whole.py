"""Whole numbers that the source computes in floats, written in integers.

C leaves a conversion undefined that does not fit its type.  So where the *source* converts a sum of products of
integers from a float to an integer, the value fits, and integer arithmetic, which wraps, gives the same value.  The
program may therefore compute it in integers; the reverse would be wrong: a conversion that does not fit does not wrap.
"""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.dtypes import DType, is_float, is_integer
from tensorlift.comprehension.rewrite import rebuild
from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Reduce, Term

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
            return self._whole(item.args[0], item.dtype)
        return None

    def _whole(self, item: Term, dtype: DType) -> Term | None:
        """Return a real that is a whole number in an integer type, or None where it may be a fraction."""
        if isinstance(item, Constant):
            return terms.constant(item.value, dtype) if item.value.denominator == 1 else None
        if isinstance(item, Apply):
            return self._whole_operation(item, dtype)
        if isinstance(item, Reduce) and item.op == "sum":
            body = self._whole(item.body, dtype)
            return None if body is None else terms.reduce("sum", item.bound, item.domain, body)
        if isinstance(item, Piecewise):
            parts = self._all_whole(tuple(part for _, part in item.pieces), dtype)
            return None if parts is None else terms.piecewise(zip((d for d, _ in item.pieces), parts, strict=True))
        return None

    def _whole_operation(self, item: Apply, dtype: DType) -> Term | None:
        if item.op == "cast":
            operand = item.args[0]
            return self._whole(operand, dtype) if is_float(operand.dtype) else terms.cast(self.visit(operand), dtype)
        operands = self._all_whole(item.args, dtype) if item.op in _RING else None
        return None if operands is None else terms.apply(item.op, *operands)

    def _all_whole(self, items: tuple[Term, ...], dtype: DType) -> tuple[Term, ...] | None:
        found = tuple(w for w in (self._whole(item, dtype) for item in items) if w is not None)
        return found if len(found) == len(items) else None
