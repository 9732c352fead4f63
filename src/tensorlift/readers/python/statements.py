"""Statements of Python as basic blocks: one rule for each kind, in the table at the end."""

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
from tensorlift.readers.python.arrays import allocate, element, in_memory
from tensorlift.readers.python.assignments import assign, augment, bind
from tensorlift.readers.python.calls import GENERATED, INLINED
from tensorlift.readers.python.context import Named, Scope, Variable
from tensorlift.readers.python.creation import keep_items
from tensorlift.readers.python.evaluation import RULES, evaluate, number, size
from tensorlift.readers.python.expressions import branch_on, not_negative
from tensorlift.readers.python.loops import counted
from tensorlift.readers.python.numbers import binary, integer
from tensorlift.readers.python.reductions import total
from tensorlift.readers.python.results import give_back
from tensorlift.readers.python.values import Nothing, Number, Rule, Several, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber, Operand, Size

    Comprehension = ast.ListComp | ast.GeneratorExp

_RANGES = {"range", "prange"}


def read_body(ctx: Context, statements: Sequence[ast.stmt]) -> None:
    """Read statements one after the other."""
    for statement in statements:
        ctx.at = ctx.place(statement)
        ctx.enter()
        rule = _STATEMENTS.get(type(statement))
        if rule is None:
            raise ctx.refusal(f"a statement of the kind {type(statement).__name__}")
        rule(ctx, statement)
        ctx.depth -= 1


