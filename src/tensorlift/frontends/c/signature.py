"""What a C function takes and gives; its body is not read.

Literal IR tells which members of structures, and which variables at file scope, the function asks for, by how C reaches
them.  A member takes part as a variable of its own: ``rows`` of the parameter ``m`` is ``m_rows``, also through nested
structures.  It is

- a number that the function gets as it is: ``m.rows``, ``p->rows``;
- a number behind a pointer that the function, or a callee, writes: ``p->sum[]``, a pointer to one element;
- a pointer or an array among the members: ``p->data``, ``p->fixed[]``;
- one cell, or one array, for each of an array of structures: ``x[].re``, ``p->band[].gain``.

An array that ends its structure and may go on behind it (``double data[];``) has no extent that its declaration tells.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import fields, is_open, structures_inside
from tensorlift.frontends.c.structures import declarations_of
from tensorlift.ir import nodes
from tensorlift.ir.function import NULL, OUTSIDE, ROW, SAME
from tensorlift.ir.prototype import RETURNED
from tensorlift.ops.c_types import (
    PARTS,
    UNSIGNED_LONG,
    VOID,
    ArrayType,
    ComplexType,
    CType,
    NumberType,
    PointerType,
    is_structure,
    of_pairs,
)
from tensorlift.poly.names import unused
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.frontends.c.variables import UnitReader

_LINK = r"\[\]\.|->|\."
_MEMBER = re.compile(rf"(\w+)({_LINK})(\w+(?:(?:{_LINK})\w+)*)(\[\])?")


class Asked(NamedTuple):
    """What literal IR takes, by its names there: arguments, and variables at file scope."""

    arguments: Sequence[str]
    outer: Sequence[str] = ()


def c_signature(reader: UnitReader, cursor: Any, asked: Asked) -> nodes.Function:
    """Read the signature of a function definition, as literal IR asks for it.

    Raises:
        LiftError: for an extent that is not read.

    """
    location, declared = reader.location(cursor), list(cursor.get_arguments())
    variables = tuple(reader.variable_of(parameter) for parameter in declared)
    members = _members(reader, declared, asked.arguments)
    named = (name.removeprefix(OUTSIDE) for name in asked.arguments if name.startswith(OUTSIDE) and " " not in name)
    members |= {v.name: _parts(v, variables) for v in variables if isinstance(v.ctype, ComplexType)}
    parameters = [part for variable in variables for part in members.get(variable.name, [variable])]
    result, returned = reader.types.read(cursor.result_type), ""
    if isinstance(result, ComplexType | PointerType) or is_structure(result):
        parameters += _returned(reader, cursor, asked.arguments, {parameter.name for parameter in parameters})
        returned, result = cursor.result_type.spelling, VOID
    return nodes.Function(
        name=cursor.spelling,
        parameters=tuple(parameters),
        declared=variables,
        result=result,
        location=location,
        outer=outer_variables(reader, cursor, [*asked.outer, *named]),
        structures=declarations_of(c.type for c in declared if is_structure(reader.types.of(c))),
        returned=returned,
    )


def _parts(variable: nodes.Variable, declared: Sequence[nodes.Variable]) -> list[nodes.Variable]:
    """Give both parts of a parameter that is a complex number, each a parameter of its own."""
    assert isinstance(variable.ctype, ComplexType)
    taken, made = {other.name for other in declared}, []
    for part in ("re", "im"):
        name = unused(f"{variable.name}_{part}", taken, "_", first=1)
        access = f"{variable.name}.{part}"
        made.append(nodes.Variable(name, variable.ctype.part, variable.location, is_parameter=True, access=access))
    return made


def _returned(reader: UnitReader, cursor: Any, asked: Sequence[str], taken: set[str]) -> Iterator[nodes.Variable]:
    """Yield the memory in which the caller is given what is returned, or numbers and pointers in that."""
    names = {name.removesuffix("[]"): name for name in asked if re.split(r"\W", name)[0] == RETURNED}
    names = {name: access for name, access in names.items() if not name.endswith("_at")}
    ways = {name: list(_along(cursor.result_type, name.split(".")[1:])) for name in names}
    for name in sorted(names, key=lambda one: [position for position, _ in ways[one]]):
        of_type = ways[name][-1][1].type if ways[name] else cursor.result_type
        called = unused("_".join(["result", *name.split(".")[1:]]), taken, "_", first=1)
        ctype, location = reader.types.read(of_type), reader.location(cursor)
        extents: tuple[nodes.Expression | None, ...] = ()
        if isinstance(ctype, ComplexType):
            ctype, extents = of_pairs(ctype), (nodes.Integer(PARTS, UNSIGNED_LONG, location),)
        elif isinstance(ctype, NumberType):
            ctype = _pointer_to(ctype)
        made = nodes.Variable(called, ctype, location, extents, is_parameter=True, is_restrict=True)
        made.is_object, made.access = bool(extents), names[name]
        taken.add(called)
        yield made


def outer_variables(reader: UnitReader, definition: Any, names: Sequence[str]) -> tuple[nodes.Variable, ...]:
    """List the variables at file scope, or members of such, that have some names, in the order of the source.

    Raises:
        LiftError: for a structure that a parameter has the name of.

    """
    roots = {_root(name): [other for other in names if _root(other) == _root(name)] for name in names}
    taken = {parameter.spelling for parameter in definition.get_arguments()}
    found = dict[str, list[nodes.Variable]]()
    work = libclang.children(definition.translation_unit.cursor) if names else []
    while work:
        cursor = work.pop()
        if cursor.kind is CursorKind.VAR_DECL and cursor.spelling in roots and cursor.spelling not in found:
            found[cursor.spelling] = list(_outside(reader, cursor, roots[cursor.spelling], taken))
        elif cursor.kind in {CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}:
            work += libclang.children(cursor)
    return tuple(sorted((v for several in found.values() for v in several), key=lambda variable: variable.location))


def _root(name: str) -> str:
    """Give the variable that a name is of, or that it is a member of."""
    return re.split(_LINK, name, maxsplit=1)[0]


def _outside(reader: UnitReader, cursor: Any, names: Sequence[str], taken: set[str]) -> Iterator[nodes.Variable]:
    """Yield a variable at file scope, or a variable for each of its members in the order of their declaration."""
    cursor = cursor.get_definition() or cursor
    if not is_structure(reader.types.of(cursor)) and structures_inside(cursor.type) is None:
        variable = reader.variable_of(cursor)
        variable.name = unused(variable.name, taken)
        yield variable
        return
    if cursor.spelling in taken:
        raise refusal("global", reader.location(cursor), cursor.spelling)
    ways = {name: list(_along(cursor.type, re.split(_LINK, name)[1:])) for name in names}
    for name in sorted(names, key=lambda one: [position for position, _ in ways[one]]):
        fields = [field for _, field in ways[name]]
        is_array = isinstance(reader.types.read(fields[-1].type), ArrayType) and "[]." not in name
        match = _MEMBER.fullmatch(f"{name}{'[]' * is_array}")
        assert match is not None, "a member has the name of its structure"
        member = _variable(reader, cursor, fields, match, taken)
        member.is_parameter, member.is_global = False, True
        member.is_const, member.is_initialised = reader.variable_of(cursor).is_const, bool(libclang.expressions(cursor))
        yield member


def _members(reader: UnitReader, declared: Sequence[Any], names: Sequence[str]) -> dict[str, list[nodes.Variable]]:
    """Make a variable for each member that is asked for; those of a parameter in the order of their declaration."""
    roots = {cursor.spelling: cursor for cursor in declared if is_structure(reader.types.of(cursor))}
    taken = {cursor.spelling for cursor in declared}
    found: dict[str, list[tuple[tuple[int, ...], nodes.Variable]]] = {name: [] for name in roots}
    for name in names:
        match = _MEMBER.fullmatch(name) if not name.endswith((ROW, NULL)) and SAME not in name else None
        if match is None or match[1] not in roots:
            continue
        fields = list(_along(roots[match[1]].type, re.split(_LINK, match[3])))
        member = _variable(reader, roots[match[1]], [field for _, field in fields], match, taken)
        found[match[1]].append((tuple(position for position, _ in fields), member))
    return {root: [member for _, member in sorted(made, key=lambda pair: pair[0])] for root, made in found.items()}


def _along(of_type: Any, path: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the fields on the way to a member, each with its position in its structure."""
    record = of_type.get_canonical()
    for name in path:
        pointee = record.get_pointee()
        inside = fields(structures_inside(record) or (pointee if pointee.spelling else record))
        position, field = next((k, child) for k, child in enumerate(inside) if child.spelling == name)
        yield position, field
        record = field.type.get_canonical()


