"""The algebraic solvers find what was planted, and what they find is right at sizes at which nothing was searched."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.synthesis.planted import Garden

from tensorlift.poly.affine import Affine
from tensorlift.synthesis.derive.contraction import contract, reduced
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.sketch.construct import plus, power, times

_MATRICES = [("C", "i", "j"), ("D", "i", "j"), ("E", "j", "i")]
_FACTORS = [*_MATRICES, ("u", "i"), ("v", "j"), ("s",)]
_PAIRS = [
    (("A", "i", "r"), ("B", "r", "j")),
    (("A", "i", "r"), ("A", "i", "r")),
    (("B", "r", "j"), ("B", "r", "j")),
    (("A", "i", "r"), ("w", "r")),
    (("w", "r"), ("B", "r", "j")),
    (("w", "r"), ("w", "r")),
]


def _garden() -> Garden:
    garden = Garden()
    garden.scope.spans["r"] = garden.scope.spans.get("r", (garden.scope.spans["i"][0], garden.array("w").shape[0]))
    return garden


def _found(garden: Garden, planted: Value) -> bool:
    found = garden.solved(planted)
    return found is not None and garden.agree(planted, found)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(_FACTORS), st.sampled_from(_FACTORS), st.integers(1, 4))
def test_factors_are_found_by_their_degree(base: tuple[str, ...], other: tuple[str, ...], degree: int) -> None:
    garden = _garden()
    factor = power(garden.value(*base), degree, garden.scope)
    assert _found(garden, times(factor, garden.value(*other), garden.scope))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(_FACTORS), st.sampled_from(_MATRICES), st.sampled_from(_FACTORS), st.integers(1, 3))
def test_polynomials_are_taken_apart(
    base: tuple[str, ...], constant: tuple[str, ...], slope: tuple[str, ...], degree: int
) -> None:
    garden = _garden()
    scope = garden.scope
    product = times(power(garden.value(*base), degree, scope), garden.value(*slope), scope)
    assert _found(garden, plus(garden.value(*constant), product, scope))


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(_PAIRS), st.sampled_from(_FACTORS), st.booleans())
def test_contractions_are_found_inside_sums_and_products(
    pair: tuple[tuple[str, ...], tuple[str, ...]],
    other: tuple[str, ...],
    adds: bool,  # noqa: FBT001 - drawn
) -> None:
    garden = _garden()
    product = contract([garden.value(*operand) for operand in pair], ("i", "j"), garden.scope)
    combine = plus if adds else times
    assert _found(garden, combine(product, garden.value(*other), garden.scope))


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["exp", "sqrt", "abs"]), st.sampled_from(_PAIRS[:1]), st.sampled_from(_FACTORS))
def test_functions_are_looked_through_and_folded(
    op: str, pair: tuple[tuple[str, ...], tuple[str, ...]], other: tuple[str, ...]
) -> None:
    garden = _garden()
    scope = garden.scope
    inner = scope.combined(op, garden.value(*pair[0]))
    rows = reduced("sum", inner, ("r",), scope)
    assert _found(garden, times(rows, garden.value(*other), scope))


@pytest.mark.parametrize("op", ["max", "min"])
def test_extremes_are_folded_over_an_axis(op: str) -> None:
    garden = _garden()
    extreme = Value(garden.build.reduction(op, garden.array("A"), (1,)), ("i",))  # type: ignore[arg-type]  # a reducer
    assert _found(garden, plus(extreme, garden.value("v", "j"), garden.scope))


@pytest.mark.parametrize("offset", [-1, 0, 1])
@pytest.mark.parametrize("is_upper", [True, False])
def test_triangles_are_found(offset: int, is_upper: bool) -> None:  # noqa: FBT001 - a parameter of a test
    garden = _garden()
    triangle = garden.build.triangle(garden.array("C"), is_upper=is_upper, offset=Affine(offset))
    assert _found(garden, plus(Value(triangle, ("i", "j")), garden.value("s"), garden.scope))


def _expressions(garden: Garden) -> st.SearchStrategy[Value]:
    scope = garden.scope
    leaves = st.sampled_from([garden.value(*leaf) for leaf in _FACTORS])
    products = st.sampled_from([contract([garden.value(*o) for o in pair], ("i", "j"), scope) for pair in _PAIRS])
    return st.recursive(
        leaves | products,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: plus(*pair, scope)),
            st.tuples(inner, inner).map(lambda pair: times(*pair, scope)),
            st.tuples(inner, inner).map(lambda pair: scope.combined("max", *pair)),
            inner.map(lambda value: scope.combined("exp", value)),
        ),
        max_leaves=4,
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_is_found_is_right_at_other_sizes(data: st.DataObject) -> None:
    garden = _garden()
    planted = data.draw(_expressions(garden))
    found = garden.solved(planted)
    assert found is None or garden.agree(planted, found)
