"""Truth values that are kept in integers: comparisons with zero, connectives and bit operations on them, simplified.

``cast(b) != 0`` is ``b``, ``cast(b) & cast(c)`` is ``cast(b and c)``, and a chain ``x | cast(b) | cast(c)`` is
``x | cast(b or c)``: the bits of a truth value above the lowest are zero, whatever the type.
"""

from __future__ import annotations

from tensorlift.comprehension import terms
from tensorlift.comprehension.rules import FALSE, TRUE, rewritten
from tensorlift.comprehension.terms import Apply, Constant, Term, applies
from tensorlift.ops.dtypes import DType, is_integer

_BITS = ("bitand", "bitor")


def simplified_flag(op: str, args: tuple[Term, ...], dtype: DType | None) -> Term | None:
    """Return a simpler term for an operation on flags, None where no rule applies."""
    if op in {"ne", "eq"}:
        return _compared(op, *args)
    if op in {"and", "or"}:
        return connected(op, *args)
    if op == "not":
        return negated(args[0])
    if op in _BITS:
        return _bits(op, *args)
    return _narrowed(args[0], dtype) if op == "cast" and dtype is not None else None


def _simply(op: str, args: tuple[Term, ...]) -> Term:
    return simplified_flag(op, args, None) or terms.apply(op, *args)


def negated(term: Term) -> Term | None:
    """Return the negation of a known truth value or of a negation."""
    negation = terms.apply("not", term)
    if isinstance(term, Constant):
        return rewritten("not of true" if term.value else "not of false", negation)
    return rewritten("not of not", negation, p=term.args[0]) if applies(term, "not") else None


def connected(op: str, left: Term, right: Term) -> Term | None:
    """Return a conjunction or disjunction of which an operand is known."""
    term, decides = terms.apply(op, left, right), FALSE if op == "and" else TRUE
    for known, word in ((decides, "false" if op == "and" else "true"), *_IGNORED[op]):
        if right is known:
            return rewritten(f"{op} with {word}", term, p=left)
        if left is known:
            return rewritten(f"{word} {op}", term, p=right)
    return rewritten(f"{op} of one value", term, p=left) if left is right else None


_IGNORED = {"and": ((TRUE, "true"),), "or": ((FALSE, "false"),)}


def truth_in(term: Term) -> Term | None:
    """Return the truth value that an integer is, as 0 or 1; None where that is not known."""
    if isinstance(term, Constant):
        return {0: FALSE, 1: TRUE}.get(int(term.value)) if is_integer(term.dtype) else None
    flag = fused(term)
    if applies(flag, "cast") and is_integer(flag.dtype):
        return flag.args[0] if flag.args[0].dtype == "bool" else None
    return None


def fused(term: Term) -> Term:
    """Write conversions in a row as one, where those before the last keep every value."""
    while applies(term, "cast"):
        inner = term.args[0]
        if not applies(inner, "cast"):
            break
        types = {"M": inner.dtype, "T": term.dtype}
        found = rewritten("conversion through a type that holds all", term, types=types, x=inner.args[0])
        if found is None:
            break
        term = found
    return term


def _compared(op: str, left: Term, right: Term) -> Term | None:
    """Compare a flag with zero."""
    if not isinstance(right, Constant) or right.value or not is_integer(left.dtype):
        return None
    if isinstance(left, Constant):
        return TRUE if (left.value != 0) == (op == "ne") else FALSE
    if op == "eq":
        is_known = left.dtype == right.dtype and _compared("ne", left, right) is not None
        return rewritten("equal to zero", terms.apply("eq", left, right), _simply, x=left) if is_known else None
    truth = truth_in(left)
    if truth is None:
        return _nonzero(left, right)
    return rewritten("flag that is not zero", terms.apply("ne", fused(left), right), types={"I": left.dtype}, p=truth)


def _nonzero(term: Term, zero: Term) -> Term | None:
    """Tell whether an integer is not zero that is joined with a flag by a bit operation, or where a flag is chosen."""
    if not isinstance(term, Apply):
        return None
    if term.op == "select" and any(isinstance(a, Constant) for a in term.args[1:]):
        condition, chosen, other = term.args
        whole = terms.apply("ne", term, zero)
        return rewritten("choice that is not zero", whole, _simply, p=condition, a=chosen, b=other)
    joined = _flag_last(term) if term.op in _BITS else None
    if joined is None or (term.op == "bitand" and truth_in(joined.args[1]) is TRUE):
        return None
    flag = truth_in(joined.args[1])
    assert flag is not None
    whole = terms.apply("ne", joined, zero)
    return rewritten(f"{term.op} with a flag is not zero", whole, _simply, x=joined.args[0], p=flag)


def _flag_last(term: Apply) -> Apply | None:
    """Write a bit operation with a flag as its second operand, None where it has no flag."""
    left, right = term.args
    if truth_in(right) is None:
        if truth_in(left) is None:
            return None
        turned = rewritten(f"{term.op} turned", term, x=left, y=right)
        if not isinstance(turned, Apply):
            return None
        term, (left, right) = turned, turned.args
    return terms.apply(term.op, left, fused(right))


def _bits(op: str, left: Term, right: Term) -> Term | None:
    """Join flags by a bit operation; the innermost operand of a chain may be any integer."""
    term = _flag_last(terms.apply(op, left, right))
    if term is None:
        return None
    left, right = term.args
    first, second, types = truth_in(left), truth_in(right), {"I": term.dtype}
    assert second is not None
    if first is not None:
        return rewritten(f"{op} of flags", terms.apply(op, fused(left), right), _simply, types, p=first, q=second)
    if second is FALSE:
        return rewritten(f"{op} with zero", term, x=left)
    if isinstance(left, Apply) and left.op == op:
        inner, last = left.args
        before = truth_in(last)
        if before is not None:
            chain = terms.apply(op, terms.apply(op, inner, fused(last)), right)
            return rewritten(f"{op} of flags in a chain", chain, _simply, x=inner, p=before, q=second)
    return None


def _narrowed(term: Term, dtype: DType) -> Term | None:
    """Do a bit operation whose result is narrowed in the narrow type, where an operand is a flag."""
    joined = _flag_last(term) if applies(term, _BITS) and is_integer(dtype) else None
    if joined is None:
        return None
    left, right = joined.args
    flag = truth_in(right)
    if truth_in(left) is not None:
        return fused(terms.cast(_simply(joined.op, joined.args), dtype))
    if flag is None or not applies(left, "cast"):
        return None
    whole = terms.cast(joined, dtype)
    return rewritten(f"narrowed {joined.op} with a flag", whole, _simply, {"W": term.dtype}, x=left.args[0], p=flag)
