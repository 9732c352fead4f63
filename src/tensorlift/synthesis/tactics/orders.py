"""Orders of a chain of matrices among which sizes choose that nobody knows.

For each size of a chain there is an order that multiplies outwards from it: what is left of it from right to left, what
is right of it from left to right.  Where that size is the least, the order takes at most twice the multiplications of
the best one.  These are one more than the matrices, and up to four matrices they are all orders.  An order that never
takes fewer multiplications than another is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.synthesis.tactics.chains import (
    Tree,
    chain_order,
    counted,
    exchanged,
    in_line,
    placed,
    products_in,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.definition import Summary

_MOST_MATRICES = 7  # whose orders are compared at run time


@dataclass(frozen=True)
class Choice:
    """A way to multiply a chain, and its multiplications over the sizes."""

    summary: Summary
    cost: Polynomial


def choices_of(summary: Summary) -> list[Choice]:
    """Return the ways to multiply the only chain of a summary, that of the source first, if none is always better.

    There are none where all sizes are numbers, and where the chain has too many matrices.
    """
    results = {name for _, name in summary.outputs}
    found = [one for one in products_in(summary) if one.definition.name in results]
    line = in_line(found[0].labels, frozenset(found[0].definition.indices)) if len(found) == 1 else None
    if line is None or len(line[0]) > _MOST_MATRICES:
        return []
    positions, joints = line
    lengths = [None if joint is None else found[0].lengths[joint] for joint in joints]
    if all(length is None or length.is_constant for length in lengths):
        return []
    extents = [ONE if length is None else _polynomial(length) for length in lengths]
    usual = chain_order([1 if length is None else counted(length) for length in lengths])
    source = sum((_times(map(_polynomial, part)) for part in found[0].written), ZERO)
    choices = [Choice(summary, source)]
    for tree in dict.fromkeys([usual.tree, *fanned(len(positions))]):
        new = exchanged(summary, [found[0].multiplied(placed(tree, positions))])
        choices.append(Choice(new, multiplications(tree, extents)))
    return _undominated(choices)


def fanned(count: int) -> Iterator[Tree]:
    """Yield the orders of a chain of so many matrices that multiply outwards from each of its sizes."""
    for middle in range(count + 1):
        left: list[Tree] = [*range(middle)]
        right: list[Tree] = [*range(middle, count)]
        if not left or not right:
            yield reduce(_behind, right[1:], right[0]) if right else reduce(_before, left[-2::-1], left[-1])
        else:
            yield reduce(_before, left[-2::-1], left[-1]), reduce(_behind, right[1:], right[0])


def _before(tree: Tree, matrix: Tree) -> Tree:
    return matrix, tree


def _behind(tree: Tree, matrix: Tree) -> Tree:
    return tree, matrix


def multiplications(tree: Tree, extents: Sequence[Polynomial]) -> Polynomial:
    """Return the multiplications of an order: matrix ``k`` has ``extents[k]`` rows and ``extents[k + 1]`` columns."""

    def visit(node: Tree) -> tuple[int, int, Polynomial]:
        if isinstance(node, int):
            return node, node, ZERO
        (first, middle, one), (_, last, other) = map(visit, node)
        return first, last, one + other + extents[first] * extents[middle + 1] * extents[last + 1]

    return visit(tree)[2]


def _undominated(choices: Sequence[Choice]) -> list[Choice]:
    """Leave out what never takes fewer multiplications than another, of equals the later ones."""
    kept: list[Choice] = []
    for choice in choices:
        if any(_is_at_most(other.cost, choice.cost) for other in kept):
            continue
        kept = [other for other in kept if not _is_at_most(choice.cost, other.cost)]
        kept.append(choice)
    return kept


def _is_at_most(less: Polynomial, more: Polynomial) -> bool:
    """Tell whether one is at most the other for all sizes from 1 on: over sizes less 1 no coefficient is negative."""
    difference = more - less
    shifted = difference.substitute({name: Polynomial.variable(name) + ONE for name in difference.variables()})
    return all(value >= 0 for value in shifted.terms.values())


def _polynomial(length: Affine) -> Polynomial:
    return Polynomial({(): length.constant} | {(name,): value for name, value in length.terms})


def _times(factors: Iterator[Polynomial]) -> Polynomial:
    return reduce(Polynomial.__mul__, factors, ONE)
