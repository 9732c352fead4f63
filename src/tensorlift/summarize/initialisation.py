"""Refuses programs that read a local variable before anything was written to it.

The statements are followed along the control flow with the locals that no statement before has written, on any path.
What a loop's body runs in each iteration reads them in the first one.  Under a condition inside, a local counts as
written that any other statement of the loop writes: an earlier iteration may have been there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Store, walk

if TYPE_CHECKING:
    from tensorlift.summarize.program import Program

_REMEDY = "initialise it where it is declared"


def require_initialised(program: Program) -> None:
    """Check every load of a local.

    Raises:
        LiftError: TL204 where one reads a local that nothing has written yet.

    """
    if any(not info.is_parameter for info in program.arrays.values()):
        _block(program.body, frozenset(), frozenset())


def _block(block: Block, unwritten: frozenset[str], by_others: frozenset[str]) -> frozenset[str]:
    """Return the locals still unwritten after a block; ``by_others`` are those that iterations before may write."""
    for statement in block:
        if isinstance(statement, Allocate):
            unwritten |= {statement.array}
        elif isinstance(statement, Store):
            unwritten -= {statement.array}
        elif isinstance(statement, Load) and statement.array in unwritten:
            message = f"{statement.array} is read here, and nothing was written to it before"
            raise refuse("TL204", message, statement.location, _REMEDY)
        elif isinstance(statement, Branch):
            inside = unwritten - by_others
            arms = [_block(arm, inside, by_others) for arm in (statement.then, statement.otherwise)]
            written = frozenset().union(*(_written(arm) for arm in (statement.then, statement.otherwise)))
            unwritten = (unwritten - written) | (arms[0] & arms[1])
        elif isinstance(statement, Loop):
            unwritten = _block(statement.body, unwritten, by_others | _written(statement.body))
    return unwritten


def _written(block: Block) -> frozenset[str]:
    return frozenset(s.array for s in walk(block) if isinstance(s, Store))
