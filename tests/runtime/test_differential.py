"""Differential tests find what is wrong with an emitted program, with the original, or between it and the loop IR."""

from __future__ import annotations

import re
import shutil
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.ir.programs import GEMM, function

from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView
from tensorlift.ir.interpreter import Interpreter, Result, TooLongError
from tensorlift.ir.text import functions
from tensorlift.languages.python import read_python
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.domain import Domain, at_least
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.cases import MOST_ITERATIONS, Called, Case, Reference, Tally, draw_cases
from tensorlift.runtime.compare import Tolerance
from tensorlift.runtime.data import asks_for_nan
from tensorlift.runtime.differential import differential_test, without_original
from tensorlift.runtime.original import CompileOptions
from tensorlift.runtime.workers import Limits
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tensorlift.ir.interpreter import Argument

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")

SOURCE = """
static void gemm(int M, int N, unsigned long K, double alpha, int lda, const double *A, double (*B)[N],
                 double *restrict C) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (unsigned long k = 0; k < K; k++)
        C[i*N+j] += alpha * (A[i*lda+k] * B[k][j]);
}
"""
PROGRAM = """import numpy as np

def gemm(alpha, A, B, C):
    return C + alpha * (A @ B)
"""
SIZES = [{"M": 4, "N": 3, "K": 5, "lda": 7}, {"M": 0, "N": 2, "K": 3, "lda": 3}]


@pytest.mark.parametrize(
    "text",
    [
        (
            "double f(int n, const double *x) { double b = 0; "
            "for (int i = 0; i < n; i++) if (sqrt(x[i]) > b) b = sqrt(x[i]); return b; }"
        ),
        (
            "double f(int n, const double *x) { double s = 0; "
            "for (int i = 0; i < n; i++) { double r = log(x[i]); if (r > 0) s += r; } return s; }"
        ),
        (
            "int f(int n, const float *x) { int b = 0; float g = sqrtf(x[0]); "
            "for (int i = 1; i < n; i++) if (sqrtf(x[i]) > g) { g = sqrtf(x[i]); b = i; } return b; }"
        ),
        (
            "void f(int n, const double *x, double *o) { "
            "for (int i = 0; i < n; i++) { double r = sqrt(x[i]); o[i] = r != r ? -1 : r; } }"
        ),
    ],
)
def test_a_nan_that_the_source_compares_is_no_input_to_compare_with(text: str) -> None:
    source = source_from_text(f"#include <math.h>\n{text}", "f.c")
    (tested,) = lift_source(source, LiftOptions(test=True)).functions
    assert tested.lifted, tested.diagnostics
    assert [trial.passed for trial in tested.tests] == [True, True]


@pytest.mark.parametrize(("compared", "asked"), [("!=", True), (">=", True), (">", False), ("<", False)])
def test_a_nan_is_asked_for_by_a_comparison_that_it_changes(compared: str, asked: bool) -> None:  # noqa: FBT001 - expected
    text = f"def f(x: 'float64[:]'):\n    return 1 if x[0] {compared} x[0] else 0\n"
    (read,) = read_python(text, "f.py")
    assert read.module is not None
    assert asks_for_nan(FunctionView(functions(read.module)[0])) is asked


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
def test_numbers_in_containers_go_by_the_types_of_the_arrays() -> None:
    text = """#include <array>
    #include <vector>
    void f(const std::vector<char> &s, const std::vector<long long> &w, std::vector<std::vector<char>> &d,
           std::array<unsigned long long, 4> &h) {
      for (size_t i = 0; i < d.size(); i++)
        for (size_t j = 0; j < d[i].size(); j++) d[i][j] = s[i];
      for (size_t i = 0; i < w.size(); i++) h[w[i] & 3] += 1;
    }"""
    (tested,) = lift_source(source_from_text(text, "f.cpp"), LiftOptions(test=True)).functions
    assert [trial.passed for trial in tested.tests] == [True, True]


