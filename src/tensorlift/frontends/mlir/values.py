"""What an SSA value of the source is while its function is translated: a number, an index, or a memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.poly.affine import ZERO, Affine

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.diagnostics import Location


@dataclass(frozen=True, slots=True)
class Need:
    """What must hold for machine arithmetic to be exact: ``index`` fits the signed integers of ``width`` bits."""

    index: Affine
    width: int
    location: Location | None
    only_nonnegative: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or an index.

    ``value`` is what the emitted program holds; an index gets it when it is first used as a number.  ``index`` is its
    exact form, where it has one, under ``needs``; ``extremum`` lists the forms of which it is the least (``min``) or
    greatest.  ``why`` says what an index without a form depends on.
    """

    value: SSAValue | None = None
    index: Affine | None = None
    needs: tuple[Need, ...] = ()
    extremum: tuple[str, tuple[Affine, ...]] | None = None
    why: tuple[str, str] = ("data", "data")  # the row of the refusal and its detail


@dataclass(slots=True)
class Access:
    """A load or store of the emitted program, whose map is set once the shapes are known."""

    op: Operation
    indices: tuple[Affine, ...]


@dataclass(slots=True)
class Memory:
    """An array of the emitted program; an extent is None until it is inferred."""

    name: str
    element: Attribute
    extents: list[Affine | None]
    value: SSAValue
    location: Location | None
    marks: dict[str, Attribute] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class View:
    """A memref of the source: a whole memory, or every ``steps``-th element of it from ``offsets`` on.

    ``axes`` are the dimensions of the memory along which those of the view run; along others it is one element wide.
    """

    memory: Memory
    offsets: tuple[Affine, ...]
    steps: tuple[int, ...]
    extents: tuple[Affine | None, ...]  # those of the view, None where they are those of the memory
    axes: tuple[int, ...]

    @staticmethod
    def whole(memory: Memory) -> View:
        """See all of a memory."""
        rank = len(memory.extents)
        return View(memory, (ZERO,) * rank, (1,) * rank, (None,) * rank, tuple(range(rank)))

    def at(self, indices: tuple[Affine, ...]) -> tuple[Affine, ...]:
        """Give the place in the memory of an element of the view."""
        places = list(self.offsets)
        for axis, index in zip(self.axes, indices, strict=True):
            places[axis] += index * self.steps[axis]
        return tuple(places)

    def extent(self, axis: int) -> Affine | None:
        """Give the extent along a dimension of the memory, None where it is not known here."""
        return self.extents[self.axes.index(axis)] if axis in self.axes else Affine(1)


@dataclass(slots=True)
class Loop:
    """A loop of the emitted program, whose bounds are set once the sizes are known."""

    op: Operation
    variable: str  # its atom
    lowers: tuple[Affine, ...]
    uppers: tuple[Affine, ...]
    step: int


Known = Scalar | View
