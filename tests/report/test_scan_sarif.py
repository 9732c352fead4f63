"""A scan as SARIF: the parts of the standard's schema that code-scanning pages need, and what stands in them."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema

from tensorlift.commands.scan_worker import Task
from tensorlift.pipeline import LiftOptions
from tensorlift.record import Verdict
from tensorlift.report.scan_sarif import scan_sarif

_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
_RULE = {
    "type": "object",
    "required": ["id", "shortDescription"],
    "properties": {"id": {"type": "string"}, "shortDescription": _TEXT, "help": _TEXT},
    "additionalProperties": False,
}
_LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "required": ["uri"],
                    "properties": {"uri": {"pattern": "^[A-Za-z0-9%/._:~-]+$"}, "uriBaseId": {"const": "%SRCROOT%"}},
                    "additionalProperties": False,
                },
                "region": {"required": ["startLine"], "properties": {"startLine": {"type": "integer", "minimum": 1}}},
            },
        },
        "logicalLocations": {"items": {"properties": {"name": {"type": "string"}, "kind": {"const": "function"}}}},
    },
    "additionalProperties": False,
}
_RESULT = {
    "type": "object",
    "required": ["ruleId", "level", "message", "locations", "partialFingerprints"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": _TEXT,
        "locations": {"type": "array", "items": _LOCATION, "minItems": 1},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}
_SCHEMA = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "required": ["name", "version", "rules"],
                                "properties": {"rules": {"items": _RULE, "uniqueItems": True}},
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {"type": "array", "items": _RESULT},
                },
                "additionalProperties": False,
            }
        },
    },
    "additionalProperties": False,
}


def test_what_does_not_lift_is_a_result_with_its_rule() -> None:
    task, other = (Task(file, "", LiftOptions(), ()) for file in ("src/a b.c", "/x/c.c"))
    entries = [
        replace(task.entry("f", 3, why=("TL150", "`g` is not known"), loops=True), at=5, remedy="define `g`"),
        replace(task.entry("f", 9, why=("TL150", "`h` is not known"), loops=True), at=11, remedy="define `h`"),
        task.entry("kept", 20, Verdict.HYBRID, why=("", "x depends on itself\nand more"), loops=True),
        task.entry("fine", 30, Verdict.LOOP_FREE, loops=True),
        task.entry("says", 40, why=("TL151", "no loop is here"), loops=False),
        other.entry("", 1, why=("TL101", "it does not parse")),
    ]
    text = scan_sarif(entries)
    assert text == scan_sarif(entries)
    log = json.loads(text)
    jsonschema.validate(log, _SCHEMA)
    (run,) = log["runs"]
    rules, results = run["tool"]["driver"]["rules"], run["results"]
    assert rules == [
        {"id": "TL101", "shortDescription": {"text": "it does not parse"}},
        {"id": "TL150", "shortDescription": {"text": "… is not known"}, "help": {"text": "define …"}},
        {"id": "TL220", "shortDescription": {"text": "a loop stays in the program"}},
    ]
    assert [(one["ruleId"], one["level"], rules[one["ruleIndex"]]["id"]) for one in results] == [
        ("TL150", "warning", "TL150"),
        ("TL150", "warning", "TL150"),
        ("TL220", "note", "TL220"),
        ("TL101", "warning", "TL101"),
    ]
    places = [one["locations"][0]["physicalLocation"] for one in results]
    assert [(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places] == [
        ("src/a%20b.c", 5),
        ("src/a%20b.c", 11),
        ("src/a%20b.c", 20),
        ("file:///x/c.c", 1),
    ]
    assert results[0]["message"]["text"] == "`f` is refused: `g` is not known\ndefine `g`"
    assert len({one["partialFingerprints"]["function/v1"] for one in results}) == 4


def test_fingerprints_stay_where_lines_move() -> None:
    entry = Task("a.c", "", LiftOptions(), ()).entry("f", 3, why=("TL150", "`g` is not known"), loops=True)
    found = [json.loads(scan_sarif([one]))["runs"][0]["results"][0] for one in (entry, replace(entry, line=8))]
    assert found[0]["partialFingerprints"] == found[1]["partialFingerprints"]
    assert found[0]["locations"] != found[1]["locations"]
