"""What expressions of Python are while they are read literally.

A ``Number`` is a scalar with its type: one of NumPy's, or where it is *weak* one of Python's own.  A ``View`` is memory
as NumPy describes an array: a flat memory, an offset, and for each axis an extent and a distance between its elements.
A ``Rule`` is an array that no memory holds: its extents, and the element at given indices, which is computed where it
is asked for.  A ``Several`` is a tuple.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from xdsl.ir import SSAValue

from tensorlift.ops.c_types import BOOL, FloatType, IntegerType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CNumber: TypeAlias = IntegerType | FloatType
Size: TypeAlias = SSAValue | int  # an extent, a distance or an index: an ``i64``, or a number that the source states


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar: an SSA value, or a number that the source states; a truth value is an ``i1``, or a byte in memory."""

    value: SSAValue | int | float
    ctype: CNumber
    weak: bool = False
    is_test: bool = False

    @property
    def is_truth(self) -> bool:
        """Whether it is a truth value."""
        return self.ctype is BOOL

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer."""
        return isinstance(self.ctype, IntegerType)

    @property
    def literal(self) -> int | float | None:
        """The number that the source states, None for one that is computed."""
        return None if isinstance(self.value, SSAValue) else self.value


@dataclass(frozen=True, slots=True)
class View:
    """An array, or a part of one, in memory; ``is_new`` where an operation has just made it.

    It ``is_cut`` where it may be less long than the memory it lies in.  The truth values of a list are ``of_numpy``
    where some are NumPy's.
    """

    base: SSAValue
    offset: Size
    extents: tuple[Size, ...]
    strides: tuple[Size, ...]
    element: CNumber
    is_list: bool = False
    is_new: bool = False
    of_numpy: bool = False
    is_cut: bool = False

    @property
    def reads(self) -> frozenset[SSAValue]:
        """The memories that reading it reads."""
        return frozenset({self.base})


@dataclass(frozen=True, slots=True)
class Result:
    """Memory for an array that is returned."""

    base: SSAValue
    offset: SSAValue
    element: CNumber


@dataclass(frozen=True, slots=True)
class Rule:
    """An array as a rule; ``element`` is its type where that is known without asking for an element.

    An array whose elements are left unset has no rule for them.
    """

    extents: tuple[Size, ...]
    at: Callable[[Sequence[Size]], Number] | None
    reads: frozenset[SSAValue] = frozenset()
    element: CNumber | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple."""

    items: tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Nothing:
    """What a function gives back that returns no value."""


Operand: TypeAlias = Number | View | Rule | Several | Nothing
ArrayLike: TypeAlias = View | Rule


def parts_of(value: Operand) -> list[SSAValue]:
    """List the SSA values that a value is made of."""
    match value:
        case Number():
            return [value.value] if isinstance(value.value, SSAValue) else []
        case View():
            sizes = (value.offset, *value.extents, *value.strides)
            return [value.base, *(size for size in sizes if isinstance(size, SSAValue))]
        case Several():
            return [part for item in value.items for part in parts_of(item)]
    return []


def with_parts(value: Operand, parts: list[SSAValue]) -> Operand:
    """Give a value that is made of other SSA values, which are taken from the front of a list."""
    match value:
        case Number():
            return replace(value, value=parts.pop(0)) if isinstance(value.value, SSAValue) else value
        case View():
            base = parts.pop(0)
            sizes = (value.offset, *value.extents, *value.strides)
            offset, *others = (parts.pop(0) if isinstance(size, SSAValue) else size for size in sizes)
            rank = len(value.extents)
            return replace(value, base=base, offset=offset, extents=tuple(others[:rank]), strides=tuple(others[rank:]))
        case Several():
            return Several(tuple(with_parts(item, parts) for item in value.items))
    return value
