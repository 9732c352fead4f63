"""Sums and products as flat lists: the shape in which summands and factors are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import simplified, walk
from tensorlift.comprehension.terms import Apply, Reduce, Term, apply, one, zero

if TYPE_CHECKING:
    from collections.abc import Iterable


def total(signed: Iterable[tuple[int, Term]], like: Term) -> Term:
    """Return the sum of signed summands, positive ones first; ``like`` gives the type of an empty sum."""
    result: Term | None = None
    for sign, term in sorted(signed, key=lambda pair: pair[0] < 0):
        if result is None:
            result = term if sign > 0 else apply("neg", term)
        else:
            result = simplified("add" if sign > 0 else "sub", (result, term))
    return zero(like.dtype) if result is None else result


def factors(term: Term) -> tuple[list[Term], list[Term]]:
    """Return a product of quotients as numerators and denominators, in order."""
    if isinstance(term, Apply) and term.op in ("mul", "div") and all(a.dtype == term.dtype for a in term.args):
        above, below = factors(term.args[0])
        more_above, more_below = factors(term.args[1])
        if term.op == "mul":
            return above + more_above, below + more_below
        return above + more_below, below + more_above
    return [term], []


def product(numerators: Iterable[Term], denominators: Iterable[Term], like: Term) -> Term:
    """Return numerators over denominators as one term; ``like`` gives the type of an empty product."""
    above, below = _multiplied(numerators), _multiplied(denominators)
    above = one(like.dtype) if above is None else above
    return above if below is None else apply("div", above, below)


def _multiplied(listed: Iterable[Term]) -> Term | None:
    result: Term | None = None
    for factor in listed:
        result = factor if result is None else simplified("mul", (result, factor))
    return result


def operands(term: Term, op: str) -> list[Term]:
    """Return the operands of nested applications of an associative operation, in order."""
    if isinstance(term, Apply) and term.op == op:
        return operands(term.args[0], op) + operands(term.args[1], op)
    return [term]


def size(term: Term) -> int:
    """Return the number of distinct operations, a reduction counting as ten."""
    return sum(10 if isinstance(node, Reduce) else isinstance(node, Apply) for node in walk(term))
