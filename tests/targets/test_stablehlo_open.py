"""Programs in StableHLO for every size: their shapes are open, and XLA gets them from the arguments."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.kernels.catalogue import ROOT, Kernel, kernels, read
from bench.kernels.sizes import small_sizes
from tests.kernels.turns import lifted_to
from tests.lifts import lifted_kernel, lifted_text
from tests.shared import is_exhaustive

from tensorlift import lift
from tensorlift.ir.function import FunctionView, functions
from tensorlift.pipeline import verify
from tensorlift.poly.domain import Domain, at_least
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.obligations import Ledger
from tensorlift.record import Level, Verdict
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.xla import _are_sizes, _context, interpret, load_stablehlo, portable_artifact
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

_KEPT = Path(__file__).parent / "stablehlo"
_KERNELS = ["polybench/gemm", "polybench/jacobi_2d"]
OFF_CENTRE = """void off_centre(int n, int m, double a[n][m], double b[n]) {
  for (int i = 0; i < n - 2; i++)
    for (int j = 3; j < m; j++) b[i] += a[i + 1][j];
}
"""
PAIRS = (
    "void pairs(int n, double a[n], double b[n]) { for (int i = 0; i < n / 2; i++) b[i] = a[2 * i] + a[2 * i + 1]; }\n"
)
EVERY_FOURTH = (
    "void every_fourth(int n, double a[n], double b[n]) { for (int i = 3; i < n; i += 4) a[i] = b[i - 3]; }\n"
)
SWEEPS = """void sweeps(int steps, int n, double a[n], double b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i + 1]) / 2;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
ROWS = """void rows(int n, int m, double a[n][m]) {
  for (int t = 1; t < n; t++)
    for (int j = 0; j < m; j++) a[t][j] += a[t - 1][m - 1 - j];
}
"""
OUTER = """void outer(int n, int m, double u[n], double v[m], double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = u[i] * v[j] + i - j;
}
"""
POSITIONS = "void positions(int n, double y[n]) { for (int i = 0; i < n; i++) y[i] = i; }\n"
WINDOWS = """void windows(int n, int k, double x[n + k - 1], double w[k], double y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    for (int j = 0; j < k; j++) y[i] += x[i + j] * w[j];
  }
}
"""
DIAGONAL = """void diagonal(int n, double a[n][n], double d[n]) {
  for (int i = 0; i < n; i++) {
    d[i] = a[i][i];
    a[i][i] = 1;
  }
}
"""
RUNNING = "void running(int n, double a[n]) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }\n"
SINCE = """void since(long n, const double x[n], long ago[n]) {
  long k = n;
  for (long i = 0; i < n; i++) {
    k = x[i] > 0 ? 0 : k + 1;
    ago[i] = k;
  }
}
"""
EXCEEDS = """int exceeds(int n, const double x[n], double budget) {
  double used = 0;
  for (int i = 0; i < n; i++) {
    used += x[i];
    if (used > budget) return i;
  }
  return n;
}
"""
PICKED = """int picked(int n, int m, const int ix[n], const double x[m], double y[n]) {
  int k = 0, last = n - 1;
  for (int i = 0; i < n; i++) {
    if (ix[i] >= 0) y[k++] = x[ix[i]];
    else y[last--] = i;
  }
  return k;
}
"""
TWICE = "void twice(long n, double a[n]) { for (long i = 0; i < n; i++) a[i] *= 2; }\n"
FLAT = "void flat(int n, double a[2 * n]) { for (int i = 0; i < n; i++) a[2 * i] = a[2 * i + 1]; }\n"
_CUT = "tensor<?x?xf64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>"
_SOURCES = [
    OFF_CENTRE,
    PAIRS,
    EVERY_FOURTH,
    SWEEPS,
    ROWS,
    OUTER,
    POSITIONS,
    WINDOWS,
    DIAGONAL,
    FLAT,
    RUNNING,
    SINCE,
    PICKED,
]


def _one(source: str, **sizes: int) -> FunctionRecord:
    return lifted_text(source, "stablehlo", **sizes)


@pytest.mark.parametrize("name", _KERNELS)
def test_a_kernel_is_emitted_as_kept(name: str, update: bool) -> None:  # noqa: FBT001 - a fixture
    text = lift(ROOT / f"{name}.c", to="stablehlo").source
    path = _KEPT / f"{name.rpartition('/')[2]}_open.mlir"
    if update:
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", _SOURCES)
def test_a_program_is_proved_for_every_size(source: str) -> None:
    function = _one(source)
    assert (function.level, function.diagnostics) == (Level.PROVED, ())
    assert "?x" in function.program
    assert not [p.text for p in function.preconditions if "==" in p.text]
    assert verify(function.certificate or {}) == ()
    assert function.program == _one(source).program


