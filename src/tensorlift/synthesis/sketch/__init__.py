"""The engine `sketch`: definitions become expressions by solving for the holes of sketches, after TENSORIZE.

    definition -> traced at small sizes -> goal -> search over sketches of the target's grammar -> expression
               -> the same nodes as the definition at two sets of sizes? -> statement

Shapes and subscripts are expressions of the sizes all along, and sizes that occur as values are symbols, so that a
solution at small sizes is a program for all.  The second set of sizes catches what holds by accident at the first,
above all numbers that happen to equal a size.  What comes out is a proposal: the emitted text is proved as any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.comprehension.domain import UNIVERSE
from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import Assign
from tensorlift.synthesis.derive import assembled
from tensorlift.synthesis.derive.pieces import PieceLowering
from tensorlift.synthesis.grammar import grammar_of
from tensorlift.synthesis.sketch.generalise import at_numbers, with_sizes
from tensorlift.synthesis.sketch.goals import Goal
from tensorlift.synthesis.sketch.library import Library
from tensorlift.synthesis.sketch.search import BUDGET, Exhausted, Search, Solved, Statistics, show
from tensorlift.synthesis.symbolic.graph import Graph, Undefined
from tensorlift.synthesis.symbolic.meaning import Meaning
from tensorlift.synthesis.symbolic.points import Untraceable, small_sizes
from tensorlift.synthesis.symbolic.task import Task
from tensorlift.synthesis.symbolic.trace import FREE, trace
from tensorlift.synthesis.symbolic.views import views_of

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Definition, Summary
    from tensorlift.comprehension.terms import Term
    from tensorlift.ir.tensor_program import Expression, Statement, TensorProgram
    from tensorlift.synthesis.derive.lower import DiesHere
    from tensorlift.synthesis.derive.scope import Scope, Value
    from tensorlift.synthesis.grammar import Dialect, Grammar
    from tensorlift.synthesis.symbolic.trace import Nodes

_LEAST = (3, 4)  # the least size in each of the two traces
_MOST_TRIED = 12  # solutions of one definition


@dataclass(slots=True)
class Run:
    """What one run of the engine did."""

    statistics: Statistics = field(default_factory=Statistics)
    derivations: list[str] = field(default_factory=list)


def sketch(summary: Summary, target: Dialect, run: Run | None = None, budget: int = BUDGET) -> TensorProgram:
    """Return a program that computes what the summary says; ``run`` gets the statistics.

    Raises:
        LiftError: TL311 where no sketch covers a definition, TL312 where the budget of goals is spent before.

    """
    engine = _Engine(grammar_of(target), run or Run(), budget)
    return assembled(summary, engine.statements)


def sketches(summary: Summary, target: Dialect) -> str:
    """Return how the engine solves each definition, as trees of sketches over their holes, with what the search did.

    Raises:
        LiftError: as `sketch` does.

    """
    run = Run()
    sketch(summary, target, run)
    numbers = run.statistics
    counts = f"{numbers.steps} goals, {numbers.candidates} sketches, {numbers.solved} solved, {numbers.matched} known"
    return "\n".join([f"function {summary.name}", *run.derivations, f"# {counts}, {numbers.backtracks} given up", ""])


class _Engine:
    """Covers the definitions of one program."""

    def __init__(self, grammar: Grammar, run: Run, budget: int) -> None:
        self.grammar = grammar
        self.run = run
        self.budget = budget

    def statements(self, definition: Definition, scope: Scope, dies_here: DiesHere) -> list[Statement]:
        """Return the statements that compute a definition; pieces that are boxes are solved one by one."""
        try:
            boxes = PieceLowering(definition, replace(scope, evaluate=self._evaluated), dies_here)
            if boxes.is_in_boxes:
                return boxes.statements()
            value = self._solved(
                Task(definition.pieces, scope.spans, scope.domain, scope.shapes), scope, definition.name
            )
            return [Assign(definition.name, whole(value, definition, scope), definition.name)]
        except (Untraceable, Undefined) as error:
            message = f"{definition.array}: {error or 'a division by zero at small sizes'}"
            raise refuse("TL311", message, definition.location, "use another engine") from None
        except Exhausted:
            message = f"{definition.array}: no program was found within {self.budget} goals"
            raise refuse("TL312", message, definition.location, "use another engine") from None

    def _evaluated(self, term: Term, scope: Scope) -> Value:
        """Return the value of a term in a box."""
        return self._solved(Task(((UNIVERSE, term),), scope.spans, scope.domain, scope.shapes), scope, "a part")

    def _solved(self, task: Task, scope: Scope, name: str) -> Value:
        graph = Graph()
        sizes = [small_sizes(task.symbols, task.domain, task.extents, least) for least in _LEAST]
        traces = [trace(graph, task, at) for at in sizes]
        inside = replace(scope, spans=dict(task.spans), memo={})
        library = Library(graph, inside, views_of(graph, task, inside, sizes[0]))
        search = Search(library, self.grammar, self.budget)
        try:
            for solved in islice(search.solutions(Goal(traces[0], task.axes)), _MOST_TRIED):
                for value in (solved.value, *with_sizes(solved.value, sizes[0], inside.build)):
                    expression = inside.aligned(value, task.axes)
                    is_generalised = value is not solved.value
                    tests = zip(sizes, traces, strict=True)
                    if all(_holds(graph, expression, at, wanted, counts=is_generalised) for at, wanted in tests):
                        self._note(name, solved, task)
                        return value
                search.statistics.backtracks += 1
        finally:
            self.run.statistics.add(search.statistics)
        raise Untraceable("no sketch of the target's operations covers it")

    def _note(self, name: str, solved: Solved, task: Task) -> None:
        lines = show(solved.derivation, lambda goal: _described(goal, task), 1)
        self.run.derivations.append("\n".join([name, *lines]))


def whole(value: Value, definition: Definition, scope: Scope) -> Expression:
    """Give a value the type and the whole shape of a definition."""
    expression = scope.build.cast(scope.aligned(value, definition.indices), definition.dtype)
    if definition.shape and not value.axes:
        return scope.build.full(expression, definition.shape, definition.dtype)
    return scope.build.broadcast(expression, definition.shape)


def _holds(graph: Graph, value: Expression, sizes: dict[str, int], wanted: Nodes, *, counts: bool) -> bool:
    """Tell whether an expression has the wanted nodes at some sizes, in every cell that counts.

    With ``counts`` sizes are the numbers that they are there, and no symbols.
    """
    try:
        found = np.broadcast_to(Meaning(graph, sizes).of(value), wanted.shape)
    except (Undefined, ValueError, IndexError):
        return False
    if counts:
        found, wanted = (at_numbers(graph, nodes, sizes) for nodes in (found, wanted))
    return bool(((found == wanted) | (wanted == FREE)).all())


def _described(goal: Goal, task: Task) -> str:
    """Name a goal by its axes, those of sums by their extents."""
    if not goal.axes:
        return "a number"
    own = {index: chr(ord("i") + k) for k, index in enumerate(task.axes)}
    return f"[{', '.join(own.get(axis, axis) for axis in goal.axes)}]"


__all__ = ["Run", "sketch", "sketches"]
