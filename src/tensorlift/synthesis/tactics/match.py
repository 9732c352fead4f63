"""What a match binds, and what a pattern is to the matchers.

A pattern is a term over placeholders: arrays, scalars, indices, factors.  Matching is up to associativity and
commutativity of sums and products, up to factors that a sum can be multiplied by before or after, and scalars that are
left out are one.  The value before of the array that is computed may be left out too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import flattened, walk
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.synthesis.simplify.arithmetic import product, summands, total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.domain import Constraint, Domain

_FIRST_FACTOR = 1 << 40  # numbers from here on stand for placeholders in the subscripts of patterns


@dataclass(frozen=True)
class Pattern:
    """A term over placeholders.

    ``labels`` names the placeholder of each index variable, ``groups`` those that stand for any number of indices;
    ``before`` is the array whose value may be left out; ``conditions`` are what folds demand beyond whole ranges, by
    the domain of the fold; ``factors`` are the numbers that stand for placeholders.
    """

    term: Term
    labels: Mapping[str, str]
    groups: frozenset[str] = frozenset()
    before: str | None = None
    conditions: Mapping[Domain, tuple[Constraint, ...]] = field(default_factory=dict)
    factors: Mapping[int, str] = field(default_factory=dict)

    def optional(self) -> str | None:
        """Return the array whose value before may be left out: it is read once."""
        reads = [n for n in walk(self.term) if isinstance(n, Read) and n.array == self.before]
        return self.before if len(reads) == 1 else None

    def cells(self) -> list[Read]:
        """Return the cells that the pattern reads."""
        return [n for n in walk(self.term) if isinstance(n, Read)]

    def labels_of(self, read: Read) -> frozenset[str]:
        """Return the index placeholders of a cell."""
        return frozenset(self.labels[v] for index in read.indices for v in index.variables)


def placeholder_number(position: int) -> int:
    """Return the number that stands for the factor placeholder at a position."""
    return _FIRST_FACTOR + position


@dataclass(frozen=True)
class Fold:
    """A fold of the subject that matched one of the pattern, and what the pattern demands of its points."""

    term: Reduce
    conditions: tuple[Constraint, ...]


@dataclass(frozen=True)
class Match:
    """What the placeholders stand for; an array or a value before that is left out stands for None.

    ``arrays`` gives for each array the pattern's cell and the term that it matched, ``axes`` the variables of the
    subject for each index placeholder, ``variables`` all variables of the subject, ``bound`` those that folds bind.
    """

    variables: frozenset[str]
    arrays: Mapping[str, tuple[Read, Term] | None] = field(default_factory=dict)
    scalars: Mapping[str, Term] = field(default_factory=dict)
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    factors: Mapping[str, int] = field(default_factory=dict)
    folds: tuple[Fold, ...] = ()
    bound: frozenset[str] = frozenset()
    bound_labels: frozenset[str] = frozenset()

    def with_array(self, read: Read, term: Term) -> Match:
        """Return the match with an array bound as well."""
        return replace(self, arrays={**self.arrays, read.array: (read, term)})

    def without_array(self, name: str) -> Match:
        """Return the match with an array left out."""
        return replace(self, arrays={**self.arrays, name: None})

    def with_scalar(self, name: str, term: Term) -> Match | None:
        """Return the match with a scalar bound as well, None where it stands for something else."""
        known = self.scalars.get(name)
        if known is not None:
            return self if known is term else None
        return replace(self, scalars={**self.scalars, name: term})

    def with_axis(self, label: str, variable: str) -> Match | None:
        """Return the match with an index bound as well, None where that contradicts: indices differ from each other."""
        known = self.axes.get(label)
        if known is not None:
            return self if known == (variable,) else None
        if any(variable in names for names in self.axes.values()):
            return None
        return replace(self, axes={**self.axes, label: (variable,)})

    def with_factor(self, name: str, value: int) -> Match | None:
        """Return the match with a factor bound as well, None where it stands for another number."""
        if self.factors.get(name, value) != value:
            return None
        return replace(self, factors={**self.factors, name: value})

    def depends(self, term: Term) -> tuple[str, ...]:
        """Return the variables of the subject on which a term depends, in the order of their names."""
        return tuple(sorted(self.variables & term.free))


# -- subjects


def opened(term: Term) -> Term:
    """Return a sum over points as sums of products whose constant factors stand in front; nested sums are one."""
    if not isinstance(term, Reduce) or term.op != "sum":
        return term
    term = flattened(term)
    parts = summands(term.body)
    if len(parts) > 1 or parts[0][0] < 0:
        return total([(s, opened(terms.reduce("sum", term.bound, term.domain, p))) for s, p in parts], term)
    bound = set(term.bound)
    listed = multiplied(term.body)
    outside = [f for f in listed if f.free.isdisjoint(bound)]
    inside = [f for f in listed if f not in outside]
    if not outside or not inside:
        return term
    body = product(inside, [], term)
    return product([*outside, opened(terms.reduce("sum", term.bound, term.domain, body))], [], term)


def multiplied(term: Term) -> list[Term]:
    """Return a product as factors, in order; a negative one has the factor -1."""
    if isinstance(term, Apply) and term.op == "mul" and all(a.dtype == term.dtype for a in term.args):
        return multiplied(term.args[0]) + multiplied(term.args[1])
    if isinstance(term, Apply) and term.op == "neg":
        return [terms.constant(-1, term.dtype), *multiplied(term.args[0])]
    return [term]
