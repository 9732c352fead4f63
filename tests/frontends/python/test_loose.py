"""A number that data makes an integer of Python: beside an integer of NumPy it would take the type of that one."""

from __future__ import annotations

import numpy as np
import pytest
from tests.frontends.python.original import both

from tensorlift.languages.python import read_python

_SIGNATURE = "(a: 'float64[:]', f: 'float32[:]', b: 'int8[:]', y: 'float64[:]', n: int)"
_LOOP = "for i in range(len(a)):\n  "

_REFUSED = [
    "y[i] = b[i] * min(a[i], 3)",
    "y[i] = min(a[i], n) - b[i]",
    "y[i] = b[i] + (a[i] if a[i] > 1 else 100)",
    "y[i] = b[i] * -max(a[i], 100)",
    "y[i] = b[i] * abs(max(a[i], -100))",
    "y[i] = b[i] * (max(a[i], 100) + 1)",
    "y[i] = b[i] // max(f[i], 3)",
    "t = a[i]\n  if t < 3:\n    t = 3\n  y[i] = b[i] * t",
    "t = 3\n  if a[i] > 3:\n    t = a[i]\n  y[i] = t * b[i]",
    "y[i] = b[i] * max(a[i], int(f[i]))",
]
_READ = [
    "y[i] = max(a[i], 0) * 2",
    "y[i] = b[i] * float(min(a[i], 3))",
    "y[i] = b[i] * np.minimum(a[i], 3)",
    "y[i] = b[i] * min(a[i], 3.0)",
    "y[i] = b[i] * (max(a[i], 0) + a[i])",
    "y[i] = b[i] * (max(a[i], 0) / 2)",
    "y[i] = b[i] / max(a[i], 3)",
    "y[i] = b[i] * np.sqrt(max(a[i], 3))",
    "y[i] = b[i] < max(a[i], 3)",
    "s = 0\n  for j in range(len(a)):\n    s += a[j]\n  y[i] = s * 0.5",
]


def _source(body: str) -> str:
    return f"import numpy as np\n\ndef f{_SIGNATURE}:\n{_LOOP}{body}\n".replace("\n  ", "\n    ").replace(
        "\nfor", "\n  for"
    )


@pytest.mark.parametrize("body", _REFUSED)
def test_beside_an_integer_of_numpy_it_is_refused(body: str) -> None:
    (read,) = read_python(_source(body), "f.py")
    assert [d.code for d in read.diagnostics] == ["TL188"]
    assert "an integer of Python" in read.diagnostics[0].message


@pytest.mark.parametrize("body", _READ)
def test_beside_other_numbers_it_is_what_python_gives(body: str) -> None:
    for mine, python in both(_source(body), "f"):
        for name, found in mine.items():
            np.testing.assert_allclose(found, python[name])


_INTEGERS = [  # of which data or the order of statements makes one Python's or NumPy's, over int8
    ("s = 2\n  {loop}y[i] = b[i] * s", "read"),
    ("s = np.int64(2)\n  {loop}y[i] = b[i] * s", "read"),
    ("s = 2\n  {loop}y[i] = b[i] * s\n  s = np.int64(3)\n  {loop}y[i] += b[i] * s", "read"),
    ("s = 100\n  s = s + np.int64(1)\n  {loop}y[i] = b[i] * s", "read"),
    ("s = 0\n  {loop}s += b[i]\n  y[0] = s", "read"),
    ("s = 0\n  {loop}s = s * 10\n    s = s + b[i]\n    y[i] = s", "read"),
    ("s = 0\n  {loop}y[i] = s - 1\n    s = b[i]", "read"),
    ("s, t = 0, 0\n  {loop}s = max(s, b[i])\n    t = t + i\n  y[0] = s * 2 + t", "refused"),
    ("s = 2\n  if len(b) > 3:\n    s = np.int64(100)\n  {loop}y[i] = b[i] * s", "refused"),
    ("s = 2\n  {loop}y[i] = b[i] * s\n    s = np.int64(100)", "refused"),
    ("s, t = 2, np.int64(100)\n  {loop}y[i] = b[i] * s\n    s, t = t, s", "refused"),
    ("s = 2\n  {loop}y[i] = s * 100\n    s = b[i]", "refused"),
    ("s = 0\n  {loop}y[i] = s + i\n    s = b[i]", "refused"),
    ("s = -64\n  {loop}y[i] = abs(s) * 2\n    s = b[i]", "refused"),
    ("s = 7\n  {loop}y[i] = np.abs(s)\n    s = b[i]", "refused"),
    ("{loop}t = np.int64(100) if a[i] > 1 else 3\n    y[i] = b[i] * t", "refused"),
]


@pytest.mark.parametrize(("body", "outcome"), _INTEGERS)
def test_an_integer_of_numpy_that_may_be_one_of_python_is_right_or_refused(body: str, outcome: str) -> None:
    written = body.format(loop="for i in range(len(b)):\n    ")
    source = f"import numpy as np\n\ndef f{_SIGNATURE}:\n  {written}\n"
    if outcome == "refused":
        (read,) = read_python(source, "f.py")
        assert [d.code for d in read.diagnostics] == ["TL188"]
        return
    for mine, python in both(source, "f"):
        for name, found in mine.items():
            np.testing.assert_array_equal(found, python[name])
