"""The notation: terms as mathematicians write them, ``C(i, j) = sum(k : 0 <= k < n) A(i, k) * B(k, j)``."""

from __future__ import annotations

from tensorlift.comprehension.scalar_ops import SCALAR_OPS
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term


def show(term: Term) -> str:
    """Spell a term."""
    if isinstance(term, Constant):
        return str(term.value)
    if isinstance(term, Scalar):
        return term.name
    if isinstance(term, Index):
        return f"[{term.affine}]"
    if isinstance(term, Read):
        return f"{term.array}({', '.join(map(str, term.indices))})"
    if isinstance(term, Reduce):
        return f"{term.op}({', '.join(term.bound)} : {term.domain}) {show(term.body)}"
    if isinstance(term, Piecewise):
        return "{ " + "; ".join(f"{show(piece)} if {domain}" for domain, piece in term.pieces) + " }"
    if not isinstance(term, Apply):
        raise TypeError(type(term).__name__)
    infix = SCALAR_OPS[term.op].infix
    if infix:
        return f"({show(term.args[0])} {infix} {show(term.args[1])})"
    name = f"{term.op}.{term.dtype}" if term.op == "cast" else term.op
    return f"{name}({', '.join(map(show, term.args))})"
