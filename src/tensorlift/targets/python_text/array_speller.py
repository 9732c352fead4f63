"""Expressions in the interface of NumPy, which other libraries have under another name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeGuard

from tensorlift.comprehension.affine import ZERO
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    Cast,
    Contraction,
    Cumulative,
    Diagonal,
    DiagonalMask,
    Elementwise,
    Empty,
    Expression,
    Full,
    Iota,
    Literal,
    Reduction,
    SizeValue,
    Transpose,
    TriangleMask,
)
from tensorlift.ops.dtypes import is_float, is_integer, width
from tensorlift.ops.scalar_ops import ROUNDINGS, numpy_name
from tensorlift.targets.arrays.functions import FUNCTIONS
from tensorlift.targets.python_text.contractions import contraction_text
from tensorlift.targets.python_text.numbers import is_cut, may_be_python
from tensorlift.targets.python_text.speller import Speller
from tensorlift.targets.python_text.text import Precedence, Text, call

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ops.dtypes import DType

_FUNCTIONS = {
    "max": "maximum", "min": "minimum", "select": "where", "rem": "fmod", "pow": "power", "atan2": "arctan2",
    **{op: numpy_name(op) for op in ("fmax", "fmin", "abs", "copysign", *FUNCTIONS, *ROUNDINGS)},
}  # fmt: skip
_METHOD_REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin")


def functions_of(library: str) -> dict[str, str]:
    """Return how scalar operations are spelled as functions; C's division and rounding are helpers of the text."""
    return {op: f"{library}.{name}" for op, name in _FUNCTIONS.items()} | {"tdiv": "tdiv", "round": "round_half_away"}


def element_types_of(library: str) -> dict[DType, str]:
    """Return how element types are spelled."""
    named: dict[DType, str] = {
        "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
        "u64": "uint64", "f32": "float32", "f64": "float64",
    }  # fmt: skip
    return {"bool": "bool", **{dtype: f"{library}.{name}" for dtype, name in named.items()}}


