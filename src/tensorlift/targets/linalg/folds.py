"""Sums of products and folds over axes: a named operation where Linalg has one, ``linalg.contract``, or a generic."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.ir.tensor_program import Contraction, Expression, Reduction, Transpose, Windows
from tensorlift.targets.linalg.body import Body, generic
from tensorlift.targets.linalg.writer import COMBINERS, Value, map_text, operation, tensor_type
from tensorlift.targets.mlir_text.positions import without_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.targets.linalg.values import Values

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
    return values.writer.define(f"linalg.{name} {_operands(inputs, out)} -> {out.type}", out.type)


def _operands(inputs: Sequence[Value], out: Value) -> str:
    names, types = ", ".join(v.name for v in inputs), ", ".join(v.type for v in inputs)
    return f"ins({names} : {types}) outs({out.name} : {out.type})"


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
    text = f"linalg.contract indexing_maps = [{maps}] {_operands(inputs, out)} -> {out.type}"
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
        return values.filled(values.number(Fraction(0), node.dtype), node.shape, node.dtype)
    return values.cast(values.tensor(start), type_)


def reduction(values: Values, node: Reduction) -> Value:
    """Return a fold over axes: of an array as it is, or of values that are computed on the way."""
    node = without_position(node)
    combiner = operation(COMBINERS[node.op], node.dtype)
    start = values.neutral(node) if node.initial is None else values.scalar(node.initial, node.dtype)
    argument = node.argument
    body = Body(values, argument.shape)
    value = body.at(argument, body.point())
    kept = tuple(walk for axis, walk in enumerate(body.point()) if axis not in node.axes)
    out = values.filled(start, node.shape, node.dtype)
    if not body.lines and [results for _, results in body.inputs] == [body.point()]:
        ((source, _),) = body.inputs
        dimensions = sorted(node.axes)
        operands = f"ins({source.name} : {source.type}) outs({out.name} : {out.type}) dimensions = {dimensions}"
        return values.writer.define(f"linalg.reduce {{ {combiner} }} {operands}", out.type)
    return _folded(body, value, combiner, out, kept)
