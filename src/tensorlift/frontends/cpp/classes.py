"""Objects of classes: every member takes part as a variable or container of its own.

A class of the subset has numbers, pointers to numbers, containers and such classes as members, no base class and no
virtual function.  Its constructors and member functions are read in place of their calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import INT, CType, NumberType, PointerType
from tensorlift.frontends.cpp.class_rules import require_class, require_plain_copy, require_plain_ending
from tensorlift.frontends.cpp.cpp_types import (
    fields_of,
    is_plain_array,
    without_reference,
)
from tensorlift.frontends.cpp.objects import Binding, Container, Lambda, Record
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import (
    are_alike,
    constructor_in,
    default_of,
    is_implicit,
    unwrapped,
    written_arguments,
)
from tensorlift.frontends.cpp.vectors import Vectors, converted, evaluated

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location


class Classes(Vectors):
    """Reading of objects of classes."""

    def field(self, record: Record, declaration: Any, location: Location) -> Binding:
        """Give a member of an object."""
        known = record.fields.get(declaration.spelling)
        if known is not None:
            return known
        if not record.is_parameter:
            raise refusal("class", location, f"the member `{declaration.spelling}` has no value here")
        found = self.parameter_field(record, declaration)
        record.fields[declaration.spelling] = found
        return found

    def parameter_field(self, record: Record, declaration: Any) -> Binding:
        """Make a member of a parameter; the reader of whole functions knows them."""
        raise NotImplementedError

    def declare_record(self, name: str, cursor: Any, initial: Any, location: Location) -> nodes.Statement:
        """Read the declaration of a local object, and bind its name."""
        require_class(cursor.type, location)
        with self.collecting() as before:
            found, statements = self.record_from(name, cursor.type, initial, location)
        self.bound[cursor.data[0]] = found
        parts = evaluated(before, location)
        return nodes.Block((*parts, *statements), location, is_scope=False)

    def record_from(
        self, name: str, clang_type: Any, initial: Any, location: Location
    ) -> tuple[Record, list[nodes.Statement]]:
        """Make an object from its initialiser."""
        require_plain_ending(clang_type, location)
        cursor = constructor_in(initial)
        if cursor is None:
            return self._of_fields(name, clang_type, [], location)
        if cursor.kind is CursorKind.INIT_LIST_EXPR:
            return self._of_fields(name, clang_type, libclang.children(cursor), location, zero=True)
        is_call = cursor.kind is CursorKind.CALL_EXPR
        if is_call and cursor.referenced is not None and cursor.referenced.kind is CursorKind.CONSTRUCTOR:
            return self._constructed_record(name, cursor, clang_type, location)
        found = self.object_of(cursor)
        if isinstance(found, Record):
            return (found, []) if is_call else self.copied_record(name, found, location)
        raise refusal("class", location, f"this initialiser of `{name}`")

    def _constructed_record(
        self, name: str, cursor: Any, clang_type: Any, location: Location
    ) -> tuple[Record, list[nodes.Statement]]:
        arguments = written_arguments(cursor)
        if len(arguments) == 1 and is_implicit(cursor.referenced) and are_alike(arguments[0].type, clang_type):
            found = self.object_of(arguments[0])
            if isinstance(found, Record):
                inner = unwrapped(arguments[0]).kind is CursorKind.CALL_EXPR
                return (found, []) if inner else self.copied_record(name, found, location)
        definition = cursor.referenced.get_definition()
        if definition is None or not any(c.kind is CursorKind.COMPOUND_STMT for c in libclang.children(definition)):
            if arguments:
                raise refusal("class", location, f"the constructor of `{name}` is not defined in this file")
            return self._of_fields(name, clang_type, [], location)
        record = Record(name, without_reference(clang_type), owner=self.frame.number)
        call = self.constructor_call(definition, record, arguments, location)
        return record, [nodes.Evaluate(call, location)]

    def constructor_call(
        self, definition: Any, record: Record, arguments: list[Any], location: Location
    ) -> nodes.Expression:
        """Read a constructor in place; the reader of calls does."""
        raise NotImplementedError

    def _of_fields(
        self, name: str, clang_type: Any, items: list[Any], location: Location, *, zero: bool = False
    ) -> tuple[Record, list[nodes.Statement]]:
        """Make an object from the initial values of its members, in their order; with ``zero`` those left out are 0."""
        record = Record(name, without_reference(clang_type), owner=self.frame.number)
        statements: list[nodes.Statement] = []
        for position, declaration in enumerate(fields_of(record.ctype)):
            item = items[position] if position < len(items) else default_of(declaration)
            statements += self.declare_field(record, declaration, item, location, zero=zero)
        return record, statements

    def declare_field(
        self, record: Record, declaration: Any, initial: Any, location: Location, *, zero: bool = False
    ) -> list[nodes.Statement]:
        """Declare a member of a local object with its initial value."""
        name = f"{record.name}.{declaration.spelling}"
        kind = self.types.member(declaration.type)
        if kind is not None:
            made = self.made(initial, kind, location)
            if isinstance(made, Container):
                record.fields[declaration.spelling] = made
                return []
            container, statement = self.declare_container(name, kind, made, location)
            record.fields[declaration.spelling] = container
            return [statement]
        ctype = self.types.read(declaration.type)
        if isinstance(ctype, NumberType | PointerType):
            value = None if initial is None else self.expression(initial)
            if value is None and zero:
                value = _zero(ctype, location)
            if isinstance(value, nodes.InitialiserList):
                value = value.items[0] if value.items else _zero(ctype, location)
            declared = self.local(name, ctype, None if value is None else converted(value, ctype), location)
            record.fields[declaration.spelling] = nodes.Name(declared.variable, ctype, location)
            return [declared]
        inner, statements = self.record_from(name, declaration.type, initial, location)
        record.fields[declaration.spelling] = inner
        return statements

    def copied_record(self, name: str, source: Record, location: Location) -> tuple[Record, list[nodes.Statement]]:
        """Copy an object member by member."""
        require_plain_copy(source.ctype, location)
        record = Record(name, source.ctype, owner=self.frame.number)
        statements: list[nodes.Statement] = []
        for declaration in fields_of(source.ctype):
            found = self.field(source, declaration, location)
            own = f"{name}.{declaration.spelling}"
            if isinstance(found, Container):
                copy, statement = self.copy_of(found, own, location)
                record.fields[declaration.spelling] = copy
                statements.append(statement)
            elif isinstance(found, Record):
                inner, more = self.copied_record(own, found, location)
                record.fields[declaration.spelling] = inner
                statements += more
            elif not isinstance(found, Lambda):
                declared = self.local(own, found.ctype, found, location)
                record.fields[declaration.spelling] = nodes.Name(declared.variable, found.ctype, location)
                statements.append(declared)
        return record, statements

    def member(self, cursor: Any) -> nodes.Expression:
        """Read a use of a member that is a number or a pointer."""
        found = self.member_binding(cursor)
        if isinstance(found, Container) and is_plain_array(cursor.type):
            return found.base
        if isinstance(found, Container | Record) or found is None or not hasattr(found, "ctype"):
            raise refusal("class", self.location(cursor), f"the member `{cursor.spelling}`")
        return found  # type: ignore[return-value] # neither a container nor an object

    def member_binding(self, cursor: Any) -> Binding | None:
        """Give what a member of an object stands for; None where the object is not known."""
        declaration = cursor.referenced
        location = self.location(cursor)
        if declaration is None:
            return None
        if declaration.kind is CursorKind.VAR_DECL:
            variable = self.variable_of(declaration)
            return nodes.name_of(variable, location)
        if declaration.kind is not CursorKind.FIELD_DECL:
            return None
        children = libclang.children(cursor)
        base = self.object_of(children[0]) if children else self.frame.this
        return self.field(base, declaration, location) if isinstance(base, Record) else None


def _zero(ctype: CType, location: Location) -> nodes.Expression:
    return converted(nodes.Integer(0, INT, location), ctype)
