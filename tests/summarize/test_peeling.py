"""Loops whose first and last iterations are written out compute what they did, at sizes with few iterations too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.shared import sampled
from tests.summarize.plain import agrees
from tests.summarize.programs import function_of, summary_of

from tensorlift.comprehension.peeling import peeled
from tensorlift.ir.interpreter import Interpreter

if TYPE_CHECKING:
    from collections.abc import Iterable
# Conditions on a loop variable, and the cell beside the own one that may be read where they hold.
_BESIDE = {
    "{i} > 0": "x[{i} - 1]", "{i} != 0": "x[{i} - 1]", "{i} >= 2": "x[{i} - 2]", "{i} < {n} - 1": "x[{i} + 1]",
    "{i} + 1 != {n}": "x[{i} + 1]", "{i} + 2 < {n}": "x[{i} + 2]", "{i} > 0 && {i} < {n} - 1": "x[{i} - 1]",
    "{i} == {n} - 1 && {i} > 1": "x[{i} - 2]", "{i} < 2": "b[{i}]", "{i} == 1": "b[{i} - 1]",
    "{i} > 1 || {i} == {n} - 1": "b[{i}]",
}  # fmt: skip
_BODIES = ("x[{i}] = {value};", "if ({condition}) x[{i}] = {value}; else x[{i}] = b[{i}];", "x[{i}] += {value};")
_RANGES = ("for (int {i} = 0; {i} < {n}; {i}++)", "for (int {i} = {n} - 1; {i} >= 0; {i}--)")


@st.composite
def _row(draw: st.DrawFn, i: str, n: str) -> str:
    """Give a loop over a row whose conditions tell its first and last iterations from the rest."""
    conditions = draw(st.lists(st.sampled_from(sorted(_BESIDE)), min_size=1, max_size=2, unique=True))
    values = [f"({c} ? {_BESIDE[c]} : {draw(st.integers(0, 3))}.5)" for c in conditions]
    body = draw(st.sampled_from(_BODIES)).replace("{value}", " * 0.5 + ".join([*values, "b[{i}]"]))
    body = body.replace("{condition}", draw(st.sampled_from(conditions)))
    head = draw(st.sampled_from(_RANGES))
    return f"{head} {{ {body} }}".replace("{i}", i).replace("{n}", n)


def _forms_agree(source: str, names: Iterable[str]) -> int:
    """Compare every peeled form of a function with the interpreter, at sizes from nothing on; count the forms."""
    function = function_of(source)
    forms, run = list(peeled(summary_of(function))), Interpreter(function)
    for form in forms:
        for size in range(6):
            agrees(run, form, dict.fromkeys(names, size))
    return len(forms)


@given(_row("i", "n"))
@settings(max_examples=sampled(12, 25), deadline=None)
def test_a_peeled_loop_computes_the_same(loop: str) -> None:
    """A loop over a row, forwards and backwards."""
    _forms_agree(f"void f(int n, double *x, const double *b) {{ {loop} }}", "n")


@given(_row("j", "m"), st.sampled_from(("i > 0", "i < n - 1", "i == 0", "i + 1 == n")))
@settings(max_examples=sampled(5, 10), deadline=None)
def test_a_peeled_nest_computes_the_same(row: str, condition: str) -> None:
    """A loop over rows, whose first or last row is told apart, around one over cells."""
    at = {"i > 0": "u[i - 1][j]", "i < n - 1": "u[i + 1][j]"}.get(condition, "u[i][j]")
    inner = row.replace("x[", "u[i][").replace("b[j]", f"({condition} ? {at} : b[j])")
    source = f"void f(int n, int m, double u[n][m], const double *b) {{ for (int i = 0; i < n; i++) {inner} }}"
    _forms_agree(source, "nm")


def test_a_first_and_a_last_iteration_that_are_one_run_once() -> None:
    """With one iteration, what is written out for the end of the loop does not run again."""
    source = """
    void f(int n, double *x) {
      for (int i = 0; i < n; i++)
        x[i] = 0.5 * ((i > 0 ? x[i - 1] : 1.0) + (i + 1 < n ? x[i + 1] : x[0]) + x[i]);
    }"""
    assert _forms_agree(source, "n")


def test_a_loop_without_conditions_is_not_peeled() -> None:
    """There is nothing to gain."""
    assert not _forms_agree("void f(int n, double *x) { for (int i = 1; i < n; i++) x[i] += x[i - 1] * x[i]; }", "n")
