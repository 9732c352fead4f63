"""What a C++ function takes in literal IR, which is found while it is read: an argument is made where it is first used.

A container is memory with an offset, and each of its sizes that the source asks for; where its rows are containers of
their own, how far these are apart as well.  An object of a class is its members, by the names by which it is reached:
``m.rows``, ``m.cells``, ``m.cells[0].size()``.  What the function returns begins with ``return``: the caller has made
the memory of containers and objects, and tells the sizes that it expects; that they are right is asserted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind, TypeKind
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from tensorlift.diagnostics import Location
from tensorlift.frontends.cpp.class_rules import require_class, require_plain_copy, require_plain_ending
from tensorlift.frontends.cpp.cpp_types import (
    CppTypes,
    is_plain_array,
    is_reference,
    pointed_class,
    without_reference,
)
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.function import ROW
from tensorlift.ir.prototype import size_name
from tensorlift.ops.c_types import ComplexType, CType, NumberType, PointerType
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import (
    Cell,
    Complex,
    Container,
    Context,
    Place,
    Pointer,
    PointerLocal,
    Structure,
    StructurePointer,
    memory_type,
    pointee,
)
from tensorlift.readers.clang.members import is_table
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import Attribute

    from tensorlift.frontends.cpp.objects import ContainerType


class Home(NamedTuple):
    """Where an object is: its name, how the caller reaches memory that it has made for that, if any, and its place."""

    name: str
    reached: str
    at: FileLineColLoc

    def member(self, name: str) -> Home:
        """Give the home of a member."""
        return Home(f"{self.name}.{name}", f"{self.reached}.{name}" if self.reached else "", self.at)


def types_of(ctx: Context) -> CppTypes:
    """Give the reader of types, which knows containers."""
    types = ctx.unit.types
    assert isinstance(types, CppTypes)
    return types


def plain(name: str) -> str:
    """Spell a name so that a value of MLIR can have it."""
    return "".join(c if c.isalnum() else "_" for c in name).strip("_")


def argument(ctx: Context, name: str, of_type: Attribute) -> SSAValue:
    """Give an argument of the function that is read, made where it is first asked for."""
    known = ctx.calls.arguments.get(name)
    if known is None:
        entry = ctx.flow.entry.block
        known = ctx.calls.arguments[name] = entry.insert_arg(of_type, len(entry.args))
        hint = plain(name)
        known.name_hint = hint if hint[:1].isalpha() else f"_{hint}"
    return known


def memory(ctx: Context, path: str, element: CType, shape: tuple[int | None, ...] = ()) -> Pointer:
    """Give memory that the caller has made; extents of what is inside are asked for where they are not constant."""
    base = argument(ctx, path, memory_type(element))
    offset = argument(ctx, f"{path} at", i64)
    rows: list[int | SSAValue] = []
    for extent in shape:
        number = 1 + sum(not isinstance(row, int) for row in rows)
        rows.append(argument(ctx, f"{path}{ROW * number}", i64) if extent is None else extent)
    return Pointer(base, offset, tuple(rows))


def container(ctx: Context, path: str, kind: ContainerType, cursor: Any) -> Container:
    """Give a container of the caller; its sizes are asked for where they are used."""
    whole = kind.in_memory()
    inner = whole.lengths[1:]
    if len({length is None for length in inner}) > 1:
        raise refusal("container", ctx.position(cursor), "a container of vectors and arrays")
    sizes = (size_name(path, axis) if length is None else length for axis, length in enumerate(kind.lengths))
    return Container(path, kind, memory(ctx, path, whole.element, inner), tuple(sizes), is_sized=True)


def parameter(ctx: Context, cursor: Any) -> Place:
    """Give what a parameter of the function that is read stands for; an object that is passed by value as it comes."""
    name, at, ctype = cursor.spelling, ctx.location(cursor), types_of(ctx).read(cursor.type)
    by_reference = is_reference(cursor.type)
    if cursor.type.get_canonical().kind is TypeKind.RVALUEREFERENCE:
        raise refusal("temporary", ctx.position(cursor), name)
    if not name:
        return Structure({})  # nobody can use it
    if by_reference:
        is_cell = not cursor.type.get_canonical().get_pointee().is_const_qualified()
        return outer(ctx, name, without_reference(cursor.type), cursor, is_cell=is_cell)
    pointed = pointed_class(cursor.type)
    if pointed is not None:
        require_class(pointed, ctx.position(cursor))
        return StructurePointer(Structure({}, reached=name))
    found = outer(ctx, name, cursor.type, cursor)
    if isinstance(found, SSAValue):
        return written(ctx, Local(found.type, at, name), found)
    if isinstance(found, Complex):
        assert isinstance(ctype, ComplexType)
        kept = complex_numbers.local(ctype, at, name)
        complex_numbers.keep(ctx, kept, found, cursor)
        return kept
    if isinstance(found, Pointer) and not is_table(ctype):
        base, offset = Local(found.base.type, at, name), Local(i64, at, f"{name}_at")
        return PointerLocal(written(ctx, base, found.base), written(ctx, offset, found.offset), found.shape)
    return found


def written(ctx: Context, local: Local, value: SSAValue) -> Local:
    """Give a variable its value."""
    ctx.flow.write(local, value)
    return local


def outer(ctx: Context, path: str, clang_type: Any, cursor: Any, *, is_cell: bool = False) -> Place:
    """Give an object of the caller; a number is a value unless it ``is_cell``, memory that the function may write."""
    types = types_of(ctx)
    kind = types.member(clang_type)
    if kind is not None and is_plain_array(clang_type):
        start = memory(ctx, path, kind.element)
        return Cell(Pointer(start.base, start.offset, tuple(length for length in kind.lengths if length is not None)))
    if kind is not None:
        return container(ctx, path, kind, cursor)
    ctype = types.read(clang_type)
    if isinstance(ctype, NumberType):
        return Cell(memory(ctx, path, ctype)) if is_cell else argument(ctx, path, ir_type(ctype))
    if isinstance(ctype, ComplexType) and is_cell:
        return Cell(memory(ctx, path, ctype.part))
    if isinstance(ctype, ComplexType):
        re, im = (argument(ctx, f"{path}.{part}", ir_type(ctype.part)) for part in ("re", "im"))
        return Complex(re, im, ctype.part)
    if isinstance(ctype, PointerType):
        if is_table(ctype):
            assert isinstance(ctype.element, PointerType)
            return memory(ctx, path, ctype.element.element, (None,))
        element, shape = pointee(ctx, ctype.element, cursor, path)
        return memory(ctx, path, element, shape)
    require_class(clang_type, ctx.position(cursor))
    if cursor.kind is CursorKind.PARM_DECL and not is_reference(cursor.type):
        require_plain_ending(clang_type, ctx.position(cursor))
        require_plain_copy(clang_type, ctx.position(cursor))
    return Structure({}, reached=path)


def location(at: FileLineColLoc) -> Location:
    """Give a place for messages."""
    return Location(at.filename.data, at.line.data, at.column.data)
