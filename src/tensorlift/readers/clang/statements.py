"""Statements of C as basic blocks: one rule for each kind of cursor, in the table at the end.

A loop is a header with back edges; ``break``, ``continue``, ``goto`` and the cases of a ``switch`` are jumps.  A block
is sealed as soon as all jumps to it are known: a loop's header after its body, the block of a label when the function
is read.  What follows a jump is reached by nothing, unless it has a label.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.cf import AssertOp

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.for_headers import places_of_parts
from tensorlift.ir.literal_function import left_out
from tensorlift.ops.c_types import IntegerType, PointerType, VoidType, is_structure
from tensorlift.readers.clang.calls import HEAP, flattened, is_assertion, is_ending, is_output
from tensorlift.readers.clang.conditions import branch_on
from tensorlift.readers.clang.context import C, Context, scalar
from tensorlift.readers.clang.declarations import declare
from tensorlift.readers.clang.expressions import converted, effect
from tensorlift.readers.clang.left_out import LeavesOutError
from tensorlift.readers.clang.nulls import test_of_assertion
from tensorlift.readers.clang.returned import return_structure
from tensorlift.readers.flow import Flow, named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xdsl.ir import SSAValue

_FOR_PARTS = 4
_KEYWORDS = {CursorKind.FOR_STMT: "for", CursorKind.WHILE_STMT: "while"}
_LOOPS = (CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT)
_PLAIN = (CursorKind.IF_STMT, CursorKind.COMPOUND_STMT, CursorKind.NULL_STMT)
_CHANGING = (CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.StmtExpr)
_VOLATILE = "TL144"
_STEPS = {"post++", "post--", "pre++", "pre--"}
_HARMLESS = {
    CursorKind.TYPEDEF_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.UNION_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.FUNCTION_DECL,
    CursorKind.STATIC_ASSERT,
}


def statement(ctx: Context, cursor: Any) -> None:
    """Read one statement."""
    ctx.enter(cursor)
    found = ctx.left_out
    if found is not None and cursor.data[1] in found.asserted:
        if _holds(cursor, CursorKind.CALL_EXPR):
            at = ctx.location(cursor)
            holds = ctx.flow.value(test_of_assertion(at))
            ctx.flow.add(AssertOp.create(operands=(holds,), properties={"msg": StringAttr("assert")}, location=at))
    else:
        try:
            _read(ctx, cursor)
        except LiftError as error:
            if found is None or error.diagnostics[0].code == _VOLATILE or not _only_asserts(cursor):
                raise
            found.asserted.add(cursor.data[1])
            raise LeavesOutError from error
    ctx.depth -= 1


def _read(ctx: Context, cursor: Any) -> None:
    rule = ctx.unit.rules.statements.get(cursor._kind_id)  # noqa: SLF001 - building a CursorKind costs more than the reading
    if rule is not None:
        rule(ctx, cursor)
    elif cursor.kind.is_expression():
        effect(ctx, cursor)
    else:
        raise ctx.refusal("statement", cursor, cursor.kind.name)


def _only_asserts(cursor: Any) -> bool:
    """Whether a statement does nothing but assert, under conditions that change nothing."""
    work = [cursor]
    while work:
        inside = work.pop()
        if not is_assertion(inside) and not _changes_nothing(inside):
            return False
        work += libclang.children(inside) if inside.kind is not CursorKind.CALL_EXPR else ()
    return True


def _changes_nothing(cursor: Any) -> bool:
    """Whether a statement or expression, apart from what is inside of it, changes nothing."""
    kind = cursor.kind
    if kind is CursorKind.BINARY_OPERATOR:
        return libclang.binary_operator(cursor) != "="
    if kind is CursorKind.UNARY_OPERATOR:
        return libclang.unary_operator(cursor) not in _STEPS
    is_plain = kind in _PLAIN or (kind.is_expression() and kind not in _CHANGING)
    return is_plain and kind is not CursorKind.CALL_EXPR


def _block(ctx: Context, cursor: Any) -> None:
    """Read statements; what is written where the program ends right after is no part of what it computes."""
    children, found = libclang.children(cursor), ctx.left_out
    for number, child in enumerate(children):
        if found is not None and child.data[1] in found.arms:
            at = ctx.location(child)
            ctx.flow.add(left_out(ctx.truth(0, at), at, found.arms[child.data[1]][0]))
            ctx.flow.leave((), at)
            return
        if found is not None and not (found.inside or ctx.loops) and _returns_parameter(ctx, child):
            found.rest = children[number + 1 :]
        after = next((other for other in children[number:] if not is_output(other)), None)
        if not is_output(child) or after is None or not is_ending(after):
            statement(ctx, child)


def _returns_parameter(ctx: Context, cursor: Any) -> bool:
    """Whether a statement returns a structure that the function is given, under a condition, and does nothing else."""
    if cursor.kind is not CursorKind.IF_STMT or not (isinstance(ctx.result, PointerType) and is_structure(ctx.result)):
        return False
    _, then, *otherwise = libclang.children(cursor)
    returned = libclang.inside(then, {*libclang.CONVERSIONS, CursorKind.COMPOUND_STMT, CursorKind.RETURN_STMT})
    is_named = returned.kind is CursorKind.DECL_REF_EXPR and returned is not then
    return is_named and not otherwise and returned.referenced.kind is CursorKind.PARM_DECL


def _declarations(ctx: Context, cursor: Any) -> None:
    for child in libclang.children(cursor):
        if child.kind is CursorKind.VAR_DECL:
            declare(ctx, child)
        elif child.kind not in _HARMLESS:
            raise ctx.refusal("declaration", child, child.spelling)


def _nothing(_ctx: Context, _cursor: Any) -> None:
    pass


def _if(ctx: Context, cursor: Any) -> None:
    condition, then, *otherwise = libclang.children(cursor)
    arms, join = [(Flow(), then), (Flow(), otherwise[0] if otherwise else None)], Flow()
    branch_on(ctx, condition, arms[0][0], arms[1][0])
    for (flow, arm), (_, other) in zip(arms, arms[::-1], strict=True):
        ctx.flow.enter(flow)
        if arm is not None:
            _arm(ctx, arm, other)
        ctx.flow.jump(join, ctx.location(cursor if arm is None else arm))
    ctx.flow.enter(join)


def _arm(ctx: Context, cursor: Any, other: Any) -> None:
    """Read an arm of a condition, or end where it is left out, which its other arm is not then."""
    found, arm = ctx.left_out, cursor.data[1]
    if found is None or ctx.loops:
        statement(ctx, cursor)
    elif arm in found.arms:
        at = ctx.location(cursor)
        ctx.flow.add(left_out(ctx.truth(0, at), at, found.arms[arm][0]))
    else:
        found.inside.append(arm)
        try:
            statement(ctx, cursor)
        except LiftError as error:
            if found.rest and any(call.spelling in HEAP for call in libclang.descendants(cursor, CursorKind.CALL_EXPR)):
                found.arms |= {child.data[1]: error.diagnostics for child in found.rest}
                raise LeavesOutError from error
            if not _may_be_left_out(cursor) or (other is not None and other.data[1] in found.arms):
                raise
            found.arms[arm] = error.diagnostics
            raise LeavesOutError from error
        found.inside.pop()


def _may_be_left_out(cursor: Any) -> bool:
    """Whether there is a call in an arm, and no loop."""
    return _holds(cursor, CursorKind.CALL_EXPR) and not any(_holds(cursor, kind) for kind in _LOOPS)


def calls_in_arms(function: Any) -> Iterator[tuple[int, Any]]:
    """Yield the calls in arms that may be left out, each with the inmost one around it."""
    work: list[tuple[Any, int | None]] = [(function, None)]
    while work:
        cursor, arm = work.pop()
        if cursor.kind is CursorKind.CALL_EXPR and arm is not None:
            yield arm, cursor
        for number, child in enumerate(libclang.children(cursor) if cursor.kind not in _LOOPS else ()):
            is_arm = cursor.kind is CursorKind.IF_STMT and number > 0 and _may_be_left_out(child)
            work.append((child, child.data[1] if is_arm else arm))


def _holds(cursor: Any, kind: CursorKind) -> bool:
    """Whether a statement is of a kind, or something in it."""
    return bool(cursor.kind is kind or libclang.descendants(cursor, kind))


def _while(ctx: Context, cursor: Any) -> None:
    condition, body = libclang.children(cursor)
    _loop(ctx, cursor, condition, None, body)


def _for(ctx: Context, cursor: Any) -> None:
    *parts, body = libclang.children(cursor)
    places: list[int] | range | None = range(3)
    if len(parts) < _FOR_PARTS - 1:
        start = cursor.extent.start.offset
        places = places_of_parts(ctx.text(cursor.extent), [part.location.offset - start for part in parts])
    if places is None:
        raise ctx.refusal("statement", cursor, "a `for` from a macro with missing parts")
    by_place = dict(zip(places, parts, strict=True))
    if 0 in by_place:
        statement(ctx, by_place[0])
    _loop(ctx, cursor, by_place.get(1), by_place.get(2), body)


def _loop(ctx: Context, cursor: Any, condition: Any, advance: Any, body: Any) -> None:
    """Read a loop that tests before its body; ``continue`` goes to the advance."""
    at = named(_KEYWORDS[cursor.kind], ctx.location(cursor))

    def test(inside: Flow, after: Flow) -> None:
        if condition is None:
            ctx.flow.jump(inside, at)
        else:
            branch_on(ctx, condition, inside, after)

    def step() -> None:
        if advance is not None:
            effect(ctx, advance)

    ctx.flow.loop(at, test, partial(_body, ctx, body), step)


def _do(ctx: Context, cursor: Any) -> None:
    body, condition = libclang.children(cursor)
    inside, latch, after = Flow(), Flow(), Flow()
    ctx.flow.jump(inside, named("do", ctx.location(cursor)))
    ctx.flow.start(inside)
    _body(ctx, body, latch, after)
    ctx.flow.jump(latch, ctx.location(condition))
    ctx.flow.enter(latch)
    branch_on(ctx, condition, inside, after)
    ctx.flow.name_conditions(latch)
    ctx.flow.seal(inside)
    ctx.flow.enter(after)


def _body(ctx: Context, body: Any, latch: Flow, after: Flow) -> None:
    with inside_loop(ctx, latch, after):
        statement(ctx, body)


@contextmanager
def inside_loop(ctx: Context, latch: Flow, after: Flow) -> Iterator[None]:
    """Read the body of a loop: ``continue`` and ``break`` lead to these blocks."""
    ctx.continues.append(latch)
    ctx.breaks.append(after)
    ctx.loops += 1
    yield
    ctx.loops -= 1
    ctx.continues.pop()
    ctx.breaks.pop()


def _break(ctx: Context, cursor: Any) -> None:
    ctx.flow.jump(ctx.breaks[-1], named("break", ctx.location(cursor)))


def _continue(ctx: Context, cursor: Any) -> None:
    ctx.flow.jump(ctx.continues[-1], ctx.location(cursor))


def _goto(ctx: Context, cursor: Any) -> None:
    (target,) = libclang.children(cursor)
    ctx.flow.jump(ctx.labels.setdefault(target.spelling, Flow()), named("goto", ctx.location(cursor)))


def _label(ctx: Context, cursor: Any) -> None:
    """Begin the block of a label, which is not sealed: what jumps to it may come later."""
    flow = ctx.labels.setdefault(cursor.spelling, Flow())
    ctx.flow.jump(flow, ctx.location(cursor))
    ctx.flow.start(flow)
    _block(ctx, cursor)


def _switch(ctx: Context, cursor: Any) -> None:
    """Compare the value with one case after the other, then read the body, into which the cases lead."""
    condition, body = libclang.children(cursor)
    chosen, ctype, after = scalar(ctx, condition), ctx.type_of(condition), Flow()
    otherwise, cases = after, _cases(body)
    for case in cases:
        flow, at = Flow(), ctx.location(case)
        ctx.cases[case.data[1]] = flow
        if case.kind is CursorKind.DEFAULT_STMT:
            otherwise = flow
            continue
        following = Flow()
        ctx.flow.branch(_is_case(ctx, case, chosen, ctype), flow, following, at)
        ctx.flow.enter(following)
    ctx.flow.jump(otherwise, ctx.location(cursor))
    ctx.breaks.append(after)
    statement(ctx, body)
    ctx.breaks.pop()
    ctx.flow.jump(after, ctx.location(cursor))
    ctx.flow.enter(after)


def _is_case(ctx: Context, case: Any, chosen: SSAValue, ctype: Any) -> SSAValue:
    label, at = libclang.children(case)[0], ctx.location(case)
    number = libclang.evaluate(label)
    if not isinstance(number, int) or not isinstance(ctype, IntegerType) or len(libclang.children(case)) != 2:  # noqa: PLR2004 - a value and a statement
        raise ctx.refusal("switch", case)
    return ctx.comparison("==", chosen, ctx.constant(number, ctype, at), ctype, at)


def _cases(cursor: Any) -> list[Any]:
    """List the cases of a switch, those of inner ones left out."""
    found: list[Any] = []
    open_ = [cursor]
    while open_:
        current = open_.pop()
        if current.kind in {CursorKind.CASE_STMT, CursorKind.DEFAULT_STMT}:
            found.append(current)
        if current.kind is not CursorKind.SWITCH_STMT and not current.kind.is_expression():
            open_ += reversed(libclang.children(current))
    return found


def _case(ctx: Context, cursor: Any) -> None:
    """Begin the block of a case, into which the statements before it fall."""
    flow = ctx.cases[cursor.data[1]]
    ctx.flow.jump(flow, ctx.location(cursor))
    ctx.flow.enter(flow)
    statement(ctx, libclang.children(cursor)[-1])


def _return(ctx: Context, cursor: Any) -> None:
    children, at = libclang.children(cursor), named("return", ctx.location(cursor))
    if not children:
        ctx.flow.leave((), at)
    elif isinstance(ctx.result, VoidType):
        effect(ctx, children[0])
        ctx.flow.leave((), at)
    elif isinstance(ctx.result, PointerType) and is_structure(ctx.result):
        return_structure(ctx, cursor, at)
    else:
        found = converted(ctx, children[0], ctx.result)
        ctx.flow.leave(flattened(ctx, found, ctx.result, cursor, children[0].type), at)


def _refused(reason: str) -> Callable[[Context, Any], None]:
    def rule(ctx: Context, cursor: Any) -> None:
        raise ctx.refusal(reason, cursor)

    return rule


C.effects[CursorKind.StmtExpr.value] = lambda ctx, cursor: _block(ctx, libclang.children(cursor)[0])
C.statements.update(
    {
        kind.value: rule
        for kind, rule in (
            (CursorKind.COMPOUND_STMT, _block),
            (CursorKind.DECL_STMT, _declarations),
            (CursorKind.NULL_STMT, _nothing),
            (CursorKind.IF_STMT, _if),
            (CursorKind.WHILE_STMT, _while),
            (CursorKind.FOR_STMT, _for),
            (CursorKind.DO_STMT, _do),
            (CursorKind.BREAK_STMT, _break),
            (CursorKind.CONTINUE_STMT, _continue),
            (CursorKind.GOTO_STMT, _goto),
            (CursorKind.LABEL_STMT, _label),
            (CursorKind.SWITCH_STMT, _switch),
            (CursorKind.CASE_STMT, _case),
            (CursorKind.DEFAULT_STMT, _case),
            (CursorKind.RETURN_STMT, _return),
            (CursorKind.INDIRECT_GOTO_STMT, _refused("goto")),
            (CursorKind.ASM_STMT, _refused("asm")),
            (CursorKind.MS_ASM_STMT, _refused("asm")),
        )
    }
)
