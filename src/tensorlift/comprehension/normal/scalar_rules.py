"""Scalar operations on polynomials of the normal form: one rule for each name of `SCALAR_OPS` that is more than opaque.

A rule is given the operands in the type of the result, the points at which they are used, and that type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.arithmetic import (
    added,
    applied,
    cells,
    divided,
    is_infinite,
    modulus,
    multiplied,
    number,
    subtracted,
)
from tensorlift.comprehension.normal.combine import combine
from tensorlift.comprehension.normal.extremes import chosen_extreme, extreme, extreme_but_nan
from tensorlift.comprehension.normal.integers import is_integral, quotient, remainder
from tensorlift.comprehension.normal.monomials import Monomial, Poly, poly
from tensorlift.comprehension.normal.truths import conjunction, disjunction, exclusion, is_fold, negation
from tensorlift.ops.dtypes import DType, is_float, width
from tensorlift.poly.domain import UNIVERSE, Domain

if TYPE_CHECKING:
    from fractions import Fraction

Rule = Callable[[Sequence[Poly], Domain, DType], Poly]

POWER_LIMIT = 8


def _of_two(function: Callable[[Poly, Poly, Domain, DType], Poly]) -> Rule:
    return lambda args, context, dtype: function(args[0], args[1], context, dtype)


def _absolute(args: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Return ``|x|``, which is the greater of x and -x, also where -x wraps."""
    if dtype.startswith("u"):
        return args[0]
    return extreme("max", (args[0], args[0].negated()), context, dtype)


def _power(args: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    base, times = args[0], args[1].constant
    if times is None or times != int(times) or not 0 <= times <= POWER_LIMIT:
        return applied("pow", args, context, dtype)
    result = number(1, modulus(dtype))
    for _ in range(int(times)):
        result = multiplied(result, base, context, dtype)
    return result


def _shift(op: str) -> Rule:
    """Read shifts by constants: to the left a product, to the right a quotient rounded down."""

    def rule(args: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
        steps: int | Fraction | None = args[1].constant
        if steps is None or not 0 <= steps < width(dtype) - 1:
            return applied(op, args, context, dtype)
        factor = number(1 << int(steps), args[0].modulus)
        if op == "shl":
            return multiplied(args[0], factor, context, dtype)
        return quotient("floordiv", args[0], factor, context, dtype)

    return rule


def _rounded(op: str) -> Rule:
    """Leave integers as they are."""

    def rule(args: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
        value = combine(args[0], context)
        return value if is_integral(value) else applied(op, args, context, dtype)

    return rule


def _half_away(args: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Round to the nearest integer, halves away from zero: what is cut off, twice, tells whether to go one further."""
    value = combine(args[0], context)
    if is_integral(value):
        return value
    whole = applied("trunc", (value,), context, dtype)
    rest = _absolute((subtracted(value, whole),), context, dtype)
    doubled = multiplied(number(2, modulus(dtype)), rest, context, dtype)
    least = extreme("min", (doubled, number(1, modulus(dtype))), context, dtype)
    step = applied("trunc", (least,), context, dtype)
    return added(whole, applied("copysign", (step, value), context, dtype))


def _or(args: Sequence[Poly], context: Domain, _: DType) -> Poly:
    if any(map(is_fold, args)):
        return extreme("max", args, context, "bool")
    return disjunction(args[0], args[1], context)


def _and(args: Sequence[Poly], context: Domain, _: DType) -> Poly:
    others = [negation(a) for a in args]
    if any(map(is_fold, others)):
        return negation(extreme("max", others, context, "bool"))
    return conjunction(args[0], args[1], context)


_EXTREMES: dict[str, Rule] = {
    "max": partial(extreme, "max"),
    "min": partial(extreme, "min"),
    "fmax": partial(extreme_but_nan, "max"),
    "fmin": partial(extreme_but_nan, "min"),
    "abs": _absolute,
}
_RING: dict[str, Rule] = {
    "add": lambda args, _, __: added(args[0], args[1]),
    "sub": lambda args, _, __: subtracted(args[0], args[1]),
    "mul": _of_two(multiplied),
    "pow": _power,
    **_EXTREMES,
}
_REAL: dict[str, Rule] = {
    **_RING,
    "div": _of_two(divided),
    **{op: _rounded(op) for op in ("floor", "ceil", "trunc", "rint")},
    "round": _half_away,
}
_INTEGER: dict[str, Rule] = {
    **_RING,
    "tdiv": _of_two(partial(quotient, "tdiv")),
    "floordiv": _of_two(partial(quotient, "floordiv")),
    "rem": _of_two(partial(remainder, "tdiv")),
    "mod": _of_two(partial(remainder, "floordiv")),
    "shl": _shift("shl"),
    "shr": _shift("shr"),
    "bitnot": lambda args, _, dtype: subtracted(number(-1, modulus(dtype)), args[0]),
}
_TRUTH: dict[str, Rule] = {
    "and": _and,
    "or": _or,
    "not": lambda args, _, __: negation(args[0]),
    "bitand": _and,
    "bitor": _or,
    "bitxor": lambda args, context, _: exclusion(args[0], args[1], context),
    "max": _or,
    "min": _and,
}


def scalar(op: str, args: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Apply a scalar operation; one without a rule, or to infinity, is opaque."""
    if op == "neg" and dtype != "bool":
        return args[0].negated()
    rules = _TRUTH if dtype == "bool" else _REAL if is_float(dtype) else _INTEGER
    rule = rules.get(op)
    if rule is None or (op not in _EXTREMES and any(map(is_infinite, args))):
        return applied(op, args, context, dtype)
    return rule(args, context, dtype)


# -- choices


def select(condition: Poly, arms: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Choose between two values."""
    terms: list[Monomial] = []
    for cell, (part,) in cells((condition,), context):
        inside = context & cell
        chosen, other = (_guarded(a, inside) for a in arms)
        value = _chosen(combine(part, inside), chosen, other, inside, dtype)
        terms += value.terms if cell is UNIVERSE else [t.with_domain(cell & t.domain) for t in value.terms]
    return poly(terms, modulus(dtype))


def _guarded(value: Poly, inside: Domain) -> Poly:
    """Return a polynomial without the monomials that do not apply in a domain."""
    kept = [t for t in value.terms if t.domain is UNIVERSE or not inside.is_disjoint(t.domain)]
    return value if len(kept) == len(value.terms) else Poly(tuple(kept), value.modulus)


def _chosen(condition: Poly, chosen: Poly, other: Poly, context: Domain, dtype: DType) -> Poly:
    constant = condition.constant
    if constant is not None:
        return chosen if constant else other
    if dtype == "bool" and (chosen.constant is not None or other.constant is not None):
        return _connective(condition, chosen, other, context)
    found = chosen_extreme(condition, chosen, other, context, dtype)
    if found is not None:
        return found
    truth = Poly(condition.terms, modulus(dtype))
    first = multiplied(truth, chosen, context, dtype)
    second = multiplied(subtracted(number(1, truth.modulus), truth), other, context, dtype)
    return added(first, second)


def _connective(condition: Poly, chosen: Poly, other: Poly, context: Domain) -> Poly:
    """Choose between truth values of which one is known: ``c ? 1 : x`` is ``c or x``, ``c ? x : 0`` is ``c and x``."""
    if chosen.constant is None:  # not c ? other : chosen
        condition, chosen, other = negation(condition), other, chosen
    if chosen.constant:
        return _or((condition, other), context, "bool")
    return _and((negation(condition), other), context, "bool")
