"""From pattern statements to patterns: terms over placeholders, with constant factors in front of folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain
from tensorlift.comprehension.rewrite import rebuild
from tensorlift.comprehension.terms import Reduce
from tensorlift.synthesis.tactics.match import Pattern, opened, placeholder_number
from tensorlift.synthesis.tactics.meaning import Meaning, constraint_of, range_of, variables_of
from tensorlift.synthesis.tactics.names import given_arrays
from tensorlift.synthesis.tactics.syntax import GROUP, cells_of, folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.terms import Term
    from tensorlift.synthesis.tactics.syntax import Statement


def factors_of(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return the placeholders for factors in subscripts, in order."""
    cells = [c for s in statements for c in (s.target, *cells_of(s.value))]
    return tuple(dict.fromkeys(f for c in cells for s in c.subscripts for f, _ in s.terms if isinstance(f, str)))


def indices_in(statements: Sequence[Statement]) -> tuple[str, ...]:
    """Return every index of some statements, in order, each once."""
    return tuple(dict.fromkeys(i for s in statements for c in (s.target, *cells_of(s.value)) for i in c.indices))


def term_of(statements: Sequence[Statement], width: int, factors: Mapping[str, int]) -> Term:
    """Return the cell that statements compute, over the arrays before; groups have ``width`` indices."""
    meaning = Meaning(given_arrays(statements), width, factors)
    for statement in statements:
        meaning.assign(statement)
    return meaning.value(statements[-1].target.array, statements[-1].target.indices)


def pattern_of(statements: Sequence[Statement]) -> Pattern:
    """Return the pattern of statements for the matchers."""
    numbers = {name: placeholder_number(position) for position, name in enumerate(factors_of(statements))}
    indices = indices_in(statements)
    conditions = {}
    for statement in statements:
        bound = [v for i in folded(statement) for v in variables_of(i, 1)]
        demanded = tuple(map(constraint_of, statement.conditions))
        conditions[range_of(bound) & Domain.of(*demanded)] = demanded
    result = statements[-1].target.array
    return Pattern(
        _opened(term_of(statements, 1, numbers)),
        {v: i for i in indices for v in variables_of(i, 1)},
        frozenset(i for i in indices if i.endswith(GROUP)),
        result if result in given_arrays(statements) else None,
        conditions,
        {number: name for name, number in numbers.items()},
    )


def _opened(term: Term) -> Term:
    """Return a pattern with the constant factors of its folds in front, as subjects are matched."""
    return opened(term) if isinstance(term, Reduce) else rebuild(term, _opened)
