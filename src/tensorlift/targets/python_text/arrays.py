"""Expressions in the interface of NumPy, which other libraries have under another name: rules for their nodes.

Contractions: matrix products where transposing brings the operands into that form, else other sums of products.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.ir.clipping import clipped
from tensorlift.ir.means import is_mean, kept_fold
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
    Subscript,
    Transpose,
    TriangleMask,
)
from tensorlift.ops.dtypes import is_integer, width
from tensorlift.ops.scalar_ops import ROUNDINGS, numpy_name
from tensorlift.poly.affine import ZERO
from tensorlift.targets.arrays.functions import FUNCTIONS
from tensorlift.targets.arrays.spans import NAMES, SPREADS
from tensorlift.targets.python_text import spelling
from tensorlift.targets.python_text.spelling import Library, Products, Rule, Spelling
from tensorlift.targets.python_text.text import Precedence, Text, asks_of_sizes, binary, call, is_cut

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.segments import Spans, Spread
    from tensorlift.ops.dtypes import DType


class Operand(NamedTuple):
    """An operand of a product with the labels of its axes."""

    expression: Expression
    labels: tuple[str, ...]


def contraction_text(spell: Spelling, node: Contraction) -> Text:
    """Return the shortest spelling of a sum of products in the interface of NumPy."""
    operands = [Operand(a, labels) for a, labels in zip(node.arguments, node.labels, strict=True)]
    if len(operands) == 2:  # noqa: PLR2004 - a product of two
        left, right = operands
        if len(left.labels) == 1 and right.labels[:1] != left.labels:
            left, right = right, left  # ``A @ x`` rather than ``x @ A.T``
        if not node.output and left.labels == right.labels and len(left.labels) > 1:
            return spell.library.products.full_product(spell, left.expression, right.expression)
        text = _matmul(left, right, node.output, spell) or _matmul(right, left, node.output, spell)
        if text is not None:
            return text
        text = _tensordot(left, right, node.output, spell)
        if text is not None:
            return text
    return einsum_text(spell, node)


def _matmul(left: Operand, right: Operand, output: tuple[str, ...], spell: Spelling) -> Text | None:
    """Spell ``left @ right``: rows of the left, columns of the right, one summed label, common leading labels."""
    shared = [label for label in left.labels if label in right.labels]
    summed = [label for label in shared if label not in output]
    batch = tuple(label for label in shared if label in output)
    if len(summed) != 1:
        return None
    rows = tuple(label for label in left.labels if label not in shared)
    columns = tuple(label for label in right.labels if label not in shared)
    if not batch and len(columns) > 1:
        return _broadcast_matmul(left, right, summed[0], output, spell)
    if output != (*batch, *rows, *columns):
        return None
    if batch and not (len(rows) == 1 and len(columns) == 1):
        return None
    if not batch and len(rows) > 1 and len(right.labels) > 2:  # noqa: PLR2004 - a matrix
        return None
    first = _arranged(left, (*batch, *rows, *summed), spell)
    second = _arranged(right, (*batch, *summed, *columns), spell)
    return binary(first, "@", second, Precedence.PRODUCT)


def _broadcast_matmul(
    left: Operand, right: Operand, summed: str, output: tuple[str, ...], spell: Spelling
) -> Text | None:
    """Spell a matrix times a stack of matrices."""
    if len(left.labels) != 2 or right.labels[-2] != summed:  # noqa: PLR2004 - a matrix
        return None
    row = next(label for label in left.labels if label != summed)
    first = _arranged(left, (row, summed), spell)
    if output != (*right.labels[:-2], row, right.labels[-1]):
        return None
    return binary(first, "@", spell(right.expression), Precedence.PRODUCT)


def _arranged(operand: Operand, labels: tuple[str, ...], spell: Spelling) -> Text:
    """Spell the operand with its axes in the order of the labels; only what ``.T`` or ``.swapaxes`` says."""
    text = spell(operand.expression)
    if operand.labels == labels:
        return text
    if len(labels) == 2:  # noqa: PLR2004 - a matrix
        return _transposed(text)
    if operand.labels[:-2] == labels[:-2] and operand.labels[-2:] == labels[:-3:-1]:
        return spell.library.products.swapped(spell.library.name, text)
    return spell.library.products.permuted(text, [operand.labels.index(label) for label in labels])


def _transposed(text: Text) -> Text:
    if text.precedence is Precedence.ATOM and text.source.endswith(".T"):
        return Text(text.source.removesuffix(".T"))
    return Text(f"{text.atom}.T")


def _tensordot(left: Operand, right: Operand, output: tuple[str, ...], spell: Spelling) -> Text | None:
    """Spell a product without common output labels that no matrix product covers."""
    shared = [label for label in left.labels if label in right.labels]
    rest = tuple(label for label in (*left.labels, *right.labels) if label not in shared)
    if not shared or any(label in output for label in shared):
        return None
    if rest != output:
        swapped = tuple(label for label in (*right.labels, *left.labels) if label not in shared)
        return _tensordot(right, left, output, spell) if swapped == output else None
    if not output:
        return None
    axes = ([left.labels.index(label) for label in shared], [right.labels.index(label) for label in shared])
    return spell.library.products.tensordot(spell, left.expression, right.expression, axes)


def einsum_text(spell: Spelling, node: Contraction) -> Text:
    """Spell a sum of products by the labels of all axes."""
    letters: dict[str, str] = {}
    for label in [*node.output, *(label for labels in node.labels for label in labels)]:
        letters.setdefault(label, "ijklmnopqrstuvwxyzabcdefgh"[len(letters)])
    inputs = ",".join("".join(letters[label] for label in labels) for labels in node.labels)
    spec = f'"{inputs}->{"".join(letters[label] for label in node.output)}"'
    return spell.library.products.einsum(spell, spec, node.arguments, node.dtype)


_FUNCTIONS = {
    "max": "maximum", "min": "minimum", "select": "where", "rem": "fmod", "pow": "power", "atan2": "arctan2",
    **{op: numpy_name(op) for op in ("fmax", "fmin", "abs", "copysign", *FUNCTIONS, *ROUNDINGS)},
}  # fmt: skip
_METHOD_REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin")


def _functions_of(library: str) -> dict[str, str]:
    """Return how scalar operations are spelled as functions; C's division and rounding are helpers of the text."""
    return {op: f"{library}.{name}" for op, name in _FUNCTIONS.items()} | {"tdiv": "tdiv", "round": "round_half_away"}