def test_a_right_program_passes_both() -> None:
    """Also with a padded leading dimension, an array of rows, a static function and the smallest sizes."""
    compiled = differential_test(SOURCE, "gemm.c", function(GEMM), PROGRAM, "gemm", outputs=["C"])
    assert compiled.passed
    assert compiled.cases == 6  # one of them empty
    assert compiled.worst_error < 1e-12
    assert compiled.sizes[0] == {"M": 0, "N": 0, "K": 0, "lda": 0}
    assert any(sizes["lda"] > sizes["K"] for sizes in compiled.sizes)
    interpreted = compare_with_interpreter(function(GEMM), PROGRAM, "gemm", ["C"], SIZES)
    assert interpreted.passed
    assert interpreted.cases == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return C + alpha * (A @ B) * 1.000001", r"C\[0, 0\] is .*, not "),
        ("C += alpha * (A @ B)\n    return C.copy()", "changes its argument C"),
        ("return C", "shares the memory of the argument C"),
        ("return C[:, ::-1]", "shares the memory of the argument C"),
        ("return (C + alpha * (A @ B)).astype(np.float32)", "C has type float32, not float64"),
        ("return (C + alpha * (A @ B))[:-1]", r"C has shape \(\d+, \d+\), not"),
        ("return C + alpha * (B @ A)", "the program raises ValueError|C has shape"),
        ("return C.tolist()", "the program returns a list"),
        ("import os; os._exit(3)", "ended with code 3"),
    ],
)
def test_a_wrong_program_is_found(body: str, message: str) -> None:
    program = PROGRAM.replace("return C + alpha * (A @ B)", body)
    if "os._exit" in body:
        with pytest.raises(LiftError, match=f"TL606: .*{message}"):
            differential_test(SOURCE, "gemm.c", function(GEMM), program, "gemm", outputs=["C"])
        return
    compiled = differential_test(SOURCE, "gemm.c", function(GEMM), program, "gemm", outputs=["C"], seeds=(0, 1, 2))
    interpreted = compare_with_interpreter(function(GEMM), program, "gemm", ["C"], SIZES)
    for report in (compiled, interpreted):
        assert not report.passed
        assert any(re.search(message, failure.message) for failure in report.failures)


def test_a_parameter_that_the_source_does_not_have_is_a_failure() -> None:
    program = PROGRAM.replace("(alpha,", "(beta,").replace("alpha *", "beta *")
    (failure, *_) = compare_with_interpreter(function(GEMM), program, "gemm", ["C"], SIZES).failures
    assert failure.message == "the program's parameter beta is no parameter of the source"
    assert str(failure).startswith("M = 4, N = 3, K = 5, lda = 7: ")


def test_a_program_that_does_not_load_is_a_failure() -> None:
    report = compare_with_interpreter(function(GEMM), "def gemm(:", "gemm", ["C"], SIZES)
    assert "SyntaxError" in report.failures[0].message
    assert not report.passed


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("i < M", "i <= M"), "TL605", "writes outside of the extents of C at"),
        (("C[i*N+j] += ", "C[i*N+j] += *(volatile int *)8 + "), "TL604", "stopped by SIGSEGV"),
        (("for (int i", "while (1) {} for (int i"), "TL604", "it ran out of processor time"),
        (("int i = 0", "i = 0"), "TL602", r"gemm\.c:4:8: error: 'i' undeclared"),
        (("void gemm", "void other"), "TL602", "undefined reference to `gemm'"),
    ],
)
def test_a_wrong_original_is_a_diagnostic(change: tuple[str, str], code: str, message: str) -> None:
    limits = Limits(wall_seconds=60, cpu_seconds=1)
    with pytest.raises(LiftError, match=f"{code}: .*{message}"):
        differential_test(
            SOURCE.replace(*change),
            "gemm.c",
            function(GEMM),
            PROGRAM,
            "gemm",
            outputs=["C"],
            limits=limits,
            seeds=(0, 1),
        )


