"""Arrays: their parts, their attributes, and the arrays and lists that a function makes.

A slice ``a[lo:hi]`` of Python cuts off what lies outside of the array and counts negative bounds from the end.  That an
array has as many elements as a constant negative bound counts becomes a precondition; any other bound must be at least
zero.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce
from math import prod
from typing import TYPE_CHECKING

from tensorlift.frontends.python.expressions import (
    DEFINED,
    RULES,
    array,
    evaluate,
    is_one,
    named_constant,
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
    size_of,
)
from tensorlift.frontends.python.state import shape_of
from tensorlift.frontends.python.syntax import (
    cells_of,
    counted_from_end,
    indices_of,
    is_ellipsis,
    is_new_axis,
    named_arguments,
    spelled_type,
    taken_at,
    without_ellipsis,
)
from tensorlift.frontends.python.values import Array, NoItems, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL, DOUBLE, LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.frontends.python.scalars import Number
    from tensorlift.frontends.python.state import Inference
    from tensorlift.frontends.python.values import Extents

    Maker = Callable[[Inference, ast.Call, str], Array]

_FILLED = {"zeros": 0, "empty": 0, "ones": 1, "full": None}
_TWO = 2


# -- parts


def _subscript(ctx: Inference, node: ast.Subscript) -> Operand:
    base = evaluate(ctx, node.value)
    if isinstance(base, Sizes):
        return _item(ctx, base, node)
    if not isinstance(base, Array):
        raise RefusedError("rank", f"`{ast.unparse(node.value)}` is no array")
    taken = None if base.is_list else taken_at(node)
    places = None if taken is None else evaluate(ctx, node.slice)
    if taken is not None and isinstance(places, Array) and places.item.is_integer and places.element != BOOL:
        ctx.callees[node] = "numpy", "take"
        return DEFINED[0](ctx, taken, "take")
    if base.view is None:
        base = in_memory(ctx, base)
    found = part(ctx, base, node)
    if not found.rank:
        return found.item
    if any(map(is_new_axis, indices_of(node))):
        return Array(found.extents, found.item, shows=base.memory.name if base.memory is not None else "")
    if base.is_list and isinstance(node.slice, ast.Slice):  # a new list of the same items
        if found.rank > 1:
            raise RefusedError("index", f"the rows in the slice `{ast.unparse(node)}` are shared")
        return replace(found, memory=None)
    return found


def _item(ctx: Inference, sizes: Sizes, node: ast.Subscript) -> Operand:
    index = evaluate(ctx, node.slice)
    place = index.integer if isinstance(index, Scalar) else None
    if place is None or not -len(sizes.items) <= place < len(sizes.items):
        raise RefusedError("index", f"`{ast.unparse(node)}` is no known extent")
    found = sizes.items[int(place)]
    if isinstance(found, Scalar):
        ctx.mention(ctx.extent(found))
    return found


def part(ctx: Inference, base: Array, node: ast.Subscript, *, is_target: bool = False) -> Array:
    """Select a part of a view; each entry of the index takes one axis, or is a new one of extent one."""
    parts = indices_of(node)
    news = sum(map(is_new_axis, parts))
    with ctx.placed(node):
        if news and not is_target and (base.is_list or any(map(is_ellipsis, parts))):
            raise RefusedError("index", f"the index `{ast.unparse(node.slice)}` is not lifted")
        if base.is_list and len(parts) > 1:
            named = base.memory.name if base.memory is not None else ""
            raise RefusedError("rank", f"the list `{named}` takes one index at a time")
        parts = without_ellipsis(parts, base.rank)
        if len(parts) - news > base.rank:
            detail = f"`{ast.unparse(node)}` has {len(parts)} indices for {base.rank} dimensions"
            raise RefusedError("rank", detail)
    left, extents = list(base.extents), list[nodes.Expression]()
    for entry in parts:
        with ctx.placed(entry):
            if is_new_axis(entry) and not is_target:
                extents.append(nodes.Integer(1, LONG, NOWHERE))
            elif isinstance(entry, ast.Slice):
                extents.append(ctx.extent(_slice(ctx, left.pop(0), entry)))
            else:
                index, extent = _index(ctx, entry), left.pop(0)
                ctx.mention(*[extent] * _is_negative(index))
    return replace(base, extents=(*extents, *left), is_whole=False)


def _index(ctx: Inference, entry: ast.expr) -> Scalar:
    """Evaluate an index or a bound as it stands."""
    if is_ellipsis(entry) or (isinstance(entry, ast.Constant) and entry.value is None):
        raise RefusedError("index", f"the index `{ast.unparse(entry)}` is not lifted")
    value = evaluate(ctx, entry)
    if not isinstance(value, Scalar) or value.is_truth:
        raise RefusedError("index-array", ast.unparse(entry))
    if not value.is_integer:
        raise RefusedError("index", f"the index `{ast.unparse(entry)}` is not known to be an integer")
    return value if value.integer is not None else cast(value, LONG)


def _slice(ctx: Inference, extent: nodes.Expression, entry: ast.Slice) -> Scalar:
    """Give how many indices a slice selects."""
    step = 1 if entry.step is None else _step(ctx, entry.step)
    whole = size_of(extent)
    if step < 0:
        if entry.lower is not None or entry.upper is not None:
            raise RefusedError("index", f"the slice `{ast.unparse(entry)}` has bounds and a negative step")
        ctx.mention(extent)
        return _in_steps(whole, -step)
    lower = integer(0) if entry.lower is None else _bound(ctx, entry.lower, whole)
    upper = whole if entry.upper is None else _bound(ctx, entry.upper, whole)
    if entry.upper is not None:
        ctx.require_nonnegative(ctx.extent(binary("-", whole, upper)))
    length = upper
    if entry.lower is not None:
        length = binary("-", upper, lower)
        if upper.integer is not None and lower.integer is not None:
            length = integer(max(int(upper.integer) - int(lower.integer), 0))
    ctx.require_nonnegative(ctx.extent(length))
    return _in_steps(length, step)


def _step(ctx: Inference, node: ast.expr) -> int:
    given = evaluate(ctx, node)
    step = (given.integer if isinstance(given, Scalar) else None) or 0
    if step == 0:
        raise ctx.refusal("index", f"the slice step `{ast.unparse(node)}` is not lifted", node)
    return int(step)


def _bound(ctx: Inference, node: ast.expr, whole: Scalar) -> Scalar:
    """Evaluate a bound of a slice; one that counts from the end must not lie before the start."""
    with ctx.placed(node):
        counted = counted_from_end(node)
        if counted is not None:
            value = _index(ctx, counted)
            detail = f"the bound `{ast.unparse(node)}` is not known to count from the end"
            ctx.require_nonnegative(ctx.extent(binary("-", value, integer(1))), ("index", detail))
            value = binary("-", whole, value)
            ctx.require_nonnegative(ctx.extent(value))
            return value
        value = _index(ctx, node)
        if _is_negative(value):
            value = binary("+", whole, value)
            ctx.require_nonnegative(ctx.extent(value))
        else:
            detail = f"the bound `{ast.unparse(node)}` may be negative, and would then count from the end"
            ctx.require_nonnegative(ctx.extent(value), ("index", detail))
        return value


def _is_negative(value: Scalar) -> bool:
    return value.integer is not None and value.integer < 0


def _in_steps(extent: Scalar, step: int) -> Scalar:
    """Give how many steps fit into an extent, the first included."""
    return extent if step == 1 else binary("//", binary("+", extent, integer(step - 1)), integer(step))


# -- attributes


def _attribute(ctx: Inference, node: ast.Attribute) -> Operand:
    constant = named_constant(ctx, node)
    if constant is not None:
        return constant
    base = evaluate(ctx, node.value)
    match node.attr, base:
        case "shape", Array():
            return shape_of(base)
        case "T", Array() if base.view is not None:
            return transposed(base)
        case "ndim", Array() if base.view is not None:
            return integer(base.rank)
        case "size", Array() if base.view is not None:
            ctx.mention(*base.extents)
            return count_of(base.extents)
    raise RefusedError("attribute", node.attr)


def transposed(view: Array) -> Array:
    """Turn the axes of a view round."""
    return replace(view, extents=view.extents[::-1], is_whole=False)


def count_of(extents: Extents) -> Scalar:
    """Count the elements of an array of at least one dimension."""
    return reduce(lambda count, extent: binary("*", count, extent), map(size_of, extents))


# -- memory


def in_memory(ctx: Inference, value: Array, name: str = "") -> Array:
    """Store an array into memory of its own, where nothing has."""
    if value.memory is not None:
        return replace(value, is_new=False)
    name = name or ctx.fresh("w")
    made = ctx.made(name, value.element, value.extents)
    if value.is_list:
        made = ctx.listed(made, name, value.item)
    fill(ctx, made, value)
    return replace(made, is_new=False)


def own(value: Array) -> Array:
    """Refuse a value that shows another array, which what is given its name could write."""
    if value.shows:
        raise RefusedError("view", value.shows)
    return value


def fill(ctx: Inference, target: Array, value: Array | Scalar) -> None:
    """Store an array, or one number everywhere, into a view."""
    stores(ctx, target)
    fill_own(ctx, target, value)


def fill_own(ctx: Inference, target: Array, value: Array | Scalar) -> None:
    """Store everywhere into memory of which nobody else has a name."""
    ctx.mention(*target.extents)
    if isinstance(value, Array):
        if value.rank > target.rank:
            raise RefusedError("shape", "the value has more dimensions than the target")
        for mine, given in zip(reversed(target.extents), reversed(value.extents), strict=False):
            if not is_one(given):
                ctx.require_equal(mine, given)
    cast(value.item if isinstance(value, Array) else value, target.element)


def stores(ctx: Inference, target: Array) -> None:
    """Note that an array is written."""
    assert target.memory is not None
    if target.memory.kept is not None:
        raise RefusedError(*target.memory.kept)
    target.memory.written = True
    ctx.written.append(target.memory)


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
        raise RefusedError("arguments", f"`{name}` is lifted for a stop, or a start and a stop")
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


RULES.update({ast.Subscript: _subscript, ast.Attribute: _attribute, ast.List: _list, ast.BinOp: _binary})
