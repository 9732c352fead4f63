"""Sizes that are quotients of others, ``n / 2``, in C, which rounds towards zero where they are rounded down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import at_least
from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.definition import Summary


def quotients_of(summary: Summary) -> dict[str, str]:
    """Spell the sizes of a function that are quotients of its parameters, by name, with their parentheses.

    Raises:
        LiftError: TL305, where what is divided may be negative.

    """
    found: dict[str, str] = {}
    for size in summary.derived:
        if not summary.context.implies(at_least(size.numerator, 0)):
            message = f"({size.numerator}) / {size.divisor} may be negative, where C rounds upwards"
            raise refuse("TL305", message, remedy="lift to numpy")
        found[size.name] = f"({_numerator(size.numerator, found)} / {size.divisor})"
    return found


def notations_of(summary: Summary, spelled: Mapping[str, str]) -> dict[str, str]:
    """Give the spellings of the same sizes by what they are called in preconditions, ``((n + 1) // 2)``."""
    found = {}
    for size in summary.derived:
        numerator = str(size.numerator).replace(" * ", "*")
        inner = numerator if size.numerator.variable is not None else f"({numerator})"
        found[f"({inner} // {size.divisor})"] = spelled[size.name]
    return found


def _numerator(value: Affine, quotients: Mapping[str, str]) -> str:
    """Spell a sum in 64 bits, a variable alone as it is; it may be a quotient itself."""
    if value.variable is not None:
        return quotients.get(value.variable, value.variable)
    parts = []
    for name, factor in value.terms:
        times = f"{abs(factor)} * " if abs(factor) != 1 else ""
        parts.append(f"{'-' if factor < 0 else '+'} {times}(ptrdiff_t){quotients.get(name, name)}")
    parts += [f"{'-' if value.constant < 0 else '+'} {abs(value.constant)}"] * (value.constant != 0)
    return f"({' '.join(parts).removeprefix('+ ')})"
