"""Statements of Fortran: assignments, branches, loops, jumps; control becomes blocks.

A loop's bounds and step are evaluated once, before it; its variable has the value after the last iteration behind it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.symbols import OPEN_LENGTH
from tensorlift.frontends.fortran.syntax import kind_of, label_of, nodes_in
from tensorlift.frontends.fortran.uses import path_of
from tensorlift.ops.c_types import BOOL, CHAR
from tensorlift.readers.flow import Flow, named
from tensorlift.readers.fortran.allocated import allocate, branch, deallocate, point
from tensorlift.readers.fortran.arrays import assign, scatter, selected
from tensorlift.readers.fortran.blocks import associate, block
from tensorlift.readers.fortran.calls import call_statement
from tensorlift.readers.fortran.characters import character, of_codes
from tensorlift.readers.fortran.expressions import put, scalar, truth, value
from tensorlift.readers.fortran.loops import do
from tensorlift.readers.fortran.masks import array_named, forall, forall_construct, where, where_construct
from tensorlift.readers.fortran.structures import assign_structure
from tensorlift.readers.fortran.values import Number, Rule, Variable, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.readers.fortran.context import Context

_OUTPUT = {"Print_Stmt", "Write_Stmt", "Read_Stmt", "Open_Stmt", "Close_Stmt", "Format_Stmt", "Inquire_Stmt"}
_OUTPUT |= {"Rewind_Stmt", "Backspace_Stmt", "Flush_Stmt"}


def read_block(ctx: Context, statements: Sequence[Any]) -> None:
    """Read statements one after the other."""
    for statement in statements:
        _statement(ctx, statement)


def _statement(ctx: Context, node: Any) -> None:
    rule = _RULES.get(kind_of(node))
    ctx.visit(node)
    label = label_of(node)
    if label in ctx.frame.labels:
        flow = ctx.frame.labels[label]
        if flow.number:
            raise ctx.refusal("statement", node, f"a second label {label}")
        ctx.flow.jump(flow, ctx.at)
        ctx.flow.start(flow)
    if rule is None:
        reason = "output" if kind_of(node) in _OUTPUT else "statement"
        raise ctx.refusal(reason, node, str(node).splitlines()[0])
    ctx.enter(node)
    rule(ctx, node)
    ctx.depth -= 1


def _nothing(_ctx: Context, _node: Any) -> None:
    """Pass over what says nothing."""


# -- assignments


def _assignment(ctx: Context, node: Any) -> None:
    target, _, right = node.children
    symbol = ctx.frame.scope.find(path_of(target))
    if symbol is not None and symbol.derived is not None:
        assign_structure(ctx, symbol, target, right, node)
        return
    if kind_of(target) == "Name":
        _assign_name(ctx, target, right, node)
        return
    if kind_of(target) == "Data_Ref" and not isinstance(ctx.binding(path_of(target), target), View):
        write(ctx, ctx.binding(path_of(target), target), scalar(ctx, right), target)
        return
    if kind_of(target) not in {"Part_Ref", "Data_Ref"}:
        raise ctx.refusal("statement", node)
    view = array_named(ctx, target)
    place = selected(ctx, view, target, lambda subscript: value(ctx, subscript))
    if isinstance(place, Rule):
        scatter(ctx, view, place, value(ctx, right), node)
        return
    if isinstance(place, View):
        assign(ctx, place, value(ctx, right), node)
        return
    found = scalar(ctx, right)
    _check_types(ctx, found.is_truth, view.ctype is BOOL, node)
    ctx.store(view, place, found)


def _check_types(ctx: Context, one: bool, other: bool, node: Any) -> None:  # noqa: FBT001 - whether truth values
    if one != other:
        raise ctx.refusal("expression", node)


def _assign_name(ctx: Context, target: Any, right: Any, node: Any) -> None:
    name = str(target).lower()
    symbol = ctx.symbol(name, target)
    if symbol.is_constant:
        raise ctx.refusal("declaration", node, f"parameter :: {name}")
    bound = ctx.binding(name, target)
    if symbol.ctype is CHAR:
        flag = character(ctx, right, is_passed=True) if OPEN_LENGTH not in symbol.attributes else None
        if flag is None:
            raise ctx.refusal("character", node, name)
        write(ctx, bound, flag, target)
        return
    if isinstance(bound, View) and bound.extents:
        found = value(ctx, right)
        _check_types(ctx, found.ctype is BOOL, bound.ctype is BOOL, node)
        assign(ctx, bound, found, node)
        return
    write(ctx, bound, scalar(ctx, right), target)


def write(ctx: Context, bound: Variable | View | Number, found: Number, node: Any) -> None:
    """Assign to a scalar variable."""
    if isinstance(bound, Variable) and bound.local in ctx.frame.counting:
        raise ctx.refusal("loop-variable", node)
    put(ctx, bound, found, node)


# -- branches


def _if_statement(ctx: Context, node: Any) -> None:
    condition, action = node.children
    known = _decided(ctx, condition)
    if known is None:
        ctx.choose(truth(ctx, condition), lambda: branch(ctx, lambda: _statement(ctx, action)))
    elif known:
        _statement(ctx, action)


def _decided(ctx: Context, condition: Any) -> bool | None:
    """Tell what a condition is that asks whether an argument is passed or an array made; None for any other one."""
    names = [str(node).lower() for node in nodes_in([condition]) if kind_of(node) == "Intrinsic_Name"]
    asks = not {"present", "allocated"}.isdisjoint(names)
    literal = scalar(ctx, condition).literal if asks else None
    return None if literal is None else bool(literal)


def _if_construct(ctx: Context, node: Any) -> None:
    arms: list[tuple[Any, list[Any]]] = []
    for child in node.children:
        if kind_of(child) in {"If_Then_Stmt", "Else_If_Stmt", "Else_Stmt"}:
            arms.append((child, []))
        elif kind_of(child) != "End_If_Stmt":
            arms[-1][1].append(child)
    after = Flow()
    for head, statements in arms:
        ctx.visit(head)
        known = True if kind_of(head) == "Else_Stmt" else _decided(ctx, head.children[0])
        if known:
            read = partial(read_block, ctx, statements)
            read() if head is arms[0][0] else branch(ctx, read)
            break
        if known is not None:
            continue
        inside, other = Flow(), Flow()
        ctx.flow.branch(truth(ctx, head.children[0]), inside, other, ctx.at)
        ctx.flow.enter(inside)
        branch(ctx, partial(read_block, ctx, statements))
        ctx.flow.jump(after, ctx.at)
        ctx.flow.enter(other)
    ctx.flow.jump(after, ctx.at)
    ctx.flow.enter(after)


def _select(ctx: Context, node: Any) -> None:
    """Read `select case` of integers or truth values as a chain of tests."""
    tested = node.children[0].children[0]
    chosen = character(ctx, tested) or scalar(ctx, tested)
    arms: list[tuple[Any, list[Any]]] = []
    for child in node.children[1:]:
        if kind_of(child) == "Case_Stmt":
            arms.append((child, []))
        elif kind_of(child) != "End_Select_Stmt":
            if not arms:
                raise ctx.refusal("statement", child)
            arms[-1][1].append(child)
    default = next((arm for arm in arms if arm[0].children[0].children[0] is None), None)
    after = Flow()
    for head, statements in arms:
        listed = head.children[0].children[0]
        if listed is None:
            continue
        ctx.visit(head)
        inside, other = Flow(), Flow()
        ctx.flow.branch(_is_among(ctx, chosen, listed), inside, other, ctx.at)
        ctx.flow.enter(inside)
        branch(ctx, partial(read_block, ctx, statements))
        ctx.flow.jump(after, ctx.at)
        ctx.flow.enter(other)
    if default is not None:
        branch(ctx, partial(read_block, ctx, default[1]))
    ctx.flow.jump(after, ctx.at)
    ctx.flow.enter(after)


def _is_among(ctx: Context, chosen: Number, listed: Any) -> SSAValue:
    """Tell whether a number is one of several, or in one of several ranges."""
    found: SSAValue | None = None
    for item in listed.children:
        if kind_of(item) == "Case_Value_Range":
            sides = zip((">=", "<="), item.children, strict=True)
            tests = [_compared(ctx, operator, chosen, side) for operator, side in sides if side is not None]
        else:
            tests = [_compared(ctx, "==", chosen, item)]
        test = tests[0] if len(tests) == 1 else ctx.operation("arith.andi", tests, i1)
        found = test if found is None else ctx.operation("arith.ori", (found, test), i1)
    assert found is not None
    return found


def _compared(ctx: Context, operator: str, chosen: Number, node: Any) -> SSAValue:
    flag = character(ctx, node) if chosen.ctype is CHAR else None
    if flag is not None and operator == "==":
        return of_codes(ctx, operator, chosen, flag)
    other = scalar(ctx, node)
    if chosen.is_truth and other.is_truth:
        differs = ctx.operation("arith.xori", (ctx.value(chosen), ctx.value(other)), i1)
        return ctx.operation("arith.xori", (differs, ctx.constant(1, BOOL)), i1)
    if not (chosen.is_integer and other.is_integer) or chosen.ctype is CHAR:
        raise ctx.refusal("expression", node)
    return ctx.comparison(operator, ctx.value(chosen), ctx.value(ctx.cast(other, chosen.ctype)), chosen.ctype)


def _leave(ctx: Context, node: Any) -> None:
    """Read `cycle` or `exit`."""
    kind, name = str(node.children[0]).lower(), node.children[1]
    wanted = str(name).lower() if name is not None else ""
    loop = next((one for one in reversed(ctx.frame.loops) if not wanted or one.name == wanted), None)
    if loop is None:
        raise ctx.refusal("loop-name" if wanted else "statement", node, wanted)
    ctx.flow.jump(loop.latch if kind == "cycle" else loop.after, named(kind, ctx.at))


# -- jumps


def _goto(ctx: Context, node: Any) -> None:
    ctx.flow.jump(ctx.frame.labels[str(node.children[0])], named("goto", ctx.at))


def _arithmetic_if(ctx: Context, node: Any) -> None:
    """Go to one of three labels, as a number is below, at or above zero."""
    number = scalar(ctx, node.children[0])
    if number.is_truth:
        raise ctx.refusal("expression", node)
    below, at, above = (ctx.frame.labels[str(label)] for label in node.children[1:])
    zero, own = ctx.constant(0, number.ctype), ctx.value(number)
    other = Flow()
    ctx.flow.branch(ctx.comparison("<", own, zero, number.ctype), below, other, ctx.at)
    ctx.flow.enter(other)
    ctx.flow.branch(ctx.comparison("==", own, zero, number.ctype), at, above, ctx.at)


def _return(ctx: Context, node: Any) -> None:
    if node.children[0] is not None:
        raise ctx.refusal("statement", node)
    ctx.flow.jump(ctx.frame.end, named("return", ctx.at))


def _stop(ctx: Context, node: Any) -> None:
    ctx.require(ctx.constant(0, BOOL), f"the program ends by `{str(node).split()[0].lower()}`")


_RULES: dict[str, Callable[[Context, Any], None]] = {
    "Allocate_Stmt": allocate,
    "Arithmetic_If_Stmt": _arithmetic_if,
    "Assignment_Stmt": _assignment,
    "Associate_Construct": associate,
    "Block_Construct": block,
    "Block_Label_Do_Construct": do,
    "Block_Nonlabel_Do_Construct": do,
    "Action_Term_Do_Construct": do,
    "Call_Stmt": call_statement,
    "Case_Construct": _select,
    "Comment": _nothing,
    "Continue_Stmt": _nothing,
    "Cycle_Stmt": _leave,
    "Deallocate_Stmt": deallocate,
    "End_Do_Stmt": _nothing,
    "Error_Stop_Stmt": _stop,
    "Exit_Stmt": _leave,
    "Forall_Construct": forall_construct,
    "Forall_Stmt": forall,
    "Goto_Stmt": _goto,
    "If_Construct": _if_construct,
    "If_Stmt": _if_statement,
    "Pointer_Assignment_Stmt": point,
    "Return_Stmt": _return,
    "Stop_Stmt": _stop,
    "Where_Construct": where_construct,
    "Where_Stmt": where,
}
