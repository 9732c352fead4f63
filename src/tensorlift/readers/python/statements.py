"""Statements of Python as basic blocks: one rule for each kind, in the table at the end."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.python.scalars import common_type, fits
from tensorlift.frontends.python.syntax import always_returns, appended, filled_by, stored_in
from tensorlift.readers.flow import Flow, named
from tensorlift.readers.python.assignments import assign, augment, bind, copy_refilled
from tensorlift.readers.python.calls import INLINED
from tensorlift.readers.python.context import Named, Scope, Variable, kept, read, variable
from tensorlift.readers.python.evaluation import evaluate, number
from tensorlift.readers.python.expressions import branch_on, told_by_none
from tensorlift.readers.python.iteration import Growing, iterated
from tensorlift.readers.python.loops import counted, looped
from tensorlift.readers.python.results import give_back
from tensorlift.readers.python.values import Nothing, Number, Several, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.frontends.python.state import Module
    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import Operand

# What a tuple or a list is made of whose items are numbers that the source states.
_WRITTEN = (ast.Tuple, ast.List, ast.Constant, ast.UnaryOp, ast.USub, ast.Load)


def read_body(ctx: Context, statements: Sequence[ast.stmt]) -> None:
    """Read statements one after the other."""
    for statement in statements:
        ctx.at = ctx.place(statement)
        told = told_by_none(ctx, statement.test) if isinstance(statement, ast.If) else None
        if told is not None and isinstance(statement, ast.If):
            read_body(ctx, arm := statement.body if told else statement.orelse)
            if always_returns(arm):
                return
            continue
        ctx.enter()
        _STATEMENTS[type(statement)](ctx, statement)
        ctx.depth -= 1


def _expression(ctx: Context, node: ast.Expr) -> None:
    grown = appended(node)
    if grown is not None:
        ctx.scope.growing[grown[0]](evaluate(ctx, grown[1]))
    elif not isinstance(node.value, ast.Constant):
        evaluate(ctx, node.value)


def _assign(ctx: Context, node: ast.Assign) -> None:
    if isinstance(node.value, ast.List) and not node.value.elts:
        return  # the loop that appends to it makes it
    assign(ctx, node.targets, node.value)


def _annotated(ctx: Context, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(ctx, [node.target], node.value)


def _augment(ctx: Context, node: ast.AugAssign) -> None:
    augment(ctx, node.target, node.op, node.value)


def _nothing(_ctx: Context, _node: ast.stmt) -> None:
    pass


def _if(ctx: Context, node: ast.If) -> None:
    arms, join = [(Flow(), node.body), (Flow(), node.orelse)], Flow()
    branch_on(ctx, node.test, arms[0][0], arms[1][0])
    ctx.scope.depth += 1
    for flow, arm in arms:
        ctx.flow.enter(flow)
        read_body(ctx, arm)
        ctx.flow.jump(join, ctx.place(node))
    ctx.scope.depth -= 1
    ctx.flow.enter(join)


def _while(ctx: Context, node: ast.While) -> None:
    test, body = partial(branch_on, ctx, node.test), partial(read_body, ctx, node.body)
    ctx.flow.loop(named("while", ctx.at), test, partial(looped, ctx, body), lambda: None)


def _break(ctx: Context, _node: ast.Break) -> None:
    ctx.flow.jump(ctx.scope.breaks[-1], named("break", ctx.at))


def _continue(ctx: Context, _node: ast.Continue) -> None:
    ctx.flow.jump(ctx.scope.continues[-1], ctx.at)


def _assert(ctx: Context, node: ast.Assert) -> None:
    _require(ctx, node.test)


def _require(ctx: Context, test: ast.expr) -> None:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            _require(ctx, value)
        return
    ctx.at = ctx.place(test)
    ctx.require(ctx.test(number(ctx, test)), "`assert` fails")


def _raise(ctx: Context, _node: ast.Raise) -> None:
    ctx.require(ctx.truth(value=False), "`raise` is reached")


# -- `for`


def _for(ctx: Context, node: ast.For) -> None:
    if all(isinstance(part, _WRITTEN) for part in ast.walk(node.iter)):
        _written(ctx, node)
        return

    own = [name for name in stored_in([node.target]) if ctx.scope.bound[name] == 1]
    after: dict[str, Variable | Named] = {}

    def body(counter: SSAValue) -> None:
        bind_items(counter)
        for name, found in growing.items():
            ctx.scope.growing[name] = partial(found.add, ctx, counter)
        for name in own:
            known = ctx.scope.names[name]
            if isinstance(known, Variable):  # in the body it is what it was bound to; after the loop, the last of these
                after[name] = known
                value = read(ctx, known.local, known.ctype, known.weak)
                ctx.scope.names[name] = Named(value, [None])
        read_body(ctx, node.body)

    bounds, bind_items = iterated(ctx, node.target, node.iter)
    growing = {name: Growing(ctx, bounds) for name in filled_by(node)}
    name = node.target.id if isinstance(node.target, ast.Name) else None
    counted(ctx, bounds, ctx.place(node.target), body, name)
    ctx.scope.names |= after
    for list_name, found in growing.items():
        ctx.bind(list_name, replace(found.made, is_new=False))


def _written(ctx: Context, node: ast.For) -> None:
    """Read the body once for each item that the source states."""
    assert isinstance(node.iter, ast.Tuple | ast.List)
    after = Flow()
    for item in node.iter.elts:
        value = Several(tuple(evaluate(ctx, i) for i in item.elts)) if isinstance(item, ast.Tuple | ast.List) else None
        following = Flow()
        bind(ctx, node.target, value or evaluate(ctx, item))
        looped(ctx, partial(read_body, ctx, node.body), following, after)
        ctx.flow.jump(following, ctx.place(node))
        ctx.flow.enter(following)
    ctx.flow.jump(after, ctx.place(node))
    ctx.flow.enter(after)


# -- functions


def _return(ctx: Context, node: ast.Return) -> None:
    place = named("return", ctx.at)
    if ctx.scope.after is None:
        give_back(ctx, node.value, place)
        return
    ctx.scope.returned.append(Nothing() if node.value is None else evaluate(ctx, node.value))
    ctx.scope.ends.append(ctx.flow.current)
    ctx.flow.jump(ctx.scope.after, place)


def inlined(ctx: Context, function: ast.FunctionDef, module: Module, arguments: dict[str, Operand]) -> Operand:
    """Read the body of a function in the place of a call."""
    outer, at = ctx.scope, ctx.at
    scope = ctx.scope = Scope.of(module, function)
    scope.after = Flow()
    for name, value in arguments.items():
        ctx.bind(name, replace(value, is_new=False) if isinstance(value, View) else value)
    copy_refilled(ctx, function)
    read_body(ctx, function.body)
    if ctx.flow.current.is_live:
        scope.returned.append(Nothing())
        scope.ends.append(ctx.flow.current)
        ctx.flow.jump(scope.after, at)
    ctx.scope, ctx.at = outer, at
    return _given_back(ctx, scope)


def _given_back(ctx: Context, scope: Scope) -> Operand:
    """Give what a function returned, wherever that was."""
    assert scope.after is not None
    values = scope.returned
    ctx.flow.enter(scope.after)
    if not values or all(isinstance(value, Nothing) for value in values):
        return Nothing()
    if len(values) == 1:
        return values[0]
    numbers = [value for value in values if isinstance(value, Number)]
    ctype, weak = common_type(numbers)
    if any(value.is_truth and (value.ctype, value.weak) != (ctype, weak) for value in numbers):
        raise ctx.refusal("a function that returns truth values and numbers")
    if not all(fits(value, ctype) for value in numbers):
        raise ctx.refusal("a function that returns numbers of several types")
    result = variable(ctx, ctype, ctx.temporary("result"))
    inside = ctx.flow.current
    for value, end in zip(numbers, scope.ends, strict=True):
        ctx.flow.current = end
        end.definitions[result] = kept(ctx, value, ctype)
    ctx.flow.current = inside
    return read(ctx, result, ctype, weak)


_STATEMENTS: dict[type[ast.stmt], Callable[[Context, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augment,
    ast.Pass: _nothing,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Return: _return,
}
INLINED.append(inlined)
