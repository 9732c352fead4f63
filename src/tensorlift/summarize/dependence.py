"""Dependences between accesses of a loop's body, decided by isl for all sizes.

Two accesses to one array, one of them a store, conflict where some iterations of both touch the same cell.  The loop
*carries* the conflict where the iterations differ; the earlier one is then the source of the dependence.  Subscripts
``i + a`` and ``i + b`` decide most of it without isl (Goff, Kennedy and Tseng, "Practical Dependence Testing", 1991).

Liveness: which local arrays are read after a loop before they are overwritten.

A local that a loop writes and that nobody reads afterwards needs no closed form.  For scalars the analysis is exact
along the control flow; a store to an element of an array leaves the others, so it ends no life; a declaration does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Constraint, Domain, equal, less
from tensorlift.poly.names import fresh, image
from tensorlift.session import SESSION
from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Statement, Store, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.diagnostics import Location


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
        return self._block(loop.body, self.after[loop] | _asked(loop), record=False) | _asked(loop)

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
        live |= _asked(statement)
        entry = self._block(statement.body, live, record=record)
        return live | self._block(statement.body, live | entry, record=record)


def _asked(loop: Loop) -> frozenset[str]:
    """Return what a loop asks before each iteration."""
    return frozenset[str]() if loop.goes_on is None else frozenset({loop.goes_on})


MOST_PAIRS = 10000  # of accesses to one array, which are all compared


@dataclass(frozen=True, eq=False)
class Access:
    """A load or store at the points of a domain; ``variables`` are the loops around it inside the loop looked at."""

    array: str
    indices: tuple[Affine, ...]
    writes: bool
    domain: Domain
    variables: tuple[str, ...]
    location: Location | None

    @cached_property
    def others(self) -> tuple[Affine, ...]:
        """The indices in another iteration, by the names of its variables."""
        values = {name: Affine.var(image(name)) for name in self.variables}
        return tuple(index.substitute(values) for index in self.indices)


def accesses(block: Block, domain: Domain, variables: tuple[str, ...]) -> Iterator[Access]:
    """Yield the accesses of a block in textual order."""
    for statement in block:
        yield from accesses_of(statement, domain, variables)


def accesses_of(s: Statement, domain: Domain, variables: tuple[str, ...]) -> Iterator[Access]:
    """Yield the accesses of a statement in textual order; a condition on data holds or not."""
    if isinstance(s, Load | Store):
        yield Access(s.array, s.indices, isinstance(s, Store), domain, variables, s.location)
    elif isinstance(s, Loop):
        if s.goes_on is not None:
            yield Access(s.goes_on, (), False, domain, variables, s.location)  # noqa: FBT003 - it is read
        yield from accesses(s.body, domain & s.domain(), (*variables, s.variable))
    elif isinstance(s, Branch):
        yield from accesses(s.then, s.then_domain(domain), variables)
        yield from accesses(s.otherwise, s.otherwise_domain(domain), variables)


class Conflict:
    """The points at which two accesses touch one cell: the first by its own variables, the second by renamed ones."""

    def __init__(self, first: Access, second: Access, variable: str) -> None:
        self.variable = variable
        self.image = image(variable)
        self._accesses = first, second
        self._differences = [left - right for left, right in zip(first.indices, second.others, strict=True)]

    def points(self, order: Constraint) -> Domain:
        """Return the points of both accesses at which the subscripts are the same, of iterations in some order."""
        first, second = self._accesses
        same = [Constraint(d, is_equality=True) for d in self._differences]
        return _pairs(first.domain, second.domain, second.variables) & Domain.of(*same, order)

    @cached_property
    def _later(self) -> Fraction | None:
        """How much later the second access is, where a pair of subscripts says so (the strong SIV test)."""
        for difference in self._differences:
            coefficient = difference.coefficient(self.variable)
            apart = Affine(difference.constant, {self.variable: coefficient, self.image: -coefficient})
            if coefficient and difference == apart:
                return Fraction(difference.constant, coefficient)
        return None

    def forward(self) -> bool:
        """Tell whether an earlier iteration of the first access conflicts with a later one of the second."""
        if self._later is not None and (self._later <= 0 or self._later.denominator > 1):
            return False
        return not self.points(less(self.variable, self.image)).is_empty()

    def within(self) -> bool:
        """Tell whether both conflict in one iteration."""
        if self._later:
            return False
        return not self.points(equal(self.variable, self.image)).is_empty()

    def distance(self) -> int | None:
        """Return how many iterations later the second access is, where it is and that is one number."""
        if self._later is not None:
            return int(self._later)
        later = self.points(less(self.variable, self.image))
        distance = fresh("distance")
        spread = later & Domain.of(equal(affine(self.image) - affine(self.variable), distance))
        hidden = [name for name in spread.variables() if name != distance]
        values = [e.solve(distance) for e in spread.project_out(*hidden).equalities()]
        return next((value.constant for value in values if value is not None and value.is_constant), None)


@SESSION.cached
def _pairs(first: Domain, second: Domain, variables: tuple[str, ...]) -> Domain:
    """Return the pairs of points of two domains, those of the second by the names of another iteration."""
    return first & second.rename({name: image(name) for name in variables})


def conflicting(first: Access, second: Access) -> bool:
    """Tell whether two accesses may depend on each other at all."""
    return first.array == second.array and (first.writes or second.writes)


def has_many_accesses(loop: Loop) -> bool:
    """Tell whether there are too many accesses to compare all those to one array with each other."""
    found = Counter(s.array for s in walk(loop.body) if isinstance(s, Load | Store))
    return sum(count * count for count in found.values()) > MOST_PAIRS


def is_parallel(loop: Loop, context: Domain, private: Collection[str] = ()) -> bool:
    """Tell whether no two iterations touch one cell, of which one stores to it; each has its own ``private`` arrays.

    Of too many accesses that is not known.
    """
    if has_many_accesses(loop):
        return False
    inside = accesses(loop.body, context & loop.domain(), (loop.variable,))
    found = [access for access in inside if access.array not in private]
    return not any(
        conflicting(first, second) and Conflict(first, second, loop.variable).forward()
        for first in found
        for second in found
    )
