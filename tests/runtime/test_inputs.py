"""Sizes, layouts, data and comparisons of differential tests are what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.ir.programs import GEMM, function

from tensorlift.contract.required import required
from tensorlift.ir.function import FunctionView
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal
from tensorlift.runtime.compare import Tolerance, compare
from tensorlift.runtime.data import STYLES, Style, random_arguments, random_array, seeded
from tensorlift.runtime.layout import Layout, evaluate, layout_of
from tensorlift.runtime.sizes import choose_sizes

VIEW = FunctionView(function(GEMM))


def test_sizes_are_distinct_start_at_the_minimum_and_repeat_with_the_seed() -> None:
    def choose() -> Any:
        return choose_sizes(VIEW.parameters, required(VIEW), seeded(3), 6)

    chosen = choose()
    assert chosen == choose()
    assert len(chosen) == 7  # one of them empty
    assert len({tuple(sizes.values()) for sizes in chosen}) == 7
    assert set(chosen[0].values()) == {0}
    assert all(sizes["K"] <= sizes["lda"] for sizes in chosen)
    assert all(len(set(sizes.values())) == 4 for sizes in chosen[2:]), "equal sizes hide transposed arrays"


def test_a_minimum_above_zero_is_found() -> None:
    twice = equal("N", Affine.var("M") * 2)
    domain = required(VIEW) & Domain.of(*(at_least(name, 1) for name in VIEW.size_names), twice)
    chosen = choose_sizes(VIEW.parameters, domain, seeded(0), 3)
    assert chosen[0] == {"M": 1, "N": 2, "K": 1, "lda": 1}
    assert len(chosen) == 3


def test_sizes_start_at_a_large_minimum() -> None:
    least = {"M": 100, "N": 200, "K": 1, "lda": 64}
    domain = required(VIEW) & Domain.of(*(at_least(name, value) for name, value in least.items()))
    chosen = choose_sizes(VIEW.parameters, domain, seeded(0), 4)
    assert chosen[0] == least
    assert len(chosen) == 4
    assert all(0 <= sizes[name] - least[name] < 12 for sizes in chosen for name in ("M", "N", "lda"))


def test_sizes_stay_below_the_largest_that_was_asked_for() -> None:
    names = [f"n{k}" for k in range(3)]
    signature = ", ".join(f'%{name}: index {{tl.name = "{name}"}}' for name in names)
    parameters = FunctionView(function(f"func.func @f({signature}) {{ return }}")).parameters
    chosen = choose_sizes(parameters, UNIVERSE, seeded(0), 8, largest=5)
    assert max(max(sizes.values()) for sizes in chosen) == 5
    assert all(len(set(sizes.values())) == 3 for sizes in chosen[2:])


def test_extents_are_never_negative() -> None:
    array = 'memref<?xi8> {tl.name = "x", tl.shape = affine_map<()[n] -> (n - 2)>}'
    text = f'func.func @f(%n: index {{tl.name = "n"}}, %x: {array}) {{ return }}'
    chosen = choose_sizes(FunctionView(function(text)).parameters, UNIVERSE, seeded(0), 4)
    assert chosen[0] == {"n": 2}


def test_a_function_without_sizes_has_one_size_set() -> None:
    assert choose_sizes((), UNIVERSE, seeded(0), 4) == ({},)


def test_strides_are_polynomials_of_sizes() -> None:
    sizes = {"M": 2, "N": 3, "K": 4, "lda": 9}
    a, b = VIEW.parameters[5:7]
    assert layout_of(a, sizes) == Layout((2, 4), (9, 1), row_pointers=False)
    assert layout_of(a, sizes).span == 13
    assert layout_of(b, sizes) == Layout((4, 3), (3, 1), row_pointers=False)
    assert evaluate("M*(K + 1) - -2", sizes) == 12
    assert evaluate("(lda // M)*K", sizes) == 16
    for text in ("M % 2", "__import__", "f(M)", "1.5"):
        with pytest.raises(ValueError, match="is no polynomial"):
            evaluate(text, sizes)


@pytest.mark.parametrize(
    ("shape", "strides", "injective"),
    [
        ((2, 3), (3, 1), True),
        ((2, 3), (2, 1), False),
        ((3, 2), (1, 3), True),
        ((1, 9), (0, 1), True),
        ((2, 2), (0, 1), False),
    ],
)
def test_overlapping_elements_are_seen(shape: tuple[int, ...], strides: tuple[int, ...], *, injective: bool) -> None:
    assert Layout(shape, strides, row_pointers=False).is_injective is injective


@pytest.mark.parametrize("dtype", ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"])
@pytest.mark.parametrize("style", STYLES)
def test_data_has_its_type_and_style(dtype: str, style: Any) -> None:
    values = random_array(dtype, (500,), seeded(1), style)
    assert values.dtype.str[1:] == {"bool": "b1"}.get(dtype, f"{dtype[0]}{values.itemsize}")
    assert abs(values.astype(float)).max() <= 9
    if dtype != "bool":
        assert style != "nonzero" or (values != 0).all()
        assert style != "positive" or (values > 0).all()
        assert style != "any" or len(np.unique(values)) > 9


def test_seeded_numbers_are_the_same_everywhere() -> None:
    """They come from Python's Mersenne Twister, which is the same in every version and on every machine."""
    assert random_array("i32", (6,), seeded(1), "any").tolist() == [-5, 2, -7, 1, -3, 0]
    assert random_array("f64", (3,), seeded(1), "any").tolist() != random_array("f64", (3,), seeded(2), "any").tolist()


