"""NaN that a source writes may be stored, chosen and computed with, but reaches nothing that orders numbers."""

from __future__ import annotations

import ast

import pytest

from tensorlift.frontends.python.not_numbers import ordered_nan


@pytest.mark.parametrize(
    ("body", "reached"),
    [
        ("y = np.full(n, np.nan); y[x > 0] = 1", ""),
        ("y = np.full(n, np.nan); y[np.isnan(y)] = 0; return y", ""),
        ("for i in range(n): y[i] = x[i] if x[i] > 0 else math.nan", ""),
        ("y[0] = share(x[0], n)", ""),
        ("out = []; out.append(float('nan'))", ""),
        ("best = np.nan\nfor v in x:\n    if v > best: best = v", "v > best"),
        ("best = float('-nan'); best = max(best, x[0])", "max(best, x[0])"),
        ("y = np.full(n, np.nan); z = y; w = z[1:]\nfor v in w: s = v <= 0", "v <= 0"),
        ("y += np.nan; y = np.sqrt(y); a = y.argmax()", "y.argmax()"),
        ("r = share(x[0], n); y[0] = r if r < 1 else 0", "r < 1"),
        ("y[0] = share(np.nan, 1)", "share(np.nan, 1)"),
        ("y[0] = clipped(x[0])", "a < np.nan"),
    ],
)
def test_what_orders_numbers_is_found(body: str, reached: str) -> None:
    helpers = "def share(a, b): return a / b if b else np.nan\ndef clipped(a): return a < np.nan\n"
    lines = [line for part in body.split("\n") for line in (part.split("; ") if ":" not in part else [part])]
    tree = ast.parse(helpers + "def f(x, y, n):\n" + "".join(f"    {line}\n" for line in lines))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    found = ordered_nan(functions["f"], functions)
    assert (ast.unparse(found) if found is not None else "") == reached
