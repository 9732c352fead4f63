"""Equality for every order of the values that are compared: an induction over extremes has cases, ties among them.

``x > max(a, b) ? p : a > b ? q : r`` is decided by the order of three values.  They are numbers, so that one of
thirteen orders holds; under each, every comparison of them is known, and so is which is the greatest.  An infinity is
the greatest of all, or the least.  Where conditions choose what is compared, each of their truths is a case.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, rewrite
from tensorlift.comprehension.positions import position_of
from tensorlift.comprehension.rules import FALSE, TRUE
from tensorlift.comprehension.tensor import affine_of
from tensorlift.comprehension.terms import Apply, Constant, Reduce, Term, applies
from tensorlift.ops.dtypes import integer_range, is_integer
from tensorlift.proofs.source.unrolling import conditions_of, given, is_within, value_place, with_decided_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tensorlift.poly.domain import Domain

_COMPARISONS = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
_EXTREMES = {"max": max, "min": min}
_MOST_VALUES = 4  # of which there are 75 orders
_MOST_CONDITIONS = 2  # each doubles the number of cases


def equal_by_orders(left: Term, right: Term, domain: Domain) -> bool:
    """Tell whether two terms are proved equal on a domain, for each order of the values that their conditions compare.

    It is tried only where one of them has the position of an extreme, or compares with an extreme, or with an infinity
    under a condition.
    """
    if _has_extreme(left) and any(_equal_by_orders(left, right, domain, opens=opens) for opens in (False, True)):
        return True
    conditions = [*dict.fromkeys(_choosing((left, right)))]
    if not conditions and any(isinstance(n, Reduce) and n.op in _EXTREMES for n in rewrite.walk(left)):
        conditions = [condition for condition in conditions_of((left, right)) if not condition.has_domains]
    if not 0 < len(conditions) <= _MOST_CONDITIONS:
        return False
    for truths in itertools.product((TRUE, FALSE), repeat=len(conditions)):
        known = dict(zip(conditions, truths, strict=True))
        one, other = (given(side, known, domain) for side in (left, right))
        if one is not other and not _equal_by_orders(one, other, domain, opens=True):
            return False
    return True


def _has_extreme(term: Term) -> bool:
    """Tell whether a term has the position of an extreme, or compares with an extreme."""
    if any(isinstance(n, Reduce) and position_of(n) for n in rewrite.walk(term)):
        return True
    return any(isinstance(value, Reduce) and value.op in _EXTREMES for value in _compared((term,), opens=True))


def _choosing(sides: Iterable[Term]) -> Iterator[Term]:
    """Yield the conditions of selections that are compared, one of whose arms is an infinity."""
    for value in _compared(sides, opens=True):
        if applies(value, "select") and any(_end_of([arm]) for arm in value.args[1:]):
            yield from conditions_of((value,))


def _equal_by_orders(left: Term, right: Term, domain: Domain, *, opens: bool) -> bool:
    """Tell so by the values that are compared as they are, or with ``opens`` by those that they are chosen from."""
    values: list[list[Term]] = []
    for value in _compared((left, right), opens=opens):
        known = next((same for same in values if normal.alike(same[0], value, domain)), None)
        if known is None:
            values.append([value])
        elif value not in known:
            known.append(value)
    if not values or len(values) > _MOST_VALUES:
        return False
    ends, pairs = [_end_of(same) for same in values], list(_known_orders(values, domain))
    orders = (r for r in _orders(len(values)) if _fits(r, ends) and all(r[low] <= r[high] for low, high in pairs))
    return all(_equal_in(_Order(values, r), left, right, domain) for r in orders)


def _known_orders(values: list[list[Term]], domain: Domain) -> Iterator[tuple[int, int]]:
    """Yield which value is at most which: an index, and the least of values none of which is below it."""
    for (one, (fold, *_)), (other, (index, *_)) in itertools.permutations(enumerate(values), 2):
        limit = affine_of(index)
        if limit is None or not isinstance(fold, Reduce) or fold.op not in _EXTREMES or not is_integer(fold.dtype):
            continue
        if is_within(fold.body, limit, domain & fold.domain, fold.op):
            yield (one, other) if fold.op == "max" else (other, one)


def _end_of(same: list[Term]) -> int:
    """Return 1 for an infinity or the greatest integer, -1 for the least value, 0 for any other one."""
    for term in same:
        ends = integer_range(term.dtype) if isinstance(term, Constant) and is_integer(term.dtype) else (None, None)
        if applies(term, "infinity") or (isinstance(term, Constant) and term.value == ends[1]):
            return 1
        is_negative = applies(term, "neg") and applies(term.args[0], "infinity")
        if is_negative or (isinstance(term, Constant) and term.value == ends[0]):
            return -1
    return 0


def _fits(ranks: tuple[int, ...], ends: list[int]) -> bool:
    """Tell whether infinities have the ranks that they always have."""
    last = {1: max(ranks), -1: 0}
    return all(not end or rank == last[end] for rank, end in zip(ranks, ends, strict=True))


def _orders(count: int) -> Iterator[tuple[int, ...]]:
    """Yield the ranks of so many values in each order, equal ones alike."""
    for ranks in itertools.product(range(count), repeat=count):
        if set(ranks) == set(range(max(ranks) + 1)):
            yield ranks


def _equal_in(order: _Order, left: Term, right: Term, domain: Domain) -> bool:
    one, other = (order.decided(side, domain) for side in (left, right))
    return one is other or normal.equal(one, other, domain)


class _Order:
    """Values with their ranks; several terms may stand for one value."""

    def __init__(self, values: list[list[Term]], ranks: tuple[int, ...]) -> None:
        self.ranks = {term: rank for same, rank in zip(values, ranks, strict=True) for term in same}
        self._first = {(rank, term.dtype): term for term, rank in reversed(self.ranks.items())}

    def decided(self, term: Term, domain: Domain) -> Term:
        """Return a term with the selections decided that the order decides."""

        def rule(node: Term, where: Domain, descend: rewrite.Descend) -> Term:
            rank = self._rank(node)
            if rank is not None:
                return self._first.get((rank, node.dtype), node)
            if isinstance(node, Reduce):
                return with_decided_place(node, where, descend)
            if applies(node, "select") and (truth := self._truth(node.args[0])) is not None:
                return descend(node.args[1 if truth else 2], where)
            return rewrite.rebuild(node, lambda child: descend(child, where))

        return rewrite.transform(term, domain, rule)

    def _truth(self, condition: Term) -> bool | None:
        if not isinstance(condition, Apply):
            return None
        if condition.op == "not":
            inner = self._truth(condition.args[0])
            return None if inner is None else not inner
        if condition.op not in _COMPARISONS:
            return None
        left, right = map(self._rank, condition.args)
        return None if left is None or right is None else _COMPARISONS[condition.op](left, right)

    def _rank(self, term: Term) -> int | None:
        if applies(term, _EXTREMES):
            ranks = [self._rank(operand) for operand in term.args]
            known = [rank for rank in ranks if rank is not None]
            return _EXTREMES[term.op](known) if len(known) == len(ranks) else None
        return self.ranks.get(term)


def _compared(sides: Iterable[Term], *, opens: bool) -> Iterator[Term]:
    """Yield the values that the conditions of selections compare, those that an extreme is taken of one by one."""
    stack, seen = list(sides), set[Term]()
    while stack:
        node = stack.pop()
        place = value_place(node) if isinstance(node, Reduce) else None
        if place is not None:
            stack.append(place)
        if node in seen or not isinstance(node, Apply):
            continue
        seen.add(node)
        stack += node.args if opens or node.op != "select" else node.args[1:]
        condition = node.args[0] if node.op == "select" else None
        while applies(condition, "not"):
            condition = condition.args[0]
        if applies(condition, _COMPARISONS):
            yield from itertools.chain.from_iterable(map(_operands, condition.args))


def _operands(term: Term) -> Iterator[Term]:
    if applies(term, _EXTREMES):
        for operand in term.args:
            yield from _operands(operand)
    else:
        yield term
