"""Truth values of Python are numbers, and those of NumPy add up to truth values: each expression is one of the two."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.frontends.python.original import both

from tensorlift import lift
from tensorlift.languages.python import read_python

if TYPE_CHECKING:
    from pathlib import Path

_SIGNATURE = "(a: 'float64[:]', b: 'bool[:]', c: 'int32[:]', y: 'float64[:]', k: int)"
_LOOP = "for i in range(len(a)):\n  y[i] = "

# Values of one element, for the arrays `a` of floats, `b` of truth values, `c` of integers, and an integer `k`.
_VALUES = [
    "True + (a[i] > 1)",
    "(a[i] > 1) + b[i]",
    "(a[i] > 1) + b[i] + 1",
    "1 + (a[i] > 1) + b[i]",
    "(k > 1) + (k > 2)",
    "(k > 1) + (k > 2) + b[i]",
    "(k > 1) + b[i] + True",
    "True * b[i] + b[i]",
    "(True & (k > 1)) + b[i]",
    "(b[i] ^ (a[i] > 1)) + b[i]",
    "(b[i] | (k > 1)) + True",
    "~b[i] + ~(a[i] > 1)",
    "~(k > 1)",
    "-(k > 1)",
    "not b[i]",
    "(not b[i]) + (not b[i])",
    "(not b[i]) + b[i]",
    "b[i] / True",
    "b[i] << (a[i] > 1)",
    "b[i] * 0.5 - 2 * (a[i] > 1)",
    "2 - b[i]",
    "b[i] + c[i]",
    "b[i] * c[i] * a[i]",
    "bool(a[i]) + bool(c[i])",
    "np.bool_(a[i]) + np.bool_(c[i])",
    "min(b[i], a[i] > 1) + b[i]",
    "max(b[i], a[i] > 1) + b[i]",
    "max(True, b[i]) + b[i]",
    "max(b[i], 2)",
    "np.minimum(True, b[i]) + True",
    "np.add(True, True)",
    "np.add(b[i], 2)",
    "np.multiply(True, b[i]) + b[i]",
    "np.abs(b[i]) + b[i]",
    "abs(k > 1) + abs(k > 2)",
    "abs(b[i]) + True",
    "(a[i] > 1) == b[i]",
    "(a[i] > 1) < b[i]",
    "b[i] >= True",
    "b[i] != 1",
    "(b[i] if c[i] > 0 else a[i] > 1) + b[i]",
    "((k > 1) if c[i] > 0 else True) + (k > 1)",
    "(0 < a[i] < 1) + b[i]",
    "(0 < k < a[i]) + b[i]",
    "(b[i] and a[i] > 1) + True",
    "np.logical_or(b[i], k) + True",
    "np.logical_not(k) + b[i]",
    "float(b[i]) + int(a[i] > 1)",
    "np.where(c[i] > 0, True, b[i]) + True",
]

_BODIES = [
    "s = False\nfor i in range(len(a)):\n  s = s + (a[i] > 1)\ny[0] = s",
    "s = 0\nfor i in range(len(a)):\n  s = s + (a[i] > 1)\ny[0] = s",
    "s = True\nfor i in range(len(a)):\n  s = s * b[i]\ny[0] = s",
    "s = b[0]\nfor i in range(len(a)):\n  s += b[i]\ny[0] = s + 1",
    "s = 0\nfor i in range(len(a)):\n  s += b[i] + (a[i] > 1)\ny[0] = s",
    "s = False\nfor i in range(len(a)):\n  s = s or b[i]\ny[0] = s * 2",
    "s = b[0]\nfor i in range(len(a)):\n  s = max(s, b[i])\ny[0] = s + b[0]",
    "s = b[0]\nfor i in range(len(a)):\n  if b[i] < s:\n    s = b[i]\ny[0] = s",
    "y[0] = sum(b)\ny[1] = np.sum(b) + np.prod(b)\ny[2] = max(b) + b[0]\ny[3] = np.min(b) + b[1]",
    "y[0] = any(b) + True\ny[1] = np.any(b) + True\ny[2] = np.dot(b, b)\ny[3] = b.mean()",
    "y[:] = b + b + True",
    "y[:] = b * 2 + b",
    "y[:] = np.outer(b, b)[0] + b",
    "y[:] = np.maximum(b, True) + b",
    "y[:] = np.where(a > 1, b, 2) + b",
    "y[:] = np.full(len(a), True) + b",
    "w = np.array([True, False])\ny[0] = w[0] + w[1] + w[0]",
    "w = np.array([True, 2])\ny[0] = w[0] + w[1] + b[0]",
    "w = [True, False]\ny[0] = w[0] + b[1]\ny[1] = w[0] + w[0] + w[1]",
    "w = [a[i] > 1 for i in range(len(a))]\ny[0] = w[0] + b[1]\ny[1] = w[0] + w[1] + 1\ny[2] = sum(w)",
    "w = [k > i for i in range(len(a))]\ny[0] = w[0] + b[1]\ny[1] = w[0] + w[1]",
    "w = [True] * len(a)\nw[0] = False\ny[0] = w[0] + w[1] + w[1]",
    "w = [0] * len(a)\nfor i in range(len(a)):\n  w[i] = i > 1\ny[0] = w[0] + w[1] + w[2]",
    "for i in range(len(a)):\n  b[i] = c[i]\n  y[i] = b[i] + b[i]",
    "for i in range(len(a)):\n  b[i] = a[i] * 0.5",
    "for i in range(len(a)):\n  b[i] += True\n  c[i] = b[i] + 100 * b[i]",
    "b *= b\ny += b",
]

# Of these it depends on data whether they are Python's truth values, whose sum is a number, or NumPy's.
_UNDECIDED = [
    "y[0] = max(True, b[0]) + True",
    "y[0] = (b[0] if a[0] > 1 else 2) + b[1]",
    "y[0] = ((k > 1) if a[0] > 1 else b[0]) + True",
    "y[0] = (0 < k < a[0]) + True",
    "y[0] = ((k > 1) or b[0]) + True",
    "y[0] = -(b[0] if a[0] > 1 else 2)",
    "s = True\nfor i in range(len(a)):\n  y[i] = s + True\n  s = a[i] > 1",
    "s = 2\nfor i in range(len(a)):\n  y[i] = s + b[i]\n  s = True",
    "w = [2, True]\ny[0] = w[0] + b[0]",
    "w = [True, b[0]]\ny[0] = w[0] + w[1]",
]

# These raise a TypeError in NumPy.
_RAISING = [
    "y[0] = b[0] - b[1]",
    "y[0] = True - b[1]",
    "y[0] = -b[0]",
    "y[0] = +b[0]",
    "y[0] = np.subtract(True, True)",
    "y[0] = np.negative(b[0])",
    "y[0] = np.sign(b[0])",
    "y[0] = round(b[0])",
    "y[:] = b - (a > 1)",
    "y[:] = -b",
    "s = b[0]\nfor i in range(len(a)):\n  s -= b[i]\ny[0] = s",
]


def _source(body: str, name: str = "f") -> str:
    lines = "\n".join("    " + line for line in body.splitlines())
    return f"import numpy as np\ndef {name}{_SIGNATURE}:\n{lines}\n"


def _refusal(source: str) -> str:
    (function,) = read_python(source, "k.py", function="f")
    return function.diagnostics[0].code


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("body", [*(_LOOP + value for value in _VALUES), *_BODIES])
def test_truth_values_mean_what_they_mean_in_python(body: str) -> None:
    for mine, theirs in both(_source(body), "f"):
        for key, found in mine.items():
            np.testing.assert_array_equal(np.asarray(found, float), np.asarray(theirs[key], float), err_msg=key)


@pytest.mark.parametrize("body", _UNDECIDED)
def test_sums_of_what_may_be_either_kind_are_refused(body: str) -> None:
    assert _refusal(_source(body)) == "TL188"


@pytest.mark.parametrize("body", _RAISING)
def test_what_numpy_refuses_of_truth_values_is_refused(body: str) -> None:
    source = _source(body)
    names: dict[str, object] = {}
    exec(source, names)
    zeros = [np.zeros(4, dtype) for dtype in ("f8", "?", "i4", "f8")]
    with pytest.raises(TypeError):
        names["f"](*zeros, 1)  # type: ignore[operator] # it is the function
    assert _refusal(source) == "TL188"


@pytest.mark.parametrize("target", ["numpy", "c", "jax", "torch"])
def test_lifted_programs_keep_the_kind_of_truth_values(target: str, tmp_path: Path) -> None:
    if target in {"jax", "torch"} and find_spec(target) is None:
        pytest.skip(f"{target} is not installed")
    file = tmp_path / "f.py"
    bodies = [_LOOP + _VALUES[0], _LOOP + "max(b[i], a[i] > 1) + b[i] + c[i]", _BODIES[0]]
    file.write_text("\n".join(_source(body, f"f{k}") for k, body in enumerate(bodies)), encoding="utf-8")
    for function in lift(file, to=target, test=True).functions:
        assert function.lifted, (function.name, function.diagnostics)
