"""The cost of programs: what ranks them is the order of their costs, at given sizes and at unknown ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.cost import Costs, cost_of
from tensorlift.ir.function import functions
from tensorlift.languages.c import read_c
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.derive.builder import Builder
from tensorlift.synthesis.simplify import simplify

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import TensorProgram

_HEAD = (
    "#include <math.h>\nvoid f(int n, int m, double a[n], double b[n], double A[n][n], double B[n][n], double C[n][n])"
)
_EACH = "for (int i = 0; i < n; i++)"
_PAIRS = f"{_EACH} for (int j = 0; j < n; j++)"


def _program(body: str, *, chooses: bool = False) -> TensorProgram:
    (read,) = read_c(f"{_HEAD} {{ {body} }}", "k.c")
    assert read.module is not None
    return derive(simplify(summarise(functions(read.module)[0])), build=Builder(chooses=chooses))


def _cost(body: str, **sizes: int) -> float:
    return cost_of(_program(body), Costs(), sizes)


@pytest.mark.parametrize(
    ("cheap", "dear"),
    [
        (f"{_EACH} a[i] = b[i];", f"{_EACH} a[i] = 2 * b[i] + a[i];"),
        (f"{_EACH} a[i] = b[i] * b[i];", f"{_EACH} a[i] = exp(b[i]);"),
        (f"{_EACH} a[i] = 2 * b[i];", f"{_PAIRS} C[i][j] = 2 * A[i][j];"),
        (
            f"{_PAIRS} for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];",
            f"{_PAIRS} for (int k = 0; k < n; k++) C[i][j] = fmax(C[i][j], A[i][k] * B[k][j]);",
        ),
        (f"{_EACH} a[i] = 2 * b[i];", "for (int i = 1; i < n; i++) a[i] = sqrt(a[i - 1]) + b[i];"),
    ],
)
def test_what_does_more_costs_more(cheap: str, dear: str) -> None:
    assert _cost(cheap) < _cost(dear)


def test_costs_grow_with_given_sizes() -> None:
    body = f"{_PAIRS} for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];"
    assert _cost(body, n=10) < _cost(body, n=100) / 5
    assert _cost(body, n=1000) == _cost(body)


def test_a_value_that_is_used_twice_costs_once() -> None:
    once, twice = _cost(f"{_EACH} a[i] = exp(b[i]);"), _cost(f"{_EACH} a[i] = exp(b[i]) * exp(b[i]);")
    assert twice < 1.5 * once


def test_of_values_for_different_sizes_the_dearest_is_computed() -> None:
    body = f"if (n > 5) {{ {_EACH} a[i] = exp(b[i]); }} else {{ {_EACH} a[i] = log(b[i]) * b[i]; }}"
    one, both = (cost_of(_program(body, chooses=chooses), Costs()) for chooses in (True, False))
    assert one < 0.6 * both
