"""Polynomials with integer coefficients over sizes and induction variables: the exact values of index arithmetic.

A monomial is a sorted tuple of variable names, a polynomial a mapping from monomials to non-zero coefficients.
Division is the multivariate division by the leading term under the graded lexicographic order, which is all that
recovering array dimensions from linearised subscripts needs.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from tensorlift.poly.affine import Affine
from tensorlift.poly.names import name_of_quotient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Monomial = tuple[str, ...]


class Polynomial:
    """An immutable polynomial; equality and hash are by value."""

    __slots__ = ("_hash", "_variables", "terms")

    def __init__(self, terms: Mapping[Monomial, int]) -> None:
        """Keep the terms with a non-zero coefficient."""
        self.terms: dict[Monomial, int] = {monomial: value for monomial, value in terms.items() if value}
        self._hash: int | None = None
        self._variables: frozenset[str] | None = None

    @staticmethod
    @lru_cache(maxsize=1024)
    def constant(value: int) -> Polynomial:
        """Give the polynomial of one number."""
        return Polynomial({(): value})

    @staticmethod
    @lru_cache(maxsize=1024)
    def variable(name: str) -> Polynomial:
        """Give the polynomial of one variable."""
        return Polynomial({(name,): 1})

    @staticmethod
    def of(expression: Affine) -> Polynomial:
        """Give an affine expression as a polynomial."""
        found: dict[Monomial, int] = {(name,): factor for name, factor in expression.terms}
        return Polynomial({(): expression.constant, **found})

    def __add__(self, other: Polynomial) -> Polynomial:
        """Add."""
        if not other.terms or not self.terms:
            return self if self.terms else other
        terms = dict(self.terms)
        for monomial, value in other.terms.items():
            total = terms.get(monomial, 0) + value
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return _of(terms)

    def __neg__(self) -> Polynomial:
        """Change the sign."""
        return _of({monomial: -value for monomial, value in self.terms.items()})

    def __sub__(self, other: Polynomial) -> Polynomial:
        """Subtract."""
        if not other.terms:
            return self
        terms = dict(self.terms)
        for monomial, value in other.terms.items():
            total = terms.get(monomial, 0) - value
            if total:
                terms[monomial] = total
            else:
                del terms[monomial]
        return _of(terms)

    def __mul__(self, other: Polynomial) -> Polynomial:
        """Multiply."""
        if other.is_constant:
            return self.scale(other.terms.get((), 0))
        if self.is_constant:
            return other.scale(self.terms.get((), 0))
        terms: dict[Monomial, int] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                monomial = tuple(sorted(left + right)) if left and right else left or right
                terms[monomial] = terms.get(monomial, 0) + a * b
        return Polynomial(terms)

    def scale(self, factor: int) -> Polynomial:
        """Multiply by a number."""
        if factor == 1:
            return self
        return _of({monomial: value * factor for monomial, value in self.terms.items()}) if factor else ZERO

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return isinstance(other, Polynomial) and self.terms == other.terms

    def __hash__(self) -> int:
        """Hash by value."""
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __repr__(self) -> str:
        """Show the polynomial as its text."""
        return f"Polynomial({self})"

    def __str__(self) -> str:
        """Spell the polynomial in C, highest degree first, for example ``m*n + 2*k - 1``."""
        return self.spell(lambda name: name)

    def spell(self, name_of: Callable[[str], str]) -> str:
        """Spell the polynomial in C with variables renamed."""
        if not self.terms:
            return "0"
        pieces: list[str] = []
        for monomial in sorted(self.terms, key=lambda item: (-len(item), item)):
            value = self.terms[monomial]
            factors = [name_of(name) for name in monomial]
            if abs(value) != 1 or not factors:
                factors.insert(0, str(abs(value)))
            sign = ("" if value > 0 else "-") if not pieces else (" + " if value > 0 else " - ")
            pieces.append(sign + "*".join(factors))
        return "".join(pieces)

    @property
    def is_constant(self) -> bool:
        """Whether no variable occurs."""
        return not self.terms or (len(self.terms) == 1 and () in self.terms)

    @property
    def constant_value(self) -> int | None:
        """The value, where no variable occurs."""
        return self.terms.get((), 0) if self.is_constant else None

    @property
    def is_affine(self) -> bool:
        """Whether no monomial has more than one factor."""
        return all(len(monomial) <= 1 for monomial in self.terms)

    def as_affine(self) -> Affine | None:
        """Return the same as an affine expression, or None where a monomial has more than one factor."""
        if not self.is_affine:
            return None
        return Affine(self.terms.get((), 0), {monomial[0]: value for monomial, value in self.terms.items() if monomial})

    def variables(self) -> frozenset[str]:
        """Collect the variables."""
        if self._variables is None:
            self._variables = frozenset([name for monomial in self.terms for name in monomial])
        return self._variables

    def coefficient(self, name: str) -> Polynomial:
        """Give the factor of the first power of ``name`` (higher powers keep the rest of the name)."""
        return _of({_drop(monomial, name): value for monomial, value in self.terms.items() if name in monomial})

    def without(self, names: Iterable[str]) -> Polynomial:
        """Give the terms in which none of the names occurs."""
        gone = frozenset(names)
        return _of({m: value for m, value in self.terms.items() if gone.isdisjoint(m)})

    def substitute(self, values: Mapping[str, Polynomial]) -> Polynomial:
        """Replace variables by polynomials."""
        if self.variables().isdisjoint(values):
            return self
        total: dict[Monomial, int] = {}
        for monomial, value in self.terms.items():
            replaced = [values[name] for name in monomial if name in values]
            if not replaced:
                total[monomial] = total.get(monomial, 0) + value
                continue
            kept = tuple([name for name in monomial if name not in values])
            product = _of({kept: value})
            for factor in replaced:
                product = product * factor
            for part, amount in product.terms.items():
                total[part] = total.get(part, 0) + amount
        return Polynomial(total)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Return the value where every variable has one."""
        return sum(factor * prod(values[name] for name in monomial) for monomial, factor in self.terms.items())

    def divide(self, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Give quotient and remainder; no term of the remainder is divisible by the divisor's leading term."""
        lead = max(divisor.terms, key=_grade)
        lead_value = divisor.terms[lead]
        quotient, remainder, rest = ZERO, ZERO, self
        while rest.terms:
            monomial = max(rest.terms, key=_grade)
            value = rest.terms[monomial]
            factor = _quotient(monomial, lead)
            if factor is None or value % lead_value:
                step = Polynomial({monomial: value})
                remainder, rest = remainder + step, rest - step
            else:
                step = Polynomial({factor: value // lead_value})
                quotient, rest = quotient + step, rest - step * divisor
        return quotient, remainder


def _of(terms: dict[Monomial, int]) -> Polynomial:
    """Make a polynomial of terms that are known to be non-zero."""
    made = Polynomial.__new__(Polynomial)
    made.terms, made._hash, made._variables = terms, None, None  # noqa: SLF001 - a constructor of the class
    return made


def _grade(monomial: Monomial) -> tuple[int, Monomial]:
    """Order monomials by degree, then by name."""
    return len(monomial), monomial


def _drop(monomial: Monomial, name: str) -> Monomial:
    """Remove one factor."""
    position = monomial.index(name)
    return monomial[:position] + monomial[position + 1 :]


def _quotient(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """Divide a monomial by another, or give None."""
    left = list(monomial)
    for name in divisor:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)


ZERO = Polynomial({})
ONE = Polynomial.constant(1)


@lru_cache(maxsize=256)
def parse_polynomial(text: str) -> Polynomial:
    """Read a polynomial as it is spelled, quotients by their names; raises ValueError for anything else."""
    return _read(ast.parse(text, mode="eval").body)


def _read(node: ast.expr) -> Polynomial:
    match node:
        case ast.Constant(value=int(number)):
            return Polynomial.constant(number)
        case ast.Name(id=name):
            return Polynomial.variable(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as operator, right=right):
            first, second = _read(left), _read(right)
            if isinstance(operator, ast.Mult):
                return first * second
            return first + second if isinstance(operator, ast.Add) else first - second
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
            above, below = _read(left).as_affine(), _read(right).as_affine()
            if above is not None and below is not None:
                return Polynomial.variable(name_of_quotient(above, below))
    raise ValueError(f"'{ast.unparse(node)}' is no polynomial")


def spell_inequality(polynomial: Polynomial) -> str:
    """Spell ``polynomial >= 0`` as an inequality without negative terms, for example ``k <= lda``."""
    left = Polynomial({monomial: -value for monomial, value in polynomial.terms.items() if value < 0})
    right = Polynomial({monomial: value for monomial, value in polynomial.terms.items() if value > 0})
    if left.is_constant:
        return f"{right} >= {left}"
    return f"{left} <= {right}"


def spell_constraint(polynomial: Polynomial, is_zero: bool) -> str:  # noqa: FBT001 - as constraints are given
    """Spell ``polynomial >= 0``, or that it is zero."""
    inequality = spell_inequality(polynomial)
    return inequality.replace(">=", "==").replace("<=", "==") if is_zero else inequality
