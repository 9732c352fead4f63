"""A number at file scope that a function does not write has one value: it is read once, where the function begins.

    for (int i = 0; i < n; i++)                   before = n;
        a[i] = 1;                                 for (int i = 0; i < before; i++) a[i] = 1;

What is written through a pointer lies elsewhere: where it might not, that is a precondition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import GetGlobalOp, GlobalOp
from xdsl.ir import Block, Operation, SSAValue

from tensorlift.normalise.edit import insert, remove

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.builtin import ModuleOp


@dataclass(frozen=True)
class ReadOnce:
    """The pass that reads such a number once; functions are structured, and call nothing that could be inlined."""

    name = "read-once"

    def apply(self, module: ModuleOp) -> None:
        """Move the reads of each function."""
        cells = {op.sym_name.data for op in module.ops if isinstance(op, GlobalOp) and _is_cell(op)}
        for function in [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks and cells]:
            found: dict[str, list[GetGlobalOp]] = {}
            for op in function.walk():
                if isinstance(op, GetGlobalOp) and op.name_.root_reference.data in cells:
                    found.setdefault(op.name_.root_reference.data, []).append(op)
            for got in found.values():
                _read_once(function, got)


def _is_cell(op: GlobalOp) -> bool:
    kind: Any = op.type
    return op.constant is None and tuple(kind.get_shape()) == (1,)


def _read_once(function: FuncOp, got: list[GetGlobalOp]) -> None:
    """Read where the function begins, if all uses of a variable only read it."""
    uses = [op for one in got for op in _uses(one.results[0])]
    if not uses or not all(op.name == "memref.load" and is_fixed(op.operands[1]) for op in uses):
        return
    first = function.body.block.first_op
    assert first is not None, "a function ends"
    made = _copied(uses[0], {}, first)
    for op in uses:
        op.results[0].replace_all_uses_with(made)
        _sweep(op)


def _uses(memory: SSAValue) -> Iterator[Operation]:
    """Yield what uses memory, behind casts."""
    for use in memory.uses:
        if use.operation.name == "memref.cast":
            yield from _uses(use.operation.results[0])
        else:
            yield use.operation


def _sweep(op: Operation) -> None:
    """Remove a read, and what was only computed for it."""
    operands = op.operands
    remove(op)
    for operand in operands:
        if operand.first_use is None and not isinstance(operand.owner, Block):
            _sweep(operand.owner)


def is_fixed(offset: SSAValue) -> bool:
    """Whether an offset is a constant, as that of a number is."""
    owner = offset.owner
    if isinstance(owner, Block):
        return False
    return owner.name == "arith.constant" or (owner.name == "arith.index_cast" and is_fixed(owner.operands[0]))


def _copied(op: Operation, known: dict[SSAValue, SSAValue], before: Operation) -> SSAValue:
    """Copy an operation, and what it is made of, to before another one."""
    for operand in op.operands:
        if operand not in known:
            known[operand] = _copied(operand.owner, known, before)  # type: ignore[arg-type] # the offset is constant
    insert([made := op.clone(known)], before)
    return made.results[0]
