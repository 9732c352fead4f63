"""A loop that stores one value in all cells of an array, which lie one after the other, whatever its dimensions.

Its bounds are those of no loop of the definitions, which have a loop for each dimension; and no induction is needed.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain, at_least
from tensorlift.comprehension.polynomial import ONE, Polynomial
from tensorlift.comprehension.state import own_cell
from tensorlift.ir.scalar_terms import integer_predicate
from tensorlift.proofs.source.integers import Exact, polynomial
from tensorlift.proofs.source.operations import Memory, never_wraps
from tensorlift.proofs.source.places import dense

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.proofs.source.execution import Execution
    from tensorlift.proofs.source.frames import Frame
    from tensorlift.proofs.source.operations import Value

_HEADER = ["arith.cmpi", "cf.cond_br"]
_BODY = ["arith.addi", "arith.index_cast", "memref.store", "arith.constant", "arith.addi", "cf.br"]


def filled(run: Execution, header: int, passed: Sequence[Value], frame: Frame, context: Domain) -> bool:
    """Run a loop that stores one value in each cell of an array of several dimensions; tell whether it is one."""
    found = _store_of(run, header)
    if found is None or passed != [Exact(Polynomial.constant(0), is_signed=True)]:
        return False
    store, start, count = found
    memory, offset, number = (frame.value(value) for value in (store.operands[1], start, count))
    view = run.memory.views.get(memory.name) if isinstance(memory, Memory) else None
    if view is None or not isinstance(memory, Memory) or not isinstance(offset, Exact) or not isinstance(number, Exact):
        return False
    info = run.arrays[view.array]
    cells = _cells(info)
    fits = number.is_signed or any(one.is_parameter and _cells(one) == cells for one in run.arrays.values())
    if not fits or number.value != cells or offset.value != memory.start or view.strides != dense(info):
        return False
    if len(info.shape) < 2 or not context.implies(*(at_least(extent, 0) for extent in info.shape)):  # noqa: PLR2004 - one dimension has claims
        return False
    own = own_cell(view.array, len(info.shape), info.dtype)
    run.memory.store_all(store, view.array, frame, context & Domain.box(map(str, own.indices), info.shape))
    return True


def _cells(info: ArrayInfo) -> Polynomial:
    """Return how many cells an array has, which is no more than memory has if the caller has made it."""
    return prod(map(polynomial, info.shape), start=ONE)


def _store_of(run: Execution, header: int) -> tuple[Operation, SSAValue, SSAValue] | None:
    """Return the store of ``for (i = 0; i < count; i++) start[i] = value``, with the start and the count."""
    blocks = run.flow.loops[header].blocks - {header}
    if len(blocks) != 1:
        return None
    head, body = run.flow.blocks[header], run.flow.blocks[next(iter(blocks))]
    if [op.name for op in head.ops] != _HEADER or [op.name for op in body.ops] != _BODY or len(head.args) != 1:
        return None
    (test, branch), (place, cast, store, one, step, last) = head.ops, body.ops
    (index,) = head.args
    is_counted = (
        integer_predicate(test) == ("lt", True)
        and test.operands[0] is index
        and branch.operands[0] is test.results[0]
        and branch.successors[0] is body
        and branch.successors[1] is not body
        and len(branch.operands) == 1
        and place.operands[1] is index
        and cast.operands[0] is place.results[0]
        and store.operands[2] is cast.results[0]
        and [*step.operands] == [index, one.results[0]]
        and getattr(one.properties["value"], "value", None) is not None
        and one.properties["value"].value.data == 1  # type: ignore[attr-defined] # an integer, as just seen
        and [*last.operands] == [step.results[0]]
        and never_wraps(place)
        and never_wraps(step)
    )
    inside = _values(head) | _values(body)
    outer = [store.operands[0], store.operands[1], place.operands[0], test.operands[1]]
    return (store, place.operands[0], test.operands[1]) if is_counted and inside.isdisjoint(outer) else None


def _values(block: Block) -> set[SSAValue]:
    return {*block.args, *(result for op in block.ops for result in op.results)}
