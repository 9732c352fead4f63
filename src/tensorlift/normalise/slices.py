"""What an iteration of a loop computes of its number, and of what was there before the loop, without its effects.

A cell that the loop writes is read as it was before the loop where each iteration writes one of its own, at the place
that is read; and as what the iteration has written there, where that comes first.
"""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

from xdsl.dialects.arith import AddiOp, ExtSIOp, ExtUIOp, IndexCastOp, MuliOp, SubiOp
from xdsl.dialects.memref import LoadOp, StoreOp
from xdsl.dialects.scf import IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from tensorlift.ir.arithmetic import constant_of
from tensorlift.normalise.choices import alike, is_harmless
from tensorlift.normalise.edit import is_quiet, last_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class OutOfReachError(Exception):
    """What an iteration computes depends on what others did."""


class Slices:
    """The values of a loop, whose ``arguments`` move by ``steps``, those that have one."""

    def __init__(self, op: WhileOp, steps: Sequence[int | None]) -> None:
        self.op = op
        self.steps: dict[SSAValue, int | None] = dict(zip(op.before_region.block.args, steps, strict=True))
        self.stores = [inside for inside in op.walk() if isinstance(inside, StoreOp)]
        self._needs: dict[SSAValue, frozenset[SSAValue]] = {}

    def needs(self, value: SSAValue) -> frozenset[SSAValue]:
        """Return the arguments of the loop that a value is made of.

        Raises:
            OutOfReachError: where it is made of what earlier iterations may have stored, or of other effects.

        """
        if value not in self._needs:
            self._needs[value] = self._found(value)
        return self._needs[value]

    def _found(self, value: SSAValue) -> frozenset[SSAValue]:
        if value in self.steps:
            return frozenset((value,))
        owner = value.owner
        if not self.op.is_ancestor(owner):
            return frozenset()
        if isinstance(owner, Block):
            raise OutOfReachError
        return frozenset[SSAValue]().union(*map(self.needs, self._parts(value)))

    def _parts(self, value: SSAValue) -> Iterable[SSAValue]:
        """Return what a value of the loop is computed of."""
        owner = value.owner
        match owner:
            case LoadOp():
                stored = self._stored(owner)
                return owner.operands if stored is None else [stored]
            case IfOp() if isinstance(value, OpResult):
                return [owner.cond, *(last_of(region.block).operands[value.index] for region in owner.regions)]
            case WhileOp() if is_quiet(owner) and self._is_apart(owner):
                return _from_outside(owner)
            case PoisonOp():
                return []
            case Operation() if is_harmless(owner) or owner.name.startswith("math."):
                return owner.operands
        raise OutOfReachError

    def _is_apart(self, op: Operation) -> bool:
        """Whether an operation reads nothing that the loop writes."""
        written = {store.memref for store in self.stores}
        return all(inside.memref not in written for inside in op.walk() if isinstance(inside, LoadOp))

    def _stored(self, load: LoadOp) -> SSAValue | None:
        """Return what the iteration has stored in the cell that it reads; None where that is as before the loop."""
        stores = [store for store in self.stores if store.memref is load.memref]
        if not stores:
            return None
        is_own = all(alike(store.indices, load.indices) for store in stores)
        if not is_own or not any(self._moves(index) for index in load.indices):
            raise OutOfReachError
        at: Operation = load
        while at is not self.op:
            before = at.prev_op
            while before is not None:
                if before in stores:
                    return before.operands[0]
                if any(inside in stores for inside in before.walk()):
                    raise OutOfReachError
                before = before.prev_op
            around = at.parent_op()
            assert around is not None, "it is in the loop"
            at = around
        return None

    def _moves(self, value: SSAValue) -> int | None:
        """Return by how much an integer moves with each iteration; None where that is not known."""
        owner = value.owner
        if value in self.steps:
            return self.steps[value]
        if not self.op.is_ancestor(owner):
            return 0
        if isinstance(owner, ExtSIOp | ExtUIOp | IndexCastOp):
            return self._moves(owner.operands[0])
        if isinstance(owner, AddiOp | SubiOp):
            left, right = map(self._moves, owner.operands)
            if left is None or right is None:
                return None
            return left + right if isinstance(owner, AddiOp) else left - right
        if isinstance(owner, MuliOp):
            (left, right), numbers = map(self._moves, owner.operands), list(map(constant_of, owner.operands))
            if left == 0 and right == 0:
                return 0
            by = [int(number) * moves for number, moves in zip(numbers, (right, left), strict=True) if number and moves]
            return by[0] if by else None
        return 0 if constant_of(value) is not None else None

    def copied(self, value: SSAValue, known: ChainMap[SSAValue, SSAValue], to: Block) -> SSAValue:
        """Compute a value at the end of a block, where the arguments that it ``needs`` are known."""
        owner = value.owner
        if value in known:
            return known[value]
        if isinstance(owner, Block) or not self.op.is_ancestor(owner):
            return value
        stored = self._stored(owner) if isinstance(owner, LoadOp) else None
        if stored is not None:
            known[value] = self.copied(stored, known, to)
        elif isinstance(owner, IfOp):
            assert isinstance(value, OpResult)
            known[value] = self._chosen(owner, value, known, to)
        else:
            parts = _from_outside(owner) if isinstance(owner, WhileOp) else owner.operands
            mapped = {part: self.copied(part, known, to) for part in parts}
            made = owner.clone(mapped)
            to.add_op(made)
            known.update(zip(owner.results, made.results, strict=True))
        return known[value]

    def _chosen(self, op: IfOp, value: OpResult, known: ChainMap[SSAValue, SSAValue], to: Block) -> SSAValue:
        condition = self.copied(op.cond, known, to)
        arms: list[Block] = []
        for region in op.regions:
            arms.append(arm := Block())
            found = self.copied(last_of(region.block).operands[value.index], known.new_child(), arm)
            arm.add_op(YieldOp.create(operands=[found], location=op.location))
        regions = [Region(arm) for arm in arms]
        made = IfOp.create(operands=[condition], result_types=[value.type], regions=regions, location=op.location)
        made.results[0].name_hint = value.name_hint
        to.add_op(made)
        return made.results[0]


def _from_outside(op: Operation) -> list[SSAValue]:
    """List the values that an operation and those in its regions get from around it."""
    used = (operand for inside in op.walk() for operand in inside.operands)
    return list(dict.fromkeys(value for value in used if not op.is_ancestor(value.owner)))


def known_by(values: Mapping[SSAValue, SSAValue]) -> ChainMap[SSAValue, SSAValue]:
    """Begin to tell what is known of values."""
    return ChainMap(dict(values))
