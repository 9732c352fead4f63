"""Branches: affine conditions stay affine, what either arm leaves is exact, chosen, or in a cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tensorlift.frontends.c.values import Address, Data, Index, Unknown
from tensorlift.normalise.execution import Test, ctype_of
from tensorlift.normalise.scalars import chosen, is_eager
from tensorlift.normalise.steering import is_memory

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.normalise.execution import Execution, Rule


def branch(ex: Execution, op: Operation) -> None:
    """Execute an ``scf.if``."""
    test = ex.test(op.operands[0])
    blocks = [region.block if region.blocks else None for region in op.regions]
    if isinstance(test.condition, bool):
        _decided(ex, op, blocks[0 if test.condition else 1])
    elif op.results and all(block is not None and all(map(is_eager, block.ops)) for block in blocks):
        _chosen(ex, op, test, cast("list[Block]", blocks))
    else:
        _branched(ex, op, test, blocks)


def _decided(ex: Execution, op: Operation, block: Block | None) -> None:
    if block is not None:
        ex.execute_block(block)
        for result, value in zip(op.results, _ends(block), strict=True):
            ex.values[result] = ex.values[value]


def _chosen(ex: Execution, op: Operation, test: Test, blocks: list[Block]) -> None:
    """Compute both arms, and choose between what they leave."""
    for block, known in zip(blocks, test.known, strict=True):
        with ex.inside(guards=known):
            ex.execute_block(block)
    place = ex.at(op)
    ex.at_place(place)
    for result, *arms in zip(op.results, *map(_ends, blocks), strict=True):
        ex.values[result] = chosen(ex, test, (arms[0], arms[1]), result)


def _branched(ex: Execution, op: Operation, test: Test, blocks: list[Block | None]) -> None:
    """Compute one of the arms."""
    place = ex.at(op)
    condition = test.condition
    assert not isinstance(condition, bool)
    in_cells = [result for result in op.results if not is_memory(result) and ex.cells.has_cell(result)]
    before, held = ex.cells.held(), []
    regions, left = [], []
    ex.branches_around += 1
    for block, known in zip(blocks, test.known, strict=True):
        ex.cells.restore(before)
        ex.sink.begin_branch()
        with ex.inside(guards=known):
            if block is not None:
                ex.execute_block(block)
            ends = _ends(block) if block is not None else ()
            ex.at_place(place)
            for result, value in zip(op.results, ends, strict=True):
                if result in in_cells:
                    ex.cells.store(result, value)
            left.append(_given(ex, op, ends, in_cells))
        regions.append(ex.sink.end_branch())
        held.append(ex.cells.held())
    ex.branches_around -= 1
    ex.cells.join(held[0], held[1])
    _joined(ex, op, (condition, regions), left, in_cells)


def _given(ex: Execution, op: Operation, ends: tuple[SSAValue, ...], in_cells: list[SSAValue]) -> list[object]:
    """Give what an arm leaves beside the cells: what is exact as it is, all else as data."""
    found: list[object] = []
    for result, value in zip(op.results, ends, strict=True):
        known = ex.values[value]
        found.append(None if result in in_cells else known)
    return found


def _joined(
    ex: Execution, op: Operation, way: tuple[object, list[object]], left: list[list[object]], in_cells: list[SSAValue]
) -> None:
    """Emit the branch; what both arms leave alike, and memory, is no result of it."""
    condition, regions = way
    wanted: list[tuple[SSAValue, Data, Data]] = []
    for number, result in enumerate(op.results):
        if result in in_cells:
            continue
        first, second = left[0][number], left[1][number]
        same = _same(first, second)
        if same is not None:
            ex.values[result] = same
        elif is_memory(result) or isinstance(first, Unknown) or isinstance(second, Unknown):
            ex.values[result] = _unknown(result, first, second)
        else:
            arms = [_as_data(ex, value, region) for value, region in zip((first, second), regions, strict=True)]
            wanted.append((result, arms[0], arms[1]))
    pairs = [(first, second) for _, first, second in wanted]
    made = ex.sink.choose(condition, (regions[0], regions[1]), pairs, ex.place)
    for (result, _, _), value in zip(wanted, made, strict=True):
        ex.values[result] = Data(value.ssa, ctype_of(result), truth=str(result.type) == "i1")
    for result in in_cells:
        ex.values[result] = ex.cells.load(result)


def _as_data(ex: Execution, value: object, region: object) -> Data:
    """Compute what an arm leaves at its end."""
    with ex.sink.inside(region):
        return ex.data_of(value)


def _same(first: object, second: object) -> Index | Address | None:
    if isinstance(first, Index) and isinstance(second, Index) and first.polynomial == second.polynomial:
        return Index(first.polynomial, first.ctype, first.needs + second.needs)
    if isinstance(first, Address) and isinstance(second, Address) and first.base is second.base:
        return first
    return None


def _unknown(result: SSAValue, first: object, second: object) -> Unknown:
    for value in (first, second):
        if isinstance(value, Unknown):
            return value
    reason = "pointer-walk" if is_memory(result) else "closed-form"
    return Unknown(reason, result.name_hint or "a variable")


def _ends(block: Block) -> tuple[SSAValue, ...]:
    last = block.last_op
    return tuple(last.operands) if last is not None and last.name == "scf.yield" else ()


def _nothing(_ex: Execution, _op: Operation) -> None:
    """Pass over what is read with the operation around it, or says nothing."""


BRANCHES: dict[str, Rule] = {
    "scf.if": branch,
    "scf.yield": _nothing,
    "scf.condition": _nothing,
    "cf.assert": _nothing,
}
