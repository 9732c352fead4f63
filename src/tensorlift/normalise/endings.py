"""For which sizes a program ends: what the branches that lead to its end ask, as a set of sizes.

A source may keep what is wrong in a number, and ask for that number later, as BLAS does:

    int pos = 0;  if (n < 0) pos = 3;  if (lda < n) pos = 5;  if (pos) xerbla(pos, ..);

Such a number has one of several values, each for a set of sizes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, OpResult

from tensorlift.ir.arithmetic import constant_of, predicate_of
from tensorlift.normalise.cases import decided
from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.execution import Execution, Test
from tensorlift.normalise.steering import yielded
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.index_arithmetic import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xdsl.ir import SSAValue

    from tensorlift.poly.domain import Constraint

Side: TypeAlias = "SSAValue | Affine"

_COMPARED: dict[str, Callable[[Affine, Affine], Constraint]] = {
    "==": equal,
    "<": less,
    "<=": lambda left, right: at_least(right, left),
    ">": lambda left, right: less(right, left),
    ">=": at_least,
}

_DECIDED: dict[str, Callable[[int], bool]] = {
    "==": lambda apart: apart == 0,
    "!=": lambda apart: apart != 0,
    "<": lambda apart: apart < 0,
    "<=": lambda apart: apart <= 0,
    ">": lambda apart: apart > 0,
    ">=": lambda apart: apart >= 0,
}
_EXTREMES = {"arith.maxsi": ">=", "arith.minsi": "<="}


def reaching(ex: Execution, branch: Operation, *, holds: bool, by_data: bool) -> Domain | None:
    """Give sizes such that others do not come to where the condition of a branch holds, or does not.

    Branches around that ask something else than sizes are taken to lead there if ``by_data`` says so.  None where these
    or the branch itself ask that, or it is in a loop.
    """
    found = _way(ex, branch, holds=holds)
    inner, outer = branch, branch.parent_op()
    while found is not None and outer is not None and outer is not ex.function:
        if outer.name != "scf.if":
            return None
        way = _way(ex, outer, holds=inner.parent is outer.regions[0].blocks.first)
        found = found & way if way is not None else found if by_data else None
        inner, outer = outer, outer.parent_op()
    for guard in ex.domain.guards if found is not None else ():
        known = guard.as_affine()
        found = found if found is None or known is None else found & Domain.of(at_least(known, 0))
    return None if found is None or not set(found.variables()) <= ex.ranges.sizes.keys() else found


def _way(ex: Execution, branch: Operation, *, holds: bool) -> Domain | None:
    asked = _truth(ex, branch.operands[0])
    return asked if asked is None or holds else asked.complement()


def _truth(ex: Execution, value: Side) -> Domain | None:
    """Give the sizes for which a truth value holds; None where it is of something else."""
    if isinstance(value, Affine):
        return EMPTY if value == Affine(0) else UNIVERSE
    found = decided(ex, ex.values.get(value))  # none where it is in an arm that is not taken
    known = found.condition if isinstance(found, Test) else None
    if isinstance(known, bool):
        return UNIVERSE if known else EMPTY
    if isinstance(known, AffineCondition):
        return _of_condition(known)
    match value.owner:
        case Operation(name="arith.constant"):
            return UNIVERSE if constant_of(value) else EMPTY
        case Operation(name="arith.andi" | "arith.ori" | "arith.xori" as name) as op:
            left, right = (_truth(ex, operand) for operand in op.operands)
            return None if left is None or right is None else _JOINED[name](left, right)
        case Operation(name="arith.cmpi") as op:
            operator, is_signed = predicate_of(op)
            is_known = is_signed or operator in {"==", "!="}
            return _compared(ex, operator, op.operands[0], op.operands[1]) if is_known else None
    found = _chosen(value)
    return None if found is None else _either(*(_truth(ex, one) for one in found))


def _of_condition(condition: AffineCondition) -> Domain | None:
    sides = [(polynomial.as_affine(), is_zero) for polynomial, is_zero in condition.constraints]
    known = [equal(side, 0) if is_zero else at_least(side, 0) for side, is_zero in sides if side is not None]
    if len(known) < len(sides):
        return None
    return Domain.of(*known).complement() if condition.inverted else Domain.of(*known)


_JOINED: dict[str, Callable[[Domain, Domain], Domain]] = {
    "arith.andi": lambda left, right: left & right,
    "arith.ori": lambda left, right: left | right,
    "arith.xori": lambda left, right: (left - right) | (right - left),
}


def _compared(ex: Execution, operator: str, left: Side, right: Side) -> Domain | None:
    """Give the sizes for which a comparison holds, of signed numbers that branches choose."""
    left, right = (_exact(ex, side) or side for side in (left, right))
    for number, side in enumerate((left, right)):
        if not isinstance(side, Affine):
            chosen = _by_sizes(ex, side)
            if chosen is None:
                return None
            asked, *ends = chosen
            sides = ((end, right) if number == 0 else (left, end) for end in ends)
            then, otherwise = (_compared(ex, operator, *pair) for pair in sides)
            return _either(asked, then, otherwise)
    assert isinstance(left, Affine)
    assert isinstance(right, Affine)
    apart = left - right
    if apart.is_constant:
        return UNIVERSE if _DECIDED[operator](apart.constant) else EMPTY
    found = Domain.of(_COMPARED["==" if operator == "!=" else operator](left, right))
    return found.complement() if operator == "!=" else found


def _exact(ex: Execution, side: Side) -> Affine | None:
    """Give an integer that sizes tell."""
    if isinstance(side, Affine):
        return side
    number = constant_of(side)
    if number is not None:
        return Affine(int(number))
    found = decided(ex, ex.values.get(side))
    exact = found.polynomial.as_affine() if isinstance(found, Index) else None
    if isinstance(found, Index) and exact is not None:
        ex.rely_on(found)
    return exact


def _either(asked: Domain | None, then: Domain | None, otherwise: Domain | None) -> Domain | None:
    """Give the sizes for which one of two holds, as another condition says; overlapping parts are simpler."""
    if asked is None or then is None or otherwise is None:
        return None
    if then is UNIVERSE or otherwise is EMPTY:
        return asked & then | otherwise
    return (asked & then) | (otherwise - asked)


def _by_sizes(ex: Execution, value: SSAValue) -> tuple[Domain | None, Side, Side] | None:
    """Give the sizes for which a number is the first of two, and both; the greater of two is chosen so too."""
    if isinstance(value, OpResult) and value.op.name in _EXTREMES:
        first, second = value.op.operands
        return _compared(ex, _EXTREMES[value.op.name], first, second), first, second
    chosen = _chosen(value)
    return None if chosen is None else (_truth(ex, chosen[0]), chosen[1], chosen[2])


def _chosen(value: SSAValue) -> tuple[SSAValue, Side, Side] | None:
    """Give the condition by which a value is chosen, and what it is where that holds, and where not."""
    match value:
        case OpResult(op=Operation(name="arith.select") as op):
            return op.operands[0], op.operands[1], op.operands[2]
        case OpResult(op=Operation(name="arith.extui") as op) if op.operands[0].type == i1:
            return op.operands[0], Affine(1), Affine(0)
        case OpResult(op=Operation(name="scf.if") as op, index=index):
            return op.operands[0], yielded(op, 0)[index], yielded(op, 1)[index]
    return None


def factors(sizes: Domain) -> Iterator[Domain]:
    """Yield sets of which a set is the product: those of one size each, where its values do not depend on others."""
    for name in sizes.variables():
        rest = sizes.project_out(name)
        alone = sizes.project_out(*(other for other in sizes.variables() if other != name)).coalesce()
        if sizes.is_equal(rest & alone):
            yield alone
            sizes = rest.coalesce()
    yield sizes


def stated(sizes: Domain, known: Domain) -> list[list[list[Constraint]]]:
    """Spell a set of sizes as conditions that all hold where some are known: of each, one of its conjunctions does.

    Raises:
        NotAffine: where it needs a division.

    """
    left = sizes.gist(known).coalesce()
    conjuncts = left.conjuncts()
    sides = dict.fromkeys(side for conjunct in conjuncts for constraint in conjunct for side in _sides(constraint))
    common = [side for side in sides if (sizes & known).implies(side) and not known.implies(side)]
    rest = left.gist(known & Domain.of(*common)).coalesce()
    choices = [conjunct for conjunct in rest.conjuncts() if conjunct]
    if len(choices) == 1:
        return [*([[side]] for side in common), *([[side]] for constraint in choices[0] for side in _sides(constraint))]
    return [*([[side]] for side in common), *([choices] if choices else [])]


def _sides(constraint: Constraint) -> list[Constraint]:
    """Give an equality as two inequalities."""
    sides = (constraint.affine, -constraint.affine) if constraint.is_equality else (constraint.affine,)
    return [at_least(side, 0) for side in sides]
