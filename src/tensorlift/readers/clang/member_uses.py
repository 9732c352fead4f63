"""Which members of its structures a function uses, found before it is read: these are what it takes as arguments.

A use is a variable and a way: ``m->shape.rows`` uses ``m`` by ``("shape", "rows")``, and so do ``m[i].shape.rows`` and
``(*m).shape.rows``.  A structure that is copied is used by the way to itself, with all that is in it; a pointer to one
is not used where nothing is reached by it.  A local pointer uses what it starts from: with ``s = &m->shape``,
``s->rows`` is a use of ``m``.  A function that passes a structure on uses what the called one does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import is_structure_pointer, own_definition, pointed

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from tensorlift.frontends.c.member_facts import Definition

Way: TypeAlias = tuple[str, ...]

_LONGEST = 16  # names of a way; pointers of a list that start from each other would make it longer and longer


class UseFinder:
    """Finds the uses of each function once: ways by the identity of the variable that they start from."""

    def __init__(self, definition: Definition = own_definition, left_out: Container[int] = ()) -> None:
        """Begin; ``definition`` finds those of functions that are called; statements that are left out use nothing."""
        self._known: dict[int, dict[int, set[Way]]] = {}
        self._definition, self._left_out = definition, left_out

    def of(self, function: Any) -> dict[int, set[Way]]:
        """Give the uses of a function that is defined, and of what it calls."""
        known = self._known.get(function.data[0])
        if known is None:
            known = self._known[function.data[0]] = {}
            self._note(function, known)
        return known

    def _note(self, function: Any, uses: dict[int, set[Way]]) -> None:
        open_, starts = [function], list[tuple[int, int, Way]]()
        while open_:
            cursor = open_.pop()
            if self._left_out and cursor.data[1] in self._left_out:
                continue
            starts += _starts(cursor)
            children = libclang.children(cursor) if cursor.kind is not CursorKind.CXX_UNARY_EXPR else []  # `sizeof`
            if cursor.kind is CursorKind.CALL_EXPR:
                children = [*children[:1], *self._call(cursor, uses)]
            found = _way(cursor)
            if found is None:
                open_ += children
                continue
            root, way, indices = found
            if not is_structure_pointer(cursor.type):
                uses.setdefault(root, set()).add(way)
            open_ += indices
        changed = True
        while changed:
            changed = False
            for local, root, way in starts:
                reached = {(*way, *rest) for rest in uses.get(local, ()) if len(way) + len(rest) <= _LONGEST}
                if not reached <= uses.setdefault(root, set()):
                    uses[root] |= reached
                    changed = True

    def _call(self, cursor: Any, uses: dict[int, set[Way]]) -> list[Any]:
        """Note what the called function uses of its structures; give the arguments that are none."""
        callee = self._definition(cursor.referenced) if cursor.referenced is not None else None
        arguments = list(cursor.get_arguments())
        if callee is None or callee.kind is not CursorKind.FUNCTION_DECL:
            return arguments
        others, inner = arguments[len(list(callee.get_arguments())) :], self.of(callee)
        for parameter, argument in zip(callee.get_arguments(), arguments, strict=False):
            found = _way(argument) if _is_structure(parameter.type) else None
            if found is None:
                others.append(argument)
                continue
            root, way, indices = found
            uses.setdefault(root, set()).update([(*way, *rest) for rest in inner.get(parameter.data[0], ())])
            others += indices
        return others


def _starts(cursor: Any) -> Iterator[tuple[int, int, Way]]:
    """Yield a local pointer to a structure that is set, with the variable and the way that it starts from."""
    for local, initial in pointed(cursor):
        found = _way(initial)
        if found is not None and found[0] != local:
            yield local, found[0], found[1]


def _way(cursor: Any) -> tuple[int, Way, list[Any]] | None:
    """Give the variable and the way of an expression that means a structure or a member, and the subscripts on it."""
    names: list[str] = []
    indices: list[Any] = []
    is_structure = False
    while True:
        is_structure = is_structure or _is_structure(cursor.type)
        children = libclang.expressions(cursor)
        if cursor.kind is CursorKind.MEMBER_REF_EXPR and children:
            names[:0] = [cursor.spelling] if cursor.spelling.isidentifier() else []
        elif cursor.kind is CursorKind.ARRAY_SUBSCRIPT_EXPR or _is_step(cursor):
            indices += children[1:]
        elif cursor.kind is CursorKind.DECL_REF_EXPR:
            root = cursor.referenced
            return (root.data[0], tuple(names), indices) if is_structure and root is not None else None
        elif not _is_on_the_way(cursor) or len(children) != 1:
            return None
        cursor = children[0]


def _is_on_the_way(cursor: Any) -> bool:
    """Whether an expression means what is inside of it, or what that points to, its address, or what is beside it."""
    if cursor.kind is CursorKind.UNARY_OPERATOR:
        return libclang.unary_operator(cursor) in {"*", "&", "extension", "post++", "pre++", "post--", "pre--"}
    return cursor.kind in libclang.CONVERSIONS


def _is_step(cursor: Any) -> bool:
    """Whether an expression moves a pointer to a structure."""
    is_sum = cursor.kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(cursor) in {"+", "-"}
    return is_sum and is_structure_pointer(cursor.type)


def _is_structure(clang_type: Any) -> bool:
    """Whether a type is a structure, or a pointer to one."""
    found = clang_type.get_canonical()
    if found.kind is TypeKind.POINTER:
        found = found.get_pointee().get_canonical()
    return found.kind is TypeKind.RECORD
