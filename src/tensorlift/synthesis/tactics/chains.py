"""Matrix chains: products of many arrays in the cheapest order, whatever the order in which the source multiplies them.

A product of two arrays costs as many multiplications as there are values of its indices.  A chain, in which each summed
index joins two neighbours, is parenthesised by dynamic programming, for any length; other products of up to five arrays
by trying every order.  Sizes that the source does not give count as one large number, so that among orders that only
unknown sizes tell apart the one that is written stays.

Where sizes choose that nobody knows, there is for each size of a chain an order that multiplies outwards from it:
what is left of it from right to left, what is right of it from left to right.  Where that size is the least, the order
takes at most twice the multiplications of the best one.  These are one more than the matrices, and up to four matrices
they are all orders.  An order that never takes fewer multiplications than another is left out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache, reduce
from math import prod
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Definition, KeptLoop, Summary
from tensorlift.comprehension.rewrite import multiplied, rebuild, substitute
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.ir.cost import UNKNOWN
from tensorlift.poly.affine import Affine
from tensorlift.poly.names import fresh
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.synthesis.derive.contraction import plan
from tensorlift.synthesis.derive.scope import ranges_of
from tensorlift.synthesis.simplify.arithmetic import product
from tensorlift.synthesis.simplify.inline import drop_dead
from tensorlift.synthesis.tactics.matching import opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.poly.domain import Domain


Labels = frozenset[str]
Tree = int | tuple["Tree", "Tree"]
_PAIR = 2


@dataclass(frozen=True)
class Order:
    """An order of a product: its tree over the positions of the factors, and its multiplications."""

    tree: Tree
    cost: int


def chain_order(extents: Sequence[int]) -> Order:
    """Return the cheapest order of a chain of matrices: ``k`` has ``extents[k]`` rows and ``extents[k + 1]`` columns.

    The classical dynamic programme; among equals the order from left to right.
    """

    @cache
    def best(first: int, last: int) -> Order:
        if first == last:
            return Order(first, 0)
        found: Order | None = None
        for split in reversed(range(first, last)):
            left, right = best(first, split), best(split + 1, last)
            cost = left.cost + right.cost + extents[first] * extents[split + 1] * extents[last + 1]
            if found is None or cost < found.cost:
                found = Order((left.tree, right.tree), cost)
        assert found is not None
        return found

    return best(0, len(extents) - 2)


def parenthesised(tree: Tree, names: Sequence[str]) -> str:
    """Spell an order as in ``(A @ B) @ C``."""
    if isinstance(tree, int):
        return names[tree]
    left, right = (parenthesised(part, names) for part in tree)
    left = left if isinstance(tree[0], int) else f"({left})"
    return f"{left} @ {right}" if isinstance(tree[1], int) else f"{left} @ ({right})"


def product_order(factors: Sequence[Labels], output: Labels, extents: Mapping[str, int]) -> Order:
    """Return the cheapest known order of a product that is summed over every index which is not in the output."""
    line = in_line(factors, output)
    if line is not None:
        positions, joints = line
        found = chain_order([extents[j] if j else 1 for j in joints])
        return Order(placed(found.tree, positions), found.cost)
    steps = plan(factors, output)[1]
    trees: list[Tree] = list(range(len(factors)))
    for left, right in steps:
        trees[left] = (trees[left], trees[right])
        del trees[right]
    return Order(trees[0], cost_of(trees[0], factors, output, extents))


def cost_of(tree: Tree, factors: Sequence[Labels], output: Labels, extents: Mapping[str, int]) -> int:
    """Return the multiplications of an order."""

    def visit(node: Tree, needed: Labels) -> tuple[Labels, int]:
        if isinstance(node, int):
            return factors[node], 0
        inside = [_union(part, factors) for part in node]
        left, one = visit(node[0], needed | inside[1])
        right, other = visit(node[1], needed | inside[0])
        union = left | right
        return union & needed, one + other + prod(extents[label] for label in union)

    return visit(tree, output)[1]


def _union(tree: Tree, factors: Sequence[Labels]) -> Labels:
    return factors[tree] if isinstance(tree, int) else _union(tree[0], factors) | _union(tree[1], factors)


def placed(tree: Tree, positions: Sequence[int]) -> Tree:
    """Return a tree over other positions."""
    return positions[tree] if isinstance(tree, int) else (placed(tree[0], positions), placed(tree[1], positions))


def in_line(factors: Sequence[Labels], output: Labels) -> tuple[list[int], list[str | None]] | None:
    """Return the factors of a chain in line, and the index before, between and behind them; None where it is none."""
    holders = {label: [k for k, f in enumerate(factors) if label in f] for f in factors for label in f}
    joints = {label: held for label, held in holders.items() if label not in output}
    ends = {label: held for label, held in holders.items() if label in output}
    if any(len(f) > _PAIR for f in factors) or any(len(held) != 1 for held in ends.values()):
        return None
    if any(len(held) != _PAIR for held in joints.values()) or len(joints) != len(factors) - 1:
        return None
    starts = [k for k, f in enumerate(factors) if sum(label in joints for label in f) == 1]
    if len(starts) != _PAIR:
        return None
    line, position, previous = [starts[0]], starts[0], next((x for x in factors[starts[0]] if x in ends), None)
    between: list[str | None] = [previous]
    while len(line) < len(factors):
        joint = next(x for x in sorted(factors[position]) if x in joints and x != between[-1])
        position = next(k for k in joints[joint] if k != position)
        if position in line:
            return None
        line.append(position)
        between.append(joint)
    return line, [*between, next((x for x in factors[position] if x in ends and x != between[0]), None)]


# -- terms


def product_of(term: Term) -> tuple[Reduce, list[Term]] | None:
    """Return a sum of products with its factors, folds among them opened; None for any other term."""
    if not isinstance(term, Reduce) or term.op != "sum":
        return None
    listed, bound, domain = [], list(term.bound), term.domain
    for factor in multiplied(term.body):
        inner = product_of(opened(factor))
        if inner is None:
            listed.append(factor)
            continue
        names = {v: fresh("k") for v in inner[0].bound}
        bound += names.values()
        domain = domain & inner[0].domain.rename(names)
        listed += [substitute(f, {v: Affine.var(n) for v, n in names.items()}) for f in inner[1]]
    whole = terms.reduce("sum", tuple(bound), domain, product(listed, [], term))
    assert isinstance(whole, Reduce)
    return whole, listed


def nested(whole: Reduce, factors: Sequence[Term], tree: Tree) -> Term:
    """Return the sum of products in an order: each product is summed over what nothing outside of it needs."""
    labels = [factor.free.intersection(whole.bound) for factor in factors]

    def visit(node: Tree, needed: frozenset[str]) -> Term:
        if isinstance(node, int):
            return factors[node]
        free = [_union(part, labels) for part in node]
        parts = [visit(node[0], needed | free[1]), visit(node[1], needed | free[0])]
        body = product(parts, [], whole)
        own = tuple(v for v in whole.bound if v in body.free and v not in needed)
        others = [v for v in whole.bound if v not in own]
        return terms.reduce("sum", own, whole.domain.project_out(*others), body)

    return visit(tree, frozenset())


def lengths_in(term: Reduce, domain: Domain, axes: Sequence[str]) -> dict[str, Affine] | None:
    """Return the number of values of each axis and bound variable over the sizes; None where one has no one range."""
    names = (*axes, *term.bound)
    spans = ranges_of(domain & term.domain, names, names)
    return None if spans is None else {name: after - first for name, (first, after) in spans.items()}


def counted(length: Affine) -> int:
    """Return a length as a number, ``UNKNOWN`` where it is a size."""
    return length.constant if length.is_constant else UNKNOWN


def paired(term: Reduce, domain: Domain, axes: Sequence[str]) -> Term | None:
    """Return a sum of products of three or more factors with inner sums; None where no order has any."""
    factors = [f for f in multiplied(term.body) if not f.free.isdisjoint({*axes, *term.bound})]
    if len(factors) <= _PAIR or len(factors) != len(multiplied(term.body)):
        return None
    lengths = lengths_in(term, domain, axes)
    if lengths is None:
        return None
    names = frozenset((*axes, *term.bound))
    extents = {name: counted(length) for name, length in lengths.items()}
    order = product_order([f.free & names for f in factors], frozenset(axes), extents)
    found = nested(term, factors, order.tree)
    inside = multiplied(found.body) if isinstance(found, Reduce) else [found]
    return found if len(inside) < len(factors) else None


# -- definitions


@dataclass(frozen=True)
class Product:
    """A sum of products of many factors in a definition, locals put in.

    The definition is ``value`` with ``place``, which is the product ``whole``; ``written`` are the lengths in each
    product of the source.
    """

    definition: Definition
    value: Term
    place: Term
    whole: Reduce
    factors: list[Term]
    labels: list[Labels]
    lengths: dict[str, Affine]
    written: list[list[Affine]]

    def multiplied(self, tree: Tree) -> Definition:
        """Return the definition with the products in an order."""
        ((domain, _),) = self.definition.pieces
        product_ = nested(self.whole, self.factors, tree)
        return replace(self.definition, pieces=((domain, _exchanged(self.value, self.place, product_)),))


def reordered(summary: Summary) -> Summary:
    """Return a summary whose chains of products, over several definitions too, are in the cheapest order.

    Locals that a chain runs through disappear; where no order is cheaper than the source's, it stays.
    """
    return exchanged(summary, [_cheapest(found) for found in products_in(summary)])


def exchanged(summary: Summary, new: Sequence[Definition | None]) -> Summary:
    """Return a summary with new definitions in the place of those of the same name, without what nothing needs then."""
    named = {definition.name: definition for definition in new if definition is not None}
    if not named:
        return summary
    items = [named.get(item.name, item) for item in summary.items if isinstance(item, Definition)]
    wanted = {name for _, name in summary.outputs} | {summary.result}
    return replace(summary, items=tuple(drop_dead(items, {name for name in wanted if name is not None})))


def products_in(summary: Summary) -> list[Product]:
    """Return the definitions that are products of three or more factors; none where a loop is kept."""
    if any(isinstance(item, KeptLoop) for item in summary.items):
        return []
    items = [item for item in summary.items if isinstance(item, Definition)]
    wanted = {name for _, name in summary.outputs} | {summary.result}
    reads = Counter(n.array for d in items for n in d.nodes() if isinstance(n, Read))
    inner = {d.name: d for d in items if d.name not in wanted and reads[d.name] == 1 and len(d.pieces) == 1}
    found = [_product_in(definition, inner) for definition in items]
    return [one for one in found if one is not None]


def _cheapest(found: Product) -> Definition | None:
    """Return a definition in the cheapest order; None where that is the source's."""
    extents = {name: counted(length) for name, length in found.lengths.items()}
    order = product_order(found.labels, frozenset(found.definition.indices), extents)
    if order.cost >= sum(prod(map(counted, lengths)) for lengths in found.written):
        return None
    return found.multiplied(order.tree)


