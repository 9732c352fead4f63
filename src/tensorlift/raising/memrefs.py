"""Arrays of a nest as memrefs: their types, and views of parts of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntAttr, NoneAttr, StridedLayoutAttr

from tensorlift.targets.linalg.writer import element_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialects.builtin import MemRefType

    from tensorlift.comprehension.affine import Affine
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.linalg.writer import Writer

Known = tuple[int | None, ...]  # numbers that a type states, None where it leaves them open


@dataclass(frozen=True, slots=True)
class MemRef:
    """A value of memref type: its name, and what the type states.

    ``extents`` are what its extents are, where that is known of the memref itself and not of the accesses alone.
    """

    name: str
    dtype: DType
    shape: Known
    strides: Known
    offset: int | None
    extents: tuple[Affine | None, ...]

    has_layout: bool = False

    @property
    def type(self) -> str:
        """Spell the type."""
        extents = "".join(f"{_open(extent)}x" for extent in self.shape)
        plain = f"{extents}{element_type(self.dtype)}"
        if not self.has_layout:
            return f"memref<{plain}>"
        strides = ", ".join(map(_open, self.strides))
        offset = "" if self.offset == 0 else f", offset: {_open(self.offset)}"
        return f"memref<{plain}, strided<[{strides}]{offset}>>"

    def part(
        self, offsets: Sequence[Affine], extents: Sequence[Affine], kept: Sequence[bool], writer: Writer
    ) -> MemRef:
        """Return the part from ``offsets`` on of some extents, with the axes that are kept; the others have extent 1.

        It is the memref itself where that is all of it.
        """
        if all(kept) and all(o == 0 for o in offsets) and tuple(extents) == self.extents:
            return self
        key = ("part", self.name, tuple(offsets), tuple(extents))
        found = self._part_type(offsets, extents, kept)
        listed = [f"[{', '.join(map(writer.attribute, given))}]" for given in (offsets, extents)]
        steps = ", ".join("1" for _ in extents)
        text = f"memref.subview {self.name}{listed[0]} {listed[1]} [{steps}] : {self.type} to {found.type}"
        value = writer.once(key, text, found.type)
        return replace(found, name=value.name)

    def _part_type(self, offsets: Sequence[Affine], extents: Sequence[Affine], kept: Sequence[bool]) -> MemRef:
        axes = [axis for axis, is_kept in enumerate(kept) if is_kept]
        shape = tuple(extents[axis].constant if extents[axis].is_constant else None for axis in axes)
        offset = self.offset
        for start, stride in zip(offsets, self.strides, strict=True):
            if start == 0:
                continue
            if offset is None or stride is None or not start.is_constant:
                offset = None
            else:
                offset += start.constant * stride
        strides, lengths = tuple(self.strides[axis] for axis in axes), tuple(extents[axis] for axis in axes)
        return MemRef("", self.dtype, shape, strides, offset, lengths, has_layout=True)


def memref_of(name: str, of_type: MemRefType[Any], dtype: DType, extents: Sequence[Affine | None]) -> MemRef | None:
    """Return a value of some memref type; None where its layout is none by strides."""
    shape = tuple(None if extent == DYNAMIC_INDEX else extent for extent in of_type.get_shape())
    layout = of_type.layout
    if isinstance(layout, NoneAttr):
        return MemRef(name, dtype, shape, _dense(shape), 0, tuple(extents))
    if not isinstance(layout, StridedLayoutAttr):
        return None
    strides = tuple(s.data if isinstance(s, IntAttr) else None for s in layout.strides)
    offset = layout.offset.data if isinstance(layout.offset, IntAttr) else None
    return MemRef(name, dtype, shape, strides, offset, tuple(extents), has_layout=True)


def allocated(name: str, dtype: DType, extents: Sequence[Affine]) -> MemRef:
    """Return what an allocation of some extents gives."""
    shape = tuple(extent.constant if extent.is_constant else None for extent in extents)
    return MemRef(name, dtype, shape, _dense(shape), 0, tuple(extents))


def _dense(shape: Known) -> Known:
    """Return the strides of a dense row-major array, None where they depend on an open extent."""
    strides: list[int | None] = []
    number: int | None = 1
    for extent in reversed(shape):
        strides.append(number)
        number = None if number is None or extent is None else number * extent
    return tuple(strides[::-1])


def _open(number: int | None) -> str:
    return "?" if number is None else str(number)
