"""Statements of C++: declarations of objects and references, range-for, what a function returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import INT, UNSIGNED_LONG, ArrayType
from tensorlift.frontends.c.clang_ast import STATEMENTS as C_STATEMENTS
from tensorlift.frontends.c.endings import as_statement
from tensorlift.frontends.c.running_places import keep_values_at_places
from tensorlift.frontends.c.searches import run_to_their_ends
from tensorlift.frontends.c.switches import without_continue, without_goto
from tensorlift.frontends.cpp.cpp_types import fields_of, is_class, is_reference
from tensorlift.frontends.cpp.expressions import EXPRESSIONS, Expressions, bare
from tensorlift.frontends.cpp.objects import Container, ContainerType, Lambda, Object, Record, pointer_to
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import HARMLESS, constructor_in, is_implicit, unwrapped, written_arguments
from tensorlift.frontends.cpp.vectors import assigned, converted, evaluated

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.cpp.frames import Frame

_PUSHES = {"push_back", "emplace_back"}


class Statements(Expressions):
    """Reading of statements."""

    expression_rules = EXPRESSIONS

    def statement_rules(self) -> dict[int, Callable[..., nodes.Statement]]:
        """Give the rules by which statements are read, by kind of cursor."""
        return STATEMENTS

    def body_of(self, definition: Any) -> nodes.Block:
        """Read the body of a function."""
        bodies = [child for child in libclang.children(definition) if child.kind is CursorKind.COMPOUND_STMT]
        if not bodies:
            raise refusal("exception", self.location(definition), "a function that is one `try`")
        body = self.block(bodies[0])
        without_goto(body)
        run_to_their_ends(body, unless_loops=True)
        keep_values_at_places(body)
        return body

    def statement(self, cursor: Any) -> nodes.Statement:
        """Read one statement, with what must happen before its expressions."""
        if cursor.kind in {CursorKind.CXX_TRY_STMT, CursorKind.CXX_CATCH_STMT}:
            raise refusal("exception", self.location(cursor), "`try`")
        if cursor.kind.value in STATEMENTS:
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
                return _replaced_record(self, found, value, location)
            raise refusal("class", location, f"the assignment `{self.text_of(cursor)}`")
        if cursor.spelling in _PUSHES:
            found = self.receiver_of(cursor)
            if isinstance(found, Container) and found.kind.rank > 1:
                return self.push_row(cursor, found)
        if is_class(cursor.type) and cursor.referenced.get_definition() is not None:
            with self.collecting() as before:
                self.object_of(cursor)
            return nodes.Block(tuple(evaluated(before, location)), location, is_scope=False)
        return None

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


def _declared(reader: Statements, cursor: Any) -> nodes.Statement:
    """Read a declaration statement: a block of declarations without a scope of its own."""
    found = [_declare_one(reader, child) for child in libclang.children(cursor) if child.kind not in HARMLESS]
    return found[0] if len(found) == 1 else nodes.Block(tuple(found), reader.location(cursor), is_scope=False)


def _declare_one(reader: Statements, cursor: Any) -> nodes.Statement:
    location = reader.location(cursor)
    if cursor.kind is not CursorKind.VAR_DECL:
        return nodes.Unsupported("declaration", INT, location, cursor.spelling)
    values = libclang.expressions(cursor)
    initial = values[-1] if values else None
    if is_reference(cursor.type):
        return _declare_reference(reader, cursor, initial, location)
    kind = reader.types.container(cursor.type)
    if kind is not None:
        return _declare_container(reader, cursor, kind, initial, location)
    if is_class(cursor.type):
        found = reader.object_of(initial) if initial is not None and _is_lambda(initial) else None
        if isinstance(found, Lambda):
            reader.bound[cursor.data[0]] = found
            return nodes.Block((), location, is_scope=False)
        return reader.declare_record(cursor.spelling, cursor, initial, location)
    with reader.collecting() as before:
        variable = reader.variable_of(cursor)
    parts, declared = evaluated(before, location), nodes.Declare(variable, location)
    return nodes.Block((*parts, declared), location, is_scope=False) if parts else declared


def _range_for(reader: Statements, cursor: Any) -> nodes.Statement:
    """Read ``for (x : range)`` as a loop over the subscripts."""
    variable, *middle, body = libclang.children(cursor)
    location = reader.location(cursor)
    with reader.collecting() as before:
        ranged = _range(reader, middle[-1], location)
    parts = evaluated(before, location)
    zero = nodes.Integer(0, UNSIGNED_LONG, location)
    counter = nodes.Variable("position", UNSIGNED_LONG, location, initialiser=zero)
    index = nodes.Name(counter, UNSIGNED_LONG, location)
    bound = reader.size_of(ranged.extents[0], location)
    bind = _bind_element(reader, variable, ranged, index)
    with reader.repeating():
        inner = without_continue(reader.statement(body))
    block = nodes.Block((bind, inner), location)
    step = nodes.Unary("pre++", index, UNSIGNED_LONG, location)
    below = nodes.Binary("<", index, bound, INT, location)
    loop = nodes.Loop("for", nodes.Declare(counter, location), below, step, block, location)
    return nodes.Block((*parts, loop), location)


def _range(reader: Statements, cursor: Any, location: Location) -> Container:
    """Give the container or array that a range-for runs over."""
    found = reader.object_of(cursor) if is_class(cursor.type) else None
    if found is None:
        expression = reader.expression(cursor)
        ctype = expression.ctype
        if isinstance(ctype, ArrayType) and ctype.length is not None and not isinstance(ctype.element, ArrayType):
            kind = ContainerType(ctype.element, (ctype.length,))  # type: ignore[arg-type] # arrays of numbers
            return Container(kind, expression, (ctype.length,), reader.text_of(cursor))
    if not isinstance(found, Container):
        raise refusal("range", location, f"`{reader.text_of(cursor)}`")
    return found


def _bind_element(reader: Statements, variable: Any, ranged: Container, index: nodes.Name) -> nodes.Statement:
    """Bind the variable of a range-for: to the element itself, or to a copy of it."""
    location, key = reader.location(variable), variable.data[0]
    if ranged.kind.rank > 1:
        row = ranged.row(index, location)
        if is_reference(variable.type):
            reader.bound[key] = row
            return nodes.Block((), location, is_scope=False)
        reader.bound[key], statement = reader.copy_of(row, variable.spelling, location)
        return statement
    element = ranged.element(index, location)
    if is_reference(variable.type):
        reader.bound[key] = element
        return nodes.Block((), location, is_scope=False)
    ctype = reader.types.read(variable.type)
    copied = nodes.Variable(variable.spelling, ctype, location, initialiser=converted(element, ctype))
    reader.variables[key] = copied
    return nodes.Declare(copied, location)


def _returns(reader: Statements, cursor: Any) -> nodes.Statement:
    """Read ``return``: an object is kept as what the frame gives."""
    location, values = reader.location(cursor), libclang.children(cursor)
    kind = reader.types.container(reader.result_type_of_frame())
    is_object = is_class(reader.result_type_of_frame())
    if not values or not is_object:
        value = reader.joined(values[0]) if values else None
        return nodes.Return(value, location)
    found: Object | None
    statements: list[nodes.Statement] = []
    with reader.collecting() as before:
        if is_reference(reader.result_type_of_frame()):
            found = _returned_reference(reader, values[0], location)
        else:
            found, statements = _returned(reader, values[0], kind, location)
    parts = evaluated(before, location)
    if found is not None:
        if reader.frame.result not in (None, found):
            raise refusal("return", location, "one of several vectors is returned")
        reader.frame.result = found
        parts += [*statements, *reader.settle_result(found, location)]
    else:
        empty = nodes.Settle(nodes.Variable("?", INT, location), (), location)
        reader.frame.empty_returns.append(empty)
        parts.append(empty)
    return nodes.Block((*parts, nodes.Return(None, location)), location, is_scope=False)


def _branches(reader: Statements, cursor: Any) -> nodes.Statement:
    inner = libclang.children(cursor)
    if len(inner) > 3 or not inner[0].kind.is_expression():  # noqa: PLR2004 - condition and two arms
        raise refusal("reference", reader.location(cursor), "an `if` that declares a variable is not lifted")
    value = libclang.evaluate(inner[0]) if _is_constant(inner[0]) else None
    if value is not None:
        arms = [reader.statement(arm) for arm in inner[1:]][0 if value else 1 :][:1]
        return arms[0] if arms else nodes.Block((), reader.location(cursor))
    condition = bare(reader.joined(inner[0]))
    arms = [reader.statement(arm) for arm in inner[1:]]
    return nodes.If(condition, arms[0], arms[1] if len(arms) > 1 else None, reader.location(cursor))


def _counted(reader: Statements, cursor: Any) -> nodes.Statement:
    """Read a loop of C with its condition bare."""
    with reader.repeating():
        loop = C_STATEMENTS[cursor.kind.value](reader, cursor)
    if isinstance(loop, nodes.Loop) and loop.condition is not None:
        loop.condition = bare(loop.condition)
    return loop


def _replaced_record(reader: Statements, target: Record, cursor: Any, location: Location) -> nodes.Statement:
    """Read the assignment of a whole object, member by member."""
    with reader.collecting() as before:
        source = reader.object_of(cursor)
    if not isinstance(source, Record):
        raise refusal("class", location, f"the assignment to `{target.name}`")
    statements = evaluated(before, location)
    pairs = [(target, source)]
    while pairs:
        to, of = pairs.pop(0)
        for declaration in fields_of(of.ctype):
            own, other = reader.field(to, declaration, location), reader.field(of, declaration, location)
            if isinstance(own, Container) and isinstance(other, Container):
                statements += reader.replaced(own, other, location)
            elif isinstance(own, Record) and isinstance(other, Record):
                pairs.append((own, other))
            elif isinstance(own, nodes.Name) and isinstance(other, nodes.Name):
                statements.append(nodes.Evaluate(assigned(own, other), location))
    return nodes.Block(tuple(statements), location, is_scope=False)


def _declare_container(
    reader: Statements, cursor: Any, kind: ContainerType, initial: Any, location: Location
) -> nodes.Statement:
    with reader.collecting() as before:
        made = reader.made(initial, kind, location)
    parts = evaluated(before, location)
    if isinstance(made, Container):
        reader.bound[cursor.data[0]] = made
        made.owner = reader.frame.number
    else:
        reader.bound[cursor.data[0]], declared = reader.declare_container(cursor.spelling, kind, made, location)
        parts.append(declared)
    return nodes.Block(tuple(parts), location, is_scope=False)


def _declare_reference(reader: Statements, cursor: Any, initial: Any, location: Location) -> nodes.Statement:
    """Bind a reference: to an object, a variable, or an element, whose address is taken here."""
    with reader.collecting() as before:
        if is_class(cursor.type):
            found: Object | nodes.Expression | None = _referred_object(reader, initial, location)
        else:
            found = reader.expression(initial)
    parts = evaluated(before, location)
    if isinstance(found, Container) and not isinstance(found.base, nodes.Name):
        address = reader.local(cursor.spelling, pointer_to(found.element_type), found.base, location)
        found.base = nodes.name_of(address.variable, location)
        parts.append(address)
    if isinstance(found, Container | Record | Lambda | nodes.Name):
        reader.bound[cursor.data[0]] = found
    elif isinstance(found, nodes.Subscript | nodes.Unary) and nodes.is_cell(found):
        ctype = pointer_to(found.ctype)
        address = reader.local(cursor.spelling, ctype, nodes.Unary("&", found, ctype, location), location)
        name = nodes.Name(address.variable, ctype, location)
        reader.bound[cursor.data[0]] = nodes.Unary("*", name, found.ctype, location)
        parts.append(address)
    elif cursor.type.get_canonical().get_pointee().is_const_qualified() and found is not None:
        variable = nodes.Variable(cursor.spelling, found.ctype, location, initialiser=found)
        reader.variables[cursor.data[0]] = variable
        parts.append(nodes.Declare(variable, location))
    else:
        raise refusal("reference", location, f"`{cursor.spelling}` refers to no variable, element or row")
    return nodes.Block(tuple(parts), location, is_scope=False)


def _referred_object(reader: Statements, initial: Any, location: Location) -> Object | None:
    found = reader.object_of(initial)
    if found is None:
        raise refusal("reference", location, "this reference is to no object of the function")
    if isinstance(found, Container):
        row = Container(found.kind, found.base, found.extents, found.name)
        return row if found.variable is None else found
    return found


def _returned_reference(reader: Statements, cursor: Any, location: Location) -> Object:
    """Read what a function returns a reference to: an object that is there before it, as ``*this`` is."""
    found = reader.object_of(cursor)
    if not isinstance(found, Container | Record) or (found.owner == reader.frame.number and found.owner > 0):
        raise refusal("reference", location, f"a reference to `{reader.text_of(cursor)}` is returned")
    return found


def _returned(
    reader: Statements, cursor: Any, kind: ContainerType | None, location: Location
) -> tuple[Object | None, list[nodes.Statement]]:
    """Read what a function returns; no object for an empty container."""
    if kind is None:
        named = _named_object(reader, cursor)
        if isinstance(named, Record) and named.owner == reader.frame.number:
            return named, []
        record, statements = reader.record_from("result", reader.result_type_of_frame(), cursor, location)
        return record, statements
    known = _named_object(reader, cursor)
    if isinstance(known, Container) and _may_hand_over(reader, known):
        return known, []
    made = reader.made(cursor, kind, location)
    if isinstance(made, Container):
        return made, []
    first = made.extents[0]
    if made.source is None and isinstance(first, nodes.Integer) and first.value == 0:
        return None, []
    found, statement = reader.declare_container("result", kind, made, location)
    return found, [statement]


def _named_object(reader: Statements, cursor: Any) -> Object | None:
    """Give the object that is returned by its name, under moves and copies."""
    inner = constructor_in(cursor)
    if inner is None:
        return None
    if inner.kind is CursorKind.CALL_EXPR and inner.referenced is not None:
        arguments = written_arguments(inner)
        if inner.referenced.kind is CursorKind.CONSTRUCTOR and len(arguments) == 1:
            inner = arguments[0]
    return reader.object_of(inner) if _is_object(inner) else None


def _is_object(cursor: Any) -> bool:
    """Whether an expression names an object, or moves one that is named."""
    cursor = unwrapped(cursor)
    if cursor.kind is CursorKind.CALL_EXPR and cursor.spelling == "move":
        cursor = unwrapped(next(iter(cursor.get_arguments())))
    return cursor.kind in {CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR}


def _may_hand_over(reader: Statements, container: Container) -> bool:
    """Whether a container ends with the function, so that the caller may have it."""
    return container.storage is not None and container.owner == reader.frame.number


STATEMENTS: dict[int, Callable[..., nodes.Statement]] = {
    **C_STATEMENTS,
    **{
        kind.value: rule
        for kind, rule in (
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


def _drops_object(cursor: Any) -> bool:
    """Whether a statement is ``(void)v``, which uses a parameter to no effect."""
    if cursor.kind is not CursorKind.CSTYLE_CAST_EXPR or cursor.type.get_canonical().kind is not TypeKind.VOID:
        return False
    inner = unwrapped(libclang.children(cursor)[-1])
    return inner.kind is CursorKind.DECL_REF_EXPR and is_class(inner.type)


def _is_lambda(cursor: Any) -> bool:
    while cursor.kind is not CursorKind.LAMBDA_EXPR:
        inner = libclang.expressions(cursor)
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
