"""Portable artifacts: StableHLO programs as versioned bytecode, which later versions of its readers still take."""

from __future__ import annotations

from tensorlift.diagnostics import refuse
from tensorlift.runtime.libraries import require_library

_TARGET = "stablehlo"


def require_portable(target: str) -> None:
    """Refuse what cannot be written: TL518 for programs of another target, TL607 where JAX is not installed."""
    if target != _TARGET:
        message = f"a program for the target '{target}' has no portable artifact"
        raise refuse("TL518", message, remedy="lift with --to stablehlo, or leave --portable-artifact out")
    require_library(_TARGET)
