"""How the source leaves a loop: by its own condition, or by a jump, which the loop is refused for where it stays one.

Readers name places: the branches that a loop's condition makes, and jumps by their keyword.  An edge that leaves a loop
otherwise than by its condition leads to the jump, maybe after what the source does before that.  A loop that jumps back
by ``goto`` is made by jumps itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.location import CONDITION, location_of, name_of
from tensorlift.normalise.edit import last_of
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.ir.regions import ControlFlow

_REASONS = {"break": "break", "return": "return-in-loop", "goto": "goto"}


def left_by_jumps(flow: ControlFlow) -> dict[Block, Diagnostic]:
    """Return the refusals of the loops that jumps leave, or make, by their headers."""
    found: dict[Block, Diagnostic] = {}
    for header, loop in flow.loops.items():
        jump = _back(flow, header) or _out(flow, loop.blocks)
        if jump is None:
            continue
        diagnostic = refusal(_REASONS.get(name_of(jump), "goto"), location_of(jump)).diagnostics[0]
        block = flow.blocks[header]
        found[block] = diagnostic
        if block.first_op is block.last_op:  # it only jumps on, and jumps will pass it by
            found.setdefault(last_of(block).successors[0], diagnostic)
    return found


def _back(flow: ControlFlow, header: int) -> Operation | None:
    """Return how a label is entered that ``goto`` jumps back to."""
    loop = flow.loops[header]
    leading = [b for b, targets in enumerate(flow.successors) if header in targets]
    if all(name_of(last_of(flow.blocks[b])) != "goto" for b in leading if b in loop.blocks):
        return None
    return next(last_of(flow.blocks[b]) for b in leading if b not in loop.blocks)


def _out(flow: ControlFlow, inside: frozenset[int]) -> Operation | None:
    """Return the first jump out of a loop."""
    for block in sorted(inside):
        if name_of(last_of(flow.blocks[block])) == CONDITION:
            continue
        for target in flow.successors[block]:
            jump = _first_jump(flow, target) if target not in inside else None
            if jump is not None:
                return jump
    return None


def _first_jump(flow: ControlFlow, start: int) -> Operation | None:
    """Return the first jump on the way from a block."""
    reached = [start]
    for block in reached:
        end = last_of(flow.blocks[block])
        if name_of(end) in _REASONS:
            return end
        reached += [target for target in flow.successors[block] if target not in reached]
    return None
