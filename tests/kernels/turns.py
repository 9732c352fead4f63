"""Which reference kernels run on which libraries: by default each on two of four, since rows are tried by themselves.

They take turns, and each runs in XLA: on JAX, in upstream MLIR and as StableHLO of open shapes, or on PyTorch and as
StableHLO of given ones.  Each is lifted to all targets and proved there, and runs on all with ``--exhaustive``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.kernels.catalogue import kernels
from tests.shared import is_exhaustive

if TYPE_CHECKING:
    from bench.kernels.catalogue import Kernel

_TURNS = {"jax": 0, "linalg": 0, "torch": 1, "stablehlo": 1}
_NUMBERS = {str(kernel): number for number, kernel in enumerate(kernels())}


def runs_on(kernel: Kernel, target: str) -> bool:
    """Tell whether a kernel that is lifted to a target also runs there."""
    return _NUMBERS[str(kernel)] % 2 == _TURNS[target] or is_exhaustive()
