"""Trials: typed instances of an operation, of which upstream's verifier takes some.

Operands are tensors of one rank, with open extents first, and where that has no meaning with extents that are numbers,
equal or one where an operand is broadcast; or the last ones are a constant of one cell.  Their element types are the
same, or the first one or the result has another.  Attributes are axes, or truth values.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.dialects.tablegen import TableOperation

OPEN = "?"
_RANKS = (1, 2, 3)
TYPES = ("f32", "f64")
_EXTENTS = ((3, 5, 7), (4, 6, 5))  # two sets of numbers: what holds at both holds for all
_BROADCAST = (1, 2)  # ranks in which one of two operands is broadcast
CONSTANTS: tuple[tuple[str, ...], ...] = (
    (),
    ("i8",),
    ("",),
    ("", ""),
)  # types of constants at the end, "" of the others

Extents = tuple[int | str, ...]


class Typing(NamedTuple):
    """The element types of the first operand, of the others, and of the result."""

    first: str
    others: str
    result: str


class Family(NamedTuple):
    """A typing to find out how an operation is used, and those with which it is then used in the same way."""

    typing: Typing
    alike: tuple[Typing, ...]
    constants: tuple[tuple[str, ...], ...] = ((),)


def _same(dtype: str) -> Typing:
    return Typing(dtype, dtype, dtype)


_NUMBERS = (_same("f64"), _same("i32"), Typing("i8", "i8", "i32"), Typing("i32", "i32", "f32"))
FAMILIES = (
    Family(_same("f32"), _NUMBERS, CONSTANTS),
    Family(_same("i32"), ()),
    Family(Typing("f32", "f32", "i1"), (Typing("f64", "f64", "i1"), Typing("i32", "i32", "i1"))),
    Family(Typing("i1", "f32", "f32"), (Typing("i1", "f64", "f64"), Typing("i1", "i32", "i32"))),
    Family(_same("i1"), ()),
)


@dataclass(frozen=True)
class Trial:
    """An operation on operands of given extents; ``constants`` are the element types of the constants at the end."""

    operation: TableOperation
    typing: Typing
    shapes: tuple[Extents, ...]
    result: Extents
    attributes: str
    constants: tuple[str, ...]

    def text(self, name: str) -> str:
        """Spell a function that writes the result of the operation to its last parameter."""
        dtypes = (self.typing.first, *(self.typing.others,) * len(self.shapes))
        kinds = [_type("tensor", shape, dtype) for shape, dtype in zip(self.shapes, dtypes, strict=False)]
        names = [f"%{operand}" for operand in self.operation.operands]
        out = _type("memref", self.result, self.typing.result)
        parameters = ", ".join([*(f"{n}: {k}" for n, k in zip(names, kinds, strict=False)), f"%result: {out}"])
        constants = [_type("tensor", (1,), dtype) for dtype in self.constants]
        lines = [f"func.func @{name}({parameters}) {{"]
        for operand, dtype, kind in zip(names[len(kinds) :], self.constants, constants, strict=True):
            lines.append(f"  {operand} = arith.constant dense<{'0' if dtype[0] == 'i' else '0.0'}> : {kind}")
        given = f" <{self.attributes}>" if self.attributes else ""
        value = _type("tensor", self.result, self.typing.result)
        takes = ", ".join([*kinds, *constants])
        lines.append(f'  %value = "{self.operation.name}"({", ".join(names)}){given} : ({takes}) -> {value}')
        return "\n".join([*lines, *_stored(self.result, value, out), "  return", "}", ""])


def trials(operation: TableOperation, typing: Typing, constants: tuple[str, ...], extents: int) -> Iterator[Trial]:
    """Yield what to try of an operation, with open extents or, from 1 on, with a set of numbers."""
    count = len(operation.operands) - len(constants)
    own = tuple(kind or typing.others for kind in constants)
    for rank in _RANKS if count > 0 else ():
        full: Extents = _EXTENTS[extents - 1][:rank] if extents else (OPEN,) * rank
        for attributes, axis in _attributes(operation, rank, typing.result):
            folded = (*full[:axis], 1, *full[axis + 1 :]) if axis is not None else full
            for result in dict.fromkeys((folded, full)):
                yield Trial(operation, typing, (full,) * count, result, attributes, own)
        if extents and count == 2 and not operation.attributes:  # noqa: PLR2004 - two operands
            yield from (Trial(operation, typing, shapes, full, "", own) for shapes in _broadcast(full))


def _broadcast(full: Extents) -> Iterator[tuple[Extents, Extents]]:
    """Yield the extents of two operands of which one has the extent one along some axes."""
    rank = len(full)
    for count in range(1, rank + 1) if rank in _BROADCAST else ():
        for axes in itertools.combinations(range(rank), count):
            thin = tuple(1 if axis in axes else extent for axis, extent in enumerate(full))
            yield full, thin
            yield thin, full


def _attributes(operation: TableOperation, rank: int, dtype: str) -> Iterator[tuple[str, int | None]]:
    """Yield values of the only attribute: each axis, which is said too, each order of the axes, the cells' type."""
    if not operation.attributes:
        yield "", None
        return
    ((name, kind),) = operation.attributes
    if kind == "axis":
        yield from ((f"{{{name} = {axis} : i32}}", axis) for axis in range(rank))
    elif kind == "type":
        yield f"{{{name} = {dtype}}}", None
    elif kind == "truth":
        yield from ((f"{{{name} = {value}}}", None) for value in ("false", "true"))
    else:
        for order in list(itertools.permutations(range(rank)))[1:]:
            yield f"{{{name} = array<{kind.rpartition(' ')[2]}: {', '.join(map(str, order))}>}}", None


def _stored(result: Extents, value: str, out: str) -> list[str]:
    """Spell loops that write a tensor to memory."""
    lines = []
    for axis, extent in enumerate(result):
        if extent == OPEN:
            lines.append(f"  %axis{axis} = arith.constant {axis} : index")
            lines.append(f"  %extent{axis} = tensor.dim %value, %axis{axis} : {value}")
    lines.append(f"  %buffer = bufferization.to_buffer %value read_only : {value} to {out}")
    ends = [f"%extent{axis}" if extent == OPEN else str(extent) for axis, extent in enumerate(result)]
    lines += [f"  affine.for %i{axis} = 0 to {end} {{" for axis, end in enumerate(ends)]
    place = ", ".join(f"%i{axis}" for axis in range(len(result)))
    lines.append(f"  %cell = memref.load %buffer[{place}] : {out}")
    lines.append(f"  memref.store %cell, %result[{place}] : {out}")
    return lines + ["  }"] * len(result)


def _type(kind: str, shape: Extents, dtype: str) -> str:
    return f"{kind}<{''.join(f'{extent}x' for extent in shape)}{dtype}>"
