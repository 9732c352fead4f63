"""Kept loops are proved by induction: entry, one iteration, exit, and whose memory is whose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift import lift
from tensorlift.proofs.failure import LOOP, MEMORY, UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from collections.abc import Callable

SOLVE = """
void f(int n, double l[n][n], double b[n], double x[n]) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= l[i][j] * x[j];
    x[i] = x[i] / l[i][i];
  }
}"""
TIME = """
void f(int n, int t, double a[n]) {
  double b[n];
  for (int s = 1; s < t; s++) {
    for (int i = 0; i < n; i++) b[i] = a[n - 1 - i] * a[i];
    for (int i = 0; i < n; i++) a[i] = b[i] + 1.0;
  }
}"""


def _solve(
    before: str = "x = b.copy()", header: str = "range(n)", value: str = "(x[i] - l[i, :i] @ x[:i]) / l[i, i]"
) -> str:
    lines = ["n = b.shape[0]", before, f"for i in {header}:", f"    x[i] = {value}", "return x"]
    return "def f(l, b, x):\n" + "".join(f"    {line}\n" for line in lines)


def _steps(body: str, before: str = "a = a.copy()", result: str = "a") -> str:
    lines = [before, "for s in range(1, t):", *(f"    {line}" for line in body.split("; ")), f"return {result}"]
    return "def f(t, a):\n" + "".join(f"    {line}\n" for line in lines)


def test_a_loop_that_stores_into_its_own_array(accept: Callable[..., object]) -> None:
    accept(SOLVE, _solve())


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        ({"before": "x = b"}, MEMORY),
        ({"before": "x = x.copy()"}, UNEQUAL),
        ({"header": "range(1, n)"}, LOOP),
        ({"header": "range(n - 1, -1, -1)"}, UNREADABLE),
        ({"value": "x[i] - l[i, :i] @ x[:i]"}, LOOP),
        ({"value": "(x[i] - l[i, :] @ x) / l[i, i]"}, LOOP),
        ({"value": "(x[i] + l[i, :i] @ x[:i]) / l[i, i]"}, LOOP),
    ],
)
def test_a_wrong_loop_is_rejected(reject: Callable[..., str], parts: dict[str, str], code: str) -> None:
    assert reject(SOLVE, _solve(**parts)) == code


def test_two_carried_arrays_in_one_memory_are_rejected(
    accept: Callable[..., object], reject: Callable[..., str]
) -> None:
    source = """void f(int n, double x[n], double w[n]) {
      double b[n];
      x[0] = w[1];
      for (int i = 0; i < n; i++) b[i] = x[i];
      for (int i = 1; i < n; i++) { double t = b[n - 1 - i]; b[n - 1 - i] = b[i]; b[i] = t; x[i] = b[n - 1]; }
      w[0] = b[0];
    }"""
    program = (lift(source).functions[0].program or "").partition("import numpy as np\n")[2]
    copied = "b = x\n    x = x.copy()\n"
    accept(source, program)
    assert copied in program
    assert reject(source, program.replace(copied, "b = x\n")) == MEMORY


def test_a_carried_variable_may_be_bound_anew(accept: Callable[..., object]) -> None:
    accept(TIME, _steps("a = a[::-1] * a + 1.0"))
    accept(TIME, _steps("b = a[::-1] * a; a = b + 1.0"))
    accept(TIME, _steps("a[:] = a[::-1] * a + 1.0"))


@pytest.mark.parametrize(
    ("program", "code"),
    [
        (_steps("a = a[::-1] * a + 1.0", before="a = a"), MEMORY),  # without an iteration the input is returned
        (_steps("b = a[::-1] * a + 1.0", result="b"), UNREADABLE),  # and b has no value
        (_steps("a = a[::-1] * a + c; c = 1.0", before="a, c = a.copy(), 1.0"), UNREADABLE),
        (_steps("a = a[::-1] * a + s", before="a, s = a.copy(), 1.0"), LOOP),
        (_steps("a[:] = a[::-1] * a + 1.0; a = c", before="a = a.copy(); c = a[:]"), UNREADABLE),
        (_steps("c[:] = c[::-1] * c + 1.0", before="a = a.copy(); c = a"), UNREADABLE),
        (_steps("a = a[::-1] * a + 1.0; return a"), UNREADABLE),
        (_steps("z[:] = 0.0; z = a; a[:] = a[::-1] * a + 1.0", before="a = a.copy(); z = a.copy()"), UNREADABLE),
    ],
)
def test_what_changes_between_iterations_is_not_trusted(reject: Callable[..., str], program: str, code: str) -> None:
    assert reject(TIME, program) == code


def test_memory_that_is_only_stored_into_may_be_used_again(accept: Callable[..., object]) -> None:
    accept(TIME, _steps("b[:] = a[::-1] * a; a = b + 1.0", before="b = a + 0.0; a = a.copy()"))
