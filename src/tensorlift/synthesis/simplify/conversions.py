"""Sums of products of integers that the source converts to floats: conversions move so that the sums are contractions.

A sum in floats that becomes an integer again is a sum of integers.  Where it stays a float, each factor is converted
instead of the product, if the product cannot leave its type and is larger than its factors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.ranges import never_wraps
from tensorlift.comprehension.rewrite import rebuild
from tensorlift.comprehension.terms import Apply, Reduce, Term, cast, reduce
from tensorlift.comprehension.whole import in_integers
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.synthesis.simplify.arithmetic import factors, product

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Definition


def contractible(definition: Definition) -> Definition:
    """Return a definition whose float sums of integer products are sums of products in one type."""
    if not any(map(_is_float_sum, definition.nodes())):
        return definition
    return definition.mapped(lambda term, _: _with_products(in_integers(term), {}))


def _is_float_sum(term: Term) -> bool:
    return isinstance(term, Reduce) and term.op == "sum" and is_float(term.dtype)


def _with_products(term: Term, known: dict[Term, Term]) -> Term:
    """Convert factors instead of products in every float sum of a term."""
    found = known.get(term)
    if found is None:
        found = rebuild(term, lambda child: _with_products(child, known))
        if isinstance(found, Reduce) and _is_float_sum(found):
            found = reduce("sum", found.bound, found.domain, _converted_factors(found.body))
        known[term] = found
    return found


def _converted_factors(term: Term) -> Term:
    if not isinstance(term, Apply) or not is_float(term.dtype):
        return term
    if term.op in ("add", "sub", "mul", "neg"):
        return rebuild(term, _converted_factors)
    if term.op != "cast":
        return term
    (operand,) = term.args
    if is_integer(operand.dtype) and never_wraps(operand) and _is_larger(operand):
        return product([cast(_unconverted(factor), term.dtype) for factor in factors(operand)[0]], [], term)
    return term


def _is_larger(term: Term) -> bool:
    """Tell whether an integer is a product with more indices than any of its factors."""
    return all(factor.free < term.free for factor in factors(term)[0])


def _unconverted(term: Term) -> Term:
    """Look through conversions of integers that keep every value."""
    while isinstance(term, Apply) and term.op == "cast" and is_integer(term.args[0].dtype) and never_wraps(term):
        (term,) = term.args
    return term
