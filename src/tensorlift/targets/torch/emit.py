"""Emitting PyTorch: stores into slices, as in NumPy, with clones where a view would share memory.

New tensors take type and device of an array parameter, so that a program follows its arguments.

Expressions in PyTorch: dtypes and devices of an array parameter, explicit types where PyTorch has a default.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.clipping import clipped
from tensorlift.ir.means import is_mean, kept_fold
from tensorlift.ir.segments import Spans, Spread
from tensorlift.ir.stores import in_place
from tensorlift.ir.tensor_program import (
    At,
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
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Subscript,
    Take,
    Transpose,
    TriangleMask,
    Variable,
    Windows,
)
from tensorlift.ops.dtypes import SIGNED, UNSIGNED, is_float
from tensorlift.poly.affine import ZERO
from tensorlift.targets.python_text import spelling
from tensorlift.targets.python_text.arrays import (
    accumulation,
    contraction_text,
    iota,
    is_narrow,
    spans,
    spread,
    summed,
    widened_type,
)
from tensorlift.targets.python_text.emission import UPDATE_SIGNS, Emission, Memory
from tensorlift.targets.python_text.spelling import Library, Products, Spelling
from tensorlift.targets.python_text.taps import along, product_text
from tensorlift.targets.python_text.text import Precedence, Text, binary, call, converts_itself, is_cut
from tensorlift.targets.torch.helpers import HELPERS
from tensorlift.targets.torch.rows_functions import ELEMENT_TYPES, FUNCTIONS
from tensorlift.targets.torch.rows_shape import INDEX_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import Assign, Scatter, SetSlice, Shape, TensorProgram
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.emitted import Emitted


_FUNCTIONS = {
    "max": "maximum", "min": "minimum", "select": "where", "rem": "fmod", "rint": "round", "tdiv": "div",
    **{op: op for op in ("fmax", "fmin", "abs", "pow", "atan2", "copysign", *FUNCTIONS, "floor", "ceil", "trunc")},
}  # fmt: skip
# Functions that take Python numbers beside a tensor.
_TAKE_NUMBERS = {"tdiv", "pow", "select"}
_CLAMPS = {"max": "min", "min": "max"}
_FOLDS = {"mul": "prod", "max": "amax", "min": "amin"}
_REDUCTIONS = {
    "sum": "sum", "prod": "prod", "max": "amax", "min": "amin", "any": "any", "all": "all", "argmax": "argmax",
    "argmin": "argmin",
}  # fmt: skip


def _as_index(value: Expression) -> Expression:
    """Give integers the type that PyTorch takes for indices: it takes bytes for a mask."""
    if value.is_weak or value.dtype in INDEX_TYPES:
        return value
    return Cast("i64", value.shape, False, value)  # noqa: FBT003 - no Python number


# -- types and devices


def _device(spell: Spelling) -> str:
    """Spell the device of the first array parameter, nothing where there is none."""
    array = next((p.name for p in spell.parameters if p.shape), None)
    return "" if array is None else f"{spell.names.get(array, array)}.device"


def _like(spell: Spelling, dtype: DType) -> str:
    """Spell an array parameter of a type, nothing where there is none."""
    array = next((p.name for p in spell.parameters if p.shape and p.dtype == dtype), None)
    return "" if array is None else spell.names.get(array, array)


def _type_of(spell: Spelling, dtype: DType) -> str:
    """Spell a type, as that of a parameter where one of reals has it."""
    like = _like(spell, dtype) if is_float(dtype) else ""
    return f"{like}.dtype" if like else spell.dtype(dtype)


def _converted(spell: Spelling, number: Text, dtype: DType) -> Text:
    """Spell a number as a tensor."""
    return call("torch.as_tensor", number, dtype=_type_of(spell, dtype), device=_device(spell))


def _copy(spell: Spelling, node: Copy) -> Text:
    """Spell an array or a number in memory of its own."""
    inner = node.argument
    text = _strong(spell, inner) if inner.is_weak else spell(inner)
    if inner.is_weak and not (isinstance(inner, Variable) or spell.is_python(inner)):
        return text
    return Text(f"{text.atom}.clone()")


def _strong(spell: Spelling, node: Expression) -> Text:
    """Spell a value as a tensor: a parameter is made one at the top, any other number in place."""
    if isinstance(node, Variable) and spell.is_python(node):
        spell.wanted[node.name] = node.dtype
    return spell.converted(spell(node), node.dtype) if spell.is_python(node) else spell(node)


# -- arrays from nothing


def _new(spell: Spelling, function: str, dtype: DType, *arguments: str) -> Text:
    """Spell a new tensor, of the type and on the device of a parameter."""
    like = _like(spell, dtype)
    if like:
        return call(f"{like}.new_{function}", *arguments)
    return call(f"torch.{function}", *arguments, dtype=spell.dtype(dtype), device=_device(spell))


def _mask(spell: Spelling, node: TriangleMask | DiagonalMask) -> Text:
    """Spell a triangle or a diagonal as a comparison of rows and columns."""
    rows, columns = (call("torch.arange", spell.size(e), device=_device(spell)) for e in node.shape)
    down = Text(f"{rows.source}[:, None]")
    if node.offset != ZERO:
        down = binary(down, "+", spell.size(node.offset), Precedence.SUM)
    sign = ">=" if isinstance(node, TriangleMask) else "=="
    return Text(f"{down.source} {sign} {columns.source}", Precedence.COMPARISON)


def _full(spell: Spelling, node: Full) -> Text:
    """Spell a tensor of one value; one of a value that is computed keeps its derivative."""
    value = node.argument
    if isinstance(value, Literal) and value.value in (0, 1):
        return _new(spell, "ones" if value.value else "zeros", node.dtype, spell.shape(node.shape))
    if isinstance(value, Literal | SizeValue):
        return _new(spell, "full", node.dtype, spell.shape(node.shape), spell(value).source)
    text = call("torch.broadcast_to", _strong(spell, value), spell.shape(node.shape))
    return Text(f"{text.source}.clone()")


# -- views and conversions


def _subscript(spell: Spelling, node: Subscript) -> Text:
    """Spell slices and single cells; reversed axes are flipped, and folds keep axes that are inserted again."""
    fold = kept_fold(node)
    if fold is not None and fold[0].op in {"sum", "max", "min"} and fold[0].initial is None:
        return _reduction(spell, *fold, keepdim="True")
    if not any(isinstance(item, Reverse) for item in node.items):
        return spelling.subscript(spell, node)
    kept = [item for item in node.items if not isinstance(item, At)]
    axes = [str(k) for k, item in enumerate(kept) if isinstance(item, Reverse)]
    extents = iter(node.argument.shape)
    items = [item if isinstance(item, NewAxis) else _forward(item, next(extents)) for item in node.items]
    inner = spell(node.argument)
    text = spell.items(items, node.argument.shape)
    sliced = inner if text == ":" else Text(f"{inner.atom}[{text}]")
    return Text(f"{sliced.atom}.flip({', '.join(axes)})")


def _broadcast(spell: Spelling, node: Broadcast) -> Text:
    """Spell a broadcast of a tensor."""
    return call("torch.broadcast_to", _strong(spell, node.argument), spell.shape(node.shape))


def _transpose(spell: Spelling, node: Transpose) -> Text:
    """Spell permuted axes."""
    inner = spell(node.argument)
    return Text(f"{inner.atom}.T") if node.permutation == (1, 0) else _permuted(inner, node.permutation)


def _windows(spell: Spelling, node: Windows) -> Text:
    """Spell windows, axis by axis."""
    text = spell(node.argument)
    for axis, extent in zip(node.axes, node.extents, strict=True):
        text = Text(f"{text.atom}.unfold({axis}, {spell.size(extent).source}, 1)")
    return text


def _cast(spell: Spelling, node: Cast) -> Text:
    """Spell a conversion."""
    inner = node.argument
    is_number = spell.is_python(inner)
    if is_number and not isinstance(inner, SizeValue) and not is_cut(inner, node.dtype):
        spell.want_narrowed(inner, node.dtype)
        return spell.converted(spell(inner), node.dtype)
    if node.dtype == "bool":
        return Text(f"{spell(inner).within(Precedence.BIT_OR)} != 0", Precedence.COMPARISON)
    text = spell.converted(spell(inner), inner.dtype) if is_number else spell(inner)
    return Text(f"{text.atom}.to({_type_of(spell, node.dtype)})")


# -- elementwise


def _converts_itself(argument: Expression, other: Expression) -> bool:
    """Tell whether PyTorch converts one operand to the other's type, which must not be of a lower rank."""
    return converts_itself(argument, other) and (bool(other.rank) or not argument.rank)


