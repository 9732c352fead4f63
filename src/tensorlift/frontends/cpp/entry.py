"""One function of a C++ file as a function of the shared syntax tree: parameters, results, and how C++ calls it.

A container becomes an array parameter with a size for each extent; an object of a class its members; a reference to
a number that is not const an array of rank 0.  What the function returns, containers and objects, becomes array
parameters that it writes whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import (
    UNSIGNED_LONG,
    VOID,
    ArrayType,
    NumberType,
    PointerType,
)
from tensorlift.frontends.c.modified import assigned_in_statement
from tensorlift.frontends.cpp.class_rules import require_class, require_plain_copy, require_plain_ending
from tensorlift.frontends.cpp.cpp_types import fields_of, is_class, is_reference, without_reference
from tensorlift.frontends.cpp.objects import Binding, Container, ContainerType, Extent, Object, Record, extent_node
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.signature import Entry, Part, qualified, spelled_plainly
from tensorlift.frontends.cpp.statements import Statements
from tensorlift.frontends.cpp.vectors import assigned

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location


class CppReader(Statements):
    """Reads the functions of one translation unit."""

    def entry(self, definition: Any, name: str) -> Entry:
        """Read a function that is to be lifted, under the name that the loop IR gives it."""
        self._start()
        parameters = [c for c in libclang.children(definition) if c.kind is CursorKind.PARM_DECL]
        self.names = {parameter.spelling for parameter in parameters}
        with self.reading(definition, None, self.location(definition)) as frame:
            prologue: list[nodes.Statement] = []
            described = [self._parameter(p, position, prologue) for position, p in enumerate(parameters)]
            body = self.body_of(definition)
            self.finish_frame(frame, self.location(definition))
            block = nodes.Block((*prologue, *body.statements), body.location)
            self._check_members(block)
            returned = self._returned_part(definition, frame.result)
        inputs = [variable for _, variable in sorted(self._inputs, key=lambda pair: pair[0])]
        is_object = is_class(definition.result_type)
        result = VOID if is_object else self.types.read(definition.result_type)
        if is_reference(definition.result_type):
            raise refusal("reference", self.location(definition), f"`{definition.spelling}` returns a reference")
        function = nodes.Function(name, (), result, self.location(definition), block)
        outer = self.outer.pop()
        function.outer = tuple(sorted(outer, key=lambda variable: variable.location))
        prototype = {"call": qualified(definition), "parameters": described, "returns": returned}
        return Entry(function, self._containers, list(self._sizes), inputs, self._results, prototype)

    def _start(self) -> None:
        """Forget the function before."""
        self.variables, self.bound, self.frames, self.before = {}, {}, [], []
        self.used_sizes, self._calls = set(), 0
        self._containers: list[Container] = []
        self._sizes: dict[nodes.Variable, None] = {}
        self._inputs: list[tuple[tuple[int, ...], nodes.Variable]] = []
        self._results: list[nodes.Variable] = []
        self._members: dict[nodes.Variable, Record] = {}
        self._parts: dict[Record, Part] = {}
        self._way_to: dict[Record, tuple[int, ...]] = {}
        self._cells: dict[nodes.Variable, nodes.Variable] = {}
        self.outer.append({})

    def _parameter(self, cursor: Any, position: int, prologue: list[nodes.Statement]) -> Part:
        """Bind a parameter, and describe it for a call."""
        location, name = self.location(cursor), cursor.spelling or self.fresh_name(f"unnamed{position}")
        passed = cursor.type.get_canonical()
        plain = without_reference(cursor.type)
        if passed.kind is TypeKind.RVALUEREFERENCE:
            raise refusal("reference", location, f"`{name}` is a reference to a temporary object")
        described = {"name": name, "type": spelled_plainly(plain)}
        by_value = not is_reference(cursor.type)
        kind = self.types.container(cursor.type) if by_value else self.types.member(cursor.type)
        if kind is not None:
            container = self._container(name, name, kind, (position,), location, restrict=by_value)
            self.bound[cursor.data[0]] = container
            if by_value and self.uses.changes(self.frame.definition, cursor):
                self.bound[cursor.data[0]], statement = self.copy_of(container, name, location)
                prologue.append(statement)
            return {**described, **_container_part(container)}
        if plain.kind is TypeKind.RECORD:
            return self._object_parameter(cursor, position, described, prologue)
        return {**described, **self._number(cursor, position, location)}

    def _number(self, cursor: Any, position: int, location: Location) -> Part:
        """Bind a parameter that is a number or a pointer, by value or by reference."""
        name, ctype = cursor.spelling, self.types.read(cursor.type)
        if is_reference(cursor.type) and not cursor.type.get_canonical().get_pointee().is_const_qualified():
            pointer = PointerType(f"{ctype.spelling} *", ctype)
            variable = nodes.Variable(name, pointer, location, is_parameter=True)
            self.bound[cursor.data[0]] = nodes.Unary("*", nodes.Name(variable, pointer, location), ctype, location)
            self._inputs.append(((position,), variable))
            return {"cell": name}
        variable = self.variable_of(cursor)
        variable.is_reference = is_reference(cursor.type)
        self._inputs.append(((position,), variable))
        return {"pointer" if isinstance(ctype, PointerType | ArrayType) else "value": name}

    def _container(  # noqa: PLR0913 - all that a parameter is made of
        self,
        name: str,
        spelling: str,
        kind: ContainerType,
        place: tuple[int, ...],
        location: Location,
        *,
        restrict: bool,
    ) -> Container:
        """Make an array parameter with its sizes."""
        extents: list[Extent] = []
        for axis, length in enumerate(kind.lengths):
            if length is not None:
                extents.append(length)
                continue
            size = nodes.Variable(
                self.fresh_name(f"{name}{'_row' * axis}_size"), UNSIGNED_LONG, location, is_parameter=True
            )
            self._sizes[size] = None
            extents.append(size)
        variable = nodes.Variable(name, kind.array(restrict=restrict), location, is_parameter=True)
        variable.extents = tuple(extent_node(extent, location) for extent in extents)
        variable.keeps_rank, variable.is_object = kind.rank > 1, True
        base = nodes.name_of(variable, location)
        container = Container(kind, base, tuple(extents), spelling, variable, is_parameter=True)
        self._containers.append(container)
        self._inputs.append((place, variable))
        return container

    def _object_parameter(self, cursor: Any, position: int, described: Part, prologue: list[nodes.Statement]) -> Part:
        """Bind a parameter that is an object of a class; its members are made when they are used."""
        location = self.location(cursor)
        record = Record(cursor.spelling, require_class(cursor.type, location), is_parameter=True)
        record.by_value = not is_reference(cursor.type)
        if record.by_value:
            require_plain_ending(cursor.type, location)
            require_plain_copy(cursor.type, location)
        self.bound[cursor.data[0]] = record
        self._way_to[record] = (position,)
        self._parts[record] = {**described, "record": []}
        if record.by_value and self.uses.changes(self.frame.definition, cursor):
            self.bound[cursor.data[0]], statements = self.copied_record(cursor.spelling, record, location)
            prologue += statements
        return self._parts[record]

    def parameter_field(self, record: Record, declaration: Any) -> Binding:
        """Make a member of a parameter."""
        member = declaration.spelling
        stem = member.strip("_").removeprefix("m_") or member
        name = self.fresh_name(f"{record.name.replace('.', '_')}_{stem}")
        spelling, location = f"{record.name}.{member}", self.location(self.frames[0].definition)
        order = [child.spelling for child in fields_of(record.ctype)].index(member)
        place = (*self._way_to[record], order)
        kind, ctype = self.types.member(declaration.type), self.types.read(declaration.type)
        part: Part = {"path": member, "type": spelled_plainly(without_reference(declaration.type))}
        found: Binding
        if is_reference(declaration.type):
            raise refusal("class", location, f"the member `{spelling}` is a reference")
        if kind is not None:
            found = self._container(name, spelling, kind, place, location, restrict=record.by_value)
            part |= _container_part(found)
        elif isinstance(ctype, NumberType | PointerType):
            variable = nodes.Variable(name, ctype, location, is_parameter=True)
            self._inputs.append((place, variable))
            self._members[variable] = record
            found = nodes.Name(variable, ctype, location)
            part["pointer" if isinstance(ctype, PointerType) else "value"] = name
        else:
            found = Record(spelling, require_class(declaration.type, location), is_parameter=True)
            self._way_to[found] = place
            part["record"] = []
            self._parts[found] = part
        self._parts[record]["record"].append(part)
        return found

    def _check_members(self, block: nodes.Block) -> None:
        """Refuse changes of members of parameters that are no containers."""
        changed = assigned_in_statement(block)
        for variable in sorted(changed & self._members.keys(), key=lambda v: v.name):
            record = self._members[variable]
            raise refusal(
                "class", block.location, f"the function changes the member `{variable.name}` of `{record.name}`"
            )

    def settle_result(self, found: Object, location: Location) -> list[nodes.Statement]:
        """Make what the lifted function returns an array parameter that it writes."""
        if len(self.frames) > 1:
            return []
        if isinstance(found, Container):
            self._make_result(found, found.name)
            assert found.variable is not None
            extents = tuple(None if e is None else self.size_of(e, location) for e in found.extents)
            return [nodes.Settle(found.variable, extents, location)]
        statements: list[nodes.Statement] = []
        if isinstance(found, Record):
            for declaration in fields_of(found.ctype):
                statements += self._settle_member(found, declaration, location)
        return statements

    def _settle_member(self, record: Record, declaration: Any, location: Location) -> list[nodes.Statement]:
        """Make a member of a returned object a result."""
        found = self.field(record, declaration, location)
        if isinstance(found, Container):
            found.name = f"{record.name}_{declaration.spelling.strip('_')}".replace(".", "_")
            return self.settle_result(found, location)
        if isinstance(found, Record):
            return self.settle_result(found, location)
        assert isinstance(found, nodes.Name)
        if isinstance(found.ctype, PointerType):
            raise refusal("class", location, f"the pointer `{declaration.spelling}` of a returned object")
        name = self.fresh_name(f"{record.name}_{declaration.spelling.strip('_')}".replace(".", "_"))
        pointer = PointerType(f"{found.ctype.spelling} *restrict", found.ctype)
        variable = nodes.Variable(name, pointer, location, is_parameter=True)
        if variable.name not in {result.name for result in self._results}:
            self._results.append(variable)
        self._cells[found.variable] = variable
        target = nodes.Unary("*", nodes.Name(variable, pointer, location), found.ctype, location)
        return [nodes.Evaluate(assigned(target, found), location)]

    def _make_result(self, container: Container, name: str) -> None:
        """Turn a local container into a parameter; its declaration only states the extents that do not change."""
        variable, storage = container.variable, container.storage
        assert variable is not None
        if variable in self._results:
            return
        if storage is None:
            raise refusal("return", variable.location, f"`{name}` belongs to the caller and is returned")
        lengths = container.kind.lengths
        inner = [None if e is None else extent_node(e, variable.location) for e in container.extents[1:]]
        first = container.extents[0]
        outer = None if container.grows or first is None else extent_node(first, variable.location)
        storage.statements = (nodes.Settle(variable, (outer, *inner), variable.location),)
        variable.name, variable.is_parameter = self.fresh_name(name), True
        variable.ctype = container.kind.array(restrict=True)
        variable.extents = tuple(
            None if length is None else nodes.Integer(length, UNSIGNED_LONG, variable.location) for length in lengths
        )
        self._results.append(variable)

    def _returned_part(self, definition: Any, result: Object | None) -> Part:
        """Describe what the function returns."""
        described = {"type": spelled_plainly(without_reference(definition.result_type))}
        if isinstance(result, Container):
            assert result.variable is not None
            return {**described, "container": result.variable.name}
        if isinstance(result, Record):
            return {**described, "record": self._returned_members(result)}
        return described

    def _returned_members(self, record: Record) -> list[Part]:
        """Describe the members of a returned object."""
        parts: list[Part] = []
        for declaration in fields_of(record.ctype):
            found = record.fields[declaration.spelling]
            part: Part = {"path": declaration.spelling, "type": spelled_plainly(without_reference(declaration.type))}
            if isinstance(found, Container) and found.variable is not None:
                part["container"] = found.variable.name
            elif isinstance(found, Record):
                part["record"] = self._returned_members(found)
            elif isinstance(found, nodes.Name):
                part["cell"] = self._cells[found.variable].name
            parts.append(part)
        return parts


def _container_part(container: Container) -> Part:
    """Describe a container among the parameters, with the names of its sizes where they are no constants."""
    assert container.variable is not None
    sizes = [extent.name if isinstance(extent, nodes.Variable) else None for extent in container.extents]
    return {"container": container.variable.name, "sizes": sizes}
