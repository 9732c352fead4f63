"""Expressions of Python that compute with parts of complex numbers, by the rules of the field."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Complex(NamedTuple):
    """An expression, part by part; a part that it does not have is None."""

    re: ast.expr | None
    im: ast.expr | None


class Pairs(NamedTuple):
    """A name of an array of complex numbers, of so many dimensions, which holds pairs; of the ``dtype`` of parts."""

    rank: int
    dtype: str


class Parts(NamedTuple):
    """A name of complex numbers, by the names of its parts."""

    re: str
    im: str


def binary(left: ast.expr, operator: ast.operator, right: ast.expr) -> ast.expr:
    """Apply an operator."""
    return ast.BinOp(copy.deepcopy(left), operator, copy.deepcopy(right))


def negated(value: ast.expr | None) -> ast.expr | None:
    """Negate a part."""
    return value and ast.UnaryOp(ast.USub(), copy.deepcopy(value))


def added(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    """Add parts."""
    return binary(left, ast.Add(), right) if left and right else left or right


def difference(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    """Subtract a part."""
    return binary(left, ast.Sub(), right) if left and right else left or negated(right)


def number(value: ast.expr | None) -> ast.expr:
    """Give a part as a number; one that is not there is zero."""
    return ast.Constant(0.0) if value is None else copy.deepcopy(value)


def called(function: ast.expr, *arguments: ast.expr) -> ast.Call:
    """Call a function."""
    return ast.Call(copy.deepcopy(function), [copy.deepcopy(argument) for argument in arguments], [])


def bilinear(left: Complex, right: Complex, product: Callable[[ast.expr, ast.expr], ast.expr]) -> Complex:
    """Multiply by parts, with a product of reals."""

    def of(one: ast.expr | None, other: ast.expr | None) -> ast.expr | None:
        return product(one, other) if one and other else None

    real = difference(of(left.re, right.re), of(left.im, right.im))
    return Complex(real, added(of(left.re, right.im), of(left.im, right.re)))


def divided(left: Complex, right: Complex) -> Complex:
    """Divide."""

    def by(value: ast.expr | None, divisor: ast.expr) -> ast.expr | None:
        return value and binary(value, ast.Div(), divisor)

    if right.im is None:
        divisor = number(right.re)
        return Complex(by(left.re, divisor), by(left.im, divisor))
    over = bilinear(left, conjugate(right), lambda one, other: binary(one, ast.Mult(), other))
    divisor = size(right)
    return Complex(by(over.re, divisor), by(over.im, divisor))


def conjugate(value: Complex) -> Complex:
    """Conjugate."""
    return Complex(value.re, negated(value.im))


def size(value: Complex) -> ast.expr:
    """Give the square of the absolute value."""
    squares = [binary(part, ast.Mult(), part) for part in value if part is not None]
    found = squares[0] if len(squares) == 1 else added(*squares)
    assert found is not None
    return found
