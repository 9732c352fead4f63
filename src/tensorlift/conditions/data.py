"""Conditions as JSON values and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.conditions.language import (
    RELATIONS,
    AnyOf,
    Atom,
    Compare,
    Condition,
    DistinctRows,
    Elements,
    EqualRows,
    Extent,
    Inside,
    InWords,
    IsArray,
    IsScalar,
    NotNull,
    Quotient,
    ReadInside,
    Separate,
    Sum,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


# The forms that say one thing about one array.
_OF_ARRAYS: dict[str, type[DistinctRows | EqualRows | NotNull | ReadInside]] = {
    "distinct rows": DistinctRows,
    "equal rows": EqualRows,
    "not null": NotNull,
    "read inside": ReadInside,
}


def condition_data(condition: Condition) -> dict[str, Any]:
    """Give a condition as JSON values; the key ``is`` names its form."""
    match condition:
        case Compare():
            return {"is": "compare", **_compare(condition)}
        case AnyOf(choices):
            return {"is": "any of", "choices": [[_compare(part) for part in choice] for choice in choices]}
        case Separate(array, others, or_same):
            return {"is": "separate", "array": array, "others": list(others), "or_same": or_same}
        case DistinctRows() | EqualRows() | NotNull() | ReadInside():
            form = next(form for form, kind in _OF_ARRAYS.items() if isinstance(condition, kind))
            return {"is": form, "array": condition.array}
        case Elements(array, least, rows):
            return {"is": "elements", "array": array, "least": sum_data(least), "rows": rows}
        case Inside(array, added, limit):
            return {"is": "inside", "array": array, "added": added, "limit": sum_data(limit)}
        case IsArray(name, dtype, rank):
            return {"is": "array", "name": name, "dtype": dtype, "rank": rank}
        case IsScalar(name, dtype):
            return {"is": "scalar", "name": name, "dtype": dtype}
        case InWords(text):
            return {"is": "in words", "text": text}


def condition_from_data(data: Mapping[str, Any]) -> Condition:
    """Read what `condition_data` gave; raises KeyError, TypeError or ValueError for anything else."""
    match data["is"]:
        case "compare":
            return _read_compare(data)
        case "any of":
            return AnyOf(tuple(tuple(map(_read_compare, choice)) for choice in data["choices"]))
        case "separate":
            return Separate(str(data["array"]), tuple(map(str, data["others"])), or_same=bool(data["or_same"]))
        case form if form in _OF_ARRAYS:
            return _OF_ARRAYS[form](str(data["array"]))
        case "elements":
            return Elements(str(data["array"]), sum_from_data(data["least"]), rows=bool(data["rows"]))
        case "inside":
            return Inside(str(data["array"]), int(data["added"]), sum_from_data(data["limit"]))
        case "array":
            return IsArray(str(data["name"]), str(data["dtype"]), int(data["rank"]))
        case "scalar":
            return IsScalar(str(data["name"]), str(data["dtype"]))
        case "in words":
            return InWords(str(data["text"]))
        case form:
            raise ValueError(f"no condition has the form '{form}'")


def sum_data(value: Sum) -> list[dict[str, Any]]:
    """Give a sum as JSON values: products with a factor and atoms."""
    return [{"factor": factor, "atoms": [_atom(atom) for atom in atoms]} for factor, atoms in value.terms]


def sum_from_data(data: list[Mapping[str, Any]]) -> Sum:
    """Read what `sum_data` gave."""
    return Sum.of(*((int(term["factor"]), tuple(map(_read_atom, term["atoms"]))) for term in data))


def _compare(condition: Compare) -> dict[str, Any]:
    return {"left": sum_data(condition.left), "relation": condition.relation, "right": sum_data(condition.right)}


def _read_compare(data: Mapping[str, Any]) -> Compare:
    relation = next((r for r in RELATIONS if r == data["relation"]), None)
    if relation is None:
        raise ValueError(f"no relation is spelled '{data['relation']}'")
    return Compare(sum_from_data(data["left"]), relation, sum_from_data(data["right"]))


def _atom(atom: Atom) -> str | dict[str, Any]:
    if isinstance(atom, Extent):
        return {"array": atom.array, "axis": atom.axis}
    if isinstance(atom, Quotient):
        return {"numerator": sum_data(atom.numerator), "divisor": atom.divisor}
    return atom


def _read_atom(data: str | Mapping[str, Any]) -> Atom:
    if isinstance(data, str):
        return data
    if "array" in data:
        return Extent(str(data["array"]), int(data["axis"]))
    return Quotient(sum_from_data(data["numerator"]), int(data["divisor"]))
