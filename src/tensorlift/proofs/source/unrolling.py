"""How the induction proves equalities: it unrolls the last iteration, compares, and decides by cases where it must.

A reduction in the state after iteration ``i`` is the one in the state before, combined with its operand at ``i``: same
body, and a domain with exactly one point more, which isl verifies.  After the first iteration it is that operand.  A
reduction over no points is its neutral element.
After that both sides hold the same reductions, and look alike as a rule; else they are compared under each truth of the
conditions that select between terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, rewrite, terms
from tensorlift.comprehension.counts import is_alone
from tensorlift.comprehension.flags import simplified_flag
from tensorlift.comprehension.positions import Position, position_of
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.tensor import affine_of
from tensorlift.comprehension.terms import COMBINER, Apply, Constant, Index, Reduce, Term, applies
from tensorlift.ir.scalar_terms import neutral
from tensorlift.ops.dtypes import integer_range, is_integer
from tensorlift.ops.scalar_ops import OPPOSITE
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, equal, less

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


_SIGNS: dict[str, Callable[[Affine, Affine], Constraint]] = {
    "ge": at_least,
    "lt": less,
    "le": lambda left, right: at_least(right, left),
    "gt": lambda left, right: less(right, left),
}
MOST_REDUCTIONS = 8
MOST_CONDITIONS = 4  # each doubles the number of cases


def unrolled(left: Term, right: Term, domain: Domain, variable: str) -> Term:
    """Return ``right``, the state after iteration ``variable``, over the reductions of ``left``, the state before."""
    if not right.has_domains:
        return right
    right = rewrite.substitute(right, _at_iteration(right.free - left.free, domain, variable))
    folds = (n for n in rewrite.walk(left) if isinstance(n, Reduce) and len(n.bound) == 1 and variable in n.free)
    earlier = [fold for fold in folds if rewrite.place_of(fold) is None]
    return _unrolled(right, earlier, domain, variable) if len(earlier) <= MOST_REDUCTIONS else right


def _at_iteration(cell: frozenset[str], domain: Domain, variable: str) -> dict[str, Affine]:
    """Return what the indices of a cell are in the iteration that writes it."""
    found: dict[str, Affine] = {}
    for equality in domain.zeros:
        names = [name for name in equality.variables if name in cell and name != variable]
        value = equality.solve(names[0]) if len(names) == 1 and equality.coefficient(variable) else None
        if value is not None:
            found.setdefault(names[0], value)
    return found


def equal_by_cases(left: Term, right: Term, domain: Domain) -> bool:
    """Tell whether two terms are proved equal on a domain, for each truth of the conditions that they test.

    It is tried at a glance first; conditions that look alike are one.
    """
    found: list[Term] = []
    for condition in conditions_of((left, right)):
        other = next((c for c in found if c.has_domains and normal.alike(c, condition, domain)), None)
        if other is None:
            found.append(condition)
        else:
            left, right = (_replaced(side, condition, other) for side in (left, right))
    return any(_equal_by_cases(left, right, domain, {}, same) for same in (normal.alike, normal.equal))


def _replaced(term: Term, condition: Term, other: Term) -> Term:
    """Put a condition for another one, outside of reductions."""

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if node is condition:
            return other
        return node if isinstance(node, Reduce) else rewrite.rebuild(node, lambda child: descend(child, where))

    return rewrite.transform(term, UNIVERSE, rule)


def without_empty(term: Term, domain: Domain) -> Term:
    """Return a term with the neutral element for each outermost reduction that has no points in the domain."""

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if not node.has_domains:
            return node
        if isinstance(node, Reduce):
            if (where & node.domain).is_empty():
                return neutral(node.op, node.dtype)
            return _at_its_place(node, where, descend) or node
        return rewrite.rebuild_inside(node, where, descend)

    return rewrite.transform(term, domain, rule)


def _unrolled(term: Term, earlier: list[Reduce], domain: Domain, variable: str) -> Term:
    """Replace each outermost reduction by an earlier one and its last operand, or by its only operand."""

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if not node.has_domains:
            return node
        if isinstance(node, Reduce):
            return _at_its_place(node, where, descend) or _peeled(node, earlier, domain, variable)
        return rewrite.rebuild(node, lambda child: descend(child, where))

    return rewrite.transform(term, domain, rule)


def _at_its_place(node: Reduce, where: Domain, descend: rewrite.Descend) -> Term | None:
    """Return a value at a place that depends on data with that place rewritten; None for other reductions."""
    place = value_place(node)
    return None if place is None else _with_place(node, descend(place, where))


def with_decided_place(node: Reduce, where: Domain, descend: rewrite.Descend) -> Term:
    """Return a value at a place with that rewritten, and as what is there if it is an index; other ones as they are."""
    moved = _at_its_place(node, where, descend)
    return node if moved is None else _cell(moved, where)


def value_place(fold: Reduce) -> Term | None:
    """Return ``t`` of a read at ``t``, and of ``sum(k : ...) select(t == k, value, 0)``, the value at ``t``."""
    body = fold.body
    if fold.op != "sum" or len(fold.bound) != 1 or not applies(body, "select") or not applies(body.args[0], "eq"):
        return rewrite.place_of(fold)
    place, at = body.args[0].args
    is_picked = isinstance(at, Index) and at.affine == affine(fold.bound[0]) and fold.bound[0] not in place.free
    return place if is_picked and body.args[2] is terms.zero(fold.dtype) else None


def _with_place(fold: Reduce, place: Term) -> Term:
    """Return what is at another place."""
    if rewrite.place_of(fold) is not None:
        return rewrite.with_place(fold, place)
    test, value, nothing = fold.body.children
    chosen = terms.apply("select", terms.apply("eq", place, test.children[1]), value, nothing)
    return terms.reduce("sum", fold.bound, fold.domain, chosen)


def _cell(read: Term, domain: Domain) -> Term:
    """Return what is at a place that depends on data as what is there, if the place is known by now."""
    if not isinstance(read, Reduce) or not isinstance(read.body, Apply):
        return read
    index = affine_of(value_place(read) or read)
    if index is None:
        return read
    cell = {read.bound[0]: index}
    is_inside = domain.is_subset(read.domain.substitute(cell))
    return rewrite.substitute(read.body.args[1], cell) if is_inside else read


def _peeled(later: Reduce, earlier: list[Reduce], domain: Domain, variable: str) -> Term:
    if len(later.bound) != 1 or variable not in later.free or later in earlier:
        return later
    found = position_of(later)
    if found is not None:
        return _peeled_position(later, found, earlier, domain, variable)
    (bound,) = later.bound
    last, points = Domain.of(equal(bound, variable)) & domain, later.domain & domain
    operand = rewrite.substitute(later.body, {bound: affine(variable)})
    for fold in earlier:
        if fold.op == later.op and _has_body(fold, later, points):
            before = fold.domain.rename({fold.bound[0]: bound}) & domain
            if before.is_disjoint(last) and points.is_equal(before | last):
                if _stores_once(later, before, variable):
                    return terms.apply("select", *operand.children[:2], fold)
                return terms.apply(COMBINER[later.op], fold, _unrolled(operand, earlier, domain, variable))
    return operand if points.is_equal(last) else later


def _stores_once(fold: Reduce, before: Domain, variable: str) -> bool:
    """Tell whether a sum is what is stored in a cell that no iteration hits that one before hits."""
    body = fold.body
    if fold.op != "sum" or not applies(body, "select") or body.args[2] is not terms.zero(body.dtype):
        return False
    (bound,) = fold.bound
    condition = rewrite.substitute(body.args[0], {bound: affine(variable)})
    return before.implies(less(bound, variable)) and is_alone(condition, variable, bound, before)


def _peeled_position(later: Reduce, found: Position, earlier: list[Reduce], domain: Domain, variable: str) -> Term:
    """Choose between the position before and the point that follows all points before."""
    here = terms.index(affine(variable), later.dtype)
    last, points = Domain.of(equal(found.bound, variable)) & domain, found.domain & domain
    value = rewrite.substitute(found.body, {found.bound: affine(variable)})
    for fold in earlier:
        before = position_of(fold)
        if before is None or not _is_same_position(before, found, points):
            continue
        passed = before.domain.rename({before.bound: found.bound}) & domain
        is_some = domain.is_subset(passed.project_out(found.bound))
        if is_some and passed.implies(less(found.bound, variable)) and points.is_equal(passed | last):
            return terms.apply("select", terms.apply(before.beaten_by, value, before.extreme), here, fold)
    return here if points.is_equal(last) else later


def _is_same_position(one: Position, other: Position, points: Domain) -> bool:
    if (one.is_greatest, one.is_last) != (other.is_greatest, other.is_last):
        return False
    body = rewrite.substitute(one.body, {one.bound: affine(other.bound)})
    return body is other.body or normal.alike(body, other.body, points)


def _has_body(fold: Reduce, other: Reduce, points: Domain) -> bool:
    """Tell whether two reductions over one variable each fold the same operand."""
    body = rewrite.substitute(fold.body, {fold.bound[0]: affine(other.bound[0])})
    return body is other.body or normal.alike(body, other.body, points)


def conditions_of(sides: Iterable[Term]) -> list[Term]:
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
        elif isinstance(node, Reduce):
            place = value_place(node)
            stack += () if place is None else (place,)
        else:
            stack += node.children
    return [atom for atom in found if atom not in (TRUE, FALSE)]


def _atoms(condition: Term) -> list[Term]:
    """Return the truth values that a condition combines."""
    if applies(condition, {"and", "or", "not", "select"}):
        return [atom for operand in condition.args for atom in _atoms(operand)]
    return [condition]


def _equal_by_cases(
    left: Term, right: Term, domain: Domain, known: Mapping[Term, Term], same: Callable[[Term, Term, Domain], bool]
) -> bool:
    """Tell whether two terms are equal, where some conditions have a known truth."""
    if left is right or same(left, right, domain):
        return True
    conditions = conditions_of((left, right))
    conditions = [c for c in conditions if not c.has_domains] or conditions  # these decide the others, if any does
    if not conditions or len(conditions) > MOST_CONDITIONS - len(known):
        return False
    for truth in (TRUE, FALSE):
        facts = {**known, conditions[0]: truth}
        if not _equal_by_cases(given(left, facts, domain), given(right, facts, domain), domain, facts, same):
            return False
    return True


def given(term: Term, known: Mapping[Term, Term], domain: Domain) -> Term:
    """Put truth values for conditions, outside of reductions, and zero for a number that is not unequal to zero."""
    vanishing = {c.children[0] for c, truth in known.items() if truth is FALSE and _is_nonzero(c)}

    def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
        if node in known:
            return known[node]
        if node in vanishing:
            return terms.zero(node.dtype)
        if isinstance(node, Reduce):
            return with_decided_place(node, where, descend)
        found = _folded(_bounded(rewrite.rebuild(node, lambda child: descend(child, where)), domain), domain)
        return found if found is node else _as_known(found, known, domain)

    return rewrite.transform(term, domain, rule)


def _as_known(term: Term, known: Mapping[Term, Term], domain: Domain) -> Term:
    """Return the truth of a term that has become one of the conditions, perhaps with other names for the indices."""
    if not isinstance(term, Apply) or term.dtype != "bool":
        return term
    alike = (c for c in known if applies(c, term.op) and c.reads == term.reads)
    return next((known[c] for c in alike if c is term or normal.equal(c, term, domain)), term)


def _is_nonzero(term: Term) -> bool:
    if not applies(term, "ne"):
        return False
    return isinstance(term.args[1], Constant) and not term.args[1].value


def _folded(term: Term, domain: Domain) -> Term:
    """Evaluate a connective or comparison of which an operand has become known, or which indices decide."""
    if applies(term, _SIGNS) and is_integer(term.args[0].dtype):
        left, right = map(affine_of, term.args)
        if left is not None and right is not None:
            holds, fails = _SIGNS[term.op](left, right), _SIGNS[OPPOSITE[term.op]](left, right)
            return TRUE if domain.implies(holds) else FALSE if domain.implies(fails) else term
    return (simplified_flag(term.op, term.args, term.dtype) if isinstance(term, Apply) else None) or term


def _bounded(term: Term, domain: Domain) -> Term:
    """Return the greater or lesser of a fold over indices and an index, where it is known which one that is."""
    if not applies(term, {"max", "min"}) or not is_integer(term.dtype):
        return term
    nothing = neutral("max" if term.op == "max" else "min", term.dtype)
    known = [a for a in term.args if a is not nothing]
    if len(known) < len(term.args):
        return known[0] if known else nothing
    for place, bound in (term.args, term.args[::-1]):
        at, limit = affine_of(place), affine_of(bound)
        if at is not None and limit is not None and is_within(bound, at, domain, term.op):
            return place
    folds = [a for a in term.args if isinstance(a, Reduce) and a.op == term.op]
    others = [a for a in term.args if isinstance(a, Index | Constant)]
    if len(folds) != 1 or len(others) != 1:
        return term
    (fold,), (other,) = folds, others
    limit, inside = affine_of(other), domain & fold.domain
    if limit is None:
        return term
    if is_within(fold.body, limit, inside, fold.op):
        return other
    turned = "min" if fold.op == "max" else "max"
    is_some = domain.is_subset(inside.project_out(*fold.bound))
    return fold if is_some and is_within(fold.body, limit, inside, turned) else term


def is_within(term: Term, limit: Affine, domain: Domain, op: str) -> bool:
    """Tell whether an index, or the one of two that data choose, is nowhere beyond a limit."""
    if applies(term, "select"):
        return all(is_within(arm, limit, domain, op) for arm in term.args[1:])
    if isinstance(term, Constant) and term.value == integer_range(term.dtype)[0 if op == "max" else 1]:
        return True
    place = affine_of(term)
    return place is not None and domain.implies(at_least(limit, place) if op == "max" else at_least(place, limit))