@pytest.mark.parametrize("dtype", ["bool", "i8", "u64", "f32"])
@pytest.mark.parametrize("style", STYLES)
def test_an_array_without_axes_is_an_array(dtype: str, style: Style) -> None:
    drawn = random_array(dtype, (), seeded(1), style)
    assert isinstance(drawn, np.ndarray)
    assert drawn.shape == ()


def test_arguments_fit_the_function() -> None:
    sizes = {"M": 2, "N": 3, "K": 4, "lda": 9}
    arguments = random_arguments(VIEW.parameters, sizes, seeded(0), "any")
    assert list(arguments) == ["M", "N", "K", "alpha", "lda", "A", "B", "C"]
    assert arguments["A"].shape == (2, 4)
    assert isinstance(arguments["alpha"], np.float64)
    assert arguments["K"] == 4


@pytest.mark.parametrize(
    ("expected", "given", "complaint"),
    [
        (np.array([1, 2]), np.array([1, 2]), ""),
        (np.array([1, 2]), np.array([1, 3]), "x[1] is 3, not 2"),
        (np.array([1, 2]), np.array([1, 2], np.int32), "x has type int32, not int64"),
        (np.array([1.0, 1e6]), np.array([1.0, 1e6 + 1e-5]), ""),
        (np.array([1.0, 2.0]), np.array([1.0, 2.0 + 1e-6]), "x[1] is 2.000001, not 2.0"),
        (np.array([1.0], np.float32), np.array([1.00005], np.float32), ""),
        (np.array([np.nan, np.inf]), np.array([np.nan, np.inf]), ""),
        (np.array([np.inf]), np.array([-np.inf]), "x[0] is -inf, not inf"),
        (np.array([np.nan]), np.array([0.0]), "x[0] is 0.0, not nan"),
        (np.array(2.0), np.array([2.0]), "x has shape (1,), not ()"),
        (np.int32(3), np.int32(4), "x is 4, not 3"),
        (np.zeros((0, 3)), np.zeros((0, 3)), ""),
        (np.zeros((0, 3)), np.zeros((3, 0)), "x has shape (3, 0), not (0, 3)"),
    ],
)
def test_comparison_is_exact_but_for_rounding(expected: Any, given: Any, complaint: str) -> None:
    assert compare("x", expected, given, Tolerance()).complaint == complaint


def test_only_in_linalg_integers_have_no_sign() -> None:
    expected, given = np.array([1, 1 << 31], np.uint32), np.array([1, -1 << 31], np.int32)
    assert compare("x", expected, given, Tolerance.of("numpy")).complaint == "x has type int32, not uint32"
    assert compare("x", expected, given, Tolerance.of("linalg")).complaint == ""
    assert compare("x", expected, given + np.int32(1), Tolerance.of("linalg")).complaint == "x[0] is 2, not 1"
    assert (
        compare("x", expected, given.astype(np.int64), Tolerance.of("linalg")).complaint
        == "x has type int64, not uint32"
    )
