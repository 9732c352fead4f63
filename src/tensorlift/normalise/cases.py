"""Integers and pointers with one value where a condition holds, and another elsewhere.

    l = i > 0 ? i - 1 : 0;  y[i] = x[l];          if (i >= 1) y[i] = x[i - 1]; else y[i] = x[0];

Arithmetic on them is done for each value.  What needs to know which one it is, a place in memory or the head of a loop,
is executed by cases, and a remainder by a size that wraps once has two values as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, cast

from xdsl.ir import Block, SSAValue

from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.values import Address, Choice, Data, Unknown
from tensorlift.poly.index_arithmetic import Index
from tensorlift.poly.polynomial import ONE, Polynomial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tensorlift.normalise.execution import Execution, Test

    Exact: TypeAlias = Index | Test | Polynomial
    Form: TypeAlias = Index | Address | Choice

_MOST_FORMS = 32
NO_VARIABLE = "a variable"  # stands for the name of what has none


def sign(ex: Execution, polynomial: Polynomial) -> bool | None:
    """Tell whether a polynomial is certainly not negative, or certainly negative, at this place."""
    for side, answer in ((polynomial, True), (-polynomial - ONE, False)):
        if ex.domain.says(side) or ex.ranges.is_certain(side, ex.domain):
            return answer
    return None


def decided(ex: Execution, value: object) -> object:
    """Give what a value is at this place, as far as the loops and conditions around decide it."""
    while isinstance(value, Choice):
        signs = [sign(ex, condition) for condition in value.conditions]
        if False in signs:
            value = value.otherwise
        elif None in signs:
            break
        else:
            value = value.then
    return value


def undecided(ex: Execution, values: Iterable[object]) -> Polynomial | None:
    """Give a polynomial on whose sign depends what one of the values is; None where all are decided."""
    for value in values:
        found = decided(ex, value)
        if isinstance(found, Choice):
            return next(condition for condition in found.conditions if sign(ex, condition) is None)
    return None


def both_signs(polynomial: Polynomial) -> tuple[tuple[Polynomial], tuple[Polynomial]]:
    """Give what is known where a polynomial is not negative, and where it is."""
    return (polynomial,), (-polynomial - ONE,)


def computed(ex: Execution, operands: Sequence[object], compute: Callable[[Sequence[object]], Exact | None]) -> Any:
    """Compute with integers or truth values, for each value that they have; None where one result is not exact.

    ``compute`` gives the exact result for operands that have one value, or a polynomial on whose sign it depends.
    """
    operands = [decided(ex, operand) for operand in operands]
    point = undecided(ex, operands)
    found = compute(operands) if point is None else point
    if not isinstance(found, Polynomial):
        return found
    arms: list[Any] = []
    for known in both_signs(found):
        with ex.inside(guards=known):
            arms.append(computed(ex, operands, compute))
        if arms[-1] is None:
            return None
    return joined(ex, AffineCondition(((found, False),)), arms[0], arms[1])


def emitted(ex: Execution, choice: Choice) -> Data:
    """Give a value of the program that is one of two."""
    blocks = (Block(), Block())
    values: list[Data] = []
    for block, value, known in zip(blocks, (choice.then, choice.otherwise), (choice.conditions, ()), strict=True):
        with ex.sink.inside(block), ex.inside(guards=known):
            values.append(ex.number_of(value))
    condition = AffineCondition(tuple((part, False) for part in choice.conditions))
    (made,) = ex.sink.choose(condition, blocks, [(values[0], values[1])], ex.place)
    return made


def chosen_form(ex: Execution, result: SSAValue, test: Test, arms: Sequence[object]) -> Form | None:
    """Give a value that steers, or a pointer, where both arms leave it exact; None where it is data."""
    is_place = result in ex.steering.values or str(result.type).startswith("memref")
    first, second = arms
    if not is_place or not isinstance(test.condition, AffineCondition):
        return None
    exact = [isinstance(arm, Index | Address | Choice) for arm in arms]
    if not any(exact) or not all(one or is_never_set(arm) for one, arm in zip(exact, arms, strict=True)):
        return None
    if not all(exact) and len(test.condition.constraints) > 1 and exact[0] == test.condition.inverted:
        return cast("Form", first if exact[0] else second)  # set where one condition of several fails, and used there
    return joined(ex, test.condition, cast("Form", first), cast("Form", second))


def is_never_set(value: object) -> TypeGuard[Unknown]:
    """Whether a value is that of a variable to which the source has given none."""
    return isinstance(value, Unknown) and value.reason == "uninitialised" and value.detail != NO_VARIABLE


def joined(ex: Execution, condition: AffineCondition, first: Form, second: Form) -> Form | None:
    """Choose between two values by a condition; None where there would be too many."""
    if isinstance(first, Index) and isinstance(second, Index) and first.polynomial == second.polynomial:
        return Index(first.polynomial, first.ctype, first.needs + second.needs)
    if condition.inverted:
        first, second = second, first
    if _forms(first) + _forms(second) > _MOST_FORMS:
        return None
    return Choice(tuple(_parts(ex, condition)), first, second)


def _parts(ex: Execution, condition: AffineCondition) -> Iterator[Polynomial]:
    """Yield what a condition asks (not what it inverts) as polynomials that are not negative."""
    for polynomial, is_equality in condition.constraints:
        sides = (polynomial, -polynomial) if is_equality else (polynomial,)
        yield from [side for side in sides if sign(ex, side) is not True] or [polynomial]


def _forms(value: Form) -> int:
    return _forms(value.then) + _forms(value.otherwise) if isinstance(value, Choice) else 1
