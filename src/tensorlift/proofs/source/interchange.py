"""Loops that change places: independent iterations around loops that the definitions run over all of these at once.

The source goes over rows, and in each of them over steps; a loop of the definitions goes over steps, of which each is
made in all rows.  In its iteration the source works on the cells of a row alone.  There, before step ``k`` the array of
the source is the version of the definitions before step ``k``, which induction shows from row to row: the rows that
earlier iterations worked on have a name of which nothing is known, so that no row is shown to be what the definitions
say if it needs another one.  After all rows, their cells are what the loops of the definitions leave.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition, KeptLoop
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import formals
from tensorlift.proofs.source.frames import Row
from tensorlift.proofs.source.operations import Undecided, as_data
from tensorlift.proofs.source.sequential import Relation, iteration, require_counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tensorlift.comprehension.definition import Carried
    from tensorlift.comprehension.state import Piece
    from tensorlift.poly.affine import Affine
    from tensorlift.proofs.source.claims import LoopClaim
    from tensorlift.proofs.source.execution import Execution
    from tensorlift.proofs.source.frames import Entered, Frame


def run_interchanged(run: Execution, loop: Entered, frame: Frame) -> None:
    """Show that each iteration of a loop makes a row what the claimed versions are, and take these.

    Raises:
        Undecided: where that is not shown.

    """
    claim = loop.claim
    if not frame.is_sequential or frame.row is not None or claim.step != 1 or [*loop.phis()]:
        raise Undecided("rows are handed on from one iteration to another", loop.last)
    _require_sense(run, loop, frame)
    now, following = affine(claim.variable), affine(claim.variable) + 1
    start: dict[str, list[Piece]] = {}
    row: dict[str, Domain] = {}
    for array, rows in claim.rows.items():
        done, next_done = (rows.reached.substitute({claim.variable: value}) for value in (now, following))
        first = rows.reached.substitute({claim.variable: claim.lower[0]})
        if not (first & loop.context).is_empty() or not (done & loop.iterations).is_subset(next_done):
            raise Undecided(f"rows of {array} are not worked on one after the other", loop.last)
        row[array] = next_done - done
        start[array] = [(done, run.lost(array)[0][1]), *_rest(frame.state.pieces.get(array, []), done)]
    kept: list[KeptLoop] = []
    after, lost, _ = iteration(run, loop, frame, start, is_left_early=False, row=Row(row, claim.variable, kept))
    run.require_counters(loop, after.passed)
    for array, rows in claim.rows.items():
        made: Piece = (row[array], run.versions.read(array, rows.version))
        wanted = [made, *_rest(_whole(run, array, start[array]), row[array])]
        run.versions.require_pieces(array, after.state.pieces.get(array, []), wanted, loop.iterations)
    for array in sorted(lost):
        frame.state.rename(array, run.lost(array))
    made_by_all: dict[str, Domain] = {}
    for array, rows in claim.rows.items():
        done = Domain.union(rows.reached.substitute({claim.variable: high}) & where for high, where in _ends(claim))
        made = (done, run.versions.own(array, rows.version))
        frame.state.rename(array, [made, *_rest(frame.state.pieces.get(array, []), done)])
        made_by_all[array] = done
    for item in {id(item): item for item in reversed(kept)}.values():
        _leave_others(run, item, made_by_all, loop, frame)


def _leave_others(run: Execution, item: KeptLoop, made: Mapping[str, Domain], loop: Entered, frame: Frame) -> None:
    """Note that a loop of the definitions leaves the cells of no row as they are, where it does."""
    context = loop.context & Domain.of(at_least(item.variable, item.lower), less(item.variable, item.upper))
    left: dict[str, Carried] = {}
    for one in item.carried:
        if one.array in made and item.variable not in frame.variables:
            with suppress(Undecided):
                others = context & made[one.array].complement()
                run.versions.require(one.array, [(UNIVERSE, run.versions.read(one.array, one.name))], one.after, others)
                left[one.array] = one
    relation, earlier = Relation(run, loop.claim.variable, left, {}), run.versions.known[::-1]

    def untouched(term: terms.Term, domain: Domain) -> terms.Term:
        found = relation.untouched(made, term, domain)
        for known in earlier if found is not term else ():  # of what was there before
            found = known(found, domain)
        return found

    run.versions.known.append(untouched)


def _require_sense(run: Execution, loop: Entered, frame: Frame) -> None:
    """Show that rows are told by what is known here, and that versions are those of this level."""
    known = frame.variables | {loop.claim.variable}
    here = {item.name for item in frame.items if isinstance(item, Definition)}
    here |= {one.name for item in frame.items if isinstance(item, KeptLoop) for one in item.carried}
    for array, rows in loop.claim.rows.items():
        if not {*rows.reached.variables()} <= known.union(formals(array, len(run.arrays[array].shape))):
            raise Undecided(f"rows of {array} are told by what is not known", loop.last)
        if rows.version not in here:
            raise Undecided(f"{rows.version} is no version after the loop", loop.last)


def _ends(claim: LoopClaim) -> Iterator[tuple[Affine, Domain]]:
    """Yield upper bounds, each with where it is the least one and the loop runs up to it."""
    for high in claim.upper:
        others = (at_least(other, high) for other in claim.upper if other is not high)
        yield high, Domain.of(at_least(high, claim.lower[0]), *others)


def _rest(pieces: list[Piece], taken: Domain) -> list[Piece]:
    """Return what an array is beside some cells."""
    return [(domain - taken, term) for domain, term in pieces]


def _whole(run: Execution, array: str, pieces: list[Piece]) -> list[Piece]:
    """Say of all cells what they are, those that are as they were too."""
    return [*pieces, (UNIVERSE - Domain.union(domain for domain, _ in pieces), run.versions.read(array, array))]


def run_row(run: Execution, loop: Entered, frame: Frame) -> None:
    """Show that a loop does to a row what one of the definitions does to all of them, and take its versions there.

    Raises:
        Undecided: where that is not shown.

    """
    item, row = loop.claim.item, frame.row
    assert item is not None
    assert row is not None
    require_counted(loop, frame)
    row.kept.append(item)
    _require_unnamed(frame, {one.name for one in item.carried})
    carried = {one.array: one for one in item.carried if one.array in row.cells}
    entry = {array: _whole(run, array, frame.state.pieces.get(array, [])) for array in carried}
    begin: dict[str, list[Piece]] = {}
    hidden: dict[str, list[Piece]] = {}
    for array, one in carried.items():
        cells = row.cells[array]
        run.versions.require(array, entry[array], one.before, loop.context & cells)
        hidden[array] = [(cells.complement(), run.lost(array)[0][1])]
        begin[array] = [(cells, run.versions.own(array, one.name)), *hidden[array]]
    numbers = {phi: _cell(run, phi, item, row) for phi, _, _ in loop.phis()}
    for phi, (one, cell) in numbers.items():
        run.versions.require(one.array, [(UNIVERSE, loop.entry[phi])], one.before, loop.context & cell)
        begin[phi] = [(UNIVERSE, _number(run, one, row))]
    after, lost, _ = iteration(run, loop, frame, begin, is_left_early=False)
    run.require_counters(loop, after.passed)
    for array, one in carried.items():
        wanted = [(row.cells[array], run.versions.read(array, one.after)), *hidden[array]]
        run.versions.require_pieces(array, after.state.pieces.get(array, []), wanted, loop.iterations)
    for phi, argument, number in loop.phis():
        one, cell = numbers[phi]
        value = as_data(after.passed[number], argument.type, run.arrays[one.array].dtype)
        run.versions.require(one.array, [(UNIVERSE, value)], one.after, loop.iterations & cell)
    for array in sorted(lost):
        frame.state.rename(array, run.lost(array))
    for array, one in carried.items():
        left: Piece = (row.cells[array], run.versions.read(array, one.name))
        frame.state.rename(array, [left, *_rest(entry[array], row.cells[array])])
    for phi, (one, _) in numbers.items():
        frame.state.rename(phi, [(UNIVERSE, _number(run, one, row))])


def _cell(run: Execution, phi: str, item: KeptLoop, row: Row) -> tuple[Carried, Domain]:
    """Return what is carried of a number that has a cell for each row, and which cell it is."""
    for one in item.carried:
        info = run.arrays[one.array]
        if info.of == phi and len(info.shape) == 1:
            return one, Domain.of(equal(*formals(one.array, 1), row.variable))
    raise Undecided(f"{phi} is no number that the definitions have for each row")


def _number(run: Execution, one: Carried, row: Row) -> terms.Term:
    """Return the cell of a row."""
    run.versions.own(one.array, one.name)
    return terms.read(one.name, (affine(row.variable),), run.arrays[one.array].dtype)


def _require_unnamed(frame: Frame, names: set[str]) -> None:
    """Show that nothing tells yet of what a loop of the definitions is about to make."""
    around: Frame | None = frame
    while around is not None:
        known = [value for value in around.values.values() if isinstance(value, terms.Term)]
        known += [term for pieces in around.state.pieces.values() for _, term in pieces]
        if any(not term.reads.isdisjoint(names) for term in known):
            raise Undecided("a loop of the definitions is run twice")
        around = around.around
