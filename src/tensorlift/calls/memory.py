"""Whether the arrays and lists of a call share memory where one of them is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.calls.kinds import Argument, Array

_WORK = 1000  # how hard to look for a shared element of two strided views


def share_memory(one: Argument, other: Argument) -> bool:
    """Tell whether two arguments share memory; where that is hard to tell, they do."""
    if isinstance(one.given, list) or isinstance(other.given, list):
        return not set(_rows(one.given)).isdisjoint(_rows(other.given))
    if not np.may_share_memory(one.held, other.held):
        return False
    try:
        return np.shares_memory(one.held, other.held, max_work=_WORK)  # type: ignore[arg-type] # any bound is accepted
    except np.exceptions.TooHardError:
        return True


def overlaps_itself(argument: Argument) -> bool:
    """Tell whether two elements of an argument may lie at one place."""
    if isinstance(argument.given, list):
        rows = list(_rows(argument.given))
        return len(rows) != len(set(rows))
    return not argument.held.flags.forc and not _is_spread(argument.held)


def _rows(value: Any) -> Iterator[int]:
    """Yield the identities of a list and of the lists in it."""
    if isinstance(value, list):
        yield id(value)
        if value and isinstance(value[0], list):
            for row in value:
                yield from _rows(row)


def _is_spread(array: Array) -> bool:
    """Whether the strides keep elements apart: each steps over all that the smaller ones reach."""
    reach = array.itemsize
    for stride, extent in sorted((abs(s), e) for s, e in zip(array.strides, array.shape, strict=True) if e > 1):
        if stride < reach:
            return False
        reach += stride * (extent - 1)
    return True
