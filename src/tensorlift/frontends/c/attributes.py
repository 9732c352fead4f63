"""Attributes of the loop IR that are made again and again: they are immutable, and making one checks it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, IntegerAttr, StringAttr, i32

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from tensorlift.diagnostics import Location

_text = lru_cache(maxsize=16)(StringAttr)
_number = lru_cache(maxsize=4096)(IntAttr)
integer_attribute = lru_cache(maxsize=256)(IntegerAttr)


def location_attribute(location: Location) -> FileLineColLoc:
    """Make a location attribute; xDSL's way checks the classes of its parameters, for ten times as long."""
    made = FileLineColLoc.__new__(FileLineColLoc)
    object.__setattr__(made, "filename", _text(location.file))
    object.__setattr__(made, "line", _number(location.line))
    object.__setattr__(made, "column", _number(location.column))
    return made


def identifier(name: str) -> str:
    """Make an identifier of a name: members are spelled ``a.b`` in messages."""
    return "_".join(re.findall(r"\w+", name))


@cache
def segments(*sizes: int) -> Attribute:
    """Say how many operands belong to each group of an operation."""
    from xdsl.dialects.builtin import DenseArrayBase  # noqa: PLC0415 - used in two places only

    return DenseArrayBase.from_list(i32, list(sizes))
