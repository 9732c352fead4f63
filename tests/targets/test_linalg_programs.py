"""Programs in Linalg: their text is kept, the same each time, upstream takes it, and whatever is wrong is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.kernels.catalogue import ROOT
from tests.lifts import lifted_text

from tensorlift import LiftError, lift
from tensorlift.pipeline import verify
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.runtime.mlir.program import Module, memref_kind
from tensorlift.runtime.mlir.tools import LoweringError, checked, find_tools
from tensorlift.targets import get_target
from tensorlift.targets.linalg.writer import operation

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType
    from tensorlift.record import FunctionRecord
    from tensorlift.runtime.mlir.tools import Tools

_KEPT = Path(__file__).parent / "linalg"
_INNER = "for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)"
_KERNELS = ["polybench/gemm", "polybench/symm", "polybench/jacobi_1d"]
GEMM = """void gemm(int n, int m, int k, double C[n][m], double A[n][k], double B[k][m], double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int l = 0; l < k; l++) C[i][j] += A[i][l] * B[l][j];
    }
}
"""
SMOOTH = """void smooth(int steps, int n, float a[n], float b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i + 1]) / 2.0f;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
LOWER = """void lower(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) b[i][j] = a[i][j];
}
"""
LARGEST = """int largest(int n, int a[n]) {
  int s = a[0];
  for (int i = 1; i < n; i++) s = s > a[i] ? s : a[i];
  return s;
}
"""
PICKED = """void picked(int n, int p, const int *r, const int *c, const double A[p][p], double *y) {
  for (int i = 0; i < n; i++) y[i] = A[r[i]][c[i]];
}
"""
UNSIGNED = """unsigned mixed(int n, const unsigned *restrict a, const unsigned char *restrict b,
               const double *restrict t, unsigned *restrict y, int *restrict z, double *restrict w) {
  unsigned most = 0;
  for (int i = 0; i < n; i++) {
    y[i] = a[i] / 7u + a[i] % 5u + ((a[i] >> 3) ^ (~a[i] << 2));
    z[i] = a[i] < 9u ? b[i] : 1;
    w[i] = t[a[i]] * a[i];
    most = a[i] > most ? a[i] : most;
  }
  return most;
}
"""
TURNED = "void turned(int n, int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[n - 1 - i] + i; }"


@pytest.fixture(name="tools")
def _tools() -> Tools:
    tools = find_tools()
    if tools is None:
        pytest.skip("upstream MLIR's tools are not installed")
    return tools


def _one(source: str) -> FunctionRecord:
    function = lifted_text(source, "linalg")
    assert (function.diagnostics, function.level) == ((), "proved")
    return function


@pytest.mark.parametrize("name", _KERNELS)
def test_a_kernel_is_emitted_as_kept(name: str, update: bool) -> None:  # noqa: FBT001 - a fixture
    text = lift(ROOT / f"{name}.c", to="linalg").source
    path = _KEPT / f"{name.rpartition('/')[2]}.mlir"
    if update:
        path.write_text(text)
    assert text == path.read_text()


def test_only_these_are_kept() -> None:
    assert {path.stem for path in _KEPT.iterdir()} == {name.rpartition("/")[2] for name in _KERNELS}


@pytest.mark.parametrize("source", [GEMM, SMOOTH, LOWER, LARGEST, TURNED])
def test_the_same_source_gives_the_same_bytes(source: str) -> None:
    first, second = (lift(source, to="linalg").record.to_json(times=False) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("source", [GEMM, SMOOTH, LOWER, LARGEST, TURNED])
def test_a_certificate_is_decided_again(source: str) -> None:
    assert verify(_one(source).certificate or {}) == ()


@pytest.mark.parametrize("name", _KERNELS)
def test_what_is_kept_is_taken_by_upstream(name: str, tools: Tools) -> None:
    assert "func.func" in checked((_KEPT / f"{name.rpartition('/')[2]}.mlir").read_text(), tools)


# -- which operations


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j];", "linalg.matvec"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[j] += A[i][j] * x[i];", "linalg.vecmat"),
        ("for (int i = 0; i < n; i++) y[0] += x[i] * z[i];", "linalg.dot"),
        ("for (int i = 0; i < n; i++) y[0] += x[i];", "linalg.reduce { arith.addf }"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[j][i] = A[i][j];", "linalg.transpose"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] = x[j];", "linalg.broadcast"),
        ("for (int i = 0; i < n; i++) y[i] = 1.5;", "linalg.fill"),
        ("for (int i = 0; i < n; i++) y[i] = x[i] - z[i];", "linalg.map { arith.subf }"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) y[i] += w[i + j] * v[j];", "linalg.conv_1d"),
        (f"for (int i = 0; i < n; i++) {_INNER} B[i][j] += A[k][i] * A[k][j];", "linalg.contract"),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] += x[i] * z[j];", "linalg.generic"),
    ],
)  # fmt: skip
def test_named_operations_are_used_where_there_is_one(body: str, operation: str) -> None:
    arguments = (
        "int n, double y[n], double x[n], double z[n], double A[n][n], double B[n][n], double w[n + 2], double v[3]"
    )
    function = _one(f"void f({arguments}) {{ {body} }}")
    assert operation in function.program
    assert function.verdict == "loop-free"


