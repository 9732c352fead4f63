"""Reference kernels come out as the NumPy that is kept in ``tests/golden``; ``pytest --update`` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from tensorlift.comprehension.names import reset_names
from tensorlift.frontends.c import read_c
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.simplify import simplify
from tensorlift.targets.numpy.emit import emit

_GOLDEN = Path(__file__).parent.parent / "golden"
_KERNELS = Path(__file__).parent.parent.parent / "bench" / "kernels"
_LIFTED = [
    "blas/gemv", "blas/ger", "blend/color_burn_8", "blend/dissolve_blend_8", "blend/normal_blend_8", "darknet/gemm_tn",
    "darknet/ol_l2_cpu1", "dsp/matinit", "dsp/vcopy", "dsp/vrecip", "llama/softmax_part1", "llama_float/rmsnorm_part2",
    "llama_float/transformer_part1", "polybench/2mm", "polybench/3mm", "polybench/atax", "polybench/correlation",
    "polybench/covariance", "polybench/doitgen", "polybench/fdtd_2d", "polybench/gemm", "polybench/gemver",
    "polybench/gramschmidt", "polybench/heat_3d", "polybench/jacobi_2d", "polybench/symm", "polybench/syr2k",
    "polybench/trisolv", "polybench/trmm", "utdsp/lmsfir2",
]  # fmt: skip


def _emitted(kernel: str) -> str:
    path = _KERNELS / f"{kernel}.c"
    read = read_c(path.read_text(), path.name, include_dirs=[str(path.parent)])
    texts = []
    for function in read:
        assert function.module is not None
        reset_names()
        func_op = next(op for op in function.module.walk() if isinstance(op, FuncOp))
        texts.append(emit(derive(simplify(summarise(func_op)))).text)
    return "\n\n".join(texts)


@pytest.mark.parametrize("kernel", _LIFTED)
def test_a_kernel_is_emitted_as_kept(kernel: str, update: bool) -> None:  # noqa: FBT001 - a fixture
    """The text is the same to the byte."""
    path = _GOLDEN / f"{kernel.replace('/', '_')}.txt"
    text = _emitted(kernel)
    if update:
        path.write_text(text)
    assert text == path.read_text()
