"""Counts: a sum of reals that are all the same is one of them, times how many there are.

Sums of integers stay: they wrap, and a proof would have to show that products of counts do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.domain import Domain, NotAffine, at_least, equal
from tensorlift.comprehension.rewrite import rebuild_inside, simplified, transform
from tensorlift.comprehension.terms import Reduce, Term
from tensorlift.ops.dtypes import is_float

if TYPE_CHECKING:
    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.rewrite import Descend


def counted(definition: Definition) -> Definition:
    """Multiply instead of adding the same again and again, where the number of times is affine."""
    return definition.mapped(lambda term, domain: transform(term, domain, _rule))


def _rule(node: Term, where: Domain, descend: Descend) -> Term:
    if not node.has_domains:
        return node
    node = rebuild_inside(node, where, descend)
    if isinstance(node, Reduce) and _is_same_again(node):
        number = _number(node.bound[0], node.domain & where, where)
        if number is not None:
            return simplified("mul", (node.body, terms.index(number, node.dtype)))
    return node


def _is_same_again(fold: Reduce) -> bool:
    return fold.op == "sum" and is_float(fold.dtype) and len(fold.bound) == 1 and fold.bound[0] not in fold.body.free


def _number(name: str, points: Domain, where: Domain) -> Affine | None:
    """Return how many values a variable has at each point; None where that is no affine number."""
    if points.size != 1 or points.has_divisions:
        return None
    try:
        lows, highs = (points.extreme(name, maximum=maximum) for maximum in (False, True))
    except NotAffine:  # no bound, or none that is affine
        return None
    if len(lows) != 1 or len(highs) != 1:
        return None
    number = highs[0][1] - lows[0][1] + 1
    none = where - points.project_out(name)
    return number if where.implies(at_least(number, 0)) and none.implies(equal(number, 0)) else None
