"""Programs for JAX: what they need of its settings, and that its transformations take them."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench.kernels.catalogue import Kernel, kernels
from tests.kernels.turns import lifted_to
from tests.lifts import lifted_kernel, lifted_text

from tensorlift import LiftError, lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.report.program import entry_name
from tensorlift.runtime.program import load_program
from tensorlift.source import source_from_text
from tensorlift.targets import get_target
from tensorlift.targets.jax import PRECISE, X64

if TYPE_CHECKING:
    from types import ModuleType

GEMM = """void gemm(int m, int n, int k, double alpha, double C[m][n], double A[m][k], double B[k][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int p = 0; p < k; p++)
        C[i][j] += alpha * A[i][p] * B[p][j];
}
"""
STENCIL = """void smooth(int steps, int n, float a[n], float b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
CHECK = f"    {X64.replace(chr(10), chr(10) + '    ')}\n"  # as it stands in a function


SINGLE = GEMM.replace("double", "float")


def _refusal(text: str, source: str = GEMM) -> str:
    certificate = certificate_from_json(lifted_text(source, "jax").certificate or {})
    with pytest.raises(CheckFailure) as caught:
        check(text, "gemm", certificate.summary, get_target("jax"))
    return caught.value.reason


def test_a_program_in_64_bits_checks_that_there_are_any_and_one_in_32_bits_does_not() -> None:
    assert lift(GEMM + STENCIL, to="jax").source.count(CHECK) == 1
    assert "x64" not in lift(STENCIL, to="jax").source


def test_a_python_number_that_is_rounded_to_single_precision_needs_no_64_bits() -> None:
    source = "def f(a: float, x: 'float32[:]'):\n    for i in range(len(x)):\n        x[i] = a * x[i] + {}\n"
    (function,) = lift_source(source_from_text(source.format("x[i]"), "f.py"), LiftOptions(target="jax")).functions
    assert "jnp.float32(a)" in function.program
    assert "x64" not in function.program
    certificate = certificate_from_json(function.certificate or {})
    with pytest.raises(CheckFailure, match="has the type f64, but the function does not start with"):
        check(
            function.program.replace("jnp.float32(a)", "jnp.float32(a * 1.0)"),
            "f",
            certificate.summary,
            get_target("jax"),
        )
    (function,) = lift_source(source_from_text(source.format("a * a"), "f.py"), LiftOptions(target="jax")).functions
    assert CHECK in function.program


def test_a_program_raises_without_64_bits_and_never_sets_them(jax: ModuleType) -> None:
    gemm, one = lift(GEMM, to="jax"), np.ones((2, 2))
    with jax.enable_x64(new_val=False):
        for call in (gemm, jax.jit(gemm)):
            with pytest.raises(RuntimeError, match=re.escape('jax.config.update("jax_enable_x64", True)')):
                call(1.5, one, one, one)
        assert not jax.config.jax_enable_x64
    with jax.enable_x64(new_val=True):
        assert gemm(1.5, one, one, one).dtype == np.float64


def test_a_64_bit_program_that_does_not_check_for_64_bits_is_refused() -> None:
    text = lift(GEMM, to="jax").source
    assert "but the function does not start with" in _refusal(text.replace(CHECK, ""))
    late = text.replace(CHECK, f"    alpha = alpha\n{CHECK}")
    assert "a statement that the checker does not execute" in _refusal(late)


def test_products_of_single_precision_are_as_precise_as_their_type(jax: ModuleType) -> None:
    gemm = lift(SINGLE, to="jax")
    assert gemm.source.count(PRECISE) == 1
    assert "precision" not in lift(GEMM, to="jax").source
    assert "precision" not in lift(STENCIL, to="jax").source
    one = np.ones((2, 2), np.float32)
    program = load_program(gemm.source, "gemm")

    def total(a: Any) -> Any:
        return program(jax.numpy.float32(1.5), one, a, one).sum()

    batched = jax.vmap(total)
    for of, given in ((total, one), (jax.jit(total), one), (jax.grad(total), one), (batched, np.stack([one, one]))):
        products = [line for line in str(jax.make_jaxpr(of)(given)).split("\n") if "precision=" in line]
        assert products
        assert all("(Precision.HIGHEST, Precision.HIGHEST)" in line for line in products), products
    np.testing.assert_allclose(jax.grad(total)(one), 3 * one)


def test_products_of_single_precision_whose_precision_nothing_states_are_refused() -> None:
    text = lift(SINGLE, to="jax").source
    reason = _refusal(text.replace(f"{PRECISE}\n", ""), SINGLE)
    assert f"a product has the type f32, but no `{PRECISE}` stands above the function" in reason
    for other in (text.replace('"highest"', '"high"'), text.replace(PRECISE, f"{PRECISE}\n@jax.jit")):
        assert "a decorator that the target does not have" in _refusal(other, SINGLE)


def test_another_check_or_a_setting_is_refused() -> None:
    text = lift(GEMM, to="jax").source
    assert "a guard" in _refusal(text.replace("if not jax", "if jax"))
    assert "a guard" in _refusal(text.replace("raise RuntimeError(", "print("))
    setting = 'jax.config.update("jax_enable_x64", True)\n'
    assert "a statement outside functions" in _refusal(text.replace("\n\ndef", f"\n{setting}\n\ndef", 1))


def test_a_choice_that_traced_data_decides_is_refused() -> None:
    source = "float f(const float *x) { return x[0] > 0 ? x[1] : -x[2]; }"
    certificate = certificate_from_json(lifted_text(source, "jax").certificate or {})
    text = "import jax.numpy as jnp\n\n\ndef f(x):\n    return x[1] if x[0] > 0 else -x[2]\n"
    with pytest.raises(CheckFailure, match="a condition that does not depend on sizes alone"):
        check(text, "f", certificate.summary, get_target("jax"))


def test_a_store_into_an_array_that_cannot_change_is_refused() -> None:
    body = f"def gemm(alpha, C, A, B):\n{CHECK}    C[0] = 0.0\n    return C\n"
    assert "store" in _refusal(f"import jax\nimport jax.numpy as jnp\n\n\n{body}")


def test_a_type_that_folds_of_segments_ignore_is_refused() -> None:
    fold = "C = jnp.add.reduceat(C, jnp.arange(C.shape[0]), dtype=jnp.float64)"
    body = f"def gemm(alpha, C, A, B):\n{CHECK}    {fold}\n    return C\n"
    assert "ignores `dtype`" in _refusal(f"import jax\nimport jax.numpy as jnp\n\n\n{body}")


def test_updates_are_functional_and_leave_the_arguments_alone(jax: ModuleType) -> None:
    lifted = lift(STENCIL, to="jax")
    assert ".at[" in lifted.source
    a = jax.numpy.arange(6, dtype=np.float32) ** 2
    b = jax.numpy.zeros(6, dtype=np.float32)
    after, _ = lifted(2, a, b)
    assert np.array_equal(a, np.arange(6, dtype=np.float32) ** 2)
    assert not np.array_equal(a, after)


@pytest.mark.parametrize("number", [float, np.float64])
def test_a_program_is_compiled_mapped_and_differentiated(jax: ModuleType, number: Any) -> None:
    jax.config.update("jax_enable_x64", val=True)
    gemm, rng = lift(GEMM, to="jax"), np.random.default_rng(0)
    c, a, b = (jax.numpy.asarray(rng.normal(size=shape)) for shape in ((2, 4), (2, 3), (3, 4)))
    alpha = number(1.5)
    expected = c + 1.5 * (a @ b)
    assert np.allclose(jax.jit(gemm)(alpha, c, a, b), expected)
    stacked = jax.vmap(gemm, in_axes=(None, 0, None, None))(alpha, jax.numpy.stack([c, 2 * c]), a, b)
    assert np.allclose(stacked[1], expected + c)
    slope = jax.grad(lambda x: gemm(x, c, a, b).sum())(alpha)
    assert np.allclose(slope, (a @ b).sum())


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("kernel", [k for k in kernels() if lifted_to(k, "jax")], ids=str)
def test_kernel_is_traced_whole(jax: ModuleType, kernel: Kernel) -> None:
    """Only shapes and types are given, as to ``jit``: no value may decide what is computed."""
    jax.config.update("jax_enable_x64", val=True)
    function = lifted_kernel(kernel, "jax")
    program = load_program(function.program, entry_name(function.name, function.program))
    sizes = {p.name: 3 for p in function.parameters if p.role == "size"}
    given = {
        p.name: jax.ShapeDtypeStruct((4,) * len(p.shape), p.dtype) for p in function.parameters if p.role != "size"
    }
    results = jax.tree.leaves(jax.eval_shape(functools.partial(program, **sizes), **given))
    assert len(results) == len(function.outputs)


def test_a_live_function_computes_with_jax_on_numpy_arrays(jax: ModuleType) -> None:
    @lift(to="jax")
    def double(a: list[float]) -> None:
        for i in range(len(a)):
            a[i] = 2 * a[i]

    values = [1.0, 2.0]
    double(values)
    assert values == [2.0, 4.0]
    assert jax is not None


def test_running_a_program_whose_library_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensorlift.runtime.libraries.find_spec", lambda _: None)
    with pytest.raises(LiftError) as caught:
        lift(STENCIL, to="jax")(1, np.zeros(3), np.zeros(3))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "TL607"
    assert diagnostic.remedy == "install it: pip install 'tensorlift[jax]'"
    assert lift(STENCIL, to="jax", test=True).diagnostics[0].code == "TL607"


def test_the_largest_number_but_for_nan_has_a_function() -> None:
    source = "void f(int n, double a[n], double b[n]) { for (int i = 0; i < n; i++) b[0] = fmax(b[0], a[i]); }"
    lifted = lift(f"#include <math.h>\n{source}", to="jax")
    assert (lifted.verdict, lifted.level) == ("loop-free", "proved")
    assert "jnp.nanmax(a)" in lifted.source


def test_a_loop_stays_where_jax_has_no_operation_for_its_closed_form() -> None:
    source = """#include <math.h>
    void f(int n, double a[n]) { for (int i = 1; i < n; i++) a[i] = fmax(a[i - 1], a[i]); }"""
    (function,) = lift(source, to="jax").functions
    assert (function.verdict, function.level) == ("hybrid", "proved")
    assert "JAX has no running fmax" in str(function.residual_loops[0])


def test_a_program_asks_for_64_bits_for_a_loop_variable_that_is_divided() -> None:
    source = """int f(int n, int shift, int u[n]) {
      int s = 1;
      for (int i = 0; i < n; i += 1) if (i % 2 == 0) s = s * shift > u[0] ? shift : s + 1;
      return s;
    }"""
    lifted = lift(source, to="jax")
    assert lifted.level == "proved"
    assert "jnp.int64(" in lifted.source
    assert CHECK in lifted.source


def test_functions_that_numpy_lacks_are_called_by_their_names() -> None:
    source = "#include <math.h>\ndouble both(double x) { return erf(x) + erfc(2 * x); }"
    assert lifted_text(source, "jax").program.endswith("return lax.erf(x) + lax.erfc(2.0 * x)\n")
