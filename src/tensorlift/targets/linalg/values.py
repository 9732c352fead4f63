"""Expressions as values of the program: numbers as scalars, arrays as tensors, by the operation that says most.

Views are slices and permutations of tensors; a fill, a broadcast, a transposition or a map with a single operation is
one of Linalg's named operations; all else that works cell by cell is one ``linalg.generic``.

Sums of products and folds over axes: a named operation where Linalg has one, ``linalg.contract``, or a generic.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.segments import Spans
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Contraction,
    Copy,
    Cumulative,
    Elementwise,
    Empty,
    Expression,
    Full,
    Gather,
    Literal,
    Range,
    Reduction,
    Scatter,
    SizeValue,
    Subscript,
    Take,
    Transpose,
    Variable,
    Windows,
)
from tensorlift.ir.views import is_whole
from tensorlift.ops.dtypes import is_float
from tensorlift.ops.scalar_ops import neutral
from tensorlift.poly.affine import ONE, Affine
from tensorlift.targets.linalg.body import Body, aligned, generic, is_mapped, written
from tensorlift.targets.linalg.loops import between, running
from tensorlift.targets.linalg.stores import stored
from tensorlift.targets.linalg.writer import (
    COMBINERS,
    COMPARISONS,
    Value,
    element_type,
    map_text,
    operands_text,
    operation,
    tensor_type,
)
from tensorlift.targets.mlir_text.text import without_position

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.linalg.writer import Writer

    Define = Callable[[str, str], Value]


# Named products by the labels of their operands and of the result, letters in the order in which they come up.
_PRODUCTS = {
    "ab,bc->ac": "matmul", "ab,b->a": "matvec", "a,ab->b": "vecmat", "a,a->": "dot",
    "abc,acd->abd": "batch_matmul", "abc,ac->ab": "batch_matvec", "ab,abc->ac": "batch_vecmat",
}  # fmt: skip
# Convolutions by the same labels, where the first operand's are positions and then places in the window, with the axes
# of the windows.
_CONVOLUTIONS = {
    ("ab,b->a", (0,)): "conv_1d",
    ("abcd,cd->ab", (0, 1)): "conv_2d",
    ("abcdef,def->abc", (0, 1, 2)): "conv_3d",
    ("abcdef,efdg->abcg", (1, 2)): "conv_2d_nhwc_hwcf",
    ("abcdef,gbef->agcd", (2, 3)): "conv_2d_nchw_fchw",
}

Labels = tuple[str, ...]


def contraction(values: Values, node: Contraction, start: Expression | None = None) -> Value:
    """Return a sum of products, added to a start of its shape if one is given."""
    operands = [_straight(a, labels) for a, labels in zip(node.arguments, node.labels, strict=True)]
    for first, second in ((0, 1), (1, 0)):
        if len(operands) == 2:  # noqa: PLR2004 - named operations have two operands
            named = _named(values, [operands[first], operands[second]], node, start)
            if named is not None:
                return named
    is_plain = not any(isinstance(operand, Windows) for operand, _ in operands)  # windows are read where they are
    if is_plain and _is_contraction([labels for _, labels in operands], node.output):
        return _contracted(values, operands, node, start)
    return _product(values, operands, node, start)


def _straight(argument: Expression, labels: Labels) -> tuple[Expression, Labels]:
    """Return an operand with its labels in the order of its axes in memory."""
    if not isinstance(argument, Transpose):
        return argument, labels
    order = argument.permutation
    return argument.argument, tuple(labels[order.index(axis)] for axis in range(len(order)))


def _named(
    values: Values, operands: Sequence[tuple[Expression, Labels]], node: Contraction, start: Expression | None
) -> Value | None:
    pattern = _pattern([labels for _, labels in operands], node.output)
    (first, _), (second, _) = operands
    if isinstance(first, Windows):
        name = _CONVOLUTIONS.get((pattern, first.axes))
        return None if name is None else _applied(values, name, [first.argument, second], node, start)
    name = _PRODUCTS.get(pattern)
    return None if name is None or isinstance(second, Windows) else _applied(values, name, [first, second], node, start)


def _pattern(operands: Sequence[Labels], output: Labels) -> str:
    """Spell labels with letters in the order in which they come up."""
    letters: dict[str, str] = {}
    for labels in operands:
        for label in labels:
            letters.setdefault(label, "abcdefghijklmnopqrstuvwxyz"[len(letters)])
    sides = [",".join("".join(letters[label] for label in labels) for labels in side) for side in (operands, [output])]
    return "->".join(sides)


def _applied(
    values: Values, name: str, operands: Sequence[Expression], node: Contraction, start: Expression | None
) -> Value:
    inputs = [values.tensor(operand) for operand in operands]
    out = _start(values, node, start)
    return values.writer.define(f"linalg.{name} {operands_text(inputs, out)} -> {out.type}", out.type)


def _is_contraction(operands: Sequence[Labels], output: Labels) -> bool:
    """Tell whether there are two operands, and each label stands in two of them and the result at least."""
    if len(operands) != 2:  # noqa: PLR2004 - as above
        return False
    places = [set(labels) for labels in (*operands, output)]
    distinct = all(len(labels) == len(s) for labels, s in zip((*operands, output), places, strict=True))
    return distinct and all(sum(label in s for s in places) > 1 for label in set().union(*places))


def _contracted(
    values: Values, operands: Sequence[tuple[Expression, Labels]], node: Contraction, start: Expression | None
) -> Value:
    """Return a product of two arrays with any labels."""
    dimensions = _dimensions(operands, node)
    inputs = [values.tensor(operand) for operand, _ in operands]
    maps = ", ".join(
        map_text(dimensions, tuple(map(Affine.var, labels))) for labels in (*(ls for _, ls in operands), node.output)
    )
    out = _start(values, node, start)
    text = f"linalg.contract indexing_maps = [{maps}] {operands_text(inputs, out)} -> {out.type}"
    return values.writer.define(text, out.type)


def _dimensions(operands: Sequence[tuple[Expression, Labels]], node: Contraction) -> Labels:
    listed = dict.fromkeys(node.output) | dict.fromkeys(label for _, labels in operands for label in labels)
    return tuple(listed)


def _product(
    values: Values, operands: Sequence[tuple[Expression, Labels]], node: Contraction, start: Expression | None
) -> Value:
    """Return any sum of products, with its operands computed where they are multiplied."""
    extents = {
        label: extent for operand, labels in operands for label, extent in zip(labels, operand.shape, strict=True)
    }
    labels = _dimensions(operands, node)
    body = Body(values, tuple(extents[label] for label in labels))
    point = dict(zip(labels, body.point(), strict=True))
    cells = [body.at(operand, tuple(point[label] for label in names)) for operand, names in operands]
    product, multiply = cells[0], operation("mul", node.dtype)
    for cell in cells[1:]:
        product = body.define(f"{multiply} {product.name}, {cell.name} : {cell.type}", cell.type)
    kept = tuple(point[label] for label in node.output)
    return _folded(body, product, operation("add", node.dtype), _start(values, node, start), kept)


def _folded(body: Body, value: Value, combiner: str, out: Value, kept: tuple[Affine, ...]) -> Value:
    """Add the generic that folds a body's value into a start."""
    _bound(body, kept)
    name = body.name("out")
    total = Value(body.values.writer.fresh(), value.type)
    body.lines.append(f"{total.name} = {combiner} {name}, {value.name} : {value.type}")
    return generic(body, total, out, kept, name)


