"""Recover the dimensions of arrays that C addresses through a flat pointer, as in ``A[(i*m + j)*k + l]``.

The symbolic factors of loop variables in the subscripts are the strides (here ``k`` and ``m*k``); along a diagonal, as
in ``A[i*n + i]``, the factor is a stride and what steps from column to column, so that rows are taken to be as long as
all accesses need to stay inside of theirs. Ordered by degree each stride must divide the next;
that chain, with the unit stride first, gives the dimensions. Each access is then split:
the factor of every loop variable by the largest stride that divides it, the invariant rest by division with
remainder from the largest stride down. An inner subscript that is certainly negative borrows one row (``A[i*n + n -
1]`` is column ``n - 1`` of row ``i``). The split is the C meaning if every inner subscript stays inside its row,
which is proved or becomes a precondition.

Constant factors in the strides of a flat array: groups of cells, and rows of twice a size.

Two shapes are better than the one that the symbolic strides alone give.  Where all subscripts are ``c`` times something
plus a constant below ``c``, as of complex numbers in ``x[2*i]`` and ``x[2*i + 1]``, or plus a loop variable that runs
over numbers below ``c``, the innermost dimension is a group
of ``c`` cells, if every cell of a group occurs and the last group is whole: so the shape claims no memory that C does
not touch.  And where a subscript would certainly leave a row of ``w`` cells whose rows are ``2*w`` apart, the rows are
that long.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial
from math import gcd
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError
from tensorlift.normalise.values import Access, Array
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from tensorlift.poly.loops import Domain
    from tensorlift.poly.ranges import Ranges


@dataclass(frozen=True, slots=True)
class Split:
    """One access in dimensions: subscripts outermost first."""

    access: Access
    subscripts: tuple[Polynomial, ...]


def delinearise(array: Array, ranges: Ranges) -> tuple[list[Polynomial], list[Split]]:
    """Give the strides, outermost first, and the accesses of a flat array in dimensions."""
    return spread(array, chain_of(array, ranges), ranges)


def spread(array: Array, chain: list[Polynomial], ranges: Ranges) -> tuple[list[Polynomial], list[Split]]:
    """Split all accesses over a chain of strides, innermost first, to which offsets may add one."""
    for access in array.accesses:
        variables = {loop.variable for loop in access.domain.loops}
        level = 0
        while level < len(chain) <= _MOST_STRIDES:
            inner_first = borrow(split_over(access, chain, variables, array), chain, access.domain, ranges)
            longer = _with_offset_stride(chain, level, inner_first[level], access.domain, ranges)
            level += longer == chain
            chain = longer
    splits: list[Split] = []
    for access in array.accesses:
        variables = {loop.variable for loop in access.domain.loops}
        inner_first = split_over(access, chain, variables, array)
        if not all(dimension.is_affine for dimension in inner_first):
            raise refusal("subscript-affine", access.location, f"{array.name}[{access.subscripts[0]}]")
        borrowed = borrow(inner_first, chain, access.domain, ranges)
        splits.append(Split(access, tuple(reversed(borrowed))))
    return list(reversed(chain)), splits


def chain_of(array: Array, ranges: Ranges) -> list[Polynomial]:
    """Collect the strides of loop variables, innermost first; each divides the next."""
    found: dict[Polynomial, None] = {}
    for access in array.accesses:
        found.update(dict.fromkeys(_strides_of(access, array, ranges)))
    rows = {stride for access in array.accesses for stride in _row_strides(access, array, ranges)}
    for stride in list(found):
        row = _row_length(array, stride, found, rows, ranges)
        if row != stride:
            del found[stride]
            found[row] = None
    chain = _with_whole_rows(array, [ONE, *sorted(found, key=partial(_order, ranges))], ranges)
    for inner, outer in itertools.pairwise(chain):
        if not _may_hold(inner, outer, ranges):
            raise refusal("delinearise", array.accesses[0].location, array.name)
    return chain


def _row_length(
    array: Array, stride: Polynomial, found: Container[Polynomial], rows: Container[Polynomial], ranges: Ranges
) -> Polynomial:
    """Give the length of the rows that a stride leads through: ``n`` for ``n + 1``, which walks along a diagonal."""
    lead, accesses = _leading(stride), array.accesses
    if stride != lead:
        rest = stride - lead  # smaller strides, along a diagonal: ``n - m + 1`` has none
        alone = stride not in rows and (rest.is_constant or all(value > 0 for value in rest.terms.values()))
        alone = alone and all(_is_diagonal(access, stride, array, ranges) for access in accesses)
        if alone or (lead in found and rest.is_constant):
            return lead
    if stride not in rows:
        return stride
    is_longer = stride != lead and (stride - lead).is_constant
    lengths = (stride - ONE, stride, stride + ONE) if is_longer else (stride, stride + ONE, stride - ONE)
    certain = next((row for row in lengths if all(_holds(row, access, ranges) for access in accesses)), None)
    if certain is not None or not (stride - lead).is_constant:
        return certain or stride
    steps_back = any(_steps_back(access, stride, ranges) for access in accesses)
    return lead if steps_back or all(_may_hold_instead(lead, stride, a, ranges) for a in accesses) else stride


def _holds(row: Polynomial, access: Access, ranges: Ranges) -> bool:
    """Tell whether what an access adds to a whole number of rows is certain to lie in a row of that length."""
    rest = access.subscripts[0].divide(row)[1]
    some = replace(access.domain, guards=(*access.domain.guards, row - ONE))
    return any(
        all(ranges.is_certain(room, some) for room in (column, row - ONE - column)) for column in (rest, rest + row)
    )


def _may_hold_instead(row: Polynomial, stride: Polynomial, access: Access, ranges: Ranges) -> bool:
    """Tell whether an access lies at or after the start of a row, and, where rows are shorter, not the further on."""
    column, other = (access.subscripts[0].divide(length)[1] for length in (row, stride))
    if not ranges.is_certain(column, access.domain):
        return False
    most, further = ranges.maximum(column, access.domain), ranges.maximum(other, access.domain)
    return row - stride == ONE or (most is not None and further is not None and ranges.is_certain(further - most))


def _row_strides(access: Access, array: Array, ranges: Ranges) -> list[Polynomial]:
    """List the strides of an access that has a smaller stride beside them: those step from row to row."""
    (subscript,) = access.subscripts
    used = [v for v in (loop.variable for loop in access.domain.loops) if subscript.coefficient(v) != ZERO]
    return _strides_of(access, array, ranges) if len(used) > 1 else []


def _is_diagonal(access: Access, stride: Polynomial, array: Array, ranges: Ranges) -> bool:
    """Tell whether a stride such as ``n + 1`` may walk along a diagonal of rows of ``n``, its variable below ``n``."""
    if stride not in _strides_of(access, array, ranges):
        return True
    (subscript,) = access.subscripts
    factors = {loop.variable: subscript.coefficient(loop.variable) for loop in access.domain.loops}
    walking = [name for name, factor in factors.items() if _stride_of(factor, access, ranges) == stride]
    lead = _leading(stride)
    tops = [ranges.maximum(Polynomial.variable(variable), access.domain) for variable in walking]
    return all(top is not None and ranges.is_nonnegative(lead - ONE - top) for top in tops)


def _steps_back(access: Access, stride: Polynomial, ranges: Ranges) -> bool:
    """Tell whether an access such as ``a[j*(n + 1) - 1 - i]`` lies before its row, but in a row of ``n`` would not."""
    (subscript,) = access.subscripts
    column = ranges.maximum(subscript.divide(stride)[1], access.domain)
    if column is None or not ranges.is_nonnegative(-column - ONE):
        return False
    column = ranges.minimum(subscript.divide(_leading(stride))[1], access.domain)
    return column is not None and ranges.is_nonnegative(column)


def _leading(stride: Polynomial) -> Polynomial:
    """Return the term of the highest degree, without its coefficient."""
    return Polynomial({max(stride.terms, key=lambda monomial: (len(monomial), monomial)): 1})


def _order(ranges: Ranges, stride: Polynomial) -> tuple[int, bool, str]:
    """Order strides by degree, a quotient of a size before that."""
    is_whole = stride.variables().isdisjoint(ranges.derived)
    return max(len(monomial) for monomial in stride.terms), is_whole, str(stride)


def _whole_row(inner: Polynomial, outer: Polynomial, ranges: Ranges) -> Polynomial | None:
    """Give what a row of ``n // d`` cells is a part of, ``n``, where that divides a stride: it may end with a gap."""
    for name, (numerator, _) in ranges.derived.items():
        factor, rest = inner.divide(Polynomial.variable(name))
        whole = factor * numerator
        if rest == ZERO and whole != ZERO and outer.divide(whole)[1] == ZERO:
            return whole
    return None


