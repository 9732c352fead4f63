"""Emitted text: precedence, numbers, names and line breaks."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.affine import Affine
from tensorlift.source import source_from_text
from tensorlift.targets.python_text import spelling
from tensorlift.targets.python_text.text import Precedence, Text, affine_text, binary, number_text, safe_names
from tensorlift.targets.python_text.wrap import WIDTH, split_commas, split_operators, wrapped

_A, _B, _C = Text("a"), Text("b"), Text("c")


def _sum(left: Text, right: Text) -> Text:
    return binary(left, "+", right, Precedence.SUM)


def _product(left: Text, right: Text, sign: str = "*") -> Text:
    return binary(left, sign, right, Precedence.PRODUCT)


def test_parentheses_stand_only_where_the_grammar_needs_them() -> None:
    assert _sum(_product(_A, _B), _C).source == "a * b + c"
    assert _product(_sum(_A, _B), _C).source == "(a + b) * c"
    assert binary(_A, "-", _sum(_B, _C), Precedence.SUM).source == "a - (b + c)"
    assert _sum(_sum(_A, _B), _C).source == "a + b + c"


def test_matrix_products_and_products_are_told_apart_for_the_reader() -> None:
    assert _product(_A, _product(_B, _C, "@")).source == "a * (b @ c)"
    assert _product(_product(_A, _B, "@"), _C).source == "(a @ b) * c"
    assert _product(_product(_A, _B, "@"), _C, "@").source == "a @ b @ c"
    assert _sum(_A, _product(_B, _C, "@")).source == "a + b @ c"


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (Fraction(1, 2), "f64", "0.5"),
        (Fraction(-3), "f64", "-3.0"),
        (Fraction(1, 3), "f64", "1 / 3"),
        (Fraction(7), "i32", "7"),
        (Fraction(1), "bool", "True"),
        ("-inf", "f64", "-np.inf"),
    ],
)
def test_numbers_are_spelled_exactly(value: Fraction | str, dtype: str, text: str) -> None:
    assert number_text(value, dtype, "np").source == text  # type: ignore[arg-type]  # the table names types


def test_affine_expressions_know_how_tightly_they_bind() -> None:
    assert affine_text(Affine.var("n") - 1, str).precedence is Precedence.SUM
    assert affine_text(Affine.var("n", 2), str).within(Precedence.UNARY) == "(2 * n)"
    assert affine_text(Affine.var("n"), str.upper).source == "N"


def test_names_that_mean_something_in_python_get_an_underscore() -> None:
    assert safe_names(["from", "max", "np", "x"], {"np"}) == {"from": "from_", "max": "max_", "np": "np_", "x": "x"}
    assert safe_names(["max", "max_"], ()) == {"max": "max__", "max_": "max_"}


def test_no_name_hides_a_builtin() -> None:
    assert safe_names(["sum", "input", "lens"], ()) == {"sum": "sum_", "input": "input_", "lens": "lens"}


def test_a_short_statement_is_one_line() -> None:
    assert wrapped("x = ", "a + b", "    ") == ["    x = a + b"]


def test_a_long_sum_is_broken_before_its_operators() -> None:
    value = " + ".join(f"term_number_{k}" for k in range(8))
    lines = wrapped("x = ", value, "")
    assert lines[0] == "x = ("
    assert lines[2] == "    + term_number_1"
    assert lines[-1] == ")"


def test_a_long_call_is_broken_inside_its_bracket() -> None:
    arguments = ", ".join(f"argument_{k}" for k in range(9))
    lines = wrapped("return ", f"function({arguments})", "    ")
    assert lines[0] == "    return function("
    assert lines[1] == "        argument_0,"
    assert lines[-1] == "    )"


def test_one_operator_before_a_bracket_hugs_it() -> None:
    inside = " + ".join(f"term_number_{k}" for k in range(5))
    assert wrapped("value = ", f"0.25 * ({inside})", "    ")[0] == "    value = 0.25 * ("


def test_every_line_fits_where_it_can() -> None:
    value = " + ".join(f"np.exp(alpha_{k} * x[{k}:-{k}])" for k in range(1, 12))
    assert all(len(line) <= WIDTH for line in wrapped("y = ", value, "        "))


def test_brackets_and_strings_are_not_split() -> None:
    assert split_commas('"a, b", f(c, d), e') == ['"a, b"', "f(c, d)", "e"]
    assert split_operators("f(a + b) * c") == ["f(a + b)", "* c"]
    assert split_operators("f(a + b)") == []


def test_an_expression_has_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "_LONGEST", 10)
    source = source_from_text("void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] = 3 * x[i] + 1; }", "f.c")
    (function,) = lift_source(source, LiftOptions()).functions
    assert [d.code for d in function.diagnostics] == ["TL305"]
