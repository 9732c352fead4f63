"""Conditions as JSON values and back."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorlift.codec import Codec, Form, Via
from tensorlift.contract.language import (
    AnyOf,
    Atom,
    Compare,
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


class _Product(NamedTuple):
    factor: int
    atoms: tuple[Atom, ...]


_RELATION = ("left", "relation", "right")
FORMS: dict[type, Form] = {
    Compare: Form(" ".join(_RELATION), "compare"),
    AnyOf: Form("choices", "any of"),
    Separate: Form("array others or_same", "separate"),
    DistinctRows: Form("array", "distinct rows"),
    EqualRows: Form("array", "equal rows"),
    NotNull: Form("array", "not null"),
    ReadInside: Form("array", "read inside"),
    Elements: Form("array least rows", "elements"),
    Inside: Form("array added limit", "inside"),
    IsArray: Form("name dtype rank", "array"),
    IsScalar: Form("name dtype", "scalar"),
    InWords: Form("text", "in words"),
    _Product: Form("factor atoms"),
    Extent: Form("array axis"),
    Quotient: Form("numerator divisor"),
}
VIA: dict[Any, Via] = {
    Sum: Via(
        lambda _, value: [CONDITIONS.write(_Product(*term)) for term in value.terms],
        tuple[_Product, ...],
        lambda _, terms: Sum.of(*terms),
    ),
    (AnyOf, "choices"): Via(  # relations, which need no tag
        lambda _, choices: [
            [{key: CONDITIONS.write(getattr(one, key)) for key in _RELATION} for one in choice] for choice in choices
        ],
        tuple[tuple[Compare, ...], ...],
    ),
}
CONDITIONS: Codec = Codec(FORMS, VIA)  # ``CONDITIONS.read(Condition, data)``
