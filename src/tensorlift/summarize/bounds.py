"""Bounds: the sizes for which a program is defined, so that no subscript leaves its array.

Sizes that are an extent or bound a loop are assumed not to be negative, nor are extents, and axes that are read at
places which depend on data not to be empty.  Of the remaining sizes those are excluded for which some access, under the
affine conditions and loops that its subscript depends on, leaves its array.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.quotients import divides, exactly
from tensorlift.comprehension.terms import Apply, Index, applies
from tensorlift.diagnostics import refuse
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.summarize.reader import read_function
from tensorlift.summarize.statements import Block, Branch, Load, Loop, Statement, Store, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.ir.function import FunctionView
    from tensorlift.summarize.program import Program


@dataclass(frozen=True)
class Bounds:
    """``context`` holds the sizes for which the program is defined, ``assumed`` the part that is only assumed.

    At sizes of which one of ``nonempty`` does not hold, some array or loop over these sizes is empty.
    """

    context: Domain
    assumed: Domain
    nonempty: tuple[Constraint, ...]


def bounds_of(program: Program, within: Domain | None = None, *, nonempty: bool = False) -> Bounds:
    """Return the sizes for which a program is defined, of all, of those ``within`` a domain, or where nothing is empty.

    Raises:
        LiftError: TL210 where an access leaves its array for all sizes.

    """
    counting = _counting_sizes(program)
    loops = _loops(program.body)
    around = [loop for loop in loops if any(_is_within(s) for inner in _loops(loop.body) for s in inner.body)]
    some = (
        *(at_least(size, 1) for size in counting),
        *(at_least(count, 0) for count in _counts(loops, program)),
        *(at_least(count, 1) for count in _counts(around, program)),
    )
    assumed = within
    if assumed is None:
        walked = (at_least(extent, 1) for extent in _walked(program))
        assumed = Domain.of(*(at_least(size, 0) for size in (*counting, *_extents(program))), *walked)
        assumed = assumed & Domain.of(*some) if nonempty else assumed
    known = program.requires & assumed
    quotients = [d.name for d in program.derived if known.implies(at_least(d.numerator, 0))]
    known = known & Domain.of(*(at_least(quotient, 0) for quotient in quotients))
    checker = _Accesses(program, known, Domain.of(*some))
    checker.block(program.body, UNIVERSE, ())
    return Bounds(checker.context.coalesce(), assumed, some)


def sizes_in_bounds(function: FunctionView, within: Domain) -> Domain:
    """Return the sizes within a domain for which no access leaves extents that the source declares.

    An extent that it does not declare is as large as accesses need.
    """
    program = read_function(function, places=True)
    enough: dict[tuple[str, int], Affine] = {}
    for name, info in program.arrays.items():
        enough.update({(name, axis): Affine.var(fresh("enough")) for axis in info.inferred})
    arrays = {
        name: replace(info, shape=tuple(enough.get((name, axis), extent) for axis, extent in enumerate(info.shape)))
        for name, info in program.arrays.items()
    }
    checker = _Accesses(replace(program, arrays=arrays), program.representable & within, UNIVERSE)
    checker.block(program.body, UNIVERSE, ())
    return checker.context.project_out(*(name for extent in enough.values() for name in extent.variables))


def running_loops(function: FunctionView) -> list[Constraint]:
    """Return the conditions that loops run more than once, other than those over a whole array."""
    program = read_function(function, places=True)
    whole = {extent for info in program.arrays.values() if not info.inferred for extent in info.shape}
    return [at_least(count, 2) for count in _counts(_loops(program.body), program) if count not in whole]


def _counting_sizes(program: Program) -> list[Affine]:
    """Return the sizes that are an extent, bound a loop or count it, and such sums that hold no size that is one.

    A size that only adds to an extent or a count is an index, such as the ``k`` of ``a[k * n + i]``, and may well be 0.
    So is the ``b`` of a loop from ``a`` below ``b``, which may both be negative.
    """
    extents = [extent for info in program.arrays.values() for extent in info.shape]
    loops = [loop for loop in _loops(program.body) if not any(_counts_from_size(low, program) for low in loop.lower)]
    counts = [*extents, *(high for loop in loops for high in loop.upper)]
    counts += [high - low.constant for loop in loops for high in loop.upper for low in loop.lower if low.is_constant]
    counting = {count.variable for count in counts}
    others = {name for name in program.sizes if name not in counting}
    sums = [c for c in dict.fromkeys(counts) if c.variables and others.issuperset(c.variables) and _is_positive(c)]
    return [*(Affine.var(name) for name in program.sizes if name in counting), *sums]


def _counts_from_size(low: Affine, program: Program) -> bool:
    return bool(low.variables) and set(program.sizes).issuperset(low.variables)


def _is_positive(value: Affine) -> bool:
    return value.constant >= 0 and all(factor > 0 for _, factor in value.terms)


def _extents(program: Program) -> list[Affine]:
    """Return the extents that are no constant and no size."""
    extents = dict.fromkeys(extent for info in program.arrays.values() for extent in info.shape)
    return [extent for extent in extents if not extent.is_constant and extent.variable is None]


def _walked(program: Program) -> list[Affine]:
    """Return the extents of axes that are read at places which depend on data: there is none in an empty one."""
    loops = (loop for loop in _loops(program.body) if any(map(_hits, loop.body)))
    return list(dict.fromkeys(loop.upper[0] for loop in loops))


def _hits(s: Statement) -> bool:
    return isinstance(s, Branch) and applies(s.condition, "hits")


def _is_within(s: Statement) -> bool:
    """Tell what is done at places between bounds that are data: of no rows, no cell is known to be a place."""
    return isinstance(s, Branch) and applies(s.condition, "within")


def _counts(loops: Sequence[Loop], program: Program) -> list[Affine]:
    """Return the trip counts over sizes alone."""
    sizes = {*program.sizes, *(d.name for d in program.derived)}
    pairs = [(low, high) for loop in loops for low in loop.lower for high in loop.upper]
    counts = dict.fromkeys(high - low for low, high in pairs if sizes.issuperset((*low.variables, *high.variables)))
    return [count for count in counts if not count.is_constant]


def _loops(block: Block) -> list[Loop]:
    return [s for s in walk(block) if isinstance(s, Loop)]


class _Accesses:
    """Visits every access and takes the sizes out for which it leaves its array."""

    def __init__(self, program: Program, context: Domain, nonempty: Domain) -> None:
        self.arrays = program.arrays
        self.context = context
        self.nonempty = nonempty
        self.loops: dict[str, Loop] = {}
        self.inside: set[tuple[Affine, Affine, Domain]] = set()  # in bounds, as found before

    def block(self, block: Block, condition: Domain, variables: tuple[str, ...]) -> None:
        for statement in block:
            if isinstance(statement, Loop):
                self.loops[statement.variable] = statement
                self.block(statement.body, condition, (*variables, statement.variable))
            elif isinstance(statement, Branch):
                self._branch(statement, condition, variables)
            elif isinstance(statement, Load | Store):
                self._access(statement, condition, variables)

    def _branch(self, s: Branch, condition: Domain, variables: tuple[str, ...]) -> None:
        if isinstance(s.condition, Apply) and _hits(s):
            self._place(s, s.condition, condition, variables)
        self.block(s.then, s.then_domain(condition), variables)
        self.block(s.otherwise, s.otherwise_domain(condition), variables)

    def _place(self, s: Branch, hits: Apply, condition: Domain, variables: tuple[str, ...]) -> None:
        """Take the sizes out for which a place outside of its axis is computed of indices alone."""
        place, cell = hits.args
        assert isinstance(cell, Index)
        (variable,) = cell.affine.variables
        where = condition & self._iterations((*place.free, *condition.variables())) & self.context
        found = exactly(place, where) if divides(place) else None
        if found is not None:
            extent = self.loops[variable].upper[0]
            outside = found.satisfies(lambda at: at_least(-1, at)) | found.satisfies(lambda at: at_least(at, extent))
            access = next(one for one in walk(s.then) if isinstance(one, Load | Store))
            self._exclude(s, self.arrays[access.array], where & outside, variables)

    def _access(self, s: Load | Store, condition: Domain, variables: tuple[str, ...]) -> None:
        info = self.arrays[s.array]
        for index, extent in zip(s.indices, info.shape, strict=True):
            if self._counts_to(index, extent):
                continue
            key = (index, extent, condition)
            if key in self.inside:
                continue
            self.inside.add(key)
            where = condition & self._iterations((*index.variables, *condition.variables())) & self.context
            if where.implies(at_least(index, 0), less(index, extent)):
                continue
            below, above = Domain.of(at_least(-1, index)), Domain.of(at_least(index, extent))
            self._exclude(s, info, (where & below) | (where & above), variables)

    def _counts_to(self, index: Affine, extent: Affine) -> bool:
        """Tell whether a subscript is a loop variable that runs from zero or later to the extent, as most do."""
        loop = self.loops.get(index.variable or "")
        return (
            loop is not None
            and extent in loop.upper
            and any(low.is_constant and low.constant >= 0 for low in loop.lower)
        )

    def _iterations(self, variables: tuple[str, ...]) -> Domain:
        """Return the iterations of the loops over some variables, and of those that their bounds depend on."""
        domain, pending, seen = UNIVERSE, list(variables), set[str]()
        while pending:
            loop = self.loops.get(pending.pop())
            if loop is None or loop.variable in seen:
                continue
            seen.add(loop.variable)
            domain = domain & loop.domain()
            pending += [v for bound in (*loop.lower, *loop.upper) for v in bound.variables]
        return domain

    def _exclude(self, s: Statement, info: ArrayInfo, leaves: Domain, variables: tuple[str, ...]) -> None:
        self.context = self._without(leaves.project_out(*variables).coalesce())
        if self.context.is_empty():
            shape = "][".join(map(str, info.shape))
            message = f"this access is outside {info.name}[{shape}] for all sizes"
            remedy = "correct the subscript, or the extent that the declaration gives"
            raise refuse("TL210", message, s.location, remedy)

    def _without(self, excluded: Domain) -> Domain:
        """Take sizes out, more of those at which a loop is empty where that leaves one convex set."""
        rest = (self.context - excluded).coalesce()
        if rest.size > 1:
            simple = self.context & (rest & self.nonempty).coalesce().gist(self.nonempty & self.context)
            if not simple.is_empty() and simple.size == 1 and simple.is_subset(rest):
                return simple
        return rest
