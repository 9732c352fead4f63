"""Bodies of Linalg's operations: a term as operations on numbers, with what it reads as operands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.terms import Apply, Constant, Index, Read, Scalar, Term
from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import is_float, width
from tensorlift.targets.linalg.writer import (
    COMPARISONS,
    Value,
    comparison,
    conversion,
    element_type,
    map_text,
    number,
    operation,
    stem_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.ops.dtypes import DType
    from tensorlift.raising.memrefs import MemRef
    from tensorlift.targets.linalg.writer import Writer


@dataclass(frozen=True, slots=True)
class Loop:
    """A dimension of an iteration space: the variable that it stands for, from ``first`` on."""

    variable: str
    first: Affine
    extent: Affine


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of an array, and its subscripts over the dimensions."""

    memref: MemRef
    subscripts: tuple[Affine, ...]


def operand(memref: MemRef, indices: Sequence[Affine], loops: Sequence[Loop], writer: Writer) -> Operand:
    """See an array at affine indices as one of its parts at subscripts over the dimensions alone.

    The part has no dimension where the index does not move.

    Raises:
        LiftError: TL594, where an index runs backwards.

    """
    first = {loop.variable: loop.first for loop in loops}
    extents = {loop.variable: loop.extent for loop in loops}
    offsets, shape, subscripts = [], [], []
    kept = []
    for index in indices:
        moving = {v: c for v, c in index.terms if v in first}
        if any(c < 0 for c in moving.values()):
            raise unraisable("a subscript runs backwards")
        offsets.append(index.substitute(first))
        kept.append(bool(moving))
        if moving:
            subscripts.append(Affine(0, moving))
        shape.append(sum((extents[v] * c - c for v, c in moving.items()), Affine(1)))
    return Operand(memref.part(offsets, shape, kept, writer), tuple(subscripts))


def unraisable(message: str) -> LiftError:
    """Build the refusal of what stays as it is."""
    return refuse("TL594", message, remedy="keep the loops, or write them over plain ranges with rising subscripts")


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
            return self.writer.constant(
                number(term.value, term.dtype), element_type(term.dtype), stem_of(term.value, term.dtype)
            )
        if isinstance(term, Scalar):
            return self.writer.symbols[term.name]
        if isinstance(term, Read):
            return self.out if term is self.own else self.inputs[self._operand(term)]
        if isinstance(term, Index):
            return self._index(term)
        if isinstance(term, Apply):
            return self.applied(term.op, [self.value(arg) for arg in term.args], term)
        raise unraisable("a value has cases or folds inside of other functions")

    def applied(self, op: str, values: Sequence[Value], term: Term) -> Value:
        """Apply a scalar function; ``term`` has the types of the result and of the operands."""
        types = [arg.dtype for arg in term.children] or [term.dtype]
        spelled = ", ".join(value.name for value in values)
        made = element_type(term.dtype)
        if op == "cast":
            return self._cast(values[0], types[0], term.dtype)
        if op == "select":
            return self.writer.define(f"arith.select {spelled} : {made}", made)
        if op in COMPARISONS:
            return self.writer.define(f"{comparison(op, types[0])} {spelled} : {values[0].type}", made)
        if op == "not":
            spelled = f"{spelled}, {self.writer.constant('true', 'i1', 'true').name}"
            return self.writer.define(f"arith.xori {spelled} : i1", made)
        if op == "neg" and not is_float(term.dtype):
            zero = self.writer.constant("0", made, f"c0_{made}")
            return self.writer.define(f"arith.subi {zero.name}, {spelled} : {made}", made)
        if any(dtype.startswith("u") for dtype in (*types, term.dtype)):
            raise unraisable("a value is an unsigned integer")
        if len(set(types)) > 1:
            raise unraisable(f"the operands of `{op}` are of several types")
        return self.writer.define(f"{operation(op, types[0])} {spelled} : {made}", made)

    def _cast(self, value: Value, source: DType, dtype: DType) -> Value:
        if source == dtype or (width(source) == width(dtype) and is_float(source) == is_float(dtype)):
            return value
        if dtype == "bool" or source.startswith("u") or dtype.startswith("u"):
            raise unraisable(f"a value of type {source} becomes one of type {dtype}")
        made = element_type(dtype)
        return self.writer.define(f"{conversion(source, dtype)} {value.name} : {value.type} to {made}", made)

    def _index(self, term: Index) -> Value:
        """Return the value of an affine expression of dimensions and sizes."""
        first = {loop.variable: loop.first + Affine.var(loop.variable) for loop in self.loops}
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
                symbols = ", ".join(self.writer.symbols[v].name for v in outer)
                operands = f"({', '.join(d.name for d in dims)})" + (f"[{symbols}]" if outer else "")
                at = self.writer.define(f"affine.apply {map_text(inner, (index,), outer)}{operands}", "index")
        whole = term.dtype if not is_float(term.dtype) else "i64"
        made = element_type(whole)
        value = self.writer.define(f"arith.index_cast {at.name} : index to {made}", made)
        return self._cast(value, whole, term.dtype)


def reads_in_order(found: Sequence[Term]) -> Iterator[Read]:
    """Yield what terms read, each once, in the order in which it is spelled."""
    stack, seen = list(reversed(found)), set[Term]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Read):
            yield node
        stack += reversed(node.children)


def spelled_map(loops: Sequence[Loop], subscripts: Sequence[Affine]) -> str:
    """Spell an indexing map."""
    return map_text([loop.variable for loop in loops], tuple(subscripts))
