"""Nodes are equal where the values are, points and sizes are those that isl gives, and grammars come from meanings."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.c import read_c
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive.builder import Builder
from tensorlift.synthesis.enumerate import enumerated
from tensorlift.synthesis.grammar import grammar_of
from tensorlift.synthesis.simplify import simplify
from tensorlift.synthesis.sketch import sketch, sketch_whole
from tensorlift.synthesis.symbolic.graph import Graph, Undefined
from tensorlift.synthesis.symbolic.meaning import Meaning
from tensorlift.synthesis.symbolic.points import Unlike, Untraceable, contains, points, small_sizes
from tensorlift.targets import get_target

_NAMES = ("x", "y", "z")


def _symbol(graph: Graph, name: str) -> int:
    return graph.symbol(("scalar", name), "f64")


def _expressions() -> st.SearchStrategy[tuple[object, ...]]:
    leaves = st.sampled_from(_NAMES).map(lambda name: ("name", name)) | st.integers(-3, 3).map(lambda n: ("number", n))
    return st.recursive(
        leaves, lambda inner: st.tuples(st.sampled_from(["add", "sub", "mul"]), inner, inner), max_leaves=5
    )


def _node(graph: Graph, tree: tuple[object, ...]) -> int:
    if tree[0] == "name":
        return _symbol(graph, str(tree[1]))
    if tree[0] == "number":
        return graph.constant(int(str(tree[1])), "f64")
    left, right = (_node(graph, part) for part in tree[1:])  # type: ignore[arg-type]  # trees
    return graph.apply(str(tree[0]), (left, right), "f64")


def _value(tree: tuple[object, ...], at: dict[str, int]) -> int:
    if tree[0] == "name":
        return at[str(tree[1])]
    if tree[0] == "number":
        return tree[1]  # type: ignore[return-value]  # a number
    left, right = (_value(part, at) for part in tree[1:])  # type: ignore[arg-type]  # trees
    return {"add": left + right, "sub": left - right, "mul": left * right}[str(tree[0])]


@settings(deadline=None)
@given(_expressions(), _expressions())
def test_polynomials_are_one_node_exactly_where_they_are_equal(
    first: tuple[object, ...], second: tuple[object, ...]
) -> None:
    graph = Graph()
    points_ = [dict(zip(_NAMES, at, strict=True)) for at in itertools.product((0, 1, 2, 5, -7, 100), repeat=3)]
    equal_everywhere = all(_value(first, at) == _value(second, at) for at in points_)
    assert (_node(graph, first) == _node(graph, second)) is equal_everywhere


@settings(deadline=None)
@given(_expressions())
def test_derivatives_are_those_of_polynomials(tree: tuple[object, ...]) -> None:
    """``f(x + h) - f(x)`` has the derivative as the coefficient of h."""
    graph = Graph()
    node, x, h = _node(graph, tree), _symbol(graph, "x"), _symbol(graph, "h")
    moved = graph.substitute(node, {x: graph.add(x, h)}, graph.bit[x], {})
    slope = graph.derivative(moved, h)
    assert slope is not None
    at_zero = graph.substitute(slope, {h: graph.zero("f64")}, graph.bit[h], {})
    assert at_zero == graph.derivative(node, x)


def test_functions_are_opaque_and_see_their_operands_values() -> None:
    graph = Graph()
    x, y = _symbol(graph, "x"), _symbol(graph, "y")
    two = graph.constant(2, "f64")
    assert graph.apply("exp", (graph.add(x, x),), "f64") == graph.apply("exp", (graph.mul(two, x),), "f64")
    assert graph.apply("max", (x, graph.apply("max", (y, x), "f64")), "f64") == graph.apply("max", (y, x), "f64")
    above = graph.apply("gt", (x, y), "bool")
    assert graph.apply("select", (above, x, y), "f64") == graph.apply("max", (x, y), "f64")
    inner = graph.apply("select", (above, two, y), "f64")
    assert graph.apply("select", (above, x, inner), "f64") == graph.apply("max", (x, y), "f64")
    assert graph.derivative(graph.apply("exp", (x,), "f64"), x) is None


def test_types_are_told_apart_and_sizes_are_exact_in_all() -> None:
    graph = Graph()
    n = Affine.var("n")
    whole, real = graph.of_affine(n + 1, "i32"), graph.of_affine(n + 1, "f64")
    assert whole != real
    assert graph.apply("cast", (whole,), "f64") == real
    assert graph.affine(real) == n + 1


def test_a_quotient_by_zero_is_no_node() -> None:
    graph = Graph()
    x = _symbol(graph, "x")
    with pytest.raises(Undefined):
        graph.div(x, graph.sub(x, x))


@given(st.integers(-3, 3), st.integers(1, 3), st.integers(0, 4), st.booleans())
def test_points_are_those_of_the_domain(low: int, factor: int, high: int, is_tied: bool) -> None:  # noqa: FBT001 - drawn
    domain = Domain.of(
        at_least(Affine.var("i", factor), low),
        less("i", Affine.var("n") + high),
        at_least("j", Affine.var("i", -1)),
        less("j", 4),
        *([equal("j", Affine.var("i") + 1)] if is_tied else []),
    )
    at = {"n": 4}
    found = points(domain, ("i", "j"), at)
    wanted = [p for p in itertools.product(range(-12, 12), repeat=2) if contains(domain, {**at, "i": p[0], "j": p[1]})]
    assert found == wanted


def test_small_sizes_are_distinct_and_meet_the_context() -> None:
    m, n = Affine.var("m"), Affine.var("n")
    context = Domain.of(at_least("m", 1), at_least("n", 1), less("n", "m"))
    assert small_sizes(["m", "n"], context, [m, n], 3) == {"m": 4, "n": 3}
    assert small_sizes(["m"], Domain.of(at_least("m", 2)), [m - 2], 3) == {"m": 5}
    with pytest.raises(Untraceable, match="no small sizes"):
        small_sizes(["m"], Domain.of(at_least("m", 1000)), [m], 3)


def test_a_second_set_of_sizes_has_other_differences() -> None:
    m, n = Affine.var("m"), Affine.var("n")
    context = Domain.of(at_least("n", 1), less("n", "m"))
    first = small_sizes(["m", "n"], context, [m, n], 3)
    assert small_sizes(["m", "n"], context, [m, n], 4, Unlike((m - n,), first)) == {"m": 6, "n": 4}
    fixed = context & Domain.of(equal("m", n + 1))
    assert small_sizes(["m", "n"], fixed, [m, n], 4, Unlike((m - n,), first)) == {"m": 5, "n": 4}


@pytest.mark.parametrize("name", ["numpy", "jax", "torch", "stablehlo", "linalg"])
def test_a_grammar_is_found_from_meanings(name: str) -> None:
    grammar = grammar_of(get_target(name))
    assert grammar.has_contractions
    assert {"add", "sub", "mul", "div", "exp", "max", "select", "tdiv", "lt"} <= grammar.elementwise
    assert {"sum", "max", "min", "prod"} <= grammar.reductions
    assert {"not", "and", "or"} <= grammar.elementwise
    assert ("erf" in grammar.elementwise) == (name in {"jax", "torch", "linalg"})


def test_a_dialect_without_an_operation_that_computes_is_refused() -> None:
    numpy = get_target("numpy")
    views = replace(numpy, name="views", rows={key: row for key, row in numpy.rows.items() if key in ("len", ".T")})
    with pytest.raises(LiftError, match="'views' has no operation that computes"):
        grammar_of(views)
    (read,) = read_c("void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = -a[i]; }", "f.c")
    assert read.module is not None
    summary = simplify(summarise(FunctionView(functions(read.module)[0])))
    for engine in (sketch, sketch_whole, enumerated):
        with pytest.raises(LiftError, match="'views' has no operation that computes") as refusal:
            engine(summary, views)
        assert [d.code for d in refusal.value.diagnostics] == ["TL310"]


def test_a_fold_of_no_cells_has_none() -> None:
    build = Builder()
    total = build.reduction("sum", build.variable("x", "f64", (Affine.var("n"),)), (0,))
    assert Meaning(Graph(), {"n": 2}).of(total).shape == ()
    with pytest.raises(ValueError, match="a fold of no cells"):
        Meaning(Graph(), {"n": 0}).of(total)
