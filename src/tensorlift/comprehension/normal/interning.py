"""Tables and the budget of the normal form: numbers for equal structure, names for bound variables, a limit on work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable

    from tensorlift.comprehension.domain import Domain

# Monomials built and matches tried: for one question, a tenth of a second or two; for the long questions of a function
# together, a second; and for a question after that.
BUDGET = 8_000
ALLOWANCE = 20_000
LEAST = 600


class Undecided(Exception):  # noqa: N818 - an answer, not a failure
    """Raised where a question would take more work than the budget allows."""


class Tables:
    """What the normal form remembers between questions, and what is left of the time for those of a function."""

    def __init__(self) -> None:
        self.atoms: dict[tuple[Hashable, ...], Any] = {}
        self.signatures: dict[tuple[Hashable, ...], int] = {}
        self.equal: dict[tuple[int, int, Domain], bool] = {}  # of atoms, by number, at the points of a domain
        self.names = 0
        self.left = self.given = LEAST
        self.allowance = ALLOWANCE

    def begin(self) -> None:
        """Give a new question its budget, and charge the one before for what it took beyond the least."""
        self.allowance -= max(0, self.given - self.left - LEAST)
        self.given = self.left = max(LEAST, min(BUDGET, self.allowance))

    def clear(self) -> None:
        """Forget every atom, signature and name."""
        self.atoms.clear()
        self.signatures.clear()
        self.equal.clear()
        self.names = 0

    def renew(self) -> None:
        """Give the questions of another function their allowance."""
        self.left = self.given = LEAST
        self.allowance = ALLOWANCE


tables = Tables()


def signature(*parts: Hashable) -> int:
    """Return a number for the parts: equal parts, and only those, get the same one."""
    known = tables.signatures
    return known.setdefault(parts, len(known))


def unique_name() -> str:
    """Return a variable name that no term uses (terms get theirs from `names.fresh`, with one underscore)."""
    tables.names += 1
    return f"c__{tables.names}"


def spend(steps: int = 1) -> None:
    """Take from the budget of the present question.

    Raises:
        Undecided: where it is used up.

    """
    tables.left -= steps
    if tables.left < 0:
        raise Undecided
