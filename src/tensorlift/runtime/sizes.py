"""Chooses small sizes to test at: the smallest of all where the preconditions allow, then random ones.

Sizes are drawn one after the other inside the domain of the preconditions, so that no draw is in vain.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import sized
from tensorlift.contract.required import from_zero, spelled, where
from tensorlift.diagnostics import LiftError, refuse
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.variables import extreme_of
from tensorlift.runtime.data import beyond_narrow
from tensorlift.runtime.layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from random import Random

    from xdsl.ir import Operation

    from tensorlift.comprehension.definition import DerivedSize
    from tensorlift.ir.function import FunctionView, Parameter

    Sizes = dict[str, int]
    Order = Callable[[Sequence[int], Collection[int]], Sequence[int]]

_LARGEST = 9
_LAST_RESORT = 40  # where the preconditions rule out everything up to the usual bound; then from their least size on
_MOST_CELLS = 1 << 18  # of all arrays together
_FEW_CELLS = 1 << 12  # of all arrays together, at sizes that are stretched
_LONGER = 8  # times the sizes of the last case
_LOOPS = ("affine.for", "scf.for", "scf.while")
_TRIES = 24
_TRIES_FOR_ONE = 400  # where strides that are products, such as head * width <= stride, rule out most draws


def choose_sizes(  # noqa: PLR0913 - what is drawn, from where, and how much of it
    parameters: Sequence[Parameter],
    domain: Domain,
    rng: Random,
    count: int,
    *,
    largest: int = _LARGEST,
    derived: Collection[DerivedSize] = (),
) -> tuple[Sizes, ...]:
    """Choose up to ``count`` distinct size sets of the domain at which every array can exist, and one with zeros.

    The smallest of all come first, larger ones last.  The domain may speak of quotients, the ``derived`` sizes.

    No size is above ``largest`` unless the domain, or the wish for distinct sizes, needs more.
    Raises LiftError TL610 where none is found, TL611 where the arrays are too large.
    """
    names = [parameter.name for parameter in parameters if parameter.role == "size"]
    draw = partial(_draw, names, derived)
    domain = _with_extents(parameters, domain)
    usual = range(1, max(largest, len(names) + 1) + 1)
    chosen: list[Sizes] = []
    too_large: Sizes | None = None
    for tries, order in enumerate((_rising, *[_shuffled(rng)] * _TRIES_FOR_ONE)):
        sizes = draw(domain, usual, order)
        if sizes is not None and sizes not in chosen and is_possible(parameters, sizes):
            if _cells(parameters, sizes) > _MOST_CELLS:
                too_large = sizes if too_large is None else too_large
            else:
                chosen.append(sizes)
        if len(chosen) == count or not names or ((chosen or too_large is not None) and tries >= _TRIES):
            break
    if not chosen:
        raise _nothing_to_test_at(parameters, too_large)
    least = draw(domain, usual, _from_zero) if count > 1 else None
    if least is not None and least not in chosen and is_possible(parameters, least):
        chosen.insert(0, least)
    return tuple(chosen)


def stretched(
    view: FunctionView, domain: Domain, chosen: Sequence[Sizes], derived: Collection[DerivedSize] = ()
) -> tuple[Sizes, ...]:
    """Put larger sizes for the last of several where loops are cheap, since its numbers are corners.

    Where narrow integers are made of indices or sizes, one size is beyond 8 bits.  Loops that are nested more deeply
    than arrays have dimensions are not cheap.
    """
    parameters, last = view.parameters, chosen[-1]
    ranks = [len(p.extents) for p in parameters if p.role == "array" and p.extents is not None]
    nesting = _nesting(view)
    if len(chosen) == 1 or nesting > max(ranks, default=0):
        return tuple(chosen)
    domain = _with_extents(parameters, domain)
    longer = [{name: size * _LONGER for name, size in last.items()}] if nesting == 1 else []
    for sizes in (*beyond_narrow(view, last), *longer):
        possible = not sized(domain, sizes, derived).is_empty() and is_possible(parameters, sizes)
        if possible and _cells(parameters, sizes) <= _FEW_CELLS:
            return (*chosen[:-1], sizes)
    return tuple(chosen)


def _nesting(view: FunctionView) -> int:
    """Count the loops of the deepest nest."""

    def around(op: Operation | None) -> int:
        return 0 if op is None else (op.name in _LOOPS) + around(op.parent_op())

    return max((around(op) for op in view.operations if op.name in _LOOPS), default=0)


def _nothing_to_test_at(parameters: Sequence[Parameter], too_large: Sizes | None) -> LiftError:
    place = parameters[0].location if parameters else None
    if too_large is not None:
        stated = "".join(f", {name} = {value}" for name, value in too_large.items())
        message = f"the arrays are too large to test with at the least sizes that the preconditions allow{stated}"
        return refuse("TL611", message, place, "use smaller constants in extents, subscripts and bounds")
    message = "no sizes were found at which the preconditions hold and every array can exist"
    return refuse("TL610", message, place, "make strides and extents parameters of their own")


def _cells(parameters: Sequence[Parameter], sizes: Mapping[str, int]) -> int:
    shapes = [p.extents for p in parameters if p.role == "array" and p.extents is not None]
    return sum(prod(extent.at(sizes) for extent in shape) for shape in shapes)


def _draw(
    names: Sequence[str], derived: Collection[DerivedSize], domain: Domain, usual: Sequence[int], order: Order
) -> Sizes | None:
    """Give each size in turn the first value, in the given order, that leaves values for the others."""
    sizes: Sizes = {}
    for name in names:
        values = order(usual, sizes.values())
        rests = (
            (value, sized(domain, {**sizes, name: value}, derived))
            for value in chain(values, _from_least(name, values, domain))
        )
        found = next((found for found in rests if not found[1].is_empty()), None)
        if found is None:
            return None
        sizes[name], domain = found
    return sizes


def _from_least(name: str, values: Sequence[int], domain: Domain) -> Iterator[int]:
    """Yield the values counted from the least one that the domain has for a size."""
    alone = domain.project_out(*(other for other in domain.variables() if other != name))
    try:
        least = min((bound.constant for _, bound in extreme_of(alone, name, maximum=False)), default=0)
    except NotAffine:
        return
    yield from (least + value - min(values) for value in values)


def _rising(_usual: Sequence[int], _taken: Collection[int]) -> Sequence[int]:
    return range(1, _LAST_RESORT)


def _from_zero(_usual: Sequence[int], _taken: Collection[int]) -> Sequence[int]:
    return range(_LAST_RESORT)


def _shuffled(rng: Random) -> Order:
    """Order values at random, those that another size has last: equal sizes would hide transposed arrays."""

    def order(usual: Sequence[int], taken: Collection[int]) -> Sequence[int]:
        values = [*rng.sample(usual, len(usual)), *range(usual[-1] + 1, _LAST_RESORT), 0]
        return [*(value for value in values if value not in taken), *(value for value in values if value in taken)]

    return order


def _with_extents(parameters: Sequence[Parameter], domain: Domain) -> Domain:
    """Return the part of a domain where no extent is negative, and no size that may be something else."""
    arrays = [p.extents for p in parameters if p.role == "array" and p.extents is not None]
    domain &= where(*(f"{spelled(extent)} >= 0" for shape in arrays for extent in shape))
    return from_zero(domain, [parameter.name for parameter in parameters if parameter.role == "size"])


def is_possible(parameters: Sequence[Parameter], sizes: Mapping[str, int]) -> bool:
    """Tell whether every array exists at these sizes, with extents of at least 0 and elements that do not overlap."""
    for parameter in parameters:
        if parameter.role == "array" and parameter.extents is not None:
            if any(extent.at(sizes) < 0 for extent in parameter.extents):
                return False
            if not layout_of(parameter, sizes).is_injective:
                return False
    return True
