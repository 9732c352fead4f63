"""The engine `enumerate`: all programs of the target's grammar, shortest first, after mlirSynth.

    definition -> traced at small sizes -> leaves -> candidates with 1, 2, .. operations, by the block -> expression
               -> the same nodes as the definition at two sets of sizes? -> statement

Candidates are values of the field in the graph's sense, so that they are compared with the definition exactly, and no
operation of the target is ever run.  What comes out is a proposal: the emitted text is proved as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.synthesis.derive import assembled
from tensorlift.synthesis.enumerate.imported import found_imported
from tensorlift.synthesis.enumerate.search import Enumeration, Options, Statistics
from tensorlift.synthesis.grammar import grammar_of
from tensorlift.synthesis.symbolic.covering import Covering

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

    def find(traced: Traced, _: str) -> Value | None:
        if target.instances:
            return found_imported(traced, target, options, record)
        return Enumeration(traced, grammar, options, record).found()

    cover = Covering(find, is_compact=bool(target.instances))
    return assembled(summary, cover.statements)


__all__ = ["Options", "Statistics", "enumerated"]
