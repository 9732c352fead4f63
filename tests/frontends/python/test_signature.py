"""The rank of an array without an annotation is told by how it is used."""

from __future__ import annotations

import pytest
from tests.frontends.python.original import function_op

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
