"""The text of an MLIR function: its lines, with what is known in each region.

Values without names are numbers, in the order of the text, once all lines stand.

Positions: those of extremes, where dialects have no operation for them, and of the cells that views show.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tensorlift.comprehension.positions import DTYPE
from tensorlift.ir.cut import Cut
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Copy,
    Elementwise,
    Expression,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Subscript,
    Transpose,
    Windows,
)
from tensorlift.ops.dtypes import cell_value, integer_range, is_float, shortest
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least
from tensorlift.targets.emitted import Emitted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Parameter, Shape, TensorProgram
    from tensorlift.ops.dtypes import DType

    Indices = tuple[Affine, ...]


Value = TypeVar("Value")
INDENT = "  "
_NUMBER = re.compile(r"%(\d+)(?![\w$.])")
_NAME = re.compile(r"%([\w$.]+)")
_RESULTS = re.compile(r"\s*(?:%[^=(]* =|\^bb0\(.*)")


class Typed(Protocol):
    """A value by its name, with the sign before it, and its type."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def type(self) -> str:
        """The type as MLIR spells it."""


def names_and_types(values: Iterable[Typed]) -> tuple[str, str]:
    """Spell the names of values, and their types."""
    given = list(values)
    return ", ".join(value.name for value in given), ", ".join(value.type for value in given)


class Lines(Generic[Value]):
    """Lines under construction, with what values are known as in the regions around, and what holds there."""

    def __init__(self, context: Domain) -> None:
        self.lines: list[str] = []
        self._scopes: list[tuple[dict[object, Value], Domain]] = [({}, context)]

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append(INDENT * len(self._scopes) + text)

    def known(self, key: object) -> Value | None:
        """Return the value that is known here as something."""
        return next((known[key] for known, _ in reversed(self._scopes) if key in known), None)

    def remember(self, key: object, value: Value) -> Value:
        """Let a value be known in the region at hand."""
        self._scopes[-1][0][key] = value
        return value

    def is_known(self, value: Value) -> bool:
        """Tell whether a value is known here as something."""
        return any(value is one for known, _ in self._scopes for one in known.values())

    @contextmanager
    def inner(self, inside: Domain = UNIVERSE) -> Iterator[None]:
        """Add lines of a region, where the variables are inside a domain; what it defines is not known behind it."""
        self._scopes.append(({}, self._scopes[-1][1] & inside))
        yield
        self._scopes.pop()

    def holds(self, greater: Affine, lesser: Affine, *, anywhere: bool = False) -> bool:
        """Tell whether an expression is known not to be less than another one here, or ``anywhere``."""
        difference = greater - lesser
        if difference.is_constant:
            return difference.constant >= 0
        return self._scopes[0 if anywhere else -1][1].implies(at_least(difference, 0))


def function_emitted(  # noqa: PLR0913, PLR0917 - the parts of a function
    program: TensorProgram,
    parameters: Sequence[tuple[Parameter, str, str]],
    lines: Sequence[str],
    results: Sequence[str],
    cuts: Iterable[tuple[str, str]],
    names: Mapping[str, str],
) -> Emitted:
    """Return a function of parameters, each with its value and type, over lines that return values of ``results``.

    ``cuts`` are values, without the sign before them, with the definitions that they hold; some have ``names``.
    """
    listed = ", ".join(f"{name}: {kind}" for _, name, kind in parameters)
    gives = results[0] if len(results) == 1 else f"({', '.join(results)})"
    place = program.location
    comment = f"// Lifted from {place.file.rpartition('/')[2]}:{place.line}.\n" if place is not None else ""
    body = "\n".join([f"func.func @{program.name}({listed}) -> {gives} {{", *lines, "}"])
    text, known = numbered(f"{comment}{body}\n", names)
    placed = cuts_in(text, [(known.get(value, value), definition) for value, definition in cuts])
    return Emitted(text, program.name, placed, tuple(p for p, _, _ in parameters))


def cuts_in(text: str, named: Iterable[tuple[str, str]]) -> tuple[Cut, ...]:
    """Return the cuts of variables with the definitions that they hold, at the lines that define them, if any does."""
    defined = {name: k for k, line in enumerate(text.splitlines(), 1) for name in _defined(line)}
    return tuple(Cut(defined[name], name, definition) for name, definition in named if name in defined)


def table_text(table: ArrayInfo, element: str) -> str:
    """Spell the cells of a table of constants, and its type."""
    cells = [_cell(cell_value(text, table.dtype), table.dtype) for text in table.contents]
    for extent in reversed(table.shape):
        length = extent.constant
        cells = [f"[{', '.join(cells[k : k + length])}]" for k in range(0, len(cells), length)]
    extents = "".join(f"{extent}x" for extent in table.shape)
    return f"dense<{cells[0]}> : tensor<{extents}{element}>"


def _cell(value: float, dtype: DType) -> str:
    """Spell a finite number; MLIR wants a point before an exponent."""
    if not is_float(dtype):
        return str(value)
    digits, exponent, power = shortest(value, dtype).partition("e")
    return f"{digits}{'' if '.' in digits else '.0'}{exponent}{power}"


