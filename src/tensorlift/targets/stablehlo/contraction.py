"""Sums of products as dot products of two operands at a time, the cheapest pair first."""

from __future__ import annotations

import itertools
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import ONE
from tensorlift.targets.stablehlo.builder import estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.targets.stablehlo.builder import Array, Builder

Labels = tuple[str, ...]


class _Factor(NamedTuple):
    """An operand with the labels of its axes."""

    value: Array
    labels: Labels


def contract(build: Builder, operands: Sequence[Array], labels: Sequence[Labels], output: Labels) -> Array:
    """Return the sum of the products of the operands over every label that is not in the output."""
    factors = [_distinct(build, _Factor(value, names)) for value, names in zip(operands, labels, strict=True)]
    extents = {label: estimate(extent) for f in factors for label, extent in zip(f.labels, f.value.shape, strict=True)}
    while len(factors) > 1:
        factors = [_summed_alone(build, factors, k, output) for k in range(len(factors))]
        pairs = itertools.combinations(range(len(factors)), 2)
        first, second = min(pairs, key=lambda pair: _cost(factors, pair, output, extents))
        rest = [factor for k, factor in enumerate(factors) if k not in (first, second)]
        wanted = {*output, *(label for factor in rest for label in factor.labels)}
        factors = [_product(build, factors[first], factors[second], wanted), *rest]
    (last,) = factors
    summed = [axis for axis, label in enumerate(last.labels) if label not in output]
    value = build.reduce("sum", last.value, summed)
    kept = [label for label in last.labels if label in output]
    return build.transpose(value, [kept.index(label) for label in output])


def _distinct(build: Builder, factor: _Factor) -> _Factor:
    """Take the diagonal of an operand that has a label twice."""
    names = tuple(dict.fromkeys(factor.labels))
    if len(names) == len(factor.labels):
        return factor
    extents = dict(zip(factor.labels, factor.value.shape, strict=True))
    shape = tuple(extents[name] for name in names)
    columns = [build.reshape(build.iota(names.index(label), shape), (*shape, ONE)) for label in factor.labels]
    return _Factor(build.gather(factor.value, build.concatenate(columns, len(shape))), names)


def _summed_alone(build: Builder, factors: Sequence[_Factor], place: int, output: Labels) -> _Factor:
    """Sum an operand over the labels that no other has."""
    factor = factors[place]
    others = {label for k, other in enumerate(factors) if k != place for label in other.labels}
    axes = [axis for axis, label in enumerate(factor.labels) if label not in others and label not in output]
    kept = tuple(label for axis, label in enumerate(factor.labels) if axis not in axes)
    return _Factor(build.reduce("sum", factor.value, axes), kept)


def _cost(
    factors: Sequence[_Factor], pair: tuple[int, int], output: Labels, extents: dict[str, int]
) -> tuple[int, int]:
    """Return the number of products of a pair, and the cells of what it leaves."""
    first, second = (factors[k].labels for k in pair)
    rest = {label for k, factor in enumerate(factors) if k not in pair for label in factor.labels}
    every = {*first, *second}
    kept = {label for label in every if label in rest or label in output}
    return prod(extents[label] for label in every), prod(extents[label] for label in kept)


def _product(build: Builder, left: _Factor, right: _Factor, wanted: set[str]) -> _Factor:
    shared = [label for label in left.labels if label in right.labels]
    batch = [label for label in shared if label in wanted]
    summed = [label for label in shared if label not in wanted]
    value = build.dot(left.value, right.value, _axes(left, right, batch), _axes(left, right, summed))
    free = [label for label in (*left.labels, *right.labels) if label not in shared]
    return _Factor(value, (*batch, *free))


def _axes(left: _Factor, right: _Factor, labels: Sequence[str]) -> tuple[list[int], list[int]]:
    return [left.labels.index(label) for label in labels], [right.labels.index(label) for label in labels]
