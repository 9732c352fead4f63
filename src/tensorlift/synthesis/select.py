"""Selection: expressions of a program become operations of an imported dialect that compute the same.

    expression -> cut off at some depth: what is below are leaves -> enumeration over the dialect's operations
               -> the same nodes at two sets of sizes? -> operations on leaves, which are selected in turn

Few operations come first, those that the leaves will still take and axes of one position counted, then the deepest cut,
so that an operation covers as much as it can.  Views, numbers and arithmetic on single
numbers are left as they are: every program over tensors has them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.terms import COMBINER
from tensorlift.ir.rewriting import affines_in, rewritten, with_operands
from tensorlift.ir.tensor_program import (
    Assign,
    At,
    Contraction,
    Copy,
    Cumulative,
    Elementwise,
    Empty,
    Expression,
    For,
    Full,
    Literal,
    Range,
    Reduction,
    Return,
    SetSlice,
    SizeValue,
    Subscript,
    Variable,
    walk_expressions,
)
from tensorlift.poly.affine import ZERO
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.synthesis.derive.scope import Scope, Value
from tensorlift.synthesis.enumerate.heuristics import Leaves
from tensorlift.synthesis.enumerate.imported import MOST_INSERTED, ImportedEnumeration, Offer
from tensorlift.synthesis.enumerate.levels import Options, Statistics
from tensorlift.synthesis.sketch.goals import Goal
from tensorlift.synthesis.symbolic.covering import Exhausted
from tensorlift.synthesis.symbolic.graph import Graph, Undefined
from tensorlift.synthesis.symbolic.meaning import Meaning
from tensorlift.synthesis.symbolic.points import Untraceable, compact_sizes
from tensorlift.synthesis.symbolic.views import View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.ir.tensor_program import Statement
    from tensorlift.poly.affine import Affine
    from tensorlift.synthesis.derive.builder import Builder
    from tensorlift.synthesis.grammar import Dialect

_LEAST = (2, 3)  # the least size in each of the two evaluations
_DEEPEST = 4  # operations of the expression that are covered at once
_MOST_LEAVES = 6
_OPTIONS = Options(candidates=1_000_000, operations=3)
_LEAF = "leaf "  # begins the names of what is below a cut


def selection(
    target: Dialect,
) -> Callable[[tuple[Statement, ...], Builder, Domain], tuple[Statement, ...]] | None:
    """Return what selects operations for the statements of a program, None where there are none to select from."""
    if not target.instances:
        return None
    return lambda body, build, context: tuple(map(_Selector(target, build, context).statement, body))


class _Selector:
    def __init__(self, target: Dialect, build: Builder, context: Domain) -> None:
        self.target = target
        self.build = build
        self.context = context
        self._done: dict[Expression, Expression] = {}

    def statement(self, statement: Statement) -> Statement:
        """Select for what a statement evaluates; what has no operations stays as it is."""
        if isinstance(statement, Return):
            return replace(statement, values=tuple(map(self.value, statement.values)))
        if isinstance(statement, For):
            inside = Domain.of(at_least(statement.variable, statement.lower), less(statement.variable, statement.upper))
            inner = _Selector(self.target, self.build, self.context & inside)
            return replace(statement, body=tuple(map(inner.statement, statement.body)))
        assert isinstance(statement, Assign | SetSlice)
        return replace(statement, value=self.value(statement.value))

    def value(self, node: Expression) -> Expression:
        """Return an expression in operations of the dialect."""
        done = self._done.get(node)
        if done is None:
            done = self._done[node] = self._value(node)
        return done

    def _value(self, node: Expression) -> Expression:
        if isinstance(node, Variable | Literal | SizeValue | Empty):
            return node
        if isinstance(node, Copy | Subscript) or _is_spread(node) or (isinstance(node, Elementwise) and not node.shape):
            return self._joined(with_operands(node, tuple(map(self.value, node.operands))), node)
        return self._covered(node) or node

    def _covered(self, node: Expression) -> Expression | None:
        """Return operations that compute an expression from what is below a cut: few of them, at the deepest cut."""
        cuts = [_below(node, depth) for depth in range(_DEEPEST, 0, -1)]
        distinct = [leaves for k, leaves in enumerate(cuts) if leaves not in cuts[k + 1 :]]
        searches = [
            (sum(map(_is_open, leaves)) + most, search)
            for most in MOST_INSERTED
            for leaves in distinct
            if len(leaves) <= _MOST_LEAVES and (search := self._search(node, leaves, most)) is not None
        ]
        for total in range(_OPTIONS.operations + _DEEPEST):
            for before, search in searches:
                level = total - before
                found = search.found(level) if 0 <= level <= _OPTIONS.operations else None
                if found is not None:
                    values = {name: self.value(leaf) for leaf, name in search.names.items()}
                    return rewritten(found, self._joined, values)
        return None

    def _search(self, node: Expression, leaves: list[Expression], most_inserted: int) -> _Search | None:
        try:
            offer = Offer.of(self.target, _ops_in(node))
            return _Search(node, leaves, self.build, self.context, offer, most_inserted)
        except (Untraceable, Undefined, ValueError):
            return None

    def _joined(self, node: Expression, _: Expression) -> Expression:
        """Return an expression as it is but for views of views, which are one view."""
        return self.build.subscript(node.argument, node.items) if isinstance(node, Subscript) else node


class _Search:
    """The search for operations on the leaves of one cut."""

    def __init__(  # noqa: PLR0913, PLR0917 - an expression, where it is cut, and how to search
        self,
        node: Expression,
        leaves: list[Expression],
        build: Builder,
        context: Domain,
        offer: Offer,
        most_inserted: int,
    ) -> None:
        """Evaluate the expression.

        Raises:
            Untraceable, Undefined, ValueError: where it has no values at small sizes.

        """
        self.names = {leaf: _named(leaf, k, build) for k, leaf in enumerate(leaves)}
        wanted = rewritten(node, lambda inner, _: inner, dict(self.names))
        tree = _Tree(wanted, build, context)
        goal = Goal(tree.cells[0], tuple(tree.scope.spans))
        known = tree.leaves(wanted)
        self._levels: ImportedEnumeration | None = ImportedEnumeration(
            tree, goal, known, offer, options=_OPTIONS, statistics=Statistics(), most_inserted=most_inserted
        )
        if not self._levels.is_whole:
            self._levels = None

    def found(self, level: int) -> Expression | None:
        """Return so many operations that compute the expression, None where there are none."""
        try:
            value = None if self._levels is None else self._levels.reached(level)
        except Exhausted:
            self._levels = value = None
        return None if value is None else value.expression


class _Tree:
    """An expression over leaves as what is searched for."""

    def __init__(self, node: Expression, build: Builder, context: Domain) -> None:
        """Evaluate an expression at two sets of sizes.

        Raises:
            Untraceable, Undefined, ValueError: where it has no values at small sizes.

        """
        self.graph = Graph()
        extents = [extent for inner in walk_expressions(node) for extent in inner.shape]
        names = _sizes_in(node, extents)
        self.sizes = [compact_sizes(names, context, extents, least) for least in _LEAST]
        self.cells = [np.array(Meaning(self.graph, at).of(node)) for at in self.sizes]
        spans = {f"axis {k}": (ZERO, extent) for k, extent in enumerate(node.shape)}
        self.scope = Scope(build, spans, UNIVERSE, context, {}, _evaluates_nothing, {})

    def leaves(self, node: Expression) -> Leaves:
        """Return the variables and the numbers of an expression as they are at the first sizes."""
        meaning = Meaning(self.graph, self.sizes[0])
        ends = [inner for inner in walk_expressions(node) if isinstance(inner, Variable | Literal | SizeValue)]
        numbers = [v for v in ends if not v.shape and v.dtype != "bool"]
        arrays = [v for v in ends if v.shape]
        return Leaves(
            [View(v, v.shape, np.array(meaning.of(v))) for v in arrays],
            [View(v, (), np.array(meaning.of(v))) for v in numbers],
        )

    def confirmed(self, value: Value) -> Value | None:
        """Return a value that holds at both sets of sizes."""
        try:
            found = [Meaning(self.graph, at).of(value.expression) for at in self.sizes]
        except (Undefined, ValueError, IndexError):
            return None
        return value if all(map(np.array_equal, found, self.cells)) else None


def _ops_in(node: Expression) -> set[str]:
    """Return the scalar functions of an expression, those of folds among them."""
    found: set[str] = set()
    for inner in walk_expressions(node):
        if isinstance(inner, Elementwise):
            found.add(inner.op)
        elif isinstance(inner, Contraction):
            found |= {"add", "mul"}
        elif isinstance(inner, Reduction | Cumulative):
            found.add(COMBINER[inner.op])
    return found


def _evaluates_nothing(*_: object) -> Value:
    raise Untraceable("no terms are evaluated here")


def _is_spread(node: Expression) -> bool:
    """Tell whether a tensor is one number in every cell."""
    return isinstance(node, Full) and bool(node.shape) and not node.argument.shape


def _below(node: Expression, depth: int) -> list[Expression]:
    """Return what is below so many operations of an expression, each once; views of arrays are no operations."""
    found: dict[Expression, None] = {}

    def descend(inner: Expression, left: int) -> None:
        if isinstance(inner, Literal | SizeValue):
            return
        if isinstance(inner, Variable | Empty) or _is_slice(inner) or not left:
            found.setdefault(inner)
            return
        is_view = isinstance(inner, Subscript)
        for operand in inner.operands:
            descend(operand, left if is_view else left - 1)

    for operand in node.operands:
        descend(operand, depth - 1)
    return list(found)


def _is_open(leaf: Expression) -> bool:
    """Tell whether a leaf is still to be computed by operations."""
    return bool(leaf.shape) and not isinstance(leaf, Variable | Empty | Subscript)


def _is_slice(node: Expression) -> bool:
    """Tell whether an expression is a part of a variable; one with all of its cells is none."""
    if not isinstance(node, Subscript) or not isinstance(node.argument, Variable):
        return False
    return any(isinstance(item, At) or (isinstance(item, Range) and item.step != 1) for item in node.items) or any(
        isinstance(item, Range) and item.extent not in node.argument.shape for item in node.items
    )


def _named(leaf: Expression, position: int, build: Builder) -> Expression:
    """Return a variable in the place of a leaf; a number is one."""
    name = f"{_LEAF}{position}"
    return build.variable(name, leaf.dtype, leaf.shape) if leaf.shape else build.scalar(name, leaf.dtype)


def _sizes_in(node: Expression, extents: Sequence[Affine]) -> list[str]:
    """Return the sizes and loop variables on which an expression depends."""
    values = (*extents, *(value for inner in walk_expressions(node) for value in affines_in(inner)))
    return list(dict.fromkeys(name for value in values for name in value.variables))
