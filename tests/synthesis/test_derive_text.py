"""What derived programs look like: the spelling that a NumPy user would have chosen."""

from __future__ import annotations

import pytest
from tests.synthesis.notation_reader import summary
from tests.synthesis.programs import program

from tensorlift import lift
from tensorlift.comprehension import terms
from tensorlift.diagnostics import LiftError
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.derive.contraction import plan
from tensorlift.targets.numpy.emit import emit

_BODIES = {
    "gemm": "return beta * C + alpha * (A @ B)",
    "copy": "return a.copy()",
    "fill": "return np.full(n, v, dtype=np.int32)",
    "transpose": "return A.T.copy()",
    "dot": 'return np.einsum("i,i->", a, b)',
    "atax": "return A.T @ (A @ x)",
    "outer": "return A + np.outer(u, v)",
    "variance": "return np.sum((d - mean) ** 2, axis=0)",
    "lower_update": "np.tri(n, dtype=bool), C + alpha * (t + t.T), C",
    "triangular_product": "return B + np.tril(A, -1).T @ B",
    "mirrored": "return np.where(np.tri(m, dtype=bool), A, A.T) @ B",
    "batched": "return A @ C",
    "three_factors": 'return np.einsum("ikl,kj,lj->ij", A, B, C, optimize=True)',
    "all_but_last": "a[:-1] += a[:-1] * e",
    "reverse": "return 2.0 * a[::-1]",
    "every_other": "return a[::2] + a[1::2]",
    "every_other_store": "a[1:-1:2] = 1.0",
    "diagonal": "return np.diagonal(A) + 1.0",
    "eye": "return np.eye(n)",
    "lower": "return np.tril(A)",
    "convolve": "return sliding_window_view(x, m) @ c",
    "running_sum": "return np.cumsum(a)",
    "sum_after": "return np.cumsum(a[::-1])[::-1].copy()",
    "sum_before": "s[1:] = np.cumsum(a[:-1])",
    "greatest": "return a.max()",
    "blend": "return w * a + (32 - w) * b",
    "lesser": "return np.minimum(a, b)",
    "keyword": "return lambda_ * 2.0",
    "empty_at_first": "x[i] += A[i, : max(i - 1, 0)] @ x[: max(i - 1, 0)]",
    "relaxation": "P = np.minimum(P, P[:, k, None] + P[k])",
}


@pytest.mark.parametrize("name", _BODIES)
def test_a_program_is_spelled_in_the_usual_way(name: str) -> None:
    """One line says it all."""
    assert _BODIES[name] in emit(derive(program(name))).text


def test_a_root_of_a_size_is_divided_by_on_all_points() -> None:
    source = """#include <math.h>
    void f(int n, int d, double a[n][n], double k[d]) {
      for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = j <= i ? a[i][j] / sqrt((double)d) : 0;
      for (int i = 0; i < d; i++) k[i] *= 2;
    }"""
    assert "np.tril(a / np.sqrt(d))" in lift(source).source


def test_sizes_come_from_shapes_where_shapes_tell_them() -> None:
    """Sizes and arrays that are only written are no parameters, but sizes that nothing tells are."""
    assert "def gemm(alpha, beta, C, A, B):" in emit(derive(program("gemm"))).text
    assert "def fill(v, n):" in emit(derive(program("fill"))).text
    assert "def convolve(x, c):" in emit(derive(program("convolve"))).text


def test_a_common_subexpression_is_computed_once() -> None:
    """Also where one of the places is a whole definition."""
    assert emit(derive(program("shared"))).text.count("a + 1.0") == 1
    assert emit(derive(program("old_and_new"))).text.count("a + 1.0") == 1


def test_a_division_that_does_not_count_gets_a_harmless_divisor() -> None:
    """NumPy evaluates both arms of a select everywhere."""
    text = emit(derive(program("guarded"))).text
    assert "mask = b == 0" in text
    assert "np.where(mask, 32, tdiv(32 - a, np.where(mask, 1, b)))" in text


def test_a_time_loop_updates_in_place_after_one_copy() -> None:
    """Inputs are copied once, before the loop, and nothing is copied inside."""
    text = emit(derive(program("stencil"))).text
    assert text.count(".copy()") == 2
    assert "        B[1:-1] = 0.25 * (A[:-2] + A[1:-1] + A[2:])" in text


def test_cuts_name_the_lines_on_which_variables_hold_definitions() -> None:
    """The cut of a kept loop's carried array stands at its ``for``."""
    emitted = emit(derive(program("stencil")))
    lines = emitted.text.splitlines()
    places = {(lines[cut.line - 1].split()[0], cut.variable, cut.definition) for cut in emitted.cuts}
    assert ("for", "A", "A_c") in places
    assert ("B[1:-1]", "B", "B_1") in places


def test_builtins_and_keywords_are_not_shadowed() -> None:
    """A trailing underscore keeps them apart."""
    text = emit(derive(summary("f", "n, sum: f64[n], max: f64[n]", ["sum_1[i] = max[i] * 2.0"], "sum_1"))).text
    assert "def f(max_):" in text


def test_long_sums_are_cut_into_named_parts() -> None:
    """A thousand operations stay linear in time and shallow in nesting."""
    chain = "a[i]"
    for k in range(60):
        chain = f"({chain} * b[i] + {k}.5)"
    emitted = emit(derive(summary("f", "n, a: f64[n], b: f64[n], o: f64[n]", [f"o_1[i] = {chain}"], "o_1")))
    assert max(map(len, emitted.text.splitlines())) <= 120
    assert "t2 = " in emitted.text


def test_a_chain_of_thousands_of_operations_is_derived() -> None:
    """Depth costs no recursion."""
    base = summary("f", "n, a: f64[n], o: f64[n]", ["o_1[i] = a[i]"], "o_1")
    (definition,) = base.definitions()
    term = definition.pieces[0][1]
    for k in range(3000):
        term = terms.apply("mul", terms.apply("add", term, terms.constant(k, "f64")), term)
    changed = definition.__class__(**{**definition.__dict__, "pieces": ((definition.domain, term),)})
    text = emit(derive(base.__class__(**{**base.__dict__, "items": (changed,)}))).text
    assert text.count("\n") < 10_000
    compile(text, "chain", "exec")


def test_the_cheapest_order_of_a_product_is_found() -> None:
    """Matrix times matrix times vector takes the vector first."""
    cost, pairs = plan([frozenset("ik"), frozenset("kl"), frozenset("l")], frozenset("i"))
    assert (cost, pairs) == ((2, 2), [(1, 2), (0, 1)])


def test_what_has_no_form_is_refused() -> None:
    """A function that NumPy lacks is named, with its code."""
    with pytest.raises(LiftError, match="TL305"):
        emit(derive(summary("f", "n, a: f64[n], o: f64[n]", ["o_1[i] = erf(a[i])"], "o_1")))


def test_an_empty_prefix_of_sizes_is_no_problem() -> None:
    """With sizes from 0 on, a maximum gets an initial value."""
    text = emit(derive(program("greatest", least=0))).text
    assert "a.max(initial=-2147483648)" in text
    assert Affine(0) == 0