def test_a_wrong_front_end_is_told_from_a_wrong_program() -> None:
    source = SOURCE.replace("+= alpha", "-= alpha")
    report = differential_test(source, "gemm.c", function(GEMM), PROGRAM, "gemm", outputs=["C"])
    assert {failure.against for failure in report.failures} == {"interpreter", "compiled"}
    right = PROGRAM.replace("C + alpha", "C - alpha")
    report = differential_test(source, "gemm.c", function(GEMM), right, "gemm", outputs=["C"])
    assert {failure.against for failure in report.failures} == {"interpreter"}


def test_user_options_reach_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "real.h").write_text("typedef REAL real;\n")
    source = '#include "real.h"\n' + SOURCE.replace("double", "real")
    options = CompileOptions(include=(str(tmp_path / "inc"),), define=("REAL=double",), standard="c11")
    report = differential_test(
        source, "gemm.c", function(GEMM), PROGRAM, "gemm", outputs=["C"], compile_options=options, seeds=(0,)
    )
    assert report.passed


def test_the_source_is_called_where_the_c_library_has_a_function_of_that_name() -> None:
    source = "void glob(int n, float *x) { for (int i = 0; i < n; i++) x[i] *= 2; }"
    (function,) = lift_source(source_from_text(source, "k.c"), LiftOptions(test=True)).functions
    assert [trial.passed for trial in function.tests] == [True, True], function.diagnostics


DIVIDE = """
func.func @quotients(%n: index {tl.name = "n", tl.c_type = "int"}, %s: i8 {tl.name = "s", tl.c_type = "signed char"},
    %x: memref<?xi16> {tl.name = "x", tl.c_type = "short *", tl.shape = affine_map<()[n] -> (n)>},
    %lambda: memref<?x?xi32> {tl.name = "lambda", tl.c_type = "int **", tl.shape = affine_map<()[n] -> (n, 2)>}) -> i8 {
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi16>
    %w = arith.extsi %v : i16 to i32
    %a = affine.load %lambda[%i, 0] : memref<?x?xi32>
    %q = arith.divsi %a, %w : i32
    affine.store %q, %lambda[%i, 1] : memref<?x?xi32>
  }
  return %s : i8
}
"""
DIVIDE_SOURCE = """signed char quotients(int n, signed char s, short *x, int **lambda) {
  for (int i = 0; i < n; i++) lambda[i][1] = lambda[i][0] / x[i];
  return s;
}"""
DIVIDE_PROGRAM = """import numpy as np
def quotients(s, x, lambda_):
    out = lambda_.copy()
    out[:, 1] = np.sign(out[:, 0]) * np.sign(x) * (abs(out[:, 0]) // abs(x.astype(np.int32)))
    return out, s
"""


def test_undefined_inputs_are_drawn_again() -> None:
    """Row pointers, a returned scalar, a parameter that is a Python keyword, and divisors that must not be zero."""
    report = differential_test(
        DIVIDE_SOURCE, "q.c", function(DIVIDE), DIVIDE_PROGRAM, "quotients", outputs=["lambda"], seeds=range(8)
    )
    assert report.passed
    assert report.undefined == ()
    interpreted = compare_with_interpreter(
        function(DIVIDE), DIVIDE_PROGRAM, "quotients", ["lambda"], [{"n": 9}, {"n": 8}, {"n": 0}]
    )
    assert interpreted.passed


def test_sizes_without_any_defined_input_count_for_nothing() -> None:
    text = DIVIDE.replace("%w = arith.extsi %v : i16 to i32", "%w = arith.constant 0 : i32")
    report = compare_with_interpreter(function(text), DIVIDE_PROGRAM, "quotients", ["lambda"], [{"n": 3}])
    assert report.cases == 0
    assert report.undefined == ({"n": 3},)
    assert not report.passed


