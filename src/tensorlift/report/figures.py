"""Figures as text: three digits, and seconds with their unit."""

from __future__ import annotations

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (0.0, "ns"))


def seconds_text(seconds: float) -> str:
    """Spell seconds with three digits and a unit."""
    unit, name = next((unit, name) for unit, name in _UNITS if seconds >= unit)
    return f"{three_digits(seconds / (unit or 1e-9))} {name}"


def three_digits(figure: float) -> str:
    """Spell a figure with three digits, or all of those before the point."""
    for digits, bound in ((3, 1.0), (2, 10.0), (1, 100.0)):
        if abs(figure) < bound:
            return f"{figure:.{digits}f}"
    return f"{figure:.0f}"
