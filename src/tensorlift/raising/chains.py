"""Matrix chains in a block: products whose results only the next product reads, as one group of operations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.raising.outline import memory_of

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation, SSAValue

_PRODUCTS = ("linalg.matmul", "linalg.matvec", "linalg.vecmat")
_HARMLESS = (
    *("arith.constant", "arith.addi", "arith.muli", "affine.apply"),
    *("memref.dim", "memref.alloc", "memref.dealloc"),
    *("memref.subview", "memref.cast", "memref.expand_shape", "memref.reinterpret_cast"),
)
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Chain:
    """The operations of a chain in the order of the block: allocations, fills, products, deallocations."""

    ops: tuple[Operation, ...]
    last: Operation

    @property
    def products(self) -> int:
        """The number of products."""
        return sum(op.name in _PRODUCTS for op in self.ops)


def chains_in(block: Block) -> list[Chain]:
    """Return the chains of a block that stand together, each as long as it goes."""
    order = {op: position for position, op in enumerate(block.ops)}
    found: list[Chain] = []
    for op in reversed(list(order)):
        if op.name not in _PRODUCTS or any(op in chain.ops for chain in found):
            continue
        collected = {op}
        _collect(op, collected)
        zeroing = {one for one in order if order[one] < order[op] and _zeroes(one, op)}
        first = min(order[one] for one in collected)
        for zeroed in (zeroing, {one for one in zeroing if order[one] > first}):
            chain = Chain(tuple(sorted(collected | zeroed, key=order.__getitem__)), op)
            if chain.products >= _LEAST and _stands_together(chain, order):
                found.append(chain)
                break
    return found[::-1]


def _zeroes(op: Operation, product: Operation) -> bool:
    """Tell whether an operation fills what a product adds to."""
    return op.name == "linalg.fill" and op.operands[-1] is product.operands[-1]


def _collect(product: Operation, collected: set[Operation]) -> None:
    """Add the operations that make what a product reads, where nothing else reads it."""
    for value in product.operands[:2]:
        made = _makers(value, product)
        if made is not None:
            collected.update(made)
            for op in made:
                if op.name in _PRODUCTS:
                    _collect(op, collected)


def _makers(value: SSAValue, reader: Operation) -> list[Operation] | None:
    """Return the operations on an array that is allocated, zeroed, multiplied into and read once; None for others."""
    owner = value.owner
    if getattr(owner, "name", "") != "memref.alloc":
        return None
    users = [use.operation for use in value.uses if use.operation is not reader]
    names = sorted(op.name for op in users if op.name != "memref.dealloc")
    if len(names) != _LEAST or names[0] != "linalg.fill" or names[1] not in _PRODUCTS:
        return None
    if any(op.parent is not reader.parent for op in users) or any(
        op.name in _PRODUCTS and op.operands[-1] is not value for op in users
    ):
        return None
    return [owner, *users]


def _stands_together(chain: Chain, order: dict[Operation, int]) -> bool:
    """Tell whether nothing between the operations of a chain touches memory."""
    first, last = order[chain.ops[0]], order[chain.ops[-1]]
    between = [op for op, position in order.items() if first < position < last and op not in chain.ops]
    used = {memory_of(value) for op in chain.ops for value in op.operands}
    return all(
        op.name in _HARMLESS and (op.name != "memref.dealloc" or memory_of(op.operands[0]) not in used)
        for op in between
    )
