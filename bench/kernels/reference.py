"""The true meaning of every reference kernel, independent of its C text: named arguments to named outputs.

``meaning(kernel)(**arguments)`` takes the sizes, scalars and logical arrays of the C signature by name and returns the
written arrays by name; a returned scalar has the name ``return``.  Arguments are never changed.  Integers should
come as ``int64``: the references do not wrap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.kernels import reference_small as small
from bench.kernels.reference_polybench import POLYBENCH
from bench.kernels.reference_solvers import SOLVERS

if TYPE_CHECKING:
    from bench.kernels.catalogue import Kernel
    from bench.kernels.reference_small import Meaning

MEANINGS: dict[str, dict[str, Meaning]] = {
    "blas": small.BLAS,
    "blend": small.BLEND,
    "darknet": small.DARKNET,
    "dsp": small.DSP,
    "dspstone": small.DSPSTONE,
    "llama": small.LLAMA,
    "llama_float": small.LLAMA_FLOAT,
    "makespeare": small.MAKESPEARE,
    "mathfu": small.MATHFU,
    "polybench": POLYBENCH | SOLVERS,
    "polybench_macros": POLYBENCH | SOLVERS,
    "simpl_array": small.SIMPL_ARRAY,
    "utdsp": small.UTDSP,
}


def meaning(kernel: Kernel) -> Meaning:
    """Look up what a kernel of the index means; ``KeyError`` where nobody wrote it down."""
    return MEANINGS[kernel.suite][kernel.name]
