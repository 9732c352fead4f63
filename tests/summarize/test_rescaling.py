"""Loops whose variable always has a factor step by that factor, where iterations fill the cells in between."""

from __future__ import annotations

import pytest
from tests.summarize.programs import closed, function_of

from tensorlift.comprehension.definition import Definition
from tensorlift.poly.affine import ZERO
from tensorlift.poly.variables import stride_of
from tensorlift.summarize.reader import read_function
from tensorlift.summarize.statements import Loop

FILLED = "for (int i = 0; i < n; i++) { p[3 * i] = q[3 * i]; p[3 * i + 1] = 2; p[3 * i + 2] = q[3 * i + 1]; }"
CONSTANT = "for (int i = 0; i < n; i++) p[3 * i] = 1;"


def function(body: str) -> str:
    """Return a C function over two arrays with room for three cells an iteration."""
    return f"void f(int n, double p[3 * n], double q[3 * n]) {{ {body} }}"


@pytest.mark.parametrize(
    "body", [FILLED, CONSTANT, FILLED.replace("i < n; i++", "i < 3 * n; i += 3").replace("3 * i", "i")]
)
def test_cells_in_groups_have_a_closed_form(body: str) -> None:
    closed(function(body))


def test_the_loop_steps_by_the_factor() -> None:
    (loop,) = read_function(function_of(function(CONSTANT))).body
    assert isinstance(loop, Loop)
    assert loop.step == 3


def test_cells_between_those_that_vary_stay() -> None:
    (item,) = closed(function("for (int i = 0; i < n; i++) p[3 * i] = q[3 * i + 1];")).items
    assert isinstance(item, Definition)
    (name,) = item.indices
    assert [s for domain, _ in item.pieces if (s := stride_of(domain, name))] == [(ZERO, 3)]
