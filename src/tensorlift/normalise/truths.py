"""Truth values: combined where they are conditions on sizes and loop variables, decided where what is around does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.normalise.cases import sign
from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.execution import Execution, Test
from tensorlift.normalise.values import Data
from tensorlift.poly.polynomial import ONE

if TYPE_CHECKING:
    from tensorlift.poly.loops import Known


def known_of(name: str, left: Test, right: Test) -> tuple[Known, Known]:
    """Give what is known where two truth values are combined, and where that does not hold."""
    if name == "arith.andi":
        return left.known[0] + right.known[0], ()
    if name == "arith.ori":
        return (), left.known[1] + right.known[1]
    for one, other in ((left, right), (right, left)):
        if one.condition is True:
            return other.known[1], other.known[0]
    return (), ()


def conjunction(left: Test, right: Test) -> Test | None:
    """Give the test that both hold, where it is no data."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one.condition, bool):
            return other if one.condition else one
    if not isinstance(left.condition, AffineCondition) or not isinstance(right.condition, AffineCondition):
        return None
    sides = [plain(left.condition), plain(right.condition)]
    if None in sides:
        return None
    constraints = tuple(c for side in sides if side is not None for c in side.constraints)
    return Test(AffineCondition(constraints), (left.known[0] + right.known[0], ()))


def plain(condition: AffineCondition) -> AffineCondition | None:
    """Give a condition that is not inverted, where it can be one."""
    if not condition.inverted:
        return condition
    ((polynomial, equality), *more) = condition.constraints
    if more or equality:
        return None
    return AffineCondition(((-polynomial - ONE, False),))


def inverted(test: Test) -> Test:
    """Give the contrary of a test that is no data."""
    known = (test.known[1], test.known[0])
    if isinstance(test.condition, bool):
        return Test(not test.condition, known)
    assert isinstance(test.condition, AffineCondition)
    return Test(AffineCondition(test.condition.constraints, not test.condition.inverted), known)


def disjunction(left: Test, right: Test) -> Test | None:
    """Give the test that one of two holds, where it is no data."""
    if isinstance(left.condition, Data) or isinstance(right.condition, Data):
        for one, other in ((left, right), (right, left)):
            if isinstance(one.condition, bool):
                return one if one.condition else other
        return None
    both = conjunction(inverted(left), inverted(right))
    return None if both is None else inverted(both)


def _exclusive(left: Test, right: Test) -> Test | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one.condition, bool):
            if not one.condition:
                return other
            return None if isinstance(other.condition, Data) else inverted(other)
    return None


COMBINED = {"arith.andi": conjunction, "arith.ori": disjunction, "arith.xori": _exclusive}


def decided_here(ex: Execution, test: Test) -> Test:
    """Decide an affine condition that the loops and conditions around it settle."""
    condition = test.condition
    if not isinstance(condition, AffineCondition):
        return test
    holds = True
    for polynomial, is_equality in condition.constraints:
        sides = (polynomial, -polynomial) if is_equality else (polynomial,)
        signs = [sign(ex, side) for side in sides]
        if False in signs:
            return Test(condition.inverted)
        holds = holds and None not in signs
    return Test(not condition.inverted) if holds else test


def joined_known(test: Test, first: Test, second: Test) -> tuple[Known, Known]:
    """Give what is known where a truth value holds, and where not, that is one of two by a test."""
    for arm, told, side in ((first, second, 0), (second, first, 1)):
        if isinstance(told.condition, bool):
            known = test.known[side] + arm.known[1 if told.condition else 0]
            return ((), known) if told.condition else (known, ())
    return (), ()
