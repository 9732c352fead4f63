"""Loops that stay because their closed forms have no array operations, or none that is proved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import UNEQUAL, CheckFailure
from tensorlift.record import FunctionRecord, Level, Verdict
from tensorlift.source import read_source, source_from_text

if TYPE_CHECKING:
    import pytest

    from tensorlift.proofs import Certificate

_DIAGONAL = Path(__file__).parent / "programs" / "every_third_on_the_diagonal.c"
_SCALED = "void f(int n, double a[n], double b[n]) { for (int i = 0; i < n; i++) { a[i] = 2.0 * b[i]; } }"


def _lift_diagonal() -> FunctionRecord:
    (function,) = lift_source(read_source(str(_DIAGONAL)), LiftOptions()).functions
    return function


def test_the_loop_without_array_operations_is_kept_and_its_body_lifted() -> None:
    function = _lift_diagonal()
    assert (function.verdict, function.level) == (Verdict.HYBRID, Level.PROVED)
    assert "for i in range(n_plus_2_div_3):\n        u[3 * i, 3 * i] += s\n" in function.program
    (kept,) = function.residual_loops
    assert kept.loop == "for i"
    assert "has no proved form in array operations" in kept.reason


def test_attempts_leave_no_trace() -> None:
    """The same function gives the same bytes after one that took several attempts."""
    before = _lift_diagonal()
    assert (before.program, before.certificate) == (_lift_diagonal().program, _lift_diagonal().certificate)


def test_a_program_that_is_not_proved_is_refused_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason of the first attempt, at the place of the loop."""

    def never(*_: object, **__: object) -> None:
        raise CheckFailure(UNEQUAL, "no program is good enough")

    monkeypatch.setattr("tensorlift.attempts.check", never)
    (function,) = lift_source(source_from_text(_SCALED, "scaled.c"), LiftOptions()).functions
    assert function.verdict is Verdict.REFUSED
    (diagnostic,) = function.diagnostics
    assert diagnostic.message == "no program is good enough"
    assert diagnostic.location is not None


def test_a_loop_behind_a_returned_value_is_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The value has no place of its own among the loops."""
    source = "double f(int n, double x) { double p = 1.0; for (int i = 0; i < n; i++) p *= x; return p; }"
    real = check

    def only_loops(text: str, *rest: Any, **named: Any) -> Certificate:
        if "for " not in text:
            raise CheckFailure(UNEQUAL, "no program is good enough")
        return real(text, *rest, **named)

    monkeypatch.setattr("tensorlift.attempts.check", only_loops)
    (function,) = lift_source(source_from_text(source, "power.c"), LiftOptions()).functions
    assert (function.verdict, function.level) == (Verdict.HYBRID, Level.PROVED)