def _bound(body: Body, kept: tuple[Affine, ...]) -> None:
    """Add an operand, which is not read, for the extent of each dimension that no map has by itself."""
    for dimension, extent in zip(body.dimensions, body.extents, strict=True):
        walk = Affine.var(dimension)
        if walk not in kept and not any(walk in results for _, results in body.inputs):
            body.inputs[body.values.empty((extent,), "f64"), (walk,)] = body.name("in")


def _start(values: Values, node: Contraction, start: Expression | None) -> Value:
    type_ = tensor_type(node.shape, node.dtype)
    if start is None:
        return values.filled(values.writer.number(Fraction(0), node.dtype), node.shape, node.dtype)
    return values.cast(values.tensor(start), type_)


def reduction(values: Values, node: Reduction) -> Value:
    """Return a fold over axes: of an array as it is, or of values that are computed on the way."""
    node = without_position(node)
    combiner = operation(COMBINERS[node.op], node.dtype)
    start = values.neutral(node.op, node.dtype) if node.initial is None else values.scalar(node.initial, node.dtype)
    argument = node.argument
    body = Body(values, argument.shape)
    value = body.at(argument, body.point())
    kept = tuple(walk for axis, walk in enumerate(body.point()) if axis not in node.axes)
    out = values.filled(start, node.shape, node.dtype)
    if not body.lines and [results for _, results in body.inputs] == [body.point()]:
        ((source, _),) = body.inputs
        dimensions = sorted(node.axes)
        text = f"linalg.reduce {{ {combiner} }} {operands_text([source], out)} dimensions = {dimensions}"
        return values.writer.define(text, out.type)
    return _folded(body, value, combiner, out, kept)


