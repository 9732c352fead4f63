"""Matching one term against another: which values of index variables make a pattern that term."""

from __future__ import annotations

from itertools import islice, permutations
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import substitute, walk
from tensorlift.comprehension.terms import Apply, Constant, Index, Read, Reduce, Term, unconverted
from tensorlift.poly.affine import Affine
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_MOST_GUESSES = 16
_MOST_EXCHANGED = 3  # variables


@SESSION.cached
def matches(pattern: Term, term: Term, variables: tuple[str, ...]) -> tuple[Mapping[str, Affine], ...]:
    """Return values for variables of the pattern under which it may be that term: substitute them and compare.

    The values are read off where both have the same structure, else off the arrays that both read.  A variable that
    only bounds what is added up is taken to be the one that the term has besides.
    """
    return tuple(_matches(pattern, term, variables))


def _matches(pattern: Term, term: Term, variables: tuple[str, ...]) -> Iterator[Mapping[str, Affine]]:
    bound = frozenset(name for node in walk(pattern) if isinstance(node, Reduce) for name in node.bound)
    matching = _Matching(frozenset(variables), bound)
    values: dict[str, Affine] = {}
    is_alike = matching.match(pattern, term, values)
    if is_alike:
        yield values
    unknown = pattern.free.intersection(variables)
    wanted = [node for node in walk(pattern) if isinstance(node, Read) and not node.free.isdisjoint(variables)]
    found = [node for node in walk(term) if isinstance(node, Read)]
    if is_alike and unknown <= values.keys() and len({node.array for node in wanted}) == len(wanted):
        return  # no other order of factors reads the same arrays
    guesses = matching.line_up(wanted, found, unknown, {})
    yield from (guess for guess in islice(guesses, _MOST_GUESSES) if not is_alike or guess != values)
    others = term.free - pattern.free
    if 0 < len(unknown) == len(others) <= _MOST_EXCHANGED:
        for order in permutations(sorted(others)):  # a sum of variables may be that of others in any order
            yield dict(zip(sorted(unknown), map(Affine.var, order), strict=True))


class _Matching:
    """Solves for variables; those that the pattern binds may be anything."""

    def __init__(self, variables: frozenset[str], bound: frozenset[str]) -> None:
        self._variables = variables
        self._bound = bound
        self._matched: set[tuple[Term, Term]] = set()

    def line_up(
        self, wanted: list[Read], found: list[Read], unknown: frozenset[str], values: dict[str, Affine]
    ) -> Iterator[dict[str, Affine]]:
        """Yield values under which cells that the pattern reads are cells that the term reads."""
        missing = unknown - values.keys()
        if not missing:
            yield values
            return
        first = next((place for place, read in enumerate(wanted) if not read.free.isdisjoint(missing)), None)
        if first is None:
            return
        for candidate in found:
            solved = dict(values)
            if self.match(wanted[first], candidate, solved):
                yield from self.line_up(wanted[first + 1 :], found, unknown, solved)

    def match(self, pattern: Term, term: Term, values: dict[str, Affine]) -> bool:
        """Tell whether the terms have the same structure but for types, and add what that says of the variables."""
        self._matched.clear()
        return self._match(pattern, term, values)

    def _match(self, pattern: Term, term: Term, values: dict[str, Affine]) -> bool:
        """Match two terms; a pair that was matched before adds nothing."""
        if pattern is term and pattern.free.isdisjoint(self._variables):
            return True
        pattern, term = unconverted(pattern), unconverted(term)
        if isinstance(pattern, Constant) and isinstance(term, Constant):
            return pattern.value == term.value
        if isinstance(pattern, Index) and isinstance(term, Index):
            return self._solve(pattern.affine, term.affine, values)
        if isinstance(pattern, Read) and isinstance(term, Read):
            return pattern.array == term.array and all(
                self._solve(p, t, values) for p, t in zip(pattern.indices, term.indices, strict=True)
            )
        if (pattern, term) in self._matched:
            return True
        if isinstance(pattern, Apply | Reduce) and type(pattern) is type(term) and pattern.op == term.op:
            pairs = zip(pattern.children, term.children, strict=True)
            if all(self._match(p, t, values) for p, t in pairs):
                self._matched.add((pattern, term))
                return True
        return False

    def _solve(self, pattern: Affine, value: Affine, values: dict[str, Affine]) -> bool:
        if pattern.mentions(self._bound):
            return True
        known = pattern.substitute(values)
        unknown = [v for v in pattern.variables if v in self._variables and v not in values]
        if not unknown:
            return known == value
        if len(unknown) > 1:
            return False
        solution = (known - value).solve(unknown[0])
        if solution is None or solution.mentions(unknown):
            return False
        values[unknown[0]] = solution
        return True


def alike(one: Term, other: Term) -> bool:
    """Tell whether two terms are the same but for the names that they bind."""
    return _alike(one, other, set())


def _alike(one: Term, other: Term, known: set[tuple[Term, Term]]) -> bool:
    if one is other or (one, other) in known:
        return True
    if isinstance(one, Apply) and isinstance(other, Apply):
        same = (one.op, one.dtype, len(one.args)) == (other.op, other.dtype, len(other.args))
        found = same and all(_alike(a, b, known) for a, b in zip(one.args, other.args, strict=True))
        if found:
            known.add((one, other))
        return found
    if not isinstance(one, Reduce) or not isinstance(other, Reduce):
        return False
    if (one.op, len(one.bound), one.free) != (other.op, len(other.bound), other.free):
        return False
    names = dict(zip(other.bound, one.bound, strict=True))
    body = substitute(other.body, {old: Affine.var(new) for old, new in names.items()})
    return _alike(one.body, body, known) and one.domain.is_equal(other.domain.rename(names))
