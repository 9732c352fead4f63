"""The examples compile without a warning and compute what their first lines say."""

from __future__ import annotations

import ctypes
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")


@functools.cache
def _library() -> ctypes.CDLL:
    target = Path(tempfile.mkdtemp(prefix="examples")) / "examples.so"
    sources = sorted(map(str, EXAMPLES.glob("*.c")))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(target), *sources, "-lm"], check=True)
    return ctypes.CDLL(str(target))


def _run(name: str, *arguments: Any) -> None:
    """Call an example: ints and floats by value, arrays by address."""
    converted = [
        ctypes.c_void_p(a.ctypes.data)
        if isinstance(a, np.ndarray)
        else {int: ctypes.c_int, float: ctypes.c_double}[type(a)](a)
        for a in arguments
    ]
    _library()[name](*converted)


@pytest.fixture(name="rng")
def _rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_covariance_is_that_of_numpy(rng: np.random.Generator) -> None:
    data, cov, mean = rng.normal(size=(7, 4)), np.empty((4, 4)), np.empty(4)
    expected = np.cov(data.T)
    _run("covariance", 4, 7, 7.0, data, cov, mean)
    np.testing.assert_allclose(cov, expected)


def test_softmax_rows_sum_to_one(rng: np.random.Generator) -> None:
    x, y = rng.normal(size=(3, 5)), np.empty((3, 5))
    _run("softmax_rows", 3, 5, x, y)
    np.testing.assert_allclose(y, np.exp(x) / np.exp(x).sum(1, keepdims=True))


def test_conv2d_adds_the_bias_to_the_windows(rng: np.random.Generator) -> None:
    image, weight = rng.normal(size=(2, 6, 8)), rng.normal(size=(3, 2, 3, 2))
    bias, out = rng.normal(size=3), np.empty((3, 4, 7), np.float32)
    _run("conv2d", 2, 3, 4, 7, 3, 2, *(a.astype(np.float32) for a in (image, weight, bias)), out)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 2), axis=(1, 2))
    expected = np.einsum("cyxhw,fchw->fyx", windows, weight) + bias[:, None, None]
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)


def test_blur_averages_inside_and_copies_the_border(rng: np.random.Generator) -> None:
    image = rng.integers(0, 256, (5, 6)).astype(np.int32)
    out, expected = np.empty_like(image), image.copy()
    expected[1:-1, 1:-1] = np.lib.stride_tricks.sliding_window_view(image, (3, 3)).sum((2, 3)) // 9
    _run("blur", 5, 6, image, out)
    np.testing.assert_array_equal(out, expected)


def test_prefix_sum_is_cumsum(rng: np.random.Generator) -> None:
    x, total = rng.normal(size=9), np.empty(9)
    _run("prefix_sum", 9, x, total)
    np.testing.assert_allclose(total, np.cumsum(x))


def test_gemm_lda_leaves_the_padding_alone(rng: np.random.Generator) -> None:
    a, b, c = rng.normal(size=(3, 7)), rng.normal(size=(4, 6)), rng.normal(size=(3, 8))
    expected = c.copy()
    expected[:, :5] = 2.0 * a[:, :4] @ b[:, :5] + 0.5 * c[:, :5]
    _run("gemm_lda", 3, 5, 4, 2.0, a, 7, b, 6, 0.5, c, 8)
    np.testing.assert_allclose(c, expected)


def test_gauss_seidel_converges_to_the_solution(rng: np.random.Generator) -> None:
    a, b, x = rng.uniform(size=(5, 5)) + 5 * np.eye(5), rng.normal(size=5), np.zeros(5)
    _run("gauss_seidel", 60, 5, a, b, x)
    np.testing.assert_allclose(x, np.linalg.solve(a, b))


def test_keep_positive_moves_the_positive_elements_to_the_front(rng: np.random.Generator) -> None:
    x, kept = rng.normal(size=9), np.zeros(9)
    _run("keep_positive", 9, x, kept)
    np.testing.assert_array_equal(kept[: (x > 0).sum()], x[x > 0])
