"""Whole numbers that the source computes in floats, written in integers.

C leaves a conversion undefined that does not fit its type.  So where the *source* converts a sum of products of
integers from a float to an integer, and the float type holds each number on the way, the value fits, and integer
arithmetic, which wraps, gives the same value.  The program may therefore compute it in integers; the reverse would be
wrong: a conversion that does not fit does not wrap.

What ranges do not tell of long sums is a precondition: that the float type holds all that is added up (`rounded_sums`).
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.ranges import Range, combined, value_range
from tensorlift.comprehension.rewrite import rebuild, walk
from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Reduce, Term, applies
from tensorlift.ops.conversions import EXACT_BITS, holds_integers
from tensorlift.ops.dtypes import DType, is_float, is_integer
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.variables import extreme_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.definition import Definition

_FACTORS = 8  # of a product that is written out; shared ones may be many more than they look
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
        if not _makes_an_integer(item):
            return None
        whole = self._whole(item.children[0], item.dtype)
        return None if whole is None else whole[0]

    def _whole(self, item: Term, dtype: DType) -> tuple[Term, Range] | None:
        """Return a real in an integer type with its range, None where it may be a fraction, or was rounded."""
        if isinstance(item, Constant):
            number = int(item.value)
            return (terms.constant(number, dtype), (number, number)) if item.value == number else None
        if isinstance(item, Apply):
            found = self._whole_operation(item, dtype)
            return found if found is not None and holds_integers(item.dtype, *found[1]) else None
        if isinstance(item, Reduce):
            return self._whole_sum(item, dtype)
        if isinstance(item, Piecewise):
            parts = self._all_whole(tuple(part for _, part in item.pieces), dtype)
            if parts is None:
                return None
            pieces = ((domain, part) for (domain, _), (part, _) in zip(item.pieces, parts, strict=True))
            return terms.piecewise(pieces), _hull([ends for _, ends in parts])
        return None

    def _whole_sum(self, item: Reduce, dtype: DType) -> tuple[Term, Range] | None:
        factors = _summed(item)
        if not factors:
            return None
        whole = [terms.cast(self.visit(factor), dtype) for factor in factors]
        body = whole[0]
        for factor in whole[1:]:
            body = terms.apply("mul", body, factor)
        most = 1 << EXACT_BITS[item.dtype]
        return terms.reduce("sum", item.bound, item.domain, body), (-most, most)

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


def _makes_an_integer(term: Term) -> bool:
    return applies(term, "cast") and is_integer(term.dtype) and is_float(term.args[0].dtype)


def _summed(fold: Reduce) -> list[Term]:
    """Return the integers whose products a fold adds up in floats, none where it is no such fold."""
    if fold.op != "sum" or not is_float(fold.dtype):
        return []
    found: list[Term] = []
    waiting = [fold.body]
    while waiting:
        item = waiting.pop()
        if len(found) > _FACTORS:
            return []
        if applies(item, "mul"):
            waiting += reversed(item.args)
        elif applies(item, "cast") and not is_float(item.args[0].dtype):
            found += item.args  # what comes from another float was rounded there
        else:
            return []
    return found


# -- what ranges do not tell


def rounded_sums(definitions: Iterable[Definition]) -> list[tuple[Definition, DType]]:
    """List the definitions that add integers up in floats of a type which may not hold them, and make an integer of it.

    A float is followed to where it becomes an integer, through the definitions that read it.
    """
    sources: dict[str, dict[str, tuple[Definition, DType]]] = {}
    found: dict[str, tuple[Definition, DType]] = {}

    def rounded_in(term: Term, definition: Definition) -> dict[str, tuple[Definition, DType]]:
        folds = [node for node in walk(term) if isinstance(node, Reduce) and _may_be_rounded(node)]
        mine = {definition.name: (definition, folds[0].dtype)} if folds else {}
        for name in sorted(term.reads & sources.keys()):
            mine |= sources[name]
        return mine

    for definition in definitions:
        mine: dict[str, tuple[Definition, DType]] = {}
        for _, term in definition.pieces:
            mine |= rounded_in(term, definition)
            for node in walk(term) if mine else ():
                if _makes_an_integer(node):
                    found |= rounded_in(node, definition)
        if mine and is_float(definition.dtype):
            sources[definition.name] = mine
    return list(found.values())


def _may_be_rounded(fold: Reduce) -> bool:
    """Tell whether a fold adds integers up in floats of a type that may not hold them."""
    if fold.op != "sum" or not is_float(fold.dtype) or not _is_integral(fold.body):
        return False
    ranges = [value_range(factor) for factor in _summed(fold)]
    if not ranges:
        return True
    ends = ranges[0]
    for other in ranges[1:]:
        ends = combined("mul", ends, other)
    count = _count(fold.domain, fold.bound)
    return count is None or not holds_integers(fold.dtype, count * min(ends[0], 0), count * max(ends[1], 0))


def _is_integral(term: Term) -> bool:
    """Tell whether a float is computed from integers alone, without a division."""
    seen: set[Term] = set()
    waiting = [term]
    while waiting:
        item = waiting.pop()
        if item in seen:
            continue
        seen.add(item)
        if isinstance(item, Apply) and (item.op in _RING or item.op == "select"):
            waiting += item.args[item.op == "select" :]
        elif applies(item, "cast"):
            waiting += [a for a in item.args if is_float(a.dtype)]
        elif not isinstance(item, Constant) or item.value.denominator != 1:
            return False
    return True


def _count(domain: Domain, bound: tuple[str, ...]) -> int | None:
    """Return how many points a domain has at the most, None where that depends on sizes or is not found."""
    lengths: list[int] = []
    for name in bound:
        inner = domain.project_out(*(other for other in bound if other != name))
        try:
            lows, highs = (extreme_of(inner, name, maximum=maximum) for maximum in (False, True))
        except NotAffine:
            return None
        spans = [high - low for _, low in lows for _, high in highs]
        if not spans or not all(span.is_constant for span in spans):
            return None
        lengths.append(max(span.constant for span in spans) + 1)
    return prod(lengths)


def _hull(ranges: list[Range]) -> Range:
    return min(low for low, _ in ranges), max(high for _, high in ranges)
