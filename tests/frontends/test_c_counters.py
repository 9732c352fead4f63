"""What counters of C are where they end, and what is asked so that they are: at their bound, in their type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tensorlift import lift
from tensorlift.runtime.program_worker import loaded

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

ASKED = {
    "a loop that runs once at least, in steps of two": (
        "int f(int n) { int i = 0; do i += 2; while (i < n); return i; }",
        {"n >= 1"},
    ),
    "one in steps of three that starts at one": (
        "int f(int n) { int i = 1; do i += 3; while (i < n); return i; }",
        {"n >= 2"},
    ),
    "the iterations of one in steps of two": (
        "int f(int n) { int i = 0, k = 0; do { i += 2; k++; } while (i < n); return k; }",
        {"n >= 1"},
    ),
    "a constant end that becomes a float": (
        "double f(int k) { int j; for (j = k; j < 5; j++); return j; }",
        {"k <= 5"},
    ),
    "a constant end whose bits are inverted": (
        "int f(int k, int n) { int j; for (j = k; j > -1; j--); return n ^ j; }",
        {"k >= -1"},
    ),
    "a constant end that is chosen beside that constant": (
        "int f(int k, int c, int n) { int j; for (j = k; j < 5; j++); return (c > 0 ? 5 : j) * n; }",
        {"k <= 5"},
    ),
    "a quotient of a quotient": (
        "int f(int n) { int i = 0; do i += 3; while (i < n / 2); return i; }",
        {"(n // 2) >= 1"},
    ),
    "a quotient of a quotient in an extent": (
        "void f(int n, int *a) { int i = 0; do { a[i] = 1; i += 3; } while (i < n / 2); }",
        {"(((n // 2) + 2) // 3) >= 1"},
    ),
    "an unsigned counter that falls to what may be negative": (
        "void f(unsigned k, int j, long *a) { for (unsigned i = k; i != j; i--) a[k - i] = i; }",
        {"k >= j", "j >= -1", "k <= j + 4294967295"},
    ),
    "a short counter that falls by more than one": (
        "int f(int m) { int c = 0; for (short i = 0; i > m; i -= 20000) c++; return c; }",
        {"m >= -12769", "m <= 19999"},
    ),
    "an unsigned counter that is equal to a number with a sign": (
        "void f(unsigned n, int k, int *a) { for (unsigned i = 0; i < n; i++) a[i] = i == k; }",
        {"n <= k + 4294967296"},
    ),
}
REFUSED = {
    "an unsigned counter that passes zero": (
        "double f(unsigned k) { double t = 0; for (unsigned i = k; i != -3; i--) t += i; return t; }",
        "TL124",
    ),
    "a byte that passes its least number": (
        "int f(void) { int c = 0; for (signed char i = 100; i > -100; i -= 90) c++; return c; }",
        "TL157",
    ),
}
MOST = 2**32 - 1
GIVEN = {
    "a counter below zero that becomes wide": (
        "long f(unsigned k) { unsigned i; for (i = k; i-- > 0;); return i; }",
        {},
        MOST,
    ),
    "a counter below zero that is compared": (
        "int f(unsigned k) { unsigned i; for (i = k - 1; i != -1; i--); return i > k; }",
        {"k": 4},
        1,
    ),
    "the greatest number": (
        "int f(unsigned n, unsigned k, int *a) { for (unsigned i = k; i < n; i++) a[i - k] = 1; return n == -1; }",
        {"n": MOST, "k": MOST},
        1,
    ),
    "a sum that is the greatest number": (
        "void f(unsigned n, unsigned k, int *a) { for (unsigned i = 0; i < n; i++) a[i] = i + k == 0xffffffffu; }",
        {"n": 2, "k": MOST - 1},
        [0, 1],
    ),
    "values that change places where the test is last": (
        "int f(int n) { int x = 1, y = 2, i = 0; do { int t = x; x = y + 5; y = t; i++; } while (i < n); return x; }",
        {"n": 3},
        12,
    ),
}


def _only(text: str) -> FunctionRecord:
    (function,) = lift(text).functions
    return function


@pytest.mark.parametrize("name", ASKED)
def test_what_a_counter_needs_is_asked(name: str) -> None:
    text, conditions = ASKED[name]
    function = _only(text)
    assert function.lifted, function.diagnostics
    assert {p.text for p in function.preconditions} == conditions


@pytest.mark.parametrize("name", REFUSED)
def test_a_counter_that_leaves_its_type_is_refused(name: str) -> None:
    text, code = REFUSED[name]
    assert [d.code for d in _only(text).diagnostics] == [code]


@pytest.mark.parametrize("name", GIVEN)
def test_a_counter_ends_as_in_c(name: str) -> None:
    text, arguments, wanted = GIVEN[name]
    function = _only(text)
    assert function.lifted, function.diagnostics
    taken: dict[str, Any] = {p.name: arguments[p.name] for p in function.parameters if p.role != "array"}
    found = loaded(function.program, function.name, "numpy")(**taken)
    last = found[-1] if isinstance(found, tuple) else found
    assert last.tolist() == wanted


STEPS = {
    "for (i = 0; i < n; i += s) x[i] = 0;": "x[:, 0] = 0.0",
    "for (i = 0; i <= n - s; i += s) for (int j = 0; j < s; j++) x[i + j] = j;": "np.broadcast_to",
    "while (i < n) { x[i] = i; i += 2 * s; }": "x[::2, 0]",
    "for (i = n - 1; i >= 0; i -= s) x[i] = 0;": "while goes_on",  # where its rows begin is not known
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("body", STEPS)
def test_a_loop_that_steps_by_a_size_counts_its_iterations(body: str) -> None:
    (found,) = lift(f"void f(int n, int s, float *x) {{ int i = 0; {body} }}", test=True).functions
    assert STEPS[body] in found.program, found.diagnostics
    assert found.tests
    assert not any(trial.failure for trial in found.tests)
