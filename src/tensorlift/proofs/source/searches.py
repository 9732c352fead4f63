"""Searches: what is known of the first iteration of a loop at which a condition on data holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.ir.scalar_terms import convert, neutral
from tensorlift.poly.affine import affine
from tensorlift.poly.names import fresh
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Memory, Value, element_type

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from tensorlift.comprehension.terms import Term
    from tensorlift.poly.domain import Domain


@dataclass(frozen=True, slots=True)
class Search:
    """A search for the first of some places, values of the loop's variable, at which a condition holds."""

    variable: str
    place: str
    domain: Domain
    condition: Term

    @classmethod
    def over(cls, variable: str, iterations: Domain, guard: Term) -> Search:
        """Look among the iterations of a loop, by a name of its own for their variable."""
        place = fresh("k")
        moved = rewrite.substitute(guard, {variable: affine(place)})
        return cls(variable, place, iterations.rename({variable: place}), moved)

    @property
    def any(self) -> Term:
        """Whether it holds at any of them."""
        return terms.reduce("any", (self.place,), self.domain, self.condition)

    def first(self, value: Value, of_type: Attribute) -> Value | None:
        """Return a value of the iteration at the first place; None where that is not known."""
        if isinstance(value, Memory):
            return value
        exact = value.value.as_affine() if isinstance(value, Exact) and value.is_signed else None
        if exact is None:
            return None
        if not exact.coefficient(self.variable):
            return value
        op: terms.Reducer = "min" if exact.coefficient(self.variable) > 0 else "max"
        index = terms.index(exact.substitute({self.variable: affine(self.place)}), "i64")
        chosen = terms.apply("select", self.condition, index, neutral(op, "i64"))
        return convert(terms.reduce(op, (self.place,), self.domain, chosen), element_type(of_type))
