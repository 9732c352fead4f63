"""Python outside the subset is refused with code, place and remedy."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tensorlift.diagnostics import LiftError, Location, Severity
from tensorlift.frontends.python.refusals import REFUSALS
from tensorlift.languages.python import read_python
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text


class Refused(NamedTuple):
    """A program whose function ``f`` is refused, and the code and place of the diagnostic that says so."""

    name: str
    code: str
    line: int
    column: int
    source: str


CASES = [
    Refused("while true", "TL110", 2, 5, "def f(x):\n    while True:\n        x[0] /= 2\n"),
    Refused(
        "while else",
        "TL166",
        2,
        5,
        "def f(x, i: int):\n    while i < 3:\n        i += 1\n    else:\n        x[0] = 1\n",
    ),
    Refused("walrus", "TL167", 2, 22, "def f(x):\n    if x[1] > 0 and (t := x[0]) > 1:\n        x[0] = t\n"),
    Refused(
        "walrus in a generator that ends early",
        "TL167",
        3,
        13,
        "def f(x):\n    hit = 0.0\n    if any((hit := v) > 1 for v in x):\n        return hit\n    return 0.0\n",
    ),
    Refused("walrus of an array", "TL167", 2, 13, "def f(x: 'float64[:]'):\n    return (t := x * 2).sum() + t[0]\n"),
    Refused(
        "break",
        "TL168",
        4,
        13,
        "def f(x):\n    for i in range(3):\n        if x[i]:\n            break\n        x[i * i] = 1\n",
    ),
    Refused("try", "TL166", 2, 5, "def f(x):\n    try:\n        x[0] = 1\n    except ValueError:\n        pass\n"),
    Refused("with", "TL166", 2, 5, "def f(x):\n    with x:\n        pass\n"),
    Refused("raise", "TL116", 2, 5, "def f(x):\n    raise ValueError\n"),
    Refused("assert", "TL116", 2, 12, "def f(x):\n    assert x[0] > 0\n"),
    Refused("assertion on data", "TL116", 2, 12, "def f(x: 'float64[:]'):\n    assert x[0] == 0\n"),
    Refused(
        "assertion of ranks",
        "TL188",
        2,
        12,
        "def f(x: 'float64[:]', A: 'float64[:, :]'):\n    assert x.shape == A.shape\n",
    ),
    Refused(
        "an inner function that changes a variable",
        "TL166",
        3,
        5,
        "def f(x):\n    c = 0\n    def g():\n        nonlocal c\n        c += 1\n    g()\n    x[0] = c\n",
    ),
    Refused(
        "an inner function that is passed on",
        "TL166",
        2,
        5,
        "def f(x):\n    def g():\n        return 1\n    return g\n",
    ),
    Refused("a lambda that calls itself", "TL173", 2, 9, "def f(x):\n    g = lambda: g()\n    x[0] = g()\n"),
    Refused(
        "an item in some iterations",
        "TL173",
        5,
        13,
        "def f(x):\n    w = []\n    for v in x:\n        if v > 0:\n            w.append(v)\n    return w\n",
    ),
    Refused(
        "a list that its loop reads",
        "TL173",
        4,
        9,
        "def f(x):\n    w = []\n    for v in x:\n        w.append(v + len(w))\n    return w\n",
    ),
    Refused("an item after the loop", "TL173", 3, 5, "def f(x):\n    w = [1.0]\n    w.append(2.0)\n    return w\n"),
    Refused("a table that is changed", "TL182", 3, 5, "W = [1.0, 2.0]\ndef f(x):\n    W[0] = x[0]\n    x[1] = W[0]\n"),
    Refused(
        "a table that is changed by another name",
        "TL182",
        4,
        5,
        "W = [1.0, 2.0]\ndef f(x):\n    v = W\n    v[0] = x[0]\n    x[1] = W[0]\n",
    ),
    Refused(
        "a helper that returns no value in some cases",
        "TL180",
        5,
        12,
        "def g(v):\n    if v > 0:\n        return v\ndef f(x):\n    x[0] = g(x[0])\n",
    ),
    Refused(
        "for else",
        "TL166",
        2,
        5,
        "def f(x):\n    for i in range(3):\n        x[i] = 1\n    else:\n        x[0] = 2\n",
    ),
    Refused("iterable", "TL169", 2, 14, "def f(x: 'float64[:]', y):\n    for v in x.shape:\n        y[0] = v\n"),
    Refused("zero step", "TL170", 2, 26, "def f(x, n):\n    for i in range(0, n, 0):\n        x[i] = 1\n"),
    Refused(
        "loop variable afterwards",
        "TL172",
        4,
        12,
        "def f(x):\n    for i in range(3):\n        x[i] = 1\n    return i\n",
    ),
    Refused("unbound", "TL172", 2, 12, "def f(x):\n    x[0] = t\n    t = 1\n"),
    Refused("perhaps bound", "TL172", 4, 12, "def f(x):\n    if x[0] > 1:\n        t = 1\n    return t\n"),
    Refused("set", "TL173", 2, 16, "def f(x):\n    return max({v for v in x})\n"),
    Refused("dictionary comprehension", "TL173", 2, 9, "def f(x):\n    d = {i: 1 for i in range(3)}\n"),
    Refused("condition in a list", "TL173", 2, 12, "def f(x):\n    return [v for v in x if v > 1]\n"),
    Refused("shared rows", "TL173", 2, 13, "def f(A: list[list[float]]):\n    return [row for row in A]\n"),
    Refused(
        "rows of many lengths",
        "TL173",
        2,
        12,
        "def f(n: int):\n    return [[0 for j in range(i)] for i in range(n)]\n",
    ),
    Refused("row repeated", "TL177", 2, 13, "def f(n: int):\n    return [[0.0] * n] * n\n"),
    Refused("empty list", "TL180", 3, 5, "def f(x):\n    y = []\n    return y\n"),
    Refused("list of two kinds", "TL175", 2, 12, "def f(x):\n    return [1, [2, 3]]\n"),
    Refused("list plus list", "TL188", 2, 12, "def f(x: list[float]):\n    return x + [1.0]\n"),
    Refused("list times number", "TL188", 2, 12, "def f(x: list[float], n: int):\n    return x * n\n"),
    Refused("bits of what is a float", "TL188", 2, 5, "def f(a: 'int64[:]', h: 'uint64[:]'):\n    h[0] ^= a[0]\n"),
    Refused(
        "a shift of what is a float", "TL188", 2, 12, "def f(a: 'int64[:]', h: 'uint64[:]'):\n    return h[0] >> a[0]\n"
    ),
    Refused("lists in a slice", "TL176", 2, 9, "def f(A: list[list[float]]):\n    B = A[1:]\n    B[0][0] = 1\n"),
    Refused("list by two indices", "TL177", 2, 5, "def f(A: list[list[float]]):\n    A[0, 0] = 1\n"),
    Refused("not a number", "TL175", 3, 12, "def f(x):\n    m = np.nan\n    return max(m, x[0])\n"),
    Refused("a type of arange", "TL187", 2, 12, "def f(n: int):\n    return np.arange(n, dtype=np.int32)\n"),
    Refused("two starts of a sum", "TL187", 2, 12, "def f(x: list[float]):\n    return sum(x, 1.0, 2.0)\n"),
    Refused("out of maximum", "TL187", 2, 12, "def f(x: 'float64[:]'):\n    x[:] = np.maximum(x, x, x)\n"),
    Refused("two that are not counted", "TL187", 2, 12, "def f(x: 'float64[:]'):\n    return x.var(ddof=2)\n"),
    Refused("an axis twice", "TL187", 2, 12, "def f(A: 'float64[:, :]'):\n    return A.sum(axis=(0, -2))\n"),
    Refused("an axis of data", "TL187", 2, 12, "def f(A: 'float64[:, :]', k: int):\n    return A.max(axis=k)\n"),
    Refused(
        "a row of another length",
        "TL178",
        4,
        5,
        "def f(x: 'float64[:]'):\n    y = np.zeros(3)\n    x[0] = 1\n    a, b = y\n",
    ),
    Refused("unknown element type", "TL187", 2, 30, "def f(n: int):\n    return np.zeros(n, dtype=np.clongdouble)\n"),
    Refused("integer reciprocal", "TL188", 2, 12, "def f(x: 'int64[:]'):\n    return np.reciprocal(x)\n"),
    Refused("default of a helper", "TL187", 4, 12, "def g(v, w=N):\n    return v\ndef f(x):\n    x[0] = g(x[0])\n"),
    Refused("missing argument", "TL187", 4, 12, "def g(v, w):\n    return v\ndef f(x):\n    x[0] = g(x[0])\n"),
    Refused("argument twice", "TL187", 4, 12, "def g(v, w):\n    return v\ndef f(x):\n    x[0] = g(1, v=2)\n"),
    Refused("module that is none", "TL174", 3, 12, "np = 1\ndef f(x):\n    x[0] = np.sqrt(x[0])\n"),
    Refused("contiguous copy or not", "TL174", 2, 9, "def f(x):\n    y = np.ascontiguousarray(x)\n    y[0] = 1\n"),
    Refused("lambda", "TL173", 2, 9, "def f(x):\n    g = lambda v: v\n    h = g\n    x[0] = 1\n"),
    Refused("unknown function", "TL174", 2, 12, "def f(x):\n    x[0] = g(x)\n"),
    Refused("unknown module", "TL174", 2, 12, "def f(x):\n    x[0] = scipy.erf(x[0])\n"),
    Refused("other library", "TL174", 3, 12, "from lib import abs\ndef f(x):\n    x[0] = abs(x[0])\n"),
    Refused("rebound builtin", "TL174", 3, 12, "abs = 1\ndef f(x):\n    x[0] = abs(x[0])\n"),
    Refused("other range", "TL174", 3, 14, "import lib\ndef f(x):\n    for i in lib.range(3):\n        x[i] = 1\n"),
    Refused("decorated helper", "TL184", 1, 2, "@memo\ndef g(v):\n    return v\ndef f(x):\n    x[0] = g(1)\n"),
    Refused("recursion", "TL174", 2, 12, "def f(x):\n    return f(x)\n"),
    Refused("print", "TL174", 2, 5, "def f(x):\n    print(x[0])\n"),
    Refused("dictionary", "TL175", 2, 9, "def f(x):\n    d = {}\n"),
    Refused("string", "TL175", 2, 9, "def f(x):\n    d = 'a'\n"),
    Refused("huge literal", "TL175", 2, 12, "def f(x):\n    x[0] = 99999999999999999999\n"),
    Refused(
        "a literal that np.uint64 does not hold",
        "TL175",
        2,
        22,
        "def f(x):\n    x[0] = np.uint64(18446744073709551616)\n",
    ),
    Refused(
        "a truth value in a variable of NumPy's type",
        "TL188",
        3,
        9,
        "def f(x: 'float32[:]'):\n    s = x[0]\n    s = True\n    x[1] = s\n",
    ),
    Refused("a parameter that is called", "TL174", 2, 12, "def f(sum, x):\n    return sum(x)\n"),
    Refused("array as index", "TL176", 2, 14, "def f(x, k: 'float64[:]'):\n    return x[k, 0]\n"),
    Refused("mask as index", "TL176", 2, 14, "def f(x: 'float64[:]'):\n    return x[x > 0]\n"),
    *(
        Refused(
            "a view in another shape",
            "TL176",
            3,
            5,
            f"def f(x: 'f8[:]', z: 'f8[:]'):\n    y = x.reshape(-1, 3)\n    {changed} = 5\n    return y.sum()\n",
        )
        for changed in ("x[0]", "y[0, 0]", "z[0]")
    ),
    Refused("a diagonal", "TL176", 3, 5, "def f(x: 'f8[:, :]'):\n    d = np.diag(x)\n    x[0, 0] = 1\n    return d\n"),
    Refused("a store into a view", "TL176", 2, 5, "def f(x: 'float64[:]'):\n    x.reshape(-1, 3)[0, 0] = 1\n"),
    Refused("axes that become one", "TL185", 2, 12, "def f(x: 'float64[:, :]'):\n    return x.ravel() * 2\n"),
    Refused("places apart", "TL176", 2, 12, "def f(x: 'float64[:, :, :]', k: 'int64[:]'):\n    return x[k, :, 0]\n"),
    Refused("float as index", "TL176", 3, 14, "def f(x):\n    t = 0.5\n    return x[t]\n"),
    Refused("new axis in a list", "TL176", 2, 12, "def f(x: list[float]):\n    return x[None]\n"),
    Refused("negative slice step", "TL176", 2, 14, "def f(x):\n    return x[4:1:-1]\n"),
    Refused("zero slice step", "TL176", 2, 16, "def f(x):\n    return x[::0]\n"),
    Refused("slice bound below zero", "TL178", 2, 5, "def f(x, k: int):\n    return x[:k * k - 3]\n"),
    Refused("too many indices", "TL177", 2, 5, "def f(x: 'float64[:]'):\n    x[0, 0] = 1\n"),
    Refused("array for a number", "TL177", 2, 5, "def f(x, A: 'float64[:, :]'):\n    x[0] = A[0]\n"),
    Refused("shapes differ", "TL178", 2, 12, "def f(x: 'float64[:]'):\n    return x[1:] + x\n"),
    Refused("annotation", "TL179", 1, 10, "def f(x: list[complex]):\n    return x\n"),
    Refused("annotation of cells", "TL179", 1, 10, "def f(x: 'list[complex]'):\n    return x\n"),
    Refused(
        "arrays of several lengths",
        "TL178",
        4,
        5,
        "def f(x: 'float64[:]'):\n    if x[0] > 1:\n        return x * 2\n    return x[1:]\n",
    ),
    Refused(
        "an array that also another name has bound again in a loop",
        "TL181",
        4,
        9,
        "def f(x: 'float64[:]'):\n    u = w = x + 1\n    for _ in range(3):\n        u = u * 2\n    return w\n",
    ),
    Refused(
        "a parameter changed in place, and bound again in a loop",
        "TL181",
        2,
        5,
        "def f(x: 'float64[:]'):\n    x[0] = 1\n    for _ in range(3):\n        x = x * 2\n    return x\n",
    ),
    Refused(
        "an array bound again to one that changes afterwards",
        "TL181",
        5,
        9,
        "def f(x: 'float64[:]'):\n    u = x + 1\n    for _ in range(3):\n        v = 2 * u\n        u = v\n"
        "        v[0] = 1\n    return u\n",
    ),
    Refused(
        "an array bound again to one of another type in a loop",
        "TL181",
        4,
        9,
        "def f(x: 'float64[:]'):\n    u = x > 1\n    for _ in range(3):\n        u = u * 2.0\n    return u\n",
    ),
    Refused(
        "an array of a written loop after it",
        "TL172",
        7,
        12,
        "def f(x: 'float64[:]'):\n    for k in (0, 1):\n        if x[k] > 0:\n            x[k] = 1\n"
        "            continue\n        w = x[k] + x\n    return w\n",
    ),
    Refused("unknown name", "TL182", 2, 12, "def f(x):\n    x[0] = gamma\n"),
    Refused("variadic", "TL183", 1, 8, "def f(*x):\n    return 1\n"),
    Refused("decorator", "TL184", 1, 2, "@cache\ndef f(x):\n    return x\n"),
    Refused("attribute", "TL185", 2, 12, "def f(x: 'float64[:]'):\n    x[0] = x.flags\n"),
    Refused("method", "TL185", 2, 12, "def f(x: 'float64[:]'):\n    x[0] = x.argsort()\n"),
    Refused("unpacking an array", "TL186", 2, 5, "def f(x: 'float64[:, :]'):\n    a, b = x\n"),
    Refused("attribute as target", "TL186", 2, 5, "def f(x):\n    x.y = 1\n    x[0] = 1\n"),
    Refused("row of a list", "TL186", 2, 5, "def f(A: list[list[float]], B: list[list[float]]):\n    A[0] = B[0]\n"),
    Refused("keyword argument", "TL187", 2, 12, "def f(x):\n    x[0] = np.sqrt(x[0], out=x)\n"),
    Refused("arguments of range", "TL187", 2, 14, "def f(x):\n    for i in range():\n        x[i] = 1\n"),
    Refused(
        "effect in an arm",
        "TL188",
        5,
        12,
        "def g(x):\n    x[0] = 2\n    return 1\ndef f(x, k: int):\n    x[1] = g(x) if k > 1 else 0\n",
    ),
    Refused("membership", "TL188", 2, 8, "def f(x, y):\n    if y in x:\n        x[0] = 1\n"),
    Refused("integer power", "TL188", 2, 12, "def f(n: int, k: int):\n    return n ** k\n"),
    Refused("no dimensions", "TL187", 2, 9, "def f(x):\n    s = np.zeros(())\n    s += x[0]\n    return s\n"),
    Refused("unknown rank", "TL189", 1, 7, "def f(x, y):\n    return x @ y\n"),
    Refused("index below zero", "TL133", 3, 16, "def f(x, y):\n    for i in range(len(x)):\n        y[i] = x[i - 1]\n"),
    Refused("a name for new axes", "TL176", 3, 5, "def f(a: 'float64[:]'):\n    b = a[:, None]\n    b[0, 0] = 9\n"),
    Refused("a mask of rows", "TL186", 2, 5, "def f(A: 'float64[:, :]'):\n    A[A[0] < 0] = 5\n"),
    Refused("an array under a mask", "TL186", 2, 5, "def f(a: 'float64[:]'):\n    a[a > 0] = a\n"),
    Refused("floats under a mask", "TL188", 2, 5, "def f(a: 'int64[:]'):\n    a[a > 0] += 0.5\n"),
    Refused(
        "a copy with shared rows", "TL176", 2, 9, "def f(A: list[list[float]]):\n    B = A.copy()\n    B[0][0] = 1.0\n"
    ),
    Refused("a list of rows", "TL177", 2, 9, "def f(A: list[list[float]]):\n    B = list(A)\n    B[0][0] = 1.0\n"),
    Refused("names from anywhere", "TL174", 3, 12, "from m import *\ndef f(a: 'float64[:]'):\n    return abs(a[0])\n"),
    Refused(
        "one of two modules",
        "TL174",
        6,
        12,
        "try:\n    import m as np\nexcept ImportError:\n    import numpy as np\n"
        "def f(a: 'float64[:]'):\n    return np.sum(a)\n",
    ),
    Refused("sum of lists", "TL177", 2, 12, "def f(A: list[list[float]]):\n    return sum(A)\n"),
    Refused("maximum of rows", "TL177", 2, 12, "def f(A: 'float64[:, :]'):\n    return max(A)\n"),
    Refused(
        "an effect before a read",
        "TL188",
        5,
        19,
        "def g(a):\n    a[0] = 9.0\n    return 1.0\ndef f(a: 'float64[:]'):\n    return a[0] + g(a)\n",
    ),
    Refused(
        "an effect in an argument",
        "TL188",
        7,
        20,
        "def g(a):\n    a[0] = 9.0\n    return 1.0\ndef h(p, q):\n    return p - q\n"
        "def f(a: 'float64[:]'):\n    return h(a[0], g(a))\n",
    ),
    Refused(
        "an effect in an update",
        "TL188",
        5,
        13,
        "def g(a):\n    a[0] = 9.0\n    return 1.0\ndef f(a: 'float64[:]'):\n    a[0] += g(a)\n",
    ),
    Refused("difference of masks", "TL188", 2, 12, "def f(x: 'float64[:]'):\n    return (x > 0) - (x > 2)\n"),
    Refused("sign of a mask", "TL188", 2, 12, "def f(x: 'float64[:]'):\n    return -(x > 0)\n"),
    Refused(
        "a truth and a number",
        "TL188",
        4,
        13,
        "def f(x: 'float64[:]'):\n    t = 2\n    if x[0] > 1:\n        t = x[1] > 0\n    return t + t\n",
    ),
    Refused("chain over arrays", "TL188", 2, 12, "def f(a: 'float64[:]'):\n    return 0 < a < 3\n"),
    Refused("floats into integers in place", "TL188", 2, 5, "def f(y: 'int64[:]'):\n    y += 0.5\n"),
    Refused("quotients into integers in place", "TL188", 2, 5, "def f(y: 'int64[:]'):\n    y /= 2\n"),
    Refused("signs into unsigned in place", "TL188", 2, 5, "def f(y: 'uint8[:]', z: 'int8[:]'):\n    y += z\n"),
    Refused("a literal beyond its type", "TL188", 2, 5, "def f(y: 'int8[:]'):\n    y[0] = 300\n"),
    Refused("arithmetic beyond a type", "TL188", 2, 12, "def f(y: 'int8[:]'):\n    return y + 300\n"),
    Refused("negative power of integers", "TL188", 2, 12, "def f(y: 'int64[:]'):\n    return y ** -1\n"),
    Refused("floats of 16 bits", "TL188", 2, 12, "def f(y: 'float16[:]', z: 'bfloat16[:]'):\n    return y * z\n"),
    Refused("a float in a list of integers", "TL186", 2, 5, "def f(y: list[int]):\n    y[0] = 0.5\n"),
    Refused("a number in a list of truth values", "TL186", 2, 5, "def f(y: list[bool]):\n    y[0] = 2\n"),
    Refused(
        "two types of float",
        "TL188",
        2,
        9,
        "def f(a: 'float32[:]', t: float):\n    s = t\n    for v in a:\n        s = s * v\n    return s\n",
    ),
    Refused(
        "unsigned and signed of 64 bits", "TL188", 2, 12, "def f(a: 'uint64[:]', b: 'int64[:]'):\n    return a < b\n"
    ),
    Refused(
        "a name for two arrays",
        "TL181",
        4,
        9,
        "def f(a: 'float64[:]', b: 'float64[:]'):\n    c = a\n    if len(a) > 3:\n        c = b\n    c[0] = 1.0\n",
    ),
    Refused(
        "a loop variable after the loop",
        "TL172",
        4,
        12,
        "def f(n: int):\n    for i in range(n):\n        pass\n    return i\n",
    ),
    Refused("the bound of a slice", "TL178", 2, 5, "def f(a: 'float64[:]', i: int):\n    return a[i * i - 2:]\n"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_is_refused(case: Refused) -> None:
    (function,) = read_python(case.source, "k.py", function="f")
    assert function.module is None
    diagnostic = function.diagnostics[0]
    assert (diagnostic.code, diagnostic.location) == (case.code, Location("k.py", case.line, case.column)), diagnostic
    assert diagnostic.severity is Severity.ERROR
    assert len(diagnostic.remedy) > 10
    assert "{detail}" not in diagnostic.message


def test_every_reason_is_tested() -> None:
    assert {row.code for row in REFUSALS.values()} <= {case.code for case in CASES} | {"TL165"}


def test_one_refused_function_leaves_the_others_alone() -> None:
    refused, lifted = read_python("def f(x):\n    print(x)\n\ndef g(x):\n    x[0] = 1\n", "k.py")
    assert refused.module is None
    assert lifted.module is not None


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        ("def f(:\n    pass\n", "TL165", 1),
        ("def f():\n\tx = (1,\n", "TL165", 2),
        ("x = 1\n", "TL104", 1),
        ("", "TL104", 1),
        ("def f():\n    return '\0'\n", "TL103", 1),
    ],
)
def test_a_file_without_functions_is_refused(source: str, code: str, line: int) -> None:
    with pytest.raises(LiftError) as refused:
        read_python(source, "k.py")
    (diagnostic,) = refused.value.diagnostics
    assert (diagnostic.code, diagnostic.location and diagnostic.location.line) == (code, line)


def test_an_unknown_function_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(LiftError, match="there is no function `g`; the file defines f"):
        read_python("def f(x):\n    x[0] = 1\n", "k.py", function="g")


def test_what_is_refused_after_reading_has_the_place_of_the_function() -> None:
    source = source_from_text("\n\ndef f(x: 'float64[:]'):\n    pass\n", "k.py")
    (function,) = lift_source(source, LiftOptions()).functions
    (diagnostic,) = function.diagnostics
    assert (diagnostic.code, diagnostic.location) == ("TL306", Location("k.py", 3, 1))
