"""What the standard says of containers: their constructors and initialisers, and their member functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import is_reference
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import (
    constructor_in,
    holds_all,
    is_constructor,
    is_copy,
    unwrapped,
    written_arguments,
)
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, LONG, UNSIGNED_LONG
from tensorlift.readers.clang.context import (
    Cell,
    Complex,
    Container,
    Context,
    Value,
    pointer,
    value,
)
from tensorlift.readers.clang.cpp.arguments import Home
from tensorlift.readers.clang.cpp.containers import (
    copied,
    copy,
    declared,
    demand,
    element,
    fill,
    resize,
    same_sizes,
    size,
    swap,
    zero,
)
from tensorlift.readers.clang.cpp.inlining import is_pure
from tensorlift.readers.clang.expressions import converted
from tensorlift.readers.clang.objects import assign
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.frontends.cpp.objects import ContainerType

_BEGIN, _END = {"begin", "cbegin", "data"}, {"end", "cend"}
_GROWS = {"push_back", "emplace_back", "resize", "assign"}
_MOST_ITEMS = 256


def made(ctx: Context, kind: ContainerType, initial: Any, home: Home, *, grows: bool = False) -> Container:
    """Read the initialiser of a container, None where there is none."""
    inner = constructor_in(initial)
    if inner is None:
        return _empty(ctx, kind, home)
    if inner.kind is CursorKind.INIT_LIST_EXPR:
        return _listed(ctx, kind, inner, home)
    if inner.kind is not CursorKind.CALL_EXPR or not is_constructor(inner):
        found = given(ctx, inner, home.reached)
        return found if is_new(inner) else copied(ctx, found, home)
    arguments = written_arguments(inner)
    if not arguments:
        return _empty(ctx, kind, home)
    if is_copy(inner):
        return _copied(ctx, arguments[0], home)
    if len(arguments) == 1 and unwrapped(arguments[0]).kind is CursorKind.INIT_LIST_EXPR:
        return _listed(ctx, kind, unwrapped(arguments[0]), home)
    if is_count(inner):
        sizes, new = _filled(ctx, inner, kind)
        found = declared(ctx, kind, sizes, home, grows=grows)
        fill(ctx, found, new, home.at)
        return found
    if kind.rank == 1 and len(arguments) == 2:  # noqa: PLR2004 - first and last
        return _from_range(ctx, kind, arguments, home)
    raise refusal("vector", ctx.position(inner), "this initialiser of a container is not lifted")


def given(ctx: Context, cursor: Any, reached: str = "") -> Container:
    """Read an expression that is a container; ``reached`` is where the caller wants one that a call makes."""
    ctx.calls.wanted = reached
    found = value(ctx, cursor)
    ctx.calls.wanted = ""
    if not isinstance(found, Container):
        raise refusal("vector", ctx.position(cursor), "this is no container that is known")
    return found


def is_new(cursor: Any) -> bool:
    """Whether an expression makes an object that nothing else names: a call that does not return a reference."""
    inner = unwrapped(cursor)
    if inner.kind is not CursorKind.CALL_EXPR or inner.referenced is None:
        return False
    return is_constructor(inner) or not is_reference(inner.referenced.result_type)


def _empty(ctx: Context, kind: ContainerType, home: Home) -> Container:
    """Make a container without arguments: a vector is empty, the elements of a std::array have no value."""
    first, *inner = kind.lengths
    return declared(ctx, kind, [first or 0, *inner], home)


def _copied(ctx: Context, argument: Any, home: Home) -> Container:
    """Copy a container, or take over a new one; one that is moved from is empty."""
    if is_new(argument):
        return given(ctx, unwrapped(argument), home.reached)
    source, inner = given(ctx, argument), unwrapped(argument)
    found = copied(ctx, source, home)
    if inner.kind is CursorKind.CALL_EXPR and inner.spelling == "move" and source.kind.lengths[0] is None:
        resize(ctx, source, ctx.constant(0, UNSIGNED_LONG, home.at), inner)
    return found


def _filled(ctx: Context, call: Any, kind: ContainerType) -> tuple[list[int | SSAValue | None], SSAValue | Complex]:
    """Read ``(n)``, ``(n, value)`` or ``(n, row)``: the sizes, and the value of all elements."""
    count, *rest = written_arguments(call)
    number = converted(ctx, count, UNSIGNED_LONG)
    assert isinstance(number, SSAValue)
    if kind.rank == 1:
        new = converted(ctx, rest[0], kind.element) if rest else zero(ctx, kind.element, ctx.location(call))
        assert isinstance(new, SSAValue | Complex)
        return [number], new
    inner = constructor_in(rest[0]) if rest else None
    if inner is None or inner.kind is not CursorKind.CALL_EXPR or not is_constructor(inner) or not is_count(inner):
        if rest or None in kind.lengths[1:]:
            raise refusal(
                "vector", ctx.position(call), "rows that begin as a copy, or without a length, are not lifted"
            )
        return [number, *kind.lengths[1:]], zero(ctx, kind.element, ctx.location(call))
    sizes, new = _filled(ctx, inner, kind.row())
    return [number, *sizes], new


def _from_range(ctx: Context, kind: ContainerType, ends: list[Any], home: Home) -> Container:
    """Read ``(first, last)``."""
    first, last = pointer(ctx, ends[0]), pointer(ctx, ends[1])
    if first.base is not last.base or first.shape:
        raise refusal("vector", ctx.position(ends[0]), "a container of what is between two pointers")
    count = ctx.arithmetic("-", last.offset, first.offset, LONG, home.at)
    return copied(ctx, Container(home.name, kind, first, (count,)), home)


def _listed(ctx: Context, kind: ContainerType, cursor: Any, home: Home) -> Container:
    """Read ``{a, b, c}``, in ``{{a, b}, {c, d}}`` row by row; what a std::array is not given is zero."""
    items = _items(ctx, kind, cursor)
    if len(items) > _MOST_ITEMS or None in kind.lengths[1:]:
        raise refusal("vector", ctx.position(cursor), "this initialiser of a container is not lifted")
    first = kind.lengths[0] if kind.lengths[0] is not None else len(items)
    found = declared(ctx, kind, [first, *kind.lengths[1:]], home)
    _store_items(ctx, found, items, cursor)
    return found


def _store_items(ctx: Context, found: Container, items: list[Any], cursor: Any) -> None:
    at, count = ctx.location(cursor), found.sizes[0]
    assert isinstance(count, int) or found.kind.lengths[0] is None
    for number in range(count if isinstance(count, int) else len(items)):
        part = element(ctx, found, ctx.constant(number, LONG, at), at)
        item = items[number] if number < len(items) else None
        if isinstance(part, Container):
            inner = constructor_in(item)
            if inner is not None and inner.kind is not CursorKind.INIT_LIST_EXPR:
                raise refusal("vector", ctx.position(cursor), "this initialiser of a container is not lifted")
            _store_items(ctx, part, [] if inner is None else _items(ctx, part.kind, inner), cursor)
        else:
            new = zero(ctx, found.kind.element, at) if item is None else converted(ctx, item, found.kind.element)
            assign(ctx, part, new, cursor)


def _items(ctx: Context, kind: ContainerType, cursor: Any) -> list[Any]:
    """List the items of braces, without those around the array inside of a std::array."""
    length, children = kind.lengths[0], [unwrapped(child) for child in libclang.children(cursor)]
    while length is not None and length > len(children) == 1 and holds_all(children[0], kind):
        children = [unwrapped(child) for child in libclang.children(children[0])]
    if length is not None and len(children) > length:
        raise refusal("vector", ctx.position(cursor), "this initialiser of a container is not lifted")
    return children


def is_count(call: Any) -> bool:
    """Whether the first parameter of a function is a number of elements."""
    parameters = list(call.referenced.get_arguments())
    return bool(parameters) and parameters[0].type.get_canonical().spelling == "unsigned long"


def growing(ctx: Context) -> set[int | None]:
    """Find the vectors that the function at hand makes longer."""
    definition = ctx.calls.frames[-1].definition
    known = ctx.calls.growing.get(definition.data[0])
    if known is None:
        uses = libclang.descendants(definition, CursorKind.MEMBER_REF_EXPR)
        inner = [libclang.children(use)[:1] for use in uses if use.spelling in _GROWS]
        known = ctx.calls.growing[definition.data[0]] = {
            libclang.referenced_identity(child) for children in inner for child in children if libclang.is_name(child)
        }
    return known


# Member functions.


def subscript(ctx: Context, found: Container, cursor: Any, arguments: list[Any]) -> Cell | Container | None:
    """Read a member function that selects an element; None for any other."""
    name, at = cursor.spelling, ctx.location(cursor)
    match name:
        case "operator[]" | "at":
            index = converted(ctx, arguments[0], UNSIGNED_LONG)
            assert isinstance(index, SSAValue)
            if name == "at":
                inside = ctx.comparison("<", index, size(ctx, found, 0, at), UNSIGNED_LONG, at)
                demand(ctx, inside, "`at` is given the place of an element", at)
        case "front":
            index = ctx.constant(0, LONG, at)
        case "back":
            index = ctx.arithmetic("-", size(ctx, found, 0, at), ctx.constant(1, UNSIGNED_LONG, at), UNSIGNED_LONG, at)
        case _:
            return None
    return element(ctx, found, index, at)


def method(ctx: Context, found: Container, cursor: Any, arguments: list[Any]) -> Value | None:
    """Read the call of a member function that selects no element."""
    name, at = cursor.spelling, ctx.location(cursor)
    if name in _BEGIN | _END:
        if found.kind.rank > 1:
            raise refusal("vector", ctx.position(cursor), f"`{name}` on `{found.name}` is not lifted")
        if name in _BEGIN:
            return found.start
        return ctx.moved(found.start, size(ctx, found, 0, at), "+", at)
    rule = _METHODS.get(name)
    if rule is None:
        raise refusal("vector", ctx.position(cursor), f"`{name}` on `{found.name}` is not lifted")
    return rule(ctx, found, cursor, arguments)


def _size(ctx: Context, found: Container, cursor: Any, _: list[Any]) -> Value:
    return size(ctx, found, 0, ctx.location(cursor))


def _is_empty(ctx: Context, found: Container, cursor: Any, _: list[Any]) -> Value:
    at = ctx.location(cursor)
    zero = ctx.constant(0, UNSIGNED_LONG, at)
    truth = ctx.comparison("==", size(ctx, found, 0, at), zero, UNSIGNED_LONG, at)
    return ctx.operation("arith.extui", (truth,), ir_type(BOOL), at)


def _reserve(ctx: Context, _: Container, cursor: Any, arguments: list[Any]) -> None:
    """Do nothing: how much memory there is has no effect."""
    if not all(map(is_pure, arguments)):
        raise refusal("vector", ctx.position(cursor), "`reserve` of an amount whose computation has effects")


def _push(ctx: Context, found: Container, cursor: Any, arguments: list[Any]) -> None:
    """Append an element or a row; ``emplace_back`` is given what one is made of, which is one number here."""
    if len(arguments) != 1:
        raise refusal("vector", ctx.position(cursor), f"`{cursor.spelling}` on `{found.name}` is not lifted")
    (argument,), at = arguments, ctx.location(cursor)
    new: Value
    if found.kind.rank == 1:
        new = converted(ctx, argument, found.kind.element)
    else:
        new = row(ctx, f"{found.name}[]", found.kind.row(), argument)
    old = size(ctx, found, 0, at)
    place = element(ctx, found, old, at)
    if isinstance(place, Container) and isinstance(new, Container):
        same_sizes(ctx, place, new, [0], at)
        copy(ctx, place, new, at)
    elif isinstance(place, Cell):
        assign(ctx, place, new, cursor)
    resize(ctx, found, ctx.arithmetic("+", old, ctx.constant(1, UNSIGNED_LONG, at), UNSIGNED_LONG, at), cursor)


def row(ctx: Context, name: str, kind: ContainerType, cursor: Any) -> Container:
    """Read a container whose elements are only read: as it is, or made where it stands."""
    inner = constructor_in(cursor)
    if inner is not None and inner.kind is CursorKind.CALL_EXPR and is_constructor(inner) and is_copy(inner):
        return given(ctx, next(iter(inner.get_arguments())))
    is_made = inner is None or inner.kind is CursorKind.INIT_LIST_EXPR or (is_new(inner) and is_constructor(inner))
    return made(ctx, kind, cursor, Home(name, "", ctx.location(cursor))) if is_made else given(ctx, inner)


def _pop(ctx: Context, found: Container, cursor: Any, _: list[Any]) -> None:
    at = ctx.location(cursor)
    one = ctx.constant(1, UNSIGNED_LONG, at)
    resize(ctx, found, ctx.arithmetic("-", size(ctx, found, 0, at), one, UNSIGNED_LONG, at), cursor)


def _clear(ctx: Context, found: Container, cursor: Any, _: list[Any]) -> None:
    resize(ctx, found, ctx.constant(0, UNSIGNED_LONG, ctx.location(cursor)), cursor)


def _resized(ctx: Context, found: Container, cursor: Any, arguments: list[Any]) -> None:
    """Give a vector a size: ``resize`` keeps the elements, ``assign`` makes all anew."""
    if found.kind.rank > 1 or not is_count(cursor):
        raise refusal("vector", ctx.position(cursor), f"`{cursor.spelling}` on `{found.name}` is not lifted")
    at, old = ctx.location(cursor), size(ctx, found, 0, ctx.location(cursor))
    count = converted(ctx, arguments[0], UNSIGNED_LONG)
    new: Value = zero(ctx, found.kind.element, at)
    if len(arguments) > 1:
        new = converted(ctx, arguments[1], found.kind.element)
    assert isinstance(count, SSAValue)
    assert isinstance(new, SSAValue | Complex)
    resize(ctx, found, count, cursor)
    fill(ctx, found, new, at, old if cursor.spelling == "resize" else None)


def _fill(ctx: Context, found: Container, cursor: Any, arguments: list[Any]) -> None:
    new = converted(ctx, arguments[0], found.kind.element)
    assert isinstance(new, SSAValue | Complex)
    fill(ctx, found, new, ctx.location(cursor))


def _swap(ctx: Context, found: Container, cursor: Any, arguments: list[Any]) -> None:
    swap(ctx, found, given(ctx, arguments[0]), ctx.location(cursor))


def overwrite(ctx: Context, target: Container, argument: Any, cursor: Any) -> None:
    """Assign a whole container; one that is kept from one iteration to the next keeps its size too."""
    at = ctx.location(cursor)
    source = row(ctx, f"{target.name}'", target.kind, argument)
    if source.kind != target.kind:
        raise refusal("vector", ctx.position(cursor), "a container of another type is assigned")
    if not isinstance(target.sizes[0], Local) or (ctx.loops > target.loops and target.is_sized):
        same_sizes(ctx, target, source, [0], at)
        copy(ctx, target, source, at)
    else:
        copy(ctx, target, source, at)
        resize(ctx, target, size(ctx, source, 0, at), cursor)


_METHODS: dict[str, Callable[[Context, Container, Any, list[Any]], Value | None]] = {
    "size": _size,
    "empty": _is_empty,
    "reserve": _reserve,
    "shrink_to_fit": _reserve,
    "push_back": _push,
    "emplace_back": _push,
    "pop_back": _pop,
    "clear": _clear,
    "resize": _resized,
    "assign": _resized,
    "fill": _fill,
    "swap": _swap,
}
