"""A summary where sizes have values: shapes, domains and terms with numbers in the place of the sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.definition import ArrayInfo, Definition, substituted
from tensorlift.comprehension.domain import Domain, equal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import Item, Summary

Values = dict[str, Affine]


def with_derived(summary: Summary, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return values of sizes with those of the quotients that follow from them."""
    known = dict(sizes)
    for derived in summary.derived:
        if known.keys() >= set(derived.numerator.variables):
            known[derived.name] = derived.numerator.evaluate(known) // derived.divisor
    return known


def summary_at(summary: Summary, sizes: Mapping[str, int]) -> Summary:
    """Return the summary of the same program called with these sizes, which its context and assumptions then state."""
    known = with_derived(summary, sizes)
    values = {name: Affine(value) for name, value in known.items()}
    stated = Domain.of(*(equal(name, value) for name, value in known.items()))
    return replace(
        summary,
        arrays={name: _array(info, values) for name, info in summary.arrays.items()},
        context=summary.context & stated,
        assumed=summary.assumed & stated,
        items=tuple(_item(item, values) for item in summary.items),
    )


def _array(info: ArrayInfo, values: Values) -> ArrayInfo:
    return replace(info, shape=tuple(extent.substitute(values) for extent in info.shape))


def _item(item: Item, values: Values) -> Item:
    """Return an item with values put in, without the pieces that have no points then."""
    item = substituted(item, values)
    if not isinstance(item, Definition):
        return replace(item, body=tuple(_item(inner, values) for inner in item.body))
    kept = tuple((piece, term) for piece, term in item.pieces if not (piece & item.domain).is_empty())
    return replace(item, pieces=kept or item.pieces[:1])
