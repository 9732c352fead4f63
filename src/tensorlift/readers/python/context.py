"""What the rules of the Python reader share while one function is read, and the operations that all of them make."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FileLineColLoc,
    IndexType,
    IntAttr,
    MemRefType,
    StringAttr,
    i1,
    i8,
    i64,
)
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Block, BlockArgument, SSAValue

from tensorlift.diagnostics import Location
from tensorlift.frontends.python.refusals import refusal
from tensorlift.frontends.python.scalars import fits, holds
from tensorlift.frontends.python.syntax import arguments_of, stored_in
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.literal_function import OF_PART, UNREAD
from tensorlift.ops.c_types import BOOL, LONG, UNSIGNED_LONG, FloatType, IntegerType
from tensorlift.readers.flow import NSW, Flow, FlowGraph, Local
from tensorlift.readers.python.bits import is_held
from tensorlift.readers.python.values import Number, Operand, parts_of, with_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Attribute

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.python.state import Inferred, Module
    from tensorlift.readers.python.values import CNumber, Result, Size, View

INDEX = IndexType()
_GROWING = {"arith.addi", "arith.muli"}
_LIMIT = f"{UNREAD}extents that differ"
_DEEPEST = 120  # nested expressions, statements and calls; more would exhaust the stack
_MOST_PARTS = 32  # of which an integer is made, as far as it is looked at
_SIMPLE = {"+": (0, 0), "*": (1, 1), "-": (None, 0)}  # neutral on the left, and on the right

# Attributes are immutable, and making one checks it; these occur again and again.
_memref = lru_cache(maxsize=64)(MemRefType)
_text = lru_cache(maxsize=64)(StringAttr)
_number = lru_cache(maxsize=4096)(IntAttr)


@dataclass(slots=True)
class Variable:
    """A local variable that holds a number, of the type in which all of its values fit."""

    local: Local
    ctype: CNumber
    weak: bool


@dataclass(slots=True)
class Named:
    """A name of an array or a tuple; what may change of it is in ``locals``, part by part, None for what stands."""

    value: Operand
    locals: list[Local | None]


@dataclass(slots=True)
class Scope:
    """The names of one function that is read, and where it returns to; the outermost has no ``after``."""

    module: Module
    function: ast.FunctionDef
    bound: Counter[str]
    names: dict[str, Variable | Named] = field(default_factory=dict)
    after: Flow | None = None
    returned: list[Operand] = field(default_factory=list)
    ends: list[Flow] = field(default_factory=list)  # the blocks that return, each with what it does
    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)
    growing: dict[str, Callable[[Operand], None]] = field(default_factory=dict)  # lists to which a loop appends
    depth: int = 0  # of loops and conditions
    literals: frozenset[str] = frozenset()  # names that stay numbers that are written: parameters, and such as `k = 2`

    @staticmethod
    def of(module: Module, function: ast.FunctionDef) -> Scope:
        """Begin to read a function."""
        own = [argument.arg for argument in arguments_of(function)]
        assigned = [node for node in function.body if isinstance(node, ast.Assign)]
        literals = frozenset([*own, *stored_in([node for node in assigned if isinstance(node.value, ast.Constant)])])
        return Scope(module, function, Counter([*own, *stored_in(function.body)]), literals=literals)


@dataclass(slots=True)
class Context:
    """The function that is being read; ``at`` is the place that new operations get.

    ``given`` are arrays in memory of the caller; ``results`` such memory in which no array lies yet.  ``checked`` are
    the indices that were found inside of an extent, by the block where that was; ``counters`` are integers that are not
    negative, ``sizes`` the arguments that are sizes; ``made`` counts what has no name in the source.
    """

    inferred: Inferred
    flow: FlowGraph
    scope: Scope
    at: FileLineColLoc
    given: dict[str, View] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    checked: set[tuple[Flow, SSAValue, Size]] = field(default_factory=set)
    counters: set[SSAValue] = field(default_factory=set)
    sizes: set[SSAValue] = field(default_factory=set)
    depth: int = 0
    made: int = 0

    def temporary(self, name: str = "temporary") -> str:
        """Name a memory or a variable for which the source has no name."""
        self.made += 1
        found = f"{name}{self.made}"
        return found if found not in self.scope.module.identifiers else self.temporary(name)

    def hint(self, name: str) -> str:
        """Give the name that a local variable has in the source, or a new one inside of a function of NumPy."""
        return name if self.scope.module.call is None else self.temporary()

    # -- places and refusals

    def place(self, node: ast.AST) -> FileLineColLoc:
        """Give the place of a piece of syntax."""
        return place_of(self.scope.module, node)

    def refusal(self, detail: str) -> LiftError:
        """Build the refusal of a construct, to be raised by the caller."""
        at = Location(self.at.filename.data, self.at.line.data, self.at.column.data)
        return refusal("literally", at, detail)

    def enter(self) -> None:
        """Note one more level of nesting, and refuse what would exhaust the stack."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self.refusal("code that is nested so deeply")

    # -- operations

    def operation(
        self, name: str, operands: Sequence[SSAValue], result: Attribute, **properties: Attribute
    ) -> SSAValue:
        """Append an operation of one result."""
        return self.flow.operation(name, operands, result, self.at, **properties)

    def constant(self, value: float, ctype: CNumber) -> SSAValue:
        """Append a constant of a type; a truth value is a byte."""
        return self.flow.constant(value, ctype, self.at)

    def truth(self, value: bool) -> SSAValue:  # noqa: FBT001 - the constant itself
        """Append a constant ``i1``."""
        return self.flow.truth(int(value), self.at)

    def arithmetic(
        self, operator: str, left: SSAValue, right: SSAValue, ctype: CNumber, *, weak: bool = False
    ) -> SSAValue:
        """Append an arithmetic operation; integers of NumPy wrap, those of Python have a precondition that they fit."""
        return self.flow.arithmetic(operator, left, right, ctype, self.at, wraps=not weak)

    def comparison(self, operator: str, left: SSAValue, right: SSAValue, ctype: CNumber) -> SSAValue:
        """Append a comparison of operands of one type; it gives an ``i1``."""
        return self.flow.comparison(operator, left, right, ctype, self.at)

    def converted(self, value: SSAValue, source: CNumber, target: CNumber) -> SSAValue:
        """Convert between types of numbers; to a truth value is whether it is other than zero."""
        return self.flow.converted(value, source, target, self.at)

    def require(self, condition: SSAValue, message: str) -> None:
        """Raise where a condition does not hold."""
        self.flow.add(AssertOp.create(operands=(condition,), properties={"msg": _text(message)}, location=self.at))

    # -- sizes and indices

    def size(self, size: Size) -> SSAValue:
        """Give a size as an ``i64``."""
        return self.constant(size, LONG) if isinstance(size, int) else size

    def combined(self, operator: str, left: Size, right: Size) -> Size:
        """Compute with sizes; what the source states is computed at once, and so is what does nothing."""
        if isinstance(left, int) and isinstance(right, int):
            return left + right if operator == "+" else left - right if operator == "-" else left * right
        before, after = _SIMPLE[operator]
        if isinstance(left, int) and left == before:
            return right
        if isinstance(right, int) and right == after:
            return left
        return self.arithmetic(operator, self.size(left), self.size(right), LONG, weak=True)

    def inside(self, index: Size, extent: Size, *, is_cut: bool = False) -> Size:
        """Give a subscript of Python as an index: one below zero counts from the end; raise where there is none.

        Of a part that is cut out of an array the access itself does not tell that.
        """
        if isinstance(index, int) and index < 0:
            index = self.combined("+", extent, index)
        elif isinstance(index, SSAValue) and not self.is_counted(index):
            behind = self.comparison("<", index, self.constant(0, LONG), LONG)
            wrapped = self.combined("+", index, extent)
            index = self.operation("arith.select", (behind, self.size(wrapped), index), i64)
        if isinstance(index, int) and isinstance(extent, int) and 0 <= index < extent:
            return index
        value = self.size(index)
        key = (self.flow.current, value, extent)
        if key not in self.checked:
            self.checked.add(key)
            is_inside = self.comparison("<", value, self.size(extent), UNSIGNED_LONG)
            self.require(is_inside, OF_PART if is_cut else "IndexError")
        return index

    def is_counted(self, value: SSAValue) -> bool:
        """Whether an integer is a counter, an extent or a number, or a sum or product of these: not negative."""
        work = [value]
        for _ in range(_MOST_PARTS):
            if not work:
                return True
            found = work.pop()
            if found in self.counters:
                continue
            op: Any = found.owner
            if isinstance(op, Block):
                return False
            if op.name in _GROWING and op.properties["overflowFlags"] == NSW["overflowFlags"]:
                work += op.operands
            elif op.name != "arith.constant" or op.properties["value"].value.data < 0:
                return False
        return False

    def require_fit(self, operator: str, left: SSAValue, right: SSAValue) -> None:
        """Refuse integers of Python that may need more than 64 bits where no precondition says that they do not.

        Sizes and what they are added up to fit, and so do counts of what a loop does.
        """
        if is_held(operator, left, right, self.counters | self.sizes):
            return
        if not self.inferred.grows:
            raise self.refusal("an integer that may need more than 64 bits")

    def require_equal(self, left: Size, right: Size) -> None:
        """End where two extents differ: there Python raises, or stretches one of them, which is not read."""
        left, right = self.settled(left), self.settled(right)
        if left is right or (isinstance(left, int) and left == right):
            return
        self.require(self.comparison("==", self.size(left), self.size(right), LONG), _LIMIT)

    def settled(self, size: Size) -> Size:
        """Give what stands for a size now."""
        return self.flow.settled(size) if isinstance(size, SSAValue) else size

    # -- numbers

    def value(self, number: Number) -> SSAValue:
        """Give the SSA value of a number, a truth value as a byte."""
        if not isinstance(number.value, SSAValue):
            return self.constant(number.value, number.ctype)
        if number.is_test:
            return self.operation("arith.extui", (number.value,), i8)
        return number.value

    def cast(self, number: Number, ctype: CNumber) -> Number:
        """Convert a number to a type of NumPy's."""
        literal = number.literal
        if literal is not None and isinstance(ctype, FloatType):
            return Number(ctype.rounded(literal), ctype)
        if isinstance(literal, int) and isinstance(ctype, IntegerType) and ctype is not BOOL and holds(ctype, literal):
            return Number(literal, ctype)
        if number.ctype == ctype and not number.is_test:
            return Number(number.value, ctype)
        return Number(self.converted(self.value(number), number.ctype, ctype), ctype)

    def test(self, number: Number) -> SSAValue:
        """Tell whether a number is other than zero, as an ``i1``."""
        if not isinstance(number.value, SSAValue):
            return self.truth(bool(number.value))
        if number.is_test:
            return number.value
        return self.flow.is_nonzero(number.value, number.ctype, self.at)

    # -- names

    def type_of(self, name: str) -> tuple[CNumber, bool] | None:
        """Give the type of a local variable that the front end found, in which all of its values fit."""
        return self.inferred.types.get(self.scope.module.key(self.scope.function, name))

    def bind(self, name: str, value: Operand) -> None:
        """Bind a name to a value."""
        if isinstance(value, Number):
            self._bind_number(name, value)
            return
        known = self.scope.names.get(name)
        if not isinstance(known, Named) or not _is_like(known, value):  # from here on it is another array
            fixed = [
                None if self.stands(part) else Local(part.type, self.at, self.hint(name)) for part in parts_of(value)
            ]
            known = self.scope.names[name] = Named(value, fixed)
        for local, part in zip(known.locals, parts_of(value), strict=True):
            if local is not None:
                self.flow.write(local, part)

    def _bind_number(self, name: str, value: Number) -> None:
        known = self.scope.names.get(name)
        if known is None or (isinstance(known, Named) and not isinstance(known.value, Number)):
            ctype, weak = self.type_of(name) or (value.ctype, value.weak)
            if self._is_final(name, value, ctype):
                self.scope.names[name] = Named(
                    Number(value.value, ctype, weak), [None] * isinstance(value.value, SSAValue)
                )
                if isinstance(value.value, SSAValue) and value.value.name_hint is None:
                    value.value.name_hint = self.hint(name)
                return
            known = self.scope.names[name] = Variable(variable(self, ctype, self.hint(name)), ctype, weak)
        if not isinstance(known, Variable) or not fits(value, known.ctype):
            raise self.refusal(f"`{name}`, which is bound to values of several types,")
        self.flow.write(known.local, kept(self, value, known.ctype))

    def _is_final(self, name: str, value: Number, ctype: CNumber) -> bool:
        """Whether a name is bound once, in code that runs once, to what every block may use."""
        is_once = self.scope.bound[name] <= 1 and not self.scope.depth
        is_anywhere = self.flow.current is self.flow.entry
        if value.literal is not None:  # what a call passes, or a number that the function begins by naming
            is_anywhere = name in self.scope.literals
        return is_once and is_anywhere and value.ctype == ctype and not value.is_test

    def stands(self, part: SSAValue) -> bool:
        """Whether a value is made at the start of the function, so that every block may use it."""
        block = part.owner if isinstance(part, BlockArgument) else part.owner.parent
        return block is self.flow.entry.block

    def named(self, name: str) -> Operand | None:
        """Give what a name is bound to."""
        found = self.scope.names.get(name)
        if isinstance(found, Variable):
            return read(self, found.local, found.ctype, found.weak)
        if found is None:
            return None
        own = parts_of(found.value)
        parts = [p if local is None else self.flow.read(local) for p, local in zip(own, found.locals, strict=True)]
        return with_parts(found.value, parts)


