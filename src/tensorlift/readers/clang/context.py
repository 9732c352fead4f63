"""What the rules of the C reader share while one function is read, and the few operations that all of them make.

A value of C is an SSA value, or a ``Pointer``: the memory that it points into and an offset in elements of that memory.
What an lvalue names is a ``Local`` (a scalar in SSA form), a ``PointerLocal`` (two of them), or a ``Cell``: the object
that a pointer points to.  A ``Structure`` is its members, and stands for itself where its value is asked for; where a
value stands for an object, nothing can be written to that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FileLineColLoc,
    IndexType,
    IntAttr,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, SSAValue

from tensorlift.diagnostics import Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import FactFinder
from tensorlift.frontends.cpp.refusals import refusal as cpp_refusal
from tensorlift.frontends.cpp.uses import Uses
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import (
    LONG,
    PARTS,
    ArrayType,
    ComplexType,
    CType,
    FloatType,
    NumberType,
    OtherType,
    PointerType,
    VoidType,
)
from tensorlift.readers.clang.member_uses import UseFinder
from tensorlift.readers.flow import Flow, FlowGraph, Local
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping, Sequence

    from xdsl.dialects.builtin import LocationAttr

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.c.clang_types import TypeReader
    from tensorlift.frontends.cpp.objects import ContainerType
    from tensorlift.readers.clang.left_out import LeftOut

INDEX = IndexType()
_MOST_NODES = 20_000  # expressions and statements; more take seconds to read
_DEEPEST = 120  # nested expressions and statements; more would exhaust the stack

# Attributes are immutable, and making one checks it; these occur again and again.
_memref = lru_cache(maxsize=64)(MemRefType)
_number = lru_cache(maxsize=4096)(IntAttr)
_text = lru_cache(maxsize=64)(StringAttr)


@dataclass(frozen=True, slots=True)
class Pointer:
    """A pointer: the memory, the offset in elements, and the extents of the array pointed to, none for a scalar.

    Where it points into a member of an array of structures, so many elements ``together`` lie in one of them: it is
    subscripted inside of these, and not moved.  Elsewhere that is zero.
    """

    base: SSAValue
    offset: SSAValue
    shape: tuple[int | SSAValue, ...] = ()
    together: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """The object that a pointer points to."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class PointerLocal:
    """A variable that holds a pointer."""

    base: Local
    offset: Local
    shape: tuple[int | SSAValue, ...]
    together: int = 0


@dataclass(frozen=True, slots=True)
class Complex:
    """A complex number; a part that it does not have, as a real number no imaginary one, is None."""

    re: SSAValue | None
    im: SSAValue | None
    part: FloatType


@dataclass(frozen=True, slots=True)
class ComplexLocal:
    """A variable that holds a complex number."""

    re: Local
    im: Local


@dataclass(slots=True)
class FixedPointer:
    """A variable at file scope, by its name, that holds a pointer which no function that is read changes.

    A local one that holds a table of row pointers is set once, or to the same again; it has none before.
    """

    name: str
    pointer: Pointer | None = None
    is_local: bool = False


@dataclass(frozen=True, slots=True)
class Allocation:
    """What ``malloc`` and ``calloc`` give: memory whose elements a conversion will tell; ``size`` counts bytes."""

    size: SSAValue
    is_zero: bool


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure: what its members are, by their names.

    Of an ``is_array`` of structures, each member is one memory for all of them, and ``index`` tells which is meant.
    An object of C++ that is ``reached`` from outside, by that name, gets its members when they are used; those that are
    ``deferred`` are made for each use, which is a cursor.
    """

    members: MutableMapping[str, Place]
    is_array: bool = False
    index: SSAValue | None = None
    reached: str = ""
    deferred: Mapping[str, Callable[[Any], Place]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StructurePointer:
    """A pointer to a structure."""

    target: Structure


@dataclass(frozen=True, slots=True)
class Container:
    """A container of C++: where its first element is, and how many there are, in each dimension.

    A size is a constant, a value, a variable where it may change, or the name of one that is asked for when it is used.
    ``loops`` tells inside of how many loops it was declared; ``is_sized`` where it did not begin as empty.
    """

    name: str
    kind: ContainerType
    start: Pointer
    sizes: tuple[int | SSAValue | Local | str, ...]
    loops: int = 0
    is_sized: bool = False


@dataclass(frozen=True, slots=True)
class Lambda:
    """A lambda, or a function that is passed by its name; ``captured`` are its own copies of variables."""

    cursor: Any
    captured: Mapping[int | None, Place] = field(default_factory=dict)
    this: Structure | None = None


@dataclass(slots=True)
class StructureCursor:
    """A variable that points to one of an array of structures, or always to the same structure.

    ``structure`` is what the first assignment gives, in the order of the source, and any other has to be of the same.
    """

    index: Local
    structure: Structure | None = None


Value: TypeAlias = SSAValue | Complex | Pointer | Allocation | Structure | StructurePointer | Container | Lambda
Place: TypeAlias = Local | ComplexLocal | PointerLocal | StructureCursor | FixedPointer | Cell | Value
Rule: TypeAlias = "Callable[[Context, Any], Value]"
PlaceRule: TypeAlias = "Callable[[Context, Any], Place]"
EffectRule: TypeAlias = "Callable[[Context, Any], Place | None]"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a language by kind of cursor; the files of rules fill the tables.

    Expressions are read for their value, for the object that they name, or for their effects alone; where there is no
    rule for the effects, the value is dropped.
    """

    values: dict[int, Rule] = field(default_factory=dict)
    places: dict[int, PlaceRule] = field(default_factory=dict)
    effects: dict[int, EffectRule] = field(default_factory=dict)
    statements: dict[int, Callable[[Context, Any], None]] = field(default_factory=dict)


