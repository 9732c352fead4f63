"""Loops that begin at one of several places, as one over a colour does: ``1 + (j + color) % 2``.

What is claimed holds from wherever the counter starts that moves by the step: each of these places is a case by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.poly.affine import affine
from tensorlift.poly.polynomial import Polynomial
from tensorlift.proofs.source.claims import Advance
from tensorlift.proofs.source.frames import Exit, Frame, Outcome, under
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Cases, Undecided, Value

if TYPE_CHECKING:
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.source.claims import LoopClaim
    from tensorlift.proofs.source.execution import Execution


def run_from_starts(run: Execution, claim: LoopClaim, way: Exit, stop: int) -> tuple[int, Outcome | None]:
    """Decide the claim of a loop that is reached on a way, for each place where it may begin.

    Returns where control goes on.

    Raises:
        Undecided: where that is not shown, or no such place is known.

    """
    moving = Advance(Polynomial.of(affine(claim.step)))
    several = several_starts(claim, way)
    if several:
        return _run_cases(run, next(iter(several.items())), way, stop)
    start = next((start for phi, start in zip(claim.phis, way.passed, strict=True) if phi == moving), None)
    low = start.value.as_affine() if isinstance(start, Exact) and start.is_signed else None
    if low is None:
        raise Undecided("it is not known where the loop begins", run.flow.blocks[way.block].last_op)
    here = {array: [(domain & way.context, term) for domain, term in pieces] for array, pieces in claim.states.items()}
    return run.counted(replace(claim, lower=(low,), states=here), way, stop)


def several_starts(claim: LoopClaim, way: Exit) -> dict[int, Cases]:
    """Return what integers start from that start at one of several places, by their numbers."""
    found: dict[int, Cases] = {}
    for number, (phi, start) in enumerate(zip(claim.phis, way.passed, strict=True)):
        if isinstance(phi, Advance) and isinstance(start, Cases):
            left = tuple(piece for piece in start.pieces if not way.context.is_disjoint(piece[0]))
            if len(left) > 1:
                found[number] = Cases(left)
            else:
                way.passed[number] = (left or start.pieces)[0][1]
    return found


def _run_cases(run: Execution, counter: tuple[int, Cases], way: Exit, stop: int) -> tuple[int, Outcome | None]:
    """Run a loop from the first place where it may begin, and from the others, and choose between what is left."""
    number, start = counter
    (test, first), *others = ((domain, part) for domain, part in start.pieces if not way.context.is_disjoint(domain))
    rest = Cases((*others,)) if len(others) > 1 else others[0][1] if others else first
    end = run.meets(way.block, way.frame, stop)

    def arm(value: Value, frame: Frame, context: Domain) -> Outcome | None:
        given = [value if n == number else known for n, known in enumerate(way.passed)]
        return run.arm(Exit(way.block, given, frame, context), end) if not context.is_empty() else None

    frames = under(test, way.frame), under(test, way.frame, is_true=False)
    ended = arm(first, frames[0], way.context & test), arm(rest, frames[1], way.context - test)
    merged = run.merged(test, *ended, way.frame, end)
    reached = [frame for frame, found in zip(frames, ended, strict=True) if found is not None]
    for value in run.flow.values([way.block]) if reached else ():
        way.frame.values[value] = run.chosen(test, reached[0].values[value], reached[-1].values[value], value.type)
    return end, merged
