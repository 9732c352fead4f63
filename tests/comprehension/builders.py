"""Short names for building terms in tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ops.dtypes import DType

AffineLike = Affine | int | str


def read(array: str, *indices: AffineLike, dtype: DType = "f64") -> Term:
    return terms.read(array, tuple(affine(i) for i in indices), dtype)


def box(**extents: AffineLike) -> Domain:
    return Domain.box(extents, [affine(e) for e in extents.values()])


def add(*args: Term) -> Term:
    result = args[0]
    for arg in args[1:]:
        result = terms.apply("add", result, arg)
    return result


def mul(*args: Term) -> Term:
    result = args[0]
    for arg in args[1:]:
        result = terms.apply("mul", result, arg)
    return result


def sub(a: Term, b: Term) -> Term:
    return terms.apply("sub", a, b)


def num(value: int, dtype: DType = "f64") -> Term:
    return terms.constant(value, dtype)


def idx(value: AffineLike, dtype: DType = "i64") -> Term:
    return terms.index(affine(value), dtype)


def over(op: Reducer, name: str, where: Domain, body: Term) -> Term:
    return terms.reduce(op, (name,), where, body)


def total(name: str, low: AffineLike, high: AffineLike, body: Term, op: Reducer = "sum") -> Term:
    """The sum (or another fold) over ``low <= name < high``."""
    lower = Constraint(affine(name) - affine(low))
    upper = Constraint(affine(high) - affine(name) - 1)
    return terms.reduce(op, (name,), Domain.of(lower, upper), body)


__all__ = ["UNIVERSE", "add", "box", "fresh", "idx", "mul", "num", "over", "read", "sub", "total"]
