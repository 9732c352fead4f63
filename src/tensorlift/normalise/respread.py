"""An offset in an array of declared extents, as in ``(&A[0][0])[i*m + j]``, in the dimensions of the array.

The factor of a loop variable by a symbolic stride is found as in flat memory.  Over constant ones it does not tell: in
rows of 4, ``5*i`` is ``[i][i]``, ``3*i`` is ``[i][-i]``, and either may also be a column.  The split is taken in which
all subscripts are certain to be inside; where several are, they name the same cells.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tensorlift.normalise.delinearise import Split, borrow, split_over
from tensorlift.normalise.values import Access, Array
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.poly.loops import Domain
    from tensorlift.poly.ranges import Ranges


def respread(array: Array, access: Access, extents: list[Polynomial], ranges: Ranges) -> Split:
    """Spread one access to an array of known inner extents anew, as in ``(&A[0][0])[i*m + j]``."""
    chain = [ONE]
    for extent in reversed(extents[1:]):
        chain.append(chain[-1] * extent)
    place = ZERO
    for subscript, stride in zip(access.subscripts, reversed(chain), strict=True):
        place = place + subscript * stride
    flat = Access((place,), access.domain, access.location, access.operation)
    variables = {loop.variable for loop in access.domain.loops}
    for loop in access.domain.loops:
        if not place.coefficient(loop.variable).variables().isdisjoint(variables):
            raise refusal("subscript-affine", access.location, f"{array.name}[{place}]")
    plain = split_over(flat, chain, variables, array)
    ways = [plain, *(way for way in _ways(place, chain, variables) if way != plain)]
    found = [borrow(way, chain, access.domain, ranges) for way in ways]
    if not all(dimension.is_affine for dimension in found[0]):
        raise refusal("subscript-affine", access.location, f"{array.name}[{place}]")
    inside = (way for way in found if _is_inside(way, extents, access.domain, ranges))
    dimensions = next(inside, found[0]) if len(found) > 1 else found[0]
    return Split(access, tuple(reversed(dimensions)))


def _ways(place: Polynomial, chain: list[Polynomial], variables: set[str]) -> Iterator[list[Polynomial]]:
    """Yield ways to split a place over constant strides, in each of which a factor is a sum of multiples of them."""
    strides = [stride.constant_value for stride in reversed(chain)]
    names = sorted(variables & place.variables())
    factors = [place.coefficient(name).constant_value for name in names]
    known = [stride for stride in strides if stride]
    if len(known) < len(strides) or None in factors:
        return
    for parts in itertools.product(*(_parts(factor or 0, known) for factor in factors)):
        rest, way = place.without(variables), list[Polynomial]()
        for stride, *own in zip(known, *parts, strict=True):
            whole, rest = rest.divide(Polynomial.constant(stride))
            way.insert(0, whole + Polynomial({(name,): part for name, part in zip(names, own, strict=True)}))
        yield way


def _parts(factor: int, strides: list[int]) -> list[tuple[int, ...]]:
    """Write a factor in multiples of strides: of each as often as it holds it, or the nearest number of times."""
    stride, *inner = strides
    if not inner:
        return [(factor,)]
    held, nearest = factor // stride + (factor < 0 and factor % stride != 0), (2 * factor + stride) // (2 * stride)
    wholes = dict.fromkeys((held, nearest))
    return [(whole, *rest) for whole in wholes for rest in _parts(factor - whole * stride, inner)]


def _is_inside(way: list[Polynomial], extents: list[Polynomial], domain: Domain, ranges: Ranges) -> bool:
    """Whether all subscripts, innermost first, are certain to be in their extents, as far as the first is known."""
    rooms = [extent - ONE - subscript for subscript, extent in zip(way, reversed(extents[1:]), strict=False)]
    return all(ranges.is_certain(room, domain) for room in (*way, *rooms))
