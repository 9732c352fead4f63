"""libclang declaration and statement cursors to nodes; functions are read when they are first needed.

Traps of the binding that this file answers: a ``for`` with a missing part drops the child, so the parts are told
apart by the two semicolons in the source text; the extents of arrays are children of the declaration, innermost
first.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from clang.cindex import CursorKind, TypeKind

from tensorlift.diagnostics import Location
from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.clang_expressions import EXPRESSIONS
from tensorlift.frontends.c.clang_types import TypeReader
from tensorlift.frontends.c.for_headers import places_of_parts
from tensorlift.frontends.c.refusals import refusal
from tensorlift.ops.c_types import UNSIGNED_LONG, VOID, ArrayType, CType, PointerType

if TYPE_CHECKING:
    from collections.abc import Callable

_FOR_PARTS = 4
_REFUSED_STATEMENTS = {
    CursorKind.SWITCH_STMT: "switch",
    CursorKind.GOTO_STMT: "goto",
    CursorKind.LABEL_STMT: "goto",
    CursorKind.INDIRECT_GOTO_STMT: "goto",
    CursorKind.BREAK_STMT: "break",
    CursorKind.CONTINUE_STMT: "continue",
    CursorKind.CASE_STMT: "switch",
    CursorKind.DEFAULT_STMT: "switch",
    CursorKind.ASM_STMT: "asm",
    CursorKind.MS_ASM_STMT: "asm",
}
_DEPTH_LIMIT = 120
_ARRAYS = {TypeKind.CONSTANTARRAY, TypeKind.VARIABLEARRAY, TypeKind.INCOMPLETEARRAY}
_HARMLESS_DECLARATIONS = {
    CursorKind.TYPEDEF_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.UNION_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.FUNCTION_DECL,
    CursorKind.STATIC_ASSERT,  # the compiler checked it
}


class UnitReader:
    """Reads the functions of one translation unit; ``file`` is the file of the function being read."""

    expression_rules: ClassVar[dict[int, Callable[..., nodes.Expression]]] = EXPRESSIONS

    def __init__(self, file: str, source: bytes) -> None:
        self.file = self.main_file = file
        self.types = TypeReader()
        self.variables: dict[int | None, nodes.Variable] = {}
        self._locations: dict[tuple[str, int], Location] = {}
        self._positions = libclang.Positions()
        self._depth = 0
        self._texts = {file: source}
        self._functions: dict[int | None, nodes.Function] = {}

    def location(self, cursor: Any) -> Location:
        """Give the place of a cursor; an expression often starts where its first operand does."""
        start = libclang.start(cursor)
        key = (self.file, start.int_data)
        known = self._locations.get(key)
        if known is None:
            known = self._locations[key] = Location(self.file, *self._positions.of(start))
        return known

    def expression(self, cursor: Any) -> nodes.Expression:
        """Read one expression."""
        rule = self.expression_rules.get(cursor._kind_id)  # noqa: SLF001 - building a CursorKind costs more than the reading
        if rule is None:
            return self.unsupported(cursor, "expression", f"the expression kind `{cursor.kind.name}`")
        self.enter(cursor)
        expression = rule(self, cursor)
        self.leave()
        return expression

    def enter(self, cursor: Any) -> None:
        """Note one more level of nesting, and refuse what would exhaust the stack."""
        self._depth += 1
        if self._depth > _DEPTH_LIMIT:
            self._depth = 0
            raise refusal("depth", self.location(cursor))

    def leave(self) -> None:
        """Note one level of nesting less."""
        self._depth -= 1

    def unsupported(self, cursor: Any, kind: str, detail: str = "") -> nodes.Unsupported:
        """Stand in for what is outside the subset."""
        return nodes.Unsupported(kind, self.types.of(cursor), self.location(cursor), detail)

    def function(self, cursor: Any) -> nodes.Function:
        """Read a function definition once, as it is written."""
        known = self._functions.get(cursor.data[0])
        if known is not None:
            return known
        outer, self.file = self.file, self._file_of(cursor)
        declared = tuple(self.variable_of(parameter) for parameter in cursor.get_arguments())
        function = nodes.Function(
            name=cursor.spelling,
            parameters=declared,
            declared=declared,
            result=self.types.read(cursor.result_type),
            location=self.location(cursor),
            body=nodes.Block((), self.location(cursor)),
            is_variadic=is_variadic(cursor),
        )
        self._functions[cursor.data[0]] = function
        body = [child for child in libclang.children(cursor) if child.kind is CursorKind.COMPOUND_STMT]
        function.body = self.block(body[0])
        self.file = outer
        return function

    def _file_of(self, cursor: Any) -> str:
        """Name the file of a definition."""
        file = cursor.location.file
        return file.name if file is not None else self.main_file

    def source_of_file(self) -> bytes:
        """Give the text of the file that is being read: the main one, or one that it includes."""
        if self.file not in self._texts:
            self._texts[self.file] = Path(self.file).read_bytes()
        return self._texts[self.file]

    def variable_of(self, cursor: Any) -> nodes.Variable:
        """Read a declaration of a variable or parameter once."""
        known = self.variables.get(cursor.data[0])
        if known is not None:
            return known
        ctype = self.types.of(cursor)
        variable = nodes.Variable(cursor.spelling, ctype, self.location(cursor))
        self.variables[cursor.data[0]] = variable
        variable.is_parameter = cursor.kind is CursorKind.PARM_DECL
        clang_type = cursor.type
        variable.is_const = _is_const(clang_type)
        if isinstance(ctype, PointerType | ArrayType):  # in brackets it qualifies the pointer that it becomes
            variable.is_restrict = "restrict" in clang_type.spelling
            variable.points_to_const = _points_to_const(clang_type)
        if not variable.is_parameter:
            variable.is_global = cursor.semantic_parent.kind is CursorKind.TRANSLATION_UNIT
            inside = "[]" if isinstance(ctype, ArrayType) else ""
            variable.access = f"{cursor.spelling}{inside}" if variable.is_global else ""
        source = cursor.get_definition() if variable.is_global else None
        _fill_children(self, source or cursor, variable)
        return variable

    def statement_rules(self) -> dict[int, Callable[..., nodes.Statement]]:
        """Give the rules by which statements are read, by kind of cursor."""
        return STATEMENTS

    def statement(self, cursor: Any) -> nodes.Statement:
        """Read one statement."""
        rule = self.statement_rules().get(cursor._kind_id)  # noqa: SLF001 - building a CursorKind costs more
        if rule is not None:
            self.enter(cursor)
            statement = rule(self, cursor)
            self.leave()
            return statement
        kind = cursor.kind
        if kind in _REFUSED_STATEMENTS:
            return nodes.Unsupported(_REFUSED_STATEMENTS[kind], VOID, self.location(cursor))
        if kind.is_expression():
            return nodes.Evaluate(self.expression(cursor), self.location(cursor))
        return nodes.Unsupported("statement", VOID, self.location(cursor), kind.name)

    def block(self, cursor: Any) -> nodes.Block:
        """Read a block."""
        statements = tuple(self.statement(child) for child in libclang.children(cursor))
        return nodes.Block(statements, self.location(cursor))


def _fill_children(reader: UnitReader, cursor: Any, variable: nodes.Variable) -> None:
    """Sort the expression children of a declaration into extents (innermost first) and initialiser."""
    children = libclang.expressions(cursor)
    ctype = variable.ctype
    array = ctype.element if isinstance(ctype, PointerType) else ctype
    if not isinstance(array, ArrayType):
        variable.initialiser = reader.expression(children[-1]) if children and not variable.is_parameter else None
        return
    dimensions = _dimensions(array)
    if children and children[-1].kind in {CursorKind.INIT_LIST_EXPR, CursorKind.STRING_LITERAL}:
        variable.initialiser = reader.expression(children.pop())
    variable.extents = _extents(variable, dimensions, [reader.expression(child) for child in children])


def _extents(
    variable: nodes.Variable, dimensions: list[ArrayType], found: list[nodes.Expression]
) -> tuple[nodes.Expression | None, ...]:
    """Match the extents' expressions with the dimensions; constant lengths come from the type."""
    spelled = [dimension for dimension in dimensions if dimension.variable or dimension.length is not None]
    expressions = list(reversed(found[: len(spelled)])) if len(found) >= len(spelled) else []
    if len(found) > len(spelled) and isinstance(variable.ctype, PointerType):
        variable.initialiser = found[-1]
    extents: list[nodes.Expression | None] = []
    for dimension in dimensions:
        expression = expressions.pop(0) if expressions and dimension in spelled else None
        if dimension.length is not None:
            extents.append(nodes.Integer(dimension.length, UNSIGNED_LONG, variable.location))
        elif dimension.variable and expression is None:
            extents.append(nodes.Unsupported("type", dimension, variable.location, dimension.spelling))
        else:
            extents.append(expression)
    return tuple(extents)


