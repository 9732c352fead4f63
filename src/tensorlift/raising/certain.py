"""Whether all accesses of a nest run whenever the nest does: then they tell how far its arrays reach.

An access behind a condition runs where the condition holds.  One on the variables of loops says which iterations these
are, and what is raised has the same accesses; one on data, or on numbers that the nest takes, may keep all of them from
running, and what is raised computes all cells and chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineSymExpr

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xdsl.ir.affine import AffineConstraintExpr

_CHOICES = ("scf.if", "scf.condition", "scf.index_switch", "cf.cond_br", "cf.switch")
_DATA = ("affine.load", "memref.load", "arith.cmpf", "math.isnan", "math.isinf", "math.isfinite")
_HANDS_ON = ("affine.yield", "scf.yield", "scf.condition", "cf.br", "cf.cond_br", "cf.switch")
_JOINED = ("arith.andi", "arith.ori", "arith.xori")
_COUNTS = ("gpu.thread_id", "gpu.block_id", "gpu.global_id")
_TRUTH = IntegerType(1)


def all_run(functions: Iterable[Operation]) -> bool:
    """Tell whether no access of an outlined function, and those that it calls, depends on more than loops."""
    return all(map(_all_run, functions))


def _all_run(function: Operation) -> bool:
    asked = [test for op in function.walk() for test in _tests(op)]
    if not asked:
        return True
    taken: set[SSAValue] = {*function.regions[0].blocks[0].args}
    data = {value for value in taken if value.type == _TRUTH}
    data |= {result for op in function.walk() if op.name in _DATA for result in op.results}
    _spread(function, data)
    return all(data.isdisjoint(test) and any(_is_counted(value, taken) for value in test) for test in asked)


def _tests(op: Operation) -> Iterator[Sequence[SSAValue]]:
    """Yield what each part of a condition is about."""
    if op.name == "affine.if":
        condition: Any = op.properties["condition"]
        for part in condition.data.constraints:
            yield [op.operands[k] for k in _positions(part, condition.data.num_dims)]
    pending = [op.operands[0]] if op.name in _CHOICES else []
    while pending:
        value = pending.pop()
        if getattr(value.owner, "name", "") in _JOINED:
            pending += value.owner.operands  # type: ignore[union-attr]  # an operation
        else:
            yield [value]


def _positions(part: AffineConstraintExpr, dims: int) -> Iterator[int]:
    for side in (part.lhs, part.rhs):
        for one in side.dfs():
            if isinstance(one, AffineDimExpr | AffineSymExpr):
                yield one.position + (dims if isinstance(one, AffineSymExpr) else 0)


def _spread(function: Operation, data: set[SSAValue]) -> None:
    """Add what is computed of data; what is handed on may become any value of its type there."""
    count = -1
    while count != len(data):
        count = len(data)
        for op in function.walk():
            given = [value for value in op.operands if value in data]
            if given:
                data.update(op.results)
            if given and op.name in _HANDS_ON:
                types = {value.type for value in given}
                data.update(value for value in _receiving(op) if value.type in types)


def _receiving(op: Operation) -> Iterator[SSAValue]:
    """Yield the values that may be what an operation hands on."""
    for block in op.successors:
        yield from block.args
    around = op.parent_op()
    if around is not None and not op.successors:
        yield from around.results
        for region in around.regions:
            for block in region.blocks:
                yield from block.args


def _is_counted(value: SSAValue, taken: set[SSAValue]) -> bool:
    """Tell whether a value depends on the variable of a loop inside."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if not isinstance(one.owner, Operation):
            if one not in taken:
                return True
        elif one.owner.name in _COUNTS:
            return True
        else:
            pending += one.owner.operands
    return False
