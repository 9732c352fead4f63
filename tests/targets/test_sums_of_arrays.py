"""Products of windows of constant extents are sums of slices, which the checker reads for any counters."""

import pytest
from tests.lifts import lifted_text

from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.targets import get_target

_CONVOLUTION = """void f(int n, int m, const float x[n + 2][m + 4], const float w[3][5], float y[n][m])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            float s = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 5; b++)
                    s += x[i + a][j + b] * w[a][b];
            y[i][j] = s;
        }
}
"""
_CHANNELS = """void f(int o, int c, int n, const double x[c][n + 2], const double w[o][c][3], double y[o][n])
{
    for (int p = 0; p < o; p++)
        for (int i = 0; i < n; i++) {
            y[p][i] = 0;
            for (int q = 0; q < c; q++)
                for (int k = 0; k < 3; k++)
                    y[p][i] += x[q][i + k] * w[p][q][k];
        }
}
"""
_SUM = "sum(x[k : k + n, l : l + m] * w[k, l] for k in range(3) for l in range(5))"


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_a_convolution_is_a_sum_of_slices(target: str) -> None:
    assert _SUM in " ".join(lifted_text(_CONVOLUTION, target).program.split())


@pytest.mark.parametrize("target", ["jax", "torch"])
def test_over_channels_it_is_a_sum_of_products_of_matrices(target: str) -> None:
    text = " ".join(lifted_text(_CHANNELS, target).program.split())
    assert "sum(w[:, :, k] @ x[:, k : k + n] for k in range(3))" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("range(5)", "range(4)"),
        ("range(3)", "range(n)"),
        ("x[k : k + n, l : l + m]", "x[k : k + n, 0:m]"),
        ("w[k, l]", "w[l, k]"),
        ("w[k, l]", "w[k, l + 1]"),
        ("* w[k, l]", "+ w[k, l]"),
        ("for k in range(3)", "for k in range(3) if k"),
        ("for l in range(5)", "for k in range(5)"),
        ("sum(", "max("),
        ("* w[k, l]", "* k"),
        ("def f(x, w):", "def f(x, w, sum):"),
    ],
)
def test_a_wrong_sum_is_refused(old: str, new: str) -> None:
    certificate = certificate_from_json(lifted_text(_CONVOLUTION, "numpy").certificate or {})
    text = certificate.program
    assert old in text, text
    with pytest.raises(CheckFailure):
        check(text.replace(old, new), certificate.entry, certificate.summary, get_target("numpy"), certificate.cuts)
