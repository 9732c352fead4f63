"""Arrays and lists that a function makes: filled, counted up, written out, copied, and products of two."""

from __future__ import annotations

import ast
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from tensorlift.frontends.python.arrays import in_memory
from tensorlift.frontends.python.expressions import (
    RULES,
    array,
    evaluate,
    operated,
    scalar,
    whole_number,
    without_lists,
)
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import (
    DTYPES,
    NOWHERE,
    Scalar,
    binary,
    cast,
    common_type,
    differ_in_kind,
    integer,
    name_of,
    number,
    promoted,
)
from tensorlift.frontends.python.syntax import (
    cells_of,
    named_arguments,
    spelled_type,
)
from tensorlift.frontends.python.values import Array, NoItems, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import DOUBLE, LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.frontends.python.scalars import Number
    from tensorlift.frontends.python.state import Inference
    from tensorlift.frontends.python.values import Extents

    Maker = Callable[[Inference, ast.Call, str], Array]

_FILLED = {"zeros": 0, "empty": 0, "ones": 1, "full": None}
_TWO = 2


# -- arrays that are made


def take(node: ast.Call, count: int) -> None:
    """Refuse a call with other arguments than so many plain ones."""
    if len(node.args) != count or node.keywords:
        detail = f"`{ast.unparse(node.func)}` is lifted with {count} plain argument{'s' * (count > 1)}"
        raise RefusedError("arguments", detail)


def _filled(ctx: Inference, node: ast.Call, name: str) -> Array:
    """Give the array that ``np.zeros`` and its relatives make."""
    parameters = ["a" if name.endswith("_like") else "shape", *["fill_value"] * name.startswith("full"), "dtype"]
    given = named_arguments(node, parameters)
    if len(given) < len(parameters) - 1:
        raise RefusedError("arguments", f"`{name}` is lifted with {' and '.join(parameters[:-1])}")
    model = array(ctx, given["a"]) if "a" in given else None
    extents = model.extents if model else _shape(ctx, given["shape"])
    if not extents:
        raise RefusedError("no-dimensions", ast.unparse(node))
    value = scalar(ctx, given["fill_value"]) if "fill_value" in given else None
    element: Number = DOUBLE
    if "dtype" in given:
        element = dtype(ctx, given["dtype"])
    elif model is not None:
        element = model.element
    elif value is not None:
        element = value.ctype
    return Array(extents, cast(value or integer(_FILLED[name.removesuffix("_like")] or 0), element))


def dtype(ctx: Inference, node: ast.expr) -> Number:
    """Read an element type: ``np.float32``, ``'float32'``, ``float`` or ``x.dtype``."""
    if isinstance(node, ast.Attribute) and node.attr == "dtype":
        return array(ctx, node.value).element
    spelled = spelled_type(node, ctx.module.imports)
    if spelled not in DTYPES:
        raise ctx.refusal("element-type", ast.unparse(node), node)
    return DTYPES[spelled]


def _shape(ctx: Inference, node: ast.expr) -> Extents:
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(ctx.extent(whole_number(ctx, item)) for item in node.elts)
    value = evaluate(ctx, node)
    if isinstance(value, Sizes):
        return tuple(ctx.extent(_size(item)) for item in value.items)
    return (ctx.extent(whole_number(ctx, node)),)


def _size(value: Operand) -> Scalar:
    if not isinstance(value, Scalar) or not value.is_integer:
        raise RefusedError("index", "an item of the shape is not known to be an integer")
    return value


def _arange(ctx: Inference, node: ast.Call, name: str) -> Array:
    """Give the integers of ``np.arange(stop)`` or ``np.arange(start, stop)``."""
    if node.keywords or not 1 <= len(node.args) <= _TWO:
        raise RefusedError("arange", name)
    bounds = [whole_number(ctx, argument) for argument in node.args]
    extent = bounds[0] if len(bounds) == 1 else binary("-", bounds[1], bounds[0])
    return Array((ctx.extent(extent),), Scalar(LONG, is_any=len(bounds) > 1 and bounds[0].is_any))


def _eye(ctx: Inference, node: ast.Call, name: str) -> Array:
    """Give an identity matrix."""
    given = named_arguments(node, ["N", *["M"] * (name == "eye"), "dtype"])
    if "N" not in given:
        raise RefusedError("arguments", f"`{name}` is lifted with its extents")
    extents = [ctx.extent(whole_number(ctx, given[side])) for side in ("N", "M") if side in given]
    return Array((extents[0], extents[-1]), Scalar(dtype(ctx, given["dtype"]) if "dtype" in given else DOUBLE))


