"""Building tensor expressions: type and shape rules, and one object for equal expressions.

Nodes are interned by class and fields, operands by identity, so that a common subexpression is found without looking.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from tensorlift.ir.segments import Segments, Spans, Spread
from tensorlift.ir.tensor_program import (
    Broadcast,
    Cast,
    Conditional,
    Contraction,
    Copy,
    Cumulative,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Empty,
    Expression,
    Full,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Operation,
    Reduction,
    SizeValue,
    Subscript,
    Take,
    Transpose,
    Triangle,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.ir.views import composed_items, is_whole, subscript_shape, without_turns
from tensorlift.ops.dtypes import NARROW, is_float, is_integer, width
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.poly.affine import ONE, Affine

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.positions import PositionName
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain

TEMPORARY = "%"  # begins the names of temporaries until they are named
_E = TypeVar("_E", bound=Expression)


class Builder:
    """Makes the expressions of one program."""

    def __init__(
        self,
        *,
        chooses: bool = False,
        chooses_in_loops: bool = False,
        short_windows: bool = False,
        segmented: frozenset[str] = frozenset(),
        orders_stores: bool = False,
    ) -> None:
        """Say what there may be in the program.

        A choice by sizes, one by the variables of loops around, windows over an axis that holds none of them, folds
        between bounds that are data, a store at places of one index array of which several may be one.
        """
        self.segmented, self.orders_stores = segmented, orders_stores
        self.chooses, self.chooses_in_loops = chooses, chooses_in_loops
        self.sizes: tuple[str, ...] = ()
        self.taken: set[str] = set()  # names of the function
        self.around: set[str] = set()  # variables of loops
        self.short_windows = short_windows
        self._table: dict[tuple[Any, ...], Any] = {}
        self._temporaries = 0
        self.ends: dict[str, Expression] = {}  # by their names: the greatest or the least of several sizes

    def tells(self, domain: Domain, shapes: Iterable[Shape], *, by_numbers: bool = False) -> bool:
        """Tell whether a domain mentions extents alone, or what is known in the loops around.

        Elsewhere other sizes count only ``by_numbers``: a choice by them is the last resort.
        """
        known = {name for shape in shapes for extent in shape for name in extent.variables}
        known |= self.around.union(self.sizes) if self.chooses_in_loops and (self.around or by_numbers) else set()
        return not domain.has_divisions and known.issuperset(domain.variables())

    def _node(self, kind: type[_E], dtype: DType, shape: Shape, *fields: object, is_weak: bool = False) -> _E:
        key = (kind, dtype, shape, is_weak, *fields)
        found: _E | None = self._table.get(key)
        if found is None:
            found = self._table[key] = kind(dtype, shape, is_weak, *fields)
        return found

    def temporary(self, stem: str) -> str:
        """Return a new name for a variable that is no version of an array."""
        self._temporaries += 1
        return f"{TEMPORARY}{stem}{self._temporaries}"

    # -- leaves

    def literal(self, value: Fraction | int | str, dtype: DType) -> Literal:
        """Return a number."""
        exact = value if isinstance(value, str) else Fraction(value)
        return self._node(Literal, dtype, (), exact, is_weak=True)

    def size(self, value: Affine, dtype: DType = "i64") -> Expression:
        """Return an affine expression of sizes as a number."""
        if value.is_constant:
            return self.literal(value.constant, dtype)
        return self._node(SizeValue, dtype, (), value, is_weak=True)

    def scalar(self, name: str, dtype: DType) -> Variable:
        """Return a scalar parameter."""
        return self._node(Variable, dtype, (), name, is_weak=True)

    def variable(self, name: str, dtype: DType, shape: Shape) -> Variable:
        """Return an array variable."""
        return self._node(Variable, dtype, shape, name)

    def iota(self, start: Affine, stop: Affine, dtype: DType = "i64") -> Iota:
        """Return the integers from ``start`` to before ``stop``, which the type must hold."""
        return self._node(Iota, dtype, (stop - start,), start)

    def triangle_mask(self, rows: Affine, columns: Affine, offset: Affine) -> TriangleMask:
        """Return the truth matrix of ``column <= row + offset``."""
        return self._node(TriangleMask, "bool", (rows, columns), offset)

    def diagonal_mask(self, rows: Affine, columns: Affine, offset: Affine) -> DiagonalMask:
        """Return the truth matrix of ``column == row + offset``."""
        return self._node(DiagonalMask, "bool", (rows, columns), offset)

    def full(self, value: Expression, shape: Shape, dtype: DType) -> Full:
        """Return an array with one value."""
        return self._node(Full, dtype, shape, value)

    def empty(self, shape: Shape, dtype: DType) -> Empty:
        """Return an array without values."""
        return self._node(Empty, dtype, shape)

    def operation(self, instance: Instance, arguments: tuple[Expression, ...]) -> Operation:
        """Apply an operation of an imported dialect to operands that fit."""
        sizes = instance.fits([argument.shape for argument in arguments])
        if sizes is None:
            raise ValueError(f"operands that do not fit {instance.operation}")
        return self._node(Operation, instance.result.dtype, instance.result_shape(sizes), instance, arguments)

    # -- elementwise

    def elementwise(self, op: str, *arguments: Expression, dtype: DType | None = None) -> Expression:
        """Apply a scalar function to operands that broadcast."""
        if op in ("add", "sub"):
            kept = _without_vanishing(op, arguments)
            if kept is not None:
                return kept
            op, arguments = _without_negation(op, arguments)
            order = _permutation(*arguments)
            if order is not None:  # the product that is the other one with its axes permuted is written as that one
                arguments = arguments[0], self.transpose(arguments[0], order)
        if op == "mul" and is_number(arguments[0], -1) and arguments[0].dtype == arguments[1].dtype:
            op, arguments = "neg", arguments[1:]
        if op == "sub" and is_number(arguments[0], 0) and arguments[0].dtype == arguments[1].dtype:
            op, arguments = "neg", arguments[1:]
        if op in _IDEMPOTENT and arguments[0] is arguments[1]:
            return arguments[0]
        neutral = _without_neutral(op, arguments)
        if neutral is not None:
            return neutral
        moved = _size_plus_number(op, arguments)
        if moved is not None:
            return self.size(moved, arguments[0].dtype)
        if op == "not" and isinstance(arguments[0], Elementwise) and _is_exact(arguments[0]):
            op, arguments = _OPPOSITE[arguments[0].op], arguments[0].arguments
        result = dtype or SCALAR_OPS[op].result(tuple(a.dtype for a in arguments))
        weak = all(a.is_weak for a in arguments)
        return self._node(Elementwise, result, broadcast_shape(arguments), op, arguments, is_weak=weak)

    def cast(self, argument: Expression, dtype: DType) -> Expression:
        """Convert to another type: of a number that is written down the text, of windows what they are of."""
        if argument.dtype == dtype:
            return argument
        if isinstance(argument, Windows):
            return self.windows(self.cast(argument.argument, dtype), argument.axes, argument.extents)
        if isinstance(argument, SizeValue) and (is_float(dtype) or width(dtype) >= width(argument.dtype)):
            return self.size(argument.affine, dtype)
        inner = argument.argument if isinstance(argument, Cast) else argument
        if (
            inner.dtype == dtype
            and is_integer(dtype)
            and is_integer(argument.dtype)
            and width(argument.dtype) >= width(dtype)
        ):
            return inner  # it keeps all bits
        return self._node(Cast, dtype, argument.shape, argument)

    def conditional(self, condition: Expression, chosen: Expression, other: Expression) -> Expression:
        """Return one of two values of the same type and shape, by a condition on sizes."""
        return self._node(Conditional, chosen.dtype, chosen.shape, condition, chosen, other)

    def copy(self, argument: Expression) -> Expression:
        """Give the value memory of its own."""
        return self._node(Copy, argument.dtype, argument.shape, argument)

    def broadcast(self, argument: Expression, shape: Shape) -> Expression:
        """Expand to a shape."""
        return argument if argument.shape == shape else self._node(Broadcast, argument.dtype, shape, argument)

    # -- views

    def subscript(self, argument: Expression, items: Sequence[SubscriptItem]) -> Expression:
        """Take a view; whole axes at the end need no item, and without any item it is the operand."""
        if isinstance(argument, Subscript):
            composed = composed_items(argument, items)
            if composed is not None:
                return self.subscript(argument.argument, composed)
        if isinstance(argument, Elementwise) and any(isinstance(item, NewAxis) for item in items):
            turned = _with_axes(self, argument, items)
            if turned is not None:
                return turned
        kept = without_turns(items, argument.shape)
        axis = sum(not isinstance(item, NewAxis) for item in kept)
        while axis and is_whole(kept[-1], argument.shape[axis - 1]):
            kept.pop()
            axis -= 1
        if not kept:
            return argument
        return self._node(Subscript, argument.dtype, subscript_shape(argument.shape, kept), argument, tuple(kept))

    def transpose(self, argument: Expression, permutation: tuple[int, ...]) -> Expression:
        """Permute the axes."""
        if permutation == tuple(range(len(permutation))):
            return argument
        if isinstance(argument, Transpose):
            inner = tuple(argument.permutation[k] for k in permutation)
            return self.transpose(argument.argument, inner)
        shape = tuple(argument.shape[k] for k in permutation)
        return self._node(Transpose, argument.dtype, shape, argument, permutation)

    def diagonal(self, argument: Expression) -> Expression:
        """Take the diagonal of a square matrix."""
        return self._node(Diagonal, argument.dtype, argument.shape[:1], argument)

    def windows(self, argument: Expression, axes: tuple[int, ...], extents: Shape) -> Expression:
        """Take all windows along axes."""
        shape = list(argument.shape)
        for axis, extent in zip(axes, extents, strict=True):
            shape[axis] = shape[axis] - extent + 1
        return self._node(Windows, argument.dtype, (*shape, *extents), argument, axes, extents)

    def gather(self, argument: Expression, indices: tuple[Expression, ...]) -> Expression:
        """Take cells at index arrays."""
        return self._node(Gather, argument.dtype, broadcast_shape(indices), argument, indices)

    def take(self, argument: Expression, axis: int, index: Expression) -> Expression:
        """Take places of an index array along an axis."""
        shape = (*argument.shape[:axis], *index.shape, *argument.shape[axis + 1 :])
        return self._node(Take, argument.dtype, shape, argument, axis, index)

    def triangle(self, argument: Expression, *, is_upper: bool, offset: Affine) -> Expression:
        """Keep a triangle of the last two axes."""
        return self._node(Triangle, argument.dtype, argument.shape, argument, is_upper, offset)

    # -- folds

    def contraction(
        self, arguments: tuple[Expression, ...], labels: tuple[tuple[str, ...], ...], output: tuple[str, ...]
    ) -> Expression:
        """Sum products over the labels that are not in the output."""
        extents = {
            label: extent
            for argument, names in zip(arguments, labels, strict=True)
            for label, extent in zip(names, argument.shape, strict=True)
        }
        shape = tuple(extents[label] for label in output)
        short = {label: str(position) for position, label in enumerate(extents)}
        named = tuple(tuple(short[label] for label in names) for names in labels)
        result = tuple(short[label] for label in output)
        return self._node(Contraction, arguments[0].dtype, shape, arguments, named, result)

    def reduction(
        self, op: Reducer, argument: Expression, axes: tuple[int, ...], initial: Expression | None = None
    ) -> Expression:
        """Fold over axes."""
        shape = tuple(extent for axis, extent in enumerate(argument.shape) if axis not in axes)
        return self._node(Reduction, argument.dtype, shape, argument, op, axes, initial)

    def position(self, argument: Expression, axis: int, *, is_greatest: bool) -> Expression:
        """Return the first place of the greatest or least value along an axis, which is not empty."""
        shape = (*argument.shape[:axis], *argument.shape[axis + 1 :])
        op: PositionName = "argmax" if is_greatest else "argmin"
        return self._node(Reduction, "i64", shape, argument, op, (axis,), None)

    def cumulative(self, op: Reducer, argument: Expression, axis: int) -> Expression:
        """Fold along an axis, keeping each intermediate value."""
        return self._node(Cumulative, argument.dtype, argument.shape, argument, op, axis)

    def segments(
        self, op: Reducer, argument: Expression, axis: int, bounds: Sequence[Expression], extent: Affine | None = None
    ) -> Expression:
        """Fold along an axis between bounds that follow each other, or along the first one between pairs of bounds.

        With an extent, what is along the first axis is spread over that many places, to those between its bounds.
        """
        first, *ends = bounds
        if not ends:
            shape = (*argument.shape[:axis], first.shape[0] - 1, *argument.shape[axis + 1 :])
            return self._node(Segments, argument.dtype, shape, argument, axis, first, op)
        kind, count = (Spans, first.shape[0]) if extent is None else (Spread, extent)
        return self._node(kind, argument.dtype, (count, *argument.shape[1:]), argument, axis, first, *ends, op)


_EXTREMES = ("max", "min", "fmax", "fmin")
_IDEMPOTENT = (*_EXTREMES, "and", "or")
_OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}


def _is_exact(node: Elementwise) -> bool:
    """Tell whether a comparison is of single integers, so that its opposite is the opposite comparison."""
    return node.is_weak and node.op in _OPPOSITE and all(is_integer(a.dtype) for a in node.arguments)


def is_number(value: Expression, number: int) -> bool:
    """Tell whether an expression is that number."""
    return isinstance(value, Literal) and value.value == number


def _is_special(value: Expression, name: str) -> bool:
    """Tell whether a value is ``inf``, ``-inf`` or ``nan``."""
    while isinstance(value, Cast):
        value = value.argument
    if name == "-inf":
        return isinstance(value, Elementwise) and value.op == "neg" and _is_special(value.arguments[0], "inf")
    return isinstance(value, Literal) and value.value == name


def _without_neutral(op: str, arguments: tuple[Expression, ...]) -> Expression | None:
    """Return what is left of a sum with zero, a product with one, or an extreme with what it ignores."""
    if len(arguments) != 2 or arguments[0].dtype != arguments[1].dtype:  # noqa: PLR2004 - binary operators
        return None
    number = {"add": 0, "mul": 1}.get(op)
    for one, other in (arguments, arguments[::-1]):
        if number is not None and is_number(one, number):
            return other
        if op in _EXTREMES and _is_special(one, "-inf" if op in ("max", "fmax") else "inf"):
            return other
        if op in ("fmax", "fmin") and _is_special(one, "nan"):
            return other
    return None


def _without_vanishing(op: str, arguments: tuple[Expression, ...]) -> Expression | None:
    """Return what is left of a sum or difference with a product by zero, if that has its shape."""
    left, right = arguments
    for kept, product in ((left, right), (right, left)):
        if op == "sub" and kept is right:
            break
        vanishes = isinstance(product, Elementwise) and product.op == "mul" and is_number(product.arguments[0], 0)
        if vanishes and kept.dtype == product.dtype and broadcast_shape(arguments) == kept.shape:
            return kept
    return None


def _size_plus_number(op: str, arguments: tuple[Expression, ...]) -> Affine | None:
    """Return a size plus or minus a whole number, both as reals: it is as exact as the size."""
    left, right = arguments[0], arguments[-1]
    if op not in ("add", "sub") or not is_float(left.dtype) or left.dtype != right.dtype:
        return None
    if op == "add" and isinstance(left, Literal):
        left, right = right, left
    if not isinstance(left, SizeValue) or not isinstance(right, Literal) or not isinstance(right.value, Fraction):
        return None
    if right.value.denominator != 1 or left.dtype in NARROW:  # which rounds a size before a number is added
        return None
    number = int(right.value)
    return left.affine + (number if op == "add" else -number)


def _without_negation(op: str, arguments: tuple[Expression, ...]) -> tuple[str, tuple[Expression, ...]]:
    """Write ``a + -b`` as ``a - b``, ``-a + b`` as ``b - a`` and ``a - -b`` as ``a + b``."""
    left, right = arguments
    if isinstance(right, Elementwise) and right.op == "neg":
        return "sub" if op == "add" else "add", (left, right.arguments[0])
    if op == "add" and isinstance(left, Elementwise) and left.op == "neg":
        return "sub", (right, left.arguments[0])
    return op, arguments


def _permutation(product: Expression, other: Expression) -> tuple[int, ...] | None:
    """Return how the axes of a product are permuted in another one of the same operands, as in A B^T and B A^T."""
    if product is other or not isinstance(product, Contraction) or not isinstance(other, Contraction):
        return None
    for arguments, labels in ((other.arguments, other.labels), (other.arguments[::-1], other.labels[::-1])):
        if arguments != product.arguments:
            continue
        pairs = {
            pair for theirs, mine in zip(labels, product.labels, strict=True) for pair in zip(theirs, mine, strict=True)
        }
        names = dict(pairs)
        if len(pairs) == len(names) == len(set(names.values())) and {names[n] for n in other.output} == set(
            product.output
        ):
            return tuple(product.output.index(names[name]) for name in other.output)
    return None


def broadcast_shape(arguments: Sequence[Expression]) -> Shape:
    """Return the shape to which operands broadcast."""
    if len(arguments) == 1:
        return arguments[0].shape
    rank = max(a.rank for a in arguments)
    shape = [ONE] * rank
    for argument in arguments:
        for position, extent in enumerate(argument.shape, rank - argument.rank):
            if shape[position] == ONE:
                shape[position] = extent
    return tuple(shape)


def _with_axes(build: Builder, argument: Expression, items: Sequence[SubscriptItem]) -> Expression | None:
    """Compute with axes of one position that would be inserted afterwards, where all operands have them."""
    if not argument.shape:
        return argument
    if isinstance(argument, Subscript):
        found = build.subscript(argument, items)
        return found if isinstance(found, Variable) else None
    if not isinstance(argument, Elementwise):
        return None
    arguments = [_with_axes(build, one, items) for one in argument.arguments if one.rank in (0, argument.rank)]
    known = [one for one in arguments if one is not None]
    if len(known) < len(argument.arguments):
        return None
    return build.elementwise(argument.op, *known, dtype=argument.dtype)


def owned(value: Expression, build: Builder) -> Expression:
    """Return a value in memory that nothing else refers to."""
    return value if owns_memory(value) else build.copy(value)


def owns_memory(value: Expression) -> bool:
    """Tell whether evaluating the expression gives memory that nothing else refers to."""
    if isinstance(value, Conditional):
        return owns_memory(value.chosen) and owns_memory(value.other)
    return type(value) not in _VIEWS


_VIEWS = (Variable, Subscript, Transpose, Diagonal, Windows, Broadcast)
