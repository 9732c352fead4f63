"""Comprehensions: what a generator yields, reduced as it comes, or kept in a list.

The types of the items tell that of the result; what is made before the loop is made when the body has been read.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.c.c_types import BOOL, LONG
from tensorlift.frontends.c.ir_types import ir_type
from tensorlift.frontends.python.flow import stored_in
from tensorlift.frontends.python.scalars import promoted
from tensorlift.readers.flow import Flow, Local
from tensorlift.readers.python.arrays import allocate
from tensorlift.readers.python.calls import GENERATED
from tensorlift.readers.python.creation import keep_items
from tensorlift.readers.python.evaluation import RULES, evaluate, number
from tensorlift.readers.python.expressions import branch_on, not_negative
from tensorlift.readers.python.iteration import iterated
from tensorlift.readers.python.loops import counted
from tensorlift.readers.python.numbers import binary
from tensorlift.readers.python.reductions import total
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber, Operand, Size

    Comprehension = ast.ListComp | ast.GeneratorExp


def _in_own_names(ctx: Context, node: Comprehension, read: Callable[[], Any]) -> Any:
    """Read a comprehension, whose variables are its own."""
    own = {name for generator in node.generators for name in stored_in([generator.target])}
    hidden = {name: ctx.scope.names.pop(name) for name in own if name in ctx.scope.names}
    bound, ctx.scope.bound = ctx.scope.bound, ctx.scope.bound + Counter(dict.fromkeys(own, 2))
    found = read()
    ctx.scope.bound = bound
    for name in own:
        ctx.scope.names.pop(name, None)
    ctx.scope.names |= hidden
    return found


def _nested(ctx: Context, node: Comprehension, innermost: Callable[[], None], level: int = 0) -> None:
    """Run something for each item of the loops of a comprehension for which its conditions hold."""
    if level == len(node.generators):
        innermost()
        return
    generator = node.generators[level]
    bounds, bind_items = iterated(ctx, generator.target, generator.iter)

    def body(counter: SSAValue) -> None:
        bind_items(counter)
        for test in generator.ifs:
            following = Flow()
            branch_on(ctx, test, following, ctx.scope.continues[-1])
            ctx.flow.start(following, seal=True)
        _nested(ctx, node, innermost, level + 1)

    name = generator.target.id if isinstance(generator.target, ast.Name) else None
    counted(ctx, bounds, ctx.place(generator.target), body, name)


def generated(ctx: Context, name: str, node: Comprehension) -> Number:
    """Reduce what a generator yields; a sum begins with the integer zero."""
    if name in {"min", "max"}:
        return total(ctx, name, _listed(ctx, node), of_python=True)
    before = ctx.flow.current
    kinds: list[tuple[Local, CNumber, bool]] = []

    def step() -> None:
        item = number(ctx, node.elt)
        if name != "sum":
            item = Number(ctx.test(item), BOOL, weak=True, is_test=True)
        if not kinds:
            kinds.append(_begun(ctx, before, item, name))
        local, ctype, weak = kinds[0]
        if name == "sum":
            after = binary(ctx, ast.Add(), Number(ctx.flow.read(local), ctype, weak), item)
            ctx.flow.write(local, ctx.value(ctx.cast(after, ctype)))
        else:
            then, join = Flow(), Flow()
            targets = (then, join) if name == "any" else (join, then)
            ctx.flow.branch(ctx.test(item), *targets, ctx.at)
            ctx.flow.start(then, seal=True)
            ctx.flow.write(local, ctx.constant(int(name == "any"), ctype))
            ctx.flow.jump(join, ctx.at)
            ctx.flow.start(join, seal=True)

    _in_own_names(ctx, node, lambda: _nested(ctx, node, step))
    local, ctype, weak = kinds[0]
    found = Number(ctx.flow.read(local), ctype, weak)
    return found if name == "sum" else Number(ctx.test(found), BOOL, weak=True, is_test=True)


def _begun(ctx: Context, before: Flow, item: Number, name: str) -> tuple[Local, CNumber, bool]:
    """Begin a reduction in the block before its loops, now that the type of its items is known."""
    ctype, weak = promoted(LONG, True, LONG if item.is_truth and item.weak else item.ctype, item.weak)  # noqa: FBT003 - zero is weak
    local = Local(ir_type(ctype), ctx.at, "s")
    inside, ctx.flow.current = ctx.flow.current, before
    before.definitions[local] = ctx.constant(int(name == "all"), ctype)
    ctx.flow.current = inside
    return local, ctype, weak


def _listed(ctx: Context, node: Comprehension) -> View:
    """Give the list that a comprehension makes."""
    if len(node.generators) > 1 or node.generators[0].ifs:
        raise ctx.refusal("a comprehension with a condition or several loops")
    generator, found = node.generators[0], list[View]()

    def read() -> View:
        (start, stop, step), bind_items = iterated(ctx, generator.target, generator.iter)
        if step != 1:
            raise ctx.refusal("a comprehension over a range with a step")
        length = not_negative(ctx, ctx.combined("-", stop, start))
        before = ctx.flow.current

        def body(counter: SSAValue) -> None:
            bind_items(counter)
            item = evaluate(ctx, node.elt)
            if isinstance(item, Number) and item.is_test:
                item = replace(item, value=ctx.value(item), is_test=False)
            if not found:
                found.append(_made(ctx, before, item, length))
            keep_items(ctx, found[0], ctx.combined("-", counter, start), item)

        name = generator.target.id if isinstance(generator.target, ast.Name) else None
        counted(ctx, (start, stop, 1), ctx.place(generator.target), body, name)
        return replace(found[0], is_new=True)

    made: View = _in_own_names(ctx, node, read)
    return made


def _made(ctx: Context, before: Flow, item: Operand, length: Size) -> View:
    """Make the memory of a list in the block before its loop, now that its items are known."""
    inner: tuple[Size, ...] = () if isinstance(item, Number) else item.extents if isinstance(item, View | Rule) else ()
    of_type = item.ctype if isinstance(item, Number) else item.element if isinstance(item, View | Rule) else None
    if of_type is None:
        raise ctx.refusal("a list of such items")
    inside, ctx.flow.current = ctx.flow.current, before
    for extent in inner:
        if not isinstance(extent, int) and not ctx.stands(extent):
            raise ctx.refusal("a list of lists whose lengths change")
    made = allocate(ctx, ctx.temporary(), of_type, (length, *inner), is_list=True)
    ctx.flow.current = inside
    return made


RULES[ast.ListComp] = _listed
GENERATED.append(generated)
