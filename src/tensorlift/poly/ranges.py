"""Proving inequalities about polynomials: every loop variable stays in its bounds, sizes are at least one.

The maximum of a polynomial over a loop nest eliminates the loop variables innermost first: where the coefficient
has a provable sign, the variable takes its last or first value. A polynomial is provably non-negative if, with
every size written as one plus something non-negative, no coefficient is negative, perhaps after subtracting a known
fact.

That sizes are at least one is an assumption. It may choose shapes, which are checked again by everyone who reads
them; where the meaning of a value depends on it, ``is_certain`` proves without it.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.ops.c_types import UNSIGNED_LONG
from tensorlift.poly.loops import Domain, LoopRange
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.ops.c_types import IntegerType

    Question = tuple[str, bool, Polynomial, Domain | None] | tuple[str, bool, bool, Domain, int]


_NOT_ASKED = Polynomial({})  # stands for no answer yet, where None is one; told apart by identity


class _Way(NamedTuple):
    """Whether a bound is one from above, and whether guards are the ends of loops even if not known to be tighter."""

    most: bool
    by_guards: bool = False


class Ranges:
    """What is known about the variables of one function: sizes, quotients and facts about them.

    Questions are asked again and again, one access after the other, so answers are kept until what is known changes.
    """

    def __init__(self) -> None:
        self.sizes: dict[str, IntegerType] = {}
        self.floors: dict[str, int] = {}
        self._certain = False
        self.quotients: dict[str, tuple[Polynomial, int]] = {}
        self.derived: dict[str, tuple[Polynomial, Polynomial]] = {}  # sizes that are quotients of others, rounded down
        self._answers: dict[Question, Any] = {}

    def add_size(self, name: str, ctype: IntegerType) -> Polynomial:
        """Make a size of an integer type."""
        self._answers.clear()
        self.sizes[name] = ctype
        return Polynomial.variable(name)

    def derive_size(self, name: str, numerator: Polynomial, divisor: Polynomial) -> Polynomial:
        """Make a size of a quotient of sizes, of which one is at least zero and the other at least one."""
        self.derived[name] = numerator, divisor
        return self.add_size(name, UNSIGNED_LONG)

    def spelled(self, polynomial: Polynomial) -> str:
        """Spell a polynomial by the sizes that the source has, with ``(n // m)`` for a quotient."""

        def operand(part: Polynomial) -> str:
            text = self.spelled(part)
            return text if len(part.terms) == 1 and text[0] != "-" and "*" not in text else f"({text})"

        def name_of(name: str) -> str:
            return f"({' // '.join(map(operand, self.derived[name]))})" if name in self.derived else name

        return polynomial.spell(name_of)

    def assume(self, polynomial: Polynomial) -> None:
        """Take ``polynomial >= 0`` for granted, where it sets a floor of at least zero for a single size."""
        self._answers.clear()
        for name in polynomial.variables() & self.sizes.keys():
            floor = (Polynomial.variable(name) - polynomial).constant_value
            if floor is not None and floor >= 0:
                self.floors[name] = max(floor, self.floors.get(name, 0))

    def forget_floors(self) -> None:
        """Take nothing for granted any more."""
        self._answers.clear()
        self.floors.clear()

    def quotient(self, numerator: Polynomial, divisor: int) -> Polynomial:
        """Give ``floor(numerator / divisor)``; exact parts are divided out, the rest becomes a variable."""
        whole: dict[tuple[str, ...], int] = {}
        rest: dict[tuple[str, ...], int] = {}
        for monomial, value in numerator.terms.items():
            if monomial:
                (whole if value % divisor == 0 else rest)[monomial] = value
        constant = numerator.terms.get((), 0)
        whole[()] = constant - constant % divisor
        rest[()] = constant % divisor
        exact = Polynomial({monomial: value // divisor for monomial, value in whole.items()})
        remainder = Polynomial(rest)
        if remainder.is_constant:
            return exact
        numerator_text = str(remainder) if len(remainder.terms) == 1 else f"({remainder})"
        name = f"({numerator_text}/{divisor})"
        self.quotients[name] = (remainder, divisor)
        return exact + Polynomial.variable(name)

    def rounded_up(self, polynomial: Polynomial) -> Polynomial:
        """Put numerators for what is rounded down to a multiple of a divisor: ``4*(n/4)`` is at most ``n``."""
        for name in sorted(polynomial.variables() & self.quotients.keys()):
            numerator, divisor = self.quotients[name]
            if numerator.terms.get((), 0) <= 0 and polynomial.coefficient(name).constant_value == divisor:
                polynomial = polynomial.without([name]) + numerator
        return polynomial

    def substitute(self, polynomial: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
        """Replace variables, inside quotients as well."""
        if not self.quotients:
            return polynomial.substitute(values)
        inner: dict[str, Polynomial] = {}
        for name in polynomial.variables():
            if name in self.quotients and not self.leaves(Polynomial.variable(name)).isdisjoint(values):
                numerator, divisor = self.quotients[name]
                inner[name] = self.quotient(self.substitute(numerator, values), divisor)
        return polynomial.substitute({**values, **inner} if inner else values)

    def leaves(self, polynomial: Polynomial) -> set[str]:
        """Collect the variables, those inside quotients instead of the quotients."""
        if not self.quotients:
            return set(polynomial.variables())
        found: set[str] = set()
        for name in polynomial.variables():
            found |= self.leaves(self.quotients[name][0]) if name in self.quotients else {name}
        return found

    def is_affine(self, polynomial: Polynomial) -> bool:
        """Whether a polynomial is affine, with the numerators of its quotients."""
        inner = (self.quotients[name][0] for name in polynomial.variables() if name in self.quotients)
        return polynomial.is_affine and all(map(self.is_affine, inner))

    def is_nonnegative(self, polynomial: Polynomial, domain: Domain | None = None) -> bool:
        """Whether the polynomial is at least zero everywhere in the domain, if every size is at least one."""
        if polynomial.is_constant:
            value = polynomial.terms.get((), 0)
            if value >= 0 or domain is None:  # below zero only a domain that is empty makes it true
                return value >= 0
        question = ("nonnegative", self._certain, polynomial, domain)
        answer: bool | None = self._answers.get(question)
        if answer is None:
            answer = self._answers[question] = self._is_nonnegative(polynomial, domain)
        return answer

    def _is_nonnegative(self, polynomial: Polynomial, domain: Domain | None) -> bool:
        if domain is not None:
            least = self.minimum(polynomial, domain)
            if least is not None and self.is_nonnegative(least):
                return True
            several = domain.guards or len(domain.choices) > 1  # else the only lower bound is the least
            if several and any(self.is_nonnegative(-bound) for bound in self.upper_bounds(-polynomial, domain)):
                return True
            least = polynomial if least is None else least
            return any(self._holds(least - fact) for fact in self._facts(domain))
        if self._holds(polynomial) or any(self._holds(polynomial - fact) for fact in _local_facts(self, polynomial)):
            return True
        return any(map(self.is_nonnegative, _with_numerators(self, polynomial)))

    def is_certain(self, polynomial: Polynomial, domain: Domain | None = None) -> bool:
        """Whether the polynomial is at least zero everywhere in the domain, with nothing assumed about sizes."""
        saved, self._certain = self._certain, True
        try:
            return self.is_nonnegative(polynomial, domain)
        finally:
            self._certain = saved

    def is_nonnegative_for_sizes(self, polynomial: Polynomial) -> bool:
        """Whether the polynomial is at least zero if every size is at least one, also those that need not be."""
        saved, self.floors = self.floors, {name: max(floor, 1) for name, floor in self.floors.items()}
        self._answers.clear()
        try:
            return self.is_nonnegative(polynomial)
        finally:
            self.floors = saved
            self._answers.clear()

    def _facts(self, domain: Domain) -> Iterable[Polynomial]:
        """Give what holds inside the domain about sizes alone: no loop around is empty, every guard is true."""
        for depth, loop in enumerate(domain.loops):
            outer = domain.around(depth)
            for upper in loop.uppers:
                most = self.maximum(upper - loop.lower - ONE, outer)
                if most is not None:
                    yield most
        for guard in domain.guards:
            most = self.maximum(guard, domain)
            if most is not None:
                yield most

    def _holds(self, polynomial: Polynomial) -> bool:
        """Whether no coefficient is negative once every size is written as one plus something."""
        if all(value >= 0 for value in polynomial.terms.values()) and self._known(polynomial):
            return True
        floors = [(name, self._floor(name)) for name in polynomial.variables()]
        shifted = polynomial.substitute({name: _at_least(name, floor) for name, floor in floors if floor})
        return all(value >= 0 for value in shifted.terms.values()) and self._known(shifted)

    def _floor(self, name: str) -> int:
        """Give the least value of a size as far as it is taken for granted, 0 for all else."""
        return self.floors.get(name, 0 if self._certain or name not in self.sizes else 1)

    def _known(self, polynomial: Polynomial) -> bool:
        """Whether every variable is non-negative."""
        return all(map(self._is_known, polynomial.variables()))

    def _is_known(self, name: str) -> bool:
        """Whether a variable is non-negative: a size, or a quotient of something non-negative."""
        if name in self.sizes:
            return not self._certain or not self.sizes[name].signed or name in self.floors
        return name in self.quotients and self.is_nonnegative(self.quotients[name][0])

    def maximum(self, polynomial: Polynomial, domain: Domain) -> Polynomial | None:
        """Give an upper bound over the domain as a polynomial of sizes, the maximum unless a guard hides it."""
        if not self.quotients and domain.variables.isdisjoint(polynomial.variables()):
            return polynomial
        question = ("maximum", self._certain, polynomial, domain)
        answer: Polynomial | None = self._answers.get(question, _NOT_ASKED)
        if answer is _NOT_ASKED:
            answer = self._answers[question] = self._maximum(polynomial, domain)
        return answer

    def _maximum(self, polynomial: Polynomial, domain: Domain) -> Polynomial | None:
        best: Polynomial | None = None
        for bound in self.upper_bounds(polynomial, domain):
            if best is None or self.is_nonnegative(best - bound):
                best = bound
        return best

    def upper_bounds(self, polynomial: Polynomial, domain: Domain) -> Iterable[Polynomial]:
        """Give upper bounds as polynomials of sizes: one for each bound of the loops, with each of the guards."""
        for bound, _, _ in self._bounds(polynomial, domain):
            yield bound

    def closest_bounds(self, polynomial: Polynomial, domain: Domain) -> list[Polynomial]:
        """Give the upper bounds, those first that are met with the fewest loops at their ends.

        Where the loops alone tell one that grows with sizes, what guards tell comes last.
        """
        bounds = list(self._bounds(polynomial, domain))
        grows = any(not is_guarded and not bound.is_constant for bound, _, is_guarded in bounds)

        def rank(found: tuple[Polynomial, int, bool]) -> tuple[bool, int, bool, bool]:
            bound, ends, is_guarded = found
            return is_guarded and grows, ends, is_guarded, bound.is_constant

        return [bound for bound, _, _ in sorted(bounds, key=rank)]

    def _bounds(self, polynomial: Polynomial, domain: Domain) -> Iterable[tuple[Polynomial, int, bool]]:
        """Give upper bounds, each with the number of the loops at their ends there, and whether it comes of a guard."""
        for choice in domain.choices:
            told: set[Polynomial] = set()
            for guard in (ZERO, *_touching(self, polynomial, domain)):
                found = self._extreme(polynomial + guard, choice, _Way(most=True))
                if found is not None:
                    told.add(found[0])
                    yield *found, guard != ZERO
            found = self._extreme(polynomial, choice, _Way(most=True, by_guards=True)) if domain.guards else None
            if found is not None and found[0] not in told:
                yield *found, True

    def minimum(self, polynomial: Polynomial, domain: Domain) -> Polynomial | None:
        """Give a lower bound over the domain as a polynomial of sizes, the minimum unless a guard hides it."""
        opposite = self.maximum(-polynomial, domain)
        return None if opposite is None else -opposite

    def _extreme(self, polynomial: Polynomial, domain: Domain, way: _Way) -> tuple[Polynomial, int] | None:
        """Give what bounds a polynomial, of sizes alone, and the number of the loops that are at their ends there."""
        current, ends = polynomial, 0
        for position in range(len(domain.loops) - 1, -1, -1):
            loop = domain.loops[position]
            nested = _quotients_of(self, current, loop.variable)
            if loop.variable not in current.variables() and not nested:
                continue
            if len(nested) + (loop.variable in current.variables()) > 1:
                current = _unrounded(self, current, nested, most=way.most)
                nested = _quotients_of(self, current, loop.variable)
                if loop.variable not in current.variables() and not nested:
                    continue
            substitution = self._ends(current, domain, position, nested, way)
            if substitution is None:
                return None
            current, ends = current.substitute(substitution), ends + 1
        return current, ends

    def _ends(
        self, current: Polynomial, domain: Domain, position: int, nested: list[str], way: _Way
    ) -> dict[str, Polynomial] | None:
        """Give the values at which a loop variable, or one quotient of it, makes the polynomial extreme."""
        loop, outer = domain.loops[position], domain.around(position)
        moving = nested + [loop.variable] * (loop.variable in current.variables())
        if len(moving) != 1:
            return None
        factor = current.coefficient(moving[0])
        sign = None if moving[0] in factor.variables() else _sign(self, factor, outer)
        if sign is None:
            return None
        upwards = (sign > 0) == way.most
        if not nested:
            end = self._last if upwards else partial(_first, self)
            return {loop.variable: end(loop, domain, position, by_guards=way.by_guards)}
        numerator, divisor = self.quotients[moving[0]]
        inner = Domain(domain.loops[: position + 1], domain.guards)
        found = self._extreme(numerator, inner, _Way(upwards, way.by_guards))
        return None if found is None else {moving[0]: self.quotient(found[0], divisor)}

    def _last(self, loop: LoopRange, domain: Domain, position: int, *, by_guards: bool) -> Polynomial:
        """Give the greatest value of a loop variable: its bound, or a tighter one that a guard sets."""
        question = ("last", self._certain, by_guards, domain, position)
        best: Polynomial | None = self._answers.get(question)
        if best is None:
            best = loop.uppers[0] - ONE
            for bound in _guard_bounds(loop.variable, domain, position, upper=True):
                if by_guards or self.is_nonnegative(best - bound, domain.around(position)):
                    best = bound
            self._answers[question] = best
        return best


def _local_facts(ranges: Ranges, polynomial: Polynomial) -> Iterable[Polynomial]:
    """Give what is known of single variables: types limit sizes, and a quotient times its divisor the numerator."""
    for name in sorted(polynomial.variables()):
        variable = Polynomial.variable(name)
        if name in ranges.sizes:
            yield Polynomial.constant(ranges.sizes[name].maximum) - variable
            if name in ranges.derived:
                numerator, size = ranges.derived[name]
                rest, times = numerator - variable * size, ZERO - polynomial.divide(variable * size)[0]
                yield from (rest, size - ONE - rest, numerator - variable)
                if not times.is_constant and ranges.is_nonnegative(times):
                    yield rest * times
        elif name in ranges.quotients:
            numerator, divisor = ranges.quotients[name]
            yield numerator - variable.scale(divisor)
            yield variable.scale(divisor) - numerator + Polynomial.constant(divisor - 1)


def _with_numerators(ranges: Ranges, polynomial: Polynomial) -> Iterable[Polynomial]:
    """Bound a quotient by its numerator: give what is not negative only where the polynomial is not."""
    for name in sorted(polynomial.variables() & ranges.quotients.keys()):
        factor = polynomial.coefficient(name).constant_value
        if factor is not None:
            numerator, divisor = ranges.quotients[name]
            least = numerator - Polynomial.constant(divisor - 1) if factor > 0 else numerator
            scaled = polynomial.without([name]).scale(divisor) + least.scale(factor)
            yield scaled + Polynomial.constant(divisor - 1)


def _touching(ranges: Ranges, polynomial: Polynomial, domain: Domain) -> list[Polynomial]:
    """List the guards that speak of a loop variable of the polynomial, or of one of its quotients."""
    if not domain.guards:
        return []
    variables = polynomial.variables() & (domain.variables | ranges.quotients.keys())
    return [guard for guard in domain.guards if not variables.isdisjoint(guard.variables())]


def _unrounded(ranges: Ranges, polynomial: Polynomial, quotients: list[str], *, most: bool) -> Polynomial:
    """Bound multiples of quotients by their numerators: ``3 * (n / 3)`` is at most ``n`` and at least ``n - 2``."""
    for name in quotients:
        numerator, divisor = ranges.quotients[name]
        factor = polynomial.coefficient(name).constant_value
        if factor is not None and factor % divisor == 0:
            lost = 0 if (factor > 0) == most else divisor - 1
            bound = (numerator - Polynomial.constant(lost)).scale(factor // divisor)
            polynomial = polynomial.without([name]) + bound
    return polynomial


def _quotients_of(ranges: Ranges, polynomial: Polynomial, variable: str) -> list[str]:
    """List the quotients in a polynomial that depend on a variable."""
    if not ranges.quotients:
        return []
    return [name for name in sorted(polynomial.variables()) if _depends(ranges, name, variable)]


def _depends(ranges: Ranges, name: str, variable: str) -> bool:
    if name not in ranges.quotients:
        return False
    inner = ranges.quotients[name][0].variables()
    return variable in inner or any(_depends(ranges, other, variable) for other in inner)


def _sign(ranges: Ranges, factor: Polynomial, outer: Domain) -> int | None:
    """Give the sign of a coefficient, or None where it is not known."""
    if factor.is_constant:
        return 1 if factor.terms.get((), 0) >= 0 else -1
    if ranges.is_nonnegative(factor, outer):
        return 1
    return -1 if ranges.is_nonnegative(-factor, outer) else None


def _first(ranges: Ranges, loop: LoopRange, domain: Domain, position: int, *, by_guards: bool) -> Polynomial:
    """Give the least value of a loop variable."""
    best = loop.lower
    for bound in _guard_bounds(loop.variable, domain, position, upper=False):
        if by_guards or ranges.is_nonnegative(bound - best, domain.around(position)):
            best = bound
    return best


def _guard_bounds(variable: str, domain: Domain, position: int, *, upper: bool) -> Iterable[Polynomial]:
    """Give the bounds that guards set on a variable in terms of outer variables and sizes."""
    if not domain.guards:
        return
    inner = {loop.variable for loop in domain.loops[position + 1 :]}
    for guard in domain.guards:
        factor = guard.coefficient(variable).constant_value
        if factor != (-1 if upper else 1) or not inner.isdisjoint(guard.variables()):
            continue
        rest = guard.without([variable])
        yield rest if upper else ZERO - rest


@lru_cache(maxsize=1024)
def _at_least(name: str, floor: int) -> Polynomial:
    """Write a variable as its least value plus something that is not negative."""
    return Polynomial({(name,): 1, (): floor})
