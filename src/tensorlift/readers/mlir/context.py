"""What the rules of the MLIR reader share while one function is read, and the few operations that all of them make.

A number of the source is an SSA value; an ``index`` is an ``i64``.  A memref is a ``View``, which is its descriptor:
memory, an offset in elements, and for each dimension a size and a stride.  What types state is a constant, the rest are
values.  A block of the source has one way in and one way out, so no joins need be found: whoever opens blocks gives
them their arguments.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.ir import Block, Operation, SSAValue

from tensorlift.frontends.mlir.refusals import check_scalar, refusal
from tensorlift.ir.location import location_of, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Attribute, BlockArgument

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.mlir.generalise import Slot
    from tensorlift.frontends.mlir.names import Names

    Rule = Callable[["Context", Operation], None]

Known: TypeAlias = "SSAValue | View | tuple[SSAValue, ...]"  # the lanes of a vector
Extent = int | SSAValue

WRAPS = arith.IntegerOverflowAttr("none")
NSW = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))
_LESS = 2
_DEEPEST = 100
_MOST_LANES = 256


@dataclass(frozen=True, slots=True)
class View:
    """A memref of the source.

    A size that is None is open, as that of an argument is: it becomes an argument of the function when it is asked for.
    """

    memory: SSAValue
    offset: SSAValue
    sizes: tuple[Extent | None, ...]
    strides: tuple[Extent, ...]
    name: str | None = None  # of the argument that it is
    axes: tuple[int, ...] = ()  # the dimensions of that argument
    part: tuple[tuple[Extent, Extent], ...] = ()  # where it begins in a whole memory, and how far it goes, if so told


@dataclass(slots=True)
class Context:
    """One function that is being read; operations are appended to ``block``, with the place of what is read."""

    entry: Block
    functions: Mapping[str, Operation]
    names: Names
    rules: Mapping[str, Rule]
    place: LocationAttr
    known: dict[SSAValue, Known] = field(default_factory=dict)
    sizes: dict[tuple[str, int], BlockArgument] = field(default_factory=dict)
    points: dict[Block, Sequence[SSAValue]] = field(default_factory=dict)  # the position of a body of Linalg
    thread: Sequence[SSAValue] = ()  # the ids of a thread and the sizes that it may ask for, blocks first
    arguments: list[View] = field(default_factory=list)
    made: list[View] = field(default_factory=list)  # whole memories of the function's own
    calls: list[str] = field(default_factory=list)
    asked: dict[Operation, tuple[Block, Block]] = field(default_factory=dict)  # where branches lead that are conditions
    blocks: list[Block] = field(default_factory=list)
    general: dict[Slot, SSAValue] = field(default_factory=dict)  # extents and bounds that are sizes
    constants: dict[SSAValue, int] = field(default_factory=dict)  # what these are in the source
    loops: Counter[object] = field(default_factory=Counter)  # how many there are at each place
    depth: int = 0

    @property
    def block(self) -> Block:
        """The block that is being written: the last one that was begun."""
        return self.blocks[-1]

    # -- operations

    def add(self, op: Operation) -> SSAValue:
        """Append an operation that has a result."""
        op.location = self.place
        self.block.add_op(op)
        return op.results[0]

    def end(self, op: Operation) -> None:
        """Append an operation that has none."""
        op.location = self.place
        self.block.add_op(op)

    def constant(self, number: int, of_type: Attribute = i64) -> SSAValue:
        """Make an integer."""
        value = IntegerAttr(number, of_type)  # type: ignore[call-overload]  # an integer type
        return self.add(arith.ConstantOp.create(result_types=[of_type], properties={"value": value}))

    def value(self, extent: Extent) -> SSAValue:
        """Give an extent as a value."""
        return self.constant(extent) if isinstance(extent, int) else extent

    def binary(
        self,
        kind: type[Operation],
        left: SSAValue,
        right: SSAValue,
        flags: arith.IntegerOverflowAttr | None = None,
    ) -> SSAValue:
        """Compute with two integers of one type."""
        properties: dict[str, Attribute] = {"overflowFlags": flags} if flags is not None else {}
        return self.add(kind.create(operands=[left, right], result_types=[left.type], properties=properties))

    def compared(self, predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
        """Compare two integers, by the number of a predicate of ``arith.cmpi``."""
        number = {"predicate": IntegerAttr(predicate, i64)}
        return self.add(arith.CmpiOp.create(operands=[left, right], result_types=[i1], properties=number))

    # -- control

    def begin(self, block: Block) -> None:
        """Go on in a new block."""
        self.blocks.append(block)

    def jump(self, block: Block, passed: Sequence[SSAValue] = ()) -> None:
        """End the block by going to another one."""
        self.end(BranchOp.create(operands=list(passed), successors=[block]))

    def branch(self, condition: SSAValue, then: Block, otherwise: Block, passed: Sequence[SSAValue] = ()) -> None:
        """End the block by going to one of two; ``passed`` goes to the second."""
        sizes = DenseArrayBase.from_list(i32, [1, 0, len(passed)])
        self.end(
            ConditionalBranchOp.create(
                operands=[condition, *passed],
                successors=[then, otherwise],
                properties={"operandSegmentSizes": sizes},
            )
        )

    def loop(
        self,
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        carried: Mapping[str, SSAValue],
        body: Callable[[SSAValue, list[SSAValue]], Sequence[SSAValue]],
        hint: str | None = None,
    ) -> list[SSAValue]:
        """Make a loop over ``low <= i < high`` by a step; give what it carries when it ends.

        ``carried`` are first values by names, ``body`` makes those of the next iteration.  A variable that leaves its
        type has no meaning.
        """
        place, (low, high, step) = self.place, bounds
        at = place_of(place)
        high = self.general.get((at, self.loops[at]), high)
        self.loops[at] += 1
        header, inside, after = Block(arg_types=[low.type, *(v.type for v in carried.values())]), Block(), Block()
        for argument, name in zip(header.args, (hint, *carried), strict=True):
            argument.location = place
            named(argument, name)
        self.jump(header, [low, *carried.values()])
        self.begin(header)
        variable, *values = header.args
        self.branch(self.compared(_LESS, variable, high), inside, after)
        self.begin(inside)
        following = body(variable, list(values))
        self.place = place
        self.jump(header, [self.binary(arith.AddiOp, variable, step, NSW), *following])
        self.begin(after)
        return list(values)

    # -- what is read

    def read(self, block: Block) -> Operation:
        """Read the operations of a block but the last, which is given back."""
        last, place = block.last_op, self.place
        self.depth += 1
        if last is None or self.depth > _DEEPEST:
            raise refusal("depth", None)
        for op in block.ops:
            self.place = op.location
            if op is not last:
                rule = self.rules.get(op.name)
                if rule is None:
                    raise self.refusal("operation", op, op.name)
                rule(self, op)
        self.depth -= 1
        self.place = place
        return last

    def number(self, value: SSAValue) -> SSAValue:
        """Give what stands for a number of the source."""
        found = self.known[value]
        if isinstance(found, View):
            raise refusal("memory", place_of(self.place), "a memref that is handed on is not lifted")
        if isinstance(found, tuple):
            raise refusal("type", place_of(self.place), f"the type {value.type} here")
        return found

    def numbers(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Give what stands for several numbers."""
        return [self.number(value) for value in values]

    def lanes(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """Give what stands for the lanes of a vector; a number is one."""
        found = self.known[value]
        return found if isinstance(found, tuple) else (self.number(value),)

    def flat(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        """Give what stands for several numbers and vectors, lane by lane."""
        return [lane for value in values for lane in self.lanes(value)]

    def bind(self, values: Sequence[SSAValue], lanes: Iterable[SSAValue]) -> None:
        """Let numbers stand for values, those for the lanes of vectors among them."""
        self.known.update(zip(values, grouped([value.type for value in values], lanes), strict=True))

    def view(self, value: SSAValue) -> View:
        """Give what stands for a memref of the source."""
        found = self.known[value]
        assert isinstance(found, View)
        return found

    def size(self, view: View, axis: int) -> Extent:
        """Give a size of a view; that of an argument becomes an argument itself."""
        found = view.sizes[axis]
        if found is not None:
            return found
        assert view.name is not None
        key = view.name, view.axes[axis]
        if key not in self.sizes:
            made = self.sizes[key] = self.entry.insert_arg(i64, len(self.entry.args))
            made.location = self.place
        return self.sizes[key]

    def refusal(self, reason: str, op: Operation, detail: str = "") -> LiftError:
        """Build the refusal of an operation, to be raised."""
        return refusal(reason, location_of(op), detail)


def grouped(types: Iterable[Attribute], lanes: Iterable[SSAValue]) -> list[Known]:
    """Give numbers and vectors of these types by their lanes."""
    given = iter(lanes)
    return [tuple(islice(given, count_of(t))) if isinstance(t, VectorType) else next(given) for t in types]


def lane_types(types: Iterable[Attribute], op: Operation) -> list[Attribute]:
    """Give the types of the lanes of vectors and of numbers."""
    found: list[Attribute] = []
    for of_type in types:
        element = of_type.element_type if isinstance(of_type, VectorType) else of_type
        found += [machine_type(element, op)] * count_of(of_type)
    return found


def lane_hints(values: Iterable[SSAValue]) -> list[str | None]:
    """Give what the lanes of vectors and numbers are called in the source, if anything."""
    return [value.name_hint for value in values for _ in range(count_of(value.type))]


def count_of(of_type: Attribute) -> int:
    """Give the number of lanes of a vector, one for a number."""
    return prod(vector_shape(of_type)) if isinstance(of_type, VectorType) else 1


def vector_shape(of_type: VectorType[Any], op: Operation | None = None) -> tuple[int, ...]:
    """Give the extents of a vector, which must be known, and of not too many lanes."""
    is_open = any(scalable.value.data for scalable in of_type.scalable_dims)
    if is_open or prod(of_type.get_shape()) > _MOST_LANES:
        raise refusal("type", location_of(op) if op is not None else None, f"the type {of_type}")
    return of_type.get_shape()


def named(value: SSAValue, name: str | None) -> None:
    """Name a value; xDSL would cut a number off the end of a name hint, but claims tell values by their names."""
    value._name = name  # noqa: SLF001 - as said


def machine_type(of_type: Attribute, op: Operation) -> Attribute:
    """Give the type of a number in literal IR; raises ``LiftError`` where there is none."""
    check_scalar(of_type, op)
    return i64 if isinstance(of_type, IndexType) else of_type


def memory_type(of_type: Any, op: Operation) -> MemRefType[Any]:
    """Give the type of the memory of a memref."""
    return _memory_of(machine_type(of_type.element_type, op))


@cache
def _memory_of(element: Any) -> MemRefType[Any]:
    return MemRefType(element, (DYNAMIC_INDEX,))


def width(of_type: Attribute) -> int:
    """Give the bits of an integer type of literal IR."""
    assert isinstance(of_type, IntegerType)
    return int(of_type.width.data)
