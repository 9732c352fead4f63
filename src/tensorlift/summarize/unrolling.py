"""A second way to prove equalities of the induction step: unroll the last iteration, then decide by cases.

A reduction in the state after iteration ``i`` is the one in the state before, combined with its operand at ``i``: same
body, and a domain with exactly one point more, which isl verifies.  After that both sides hold the same reductions, and
what remains is to compare them under each truth of the conditions that select between terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, rewrite, terms
from tensorlift.comprehension.affine import affine
from tensorlift.comprehension.domain import Domain, equal
from tensorlift.comprehension.terms import COMBINER, Apply, Reduce, Term
from tensorlift.summarize.operations import FALSE, TRUE

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_REDUCTIONS = 8
MOST_CONDITIONS = 4  # each doubles the number of cases


def equal_after_unrolling(left: Term, right: Term, domain: Domain, variable: str) -> bool:
    """Tell whether two terms are proved equal on a domain; ``right`` is the state after iteration ``variable``."""
    earlier = [node for node in rewrite.walk(left) if isinstance(node, Reduce) and len(node.bound) == 1]
    if not earlier or len(earlier) > MOST_REDUCTIONS:
        return False
    unrolled = _unrolled(right, earlier, domain, variable)
    return _equal_by_cases(left, unrolled, domain, _conditions((left, unrolled)))


def _unrolled(term: Term, earlier: list[Reduce], domain: Domain, variable: str) -> Term:
    """Replace each outermost reduction by an earlier one and its last operand, where they match."""

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if isinstance(node, Reduce):
            return next((found for e in earlier if (found := _peeled(node, e, domain, variable)) is not None), node)
        return rewrite.rebuild(node, lambda child: descend(child, where))

    return rewrite.transform(term, domain, rule)


def _peeled(later: Reduce, earlier: Reduce, domain: Domain, variable: str) -> Term | None:
    if later.op != earlier.op or len(later.bound) != 1:
        return None
    (bound,), (other) = later.bound, earlier.bound
    if later is earlier or rewrite.substitute(earlier.body, {other[0]: affine(bound)}) is not later.body:
        return None
    last = Domain.of(equal(bound, variable)) & domain
    before = earlier.domain.rename({other[0]: bound}) & domain
    if not before.is_disjoint(last) or not (later.domain & domain).is_equal(before | last):
        return None
    operand = rewrite.substitute(later.body, {bound: affine(variable)})
    return terms.apply(COMBINER[later.op], earlier, operand)


def _conditions(sides: Iterable[Term]) -> list[Term]:
    """Return the conditions on data that select, outside of reductions, innermost last."""
    found: dict[Term, None] = {}
    stack, seen = list(sides), set[Term]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if isinstance(node, Apply):
            if node.op == "select":
                found.update(dict.fromkeys(_atoms(node.args[0])))
            stack += node.args
        elif not isinstance(node, Reduce):
            stack += node.children
    return list(found)


def _atoms(condition: Term) -> list[Term]:
    """Return the truth values that a condition combines."""
    if isinstance(condition, Apply) and condition.op in {"and", "or", "not"}:
        return [atom for operand in condition.args for atom in _atoms(operand)]
    return [condition]


def _equal_by_cases(left: Term, right: Term, domain: Domain, conditions: list[Term]) -> bool:
    if left is right or normal.equal(left, right, domain):
        return True
    if not conditions or len(conditions) > MOST_CONDITIONS:
        return False
    first, *rest = conditions
    cases = [(_given(left, first, truth, domain), _given(right, first, truth, domain)) for truth in (TRUE, FALSE)]
    return all(_equal_by_cases(one, other, domain, rest) for one, other in cases)


def _given(term: Term, condition: Term, truth: Term, domain: Domain) -> Term:
    """Put a truth value for a condition, outside of reductions."""

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if node is condition:
            return truth
        if isinstance(node, Reduce):
            return node
        return _folded(rewrite.rebuild(node, lambda child: descend(child, where)))

    return rewrite.transform(term, domain, rule)


def _folded(term: Term) -> Term:
    """Evaluate a connective of which an operand is known."""
    if not isinstance(term, Apply) or term.op not in {"and", "or", "not"}:
        return term
    if term.op == "not":
        return FALSE if term.args[0] is TRUE else TRUE if term.args[0] is FALSE else term
    decides, ignored = (FALSE, TRUE) if term.op == "and" else (TRUE, FALSE)
    if decides in term.args:
        return decides
    left, right = term.args
    return right if left is ignored else left if right is ignored else term
