"""Counterexamples: small sizes and arrays of small numbers for which two terms differ."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.terms import Apply, Constant, Piecewise, Read, Reduce, Scalar, Term
from tensorlift.ops.scalar_ops import COMPARISONS, ON_NUMBERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.domain import Domain

_LARGEST = 3
_TOLERANCE = 1e-9
_Number = Fraction | float

_EXACT: dict[str, Callable[..., Any]] = {
    **ON_NUMBERS,
    **COMPARISONS,
    "max": max,
    "min": min,
    "abs": abs,
    "select": lambda c, a, b: a if c else b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": operator.not_,
}
_FOLDS: dict[str, Callable[[list[Any]], Any]] = {"sum": sum, "max": max, "min": min, "prod": math.prod}


def counterexample(wanted: Term, built: Term, cell: Sequence[str], indices: Sequence[str]) -> str | None:
    """Say for which sizes and cell the pattern and the builder give different numbers; None where none was found.

    Indices run up to 3; cells of arrays and scalars are small integers that depend on their names and places.
    """
    for largest in range(1, _LARGEST + 1):
        sizes = {f"n_{index}": largest - position % 2 if largest > 1 else 1 for position, index in enumerate(indices)}
        for point in product(*(range(sizes[f"n_{v}"]) for v in cell)):
            values = {**sizes, **dict(zip(cell, point, strict=True))}
            try:
                one, other = _value(wanted, values), _value(built, values)
            except (ArithmeticError, ValueError, KeyError, OverflowError):
                continue
            if abs(one - other) > _TOLERANCE:
                extents = ", ".join(f"{index} < {sizes[f'n_{index}']}" for index in indices)
                place = ", ".join(f"{name} = {value}" for name, value in zip(cell, point, strict=True))
                where = f"at {place} " if place else ""
                return f"{where}(for {extents}) the pattern gives {_text(one)}, the builder {_text(other)}"
    return None


def _text(number: _Number) -> str:
    return str(number) if isinstance(number, Fraction) else f"{number:.6g}"


def _content(name: str, place: Sequence[int]) -> Fraction:
    """Return a small number, never zero, that differs between neighbouring cells."""
    seed = sum(map(ord, name)) * 7
    for position, index in enumerate(place):
        seed += (index + 1) * (5 + 6 * position) * (index + 2 + position)
    return Fraction(seed % 9 + 1)


def _value(term: Term, values: Mapping[str, int]) -> Any:
    if isinstance(term, Constant):
        return term.value
    if isinstance(term, Scalar):
        return _content(term.name, ())
    if isinstance(term, Read):
        return _content(term.array, [index.evaluate(values) for index in term.indices])
    if isinstance(term, Reduce):
        points = [_value(term.body, {**values, **point}) for point in _points(term, values)]
        return _FOLDS[term.op](points)
    if isinstance(term, Piecewise):
        return next(_value(piece, values) for domain, piece in term.pieces if _holds(domain, values))
    assert isinstance(term, Apply)
    args = [_value(arg, values) for arg in term.args]
    known = _EXACT.get(term.op)
    if known is not None:
        return known(*args)
    rounded = getattr(math, term.op, None)
    if rounded is None:
        raise ValueError(f"{term.op} is not computed here")
    return rounded(*map(float, args))


def _points(term: Reduce, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    for point in product(range(_LARGEST), repeat=len(term.bound)):
        named = dict(zip(term.bound, point, strict=True))
        if _holds(term.domain, {**values, **named}):
            yield named


def _holds(domain: Domain, values: Mapping[str, int]) -> bool:
    return not domain.at(values).is_empty()
