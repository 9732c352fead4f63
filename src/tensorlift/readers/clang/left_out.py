"""Arms of conditions that are not read: what is lifted does not come to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Diagnostic


@dataclass(slots=True)
class LeftOut:
    """The arms of conditions that are not read, and why: what is lifted does not come to them.

    An arm that cannot be read is left out where it calls a function, and no loop is around it or in it.  All is then
    read once more, as what functions take depends on what they do, and ends there.  ``arms`` are those of all
    functions, ``asserted`` are statements that only assert what cannot be read, which callers guarantee.  ``inside``
    are the arms of a function that are being read, and ``calls`` those that others are called in.  ``rest`` is what
    follows where a function has returned its parameter as it is: all of that is left out where an arm in it makes
    memory longer, as in ``if (n == x->dim) return x; if (n > x->max_dim) x->ve = realloc(..); x->dim = n; return x;``.
    """

    arms: dict[int, tuple[Diagnostic, ...]]
    asserted: set[int]
    inside: list[int] = field(default_factory=list)
    calls: dict[str, set[int | None]] = field(default_factory=dict)
    rest: Sequence[Any] = ()
    hoped: list[tuple[int, str]] = field(default_factory=list)  # arms of what is refused, with what they call

    def note_call(self, symbol: str) -> None:
        """Note that a function is called in the arm that is being read, if it is one."""
        self.calls.setdefault(symbol, set()).add(self.inside[-1] if self.inside else None)

    def leave_out_calls(self, symbol: str, reason: tuple[Diagnostic, ...]) -> bool:
        """Leave out the arms in which a function is called; tell whether all its calls are in such arms."""
        arms = self.calls.get(symbol, {None})
        if None in arms:
            return False
        self.arms |= {arm: reason for arm in arms if arm is not None}
        return True


class LeavesOutError(Exception):
    """An arm of a condition was found that cannot be read, and may be left out."""
