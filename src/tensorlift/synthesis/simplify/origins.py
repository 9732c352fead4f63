"""Origins: kept loops read the cells of a copy, or of an array of constants, where these come from.

Scalars of a loop get a cell for each of its iterations, and those that start with a number or a cell of another array
leave such arrays before the loops that stay.  What a loop carries is another array after it, and is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.comprehension.terms import Constant, Read
from tensorlift.synthesis.simplify.inline import with_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.comprehension.definition import Item


def read_at_origins(items: tuple[Item, ...], known: Mapping[str, Definition] | None = None) -> tuple[Item, ...]:
    """Return items in which loops read origins; ``known`` has the copies that were made before the present loop."""
    outside = dict(known or {})
    here = dict(outside)
    result: list[Item] = []
    for item in items:
        if isinstance(item, KeptLoop):
            carried = set(_carried(item))
            inside = {n: d for n, d in here.items() if n not in carried and d.reads.isdisjoint(carried)}
            result.append(replace(item, body=read_at_origins(item.body, inside)))
            continue
        for name in sorted(item.reads & outside.keys()):
            item = with_terms(item, outside[name], lambda _: True) or item  # noqa: PLW2901 - one after another
        result.append(item)
        if len(item.pieces) == 1 and isinstance(item.pieces[0][1], Constant | Read):
            here[item.name] = item
    return tuple(result)


def _carried(loop: KeptLoop) -> Iterator[str]:
    """Yield the versions from which a loop, and those inside of it, start."""
    yield from (c.before for c in loop.carried)
    for item in loop.body:
        if isinstance(item, KeptLoop):
            yield from _carried(item)
