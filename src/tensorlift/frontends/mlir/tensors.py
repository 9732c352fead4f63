"""Functions on tensors as functions on memory: each tensor has a memory of its own, to which nothing is written later.

An operation that makes a tensor of another one copies that and writes to the copy.  Where it is the last one to use the
other tensor, which is made in the same block, it writes there: nobody sees that.  A loop keeps a tensor that it carries
in one memory.  An operation that is not known refuses the function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseArrayBase,
    FileLineColLoc,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    TensorType,
    UnrankedTensorType,
    i32,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from tensorlift.frontends.mlir.names import only_block
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute

    Rule = Callable[["InMemory", Operation], None]

_INDEX = IndexType()
_MOST_ELEMENTS = 256  # of a constant, each of which becomes a store


class InMemory:
    """Writes the function on memory; ``known`` is what stands for each value, of a tensor its memory."""

    def __init__(self, function: Operation, rules: Mapping[str, Rule]) -> None:
        """Begin with nothing; ``rules`` are those of operations on tensors, by their names."""
        self.source, self.rules = function, rules
        self.known: dict[SSAValue, SSAValue] = {}
        self.own: set[SSAValue] = set()  # memories that one tensor alone stands for
        self.block = Block()
        self.place = function.location
        self.more = 0  # operations of its own that became loops
        self.calls: list[Operation] = []  # that lead here, whose place all that they do has

    def function(self) -> FuncOp:
        """Write the whole function."""
        given = only_block(self.source).args
        body = self.block = Block(arg_types=[memory_of(argument.type, self.source) for argument in given])
        for argument, own in zip(body.args, given, strict=True):
            argument.name_hint, argument.location = own.name_hint, own.location
        self.known.update(zip(given, body.args, strict=True))
        last = self.read(only_block(self.source))
        results = [self._returned(value) for value in last.operands]
        self.add(ReturnOp.create(operands=results))
        properties = dict(self.source.properties)
        properties["function_type"] = FunctionType.from_lists(
            [argument.type for argument in body.args], [value.type for value in results]
        )
        made = FuncOp.create(properties=properties, attributes=dict(self.source.attributes), regions=[Region(body)])
        made.location = self.source.location
        return made

    def _returned(self, value: SSAValue) -> SSAValue:
        """Give a number, or memory that is made here and nowhere else returned."""
        found = self.known[value]
        if not isinstance(value.type, TensorType):
            return found
        if found in self.own:
            self.own.discard(found)
            return found
        return self.copied(found)

    # -- writing

    def add(self, op: Operation) -> SSAValue | None:
        """Append an operation; give its result where it has one."""
        op.location = self._next_place() if self.calls else self.place
        self.block.add_op(op)
        return op.results[0] if op.results else None

    def made(self, op: Operation) -> SSAValue:
        """Append an operation that has a result."""
        result = self.add(op)
        assert result is not None
        return result

    def number(self, value: int) -> SSAValue:
        """Make an index."""
        properties = {"value": IntegerAttr(value, _INDEX)}
        return self.made(arith.ConstantOp.create(result_types=[_INDEX], properties=properties))

    def size(self, memory: SSAValue, axis: int) -> SSAValue:
        """Ask for an extent."""
        return self.made(memref.DimOp.create(operands=[memory, self.number(axis)], result_types=[_INDEX]))

    def allocated(self, of_type: Attribute, sizes: Sequence[SSAValue], name: str | None = None) -> SSAValue:
        """Make memory, of these open extents."""
        segments = DenseArrayBase.from_list(i32, [len(sizes), 0])
        properties = {"operandSegmentSizes": segments}
        op = memref.AllocOp.create(operands=list(sizes), result_types=[of_type], properties=properties)
        self._with_place_of_its_own(op)
        memory = op.results[0]
        memory.name_hint = name
        self.own.add(memory)
        return memory

    def like(self, memory: SSAValue, name: str | None = None) -> SSAValue:
        """Make memory of the extents of another one."""
        of_type: Any = memory.type
        sizes = [self.size(memory, k) for k, extent in enumerate(of_type.get_shape()) if extent == DYNAMIC_INDEX]
        return self.allocated(MemRefType(of_type.element_type, of_type.get_shape()), sizes, name)

    def copied(self, memory: SSAValue, name: str | None = None) -> SSAValue:
        """Make a copy."""
        copy = self.like(memory, name)
        self.copy(memory, copy)
        return copy

    def copy(self, source: SSAValue, target: SSAValue) -> None:
        """Copy from one memory to another one."""
        self._with_place_of_its_own(memref.CopyOp.create(operands=[source, target]))

    def _with_place_of_its_own(self, op: Operation) -> None:
        """Append an operation that becomes loops, which are told by their places: a column of the source for each."""
        self.add(op)
        if not self.calls:
            op.location = self._next_place()

    def _next_place(self) -> Any:
        place: Any = self.place
        if not isinstance(place, FileLineColLoc):
            return place
        self.more += 1
        return FileLineColLoc(place.filename, place.line, IntAttr(place.column.data + self.more))

    def filled(self, memory: SSAValue, value: SSAValue) -> None:
        """Write one value everywhere."""
        of_type: Any = memory.type
        block = Block(arg_types=[value.type, value.type])
        block.add_op(YieldOp(block.args[0]))
        self._with_place_of_its_own(generic([value], memory, [AffineMap(len(of_type.get_shape()), 0, ())], block))

    def written(self, value: SSAValue, op: Operation, name: str | None = None) -> SSAValue:
        """Give memory that holds a tensor and that an operation may write to."""
        memory = self.known[value]
        return memory if memory in self.own and is_last(value, op) else self.copied(memory, name)

    # -- reading

    def read(self, block: Block) -> Operation:
        """Write the operations of a block but the last, which is given back."""
        last = block.last_op
        assert last is not None
        for op in block.ops:
            if not self.calls:
                self.place, self.more = op.location, 0
            if op is not last:
                self._read(op)
        return last

    def _read(self, op: Operation) -> None:
        inner = [value for one in op.walk() for value in (*one.operands, *one.results)]
        if not any(isinstance(value.type, TensorType) for value in inner):
            self._cloned(op)
        elif (rule := self.rules.get(op.name) or self.rules.get(op.name.partition(".")[0])) is not None:
            rule(self, op)
        else:
            raise refusal("operation", location_of(op), op.name)

    def _cloned(self, op: Operation) -> None:
        made = op.clone(value_mapper=self.known)
        for one, other in zip(op.walk(), made.walk(), strict=True):
            other.location = self._next_place() if self.calls else one.location
        self.block.add_op(made)

    def inside(
        self, block: Block, arguments: Sequence[SSAValue], types: Sequence[Attribute]
    ) -> tuple[Block, Operation]:
        """Write what a block does into a new one; ``arguments`` stand for those of its own that are tensors."""
        outer, place, more = self.block, self.place, self.more
        self.block = Block(arg_types=types)
        new = iter(self.block.args)
        given = iter(arguments)
        for argument in block.args:
            self.known[argument] = next(given) if isinstance(argument.type, TensorType) else next(new)
            if not isinstance(argument.type, TensorType):
                self.known[argument].name_hint = argument.name_hint
        last = self.read(block)
        made, self.block, self.place, self.more = self.block, outer, place, more
        return made, last


def memory_of(of_type: Attribute, op: Operation) -> Attribute:
    """Give the type of the memory of a tensor; other types are kept."""
    if isinstance(of_type, UnrankedTensorType):
        raise refusal("type", location_of(op), str(of_type))
    if not isinstance(of_type, TensorType):
        return of_type
    if not isinstance(of_type.encoding, NoneAttr):
        raise refusal("type", location_of(op), str(of_type))
    return MemRefType(of_type.element_type, of_type.get_shape())


def root_of(memory: SSAValue) -> SSAValue:
    """Give the memory that casts see."""
    while isinstance(memory.owner, memref.CastOp):
        memory = memory.owner.source
    return memory


def extent_of(memory: SSAValue, axis: int) -> object:
    """Tell an extent: a number, the value that memory was made with, or the dimension of the argument that has it."""
    of_type: Any = memory.type
    shape, owner = of_type.get_shape(), memory.owner
    if shape[axis] != DYNAMIC_INDEX:
        return shape[axis]
    if isinstance(owner, memref.CastOp):
        return extent_of(owner.source, axis)
    if isinstance(owner, memref.SubviewOp) and len(owner.static_sizes) == len(shape):
        sizes, axis = owner.sizes, [*owner.static_sizes.iter_values()][:axis].count(DYNAMIC_INDEX)
    elif isinstance(owner, memref.AllocOp):
        sizes, axis = owner.dynamic_sizes, shape[:axis].count(DYNAMIC_INDEX)
    else:
        return memory, axis
    size = sizes[axis]
    number = constant_of(size)
    if isinstance(size.owner, memref.DimOp) and (asked := constant_of(size.owner.index)) is not None:
        return extent_of(size.owner.source, int(asked))
    return size if number is None else int(number)


def is_last(value: SSAValue, op: Operation) -> bool:
    """Tell whether an operation is the last one to use a value, and as often as the value is made."""
    block = op.parent_block()
    owner = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
    if owner is not block or block is None:
        return False
    for use in value.uses:
        user = use.operation
        if user is op:
            if sum(operand is value for operand in op.operands) > 1:
                return False
        elif user.parent_block() is not block or not _is_before(user, op):
            return False
    return True


def _is_before(one: Operation, other: Operation) -> bool:
    following = one.next_op
    while following is not None:
        if following is other:
            return True
        following = following.next_op
    return False


def generic(inputs: Sequence[SSAValue], output: SSAValue, maps: Sequence[AffineMap], body: Block) -> GenericOp:
    """Make an operation that visits each element of its output; ``maps`` are those of its inputs."""
    of_type: Any = output.type
    rank = len(of_type.get_shape())
    every = [AffineMapAttr(one) for one in (*maps, AffineMap.identity(rank))]
    kinds = [IteratorTypeAttr(IteratorType.PARALLEL)] * rank
    return GenericOp(inputs, [output], Region(body), every, kinds)