C = Rules()


Memories: TypeAlias = "Callable[[Any, str, CType], tuple[str, MemRefType[Attribute]]]"


@dataclass(slots=True)
class Unit:
    """One translation unit: its file, its types, and what its functions ask of it.

    A ``definition`` is that of a function or variable in any file of the project, or why there is none.
    """

    file: str
    source: bytes
    types: TypeReader
    function: Callable[[Any], str]  # have a function read that is called; gives its symbol
    definition: Callable[[Any], Any]
    visible: Callable[[Any], Any]  # what the main file declares for a variable; None where it declares none
    memory: Memories  # declare a static variable, or a member of one; gives its symbol and type
    rules: Rules = C
    positions: libclang.Positions = field(init=False)
    locations: dict[int, FileLineColLoc] = field(default_factory=dict)
    facts: FactFinder = field(default_factory=FactFinder)
    uses: UseFinder = field(default_factory=UseFinder)
    kept: set[int] = field(default_factory=set)  # static variables of functions that nothing writes
    addressed: dict[int, set[int | None]] = field(default_factory=dict)  # whose addresses functions take, by these

    def __post_init__(self) -> None:
        """Begin to find places."""
        self.positions = libclang.Positions(self.file)

    def known(self, declaration: Any) -> Any:
        """Give the definition of a function; None where there is none."""
        found = self.definition(declaration)
        return None if isinstance(found, str) else found


@dataclass(slots=True)
class Frame:
    """A function of C++ that is read in place of its call, or the one that is read itself.

    ``reached`` names what it returns where the caller of the outermost one has made that; ``made`` are the variables
    that it returns, ``owned`` the containers and objects that it has made.  ``is_direct`` where its only ``return`` is
    its last statement, so that no jump is needed, and ``wants_object`` where the caller uses what is returned as an
    object, and not as a value.  ``call`` is where it is called, and ``placed`` says of places in it that they stand
    there.
    """

    definition: Any
    this: Structure | None = None
    reached: str = ""
    made: frozenset[int | None] = frozenset()
    owned: set[int | None] = field(default_factory=set)
    is_direct: bool = False
    wants_object: bool = False
    exit: Flow = field(default_factory=Flow)
    result: Place | None = None
    call: LocationAttr | None = None
    placed: dict[Attribute, LocationAttr] = field(default_factory=dict)