def test_wrong_extents_are_a_failure_of_the_loop_ir() -> None:
    text = DIVIDE.replace("affine_map<()[n] -> (n)>", "affine_map<()[n] -> (n - 1)>")
    report = compare_with_interpreter(function(text), DIVIDE_PROGRAM, "quotients", ["lambda"], [{"n": 3}])
    (failure,) = report.failures
    assert failure.against == "interpreter"
    assert "outside of the extents [2]" in failure.message


allowed: list[int | None] = []


class Endless(Interpreter):
    """Takes too long on all arguments, and notes how many iterations each run might take."""

    def __call__(self, arguments: Mapping[str, Argument], most_iterations: int | None = None) -> Result:
        del arguments
        allowed.append(most_iterations)
        raise TooLongError


def test_a_source_that_never_ends_is_given_less_at_each_size() -> None:
    allowed.clear()
    sizes = [{"n": n} for n in range(4)]
    with pytest.raises(LiftError, match="TL611: the source takes too long to be tested"):
        draw_cases(Reference(Endless(function(DIVIDE))), sizes, Random(0), Tally("interpreter", Tolerance()))
    assert allowed == [MOST_ITERATIONS >> 2 * done for done in range(4)]


def test_a_flag_that_is_zero_leaves_something_to_test() -> None:
    text = "void exit(int); void f(int k, int n, double *a) { if (k) exit(1); for (; n > 0; n--) *a++ = 1; }"
    (found,) = lift_source(source_from_text(text, "k.c"), LiftOptions()).functions
    assert found.lifted, found.diagnostics


def test_no_sizes_at_all_is_a_diagnostic() -> None:
    with pytest.raises(LiftError, match=r"TL611: the arrays are too large to test with .*, M = 3000\d\d, "):
        differential_test(
            SOURCE,
            "gemm.c",
            function(GEMM),
            PROGRAM,
            "gemm",
            outputs=["C"],
            domain=Domain.of(at_least("M", 300000), at_least("N", 1)),
        )


def test_a_member_of_a_struct_cannot_be_called() -> None:
    text = GEMM.replace('tl.name = "alpha"', 'tl.name = "m.alpha"')
    program = PROGRAM.replace("alpha", "m_alpha")
    assert compare_with_interpreter(function(text), program, "gemm", ["C"], SIZES).passed
    with pytest.raises(LiftError, match=r"TL603: 'm\.alpha' is no parameter"):
        differential_test(SOURCE, "gemm.c", function(text), program, "gemm", outputs=["C"], seeds=(0,))


UNSTABLE = """
func.func @f(%n: index {tl.name = "n", tl.c_type = "int"},
    %y: memref<?xf64> {tl.name = "y", tl.c_type = "double *", tl.shape = affine_map<()[n] -> (n)>}) {
  %large = arith.constant 1.0e14 : f64
  affine.for %i = 0 to %n {
    %a = affine.load %y[%i] : memref<?xf64>
    %b = arith.mulf %a, %large : f64
    %c = math.sin %b : f64
    affine.store %c, %y[%i] : memref<?xf64>
  }
  return
}
"""


@pytest.mark.parametrize(("sizes", "cases"), [([{"n": 3}], 0), ([{"n": 0}, {"n": 3}], 1)])
def test_a_difference_where_the_source_is_unstable_is_no_case(sizes: list[dict[str, int]], cases: int) -> None:
    """The last bits of the inputs decide the results, so that they tell nothing about the program."""
    program = "import numpy as np\n\ndef f(y):\n    return np.sin(y * 1e14 + 1)\n"
    report = compare_with_interpreter(function(UNSTABLE), program, "f", ["y"], sizes)
    assert (report.cases, report.failures) == (cases, ())


THIRDS = """
def f(n: int, a: "int8[:]"):
    s = 0.0
    for i in range(n):
        s += a[i] / 3.0
    return int(s)
"""


