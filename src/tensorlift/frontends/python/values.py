"""What names and expressions of a Python function stand for while it is translated.

An ``ArrayVariable`` is memory with its extents.  A ``View`` selects a part of one by integers and slices, as NumPy's
basic indexing does.  An ``ArrayValue`` is an array that no memory holds yet: its extents, and the scalar at given
indices.  A ``Sizes`` is a tuple of numbers, such as a shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.scalars import Scalar, binary
from tensorlift.ops.c_types import LONG, ArrayType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.python.scalars import Number


def array_type(element: Number, rank: int) -> ArrayType:
    """Give the type of an array with extents that only its declaration holds."""
    ctype: Number | ArrayType = element
    spelling = element.spelling
    for _ in range(rank):
        spelling += "[]"
        ctype = ArrayType(spelling, ctype, None, variable=True)
    assert isinstance(ctype, ArrayType)
    return ctype


@dataclass(slots=True, eq=False)
class ArrayVariable:
    """An array in memory; ``is_list`` where it is a nested list, whose rows are objects of their own.

    ``is_weak`` where its elements are Python's own numbers, ``is_mixed`` where some may be truth values, ``is_loose``
    where some of its floats may be integers of Python.
    """

    name: str
    variable: nodes.Variable
    element: Number
    extents: tuple[nodes.Expression, ...]
    is_list: bool = False
    is_weak: bool = False
    is_mixed: bool = False
    is_loose: bool = False
    written: bool = False
    key: str = ""  # a list that the function makes: under which its type is known

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.extents)

    def at(self, indices: Sequence[nodes.Expression], location: Location) -> Scalar:
        """Give one element."""
        node: nodes.Expression = nodes.name_of(self.variable, location)
        for index in indices:
            assert isinstance(node.ctype, ArrayType)
            node = nodes.Subscript(node, index, node.ctype.element, location)
        return Scalar(node, self.element, weak=self.is_weak, mixed=self.is_mixed, loose=self.is_loose)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A dimension at which a view stands at one index."""

    index: nodes.Expression


@dataclass(frozen=True, slots=True)
class Along:
    """A dimension along which a view runs: ``start + step * position`` for ``extent`` positions."""

    start: nodes.Expression
    extent: nodes.Expression
    step: int = 1

    def at(self, position: nodes.Expression, location: Location) -> nodes.Expression:
        """Give the index of a position."""
        index = Scalar(position, LONG)
        if self.step != 1:
            index = binary("*", index, Scalar(nodes.Integer(self.step, LONG, location), LONG), location)
        if isinstance(self.start, nodes.Integer) and self.start.value == 0:
            return index.node
        return binary("+", index, Scalar(self.start, LONG), location).node


@dataclass(frozen=True, slots=True)
class View:
    """A part of an array; one entry for each dimension of the array, ``axes`` orders those that run."""

    array: ArrayVariable
    dimensions: tuple[Fixed | Along, ...]
    axes: tuple[int, ...]

    @property
    def extents(self) -> tuple[nodes.Expression, ...]:
        """The extents of the dimensions along which it runs."""
        return tuple(self.along(axis).extent for axis in self.axes)

    def along(self, axis: int) -> Along:
        """Give a dimension of the array along which the view runs."""
        dimension = self.dimensions[axis]
        assert isinstance(dimension, Along)
        return dimension

    def at(self, indices: Sequence[nodes.Expression], location: Location) -> Scalar:
        """Give the element at a position in the view."""
        position = dict(zip(self.axes, indices, strict=True))
        places = [
            dimension.index if isinstance(dimension, Fixed) else dimension.at(position[axis], location)
            for axis, dimension in enumerate(self.dimensions)
        ]
        return self.array.at(places, location)


def whole(array: ArrayVariable, location: Location) -> View:
    """Give the view of all of an array."""
    zero = nodes.Integer(0, LONG, location)
    return View(array, tuple(Along(zero, extent) for extent in array.extents), tuple(range(array.rank)))


@dataclass(frozen=True, slots=True)
class ArrayValue:
    """An array as a rule: its extents, the scalar at given indices, and the arrays that it reads.

    One that shows an array is a view of it, and may be read but not named.
    """

    extents: tuple[nodes.Expression, ...]
    at: Callable[[Sequence[nodes.Expression], Location], Scalar]
    element: Number
    reads: frozenset[nodes.Variable] = field(default_factory=frozenset)
    fresh: ArrayVariable | None = None
    is_list: bool = False
    is_weak: bool = False
    shows: str = ""  # the array that Python would let one write through it


@dataclass(frozen=True, slots=True)
class Sizes:
    """A tuple of numbers, such as a shape."""

    items: tuple[Scalar, ...]


Operand: TypeAlias = Scalar | View | ArrayValue | Sizes
Nodes: TypeAlias = "Sequence[nodes.Expression]"  # extents or indices


def value_of_view(view: View) -> ArrayValue:
    """Read a view as a value."""
    return replace(value_of(view.array), extents=view.extents, at=view.at, fresh=None)


def value_of(array: ArrayVariable) -> ArrayValue:
    """Read all of a new array as a value."""
    reads = frozenset({array.variable})
    return ArrayValue(array.extents, array.at, array.element, reads, array, array.is_list, array.is_weak)
