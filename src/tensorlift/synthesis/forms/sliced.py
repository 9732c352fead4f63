"""Sliced: each part of an array with a value of its own is stored into its slice, where derivation selects by masks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition
from tensorlift.synthesis.derive.splitting import expanded_pieces

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Item, Summary


def sliced(summary: Summary) -> Summary:
    """Return the summary with terms that are piecewise as pieces of their definitions; itself where none is."""
    items = _items(summary.items)
    return summary if items == summary.items else replace(summary, items=items)


def _items(items: tuple[Item, ...]) -> tuple[Item, ...]:
    return tuple(
        _definition(item) if isinstance(item, Definition) else replace(item, body=_items(item.body)) for item in items
    )


def _definition(definition: Definition) -> Definition:
    expanded = tuple(
        part for domain, term in definition.pieces for part in expanded_pieces(domain & definition.domain, term)
    )
    is_same = not definition.shape or len(expanded) == len(definition.pieces)
    return definition if is_same else replace(definition, pieces=expanded)
