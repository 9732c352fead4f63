"""Statements of C++: declarations of references, containers and objects, ``for`` over a range, and ``return``."""

from __future__ import annotations

from typing import Any

from clang.cindex import CursorKind, StorageClass, TypeKind
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import is_class, is_reference, without_reference
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.returned import named_object, result_of
from tensorlift.frontends.cpp.syntax import HARMLESS, unwrapped
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import (
    LONG,
    UNSIGNED_LONG,
    ComplexType,
    CType,
    NumberType,
    PointerType,
    VoidType,
)
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import (
    C,
    Cell,
    Complex,
    Container,
    Context,
    Frame,
    Place,
    Pointer,
    value,
)
from tensorlift.readers.clang.conversions import to_type
from tensorlift.readers.clang.cpp.arguments import Home, memory, types_of
from tensorlift.readers.clang.cpp.calls import construct, reference, whole_object
from tensorlift.readers.clang.cpp.containers import copied, element, size
from tensorlift.readers.clang.cpp.objects import number, return_object
from tensorlift.readers.clang.cpp.vectors import given, growing, made
from tensorlift.readers.clang.declarations import addressed
from tensorlift.readers.clang.declarations import declare as c_declare
from tensorlift.readers.clang.expressions import converted, effect, place
from tensorlift.readers.clang.memory import step
from tensorlift.readers.clang.objects import assign, contents
from tensorlift.readers.clang.statements import inside_loop, statement
from tensorlift.readers.flow import Flow, Local, named


def _declarations(ctx: Context, cursor: Any) -> None:
    for child in libclang.children(cursor):
        if child.kind is CursorKind.VAR_DECL:
            _declare(ctx, child)
        elif child.kind not in HARMLESS:
            raise ctx.refusal("declaration", child, child.spelling)


def _declare(ctx: Context, cursor: Any) -> None:
    """Read the declaration of one variable."""
    values = libclang.expressions(cursor)
    initial, identity = values[-1] if values else None, cursor.data[0]
    if cursor.storage_class in {StorageClass.STATIC, StorageClass.EXTERN}:
        c_declare(ctx, cursor)
        return
    if is_reference(cursor.type):
        ctx.places[identity] = _referred(ctx, cursor, initial)
        return
    frame = ctx.calls.frames[-1]
    home = Home(cursor.spelling, frame.reached if identity in frame.made else "", ctx.location(cursor))
    kind, plain = types_of(ctx).container(cursor.type), without_reference(cursor.type)
    if kind is not None:
        ctx.places[identity] = made(ctx, kind, initial, home, grows=identity in growing(ctx))
        frame.owned.add(identity)
    elif plain.kind is TypeKind.RECORD and initial is not None and _is_lambda(initial):
        ctx.places[identity] = value(ctx, _inner_lambda(initial))
    elif is_class(plain):
        ctx.places[identity] = construct(ctx, cursor.type, initial, home)
        frame.owned.add(identity)
    elif isinstance(ctx.type_of(cursor), NumberType | ComplexType | PointerType):
        found = number(ctx, cursor.type, initial, home)
        memory = addressed(ctx, cursor, None if initial is None else contents(ctx, found, cursor))
        ctx.places[identity] = memory or found
    else:
        c_declare(ctx, cursor)


def _referred(ctx: Context, cursor: Any, initial: Any) -> Place:
    """Bind a reference: to an object, a variable or an element, whose place is computed here."""
    if initial is None:
        raise refusal("reference", ctx.position(cursor), f"`{cursor.spelling}` refers to nothing")
    if not is_class(cursor.type):
        return reference(ctx, cursor, initial, is_free=False)
    return whole_object(ctx, initial)


def _is_lambda(cursor: Any) -> bool:
    return _inner_lambda(cursor) is not None


def _inner_lambda(cursor: Any) -> Any:
    while cursor.kind is not CursorKind.LAMBDA_EXPR:
        inner = libclang.expressions(cursor)
        if len(inner) != 1:
            return None
        cursor = inner[0]
    return cursor


def _if(ctx: Context, cursor: Any) -> None:
    """Read ``if``; one that declares a variable, or has an initialiser, is refused."""
    inner = libclang.children(cursor)
    if len(inner) > 3 or not inner[0].kind.is_expression():  # noqa: PLR2004 - condition and two arms
        raise refusal("declared-in-test", ctx.position(cursor), "an `if`")
    C.statements[CursorKind.IF_STMT.value](ctx, cursor)


def _while(ctx: Context, cursor: Any) -> None:
    if len(libclang.children(cursor)) != 2:  # noqa: PLR2004 - condition and body
        raise refusal("declared-in-test", ctx.position(cursor), "a `while`")
    C.statements[CursorKind.WHILE_STMT.value](ctx, cursor)


