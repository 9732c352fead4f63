"""Programs for PyTorch: they follow types and devices of their arguments, and PyTorch's transformations take them."""

from __future__ import annotations

import importlib
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench.kernels.catalogue import Kernel, kernels
from tests.lifts import lifted_kernel, lifted_text
from tests.targets.tampering import refusal

from tensorlift import LiftError, lift
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.report.program import entry_name
from tensorlift.runtime.program import load_program
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from types import ModuleType

GEMM = """void gemm(int m, int n, int k, double alpha, double C[m][n], double A[m][k], double B[k][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += alpha * A[i][p] * B[p][j];
}
"""
SHIFT = """void shift(int n, double a[n]) {
  for (int i = 0; i < n - 1; i++) a[i] = a[i + 1];
}
"""
SWEEP = """void sweep(int steps, int n, float a[n], float b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""


@pytest.fixture(scope="module", name="torch")
def _torch() -> ModuleType:
    torch: ModuleType = pytest.importorskip("torch", reason="PyTorch is not installed")
    return torch


def _refusal(source: str, entry: str, text: str) -> CheckFailure:
    certificate = certificate_from_json(lifted_text(source, "torch").certificate or {})
    with pytest.raises(CheckFailure) as caught:
        check(f"import torch\n\n\n{text}", entry, certificate.summary, get_target("torch"))
    return caught.value


def test_a_store_of_a_view_of_the_same_memory_is_refused_but_not_that_of_a_clone() -> None:
    text = "def shift(a):\n    a = a.clone()\n    a[:-1] = a[1:]\n    return a\n"
    failure = _refusal(SHIFT, "shift", text)
    assert failure.reason == "a stored value shares memory with what is written"
    assert [diagnostic.remedy for diagnostic in failure.diagnostics] == ["store a copy of the value"]
    certificate = certificate_from_json(lifted_text(SHIFT, "torch").certificate or {})
    cloned = text.replace("a[1:]", "a[1:].clone()")
    check(f"import torch\n\n\n{cloned}", "shift", certificate.summary, get_target("torch"))


def test_an_update_by_a_view_of_the_same_memory_is_refused() -> None:
    text = "def shift(a):\n    a = a.clone()\n    a[:-1] += a[1:]\n    return a\n"
    assert "shares memory" in _refusal(SHIFT, "shift", text).reason


def test_a_cell_is_a_view_that_a_store_changes() -> None:
    text = "def shift(a):\n    a = a.clone()\n    first = a[0]\n    a[0] = 1.0\n    a[1] = first\n    return a\n"
    assert "first" in _refusal(SHIFT.replace("for", "a[0] = 0; for"), "shift", text).reason


@pytest.mark.parametrize("method", ["flip", "permute"])
def test_an_operation_on_axes_names_one(method: str) -> None:
    text = f"def shift(a):\n    a = a.{method}()\n    return a\n"
    assert f"{method}() without axes" in _refusal(SHIFT, "shift", text).reason


def test_what_has_the_default_type_is_refused() -> None:
    text = "def shift(a):\n    return torch.zeros((3,))\n"
    assert "dtype" in _refusal(SHIFT, "shift", text).reason


@pytest.mark.in_turns(6)
@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_kernel_computes_on_the_device_of_its_arguments(torch: ModuleType, kernel: Kernel) -> None:
    """Tensors of the device ``meta`` have no values: any tensor made elsewhere fails to go with them."""
    function = lifted_kernel(kernel, "torch")
    arguments = {p.name: _meta(torch, p) for p in function.parameters}
    takes_tensors = any(isinstance(value, torch.Tensor) for value in arguments.values())
    with _without_integer_vectors(torch):
        returned = load_program(function.program, entry_name(function.name, function.program))(*arguments.values())
    results = returned if isinstance(returned, tuple) else (returned,)
    assert {result.device.type for result in results} == {"meta" if takes_tensors else "cpu"}


def _without_integer_vectors(torch: ModuleType) -> Any:
    """Raise at what CUDA does not implement, unless two matrices of integers are multiplied, which programs do."""
    products = [
        getattr(torch.ops.aten, name) for name in ("dot", "vdot", "mv", "addmv", "mm", "addmm", "bmm", "baddbmm")
    ]

    class Device(importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode):  # type: ignore[misc]  # of a module that is loaded here
        def __torch_dispatch__(
            self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            del types
            if function.overloadpacket in products and not args[0].is_floating_point():
                assert all(x.ndim > 1 and 1 not in x.shape[-2:] for x in args), function
            return function(*args, **(kwargs or {}))

    return Device()


INTEGERS = """#include <stdint.h>
long dot(int n, const int *a, const int *b) {
  long s = 0;
  for (int i = 0; i < n; i++) s += (long)a[i] * b[i];
  return s;
}
void columns(int m, int n, int A[m][n], int x[m], int y[n]) {
  for (int j = 0; j < n; j++) { y[j] = 0; for (int i = 0; i < m; i++) y[j] += A[i][j] * x[i]; }
}
int both(int m, int n, int A[m][n], int B[n][m]) {
  int s = 0;
  for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) s += A[i][j] * B[j][i];
  return s;
}
void rows(int m, int n, long A[m][n], long B[m][n], long y[m]) {
  for (int i = 0; i < m; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += A[i][j] * B[i][j]; }
}
void stack(int b, int m, int n, int A[b][m][n], int x[b][n], int y[m][b]) {
  for (int k = 0; k < b; k++)
    for (int i = 0; i < m; i++) { y[i][k] = 0; for (int j = 0; j < n; j++) y[i][k] += A[k][i][j] * x[k][j]; }
}
void windows(int n, int k, int x[n + k - 1], int h[k], int y[n]) {
  for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += x[i + j] * h[j]; }
}
void narrow(int m, int n, int8_t A[m][n], uint8_t x[n], int8_t y[m]) {
  for (int i = 0; i < m; i++) { int8_t s = 0; for (int j = 0; j < n; j++) s += A[i][j] * x[j]; y[i] = s; }
}
"""


def test_integers_are_multiplied_by_what_gpus_implement_too(torch: ModuleType) -> None:
    """PyTorch has products of vectors of integers on the CPU only: their cells are multiplied, and summed."""
    lifted = lift(INTEGERS, to="torch", test=True)
    for function in lifted.functions:
        assert all(trial.passed for trial in function.tests), function.program
        assert "@" not in function.program, function.program
        with _without_integer_vectors(torch):
            program = load_program(function.program, entry_name(function.name, function.program))
            program(*(_meta(torch, p) for p in function.parameters))
    matrices = "int A[m][k], int B[k][n], int C[m][n]) { for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)"
    body = "{ C[i][j] = 0; for (int p = 0; p < k; p++) C[i][j] += A[i][p] * B[p][j]; } }"
    assert lift(f"void f(int m, int n, int k, {matrices} {body}", to="torch").source.count("A @ B") == 1


def _meta(torch: ModuleType, parameter: Any) -> Any:
    if parameter.role == "size":
        return 3
    shape = (4,) * len(parameter.shape)
    if not shape:
        return 2.0 if parameter.dtype.startswith("float") else 2
    return torch.empty(shape, dtype=getattr(torch, parameter.dtype), device="meta")


def test_a_program_for_double_computes_in_single_precision_where_its_arguments_are_single(torch: ModuleType) -> None:
    source = """void scale(int m, int n, double a[m][n], double mean[n]) {
      for (int j = 0; j < n; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < m; i++) mean[j] += a[i][j];
        mean[j] /= m;
        for (int i = 0; i < m; i++) a[i][j] = exp(a[i][j] - mean[j]) / sqrt((double)n);
      }
    }"""
    a = torch.rand((3, 2), dtype=torch.float32)
    scaled, mean = lift(f"#include <math.h>\n{source}", to="torch")(a)
    assert (scaled.dtype, mean.dtype) == (torch.float32, torch.float32)
    assert torch.allclose(scaled, torch.exp(a - a.mean(0)) / 2**0.5)


def test_arguments_stay_as_they_are(torch: ModuleType) -> None:
    a, b = torch.arange(6, dtype=torch.float32) ** 2, torch.zeros(6)
    after, _ = lift(SWEEP, to="torch")(2, a, b)
    assert torch.equal(a, torch.arange(6, dtype=torch.float32) ** 2)
    assert not torch.equal(a, after)
    assert not b.any()


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", ["gemm", "jacobi_1d", "durbin", "correlation", "trisolv", "symm"])
@pytest.mark.filterwarnings("ignore")
def test_a_program_is_traced_whole(torch: ModuleType, name: str) -> None:
    """``fullgraph`` fails where anything but tensor operations would remain for Python to do."""
    lifted = lift(f"bench/kernels/polybench/{name}.c", to="torch")
    arguments = [_value(torch, p) for p in lifted.functions[0].parameters]
    expected = lifted(*arguments)
    compiled = torch.compile(lifted._function, fullgraph=True, backend="aot_eager")(*arguments)
    for one, other in zip(_listed(compiled), _listed(expected), strict=True):
        assert torch.allclose(one, other)


@pytest.mark.in_turns(2)
@pytest.mark.skipif(shutil.which("c++") is None, reason="torch.compile needs a C++ compiler, which is not installed")
@pytest.mark.parametrize("name", ["gemm", "jacobi_1d"])
@pytest.mark.filterwarnings("ignore")
def test_a_program_is_compiled_to_code_of_its_own(torch: ModuleType, name: str) -> None:
    lifted = lift(f"bench/kernels/polybench/{name}.c", to="torch")
    arguments = [_value(torch, p) for p in lifted.functions[0].parameters]
    # Whether the compiler takes each instruction set of the processor is not tried, which takes longer than all else.
    with importlib.import_module("torch._inductor.config").patch({"cpp.vec_isa_ok": True}):
        compiled = torch.compile(lifted._function, fullgraph=True)(*arguments)
    for one, other in zip(_listed(compiled), _listed(lifted(*arguments)), strict=True):
        assert torch.allclose(one, other)


def _value(torch: ModuleType, parameter: Any) -> Any:
    if parameter.role == "size":
        return 3
    shape = (4,) * len(parameter.shape)
    return torch.rand(shape, dtype=torch.float64) if shape else 1.5


def _listed(returned: Any) -> tuple[Any, ...]:
    return returned if isinstance(returned, tuple) else (returned,)


def test_a_program_is_mapped_and_differentiated(torch: ModuleType) -> None:
    gemm, rng = lift(GEMM, to="torch"), np.random.default_rng(0)
    c, a, b = (torch.from_numpy(rng.normal(size=shape)) for shape in ((2, 4), (2, 3), (3, 4)))
    stacked = torch.vmap(gemm, in_dims=(None, 0, None, None))(1.5, torch.stack([c, 2 * c]), a, b)
    assert torch.allclose(stacked[1], 2 * c + 1.5 * (a @ b))
    alpha = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    gemm(alpha, c, a, b).sum().backward()
    assert torch.allclose(alpha.grad, (a @ b).sum())


def test_a_sweep_over_cells_keeps_the_derivatives(torch: ModuleType) -> None:
    a = torch.rand(5, dtype=torch.float32, requires_grad=True)
    after, _ = lift(SWEEP, to="torch")(1, a, torch.zeros(5))
    after[2].backward()
    assert torch.allclose(a.grad, torch.tensor([0, 1 / 3, 1 / 3, 1 / 3, 0]))


def test_a_live_function_computes_with_torch_on_numpy_arrays(torch: ModuleType) -> None:
    @lift(to="torch")
    def double(a: list[float]) -> None:
        for i in range(len(a)):
            a[i] = 2 * a[i]

    values = [1.0, 2.0]
    double(values)
    assert values == [2.0, 4.0]
    assert torch is not None


def test_running_a_program_whose_library_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorlift.runtime.libraries.find_spec", lambda _: None)
    with pytest.raises(LiftError) as caught:
        lift(GEMM, to="torch")(1.0, np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.remedy) == ("TL607", "install it: pip install 'tensorlift[torch]'")


@pytest.mark.parametrize("dtype", ["unsigned short", "unsigned int", "unsigned long"])
def test_a_type_that_torch_lacks_is_refused(dtype: str) -> None:
    source = f"void f(int n, {dtype} a[n]) {{ for (int i = 0; i < n; i++) a[i] = a[i] + 1; }}"
    (diagnostic,) = lift(source, to="torch").diagnostics
    assert diagnostic.code == "TL307"
    assert "lift to another target" in (diagnostic.remedy or "")


def test_a_loop_stays_where_torch_has_no_operation_for_its_closed_form(torch: ModuleType) -> None:
    source = """#include <math.h>
    double f(int n, double a[n]) { double s = 0; for (int i = 0; i < n; i++) s = fmax(s, a[i]); return s; }"""
    lifted = lift(source, to="torch")
    assert (lifted.verdict, lifted.level) == ("unchanged", "proved")
    (loop,) = lifted.functions[0].residual_loops
    assert "PyTorch has no reduction fmax" in str(loop)
    assert lifted(torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64)) == 3


def test_a_number_that_a_loop_changes_is_a_tensor(torch: ModuleType) -> None:
    source = """double f(int n, double y[n]) {
      double s = 0.0;
      for (int i = 0; i < n; i++) if (s < 0.25) s = s * y[i] + 0.125;
      return s;
    }"""
    lifted = lift(source, to="torch")
    assert "s = torch.as_tensor(0.0, dtype=y.dtype, device=y.device)" in lifted.source
    assert lifted(torch.ones(4, dtype=torch.float64)) == 0.25


def test_functions_that_numpy_lacks_are_called_by_their_names() -> None:
    source = "#include <math.h>\ndouble both(double x) { return erf(x) + erfc(2 * x); }"
    assert lifted_text(source, "torch").program.endswith("return torch.erf(x) + torch.erfc(2.0 * x)\n")


def test_a_cell_that_a_loop_leaves_is_returned_in_memory_of_its_own() -> None:
    source = """int last(int n, const int *x, int t) {
  int last = -1, i = 0;
  do { if (x[i] > t) break; last = x[i]; i++; } while (i < n);
  return last;
}"""
    reason = refusal(source, ("x[i].clone()", "x[i]"), target="torch")
    assert reason == "the result is returned in memory that is not its own"


def test_numbers_that_begin_alike_are_returned_each_in_memory_of_its_own() -> None:
    source = """long f(int n, const int *a, long *last) {
  long best = a[0], here = a[0];
  for (int i = 1; i < n; i++) {
    here = here > 0 ? here + a[i] : a[i];
    best = here > best ? here : best;
  }
  *last = here;
  return best;
}"""
    reason = refusal(source, ("here = a[0].to(torch.int64)", "here = best"), target="torch")
    assert reason == "the result is returned in memory that is not its own"
    alone = lifted_text(source.replace(", long *last", "").replace("*last = here;", ""), "torch")
    assert str(alone.level) == str(alone.definitions) == "proved"


def test_a_number_of_python_becomes_a_tensor_of_its_own() -> None:
    source = """double f(int n, const double *p) {
  double hold = -p[0], cash = 0;
  for (int i = 1; i < n; i++) {
    double h = hold > cash - p[i] ? hold : cash - p[i];
    cash = cash > hold + p[i] ? cash : hold + p[i];
    hold = h;
  }
  return cash;
}"""
    assert str(lifted_text(source, "torch").level) == "proved"
