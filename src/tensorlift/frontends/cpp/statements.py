"""Statements of C++: declarations of objects and references, range-for, what a function returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import INT, UNSIGNED_LONG, ArrayType
from tensorlift.frontends.c.clang_ast import UnitReader
from tensorlift.frontends.c.endings import as_statement
from tensorlift.frontends.c.jumps import without_continue, without_goto
from tensorlift.frontends.c.running_places import keep_values_at_places
from tensorlift.frontends.c.searches import run_to_their_ends
from tensorlift.frontends.cpp.cpp_types import fields_of, is_reference, without_reference
from tensorlift.frontends.cpp.expressions import Expressions, bare
from tensorlift.frontends.cpp.objects import Container, ContainerType, Lambda, Object, Record, pointer_to
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import HARMLESS, constructor_in, is_implicit, unwrapped
from tensorlift.frontends.cpp.vectors import assigned, converted

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.cpp.frames import Frame

_PUSHES = {"push_back", "emplace_back"}


class Statements(Expressions):
    """Reading of statements."""

    def body_of(self, definition: Any) -> nodes.Block:
        """Read the body of a function."""
        bodies = [child for child in libclang.children(definition) if child.kind is CursorKind.COMPOUND_STMT]
        if not bodies:
            raise refusal("exception", self.location(definition), "a function that is one `try`")
        body = self._block(bodies[0])
        without_goto(body)
        run_to_their_ends(body, unless_loops=True)
        keep_values_at_places(body)
        return body

    def statement(self, cursor: Any) -> nodes.Statement:
        """Read one statement, with what must happen before its expressions."""
        if cursor.kind in {CursorKind.CXX_TRY_STMT, CursorKind.CXX_CATCH_STMT}:
            raise refusal("exception", self.location(cursor), "`try`")
        if cursor.kind in self._statement_readers_by_kind:
            return super().statement(cursor)
        if cursor.kind is CursorKind.CALL_EXPR or cursor.kind is CursorKind.UNEXPOSED_EXPR:
            found = self._object_statement(unwrapped(cursor))
            if found is not None:
                return found
        if _drops_object(cursor):
            return nodes.Block((), self.location(cursor), is_scope=False)
        if cursor.kind.is_expression():
            return as_statement(self.joined(cursor))
        return super().statement(cursor)

    def _object_statement(self, cursor: Any) -> nodes.Statement | None:
        """Read an assignment to a container, and the appending of a row; None for any other call."""
        if cursor.kind is not CursorKind.CALL_EXPR or cursor.referenced is None:
            return None
        location = self.location(cursor)
        if cursor.spelling == "operator=":
            target, _, value = libclang.children(cursor)
            found = self.object_of(target)
            if isinstance(found, Container):
                return self.overwrite(found, value, location)
            if isinstance(found, Record) and is_implicit(cursor.referenced):
                return self._replaced_record(found, value, location)
            raise refusal("class", location, f"the assignment `{self.text_of(cursor)}`")
        if cursor.spelling in _PUSHES:
            found = self.receiver_of(cursor)
            if isinstance(found, Container) and found.kind.rank > 1:
                return self.push_row(cursor, found)
        if without_reference(cursor.type).kind is TypeKind.RECORD and self._is_known(cursor):
            with self.collecting() as before:
                self.object_of(cursor)
            return nodes.Block(tuple(nodes.Evaluate(part, location) for part in before), location, is_scope=False)
        return None

    def _replaced_record(self, target: Record, cursor: Any, location: Location) -> nodes.Statement:
        """Read the assignment of a whole object, member by member."""
        with self.collecting() as before:
            source = self.object_of(cursor)
        if not isinstance(source, Record):
            raise refusal("class", location, f"the assignment to `{target.name}`")
        statements: list[nodes.Statement] = [nodes.Evaluate(part, location) for part in before]
        pairs = [(target, source)]
        while pairs:
            to, of = pairs.pop(0)
            for declaration in fields_of(of.ctype):
                own, other = self.field(to, declaration, location), self.field(of, declaration, location)
                if isinstance(own, Container) and isinstance(other, Container):
                    statements += self.replaced(own, other, location)
                elif isinstance(own, Record) and isinstance(other, Record):
                    pairs.append((own, other))
                elif isinstance(own, nodes.Name) and isinstance(other, nodes.Name):
                    statements.append(nodes.Evaluate(assigned(own, other), location))
        return nodes.Block(tuple(statements), location, is_scope=False)

    def _is_known(self, cursor: Any) -> bool:
        """Whether a call is of a function with a body."""
        return cursor.referenced.get_definition() is not None

    def _declared(self, cursor: Any) -> nodes.Statement:
        """Read a declaration statement: a block of declarations without a scope of its own."""
        found = [self._declare_one(child) for child in libclang.children(cursor) if child.kind not in HARMLESS]
        return found[0] if len(found) == 1 else nodes.Block(tuple(found), self.location(cursor), is_scope=False)

    def _declare_one(self, cursor: Any) -> nodes.Statement:
        location = self.location(cursor)
        if cursor.kind is not CursorKind.VAR_DECL:
            return nodes.Unsupported("declaration", INT, location, cursor.spelling)
        values = [child for child in libclang.children(cursor) if child.kind.is_expression()]
        initial = values[-1] if values else None
        if is_reference(cursor.type):
            return self._declare_reference(cursor, initial, location)
        kind = self.types.container(cursor.type)
        if kind is not None:
            return self._declare_container(cursor, kind, initial, location)
        if without_reference(cursor.type).kind is TypeKind.RECORD:
            found = self.object_of(initial) if initial is not None and _is_lambda(initial) else None
            if isinstance(found, Lambda):
                self.bound[cursor.data[0]] = found
                return nodes.Block((), location, is_scope=False)
            return self.declare_record(cursor.spelling, cursor, initial, location)
        with self.collecting() as before:
            variable = self.variable_of(cursor)
        parts, declared = [nodes.Evaluate(part, location) for part in before], nodes.Declare(variable, location)
        return nodes.Block((*parts, declared), location, is_scope=False) if parts else declared

    def _declare_container(self, cursor: Any, kind: ContainerType, initial: Any, location: Location) -> nodes.Statement:
        with self.collecting() as before:
            made = self.made(initial, kind, location)
        parts: list[nodes.Statement] = [nodes.Evaluate(part, location) for part in before]
        if isinstance(made, Container):
            self.bound[cursor.data[0]] = made
            made.owner = self.frame.number
        else:
            self.bound[cursor.data[0]], declared = self.declare_container(cursor.spelling, kind, made, location)
            parts.append(declared)
        return nodes.Block(tuple(parts), location, is_scope=False)

    def _declare_reference(self, cursor: Any, initial: Any, location: Location) -> nodes.Statement:
        """Bind a reference: to an object, a variable, or an element, whose address is taken here."""
        with self.collecting() as before:
            if without_reference(cursor.type).kind is TypeKind.RECORD:
                found: Object | nodes.Expression | None = self._referred_object(initial, location)
            else:
                found = self.expression(initial)
        parts: list[nodes.Statement] = [nodes.Evaluate(part, location) for part in before]
        if isinstance(found, Container) and not isinstance(found.base, nodes.Name):
            address = self.local(cursor.spelling, pointer_to(found.element_type), found.base, location)
            found.base = nodes.Name(address.variable, address.variable.ctype, location)
            parts.append(address)
        if isinstance(found, Container | Record | Lambda | nodes.Name):
            self.bound[cursor.data[0]] = found
        elif isinstance(found, nodes.Subscript) or (isinstance(found, nodes.Unary) and found.operator == "*"):
            ctype = pointer_to(found.ctype)
            address = self.local(cursor.spelling, ctype, nodes.Unary("&", found, ctype, location), location)
            name = nodes.Name(address.variable, ctype, location)
            self.bound[cursor.data[0]] = nodes.Unary("*", name, found.ctype, location)
            parts.append(address)
        elif cursor.type.get_canonical().get_pointee().is_const_qualified() and found is not None:
            variable = nodes.Variable(cursor.spelling, found.ctype, location, initialiser=found)
            self.variables[cursor.data[0]] = variable
            parts.append(nodes.Declare(variable, location))
        else:
            raise refusal("reference", location, f"`{cursor.spelling}` refers to no variable, element or row")
        return nodes.Block(tuple(parts), location, is_scope=False)

    def _referred_object(self, initial: Any, location: Location) -> Object | None:
        found = self.object_of(initial)
        if found is None:
            raise refusal("reference", location, "this reference is to no object of the function")
        if isinstance(found, Container):
            row = Container(found.kind, found.base, found.extents, found.name)
            return row if found.variable is None else found
        return found

    def _range_for(self, cursor: Any) -> nodes.Statement:
        """Read ``for (x : range)`` as a loop over the subscripts."""
        variable, *middle, body = libclang.children(cursor)
        location = self.location(cursor)
        with self.collecting() as before:
            ranged = self._range(middle[-1], location)
        parts: list[nodes.Statement] = [nodes.Evaluate(part, location) for part in before]
        zero = nodes.Integer(0, UNSIGNED_LONG, location)
        counter = nodes.Variable("position", UNSIGNED_LONG, location, initialiser=zero)
        index = nodes.Name(counter, UNSIGNED_LONG, location)
        bound = self.size_of(ranged.extents[0], location)
        bind = self._bind_element(variable, ranged, index)
        with self.repeating():
            inner = without_continue(self.statement(body))
        block = nodes.Block((bind, inner), location)
        step = nodes.Unary("pre++", index, UNSIGNED_LONG, location)
        below = nodes.Binary("<", index, bound, INT, location)
        loop = nodes.Loop("for", nodes.Declare(counter, location), below, step, block, location)
        return nodes.Block((*parts, loop), location)

    def _range(self, cursor: Any, location: Location) -> Container:
        """Give the container or array that a range-for runs over."""
        found = self.object_of(cursor) if without_reference(cursor.type).kind is TypeKind.RECORD else None
        if found is None:
            expression = self.expression(cursor)
            ctype = expression.ctype
            if isinstance(ctype, ArrayType) and ctype.length is not None and not isinstance(ctype.element, ArrayType):
                kind = ContainerType(ctype.element, (ctype.length,))  # type: ignore[arg-type] # arrays of numbers
                return Container(kind, expression, (ctype.length,), self.text_of(cursor))
        if not isinstance(found, Container):
            raise refusal("range", location, f"`{self.text_of(cursor)}`")
        return found

    def _bind_element(self, variable: Any, ranged: Container, index: nodes.Name) -> nodes.Statement:
        """Bind the variable of a range-for: to the element itself, or to a copy of it."""
        location, key = self.location(variable), variable.data[0]
        if ranged.kind.rank > 1:
            row = ranged.row(index, location)
            if is_reference(variable.type):
                self.bound[key] = row
                return nodes.Block((), location, is_scope=False)
            self.bound[key], statement = self.copy_of(row, variable.spelling, location)
            return statement
        element = ranged.element(index, location)
        if is_reference(variable.type):
            self.bound[key] = element
            return nodes.Block((), location, is_scope=False)
        ctype = self.types.read(variable.type)
        copied = nodes.Variable(variable.spelling, ctype, location, initialiser=converted(element, ctype))
        self.variables[key] = copied
        return nodes.Declare(copied, location)

    def _returns(self, cursor: Any) -> nodes.Statement:
        """Read ``return``: an object is kept as what the frame gives."""
        location, values = self.location(cursor), libclang.children(cursor)
        kind = self.types.container(self.result_type_of_frame())
        is_object = without_reference(self.result_type_of_frame()).kind is TypeKind.RECORD
        if not values or not is_object:
            value = self.joined(values[0]) if values else None
            return nodes.Return(value, location)
        found: Object | None
        statements: list[nodes.Statement] = []
        with self.collecting() as before:
            if is_reference(self.result_type_of_frame()):
                found = self._returned_reference(values[0], location)
            else:
                found, statements = self._returned(values[0], kind, location)
        parts: list[nodes.Statement] = [nodes.Evaluate(part, location) for part in before]
        if found is not None:
            if self.frame.result not in (None, found):
                raise refusal("return", location, "one of several vectors is returned")
            self.frame.result = found
            parts += [*statements, *self.settle_result(found, location)]
        else:
            empty = nodes.Settle(nodes.Variable("?", INT, location), (), location)
            self.frame.empty_returns.append(empty)
            parts.append(empty)
        return nodes.Block((*parts, nodes.Return(None, location)), location, is_scope=False)

    def _returned_reference(self, cursor: Any, location: Location) -> Object:
        """Read what a function returns a reference to: an object that is there before it, as ``*this`` is."""
        found = self.object_of(cursor)
        if not isinstance(found, Container | Record) or (found.owner == self.frame.number and found.owner > 0):
            raise refusal("reference", location, f"a reference to `{self.text_of(cursor)}` is returned")
        return found

    def _returned(
        self, cursor: Any, kind: ContainerType | None, location: Location
    ) -> tuple[Object | None, list[nodes.Statement]]:
        """Read what a function returns; no object for an empty container."""
        if kind is None:
            named = self._named_object(cursor)
            if isinstance(named, Record) and named.owner == self.frame.number:
                return named, []
            record, statements = self.record_from("result", self.result_type_of_frame(), cursor, location)
            return record, statements
        known = self._named_object(cursor)
        if isinstance(known, Container) and self._may_hand_over(known):
            return known, []
        made = self.made(cursor, kind, location)
        if isinstance(made, Container):
            return made, []
        first = made.extents[0]
        if made.source is None and isinstance(first, nodes.Integer) and first.value == 0:
            return None, []
        found, statement = self.declare_container("result", kind, made, location)
        return found, [statement]

    def _named_object(self, cursor: Any) -> Object | None:
        """Give the object that is returned by its name, under moves and copies."""
        inner = constructor_in(cursor)
        if inner is None:
            return None
        if inner.kind is CursorKind.CALL_EXPR and inner.referenced is not None:
            arguments = [a for a in inner.get_arguments() if a is not None]
            if inner.referenced.kind is CursorKind.CONSTRUCTOR and len(arguments) == 1:
                inner = arguments[0]
        return self.object_of(inner) if self._is_object(inner) else None

    def _is_object(self, cursor: Any) -> bool:
        """Whether an expression names an object, or moves one that is named."""
        cursor = unwrapped(cursor)
        if cursor.kind is CursorKind.CALL_EXPR and cursor.spelling == "move":
            cursor = unwrapped(next(iter(cursor.get_arguments())))
        return cursor.kind in {CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR}

    def _may_hand_over(self, container: Container) -> bool:
        """Whether a container ends with the function, so that the caller may have it."""
        return container.storage is not None and container.owner == self.frame.number

    def settle_result(self, found: Object, location: Location) -> list[nodes.Statement]:
        """State the extents of what a function returns; only those of the function that is lifted matter."""
        del found, location
        return []

    def finish_frame(self, frame: Frame, location: Location) -> None:
        """Let what a function returns as empty be what it returns elsewhere."""
        if frame.empty_returns and not isinstance(frame.result, Container):
            raise refusal("return", location, "an empty vector is returned")
        for empty in frame.empty_returns:
            assert isinstance(frame.result, Container)
            variable = frame.result.variable
            if variable is None:
                raise refusal("return", location, "one of several vectors is returned")
            zero = nodes.Integer(0, UNSIGNED_LONG, location)
            empty.variable, empty.extents = variable, (zero, *(None for _ in frame.result.extents[1:]))

    def result_type_of_frame(self) -> Any:
        """Give the type that the function at hand returns."""
        definition = self.frame.definition
        if definition.kind is not CursorKind.LAMBDA_EXPR:
            return definition.result_type
        members = libclang.children(definition.type.get_canonical().get_declaration())
        found = [member.result_type for member in members if member.spelling == "operator()"]
        return found[0] if found else definition.type

    def _branches(self, cursor: Any) -> nodes.Statement:
        inner = libclang.children(cursor)
        if len(inner) > 3 or not inner[0].kind.is_expression():  # noqa: PLR2004 - condition and two arms
            raise refusal("reference", self.location(cursor), "an `if` that declares a variable is not lifted")
        value = libclang.evaluate(inner[0]) if _is_constant(inner[0]) else None
        if value is not None:
            arms = [self.statement(arm) for arm in inner[1:]][0 if value else 1 :][:1]
            return arms[0] if arms else nodes.Block((), self.location(cursor))
        condition = bare(self.joined(inner[0]))
        arms = [self.statement(arm) for arm in inner[1:]]
        return nodes.If(condition, arms[0], arms[1] if len(arms) > 1 else None, self.location(cursor))

    def _counted(self, cursor: Any) -> nodes.Statement:
        """Read a loop of C with its condition bare."""
        with self.repeating():
            loop = UnitReader._statement_readers[cursor.kind.value](self, cursor)  # noqa: SLF001 - as below
        if isinstance(loop, nodes.Loop) and loop.condition is not None:
            loop.condition = bare(loop.condition)
        return loop

    _statement_readers: ClassVar[dict[int, Callable[..., nodes.Statement]]] = {
        **UnitReader._statement_readers,  # noqa: SLF001 - the table that this one extends
        **{
            kind.value: reader
            for kind, reader in (
                (CursorKind.DECL_STMT, _declared),
                (CursorKind.IF_STMT, _branches),
                (CursorKind.FOR_STMT, _counted),
                (CursorKind.WHILE_STMT, _counted),
                (CursorKind.DO_STMT, _counted),
                (CursorKind.CXX_FOR_RANGE_STMT, _range_for),
                (CursorKind.RETURN_STMT, _returns),
            )
        },
    }
    _statement_readers_by_kind: ClassVar[set[CursorKind]] = {CursorKind.from_id(k) for k in _statement_readers}


def _drops_object(cursor: Any) -> bool:
    """Whether a statement is ``(void)v``, which uses a parameter to no effect."""
    if cursor.kind is not CursorKind.CSTYLE_CAST_EXPR or cursor.type.get_canonical().kind is not TypeKind.VOID:
        return False
    inner = unwrapped(libclang.children(cursor)[-1])
    return inner.kind is CursorKind.DECL_REF_EXPR and without_reference(inner.type).kind is TypeKind.RECORD


def _is_lambda(cursor: Any) -> bool:
    while cursor.kind is not CursorKind.LAMBDA_EXPR:
        inner = [child for child in libclang.children(cursor) if child.kind.is_expression()]
        if len(inner) != 1:
            return False
        cursor = inner[0]
    return True


def _is_constant(cursor: Any) -> bool:
    """Whether a condition holds no variable that could change."""
    references = [c for c in cursor.walk_preorder() if c.kind is CursorKind.DECL_REF_EXPR and c.referenced is not None]
    return all(c.referenced.type.is_const_qualified() for c in references) and not any(
        c.kind is CursorKind.CALL_EXPR for c in cursor.walk_preorder()
    )
