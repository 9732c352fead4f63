"""Checks of the source: what they say of sizes is asked of the caller, and what they say of data is refused.

A way on which the program ends is not taken: its condition, where it is one of sizes and loop variables, becomes a
precondition.  A check that a size of what a function returns is the one that the caller expects tells that size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import CmpiOp
from xdsl.ir import Block, Operation

from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.literal_function import CAPITALS, NEGATIVE, OF_PART, TELLS, UNREAD, WRITES, why_left_out
from tensorlift.normalise.bounds import ask_for_extent, ask_for_part
from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.endings import factors, reaching, stated
from tensorlift.normalise.truths import decided_here, inverted, plain
from tensorlift.normalise.values import Address, Array, Data, Unknown
from tensorlift.poly.domain import NotAffine
from tensorlift.poly.index_arithmetic import Index, Need
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import LiftError, Location
    from tensorlift.normalise.execution import Execution, Rule, Test
    from tensorlift.poly.domain import Constraint
    from tensorlift.poly.loops import Domain


def require(ex: Execution, op: Operation, test: Test, ending: Operation, *, holds: bool = True) -> None:
    """Ask that the condition of an operation holds, or does not, when it is tested, as the program ends elsewhere."""
    (condition,) = op.operands
    asked = test.condition if holds or isinstance(test.condition, Data) else inverted(test).condition
    if isinstance(asked, AffineCondition):
        asked = plain(asked) or asked
    tested = condition.owner
    location = ex.at(ending if isinstance(tested, Block) or constant_of(condition) == 0 else tested)
    if asked is True:
        return
    bounds: tuple[Polynomial, ...] = ()
    if isinstance(asked, AffineCondition) and not asked.inverted:
        bounds = tuple(side for p, is_zero in asked.constraints for side in ((p, -p) if is_zero else (p,)))
    elif isinstance(asked, AffineCondition) and [is_zero for _, is_zero in asked.constraints] == [True]:
        ((apart, _),) = asked.constraints
        bounds = tuple(side - ONE for side in (apart, -apart) if ex.ranges.is_nonnegative(side, ex.domain))
    least = [ex.ranges.minimum(bound, ex.domain) for bound in bounds]
    if not bounds or ex.branches_around or None in least:
        if not _excluded(ex, op, _kind(ending), location, holds=not holds):
            raise _refused(ex, ending, location)
        return
    for bound, lowest in zip(bounds, least, strict=True):
        assert lowest is not None
        if (lowest.constant_value or 0) < 0 and not ex.ranges.is_certain(bound, ex.domain):
            raise _refused(ex, ending, location)
        ex.preconditions.demand(Need(_kind(ending), bound, location), ex.domain)


def _excluded(ex: Execution, op: Operation, kind: str, location: Location, *, holds: bool) -> bool:
    """Ask for sizes for which the program does not end where a condition holds, or does not; tell whether there are."""
    reached = reaching(ex, op, holds=holds, by_data=kind == "error")
    if reached is None:
        return False
    kept = ex.sizes
    for part in reached.coalesce().parts():  # one by one, as the parts of what is left are joined in between
        kept = (kept - part).coalesce()
    if kept.is_empty():
        return False
    try:
        for sizes in factors(kept):
            if not ex.sizes.is_subset(sizes):
                _ask_for(ex, stated(sizes, ex.sizes), kind, location)
    except NotAffine:
        return False
    ex.sizes = kept
    return True


def _ask_for(
    ex: Execution, conditions: Sequence[Sequence[Sequence[Constraint]]], kind: str, location: Location
) -> None:
    """Record conditions that all hold, each a choice of conjunctions."""
    for choices in conditions:
        constraints = [[(Polynomial.of(one.affine), one.is_equality) for one in choice] for choice in choices]
        if len(choices) > 1:
            ex.preconditions.choose(kind, constraints, location)
        else:
            ex.preconditions.insist(kind, constraints[0][0][0], location)


def _refused(ex: Execution, ending: Operation, location: Location) -> LiftError:
    message: Any = ending.properties["msg"]
    refused = why_left_out(ending)
    if refused is not None:
        return refused
    if _kind(ending) == "error":
        return refusal("output" if message.data.startswith(WRITES) else "tells", ex.at(ending), _name(ending))
    if message.data.startswith(UNREAD):
        return refusal("ending-check", location, message.data.removeprefix(UNREAD))
    name = _name(ending)
    return refusal("ending-assert" if name == "assert" else "ending", location, name)


def _kind(ending: Operation) -> str:
    """Give the kind of a precondition: the program ends where it does not hold, or calls what tells of an error."""
    message: Any = ending.properties["msg"]
    if message.data == CAPITALS:
        return "capital"
    if why_left_out(ending) is not None:
        return "left-out"
    return "error" if message.data.startswith(TELLS) else "assertion"


def _name(ending: Operation) -> str:
    """Give the name of what ends the program, which the message quotes."""
    message: Any = ending.properties["msg"]
    return str(message.data).rpartition("`")[0].rpartition("`")[2] or "assert"


def _checked(ex: Execution, op: Operation) -> None:
    (condition,) = op.operands
    message: Any = op.properties["msg"]
    ask = _ASKED.get(message.data)
    if ask is not None and isinstance(condition.owner, CmpiOp):
        ask(ex, condition.owner)
    elif isinstance(ex.values[condition], Unknown):
        _expected(ex, condition.owner)
    else:
        require(ex, op, decided_here(ex, ex.test(condition)), op)


def _expected(ex: Execution, comparison: Operation | Block) -> None:
    """Give an array that is returned the extent that it is compared with."""
    found = [] if isinstance(comparison, Block) else [ex.values[operand] for operand in comparison.operands]
    for told, given in (found, found[::-1]) if len(found) > 1 else ():
        if isinstance(told, Unknown) and told.reason == "extent" and isinstance(given, Index):
            dimension = ex.language.returned[told.detail]
            (array,) = [
                bound.base
                for variable, bound in ex.environment.items()
                if variable.name == dimension.array and isinstance(bound, Address) and isinstance(bound.base, Array)
            ]
            ex.rely_on(given)
            axes = range(dimension.rank)
            _settle(ex, array, [given.polynomial if axis == dimension.axis else None for axis in axes], ex.place)
            return
    unknown = next((value for value in found if isinstance(value, Unknown) and value.reason != "extent"), None)
    if unknown is not None:
        raise refusal(unknown.reason, ex.place, unknown.detail)
    raise refusal("extent-data", ex.place)


def _settle(ex: Execution, array: Array, extents: Sequence[Polynomial | None], location: Location) -> None:
    """Fix the extents of an array where it is handed on, None where any will do; refuse two that differ."""
    array.settled.append((list(extents), ex.domain))
    exact: list[Polynomial | None] = []
    for position, here in enumerate(extents):
        given = [(polynomial, domain) for f, domain in array.settled if (polynomial := f[position]) is not None]
        exact.append(_one_for_all(ex, given, array, location) if given else None)
        polynomial = exact[-1]
        if polynomial is not None and here is not None:
            ex.preconditions.demand(Need("extent", polynomial, location), ex.domain)
            if polynomial.is_affine:
                array.extents[position] = polynomial
    array.exact = tuple(exact)


def _one_for_all(ex: Execution, given: list[tuple[Polynomial, Domain]], array: Array, location: Location) -> Polynomial:
    """Return one of the extents that equals each where that is given."""
    ranges = ex.ranges
    if all(ranges.leaves(polynomial) <= ranges.sizes.keys() for polynomial, _ in given):
        for candidate, _ in given:
            if all(_are_equal(ex, candidate, polynomial, domain) for polynomial, domain in given):
                return candidate
    raise refusal("extent", location, array.name)


def _are_equal(ex: Execution, one: Polynomial, other: Polynomial, domain: Domain) -> bool:
    return one == other or all(ex.ranges.is_certain(side, domain) for side in (one - other, other - one))


_ASKED = {NEGATIVE: ask_for_extent, OF_PART: ask_for_part}
CHECKS: dict[str, Rule] = {"cf.assert": _checked}