@pytest.mark.parametrize(("cells", "is_unstable"), [([1, 1, 1], True), ([1, 1], False), ([3, 3, 3], False)])
def test_a_sum_of_whole_inputs_is_unstable_where_rounding_decides(cells: list[int], is_unstable: bool) -> None:  # noqa: FBT001 - expected
    (read,) = read_python(THIRDS, "f.py")
    assert read.module is not None
    interpreter = Interpreter(functions(read.module)[0])
    arguments: dict[str, Any] = {"n": len(cells), "a": np.array(cells, np.int8), "a_shape0": len(cells)}
    expected = Called({}, interpreter(arguments).value)
    case = Case({"n": len(cells)}, arguments, expected, expected, interpreter, "any")
    assert case.is_unstable(Tolerance()) == is_unstable


@pytest.mark.parametrize("fold", ["+= x[i]", "*= x[i]"])
def test_a_double_that_is_a_rounded_float_is_no_more_precise(fold: str) -> None:
    text = f"double f(int n, const double *x) {{ float s = 1; for (int i = 0; i < n; i++) s {fold}; return s; }}"
    (lifted,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert (str(lifted.verdict), list(lifted.diagnostics)) == ("loop-free", [])


def test_a_python_original_that_raises_on_some_numbers_is_run_on_others() -> None:
    """``math.sqrt`` raises below zero, where the program gives NaN."""
    text = """
import math
import numpy as np

def cholesky(A):
    n = A.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] ** 2
        L[j, j] = math.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return L
"""
    (record,) = lift_source(source_from_text(text, "k.py"), LiftOptions(test=True)).functions
    assert record.lifted, record.diagnostics
    assert all(test.passed and test.cases > 0 for test in record.tests)


def test_a_python_original_that_always_raises_is_refused() -> None:
    text = """
import math

def f(x):
    s = math.log(-1.0 - len(x))
    for i in range(len(x)):
        s += math.log(-1.0 - x[i] * x[i])
    return s
"""
    (record,) = lift_source(source_from_text(text, "k.py"), LiftOptions(test=True)).functions
    assert [item.code for item in record.diagnostics] == ["TL604"]
    assert "calling the original failed: ValueError" in record.diagnostics[0].message


@pytest.mark.parametrize(
    "value", ["int(a[i]) * 1000", "(int(a[i]) - 1) * 3 + 0.5", "float(int(a[i]) << 40)", "round(a[i]) * 100"]
)
def test_integers_of_python_that_need_more_bits_are_not_compared(value: str) -> None:
    """The precondition says that there are none; the test draws some, whose results fit into an array of floats."""
    text = f"def f(a: 'int64[:]', y: 'float64[:]'):\n    for i in range(len(a)):\n        y[i] = {value}\n"
    (record,) = lift_source(source_from_text(text, "f.py"), LiftOptions(test=True)).functions
    assert record.lifted, record.diagnostics
    assert "every integer fits into 64 bits" in [p.text for p in record.preconditions]
    assert all(trial.passed for trial in record.tests)


def test_lists_without_any_number_in_them_have_the_extents_that_they_are_given_for() -> None:
    text = """
def add(A: list[list[float]], C: list[list[float]]) -> None:
    for i in range(len(A)):
        for j in range(len(A[0])):
            C[i][j] = A[i][j] + 1.0
"""
    (record,) = lift_source(source_from_text(text, "k.py"), LiftOptions(test=True)).functions
    assert record.lifted, record.diagnostics


@pytest.mark.parametrize("size", ["n", "(double)n * m", "m->rows"])
def test_a_program_is_tested_at_small_sizes_too(size: str) -> None:
    text = f"  if (on_threads()\n      && {size} > 65536\n      && n >= 1) {{\n"
    assert without_original(text, "f") == f"  if (1\n      && {size} >= 0\n      && n >= 1) {{\n"
