"""Rows of operations of MLIR dialects: an operation's meaning, and the form in which it is written.

A form spells what stands behind the name of the operation, as dialects do in their definitions: ``$x`` is an operand,
``$*xs`` all operands of a list, ``#d`` an attribute, ``type(x)`` or ``types(xs)`` the type of an operand,
``type(result)`` that of the result.  Anything else is itself; what stands between ``[?`` and ``?]`` starts with a word,
and is left out where its attributes are empty.  An operand whose type is not spelled has that of the result.  Operands
and attributes are the parameters of the meaning; a row without a form is written in MLIR's generic form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.tensor import Shape, SymbolicTensor
from tensorlift.ops.dtypes import DType
from tensorlift.targets.target import OpRow, Tensor

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

Ints = tuple[int, ...]
Labels = tuple[str, ...]
Pairs = tuple[tuple[int, int], ...]
Ranges = tuple[tuple[int, int, int], ...]  # start, limit and step for each axis
ElementType = DType  # of a result whose shape the operands tell
Region = Callable[..., SymbolicTensor]  # applies the region of an operation to its arguments


class ResultType(NamedTuple):
    """The type of a result that the operands do not tell; the text states it, every extent as a number."""

    shape: Shape
    dtype: DType


class Piece(NamedTuple):
    """A piece of a form: an operand, several, an attribute, a type, several, a word, a space, or an optional group."""

    kind: str
    text: str
    inside: tuple[Piece, ...] = ()


_OPERANDS = ("Tensor", "Tensors")
_GIVEN = ("ResultType", "ElementType", "Region")
_PIECE = re.compile(r"\$\*(?P<operands>\w+)|\$(?P<operand>\w+)|#(?P<attribute>\w+)|types\((?P<types>\w+)\)"
                    r"|type\((?P<type>\w+)\)|(?P<space>\s+)|(?P<word>[\w.]+|->|\S)")  # fmt: skip


@dataclass(frozen=True)
class TextRow(OpRow):
    """An operation of an MLIR dialect; ``spelling`` is its name there.

    The class of xDSL that reads it follows from the ``form``, unless it is given as ``read_as``; ``types`` are those of
    the dialect's own that it needs.
    """

    form: str = ""
    read_as: type[Operation] | None = None
    types: tuple[type[Attribute], ...] = ()

    __hash__ = object.__hash__

    def verify(self, op: Operation) -> None:
        """Demand what the dialect does of an operation beside what its meaning demands: nothing."""

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in order; one that stands for several ends the list."""
        return tuple(p.name for p in self.parameters if p.kind in _OPERANDS)

    @cached_property
    def attributes(self) -> dict[str, str]:
        """The attributes by name, with their kinds."""
        return {p.name: p.kind for p in self.parameters if p.kind not in (*_OPERANDS, *_GIVEN)}

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The form, piece by piece."""
        return tuple(_pieces(self.form))

    @cached_property
    def result(self) -> str:
        """The name of the parameter that takes the type of the result, nothing where the operands tell it."""
        return self._given("ResultType")

    @cached_property
    def element(self) -> str:
        """The name of the parameter that takes the element type of the result, nothing where the operands tell it."""
        return self._given("ElementType")

    @cached_property
    def region(self) -> str:
        """The name of the parameter that takes the region, nothing where there is none."""
        return self._given("Region")

    @cached_property
    def takes_many(self) -> bool:
        """Whether the last operand stands for several."""
        return any(p.is_variadic for p in self.parameters)

    def _given(self, kind: str) -> str:
        return next((p.name for p in self.parameters if p.kind == kind), "")

    def requires(self, name: str) -> bool:
        """Tell whether an attribute must be given."""
        return any(p.name == name and not p.is_optional for p in self.parameters)


def _pieces(form: str) -> list[Piece]:
    before, found, rest = form.partition("[?")
    pieces = [Piece(match.lastgroup or "", match[match.lastgroup or 0]) for match in _PIECE.finditer(before)]
    if not found:
        return pieces
    group, _, after = rest.partition("?]")
    return [*pieces, Piece("group", "", tuple(_pieces(group))), *_pieces(after)]


__all__ = ["ElementType", "Ints", "Labels", "Pairs", "Ranges", "Region", "ResultType", "Tensor", "TextRow"]
