"""What a C++ function takes and gives: members and sizes that its literal IR asks for, and what it returns."""

from __future__ import annotations

from typing import Any

import pytest

from tensorlift.frontends.c.signature import Asked
from tensorlift.frontends.c.variables import UnitReader
from tensorlift.frontends.cpp.reader import parse_cpp
from tensorlift.frontends.cpp.signature import Entry, signature_of

HEAD = """#include <array>
#include <vector>
using Rows = std::vector<std::vector<double>>;
struct Grid { int rows, cols; std::vector<double> cells; };
struct Pair { Grid first; double m_scale; };
static int calls; static double weights[3];
"""
OWN = "std::vector<double> g(int n) { std::vector<double> own(n); return own; }"


def _entry(text: str, *asked: str, outer: tuple[str, ...] = ()) -> Entry:
    parsed = parse_cpp(HEAD + text, "f.cpp")
    instance = next(one for one in parsed.found if one.name == "f")
    unit = UnitReader("f.cpp")
    return signature_of(unit, instance.cursor, "f", lambda: Asked(asked, outer))


def _parameters(entry: Entry) -> list[str]:
    return [variable.name for variable in (*entry.sizes, *entry.inputs, *entry.results)]


def test_members_are_parameters_where_they_are_asked_for() -> None:
    entry = _entry(
        "double f(const Pair &p, int n) { return 0; }", "n", "p.m_scale", "p.first.cells", "p.first.cells at"
    )
    assert _parameters(entry) == ["p_first_cells_size", "p_first_cells", "p_scale", "n"]
    (pair, number) = entry.prototype["parameters"]
    assert [part["path"] for part in pair["record"]] == ["m_scale", "first"]
    assert number["value"] == "n"


@pytest.mark.parametrize(
    ("asked", "used"),
    [((), []), (("v.size()",), ["v_size"]), (("v[0].size()", "v row"), ["v_row_size"]), (("p.first.cells.size()",),
     ["p_first_cells_size"])],
)  # fmt: skip
def test_sizes_are_used_that_are_asked_for(asked: tuple[str, ...], used: list[str]) -> None:
    entry = _entry("void f(const Rows &v, const Pair &p) {}", *asked)
    assert sorted(size.name for size in entry.used) == used
    assert {"v_size", "v_row_size"} <= {size.name for size in entry.sizes}


@pytest.mark.parametrize(
    ("text", "results", "returns"),
    [
        ("std::vector<double> f(int n) { std::vector<double> out(n); return out; }", ["out"], {"container": "out"}),
        ("std::vector<double> f(int n) { return std::vector<double>(n); }", ["result"], {"container": "result"}),
        (f"{OWN} std::vector<double> f(int n) {{ return g(n); }}", ["own"], {"container": "own"}),
        ("std::vector<double> f(std::vector<double> x) { return x; }", ["x_1"], {"container": "x_1"}),
        ("Grid f(int n) { Grid g; return g; }", ["g_rows", "g_cols", "g_cells"],
         {"record": [{"path": "rows", "type": "int", "cell": "g_rows"}, {"path": "cols", "type": "int",
          "cell": "g_cols"}, {"path": "cells", "type": "std::vector<double>", "container": "g_cells"}]}),
        ("double f(int n) { return n; }", [], {}),
    ],
)  # fmt: skip
def test_what_is_returned_is_written(text: str, results: list[str], returns: dict[str, Any]) -> None:
    entry = _entry(text, "n", "return", "return at")
    assert [variable.name for variable in entry.results] == results
    assert {key: value for key, value in entry.prototype["returns"].items() if key != "type"} == returns


def test_variables_at_file_scope_are_taken_by_name() -> None:
    entry = _entry("double f(int n) { return weights[n] + calls; }", "n", outer=("weights", "calls", "f.own"))
    assert [variable.name for variable in entry.function.outer] == ["calls", "weights"]


def test_parameters_without_a_name_get_one() -> None:
    entry = _entry("void f(int, const std::vector<double> &, double *) {}")
    assert _parameters(entry) == ["unnamed1_size", "unnamed0", "unnamed1", "unnamed2"]
    assert [part["name"] for part in entry.prototype["parameters"]] == ["unnamed0", "unnamed1", "unnamed2"]
