"""The engine `sketch`: definitions become expressions by solving for the holes of sketches, after TENSORIZE.

    definition -> traced at small sizes -> goal -> search over sketches of the target's grammar -> expression
               -> the same nodes as the definition at two sets of sizes? -> statement

Shapes and subscripts are expressions of the sizes all along, and sizes that occur as values are symbols, so that a
solution at small sizes is a program for all.  The second set of sizes catches what holds by accident at the first,
above all numbers that happen to equal a size.  What comes out is a proposal: the emitted text is proved as any other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition
from tensorlift.synthesis.derive import assembled
from tensorlift.synthesis.grammar import grammar_of
from tensorlift.synthesis.sketch.goals import Goal, Library
from tensorlift.synthesis.sketch.parts import Parts
from tensorlift.synthesis.sketch.search import BUDGET, KINDS, Limits, Search, Statistics, show
from tensorlift.synthesis.symbolic.covering import Covering, Exhausted
from tensorlift.synthesis.symbolic.views import regions_of, views_of, windows_of

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.poly.affine import Affine
    from tensorlift.synthesis.derive.scope import Value
    from tensorlift.synthesis.grammar import Dialect, Grammar
    from tensorlift.synthesis.symbolic.covering import Traced
    from tensorlift.synthesis.symbolic.task import Task

_GOALS = 10  # more for each definition that is looked through
_FEW = 2  # definitions that algebra looks through
_MOST_TRIED = 12  # solutions of one definition


@dataclass(slots=True)
class Run:
    """What one run of the engine did, with sketches of some kinds.

    It fails where it is not done by ``deadline``, of `time.perf_counter`.
    """

    deadline: float = math.inf
    kinds: tuple[str, ...] = KINDS
    statistics: Statistics = field(default_factory=Statistics)
    derivations: list[str] = field(default_factory=list)


def sketch(summary: Summary, target: Dialect, run: Run | None = None, budget: int = BUDGET) -> TensorProgram:
    """Return a program that computes what the summary says; ``run`` gets the statistics.

    Raises:
        LiftError: TL311 where no sketch covers a definition, TL312 where the budget of goals is spent before.

    """
    grammar, record = grammar_of(target), run or Run()
    is_imported = bool(target.instances)
    cover = Covering(lambda traced, name: _find(traced, name, grammar, record, budget), is_compact=is_imported)
    if not is_imported:
        return assembled(summary, cover.statements)
    from tensorlift.synthesis.select import selection  # noqa: PLC0415 - loads the other engine, for imported dialects only

    return assembled(summary, cover.statements, select=selection(target))


def sketch_whole(summary: Summary, target: Dialect, run: Run | None = None, budget: int = BUDGET) -> TensorProgram:
    """Return a program whose outputs are solved from the parameters alone, through all definitions between.

    Raises:
        LiftError: as `sketch` does.

    """
    inner = {d.name: d for d in summary.items if isinstance(d, Definition)}
    if target.instances or len(inner) < len(summary.items):  # what a kept loop changes cannot be looked through
        return sketch(summary, target, run, budget)
    results = {name for _, name in summary.outputs} | {summary.result}
    outputs = tuple(d for d in inner.values() if d.name in results)
    grammar, record, parts = grammar_of(target), run or Run(), Parts()

    def find(traced: Traced, name: str) -> Value | None:
        value = _find(traced, name, grammar, record, budget)
        if value is not None:
            parts.find(value.expression, traced)
        return value

    return assembled(summary, Covering(find, inner).statements, items=outputs, divide=parts.named)


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


def _find(traced: Traced, name: str, grammar: Grammar, run: Run, budget: int) -> Value | None:
    """Return the value of a task, None where no sketch leads to one."""
    task, scope = traced.task, traced.scope
    known = (traced.graph, task, scope, traced.sizes[0])
    views, windows, regions = views_of(*known), windows_of(*known), regions_of(task, scope, traced.sizes[0])
    traced.graph.keeps_expressions = bool(task.inner)
    for spines in _ways(traced):
        limits = Limits(budget + _GOALS * len(task.looked_through), run.deadline, run.kinds)
        search = Search(Library(traced.graph, scope, views, windows, regions), grammar, limits, spines)
        try:
            for solved in islice(search.solutions(Goal(traced.cells[0], task.axes)), _MOST_TRIED):
                value = traced.confirmed(solved.value)
                if value is not None:
                    lines = show(solved.derivation, lambda goal: _described(goal, task), 1)
                    run.derivations.append("\n".join([name, *lines]))
                    return value
                search.statistics.backtracks += 1
        except Exhausted:
            if spines is not None:
                raise
        finally:
            run.statistics.add(search.statistics)
    return None


def _ways(traced: Traced) -> list[dict[Affine, int] | None]:
    """Return how to search: by algebra, then along the spines of sums; through many definitions along these at once."""
    task = traced.task
    spines = {extent: extent.evaluate(traced.sizes[0]) for extent in task.extents}
    return [None, spines] if len(task.looked_through) <= _FEW else [spines]


def _described(goal: Goal, task: Task) -> str:
    """Name a goal by its axes, those of sums by their extents."""
    if not goal.axes:
        return "a number"
    own = {index: chr(ord("i") + k) for k, index in enumerate(task.axes)}
    return f"[{', '.join(own.get(axis, axis) for axis in goal.axes)}]"


__all__ = ["KINDS", "Run", "sketch", "sketch_whole", "sketches"]
