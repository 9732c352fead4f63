"""Calls: of functions of the project, of <math.h>, of what manages memory, and of what ends the program."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.func import CallOp
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.math_functions import (
    CLASSIFICATIONS,
    TO_INTEGER,
    base_name,
    is_math_function,
    operation_of,
)
from tensorlift.frontends.c.member_facts import fields
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.literal_function import TELLS, WRITES
from tensorlift.ops.c_types import (
    PARTS,
    UNSIGNED_LONG,
    ComplexType,
    CType,
    FloatType,
    IntegerType,
    NumberType,
    PointerType,
    VoidType,
    is_structure,
)
from tensorlift.readers.clang.complex_numbers import applied, both, function_of
from tensorlift.readers.clang.context import (
    C,
    Cell,
    Complex,
    Context,
    Place,
    Pointer,
    Structure,
    StructurePointer,
    Value,
    memory_type,
    misused,
    pointee,
    value,
)
from tensorlift.readers.clang.expressions import converted
from tensorlift.readers.clang.library import LIBRARY, without_void
from tensorlift.readers.clang.members import is_table, leads_out, members, selected
from tensorlift.readers.clang.objects import contents
from tensorlift.readers.clang.returned import returned_structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import Attribute

_CONSTANTS = ("__builtin_inf", "__builtin_nan", "__builtin_huge_val")
_ENDINGS = {
    "__assert_fail": "assert", "__assert": "assert", "__assert_rtn": "assert", "__builtin_trap": "__builtin_trap",
    "__builtin_unreachable": "__builtin_unreachable", "abort": "abort", "exit": "exit", "_exit": "_exit",
    "_Exit": "_Exit", "quick_exit": "quick_exit", "__builtin_abort": "abort", "__assert_perror_fail": "assert",
}  # fmt: skip
HEAP = {"realloc", "aligned_alloc", "posix_memalign"}
_OUTPUT = {"printf", "fprintf", "sprintf", "snprintf", "puts", "putchar", "fputs", "scanf", "fscanf", "fopen", "fclose"}
_OUTPUT |= {"fread", "fwrite", "fflush", "perror", "fgets", "getchar", "sscanf"}
_REFUSED = {
    **dict.fromkeys(HEAP, "heap"),
    **dict.fromkeys(_OUTPUT, "output"),
    "memcmp": "memory-call",
    "setjmp": "call",
}


def call(ctx: Context, cursor: Any) -> Value | None:
    """Read a call; None where it gives no value."""
    name, at = cursor.spelling, ctx.location(cursor)
    declaration = cursor.referenced
    if declaration is None or declaration.kind is not CursorKind.FUNCTION_DECL:
        raise ctx.refusal("function-pointer", cursor)
    definition = declaration.get_definition()
    if definition is not None and not (libclang.is_variadic(definition.type) and _tells(cursor)):
        return _own(ctx, cursor, definition)
    if name.startswith(_CONSTANTS):
        found, ctype = libclang.evaluate(cursor), ctx.type_of(cursor)
        if found is None or not isinstance(ctype, FloatType):
            raise ctx.refusal("call", cursor, name)
        return ctx.constant(found, ctype, at)
    if function_of(name) and isinstance(ctx.type_of(cursor), NumberType | ComplexType):
        return _of_complex(ctx, cursor, function_of(name))
    if name == "__builtin_complex":
        return _made_complex(ctx, cursor)
    if is_math_function(name) and isinstance(ctx.type_of(cursor), NumberType):
        return mathematical(ctx, cursor, base_name(name))
    library = LIBRARY.get(name) or LIBRARY.get(name.removeprefix("__builtin_"))
    if library is not None:
        return library(ctx, cursor)
    if name in _ENDINGS or _tells(cursor):
        tells = f"{WRITES if name in _OUTPUT else TELLS} by `{name}`"
        says = f"the program ends by `{_ENDINGS[name]}`" if name in _ENDINGS else tells
        message = StringAttr(says)
        ctx.flow.add(AssertOp.create(operands=(ctx.truth(0, at),), properties={"msg": message}, location=at))
        return None
    return _of_project(ctx, cursor, declaration)


def _of_project(ctx: Context, cursor: Any, declaration: Any) -> Value | None:
    """Read a call of what another file of the project defines."""
    definition = ctx.unit.definition(declaration)
    if not isinstance(definition, str):
        return _own(ctx, cursor, definition)
    if definition:
        raise ctx.refusal("elsewhere", cursor, definition)
    _unknown(ctx, cursor, cursor.spelling)
    return None


def _unknown(ctx: Context, cursor: Any, name: str) -> None:
    """Refuse a call of what is not read, unless it is output where nothing comes."""
    if name not in _OUTPUT or ctx.flow.current.is_live:
        reason = _REFUSED.get(name, "call")
        raise ctx.refusal(reason, cursor, f"`{name}`" if reason == "memory-call" else name)


def _tells(cursor: Any) -> bool:
    """Whether a call hands on a text, or writes to ``stderr``, as one that tells of an error does.

    What is lifted does not come to it.
    """
    name, given = cursor.spelling, [without_void(argument) for argument in cursor.get_arguments()]
    if name in _OUTPUT:
        return name == "perror" or any(argument.spelling == "stderr" for argument in given)
    if name in _REFUSED or is_known(name):
        return False
    return any(argument.kind is CursorKind.STRING_LITERAL for argument in given)


def is_ending(cursor: Any) -> bool:
    """Whether a statement is a call that ends the program."""
    return _is_of_library(cursor) and cursor.spelling in _ENDINGS


def is_assertion(cursor: Any) -> bool:
    """Whether a statement is the call that an assertion makes which fails."""
    return is_ending(cursor) and _ENDINGS[cursor.spelling] == "assert"


def is_output(cursor: Any) -> bool:
    """Whether a statement is a call of the library that reads or writes files."""
    return _is_of_library(cursor) and cursor.spelling in _OUTPUT


def _is_of_library(cursor: Any) -> bool:
    called = cursor.referenced if cursor.kind is CursorKind.CALL_EXPR else None
    return called is not None and called.get_definition() is None


def is_known(name: str) -> bool:
    """Whether a function of a library is read."""
    return (
        is_math_function(name)
        or bool(function_of(name))
        or not LIBRARY.keys().isdisjoint({name, name.removeprefix("__builtin_")})
        or name in _ENDINGS
    )


def _value_of_call(ctx: Context, cursor: Any) -> Value:
    found = call(ctx, cursor)
    if found is None:
        raise ctx.refusal("expression", cursor, "a value of type `void`")
    return found


def _own(ctx: Context, cursor: Any, definition: Any) -> Value | None:
    """Call a function of the project; a pointer is passed as its memory and its offset, and returned so."""
    if libclang.is_weak(definition):
        raise ctx.refusal("elsewhere", cursor, f"`{cursor.spelling}` is weak, so that another one may be linked")
    name, at = cursor.spelling, ctx.location(cursor)
    parameters, arguments = list(definition.get_arguments()), list(cursor.get_arguments())
    if len(parameters) != len(arguments):
        raise ctx.refusal("variadic", cursor, name)
    symbol = ctx.unit.function(definition)
    ctx.callees.setdefault(symbol, cursor)
    if ctx.left_out is not None:
        ctx.left_out.note_call(symbol)
    passed: list[SSAValue] = []
    given: dict[Any, Value] = {}
    for parameter, argument in zip(parameters, arguments, strict=True):
        found, ctype = converted(ctx, argument, ctx.type_of(parameter)), ctx.type_of(parameter)
        given[parameter.data[0]] = found
        if isinstance(found, Structure | StructurePointer):
            passed += _members(ctx, found, definition, parameter, argument)
        else:
            passed += _parts(ctx, found, ctype, argument)
    ctype = ctx.type_of(cursor)
    results = result_types(ctx, ctype, definition)
    called = {"callee": SymbolRefAttr(symbol)}
    made = CallOp.create(operands=passed, result_types=results, properties=called, location=at)
    ctx.flow.add(made)
    if isinstance(ctype, ComplexType):
        re, im = made.results
        return Complex(re, im, ctype.part)
    if isinstance(ctype, PointerType) and is_structure(ctype):
        return given[returned_structure(definition, ctx.unit.known).data[0]]
    if is_structure(ctype):
        return _returned(ctx, cursor.type, iter(made.results))
    if len(results) > 1:
        assert isinstance(ctype, PointerType)
        _, shape = pointee(ctx, ctype.element, cursor, name)
        return Pointer(made.results[0], made.results[1], tuple(extent for extent in shape if extent is not None))
    return made.results[0] if results else None


def _returned(ctx: Context, record: Any, results: Iterator[SSAValue]) -> Structure:
    """Give a structure that a call returns, member by member."""
    made: dict[str, Place] = {}
    for field in fields(record):
        ctype = ctx.unit.types.read(field.type)
        if fields(field.type):
            made[field.spelling] = _returned(ctx, field.type, results)
        elif isinstance(ctype, PointerType):
            made[field.spelling] = Pointer(next(results), next(results))
        elif isinstance(ctype, ComplexType):
            made[field.spelling] = Complex(next(results), next(results), ctype.part)
        else:
            made[field.spelling] = next(results)
    return Structure(made)


def flattened(ctx: Context, found: Value, ctype: CType, cursor: Any, record: Any) -> list[SSAValue]:
    """Give what is returned: a number, the two parts of a pointer, or what the members of a structure are."""
    if not isinstance(found, Structure):
        return _parts(ctx, found, ctype, cursor)
    parts: list[SSAValue] = []
    for field in fields(record):
        inner = ctx.unit.types.read(field.type)
        member = contents(ctx, selected(ctx, found, field.spelling, cursor), cursor)
        parts += flattened(ctx, member, inner, cursor, field.type)
    return parts


def _parts(ctx: Context, found: Value, ctype: CType, cursor: Any) -> list[SSAValue]:
    """Give what is passed for a number or a pointer."""
    match found:
        case SSAValue():
            return [found]
        case Complex():
            return [*both(ctx, found, ctx.location(cursor))]
        case Pointer(together=together) if together:
            raise leads_out(ctx, cursor)
        case Pointer(base, offset, shape):
            return [base, offset, *(ctx.extent(extent, ctx.location(cursor)) for extent in shape if is_table(ctype))]
    raise misused(ctx, found, cursor, "")


def _members(
    ctx: Context, found: Structure | StructurePointer, function: Any, parameter: Any, cursor: Any
) -> list[SSAValue]:
    """Give what is passed for the members that a function takes of a structure."""
    passed: list[SSAValue] = []
    for member in members(ctx, function, parameter):
        place: Place = found.target if isinstance(found, StructurePointer) else found
        for name in member.way:
            place = place.target if isinstance(place, StructurePointer) else place
            assert isinstance(place, Structure)
            place = selected(ctx, place, name, cursor)
        if not member.is_memory:
            passed += _parts(ctx, contents(ctx, place, cursor), member.ctype, cursor)
        elif isinstance(place, Cell):
            passed += [place.pointer.base, place.pointer.offset]
        else:
            raise ctx.refusal("address", cursor, ".".join(member.way))
    return passed


def result_types(ctx: Context, ctype: CType, cursor: Any) -> list[Attribute]:
    """Give the types of what a function returns: nothing, a scalar, or the two parts of a pointer."""
    if isinstance(ctype, VoidType):
        return []
    if isinstance(ctype, NumberType):
        return [ir_type(ctype)]
    if isinstance(ctype, ComplexType):
        return [ir_type(ctype.part)] * PARTS
    if isinstance(ctype, PointerType) and not is_structure(ctype):
        element, shape = pointee(ctx, ctype.element, cursor, ctype.spelling)
        if None not in shape:
            return [memory_type(element), ir_type(UNSIGNED_LONG)]
    is_function = cursor.kind is CursorKind.FUNCTION_DECL
    record = cursor.result_type if is_function else cursor.type
    if is_function and isinstance(ctype, PointerType) and is_structure(ctype):
        if returned_structure(cursor, ctx.unit.known) is None:
            raise ctx.refusal("struct-result", cursor, ctype.spelling)
        return []
    if is_structure(ctype) and fields(record):
        found = [result_types(ctx, ctx.unit.types.read(field.type), field) for field in fields(record)]
        return [one for types in found for one in types]
    raise ctx.refusal(getattr(ctype, "kind", "type"), cursor, ctype.spelling)


def mathematical(ctx: Context, cursor: Any, name: str) -> Value:
    """Read a call of <math.h>; what classifies a float gives an ``int``, or a ``bool``, and ``lrint`` a ``long``."""
    at, ctype = ctx.location(cursor), ctx.type_of(cursor)
    arguments = list(cursor.get_arguments())
    if name in CLASSIFICATIONS:
        return _classified(ctx, name, arguments[0], ctype, at)
    computed = ctx.type_of(arguments[0]) if name in TO_INTEGER else ctype
    if name in TO_INTEGER and not isinstance(computed, FloatType):
        raise ctx.refusal("call", cursor, name)
    operands = [converted(ctx, argument, computed) for argument in arguments]
    assert isinstance(computed, NumberType)
    found = ctx.operation(
        operation_of(name), [operand for operand in operands if isinstance(operand, SSAValue)], ir_type(computed), at
    )
    return ctx.converted(found, computed, ctype, at)


def _classified(ctx: Context, name: str, argument: Any, result: CType, at: FileLineColLoc) -> Value:
    ctype = ctx.type_of(argument)
    found = converted(ctx, argument, ctype)
    assert isinstance(result, IntegerType)
    if not isinstance(ctype, FloatType) or not isinstance(found, SSAValue):
        raise ctx.refusal("call", argument, name)
    if name == "isinf_sign":
        signs = (ctx.comparison("==", found, ctx.constant(s * math.inf, ctype, at), ctype, at) for s in (1, -1))
        above, below = (ctx.operation("arith.extui", (sign,), ir_type(result), at) for sign in signs)
        return ctx.operation("arith.subi", (above, below), ir_type(result), at)
    if name == "isnan":
        truth = ctx.comparison("!=", found, found, ctype, at)
    else:
        size = ctx.operation("math.absf", (found,), ir_type(ctype), at)
        infinity = ctx.constant(math.inf, ctype, at)
        truth = ctx.comparison("==" if name == "isinf" else "<", size, infinity, ctype, at)
    return ctx.operation("arith.extui", (truth,), ir_type(result), at)


def _of_complex(ctx: Context, cursor: Any, name: str) -> Value:
    (argument,) = cursor.get_arguments()
    ctype, found = ctx.type_of(argument), value(ctx, argument)
    if not isinstance(ctype, ComplexType) or not isinstance(found, Complex):
        raise ctx.refusal("call", cursor, cursor.spelling)
    return applied(ctx, name, found, cursor)


def _made_complex(ctx: Context, cursor: Any) -> Value:
    """Read ``CMPLX(re, im)``."""
    ctype = ctx.type_of(cursor)
    assert isinstance(ctype, ComplexType)
    re, im = (converted(ctx, argument, ctype.part) for argument in cursor.get_arguments())
    assert isinstance(re, SSAValue)
    assert isinstance(im, SSAValue)
    return Complex(re, im, ctype.part)


C.effects[CursorKind.CALL_EXPR.value] = call
C.values[CursorKind.CALL_EXPR.value] = _value_of_call