def test_windows_are_read_through_a_map_not_copied() -> None:
    source = """void pool(int n, double y[n], double x[2 * n + 1]) {
  for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < 3; j++) y[i] += x[2 * i + j] * x[2 * i + j]; }
}"""
    assert "affine_map<(d0, d1) -> (d0 * 2 + d1)>" in _one(source).program


def test_a_loop_that_stays_hands_its_arrays_on() -> None:
    function = _one(SMOOTH)
    assert function.verdict == "hybrid"
    assert "scf.for" in function.program
    assert [p.name for p in function.parameters] == ["steps", "a", "b"]


def test_operations_tell_unsigned_integers_from_signed_ones() -> None:
    function = _one(UNSIGNED)
    assert "%a: tensor<?xi32>, %b: tensor<?xi8>" in function.program
    for name in ("divui", "remui", "shrui", "maxui", "cmpi ult", "extui", "uitofp", "index_castui"):
        assert f"arith.{name}" in function.program


@pytest.mark.parametrize(("op", "dtype"), [("mod", "i64"), ("bitand", "f64"), ("pow", "i32"), ("add", "bool")])
def test_operations_that_the_dialects_lack_are_refused(op: str, dtype: DType) -> None:
    with pytest.raises(LiftError) as caught:
        operation(op, dtype)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.message) == ("TL305", f"MLIR's arith and math have no {op} on {dtype}")


# -- running


def test_tests_run_the_program_under_upstream_mlir(tools: Tools) -> None:
    (function,) = lift(SMOOTH, to="linalg", test=True).functions
    assert [(trial.against, trial.passed) for trial in function.tests] == [("interpreter", True), ("compiled", True)]
    assert tools.opt


def test_arguments_are_left_alone_and_results_are_fresh(tools: Tools) -> None:
    assert tools.opt
    gemm = Module(_one(GEMM).program).function("gemm")
    c, a, b = np.ones((2, 4)), np.arange(6.0).reshape(2, 3), np.ones((3, 4))
    result = gemm(c, a, b, 2.0)
    assert np.allclose(result, 2 + a @ b)
    assert np.array_equal(c, np.ones((2, 4)))
    assert np.allclose(gemm(c.T.copy().T, a, b, np.float64(1)), 1 + a @ b)
    with pytest.raises(ValueError, match="rank 1"):
        gemm(c, a, b[0], 2.0)


def test_no_elements_are_no_error(tools: Tools) -> None:
    assert tools.opt
    module = Module(_one(TURNED).program)
    assert module.function("turned")(np.empty(0, np.int32)).shape == (0,)


def test_a_text_that_upstream_does_not_take_is_said_to_be_so(tools: Tools) -> None:
    with pytest.raises(LoweringError, match="expected"):
        checked("func.func @f(", tools)


def test_tools_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorlift.runtime.mlir.tools.find_tools", lambda: None)
    (diagnostic,) = lift(GEMM, to="linalg", test=True).diagnostics
    assert diagnostic.code == "TL607"
    assert diagnostic.message == "running the lifted program needs mlir-opt, which is not installed"
    assert diagnostic.remedy == "install it: apt install mlir-22-tools"


# -- wrong texts

