"""Chooses small sizes to test at: the smallest set that the preconditions allow, then random ones, mostly distinct.

Sizes are drawn one after the other inside the domain of the preconditions, so that no draw is in vain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import UNIVERSE, parse_domain
from tensorlift.diagnostics import refuse
from tensorlift.ir.linear import Linear, Quotient, linear_expression
from tensorlift.runtime.layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from random import Random

    from tensorlift.comprehension.domain import Domain
    from tensorlift.ir.function import FunctionView, Parameter, Requirement

    Sizes = dict[str, int]
    Order = Callable[[Sequence[int], Collection[int]], Sequence[int]]

_LARGEST = 9
_LAST_RESORT = 40  # where the preconditions rule out everything up to the usual bound
_LARGEST_CONSTANT = 4096  # where an extent must be at least some constant of the source
_TRIES = 24
_TRIES_FOR_ONE = 400  # where strides that are products, such as head * width <= stride, rule out most draws


def choose_sizes(
    parameters: Sequence[Parameter], domain: Domain, rng: Random, count: int, *, largest: int = _LARGEST
) -> tuple[Sizes, ...]:
    """Choose up to ``count`` distinct size sets of the domain at which every array can exist, the smallest first.

    No size is above ``largest`` unless the domain, or the wish for distinct sizes, needs more.
    Raises LiftError TL610 where none is found.
    """
    names = [parameter.name for parameter in parameters if parameter.role == "size"]
    domain = domain & _with_extents(parameters)
    usual = range(1, max(largest, len(names) + 1) + 1)
    chosen: list[Sizes] = []
    for tries, order in enumerate((_rising, *[_shuffled(rng)] * _TRIES_FOR_ONE)):
        sizes = _draw(names, domain, usual, order)
        if sizes is not None and sizes not in chosen and is_possible(parameters, sizes):
            chosen.append(sizes)
        if len(chosen) == count or not names or (chosen and tries >= _TRIES):
            break
    if not chosen:
        message = f"no sizes up to {_LARGEST_CONSTANT} meet the preconditions"
        raise refuse("TL610", message, parameters[0].location if parameters else None, "loosen the preconditions")
    return tuple(chosen)


def _draw(names: Sequence[str], domain: Domain, usual: Sequence[int], order: Order) -> Sizes | None:
    """Give each size in turn the first value, in the given order, that leaves values for the others."""
    sizes: Sizes = {}
    for name in names:
        for value in order(usual, sizes.values()):
            rest = domain.at({name: value})
            if not rest.is_empty():
                sizes[name], domain = value, rest
                break
        else:
            return None
    return sizes


def _rising(_usual: Sequence[int], _taken: Collection[int]) -> Sequence[int]:
    return range(_LARGEST_CONSTANT + 1)


def _shuffled(rng: Random) -> Order:
    """Order values at random, those that another size has last: equal sizes would hide transposed arrays."""

    def order(usual: Sequence[int], taken: Collection[int]) -> Sequence[int]:
        values = [*rng.sample(usual, len(usual)), *range(usual[-1] + 1, _LAST_RESORT), 0]
        return sorted(values, key=lambda value: value in taken)

    return order


def _with_extents(parameters: Sequence[Parameter]) -> Domain:
    """Return the sizes from 0 on at which no extent is negative."""
    arrays = [p.extents for p in parameters if p.role == "array" and p.extents is not None]
    sizes = [Linear.size(p.name) for p in parameters if p.role == "size"]
    return _where([f"{_spell(least)} >= 0" for least in (*sizes, *(extent for shape in arrays for extent in shape))])


def _where(conditions: Sequence[str]) -> Domain:
    return parse_domain(" and ".join(dict.fromkeys(conditions))) if conditions else UNIVERSE


def _spell(expression: Linear) -> str:
    """Spell an expression for isl."""
    terms = [f"{k} * {size if isinstance(size, str) else _floor(size)}" for size, k in expression.terms]
    return " + ".join([*terms, str(expression.constant)])


def _floor(quotient: Quotient) -> str:
    return f"floor(({_spell(quotient.numerator)}) / {quotient.divisor})"


def is_possible(parameters: Sequence[Parameter], sizes: Mapping[str, int]) -> bool:
    """Tell whether every array exists at these sizes, with extents of at least 0 and elements that do not overlap."""
    for parameter in parameters:
        if parameter.role == "array" and parameter.extents is not None:
            if any(extent.at(sizes) < 0 for extent in parameter.extents):
                return False
            if not layout_of(parameter, sizes).is_injective:
                return False
    return True


def required(view: FunctionView) -> Domain:
    """Return the sizes from 0 on that meet what the front end assumed, as far as that is affine."""
    conditions = [f"{name} >= 0" for name in view.size_names]
    for row in view.requires:
        conditions += _conditions(row)
    return _where(conditions)


def set_of(requirement: Requirement) -> Domain:
    """Return the sizes that meet the affine form of a requirement."""
    return _where(list(_conditions(requirement)))


def _conditions(requirement: Requirement) -> Iterator[str]:
    """Spell the affine form of a requirement for isl, constraint by constraint."""
    symbols = [Linear.size(name) for name in requirement.sizes]
    for constraint in requirement.condition.constraints if requirement.condition is not None else ():
        left, right = (linear_expression(side, (), symbols) for side in (constraint.lhs, constraint.rhs))
        relation = "=" if constraint.kind.value == "==" else constraint.kind.value
        yield f"{_spell(left)} {relation} {_spell(right)}"
