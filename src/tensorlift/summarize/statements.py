"""The statements of a function as the summariser sees them: loops, branches, loads and stores over affine subscripts.

Scalar computations have no statements: they are folded into the terms that stores and conditions use.  What a load or a
branch yields is a *value*: a term reads it as the rank-0 array ``%n``, a name that no source has.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.variables import strided
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.ops.dtypes import DType

Condition = Domain | terms.Term  # affine in indices and sizes, or dependent on data


@dataclass(frozen=True, slots=True, eq=False)
class Allocate:
    """A local array begins its life, undefined."""

    array: str
    location: Location | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """``value = array[indices]`` at this moment."""

    value: str
    array: str
    indices: tuple[Affine, ...]
    dtype: DType
    location: Location | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Store:
    """``array[indices] = term``."""

    array: str
    indices: tuple[Affine, ...]
    term: Term
    location: Location | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Branch:
    """Two blocks under a condition; ``values`` names what the arms yield, one term of each arm for each value.

    Where the condition depends on data, ``then_within`` and ``otherwise_within`` hold the points at which it can be
    true, and false.
    """

    condition: Condition
    then: Block
    otherwise: Block
    values: tuple[str, ...] = ()
    then_terms: tuple[Term, ...] = ()
    otherwise_terms: tuple[Term, ...] = ()
    location: Location | None = None
    then_within: Domain = UNIVERSE
    otherwise_within: Domain = UNIVERSE

    def then_domain(self, context: Domain) -> Domain:
        """Return the points of the context at which the first block may run."""
        return context & (self.condition if isinstance(self.condition, Domain) else self.then_within)

    def otherwise_domain(self, context: Domain) -> Domain:
        """Return the points of the context at which the second block may run."""
        if isinstance(self.condition, Domain):
            return context - self.condition
        return context & self.otherwise_within


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """``for variable in range(max(lower), min(upper), step)``; the variable's name is the only one in the function.

    A step that is no constant is at least one.
    With ``goes_on``, a local truth value, it runs as long as that holds: the variable counts iterations, and the upper
    bound is a name for how many there are, which nothing tells.
    It is ``left_early`` where it is one of those that stand for a loop that the source leaves before its end, and
    ``is_parallel`` where the source says that its iterations may run in any order.
    """

    variable: str
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    step: Affine | int
    body: Block
    location: Location | None = None
    goes_on: str | None = None
    left_early: bool = False
    is_parallel: bool = False

    def order(self, earlier: str, later: str) -> Domain:
        """Return where one iteration comes before another; by as much as a step, where that is no constant."""
        is_told = isinstance(self.step, int)
        return Domain.of(less(earlier, later) if is_told else at_least(later, affine(earlier) + self.step))

    def domain(self) -> Domain:
        """Return the iterations: the values of the variable, and others where the step is no constant."""
        return _iterations(self.variable, self.lower, self.upper, self.step)


Statement = Allocate | Load | Store | Branch | Loop
Block = tuple[Statement, ...]


@SESSION.cached
def _iterations(variable: str, lower: tuple[Affine, ...], upper: tuple[Affine, ...], step: Affine | int) -> Domain:
    bounds = [at_least(variable, low) for low in lower] + [less(variable, high) for high in upper]
    return Domain.of(*bounds) & (strided(variable, lower[0], step) if isinstance(step, int) else UNIVERSE)


def loops_in(block: Block, depth: int = 0) -> Iterator[tuple[int, Loop]]:
    """Yield the loops of a block, each with how many are around it."""
    for statement in block:
        if isinstance(statement, Loop):
            yield depth, statement
        for inner in blocks_of(statement):
            yield from loops_in(inner, depth + isinstance(statement, Loop))


def value_read(value: str, dtype: DType) -> Term:
    """Return the term that stands for a value."""
    return terms.read(value, (), dtype)


def runs_on(block: Block) -> bool:
    """Tell whether there is a loop in a block of which data say how long it runs."""
    return any(isinstance(s, Loop) and s.goes_on is not None for s in walk(block))


def walk(block: Block) -> Iterator[Statement]:
    """Yield every statement, those of inner blocks after the statement that holds them."""
    for statement in block:
        yield statement
        for inner in blocks_of(statement):
            yield from walk(inner)


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """Return the inner blocks of a statement."""
    if isinstance(statement, Loop):
        return (statement.body,)
    return (statement.then, statement.otherwise) if isinstance(statement, Branch) else ()


def written(block: Block) -> set[str]:
    """Return the arrays that a block stores to."""
    return {s.array for s in walk(block) if isinstance(s, Store)}


def allocated(block: Block) -> set[str]:
    """Return the arrays that begin their life in a block."""
    return {s.array for s in walk(block) if isinstance(s, Allocate)}


def values_of(block: Block) -> dict[str, tuple[Location | None, str, int]]:
    """Return the values that loads and branches yield, with the place, the array, and which of several there it is."""
    found: dict[str, tuple[Location | None, str, int]] = {}
    loaded: Counter[tuple[Location | None, str]] = Counter()
    for s in walk(block):
        if isinstance(s, Load):
            found[s.value] = (s.location, s.array, loaded[s.location, s.array])
            loaded[s.location, s.array] += 1
        elif isinstance(s, Branch):
            found |= {value: (s.location, "", number) for number, value in enumerate(s.values)}
    return found


def terms_of(statement: Statement) -> tuple[Term, ...]:
    """Return the terms that a statement evaluates, without those of inner blocks."""
    if isinstance(statement, Store):
        return (statement.term,)
    if isinstance(statement, Branch):
        own = (*statement.then_terms, *statement.otherwise_terms)
        return own if isinstance(statement.condition, Domain) else (statement.condition, *own)
    return ()


def guarded(condition: Condition, block: Block, location: Location | None, within: Domain = UNIVERSE) -> Block:
    """Run a block only where a condition holds, which can be at points of ``within`` only."""
    if condition is UNIVERSE or not block:
        return block
    return (Branch(condition, block, (), location=location, then_within=within),)
