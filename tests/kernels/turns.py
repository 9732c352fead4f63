"""Which reference kernels are lifted to which libraries: by default each to one of five, since rows are tried alone.

They take turns by their names, and each runs there.  With ``--exhaustive`` each is lifted to all.  All are lifted to
NumPy, proved, and kept as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared import has_turn

if TYPE_CHECKING:
    from bench.kernels.catalogue import Kernel

_TURNS = ("jax", "linalg", "torch", "stablehlo", "stablehlo, open")


def lifted_to(kernel: Kernel, target: str) -> bool:
    """Tell whether a kernel is lifted to a target, and runs there."""
    return has_turn(kernel, _TURNS.index(target), len(_TURNS))
