"""A lift is compared with the literal reading of its source, so that a front end that misreads is found out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from tensorlift.frontends.c.reader import parse_c
from tensorlift.ir.function import FunctionView, functions
from tensorlift.ir.literal_interpreter import LiteralInterpreter, UndefinedError
from tensorlift.languages.c import read_parsed_c as read_parsed
from tensorlift.pipeline import LiftOptions, lift_read, lift_source
from tensorlift.readers.clang import literal_module_of
from tensorlift.record import FunctionRecord, Verdict
from tensorlift.runtime.literal import LiteralRun
from tensorlift.source import source_from_text

_BRANCHES = 1000
_MEAN = "double f(int n, const double *x) {{ double s = 0; for (int i = 0; i < n; i++) s += {}; return s; }}\n"


def _run_of(text: str, name: str = "f") -> LiteralRun:
    parsed = parse_c(text, "f.c")
    (read,) = read_parsed(parsed, name)
    module = literal_module_of(parsed, name)
    assert read.module is not None, read.diagnostics
    run = LiteralRun.of(FunctionView(functions(read.module)[0]), LiteralInterpreter(module))
    assert run is not None
    return run


def _lift_misread(meant: str, misread: str) -> FunctionRecord:
    """Lift a text of which the front end makes what another says."""
    parsed, other = parse_c(meant, "f.c"), parse_c(misread, "f.c")

    def read() -> list[Any]:
        literally = partial(literal_module_of, parsed, "f")
        return [replace(f, literally=literally) for f in read_parsed(other)]

    return lift_read(source_from_text(meant, "f.c"), LiftOptions(), read).functions[0]


@pytest.mark.parametrize(
    ("meant", "misread"),
    [
        (_MEAN.format("x[i]"), _MEAN.format("x[i] * 1.001")),
        (_MEAN.format("x[i] > 0 ? x[i] : 0"), _MEAN.format("x[i]")),
        (
            "void f(int n, int *a) { for (int i = 0; i < n; i++) { if (a[i] == 2) break; a[i] = 7; } }\n",
            "void f(int n, int *a) { for (int i = 0; i < n; i++) { if (a[i] == 2) continue; a[i] = 7; } }\n",
        ),
        (
            "void f(int n, signed char *a) { for (int i = 0; i < n; i++) a[i] = a[i] * 3 / 2; }\n",
            "void f(int n, signed char *a) { for (int i = 0; i < n; i++) a[i] = (signed char)(a[i] * 3) / 2; }\n",
        ),
        (
            "void f(int n, unsigned *a) { for (int i = 0; i < n; i++) a[i] = a[i] / 3; }\n",
            "void f(int n, unsigned *a) { for (int i = 0; i < n; i++) a[i] = (int)a[i] / 3; }\n",
        ),
    ],
    ids=["factor", "condition", "break", "narrowed early", "signed"],
)
def test_a_misread_function_is_refused(meant: str, misread: str) -> None:
    record = _lift_misread(meant, misread)
    assert record.verdict is Verdict.REFUSED
    assert [d.code for d in record.diagnostics] == ["TL901"]


def test_a_function_that_is_read_rightly_is_lifted() -> None:
    assert _lift_misread(_MEAN.format("x[i]"), _MEAN.format("x[i]")).verdict is Verdict.LOOP_FREE


def test_an_unstable_sum_does_not_hide_a_misread_one() -> None:
    """Sums whose last bits decide a comparison are not counted, unless the loop IR itself differs."""
    text = (
        "int f(int n, const double *x) {{ double s = 0; for (int i = 0; i < n; i++) s += x[i] / 3; return s {} n; }}\n"
    )
    assert _lift_misread(text.format("<"), text.format(">")).verdict is Verdict.REFUSED


def test_rows_with_gaps_are_laid_out_as_c_has_them() -> None:
    text = """
