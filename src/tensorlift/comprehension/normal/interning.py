"""Tables and the budget of the normal form: numbers for equal structure, names for bound variables, a limit on work."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from tensorlift.poly.domain import Domain


@dataclass(frozen=True)
class Purpose:
    """What questions are asked for, and how much work they may take: monomials built, matches tried, parts compared.

    One question may take its ``budget``, all of a function together the ``allowance``, and after that each ``least``.
    A float that is compared with itself ``may_be_nan``, unless all floats are numbers.
    """

    name: str
    budget: int
    allowance: int
    least: int
    may_be_nan: bool = True


FINDING = Purpose("finding", 8_000, 20_000, 600)  # a tenth of a second or two for one question, a second for all
PROVING = Purpose("proving", 8_000, 20_000, 600)  # a proof does not depend on what finding it took
PROVING_NUMBERS = replace(PROVING, may_be_nan=False)
TIDYING = Purpose("tidying", 500, 2_500, 20)  # an answer that is not found costs a longer program
MOST = 40_000  # for each loop of a function, many small questions included: some three seconds


class Undecided(Exception):  # noqa: N818 - an answer, not a failure
    """Raised where a question would take more work than the budget allows."""


class Tables:
    """What the normal form remembers between questions, and what the present one may take."""

    def __init__(self) -> None:
        self.atoms: dict[tuple[Hashable, ...], Any] = SESSION.table()
        self.signatures: dict[tuple[Hashable, ...], int] = SESSION.table()
        self.equal: dict[tuple[int, int, Domain], bool] = SESSION.table()  # of atoms, by number, in a domain
        self.purpose = FINDING
        self.left = FINDING.least

    @contextmanager
    def question(self) -> Iterator[None]:
        """Give a question its budget, and charge what it takes beyond the least."""
        purpose = self.purpose
        given = max(purpose.least, min(purpose.budget, purpose.allowance - SESSION.spent[purpose]))
        self.left = given
        try:
            yield
        finally:
            SESSION.spent[None] += given - self.left
            SESSION.spent[purpose] += max(0, given - self.left - purpose.least)

    def is_spent(self) -> bool:
        """Tell whether the questions about a function took all that they may: others will hardly be answered."""
        return SESSION.spent[None] >= MOST * SESSION.loops or any(
            SESSION.spent[each] >= each.allowance for each in (FINDING, PROVING)
        )


tables = Tables()


@contextmanager
def asking_for(purpose: Purpose) -> Iterator[None]:
    """Let questions take what they may for a purpose."""
    before, tables.purpose = tables.purpose, purpose
    try:
        yield
    finally:
        tables.purpose = before


def signature(*parts: Hashable) -> int:
    """Return a number for the parts: equal parts, and only those, get the same one."""
    known = tables.signatures
    return known.setdefault(parts, len(known))


def unique_name() -> str:
    """Return a variable name that no term uses (terms get theirs from `names.fresh`, with one underscore)."""
    return f"c__{next(SESSION.marks)}"


def spend(steps: int = 1) -> None:
    """Take from the budget of the present question.

    Raises:
        Undecided: where it is used up.

    """
    tables.left -= steps
    if tables.left < 0:
        raise Undecided
