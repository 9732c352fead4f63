"""Matchers over the operations of a module: structural, operation and access matchers, which bind what they match.

    product = Op("arith.mulf", load("A", "i", "k"), load("B", "k", "j"))
    update = store(Op("arith.addf", load("C", "i", "j"), product), "C", "i", "j")
    for found in For(For(For(update))).found_in(module):
        found.values["A"], found.indices["k"], found.ops

Names stand for whatever value they meet first, and for the same one afterwards.  Subscripts are texts as in TDL:
``"s * i + k"`` has the factor ``s``.  Operands of commutative operations match in any order.  An operand may be an
operation in its turn: the one that makes the value, or that wrote the memory last before, in the same block.  So
matchers over Linalg on memrefs look through chains: ``Op("linalg.matmul", Op("linalg.matmul"), "A3", "C")``.

`Structured` matches any operation of Linalg by its accesses, whatever its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation

from tensorlift.ir.structured import space_of
from tensorlift.ir.subscripts import STRUCTURED
from tensorlift.poly.polynomial import Polynomial
from tensorlift.raising.dimensions import Positions, polynomial_of
from tensorlift.raising.passes import LOOPS
from tensorlift.synthesis.tactics.matchers import access

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from tensorlift.synthesis.tactics.syntax import Cell, Subscript

__all__ = ["For", "Found", "If", "Op", "Structured", "access", "load", "store"]

_COMMUTATIVE = frozenset(
    f"arith.{name}" for name in ("addf", "mulf", "addi", "muli", "maximumf", "minimumf", "maxnumf")
)
_LOADS = ("affine.load", "memref.load")
_STORES = ("affine.store", "memref.store")
_IFS = ("affine.if", "scf.if")


@dataclass(frozen=True)
class Found:
    """What names stand for: values, the variables of subscripts (dimensions of Linalg by number), factors; operations.

    ``ops`` are those that matched, the outermost first.
    """

    values: Mapping[str, SSAValue] = field(default_factory=dict)
    indices: Mapping[str, SSAValue | int] = field(default_factory=dict)
    factors: Mapping[str, int] = field(default_factory=dict)
    ops: tuple[Operation, ...] = ()

    def with_value(self, name: str, value: SSAValue) -> Found | None:
        """Bind a name, None where it stands for another value."""
        if self.values.get(name, value) is not value:
            return None
        return replace(self, values={**self.values, name: value})

    def with_index(self, name: str, value: SSAValue | int) -> Found | None:
        """Bind an index, None where it stands for another one, or another one for the same."""
        known = self.indices.get(name)
        if known is None:
            taken = any(one is value or (isinstance(value, int) and one == value) for one in self.indices.values())
            return None if taken else replace(self, indices={**self.indices, name: value})
        return self if known is value or (isinstance(value, int) and known == value) else None

    def with_factor(self, name: str, value: int) -> Found | None:
        """Bind a factor, None where it stands for another number."""
        if self.factors.get(name, value) != value:
            return None
        return replace(self, factors={**self.factors, name: value})


class Matcher:
    """Matches operations."""

    def matches(self, op: Operation, found: Found | None = None) -> Iterator[Found]:
        """Yield the ways in which an operation matches."""
        raise NotImplementedError

    def found_in(self, root: ModuleOp | Operation) -> Iterator[Found]:
        """Yield the ways in which operations inside of one match, in the order of the text."""
        for op in root.walk():
            yield from self.matches(op)


Asked = Callable[[Operation], bool]


@dataclass(frozen=True)
class For(Matcher):
    """A loop, with one that its body matches: another loop, an operation, or what a function says of the loop."""

    body: Matcher | Asked | None = None
    names: tuple[str, ...] = LOOPS

    def matches(self, op: Operation, found: Found | None = None) -> Iterator[Found]:
        """Yield the ways in which a loop matches."""
        if op.name not in self.names:
            return
        start = found or Found()
        here = replace(start, ops=(*start.ops, op))
        if self.body is None or (not isinstance(self.body, Matcher) and self.body(op)):
            yield here
        elif isinstance(self.body, Matcher):
            for inner in (one for region in op.regions for block in region.blocks for one in block.ops):
                yield from self.body.matches(inner, here)


def If(body: Matcher | Asked | None = None) -> For:  # noqa: N802 - named like the loops' matcher
    """Return the matcher of a condition, with what its branches hold."""
    return For(body, _IFS)


Pattern = Matcher | str | None  # of an operand: an operation, a name, or anything


@dataclass(frozen=True)
class Op(Matcher):
    """An operation of some name, with operands; without any, whatever these are."""

    name: str | tuple[str, ...]
    operands: tuple[Pattern, ...] = ()
    cell: Cell | None = None

    def __init__(self, name: str | tuple[str, ...], *operands: Pattern, cell: Cell | None = None) -> None:
        """Take a name, or several, and operands in their order; ``cell`` is what a load or store accesses."""
        for attribute, value in (("name", name), ("operands", operands), ("cell", cell)):
            object.__setattr__(self, attribute, value)

    def matches(self, op: Operation, found: Found | None = None) -> Iterator[Found]:
        """Yield the ways in which an operation matches."""
        if op.name not in ((self.name,) if isinstance(self.name, str) else self.name):
            return
        start = found or Found()
        states = [replace(start, ops=(*start.ops, op))]
        if self.cell is not None:
            states = [state for one in states for state in _accessed(op, self.cell, one)]
        for order in self._orders(op):
            yield from _all_operands(self.operands, order, op, states)

    def _orders(self, op: Operation) -> list[Sequence[SSAValue]]:
        if not self.operands:
            return [()]
        given = op.operands[: len(self.operands)] if self.cell is not None else op.operands
        if len(given) != len(self.operands):
            return []
        return [given, given[::-1]] if op.name in _COMMUTATIVE and given[0] is not given[-1] else [given]


def load(array: str, *subscripts: str) -> Op:
    """Return the matcher of a load from an array at subscripts."""
    return Op(_LOADS, cell=access(array, *subscripts))


def store(value: Pattern, array: str, *subscripts: str) -> Op:
    """Return the matcher of a store of a value to an array at subscripts."""
    return Op(_STORES, value, cell=access(array, *subscripts))


@dataclass(frozen=True)
class Structured(Matcher):
    """An operation of Linalg by what it accesses, its outputs last; ``body`` is asked about the operation."""

    cells: tuple[Cell, ...]
    body: Asked | None = None

    def __init__(self, *cells: Cell, body: Asked | None = None) -> None:
        """Take the accesses in the order of the operands."""
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "body", body)

    def matches(self, op: Operation, found: Found | None = None) -> Iterator[Found]:
        """Yield the ways in which an operation matches."""
        if op.name not in STRUCTURED or len(op.operands) != len(self.cells):
            return
        start = found or Found()
        states = [replace(start, ops=(*start.ops, op))]
        for cell, value, accessed in zip(self.cells, op.operands, space_of(op).maps, strict=True):
            bound = [state.with_value(cell.array, value) for state in states]
            dimensions = [Polynomial.variable(f"d{k}") for k in range(accessed.num_dims)]
            subscripts = [polynomial_of(result, dimensions, ()) for result in accessed.results]
            numbers = {f"d{k}": k for k in range(accessed.num_dims)}
            states = [s for one in bound if one is not None for s in _subscripts(cell, subscripts, numbers, one)]
        if self.body is None or self.body(op):
            yield from states


# -- operands


def _all_operands(
    wanted: Sequence[Pattern], given: Sequence[SSAValue], reader: Operation, states: list[Found]
) -> list[Found]:
    for pattern, value in zip(wanted, given, strict=True):
        states = [after for state in states for after in _operand(pattern, value, reader, state)]
    return states


def _operand(pattern: Pattern, value: SSAValue, reader: Operation, found: Found) -> Iterator[Found]:
    if pattern is None:
        yield found
    elif isinstance(pattern, str):
        bound = found.with_value(pattern, value)
        if bound is not None:
            yield bound
    else:
        maker = _last_writer(value, reader) if isinstance(value.type, MemRefType) else value.owner
        if maker is not None and not isinstance(maker, Block):
            yield from pattern.matches(maker, found)


def _last_writer(value: SSAValue, reader: Operation) -> Operation | None:
    """Return the operation of Linalg that wrote a memref last before another one, in the same block."""
    users = {use.operation for use in value.uses}
    at = reader.prev_op
    while at is not None:
        if at in users and at.name in STRUCTURED and at.operands[-1] is value:
            return at
        at = at.prev_op
    return None


# -- accesses


def _accessed(op: Operation, cell: Cell, found: Found) -> Iterator[Found]:
    """Match the array and the subscripts of a load or store."""
    bound = found.with_value(cell.array, op.operands[op.name in _STORES])
    if bound is not None:
        positions = Positions()
        yield from _subscripts(cell, positions.subscripts(op), positions.values, bound)


def _subscripts(
    cell: Cell, given: Sequence[Polynomial | None], values: Mapping[str, SSAValue | int], found: Found
) -> list[Found]:
    if len(cell.subscripts) != len(given):
        return []
    states = [found]
    for wanted, subscript in zip(cell.subscripts, given, strict=True):
        states = [after for state in states for after in _subscript(wanted, subscript, values, state)]
    return states


def _subscript(
    wanted: Subscript, given: Polynomial | None, values: Mapping[str, SSAValue | int], found: Found
) -> Iterator[Found]:
    """Match ``s * i + k + 1``, term by term in any order."""
    affine = None if given is None else given.as_affine()
    if affine is None or affine.constant != wanted.constant or len(affine.terms) != len(wanted.terms):
        return
    for order in permutations(affine.terms):
        state: Found | None = found
        for (factor, index), (name, number) in zip(wanted.terms, order, strict=True):
            if isinstance(factor, str):
                state = None if state is None else state.with_factor(factor, number)
            elif factor != number:
                state = None
            state = None if state is None else state.with_index(index, values[name])
        if state is not None:
            yield state
