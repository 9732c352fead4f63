"""One loop that is a nest: ``i`` below ``h * w`` is ``y * w + x`` for ``y`` below ``h`` and ``x`` below ``w``.

An iteration over the outer variable is then all iterations over the inner one, from the header back to the header, and
nothing of the loop itself is run where the one over the inner variable ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.proofs.source.frames import Entered, Frame, Outcome
from tensorlift.proofs.source.operations import Undecided

if TYPE_CHECKING:
    from tensorlift.proofs.source.claims import LoopClaim
    from tensorlift.proofs.source.execution import Execution


def run_nest(run: Execution, claim: LoopClaim, around: Entered, frame: Frame) -> Outcome:
    """Decide what is claimed of the iterations over an inner variable; return what they leave.

    Raises:
        Undecided: where that is not shown.

    """
    if claim.header != around.claim.header or claim.item is not None:
        raise Undecided("what is claimed of the nest is not of this loop", around.last)
    loop = run.entered(claim, around.before, frame, around.iterations)
    if not loop.iterations.is_empty():
        inner, after = run.iteration(loop, frame)
        if inner.exits:
            raise Undecided("the nest may be left early", loop.last)
        frame.state.apply(run.checked(loop, after, inner), loop.entry | inner.outer)
    return Outcome(run.ends(loop, frame), frame.state, around.iterations)
