"""A first look: terms that only differ in names of bound variables and the order and grouping of operands are equal.

So are subscripts that the equalities of the context make the same.  A selection of the greater or lesser of two terms
is their maximum or minimum, and signs and constant factors may stand before or inside of a sum.  That is most of what
is asked (a program read back against the definition that it was made from, a step of an induction), and it costs a
tenth of the normal form.  Of a piecewise value only the piece is compared that the context selects.  The look is
bounded: it may miss what the normal form then shows.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from tensorlift.comprehension.tensor import affine_of
from tensorlift.comprehension.terms import Apply, Index, Piecewise, Read, Reduce, Term, applies, apply, reduce
from tensorlift.ops.dtypes import is_integer
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.poly.affine import Affine, solved
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from tensorlift.comprehension.normal.atoms import Renaming
    from tensorlift.poly.domain import Domain

STEPS = 1500
MOST_OPERANDS = 32  # of a sum or product that are compared in any order

_SUMS = frozenset({"add", "sub", "neg"})
_NEGATIVE = frozenset({"sub", "neg"})
# The operations whose operands are combined in any order and grouping, and those that combine with them.
_GROUPED = dict.fromkeys(_SUMS, _SUMS) | {
    op: frozenset({op}) for op in ("mul", "max", "min", "fmax", "fmin", "and", "or")
}
_GREATER = {"gt": True, "ge": True, "lt": False, "le": False}

Operands = list[tuple[bool, Term]]  # those of a sum with their signs; all others count as positive
Names = dict[str, Affine]  # from bound variables of the right term to those of the left one


_answers: dict[tuple[Term, Term, Domain], bool] = SESSION.table()


class _GaveUp(Exception):  # noqa: N818 - an answer, not a failure
    """Raised where the look takes too long."""


def alike(left: Term, right: Term, context: Domain) -> bool:
    """Tell whether two terms are seen at once to be equal at every point of the context."""
    question = (left, right, context)
    known = _answers.get(question)
    if known is None:
        known = _answers[question] = _look(left, right, context)
    return known


def _look(left: Term, right: Term, context: Domain) -> bool:
    try:
        return _Look(context).terms(left, right, {}, {})
    except _GaveUp:
        return False


def _variables(names: Names) -> set[str]:
    return {v for a in names.values() for v in a.variables}


class _Look:
    def __init__(self, context: Domain) -> None:
        self.context = context
        self.steps = STEPS
        self._fixed: Renaming | None = None
        self._pieces: dict[Piecewise, Term] = {}

    def terms(self, left: Term, right: Term, names: Names, seen: dict[tuple[Term, Term], bool]) -> bool:
        """Compare two terms; ``seen`` has the answers under the present names."""
        if left is right and left.free.isdisjoint(names) and left.free.isdisjoint(_variables(names)):
            return True
        if type(left) is not type(right):
            left, right = (_opened(self._applicable(side, names)) for side in (left, right))
        if left.dtype != right.dtype or type(left) is not type(right):
            return False
        answer = seen.get((left, right))
        if answer is None:
            self.steps -= 1
            if self.steps < 0:
                raise _GaveUp
            answer = seen[left, right] = self._compare(left, right, names, seen)
        return answer

    def _applicable(self, term: Term, names: Names) -> Term:
        """Return the piece that applies at all points of the context; inside of folds nobody looks for one."""
        if not isinstance(term, Piecewise) or names:
            return term
        found = self._pieces.get(term)
        if found is None:
            found = next((piece for domain, piece in term.pieces if self.context.is_subset(domain)), term)
            self._pieces[term] = found
        return found

    def _compare(self, left: Term, right: Term, names: Names, seen: dict[tuple[Term, Term], bool]) -> bool:
        if isinstance(left, Apply) and isinstance(right, Apply):
            return self._applications(left, right, names, seen)
        if isinstance(left, Read) and isinstance(right, Read):
            return (
                left.array == right.array
                and len(left.indices) == len(right.indices)
                and all(self._same(a, b.substitute(names)) for a, b in zip(left.indices, right.indices, strict=True))
            )
        if isinstance(left, Reduce) and isinstance(right, Reduce):
            return self._folds(left, right, names)
        if isinstance(left, Piecewise) and isinstance(right, Piecewise):
            return len(left.pieces) == len(right.pieces) and all(
                self._domains(d, e, names) and self.terms(t, u, names, seen)
                for (d, t), (e, u) in zip(left.pieces, right.pieces, strict=True)
            )
        if isinstance(left, Index) and isinstance(right, Index):
            return self._same(left.affine, right.affine.substitute(names))
        return left is right

    def _same(self, left: Affine, right: Affine) -> bool:
        """Tell whether two expressions are the same, perhaps by the equalities of the context."""
        if left == right or self.context.vanishes(left - right):
            return True
        if self._fixed is None:
            self._fixed = solved(self.context.equalities())
        return left.substitute(self._fixed) == right.substitute(self._fixed)

    def _applications(self, left: Apply, right: Apply, names: Names, seen: dict[tuple[Term, Term], bool]) -> bool:
        left, right = as_extreme(left), as_extreme(right)
        group = _GROUPED.get(left.op)
        if group is not None and right.op in group:
            ours, theirs = _operands(left, group), _operands(right, group)
            if ours is not None and theirs is not None:
                return self._paired(ours, theirs, names, seen)
        if left.op != right.op:
            return False
        if all(self.terms(a, b, names, seen) for a, b in zip(left.args, right.args, strict=True)):
            return True
        if not SCALAR_OPS[left.op].commutative:
            return False
        return all(self.terms(a, b, names, seen) for a, b in zip(left.args, right.args[::-1], strict=True))

    def _paired(self, ours: Operands, theirs: Operands, names: Names, seen: dict[tuple[Term, Term], bool]) -> bool:
        """Tell whether each operand of one side has a partner of its own on the other."""
        if len(ours) != len(theirs):
            return False
        for sign, term in ours:
            partner = next((o for o in theirs if o[0] == sign and self.terms(term, o[1], names, seen)), None)
            if partner is None:
                return False
            theirs.remove(partner)
        return True

    def _folds(self, left: Reduce, right: Reduce, names: Names) -> bool:
        if left.op != right.op or len(left.bound) != len(right.bound):
            return False
        inner = {v: a for v, a in names.items() if v not in right.bound}
        if not right.free.isdisjoint(left.bound) or not _variables(inner).isdisjoint(left.bound):
            return False  # a name would be captured
        if any(self.context.mentions(v) for v in left.bound):
            return False  # what the context says of it is not meant
        inner.update(zip(right.bound, map(Affine.var, left.bound), strict=True))
        if not self._domains(left.domain, right.domain, inner):
            return False
        return self.terms(left.body, right.body, inner, {})

    def _domains(self, left: Domain, right: Domain, names: Names) -> bool:
        if left is right and not names:
            return True
        renamed = right.substitute(names)
        if left.is_equal(renamed):
            return True
        return (self.context & left).is_equal(self.context & renamed)


def as_extreme(term: Apply) -> Apply:
    """Return the maximum or minimum that a selection by a comparison of its own arms is; else the term."""
    if term.op != "select":
        return term
    condition, *arms = term.args
    if not applies(condition, _GREATER) or arms[0].dtype != arms[1].dtype:
        return term
    if set(condition.args) != set(arms) and not _is_next(condition, arms):
        return term
    is_greater = _GREATER[condition.op] == (condition.args[0] is arms[0])
    return apply("max" if is_greater else "min", *arms)


def _is_next(condition: Apply, arms: list[Term]) -> bool:
    """Tell whether an integer is compared with the one next to what is chosen: ``t >= n`` is ``t > n - 1``."""
    value, limit = condition.args
    if not is_integer(value.dtype) or value not in arms:
        return False
    bound, arm = affine_of(limit), affine_of(arms[arms[0] is value])
    return bound is not None and arm is not None and bound - arm == Affine(_NEXT[condition.op])


_NEXT = {"ge": 1, "lt": 1, "le": -1, "gt": -1}


def _opened(term: Term) -> Term:
    """Return a sum over points with signs and constant factors before it, and a sum of sums for one of sums."""
    if not isinstance(term, Reduce) or term.op != "sum" or not isinstance(term.body, Apply):
        return term
    body = term.body
    if body.op in _SUMS and all(operand.dtype == term.dtype for operand in body.args):
        return apply(body.op, *(reduce("sum", term.bound, term.domain, operand) for operand in body.args))
    factors = [factor for _, factor in (_operands(body, _GROUPED["mul"]) or [])] if body.op == "mul" else []
    constant = [factor for factor in factors if factor.free.isdisjoint(term.bound)]
    rest = [factor for factor in factors if not factor.free.isdisjoint(term.bound)]
    if not constant or not rest or any(factor.dtype != term.dtype for factor in factors):
        return term
    if any(map(_is_infinite, constant)):
        return term  # times a sum of nothing it would be a NaN
    return _product([*constant, reduce("sum", term.bound, term.domain, _product(rest))])


def _is_infinite(factor: Term) -> bool:
    """Tell whether an infinity or NaN that the source writes is among what a factor is computed of."""
    return isinstance(factor, Apply) and (factor.op in ("infinity", "nan") or any(map(_is_infinite, factor.args)))


def _product(factors: list[Term]) -> Term:
    return functools.reduce(lambda left, right: apply("mul", left, right), factors)


def _operands(term: Apply, group: frozenset[str]) -> Operands | None:
    """Return what a sum, a product or the like combines, in order; None where it is too much to pair."""
    found: Operands = []
    stack: Operands = [(True, term)]
    while stack:
        positive, node = stack.pop()
        node = _opened(node)
        if applies(node, group) and node.dtype == term.dtype:
            *first, last = node.args
            stack.append((positive == (node.op not in _NEGATIVE), last))
            stack += [(positive, a) for a in first]
        else:
            found.append((positive, node))
        if len(found) + len(stack) > MOST_OPERANDS:
            return None
    return found
