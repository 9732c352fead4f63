"""Goals: a task is taken apart as far as nothing else may reach it, and what is left is enumerated.

    pieces by position  -> a goal for each, selected by masks; what computes several pieces counts for all of them
    a function of cells -> where every cell is made by one function that arithmetic cannot look into, no other
                           operation reaches them: its operands are the goals

Goals that were reached are remembered, so that what a function is applied to twice is searched for once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.diagnostics import LiftError
from tensorlift.synthesis.derive.elementwise import guarded_operands
from tensorlift.synthesis.derive.masks import mask_of
from tensorlift.synthesis.enumerate.heuristics import leaves_of
from tensorlift.synthesis.enumerate.search import Enumeration
from tensorlift.synthesis.symbolic.graph import ARITHMETIC, EXTREMES
from tensorlift.synthesis.symbolic.trace import FREE
from tensorlift.synthesis.symbolic.views import holding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.synthesis.derive.scope import Scope, Value
    from tensorlift.synthesis.enumerate.levels import Options, Statistics
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.symbolic.covering import Traced
    from tensorlift.synthesis.symbolic.graph import Graph
    from tensorlift.synthesis.symbolic.trace import Nodes

_LEAVES = frozenset({"symbol", "constant"})


@dataclass(frozen=True, eq=False)
class Aim:
    """What is searched for in a task: the nodes of its box at each set of sizes, `FREE` where a cell does not count."""

    traced: Traced
    cells: tuple[Nodes, ...]

    @property
    def graph(self) -> Graph:
        """The graph of all nodes."""
        return self.traced.graph

    @property
    def scope(self) -> Scope:
        """The axes, and what builds expressions."""
        return self.traced.scope

    @property
    def sizes(self) -> Sequence[dict[str, int]]:
        """The sets of sizes."""
        return self.traced.sizes

    def confirmed(self, value: Value) -> Value | None:
        """Return a value that holds at all sets of sizes, else None."""
        return self.traced.confirmed(value, self.cells)

    @property
    def key(self) -> tuple[bytes, ...]:
        """What tells aims of one task apart."""
        return tuple(nodes.tobytes() for nodes in self.cells)

    @property
    def counts(self) -> int:
        """How many cells count at the first sizes."""
        return int((self.cells[0] != FREE).sum())

    def function(self) -> str | None:
        """Return the function that makes every cell that counts, None where arithmetic or several do."""
        nodes = {node for cells in self.cells for node in cells.ravel().tolist() if node != FREE}
        made = {(self.graph.op[node], len(self.graph.operands[node])) for node in nodes}
        op = next(iter(made))[0] if len(made) == 1 else "symbol"
        return None if op in ARITHMETIC or op in EXTREMES or op in _LEAVES else op

    def operands(self) -> Iterator[Aim]:
        """Yield what its function is applied to."""
        first = next(node for node in self.cells[0].ravel().tolist() if node != FREE)
        for k in range(len(self.graph.operands[first])):
            own = [
                np.array([FREE if n == FREE else self.graph.operands[n][k] for n in nodes.ravel().tolist()], np.int64)
                for nodes in self.cells
            ]
            yield Aim(self.traced, tuple(o.reshape(n.shape) for o, n in zip(own, self.cells, strict=True)))


class Goals:
    """The goals of one task."""

    def __init__(self, traced: Traced, grammar: Grammar, options: Options, statistics: Statistics) -> None:
        self.traced = traced
        self.grammar = grammar
        self.options = options
        self.statistics = statistics
        self.leaves = leaves_of(traced)
        self._reached: dict[tuple[bytes, ...], Value | None] = {}

    def reached(self) -> Value | None:
        """Return a value of the whole task, None where there is none.

        Raises:
            Exhausted: where a limit is met before.

        """
        whole = Aim(self.traced, tuple(self.traced.cells))
        pieces = self._pieces() if self.options.by_parts else []
        return self._selected(whole, pieces) if len(pieces) > 1 and self.grammar.has("select") else self._value(whole)

    def _pieces(self) -> list[tuple[Value, Aim]]:
        """Return the pieces of the task that have cells, with the masks of where they hold; none without masks."""
        scope = self.traced.scope
        found: list[tuple[Value, Aim]] = []
        for domain, _ in self.traced.task.conditions:
            held = [holding(domain, self.traced.task.axes, scope, at) for at in self.traced.sizes]
            own = [np.where(where, cells, FREE) for where, cells in zip(held, self.traced.cells, strict=True)]
            try:
                mask = mask_of(domain, scope)
            except LiftError:
                return []
            aim = Aim(self.traced, tuple(own))
            if not aim.counts:
                continue
            if mask is None:
                return []
            found.append((mask, aim))
        return found

    def _selected(self, whole: Aim, pieces: list[tuple[Value, Aim]]) -> Value | None:
        """Return a selection of values of the pieces, the largest first; one for several needs one mask less."""
        waiting = sorted(pieces, key=lambda piece: -piece[1].counts)
        found: list[tuple[list[Value], Value]] = []
        while waiting:
            value = self._value(waiting[0][1])
            if value is None:
                return None
            held = [piece for piece in waiting if piece[1].confirmed(value) is not None]
            found.append(([mask for mask, _ in held], value))
            waiting = [piece for piece in waiting if piece not in held]
        scope = self.traced.scope
        found.sort(key=lambda one: -len(one[0]))
        result = found[0][1]
        for masks, value in found[1:]:
            for mask in masks:
                result = scope.where_it_counts(mask, value, result)
        return whole.confirmed(result)

    def _value(self, aim: Aim) -> Value | None:
        if not aim.counts:
            return None
        if aim.key not in self._reached:
            applied = self._applied(aim) if self.options.by_parts else None
            self._reached[aim.key] = applied if applied is not None else self._enumerated(aim)
        return self._reached[aim.key]

    def _enumerated(self, aim: Aim) -> Value | None:
        return Enumeration(aim, self.grammar, self.options, self.statistics, self.leaves).found()

    def _applied(self, aim: Aim) -> Value | None:
        """Return a value that a function makes of those of its operands."""
        op = aim.function()
        if op is None or not self.grammar.has(op):
            return None
        scope = self.traced.scope
        values: list[Value] = []
        outside = scope.guard
        for position, operand in enumerate(aim.operands()):
            if op == "select" and position:  # an arm counts only where the condition says so
                holds = values[0] if position == 1 else scope.combined("not", values[0])
                scope.guard = holds if outside is None else scope.combined("and", outside, holds)
            value = self._value(operand)
            if value is None:
                break
            values.append(value)
        else:
            scope.guard = outside
            return aim.confirmed(scope.combined(op, *guarded_operands(op, values, scope)))
        scope.guard = outside
        return None


__all__ = ["Aim", "Goals"]