def _elementwise(spell: Spelling, node: Elementwise) -> Text:
    """Spell a scalar function of arrays; a sum divided by its number of summands is a mean."""
    if node.op == "div" and is_mean(total := node.arguments[0], node.arguments[1]):
        return _reduction(spell, total, "mean")
    if (bounds := clipped(node)) is not None and all(isinstance(bound, Literal) for bound in bounds[1:]):
        return call("torch.clamp", spell(bounds[0]), min=spell(bounds[1]), max=spell(bounds[2]))
    return spelling.elementwise(spell, node)


def _function(spell: Spelling, node: Elementwise) -> Text:
    """Spell a scalar function that is no operator: of tensors, but for those that take numbers."""
    values = node.arguments
    if node.op in _CLAMPS:
        if all(isinstance(a, SizeValue | Literal) for a in values):
            return spelling.function(spell, node)
        bound = next((a for a in values if isinstance(a, Literal)), None)
        if bound is not None:
            other = values[0] if bound is values[1] else values[1]
            return call("torch.clamp", _strong(spell, other), **{_CLAMPS[node.op]: spell(bound).source})
    if node.op in _TAKE_NUMBERS:
        return _function_of_numbers(spell, node)
    if node.op not in spell.library.functions:
        return spelling.function(spell, node)
    return call(spell.library.functions[node.op], *(_strong(spell, a) for a in values))


