"""Which reference kernels are lifted to which libraries: by default each to two of five, since rows are tried alone.

They take turns by their names, and each runs in XLA or in upstream MLIR besides PyTorch.  With ``--exhaustive`` each
is lifted to all, and runs there.  All are lifted to NumPy, proved, and kept as text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.shared import has_turn

if TYPE_CHECKING:
    from bench.kernels.catalogue import Kernel

_TURNS = {"jax": (0, 1), "linalg": (0, 2), "torch": (1, 4), "stablehlo": (3, 4), "stablehlo, open": (2, 3)}


def lifted_to(kernel: Kernel, target: str) -> bool:
    """Tell whether a kernel is lifted to a target, and runs there."""
    return any(has_turn(kernel, turn, 5) for turn in _TURNS[target])