class Values:
    """The values of one program; ``variables`` are those of its variables at the place at hand."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.variables: dict[str, Value] = {}
        self._known: dict[Expression, Value] = {}

    def forget(self) -> None:
        """Forget what expressions are: their variables changed."""
        self._known.clear()

    # -- numbers

    def neutral(self, op: str, dtype: DType) -> Value:
        """Return what changes nothing in a fold."""
        value = neutral(op, dtype)
        return self.writer.number(value if isinstance(value, str) else Fraction(value), dtype)

    def scalar(self, node: Expression, dtype: DType | None = None) -> Value:
        """Return an expression without axes, in a type if one is given."""
        wanted = dtype or node.dtype
        if isinstance(node, Literal):
            return self.writer.number(node.value, wanted)
        if isinstance(node, SizeValue):
            return self._size(node.affine, wanted)
        found = self._known.get(node)
        if found is None:
            found = self._known[node] = self._scalar(node)
        return self.writer.converted(found, node.dtype, wanted, self.writer.define)

    def _size(self, value: Affine, dtype: DType) -> Value:
        if value.is_constant:
            return self.writer.number(Fraction(value.constant), dtype)
        width = "i64" if is_float(dtype) else element_type(dtype)
        size = self.writer.size(value)
        whole = self.writer.once(("cast", size, width), f"arith.index_cast {size.name} : index to {width}", width)
        if not is_float(dtype):
            return whole
        return self.writer.once(("real", whole, dtype), f"arith.sitofp {whole.name} : i64 to {dtype}", dtype)

    def _scalar(self, node: Expression) -> Value:
        if isinstance(node, Variable):
            return self.variables[node.name]
        if isinstance(node, Elementwise):
            return self.combined(node, self.scalar, self.writer.define)
        if isinstance(node, Cast | Copy | Broadcast | Full):
            return self.scalar(node.argument, node.dtype)
        if isinstance(node, Subscript | Gather | Take):
            body = Body(self, ())
            value = body.cell(node, ())
            body.write()
            return value
        return self.extracted(self._fold(node), (), node.dtype)

    def extracted(self, tensor: Value, indices: Sequence[Affine], dtype: DType) -> Value:
        """Return a cell of a tensor."""
        places = ", ".join(self.writer.size(index).name for index in indices)
        return self.writer.define(f"tensor.extract {tensor.name}[{places}] : {tensor.type}", element_type(dtype))

    # -- scalar functions

    def combined(self, node: Elementwise, cell: Callable[[Expression, DType], Value], define: Define) -> Value:
        """Apply a scalar function; ``cell`` gives an operand in a type."""
        op, arguments = node.op, node.arguments
        if op == "select":
            operands = [cell(arguments[0], "bool"), *(cell(a, node.dtype) for a in arguments[1:])]
            return self.writer.applied(op, operands, node.dtype, define)
        dtype = _common(arguments) if op in COMPARISONS else node.dtype
        return self.writer.applied(op, [cell(a, dtype) for a in arguments], dtype, define)

    # -- tensors

    def is_known(self, node: Expression) -> bool:
        """Tell whether a tensor is computed already."""
        return node in self._known

    def tensor(self, node: Expression) -> Value:
        """Return an expression with axes."""
        found = self._known.get(node)
        if found is None:
            found = self._tensor(node)
            self._known[node] = found
        return found

    def _tensor(self, node: Expression) -> Value:
        if isinstance(node, Variable):
            return self.variables[node.name]
        if isinstance(node, Copy):
            return self.tensor(node.argument)
        if isinstance(node, Empty):
            return self.empty(node.shape, node.dtype)
        if isinstance(node, Scatter):
            return stored(self, node)
        if isinstance(node, Spans):
            return between(self, node)
        if isinstance(node, Contraction | Reduction | Cumulative):
            return self._fold(node)
        if isinstance(node, Elementwise) and node.op == "add":
            for position, argument in enumerate(node.arguments):
                rest = node.arguments[1 - position]
                if isinstance(argument, Contraction) and argument.shape == rest.shape and rest.dtype == node.dtype:
                    return contraction(self, argument, rest)
        return self._mapped(node)

    def _fold(self, node: Expression) -> Value:
        if isinstance(node, Contraction):
            return contraction(self, node)
        if isinstance(node, Reduction):
            return reduction(self, node)
        if not isinstance(node, Cumulative):
            raise refuse(
                "TL305", f"no operation of Linalg is written for {type(node).__name__}", remedy="lift to numpy"
            )
        return running(self, node)

    def empty(self, shape: Shape, dtype: DType) -> Value:
        """Return a tensor to be filled."""
        type_ = tensor_type(shape, dtype)
        return self.writer.once(("empty", shape, type_), f"tensor.empty({self.writer.extents(shape)}) : {type_}", type_)

    def filled(self, value: Value, shape: Shape, dtype: DType) -> Value:
        """Return a tensor of one value."""
        out = self.empty(shape, dtype)
        text = f"linalg.fill {operands_text([value], out)} -> {out.type}"
        return self.writer.once(("fill", value, out), text, out.type)

    def cast(self, value: Value, type_: str) -> Value:
        """Return a tensor with a type that tells more or less of its extents."""
        if value.type == type_:
            return value
        return self.writer.once(("cast", value, type_), f"tensor.cast {value.name} : {value.type} to {type_}", type_)

    def sliced(self, array: Value, shape: Shape, dtype: DType, items: Sequence[Range | At]) -> Value:
        """Return a part of a tensor, without the axes of single positions."""
        if all(is_whole(item, extent) for item, extent in zip(items, shape, strict=True)):
            return array
        kept = tuple(item.extent for item in items if isinstance(item, Range))
        type_ = tensor_type(kept, dtype)
        text = f"tensor.extract_slice {array.name}{self.part(items)} : {array.type} to {type_}"
        return self.writer.once(text, text, type_)

    def part(self, items: Sequence[Range | At]) -> str:
        """Spell offsets, extents and strides."""
        starts = [item.start if isinstance(item, Range) else item.index for item in items]
        extents = [item.extent if isinstance(item, Range) else ONE for item in items]
        offsets = ", ".join(map(self.writer.attribute, starts))
        sizes = ", ".join(self.writer.attribute(extent, is_extent=True) for extent in extents)
        strides = ", ".join(str(item.step if isinstance(item, Range) else 1) for item in items)
        return f"[{offsets}] [{sizes}] [{strides}]"

    def spread(self, node: Expression, shape: Shape, turned: Sequence[int] = ()) -> Value:
        """Return an expression in a shape that it broadcasts to, reversed along some axes."""
        if not turned and node.shape == shape:
            return self.tensor(node)
        body = Body(self, shape)
        point = tuple(shape[k] - 1 - p if k in turned else p for k, p in enumerate(body.point()))
        value = body.at(node, aligned(node, shape, point)) if node.shape else self.scalar(node)
        return written(body, value, shape, node.dtype)

    def _mapped(self, node: Expression) -> Value:
        if not is_mapped(node):
            message = f"no operation of Linalg is written for {type(node).__name__}"
            raise refuse("TL305", message, remedy="lift to numpy")
        body = Body(self, node.shape)
        return written(body, body.at(node, body.point()), node.shape, node.dtype)


def _common(arguments: Sequence[Expression]) -> DType:
    """Return the type in which operands are compared: that of an operand that is no written number."""
    typed = [a.dtype for a in arguments if not isinstance(a, Literal | SizeValue)] or [a.dtype for a in arguments]
    return max(typed, key=lambda dtype: (is_float(dtype), dtype))
