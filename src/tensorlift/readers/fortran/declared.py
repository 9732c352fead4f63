"""What procedures and blocks have of their own: arrays, constant ones, and structures that begin with values."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.symbols import ASSUMED, evaluated
from tensorlift.frontends.fortran.uses import uses_of
from tensorlift.readers.fortran.arrays import assign, extents_of, require_shape
from tensorlift.readers.fortran.expressions import put, size, value
from tensorlift.readers.fortran.values import Number, View

if TYPE_CHECKING:
    from tensorlift.frontends.fortran.symbols import Symbol
    from tensorlift.readers.fortran.context import Context, Frame
    from tensorlift.readers.fortran.values import Size


def bounds_of(ctx: Context, symbol: Symbol) -> list[tuple[Size, Size | None]]:
    """Give the lower bound and the extent of each dimension; an extent that is left open is None."""
    found: list[tuple[Size, Size | None]] = []
    for lower, upper in (evaluated(bound, symbol.home or ctx.frame.scope) for bound in symbol.bounds):
        low: Size = 1 if lower is None else _bound(ctx, lower)
        if upper is None or upper == ASSUMED:
            found.append((low, None))
        else:
            high = _bound(ctx, upper)
            found.append((low, high if low == 1 else ctx.combined("+", ctx.combined("-", high, low), 1)))
    return found


def _bound(ctx: Context, told: Any) -> Size:
    return told if isinstance(told, int) else size(ctx, told)


def declare(ctx: Context, frame: Frame) -> None:
    """Make the arrays of a procedure or a block, and constant ones, that it uses; structures begin with values."""
    procedure = frame.procedure
    used = {*uses_of(procedure).used}
    if procedure.result and not frame.scope.is_block:
        used |= {*frame.scope.names[procedure.result].leaves()}
    for symbol in sorted(used, key=lambda one: one.name):
        is_own = symbol.home is frame.scope
        comes = symbol.is_dummy or symbol.is_outside or symbol.is_unmade
        if symbol.is_constant and symbol.bounds:
            if is_own or not (symbol.home is not None and symbol.home.is_block):
                constant_array(ctx, symbol)
        elif symbol.bounds and is_own and symbol.name not in frame.bound and not comes:
            _make(ctx, frame, symbol)
        if is_own:
            begin(ctx, frame, symbol)


def _make(ctx: Context, frame: Frame, symbol: Symbol) -> None:
    place = frame.procedure.tree.children[0]
    ctx.check(symbol, place)
    assert symbol.ctype is not None
    declared = bounds_of(ctx, symbol)
    extents = [extent for _, extent in declared if extent is not None]
    if len(extents) < len(declared):
        raise ctx.refusal("bounds", place, symbol.name)
    frame.bound[symbol.name] = ctx.array(symbol.hint, extents, symbol.ctype, [low for low, _ in declared])


def begin(ctx: Context, frame: Frame, symbol: Symbol) -> None:
    """Give a component the value that its type states, where a variable begins."""
    begins = symbol.intent == "out" if symbol.is_dummy else not (symbol.is_constant or symbol.is_outside)
    if symbol.component is None or not symbol.begins or not begins:
        return
    if symbol.above is not None and symbol.above.begins:
        raise ctx.refusal("initialiser", frame.procedure.tree.children[0], symbol.name)
    assert symbol.component.value is not None
    if symbol.name not in frame.bound and (symbol.is_unmade or symbol.is_dummy):
        return
    outer, home = ctx.frame, symbol.component.home
    bound = ctx.binding(symbol.name, symbol.component.value)
    ctx.frame = frame.inner(home) if home is not None else frame
    found = value(ctx, symbol.component.value)
    ctx.frame = outer
    if isinstance(bound, View) and bound.extents:
        assign(ctx, bound, found, symbol.component.value)
    else:
        put(ctx, bound, found, symbol.component.value)


def constant_array(ctx: Context, symbol: Symbol) -> View:
    """Give a constant array, made where a procedure begins that uses it, or another constant that does."""
    frame: Frame | None = ctx.frame
    while frame is not None:
        if symbol in frame.constants:
            return frame.constants[symbol]
        frame = frame.outer
    ctx.frame.constants[symbol] = made = _constant(ctx, symbol)
    return made


def _constant(ctx: Context, symbol: Symbol) -> View:
    """Make a constant array, as its initial value says; that is read where the constant is declared."""
    node = symbol.value
    ctx.check(symbol, node)
    assert symbol.ctype is not None
    outer = ctx.frame
    if symbol.home is not None and symbol.home is not outer.scope:
        ctx.frame = outer.inner(symbol.home)
    found = value(ctx, node)
    declared = bounds_of(ctx, symbol)
    told = [None] * len(declared) if isinstance(found, Number) else [*found.extents]
    extents = [other if extent is None else extent for (_, extent), other in zip(declared, told, strict=False)]
    known = [extent for extent in extents if extent is not None]
    if len(known) < len(declared) or len(told) != len(declared):
        raise ctx.refusal("initialiser", node, symbol.name)
    lower = tuple(low for low, _ in declared)
    if isinstance(found, View) and found.ctype == symbol.ctype:
        require_shape(ctx, extents_of(ctx, found, node), known, node)
        made = replace(found, lower=lower, key="")
    else:
        made = ctx.array(symbol.hint, known, symbol.ctype, lower)
        assign(ctx, made, found, node)
    ctx.frame = outer
    return made
