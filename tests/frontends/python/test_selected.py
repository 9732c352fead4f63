"""Names of selections are replaced by these where nothing changes what is selected before it is reduced."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

from tensorlift.frontends.python.selected import with_selections


@pytest.mark.parametrize(
    ("text", "is_replaced"),
    [
        ("part = x[x > 1]\nr = part.sum() / max(len(part), 1)", True),
        ("m = x > 1\npart = x[m]\ny[0] = part.sum()\nr = y", True),
        ("r = 0.0\nfor k in range(3):\n    part = x[x > k]\n    r += np.sum(part)", True),
        ("part = x[keep]\nr = 0.0\nfor k in range(3): r += part.sum()", True),
        ("part = x[x > 1]\nr = part.sum() + part[0]", False),
        ("part = x[x > 1]\nx[0] = 9\nr = part.sum()", False),
        ("z = x\npart = x[x > 1]\nz[0] = 9\nr = part.sum()", False),
        ("z = x\npart = x[x > 1]\nz += 9\nr = part.sum()", False),
        ("z = x\npart = x[x > 1]\nz.sort()\nr = part.sum() + len(part)", False),
        ("z, r = x, 0.0\npart = x[x > 1]\nfor k in range(3):\n    r += part.sum()\n    z[k] = 5", False),
        ("m = x > 1\npart = x[m]\nm = x < 1\nr = part.sum()", False),
        ("r, part = 0.0, x\nfor k in range(3):\n    r += part.sum()\n    part = x[x > k]", False),
        ("r = 0.0\nfor k in range(3):\n    if k: r += part.sum()\n    part = x[x > k]\n    x[k] += 2", False),
    ],
)
def test_selections_are_replaced_where_that_means_the_same(text: str, is_replaced: bool) -> None:  # noqa: FBT001 - a parameter
    source = "def f(x, y, keep):\n" + "".join(f"    {line}\n" for line in [*text.split("\n"), "return r"])
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    made = with_selections(function)
    assert (made is not function) == is_replaced
    results = []
    for one in (function, made):
        space: dict[str, Any] = {"np": np}
        exec(compile(ast.Module([one], []), "f", "exec"), space)
        results.append(space["f"](np.array([3.0, 1.0, 2.0]), np.zeros(3), np.array([True, False, True])))
    assert np.array_equal(*results)
