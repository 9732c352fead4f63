"""The run record's JSON form: fixed by the schema, deterministic but for times."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tensorlift.diagnostics import Diagnostic
from tensorlift.record import Level, LiftRecord, Verdict, row_major_strides, weakest_level, worst_verdict

if TYPE_CHECKING:
    from pathlib import Path

    from tensorlift.record import FunctionRecord


@pytest.fixture(scope="module")
def schema(root: Path) -> Any:
    return json.loads((root / "docs" / "report.schema.json").read_text(encoding="utf-8"))


def test_schema_is_a_schema(schema: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


def test_report_follows_the_schema(schema: Any, record: LiftRecord) -> None:
    jsonschema.validate(json.loads(record.to_json()), schema)


def test_empty_report_follows_the_schema(schema: Any) -> None:
    refused = LiftRecord("0.1.0", "a.c", "0" * 64, "numpy", diagnostics=(Diagnostic("TL101", "no C"),))
    jsonschema.validate(json.loads(refused.to_json()), schema)


def test_schema_refuses_a_refusal_without_a_reason(schema: Any, record: LiftRecord, walk: FunctionRecord) -> None:
    silent = replace(record, functions=(replace(walk, diagnostics=()),))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(silent.to_json()), schema)


def test_schema_requires_exactly_the_keys_that_are_written(schema: Any, record: LiftRecord) -> None:
    """No key may be optional, so a reader never has to ask whether one is there."""
    written = json.loads(record.to_json())
    function = written["functions"][0]
    pairs = [(schema, written), (schema["$defs"]["function"], function)]
    arrays = {"parameter": "parameters", "engine_run": "engines", "residual_loop": "residual_loops", "trial": "tests"}
    for kind, key in arrays.items():
        pairs.append((schema["$defs"][kind], function[key][0]))
    for definition, value in pairs:
        assert set(definition["required"]) == set(definition["properties"]) == set(value)


def test_times_are_the_only_thing_that_varies(record: LiftRecord, scale: FunctionRecord, walk: FunctionRecord) -> None:
    later = replace(record, functions=(replace(scale, seconds={"summarise": 9.0}), walk), seconds={"read": 9.0})
    assert later.to_json() != record.to_json()
    assert later.to_json(times=False) == record.to_json(times=False)


def test_seconds_keep_the_order_of_the_stages(record: LiftRecord) -> None:
    seconds = json.loads(record.to_json())["functions"][0]["seconds"]
    assert list(seconds.items()) == [("summarise", 0.001235), ("derive", 0.001)]


def test_infinite_errors_are_spelled(record: LiftRecord) -> None:
    assert json.loads(record.to_json())["functions"][0]["tests"][1]["error"] == "inf"


def test_scalars_have_no_layout_and_arrays_have_one(record: LiftRecord) -> None:
    parameters = json.loads(record.to_json())["functions"][0]["parameters"]
    assert [p["layout"] for p in parameters] == [None, None, {"strides": ["1"]}]


def test_one_refusal_makes_the_whole_refused_and_leaves_the_level_of_the_rest(record: LiftRecord) -> None:
    assert record.verdict is Verdict.REFUSED
    assert record.level is Level.PROVED


def test_worst_and_weakest() -> None:
    assert worst_verdict([Verdict.HYBRID, Verdict.LOOP_FREE]) is Verdict.HYBRID
    assert worst_verdict([]) is Verdict.REFUSED
    assert weakest_level([Level.PROVED, Level.TESTED]) is Level.TESTED
    assert weakest_level([Level.PROVED, None]) is None


@pytest.mark.parametrize(
    ("shape", "strides"),
    [((), ()), (("n",), ("1",)), (("m", "n"), ("n", "1")), (("m", "n - 1", "4"), ("(n - 1)*4", "4", "1"))],
)
def test_row_major_strides(shape: tuple[str, ...], strides: tuple[str, ...]) -> None:
    assert row_major_strides(shape) == strides
