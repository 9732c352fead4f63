"""What the rules of the Fortran reader share while one procedure is read, and the operations that all of them make."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, MemRefType, StringAttr, i1, i32, i64
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.memref import AllocaOp, LoadOp, StoreOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from tensorlift.diagnostics import Location
from tensorlift.frontends.fortran.constants import Constant, cast
from tensorlift.frontends.fortran.known_procedures import NAME as KNOWN
from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.symbols import PART, implicit_type, require_type
from tensorlift.frontends.fortran.syntax import kind_of, statement_line
from tensorlift.ir.c_types import ir_type, location_attribute
from tensorlift.ir.literal_function import UNREAD
from tensorlift.ops.c_types import BOOL, CHAR, LONG, PARTS, ComplexType
from tensorlift.readers.flow import Flow, FlowGraph, Local
from tensorlift.readers.fortran.values import Number, Size, Variable, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import FileLineColLoc, LocationAttr
    from xdsl.ir import Attribute

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.fortran.symbols import Numeric, Procedure, Scope, Symbol
    from tensorlift.readers.fortran.values import Binding

INDEX = IndexType()
_DEEPEST = 100
_MOST_PARTS = 32  # of which a size is made, as far as it is looked at
DIFFER = f"{UNREAD}extents that differ"


@dataclass(slots=True, eq=False)
class Loop:
    """A loop that is being read: its name, and where `cycle` and `exit` lead."""

    name: str
    latch: Flow
    after: Flow


@dataclass(slots=True, eq=False)
class Frame:
    """The names of a procedure that is being read, where it ends, and where its labels are."""

    procedure: Procedure
    outer: Frame | None = None
    scope: Scope = field(init=False)  # the names that the procedure declares, or a block in it
    bound: dict[str, Binding] = field(default_factory=dict)
    constants: dict[Symbol, View] = field(default_factory=dict)  # constant arrays
    end: Flow = field(default_factory=Flow)
    labels: dict[str, Flow] = field(default_factory=dict)
    formulas: dict[str, Any] = field(default_factory=dict)  # statement functions
    loops: list[Loop] = field(default_factory=list)
    counting: list[Local] = field(default_factory=list)  # the variables of loops around

    def __post_init__(self) -> None:
        """Begin with the names of the procedure."""
        self.scope = self.procedure.scope

    def inner(self, scope: Scope) -> Frame:
        """Give a frame for names that a part of the procedure has of its own."""
        made = Frame(self.procedure, self, end=self.end, labels=self.labels, formulas=self.formulas)
        made.scope, made.loops, made.counting = scope, self.loops, self.counting
        return made


@dataclass(slots=True, eq=False)
class Context:
    """The procedure that is being read; ``at`` is the place that new operations get.

    ``asked`` are the extents of assumed-shape arguments that are asked for, which are arguments themselves.
    """

    flow: FlowGraph
    frame: Frame
    at: FileLineColLoc
    read_block: Callable[[Context, Sequence[Any]], None]  # reads statements
    outside: dict[Symbol, Binding] = field(default_factory=dict)  # variables of modules and common blocks
    asked: dict[tuple[str, int], BlockArgument] = field(default_factory=dict)
    equal: list[tuple[SSAValue, SSAValue]] = field(default_factory=list)  # of those, which the source takes for one
    capitals: dict[SSAValue, FileLineColLoc] = field(default_factory=dict)  # flags, with where LSAME compares them
    around: list[Procedure] = field(default_factory=list)  # the procedures that are being read
    unsure: set[Symbol] = field(default_factory=set)  # arrays that may have been deallocated
    depth: int = 0
    made: int = 0
    by_columns: bool = False  # whether axes are in the order in which Fortran does not write them

    # -- places and refusals

    def visit(self, node: Any) -> None:
        """Go to the place of a statement."""
        scope = self.frame.scope
        if scope.file.name.startswith(KNOWN):  # what stands in for a call has its place
            return
        is_after_if = kind_of(node.parent) == "If_Stmt"  # then it has a place of its own in the line
        self.at = location_attribute(scope.file.location(scope.first + statement_line(node), is_after_if=is_after_if))

    def refusal(self, reason: str, node: Any, detail: str = "") -> LiftError:
        """Build the refusal of a piece of syntax, to be raised by the caller."""
        place = self.frame.scope.location(node, detail)
        if self.frame.scope.file.name.startswith(KNOWN):
            place = Location(self.at.filename.data, self.at.line.data, self.at.column.data)
        return refusal(reason, place, detail or str(node))

    def enter(self, node: Any) -> None:
        """Note one more level of nesting, and refuse what would exhaust the stack."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.refusal("depth", node)

    # -- operations

    def operation(
        self, name: str, operands: Sequence[SSAValue], result: Attribute, **properties: Attribute
    ) -> SSAValue:
        """Append an operation of one result."""
        return self.flow.operation(name, operands, result, self.at, **properties)

    def constant(self, value: float, ctype: Numeric) -> SSAValue:
        """Append a constant."""
        if isinstance(ctype, ComplexType):
            raise refused_complex(self)
        return self.flow.truth(int(value), self.at) if ctype is BOOL else self.flow.constant(value, ctype, self.at)

    def arithmetic(self, operator: str, left: SSAValue, right: SSAValue, ctype: Numeric) -> SSAValue:
        """Append an arithmetic operation; integers that leave their type have no meaning."""
        if isinstance(ctype, ComplexType):
            raise refused_complex(self)
        return self.flow.arithmetic(operator, left, right, ctype, self.at, wraps=False)

    def comparison(self, operator: str, left: SSAValue, right: SSAValue, ctype: Numeric) -> SSAValue:
        """Append a comparison of operands of one type; it gives an ``i1``."""
        if isinstance(ctype, ComplexType):
            raise refused_complex(self)
        return self.flow.comparison(operator, left, right, ctype, self.at)

    def require(self, condition: SSAValue, message: str) -> None:
        """End where a condition does not hold."""
        self.flow.add(AssertOp.create(operands=(condition,), properties={"msg": StringAttr(message)}, location=self.at))

    # -- numbers

    def value(self, number: Number) -> SSAValue:
        """Give the SSA value of a number, which complex ones have none of."""
        if isinstance(number.value, tuple):
            raise refused_complex(self)
        return number.value if isinstance(number.value, SSAValue) else self.constant(number.value, number.ctype)

    def cast(self, number: Number, ctype: Numeric) -> Number:
        """Convert a number to a type; truth values are converted to nothing else."""
        if number.ctype == ctype:
            return number
        if isinstance(ctype, ComplexType):
            re, im = number.parts
            return Number((self.cast(re, ctype.part), self.cast(im, ctype.part)), ctype)
        if isinstance(number.value, tuple):
            return self.cast(number.value[0], ctype)
        if number.literal is not None:
            found = cast(Constant(number.literal, number.ctype), ctype)
            if found is not None:
                return Number(found.value, ctype)
        assert not isinstance(number.ctype, ComplexType)
        return Number(self.flow.converted(self.value(number), number.ctype, ctype, self.at), ctype)

    # -- sizes

    def size(self, size: Size) -> SSAValue:
        """Give a size as an ``i64``."""
        return self.constant(size, LONG) if isinstance(size, int) else size

    def as_size(self, number: Number) -> Size:
        """Give an integer as a size."""
        return int(number.literal) if number.literal is not None else self.value(self.cast(number, LONG))

    def combined(self, operator: str, left: Size, right: Size) -> Size:
        """Compute with sizes; what the source states is computed at once, and so is what does nothing."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right if operator == "+" else left - right if operator == "-" else left * right
        if operator != "*" and isinstance(right, int) and right == 0:
            return left
        if operator == "+" and isinstance(left, int) and left == 0:
            return right
        if operator == "*" and isinstance(right, int) and right == 1:
            return left
        if operator == "*" and isinstance(left, int) and left == 1:
            return right
        return self.arithmetic(operator, self.size(left), self.size(right), LONG)

    def is_fixed(self, size: Size) -> bool:
        """Whether a size is computed of arguments and numbers alone."""
        work: list[Size] = [size]
        for _ in range(_MOST_PARTS):
            if not work:
                return True
            found = work.pop()
            if isinstance(found, int):
                continue
            if isinstance(found, BlockArgument):
                if found.block is not self.flow.entry.block:
                    return False
            else:
                work += found.owner.operands  # type: ignore[union-attr]  # no block, so an operation
        return False

    def is_same(self, left: Size, right: Size) -> bool:
        """Whether two sizes are computed alike, of the same values."""
        pairs: list[tuple[Any, Any]] = [(left, right)]
        for _ in range(_MOST_PARTS):
            if not pairs:
                return True
            one, other = pairs.pop()
            if one is other or (isinstance(one, int) and one == other):
                continue
            ops = [getattr(value, "owner", None) for value in (one, other)]
            if not all(isinstance(op, Operation) and op.name.startswith("arith.") for op in ops):
                return False
            first, second = ops
            if first.name != second.name or first.properties != second.properties:  # type: ignore[union-attr]  # as said
                return False
            pairs += zip(first.operands, second.operands, strict=True)  # type: ignore[union-attr]  # as said
        return False

    # -- memory

    def place(self, view: View, places: Sequence[Size], part: int = 0) -> SSAValue:
        """Give the place in memory of an element, or a part of it, whose subscripts count from nothing."""
        offset = self.combined("+", view.offset, part)
        for place, stride in zip(places, view.strides, strict=True):
            offset = self._address("+", offset, self._address("*", place, stride))
        return self.operation("arith.index_cast", (self.size(offset),), INDEX)

    def _address(self, operator: str, left: Size, right: Size) -> Size:
        if isinstance(left, int) or isinstance(right, int):
            return self.combined(operator, left, right)
        return self.flow.arithmetic(operator, left, right, LONG, self.at, wraps=True)

    def one(self, view: View, places: Sequence[Size]) -> View:
        """See one element, as memory without dimensions."""
        offset = view.offset
        for place, stride in zip(places, view.strides, strict=True):
            offset = self.combined("+", offset, self.combined("*", place, stride))
        return View(view.memory, offset, (), (), (), view.ctype, self.temporary())

    def load(self, view: View, places: Sequence[Size]) -> Number:
        """Read an element."""
        if isinstance(view.ctype, ComplexType):
            re, im = (Number(self._read(view, places, part), view.ctype.part) for part in range(PARTS))
            return Number((re, im), view.ctype)
        return Number(self._read(view, places), view.ctype)

    def _read(self, view: View, places: Sequence[Size], part: int = 0) -> SSAValue:
        of_type: Any = view.memory.type
        operands = (view.memory, self.place(view, places, part))
        return self.flow.value(LoadOp.create(operands=operands, result_types=[of_type.element_type], location=self.at))

    def store(self, view: View, places: Sequence[Size], number: Number) -> None:
        """Write an element."""
        own = self.cast(number, view.ctype)
        for part, value in enumerate([self.value(one) for one in (own.parts if own.is_complex else (own,))]):
            operands = value, view.memory, self.place(view, places, part)
            self.flow.add(StoreOp.create(operands=operands, location=self.at))

    def array(self, name: str, extents: Sequence[Size], ctype: Numeric, lower: Sequence[Size] = ()) -> View:
        """Make an array of the procedure's own."""
        parts = PARTS if isinstance(ctype, ComplexType) else 1
        strides: list[Size] = [parts] * len(extents)
        axes = range(len(extents))[:: -1 if self.by_columns else 1]  # the innermost comes last
        for axis, outer in pairwise(reversed(axes)):
            strides[outer] = self._address("*", strides[axis], extents[axis])
        count: SSAValue | None = None
        for extent in (*(extents[axis] for axis in axes), *([parts] if parts > 1 else [])):
            own = self.size(extent)
            count = own if count is None else self.flow.arithmetic("*", count, own, LONG, self.at, wraps=True)
        assert count is not None
        length = self.operation("arith.index_cast", (count,), INDEX)
        memory = self.flow.value(
            AllocaOp.create(
                operands=(length,),
                result_types=[memory_type(ctype)],
                properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0])},
                location=self.at,
            )
        )
        memory.name_hint = name
        return View(memory, 0, tuple(extents), tuple(strides), tuple(lower) or (1,) * len(extents), ctype)

    def temporary(self, name: str = "temporary") -> str:
        """Name what has no name in the source."""
        self.made += 1
        return f"{name}{self.made}"

    def everywhere(self, extents: Sequence[Size], visit: Callable[[list[Size]], None]) -> None:
        """Visit each place of an array in loops, the innermost over what is next to each other in memory."""

        def inner(places: dict[int, Size], rest: Sequence[int]) -> None:
            if rest:
                self.count(extents[rest[0]], lambda place: inner({**places, rest[0]: place}, rest[1:]))
            else:
                visit([places[axis] for axis in range(len(extents))])

        inner({}, range(len(extents))[:: -1 if self.by_columns else 1])

    def count(self, extent: Size, body: Callable[[SSAValue], None], first: int = 0) -> None:
        """Make a loop over the places of a dimension."""
        local = Local(i64, self.at, self.temporary("k"))
        self.flow.write(local, self.constant(first, LONG))
        limit = self.size(extent)

        def test(inside: Flow, after: Flow) -> None:
            self.flow.branch(self.comparison("<", self.flow.read(local), limit, LONG), inside, after, self.at)

        def advance() -> None:
            self.flow.write(local, self.arithmetic("+", self.flow.read(local), self.constant(1, LONG), LONG))

        self.flow.loop(self.at, test, lambda _latch, _after: body(self.flow.read(local)), advance)

    def choose(
        self, condition: SSAValue, then: Callable[[], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """Do one thing where a condition holds, and perhaps another one where it does not."""
        inside, other, after = Flow(), Flow(), Flow()
        self.flow.branch(condition, inside, other if otherwise is not None else after, self.at)
        self.flow.enter(inside)
        then()
        self.flow.jump(after, self.at)
        if otherwise is not None:
            self.flow.enter(other)
            otherwise()
            self.flow.jump(after, self.at)
        self.flow.enter(after)

    # -- names

    def symbol(self, name: str, node: Any) -> Symbol:
        """Give what a name stands for, by its declaration or by implicit typing."""
        scope = self.frame.scope
        found = scope.find(name)
        if found is None and PART in name:
            raise self.refusal("expression", node)
        if found is None:
            scope.require(name)
            ctype, unread = implicit_type(scope, name)
            if unread == "undeclared":
                raise self.refusal("undeclared", node, name)
            while scope.is_block and scope.outer is not None:
                scope = scope.outer
            found = scope.declared(name, statement_line(node))
            found.ctype, found.unread = ctype, unread
        return found

    def binding(self, name: str, node: Any) -> Binding:
        """Give what a name is bound to; a scalar is made where it is first used."""
        symbol = self.symbol(name, node)
        if symbol.is_constant and symbol.bounds and symbol.same not in self.outside:
            from tensorlift.readers.fortran.declared import constant_array  # noqa: PLC0415 - that reads expressions

            return constant_array(self, symbol)
        bound, frame = known(self, symbol)
        if bound is not None:
            return bound
        self.check(symbol, node)
        if frame is None:
            raise self.refusal("shared", node, name)
        if symbol.is_dummy:
            raise self.refusal("absent", node, name)
        if symbol.bounds or symbol.ctype is None:
            raise self.refusal("allocate" if symbol.bounds else "type", node, f"`{name}` may not be allocated here")
        made = variable_of(symbol.hint, symbol.ctype, self.at)
        frame.bound[symbol.name] = made
        return made

    def check(self, symbol: Symbol, node: Any) -> None:
        """Refuse names whose declarations are not read, and those of variables outside."""
        self.check_type(symbol, node)
        if symbol.is_outside:
            raise self.refusal("shared", node, symbol.name)
        scope = symbol.home
        is_saved = scope is not None and scope.saves_all and not (symbol.is_dummy or symbol.is_result)
        if ("save" in symbol.attributes or is_saved) and not symbol.is_constant:
            raise self.refusal("saved", node, symbol.name)

    def check_type(self, symbol: Symbol, node: Any) -> None:
        """Refuse names whose types or attributes are not read."""
        if symbol.ctype is None:
            require_type(symbol)
            detail = f"the type of `{symbol.name}`" if symbol.unread == "type" else symbol.name
            raise refusal(symbol.unread or "type", self.frame.scope.location(node, symbol.name), detail)
        if symbol.ctype is CHAR and (symbol.bounds or not (symbol.is_dummy or symbol.is_constant)):
            raise self.refusal("character", node, symbol.name)
        if "external" in symbol.attributes:
            raise self.refusal("procedure", node, symbol.name)
        is_given = symbol.is_dummy or symbol.is_outside
        marks = symbol.attributes & {"equivalence", "volatile", *(() if is_given else ("pointer",))}
        if marks or ("pointer" in symbol.attributes and not symbol.bounds):
            raise self.refusal("declaration", node, f"{min(marks, default='pointer')} :: {symbol.name}")


def refused_complex(ctx: Context) -> LiftError:
    """Build the refusal of complex numbers in what is read here, to be raised by the caller."""
    place = Location(ctx.at.filename.data, ctx.at.line.data, ctx.at.column.data)
    return refusal("complex", place, ctx.frame.scope.file.lines[place.line - 1].strip())


def variable_of(name: str, ctype: Numeric, at: LocationAttr) -> Variable:
    """Make a variable."""
    if not isinstance(ctype, ComplexType):
        return Variable(Local(local_type(ctype), at, name), ctype)
    re, im = (Local(local_type(ctype), at, f"{name}_{part}") for part in ("re", "im"))
    return Variable(re, ctype, im)


def local_type(ctype: Numeric) -> Attribute:
    """Give the type of a scalar, of a complex one that of its parts; a truth value has one bit."""
    if isinstance(ctype, ComplexType):
        return ir_type(ctype.part)
    return i1 if ctype is BOOL else ir_type(ctype)


def memory_type(ctype: Numeric) -> MemRefType[Attribute]:
    """Give the type of flat memory of an element type."""
    return MemRefType(local_type(ctype), (DYNAMIC_INDEX,))


def is_present(ctx: Context, symbol: Symbol) -> bool:
    """Whether an optional argument is passed; where the procedure itself is lifted, all are."""
    frame: Frame | None = ctx.frame
    while frame is not None and symbol.home is not frame.scope:
        frame = frame.outer
    return frame is not None and any(leaf.name in frame.bound for leaf in symbol.leaves())


def known(ctx: Context, symbol: Symbol) -> tuple[Binding | None, Frame | None]:
    """Give what a variable is bound to, if it is by now, and the names that it is one of."""
    frame: Frame | None = ctx.frame
    while frame is not None and symbol.home is not frame.scope:
        frame = frame.outer
    outside = ctx.outside.get(symbol.same)
    return (frame.bound.get(symbol.name) if outside is None and frame is not None else outside), frame
