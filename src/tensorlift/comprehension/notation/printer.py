"""The notation: terms as mathematicians write them, ``C(i, j) = sum(k : 0 <= k < n) A(i, k) * B(k, j)``.

- ``A(i, k)`` is a cell, ``s`` a scalar, ``[i + 1]`` an affine expression of indices as a value, ``0.5`` a number.
- ``sum(k : 0 <= k < n) body`` is a fold; its body extends over products, and stops at a sum.
- ``{ a if i < j; b if i >= j }`` is a term by cases; conditions are those of isl.
- ``f64(x)`` converts, ``max(x, y)``, ``tdiv(x, y)``, ``exp(x)`` and so on apply the functions of `SCALAR_OPS`.
- ``sum(k : 0 <= k < n) select(hits(t, [k]), x(k), 0)`` is the cell of ``x`` at the place ``t``, which depends on data.
- A literal has the type of its neighbours, or is annotated, ``2:i32``; ``mul.i64(x, y)`` has an unusual result type.
- ``let _1 = ...; _2 = ... in body`` abbreviates nodes that are shared, in large terms.

`parser` reads it back.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.notation.sharing import abbreviated
from tensorlift.comprehension.notation.types import Known, first, operand_types, result_type
from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.poly.variables import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

PRECEDENCE = {
    "or": 1, "and": 2, "eq": 3, "ne": 3, "lt": 3, "le": 3, "gt": 3, "ge": 3, "bitor": 4, "bitxor": 5, "bitand": 6,
    "shl": 7, "shr": 7, "add": 8, "sub": 8, "mul": 10, "div": 10, "floordiv": 10, "mod": 10,
}  # fmt: skip
FOLD = 9  # a fold is looser than a product and tighter than a sum
UNARY = 11
ATOM = 12
LITERALS = {"infinity": "inf", "nan": "nan"}


def show(term: Term, expected: Known = None) -> str:
    """Spell a term; literals at the root have no annotation where their type is the expected one."""
    names = abbreviated([term])
    printer = Printer(names)
    text = printer.text(term, expected)
    return printer.introduction() + text


class Printer:
    """Spelling with abbreviations."""

    def __init__(self, names: dict[Term, str]) -> None:
        self.names = names
        self.types: dict[Term, Known] = {}

    def introduction(self) -> str:
        """Spell the abbreviations, innermost first."""
        if not self.names:
            return ""
        bindings = [f"{name} = {self._spelled(node, None)[0]}" for node, name in self.names.items()]
        return f"let {'; '.join(bindings)} in "

    def text(self, term: Term, expected: Known = None, precedence: int = 0) -> str:
        """Spell a term in a place that takes operators of at least the given precedence without parentheses."""
        if term in self.names:
            return self.names[term]
        text, own = self._spelled(term, expected)
        return text if own >= precedence else f"({text})"

    def known(self, term: Term) -> Known:
        """Return the type that a reader knows without the literals, by the rules of `types`."""
        if term in self.names or isinstance(term, Read | Scalar):
            return term.dtype
        if term not in self.types:
            self.types[term] = self._known(term)
        return self.types[term]

    def _known(self, term: Term) -> Known:
        if isinstance(term, Apply) and term.op not in LITERALS:
            if term.op == "cast" or _is_unusual(term):
                return term.dtype
            return result_type(term.op, [self.known(a) for a in term.args])
        if isinstance(term, Reduce):
            return self.known(term.body)
        if isinstance(term, Piecewise):
            return first([self.known(t) for _, t in term.pieces])
        return None

    def _spelled(self, term: Term, expected: Known) -> tuple[str, int]:
        """Return the spelling and the precedence of its operator."""
        if isinstance(term, Scalar):
            return term.name, ATOM
        if isinstance(term, Read):
            return f"{term.array}({', '.join(map(str, term.indices))})", ATOM
        if isinstance(term, Reduce):
            head = f"{term.op}({', '.join(term.bound)} : {spelled(term.domain, term.bound)})"
            return f"{head} {self.text(term.body, expected, FOLD)}", FOLD
        if isinstance(term, Piecewise):
            common = first([self.known(t) for _, t in term.pieces], expected)
            pieces = [f"{self.text(t, common)} if {domain}" for domain, t in term.pieces]
            return "{ " + "; ".join(pieces) + " }", ATOM
        if isinstance(term, Apply) and term.op not in LITERALS:
            return self._application(term, expected)
        text = literal(term)
        if term.dtype == expected:
            return text, UNARY if text.startswith("-") else ATOM
        return f"{text}:{term.dtype}", ATOM

    def _application(self, term: Apply, expected: Known) -> tuple[str, int]:
        op, unusual = term.op, _is_unusual(term)
        types = operand_types(op, [self.known(a) for a in term.args], term.dtype if unusual else expected)
        if op in PRECEDENCE and not unusual:
            own = PRECEDENCE[op]
            left, right = term.args
            # Comparisons do not chain, the other operators associate to the left.
            first_text = self.text(left, types[0], own + 1 if own == PRECEDENCE["lt"] else own)
            return f"{first_text} {SCALAR_OPS[op].infix} {self.text(right, types[1], own + 1)}", own
        args = ", ".join(self.text(a, t) for a, t in zip(term.args, types, strict=True))
        if op == "cast":
            return f"{term.dtype}({args})", ATOM
        return f"{op}.{term.dtype}({args})" if unusual else f"{op}({args})", ATOM


def _is_unusual(term: Apply) -> bool:
    """Tell whether the result type is not the one that follows from the operands."""
    return term.op != "cast" and term.dtype != SCALAR_OPS[term.op].result(tuple(a.dtype for a in term.args))


def literal(term: Term) -> str:
    """Spell a number, an index, infinity or NaN, without its type."""
    if isinstance(term, Index):
        return f"[{term.affine}]"
    if isinstance(term, Apply):
        return LITERALS[term.op]
    if not isinstance(term, Constant):
        raise TypeError(type(term).__name__)
    if term.dtype == "bool" and term.value in (0, 1):
        return "true" if term.value else "false"
    return number(term.value)


def number(value: Fraction) -> str:
    """Spell an exact number: an integer, the shortest decimals of the nearest double, or a fraction."""
    if value.denominator == 1 and abs(value) < 1 << 64:
        return str(value)
    try:
        nearest = float(value)
    except OverflowError:
        return f"ratio({value.numerator}, {value.denominator})"
    if Fraction(nearest) == value:
        return repr(nearest)
    return f"ratio({value.numerator}, {value.denominator})"


def shapes(extents: Sequence[object]) -> str:
    """Spell extents, ``[n, m]``; nothing for a single cell."""
    return f"[{', '.join(map(str, extents))}]" if extents else ""
