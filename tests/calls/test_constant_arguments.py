"""Texts that calls pass are constants, and truth values are where a function has no form without: each has its own."""

from __future__ import annotations

import ast
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from tests.calls.functions_of_types import extreme, length, padded, product, repeated, smooth, total

from tensorlift import lift
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.python.constant_arguments import with_constants

X = np.array([3.0, 1.0, 2.0])


class _Extreme(StrEnum):
    LEAST = "least"


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (smooth, [(), ("valid",)]),
        (total, [(), ("mean",)]),
        (extreme, [("MAX",), ("least",)]),
        (padded, [(), ("Periodic",), ("zero",)]),
        (length, [(), ("ortho",)]),
    ],
)
def test_a_text_is_a_constant_of_the_call(function: Any, calls: list[tuple[str, ...]]) -> None:
    lifted = lift(function, cache=False)
    for call in calls:
        assert np.allclose(lifted(X, *call), function(X, *call))


def test_truth_values_are_constants_where_nothing_else_helps() -> None:
    original: Any = product
    lifted, a = lift(original, cache=False), np.arange(6.0).reshape(2, 3)
    assert np.allclose(lifted(a, X), original(a, X))
    assert np.allclose(lifted(a, X[:2], trans=True), original(a, X[:2], trans=True))
    assert lifted.source.endswith("def product(a, x):\n    return a.T @ x\n")


def test_integers_are_constants_where_nothing_else_helps() -> None:
    original: Any = repeated
    lifted = lift(original, cache=False)
    for call in ((2,), (300,), (300,), (1, 2), (2, 3), (1, True)):  # 300 is no object that Python keeps
        assert np.allclose(lifted(X, *call), original(X, *call))
    assert lifted.source.endswith("return x.copy()\n")
    with pytest.raises(ValueError, match="negative dimensions"):
        original(X, -1)
    for factor in (-1, 1 << 40):
        with pytest.raises(LiftError, match="TL1"):
            lifted(X, factor)


def test_a_text_with_which_the_original_raises_raises_as_that_does() -> None:
    with pytest.raises(ValueError, match="mode") as raised:
        lift(smooth, cache=False)(X, "full")
    assert not isinstance(raised.value, LiftError)


@pytest.mark.parametrize(
    "text",
    [
        "if mode == 'a' and x > 1: r = 1\nelif mode != 'b': r = 2\nelse: r = 3",
        "r = 1 if not (mode in ['a', 'c'] or x > 2) else 2",
        "r = x if mode is None else 7 if flag else 8",
        "r = x and flag",
        "mode = 3\nmode += x\nr = mode",
        "mode = 3\nmode -= 5\nr = mode // 2 * mode % 3 + 7 % -3",
        "mode = 3\nfor k in range(2): mode += 1\nr = mode",
        "mode = 2\nr = 7 // (mode - 2) if x > 9 else mode",
        "mode = 3\nif mode % 2: mode += 1\nmode /= 8\nr = mode",
        "k = x and 2\nr = k or 3",
        "r = (x and 1) and 2",
        "r = flag and 1 < 2",
        "r = [flag == 1, -1 < 0 and 2 >= 3][x > 1]",
        "r = flag and x",
        "r = (x and x + 4) and flag",
        "r = (x or x - 3) or flag or mode == 'c'",
        "r = x > 9 and (mode or 'a').startswith(1)",
        "r = x or flag",
        "r = (x > 1 and flag) or mode == 'c'",
        "r = 0\nfor k in range(3):\n    if mode == 'a': break\n    r += k\n    continue\n    r = 9",
        "r = [mode for mode in 'xy']",
        "r = (lambda mode: mode == 'a')('a')",
        "r = mode.upper() == 'B' if mode else None",
        "r = str(mode) + str(flag)",
        "if mode is None: mode = 'b'\nmode = mode.upper()\nr = 1 if mode == 'A' else 2",
        "mode = mode or x\nflag: bool = not flag\nr = mode if flag else 3",
        "if x > 0: mode = 'a'\nr = mode == 'a'",
        "r = 0\nfor k in range(3):\n    r += flag\n    flag = k > x",
        "match x:\n    case 1: r = mode\n    case mode: r = mode",
        "for mode in (x, 2): pass\nr = mode",
        "y = mode = 'c'\nr = mode + y",
        "mode, flag = flag, mode\nr = mode",
    ],
)
def test_what_is_left_does_what_the_whole_does(text: str) -> None:
    source = "def f(x, mode, flag):\n" + "".join(f"    {line}\n" for line in [*text.split("\n"), "return r"])
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    for mode in ("a", "b", None):
        for flag in (True, False):
            for x in (0, 1, 3):
                known = with_constants(function, {"mode": mode, "flag": flag})
                results = []
                for made in (function, known):
                    space: dict[str, Any] = {}
                    exec(compile(ast.Module([ast.fix_missing_locations(made)], []), "f", "exec"), space)
                    results.append(space["f"](x, mode, flag))
                assert results[0] == results[1]
                assert type(results[0]) is type(results[1])
