"""Arrays of Fortran: elements, sections, and operations on whole arrays, which are rules for one element."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.symbols import PART
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.ops.c_types import BOOL, LONG, IntegerType
from tensorlift.readers.fortran.context import DIFFER
from tensorlift.readers.fortran.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import ArrayLike, Operand, Size

    Read = Callable[[Any], Operand]

ELSEWHERE = "*"  # the key of what is read at any places


def reference(ctx: Context, view: View, node: Any, read: Read) -> Operand:
    """Give what subscripts choose of an array: an element, or a section where one is a triplet."""
    found = selected(ctx, view, node, read)
    return ctx.load(view, found) if isinstance(found, list) else found


def subscripts_of(ctx: Context, node: Any) -> list[Any]:
    """List the subscripts of a reference to an array or a component; None stands for all of a dimension."""
    parts = node.children if kind_of(node) == "Data_Ref" else [node]
    found: list[Any] = []
    path = ""
    for part in parts:
        path += f"{PART}{path_of(part)}" if path else path_of(part)
        symbol = ctx.frame.scope.find(path)
        if kind_of(part) not in {"Part_Ref", "Function_Reference", "Structure_Constructor"}:
            found += [None] * (len(symbol.bounds) - len(found) if symbol is not None else 0)
            continue
        listed = list(part.children[1].children) if part.children[1] is not None else []
        if symbol is None or len(listed) != len(symbol.bounds) - len(found):
            raise ctx.refusal("rank", part, str(part.children[0]))
        found += listed
    return found


def selected(ctx: Context, view: View, node: Any, read: Read) -> View | Rule | list[Size]:
    """Give a section, or the place of an element; a rule where a subscript is a vector."""
    subscripts = subscripts_of(ctx, node)
    if len(subscripts) != len(view.extents):
        raise ctx.refusal("rank", node, path_of(node))
    if all(subscript is None for subscript in subscripts) and subscripts:
        return view
    found = {axis: read(one) for axis, one in enumerate(subscripts) if not _is_triplet(one)}
    if not all(isinstance(one, Number) for one in found.values()):
        return _gathered(ctx, view, subscripts, found, read)
    if len(found) == len(subscripts):
        return [_place(ctx, view, axis, found[axis], one) for axis, one in enumerate(subscripts)]
    return _section(ctx, view, subscripts, str(node).lower(), found, read)


def _section(  # noqa: PLR0913, PLR0917 - of what, and all subscripts
    ctx: Context, view: View, subscripts: Sequence[Any], key: str, found: dict[int, Operand], read: Read
) -> View:
    offset = view.offset
    extents: list[Size | None] = []
    strides: list[Size] = []
    room: list[Size | None] = []
    for axis, subscript in enumerate(subscripts):
        stride = view.strides[axis]
        if _is_triplet(subscript):
            start, extent, step = _triplet(ctx, view, axis, subscript, read)
            extents.append(extent)
            room.append(view.extents[axis])
            strides.append(ctx.combined("*", stride, step))
        else:
            start = _place(ctx, view, axis, found[axis], subscript)
        offset = _moved(ctx, offset, start, stride)
    whole = [view.lower[axis] for axis, subscript in enumerate(subscripts) if subscript is None]
    lower = tuple(whole) if len(whole) == len(extents) else (1,) * len(extents)
    shape = tuple(extents), tuple(strides)
    section = replace(view, offset=offset, extents=shape[0], strides=shape[1], lower=lower)
    return replace(section, key=key, room=tuple(room))


def prefixed(ctx: Context, view: View, node: Any, read: Read) -> View:
    """Give what subscripts for the first dimensions choose, and all of the other ones; perhaps one element."""
    subscripts = subscripts_of(ctx, node)
    whole = [*subscripts, *[None] * (len(view.extents) - len(subscripts))]
    found = {axis: read(one) for axis, one in enumerate(whole) if not _is_triplet(one)}
    return _section(ctx, view, whole, str(node).lower(), found, read)


def _is_triplet(subscript: Any) -> bool:
    return subscript is None or kind_of(subscript) == "Subscript_Triplet"


def _moved(ctx: Context, offset: Size, start: Size, stride: Size) -> Size:
    if isinstance(start, int) and start == 0:
        return offset
    moved = ctx.combined("*", start, stride)
    return ctx.combined("+", offset, moved)


def _gathered(ctx: Context, view: View, subscripts: Sequence[Any], found: dict[int, Operand], read: Read) -> Rule:
    """Give what vectors of subscripts choose, and triplets and numbers beside them."""
    extents: list[Size] = []
    chosen: list[Callable[[Size], Size]] = []
    fixed: dict[int, Size] = {}
    for axis, subscript in enumerate(subscripts):
        if _is_triplet(subscript):
            start, extent, step = _triplet(ctx, view, axis, subscript, read)
            extents.append(extent)
            chosen.append(partial(_at, ctx, start, step))
            continue
        own = found[axis]
        if isinstance(own, Number):
            fixed[axis] = _place(ctx, view, axis, own, subscript)
            continue
        if len(own.extents) != 1 or not isinstance(own.ctype, IntegerType) or own.ctype is BOOL:
            raise ctx.refusal("expression", subscript)
        if any(memory is view.memory for memory, _ in own.reads):
            own = in_memory(ctx, own, subscript)  # where it lies may be written
        extents += extents_of(ctx, own, subscript)
        chosen.append(partial(_listed, ctx, own, view.lower[axis]))

    def cells(places: Sequence[Size]) -> list[Size]:
        rest = iter(zip(chosen, places, strict=True))
        listed: list[Size] = []
        for axis in range(len(subscripts)):
            if axis in fixed:
                listed.append(fixed[axis])
            else:
                choose, place = next(rest)
                listed.append(choose(place))
        return listed

    reads = scattered(view, *found.values())
    return Rule(tuple(extents), lambda places: ctx.load(view, cells(places)), view.ctype, reads, cells=cells)


def _at(ctx: Context, start: Size, step: Size, place: Size) -> Size:
    return ctx.combined("+", start, ctx.combined("*", place, step))


def _listed(ctx: Context, array: ArrayLike, low: Size, place: Size) -> Size:
    return ctx.combined("-", ctx.as_size(element(ctx, array, [place])), low)


def scatter(ctx: Context, view: View, target: Rule, operand: Operand, node: Any) -> None:
    """Assign to elements that a vector of subscripts chooses, all of which are read before."""
    assert target.cells is not None
    if not isinstance(operand, Number):
        require_shape(ctx, target.extents, extents_of(ctx, operand, node), node)
        operand = in_memory(ctx, operand, node)
    cells = target.cells
    if (operand.ctype is BOOL) != (view.ctype is BOOL):
        raise ctx.refusal("expression", node)
    ctx.everywhere(target.extents, lambda p: ctx.store(view, cells(p), element(ctx, operand, p)))


def _place(ctx: Context, view: View, axis: int, found: Operand, subscript: Any) -> Size:
    if not isinstance(found, Number) or not found.is_integer:
        raise ctx.refusal("expression", subscript)
    return ctx.combined("-", ctx.as_size(found), view.lower[axis])


def _triplet(ctx: Context, view: View, axis: int, subscript: Any, read: Read) -> tuple[Size, Size, Size]:
    """Give where a section begins in a dimension, how many elements it has, and how far they are apart."""
    told = subscript.children if subscript is not None else (None, None, None)
    first, last, step = (None if child is None else _number(ctx, child, read) for child in told)
    low = view.lower[axis]
    start: Size = 0 if first is None else ctx.combined("-", first, low)
    if last is None:
        extent = view.extents[axis]
        if extent is None:
            raise ctx.refusal("bounds", subscript, str(subscript))
        end = ctx.combined("-", extent, 1)
    else:
        end = ctx.combined("-", last, low)
    if step is None or (isinstance(step, int) and step == 1):
        return start, ctx.combined("+", ctx.combined("-", end, start), 1), 1
    if not isinstance(step, int) or step == 0:
        raise ctx.refusal("expression", subscript)
    if step < 0 and (first is None or last is None):
        raise ctx.refusal("expression", subscript)
    if step == -1:
        return start, ctx.combined("+", ctx.combined("-", start, end), 1), step
    span = ctx.combined("+", ctx.combined("-", end, start), step)
    if isinstance(span, int):
        return start, max(span // step, 0), step
    return start, ctx.arithmetic("//", span, ctx.constant(step, LONG), LONG), step  # below nothing where it is empty


def _number(ctx: Context, node: Any, read: Read) -> Size:
    found = read(node)
    if not isinstance(found, Number) or not found.is_integer:
        raise ctx.refusal("expression", node)
    return ctx.as_size(found)


def extents_of(ctx: Context, array: ArrayLike, node: Any) -> tuple[Size, ...]:
    """Give the extents of an array, all of which must be told."""
    found = tuple(extent for extent in array.extents if extent is not None)
    if len(found) < len(array.extents):
        raise ctx.refusal("bounds", node)
    return found


def count_of(ctx: Context, extents: Sequence[Size]) -> Size:
    """Count the elements of a shape."""
    count: Size = 1
    for extent in extents:
        count = ctx.combined("*", count, extent)
    return count


def element(ctx: Context, operand: Operand, places: Sequence[Size]) -> Number:
    """Give an element of an array, or a scalar as it is."""
    match operand:
        case Number():
            return operand
        case View():
            return ctx.load(operand, places)
        case Rule():
            return operand.at(places)


def elementwise(
    ctx: Context,
    apply: Callable[[list[Number]], Number],
    operands: Sequence[Operand],
    ctype: Numeric,
    node: Any,
) -> Operand:
    """Apply a function of scalars, to the elements of arrays where operands are arrays; ``ctype`` is what it gives."""
    arrays = [operand for operand in operands if not isinstance(operand, Number)]
    if not arrays:
        return apply([operand for operand in operands if isinstance(operand, Number)])
    shape = conforming(ctx, arrays, node)

    def at(places: Sequence[Size]) -> Number:
        return apply([element(ctx, operand, places) for operand in operands])

    room = next((array.room for array in arrays if array.room), ())
    return Rule(shape, at, ctype, frozenset(one for array in arrays for one in array.reads), room)


def scattered(*operands: Operand) -> frozenset[tuple[SSAValue, str]]:
    """Give what is read of operands by a rule that reads other places of them than its own."""
    arrays = [operand for operand in operands if not isinstance(operand, Number)]
    return frozenset((memory, ELSEWHERE) for array in arrays for memory, _ in array.reads)


def conforming(ctx: Context, arrays: Sequence[ArrayLike], node: Any) -> tuple[Size, ...]:
    """Give the shape of arrays that must have the same one."""
    shape = extents_of(ctx, arrays[0], node)
    for other in arrays[1:]:
        require_shape(ctx, shape, extents_of(ctx, other, node), node)
    return shape


def require_shape(ctx: Context, shape: Sequence[Size], other: Sequence[Size], node: Any) -> None:
    """Ask that two shapes are one."""
    if len(shape) != len(other):
        raise ctx.refusal("shape", node, f"{len(shape)} and {len(other)} dimensions")
    for left, right in zip(shape, other, strict=True):
        if left is right or (isinstance(left, int) and isinstance(right, int) and left == right):
            continue
        if isinstance(left, int) and isinstance(right, int):
            raise ctx.refusal("shape", node, f"{left} and {right} elements")
        if ctx.is_same(left, right):
            continue
        if left in ctx.asked.values() and right in ctx.asked.values():
            ctx.equal.append((ctx.size(left), ctx.size(right)))
            continue
        ctx.require(ctx.comparison("==", ctx.size(left), ctx.size(right), LONG), DIFFER)


def in_memory(ctx: Context, operand: ArrayLike, node: Any, room: Sequence[Size | None] = ()) -> View:
    """Compute a whole array into memory of its own, with ``room`` where its extents change from loop to loop."""
    extents = extents_of(ctx, operand, node)
    rooms = [*(room or operand.room or extents)]
    held = [e if most is None or ctx.is_fixed(e) else most for e, most in zip(extents, rooms, strict=True)]
    made = replace(ctx.array(ctx.temporary(), held, operand.ctype), extents=extents)
    ctx.everywhere(extents, lambda places: ctx.store(made, places, element(ctx, operand, places)))
    return made


def assign(ctx: Context, target: View, operand: Operand, node: Any, mask: Operand | None = None) -> None:
    """Assign to a whole array or section; what is read at other places of it is computed before.

    With a ``mask``, which nothing here may write, only where it holds.
    """
    if not isinstance(operand, Number):
        extents = extents_of(ctx, operand, node)
        if None not in target.extents:
            require_shape(ctx, extents_of(ctx, target, node), extents, node)
        if any(memory is target.memory and key != target.key for memory, key in operand.reads):
            operand = in_memory(ctx, operand, node, target.room)
    else:
        extents = extents_of(ctx, target, node)
    if isinstance(mask, View | Rule):
        require_shape(ctx, extents, extents_of(ctx, mask, node), node)

    def store(places: list[Size]) -> None:
        ctx.store(target, places, element(ctx, operand, places))

    if mask is None:
        ctx.everywhere(extents, store)
        return

    def guarded(places: list[Size]) -> None:
        ctx.choose(ctx.value(element(ctx, mask, places)), lambda: store(places))

    ctx.everywhere(extents, guarded)
