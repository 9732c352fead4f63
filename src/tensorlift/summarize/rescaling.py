"""Lets a loop variable step by the factor that it always has.

``p[3 * i]`` for ``i < n`` is ``p[i]`` for ``i < 3 * n`` in steps of three; the iteration that writes a cell is then an
affine function of the cell.

This is done where the stores of an iteration leave no cell between those of the next one, or store constants: a program
has no single expression for other cells in between.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain
from tensorlift.summarize.statements import Block, Branch, Load, Loop, Statement, Store, terms_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator


def rescaled(loop: Loop) -> Loop:
    """Return the loop with the greatest common factor of its variable's coefficients as part of the step."""
    variable = loop.variable
    factor = gcd(*(index.coefficient(variable) for s in walk(loop.body) for index in _affines(s)))
    if factor <= 1 or not _leaves_no_gap(loop, factor) or any(_needs_value(s, variable) for s in walk(loop.body)):
        return loop
    lower, upper = (tuple(bound * factor for bound in bounds) for bounds in (loop.lower, loop.upper))
    body = _divided(loop.body, variable, factor)
    return replace(loop, lower=lower, upper=upper, step=loop.step * factor, body=body)


def _leaves_no_gap(loop: Loop, factor: int) -> bool:
    subscripts: dict[str, set[tuple[Affine, ...]]] = {}
    varying: set[str] = set()
    for s in walk(loop.body):
        if isinstance(s, Store) and any(index.coefficient(loop.variable) for index in s.indices):
            subscripts.setdefault(s.array, set()).add(s.indices)
            if s.term.reads or s.term.free:
                varying.add(s.array)
    gapless = all(len(found) >= factor or array not in varying for array, found in subscripts.items())
    return gapless and bool(subscripts)  # a loop that stores to no cell of its own gains nothing


def _affines(s: Statement) -> Iterator[Affine]:
    if isinstance(s, Load | Store):
        yield from s.indices
    elif isinstance(s, Loop):
        yield from (*s.lower, *s.upper)


def _needs_value(s: Statement, variable: str) -> bool:
    """Tell whether a term or a condition depends on the variable."""
    if any(variable in term.free for term in terms_of(s)):
        return True
    if not isinstance(s, Branch):
        return False
    domains = [s.then_within, s.otherwise_within, *([s.condition] if isinstance(s.condition, Domain) else [])]
    return any(domain.mentions(variable) for domain in domains)


def _divided(block: Block, variable: str, factor: int) -> Block:
    def smaller(values: tuple[Affine, ...]) -> tuple[Affine, ...]:
        return tuple(v - Affine.var(variable, v.coefficient(variable) * (factor - 1) // factor) for v in values)

    def convert(s: Statement) -> Statement:
        if isinstance(s, Load | Store):
            return replace(s, indices=smaller(s.indices))
        if isinstance(s, Loop):
            return replace(s, lower=smaller(s.lower), upper=smaller(s.upper), body=tuple(map(convert, s.body)))
        if isinstance(s, Branch):
            return replace(s, then=tuple(map(convert, s.then)), otherwise=tuple(map(convert, s.otherwise)))
        return s

    return tuple(map(convert, block))
