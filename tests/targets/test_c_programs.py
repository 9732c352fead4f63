"""Programs in C: as they are kept, proved from their text alone, refused where the text is wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from bench.kernels.catalogue import Kernel, kernels
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

from tensorlift import LiftError, lift
from tensorlift.diagnostics import Severity
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.proofs.certificate import Certificate, certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify as decide
from tensorlift.readback import read_back
from tensorlift.source import read_source, source_from_text

_GOLDEN = Path(__file__).parent / "golden_c"
_KEPT = ["gemm", "jacobi_2d", "correlation", "gramschmidt", "doitgen"]

GEMM = """void gemm(int m, int n, int k, double alpha, double beta, double C[m][n], double A[m][k], double B[k][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      C[i][j] *= beta;
      for (int p = 0; p < k; p++)
        C[i][j] += alpha * A[i][p] * B[p][j];
    }
}
"""
SMOOTH = """void smooth(int steps, int n, float a[n], float b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
SHIFT = """void shift(int n, double a[n], double b[n]) {
  for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];
  for (int i = 0; i < n; i++) a[i] += b[i];
}
"""
REVERSE = """void reverse(int n, long total, double a[n]) {
  double b[n];
  for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];
  for (int i = 0; i < n; i++) a[i] = b[i];
}
"""
DIVIDE = """void divide(int n, int a[n], int b[n]) {
  for (int i = 0; i < n; i++) if (b[i] != 0) a[i] = a[i] / b[i];
}
"""
PREFIX = """void prefix(int m, int n, double x[m][n], double y[m][n]) {
  for (int i = 0; i < m; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      sum += x[i][j];
      y[i][j] = sum;
    }
  }
}
"""


def _kernel(name: str) -> Kernel:
    return next(kernel for kernel in kernels() if kernel.suite == "polybench" and kernel.path.stem == name)


def _certificate(source: str) -> Certificate:
    return certificate_from_json(lifted_text(source, "c").certificate or {})


@pytest.mark.parametrize("name", _KEPT)
def test_a_kernel_is_emitted_as_kept(name: str, update: bool) -> None:  # noqa: FBT001 - a fixture
    path = _GOLDEN / f"{name}.c"
    text = lift(_kernel(name).path, to="c").source
    if update:
        path.write_text(text)
    assert text == path.read_text()


def test_the_same_source_gives_the_same_bytes_and_the_same_report() -> None:
    options = LiftOptions(target="c")
    first, second = (lift_source(source_from_text(GEMM + SMOOTH), options).to_json(times=False) for _ in range(2))
    assert first == second


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", [GEMM, SMOOTH, SHIFT, REVERSE, DIVIDE, PREFIX])
def test_a_program_is_proved_again_from_its_certificate(source: str) -> None:
    function = lift(source, to="c", test=shutil.which("cc") is not None).functions[0]
    assert verify(json.loads(json.dumps(function.certificate))) == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CblasNoTrans, CblasNoTrans", "CblasTrans, CblasNoTrans"),
        ("m, n, k, alpha", "m, n, k, beta"),
        ("m, n, k, alpha", "n, m, k, alpha"),
        ("m, n, k, alpha", "m, n, k - 1, alpha"),
        ("beta, &C[0][0], n", "1.0, &C[0][0], n"),
        ("&A[0][0], k", "&A[0][0], m"),
        ("&C[0][0], n", "&C[0][0], k"),
        ("cblas_dgemm(", "C[0][0] += 1.0; cblas_dgemm("),
        ("&B[0][0], n", "&C[0][0], n"),
        ("double C[restrict m][n]", "double C[restrict n][m]"),
        ("static void gemm_lifted(ptrdiff_t m", "static void gemm_lifted(int m"),
    ],
)
def test_a_wrong_call_is_refused(old: str, new: str) -> None:
    assert refusal(GEMM, (old, new))


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (SMOOTH, "a[i] = b[i]", "a[i] = b[i - 1]"),
        (SMOOTH, "i < n - 1", "i < n"),
        (SMOOTH, "t < steps", "t < steps - 1"),
        (SMOOTH, "3.0f", "4.0f"),
        (SMOOTH, "for (ptrdiff_t t = 0", "for (ptrdiff_t t = 1"),
        (DIVIDE, "b[i] != 0", "1"),
        (DIVIDE, "a[i] / b[i]", "b[i] / a[i]"),
        (PREFIX, "double sum = 0.0", "double sum = 1.0"),
        (SHIFT, "a[i] += b[i]", "a[i] += b[i]; b[i] = a[i]"),
    ],
)
def test_a_wrong_loop_is_refused(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new))


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (GEMM, "m >= 1", "m >= 0", "nothing checks that m >= 1"),
        (GEMM, "k >= 1\n      && m", "m", "nothing checks that k >= 1"),
        (GEMM, "B, sizeof(double) * k * n", "B, sizeof(double) * k", "nothing checks that C and B are apart"),
        (GEMM, "apart(C, sizeof(double) * m * n, A", "apart(B, sizeof(double) * k * n, A", "C and A are apart"),
        (GEMM, "(void *)A, (void *)B);", "(void *)B, (void *)A);", "the program's A is given (void *)B"),
        (GEMM, "    gemm_original(m, n,", "    gemm_original(n, m,", "expected"),
        (GEMM, "    gemm_original(", "    gemm(", "expected"),
        (GEMM, "<= (uintptr_t)b) |", "<= (uintptr_t)b + 1) |", "expected"),
        (GEMM, "      & apart(", "      | apart(", "a condition of unknown form"),
        (GEMM, "      && m", "      & m", "a condition of unknown form"),
        (GEMM, "      && apart(", "      & apart(", "a condition of unknown form"),
        (REVERSE, "      && (", "      & (", "a condition of unknown form"),
        (GEMM, "\nvoid gemm(int m", "\nvoid gemm(long m", "expected"),
        (GEMM, "m >= 1", "m >= 1\n      && (m = 1)", "a condition of unknown form"),
        (GEMM, "m >= 1", "m >= 1 || 1", "a condition of unknown form"),
        (REVERSE, "calloc((size_t)1 * n,", "calloc((size_t)1 * 1,", "too small"),
        (REVERSE, "    free(", "    (void)(", "expected"),
        (REVERSE, "NULL) {", "NULL || n) {", "a condition of unknown form"),
    ],
)  # fmt: skip
def test_a_wrong_function_around_the_program_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new))


