"""An allowance for questions about sets, in operations that isl counts, so that giving up depends on no machine."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import islpy as isl

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPENT = "maximal number of operations"  # how isl tells it from other errors


class AllowanceSpentError(Exception):
    """Raised where questions about sets take more operations than they were given."""


@contextmanager
def allowance(operations: int) -> Iterator[None]:
    """Give what is asked about sets in this block at most so many operations of isl, some four million a second.

    Raises:
        AllowanceSpentError: where they are spent.

    """
    context = isl.DEFAULT_CONTEXT
    context.set_max_operations(operations)
    context.reset_operations()
    try:
        yield
    except isl.Error as error:
        if _SPENT in str(error):
            raise AllowanceSpentError from None
        raise
    finally:
        context.set_max_operations(0)  # no limit
