"""The search: a goal is looked up, or taken apart by a sketch whose holes are goals again.

    goal -> constant axes dropped -> known?
         -> sketches: by arrays (algebra), by functions and folds, by regions
         -> those whose holes are known first, then by the complexity of the holes
         -> the first whose holes are all solved

A goal that is being solved is no hole of itself.  Solutions and failures are remembered; a failure only where no goal
in progress was met on the way.  The search ends with its budget of goals, which is a number and no time, so that the
same input always gives the same program; where it was given a time too, it fails when that is over.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import Expression
from tensorlift.synthesis.sketch.algebra import Peeling
from tensorlift.synthesis.sketch.goals import Candidate, Goal, Key, score, without_constant_axes
from tensorlift.synthesis.sketch.structure import Spines, Structure
from tensorlift.synthesis.symbolic.covering import Exhausted
from tensorlift.synthesis.symbolic.graph import Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tensorlift.poly.affine import Affine
    from tensorlift.synthesis.derive.scope import Value
    from tensorlift.synthesis.grammar import Grammar
    from tensorlift.synthesis.sketch.goals import Library

PATTERNS, ALGEBRA = KINDS = ("patterns", "algebra")  # of sketches
BUDGET = 200  # goals
_MOST_WORK = 200_000  # pairs of a goal's cell and an array's, each a derivative at most
_DEEPEST = 400
_SMALL = 3  # symbols of data in a cell
_FEW = 12  # goals for one that is small
_MASKED = 2.0  # a penalty
_ARRAYS = 64  # views that are tried for one goal

_Memo = tuple[Key, Expression | None]


@dataclass(slots=True)
class Statistics:
    """What a search did: goals, sketches given up, goals that were known or solved by a sketch, sketches proposed.

    Of the sketches that solved a goal, so many are ``algebraic``; the others match how its nodes were made.
    """

    steps: int = 0
    backtracks: int = 0
    matched: int = 0
    solved: int = 0
    algebraic: int = 0
    candidates: int = 0

    def add(self, other: Statistics) -> None:
        """Count what another search did."""
        self.steps += other.steps
        self.backtracks += other.backtracks
        self.matched += other.matched
        self.solved += other.solved
        self.algebraic += other.algebraic
        self.candidates += other.candidates


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may take: goals, time until a moment of `time.perf_counter`, sketches of these kinds."""

    goals: int = BUDGET
    deadline: float = math.inf
    kinds: tuple[str, ...] = KINDS


_PLAIN = Limits()


@dataclass(slots=True)
class Derivation:
    """How a goal was solved: the sketch, and how its holes were."""

    tag: str
    goal: Goal
    holes: list[Derivation] = field(default_factory=list)


@dataclass(slots=True)
class Solved:
    """A solution: its value and where it comes from."""

    value: Value
    derivation: Derivation


