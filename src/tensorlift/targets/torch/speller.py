"""Expressions in PyTorch: dtypes and devices of an array parameter, explicit types where PyTorch has a default."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from tensorlift.comprehension.affine import ZERO
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import (
    At,
    Cast,
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
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Take,
    Transpose,
    TriangleMask,
    Variable,
)
from tensorlift.ops.dtypes import SIGNED, UNSIGNED
from tensorlift.targets.python_text.array_speller import is_mean, is_widened
from tensorlift.targets.python_text.contractions import contraction_text
from tensorlift.targets.python_text.numbers import is_cut, may_be_python
from tensorlift.targets.python_text.speller import Speller
from tensorlift.targets.python_text.text import Precedence, Text, binary, call
from tensorlift.targets.torch.rows_functions import FUNCTIONS
from tensorlift.targets.torch.rows_index import INDEX_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import Broadcast, Shape, Subscript, Windows
    from tensorlift.ops.dtypes import DType

_FUNCTIONS = {
    "max": "maximum", "min": "minimum", "select": "where", "rem": "fmod", "rint": "round", "tdiv": "div",
    **{op: op for op in ("fmax", "fmin", "abs", "pow", "atan2", "copysign", *FUNCTIONS, "floor", "ceil", "trunc")},
}  # fmt: skip
# Functions that take Python numbers beside a tensor.
_TAKE_NUMBERS = {"tdiv", "pow", "select"}
_CLAMPS = {"max": "min", "min": "max"}
_REDUCTIONS = {
    "sum": "sum", "prod": "prod", "max": "amax", "min": "amin", "any": "any", "all": "all", "argmax": "argmax",
    "argmin": "argmin",
}  # fmt: skip
_ACCUMULATIONS = {"sum": "torch.cumsum", "prod": "torch.cumprod", "max": "torch.cummax", "min": "torch.cummin"}


def _as_index(value: Expression) -> Expression:
    """Give integers the type that PyTorch takes for indices: it takes bytes for a mask."""
    if value.is_weak or value.dtype in INDEX_TYPES:
        return value
    return Cast("i64", value.shape, False, value)  # noqa: FBT003 - no Python number


class TorchSpeller(Speller):
    """Spells expressions in PyTorch."""

    name = "torch"
    title = "PyTorch"
    functions: ClassVar = {op: f"torch.{name}" for op, name in _FUNCTIONS.items()}
    dtypes: ClassVar = {
        "bool": "torch.bool", "i8": "torch.int8", "i16": "torch.int16", "i32": "torch.int32", "i64": "torch.int64",
        "u8": "torch.uint8", "f32": "torch.float32", "f64": "torch.float64",
    }  # fmt: skip
    without_powers: ClassVar = frozenset({*SIGNED, *UNSIGNED})

    # -- types and devices

    def _device(self) -> str:
        """Spell the device of the first array parameter, nothing where there is none."""
        array = next((p.name for p in self.parameters if p.shape), None)
        return "" if array is None else f"{self.names.get(array, array)}.device"

    def _like(self, dtype: DType) -> str:
        """Spell an array parameter of a type, nothing where there is none."""
        array = next((p.name for p in self.parameters if p.shape and p.dtype == dtype), None)
        return "" if array is None else self.names.get(array, array)

    def _type_of(self, dtype: DType) -> str:
        """Spell a type, as that of a parameter where one of reals has it."""
        like = self._like(dtype) if dtype in ("f32", "f64") else ""
        return f"{like}.dtype" if like else self.dtype(dtype)

    def shape(self, shape: Shape) -> str:
        """Spell a shape as a tuple."""
        inner = ", ".join(self.size(extent).source for extent in shape)
        return f"({inner},)" if len(shape) == 1 else f"({inner})"

    def converted(self, number: Text, dtype: DType) -> Text:
        """Spell a number as a tensor."""
        return call("torch.as_tensor", number.source, dtype=self._type_of(dtype), device=self._device())

    def copy(self, node: Copy) -> Text:
        """Spell an array or a number in memory of its own."""
        inner = node.argument
        text = self._strong(inner) if inner.is_weak else self(inner)
        if inner.is_weak and not (isinstance(inner, Variable) or may_be_python(inner, self.firm)):
            return text
        return Text(f"{text.atom}.clone()")

    def _strong(self, node: Expression) -> Text:
        """Spell a value as a tensor: a parameter is made one at the top, any other number in place."""
        if isinstance(node, Variable) and may_be_python(node, self.firm):
            self.wanted[node.name] = node.dtype
        return self.converted(self(node), node.dtype) if may_be_python(node, self.firm) else self(node)

    # -- arrays from nothing

    def _new(self, function: str, dtype: DType, *arguments: str) -> Text:
        """Spell a new tensor, of the type and on the device of a parameter."""
        like = self._like(dtype)
        if like:
            return call(f"{like}.new_{function}", *arguments)
        return call(f"torch.{function}", *arguments, dtype=self.dtype(dtype), device=self._device())

    def iota(self, node: Iota) -> Text:
        """Spell a range of integers."""
        dtype = "" if node.dtype == "i64" else self.dtype(node.dtype)
        stop = self.size(node.start + node.shape[0]).source
        ends = [stop] if node.start == ZERO else [self.size(node.start).source, stop]
        return call("torch.arange", *ends, dtype=dtype, device=self._device())

    def mask(self, node: TriangleMask | DiagonalMask) -> Text:
        """Spell a triangle or a diagonal as a comparison of rows and columns."""
        rows, columns = (call("torch.arange", self.size(e).source, device=self._device()) for e in node.shape)
        down = Text(f"{rows.source}[:, None]")
        if node.offset != ZERO:
            down = binary(down, "+", self.size(node.offset), Precedence.SUM)
        sign = ">=" if isinstance(node, TriangleMask) else "=="
        return Text(f"{down.source} {sign} {columns.source}", Precedence.COMPARISON)

    def full(self, node: Full) -> Text:
        """Spell a tensor of one value; one of a value that is computed keeps its derivative."""
        value = node.argument
        if isinstance(value, Literal) and value.value in (0, 1):
            return self._new("ones" if value.value else "zeros", node.dtype, self.shape(node.shape))
        if isinstance(value, Literal | SizeValue):
            return self._new("full", node.dtype, self.shape(node.shape), self(value).source)
        text = call("torch.broadcast_to", self._strong(value).source, self.shape(node.shape))
        return Text(f"{text.source}.clone()")

    def empty(self, node: Empty) -> Text:
        """Spell a tensor to be filled."""
        return self._new("empty", node.dtype, self.shape(node.shape))

    # -- views and conversions

    def subscript(self, node: Subscript) -> Text:
        """Spell slices and single cells; reversed axes are flipped."""
        if not any(isinstance(item, Reverse) for item in node.items):
            return super().subscript(node)
        kept = [item for item in node.items if not isinstance(item, At)]
        axes = [str(k) for k, item in enumerate(kept) if isinstance(item, Reverse)]
        extents = iter(node.argument.shape)
        items = [item if isinstance(item, NewAxis) else _forward(item, next(extents)) for item in node.items]
        inner = self(node.argument)
        text = self.items(items, node.argument.shape)
        sliced = inner if text == ":" else Text(f"{inner.atom}[{text}]")
        return Text(f"{sliced.atom}.flip({', '.join(axes)})")

    def broadcast(self, node: Broadcast) -> Text:
        """Spell a broadcast of a tensor."""
        return call("torch.broadcast_to", self._strong(node.argument).source, self.shape(node.shape))

    def transpose(self, node: Transpose) -> Text:
        """Spell permuted axes."""
        inner = self(node.argument)
        if node.permutation == (1, 0):
            return Text(f"{inner.atom}.T")
        return self.permuted(inner, node.permutation)

    def windows(self, node: Windows) -> Text:
        """Spell windows, axis by axis."""
        text = self(node.argument)
        for axis, extent in zip(node.axes, node.extents, strict=True):
            text = Text(f"{text.atom}.unfold({axis}, {self.size(extent).source}, 1)")
        return text

    def cast(self, node: Cast) -> Text:
        """Spell a conversion."""
        inner = node.argument
        is_number = may_be_python(inner, self.firm)
        if is_number and not isinstance(inner, SizeValue) and not is_cut(inner, node.dtype):
            self.want_narrowed(inner, node.dtype)
            return self.converted(self(inner), node.dtype)
        if node.dtype == "bool":
            return Text(f"{self(inner).within(Precedence.BIT_OR)} != 0", Precedence.COMPARISON)
        text = self.converted(self(inner), inner.dtype) if is_number else self(inner)
        return Text(f"{text.atom}.to({self._type_of(node.dtype)})")

    def gather(self, node: Gather) -> Text:
        """Spell cells at index arrays."""
        return super().gather(replace(node, indices=tuple(map(_as_index, node.indices))))

    def take(self, node: Take) -> Text:
        """Spell places along an axis."""
        return super().take(replace(node, index=_as_index(node.index)))

    # -- elementwise

    def converts_itself(self, argument: Expression, other: Expression) -> bool:
        """Tell whether PyTorch converts one operand to the other's type, which must not be of a lower rank."""
        return super().converts_itself(argument, other) and (bool(other.rank) or not argument.rank)

    def needs_type(self, node: Elementwise, values: Sequence[Expression]) -> bool:
        """Tell whether Python numbers need a type; a selection takes its type from a tensor."""
        is_weak = node.op == "select" and all(may_be_python(v, self.firm) for v in values)
        return is_weak or super().needs_type(node, values)

    def elementwise(self, node: Elementwise) -> Text:
        """Spell a scalar function of arrays; a sum divided by its number of summands is a mean."""
        if node.op == "div" and is_mean(total := node.arguments[0], node.arguments[1]):
            return self.reduction(total, "mean")
        return super().elementwise(node)

    def function(self, node: Elementwise) -> Text:
        """Spell a scalar function that is no operator: of tensors, but for those that take numbers."""
        values = node.arguments
        if node.op in _CLAMPS:
            if all(isinstance(a, SizeValue | Literal) for a in values):
                return super().function(node)
            bound = next((a for a in values if isinstance(a, Literal)), None)
            if bound is not None:
                other = values[0] if bound is values[1] else values[1]
                return call("torch.clamp", self._strong(other).source, **{_CLAMPS[node.op]: self(bound).source})
        if node.op in _TAKE_NUMBERS:
            return self._function_of_numbers(node)
        function = self.functions.get(node.op)
        if function is None:
            return super().function(node)
        return call(function, *(self._strong(a).source for a in values))

    def _function_of_numbers(self, node: Elementwise) -> Text:
        texts = self.operands(node)
        values = node.arguments[1:] if node.op == "select" else node.arguments
        if node.op == "select":
            texts[0] = self._strong(node.arguments[0])
        elif all(may_be_python(v, self.firm) for v in values):
            texts[0] = self._strong(values[0])
        if node.op == "pow" and all(a.shape for a in values):
            return binary(texts[0], "**", texts[1], Precedence.POWER)
        mode = '"trunc"' if node.op == "tdiv" else ""
        return call(self.functions[node.op], *(text.source for text in texts), rounding_mode=mode)

    # -- folds

    def reduction(self, node: Reduction, method: str = "") -> Text:
        """Spell a fold over axes."""
        if node.op not in _REDUCTIONS:
            raise refuse("TL305", f"PyTorch has no reduction {node.op}", remedy="lift to another target")
        argument = node.argument
        is_several = 1 < len(node.axes) < argument.rank
        dtype = self.dtype(node.dtype) if node.op in ("sum", "prod") and is_widened(node.dtype) else ""
        if node.op in ("sum", "prod") and isinstance(argument, Cast):
            argument, dtype = argument.argument, self.dtype(node.dtype)
        if node.op == "sum" and isinstance(argument, Diagonal) and not method and not dtype:
            return call("torch.trace", self(argument.argument).source)
        text = self(argument)
        if node.initial is not None:
            return self._started(node, text)
        name = method or _REDUCTIONS[node.op]
        if node.op == "prod" and is_several:
            for axis in sorted(node.axes, reverse=True):
                text = call(f"{text.atom}.prod", dim=str(axis), dtype=dtype)
            return text
        dim = "" if len(node.axes) == argument.rank else str(node.axes[0] if len(node.axes) == 1 else node.axes)
        return call(f"{text.atom}.{name}", dim=dim, dtype=dtype)

    def _started(self, node: Reduction, text: Text) -> Text:
        """Spell an extreme over axes that may be empty: its value for no elements is joined along each."""
        assert node.initial is not None
        extents = [self.size(extent).source for extent in node.argument.shape]
        for axis in sorted(node.axes, reverse=True):
            one = [*extents[:axis], "1", *extents[axis + 1 :]]
            shape = f"({one[0]},)" if len(one) == 1 else f"({', '.join(one)})"
            start = call(f"{text.atom}.new_full", shape, self(node.initial).source)
            joined = call("torch.cat", f"({text.source}, {start.source})", dim=str(axis) if axis else "")
            text = call(f"{joined.source}.{_REDUCTIONS[node.op]}", dim=str(axis) if len(extents) > 1 else "")
            del extents[axis]
        return text

    def cumulative(self, node: Cumulative) -> Text:
        """Spell a running fold."""
        function = _ACCUMULATIONS.get(node.op)
        if function is None:
            raise refuse("TL305", f"PyTorch has no running {node.op}", remedy="lift to another target")
        dtype = self.dtype(node.dtype) if node.op in ("sum", "prod") and is_widened(node.dtype) else ""
        text = call(function, self(node.argument).source, dim=str(node.axis), dtype=dtype)
        return Text(f"{text.source}[0]") if node.op in ("max", "min") else text

    # -- contractions

    def contraction(self, node: Contraction) -> Text:
        """Spell a sum of products."""
        return contraction_text(node, self)

    def swapped(self, text: Text) -> Text:
        """Spell the last two axes swapped."""
        return Text(f"{text.atom}.mT")

    def permuted(self, text: Text, order: Sequence[int]) -> Text:
        """Spell permuted axes."""
        return Text(f"{text.atom}.permute({', '.join(map(str, order))})")

    def full_product(self, left: Expression, right: Expression) -> Text:
        """Spell the sum of all products of corresponding cells."""
        return call("torch.tensordot", self(left).source, self(right).source, dims=str(left.rank))

    def tensordot(self, left: Expression, right: Expression, axes: tuple[list[int], list[int]]) -> Text:
        """Spell a product summed over pairs of axes."""
        return call("torch.tensordot", self(left).source, self(right).source, dims=f"({axes[0]}, {axes[1]})")

    def einsum(self, spec: str, operands: Sequence[Expression], dtype: DType) -> Text:
        """Spell any sum of products; one of narrow integers is computed in 64 bits."""
        texts = [self(operand) for operand in operands]
        if not is_widened(dtype):
            return call("torch.einsum", spec, *(text.source for text in texts))
        wide = call("torch.einsum", spec, *(f"{text.atom}.to(torch.int64)" for text in texts))
        return Text(f"{wide.source}.to({self.dtype(dtype)})")


def _forward(item: object, extent: object) -> Range:
    """Return the same cells in ascending order."""
    return Range(ZERO, extent) if isinstance(item, Reverse) else item  # type: ignore[arg-type,return-value]  # as they are in a subscript
