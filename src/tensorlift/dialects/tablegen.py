"""Reading a dialect's definition as TableGen's records in JSON, as ``llvm-tblgen --dump-json`` writes them.

What operands, attributes, results and regions an operation has stands there as data; the conditions on types are
predicates in C++, which only upstream's verifier decides.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.targets.imported.definition import no_definition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.diagnostics import LiftError

Json = Any
_MANY = ("Variadic", "Optional", "VariadicOfVariadic")
_ABSENT = ("DefaultValuedAttr", "DefaultValuedOptionalAttr", "OptionalAttr", "UnitAttr")
# Storage of attributes for which values are known: an axis, a list of axes, an element type.
_KINDS = {
    "IntegerAttr": "axis", "DenseI32ArrayAttr": "axes of i32", "DenseI64ArrayAttr": "axes of i64", "TypeAttr": "type",
}  # fmt: skip


@dataclass(frozen=True)
class TableOperation:
    """An operation: names of operands, required attributes by name with their kinds, or why it gets no meaning."""

    name: str
    operands: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    obstacle: str = ""


def read_dump(text: str, file: str) -> list[TableOperation]:
    """Return the operations that a dump defines, in the order of their names.

    Raises:
        LiftError: TL534, where the text is no dump, or defines no operation.

    """
    try:
        records = json.loads(text)
        names = records["!instanceof"]["Op"]
        found = [_operation(records, records[name]) for name in names]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise _no_dump(file, f"{type(error).__name__}: {error}") from None
    if not found:
        raise _no_dump(file, "it defines no operation")
    return sorted(found, key=lambda operation: operation.name)


def _no_dump(file: str, why: str) -> LiftError:
    return no_definition(file, why, "write it with 'llvm-tblgen --dump-json' of the version of mlir-opt")


def _operation(records: Mapping[str, Json], record: Mapping[str, Json]) -> TableOperation:
    name = f"{records[record['opDialect']['def']]['name']}.{record['opName']}"
    operands: list[str] = []
    attributes: list[tuple[str, str]] = []
    obstacle = ""
    for kind, argument in _arguments(records, record["arguments"]):
        supers = kind["!superclasses"]
        if "AttrConstraint" not in supers:
            operands.append(argument)
            obstacle = obstacle or (f"the operand {argument} may be left out or repeated" if _is(supers, _MANY) else "")
        elif not _is(supers, _ABSENT):
            storage = (kind.get("storageType") or "").strip().rpartition("::")[2]
            attributes.append((argument, _KINDS.get(storage, "")))
            unknown = f"no value is known for the attribute {argument}"
            obstacle = obstacle or ("" if storage in _KINDS else unknown)
    if len(attributes) > 1:
        obstacle = obstacle or "it has several attributes, of which only few values go together"
    results = list(_arguments(records, record["results"]))
    if len(results) != 1 or _is(results[0][0]["!superclasses"], _MANY):
        obstacle = "it has another number of results than one"
    if record["regions"]["args"]:
        obstacle = "it has regions"
    if not operands and not obstacle:
        obstacle = "it has no operands"
    return TableOperation(name, tuple(operands), tuple(attributes), obstacle)


def _is(supers: list[str], wanted: tuple[str, ...]) -> bool:
    return any(name in supers for name in wanted)


def _arguments(records: Mapping[str, Json], dag: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], str]]:
    """Yield the records of what a list of arguments holds, with the names there."""
    for value, name in dag["args"]:
        record = records[value["def"]]
        if "OpVariable" in record["!superclasses"]:
            record = records[record["constraint"]["def"]]
        yield record, name
