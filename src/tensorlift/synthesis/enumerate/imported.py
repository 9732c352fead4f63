"""Enumeration over an imported dialect: its operations are the steps, nothing is transposed or broadcast beside them.

Leaves are the views that the source reads, numbers, and tensors that have one number everywhere; where an operation
takes extents of one, or more axes, also views with axes of one position inserted.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ir.tensor_program import At, Literal, NewAxis, Operation, walk_expressions
from tensorlift.ir.views import whole
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.synthesis.derive.scope import Value
from tensorlift.synthesis.enumerate.heuristics import (
    folds_of,
    leaves_of,
    ops_in,
    relevant,
    simple_numbers,
    takes_numbers,
)
from tensorlift.synthesis.enumerate.instances import Imported, Squeezed, distinct, lays_out, moves
from tensorlift.synthesis.enumerate.levels import Levels
from tensorlift.synthesis.enumerate.pools import Block, Kind, fingerprints
from tensorlift.synthesis.sketch.goals import Goal, extents_of
from tensorlift.synthesis.symbolic.graph import Undefined
from tensorlift.synthesis.symbolic.points import contains
from tensorlift.synthesis.symbolic.views import View

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.comprehension.instance import Instance, InstanceOperand
    from tensorlift.ir.tensor_program import Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType
    from tensorlift.synthesis.enumerate.heuristics import Folds, Leaves
    from tensorlift.synthesis.enumerate.levels import Options, Statistics, Wanted
    from tensorlift.synthesis.enumerate.pools import Entries, Pool
    from tensorlift.synthesis.enumerate.steps import Step
    from tensorlift.synthesis.grammar import Dialect
    from tensorlift.synthesis.symbolic.covering import Traced

    Fixed = tuple[tuple[int, Affine], ...]  # axes, with the extents that they must have

# Axes of one position in a view, and for so many how many operations are tried at most.
MOST_INSERTED = {0: 6, 1: 6, 2: 1}
_UNIT = "unit "  # begins the names of axes of one position
_MATRIX = 2


@dataclass(frozen=True)
class Offer:
    """What a dialect offers to a search: instances of its operations, the verifier, and along what to fold if known."""

    instances: Sequence[Instance]
    rows: Mapping[str, Any]
    folds: Folds | None = None

    @staticmethod
    def of(target: Dialect, ops: set[str] | None, folds: Folds | None = None) -> Offer:
        """Return what a dialect offers, where it is to be like some scalar functions and folds."""
        instances = target.instances if ops is None else relevant(target.instances, ops)
        return Offer([i for i in distinct(instances) if not lays_out(i)], target.rows, folds)

    def takes(self, instance: Instance) -> bool:
        """Tell whether the dialect's verifier takes an instance."""
        return not self.rows[instance.operation].refusal(instance)

    def is_possible(self, instance: Instance, sizes: dict[str, Affine], at: Mapping[str, int]) -> bool:
        """Tell whether an operation folds as the source does, and is defined for the extents, with sizes at numbers."""
        if self.folds is not None and not self.folds.fits(instance, sizes):
            return False
        return contains(instance.context, {name: extent.evaluate(at) for name, extent in sizes.items()})


def found_imported(traced: Traced, target: Dialect, options: Options, statistics: Statistics) -> Value | None:
    """Return a value of a task in operations of a dialect, None where there is none with so many of them.

    Raises:
        Exhausted: where the budget is spent before.

    """
    goal, leaves = Goal(traced.cells[0], traced.task.axes), leaves_of(traced)
    ops = ops_in(term for _, term in traced.task.pieces) if options.by_operations else None
    offer = Offer.of(target, ops, folds_of(traced.task) if options.by_reductions else None)
    searches = [
        ImportedEnumeration(traced, goal, leaves, offer, options=options, statistics=statistics, most_inserted=most)
        for most in MOST_INSERTED
    ]
    if not searches[0].is_whole:
        return None
    for total in range(options.operations + 1):
        for search in searches:
            value = search.reached(total - search.most_inserted) if total >= search.most_inserted else None
            if value is not None:
                return value
    for search in searches:
        search.end()
    return None


