"""Where Python or NumPy means something of its own: the lifted function does what the original does, to the type."""

# mypy: allow-untyped-calls

from __future__ import annotations

import copy
import linecache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from tensorlift import lift

if TYPE_CHECKING:
    from collections.abc import Callable

_X = np.array([1.5, -2.0, 3.0, 0.0, 4.0])
_A = np.arange(12.0).reshape(3, 4) - 5
_BYTES = np.array([100, 100, 3], np.uint8)
_SMALL = np.array([-7, 7, -7, 7, -128], np.int8)
_TRUTHS = np.array([True, False, True])
_FLOATS = [1.0, 0.0, -7.5]
_ADDING = "    for i in range(len(x)):\n        y[i] = (x[i] + k) + 10 * (k + k)\n    return k + k\n"


class Case(NamedTuple):
    """A function ``f`` and the arguments of a call."""

    name: str
    source: str
    arguments: tuple[Any, ...]


CASES = [
    Case(
        "a slice is a view", "def f(a):\n    b = a[1:]\n    for i in range(len(b)):\n        b[i] = 2 * b[i]\n", (_X,)
    ),
    Case("a row is a view", "def f(A):\n    for i in range(len(A)):\n        r = A[i]\n        r[1] += r[0]\n", (_A,)),
    Case(
        "a slice of a list is a copy",
        "def f(a: list[float]):\n    b = a[1:]\n    b[0] = 9.0\n    return b\n",
        (_FLOATS,),
    ),
    Case("another name", "def f(n: int):\n    a = np.zeros(n)\n    b = a\n    b[0] = 1.0\n    return a\n", (3,)),
    Case("two names at once", "def f(n: int):\n    a = b = np.zeros(n)\n    b[0] = 1.0\n    return a\n", (3,)),
    Case("in place", "def f(a: 'float64[:]'):\n    b = a\n    b += 1\n    return b\n", (_X,)),
    Case("in place from itself", "def f(a: 'float64[:]'):\n    a[1:] += a[:-1]\n", (_X,)),
    Case("a shift", "def f(a: 'float64[:]'):\n    a[1:] = a[:-1]\n", (_X,)),
    Case("a reversal", "def f(a: 'float64[:]'):\n    a[:] = a[::-1]\n", (_X,)),
    Case("a swap", "def f(a: 'float64[:]', i: int, j: int):\n    a[i], a[j] = a[j], a[i]\n", (_X, 1, 3)),
    Case("targets from the left", "def f(a):\n    i = 0\n    i, a[i] = 1, 5.0\n    return i\n", (_X,)),
    Case(
        "a rotation",
        "def f(a):\n    t = 0.0\n    for i in range(len(a)):\n        a[i], t = t, a[i]\n    return t\n",
        (_X,),
    ),
    Case("or gives an operand", "def f(x, y):\n    for i in range(len(x)):\n        y[i] = x[i] or 7.0\n", (_X, _X)),
    Case(
        "and gives an operand",
        "def f(a: list[float]):\n    for i in range(len(a)):\n        a[i] = a[i] and 7.0\n",
        (_FLOATS,),
    ),
    Case("and of truths", "def f(a: 'float64[:]'):\n    return a[0] > 0 and a[1] > 0\n", (_X,)),
    Case("a chain", "def f(a: 'float64[:]'):\n    return 0 < a[0] <= 3\n", (_X,)),
    Case(
        "and guards an access",
        "def f(a: 'float64[:]', y: 'float64[:]'):\n    n = len(a)\n    for i in range(n):\n"
        "        if i + 1 < n and a[i + 1] > a[i]:\n            y[i] = 1.0\n",
        (_X, _X),
    ),
    Case("truths of Python add up", "def f(a: list[float]):\n    return (a[0] > 0) + (a[0] > -1)\n", (_FLOATS,)),
    Case(
        "truths of NumPy do not",
        "def f(x, y):\n    for i in range(len(x)):\n        y[i] = (x[i] > 0) + (x[i] > 2)\n",
        (_X, _X),
    ),
    Case("nor in variables", "def f(x):\n    p = x[0] > 0\n    q = x[2] > 0\n    return (p + q) * 5\n", (_X,)),
    Case(
        "masks",
        "def f(x: 'float64[:]'):\n    return (x > 0) + (x > 2), ~(x > 0), (x > 0) & (x < 3), (x > 0) * x\n",
        (_X,),
    ),
    Case("sums of masks", "def f(x: 'float64[:]'):\n    return np.sum(x > 0), np.mean(x > 0), sum(x > 2)\n", (_X,)),
    Case(
        "arrays of truths",
        "def f(a: 'bool_[:]', b: 'bool_[:]'):\n    return a + b, a * b, a ^ b\n",
        (_TRUTHS, _TRUTHS[::-1]),
    ),
    Case("a truth of NumPy", "def f(a: 'float64[:]'):\n    return a[0] > 0\n", (_X,)),
    Case("a truth of Python", "def f(a: 'float64[:]'):\n    return not a[0] > 0\n", (_X,)),
    Case(
        "a flag",
        "def f(a: list[float]):\n    t = False\n    for v in a:\n"
        "        if v < 0:\n            t = True\n    return t\n",
        (_FLOATS,),
    ),
    Case(
        "unsigned above -1",
        "def f(a: 'uint8[:]'):\n    c = 0\n    for v in a:\n        if v > -1:\n            c += 1\n    return c\n",
        (_BYTES,),
    ),
    Case("bytes below 300", "def f(a: 'int8[:]', k: int):\n    return a[0] < 300, a[0] < k\n", (_SMALL, 1000)),
    Case("bytes wrap", "def f(a: 'uint8[:]'):\n    return a + a, a - a[0] - a[0], a * 2\n", (_BYTES,)),
    Case(
        "bytes divide", "def f(a: 'int8[:]', b: 'int8[:]'):\n    return a / b, a // b, a % b\n", (_SMALL, _SMALL[::-1])
    ),
    Case(
        "integers round down",
        "def f(a: 'int64[:]', b: 'int64[:]'):\n    return a // b, a % b\n",
        (np.array([-7, 7, -7, 7]), np.array([3, -3, -3, 3])),
    ),
    Case(
        "floats round down",
        "def f(a: 'float64[:]', b: 'float64[:]'):\n    return a // b, a % b\n",
        (np.array([1.0, -7.5, 7.5, 6.0]), np.array([0.1, 2.0, -2.0, 0.2])),
    ),
    Case(
        "a float rounds down",
        "def f(a: list[float]):\n    return a[2] // a[0], a[2] % 2.5, a[0] // 0.1, a[0] % 0.1\n",
        (_FLOATS,),
    ),
    Case("divmod", "def f(a: list[int]):\n    q, r = divmod(a[0], a[1])\n    return q, r\n", ([-5, 3],)),
    Case("roots of 16 bits", "def f(a: 'int16[:]'):\n    return np.sqrt(a)\n", (np.array([100, 10, 3], np.int16),)),
    Case(
        "16 bits and singles",
        "def f(a: 'int16[:]', b: 'float32[:]'):\n    return a * b\n",
        (np.array([100, -3], np.int16), np.array([0.1, 7], np.float32)),
    ),
    Case(
        "functions of NumPy",
        "def f(x: 'float32[:]', t: float):\n    return np.sqrt(t) * x[0], math.sqrt(t) * x[0]\n",
        (np.array([0.1], np.float32), 2.0),
    ),
    Case(
        "singles stay singles",
        "def f(a: 'float32[:]'):\n    c = 0.5\n    for v in a:\n        c = v\n        c = v + c\n    return c\n",
        (np.array([0.5, -1.5, 0.1], np.float32),),
    ),
    Case("a sum of bytes", "def f(a: 'int8[:]'):\n    return sum(a), np.sum(a)\n", (_SMALL,)),
    Case("a sum of unsigned", "def f(a: 'uint8[:]'):\n    return np.sum(a) - np.sum(a) - a[0]\n", (_BYTES,)),
    Case(
        "a sum from a start",
        "def f(a: list[int]):\n    return sum(a, 10), sum(a), sum((v * v for v in a), start=1)\n",
        ([1, 2, 3],),
    ),
    Case(
        "halves to even",
        "def f(a: list[float], y: list[int]):\n    for i in range(len(a)):\n        y[i] = round(a[i])\n",
        ([0.5, 1.5, 2.5, -0.5], [0] * 4),
    ),
    *(
        Case(
            f"a rounded integer of type {a.dtype} is one of Python: {expression}",
            "def f(a, y: 'float64[:]'):\n    s = 0\n    for i in range(len(a)):\n"
            f"        y[i] = {expression}\n        s += round(a[i])\n    return s\n",
            (a, np.zeros(len(a))),
        )
        for a in (_BYTES, _SMALL, np.array([32767, -32768], np.int16), np.array([2**31 - 1, -(2**31)], np.int32))
        for expression in ("round(a[i]) * 100", "round(a[i]) + round(a[i])", "-round(a[i]) - 300 * abs(round(a[i]))")
    ),
    Case(
        "a list takes floats",
        "def f(n: int):\n    a = [0] * n\n    for i in range(n):\n        a[i] = i * 0.5\n    return a\n",
        (3,),
    ),
    Case("a list of literals", "def f(t: float):\n    a = [0, 0]\n    a[1] = t\n    return a\n", (0.5,)),
    Case(
        "falling in steps",
        "def f(n: int):\n    s = 0\n    for i in range(n, 0, -2):\n        s += i\n    return s\n",
        (7,),
    ),
    Case(
        "an empty range",
        "def f(n: int):\n    s = 0\n    for i in range(n, 0, -2):\n        s += i\n    return s\n",
        (0,),
    ),
    Case(
        "a range is made once",
        "def f(n: int):\n    c = 0\n    for i in range(n):\n        n = n - 1\n        c += n\n    return c\n",
        (4,),
    ),
    Case(
        "an item is read once",
        "def f(a: 'float64[:]'):\n    s = 0.0\n    for v in a:\n        a[0] = 9.0\n        s += v\n    return s\n",
        (_X,),
    ),
    Case("a store under a mask", "def f(a: 'float64[:]'):\n    a[a > 0] = a[0]\n    a[~(a > 1)] -= a[0]\n", (_X,)),
    Case("a mask with a name", "def f(a: 'float64[:]'):\n    m = a[::-1] > 0\n    a[m] = 7\n    return m\n", (_X,)),
    Case("new axes", "def f(a: 'float64[:]', A: 'float64[:, :]'):\n    return a[:, None] * a, A[0, None]\n", (_X, _A)),
    Case("other types", "def f(a: 'float64[:]'):\n    return a.astype(np.int8), a.astype('float32')\n", (_X,)),
    Case("a new list", "def f(a: list[float]):\n    b = list(a)\n    b[0] = 9.0\n    return b\n", (_FLOATS,)),
    *(
        Case(
            f"{type(k).__name__} for {annotation or 'any number'}",
            f"def f(x, y, k{annotation}):\n{_ADDING}",
            (_TRUTHS, _X[:3], k),
        )
        for k, annotation in (
            (True, ""),
            (np.True_, ""),
            (True, ": int"),
            (np.True_, ": float"),
            (np.int8(100), ": float"),
        )
    ),
    Case("negative powers", "def f(a: list[int]):\n    return a[0] ** -2, a[0] ** 3\n", ([2],)),
]


