"""Matching one term against another: which values of index variables make a pattern that term."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.terms import Apply, Index, Read

if TYPE_CHECKING:
    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.terms import Term


def match(pattern: Term, term: Term, variables: tuple[str, ...]) -> dict[str, Affine] | None:
    """Return values for variables of the pattern, as read off the term, or None.

    The values are a guess where nodes are compared by structure only: substitute them and compare.
    """
    values: dict[str, Affine] = {}
    return values if _match(pattern, term, frozenset(variables), values) else None


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
