"""Integers with several closed forms: chosen by conditions, wrapped around, or handed to the next iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from bench.kernels import native

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

_HEAD = """#include <math.h>
static inline int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { if (a > b) return a; return b; }
"""
_HEAD += "void f(int n, int m, int k, double *restrict y, const double *restrict x) "

LIFTED = {
    "a clamped lower bound": "for (int i = 0; i < n; i++) { int lo = i - 3; if (lo < 0) lo = 0; y[i] = 0;"
    " for (int j = lo; j <= i; j++) y[i] += x[j]; }",
    "a clamped upper bound": "for (int i = 0; i < n; i++) { int hi = i + 3; if (hi > n) hi = n; y[i] = 0;"
    " for (int j = i; j < hi; j++) y[i] += x[j]; }",
    "the index of the iteration before": "int before = n - 1; for (int i = 0; i < n; i++)"
    " { y[i] = x[i] - x[before]; before = i; }",
    "the indices of two iterations before": "int one = n - 1, two = n - 2; for (int i = 0; i < n; i++)"
    " { y[i] = x[i] + x[one] * x[two]; two = one; one = i; }",
    "an index that the loop leaves": "int last = 0; for (int i = 0; i < n; i++) { y[i] = x[i]; last = i; }"
    " y[last] = 7;",
    "a neighbour on one side": "for (int i = 0; i < n; i++) y[i] = x[i > 0 ? i - 1 : 0];",
    "a rotation": "for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n];",
    "a rotation by a size": "for (int i = 0; i < n; i++) y[i] = x[(i + n - 1) % n];",
    "a chosen row": "for (int i = 0; i < n; i++) { const double *row = i == 0 ? x : x + (i - 1) * m;"
    " for (int j = 0; j < m; j++) y[i * m + j] = row[j]; }",
    "a cell that is counted up where it is read": "for (int i = 1; i < n; i++) { int l = i > 2 ? i - 2 : 0,"
    " r = i < n - 1 ? i + 1 : i; y[i] = y[l]++ + x[r]; }",
    "cells on both sides": "for (int i = 0; i < n; i++) { int l = i > 0 ? i - 1 : 0, r = i < n - 1 ? i + 1 : i;"
    " y[i] += -x[l] * fabs(x[r]); }",
    "a cell where a number is not zero": "for (int i = 0; i < n; i++) y[i] = x[i] + (i ? x[i - 1] : 0);",
    "a cell where a number is zero no longer": "for (int i = 0; i < n; i++) { y[i] = x[i]; if (!i) continue;"
    " y[i] += x[i - 1]; }",
    "bounds that a function chooses": "for (int i = 0; i < n; i++) { y[i] = 0;"
    " for (int j = most(0, i - k); j <= least(i + k, n - 1); j++) y[i] += x[j]; }",
    "an index that functions of functions choose": "for (int i = 0; i < n; i++) {"
    " int l = least(most(i - 1, 0), n - 1); y[i] = x[l] + x[least(i + 2, n - 1)]; }",
    "a number that a function chooses": "for (int i = 0; i < n; i++) y[i] = least(i, 3) * x[i] + most(k, i);",
    "an index that data choose": "for (int i = 0; i < n; i++) { int l = i; if (x[i] < 0) l = 0; y[i] = x[l]; }",
    "an index of many values": "for (int i = 0; i < n; i++) { int l = 0; if (i < m) l = i - l; if (i < k) l = i - l;"
    " if (i < 7) l = i - l; if (i > 9) l = i - l; if (i + m > n) l = i - l; if (i + k > n) l = i - l; y[i] = x[l]; }",
    "a bound that is chosen in the second of two tests": "for (int i = 0; i < n; i++) { y[i] = 0;"
    " for (int j = 0; j < n && j < (i < m ? i : m); j++) y[i] += x[j]; }",
    "a value that is read there": "for (int i = 0; i < n; i++) { int l = i - 1; if (l < 0) l = n - 1;"
    " double v = x[l]; y[i] = v * v; }",
}


def _lift(body: str) -> FunctionRecord:
    options = LiftOptions(("f",), test=native.compiler() is not None)
    record = lift_source(source_from_text(_HEAD + "{" + body + "}", "f.c"), options)
    (function,) = record.functions
    return function


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("body", LIFTED.values(), ids=LIFTED)
def test_is_lifted_and_agrees_with_the_compiled_source(body: str) -> None:
    function = _lift(body)
    assert function.lifted, function.diagnostics
    assert str(function.level) == "proved"
    assert all(trial.passed for trial in function.tests)


def test_a_statement_runs_in_the_case_that_holds() -> None:
    function = _lift("for (int i = 0; i < n; i++) y[i] = x[i == 0 ? n - 1 : i - 1];")
    assert function.program is not None
    assert "y[0] = x[-1]" in function.program
    assert "y[1:] = x[:-1]" in function.program


_BOUNDS = {
    "by a function of narrow integers": ("static short low(int a, int b) { return a < b ? a : b; }", "low(i + 1, n)"),
    "by a conversion": ("", "(unsigned char)(i + 1 < n ? i + 1 : n)"),
    "by a variable": ("", "(unsigned char)end"),
}


@pytest.mark.parametrize("case", _BOUNDS)
def test_the_lesser_of_two_bounds_stays_in_the_type_that_it_is_converted_to(case: str) -> None:
    helper, bound = _BOUNDS[case]
    text = f"""{helper}\nvoid f(int n, const int x[n], int y[n]) {{ for (int i = 0; i < n; i++) {{
        int end = i + 1; if (end > n) end = n; int s = 0;
        for (int k = 0; k < {bound}; k++) s += x[k]; y[i] = s; }} }}"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(("f",))).functions
    most = "n <= 32767" if "short" in helper else "n <= 255"
    assert most in {condition.text for condition in function.preconditions}


def test_a_bound_that_is_converted_to_an_unsigned_type_is_not_negative() -> None:
    text = """void f(int n, int m, const int x[n], int y[n]) { for (int i = 0; i < n; i++) { int s = 0;
        for (unsigned k = 0; k < (unsigned)n && k < (unsigned)(i - 5 < m ? i - 5 : m); k++) s += x[k]; y[i] = s; } }"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert [item.code for item in function.diagnostics] == ["TL157"]


def test_arguments_of_a_function_without_a_prototype_are_converted_to_its_parameters() -> None:
    text = """static int low(a, b) unsigned char a; int b; { return a < b ? a : b; }
        void f(int n, const int x[n], int y[n]) { for (int i = 0; i < n; i++) y[i] = low(i + 250, 1000) + x[i]; }"""
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(("f",))).functions
    assert "n <= 6" in {condition.text for condition in function.preconditions}


def test_what_a_division_rests_on_is_required() -> None:
    function = _lift("for (int i = 0; i < n; i++) y[i] = x[i] + x[i / (n + k)];")
    assert "k >= 0" in {condition.text for condition in function.preconditions}


def test_a_quotient_of_a_varying_divisor_needs_the_divisor() -> None:
    function = _lift("int d = k; for (int i = 0; i < n; i++) { y[i] = x[i / d]; d++; }")
    assert "k >= 1" in {condition.text for condition in function.preconditions}


def test_many_values_are_told_apart_where_one_condition_implies_another() -> None:
    tests = "".join(f"if (i < {c} + m) l = i + {c};" for c in range(9))
    function = _lift("for (int i = 0; i < n; i++) { int l = 0; " + tests + " y[i] = x[l]; }")
    assert function.program is not None
    assert "np.where(np.arange(n) >= m + 8, x[0], x[8:])" in function.program
    assert all(trial.passed for trial in function.tests)