_WRONG = [
    (GEMM, "ins(%A, %B", "ins(%B, %A", "TL4"),
    (GEMM, "outs(%1 ", "outs(%C ", "TL406"),
    (GEMM, "outs(%1 ", "outs(%0 ", "TL401"),
    (GEMM, "arith.mulf %in, %beta", "arith.mulf %in, %in", "TL406"),
    (GEMM, "linalg.yield %2", "linalg.yield %in", "TL406"),
    (GEMM, "arith.mulf %in, %beta : f64", "arith.mulf %in, %beta fastmath<nnan> : f64", "TL401"),
    (GEMM, "return %", "return %C : tensor<?x?xf64> // %", "TL406"),
    (GEMM, "%beta: f64", "%beta: f32", "TL401"),
    (GEMM, "%beta: f64", "%beta: tensor<f64>", "TL401"),
    (GEMM, "%A: tensor<?x?xf64>, %B: tensor<?x?xf64>", "%B: tensor<?x?xf64>, %A: tensor<?x?xf64>", "TL405"),
    (GEMM, "%C: tensor<?x?xf64>", "%C: tensor<?x?xf32>", "TL401"),
    (GEMM, "func.func @gemm", "func.func @other", "TL405"),
    (GEMM, "linalg.matmul", "mystery.matmul", "TL401"),
    (GEMM, "tensor.dim %C, %c0", "tensor.dim %C, %c1", "TL4"),
    (GEMM, "  return", "  scf.yield", "TL401"),
    (SMOOTH, "%c0 to %steps", "%c1 to %steps", "TL407"),
    (SMOOTH, "step %c1", "step %c0", "TL407"),
    (SMOOTH, "(%b_0 = %b, %a_0 = %a)", "(%b_0 = %a, %a_0 = %b)", "TL40"),
    (SMOOTH, "scf.yield %b_1, %a_1", "scf.yield %b_1, %a_0", "TL407"),
    (SMOOTH, "return %0#1", "return %0#0", "TL406"),
    (SMOOTH, "tensor.extract_slice %a_0[2]", "tensor.extract_slice %a_0[1]", "TL407"),
    (SMOOTH, "tensor.extract_slice %a_0[2]", "tensor.extract_slice %a_0[3]", "TL402"),
    (SMOOTH, "arith.addf", "arith.subf", "TL407"),
    (SMOOTH, "2.0 : f32", "2.5 : f32", "TL407"),
    (LOWER, "sle", "slt", "TL406"),
    (LOWER, "linalg.index 1", "linalg.index 0", "TL406"),
    (LOWER, "linalg.index 1", "linalg.index 2", "TL401"),
    (LOWER, '"parallel", "parallel"', '"parallel", "reduction"', "TL401"),
    (LOWER, "affine_map<(d0, d1) -> (d0, d1)>]", "affine_map<(d0, d1) -> (d1, d0)>]", "TL40"),
    (LOWER, "affine_map<(d0, d1) -> (d0, d1)>]", "affine_map<(d0, d1) -> (d0, d0)>]", "TL401"),
    (LARGEST, "arith.maxsi", "arith.minsi", "TL406"),
    (LARGEST, "arith.maxsi", "arith.subi", "TL401"),
    (LARGEST, "-2147483648", "0", "TL406"),
    (LARGEST, "dimensions = [0]", "dimensions = []", "TL401"),
    (TURNED, "(s0 - d0 - 1)", "(s0 - d0)", "TL402"),
    (TURNED, "(s0 - d0 - 1)", "(d0)[s0] -> (d0)", "TL40"),
    (TURNED, "arith.index_cast", "arith.index_castui", "TL4"),
    *(
        (UNSIGNED, old, new, "TL40")
        for old, new in (
            ("divui", "divsi"),
            ("remui", "remsi"),
            ("shrui", "shrsi"),
            ("maxui", "maxsi"),
            ("ult", "slt"),
            ("extui", "extsi"),
            ("uitofp", "sitofp"),
            ("index_castui", "index_cast"),
        )
    ),
    (PICKED, "%A[%2, %3]", "%A[%3, %2]", "TL40"),
    (PICKED, "%A[%2, %3]", "%A[%2, %2]", "TL40"),
    (PICKED, "arith.index_cast %in_0", "arith.index_cast %in", "TL40"),
    (PICKED, "arith.index_cast %in :", "arith.index_castui %in :", "TL40"),
]


