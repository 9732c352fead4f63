"""Loops of Fortran: `do` in all forms, and `do concurrent`, whose iterations run in order, as they may.

Bounds and step are evaluated once, before the loop; the variable keeps the value after the last iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.ops.c_types import BOOL, IntegerType
from tensorlift.readers.flow import Flow, Local, named
from tensorlift.readers.fortran.context import Loop, local_type
from tensorlift.readers.fortran.expressions import integer, truth
from tensorlift.readers.fortran.values import Number, Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.readers.fortran.context import Context


def do(ctx: Context, node: Any) -> None:
    """Read a `do` construct; several that end with one labelled statement stand in one."""
    statements = list(node.children)
    _loop(ctx, statements, next(k for k, child in enumerate(statements) if kind_of(child).endswith("Do_Stmt")))


def _loop(ctx: Context, statements: Sequence[Any], first: int) -> None:
    head, rest = statements[first], statements[first + 1 :]
    ctx.visit(head)
    at = named("do", ctx.at)
    inner = next((k for k, child in enumerate(rest) if kind_of(child) == "Label_Do_Stmt"), None)
    control = head.children[-1] if kind_of(head) == "Nonlabel_Do_Stmt" else head.children[2]

    def body() -> None:
        if inner is None:
            ctx.read_block(ctx, rest)
        else:
            ctx.read_block(ctx, rest[:inner])
            _loop(ctx, rest, inner)

    name = str(head.item.name).lower() if head.item is not None and head.item.name else ""
    if control is None:
        _repeat(ctx, at, name, None, body)
    elif control.children[0] is not None:
        _repeat(ctx, at, name, control.children[0], body)
    elif control.children[1] is not None:
        variable, bounds = control.children[1]
        _count(ctx, at, name, variable, bounds, body)
    else:
        header = next((child for child in control.children if kind_of(child) == "Forall_Header"), None)
        if header is None:
            raise ctx.refusal("loop-control", head, str(control))
        concurrent(ctx, header, body)


def _run(  # noqa: PLR0913, PLR0917 - all that a loop is made of
    ctx: Context, at: Any, name: str, body: Callable[[], None], test: Any, advance: Callable[[], None]
) -> None:
    def inside(latch: Flow, after: Flow) -> None:
        ctx.frame.loops.append(Loop(name, latch, after))
        body()
        ctx.frame.loops.pop()

    ctx.flow.loop(at, test, inside, advance)


def _repeat(ctx: Context, at: Any, name: str, condition: Any, body: Callable[[], None]) -> None:
    """Read a loop without a variable, which a condition may end."""

    def test(inside: Flow, after: Flow) -> None:
        if condition is None:
            ctx.flow.jump(inside, at)
        else:
            ctx.flow.branch(truth(ctx, condition), inside, after, at)

    _run(ctx, at, name, body, test, lambda: None)


def _count(  # noqa: PLR0913, PLR0917 - all that a loop has
    ctx: Context, at: Any, name: str, variable: Any, bounds: Sequence[Any], body: Callable[[], None]
) -> None:
    """Read a loop that counts: its bounds and its step are those before it."""
    bound = ctx.binding(str(variable).lower(), variable)
    if not isinstance(bound, Variable) or not isinstance(bound.ctype, IntegerType) or bound.ctype is BOOL:
        raise ctx.refusal("loop-control", variable, str(variable))
    if bound.local in ctx.frame.counting:
        raise ctx.refusal("loop-variable", variable)
    ctype, local = bound.ctype, bound.local
    first, last, *more = [ctx.cast(integer(ctx, node), ctype) for node in bounds]
    step = more[0] if more else Number(1, ctype)
    if step.literal == 0:
        raise ctx.refusal("step-zero", variable)
    end, by = ctx.value(last), ctx.value(step)
    begin = ctx.value(first)
    left: Local | None = None
    if step.literal is None:
        left = Local(local_type(ctype), ctx.at, "trips")
        span = ctx.arithmetic("+", ctx.arithmetic("-", end, begin, ctype), by, ctype)
        ctx.flow.write(left, ctx.arithmetic("/", span, by, ctype))
    ctx.flow.write(local, begin)

    def test(inside: Flow, after: Flow) -> None:
        if left is not None:
            condition = ctx.comparison(">", ctx.flow.read(left), ctx.constant(0, ctype), ctype)
        else:
            operator = "<=" if (step.literal or 0) > 0 else ">="
            condition = ctx.comparison(operator, ctx.flow.read(local), end, ctype)
        ctx.flow.branch(condition, inside, after, at)

    def counted() -> None:
        ctx.frame.counting.append(local)
        body()
        ctx.frame.counting.pop()

    def advance() -> None:
        ctx.flow.write(local, ctx.arithmetic("+", ctx.flow.read(local), by, ctype))
        if left is not None:
            one = ctx.constant(1, ctype)
            ctx.flow.write(left, ctx.arithmetic("-", ctx.flow.read(left), one, ctype))

    _run(ctx, at, name, counted, test, advance)


def concurrent(ctx: Context, header: Any, body: Callable[[], None]) -> None:
    """Read `do concurrent`, whose iterations may run in any order, in one: its variables are its own."""
    triplets, mask = header.children[0].children, header.children[1]

    def inner(rest: Sequence[Any]) -> None:
        if not rest:
            if mask is None:
                body()
            else:
                ctx.choose(truth(ctx, mask), body)
            return
        variable, low, high, step = rest[0].children
        bounds = [low, high, *([step] if step is not None else [])]
        _count(ctx, named("do", ctx.at), "", variable, bounds, lambda: inner(rest[1:]))

    names = [str(triplet.children[0]).lower() for triplet in triplets]
    saved = {name: ctx.frame.bound.pop(name, None) for name in names}
    inner(list(triplets))
    for name, bound in saved.items():
        ctx.frame.bound.pop(name, None)
        if bound is not None:
            ctx.frame.bound[name] = bound
