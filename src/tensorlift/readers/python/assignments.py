"""Assignments: to names, elements and parts of arrays, under masks, to several targets, and in place."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.frontends.python.syntax import as_stored, may_be_mask, refilled_parameters
from tensorlift.ops.c_types import BOOL
from tensorlift.readers.python.arrays import allocate, element, element_type, fill, in_memory, placed, store
from tensorlift.readers.python.evaluation import RULES, evaluate
from tensorlift.readers.python.expressions import are_places, at_places, evaluated_indices, operated, part
from tensorlift.readers.python.numbers import chosen
from tensorlift.readers.python.values import Number, Rule, Several, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import ArrayLike, CNumber, Operand, Size


def assign(ctx: Context, targets: Sequence[ast.expr], value: ast.expr) -> None:
    """Evaluate a value, and bind the targets one after the other."""
    found = evaluate(ctx, as_stored(targets, value))
    if len(targets) > 1 and isinstance(found, View | Rule):  # one array, of which all of them are names
        found = replace(in_memory(ctx, found) if isinstance(found, Rule) else found, is_new=False)
    if isinstance(found, Several) and sum(isinstance(item, View | Rule) for item in found.items) > 1:
        refilled = [t in ctx.inferred.refilled for t in getattr(targets[0], "elts", found.items)]
        kept = zip(found.items, refilled, strict=True)
        found = Several(tuple(_apart(ctx, item, is_copied=is_copied) for item, is_copied in kept))
    for target in targets:
        bind(ctx, target, found)


def _apart(ctx: Context, item: Operand, *, is_copied: bool) -> Operand:
    """Give an item that does not change where the targets are bound one after the other."""
    return in_memory(ctx, item) if isinstance(item, Rule) or (is_copied and isinstance(item, View)) else item


def copy_refilled(ctx: Context, function: ast.FunctionDef) -> None:
    """Copy the arrays of parameters into which binding them again stores."""
    for name in refilled_parameters(function):
        known = ctx.named(name)
        if isinstance(known, View) and not known.is_list:
            ctx.bind(name, replace(in_memory(ctx, known, name), is_new=False))


def bind(ctx: Context, target: ast.expr, value: Operand) -> None:
    """Bind one target."""
    match target:
        case ast.Name(id=name) if target in ctx.inferred.refilled and isinstance(value, View | Rule):
            known = ctx.named(name)
            assert isinstance(known, View)
            fill(ctx, known, value)
        case ast.Name(id=name):
            _bind_name(ctx, name, value)
        case ast.Subscript():
            _store(ctx, target, value)
        case ast.Tuple(elts=targets) | ast.List(elts=targets):
            for one, item in zip(targets, _items(ctx, value, len(targets)), strict=True):
                bind(ctx, one, item)


def _named(ctx: Context, node: ast.NamedExpr) -> Operand:
    """Bind a name to a number in an expression."""
    bind(ctx, node.target, evaluate(ctx, node.value))
    return evaluate(ctx, ast.copy_location(ast.Name(node.target.id, ast.Load()), node))


RULES[ast.NamedExpr] = _named


def _items(ctx: Context, value: Operand, count: int) -> Sequence[Operand]:
    """Give the items of a tuple, or the numbers of an array, that is unpacked."""
    if isinstance(value, View | Rule) and len(value.extents) == 1:
        ctx.require_equal(value.extents[0], count)
        return [element(ctx, value, (position,)) for position in range(count)]
    assert isinstance(value, Several)
    return value.items


def _bind_name(ctx: Context, name: str, value: Operand) -> None:
    is_result = name in ctx.results and not ctx.scope.depth and ctx.scope.after is None
    if isinstance(value, Rule) or (isinstance(value, View) and value.is_new and is_result):
        wanted = _element(ctx, name, value)
        if is_result:
            made = placed(ctx, name, value)
            del ctx.results[name]
            if wanted not in (None, made.element):
                raise ctx.refusal(f"`{name}`, which is given back with another type,")
        elif wanted is None:
            made = in_memory(ctx, value, name)
        else:
            made = allocate(ctx, name, wanted, value.extents, is_list=value.is_list)
        if is_result or wanted is not None:
            fill(ctx, made, value)
        value = made
    if isinstance(value, View):
        value = replace(value, is_new=False)
    ctx.bind(name, value)


def _element(ctx: Context, name: str, value: ArrayLike) -> CNumber | None:
    """Give the type of the elements; that of a list holds all that is ever stored into it."""
    known = ctx.type_of(f"{name}[]") if value.is_list else None
    return known[0] if known is not None else value.element


def _store(ctx: Context, target: ast.Subscript, value: Operand) -> None:
    base = _base(ctx, target)
    mask = _mask(ctx, base, target)
    if mask is not None:
        assert isinstance(value, Number)
        number = value
        _store_where(ctx, base, mask, lambda _: number)
        return
    indices = evaluated_indices(ctx, target)
    if are_places(indices):
        at_places(ctx, base, target, indices, value)
    else:
        _put(ctx, part(ctx, base, target, indices), value)


def _base(ctx: Context, target: ast.Subscript) -> View:
    base = evaluate(ctx, target.value)
    assert isinstance(base, View)
    return base


def _put(ctx: Context, view: View, value: Operand) -> None:
    """Store into an element or a part of an array."""
    assert isinstance(value, Number | View | Rule)
    if view.extents:
        fill(ctx, view, value)
    else:
        assert isinstance(value, Number)
        store(ctx, view, (), value)


def _mask(ctx: Context, base: View, target: ast.Subscript) -> ArrayLike | None:
    """Evaluate an index that is an array of truth values; None for any other index."""
    if not may_be_mask(target.slice):
        return None
    found = evaluate(ctx, target.slice)
    if not isinstance(found, View | Rule) or element_type(ctx, found) is not BOOL:
        return None
    for mine, other in zip(base.extents, found.extents, strict=True):
        ctx.require_equal(mine, other)
    return found


def _store_where(ctx: Context, base: View, mask: ArrayLike, value: Callable[[Number], Number]) -> None:
    """Store into the elements for which a mask holds; the others keep what they are."""

    def at(indices: Sequence[Size]) -> Number:
        old = element(ctx, base, indices)
        holds = element(ctx, mask, indices)
        new = value(old)
        return chosen(ctx, ctx.test(holds), ctx.cast(new, old.ctype), old)

    fill(ctx, base, Rule(base.extents, at, mask.reads, base.element))


def augment(ctx: Context, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
    """Compute ``target op= value``: what is there is read before the value is evaluated."""
    if isinstance(target, ast.Name):
        before = evaluate(ctx, target)
        given = evaluate(ctx, value)
        if isinstance(before, Number):
            ctx.bind(target.id, _number(operated(ctx, op, before, given)))
            return
        assert isinstance(before, View)
        _augment_part(ctx, before, op, given)
        return
    assert isinstance(target, ast.Subscript)
    base = _base(ctx, target)
    mask = _mask(ctx, base, target)
    if mask is not None:
        given = evaluate(ctx, value)
        _store_where(ctx, base, mask, lambda old: _number(operated(ctx, op, old, given)))
        return
    indices = evaluated_indices(ctx, target)
    if are_places(indices):
        old_items = at_places(ctx, base, target, indices)
        at_places(ctx, base, target, indices, operated(ctx, op, old_items, evaluate(ctx, value)))
        return
    view = part(ctx, base, target, indices)
    if view.extents:
        _augment_part(ctx, view, op, evaluate(ctx, value))
        return
    old = element(ctx, view, ())
    store(ctx, view, (), _number(operated(ctx, op, old, evaluate(ctx, value))))


def _augment_part(ctx: Context, view: View, op: ast.operator, given: Operand) -> None:
    """Change a part of an array in place."""
    if isinstance(given, View | Rule) and view.base in given.reads:
        given = in_memory(ctx, given)
    found = operated(ctx, op, view, given)
    assert isinstance(found, Rule)
    for mine, other in zip(view.extents, found.extents, strict=True):
        ctx.require_equal(mine, other)

    def at(indices: Sequence[Size]) -> Number:
        return element(ctx, found, indices)

    fill(ctx, view, Rule(view.extents, at, frozenset(), view.element))  # each element reads itself alone


def _number(value: Operand) -> Number:
    assert isinstance(value, Number)
    return value
