"""Large sizes are chosen inside the domain of the preconditions, and work is counted as brute force counts it."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift.commands.benchmark import chosen_sizes
from tensorlift.commands.prepare import Prepared, prepare
from tensorlift.pipeline import LiftOptions
from tensorlift.poly.domain import parse_domain
from tensorlift.runtime.large_sizes import array_bytes_at, large_sizes, parse_sizes
from tensorlift.runtime.measure_worker import take_samples
from tensorlift.runtime.sizes import is_possible
from tensorlift.runtime.work_count import count_points, work_of
from tensorlift.source import source_from_text

GEMM = """void f(int n, int m, int k, double alpha, double a[n][k], double b[k][m], double c[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int l = 0; l < k; l++)
    c[i][j] += alpha * a[i][l] * b[l][j];
}"""
TRIANGLE = """void f(int n, double a[n][n], double x[n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) x[i] += a[i][j];
}"""
RUNNING = "void f(int n, double a[n]) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }"
SWEEPS = """void f(int t, int n, double a[n]) {
  for (int s = 0; s < t; s++) for (int i = 1; i < n - 1; i++) a[i] = a[i - 1] * 0.5 + a[i + 1];
}"""
WINDOW = """void f(int n, int k, float a[n], float w[k], float y[n - k + 1]) {
  for (int i = 0; i + k <= n; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += a[i + j] * w[j]; }
}"""
GATHER = "void f(int n, int m, int at[n], float x[m], float y[n]) { for (int i = 0; i < n; i++) y[i] = x[at[i]]; }"
HISTOGRAM = "void f(int n, int m, int key[n], int count[m]) { for (int i = 0; i < n; i++) count[key[i]]++; }"
LARGEST = """void f(int n, int a[n], int b[n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (a[j] > b[i]) b[i] = a[j];
}"""
COPY = "void f(int n, int m, int a[n], int b[n]) { for (int i = 0; i < m; i++) b[i] = a[i]; }"


def prepared(text: str) -> Prepared:
    return prepare(source_from_text(text), LiftOptions())


@pytest.mark.parametrize(
    ("text", "sizes", "operations"),
    [
        (GEMM, {"n": 7, "m": 5, "k": 3}, 2 * 7 * 5 * 3 + 7 * 3 + 7 * 5),
        (TRIANGLE, {"n": 10}, 45 + 10),
        (RUNNING, {"n": 10}, 10),
        (SWEEPS, {"t": 3, "n": 10}, 3 * 8 * 2),
        (COPY, {"n": 10, "m": 4}, 0),
        (GATHER, {"n": 100, "m": 100}, 0),
        (HISTOGRAM, {"n": 100, "m": 100}, 100),
    ],
)
def test_operations_are_counted(text: str, sizes: dict[str, int], operations: int) -> None:
    lifting = prepared(text).lifting
    counted = work_of(lifting.view, lifting.summary, sizes).operations
    assert counted is not None
    assert abs(counted - operations) <= max(sizes.values())  # pieces at the borders may cost one operation less


def test_bytes_are_those_of_whole_arrays() -> None:
    lifting = prepared(GEMM).lifting
    work = work_of(lifting.view, lifting.summary, {"n": 7, "m": 5, "k": 3})
    assert (work.bytes_read, work.bytes_written) == ((21 + 15 + 35) * 8, 35 * 8)
    assert work.bytes == work.bytes_read + work.bytes_written


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("text", [GEMM, TRIANGLE, RUNNING, SWEEPS, WINDOW, COPY])
@pytest.mark.parametrize("wanted", [1, 4096, 1 << 22])
def test_arrays_become_as_large_as_wanted(text: str, wanted: int) -> None:
    found = prepared(text)
    view = found.lifting.view
    sizes = large_sizes(view, found.domain, wanted)
    assert found.checked(sizes) == sizes
    assert is_possible(view.parameters, sizes)
    largest = max(array_bytes_at(parameter, sizes) for parameter in view.parameters)
    assert wanted <= largest <= 2 * wanted + 256


def test_sizes_that_shape_nothing_or_make_arrays_smaller_stay_small() -> None:
    assert large_sizes(prepared(SWEEPS).lifting.view, prepared(SWEEPS).domain, 1 << 20)["t"] == 8
    window = prepared(WINDOW)
    assert large_sizes(window.lifting.view, window.domain, 1 << 20)["k"] == 8
    part = prepared(COPY)
    sizes = large_sizes(part.lifting.view, part.domain, 1 << 20)
    assert sizes["m"] == sizes["n"]


@pytest.mark.parametrize(("text", "largest"), [(GATHER, 1 << 20), (HISTOGRAM, 1 << 20), (LARGEST, 4 * 1000)])
def test_arrays_are_as_large_as_the_loops_have_time_for(text: str, largest: int) -> None:
    sizes = chosen_sizes(prepared(text).lifting, 1 << 20, 1e6)
    assert largest // 2 < sizes["n"] * 4 <= largest


def test_sizes_are_read() -> None:
    assert parse_sizes(["n=3, m = 4", "k=5"]) == {"n": 3, "m": 4, "k": 5}
    assert parse_sizes([]) == {}


def test_sizes_that_the_domain_leaves_out_are_passed_by() -> None:
    thirds = """void f(int n, double x[n], double y[n]) {
      for (int i = 0; i < n; i += 3) for (int j = 0; j < n; j++) y[j] = i < n - 1 ? x[j] : 1; }"""
    lifting = prepared(thirds).lifting
    domain = parse_domain("3*k - 1 <= n <= 3*k and n > 1")
    assert large_sizes(lifting.view, domain, 8000)["n"] in range(1000, 1003)


coefficients = st.integers(-2, 2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(coefficients, coefficients, coefficients, st.integers(-4, 6)), max_size=3), st.booleans())
def test_points_are_counted_as_one_by_one(rows: list[tuple[int, int, int, int]], equality: bool) -> None:  # noqa: FBT001 - drawn
    conditions = [f"{a}*i + {b}*j + {c}*k + {d} >= 0" for a, b, c, d in rows]
    conditions += ["i + j = k"] if equality else []
    domain = parse_domain(" and ".join(["0 <= i < n", "0 <= j <= n", "-1 <= k < 4", *conditions]))
    one_by_one = sum(
        all(a * i + b * j + c * k + d >= 0 for a, b, c, d in rows) and (not equality or i + j == k)
        for i, j, k in product(range(5), range(6), range(-1, 4))
    )
    assert count_points(domain, ["i", "j", "k"], {"n": 5}) == one_by_one


def test_contenders_take_turns() -> None:
    now = 0.0
    calls = []

    def contender(name: str, seconds: float) -> float:
        nonlocal now
        calls.append(name)
        now += seconds
        return seconds

    a, b = ("a", lambda: contender("a", 1.0)), ("b", lambda: contender("b", 2.0))
    samples = take_samples([a, b, a], 9, 8.0, clock=lambda: now)
    assert samples == {"a": [1.0] * 4, "b": [2.0, 2.0]}
    assert calls == ["a", "b", "a"] * 2
