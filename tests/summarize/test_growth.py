"""Long programs end, and deep terms do not end the process; bench/scaling.py measures what their length costs."""

from __future__ import annotations

import sys
import threading
from cProfile import Profile
from typing import TYPE_CHECKING

import pytest
from bench.scaling import SHAPES, bounds
from bench.scaling import main as measure_scaling
from tests.summarize.programs import function_of, kept, summary_of

from tensorlift.languages.c import read_c
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable


def definitions_of(text: str) -> int:
    return len(list(summary_of(function_of(text)).definitions()))


def test_a_thousand_statements_in_a_row() -> None:
    body = "\n".join(f"a[{i + 1}] = a[{i}] * 2.0;" for i in range(1000))
    assert definitions_of(f"void f(double a[1001]) {{ {body} }}") in {1, 1000}


def test_a_thousand_stores_to_one_cell_of_a_loop() -> None:
    body = "\n".join("a[i] = a[i] * 2.0 + 1.0;" for _ in range(1000))
    summary = summary_of(function_of(f"void f(int n, double a[n]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"))
    assert len(list(summary.definitions())) in {1, 1000}


def test_eighty_matrix_products_in_a_row() -> None:
    count = 80
    arrays = ", ".join(f"double a{i}[n][n]" for i in range(count + 1))
    body = "\n".join(
        f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ a{k + 1}[i][j] = 0;"
        f" for (int l = 0; l < n; l++) a{k + 1}[i][j] += a{k}[i][l] * b[l][j]; }}"
        for k in range(count)
    )
    assert definitions_of(f"void f(int n, double b[n][n], {arrays}) {{ {body} }}") == count


def test_many_stores_in_a_loop_stay_a_loop_instead_of_exploding() -> None:
    body = "\n".join(f"a[i][{k + 1}] = a[i][{k}] * 2.0;" for k in range(200))
    text = f"void f(int n, double a[n][201]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    assert kept(summary_of(function_of(text)).items) == [("i", [])]


def test_many_conditions_on_one_cell() -> None:
    body = "\n".join(f"if (x[i] > {k}.0) y[i] += {k}.5;" for k in range(12))
    assert (
        definitions_of(f"void f(int n, double x[n], double y[n]) {{ for (int i = 0; i < n; i++) {{ {body} }} }}") == 1
    )


def calls_of(work: Callable[[], object]) -> int:
    """Count the calls of functions in Python that something takes, which no other process changes."""
    profiles: list[Profile] = []

    def begin(*_: object) -> None:
        """Let a thread count: each has a profile of its own."""
        profiles.append(Profile(builtins=False))
        profiles[-1].enable()

    threading.setprofile(begin)
    begin()
    try:
        work()
    finally:
        threading.setprofile(None)
        sys.setprofile(None)
    return sum(entry.callcount for profile in profiles for entry in profile.getstats())


def calls_of_lifting(text: str) -> int:
    return calls_of(lambda: lift_source(source_from_text(text, "f.c"), LiftOptions()))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"bounds"}))  # whose proof goes by cases of the sizes
def test_four_times_the_length_takes_at_most_eight_times_the_work(shape: str) -> None:
    build, _, _ = SHAPES[shape]
    calls_of_lifting(build(2))  # the first lift of a process does more
    assert calls_of_lifting(build(24)) < 8 * calls_of_lifting(build(6))


def test_a_ladder_of_bounds_of_an_index_is_read_in_no_more_than_quadratic_time() -> None:
    def calls(length: int) -> int:
        return calls_of(lambda: read_c(bounds(length), "f.c"))

    calls(2)
    assert calls(80) < 16 * calls(20)


def test_the_benchmark_of_scaling_ends(capsys: pytest.CaptureFixture[str]) -> None:
    assert measure_scaling(["--small"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 * len(SHAPES)
