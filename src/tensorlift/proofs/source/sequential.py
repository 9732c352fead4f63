"""Loops that stay: one iteration of the literal loop does what one of the definitions' loop does.

What iterations hand on is in the versions that the definitions' loop carries.  The definitions may have run a part of
the loop before all of the rest, as a loop of its own: that part is *ahead*.  Before iteration ``i`` the array of the
source has the version of the definitions where the part has been already, and where it has not, an older one; and there
the definitions' version is what the part left.  Both are shown by induction.  Any other array that the loop writes is
not known at the start of an iteration, nor after the loop, unless it has a closed form: what the definitions compute
after the loop, in one of its own.
"""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Carried, KeptLoop, Summary, definitions_of, loops_of
from tensorlift.comprehension.state import Effect, Piece, at
from tensorlift.ir.scalar_terms import choose_by
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.source.frames import Entered, Frame, Outcome
from tensorlift.proofs.source.operations import Undecided, as_data
from tensorlift.proofs.source.sharing import Tracked, require_earlier
from tensorlift.proofs.source.versions import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.source.claims import Ahead
    from tensorlift.proofs.source.execution import Execution
    from tensorlift.proofs.source.frames import Row
    from tensorlift.proofs.source.operations import Value


def run_sequential(run: Execution, loop: Entered, frame: Frame) -> None:
    """Show that a loop is the one of the definitions that is claimed, and take its versions.

    Raises:
        Undecided: where that is not shown.

    """
    claim, item = loop.claim, loop.claim.item
    assert item is not None
    if not frame.is_sequential:
        raise Undecided("a loop stays inside of one that does not", loop.last)
    require_counted(loop, frame)
    entry = frame.state.copy()
    effect, resolve, numbers = _beside(run, loop, frame)
    carried = {one.array: one for one in item.carried}
    ahead = {array: one for array, one in claim.ahead.items() if array in carried and array not in loop.entry}
    relation = Relation(run, claim.variable, carried, ahead)
    followed = run.versions.followed if item.step == 1 else set[str]()
    relation.written = {
        a: _written(one, item) for a, one in carried.items() if a not in ahead and one.before in followed
    }
    if relation.ahead and item.step > 1:
        raise Undecided("a loop with a step is split", loop.last)
    start, now = relation.at(item.lower), relation.at(affine(claim.variable))
    following = relation.at(affine(claim.variable) + claim.step)
    for array, one in carried.items():
        given = loop.entry.get(array)
        pieces = [(UNIVERSE, given)] if given is not None else frame.state.pieces.get(array, [])
        run.versions.require_pieces(array, pieces, relation.cells(array, one.before, start), loop.context)
    position = len(run.versions.known)
    run.versions.known.append(partial(relation.untouched, relation.touched(now, claim.variable)))
    begin = {a: relation.cells(a, one.name, now) for a, one in carried.items()}
    after, lost, _ = iteration(run, loop, frame, begin, is_left_early=False, numbers=numbers)
    run.require_counters(loop, after.passed)
    left = dict(after.state.pieces)
    for phi, argument, number in loop.phis():
        left[phi] = [(UNIVERSE, as_data(after.passed[number], argument.type, run.arrays[phi].dtype))]
    for array, one in carried.items():
        wanted = relation.cells(array, one.after, following)
        run.versions.require_pieces(array, left.get(array, []), wanted, loop.iterations)
        touched = relation.touched(following, affine(claim.variable) + claim.step)
        relation.require_untouched(array, touched, loop.iterations)
    runs = Domain.of(at_least(item.upper, item.lower))
    end = {array: reached & runs | start[array] - runs for array, reached in relation.at(item.upper).items()}
    run.versions.known[position] = partial(relation.untouched, relation.touched(end, item.upper))
    for array in sorted(lost.union(phi for phi, _, _ in loop.phis())):
        frame.state.rename(array, run.lost(array))
    for array, one in carried.items():
        frame.state.rename(array, relation.cells(array, one.name, end))
    entry.apply(effect, resolve)
    for array in effect.keys() - carried.keys():
        frame.state.rename(array, entry.pieces[array])