class Search:
    """Solves goals over one library; where it is given the extents of ``spines``, it follows these before all."""

    def __init__(
        self,
        library: Library,
        grammar: Grammar,
        limits: Limits = _PLAIN,
        spines: Mapping[Affine, int] | None = None,
    ) -> None:
        self.library = library
        self.graph = library.graph
        self.scope = library.scope
        self.peeling = Peeling(library, grammar)
        self.structure = Structure(library, grammar)
        self.spines = Spines(self.structure, spines or {})
        self.statistics = Statistics()
        self.follows = spines is not None
        self.budget = limits.goals
        self.deadline = limits.deadline
        self.kinds = limits.kinds
        self._work = 0
        self._cells = sum(view.nodes.size for view in library.views)
        self._memo: dict[_Memo, Solved | None] = {}
        self._open: set[_Memo] = set()
        self._met_open = False

    def solutions(self, goal: Goal) -> Iterator[Solved]:
        """Yield solutions of a goal, the best first; each takes another sketch at the root.

        Raises:
            Exhausted: where the budget is spent.

        """
        goal = without_constant_axes(goal)
        known = self._lookup(goal)
        if known is not None:
            yield known
            return
        self._spend()
        self._open.add((goal.key, None))
        if self.follows:
            tried = self._tried(goal, None, 0)
            yield from () if tried is None else (tried,)
            return
        for candidate in self._ordered(goal):
            solved = self._filled(goal, candidate, None, 0)
            if solved is not None:
                yield solved

    def solve(self, goal: Goal, guard: Value | None, depth: int) -> Solved | None:
        """Return a solution of a goal, None where there is none."""
        goal = without_constant_axes(goal)
        unguarded = self._memo.get((goal.key, None))
        if unguarded is not None:  # what is computed everywhere needs no guard in one arm
            return unguarded
        key = (goal.key, None if guard is None else guard.expression)
        if key in self._memo:
            return self._memo[key]
        known = self._lookup(goal)
        if known is not None:
            return known
        if key in self._open or depth > _DEEPEST:
            self._met_open = True
            return None
        self._spend()
        met, self._met_open = self._met_open, False
        self._open.add(key)
        found = self._tried(goal, guard, depth)
        self._open.discard(key)
        if found is not None or not self._met_open:
            self._memo[key] = found
        self._met_open = self._met_open or met
        return found

    def _tried(self, goal: Goal, guard: Value | None, depth: int) -> Solved | None:
        """Return the first sketch that is solved; algebra on a small goal of a large program has a small budget."""
        if not self.follows:
            return self._first(goal, self._ordered(goal), guard, depth)
        found = self._first(goal, self._ranked(list(self.spines.candidates(goal))), guard, depth)
        if found is not None or score(goal, self.graph) > _SMALL:
            return found
        whole, self.budget = self.budget, min(self.budget, self.statistics.steps + _FEW)
        try:
            return self._first(goal, self._ordered(goal), guard, depth)
        except Exhausted:
            if self.statistics.steps > whole or self._work > _MOST_WORK:
                raise
            return None
        finally:
            self.budget = whole

    def _first(self, goal: Goal, candidates: Iterable[Candidate], guard: Value | None, depth: int) -> Solved | None:
        filled = (self._filled(goal, candidate, guard, depth) for candidate in candidates)
        return next((solved for solved in filled if solved is not None), None)

    def _spend(self) -> None:
        self.statistics.steps += 1
        if self.statistics.steps > self.budget or self._work > _MOST_WORK:
            raise Exhausted(f"{min(self.statistics.steps, self.budget)} goals")
        if time.perf_counter() > self.deadline:
            raise Exhausted("its time")

    def _lookup(self, goal: Goal) -> Solved | None:
        value = self.library.lookup(goal)
        if value is None:
            return None
        self.statistics.matched += 1
        return Solved(value, Derivation("known", goal))

    def _filled(self, goal: Goal, candidate: Candidate, guard: Value | None, depth: int) -> Solved | None:
        """Solve the holes of a sketch and build its expression."""
        solved: list[Solved] = []
        for hole in candidate.holes:
            inside = self._inside(candidate, [part.value for part in solved], guard)
            part = self.solve(hole, inside, depth + 1)
            if part is None:
                self.statistics.backtracks += 1
                return None
            solved.append(part)
        outside, self.scope.guard = self.scope.guard, guard
        value = candidate.build([part.value for part in solved])
        self.scope.guard = outside
        if value is None:
            self.statistics.backtracks += 1
            return None
        self.statistics.solved += 1
        self.statistics.algebraic += candidate.is_algebraic
        return Solved(value, Derivation(candidate.tag, goal, [part.derivation for part in solved]))

    def _inside(self, candidate: Candidate, solved: list[Value], guard: Value | None) -> Value | None:
        """Return where the next hole of a sketch counts."""
        if candidate.mask is not None:
            return self._guard(candidate.mask, len(solved) + 1, guard)
        return self._guard(solved[0], len(solved), guard) if candidate.is_guarded and solved else guard

    def _guard(self, condition: Value, position: int, guard: Value | None) -> Value:
        """Return where an arm of a selection counts, the first at position 1."""
        own = condition if position == 1 else self.scope.combined("not", condition)
        return own if guard is None else self.scope.combined("and", guard, own)

    # -- sketches

    def _ordered(self, goal: Goal) -> list[Candidate]:
        """Return the sketches for a goal in the order in which they are tried."""
        self._work += goal.nodes.size * self._cells
        return self._ranked(list(self._candidates(goal)))

    def _ranked(self, proposed: list[Candidate]) -> list[Candidate]:
        found = [c for c in proposed if (ALGEBRA if c.is_algebraic else PATTERNS) in self.kinds]
        self.statistics.candidates += len(found)
        ranked = [(self._rank(candidate), position) for position, candidate in enumerate(found)]
        return [found[position] for _, position in sorted(ranked)]

    def _rank(self, candidate: Candidate) -> tuple[int, float, int]:
        holes = [without_constant_axes(hole) for hole in candidate.holes]
        unknown = [h for h in holes if self._memo.get((h.key, None)) is None and self.library.lookup(h) is None]
        tier = 0 if candidate.is_first else 1 + bool(unknown)
        penalty = candidate.penalty + _MASKED * sum(map(self._is_masked, holes))
        return tier, penalty + sum(score(hole, self.graph) for hole in holes), len(holes)

    def _is_masked(self, hole: Goal) -> bool:
        """Tell whether a sketch would mask by a product with zero what the source's conditions could select."""
        zeros = {not self.graph.value[node] for _, node in hole.wanted} if self.library.regions else ()
        return len(zeros) > 1

    def _candidates(self, goal: Goal) -> Iterator[Candidate]:
        if not goal.wanted:
            return
        function = self.structure.function(goal)
        yield from self.structure.folds(goal)
        if function is not None and self.graph.is_opaque(goal.wanted[0][1]):
            yield function
            return
        yield from self.structure.regions(goal)
        support = goal.support(self.graph)
        for view in [*self.library.scalars(), *self.library.views][:_ARRAYS]:
            if any(self.graph.bit.get(int(node), 0) & support for node in view.nodes.flat):
                yield from _algebraic(self.peeling.candidates(goal, view))
        for inner in self.structure.hidden(goal):
            with suppress(Undefined):
                yield from list(_algebraic(self.peeling.hidden(goal, inner)))
        if function is not None:
            yield function


def _algebraic(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    return (candidate._replace(is_algebraic=True) for candidate in candidates)


def show(derivation: Derivation, name_of: Callable[[Goal], str], depth: int = 0) -> Iterator[str]:
    """Yield the lines of a derivation tree, a hole below its sketch."""
    yield f"{'  ' * depth}{derivation.tag} for {name_of(derivation.goal)}"
    for hole in derivation.holes:
        yield from show(hole, name_of, depth + 1)
