"""Structures: every member that a function uses takes part as a variable of its own.

A structure is reached through its *root*: a parameter (by value or by pointer), a local or a global variable.  The
member ``rows`` of the parameter ``m`` becomes the parameter ``m_rows``, also through nested structures
(``m->shape.rows`` is ``m_shape_rows``).  How a member takes part depends on how it is reached:

- a *value*: a scalar that the function gets as it is, because nothing writes it or because the structure is a copy;
- a *cell*: a scalar behind a pointer that the function, or a callee, writes; it becomes a pointer to one element;
- an *array*: a pointer or an array among the members;
- a *column*: a scalar or array member where the root is subscripted (``x[i].re``), one cell for each structure.

What a function writes, and which roots it subscripts, is found beforehand (``member_facts``).  Assignments of whole
structures are spelled member by member, and so are structures that are passed to functions of the file.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import (
    INT,
    UNSIGNED_LONG,
    VOID,
    ArrayType,
    CType,
    NumberType,
    OtherType,
    PointerType,
)
from tensorlift.frontends.c.member_facts import FactFinder, stripped
from tensorlift.frontends.c.modified import has_effects

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.diagnostics import Location
    from tensorlift.frontends.c.clang_ast import UnitReader

_FIELD_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Designator:
    """An expression that means a structure: its root, the members on the way, and how C spells and reaches it."""

    root: nodes.Variable
    path: tuple[tuple[int, str], ...]
    access: str
    indirect: bool
    copied: bool
    index: nodes.Expression | None = None
    subscripted: bool = False
    fields: tuple[Any, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Member:
    """A member that takes part, and how: ``value``, ``cell``, ``array`` or ``column``."""

    variable: nodes.Variable
    mode: str
    ctype: CType
    fields: tuple[Any, ...] = field(compare=False)


class Members:
    """Reads the members of structures of one translation unit."""

    def __init__(self, reader: UnitReader) -> None:
        self._reader = reader
        self._facts = FactFinder()
        self._functions: list[Any] = []
        self._found: dict[nodes.Variable, dict[tuple[tuple[int, str], ...], Member]] = {}

    @contextmanager
    def inside(self, function: Any) -> Iterator[None]:
        """Read members as this function uses them."""
        self._functions.append(function)
        yield
        self._functions.pop()

    def expanded(self, declared: tuple[nodes.Variable, ...]) -> tuple[nodes.Variable, ...]:
        """Put the members that are used, in the order of their declaration, in place of structures."""
        found: list[nodes.Variable] = []
        for parameter in declared:
            if not is_structure(parameter.ctype):
                found.append(parameter)
                continue
            used = self._found.get(parameter, {})
            found += [used[path].variable for path in sorted(used)]
        return tuple(found)

    def read(self, cursor: Any) -> nodes.Expression:
        """Read a use of a member."""
        base = self._base(cursor)
        if base is None:
            return self._reader.unsupported(cursor, "struct", f"member `{cursor.spelling}`")
        return self._select(base, cursor.referenced, self._reader.location(cursor))

    def arguments(self, callee: nodes.Function, cursors: list[Any]) -> tuple[nodes.Expression, ...]:
        """Read the arguments of a call, members in place of structures."""
        found: list[nodes.Expression] = []
        for position, cursor in enumerate(cursors):
            declared = callee.declared[position] if position < len(callee.declared) else None
            if declared is None or not is_structure(declared.ctype):
                found.append(self._reader.expression(cursor))
                continue
            base = self._designator(cursor, through_pointer=isinstance(declared.ctype, PointerType))
            used = self._found.get(declared, {})
            found += [self._passed(base, used[path], cursor) for path in sorted(used)]
        return tuple(found)

    def _passed(self, base: Designator | None, member: Member, cursor: Any) -> nodes.Expression:
        """Give the argument for one member of a callee's structure."""
        location = self._reader.location(cursor)
        if base is None:
            return nodes.Unsupported("struct", member.variable.ctype, location, "this argument")
        *outer, last = member.fields
        for step in outer:
            base = _inner(base, step)
        selected = self._select(base, last, location)
        if member.mode == "column":
            if isinstance(selected, nodes.Subscript) and isinstance(selected.base, nodes.Name):
                return selected.base
            return nodes.Unsupported("struct", member.variable.ctype, location, "one structure passed as an array")
        if member.mode == "cell":
            return nodes.Unary("&", selected, member.variable.ctype, location)
        return selected

    def copy(self, cursor: Any) -> nodes.Expression:
        """Read ``a = b`` on structures as one assignment for each member."""
        location = self._reader.location(cursor)
        target, value = (self._designator(child) for child in libclang.children(cursor))
        fields = _fields(cursor.type)
        if libclang.binary_operator(cursor) != "=" or target is None or value is None or fields is None:
            return self._reader.unsupported(cursor, "struct", "this use of a whole structure")
        if any(side.index is not None and has_effects(side.index) for side in (target, value)):
            return self._reader.unsupported(cursor, "struct", "a side effect in an assignment of structures")
        result: nodes.Expression | None = None
        for path in fields:
            if isinstance(self._reader.types.read(path[-1].type), ArrayType):
                return self._reader.unsupported(cursor, "struct", "an assignment of arrays in structures")
            sides = [self._along(side, path, location) for side in (target, value)]
            ctype = sides[0].ctype
            assign = nodes.Assign("", sides[0], sides[1], ctype, location)
            result = assign if result is None else nodes.Binary(",", result, assign, ctype, location)
        return result if result is not None else nodes.Integer(0, INT, location)

    def declare(self, cursor: Any) -> nodes.Statement:
        """Read the declaration of a local structure as declarations of its members."""
        location, fields = self._reader.location(cursor), _fields(cursor.type)
        variable = self._reader.variable_of(cursor)
        if fields is None or variable.is_static or variable.is_global:
            return nodes.Unsupported("struct", VOID, location, f"`{variable.name}`")
        base = Designator(variable, (), variable.name, indirect=False, copied=False)
        initial = libclang.expressions(cursor)
        values = self._initial_values(initial[-1] if initial else None, fields, location)
        if values is None:
            return nodes.Unsupported("struct", VOID, location, f"the initialiser of `{variable.name}`")
        found: list[nodes.Statement] = []
        for path, value in zip(fields, values, strict=True):
            selected = self._along(base, path, location)
            if not isinstance(selected, nodes.Name):
                return nodes.Unsupported("struct", VOID, location, f"`{variable.name}`")
            selected.variable.initialiser = value
            found.append(nodes.Declare(selected.variable, location))
        return nodes.Block(tuple(found), location, is_scope=False)

    def _initial_values(
        self, initial: Any, fields: list[tuple[Any, ...]], location: Location
    ) -> list[nodes.Expression | None] | None:
        """Give the initial value of each member; None where the initialiser is outside the subset."""
        if initial is None:
            return [None] * len(fields)
        if initial.kind is not CursorKind.INIT_LIST_EXPR:
            source = self._designator(initial)
            if source is None or (source.index is not None and has_effects(source.index)):
                return None
            return [self._along(source, path, location) for path in fields]
        items = libclang.children(initial)
        if len(items) > len(fields) or any(len(path) > 1 for path in fields):
            return None
        if any(child.kind is CursorKind.MEMBER_REF for item in items for child in libclang.children(item)):
            return None
        values: list[nodes.Expression | None] = []
        for position, path in enumerate(fields):
            ctype = self._reader.types.read(path[-1].type)
            if isinstance(ctype, ArrayType):
                return None
            zero = nodes.Cast(nodes.Integer(0, INT, location), ctype, location, explicit=False)
            values.append(self._reader.expression(items[position]) if position < len(items) else zero)
        return values

    def _along(self, base: Designator, path: tuple[Any, ...], location: Location) -> nodes.Expression:
        """Select a member of a nested structure."""
        *outer, last = path
        for step in outer:
            base = _inner(base, step)
        return self._select(base, last, location)

    def _base(self, cursor: Any) -> Designator | None:
        """Give the structure whose member a cursor selects."""
        children = libclang.children(cursor)
        if not children or cursor.referenced is None or cursor.referenced.kind is not CursorKind.FIELD_DECL:
            return None
        if not cursor.referenced.spelling.isidentifier():
            return None  # a structure without a name inside another
        if cursor.referenced.semantic_parent.kind is not CursorKind.STRUCT_DECL:
            return None  # a union
        arrow = stripped(children[0]).type.get_canonical().kind is TypeKind.POINTER
        return self._designator(children[0], through_pointer=arrow)

    def _designator(self, cursor: Any, *, through_pointer: bool = False) -> Designator | None:
        """Read an expression that means a structure, or a pointer to one."""
        cursor = stripped(cursor)
        if cursor.kind is CursorKind.DECL_REF_EXPR:
            return self._root(cursor, through_pointer=through_pointer)
        if cursor.kind is CursorKind.MEMBER_REF_EXPR:
            base = self._base(cursor)
            inner = None if base is None else _inner(base, cursor.referenced)
            return replace(inner, indirect=True, access=f"{inner.access}->") if inner and through_pointer else inner
        if cursor.kind is CursorKind.ARRAY_SUBSCRIPT_EXPR and not through_pointer:
            base_cursor, index = libclang.children(cursor)
            base = self._designator(base_cursor, through_pointer=True)
            return self._subscripted(base, self._reader.expression(index)) if base else None
        if cursor.kind is CursorKind.UNARY_OPERATOR:
            operator, (operand,) = libclang.unary_operator(cursor), libclang.children(cursor)
            if operator == "*" and not through_pointer:
                return self._designator(operand, through_pointer=True)
            if operator == "&" and through_pointer:
                return self._designator(operand)
        return None

    def _root(self, cursor: Any, *, through_pointer: bool) -> Designator | None:
        """Read a variable that is a structure or points to one."""
        declaration = cursor.referenced
        if declaration is None or declaration.kind not in {CursorKind.PARM_DECL, CursorKind.VAR_DECL}:
            return None
        variable = self._reader.variable_of(declaration)
        pointer = isinstance(variable.ctype, PointerType)
        if pointer != through_pointer or not is_structure(variable.ctype):
            return None
        if pointer and not variable.is_parameter:
            return None
        copied = variable.is_parameter and not pointer
        facts = self._facts.of(self._functions[-1])
        if pointer and declaration.data[0] in facts.moved:
            return None
        columns = pointer and declaration.data[0] in facts.subscripted
        zero = nodes.Integer(0, INT, self._reader.location(cursor)) if columns else None
        access = f"{variable.name}[]" if columns else f"{variable.name}->" if pointer else variable.name
        return Designator(variable, (), access, indirect=pointer, copied=copied, index=zero)

    def _subscripted(self, base: Designator, index: nodes.Expression) -> Designator | None:
        """Select one of an array of structures, whose root is subscripted once."""
        if base.path or base.index is None or base.subscripted:
            return None
        return replace(base, index=index, subscripted=True)

    def _select(self, base: Designator, selected: Any, location: Location) -> nodes.Expression:
        """Give a member of a structure as an expression."""
        member = self._member(base, selected, location)
        if member is None:
            ctype = self._reader.types.read(selected.type)
            return nodes.Unsupported("struct", ctype, location, f"member `{selected.spelling}`")
        name = nodes.name_of(member.variable, location)
        if member.variable.is_global:
            self._reader.use_outer(member.variable)
        if member.mode == "column":
            assert base.index is not None
            return nodes.Subscript(name, base.index, member.ctype, location)
        if member.mode == "cell":
            return nodes.Unary("*", name, member.ctype, location)
        return name

    def _member(self, base: Designator, selected: Any, location: Location) -> Member | None:
        """Find or make the variable for a member; None for one outside the subset."""
        step = _inner(base, selected)
        known = self._found.setdefault(base.root, {})
        if step.path in known:
            return known[step.path]
        ctype = self._reader.types.read(selected.type)
        mode = self._mode(base, selected, ctype)
        if mode is None:
            return None
        variable = self._variable(base, step, ctype, mode, location)
        member = known[step.path] = Member(variable, mode, ctype, step.fields)
        return member

    def _mode(self, base: Designator, selected: Any, ctype: CType) -> str | None:
        """Say how a member takes part; None for one outside the subset."""
        if selected.is_bitfield() or isinstance(ctype, OtherType) or is_structure(ctype) or 0 in _lengths(ctype):
            return None
        written = selected.data[0] in self._facts.of(self._functions[-1]).written
        if base.index is not None:
            return None if isinstance(ctype, PointerType) else "column"
        if isinstance(ctype, NumberType):
            return "cell" if base.indirect and written else "value"
        if isinstance(ctype, PointerType):
            return None if written and (base.indirect or base.root.is_global) else "array"
        return None if base.copied else "array"

    def _variable(
        self, base: Designator, step: Designator, ctype: CType, mode: str, location: Location
    ) -> nodes.Variable:
        """Make the variable for a member."""
        name = self._fresh("_".join([base.root.name, *(name for _, name in step.path)]))
        extents = tuple(nodes.Integer(length, UNSIGNED_LONG, location) for length in _lengths(ctype))
        if mode in {"cell", "column"}:
            ctype = PointerType(_pointer_to(ctype), ctype)
        variable = nodes.Variable(name, ctype, base.root.location, extents)
        variable.is_parameter, variable.is_global = base.root.is_parameter, base.root.is_global
        if base.root.is_parameter or base.root.is_global:
            inside = mode == "cell" or (isinstance(ctype, ArrayType) and mode == "array")
            variable.access = f"{step.access}[]" if inside else step.access
        return variable

    def _fresh(self, name: str) -> str:
        """Give a name that no variable read so far has."""
        taken = {variable.name for variable in self._reader.variables.values()}
        found, count = name, 0
        while found in taken:
            count += 1
            found = f"{name}_{count}"
        return found


