"""Programs in StableHLO: their text is kept, the same each time, and whatever is wrong in it is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from bench.kernels.catalogue import ROOT
from tests.lifts import lifted_text

from tensorlift import LiftError, lift
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.languages.cpp import read_cpp
from tensorlift.languages.python import read_python
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.record import FunctionRecord

_KEPT = Path(__file__).parent / "stablehlo"
_SIZES = {
    "polybench/gemm": {"ni": 64, "nj": 32, "nk": 48},
    "polybench/covariance": {"m": 32, "n": 40},
    "polybench/trmm": {"m": 24, "n": 16},
}
GEMM = """void gemm(int n, int m, int k, double C[n][m], double A[n][k], double B[k][m], double beta) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] *= beta;
      for (int l = 0; l < k; l++) C[i][j] += A[i][l] * B[l][j];
    }
}
"""
EVENS = """void evens(int n, float a[n], float b[n], int c[n]) {
  for (int i = 0; i < n; i += 2) a[i] = b[i] / 3.0f;
  for (int i = 0; i < n - 1; i++) c[i] = c[i + 1] > 2 ? c[i] : 7;
}
"""
CLIPPED = """void clipped(int n, int m, double a[n][m], double best[n]) {
  for (int i = 0; i < n; i++) {
    best[i] = a[i][0];
    for (int j = 1; j < m; j++) best[i] = a[i][j] > best[i] ? a[i][j] : best[i];
  }
}
"""
RUNNING = """void running(int n, double a[n]) {
  for (int i = 1; i < n; i++) a[i] += a[i - 1];
}
"""

ROWS = """void rows(int n, int m, const int *r, const int *s, const double A[n][m], double B[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[i][j] = A[r[i]][j] + s[i];
}
"""


SWEEPS = """void sweeps(int steps, int n, double a[n], double b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i + 1]) / 2;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
DECAY = """void decay(int n, double a[n], double b[n][n]) {
  for (int i = 1; i < n; i++) a[i] = b[i][i - 1] / a[i - 1];
}
"""


def _one(source: str, **sizes: int) -> FunctionRecord:
    return lifted_text(source, "stablehlo", **sizes)


@pytest.mark.parametrize("name", _SIZES)
def test_a_kernel_is_emitted_as_kept(name: str, update: bool) -> None:  # noqa: FBT001 - a fixture
    text = lift(ROOT / f"{name}.c", to="stablehlo", sizes=_SIZES[name]).source
    path = _KEPT / f"{name.rpartition('/')[2]}.mlir"
    if update:
        path.write_text(text)
    assert text == path.read_text()


def test_only_these_are_kept() -> None:
    stems = {path.stem for path in _KEPT.iterdir() if not path.stem.endswith("_open")}
    assert stems == {name.rpartition("/")[2] for name in _SIZES}


@pytest.mark.parametrize("source", [GEMM, EVENS, CLIPPED, RUNNING, DECAY])
def test_the_same_source_gives_the_same_bytes(source: str) -> None:
    sizes = {name: 6 for name in ("n", "m", "k") if f"int {name}" in source}
    first, second = (lift(source, to="stablehlo", sizes=sizes).record.to_json(times=False) for _ in range(2))
    assert first == second


def test_a_program_is_proved_for_its_sizes_which_it_states() -> None:
    function = _one(GEMM, n=4, m=3, k=5)
    assert (function.verdict, function.level) == ("loop-free", "proved")
    assert [p.text for p in function.preconditions if p.kind == "size"] == ["k == 5", "m == 3", "n == 4"]
    assert [p.name for p in function.parameters] == ["C", "A", "B", "beta"]
    assert verify(function.certificate or {}) == ()


def test_a_running_sum_is_a_scan() -> None:
    function = _one(RUNNING, n=5)
    assert (function.verdict, function.level) == ("scan", "proved")
    assert "stablehlo.reduce_window" in function.program


def test_a_kept_loop_is_a_while_over_what_it_carries() -> None:
    function = _one(SWEEPS, steps=5, n=6)
    assert (function.verdict, function.level) == ("hybrid", "proved")
    assert [loop.loop for loop in function.residual_loops] == ["for t"]
    assert function.program.count('"stablehlo.while"') == 1
    assert verify(function.certificate or {}) == ()


def test_a_loop_that_never_runs_keeps_the_arrays() -> None:
    function = _one(DECAY, n=1)
    assert function.level == "proved"


# -- requests that cannot be met


