"""Lists of integers as operands of trials: a number for each axis, or two, all from a few small ones."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tensorlift.comprehension.instance import ListOperand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.dialects.tablegen import ListForm, TableOperation

_PER_AXIS = (1, 2)  # how many integers: paddings have one for either side
_CHOICES = (((0, 1), 4), ((1, 2), 2))  # what integers are chosen from, of lists up to a length that stand alone
_ALIKE = (0, 1, 2, 3)  # what all integers of a list are


def list_operands(operation: TableOperation, rank: int) -> Iterator[tuple[ListOperand, ...]]:
    """Yield the lists that an operation on so many axes may take, nothing for each of no lists."""
    is_alone = len(operation.lists) == 1
    return itertools.product(*(list(_lists(form, rank, is_alone=is_alone)) for form in operation.lists))


def _lists(form: ListForm, rank: int, *, is_alone: bool) -> Iterator[ListOperand]:
    for count in (rank * times for times in _PER_AXIS):
        choices = [choice for choice, most in _CHOICES if is_alone and count <= most]
        chosen = [numbers for choice in choices for numbers in itertools.product(choice, repeat=count)]
        for numbers in dict.fromkeys([*chosen, *((number,) * count for number in _ALIKE)]):
            yield ListOperand(form.name, form.place, form.kind, numbers)
