"""Equality of extremes of sums: ``u + max(v, w)`` is the greatest of ``u + v`` and ``u + w``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, terms
from tensorlift.comprehension.terms import Apply, Term
from tensorlift.ops.dtypes import is_float

if TYPE_CHECKING:
    from tensorlift.poly.domain import Domain

_OTHER = {"max": "min", "min": "max"}
_MOST_SUMS = 8


def equal_as_extremes(left: Term, right: Term, domain: Domain) -> bool:
    """Tell whether two terms are proved to be the greatest, or the least, of the same sums."""
    for op in _OTHER if is_float(left.dtype) else ():
        one, other = (_sums(side, op, domain) for side in (left, right))
        if max(len(one), len(other)) <= _MOST_SUMS and all(
            any(normal.equal(a, b, domain) for b in values)
            for mine, values in ((one, other), (other, one))
            for a in mine
        ):
            return True
    return False


def _sums(term: Term, op: str, domain: Domain) -> list[Term]:
    """Return values of which a term is the extreme."""
    if not isinstance(term, Apply) or not is_float(term.dtype):
        return [term]
    if term.op == op:
        return [value for operand in term.args for value in _sums(operand, op, domain)]
    if term.op == "select" and normal.equal(term, terms.apply(op, *term.args[1:]), domain):
        return _sums(terms.apply(op, *term.args[1:]), op, domain)
    if term.op == "neg":
        return [terms.apply("neg", value) for value in _sums(term.args[0], _OTHER[op], domain)]
    if term.op in {"add", "sub"}:
        left = _sums(term.args[0], op, domain)
        right = _sums(term.args[1], op if term.op == "add" else _OTHER[op], domain)
        return [terms.apply(term.op, a, b) for a in left for b in right]
    return [term]
