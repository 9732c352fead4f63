"""How much work loops and programs do, by degree: ``n**2 + m`` where both sizes count.

A sum of those products of sizes of which none divides another, as sizes are at least 1; factors, lower bounds and what
conditions leave out do not count: it is the worst case.  ``steps`` is how often a loop runs that data end.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.affine import ForOp, LoadOp, StoreOp
from xdsl.dialects.memref import AllocaOp
from xdsl.ir import Operation as LoopOperation
from xdsl.ir import SSAValue

from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.terms import Reduce
from tensorlift.ir.cost import FREE, VIEWS, products_of
from tensorlift.ir.linear import Linear, NotLinearError, Quotient, apply_map
from tensorlift.ir.tensor_program import (
    Assign,
    Contraction,
    Expression,
    For,
    Operation,
    Reduction,
    Scatter,
    SetSlice,
    values_of,
    walk_expressions,
    walk_statements,
)
from tensorlift.ir.within import parts_of
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, NotAffine, at_least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.definition import Item
    from tensorlift.comprehension.terms import Term
    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.tensor_program import Shape, Statement, TensorProgram
    from tensorlift.poly.domain import Constraint, Domain

STEPS = "~steps"  # no name of a size

Around = tuple[tuple["SSAValue | None", "Work"], ...]  # loops: the variable of each, and how often it runs


@dataclass(frozen=True)
class Work:
    """A sum of products of sizes, each a sorted tuple of names; the empty one is a constant."""

    products: frozenset[tuple[str, ...]] = frozenset({()})

    def __add__(self, other: Work) -> Work:
        """Add, and drop what divides another."""
        return _without_divisors(self.products | other.products)

    def __mul__(self, other: Work) -> Work:
        """Multiply."""
        pairs = product(self.products, other.products)
        return _sum(Work(frozenset({tuple(sorted(left + right))})) for left, right in pairs)

    def fits(self, other: Work, context: Domain) -> bool:
        """Tell whether it is no more by degree: each product divides one of the other work, as the context has it."""
        return not self.beyond(other, context).products

    def beyond(self, other: Work, context: Domain) -> Work:
        """Return what is more by degree than other work, as the context has it: the products that divide none there."""
        found = (one for one in self.products if not any(_divides(one, more, context) for more in other.products))
        return Work(frozenset(found))

    def at(self, sizes: Mapping[str, int]) -> int | None:
        """Return the number at given sizes; None where data decide."""
        names = {name for one in self.products for name in one}
        return sum(prod(sizes[name] for name in one) for one in self.products) if names <= sizes.keys() else None

    def per(self, runs: Work) -> Work:
        """Divide by the largest product of other work, as far as its factors are here."""
        most = Counter(runs.ordered[0])
        return _sum(Work(frozenset({tuple(sorted((Counter(one) - most).elements()))})) for one in self.products)

    def without(self, name: str) -> Work:
        """Leave a factor out."""
        return _sum(Work(frozenset({tuple(factor for factor in one if factor != name)})) for one in self.products)

    @property
    def ordered(self) -> list[tuple[str, ...]]:
        """The products, those of most factors first."""
        return sorted(self.products, key=lambda one: (-len(one), one))

    def __str__(self) -> str:
        """Spell as an expression."""
        return " + ".join(map(_text, self.ordered))


ONCE = Work()


def work_of_loops(view: FunctionView) -> Work:
    """Return how often the innermost statements of a function in the loop IR run.

    A loop over the places between two bounds that are data has as many in all as the array that it reads there.
    """
    return _Loops(view).of(view.body.ops)


def starts_of(view: FunctionView, is_started: Callable[[LoopOperation], bool]) -> list[Work]:
    """Return how often some loops of a function are started, those inside of them left out."""
    return list(_Loops(view).starts(view.body.ops, is_started))


def work_of_source(view: FunctionView) -> Work:
    """Return what a program of the same function may do: what the loops do, and what goes once over each array."""
    return sum((work_of_cells(p.extents or ()) for p in view.parameters), work_of_loops(view))


def work_of_cells(extents: Iterable[Linear | Affine], known: Mapping[str, Work] | None = None) -> Work:
    """Return how many cells an array has, or points a nest of loops, with what is known of variables."""
    return work_product(_reach(extent.terms, known or {}) for extent in extents)


def work_product(works: Iterable[Work]) -> Work:
    """Multiply."""
    return reduce(Work.__mul__, works, ONCE)


def _reaches(domain: Domain, names: Sequence[str], known: Mapping[str, Work]) -> dict[str, Work]:
    """Return how many values variables have at most in a domain, with what is known of others."""
    found = dict(known)
    for number, name in enumerate(names):
        with suppress(NotAffine):
            found[name] = _sum(_bound(rows, name, names[number:], found) for rows in domain.conjuncts())
    return found


def _bound(rows: Sequence[Constraint], name: str, unknown: Sequence[str], known: Mapping[str, Work]) -> Work:
    sums = [dict(row.affine.terms) for row in rows]
    sums += [{name: -factor for name, factor in row.affine.terms} for row in rows if row.is_equality]
    above = [
        row for row in sums if row.get(name, 0) < 0 and not any(row.get(other) for other in unknown if other != name)
    ]
    return min((_reach(row.items(), known) for row in above), key=_order, default=ONCE)


def work_of_program(program: TensorProgram) -> Work:
    """Return how many cells the operations of a tensor program compute, read or store."""
    # What iterations compute, as the ends of an anti-diagonal, counts once: together they are in an array.
    known = {s.name: ONCE for s in walk_statements(program.body) if isinstance(s, Assign)}
    for derived in program.derived:
        known[derived.name] = _reach(derived.numerator.terms, known)
    return _program(program.body, known)


def work_of_definitions(
    items: Iterable[Item], loops: Mapping[str, Work] | None = None
) -> Iterator[tuple[Work, Definition]]:
    """Yield definitions, each with its work where each cell and each fold is computed on its own, in all iterations."""
    around = dict(loops or {})
    for item in items:
        if isinstance(item, Definition):
            yield work_product(around.values()) * _work_of_definition(item, around), item
        else:
            runs = _reach((item.upper - item.lower).terms, around)
            yield from work_of_definitions(item.body, {**around, item.variable: runs})


def _work_of_definition(definition: Definition, known: Mapping[str, Work]) -> Work:
    """Return the work of a definition where each cell and each sum in it is computed on its own."""
    total = ONCE
    extents = zip(definition.indices, definition.shape, strict=True)
    whole = {index: _reach(extent.terms, known) for index, extent in extents}
    for domain, term in definition.pieces:
        within = _reaches(domain, definition.indices, {**known, **whole})
        total += _points(within, definition.indices) * _work_within(term, within)
    return total


def _points(known: Mapping[str, Work], names: Iterable[str]) -> Work:
    return work_product(known.get(name, ONCE) for name in names)


def _work_within(term: Term, known: Mapping[str, Work]) -> Work:
    @cache
    def of(term: Term) -> Work:
        if not isinstance(term, Reduce):
            return sum(map(of, term.children), ONCE)
        inner = _reaches(term.domain, term.bound, known)
        return _points(inner, term.bound) * _work_within(term.body, inner)

    return of(term)


class _Loops:
    """The work of the loops of a function, and what its values are."""

    def __init__(self, view: FunctionView) -> None:
        arguments = zip(view.body.args, view.parameters, strict=True)
        self._values: dict[SSAValue, Linear] = {value: Linear.size(known.name) for value, known in arguments}
        self._reached: dict[str, Work] = {}

    def of(self, ops: Iterable[LoopOperation], around: Around = ()) -> Work:
        """Return the work of a block in loops, each given by its variable and how often it runs."""
        total = work_product(runs for _, runs in around)
        for op in ops:
            inside = self._inside(op, around)
            for block in (block for region in op.regions for block in region.blocks):
                total += self.of(block.ops, inside)
        return total

    def starts(
        self, ops: Iterable[LoopOperation], is_started: Callable[[LoopOperation], bool], around: Around = ()
    ) -> Iterator[Work]:
        """Yield how often some loops are started, those inside of them left out."""
        for op in ops:
            if is_started(op):
                yield work_product(runs for _, runs in around)
                continue
            inside = self._inside(op, around)
            for block in (block for region in op.regions for block in region.blocks):
                yield from self.starts(block.ops, is_started, inside)

    def _inside(self, op: LoopOperation, around: Around) -> Around:
        if isinstance(op, ForOp):
            steering = _steering(op)  # in their iterations it goes over other places
            return (*(loop for loop in around if loop[0] not in steering), self._entered(op))
        return (*around, (None, _size(STEPS))) if op.name == "scf.while" else around

    def _entered(self, loop: ForOp) -> tuple[SSAValue, Work]:
        """Return the variable of a loop and how often it runs at most, and note how far the variable gets."""
        try:
            lowers, uppers = (
                apply_map(bounds.data, *self._operands(bounds.data.num_dims, operands))
                for bounds, operands in (
                    (loop.lowerBoundMap, loop.lowerBoundOperands),
                    (loop.upperBoundMap, loop.upperBoundOperands),
                )
            )
            reached = [_reach(upper.terms, self._reached) for upper in uppers]
            extents = [*reached, *(_reach((upper - lowers[0]).terms, self._reached) for upper in uppers)]
        except (NotLinearError, KeyError):
            extents = reached = [_size(STEPS)]
        variable = f"%{len(self._reached)}"
        counter = loop.body.block.args[0]
        self._values[counter] = Linear.size(variable)
        self._reached[variable] = min(reached, key=_order)
        return counter, min(extents, key=_size_of)  # of several that are alike the first, as it stands in the loop

    def _operands(self, dims: int, operands: Sequence[SSAValue]) -> tuple[list[Linear], list[Linear]]:
        values = [self._values[operand] for operand in operands]
        return values[:dims], values[dims:]


def _steering(loop: ForOp) -> set[SSAValue]:
    """Return what says between which places of arrays without rows a loop goes; nothing where data do not."""
    place = loop.body.block.args[0]
    tests = list(filter(None, map(parts_of, loop.body.block.ops)))
    accesses = (op for op in loop.body.walk() if isinstance(op, LoadOp | StoreOp) and place in op.operands)
    if any(len(op.map.data.results) > 1 for op in accesses):
        return set()
    waiting, seen = [bound for _, low, high in tests for bound in (low, high)], set[SSAValue]()
    while waiting:
        value = waiting.pop()
        if value not in seen:
            seen.add(value)
            made = value.owner
            waiting += made.operands if isinstance(made, LoopOperation) else []
            if isinstance(made, AllocaOp):  # a local: what is stored into it
                waiting += [use.operation.operands[0] for use in value.uses if isinstance(use.operation, StoreOp)]
    return seen


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
        total += [work_of_cells(_touched(node), known) for node in nodes if not isinstance(node, (*FREE, *VIEWS))]
        if isinstance(statement, SetSlice) and not isinstance(statement.value, Scatter):
            total.append(work_of_cells(statement.value.shape, known))
    return _sum(total)


def _touched(node: Expression) -> Shape:
    """Return the extents of what an operation goes over."""
    if isinstance(node, Contraction):
        return products_of(node)
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
    return *_size_of(work), sorted(work.products)


def _size_of(work: Work) -> tuple[int, int]:
    return max(map(len, work.products)), len(work.products)


@lru_cache(maxsize=1 << 10)
def _without_divisors(products: frozenset[tuple[str, ...]]) -> Work:
    return Work(frozenset(one for one in products if not any(_divides(one, more) for more in products - {one})))


def _divides(one: tuple[str, ...], other: tuple[str, ...], context: Domain = UNIVERSE) -> bool:
    """Tell whether a product divides another, where a size of it may stand for one that is no less."""
    rest, left = Counter(one) - Counter(other), Counter(other) - Counter(one)
    for size in rest.elements():
        more = next((m for m in left.elements() if context.implies(at_least(Affine.var(m), Affine.var(size)))), None)
        if more is None:
            return False
        left[more] -= 1
    return True


def _text(names: tuple[str, ...]) -> str:
    powers = Counter(names)
    named = ((name.removeprefix("~"), count) for name, count in powers.items())
    return "*".join(name if count == 1 else f"{name}**{count}" for name, count in named) or "1"