@pytest.mark.parametrize(
    ("sizes", "code", "message"),
    [
        ({"n": -1}, "TL516", "gemm is not defined at the sizes n = -1"),
        ({"n": 4, "m": -1, "k": 3}, "TL516", "gemm is not defined at the sizes n = 4, m = -1, k = 3"),
    ],
)
def test_sizes_that_are_impossible_are_refused(sizes: dict[str, int], code: str, message: str) -> None:
    function = _one(GEMM, **sizes)
    assert [(d.code, d.message) for d in function.diagnostics] == [(code, message)]
    assert all(d.remedy and d.location for d in function.diagnostics)


@pytest.mark.parametrize(("target", "sizes"), [("stablehlo", {"n": 1, "q": 2}), ("numpy", {"n": 4})])
def test_sizes_that_nothing_takes_are_refused(target: str, sizes: dict[str, int]) -> None:
    with pytest.raises(LiftError) as caught:
        lift(GEMM, to=target, sizes=sizes)
    assert [d.code for d in caught.value.diagnostics] == ["TL517"]


def test_sizes_that_contradict_each_other_are_refused() -> None:
    square = "void f(int n, int m, double a[n][m]) { for (int i = 0; i < n; i++) a[i][m - n + i] = 1; }"
    assert [d.code for d in _one(square, n=4, m=3).diagnostics] == ["TL516"]
    assert _one(square, n=3, m=4).verdict == "loop-free"


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("void f(int n, double a[n], unsigned b[n]) { for (int i = 0; i < n; i++) b[i] = a[i]; }", "TL307"),
        ("#include <math.h>\nvoid f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = erf(a[i]); }", "TL305"),
    ],
)
def test_what_stablehlo_lacks_is_refused(source: str, code: str) -> None:
    assert [d.code for d in _one(source, n=4).diagnostics] == [code]


@pytest.mark.parametrize("value", ["np.inf", "-np.inf", "256.0 - 0.0 * i", "256.0 if i == 0 else 0.0"])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint64"])
def test_no_constant_is_out_of_the_range_of_its_type(value: str, dtype: str) -> None:
    source = f'import numpy as np\ndef f(n: int, y: "{dtype}[:]"):\n    for i in range(n):\n        y[i] = {value}\n'
    (function,) = lift_source(source_from_text(source, "f.py"), LiftOptions(target="stablehlo")).functions
    assert {d.code for d in function.diagnostics} <= {"TL305", "TL307"}
    element = dtype.replace("int", "i")
    for number in re.findall(rf"constant dense<(-?\d+)> : tensor<(?:\d+x)?{element}>", function.program):
        assert np.iinfo(dtype).min <= int(number) <= np.iinfo(dtype).max


# -- wrong texts


_WRONG = [
    ("contracting_dims = [1] x [0]", "contracting_dims = [0] x [1]", "TL406"),
    ("stablehlo.add %1, %2", "stablehlo.subtract %1, %2", "TL406"),
    ("stablehlo.add %1, %2", "stablehlo.add %1, %1", "TL406"),
    ("stablehlo.multiply %C, %0", "stablehlo.multiply %C, %C", "TL406"),
    ("stablehlo.multiply %C, %0", "stablehlo.divide %C, %0", "TL40"),
    ("return %C_1", "return %C", "TL406"),
    ("return %C_1", "return %2", "TL406"),
    ("dims = [] : (tensor<f64>) -> tensor<3x3xf64>", "dims = [0] : (tensor<f64>) -> tensor<3x3xf64>", "TL401"),
    ("stablehlo.add %1, %2", "mystery.add %1, %2", "TL401"),
    ("%C_1 = stablehlo.add %1, %2 :", '%C_1 = "stablehlo.add"(%1, %2) :', "TL401"),
    ("%C_1 = stablehlo.add %1, %2", "%C_1 = stablehlo.add %1, %3", "TL401"),
    ("%beta: tensor<f64>", "%beta: tensor<f32>", "TL401"),
    ("%A: tensor<3x3xf64>, %B: tensor<3x3xf64>", "%B: tensor<3x3xf64>, %A: tensor<3x3xf64>", "TL405"),
    ("%A: tensor<3x3xf64>", "%A: tensor<?x3xf64>", "TL401"),
    ("func.func @gemm", "func.func @other", "TL405"),
    ("  return", "  stablehlo.return", "TL401"),
]


