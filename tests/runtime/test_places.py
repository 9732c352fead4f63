"""Inputs for reads at places that depend on data: the places are drawn inside, and programs agree with the source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift import lift
from tensorlift.ir.function import FunctionView
from tensorlift.ir.interpreter import Interpreter, UndefinedError
from tensorlift.ir.text import functions
from tensorlift.languages.c import read_c
from tensorlift.runtime.data import random_arguments, seeded, within
from tensorlift.runtime.places import Places

SHIFTED = """void f(int n, const int *ix, const int *jx, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] = x[ix[i] + 2] - x[jx[ix[i]] - 1];
}"""
ROWS = """void f(int n, int m, int q, const int *row, const double *A, double *B) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[i*m + j] = A[row[i]*q + j];
}"""
PLAIN = "void f(int n, const int *ix, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[ix[i]]; }"


def view_of(source: str) -> FunctionView:
    (function,) = read_c(source, "k.c")
    assert function.module is not None, function.diagnostics
    return FunctionView(functions(function.module)[0])


def test_ranges_follow_what_is_added_on_the_way() -> None:
    places = Places(view_of(SHIFTED))
    sizes = {"n": 4, "x_size": 7, "jx_size": 5}
    assert places.ranges(sizes) == {"ix": (0, 5), "jx": (1, 8)}
    assert places.shares == (1.0,)


def test_a_product_on_the_way_leaves_guesses_that_get_smaller() -> None:
    places = Places(view_of(ROWS))
    sizes = {"n": 4, "m": 3, "A_size": 8}
    assert [places.ranges(sizes, share)["row"] for share in places.shares] == [(0, 8), (0, 2), (0, 1)]


@pytest.mark.parametrize(("place", "is_counted"), [("(i + k) % n", False), ("i * n % (k + 1)", False), ("c++", True)])
def test_places_that_count_need_room_and_others_none(place: str, is_counted: bool) -> None:  # noqa: FBT001 - the row
    source = f"""void f(int n, int m, const double *x, double *y) {{ int c = 0;
      for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) if (y[i] > k) y[i] += x[{place}]; }}"""
    assert bool(Places(view_of(source)).room()) is is_counted


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=5), st.integers(-5, 5), st.integers(1, 9))
def test_values_are_moved_into_a_range(values: list[int], low: int, length: int) -> None:
    moved = within(np.array(values, np.int32), low, low + length)
    assert moved.dtype == np.int32
    assert low <= moved.min() <= moved.max() < low + length


def test_bytes_stay_bytes() -> None:
    assert within(np.array([0, 200, 255], np.uint8), 0, 300).tolist() == [0, 200, 255]
    assert within(np.array([0, 200, 255], np.uint8), -4, 3).tolist() == [0, 2, 0]


def test_the_interpreter_gives_a_read_outside_no_meaning() -> None:
    view = view_of(PLAIN)
    arguments = random_arguments(view.parameters, {"n": 3, "x_size": 2}, seeded(0), "any")
    arguments["ix"][:] = [0, -1, 1]
    with pytest.raises(UndefinedError, match=r"the access \[-1\] is outside of the extents \[2\]"):
        Interpreter(view)(arguments)


TERMS = st.lists(
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from(["ix", "jx"]), st.integers(-2, 3)), min_size=1, max_size=3
)


@settings(max_examples=15, deadline=None)
@given(TERMS, st.integers(1, 6), st.randoms(use_true_random=False))
def test_random_reads_agree_with_loops(terms: list[tuple[str, str, int]], n: int, rng: Any) -> None:
    text = " + ".join(f"{array}[{places}[i] + ({added})] * {k + 1}" for k, (array, places, added) in enumerate(terms))
    source = (
        "void f(int n, const int *ix, const int *jx, const double *a, const double *b, double *y) {"
        f" for (int i = 0; i < n; i++) y[i] = {text}; }}"
    )
    program = lift(source)
    drawn = {name: np.array([rng.randint(2, 5) for _ in range(n)], np.int32) for name in ("ix", "jx")}
    arrays = {name: np.array([rng.uniform(-1, 1) for _ in range(9)]) for name in ("a", "b")}
    known = {**drawn, **arrays}
    given_ = [known[p.name] for p in program.functions[0].parameters]
    wanted = [
        sum(arrays[array][drawn[places][i] + added] * (k + 1) for k, (array, places, added) in enumerate(terms))
        for i in range(n)
    ]
    np.testing.assert_allclose(program(*given_), wanted)


def test_a_place_that_is_never_inside_is_refused() -> None:
    source = PLAIN.replace("x[ix[i]]", "x[ix[i] * 0 - 1]")
    (function,) = lift(source).functions
    assert not function.program
    assert function.diagnostics[0].code == "TL133"
    assert "`x[-1]` lies before the start of the array" in function.diagnostics[0].message
