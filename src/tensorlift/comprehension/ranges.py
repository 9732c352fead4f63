"""Ranges of integers: ends of domains, sums and products that stay in their type whatever the cells hold, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import Apply, Constant, Index, Reduce, Term, applies
from tensorlift.ops.conversions import EXACT_BITS
from tensorlift.ops.dtypes import DType, integer_range, is_float, is_integer, width
from tensorlift.poly.domain import Constraint, Domain, NotAffine, at_least, less
from tensorlift.poly.variables import extreme_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.poly.affine import Affine

Range = tuple[int, int]

_SIZE_BITS = 64  # index arithmetic is exact in so many bits (docs/loop-ir.md)


def in_range(value: Affine, dtype: DType) -> tuple[Constraint, ...]:
    """Say that a type holds an integer made of sizes and indices, a float type without rounding."""
    if is_float(dtype):
        high = 1 << EXACT_BITS[dtype]
        low = -high
    else:
        low, high = (0, 1) if dtype == "bool" else integer_range(dtype)
    above = at_least(value, low)
    if width(dtype) == _SIZE_BITS and not is_float(dtype):
        return () if low else (above,)
    return above, at_least(high, value)


def ends_of(domain: Domain, name: str) -> tuple[Affine, Affine] | None:
    """Return the least and the greatest value of a variable by the others; None without one affine expression each."""
    try:
        low, high = (extreme_of(domain, name, maximum=maximum) for maximum in (False, True))
    except NotAffine:  # no bound, or none that is affine
        return None
    return (low[0][1], high[0][1]) if len(low) == len(high) == 1 else None


def never_wraps(term: Term) -> bool:
    """Tell whether the exact value of an integer term is in the range of its type, by the types of what it reads."""
    return _fits(_exact_range(term, {}), integer_range(term.dtype))


def value_range(term: Term) -> Range:
    """Return bounds of the value of an integer term, by the types of what it reads."""
    return _range(term, {})


def is_inside_by_type(place: Term, extent: Affine, domain: Domain) -> bool:
    """Tell whether a place is one of an axis at all points of a domain, whatever is read for it."""
    least, most = value_range(place)
    return domain.implies(at_least(least, 0), less(most, extent))


def is_not_negative(term: Term) -> bool:
    """Tell whether an integer is zero or more, as the greater of two is of which one is."""
    if applies(term, "max"):
        return any(map(is_not_negative, term.args))
    return value_range(term)[0] >= 0


def is_below(term: Term, limit: Affine, domain: Domain) -> bool:
    """Tell whether an integer is made of indices that are less than a limit at all points of a domain."""
    match term:
        case Constant(value=value):
            return domain.implies(less(int(value), limit))
        case Index(affine=place):
            return domain.implies(less(place, limit))
        case Apply(op="max", args=parts) | Apply(op="select", args=(_, *parts)):
            return all(is_below(part, limit, domain) for part in parts)
        case Reduce(op="max", body=body, domain=points):
            return is_below(body, limit, domain & points)
    return False


def _fits(inner: Range, outer: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _range(term: Term, known: dict[Term, Range]) -> Range:
    """Return bounds of the value of a term, which wraps; shared nodes are visited once."""
    if term.dtype == "bool":
        return 0, 1
    if term not in known:
        exact, whole = _exact_range(term, known), integer_range(term.dtype)
        known[term] = exact if _fits(exact, whole) else whole
    return known[term]


def _exact_range(term: Term, known: dict[Term, Range]) -> Range:
    """Return bounds of what the operation at the root gives before it wraps."""
    if isinstance(term, Constant):
        return int(term.value), int(term.value)
    if isinstance(term, Apply) and all(a.dtype == "bool" or is_integer(a.dtype) for a in term.args):
        ranges = [_range(a, known) for a in term.args]
        if term.op == "cast":
            return ranges[0]
        if term.op == "bitand" and max(low for low, _ in ranges) < 0:
            return integer_range(term.dtype)
        if term.op in _ENDS:
            return combined(term.op, *ranges)
        if term.op in _BY_A_NUMBER and 0 < ranges[1][0] == ranges[1][1]:
            return _BY_A_NUMBER[term.op](ranges[0], ranges[1][0])
    return integer_range(term.dtype)


def combined(op: str, *ranges: Range) -> Range:
    """Return bounds of a sum, difference, product or negation of what is in these ranges."""
    ends = _ENDS[op](*ranges)
    return min(ends), max(ends)


_ENDS: dict[str, Callable[..., list[int]]] = {
    "add": lambda a, b: [a[0] + b[0], a[1] + b[1]],
    "sub": lambda a, b: [a[0] - b[1], a[1] - b[0]],
    "mul": lambda a, b: [x * y for x in a for y in b],
    "neg": lambda a: [-a[1], -a[0]],
    "bitand": lambda a, b: [0, min(r[1] for r in (a, b) if r[0] >= 0)],
    "max": lambda a, b: [max(a[0], b[0]), max(a[1], b[1])],
    "min": lambda a, b: [min(a[0], b[0]), min(a[1], b[1])],
}
_BY_A_NUMBER: dict[str, Callable[[Range, int], Range]] = {
    "floordiv": lambda a, divisor: (a[0] // divisor, a[1] // divisor),
    "mod": lambda _, divisor: (0, divisor - 1),
}