def _variable(
    reader: UnitReader, root: Any, fields: Sequence[Any], match: re.Match[str], taken: set[str]
) -> nodes.Variable:
    """Make the variable that a member is, whose name is taken then."""
    location, ctype = reader.location(root), _member_type(reader, root, fields, match)
    array = ctype.element if isinstance(ctype, PointerType) and "[]" in match[0] else ctype
    extents = tuple(None if n is None else nodes.Integer(n, UNSIGNED_LONG, location) for n in _lengths(array))
    name = unused("_".join([root.spelling, *(field.spelling for field in fields)]), taken, "_", first=1)
    made = nodes.Variable(name, ctype, location, extents, is_parameter=True, access=match[0])
    made.is_object = "[]." in match[0] and isinstance(ctype, ArrayType)
    return made


def _member_type(reader: UnitReader, root: Any, fields: Sequence[Any], match: re.Match[str]) -> CType:
    """Give the type of a member, or of the memory that it is."""
    ctype, way = reader.types.read(fields[-1].type), [root, *fields]
    if "[]." in match[0]:
        while way and structures_inside(way[-1].type) is None:
            way.pop()
        is_bound = bool(way) and (way == [root] or not is_open(way[1:]))
        return _array_of(ctype, way[-1].type.get_canonical().element_count) if is_bound else _pointer_to(ctype)
    if isinstance(ctype, ArrayType) and is_open(fields):
        return replace(ctype, length=None)
    return _pointer_to(ctype) if match[4] and isinstance(ctype, NumberType) else ctype


def _lengths(ctype: CType) -> Iterator[int | None]:
    """Yield the extents of an array, outermost first."""
    while isinstance(ctype, ArrayType):
        yield ctype.length
        ctype = ctype.element


def _pointer_to(ctype: CType) -> PointerType:
    """Give the type of pointers to a type."""
    base, bracket, rest = ctype.spelling.partition("[")
    return PointerType(f"{base.strip()} (*){bracket}{rest}" if bracket else f"{ctype.spelling} *", ctype)


def _array_of(ctype: CType, length: int) -> ArrayType:
    """Give the type of arrays of a type."""
    base, bracket, rest = ctype.spelling.partition("[")
    return ArrayType(f"{base.strip()}[{length}]{bracket}{rest}", ctype, length)
