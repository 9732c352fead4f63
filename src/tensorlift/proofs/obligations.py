"""The ledger of a proof: what operations demanded of the sizes, decided by isl and counted.

Python clips slices, so that what a bound means may depend on the sizes (``a[1:n - 1]`` at ``n = 1``).  Where a
question has no single answer, `Undecided` ends the run, and the caller repeats it for the sizes where the answer is
yes and for those where it is no.

Proof by cases over the sizes: where a bound's meaning depends on them, each case is proved by itself.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn, TypeVar

from tensorlift.comprehension.definition import DerivedSize
from tensorlift.comprehension.peeling import peeled
from tensorlift.comprehension.ranges import in_range, is_inside_by_type
from tensorlift.comprehension.skewing import skewed
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, NotAffine, at_least
from tensorlift.poly.names import fresh
from tensorlift.proofs.failure import DIVISOR, OBLIGATION, UNREADABLE, CheckFailure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.tensor import SymbolicTensor, TypeRules
    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType

T = TypeVar("T")


class Undecided(Exception):  # noqa: N818 - a question, not an error
    """Raised where a constraint holds for some of the sizes only."""

    def __init__(self, constraint: Constraint) -> None:
        """Carry the question."""
        super().__init__(str(constraint))
        self.constraint = constraint


class Ledger:
    """Decides what operations demand within a context, and counts it by kind."""

    def __init__(
        self,
        context: Domain,
        derived: Sequence[DerivedSize],
        types: TypeRules,
        nonzero: Callable[[SymbolicTensor, Domain], bool],
        is_inside: Callable[[Term, Affine, Domain], bool] = is_inside_by_type,
    ) -> None:
        self.context = context
        self.ranges = UNIVERSE  # what the types of sizes say of them
        self._traced: Domain | None = None
        self.types = types
        self.line: int | None = None
        self.counts: Counter[str] = Counter()
        self._nonzero = nonzero
        self._is_inside = is_inside
        self._quotients = {(d.numerator, d.divisor): d for d in derived}
        self._quotient_facts = UNIVERSE
        self._known: dict[tuple[Constraint, ...], bool] = {}

    def begin(self, context: Domain) -> None:
        """Start in a context, outside of all loops."""
        self._traced = None
        self.within(context)

    def within(self, context: Domain) -> None:
        """Go on in another context; what defines named quotients stays known."""
        self.context = context & self._quotient_facts
        self._known = {}

    def holds(self, *constraints: Constraint) -> bool:
        """Tell whether the context implies constraints."""
        if all(c.affine.is_constant for c in constraints):
            return all(_holds_constant(c) for c in constraints)
        known = self._known.get(constraints)
        if known is None:
            known = self._known[constraints] = self.context.implies(*constraints)
        return known

    def require(self, why: str, *constraints: Constraint, over: Domain = UNIVERSE) -> None:
        """Demand constraints on every point of the context and of ``over``."""
        self.counts[why] += 1
        met = self.holds(*constraints) if over is UNIVERSE else (self.context & over).implies(*constraints)
        if not met:
            raise self._unmet(why, constraints)

    def fits(self, why: str, value: Affine, dtype: DType, over: Domain = UNIVERSE) -> None:
        """Demand that a type holds an integer at every point of the context and of ``over``."""
        self.counts[why] += 1
        constraints = in_range(value, dtype)
        if value.is_constant and all(map(_holds_constant, constraints)):
            return
        if not (self.context & self.ranges & over).implies(*constraints):
            raise self._unmet(why, constraints)

    def require_always(self, why: str, *constraints: Constraint, over: Domain = UNIVERSE) -> None:
        """Demand constraints also for those sizes for which a loop around that is translated whole runs no times."""
        self.require(why, *constraints, over=over)
        if self._traced is not None and not (self._traced & self._quotient_facts & over).implies(*constraints):
            raise self._unmet(why, constraints)

    @contextmanager
    def translating(self) -> Iterator[None]:
        """Say that what follows is translated for all sizes of the context, whether it runs or not."""
        outset, self._traced = self._traced, self.context if self._traced is None else self._traced
        try:
            yield
        finally:
            self._traced = outset

    def _unmet(self, why: str, constraints: Sequence[Constraint]) -> CheckFailure:
        wanted = " and ".join(map(str, constraints))
        return CheckFailure(OBLIGATION, f"{why}: {wanted} does not follow from the preconditions", self.line)

    def decide(self, constraint: Constraint) -> bool:
        """Tell whether a constraint holds, the same for all sizes of the context.

        Raises:
            Undecided: where it holds for some sizes only.

        """
        if self.holds(constraint):
            return True
        if constraint.affine.is_constant or self.context.is_disjoint(Domain.of(constraint)):
            return False
        raise Undecided(constraint)

    def is_case(self, sizes: Domain) -> bool:
        """Decide whether the sizes are some of these.

        Raises:
            Undecided: where some are and others are not.

        """
        if self.context.is_subset(sizes):
            return True
        try:
            alternatives = () if self.context.is_disjoint(sizes) else sizes.conjuncts()
        except NotAffine:
            raise CheckFailure(UNREADABLE, "a condition on remainders decides what is computed") from None
        return any(all(self.decide(constraint) for constraint in conjunct) for conjunct in alternatives)

    def known_quotient(self, numerator: Affine, divisor: Affine) -> Affine | None:
        """Return a rounded-down quotient that is exact or that has a name, None for any other."""
        factor = divisor.constant
        if divisor.is_constant and all(c % factor == 0 for _, c in numerator.terms):
            return Affine(numerator.constant // factor, {v: c // factor for v, c in numerator.terms})
        found = self._quotients.get((numerator, divisor))
        return Affine.var(found.name) if found is not None and self.holds(*found.demands) else None

    def quotient(self, numerator: Affine, divisor: int) -> Affine:
        """Return the rounded-down quotient of sizes: exact, one that the source derives, or a new name for it."""
        by = Affine(divisor)
        found = self.known_quotient(numerator, by)
        if found is None:
            size = self._quotients[numerator, by] = DerivedSize(fresh("quotient"), numerator, by)
            self._quotient_facts = self._quotient_facts & Domain.of(*size.bounds)
            self.within(self.context)
            found = Affine.var(size.name)
        return found

    def quotients(self) -> tuple[DerivedSize, ...]:
        """Return the quotients that have a name, in the order in which they came up."""
        return tuple(self._quotients.values())

    def nonzero(self, divisor: SymbolicTensor, why: str, dividend: SymbolicTensor) -> None:
        """Demand that no cell of a divisor is zero where there is something to divide."""
        self.counts[why] += 1
        divided = Domain.of(*(at_least(extent, 1) for extent in dividend.shape if not extent.is_constant))
        if not self._nonzero(divisor, self.context & divided):
            raise CheckFailure(
                DIVISOR,
                f"{why}, and it may be zero where the source does not divide",
                self.line,
                "guard the divisor, as np.where(d == 0, 1, d) does",
            )

    def read(self, why: str, position: Term, extent: Affine, over: Domain) -> None:
        """Demand that a position that depends on data is one of an axis, at every point of ``over``."""
        self.counts[why] += 1
        if not self._is_inside(position, extent, self.context & over):
            raise CheckFailure(
                OBLIGATION, f"{why}, and it may be outside where the source does not read there", self.line
            )

    def refuse(self, why: str) -> NoReturn:
        """Give up: an operation has no meaning here."""
        raise CheckFailure(UNREADABLE, why, self.line)


def _holds_constant(constraint: Constraint) -> bool:
    value = constraint.affine.constant
    return value == 0 if constraint.is_equality else value >= 0


_MOST_CASES = 256


def by_cases(context: Domain, prove: Callable[[Domain], None], *, translated: bool = False) -> int:
    """Call ``prove`` on the context, or on parts that together are the context; return the number of parts.

    An empty context needs no proof, but of what is ``translated`` whether it runs or not.

    Raises:
        CheckFailure: where a part is not proved, or the parts become too many.

    """
    waiting, proved, runs = [context], 0, 0
    while waiting:
        case = waiting.pop()
        if case.is_empty() and not (translated and case is context):
            continue
        runs += 1
        if runs > _MOST_CASES:
            raise CheckFailure(OBLIGATION, "too many cases of the sizes must be told apart")
        try:
            prove(case)
            proved += 1
        except Undecided as question:
            holds = Domain.of(question.constraint)
            waiting += [case - holds, case & holds]
    return proved


def either_form(summary: Summary, prove: Callable[[Summary], T]) -> T:
    """Return what ``prove`` gives for a summary or, where that fails, for one whose loops are skewed or peeled.

    Raises:
        CheckFailure: where none is proved, that of the summary as it is.

    """
    try:
        return prove(summary)
    except CheckFailure:
        other = skewed(summary)
        for form in (*([other] if other is not None else []), *peeled(summary)):
            with suppress(CheckFailure):
                return prove(form)
        raise
