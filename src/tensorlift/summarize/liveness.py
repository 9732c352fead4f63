"""Liveness: which local arrays are read after a loop before they are overwritten.

A local that a loop writes and that nobody reads afterwards needs no closed form.  For scalars the analysis is exact
along the control flow; a store to an element of an array leaves the others, so it ends no life; a declaration does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Statement, Store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import ArrayInfo


class Liveness:
    """For each loop and branch of a body, the arrays that live at its end."""

    def __init__(self, body: Block, arrays: Mapping[str, ArrayInfo]) -> None:
        """Analyse a body; at its end every parameter array lives."""
        self.arrays = arrays
        self.after: dict[Loop | Branch, frozenset[str]] = {}
        self._block(body, frozenset(name for name, info in arrays.items() if info.is_parameter))

    def extend(self, block: Block, live: frozenset[str]) -> None:
        """Analyse statements that take the place of others, at whose end ``live`` lives."""
        self._block(block, live)

    def exposed(self, loop: Loop) -> frozenset[str]:
        """Return the arrays whose values before an iteration may be read in it, or after the loop."""
        return self._block(loop.body, self.after[loop], record=False)

    def _block(self, block: Block, live: frozenset[str], *, record: bool = True) -> frozenset[str]:
        for statement in reversed(block):
            live = self._before(statement, live, record=record)
        return live

    def _before(self, statement: Statement, live: frozenset[str], *, record: bool) -> frozenset[str]:
        if isinstance(statement, Load):
            return live | {statement.array}
        if isinstance(statement, Store):
            return live if statement.indices else live - {statement.array}
        if isinstance(statement, Allocate):
            return live - {statement.array}
        if record:
            self.after[statement] = live
        if isinstance(statement, Branch):
            arms = (self._block(arm, live, record=record) for arm in (statement.then, statement.otherwise))
            return frozenset().union(*arms)
        # A second visit knows what the next iteration reads.
        entry = self._block(statement.body, live, record=record)
        return live | self._block(statement.body, live | entry, record=record)
