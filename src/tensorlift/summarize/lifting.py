"""The driver: turns the statements of a function into definitions and kept loops, one statement after the other.

A statement at this level is summarised whole; each array that it writes gets a new version.  A loop without a closed
form is split (`distribute`) and its parts are tried again; what cannot be split stays a loop, and its body is lifted
here in the same way.

Loops that stay: what is known about why, and which of their arrays an iteration hands to the next.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import ArrayInfo, Carried, Definition, Item, KeptLoop, LoopPlace
from tensorlift.comprehension.state import Piece, RecurrenceError, State, merged, own_cell, split
from tensorlift.diagnostics import Diagnostic, Location, Note, Severity, refuse
from tensorlift.poly.affine import affine
from tensorlift.poly.domain import Domain, NotAffine, at_least, less
from tensorlift.poly.isl import TooManyPartsError
from tensorlift.poly.names import formals, unused
from tensorlift.summarize.block import Evaluator, Forms
from tensorlift.summarize.dependence import Conflict, Liveness, accesses, is_parallel
from tensorlift.summarize.distribute import Distributor, Splits
from tensorlift.summarize.indices import is_access
from tensorlift.summarize.joined import joined
from tensorlift.summarize.pushing import Pusher
from tensorlift.summarize.statements import (
    Allocate,
    Block,
    Branch,
    Load,
    Loop,
    Statement,
    Store,
    allocated,
    guarded,
    runs_on,
    walk,
    written,
)
from tensorlift.summarize.unwritten import unwritten

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.diagnostics import LiftError
    from tensorlift.summarize.program import Program


MOST_PAIRS = 6  # of accesses that are looked at for the sake of a message, or of a shorter program
_REMEDY = "none is needed: the loop stays and its body is lifted"


def reason_for(
    loop: Loop, error: RecurrenceError | NotAffine, context: Domain, arrays: Mapping[str, ArrayInfo]
) -> Diagnostic:
    """Say why a loop stays: the array that iterations hand on, over which distance, and where it is written."""
    name = loop.variable
    if loop.goes_on is not None:
        message = "the loop stays: data say how long it runs"
        return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE)
    if not isinstance(error, RecurrenceError):
        what = f", {error}" if error.args else ""
        message = f"the loop over {name} stays: its closed form needs an integer division{what}"
        return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE)
    if error.variable not in (None, name) and is_parallel(loop, context):
        why = f"its iterations are independent, and the loop over {error.variable} in it stays"
        message = f"the loop over {name} stays: {why}"
        return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE)
    distance = _distance(loop, error.array, context)
    over = f", {distance} iteration{'s' if distance != 1 else ''} apart" if distance else ""
    array = arrays[error.array].source_name if error.array in arrays else error.array
    message = f"the loop over {name} stays: {array} {error.why}{over}"
    notes = tuple(Note(f"{array} is written here", place) for place in _writers(loop, error.array))
    return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE, notes)


def hands_on(loop: Loop, array: str, iterations: Domain) -> bool:
    """Tell whether an iteration may read a cell of an array that an earlier one wrote."""
    found = [a for a in accesses(loop.body, iterations, (loop.variable,)) if a.array == array]
    pairs = [(store, load) for store in found if store.writes for load in found if not load.writes]
    return len(pairs) > MOST_PAIRS or any(Conflict(store, load, loop.variable).forward() for store, load in pairs)


def _writers(loop: Loop, array: str) -> list[Location]:
    places = (s.location for s in walk(loop.body) if isinstance(s, Store) and s.array == array)
    return [place for place in dict.fromkeys(places) if place is not None][:3]


def _distance(loop: Loop, array: str, context: Domain) -> int | None:
    """Return the one distance between a store and a later load of the array, where there is one."""
    found = [a for a in accesses(loop.body, context & loop.domain(), (loop.variable,)) if a.array == array]
    pairs = [(store, load) for store in found if store.writes for load in found if not load.writes]
    if len(pairs) > MOST_PAIRS:
        return None
    conflicts = (Conflict(store, load, loop.variable) for store, load in pairs)
    distances = {conflict.distance() for conflict in conflicts if conflict.forward()}
    return distances.pop() if len(distances) == 1 else None


Versions = dict[str, str]  # the current version of each array that has one


MANY_LOOPS = 8  # in one body: first split, so that terms do not pile up


def _is_known_open(part: Loop, loop: Loop, error: RecurrenceError | NotAffine) -> bool:
    """Tell whether a part of a loop has no closed form, because a loop in it that was inside before has none."""
    if not isinstance(error, RecurrenceError) or error.variable == loop.variable:
        return False
    return any(isinstance(inner, Loop) and inner.variable == error.variable for inner in walk((part,)))


def _has_loops(s: Statement) -> bool:
    return any(isinstance(inner, Loop) for inner in walk((s,)))


def _as_recurrence(error: Exception, s: Statement) -> RecurrenceError | NotAffine:
    """Take terms nested too deeply, and sets of too many parts, for what they are: forms that are not known."""
    if isinstance(error, RecurrenceError | NotAffine):
        return error
    why = "has too many cases" if isinstance(error, TooManyPartsError) else "is computed by terms nested too deeply"
    return RecurrenceError(min(written((s,)), default="this"), why)


class Lifting:
    """The items of one program; ``arrays`` grows by those that splitting loops makes.

    ``kept`` says which loops stay for the sake of which array, and why, whether they have a closed form or not; what
    stays is split where ``splits`` says so.  ``forms``: see `Forms`; ``staying`` refuses what has a loop that stays.
    """

    def __init__(
        self,
        program: Program,
        kept: Mapping[LoopPlace, str],
        splits: Splits,
        forms: Forms,
        staying: Callable[[Diagnostic], LiftError] | None = None,
    ) -> None:
        self.program = program
        self.kept, self.staying = kept, staying
        self.arrays: dict[str, ArrayInfo] = dict(program.arrays)
        self.names = set(program.names) | {f for a in program.arrays for f in program.formals(a)}
        self.sizes = {*program.sizes, *(d.name for d in program.derived)}
        self.liveness = Liveness(program.body, self.arrays)
        self.evaluator = Evaluator(self.arrays, self.liveness, forms=forms, has_nan=program.has_nan)
        self.distributor = Distributor(splits, self.arrays, self.sizes, self.names, self.liveness)
        self.values: dict[str, Term] = {}
        self.numbers: dict[str, int] = {}

    def block(self, block: Block, context: Domain, versions: Versions) -> list[Item]:
        """Lift a block; ``versions`` is brought up to date.

        Raises:
            LiftError: TL221 where neither a closed form nor a kept loop says what a statement does.

        """
        items: list[Item] = []
        for statement in block:
            items += self._statement(statement, context, versions)
        return items

    def _statement(self, s: Statement, context: Domain, versions: Versions) -> list[Item]:
        if isinstance(s, Allocate):
            versions.pop(s.array, None)
            return []
        if isinstance(s, Load):
            found = terms.read(s.array, s.indices, s.dtype)
            self.values[s.value] = self._current(found, versions)
            return []
        if isinstance(s, Loop) and sum(isinstance(one, Loop) and not is_access(one) for one in s.body) >= MANY_LOOPS:
            parts = self.distributor.split(s, context)
            if parts is not None:
                return self.block(parts, context, versions)
        try:
            self._require_open(s)
            return self._closed(s, context, versions)
        except (RecurrenceError, NotAffine, RecursionError, TooManyPartsError) as found:
            error = _as_recurrence(found, s)
            if isinstance(s, Loop):
                return self._open_loop(s, error, context, versions)
            if isinstance(s, Branch) and _has_loops(s):
                return self._open_branch(s, context, versions)
            message = f"no form is known for this statement: {error}"
            raise refuse("TL221", message, s.location, "take the loop out of the condition") from None

    def _require_open(self, s: Statement) -> None:
        """Raise RecurrenceError for a loop that is to stay, and for a branch around loops of which one may be."""
        if self.kept and isinstance(s, Loop | Branch) and _has_loops(s):
            for array in sorted(written((s,))):
                if (s.location, array) in self.kept:
                    raise RecurrenceError(array, self.kept[s.location, array])

    # -- closed statements

    def _closed(self, s: Statement, context: Domain, versions: Versions) -> list[Item]:
        state, values = State(), dict[str, "Term"]()
        self.evaluator.run((s,), state, values, context)
        made = []
        for array, pieces in state.pieces.items():
            made.append(self._definition(array, self._whole(array, pieces, context, versions), context, s.location))
        if isinstance(s, Branch):
            self.values.update((value, self._outer(values[value], context, versions)) for value in s.values)
        made.sort(key=lambda d: sum(1 for _, term in d.pieces for _ in rewrite.walk(term)))
        named = [replace(d, name=self._new_name(d.array)) for d in made]
        versions.update((d.array, d.name) for d in named)
        return list[Item](named)

    def _whole(self, array: str, pieces: list[Piece], context: Domain, versions: Versions) -> list[Piece]:
        """Complete the pieces of an effect to the whole array."""
        info = self.arrays[array]
        box = self._box(array) & context
        found = [(domain & box, term) for domain, term in pieces]
        rest = box
        for domain, _ in found:
            rest = rest - domain
        found = [(domain, self._outer(term, domain, versions)) for domain, term in found if not domain.is_empty()]
        if not rest.is_empty():
            own = own_cell(array, len(info.shape), info.dtype)
            found.append((rest, self._current(own, versions)))
        return joined([(domain.coalesce(), term) for domain, term in merged(split(found))])

    def _outer(self, term: Term, domain: Domain, versions: Versions) -> Term:
        """Say a term over entry states and values in terms of versions."""
        if not term.reads:
            return term

        def convert(found: Read, _: Domain) -> Term:
            value = self.values.get(found.array)
            return value if value is not None else self._current(found, versions)

        return rewrite.map_reads(term, domain, convert)

    def _current(self, found: Read, versions: Versions) -> Term:
        """Read the current version, where there is one."""
        version = versions.get(found.array)
        return unwritten(found) if version is None else terms.read(version, found.indices, found.dtype)

    def _box(self, array: str) -> Domain:
        shape = self.arrays[array].shape
        return Domain.box(formals(array, len(shape)), shape)

    def _definition(
        self, array: str, pieces: list[Piece], context: Domain, location: Location | None, name: str = ""
    ) -> Definition:
        info = self.arrays[array]
        return Definition(
            name=name,
            array=array,
            dtype=info.dtype,
            indices=formals(array, len(info.shape)),
            shape=info.shape,
            domain=self._box(array) & context,
            pieces=tuple(pieces),
            location=location,
        )

    def _new_name(self, array: str, suffix: str = "") -> str:
        while True:
            self.numbers[array] = self.numbers.get(array, 0) + 1
            name = f"{array}_{self.numbers[array]}{suffix}"
            if name not in self.names:
                self.names.add(name)
                return name

    def result(self, context: Domain, versions: Versions) -> Definition | None:
        """Return the definition of the returned value."""
        if self.program.result is None:
            return None
        array = unused("result", self.names)
        term = self._outer(self.program.result, context, versions)
        self.arrays[array] = ArrayInfo(array, term.dtype, (), is_parameter=False, location=self.program.location)
        pieces = split([(context, term)])
        return self._definition(array, pieces, context, self.program.location, self._new_name(array))

    # -- statements without a closed form

    def _open_branch(self, s: Branch, context: Domain, versions: Versions) -> list[Item]:
        """Push the condition into the loops of the arms."""
        block = (*self._zeros(s), *Pusher(self._new_flag).push(s))
        self.liveness.extend(block, self.liveness.after[s])
        return self.block(block, context, versions)

    def _zeros(self, s: Branch) -> Iterator[Statement]:
        """Yield zeros for what arms declare, where a loop of theirs then stands outside that does not run elsewhere."""
        for array in sorted(allocated((s,))) if runs_on((s,)) else ():
            if not self.arrays[array].shape:
                yield Store(array, (), terms.zero(self.arrays[array].dtype), s.location)

    def _new_flag(self) -> tuple[str, str]:
        array = unused("holds", self.names)
        self.arrays[array] = ArrayInfo(array, "bool", (), is_parameter=False)
        return array, unused("%holds", self.names)

    def _open_loop(
        self, s: Loop, error: RecurrenceError | NotAffine, context: Domain, versions: Versions
    ) -> list[Item]:
        parts = self.distributor.split(s, context)
        if parts is None:
            return self._kept(s, error, context, versions)
        split = error.renamed(self.distributor.renamed) if isinstance(error, RecurrenceError) else error
        before, arrays = dict(versions), {*self.arrays} - {*self.distributor.renamed.values()}
        items: list[Item] = []
        staying: list[bool] = []
        for part in parts:
            if isinstance(part, Loop) and _is_known_open(part, s, split):
                found = self._open_loop(part, split, context, versions)
            else:
                found = self._statement(part, context, versions)
            staying += [isinstance(found[-1], KeptLoop)] if isinstance(part, Loop) and found else []
            items += found
        if all(staying) and not any(isinstance(one, Loop) and not is_access(one) for one in s.body):
            versions.clear()
            versions.update(before)
            for made in self.arrays.keys() - arrays:
                del self.arrays[made]
            return self._kept(s, error, context, versions)  # by its parts nothing is gained
        return items

    def _kept(self, s: Loop, error: RecurrenceError | NotAffine, context: Domain, versions: Versions) -> list[Item]:
        reason = reason_for(s, error, context, self.arrays)
        if self.staying is not None:
            raise self.staying(reason)
        s, step = self._single_bounds(s), s.step
        if not isinstance(step, int):
            message = f"this loop steps by {step}: {reason.message}"
            raise refuse("TL222", message, s.location, "step by a constant, or do all that lies in between")
        inside = context & s.domain()
        items: list[Item] = []
        carried: list[tuple[str, str, str]] = []
        body_versions = dict(versions)
        for array in self._carried_arrays(s, inside):
            if array not in versions:
                items.append(self._undefined(array, context, versions))
            name = self._new_name(array, "c")
            carried.append((array, versions[array], name))
            body_versions[array] = name
        body = self.block(s.body, inside, body_versions)
        versions.update((array, name) for array, _, name in carried)
        handed = tuple(Carried(a, before, name, body_versions.get(a, name)) for a, before, name in carried)
        goes_on = next((one.name for one in handed if one.array == s.goes_on), None)
        loop = KeptLoop(s.variable, s.lower[0], s.upper[0], step, inside, handed, tuple(body), reason, goes_on)
        return [*items, loop]

    def _carried_arrays(self, s: Loop, iterations: Domain) -> list[str]:
        """Return the arrays that iterations hand on, or that are read after the loop."""
        after, exposed = self.liveness.after[s], self.liveness.exposed(s)
        changed = written(s.body) - allocated(s.body)
        handed = {a for a in exposed & changed - after if a == s.goes_on or hands_on(s, a, iterations)}
        return [array for array in self.arrays if array in changed and (array in after or array in handed)]

    def _undefined(self, array: str, context: Domain, versions: Versions) -> Definition:
        """Give a local array that has no value yet a version."""
        info = self.arrays[array]
        cells: list[Piece] = [(self._box(array) & context, unwritten(own_cell(array, len(info.shape), info.dtype)))]
        made = self._definition(array, cells, context, info.location, self._new_name(array))
        versions[array] = made.name
        return made

    def _single_bounds(self, s: Loop) -> Loop:
        """Leave one bound on each side; the others guard the body."""
        if len(s.lower) == len(s.upper) == 1:
            return s
        variable = affine(s.variable)
        guards = [at_least(variable, low) for low in s.lower[1:]] + [less(variable, high) for high in s.upper[1:]]
        body = guarded(Domain.of(*guards), s.body, s.location)
        result = replace(s, lower=s.lower[:1], upper=s.upper[:1], body=body)
        self.liveness.extend((result,), self.liveness.after[s])
        return result
