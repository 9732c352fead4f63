"""libclang expression cursors to expression nodes.

Implicit conversions are cursors of no exposed kind with one child: they become a ``Cast`` where the canonical types
differ.  Parentheses vanish.  Whatever has no row in the table of readers becomes ``Unsupported``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from clang.cindex import CursorKind, TypeKind

from tensorlift.diagnostics import Location
from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import IntegerType, OtherType
from tensorlift.frontends.c.chosen_values import as_choice
from tensorlift.frontends.c.clang_types import TypeReader
from tensorlift.frontends.c.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable

_DEPTH_LIMIT = 120
_FLOAT_CONSTANTS = ("__builtin_inf", "__builtin_nan", "__builtin_huge_val")


class ExpressionReader:
    """Reads expressions of one translation unit; ``file`` is the file of the function being read."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.types = TypeReader()
        self.variables: dict[int | None, nodes.Variable] = {}
        self._locations: dict[tuple[str, int], Location] = {}
        self._positions = libclang.Positions()
        self._depth = 0

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
        reader = self._readers.get(cursor._kind_id)  # noqa: SLF001 - building a CursorKind costs more than the reading
        if reader is None:
            return self.unsupported(cursor, "expression", f"the expression kind `{cursor.kind.name}`")
        self.enter(cursor)
        expression = reader(self, cursor)
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

    def function_of(self, cursor: Any) -> nodes.Function | None:
        """Give the definition that a declaration refers to; the reader of whole units knows functions."""
        raise NotImplementedError

    def variable_of(self, cursor: Any) -> nodes.Variable:
        """Give the variable of a declaration; the reader of statements knows declarations."""
        raise NotImplementedError

    def use_outer(self, variable: nodes.Variable) -> None:
        """Note the use of a global variable; the reader of whole units knows which function uses it."""
        raise NotImplementedError

    def call_of(self, callee: nodes.Function, cursor: Any) -> tuple[nodes.Expression, ...]:
        """Read the arguments of a call; the reader of whole units knows the callee's parameters."""
        raise NotImplementedError

    def member(self, cursor: Any) -> nodes.Expression:
        """Read a member of a structure; the reader of whole units knows them."""
        raise NotImplementedError

    def copy(self, cursor: Any) -> nodes.Expression:
        """Read the assignment of a whole structure; the reader of whole units knows its members."""
        raise NotImplementedError

    def _all(self, cursor: Any) -> list[nodes.Expression]:
        """Read the children of a cursor."""
        return [self.expression(child) for child in libclang.children(cursor)]

    def _parenthesised(self, cursor: Any) -> nodes.Expression:
        return self.expression(libclang.children(cursor)[0])

    def _unexposed(self, cursor: Any) -> nodes.Expression:
        """Read an implicit conversion."""
        children = libclang.children(cursor)
        if len(children) != 1:
            return self.unsupported(cursor, "expression", "this expression")
        operand = self.expression(children[0])
        return self._converted(cursor, operand, explicit=False)

    def _converted(self, cursor: Any, operand: nodes.Expression, *, explicit: bool) -> nodes.Expression:
        """Put a conversion around an operand of another type."""
        ctype = self.types.of(cursor)
        if ctype == operand.ctype and not isinstance(operand, nodes.InitialiserList):
            return operand
        return nodes.Cast(operand, ctype, operand.location, explicit)

    def _cast(self, cursor: Any) -> nodes.Expression:
        children = [child for child in libclang.children(cursor) if child.kind.is_expression()]
        if not children:
            return self.unsupported(cursor, "expression", "this cast")
        return self._converted(cursor, self.expression(children[-1]), explicit=True)

    def _integer(self, cursor: Any) -> nodes.Expression:
        value, ctype = libclang.evaluate(cursor), self.types.of(cursor)
        if not isinstance(value, int) or not isinstance(ctype, IntegerType):
            return self.unsupported(cursor, "expression", "this constant")
        return nodes.Integer(ctype.wrap(value), ctype, self.location(cursor))

    def _floating(self, cursor: Any) -> nodes.Expression:
        value = libclang.evaluate(cursor)
        if not isinstance(value, float):
            return self.unsupported(cursor, "long-double")
        return nodes.Floating(value, self.types.of(cursor), self.location(cursor))

    def _size_of(self, cursor: Any) -> nodes.Expression:
        if isinstance(libclang.evaluate(cursor), int):
            return self._integer(cursor)
        return self.unsupported(cursor, "expression", "`sizeof` of a variable extent")

    def _reference(self, cursor: Any) -> nodes.Expression:
        variable = self.variables.get(libclang.referenced_identity(cursor))
        return self._first_reference(cursor) if variable is None else self._name(variable, cursor)

    def _first_reference(self, cursor: Any) -> nodes.Expression:
        """Read a name whose declaration has not been read."""
        declaration, ctype = cursor.referenced, self.types.of(cursor)
        if declaration is None:
            return self.unsupported(cursor, "expression", f"`{cursor.spelling}`")
        if declaration.kind is CursorKind.ENUM_CONSTANT_DECL:
            return nodes.Integer(declaration.enum_value, ctype, self.location(cursor))
        if declaration.kind is CursorKind.FUNCTION_DECL:
            return self.unsupported(cursor, "function-pointer")
        return self._name(self.variable_of(declaration), cursor)

    def _name(self, variable: nodes.Variable, cursor: Any) -> nodes.Name:
        if variable.is_global:
            self.use_outer(variable)
        return nodes.Name(variable, self.types.of(cursor), self.location(cursor))

    def _binary(self, cursor: Any) -> nodes.Expression:
        ctype = self.types.of(cursor)
        if isinstance(ctype, OtherType) and cursor.type.get_canonical().kind is TypeKind.RECORD:
            return self.copy(cursor)
        left, right = self._all(cursor)
        operator = libclang.binary_operator(cursor)
        if operator == "=":
            return nodes.Assign("", left, right, ctype, self.location(cursor))
        return nodes.Binary(operator, left, right, ctype, left.location)

    def _compound(self, cursor: Any) -> nodes.Expression:
        target, value = self._all(cursor)
        operator = libclang.binary_operator(cursor).removesuffix("=")
        return nodes.Assign(operator, target, value, self.types.of(cursor), self.location(cursor))

    def _unary(self, cursor: Any) -> nodes.Expression:
        (operand,) = self._all(cursor)
        operator = libclang.unary_operator(cursor)
        if operator == "extension":
            return operand
        if operator in {"real", "imag"}:
            return self.unsupported(cursor, "complex")
        return nodes.Unary(operator, operand, self.types.of(cursor), self.location(cursor))

    def _subscript(self, cursor: Any) -> nodes.Expression:
        base, index = self._all(cursor)
        if isinstance(base.ctype, IntegerType):  # C allows 2[a]
            base, index = index, base
        return nodes.Subscript(base, index, self.types.of(cursor), self.location(cursor))

    def _conditional(self, cursor: Any) -> nodes.Expression:
        parts = self._all(cursor)
        if len(parts) != 3:  # noqa: PLR2004 - condition, then, otherwise
            return self.unsupported(cursor, "expression", "`?:` without a middle operand")
        return nodes.Conditional(parts[0], parts[1], parts[2], self.types.of(cursor), self.location(cursor))

    def _call(self, cursor: Any) -> nodes.Expression:
        name, ctype, location = cursor.spelling, self.types.of(cursor), self.location(cursor)
        if name.startswith(_FLOAT_CONSTANTS):
            value = libclang.evaluate(cursor)
            return nodes.Floating(float(value), ctype, location) if value is not None else self._opaque_call(cursor)
        declaration = cursor.referenced
        if declaration is None or declaration.kind is not CursorKind.FUNCTION_DECL:
            return self.unsupported(cursor, "function-pointer")
        callee = self.function_of(declaration)
        if callee is not None:
            return as_choice(nodes.Call(name, self.call_of(callee, cursor), callee, ctype, location))
        arguments = tuple(self.expression(argument) for argument in cursor.get_arguments())
        return nodes.Call(name, arguments, None, ctype, location)

    def _opaque_call(self, cursor: Any) -> nodes.Expression:
        return self.unsupported(cursor, "call", cursor.spelling)

    def _initialisers(self, cursor: Any) -> nodes.Expression:
        return nodes.InitialiserList(tuple(self._all(cursor)), self.types.of(cursor), self.location(cursor))

    def _member(self, cursor: Any) -> nodes.Expression:
        return self.member(cursor)

    def _string(self, cursor: Any) -> nodes.Expression:
        return self.unsupported(cursor, "string")

    _readers: ClassVar[dict[int, Callable[[ExpressionReader, Any], nodes.Expression]]] = {
        kind.value: reader
        for kind, reader in (
            (CursorKind.PAREN_EXPR, _parenthesised),
            (CursorKind.UNEXPOSED_EXPR, _unexposed),
            (CursorKind.CSTYLE_CAST_EXPR, _cast),
            (CursorKind.INTEGER_LITERAL, _integer),
            (CursorKind.CHARACTER_LITERAL, _integer),
            (CursorKind.FLOATING_LITERAL, _floating),
            (CursorKind.CXX_UNARY_EXPR, _size_of),
            (CursorKind.DECL_REF_EXPR, _reference),
            (CursorKind.BINARY_OPERATOR, _binary),
            (CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, _compound),
            (CursorKind.UNARY_OPERATOR, _unary),
            (CursorKind.ARRAY_SUBSCRIPT_EXPR, _subscript),
            (CursorKind.CONDITIONAL_OPERATOR, _conditional),
            (CursorKind.CALL_EXPR, _call),
            (CursorKind.INIT_LIST_EXPR, _initialisers),
            (CursorKind.MEMBER_REF_EXPR, _member),
            (CursorKind.STRING_LITERAL, _string),
        )
    }