def _product_in(definition: Definition, inner: Mapping[str, Definition]) -> Product | None:
    """Return the first product of three or more factors in a definition: alone, scaled, or a summand."""
    if len(definition.pieces) != 1:
        return None
    value = _spread(definition.pieces[0][1])
    for sum_ in _sums(value):
        written: list[list[Affine]] = []
        joined = opened(_written(sum_, definition, inner, written))
        for place in _sums(joined):
            found = _product(definition, place, written)
            if found is not None:
                return replace(found, value=_exchanged(value, sum_, joined))
    return None


def _product(definition: Definition, place: Reduce, written: list[list[Affine]]) -> Product | None:
    found = product_of(place)
    if found is None or len(found[1]) <= _PAIR:
        return None
    whole, factors = found
    lengths = lengths_in(whole, definition.domain, definition.indices)
    names = frozenset((*definition.indices, *whole.bound))
    labels = [f.free & names for f in factors]
    if lengths is None or not all(labels):
        return None
    return Product(definition, place, place, whole, factors, labels, lengths, written)


def _spread(term: Term) -> Term:
    """Return a term in which scalars stand in front of sums."""
    return rebuild(term, _spread) if isinstance(term, Apply) else opened(term)


def _sums(term: Term) -> Iterator[Reduce]:
    """Yield the folds of a term that are inside of no other."""
    if isinstance(term, Reduce):
        yield term
    elif isinstance(term, Apply):
        for operand in term.args:
            yield from _sums(operand)


