"""Heuristics: what a source suggests of the operations to try.

*Operations*: the scalar functions that it applies, and those that say the same.  *Reductions*: the folds that it has,
and along which extents.  Two points of a fold's domain that differ in a bound variable alone update one cell, which is
a reduction dependence; the range of the variable, projected from that domain by isl, is the extent of such an axis.

*Leaves*: what it reads, through which views, and its numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import COMBINER, Apply, Constant, Read, Reduce
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import ONE, Affine
from tensorlift.synthesis.derive.scope import range_of
from tensorlift.synthesis.sketch.goals import Library
from tensorlift.synthesis.symbolic.points import conjuncts_of
from tensorlift.synthesis.symbolic.views import View, views_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.instance import Instance
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ir.tensor_program import Expression
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.domain import Domain
    from tensorlift.synthesis.derive.scope import Scope
    from tensorlift.synthesis.symbolic.covering import Traced
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.task import Task

_NEUTRAL = {"add", "mul"}  # functions for which a number changes nothing
_MATRIX = 2

# Operations that say the same as one of the source, alone or with others of it: of a target, and of a dialect.
WITH = {
    "sub": ("neg",), "neg": ("sub",), "select": ("max", "min"), "gt": ("lt",), "ge": ("le",), "mul": ("div",),
    "pow": ("mul",),
}  # fmt: skip
_LIKE = {
    "sub": ("neg", "add"), "neg": ("sub", "mul"), "select": ("max", "min"), "div": ("mul",), "pow": ("mul",),
    "gt": ("lt",), "ge": ("le",), "lt": ("gt",), "le": ("ge",), "cast": (),
}  # fmt: skip


@dataclass(frozen=True)
class Folds:
    """The folds of a source: which functions it folds with, and along which extents."""

    reducers: frozenset[Reducer]
    extents: frozenset[Affine]

    def fits(self, instance: Instance, sizes: Mapping[str, Affine]) -> bool:
        """Tell whether an imported operation on operands of some sizes folds only as the source does.

        A fold along one position is none; one whose extent is not known counts as one of the source.
        """
        for op, extent in _folded(instance):
            known = None if extent is None else extent.substitute(sizes)
            if known not in (None, ONE) and (op not in self.reducers or known not in self.extents):
                return False
        return True


@cache
def _folded(instance: Instance) -> list[tuple[Reducer, Affine | None]]:
    """Return the folds of an imported operation, with the extents along which it folds in its own sizes."""
    found: list[tuple[Reducer, Affine | None]] = []
    for node, where in _folds(definition.pieces for definition in instance.definitions):
        others = [name for name in where.variables() if name not in instance.sizes]
        found += [(node.op, _extent(where, name, others)) for name in node.bound]
    return found


def folds_of(task: Task) -> Folds:
    """Return the folds of a task, with the extents of the axes along which its reads are folded."""
    found = list(_folds([task.pieces]))
    bound = {name for node, _ in found for name in node.bound}
    extents: set[Affine | None] = set()
    symbols = set(task.symbols)
    for node, where in found:
        domain = task.domain & where
        others = [name for name in domain.variables() if name not in symbols]
        extents |= {_extent(domain, name, others) for name in node.bound}
    for read, where in task.reads:
        others = [name for name in where.variables() if name not in symbols]
        for index, extent in zip(read.indices, task.shapes[read.array], strict=True):
            folded = [name for name in index.variables if name in bound]
            extents |= {_extent(where, name, others) for name in folded} | ({extent} if folded else set())
    return Folds(frozenset(node.op for node, _ in found), frozenset(e for e in extents if e is not None))


def _folds(pieces: Iterable[Iterable[tuple[Domain, Term]]]) -> Iterator[tuple[Reduce, Domain]]:
    """Yield the folds in terms, each with the points of its own domain at which its term holds."""
    for one in pieces:
        for domain, term in one:
            yield from ((node, domain & node.domain) for node in walk(term) if isinstance(node, Reduce))


def _extent(domain: Domain, name: str, others: Iterable[str]) -> Affine | None:
    """Return how many values a variable has, whatever the others are; None where that is no expression of sizes."""
    span = range_of(domain, name, [other for other in others if other != name])
    return None if span is None else span[1] - span[0]


def relevant(instances: Sequence[Instance], ops: set[str]) -> list[Instance]:
    """Return the instances whose scalar functions and folds, these by their functions, are like some of the source.

    Those that take single numbers may multiply by one and add zero: ``a * x + y`` is what adds.
    """
    seen = ops | {other for op in ops for other in _LIKE.get(op, ())}
    return [i for i in instances if _ops_of(i) <= (seen | _NEUTRAL if takes_numbers(i) else seen)]


def takes_numbers(instance: Instance) -> bool:
    """Tell whether an operation takes single numbers beside tensors."""
    return any(not operand.shape for operand in instance.free)


@cache
def _ops_of(instance: Instance) -> set[str]:
    return ops_in(term for d in instance.definitions for _, term in d.pieces)


def ops_in(terms: Iterable[Term]) -> set[str]:
    """Return the scalar functions of terms, those of folds among them."""
    nodes = [node for term in terms for node in walk(term)]
    found = {node.op for node in nodes if isinstance(node, Apply)}
    return found | {COMBINER[node.op] for node in nodes if isinstance(node, Reduce)}


# -- leaves


SIMPLE = (Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2))  # numbers that any source may have


class Leaves(NamedTuple):
    """What candidates are made of: views of arrays, single numbers, and truth matrices of conditions on positions.

    ``constants`` are simple numbers that the source does not have.
    """

    views: Sequence[View]
    numbers: Sequence[View]
    masks: Sequence[View] = ()
    constants: Sequence[View] = ()


def leaves_of(traced: Traced) -> Leaves:
    """Return the views of the arrays that a task reads, its scalars, sizes and constants, and its conditions."""
    graph, task, scope = traced.graph, traced.task, traced.scope
    nodes = dict.fromkeys(node for _, term in task.pieces for node in walk(term))
    numbers = [
        View(scope.build.literal(c.value, c.dtype), (), np.array(graph.constant(c.value, c.dtype)))
        for c in nodes
        if isinstance(c, Constant) and c.dtype != "bool"
    ]
    views = views_of(graph, task, scope, traced.sizes[0])
    numbers = [*Library(graph, scope, ()).scalars(), *numbers]
    dtypes = {graph.dtype[int(view.nodes.flat[0])] for view in (*views, *numbers) if view.nodes.size}
    constants = simple_numbers(graph, scope, dtypes, numbers)
    return Leaves(views, numbers, masks_of(traced), constants)


def simple_numbers(graph: Graph, scope: Scope, dtypes: Iterable[DType], known: Sequence[View]) -> list[View]:
    """Return the simple numbers of types that are not known."""
    found = []
    nodes = {int(view.nodes) for view in known}
    for dtype in sorted(dtype for dtype in dtypes if dtype != "bool"):
        for number in SIMPLE:
            node = graph.constant(number, dtype)
            if node not in nodes and (is_float(dtype) or number.denominator == 1):
                value = number if number.denominator > 1 else int(number)
                found.append(View(scope.build.literal(value, dtype), (), np.array(node)))
    return found


def masks_of(traced: Traced) -> list[View]:
    """Return truth matrices over the axes of arrays that are read: one for each triangle over which a fold goes.

    A fold over ``k < i`` of ``A(i, k)`` has the mask of the cells of ``A`` in which ``column <= row - 1``.
    """
    task, build = traced.task, traced.scope.build
    found: dict[Expression, None] = {}
    for node, domain in _folds([task.pieces]):
        steps = [c.affine for conjunct in conjuncts_of(domain) for c in conjunct if not c.is_equality]
        for read in (inner for inner in walk(node.body) if isinstance(inner, Read)):
            places = {index.variable: k for k, index in enumerate(read.indices) if index.variable is not None}
            for step in steps:
                names = [name for name in step.variables if name in places]
                if len(names) != _MATRIX or {step.coefficient(name) for name in names} != {1, -1}:
                    continue
                row, column = sorted(names, key=lambda name: places[name])
                sign = step.coefficient(row)
                rest = step - Affine.var(row, sign) + Affine.var(column, sign)
                offset = rest if sign > 0 else -rest - 1  # else where it does not hold
                extents = [task.shapes[read.array][places[name]] for name in (row, column)]
                found.setdefault(build.triangle_mask(extents[0], extents[1], offset))
    at = traced.meanings[0]
    return [View(mask, mask.shape, np.array(at.of(mask))) for mask in found]
