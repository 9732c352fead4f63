"""Searches for the place of an extreme, lifted: the emitted text, and what it gives where values tie."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import numpy as np
import pytest
from bench.kernels import native
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lifts import lifted

from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.text import functions
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, Level, Verdict
from tensorlift.source import source_from_text

PLACES = "int k = 0; for (int i = 1; i < n; i++)"  # searches that keep the place alone
FROM_FIRST = "double best = v[0]; int k = 0; for (int i = 1; i < n; i++)"
TAKE = "{ best = v[i]; k = i; }"

# The body of a function of ``v``, ``w`` and the output ``o``, and what it becomes.
SEARCHES = {
    f"{FROM_FIRST} if (v[i] > best) {TAKE} return k;": "v.argmax().astype(np.int32)",
    f"{FROM_FIRST} if (v[i] < best) {TAKE} return k;": "v.argmin().astype(np.int32)",
    f"{FROM_FIRST} if (v[i] >= best) {TAKE} return k;": "(n - 1 - v[::-1].argmax()).astype(np.int32)",
    f"{FROM_FIRST} if (v[i] <= best) {TAKE} return k;": "(n - 1 - v[::-1].argmin()).astype(np.int32)",
    f"{FROM_FIRST.replace('i = 1', 'i = 0')} if (v[i] > best) {TAKE} return k;": "v.argmax().astype(np.int32)",
    f"{FROM_FIRST} if (v[i] > best) {TAKE} *o = best; return k;": "v.argmax().astype(np.int32)",
    f"{FROM_FIRST} if (v[2 * i] > best) {{ best = v[2 * i]; k = i; }} return k;": "v[::2].argmax().astype(np.int32)",
    "double best = v[0] * w[0]; int k = 0; for (int i = 1; i < n; i++) if (v[i] * w[i] < best)"
    "{ best = v[i] * w[i]; k = i; } return k;": "np.argmin(v * w).astype(np.int32)",
    "double best = fabs(v[0]); int k = 0; for (int i = 1; i < n; i++) { double t = fabs(v[i]);"
    "if (t > best) { best = t; k = i; } } return k;": "np.abs(v).argmax().astype(np.int32)",
    "double best = v[n - 1]; int k = n - 1; for (int i = n - 2; i >= 0; i--)"
    f"if (v[i] > best) {TAKE} return k;": "(n - 1 - v[::-1].argmax()).astype(np.int32)",
    "double best = 0.0; int k = -1; for (int i = 0; i < n; i++)"
    f"if (v[i] > best) {TAKE} return k;": "np.where(v.max() > 0.0, v.argmax().astype(np.int32), -1)",
    f"double best = -INFINITY; int k = -1; for (int i = 0; i < n; i++) if (v[i] > best) {TAKE} return k;":
        "v.argmax().astype(np.int32), -1)",
    f"{PLACES} if (v[i] > v[k]) k = i; return k;": "v.argmax().astype(np.int32)",
    f"{PLACES} if (v[k] > v[i]) k = i; return k;": "v.argmin().astype(np.int32)",
    f"{PLACES} if (v[i] >= v[k]) k = i; return k;": "(n - 1 - v[::-1].argmax()).astype(np.int32)",
    f"{PLACES} if (v[i] <= v[k]) k = i; return k;": "(n - 1 - v[::-1].argmin()).astype(np.int32)",
    f"{PLACES} if (fabs(v[i]) > fabs(v[k])) k = i; return k;": "np.abs(v).argmax().astype(np.int32)",
    f"{PLACES} if (*(v + i) > *(v + k)) k = i; return k;": "v.argmax().astype(np.int32)",
    f"{PLACES} k = v[i] < v[k] ? i : k; return k;": "v.argmin().astype(np.int32)",
    f"{PLACES} {{ if (v[i] <= v[k]) continue; k = i; }} return k;": "v.argmax().astype(np.int32)",
    f"{PLACES} if (v[i] * w[i] < v[k] * w[k]) k = i; return k;": "np.argmin(v * w).astype(np.int32)",
    f"{PLACES} if (v[i] > v[k]) k = i; *o = v[k]; return k;": "v.argmax().astype(np.int32)",
    "int k, i; for (k = 0, i = 1; i < n; i++) if (v[i] > v[k]) k = i; return k;": "v.argmax().astype(np.int32)",
    "int k = n - 1; for (int i = n - 2; i >= 0; i--) if (v[i] > v[k]) k = i; return k;":
        "(n - 1 - v[::-1].argmax()).astype(np.int32)",
    "int k = n / 2; for (int i = 0; i < n; i++) if (v[i] > v[k]) k = i; return k;":
        "np.where(v.max() > v[n_div_2], v.argmax().astype(np.int32), n_div_2)",
}  # fmt: skip


def source(body: str) -> str:
    """Return a function with the parameters that its body uses."""
    others = [p for p, use in (("const double *w", "w["), ("double *o", "*o")) if use in body]
    return f"#include <math.h>\nint f({', '.join(['int n', 'const double *v', *others])}) {{ {body} }}\n"


def lift(text: str, target: str = "numpy", verdict: Verdict = Verdict.LOOP_FREE, **options: Any) -> FunctionRecord:
    record = lifted(source_from_text(text, "f.c"), LiftOptions(("f",), target=target, **options))
    (function,) = record.functions
    assert function.verdict is verdict, function.diagnostics
    assert function.level is Level.PROVED
    return function


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("body", SEARCHES)
def test_a_search_becomes_one_operation(body: str) -> None:
    assert SEARCHES[body] in lift(source(body)).program


def _run(function: FunctionRecord, arguments: dict[str, Any]) -> Any:
    space: dict[str, Any] = {}
    exec(function.program, space)
    return space["f"](**arguments)


@pytest.mark.parametrize("body", [b for b in SEARCHES if "2 * i" not in b])
def test_ties_are_broken_as_the_loop_breaks_them(body: str) -> None:
    """Contents are few small numbers, so that almost every extreme is there several times."""
    (read,) = read_c(source(body), "f.c")
    assert read.module is not None
    interpreter = Interpreter(functions(read.module)[0])
    function = lift(source(body))
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = int(rng.integers(1, 9))
        arrays = {name: rng.choice([-2.0, -1.0, -0.0, 0.0, 1.0], n) for name in "vw" if re.search(rf"\b{name}\b", body)}
        output = np.zeros(())
        expected = interpreter({"n": n, **arrays, **({"o": output} if "*o" in body else {})}).value
        results = _run(function, arrays)
        place = results[-1] if isinstance(results, tuple) else results
        assert place == expected
        assert np.asarray(place).dtype == np.int32
        if isinstance(results, tuple):
            assert results[0] == output


@pytest.mark.skipif(native.compiler() is None, reason="no C compiler")
def test_compiled_originals_agree_too() -> None:
    functions_of_rows = """void f(int m, int n, const int A[m][n], long k[m], int best[m]) {
      for (int r = 0; r < m; r++) { int b = A[r][0]; long at = 0;
        for (long i = 1; i < n; i++) if (A[r][i] >= b) { b = A[r][i]; at = i; }
        k[r] = at; best[r] = b; } }"""
    function = lift(functions_of_rows, test=True)
    assert "A[:, ::-1].argmax(axis=1)" in function.program
    assert function.tests
    assert all(trial.passed for trial in function.tests)


# Searches for the latest index that meets a condition, and what they become.
RISING, FALLING = "for (int i = 0; i < n; i++)", "for (int i = n - 1; i >= 0; i--)"
LATEST = {
    f"int k = -1; {RISING} if (v[i] > 0) k = i; return k;": "np.arange(n), -9223372036854775808).max(",
    f"int k = -1; {RISING} k = v[i] > 0 ? i : k; return k;": "np.arange(n), -9223372036854775808).max(",
    f"int k = n; {FALLING} if (v[i] == w[i]) k = i; return k;": "(mask, np.arange(n), 9223372036854775807).min(",
    f"int k = n / 2; {RISING} if (v[i] >= 0) k = 2 * i; return k;": "2 * np.arange(n), -9223372036854775808).max(",
}


@pytest.mark.skipif(native.compiler() is None, reason="no C compiler")
@pytest.mark.parametrize("body", LATEST)
def test_the_latest_index_that_meets_a_condition_has_no_loop(body: str) -> None:
    function = lift(source(body), test=True)
    assert LATEST[body] in function.program
    assert function.tests
    assert all(trial.passed for trial in function.tests)
    (read,) = read_c(source(body), "f.c")
    assert read.module is not None
    interpreter = Interpreter(functions(read.module)[0])
    rng = np.random.default_rng(7)
    for _ in range(40):
        n = int(rng.integers(1, 7))
        arrays = {name: rng.integers(-2, 2, n).astype(np.float64) for name in "vw" if f"{name}[" in body}
        assert _run(function, arrays) == interpreter({"n": n, **arrays}).value


COLUMNS = """#include <math.h>
void f(int m, int n, const double A[m][n], int p[n], int q[n]) {
  for (int j = 0; j < n; j++) {
    int k = 0;
    for (int i = 1; i < m; i++) if (A[i][j] >= A[k][j]) k = i;
    p[j] = k;
    int d = j;
    for (int i = j + 1; i < m; i++) if (fabs(A[i][j]) > fabs(A[d][j])) d = i;
    q[j] = d;
  }
}
"""


@pytest.mark.skipif(native.compiler() is None, reason="no C compiler")
def test_pivots_of_columns_read_nothing_where_the_search_is_empty() -> None:
    """Rows may be fewer than columns: from there on a search from the diagonal has no value to start from."""
    function = lift(COLUMNS, test=True)
    assert "A[::-1].argmax(axis=0)" in function.program
    assert function.tests
    assert all(trial.passed for trial in function.tests)
    assert not [c.text for c in function.preconditions if "<=" in c.text]
    p, q = _run(function, {"A": np.array([[1.0, -3.0, 2.0], [-1.0, 3.0, 2.0]])})
    assert (p.tolist(), q.tolist()) == ([0, 1, 1], [0, 1, 2])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0]), min_size=1, max_size=9), st.sampled_from([">", "<="]))
def test_places_alone_are_those_that_the_loop_finds(values: list[float], comparison: str) -> None:
    k = 0
    for i in range(1, len(values)):
        if (values[i] > values[k]) if comparison == ">" else (values[i] <= values[k]):
            k = i
    assert _run(_place_alone(comparison), {"v": np.array(values)}) == k


@cache
def _place_alone(comparison: str) -> FunctionRecord:
    return lift(source(f"{PLACES} if (v[i] {comparison} v[k]) k = i; return k;"))


STAYS = {
    "the array is written": ("w[i] = 0; if (v[i] > v[k]) k = i;", "", Verdict.UNCHANGED),
    "the place is moved too": ("if (v[i] > v[k]) k = i; else k++;", "", Verdict.UNCHANGED),
    "a cell is kept that the loop does not read": ("if (v[i] > v[k]) k = i + 1;", "", Verdict.UNCHANGED),
    "the place is cut": ("k = (unsigned char)(v[i] > v[k] ? i : k);", "", Verdict.UNCHANGED),
    "the array is written before the place is read": (
        "if (v[i] > v[k]) k = i;",
        "w[0] = 1; *o = v[k];",
        Verdict.LOOP_FREE,
    ),
    "the place is set anew": ("if (v[i] > v[k]) k = i;", "k = n - 1 - k; *o = v[k];", Verdict.REFUSED),
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("case", STAYS)
def test_a_place_at_which_nothing_is_known_is_not_that_of_the_greatest(case: str) -> None:
    step, after, verdict = STAYS[case]
    text = f"int f(int n, double *v, double *w, double *o) {{ {PLACES} {{ {step} }} {after} return k; }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(("f",), test=True)).functions
    assert function.verdict is verdict
    assert "argmax" not in function.program
    assert [item.code for item in function.diagnostics] == (["TL130"] if verdict is Verdict.REFUSED else [])
    assert all(report.passed for report in function.tests)


DIVIDES = {
    "a quotient under its guard": "if (d != 0 && v[i] / d > v[k] / d) k = i;",
    "a remainder under its guard": "if (d > 0) { if (v[i] % d < v[k] % d) k = i; }",
}


@pytest.mark.parametrize("step", DIVIDES.values(), ids=DIVIDES)
def test_nothing_is_divided_by_zero_where_its_guard_does_not_hold(step: str) -> None:
    text = f"int f(int n, int d, const int v[n]) {{ int k = 0; for (int i = 0; i < n; i++) {{ {step} }} return k; }}"
    function = lift(text, verdict=Verdict.UNCHANGED)
    values = np.array([5, 8, 2], dtype=np.int32)
    with np.errstate(all="raise"):
        assert _run(function, {"d": 0, "v": values}) == 0
        assert _run(function, {"d": 4, "v": values}) == 1


def test_a_place_before_a_loop_whose_bound_is_set_with_its_counter_is_found() -> None:
    text = """int f(int n, const double v[n]) { int m = 0, k = 1, i;
        for (i = 2, m = n; i < m; i++) if (v[i] > v[k]) k = i; return k; }"""
    function = lift(text)
    assert _run(function, {"v": np.array([9.0, 1.0, 3.0, 2.0])}) == 2
    assert _run(function, {"v": np.array([9.0, 5.0, 3.0, 5.0])}) == 1


BODY = next(iter(SEARCHES))


@pytest.mark.parametrize("target", ["linalg", "c"])
def test_targets_without_the_operation_look_for_the_extreme_first(target: str) -> None:
    """Not anew for each cell: one fold comes after the other."""
    program = lift(source(BODY), target).program
    if target == "linalg":
        assert program.index("arith.maximumf") < program.index("arith.minsi")
    else:
        assert program.count("for (") == 2
        assert "      for (" not in program
        assert program.index("-INFINITY") < program.index("9223372036854775807")


def test_stablehlo_has_it_for_given_sizes() -> None:
    program = lift(source(BODY), "stablehlo", sizes=(("n", 8),)).program
    assert program.index("stablehlo.maximum") < program.index("stablehlo.iota")


def test_last_places_among_some_points_of_a_row_start_from_the_least_integer() -> None:
    """Its magnitude is no integer of 64 bits."""
    text = """void f(int m, int n, const double A[m][n], int k[m]) {
      for (int r = 0; r < m; r++) { double b = 0; int at = -1;
        for (int i = 0; i < n; i++) if (i <= r && A[r][i] >= b) { b = A[r][i]; at = i; }
        k[r] = at; } }"""
    function = lift(text)
    assert ", -9223372036854775808)" in function.program
    values = np.array([[-1.0, 5.0], [2.0, 2.0], [0.0, -1.0]])
    assert _run(function, {"A": values}).tolist() == [-1, 1, 0]


def test_a_place_that_no_cell_has_is_not_taken_for_the_first() -> None:
    """Where there may be no other cell, NumPy has no position."""
    text = source(f"double best = v[0]; int k = 3; for (int i = 1; i < n; i++) if (v[i] > best) {TAKE} return k;")
    function = lift(text)
    for values, expected in (([1.0], 3), ([2.0, 1.0], 3), ([1.0, 2.0, 2.0], 1)):
        assert _run(function, {"v": np.array(values)}) == expected


BOX = """void box(int h, int w, const double *d, int o[4]) {
  int left = w, top = h, right = 0, bottom = -1;
  for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) if (d[y*w + x] > 0) {
    left = x < left ? x : left; top = y < top ? y : top;
    if (right < x) right = x;
    if (y >= bottom) bottom = y;
  }
  o[0] = left; o[1] = top; o[2] = right; o[3] = bottom;
}"""


def test_rows_and_columns_that_meet_a_condition_are_bounded() -> None:
    (found,) = lift_source(source_from_text(BOX, "f.c"), LiftOptions(test=True)).functions
    assert (found.verdict, found.definitions) == (Verdict.LOOP_FREE, Level.PROVED), found.diagnostics
    assert all(trial.passed for trial in found.tests)
    for wrong in ("y + 1", "y - x"):  # not what is compared
        text = BOX.replace("if (y >= bottom) bottom = y", f"if (y >= bottom) bottom = {wrong}")
        (other,) = lift_source(source_from_text(text, "f.c"), LiftOptions(test=True)).functions
        assert other.verdict is not Verdict.LOOP_FREE
        assert all(trial.passed for trial in other.tests)
