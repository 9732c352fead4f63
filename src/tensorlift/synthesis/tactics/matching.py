"""Matchers: a pattern against a term, every way in which it fits.

Folds match folds, scalar functions match themselves, and the access matcher binds indices: each subscript of a cell to
the subscript in the same place.  Cells without subscripts of their own, terms in between, bind their axes in any order.
Groups of indices are told apart at the end by where their indices occur: in which cells, and whether a fold binds them.

A pattern is a term over placeholders: arrays, scalars, indices, factors.  Matching is up to associativity and
commutativity of sums and products, up to factors that a sum can be multiplied by before or after, and scalars that are
left out are one.  The value before of the array that is computed may be left out too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import TYPE_CHECKING, TypeVar

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import bottom_up, flattened, multiplied, substitute, summands, walk
from tensorlift.comprehension.terms import Apply, Constant, Read, Reduce, Scalar, Term
from tensorlift.ops.scalar_ops import SCALAR_OPS
from tensorlift.poly.affine import Affine
from tensorlift.synthesis.simplify.arithmetic import product, total

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tensorlift.poly.domain import Constraint, Domain


_SUM = ("add", "sub", "neg")
_OUTSIDE = (*_SUM, "mul", "max", "min")  # what patterns with folds apply to folds
_LARGEST = 4096  # nodes of a term that is still written out as a sum or product
Item = TypeVar("Item", Term, Affine)
Signed = tuple[int, Term]


def matches(pattern: Pattern, term: Term, axes: Iterable[str], sizes: dict[Term, int] | None = None) -> Iterator[Match]:
    """Yield the ways in which a term over axes matches; what arrays stand for is smaller than the term.

    ``sizes`` remembers sizes of terms between calls.
    """
    if not may_match(pattern, term):
        return
    known = {} if sizes is None else sizes
    for found in Matching(pattern, known).node(pattern.term, term, Match(frozenset(axes))):
        complete = _with_groups(pattern, found)
        if complete is not None and all(size_of(t, known) < size_of(term, known) for t in _operands(complete)):
            yield complete


def may_match(pattern: Pattern, term: Term) -> bool:
    """Tell at a glance whether a term may match: by its operation, and whether it folds."""
    wanted = pattern.term
    if wanted.has_domains:
        return term.has_domains and (isinstance(term, Reduce) or (isinstance(term, Apply) and term.op in _OUTSIDE))
    if not isinstance(wanted, Apply) or not isinstance(term, Apply):
        return False
    return term.op in _SUM if wanted.op in _SUM else term.op == wanted.op


def _operands(match: Match) -> list[Term]:
    return [bound[1] for bound in match.arrays.values() if bound is not None] + list(match.scalars.values())


def size_of(term: Term, known: dict[Term, int]) -> int:
    """Return the number of nodes of a term written out, shared ones once for each use."""
    for node in bottom_up(term, known):
        known[node] = 1 + sum(known[child] for child in node.children)
    return known[term]


class Matching:
    """Matches nodes of a pattern against terms."""

    def __init__(self, pattern: Pattern, sizes: dict[Term, int]) -> None:
        self.pattern = pattern
        self.sizes = sizes
        self.optional = pattern.optional()

    def node(self, pattern: Term, term: Term, found: Match) -> Iterator[Match]:
        """Yield the matches of one node that extend a match."""
        if isinstance(pattern, Scalar):
            bound = None if found.depends(term) else found.with_scalar(pattern.name, term)
            if bound is not None:
                yield bound
        elif isinstance(pattern, Constant):
            if isinstance(term, Constant) and term.value == pattern.value:
                yield found
        elif isinstance(pattern, Read):
            yield from self._cell(pattern, term, found)
        elif isinstance(pattern, Reduce):
            yield from self._fold(pattern, opened(term), found)
        elif isinstance(pattern, Apply):
            yield from self._apply(pattern, term, found)

    def _apply(self, pattern: Apply, term: Term, found: Match) -> Iterator[Match]:
        if all(isinstance(a, Read) and a.array != self.optional for a in pattern.args):
            yield from self._function(pattern, term, found)
        elif size_of(term, self.sizes) > _LARGEST and pattern.op in (*_SUM, "mul"):
            return
        elif pattern.op in _SUM:
            yield from self._sum(summands(pattern), summands(opened(term)), found)
        elif pattern.op == "mul":
            yield from self._product(multiplied(pattern), multiplied(opened(term)), found)
        else:
            yield from self._function(pattern, term, found)

    def _function(self, pattern: Apply, term: Term, found: Match) -> Iterator[Match]:
        if self._is_before(pattern.args[0]):  # ``max=`` and ``min=`` of nothing before
            yield from self.node(pattern.args[1], term, found.without_array(str(self.optional)))
        if not isinstance(term, Apply) or term.op != pattern.op:
            return
        orders = [term.args, term.args[::-1]] if SCALAR_OPS[term.op].commutative else [term.args]
        for args in orders:
            yield from _all(self.node, pattern.args, args, found)

    def _is_before(self, item: Term) -> bool:
        return self.optional is not None and self.optional in item.reads

    # -- sums

    def _sum(self, pattern: Sequence[Signed], term: Sequence[Signed], found: Match) -> Iterator[Match]:
        """Match summands: folds first, then functions, then plain cells from the last on; the first takes the rest."""
        order = sorted(range(len(pattern)), key=lambda k: (_rank(pattern[k][1]), self._is_before(pattern[k][1]), -k))
        yield from self._summands([pattern[k] for k in order], list(term), found)

    def _summands(self, wanted: list[Signed], given: list[Signed], found: Match) -> Iterator[Match]:
        (sign, item), rest = wanted[0], wanted[1:]
        if not rest:
            if given:
                yield from self.node(item, total([(s * sign, t) for s, t in given], given[0][1]), found)
            elif self._is_before(item):
                yield from self._left_out(item, found)
            return
        for position in self._candidates(sign, item, given):
            other, term = given[position]
            value = term if other == sign else terms.apply("neg", term)
            remaining = given[:position] + given[position + 1 :]
            for after in self.node(item, value, found):
                yield from self._summands(rest, remaining, after)

    def _candidates(self, sign: int, item: Term, given: list[Signed]) -> list[int]:
        """Return the summands to try: any for what has a shape of its own, the last of its sign for a plain cell."""
        if _rank(item) < 2:  # noqa: PLR2004 - a fold or a function
            return list(range(len(given)))
        same = [k for k, (s, _) in enumerate(given) if s == sign]
        return same[-1:]

    def _left_out(self, item: Term, found: Match) -> Iterator[Match]:
        match: Match | None = found.without_array(str(self.optional))
        for node in walk(item):
            if isinstance(node, Scalar) and match is not None and node.name not in match.scalars:
                match = match.with_scalar(node.name, terms.one(node.dtype))
        if match is not None:
            yield match

    # -- products

    def _product(self, pattern: list[Term], term: list[Term], found: Match) -> Iterator[Match]:
        scalars = [p for p in pattern if isinstance(p, Scalar)]
        shaped = [p for p in pattern if not isinstance(p, Scalar | Read)]
        cells = [p for p in pattern if isinstance(p, Read)]
        for after, rest in self._shaped(shaped, term, found):
            constant = [t for t in rest if not after.depends(t)] if scalars else []
            bound = self._scalars(scalars, constant, term[0], after)
            if bound is not None:
                yield from self._cells(cells, [t for t in rest if t not in constant], bound)

    def _shaped(self, wanted: list[Term], given: list[Term], found: Match) -> Iterator[tuple[Match, list[Term]]]:
        if not wanted:
            yield found, given
            return
        for position, term in enumerate(given):
            for after in self.node(wanted[0], term, found):
                yield from self._shaped(wanted[1:], given[:position] + given[position + 1 :], after)

    def _scalars(self, wanted: Sequence[Scalar], given: list[Term], like: Term, found: Match) -> Match | None:
        """Bind scalars to constant factors, the first to all that is left; one that is left out is one."""
        state: Match | None = found
        for position in reversed(range(len(wanted))):
            taken = given if position == 0 else given[-1:]
            given = [] if position == 0 else given[:-1]
            scalar = wanted[position]
            value = product(taken, [], like)
            state = None if state is None else state.with_scalar(scalar.name, value)
        return state

    def _cells(self, wanted: Sequence[Term], given: list[Term], found: Match) -> Iterator[Match]:
        if not wanted or len(given) < len(wanted):
            if not given and not wanted:
                yield found
            return
        for chosen in permutations(range(len(given)), len(wanted) - 1):
            rest = [t for k, t in enumerate(given) if k not in chosen]
            parts = [product(rest, [], given[0]), *(given[k] for k in chosen)]
            yield from _all(self.node, wanted, parts, found)

    # -- folds

    def _fold(self, pattern: Reduce, term: Term, found: Match) -> Iterator[Match]:
        conditions = self.pattern.conditions.get(pattern.domain)
        if not isinstance(term, Reduce) or term.op != pattern.op or conditions is None:
            return
        labels = [self.pattern.labels[v] for v in pattern.bound]
        known = [found.axes[label][0] for label in labels if label in found.axes]
        if known and len(known) == len(term.bound) == 1:  # the same index as in another fold
            name = {term.bound[0]: known[0]}
            body = substitute(term.body, {v: Affine.var(n) for v, n in name.items()})
            same = terms.reduce(term.op, tuple(known), term.domain.rename(name), body)
            assert isinstance(same, Reduce)
            term = same
        after = replace(
            found,
            variables=found.variables.union(term.bound),
            folds=(*found.folds, Fold(term, conditions)),
            bound=found.bound.union(term.bound),
            bound_labels=found.bound_labels.union(labels),
        )
        yield from self.node(pattern.body, term.body, after)

    # -- access

    def _cell(self, pattern: Read, term: Term, found: Match) -> Iterator[Match]:
        if pattern.array == self.optional:
            yield found.with_array(pattern, term)
            return
        known = found.arrays.get(pattern.array)
        for after in self._access(pattern, term, found):
            if known is None:
                yield after.with_array(pattern, term)
            elif _moved(known, pattern, self.pattern, after) is term:
                yield replace(after, arrays=found.arrays)

    def _access(self, pattern: Read, term: Term, found: Match) -> Iterator[Match]:
        """Bind the indices of a cell."""
        if any(self.pattern.labels[v] in self.pattern.groups for i in pattern.indices for v in i.variables):
            yield found  # the axes are told at the end
            return
        if not isinstance(term, Read):
            names = found.depends(term)
            if len(names) == len(pattern.indices) and all(i.variable for i in pattern.indices):
                for order in permutations(names):
                    yield from self._bound([str(i.variable) for i in pattern.indices], order, found)
            return
        places = [index for index in term.indices if index.mentions(found.variables)]
        if len(places) == len(pattern.indices):
            yield from _all(self._subscript, pattern.indices, places, found)

    def _bound(self, variables: Sequence[str], names: Sequence[str], found: Match) -> Iterator[Match]:
        state: Match | None = found
        for variable, name in zip(variables, names, strict=True):
            state = None if state is None else state.with_axis(self.pattern.labels[variable], name)
        if state is not None:
            yield state

    def _subscript(self, wanted: Affine, index: Affine, found: Match) -> Iterator[Match]:
        """Match ``k * i + c``: what a subscript adds to the axes, and a stride of a single axis, belong to the view."""
        names = [v for v in index.variables if v in found.variables]
        if len(names) != len(wanted.terms):
            return
        for order in permutations(names):
            for state in self._bound(wanted.variables, order, found):
                after: Match | None = state
                for (_, factor), name in zip(wanted.terms, order, strict=True):
                    after = None if after is None else self._factor(factor, index.coefficient(name), len(names), after)
                if after is not None:
                    yield after

    def _factor(self, wanted: int, value: int, count: int, found: Match) -> Match | None:
        name = self.pattern.factors.get(wanted)
        if name is not None:
            return found.with_factor(name, value)
        return found if wanted == value or (count == 1 and wanted == 1) else None


def _all(
    match: Callable[[Item, Item, Match], Iterator[Match]], wanted: Sequence[Item], given: Sequence[Item], found: Match
) -> list[Match]:
    """Return the matches of all pairs together."""
    states = [found]
    for one, other in zip(wanted, given, strict=True):
        states = [after for state in states for after in match(one, other, state)]
    return states


def _rank(item: Term) -> int:
    if item.has_domains:
        return 0
    return 1 if isinstance(item, Apply) else 2


def _moved(known: tuple[Read, Term] | None, pattern: Read, whole: Pattern, found: Match) -> Term | None:
    """Return what an array stands for at other indices than those at which it was bound."""
    if known is None:
        return None
    first, term = known
    if first.indices == pattern.indices:
        return term
    values = moved_axes([whole.labels.get(i.variable or "") for i in first.indices],
                        [whole.labels.get(i.variable or "") for i in pattern.indices], found)  # fmt: skip
    return None if values is None else substitute(term, values)


def moved_axes(first: Sequence[str | None], other: Sequence[str | None], found: Match) -> dict[str, Affine] | None:
    """Return what the axes of one list of indices become where another list stands in its place."""
    values: dict[str, Affine] = {}
    for one, two in zip(first, other, strict=True):
        if one is None or two is None or not {one, two} <= found.axes.keys():
            return None
        if len(found.axes[one]) != len(found.axes[two]):
            return None
        values |= {a: Affine.var(b) for a, b in zip(found.axes[one], found.axes[two], strict=True)}
    return values


# -- groups


def _with_groups(pattern: Pattern, found: Match) -> Match | None:
    """Tell to which group each remaining variable belongs; None where one fits none, or an index is left over."""
    optional = pattern.optional()
    bound = [(read, found.arrays.get(read.array)) for read in pattern.cells() if read.array != optional]
    terms_of = {read: known[1] for read, known in bound if known is not None}
    cells = list(terms_of)
    members: dict[str, list[str]] = {label: [] for label in pattern.groups}
    single = {names[0]: label for label, names in found.axes.items()}
    elementwise = not found.folds and len(pattern.groups) == 1
    for variable in sorted(found.variables):
        inside = [read for read in cells if variable in terms_of[read].free]
        if variable in single:
            if (single[variable] in found.bound_labels) != (variable in found.bound):
                return None
        elif elementwise:
            members[next(iter(pattern.groups))].append(variable)
        elif inside or variable in found.bound:
            group = _group_of(pattern, cells, inside, variable in found.bound, found)
            if group is None:
                return None
            members[group].append(variable)
    needed = {label for read in cells for label in pattern.labels_of(read)} - pattern.groups
    if not needed <= found.axes.keys():
        return None
    return replace(found, axes={**found.axes, **{label: tuple(names) for label, names in members.items()}})


def _group_of(pattern: Pattern, cells: list[Read], inside: list[Read], is_bound: bool, found: Match) -> str | None:  # noqa: FBT001 - one of two kinds
    for group in sorted(pattern.groups):
        holders = [read for read in cells if group in pattern.labels_of(read)]
        if holders == inside and (group in found.bound_labels) == is_bound:
            return group
    return None


_FIRST_FACTOR = 1 << 40  # numbers from here on stand for placeholders in the subscripts of patterns


@dataclass(frozen=True)
class Pattern:
    """A term over placeholders.

    ``labels`` names the placeholder of each index variable, ``groups`` those that stand for any number of indices;
    ``before`` is the array whose value may be left out; ``conditions`` are what folds demand beyond whole ranges, by
    the domain of the fold; ``factors`` are the numbers that stand for placeholders.
    """

    term: Term
    labels: Mapping[str, str]
    groups: frozenset[str] = frozenset()
    before: str | None = None
    conditions: Mapping[Domain, tuple[Constraint, ...]] = field(default_factory=dict)
    factors: Mapping[int, str] = field(default_factory=dict)

    def optional(self) -> str | None:
        """Return the array whose value before may be left out: it is read once."""
        reads = [n for n in walk(self.term) if isinstance(n, Read) and n.array == self.before]
        return self.before if len(reads) == 1 else None

    def cells(self) -> list[Read]:
        """Return the cells that the pattern reads."""
        return [n for n in walk(self.term) if isinstance(n, Read)]

    def labels_of(self, read: Read) -> frozenset[str]:
        """Return the index placeholders of a cell."""
        return frozenset(self.labels[v] for index in read.indices for v in index.variables)


def placeholder_number(position: int) -> int:
    """Return the number that stands for the factor placeholder at a position."""
    return _FIRST_FACTOR + position


@dataclass(frozen=True)
class Fold:
    """A fold of the subject that matched one of the pattern, and what the pattern demands of its points."""

    term: Reduce
    conditions: tuple[Constraint, ...]


@dataclass(frozen=True)
class Match:
    """What the placeholders stand for; an array or a value before that is left out stands for None.

    ``arrays`` gives for each array the pattern's cell and the term that it matched, ``axes`` the variables of the
    subject for each index placeholder, ``variables`` all variables of the subject, ``bound`` those that folds bind.
    """

    variables: frozenset[str]
    arrays: Mapping[str, tuple[Read, Term] | None] = field(default_factory=dict)
    scalars: Mapping[str, Term] = field(default_factory=dict)
    axes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    factors: Mapping[str, int] = field(default_factory=dict)
    folds: tuple[Fold, ...] = ()
    bound: frozenset[str] = frozenset()
    bound_labels: frozenset[str] = frozenset()

    def with_array(self, read: Read, term: Term) -> Match:
        """Return the match with an array bound as well."""
        return replace(self, arrays={**self.arrays, read.array: (read, term)})

    def without_array(self, name: str) -> Match:
        """Return the match with an array left out."""
        return replace(self, arrays={**self.arrays, name: None})

    def with_scalar(self, name: str, term: Term) -> Match | None:
        """Return the match with a scalar bound as well, None where it stands for something else."""
        known = self.scalars.get(name)
        if known is not None:
            return self if known is term else None
        return replace(self, scalars={**self.scalars, name: term})

    def with_axis(self, label: str, variable: str) -> Match | None:
        """Return the match with an index bound as well, None where that contradicts: indices differ from each other."""
        known = self.axes.get(label)
        if known is not None:
            return self if known == (variable,) else None
        if any(variable in names for names in self.axes.values()):
            return None
        return replace(self, axes={**self.axes, label: (variable,)})

    def with_factor(self, name: str, value: int) -> Match | None:
        """Return the match with a factor bound as well, None where it stands for another number."""
        if self.factors.get(name, value) != value:
            return None
        return replace(self, factors={**self.factors, name: value})

    def depends(self, term: Term) -> tuple[str, ...]:
        """Return the variables of the subject on which a term depends, in the order of their names."""
        return tuple(sorted(self.variables & term.free))


# -- subjects


def opened(term: Term) -> Term:
    """Return a sum over points as sums of products whose constant factors stand in front; nested sums are one."""
    if not isinstance(term, Reduce) or term.op != "sum":
        return term
    term = flattened(term)
    parts = summands(term.body)
    if len(parts) > 1 or parts[0][0] < 0:
        return total([(s, opened(terms.reduce("sum", term.bound, term.domain, p))) for s, p in parts], term)
    bound = set(term.bound)
    listed = multiplied(term.body)
    outside = [f for f in listed if f.free.isdisjoint(bound)]
    inside = [f for f in listed if f not in outside]
    if not outside or not inside:
        return term
    body = product(inside, [], term)
    return product([*outside, opened(terms.reduce("sum", term.bound, term.domain, body))], [], term)
