"""Chooses small sizes to test at: the smallest set that the preconditions allow, then random ones, mostly distinct."""

from __future__ import annotations

from functools import partial
from itertools import chain, islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.diagnostics import refuse
from tensorlift.ir.linear import Linear, linear_expression
from tensorlift.runtime.layout import layout_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from xdsl.ir.affine import AffineSet

    from tensorlift.ir.function import FunctionView, Parameter

    Sizes = dict[str, int]
    Predicate = Callable[[Mapping[str, int]], bool]

_LARGEST = 9
_TRIES = 400
_MANY = 6


def choose_sizes(
    parameters: Sequence[Parameter], predicate: Predicate, rng: np.random.Generator, count: int
) -> tuple[Sizes, ...]:
    """Choose up to ``count`` distinct size sets at which ``predicate`` holds and every extent is at least 0.

    The first is the smallest there is.  Raises LiftError TL610 where none is found.
    """
    names = [parameter.name for parameter in parameters if parameter.role == "size"]
    fits = partial(_fits, parameters, predicate)
    smallest = filter(fits, _small_sets(names))
    random = filter(fits, (_random_set(names, rng, attempt) for attempt in range(_TRIES)))
    chosen: list[Sizes] = []
    for sizes in chain(islice(smallest, 1), random, smallest):
        if sizes not in chosen:
            chosen.append(sizes)
        if len(chosen) == count or not names:
            break
    if not chosen:
        message = f"no sizes up to {_LARGEST} meet the preconditions"
        raise refuse("TL610", message, parameters[0].location if parameters else None, "loosen the preconditions")
    return tuple(chosen)


def _fits(parameters: Sequence[Parameter], predicate: Predicate, sizes: Sizes) -> bool:
    return is_possible(parameters, sizes) and predicate(sizes)


def is_possible(parameters: Sequence[Parameter], sizes: Mapping[str, int]) -> bool:
    """Tell whether every array exists at these sizes, with extents of at least 0 and elements that do not overlap."""
    for parameter in parameters:
        if parameter.role == "array" and parameter.extents is not None:
            if any(extent.at(sizes) < 0 for extent in parameter.extents):
                return False
            if not layout_of(parameter, sizes).is_injective:
                return False
    return True


def requirements_hold(view: FunctionView) -> Predicate:
    """Give the predicate of the preconditions that the front end assumed, as far as they are affine."""
    conditions = [row.condition for row in view.requires if row.condition is not None]
    names = view.size_names

    def holds(sizes: Mapping[str, int]) -> bool:
        return all(_holds(condition, [sizes[name] for name in names]) for condition in conditions)

    return holds


def _holds(condition: AffineSet, symbols: Sequence[int]) -> bool:
    values = [Linear((), value) for value in symbols]
    return all(
        _COMPARE[constraint.kind.value](
            linear_expression(constraint.lhs, (), values).constant,
            linear_expression(constraint.rhs, (), values).constant,
        )
        for constraint in condition.constraints
    )


_COMPARE: dict[str, Any] = {"==": int.__eq__, ">=": int.__ge__, "<=": int.__le__}


def _small_sets(names: Sequence[str]) -> Iterator[Sizes]:
    """Give sets of small values by rising sum: all below 4 of up to six sizes, fewer where there are more sizes."""
    base = 4 if len(names) <= _MANY else 2
    every = islice(product(range(base), repeat=min(len(names), 2 * _MANY)), 4**_MANY)
    rest = (0,) * (len(names) - 2 * _MANY)
    yield from (dict(zip(names, (*values, *rest), strict=True)) for values in sorted(every, key=sum))
    yield from (dict.fromkeys(names, value) for value in range(1, 4))


def _random_set(names: Sequence[str], rng: np.random.Generator, attempt: int) -> Sizes:
    """Draw distinct values, every other time rising for strides that exceed extents.

    Where a third of the tries did not give enough, the preconditions may want equal sizes: then draw from two values.
    """
    pool = np.arange(1, _LARGEST + 1 + max(0, len(names) - 4))
    if attempt > _TRIES // 3:
        values = rng.choice(rng.choice(pool, 2), len(names))
    else:
        values = rng.choice(pool, len(names), replace=False)
        values = np.sort(values) if attempt % 2 else values
    return dict(zip(names, map(int, values), strict=True))
