"""Trials: typed instances of an operation, of which upstream's verifier takes some.

Where the definition says of how many axes and of which types the operands are, they are; else they are tensors of one
rank and of the types that are tried.  Operands of one cell are constants, zero.  Extents are open first, and where that
has no meaning, numbers: equal or one where an operand is broadcast.  Lists of integers have a number for each axis, or
two, all from a few small ones.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from string import Template
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.instance import ListOperand

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.dialects.tablegen import Form, ListForm, TableOperation

OPEN = "?"
REST = -1  # stands in a list of extents for the one that follows from the others
_RANKS = (1, 2, 3)
TYPES = ("f32", "f64")
_BROADCAST = (1, 2)  # ranks in which one of two operands is broadcast
_MANY = 3  # operands, of which the last may be of another type: what sums start from
# Numbers as extents fall by about a quarter: windows, of later operands, are smaller than what they run over, even with
# cells three apart.  All have a remainder of one by six, so that steps of two and three end at the border.
_FALL = (100, 135)
_LEAST = 8
_COUNT = 16  # numbers of one set
_GROWTH = 4  # sets differ by factors, so that differences differ too
SETS = 5
FRESH = 100_000  # extents of a result of which nothing is known yet
_STEPS = (0, 1, 2, 3)  # all integers of a list: how wide a window is, how far it steps
_VALUES = ((11, 13, 17, 19), (23, 29, 37, 41))  # of attributes that are numbers

_KEPT = " {bufferization.writable = false}"  # operands, which stay as they are

Extents = tuple[int | str, ...]


class Typing(NamedTuple):
    """The element types of the first operand, of the others, of the result, and of the last of many operands."""

    first: str
    others: str
    result: str
    last: str = ""


class Family(NamedTuple):
    """A typing to find out how an operation is used, and those with which it is then used in the same way."""

    typing: Typing
    alike: tuple[Typing, ...]


def _same(dtype: str) -> Typing:
    return Typing(dtype, dtype, dtype)


_NUMBERS = (_same("f64"), _same("i32"), Typing("i8", "i8", "i32", "i32"), Typing("i32", "i32", "f32"))
FAMILIES = (
    Family(_same("f32"), _NUMBERS),
    Family(_same("i32"), ()),
    Family(_same("i8"), ()),
    Family(_same("i1"), ()),
    Family(Typing("f32", "f32", "i32"), (Typing("f64", "f64", "i32"), _same("i32"))),
)


@dataclass(frozen=True)
class Trial:
    """An operation on operands of given extents, those aside at the end that are constants of one cell.

    In the text of its attributes ``@result`` and ``@first`` stand for types, ``$NAME`` for the value of a number:
    ``values`` has these by name.  Of several results the one at ``place`` is meant.
    """

    operation: TableOperation
    typing: Typing
    shapes: tuple[Extents, ...]
    result: Extents
    attributes: str = ""
    values: tuple[tuple[str, int], ...] = ()
    lists: tuple[ListOperand, ...] = ()
    place: int = 0

    @property
    def dtypes(self) -> tuple[str, ...]:
        """The element types of all operands, and of the result."""
        *forms, result = self.operation.forms
        own = [self.typing.first, *(self.typing.others,) * (len(forms) - 1)][: len(forms)]
        if self.typing.last and len(self.shapes) >= _MANY:
            own[len(self.shapes) - 1] = self.typing.last
        stated = (form.dtype or dtype for form, dtype in zip(forms, own, strict=True))
        return (*stated, result.dtype or self.typing.result)

    @property
    def stated(self) -> str:
        """The text of the attributes, numbers aside."""
        return self.attributes.replace("@result", self.dtypes[-1]).replace("@first", self.dtypes[0])

    def number(self, value: int) -> str:
        """Spell the value of an attribute, which is of the type of the first operand."""
        return f"{value}.375" if self.dtypes[0].startswith("f") else str(value)

    def text(self, name: str) -> str:
        """Spell a function that writes the result of the operation to its last parameter."""
        count = len(self.shapes)
        *dtypes, written = self.dtypes
        kinds = [_type("tensor", shape, dtype) for shape, dtype in zip(self.shapes, dtypes, strict=False)]
        names = [f"%{operand}" for operand in self.operation.operands]
        out = _type("memref", self.result, written)
        parameters = ", ".join([*(f"{n}: {k}{_KEPT}" for n, k in zip(names, kinds, strict=False)), f"%result: {out}"])
        constants = [_type("tensor", (1,), dtype) for dtype in dtypes[count:]]
        lines = [f"func.func @{name}({parameters}) {{"]
        for operand, dtype, kind in zip(names[count:], dtypes[count:], constants, strict=True):
            lines.append(f"  {operand} = arith.constant dense<{'0' if dtype[0] == 'i' else '0.0'}> : {kind}")
        attributes = Template(self.stated).substitute({own: self.number(value) for own, value in self.values})
        given = f" <{attributes}>" if attributes else ""
        given += "" if self.operation.regions is None else self.operation.regions.text(kinds)
        value = _type("tensor", self.result, written)
        takes = [*kinds, *constants]
        for own in self.lists:
            lines.append(f"  %{own.name} = {own.text}")
            names.insert(own.place, f"%{own.name}")
            takes.insert(own.place, own.type)
        count = self.operation.results
        gives = ", ".join([value] * count)
        named = f'%trial_value:{count} = "{self.operation.name}"'
        lines.append(f"  {named}({', '.join(names)}){given} : ({', '.join(takes)}) -> ({gives})")
        return "\n".join([*lines, *_stored(self.result, f"%trial_value#{self.place}", value, out), "  return", "}", ""])

    def moved(self, number: int) -> Trial:
        """Return the trial with the extents and the values of another set; what the result has of its own is new."""
        found = dict.fromkeys(e for shape in self.shapes for e in shape if isinstance(e, int) and e > 1)
        more = self._more()
        others: dict[int | str, int] = dict(zip(found, (other + more for other in extents_of(number)), strict=False))
        shapes = tuple(tuple(others.get(e, e) for e in shape) for shape in self.shapes)
        ends = enumerate(self.result)
        result = tuple(others.get(e, FRESH + axis if isinstance(e, int) and e > 1 else e) for axis, e in ends)
        return replace(self, shapes=shapes, result=result).valued(number)

    def thinned(self) -> Iterator[Trial]:
        """Yield the trial with an extent of one along one axis of an operand."""
        for place, shape in enumerate(self.shapes):
            for axis in range(len(shape)):
                thin = (*shape[:axis], 1, *shape[axis + 1 :])
                yield replace(self, shapes=(*self.shapes[:place], thin, *self.shapes[place + 1 :]))

    def valued(self, number: int) -> Trial:
        """Return the trial with the values of another set."""
        values = _VALUES[number % len(_VALUES)]
        return replace(self, values=tuple((own, values[k]) for k, (own, _) in enumerate(self.values)))

    def _more(self) -> int:
        """Return how much more than those of the sets the extents are."""
        return next((e for shape in self.shapes for e in shape if isinstance(e, int) and e > 1), 1) % 6 - 1


def extents_of(number: int) -> tuple[int, ...]:
    """Return the numbers of a set, the greatest first."""
    less, more = _FALL
    powers = (_LEAST * more**k // less**k for k in reversed(range(_COUNT)))
    return tuple(6 * (power * (_GROWTH + number) // _GROWTH) + 1 for power in powers)


def each_result(trials: Iterable[Trial]) -> Iterator[Trial]:
    """Yield trials for each result of their operation."""
    for trial in trials:
        yield from (replace(trial, place=place) for place in range(trial.operation.results))


def open_trials(operation: TableOperation, typing: Typing) -> Iterator[Trial]:
    """Yield what to try of an operation with open extents, the numbers in its attributes those of the first set."""
    for rank in () if operation.operands else _RANKS:
        for attributes, _ in _attributes(operation, rank):
            yield Trial(operation, typing, (), (1,) * rank, attributes, _named(operation))
    for rank in _ranks(operation):
        for attributes, axis in _attributes(operation, rank):
            shapes = tuple(_full(rank if form.rank is None else form.rank) for form in _tensors(operation))
            own = operation.forms[-1].rank
            results = [_full(own)] if own is not None else _results(max(shapes, key=len), axis)
            for result, lists in itertools.product(results, list_operands(operation, rank)):
                yield Trial(operation, typing, shapes, result, attributes, _named(operation), lists)
        if operation.lists and len(_tensors(operation)) == 1 and not operation.attributes:
            yield from (
                Trial(operation, typing, (own,), end, "", (), given) for own, end, given in _shaped(operation, rank)
            )


def numbered_trials(operation: TableOperation, typing: Typing) -> Iterator[Trial]:
    """Yield what to try of an operation whose definition leaves ranks open, with the numbers of the first set."""
    count = len(_tensors(operation))
    for rank in _ranks(operation):
        full: Extents = extents_of(0)[:rank]
        for attributes, axis in _attributes(operation, rank):
            for result in _results(full, axis):
                yield Trial(operation, typing, (full,) * count, result, attributes, _named(operation))
        if count == 2 and not operation.attributes:  # noqa: PLR2004 - two operands
            yield from (Trial(operation, typing, shapes, full) for shapes in _broadcast(full))


def is_ranked(operation: TableOperation) -> bool:
    """Tell whether the definition says of how many axes the operands and the result are."""
    return all(form.rank is not None for form in (*_tensors(operation), operation.forms[-1]))


def _tensors(operation: TableOperation) -> list[Form]:
    """Return what is said of the operands that are no constants."""
    operands = list(operation.forms[:-1])
    while operands and operands[-1].is_cell:
        operands.pop()
    return operands


def _ranks(operation: TableOperation) -> tuple[int, ...]:
    """Return how many axes to try for operands of which the definition does not say it."""
    tensors = _tensors(operation)
    if not tensors or any(form.is_cell for form in tensors):
        return ()
    return _RANKS if any(form.rank is None for form in tensors) else (0,)


def _full(rank: int) -> Extents:
    return (OPEN,) * rank


def _results(full: Extents, axis: int | None) -> list[Extents]:
    """Return what extents the result may have, where an axis is folded perhaps."""
    if axis is None:
        return [full]
    before, behind = full[:axis], full[axis + 1 :]
    return list(dict.fromkeys([(*before, 1, *behind), full, (*before, *behind)]))


def _broadcast(full: Extents) -> Iterator[tuple[Extents, Extents]]:
    """Yield the extents of two operands of which one has the extent one along some axes."""
    rank = len(full)
    for count in range(1, rank + 1) if rank in _BROADCAST else ():
        for axes in itertools.combinations(range(rank), count):
            thin = tuple(1 if axis in axes else extent for axis, extent in enumerate(full))
            yield full, thin
            yield thin, full


def _named(operation: TableOperation) -> tuple[tuple[str, int], ...]:
    names = (name for name, kind in operation.attributes if kind in ("number", "cells"))
    return tuple(zip(names, _VALUES[0], strict=False))


def _attributes(operation: TableOperation, rank: int) -> Iterator[tuple[str, int | None]]:
    """Yield values of the attributes, all choices of each, and the axis among them."""
    if not operation.attributes:
        yield "", None
        return
    choices = [list(_values(name, kind, rank)) for name, kind in operation.attributes]
    for chosen in itertools.product(*choices):
        yield f"{{{', '.join(text for text, _ in chosen)}}}", next((a for _, a in chosen if a is not None), None)


def _values(name: str, kind: str, rank: int) -> Iterator[tuple[str, int | None]]:
    """Yield values of an attribute: each axis, which is said too, each order of them, a type, each of some cases."""
    if kind == "axis":
        yield from ((f"{name} = {axis} : i32", axis) for axis in range(rank))
    elif kind == "type":
        yield f"{name} = @result", None
    elif kind == "truth":
        yield from ((f"{name} = {value}", None) for value in ("false", "true"))
    elif kind.startswith("#"):
        yield from ((f"{name} = {case}", None) for case in kind.split())
    elif kind == "number":
        yield f"{name} = ${name} : @first", None
    elif kind == "cells":
        yield f"{name} = dense<${name}> : tensor<{'1x' * rank}@result>", None
    elif kind.endswith(" integers"):
        count = int(kind.partition(" ")[0])
        yield from ((f"{name} = array<i64: {', '.join([str(k)] * count)}>", None) for k in _STEPS)
    else:
        for order in list(itertools.permutations(range(rank)))[1:]:
            yield f"{name} = array<{kind.rpartition(' ')[2]}: {', '.join(map(str, order))}>", None


def _stored(result: Extents, name: str, value: str, out: str) -> list[str]:
    """Spell loops that write a tensor to memory."""
    lines = []
    for axis, extent in enumerate(result):
        if extent == OPEN:
            lines.append(f"  %axis{axis} = arith.constant {axis} : index")
            lines.append(f"  %extent{axis} = tensor.dim {name}, %axis{axis} : {value}")
    ends = [f"%extent{axis}" if extent == OPEN else str(extent) for axis, extent in enumerate(result)]
    lines += [f"  affine.for %i{axis} = 0 to {end} {{" for axis, end in enumerate(ends)]
    place = ", ".join(f"%i{axis}" for axis in range(len(result)))
    lines.append(f"  %cell = tensor.extract {name}[{place}] : {value}")
    lines.append(f"  memref.store %cell, %result[{place}] : {out}")
    return lines + ["  }"] * len(result)


def _type(kind: str, shape: Extents, dtype: str) -> str:
    return f"{kind}<{''.join(f'{extent}x' for extent in shape)}{dtype}>"


_PER_AXIS = (1, 2)  # how many integers: paddings have one for either side
_CHOICES = (((0, 1), 4), ((1, 2), 2))  # what integers are chosen from, of lists up to a length that stand alone
_ALIKE = (0, 1, 2, 3)  # what all integers of a list are
_PAIR, _OF_PAIRS = 2, (1, 2)  # lists of a stated length are zero, or pairs of different ones of these
_TIMES = (2, 3)  # how often what has an extent of one is repeated


def list_operands(operation: TableOperation, rank: int) -> Iterator[tuple[ListOperand, ...]]:
    """Yield the lists that an operation on so many axes may take, nothing for each of no lists."""
    is_alone = len(operation.lists) == 1
    return itertools.product(*(list(_lists(form, rank, is_alone=is_alone)) for form in operation.lists))


def _shaped(operation: TableOperation, rank: int) -> Iterator[tuple[Extents, Extents, tuple[ListOperand, ...]]]:
    """Yield extents of an operand and of a result that a list says, with the lists.

    Of two lists one may be these extents.  One alone may leave out one of them, the others being one, or say how often
    what has an extent of one is repeated.
    """
    if len(operation.lists) > 1:
        for lists in list_operands(operation, rank):
            sizes = (own.numbers for own in lists if len(own.numbers) == rank and all(own.numbers))
            yield from ((_full(rank), numbers, lists) for numbers in sizes)
        return
    (form,) = operation.lists
    thin = [tuple(1 if place in ones else OPEN for place in range(rank)) for ones in _places(rank)]
    for own in thin if len(operation.operands) == 1 else ():
        if own.count(OPEN) == 1:
            for count in _RANKS:
                for place in range(count):
                    numbers = tuple(REST if axis == place else 1 for axis in range(count))
                    end = tuple(OPEN if axis == place else 1 for axis in range(count))
                    yield own, end, (ListOperand(form.name, form.place, form.kind, numbers),)
        for times in _TIMES:
            numbers = tuple(1 if extent == OPEN else times for extent in own)
            end = tuple(OPEN if extent == OPEN else times for extent in own)
            yield own, end, (ListOperand(form.name, form.place, form.kind, numbers),)


def _places(rank: int) -> Iterator[tuple[int, ...]]:
    """Yield the choices of axes, but of none."""
    counts = range(rank + 1)
    yield from itertools.chain.from_iterable(itertools.combinations(range(rank), count) for count in counts)


def _lists(form: ListForm, rank: int, *, is_alone: bool) -> Iterator[ListOperand]:
    if form.length is not None:
        pairs = itertools.product(_OF_PAIRS, repeat=2) if form.length > _PAIR else ()
        chosen = [pair * (form.length // _PAIR) for pair in pairs if len(set(pair)) == _PAIR]
        for numbers in [(0,) * form.length, *chosen]:
            yield ListOperand(form.name, form.place, form.kind, numbers)
        return
    for count in (rank * times for times in _PER_AXIS):
        choices = [choice for choice, most in _CHOICES if is_alone and count <= most]
        chosen = [numbers for choice in choices for numbers in itertools.product(choice, repeat=count)]
        for numbers in dict.fromkeys([*chosen, *((number,) * count for number in _ALIKE)]):
            yield ListOperand(form.name, form.place, form.kind, numbers)
