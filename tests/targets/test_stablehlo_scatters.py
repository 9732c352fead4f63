"""Stores into diagonals and into strided cells as `stablehlo.scatter`, and what the checker refuses of scatters."""

from __future__ import annotations

import re

import pytest

from tensorlift import lift
from tensorlift.comprehension.tensor import array
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.obligations import Ledger
from tensorlift.proofs.samples import meaning_of_program
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.source import source_from_text
from tensorlift.targets import get_target

_TARGET = get_target("stablehlo")
_OLD = """void old(int n, double A[n][n], double v[n]) {
  for (int i = 0; i < n; i++) A[i][i] = v[i];
}
"""
_ADDED = """void added(int n, double A[n][n], double c) {
  for (int i = 0; i < n; i++) A[i][i] += c;
}
"""
_COMB = """void comb(int n, int m, float x[n][m], float v[n / 2]) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < n / 2; i++) x[2 * i + 1][j] = v[i] * x[0][j] + 1;
}
"""
_STEPS = """void steps(int n, double x[2 * n + 4], double v[n]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++) x[2 * j + i + 1] = x[i] * v[j] + x[2 * j + i + 1];
}
"""
_ROWS = """void rows(int n, int m, double x[2 * n + 4][m], double v[n][m]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < m; k++) x[2 * j + i + 1][k] = x[i][k] * v[j][k] + x[2 * j + i + 1][k];
}
"""
_SWEPT = """void swept(int t, int n, int A[n][n], int v[n]) {
  for (int k = 0; k < t; k++) {
    for (int i = 0; i < n; i++) v[i] = v[i] * 3 + A[i][n - 1 - i];
    for (int i = 0; i < n; i++) A[i][i] = v[n - 1 - i];
  }
}
"""
_WIDE = """void wide(int n, double A[n][n + 2], double B[n][n + 2]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + 2; j++) B[i][j] = i == j ? 1 : B[i][j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n + 2; j++) A[i][j] = j == i + 1 ? B[0][j] : A[i][j];
}
"""
_FROM_TWO = """void from_two(int n, double A[n][n], double B[n][n], double v[n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) B[i][j] = i == j ? v[i] : A[i][j] * 2;
}
"""


@pytest.mark.parametrize(
    ("source", "count", "is_sum"),
    [(_OLD, 1, False), (_ADDED, 1, True), (_STEPS, 1, False), (_ROWS, 1, False), (_SWEPT, 1, False), (_WIDE, 2, False)],
)
def test_a_store_into_a_part_of_an_array_is_a_scatter(source: str, count: int, is_sum: bool) -> None:  # noqa: FBT001 - a case
    sizes = {name: 6 for name in ("n", "m", "t") if f"int {name}" in source}
    (function,) = lift(source, to="stablehlo", sizes=sizes).functions
    assert function.level == "proved"
    assert function.program.count('"stablehlo.scatter"') == count, function.program
    assert function.program.count("stablehlo.select") == function.program.count("stablehlo.compare EQ") == 0
    assert ("stablehlo.gather" in function.program) is (source == _SWEPT)
    assert bool(re.search(r"\^bb0\(.*\n *%\d+ = stablehlo.add", function.program)) is is_sum
    assert verify(function.certificate or {}) == ()