def test_text_that_the_front_end_does_not_read_is_refused() -> None:
    assert "goto is no word" in refusal(GEMM, ("cblas_dgemm(", "goto out; out: cblas_dgemm("))


def test_a_certificate_with_other_strides_does_not_hold() -> None:
    certificate = _certificate(GEMM)
    with pytest.raises(CheckFailure, match="lies in memory in another way"):
        decide(replace(certificate, strides={"A": ("n", "1")}), read_back=read_back)


def test_a_running_sum_keeps_its_accumulator() -> None:
    text = lift(PREFIX, to="c").source
    assert text.count("for (") == 2
    assert "sum += x[i][j];\n      y[i][j] = sum;" in text


def test_a_definition_that_reads_what_it_overwrites_goes_through_scratch_memory() -> None:
    text = lift("void flip(int n, double a[n]) { double b[n]; for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];\n"
                "for (int i = 0; i < n; i++) a[i] = b[i]; }", to="c").source  # fmt: skip
    assert "calloc((size_t)1 * n, sizeof(double))" in text


def test_sizes_that_an_int_may_not_hold_are_checked() -> None:
    text = lift("void twice(unsigned long n, double a[n]) { for (unsigned long i = 0; i < n; i++) a[i] *= 2; }", to="c")
    assert "n <= INT_MAX" in text.source


def test_a_table_of_rows_has_no_function_with_its_signature() -> None:
    lifted = lift("void f(int n, double **a) { for (int i = 0; i < n; i++) a[i][0] = 1; }", to="c")
    assert "void f(ptrdiff_t n, double a[restrict n][1])" in lifted.source
    (warning,) = lifted.diagnostics
    assert (warning.code, warning.severity) == ("TL309", Severity.WARNING)
    assert warning.message == "no function with the signature of 'f' is written: 'a' is a table of rows"


def test_guards_are_refused() -> None:
    (diagnostic,) = lift(GEMM, to="c", guards=True).diagnostics
    assert diagnostic.code == "TL530"


