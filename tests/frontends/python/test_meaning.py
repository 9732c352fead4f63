"""The loop IR of a Python function computes what Python computes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.frontends.python.original import both, function_op

from tensorlift.ir.function import FunctionView
from tensorlift.languages.python import read_python

_PROGRAMS = Path(__file__).parents[3] / "bench" / "python_programs"
_FILES = sorted(path for path in _PROGRAMS.rglob("[a-z]*.py"))
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
    "a bound rounded down": "for i in range((len(x) - 3) // 2):\n  y[i] = x[2 * i + 1]",
    "a bound without a rest": "for i in range((2 * len(x) - 4) // 2):\n  y[i] = x[i + 1]",
    "a remainder of the divisor's sign": "for i in range(len(x)):\n  y[i] = (i - 3) % 5 + (x[i] - 1) % 0.7",
    "neighbours on a ring": "n = len(x)\nfor i in range(n):\n  y[i] = x[(i + 1) % n] - x[(i - 1) % n]",
    "a true quotient of integers": "for i in range(len(x)):\n  y[i] = i / 4",
    "powers": "for i in range(len(x)):\n  y[i] = x[i] ** 3 + x[i] ** -1 + x[i] ** 0.5 + 2 ** 3",
    "rounding": "for i in range(len(x)):\n  y[i] = int(x[i] * 3) + math.floor(x[i]) + round(x[i] * 2)",
    "least and greatest": "for i in range(len(x)):\n  y[i] = min(max(x[i], 1), 1.5, i)",
    "enumerate from one": "for i, v in enumerate(x, 1):\n  y[i - 1] = i * v",
    "reversed": "t = 0.0\nfor v in reversed(x):\n  t = t / 2 + v\ny[0] = t",
    "zip": "for a, b in zip(x, y):\n  x[0] += a * b",
    "a view of a view": "z = x[1:]\nz[0] = 3.0",
    "inverse functions of both modules": "y[:] = np.arcsinh(x) + np.atanh(x / 9)\nfor i in range(len(x)):\n"
    "  y[i] += math.asinh(x[i]) * math.acosh(1 + x[i]) + math.erf(x[i]) * math.erfc(x[i])",
    "functions of numpy": "y[:] = np.sqrt(x) + np.maximum(x, y) - np.where(x > 1, x, 0.0)",
    "a sum and a mean": "y[:] = x / np.sum(x) + x.mean() - np.max(y)",
    "not, and, or": "for i in range(len(x)):\n  if not (x[i] > 1 and i > 1) or y[i] < 0.6:\n    y[i] = 0",
    "a truth value counted": "c = 0\nfor v in x:\n  c += v > 1\ny[0] = c",
    "a loop that changes its variables": "v = 0.0\nfor i, v in enumerate(x):\n  i = len(x) - 1 - i\n  v *= 2\n"
    "  y[i] = v + i\ny[0] += v",
    "a loop over a name that is bound before": "i = 3\nfor i in range(k - k):\n  y[i] = 9\ny[i - 1] = 5\n"
    "for i in range(2):\n  for i in range(len(x)):\n    y[i] += i\n  y[0] += i",
    "numbers of an expression": "a, b = x[:2] * 2 + y[1:3]\ny[0] = a - b",
    "several targets": "x[0] = y[0] = t = 2.5\ny[1] = t",
    "inner elements by negative bounds": "y[1:-1] = x[2:] - x[:-2]",
    "steps on both sides": "y[::2] = x[::2] * 2",
    "an array from its end": "y[:] = x[::-1]",
    "an ellipsis": "y[...] = x",
    "a sum of a generator": "y[0] = sum(a * b for a, b in zip(x, y))",
    "a sum under a condition": "y[0] = sum(v for v in x if v > 0.9)",
    "a sum of two loops": "y[0] = sum(x[i] * x[j] for i in range(len(x)) for j in range(i))",
    "a generator's variable is its own": "for i in range(len(x)):\n  y[i] = sum(x[i] for i in range(len(x))) + i",
    "the greatest of a generator": "y[0] = max(abs(v - 1) for v in x)",
    "any": "y[0] = any(v > 1.4 for v in x)",
    "all": "y[0] = all(v > 0.6 for v in x)",
    "a list of numbers": "w = [1, 0.5, 2]\nfor i in range(3):\n  y[0] += w[i] * x[0]",
    "a loop over numbers": "for w in (1, 2, 4):\n  y[0] += w * x[0]",
    "places in a written tuple": "for d in (-1, 0, 1):\n  y[1] += x[1 + d]\ny[0] = d",
    "pairs in a written list": "for d, w in [(-1, 1), (1, 3)]:\n  if w > 1:\n    continue\n  y[1] += w * x[1 + d]",
    "two loops over one tuple": "for d in (0, 1):\n  for e in (0, 1):\n    y[d] += x[d + e] * e",
    "a number by its name": "w = 2\nfor i in range(len(x) // w):\n  y[i] = x[i * w : (i + 1) * w].sum() * w",
    "infinities": "m = -math.inf\nfor v in x:\n  m = max(m, v)\ny[0] = min(float('inf'), m)",
    "a list that is filled": "w = [0.0] * len(x)\nfor i in range(len(x)):\n  w[i] = 2 * x[i]\ny[0] = w[0] + w[-1]",
    "a comprehension": "w = [2 * v for v in x]\nfor i in range(len(x)):\n  y[i] = w[i]",
    "a comprehension of rows": "w = [[i + j for j in range(3)] for i in range(len(x))]\ny[0] = w[1][2]",
    "a slice of a list is new": "v = [1.0, 2.0, 3.0]\nw = v[1:]\nw[0] = 9\ny[0] = v[1] + w[0]",
    "an array of a list": "w = np.array([1, 2, 3])\ny[0] = w[1] * x[0]",
    "asarray names the array itself": "z = np.asarray(x)\nz[0] = 5.0",
    "a transposed view": "z = np.transpose(x)\nz[0] = 5.0",
    "a while loop": "i = 0\nwhile i < len(x):\n  y[i] = 2 * x[i]\n  i += 1",
    "a falling while loop": "i = len(x) - 1\nwhile i >= 0:\n  y[i] = 2 * x[i]\n  i -= 1",
    "nested while loops": "i = 0\nwhile i < len(x):\n  j = 0\n  while j < i:\n    y[i] += x[j]\n    j += 1\n  i += 1",
    "divmod": "for i in range(len(x)):\n  q, r = divmod(i - 4, 3)\n  y[i] = 10 * q + r",
    "angles": "for i in range(len(x)):\n  y[i] = math.radians(x[i]) + math.degrees(x[i])",
    "operators as functions": "y[:] = np.add(x, y) - np.multiply(x, np.negative(y)) / np.clip(x, 0.8, 1.2)",
    "comparisons as functions": "y[:] = np.where(np.logical_and(np.greater(x, 0.8), np.less(x, 1.2)), x, 0.0)",
    "counts": "y[0] = np.count_nonzero(x > 1) + np.any(x > 1.2) + np.all(x > 0.6)",
    "variance": "y[0] = x.var() + np.std(x)",
    "arrays that count": "y[:] = np.arange(len(x)) * 2",
    "an identity": "A = np.eye(len(x))\ny[:] = A @ x",
    "products of vectors": "y[:] = np.outer(x, y)[:, 0] + np.inner(x, y) + np.vdot(x, x)",
    "the greatest of a window": "for i in range(len(x)):\n  y[i] = x[max(0, i - 1):min(len(x), i + 2)].max()",
    "a copy of a view": "d = x.reshape(-1, 1).copy()\nd += 1\ny[:] = x + d[:, 0]",
    "a diagonal": "y[:] = np.diag(np.outer(x, x)) + np.trace(np.outer(x, x))",
    "extremes along an axis": "y[:] = np.max(np.outer(x, y), axis=1) + np.outer(x, y).min(1)",
    "an integer argument": "for i in range(k):\n  y[0] += i",
    "a sum in an arm": "for i in range(len(x)):\n  x[i] = sum(y) if x[i] > 1 else 1.0",
    "a sum that may not be reached": "if x[0] > 1 and 0 < x[1] < sum(y):\n  x[0] = 0",
    "a loop that a sum ends": "i = 0\nwhile i < len(x) and x[i] < sum(y):\n  i += 1\ny[0] = i",
    "a number or the greatest": "y[0] = x[0] or max(y)",
    "a greatest that may not be": "y[0] = max(x[k:]) if k < len(x) else 0.0",
    "a name bound again": "z = x - x.mean()\nz = z / 2\nw = z\nz = z.sum()\ny[:] = w + z\nw = x[1:]\ny[1:] += w",
    "a parameter bound again": "x = 2 * x\nx[0] = 5\ny[:] = x",
    "arrays bound again in each iteration": "for i in range(k):\n  z = x * i\n  z = z + 1\n  y[:] += z",
    "an array bound again in a loop": "for i in range(3):\n  x = x / 2 + y\ny[:] = x",
    "an array bound again under a condition": "z = x + 1\nif k > 2:\n  z = y - z\ny[:] = z",
    "a new array that takes the place of the old": "u = x + 0\nfor i in range(3):\n  n = u.copy()\n"
    "  n[1:] = u[1:] + u[:-1]\n  u = n\ny[:] = u",
    "arrays that change places": "u = x + 0\nv = y + 0\nfor i in range(3):\n  v[1:] = u[:-1] * 2\n"
    "  u, v = v, u\ny[:] = u",
    "several arrays at once": "s, t = 2 * x, x + 1\ns, t = t, s + t\ny[:] = s * t",
    "items appended": "w = []\nfor v in x:\n  d = 2 * v\n  w.append(d)\ny[:] = np.array(w)",
    "items appended in falling steps": "w = []\nfor i in range(len(x) - 1, 0, -2):\n  w.append(x[i])\n"
    "y[0] = w[0] - len(w)",
    "rows appended": "w = []\nfor v in x:\n  r = []\n  for u in y:\n    r.append(u * v)\n  w.append(r)\ny[0] = w[0][1]",
    "a lambda": "g = lambda v: v * k + y[0]\nfor i in range(len(x)):\n  x[i] = g(x[i])\n  k += 1",
    "an inner function": "c = 2.0\ndef g(v, w=1):\n  if v > c:\n    return v\n  return w * c\nc = 1.0\n"
    "for i in range(len(x)):\n  y[i] = g(x[i])",
    "inner functions that call each other": "def g(v):\n  return v + k\ndef h(v):\n  return g(v) * 2\ny[0] = h(x[0])",
    "a place among some": "for i in range(len(x)):\n  if i in (1, 3) and i not in [3, k]:\n    y[i] = 0",
    "parts of tuples": "(a, b), c = (x[0], 2), 3\ny[0] = a + b * c\n"
    "for i, (v, w) in enumerate(zip(x, y)):\n  x[i] = v * w",
    "bounds from the end": "if k > 0:\n  x[k:] = y[:-k]\ny[:-(k + 1)] += 1\nx[: len(x) // 2] = 0",
    "angles of any size": "y[:] = np.hypot(np.degrees(x), np.reciprocal(y)) % -np.radians(y)",
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _BODIES)
def test_statements_mean_what_they_mean_in_python(name: str) -> None:
    body = "\n".join("    " + line for line in _BODIES[name].splitlines())
    source = f"import math\nimport numpy as np\ndef f(x: 'float64[:]', y: 'float64[:]', k: int):\n{body}\n"
    _assert_same(source, "f")


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(("path", "name"), _FUNCTIONS, ids=lambda part: part if isinstance(part, str) else part.stem)
def test_programs_mean_what_they_mean_in_python(path: Path, name: str) -> None:
    _assert_same(path.read_text(encoding="utf-8"), name)


_HELPERS = {
    "arguments by name": ("def g(a, b):\n    return a - 2 * b\n", "g(b=x[i], a=y[i])"),
    "defaults": ("def g(a, b=2.0, *, c=1):\n    return a * b - c\n", "g(x[i]) + g(x[i], c=3)"),
    "early returns": (
        (
            "def g(v):\n    if v < 0.7:\n        return 0.0\n    r = v * 2\n"
            "    if r > 2:\n        return r\n    return 2 * r\n"
        ),
        "g(x[i]) + g(y[i])",
    ),
    "a search": (
        "def g(a, v):\n    for k in range(len(a)):\n        if a[k] > v:\n            return k\n    return -1\n",
        "g(x, y[i])",
    ),
    "numbers and tables of the file": (
        "N = 2 ** 3 - 1\nSCALE = 1 / N\nW = ((1, 2), (3, 4))\ndef g(v):\n    return v * SCALE + W[1][0] * W[0][1]\n",
        "g(x[i])",
    ),
    "two arrays": ("def g(a):\n    return a + 1, 2 * a\n", "g(x)[0][i] * g(y)[1][i]"),
    "a tuple": ("def g(a):\n    return a + 1, a * 2\n", "g(x[i])[0] * g(x[i])[1]"),
}


@pytest.mark.parametrize("name", _HELPERS)
def test_calls_of_helpers_mean_what_they_mean_in_python(name: str) -> None:
    helper, value = _HELPERS[name]
    body = f"    for i in range(len(x)):\n        y[i] = {value}\n"
    _assert_same(f"{helper}def f(x: 'float64[:]', y: 'float64[:]'):\n{body}", "f")


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


def test_equal_shapes_that_are_asserted_become_one() -> None:
    body = "    assert A.shape == B.shape == (n, n)\n    A[0] = B[1]\n"
    view = _view(f"def f(A: 'float64[:, :]', B: 'float64[:, :]', n: int):\n{body}")
    assert view.size_names == ("A_shape0", "A_shape1", "n")
    stated = {requirement.text for requirement in view.requires}
    assert {"A.shape[0] == B.shape[0]", "A.shape[1] == B.shape[1]", "A.shape[0] == n", "A.shape[1] == n"} <= stated


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
        ("nb.float64[::1]", "f64", 1),
        ("nb.float64[:, ::1]", "f64", 2),
        ("'int32[:, ::1, :]'", "i32", 3),
        ("dc.float64[N]", "f64", 1),
        ("dc.float32[N, M + 1]", "f32", 2),
        ("'uint8[n, 3]'", "u8", 2),
        ("'float64[...]'", "f64", 1),
        ("'f4[:, ::1]'", "f32", 2),
        ("nb.types.i8[:]", "i64", 1),
        ("nb.types.Array(nb.float32, 2, 'C')", "f32", 2),
        ("np.ndarray[Any, np.dtype[np.float32]]", "f32", 1),
        ("np.ndarray[tuple[int, int], np.dtype[np.int8]]", "i8", 2),
        ("NDArray[Any]", "f64", 1),
        ("Any", "f64", 1),
        ("Float32[Array, 'n d']", "f32", 2),
        ("jaxtyping.UInt8[np.ndarray, '#n _ 3']", "u8", 3),
        ("'Int[Tensor, \"n=4\"]'", "i64", 1),
        ("Float[Array, '*rows']", "f64", 1),
        ("Bool[np.ndarray, '... n']", "bool", 1),
        ("Matrix", "f32", 2),
        ("Name", "i16", 1),
    ],
)
def test_annotations_give_types_and_ranks(annotation: str, dtype: str, rank: int) -> None:
    index = "[0]" * rank
    aliases = "Matrix = Float32[Array, 'n d']\nName: Any = 'int16[:]'\n"
    view = _view(f"{aliases}def f(x: {annotation}):\n    x{index} = 1\n")
    (parameter,) = (p for p in view.parameters if p.role == "array")
    assert (parameter.dtype, len(parameter.extents or ())) == (dtype, rank)


@pytest.mark.parametrize(
    "decorator",
    [
        "@njit('void(f4[:, ::1], i8)')",
        "@nb.njit(nb.void(nb.float32[:, :], nb.int64), cache=True)",
        "@jit((float32[:, :], int64), nopython=True)",
        "@njit(['(f4[:, :], i8)'])",
    ],
)
def test_signatures_of_numba_give_types_and_ranks(decorator: str) -> None:
    view = _view(f"{decorator}\ndef f(x, n):\n    x[0, n] = 1\n")
    assert [p.dtype for p in view.parameters if p.name in {"x", "n"}] == ["f32", "i64"]
    view = _view(f"{decorator}\ndef f(x, n, a):\n    x[0, n] = a\n")  # has no such signature
    assert [p.dtype for p in view.parameters if p.name in {"x", "n"}] == ["f64", "i64"]


def test_parameters_without_annotation_are_stated() -> None:
    stated = {requirement.text for requirement in _view("def f(x, a):\n    x[0, 0] = a\n").requires}
    assert {"x is a float64 array of 2 dimensions", "a is one float64"} <= stated


def test_the_same_source_gives_the_same_text() -> None:
    source = (_PROGRAMS / "numpy_style.py").read_text(encoding="utf-8")
    assert str(function_op(source, "distances")) == str(function_op(source, "distances"))


def test_names_of_a_known_module_are_those_that_its_import_binds() -> None:
    body = "def f(A: 'float64[:, :]'):\n    return sum(A)\n"
    assert read_python(f"from numpy import *\n{body}", "k.py")[0].module is not None
    assert read_python(f"from math import *\n{body}", "k.py")[0].module is None
    root = "from math import *\ndef f(a: 'float64[:]'):\n    return sqrt(a[0])\n"
    assert read_python(root, "k.py")[0].module is not None
