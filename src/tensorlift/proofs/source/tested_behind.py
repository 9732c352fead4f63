"""Loops that test behind their body, as `do` does: it runs once at least, and the last iteration leaves the loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.poly.affine import affine
from tensorlift.poly.domain import less
from tensorlift.poly.polynomial import Polynomial
from tensorlift.proofs.source.frames import Entered, Frame, Outcome
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Undecided

if TYPE_CHECKING:
    from tensorlift.ir.regions import ControlFlow
    from tensorlift.proofs.source.execution import Execution


def _leaving(flow: ControlFlow, header: int) -> list[int]:
    """Return the blocks of a loop from which it is left."""
    inside = flow.loops[header].blocks
    return [block for block in inside if any(target not in inside for target in flow.successors[block])]


def is_tested_behind(flow: ControlFlow, header: int) -> bool:
    """Tell whether the only way out of a loop is from a block that leads back to its header, and is not that itself."""
    leaving = _leaving(flow, header)
    return len(leaving) == 1 and leaving != [header] and header in flow.successors[leaving[0]]


def require_last(loop: Entered, inner: Frame, after: Outcome) -> None:
    """Show that the body of a loop runs once at least, and that its last iteration, and no other, leaves it.

    Raises:
        Undecided: where that is not shown.

    """
    claim = loop.claim
    if not loop.context.implies(*(less(low, high) for low in claim.lower for high in claim.upper)):
        raise Undecided("a loop that tests after its body may run once too often", loop.last)
    goes_on = claim.below.substitute({claim.variable: affine(claim.variable) + claim.step})
    if len(inner.exits) != 1 or inner.exits[0].frame.state.pieces != after.state.pieces:
        raise Undecided("the loop may be left early", loop.last)
    if not inner.exits[0].context.is_disjoint(goes_on) or not after.context.is_subset(goes_on):
        raise Undecided("the loop does not end where it is claimed to", loop.last)


def left_behind(run: Execution, loop: Entered, inner: Frame, frame: Frame) -> tuple[int, Outcome]:
    """Leave a loop: say what is known of its last iteration, and of what it hands on.

    Raises:
        Undecided: where the loop has several bounds, or steps over its end.

    """
    claim, (way,) = loop.claim, inner.exits
    if len(claim.upper) > 1 or claim.step != 1:
        raise Undecided("it is not known which iteration of the loop is the last", loop.last)
    ends, last = run.ends(loop, frame), {claim.variable: Polynomial.of(claim.upper[0] - 1)}
    for value, known in way.frame.values.items():
        if isinstance(known, Exact):
            frame.values[value] = Exact(known.value.substitute(last), known.is_signed)
    for target, operands in run.flow.edges(_leaving(run.flow, claim.header)[0]):
        if target == claim.header:
            frame.values.update({operands[number]: ends[number] for _, _, number in loop.phis()})
    block, operands = run.way_out(claim.header, is_search=False)
    return block, Outcome(frame.all(operands), frame.state, loop.context)
