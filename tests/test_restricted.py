"""A program for fewer sizes than the source takes is called restricted; what the source demands restricts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import tensorlift
from tensorlift.cli import main
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.report.notebook import show_functions
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

GEMM = """static void gemm(int M, int N, int K, double A[M][K], double B[K][N], double C[M][N]) {
  for (int i = 0; i < M; i++) for (int j = 0; j < N; j++)
    for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j]; }
"""
FLAT_GEMM = """static void gemm(int M, int N, int K, const double *A, const double *B, double *C) {
  for (int i = 0; i < M; i++) for (int j = 0; j < N; j++)
    for (int k = 0; k < K; k++) C[i * N + j] += A[i * K + k] * B[k * N + j]; }
"""
WINDOW = """def f(x, w, y):
    n = len(x)
    m = len(w)
    for i in range(n):
        s = 0.0
        for a in range(m):
            {0}
        y[i] = s
"""
SAME_IN_C = """void f(int n, int m, const double *x, const double *w, double *y) {{
  for (int i = 0; i < n; i++) {{ double s = 0; for (int a = 0; a < m; a++) {{ {0} }} y[i] = s; }} }}"""
MODULE = """func.func @f(%a: memref<104xf64>, %b: memref<97xf64>) {
  affine.for %i = 0 to 97 {
    %0 = affine.load %b[%i] : memref<97xf64>
    %1 = affine.load %a[%i] : memref<104xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %b[96 - %i] : memref<97xf64>
  }
  return
}
"""

# A name of a file, its text, and whether its function f is restricted.
CASES = {
    "two loops of two sizes over arrays of open extents": (
        "f.c",
        """void f(int n, int m, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[i];
             for (int i = 0; i < m; i++) y[i] += x[i]; }""",
        True,
    ),
    "the same over declared extents": (
        "f.c",
        "void f(int n, int m, double x[n], double y[m]) { for (int i = 0; i < n; i++) y[i] = x[i]; }",
        False,
    ),
    "unsigned integers that wrap for all but the least sizes": (
        "f.c",
        "void f(unsigned n, long *o) { for (unsigned i = 0; i < n; i++) o[i] = -i; }",
        True,
    ),
    "a difference of unsigned sizes that wraps": (
        "f.c",
        "unsigned f(unsigned n, unsigned m) { unsigned s = 0; for (unsigned i = 0; i < n - m; i++) s++; return s; }",
        True,
    ),
    "a product that may leave its type": (
        "f.c",
        "void f(int n, int m, float *a) { for (int i = 0; i < n * m; i++) a[i] = 0; }",
        False,
    ),
    "a counter that wraps for large sizes": (
        "f.c",
        "void f(int n, short *a) { for (short i = 0; i < n; i++) a[i] = i; }",
        False,
    ),
    "a caller of a product": (
        "f.c",
        GEMM
        + "void f(int M, int N, int K, double A[M][K], double B[K][N], double C[M][N]) { gemm(M, N, K, A, B, C); }",
        False,
    ),
    "a caller of a product of flat matrices": (
        "f.c",
        FLAT_GEMM + "void f(int M, int N, int K, double *A, double *B, double *C) { gemm(M, N, K, A, B, C); }",
        False,
    ),
    "a caller in C++": (
        "f.cpp",
        FLAT_GEMM + "void f(int M, int N, int K, double *A, double *B, double *C) { gemm(M, N, K, A, B, C); }",
        False,
    ),
    "leading dimensions": (
        "f.c",
        """void f(int n, int m, int ld, double *x, double *y) {
             for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i * ld + j] = x[i * ld + j]; }""",
        False,
    ),
    "a length that fits an int": (
        "f.c",
        "void f(long n, double *x) { int m = n; for (int i = 0; i < m; i++) x[i] = 0; }",
        False,
    ),
    "an array of a constant extent": (
        "f.c",
        """void f(int n, double *x) { double t[16]; for (int i = 0; i < n; i++) t[i] = x[i];
             for (int i = 0; i < n; i++) x[i] = t[n - 1 - i]; }""",
        False,
    ),
    "a convolution of the same extent, guarded in one": (
        "f.py",
        WINDOW.format("if 0 <= i + a - m // 2 < n: s += x[i + a - m // 2] * w[a]"),
        False,
    ),
    "a convolution of the same extent, guarded in two": (
        "f.py",
        WINDOW.format("if i + a - m // 2 >= 0 and i + a - m // 2 < n: s += x[i + a - m // 2] * w[a]"),
        False,
    ),
    "a convolution of the same extent in C": (
        "f.c",
        SAME_IN_C.format("if (0 <= i + a - m / 2 && i + a - m / 2 < n) s += x[i + a - m / 2] * w[a];"),
        False,
    ),
    "a convolution of the same extent in C++": (
        "f.cpp",
        SAME_IN_C.format("const int k = i + a - m / 2; if (k >= 0 && k < n) s += x[k] * w[a];"),
        False,
    ),
    "a shift by a quotient": (
        "f.c",
        "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) if (i >= n / 3) y[i] = x[i - n / 3]; }",
        False,
    ),
    "arrays of one length": ("f.py", "def f(x, y):\n    for i in range(len(x)):\n        y[i] = x[i]\n", False),
    "a stencil over n cells of arrays that may be longer": (
        "f.py",
        "def f(x, y, n: int):\n    for i in range(1, n - 1):\n        y[i] = x[i - 1] + x[i + 1]\n",
        False,
    ),
    "rows that the columns alone leave out": (
        "f.py",
        """def f(A, B, n: int, m: int):
    for i in range(n):
        for j in range(m):
            if i <= j:
                B[i, j] = A[i, j]
