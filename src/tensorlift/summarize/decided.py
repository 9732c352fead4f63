"""Whether a source computes what its summary says: claims are made of its literal IR, and the checker decides them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import LiftError
from tensorlift.ir.function import function_named
from tensorlift.ir.location import location_of
from tensorlift.proofs.source.check import check_source
from tensorlift.proofs.source.operations import Undecided
from tensorlift.proofs.source.places import places_of
from tensorlift.summarize.claims import claims_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.function import FunctionView


class Decided(NamedTuple):
    """The literal IR of a source, None where it has none, and why it is not shown to compute what its summary says."""

    literal: ModuleOp | None
    undecided: str = ""


def decide(literally: Callable[[], ModuleOp], view: FunctionView, summary: Summary) -> Decided:
    """Read a function literally, and decide whether it computes what its summary says."""
    try:
        literal = literally()
    except LiftError:
        return Decided(None, "there is no literal IR of this source")
    try:
        function = function_named(literal, view.name)
        check_source(
            function, summary, places_of(function, view, summary), claims_of(function, summary, view.literal_names)
        )
    except Undecided as answer:
        place = location_of(answer.at) if answer.at is not None else None
        return Decided(literal, f"{answer} ({place})" if place is not None else str(answer))
    except LiftError as failure:
        return Decided(literal, str(failure))
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        return Decided(literal, f"the checker failed: {type(error).__name__}")
    return Decided(literal)
