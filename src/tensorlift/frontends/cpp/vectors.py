"""Containers: how they are made, how they grow, and their member functions.

A container is declared as an array.  One whose size changes (``push_back``, ``resize``, ``assign``, ``clear``, ``=``)
keeps it in a variable, which must have a closed form wherever it is used; its array gets the extent that the accesses
tell.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import BOOL, INT, UNSIGNED_LONG, VOID, CType
from tensorlift.frontends.cpp.frames import Frames
from tensorlift.frontends.cpp.objects import Container, ContainerType, Extent, extent_node, pointer_to
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import (
    constructor_in,
    holds_all,
    is_constructor,
    is_copy,
    names_method,
    unwrapped,
    written_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.diagnostics import Location

_IGNORED = {"reserve", "shrink_to_fit"}
_BEGIN, _END = {"begin", "cbegin", "data"}, {"end", "cend"}
_ITEM_LIMIT = 256


@dataclass(slots=True)
class Made:
    """How a container begins: its extents, and one value for all elements, one to copy, or the elements."""

    extents: list[nodes.Expression | None]
    value: nodes.Expression | None = None
    source: Container | None = None
    items: tuple[nodes.Expression, ...] = ()


class Vectors(Frames):
    """Reading of containers."""

    def declare_container(
        self, name: str, kind: ContainerType, made: Made, location: Location
    ) -> tuple[Container, nodes.Statement]:
        """Declare a local container and give it its first elements."""
        extents: list[Extent] = []
        statements: list[nodes.Statement] = []
        for position, (length, given) in enumerate(zip(kind.lengths, made.extents, strict=True)):
            if length is not None or given is None:
                extents.append(length)
                continue
            size = self.local(f"{name}{'[0]' * position}.size()", UNSIGNED_LONG, given, location)
            extents.append(size.variable)
            statements.append(size)
        array = self.local(re.sub(r"\W+", "_", name).strip("_"), kind.array(), None, location)
        array.variable.extents = tuple(None if e is None else extent_node(e, location) for e in extents)
        array.variable.keeps_rank = kind.rank > 1
        storage = nodes.Block((array,), location, is_scope=False)
        base = nodes.name_of(array.variable, location)
        container = Container(kind, base, tuple(extents), name, array.variable, storage, self.frame.number)
        container.has_size, container.loops = not _is_zero(made.extents[0]), self.loops
        statements += [storage, *self._begin(container, made, location)]
        return container, nodes.Block(tuple(statements), location, is_scope=False)

    def _begin(self, container: Container, made: Made, location: Location) -> list[nodes.Statement]:
        """Give the elements that a container begins with."""
        if made.items:
            places = container.places([e.value for e in made.extents if isinstance(e, nodes.Integer)], location)
            return [
                nodes.Evaluate(assigned(place, item), location) for place, item in zip(places, made.items, strict=True)
            ]
        if made.source is not None:
            return [self.copied(made.source, container, location)]
        first = made.extents[0]
        if made.value is None or _is_zero(first):
            return []
        return [self.filled(container, made.value, location)]

    def filled(self, container: Container, value: nodes.Expression, location: Location) -> nodes.Statement:
        """Fill a container with a value."""
        arguments = (
            container.base,
            extent_node(container.extents[0], location),
            converted(value, container.kind.element),
        )
        return nodes.Evaluate(nodes.Call("std::fill_n", arguments, None, VOID, location), location)

    def copied(self, source: Container, target: Container, location: Location) -> nodes.Statement:
        """Copy the elements of a container to one of the same inner extents."""
        for extent in source.extents[1:]:
            self.size_of(extent, location)
        arguments = (source.base, self.size_of(source.extents[0], location), target.base)
        return nodes.Evaluate(nodes.Call("std::copy_n", arguments, None, VOID, location), location)

    def copy_of(self, source: Container, name: str, location: Location) -> tuple[Container, nodes.Statement]:
        """Declare a copy of a container."""
        return self.declare_container(name, source.kind, self._copy(source, location), location)

    def _copy(self, source: Container, location: Location) -> Made:
        return Made([self.size_of(extent, location) for extent in source.extents], source=source)

    def made(self, cursor: Any, kind: ContainerType, location: Location) -> Made | Container:
        """Read the initialiser of a container: how it is made, or a container that it takes over."""
        cursor = constructor_in(cursor)
        if cursor is None:
            return self._empty(kind, location)
        if cursor.kind is CursorKind.INIT_LIST_EXPR:
            return self._listed(cursor, kind, location)
        if cursor.kind is CursorKind.CALL_EXPR and is_constructor(cursor):
            return self._constructed(cursor, kind, location)
        found = self.object_of(cursor)
        if not isinstance(found, Container):
            raise refusal("vector", self.location(cursor), "this initialiser of a container is not lifted")
        return found

    def _empty(self, kind: ContainerType, location: Location) -> Made:
        """Make a container without arguments: vectors are empty, the elements of a std::array have no value."""
        first, *inner = kind.lengths
        rows = [None if length is None else _number(length, location) for length in inner]
        return Made([_number(first or 0, location), *rows])

    def _constructed(self, cursor: Any, kind: ContainerType, location: Location) -> Made | Container:
        """Read the call of a constructor of std::vector."""
        arguments = written_arguments(cursor)
        if not arguments:
            return self._empty(kind, location)
        if is_copy(cursor):
            found = self.object_of(arguments[0])
            if isinstance(found, Container) and found.kind == kind:
                return self._taken(found, arguments[0], location)
            raise refusal("vector", location, "this initialiser of a container is not lifted")
        first = unwrapped(arguments[0])
        if first.kind is CursorKind.INIT_LIST_EXPR:
            return self._listed(first, kind, location)
        if kind.lengths[0] is not None or not _counts(cursor):
            return self._from_iterators(arguments, kind, location)
        extent = self.expression(arguments[0])
        return self._of_size(extent, arguments[1] if len(arguments) > 1 else None, kind, location)

    def _of_size(self, extent: nodes.Expression, value: Any, kind: ContainerType, location: Location) -> Made:
        """Make ``extent`` copies of a value, or of the default one: zero, and an empty row."""
        if kind.rank == 1:
            zero = nodes.Integer(0, INT, location)
            return Made([extent], value=zero if value is None else self.expression(value))
        if value is None:
            inner: Made | Container = self._empty(kind.row(), location)
        else:
            inner = self.made(value, kind.row(), location)
        if isinstance(inner, Container) or inner.source is not None or inner.items:
            raise refusal("vector", location, "rows that begin as a copy of a row are not lifted")
        if value is None and None in kind.row().lengths:
            raise refusal("vector", location, "rows without a length are not lifted where they are declared")
        return Made([extent, *inner.extents], value=inner.value)

    def _taken(self, found: Container, cursor: Any, location: Location) -> Made | Container:
        """Copy a container, or take over one that ends here."""
        is_call = unwrapped(cursor).kind is CursorKind.CALL_EXPR
        if is_call and found.owner > self.frame.number and found.storage is not None:
            return found
        return self._copy(found, location)

    def _from_iterators(self, arguments: list[Any], kind: ContainerType, location: Location) -> Made:
        """Read ``std::vector<T>(v.begin(), v.end())``."""
        ends = [unwrapped(argument) for argument in arguments]
        names = [end.spelling for end in ends]
        if len(ends) == 2 and names[0] in _BEGIN and names[1] in _END:  # noqa: PLR2004 - first and last
            found = [self.receiver(end) for end in ends]
            first = found[0]
            if isinstance(first, Container) and first is found[1] and first.kind == kind:
                return self._copy(first, location)
        raise refusal("vector", location, "this initialiser of a container is not lifted")

    def _listed(self, cursor: Any, kind: ContainerType, location: Location) -> Made:
        """Read ``{a, b, c}``, in ``{{a, b}, {c, d}}`` row by row."""
        length, children = kind.lengths[0], [unwrapped(child) for child in libclang.children(cursor)]
        while length is not None and length > len(children) == 1 and holds_all(children[0], kind):
            children = libclang.children(children[0])  # the braces around the array inside of a std::array
        count = len(children) if length is None else length
        if kind.rank == 1:
            items = [self.expression(child) for child in children]
            extents: list[nodes.Expression | None] = []
        else:
            rows = [self._row_listed(child, kind.row(), location) for child in children]
            if not rows or len(rows) < count or any(len(row.items) != len(rows[0].items) for row in rows):
                raise refusal("vector", location, "this initialiser of a container is not lifted")
            items, extents = [item for row in rows for item in row.items], rows[0].extents
        if len(items) > _ITEM_LIMIT:
            raise refusal("vector", location, "this initialiser of a container is not lifted")
        items += [nodes.Integer(0, INT, location)] * (count - len(items))
        return Made([_number(count, location), *extents], items=tuple(items))

    def _row_listed(self, cursor: Any, kind: ContainerType, location: Location) -> Made:
        made = self.made(cursor, kind, location)
        if isinstance(made, Container) or not made.items:
            raise refusal("vector", location, "this initialiser of a container is not lifted")
        return made

    def receiver(self, cursor: Any) -> Any:
        """Read the object whose member function is called, or whose operator is used."""
        children = libclang.children(cursor)
        if not children:
            return None
        first = children[0]
        if names_method(first):
            inner = libclang.children(first)
            return self.object_of(inner[0]) if inner else self.frame.this
        return self.object_of(first)

    def container_call(self, cursor: Any, container: Container) -> nodes.Expression:
        """Read the call of a member function of a container that gives a number, an iterator or nothing."""
        name, location = cursor.spelling, self.location(cursor)
        arguments = list(cursor.get_arguments())
        asked = self._asked(name, container, location)
        if asked is not None:
            return asked
        index = self.index_of(cursor, container)
        if index is not None and container.kind.rank == 1:
            return container.element(index, location)
        if name in _IGNORED:
            return nodes.Cast(_number(0, location), VOID, location, explicit=True)
        if name in {"push_back", "emplace_back"} and len(arguments) == 1 and container.kind.rank == 1:
            return self._push(container, self.expression(arguments[0]), location)
        if name == "clear":
            return assigned(self.growing(container, location), _number(0, location))
        if name == "swap":
            return self.swapped(container, self.object_of(arguments[0]), location)
        if name == "fill":
            value = converted(self.expression(arguments[0]), container.kind.element)
            count = extent_node(container.extents[0], location)
            return nodes.Call("std::fill_n", (container.base, count, value), None, VOID, location)
        if name in {"resize", "assign"} and container.kind.rank == 1 and _counts(cursor):
            return self._resized(name, container, arguments, location)
        raise refusal("vector", location, f"`{name}` on `{container.name}` is not lifted")

    def _asked(self, name: str, container: Container, location: Location) -> nodes.Expression | None:
        """Read what a container says of itself: its size and its iterators; None for any other function."""
        if name not in {"size", "empty"} and (name not in _BEGIN | _END or container.kind.rank > 1):
            return None
        if name in _BEGIN:
            return container.begin(location)
        size = self.size_of(container.extents[0], location)
        if name == "empty":
            return truth(nodes.Binary("==", size, _number(0, location), INT, location))
        if name in _END:
            begin = container.begin(location)
            return nodes.Binary("+", begin, size, begin.ctype, location)
        return size

    def index_of(self, cursor: Any, container: Container) -> nodes.Expression | None:
        """Read the subscript of an element that a member function selects; None for any other function."""
        location, name = self.location(cursor), cursor.spelling
        if name == "operator[]":
            return self.expression(libclang.children(cursor)[2])
        if name == "at":
            return self.expression(next(iter(cursor.get_arguments())))
        if name == "front":
            return _number(0, location)
        if name == "back":
            size = self.size_of(container.extents[0], location)
            return nodes.Binary("-", size, _number(1, location), UNSIGNED_LONG, location)
        return None

    def growing(self, container: Container, location: Location) -> nodes.Name:
        """Give the size of a container that changes, and let its array take the extents that the accesses tell."""
        size, variable = container.extents[0], container.variable
        if variable is None or not isinstance(size, nodes.Variable) or container.storage is None:
            raise refusal("vector", location, f"the size of `{container.name}`, which belongs to the caller, changes")
        variable.extents = (None, *variable.extents[1:])
        container.grows = True
        return nodes.Name(size, UNSIGNED_LONG, location)

    def _push(self, container: Container, value: nodes.Expression, location: Location) -> nodes.Expression:
        """Append an element."""
        size = self.growing(container, location)
        place = container.element(size, location)
        step = nodes.Unary("pre++", size, UNSIGNED_LONG, location)
        return nodes.Binary(",", assigned(place, value), step, UNSIGNED_LONG, location)

    def push_row(self, cursor: Any, container: Container) -> nodes.Statement:
        """Append a row."""
        location = self.location(cursor)
        (argument,) = cursor.get_arguments()
        kind = container.kind.row()
        with self.collecting() as before:
            made = self.made(argument, kind, location)
        statements = evaluated(before, location)
        if isinstance(made, Made) and made.source is not None:
            made = made.source
        if isinstance(made, Made):
            made, statement = self.declare_container(f"{container.name}[]", kind, made, location)
            statements.append(statement)
        size = self.growing(container, location)
        target = container.row(size, location)
        inner = tuple(self.size_of(extent, location) for extent in made.extents)
        assert container.variable is not None
        statements.append(self.copied(made, target, location))
        statements.append(nodes.Settle(container.variable, (None, *inner), location))
        statements.append(nodes.Evaluate(nodes.Unary("pre++", size, UNSIGNED_LONG, location), location))
        return nodes.Block(tuple(statements), location, is_scope=False)

    def _resized(self, name: str, container: Container, arguments: list[Any], location: Location) -> nodes.Expression:
        """Give a container a size: ``resize`` keeps the elements, ``assign`` makes all anew."""
        count = self.expression(arguments[0])
        value = self.expression(arguments[1]) if len(arguments) > 1 else nodes.Integer(0, INT, location)
        size = self.growing(container, location)
        kept: nodes.Expression = size if name == "resize" else _number(0, location)
        begin = nodes.Unary("&", container.element(kept, location), pointer_to(container.kind.element), location)
        rest = nodes.Binary("-", count, kept, UNSIGNED_LONG, location)
        fill = nodes.Call("std::fill_n", (begin, rest, converted(value, container.kind.element)), None, VOID, location)
        return nodes.Binary(",", fill, assigned(size, count), UNSIGNED_LONG, location)

    def swapped(self, one: Container, other: object, location: Location) -> nodes.Expression:
        """Read the exchange of two containers of the same size."""
        if not isinstance(other, Container) or other.kind != one.kind:
            raise refusal("vector", location, f"`{one.name}` is exchanged with what is no container of the function")
        kept, statement = self.copy_of(one, f"{one.name}_before", location)
        sides = zip(one.extents, other.extents, strict=True)
        agree = [nodes.Agree(self.size_of(a, location), self.size_of(b, location), location) for a, b in sides]
        copies = [self.copied(other, one, location), self.copied(kept, other, location)]
        return self.as_expression([*agree, statement, *copies], location)

    def overwrite(self, target: Container, cursor: Any, location: Location) -> nodes.Statement:
        """Read the assignment of a whole container."""
        with self.collecting() as before:
            made = self.made(cursor, target.kind, location)
        statements = evaluated(before, location)
        if isinstance(made, Made) and made.source is not None:
            source = made.source
        elif isinstance(made, Container):
            source = made
        else:
            source, declared = self.declare_container(f"{target.name}'", target.kind, made, location)
            statements.append(declared)
        statements += self.replaced(target, source, location)
        return nodes.Block(tuple(statements), location, is_scope=False)

    def replaced(self, target: Container, source: Container, location: Location) -> list[nodes.Statement]:
        """Give a container the elements and the size of another one; that of a caller has the same size."""
        statements: list[nodes.Statement] = []
        for own, other in zip(target.extents[1:], source.extents[1:], strict=True):
            agree = nodes.Agree(self.size_of(own, location), self.size_of(other, location), location)
            statements.append(agree)
        is_kept = self.loops > target.loops and target.has_size and not target.grows
        if target.storage is None or target.variable is None or target.kind.rank > 1 or is_kept:
            sizes = self.size_of(target.extents[0], location), self.size_of(source.extents[0], location)
            statements.append(nodes.Agree(*sizes, location))
            statements.append(self.copied(source, target, location))
        else:
            size = self.growing(target, location)
            statements.append(self.copied(source, target, location))
            statements.append(nodes.Evaluate(assigned(size, self.size_of(source.extents[0], location)), location))
        return statements


def converted(value: nodes.Expression, ctype: CType) -> nodes.Expression:
    """Convert a value to a type, as an assignment does."""
    return value if value.ctype == ctype else nodes.Cast(value, ctype, value.location, explicit=False)


def evaluated(expressions: Iterable[nodes.Expression], location: Location) -> list[nodes.Statement]:
    """Evaluate expressions, one statement for each."""
    return [nodes.Evaluate(expression, location) for expression in expressions]


def assigned(place: nodes.Expression, value: nodes.Expression) -> nodes.Assign:
    """Assign a value, converted to the type of the place."""
    return nodes.Assign("", place, converted(value, place.ctype), place.ctype, place.location)


def truth(comparison: nodes.Expression) -> nodes.Expression:
    """Give a comparison the type bool, which C++ has for it."""
    return nodes.Cast(comparison, BOOL, comparison.location, explicit=False)


def _number(value: int, location: Location) -> nodes.Integer:
    return nodes.Integer(value, UNSIGNED_LONG, location)


def _is_zero(extent: nodes.Expression | None) -> bool:
    return isinstance(extent, nodes.Integer) and extent.value == 0


def _counts(cursor: Any) -> bool:
    """Whether the first parameter of a member function is a number of elements."""
    parameters = list(cursor.referenced.get_arguments())
    return bool(parameters) and parameters[0].type.get_canonical().spelling == "unsigned long"
