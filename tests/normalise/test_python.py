"""Loop IR of Python by way of literal IR: extents that nothing mentions, indices from the end, slices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.lifts import loop_ir_of

from tensorlift import reading
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView
from tensorlift.ir.text import print_module
from tensorlift.normalise.bounds import Exceptions, NeverNegative
from tensorlift.normalise.loop_ir import PASSES
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

_X, _XY = "x: 'float64[:]'", "x: 'float64[:]', y: 'float64[:]'"
_AB = "A: 'float64[:, :]', B: 'float64[:, :]'"


def _module(parameters: str, body: str) -> ModuleOp:
    text = f"import numpy as np\ndef f({parameters}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    (function,) = reading.read(source_from_text(text, "f.py"), LiftOptions())
    return loop_ir_of(function)


@pytest.mark.parametrize(
    ("parameters", "body", "accesses", "requires"),
    [
        (_X, "x[-1] = 0", ["%x[symbol(%x_shape0) - 1]"], ["x_shape0 >= 1"]),
        (_X, "x[-1:] = 0", ["%x[%i + symbol(%x_shape0) - 1]"], ["x_shape0 >= 1"]),
        (_X, "for i in range(1, len(x)):\n    x[i - 1] = 0", ["%x[%i - 1]"], []),
        ("x: 'float64[:]', k: int", "for i in range(k):\n    x[i] = 0", ["%x[%i]"], ["k <= x_shape0"]),
        ("x: 'float64[:]', k: int", "x[:k] = 0", ["%x[%i]"], ["k <= x_shape0", "k >= 0"]),
        (_XY, "for i in range(len(x)):\n    y[i] = 0", ["%y[%i]"], ["y.shape[0] == x.shape[0]"]),
        (_XY, "for i in range(1, len(x)):\n    y[-i] = 0", ["%y[symbol(%y_shape0) - %i]"],
         ["x_shape0 <= y_shape0 + 1"]),
        (_AB, "n, m = A.shape\nfor i in range(n):\n    for j in range(m):\n        B[i, j] = 0", ["%B[%i, %j]"],
         ["B.shape[0] == n", "B.shape[1] == m"]),
        (_AB, "for i in range(A.shape[0]):\n    B[i, -1] = 0", ["%B[%i, symbol(%B_shape1) - 1]"],
         ["B.shape[0] == A.shape[0]", "B_shape1 >= 1"]),
        ("n: int", "y = np.zeros((n, 3, 4))\ny[0, 1, 2] = 1\nreturn y[:, 0, 0]",
         ["%y[%i, %i_1, %i_2]", "%y[0, 1, 2]", "%result[%i_3]"], ["n >= 1"]),
        (_X, "for i in range(-2, 0):\n    x[i] = 0", ["%x[%i + symbol(%x_shape0)]"], ["x_shape0 >= 2"]),
        (_X, "v = x[1:-1]\nv[-1] = 0", ["%x[symbol(%x_shape0) - 2]"],
         ["x_shape0 >= 3"]),
        (_X, "x[0] = x[1:-1].max()", ["%temporary1[]", "%temporary1[]", "%x[0]"], ["x_shape0 >= 3"]),
        ("x: 'float64[:]', k: 'int64[:]'", "x[0] = abs(x)[k[0]]", ["%x[0]"], ["k_shape0 >= 1", "x_shape0 >= 1"]),
        (_X, "x[0] = abs(x[1:-1])[0]", ["%x[0]"], ["x_shape0 >= 3"]),
        ("x: 'float64[:]', k: int, n: int", "v = x[:k]\nfor i in range(n):\n    v[i] = 0", ["%x[%i]"],
         ["k <= x_shape0", "k >= 0", "n <= k", "n <= x_shape0"]),
        ("x: 'float64[:]', n: int, m: int", "for i in range(n):\n    x[i] = np.sum(np.zeros(m - i) + 1)",
         ["%temporary1[]", "%temporary1[]", "%x[%i]"], ["n <= x_shape0", "n <= m + 1"]),
        ("x: 'float64[:]', k: int", "if k < len(x):\n    x[k:] = 0", ["%x[%i + symbol(%k)]"], ["k >= 0"]),
    ],
)  # fmt: skip
def test_places(parameters: str, body: str, accesses: list[str], requires: list[str]) -> None:
    module = _module(parameters, body)
    lines = [line.strip() for line in print_module(module).splitlines()]
    found = [re.sub(r".*?, (.*) : .*", r"\1", line) for line in lines if line.startswith("affine.store")]
    view = FunctionView(module.body.block.first_op)  # type: ignore[arg-type] # a module of one function
    assert (found, {r.text for r in view.requires}) == (accesses, {*requires})


@pytest.mark.parametrize(
    ("step", "is_asked"),
    [("k = i", False), ("k = i + 1", False), ("k = i - 1", True), ("k = 2 * k", False), ("k = k - i", True)],
)
def test_an_index_that_is_never_negative_does_not_count_from_the_end(step: str, is_asked: bool) -> None:  # noqa: FBT001 - a parameter
    body = f"k = 0\nfor i in range(len(x)):\n    y[k] = 0\n    if x[i] > 0:\n        {step}"
    text = f"def f({_XY}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    (function,) = reading.read(source_from_text(text, "f.py"), LiftOptions())
    module = reading.literal_module(function)
    for one in (Exceptions(), *PASSES, NeverNegative()):
        one.apply(module)
    assert any(op.name == "arith.select" for op in module.walk()) is is_asked


@pytest.mark.parametrize(
    ("parameters", "body", "code"),
    [
        (_X, "for i in range(len(x)):\n    x[i - 1] = 0", "TL133"),
        (
            "x: 'float64[:]', ix: 'int64[:]', y: 'float64[:]'",
            "v = x[1:]\nfor i in range(len(ix)):\n    y[i] = v[ix[i]]",
            "TL130",
        ),
        (
            _X,
            "v = x[1:]\nu = x[1:3]\nk = 0\nfor i in range(len(v)):\n    if v[i] > v[k]:\n        k = i\nreturn u[k]",
            "TL130",
        ),
    ],
)
def test_what_has_no_loop_ir_is_refused(parameters: str, body: str, code: str) -> None:
    with pytest.raises(LiftError) as refused:
        _module(parameters, body)
    assert [diagnostic.code for diagnostic in refused.value.diagnostics] == [code]


@pytest.mark.parametrize(
    ("body", "program", "requires"),
    [
        ("k = 0\nfor i in range(1, len(v)):\n    if v[i] > v[k]:\n        k = i\nreturn k", "x[1:].argmax()", 2),
        ("i = 0\nwhile i < len(v) and v[i] > 0:\n    i += 1\nreturn i", "mask = ~(x[1:] > 0.0)", 1),
        ("for i in range(len(v)):\n    if v[i] < 0:\n        return True\nreturn False", "np.any(x[1:] < 0.0)", 1),
    ],
)
def test_a_part_of_an_array_is_searched(body: str, program: str, requires: int) -> None:
    text = "\n    ".join(["def f(x: 'float64[:]'):", "v = x[1:]", *body.split("\n")])
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert program in function.program
    assert [condition.text for condition in function.preconditions] == [f"x.shape[0] >= {requires}"]


def test_a_place_that_data_decides_is_compared_as_data() -> None:
    body = "k = 0\nfor i in range(len(y)):\n    y[i] = x[k]\n    k += 1\n    if k == len(x):\n        k = 0"
    assert "arith.cmpi eq" in print_module(_module(_XY, body))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    "file",
    [
        "bench/python_programs/list_style.py",
        "bench/python_programs/numba_style.py",
        "bench/python_programs/polybench/linear_algebra.py",
    ],
)
def test_a_lift_is_proved(file: str) -> None:
    assert all(function.level is Level.PROVED for function in lift_source(read_source(file), LiftOptions()).functions)
