"""Divisions of integers in a term: machines stop at a division by zero, so that each must be known to be of none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply, Piecewise, Reduce, Term
from tensorlift.ops.dtypes import is_integer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.domain import Domain
    from tensorlift.proofs.computed import Guards

_DIVISIONS = frozenset({"tdiv", "rem", "floordiv", "mod"})


def whole_divisions(term: Term, domain: Domain, guards: Guards = ()) -> Iterator[tuple[Term, Domain, Guards]]:
    """Yield the divisors of integers, each with the points and under the conditions of its division."""
    if not any(isinstance(node, Apply) and node.op in _DIVISIONS for node in walk(term)):
        return
    if isinstance(term, Reduce):
        yield from whole_divisions(term.body, domain & term.domain, guards)
    elif isinstance(term, Piecewise):
        for part, piece in term.pieces:
            yield from whole_divisions(piece, domain & part, guards)
    elif isinstance(term, Apply):
        if term.op in _DIVISIONS and is_integer(term.dtype):
            yield term.args[1], domain, guards
        if term.op == "select":
            condition, *arms = term.args
            yield from whole_divisions(condition, domain, guards)
            for arm, holds in zip(arms, (True, False), strict=True):
                yield from whole_divisions(arm, domain, (*guards, (condition, holds)))
        else:
            first = term.args[0] if term.op in ("and", "or") else None
            for argument in term.args:
                known = guards if first is None or argument is first else (*guards, (first, term.op == "and"))
                yield from whole_divisions(argument, domain, known)
