"""What expressions of Fortran are while they are read literally.

A ``Number`` is a scalar with its type; a truth value is an ``i1``.  A ``View`` is an array in memory, or a section of
one: subscripts from one on, an offset, and for each dimension an extent and a distance between its elements.  A
``Rule`` is an array that no memory holds: its extents, and the element at given places, computed where it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import SSAValue

from tensorlift.ops.c_types import BOOL, ComplexType, FloatType, IntegerType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.flow import Local
    from tensorlift.readers.fortran.context import Context

Size: TypeAlias = SSAValue | int  # an ``i64``, or a number that the source states
Given: TypeAlias = list[tuple[str, Any]]  # the arguments of an intrinsic function, with their keywords
Intrinsic: TypeAlias = "Callable[[Context, Any, Given], Operand]"


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar: an SSA value, a number that the source states, or the parts of a complex number."""

    value: SSAValue | int | float | tuple[Number, Number]
    ctype: Numeric

    @property
    def is_truth(self) -> bool:
        """Whether it is a truth value."""
        return self.ctype is BOOL

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer."""
        return isinstance(self.ctype, IntegerType) and self.ctype is not BOOL

    @property
    def is_real(self) -> bool:
        """Whether it is a real."""
        return isinstance(self.ctype, FloatType)

    @property
    def literal(self) -> int | float | None:
        """The number that the source states, None for one that is computed."""
        return None if isinstance(self.value, SSAValue | tuple) else self.value

    @property
    def is_complex(self) -> bool:
        """Whether it is complex."""
        return isinstance(self.ctype, ComplexType)

    @property
    def parts(self) -> tuple[Number, Number]:
        """The real and the imaginary part."""
        if isinstance(self.value, tuple):
            return self.value
        return self, Number(0.0 if self.is_real else 0, self.ctype)


@dataclass(frozen=True, slots=True)
class View:
    """An array in memory, or a section of one; ``lower`` are its lower bounds.

    An extent that is None is open, as that of an assumed-size array is.  What is read of it is told by ``key``, equal
    for two references that are written alike in one statement.  The extents of a section are no more than its ``room``,
    those of the array along the same dimensions.
    """

    memory: SSAValue
    offset: Size
    extents: tuple[Size | None, ...]
    strides: tuple[Size, ...]
    lower: tuple[Size, ...]
    ctype: Numeric
    key: str = ""
    room: tuple[Size | None, ...] = ()

    @property
    def reads(self) -> frozenset[tuple[SSAValue, str]]:
        """The memory that reading it reads, and at which places."""
        return frozenset({(self.memory, self.key)})


@dataclass(frozen=True, slots=True)
class Rule:
    """An array as a rule; ``reads`` are the memories that an element needs, with the key of those read in place."""

    extents: tuple[Size, ...]
    at: Callable[[Sequence[Size]], Number]
    ctype: Numeric
    reads: frozenset[tuple[SSAValue, str]] = frozenset()
    room: tuple[Size | None, ...] = ()
    cells: Callable[[Sequence[Size]], list[Size]] | None = None  # where elements lie that subscripts choose


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar variable, of which ``imaginary`` holds the other part if it is complex."""

    local: Local
    ctype: Numeric
    imaginary: Local | None = None


Operand: TypeAlias = Number | View | Rule
ArrayLike: TypeAlias = View | Rule
Binding: TypeAlias = Variable | View | Number
