"""Loops that count: over numbers, and over the elements of arrays.

A loop is a header with a back edge.  Its place is that by which it is entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i64

from tensorlift.ir.literal_function import RISES
from tensorlift.ops.c_types import LONG
from tensorlift.readers.flow import Flow, Local, named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import Size


def counted(
    ctx: Context,
    bounds: tuple[Size, Size, Size],
    place: FileLineColLoc,
    body: Callable[[SSAValue], None],
    name: str | None = None,
) -> None:
    """Run a body for each number of a range: its start, its stop and its step, which goes up if it is no constant."""
    start, stop, step = bounds
    counter = Local(i64, place, name)
    outer, ctx.at = ctx.at, place
    first, last = ctx.size(start), ctx.size(stop)
    rises = not isinstance(step, int) or step > 0
    is_counted = ctx.is_counted(first) if rises else isinstance(stop, int) and stop >= -1
    if not isinstance(step, int):
        ctx.require(ctx.comparison(">", step, ctx.constant(0, LONG), LONG), RISES)
    ctx.flow.write(counter, first)

    def test(inside: Flow, after: Flow) -> None:
        now = ctx.flow.read(counter)
        if is_counted:
            ctx.counters.add(now)
        ctx.flow.branch(ctx.comparison("<" if rises else ">", now, last, LONG), inside, after, place)

    def run(latch: Flow, after: Flow) -> None:
        looped(ctx, lambda: body(ctx.flow.read(counter)), latch, after)
        ctx.at = place

    def advance() -> None:
        if ctx.flow.current.is_live:
            after = ctx.arithmetic("+", ctx.flow.read(counter), ctx.size(step), LONG, weak=True)
            ctx.flow.write(counter, after)

    ctx.flow.loop(named("for", place), test, run, advance)
    ctx.at = outer


def looped(ctx: Context, read: Callable[[], None], latch: Flow, after: Flow) -> None:
    """Read the body of a loop, of which is known where ``continue`` and ``break`` lead."""
    ctx.scope.continues.append(latch)
    ctx.scope.breaks.append(after)
    ctx.scope.depth += 1
    read()
    ctx.scope.depth -= 1
    ctx.scope.continues.pop()
    ctx.scope.breaks.pop()


def over(ctx: Context, extents: Sequence[Size], body: Callable[[tuple[SSAValue, ...]], None]) -> None:
    """Run a body for the indices of all elements of an array with some extents, row by row."""
    place = ctx.at

    def nest(indices: tuple[SSAValue, ...]) -> None:
        if len(indices) == len(extents):
            body(indices)
        else:
            counted(ctx, (0, extents[len(indices)], 1), place, lambda index: nest((*indices, index)), "i")

    nest(())