def require_counted(loop: Entered, frame: Frame) -> None:
    """Show that a loop has the bounds of the one of the definitions that it is claimed to be, which is at its level.

    Raises:
        Undecided: where that is not so.

    """
    claim, item = loop.claim, loop.claim.item
    is_known = item is not None and any(item is one for one in frame.items) and item.goes_on is None
    counted = item is not None and (item.variable, (item.lower,), (item.upper,), item.step)
    if not is_known or counted != (claim.variable, claim.lower, claim.upper, claim.step):
        raise Undecided("the loop is not that of the definitions", loop.last)


def _beside(run: Execution, loop: Entered, frame: Frame) -> tuple[Effect, dict[str, Term], dict[str, Term]]:
    """Return what the loop leaves in arrays that have a closed form, which needs nothing that iterations hand on.

    The definitions compute these in a loop of their own, after the one that stays.  The last are numbers that have one,
    as an iteration begins with them.
    """
    claim, ways = loop.claim, run.ways.copy()
    inner = Frame({}, Tracked(), frame, claim.header, variables=frame.variables | {claim.variable}, claim=claim)
    try:
        after = run.run(claim.header, loop.before, inner, loop.iterations, claim.header) if claim.states else None
        if after is None or inner.exits:
            return {}, {}, {}
        effect = run.checked(loop, after, inner)
    except Undecided:
        return {}, {}, {}
    finally:
        run.ways = ways
    effect, resolve = {a: pieces for a, pieces in effect.items() if a in claim.states}, loop.entry | inner.outer
    numbers = {
        phi: rewrite.lookup(run.with_locals(claim, claim.states[phi], inner), {}, loop.iterations, loop.entry[phi])
        for phi, _, _ in loop.phis()
        if phi in effect
    }
    return effect, resolve, {n: frame.state.resolved(term, loop.iterations, resolve) for n, term in numbers.items()}


class Relation:
    """How arrays of the source and versions of the definitions go together before an iteration."""

    def __init__(
        self, run: Execution, variable: str, carried: Mapping[str, Carried], ahead: Mapping[str, Ahead]
    ) -> None:
        self.run, self.variable, self.carried, self.ahead = run, variable, carried, ahead
        self.names = {one.name: one for one in carried.values()}
        self.written: dict[str, Domain] = {}  # the cells of other arrays that the iterations before one may write

    def touched(self, ahead: Mapping[str, Domain], value: Affine | str) -> dict[str, Domain]:
        """Return where arrays may be other than before the loop, when that is at an iteration."""
        at = {self.variable: affine(value)}
        return {**ahead, **{array: cells.substitute(at) for array, cells in self.written.items()}}

    def at(self, value: Affine) -> dict[str, Domain]:
        """Return where the parts that are ahead have been before an iteration."""
        return {array: one.reached.substitute({self.variable: value}) for array, one in self.ahead.items()}

    def cells(self, array: str, version: str, reached: Mapping[str, Domain]) -> list[Piece]:
        """Return what an array of the source is by a version of the definitions, and by an older one."""
        self.run.versions.named.add(self.carried[array].name)
        known = self.run.versions.read(array, version)
        if array not in reached:
            return [(UNIVERSE, known)]
        older = self.run.versions.read(array, self.ahead[array].older)
        return [(reached[array], known), (reached[array].complement(), older)]

    def untouched(self, reached: Mapping[str, Domain], term: Term, domain: Domain) -> Term:
        """Say what the definitions' loop has not changed yet by what it was before the loop."""
        if not reached or term.reads.isdisjoint(self.names):
            return term

        def convert(found: terms.Read, where: Domain) -> Term:
            one = self.names.get(found.array)
            if one is None or one.array not in reached:
                return found
            here = reached[one.array].substitute(at(one.array, found.indices))
            if where.is_subset(here):
                return found
            before = self.run.versions.expanded(terms.read(one.before, found.indices, found.dtype), where - here)
            return before if where.is_disjoint(here) else choose_by(here, found, before)

        return rewrite.map_reads(term, domain, convert)

    def require_untouched(self, array: str, following: Mapping[str, Domain], iterations: Domain) -> None:
        """Show that an iteration leaves alone what the part that is ahead will still be to."""
        if array in following:
            rest = following[array].complement()
            one = self.carried[array]
            before: list[Piece] = [(UNIVERSE, self.run.versions.read(array, one.before))]
            after: list[Piece] = [(UNIVERSE, self.run.versions.read(array, one.after))]
            self.run.versions.require_pieces(array, after, before, iterations & rest)


