"""Why a pattern does not match: the matcher that failed after the most of the pattern had matched.

A fold is a structural matcher, a scalar function an operation matcher, a cell of an array an access matcher.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.comprehension.notation import show
from tensorlift.comprehension.rewrite import substitute, walk
from tensorlift.comprehension.terms import Read, Reduce, Scalar, Term
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.tactics.matching import Match, Matching, may_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.synthesis.tactics.matching import Pattern

_LONGEST = 100  # characters of a term in a message
_GROUP = re.compile(r"(\w+)__0\b")


class _Traced(Matching):
    """Remembers the matchers that failed, with how much had matched before."""

    def __init__(self, pattern: Pattern) -> None:
        super().__init__(pattern, {})
        self.failures: list[tuple[int, Term, Term, Match]] = []

    def node(self, pattern: Term, term: Term, found: Match) -> Iterator[Match]:
        """Yield the matches of one node."""
        is_matched = False
        for match in super().node(pattern, term, found):
            is_matched = True
            yield match
        if not is_matched:
            progress = len(found.axes) + len(found.arrays) + len(found.scalars) + len(found.folds)
            self.failures.append((progress, pattern, term, found))


def explained(pattern: Pattern, term: Term, axes: Iterable[str]) -> str:
    """Say at which matcher a pattern fails on a term over axes."""
    start = Match(frozenset(axes))
    if not may_match(pattern, term):
        return _failure(pattern, pattern.term, term, start)
    traced = _Traced(pattern)
    for _ in traced.node(pattern.term, term, start):
        pass
    if not traced.failures:
        return "its access matchers do not fit together: an index of an array is none of the pattern"
    _, wanted, given, found = max(traced.failures, key=lambda f: (f[0], f[1].has_domains == f[2].has_domains))
    return _failure(pattern, wanted, given, found)


def _failure(pattern: Pattern, wanted: Term, given: Term, found: Match) -> str:
    if wanted.has_domains and not given.has_domains:
        wanted = next(node for node in walk(wanted) if isinstance(node, Reduce))
    if isinstance(wanted, Reduce):
        kind = "structural"
        shown = f"{wanted.op} over {', '.join(pattern.labels[v] for v in wanted.bound)}"
    else:
        kind = "access" if isinstance(wanted, Read) else "operand" if isinstance(wanted, Scalar) else "operation"
        shown = _shown(wanted)
    return f"its {kind} matcher `{shown}` does not match `{_shown(_named(given, found))}`"


def _named(term: Term, found: Match) -> Term:
    """Return a term over the indices of the pattern, and over primed names for what these do not stand for."""
    names = {v: label for label, variables in found.axes.items() for v in variables}
    for variable in sorted(found.variables - names.keys()):
        name = f"{variable.rpartition('_')[0]}'"
        while name in names.values():
            name += "'"
        names[variable] = name
    return substitute(term, {v: Affine.var(name) for v, name in names.items() if v in term.free})


def _shown(term: Term) -> str:
    text = _GROUP.sub(r"\1...", show(term, term.dtype))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
