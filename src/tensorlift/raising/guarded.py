"""Chains of matrices in the cheapest order; where sizes are not known, a guard computes which order that is.

A chain are products in a block whose results only the next product reads, as one group of operations.

Each order is proved by itself, so that whatever the guard chooses computes the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.contract.language import Separate
from tensorlift.ir.text import parse_module
from tensorlift.raising.bodies import unraisable
from tensorlift.raising.linalg import Emission, parameters_of
from tensorlift.raising.nests import Nest, Replaced, Taken, computed, refused_at
from tensorlift.raising.outline import memory_of
from tensorlift.raising.place import PURE, put_choice, put_in_place
from tensorlift.raising.proved import together
from tensorlift.synthesis.tactics.chains import choices_of, reordered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.comprehension.definition import Summary
    from tensorlift.poly.polynomial import Polynomial
    from tensorlift.raising.nests import Write, Written
    from tensorlift.targets.linalg.writer import Value, Writer


_PRODUCTS = ("linalg.matmul", "linalg.matvec", "linalg.vecmat")
_HARMLESS = (*PURE, "memref.dealloc")
_PAIR = _LEAST = 2


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


def reorder(ops: Sequence[Operation]) -> Replaced:
    """Put the operations of a chain in the cheapest order in their place.

    Raises:
        LiftError: where no order is cheaper, or none is proved; the module is as it was.

    """
    with refused_at(ops[0]):
        taken = Taken.out(ops)
        summary = taken.meaning.simplified
        choices = choices_of(summary)
        orders = [choice.summary for choice in choices] or [reordered(summary)]
        if len(orders) == 1 and orders[0] is summary:
            raise unraisable("no order has fewer multiplications")
        forms = [taken.form(_in_order(order)) for order in orders]
        conditions = list(dict.fromkeys(condition for form in forms for condition in form.conditions))
        apart = [condition for condition in conditions if isinstance(condition, Separate)]
        others = [condition for condition in conditions if not isinstance(condition, Separate)]
        stated = taken.stated([*others, *together(apart)])
        assumptions, undecided = taken.assumed(stated), taken.meaning.undecided
        guard = taken.text(_cheapest([choice.cost for choice in choices]), {})[1] if len(forms) > 1 else ""
    if guard:
        put_choice(taken.outlined, parse_module(guard, "guard.mlir"), [form.module for form in forms])
    else:
        put_in_place(taken.outlined, forms[0].module)
    names = (*(["scf.if"] * (len(forms) - 1)), *(name for form in forms for name in form.names))
    certificates = tuple(form.certificate for form in forms)
    return Replaced(names, tuple(map(str, stated)), (), assumptions, certificates, undecided)


def _in_order(order: Summary) -> Write:
    def write(nest: Nest) -> Written:
        emission = Emission(order, nest.writer, parameters_of(order, nest.memrefs), may_copy=False)
        result = emission.run()
        return emission.names, result

    return write


def _cheapest(costs: Sequence[Polynomial]) -> Write:
    """Return what writes the number of the least cost, among equals the first; of two, whether it is the second."""

    def write(nest: Nest) -> Written:
        writer = nest.writer
        least, *others = (computed(cost, writer) for cost in costs)
        if len(costs) == _PAIR:
            return [], _less(others[0], least, writer)
        choice = writer.index(0)
        for number, cost in enumerate(others, 1):
            less = _less(cost, least, writer)
            least, choice = (
                writer.define(f"arith.select {less.name}, {new.name}, {old.name} : index", "index")
                for new, old in ((cost, least), (writer.index(number), choice))
            )
        return [], choice

    return write


def _less(one: Value, other: Value, writer: Writer) -> Value:
    return writer.define(f"arith.cmpi slt, {one.name}, {other.name} : index", "i1")