def _function(source: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    text, name = f"import math\nimport numpy as np\n{source}", "<cell>"
    monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(keepends=True), name))
    namespace: dict[str, Any] = {}
    exec(compile(text, name, "exec"), namespace)
    function: Callable[..., Any] = namespace["f"]
    return function


def _assert_same(found: Any, expected: Any) -> None:
    """Compare values and types; the items of a list need only be equal numbers, for all are of one type."""
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for mine, other in zip(found, expected, strict=True):
            _assert_same(mine, other)
    elif isinstance(expected, list):
        assert found == pytest.approx(expected, 1e-12)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, 1e-12 if expected.dtype != np.float32 else 1e-6)
    elif expected is not None:
        assert found == pytest.approx(expected, 1e-12)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_does_what_the_original_does(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    function = _function(case.source, monkeypatch)
    lifted = lift(function)
    mine, others = (tuple(map(copy.deepcopy, case.arguments)) for _ in range(2))
    with np.errstate(all="ignore"):
        _assert_same(lifted(*mine), function(*others))
    _assert_same(mine, others)


def test_integers_of_python_have_no_limit_and_the_program_says_that_its_own_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grows = "def f(a: list[int]):\n    s = 0\n    for v in a:\n        s += v * v\n    return s\n"
    counts = "def f(a: list[int]):\n    s = 0\n    for v in a:\n        if v > 0:\n            s += 1\n    return s\n"
    wide = "def f(a: 'uint64[:]', y: 'float64[:]'):\n    for i in range(len(a)):\n        y[i] = int(a[i])\n"
    stated = [
        [p.text for p in lift(_function(source, monkeypatch)).preconditions if p.kind == "integers"]
        for source in (grows, wide, wide.replace("uint64", "float64"), wide.replace("uint64", "uint32"), counts)
    ]
    assert stated == [["every integer fits into 64 bits"]] * 3 + [[]] * 2
