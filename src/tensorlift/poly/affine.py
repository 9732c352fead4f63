"""Affine expressions over named integer variables: subscripts, bounds and extents."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class Affine:
    """``constant + sum(coefficient * variable)``, immutable, hashable, with terms in the order of the names."""

    __slots__ = ("_hash", "constant", "terms")

    constant: int
    terms: tuple[tuple[str, int], ...]

    def __init__(self, constant: int = 0, terms: Mapping[str, int] | None = None) -> None:
        self.constant = constant
        self.terms = _sorted(terms) if terms else ()
        self._hash = hash((constant, self.terms))

    @staticmethod
    def var(name: str, coefficient: int = 1) -> Affine:
        """Return ``coefficient * name``."""
        return _variable(name, coefficient)

    def __hash__(self) -> int:
        """Hash by value."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Compare by value; an integer equals the constant expression."""
        if isinstance(other, Affine):
            return self.constant == other.constant and self.terms == other.terms
        return isinstance(other, int) and not self.terms and self.constant == other

    def __add__(self, other: Affine | int) -> Affine:
        """Add an expression or an integer."""
        if isinstance(other, int):
            return _make(self.constant + other, self.terms)
        if not other.terms:
            return _make(self.constant + other.constant, self.terms)
        coefficients = dict(self.terms)
        for variable, coefficient in other.terms:
            coefficients[variable] = coefficients.get(variable, 0) + coefficient
        return Affine(self.constant + other.constant, coefficients)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        """Negate every coefficient."""
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        """Subtract an expression or an integer."""
        if isinstance(other, int):
            return _make(self.constant - other, self.terms)
        if not other.terms:
            return _make(self.constant - other.constant, self.terms)
        coefficients = dict(self.terms)
        for variable, coefficient in other.terms:
            coefficients[variable] = coefficients.get(variable, 0) - coefficient
        return Affine(self.constant - other.constant, coefficients)

    def __rsub__(self, other: int) -> Affine:
        """Subtract from an integer."""
        return -self + other

    def __mul__(self, factor: int) -> Affine:
        """Scale by an integer."""
        if factor == 0:
            return ZERO
        return _make(self.constant * factor, tuple((v, c * factor) for v, c in self.terms))

    __rmul__ = __mul__

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that occur, in the order of their names."""
        return tuple(v for v, _ in self.terms)

    @property
    def is_constant(self) -> bool:
        """Whether no variable occurs."""
        return not self.terms

    @property
    def variable(self) -> str | None:
        """The name, where the expression is just one variable, else None."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1:
            return self.terms[0][0]
        return None

    def coefficient(self, name: str) -> int:
        """Return the coefficient of a variable, 0 where it does not occur."""
        for variable, coefficient in self.terms:
            if variable == name:
                return coefficient
        return 0

    def mentions(self, names: Iterable[str]) -> bool:
        """Tell whether one of the names occurs."""
        return any(v in names for v, _ in self.terms)

    def substitute(self, values: Mapping[str, Affine]) -> Affine:
        """Replace variables by expressions, all at once."""
        if len(self.terms) == 1:
            ((variable, coefficient),) = self.terms
            if variable not in values:
                return self
            is_plain = coefficient == 1 and not self.constant
            return values[variable] if is_plain else values[variable] * coefficient + self.constant
        if not any(v in values for v, _ in self.terms):
            return self
        constant = self.constant
        found: dict[str, int] = {}
        for variable, coefficient in self.terms:
            value = values.get(variable)
            if value is None:
                found[variable] = found.get(variable, 0) + coefficient
                continue
            constant += value.constant * coefficient
            for inner, factor in value.terms:
                found[inner] = found.get(inner, 0) + factor * coefficient
        return Affine(constant, found)

    def evaluate(self, values: Mapping[str, int]) -> int:
        """Return the value where every variable has one."""
        total = self.constant
        for variable, coefficient in self.terms:
            total += coefficient * values[variable]
        return total

    def divided(self, divisor: int) -> Affine | None:
        """Return the quotient by a number; None unless it divides every coefficient."""
        if self.constant % divisor or any(c % divisor for _, c in self.terms):
            return None
        return _make(self.constant // divisor, tuple([(v, c // divisor) for v, c in self.terms]))

    def solve(self, name: str) -> Affine | None:
        """Return the value of ``name`` where the expression is zero; None unless its coefficient divides the others."""
        coefficient = self.coefficient(name)
        if not coefficient or self.constant % coefficient or any(c % coefficient for _, c in self.terms):
            return None
        rest = {variable: -(c // coefficient) for variable, c in self.terms if variable != name}
        return Affine(-(self.constant // coefficient), rest)

    def __str__(self) -> str:
        """Spell the expression as Python and C do, positive terms first."""
        text = ""
        for variable, coefficient in sorted(self.terms, key=lambda term: (term[1] < 0, term[0])):
            sign = ("-" if not text else " - ") if coefficient < 0 else (" + " if text else "")
            scale = f"{abs(coefficient)} * " if abs(coefficient) != 1 else ""
            text += f"{sign}{scale}{variable}"
        if not text:
            return str(self.constant)
        if self.constant:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return text

    def __repr__(self) -> str:
        """Show the spelling."""
        return f"Affine({self})"


def _sorted(terms: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """Put terms in the order of the names, without zeros; most expressions have one or two."""
    if 0 in terms.values():
        terms = {v: c for v, c in terms.items() if c}
    if len(terms) > 1:
        return tuple(sorted(terms.items()))
    return tuple(terms.items())


@lru_cache(maxsize=1 << 12)
def _variable(name: str, coefficient: int) -> Affine:
    return _make(0, ((name, coefficient),) if coefficient else ())


def _make(constant: int, terms: tuple[tuple[str, int], ...]) -> Affine:
    """Build from terms that are sorted and without zeros already."""
    result = Affine.__new__(Affine)
    result.constant, result.terms = constant, terms
    result._hash = hash((constant, terms))  # noqa: SLF001 - the constructor's fast path
    return result


ZERO = Affine(0)
ONE = Affine(1)


def affine(value: Affine | int | str) -> Affine:
    """Turn an integer, a variable name or an expression into an expression."""
    if isinstance(value, Affine):
        return value
    return Affine(value) if isinstance(value, int) else Affine.var(value)


def solved(equalities: Iterable[Affine], bound: tuple[str, ...] = ()) -> dict[str, Affine]:
    """Return values of variables, other than the bound ones, that expressions being zero fix."""
    values: dict[str, Affine] = {}
    for equality in equalities:
        rest = equality.substitute(values)
        candidates = [v for v, c in rest.terms if c in (1, -1) and v not in bound]
        if not candidates:
            continue
        value = rest.solve(candidates[-1])
        if value is None:
            continue
        one = {candidates[-1]: value}
        values = {v: a.substitute(one) for v, a in values.items()} | one
    return values
