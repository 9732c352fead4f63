"""Expressions of Python: numbers, operators, conditions that are cut short, subscripts, attributes."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, SSAValue

from tensorlift.frontends.python.places import entries_of
from tensorlift.frontends.python.scalars import common_type, fits
from tensorlift.frontends.python.syntax import (
    COMPARISONS,
    CONSTANTS,
    computed_indices,
    counted_from_end,
    indices_of,
    is_new_axis,
    none_test,
    only_slices,
    without_ellipsis,
)
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.literal_function import UNREAD
from tensorlift.ops.c_types import BOOL, LONG
from tensorlift.readers.flow import Flow, Local
from tensorlift.readers.python.arrays import element, elementwise, in_memory, moved
from tensorlift.readers.python.context import kept, read, variable
from tensorlift.readers.python.evaluation import RULES, array, as_size, evaluate, number, size
from tensorlift.readers.python.numbers import (
    binary,
    compare,
    counted,
    floating,
    integer,
    test,
    unary,
)
from tensorlift.readers.python.values import Number, Rule, Several, View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import Operand, Size


# -- numbers and names


def _constant(_ctx: Context, node: ast.Constant) -> Operand:
    return stated(node.value)


def stated(value: object) -> Number:
    """Give a number that the source states."""
    if isinstance(value, bool):
        return Number(value, BOOL, weak=True, is_test=True)
    assert isinstance(value, int | float)
    return floating(value) if isinstance(value, float) else integer(value)


def _name(ctx: Context, node: ast.Name) -> Operand:
    found = ctx.named(node.id)
    return stated(ctx.scope.module.constants[node.id]) if found is None else found


def _tuple(ctx: Context, node: ast.Tuple) -> Operand:
    return Several(tuple(evaluate(ctx, item) for item in node.elts))


# -- operators


def _binary(ctx: Context, node: ast.BinOp) -> Operand:
    if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        return _repeated(ctx, node.left, node.right)
    if isinstance(node.op, ast.Mult) and isinstance(node.right, ast.List):
        return _repeated(ctx, node.right, node.left)
    left = evaluate(ctx, node.left)
    return operated(ctx, node.op, left, evaluate(ctx, node.right))


OPERATORS: dict[type[ast.operator], Callable[[Context, Operand, Operand], Operand]] = {}  # of arrays as wholes


def operated(ctx: Context, op: ast.operator, left: Operand, right: Operand) -> Operand:
    """Apply a binary operator to numbers or arrays."""
    if type(op) in OPERATORS:
        return OPERATORS[type(op)](ctx, left, right)
    if isinstance(left, Number) and isinstance(right, Number):
        return binary(ctx, op, left, right)
    return elementwise(ctx, lambda c, sides: binary(c, op, *sides), (left, right))


def _repeated(ctx: Context, items: ast.List, count: ast.expr) -> Operand:
    """Give ``[number] * count``; a count below zero gives no items."""
    value = number(ctx, items.elts[0])
    if value.is_truth:
        value = replace(value, value=ctx.value(value), is_test=False)
    return Rule((not_negative(ctx, size(ctx, count)),), lambda _: value, frozenset(), value.ctype, is_list=True)


def not_negative(ctx: Context, length: Size) -> Size:
    """Give a length, and zero where it is below that."""
    if isinstance(length, int):
        return max(length, 0)
    if ctx.is_counted(length):
        return length
    found = ctx.operation("arith.maxsi", (length, ctx.constant(0, LONG)), ir_type(LONG))
    ctx.counters.add(found)
    return found


def _unary(ctx: Context, node: ast.UnaryOp) -> Operand:
    if isinstance(node.op, ast.Not):
        return _condition(ctx, node)
    operand = evaluate(ctx, node.operand)
    return elementwise(ctx, lambda c, values: unary(c, node.op, values[0]), (operand,))


def _compare(ctx: Context, node: ast.Compare) -> Operand:
    told = told_by_none(ctx, node)
    if told is not None:
        return stated(told)
    if len(node.ops) > 1:
        return _condition(ctx, node)
    left = evaluate(ctx, node.left)
    return _compared(ctx, node.ops[0], left, evaluate(ctx, node.comparators[0]))


def _compared(ctx: Context, op: ast.cmpop, left: Operand, right: Operand) -> Operand:
    """Compare numbers, arrays element by element, or whether tuples are equal."""
    operator = COMPARISONS[type(op)]
    if isinstance(left, Several) and isinstance(right, Several) and operator == "==":
        are_equal = ctx.truth(value=len(left.items) == len(right.items))
        for pair in zip(left.items, right.items, strict=False):
            found = _compared(ctx, op, *pair)
            assert isinstance(found, Number)
            are_equal = ctx.operation("arith.andi", (are_equal, ctx.test(found)), i1)
        return test(are_equal, weak=True)
    return elementwise(ctx, lambda c, sides: compare(c, operator, *sides), (left, right))


# -- conditions


def is_none(ctx: Context, node: ast.expr) -> bool:
    """Whether an expression is ``None``, or the name of a parameter that is."""
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and node.value is None
    return node.id not in ctx.scope.names and ctx.scope.module.imports.get(node.id) == "None"


def told_by_none(ctx: Context, test: ast.expr) -> bool | None:
    """Give what a comparison of a name with ``None`` gives; None for other tests."""
    found = none_test(test)
    if found is None:
        return None
    assert isinstance(test, ast.Compare)
    return found[1] == is_none(ctx, test.left)


def _condition(ctx: Context, node: ast.expr) -> Number:
    """Give a condition as a truth value of Python."""
    result = Local(i1, ctx.at)
    then, otherwise, after = Flow(), Flow(), Flow()
    branch_on(ctx, node, then, otherwise)
    for flow, value in ((then, True), (otherwise, False)):
        ctx.flow.enter(flow)
        ctx.flow.write(result, ctx.truth(value))
        ctx.flow.jump(after, ctx.at)
    ctx.flow.enter(after)
    return test(ctx.flow.read(result), weak=True)


def branch_on(ctx: Context, node: ast.expr, then: Flow, otherwise: Flow) -> None:
    """Go to one block or another by a condition, of which no more is evaluated than it takes."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            branch_on(ctx, operand, otherwise, then)
        case ast.BoolOp(op=op, values=values):
            for value in values[:-1]:
                following = Flow()
                if isinstance(op, ast.And):
                    branch_on(ctx, value, following, otherwise)
                else:
                    branch_on(ctx, value, then, following)
                ctx.flow.enter(following)
            branch_on(ctx, values[-1], then, otherwise)
        case ast.Compare(ops=ops) if len(ops) > 1:
            _branch_on_chain(ctx, node, then, otherwise)
        case _:
            ctx.flow.branch(ctx.test(number(ctx, node)), then, otherwise, ctx.place(node))