def numbered(text: str, names: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Give values their names, and the others new numbers; return also the names by the old numbers."""
    known, numbers = dict(names), count()
    for found in _NUMBER.finditer(text):
        if found[1] not in known:
            known[found[1]] = str(next(numbers))
    return _NUMBER.sub(lambda found: f"%{known[found[1]]}", text), known


def _defined(line: str) -> Iterator[str]:
    """Yield the names that a line defines: its results, and what a loop hands on."""
    head = _RESULTS.match(line)
    yield from _NAME.findall(head[0]) if head else ()
    yield from re.findall(r"%([\w$.]+) = %", line.partition("iter_args(")[2])


def mentions(lines: Iterable[str], name: str) -> bool:
    """Tell whether lines have a name in them."""
    pattern = re.compile(rf"{re.escape(name)}(?![\w$.])")
    return any(pattern.search(line) for line in lines)


def without_unused(lines: Sequence[str], names: Iterable[str]) -> list[str]:
    """Leave out definitions of values that no other line mentions, and of those that only these mention."""
    kept, waiting = list(lines), list(names)
    while waiting:
        name = waiting.pop()
        using = [line for line in kept if mentions([line], name)]
        if len(using) == 1 and using[0].lstrip().startswith(f"{name} ="):
            kept.remove(using[0])
            waiting += [f"%{operand}" for operand in _NAME.findall(using[0])]
    return kept


def without_position(node: Reduction) -> Reduction:
    """Return a reduction as one that folds, the first place of an extreme as the least index of those that have it."""
    if node.op not in ("argmax", "argmin"):
        return node
    argument, (axis,) = node.argument, node.axes
    kept = [Range(ZERO, extent) for extent in node.shape]
    op: Reducer = "max" if node.op == "argmax" else "min"
    best = Reduction(argument.dtype, node.shape, is_weak=False, argument=argument, op=op, axes=node.axes)
    aligned = _subscript(best, [*kept[:axis], NewAxis(), *kept[axis:]], (*node.shape[:axis], ONE, *node.shape[axis:]))
    extent = argument.shape[axis]
    places: Expression = Iota(DTYPE, (extent,), is_weak=False, start=ZERO)
    behind = argument.rank - axis - 1
    if behind:
        places = _subscript(places, [Range(ZERO, extent), *[NewAxis()] * behind], (extent, *[ONE] * behind))
    nothing = Literal(DTYPE, (), is_weak=True, value=Fraction(integer_range(DTYPE)[1]))
    is_best = _cellwise("eq", "bool", argument, aligned)
    chosen = _cellwise("select", DTYPE, is_best, places, nothing)
    return Reduction(DTYPE, node.shape, is_weak=False, argument=chosen, op="min", axes=node.axes)


def _cellwise(op: str, dtype: DType, first: Expression, *others: Expression) -> Expression:
    """Apply a scalar function to operands that broadcast to the shape of the first."""
    return Elementwise(dtype, first.shape, is_weak=False, op=op, arguments=(first, *others))


def _subscript(argument: Expression, items: list[Range | NewAxis], shape: Shape) -> Expression:
    return Subscript(argument.dtype, shape, is_weak=False, argument=argument, items=tuple(items))


def shown(node: Expression, at: Indices) -> tuple[Expression, Indices] | None:
    """Return the operand of a view, and the index there of the cell that it shows; None for what is no view."""
    if isinstance(node, Subscript):
        return node.argument, _behind(node, at)
    if isinstance(node, Transpose):
        return node.argument, tuple(at[node.permutation.index(axis)] for axis in range(node.rank))
    if isinstance(node, Windows):
        inside = dict(zip(node.axes, at[node.argument.rank :], strict=True))
        return node.argument, tuple(p + inside.get(axis, ZERO) for axis, p in enumerate(at[: node.argument.rank]))
    return None


def _behind(node: Subscript, indices: Indices) -> Indices:
    result: list[Affine] = []
    place = 0
    for item in node.items:
        if isinstance(item, At):
            result.append(item.index)
            continue
        index = indices[place]
        place += 1
        if isinstance(item, Range):
            result.append(index * item.step + item.start)
        elif isinstance(item, Reverse):
            result.append(node.argument.shape[len(result)] - 1 - index)
    return (*result, *indices[place:])


def cell_of(node: Expression, at: Indices) -> tuple[Expression, Indices]:
    """Return the array that views and gathers show, and the place there of the cell at an index."""
    view = shown(node, at)
    if view is not None:
        return cell_of(*view)
    if isinstance(node, Gather):
        found = [number_at(index, at) for index in node.indices]
        indices = tuple(index for index in found if index is not None)
        if len(indices) == len(found):
            return cell_of(node.argument, indices)
    return node, at


def number_at(node: Expression, at: Indices) -> Affine | None:
    """Return the number at an index of what an array of indices broadcasts to, where it is affine in the index."""
    at = at[len(at) - node.rank :]
    array, place = cell_of(node, tuple(ZERO if e == 1 else index for e, index in zip(node.shape, at, strict=True)))
    if isinstance(array, Literal):
        return Affine(int(array.value)) if not isinstance(array.value, str) and array.value.denominator == 1 else None
    if isinstance(array, SizeValue):
        return array.affine
    if isinstance(array, Iota):
        return array.start + place[0]
    if isinstance(array, Cast | Copy | Broadcast):
        return number_at(array.argument, place)
    if not isinstance(array, Elementwise):
        return None
    numbers = [number_at(argument, place) for argument in array.arguments]
    known = [number for number in numbers if number is not None]
    return _combined(array.op, known) if len(known) == len(numbers) else None


def _combined(op: str, numbers: Sequence[Affine]) -> Affine | None:
    """Return an operation on affine numbers, None where that is not affine."""
    if op == "neg":
        return -numbers[0]
    if op in ("add", "sub"):
        return numbers[0] + numbers[1] if op == "add" else numbers[0] - numbers[1]
    if op == "mul":
        factor, other = numbers if numbers[0].is_constant else numbers[::-1]
        return other * factor.constant if factor.is_constant else None
    return None
