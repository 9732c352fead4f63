"""Arrays that are written out, `[a, b, x, (f(i), i = 1, n)]`: they lie in memory of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.constants import constant_of
from tensorlift.frontends.fortran.symbols import type_of
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.ops.c_types import BOOL, INT, LONG
from tensorlift.readers.fortran.arrays import count_of, element, extents_of
from tensorlift.readers.fortran.elemental import CONVERSIONS, KINDS, SPECIFIC, joined_type
from tensorlift.readers.fortran.expressions import integer, result_type, scalar, value
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import ArrayLike, Size, View

_MOST = 64  # values of the variable of an implied loop that are read one by one


@dataclass(frozen=True)
class _Loop:
    """An implied loop whose bounds are no constants: as many numbers in each iteration."""

    items: Sequence[Any]
    name: str
    first: Size
    step: int
    trips: Size
    width: int


def constructed(ctx: Context, node: Any) -> View:
    """Read an array constructor."""
    listed, ctype = node.children[1], None
    if kind_of(listed) == "Ac_Spec":
        spec, listed = listed.children
        ctype, _ = type_of(spec, ctx.frame.scope)
    pieces = [piece for item in getattr(listed, "children", ()) or () for piece in _pieces(ctx, item)]
    types = {typed(ctx, one.items[0]) if isinstance(one, _Loop) else one.ctype for one in pieces}
    if ctype is None and len(types) == 1:
        ctype = next(iter(types))
    if ctype is None or not pieces or any((one is BOOL) != (ctype is BOOL) for one in types):
        raise ctx.refusal("expression", node)
    counts = [_count(ctx, piece, node) for piece in pieces]
    total: Size = 0
    for count in counts:
        total = ctx.combined("+", total, count)
    made = ctx.array(ctx.temporary(), [total], ctype)
    place: Size = 0
    for piece, count in zip(pieces, counts, strict=True):
        _fill(ctx, made, place, piece)
        place = ctx.combined("+", place, count)
    return made


def _pieces(ctx: Context, item: Any) -> Iterator[Number | ArrayLike | _Loop]:
    """Read an item; an implied loop over few constants is what it lists."""
    if kind_of(item) != "Ac_Implied_Do":
        yield value(ctx, item)
        return
    listed, control = item.children
    name, bounds = str(control.children[0]).lower(), control.children[1]
    items = list(listed.children)
    first, last, *more = [integer(ctx, bound) for bound in bounds]
    step = more[0].literal if more else 1
    if not isinstance(step, int) or step == 0:
        raise ctx.refusal("expression", item)
    if isinstance(first.literal, int) and isinstance(last.literal, int):
        values = range(first.literal, last.literal + (1 if step > 0 else -1), step)
        if len(values) <= _MOST:
            for number in values:
                yield from _with(ctx, name, Number(number, INT), lambda: [p for i in items for p in _pieces(ctx, i)])
            return
    span = ctx.combined("+", ctx.combined("-", ctx.as_size(last), ctx.as_size(first)), step)
    trips = ctx.arithmetic("/", ctx.size(span), ctx.constant(step, LONG), LONG) if step != 1 else ctx.size(span)
    none = ctx.constant(0, LONG)
    trips = ctx.operation("arith.maxsi", (trips, none), none.type)
    if any(kind_of(one) == "Ac_Implied_Do" for one in items):
        raise ctx.refusal("expression", item)
    yield _Loop(items, name, ctx.as_size(first), step, trips, len(items))


def _with(
    ctx: Context, name: str, number: Number, read: Callable[[], list[Number | ArrayLike | _Loop]]
) -> list[Number | ArrayLike | _Loop]:
    """Read with another meaning of a name, the variable of an implied loop."""
    bound = ctx.frame.bound
    ctx.frame.bound = bound | {name: number}
    found = read()
    bound |= {other: one for other, one in ctx.frame.bound.items() if other != name and other not in bound}
    ctx.frame.bound = bound
    return found


def _count(ctx: Context, piece: Number | ArrayLike | _Loop, node: Any) -> Size:
    if isinstance(piece, Number):
        return 1
    if isinstance(piece, _Loop):
        return ctx.combined("*", piece.trips, piece.width)
    return count_of(ctx, extents_of(ctx, piece, node))


def _fill(ctx: Context, made: View, place: Size, piece: Number | ArrayLike | _Loop) -> None:
    """Store an item from a place on, arrays in the order of Fortran."""
    if isinstance(piece, Number):
        ctx.store(made, [place], piece)
    elif isinstance(piece, _Loop):
        _fill_loop(ctx, made, place, piece)
    else:
        extents = extents_of(ctx, piece, None)

        def visit(turned: list[Size]) -> None:
            linear: Size = 0
            for at, extent in zip(turned, extents[::-1], strict=True):
                linear = ctx.combined("+", ctx.combined("*", linear, extent), at)
            ctx.store(made, [ctx.combined("+", place, linear)], element(ctx, piece, turned[::-1]))

        ctx.everywhere(extents[::-1], visit)


def _fill_loop(ctx: Context, made: View, place: Size, loop: _Loop) -> None:
    def visit(k: Size) -> None:
        at = ctx.combined("+", loop.first, ctx.combined("*", k, loop.step))
        number = ctx.cast(Number(ctx.size(at), LONG), INT)

        def read() -> list[Number | ArrayLike | _Loop]:
            return [scalar(ctx, item) for item in loop.items]

        for j, found in enumerate(_with(ctx, loop.name, number, read)):
            assert isinstance(found, Number)
            own = ctx.combined("+", ctx.combined("*", k, loop.width), j)
            ctx.store(made, [ctx.combined("+", place, own)], found)

    ctx.count(loop.trips, visit)


def typed(ctx: Context, node: Any) -> Numeric:
    """Tell the type of an expression without reading it."""
    constant = constant_of(node, ctx.frame.scope)
    if constant is not None:
        return constant.ctype
    kind = kind_of(node)
    parts: Sequence[Any] = getattr(node, "children", ())
    if kind == "Parenthesis":
        return typed(ctx, parts[1])
    if kind in {"Level_2_Unary_Expr", "And_Operand"}:
        return typed(ctx, parts[1])
    if kind.endswith(("_Operand", "_Expr")):
        return result_type(str(parts[1]).lower(), typed(ctx, parts[0]), typed(ctx, parts[2]))
    name = path_of(node)
    found = ctx.frame.scope.find(name)
    procedure = ctx.frame.scope.procedure(name)
    if procedure is not None and procedure.result:
        found = procedure.scope.names[procedure.result]
    if found is not None and found.ctype is not None and kind != "Intrinsic_Function_Reference":
        return found.ctype
    if kind == "Intrinsic_Function_Reference" and parts[1] is not None:
        name = SPECIFIC.get(name, name)
        if name in CONVERSIONS and len(parts[1].children) == 1:
            family, default = CONVERSIONS[name]
            return KINDS[family][ctx.frame.scope.file.settings.real_kind if name == "real" else default]
        if name in {"size", "count"}:
            return INT
        return joined_type(name, [typed(ctx, one) for one in parts[1].children])
    raise ctx.refusal("expression", node)
