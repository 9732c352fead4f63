"""What some statements of a function take from it, as the parameters of a function of their own.

Arrays and pointers are handed over as they are.  A scalar that is only read is handed over by its value; one that is
written lives in the new function, and is copied in and out where others may see what it holds.

What statements do to a variable first: read it, write it for certain, or neither.

The answers err on one side only: what may read before it writes reads, and a write that may not happen is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, StorageClass, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.outline.syntax import ARRAYS, FOR_PARTS, LOOPS, Node, identity
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.diagnostics import LiftError, Location


class Effect(Enum):
    """What happens to a variable first; ``WRITE`` only where it happens for certain."""

    READ = "read"
    WRITE = "write"
    NONE = "none"


def first_effect(statements: Iterable[Node], variable: int) -> Effect:
    """Say what statements that follow each other do to a variable first."""
    jumped = False
    for statement in statements:
        effect = _effect(statement, variable)
        if effect is Effect.READ:
            return effect
        if effect is Effect.WRITE:
            return Effect.NONE if jumped else effect
        jumped = jumped or statement.jumps
    return Effect.NONE


def _effect(node: Node, variable: int) -> Effect:
    kind, parts = node.kind, node.parts
    if variable not in node.names:
        return Effect.WRITE if kind is CursorKind.RETURN_STMT else Effect.NONE  # nothing follows a return
    if kind is CursorKind.COMPOUND_STMT:
        return first_effect(parts, variable)
    if kind is CursorKind.IF_STMT:
        return _choice(parts, variable)
    if kind in LOOPS:
        return _loop(kind, parts, variable)
    if kind in libclang.CONVERSIONS and len(parts) == 1 and not parts[0].name:
        return _effect(parts[0], variable)
    if kind is CursorKind.BINARY_OPERATOR:
        return _operator(node.operator, parts, variable)
    return Effect.READ


def _choice(parts: Sequence[Node], variable: int) -> Effect:
    condition, *arms = parts
    decided = _effect(condition, variable)
    if decided is not Effect.NONE:
        return decided
    effects = {_effect(arm, variable) for arm in arms}
    if Effect.READ in effects:
        return Effect.READ
    return Effect.WRITE if effects == {Effect.WRITE} and len(arms) > 1 else Effect.NONE


def _loop(kind: CursorKind, parts: Sequence[Node], variable: int) -> Effect:
    if kind is CursorKind.DO_STMT:
        return first_effect(parts, variable)
    if kind is CursorKind.WHILE_STMT:
        before, repeated = parts[:1], parts[1:]
    elif len(parts) == FOR_PARTS:
        before, repeated = parts[:2], (parts[3], parts[2])
    else:
        return Effect.READ  # which part is missing is not known
    decided = first_effect(before, variable)
    if decided is not Effect.NONE:
        return decided
    return Effect.READ if first_effect(repeated, variable) is Effect.READ else Effect.NONE  # it may run no time


def _operator(operator: str, parts: Sequence[Node], variable: int) -> Effect:
    left, right = parts
    if operator == ",":
        return first_effect(parts, variable)
    if operator != "=" or not left.name:
        return Effect.READ
    if left.name == variable:
        return Effect.READ if variable in right.names else Effect.WRITE
    return _effect(right, variable)


def is_read_after(around: Sequence[tuple[Node, int]], variable: int) -> bool:
    """Tell whether what a variable holds behind some statements may be read.

    ``around`` are the statements that those stand in, innermost first, each with the position behind its last part
    that they take.
    """
    for node, end in around:
        effect = Effect.NONE
        if node.kind is CursorKind.COMPOUND_STMT:
            effect = first_effect(node.parts[end:], variable)
        elif node.kind in LOOPS:
            effect = _again(node, variable)
        elif node.kind is not CursorKind.IF_STMT:
            return True
        if effect is not Effect.NONE:
            return effect is Effect.READ
    return False


def _again(loop: Node, variable: int) -> Effect:
    """Say what a loop does to a variable first, behind its body."""
    kind, parts = loop.kind, loop.parts
    if kind is CursorKind.FOR_STMT and len(parts) < FOR_PARTS:
        return Effect.READ if variable in loop.names else Effect.NONE
    body = parts[0] if kind is CursorKind.DO_STMT else parts[-1]
    between = {CursorKind.FOR_STMT: (parts[2:3] + parts[1:2]), CursorKind.WHILE_STMT: parts[:1]}.get(kind, parts[1:])
    effect = first_effect(between, variable)
    if effect is Effect.READ or (effect is Effect.WRITE and not body.jumps):
        return effect
    return Effect.READ if first_effect([body], variable) is Effect.READ else Effect.NONE


_INTEGERS = {
    TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.CHAR_U, TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.SHORT, TypeKind.USHORT,
    TypeKind.INT, TypeKind.UINT, TypeKind.LONG, TypeKind.ULONG, TypeKind.LONGLONG, TypeKind.ULONGLONG,
}  # fmt: skip
_SCALARS = {*_INTEGERS, libclang.FLOAT16, TypeKind.FLOAT, TypeKind.DOUBLE}
_BYTES = {TypeKind.CHAR_S, TypeKind.CHAR_U, TypeKind.SCHAR, TypeKind.UCHAR}
_SIGNED = {
    TypeKind.USHORT: TypeKind.SHORT, TypeKind.UINT: TypeKind.INT, TypeKind.ULONG: TypeKind.LONG,
    TypeKind.ULONGLONG: TypeKind.LONGLONG,
}  # fmt: skip
# These forget the addresses that they are given.
_READERS = {"scanf", "fscanf", "sscanf", "clock_gettime", "gettimeofday", "time", "fread", "memset", "memcpy"}
_POINTED = re.compile(r"\(\*[^)]*\)")
_EXTENT = re.compile(r"\[([^\]]*)\]")
_PLAIN_EXTENT = re.compile(r"[\w\s*+()-]*")
_COMPARISONS = {"==", "!=", "<=", ">="}
_VARIABLES = {CursorKind.VAR_DECL, CursorKind.PARM_DECL}


class Way(Enum):
    """How a function gets a variable."""

    VALUE = "by its value"
    INOUT = "copied in and out"
    OUT = "copied out"
    LOCAL = "its own"


@dataclass(frozen=True, slots=True)
class Passed:
    """A variable of the function around some statements, with its type as C spells it."""

    name: str
    ctype: str
    way: Way

    def declared(self, name: str, *, pointer: bool = False) -> str:
        """Declare a name of the type, or of a pointer to it."""
        if pointer:
            return f"{self.ctype} *{name}"
        pointed = _POINTED.search(self.ctype)
        if pointed is not None:
            return f"{self.ctype[: pointed.start()]}(*{name}){self.ctype[pointed.end() :]}"
        plain, bracket, extents = self.ctype.partition("[")
        plain = plain.rstrip()
        return f"{plain}{'' if plain.endswith('*') else ' '}{name}{bracket}{extents}"


@dataclass(frozen=True, slots=True)
class Uses:
    """How a whole function uses its variables: where each is named, and below what."""

    places: Mapping[int, Sequence[tuple[Node, tuple[Node, ...]]]]
    declared: Mapping[str, Sequence[Any]]
    has_labels: bool

    def is_addressed(self, variable: int) -> bool:
        """Tell whether someone may keep the address of a variable."""
        return any(_keeps_address(above) for _, above in self.places.get(variable, ()))

    def is_settled(self, variable: int, offset: int) -> bool:
        """Tell whether a variable keeps the value that it has at some place, which the function reaches once."""
        changes = [
            (node, above)
            for node, above in self.places.get(variable, ())
            if is_write(node, above) or _is_address(above)
        ]
        is_before = all(
            node.start < offset and all(parent.kind not in LOOPS for parent in above) for node, above in changes
        )
        return is_before and not self.is_addressed(variable) and not (changes and self.has_labels)


def uses_of(function: Any, body: Node) -> Uses:
    """Find out how a function uses its variables."""
    places: dict[int, list[tuple[Node, tuple[Node, ...]]]] = {}
    declared: dict[str, list[Any]] = {}
    for cursor in (*function.get_arguments(), *(node.cursor for node in body.walk())):
        if cursor.kind in _VARIABLES:
            declared.setdefault(cursor.spelling, []).append(cursor)

    def visit(node: Node, above: tuple[Node, ...]) -> None:
        if node.name:
            places.setdefault(node.name, []).append((node, above))
        for part in node.parts:
            visit(part, (node, *above))

    visit(body, ())
    labels = {CursorKind.LABEL_STMT, CursorKind.GOTO_STMT, CursorKind.INDIRECT_GOTO_STMT}
    return Uses(places, declared, any(node.kind in labels for node in body.walk()))


def is_write(node: Node, above: Sequence[Node]) -> bool:
    """Tell whether a name stands where it is written."""
    for parent in above:
        if parent.kind is CursorKind.PAREN_EXPR:
            node = parent
            continue
        if parent.kind is CursorKind.UNARY_OPERATOR:
            return parent.operator.endswith(("++", "--"))
        is_assignment = parent.operator.endswith("=") and parent.operator not in _COMPARISONS
        return is_assignment and parent.parts[0] is node
    return False


def _is_address(above: Sequence[Node]) -> bool:
    parent = next((node for node in above if node.kind is not CursorKind.PAREN_EXPR), None)
    return parent is not None and parent.operator == "&" and len(parent.parts) == 1


def _keeps_address(above: Sequence[Node]) -> bool:
    if not _is_address(above):
        return False
    outside = [node for node in above if node.kind not in libclang.CONVERSIONS][1:]
    call = outside[0] if outside else None
    if call is None or call.kind is not CursorKind.CALL_EXPR:
        return True
    callee = call.cursor.referenced
    return call.cursor.spelling not in _READERS or callee is None or callee.get_definition() is not None


@dataclass(frozen=True, slots=True)
class Capture:
    """Some statements of a function, with what is around them."""

    statements: tuple[Node, ...]
    around: tuple[tuple[Node, int], ...]
    uses: Uses
    locate: Callable[[Any], Location]
    named: frozenset[str] = frozenset()  # in pragmas

    def passed(self) -> list[Passed]:
        """List what the statements take, scalars first; raises LiftError where they cannot be moved."""
        taken = {variable: cursor for variable, cursor in self._taken() if not _is_known(cursor)}
        for cursor in tuple(taken.values()):
            taken |= {identity(extent): extent for extent in self._in_extents(cursor)}
        found = {cursor.spelling: self._passed(variable, cursor) for variable, cursor in taken.items()}
        if len(found) < len(taken):
            raise self._refused("outline-names", next(iter(taken.values())), "")
        for variable, cursor in taken.items():
            self._check_alone(variable, cursor, found[cursor.spelling], tuple(taken.values()))
        return sorted(found.values(), key=lambda one: (one.way is not Way.VALUE, "*" in one.ctype or "[" in one.ctype))

    def constants(self) -> dict[str, int]:
        """List the constants that the statements name of enumerations that the function declares before them."""
        inside = {identity(node.cursor) for node in self._nodes() if node.kind is CursorKind.ENUM_CONSTANT_DECL}
        found: dict[str, int] = {}
        for node in self._nodes():
            cursor = libclang.referenced(node.cursor) if node.name and node.name not in inside else None
            if cursor is None or cursor.kind is not CursorKind.ENUM_CONSTANT_DECL:
                continue
            is_local = cursor.semantic_parent.semantic_parent.kind is CursorKind.FUNCTION_DECL
            if is_local and found.setdefault(cursor.spelling, cursor.enum_value) != cursor.enum_value:
                raise self._refused("outline-names", cursor, "")
        return found

    def _taken(self) -> Iterator[tuple[int, Any]]:
        """Yield the variables from outside that the statements name, in the order of their declarations."""
        inside = {
            identity(node.cursor)
            for statement in self.statements
            for node in statement.walk()
            if node.kind is CursorKind.VAR_DECL
        }
        found: dict[int, Any] = {}
        for node in self._nodes():
            if node.name and node.name not in inside:
                found.setdefault(node.name, libclang.referenced(node.cursor))
        spelled = {cursor.spelling for cursor in found.values()}
        for name in sorted(self.named - spelled):
            found |= {identity(c): c for c in self.uses.declared.get(name, ()) if identity(c) not in inside}
        ordered = sorted(found.items(), key=lambda entry: entry[1].location.offset)
        yield from ((variable, cursor) for variable, cursor in ordered if cursor.kind in _VARIABLES)

    def _nodes(self) -> Iterator[Node]:
        for statement in self.statements:
            yield from statement.walk()

    def _refused(self, reason: str, cursor: Any, detail: str) -> LiftError:
        return refusal(reason, self.locate(cursor), detail)

    def _passed(self, variable: int, cursor: Any) -> Passed:
        ctype = cursor.type.get_canonical()
        name, spelled = cursor.spelling, ctype.spelling.replace("restrict", "").strip()
        if "volatile" in spelled:
            raise refusal("volatile", self.locate(cursor))
        self._check_places(variable, cursor)
        if ctype.kind in ARRAYS or ctype.kind is TypeKind.POINTER:
            self._check_element(cursor, ctype)
            if ctype.kind is not TypeKind.POINTER or not self._is_written(variable):
                return Passed(name, spelled, Way.VALUE)
            if self._is_seen(variable, cursor):
                raise self._refused("outline-pointer", cursor, name)
        elif ctype.kind is TypeKind.ENUM and not self._is_written(variable):
            return Passed(name, ctype.get_declaration().enum_type.spelling, Way.VALUE)
        elif ctype.kind not in _SCALARS and not (_is_known_structure(ctype) and self._is_only_read(variable, cursor)):
            raise self._refused("struct" if ctype.kind is TypeKind.RECORD else "type", cursor, spelled)
        return Passed(name, spelled, self._way(variable, cursor))

    def _check_element(self, cursor: Any, ctype: Any) -> None:
        """Refuse arrays of anything but numbers, and pointers to anything but those and structures of the file."""
        element = _element(ctype)
        to_structure = ctype.kind is TypeKind.POINTER and _is_known_structure(ctype.get_pointee().get_canonical())
        if element.kind not in _SCALARS and not to_structure:
            raise self._refused("struct" if element.kind is TypeKind.RECORD else "type", cursor, element.spelling)

    def _is_only_read(self, variable: int, cursor: Any) -> bool:
        """Tell whether a structure keeps its members while the statements run, so that they may have a copy of it."""
        mine = {id(node) for node in self._nodes()}
        for named, around in self.uses.places.get(variable, ()):
            node, above = named, around
            while above and above[0].kind in {CursorKind.MEMBER_REF_EXPR, CursorKind.PAREN_EXPR}:
                node, above = above[0], above[1:]
            is_array = node.cursor.type.get_canonical().kind in ARRAYS  # a pointer into the structure
            if is_array or _is_address(above) or (id(named) in mine and is_write(node, above)):
                return False
        return _is_local(cursor) and cursor.storage_class is not StorageClass.STATIC

    def _way(self, variable: int, cursor: Any) -> Way:
        if not self._is_written(variable):
            return Way.VALUE
        first = first_effect(self.statements, variable)
        if not self._is_seen(variable, cursor):
            return Way.VALUE if first is Effect.READ else Way.LOCAL
        if cursor.storage_class is StorageClass.REGISTER:
            raise self._refused("address", cursor, cursor.spelling)
        return Way.OUT if first is Effect.WRITE else Way.INOUT

    def _check_places(self, variable: int, cursor: Any) -> None:
        """Refuse uses that mean something else where an array is a pointer, or a variable a copy."""
        for node, above in self._places(variable):
            if any(parent.kind is CursorKind.CXX_UNARY_EXPR for parent in above):
                raise self._refused("outline-sizeof", node.cursor, cursor.spelling)
            if _is_address(above):
                raise self._refused("address", node.cursor, cursor.spelling)

    def _places(self, variable: int) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        mine = {id(node) for node in self._nodes()}
        yield from ((node, above) for node, above in self.uses.places.get(variable, ()) if id(node) in mine)

    def _is_written(self, variable: int) -> bool:
        return any(is_write(node, above) for node, above in self._places(variable))

    def _is_seen(self, variable: int, cursor: Any) -> bool:
        """Tell whether anyone may look at what a variable holds behind the statements."""
        is_kept = not _is_local(cursor) or cursor.storage_class is StorageClass.STATIC
        if is_kept or self.uses.is_addressed(variable):
            return True
        mine = {id(node) for node in self._nodes()}
        elsewhere = any(id(node) not in mine for node, _ in self.uses.places.get(variable, ()))
        return (self.uses.has_labels and elsewhere) or is_read_after(self.around, variable)

    def _in_extents(self, cursor: Any) -> Iterator[Any]:
        """Yield the variables in the extents of a type, which must be what they were when it was declared."""
        for extent in _EXTENT.findall(cursor.type.get_canonical().spelling):
            if not _PLAIN_EXTENT.fullmatch(extent):
                raise self._refused("outline-extent", cursor, cursor.spelling)
            for name in re.findall(r"[A-Za-z_]\w*", extent):
                named = self.uses.declared.get(name, ())
                if len(named) != 1 or not self.uses.is_settled(identity(named[0]), cursor.location.offset):
                    raise self._refused("outline-extent", cursor, cursor.spelling)
                yield named[0]

    def _check_alone(self, variable: int, cursor: Any, own: Passed, taken: Sequence[Any]) -> None:
        """Refuse a copy of what a pointer may also reach."""
        kind = cursor.type.get_canonical().kind
        if kind not in _SCALARS or (_is_local(cursor) and not self.uses.is_addressed(variable)):
            return
        for other in taken:
            pointees = [one for one in _pointees(other) if own.way is not Way.VALUE or not one.is_const_qualified()]
            kinds = {pointee.kind for pointee in pointees}
            if kinds & _BYTES or _SIGNED.get(kind, kind) in {_SIGNED.get(one, one) for one in kinds}:
                detail = f"`{cursor.spelling}`, which `{other.spelling}` may point to"
                raise self._refused("outline-alias", cursor, detail)


def _is_known(cursor: Any) -> bool:
    """Tell whether a variable is a constant of the file, which needs not be handed over."""
    definition = cursor.get_definition() or cursor
    is_global = cursor.semantic_parent.kind is CursorKind.TRANSLATION_UNIT
    initialised = any(child.kind.is_expression() for child in libclang.children(definition))
    return is_global and initialised and _is_const(cursor.type)


def _is_local(cursor: Any) -> bool:
    """Tell whether a variable is reached under its name in its function only."""
    is_inside = cursor.semantic_parent.kind is CursorKind.FUNCTION_DECL
    return is_inside and cursor.storage_class is not StorageClass.EXTERN


def _pointees(cursor: Any) -> list[Any]:
    """List the types of the elements that a pointer, or a structure, leads to; nothing for what is neither."""
    ctype = cursor.type.get_canonical()
    is_pointer = ctype.kind is TypeKind.POINTER or (ctype.kind in ARRAYS and cursor.kind is CursorKind.PARM_DECL)
    found, seen = list[Any](), set[str]()
    work = [_element(ctype)] if is_pointer else [ctype] if ctype.kind is TypeKind.RECORD else []
    while work:
        one = work.pop()
        if one.kind is not TypeKind.RECORD:
            found.append(one)
        elif one.spelling not in seen:
            seen.add(one.spelling)
            fields = (child.type.get_canonical() for child in libclang.children(one.get_declaration()))
            work += [_element(field) for field in fields]
    return found


def _is_known_structure(ctype: Any) -> bool:
    """Tell whether a type is a structure that the whole file knows by a name."""
    if ctype.kind is not TypeKind.RECORD or "(" in ctype.spelling:
        return False
    declaration = ctype.get_declaration()
    return bool(
        declaration.kind is CursorKind.STRUCT_DECL
        and declaration.semantic_parent.kind is CursorKind.TRANSLATION_UNIT
        and declaration.is_definition()
    )


def _element(ctype: Any) -> Any:
    """Give the type of what stands behind arrays and pointers."""
    while ctype.kind in ARRAYS or ctype.kind is TypeKind.POINTER:
        ctype = (ctype.get_pointee() if ctype.kind is TypeKind.POINTER else ctype.element_type).get_canonical()
    return ctype


def _is_const(clang_type: Any) -> bool:
    canonical = clang_type.get_canonical()
    while canonical.kind in ARRAYS:
        canonical = canonical.element_type.get_canonical()
    return bool(canonical.is_const_qualified())
