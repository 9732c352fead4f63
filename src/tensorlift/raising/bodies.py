"""Bodies of Linalg's operations: a term as operations on numbers, with what it reads as operands.

Arrays of a nest as memrefs: their types, and views of parts of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntAttr, NoneAttr, StridedLayoutAttr

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Read, Scalar, Term
from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import is_float, width
from tensorlift.poly.affine import Affine
from tensorlift.targets.linalg.rows_structured import is_neutral
from tensorlift.targets.linalg.writer import Value, element_type, map_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xdsl.dialects.builtin import MemRefType

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.diagnostics import LiftError
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.linalg.writer import Writer


Known = tuple[int | None, ...]  # numbers that a type states, None where it leaves them open


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a part of an array: where it starts, how long it is, whether it goes back, and is a dimension."""

    offset: Affine
    extent: Affine
    step: int = 1
    kept: bool = True


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

    def part(self, box: Sequence[Side], writer: Writer) -> MemRef:
        """Return a part, with those of its sides as dimensions that are kept; the others have extent 1.

        It is the memref itself where that is all of it.
        """
        extents = tuple(side.extent for side in box)
        if all(side.kept and side.offset == 0 and side.step == 1 for side in box) and extents == self.extents:
            return self
        found = self._part_type(box)
        offsets = (side.offset for side in box)
        listed = " ".join(f"[{', '.join(map(writer.attribute, given))}]" for given in (offsets, extents))
        steps = ", ".join(str(side.step) for side in box)
        text = f"memref.subview {self.name}{listed} [{steps}] : {self.type} to {found.type}"
        value = writer.once(("part", self.name, *box), text, found.type)
        return replace(found, name=value.name)

    def _part_type(self, box: Sequence[Side]) -> MemRef:
        axes = [axis for axis, side in enumerate(box) if side.kept]
        lengths = tuple(box[axis].extent for axis in axes)
        shape = tuple(extent.constant if extent.is_constant else None for extent in lengths)
        offset = self.offset
        for side, stride in zip(box, self.strides, strict=True):
            start = side.offset
            if start == 0:
                continue
            if offset is None or stride is None or not start.is_constant:
                offset = None
            else:
                offset += start.constant * stride
        strides = [(self.strides[axis], box[axis].step) for axis in axes]
        moved = tuple(None if stride is None else stride * step for stride, step in strides)
        return MemRef("", self.dtype, shape, moved, offset, lengths, has_layout=True)


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


