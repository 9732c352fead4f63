"""Containers of C++: their types, and those among the parameters of a function, which are arrays with extents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.ir import nodes
from tensorlift.ops.c_types import PARTS, UNSIGNED_LONG, ArrayType, ComplexType, CType, NumberType

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location

Extent: TypeAlias = "nodes.Variable | int"


@dataclass(frozen=True, slots=True)
class ContainerType:
    """A container of numbers: the lengths of its dimensions, outermost first, None for a std::vector."""

    element: NumberType | ComplexType
    lengths: tuple[int | None, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.lengths)

    def row(self) -> ContainerType:
        """Give the type of its elements, containers themselves."""
        return ContainerType(self.element, self.lengths[1:])

    def in_memory(self) -> ContainerType:
        """Give the type of the numbers in its memory: of complex ones their parts."""
        if isinstance(self.element, ComplexType):
            return ContainerType(self.element.part, (*self.lengths, PARTS))
        return self

    def array(self, *, restrict: bool = False) -> ArrayType:
        """Give the array that holds the elements; ``restrict`` where no other name reaches them."""
        found = _array(self.element, self.lengths)
        assert isinstance(found, ArrayType)
        return ArrayType(f"{self.element.spelling} restrict", found.element, None, variable=True) if restrict else found


def _array(element: CType, lengths: tuple[int | None, ...]) -> CType:
    if not lengths:
        return element
    inner = _array(element, lengths[1:])
    return ArrayType(f"{element.spelling}{'[]' * len(lengths)}", inner, lengths[0], variable=lengths[0] is None)


@dataclass(slots=True, eq=False)
class Container:
    """A container among the parameters: its array, and its extents, variables that hold a size, or constants."""

    kind: ContainerType
    variable: nodes.Variable
    extents: tuple[Extent, ...]


def extent_node(extent: Extent, location: Location) -> nodes.Expression:
    """Give a known extent as an expression."""
    if isinstance(extent, int):
        return nodes.Integer(extent, UNSIGNED_LONG, location)
    return nodes.Name(extent, UNSIGNED_LONG, location)