def test_a_size_that_no_array_tells_is_an_argument() -> None:
    assert "func.func @positions(%n: tensor<i64>) -> tensor<?xf64> {" in _one(POSITIONS).program
    assert "func.func @sweeps(%steps: tensor<i64>, %a: tensor<?xf64>" in _one(SWEEPS).program


def test_some_sizes_may_be_given() -> None:
    function = _one(OUTER, m=3)
    assert "(%u: tensor<?xf64>, %v: tensor<3xf64>) -> tensor<?x3xf64>" in function.program
    assert [p.text for p in function.preconditions if p.kind == "size"] == [
        "n <= 2147483647",
        "m == 3",
        "n >= 0",
    ]


def test_sizes_that_a_program_counts_in_32_bits_are_limited() -> None:
    assert [p.text for p in _one(TWICE).preconditions] == ["n <= 2147483647", "n >= 0"]


def test_what_needs_a_size_says_so() -> None:
    (diagnostic,) = _one(EXCEEDS).diagnostics
    assert diagnostic.code == "TL515"
    assert diagnostic.message == "the size n must be given: a running fold is over windows of static extents"
    assert diagnostic.remedy == "for example: --sizes n=64"
    assert diagnostic.location is not None


def test_a_running_fold_is_a_loop_unless_the_size_is_given() -> None:
    function = _one(RUNNING)
    assert function.verdict == Verdict.HYBRID
    assert "stablehlo.while" in function.program
    given = _one(RUNNING, n=4)
    assert given.verdict == Verdict.SCAN
    assert "stablehlo.reduce_window" in given.program


def test_a_cell_that_an_array_may_not_have_needs_a_size() -> None:
    source = "void third(int n, double a[n]) { if (n > 2) a[2] = a[0]; }"
    (diagnostic,) = _one(source).diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "TL515",
        "the size n must be given: an array may have no cell 2",
    )
    assert _one(source, n=4).level == Level.PROVED


# -- wrong texts


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (OFF_CENTRE, "dim = 1 : (tensor<?x?xf64>) -> tensor<i32>", "dim = 0 : (tensor<?x?xf64>) -> tensor<i32>"),
        (OFF_CENTRE, "dense<1> : tensor<i64>", "dense<0> : tensor<i64>"),
        (OFF_CENTRE, "dense<-2> : tensor<i64>", "dense<-3> : tensor<i64>"),
        (OFF_CENTRE, "dense<3> : tensor<i64>", "dense<2> : tensor<i64>"),
        (OFF_CENTRE, "dense<1> : tensor<2xi64>", "dense<2> : tensor<2xi64>"),
        (PAIRS, "dense<2> : tensor<1xi64>", "dense<1> : tensor<1xi64>"),
        (PAIRS, "dense<2> : tensor<i64>", "dense<3> : tensor<i64>"),
        (PAIRS, "stablehlo.maximum", "stablehlo.minimum"),
        (PAIRS, "stablehlo.maximum %6, %7", "stablehlo.add %6, %7"),
        (EVERY_FOURTH, "stablehlo.multiply %", "stablehlo.add %"),
        (EVERY_FOURTH, "dense<-3> : tensor<i64>", "dense<-4> : tensor<i64>"),
        (EVERY_FOURTH, "stablehlo.dynamic_reshape %", "stablehlo.dynamic_broadcast_in_dim %"),
        (SWEEPS, "compare LT, %3, %steps", "compare LT, %3, %n"),
        (SWEEPS, "%steps: tensor<i64>", "%steps: tensor<i32>"),
        (ROWS, "dense<-1> : tensor<i64>", "dense<-2> : tensor<i64>"),
        (OUTER, "dims = [1]", "dims = [0]"),
        (OUTER, "stablehlo.dynamic_iota %2", "stablehlo.dynamic_iota %6"),
        (POSITIONS, "%n: tensor<i64>", "%n: tensor<f64>"),
        (POSITIONS, "dynamic_iota %0, dim = 0", "dynamic_iota %0, dim = 1"),
        (POSITIONS, "-> tensor<?xf64> {", "-> tensor<4xf64> {"),
        (DIAGONAL, "dims = []", "dims = [0]"),
        (FLAT, "stablehlo.divide", "stablehlo.multiply"),
        (SINCE, "%k = stablehlo.reshape %n", "%k = stablehlo.reshape %1"),
        (SINCE, "(%1, %ago, %k)", "(%k, %ago, %k)"),
        (SINCE, "(%1, %ago, %k)", "(%1, %ago, %1)"),
        (SINCE, "add %k_1, %11", "add %i, %11"),
        (PICKED, "select %13, %k_1, %1", "select %13, %1, %k_1"),
        (PICKED, "select %13, %12, %1", "select %26, %12, %1"),
        (PICKED, "not %26", "and %26, %26"),
        (PICKED, "select %31, %34, %33", "select %13, %34, %33"),
        (PICKED, "(%y_2, %36, %35)", "(%y_2, %32, %33)"),
        (PICKED, "select %46, %last_1, %47", "select %46, %47, %last_1"),
        (SINCE, "compare LT, %3, %n", "compare LT, %5, %n"),
    ],
)
def test_a_wrong_text_is_refused(source: str, old: str, new: str) -> None:
    _refuse_changed(_one(source), old, new)


