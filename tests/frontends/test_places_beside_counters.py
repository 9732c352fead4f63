"""Places that are counted beside the loop variable: in types that wrap, and round a ring."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.contract.decide import holds
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.record import FunctionRecord

COUNTS = (1, 3, 6, 7, 86, 87, 128, 129, 256, 257, 300)

# What is declared, what each iteration does behind `o[i] = a[..]`, the place that it reads in iteration t and leaves
# behind as many.
WRAPPING: list[tuple[str, str, str, Callable[[int], int]]] = [
    ("unsigned char j = 0;", "j++;", "j", lambda t: t % 256),
    ("unsigned char j = 0;", "j = j + 1;", "j", lambda t: t % 256),
    ("unsigned char j = 0;", "j += 3;", "j", lambda t: 3 * t % 256),
    ("unsigned char j = 250;", "++j;", "j", lambda t: (250 + t) % 256),
    ("signed char j = 0;", "j++;", "j + 128", lambda t: (t + 128) % 256),
    ("signed char j = -128;", "j += 2;", "j + 128", lambda t: 2 * t % 256),
    ("unsigned char j = 0;", "for (int q = 0; q < 2; q++) j++;", "j", lambda t: 2 * t % 256),
    ("int j = 0;", "j = (unsigned char)(j + 1);", "j", lambda t: t % 256),
    ("int j = 0;", "j = (signed char)(j + 1);", "j + 128", lambda t: (t + 128) % 256),
    ("int j = 0; unsigned char s = 3;", "j = (unsigned char)(j + s);", "j", lambda t: 3 * t % 256),
]

# What a function does, and the place that it reads in iteration t.
RINGS: list[tuple[str, Callable[[int], int]]] = [
    (
        "int j = 0; for (int i = 0; i < n; i++) { o[i] = a[j]; j = (j + 1) % 8; }",
        lambda t: t % 8,
    ),
    (
        "int j = 0; for (int i = 0; i < n; i++) { o[i] = a[j]; j = (j + 1) & 7; }",
        lambda t: t % 8,
    ),
    (
        "unsigned j = 0; for (int i = 0; i < n; i++) { o[i] = a[j]; j = (j + 1) % 8; }",
        lambda t: t % 8,
    ),
    (
        "int j = 0; for (int i = 0; i < n; i++) { o[i] = a[j]; j = (j + 3) % 8; }",
        lambda t: 3 * t % 8,
    ),
    (
        "int j = 7; for (int i = 0; i < n; i++) { o[i] = a[j]; j = (j + 1) % 8; }",
        lambda t: (7 + t) % 8,
    ),
    (
        "int j = 0; for (int i = 0; i < n; i++) { j = (j + 1) % 8; o[i] = a[j]; }",
        lambda t: (t + 1) % 8,
    ),
    (
        "const int *p = a; for (int i = 0; i < n; i++) { o[i] = *p; p = a + (p - a + 1) % 8; }",
        lambda t: t % 8,
    ),
    (
        "int j = 0, i = 0; while (i < n) { o[i++] = a[j]; j = j + 1 - (j + 1) / 8 * 8; }",
        lambda t: t % 8,
    ),
]


@cache
def lifted() -> dict[str, FunctionRecord]:
    functions = [
        f"int f{k}(int n, const int *a, int *o) {{ {declared} "
        f"for (int i = 0; i < n; i++) {{ o[i] = a[{place}]; {moved} }} return {place}; }}"
        for k, (declared, moved, place, _) in enumerate(WRAPPING)
    ]
    functions += [f"void r{k}(int n, const int *a, int *o) {{ {body} }}" for k, (body, _) in enumerate(RINGS)]
    return {f.name: f for f in lift_source(source_from_text("\n".join(functions), "places.c"), LiftOptions()).functions}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("position", range(len(WRAPPING)))
def test_conditions_leave_out_the_sizes_at_which_a_place_wraps(position: int) -> None:
    function, place = lifted()[f"f{position}"], WRAPPING[position][-1]
    names: dict[str, Any] = {}
    exec(function.program, names)
    taken = 0
    for n in COUNTS:
        whole = 3 * np.arange(2000, dtype=np.int32)
        sizes = {"n": n, "a": whole, "o": np.zeros(n, np.int32)}
        if not all(holds(p.condition, sizes) for p in function.preconditions if p.condition is not None):
            continue
        taken += 1
        a = whole[: max(map(place, range(n))) + 1]
        given = [{"n": n, "a": a}[p.name] for p in function.parameters]
        out, returned = names[function.name](*given)
        np.testing.assert_array_equal(out, whole[[place(t) for t in range(n)]], f"n = {n}")
        assert returned == place(n)
    assert taken


@pytest.mark.parametrize("position", range(len(RINGS)))
def test_a_place_that_goes_round_a_ring_is_counted_in_a_loop_that_stays(position: int) -> None:
    function, place = lifted()[f"r{position}"], RINGS[position][-1]
    assert str(function.verdict) == "unchanged"
    names: dict[str, Any] = {}
    exec(function.program, names)
    a = 3 * np.arange(8, dtype=np.int32)
    for n in COUNTS:
        o = np.zeros(n, np.int32)
        np.testing.assert_array_equal(names[function.name](a, o), a[[place(t) for t in range(n)]], f"n = {n}")


@pytest.mark.parametrize(
    ("step", "place"),
    [("(j + 1) % 8", lambda t: t % 8), ("(j + 1) & 7", lambda t: t % 8), ("(j + 3) % 256", lambda t: 3 * t % 256)],
)
def test_rings_in_python_are_counted_in_a_loop_that_stays(step: str, place: Callable[[int], int]) -> None:
    text = f"def f(a, o):\n    j = 0\n    for i in range(len(o)):\n        o[i] = a[j]\n        j = {step}\n"
    (function,) = lift_source(source_from_text(text, "ring.py"), LiftOptions()).functions
    assert str(function.verdict) == "unchanged"
    names: dict[str, Any] = {}
    exec(function.program, names)
    a = np.arange(256.0)
    for n in COUNTS:
        np.testing.assert_array_equal(names["f"](a, np.zeros(n)), [place(t) for t in range(n)], f"n = {n}")


def test_a_counter_that_certainly_wraps_leaves_what_the_type_holds() -> None:
    text = "unsigned f(unsigned n, int *o) { while (n--) o[n] = 1; return n; }"
    (function,) = lift_source(source_from_text(text, "down.c"), LiftOptions()).functions
    names: dict[str, Any] = {}
    exec(function.program, names)
    assert names["f"](5)[1] == 2**32 - 1
