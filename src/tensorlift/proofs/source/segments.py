"""Loops between bounds that are data, of which the definitions go over all places of an array.

The claim is of a loop over all of them, from 0 up to an extent, of which an iteration asks whether its place is between
the bounds (`LoopClaim.is_segment`).  The loop of the source does what that one does if

- its counter starts at the lower bound, goes up by one, and is compared with the upper one, which no iteration changes,
- both bounds are places of the axis, or behind its last one, which the preconditions say of cells of an array.

So an iteration is run at a place as if it were between the bounds, and chosen where it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.places import cells_plus, places_read
from tensorlift.comprehension.tensor import affine_of
from tensorlift.comprehension.terms import Index, Read, Term, applies, unconverted
from tensorlift.ir.scalar_terms import choose, convert
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import at_least
from tensorlift.poly.names import fresh
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.proofs.source.claims import Advance
from tensorlift.proofs.source.frames import Frame, Outcome
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Undecided, Value, as_data, element_type
from tensorlift.proofs.source.sharing import Tracked
from tensorlift.proofs.source.versions import UNKNOWN

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.poly.domain import Domain
    from tensorlift.proofs.source.claims import LoopClaim
    from tensorlift.proofs.source.execution import Execution
    from tensorlift.proofs.source.frames import Entered

_BOUNDS = ("i32", "i64")


def run_segment(
    run: Execution, claim: LoopClaim, passed: list[Value], frame: Frame, context: Domain
) -> tuple[int, Outcome]:
    """Decide the claim of a loop, and put what it says of the end into the state; return where control goes on."""
    header = claim.header
    last = run.flow.blocks[header].last_op
    moving = [number for number, phi in enumerate(claim.phis) if isinstance(phi, Advance) and phi.by != ZERO]
    is_over_places = claim.lower == (Affine(0),) and len(claim.upper) == 1 and claim.step == 1
    if not is_over_places or len(moving) != 1 or claim.item is not None or claim.inner is not None:
        raise Undecided("the loop does not go over places", last)
    (number,) = moving
    given = [Exact(Polynomial.constant(0), is_signed=True) if k == number else v for k, v in enumerate(passed)]
    loop = run.entered(claim, given, frame, context)
    inner = Frame({}, Tracked(), frame, header, variables=frame.variables | {claim.variable}, claim=claim)
    argument = loop.block.args[number]
    low = inner.named(as_data(passed[number], argument.type)) if not isinstance(passed[number], Exact) else None
    start = low if low is not None else as_data(passed[number], argument.type)
    after = run.run(header, loop.before, inner, loop.iterations, header)
    if after is None or claim.phis[number] != Advance(ONE):
        raise Undecided("the counter of the loop does not go up by one", last)
    if start.dtype not in _BOUNDS:
        raise Undecided("the loop starts at an integer without a sign", last)
    high = _upper_bound(loop, inner, after)
    for bound in (start, high):
        _require_inside(run, bound, inner, claim.upper[0], context)
    index = terms.index(Affine.var(claim.variable), "i64")
    between = terms.apply("within", index, convert(start, "i64"), high)
    run.require_counters(loop, after.passed)
    state = Tracked()
    state.choose(between, (after.state, loop.iterations), (Tracked(), loop.iterations), run.own)
    chosen = list(after.passed)
    for phi, block_argument, position in loop.phis():
        values = (after.passed[position], loop.before[position])
        one, other = (as_data(v, block_argument.type, run.arrays[phi].dtype) for v in values)
        chosen[position] = choose(between, one, other)
    effect = run.checked(loop, Outcome(chosen, state, loop.iterations), inner)
    frame.state.apply(effect, loop.entry | inner.outer)
    ends = run.ends(loop, frame)
    ends[number] = terms.read(fresh(UNKNOWN), (), element_type(argument.type))
    frame.values.update(zip(loop.block.args, ends, strict=True))
    run.straight(loop.block, frame, loop.context)
    block, operands = run.way_out(header, is_search=False)
    return block, Outcome(frame.all(operands), frame.state, loop.context)


def _upper_bound(loop: Entered, inner: Frame, after: Outcome) -> Term:
    """Return the bound with which the header compares the counter, in 64 bits, where that alone ends the loop."""
    early = inner.exits[0] if inner.exits else None
    test = early.frame.guard if early is not None else None
    if early is None or len(inner.exits) != 1 or not applies(test, "not") or early.frame.state.pieces:
        raise Undecided("a loop between bounds that are data has another end", loop.last)
    (compared,) = test.args
    if not loop.iterations.is_subset(early.context) or not applies(compared, ("lt", "le", "gt", "ge")):
        raise Undecided("a loop between bounds that are data has another end", loop.last)
    counter, high = compared.args if compared.op in {"lt", "le"} else compared.args[::-1]
    counter = unconverted(counter)
    is_counter = isinstance(counter, Index) and counter.affine == Affine.var(loop.claim.variable)
    changed = after.state.pieces.keys() | {phi for phi, _, _ in loop.phis()}
    if not is_counter or high.dtype not in _BOUNDS or loop.claim.variable in high.free:
        raise Undecided("it is not known up to where the loop goes", loop.last)
    if not high.reads.isdisjoint(changed):
        raise Undecided("the loop changes its bound", loop.last)
    wide = convert(high, "i64")
    return wide if compared.op in {"lt", "gt"} else terms.apply("add", wide, terms.one("i64"))


def _require_inside(run: Execution, bound: Term, inner: Frame, extent: Affine, context: Domain) -> None:
    """Show that a bound is a place of an axis or behind its last one."""
    known = unconverted(bound)
    while isinstance(known, Read) and known.array in inner.outer:  # what is known by a name
        bound = inner.outer[known.array]
        known = unconverted(bound)
    found = cells_plus(bound, run.versions.definitions)
    if found is not None and (found[0].array, found[1], extent) in run.bounds:
        return
    value = affine_of(known)
    if value is not None and context.implies(at_least(value, 0), at_least(extent, value)):
        return
    raise Undecided("it is not stated that the bounds of the loop are inside")


def bounds_stated(summary: Summary) -> set[tuple[str, int, Affine]]:
    """Return the arrays of which all cells, with a number added, are places of an axis or its end by precondition."""
    found: set[tuple[str, int, Affine]] = set()
    definitions = {definition.name: definition for definition in summary.definitions()}
    for definition in definitions.values():
        for piece, term in definition.pieces:
            for read in places_read(term, definition.domain & piece, definition.indices):
                cells = cells_plus(read.place, definitions) if read.extent is not None else None
                if read.extent is not None and cells is not None:
                    found.add((cells[0].array, cells[1], read.extent - 1))
    return found
