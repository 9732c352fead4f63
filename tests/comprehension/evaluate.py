"""Plain evaluation of terms: the living definition of the meaning language, for small sizes and made-up contents.

Floats are exact rationals, integers wrap, arrays are total functions of their subscripts with contents from a hash.
Functions of the reals that have no rational values (exp, sqrt, ...) are hashes of their operands: what is proved of
such a function must hold for any.  Division by zero gives zero, and infinity is a very large number, so that every term
has a value.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import Apply, Constant, Index, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.ops.dtypes import DType, integer_range, is_float, is_integer, width, wrap
from tensorlift.poly.domain import NotAffine

if TYPE_CHECKING:
    from tensorlift.poly.domain import Constraint, Domain

Value = Fraction | int
Point = Mapping[str, int]
INFINITY = Fraction(10**30)
RANGE = range(-3, 9)  # every bound variable of a test stays in here


def noise(*parts: object) -> int:
    """Return 64 bits that depend on the parts in no simple way."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "little")


def content(seed: int, name: str, indices: tuple[int, ...], dtype: DType) -> Value:
    """Return the made-up content of a cell or scalar: often small, sometimes at the ends of the type's range."""
    bits = noise(seed, name, indices, dtype)
    if dtype == "bool":
        return bits & 1
    if is_float(dtype):
        return Fraction(bits % 13 - 6, (bits >> 8) % 3 + 1)
    low, high = integer_range(dtype)
    kind, bits = bits % 4, bits >> 2
    if kind == 0:
        return (low, high, low + 1, high - 1, 0)[bits % 5]
    return wrap(bits % 7 - 3, dtype) if kind == 1 else wrap(bits, dtype)


@lru_cache(maxsize=1 << 14)
def _constraints(domain: Domain) -> list[list[Constraint]] | None:
    try:
        return domain.conjuncts()
    except NotAffine:
        return None


def contains(domain: Domain, point: Point) -> bool:
    """Tell whether a point lies in a domain."""
    parts = _constraints(domain)
    if parts is None:
        return not domain.at(point).is_empty()
    return any(all(_holds(c, point) for c in part) for part in parts)


def _holds(constraint: Constraint, point: Point) -> bool:
    value = constraint.affine.evaluate(point)
    return value == 0 if constraint.is_equality else value >= 0


def points(
    names: tuple[str, ...], domain: Domain, point: Point, among: Sequence[int] = RANGE
) -> Iterator[dict[str, int]]:
    """Yield every extension of a point by the names that lies in a domain, in the order of their values."""
    parts = _constraints(domain)
    if parts is None:
        every = ({**point, **dict(zip(names, v, strict=True))} for v in itertools.product(among, repeat=len(names)))
        yield from (extended for extended in every if contains(domain, extended))
        return
    for values in sorted({values for part in parts for values in _inside(part, names, point, among)}):
        yield {**point, **dict(zip(names, values, strict=True))}


def _inside(
    part: Sequence[Constraint], names: tuple[str, ...], point: Point, among: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield values of names; a constraint is asked as soon as all of its variables have one."""
    decided = [c for c in part if not names or point.keys() >= set(c.affine.variables)]
    if not all(_holds(c, point) for c in decided):
        return
    if not names:
        yield ()
        return
    waiting = [c for c in part if c not in decided]
    for value in among:
        for others in _inside(waiting, names[1:], {**point, names[0]: value}, among):
            yield (value, *others)


class Evaluator:
    """Evaluation with one made-up content of all arrays and scalars."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def value(self, term: Term, point: Point) -> Value:
        """Return the value of a term at a point."""
        result = self._value(term, point)
        if is_integer(term.dtype):
            return wrap(int(result), term.dtype)
        return int(result) if term.dtype == "bool" else Fraction(result)

    def _value(self, term: Term, point: Point) -> Value:
        if isinstance(term, Constant):
            return term.value
        if isinstance(term, Scalar):
            return content(self.seed, term.name, (), term.dtype)
        if isinstance(term, Index):
            return term.affine.evaluate(point)
        if isinstance(term, Read):
            return content(self.seed, term.array, tuple(i.evaluate(point) for i in term.indices), term.dtype)
        if isinstance(term, Piecewise):
            return next((self.value(t, point) for d, t in term.pieces if contains(d, point)), 0)
        if isinstance(term, Reduce):
            return self._fold(term, point)
        assert isinstance(term, Apply)
        if term.op == "select":
            chosen = term.args[1] if self.value(term.args[0], point) else term.args[2]
            return _convert(self.value(chosen, point), chosen.dtype, term.dtype)
        values = [self.value(a, point) for a in term.args]
        return _apply(term, values)

    def _fold(self, term: Reduce, point: Point) -> Value:
        values = [self.value(term.body, p) for p in points(term.bound, term.domain, point)]
        op = term.op.removeprefix("f")
        if op == "sum":
            return sum(values, Fraction(0))
        if op == "prod":
            return math.prod(values)
        if op in ("any", "all"):
            return int(any(values) if op == "any" else all(values))
        if not values:
            return _neutral(op, term.dtype)
        return max(values) if op == "max" else min(values)


def _neutral(op: str, dtype: DType) -> Value:
    low, high = (-INFINITY, INFINITY) if is_float(dtype) else integer_range(dtype) if dtype != "bool" else (0, 1)
    return low if op == "max" else high


def _convert(value: Value, source: DType, target: DType) -> Value:
    if target == "bool" and source != "bool":
        return int(value != 0)
    return wrap(math.trunc(value), target) if is_integer(target) else value


def truncating(a: Value, b: Value) -> int:
    """Return the quotient rounded towards zero."""
    return math.trunc(Fraction(a) / Fraction(b)) if b else 0


_ARITHMETIC: dict[str, Callable[..., Value]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "div": lambda a, b: Fraction(a) / b if b else Fraction(0),
    "max": max,
    "min": min,
    "fmax": max,
    "fmin": min,
    "abs": abs,
    "bitnot": lambda a: -1 - a,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "not": lambda a: 1 - a,
    "floor": lambda a: Fraction(math.floor(a)),
    "ceil": lambda a: Fraction(math.ceil(a)),
    "trunc": lambda a: Fraction(math.trunc(a)),
    "rint": lambda a: Fraction(round(a)),
    "floordiv": lambda a, b: a // b if b else 0,
    "tdiv": truncating,
}
_COMPARISONS: dict[str, Callable[[Value, Value], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def _apply(term: Apply, values: list[Value]) -> Value:
    op, dtype = term.op, term.dtype
    if op in _COMPARISONS:
        return int(_COMPARISONS[op](*values))
    if op == "cast":
        return _convert(values[0], term.args[0].dtype, dtype)
    values = [_convert(v, a.dtype, dtype) for v, a in zip(values, term.args, strict=True)]
    if op in ("shl", "shr") and is_integer(dtype):
        steps = int(values[1]) % (4 * width(dtype))
        return int(values[0]) << steps if op == "shl" else int(values[0]) >> steps
    if op in ("rem", "mod"):
        quotient = _ARITHMETIC["tdiv" if op == "rem" else "floordiv"](*values)
        return values[0] - values[1] * quotient
    if op == "pow" and values[1] == int(values[1]) and 0 <= values[1] <= 64:
        return values[0] ** int(values[1])
    if op == "infinity":
        return INFINITY
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](*values)
    return content(0, op, tuple(int(v * 36) for v in values), dtype)
