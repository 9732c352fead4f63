"""Preconditions are complete, as weak as is known, and each has the place in the source that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift import lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.contract.interface import Precondition


def of(text: str) -> dict[str, Precondition]:
    (function,) = lift(text).functions
    return {p.text: p for p in function.preconditions}


def texts(text: str) -> set[str]:
    return set(of(text))


GEMM = """void gemm(int M, int N, int K, const double *A, int lda, const double *B, double *C) {
  for (int i = 0; i < M; i++)
    for (int k = 0; k < K; k++)
      for (int j = 0; j < N; j++)
        C[i*N + j] += A[i*lda + k] * B[k*N + j];
}
"""


def test_each_has_kind_reason_and_place() -> None:
    found = of(GEMM)
    places = {text: (p.kind, p.location.line if p.location else 0) for text, p in found.items()}
    assert places["K <= lda"] == ("stride", 5)
    assert places["C shares no memory with A, B"] == ("no-overlap", 5)
    assert {p.kind for p in found.values()} <= {"size", "stride", "no-overlap"}
    assert all(p.reason and str(p.condition) == p.text for p in found.values())


def test_sizes_come_from_the_loops_that_count_them() -> None:
    lines = {p.text[0]: p.location.line for p in of(GEMM).values() if p.kind == "size" and p.location}
    assert all({"M": 2, "K": 3, "N": 4}[name] == line for name, line in lines.items())


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("c[i] = a[i] + b[i];", "c shares no memory with a, b, unless it is the same array"),
        ("c[i] = a[n - 1 - i] + b[i];", "c shares no memory with a"),
        ("c[n - 1 - i] = a[n - 1 - i];", "c shares no memory with a, unless it is the same array"),
        ("if (b[i] > 0) c[i] = a[i];", "c shares no memory with a, b, unless it is the same array"),
        ("c[i] = 1; c[i] += a[i];", "c shares no memory with a"),
    ],
)
def test_the_same_array_is_allowed_where_reads_come_before_writes(body: str, condition: str) -> None:
    found = texts(f"void f(int n, double *c, double *a, double *b) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    assert condition in found


def test_another_element_type_is_never_the_same_array() -> None:
    source = "void f(int n, float *c, double *a) { for (int i = 0; i < n; i++) c[i] = a[i]; }"
    assert "c shares no memory with a" in texts(source)


def test_arrays_read_before_the_first_write_may_overlap() -> None:
    source = """double f(int n, double *c, double *a) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  for (int i = 0; i < n; i++) c[i] = s;
  return s;
}"""
    assert not any("memory" in text for text in texts(source))


def test_an_outer_loop_brings_reads_after_writes() -> None:
    source = """void f(int n, int m, double *c, double *a) {
  for (int k = 0; k < m; k++)
    for (int i = 0; i < n; i++) c[i] = c[i] * 2 + a[i];
}"""
    assert "c shares no memory with a" in texts(source)


@pytest.mark.parametrize("qualified", ["double *restrict c, double *a", "double *c, double *restrict a"])
def test_restrict_on_either_side_is_enough(qualified: str) -> None:
    source = f"void f(int n, {qualified}) {{ for (int i = 1; i < n; i++) c[i] = c[i - 1] + a[i]; }}"
    assert not any("memory" in text for text in texts(source))


def test_what_another_condition_implies_is_left_out() -> None:
    source = "void f(int n, double *a) { a[0] = 1; a[n - 3] = 2; for (int i = 0; i < n; i++) a[i] += 1; }"
    assert texts(source) == {"n >= 3"}


def test_what_holds_by_definition_is_left_out() -> None:
    source = """float f(int n, const float *a) {
  float s = 0;
  int i;
  for (i = 0; i + 3 < n; i += 4) s += a[i] + a[i + 1] + a[i + 2] + a[i + 3];
  for (; i < n; i++) s += a[i];
  return s;
}"""
    assert all("div" not in text and "//" not in text for text in texts(source))


@pytest.mark.parametrize(
    ("head", "body", "condition"),
    [
        ("int k, int n, double *a", "for (int i = 0; i < n; i++) a[k * n + i] = 0;", "k >= 0"),
        ("int last, double *a", "for (int i = 0; i <= last; i++) a[i] = 0;", "last >= -1"),
        ("int first, int n, double *a", "for (int i = first; i < n; i++) a[i] = 0;", "first >= 0"),
        ("int n, double *a", "for (int i = 0; i < n; i++) a[i] = 0;", "n >= 0"),
        ("int n, double *a", "for (int i = 1; i < n; i++) a[i] = a[i - 1];", "n >= 0"),
        ("int n, int m, double *a", "for (int i = 0; i < n + m; i++) a[i] = 0;", "m + n >= 0"),
    ],
)
def test_counted_sizes_are_not_negative(head: str, body: str, condition: str) -> None:
    assert condition in texts(f"void f({head}) {{ {body} }}")


OBJECTS = """struct state { double a[8], b[8]; double t; double *p; };
static double total, w[8];
double *pointer;
struct state one;
void f(struct state *m, double *x) {
  for (int i = 0; i < 8; i++) { m->a[i] = m->b[7 - i] + m->t + m->p[i]; x[i] = one.b[7 - i]; }
}
void g(void) {
  total = 0;
  for (int i = 0; i < 8; i++) { total += w[i]; one.a[i] = one.b[7 - i] + pointer[7 - i]; }
}
"""


def test_globals_and_members_of_one_structure_are_objects_of_their_own() -> None:
    f, g = lift(OBJECTS).functions
    memory = [[p.text for p in function.preconditions if p.kind == "no-overlap"] for function in (f, g)]
    assert memory == [
        [
            "m_a shares no memory with x, one_b",
            "m_a shares no memory with m_p, unless it is the same array",
            "x shares no memory with m_b, m_t, one_b",
            "x shares no memory with m_p, unless it is the same array",
        ],
        ["total shares no memory with pointer", "one_a shares no memory with pointer"],
    ]


@pytest.mark.parametrize(
    ("statement", "stated"),
    [
        ("y[i] = x[ix[i]];", {"0 <= ix < x.shape[0]"}),
        ("y[i] = x[ix[i] - 3];", {"0 <= ix - 3 < x.shape[0]"}),
        ("y[i] = x[ix[i]] + x[ix[i] + 1];", {"0 <= ix < x.shape[0]", "0 <= ix + 1 < x.shape[0]"}),
        ("if (i > 0) y[i] = x[ix[i]];", {"every place at which x is read is inside of it"}),
        ("y[i] = x[ix[i] * 2];", {"every place at which x is read is inside of it"}),
        ("y[i] = t[b[i]];", set[str]()),
        ("y[i] = t[ix[i] & 255];", set[str]()),
        ("y[i] = t[b[i] + 1];", {"every place at which t is read is inside of it"}),
    ],
)
def test_places_that_depend_on_data_are_inside(statement: str, stated: set[str]) -> None:
    parameters = "int n, const int *ix, const unsigned char *b, const double *x, const double t[256], double *y"
    found = of(f"void f({parameters}) {{\n  for (int i = 0; i < n; i++)\n    {statement}\n}}")
    inside = {text for text in found if "inside" in text or text.startswith("0 <=")}
    assert inside == stated
    assert {p.location.line for text, p in found.items() if text in inside and p.location} <= {3}


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("a[n] -= a[i] & 1;", "n >= 0"),
        ("a[n] = i;", "n >= 0"),
        ("a[n + 2] += a[i];", "n >= -2"),
        ("s += a[n];", "n >= 0"),
    ],
)
def test_a_cell_behind_those_of_a_loop_that_may_not_run_is_there(body: str, condition: str) -> None:
    text = f"int f(int n, int *a) {{ int s = 0; for (int i = 1; i < n - 1; i++) {{ {body} }} return s; }}"
    assert condition in texts(text)


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("condition", "is_kept"),
    [
        ("0 <= k < n", True),
        ("k >= 0 and n > k", True),
        ("not (k < 0 or k > n - 1)", True),
        ("k > -1 and k <= n - 2", True),
        ("0 <= k <= n", False),
        ("k < n", False),
        ("k >= -1 and k < n", False),
        ("k >= 0 or k < n", False),
    ],
)
def test_a_place_that_its_condition_keeps_inside_has_no_precondition(
    condition: str,
    is_kept: bool,  # noqa: FBT001 - a parameter
) -> None:
    source = f"""\
import numpy as np
def f(x: 'int64[:]', n: int):
    r = np.zeros(n)
    for i in range(len(x)):
        k = x[i]
        if {condition}:
            r[k] += 1
    return r
"""
    (function,) = lift_source(source_from_text(source, "k.py"), LiftOptions()).functions
    stated = [precondition.text for precondition in function.preconditions]
    assert function.lifted, function.diagnostics
    assert any("inside of it" in text or "0 <= x" in text for text in stated) != is_kept, stated
