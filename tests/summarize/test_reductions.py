"""Self-updates become reductions: sums, products, extrema, flags, conditional ones, in every type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.summarize.programs import closed, function_of, kept, lifted

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Reduce

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary


def reducers(summary: Summary) -> set[str]:
    """Return the folds that occur."""
    return {op for op, _ in folds(summary)}


def folds(summary: Summary) -> set[tuple[str, str]]:
    """Return the folds that occur, with their types."""
    terms = (term for d in summary.definitions() for _, term in d.pieces)
    return {(node.op, node.dtype) for term in terms for node in walk(term) if isinstance(node, Reduce)}


CASES = {
    "sum": ("sum", "double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; o[0] = s;"),
    "difference": ("sum", "double s = 9; for (int i = 0; i < n; i++) s = s - a[i] - b[i]; o[0] = s;"),
    "product": ("prod", "double s = 1; for (int i = 0; i < n; i++) s = a[i] * s; o[0] = s;"),
    "quotient": ("prod", "double s = 1; for (int i = 0; i < n; i++) s /= a[i]; o[0] = s;"),
    "maximum by call": ("fmax", "double s = a[0]; for (int i = 1; i < n; i++) s = fmax(s, a[i]); o[0] = s;"),
    "maximum by branch": ("max", "double s = a[0]; for (int i = 1; i < n; i++) if (a[i] > s) s = a[i]; o[0] = s;"),
    "minimum by choice": ("min", "double s = a[0]; for (int i = 1; i < n; i++) s = a[i] < s ? a[i] : s; o[0] = s;"),
    "minimum, negated": ("min", "double s = a[0]; for (int i = 1; i < n; i++) s = !(a[i] < s) ? s : a[i]; o[0] = s;"),
    "conditional sum": ("sum", "double s = 0; for (int i = 0; i < n; i++) if (b[i] > 2) s += a[i]; o[0] = s;"),
    "conditional maximum": ("max", ("double s = 0; "
        "for (int i = 0; i < n; i++) if (b[i] > 2 && a[i] > s) s = a[i]; o[0] = s;")),
    "either of two sums": ("sum", ("double s = 0; "
        "for (int i = 0; i < n; i++) { if (b[i] > 2) s += a[i]; else s += 1; } o[0] = s;")),
    "flag": ("any", "double s = 5; for (int i = 0; i < n; i++) if (a[i] > 3.5) s = 7; o[0] = s;"),
    "sum in memory": ("sum", "o[0] = 0; for (int i = 0; i < n; i++) o[0] += a[i];"),
    "two sums, one of the other": ("sum", ("double s = 0, u = 0; "
        "for (int i = 0; i < n; i++) { s += a[i]; u += s * b[i]; } o[0] = u;")),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_self_update_becomes_a_reduction(case: str) -> None:
    reducer, body = CASES[case]
    summary = closed(f"void f(int n, double a[n], double b[n], double o[1]) {{ {body} }}")
    assert reducers(summary) == {reducer}


STEPS = {
    "r = r || a[i] > 3;": "any",
    "r = a[i] > 3 || r;": "any",
    "r = r && a[i] > 3;": "all",
    "r = a[i] > 3 && r;": "all",
    "r |= a[i] > 3;": "any",
    "r &= a[i] > 3;": "all",
    "r |= a[i] > 3; r |= a[i] < 1;": "any",
    "if (a[i] > 3) r = 1;": "any",
    "if (!(a[i] > 3)) r = 0;": "any",
    "if (r || a[i] > 3) r = 1;": "any",
    "if (!r && a[i] > 3) r = 1;": "any",
    "if (r && a[i] > 3) r = 0;": "any",
    "r = r ? r : a[i] > 3;": "any",
    "r = r ? a[i] > 3 : r;": "all",
    "r = !r ? a[i] > 3 : r;": "any",
    "r = a[i] > 3 ? a[i] > 3 : r;": "any",
    "r = a[i] > 3 ? r : a[i] > 3;": "any",
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("c_type", ["int", "unsigned char", "long"])
@pytest.mark.parametrize("step", STEPS)
def test_a_flag_of_any_first_value_and_type_becomes_a_reduction(step: str, c_type: str) -> None:
    summary = closed(
        f"{c_type} f(int n, {c_type} r, double a[n]) {{ for (int i = 0; i < n; i++) {{ {step} }} return r; }}"
    )
    assert reducers(summary) == {STEPS[step]}


def test_a_bool_becomes_a_reduction() -> None:
    head = "#include <stdbool.h>\nbool f(int n, double a[n]) { bool r = false; for (int i = 0; i < n; i++)"
    for step in ("r = r || a[i] > 3;", "r |= a[i] > 3;", "if (a[i] > 3) r = true;"):
        assert reducers(closed(f"{head} {step} return r; }}")) == {"any"}


def test_a_flag_that_is_flipped_stays() -> None:
    text = "int f(int n, double a[n]) { int r = 0; for (int i = 0; i < n; i++) r = !r && a[i] > 3; return r; }"
    assert kept(lifted(function_of(text)).items) == [("i", [])]


@pytest.mark.parametrize("c_type", ["unsigned char", "short", "unsigned", "long", "float"])
def test_sums_and_extrema_of_narrow_types_wrap_as_in_c(c_type: str) -> None:
    head = f"{c_type} f(int n, {c_type} a[n])"
    sum_ = closed(
        f"{c_type} f(int n, {c_type} a[n]) {{ {c_type} s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }}"
    )
    assert reducers(sum_) == {"sum"}
    largest = closed(f"{head} {{ {c_type} s = a[0]; for (int i = 1; i < n; i++) s = a[i] > s ? a[i] : s; return s; }}")
    assert reducers(largest) == {"max"}


def test_a_count_is_a_sum_of_conditions() -> None:
    closed("int f(int n, double a[n]) { int c = 0; for (int i = 0; i < n; i++) if (a[i] > 2) c++; return c; }")


@pytest.mark.parametrize(
    "body",
    [
        "double s = 0; for (int i = 0; i < n; i++) s = s * 0.5 + a[i]; o[0] = s;",
        "double s = 1; for (int i = 0; i < n; i++) s = s * s - a[i]; o[0] = s;",
        "double s = 1; for (int i = 0; i < n; i++) s = a[i] - s; o[0] = s;",
        "double s = 1; for (int i = 0; i < n; i++) if (a[i] > s) s = b[i]; o[0] = s;",
        "double s = 1; for (int i = 0; i < n; i++) { s += a[i]; s *= b[i]; } o[0] = s;",
        "double s = 7; for (int i = 0; i < n; i++) { if (b[i] < 2) s = a[i]; o[i] = s; }",
    ],
)
def test_what_is_no_fold_stays_a_loop(body: str) -> None:
    summary = lifted(function_of(f"void f(int n, double a[n], double b[n], double o[n]) {{ {body} }}"))
    assert [variable for variable, _ in kept(summary.items)] == ["i"]


def test_a_sum_that_the_source_rounds_at_each_step_further_than_its_cell_is_none() -> None:
    loop = "for (int i = 0; i < n; i++)"
    rounded = f"void f(int n, double a[n], double o[1]) {{ {loop} o[0] = (float)o[0] + (float)a[i]; }}"
    assert kept(lifted(function_of(rounded)).items)
    truncated = f"float f(int n, float a[n]) {{ float s = 0; {loop} s = (int)(s + 0.5 * a[i]); return s; }}"
    assert kept(lifted(function_of(truncated)).items)
    factors = f"double f(int n, double a[n]) {{ double s = 1; {loop} s = (float)(s * a[i]); return s; }}"
    assert kept(lifted(function_of(factors)).items)


@pytest.mark.parametrize(
    ("step", "dtype", "reducer"),
    [
        ("s = (float)((double)s + a[i])", "f32", "sum"),
        ("s += b[i]", "f64", "sum"),
        ("s -= 0.5 * a[i]", "f64", "sum"),
        ("s += a[i]; s += b[i]", "f64", "sum"),
        ("if (a[i] > 0) s += a[i]; else s -= b[i]", "f64", "sum"),
        ("s *= a[i]; s *= 1.5", "f64", "prod"),
        ("s /= 1.0 + a[i]", "f64", "prod"),
        ("s = fmax(s, b[i])", "f64", "fmax"),
    ],
)
def test_a_float_folds_doubles_as_doubles_and_is_rounded_once(step: str, dtype: str, reducer: str) -> None:
    head = "#include <math.h>\nfloat f(int n, float a[n], double b[n])"
    summary = closed(f"{head} {{ float s = 1; for (int i = 0; i < n; i++) {{ {step}; }} return s; }}")
    assert folds(summary) == {(reducer, dtype)}


@pytest.mark.parametrize(
    "body",
    [
        "double m = NAN; for (int i = 0; i < n; i++) { if (b[i] > 0) m = fmax(m, a[i]); o[i] = m; }",
        "float m = NAN; for (int i = 0; i < n; i++) { if (b[i] > 0) m = fminf(m, a[i]); o[i] = m; }",
        "double m = NAN; for (int i = 0; i < n; i++) m = fmax(m, a[i]); o[0] = m;",
        "double m = NAN; for (int i = 0; i < n; i++) if (a[i] > m) m = a[i]; o[0] = m;",
    ],
)
def test_an_extreme_that_starts_from_a_nan_is_none_of_numbers(body: str) -> None:
    text = f"#include <math.h>\nvoid f(int n, double *a, double *b, double *o) {{ {body} }}"
    assert reducers(lifted(function_of(text))).isdisjoint({"max", "min", "fmax", "fmin"})
