"""Upstream's TOSA in parts that are about as long, as it was imported before: that takes half a minute."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.dialects.trim_records import trimmed
from tests.shared import is_exhaustive, shared

from tensorlift.dialects import from_passes
from tensorlift.dialects.trials import FAMILIES
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text
from tensorlift.targets.imported.record import ImportedDialect, dialect_from_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.instance import Instance

HERE = Path(__file__).parent
IMPORTED = HERE / "tosa.target.json"  # what is imported of those, as `test_dumps.py` writes it
RECORDS = HERE / "tosa_records.json"  # of some operations, as llvm-tblgen 22 dumps upstream's TosaOps.td
PASSES = (
    "func.func(tosa-to-scf,tosa-optional-decompositions,canonicalize,tosa-to-linalg-named,canonicalize,tosa-to-linalg,"
    "tosa-to-arith{include-apply-rescale=true},tosa-to-tensor)"
)
needs_tools = pytest.mark.skipif(find_tools() is None, reason="mlir-opt is not installed")
_FILES = {"tosa": "Tosa/IR/TosaOps.td", "linalg": "Linalg/IR/LinalgStructuredOps.td"}
_VERSION = "22"  # of the records that are kept, and of the counts in the documentation
_USED = ("Tosa_ConstShapeOp", "Tosa_YieldOp")  # give the lists that others take, and end their regions
# Operations that tests use with other types, in parts; the others fall into so many.
_WITH_ALL_TYPES = (("Tosa_AddOp", "Tosa_MatMulOp", "Tosa_TransposeOp"), ("Tosa_GreaterOp", "Tosa_MulOp"))
_PARTS = 4
KEPT, OTHER = len(_WITH_ALL_TYPES) + _PARTS, _PARTS  # parts of the operations whose records are kept, and of the others


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
    """Cut the records that are kept into parts, of which the first have the operations that get all types."""
    records = kept_records()
    wide, names = set().union(*_WITH_ALL_TYPES), records["!instanceof"]["Op"]
    others = _parts(records, [name for name in names if name not in wide])
    return [*(trimmed(records, list(part)) for part in _WITH_ALL_TYPES), *others]


def other_parts() -> list[dict[str, Any]]:
    """Cut the records of the other operations into parts."""
    records, kept = upstreams_records("tosa"), set(kept_records()["!instanceof"]["Op"])
    return _parts(records, [name for name in records["!instanceof"]["Op"] if name not in kept])


def _parts(records: dict[str, Any], names: list[str]) -> list[dict[str, Any]]:
    others = [name for name in names if name not in _USED]
    used = [name for name in _USED if name in names]
    return [trimmed(records, [*others[part::_PARTS], *used]) for part in range(_PARTS)]


def imported(records: dict[str, Any]) -> ImportedDialect:
    """Return operations of TOSA as they were imported before, and with ``--exhaustive`` as they are now."""
    if not is_exhaustive():
        return kept_import(records)
    first = records["!instanceof"]["Op"][0]
    file = shared(f"{first}.target.json", lambda: import_again(records).to_json())
    return dialect_from_json(file.read_text(), first)


def kept_import(records: dict[str, Any]) -> ImportedDialect:
    """Return what is kept of the import of operations."""
    kept, names = _kept(), {f"tosa.{records[name]['opName']}" for name in records["!instanceof"]["Op"]}
    without = {name: why for name, why in kept.without.items() if name in names}
    return replace(kept, instances=tuple(i for i in kept.instances if i.operation in names), without=without)


@cache
def _kept() -> ImportedDialect:
    return dialect_from_json(IMPORTED.read_text(), IMPORTED.name)


def import_again(records: dict[str, Any], *, is_short: bool = False) -> ImportedDialect:
    """Import operations of TOSA; most, if shortly, only with the types with which it is found out how they are used.

    Whether an operation gets a meaning does not depend on other operations; that of other types is found alike.
    """
    with pytest.MonkeyPatch.context() as patch:
        if is_short and not any(records["!instanceof"]["Op"][0] in part for part in _WITH_ALL_TYPES):
            patch.setattr(from_passes, "FAMILIES", [family._replace(alike=()) for family in FAMILIES])
        return from_passes.import_dump("tosa", source_from_text(json.dumps(records), "dump.json"), PASSES)


@cache
def instances_of(operation: str) -> tuple[Instance, ...]:
    """Import the part that an operation is in, and return what it computes."""
    part = next(p for p in kept_parts() if any(p[name]["opName"] == operation for name in p["!instanceof"]["Op"]))
    return tuple(i for i in imported(part).instances if i.operation == f"tosa.{operation}")


@cache
def imported_tosa() -> ImportedDialect:
    """Return the operations whose records are kept."""
    return joined(imported(part) for part in kept_parts())


def joined(imports: Iterable[ImportedDialect]) -> ImportedDialect:
    """Make one dialect of parts."""
    parts = list(imports)
    instances = sorted((i for part in parts for i in part.instances), key=lambda instance: instance.operation)
    without = dict(sorted(item for part in parts for item in part.without.items()))
    return ImportedDialect("tosa", "dump.json", PASSES, tuple(instances), without)


def tosa_target() -> str:
    """Return the file of these operations as a target."""
    return str(shared("tosa.target.json", lambda: imported_tosa().to_json()))