def _function_of_numbers(spell: Spelling, node: Elementwise) -> Text:
    texts = spell.operands(node)
    values = node.arguments[1:] if node.op == "select" else node.arguments
    if node.op == "select":
        texts[0] = _strong(spell, node.arguments[0])
    elif all(spell.is_python(v) for v in values):
        texts[0] = _strong(spell, values[0])
    if node.op == "pow" and all(a.shape for a in values):
        return binary(texts[0], "**", texts[1], Precedence.POWER)
    mode = '"trunc"' if node.op == "tdiv" else ""
    return call(spell.library.functions[node.op], *(text for text in texts), rounding_mode=mode)


# -- folds


def _reduction(spell: Spelling, node: Reduction, method: str = "", keepdim: str = "") -> Text:
    """Spell a fold over axes."""
    if node.op not in _REDUCTIONS:
        raise refuse("TL305", f"PyTorch has no reduction {node.op}", remedy="lift to another target")
    argument, dtype = summed(spell, node)
    is_several = 1 < len(node.axes) < argument.rank
    if node.op == "sum" and isinstance(argument, Diagonal) and not method and not dtype:
        return call("torch.trace", spell(argument.argument))
    text = spell(argument)
    if node.initial is not None:
        return _started(spell, node, text)
    name = method or _REDUCTIONS[node.op]
    if node.op == "prod" and is_several:
        for axis in sorted(node.axes, reverse=True):
            text = call(f"{text.atom}.prod", dim=str(axis), dtype=dtype)
        return text
    dim = "" if len(node.axes) == argument.rank else str(node.axes[0] if len(node.axes) == 1 else node.axes)
    return call(f"{text.atom}.{name}", dim=dim, dtype=dtype, keepdim=keepdim)


def _started(spell: Spelling, node: Reduction, text: Text) -> Text:
    """Spell an extreme over axes that may be empty: its value for no elements is joined along each."""
    assert node.initial is not None
    extents = [spell.size(extent).source for extent in node.argument.shape]
    for axis in sorted(node.axes, reverse=True):
        one = [*extents[:axis], "1", *extents[axis + 1 :]]
        shape = f"({one[0]},)" if len(one) == 1 else f"({', '.join(one)})"
        start = call(f"{text.atom}.new_full", shape, spell(node.initial))
        joined = call("torch.cat", f"({text.source}, {start.source})", dim=str(axis) if axis else "")
        text = call(f"{joined.source}.{_REDUCTIONS[node.op]}", dim=str(axis) if len(extents) > 1 else "")
        del extents[axis]
    return text


def _cumulative(spell: Spelling, node: Cumulative) -> Text:
    """Spell a running fold."""
    function, dtype = accumulation(spell, node), widened_type(spell, node)
    text = call(function, spell(node.argument), dim=str(node.axis), dtype=dtype)
    return Text(f"{text.source}[0]") if function in ("torch.cummax", "torch.cummin") else text


# -- contractions


