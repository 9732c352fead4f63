"""Idioms of Python: lifted to the line that an expert would have written, in each library."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

_NUMPY, _JAX, _TORCH = "numpy", "jax", "torch"
_ALL = """
import numpy as np

def loop_mean(x: "float64[:]"):
    s = 0.0
    for v in x:
        s += v
    return s / len(x)

def mean_of_all(x: "float64[:, :]"):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            s += x[i, j]
    return s / (x.shape[0] * x.shape[1])

def centred(x: "float64[:, :]"):
    return x - x.mean(axis=1, keepdims=True)

def softmax(x: "float64[:, :]"):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)

def share(x: "float64[:]"):
    return x / x.sum()

def clipped(x: "float64[:]", y: "float64[:]") -> None:
    for i in range(len(x)):
        v = x[i]
        if v < -1:
            v = -1.0
        elif v > 2:
            v = 2.0
        y[i] = v

def clipped_by_calls(x: "float64[:]"):
    return np.array([max(0.0, min(v, 1.0)) for v in x])

def neighbours(x: "float64[:]", k: "int64[:]"):
    return x[k - 1] + x[k + 1]

def column(x: "float64[:, :]"):
    m = x.mean(axis=1, keepdims=True)
    return np.exp(m) + x - m

def weights(x: "float64[:]"):
    n = len(x)
    w = np.ones(n)
    for j in range(n):
        for k in range(n):
            if k != j:
                w[j] /= x[j] - x[k]
    return w

def energy(s: "float64[:, :]"):
    n, m = s.shape
    e = 0.0
    for i in range(n):
        for j in range(m):
            e -= s[i, j] * (s[(i + 1) % n, j] + s[i, (j + 1) % m])
    return e

def likelihood(p: "float64[:, :]", y: "int64[:]"):
    return -np.log(p[np.arange(len(y)), y]).mean()

def diffused(u: "float64[:]", a: float, steps: int):
    for _ in range(steps):
        new = u.copy()
        new[1:-1] = u[1:-1] + a * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = new
    return u

def prices(x: "float64[:]"):
    y = x - x.mean()
    return y / (y.max() - y.min()), y
"""
_LINES = {
    ("loop_mean", _NUMPY): "return x.mean()",
    ("mean_of_all", _NUMPY): "return x.mean()",
    ("mean_of_all", _TORCH): "return x.mean()",
    ("centred", _NUMPY): "return x - x.mean(axis=1, keepdims=True)",
    ("centred", _JAX): "return x - x.mean(axis=1, keepdims=True)",
    ("centred", _TORCH): "return x - x.mean(dim=1, keepdim=True)",
    ("softmax", _NUMPY): "return e / e.sum(axis=1, keepdims=True)",
    ("share", _NUMPY): "return x / x.sum()",
    ("share", _TORCH): "return x / x.sum()",
    ("clipped", _NUMPY): "return np.clip(x, -1.0, 2.0)",
    ("clipped", _JAX): "return jnp.clip(x, -1.0, 2.0)",
    ("clipped", _TORCH): "return torch.clamp(x, min=-1.0, max=2.0)",
    ("clipped_by_calls", _NUMPY): "return np.clip(x, 0.0, 1.0)",
    ("neighbours", _NUMPY): "return x[k - 1] + x[k + 1]",
    ("column", _NUMPY): "return np.exp(m) + x - m",
    ("weights", _NUMPY): "return np.where(~np.eye(n, dtype=bool), 1.0 / (x[:, None] - x), 1.0).prod(axis=1)",
    ("energy", _NUMPY): "return -np.vdot(s, t[1:, :-1] + t[:-1, 1:])",
    ("likelihood", _NUMPY): "return -np.log(p[np.arange(y_shape0), y]).mean()",
    ("diffused", _NUMPY): "return new",
    ("prices", _NUMPY): "return y / (y.max() - y.min()), y",
}


@pytest.fixture(scope="module", params=[_NUMPY, _JAX, _TORCH])
def programs(request: pytest.FixtureRequest) -> dict[tuple[str, str], list[str]]:
    wanted = tuple(name for name, target in _LINES if target == request.param)
    record = lift_source(source_from_text(_ALL, "idioms.py"), LiftOptions(wanted, request.param))
    return {(one.name, request.param): one.program.splitlines() for one in record.functions}


def test_an_array_that_takes_over_memory_has_one_name(programs: dict[tuple[str, str], list[str]]) -> None:
    lines = programs.get(("diffused", _NUMPY), [])
    assert lines[-2:-1] == ["        new[1:-1] += a * (new[2:] - 2.0 * new[1:-1] + new[:-2])"] * bool(lines)


def test_idioms_are_spelled_as_an_expert_would(programs: dict[tuple[str, str], list[str]]) -> None:
    assert {key: lines[-1].strip() for key, lines in programs.items()} == {key: _LINES[key] for key in programs}


def test_a_number_of_summands_that_may_wrap_makes_no_mean() -> None:
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += x[i][j];"
    text = f"double f(int n, int m, const double x[n][m]) {{ double s = 0; {loops} return s / (n * m); }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert (function.verdict, function.level) == ("loop-free", "proved")
