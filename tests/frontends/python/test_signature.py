"""The rank of an array without an annotation, and whether it holds places, are told by how it is used."""

from __future__ import annotations

import ast

import pytest
from tests.frontends.python.original import function_op

from tensorlift.diagnostics import Location
from tensorlift.frontends.python.signature import kinds_of
from tensorlift.ir.function import FunctionView


@pytest.mark.parametrize(
    ("body", "rank"),
    [
        ("b = x[1:]\n    b[0] = 1.0", 1),
        ("b = x[0, 1:]\n    b[0] = 1.0", 2),
        ("y = x[None, :, 0] + 1\n    x[0, 0] = y[0, 0]", 2),
        ("y = x[np.newaxis, 1:, :] * 2\n    x[:, :] = 1.0", 2),
        ("for i, row in enumerate(x):\n        for v in row:\n            row[i] = v", 2),
        ("for row in reversed(x):\n        row[0] = 1.0", 2),
        ("for a, b in zip(x, x):\n        a[0] = 1.0", 2),
        ("r, g = x[0, 1]\n    x[0, 0, 0] = r", 3),
        ("return max(x) - min(x)", 1),
        ("return [v for v in x]", 1),
        ("return np.outer(x, x)", 1),
    ],
)
def test_a_rank_is_told_by_use(body: str, rank: int) -> None:
    view = FunctionView(function_op(f"import numpy as np\ndef f(x):\n    {body}\n", "f"))
    (array,) = [parameter for parameter in view.parameters if parameter.name == "x"]
    assert len(array.extents or ()) == rank


@pytest.mark.parametrize(
    "body",
    [
        "return x[a[b[0]]]",
        "x[a[0], b[1]] = 1.0",
        "for i, j in zip(range(len(x)), a):\n        x[j] = x[i] + b[j] * (b[0] // 2 + 1 in range(b[1]))",
        "for i in range(len(x)):\n        for k in range(a[i], b[i + 1]):\n            x[i] += 1.0",
        "for i in range(len(x)):\n        j = a[i] + 1\n        k = j - b[i]\n        x[k] += 1.0",
        "rows = a[1:]\n    x[rows[0]] = x[b[0]]",
        "x[-a[0] * 2] = np.zeros(b[0])[0]",
        "for k in reversed(a):\n        x[k] = x[b[k]]",
    ],
)
def test_places_are_integers(body: str) -> None:
    kinds = _kinds(f"def f(x, a, b):\n    {body}\n")
    assert [kinds[name] for name in "xab"] == ["float64", "int64", "int64"]


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(len(a)):\n        a[i] = 1.0",
        "a[0] = x[int(a[1])]",
        "i = 0\n    while a[i] > 1:\n        i += 1",
        "for i, v in enumerate(a):\n        x[i] = v",
        "b = np.zeros(len(a))\n    x[a.shape[0] - 1] = a[0]",
        "for i in range(len(x)):\n        j = a[i]\n        x[i] = j",
    ],
)
def test_what_only_has_places_is_of_any_numbers(body: str) -> None:
    assert _kinds(f"def f(x, a, b):\n    {body}\n")["a"] == "float64"


def _kinds(text: str) -> dict[str, str]:
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    return {name: kind.element() for name, kind in kinds_of(function, lambda _: Location("", 1, 1)).items()}
