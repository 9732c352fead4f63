"""What takes the place of a source in C is quicker by estimate, and is called from the sizes on at which it pays."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.proofs.certificate import seal_of
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

BUILD = LiftOptions(target="c", replaces=True, pays="reordered")

SLOWER = {
    "two loops for one": """void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) {
      y[2 * i] = x[2 * i]; y[2 * i + 1] = -x[2 * i + 1]; } }""",
    "an array that is copied": """void f(int n, float *x) { for (int i = 0; i < n / 2; i++) {
      float t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; } }""",
    "roots of all for roots of some": """#include <math.h>
      void f(int n, int m, const int *kind, const float *r, float x[n][m]) { for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) { if (kind[i] != 2) x[i][j] -= r[j];
        else if (r[j] >= 0) x[i][j] = sqrtf(r[j]) / x[i][j]; } }""",
    "a root for each cell": """#include <math.h>
      void f(int n, int m, double a[n][m]) { for (int i = 0; i < n; i++) { double s = 0;
      for (int j = 0; j < m; j++) s += a[i][j] * a[i][j];
      if (sqrt(s) > 1e-12) for (int j = 0; j < m; j++) a[i][j] /= sqrt(s); } }""",
    "no early end": """int f(int n, const float *x) {
      for (int i = 0; i < n; i++) if (x[i] > 0.5f) return i; return n; }""",
    "twice through all": """int f(int n, const float *x) { int at = 0; float best = x[0];
      for (int i = 1; i < n; i++) if (x[i] > best) { best = x[i]; at = i; } return at; }""",
    "a sum that is looked at": """double f(int n, const double *a) { double s = 0, best = 0;
      for (int i = 0; i < n; i++) { s += a[i]; if (s < 0) s = 0; if (s > best) best = s; } return best; }""",
    "the same": "void f(int n, double *y) { for (int i = 2; i < n; i++) y[i] = y[i] + 0.5 * y[i - 1] * y[i - 2]; }",
    "few": "static double a[8]; void f(const double *x) { for (int i = 0; i < 8; i++) a[i] = x[i] * x[i]; }",
}
QUICKER = {
    "scale": ("void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }", "n > 65536"),
    "rows": (
        """void f(int m, int n, double a[m][n]) {
      for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] += 1; }""",
        "(double)m * n > 65536",
    ),
    "a cell that is at hand": (
        """void f(int n, float *u, const float P[n][n], float Q[n][n], const float *w) { for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) { u[j] = P[i][j] * w[j]; Q[i][j] = u[j] + u[j] * u[j]; } }""",
        "(double)n * n > 65536",
    ),
    "what does not vary": (
        """void f(int n, const int *r, int *q) { for (int i = 0; i < n; i++) { int t = r[0]; q[i] = t % 97; } }""",
        "n > 65536",
    ),
    "a step of time": (
        """void f(int steps, int n, double *a, double *b) { for (int t = 0; t < steps; t++) {
      for (int i = 1; i < n - 1; i++) b[i] = a[i - 1] + a[i + 1];
      for (int i = 1; i < n - 1; i++) a[i] = b[i - 1] + b[i + 1]; } }""",
        "n > 65536",
    ),
    "exponentials": (
        """#include <math.h>
      void f(int n, const double x[n], double y[n]) { double t = 0;
      for (int j = 0; j < n; j++) { y[j] = exp(x[j]); t += y[j]; }
      for (int j = 0; j < n; j++) y[j] /= t; }""",
        "n > 65536",
    ),
    "exponentials of rows": (
        """#include <math.h>
      void f(int m, int n, const double x[m][n], double y[m][n]) { for (int i = 0; i < m; i++) { double t = 0;
      for (int j = 0; j < n; j++) { y[i][j] = exp(x[i][j]); t += y[i][j]; }
      for (int j = 0; j < n; j++) y[i][j] /= t; } }""",
        "(double)m * n > 65536",
    ),
    "sum": (
        "float f(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
        "n > 8192",
    ),
    "product": (
        """void f(int n, double A[n][n], double B[n][n], double C[n][n]) { for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }""",
        "(double)n * n * n > 4096",
    ),
    "average pool": (
        """void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { float s = 0;
      for (int j = 0; j < 49; j++) s += x[i * 49 + j]; y[i] = s / 49; } }""",
        "n > 4096",
    ),
}


def _function(text: str, options: LiftOptions = BUILD) -> FunctionRecord:
    (function,) = lift_source(source_from_text(text, "f.c"), options).functions
    return function


@pytest.mark.parametrize("name", SLOWER)
def test_what_is_no_quicker_by_estimate_stays(name: str) -> None:
    function = _function(SLOWER[name])
    assert "TL316" in {d.code for d in function.diagnostics}, function.program
    assert re.search(
        r"would be (slower: by estimate it takes [\d.]+ times as long|no quicker)", str(function.diagnostics)
    )


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", QUICKER)
def test_what_is_quicker_is_called_from_some_sizes_on(name: str) -> None:
    text, test = QUICKER[name]
    lines = [line.strip().removeprefix("if (").removeprefix("&& ").removesuffix(") {") for line in _wrapper(text)]
    assert test in lines
    assert ("on_threads()" in lines) == ("65536" in test)
    assert _function(text, LiftOptions(target="c", replaces=True)).program.count(test) < _function(text).program.count(
        test
    )


def test_a_condition_on_sizes_is_no_half_of_what_it_guards() -> None:
    lines = _wrapper(
        """void f(int n, int m, double u[m][n], const double h[m][n], double t, double d) {
      for (int j = 0; j < m; j++) for (int i = 1; i < n; i++) u[j][i] -= t / d * (h[j][i] - h[j][i - 1]); }"""
    )
    assert "      && on_threads()" in lines


def _wrapper(text: str) -> list[str]:
    program = _function(text).program
    return program[program.rindex("\n{") :].splitlines()


def test_the_checker_takes_a_test_of_sizes_alone() -> None:
    record = lift_source(source_from_text(QUICKER["rows"][0], "f.c"), BUILD)
    certificate = json.loads(record.to_json())["functions"][0]["certificate"]
    assert verify(certificate) == ()
    for test in ("(double)m * b > 65536", "(double)m * n > a[0]", "m / 0 > 1", "(n = 7) > 1", "m > 1 || g() > 1"):
        program = certificate["program"].replace("(double)m * n > 65536\n", f"{test}\n")
        assert program != certificate["program"]
        changed = {**certificate, "program": program}
        assert verify({**changed, "seal": seal_of(changed)}), test
    changed = {**certificate, "program": certificate["program"].replace("> 1 && !omp", "> 0 || omp")}
    assert changed != certificate
    assert verify({**changed, "seal": seal_of(changed)})


def test_sums_wait_where_the_file_says_so() -> None:
    text = QUICKER["average pool"][0]
    own, alike = (_function(text, LiftOptions(target="c", replaces=True, pays=how)) for how in ("reordered", "alike"))
    assert "n > 4096" in own.program
    assert "n > 65536" in alike.program  # for its threads
