"""The first half of the proof for Python: what is decided, and sources that mean something else, which are not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from bench.first_half import Subject, decide, subjects

from tensorlift.deep import with_deep_stack
from tensorlift.pipeline import LiftOptions, read_functions
from tensorlift.readers.python import literal_module_of
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_HEAD = "import math\nimport numpy as np\n"
_ONE = 'def f(x: "float64[:]"):\n    n = len(x)\n'
_TWO = 'def f(x: "float64[:]", y: "float64[:]"):\n    n = len(x)\n    assert len(y) == n\n'
_MATRIX = 'def f(A: "float64[:, :]", x: "float64[:]"):\n    n, m = A.shape\n    assert len(x) == m\n'
_INTEGERS = "def f(x: list[int], y: list[int]):\n    n = len(x)\n    assert len(y) == n\n"
_BYTES = 'def f(x: "int8[:]", y: "int8[:]"):\n    n = len(x)\n    assert len(y) == n\n'
_PLACES = 'def f(k: "int32[:]", x: "float64[:]", y: "float64[:]"):\n    n = len(k)\n    assert len(y) == n\n'
_ROWS = 'def f(at: "int32[:]", k: "int32[:]", v: "float64[:]", x: "float64[:]", y: "float64[:]"):\n    n = len(y)\n'
_ROW = (
    "for i in range(n):\n    s = 0.0\n    for p in range(at[i], at[i + 1]):\n        s += v[p] * x[k[p]]\n    y[i] = s"
)


def _source(head: str, body: str) -> str:
    return _HEAD + head + "".join(f"    {line}\n" for line in body.split("\n"))


def _subject(text: str) -> Subject:
    found = dict(with_deep_stack(partial(subjects, source_from_text(text, "f.py")))).popitem()[1]
    assert isinstance(found, Subject), found
    return found


def _literal(text: str, other: str) -> ModuleOp:
    """Read a text literally with the parameters and types of another one, which the front end reads."""

    def read() -> ModuleOp:
        (known,), (own,) = (read_functions(source_from_text(one, "f.py"), LiftOptions()) for one in (text, other))
        found = own.inference.inferred()
        others = {"function": found.function, "callees": found.callees, "shapes": found.shapes}
        return literal_module_of(replace(known.inference.inferred(), **others))

    return with_deep_stack(read)


def _answer(head: str, definitions: str, literal: str) -> str:
    text, other = _source(head, definitions), _source(head, literal)
    return with_deep_stack(partial(decide, _subject(text), _literal(text, other)))


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (_ONE, "x[-1] = x[0] + 1"),
        (_PLACES, "for i in range(n):\n    y[i] = x[k[i]]"),
        (_PLACES, "for i in range(n):\n    x[k[i]] += y[i]"),
        (_PLACES, "for i in range(n):\n    y[i] = x[k[i]] - x[k[i] - 1]"),
        (_ROWS, _ROW),
        (_ONE, "for i in range(n - 1, -1, -1):\n    x[i] *= i"),
        (_ONE, "i = 0\nwhile i < n:\n    x[i] = 0\n    i += 1"),
        (_ONE, "x[1:] = x[:-1]"),
        (_ONE, "x[:] = (x - np.mean(x)) / np.sqrt(np.var(x) + 1)"),
        (_ONE, "inside = np.abs(x) < 1\nx[inside] = 0\nreturn inside"),
        (_ONE, "return sum(v for v in x if v > 0)"),
        (_ONE, "s = 0.0\nfor i, v in enumerate(x):\n    if i % 2 == 0:\n        s += v\nreturn s"),
        (_ONE, "w = [v > 1 for v in x]\nx[0] = w[0] + w[1] + 1"),
        ('def f(x: "float64[:]", n: int):\n', "while n > 0:\n    n -= 1\n    x[n] = n"),
        (_TWO, "s = 0.0\nfor a, b in zip(x, y):\n    s += a * b\nreturn s"),
        (_TWO, "for i in range(n):\n    x[i], y[i] = y[i], x[i]"),
        (_TWO, "return np.where(x > y, x, y) ** 2"),
        (_ONE, "for i in range(n):\n    t = np.zeros(n)\n    t += x[i]\n    x[i] = t[i]"),
        (_MATRIX, "return A @ x"),
        (_MATRIX, "for i in range(n):\n    A[i] += A[i] @ x"),
        (_MATRIX, "return A.T + x[:, None], A.sum(axis=0)"),
        (_INTEGERS, "for i in range(n):\n    y[i] = x[i] // 3 + x[i] % 4"),
        (_BYTES, "for i in range(n):\n    y[i] = x[i] * x[i] + 100"),
    ],
)
def test_what_is_decided(head: str, body: str) -> None:
    assert with_deep_stack(partial(decide, _subject(_source(head, body)))) == "decided"


@pytest.mark.parametrize(
    ("head", "one", "other"),
    [
        (_ONE, "x[n - 1] = 0", "x[-1] = 0"),
        (_ONE, "x[0] = 1", "x[-n] = 1"),
        (_ONE, "for i in range(n):\n    x[i] = 0", "for i in range(n):\n    x[i - n] = 0"),
        (_ONE, "x += 2", "for i in range(n):\n    x[i] = 2 + x[i]"),
        (_TWO, "for i in range(n):\n    x[i] = min(x[i], y[i])", "for i in range(n):\n    x[i] = min(y[i], x[i])"),
        (_BYTES, "for i in range(n):\n    y[i] = x[i] % 4", "for i in range(n):\n    y[i] = x[i] - x[i] // 4 * 4"),
    ],
)
def test_another_way_to_say_the_same_is_decided(head: str, one: str, other: str) -> None:
    assert _answer(head, one, other) == "decided"


@pytest.mark.parametrize(
    ("head", "definitions", "literal"),
    [
        (_PLACES, "for i in range(n):\n    y[i] = x[k[i]]", "for i in range(n):\n    y[i] = x[k[i] - 1]"),
        (_PLACES, "for i in range(n):\n    y[i] = x[k[i]]", "for i in range(n):\n    y[i] = x[-k[i]]"),
        (_PLACES, "for i in range(n):\n    x[k[i]] += y[i]", "for i in range(n):\n    x[k[i] - 1] += y[i]"),
        (_ROWS, _ROW, _ROW.replace("at[i], at[i + 1]", "at[i + 1], at[i]")),
        (_ROWS, _ROW, _ROW.replace("x[k[p]]", "x[k[p] - 1]")),
        pytest.param(_ONE, "x[n - 1] = 0", "x[-2] = 0", id="another index from the end"),
        pytest.param(_ONE, "x[n - 1] = 0", "x[n] = 0", id="behind the end"),
        pytest.param(_TWO, "x += y", "x += y[:1]", id="stretched"),
        pytest.param(_ONE, "x[0] = x[1]", "x[0] = x[-1]", id="from the end and from the start"),
        pytest.param(
            _ONE, "for i in range(1, n):\n    x[i] = 1", "for i in range(1, n):\n    x[i - 1] = 1", id="moved by one"
        ),
        pytest.param(
            _ONE, "for i in range(n):\n    x[i] = 1", "for i in range(n):\n    x[i - 1] = i + 1", id="around the end"
        ),
        pytest.param(
            _ONE,
            "for i in range(n - 1):\n    x[i] = x[i + 1]",
            "for i in range(n - 2, -1, -1):\n    x[i] = x[i + 1]",
            id="the other way round",
        ),
        pytest.param(_ONE, "x[1:] = x[:-1]", "for i in range(1, n):\n    x[i] = x[i - 1]", id="copied in place"),
        pytest.param(_ONE, "x[1:] = x[:-1]", "x[:-1] = x[1:]", id="slices exchanged"),
        pytest.param(_ONE, "x[2:] = 1", "x[-2:] = 1", id="a slice from the end"),
        pytest.param(_ONE, "x[::2] = 1", "x[1::2] = 1", id="another phase"),
        pytest.param(
            _ONE, "b = x.copy()\nb[0] = 1\nreturn b", "b = x\nb[0] = 1\nreturn b", id="a copy and a second name"
        ),
        pytest.param(_ONE, "b = x[1:]\nb += 1", "b = x[1:] + 1", id="a view and a new array"),
        pytest.param(
            _ONE,
            "for i in range(n):\n    t = np.zeros(n)\n    t[0] += x[i]\n    x[i] = t[0]",
            "t = np.zeros(n)\nfor i in range(n):\n    t[0] += x[i]\n    x[i] = t[0]",
            id="an array that outlives an iteration",
        ),
        pytest.param(
            _ONE,
            "for i in range(n):\n    t = np.zeros(n)\n    t += x[i]\n    x[i] = t[i]",
            "for i in range(n):\n    t = np.zeros(n)\n    t[:i] += x[i]\n    x[i] = t[i]",
            id="a part of an array of one iteration",
        ),
        pytest.param(_ONE, "return np.any(x > 0)", "return np.all(x > 0)", id="any and all"),
        pytest.param(_ONE, "return np.max(x)", "return np.min(x)", id="extremes"),
        pytest.param(_ONE, "return np.mean(x)", "return np.sum(x)", id="mean and sum"),
        pytest.param(
            _ONE,
            "c = 0\nfor v in x:\n    if 0 <= v < 1:\n        c += 1\nreturn c",
            "c = 0\nfor v in x:\n    if 0 <= v <= 1:\n        c += 1\nreturn c",
            id="a chain of comparisons",
        ),
        pytest.param(
            _ONE,
            "s = 0.0\nfor i, v in enumerate(x):\n    s += i * v\nreturn s",
            "s = 0.0\nfor i, v in enumerate(x, 1):\n    s += i * v\nreturn s",
            id="counted from one",
        ),
        pytest.param(
            _TWO,
            "for i in range(n):\n    x[i], y[i] = y[i], x[i]",
            "for i in range(n):\n    x[i] = y[i]\n    y[i] = x[i]",
            id="exchanged one after the other",
        ),
        pytest.param(
            _TWO,
            "for i in range(n):\n    x[i] = x[i] or y[i]",
            "for i in range(n):\n    x[i] = x[i] and y[i]",
            id="the other operand",
        ),
        pytest.param(_TWO, "x[x > 0] = 1.0\ny[:] = x", "y[x > 0] = 1.0\nx[:] = y", id="another array under the mask"),
        pytest.param(_TWO, "x -= y", "x[:] = y - x", id="operands exchanged"),
        pytest.param(_MATRIX, "return A @ x", "return A @ (x * x)", id="another product"),
        pytest.param(_MATRIX, "return A.sum(axis=0) + x", "return A.max(axis=0) + x", id="another reduction"),
        pytest.param(_MATRIX, "A += x", "A += x[::-1]", id="a row from its end"),
        pytest.param(
            _INTEGERS,
            "for i in range(n):\n    y[i] = x[i] // 2",
            "for i in range(n):\n    y[i] = int(x[i] / 2)",
            id="rounded towards zero",
        ),
        pytest.param(
            _INTEGERS,
            "for i in range(n):\n    y[i] = x[i] % 3",
            "for i in range(n):\n    y[i] = int(math.fmod(x[i], 3))",
            id="the sign of the dividend",
        ),
        pytest.param(
            _BYTES,
            "for i in range(n):\n    y[i] = x[i] * x[i]",
            "for i in range(n):\n    y[i] = min(np.int16(x[i]) * np.int16(x[i]), 127)",
            id="in which nothing wraps",
        ),
        pytest.param(
            _BYTES,
            "for i in range(n):\n    y[i] = x[i] + 100",
            "for i in range(n):\n    y[i] = np.int16(x[i]) + 101",
            id="wider",
        ),
    ],
)
def test_a_source_that_means_something_else_is_not_decided(head: str, definitions: str, literal: str) -> None:
    assert _answer(head, definitions, literal) != "decided"