void f(int n, int m, int ld, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i * ld + j] += 10 * i + j;
}
"""
    run = _run_of(text)
    assert [p.extents is not None for p in run.view.parameters if p.role == "array"] == [True]
    a = np.zeros((2, 3))
    after, value = run({"n": 2, "m": 3, "ld": 5, "a": a}, _BRANCHES)
    assert value is None
    np.testing.assert_array_equal(after["a"], [[0, 1, 2], [10, 11, 12]])
    np.testing.assert_array_equal(a, np.zeros((2, 3)))


def test_variables_at_file_scope_have_the_values_of_their_parameters() -> None:
    run = _run_of("unsigned gain; int seen[4];\nunsigned f(int k) { seen[k] += 1; return gain * seen[k]; }\n")
    seen = np.array([5, 6, 7, 8], np.int32)
    after, value = run({"k": 2, "gain": 2**32 - 1, "seen": seen}, _BRANCHES)
    np.testing.assert_array_equal(after["seen"], [5, 6, 8, 8])
    assert value == np.uint32(2**32 - 8)


def test_members_of_structures_have_the_values_of_their_parameters() -> None:
    run = _run_of(
        "struct s { int n; double *x; double sum[1]; };"
        " void f(struct s *p) { p->sum[0] = 0; for (int i = 0; i < p->n; i++) p->sum[0] += p->x[i]; }\n"
    )
    after, _ = run({"p_n": 3, "p_x": np.array([1.0, 2.0, 4.0]), "p_sum": np.zeros(1)}, _BRANCHES)
    np.testing.assert_array_equal(after["p_sum"], [7])


def test_the_members_of_an_array_of_structures_are_arrays() -> None:
    run = _run_of(
        "struct s { float a, b[2]; };"
        " void f(struct s *p, int n) { for (int i = 0; i < n; i++) p[i].a = p[i].b[0] - p[i].b[1]; }\n"
    )
    b = np.array([[5, 3], [7, 1]], np.float32)
    after, _ = run({"p_a": np.zeros(2, np.float32), "p_b": b, "n": 2}, _BRANCHES)
    np.testing.assert_array_equal(after["p_a"], [2, 6])


def test_a_table_of_row_pointers_has_the_rows_of_its_parameter() -> None:
    run = _run_of("void f(int n, int m, int **a) { for (int i = 0; i < n; i++) a[i][m - 1] = i + m; }\n")
    after, _ = run({"n": 2, "m": 3, "a": np.zeros((2, 3), np.int32)}, _BRANCHES)
    np.testing.assert_array_equal(after["a"], [[0, 0, 3], [0, 0, 4]])


def test_a_read_behind_the_end_of_a_row_stops_the_run() -> None:
    run = _run_of(
        "double f(int n, double **a, int k) { for (int i = 0; i < n; i++) a[i][n - 1] = k; return a[0][k]; }\n"
    )
    arguments = {"n": 2, "a": np.ones((2, 2)), "k": 1}
    assert run(arguments, _BRANCHES)[1] == 1
    with pytest.raises(UndefinedError):
        run({**arguments, "k": 2}, _BRANCHES)


def test_numbers_keep_their_types() -> None:
    run = _run_of("float f(float x, unsigned char c, short s) { return x + c + s; }\n")
    _, value = run({"x": np.float32(0.5), "c": 255, "s": -3}, _BRANCHES)
    assert value == np.float32(252.5)
    assert isinstance(value, np.float32)


def test_a_size_that_its_type_does_not_hold_stops_the_run() -> None:
    run = _run_of("void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 0; }\n")
    with pytest.raises(UndefinedError, match="n cannot be 2147483653"):
        run({"n": 2**31 + 5, "x": np.zeros(3)}, _BRANCHES)


def test_what_c_leaves_undefined_stops_the_run() -> None:
    with pytest.raises(UndefinedError, match="overflows"):
        _run_of("int f(int a) { return a + 1; }\n")({"a": 2**31 - 1}, _BRANCHES)


_BOUNDED = [
    "for (int i = 0; i < n; i++) x[i] += i > k ? i : k;",
    "for (int i = 0; i + k < n; i++) x[i] = x[i + k];",
    "for (int i = 0; i < k; i++) x[i] = (unsigned char)(i + k);",
]
_CONVERTED = ["for (int i = k; i < n; i++) x[i] = k;", "for (int i = 0; i < n; i++) x[2 * i + k] = k;"]


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("ctype", "most", "body"),
    [
        *(("_Bool", 1, body) for body in _BOUNDED + _CONVERTED),
        *(("unsigned char", 255, body) for body in _BOUNDED + _CONVERTED),
        *(("signed char", 127, body) for body in _BOUNDED),
        *(("short", 32767, body) for body in _BOUNDED),
    ],
)
def test_a_size_has_the_range_of_its_type(ctype: str, most: int, body: str) -> None:
    text = f"void f(int n, {ctype} k, double *x) {{ {body} }}\n"
    (record,) = lift_source(source_from_text(text, "f.c"), LiftOptions(test=True)).functions
    assert record.lifted, record.diagnostics
    assert f"k <= {most}" in [row.text for row in record.preconditions]