def _branch_on_chain(ctx: Context, node: ast.Compare, then: Flow, otherwise: Flow) -> None:
    """Compare one after the other; each operand is evaluated once, and only where the tests before it hold."""
    left, last = evaluate(ctx, node.left), len(node.ops) - 1
    for position, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = evaluate(ctx, comparator)
        found, following = _compared(ctx, op, left, right), then if position == last else Flow()
        assert isinstance(found, Number)
        ctx.flow.branch(ctx.test(found), following, otherwise, ctx.place(node))
        if position < last:
            ctx.flow.enter(following)
        left = right


def _one_of(ctx: Context, node: ast.BoolOp) -> Operand:
    """Give the operand of ``and`` or ``or`` that decides."""
    values: list[tuple[Flow, Number]] = []
    after = Flow()
    for item in node.values[:-1]:
        value, following, taken = number(ctx, item), Flow(), Flow()
        targets = (following, taken) if isinstance(node.op, ast.And) else (taken, following)
        ctx.flow.branch(ctx.test(value), *targets, ctx.place(item))
        if value.is_truth:  # where it decides, it is known
            value = replace(value, value=int(isinstance(node.op, ast.Or)), is_test=False)
        values.append((taken, value))
        ctx.flow.enter(following)
    value, taken = number(ctx, node.values[-1]), Flow()
    ctx.flow.jump(taken, ctx.at)
    return _met(ctx, [*values, (taken, value)], after)


def _conditional(ctx: Context, node: ast.IfExp) -> Operand:
    told = told_by_none(ctx, node.test)
    if told is not None:
        return evaluate(ctx, node.body if told else node.orelse)
    arms, after, ends = [(Flow(), node.body), (Flow(), node.orelse)], Flow(), list[tuple[Flow, Number]]()
    branch_on(ctx, node.test, arms[0][0], arms[1][0])
    for flow, arm in arms:
        ctx.flow.enter(flow)
        value, end = number(ctx, arm), Flow()
        ctx.flow.jump(end, ctx.place(arm))
        ends.append((end, value))
    return _met(ctx, ends, after)