@pytest.mark.parametrize("source", [_COMB, _FROM_TWO])
def test_a_scatter_is_not_emitted_where_another_form_is_quicker(source: str) -> None:
    sizes = {name: 6 for name in ("n", "m") if f"int {name}" in source}
    (function,) = lift(source, to="stablehlo", sizes=sizes).functions
    assert function.level == "proved"
    assert "scatter" not in function.program


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("source", [_OLD, _ADDED, _STEPS, _ROWS, _SWEPT, _WIDE])
@pytest.mark.parametrize("size", [1, 5])
def test_a_scatter_computes_what_the_source_does(source: str, size: int) -> None:
    pytest.importorskip("jax", reason="JAX, which XLA comes with, is not installed")
    (read,) = read_c(source, "scatter.c")
    assert read.module is not None
    (func_op,) = functions(read.module)
    view = FunctionView(func_op)
    sizes = dict.fromkeys(view.size_names, size)
    options = LiftOptions(target="stablehlo", sizes=tuple(sizes.items()))
    (function,) = lift_source(source_from_text(source, "scatter.c"), options).functions
    assert function.diagnostics == ()
    report = compare_with_interpreter(
        func_op, function.program, function.name, view.written, [sizes], library="stablehlo"
    )
    assert report.passed, [str(failure) for failure in report.failures]


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (_OLD, "%v) <{", "%A) <{"),
        (_OLD, "iota dim = 0", "iota dim = 1"),
        (_OLD, "stablehlo.return %2", "stablehlo.return %1"),
        (_ADDED, "stablehlo.add %", "stablehlo.multiply %"),
        (_STEPS, "dense<2>", "dense<3>"),
        (_ROWS, "update_window_dims = [1]", "update_window_dims = [0]"),
    ],
)
def test_a_wrong_scatter_is_refused(source: str, old: str, new: str) -> None:
    sizes = {name: 6 for name in ("n", "m") if f"int {name}" in source}
    (function,) = lift(source, to="stablehlo", sizes=sizes).functions
    assert old in function.program, function.program
    certificate = certificate_from_json(function.certificate or {})
    text = function.program.replace(old, new, 1)
    with pytest.raises(CheckFailure) as caught:
        check(text, function.name, certificate.summary, _TARGET, certificate.cuts)
    assert caught.value.code.startswith("TL4")


# -- what the row demands

_TEXT = """func.func @f(%a: tensor<4x5xf64>, %b: tensor<4xf64>) -> tensor<4x5xf64> {
  %i = stablehlo.iota dim = 0 : tensor<4x2xi64>
  %r = "stablehlo.scatter"(%a, %i, %b) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], \
scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f64>, %y: tensor<f64>):
    stablehlo.return %y : tensor<f64>
  }) : (tensor<4x5xf64>, tensor<4x2xi64>, tensor<4xf64>) -> tensor<4x5xf64>
  return %r : tensor<4x5xf64>
}
"""
_INDEX = "  %i = stablehlo.iota dim = 0 : tensor<4x2xi64>\n"
_SAME = "  %i = stablehlo.iota dim = 1 : tensor<4x2xi64>\n"
_SUM = (
    "    stablehlo.return %y : tensor<f64>\n",
    "    %s = stablehlo.add %x, %y : tensor<f64>\n    stablehlo.return %s : tensor<f64>\n",
)
_ELSEWHERE = """  %t = stablehlo.iota dim = 0 : tensor<4x2xi64>
  %o = stablehlo.constant dense<{}> : tensor<4x2xi64>
  %i = stablehlo.{} %t, %o : tensor<4x2xi64>
"""
_UNIQUE = ("<{scatter", "<{unique_indices = true, scatter")


def _meaning(*changes: tuple[str, str], operand: tuple[Affine, ...] = (Affine(4),)) -> str:
    """Return a cell of the result of the text with changes."""
    text = _TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    operands = {"a": array("a", (Affine(4), Affine(5)), "f64"), "b": array("b", operand, "f64")}
    ledger = Ledger(UNIVERSE, (), _TARGET.types, lambda _divisor, _context: True)
    result = meaning_of_program(text, "f", operands, _TARGET, ledger)
    return str(result.at((Affine.var("i"), Affine.var("j"))))


def test_updates_of_the_same_cell_are_added_but_not_stored() -> None:
    assert "sum" in _meaning((_INDEX, _SAME), _SUM)
    for changes in ([(_INDEX, _SAME)], [(_INDEX, _SAME), _SUM, _UNIQUE]):
        with pytest.raises(CheckFailure, match="the index vectors of a scatter are unique"):
            _meaning(*changes)


