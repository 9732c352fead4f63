"""TDS in the form of the paper: records of TableGen are read, and printed so that they are read back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.tactics import shipped_tactics
from tensorlift.synthesis.tactics.built import built_from
from tensorlift.synthesis.tactics.load import load_tactics
from tensorlift.synthesis.tactics.tablegen_text import as_tablegen

if TYPE_CHECKING:
    from pathlib import Path

_TTGT = """// A contraction by way of a product of matrices.
def TTGT : Tactic<"C(a, b, c) += A(a, c, d) * B(d, b)", [
  transposeBuilder<Inputs<["C"]>, Outputs<["tmp0"]>, StrExpr<"{0, 2, 1}">>,
  reshapeBuilder<Inputs<["tmp0"]>, Outputs<["D"]>, StrExpr<"{{0, 1}, 2}">>,
  reshapeBuilder<Inputs<["A"]>, Outputs<["E"]>, StrExpr<"{{0, 1}, 2}">>,
  matmulBuilder<StrExpr<"N">, StrExpr<"N">, M<1>, N<1>, K<1>, Constant<"1">, Constant<"1">, Inputs<["E", "B"]>, Outputs<["D"]>>,
  reshapeBuilder<Inputs<["D"]>, Outputs<["tmp1"]>, StrExpr<"{{0, 1}, 2}">>,
  transposeBuilder<Inputs<["tmp1"]>, Outputs<["C"]>, StrExpr<"{0, 2, 1}">>,
  eraseOpBuilder
]>;
"""  # noqa: E501 - a builder is one line of the form


def builds(text: str) -> list[str]:
    """Return what the only tactic of a text builds."""
    (tactic,) = load_tactics(text, "t.tds")
    return [str(built) for built in built_from(tactic.program.steps)]


def record(pattern: str, *builders: str) -> str:
    """Write one tactic."""
    return f'def t : Tactic<"{pattern}", [{", ".join(builders)}, eraseOpBuilder]>;'


def test_a_detour_over_a_product_of_matrices_is_read() -> None:
    assert builds(_TTGT) == [
        "tmp0(a, c, b) = C(a, b, c)",
        "D([a, c], b) = tmp0(a, c, b)",
        "E([a, c], d) = A(a, c, d)",
        "D([a, c], b) += E([a, c], d) * B(d, b)",
        "tmp1(a, c, b) = D([a, c], b)",
        "C(a, b, c) = tmp1(a, c, b)",
    ]


def test_tdl_with_indices_that_stand_for_several_becomes_transpositions_and_reshapes(root: Path) -> None:
    text = (root / "examples" / "ttgt.tdl").read_text(encoding="utf-8").replace("ttgt", "TTGT")
    (tactic,) = load_tactics(text, "t.tdl")
    assert as_tablegen(tactic.program) == _TTGT.partition("\n")[2]


def test_every_tactic_of_the_library_is_read_back_as_it_is_printed() -> None:
    for tactic in shipped_tactics():
        text = as_tablegen(tactic.program)
        (again,) = load_tactics(text, "t.tds")
        assert again.pattern == tactic.pattern
        assert as_tablegen(again.program) == text


_READ = [
    (
        record(
            "C(i, j) += A(i, k) * B(j, k)",
            'matmulBuilder<StrExpr<"N">, StrExpr<"T">, M<1>, N<1>, K<1>, Inputs<["A","B"]>, Outputs<["C"]>>',
        ),
        ["t1(k, j) = B(j, k)", "C(i, j) += A(i, k) * t1(k, j)"],
    ),
    (
        record(
            "C(m, n, p) += alpha * A(k, m) * B(k, n, p)",
            'matmulBuilder<StrExpr<"T">, StrExpr<"N">, M<1>, N<2>, K<1>, Constant<"alpha">, In<["A","B"]>, Out<["C"]>>',
        ),
        ["t1(m, k) = A(k, m)", "C(m, [n, p]) += alpha * t1(m, k) * B(k, [n, p])"],
    ),
    (
        record("y(i) += A(k, i) * x(k)", 'matvecBuilder<StrExpr<"T">, Inputs<["A", "x"]>, Outputs<["y"]>>'),
        ["t1(i, k) = A(k, i)", "y(i) += t1(i, k) * x(k)"],
    ),
    (
        record("O(y, x) += I(y + p, x + q) * W(p, q)", 'convBuilder<Inputs<["I", "W"]>, Outputs<["O"]>>'),
        ["O(y, x) += I(y + p, x + q) * W(p, q)"],
    ),
    ('def t : Tactics<C(i) = A(i) + 1, [statementBuilder<Expr<"C(i) = 1 + A(i)">>]>', ["C(i) = 1 + A(i)"]),
]


@pytest.mark.parametrize(("text", "wanted"), _READ)
def test_builders_are_read_by_the_places_of_axes(text: str, wanted: list[str]) -> None:
    assert builds(text) == wanted


_FOR_TABLEGEN = """#ifndef TACTICS
include "builders.td"
/* The classes of
   * arguments. */
