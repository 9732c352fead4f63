"""Matching one term against another: which values of index variables make a pattern that term."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply, Index, Read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.terms import Term


_MOST_GUESSES = 16


def matches(pattern: Term, term: Term, variables: tuple[str, ...]) -> Iterator[dict[str, Affine]]:
    """Yield values for variables of the pattern under which it may be that term: substitute them and compare.

    The values are read off where both have the same structure, else off the arrays that both read.
    """
    names = frozenset(variables)
    values: dict[str, Affine] = {}
    if _match(pattern, term, names, values):
        yield values
    else:
        wanted = [node for node in walk(pattern) if isinstance(node, Read) and not node.free.isdisjoint(names)]
        found = [node for node in walk(term) if isinstance(node, Read)]
        yield from islice(_line_up(wanted, found, names, {}), _MOST_GUESSES)


def _line_up(
    wanted: list[Read], found: list[Read], names: frozenset[str], values: dict[str, Affine]
) -> Iterator[dict[str, Affine]]:
    if not wanted:
        yield values
        return
    for candidate in found:
        solved = dict(values)
        if _match(wanted[0], candidate, names, solved):
            yield from _line_up(wanted[1:], found, names, solved)


def _match(pattern: Term, term: Term, variables: frozenset[str], values: dict[str, Affine]) -> bool:
    if pattern is term and pattern.free.isdisjoint(variables):
        return True
    if type(pattern) is not type(term) or pattern.dtype != term.dtype:
        return False
    if isinstance(pattern, Index) and isinstance(term, Index):
        return _solve(pattern.affine, term.affine, variables, values)
    if isinstance(pattern, Read) and isinstance(term, Read):
        return pattern.array == term.array and all(
            _solve(p, t, variables, values) for p, t in zip(pattern.indices, term.indices, strict=True)
        )
    if isinstance(pattern, Apply) and isinstance(term, Apply):
        return pattern.op == term.op and all(
            _match(p, t, variables, values) for p, t in zip(pattern.args, term.args, strict=True)
        )
    return False


def _solve(pattern: Affine, value: Affine, variables: frozenset[str], values: dict[str, Affine]) -> bool:
    known = pattern.substitute(values)
    unknown = [v for v in pattern.variables if v in variables and v not in values]
    if not unknown:
        return known == value
    if len(unknown) > 1:
        return False
    solution = (known - value).solve(unknown[0])
    if solution is None or solution.mentions(unknown):
        return False
    values[unknown[0]] = solution
    return True