class ImportedEnumeration(Levels):
    """One bottom-up search for a goal with the operations of an imported dialect."""

    def __init__(  # noqa: PLR0913 - a goal, what leads to it, and how to search
        self,
        wanted: Wanted,
        goal: Goal,
        leaves: Leaves,
        offer: Offer,
        *,
        options: Options,
        statistics: Statistics,
        most_inserted: int = 1,
    ) -> None:
        """Enter the leaves; ``most_inserted`` axes of one position are inserted into one."""
        super().__init__(wanted, goal, options, statistics)
        self._by_rank: dict[tuple[DType, int], tuple[Pool, ...]] = {}
        self._with_fixed: dict[tuple[DType, int, Fixed], tuple[int, tuple[Pool, ...]]] = {}  # of so many of a rank
        self.offer = offer
        self.most_inserted = most_inserted
        self.ranks = sorted({len(o.shape) for i in offer.instances for o in i.free})
        self._traced_steps: dict[tuple[Instance, tuple[Pool, ...], tuple[Shape, ...]], Step | None] = {}
        self._kinds: list[Shape] = []
        self._enter_leaves(leaves)
        if self.is_whole:
            self.set_goal()

    # -- leaves and goal

    def _enter_leaves(self, leaves: Leaves) -> None:
        """Enter views with and without axes of one position, numbers, and tensors of one number."""
        graph, scope = self.wanted.graph, self.scope
        for view in leaves.views:
            self._enter(view)
            for extents, items in self._with_units(view.extents):
                expression = scope.build.subscript(view.expression, items)
                nodes = view.nodes[tuple(None if isinstance(item, NewAxis) else slice(None) for item in items)]
                self._enter(View(expression, extents, nodes))
        numbers = [*leaves.numbers, *self._neutral()]
        for view in numbers:
            self._enter(view)
        for kind, number in itertools.product(self._tensor_kinds(), numbers):
            dtype = graph.dtype[int(number.nodes)]
            full = scope.build.full(number.expression, kind, dtype)
            shape = self._pool(Kind(dtype, kind)).shape
            self._enter(View(full, kind, np.broadcast_to(number.nodes, shape)))
        if any(map(takes_numbers, self.offer.instances)):
            dtypes = {pool.kind.dtype for pool in self.pools.values()}
            for view in simple_numbers(graph, scope, dtypes, numbers):
                self._enter(view, 1)

    def _with_units(self, extents: Shape) -> Iterator[tuple[Shape, tuple[SubscriptItem, ...]]]:
        """Yield the shapes of higher ranks with axes of one position, and the subscripts that insert them."""
        most = self.most_inserted + (not extents) if self.most_inserted else 0
        for rank in self.ranks:
            if not 0 < rank - len(extents) <= most:
                continue
            for places in itertools.combinations(range(rank), rank - len(extents)):
                own = iter(extents)
                shape = tuple(ONE if k in places else next(own) for k in range(rank))
                yield shape, tuple(NewAxis() if k in places else whole(e) for k, e in enumerate(shape))

    def _neutral(self) -> Iterator[View]:
        """Yield zero, which operations take that add to more."""
        graph = self.wanted.graph
        dtypes = {pool.kind.dtype for pool in self.pools.values()} | {self.goal.dtype(graph)}
        for dtype in sorted(dtype for dtype in dtypes if is_float(dtype)):
            yield View(self.scope.build.literal(0, dtype), (), np.array(graph.zero(dtype)))

    def _tensor_kinds(self) -> list[Shape]:
        """Return the shapes in which tensors of one number may be wanted: of extents that occur."""
        goal = extents_of(self.goal, self.scope)
        shapes = {pool.kind.extents for pool in self.pools.values() if pool.kind.extents}
        shapes |= {goal, *(extents for extents, _ in self._with_units(goal))}
        extents = sorted({e for shape in shapes for e in shape}, key=str)
        shapes |= set(itertools.product(extents, repeat=_MATRIX))
        if any(ONE in operand.shape for instance in self.offer.instances for operand in instance.free):
            shapes |= {(ONE,) * rank for rank in self.ranks if rank}
        return sorted((s for s in shapes if s and len(s) in self.ranks), key=lambda s: (len(s), str(s)))

    def set_goal(self) -> None:
        """Take the fingerprints of the goal, also with axes of one position, in the order of its own axes."""
        extents = extents_of(self.goal, self.scope)
        self.goals = {}
        found = [(extents, tuple(whole(e) for e in extents)), *self._with_units(extents)]
        for shape, items in found:
            own = iter(self.goal.axes)
            axes = tuple(f"{_UNIT}{k}" if isinstance(item, NewAxis) else next(own) for k, item in enumerate(items))
            self._seek(shape, self.goal.nodes, axes)

    def _value(self, entries: Entries, row: int, axes: tuple[str, ...]) -> Value:
        """Return the value of a candidate without axes of one position that were inserted."""
        value = super()._value(entries, row, axes)
        return self._without_units(value) if any(axis.startswith(_UNIT) for axis in axes) else value

    def _without_units(self, value: Value) -> Value:
        items = [
            At(ZERO) if axis.startswith(_UNIT) else whole(extent)
            for axis, extent in zip(value.axes, value.expression.shape, strict=True)
        ]
        kept = tuple(axis for axis in value.axes if not axis.startswith(_UNIT))
        return Value(self.scope.build.subscript(value.expression, items), kept)

    def _reached(self, level: int) -> Value | None:
        """Compare all candidates with the goal before any is kept: to keep one takes all of its cells."""
        most = min(self.options.operations, MOST_INSERTED[self.most_inserted])
        if level > most:
            return None
        steps = list(self._steps(level))
        for self.keeps in (False, True):
            tried = steps if self.keeps else [step for step in steps if step.result.type in self.goals]
            values = (self._level(step, level) for step in tried)
            found = next((value for value in values if value is not None), None)
            if found is not None or level == most:
                return found
        self._squeeze(level)
        return None

    def _squeeze(self, level: int) -> None:
        """Keep what has axes of one position also without them."""
        for pool in list(self.pools.values()):
            entries = pool.levels.get(level)
            kept = tuple(extent for extent in pool.kind.extents if extent != ONE)
            if entries is None or len(kept) == len(pool.shape) or len(kept) not in self.ranks:
                continue
            target = self._pool(Kind(pool.kind.dtype, kept))
            fresh = target.new_rows(fingerprints(entries.cells[:, target.samples].T))
            if len(fresh):
                target.store(level, entries.cells[fresh], Block(Squeezed(pool, target.kind), (entries,), (fresh,)))

    def _product(self, step: Step, level: int, entries: list[Entries]) -> Value | None:
        try:
            return super()._product(step, level, entries)
        except Undefined:  # a division by zero whatever the operands
            return None

    def _is_verified(self, value: Value) -> bool:
        """Tell whether the dialect's verifier takes all operations of a value, and their attributes are constants."""
        nodes = [node for node in walk_expressions(value.expression) if isinstance(node, Operation)]
        return all(self.offer.takes(node.instance) and _is_constant(node) for node in nodes)

    # -- steps

    def _steps(self, level: int) -> Iterator[Step]:  # noqa: ARG002 - which candidates there are is asked later
        self._kinds = self._tensor_kinds()
        wanted = {extent for _, extents in self.goals for extent in extents} - {ONE}
        for instance in self.offer.instances:
            if moves(instance) and any(e.is_constant and e not in wanted for e in instance.result.shape):
                continue  # a part of so many cells, which are not what is wanted
            for pools, known in list(self._operands(instance)):
                for written in self._written(instance, known):
                    step = self._step(instance, pools, written)
                    if step is not None:
                        yield step

    def _operands(
        self, instance: Instance, chosen: tuple[Pool, ...] = (), known: Mapping[str, Affine] = MappingProxyType({})
    ) -> Iterator[tuple[tuple[Pool, ...], Mapping[str, Affine]]]:
        """Yield the pools that fit the operands of an instance, with the ``known`` sizes that those chosen tell."""
        if len(chosen) == len(instance.free):
            yield chosen, known
            return
        own = instance.free[len(chosen)]
        for pool in self._fitting(own, known):
            told = _told(own.shape, pool.kind.extents, known) if pool.levels else None
            if told is not None:
                yield from self._operands(instance, (*chosen, pool), told)

    def _fitting(self, operand: InstanceOperand, known: Mapping[str, Affine]) -> Sequence[Pool]:
        """Return the pools of an operand's element type and rank that have the extents that are fixed or known."""
        told = (
            (axis, own if own.is_constant else known.get(own.variable or "")) for axis, own in enumerate(operand.shape)
        )
        fixed = tuple((axis, extent) for axis, extent in told if extent is not None)
        pools = self._by_rank.get((operand.dtype, len(operand.shape)), ())
        seen, found = self._with_fixed.get((operand.dtype, len(operand.shape), fixed), (0, ()))
        if seen < len(pools):
            fresh = (p for p in pools[seen:] if all(p.kind.extents[axis] == extent for axis, extent in fixed))
            found = (*found, *fresh)
            self._with_fixed[operand.dtype, len(operand.shape), fixed] = len(pools), found
        return found

    def _pool(self, kind: Kind) -> Pool:
        """Return the pool of a kind, which is known by its element type and rank too."""
        is_new = kind not in self.pools
        pool = super()._pool(kind)
        if is_new:
            key = kind.dtype, len(kind.extents)
            self._by_rank[key] = (*self._by_rank.get(key, ()), pool)
        return pool

    def _written(self, instance: Instance, known: Mapping[str, Affine]) -> Iterator[tuple[Shape, ...]]:
        """Yield shapes of the operands whose cells are not read: any that occurs, unless the others tell it."""
        choices: list[list[Shape]] = []
        for own in instance.operands:
            if own.name not in instance.unread:
                continue
            if all(extent.is_constant or extent.variable in known for extent in own.shape):
                choices.append([tuple(extent.substitute(known) for extent in own.shape)])
            else:
                choices.append([s for s in self._kinds if len(s) == len(own.shape)])
        yield from itertools.product(*choices)

    def _step(self, instance: Instance, pools: tuple[Pool, ...], written: tuple[Shape, ...]) -> Step | None:
        key = (instance, pools, written)
        if key not in self._traced_steps:
            self._traced_steps[key] = self._made_step(*key)
        return self._traced_steps[key]

    def _made_step(self, instance: Instance, pools: tuple[Pool, ...], written: tuple[Shape, ...]) -> Step | None:
        given, unread = iter(pools), iter(written)
        shapes = [
            own.shape
            if own.value is not None
            else next(unread)
            if own.name in instance.unread
            else next(given).kind.extents
            for own in instance.operands
        ]
        sizes = instance.fits(shapes)
        if sizes is None or not self.offer.is_possible(instance, sizes, self.wanted.sizes[0]):
            return None
        result = Kind(instance.result.dtype, instance.result_shape(sizes))
        spared = {
            own.name: self._pool(Kind(own.dtype, shape))
            for own, shape in zip(instance.operands, shapes, strict=True)
            if own.name in instance.unread
        }
        return Imported(instance, pools, spared, result)


def _is_constant(node: Operation) -> bool:
    """Tell whether the attributes of an operation are given as numbers."""
    pairs = zip(node.instance.operands, node.arguments, strict=True)
    return all(isinstance(argument, Literal) for own, argument in pairs if own.is_attribute)


def _told(own: Shape, extents: Shape, known: Mapping[str, Affine]) -> Mapping[str, Affine] | None:
    """Return the sizes that the axes of an operand tell, with those known before; None where these are others."""
    told = dict(known)
    for extent, given in zip(own, extents, strict=True):
        if extent.variable is not None and told.setdefault(extent.variable, given) != given:
            return None
    return told
