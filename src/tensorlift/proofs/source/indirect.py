"""Accesses at places that depend on data: an offset becomes subscripts, of which some are data, a cell one of many.

An offset is a sum of data with factors and of an exact rest.  A part whose factor is a multiple of the strides of axes
is on the outermost of these; the definitions say with ``hits`` that subscripts are inside, so that the sum does not
overflow.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.comprehension import terms
from tensorlift.comprehension.hits import seen_where_hit
from tensorlift.comprehension.state import cell_domain, own_cell, split
from tensorlift.comprehension.terms import Apply, Constant, Index, Term
from tensorlift.ir.scalar_terms import convert
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.proofs.source.integers import Exact, as_term

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.comprehension.state import State
    from tensorlift.proofs.source.operations import Place

Subscripts: TypeAlias = "tuple[Affine | Term, ...]"


def subscripts(offset: Polynomial, strides: Sequence[Polynomial]) -> Iterator[tuple[Affine, ...]]:
    """Yield subscripts that lead to an offset: quotients by the strides, and those less or more by one."""
    if not strides:
        if not offset.terms:
            yield ()
        return
    quotient, rest = offset.divide(strides[0])
    for change in (0, -1, 1) if len(strides) > 1 else (0,):
        subscript = (quotient + Polynomial.constant(change)).as_affine()
        if subscript is not None:
            for inner in subscripts(rest - strides[0].scale(change), strides[1:]):
                yield (subscript, *inner)


def subscripts_at(place: Place, start: Polynomial, strides: Sequence[Polynomial]) -> Iterator[Subscripts]:
    """Yield subscripts that lead to a place, each with all data of which the factor is the stride of its axis.

    Products of indices are data where they lead to none as exact numbers.
    """
    for keeps_products in (False, True):
        yield from _subscripts_at(place, start, strides, keeps_products=keeps_products)


def _subscripts_at(
    place: Place, start: Polynomial, strides: Sequence[Polynomial], *, keeps_products: bool
) -> Iterator[Subscripts]:
    rest, of_data = place.start - start, list[tuple[int, Term]]()
    for factor, part in _parts(place.data, ONE, keeps_products=keeps_products):
        if part is None:
            rest = rest + factor
            continue
        quotients = [(axis, *factor.divide(stride)) for axis, stride in enumerate(strides)]
        axis, multiple = next(((axis, whole) for axis, whole, more in quotients if more == ZERO), (0, ZERO))
        if multiple == ZERO:
            return
        wide = convert(part, "i64")
        times = wide if multiple == ONE else terms.apply("mul", wide, as_term(Exact(multiple, is_signed=True), "i64"))
        of_data.append((axis, times))
    for exact in subscripts(rest, strides):
        found = list[Affine | Term](exact)
        for axis, wide in of_data:
            known = found[axis]
            if known == Affine(0):
                found[axis] = wide
                continue
            other = terms.index(known, "i64") if isinstance(known, Affine) else known
            is_data = _exact(wide) is None
            found[axis] = terms.apply("add", wide, other) if is_data else terms.apply("add", other, wide)
        yield tuple(found)


def _parts(term: Term, factor: Polynomial, *, keeps_products: bool) -> Iterator[tuple[Polynomial, Term | None]]:
    """Yield the parts of a sum of products with exact numbers: factors of data, and exact numbers with none."""
    number = _exact(term)
    if number is not None and not (keeps_products and not number.is_affine):
        yield factor * number, None
        return
    parts = partial(_parts, keeps_products=keeps_products)
    match term:
        case Apply(op="add", dtype="i64", args=(one, other)):
            yield from parts(one, factor)
            yield from parts(other, factor)
        case Apply(op="sub", dtype="i64", args=(one, other)):
            yield from parts(one, factor)
            yield from parts(other, -factor)
        case Apply(op="mul", dtype="i64", args=(one, other)):
            left, right = _exact(one), _exact(other)
            if (left is None) == (right is None):
                yield factor, term
            else:
                yield from parts(one if left is None else other, factor * (left or right or ZERO))
        case _:
            yield factor, term


def _exact(term: Term) -> Polynomial | None:
    """Return the number that a term of 64 bits is, where it is made of indices alone."""
    match term:
        case Constant(dtype="i64", value=value):
            return Polynomial.constant(int(value))
        case Index(dtype="i64", affine=value):
            return Polynomial.of(value)
        case Apply(op="mul", dtype="i64", args=(one, other)):
            left, right = _exact(one), _exact(other)
            return None if left is None or right is None else left * right
    return None


def gathered(array: ArrayInfo, at: Subscripts, state: State, context: Domain) -> Term:
    """Read a cell, as definitions do (`terms`, ``hits``)."""
    names = [fresh("k") if isinstance(index, Term) else "" for index in at]
    cell = tuple(index if isinstance(index, Affine) else affine(name) for index, name in zip(at, names, strict=True))
    inside = [_on_axis(name, extent) for name, extent in zip(names, array.shape, strict=True)]
    here = context
    for domain in inside:
        here = here & domain
    value = state.read(array.name, cell, array.dtype, here)
    for index, name, domain in zip(at, names, inside, strict=True):
        if isinstance(index, Term):
            test = terms.apply("hits", index, terms.index(affine(name), "i64"))
            if array.dtype == "bool":
                value = terms.reduce("any", (name,), domain, terms.apply("and", test, value))
            else:
                value = terms.reduce(
                    "sum", (name,), domain, terms.apply("select", test, value, terms.zero(value.dtype))
                )
    return value


def _on_axis(name: str, extent: Affine) -> Domain:
    return Domain.of(at_least(name, 0), less(name, extent)) if name else UNIVERSE


def scattered(array: ArrayInfo, at: Subscripts, value: Term, state: State, context: Domain) -> None:
    """Write a cell: each one that is hit has the value, others are as they were."""
    own = own_cell(array.name, len(array.shape), array.dtype)
    names = [index.variable or "" for index in own.indices]
    exact = tuple(index if isinstance(index, Affine) else name for index, name in zip(at, own.indices, strict=True))
    cells = context & cell_domain(array.name, exact)
    for index, name, extent in zip(at, names, array.shape, strict=True):
        if isinstance(index, Term):
            cells = cells & _on_axis(name, extent)
    old = state.read(array.name, own.indices, array.dtype, cells)
    for index, name in zip(at, names, strict=True):
        if isinstance(index, Term):
            test = terms.apply("hits", index, terms.index(affine(name), "i64"))
            value = terms.apply("select", test, value, old)
    state.overwrite(array.name, split([(cells, seen_where_hit(value, cells))]))