def _may_hold(inner: Polynomial, outer: Polynomial, ranges: Ranges) -> bool:
    return outer.divide(inner)[1] == ZERO or _whole_row(inner, outer, ranges) is not None


def _with_whole_rows(array: Array, chain: list[Polynomial], ranges: Ranges) -> list[Polynomial]:
    """Add rows of which strides are parts where subscripts step over such rows, as over ``C`` in ``h * hs + C``."""
    found = list(chain)
    for inner, outer in itertools.pairwise(chain):
        whole = _whole_row(inner, outer, ranges)
        if whole is not None and whole != outer:
            rests = (access.subscripts[0].without(access.domain.variables) for access in array.accesses)
            if any(rest.divide(outer)[1].divide(whole)[0] != ZERO for rest in rests):
                found.insert(found.index(outer), whole)
    return found


def _strides_of(access: Access, array: Array, ranges: Ranges) -> list[Polynomial]:
    """List the symbolic strides of one access: the factors of its loop variables, without numeric content and sign."""
    (subscript,) = access.subscripts
    variables = [loop.variable for loop in access.domain.loops]
    found: list[Polynomial] = []
    for variable in variables:
        factor = subscript.coefficient(variable)
        if not factor.variables().isdisjoint(variables):
            raise refusal("subscript-affine", access.location, f"{array.name}[{subscript}]")
        stride = _stride_of(factor, access, ranges)
        if stride is not None:
            found.append(stride)
    return found


