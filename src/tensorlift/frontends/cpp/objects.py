"""What names of class type stand for while C++ is read: containers, objects of classes, lambdas.

No object exists at run time: a container is an array with its extents, an object of a class its members, and a
reference is what it refers to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import LONG, UNSIGNED_LONG, ArrayType, CType, NumberType, PointerType

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location

_SUMS = {"+", "-", "*"}

Extent: TypeAlias = "nodes.Variable | int | None"


@dataclass(frozen=True, slots=True)
class ContainerType:
    """A container of numbers: the lengths of its dimensions, outermost first, None for a std::vector."""

    element: NumberType
    lengths: tuple[int | None, ...]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.lengths)

    def row(self) -> ContainerType:
        """Give the type of its elements, containers themselves."""
        return ContainerType(self.element, self.lengths[1:])

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


def pointer_to(ctype: CType) -> PointerType:
    """Give the pointer to a type."""
    base, bracket, rest = ctype.spelling.partition("[")
    spelling = f"{base.strip()} (*){bracket}{rest}" if bracket else f"{ctype.spelling} *"
    return PointerType(spelling, ctype)


@dataclass(slots=True, eq=False)
class Container:
    """A container, or a row of one: what gives its address, and its extents.

    ``extents`` are variables that hold a size, constants, or None where the rows that are appended tell it.
    ``variable`` is the array where this is the whole of it; ``storage`` the block that declares it, which is changed
    once the array is a result; ``owner`` the frame that declared it, inside of so many ``loops``.  ``grows`` where its
    first extent changes, in the variable that holds it; ``has_size`` where it does not begin as empty.
    """

    kind: ContainerType
    base: nodes.Expression
    extents: tuple[Extent, ...]
    name: str
    variable: nodes.Variable | None = None
    storage: nodes.Block | None = None
    owner: int = 0
    grows: bool = False
    has_size: bool = False
    loops: int = 0
    is_parameter: bool = False

    @property
    def element_type(self) -> CType:
        """The type of an element, a row where there is more than one dimension."""
        return self.kind.row().array() if self.kind.rank > 1 else self.kind.element

    def element(self, index: nodes.Expression, location: Location) -> nodes.Subscript:
        """Give an element, a row where there is more than one dimension."""
        return nodes.Subscript(self.base, plain_index(index), self.element_type, location)

    def row(self, index: nodes.Expression, location: Location) -> Container:
        """Give a row."""
        name = f"{self.name}[]"
        return Container(self.kind.row(), self.element(index, location), self.extents[1:], name)

    def places(self, lengths: list[int], location: Location) -> list[nodes.Subscript]:
        """List the elements of a container of known extents in row-major order."""
        indices = [nodes.Integer(k, UNSIGNED_LONG, location) for k in range(lengths[0])]
        if self.kind.rank == 1:
            return [self.element(index, location) for index in indices]
        return [place for index in indices for place in self.row(index, location).places(lengths[1:], location)]

    def begin(self, location: Location) -> nodes.Expression:
        """Give the address of the first element."""
        first = self.element(nodes.Integer(0, UNSIGNED_LONG, location), location)
        return nodes.Unary("&", first, pointer_to(first.ctype), location)


@dataclass(slots=True, eq=False)
class Record:
    """An object of a class: its members by name, made when they are first used where it is a parameter."""

    name: str
    ctype: Any
    fields: dict[str, Binding] = field(default_factory=dict)
    is_parameter: bool = False
    by_value: bool = False
    owner: int = 0


@dataclass(slots=True, eq=False)
class Lambda:
    """A lambda expression; its cursor holds parameters and body."""

    cursor: Any


Object: TypeAlias = Container | Record | Lambda
Binding: TypeAlias = Container | Record | Lambda | nodes.Expression


def plain_index(index: nodes.Expression) -> nodes.Expression:
    """Take conversions to size_t off a subscript, in sums too: a negative one has no meaning either way.

    Sums modulo the range of size_t, as ``y + dy`` with ``dy`` of -1, and exact ones agree on subscripts of elements.
    """
    while isinstance(index, nodes.Cast) and not index.explicit and index.ctype == UNSIGNED_LONG:
        index = index.operand
    if isinstance(index, nodes.Binary) and index.ctype == UNSIGNED_LONG and index.operator in _SUMS:
        left, right = (_signed(plain_index(side)) for side in (index.left, index.right))
        return nodes.Binary(index.operator, left, right, LONG, index.location)
    return index


def _signed(index: nodes.Expression) -> nodes.Expression:
    return index if index.ctype == LONG else nodes.Cast(index, LONG, index.location, explicit=False)


def extent_node(extent: Extent, location: Location) -> nodes.Expression:
    """Give a known extent as an expression."""
    assert extent is not None
    if isinstance(extent, int):
        return nodes.Integer(extent, UNSIGNED_LONG, location)
    return nodes.Name(extent, UNSIGNED_LONG, location)


def sequence(parts: list[nodes.Expression], last: nodes.Expression) -> nodes.Expression:
    """Evaluate expressions one after the other; the last gives the value."""
    for part in reversed(parts):
        last = nodes.Binary(",", part, last, last.ctype, last.location)
    return last