def _element_types_of(library: str) -> dict[DType, str]:
    """Return how element types are spelled."""
    named: dict[DType, str] = {
        "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
        "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
    }  # fmt: skip
    named |= {"bf16": "bfloat16"} if library != "np" else {}
    return {"bool": "bool", **{dtype: f"{library}.{name}" for dtype, name in named.items()}}


# -- arrays from nothing


def iota(spell: Spelling, node: Iota, device: str = "") -> Text:
    """Spell a range of integers."""
    dtype = "" if node.dtype == "i64" else spell.dtype(node.dtype)
    stop = spell.size(node.start + node.shape[0]).source
    ends = [stop] if node.start == ZERO else [spell.size(node.start).source, stop]
    return call(f"{spell.library.name}.arange", *ends, dtype=dtype, device=device)


def _mask(spell: Spelling, node: TriangleMask | DiagonalMask, dtype: str = "bool") -> Text:
    """Spell a triangle or a diagonal: where types are stated, one of reals is of another type by itself."""
    dtype = dtype or (spell.dtype("f64") if spell.library.states_types else "")
    function = "tri" if isinstance(node, TriangleMask) else "eye"
    rows, columns = (spell.size(extent).source for extent in node.shape)
    offset = "" if node.offset == ZERO else spell.size(node.offset).source
    extents = [rows] if rows == columns else [rows, columns]
    return call(f"{spell.library.name}.{function}", *extents, k=offset, dtype=dtype)


def _full(spell: Spelling, node: Full) -> Text:
    """Spell an array of one value."""
    value = node.argument
    if isinstance(value, Literal) and value.value in (0, 1):
        function = "ones" if value.value else "zeros"
        dtype = _unless_default(spell, node.dtype)
        return call(f"{spell.library.name}.{function}", spell.shape(node.shape), dtype=dtype)
    is_plain = isinstance(value, Literal) and node.dtype == "f64" and not spell.library.states_types
    dtype = "" if is_plain else spell.dtype(node.dtype)
    return call(f"{spell.library.name}.full", spell.shape(node.shape), spell(value), dtype=dtype)


def _empty(spell: Spelling, node: Empty) -> Text:
    """Spell an array to be filled."""
    return call(f"{spell.library.name}.empty", spell.shape(node.shape), dtype=_unless_default(spell, node.dtype))


