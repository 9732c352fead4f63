"""Forms of definitions.

*Blocked*: products with a triangular matrix by halves of it, which leaves out the one of four blocks that is zero.

*Sliced*: each part of an array with a value of its own is stored into its slice, where derivation selects by masks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, DerivedSize
from tensorlift.comprehension.rewrite import exchanged
from tensorlift.comprehension.terms import Apply, Reduce, Term, apply, reduce, zero
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.synthesis.derive.splitting import expanded_pieces

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Item, Summary


_MATRIX = 2  # axes


def blocked(summary: Summary) -> Summary:
    """Return the summary with such sums in two parts, at half of a size; itself where there is none."""
    for position, item in enumerate(summary.items):
        index = _triangular_index(item) if isinstance(item, Definition) else None
        if isinstance(item, Definition) and index is not None:
            extent = item.shape[item.indices.index(index)]
            size = DerivedSize(_unused_name(summary), extent, Affine(2))
            middle = Affine.var(size.name)
            bounds = Domain.of(at_least(extent, middle * 2), at_least(middle * 2 + 1, extent))
            item = replace(item, domain=item.domain & bounds)  # noqa: PLW2901 - where the new size has its value
            items = (*summary.items[:position], _halves(item, index, middle), *summary.items[position + 1 :])
            return replace(summary, items=items, derived=(*summary.derived, size), context=summary.context & bounds)
    return summary


def _unused_name(summary: Summary) -> str:
    """Return a name for a half that nothing in the summary has."""
    taken = {*summary.sizes, *summary.scalars, *summary.arrays, *(d.name for d in summary.derived)}
    return fresh("half") if "half" in taken or len(summary.items) != len(list(summary.definitions())) else "half"


def _triangular_index(definition: Definition) -> str | None:
    """Return the index by which a sum of products in a definition is triangular."""
    if len(definition.shape) != _MATRIX or not is_float(definition.dtype):
        return None
    sums = [node for node in definition.nodes() if isinstance(node, Reduce)]
    return next((index for index in definition.indices for node in sums if _is_triangular(node, index)), None)


def _is_triangular(node: Reduce, index: str) -> bool:
    return node.op == "sum" and len(node.bound) == 1 and node.domain.mentions(index) and not node.domain.has_divisions


def _halves(definition: Definition, index: str, middle: Affine) -> Definition:
    """Return a definition by halves of the values of an index, and of those that triangular sums go through."""
    sides = (Domain.of(less(index, middle)), Domain.of(at_least(index, middle)))
    pieces = tuple(
        (inside, _in_blocks(term, inside, index, middle))
        for domain, term in definition.pieces
        for inside in (domain & definition.domain & side for side in sides)
    )
    return replace(definition, pieces=pieces)


def _in_blocks(term: Term, inside: Domain, index: str, middle: Affine) -> Term:
    """Return a term, at points of a domain, with its triangular sums up to the middle and from there on."""

    def change(node: Term) -> Term | None:
        if isinstance(node, Reduce) and _is_triangular(node, index):
            return blocks(node)
        return None if isinstance(node, Apply) else node

    def blocks(node: Reduce) -> Term:
        (bound,) = node.bound
        parts = (node.domain & Domain.of(less(bound, middle)), node.domain & Domain.of(at_least(bound, middle)))
        sums = [reduce("sum", node.bound, p, node.body) for p in parts if not (p & inside).is_empty()]
        return apply("add", *sums) if len(sums) > 1 else sums[0] if sums else zero(node.dtype)

    return exchanged(term, change)


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
