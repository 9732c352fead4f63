"""What a C++ function takes and gives as a function of C, and how C++ calls it; its body is not read.

A container becomes an array parameter with a size for each extent; an object of a class its members; a reference to
a number that is not const an array of rank 0.  What the function returns, containers and objects, becomes array
parameters that it writes whole.  Literal IR tells which members and sizes the function asks for, by how C++ reaches
them: ``m.rows``, ``m.cells[0].size()``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c.signature import Asked, outer_variables
from tensorlift.frontends.cpp.class_rules import require_class, require_plain_copy, require_plain_ending
from tensorlift.frontends.cpp.cpp_types import (
    CppTypes,
    fields_of,
    is_class,
    is_reference,
    pointed_class,
    spelled,
    without_reference,
)
from tensorlift.frontends.cpp.objects import Container, ContainerType, Extent, extent_node
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.returned import Returned, returned_by
from tensorlift.frontends.cpp.syntax import parameters_of
from tensorlift.ir import nodes
from tensorlift.ir.prototype import RETURNED, size_name
from tensorlift.ops.c_types import PARTS, UNSIGNED_LONG, VOID, ArrayType, ComplexType, NumberType, PointerType
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.variables import UnitReader

Part = dict[str, Any]

_SIZE = re.compile(r"(?:\[0\])*\.size\(\)$")


@dataclass(slots=True)
class Entry:
    """A function to lower: its parameters, its containers among them, and how to call it from C++.

    ``used`` are the sizes that it asks for.
    """

    function: nodes.Function
    containers: list[Container]
    sizes: list[nodes.Variable]
    inputs: list[nodes.Variable]
    results: list[nodes.Variable]
    prototype: Part
    used: set[nodes.Variable] = field(default_factory=set)


@dataclass(slots=True, eq=False)
class _Object:
    """An object of a class among the parameters, whose members are made when they are asked for."""

    name: str
    ctype: Any
    way: tuple[int, ...]
    by_value: bool
    part: Part
    members: dict[str, _Object | None] = field(default_factory=dict)


def signature_of(unit: UnitReader, definition: Any, name: str, asked: Callable[[], Asked]) -> Entry:
    """Read the signature of a function that is to be lifted, under the name that the loop IR gives it.

    ``asked`` says what its literal IR takes; that is read behind the parameters.

    Raises:
        LiftError: for a parameter or a result that is not lifted.

    """
    reader = _SignatureReader(unit, definition)
    described = [reader.parameter(cursor, k) for k, cursor in enumerate(parameters_of(definition))]
    found = asked()
    for path in found.arguments:
        reader.ask_for(path)
    returned = reader.returned()
    location = unit.location(definition)
    if is_reference(definition.result_type):
        raise refusal("reference-result", location, definition.spelling)
    result = unit.types.read(definition.result_type)
    if is_class(definition.result_type) or isinstance(result, ComplexType):
        result = VOID
    function = nodes.Function(name, (), result, location)
    function.outer = outer_variables(unit, definition, found.outer)
    prototype = {"call": qualified(definition), "parameters": described, "returns": returned}
    inputs = [variable for _, variable in sorted(reader.inputs, key=lambda pair: pair[0])]
    return Entry(
        function, reader.containers, list(reader.sizes.values()), inputs, reader.results, prototype, reader.used
    )


class _SignatureReader:
    """The state of reading one signature."""

    def __init__(self, unit: UnitReader, definition: Any) -> None:
        self.unit, self._definition = unit, definition
        self.types = unit.types = CppTypes()
        self.containers: list[Container] = []
        self.sizes: dict[str, nodes.Variable] = {}  # by how C++ reaches them
        self.used: set[nodes.Variable] = set()
        self.inputs: list[tuple[tuple[int, ...], nodes.Variable]] = []
        self.results: list[nodes.Variable] = []
        self._objects: dict[str, _Object] = {}
        self._names = {parameter.spelling for parameter in parameters_of(definition)}

    def _fresh(self, name: str) -> str:
        """Give a name that no parameter of the loop IR has yet."""
        return unused(name, self._names, "_", first=1)

    # Parameters.

    def parameter(self, cursor: Any, position: int) -> Part:
        """Make what a parameter becomes, and describe it for a call."""
        location, name = self.unit.location(cursor), cursor.spelling or self._fresh(f"unnamed{position}")
        pointed = pointed_class(cursor.type)
        plain = without_reference(cursor.type) if pointed is None else pointed
        if cursor.type.get_canonical().kind is TypeKind.RVALUEREFERENCE:
            raise refusal("temporary", location, name)
        described = {"name": name, "type": spelled_plainly(plain)}
        by_value = not is_reference(cursor.type)
        kind = self.types.container(cursor.type) if by_value else self.types.member(cursor.type)
        if kind is not None:
            return {**described, **self._container(name, name, kind, (position,), location, restrict=by_value)}
        if is_class(plain):
            return self._object(cursor, position, described, location)
        return {**described, **self._number(cursor, name, (position,), location)}

    def _object(self, cursor: Any, position: int, described: Part, location: Location) -> Part:
        pointed, part = pointed_class(cursor.type), {**described, "record": []}
        if pointed is not None:
            part["address"] = True
        by_value = pointed is None and not is_reference(cursor.type)
        ctype = require_class(pointed or cursor.type, location)
        if by_value:
            require_plain_ending(cursor.type, location)
            require_plain_copy(cursor.type, location)
        self._objects[cursor.spelling] = _Object(cursor.spelling, ctype, (position,), by_value, part)
        return part

    def _number(self, cursor: Any, name: str, place: tuple[int, ...], location: Location) -> Part:
        """Make a parameter that is a number or a pointer, by value or by reference."""
        ctype = self.types.read(cursor.type)
        is_cell = is_reference(cursor.type) and not cursor.type.get_canonical().get_pointee().is_const_qualified()
        if isinstance(ctype, ComplexType):
            return self._complex(cursor, name, ctype, place, location, is_cell=is_cell)
        if is_cell:
            pointer = PointerType(f"{ctype.spelling} *", ctype)
            self.inputs.append((place, nodes.Variable(name, pointer, location, is_parameter=True)))
            return {"cell": name}
        variable = self.unit.variable_of(cursor)
        variable.name = name
        variable.is_reference = is_reference(cursor.type)
        self.inputs.append((place, variable))
        return {"pointer" if isinstance(ctype, PointerType | ArrayType) else "value": name}

    def _complex(  # noqa: PLR0913 - all that a parameter is made of
        self, cursor: Any, name: str, ctype: ComplexType, place: tuple[int, ...], location: Location, *, is_cell: bool
    ) -> Part:
        """Make both parts of a number, each a parameter of its own, or the pair that a reference refers to."""
        if is_cell:
            variable = _pair(name, ctype, location)
            variable.is_object = True
            self.inputs.append((place, variable))
            return {"cell": name}
        names = [self._fresh(f"{name}_{part}") for part in ("re", "im")]
        for number, part in enumerate(names):
            variable = nodes.Variable(part, ctype.part, location, is_parameter=True)
            variable.is_reference = is_reference(cursor.type)
            self.inputs.append(((*place, number), variable))
        return {"parts": names}

    def _container(  # noqa: PLR0913 - all that a parameter is made of
        self, name: str, path: str, kind: ContainerType, place: tuple[int, ...], location: Location, *, restrict: bool
    ) -> Part:
        """Make an array parameter with its sizes, and describe it."""
        kind, extents = kind.in_memory(), list[Extent]()
        for axis, length in enumerate(kind.lengths):
            if length is not None:
                extents.append(length)
                continue
            called = self._fresh(f"{name}{'_row' * axis}_size")
            size = nodes.Variable(called, UNSIGNED_LONG, location, is_parameter=True)
            self.sizes[size_name(path, axis)] = size
            extents.append(size)
        variable = nodes.Variable(name, kind.array(restrict=restrict), location, is_parameter=True)
        variable.extents = tuple(extent_node(extent, location) for extent in extents)
        variable.keeps_rank, variable.is_object = kind.rank > 1, True
        self.containers.append(Container(kind, variable, tuple(extents)))
        self.inputs.append((place, variable))
        return {"container": name, "sizes": [e.name if isinstance(e, nodes.Variable) else None for e in extents]}

    # What is asked for.

    def ask_for(self, path: str) -> None:
        """Make the member that an argument of literal IR is, or belongs to, and note a size."""
        first, *members = _SIZE.sub("", path.partition(" ")[0]).split(".")
        found: _Object | None = self._objects.get(first)
        for name in members if first != RETURNED else ():
            if found is None:
                break
            if name not in found.members:
                (declaration,) = [one for one in fields_of(found.ctype) if one.spelling == name]
                found.members[name] = self._member(found, declaration)
            found = found.members[name]
        if path in self.sizes:
            self.used.add(self.sizes[path])

    def _member(self, owner: _Object, declaration: Any) -> _Object | None:
        """Make a member of a parameter; give it where it is an object of its own."""
        member = declaration.spelling
        stem = member.strip("_").removeprefix("m_") or member
        name = self._fresh(f"{owner.name.replace('.', '_')}_{stem}")
        path, location = f"{owner.name}.{member}", self.unit.location(self._definition)
        place = (*owner.way, [child.spelling for child in fields_of(owner.ctype)].index(member))
        kind, ctype = self.types.member(declaration.type), self.types.read(declaration.type)
        part: Part = {"path": member, "type": spelled_plainly(without_reference(declaration.type))}
        owner.part["record"].append(part)
        if kind is not None:
            part |= self._container(name, path, kind, place, location, restrict=owner.by_value)
        elif isinstance(ctype, NumberType | PointerType):
            variable = nodes.Variable(name, ctype, location, is_parameter=True)
            variable.is_reference = variable.is_object = not owner.by_value and isinstance(ctype, NumberType)
            self.inputs.append((place, variable))
            part["pointer" if isinstance(ctype, PointerType) else "value"] = name
        else:
            part["record"] = []
            return _Object(path, require_class(declaration.type, location), place, owner.by_value, part)
        return None

    # What is returned.

    def returned(self) -> Part:
        """Make what the function returns, and describe it."""
        result = self._definition.result_type
        described = {"type": spelled_plainly(without_reference(result))}
        ctype = self.types.read(result)
        if isinstance(ctype, ComplexType):
            self.results.append(_pair(self._fresh("result"), ctype, self.unit.location(self._definition)))
            return {**described, "container": self.results[-1].name}
        if not is_class(result) or is_reference(result):
            return described
        found = returned_by(self._definition)
        kind = self.types.container(result)
        if kind is not None:
            return {**described, **self._result(found, found.name, kind)}
        return {**described, "record": self._members(found, found.name, without_reference(result))}

    def _result(self, found: Returned, name: str, kind: ContainerType) -> Part:
        location, kind = self.unit.location(found.declared), kind.in_memory()
        variable = nodes.Variable(self._fresh(name), kind.array(restrict=True), location, is_parameter=True)
        extents = [None if e is None else nodes.Integer(e, UNSIGNED_LONG, location) for e in kind.lengths]
        variable.extents, variable.keeps_rank = tuple(extents), kind.rank > 1
        self.results.append(variable)
        return {"container": variable.name}

    def _members(self, found: Returned, owner: str, record: Any) -> list[Part]:
        """Describe the members of a returned object."""
        parts: list[Part] = []
        for declaration in fields_of(record):
            part: Part = {"path": declaration.spelling, "type": spelled_plainly(without_reference(declaration.type))}
            name = f"{owner}_{declaration.spelling.strip('_')}"
            kind, ctype = self.types.member(declaration.type), self.types.read(declaration.type)
            if kind is not None:
                part |= self._result(found, name, kind)
            elif isinstance(ctype, NumberType):
                part["cell"] = self._cell(name, ctype)
            else:
                part["record"] = self._members(found, f"{owner}_{declaration.spelling}", declaration.type)
            parts.append(part)
        return parts

    def _cell(self, name: str, ctype: NumberType) -> str:
        """Make the memory of a number of a returned object."""
        location = self.unit.location(self._definition)
        pointer = PointerType(f"{ctype.spelling} *restrict", ctype)
        self.results.append(nodes.Variable(self._fresh(name), pointer, location, is_parameter=True))
        return self.results[-1].name


def _pair(name: str, ctype: ComplexType, location: Location) -> nodes.Variable:
    """Make an array parameter of both parts of a number."""
    kind = ContainerType(ctype, ()).in_memory()
    extent = nodes.Integer(PARTS, UNSIGNED_LONG, location)
    return nodes.Variable(name, kind.array(restrict=True), location, (extent,), is_parameter=True)


def spelled_plainly(clang_type: Any) -> str:
    """Spell a type as one that can be declared without a value."""
    return spelled(clang_type).removeprefix("const ")


def qualified(definition: Any) -> str:
    """Spell the name by which the function is called, with its namespaces and template arguments."""
    parts = [definition.spelling]
    parent = definition.semantic_parent
    while parent is not None and parent.kind is CursorKind.NAMESPACE:
        if parent.spelling:
            parts.append(parent.spelling)
        parent = parent.semantic_parent
    count = definition.get_num_template_arguments()
    given = [
        definition.get_template_argument_type(k).spelling or str(definition.get_template_argument_value(k))
        for k in range(count)
    ]
    return "::".join(reversed(parts)) + (f"<{', '.join(given)}>" if count > 0 else "")
