"""Arrays of which each iteration of a loop that stays uses one cell of its own: there they are that cell.

A scalar of the source has a cell for each iteration, ``s_by_k(k)``, so that the parts of a loop can be taken apart.
Where all of them stay in one loop, an array would be made anew in each iteration for a single number.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Definition, Item, KeptLoop, definitions_of, loops_of, substituted
from tensorlift.comprehension.terms import Read
from tensorlift.poly.affine import Affine
from tensorlift.poly.names import fresh

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from tensorlift.comprehension.terms import Term
    from tensorlift.poly.domain import Domain


def of_one_cell(loop: KeptLoop, needed: Collection[str]) -> KeptLoop:
    """Return a loop whose own definitions have no axis for its iterations; ``needed`` are the names that outlive it."""
    handed_on = {one.array for each in loops_of((loop,)) for one in each.carried}
    mine = (d for d in loop.body if isinstance(d, Definition) and d.array not in handed_on)
    own = {d.name: d for d in mine if d.name not in needed}
    axes = {name: set(range(len(definition.shape))) for name, definition in own.items()}
    place = Affine.var(loop.variable)
    for read in _reads(loop):
        if read.array in axes:
            axes[read.array] &= {axis for axis, index in enumerate(read.indices) if index == place}
    cells = {name: (fresh(f"{own[name].array}_cell"), min(found)) for name, found in axes.items() if found}
    if not cells:
        return loop
    body = tuple(_rewritten(item, cells, loop.variable) for item in loop.body)
    return of_one_cell(replace(loop, body=body), needed)  # what these read, they read in one cell now


def _reads(loop: KeptLoop) -> Iterator[Read]:
    for definition in definitions_of(loop.body):
        yield from (node for node in definition.nodes() if isinstance(node, Read))


def _rewritten(item: Item, cells: Mapping[str, tuple[str, int]], variable: str) -> Item:
    """Return an item that reads cells in place of arrays, and is one itself where it is among them."""
    if isinstance(item, KeptLoop):
        return replace(item, body=tuple(_rewritten(inner, cells, variable) for inner in item.body))

    def convert(found: Read, _where: Domain) -> Term:
        if found.array not in cells:
            return found
        name, axis = cells[found.array]
        return terms.read(name, found.indices[:axis] + found.indices[axis + 1 :], found.dtype)

    item = item.mapped(lambda term, domain: rewrite.map_reads(term, domain, convert))
    if item.name not in cells:
        return item
    name, axis = cells[item.name]
    made = substituted(item, {item.indices[axis]: Affine.var(variable)})
    assert isinstance(made, Definition)
    pieces = tuple((piece, term) for piece, term in made.pieces if not piece.is_disjoint(made.domain))
    indices, shape = item.indices[:axis] + item.indices[axis + 1 :], item.shape[:axis] + item.shape[axis + 1 :]
    return replace(made, name=name, indices=indices, shape=shape, pieces=pieces)
