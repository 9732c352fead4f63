"""The first half of the proof, where the language of a source has a literal reader: source = definitions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tensorlift import reading
from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import function_named
from tensorlift.ir.location import location_of
from tensorlift.proofs.source.check import check_source
from tensorlift.proofs.source.operations import Undecided
from tensorlift.proofs.source.places import places_of
from tensorlift.record import Level
from tensorlift.summarize.claims import claims_of

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
    try:
        literal = reading.literal_module(source)
    except LiftError:
        return FirstHalf(Level.TESTED, "there is no literal IR of this source")
    try:
        function = function_named(literal, view.name)
        check_source(
            function, summary, places_of(function, view, summary), claims_of(function, summary, view.literal_names)
        )
    except Undecided as answer:
        place = location_of(answer.at) if answer.at is not None else None
        return FirstHalf(Level.TESTED, f"{answer} ({place})" if place is not None else str(answer), literal)
    except LiftError as failure:
        return FirstHalf(Level.TESTED, str(failure), literal)
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        return FirstHalf(Level.TESTED, f"the checker failed: {type(error).__name__}", literal)
    return FirstHalf(Level.PROVED, literal=literal)
