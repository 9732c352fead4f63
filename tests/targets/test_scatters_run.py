"""Stores at places that data say, run: equal places in order, integers that wrap, cells in columns, no cells at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift import lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.program import load_program
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

WRAPS = """void f(int n, int m, const int *k, const signed char *v, signed char h[m]) {
  for (int i = 0; i < n; i++) h[k[i]] += v[i];
}"""
LAST = (
    "void f(int n, int m, const long *k, const double *v, double h[m]) { for (int i = 0; i < n; i++) h[k[i]] = v[i]; }"
)
MOST = """void f(int n, const unsigned char *k, const short *v, short h[256]) {
  for (int i = 0; i < n; i++) if (v[i] > h[k[i]]) h[k[i]] = v[i];
}"""
COLUMNS = """void f(int n, int d, int m, const int *k, const double v[d][n], double h[d][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < d; j++) if (v[j][i] < h[j][k[i]]) h[j][k[i]] = v[j][i];
}"""
pytestmark = pytest.mark.usefixtures("wide")

TARGETS = ("numpy", "jax", "torch")


def _run(source: str, target: str, *arrays: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    give: Callable[[Any], Any] = np.copy
    if target == "torch":
        give = pytest.importorskip("torch").from_numpy
    elif target == "jax":
        give = pytest.importorskip("jax.numpy").asarray
    (function,) = lift(source, to=target).functions
    assert str(function.level) == str(function.definitions) == "proved"
    assert str(function.verdict) == "loop-free"
    program = load_program(str(function.program), "f")
    return np.asarray(program(*map(give, arrays)))


@pytest.mark.parametrize("target", TARGETS)
def test_a_sum_at_places_wraps_in_its_type(target: str) -> None:
    k, v, h = np.array([1, 0, 1, 1], np.int32), np.array([100, -128, 100, 57], np.int8), np.array([-1, 1], np.int8)
    assert _run(WRAPS, target, k, v, h).tolist() == [127, 2]


@pytest.mark.parametrize("target", TARGETS)
def test_the_last_of_many_writers_wins(target: str) -> None:
    rng = np.random.default_rng(0)
    k, v, h = rng.integers(0, 50, 100_000), rng.standard_normal(100_000), np.zeros(60)
    wanted = h.copy()
    for place, value in zip(k, v, strict=True):
        wanted[place] = value
    assert _run(LAST, target, k, v, h).tolist() == wanted.tolist()


@pytest.mark.parametrize("target", TARGETS)
def test_bytes_are_places(target: str) -> None:
    k, v, h = np.array([255, 7, 255], np.uint8), np.array([3, -9, 5], np.int16), np.full(256, -4, np.int16)
    found = _run(MOST, target, k, v, h)
    assert found.dtype == np.int16
    assert (found[255], found[7], found.sum()) == (5, -4, 5 - 4 * 255)


@pytest.mark.parametrize("target", TARGETS)
def test_columns_are_places(target: str) -> None:
    k, v = np.array([2, 2], np.int32), np.array([[1.0, -1.0], [-3.0, 4.0]])
    assert _run(COLUMNS, target, k, v, np.zeros((2, 3))).tolist() == [[0, 0, -1], [0, 0, -3]]


STRIDED = """def f(n: int, y: "float64[:]", y0: int, incy: int, x: "float64[:]"):
    iy = y0
    for i in range(n):
        y[iy] {} x[i]
        iy += incy
"""


@pytest.mark.parametrize(("sign", "target"), [("+=", "numpy"), *(("*=", target) for target in TARGETS)])
def test_cells_are_updated_at_strides_of_any_sign(sign: str, target: str) -> None:
    tensor = pytest.importorskip({"jax": "jax.numpy"}.get(target, target)).asarray
    source, names = STRIDED.format(sign), dict[str, Any]()
    (function,) = lift_source(source_from_text(source, "f.py"), LiftOptions(target=target)).functions
    assert (str(function.level), str(function.verdict)) == ("proved", "loop-free")
    exec(source, names)
    x = np.arange(2.0, 6.0)
    for n, start, step in ((4, 1, 3), (4, 10, -2), (3, 5, 0), (0, 0, 7)):
        expected = np.arange(1.0, 13.0)
        names["f"](n, expected, start, step, x)
        given = tensor(np.arange(1.0, 13.0)), start, step, tensor(x[:n])
        np.testing.assert_array_equal(np.asarray(load_program(str(function.program), "f")(n, *given)), expected)


UPDATES_IN_LOOPS = {
    "reads what the update before changed": "if (v[i] > h[k[i]]) { h[k[i]] = v[i]; h[k[n - 1 - i]] = v[i] - 1; }",
    "values of the cells before": "double t = h[k[i]]; h[k[n - 1 - i]] = v[i]; h[k[i]] = t * 2;",
    "a row of them": "for (int j = 0; j < m; j++) h[j] = h[j] / 2 + v[i]; h[k[i]] = h[0] + h[k[n - 1 - i]];",
    "a counter beside them": "if (h[i] != v[0]) h[at++] = h[i];",
}


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("body", UPDATES_IN_LOOPS.values(), ids=UPDATES_IN_LOOPS)
def test_updates_in_a_loop_that_stays_are_made_in_one_copy(target: str, body: str) -> None:
    source = f"""void f(int n, int m, const int k[restrict n], const double v[restrict n], double h[restrict m]) {{
  int at = 0;
  for (int i = 0; i < n; i++) {{ {body} }}
}}"""
    if target != "numpy":
        pytest.importorskip(target)
    (function,) = lift(source, to=target, test=True).functions
    assert (str(function.level), str(function.definitions)) == ("proved", "proved")
    assert all(trial.passed for trial in function.tests)
    _, _, loop = str(function.program).partition("for i in" if target != "jax" else "def i_step")
    assert loop
    assert not re.search(r"h\w* = h\w*\.(copy|clone)\(\)", loop)
