"""How a function uses its variables: whether anything but reading happens to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import is_class

if TYPE_CHECKING:
    from collections.abc import Iterator

_READERS = {"size", "empty", "capacity", "cbegin", "cend"}
_SELECTORS = {"operator[]", "at", "front", "back", "operator()"}
_CONVERSIONS = {CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR}


@dataclass(slots=True, eq=False)
class _Use:
    """A cursor with what is around it, out to the function."""

    cursor: Any
    outer: _Use | None

    def around(self) -> Iterator[Any]:
        """Iterate over what contains the cursor, inner before outer."""
        place = self.outer
        while place is not None:
            yield place.cursor
            place = place.outer


class Uses:
    """Finds the variables that a function may change after their declaration; every function is visited once."""

    def __init__(self) -> None:
        self._uses: dict[int, dict[int | None, list[_Use]]] = {}

    def changes(self, definition: Any, variable: Any) -> bool:
        """Whether a function may change a parameter or local variable, or hands it on to be changed."""
        uses = self._uses.get(definition.data[0])
        if uses is None:
            uses = self._uses[definition.data[0]] = _uses_of_variables(definition)
        found = uses.get(variable.data[0], ())
        if not found:
            return False
        is_object = is_class(variable.type)
        return any(map(_may_change if is_object else _may_assign, found))


def _uses_of_variables(definition: Any) -> dict[int | None, list[_Use]]:
    """List the uses of each declaration in a function."""
    found: dict[int | None, list[_Use]] = {}
    work = [_Use(definition, None)]
    while work:
        place = work.pop()
        if libclang.is_name(place.cursor):
            found.setdefault(libclang.referenced_identity(place.cursor), []).append(place)
        else:
            work.extend([_Use(child, place) for child in libclang.children(place.cursor)])
    return found


def _may_change(use: _Use) -> bool:
    """Whether what contains a use may change what is used."""
    used = use.cursor
    for outer in use.around():
        verdict = False if outer.type.get_canonical().is_const_qualified() else _verdict(outer, used)
        if verdict is not None:
            return verdict
        used = outer
    return True


def _may_assign(use: _Use) -> bool:
    """Whether what contains a use of a number may assign it: it is not converted to its value at once."""
    outer = next(cursor for cursor in use.around() if cursor.kind is not CursorKind.PAREN_EXPR)
    if outer.kind is CursorKind.CALL_EXPR and outer.referenced is not None:
        passed = [argument.type.get_canonical() for argument in outer.referenced.get_arguments()]
        given = list(outer.get_arguments())
        place = next((k for k, argument in enumerate(given) if argument == use.cursor), len(passed))
        return place >= len(passed) or not passed[place].get_pointee().is_const_qualified()
    return outer.kind not in {CursorKind.UNEXPOSED_EXPR, CursorKind.LAMBDA_EXPR}


def _verdict(outer: Any, used: Any) -> bool | None:
    """Whether an expression or statement may change what is used directly inside; None where its context decides."""
    kind = outer.kind
    if kind in _CONVERSIONS:
        return False if _reads(outer, used) else None
    if kind is CursorKind.MEMBER_REF_EXPR:
        return False if outer.spelling in _READERS else None
    if kind is CursorKind.CALL_EXPR:
        if outer.spelling in _READERS or _copies(outer):
            return False
        return None if outer.spelling in _SELECTORS else True
    if kind is CursorKind.CXX_FOR_RANGE_STMT:
        return _changes_elements(outer)
    return None if kind is CursorKind.ARRAY_SUBSCRIPT_EXPR else kind is not CursorKind.RETURN_STMT


def _reads(conversion: Any, used: Any) -> bool:
    """Whether a conversion takes the value of an element: it is a number and no function."""
    kind = conversion.type.get_canonical().kind
    return kind not in {TypeKind.RECORD, TypeKind.POINTER} and used.kind is not CursorKind.DECL_REF_EXPR


def _copies(call: Any) -> bool:
    """Whether a call makes a copy of its argument."""
    if call.referenced is None or call.referenced.kind is not CursorKind.CONSTRUCTOR:
        return False
    parameters = list(call.referenced.get_arguments())
    return len(parameters) == 1 and parameters[0].type.get_canonical().get_pointee().is_const_qualified()


def _changes_elements(loop: Any) -> bool:
    """Whether a range-for binds its variable by a reference that is not const."""
    variable = libclang.children(loop)[0].type.get_canonical()
    return bool(variable.kind is TypeKind.LVALUEREFERENCE and not variable.get_pointee().is_const_qualified())
