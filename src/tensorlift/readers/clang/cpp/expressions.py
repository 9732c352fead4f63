"""Expressions of C++: names, members, casts, braces, lambdas, and what the library gives a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import in_std, is_class
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import unwrapped
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, INT, LONG, NumberType, PointerType
from tensorlift.readers.clang.context import (
    C,
    Cell,
    ComplexLocal,
    Container,
    Context,
    Lambda,
    Place,
    PointerLocal,
    Structure,
    StructurePointer,
    Value,
    pointer,
    value,
)
from tensorlift.readers.clang.cpp.arguments import Home, types_of
from tensorlift.readers.clang.cpp.calls import called, construct, object_of_call, value_of_call, whole_object
from tensorlift.readers.clang.cpp.containers import demand
from tensorlift.readers.clang.cpp.objects import member
from tensorlift.readers.clang.cpp.vectors import made
from tensorlift.readers.clang.expressions import converted, place
from tensorlift.readers.clang.memory import load, same_base, step
from tensorlift.readers.clang.objects import contents
from tensorlift.readers.flow import Flow, Local

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.readers.clang.context import EffectRule, PlaceRule, Rule

_ZERO = re.compile(r"[\w:]+ ?(?:\( ?\)|\{ ?\})", re.ASCII)
_EXTREMES = {"max_element": "<", "min_element": ">"}


def _named(ctx: Context, cursor: Any) -> Place:
    """Give what a name stands for."""
    inner = libclang.children(cursor)
    if not cursor.spelling and len(inner) == 1:  # a constant parameter of a template
        return value(ctx, inner[0])
    known = ctx.places.get(libclang.referenced_identity(cursor))
    if known is not None:
        return known
    return C.places[CursorKind.DECL_REF_EXPR.value](ctx, cursor)


def _reference(ctx: Context, cursor: Any) -> Value:
    declaration = libclang.referenced(cursor)
    if declaration.kind is CursorKind.ENUM_CONSTANT_DECL:
        return ctx.constant(declaration.enum_value, ctx.type_of(cursor), ctx.location(cursor))
    return contents(ctx, _named(ctx, cursor), cursor)


def _member(ctx: Context, cursor: Any) -> Place:
    """Give a member: of the object that is named, or of the one whose member function is read."""
    declaration = cursor.referenced
    if declaration is not None and declaration.kind is CursorKind.VAR_DECL:
        return _named(ctx, cursor)
    if declaration is None or declaration.kind is not CursorKind.FIELD_DECL:
        raise refusal("class", ctx.position(cursor), f"the member `{cursor.spelling}`")
    children = libclang.children(cursor)
    found = whole_object(ctx, children[0]) if children else ctx.calls.frames[-1].this
    if not isinstance(found, Structure):
        raise refusal("class", ctx.position(cursor), f"the member `{cursor.spelling}`")
    return member(ctx, found, declaration, cursor)


def _member_value(ctx: Context, cursor: Any) -> Value:
    return contents(ctx, _member(ctx, cursor), cursor)


def _this(ctx: Context, cursor: Any) -> Value:
    this = ctx.calls.frames[-1].this
    if this is None:
        raise refusal("class", ctx.position(cursor), "a use of `this`")
    return StructurePointer(this)


def _implicit(ctx: Context, cursor: Any) -> Value:
    """Read an implicit conversion, a temporary, or ``T()`` with a parameter of a template as its type."""
    children = libclang.expressions(cursor)
    if len(children) == 1 and is_class(cursor.type):
        return value(ctx, children[0])
    ctype = ctx.type_of(cursor)
    if children or not isinstance(ctype, NumberType):
        return C.values[CursorKind.UNEXPOSED_EXPR.value](ctx, cursor)
    if not _ZERO.fullmatch(ctx.words(cursor)):
        raise ctx.refusal("expression", cursor, "this expression")
    return ctx.constant(0, ctype, ctx.location(cursor))


def _implicit_place(ctx: Context, cursor: Any) -> Place:
    """Read what only makes an object constant."""
    (child,) = libclang.children(cursor)
    if not is_class(cursor.type) and ctx.type_of(child) != ctx.type_of(cursor):
        raise refusal("reference", ctx.position(cursor), "an object named by a conversion")
    return place(ctx, child)


def _cast(ctx: Context, cursor: Any) -> Value:
    """Read ``T(x)``, ``T{x}`` or ``T()``, and ``static_cast``."""
    children = libclang.expressions(cursor)
    if is_class(cursor.type) and len(children) == 1:
        return value(ctx, children[0])
    ctype = ctx.type_of(cursor)
    if not children and isinstance(ctype, NumberType):
        return ctx.constant(0, ctype, ctx.location(cursor))
    return C.values[CursorKind.CSTYLE_CAST_EXPR.value](ctx, cursor)


def _braces(ctx: Context, cursor: Any) -> Value:
    """Read braces: around one number they change nothing; else they make a container or an object."""
    kind, at = types_of(ctx).container(cursor.type), ctx.location(cursor)
    if kind is not None:
        return made(ctx, kind, cursor, Home("temporary", _wanted(ctx), at))
    if is_class(cursor.type):
        return construct(ctx, cursor.type, cursor, Home("temporary", _wanted(ctx), at))
    inner, ctype = libclang.children(cursor), ctx.type_of(cursor)
    if not isinstance(ctype, NumberType) or len(inner) > 1:
        raise ctx.refusal("initialiser", cursor, "a list where a value is expected")
    return converted(ctx, inner[0], ctype) if inner else ctx.constant(0, ctype, at)


def _wanted(ctx: Context) -> str:
    reached, ctx.calls.wanted = ctx.calls.wanted, ""
    return reached


def _truth(ctx: Context, cursor: Any) -> Value:
    return ctx.constant(int(libclang.evaluate(cursor) or 0), BOOL, ctx.location(cursor))


def _unary(ctx: Context, cursor: Any) -> Value:
    """Read a unary operator; ``*std::max_element(...)`` is the greatest value."""
    inner = unwrapped(libclang.children(cursor)[0])
    if libclang.unary_operator(cursor) == "*":
        if inner.kind is CursorKind.CALL_EXPR and inner.spelling in _EXTREMES and in_std(inner.referenced):
            return _extreme(ctx, inner)
        if inner.kind is CursorKind.CXX_THIS_EXPR:
            return whole_object(ctx, inner)
    return C.values[CursorKind.UNARY_OPERATOR.value](ctx, cursor)


def _unary_place(ctx: Context, cursor: Any) -> Place:
    if libclang.unary_operator(cursor) in {"pre++", "pre--"}:
        value(ctx, cursor)
        return place(ctx, libclang.children(cursor)[0])
    return C.places[CursorKind.UNARY_OPERATOR.value](ctx, cursor)


def _extreme(ctx: Context, cursor: Any) -> Value:
    """Read ``*std::max_element(first, last)``, which is undefined where there is no element."""
    at, ends = ctx.location(cursor), list(cursor.get_arguments())
    if len(ends) != 2:  # noqa: PLR2004 - first and last
        raise refusal("call", ctx.position(cursor), f"std::{cursor.spelling}")
    (first, last), ctype = (pointer(ctx, end) for end in ends), ctx.value_type(ends[0])
    assert isinstance(ctype, PointerType)
    same_base(ctx, first, last, cursor)
    here, best = Local(first.offset.type, at), Local(ir_type(ctype.element), at)
    ctx.flow.write(here, first.offset)
    ctx.flow.write(best, load(ctx, first.base, first.offset, at))

    def test(inside: Flow, after: Flow) -> None:
        ctx.flow.branch(ctx.comparison("!=", ctx.flow.read(here), last.offset, LONG, at), inside, after, at)

    def body(latch: Flow, _after: Flow) -> None:
        better, now = Flow(), load(ctx, first.base, ctx.flow.read(here), at)
        is_better = ctx.comparison(_EXTREMES[cursor.spelling], ctx.flow.read(best), now, ctype.element, at)
        ctx.flow.branch(is_better, better, latch, at)
        ctx.flow.enter(better)
        ctx.flow.write(best, now)

    ctx.flow.loop(at, test, body, lambda: step(ctx, here, at))
    return ctx.flow.read(best)


def _lambda(ctx: Context, cursor: Any) -> Value:
    """Read a lambda: numbers and pointers that it captures by copy are kept as they are here."""
    text = ctx.text(cursor.extent).decode("utf-8", "replace")
    captures = [part.strip() for part in text.partition("]")[0].removeprefix("[").split(",") if part.strip()]
    if any("=" in capture[1:] or capture == "*this" for capture in captures):
        raise refusal("callable", ctx.position(cursor), "a lambda with variables of its own")
    by_copy = {capture for capture in captures if not capture.startswith(("&", "=")) and capture != "this"}
    by_reference = {capture.removeprefix("&").strip() for capture in captures if capture.startswith("&")}
    captured: dict[int | None, Place] = {}
    for use in libclang.descendants(cursor, CursorKind.DECL_REF_EXPR):
        identity = libclang.referenced_identity(use)
        known = ctx.places.get(identity)
        is_copied = use.spelling in by_copy or ("=" in captures and use.spelling not in by_reference)
        if known is None or not is_copied or identity in captured:
            continue
        if isinstance(known, Container | Structure):
            changes = ctx.calls.uses.changes(ctx.calls.frames[-1].definition, use.referenced)
            if changes:
                raise refusal("callable", ctx.position(cursor), f"a lambda that captures a copy of `{use.spelling}`")
        elif isinstance(known, Local | ComplexLocal | PointerLocal | Cell):
            captured[identity] = contents(ctx, known, use)
    return Lambda(cursor, captured, ctx.calls.frames[-1].this)


def _null(ctx: Context, cursor: Any) -> Value:
    return ctx.constant(0, INT, ctx.location(cursor))


def _throw(ctx: Context, cursor: Any) -> None:
    """Read ``throw``, which ends the function without a result."""
    at = ctx.location(cursor)
    demand(ctx, ctx.truth(0, at), "the program ends by `throw`", at)


def _refused(reason: str, detail: str) -> Callable[[Context, Any], Value]:
    def rule(ctx: Context, cursor: Any) -> Value:
        raise refusal(reason, ctx.position(cursor), detail)

    return rule


_VALUES: list[tuple[CursorKind, Rule]] = [
    (CursorKind.DECL_REF_EXPR, _reference),
    (CursorKind.MEMBER_REF_EXPR, _member_value),
    (CursorKind.CXX_THIS_EXPR, _this),
    (CursorKind.UNEXPOSED_EXPR, _implicit),
    (CursorKind.CXX_STATIC_CAST_EXPR, _cast),
    (CursorKind.CXX_CONST_CAST_EXPR, _cast),
    (CursorKind.CXX_FUNCTIONAL_CAST_EXPR, _cast),
    (CursorKind.INIT_LIST_EXPR, _braces),
    (CursorKind.CXX_BOOL_LITERAL_EXPR, _truth),
    (CursorKind.UNARY_OPERATOR, _unary),
    (CursorKind.CXX_NULL_PTR_LITERAL_EXPR, _null),
    (CursorKind.LAMBDA_EXPR, _lambda),
    (CursorKind.CALL_EXPR, value_of_call),
    (CursorKind.CXX_NEW_EXPR, _refused("heap", "new")),
    (CursorKind.CXX_DELETE_EXPR, _refused("heap", "delete")),
    (CursorKind.CXX_DYNAMIC_CAST_EXPR, _refused("class", "`dynamic_cast`")),
    (CursorKind.CXX_REINTERPRET_CAST_EXPR, _refused("reinterpreted", "")),
]
_PLACES: list[tuple[CursorKind, PlaceRule]] = [
    (CursorKind.DECL_REF_EXPR, _named),
    (CursorKind.MEMBER_REF_EXPR, _member),
    (CursorKind.UNEXPOSED_EXPR, _implicit_place),
    (CursorKind.UNARY_OPERATOR, _unary_place),
    (CursorKind.CALL_EXPR, object_of_call),
]
VALUES = {kind.value: rule for kind, rule in _VALUES}
PLACES = {kind.value: rule for kind, rule in _PLACES}
EFFECTS: dict[int, EffectRule] = {CursorKind.CALL_EXPR.value: called, CursorKind.CXX_THROW_EXPR.value: _throw}
