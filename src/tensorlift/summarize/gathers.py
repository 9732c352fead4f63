"""Loads at places that depend on data, as loops: the sum over all places of what lies where the subscript points to.

``x[t]`` is ``sum(g : 0 <= g < N) select(hits(t, g), x(g), 0)``: ``hits`` compares, and says besides that the source
reads there, so that ``t`` is the place of a cell.  The array is an input that is never written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine, affine
from tensorlift.comprehension.names import unused
from tensorlift.summarize.statements import Allocate, Block, Branch, Load, Loop, Statement, Store, value_read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location

Place = Affine | terms.Term  # what a subscript is: an exact expression, or an integer that depends on data


def gathered(  # noqa: PLR0913 - the names that a load needs
    array: ArrayInfo,
    places: Sequence[Place],
    scalar: str,
    *,
    new_value: Callable[[], str],
    taken: set[str],
    location: Location | None,
) -> Block:
    """Return what leaves the cell of an array in a local scalar: a loop over each axis whose place depends on data."""
    dtype = array.dtype
    variables = [None if isinstance(p, Affine) else unused(f"{array.name}_place", taken) for p in places]
    indices = tuple(p if isinstance(p, Affine) else affine(str(v)) for p, v in zip(places, variables, strict=True))
    cell, before = new_value(), new_value()
    total = terms.apply("or" if dtype == "bool" else "add", value_read(before, dtype), value_read(cell, dtype))
    body: Block = (
        Load(cell, array.name, indices, dtype, location),
        Load(before, scalar, (), dtype, location),
        Store(scalar, (), total, location),
    )
    for axis, (place, variable) in enumerate(zip(places, variables, strict=True)):
        if variable is not None and not isinstance(place, Affine):
            body = (Branch(_hits(place, variable), body, (), location=location),)
            body = (Loop(variable, (Affine(0),), (array.shape[axis],), 1, body, location),)
    start: tuple[Statement, ...] = (Allocate(scalar), Store(scalar, (), terms.zero(dtype), location))
    return (*start, *body)


def _hits(place: Term, variable: str) -> Term:
    wide = terms.cast(place, "i64")
    return terms.apply("hits", wide, terms.index(affine(variable), "i64"))