def _unless_default(spell: Spelling, dtype: DType) -> str:
    """Spell a type, unless it is that of reals for which the text names none."""
    return "" if dtype == "f64" else spell.dtype(dtype)


# -- views and conversions


def _transpose(spell: Spelling, node: Transpose) -> Text:
    """Spell permuted axes."""
    inner = spell(node.argument)
    if node.permutation == tuple(reversed(range(node.rank))):
        return Text(f"{inner.atom}.T")
    return _permuted(inner, node.permutation)


def cast(spell: Spelling, node: Cast) -> Text:
    """Spell a conversion."""
    inner = node.argument
    if isinstance(inner, TriangleMask | DiagonalMask):
        return _mask(spell, inner, _unless_default(spell, node.dtype))
    if node.dtype == "bool":
        return Text(f"{spell(inner).within(Precedence.BIT_OR)} != 0", Precedence.COMPARISON)
    is_number = spell.is_python(inner) or asks_of_sizes(inner)
    if is_number and not isinstance(inner, SizeValue) and not is_cut(inner, node.dtype):
        spell.want_narrowed(inner, node.dtype)
        return spell.converted(spell(inner), node.dtype)
    text = spell.converted(spell(inner), inner.dtype) if is_number else spell(inner)
    return Text(f"{text.atom}.astype({spell.dtype(node.dtype)})")


def _converted(spell: Spelling, number: Text, dtype: DType) -> Text:
    """Spell a Python number as one of the library's; ``bool`` is Python's."""
    return call(f"{spell.library.name}.bool_" if dtype == "bool" else spell.dtype(dtype), number)


# -- folds


def elementwise(spell: Spelling, node: Elementwise) -> Text:
    """Spell a scalar function of arrays; a sum divided by its number of summands is a mean.

    An extreme of a number and of a fold that may be over nothing is a fold that starts with the number.
    """
    if node.op == "div" and is_mean(total := node.arguments[0], node.arguments[1]):
        return reduction(spell, total, "mean")
    if node.op == "div" and isinstance(node.arguments[0], Elementwise) and node.arguments[0].op == "neg":
        (total,) = node.arguments[0].arguments
        if is_mean(total, node.arguments[1]):
            return Text(f"-{reduction(spell, total, 'mean').within(Precedence.UNARY)}", Precedence.UNARY)
    bounds = clipped(node)
    if bounds is not None and all(bound.dtype == node.dtype for bound in bounds):
        return call(f"{spell.library.name}.clip", *map(spell, bounds))
    started = _started(node)
    if started is not None:
        return reduction(spell, started)
    return spelling.elementwise(spell, node)


def subscript(spell: Spelling, node: Subscript) -> Text:
    """Spell slices and single cells; a fold in which axes are inserted again where they were keeps them."""
    kept = kept_fold(node)
    if kept is not None and (kept[1] or kept[0].op in _METHOD_REDUCTIONS):
        return reduction(spell, *kept, keepdims="True")
    return spelling.subscript(spell, node)


def reduction(spell: Spelling, node: Reduction, method: str = "", keepdims: str = "") -> Text:
    """Spell a fold over axes."""
    method = spell.library.reductions.get(node.op, method)
    argument, dtype = summed(spell, node)
    axis = "" if len(node.axes) == argument.rank else str(node.axes[0] if len(node.axes) == 1 else node.axes)
    initial = spell(node.initial).source if node.initial is not None else ""
    if node.op == "sum" and isinstance(argument, Diagonal) and not method:
        return call(f"{spell.library.name}.trace", spell(argument.argument), dtype=dtype)
    inner = spell(argument)
    is_method = node.op in _METHOD_REDUCTIONS
    if not is_method and not method:
        whole = axis or ("0" if argument.rank == 1 else "None")
        return call(f"{spell.library.name}.{node.op}.reduce", inner, axis=whole, initial=initial)
    method = method or node.op
    if is_method and inner.precedence is Precedence.ATOM:
        return call(f"{inner.source}.{method}", axis=axis, dtype=dtype, initial=initial, keepdims=keepdims)
    name = f"{spell.library.name}.{method}"
    return call(name, inner, axis=axis, dtype=dtype, initial=initial, keepdims=keepdims)


def cumulative(spell: Spelling, node: Cumulative) -> Text:
    """Spell a running fold along an axis."""
    axis = "" if node.argument.rank == 1 else str(node.axis)
    return call(accumulation(spell, node), spell(node.argument), axis=axis, dtype=widened_type(spell, node))