class ArraySpeller(Speller):
    """Spells expressions in NumPy's interface."""

    accumulations: ClassVar[Mapping[str, str]]

    # -- arrays from nothing

    def iota(self, node: Iota) -> Text:
        """Spell a range of integers."""
        dtype = "" if node.dtype == "i64" else self.dtype(node.dtype)
        stop = self.size(node.start + node.shape[0]).source
        ends = [stop] if node.start == ZERO else [self.size(node.start).source, stop]
        return call(f"{self.name}.arange", *ends, dtype=dtype)

    def mask(self, node: TriangleMask | DiagonalMask, dtype: str = "bool") -> Text:
        """Spell a triangle or a diagonal."""
        function = "tri" if isinstance(node, TriangleMask) else "eye"
        rows, columns = (self.size(extent).source for extent in node.shape)
        offset = "" if node.offset == ZERO else self.size(node.offset).source
        extents = [rows] if rows == columns else [rows, columns]
        return call(f"{self.name}.{function}", *extents, k=offset, dtype=dtype)

    def full(self, node: Full) -> Text:
        """Spell an array of one value."""
        value = node.argument
        if isinstance(value, Literal) and value.value in (0, 1):
            function = "ones" if value.value else "zeros"
            return call(f"{self.name}.{function}", self.shape(node.shape), dtype=self.unless_default(node.dtype))
        dtype = self.filled_type(node)
        return call(f"{self.name}.full", self.shape(node.shape), self(value).source, dtype=dtype)

    def filled_type(self, node: Full) -> str:
        """Spell the type of a filled array, unless it is the value's."""
        plain = isinstance(node.argument, Literal) and node.dtype == "f64"
        return "" if plain else self.dtype(node.dtype)

    def empty(self, node: Empty) -> Text:
        """Spell an array to be filled."""
        return call(f"{self.name}.empty", self.shape(node.shape), dtype=self.unless_default(node.dtype))

    def unless_default(self, dtype: DType) -> str:
        """Spell a type, unless it is that of reals for which the text names none."""
        return "" if dtype == "f64" else self.dtype(dtype)

    # -- views and conversions

    def transpose(self, node: Transpose) -> Text:
        """Spell permuted axes."""
        inner = self(node.argument)
        if node.permutation == tuple(reversed(range(node.rank))):
            return Text(f"{inner.atom}.T")
        return self.permuted(inner, node.permutation)

    def cast(self, node: Cast) -> Text:
        """Spell a conversion."""
        inner = node.argument
        if isinstance(inner, TriangleMask | DiagonalMask):
            return self.mask(inner, self.unless_default(node.dtype))
        if node.dtype == "bool":
            return Text(f"{self(inner).within(Precedence.BIT_OR)} != 0", Precedence.COMPARISON)
        is_number = may_be_python(inner, self.firm)
        if is_number and not isinstance(inner, SizeValue) and not is_cut(inner, node.dtype):
            self.want_narrowed(inner, node.dtype)
            return self.converted(self(inner), node.dtype)
        text = self.converted(self(inner), inner.dtype) if is_number else self(inner)
        return Text(f"{text.atom}.astype({self.dtype(node.dtype)})")

    def converted(self, number: Text, dtype: DType) -> Text:
        """Spell a Python number as one of the library's; ``bool`` is Python's."""
        return call(f"{self.name}.bool_", number.source) if dtype == "bool" else super().converted(number, dtype)

    # -- folds

    def elementwise(self, node: Elementwise) -> Text:
        """Spell a scalar function of arrays; a sum divided by its number of summands is a mean.

        An extreme of a number and of a fold that may be over nothing is a fold that starts with the number.
        """
        if node.op == "div" and is_mean(total := node.arguments[0], node.arguments[1]):
            return self.reduction(total, "mean")
        started = _started(node)
        if started is not None:
            return self.reduction(started)
        return super().elementwise(node)

    def reduction(self, node: Reduction, method: str = "") -> Text:
        """Spell a fold over axes."""
        argument = node.argument
        dtype = ""
        if node.op in ("sum", "prod"):
            if isinstance(argument, Cast):
                argument, dtype = argument.argument, self.dtype(node.dtype)
            elif is_widened(node.dtype):
                dtype = self.dtype(node.dtype)
        axis = "" if len(node.axes) == argument.rank else str(node.axes[0] if len(node.axes) == 1 else node.axes)
        initial = self(node.initial).source if node.initial is not None else ""
        if node.op == "sum" and isinstance(argument, Diagonal) and not method:
            return call(f"{self.name}.trace", self(argument.argument).source, dtype=dtype)
        inner = self(argument)
        is_method = node.op in _METHOD_REDUCTIONS
        if not is_method and not method:
            whole = axis or ("0" if argument.rank == 1 else "None")
            return call(f"{self.name}.{node.op}.reduce", inner.source, axis=whole, initial=initial)
        method = method or node.op
        if is_method and inner.precedence is Precedence.ATOM:
            return call(f"{inner.source}.{method}", axis=axis, dtype=dtype, initial=initial)
        return call(f"{self.name}.{method}", inner.source, axis=axis, dtype=dtype, initial=initial)

    def cumulative(self, node: Cumulative) -> Text:
        """Spell a running fold."""
        function = self.accumulations.get(node.op)
        if function is None:
            raise refuse("TL305", f"{self.title} has no running {node.op}", remedy="lift to another target")
        axis = "" if node.argument.rank == 1 else str(node.axis)
        dtype = self.dtype(node.dtype) if node.op in ("sum", "prod") and is_widened(node.dtype) else ""
        return call(function, self(node.argument).source, axis=axis, dtype=dtype)

    def contraction(self, node: Contraction) -> Text:
        """Spell a sum of products."""
        return contraction_text(node, self)

    def swapped(self, text: Text) -> Text:
        """Spell the last two axes swapped."""
        return call(f"{self.name}.swapaxes", text.source, "-1", "-2")

    def permuted(self, text: Text, order: Sequence[int]) -> Text:
        """Spell permuted axes."""
        return Text(f"{text.atom}.transpose({', '.join(map(str, order))})")

    def full_product(self, left: Expression, right: Expression) -> Text:
        """Spell the sum of all products of corresponding cells."""
        return call(f"{self.name}.vdot", self(left).source, self(right).source)

    def tensordot(self, left: Expression, right: Expression, axes: tuple[list[int], list[int]]) -> Text:
        """Spell a product summed over pairs of axes."""
        pair = f"({axes[0][0]}, {axes[1][0]})" if len(axes[0]) == 1 else f"({axes[0]}, {axes[1]})"
        return call(f"{self.name}.tensordot", self(left).source, self(right).source, axes=pair)

    def einsum(self, spec: str, operands: Sequence[Expression], dtype: DType) -> Text:  # noqa: ARG002 - all types alike
        """Spell any sum of products."""
        optimize = "True" if len(operands) > 2 else ""  # noqa: PLR2004 - a product of more than two
        return call(f"{self.name}.einsum", spec, *(self(o).source for o in operands), optimize=optimize)


def _started(node: Elementwise) -> Reduction | None:
    """Return the fold that starts with the number with which it is compared."""
    for start, fold in (node.arguments, node.arguments[::-1]) if node.op in ("max", "min") else ():
        if isinstance(fold, Reduction) and fold.op == node.op and isinstance(fold.initial, Literal):
            is_number = isinstance(start, Literal) or not (start.shape or start.is_weak)
            return replace(fold, initial=start) if is_number and start.dtype == fold.dtype else None
    return None


def is_mean(left: Expression, right: Expression) -> TypeGuard[Reduction]:
    """Tell whether a sum of reals is divided by the number of its summands."""
    if not isinstance(left, Reduction) or left.op != "sum" or len(left.axes) != 1 or not isinstance(right, SizeValue):
        return False
    is_plain = not isinstance(left.argument, Cast) and is_float(left.dtype)
    return is_plain and right.affine == left.argument.shape[left.axes[0]]


def is_widened(dtype: DType) -> bool:
    """Tell whether the library would sum in a wider type."""
    return is_integer(dtype) and width(dtype) < 64  # noqa: PLR2004 - the widest type
