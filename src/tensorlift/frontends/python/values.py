"""What names and expressions of a Python function stand for while their types are found.

An ``Array`` has extents and an element, of which type and kind are known.  It is a part of a ``Memory``, or, without
one, an array as a rule, that no memory holds yet.  A ``Sizes`` is a tuple, such as a shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.python.scalars import Scalar

if TYPE_CHECKING:
    from tensorlift.frontends.python.scalars import Number
    from tensorlift.ir import nodes

    Extents: TypeAlias = tuple[nodes.Expression, ...]


@dataclass(slots=True, eq=False)
class Memory:
    """An array in memory, which ``is_given`` where the caller has it.

    A list that the function makes has a ``key``, under which the type of its items is known.
    """

    name: str
    key: str = ""
    is_given: bool = False
    written: bool = False
    kept: tuple[str, str] | None = None  # why it is not to be changed in place: a reason to refuse that, and its detail


@dataclass(frozen=True, slots=True)
class Array:
    """An array: its extents, and one of its elements.

    One that ``is_new`` has memory of its own that nothing names yet, one that ``is_whole`` is named, and all of its
    memory.  One that ``shows`` another array is a view of it
    by which it is read alone: where that has a name, neither is changed any more.
    """

    extents: Extents
    item: Scalar
    memory: Memory | None = None
    is_list: bool = False
    is_new: bool = False
    is_whole: bool = False
    shows: Memory | None = None

    @property
    def element(self) -> Number:
        """The type of the elements."""
        return self.item.ctype

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.extents)

    @property
    def view(self) -> Memory | None:
        """The memory that it is a part of, None where nothing names that."""
        return None if self.is_new else self.memory


@dataclass(frozen=True, slots=True)
class Sizes:
    """A tuple, such as a shape."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class NoItems:
    """A list without items, to which a loop may append."""


Operand: TypeAlias = Scalar | Array | Sizes | NoItems
