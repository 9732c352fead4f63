"""TableGen's records as upstream's own tool writes them from the files that are installed."""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest
from tests.dialects.test_from_passes import PASSES
from tests.dialects.trim_records import trimmed

from tensorlift.cli import main
from tensorlift.runtime.mlir.tools import find_tools

_HERE = Path(__file__).parent
_FILES = {"tosa": "Tosa/IR/TosaOps.td", "linalg": "Linalg/IR/LinalgStructuredOps.td"}
_VERSION = "22"  # of the records that are kept, and of the counts in the documentation
_COUNTS = re.compile(r"Of TOSA's (\d+) operations in MLIR 22 so many get a meaning: (\d+)")


@cache
def _dump(dialect: str) -> str:
    """Return the records of a dialect of the version of mlir-opt."""
    tools = find_tools()
    if tools is None:
        pytest.skip("mlir-opt is not installed")
    tool = Path(tools.opt).with_name("llvm-tblgen")
    files = Path(tools.opt).parents[1] / "include"
    definition = files / "mlir" / "Dialect" / _FILES[dialect]
    if not tool.exists() or not definition.exists():
        pytest.skip("llvm-tblgen or the definitions of MLIR's dialects are not installed: llvm-22, libmlir-22-dev")
    if f".{_VERSION}." not in tools.llvm:
        pytest.skip(f"mlir-opt is not of the version {_VERSION}")
    command = [str(tool), "--dump-json", "-I", str(files), str(definition)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("dialect", _FILES)
def test_the_records_that_are_kept_are_upstreams(dialect: str) -> None:
    kept = json.loads((_HERE / f"{dialect}_records.json").read_text())
    assert trimmed(json.loads(_dump(dialect)), kept["!instanceof"]["Op"]) == kept


def test_a_whole_dialect_is_imported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = tmp_path / "tosa.json"
    dump.write_text(_dump("tosa"))
    file = tmp_path / "tosa.target.json"
    assert main(["target", "add", "tosa", "--tablegen", str(dump), "--lowering", PASSES, "-o", str(file)]) == 0
    listed = capsys.readouterr().out
    having, lacking = (
        set(re.findall(rf"^(tosa\.\w+){mark}", listed, re.MULTILINE)) for mark in (r"\(", ": no meaning: ")
    )
    said = _COUNTS.search((_HERE.parents[1] / "docs" / "dialects.md").read_text())
    assert said is not None
    assert (len(having | lacking), len(having)) == (int(said[1]), int(said[2]))
    assert not having & lacking
