"""Convolutions in StableHLO: which sums over windows become one, and what is wrong in one is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lifts import lifted_text

from tensorlift.pipeline import verify
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.runtime.xla import interpret, load_stablehlo
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

SIGNAL = """void signal(int n, int k, TYPE x[2 * n + 3 * k], TYPE w[k], TYPE y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < k; j++) y[i] += x[2 * i + 3 * j] * w[k - 1 - j];
  }
}
"""
IMAGE = """void image(int h, int w, int r, int s, TYPE x[h][w], TYPE f[r][s], TYPE y[h - r + 1][w - s + 1]) {
  for (int i = 0; i < h - r + 1; i++)
    for (int j = 0; j < w - s + 1; j++) {
      y[i][j] = 0;
      for (int k = 0; k < r; k++)
        for (int l = 0; l < s; l++) y[i][j] += x[i + k][j + l] * f[k][l];
    }
}
"""
IMAGES = """void images(int b, int h, int w, TYPE x[b][h + 2][w + 2], TYPE f[3][3], TYPE y[h][w][b]) {
  for (int p = 0; p < b; p++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        y[i][j][p] = 0;
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++) y[i][j][p] += x[p][i + k][j + l] * f[k][l];
      }
}
"""
CHANNELS = """void channels(int c, int f, int h, int w, TYPE x[c][h + 2][w + 2], TYPE v[f][c][3][3], TYPE y[f][h][w]) {
  for (int o = 0; o < f; o++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++) {
        y[o][i][j] = 0;
        for (int q = 0; q < c; q++)
          for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++) y[o][i][j] += x[q][i + k][j + l] * v[o][q][k][l];
      }
}
"""
CHANNELS_LAST = """void channels_last(int b, int c, int f, int h, int w,
                   TYPE x[b][h + 2][w + 2][c], TYPE v[3][3][c][f], TYPE y[b][h][w][f]) {
  for (int p = 0; p < b; p++)
    for (int i = 0; i < h; i++)
      for (int j = 0; j < w; j++)
        for (int o = 0; o < f; o++) {
          y[p][i][j][o] = 0;
          for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
              for (int q = 0; q < c; q++) y[p][i][j][o] += x[p][i + k][j + l][q] * v[k][l][q][o];
        }
}
"""
DEPTHWISE = """void depthwise(int c, int n, TYPE x[n + 2][c], TYPE v[3][c], TYPE y[n][c]) {
  for (int i = 0; i < n; i++)
    for (int q = 0; q < c; q++) {
      y[i][q] = 0;
      for (int k = 0; k < 3; k++) y[i][q] += x[i + k][q] * v[k][q];
    }
}
"""
_CASES = [
    (
        SIGNAL,
        "double",
        {"n": 7, "k": 4},
        "-> [b, f, 0], window = {stride = [2], rhs_dilate = [3]}",
    ),
    (IMAGE, "double", {"h": 8, "w": 9, "r": 3, "s": 4}, "[b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1]"),
    (IMAGES, "double", {"b": 2, "h": 4, "w": 3}, "[b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1]"),
    (CHANNELS, "float", {"c": 8, "f": 3, "h": 2, "w": 4}, "[b, f, 0, 1] x [o, i, 0, 1] -> [b, f, 0, 1]"),
    (CHANNELS_LAST, "float", {"b": 2, "c": 8, "f": 3, "h": 2, "w": 4}, "[b, 0, 1, f] x [0, 1, i, o] -> [b, 0, 1, f]"),
]


def _lifted(source: str, kind: str, sizes: dict[str, int]) -> FunctionRecord:
    function = lifted_text(source.replace("TYPE", kind), "stablehlo", **sizes)
    assert function.level == "proved", function.diagnostics
    return function


@pytest.mark.parametrize(("source", "kind", "sizes", "spelling"), _CASES)
def test_a_sum_over_windows_is_a_convolution(source: str, kind: str, sizes: dict[str, int], spelling: str) -> None:
    function = _lifted(source, kind, sizes)
    assert spelling in function.program, function.program
    assert "gather" not in function.program
    assert verify(function.certificate or {}) == ()


@pytest.mark.parametrize(
    ("source", "kind", "sizes"),
    [
        (SIGNAL, "int", {"n": 7, "k": 4}),  # XLA convolves no integers on GPUs
        (SIGNAL, "float", {"n": 7, "k": 4}),  # slower in single precision
        (CHANNELS, "double", {"c": 8, "f": 3, "h": 2, "w": 4}),  # slower in double precision
        (CHANNELS, "float", {"c": 2, "f": 3, "h": 2, "w": 4}),  # slower with few products
        (DEPTHWISE, "double", {"c": 4, "n": 5}),
    ],
)
def test_a_sum_for_which_a_convolution_is_slower_is_a_product(source: str, kind: str, sizes: dict[str, int]) -> None:
    assert "convolution" not in _lifted(source, kind, sizes).program


def test_a_convolution_of_single_precision_is_as_precise_as_its_type() -> None:
    function = _lifted(CHANNELS, "float", {"c": 8, "f": 3, "h": 2, "w": 4})
    certificate = certificate_from_json(function.certificate or {})
    one = "#stablehlo<precision HIGHEST>"
    for text in (
        function.program.replace(f", precision_config = [{one}, {one}]", ""),
        function.program.replace(f"[{one}, {one}]", f"[{one}, {one.replace('HIGHEST', 'DEFAULT')}]"),
    ):
        assert text != function.program
        with pytest.raises(CheckFailure, match="precision"):
            check(text, "channels", certificate.summary, get_target("stablehlo"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stride = [2]", "stride = [1]"),
        ("rhs_dilate = [3]", "rhs_dilate = [2]"),
        ("[b, f, 0] x", "[b, 0, f] x"),
        ("[b, f, 0] x", "[b, f, f] x"),
        ("x [o, i, 0]", "x [o, i, 1]"),
        ("dims = [0]", "dims = []"),
        ("(%2, %3)", "(%2, %2)"),
        ("[0:22]", "[1:23]"),
        ("batch_group_count = 1", "batch_group_count = 2"),
        ("window = {", "window = {pad = [[0, 0]], "),
    ],
)
def test_a_wrong_convolution_is_refused(old: str, new: str) -> None:
    function = _lifted(SIGNAL, "double", {"n": 7, "k": 4})
    assert old in function.program
    certificate = certificate_from_json(function.certificate or {})
    text = function.program.replace(old, new, 1)
    with pytest.raises(CheckFailure):
        check(text, function.name, certificate.summary, get_target("stablehlo"), certificate.cuts)


def _numpy(name: str, x: Any, v: Any, shape: tuple[int, ...]) -> Any:
    """Return what a source computes, by NumPy."""
    windows = np.lib.stride_tricks.sliding_window_view
    if name == "signal":
        return windows(x, 10)[: 2 * shape[0] : 2, ::3] @ v[::-1]
    if name == "image":
        return np.einsum("ijkl,kl->ij", windows(x, v.shape), v)
    if name == "images":
        return np.einsum("pijkl,kl->ijp", windows(x, (3, 3), axis=(1, 2)), v)
    if name == "channels":
        return np.einsum("qijkl,oqkl->oij", windows(x, (3, 3), axis=(1, 2)), v)
    return np.einsum("pijqkl,klqo->pijo", windows(x, (3, 3), axis=(1, 2)), v)


_SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "signal": ((26,), (4,), (7,)),
    "image": ((8, 9), (3, 4), (6, 6)),
    "images": ((2, 6, 5), (3, 3), (4, 3, 2)),
    "channels": ((8, 4, 6), (3, 8, 3, 3), (3, 2, 4)),
    "channels_last": ((2, 4, 6, 8), (3, 3, 8, 3), (2, 2, 4, 3)),
}


@pytest.mark.parametrize(("source", "kind", "sizes", "spelling"), _CASES)
def test_a_convolution_computes_what_the_source_does(
    source: str, kind: str, sizes: dict[str, int], spelling: str
) -> None:
    pytest.importorskip("jax", reason="JAX, which XLA comes with, is not installed")
    function = _lifted(source, kind, sizes)
    assert spelling in function.program
    rng = np.random.default_rng(3)
    given, taken, result = _SHAPES[function.name]
    x, v = (rng.uniform(-2, 2, shape).astype("float64" if kind == "double" else "float32") for shape in (given, taken))
    wanted = _numpy(function.name, x, v, result)
    names = [parameter.name for parameter in function.parameters]
    compiled = load_stablehlo(function.program, function.name)(**dict(zip(names, (x, v), strict=True)))
    for got in (compiled, interpret(function.program, [x, v])[0]):
        np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)
