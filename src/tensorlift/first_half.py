"""The first half of the proof, where the language of a source has a literal reader: source = definitions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tensorlift import reading
from tensorlift.poly.isl import together
from tensorlift.record import Level
from tensorlift.summarize.claims import decide

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.comprehension.definition import Summary
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir.function import FunctionView


class FirstHalf(NamedTuple):
    """How far it is known that definitions are what the source computes, and why not further.

    ``literal`` is the literal IR of the source, None where its language has no literal reader, or that refuses it.
    """

    level: Level
    undecided: str = ""
    literal: ModuleOp | None = None


def decide_first_half(source: ReadFunction, view: FunctionView, summary: Summary) -> FirstHalf:
    """Decide whether a function computes what its summary says: it is ``proved``, or only ``tested``."""
    with together():
        found = decide(partial(reading.literal_module, source), view, summary)
    return FirstHalf(Level.TESTED if found.undecided else Level.PROVED, found.undecided, found.literal)
