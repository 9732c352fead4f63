"""Contractions: sums of products as a tree of pairwise products, in the cheapest order.

The cost of a pairwise product is its number of different labels: a loop nest of that depth would compute it.  A plan is
better where its deepest nest is shallower, and then where fewer nests are that deep; among equals the earlier operands
come first.  Up to five operands every order is tried, beyond that the cheapest pair is taken each time.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tensorlift.synthesis.derive.scope import Scope, Value

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Expression

Labels = frozenset[str]
Cost = tuple[int, ...]  # label counts of all products, deepest first
_MOST_TRIED = 5


def plan(operands: Sequence[Labels], output: Labels) -> tuple[Cost, list[tuple[int, int]]]:
    """Return the cost and the pairs of positions to multiply; the product replaces the first, the second goes."""
    if len(operands) < 2:  # noqa: PLR2004 - a product needs a pair
        return (), []
    pairs = list(combinations(range(len(operands)), 2))
    if len(operands) > _MOST_TRIED:
        pairs = [min(pairs, key=lambda p: (len(operands[p[0]] | operands[p[1]]), p))]
    best: tuple[Cost, list[tuple[int, int]]] | None = None
    for left, right in pairs:
        rest = [o for k, o in enumerate(operands) if k not in (left, right)]
        union = operands[left] | operands[right]
        kept = union & output.union(*rest)
        after = [kept if k == left else o for k, o in enumerate(operands) if k != right]
        cost, later = plan(after, output)
        total = tuple(sorted((len(union), *cost), reverse=True))
        if best is None or total < best[0]:
            best = (total, [(left, right), *later])
    assert best is not None
    return best


def contract(values: list[Value], output: tuple[str, ...], scope: Scope) -> Value:
    """Return the product of values summed over every axis that is not in the output; the scope has all axes."""
    values = [_own_sum(v, values, output, scope) for v in values]
    if len(values) > 2 and _has_common_axis(values, output):  # noqa: PLR2004 - more than a pair
        used = tuple(a for a in output if any(a in v.axes for v in values))
        arguments, labels = tuple(v.expression for v in values), tuple(v.axes for v in values)
        return Value(scope.build.contraction(arguments, labels, used), used)
    _, pairs = plan([frozenset(v.axes) for v in values], frozenset(output))
    for left, right in pairs:
        others = [v for k, v in enumerate(values) if k not in (left, right)]
        needed = set(output).union(*(v.axes for v in others))
        values[left] = _pair(values[left], values[right], needed, scope)
        del values[right]
    return values[0]


def _has_common_axis(values: list[Value], output: tuple[str, ...]) -> bool:
    """Tell whether operands share an axis of the output, so that no chain of matrix products does."""
    return any(
        sum(a in v.axes for v in values) > 1 and max(len(v.axes) for v in values if a in v.axes) > 1 for a in output
    )


def _own_sum(value: Value, values: list[Value], output: tuple[str, ...], scope: Scope) -> Value:
    """Sum over the axes that no other operand and no output has."""
    shared = set(output).union(*(v.axes for v in values if v is not value))
    if sum(v is value for v in values) > 1:
        return value
    return reduced("sum", value, [a for a in value.axes if a not in shared], scope)


def reduced(op: Reducer, value: Value, names: Collection[str], scope: Scope, start: Expression | None = None) -> Value:
    """Fold a value over axes, from a start where one of them may be empty."""
    if not names:
        return value
    axes = tuple(sorted(value.axes.index(a) for a in names))
    rest = tuple(a for a in value.axes if a not in names)
    return Value(scope.build.reduction(op, value.expression, axes, start), rest)


def _pair(left: Value, right: Value, needed: set[str], scope: Scope) -> Value:
    union = scope.ordered((*left.axes, *right.axes))
    output = tuple(a for a in union if a in needed)
    if left == right and len(left.axes) > 1:
        square = scope.combined("mul", left, right)
        return reduced("sum", square, [a for a in left.axes if a not in needed], scope)
    if output == union:
        return scope.combined("mul", left, right)
    arguments, labels = (left.expression, right.expression), (left.axes, right.axes)
    return Value(scope.build.contraction(arguments, labels, output), output)
