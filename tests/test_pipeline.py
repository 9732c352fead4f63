"""The pipeline's frame: selection of functions, and what a failure in one function does to the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from tensorlift import pipeline, reading
from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity, refuse
from tensorlift.pipeline import LiftOptions, StageClock, lift_source
from tensorlift.record import FunctionRecord, Verdict

if TYPE_CHECKING:
    from tensorlift.source import Source


@dataclass
class _Read:
    name: str
    location: Location | None = None
    module: Any = field(default_factory=lambda: ModuleOp([]))
    diagnostics: tuple[Diagnostic, ...] = ()
    otherwise: Any = None
    again: Any = None


@pytest.fixture(autouse=True)
def rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace reading and lifting: `good` is lifted, the others fail as their names say."""
    warning = Diagnostic("TL102", "odd", severity=Severity.WARNING)
    unread = _Read("unread", module=None, diagnostics=(Diagnostic("TL101", "no loop"),))
    read = [_Read("good"), _Read("bad", diagnostics=(warning,)), _Read("broken", Location("a.c", 3, 1)), unread]

    def lift_module(
        function: _Read, _target: str, _source: Source, _options: LiftOptions, clock: StageClock
    ) -> pipeline.Outcome:
        with clock.stage("summarise"):
            if function.name == "bad":
                raise refuse("TL203", "no")
            if function.name == "broken":
                raise ZeroDivisionError
        return FunctionRecord(function.name, Verdict.LOOP_FREE, seconds=clock.seconds, program="pass"), None

    monkeypatch.delenv("TENSORLIFT_DEBUG", raising=False)
    monkeypatch.setattr(pipeline, "get_target", str)
    monkeypatch.setattr(reading, "read", lambda _source, _options: read)
    monkeypatch.setattr(pipeline, "_lift_module", lift_module)


def test_a_failure_refuses_its_function_alone(source: Source) -> None:
    record = lift_source(source, LiftOptions())
    assert [(f.name, f.verdict.value, [d.code for d in f.diagnostics]) for f in record.functions] == [
        ("good", "loop-free", []),
        ("bad", "refused", ["TL102", "TL203"]),
        ("broken", "refused", ["TL900"]),
        ("unread", "refused", ["TL101"]),
    ]
    assert [list(f.seconds) for f in record.functions] == [["summarise"], ["summarise"], ["summarise"], []]
    assert record.functions[2].diagnostics[0].location == Location("a.c", 3, 1)


def test_unexpected_exceptions_are_raised_for_debugging(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENSORLIFT_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        lift_source(source, LiftOptions())


def test_functions_asked_for_are_lifted_in_source_order(source: Source) -> None:
    record = lift_source(source, LiftOptions(functions=("bad", "good")))
    assert [f.name for f in record.functions] == ["good", "bad"]


@pytest.mark.parametrize(
    ("name", "remedy"), [("goot", "did you mean 'good'?"), ("xyz", "accepted: good, bad, broken, unread")]
)
def test_functions_that_are_not_defined_are_refused(source: Source, name: str, remedy: str) -> None:
    with pytest.raises(LiftError) as error:
        lift_source(source, LiftOptions(functions=(name,)))
    message = f"'scale.c' defines no function '{name}'"
    assert error.value.diagnostics == (Diagnostic("TL503", message, remedy=remedy),)


def test_a_source_without_functions_is_refused(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "read", lambda _source, _options: [])
    with pytest.raises(LiftError, match=r"'scale\.c' defines no function"):
        lift_source(source, LiftOptions())


def test_a_source_that_is_not_valid_is_a_record_without_functions(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_source: Source, _options: LiftOptions) -> list[_Read]:
        raise refuse("TL101", "expected ';'")

    monkeypatch.setattr(reading, "read", fail)
    record = lift_source(source, LiftOptions())
    assert (record.verdict, record.functions) == (Verdict.REFUSED, ())
    assert [d.code for d in record.diagnostics] == ["TL101"]


def test_the_clock_adds_up_a_stage_that_runs_twice_and_counts_one_that_fails() -> None:
    clock = StageClock({"prove": 1.0})
    with pytest.raises(ValueError, match="x"), clock.stage("prove"):
        raise ValueError("x")
    assert clock.seconds["prove"] > 1.0
