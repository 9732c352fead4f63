"""Monomials: which candidates can still become a part of the goal, told by the inputs that they multiply.

The goal of ``beta * C + alpha * (A @ B)`` has the monomials ``beta C`` and ``alpha A B``.  What it is made of by sums
and products has monomials that something makes all of these: ``C`` lacks ``beta``, ``alpha A`` lacks ``B``, but nothing
makes ``alpha alpha``, nor ``C + A``.  Such candidates have no type, and are never evaluated.  That is a heuristic, as
terms of a program may cancel; it takes the sums of the source as they are written.

A function that arithmetic cannot look into counts as an input by its name, and what it is applied to is a *context* of
its own, as is a denominator that is a sum.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tensorlift.synthesis.symbolic.graph import Graph

Monomial = frozenset[tuple[str, int]]  # inputs with their exponents, none of them zero
Polynomial = frozenset[Monomial]  # empty for zero

_ONE: Monomial = frozenset()
_QUOTIENT = "1/"  # stands for the reciprocal of a sum
_MOST = 64  # monomials of a value
_MIRRORED = {"gt": "lt", "ge": "le"}
NUMBER: Polynomial = frozenset([_ONE])


class TooMany(Exception):  # noqa: N818 - a property of a goal
    """Raised where a value has more monomials than are worth to follow."""


class Monomials:
    """What candidates for a goal may multiply."""

    def __init__(self, graph: Graph, goal: Iterable[int]) -> None:
        """Take the monomials of the nodes of a goal and of all that is inside its functions.

        Raises:
            TooMany: where there are very many.

        """
        self._graph = graph
        self._polynomials: dict[int, Polynomial] = {}
        self._inside: dict[Polynomial, None] = {}
        self.goal = self.of(goal)
        self.contexts = [self.goal, *(inside for inside in self._inside if inside != self.goal)]
        self._distances: dict[Polynomial, int | None] = {}
        self._made: dict[tuple[str, tuple[Polynomial, ...]], Polynomial | None] = {}

    def of(self, nodes: Iterable[int]) -> Polynomial:
        """Return the monomials of all nodes."""
        return _bounded(frozenset[Monomial]().union(*map(self._of, dict.fromkeys(nodes))))

    def _of(self, node: int) -> Polynomial:
        found = self._polynomials.get(node)
        if found is None:
            found = self._polynomials[node] = _bounded(self._read(node))
        return found

    def _read(self, node: int) -> Polynomial:
        graph = self._graph
        number = graph.constants.get(node)
        if number is not None:
            return NUMBER if number else frozenset()
        if node in graph.symbols:
            return frozenset([frozenset([(str(graph.symbols[node][1]), 1)])])
        op, operands = graph.op[node], [self._of(operand) for operand in graph.operands[node]]
        if op == "div" and len(operands[1]) > 1:
            self._inside.setdefault(operands[1])
        elif op not in _ARITHMETIC:
            self._inside.update(dict.fromkeys(operands))
        return _applied(op, operands)

    def made(self, op: str, operands: Sequence[Polynomial]) -> Polynomial | None:
        """Return the monomials of a function of values, None where that cannot become a part of the goal."""
        key = op, tuple(operands)
        if key not in self._made:
            try:
                found: Polynomial | None = _bounded(_applied(op, operands))
            except TooMany:
                found = None
            self._made[key] = None if found is None or self.distance(found) is None else found
        return self._made[key]

    def distance(self, own: Polynomial) -> int | None:
        """Return how many operations it takes at least from a value to the goal, None where none lead there."""
        if not own:  # zeros
            return 0
        if own not in self._distances:
            found = [
                steps + (context is not self.goal)
                for context in self.contexts
                for steps in (*_steps(own, context), *_steps_below(own, context))
            ]
            self._distances[own] = min(found, default=None)
        return self._distances[own]


def _bounded(found: Polynomial) -> Polynomial:
    if len(found) > _MOST:
        raise TooMany
    return found


def _applied(op: str, operands: Sequence[Polynomial]) -> Polynomial:
    """Return the monomials of a function of values."""
    if op in _ARITHMETIC:
        return _ARITHMETIC[op](operands)
    if op == "select" and operands[0] <= NUMBER:  # by position: each cell is one of the arms
        return operands[1] | operands[2]
    return frozenset([frozenset([(_MIRRORED.get(op, op), 1)])])


def _product(operands: Sequence[Polynomial]) -> Polynomial:
    return reduce(lambda a, b: frozenset(_times(m, n) for m, n in product(a, b)), operands)


def _quotient(operands: Sequence[Polynomial]) -> Polynomial:
    numerator, denominator = operands
    inverse = [_inverse(m) for m in denominator] if len(denominator) == 1 else [frozenset([(_QUOTIENT, 1)])]
    return _product([numerator, frozenset(inverse)])


_ARITHMETIC: dict[str, Callable[[Sequence[Polynomial]], Polynomial]] = {
    "add": lambda operands: frozenset().union(*operands),
    "sub": lambda operands: frozenset().union(*operands),
    "neg": lambda operands: operands[0],
    "mul": _product,
    "div": _quotient,
}


def _times(left: Monomial, right: Monomial) -> Monomial:
    if not left or not right:
        return left or right
    exponents = dict(left)
    for name, exponent in right:
        exponents[name] = exponents.get(name, 0) + exponent
    return frozenset((name, exponent) for name, exponent in exponents.items() if exponent)


def _inverse(monomial: Monomial) -> Monomial:
    return frozenset((name, -exponent) for name, exponent in monomial)


def _degree(monomial: Monomial) -> int:
    return sum(abs(exponent) for _, exponent in monomial)


def _beside(monomial: Monomial, other: Monomial) -> int:
    """Return the degree of what a monomial multiplies beside what it shares with another one."""
    known = dict(other)
    shared = [min(abs(e), abs(known.get(name, 0))) for name, e in monomial if e * known.get(name, 0) > 0]
    return _degree(monomial) - sum(shared)


def _steps(own: Polynomial, context: Polynomial) -> list[int]:
    """Return how many operations it takes at least to multiply a value and add to it so that it is the context."""
    found = []
    first = min(own, key=_degree, default=_ONE)
    for whole in context:
        missing = _times(whole, _inverse(first))
        made = {_times(monomial, missing) for monomial in own}
        if made <= context and all(_agree(monomial, missing) for monomial in own):
            rest = max((max(min(_beside(m, own) for own in made), 1) for m in context - made), default=0)
            found.append(_degree(missing) + rest)
    return found


def _steps_below(own: Polynomial, context: Polynomial) -> list[int]:
    """Return the same where something is divided by the value."""
    if len(own) != 1 or own == NUMBER:
        return []
    (monomial,) = own
    return [max(steps, 1) for steps in _steps(frozenset([_inverse(monomial)]), context)]


def _agree(left: Monomial, right: Monomial) -> bool:
    """Tell whether nothing cancels in a product."""
    other = dict(right)
    return all(exponent * other.get(name, exponent) > 0 for name, exponent in left)


__all__ = ["NUMBER", "Monomials", "Polynomial", "TooMany"]