def starts_read_beside(summary: Summary) -> set[str]:
    """Return the versions from which loops start that definitions of other arrays read as well."""
    starts = {one.before: one.array for loop in loops_of(summary.items) for one in loop.carried}
    found = ((name, d) for d in summary.definitions() for name in d.reads & starts.keys())
    return {name for name, definition in found if definition.array != starts[name]}


def _written(one: Carried, item: KeptLoop) -> Domain:
    """Return the cells of an array that the iterations before one write; `require_untouched` shows that."""
    cells: list[Domain] = []
    for definition in definitions_of(item.body):
        changed = (d for d, t in definition.pieces if not definition.is_own_cell(t))
        cells += [d & definition.domain for d in changed] if definition.array == one.array else []
    earlier = fresh("t")
    found = Domain.union(cells).rename({item.variable: earlier})
    inner = {loop.variable for loop in loops_of(item.body)}.intersection(found.variables())
    reached = found & Domain.of(at_least(earlier, item.lower), less(earlier, item.variable))
    return reached.project_out(earlier, *inner).coalesce()


def iteration(  # noqa: PLR0913 - where it begins, and how it may end
    run: Execution,
    loop: Entered,
    frame: Frame,
    start: Mapping[str, list[Piece]],
    begin: Callable[[list[Value], Frame], tuple[int, list[Value]]] | None = None,
    *,
    is_left_early: bool = True,
    row: Row | None = None,
    numbers: Mapping[str, Term] = MappingProxyType({}),
) -> tuple[Outcome, set[str], Frame]:
    """Run an iteration on what arrays and ``numbers`` are at its start, from its header, or from where ``begin`` gets.

    Gives how it ends, the other arrays that it writes, and its frame, which has other ways out if it may have any.
    """
    lost: set[str] = set()
    named = set(run.versions.named)
    while True:
        state = frame.state.copy()
        run.versions.named = set(named)
        for array in sorted(lost):
            state.rename(array, run.lost(array))
        for array, pieces in start.items():
            state.rename(array, pieces)
        state.written = {}
        before = list(loop.before)
        for phi, _, number in loop.phis():
            unknown = terms.read(fresh(UNKNOWN), (), run.arrays[phi].dtype)
            before[number] = start[phi][0][1] if phi in start else numbers.get(phi, unknown)
        started = dict(state.pieces)
        inner = Frame({}, state, frame, loop.claim.header, is_sequential=True)
        inner.variables = frame.variables | {loop.claim.variable}
        inner.row = row
        inner.items = loop.claim.item.body if loop.claim.item is not None else frame.items if row is not None else ()
        first = loop.claim.header
        if begin is not None:
            first, before = begin(before, inner)
        after = run.run(first, before, inner, loop.iterations, loop.claim.header)
        if after is None or (inner.exits and not is_left_early):
            raise Undecided("the loop may be left early", loop.last)
        written = {array for array, pieces in after.state.pieces.items() if started.get(array) is not pieces}
        if written <= lost | start.keys():
            cells = after.state.written
            require_earlier(inner.readings, cells, loop.claim.variable, loop.iterations)
            for array, domains in cells.items():
                some = [(domain & loop.iterations).project_out(loop.claim.variable) for domain in domains]
                frame.state.written.setdefault(array, []).extend(some)
            return after, lost, inner
        lost |= written - start.keys()
