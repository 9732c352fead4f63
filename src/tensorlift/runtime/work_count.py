"""Counts the work that a function means: arithmetic operations and bytes, at given sizes, from its definitions.

An operation counts once for each value of the indices that it depends on: in ``sum(k) (alpha * A(i, k)) * B(k, j)``
the product with ``alpha`` counts for each ``i, k``, the other product and the sum for each ``i, k, j``; a running sum
counts once for each term.  So what counts is what a careful programmer computes, not what the loops or the program do.
Every operation on floats or integers counts as one, roots and exponentials too; signs, comparisons, conversions, bits
and choices do not count.  Inside of kept loops all counts once for each iteration.  Where folds mean more than
the loops do, by degree, as that of a gather, no more counts than if each operation of the loops were innermost.

The bytes are those that must move at least: each array that is read, and each that is written, once as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.comprehension.definition import Definition, Item, Summary, with_derived
from tensorlift.comprehension.rewrite import walk
from tensorlift.comprehension.terms import Apply, Index, Piecewise, Read, Reduce, Term
from tensorlift.ir.work import work_of_definitions, work_of_loops, work_of_source
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, NotAffine
from tensorlift.poly.variables import disjoint_parts, extreme_of
from tensorlift.runtime.large_sizes import array_bytes_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tensorlift.ir.function import FunctionView

    Sizes = Mapping[str, int]

_LOGIC = {"eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "select", "bitand", "bitor", "bitxor", "bitnot"}
_FREE = frozenset({*_LOGIC, "neg", "copysign", "cast", "infinity", "nan"})
_FOLDS = frozenset({"sum", "prod", "max", "min", "fmax", "fmin"})
_ARITHMETIC = re.compile(r"arith\.(add|sub|mul|div|floordiv|rem|max|min)|math\.")
_MOST_CELLS = 1 << 26  # of a grid on which points are counted


@dataclass(frozen=True, slots=True)
class Work:
    """What a call must do: operations, None where they cannot be counted, and bytes read and written."""

    operations: int | None
    bytes_read: int
    bytes_written: int

    @property
    def bytes(self) -> int:
        """All bytes that must move."""
        return self.bytes_read + self.bytes_written


def work_of(view: FunctionView, summary: Summary, sizes: Sizes) -> Work:
    """Count the work of a function at sizes, which are given by name."""
    read = versions_read(summary)
    footprint = {p.name: array_bytes_at(p, sizes) for p in view.parameters}
    known = with_derived(summary, sizes)
    operations: int | None
    try:
        operations = sum(_operations(d, loops, known) for d, loops in _with_loops(summary.items, ()))
    except (NotAffine, _UncountedError):
        operations = None
    if _folds_more(view, summary) and (statements := work_of_loops(view).at(sizes)) is not None:
        most = statements * sum(_ARITHMETIC.match(op.name) is not None for op in view.operations)
        operations = most if operations is None else min(operations, most)
    written = sum(footprint[name] for name, _ in summary.outputs)
    return Work(operations, sum(size for name, size in footprint.items() if name in read), written)


def _folds_more(view: FunctionView, summary: Summary) -> bool:
    """Tell whether folds mean more than the loops do, by degree."""
    allowed = work_of_source(view)
    works = work_of_definitions(summary.items)
    folding = (work for work, d in works if any(isinstance(t, Reduce) for _, term in d.pieces for t in walk(term)))
    return not all(work.fits(allowed, summary.context) for work in folding)


def versions_read(summary: Summary) -> set[str]:
    """Return the arrays whose contents definitions need; one that a function is called with has its own name."""
    return set(_reads(summary.items))


class _UncountedError(Exception):
    """Raised where a set has too many points, or a form, for them to be counted."""


def _reads(items: Iterable[Item]) -> Iterator[str]:
    """List the arrays that definitions compute with, and those that kept loops start from."""
    for item in items:
        if isinstance(item, Definition):
            yield from _reads_of(item)
        else:
            yield from (carried.before for carried in item.carried)
            yield from _reads(item.body)


def _reads_of(definition: Definition) -> Iterator[str]:
    """List what a definition computes with; cells that stay as they are do not count."""
    for _, term in definition.pieces:
        stays = isinstance(term, Read) and [str(i) for i in term.indices] == list(definition.indices)
        if not stays or term.reads != {definition.array}:
            yield from term.reads


def _with_loops(items: Iterable[Item], loops: tuple[str, ...]) -> Iterator[tuple[Definition, tuple[str, ...]]]:
    """Yield definitions with the variables of the kept loops around them."""
    for item in items:
        if isinstance(item, Definition):
            yield item, loops
        else:
            yield from _with_loops(item.body, (*loops, item.variable))


def _operations(definition: Definition, loops: tuple[str, ...], sizes: Sizes) -> int:
    total = 0
    for domain, term in definition.pieces:
        total += _Counter(loops, sizes).count(term, domain & definition.domain)
    return total


class _Counter:
    """Counts the operations of one piece; what is shared counts once."""

    def __init__(self, loops: tuple[str, ...], sizes: Sizes) -> None:
        self._loops = loops
        self._sizes = sizes
        self._seen: set[tuple[Term, Domain]] = set()

    def count(self, term: Term, domain: Domain) -> int:
        """Count the operations of a term where its cells are in a domain."""
        if isinstance(term, Read | Index) or not term.children or (term, domain) in self._seen:
            return 0
        self._seen.add((term, domain))
        if isinstance(term, Piecewise):
            return sum(self.count(part, domain & where) for where, part in term.pieces)
        if isinstance(term, Reduce):
            inside = domain & term.domain
            folded = self._points(inside, term.body.free or term.bound) if term.op in _FOLDS else 0
            return folded + self.count(term.body, inside)
        own = isinstance(term, Apply) and term.op not in _FREE
        return (self._points(domain, term.free) if own else 0) + sum(self.count(c, domain) for c in term.children)

    def _points(self, domain: Domain, free: Iterable[str]) -> int:
        wanted = [name for name in {*free, *self._loops} if name not in self._sizes]
        return count_points(domain, sorted(wanted), self._sizes)


def count_points(domain: Domain, variables: Sequence[str], sizes: Sizes) -> int:
    """Count the values of some variables in a domain at sizes; raises NotAffine where a part needs a division."""
    at = domain.at(sizes)
    left = at.project_out(*(name for name in at.variables() if name not in variables), *sizes)
    return sum(
        _points_of(part.conjuncts()[0], variables) for part in disjoint_parts(left).parts() if not part.is_empty()
    )


def _points_of(constraints: Sequence[Constraint], variables: Sequence[str]) -> int:
    """Count the points of a convex part: of variables that no constraint ties together, the product."""
    constraints, variables = _without_determined(constraints, variables)
    groups: list[set[str]] = [{name} for name in variables]
    for constraint in constraints:
        tied = [group for group in groups if group & set(constraint.affine.variables)]
        groups = [group for group in groups if group not in tied] + ([set().union(*tied)] if tied else [])
    product = 1
    for group in groups:
        mine = [c for c in constraints if group & set(c.affine.variables)]
        product *= _tied(mine, sorted(group))
    return product


def _without_determined(
    constraints: Sequence[Constraint], variables: Sequence[str]
) -> tuple[Sequence[Constraint], Sequence[str]]:
    """Put in the values of variables that others determine: they make no more points."""
    found = next(((c, v) for c in constraints if c.is_equality for v, k in c.affine.terms if abs(k) == 1), None)
    if found is None:
        return constraints, variables
    determining, name = found
    factor = determining.affine.coefficient(name)
    value = (Affine.var(name, factor) - determining.affine) * factor
    others = [c.substitute({name: value}) for c in constraints if c is not determining]
    return _without_determined(others, [v for v in variables if v != name])


def _tied(constraints: Sequence[Constraint], variables: Sequence[str]) -> int:
    """Count on a grid of all but the last variable, whose bounds follow from theirs."""
    *outer, last = variables
    whole = Domain.of(*constraints)
    ranges = [_range(whole, name) for name in outer]
    cells = 1
    for values in ranges:
        cells *= len(values)
    if cells > _MOST_CELLS:
        raise _UncountedError
    grid = dict(zip(outer, np.meshgrid(*ranges, indexing="ij", sparse=True), strict=True)) if outer else {}
    shape = tuple(map(len, ranges))
    lower, upper = np.full(shape, -(1 << 60)), np.full(shape, 1 << 60)
    inside = np.ones(shape, np.bool_)
    for constraint in constraints:
        factor = constraint.affine.coefficient(last)
        rest: Any = constraint.affine.constant + sum(
            (coefficient * grid[name] for name, coefficient in constraint.affine.terms if name != last), start=0
        )
        for sign in (1, -1) if constraint.is_equality else (1,):
            if factor * sign > 0:
                lower = np.maximum(lower, -((rest * sign) // (factor * sign)))
            elif factor * sign < 0:
                upper = np.minimum(upper, (rest * sign) // (-factor * sign))
            else:
                inside &= rest * sign >= 0
    return int((np.maximum(upper - lower + 1, 0) * inside).sum())


def _range(domain: Domain, name: str) -> range:
    alone = domain.project_out(*(other for other in domain.variables() if other != name))
    if alone is UNIVERSE:
        raise _UncountedError
    least = min(value.constant for _, value in extreme_of(alone, name, maximum=False))
    return range(least, max(value.constant for _, value in extreme_of(alone, name, maximum=True)) + 1)