@pytest.mark.parametrize(("old", "new", "code"), _WRONG)
def test_a_wrong_text_is_refused(old: str, new: str, code: str) -> None:
    _refuse_changed(_one(GEMM, n=3, m=3, k=3), old, new, code)


@pytest.mark.parametrize("precision", ["", ", precision = [DEFAULT, DEFAULT]", ", precision = [HIGHEST]"])
def test_products_of_single_precision_are_as_precise_as_their_type(precision: str) -> None:
    assert "precision" not in _one(GEMM, n=3, m=3, k=3).program
    single = _one(GEMM.replace("double", "float"), n=3, m=3, k=3)
    _refuse_changed(single, ", precision = [HIGHEST, HIGHEST]", precision, "TL40")


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (EVENS, "low = [0], high = [1], interior = [1]", "low = [1], high = [0], interior = [1]"),
        (EVENS, "compare GT", "compare GE"),
        (EVENS, "dense<7>", "dense<8>"),
        (EVENS, "[1:6]", "[0:5]"),
        (CLIPPED, "dimensions = [1]", "dimensions = [0]"),
        (CLIPPED, "applies stablehlo.maximum", "applies stablehlo.minimum"),
        (RUNNING, "[[5, 0]]", "[[4, 1]]"),
        (RUNNING, "array<i64: 6>", "array<i64: 5>"),
        (RUNNING, "dense<0.000000e+00>", "dense<1.000000e+00>"),
        (RUNNING, "%3 = stablehlo.add", "%3 = stablehlo.multiply"),
        (RUNNING, "stablehlo.return %3", "stablehlo.return %1"),
        (ROWS, "slice_sizes = array<i64: 1, 6>", "slice_sizes = array<i64: 1, 5>"),
        (ROWS, "offset_dims = [1]", "offset_dims = [0]"),
        (ROWS, "start_index_map = [0]", "start_index_map = [1]"),
        (ROWS, "collapsed_slice_dims = [0]", "collapsed_slice_dims = [1]"),
        (ROWS, "stablehlo.reshape %r", "stablehlo.reshape %s"),
    ],
)
def test_a_wrong_fold_or_store_is_refused(source: str, old: str, new: str) -> None:
    sizes = {name: 6 for name in ("n", "m") if f"int {name}" in source}
    _refuse_changed(_one(source, **sizes), old, new, "TL4")


def test_an_extreme_of_windows_that_may_hold_no_cell_is_refused() -> None:
    source = """void most(int n, double a[n]) {
  for (int i = 1; i < n; i++) a[i] = a[i] > a[i - 1] ? a[i] : a[i - 1];
}
"""
    function = _one(source, n=6)
    assert "[[5, 0]]" in function.program
    certificate = certificate_from_json(function.certificate or {})
    text = function.program.replace("[[5, 0]]", "[[6, 0]]")
    with pytest.raises(CheckFailure, match="windows of an extreme that may hold no cell"):
        check(text, function.name, certificate.summary, get_target("stablehlo"), certificate.cuts)


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (SWEEPS, "compare LT", "compare LE"),
        (SWEEPS, "compare LT", "compare NE"),
        (SWEEPS, "dense<5> : tensor<i64>", "dense<6> : tensor<i64>"),
        (SWEEPS, "dense<0> : tensor<i64>", "dense<1> : tensor<i64>"),
        (SWEEPS, "stablehlo.add %t, ", "stablehlo.add %t, %t, "),
        (SWEEPS, "stablehlo.add %t, ", "stablehlo.subtract %t, "),
        (SWEEPS, "%a_2, %b_2 : tensor<i64>", "%b_2, %a_2 : tensor<i64>"),
        (SWEEPS, "%a_2, %b_2 : tensor<i64>", "%a_1, %b_2 : tensor<i64>"),
        (SWEEPS, "return %a_3, %b_3", "return %a, %b_3"),
        (SWEEPS, "return %a_3, %b_3", "return %b_3, %a_3"),
        (SWEEPS, "(%0, %a, %b)", "(%0, %b, %a)"),
        (DECAY, "sizes = [1, 1]", "sizes = [1, 2]"),
        (DECAY, "dense<-1> : tensor<i64>", "dense<-2> : tensor<i64>"),
        (DECAY, "dense<1> : tensor<i64>", "dense<2> : tensor<i64>"),
    ],
)
def test_a_wrong_loop_is_refused(source: str, old: str, new: str) -> None:
    sizes = {name: size for name, size in {"steps": 5, "n": 6}.items() if f"int {name}" in source}
    _refuse_changed(_one(source, **sizes), old, new, "TL4")


