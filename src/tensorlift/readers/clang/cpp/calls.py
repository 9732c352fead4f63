"""Calls of C++: what a function is given, and which function that is.

As a function is read in place of its call, its parameters are bound: a reference is the object that it refers to, a
number that is passed by value is a variable of its own.  Where a reference to a constant is bound to what is no object
that can be named, such as the larger of two, it is bound to the value, which is the same only if the function that is
called has no effects.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind, TypeKind
from xdsl.ir import SSAValue

from tensorlift.diagnostics import LiftError, called_from
from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.class_rules import require_class, require_plain_ending
from tensorlift.frontends.cpp.cpp_types import (
    fields_of,
    in_std,
    is_class,
    is_of_complex,
    is_reference,
    without_reference,
)
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import (
    are_alike,
    argument_for,
    arguments_of,
    constructor_in,
    default_of,
    is_constructor,
    is_implicit,
    names_method,
    parameters_of,
    returned_expression,
    unwrapped,
    written_arguments,
)
from tensorlift.ops.c_types import FloatType
from tensorlift.readers.clang import calls as c_calls
from tensorlift.readers.clang.context import (
    Container,
    Context,
    Lambda,
    Place,
    Structure,
    StructurePointer,
    Value,
    value,
)
from tensorlift.readers.clang.cpp.arguments import Home, location, types_of
from tensorlift.readers.clang.cpp.complex_calls import of_complex
from tensorlift.readers.clang.cpp.containers import copied, swap
from tensorlift.readers.clang.cpp.inlining import inlined, is_pure, name_of_function
from tensorlift.readers.clang.cpp.objects import assign_object, copied_object, declared_member, number
from tensorlift.readers.clang.cpp.vectors import is_new, made, method, overwrite, row, subscript
from tensorlift.readers.clang.expressions import converted, place
from tensorlift.readers.clang.objects import contents

if TYPE_CHECKING:
    from collections.abc import Sequence


_MOVES = {"move", "forward"}
_STREAMS = {"operator<<", "operator>>"}
_EXTREMES = {"min": "<", "max": ">"}
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONVERSION_FUNCTION}
_VARIABLES = {CursorKind.VAR_DECL, CursorKind.PARM_DECL}
_NAMES = {CursorKind.ARRAY_SUBSCRIPT_EXPR, CursorKind.MEMBER_REF_EXPR}
_LITERALS = {CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL, CursorKind.CXX_BOOL_LITERAL_EXPR}
_CASTS = {CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR, CursorKind.CXX_FUNCTIONAL_CAST_EXPR}


def called(ctx: Context, cursor: Any, *, wants_object: bool = False) -> Place | None:
    """Read a call; with ``wants_object`` give the object that a reference refers to, and not its value."""
    reached, ctx.calls.wanted = ctx.calls.wanted, ""
    declaration = cursor.referenced
    if declaration is None:
        raise refusal("callable", ctx.position(cursor), "a call of what is no function by name")
    if is_of_complex(declaration):
        return of_complex(ctx, cursor, wants_object=wants_object)
    if is_constructor(cursor):
        return _temporary(ctx, cursor, reached)
    if declaration.kind in _VARIABLES:
        known = ctx.places.get(declaration.data[0])
        if not isinstance(known, Lambda):
            raise refusal("callable", ctx.position(cursor), f"a call through the pointer `{declaration.spelling}`")
        return _inlined(
            ctx, cursor, known.cursor, list(cursor.get_arguments()), known, reached, wants_object=wants_object
        )
    if declaration.kind not in _FUNCTIONS:
        raise refusal("class", ctx.position(cursor), f"`{declaration.spelling}`")
    return _function_called(ctx, cursor, reached, wants_object=wants_object)


def _function_called(ctx: Context, cursor: Any, reached: str, *, wants_object: bool) -> Place | None:
    declaration, receiver = cursor.referenced, _receiver(ctx, cursor)
    if isinstance(receiver, Container):
        return _container_call(ctx, receiver, cursor, wants_object=wants_object)
    arguments = arguments_of(cursor)
    if isinstance(receiver, Lambda):
        return _inlined(ctx, cursor, receiver.cursor, arguments, receiver, reached, wants_object=wants_object)
    definition = declaration.get_definition()
    if isinstance(receiver, Structure) and cursor.spelling == "operator=" and is_implicit(declaration):
        return _assigned(ctx, receiver, arguments[0], cursor)
    if definition is None:
        return _library(ctx, cursor, declaration, wants_object=wants_object)
    is_method = declaration.kind is not CursorKind.FUNCTION_DECL and not declaration.is_static_method()
    if is_method and (not isinstance(receiver, Structure) or declaration.is_virtual_method()):
        raise refusal("class", ctx.position(cursor), f"`{declaration.spelling}`")
    return _inlined(ctx, cursor, definition, arguments, receiver, reached, wants_object=wants_object)


def value_of_call(ctx: Context, cursor: Any) -> Value:
    """Read a call for its value."""
    found = called(ctx, cursor)
    if found is None:
        raise ctx.refusal("expression", cursor, "a value of type `void`")
    return contents(ctx, found, cursor)


def object_of_call(ctx: Context, cursor: Any) -> Place:
    """Read a call for the object that it gives."""
    found = called(ctx, cursor, wants_object=True)
    if found is None or isinstance(found, SSAValue):
        raise refusal("reference", ctx.position(cursor), "an object is named by what gives a value")
    return found


def whole_object(ctx: Context, cursor: Any) -> Value:
    """Read an expression of class type, or a pointer to an object for the object."""
    found = value(ctx, cursor)
    return found.target if isinstance(found, StructurePointer) else found


def _receiver(ctx: Context, cursor: Any) -> Value | None:
    """Give the object whose member function is called; None for other functions."""
    if cursor.referenced.kind is CursorKind.FUNCTION_DECL or cursor.referenced.is_static_method():
        return None
    children = libclang.children(cursor)
    if not children:
        return None
    if not names_method(children[0]):
        return whole_object(ctx, children[0])
    inner = libclang.children(children[0])
    return whole_object(ctx, inner[0]) if inner else ctx.calls.frames[-1].this


def _container_call(ctx: Context, found: Container, cursor: Any, *, wants_object: bool) -> Place | None:
    arguments = arguments_of(cursor)
    if cursor.spelling == "operator=":
        overwrite(ctx, found, arguments[0], cursor)
        return found
    selected = subscript(ctx, found, cursor, arguments)
    if selected is None:
        return method(ctx, found, cursor, arguments)
    return selected if wants_object else contents(ctx, selected, cursor)


def _assigned(ctx: Context, target: Structure, argument: Any, cursor: Any) -> Structure:
    source = whole_object(ctx, argument)
    if not isinstance(source, Structure):
        raise refusal("class", ctx.position(cursor), "an object is assigned what is none")
    assign_object(ctx, target, source, without_reference(cursor.type), cursor)
    return target


def _library(ctx: Context, cursor: Any, declaration: Any, *, wants_object: bool) -> Place | None:
    """Read the call of a function without a body."""
    name, arguments = declaration.spelling, list(cursor.get_arguments())
    if in_std(declaration) and name in _MOVES:
        return place(ctx, arguments[0]) if wants_object else value(ctx, arguments[0])
    if in_std(declaration) and name == "swap":
        one, other = (value(ctx, argument) for argument in arguments)
        if isinstance(one, Container) and isinstance(other, Container):
            swap(ctx, one, other, ctx.location(cursor))
            return None
    if in_std(declaration) and name in _STREAMS:
        raise refusal("output", ctx.position(cursor), ctx.words(cursor)[:40])
    ctype = types_of(ctx).read(cursor.type)
    if name == "abs" and isinstance(ctype, FloatType):
        return c_calls.mathematical(ctx, cursor, "fabs")
    if name == "abs" and not in_std(declaration) and isinstance(ctx.type_of(unwrapped(arguments[0])), FloatType):
        raise refusal("abs", ctx.position(cursor), name)
    if in_std(declaration) and name in _EXTREMES and len(arguments) == 1:
        return _extreme(ctx, cursor, unwrapped(arguments[0]))
    if in_std(declaration) and not c_calls.is_known(name):
        raise refusal("call", ctx.position(cursor), f"std::{name}")
    return c_calls.call(ctx, cursor)


def _extreme(ctx: Context, cursor: Any, listed: Any) -> SSAValue:
    """Read ``std::min({a, b, c})``, which gives the first of those that none is less than, or ``std::max``."""
    ctype, at = types_of(ctx).read(cursor.type), ctx.location(cursor)
    items = libclang.children(listed)
    if listed.kind is not CursorKind.INIT_LIST_EXPR or not items:
        raise refusal("call", ctx.position(cursor), f"std::{cursor.spelling}")
    best, *others = (converted(ctx, item, ctype) for item in items)
    assert isinstance(best, SSAValue)
    for other in others:
        assert isinstance(other, SSAValue)
        is_better = ctx.comparison(_EXTREMES[cursor.spelling], other, best, ctype, at)
        best = ctx.operation("arith.select", (is_better, other, best), best.type, at)
    return best


# What is passed.


def _inlined(  # noqa: PLR0913, PLR0917 - all that a call is
    ctx: Context,
    cursor: Any,
    definition: Any,
    arguments: Sequence[Any],
    receiver: Value | None,
    reached: str,
    *,
    wants_object: bool,
) -> Place | None:
    this = receiver.this if isinstance(receiver, Lambda) else receiver
    captured = receiver.captured if isinstance(receiver, Lambda) else {}
    given, place_of_call = _bound(ctx, definition, arguments), ctx.position(cursor)
    try:
        return inlined(
            ctx,
            definition,
            {**captured, **given.places},
            cursor,
            this=this if isinstance(this, Structure) else None,
            reached=reached,
            wants_object=wants_object and _gives_reference(definition),
            owned=given.copies,
        )
    except LiftError as error:
        note = called_from(name_of_function(definition), place_of_call)
        raise LiftError(*(replace(item, notes=(*item.notes, note)) for item in error.diagnostics)) from error


def _gives_reference(definition: Any) -> bool:
    return definition.kind is not CursorKind.LAMBDA_EXPR and is_reference(definition.result_type)


class _Bound(NamedTuple):
    """The parameters of a function, and which of them are copies that belong to it."""

    places: dict[int | None, Place]
    copies: set[int | None]


def _bound(ctx: Context, definition: Any, arguments: Sequence[Any]) -> _Bound:
    """Bind the parameters of a function to what it is given."""
    found = _Bound({}, set())
    for position, parameter in enumerate(parameters_of(definition)):
        given, identity = argument_for(parameter, position, arguments), parameter.data[0]
        if given is None:
            raise refusal("class", ctx.position(parameter), f"the parameter `{parameter.spelling}` without a value")
        found.places[identity] = _passed(ctx, definition, parameter, given)
        if is_class(parameter.type) and not is_reference(parameter.type):
            require_plain_ending(parameter.type, ctx.position(parameter))
            if not _is_own(given) and ctx.calls.uses.changes(definition, parameter):
                found.places[identity] = own_copy(ctx, parameter, found.places[identity], "")
                found.copies.add(identity)
    return found


def _passed(ctx: Context, definition: Any, parameter: Any, given: Any) -> Place:
    passed = without_reference(parameter.type)
    if passed.kind is TypeKind.POINTER and passed.get_pointee().get_canonical().kind is TypeKind.FUNCTIONPROTO:
        return _function(ctx, given)
    if is_class(passed):
        return _object_passed(ctx, parameter, given)
    if is_reference(parameter.type):
        return reference(ctx, parameter, given, is_free=is_pure(definition))
    return number(ctx, parameter.type, given, Home(parameter.spelling, "", ctx.location(parameter)))


def _is_own(given: Any) -> bool:
    """Whether what is passed by value is made for the function, and is no copy of what has a name."""
    inner = constructor_in(given)
    if inner is None or inner.kind is CursorKind.INIT_LIST_EXPR:
        return True
    arguments = written_arguments(inner)
    if is_constructor(inner) and len(arguments) == 1 and are_alike(arguments[0].type, inner.type):
        is_own = not in_std(inner.referenced) and not is_implicit(inner.referenced)
        return is_own or is_new(arguments[0])
    return is_new(inner)


def _object_passed(ctx: Context, parameter: Any, given: Any) -> Place:
    kind = types_of(ctx).container(parameter.type)
    if kind is not None:
        return row(ctx, "temporary", kind, given)
    inner = constructor_in(given)
    if inner is not None and inner.kind is CursorKind.INIT_LIST_EXPR:
        return construct(ctx, parameter.type, given, Home("temporary", "", ctx.location(given)))
    if inner is not None and is_constructor(inner) and len(list(inner.get_arguments())) == 1:
        (only,) = inner.get_arguments()
        if is_implicit(inner.referenced) and are_alike(only.type, parameter.type):
            inner = only
    return whole_object(ctx, given if inner is None else inner)


def own_copy(ctx: Context, parameter: Any, found: Place, reached: str) -> Place:
    """Copy what is passed by value, and changed."""
    home = Home(parameter.spelling, reached, ctx.location(parameter))
    if isinstance(found, Container):
        return copied(ctx, found, home)
    if isinstance(found, Structure):
        return copied_object(ctx, found, without_reference(parameter.type), home)
    return found


def _function(ctx: Context, given: Any) -> Lambda:
    named = unwrapped(given).referenced
    definition = named.get_definition() if named is not None else None
    if definition is not None and definition.kind is CursorKind.FUNCTION_DECL:
        return Lambda(definition)
    known = ctx.places.get(named.data[0]) if named is not None else None
    if not isinstance(known, Lambda):
        raise refusal("callable", ctx.position(given), "a function that is not known")
    return known


def reference(ctx: Context, variable: Any, given: Any, *, is_free: bool) -> Place:
    """Bind a reference to a number; ``is_free`` where nothing changes as long as it is used."""
    inner = _named(ctx, given, variable.type)
    if _names_object(inner):
        return place(ctx, inner)
    if not (is_free or _is_temporary(ctx, given, variable.type)):
        detail = f"`{variable.spelling}` refers to no variable or element by its name"
        raise refusal("reference", ctx.position(given), detail)
    return converted(ctx, given, types_of(ctx).read(variable.type))


def _named(ctx: Context, cursor: Any, clang_type: Any) -> Any:
    """Take off what changes no more of an expression than whether it is constant."""
    ctype = types_of(ctx).read(clang_type)
    while cursor.kind in {CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR}:
        children = libclang.expressions(cursor)
        if len(children) != 1 or types_of(ctx).of(children[0]) != ctype:
            break
        cursor = children[0]
    return cursor


def _names_object(cursor: Any) -> bool:
    """Whether an expression names an object that can be told before the program runs."""
    if cursor.kind is CursorKind.DECL_REF_EXPR:
        return cursor.referenced is not None and cursor.referenced.kind in _VARIABLES
    if cursor.kind is CursorKind.UNARY_OPERATOR:
        return libclang.unary_operator(cursor) == "*"
    if cursor.kind is not CursorKind.CALL_EXPR or cursor.referenced is None:
        return cursor.kind in _NAMES
    function = cursor.referenced
    if not is_reference(function.result_type):
        return False
    definition = function.get_definition()
    if definition is None:
        return in_std(function) and (function.kind is CursorKind.CXX_METHOD or function.spelling in _MOVES)
    returned = returned_expression(definition)
    return returned is not None and _names_object(unwrapped(returned))


def _is_temporary(ctx: Context, cursor: Any, clang_type: Any) -> bool:
    """Whether an expression is no object, but a value, for which a temporary one is made."""
    inner = _named(ctx, cursor, clang_type)
    match inner.kind:
        case CursorKind.BINARY_OPERATOR:
            return libclang.binary_operator(inner) not in {"=", ","}
        case CursorKind.UNARY_OPERATOR:
            return libclang.unary_operator(inner) in {"+", "-", "~", "!", "post++", "post--", "&"}
        case CursorKind.CALL_EXPR:
            return inner.referenced is not None and not is_reference(inner.referenced.result_type)
        case CursorKind.UNEXPOSED_EXPR:
            return True  # a conversion to another type
    return inner.kind in _LITERALS or (inner.kind in _CASTS and not is_reference(inner.type))


# Objects.


def _temporary(ctx: Context, cursor: Any, reached: str) -> Place:
    kind, home = types_of(ctx).container(cursor.type), Home("temporary", reached, ctx.location(cursor))
    return construct(ctx, cursor.type, cursor, home) if kind is None else made(ctx, kind, cursor, home)


def construct(ctx: Context, clang_type: Any, initial: Any, home: Home) -> Structure:
    """Make a local object from its initialiser."""
    record, inner = without_reference(clang_type), constructor_in(initial)
    require_class(record, location(home.at))
    require_plain_ending(record, location(home.at))
    if inner is None:
        return _of_members(ctx, record, [], home)
    if inner.kind is CursorKind.INIT_LIST_EXPR:
        return _of_members(ctx, record, libclang.children(inner), home, zero=True)
    if not is_constructor(inner):
        return _taken(ctx, record, inner, home)
    arguments = written_arguments(inner)
    if len(arguments) == 1 and is_implicit(inner.referenced) and are_alike(arguments[0].type, record):
        return _taken(ctx, record, arguments[0], home)
    definition = inner.referenced.get_definition()
    if definition is not None and any(c.kind is CursorKind.COMPOUND_STMT for c in libclang.children(definition)):
        return _constructed(ctx, definition, arguments, inner, record, home)
    if arguments:
        raise refusal("class", ctx.position(inner), f"the constructor of `{home.name}` is not defined in this file")
    return _of_members(ctx, record, [], home)


def _constructed(  # noqa: PLR0913, PLR0917 - a call, and what it makes
    ctx: Context, definition: Any, arguments: Sequence[Any], cursor: Any, record: Any, home: Home
) -> Structure:
    """Read a constructor in place: the members in their order, then its body."""
    found, given = Structure({}), _initialisers(ctx, definition)
    bound = _bound(ctx, definition, arguments)

    def begin() -> None:
        for field in fields_of(record):
            item = given.get(field.spelling, default_of(field))
            found.members[field.spelling] = _made_member(ctx, field, item, home)

    inlined(ctx, definition, bound.places, cursor, this=found, owned=bound.copies, prologue=begin)
    return found


def _taken(ctx: Context, record: Any, cursor: Any, home: Home) -> Structure:
    """Copy an object, or take over a new one."""
    ctx.calls.wanted = home.reached
    found = whole_object(ctx, cursor)
    ctx.calls.wanted = ""
    if not isinstance(found, Structure):
        raise refusal("class", ctx.position(cursor), f"this initialiser of `{home.name}`")
    return found if is_new(cursor) else copied_object(ctx, found, record, home)


def _initialisers(ctx: Context, constructor: Any) -> dict[str, Any]:
    """Give the initial values that a constructor spells, by the names of the members."""
    given: dict[str, Any] = {}
    inner = libclang.children(constructor)
    for position, child in enumerate(inner):
        if child.kind is CursorKind.MEMBER_REF:
            given[child.spelling] = inner[position + 1]
        elif child.kind is CursorKind.TYPE_REF:
            raise refusal("class", ctx.position(child), "a constructor that calls another one")
    return given


def _of_members(ctx: Context, record: Any, items: Sequence[Any], home: Home, *, zero: bool = False) -> Structure:
    """Make an object from the initial values of its members, in their order; with ``zero`` those left out are 0."""
    found = Structure({})
    for position, field in enumerate(fields_of(record)):
        item = items[position] if position < len(items) else default_of(field)
        found.members[field.spelling] = _made_member(ctx, field, item, home, zero=zero)
    return found


def _made_member(ctx: Context, field: Any, item: Any, home: Home, *, zero: bool = False) -> Place:
    own = home.member(field.spelling)
    found = declared_member(ctx, field, item, own, zero=zero)
    return construct(ctx, field.type, item, own) if found is None else found
