"""Reference kernels, compiled, agree with what their meanings say on small random data; half of them by default."""

from __future__ import annotations

import functools
import re
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench.kernels import native
from bench.kernels.catalogue import ROOT, Kernel, kernels
from bench.kernels.reference import meaning
from bench.kernels.sample import Inputs, draw

if TYPE_CHECKING:
    import ctypes

ROUNDS = 12


@functools.cache
def _library(suite: str) -> ctypes.CDLL:
    return native.build(suite, Path(tempfile.mkdtemp(prefix="kernels")))


def _widened(inputs: Inputs) -> dict[str, Any]:
    """Give integers room, so that a reference never wraps."""
    return {k: v.astype(np.int64) if getattr(v, "dtype", None) == np.int32 else v for k, v in inputs.items()}


@pytest.mark.in_turns(9)
@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_compiled_kernel_agrees_with_its_meaning(kernel: Kernel) -> None:
    if not native.compiles(kernel):
        pytest.skip("no compiler of its language on the search path")
    tolerance = 1e-4 if any(p.dtype == "f32" for p in kernel.parameters) else 1e-8
    rng = np.random.default_rng(zlib.crc32(str(kernel).encode()))
    for _ in range(ROUNDS):
        inputs = draw(kernel, rng)
        got = native.call(_library(kernel.suite), kernel, inputs)
        expected = meaning(kernel)(**_widened(inputs))
        untouched = {p.name: inputs[p.name] for p in kernel.parameters if p.role == "array" and p.access == "in"}
        assert set(expected) == set(kernel.outputs) | ({"return"} if kernel.result else set())
        for name, value in (expected | untouched).items():
            np.testing.assert_allclose(got[name], value, rtol=tolerance, atol=tolerance, err_msg=f"{kernel}: {name}")


def test_index_names_every_file_once_in_order() -> None:
    listed = [kernel.path for kernel in kernels()]
    assert sorted(listed) == sorted([*ROOT.glob("*/*.c"), *ROOT.glob("*/*.cpp")])
    assert [(k.suite, k.name) for k in kernels()] == sorted({(k.suite, k.name) for k in kernels()})


def test_index_covers_the_published_kernels() -> None:
    """All 99 evaluation kernels in a form that lifts without a loop, and all 30 of PolyBench."""
    verdicts = [k.expect for k in kernels() if k.suite == "polybench"]
    assert (verdicts.count("loop-free"), verdicts.count("hybrid")) == (15, 15)
    twins = {"llama_float", "polybench_macros"}
    assert sum(k.expect == "loop-free" for k in kernels() if k.suite not in twins) == 99


# What shows each style of the originals in a source: how memory is reached, where sums stand, who is called.
STYLES = {
    "IDX": r"\[i\]",
    "FLAT": r"\[\w+ \* \w+ \+ \w+\]",
    "LD": r"\* ld\w",
    "WALK": r"\*p\w*\+\+",
    "ND": r"[\w)]\[\w+(?: - 1)?\]\[|\w+\[\w+\]",
    "STRUCT": r"typedef struct",
    "ROWP": r"\.vals\[i\]\[j\]",
    "VEC": r"std::vector<.+> \w+,",
    "REG": r"(?:int|double|float|DATA_TYPE) \w+(?:, \w+)*(?: = [^;]+)?;",
    "RET": r"\n    return \w+;\n}",
    "OMP": r"#pragma omp parallel for",
    "MACRO": r"#define \w+",
}


def test_kernels_are_written_in_the_styles_of_their_originals() -> None:
    for kernel in kernels():
        text, styles = kernel.path.read_text(), kernel.c_style.split(", ")
        missing = [style for style in styles if style in STYLES and not re.search(STYLES[style], text)]
        assert (kernel, missing) == (kernel, [])
        assert ("VEC" in styles) == (kernel.path.suffix == ".cpp"), kernel


def test_the_file_of_a_kernel_is_a_comment_and_its_function() -> None:
    for kernel in kernels():
        text = kernel.path.read_text()
        assert text.startswith("// "), kernel
        assert f" {kernel.function}(" in text, kernel
        assert kernel.expect in {"loop-free", "scan", "hybrid", "refused"}, kernel