def test_a_lifted_program_in_c_is_not_called_from_python() -> None:
    with pytest.raises(LiftError):
        lift(GEMM, to="c")(1)


def test_a_source_in_another_language_gives_the_program_alone(tmp_path: Path) -> None:
    path = tmp_path / "scale.py"
    path.write_text("def scale(n: int, a):\n    for i in range(n):\n        a[i] = a[i] * 2.0\n", encoding="utf-8")
    text = lift(path, to="c").source
    assert "void scale(ptrdiff_t a_shape0, ptrdiff_t n, double a[restrict" in text
    assert "_original" not in text


def test_lifting_to_c_loads_no_emitter_of_another_target() -> None:
    code = (
        f"import sys; from tensorlift import lift; lift({GEMM!r}, to='c')\n"
        "assert not [m for m in sys.modules if m.startswith('tensorlift.targets.numpy.emit')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_kernel_agrees_with_its_original_in_c() -> None:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    source = read_source(str(_kernel("atax").path))
    (function,) = lift_source(source, LiftOptions(target="c", test=True)).functions
    assert [trial.passed for trial in function.tests] == [True, True]


def test_what_is_added_again_and_again_is_multiplied() -> None:
    loop = "for (int i = 0; i < n; i++) { w[i] = v[i] * t; t += d; }"
    source = f"void f(int n, double t, double d, const double v[restrict n], double w[restrict n]) {{ {loop} }}"
    program = lift_source(source_from_text(source, "f.c"), LiftOptions(target="c")).functions[0].program
    assert program is not None
    assert "w[i] = v[i] * (t + d * (double)i);" in program


BELOW = """void below(int m, int n, int w, const double *x, double *y) {
  for (int i = 0; i < m; i++) if (i - w < n) y[i] = x[i];
}
"""
COUNTED = "void counted(int n, int m, double y[n]) { for (int i = 0; i < n; i++) y[i] = (double)i + m; }"


def test_sums_of_sizes_are_wider_than_sizes() -> None:
    text = lift(BELOW, to="c").source
    assert "below_lifted(ptrdiff_t m, ptrdiff_t n, ptrdiff_t w," in text
    assert "m < n + w ? m : n + w" in text


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (BELOW, "ptrdiff_t n, ptrdiff_t w", "int n, int w"),
        (BELOW, "x[i];", "x[i] + 0 * ((int)n + (int)w);"),
        (BELOW, "for (ptrdiff_t i", "for (int i"),
        (COUNTED, "y[i] = ", "y[i] = 0 * ((int)i + (int)n) + "),
        (COUNTED, "  #pragma", "  int p = (int)n;\n  int q = p;\n  q = q + p;\n  #pragma"),
        (COUNTED, "  #pragma", "  int p = (int)n;\n  p += p;\n  #pragma"),
        (COUNTED, "  #pragma", "  int p = (int)n;\n  p++;\n  #pragma"),
    ],
)
def test_sums_of_sizes_that_an_int_may_not_hold_are_refused(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new)) == "a size or a position may not fit its type"


PACKED = """void packed(int n, const double *p, double A[n][n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i][j] = p[i * (i + 1) / 2 + j];
}
"""


def test_positions_that_the_source_computes_in_an_int_are_computed_in_64_bits_and_narrowed() -> None:
    found = lift(PACKED, to="c", test=True)
    assert found.level == "proved"
    assert "p[(int)((long)((int)(i + i * i) / 2) + j)]" in found.source


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(int)(i + i * i)", "((int)i + (int)(i * i))", "a size or a position may not fit its type"),
        ("(int)(i + i * i)", "(i + i * i)", "the program may read outside of an array"),
        ("[(int)(", "[(short)(", "the program may read outside of an array"),
    ],
)
def test_positions_that_are_cut_otherwise_than_in_the_source_are_refused(old: str, new: str, reason: str) -> None:
    assert refusal(PACKED, (old, new)) == reason


def test_a_parameter_may_have_the_name_of_its_function() -> None:
    text = "void r(int n, const double *x, double *r) { *r = 0; for (int i = 0; i < n; i++) *r += x[i]; }"
    assert "  r_lifted(n, (void *)x, (void *)r);" in lift(text, to="c").source
