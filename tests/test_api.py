"""The public API: small, lazy, and what it gives back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import tensorlift
from tensorlift import Lifted, LiftError, lift, pipeline
from tensorlift.diagnostics import Diagnostic
from tensorlift.record import Level, LiftRecord, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.pipeline import LiftOptions
    from tensorlift.record import FunctionRecord
    from tensorlift.source import Source


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, record: LiftRecord) -> list[tuple[Source, LiftOptions]]:
    """Let the pipeline give `record`; collect what it was asked."""
    collected: list[tuple[Source, LiftOptions]] = []

    def answer(source: Source, options: LiftOptions) -> LiftRecord:
        collected.append((source, options))
        return record

    monkeypatch.setattr(pipeline, "lift_source", answer)
    return collected


def test_public_names_are_there_and_listed() -> None:
    assert set(tensorlift.__all__) <= set(dir(tensorlift))
    assert all(hasattr(tensorlift, name) for name in tensorlift.__all__)


def test_other_names_are_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'tensorlift' has no attribute 'lower'"):
        tensorlift.lower  # noqa: B018 - asking for the name is the test


@pytest.mark.parametrize("text", ["void f(void) {}", "#define N 4\n", "\n"])
def test_a_newline_or_a_brace_makes_a_string_source_text(asked: list[tuple[Source, LiftOptions]], text: str) -> None:
    lift(text)
    assert (asked[0][0].name, asked[0][0].text) == ("<string>", text)


def test_any_other_string_or_path_is_a_file(asked: list[tuple[Source, LiftOptions]], tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("int x;", encoding="utf-8")
    lift(file)
    lift(str(file))
    assert [source.text for source, _ in asked] == ["int x;", "int x;"]


def test_a_missing_file_is_refused() -> None:
    with pytest.raises(LiftError, match=r"cannot read 'none\.c': there is no such file"):
        lift("none.c")


def test_an_unknown_target_is_refused_with_those_there_are() -> None:
    with pytest.raises(LiftError, match=r"there is no target 'nunpy' \(.*numpy.*\)"):
        lift("void f(void) {}", to="nunpy")


def test_choices_reach_the_pipeline(asked: list[tuple[Source, LiftOptions]]) -> None:
    lift("{", function="f", include_dirs=["inc"], defines=["N=4"], std="c99", test=True)
    lift("{", function=["f", "g"])
    expected = pipeline.LiftOptions(("f",), "numpy", ("inc",), ("N=4",), "c99", test=True, adapter=True)
    assert [options for _, options in asked] == [expected, pipeline.LiftOptions(("f", "g"), adapter=True)]


def test_a_source_that_cannot_be_read_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = LiftRecord("0", "a.c", "", "numpy", diagnostics=(Diagnostic("TL101", "expected ';'"),))
    monkeypatch.setattr(pipeline, "lift_source", lambda _source, _options: broken)
    with pytest.raises(LiftError, match="expected ';'"):
        lift("{")


def test_a_result_tells_what_the_record_tells(record: LiftRecord, scale: FunctionRecord) -> None:
    lifted = Lifted(record)
    assert lifted.source == scale.program
    assert (lifted.verdict, lifted.level) == (Verdict.REFUSED, Level.PROVED)
    assert lifted.preconditions == scale.preconditions
    assert [d.code for d in lifted.diagnostics] == ["TL210", "TL203"]
    assert repr(lifted) == "<Lifted scale.c to numpy: scale: loop-free, walk: refused>"


def test_a_single_function_can_be_called(record: LiftRecord) -> None:
    assert Lifted(record)["scale"](2.0, 3.0) == 6.0


def test_a_function_with_a_reserved_name_can_be_called(record: LiftRecord, scale: FunctionRecord) -> None:
    function = replace(scale, name="lambda", program="def lambda_(a):\n    return a + 1\n")
    assert Lifted(replace(record, functions=(function,)))(1) == 2


def test_several_functions_are_called_by_name(record: LiftRecord) -> None:
    with pytest.raises(TypeError, match="choose one by its name, of scale, walk"):
        Lifted(record)(1)
    with pytest.raises(KeyError, match="none"):
        Lifted(record)["none"]


def test_calling_a_refused_function_raises_its_diagnostics(record: LiftRecord, walk: FunctionRecord) -> None:
    with pytest.raises(LiftError) as error:
        Lifted(record)["walk"](1)
    assert error.value.diagnostics == walk.diagnostics


def test_a_program_in_another_language_is_not_called(record: LiftRecord) -> None:
    with pytest.raises(LiftError, match="TL508"):
        Lifted(replace(record, target="linalg"))["scale"](1)


@pytest.mark.parametrize(
    "body",
    {
        "a kept loop": "s = 0.0\n  for i in range(len(x)):\n    s = a * x[i] + (1 - a) * s\n    out[i] = s",
        "a cell is left unset": "for i in range(1, len(x)):\n    out[i] = a * x[i]",
        "cells are set under a condition": "for i in range(len(x)):\n    if x[i] > 0:\n      out[i] = a",
        "all cells are set": "for i in range(len(x)):\n    out[i] = a * x[i]",
    }.items(),
    ids=lambda pair: pair[0],
)
@pytest.mark.parametrize("made", ["np.empty(len(x))", "np.empty_like(x)"])
def test_an_array_that_a_function_makes_is_no_parameter(made: str, body: tuple[str, str], tmp_path: Path) -> None:
    file = tmp_path / "f.py"
    source = f"import numpy as np\ndef f(x: 'float64[:]', a: float):\n  out = {made}\n  {body[1]}\n  return out\n"
    file.write_text(source, encoding="utf-8")
    function = lift(file, test=True).functions[0]
    assert "def f(x, a):" in str(function.program)
    assert {trial.against for trial in function.tests if trial.passed} == {"interpreter", "python"}
