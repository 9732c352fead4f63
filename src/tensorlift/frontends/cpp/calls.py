"""Calls: functions of the file are read in place of their calls, with references bound to what they refer to.

A function whose body is one ``return`` without side effects in its arguments is the returned expression, so that
``m(i, j) = x`` assigns to the element that ``operator()`` returns.  Any other becomes a call of the shared syntax tree,
which passes numbers and pointers by value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import (
    VOID,
    CType,
    FloatType,
    OtherType,
)
from tensorlift.frontends.c.calls import called_from
from tensorlift.frontends.c.demand import children
from tensorlift.frontends.c.math_functions import is_math_function
from tensorlift.frontends.c.modified import assigned_in_statement, has_effects
from tensorlift.frontends.cpp.class_rules import require_class, require_plain_copy, require_plain_ending
from tensorlift.frontends.cpp.classes import Classes
from tensorlift.frontends.cpp.cpp_types import fields_of, in_std, is_class, is_reference, without_reference
from tensorlift.frontends.cpp.objects import Container, Lambda, Object, Record, pointer_to, sequence
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import (
    argument_for,
    arguments_of,
    default_of,
    lambda_result,
    parameters_of,
    returned_expression,
    unwrapped,
    written_arguments,
)
from tensorlift.frontends.cpp.vectors import converted, evaluated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.cpp.frames import Frame

_MOVES = {"move", "forward"}
_STREAMS = {"operator<<", "operator>>"}
_FUNCTIONS = {CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.CONVERSION_FUNCTION}
_CAPTURED = {CursorKind.VAR_DECL, CursorKind.PARM_DECL}


class Calls(Classes):
    """Reading of calls."""

    last_result: Object | None = None

    def body_of(self, definition: Any) -> nodes.Block:
        """Read the body of a function; the reader of statements does."""
        raise NotImplementedError

    def finish_frame(self, frame: Frame, location: Location) -> None:
        """Settle what a function returns once its body is read; the reader of statements does."""
        raise NotImplementedError

    def scalar_call(self, cursor: Any) -> nodes.Expression:
        """Read a call that gives a number, a pointer or nothing."""
        with self.collecting() as before:
            expression = self._scalar_call(cursor)
        return sequence(before, expression)

    def _scalar_call(self, cursor: Any) -> nodes.Expression:
        declaration, location = cursor.referenced, self.location(cursor)
        if declaration is None:
            raise refusal("callable", location, "a call of what is no function by name")
        receiver = self.receiver_of(cursor)
        if isinstance(receiver, Container):
            return self.container_call(cursor, receiver)
        if isinstance(receiver, Lambda):
            return self._lambda_call(receiver, arguments_of(cursor), location)
        if declaration.kind in _CAPTURED:
            callee = self.bound.get(declaration.data[0])
            if isinstance(callee, Lambda):
                return self._lambda_call(callee, list(cursor.get_arguments()), location)
            raise refusal("callable", location, f"a call through the pointer `{declaration.spelling}`")
        if declaration.kind not in _FUNCTIONS:
            raise refusal("class", location, f"`{self.text_of(cursor)}`")
        definition = declaration.get_definition()
        if definition is None:
            return self._library_call(cursor, declaration)
        if declaration.kind is CursorKind.CXX_METHOD and not declaration.is_static_method() and receiver is None:
            raise refusal("class", location, f"`{self.text_of(cursor)}`")
        this = receiver if isinstance(receiver, Record) else None
        return self.inlined(definition, this, arguments_of(cursor), location)

    def receiver_of(self, cursor: Any) -> Object | None:
        """Give the object whose member function a call calls, None for other functions."""
        declaration = cursor.referenced
        if declaration.kind is not CursorKind.CXX_METHOD or declaration.is_static_method():
            return None
        found: Object | None = self.receiver(cursor)
        return found

    def _library_call(self, cursor: Any, declaration: Any) -> nodes.Expression:
        """Read the call of a function without a body."""
        name, location = declaration.spelling, self.location(cursor)
        ctype = self.types.read(cursor.type)
        standard = in_std(declaration)
        if standard and name == "swap":
            one, other = (self.object_of(argument) for argument in cursor.get_arguments())
            if isinstance(one, Container):
                return self.swapped(one, other, location)
        if standard and name in _STREAMS:
            raise refusal("output", location, self.text_of(cursor)[:40])
        arguments = [self.expression(argument) for argument in cursor.get_arguments()]
        if not is_math_function(name):
            if standard:
                raise refusal("call", location, f"std::{name}")
            return nodes.Call(name, tuple(arguments), None, ctype, location)
        if name == "abs" and isinstance(ctype, FloatType):
            name = "fabs"
        elif name == "abs" and not standard:
            _check_abs(arguments, location)
        if isinstance(ctype, FloatType):
            arguments = [converted(argument, ctype) for argument in arguments]
        return nodes.Call(name, tuple(arguments), None, ctype, location)

    def _lambda_call(self, callee: Lambda, arguments: list[Any], location: Location) -> nodes.Expression:
        return self.inlined(callee.cursor, self.frame.this, arguments, location)

    def inlined(
        self, definition: Any, this: Record | None, arguments: Sequence[Any], location: Location
    ) -> nodes.Expression:
        """Read a function in place of its call."""
        try:
            returned = returned_expression(definition)
            if returned is not None:
                found = self._substituted(definition, this, arguments, returned, location)
                if found is not None:
                    return found
            return self._called(definition, this, arguments, location)
        except LiftError as error:
            raise _called_from(error, definition.spelling or "the lambda", location) from error

    def _substituted(
        self, definition: Any, this: Record | None, arguments: Sequence[Any], returned: Any, location: Location
    ) -> nodes.Expression | None:
        """Give the returned expression of a function with the arguments in place; None where they have effects."""
        values = self._values(definition, arguments)
        if any(isinstance(v, Container | Record | Lambda) is False and not _is_pure(v) for v in values.values()):
            return None
        with self.reading(definition, this, location):
            self.bound |= values
            with self.collecting() as before:
                result = self.expression(returned)
            result = self._as_returned(definition, result)
        return sequence(before, result)

    def _as_returned(self, definition: Any, result: nodes.Expression) -> nodes.Expression:
        """Convert a returned value to the type of the function, unless it is a reference."""
        if definition.kind is CursorKind.LAMBDA_EXPR or is_reference(definition.result_type):
            return result
        return converted(result, self.types.read(definition.result_type))

    def _values(self, definition: Any, arguments: Sequence[Any]) -> dict[int, Object | nodes.Expression]:
        """Read the arguments of a function, by its parameters."""
        given: list[tuple[Any, Any]] = []
        for position, parameter in enumerate(parameters_of(definition)):
            found = argument_for(parameter, position, arguments)
            if found is None:
                detail = f"the parameter `{parameter.spelling}` without a value"
                raise refusal("class", self.location(parameter), detail)
            given.append((parameter, found))
        return {parameter.data[0]: self._argument(parameter, found) for parameter, found in given}

    def _argument(self, parameter: Any, cursor: Any) -> Object | nodes.Expression:
        """Read an argument: an object, or an expression converted to the parameter's type."""
        found = self._object_argument(parameter, cursor)
        if found is not None:
            return found
        ctype = self.types.read(parameter.type)
        if isinstance(ctype, OtherType):
            raise refusal("container", self.location(parameter), ctype.spelling)
        return converted(self.expression(cursor), ctype)

    def _object_argument(self, parameter: Any, cursor: Any) -> Object | None:
        passed = without_reference(parameter.type)
        if passed.kind is TypeKind.POINTER and passed.get_pointee().get_canonical().kind is TypeKind.FUNCTIONPROTO:
            function = unwrapped(cursor).referenced
            definition = function.get_definition() if function is not None else None
            if definition is not None and definition.kind is CursorKind.FUNCTION_DECL:
                return Lambda(definition)
            known = self.bound.get(function.data[0]) if function is not None else None
            return known if isinstance(known, Lambda) else None
        if passed.kind is not TypeKind.RECORD:
            return None
        found = self.object_of(cursor)
        if found is None:
            raise refusal("class", self.location(cursor), f"the argument `{self.text_of(cursor)}`")
        return found

    def constructor_call(
        self, definition: Any, record: Record, arguments: list[Any], location: Location
    ) -> nodes.Expression:
        """Read a constructor in place: the members in their order, then its body."""
        try:
            return self._called(definition, record, arguments, location)
        except LiftError as error:
            raise _called_from(error, definition.spelling, location) from error

    def _called(
        self, definition: Any, this: Record | None, arguments: Sequence[Any], location: Location
    ) -> nodes.Expression:
        """Read a function as a call of the shared syntax tree."""
        values = self._values(definition, arguments)
        passed: list[tuple[nodes.Variable, nodes.Expression]] = []
        name = definition.spelling or "the lambda"
        with self.reading(definition, this, location) as frame:
            prologue: list[nodes.Statement] = []
            for parameter in parameters_of(definition):
                self._bind(parameter, values[parameter.data[0]], passed, prologue)
            if definition.kind is CursorKind.CONSTRUCTOR and this is not None:
                prologue += self._member_initialisers(definition, this, location)
            body = self.body_of(definition)
            block = nodes.Block((*prologue, *body.statements), body.location)
            writes = assigned_in_statement(block)
            own = {variable for variable, _ in passed}
            frame.writes += sorted(writes - own - set(frame.writes), key=lambda v: (v.location, v.name))
            self.finish_frame(frame, location)
            result = self._result_type(definition)
            function = nodes.Function(
                name,
                tuple(variable for variable, _ in passed),
                result,
                self.location(definition),
                block,
                writes=tuple(dict.fromkeys(frame.writes)),
            )
            self.last_result = frame.result
        return nodes.Call(name, tuple(value for _, value in passed), function, result, location)

    def _result_type(self, definition: Any) -> CType:
        if definition.kind is CursorKind.LAMBDA_EXPR:
            found = lambda_result(definition)
            return VOID if found is None else self.types.read(found)
        if definition.kind is CursorKind.CONSTRUCTOR or is_class(definition.result_type):
            return VOID
        return self.types.read(definition.result_type)

    def _bind(
        self,
        parameter: Any,
        value: Object | nodes.Expression,
        passed: list[tuple[nodes.Variable, nodes.Expression]],
        prologue: list[nodes.Statement],
    ) -> None:
        """Bind a parameter of a function that is called."""
        key, location = parameter.data[0], self.location(parameter)
        by_reference = is_reference(parameter.type)
        if isinstance(value, Record) and not by_reference:
            require_plain_ending(parameter.type, location)
            require_plain_copy(parameter.type, location)
        if isinstance(value, Container) and not by_reference and self.changes(parameter):
            value, statement = self.copy_of(value, parameter.spelling, location)
            prologue.append(statement)
        if isinstance(value, Record) and not by_reference and self.changes(parameter):
            value, statements = self.copied_record(parameter.spelling, value, location)
            prologue += statements
        if isinstance(value, Container | Record | Lambda) or (by_reference and isinstance(value, nodes.Name)):
            self.bound[key] = value
        elif by_reference and isinstance(value, nodes.Subscript | nodes.Unary) and nodes.is_cell(value):
            pointer = nodes.Variable(parameter.spelling, pointer_to(value.ctype), location, is_parameter=True)
            passed.append((pointer, nodes.Unary("&", value, pointer.ctype, value.location)))
            name = nodes.name_of(pointer, location)
            self.bound[key] = nodes.Unary("*", name, value.ctype, location)
        elif by_reference and not _is_const_reference(parameter.type):
            raise refusal("reference", location, f"`{parameter.spelling}` refers to no variable or element")
        else:
            ctype = self.types.read(parameter.type)
            variable = nodes.Variable(parameter.spelling, ctype, location, is_parameter=True)
            self.variables[key] = variable
            passed.append((variable, value))

    def changes(self, parameter: Any) -> bool:
        """Whether a function may change a container that it gets by value: one use is no plain reading."""
        return self.uses.changes(self.frame.definition, parameter)

    def _member_initialisers(self, definition: Any, this: Record, location: Location) -> list[nodes.Statement]:
        """Give the members their first values, in the order in which the class declares them."""
        given: dict[str, Any] = {}
        inner = libclang.children(definition)
        for position, child in enumerate(inner):
            if child.kind is CursorKind.MEMBER_REF:
                given[child.spelling] = inner[position + 1]
            elif child.kind is CursorKind.TYPE_REF:
                raise refusal("class", location, "a constructor that calls another one")
        statements: list[nodes.Statement] = []
        for declaration in fields_of(this.ctype):
            initial = given.get(declaration.spelling, default_of(declaration))
            with self.collecting() as before:
                found = self.declare_field(this, declaration, initial, location)
            statements += evaluated(before, location) + found
        return statements

    def object_call(self, cursor: Any) -> Object | None:
        """Read a call that gives a container or an object of a class."""
        declaration, location = cursor.referenced, self.location(cursor)
        if declaration is None:
            return None
        if declaration.kind is CursorKind.CONSTRUCTOR:
            return self._temporary(cursor, location)
        if in_std(declaration) and declaration.spelling in _MOVES:
            return self.object_of(next(iter(cursor.get_arguments())))
        receiver = self.receiver_of(cursor)
        if isinstance(receiver, Container):
            index = self.index_of(cursor, receiver)
            return receiver.row(index, location) if index is not None and receiver.kind.rank > 1 else None
        definition = receiver.cursor if isinstance(receiver, Lambda) else declaration.get_definition()
        if definition is None:
            return None
        this = receiver if isinstance(receiver, Record) else None
        arguments = arguments_of(cursor)
        returns_only = returned_expression(definition) is not None
        if definition.kind is not CursorKind.LAMBDA_EXPR and is_reference(definition.result_type) and returns_only:
            return self._referred(definition, this, arguments, location)
        try:
            self.last_result = None
            call = self._called(definition, this, arguments, location)
        except LiftError as error:
            raise _called_from(error, definition.spelling or "the lambda", location) from error
        found, self.last_result = self.last_result, None
        self.before.append(call)
        return found

    def _referred(
        self, definition: Any, this: Record | None, arguments: Sequence[Any], location: Location
    ) -> Object | None:
        """Give the object that a function returns a reference to."""
        values = self._values(definition, arguments)
        with self.reading(definition, this, location):
            self.bound |= values
            return self.object_of(returned_expression(definition))

    def _temporary(self, cursor: Any, location: Location) -> Object | None:
        """Make a temporary container or object."""
        kind = self.types.container(cursor.type)
        if kind is not None:
            made = self.made(cursor, kind, location)
            if isinstance(made, Container):
                return made
            if made.source is not None:
                return made.source
            container, statement = self.declare_container("temporary", kind, made, location)
            self.before.append(self.as_expression([statement], location))
            return container
        if not is_class(cursor.type):
            return None
        arguments = written_arguments(cursor)
        if len(arguments) == 1 and without_reference(arguments[0].type) == without_reference(cursor.type):
            require_plain_copy(cursor.type, location)
            return self.object_of(arguments[0])
        require_class(cursor.type, location)
        record, statements = self.record_from("temporary", cursor.type, cursor, location)
        self.before.append(self.as_expression(statements, location))
        return record


def _called_from(error: LiftError, name: str, location: Location) -> LiftError:
    """Note the call in the diagnostics of the callee, in place of the call inside of a library function."""
    shortened = (
        replace(item, notes=tuple(note for note in item.notes if note.location != location))
        for item in error.diagnostics
    )
    return called_from(LiftError(*shortened), name, location)


def _is_pure(expression: object) -> bool:
    """Whether an expression may be evaluated any number of times."""
    assert not isinstance(expression, Container | Record | Lambda)
    if has_effects(expression):  # type: ignore[arg-type] # an expression, since it is no object
        return False
    work = [expression]
    while work:
        node = work.pop()
        if isinstance(node, nodes.Call) and not (node.callee is None and is_math_function(node.name)):
            return False
        work.extend(children(node))  # type: ignore[arg-type] # as above
    return True


def _is_const_reference(clang_type: Any) -> bool:
    return bool(clang_type.get_canonical().get_pointee().is_const_qualified())


def _check_abs(arguments: Sequence[nodes.Expression], location: Location) -> None:
    """Refuse C's ``abs`` of a floating-point number."""
    operand = arguments[0]
    if isinstance(operand, nodes.Cast) and isinstance(operand.operand.ctype, FloatType):
        raise refusal("abs", location, "abs")