def copied_array(ctx: Inference, node: ast.Call) -> Array:
    """Give a copy as an array, of a list too."""
    given = named_arguments(node, ["object", "dtype"])
    if "object" not in given:
        raise RefusedError("arguments", f"`{ast.unparse(node.func)}` is lifted for one array")
    stated = given["object"]
    of_type = [dtype(ctx, given["dtype"])] if "dtype" in given else []
    if isinstance(stated, ast.List) and stated.elts:
        value = written(ctx, stated, joining=(DOUBLE, LONG, *of_type))
    else:
        value = array(ctx, stated)
    if value.rank != _TWO and ast.unparse(node.func).endswith("vstack"):
        raise RefusedError("arguments", "`np.vstack` of a list is lifted for arrays of one dimension")
    return Array(value.extents, cast(value.item, *of_type or [value.element]))


MAKERS: dict[str, Maker] = {
    **{f"{name}{like}": _filled for name in _FILLED for like in ("", "_like")},
    "arange": _arange,
    "eye": _eye,
    "identity": _eye,
}


# -- lists


def _list(ctx: Inference, node: ast.List) -> Array | NoItems:
    return written(ctx, node) if node.elts else NoItems()


def written(ctx: Inference, node: ast.List | ast.Tuple, *, joining: tuple[Number, ...] | None = None) -> Array:
    """Give the list of numbers, or of lists of numbers of one length, that is written out.

    ``joining`` are the types in which numbers of Python and of NumPy may stand together: any in a list that stays one.
    """
    cells = [(place, scalar(ctx, item)) for place, item in cells_of(node)]
    extents = [max(place[axis] for place, _ in cells) + 1 for axis in range(len(cells[0][0]))] if cells else []
    if not cells or len(cells) != prod(extents) or len({len(place) for place, _ in cells}) != 1:
        detail = f"`{ast.unparse(node)[:40]}`, a list that is no rectangle of numbers,"
        raise RefusedError("literal", detail)
    name = ctx.fresh("w")
    values = [value for _, value in cells]
    are_mixed = differ_in_kind(values)
    if not all(value.is_truth for value in values):
        values = list(map(number, values))
    element, weak = common_type(values)
    if joining is not None and element not in joining and len({value.weak for value in values}) > 1:
        raise RefusedError("type", f"an array of numbers of Python and of numbers that are {name_of(element)}")
    if are_mixed:
        ctx.facts.note_kind(ctx.key(f"{name}[]"), replace(cells[0][1], mixed=True))
    shape = tuple(nodes.Integer(extent, LONG, NOWHERE) for extent in extents)
    is_any = any(value.is_any for value in values)
    item = Scalar(element, weak, is_any=is_any)
    made = ctx.listed(Array(shape, item, ctx.memory(name), is_new=True), name, item)
    for _, value in cells:
        cast(value, made.element)
    return made


def _binary(ctx: Inference, node: ast.BinOp) -> Operand:
    """Apply an operator to two numbers or arrays, or repeat a list."""
    if isinstance(node.op, ast.MatMult):
        left = array(ctx, node.left)
        return matrix_product(ctx, left, array(ctx, node.right))
    for items, count in ((node.left, node.right), (node.right, node.left)):
        if isinstance(node.op, ast.Mult) and isinstance(items, ast.List):
            return _repeated(ctx, items, count)
    left_side = evaluate(ctx, node.left)
    return operated(ctx, node.op, left_side, evaluate(ctx, node.right))


def _repeated(ctx: Inference, items: ast.List, count: ast.expr) -> Array:
    """Give ``[number] * count``."""
    if len(items.elts) != 1 or isinstance(items.elts[0], ast.List | ast.ListComp):
        detail = f"`{ast.unparse(items)[:40]}` repeated, but for one number,"
        raise ctx.refusal("literal", detail, items)
    value = replace(scalar(ctx, items.elts[0]), node=None)
    return Array((ctx.extent(whole_number(ctx, count)),), value, is_list=True)


# -- products


def matrix_product(ctx: Inference, left: Array, right: Array) -> Operand:
    """Multiply two arrays as ``@`` does."""
    a, b = kept(ctx, left), kept(ctx, right)
    if not {a.rank, b.rank} <= {1, 2}:
        raise RefusedError("rank", "`@` of arrays with more than two dimensions")
    ctx.require_equal(a.extents[-1], b.extents[0])
    ctx.mention(*a.extents, *b.extents)
    extents = (*a.extents[:-1], *b.extents[1:])
    binary("*", a.item, b.item)
    element = promoted(a.element, False, b.element, False)[0]  # noqa: FBT003 - neither is weak
    return ctx.made(ctx.fresh("w"), element, extents) if extents else Scalar(element)


def kept(ctx: Inference, value: Array) -> Array:
    """Give an array whose elements are read again and again."""
    return without_lists(value) if value.view is not None else in_memory(ctx, without_lists(value))


RULES.update({ast.List: _list, ast.BinOp: _binary})