def _exchanged(term: Term, old: Term, new: Term) -> Term:
    """Replace an operand of scalar functions."""
    return rewrite.exchanged(term, lambda node: new if node is old else None if isinstance(node, Apply) else node)


def _written(term: Term, definition: Definition, inner: Mapping[str, Definition], written: list[list[Affine]]) -> Term:
    """Put in the products that locals hold; list the lengths in all of them as they are written."""
    term = opened(term)
    if not isinstance(term, Reduce):
        return rebuild(term, lambda part: _written(part, definition, inner, written))
    lengths = lengths_in(term, definition.domain, definition.indices)
    factors = multiplied(term.body)
    if lengths is None:
        return term
    used = {v for f in factors for v in f.free}
    written.append([length for name, length in lengths.items() if name in used])
    found = [_local(f, inner, written) for f in factors]
    return terms.reduce("sum", term.bound, term.domain, product(found, [], term))


def _local(factor: Term, inner: Mapping[str, Definition], written: list[list[Affine]]) -> Term:
    definition = inner.get(factor.array) if isinstance(factor, Read) else None
    if definition is None or not isinstance(factor, Read):
        return factor
    local: list[list[Affine]] = []
    value = _written(definition.pieces[0][1], definition, inner, local)
    sums = [part for part in multiplied(value) if part.free]
    if len(sums) != 1 or product_of(sums[0]) is None:  # scaled or not
        return factor
    written += local
    return substitute(value, dict(zip(definition.indices, factor.indices, strict=True)))


