"""What a function does to structures, found beforehand: the members that it writes, the roots that it subscripts.

A member counts as written where it is assigned, incremented or has its address taken, in the function or in one that
it calls; where a structure is assigned, or set or copied as bytes, all of its members are.  ``m->vals[i] = x`` writes
what ``vals`` points to, not ``vals``; for an array inside the structure it is the member that is written.  A root
counts as subscripted where ``x[i].re`` or ``x + i`` occurs, or where a callee, or a local pointer that starts from it,
is subscripted, or where several are set or copied.  Roots are variables, and members that point to structures.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

from clang.cindex import CursorKind, LinkageKind, StorageClass, TypeKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    Definition = Callable[[Any], Any]

_BYTES = {"memset": 1, "memcpy": 2, "memmove": 2}  # how many arguments are memory; the first one is written
_STEPS = {"post++", "post--", "pre++", "pre--"}
_ON_THE_WAY = {
    CursorKind.BINARY_OPERATOR,
    CursorKind.UNARY_OPERATOR,
    CursorKind.COMPOUND_ASSIGNMENT_OPERATOR,
    CursorKind.ARRAY_SUBSCRIPT_EXPR,
}
_CHANGES = {"post++", "post--", "pre++", "pre--", "&"}


Root: TypeAlias = int | str


@dataclass(slots=True)
class Facts:
    """Declarations of variables, by the identity that libclang gives them, and members, by their names in all files."""

    written: set[str] = field(default_factory=set)  # members, which are the same in all files
    subscripted: set[Root] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    starts: set[tuple[int, Root]] = field(default_factory=set)  # local pointers, with what they start from


def own_definition(declaration: Any) -> Any:
    """Give the definition of a function in the file that declares it, if it is there."""
    return declaration.get_definition()


class FactFinder:
    """Finds the facts of each function once."""

    def __init__(self, definition: Definition = own_definition, left_out: Container[int] = ()) -> None:
        """Begin; ``definition`` finds those of functions that are called; statements that are left out do nothing."""
        self._known: dict[int, Facts] = {}
        self._definition, self._left_out = definition, left_out

    def of(self, function: Any) -> Facts:
        """Give the facts of a function definition."""
        known = self._known.get(function.data[0])
        if known is None:
            known = self._known[function.data[0]] = Facts()
            work = [function]
            while work:
                cursor = work.pop()
                if self._left_out and cursor.data[1] in self._left_out:
                    continue
                self._note(cursor, known)
                work.extend(libclang.children(cursor))
            _hand_back(known)
        return known

    def _note(self, cursor: Any, facts: Facts) -> None:
        """Note what one expression does by itself."""
        kind = cursor.kind
        root = _stepped_root(cursor)
        if root is not None:
            facts.subscripted.add(root)
        for local, initial in pointed(cursor):
            start = root_of(initial)
            if start is not None:
                facts.starts.add((local, start))
        if _changes(cursor):
            _written(libclang.children(cursor)[0], facts)
        elif kind is CursorKind.ARRAY_SUBSCRIPT_EXPR:
            facts.subscripted |= _named(libclang.children(cursor)[0])
        elif kind is CursorKind.CALL_EXPR:
            self._call(cursor, facts)

    def _call(self, cursor: Any, facts: Facts) -> None:
        """Take over what the callee does."""
        _note_bytes(cursor, facts)
        definition = self._definition(cursor.referenced) if cursor.referenced is not None else None
        if definition is None or definition.kind is not CursorKind.FUNCTION_DECL:
            return
        inner = self.of(definition)
        facts.written |= inner.written
        for parameter, argument in zip(definition.get_arguments(), cursor.get_arguments(), strict=False):
            if parameter.data[0] in inner.subscripted:
                facts.subscripted |= _named(argument)


def _note_bytes(cursor: Any, facts: Facts) -> None:
    """Note which structures a call sets or copies as bytes; several are an array."""
    arguments = list(cursor.get_arguments())
    for position, argument in enumerate(arguments[: _BYTES.get(cursor.spelling.removeprefix("__builtin_"), 0)]):
        inside = libclang.inside(argument, libclang.CONVERSIONS)
        record, root = structures_at(inside.type), root_of(inside)
        if record is not None and position == 0:
            _all_fields(record, facts)
        if record is not None and root is not None and libclang.evaluate(arguments[-1]) != record.get_size():
            facts.subscripted.add(root)


def _named(cursor: Any) -> set[Root]:
    """Give the variable, or the member that points to a structure, that an expression names, if it names one."""
    found = stripped(cursor)
    if found.kind is CursorKind.DECL_REF_EXPR and found.referenced is not None:
        return {found.referenced.data[0]}
    is_member = found.kind is CursorKind.MEMBER_REF_EXPR and is_structure_pointer(found.type)
    return {found.referenced.get_usr()} if is_member and found.referenced is not None else set()


def pointed(cursor: Any) -> Iterator[tuple[int, Any]]:
    """Yield the local pointer to a structure that a declaration or an assignment sets, with what it is set to."""
    if cursor.kind is CursorKind.VAR_DECL:
        initial = libclang.expressions(cursor) if is_structure_pointer(cursor.type) else ()
        if initial:
            yield cursor.data[0], initial[-1]
    elif cursor.kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(cursor) == "=":
        children = libclang.children(cursor)
        target = stripped(children[0])
        if (
            is_structure_pointer(cursor.type)
            and target.kind is CursorKind.DECL_REF_EXPR
            and target.referenced is not None
        ):
            yield target.referenced.data[0], children[1]


def is_structure_pointer(clang_type: Any) -> bool:
    """Whether a type points to a structure."""
    found = clang_type.get_canonical()
    return found.kind is TypeKind.POINTER and found.get_pointee().get_canonical().kind is TypeKind.RECORD


def fields(record: Any) -> list[Any]:
    """List the members that a structure declares, those of structures without a name in it too; none for a union.

    A union without a name stands for itself.
    """
    declaration = record.get_canonical().get_declaration()
    return _declared(declaration) if declaration.kind is CursorKind.STRUCT_DECL else []


def _declared(structure: Any) -> list[Any]:
    found: list[Any] = []
    inside = libclang.children(structure)
    types = [child.type for child in inside if child.kind is CursorKind.FIELD_DECL]
    named = [(structures_inside(of_type) or of_type.get_canonical()) for of_type in types]
    for child in inside:
        if child.kind is CursorKind.FIELD_DECL:
            found.append(child)
        elif child.is_anonymous() and child.type.get_canonical() not in named:
            found += _declared(child) if child.kind is CursorKind.STRUCT_DECL else [child]
    return found


def structures_inside(clang_type: Any) -> Any:
    """Give the type of the structures that an array is made of; None for any other type."""
    found = clang_type.get_canonical()
    inner = found.element_type.get_canonical() if found.kind in libclang.ARRAYS else None
    is_plain = inner is not None and inner.kind is TypeKind.RECORD and not inner.is_volatile_qualified()
    return inner if is_plain else None


def structures_at(clang_type: Any) -> Any:
    """Give the type of the structures that a pointer points to, or an array is made of; None for any other type."""
    if not is_structure_pointer(clang_type):
        return structures_inside(clang_type)
    return clang_type.get_canonical().get_pointee().get_declaration().type


def is_open(fields: Sequence[Any]) -> bool:
    """Whether the last field of a way is an array that may go on behind its structure: ``x[]``, ``x[0]``, ``x[1]``."""
    array = fields[-1].type.get_canonical()
    is_sized = array.kind is TypeKind.CONSTANTARRAY
    if array.kind not in libclang.ARRAYS or (is_sized and array.element_count > 1):
        return False
    around = takewhile(lambda field: not is_structure_pointer(field.type), reversed(fields[:-1]))
    return all(_ends_its_structure(field) for field in (fields[-1], *around))


def _ends_its_structure(field: Any) -> bool:
    siblings = libclang.children(field.semantic_parent)
    return bool([child for child in siblings if child.kind is CursorKind.FIELD_DECL][-1] == field)


def _stepped_root(cursor: Any) -> Root | None:
    """Give the root from which pointer arithmetic on structures starts."""
    kind = cursor.kind
    is_step = (
        (kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(cursor) in {"+", "-"})
        or (kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(cursor) in _STEPS)
        or kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR
    )
    return root_of(cursor) if is_step and is_structure_pointer(cursor.type) else None


def root_of(cursor: Any) -> Root | None:
    """Give the root from which a pointer to a structure starts: ``p``, ``p + i``, ``&p[i]``, ``s->p + i``."""
    while True:
        cursor = stripped(cursor)
        if cursor.kind in {CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR}:
            return next(iter(_named(cursor)), None) if is_structure_pointer(cursor.type) else None
        children = libclang.children(cursor)
        if cursor.kind not in _ON_THE_WAY or not children:
            return None
        cursor = children[0]


def _hand_back(facts: Facts) -> None:
    """Let what local pointers start from be subscripted as these are."""
    changed = True
    while changed:
        found = {start for local, start in facts.starts if local in facts.subscripted} - facts.subscripted
        facts.subscripted |= found
        changed = bool(found)


def _changes(cursor: Any) -> bool:
    """Whether an expression assigns to its first operand, or takes its address.

    The address of a structure is only ever used to reach its members.
    """
    if cursor.kind is CursorKind.BINARY_OPERATOR:
        return libclang.binary_operator(cursor) == "="
    if cursor.kind is CursorKind.UNARY_OPERATOR:
        operator = libclang.unary_operator(cursor)
        return operator in _CHANGES and not (operator == "&" and is_structure_pointer(cursor.type))
    return bool(cursor.kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


def stripped(cursor: Any) -> Any:
    """Take parentheses and implicit conversions off an expression."""
    return libclang.inside(cursor, libclang.WRAPPERS)


def _written(target: Any, facts: Facts) -> None:
    """Note the members whose memory an assignment to the target changes, and the pointers that it moves."""
    cursor = stripped(target)
    if _is_in_local(cursor):
        return
    if cursor.type.get_canonical().kind is TypeKind.RECORD:
        _all_fields(cursor.type, facts)
    while True:
        if cursor.kind is CursorKind.DECL_REF_EXPR and cursor.referenced is not None:
            facts.moved.add(cursor.referenced.data[0])
            return
        children = libclang.children(cursor)
        if cursor.kind is CursorKind.MEMBER_REF_EXPR and children:
            if cursor.referenced is not None:
                facts.written.add(cursor.referenced.get_usr())
        elif cursor.kind is not CursorKind.ARRAY_SUBSCRIPT_EXPR:
            return
        cursor = stripped(children[0])
        if cursor.type.get_canonical().kind is TypeKind.POINTER:
            return


def _is_in_local(cursor: Any) -> bool:
    """Whether something lies in a structure, or an array of them, that is a variable of a function itself.

    Where a pointer leads to that, it is written through the pointer.
    """
    while cursor.kind in {CursorKind.MEMBER_REF_EXPR, CursorKind.ARRAY_SUBSCRIPT_EXPR} and libclang.children(cursor):
        cursor = stripped(libclang.children(cursor)[0])
        if cursor.type.get_canonical().kind is TypeKind.POINTER:
            return False
    variable = cursor.referenced if cursor.kind is CursorKind.DECL_REF_EXPR else None
    if variable is None or variable.kind not in {CursorKind.VAR_DECL, CursorKind.PARM_DECL}:
        return False
    record = structures_inside(variable.type) or variable.type.get_canonical()
    is_own = variable.linkage is LinkageKind.NO_LINKAGE and variable.storage_class is not StorageClass.STATIC
    return is_own and bool(record.kind is TypeKind.RECORD)


def _all_fields(record: Any, facts: Facts) -> None:
    """Note every member of a structure that is assigned as a whole."""
    for member in fields(record):
        facts.written.add(member.get_usr())
        _all_fields(structures_inside(member.type) or member.type, facts)