def _is_like(known: Named, value: Operand) -> bool:
    """Whether a value has the form of another one, and is made of the same where that stands."""
    before, after = parts_of(known.value), parts_of(value)
    if len(before) != len(after) or any(a.type != b.type for a, b in zip(before, after, strict=True)):
        return False
    if any(local is None and a is not b for local, a, b in zip(known.locals, before, after, strict=True)):
        return False
    return with_parts(value, list(before)) == known.value


def place_of(module: Module, node: ast.AST) -> FileLineColLoc:
    """Give the place of a piece of syntax of a module."""
    found = module.locate(node)
    return _place(found.file, found.line, found.column)


@lru_cache(maxsize=4096)
def _place(file: str, line: int, column: int) -> FileLineColLoc:
    return FileLineColLoc(_text(file), _number(line), _number(column))


def variable(ctx: Context, ctype: CNumber, name: str | None = None) -> Local:
    """Give a variable of a type; truth values are kept as bits."""
    return Local(i1 if ctype is BOOL else ir_type(ctype), ctx.at, name)


def kept(ctx: Context, number: Number, ctype: CNumber) -> SSAValue:
    """Give the SSA value that a variable of a type keeps of a number."""
    found = ctx.cast(number, ctype)
    return ctx.test(found) if ctype is BOOL else ctx.value(found)


def read(ctx: Context, local: Local, ctype: CNumber, weak: bool = False) -> Number:  # noqa: FBT001, FBT002 - as of numbers
    """Read a variable of a type."""
    return Number(ctx.flow.read(local), ctype, weak, is_test=ctype is BOOL)


def memory_type(element: CNumber) -> MemRefType[Attribute]:
    """Give the type of flat memory of an element type."""
    return _memref(ir_type(element), (DYNAMIC_INDEX,))