def _inner(base: Designator, selected: Any) -> Designator:
    """Give the designator of a member."""
    position = [child.data[0] for child in _declared(selected)].index(selected.data[0])
    joint = "" if base.access.endswith("->") else "."
    return replace(
        base,
        path=(*base.path, (position, selected.spelling)),
        access=f"{base.access}{joint}{selected.spelling}",
        fields=(*base.fields, selected),
    )


def is_structure(ctype: CType) -> bool:
    """Whether a type is a structure, or a pointer to one."""
    if isinstance(ctype, PointerType):
        ctype = ctype.element
    return isinstance(ctype, OtherType) and ctype.kind == "struct"


def _declared(selected: Any) -> list[Any]:
    """List the members of the structure that a member belongs to."""
    return [child for child in libclang.children(selected.semantic_parent) if child.kind is CursorKind.FIELD_DECL]


def _fields(record: Any) -> list[tuple[Any, ...]] | None:
    """List the members of a structure, those of nested ones by their way; None for one outside the subset."""
    declaration = record.get_canonical().get_declaration()
    if declaration.kind is not CursorKind.STRUCT_DECL:
        return None
    found: list[tuple[Any, ...]] = []
    for child in libclang.children(declaration):
        if child.kind is not CursorKind.FIELD_DECL:
            continue
        inner: list[tuple[Any, ...]] | None = [()]
        if child.type.get_canonical().kind is TypeKind.RECORD:
            inner = _fields(child.type)
        if inner is None or child.is_bitfield() or len(found) + len(inner) > _FIELD_LIMIT:
            return None
        found += [(child, *way) for way in inner]
    return found


def _lengths(ctype: CType) -> list[int]:
    """List the extents of an array member, outermost first."""
    found: list[int] = []
    while isinstance(ctype, ArrayType):
        found.append(ctype.length or 0)
        ctype = ctype.element
    return found


def _pointer_to(ctype: CType) -> str:
    """Spell the pointer to a type."""
    base, bracket, rest = ctype.spelling.partition("[")
    return f"{base.strip()} (*){bracket}{rest}" if bracket else f"{ctype.spelling} *"
