"""What a loop runs over: the range of its counter, and what its targets are bound to where the counter is known.

Comprehensions: what a generator yields, reduced as it comes, or kept in a list.

The types of the items tell that of the result; what is made before the loop is made when the body has been read.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.ir import Operation

from tensorlift.frontends.python.scalars import promoted
from tensorlift.frontends.python.syntax import stored_in
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, LONG
from tensorlift.readers.flow import Flow, Local
from tensorlift.readers.python.arrays import allocate, element, in_memory
from tensorlift.readers.python.assignments import bind
from tensorlift.readers.python.calls import GENERATED, copied, keep_items
from tensorlift.readers.python.context import kept, read, variable
from tensorlift.readers.python.evaluation import RULES, evaluate, number, size
from tensorlift.readers.python.expressions import branch_on, not_negative
from tensorlift.readers.python.loops import counted
from tensorlift.readers.python.numbers import binary, integer, test
from tensorlift.readers.python.reductions import FOLDS, total
from tensorlift.readers.python.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber, Operand, Size

    Bounds: TypeAlias = tuple[Size, Size, Size]  # start, stop and step
    Iteration: TypeAlias = tuple[Bounds, Callable[[SSAValue], None]]
    Comprehension = ast.ListComp | ast.GeneratorExp


_RANGES = {"range", "prange"}
_STEP = 2  # its place among the arguments of a range


def iterated(ctx: Context, target: ast.expr, node: ast.expr, *, is_kept: bool = False) -> Iteration:
    """Give the range of the counter of a loop, and what binds the targets where the counter is known.

    Numbers ``is_kept`` are those of the arrays before the loop, as a list of them holds them.
    """
    called = _called(ctx, node)
    if called in _RANGES:
        assert isinstance(node, ast.Call)
        bounds = _range(ctx, node.args)
        return bounds, lambda counter: bind(ctx, target, Number(counter, LONG, weak=True))
    if called in _OVER:
        assert isinstance(node, ast.Call)
        return _OVER[called](ctx, target, node, is_kept)
    return _over_array(ctx, target, node, is_kept=is_kept)


def _called(ctx: Context, node: ast.expr) -> str:
    """Name the builtin that a node calls; nothing where it calls none."""
    module, name = ctx.inferred.callees[node] if isinstance(node, ast.Call) else (".", "")
    return name if module in {"", "numba"} and name not in ctx.scope.module.functions else ""


def _range(ctx: Context, arguments: Sequence[ast.expr]) -> Bounds:
    values = [size(ctx, argument) for argument in arguments]
    step = values[_STEP] if len(values) > _STEP else 1
    if not values or step == 0:
        raise ctx.refusal("a range with this step")
    return (0, values[0], 1) if len(values) == 1 else (values[0], values[1], step)


def _from_zero(ctx: Context, iteration: Iteration) -> Iteration:
    """Let a counter count up from zero."""
    (start, stop, step), bind_items = iteration
    if isinstance(start, int) and (start, step) == (0, 1):
        return iteration
    if not isinstance(step, int):
        raise ctx.refusal("a range with this step")
    length = not_negative(ctx, ctx.combined("-", *((start, stop) if step < 0 else (stop, start))))
    if abs(step) > 1:
        rounded = ctx.size(ctx.combined("+", length, abs(step) - 1))
        length = ctx.arithmetic("//", rounded, ctx.constant(abs(step), LONG), LONG)
        ctx.counters.add(length)

    def bind_moved(counter: SSAValue) -> None:
        bind_items(ctx.size(ctx.combined("+", start, ctx.combined("*", counter, step))))

    return (0, length, 1), bind_moved


def _over_array(ctx: Context, target: ast.expr, node: ast.expr, *, is_kept: bool) -> Iteration:
    value = evaluate(ctx, node)
    if is_kept and isinstance(value, View) and len(value.extents) == 1:  # rows are seen in any case
        value = copied(ctx, value)
    if isinstance(value, Rule):
        value = in_memory(ctx, value)
    if not isinstance(value, View):
        raise ctx.refusal(f"a loop over `{ast.unparse(node)}`")
    view = value
    return (0, view.extents[0], 1), lambda counter: bind(ctx, target, _row(ctx, view, counter))


def _row(ctx: Context, view: View, index: SSAValue) -> Operand:
    """Give an item of an array: a number, or a row."""
    if len(view.extents) == 1:
        return element(ctx, view, (index,))
    offset = ctx.combined("+", view.offset, ctx.combined("*", index, view.strides[0]))
    return replace(view, offset=offset, extents=view.extents[1:], strides=view.strides[1:], is_new=False)


def _reversed(ctx: Context, target: ast.expr, node: ast.Call, is_kept: bool) -> Iteration:  # noqa: FBT001 - as all of the table
    (inner,) = node.args
    (start, stop, step), bind_items = iterated(ctx, target, inner, is_kept=is_kept)
    if _called(ctx, inner) in _RANGES and isinstance(step, int) and step == 1:
        return (ctx.combined("-", stop, 1), ctx.combined("-", start, 1), -1), bind_items
    (_, length, _), bind_items = _from_zero(ctx, ((start, stop, step), bind_items))
    last = ctx.combined("-", length, 1)
    return (0, length, 1), lambda counter: bind_items(ctx.size(ctx.combined("-", last, counter)))


def _enumerate(ctx: Context, target: ast.expr, node: ast.Call, is_kept: bool) -> Iteration:  # noqa: FBT001 - as all of the table
    assert isinstance(target, ast.Tuple)
    counter_target, item_target = target.elts
    bounds, bind_item = _from_zero(ctx, iterated(ctx, item_target, node.args[0], is_kept=is_kept))
    starts = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    first = number(ctx, starts[0]) if starts else integer(0)

    def bind_both(counter: SSAValue) -> None:
        own = Number(counter, LONG, weak=True)
        bind(ctx, counter_target, own if first.literal == 0 else binary(ctx, ast.Add(), own, first))
        bind_item(counter)

    return bounds, bind_both


def _zip(ctx: Context, target: ast.expr, node: ast.Call, is_kept: bool) -> Iteration:  # noqa: FBT001 - as all of the table
    assert isinstance(target, ast.Tuple)
    pairs = zip(target.elts, node.args, strict=True)
    found = [_from_zero(ctx, iterated(ctx, inner, argument, is_kept=is_kept)) for inner, argument in pairs]
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


_OVER: dict[str, Callable[[Context, ast.expr, ast.Call, bool], Iteration]] = {
    "reversed": _reversed,
    "enumerate": _enumerate,
    "zip": _zip,
    "list": lambda ctx, target, node, _: iterated(ctx, target, node.args[0], is_kept=True),
}


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
        for condition in generator.ifs:
            following = Flow()
            branch_on(ctx, condition, following, ctx.scope.continues[-1])
            ctx.flow.enter(following)
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
        if not kinds:
            kinds.append(_begun(ctx, before, item, name))
        local, ctype, weak = kinds[0]
        before_item = read(ctx, local, ctype, weak and name == "sum")
        item = item if name == "sum" else test(ctx.test(item), weak=False)
        ctx.flow.write(local, kept(ctx, binary(ctx, FOLDS[name], before_item, item), ctype))

    _in_own_names(ctx, node, lambda: _nested(ctx, node, step))
    return read(ctx, *kinds[0])


def _begun(ctx: Context, before: Flow, item: Number, name: str) -> tuple[Local, CNumber, bool]:
    """Begin a reduction in the block before its loops, now that the type of its items is known."""
    ctype, weak = promoted(LONG, True, LONG if item.is_truth and item.weak else item.ctype, item.weak)  # noqa: FBT003 - zero is weak
    if name != "sum":
        ctype, weak = BOOL, True
    local = variable(ctx, ctype, ctx.temporary())
    inside, ctx.flow.current = ctx.flow.current, before
    before.definitions[local] = kept(ctx, integer(int(name == "all")), ctype)
    ctx.flow.current = inside
    return local, ctype, weak


class Growing:
    """A list that gets one item in each iteration of a loop; it is made before the loop when the first item is read."""

    def __init__(self, ctx: Context, bounds: Bounds) -> None:
        """Note the block before the loop, and how often the loop runs."""
        start, stop, step = bounds
        if not isinstance(step, int):
            raise ctx.refusal("a list that grows in a loop with this step")
        self._start, self._step = start, step
        ends = (start, stop) if step < 0 else (stop, start)
        self._length = not_negative(ctx, ctx.combined("-", *ends))
        if abs(step) > 1:
            rounded = ctx.size(ctx.combined("+", self._length, abs(step) - 1))
            self._length = ctx.arithmetic("//", rounded, ctx.constant(abs(step), LONG), LONG)
            ctx.counters.add(self._length)
        self._before, self._made = ctx.flow.current, list[View]()

    def add(self, ctx: Context, counter: SSAValue, item: Operand) -> None:
        """Store an item in the iteration of a counter."""
        if isinstance(item, Number) and item.is_test:
            item = replace(item, value=ctx.value(item), is_test=False)
        if isinstance(item, Rule) and item.element is None:
            item = in_memory(ctx, item)
        if not self._made:
            self._made.append(_made(ctx, self._before, item, self._length))
        ends = (self._start, counter) if self._step < 0 else (counter, self._start)
        index = ctx.combined("-", *ends)
        if abs(self._step) > 1:
            index = ctx.arithmetic("//", ctx.size(index), ctx.constant(abs(self._step), LONG), LONG)
            ctx.counters.add(index)
        keep_items(ctx, self._made[0], index, item)

    @property
    def made(self) -> View:
        """The list after the loop."""
        return replace(self._made[0], is_new=True)


def _listed(ctx: Context, node: Comprehension) -> View:
    """Give the list that a comprehension makes."""
    generator = node.generators[0]

    def read() -> View:
        bounds, bind_items = iterated(ctx, generator.target, generator.iter)
        found = Growing(ctx, bounds)

        def body(counter: SSAValue) -> None:
            bind_items(counter)
            found.add(ctx, counter, evaluate(ctx, node.elt))

        name = generator.target.id if isinstance(generator.target, ast.Name) else None
        counted(ctx, bounds, ctx.place(generator.target), body, name)
        return found.made

    made: View = _in_own_names(ctx, node, read)
    return made


def _made(ctx: Context, before: Flow, item: Operand, length: Size) -> View:
    """Make the memory of a list in the block before its loop, now that its items are known."""
    inner: tuple[Size, ...] = () if isinstance(item, Number) else item.extents if isinstance(item, View | Rule) else ()
    of_type = item.ctype if isinstance(item, Number) else item.element if isinstance(item, View | Rule) else None
    if of_type is None:
        raise ctx.refusal("a list of such items")
    inside, ctx.flow.current = ctx.flow.current, before
    lengths = (length, *(_again(ctx, extent) for extent in inner))
    made = allocate(ctx, ctx.temporary(), of_type, lengths, is_list=True)
    ctx.flow.current = inside
    return replace(made, of_numpy=isinstance(item, Number) and item.is_truth and not item.weak)


def _again(ctx: Context, extent: Size) -> Size:
    """Compute the length of a list here, before the loop that makes such lists and does not change it."""
    if isinstance(extent, int) or ctx.stands(extent):
        return extent
    computed = extent.owner
    if not isinstance(computed, Operation) or not computed.name.startswith("arith."):
        raise ctx.refusal("a list of lists whose lengths change")
    copied = computed.clone({operand: ctx.size(_again(ctx, operand)) for operand in computed.operands})
    ctx.flow.add(copied)
    if extent in ctx.counters:
        ctx.counters.add(copied.results[0])
    return copied.results[0]


RULES[ast.ListComp] = _listed
GENERATED.append(generated)
