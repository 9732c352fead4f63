"""A Python function of `n` takes arrays that are longer than `n`: it touches what the source touches, no more."""

# mypy: allow-untyped-calls

from __future__ import annotations

import linecache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift import lift

if TYPE_CHECKING:
    from collections.abc import Callable

VECTORS = {
    "a copy": "def f(x, y, n: int):\n    for i in range(n):\n        y[i] = x[i]",
    "a stencil": "def f(x, y, n: int):\n    for i in range(1, n - 1):\n        y[i] = x[i - 1] + 2 * x[i] + x[i + 1]",
    "a sum": "def f(x, n: int):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n    return s",
    "a running sum": "def f(x, y, n: int):\n    s = 0.0\n    for i in range(n):\n        s += x[i]\n        y[i] = s",
    "a reversal": "def f(x, n: int):\n    for i in range(n // 2):\n        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]",
    "relaxation": """def f(x, n: int):
    for _ in range(3):
        for i in range(1, n - 1):
            x[i] = (x[i - 1] + x[i + 1]) / 2""",
    "a new array": """def f(x, n: int):
    y = np.zeros(n)
    for i in range(n):
        y[i] = x[i] ** 2
    return y""",
    "a shift": "def f(x, y, n: int):\n    for i in range(n - 1):\n        y[i] = x[i + 1]",
    "some cells": "def f(x, y, n: int):\n    for i in range(n):\n        if x[i] > 0:\n            y[i] = x[i]",
    "every other cell": "def f(x, y, n: int):\n    for i in range(0, n, 2):\n        y[i] = -x[i]",
    "bytes": "def f(x: 'uint8[:]', y: 'uint8[:]', n: int):\n    for i in range(n):\n        y[i] = x[i] + x[i]",
    "two sizes": """def f(x, y, n: int, m: int):
    for i in range(n):
        y[i] = x[i]
    for i in range(m):
        y[i] += 1.0""",
}
MATRICES = {
    "a product": """def f(A, B, C, n: int, m: int):
    for i in range(n):
        for j in range(n):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]""",
    "a transposition": """def f(A, B, n: int, m: int):
    for i in range(n):
        for j in range(m):
            B[j, i] = A[i, j]""",
    "a triangle": """def f(A, B, n: int, m: int):
    for i in range(n):
        for j in range(min(i + 1, m)):
            B[i, j] = A[i, j]""",
    "a stencil": """def f(A, B, n: int, m: int):
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            B[i, j] = A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]""",
}


@pytest.mark.parametrize("case", VECTORS)
def test_arrays_longer_than_n(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = _function(VECTORS[case], monkeypatch)
    lifted, names = lift(function), function.__code__.co_varnames[: function.__code__.co_argcount]
    dtype = np.uint8 if case == "bytes" else np.float64
    arrays, sizes = [name for name in names if name in "xy"], [name for name in names if name in "nm"]
    for counts in product(range(6), *[(0, 2, 5)] * (len(sizes) - 1)):
        for more in product((0, 1, 3), repeat=len(arrays)):
            _assert_same(lifted, function, [_numbers((max(counts) + k,), dtype) for k in more], counts)


@pytest.mark.parametrize("case", MATRICES)
def test_matrices_larger_than_n_by_m(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = _function(MATRICES[case], monkeypatch)
    lifted, count = lift(function), function.__code__.co_argcount - 2
    for n, m, more in product(range(4), range(4), (0, 1)):
        shapes = [(max(n, m) + more + k, max(n, m) + more) for k in range(count)]
        _assert_same(lifted, function, [_numbers(shape) for shape in shapes], (n, m))


@pytest.mark.parametrize("case", ["a copy", "a shift", "some cells", "every other cell", "bytes"])
def test_one_larger_array_may_be_two_where_that_changes_nothing(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    function = _function(VECTORS[case], monkeypatch)
    x = _numbers((7,), np.uint8 if case == "bytes" else np.float64)
    again = x.copy()
    with np.errstate(over="ignore"):
        function(again, again, 5)
    lift(function)(x, x, 5)
    np.testing.assert_array_equal(x, again)


def test_one_larger_array_may_not_be_two_where_that_changes_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    x = _numbers((7,))
    with pytest.raises(ValueError, match="y shares no memory with x"):
        lift(_function(VECTORS["a stencil"], monkeypatch))(x, x, 5)


def _function(source: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    text, name = f"import numpy as np\n{source}\n", "<cell>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    function: Callable[..., Any] = namespace["f"]
    return function


def _numbers(shape: tuple[int, ...], dtype: Any = np.float64) -> Any:
    low = -9 if dtype is np.float64 else 0
    return np.random.default_rng(sum(shape)).integers(low, 200, shape).astype(dtype)


def _assert_same(lifted: Any, function: Callable[..., Any], arrays: list[Any], sizes: tuple[int, ...]) -> None:
    copies = [array.copy() for array in arrays]
    with np.errstate(over="ignore"):
        found, wanted = lifted(*arrays, *sizes), function(*copies, *sizes)
    for one, other in zip([found, *arrays], [wanted, *copies], strict=True):
        assert (one is None) == (other is None)
        if other is not None:
            np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize(
    ("source", "shapes", "sizes", "message"),
    [
        (VECTORS["a copy"], [(4,), (9,)], (5,), r"x has length 4, expected 5 or more: `f` needs n <= x\.shape\[0\]"),
        (VECTORS["a copy"], [(5,), (3,)], (5,), r"y has length 3, expected 5 or more: `f` needs n <= y\.shape\[0\]"),
        (VECTORS["a shift"], [(6,), (4,)], (6,), "y has length 4, expected 5 or more"),
        (MATRICES["a transposition"], [(2, 3), (4, 2)], (2, 4), "axis 1 of A has length 3, expected 4 or more"),
        (
            "def f(x, y):\n    for i in range(len(x)):\n        y[i] = x[i]",
            [(3,), (4,)],
            (),
            "y has length 4, expected 3",
        ),
        (
            """def f(A, x, y):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            y[i] += A[i, j] * x[j]""",
            [(2, 3), (4,), (2,)],
            (),
            r"x has length 4, expected 3, which is m",
        ),
    ],
)
def test_an_error_says_how_long_an_array_is_and_has_to_be(
    source: str, shapes: list[tuple[int, ...]], sizes: tuple[int, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=message):
        lift(_function(source, monkeypatch))(*map(_numbers, shapes), *sizes)