""",
        True,
    ),
    "places in another array": (
        "f.py",
        "def f(x: 'float64[:]', y: 'float64[:]', k: int):\n    for i in range(len(y)):\n        y[i] = x[i + k]\n",
        True,
    ),
    "constants of extents": ("f.mlir", MODULE, False),
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("case", CASES)
def test_a_program_for_fewer_sizes_than_the_source_is_restricted(case: str) -> None:
    name, text, restricted = CASES[case]
    (function,) = lift_source(source_from_text(text, name), LiftOptions(("f",))).functions
    assert function.lifted, function.diagnostics
    assert function.restricted == restricted, [p.text for p in function.preconditions]


BEFORE_THE_START = {
    "y[i] = x[-i]": "x[-i]",
    "y[-i] = x[i]": "y[-i]",
    "y[i] = x[-2 * i]": "x[-2*i]",
    "y[i] = x[i - n // 2]": "x[-(n/2) + i]",
}


@pytest.mark.parametrize("body", BEFORE_THE_START)
def test_an_access_before_the_start_of_an_array_is_refused_by_its_name(body: str) -> None:
    text = f"def f(x: 'float64[:]', y: 'float64[:]'):\n    n = len(x)\n    for i in range(n):\n        {body}\n"
    (function,) = lift_source(source_from_text(text, "f.py"), LiftOptions()).functions
    assert function.diagnostics[-1].code == "TL133"
    assert f"`{BEFORE_THE_START[body]}`" in function.diagnostics[-1].message


def test_a_falling_subscript_is_refused_in_c() -> None:
    text = "void f(int n, double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[-i]; }"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert function.diagnostics[-1].code == "TL133"


def test_all_reports_call_a_restricted_program_restricted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.c"
    path.write_text(CASES["two loops of two sizes over arrays of open extents"][1], encoding="utf-8")
    words = "loop-free, restricted, proved for the sizes that it requires, over the reals"
    lifted = tensorlift.lift(path)
    assert lifted.restricted
    shown = show_functions(lifted.functions, source_from_text(path.read_text(encoding="utf-8")))
    assert words.partition(", ")[2] in shown
    assert main(["lift", str(path)]) == 0
    assert f"# f: {words}\n" in capsys.readouterr().out
    assert main(["lift", str(path), "--json", "-", "-o", str(tmp_path / "f.py")]) == 0
    assert '"restricted": true' in capsys.readouterr().out
    assert main(["lift", str(path), "--in-place", "-o", str(tmp_path / "g.c")]) == 0
    assert f"f: {words}\n" in capsys.readouterr().out
    assert main(["build", str(path), "-o", str(tmp_path / "f.so")]) == 0
    assert "f: lifted, restricted, proved for the sizes that it requires\n" in capsys.readouterr().out


@pytest.mark.parametrize("generalise", [None, True])
def test_a_constant_that_must_keep_its_value_is_no_size(generalise: bool | None) -> None:  # noqa: FBT001 - a parameter
    (function,) = lift_source(source_from_text(MODULE, "f.mlir"), LiftOptions(generalise=generalise)).functions
    assert not function.restricted
    assert [p.shape for p in function.parameters] == [("104",), ("97",)]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("double A[M][K], double C[M][N]) { gemm(M, N, K, A, A, C); }", "A"),
        ("double A[M][K], double B[N][K], double C[M][N]) { gemm(M, N, K, A, B, C); }", "B"),
    ],
)
def test_rows_that_a_call_takes_to_have_another_length_are_refused(function: str, name: str) -> None:
    source = source_from_text(f"{GEMM}void f(int M, int N, int K, {function}", "f.c")
    (found,) = lift_source(source, LiftOptions(("f",))).functions
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "TL132",
        f"the accesses to `{name}` do not agree on one row-major shape",
    )
    assert [note.message for note in diagnostic.notes] == ["in `gemm`, called from here"]
