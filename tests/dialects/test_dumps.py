"""TableGen's records as upstream's own tool writes them from the files that are installed."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from tests.dialects.tosa import (
    IMPORTED,
    KEPT,
    OTHER,
    PASSES,
    import_again,
    imported,
    joined,
    kept_import,
    kept_parts,
    kept_records,
    needs_tools,
    other_parts,
    upstreams_records,
)
from tests.dialects.trim_records import trimmed
from tests.shared import is_exhaustive

from tensorlift.cli import main
from tensorlift.dialects.tablegen import read_dump
from tensorlift.targets.imported.record import dialect_from_json

_COUNTS = re.compile(r"Of TOSA's (\d+) operations in MLIR 22 so many get a meaning: (\d+)")
_CUT = {"kept": kept_parts, "other": other_parts}
_PARTS = [(parts, place) for parts, count in (("kept", KEPT), ("other", OTHER)) for place in range(count)]
_IMPORTED = _PARTS if is_exhaustive() else _PARTS[:KEPT]  # which other tests use


@pytest.mark.parametrize("dialect", ["tosa", "linalg"])
def test_the_records_that_are_kept_are_upstreams(dialect: str) -> None:
    kept = kept_records(dialect)
    assert trimmed(upstreams_records(dialect), kept["!instanceof"]["Op"]) == kept


@needs_tools
def test_the_import_that_is_kept_has_all_operations(update: bool) -> None:  # noqa: FBT001 - a fixture
    if update:
        IMPORTED.write_text(joined(import_again(part, is_short=True) for part in kept_parts()).to_json())
    kept = dialect_from_json(IMPORTED.read_text(), IMPORTED.name)
    every = set[str]().union(*(_operations("kept", place) for place in range(KEPT)))
    assert {instance.operation for instance in kept.instances} | set(kept.without) == every


@pytest.mark.in_turns(3)
@needs_tools
@pytest.mark.parametrize("place", range(KEPT))
def test_the_import_that_is_kept_is_what_it_would_be_now(place: int) -> None:
    upstreams_records("tosa")  # skips where upstream is of another version
    part = kept_parts()[place]
    assert import_again(part, is_short=True).to_json() == kept_import(part).to_json()


@needs_tools
@pytest.mark.parametrize(("parts", "place"), _IMPORTED)
def test_each_operation_has_a_meaning_or_a_reason(parts: str, place: int) -> None:
    having, lacking = _found(parts, place)
    assert not having & lacking
    assert having | lacking == _operations(parts, place)


@needs_tools
def test_the_documentation_says_how_many_have_one() -> None:
    assert {parts: len(cut()) for parts, cut in _CUT.items()} == Counter(parts for parts, _ in _PARTS)
    every = set[str]().union(*(_operations(*part) for part in _PARTS))
    having, lacking = (set[str]().union(*names) for names in zip(*(_found(*part) for part in _IMPORTED), strict=True))
    said = _COUNTS.search((Path(__file__).parents[2] / "docs" / "dialects.md").read_text())
    assert said is not None
    assert int(said[1]) == len(every)
    assert len(having) <= int(said[2]) <= len(every - lacking)
    assert having | lacking == every or _IMPORTED != _PARTS


def _operations(parts: str, place: int) -> set[str]:
    return {operation.name for operation in read_dump(json.dumps(_CUT[parts]()[place]), "dump.json")}


def _found(parts: str, place: int) -> tuple[set[str], set[str]]:
    """Return which operations have a meaning, and which have none: other types give no more of them one."""
    dialect = imported(_CUT[parts]()[place])
    return {instance.operation for instance in dialect.instances}, set(dialect.without)


@needs_tools
def test_an_import_lists_what_it_found_and_is_remembered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    dump, file = tmp_path / "tosa.json", tmp_path / "tosa.target.json"
    dump.write_text(json.dumps(trimmed(kept_records(), ["Tosa_ExpOp", "Tosa_ConstShapeOp"])))
    assert main(["target", "add", "tosa", "--tablegen", str(dump), "--lowering", PASSES, "-o", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "tosa.exp(input1: f32[input1_d0]) -> f32[input1_d0]" in lines
    assert "tosa.const_shape: no meaning: it gives the lists of integers that others take" in lines
    assert json.loads(file.read_text())["name"] == "tosa"
    (kept,) = (tmp_path / "cache").rglob("*.json")
    assert kept.read_text() == file.read_text()
    kept.write_text(kept.read_text().replace("tosa.exp", "tosa.log"))
    command = ["target", "add", "tosa", "--tablegen", str(dump), "--lowering", PASSES, "-o", str(file)]
    assert main(command) == 0
    assert "tosa.log(" in capsys.readouterr().out, "what is remembered is read"
    kept.write_text("no target")
    assert main(command) == 0
    assert "tosa.exp(" in capsys.readouterr().out, "what cannot be read is made again"