def _declarations(reader: UnitReader, cursor: Any) -> nodes.Statement:
    """Read a declaration statement: a block of declarations without a scope of its own."""
    found: list[nodes.Statement] = []
    for child in libclang.children(cursor):
        if child.kind is CursorKind.VAR_DECL:
            found.append(nodes.Declare(reader.variable_of(child), reader.location(child)))
        elif child.kind not in _HARMLESS_DECLARATIONS:
            found.append(nodes.Unsupported("declaration", VOID, reader.location(child), child.spelling))
    return found[0] if len(found) == 1 else nodes.Block(tuple(found), reader.location(cursor), is_scope=False)


def _if(reader: UnitReader, cursor: Any) -> nodes.Statement:
    condition, *arms = libclang.children(cursor)
    test = reader.expression(condition)
    then, *otherwise = (reader.statement(arm) for arm in arms)
    return nodes.If(test, then, otherwise[0] if otherwise else None, reader.location(cursor))


def _for(reader: UnitReader, cursor: Any) -> nodes.Statement:
    *parts, body = libclang.children(cursor)
    places = range(3) if len(parts) == _FOR_PARTS - 1 else _places(reader, cursor, parts)
    if places is None:
        return nodes.Unsupported("statement", VOID, reader.location(cursor), "a `for` from a macro with missing parts")
    by_place = dict(zip(places, parts, strict=True))
    condition, advance = by_place.get(1), by_place.get(2)
    return nodes.Loop(
        "for",
        reader.statement(by_place[0]) if 0 in by_place else None,
        reader.expression(condition) if condition is not None else None,
        reader.expression(advance) if advance is not None else None,
        reader.statement(body),
        reader.location(cursor),
    )


