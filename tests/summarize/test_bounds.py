"""The context holds the sizes for which no access leaves its array."""

from __future__ import annotations

import pytest
from tests.summarize.programs import from_mlir, function_of, summary_of

from tensorlift.diagnostics import LiftError, Location
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least
from tensorlift.summarize import summarise

N, M = affine("n"), affine("m")


def context(text: str) -> Domain:
    return summary_of(function_of(text)).context


def test_sizes_that_count_are_not_negative() -> None:
    text = "void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 0; }"
    assert context(text).is_equal(Domain.of(at_least(N, 0)))


@pytest.mark.parametrize(
    "loop", ["long i = a; i < b; i++", "long i = b - 1; i >= a; i--", "int i = a + 1; i > b - 2; i--"]
)
def test_positions_between_which_a_loop_runs_may_be_negative(loop: str) -> None:
    text = f"long f(int a, int b) {{ long s = 0; for ({loop}) s += i; return s; }}"
    assert context(text).is_equal(UNIVERSE)


def test_an_access_outside_of_all_loops_needs_its_cell() -> None:
    found = context("void f(int n, double a[n]) { a[0] = 1; for (int i = 1; i < n; i++) a[i] = a[i - 1]; }")
    assert found.is_equal(Domain.of(at_least(N, 1)))


def test_an_axis_that_is_read_at_a_place_of_data_is_not_empty() -> None:
    text = "void f(int n, int m, int *ix, double x[m], double *y) { for (int i = 0; i < n; i++) y[i] = x[ix[i]]; }"
    found = summarise(function_of(text), places=True).context
    assert found.is_equal(Domain.of(at_least(N, 0), at_least(M, 1)))


def test_a_loop_longer_than_its_array_bounds_the_sizes() -> None:
    found = context("void f(int n, int m, double a[m]) { for (int i = 0; i < n; i++) a[i] = 0; }")
    assert found.is_equal(Domain.of(at_least(N, 0), at_least(M, N)))


def test_a_loop_may_run_no_times() -> None:
    found = context("void f(int n, double a[n]) { for (int i = 2; i < n - 1; i++) a[i] = 0; }")
    assert found.is_equal(Domain.of(at_least(N, 0)))


def test_an_affine_condition_protects_an_access() -> None:
    text = "void f(int n, double a[n], double o[n]) { for (int i = 0; i < n; i++) if (i > 0) o[i] = a[i - 1]; }"
    assert context(text).is_equal(Domain.of(at_least(N, 0)))


def test_the_affine_part_of_a_condition_protects_an_access() -> None:
    text = """void f(int n, double a[n], double o[n]) {
        for (int i = 0; i < n; i++) if (i < n - 1 && a[i] > 1) o[i] = a[i + 1]; }"""
    assert context(text).is_equal(Domain.of(at_least(N, 0)))


def test_a_quotient_of_sizes_is_a_derived_size() -> None:
    summary = summary_of(
        function_of("void f(int n, double a[n]) { for (int i = 0; i < n / 2; i++) a[i] = a[n - 1 - i]; }")
    )
    (derived,) = summary.derived
    assert (derived.name, derived.numerator, derived.divisor) == ("n_div_2", N, Affine(2))
    half = Affine.var("n_div_2", 2)
    assert summary.context.implies(at_least(N, half), at_least(half + 1, N))


def test_an_access_that_always_leaves_its_array_is_refused() -> None:
    text = """func.func @f(%n: index {tl.name = "n"},
      %a: memref<?xf64> {tl.name = "a", tl.shape = affine_map<()[n] -> (n)>}) {
    %zero = arith.constant 0.0 : f64
    affine.store %zero, %a[symbol(%n)] : memref<?xf64> loc("f.c":3:5)
    func.return
    }"""
    with pytest.raises(LiftError) as caught:
        summary_of(from_mlir(text))
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "TL210"
    assert diagnostic.location == Location("f.c", 3, 5)
    assert diagnostic.remedy
