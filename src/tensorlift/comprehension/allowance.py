"""An allowance for each question about sets, in operations that isl counts, so that giving up depends on no machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import islpy as isl

from tensorlift.diagnostics import Diagnostic, LiftError

if TYPE_CHECKING:
    from collections.abc import Callable

_BETWEEN = 40_000_000  # operations between two questions, some 10 s: no one step takes longer
_OPERATIONS = 100_000  # for one question, some 25 ms; the reference kernels need less than half of them
_SPENT = "maximal number of operations"  # how isl tells it from other errors

Answer = TypeVar("Answer")


class TooManyPartsError(LiftError):
    """Raised where a question about sets takes more operations than it is given."""

    def __init__(self) -> None:
        """Say what can be done about it."""
        message = "the sets of points of this function have too many parts to be compared"
        super().__init__(Diagnostic("TL291", message, remedy="split the function, or the conditions and strides in it"))


def telling(question: Callable[..., Answer], *operands: object) -> Answer:
    """Ask a question, or do a piece of work; say so where isl gives up.

    Raises:
        TooManyPartsError: where the allowance is spent.

    """
    try:
        return question(*operands)
    except isl.Error as error:
        if _SPENT in str(error):
            raise TooManyPartsError from None
        raise


def within_allowance(question: Callable[..., Answer], *sets: isl.Set, operations: int | None = None) -> Answer:
    """Ask about sets; what takes long beforehand, and what the answer is used for, counts for nothing.

    Raises:
        TooManyPartsError: where the allowance is spent.

    """
    _begin(operations or _OPERATIONS)
    try:
        return telling(question, *sets)
    finally:
        _begin(_BETWEEN)


def _begin(allowance: int) -> None:
    isl.DEFAULT_CONTEXT.reset_operations()
    isl.DEFAULT_CONTEXT.set_max_operations(allowance)


_begin(_BETWEEN)
