"""Scratch memory from the heap is a local array; arrays that change places exchange their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

_HEAD = "#include <stdlib.h>\n#include <string.h>\n"
_STEP = "for (int i = 1; i < n - 1; i++) b[i] = 0.5 * (a[i - 1] + a[i + 1]);"
_STATE = "double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), *t;"
_COPY = "for (int i = 0; i < n; i++) { a[i] = u[i]; b[i] = u[i]; }"

LIFTED = {
    "a product of sizes": (
        ("void f(int n, int m, const double *x, double *y) { double *t = malloc(n * m * sizeof(double));"
        "  if (!t) return;"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[i * m + j] = 2.0 * x[i * m + j];"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * m + j] = t[i * m + j] + x[i * m + j];"
        "  free(t); }"),
        "return 2.0 * x + x",
    ),
    "zeros, declared before, checked together": (
        ("int f(int n, int m, const float *x, float *y) { float *a, *b; a = (float *)calloc(m, sizeof *a);"
        "  b = (float *)calloc(m, sizeof(float)); if (a == NULL || NULL == b) return -1;"
        "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) { a[j] += x[i * m + j]; b[j] -= x[i * m + j]; }"
        "  for (int j = 0; j < m; j++) y[j] = a[j] * b[j]; free(a); free(b); return 0; }"),
        "x.sum(axis=0)",
    ),
    "in every iteration": (
        ("void f(int n, int m, double *x) { for (int i = 0; i < n; i++) { double *row = malloc(m * sizeof(double));"
        "  for (int j = 0; j < m; j++) row[j] = x[i * m + j];"
        "  for (int j = 0; j < m; j++) x[i * m + j] = row[m - 1 - j]; free(row); } }"),
        "return x[:, ::-1].copy()",
    ),
    "states that change places": (
        (f"void f(int n, int steps, double *u) {{ {_STATE} {_COPY}"
        f"  for (int s = 0; s < steps; s++) {{ {_STEP} t = a; a = b; b = t; }}"
        "  for (int i = 0; i < n; i++) u[i] = a[i]; free(a); free(b); }"),
        "b[1:-1] = 0.5 * (a[:-2] + a[2:])",
    ),
    "states of which less is used later": (
        (f"void f(int n, int steps, double *u) {{ {_STATE} {_COPY} n = n - 1;"
        f"  for (int s = 0; s < steps; s++) {{ {_STEP} t = a; a = b; b = t; }}"
        "  for (int i = 0; i < n; i++) u[i] = a[i]; }"),
        "b[1:-2] = 0.5 * (a[:-3] + a[2:-1])",
    ),
    "memory for one of two lengths": (
        ("void f(int n, double *x) { double *t; if (n > 8) t = malloc(n * sizeof *t); else t = malloc(8 * sizeof *t);"
        "  for (int i = 0; i < n; i++) t[i] = x[i]; for (int i = 0; i < n; i++) x[i] = 2 * t[i]; free(t); }"),
        "return 2.0 * x",
    ),
}  # fmt: skip

REFUSED = {
    "memory that grows": (
        ("void f(int n, double *x) { double *t = malloc(n * sizeof *t); t = realloc(t, 2 * n * sizeof *t);"
        "  for (int i = 0; i < n; i++) { t[i] = x[i]; x[i] = 2 * t[i]; } free(t); }"),
        "TL151",
    ),
    "memory for one of two values": (
        ("void f(int n, int k, double *x) { double *t; if (k) t = malloc(n * sizeof *t); else t = calloc(n, sizeof *t);"
        "  for (int i = 1; i < n; i++) t[i] = x[i]; for (int i = 0; i < n; i++) x[i] = 2 * t[i]; free(t); }"),
        "TL136",
    ),
    "memory that nothing was written to": (
        "void f(int n, double *x) { double *t = malloc(n * sizeof *t); x[0] = t[0]; free(t); }", "TL204",
    ),
    "an access behind the memory": (
        ("void f(int n, double *x) { double *t = malloc(n * sizeof *t); for (int i = 0; i <= n; i++) t[i] = x[i];"
        "  for (int i = 0; i <= n; i++) x[i] = t[i]; free(t); }"),
        "TL134",
    ),
    "another pointer knows a state that changes places": (
        (f"void f(int n, int steps, double *u) {{ {_STATE} double *first = a; {_COPY}"
        f"  for (int s = 0; s < steps; s++) {{ {_STEP} t = a; a = b; b = t; }}"
        "  for (int i = 0; i < n; i++) u[i] = first[i]; free(a); free(b); }"),
        "TL137",
    ),
    "the saved pointer is used": (
        (f"void f(int n, int steps, double *u) {{ {_STATE} {_COPY}"
        f"  for (int s = 0; s < steps; s++) {{ {_STEP} t = a; a = b; b = t; }}"
        "  for (int i = 0; i < n; i++) u[i] = t[i]; }"),
        "TL137",
    ),
    "states of parameters": (
        ("void f(int n, int steps, double *a, double *b) { double *t;"
        f"  for (int s = 0; s < steps; s++) {{ {_STEP} t = a; a = b; b = t; }} }}"),
        "TL137",
    ),
}  # fmt: skip


def _lift(source: str, *, test: bool = False) -> FunctionRecord:
    (function,) = lift_source(source_from_text(_HEAD + source, "k.c"), LiftOptions(test=test)).functions
    return function


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", LIFTED)
def test_scratch_memory_is_a_local_array(name: str) -> None:
    source, line = LIFTED[name]
    record = _lift(source, test=True)
    assert record.lifted, record.diagnostics
    assert line in record.program
    assert [report.passed for report in record.tests] == [True, True]


def test_memory_for_one_of_two_lengths_is_long_enough() -> None:
    record = _lift(
        "void f(int n, double *x) { double *t; if (n > 8) t = malloc(n * sizeof *t); else t = malloc(4 * sizeof *t);"
        "  for (int i = 0; i < n; i++) t[i] = x[i]; for (int i = 0; i < n; i++) x[i] = 2 * t[i]; free(t); }",
        test=True,
    )
    assert [condition.text for condition in record.preconditions] == ["n >= 0", "n <= 4"]
    assert record.restricted
    assert [report.passed for report in record.tests] == [True, True]


@pytest.mark.parametrize("name", REFUSED)
def test_other_memory_is_refused(name: str) -> None:
    source, code = REFUSED[name]
    record = _lift(source)
    assert not record.lifted
    assert record.diagnostics[0].code.startswith(code)
    assert record.diagnostics[0].location is not None
    assert record.diagnostics[0].remedy