def _stride_of(factor: Polynomial, access: Access, ranges: Ranges) -> Polynomial | None:
    """Give the stride of which a factor is a multiple, not below zero where that is known; None for a number."""
    if factor.is_constant:
        return None
    stride = primitive(factor)
    is_known, is_below = (ranges.is_nonnegative(side, access.domain) for side in (stride, -stride))
    return -stride if is_below and not is_known else stride


def _with_offset_stride(
    chain: list[Polynomial], level: int, subscript: Polynomial, domain: Domain, ranges: Ranges
) -> list[Polynomial]:
    """Add a stride for an invariant product such as ``h*s``: the factor that bounds a loop around, else the last.

    The innermost goes inside all strides of loop variables, which it need not divide: a row may end with a gap.  The
    others, rows of rows as of ``c*h*w`` beside ``y*w + x``, divide the next stride, and so does the length of a loop
    where that is no sum of sizes, as of ``k*(c + 5)*h*w`` beside.
    """
    rest, outer = subscript.without(domain.variables), chain[level + 1 :]
    lengths = {upper - loop.lower: loop.variable for loop in domain.loops for upper in loop.uppers}
    found: dict[Polynomial, None] = {}
    for monomial in sorted(monomial for monomial in rest.terms if len(monomial) > 1):
        factors = [Polynomial.variable(name) for name in monomial if name in ranges.sizes]
        fitting = [factor for factor in factors if factor in lengths]
        if factors:
            found[fitting[0] if fitting else factors[-1]] = None
    if rest.is_affine and outer and not outer[0].divide(chain[level])[0].is_affine:
        used = subscript.variables()
        found = dict.fromkeys(length for length, name in lengths.items() if name in used and length.variables())
    added = [stride * chain[level] for stride in found if stride * chain[level] not in chain]
    if level or rest.is_affine:
        added = [stride for stride in added if not outer or outer[0].divide(stride)[1] == ZERO]
    return [*chain[: level + 1], *added, *outer] if len(added) == 1 else chain