def test_the_bits_of_a_float_are_read_as_bits() -> None:
    """An infinity in the place of a number must not pass for the number that its bits spell."""
    function = _one("void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 4607182418800017408.0; }", n=2)
    _refuse_changed(function, "4.6071824188000174e+18", "0x3FF0000000000000", "TL406")


def _refuse_changed(function: FunctionRecord, old: str, new: str, code: str) -> None:
    assert old in function.program, function.program
    certificate = certificate_from_json(function.certificate or {})
    text = function.program.replace(old, new, 1)
    with pytest.raises(CheckFailure) as caught:
        check(text, function.name, certificate.summary, get_target("stablehlo"), certificate.cuts)
    assert caught.value.code.startswith(code), str(caught.value)


# -- what XLA computes

_PROGRAMS = {
    "keyword.c": "void keyword(int n, const float in[n], float out[n]) {"
    " for (int i = 0; i < n; i++) out[i] = 0.1f * in[i] - 1.0f / 3; }",
    "extremes.c": "#include <math.h>\nvoid extremes(int n, double a[n], double b[n], double most[1]) {"
    " most[0] = a[0]; for (int i = 0; i < n; i++) { most[0] = fmax(most[0], a[i]); b[i] = fmin(a[i], b[i]); } }",
    "swapped.cpp": "#include <utility>\n#include <vector>\nvoid swapped(std::vector<double> &u, int steps) {"
    " std::vector<double> v(u); for (int t = 0; t < steps; t++) {"
    " for (std::size_t i = 1; i + 1 < u.size(); i++) v[i] = u[i - 1] + u[i + 1]; std::swap(u, v); } }",
    "wrapped.py": "import numpy as np\nimport numpy.typing as npt\n\n"
    "def wrapped(x: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:\n"
    "    out = np.zeros(x.shape[0], dtype=np.int64)\n"
    "    for i in range(x.shape[0]):\n"
    "        out[i] = x[i] // 3 + x[i] % 5\n"
    "    return out\n",
    "divided.py": "def divided(x: 'int8[:]', d: 'int8[:]', y: 'int8[:]', z: 'int8[:]') -> None:\n"
    "    for i in range(len(x)):\n"
    "        y[i] = x[i] // d[i]\n"
    "        z[i] = x[i] % d[i]\n",
    "digits.c": "void digits(int n, double *y, const double a[][10]) {"
    " for (int i = 0; i < n; i++) y[i] = a[i / 10][i % 10]; }",
    "evens.c": EVENS,
    "decay.c": DECAY,
}


_READERS: dict[str, Callable[[str, str], list[ReadFunction]]] = {"c": read_c, "cpp": read_cpp, "py": read_python}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", _PROGRAMS)
def test_a_program_computes_what_the_source_does(name: str) -> None:
    pytest.importorskip("jax", reason="JAX, which XLA comes with, is not installed")
    source = source_from_text(_PROGRAMS[name], name)
    (read,) = _READERS[name.partition(".")[2]](source.text, source.name)
    assert read.module is not None
    (func_op,) = functions(read.module)
    view = FunctionView(func_op)
    sizes = dict.fromkeys(view.size_names, 5)
    (function,) = lift_source(source, LiftOptions(target="stablehlo", sizes=tuple(sizes.items()))).functions
    assert function.diagnostics == ()
    report = compare_with_interpreter(
        func_op, function.program, function.name, view.written, [sizes], library="stablehlo"
    )
    assert report.passed, [str(failure) for failure in report.failures]


MODULO = (
    "def modulo(x: 'int64[:]', k: int, y: 'int64[:]') -> None:\n    for i in range(len(x)):\n        y[i] = x[i] % k\n"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [("compare GT", "compare GE"), ("compare GT", "compare LT"), ("stablehlo.add ", "stablehlo.subtract ")],
)
def test_a_remainder_that_is_put_right_otherwise_is_rejected(old: str, new: str) -> None:
    record = lift_source(source_from_text(MODULO, "modulo.py"), LiftOptions(target="stablehlo"))
    (function,) = record.functions
    certificate = certificate_from_json(function.certificate or {})
    assert old in function.program
    with pytest.raises(CheckFailure):
        check(
            function.program.replace(old, new), "modulo", certificate.summary, get_target("stablehlo"), certificate.cuts
        )
