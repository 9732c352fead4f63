"""Linear expressions over named sizes and integer quotients of sizes, and affine maps applied to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


Value = TypeVar("Value")


class NotLinearError(ValueError):
    """Raised where a map multiplies two sizes, or divides by one: such an expression has no linear form."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """``floor(numerator / divisor)`` with a positive divisor: a size that follows from others."""

    numerator: Linear
    divisor: Linear

    def at(self, sizes: Mapping[str, int]) -> int:
        """Evaluate, every size must be given; 0 where nothing can be divided."""
        divisor = self.divisor.at(sizes)
        return self.numerator.at(sizes) // divisor if divisor > 0 else 0

    def __str__(self) -> str:
        """Spell as in a formula, ``(n + 1) // 2``."""
        sides = str(self.numerator), str(self.divisor)
        above, below = (text if text.isalnum() or text.isidentifier() else f"({text})" for text in sides)
        return f"({above} // {below})"


Size = str | Quotient


@dataclass(frozen=True, slots=True)
class Linear:
    """``constant + sum of coefficient * size``; terms are sorted by name and have non-zero coefficients."""

    terms: tuple[tuple[Size, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(coefficients: Mapping[Size, int], constant: int = 0) -> Linear:
        """Build the canonical form."""
        terms = sorted((item for item in coefficients.items() if item[1]), key=lambda item: str(item[0]))
        return Linear(tuple(terms), constant)

    @staticmethod
    def size(name: str) -> Linear:
        """Stand for the size ``name`` itself."""
        return Linear(((name, 1),))

    def __add__(self, other: Linear | int) -> Linear:
        """Add an expression or a constant."""
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        total = dict(self.terms)
        for name, coefficient in other.terms:
            total[name] = total.get(name, 0) + coefficient
        return Linear.of(total, self.constant + other.constant)

    def __mul__(self, factor: int) -> Linear:
        """Scale by a constant."""
        return Linear.of({name: coefficient * factor for name, coefficient in self.terms}, self.constant * factor)

    def __neg__(self) -> Linear:
        """Change the sign."""
        return self * -1

    def __sub__(self, other: Linear | int) -> Linear:
        """Subtract an expression or a constant."""
        return self + -other

    def at(self, sizes: Mapping[str, int]) -> int:
        """Evaluate; every size of the expression must be given."""
        total = self.constant
        for size, coefficient in self.terms:
            total += coefficient * (sizes[size] if isinstance(size, str) else size.at(sizes))
        return total

    def floor_divide(self, divisor: int) -> Linear:
        """Divide by a positive constant, rounding down; exact where every coefficient is a multiple."""
        whole = Linear.of({size: k // divisor for size, k in self.terms if k % divisor == 0}, self.constant // divisor)
        rest = Linear.of({size: k for size, k in self.terms if k % divisor}, self.constant % divisor)
        return whole + Linear(((Quotient(rest, Linear((), divisor)), 1),)) if rest.terms else whole

    def __str__(self) -> str:
        """Spell as in a formula, ``2*n - m + 3``."""
        text = "".join(
            f" {'-' if k < 0 else '+'} {'' if abs(k) == 1 else f'{abs(k)}*'}{name}" for name, k in self.terms
        )
        if self.constant or not text:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return text[3:] if text.startswith(" + ") else "-" + text[3:]


def apply_map(affine_map: AffineMap, dims: Sequence[Linear], symbols: Sequence[Linear]) -> tuple[Linear, ...]:
    """Apply an affine map to linear operands; raises NotLinearError where a result is not linear."""
    return tuple(linear_expression(result, dims, symbols) for result in affine_map.results)


def evaluated(
    expression: AffineExpr,
    dims: Sequence[Value],
    symbols: Sequence[Value],
    number: Callable[[int], Value],
    combined: Callable[[AffineBinaryOpKind, Value, Value], Value],
) -> Value:
    """Evaluate an affine expression over operands of any kind."""
    if isinstance(expression, AffineConstantExpr):
        return number(expression.value)
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    assert isinstance(expression, AffineBinaryOpExpr)
    left, right = (evaluated(e, dims, symbols, number, combined) for e in (expression.lhs, expression.rhs))
    return combined(expression.kind, left, right)


def linear_expression(expression: AffineExpr, dims: Sequence[Linear], symbols: Sequence[Linear]) -> Linear:
    """Evaluate an affine expression over linear operands, of which quotients are rounded down."""
    return evaluated(expression, dims, symbols, lambda value: Linear((), value), _combine)


def _combine(kind: AffineBinaryOpKind, left: Linear, right: Linear) -> Linear:
    if kind is AffineBinaryOpKind.Add:
        return left + right
    if kind is AffineBinaryOpKind.Mul and not right.terms:
        return left * right.constant
    if kind is AffineBinaryOpKind.Mul and not left.terms:
        return right * left.constant
    if kind is AffineBinaryOpKind.FloorDiv and right.terms:
        return Linear(((Quotient(left, right), 1),))
    if not right.terms and right.constant > 0:
        return _divided(kind, left, right.constant)
    raise NotLinearError(f"({left}) {kind.get_token()} ({right}) is not linear")


def _divided(kind: AffineBinaryOpKind, dividend: Linear, divisor: int) -> Linear:
    if kind is AffineBinaryOpKind.CeilDiv:
        return (dividend + (divisor - 1)).floor_divide(divisor)
    quotient = dividend.floor_divide(divisor)
    return quotient if kind is AffineBinaryOpKind.FloorDiv else dividend - quotient * divisor


def divide(kind: AffineBinaryOpKind, dividend: int, divisor: int) -> int:
    """Divide as the affine dialect does; the divisor is positive."""
    if kind is AffineBinaryOpKind.FloorDiv:
        return dividend // divisor
    return -(-dividend // divisor) if kind is AffineBinaryOpKind.CeilDiv else dividend % divisor
