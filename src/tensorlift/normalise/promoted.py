"""Memory of one number whose address nobody keeps is a variable: ``int n; size_of(a, &n);`` is ``n = size_of(a);``.

Calls are inlined before, so that what is left of an address that was handed on are reads and writes.  A branch that
writes gives the number as one more result, and a loop carries it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from xdsl.dialects.arith import ConstantOp, IndexCastOp
from xdsl.dialects.builtin import IntegerAttr, NameLoc, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import AllocaOp, LoadOp, StoreOp
from xdsl.dialects.scf import IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block

from tensorlift.normalise.edit import insert, last_of, remove, supersede
from tensorlift.normalise.outside import is_fixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.dialects.builtin import MemRefType, ModuleOp
    from xdsl.ir import Attribute, Operation, SSAValue


@dataclass(frozen=True)
class Promote:
    """The pass that does so for all of these; functions are structured, and call nothing that could be inlined."""

    name = "promote"

    def apply(self, module: ModuleOp) -> None:
        """Promote the memory of each function, where nothing but branches and loops is around its uses."""
        for function in [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]:
            for made in [op for op in function.walk() if isinstance(op, AllocaOp) and _is_number(op)]:
                cell = _Cell(made)
                if cell.is_variable():
                    cell.promote()


def _is_number(made: AllocaOp) -> bool:
    size = made.dynamic_sizes[0].owner
    while isinstance(size, IndexCastOp):
        size = size.input.owner
    return isinstance(size, ConstantOp) and isinstance(size.value, IntegerAttr) and size.value.value.data == 1


class _Cell:
    """The memory of one number, and the operations in which it is used."""

    def __init__(self, made: AllocaOp) -> None:
        kind = cast("MemRefType[Attribute]", made.memref.type)
        self._made, self._type, self._hint = made, kind.element_type, made.memref.name_hint
        self._uses = {use.operation for use in made.memref.uses}
        self._around: dict[Operation, bool] = {}  # the operations around uses, and whether they write

    def is_variable(self) -> bool:
        """Tell whether it is only read and written, inside of branches and loops alone."""
        for use in self._uses:
            is_written = isinstance(use, StoreOp) and use.value is not self._made.memref
            around = use.parent_op()
            while around is not None and around is not self._made.parent_op():
                self._around[around] = is_written or self._around.get(around, False)
                around = around.parent_op()
            is_its_own = (is_written or isinstance(use, LoadOp)) and is_fixed(use.operands[-1])
            if around is None or not is_its_own:
                return False
        return all(isinstance(op, IfOp | WhileOp) for op in self._around)

    def promote(self) -> None:
        """Make it a variable, which has no value at first."""
        at = NameLoc(StringAttr(self._hint or "result"), self._made.location)
        nothing = PoisonOp.create(result_types=[self._type], properties={"value": PoisonAttr()}, location=at)
        insert([nothing], self._made)
        assert self._made.parent is not None, "it stands in a block"
        self._follow(self._made.parent, nothing.result)
        remove(self._made)

    def _follow(self, block: Block, value: SSAValue) -> SSAValue:
        """Put the number that it holds in place of each read; give what it holds at the end of a block."""
        for op in list(block.ops):
            if op in self._uses:
                if isinstance(op, StoreOp):
                    value = op.value
                    value.name_hint = value.name_hint or self._hint
                else:
                    op.results[0].replace_all_uses_with(value)
                remove(op)
            elif self._around.get(op):
                value = self._branch(op, value) if isinstance(op, IfOp) else self._loop(op, value)
            elif op in self._around:
                for inner in (inner for region in op.regions for inner in region.blocks):
                    self._follow(inner, value)
        return value

    def _branch(self, op: Operation, value: SSAValue) -> SSAValue:
        for region in op.regions:
            if not region.blocks:
                region.add_block(Block([YieldOp.create(location=op.location)]))
            end = last_of(region.block)
            end.operands = [*end.operands, self._follow(region.block, value)]
        return self._with_result(op, op.operands)

    def _loop(self, op: Operation, value: SSAValue) -> SSAValue:
        for region in op.regions:
            block = region.block
            held = block.insert_arg(self._type, len(block.args), op.location)
            held.name_hint = self._hint
            end = last_of(block)
            end.operands = [*end.operands, self._follow(block, held)]
        return self._with_result(op, [*op.operands, value])

    def _with_result(self, op: Operation, operands: Iterable[SSAValue]) -> SSAValue:
        made = type(op).create(
            operands=list(operands),
            result_types=[*(result.type for result in op.results), self._type],
            regions=[op.detach_region(region) for region in list(op.regions)],
            attributes=op.attributes,
            location=op.location,
        )
        supersede(op, made)
        made.results[-1].name_hint = self._hint
        return made.results[-1]
