"""Reading a dialect's definition as TableGen's records in JSON, as ``llvm-tblgen --dump-json`` writes them.

What operands, attributes, results and regions an operation has stands there as data; the conditions on types are
predicates in C++, which only upstream's verifier decides.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.comprehension.instance import ListKind, RegionForm
from tensorlift.diagnostics import Location
from tensorlift.targets.imported.record import no_definition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.diagnostics import LiftError

Json = Any
_REPEATED = "Variadic"
_MANY = (_REPEATED, "Optional", "VariadicOfVariadic")
_ABSENT = ("DefaultValuedAttr", "DefaultValuedOptionalAttr", "OptionalAttr", "UnitAttr")
# Storage of attributes for which values are known: an axis, a list of axes, an element type, a truth value.  A list of
# integers whose length is stated is of another kind, and so are numbers of any type.
_KINDS = {
    "IntegerAttr": "axis", "DenseI32ArrayAttr": "axes of i32", "DenseI64ArrayAttr": "axes of i64", "TypeAttr": "type",
    "BoolAttr": "truth", "ElementsAttr": "cells",
}  # fmt: skip
_DESTINATION = "DestinationStyleOpInterface"
_DEFINED = ("TypeDef",)
_END, _ONE_BLOCK = "Terminator", "region with 1 blocks"
_OWN = "is of a type that the dialect defines"
_LIST = "index elements attribute"
_COUNT_ALONE = "`<` ${} `>`"  # how a type is spelled that says how long a list is
_PAIR = 2
_MARKS = ("a", "b")  # behind the name of an operand that may be repeated
_COUNTED = re.compile(r"i64 dense array attribute with exactly (\d+) elements")
_NUMBER = "arbitrary integer attribute or arbitrary float attribute"
_RANK = re.compile(r"(?<![\w-])(\d+)-?[dD]\b")
_INTEGER = re.compile(r"(\d+)-bit signless integer|signless-integer-(\d+)-bit")
_ONE_CELL = "scalar tensor"
_ONES = "static_cast<int64_t>(1)"
_LIST_LENGTH = re.compile(r"of rank (\d+)$")
_CAST = re.compile(r"\bcast<(?:::)?([\w:]+)>\(\$_self\)")
_CASES, _CASE_ALONE = "EnumAttr", "`<` $value `>`"
_LENGTH = re.compile(r"int elements attribute of shape \[(\d+)\]")


@dataclass(frozen=True)
class TableOperation:
    """An operation: names of operands, required attributes by name with their kinds, or why it gets no meaning.

    ``forms`` has what is said of the operands, and last of the result.  An operand that may be repeated is there twice;
    those that are ``lists`` of integers stand apart.  Several ``results`` are of one type.  Of what is repeated each of
    its ``regions`` gives one; what chooses among them has no axes.
    """

    name: str
    operands: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    obstacle: str = ""
    destination: Destination | None = None
    forms: tuple[Form, ...] = ()
    lists: tuple[ListForm, ...] = ()
    is_repeated: bool = False
    results: int = 1
    regions: RegionForm | None = None


class ListForm(NamedTuple):
    """An operand that is a list of integers, at a place among all operands; what gives such lists, and their length."""

    name: str
    place: int
    kind: ListKind
    length: int | None


@dataclass(frozen=True)
class Form:
    """What a definition says of a tensor: its number of axes and element type, if it does, and if it has one cell."""

    rank: int | None
    dtype: str | None
    is_cell: bool


@dataclass(frozen=True)
class Destination:
    """An operation in destination style: ``inputs`` are read, of which it may take many, and ``out`` is written over.

    ``factors`` are lists of integers that are one by default, by name with their lengths.  Where it ``takes_body``,
    its region may be given.
    """

    inputs: str
    out: str
    takes_many: bool
    takes_body: bool
    factors: tuple[tuple[str, int], ...]


def read_dump(text: str, file: str) -> list[TableOperation]:
    """Return the operations that a dump defines, in the order of their names.

    Raises:
        LiftError: TL534, where the text is no dump, or defines no operation.

    """
    try:
        records = json.loads(text)
        names = records["!instanceof"]["Op"]
        makers = dict(pair for name in names for pair in _made_lists(records, records[name]))
        found = [_operation(records, records[name], makers) for name in names]
    except json.JSONDecodeError as error:
        raise _no_dump(file, f"it is no JSON: {error.msg}", Location(file, error.lineno, error.colno)) from None
    except KeyError as error:
        raise _no_dump(file, f"it has no record {error}") from None
    except (ValueError, TypeError, AttributeError, IndexError):
        raise _no_dump(file, "its records are none of TableGen's") from None
    if not found:
        raise _no_dump(file, "it defines no operation")
    return sorted(found, key=lambda operation: operation.name)


def _no_dump(file: str, why: str, place: Location | None = None) -> LiftError:
    return no_definition(file, why, "write it with 'llvm-tblgen --dump-json' of the version of mlir-opt", place)


def _name(records: Mapping[str, Json], record: Mapping[str, Json]) -> str:
    return f"{records[record['opDialect']['def']]['name']}.{record['opName']}"


def _made_lists(records: Mapping[str, Json], record: Mapping[str, Json]) -> Iterator[tuple[str, ListKind]]:
    """Yield what lists an operation gives, by the names of their type in MLIR and in C++, if it gives any."""
    arguments, results = (list(_arguments(records, record[part])) for part in ("arguments", "results"))
    if len(arguments) != 1 or len(results) != 1 or arguments[0][0].get("summary") != _LIST:
        return
    ((_, attribute),), ((kind, _),) = arguments, results
    if not _is(kind["!superclasses"], _DEFINED) or [size for size, _ in kind["parameters"]["args"]] != ["int"]:
        return
    ((_, count),) = kind["parameters"]["args"]
    if kind["assemblyFormat"] == _COUNT_ALONE.format(count):
        found = ListKind(_name(records, record), attribute, kind["typeName"])
        yield from ((name, found) for name in (kind["typeName"], kind["cppType"]))


def _list_kind(
    records: Mapping[str, Json], kind: Mapping[str, Json], makers: Mapping[str, ListKind]
) -> ListKind | None:
    """Return what gives lists of a type, or of the type that a condition asks for; None where nothing does."""
    if _is(kind["!superclasses"], _DEFINED):
        return makers.get(kind["typeName"])
    asked = (_CAST.search(text) for text in _conditions(records, kind.get("predicate")))
    return next((makers[found[1]] for found in asked if found is not None and found[1] in makers), None)


def _conditions(records: Mapping[str, Json], predicate: Json) -> Iterator[str]:
    """Yield the conditions in C++ that all have to hold."""
    if predicate is None:
        return
    record = records[predicate["def"]]
    if "predExpr" in record:
        yield record["predExpr"]
    if _is(record["!superclasses"], ("And",)):
        for child in record["children"]:
            yield from _conditions(records, child)


def _operation(
    records: Mapping[str, Json], record: Mapping[str, Json], makers: Mapping[str, ListKind]
) -> TableOperation:
    name = _name(records, record)
    operands: list[str] = []
    attributes: list[tuple[str, str]] = []
    obstacle = ""
    forms: list[Form] = []
    lists: list[ListForm] = []
    arguments = list(_arguments(records, record["arguments"]))
    tensors = [kind["!superclasses"] for kind, _ in arguments if "AttrConstraint" not in kind["!superclasses"]]
    regions = _regions(records, record) if len(tensors) > 1 else None
    is_repeated = len(tensors) == 1 and _is(tensors[0], (_REPEATED,))
    for kind, argument in arguments:
        supers = kind["!superclasses"]
        maker = _list_kind(records, kind, makers)
        if maker is not None:
            lists.append(ListForm(argument, len(operands) + len(lists), maker, _length(kind)))
        elif "AttrConstraint" not in supers and (is_repeated or (regions and _is(supers, (_REPEATED,)))):
            operands += [argument + mark for mark in _MARKS]
            forms += [_form(kind)] * len(_MARKS)
        elif "AttrConstraint" not in supers:
            operands.append(argument)
            forms.append(replace(_form(kind), rank=0) if regions else _form(kind))
            obstacle = obstacle or _obstacle(argument, supers)
        elif not _is(supers, _ABSENT):
            attributes.append((argument, _kind(records, kind)))
            obstacle = obstacle or ("" if attributes[-1][1] else f"no value is known for the attribute {argument}")
    destination = _destination(records, record)
    if destination is not None:
        others = [attribute for attribute, kind in attributes if kind != "axes of i64"]
        obstacle = f"no value is known for the attribute {others[0]}" if others else ""
        return TableOperation(name, tuple(operands), tuple(attributes), obstacle, destination)
    results = list(_arguments(records, record["results"]))
    if any(_made_lists(records, record)):
        obstacle = "it gives the lists of integers that others take"
    obstacle = obstacle or _obstacle_in_results([kind for kind, _ in results], is_single=regions is not None)
    if record["regions"]["args"] and regions is None:
        obstacle = "it has regions"
    elif not (operands or attributes):
        obstacle = obstacle or "it has no operands"
    forms += [_form(kind) for kind, _ in results[:1]]
    return TableOperation(
        name,
        tuple(operands),
        tuple(attributes),
        obstacle,
        forms=tuple(forms),
        lists=tuple(lists),
        is_repeated=is_repeated and regions is None,
        results=len(results),
        regions=regions,
    )


def _regions(records: Mapping[str, Json], record: Mapping[str, Json]) -> RegionForm | None:
    """Return the regions of an operation that are one block each, which the only terminator of its dialect ends."""
    blocks = [records[region["def"]].get("summary") for region, _ in record["regions"]["args"]]
    known = [records[name] for name in records["!instanceof"]["Op"]] if blocks else []
    ends = [_name(records, own) for own in known if _END in _traits(own)]
    return RegionForm(ends[0], len(blocks)) if blocks == [_ONE_BLOCK] * len(_MARKS) and len(ends) == 1 else None


def _traits(record: Mapping[str, Json]) -> list[str]:
    return [trait["def"] for trait in record.get("traits", ())]


def _obstacle_in_results(kinds: list[Mapping[str, Json]], *, is_single: bool) -> str:
    """Return why an operation with results of these types gets no meaning, nothing where it may get one.

    What may be repeated there may be one.
    """
    if not kinds:
        return "it has no result"
    if any(_is(kind["!superclasses"], _MANY) for kind in kinds) and not (is_single and len(kinds) == 1):
        return "it has results that may be left out or repeated"
    if len(set(map(_form, kinds))) > 1:
        return "it has results of several types"
    return f"the result {_OWN}" if _is(kinds[0]["!superclasses"], _DEFINED) else ""


def _obstacle(operand: str, supers: list[str]) -> str:
    """Return why an operation with an operand gets no meaning, nothing where it may get one."""
    if _is(supers, _MANY):
        return f"the operand {operand} may be left out or repeated"
    return f"the operand {operand} {_OWN}" if _is(supers, _DEFINED) else ""


def _length(kind: Mapping[str, Json]) -> int | None:
    """Return how many integers lists of a type have, if its definition says it."""
    said = _LIST_LENGTH.search(kind.get("summary") or "")
    return None if said is None else int(said[1])


def _kind(records: Mapping[str, Json], attribute: Mapping[str, Json]) -> str:
    """Return what values an attribute may have, nothing where that is not known; one of some cases is spelled out."""
    if _is(attribute["!superclasses"], (_CASES,)) and attribute["assemblyFormat"] == _CASE_ALONE:
        names = (records[case["def"]]["str"] for case in records[attribute["enum"]["def"]]["enumerants"])
        return " ".join(f"#{attribute['attrName']}<{name}>" for name in names)
    counted = _COUNTED.fullmatch(attribute.get("summary") or "")
    if counted is not None:
        return f"{counted[1]} integers"
    if attribute.get("summary") == _NUMBER:
        return "number"
    return _KINDS.get((attribute.get("storageType") or "").strip().rpartition("::")[2], "")


def _form(kind: Mapping[str, Json]) -> Form:
    """Return what the summary of a type says."""
    said = kind.get("summary") or ""
    rank, widths = _RANK.search(said), {one or other for one, other in _INTEGER.findall(said)}
    dtype = f"i{min(widths, key=int)}" if widths and "number" not in said.partition(" or ")[2] else None
    return Form(None if rank is None else int(rank[1]), dtype, _ONE_CELL in said)


def _destination(records: Mapping[str, Json], record: Mapping[str, Json]) -> Destination | None:
    """Return what is special of an operation in destination style that has a form of its own, None for any other."""
    if _DESTINATION not in _traits(record) or not record["hasCustomAssemblyFormat"]:
        return None
    arguments = list(_arguments(records, record["arguments"]))
    operands = [(kind, name) for kind, name in arguments if "AttrConstraint" not in kind["!superclasses"]]
    regions = [records[region["def"]] for region, _ in record["regions"]["args"]]
    if len(operands) != _PAIR or len(regions) != 1:
        return None
    (inputs, read), (_, written) = operands
    factors = [(name, length) for kind, name in arguments if (length := _factors(records, kind)) is not None]
    takes_many = _is(inputs["!superclasses"], _MANY)
    takes_body = "SizedRegion" in regions[0]["!superclasses"]
    return Destination(read, written, takes_many, takes_body, tuple(factors))


def _factors(records: Mapping[str, Json], kind: Mapping[str, Json]) -> int | None:
    """Return the length of a list of integers that is one by default, None for other attributes."""
    if not _is(kind["!superclasses"], _ABSENT) or _ONES not in (kind.get("defaultValue") or ""):
        return None
    found = _LENGTH.search(records[kind["baseAttr"]["def"]].get("summary") or "")
    return None if found is None else int(found[1])


def _is(supers: list[str], wanted: tuple[str, ...]) -> bool:
    return any(name in supers for name in wanted)


def _arguments(records: Mapping[str, Json], dag: Mapping[str, Json]) -> Iterator[tuple[Mapping[str, Json], str]]:
    """Yield the records of what a list of arguments holds, with the names there."""
    for value, name in dag["args"]:
        record = records[value["def"]]
        if "OpVariable" in record["!superclasses"]:
            record = records[record["constraint"]["def"]]
        yield record, name
