"""Upstream's TOSA, imported in parts that are about as long, each once in a run of the tests."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.trim_records import trimmed
from tests.shared import is_exhaustive, shared

from tensorlift.dialects import from_passes
from tensorlift.dialects.trials import FAMILIES
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text
from tensorlift.targets.imported.record import ImportedDialect, dialect_from_json

HERE = Path(__file__).parent
RECORDS = HERE / "tosa_records.json"  # of some operations, as llvm-tblgen 22 dumps upstream's TosaOps.td
PASSES = (
    "func.func(tosa-optional-decompositions,canonicalize,tosa-to-linalg-named,canonicalize,tosa-to-linalg,"
    "tosa-to-arith,tosa-to-tensor)"
)
needs_tools = pytest.mark.skipif(find_tools() is None, reason="mlir-opt is not installed")
_FILES = {"tosa": "Tosa/IR/TosaOps.td", "linalg": "Linalg/IR/LinalgStructuredOps.td"}
_VERSION = "22"  # of the records that are kept, and of the counts in the documentation
_LISTS = "Tosa_ConstShapeOp"  # gives the lists that others take
_PARTS = 2  # of the operations whose records are kept, and of the others
_WITH_ALL_TYPES = ("Add", "Greater", "MatMul", "Mul", "Transpose")  # those that tests use with other types


def kept_records(dialect: str = "tosa") -> dict[str, Any]:
    """Return the records that are kept of some operations of a dialect."""
    return dict(json.loads((HERE / f"{dialect}_records.json").read_text()))


@cache
def upstreams_records(dialect: str) -> dict[str, Any]:
    """Return all records of a dialect, as the tool of mlir-opt's version writes them from the files beside it."""
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
    return dict(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))


def kept_parts() -> list[dict[str, Any]]:
    """Cut the records that are kept into parts, of which the first has the operations that get all types."""
    records = kept_records()
    wide, names = [f"Tosa_{name}Op" for name in _WITH_ALL_TYPES], records["!instanceof"]["Op"]
    return [trimmed(records, wide), *_parts(records, [name for name in names if name not in wide])]


def other_parts() -> list[dict[str, Any]]:
    """Cut the records of the other operations into parts."""
    records, kept = upstreams_records("tosa"), set(kept_records()["!instanceof"]["Op"])
    return _parts(records, [name for name in records["!instanceof"]["Op"] if name not in kept])


def _parts(records: dict[str, Any], names: list[str]) -> list[dict[str, Any]]:
    others = [name for name in names if name != _LISTS]
    lists = [_LISTS] if _LISTS in names else []
    return [trimmed(records, [*others[part::_PARTS], *lists]) for part in range(_PARTS)]


def imported(records: dict[str, Any], *, with_all_types: bool = True) -> ImportedDialect:
    """Import operations of TOSA, once in a run; or only with the types with which it is found out how they are used.

    Whether an operation gets a meaning does not depend on other operations; that of other types is found alike.
    """
    first = records["!instanceof"]["Op"][0]

    def make() -> str:
        with pytest.MonkeyPatch.context() as patch:
            if not (with_all_types or is_exhaustive()):
                patch.setattr(from_passes, "FAMILIES", [family._replace(alike=()) for family in FAMILIES])
            definition = source_from_text(json.dumps(records), "dump.json")
            return from_passes.import_dump("tosa", definition, PASSES).to_json()

    return dialect_from_json(shared(f"{first}.target.json", make).read_text(), first)


@cache
def imported_tosa() -> ImportedDialect:
    """Import the operations whose records are kept."""
    parts = [imported(part, with_all_types=place == 0) for place, part in enumerate(kept_parts())]
    instances = sorted((i for part in parts for i in part.instances), key=lambda instance: instance.operation)
    without = dict(sorted(item for part in parts for item in part.without.items()))
    return ImportedDialect("tosa", "dump.json", PASSES, tuple(instances), without)


def tosa_target() -> str:
    """Return the file of these operations as a target."""
    return str(shared("tosa.target.json", lambda: imported_tosa().to_json()))