@dataclass(frozen=True, slots=True)
class Loop:
    """A dimension of an iteration space: the variable that it stands for, from ``first`` on, up or down."""

    variable: str
    first: Affine
    extent: Affine
    step: int = 1

    @property
    def reversed(self) -> Loop:
        """The same values from the last to the first."""
        return Loop(self.variable, self.first + (self.extent - 1) * self.step, self.extent, -self.step)


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of an array, and its subscripts over the dimensions."""

    memref: MemRef
    subscripts: tuple[Affine, ...]


def operand(memref: MemRef, indices: Sequence[Affine], loops: Sequence[Loop], writer: Writer) -> Operand:
    """See an array at affine indices as one of its parts at subscripts over the dimensions alone.

    The part has no dimension where the index does not move.

    Raises:
        LiftError: TL594, where an index rises with one dimension and falls with another.

    """
    first = {loop.variable: loop.first for loop in loops}
    along = {loop.variable: loop for loop in loops}
    box, subscripts = list[Side](), list[Affine]()
    for index in indices:
        moving = {v: c * along[v].step for v, c in index.terms if v in along}
        step = -1 if moving and all(c < 0 for c in moving.values()) else 1
        rising = {v: c * step for v, c in moving.items()}
        if any(c < 0 for c in rising.values()):
            raise unraisable("a subscript rises with one loop and falls with another")
        if rising:
            subscripts.append(Affine(0, rising))
        extent = sum((along[v].extent * c - c for v, c in rising.items()), Affine(1))
        box.append(Side(index.substitute(first), extent, step, kept=bool(rising)))
    return Operand(memref.part(box, writer), tuple(subscripts))


def directed(loops: Sequence[Loop], accesses: Sequence[Sequence[Affine]]) -> list[Loop]:
    """Let loops run back where a subscript rises with one and falls with another, as far as that helps."""
    signs: dict[str, int] = {}
    moving = {loop.variable for loop in loops}
    for index in (index for access in accesses for index in access):
        terms_ = [(v, 1 if c > 0 else -1) for v, c in index.terms if v in moving]
        turned = next((signs[v] * c for v, c in terms_ if v in signs), 1)
        for v, c in terms_ if len(terms_) > 1 else ():
            signs.setdefault(v, turned * c)
    return [loop.reversed if signs.get(loop.variable) == -1 else loop for loop in loops]


_INFINITE: tuple[tuple[Reducer, str], ...] = (("max", "-inf"), ("min", "inf"))  # where extremes of floats start
_PLAIN = "keep the loops, or write them over plain ranges with rising subscripts"


def unraisable(message: str, remedy: str = _PLAIN) -> LiftError:
    """Build the refusal of what stays as it is."""
    return refuse("TL594", message, remedy=remedy)


@dataclass
class Body:
    """Operations on the numbers of one point; ``inputs`` are the operands that are read, in order."""

    writer: Writer
    loops: Sequence[Loop]
    place: Callable[[Read], MemRef]
    own: Read | None = None
    inputs: dict[Operand, Value] = field(default_factory=dict)
    out: Value = field(default_factory=lambda: Value("", ""))

    def bind(self, dtype: DType, reads: Sequence[Term]) -> None:
        """Name the arguments of the body: what terms read, and the cell that is written."""
        for node in reads_in_order(reads):
            if node is not self.own:
                found = self._operand(node)
                if found not in self.inputs:
                    self.inputs[found] = Value(self.writer.fresh("in"), element_type(node.dtype))
        self.out = Value(self.writer.fresh("out"), element_type(dtype))

    def _operand(self, read: Read) -> Operand:
        return operand(self.place(read), read.indices, self.loops, self.writer)

    def value(self, term: Term) -> Value:
        """Return the value of a term.

        Raises:
            LiftError: TL594 or TL305, where the dialects do not compute it.

        """
        if isinstance(term, Constant):
            return self.writer.number(term.value, term.dtype)
        if isinstance(term, Scalar):
            found, of_type = self.writer.symbols[term.name], element_type(term.dtype)
            text = f"arith.index_cast {found.name} : index to {of_type}"
            return self.writer.define(text, of_type) if found.type == "index" else found
        if isinstance(term, Read):
            return self.out if term is self.own else self.inputs[self._operand(term)]
        if isinstance(term, Index):
            return self._index(term)
        if isinstance(term, Apply):
            for op, infinite in _INFINITE:
                if is_float(term.dtype) and is_neutral(term, op):
                    return self.writer.number(infinite, term.dtype)
            return self.applied(term.op, [self.value(arg) for arg in term.args], term)
        raise unraisable("a value has cases or folds inside of other functions")

    def applied(self, op: str, values: Sequence[Value], term: Term) -> Value:
        """Apply a scalar function; ``term`` has the types of the result and of the operands."""
        types = [arg.dtype for arg in term.children] or [term.dtype]
        if op == "cast":
            return self._cast(values[0], types[0], term.dtype)
        operands = types[op == "select" :]
        if any(dtype.startswith("u") for dtype in (*types, term.dtype)):
            raise unraisable("a value is an unsigned integer", "keep the loops, or compute with signed integers")
        if len(set(operands)) > 1:
            raise unraisable(f"the operands of `{op}` are of several types")
        return self.writer.applied(op, values, operands[0], self.writer.define)

    def _cast(self, value: Value, source: DType, dtype: DType) -> Value:
        if width(source) == width(dtype) and is_float(source) == is_float(dtype):
            return value
        return self.writer.converted(value, source, dtype, self.writer.define)

    def _index(self, term: Index) -> Value:
        """Return the value of an affine expression of dimensions and sizes."""
        first = {loop.variable: loop.first + Affine.var(loop.variable, loop.step) for loop in self.loops}
        index = term.affine.substitute(first)
        inner = [loop.variable for loop in self.loops if loop.variable in index.variables]
        outer = [v for v in index.variables if v not in inner]
        if not inner:
            at = self.writer.size(index)
        else:
            names = [loop.variable for loop in self.loops]
            dims = [self.writer.define(f"linalg.index {names.index(v)} : index", "index") for v in inner]
            at = dims[0]
            if index.variable is None:
                symbols = f"[{self.writer.named(outer)}]" if outer else ""
                operands = f"({', '.join(d.name for d in dims)}){symbols}"
                at = self.writer.define(f"affine.apply {map_text(inner, (index,), outer)}{operands}", "index")
        whole = term.dtype if not is_float(term.dtype) else "i64"
        made = element_type(whole)
        value = self.writer.define(f"arith.index_cast {at.name} : index to {made}", made)
        return self._cast(value, whole, term.dtype)


def reads_in_order(found: Sequence[Term]) -> Iterator[Read]:
    """Yield what terms read, each once, in the order in which it is spelled."""
    nodes = dict.fromkeys(node for term in found for node in walk(term))
    return (node for node in nodes if isinstance(node, Read))


def spelled_map(loops: Sequence[Loop], subscripts: Sequence[Affine]) -> str:
    """Spell an indexing map."""
    return map_text([loop.variable for loop in loops], tuple(subscripts))