def primitive(factor: Polynomial) -> Polynomial:
    """Divide out the numeric content, and the sign of the terms of the highest degree, where they have one: ``1 - n``.

    A length such as ``b - k + 1`` keeps its sign, whatever its sizes are named.
    """
    content, degree = gcd(*factor.terms.values()), max(map(len, factor.terms))
    is_negative = all(value < 0 for monomial, value in factor.terms.items() if len(monomial) == degree)
    by = -content if is_negative else content
    return Polynomial({monomial: value // by for monomial, value in factor.terms.items()})


def split_over(access: Access, chain: list[Polynomial], variables: set[str], array: Array) -> list[Polynomial]:
    """Split a subscript over the chain of strides, innermost first."""
    (subscript,) = access.subscripts
    dimensions = [ZERO] * len(chain)
    for variable in sorted(variables & subscript.variables()):
        for level, factor in _levels_of(subscript.coefficient(variable), chain, access, array):
            dimensions[level] = dimensions[level] + factor * Polynomial.variable(variable)
    rest = subscript.without(variables)
    for level in range(len(chain) - 1, 0, -1):
        quotient, rest = rest.divide(chain[level])
        dimensions[level] = dimensions[level] + quotient
    dimensions[0] = dimensions[0] + rest
    return dimensions


def _levels_of(
    factor: Polynomial, chain: list[Polynomial], access: Access, array: Array
) -> list[tuple[int, Polynomial]]:
    """Find the outermost stride of which the factor is a numeric multiple; along a diagonal it is a sum of several."""
    found: list[tuple[int, Polynomial]] = []
    for level in range(len(chain) - 1, -1, -1):
        quotient, rest = factor.divide(chain[level])
        if quotient.is_constant and quotient != ZERO and (rest == ZERO or level > 0):
            found.append((level, quotient))
            factor = rest
        if factor == ZERO:
            return found
    raise refusal("delinearise", access.location, array.name)


def borrow(dimensions: list[Polynomial], chain: list[Polynomial], domain: Domain, ranges: Ranges) -> list[Polynomial]:
    """Bring inner subscripts that are certainly outside their row back into it."""
    result = list(dimensions)
    for level in range(len(chain) - 1):
        width, gap = chain[level + 1].divide(chain[level])
        for _ in range(2 if gap == ZERO else 0):
            most, least = ranges.maximum(result[level], domain), ranges.minimum(result[level], domain)
            is_last = False
            if ranges.is_nonnegative(-result[level] - ONE, domain):
                rows = _rows_off(most, width, -ONE)
            elif least is not None and ranges.is_nonnegative(least - width):
                rows = _rows_off(least, width, ONE)
            else:
                rows, is_last = _rows_passed(result[level], width, most, ranges), True
            result[level], result[level + 1] = result[level] - width * rows, result[level + 1] + rows
            if is_last:
                break
    return result


def _rows_off(column: Polynomial | None, width: Polynomial, default: Polynomial) -> Polynomial:
    """Return how many rows away a column is that is in no first row, the default where that is no number."""
    place, row = None if column is None else column.constant_value, width.constant_value
    return default if place is None or row is None else Polynomial.constant(place // row)


def _rows_passed(column: Polynomial, width: Polynomial, most: Polynomial | None, ranges: Ranges) -> Polynomial:
    """Return the quotient by the width of a row, where the source names it and the column may be in a later row."""
    if most is not None and ranges.is_nonnegative(width - ONE - most):
        return ZERO
    named = (name for name, quotient in ranges.quotients.items() if quotient == (column, width.constant_value))
    return next(map(Polynomial.variable, named), ZERO)


_MOST_STRIDES = 8
_WIDEST_GROUP = 16  # next to strides that are sizes, whose rows may consist of blocks
_WIDEST_ROW = 1024


def dimensions_of(array: Array, ranges: Ranges) -> tuple[list[Polynomial], list[Split]]:
    """Give the strides, outermost first, and the accesses of a flat array in dimensions."""
    array.accesses = list(_along_strides(array, ranges))
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
        if len(whole) >= len(strides):
            return spread(array, whole, ranges)
    return strides, splits


def _along_strides(array: Array, ranges: Ranges) -> Iterator[Access]:
    """Yield the accesses; where a condition says that the one stride of the others is 1, in multiples of it.

    As in ``if (incx == 1) y[i] = x[i]; else y[i] = x[i * incx];``.  So with a stride that equals the others there.
    """
    found = {stride for access in array.accesses for stride in _strides_of(access, array, ranges)}
    if len(found) > 1:
        array.accesses, found = _by_one_stride(array, found, ranges)
    stride = found.pop() if len(found) == 1 else ONE
    for access in array.accesses:
        (subscript,) = access.subscripts
        is_one = stride.is_affine and all(map(access.domain.says, (stride - ONE, ONE - stride)))
        alone = stride.variables().isdisjoint(subscript.variables())
        yield replace(access, subscripts=(subscript * stride,)) if is_one and alone else access


def _by_one_stride(array: Array, strides: set[Polynomial], ranges: Ranges) -> tuple[list[Access], set[Polynomial]]:
    """Write the accesses with one of the strides, where conditions say that the others equal it."""
    for one in sorted(strides, key=str):
        found: list[Access] = []
        for access in array.accesses:
            others = [stride for stride in _strides_of(access, array, ranges) if stride != one]
            names = [name for stride in others for name in stride.variables()]
            are_names = others == [*map(Polynomial.variable, names)]
            if not are_names or not all(access.domain.says(side) for o in others for side in (o - one, one - o)):
                break
            equal = dict.fromkeys(names, one)
            found.append(replace(access, subscripts=tuple(s.substitute(equal) for s in access.subscripts)))
        else:
            return found, {one}
    return array.accesses, strides


def _chains(array: Array, ranges: Ranges) -> list[list[Polynomial]]:
    """Give the chain of strides with the numeric contents that all their uses share, then the plain one."""
    plain = chain_of(array, ranges)
    contents: dict[Polynomial, int] = {}
    for access in array.accesses:
        for loop in access.domain.loops:
            factor = access.subscripts[0].coefficient(loop.variable)
            stride = _stride_of(factor, access, ranges)
            if stride is not None:
                contents[stride] = gcd(contents.get(stride, 0), *factor.terms.values())
    whole = [ONE, *(stride.scale(contents.get(stride, 1)) for stride in plain[1:])]
    whole = _with_whole_rows(array, list(dict.fromkeys(whole)), ranges)
    divides = all(_may_hold(inner, outer, ranges) for inner, outer in itertools.pairwise(whole))
    return [whole, plain] if divides and whole != plain else [plain]


def _common_factor(array: Array) -> int:
    """Give the greatest common divisor of the factors that loop variables have, as far as those have one above one."""
    found = 0
    for access in array.accesses:
        for loop in access.domain.loops:
            content = gcd(*access.subscripts[0].coefficient(loop.variable).terms.values())
            if content > 1:
                found = gcd(found, content)
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
    return len(cells) == width and all(any(_reaches(last, s, ranges) for last in cells[width - 1]) for s in splits)


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