@dataclass(slots=True)
class Calls:
    """How C++ is read in place of its calls, and what the outermost function takes, which it tells by and by."""

    frames: list[Frame] = field(default_factory=list)
    uses: Uses = field(default_factory=Uses)
    arguments: dict[str, SSAValue] = field(default_factory=dict)
    growing: dict[int | None, set[int | None]] = field(default_factory=dict)  # the vectors of functions that grow
    wanted: str = ""  # where the object that the next call returns is to be, if the caller has made that
    at: FileLineColLoc | None = None  # where the library was called that is being read
    texts: dict[str, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class Context:
    """The function that is being read."""

    unit: Unit
    flow: FlowGraph
    result: CType
    places: dict[int | None, Place] = field(default_factory=dict)
    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)
    labels: dict[str, Flow] = field(default_factory=dict)
    cases: dict[int | None, Flow] = field(default_factory=dict)
    callees: dict[str, Any] = field(default_factory=dict)
    left_out: LeftOut | None = None
    checks: list[Callable[[], None]] = field(default_factory=list)  # asked when all phis are settled
    outer: dict[str, SSAValue] = field(default_factory=dict)  # the pointers at file scope that it takes as arguments
    depth: int = 0
    entered: int = 0
    loops: int = 0
    calls: Calls = field(default_factory=Calls)

    def type_of(self, cursor: Any) -> CType:
        """Give the C type of an expression or declaration."""
        return self.unit.types.of(cursor)

    def value_type(self, cursor: Any) -> CType:
        """Give the C type of an expression's value; libclang tells the type of ``a + 1`` as ``a`` was declared."""
        return decayed(self.unit.types.of(cursor))

    def position(self, cursor: Any) -> Location:
        """Give the place of a cursor for messages."""
        at = self.location(cursor)
        return Location(at.filename.data, at.line.data, at.column.data)

    def location(self, cursor: Any) -> FileLineColLoc:
        """Give the place of a cursor as an attribute; what stands inside of a library stands where that is called."""
        if self.calls.at is not None:
            return self.calls.at
        unit, start = self.unit, libclang.start(cursor)
        known = unit.locations.get(start.int_data)
        if known is None:
            file, line, column = unit.positions.of(start)
            known = FileLineColLoc(_text(file), _number(line), _number(column))
            unit.locations[start.int_data] = known
        return known

    def text(self, extent: Any) -> bytes:
        """Give the text of a cursor's extent, in whichever file that is."""
        start, end, file = extent.start.offset, extent.end.offset, str(extent.start.file or self.unit.file)
        if file == self.unit.file:
            return self.unit.source[start:end]
        if file not in self.calls.texts:
            self.calls.texts[file] = Path(file).read_bytes()
        return self.calls.texts[file][start:end]

    def words(self, cursor: Any) -> str:
        """Give the text of a cursor on one line."""
        return " ".join(self.text(cursor.extent).decode("utf-8", "replace").split())

    def refusal(self, reason: str, cursor: Any, detail: str = "") -> LiftError:
        """Build the refusal of a construct, to be raised by the caller."""
        return refusal(reason, self.position(cursor), detail)

    def enter(self, cursor: Any) -> None:
        """Note one more level of nesting, and refuse what would exhaust the stack."""
        self.depth += 1
        self.entered += 1
        if self.depth > _DEEPEST:
            raise self.refusal("depth", cursor)
        if self.entered > _MOST_NODES:
            raise self.refusal("step-limit", cursor, f"more than {_MOST_NODES} expressions and statements")

    def operation(
        self, name: str, operands: Sequence[SSAValue], result: Attribute, at: FileLineColLoc, **properties: Attribute
    ) -> SSAValue:
        """Append an operation of one result."""
        return self.flow.operation(name, operands, result, at, **properties)

    def constant(self, value: float, ctype: CType, at: FileLineColLoc) -> SSAValue:
        """Append a constant of a C type."""
        assert isinstance(ctype, NumberType)
        return self.flow.constant(value, ctype, at)

    def truth(self, value: int, at: FileLineColLoc) -> SSAValue:
        """Append a constant ``i1``."""
        return self.flow.truth(value, at)

    def arithmetic(self, operator: str, left: SSAValue, right: SSAValue, ctype: CType, at: FileLineColLoc) -> SSAValue:
        """Append an arithmetic operation on operands of one type; overflow of signed types is undefined."""
        assert isinstance(ctype, NumberType)
        wraps = isinstance(ctype, FloatType) or not ctype.signed
        return self.flow.arithmetic(operator, left, right, ctype, at, wraps=wraps)

    def comparison(self, operator: str, left: SSAValue, right: SSAValue, ctype: CType, at: FileLineColLoc) -> SSAValue:
        """Append a comparison of operands of one type; it gives an ``i1``."""
        assert isinstance(ctype, NumberType)
        return self.flow.comparison(operator, left, right, ctype, at)

    def is_nonzero(self, value: SSAValue, ctype: CType, at: FileLineColLoc) -> SSAValue:
        """Compare a scalar with zero."""
        assert isinstance(ctype, NumberType)
        return self.flow.is_nonzero(value, ctype, at)

    def converted(self, value: SSAValue, source: CType, target: CType, at: FileLineColLoc) -> SSAValue:
        """Convert a scalar between arithmetic types."""
        assert isinstance(source, NumberType)
        assert isinstance(target, NumberType)
        return self.flow.converted(value, source, target, at)

    def moved(self, pointer: Pointer, by: SSAValue, operator: str, at: FileLineColLoc) -> Pointer:
        """Move a pointer by a number, an ``i64``, of the objects that it points to."""
        for extent in pointer.shape:
            by = self.arithmetic("*", by, self.extent(extent, at), LONG, at)
        offset = self.arithmetic(operator, pointer.offset, by, LONG, at)
        return replace(pointer, offset=offset)

    def extent(self, extent: int | SSAValue, at: FileLineColLoc) -> SSAValue:
        """Give an extent as an ``i64``."""
        return self.constant(extent, LONG, at) if isinstance(extent, int) else extent

    def index(self, offset: SSAValue, at: FileLineColLoc) -> SSAValue:
        """Give an offset as an index of memory."""
        return self.operation("arith.index_cast", (offset,), INDEX, at)