def _refuse_changed(function: FunctionRecord, old: str, new: str, count: int = 1) -> None:
    assert old in function.program, function.program
    certificate = certificate_from_json(function.certificate or {})
    text = function.program.replace(old, new, count)
    with pytest.raises(CheckFailure) as caught:
        check(text, function.name, certificate.summary, get_target("stablehlo"), certificate.cuts)
    assert caught.value.code.startswith("TL4")


def test_a_gather_from_an_array_that_may_be_empty_is_refused() -> None:
    """XLA refuses it where n is 1, though no cell is gathered."""
    source = "void most(int n, double a[n][n], double d[n]) { for (int i = 0; i < n - 1; i++) d[i] = a[i][i]; }"
    function = _one(source)
    old = '%7 = "stablehlo.gather"(%a, '
    new = f"""%start = stablehlo.constant dense<0> : tensor<2xi64>
  %limit = stablehlo.concatenate %3, %3, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %step = stablehlo.constant dense<1> : tensor<2xi64>
  %part = stablehlo.real_dynamic_slice %a, %start, %limit, %step : ({_CUT}) -> tensor<?x?xf64>
  %7 = "stablehlo.gather"(%part, """
    assert old in function.program, function.program
    certificate = certificate_from_json(function.certificate or {})
    text = function.program.replace(old, new)
    with pytest.raises(CheckFailure, match="there is a cell to gather: n >= 2 does not follow"):
        check(text, function.name, certificate.summary, get_target("stablehlo"), certificate.cuts)


@pytest.mark.parametrize("narrow", ["f32", "i32", "i16", "ui8"])
def test_a_size_that_passes_through_a_narrower_type_is_refused(narrow: str) -> None:
    """At 16777217 a size is another one in single precision."""
    function = _one("void positions(long n, double y[n]) { for (long i = 0; i < n; i++) y[i] = i; }")
    reshaped = "%0 = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>"
    through = f"""%narrow = stablehlo.convert %n : (tensor<i64>) -> tensor<{narrow}>
  %wide = stablehlo.convert %narrow : (tensor<{narrow}>) -> tensor<i64>
  %0 = stablehlo.reshape %wide : (tensor<i64>) -> tensor<1xi64>"""
    _refuse_changed(function, reshaped, through)


@pytest.mark.parametrize("least", ["minimum %far, %3", "minimum %over, %3"])
def test_a_place_that_wraps_is_refused(least: str) -> None:
    """The least of n * 2^62 and 1 is 0 where n is 4."""
    function = _one("void shift(int n, double a[n + 1], double y[n]) { for (int i = 0; i < n; i++) y[i] = a[i + 1]; }")
    old = "%y = stablehlo.real_dynamic_slice %a, %3, %5, %3"
    new = f"""%huge = stablehlo.constant dense<4611686018427387904> : tensor<1xi64>
  %most = stablehlo.constant dense<9223372036854775807> : tensor<1xi64>
  %far = stablehlo.multiply %5, %huge : tensor<1xi64>
  %over = stablehlo.add %5, %most : tensor<1xi64>
  %start = stablehlo.{least} : tensor<1xi64>
  %width = stablehlo.subtract %5, %3 : tensor<1xi64>
  %limit = stablehlo.add %start, %width : tensor<1xi64>
  %y = stablehlo.real_dynamic_slice %a, %start, %limit, %3"""
    _refuse_changed(function, old, new)


def test_positions_that_wrap_are_refused() -> None:
    function = _one("void positions(long n, double y[n]) { for (long i = 0; i < n; i++) y[i] = i; }")
    _refuse_changed(function, "tensor<?xi64>", "tensor<?xi32>", count=-1)


def test_a_loop_may_carry_an_open_array_of_which_nothing_is_known() -> None:
    """Without a claim it is not the summary's, and no reason to fail otherwise."""
    function = _one(SWEEPS)
    certificate = certificate_from_json(function.certificate or {})
    with pytest.raises(CheckFailure):
        check(function.program, function.name, certificate.summary, get_target("stablehlo"), ())