def _contraction(spell: Spelling, node: Contraction) -> Text:
    """Spell a sum of products; of integers as one of cells where an operand has all axes: GPUs have no other."""
    taps = product_text(spell, node)
    if taps is not None:
        return taps
    grid = max(node.labels, key=len)
    is_one_grid = len(set(grid)) == len(grid) and all(set(labels) <= set(grid) for labels in node.labels)
    if is_float(node.dtype) or not is_one_grid:
        return contraction_text(spell, node)
    axes = (*node.output, *(label for label in grid if label not in node.output))
    if node.output == tuple(label for label in grid if label in node.output):
        axes = grid  # as they lie in memory
    largest = node.arguments[node.labels.index(grid)]
    shape = tuple(largest.shape[grid.index(label)] for label in axes)
    factors = [along(a, labels, axes, shape) for a, labels in zip(node.arguments, node.labels, strict=True)]
    product = reduce(lambda left, right: Elementwise(node.dtype, shape, False, "mul", (left, right)), factors)  # noqa: FBT003 - no Python number
    summed_axes = tuple(k for k, label in enumerate(axes) if label not in node.output)
    return _reduction(spell, Reduction(node.dtype, node.shape, False, product, "sum", summed_axes))  # noqa: FBT003 - as above


def _swapped(_: str, text: Text) -> Text:
    """Spell the last two axes swapped."""
    return Text(f"{text.atom}.mT")


def _permuted(text: Text, order: Sequence[int]) -> Text:
    """Spell permuted axes."""
    return Text(f"{text.atom}.permute({', '.join(map(str, order))})")


def _full_product(spell: Spelling, left: Expression, right: Expression) -> Text:
    """Spell the sum of all products of corresponding cells."""
    return call("torch.tensordot", spell(left), spell(right), dims=str(left.rank))


def _tensordot(spell: Spelling, left: Expression, right: Expression, axes: tuple[list[int], list[int]]) -> Text:
    """Spell a product summed over pairs of axes."""
    return call("torch.tensordot", spell(left), spell(right), dims=f"({axes[0]}, {axes[1]})")


def _einsum(spell: Spelling, spec: str, operands: Sequence[Expression], dtype: DType) -> Text:
    """Spell any sum of products; one of narrow integers is computed in 64 bits."""
    texts = [spell(operand) for operand in operands]
    if not is_narrow(dtype):
        return call("torch.einsum", spec, *(text for text in texts))
    wide = call("torch.einsum", spec, *(f"{text.atom}.to(torch.int64)" for text in texts))
    return Text(f"{wide.source}.to({spell.dtype(dtype)})")


def _forward(item: object, extent: object) -> Range:
    """Return the same cells in ascending order."""
    return Range(ZERO, extent) if isinstance(item, Reverse) else item  # type: ignore[arg-type,return-value]  # as they are in a subscript


LIBRARY = Library(
    "torch",
    "PyTorch",
    {op: f"torch.{name}" for op, name in _FUNCTIONS.items()},
    {dtype: spelled for spelled, dtype in ELEMENT_TYPES.items()},
    {
        **spelling.RULES,
        Iota: lambda spell, node: iota(spell, node, _device(spell)),
        TriangleMask: _mask,
        DiagonalMask: _mask,
        Full: _full,
        Empty: lambda spell, node: _new(spell, "empty", node.dtype, spell.shape(node.shape)),
        Subscript: _subscript,
        Broadcast: _broadcast,
        Transpose: _transpose,
        Windows: _windows,
        Cast: _cast,
        Gather: lambda spell, node: spelling.gather(spell, replace(node, indices=tuple(map(_as_index, node.indices)))),
        Take: lambda spell, node: spelling.take(spell, replace(node, index=_as_index(node.index))),
        Copy: _copy,
        Elementwise: _elementwise,
        Reduction: _reduction,
        Cumulative: _cumulative,
        Contraction: _contraction,
        Spans: spans,
        Spread: spread,
    },
    function=_function,
    converted=_converted,
    products=Products(_swapped, _permuted, _full_product, _tensordot, _einsum),
    accumulations={
        "sum": "torch.cumsum", "prod": "torch.cumprod", "max": "torch.cummax", "min": "torch.cummin",
        "any": "torch.cummax", "all": "torch.cummin"},
    without_powers=frozenset({*SIGNED, *UNSIGNED}),
    table="torch.tensor",
    table_device=_device,
    weak_selections=True,
    shapes_are_tuples=True,
    converts_itself=_converts_itself,
)  # fmt: skip


