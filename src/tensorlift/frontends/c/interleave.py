"""Constant factors in the strides of a flat array: groups of cells, and rows of twice a size.

Two shapes are better than the one that the symbolic strides alone give.  Where all subscripts are ``c`` times something
plus a constant below ``c``, as of complex numbers in ``x[2*i]`` and ``x[2*i + 1]``, or plus a loop variable that runs
over numbers below ``c``, the innermost dimension is a group
of ``c`` cells, if every cell of a group occurs and the last group is whole: so the shape claims no memory that C does
not touch.  And where a subscript would certainly leave a row of ``w`` cells whose rows are ``2*w`` apart, the rows are
that long.
"""

from __future__ import annotations

import itertools
from math import gcd
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.diagnostics import LiftError
from tensorlift.frontends.c.delinearise import Split, chain_of, delinearise, primitive, split_over, spread
from tensorlift.frontends.c.values import Access, Array

if TYPE_CHECKING:
    from tensorlift.frontends.c.ranges import Ranges

_WIDEST_GROUP = 16  # next to strides that are sizes, whose rows may consist of blocks
_WIDEST_ROW = 1024


def dimensions_of(array: Array, ranges: Ranges) -> tuple[list[Polynomial], list[Split]]:
    """Give the strides, outermost first, and the accesses of a flat array in dimensions."""
    width = _common_factor(array)
    if 1 < width <= _WIDEST_ROW:
        for chain in _chains(array, ranges):
            if width > _WIDEST_GROUP and len(chain) > 1:
                continue
            found = _in_groups(array, [ONE, Polynomial.constant(width), *chain[1:]], ranges)
            if found is not None:
                return found
    strides, splits = delinearise(array, ranges)
    if any(_leaves_row(split, list(reversed(strides)), ranges) for split in splits):
        whole = _chains(array, ranges)[0]
        if len(whole) == len(strides):
            return spread(array, whole, ranges)
    return strides, splits


def _chains(array: Array, ranges: Ranges) -> list[list[Polynomial]]:
    """Give the chain of strides with the numeric contents that all their uses share, then the plain one."""
    plain = chain_of(array, ranges)
    contents: dict[Polynomial, int] = {}
    for access in array.accesses:
        for loop in access.domain.loops:
            factor = access.subscripts[0].coefficient(loop.variable)
            if not factor.is_constant:
                stride = primitive(factor)
                contents[stride] = gcd(contents.get(stride, 0), *factor.terms.values())
    whole = [ONE, *(stride.scale(contents.get(stride, 1)) for stride in plain[1:])]
    divides = all(outer.divide(inner)[1] == ZERO for inner, outer in itertools.pairwise(whole))
    return [whole, plain] if divides and whole != plain else [plain]


def _common_factor(array: Array) -> int:
    """Give the greatest common divisor of the constant factors above one that loop variables have."""
    found = 0
    for access in array.accesses:
        for loop in access.domain.loops:
            value = access.subscripts[0].coefficient(loop.variable).constant_value
            if value is not None and abs(value) > 1:
                found = gcd(found, abs(value))
    return found


def _in_groups(array: Array, chain: list[Polynomial], ranges: Ranges) -> tuple[list[Polynomial], list[Split]] | None:
    """Split all accesses over a chain whose second stride is constant; None where that does not fit."""
    width = chain[1].constant_value or 1
    if any(stride.divide(chain[1])[1] != ZERO for stride in chain[2:]):
        return None
    splits: list[Split] = []
    for access in array.accesses:
        split = _grouped(access, chain, width, array, ranges)
        if split is None or _leaves_row(split, chain, ranges):
            return None
        splits.append(split)
    return (list(reversed(chain)), splits) if _fills_groups(splits, width, ranges) else None


def _grouped(access: Access, chain: list[Polynomial], width: int, array: Array, ranges: Ranges) -> Split | None:
    """Split one access; the part of it that is no multiple of the width tells the cell of the group."""
    (subscript,) = access.subscripts
    cell = _cell(access, width)
    if not _is_cell(cell, access, width, ranges):
        return None
    group = Access((subscript - cell,), access.domain, access.location, access.operation)
    try:
        dimensions = split_over(group, chain, {loop.variable for loop in access.domain.loops}, array)
    except LiftError:
        return None
    if dimensions[0] != ZERO or not all(dimension.is_affine for dimension in dimensions):
        return None
    return Split(access, tuple(reversed([cell, *dimensions[1:]])))


def _cell(access: Access, width: int) -> Polynomial:
    """Give the constant and the loop variables in a subscript whose factors the width does not divide."""
    (subscript,) = access.subscripts
    loops = {loop.variable for loop in access.domain.loops}
    own: dict[tuple[str, ...], int] = {
        m: value for m, value in subscript.terms.items() if len(m) == 1 and m[0] in loops and value % width
    }
    return Polynomial(own) + Polynomial.constant(subscript.terms.get((), 0) % width)


def _is_cell(cell: Polynomial, access: Access, width: int, ranges: Ranges) -> bool:
    """Whether a cell is a number, or runs over numbers below the width whatever the other loops do."""
    if cell.is_constant:
        return True
    others = [loop for loop in access.domain.loops if loop.variable not in cell.variables()]
    bounds = [bound for loop in others for bound in (loop.lower, *loop.uppers)] + list(access.domain.guards)
    numbers = _numbers(cell, access, ranges)
    apart = all(cell.variables().isdisjoint(bound.variables()) for bound in bounds)
    return apart and numbers is not None and 0 <= numbers.start <= numbers[-1] < width


def _numbers(cell: Polynomial, access: Access, ranges: Ranges) -> range | None:
    """Give the numbers from the least cell of an access to the greatest, None where they depend on sizes."""
    if cell.is_constant:
        return range(number := cell.terms.get((), 0), number + 1)
    least, most = ranges.minimum(cell, access.domain), ranges.maximum(cell, access.domain)
    if least is None or most is None or not least.is_constant or not most.is_constant:
        return None
    numbers = range(least.terms.get((), 0), most.terms.get((), 0) + 1)
    return numbers or None


def _fills_groups(splits: list[Split], width: int, ranges: Ranges) -> bool:
    """Whether all cells of a group occur, and the last one in every group that another access comes to."""
    cells: dict[int, list[Split]] = {}
    for split in splits:
        for number in _numbers(split.subscripts[-1], split.access, ranges) or ():
            cells.setdefault(number, []).append(split)
    return len(cells) == width and any(all(_reaches(last, s, ranges) for s in splits) for last in cells[width - 1])


def _reaches(last: Split, other: Split, ranges: Ranges) -> bool:
    """Whether one access comes as far as another in every dimension but the innermost."""
    for mine, its in zip(last.subscripts[:-1], other.subscripts[:-1], strict=True):
        most, needed = ranges.maximum(mine, last.access.domain), ranges.maximum(its, other.access.domain)
        if most is None or needed is None or not ranges.is_nonnegative(most - needed):
            return False
    return True


def _leaves_row(split: Split, chain: list[Polynomial], ranges: Ranges) -> bool:
    """Whether an inner subscript certainly goes beyond its row."""
    inner_first = list(reversed(split.subscripts))
    for level in range(len(chain) - 1):
        width, gap = chain[level + 1].divide(chain[level])
        most = ranges.maximum(inner_first[level], split.access.domain)
        if gap == ZERO and most is not None and ranges.is_nonnegative(most - width):
            return True
    return False