def test_more_cells_than_32_bits_count_are_refused() -> None:
    function, unlimited = _one(TWICE), lift(TWICE).functions[0]
    certificate = certificate_from_json(unlimited.certificate or {})
    with pytest.raises(CheckFailure, match="an extent is counted in 32 bits"):
        check(function.program, function.name, certificate.summary, get_target("stablehlo"), ())


def test_a_loop_that_does_not_run_must_be_well_formed_too() -> None:
    """XLA refuses a slice that is longer than its operand, though nothing reaches it."""
    ledger = Ledger(Domain.of(at_least("n", 0)), (), get_target("stablehlo").types, lambda _divisor, _context: True)
    with ledger.translating():
        ledger.within(Domain.of(at_least("n", 1)))
        ledger.require("a slice", at_least("n", 1))
        with pytest.raises(CheckFailure, match="n >= 1 does not follow"):
            ledger.require_always("a slice", at_least("n", 1))
    ledger.require_always("a slice", at_least("n", 1))


# -- what XLA computes


@pytest.fixture(name="jax")
def _jax() -> object:
    return pytest.importorskip("jax", reason="JAX, which XLA comes with, is not installed")


@pytest.mark.usefixtures("jax")
def test_shapes_come_from_the_arguments() -> None:
    program = load_stablehlo(_one(OUTER).program, "outer")
    for rows, columns in ((3, 4), (1, 1), (3, 4)):
        u, v = np.arange(rows, dtype=float), np.arange(columns, dtype=float) + 1
        expected = np.outer(u, v) + np.arange(rows)[:, None] - np.arange(columns)
        np.testing.assert_array_equal(program(u=u, v=v), expected)


@pytest.mark.usefixtures("jax")
def test_sizes_among_the_arguments_decide_shapes() -> None:
    text = _one(POSITIONS).program
    program = load_stablehlo(text, "positions")
    for size in (3, 1, 5):
        np.testing.assert_array_equal(program(n=np.int64(size)), np.arange(size, dtype=float))
    np.testing.assert_array_equal(interpret(text, [np.int64(4)])[0], np.arange(4, dtype=float))


@pytest.mark.usefixtures("jax")
def test_a_number_that_decides_no_shape_is_data() -> None:
    """A program is compiled once for all values of it."""
    source = "void scale(long k, int n, long a[n]) { for (int i = 0; i < n; i++) a[i] = a[i] * k; }"
    with _context():
        module = import_module("jaxlib.mlir.ir").Module.parse(_one(source).program)
        assert _are_sizes(module) == [False, False]
        module = import_module("jaxlib.mlir.ir").Module.parse(_one(POSITIONS).program)
        assert _are_sizes(module) == [True]


@pytest.mark.usefixtures("jax")
def test_open_shapes_are_in_a_portable_artifact() -> None:
    assert portable_artifact(_one(ROWS).program).startswith(b"ML\xefR")


@pytest.mark.in_turns(2)
@pytest.mark.usefixtures("jax")
@pytest.mark.parametrize("source", _SOURCES)
def test_a_program_computes_what_the_source_does(source: str, tmp_path: Path) -> None:
    """At the least sizes, where slices are empty, and at larger ones."""
    path = tmp_path / "source.c"
    path.write_text(source, encoding="utf-8")
    (result,) = read(path)
    assert result.module is not None
    (func_op,) = functions(result.module)
    view, function = FunctionView(func_op), _one(source)
    sizes = [dict.fromkeys(view.size_names, size) for size in (3, 4, 5, 9)]
    report = compare_with_interpreter(
        func_op, function.program, function.name, view.written, sizes, library="stablehlo"
    )
    assert report.passed, [str(failure) for failure in report.failures]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kernel", [k for k in kernels() if lifted_to(k, "stablehlo, open")], ids=str)
def test_a_kernel_is_proved_for_every_size_and_runs_in_xla(kernel: Kernel) -> None:
    function = lifted_kernel(kernel, "stablehlo")
    assert function.diagnostics == ()
    assert (function.verdict, function.level) == (kernel.expect, Level.PROVED)
    pytest.importorskip("jax", reason="JAX, which XLA comes with, is not installed: the program is proved, not run")
    (module,) = (one.module for one in read(kernel.path) if one.name == kernel.function)
    assert module is not None
    (func_op,) = functions(module)
    sizes = small_sizes(kernel.path, kernel.function, 3 if is_exhaustive() else 2)  # each is compiled
    written = FunctionView(func_op).written
    report = compare_with_interpreter(func_op, function.program, function.name, written, sizes, library="stablehlo")
    assert report.passed, [str(failure) for failure in report.failures]