def _met(ctx: Context, ends: Sequence[tuple[Flow, Number]], after: Flow) -> Number:
    """Give the value of whichever block leads on, in the type that all of them fit."""
    values = [value for _, value in ends]
    ctype, weak = common_type(values)
    if any(value.is_truth != (ctype is BOOL) for value in values) and not all(value.weak for value in values):
        raise ctx.refusal("a choice between numbers and truth values of NumPy")
    result = variable(ctx, ctype)
    if not all(fits(value, ctype) for value in values):
        raise ctx.refusal("a choice between numbers of several types")
    for flow, value in ends:
        ctx.flow.enter(flow)
        own = counted(ctx, value) if ctype is not BOOL else value
        ctx.flow.write(result, kept(ctx, own, ctype))
        ctx.flow.jump(after, ctx.at)
    ctx.flow.enter(after)
    return read(ctx, result, ctype, weak)


# -- subscripts

# How the definition of a function of NumPy is read in place of an expression: filled in by what reads calls.
DEFINED: list[Callable[[Context, ast.expr, str, Mapping[str, Operand], Mapping[str, object]], Operand]] = []


def _subscript(ctx: Context, node: ast.Subscript) -> Operand:
    base = evaluate(ctx, node.value)
    if isinstance(base, Several):
        index = size(ctx, node.slice)
        if not isinstance(index, int) or not -len(base.items) <= index < len(base.items):
            raise ctx.refusal("an item of a tuple that is not known")
        return base.items[index]
    assert isinstance(base, View | Rule)
    indices = evaluated_indices(ctx, node)
    if isinstance(base, Rule) and len(indices) == len(base.extents) and not are_places(indices):
        own = zip(indices.values(), base.extents, strict=True)
        return element(ctx, base, [_inside_of_rule(ctx, as_size(ctx, index), extent) for index, extent in own])
    base = in_memory(ctx, base) if isinstance(base, Rule) else base
    if are_places(indices):
        return at_places(ctx, base, node, indices)
    found = part(ctx, base, node, indices)
    if not found.extents:
        return element(ctx, found, ())
    if found.is_list and isinstance(node.slice, ast.Slice):
        return Rule(found.extents, lambda i: element(ctx, found, i), found.reads, found.element, is_list=True)
    return found


def _inside_of_rule(ctx: Context, index: Size, extent: Size) -> Size:
    """Give a subscript of what is computed of arrays: of parts of them, if its extent is none that is handed in."""
    return ctx.inside(index, extent, is_cut=isinstance(extent, SSAValue) and not isinstance(extent.owner, Block))


Indices: TypeAlias = "Mapping[ast.expr, Operand]"


def evaluated_indices(ctx: Context, node: ast.Subscript) -> Indices:
    """Evaluate the indices of a subscript that are no slices."""
    return {entry: evaluate(ctx, entry) for entry in computed_indices(node)}


def are_places(indices: Indices) -> bool:
    """Whether indices are, or hold, arrays."""
    return any(isinstance(index, View | Rule) for index in indices.values())


def at_places(
    ctx: Context, base: View, node: ast.Subscript, indices: Indices, stored: Operand | None = None
) -> Operand:
    """Read what an array has at the places in arrays of integers, or store something there."""
    entries, sliced = only_slices(node, len(base.extents))
    parts: list[Operand | None] = [None if entry is None else indices[entry] for entry in entries]
    names = entries_of(parts)
    values = {name: index for name, index in zip(names, parts, strict=True) if index is not None}
    given: dict[str, Operand] = {"a": base if sliced is None else part(ctx, base, sliced, {}), **values}
    if stored is None:
        return DEFINED[0](ctx, node, "a[k]", given, {"entries": names})
    return DEFINED[0](ctx, node, "a[k] = v", {**given, "v": stored}, {"entries": names})