class Trans<string value> { string trans = value; }
class Builder<string n = "", code b = ""> {
  code body = b;
}
class matmulBuilder<Trans a, Trans b, Inputs ins, Outputs outs> : Builder {
  let body = [{}];
}
def eraseOpBuilder : Builder { let body = [{ rewriter.eraseOp(op); }]; }
class Tactics<string p, list<Builder> b = []>;
def first : Tactics<"C(i,j) += A(k,i) * B(k,j)", [
  matmulBuilder<Trans<"T">, Trans<"N">, M<1>, N<1>, K<1>, Constant<"1">, Constant<"1">,
                Inputs<["A", "B"]>, Outputs<["C"]>>,
  eraseOpBuilder
]>;
class Last;
def second : Tactics<"y(i) += A(i, k) * x(k)", [
  matvecBuilder<Trans<"N">, Inputs<["A", "x"]>, Outputs<["y"]>, Constant<"1">, Constant<"1">>, eraseOpBuilder
]>;
#endif
"""


@pytest.mark.parametrize("file", ["t.td", "t.tds"])
def test_what_is_declared_for_tablegen_itself_is_passed_over(file: str) -> None:
    first, second = load_tactics(_FOR_TABLEGEN, file)
    assert (first.name, second.name) == ("first", "second")
    assert str(built_from(first.program.steps)[-1]) == "C(i, j) += t1(i, k) * B(k, j)"
    assert str(built_from(second.program.steps)[-1]) == "y(i) += A(i, k) * x(k)"


_MATMUL = 'matmulBuilder<Inputs<["A", "B"]>, Outputs<["C"]>>'
_PRODUCT = "C(i, j) += A(i, k) * B(k, j)"
_WRONG = [
    ("def t Tactic", "TL321", "1:7", "expected `:`, found `Tactic`"),
    ("class A { int b = [{ 1;", "TL321", "1:1", "`A` is not closed"),
    ("class A; def t : B;", "TL321", "1:18", "expected `Tactic` or `Tactics`, found `B`"),
    ("def t : Tactic<>", "TL321", "1:16", "expected"),
    ('def t : Tactic<"C(i = A(i)", []>', "TL321", "1:21", "expected `)`"),
    ('def t : Tactic<"C(i) = A(i)", [reshapeBuilder<Inputs<["A"]>, Outputs<["C"]>>]>', "TL321", "1:32", "`StrExpr`"),
    (record(_PRODUCT, "matmulBuild"), "TL326", "1:49", "there is no builder `matmulBuild`"),
    (record(_PRODUCT, _MATMUL.replace('"A", ', '"D", ')), "TL322", "1:49", "`D` is not bound"),
    (record(_PRODUCT, _MATMUL.replace('"A", ', "")), "TL321", "1:49", "`matmulBuilder` takes two inputs"),
    (record(_PRODUCT, _MATMUL.replace("<Inputs", "<M<2>, Inputs")), "TL321", "1:49", "`A` has 2 axes, and"),
    (record(_PRODUCT, 'transposeBuilder<In<["A"]>, Out<["D"]>, Expr<"{0, 0}">>'), "TL321", "1:49", "each once"),
    (
        record(_PRODUCT, 'transposeBuilder<In<["A"]>, Out<["D"]>, Expr<"{0}">>'),
        "TL321",
        "1:49",
        "has 1 axes",
    ),
    (record(_PRODUCT, 'reshapeBuilder<In<["A"]>, Out<["D"]>, Expr<"x">>'), "TL321", "1:49", "lists the axes from 0 on"),
    (record(_PRODUCT, 'statementBuilder<StrExpr<"C(i) +">>'), "TL321", "1:49", "expected"),
    (
        record(_PRODUCT, 'statementBuilder<StrExpr<"D(i) = 1 D(i) = 1">>'),
        "TL321",
        "1:49",
        "holds 2 statements",
    ),
    (
        record(_PRODUCT, _MATMUL.replace("<In", "<M<x>, In", 1)),
        "TL321",
        "1:49",
        "`M<x>` of `matmulBuilder` is no number",
    ),
    (record(_PRODUCT, _MATMUL.replace('["C"]', "[]")), "TL321", "1:49", "`Outputs` of `matmulBuilder` holds 0 values"),
    (record(_PRODUCT, 'reshapeBuilder<In<["A", "B"]>, Out<["D"]>, Expr<"{0, 1}">>'), "TL321", "1:49", "holds 2 values"),
    (record(_PRODUCT, _MATMUL.replace('"A", "B"', '"B", "A"')), "TL324", "1:5", "contradicts itself"),
]


@pytest.mark.parametrize("wrong", _WRONG)
def test_what_is_wrong_is_refused_at_its_place(wrong: tuple[str, str, str, str]) -> None:
    text, code, place, message = wrong
    with pytest.raises(LiftError) as refusal:
        load_tactics(text, "t.tds")
    (diagnostic,) = refusal.value.diagnostics
    assert (diagnostic.code, str(diagnostic.location)) == (code, f"t.tds:{place}")
    assert message in diagnostic.message
    assert diagnostic.remedy
