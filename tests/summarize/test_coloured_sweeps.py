"""Loops whose first iteration is told by a rest, as in red-black sweeps, have a closed form."""

from __future__ import annotations

import pytest
from tests.summarize.programs import closed, function_of, summary_of

from tensorlift.diagnostics import LiftError

_FUNCTION = "void f(int n, int m, int c, double u[n][m], double *s) { for (int j = 1; j < n - 1; j++) %s }"
CLOSED = {
    "two colours": "for (int i = 1 + (j + c) % 2; i < m - 1; i += 2) u[j][i] = u[j-1][i] + u[j][i+1];",
    "the other way": "for (int i = 2 - j % 2; i < m; i += 2) u[j][i] = u[j-1][i] + u[j][i-1];",
    "three colours": "for (int i = (j + 2 * c) % 3; i < m; i += 3) u[j][i] *= 2;",
    "twice the colours": "for (int i = 2 * ((j + c) % 2); i < m; i += 4) u[j][i] *= 2;",
    "a sum": "for (int i = j % 2; i < m; i += 2) s[0] += u[j][i];",
    "an even number": "for (int i = j / 2 * 2; i < m; i++) u[j][i] = 0;",
}


@pytest.mark.parametrize("case", CLOSED)
def test_a_sweep_of_one_colour_is_closed(case: str) -> None:
    closed(_FUNCTION % CLOSED[case])


def test_a_colour_that_turns_is_closed() -> None:
    sweep = "for (int j = 1; j < n; j++) { for (int i = c; i < m; i += 2) u[j][i] = 2; c = 3 - c; }"
    closed(f"void f(int n, int m, double u[n][m]) {{ int c = 1; {sweep} }}")


def test_a_loop_that_begins_at_a_quotient_is_refused() -> None:
    with pytest.raises(LiftError) as caught:
        summary_of(function_of(_FUNCTION % "for (int i = j / 2; i < m; i++) u[j][i] = 0;"))
    assert caught.value.diagnostics[0].code == "TL202"
