"""Preconditions in few words: comparisons with one bound share it, and each kind takes one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.record import Precondition

_LEAST = re.compile(r"(?P<name>\w+) >= (?P<bound>\d+)")
_RELATION = re.compile(r" (<=|>=|<|>|==) ")


def in_few_words(preconditions: Iterable[Precondition]) -> Iterator[str]:
    """Give the lines that say all of the preconditions: least sizes, other relations, then each of the rest.

    Reasons and places are left out: the JSON report has them.
    """
    least: dict[str, int] = {}
    relations: dict[str, None] = {}
    rest: dict[str, None] = {}
    for text in (precondition.text for precondition in preconditions):
        if simple := _LEAST.fullmatch(text):
            least[simple["name"]] = max(least.get(simple["name"], 0), int(simple["bound"]))
        else:
            (relations if _RELATION.search(text) else rest)[text] = None
    line = [*_shared_bounds(least), *relations]
    if line:
        yield "; ".join(line)
    yield from rest


def _shared_bounds(least: dict[str, int]) -> Iterator[str]:
    for bound in sorted(set(least.values())):
        yield f"{', '.join(name for name, own in least.items() if own == bound)} >= {bound}"
