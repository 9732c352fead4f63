"""Functions that are read in place of their calls, and whether an expression, or a function, only gives a value."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.math_functions import is_math_function
from tensorlift.frontends.cpp.cpp_types import INCLUDE, in_std, is_class, is_of_complex
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.returned import result_of, returned_variables, returns_in
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.location import inlined as located
from tensorlift.ops.c_types import LONG, ComplexType, FloatType, IntegerType, NumberType, PointerType, VoidType
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import (
    ComplexLocal,
    Context,
    Frame,
    Place,
    PointerLocal,
    Structure,
    memory_type,
    pointee,
)
from tensorlift.readers.clang.cpp.arguments import types_of
from tensorlift.readers.clang.objects import contents
from tensorlift.readers.clang.statements import statement
from tensorlift.readers.flow import Local
from tensorlift.refusals import refusal as c_refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from xdsl.dialects.builtin import LocationAttr


_DEPTH_LIMIT = 24


def inlined(  # noqa: PLR0913 - all that a call is
    ctx: Context,
    definition: Any,
    bound: Mapping[int | None, Place],
    cursor: Any,
    *,
    this: Structure | None = None,
    reached: str = "",
    wants_object: bool = False,
    owned: AbstractSet[int | None] = frozenset(),
    prologue: Callable[[], None] | None = None,
) -> Place | None:
    """Read a function with its parameters ``bound``; give what it returns, None where that is nothing.

    ``owned`` are those that are copies of the function's own, ``reached`` is where the caller wants a container or an
    object; with ``wants_object``, a function that returns a
    reference gives the object that it refers to, else its value.
    """
    body = body_of(ctx, definition)
    result = result_of(definition)
    with _reading(ctx, Frame(definition, this, reached, owned=set(owned)), cursor) as frame:
        statements, returns = libclang.children(body), returns_in(body)
        frame.is_direct = not returns or (len(returns) == 1 and statements[-1] == returns[0])
        frame.wants_object = wants_object
        frame.made = returned_variables(definition, returns)
        outside = {identity: ctx.places[identity] for identity in bound if identity in ctx.places}
        ctx.places.update(bound)
        ctx.result = types_of(ctx).read(result) if result is not None else VoidType()
        is_object = result is not None and is_class(result)
        if not frame.is_direct and not is_object:
            if wants_object:
                raise refusal(
                    "reference", ctx.position(cursor), f"`{definition.spelling}` returns one of several objects"
                )
            frame.result = _variable(ctx, definition)
        if prologue is not None:
            prologue()
        statement(ctx, body)
        ctx.places.update(outside)  # what a lambda has a copy of
        if not frame.is_direct:
            at = ctx.location(definition)
            ctx.flow.jump(frame.exit, at)
            ctx.flow.enter(frame.exit)
            if isinstance(frame.result, ComplexLocal) and isinstance(ctx.result, ComplexType):
                return complex_numbers.kept(ctx, frame.result, ctx.result, definition)
            if frame.result is not None and not is_object:
                return contents(ctx, frame.result, definition)
        elif not returns and isinstance(ctx.result, NumberType):
            return ctx.flow.undefined(ir_type(ctx.result), ctx.location(definition))
        return frame.result


@contextmanager
def _reading(ctx: Context, frame: Frame, cursor: Any) -> Iterator[Frame]:
    calls, definition = ctx.calls, frame.definition
    if any(outer.definition == definition for outer in calls.frames):
        raise c_refusal("recursion", ctx.position(cursor), definition.spelling)
    if len(calls.frames) > _DEPTH_LIMIT:
        raise c_refusal("depth", ctx.position(cursor))
    saved = ctx.breaks, ctx.continues, ctx.labels, ctx.result, calls.at, calls.wanted
    frame.call, placed = ctx.location(cursor), ctx.flow.placed
    ctx.breaks, ctx.continues, ctx.labels, calls.wanted = [], [], {}, ""
    if definition.location.file is not None:
        calls.at = ctx.location(cursor) if Path(definition.location.file.name).is_relative_to(INCLUDE) else None
    calls.frames.append(frame)
    ctx.flow.placed = partial(_placed, list(reversed(calls.frames[1:])))
    yield frame
    ctx.flow.placed = placed
    calls.frames.pop()
    ctx.breaks, ctx.continues, ctx.labels, ctx.result, calls.at, calls.wanted = saved


def _placed(frames: Sequence[Frame], location: LocationAttr) -> LocationAttr:
    """Say of a place in a function that is read in place of a call, through which calls it is reached."""
    known = frames[0].placed.get(location)
    if known is None:
        known = location
        for frame in frames:
            assert frame.call is not None
            known = located(known, name_of_function(frame.definition), frame.call)
        frames[0].placed[location] = known
    return known


def name_of_function(definition: Any) -> str:
    """Name a function for a message."""
    return definition.spelling or "the lambda"


def _variable(ctx: Context, definition: Any) -> Place | None:
    """Make the variable that holds what a function returns on one of several ways."""
    at = ctx.location(definition)
    match ctx.result:
        case IntegerType() | FloatType() as ctype:
            return Local(ir_type(ctype), at)
        case ComplexType() as ctype:
            return complex_numbers.local(ctype, at)
        case PointerType(element=inner):
            element, shape = pointee(ctx, inner, definition, definition.spelling)
            known = tuple(extent for extent in shape if extent is not None)
            return PointerLocal(Local(memory_type(element), at), Local(ir_type(LONG), at), known)
        case VoidType():
            return None
    raise refusal("result", ctx.position(definition), definition.spelling)


def body_of(ctx: Context, definition: Any) -> Any:
    """Give the body of a function."""
    bodies = [child for child in libclang.children(definition) if child.kind is CursorKind.COMPOUND_STMT]
    if not bodies:
        raise refusal("exception", ctx.position(definition), "a function that is one `try`, or has no body,")
    return bodies[-1]


_READERS = {"size", "empty", "operator[]", "at", "front", "back", "begin", "end", "data"}
_PARTS = {"real", "imag"}
_STEPS = {"post++", "pre++", "post--", "pre--"}
_EFFECTS = {CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.CXX_NEW_EXPR, CursorKind.CXX_DELETE_EXPR}
_EFFECTS |= {CursorKind.CXX_THROW_EXPR, CursorKind.LAMBDA_EXPR}


def is_pure(cursor: Any, depth: int = 8) -> bool:
    """Whether reading an expression, or the body of a function, has no effects; no is the answer in doubt."""
    kind = cursor.kind
    if kind in _EFFECTS:
        return False
    if kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(cursor) == "=":
        return False
    if kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(cursor) in _STEPS:
        return False
    if kind is CursorKind.CALL_EXPR and not _is_pure_function(cursor.referenced, depth):
        return False
    return all(is_pure(child, depth) for child in libclang.children(cursor))


def _is_pure_function(function: Any, depth: int) -> bool:
    if function is None or depth == 0:
        return False
    definition = function.get_definition()
    if is_of_complex(function):
        return function.kind is not CursorKind.CXX_METHOD or function.spelling in _PARTS
    if definition is not None:
        return is_pure(definition, depth - 1)
    if function.kind is CursorKind.CXX_METHOD:
        return in_std(function) and function.spelling in _READERS
    return function.kind is CursorKind.FUNCTION_DECL and is_math_function(function.spelling)