def value(ctx: Context, cursor: Any) -> Value:
    """Read an expression for its value, by the rule of its kind."""
    rule = ctx.unit.rules.values.get(cursor._kind_id)  # noqa: SLF001 - building a CursorKind costs more than the reading
    if rule is None:
        raise ctx.refusal("expression", cursor, "this kind of expression")
    ctx.enter(cursor)
    found = rule(ctx, cursor)
    ctx.depth -= 1
    return found


def scalar(ctx: Context, cursor: Any) -> SSAValue:
    """Read an expression whose value is a number."""
    found = value(ctx, cursor)
    if not isinstance(found, SSAValue):
        raise misused(ctx, found, cursor, "a pointer is used as a number")
    return found


def pointer(ctx: Context, cursor: Any) -> Pointer:
    """Read an expression whose value is a pointer."""
    return as_pointer(ctx, value(ctx, cursor), cursor)


def as_pointer(ctx: Context, found: Value, cursor: Any) -> Pointer:
    """Take a value as a pointer."""
    if not isinstance(found, Pointer):
        raise misused(ctx, found, cursor, "a number is used as a pointer")
    return found


def misused(ctx: Context, found: Place, cursor: Any, detail: str) -> LiftError:
    """Build the refusal of a value where another kind is expected."""
    if isinstance(found, Structure | StructurePointer):
        what = f"`{cursor.spelling}`" if cursor.spelling else ctx.type_of(cursor).spelling
        return ctx.refusal("struct", cursor, what)
    if isinstance(found, Allocation):
        return ctx.refusal("heap", cursor, "malloc")
    if isinstance(found, Complex | ComplexLocal):
        return ctx.refusal("complex", cursor, "a complex number where another value is expected")
    member = next((path for path, value in ctx.calls.arguments.items() if value is found and "." in path), "")
    if member:  # a number of an object of the caller, which is handed in by its value
        place = libclang.children(ctx.calls.frames[0].definition)[-1]
        return cpp_refusal("member", ctx.position(place), member)
    return ctx.refusal("pointer-value", cursor, detail)


def decayed(ctype: CType) -> CType:
    """Give the type of a pointer to the first element for that of an array."""
    return PointerType(ctype.spelling, ctype.element) if isinstance(ctype, ArrayType) else ctype


def memory_type(element: CType) -> MemRefType[Attribute]:
    """Give the type of flat memory of an element type."""
    return _memref(ir_type(element), (DYNAMIC_INDEX,))


def pointee(ctx: Context, ctype: CType, cursor: Any, name: str) -> tuple[CType, tuple[int | None, ...]]:
    """Give element type and extents of what a pointer points to; an extent that varies is None.

    A complex number is an array of its two parts.

    Raises ``LiftError`` where that is no scalar and no array of scalars.
    """
    shape: list[int | None] = []
    while isinstance(ctype, ArrayType):
        shape.append(ctype.length)
        ctype = ctype.element
    if isinstance(ctype, ComplexType):
        shape.append(PARTS)
        ctype = ctype.part
    if isinstance(ctype, PointerType):
        raise ctx.refusal("row-pointers", cursor, name)
    if isinstance(ctype, OtherType):
        raise ctx.refusal(ctype.kind, cursor, ctype.spelling)
    if isinstance(ctype, VoidType):
        raise ctx.refusal("type", cursor, f"{ctype.spelling} *")
    if not isinstance(ctype, NumberType):
        raise ctx.refusal("pointer", cursor, name)
    if 0 in shape:
        raise ctx.refusal("declaration", cursor, f"`{name}` has no elements")
    return ctype, tuple(shape)