@pytest.mark.parametrize(("source", "old", "new", "code"), _WRONG)
def test_a_wrong_text_is_refused(source: str, old: str, new: str, code: str) -> None:
    function = _one(source)
    assert old in function.program, function.program
    _refuse(function, function.program.replace(old, new, 1), code)


def test_a_body_beside_the_region_of_a_generic_is_not_read() -> None:
    loops = "for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < m; j++) y[i] += a[i][j]; }"
    function = _one(f"void f(int n, int m, double a[n][m], double *y) {{ {loops} }}")
    head, _, rest = function.program.partition("linalg.reduce { arith.addf } ")
    operands, _, tail = rest.partition(" dimensions = [1]")
    maps = "affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>"
    stated = f'indexing_maps = [{maps}], iterator_types = ["parallel", "reduction"]'
    region = "{\n^bb0(%x: f64, %z: f64):\n%w = arith.%s %z, %x : f64\nlinalg.yield %w : f64\n} -> tensor<?xf64>"
    _refuse(function, f"{head}linalg.generic {{{stated}}} {operands} {region.replace('%s', 'mulf')}{tail}", "TL406")
    stated += ', body = "arith.addf"'
    _refuse(function, f"{head}linalg.generic {{{stated}}} {operands} {region.replace('%s', 'mulf')}{tail}", "TL401")


def _refuse(function: FunctionRecord, text: str, code: str) -> CheckFailure:
    certificate = certificate_from_json(function.certificate or {})
    with pytest.raises(CheckFailure) as caught:
        check(text, function.name, certificate.summary, get_target("linalg"), certificate.cuts)
    assert caught.value.code.startswith(code), str(caught.value)
    return caught.value


def test_cells_without_a_value_are_not_read() -> None:
    """What a new tensor holds must not count, not even where it is multiplied by zero."""
    function = _one("void zeros(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 0; }")
    text = """func.func @zeros(%a: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = tensor.dim %a, %c0 : tensor<?xf64>
  %0 = tensor.empty(%n) : tensor<?xf64>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%0 : tensor<?xf64>) {
  ^bb0(%out: f64):
    %2 = arith.mulf %out, %zero : f64
    linalg.yield %2 : f64
  } -> tensor<?xf64>
  return %1 : tensor<?xf64>
}
"""
    assert _refuse(function, text, "TL401").reason == "cells are read that have no value"


def test_of_a_returned_bit_the_rest_of_its_byte_tells_nothing() -> None:
    assert [bool(memref_kind("i1").number(byte)) for byte in (0, 1, 2, 255)] == [False, True, False, True]


def test_a_whole_number_is_read_as_signed() -> None:
    """MLIR takes 200 as eight bits, which are those of -56."""
    function = _one("void f(int n, signed char a[n]) { for (int i = 0; i < n; i++) a[i] = -56; }")
    text = function.program.replace("-56 : i8", "200 : i8")
    certificate = certificate_from_json(function.certificate or {})
    assert text != function.program
    check(text, function.name, certificate.summary, get_target("linalg"), certificate.cuts)
    _refuse(function, function.program.replace("-56 : i8", "201 : i8"), "TL406")


def test_a_part_that_is_not_written_has_no_value() -> None:
    function = _one("void ends(int n, double a[n + 2]) { for (int i = 0; i < n; i++) a[i + 1] = 0; }")
    assert "into %a[1] [%n] [1]" in function.program
    wider = "%9 = affine.apply affine_map<()[s0] -> (s0 + 2)>()[%n]\n  %8 = tensor.empty(%9) : tensor<?xf64>\n  %a_0 = "
    text = function.program.replace("%a_0 = ", wider, 1).replace("into %a[1]", "into %8[1]", 1)
    assert _refuse(function, text, "TL405").reason == "a is returned without values"


def test_the_generic_form_is_not_read() -> None:
    function = _one(LARGEST)
    text = function.program.replace("tensor.extract %2[] : tensor<i32>", '"tensor.extract"(%2) : (tensor<i32>) -> i32')
    assert text != function.program
    assert "is not in its own form" in _refuse(function, text, "TL401").reason


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(LiftError) as caught:
        lift(GEMM, to="linalgs")
    assert "linalg" in (caught.value.diagnostics[0].remedy or "")