def _expression(ctx: Context, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        evaluate(ctx, node.value)


def _assign(ctx: Context, node: ast.Assign) -> None:
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
        ctx.flow.start(flow, seal=True)
        read_body(ctx, arm)
        ctx.flow.jump(join, ctx.place(node))
    ctx.scope.depth -= 1
    ctx.flow.start(join, seal=True)


def _while(ctx: Context, node: ast.While) -> None:
    if node.orelse:
        raise ctx.refusal("`while` with `else`")
    header, inside, latch, after, place = Flow(), Flow(), Flow(), Flow(), ctx.at
    ctx.flow.jump(header, place)
    ctx.flow.start(header)
    branch_on(ctx, node.test, inside, after)
    ctx.flow.start(inside, seal=True)
    _looped(ctx, node.body, latch, after)
    ctx.flow.jump(latch, place)
    ctx.flow.start(latch, seal=True)
    ctx.flow.jump(header, place)
    ctx.flow.seal(header)
    ctx.flow.start(after, seal=True)


def _looped(ctx: Context, body: Sequence[ast.stmt], latch: Flow, after: Flow) -> None:
    ctx.scope.continues.append(latch)
    ctx.scope.breaks.append(after)
    ctx.scope.depth += 1
    read_body(ctx, body)
    ctx.scope.depth -= 1
    ctx.scope.continues.pop()
    ctx.scope.breaks.pop()


def _break(ctx: Context, _node: ast.Break) -> None:
    ctx.flow.jump(ctx.scope.breaks[-1], ctx.at)


def _continue(ctx: Context, _node: ast.Continue) -> None:
    ctx.flow.jump(ctx.scope.continues[-1], ctx.at)


def _assert(ctx: Context, node: ast.Assert) -> None:
    ctx.require(ctx.test(number(ctx, node.test)), "AssertionError")


def _raise(ctx: Context, _node: ast.Raise) -> None:
    ctx.require(ctx.truth(value=False), "raise")


# -- `for`


def _for(ctx: Context, node: ast.For) -> None:
    if node.orelse:
        raise ctx.refusal("`for` with `else`")
    if isinstance(node.iter, ast.Tuple | ast.List) and _is_written(node.iter):
        _written(ctx, node)
        return

    own = [name for name in stored_in([node.target]) if ctx.scope.bound[name] == 1]
    after: dict[str, Variable | Named] = {}

    def body(counter: SSAValue) -> None:
        bind_items(counter)
        for name in own:
            known = ctx.scope.names[name]
            if isinstance(known, Variable):  # in the body it is what it was bound to; after the loop, the last of these
                after[name] = known
                value = Number(ctx.flow.read(known.local), known.ctype, known.weak)
                ctx.scope.names[name] = Named(value, [None])
        read_body(ctx, node.body)

    bounds, bind_items = iterated(ctx, node.target, node.iter)
    name = node.target.id if isinstance(node.target, ast.Name) else None
    counted(ctx, bounds, ctx.place(node.target), body, name)
    ctx.scope.names |= after


def _is_written(items: ast.Tuple | ast.List) -> bool:
    return all(isinstance(number, int | float) for number in map(_number_in, _leaves(items)))


def _leaves(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return [leaf for item in node.elts for leaf in _leaves(item)]
    return [node]


def _number_in(node: ast.expr) -> object:
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return inner.value if isinstance(inner, ast.Constant) else None


def _written(ctx: Context, node: ast.For) -> None:
    """Read the body once for each item that the source states."""
    assert isinstance(node.iter, ast.Tuple | ast.List)
    after = Flow()
    for item in node.iter.elts:
        value = Several(tuple(evaluate(ctx, i) for i in item.elts)) if isinstance(item, ast.Tuple | ast.List) else None
        following = Flow()
        _stated(ctx, node.target, value or evaluate(ctx, item))
        _looped(ctx, node.body, following, after)
        ctx.flow.jump(following, ctx.place(node))
        ctx.flow.start(following, seal=True)
    ctx.flow.jump(after, ctx.place(node))
    ctx.flow.start(after, seal=True)


def _stated(ctx: Context, target: ast.expr, value: Operand) -> None:
    bind(ctx, target, value)


def iterated(
    ctx: Context, target: ast.expr, node: ast.expr
) -> tuple[tuple[Size, Size, int], Callable[[SSAValue], None]]:
    """Give the range of the counter of a loop, and what binds the targets where the counter is known."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if called in ctx.scope.module.rebound or called in ctx.scope.module.functions or called in ctx.scope.bound:
        called = ""
    if isinstance(node, ast.Call) and called and not (node.keywords and called != "enumerate"):
        imported = ctx.scope.module.imports.get(called, called).rpartition(".")[2]
        if imported in _RANGES:
            bounds = _range(ctx, node.args)
            return bounds, lambda counter: bind(ctx, target, Number(counter, LONG, weak=True))
        if called in _OVER:
            return _OVER[called](ctx, target, node)
    return _over_array(ctx, target, node, reverse=False)


def _range(ctx: Context, arguments: Sequence[ast.expr]) -> tuple[Size, Size, int]:
    values = [size(ctx, argument) for argument in arguments]
    step = values[2] if len(values) > 2 else 1
    if not values or not isinstance(step, int) or not step:
        raise ctx.refusal("a range with this step")
    return (0, values[0], 1) if len(values) == 1 else (values[0], values[1], step)


def _over_array(
    ctx: Context, target: ast.expr, node: ast.expr, *, reverse: bool
) -> tuple[tuple[Size, Size, int], Callable[[SSAValue], None]]:
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


def _reversed(
    ctx: Context, target: ast.expr, node: ast.Call
) -> tuple[tuple[Size, Size, int], Callable[[SSAValue], None]]:
    (inner,) = node.args
    if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in _RANGES:
        start, stop, step = _range(ctx, inner.args)
        if step != 1:
            raise ctx.refusal("`reversed` of a range with a step")
        bounds = (ctx.combined("-", stop, 1), ctx.combined("-", start, 1), -1)
        return bounds, lambda counter: bind(ctx, target, Number(counter, LONG, weak=True))
    return _over_array(ctx, target, inner, reverse=True)


def _enumerate(
    ctx: Context, target: ast.expr, node: ast.Call
) -> tuple[tuple[Size, Size, int], Callable[[SSAValue], None]]:
    if not isinstance(target, ast.Tuple) or len(target.elts) != 2:
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


def _zip(
    ctx: Context, target: ast.expr, node: ast.Call
) -> tuple[tuple[Size, Size, int], Callable[[SSAValue], None]]:
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


# -- comprehensions


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
    """Reduce what a generator yields; Python adds to the integer zero, and stops where ``any`` or ``all`` is decided."""
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


# -- functions


def _return(ctx: Context, node: ast.Return) -> None:
    if ctx.scope.after is None:
        give_back(ctx, node.value)
        return
    ctx.scope.returned.append(Nothing() if node.value is None else evaluate(ctx, node.value))
    ctx.scope.ends.append(ctx.flow.current)
    ctx.flow.jump(ctx.scope.after, ctx.place(node))


def inlined(ctx: Context, function: ast.FunctionDef, arguments: dict[str, Operand]) -> Operand:
    """Read the body of a function in the place of a call."""
    outer, at = ctx.scope, ctx.at
    module = outer.module.home_of(function.name)
    scope = ctx.scope = Scope.of(module, function)
    scope.after = Flow()
    ctx.calling.append(function)
    for name, value in arguments.items():
        if name not in scope.bound:
            scope.bound[name] = 0
        if isinstance(value, View):
            value = replace(value, is_new=False)
        ctx.bind(name, value)
    read_body(ctx, function.body)
    if ctx.flow.current.is_live:
        scope.returned.append(Nothing())
        scope.ends.append(ctx.flow.current)
        ctx.flow.jump(scope.after, at)
    ctx.calling.pop()
    ctx.scope, ctx.at = outer, at
    return _given_back(ctx, scope)


def _given_back(ctx: Context, scope: Scope) -> Operand:
    """Give what a function returned, wherever that was."""
    assert scope.after is not None
    values = scope.returned
    ctx.flow.start(scope.after, seal=True)
    if not values or all(isinstance(value, Nothing) for value in values):
        return Nothing()
    if len(values) == 1:
        return values[0]
    numbers = [value for value in values if isinstance(value, Number)]
    if len(numbers) < len(values):
        raise ctx.refusal(f"`{scope.function.name}`, which returns in several places,")
    ctype, weak = numbers[0].ctype, numbers[0].weak
    for value in numbers[1:]:
        if value.is_truth or ctype is BOOL:
            if (value.ctype, value.weak) != (ctype, weak):
                raise ctx.refusal("a function that returns truth values and numbers")
        else:
            ctype, weak = promoted(ctype, weak, value.ctype, value.weak)
    result = Local(ir_type(ctype), ctx.at, "result")
    inside = ctx.flow.current
    for value, end in zip(numbers, scope.ends, strict=True):
        ctx.flow.current = end
        end.definitions[result] = ctx.value(ctx.cast(value, ctype))
    ctx.flow.current = inside
    return Number(ctx.flow.read(result), ctype, weak)


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
RULES[ast.ListComp] = _listed
GENERATED.append(generated)
INLINED.append(inlined)