def emit(program: TensorProgram) -> Emitted:
    """Return the program as Python source over PyTorch.

    Raises:
        LiftError: TL305 or TL307 where PyTorch lacks a function or a type, TL306 where the program returns nothing.

    """
    return _TorchEmission(program).emit()


class _TorchEmission(Emission):
    library = LIBRARY
    reserved = frozenset({"torch", *HELPERS})
    helpers = MappingProxyType(HELPERS)

    def __init__(self, program: TensorProgram) -> None:
        self._memory = Memory()
        super().__init__(program)

    def imports(self) -> list[str]:
        """Import PyTorch."""
        for parameter in self.program.parameters:
            if not parameter.is_size:
                self.spell.dtype(parameter.dtype)
        return ["import torch"]

    def named(self, statement: Assign, name: str) -> tuple[str, str] | None:
        """Spell an assignment to a name: a single cell is cloned, as it would be a view, a number made a tensor."""
        self._memory.assign(statement)
        if self.spell.is_python(statement.value):
            return f"{name} =", self.spell.converted(self.spell(statement.value), statement.value.dtype).source
        return f"{name} =", self._own_cell(statement.value)

    def returned(self, value: Expression) -> str:
        """Spell a value that is returned, a single cell in memory of its own."""
        return self._own_cell(value)

    def stored(self, statement: SetSlice, name: str) -> tuple[str, str]:
        """Spell a store into slices; a view of the same memory is cloned before."""
        if any(isinstance(item, Reverse) for item in statement.items):
            raise refuse("TL305", "PyTorch has no store into reversed cells", remedy="lift to another target")
        update, value = in_place(statement)
        text = self.spell(value)
        is_cell = all(isinstance(item, At) for item in statement.items)
        if not is_cell and self._memory.is_shared(statement, value):
            text = Text(f"{text.atom}.clone()")
        return self.head(statement, name, update), text.source

    def scattered(self, node: Scatter, name: str) -> tuple[str, str]:
        """Spell an update at index arrays: a store, or a method, those for places in a row being the faster ones."""
        places = replace(node, indices=tuple(map(_as_index, node.indices)))
        listed, value = self.places(places), self.spell(node.value).source
        if node.op == "set" or (node.op in UPDATE_SIGNS and not any(index.shape for index in node.indices)):
            return f"{name}[{', '.join(listed)}] {UPDATE_SIGNS.get(node.op, '=')} ", value
        (axis, *more), (index, *_) = node.axes, places.indices
        if not more and index.rank == 1:
            shape = (*node.shape[:axis], *index.shape, *node.shape[axis + 1 :])
            value = self._of_shape(node.value, shape)
            if node.op == "add":
                return "", f"{name}.index_add_({axis}, {self.spell(index).source}, {value})"
            items = ", ".join(":" if number == axis else "None" for number in range(node.rank))
            wide = index if index.dtype == "i64" else Cast("i64", index.shape, False, index)  # noqa: FBT003 - no Python number
            at = self.spell(wide)
            if node.rank > 1:
                at = call("torch.broadcast_to", f"{at.atom}[{items}]", self.spell.shape(shape))
            return "", f'{name}.scatter_reduce_({axis}, {at.source}, {value}, "{_FOLDS[node.op]}")'
        if node.op != "add" or axis:
            return super().scattered(node, name)
        given = f"({', '.join(listed)}{',' if len(listed) == 1 else ''})"
        return "", f"{name}.index_put_({given}, {_strong(self.spell, node.value).source}, accumulate=True)"

    def _of_shape(self, value: Expression, shape: Shape) -> str:
        """Spell a value as a tensor of a shape."""
        whole = value if value.shape == shape else Broadcast(value.dtype, shape, False, value)  # noqa: FBT003 - no Python number
        return self.spell(whole).source

    def _own_cell(self, value: Expression) -> str:
        """Spell a value, a single cell in memory of its own."""
        text = self.spell(value)
        return f"{text.atom}.clone()" if _may_be_cell(value) else text.source


def _may_be_cell(value: Expression) -> bool:
    if isinstance(value, Conditional):
        return _may_be_cell(value.chosen) or _may_be_cell(value.other)
    return isinstance(value, Subscript | Gather | Take) and not value.rank
