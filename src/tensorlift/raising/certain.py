"""Whether all accesses of a nest run whenever the nest does: then they tell how far its arrays reach.

An access behind a condition runs where the condition holds.  One on the variables of loops says which iterations these
are, and what is raised has the same accesses; one on data, or on numbers that the nest takes, may keep all of them from
running, and what is raised computes all cells and chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHOICES = ("scf.if", "scf.condition", "scf.index_switch", "cf.cond_br", "cf.switch")
_DATA = ("affine.load", "memref.load", "arith.cmpf", "math.isnan", "math.isinf", "math.isfinite")
_HANDS_ON = ("affine.yield", "scf.yield", "scf.condition", "cf.br", "cf.cond_br", "cf.switch")
_TRUTH = IntegerType(1)


def all_run(function: Operation) -> bool:
    """Tell whether no access of an outlined function, which takes what is around it, depends on more than loops."""
    choices = [op.operands[0] for op in function.walk() if op.name in _CHOICES]
    if not choices:
        return True
    taken: set[SSAValue] = {*function.regions[0].blocks[0].args}
    data = {value for value in taken if value.type == _TRUTH}
    data |= {result for op in function.walk() if op.name in _DATA for result in op.results}
    _spread(function, data)
    return all(value not in data and _is_counted(value, taken) for value in choices)


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
            continue
        pending += one.owner.operands
    return False
