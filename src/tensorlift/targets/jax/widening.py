"""Bodies of loops in which no shape follows the loop variable, so that JAX traces them once.

A slice of which the length follows the variable, ``x[:i]``, becomes the whole axis, and a mask says which of its cells
count: folds take the neutral element for the others, stores what was there.  That is as much work by degree as long as
the slice gets about as long as its axis somewhere in the loops around; another one is left as it is.

A variable that is a number, and no position, is converted to the type of that number.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tensorlift.ir.rewriting import with_operands
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Cast,
    Contraction,
    Cumulative,
    Elementwise,
    Expression,
    For,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Return,
    Reverse,
    SetSlice,
    SizeValue,
    Subscript,
    Transpose,
    Variable,
)
from tensorlift.ops.dtypes import FLOATS, NARROW
from tensorlift.poly.affine import ZERO, Affine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.ir.tensor_program import Shape, Statement, SubscriptItem
    from tensorlift.ops.dtypes import DType

_E = TypeVar("_E", bound=Expression)
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_NEUTRAL: dict[str, int | str] = {"sum": 0, "prod": 1, "any": 0, "all": 1, "max": "-inf", "min": "inf"}
_LARGEST_FACTOR = 4  # by which an axis may be longer than a slice of it ever is


class FollowsError(Exception):
    """A shape follows the variable of a loop and does not become a mask."""


class Span(NamedTuple):
    """The cells of a whole axis that count."""

    start: Affine
    stop: Affine


class Wide(NamedTuple):
    """A value over whole axes, and which cells count on those that were slices."""

    value: Expression
    spans: Mapping[int, Span]


@dataclass
class Widening:
    """Widens what follows the variable of the last one of nested ``loops``; places below some extents have 32 bits."""

    loops: Sequence[For]
    is_short: Callable[[Affine], bool]
    copies: dict[int, For] = field(default_factory=dict)  # by the identity of the loops that they replace
    _names: dict[str, Wide] = field(default_factory=dict)
    _memo: dict[Expression, Wide] = field(default_factory=dict)

    @property
    def variable(self) -> str:
        """The variable of the loop."""
        return self.loops[-1].variable

    def body(self, body: Sequence[Statement]) -> tuple[Statement, ...]:
        """Return the statements without shapes that follow the variable.

        Raises:
            FollowsError: where there is one that stays.

        """
        return tuple(map(self._statement, body))

    def _statement(self, statement: Statement) -> Statement:
        if isinstance(statement, For):
            copy = self.copies[id(statement)] = replace(statement, body=self.body(statement.body))
            return copy
        if isinstance(statement, Assign):
            value, spans = self._wide(statement.value)
            self._memo = {}  # the name means something else from here on
            self._names.pop(statement.name, None)
            if not spans:
                return replace(statement, value=value)
            self._names[statement.name] = Wide(_node(Variable, value.dtype, value.shape, statement.name), spans)
            return Assign(statement.name, value)
        if isinstance(statement, SetSlice):
            stored = self._store(statement)
            self._memo = {}
            return stored
        assert isinstance(statement, Return)
        return statement

    def _store(self, statement: SetSlice) -> Statement:
        """Store into whole axes, where cells that do not count get what they have."""
        if statement.name in self._names:
            raise FollowsError
        value, found = self._wide(statement.value)
        items, spans = self._items(statement.items, statement.shape, {})
        extents = _extents(items, statement.shape)
        lead = len(extents) - value.rank
        if any(spans.get(axis + lead) != span for axis, span in found.items()):
            raise FollowsError
        if any(extent != 1 for axis, extent in enumerate(value.shape) if axis + lead in spans and axis not in found):
            raise FollowsError
        if not spans:
            return replace(statement, value=value)
        array = _node(Variable, value.dtype, statement.shape, statement.name)
        is_whole = extents == statement.shape
        old = array if is_whole else _node(Subscript, value.dtype, extents, array, items)
        kept = _select(self._mask(spans, extents), value, old, extents)
        if is_whole:
            return Assign(statement.name, kept, statement.definition)
        return replace(statement, items=items, value=kept)

    def _wide(self, node: Expression) -> Wide:
        found = self._memo.get(node)
        if found is None:
            found = self._memo[node] = self._widened(node)
        return found

    def _widened(self, node: Expression) -> Wide:
        match node:
            case SizeValue() if node.affine.coefficient(self.variable):
                if node.dtype in NARROW and node.affine.variable != self.variable:
                    raise FollowsError  # what is computed in integers of 32 bits may wrap before it is rounded
                return Wide(_node(Cast, node.dtype, (), node), {})
            case Variable() if node.name in self._names:
                return self._names[node.name]
            case Subscript():
                return self._subscript(node)
            case Elementwise() | Cast():
                return self._elementwise(node)
            case Transpose() | Reduction() | Cumulative():
                return self._along_axes(node, *self._wide(node.argument))
            case Contraction():
                return self._contraction(node)
        return self._plain(node)

    def _along_axes(
        self, node: Transpose | Reduction | Cumulative, value: Expression, spans: Mapping[int, Span]
    ) -> Wide:
        if isinstance(node, Cumulative):
            if node.axis in spans:
                value = self._neutral(value, {node.axis: spans[node.axis]}, node.op)
            return Wide(replace(node, shape=value.shape, argument=value), spans)
        kept: Sequence[int]
        if isinstance(node, Transpose):
            kept = node.permutation
        else:
            inside = {axis: span for axis, span in spans.items() if axis in node.axes}
            value = self._neutral(value, inside, node.op) if inside else value
            kept = [axis for axis in range(value.rank) if axis not in node.axes]
            node = replace(node, initial=None if node.initial is None else self._wide(node.initial).value)
        shape = tuple(value.shape[axis] for axis in kept)
        moved = {k: spans[axis] for k, axis in enumerate(kept) if axis in spans}
        return Wide(replace(node, shape=shape, argument=value), moved)

    def _plain(self, node: Expression) -> Wide:
        """Leave all but the operands as it is."""
        operands = [self._wide(operand) for operand in node.operands]
        if any(spans for _, spans in operands) or any(extent.coefficient(self.variable) for extent in node.shape):
            raise FollowsError
        return Wide(with_operands(node, tuple(value for value, _ in operands)), {})

    def _subscript(self, node: Subscript) -> Wide:
        argument, inner = self._wide(node.argument)
        items, spans = self._items(node.items, argument.shape, inner)
        extents = _extents(items, argument.shape)
        if extents == argument.shape and not any(isinstance(item, Reverse) for item in items):
            return Wide(argument, spans)
        return Wide(replace(node, shape=extents, argument=argument, items=items), spans)

    def _items(
        self, items: Sequence[SubscriptItem], shape: Shape, inner: Mapping[int, Span]
    ) -> tuple[tuple[SubscriptItem, ...], dict[int, Span]]:
        """Return subscripts by whole axes, and what counts on the axes of the result."""
        widened: list[SubscriptItem] = []
        spans: dict[int, Span] = {}
        axis = rank = 0
        for item in items:
            within = inner.get(axis) if not isinstance(item, NewAxis) else None
            moved = item
            if isinstance(item, At):
                moved = At(item.index + within.start) if within is not None else item
            elif isinstance(item, Range) and (within is not None or self._follows(item)):
                if item.step != 1:
                    raise FollowsError
                start = within.start if within is not None else ZERO
                span = Span(item.start + start, item.stop + start)
                self._require_long(span, shape[axis])
                spans[rank], moved = span, Range(ZERO, shape[axis])
            elif within is not None:
                raise FollowsError
            widened.append(moved)
            axis += not isinstance(item, NewAxis)
            rank += not isinstance(item, At)
        for rest in range(axis, len(shape)):
            if rest in inner:
                spans[rank + rest - axis] = inner[rest]
        return tuple(widened), spans

    def _follows(self, item: Range) -> bool:
        return bool(item.start.coefficient(self.variable) or item.stop.coefficient(self.variable))

    def _require_long(self, span: Span, extent: Affine) -> None:
        """Demand that the span is about as long as its axis for some values of the variables around it."""
        length = span.stop - span.start
        if not length.coefficient(self.variable):
            raise FollowsError
        for ends in product((False, True), repeat=len(self.loops)):
            there = length
            for loop, at_end in zip(reversed(self.loops), ends, strict=True):
                there = there.substitute({loop.variable: loop.upper - 1 if at_end else loop.lower})
            for factor in range(1, _LARGEST_FACTOR + 1):
                if all(coefficient <= 0 for _, coefficient in (extent - there * factor).terms):
                    return
        raise FollowsError

    def _elementwise(self, node: Elementwise | Cast) -> Wide:
        is_comparison = isinstance(node, Elementwise) and node.op in COMPARISONS
        operands = [Wide(o, {}) if is_comparison and isinstance(o, SizeValue) else self._wide(o) for o in node.operands]
        shape, spans = list(node.shape), dict[int, Span]()
        for axis in range(node.rank):
            there = [(value, marks, axis + value.rank - node.rank) for value, marks in operands]
            over = [(value, marks, own) for value, marks, own in there if own >= 0 and value.shape[own] != 1]
            found = {(marks.get(own), value.shape[own]) for value, marks, own in over}
            if not any(span is not None for span, _ in found):
                continue
            if len(found) > 1:
                raise FollowsError
            ((span, extent),) = found
            assert span is not None
            shape[axis], spans[axis] = extent, span
        values = tuple(value for value, _ in operands)
        is_weak = node.is_weak and all(value.is_weak for value in values)
        if any(extent.coefficient(self.variable) for extent in shape):
            raise FollowsError
        return Wide(replace(with_operands(node, values), shape=tuple(shape), is_weak=is_weak), spans)

    def _contraction(self, node: Contraction) -> Wide:
        operands = [self._wide(argument) for argument in node.arguments]
        of_label: dict[str, tuple[Span | None, Affine]] = {}
        for (value, spans), labels in zip(operands, node.labels, strict=True):
            for axis, label in enumerate(labels):
                here = spans.get(axis), value.shape[axis]
                if of_label.setdefault(label, here) != here:
                    raise FollowsError
        masked = []
        for (value, spans), labels in zip(operands, node.labels, strict=True):
            summed = {axis: span for axis, span in spans.items() if labels[axis] not in node.output}
            masked.append(self._neutral(value, summed, "sum") if summed else value)
        shape = tuple(of_label[label][1] for label in node.output)
        kept = {k: span for k, label in enumerate(node.output) if (span := of_label[label][0]) is not None}
        return Wide(replace(node, shape=shape, arguments=tuple(masked)), kept)

    def _neutral(self, value: Expression, spans: Mapping[int, Span], op: str) -> Expression:
        """Replace what does not count by what a fold ignores."""
        neutral = _NEUTRAL.get(op)
        if neutral is None or (isinstance(neutral, str) and value.dtype not in FLOATS):
            raise FollowsError
        mask = self._mask(spans, value.shape)
        if value.dtype == "bool":
            kept = mask if op == "any" else _node(Elementwise, "bool", mask.shape, "not", (mask,))
            return _node(Elementwise, "bool", value.shape, "and" if op == "any" else "or", (value, kept))
        exact = neutral if isinstance(neutral, str) else Fraction(neutral)
        return _select(mask, value, _number(value.dtype, exact), value.shape)

    def _mask(self, spans: Mapping[int, Span], shape: Shape) -> Expression:
        """Return which cells count."""
        tests: list[Expression] = []
        for axis, (start, stop) in spans.items():
            extent, after = shape[axis], len(shape) - axis - 1
            dtype: DType = "i32" if self.is_short(extent) else "i64"
            places: Expression = _node(Iota, dtype, (extent,), ZERO)
            if after:
                items = (Range(ZERO, extent), *([NewAxis()] * after))
                places = _node(Subscript, dtype, (extent, *([Affine(1)] * after)), places, items)
            for op, end in (("ge", start), ("lt", stop)):
                if end != (ZERO if op == "ge" else extent):
                    tests.append(_node(Elementwise, "bool", places.shape, op, (places, _end(end, dtype))))
        return reduce(_both, tests)


def _end(value: Affine, dtype: DType) -> Expression:
    if value.is_constant:
        return _number(dtype, Fraction(value.constant))
    return SizeValue(dtype, (), is_weak=True, affine=value)


def _extents(items: Sequence[SubscriptItem], shape: Shape) -> tuple[Affine, ...]:
    """Return the extents that subscripts leave."""
    extents: list[Affine] = []
    axis = 0
    for item in items:
        if isinstance(item, NewAxis):
            extents.append(Affine(1))
            continue
        if not isinstance(item, At):
            extents.append(item.extent if isinstance(item, Range) else shape[axis])
        axis += 1
    return (*extents, *shape[axis:])


def _node(kind: type[_E], dtype: DType, shape: Shape, *fields: object) -> _E:
    return kind(dtype, shape, False, *fields)  # noqa: FBT003 - the order of a dataclass, which has that field third


def _number(dtype: DType, value: Fraction | str) -> Literal:
    return Literal(dtype, (), is_weak=True, value=value)


def _select(mask: Expression, value: Expression, other: Expression, shape: Shape) -> Expression:
    return _node(Elementwise, value.dtype, shape, "select", (mask, value, other))


def _both(one: Expression, other: Expression) -> Expression:
    rank = max(one.rank, other.rank)
    shapes = [(*([Affine(1)] * (rank - e.rank)), *e.shape) for e in (one, other)]
    shape = tuple(a if b == 1 else b for a, b in zip(*shapes, strict=True))
    return _node(Elementwise, "bool", shape, "and", (one, other))
