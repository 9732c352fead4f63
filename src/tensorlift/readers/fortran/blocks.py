"""Constructs with names of their own: `block`, and `associate`, whose names stand for what they are given for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.declarations import block_scope
from tensorlift.frontends.fortran.symbols import Scope, Symbol
from tensorlift.frontends.fortran.syntax import kind_of, statement_line
from tensorlift.frontends.fortran.uses import path_of, uses_of
from tensorlift.readers.fortran.arrays import in_memory, prefixed, selected, subscripts_of
from tensorlift.readers.fortran.declared import declare
from tensorlift.readers.fortran.expressions import value
from tensorlift.readers.fortran.values import Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.readers.fortran.context import Context, Frame
    from tensorlift.readers.fortran.values import Binding

_PARTS = {"Block_Stmt", "Specification_Part", "End_Block_Stmt", "Associate_Stmt", "End_Associate_Stmt"}


def block(ctx: Context, node: Any) -> None:
    """Read a `block`."""
    around = ctx.frame.scope
    home = around
    while home.is_associate and home.outer is not None:
        home = home.outer
    scope = block_scope(home, node)
    for statement in scope.unread:
        raise ctx.refusal("statement", statement)
    scope.outer = around  # names that `associate` gives are seen here
    _within(ctx, ctx.frame.inner(scope), node, lambda frame: declare(ctx, frame))
    scope.outer = home


def associate(ctx: Context, node: Any) -> None:
    """Read an `associate`."""
    outer = ctx.frame
    scope = Scope(outer.scope.file, outer.scope.first, outer.scope, is_block=True, is_associate=True)
    scope.implicit = outer.scope.implicit
    frame = outer.inner(scope)
    for one in node.children[0].children[1].children:
        _associated(ctx, frame, str(one.children[0]).lower(), one.children[2])
    _within(ctx, frame, node, lambda _: None)


def _within(ctx: Context, frame: Frame, node: Any, first: Callable[[Frame], None]) -> None:
    """Read the statements of a construct with its names."""
    outer, ctx.frame = ctx.frame, frame
    first(frame)
    ctx.read_block(ctx, [child for child in node.children if kind_of(child) not in _PARTS])
    ctx.frame = outer


def _associated(ctx: Context, frame: Frame, name: str, selector: Any) -> None:
    """Let a name stand for a variable, a section, an element or a value."""
    is_reference = kind_of(selector) in {"Name", "Part_Ref", "Data_Ref"}
    symbol = ctx.frame.scope.find(path_of(selector)) if is_reference else None
    if symbol is not None and kind_of(selector) == "Part_Ref" and not symbol.bounds:
        symbol = None  # a function
    if symbol is not None and symbol.derived is not None:
        _structure(ctx, frame, name, symbol, selector)
        return
    bound = _chosen(ctx, selector) if symbol is not None and not symbol.is_constant else _computed(ctx, selector)
    rank = len(bound.extents) if isinstance(bound, View) else 0
    made = Symbol(name, statement_line(selector), bound.ctype, bounds=((None, None),) * rank, home=frame.scope)
    frame.scope.names[name] = made
    frame.bound[name] = bound


def _computed(ctx: Context, selector: Any) -> Binding:
    found = value(ctx, selector)
    return in_memory(ctx, found, selector) if isinstance(found, View | Rule) else found


def _chosen(ctx: Context, selector: Any) -> Binding:
    bound = ctx.binding(path_of(selector), selector)
    if not isinstance(bound, View) or not bound.extents:
        return bound
    place = selected(ctx, bound, selector, lambda subscript: value(ctx, subscript))
    if isinstance(place, Rule):
        raise ctx.refusal("expression", selector)
    if isinstance(place, View):
        return place
    return ctx.one(bound, place)


def _structure(ctx: Context, frame: Frame, name: str, symbol: Symbol, selector: Any) -> None:
    """Let a name stand for a structure, whose components are those of it."""
    subscripts = subscripts_of(ctx, selector)
    rank = sum(kind_of(one) == "Subscript_Triplet" or one is None for one in subscripts)
    made = replace(symbol, name=name, home=frame.scope, bounds=((None, None),) * rank, above=None, parts={})
    made.component, made.common, made.is_dummy, made.is_shared = None, None, False, False
    frame.scope.names[name] = made
    used = uses_of(frame.procedure).used
    for leaf in made.leaves():
        path = path_of(selector) + leaf.name[len(name) :]
        own = ctx.frame.scope.find(path)
        if own is None or not (own in used or own.home is not ctx.frame.procedure.scope):
            continue
        if own.is_unmade and not (own.is_dummy or own.is_outside) and own.name not in ctx.frame.bound:
            continue
        bound = ctx.binding(path, selector)
        if isinstance(bound, View) and any(one is not None for one in subscripts):
            bound = prefixed(ctx, bound, selector, lambda subscript: value(ctx, subscript))
        frame.bound[leaf.name] = bound
