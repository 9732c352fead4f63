"""How much work loops and programs do, by degree: ``n**2 + m`` where both sizes count.

A sum of those products of sizes of which none divides another, as sizes are at least 1; factors, lower bounds and what
conditions leave out do not count: it is the worst case.  ``steps`` is how often a loop runs that data end.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING

from xdsl.dialects.affine import ForOp, LoadOp, StoreOp

from tensorlift.ir.linear import Linear, NotLinearError, Quotient, apply_map
from tensorlift.ir.tensor_program import (
    Broadcast,
    Contraction,
    Diagonal,
    Empty,
    Expression,
    For,
    Literal,
    Operation,
    Reduction,
    Scatter,
    SetSlice,
    SizeValue,
    Subscript,
    Transpose,
    Variable,
    Windows,
    values_of,
    walk_expressions,
)
from tensorlift.ir.within import parts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from xdsl.ir import Operation as LoopOperation
    from xdsl.ir import SSAValue

    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.tensor_program import Shape, Statement, TensorProgram
    from tensorlift.poly.affine import Affine

STEPS = "steps"

_FREE = (Literal, SizeValue, Variable, Empty, Subscript, Transpose, Diagonal, Windows, Broadcast)


@dataclass(frozen=True)
class Work:
    """A sum of products of sizes, each a sorted tuple of names; the empty one is a constant."""

    products: frozenset[tuple[str, ...]] = frozenset({()})

    def __add__(self, other: Work) -> Work:
        """Add, and drop what divides another."""
        both = self.products | other.products
        return Work(frozenset(one for one in both if not any(_divides(one, more) for more in both - {one})))

    def __mul__(self, other: Work) -> Work:
        """Multiply."""
        pairs = product(self.products, other.products)
        return _sum(Work(frozenset({tuple(sorted(left + right))})) for left, right in pairs)

    def __le__(self, other: Work) -> bool:
        """Tell whether each product divides one of the other work: it is no more by degree."""
        return all(any(_divides(one, more) for more in other.products) for one in self.products)

    def __str__(self) -> str:
        """Spell as an expression, the products of most factors first."""
        return " + ".join(map(_text, sorted(self.products, key=lambda one: (-len(one), one))))


ONCE = Work()


def work_of_loops(view: FunctionView) -> Work:
    """Return how often the innermost statements of a function in the loop IR run.

    A loop over the places between two bounds that are data has as many in all as the array that it reads there.
    """
    return _Loops(view).of(view.body.ops)


def work_of_cells(extents: Iterable[Linear | Affine], known: Mapping[str, Work] | None = None) -> Work:
    """Return how many cells an array has, or points a nest of loops, with what is known of variables."""
    return reduce(Work.__mul__, (_reach(extent.terms, known or {}) for extent in extents), ONCE)


def work_of_program(program: TensorProgram) -> Work:
    """Return how many cells the operations of a tensor program compute, read or store."""
    known: dict[str, Work] = {}
    for derived in program.derived:
        known[derived.name] = _reach(derived.numerator.terms, known)
    return _program(program.body, known)


class _Loops:
    """The work of the loops of a function, and what its values are."""

    def __init__(self, view: FunctionView) -> None:
        arguments = zip(view.body.args, view.parameters, strict=True)
        self._values: dict[SSAValue, Linear] = {value: Linear.size(known.name) for value, known in arguments}
        self._reached: dict[str, Work] = {}

    def of(self, ops: Iterable[LoopOperation]) -> Work:
        """Return the work of a block that runs once."""
        each, together = self._of(ops)
        return each + together

    def _of(self, ops: Iterable[LoopOperation]) -> tuple[Work, Work]:
        """Return the work of a block for each time that it runs, and for all times together."""
        each, together = [ONCE], [ONCE]
        for op in ops:
            if isinstance(op, ForOp):
                extent = self._entered(op)
                inner, beside = self._of(op.body.block.ops)
                (together if _is_segment(op) else each).append(extent * inner + beside)
                continue
            steps = _size(STEPS) if op.name == "scf.while" else ONCE
            for block in (block for region in op.regions for block in region.blocks):
                inner, beside = self._of(block.ops)
                each.append(steps * inner)
                together.append(beside)
        return _sum(each), _sum(together)

    def _entered(self, loop: ForOp) -> Work:
        """Return how often a loop runs at most, and note how far its variable gets."""
        try:
            lowers, uppers = (
                apply_map(bounds.data, *self._operands(bounds.data.num_dims, operands))
                for bounds, operands in (
                    (loop.lowerBoundMap, loop.lowerBoundOperands),
                    (loop.upperBoundMap, loop.upperBoundOperands),
                )
            )
            extents = [_reach((upper - lowers[0]).terms, self._reached) for upper in uppers]
            reached = [_reach(upper.terms, self._reached) for upper in uppers]
        except (NotLinearError, KeyError):
            extents = reached = [_size(STEPS)]
        variable = f"%{len(self._reached)}"
        self._values[loop.body.block.args[0]] = Linear.size(variable)
        self._reached[variable] = min(reached, key=_order)
        return min(extents, key=_order)

    def _operands(self, dims: int, operands: Sequence[SSAValue]) -> tuple[list[Linear], list[Linear]]:
        values = [self._values[operand] for operand in operands]
        return values[:dims], values[dims:]


def _is_segment(loop: ForOp) -> bool:
    """Tell whether a loop goes over places between bounds that are data, of arrays without rows."""
    place = loop.body.block.args[0]
    accesses = (op for op in loop.body.walk() if isinstance(op, LoadOp | StoreOp) and place in op.operands)
    is_of_rows = any(len(op.map.data.results) > 1 for op in accesses)
    return any(map(parts_of, loop.body.block.ops)) and not is_of_rows


def _program(body: Sequence[Statement], known: Mapping[str, Work]) -> Work:
    total, seen = [ONCE], set[Expression]()
    for statement in body:
        if isinstance(statement, For):
            inner = {**known, statement.variable: _reach(statement.upper.terms, known)}
            extent = _reach((statement.upper - statement.lower).terms, known)
            repeated = extent if statement.goes_on is None else _size(STEPS)
            total.append(repeated * _program(statement.body, inner))
            continue
        nodes = {node for value in values_of(statement) for node in walk_expressions(value)} - seen
        seen |= nodes
        total += [work_of_cells(_touched(node), known) for node in nodes if not isinstance(node, _FREE)]
        if isinstance(statement, SetSlice) and not isinstance(statement.value, Scatter):
            total.append(work_of_cells(statement.value.shape, known))
    return _sum(total)


def _touched(node: Expression) -> Shape:
    """Return the extents of what an operation goes over."""
    if isinstance(node, Contraction):
        pairs = zip(node.labels, (argument.shape for argument in node.arguments), strict=True)
        return tuple({label: extent for own, shape in pairs for label, extent in zip(own, shape, strict=True)}.values())
    if isinstance(node, Operation):
        return tuple((node.instance.fits([argument.shape for argument in node.arguments]) or {}).values())
    if isinstance(node, Scatter):
        return max((operand.shape for operand in node.operands[1:]), key=len)
    return node.argument.shape if isinstance(node, Reduction) else node.shape


def _reach(terms: Iterable[tuple[str | Quotient, int]], known: Mapping[str, Work]) -> Work:
    """Return what a sum of sizes and variables reaches, where variables are not negative."""
    total = [ONCE]
    for size in (size for size, factor in terms if factor > 0):
        if isinstance(size, Quotient):
            total.append(_reach(size.numerator.terms, known))
        else:
            total.append(known.get(size, _size(size)))
    return _sum(total)


def _size(name: str) -> Work:
    return Work(frozenset({(name,)}))


def _sum(works: Iterable[Work]) -> Work:
    return reduce(Work.__add__, works, ONCE)


def _order(work: Work) -> tuple[object, ...]:
    """Put the smaller first: of fewer factors, then of fewer products."""
    return max(map(len, work.products)), len(work.products), sorted(work.products)


def _divides(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return Counter(one) <= Counter(other)


def _text(names: tuple[str, ...]) -> str:
    powers = Counter(names)
    return "*".join(name if count == 1 else f"{name}**{count}" for name, count in powers.items()) or "1"
