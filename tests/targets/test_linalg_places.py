"""Stores where data say as loops over `tensor.insert`: read back as one update, or refused."""

from __future__ import annotations

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

FIRST = """void f(int n, int m, const int key[n], int owner[m]) {
  for (int i = 0; i < n; i++) if (owner[key[i]] == 0) owner[key[i]] = i + 1; }"""
SATURATING = """void f(int n, const int *key, unsigned char *h) {
  for (int i = 0; i < n; i++) if (h[key[i]] < 255) h[key[i]]++; }"""


@pytest.mark.parametrize("source", [FIRST, SATURATING])
def test_a_store_under_a_condition_in_a_loop_that_stays_is_at_a_place_that_this_chooses(source: str) -> None:
    function = lifted_text(source, "linalg")
    assert (str(function.verdict), str(function.level)) == ("hybrid", "proved")


@pytest.mark.parametrize(
    ("source", "combining", "loops"),
    [
        (HISTOGRAM, "arith.addi", 1),
        (LAST, "", 1),
        (LEAST, "arith.minimumf", 1),
        (ROWS, "arith.addf", 2),
        (ONE_HOT, "", 1),
    ],
)
def test_a_store_where_data_says_is_a_loop_of_insertions(source: str, combining: str, loops: int) -> None:
    options = LiftOptions(target="linalg", test=source in (LAST, ROWS))
    (function,) = lift_source(source_from_text(source), options).functions
    assert str(function.level) == "proved"
    assert str(function.verdict) == "hybrid"
    assert not any(trial.failure for trial in function.tests)
    program = str(function.program)
    assert program.count("scf.for") == loops
    assert combining in program


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (HISTOGRAM, "arith.addi %4", "arith.subi %4", "another operation than those that fold"),
        (HISTOGRAM, "arith.addi %4, %c1_i32", "arith.addi %4, %4", "reads other cells"),
        (HISTOGRAM, "arith.addi %4, %c1_i32", "arith.addi %c1_i32, %c1_i32", "reads other cells"),
        (HISTOGRAM, "tensor.extract %1[%3]", "tensor.extract %1[%p]", "reads other cells"),
        (HISTOGRAM, "into %1[%3]", "into %1[%p]", "reads other cells"),
        (HISTOGRAM, "arith.constant 1 : i32", "arith.constant 2 : i32", ""),
        (HISTOGRAM, "= %c0 to", "= %c1 to", "does not go up from zero by one"),
        (HISTOGRAM, "tensor.dim %key", "tensor.dim %h", ""),
        (LAST, "tensor.extract %x[%p]", "tensor.extract %y[%p]", ""),
        (LAST, "tensor.extract %x[%p]", "tensor.extract %1[%p]", ""),
        (LAST, "into %1[%4]", "into %1[%p]", ""),
        (ROWS, "into %3[%6, %p_0]", "into %3[%6, %p]", ""),
        (ONE_HOT, "[%p] : tensor<?xi32>", "[%c0] : tensor<?xi32>", ""),
        (FIRST, "%3, %7, %9", "%3, %9, %7", "at the end of an iteration"),
        (FIRST, "into %owner_0[%11]", "into %owner_0[%1]", "at the end of an iteration"),
        (FIRST, "%3, %4, %c0_i32", "%3, %c0_i32, %4", "at the end of an iteration"),
        (FIRST, "cmpi eq, %2", "cmpi ne, %2", "at the end of an iteration"),
        (FIRST, "extract %owner_0[%8]", "extract %owner_0[%1]", "at the end of an iteration"),
    ],
)
def test_another_loop_of_insertions_is_refused(source: str, old: str, new: str, reason: str) -> None:
    certificate = certificate_from_json(lifted_text(source, "linalg").certificate or {})
    assert old in certificate.program, certificate.program
    text = certificate.program.replace(old, new)
    with pytest.raises(CheckFailure) as caught:
        check(text, "f", certificate.summary, get_target("linalg"), certificate.cuts)
    assert reason in str(caught.value)


def test_the_order_of_stores_at_sums_of_variables_is_not_known() -> None:
    """Of those that hit one cell the last has the greatest `j`, but the order of the loops takes the least one last."""
    source = """void f(int n, int m, const double x[n][m], double y[n + m]) {
      for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) y[i + j] = x[i][j]; }"""
    certificate = certificate_from_json(lifted_text(source, "c").certificate or {})
    text = """func.func @f(%x: tensor<?x?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf64>
  %m = tensor.dim %x, %c1 : tensor<?x?xf64>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%1 = %y) -> (tensor<?xf64>) {
    %2 = scf.for %j = %c0 to %m step %c1 iter_args(%3 = %1) -> (tensor<?xf64>) {
      %4 = tensor.extract %x[%i, %j] : tensor<?x?xf64>
      %5 = affine.apply affine_map<()[s0, s1] -> (s0 + s1)>()[%i, %j]
      %6 = tensor.insert %4 into %3[%5] : tensor<?xf64>
      scf.yield %6 : tensor<?xf64>
    }
    scf.yield %2 : tensor<?xf64>
  }
  return %0 : tensor<?xf64>
}
"""
    with pytest.raises(CheckFailure, match="whose order is not known"):
        check(text, "f", certificate.summary, get_target("linalg"), ())
