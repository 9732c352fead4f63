"""Reading a C++ function literally: one module that holds it, with what it calls read in place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from tensorlift.diagnostics import LiftError, internal_error
from tensorlift.frontends.cpp.cpp_types import CppTypes, is_class, is_reference
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.returned import returned_variables, returns_in
from tensorlift.frontends.cpp.syntax import parameters_of
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.literal_function import literal_function
from tensorlift.ir.prototype import RETURNED
from tensorlift.ops.c_types import VOID, ComplexType, NumberType, OtherType
from tensorlift.readers.clang.context import C, Context, Frame, Rules
from tensorlift.readers.clang.cpp.arguments import parameter
from tensorlift.readers.clang.cpp.calls import own_copy
from tensorlift.readers.clang.cpp.expressions import EFFECTS, PLACES, VALUES
from tensorlift.readers.clang.cpp.inlining import body_of
from tensorlift.readers.clang.cpp.statements import STATEMENTS
from tensorlift.readers.clang.nulls import take_null
from tensorlift.readers.clang.reader import reading_of
from tensorlift.readers.clang.statements import statement
from tensorlift.readers.flow import FlowGraph

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Attribute

    from tensorlift.frontends.cpp.instances import Instance
    from tensorlift.frontends.cpp.reader import ParsedCpp

_CPP = Rules(C.values | VALUES, C.places | PLACES, C.effects | EFFECTS, C.statements | STATEMENTS)


def literal_cpp_module(file: ParsedCpp, instance: Instance) -> ModuleOp:
    """Read one function or instance of a template; raises ``LiftError`` where that is refused."""
    parsed, cursor = file.parsed, instance.cursor
    reading = reading_of(parsed, CppTypes(), _CPP)
    found = parsed.within(cursor)
    if found:
        raise LiftError(*found)
    ctx = Context(reading.unit, FlowGraph(Block()), reading.unit.types.read(cursor.result_type))
    try:
        function = _function(ctx, cursor, instance.name)
    except LiftError:
        raise
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        raise LiftError(internal_error(error, ctx.position(cursor))) from error
    return ModuleOp([*reading.globals.values(), function])


def _function(ctx: Context, cursor: Any, name: str) -> FuncOp:
    """Read parameters and body of a function."""
    body, result = body_of(ctx, cursor), cursor.result_type
    if is_reference(result):
        raise refusal("reference-result", ctx.position(cursor), cursor.spelling)
    results: list[Attribute] = []
    if is_class(result):
        ctx.result = VOID
    elif isinstance(ctx.result, NumberType):
        results = [ir_type(ctx.result)]
    elif isinstance(ctx.result, OtherType):
        raise ctx.refusal(ctx.result.kind, cursor, ctx.result.spelling)
    elif ctx.result != VOID and not isinstance(ctx.result, ComplexType):
        raise refusal("result", ctx.position(cursor), cursor.spelling)
    frame = Frame(cursor, reached=RETURNED, made=returned_variables(cursor, returns_in(body)))
    ctx.calls.frames.append(frame)
    for declared in parameters_of(cursor):
        _parameter(ctx, frame, declared)
    statement(ctx, body)
    at = ctx.location(cursor)
    ctx.flow.leave([ctx.flow.undefined(of_type, at) for of_type in results if ctx.flow.current.is_live], at)
    blocks = ctx.flow.finish()
    for check in ctx.checks:
        check()
    function = literal_function(name, list(ctx.calls.arguments), results, blocks, at)
    for _, error in take_null({name: function}):
        raise error
    return function


def _parameter(ctx: Context, frame: Frame, cursor: Any) -> None:
    """Bind a parameter; an object that is passed by value, and changes, is copied."""
    identity, found = cursor.data[0], parameter(ctx, cursor)
    is_object = is_class(cursor.type) and not is_reference(cursor.type)
    if is_object and ctx.calls.uses.changes(frame.definition, cursor):
        found = own_copy(ctx, cursor, found, frame.reached if identity in frame.made else "")
        frame.owned.add(identity)
    ctx.places[identity] = found
