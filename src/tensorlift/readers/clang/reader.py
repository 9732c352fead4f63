"""Reading a C file literally: one module that holds every function that can be read, and a diagnostic for each other.

A function is read by the rules of ``statements``; its pointers are passed as their memory and an offset.  A function
that calls one which is not read is refused with it.  Variables at file scope become ``memref.global``.  What other
files of the project define is read where it is called, in a unit of its own; its name then says which file it is of.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, LinkageKind
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GlobalOp
from xdsl.ir import Attribute, Block

from tensorlift.diagnostics import Diagnostic, LiftError, Location, called_from, internal_error
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.clang_types import TypeReader
from tensorlift.frontends.c.elsewhere import Elsewhere, same_type
from tensorlift.frontends.c.member_facts import FactFinder
from tensorlift.frontends.c.reader import ParsedFile, parse_c
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.literal_function import literal_function
from tensorlift.ir.location import END
from tensorlift.ir.tables import of_table
from tensorlift.ops.c_types import VOID, CType, FloatType, NumberType, is_structure
from tensorlift.readers.clang.calls import is_known, result_types  # and the rules of calls come into their tables
from tensorlift.readers.clang.context import (
    C,
    ComplexLocal,
    Context,
    Rules,
    Unit,
    pointee,
)
from tensorlift.readers.clang.declarations import (
    Variable,
    addressed,
    is_constant,
    parts_of,
    storage,
    with_extents,
)
from tensorlift.readers.clang.given_back import give_back, leaves_of
from tensorlift.readers.clang.initialisers import items_of
from tensorlift.readers.clang.left_out import LeavesOutError, LeftOut
from tensorlift.readers.clang.member_uses import UseFinder
from tensorlift.readers.clang.members import is_table, structure_parameter, table
from tensorlift.readers.clang.nulls import take_null
from tensorlift.readers.clang.objects import contents
from tensorlift.readers.clang.outside import hand_on_pointers
from tensorlift.readers.clang.statements import calls_in_arms, statement
from tensorlift.readers.flow import FlowGraph, named, poison
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tensorlift.readers.flow import Local

_MOST_VALUES = 1 << 16  # of a constant at file scope


@dataclass(frozen=True, slots=True)
class LiteralFunction:
    """A function of the file; ``operation`` is None where diagnostics refuse it, else they are warnings.

    ``parameters`` are those of the source: a scalar is one argument of the operation, a pointer two, a table of row
    pointers three, and a structure as many as its members are, each of them so.
    """

    name: str
    location: Location
    operation: FuncOp | None
    parameters: tuple[tuple[str, CType], ...] = ()
    result: CType = VOID
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class LiteralModule:
    """What a file says: a module, and its functions in the order of the source, refused ones included."""

    module: ModuleOp
    functions: tuple[LiteralFunction, ...]


@dataclass(slots=True)
class Reading:
    """The state of reading one file, and functions of others that it calls; its own unit is the first one."""

    parsed: ParsedFile
    elsewhere: Elsewhere
    types: TypeReader
    rules: Rules
    units: dict[int, tuple[Unit, ParsedFile]] = field(default_factory=dict)
    functions: dict[str, LiteralFunction] = field(default_factory=dict)
    callees: dict[str, dict[str, Location]] = field(default_factory=dict)
    arms: dict[int, tuple[Diagnostic, ...]] = field(default_factory=dict)
    asserted: set[int] = field(default_factory=set)
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    waiting: list[Any] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    globals: dict[tuple[int | None, str], GlobalOp] = field(default_factory=dict)
    symbols: dict[tuple[str, str], str] = field(default_factory=dict)  # of what other files define
    taken: set[str] = field(default_factory=set)
    facts: FactFinder = field(default_factory=FactFinder)
    uses: UseFinder = field(default_factory=UseFinder)

    @property
    def unit(self) -> Unit:
        """The unit of the file itself."""
        return self.of(self.parsed.unit.cursor)[0]

    def of(self, cursor: Any) -> tuple[Unit, ParsedFile]:
        """Give the unit that a cursor is in, and its file."""
        return self.units[id(cursor.translation_unit)]


def read_literally(text: str, filename: str, **options: Any) -> LiteralModule:
    """Read C source text into literal IR; ``options`` are those of ``parse_c``.

    Raises ``LiftError`` for what concerns the whole file: a parse error, a missing header, no text.
    """
    return read_parsed_literally(parse_c(text, filename, **options))


def read_parsed_literally(
    parsed: ParsedFile, only: str | None = None, elsewhere: Elsewhere | None = None
) -> LiteralModule:
    """Read the functions of a file, or only one and what it calls, there and ``elsewhere``."""
    types, arms, asserted = TypeReader(), dict[int, tuple[Diagnostic, ...]](), set[int]()
    while True:  # once more for each that is left out
        with suppress(LeavesOutError):
            reading = reading_of(parsed, types, C, elsewhere, arms)
            reading.asserted = asserted
            return _read_all(parsed, only, reading)


def _read_all(parsed: ParsedFile, only: str | None, reading: Reading) -> LiteralModule:
    errors, own = parsed.reach, dict(parsed.functions)
    if errors is not None and errors.errors and all(errors.within(cursor) for cursor in own.values()):
        raise LiftError(*errors.errors)
    for cursor in own.values() if only is None else (own[only],):
        _ask(reading, cursor)
    while reading.waiting:
        _read(reading, reading.waiting.pop(0))
        if not reading.waiting:
            _refuse_callers(reading, leaves_out=True)
            _leave_out_refused(reading)
    operations = {name: f.operation for name, f in reading.functions.items() if f.operation is not None}
    hand_on_pointers(operations)
    for name, error in take_null(operations):
        reading.functions[name] = replace(reading.functions[name], operation=None, diagnostics=error.diagnostics)
    _refuse_callers(reading)
    functions = tuple(reading.functions.values())
    kept = [function.operation for function in functions if function.operation is not None]
    module = ModuleOp([*reading.globals.values(), *kept])
    return LiteralModule(module, tuple(item for item in functions if item.name in own))


def literal_module_of(parsed: ParsedFile, name: str, elsewhere: Elsewhere | None = None) -> ModuleOp:
    """Read one function and what it calls; raises ``LiftError`` where that is refused."""
    found = read_parsed_literally(parsed, name, elsewhere)
    (function,) = (function for function in found.functions if function.name == name)
    if function.operation is None:
        raise LiftError(*function.diagnostics)
    is_number = isinstance(function.result, NumberType)
    if function.operation.function_type.outputs.data and not is_number:
        operations = {op.sym_name.data: op for op in found.module.ops if isinstance(op, FuncOp)}
        returned = dict(parsed.functions)[name].result_type
        give_back(operations, function.operation, list(leaves_of(TypeReader(), returned)))
    return found.module


def reading_of(
    parsed: ParsedFile,
    types: TypeReader,
    rules: Rules,
    elsewhere: Elsewhere | None = None,
    arms: dict[int, tuple[Diagnostic, ...]] | None = None,
) -> Reading:
    """Begin to read a file; ``arms`` are left out, and more may be."""
    reading = Reading(parsed, elsewhere or Elsewhere(parsed, ()), types, rules, arms={} if arms is None else arms)
    definition = partial(_known_definition, reading)
    reading.facts, reading.uses = FactFinder(definition, reading.arms), UseFinder(definition, reading.arms)
    _add_unit(reading, parsed)
    return reading


def _add_unit(reading: Reading, parsed: ParsedFile) -> None:
    """Begin to read functions of a file; the units of all files share what is known of types and members."""
    if id(parsed.unit) not in reading.units:
        unit = Unit(
            parsed.name,
            parsed.source,
            reading.types,
            partial(_ask, reading),
            partial(_definition, reading),
            partial(_visible, reading),
            partial(_global, reading),
            reading.rules,
            facts=reading.facts,
            uses=reading.uses,
        )
        reading.units[id(parsed.unit)] = unit, parsed


def _definition(reading: Reading, declaration: Any) -> Any:
    """Find the definition of a function or variable, in other files of a constant only, or say why there is none.

    Of one of which nothing is known that is "".
    """
    own = declaration.get_definition()
    if own is not None or is_known(declaration.spelling):
        return own or ""
    found = reading.elsewhere.definition(declaration)
    if isinstance(found, str):
        return found
    if found.cursor.kind is CursorKind.VAR_DECL and not is_constant(found.cursor.type):
        return ""
    _add_unit(reading, found.parsed)
    return found.cursor


def _known_definition(reading: Reading, declaration: Any) -> Any:
    """Find the definition of a function; None where there is none."""
    found = _definition(reading, declaration)
    return None if isinstance(found, str) else found


def _visible(reading: Reading, declaration: Any) -> Any:
    """Give the declaration of a variable in the file itself; None where another file has it alone, unless constant."""
    if reading.of(declaration)[0] is reading.unit or is_constant(declaration.type):
        return declaration
    if declaration.linkage is not LinkageKind.EXTERNAL:
        return None
    declared = (
        cursor
        for cursor in libclang.children(reading.parsed.unit.cursor)
        if cursor.kind is CursorKind.VAR_DECL and cursor.spelling == declaration.spelling
    )
    return next((c for c in declared if c.linkage is declaration.linkage and same_type(c.type, declaration.type)), None)


def _symbol(reading: Reading, cursor: Any, name: str) -> str:
    """Name what a file defines; what others define has a name that the file itself has not."""
    unit, _ = reading.of(cursor)
    if unit is reading.unit:
        return name
    if not reading.taken:
        reading.taken |= {child.spelling for child in libclang.children(reading.parsed.unit.cursor)}
    known = reading.symbols.get((unit.file, name))
    if known is None:
        wanted = re.sub(r"[^\w ]", "_", f"{name}_of_{Path(unit.file).stem}")  # a text keeps its space
        known = next(wanted + "_" * k for k in range(len(reading.taken) + 1) if wanted + "_" * k not in reading.taken)
        reading.taken.add(known)
        reading.symbols[unit.file, name] = known
    return known


def _ask(reading: Reading, cursor: Any) -> str:
    """Have a function read, once."""
    symbol = _symbol(reading, cursor, cursor.spelling)
    if symbol not in reading.asked:
        reading.asked.add(symbol)
        reading.waiting.append(cursor)
    return symbol


def _read(reading: Reading, cursor: Any) -> None:
    """Read one function; what refuses it becomes its diagnostics."""
    name, graph = _symbol(reading, cursor, cursor.spelling), FlowGraph(Block())
    unit, parsed = reading.of(cursor)
    left_out = reading.left_out[name] = LeftOut(reading.arms, reading.asserted)
    ctx = Context(unit, graph, unit.types.read(cursor.result_type), left_out=left_out)
    location = ctx.position(cursor)
    found = parsed.within(cursor)
    try:
        function = _refused(name, location, found) if found else _function(ctx, cursor, name, location)
    except LeavesOutError:
        raise
    except LiftError as error:
        function = _refused(name, location, error.diagnostics)
        called = [(arm, unit.known(call.referenced)) for arm, call in calls_in_arms(cursor) if call.referenced]
        found_in = [(arm, one) for arm, one in called if one is not None and one.kind is CursorKind.FUNCTION_DECL]
        left_out.hoped = [(arm, _ask(reading, one)) for arm, one in found_in if arm not in reading.arms]
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        function = _refused(name, location, (internal_error(error, location),))
    if function.operation is not None and parsed.reach is not None:
        function = replace(function, diagnostics=parsed.reach.warnings())
    reading.functions[name] = function
    reading.callees[name] = {callee: ctx.position(call) for callee, call in ctx.callees.items()}


def _refused(name: str, location: Location, diagnostics: tuple[Diagnostic, ...]) -> LiteralFunction:
    return LiteralFunction(name, location, None, diagnostics=diagnostics)


def _function(ctx: Context, cursor: Any, symbol: str, location: Location) -> LiteralFunction:
    """Read parameters and body of a function."""
    if libclang.is_variadic(cursor.type):
        raise refusal("variadic", location, cursor.spelling)
    results = result_types(ctx, ctx.result, cursor)
    declared = list(cursor.get_arguments())
    names = _parameters(ctx, cursor, declared)
    (body,) = [child for child in libclang.children(cursor) if child.kind is CursorKind.COMPOUND_STMT]
    statement(ctx, body)
    _fall_off(ctx, results, cursor)
    blocks = ctx.flow.finish()
    for check in ctx.checks:
        check()
    operation = literal_function(symbol, [*names, *ctx.outer], results, blocks, ctx.location(cursor))
    parameters = tuple((parameter.spelling, ctx.type_of(parameter)) for parameter in declared)
    return LiteralFunction(symbol, location, operation, parameters, ctx.result)


def _parameters(ctx: Context, function: Any, declared: list[Any]) -> list[str]:
    """Make the arguments, then compute the extents of arrays; gives a name for each argument."""
    names: list[str] = []
    plain: list[tuple[Any, Variable]] = []

    def argument(local: Local, name: str) -> SSAValue:
        names.append(name)
        return _argument(ctx, local)

    for parameter in declared:
        ctype, name = ctx.type_of(parameter), parameter.spelling
        if is_structure(ctype):
            ctx.places[parameter.data[0]] = structure_parameter(ctx, function, parameter, argument)
        elif is_table(ctype):
            ctx.places[parameter.data[0]] = table(ctx, ctype, name, name, parameter, argument)
        else:
            place = storage(ctx, parameter)
            plain.append((parameter, place))
            ctx.places[parameter.data[0]] = place
            called = [f"{name}.{part}" for part in ("re", "im")] if isinstance(place, ComplexLocal) else []
            for number, local in enumerate(parts_of(place)):
                argument(local, called[number] if called else local.name or "")
    for parameter, place in plain:
        memory = addressed(ctx, parameter, contents(ctx, place, parameter))
        ctx.places[parameter.data[0]] = memory or with_extents(ctx, parameter, place)
    return names


def _argument(ctx: Context, local: Local) -> SSAValue:
    entry = ctx.flow.entry.block
    argument = entry.insert_arg(local.type, len(entry.args), local.location)
    argument.name_hint = local.name
    ctx.flow.write(local, argument)
    return argument


def _fall_off(ctx: Context, results: list[Attribute], cursor: Any) -> None:
    """Return at the end of the body; what is returned there is undefined, and a place of that name says why."""
    at = named(END, ctx.location(cursor))
    ctx.flow.leave([ctx.flow.value(poison(result, at)) for result in results if ctx.flow.current.is_live], at)


def _leave_out_refused(reading: Reading) -> None:
    """Leave out arms that call what is refused, where that may be why the function around is: by what it writes."""
    hoped = [(arm, reading.functions[symbol]) for one in reading.left_out.values() for arm, symbol in one.hoped]
    found = {arm: called.diagnostics for arm, called in hoped if called.operation is None}
    reading.arms.update(found)
    if found:
        raise LeavesOutError


def _refuse_callers(reading: Reading, *, leaves_out: bool = False) -> None:
    """Refuse what calls a function that is refused, until nothing changes, or leave out these calls."""
    changed = True
    while changed:
        changed = False
        for name, function in reading.functions.items():
            if function.operation is None:
                continue
            for callee, place in reading.callees[name].items():
                called = reading.functions[callee]
                if called.operation is None:
                    note = called_from(callee, place)
                    found = tuple(replace(d, notes=(*d.notes, note)) for d in called.diagnostics)
                    if leaves_out and reading.left_out[name].leave_out_calls(callee, found):
                        raise LeavesOutError
                    reading.functions[name] = replace(function, operation=None, diagnostics=found)
                    changed = True
                    break


def _global(reading: Reading, cursor: Any, member: str, ctype: CType) -> tuple[str, MemRefType[Attribute]]:
    """Declare a static variable or its member; a constant one keeps its initialiser, another holds anything by now."""
    definition = _definition(reading, cursor) if is_constant(cursor.type) else cursor.get_definition()
    cursor = cursor if isinstance(definition, str) else definition or cursor
    name, parent = member or cursor.spelling, cursor.semantic_parent
    if not member and parent.kind is not CursorKind.TRANSLATION_UNIT:
        name = f"{parent.spelling}.{name}"
    name = _symbol(reading, cursor, name)
    known = reading.globals.get((cursor.data[0], member))
    if known is None:
        taken = {str(made.sym_name.data) for made in reading.globals.values()}
        symbol = next(name + "_" * k for k in range(len(taken) + 1) if name + "_" * k not in taken)
        ctx = Context(reading.of(cursor)[0], FlowGraph(Block()), VOID)
        known = reading.globals[cursor.data[0], member] = _declared(ctx, cursor, ctype, symbol, member)
    found = known.type
    assert isinstance(found, MemRefType)
    return known.sym_name.data, found


def _declared(ctx: Context, cursor: Any, ctype: CType, symbol: str, member: str) -> GlobalOp:
    element, shape = pointee(ctx, ctype, cursor, cursor.spelling)
    lengths = [extent for extent in shape if extent is not None]
    count, keeps_value = prod(lengths), is_constant(cursor.type) or cursor.data[0] in ctx.unit.kept
    return GlobalOp.create(
        properties={
            "sym_name": StringAttr(symbol),
            "sym_visibility": StringAttr("private" if keeps_value else "public"),
            "type": MemRefType(ir_type(element), (count,)),
            "initial_value": _constant_values(ctx, cursor, element, lengths, member) if keeps_value else UnitAttr(),
            **({"constant": UnitAttr()} if keeps_value else {}),
        },
        attributes=of_table(element, lengths) if keeps_value else {},
        location=ctx.location(cursor),
    )


def _constant_values(ctx: Context, cursor: Any, element: CType, lengths: list[int], member: str) -> Attribute:
    """Evaluate the initialiser of a constant, or of its member; what it does not give is zero."""
    assert isinstance(element, NumberType)
    children = libclang.expressions(cursor)
    count = prod(lengths)
    if count > _MOST_VALUES:
        raise ctx.refusal("large-initialiser", cursor, f"the array has more than {_MOST_VALUES} elements")
    values: list[float] = [0] * count
    if not children:
        raise ctx.refusal("global", cursor, cursor.spelling)
    items = items_of(ctx, children[-1], cursor.type, re.split(r"\W+", member)[1:], lengths)
    for position, item in items:
        found = libclang.evaluate(item)
        if found is None or position >= count:
            raise ctx.refusal("initialiser", item, "this is no constant")
        values[position] = element.rounded(found) if isinstance(element, FloatType) else element.signless(int(found))
    tensor: Any = TensorType(ir_type(element), (count,))
    return DenseIntOrFPElementsAttr.from_list(tensor, values)