def _swapped(name: str, text: Text) -> Text:
    """Spell the last two axes swapped."""
    return call(f"{name}.swapaxes", text, "-1", "-2")


def _permuted(text: Text, order: Sequence[int]) -> Text:
    """Spell permuted axes."""
    return Text(f"{text.atom}.transpose({', '.join(map(str, order))})")


def _full_product(spell: Spelling, left: Expression, right: Expression) -> Text:
    """Spell the sum of all products of corresponding cells."""
    return call(f"{spell.library.name}.vdot", spell(left), spell(right))


def _tensordot_text(spell: Spelling, left: Expression, right: Expression, axes: tuple[list[int], list[int]]) -> Text:
    """Spell a product summed over pairs of axes."""
    pair = f"({axes[0][0]}, {axes[1][0]})" if len(axes[0]) == 1 else f"({axes[0]}, {axes[1]})"
    return call(f"{spell.library.name}.tensordot", spell(left), spell(right), axes=pair)


def _einsum(spell: Spelling, spec: str, operands: Sequence[Expression], _: DType) -> Text:
    """Spell any sum of products."""
    optimize = "True" if len(operands) > 2 else ""  # noqa: PLR2004 - a product of more than two
    return call(f"{spell.library.name}.einsum", spec, *map(spell, operands), optimize=optimize)


def _started(node: Elementwise) -> Reduction | None:
    """Return the fold that starts with the number with which it is compared."""
    for start, fold in (node.arguments, node.arguments[::-1]) if node.op in ("max", "min") else ():
        if isinstance(fold, Reduction) and fold.op == node.op and isinstance(fold.initial, Literal):
            is_number = isinstance(start, Literal) or not (start.shape or start.is_weak)
            return replace(fold, initial=start) if is_number and start.dtype == fold.dtype else None
    return None


def widened_type(spell: Spelling, node: Reduction | Cumulative) -> str:
    """Spell the type of a fold, unless the library would fold in it by itself."""
    return spell.dtype(node.dtype) if node.op in ("sum", "prod") and is_narrow(node.dtype) else ""


def is_narrow(dtype: DType) -> bool:
    """Tell whether a library would sum in a wider type."""
    return is_integer(dtype) and width(dtype) < 64  # noqa: PLR2004 - the widest type


def summed(spell: Spelling, node: Reduction) -> tuple[Expression, str]:
    """Return what is folded, and spell the type in which it is: a conversion before a sum is its type."""
    if node.op in ("sum", "prod") and isinstance(node.argument, Cast):
        return node.argument.argument, spell.dtype(node.dtype)
    return node.argument, widened_type(spell, node)


def accumulation(spell: Spelling, node: Cumulative) -> str:
    """Return the function for a running fold; raises LiftError TL305 where the library has none."""
    found = spell.library.accumulations.get(node.op)
    if found is None:
        raise refuse("TL305", f"{spell.library.title} has no running {node.op}", remedy="lift to another target")
    return found


RULES: dict[type[Expression], Rule] = {
    **spelling.RULES,
    Iota: iota,
    TriangleMask: _mask,
    DiagonalMask: _mask,
    Full: _full,
    Empty: _empty,
    Transpose: _transpose,
    Cast: cast,
    Elementwise: elementwise,
    Subscript: subscript,
    Reduction: reduction,
    Cumulative: cumulative,
    Contraction: contraction_text,
}
PRODUCTS = Products(_swapped, _permuted, _full_product, _tensordot_text, _einsum)


def library_of(
    name: str,
    title: str,
    rules: Mapping[type[Expression], Rule],
    functions: Mapping[str, str] | None = None,
    **own: Any,
) -> Library:
    """Return a library with NumPy's interface under a name, with rules and functions of its own."""
    given = {
        "table": f"{name}.array",
        "function": spelling.function,
        "converted": _converted,
        "products": PRODUCTS,
        **own,
    }
    return Library(
        name, title, {**_functions_of(name), **(functions or {})}, _element_types_of(name), {**RULES, **rules}, **given
    )


def spans(spell: Spelling, node: Spans) -> Text:
    """Spell folds between bounds by a function of the text."""
    name = NAMES[node.op]
    spell.used[name] = None
    return call(name, *(spell(operand) for operand in node.operands))


def spread(spell: Spelling, node: Spread) -> Text:
    """Spell values spread over the places between bounds by a function of the text."""
    name = SPREADS[node.op]
    spell.used[name] = None
    return call(name, *(spell(operand) for operand in node.operands), spell.size(node.shape[0]))
