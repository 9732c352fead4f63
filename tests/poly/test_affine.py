"""Affine expressions compute as their values do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.poly.affine import ONE, ZERO, Affine, affine

NAMES = ("i", "j", "n")
V = Affine.var
expressions = st.builds(
    Affine, st.integers(-5, 5), st.dictionaries(st.sampled_from(NAMES), st.integers(-3, 3), max_size=3)
)
points = st.fixed_dictionaries({name: st.integers(-9, 9) for name in NAMES})


@given(expressions, expressions, st.integers(-4, 4), points)
def test_arithmetic_is_that_of_the_values(a: Affine, b: Affine, k: int, point: dict[str, int]) -> None:
    x, y = a.evaluate(point), b.evaluate(point)
    assert (a + b).evaluate(point) == x + y
    assert (a - b).evaluate(point) == x - y
    assert (a * k).evaluate(point) == (k * a).evaluate(point) == k * x
    assert (-a).evaluate(point) == -x
    assert (a + k).evaluate(point) == (k + a).evaluate(point) == x + k
    assert (k - a).evaluate(point) == k - x


@given(expressions, expressions, expressions, points)
def test_substitution_is_simultaneous(a: Affine, b: Affine, c: Affine, point: dict[str, int]) -> None:
    inner = {**point, "i": b.evaluate(point), "j": c.evaluate(point)}
    assert a.substitute({"i": b, "j": c}).evaluate(point) == a.evaluate(inner)


@given(expressions, points)
def test_solving_gives_the_root(a: Affine, point: dict[str, int]) -> None:
    root = a.solve("i")
    if root is None:
        others = [a.constant, *(c for v, c in a.terms if v != "i")]
        assert not a.coefficient("i") or any(c % a.coefficient("i") for c in others)
    else:
        assert "i" not in root.variables
        assert a.evaluate({**point, "i": root.evaluate(point)}) == 0


@given(expressions, expressions)
def test_equal_expressions_have_equal_hashes(a: Affine, b: Affine) -> None:
    again = a + b - b
    assert again == a
    assert hash(again) == hash(a)
    assert (a == b) == (a - b == ZERO)


def test_a_constant_equals_its_number() -> None:
    assert Affine(3) == 3
    assert V("i") != 3
    assert V("i") != "i"
    assert ZERO == 0
    assert ONE == 1


def test_a_variable_by_itself_is_known() -> None:
    assert V("i").variable == "i"
    assert (V("i") + 1).variable is None
    assert (V("i") * 2).variable is None
    assert (V("i") + V("j")).variable is None


def test_terms_without_coefficient_vanish() -> None:
    assert (V("i") - V("i")).is_constant
    assert (V("i") + V("j") - V("i")).variables == ("j",)
    assert V("i").mentions(["j", "i"])
    assert not V("i").mentions(["j"])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ZERO, "0"),
        (Affine(-3), "-3"),
        (V("i"), "i"),
        (-V("i"), "-i"),
        (V("n") - V("i") - 1, "n - i - 1"),
        (V("j") * 2 - V("i") + 3, "2 * j - i + 3"),
    ],
)
def test_spelling(value: Affine, text: str) -> None:
    assert str(value) == text


def test_building_from_names_and_numbers() -> None:
    assert affine("i") == V("i")
    assert affine(2) == Affine(2)
    assert affine(V("i")) is not None
