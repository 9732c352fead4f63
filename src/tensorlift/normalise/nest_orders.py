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
    from collections.abc import Container, Iterator, Mapping, Sequence

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
        """Choose orders that fit the accesses of an array outside of these nests, None where nothing changes.

        Where those tell nothing, one nest is ordered as the other nests are, and as offsets such as ``k*w*h`` ask for.
        """
        used = {variable for access in array.accesses for variable in access.loops}
        nests = [nest for nest in self._nests if not nest.variables.isdisjoint(used)]
        nests = [nest for nest in nests if len(nest.lengths) <= _MOST_LOOPS]
        inside = {variable for nest in self._nests for variable in nest.variables}
        wanted = {stride for access in array.accesses if inside.isdisjoint(access.loops) for stride in _strides(access)}
        found = {nest: best for nest in nests if (best := _best(nest, wanted)) is not None}
        for nest in [] if found else nests:
            wanted = {stride for access in array.accesses for stride in _strides(access, nest.variables)}
            best = _best(nest, wanted)
            if best is not None:
                found[nest] = best
                break
        return self._chosen | {self._nests.index(nest): best for nest, best in found.items()} if found else None


def _best(nest: _Nest, wanted: set[Polynomial]) -> tuple[Polynomial, ...] | None:
    """Give the order in which a nest has the most of some strides, None where that is the one that it has."""
    best = max(itertools.permutations(nest.lengths), key=lambda order: len(wanted & set(_inner(order))))
    return best if len(wanted & set(_inner(best))) > len(wanted & set(_inner(nest.lengths))) else None


def _strides(access: Access, without: Container[str] = ()) -> Iterator[Polynomial]:
    """Iterate over the symbolic strides of a flat access: factors of loop variables but some, products in offsets."""
    for subscript in access.subscripts:
        for variable in access.loops:
            factor = subscript.coefficient(variable)
            if not factor.is_constant and variable not in without:
                yield primitive(factor)
        for monomial in subscript.without(access.loops).terms if without else ():
            if len(monomial) > 1:
                parts = itertools.combinations(monomial, len(monomial) - 1)
                yield from (Polynomial({part: 1}) for part in (monomial, *parts))


def _inner(lengths: Sequence[Polynomial]) -> Iterator[Polynomial]:
    """Iterate over the strides of the loops but the innermost."""
    stride = ONE
    for length in reversed(lengths[1:]):
        stride = stride * length
        yield stride
