"""What a loop runs over: the range of its counter, and what its targets are bound to where the counter is known."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.c.c_types import LONG
from tensorlift.frontends.c.ir_types import ir_type
from tensorlift.readers.python.arrays import element, in_memory
from tensorlift.readers.python.assignments import bind
from tensorlift.readers.python.evaluation import evaluate, number, size
from tensorlift.readers.python.numbers import binary, integer
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import Operand, Size

    Bounds: TypeAlias = tuple[Size, Size, int]  # start, stop and step
    Iteration: TypeAlias = tuple[Bounds, Callable[[SSAValue], None]]

_RANGES = {"range", "prange"}
_STEP = 2  # its place among the arguments of a range


def iterated(ctx: Context, target: ast.expr, node: ast.expr) -> Iteration:
    """Give the range of the counter of a loop, and what binds the targets where the counter is known."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    scope, module = ctx.scope, ctx.scope.module
    if any(called in names for names in (module.rebound, module.functions, scope.bound, scope.names)):
        called = ""
    if isinstance(node, ast.Call) and called and not (node.keywords and called != "enumerate"):
        imported = ctx.scope.module.imports.get(called, called).rpartition(".")[2]
        if imported in _RANGES:
            bounds = _range(ctx, node.args)
            return bounds, lambda counter: bind(ctx, target, Number(counter, LONG, weak=True))
        if called in _OVER:
            return _OVER[called](ctx, target, node)
    return _over_array(ctx, target, node, reverse=False)


def _range(ctx: Context, arguments: Sequence[ast.expr]) -> Bounds:
    values = [size(ctx, argument) for argument in arguments]
    step = values[_STEP] if len(values) > _STEP else 1
    if not values or not isinstance(step, int) or not step:
        raise ctx.refusal("a range with this step")
    return (0, values[0], 1) if len(values) == 1 else (values[0], values[1], step)


def _over_array(ctx: Context, target: ast.expr, node: ast.expr, *, reverse: bool) -> Iteration:
    value = evaluate(ctx, node)
    if isinstance(value, Rule):
        value = in_memory(ctx, value)
    if not isinstance(value, View):
        raise ctx.refusal(f"a loop over `{ast.unparse(node)}`")
    view, length = value, value.extents[0]
    last = ctx.combined("-", length, 1) if reverse else None

    def bind_item(counter: SSAValue) -> None:
        index = counter if last is None else ctx.size(ctx.combined("-", last, counter))
        bind(ctx, target, _row(ctx, view, index))

    return (0, length, 1), bind_item


def _row(ctx: Context, view: View, index: SSAValue) -> Operand:
    """Give an item of an array: a number, or a row."""
    if len(view.extents) == 1:
        return element(ctx, view, (index,))
    offset = ctx.combined("+", view.offset, ctx.combined("*", index, view.strides[0]))
    return replace(view, offset=offset, extents=view.extents[1:], strides=view.strides[1:], is_new=False)


def _reversed(ctx: Context, target: ast.expr, node: ast.Call) -> Iteration:
    (inner,) = node.args
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in _RANGES:
        start, stop, step = _range(ctx, inner.args)
        if step != 1:
            raise ctx.refusal("`reversed` of a range with a step")
        bounds = (ctx.combined("-", stop, 1), ctx.combined("-", start, 1), -1)
        return bounds, lambda counter: bind(ctx, target, Number(counter, LONG, weak=True))
    return _over_array(ctx, target, inner, reverse=True)


def _enumerate(ctx: Context, target: ast.expr, node: ast.Call) -> Iteration:
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(("counter", "item")):
        raise ctx.refusal("`enumerate` with these targets")
    counter_target, item_target = target.elts
    bounds, bind_item = iterated(ctx, item_target, node.args[0])
    starts = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    first = number(ctx, starts[0]) if starts else integer(0)
    if bounds[0] != 0 or bounds[2] != 1 or len(starts) > 1:
        raise ctx.refusal("`enumerate` of such a range")

    def bind_both(counter: SSAValue) -> None:
        own = Number(counter, LONG, weak=True)
        bind(ctx, counter_target, own if first.literal == 0 else binary(ctx, ast.Add(), own, first))
        bind_item(counter)

    return bounds, bind_both


def _zip(ctx: Context, target: ast.expr, node: ast.Call) -> Iteration:
    if not isinstance(target, ast.Tuple) or len(target.elts) != len(node.args) or not node.args:
        raise ctx.refusal("`zip` with these targets")
    found = [iterated(ctx, inner, argument) for inner, argument in zip(target.elts, node.args, strict=True)]
    if any(bounds[0] != 0 or bounds[2] != 1 for bounds, _ in found):
        raise ctx.refusal("`zip` of such ranges")
    stop = found[0][0][1]
    for (_, other, _), _ in found[1:]:
        stop = _least(ctx, stop, other)

    def bind_all(counter: SSAValue) -> None:
        for _, bind_item in found:
            bind_item(counter)

    return (0, stop, 1), bind_all


def _least(ctx: Context, one: Size, other: Size) -> Size:
    """Give the lesser of two lengths."""
    if isinstance(one, int) and isinstance(other, int):
        return min(one, other)
    a, b = ctx.flow.settled(ctx.size(one)), ctx.flow.settled(ctx.size(other))
    if a is b:
        return one
    return ctx.operation("arith.select", (ctx.comparison("<", b, a, LONG), b, a), ir_type(LONG))


_OVER = {"reversed": _reversed, "enumerate": _enumerate, "zip": _zip}
