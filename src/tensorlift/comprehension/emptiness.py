"""What definitions say of sizes at which an array or a loop is empty, and under which conditions none is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import Read, Term
from tensorlift.poly.domain import Constraint, Domain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tensorlift.comprehension.definition import Definition, Summary


def keeps_what_empty_loops_leave(summary: Summary) -> bool:
    """Tell whether an output is read only for sizes at which a loop that writes it whole is empty."""
    entries = dict(summary.outputs)
    for written in (d for d in summary.definitions() if d.name in entries.values()):
        found = [t for _, t in where_empty(summary, [written])]
        others = frozenset[str]().union(*(t.reads for _, t in written.pieces if t not in found))
        if any(isinstance(t, Read) and t.array in entries and t.array not in others for t in found):
            return True
    return False


def says_what_of_nothing(summary: Summary) -> bool:
    """Tell whether a result has a value of its own at sizes for which an array or a loop is empty."""
    results = {summary.result, *(version for _, version in summary.outputs)}
    return any(not t.reads for _, t in where_empty(summary, [d for d in summary.definitions() if d.name in results]))


def where_empty(summary: Summary, definitions: Iterable[Definition]) -> Iterator[tuple[Domain, Term]]:
    """Yield what is computed only where an array or a loop is empty, and where."""
    nonempty = Domain.of(*summary.nonempty)
    for definition in definitions:
        yield from ((domain, term) for domain, term in definition.pieces if (domain & nonempty).is_empty())


def strongest_first(conditions: Sequence[Constraint]) -> list[Constraint]:
    """Order conditions so that each comes before those that it implies."""
    domains = {c: Domain.of(c) for c in conditions}
    return sorted(conditions, key=lambda c: -sum(domains[c].implies(other) for other in conditions))


def fewest(conditions: Sequence[Constraint], domains: Sequence[Domain]) -> tuple[Constraint, ...]:
    """Leave out conditions as long as the others rule out each domain."""
    kept = tuple(conditions)
    for condition in conditions:
        others = tuple(c for c in kept if c is not condition)
        if all((domain & Domain.of(*others)).is_empty() for domain in domains):
            kept = others
    return kept
