"""The engine `enumerate`: all programs of the target's grammar, shortest first, after mlirSynth.

    definition -> traced at small sizes -> leaves -> candidates with 1, 2, .. operations, by the block -> expression
               -> the same nodes as the definition at two sets of sizes? -> statement

Candidates are values of the field in the graph's sense, so that they are compared with the definition exactly, and no
operation of the target is ever run.  What comes out is a proposal: the emitted text is proved as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.synthesis.derive import assembled
from tensorlift.synthesis.enumerate.goals import Goals
from tensorlift.synthesis.enumerate.imported import found_imported
from tensorlift.synthesis.enumerate.levels import Options, Statistics
from tensorlift.synthesis.grammar import grammar_of
from tensorlift.synthesis.symbolic.covering import ANOTHER, Covering
from tensorlift.synthesis.symbolic.points import Untraceable

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.synthesis.derive.scope import Value
    from tensorlift.synthesis.grammar import Dialect
    from tensorlift.synthesis.symbolic.covering import Traced

_PLAIN = Options()


def enumerated(
    summary: Summary, target: Dialect, statistics: Statistics | None = None, options: Options = _PLAIN
) -> TensorProgram:
    """Return a program that computes what the summary says; ``statistics`` are added to.

    Raises:
        LiftError: TL311 where no program with so many operations computes a definition, TL312 where the budget of
            candidates is spent before.

    """
    grammar, record = grammar_of(target), statistics or Statistics()
    begun = options.begun(record)

    def find(traced: Traced, _: str) -> Value:
        if target.instances:
            found = found_imported(traced, target, begun, record)
        else:
            found = Goals(traced, grammar, begun, record).reached()
        if found is None:
            error = Untraceable(
                f"no program of up to {options.operations} operations that the engine tries computes it"
            )
            error.remedy = f"allow more with --limits operations={options.operations + 1}, or {ANOTHER}"
            raise error
        return found

    cover = Covering(find, is_compact=bool(target.instances))
    return assembled(summary, cover.statements)


__all__ = ["Options", "Statistics", "enumerated"]