def part(ctx: Context, base: View, node: ast.Subscript, indices: Indices) -> View:
    """Give the part of an array that a subscript names, an element as an array of no dimensions."""
    entries = without_ellipsis(indices_of(node), len(base.extents))
    offset, axis, is_cut = base.offset, 0, base.is_cut
    extents: list[Size] = []
    strides: list[Size] = []
    for entry in entries:
        if is_new_axis(entry):
            extents.append(1)
            strides.append(0)
            continue
        extent, stride = base.extents[axis], base.strides[axis]
        axis += 1
        if isinstance(entry, ast.Slice):
            first, length, step = _slice(ctx, entry, extent)
            is_cut |= length is not extent
            offset = moved(ctx, offset, [(first, stride)])
            extents.append(length)
            strides.append(ctx.combined("*", stride, step))
        else:
            index = ctx.inside(as_size(ctx, indices[entry]), extent, is_cut=base.is_cut)
            offset = moved(ctx, offset, [(index, stride)])
    return replace(
        base,
        offset=offset,
        extents=(*extents, *base.extents[axis:]),
        strides=(*strides, *base.strides[axis:]),
        is_new=False,
        is_cut=is_cut,
    )


def _slice(ctx: Context, node: ast.Slice, extent: Size) -> tuple[Size, Size, int]:
    """Give the first index, the length and the step of a slice, which is cut off where the array ends."""
    step = 1 if node.step is None else size(ctx, node.step)
    if not isinstance(step, int):
        raise ctx.refusal("this slice")
    lower = 0 if node.lower is None else _end(ctx, node.lower, extent)
    upper = extent if node.upper is None else _end(ctx, node.upper, extent)
    length = not_negative(ctx, ctx.combined("-", upper, lower))
    if step < 0:
        lower = ctx.combined("-", extent, 1)
    if abs(step) > 1:
        rounded = ctx.size(ctx.combined("+", length, abs(step) - 1))
        length = ctx.arithmetic("//", rounded, ctx.constant(abs(step), LONG), LONG)
        ctx.counters.add(length)
    return lower, length, step


def _end(ctx: Context, node: ast.expr, extent: Size) -> Size:
    """Give a bound of a slice; one that is negated counts from the end, or the run ends."""
    counted = counted_from_end(node)
    if counted is None:
        return _bound(ctx, size(ctx, node), extent)
    found = size(ctx, counted)
    is_counted = ctx.comparison(">=", ctx.size(found), ctx.constant(1, LONG), LONG)
    ctx.require(is_counted, f"{UNREAD}`{ast.unparse(node)}` as a bound that does not count from the end")
    return not_negative(ctx, ctx.combined("-", extent, found))


def _bound(ctx: Context, bound: Size, extent: Size) -> Size:
    """Give a bound of a slice: one below zero counts from the end, and all are cut off at the ends."""
    if isinstance(bound, int) and isinstance(extent, int):
        return max(min(bound if bound >= 0 else bound + extent, extent), 0)
    if isinstance(bound, int) and bound == 0:
        return 0
    if isinstance(bound, int) and bound < 0:
        return not_negative(ctx, ctx.combined("+", extent, bound))
    own = ctx.size(bound)
    if not ctx.is_counted(own):
        behind = ctx.comparison("<", own, ctx.constant(0, LONG), LONG)
        wrapped = ctx.size(ctx.combined("+", own, extent))
        own = ctx.size(not_negative(ctx, ctx.operation("arith.select", (behind, wrapped, own), ir_type(LONG))))
    length = ctx.size(extent)
    if own is length:
        return extent
    found = ctx.operation("arith.minsi", (own, length), ir_type(LONG))
    ctx.counters.add(found)
    return found


# -- attributes


def _attribute(ctx: Context, node: ast.Attribute) -> Operand:
    if node.attr in CONSTANTS:
        return floating(CONSTANTS[node.attr])
    base = array(ctx, node.value)
    if base.is_list:
        raise ctx.refusal(f"the attribute `{node.attr}` of a list")
    match node.attr:
        case "shape":
            return Several(tuple(length(extent) for extent in base.extents))
        case "ndim":
            return integer(len(base.extents))
        case "size":
            total: Size = 1
            for extent in base.extents:
                total = ctx.combined("*", total, extent)
            return length(total)
        case _:
            assert isinstance(base, View)
            return transposed(base)


def transposed(view: View) -> View:
    """Turn the axes of an array round."""
    return replace(view, extents=view.extents[::-1], strides=view.strides[::-1], is_new=False)


def length(extent: Size) -> Number:
    """Give a size as an integer of Python."""
    return Number(extent, LONG, weak=True)


RULES.update(
    {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Tuple: _tuple,
        ast.BinOp: _binary,
        ast.UnaryOp: _unary,
        ast.Compare: _compare,
        ast.BoolOp: _one_of,
        ast.IfExp: _conditional,
        ast.Subscript: _subscript,
        ast.Attribute: _attribute,
    }
)
