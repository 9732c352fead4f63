"""TableGen's records as upstream's own tool writes them from the files that are installed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.dialects.tosa import (
    PASSES,
    imported,
    kept_parts,
    kept_records,
    needs_tools,
    other_parts,
    upstreams_records,
)
from tests.dialects.trim_records import trimmed

from tensorlift.cli import main
from tensorlift.dialects.tablegen import read_dump

if TYPE_CHECKING:
    from typing import Any

_COUNTS = re.compile(r"Of TOSA's (\d+) operations in MLIR 22 so many get a meaning: (\d+)")
_PARTS = {"kept": kept_parts, "other": other_parts}


@pytest.mark.parametrize("dialect", ["tosa", "linalg"])
def test_the_records_that_are_kept_are_upstreams(dialect: str) -> None:
    kept = kept_records(dialect)
    assert trimmed(upstreams_records(dialect), kept["!instanceof"]["Op"]) == kept


@needs_tools
@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("parts", _PARTS)
def test_each_operation_has_a_meaning_or_a_reason(parts: str, place: int) -> None:
    records = _PARTS[parts]()[place]
    having, lacking = _found(parts, records)
    assert not having & lacking
    assert having | lacking == {operation.name for operation in read_dump(json.dumps(records), "dump.json")}


@needs_tools
def test_the_documentation_says_how_many_have_one() -> None:
    having, lacking = (
        set[str]().union(*names)
        for names in zip(*(_found(parts, part) for parts in _PARTS for part in _PARTS[parts]()), strict=True)
    )
    said = _COUNTS.search((Path(__file__).parents[2] / "docs" / "dialects.md").read_text())
    assert said is not None
    assert (len(having | lacking), len(having)) == (int(said[1]), int(said[2]))


def _found(parts: str, records: dict[str, Any]) -> tuple[set[str], set[str]]:
    """Return which operations have a meaning, and which have none: other types give no more of them one."""
    dialect = imported(records, with_all_types=parts == "kept")
    return {instance.operation for instance in dialect.instances}, set(dialect.without)


@needs_tools
def test_an_import_lists_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump, file = tmp_path / "tosa.json", tmp_path / "tosa.target.json"
    dump.write_text(json.dumps(trimmed(kept_records(), ["Tosa_ExpOp", "Tosa_ConstShapeOp"])))
    assert main(["target", "add", "tosa", "--tablegen", str(dump), "--lowering", PASSES, "-o", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "tosa.exp(input1: f32[input1_d0]) -> f32[input1_d0]" in lines
    assert "tosa.const_shape: no meaning: no value is known for the attribute values" in lines
    assert json.loads(file.read_text())["name"] == "tosa"