_MOST_MATRICES = 7  # whose orders are compared at run time


@dataclass(frozen=True)
class Choice:
    """A way to multiply a chain, and its multiplications over the sizes."""

    summary: Summary
    cost: Polynomial


def choices_of(summary: Summary) -> list[Choice]:
    """Return the ways to multiply the only chain of a summary, that of the source first, if none is always better.

    There are none where all sizes are numbers, and where the chain has too many matrices.
    """
    results = {name for _, name in summary.outputs}
    found = [one for one in products_in(summary) if one.definition.name in results]
    line = in_line(found[0].labels, frozenset(found[0].definition.indices)) if len(found) == 1 else None
    if line is None or len(line[0]) > _MOST_MATRICES:
        return []
    positions, joints = line
    lengths = [None if joint is None else found[0].lengths[joint] for joint in joints]
    if all(length is None or length.is_constant for length in lengths):
        return []
    extents = [ONE if length is None else Polynomial.of(length) for length in lengths]
    usual = chain_order([1 if length is None else counted(length) for length in lengths])
    source = sum((prod(map(Polynomial.of, part), start=ONE) for part in found[0].written), ZERO)
    choices = [Choice(summary, source)]
    for tree in dict.fromkeys([usual.tree, *fanned(len(positions))]):
        new = exchanged(summary, [found[0].multiplied(placed(tree, positions))])
        choices.append(Choice(new, multiplications(tree, extents)))
    return _undominated(choices)


def fanned(count: int) -> Iterator[Tree]:
    """Yield the orders of a chain of so many matrices that multiply outwards from each of its sizes."""
    for middle in range(count + 1):
        left: list[Tree] = [*range(middle)]
        right: list[Tree] = [*range(middle, count)]
        if not left or not right:
            yield reduce(_behind, right[1:], right[0]) if right else reduce(_before, left[-2::-1], left[-1])
        else:
            yield reduce(_before, left[-2::-1], left[-1]), reduce(_behind, right[1:], right[0])


def _before(tree: Tree, matrix: Tree) -> Tree:
    return matrix, tree


def _behind(tree: Tree, matrix: Tree) -> Tree:
    return tree, matrix


def multiplications(tree: Tree, extents: Sequence[Polynomial]) -> Polynomial:
    """Return the multiplications of an order: matrix ``k`` has ``extents[k]`` rows and ``extents[k + 1]`` columns."""

    def visit(node: Tree) -> tuple[int, int, Polynomial]:
        if isinstance(node, int):
            return node, node, ZERO
        (first, middle, one), (_, last, other) = map(visit, node)
        return first, last, one + other + extents[first] * extents[middle + 1] * extents[last + 1]

    return visit(tree)[2]


def _undominated(choices: Sequence[Choice]) -> list[Choice]:
    """Leave out what never takes fewer multiplications than another, of equals the later ones."""
    kept: list[Choice] = []
    for choice in choices:
        if any(_is_at_most(other.cost, choice.cost) for other in kept):
            continue
        kept = [other for other in kept if not _is_at_most(choice.cost, other.cost)]
        kept.append(choice)
    return kept


def _is_at_most(less: Polynomial, more: Polynomial) -> bool:
    """Tell whether one is at most the other for all sizes from 1 on: over sizes less 1 no coefficient is negative."""
    difference = more - less
    shifted = difference.substitute({name: Polynomial.variable(name) + ONE for name in difference.variables()})
    return all(value >= 0 for value in shifted.terms.values())
