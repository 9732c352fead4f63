"""Truth values that are kept in integers: comparisons with zero, connectives and bit operations on them, simplified.

``cast(b) != 0`` is ``b``, ``cast(b) & cast(c)`` is ``cast(b and c)``, and a chain ``x | cast(b) | cast(c)`` is
``x | cast(b or c)``: the bits of a truth value above the lowest are zero, whatever the type.
"""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.terms import Apply, Constant, Term
from tensorlift.ops.dtypes import DType, is_integer, width

TRUE = terms.constant(1, "bool")
FALSE = terms.constant(0, "bool")

_CONNECTIVES = {"bitand": "and", "bitor": "or"}


def simplified_flag(op: str, args: tuple[Term, ...], dtype: DType | None) -> Term | None:
    """Return a simpler term for an operation on flags, None where no rule applies."""
    if op in {"ne", "eq"}:
        return _compared(op, *args)
    if op in {"and", "or"}:
        return connected(op, *args)
    if op == "not":
        return negated(args[0])
    if op in _CONNECTIVES:
        return _bits(op, *args)
    return _narrowed(args[0], dtype) if op == "cast" and dtype is not None else None


def negated(term: Term) -> Term | None:
    """Return the negation of a known truth value or of a negation."""
    if isinstance(term, Constant):
        return FALSE if term.value else TRUE
    return term.args[0] if isinstance(term, Apply) and term.op == "not" else None


def connected(op: str, left: Term, right: Term) -> Term | None:
    """Return a conjunction or disjunction of which an operand is known."""
    decides, ignored = (FALSE, TRUE) if op == "and" else (TRUE, FALSE)
    if decides in (left, right):
        return decides
    return right if left is ignored else left if right is ignored or left is right else None


def truth_in(term: Term) -> Term | None:
    """Return the truth value that an integer is, as 0 or 1; None where that is not known."""
    if isinstance(term, Constant):
        return {0: FALSE, 1: TRUE}.get(int(term.value)) if is_integer(term.dtype) else None
    if isinstance(term, Apply) and term.op == "cast" and is_integer(term.dtype):
        inner = term.args[0]
        return inner if inner.dtype == "bool" else truth_in(inner)
    return None


def _compared(op: str, left: Term, right: Term) -> Term | None:
    """Compare a flag with zero."""
    if not isinstance(right, Constant) or right.value or not is_integer(left.dtype):
        return None
    if isinstance(left, Constant):
        return TRUE if (left.value != 0) == (op == "ne") else FALSE
    truth = truth_in(left) or _nonzero(left)
    if truth is None or op == "ne":
        return truth
    return negated(truth) or terms.apply("not", truth)


def _nonzero(term: Term) -> Term | None:
    """Tell whether an integer is not zero that is joined with a flag by a bit operation, or where a flag is chosen."""
    if isinstance(term, Apply) and term.op == "select" and any(isinstance(a, Constant) for a in term.args[1:]):
        chosen, other = (_is_nonzero(arm) for arm in term.args[1:])
        return terms.apply("select", term.args[0], chosen, other)
    if not isinstance(term, Apply) or term.op not in _CONNECTIVES:
        return None
    left, right = term.args
    if truth_in(right) is None:
        left, right = right, left
    flag = truth_in(right)
    if flag is None or (term.op == "bitand" and flag is TRUE):
        return None
    if term.op == "bitand":
        left = terms.apply("bitand", left, terms.one(left.dtype))
    return _join(term.op, _is_nonzero(left), flag)


def _is_nonzero(term: Term) -> Term:
    zero = terms.zero(term.dtype)
    return _compared("ne", term, zero) or terms.apply("ne", term, zero)


def _bits(op: str, left: Term, right: Term) -> Term | None:
    """Join flags by a bit operation; the innermost operand of a chain may be any integer."""
    first, second = truth_in(left), truth_in(right)
    dtype = terms.apply(op, left, right).dtype
    if second is None:
        left, right, first, second = right, left, second, first
    if second is None:
        return None
    if first is not None:
        return _as_number(_join(op, first, second), dtype)
    if op == "bitor" and second is FALSE and left.dtype == dtype:
        return left
    if op == "bitand" and second is FALSE:
        return terms.constant(0, dtype)
    if isinstance(left, Apply) and left.op == op and left.dtype == dtype:
        inner, last = left.args
        before = truth_in(last)
        if before is not None and inner.dtype == dtype:
            return terms.apply(op, inner, _as_number(_join(op, before, second), dtype))
    return None


def _join(op: str, left: Term, right: Term) -> Term:
    connective = _CONNECTIVES[op]
    return connected(connective, left, right) or terms.apply(connective, left, right)


def _as_number(truth: Term, dtype: DType) -> Term:
    return terms.cast(truth, dtype)


def _narrowed(term: Term, dtype: DType) -> Term | None:
    """Do a bit operation whose result is narrowed in the narrow type, where an operand is a flag."""
    if not isinstance(term, Apply) or term.op not in _CONNECTIVES or not is_integer(dtype):
        return None
    if width(dtype) > width(term.dtype) or not any(truth_in(a) for a in term.args):
        return None
    operands = [_without_widening(a, dtype) for a in term.args]
    if None in operands:
        return None
    left, right = (o for o in operands if o is not None)
    return _bits(term.op, left, right) or terms.apply(term.op, left, right)


def _without_widening(term: Term, dtype: DType) -> Term | None:
    """Return an integer in a narrower type, where it comes from that type."""
    truth = truth_in(term)
    if truth is not None:
        return _as_number(truth, dtype)
    found = isinstance(term, Apply) and term.op == "cast" and term.args[0].dtype == dtype
    return term.children[0] if found else None