def _places(reader: UnitReader, cursor: Any, parts: list[Any]) -> list[int] | None:
    """Tell which parts of a ``for`` are present: 0 before the first semicolon, 1 between, 2 after the second."""
    start = cursor.location.offset
    text = reader.source_of_file()[start : cursor.extent.end.offset]
    return places_of_parts(text, [part.location.offset - start for part in parts])


def _while(reader: UnitReader, cursor: Any) -> nodes.Statement:
    condition, body = libclang.children(cursor)
    return nodes.Loop(
        "while",
        None,
        reader.expression(condition),
        None,
        reader.statement(body),
        reader.location(cursor),
    )


def _do(reader: UnitReader, cursor: Any) -> nodes.Statement:
    body, condition = libclang.children(cursor)
    return nodes.Loop(
        "do",
        None,
        reader.expression(condition),
        None,
        reader.statement(body),
        reader.location(cursor),
    )


def _return(reader: UnitReader, cursor: Any) -> nodes.Statement:
    values = [reader.expression(child) for child in libclang.children(cursor)]
    return nodes.Return(values[0] if values else None, reader.location(cursor))


def _null(reader: UnitReader, cursor: Any) -> nodes.Statement:
    return nodes.Block((), reader.location(cursor))


STATEMENTS: dict[int, Callable[[UnitReader, Any], nodes.Statement]] = {
    kind.value: rule
    for kind, rule in (
        (CursorKind.COMPOUND_STMT, UnitReader.block),
        (CursorKind.DECL_STMT, _declarations),
        (CursorKind.IF_STMT, _if),
        (CursorKind.FOR_STMT, _for),
        (CursorKind.WHILE_STMT, _while),
        (CursorKind.DO_STMT, _do),
        (CursorKind.RETURN_STMT, _return),
        (CursorKind.NULL_STMT, _null),
    )
}


def _dimensions(array: ArrayType) -> list[ArrayType]:
    """List the array types of all dimensions, outermost first."""
    found: list[ArrayType] = []
    current: CType = array
    while isinstance(current, ArrayType):
        found.append(current)
        current = current.element
    return found


def _is_const(clang_type: Any) -> bool:
    """Whether a type is ``const``; an array is where its elements are."""
    clang_type = clang_type.get_canonical()
    if clang_type.kind is TypeKind.CONSTANTARRAY:  # libclang tells the qualifiers of elements only in the spelling
        element = clang_type.spelling.partition("[")[0]
        return element.startswith("const ") and "*" not in element
    return bool(clang_type.is_const_qualified())


def _points_to_const(clang_type: Any) -> bool:
    """Whether the elements behind a pointer, or of an array, are ``const``."""
    clang_type = clang_type.get_canonical()
    if clang_type.kind is TypeKind.POINTER:
        clang_type = clang_type.get_pointee().get_canonical()
    if clang_type.kind in _ARRAYS:  # as in `_is_const`
        element = clang_type.spelling.partition("[")[0]
        return "const" in element.split() and "*" not in element
    return bool(clang_type.is_const_qualified())


def is_variadic(cursor: Any) -> bool:
    """Whether a function takes ``...``; a function without prototype does not."""
    kind = cursor.type.kind.name
    return bool(kind == "FUNCTIONPROTO" and cursor.type.is_function_variadic())
