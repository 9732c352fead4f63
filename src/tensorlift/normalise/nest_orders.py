"""The order of the loops that a loop over a product of sizes is split into: the one that the other accesses need.

To fill ``w*h`` cells is a nest over ``w`` and ``h`` in either order.  Beside ``a[y*w + x]`` it must have ``w`` inside.
The accesses are known only once the function is read, so a function whose accesses do not fit is read again with the
order that fits better.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.normalise.delinearise import primitive
from tensorlift.poly.polynomial import ONE, Polynomial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.normalise.values import Access, Array

_MOST_LOOPS = 4


@dataclass(slots=True, eq=False)
class _Nest:
    """The lengths of nested loops, outermost first, and their variables."""

    lengths: list[Polynomial]
    variables: set[str] = field(default_factory=set)


class NestOrders:
    """The nests of a function in the order in which they are met, with the orders that were chosen for some."""

    def __init__(self, chosen: Mapping[int, tuple[Polynomial, ...]] | None = None) -> None:
        self._chosen = dict(chosen or {})
        self._nests: list[_Nest] = []

    def ordered(self, lengths: list[Polynomial]) -> list[Polynomial]:
        """Order the lengths of the next nest."""
        order = list(self._chosen.get(len(self._nests), lengths))
        self._nests.append(_Nest(order))
        return order

    def note(self, lengths: list[Polynomial], variables: Sequence[str]) -> None:
        """Note the variables of a nest that was ordered."""
        for nest in self._nests:
            if nest.lengths is lengths:
                nest.variables.update(variables)

    def better(self, array: Array) -> dict[int, tuple[Polynomial, ...]] | None:
        """Choose orders that fit the accesses of an array outside of these nests, None where nothing changes."""
        inside = {variable for nest in self._nests for variable in nest.variables}
        wanted = {stride for access in array.accesses for stride in _strides(access) if inside.isdisjoint(access.loops)}
        used = {variable for access in array.accesses for variable in access.loops}
        found = dict(self._chosen)
        for number, nest in enumerate(self._nests):
            if nest.variables.isdisjoint(used) or len(nest.lengths) > _MOST_LOOPS:
                continue
            best = max(itertools.permutations(nest.lengths), key=lambda order: len(wanted & set(_inner(order))))
            if len(wanted & set(_inner(best))) > len(wanted & set(_inner(nest.lengths))):
                found[number] = best
        return found if found != self._chosen else None


def _strides(access: Access) -> Iterator[Polynomial]:
    """Iterate over the symbolic strides of the loop variables in a flat access."""
    for subscript in access.subscripts:
        for variable in access.loops:
            factor = subscript.coefficient(variable)
            if not factor.is_constant:
                yield primitive(factor)


def _inner(lengths: Sequence[Polynomial]) -> Iterator[Polynomial]:
    """Iterate over the strides of the loops but the innermost."""
    stride = ONE
    for length in reversed(lengths[1:]):
        stride = stride * length
        yield stride
