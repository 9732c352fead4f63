"""Stores where data say as `stablehlo.scatter`: proved, run, and refused where they write elsewhere or in no order."""

from __future__ import annotations

import re

import pytest
from tests.lifts import lifted_text

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

HISTOGRAM = "void f(int n, int m, const int key[n], int h[m]) { for (int i = 0; i < n; i++) h[key[i]]++; }"
LAST = """void f(int n, int m, const int ix[n], const double x[n], double y[m]) {
  for (int i = 0; i < n; i++) y[ix[i]] = x[i]; }"""
LEAST = """void f(int n, int m, const long key[n], const float v[n], float best[m]) {
  for (int i = 0; i < n; i++) if (v[i] < best[key[i]]) best[key[i]] = v[i]; }"""
ROWS = """void f(int n, int d, int m, const int r[n], const double x[n][d], double s[m][d]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < d; j++) s[r[i]][j] += x[i][j]; }"""
ONE_HOT = "void f(int n, int m, const int k[n], float h[n][m]) { for (int i = 0; i < n; i++) h[i][k[i]] = 1.0f; }"
PACK = """int f(int n, const double x[n], double out[n]) {
  int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0.0) out[k++] = x[i]; return k; }"""


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("source", "combining", "sizes"),
    [
        (HISTOGRAM, ["add"], {}),
        (LAST, ["maximum"], {}),
        (LEAST, ["minimum"], {}),
        (ROWS, ["add"], {}),
        (ONE_HOT, [], {}),
        (PACK, [], {"n": 7}),
    ],
)
def test_a_store_where_data_says_is_a_scatter(source: str, combining: list[str], sizes: dict[str, int]) -> None:
    options = LiftOptions(target="stablehlo", sizes=tuple(sizes.items()), test=source in (LAST, PACK))
    (function,) = lift_source(source_from_text(source), options).functions
    assert str(function.level) == "proved"
    assert str(function.verdict) == "loop-free"
    assert not any(trial.failure for trial in function.tests)
    regions = re.findall(r'"stablehlo.scatter".*\n.*\n(.*)\n', str(function.program))
    assert [name for region in regions for name in re.findall(r"= stablehlo\.(\w+)", region)] == combining


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (HISTOGRAM, "stablehlo.add %7, %8", "stablehlo.maximum %7, %8"),
        (HISTOGRAM, "dense<1> : tensor<i32>", "dense<2> : tensor<i32>"),
        (HISTOGRAM, "<{scatter_dimension", "<{unique_indices = true, scatter_dimension"),
        (LAST, "stablehlo.maximum %9, %10", "stablehlo.minimum %9, %10"),
        (LEAST, "stablehlo.minimum %5", "stablehlo.maximum %5"),
        (PACK, "stablehlo.select %mask", "stablehlo.select %mask_but"),
        (PACK, "dense<7> : tensor<i64>", "dense<6> : tensor<i64>"),
    ],
)
def test_another_scatter_is_refused(source: str, old: str, new: str) -> None:
    sizes = {"n": 7} if source is PACK else {}
    certificate = certificate_from_json(lifted_text(source, "stablehlo", **sizes).certificate or {})
    assert old in certificate.program, certificate.program
    text = certificate.program.replace(old, new)
    with pytest.raises(CheckFailure):
        check(text, "f", certificate.summary, get_target("stablehlo"), certificate.cuts)


def test_values_are_stored_in_no_certain_order() -> None:
    """Of equal places StableHLO takes any: the last writer must be picked first."""
    certificate = certificate_from_json(lifted_text(LAST, "stablehlo").certificate or {})
    text = """func.func @f(%ix: tensor<?xi32>, %x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %n = stablehlo.get_dimension_size %ix, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %w = stablehlo.convert %n : (tensor<i32>) -> tensor<i64>
  %a = stablehlo.reshape %w : (tensor<i64>) -> tensor<1xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi64>
  %s = stablehlo.concatenate %a, %one, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %i = stablehlo.dynamic_reshape %ix, %s : (tensor<?xi32>, tensor<2xi64>) -> tensor<?x1xi32>
  %r = "stablehlo.scatter"(%y, %i, %x) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], \
scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%b: tensor<f64>, %c: tensor<f64>):
    stablehlo.return %c : tensor<f64>
  }) : (tensor<?xf64>, tensor<?x1xi32>, tensor<?xf64>) -> tensor<?xf64>
  return %r : tensor<?xf64>
}
"""
    with pytest.raises(CheckFailure, match="in no certain order"):
        check(text, "f", certificate.summary, get_target("stablehlo"), ())
