"""Linear expressions over the names of atoms: what an index is while a function is translated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Linear:
    """``constant + sum of coefficient * atom``; terms are sorted by name and have non-zero coefficients."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(coefficients: Mapping[str, int], constant: int = 0) -> Linear:
        """Build the canonical form."""
        return Linear(tuple(sorted(item for item in coefficients.items() if item[1])), constant)

    @staticmethod
    def atom(name: str) -> Linear:
        """Stand for one atom."""
        return Linear(((name, 1),))

    @property
    def single(self) -> str | None:
        """The atom that the expression is, where it is one."""
        return self.terms[0][0] if not self.constant and len(self.terms) == 1 and self.terms[0][1] == 1 else None

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

    def __str__(self) -> str:
        """Spell as in a formula, ``2*n - m + 3``."""
        text = "".join(
            f" {'-' if k < 0 else '+'} {'' if abs(k) == 1 else f'{abs(k)}*'}{name}" for name, k in self.terms
        )
        if self.constant or not text:
            text += f" {'-' if self.constant < 0 else '+'} {abs(self.constant)}"
        return text[3:] if text.startswith(" + ") else "-" + text[3:]
