"""The loop IR of a Python function computes what Python computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.frontends.python.original import both, function_op

from tensorlift.ir.function import FunctionView

_PROGRAMS = Path(__file__).parents[3] / "bench" / "python_programs"
_FILES = sorted(path for path in _PROGRAMS.glob("*_style.py"))
_FUNCTIONS = [
    (path, line.split("(")[0].removeprefix("def "))
    for path in _FILES
    for line in path.read_text(encoding="utf-8").splitlines()
    if line.startswith("def ")
]

# Each body is that of f(x, y) on arrays of one dimension, with an integer k.
_BODIES = {
    "a swap computes both values first": "x[0], y[0] = y[0] + 1, x[0]",
    "a swap through slices reads before it writes": "x[1:] = x[:-1]",
    "a target may overlap what is added": "x[1:] += x[:-1]",
    "a slice of the rest": "y[2:] = 1.5",
    "every other element": "y[::2] = 0.5",
    "the last element": "y[-1] = x[-2]",
    "a condition with an else": "for i in range(len(x)):\n  y[i] = 1.0 if x[i] > 1 else x[i]",
    "a chained comparison": "for i in range(len(x)):\n  if 0.7 < x[i] <= 1.2:\n    y[i] = 0",
    "continue": "for i in range(len(x)):\n  if x[i] > 1:\n    continue\n  y[i] = 2",
    "a falling range": "for i in range(len(x) - 2, -1, -1):\n  x[i] += x[i + 1]",
    "a falling range in steps": "for i in range(len(x) - 1, 0, -2):\n  x[i] = i",
    "a loop that changes its bound": "n = len(x)\nfor i in range(n):\n  n = n - 1\n  x[i] = n",
    "a value carried to the next iteration": "t = 0.5\nfor i in range(len(x)):\n  y[i] = t\n  t = x[i]",
    "an index counted along": "c = 0\nfor i in range(len(x)):\n  c += 1\n  y[i] = c",
    "a quotient rounded down": "for i in range(len(x)):\n  y[i] = (i - 3) // 2",
    "a remainder of the divisor's sign": "for i in range(len(x)):\n  y[i] = (i - 3) % 5 + (x[i] - 1) % 0.7",
    "a true quotient of integers": "for i in range(len(x)):\n  y[i] = i / 4",
    "powers": "for i in range(len(x)):\n  y[i] = x[i] ** 3 + x[i] ** -1 + x[i] ** 0.5 + 2 ** 3",
    "rounding": "for i in range(len(x)):\n  y[i] = int(x[i] * 3) + math.floor(x[i]) + round(x[i] * 2)",
    "least and greatest": "for i in range(len(x)):\n  y[i] = min(max(x[i], 1), 1.5, i)",
    "enumerate from one": "for i, v in enumerate(x, 1):\n  y[i - 1] = i * v",
    "reversed": "t = 0.0\nfor v in reversed(x):\n  t = t / 2 + v\ny[0] = t",
    "zip": "for a, b in zip(x, y):\n  x[0] += a * b",
    "a view of a view": "z = x[1:]\nz[0] = 3.0",
    "functions of numpy": "y[:] = np.sqrt(x) + np.maximum(x, y) - np.where(x > 1, x, 0.0)",
    "a sum and a mean": "y[:] = x / np.sum(x) + x.mean() - np.max(y)",
    "not, and, or": "for i in range(len(x)):\n  if not (x[i] > 1 and i > 1) or y[i] < 0.6:\n    y[i] = 0",
    "a truth value counted": "c = 0\nfor v in x:\n  c += v > 1\ny[0] = c",
    "several targets": "x[0] = y[0] = t = 2.5\ny[1] = t",
    "an integer argument": "for i in range(k):\n  y[0] += i",
}


@pytest.mark.parametrize("name", _BODIES)
def test_statements_mean_what_they_mean_in_python(name: str) -> None:
    body = "\n".join("    " + line for line in _BODIES[name].splitlines())
    source = f"import math\nimport numpy as np\ndef f(x: 'float64[:]', y: 'float64[:]', k: int):\n{body}\n"
    _assert_same(source, "f")


@pytest.mark.parametrize(("path", "name"), _FUNCTIONS, ids=lambda part: part if isinstance(part, str) else part.stem)
def test_programs_mean_what_they_mean_in_python(path: Path, name: str) -> None:
    _assert_same(path.read_text(encoding="utf-8"), name)


def _assert_same(source: str, name: str) -> None:
    for mine, theirs in both(source, name):
        assert mine.keys() == theirs.keys()
        for key, found in mine.items():
            np.testing.assert_allclose(
                np.asarray(found, float), np.asarray(theirs[key], float), rtol=1e-6, atol=1e-9, err_msg=key or "result"
            )


def _view(source: str) -> FunctionView:
    return FunctionView(function_op(source, "f"))


def test_extents_have_the_names_that_the_source_gives_to_them() -> None:
    view = _view("def f(A):\n    n, m = A.shape\n    for i in range(n):\n        A[i, m - 1] = 0\n")
    assert view.size_names == ("n", "m")


def test_an_extent_that_only_accesses_tell_becomes_a_precondition() -> None:
    view = _view("def f(x, y):\n    for i in range(len(x)):\n        y[i] = x[i]\n")
    assert view.size_names == ("x_shape0",)
    assert "y.shape[0] == x.shape[0]" in [requirement.text for requirement in view.requires]


def test_an_extent_that_accesses_do_not_fill_stays_a_size() -> None:
    view = _view("def f(x, y):\n    for i in range(1, len(x) - 1):\n        y[i] = x[i]\n")
    assert view.size_names == ("x_shape0", "y_shape0")


def test_operands_of_one_operation_have_one_extent() -> None:
    view = _view("def f(x: 'float64[:]', y: 'float64[:]'):\n    return x + y\n")
    assert view.size_names == ("x_shape0",)


@pytest.mark.parametrize(
    ("annotation", "dtype", "rank"),
    [
        ("'float32[:, :]'", "f32", 2),
        ("list[list[int]]", "i64", 2),
        ("List[float]", "f64", 1),
        ("NDArray[np.float32]", "f32", 1),
        ("np.ndarray", "f64", 1),
        ("'NDArray[np.int32]'", "i32", 1),
        ("nb.float64[:]", "f64", 1),
        ("nb.float32[:, :]", "f32", 2),
    ],
)
def test_annotations_give_types_and_ranks(annotation: str, dtype: str, rank: int) -> None:
    index = "[0]" * rank
    (parameter,) = (p for p in _view(f"def f(x: {annotation}):\n    x{index} = 1\n").parameters if p.role == "array")
    assert (parameter.dtype, len(parameter.extents or ())) == (dtype, rank)


def test_parameters_without_annotation_are_stated() -> None:
    stated = {requirement.text for requirement in _view("def f(x, a):\n    x[0, 0] = a\n").requires}
    assert {"x is a float64 array of 2 dimensions", "a is one float64"} <= stated


def test_the_same_source_gives_the_same_text() -> None:
    source = (_PROGRAMS / "numpy_style.py").read_text(encoding="utf-8")
    assert str(function_op(source, "distances")) == str(function_op(source, "distances"))