def _range_for(ctx: Context, cursor: Any) -> None:
    """Read ``for (x : range)``: the variable is bound anew to each element, or is a copy of it."""
    variable, *middle, body = libclang.children(cursor)
    at, found = ctx.location(cursor), _range(ctx, middle[-1])
    end, here = size(ctx, found, 0, at), Local(i64, at)
    ctx.flow.write(here, ctx.constant(0, LONG, at))

    def test(inside: Flow, after: Flow) -> None:
        ctx.flow.branch(ctx.comparison("!=", ctx.flow.read(here), end, UNSIGNED_LONG, at), inside, after, at)

    def run(latch: Flow, after: Flow) -> None:
        with inside_loop(ctx, latch, after):
            _bind(ctx, variable, element(ctx, found, ctx.flow.read(here), at), found.kind.element)
            statement(ctx, body)

    ctx.flow.loop(named("for", at), test, run, lambda: step(ctx, here, at))


def _range(ctx: Context, cursor: Any) -> Container:
    """Give the container or array that a loop runs over."""
    if is_class(cursor.type):
        return given(ctx, unwrapped(cursor))
    kind, found = types_of(ctx).member(cursor.type), place(ctx, unwrapped(cursor))
    if kind is None or not isinstance(found, Cell):
        raise refusal("range", ctx.position(cursor), f"`{cursor.spelling}`")
    start = found.pointer
    return Container(cursor.spelling, kind, Pointer(start.base, start.offset, start.shape[1:]), start.shape)


def _bind(ctx: Context, variable: Any, found: Cell | Container, ctype: CType) -> None:
    """Bind the variable of a loop over a range to an element, or to a copy of it."""
    at, identity = ctx.location(variable), variable.data[0]
    if is_reference(variable.type):
        ctx.places[identity] = found
    elif isinstance(found, Container):
        ctx.places[identity] = copied(ctx, found, Home(variable.spelling, "", at))
    else:
        target = types_of(ctx).read(variable.type)
        new = to_type(ctx, variable, contents(ctx, found, variable), ctype, target)
        if isinstance(target, ComplexType):
            ctx.places[identity] = complex_numbers.local(target, at, variable.spelling)
        else:
            ctx.places[identity] = Local(ir_type(target), at, variable.spelling)
        assign(ctx, ctx.places[identity], new, variable)


def _return(ctx: Context, cursor: Any) -> None:
    """Give what a function returns to its caller, or to that of the outermost one."""
    frame, at, values = ctx.calls.frames[-1], named("return", ctx.location(cursor)), libclang.children(cursor)
    is_outermost, result = len(ctx.calls.frames) == 1, result_of(frame.definition)
    if values and result is not None and _is_object(result):
        found = whole_object(ctx, values[0]) if is_reference(result) else _returned(ctx, values[0], result)
        if is_outermost:
            return_object(ctx, found, result, frame.reached, cursor)
        elif frame.result not in (None, found):
            raise refusal("return", ctx.position(cursor))
        frame.result = found
    elif values and not isinstance(ctx.result, VoidType):
        _give(ctx, values[0], frame)
    elif values:
        effect(ctx, values[0])
    if is_outermost and isinstance(frame.result, Complex):
        assign(ctx, Cell(memory(ctx, frame.reached, frame.result.part)), frame.result, cursor)
    if is_outermost:
        ctx.flow.leave([frame.result] if isinstance(frame.result, SSAValue) else [], at)
    elif not frame.is_direct:
        ctx.flow.jump(frame.exit, at)


def _give(ctx: Context, cursor: Any, frame: Frame) -> None:
    """Keep a number or a pointer that is returned, or the object that a reference refers to."""
    if frame.wants_object:
        frame.result = place(ctx, cursor)
    elif len(ctx.calls.frames) == 1 or frame.is_direct:
        frame.result = converted(ctx, cursor, ctx.result)
    else:
        assert frame.result is not None, "a variable for what is returned on several ways"
        assign(ctx, frame.result, converted(ctx, cursor, ctx.result), cursor)


def _is_object(result: Any) -> bool:
    return is_class(result)


def _returned(ctx: Context, cursor: Any, result: Any) -> Place:
    """Give an object that is returned by value: the variable that it names, or a new one where the caller wants it."""
    frame, at = ctx.calls.frames[-1], ctx.location(cursor)
    name = named_object(cursor)
    identity = libclang.referenced_identity(name) if name is not None else None
    if identity in frame.owned:
        return ctx.places[identity]
    kind = types_of(ctx).container(result)
    home = Home("result", "" if frame.made & frame.owned else frame.reached, at)  # where no other one lives
    return construct(ctx, result, cursor, home) if kind is None else made(ctx, kind, cursor, home)


def _refused(ctx: Context, cursor: Any) -> None:
    raise refusal("exception", ctx.position(cursor), "`try`")


STATEMENTS = {
    kind.value: rule
    for kind, rule in (
        (CursorKind.DECL_STMT, _declarations),
        (CursorKind.IF_STMT, _if),
        (CursorKind.WHILE_STMT, _while),
        (CursorKind.CXX_FOR_RANGE_STMT, _range_for),
        (CursorKind.RETURN_STMT, _return),
        (CursorKind.CXX_TRY_STMT, _refused),
        (CursorKind.CXX_CATCH_STMT, _refused),
    )
}
