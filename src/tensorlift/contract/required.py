"""What front ends require of sizes, as sets of sizes."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tensorlift.ir.linear import Linear, Quotient, linear_expression
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, parse_domain
from tensorlift.poly.names import name_of_quotient

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xdsl.ir.affine import AffineSet

    from tensorlift.ir.function import FunctionView, Requirement


@lru_cache(maxsize=16)  # several questions about one function come one after the other
def where(*conditions: str) -> Domain:
    """Return the sizes that meet conditions as isl spells them."""
    return parse_domain(" and ".join(dict.fromkeys(conditions))) if conditions else UNIVERSE


def spelled(expression: Linear) -> str:
    """Spell an expression for isl."""
    terms = [f"{k} * {size if isinstance(size, str) else _floor(size)}" for size, k in expression.terms]
    return " + ".join([*terms, str(expression.constant)])


def _floor(quotient: Quotient) -> str:
    if quotient.divisor.terms:
        return name_of_quotient(_affine(quotient.numerator), _affine(quotient.divisor))
    return f"floor(({spelled(quotient.numerator)}) / {quotient.divisor})"


def _affine(expression: Linear) -> Affine:
    """Return a sum with the names of quotients by sizes, which is what isl knows of these."""
    return Affine(
        expression.constant, {s if isinstance(s, str) else _floor(s): factor for s, factor in expression.terms}
    )


def required(view: FunctionView) -> Domain:
    """Return the sizes from 0 on that meet what the front end assumed, as far as that is affine."""
    conditions = [condition for row in view.requires for condition in _conditions(row)]
    return from_zero(where(*conditions), view.size_names)


def from_zero(domain: Domain, names: Iterable[str]) -> Domain:
    """Leave negative sizes out of a domain, but for those that are always negative in it, as flags are."""
    for name in names:
        usual = domain & where(f"{name} >= 0")
        domain = domain if usual.is_empty() else usual
    return domain


def with_room(domain: Domain, least: Iterable[Linear]) -> Domain:
    """Return the sizes of a domain at which some expressions are at least 0."""
    return domain & where(*(f"{spelled(expression)} >= 0" for expression in least))


def set_of(requirement: Requirement) -> Domain:
    """Return the sizes that meet the affine form of a requirement."""
    return where(*_conditions(requirement))


def _conditions(requirement: Requirement) -> Iterator[str]:
    """Spell the affine form of a requirement for isl, constraint by constraint."""
    choices = [list(_constraints(choice, requirement.sizes)) for choice in requirement.choices]
    if len(choices) > 1:
        yield f"({' or '.join('(' + ' and '.join(choice) + ')' for choice in choices)})"
    else:
        yield from (constraint for choice in choices for constraint in choice)


def _constraints(choice: AffineSet, sizes: Iterable[str]) -> Iterator[str]:
    symbols = [Linear.size(name) for name in sizes]
    for constraint in choice.constraints:
        left, right = (linear_expression(side, (), symbols) for side in (constraint.lhs, constraint.rhs))
        relation = "=" if constraint.kind.value == "==" else constraint.kind.value
        yield f"{spelled(left)} {relation} {spelled(right)}"
