"""Preconditions in few words: comparisons with one bound share it, and each kind takes one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.contract.interface import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.contract.interface import Precondition
    from tensorlift.record import FunctionRecord

_BOUND = re.compile(r"(?P<name>\w+) (?P<relation>>=|<=) (?P<bound>-?\d+)")
_RELATION = re.compile(r" (<=|>=|<|>|==) ")


def shown(function: FunctionRecord) -> Iterator[Precondition]:
    """Give the preconditions without those that every shape meets: that a size which one tells is not negative."""
    taken = {parameter.name for parameter in function.parameters if parameter.role is Role.SIZE}
    for precondition in function.preconditions:
        simple = _BOUND.fullmatch(precondition.text) if precondition.kind == "size" else None
        if simple is None or simple["relation"] + simple["bound"] != ">=0" or simple["name"] in taken:
            yield precondition


def in_few_words(preconditions: Iterable[Precondition]) -> Iterator[str]:
    """Give the lines that say all of the preconditions: bounds of sizes, other relations, then each of the rest.

    Reasons and places are left out: the JSON report has them.
    """
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    relations: dict[str, None] = {}
    rest: dict[str, None] = {}
    for text in (precondition.text for precondition in preconditions):
        if simple := _BOUND.fullmatch(text):
            bounds, tighter = (least, max) if simple["relation"] == ">=" else (most, min)
            bound = int(simple["bound"])
            bounds[simple["name"]] = tighter(bounds.get(simple["name"], bound), bound)
        else:
            (relations if _RELATION.search(text) else rest)[text] = None
    line = [*_shared(least, ">="), *_shared(most, "<="), *relations]
    if line:
        yield "; ".join(line)
    yield from rest


def _shared(bounds: dict[str, int], relation: str) -> Iterator[str]:
    for bound in sorted(set(bounds.values())):
        yield f"{', '.join(name for name, own in bounds.items() if own == bound)} {relation} {bound}"
