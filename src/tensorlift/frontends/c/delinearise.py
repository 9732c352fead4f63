"""Recover the dimensions of arrays that C addresses through a flat pointer, as in ``A[(i*m + j)*k + l]``.

The symbolic factors of loop variables in the subscripts are the strides (here ``k`` and ``m*k``); along a diagonal, as
in ``A[i*n + i]``, the factor is a stride and what steps from column to column. Ordered by degree each must divide the
next; that chain, with the unit stride first, gives the dimensions. Each access is then split:
the factor of every loop variable by the largest stride that divides it, the invariant rest by division with
remainder from the largest stride down. An inner subscript that is certainly negative borrows one row (``A[i*n + n -
1]`` is column ``n - 1`` of row ``i``). The split is the C meaning if every inner subscript stays inside its row,
which is proved or becomes a precondition.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Access, Array, Domain

if TYPE_CHECKING:
    from tensorlift.frontends.c.ranges import Ranges


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
        rest = split_over(access, chain, variables, array)[0].without(variables)
        if not rest.is_affine:
            chain = _with_offset_strides(chain, rest, access.domain, ranges)
    splits: list[Split] = []
    for access in array.accesses:
        variables = {loop.variable for loop in access.domain.loops}
        inner_first = split_over(access, chain, variables, array)
        if not all(dimension.is_affine for dimension in inner_first):
            raise refusal("subscript-affine", access.location, f"{array.name}[{access.subscripts[0]}]")
        borrowed = _borrow(inner_first, chain, access.domain, ranges)
        splits.append(Split(access, tuple(reversed(borrowed))))
    return list(reversed(chain)), splits


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
    dimensions = _borrow(split_over(flat, chain, variables, array), chain, access.domain, ranges)
    if not all(dimension.is_affine for dimension in dimensions):
        raise refusal("subscript-affine", access.location, f"{array.name}[{place}]")
    return Split(access, tuple(reversed(dimensions)))


def chain_of(array: Array, ranges: Ranges) -> list[Polynomial]:
    """Collect the strides of loop variables, innermost first; each divides the next."""
    found: dict[Polynomial, None] = {}
    for access in array.accesses:
        found.update(dict.fromkeys(_strides_of(access, array)))
    rows = {stride for access in array.accesses for stride in _row_strides(access, array)}
    for stride in [stride for stride in found if len(stride.terms) > 1]:
        lead = _leading(stride)
        alone = stride not in rows and all(_is_diagonal(access, stride, array, ranges) for access in array.accesses)
        steps = (stride - lead).is_constant  # from column to column, where rows have the leading term's length
        if alone or (steps and (lead in found or any(_steps_back(a, stride, ranges) for a in array.accesses))):
            del found[stride]
            found[lead] = None
    chain = [ONE, *sorted(found, key=_order)]
    for inner, outer in itertools.pairwise(chain):
        if outer.divide(inner)[1] != ZERO:
            raise refusal("delinearise", array.accesses[0].location, array.name)
    return chain


def _row_strides(access: Access, array: Array) -> list[Polynomial]:
    """List the strides of an access that has a smaller stride beside them: those step from row to row."""
    (subscript,) = access.subscripts
    used = [v for v in (loop.variable for loop in access.domain.loops) if subscript.coefficient(v) != ZERO]
    return _strides_of(access, array) if len(used) > 1 else []


def _is_diagonal(access: Access, stride: Polynomial, array: Array, ranges: Ranges) -> bool:
    """Tell whether a stride such as ``n + 1`` may walk along a diagonal of rows of ``n``, its variable below ``n``."""
    if stride not in _strides_of(access, array):
        return True
    (subscript,) = access.subscripts
    walking = [loop.variable for loop in access.domain.loops if _primitive_or_none(subscript, loop.variable) == stride]
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


def _primitive_or_none(subscript: Polynomial, variable: str) -> Polynomial | None:
    factor = subscript.coefficient(variable)
    return None if factor.is_constant else primitive(factor)


def _leading(stride: Polynomial) -> Polynomial:
    """Return the term of the highest degree, without its coefficient."""
    return Polynomial({max(stride.terms, key=lambda monomial: (len(monomial), monomial)): 1})


def _order(stride: Polynomial) -> tuple[int, str]:
    return max(len(monomial) for monomial in stride.terms), str(stride)


def _strides_of(access: Access, array: Array) -> list[Polynomial]:
    """List the symbolic strides of one access: the factors of its loop variables, without numeric content and sign."""
    (subscript,) = access.subscripts
    variables = [loop.variable for loop in access.domain.loops]
    found: list[Polynomial] = []
    for variable in variables:
        factor = subscript.coefficient(variable)
        if not factor.variables().isdisjoint(variables):
            raise refusal("subscript-affine", access.location, f"{array.name}[{subscript}]")
        if not factor.is_constant:
            found.append(primitive(factor))
    return found


def _with_offset_strides(chain: list[Polynomial], rest: Polynomial, domain: Domain, ranges: Ranges) -> list[Polynomial]:
    """Add a stride for an invariant product such as ``h*s``: the factor that bounds a loop around, else the last.

    It goes inside all strides of loop variables, which it need not divide: a row may end with a gap.
    """
    lengths = {upper - loop.lower for loop in domain.loops for upper in loop.uppers}
    found: dict[Polynomial, None] = {}
    for monomial in sorted(monomial for monomial in rest.terms if len(monomial) > 1):
        factors = [Polynomial.variable(name) for name in monomial if name in ranges.sizes]
        fitting = [factor for factor in factors if factor in lengths]
        if factors:
            found[fitting[0] if fitting else factors[-1]] = None
    added = [stride for stride in found if stride not in chain]
    return [ONE, *sorted(added, key=_order), *chain[1:]] if len(added) == 1 else chain


def primitive(factor: Polynomial) -> Polynomial:
    """Divide out the numeric content and make the leading term positive."""
    content = gcd(*factor.terms.values())
    sign = -1 if all(value < 0 for value in factor.terms.values()) else 1
    return Polynomial({monomial: value * sign // content for monomial, value in factor.terms.items()})


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


def _borrow(dimensions: list[Polynomial], chain: list[Polynomial], domain: Domain, ranges: Ranges) -> list[Polynomial]:
    """Bring inner subscripts that are certainly outside their row back into it."""
    result = list(dimensions)
    for level in range(len(chain) - 1):
        width, gap = chain[level + 1].divide(chain[level])
        for _ in range(2 if gap == ZERO else 0):
            most, least = ranges.maximum(result[level], domain), ranges.minimum(result[level], domain)
            if most is not None and ranges.is_nonnegative(-most - ONE):
                result[level], result[level + 1] = result[level] + width, result[level + 1] - ONE
            elif least is not None and ranges.is_nonnegative(least - width):
                result[level], result[level + 1] = result[level] - width, result[level + 1] + ONE
            else:
                break
    return result
