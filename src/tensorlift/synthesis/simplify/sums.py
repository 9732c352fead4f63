"""Sums that are simpler than the source's: over blocks, of the same again and again, of converted products.

*Blocks*: ``sum(b : 0 <= b < m) sum(k : 0 <= k < 16) f(16 b + k)`` and
``sum(b : 0 <= b < m) sum(k : 16 b <= k < 16 b + 16) f(k)`` are ``sum(k : 0 <= k < 16 m) f(k)``: each point is in one
block only, and nothing else depends on which.  Tiled loops come out of the summariser in the first forms.  Unrolled
loops give ``sum(b : 0 <= b < m) (f(2 b) + f(2 b + 1))``, where a new variable counts the points of a block first.

*Counts*: a sum of reals that are all the same is one of them, times how many there are.  Sums of integers stay: they
wrap, and a proof would have to show that products of counts do not.

*Conversions* of sums of products of integers move so that the sums are contractions.  A sum in floats that becomes an
integer again is a sum of integers.  Where it stays a float, each factor is converted instead of the product, if the
product cannot leave its type and is larger than its factors.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.ranges import ends_of, never_wraps
from tensorlift.comprehension.rewrite import (
    Descend,
    flattened,
    rebuild,
    rebuild_inside,
    simplified,
    substitute,
    transform,
    walk,
)
from tensorlift.comprehension.terms import COMBINER, Apply, Index, Read, Reduce, Term, cast, reduce
from tensorlift.comprehension.whole import in_integers
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import is_single_valued
from tensorlift.synthesis.simplify.arithmetic import factors, operands, product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import Definition


def without_blocks(definition: Definition) -> Definition:
    """Return a definition with one reduction for those over blocks."""
    return definition.mapped(lambda term, domain: transform(term, domain, _without_blocks))


def _without_blocks(term: Term, domain: Domain, descend: Descend) -> Term:
    if not term.has_domains:
        return term
    if isinstance(term, Reduce):
        flat = flattened(term)
        whole = (_over_points(flat, domain) if len(flat.bound) > 1 else None) or without_steps(flat, domain)
        if whole is not None:
            return descend(whole, domain)
    return rebuild_inside(term, domain, descend)


def without_steps(fold: Reduce, domain: Domain) -> Term | None:
    """Return one reduction over all points for one that takes several of them in each step; None where it does not."""
    rolled = _rolled(fold)
    whole = None if rolled is None else _over_points(rolled, domain)
    has_gaps = isinstance(whole, Reduce) and whole.domain.has_divisions
    return None if has_gaps else whole


def _over_points(fold: Reduce, domain: Domain) -> Term | None:
    """Return a reduction without a variable of which nothing depends but where the others are; None without one."""
    for found in _numbered(fold):
        for block in found.bound:
            if block not in found.body.free and is_single_valued(found.domain & domain, block):
                left = tuple(v for v in found.bound if v != block)
                return terms.reduce(fold.op, left, found.domain.project_out(block).plain(), found.body)
    return None


def _numbered(flat: Reduce) -> Iterator[Reduce]:
    """Yield a reduction as it is, and with the points of all blocks numbered through: ``k`` for ``16 b + k``."""
    yield flat
    for block in flat.bound:
        for point in flat.bound:
            ratio = _ratio(flat.body, block, point)
            if ratio is None:
                continue
            number = fresh("k")
            value = {point: Affine.var(number) - Affine.var(block, ratio)}
            bound = tuple(number if v == point else v for v in flat.bound)
            moved = terms.reduce(flat.op, bound, flat.domain.substitute(value), substitute(flat.body, value))
            if isinstance(moved, Reduce):
                yield moved


def _rolled(fold: Reduce) -> Reduce | None:
    """Give a reduction of what a loop does several times with one more variable, which counts these times."""
    parts = operands(fold.body, COMBINER[fold.op])
    time = fresh("k")
    for first, second in permutations(parts, 2):
        body = _between(first, second, time)
        if body is None or all((_ratio(body, block, time) or 0) <= 0 for block in fold.bound):
            continue
        times = [substitute(body, {time: Affine(k)}) for k in range(len(parts))]
        if set(times) == set(parts):
            points = fold.domain & Domain.of(at_least(time, 0), less(time, len(times)))
            rolled = terms.reduce(fold.op, (*fold.bound, time), points, body)
            assert isinstance(rolled, Reduce)
            return rolled
    return None


def _between(one: Term, other: Term, time: str) -> Term | None:
    """Give a term that is one term where a variable is 0, and another one where it is 1, if that is linear in it."""
    if isinstance(one, Read) and isinstance(other, Read) and one.array == other.array:
        steps = [b - a for a, b in zip(one.indices, other.indices, strict=True)]
        if not all(step.is_constant for step in steps):
            return None
        indices = (a + Affine.var(time, step.constant) for a, step in zip(one.indices, steps, strict=True))
        return terms.read(one.array, tuple(indices), one.dtype)
    if isinstance(one, Index) and isinstance(other, Index) and one.dtype == other.dtype:
        step = other.affine - one.affine
        return terms.index(one.affine + Affine.var(time, step.constant), one.dtype) if step.is_constant else None
    if isinstance(one, Apply) and isinstance(other, Apply) and (one.op, one.dtype) == (other.op, other.dtype):
        args = [_between(a, b, time) for a, b in zip(one.args, other.args, strict=True)]
        known = tuple(arg for arg in args if arg is not None)
        return simplified(one.op, known, one) if len(known) == len(args) else None
    return one if one is other else None


def _ratio(body: Term, block: str, point: str) -> int | None:
    """Return by how many points a block is before the next one, as the first subscript with both of them says."""
    for node in walk(body):
        for index in node.indices if isinstance(node, Read) else ():
            of_block, of_point = index.coefficient(block), index.coefficient(point)
            if of_block and of_point:
                whole = of_block % of_point == 0 and abs(of_block) > abs(of_point)
                return of_block // of_point if whole else None
    return None


def counted(definition: Definition) -> Definition:
    """Multiply instead of adding the same again and again, where the number of times is affine."""
    return definition.mapped(lambda term, domain: transform(term, domain, _rule))


def _rule(node: Term, where: Domain, descend: Descend) -> Term:
    if not node.has_domains:
        return node
    node = rebuild_inside(node, where, descend)
    is_real_sum = isinstance(node, Reduce) and node.op == "sum" and is_float(node.dtype)
    if isinstance(node, Reduce) and is_real_sum and len(node.bound) == 1 and node.bound[0] not in node.body.free:
        number = _number(node.bound[0], node.domain & where, where)
        if number is not None:
            return simplified("mul", (node.body, terms.index(number, node.dtype)))
    return node


def _number(name: str, points: Domain, where: Domain) -> Affine | None:
    """Return how many values a variable has at each point; None where that is no affine number."""
    if points.size != 1 or points.has_divisions:
        return None
    ends = ends_of(points, name)
    if ends is None:
        return None
    number = ends[1] - ends[0] + 1
    none = where - points.project_out(name)
    return number if where.implies(at_least(number, 0)) and none.implies(equal(number, 0)) else None


def contractible(definition: Definition) -> Definition:
    """Return a definition whose float sums of integer products are sums of products in one type."""
    if not any(map(_is_float_sum, definition.nodes())):
        return definition
    return definition.mapped(lambda term, _: _with_products(in_integers(term), {}))


def _is_float_sum(term: Term) -> bool:
    return isinstance(term, Reduce) and term.op == "sum" and is_float(term.dtype)


def _with_products(term: Term, known: dict[Term, Term]) -> Term:
    """Convert factors instead of products in every float sum of a term."""
    found = known.get(term)
    if found is None:
        found = rebuild(term, lambda child: _with_products(child, known))
        if isinstance(found, Reduce) and _is_float_sum(found):
            found = reduce("sum", found.bound, found.domain, _converted_factors(found.body))
        known[term] = found
    return found


def _converted_factors(term: Term) -> Term:
    if not isinstance(term, Apply) or not is_float(term.dtype):
        return term
    if term.op in ("add", "sub", "mul", "neg"):
        return rebuild(term, _converted_factors)
    if term.op != "cast":
        return term
    (operand,) = term.args
    if is_integer(operand.dtype) and never_wraps(operand) and _is_larger(operand):
        return product([cast(_unconverted(factor), term.dtype) for factor in factors(operand)[0]], [], term)
    return term


def _is_larger(term: Term) -> bool:
    """Tell whether an integer is a product with more indices than any of its factors."""
    return all(factor.free < term.free for factor in factors(term)[0])


def _unconverted(term: Term) -> Term:
    """Look through conversions of integers that keep every value."""
    while isinstance(term, Apply) and term.op == "cast" and is_integer(term.args[0].dtype) and never_wraps(term):
        (term,) = term.args
    return term