@pytest.mark.parametrize(("number", "operation"), [(1, "add"), (1, "subtract"), (2, "multiply")])
@pytest.mark.parametrize("changes", [[], [_SUM]])
def test_updates_out_of_range_are_refused(number: int, operation: str, changes: list[tuple[str, str]]) -> None:
    with pytest.raises(CheckFailure, match="a scatter is in range"):
        _meaning((_INDEX, _ELSEWHERE.format(number, operation)), *changes)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("inserted_window_dims = [0, 1], ", "inserted_window_dims = [0], ", "other parts than whole windows"),
        ("inserted_window_dims = [0, 1], ", "inserted_window_dims = [1, 0], ", "other parts than whole windows"),
        ("inserted_window_dims = [0, 1], ", "update_window_dims = [0], ", "other parts than whole windows"),
        ("operand_dims = [0, 1]", "operand_dims = [0, 0]", "axis"),
        ("operand_dims = [0, 1]", "operand_dims = [0, 2]", "axis"),
        ("operand_dims = [0, 1]", "operand_dims = [0]", "other parts than whole windows"),
        ("operand_dims = [0, 1]", "operand_dims = [0, 1], input_batching_dims = [0]", "other parts than whole"),
        ("index_vector_dim = 1", "index_vector_dim = 0", "other parts than whole windows"),
        ("index_vector_dim = 1", "index_vector_dim = 2", "other parts than whole windows"),
        ("index_vector_dim = 1", "offset_dims = [0]", "dimension numbers that the operation does not have"),
        ("<{scatter", "<{indices_are_sorted = true, scatter", "promises sorted indices"),
        ("return %y", "return %x", "does not combine its arguments by one operation"),
        ("4x2xi64", "4x3xi64", "index vectors of another length or type"),
        ("4x2xi64", "4x2xi16", "other types than i32 and i64"),
        ("4x2xi64", "3x2xi64", "an update for each index vector"),
    ],
)
def test_a_scatter_of_another_kind_is_refused(old: str, new: str, why: str) -> None:
    with pytest.raises(CheckFailure, match=why):
        _meaning((old, new))


def test_an_update_without_axes_is_added_to_one_cell() -> None:
    text = _meaning(
        ("tensor<4xf64>", "tensor<f64>"),
        (_INDEX, "  %i = stablehlo.constant dense<2> : tensor<2xi64>\n"),
        ("4x2xi64", "2xi64"),
        ("index_vector_dim = 1", "index_vector_dim = 0"),
        _SUM,
        operand=(),
    )
    assert text.startswith("{ a(i, j) + b() if i = 2 and j = 2; a(i, j) if ")


def test_updates_of_another_type_or_rank_are_refused() -> None:
    single = "  %c = stablehlo.convert %b : (tensor<4xf64>) -> tensor<4xf32>\n"
    taken = ("tensor<4x2xi64>, tensor<4xf64>)", "tensor<4x2xi64>, tensor<4xf32>)")
    rows = ("[0, 1], scatter_dims_to_operand_dims = [0, 1]", "[0], scatter_dims_to_operand_dims = [0]")
    for changes in (
        [(_INDEX, _INDEX + single), ("%i, %b)", "%i, %c)"), taken],
        [rows, ("<inserted", "<update_window_dims = [0], inserted"), ("4x2xi64", "4x1xi64")],
    ):
        with pytest.raises(CheckFailure, match="updates of another rank or element type"):
            _meaning(*changes)


def test_a_scatter_by_indices_that_are_not_affine_must_be_in_range_too() -> None:
    squares = _ELSEWHERE.format(1, "multiply").replace("%t, %o", "%t, %t")
    with pytest.raises(CheckFailure, match="a place is in range"):
        _meaning((_INDEX, squares))
