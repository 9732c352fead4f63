"""Attempts at a proved program: first with every loop that has a closed form lifted, then with some of them kept.

A closed form may be one that no array operations compute, or whose program is not proved.  Then comes the form for
arrays and loops that are not empty, under as few conditions as suffice.  Where that is not proved either, the loop that
the form comes from is kept, and its body is lifted: better than a refusal, or a matrix that the source does not make.
"""

from __future__ import annotations

import math
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import DefinitionError, Item, KeptLoop, LoopPlace, Summary
from tensorlift.comprehension.emptiness import (
    fewest,
    keeps_what_empty_loops_leave,
    says_what_of_nothing,
    strongest_first,
    where_empty,
)
from tensorlift.comprehension.normal import is_spent
from tensorlift.comprehension.peeling import peeled
from tensorlift.comprehension.places import any_gathered
from tensorlift.comprehension.skewing import skewed
from tensorlift.contract.gather import preconditions_of
from tensorlift.contract.guards import guards_of, of_any_extents
from tensorlift.diagnostics import Diagnostic, LiftError, Location, refuse
from tensorlift.engines import Effort, Search, derived
from tensorlift.interface import Emitted, describe_loops, describe_parameters, emitted_names, names_read, unused_arrays
from tensorlift.ir.cost import cost_of, degree_of, is_roundabout
from tensorlift.ir.left_early import left_early
from tensorlift.ir.tensor_program import (
    Copy,
    DiagonalMask,
    Elementwise,
    For,
    Full,
    TensorProgram,
    TriangleMask,
)
from tensorlift.ir.work import ONCE, Work, work_of_definitions, work_of_loops, work_of_program, work_of_source
from tensorlift.ir.wrapping import ALL_WIDTHS
from tensorlift.poly.domain import Constraint, Domain
from tensorlift.profit import Pays, check_degree, least, with_tests
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import OBLIGATION, CheckFailure
from tensorlift.session import SESSION
from tensorlift.sizes import at_sizes
from tensorlift.summarize import summarise
from tensorlift.synthesis.derive.order import arranged
from tensorlift.synthesis.simplify import simplify
from tensorlift.synthesis.simplify.reuse import reading_stored
from tensorlift.targets.mlir_text.places import with_places
from tensorlift.targets.target import SIZE_NEEDED, Target, UnspelledError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.contract.interface import Precondition
    from tensorlift.contract.language import Guard
    from tensorlift.ir.function import FunctionView
    from tensorlift.proofs import Certificate

    Stage = Callable[[str], AbstractContextManager[None]]

_COMPUTED = (Elementwise, TriangleMask, DiagonalMask)
_MOST_CONDITIONS = 4  # that are left out one by one
_ATTEMPTS = 16


@dataclass(frozen=True, slots=True)
class Proved:
    """What a function means, with the loops that it keeps, a program for it, and the proof."""

    summary: Summary
    emitted: Emitted
    certificate: Certificate
    preconditions: tuple[Precondition, ...]
    view: FunctionView | None = None  # of the program, where it was read back
    diagnostics: tuple[Diagnostic, ...] = ()
    program: TensorProgram | None = None  # where an engine found it
    kept: Mapping[LoopPlace, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: a target, guards, sizes where the target needs them, and the search of an engine.

    ``effort`` is what the search may take, and counts what it did.  A program that ``replaces`` its source may not be
    slower by degree; one that ``pays``, in C, is quicker by estimate, and is called at sizes at which it is.  It
    ``keeps_loops`` whose closed forms have no program that is proved, and searches again.  Costs are estimated at the
    sizes ``estimated_at``.  Integers of the widths in ``wrapping`` wrap.
    """

    target: Target
    with_guards: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)
    search: Search = derived
    keeps_loops: bool = True
    effort: Effort = field(default_factory=Effort)
    estimated_at: Mapping[str, int] = field(default_factory=dict)
    replaces: bool = False
    pays: Pays = ""
    wrapping: frozenset[int] = frozenset()
    places: bool = False  # with those of operations, in MLIR


def proved_program(view: FunctionView, request: Request, stage: Stage) -> Proved:
    """Find a program for a function, if asked with guards of its preconditions, and prove it.

    ``stage`` times each room by its name.

    Raises:
        LiftError: where there is none; that of the first attempt.

    """
    first = found = _keeping(view, request, stage, {})
    allowed = work_of_source(view)
    kept: dict[LoopPlace, str] = {}
    with suppress(LiftError):
        while slower := _slower_by_degree(found, allowed):
            if not request.keeps_loops or kept.keys() >= set(slower):
                return first
            kept |= dict.fromkeys(slower, "would be slower by degree in array operations")
            found = _keeping(view, request, stage, dict(kept))
        return found
    return first


def _keeping(view: FunctionView, request: Request, stage: Stage, kept: dict[LoopPlace, str]) -> Proved:
    """Find a proved program that keeps some loops, and each other one whose closed form has no program."""
    is_again = bool(kept)
    failed: dict[str, LiftError] = {}
    first: LiftError | None = None
    for attempt in range(_ATTEMPTS):
        SESSION.restart(same_function=is_again or attempt > 0)
        tried = _Attempts(view, request, stage, kept, failed)
        try:
            return tried.proved()
        except DefinitionError as error:
            if not request.keeps_loops:
                raise
            summary = tried.summary
            assert summary is not None
            first = first or error
            places = [
                next((place for d in summary.sources_of(one) if (place := (d.location, d.array)) not in kept), None)
                for one in (error.definition, *error.others)
            ]
            if places[0] is None or is_spent():
                break
            found = [place for place in places if place is not None]
            if error.diagnostics[0].code == SIZE_NEEDED and found[0][0] in left_early(view.operations):
                break
            _refuse_left(view, [location for location, _ in found])
            kept |= dict.fromkeys(found, f"has no proved form in array operations ({error.diagnostics[0].message})")
        except LiftError as error:
            raise first or error from None
    assert first is not None
    raise first


def _refuse_left(view: FunctionView, stays: Sequence[Location | None]) -> None:
    """Refuse loops that stay though the source leaves them early."""
    early = left_early(view.operations)
    for location in stays:
        if location in early:
            raise LiftError(early[location])


def _slower_by_degree(found: Proved, allowed: Work) -> list[LoopPlace]:
    """Return the places of definitions that are more work by degree than is allowed, where the program is, too."""
    context = found.summary.context
    if _work(found).fits(allowed, context):
        return []
    works = work_of_definitions(found.summary.items)
    return [(d.location, d.array) for work, d in works if d.location is not None and not work.fits(allowed, context)]


def _work(found: Proved) -> Work:
    if found.program is not None:
        return work_of_program(found.program)
    return ONCE if found.view is None else work_of_loops(found.view)


def _rank(found: Proved, request: Request) -> tuple[int, float]:
    """Rank a program by its degree, also of what it fills or copies, and then by its cost."""
    body = found.program.body if found.program is not None else ()
    return degree_of(body, (*_COMPUTED, Full, Copy)), _cost(found, request)


@dataclass
class _Attempts:
    """Attempts with the same loops kept: for all sizes, else for those at which nothing is empty."""

    view: FunctionView
    request: Request
    stage: Stage
    kept: Mapping[LoopPlace, str]
    failed: dict[str, LiftError]
    summary: Summary | None = None  # for all sizes

    def proved(self) -> Proved:
        """Return a program for as many sizes as there is a good one for, and its proof.

        Raises:
            LiftError: where there is none; that of the attempt for all sizes.

        """
        self.summary = summary = self._summary(None)
        if not self.request.target.takes_empty:
            return self._attempt(summary, self.failed)
        if keeps_what_empty_loops_leave(summary):
            found = self._where_nonempty(summary, math.inf)
            if found is not None:
                return found
        try:
            found = self._attempt(summary, self.failed)
        except LiftError:
            fewer = self._where_nonempty(summary, math.inf)
            if fewer is None:
                raise
            return fewer
        if found.program is None or not is_roundabout(found.program, summary) or says_what_of_nothing(summary):
            return found
        return self._where_nonempty(summary, _cost(found, self.request)) or found

    def _where_nonempty(self, summary: Summary, below: float) -> Proved | None:
        """Return a program for sizes at which nothing is empty, if one costs less than so much.

        Tried first are the fewest conditions without what is computed only where something is empty.
        """
        needed = strongest_first([c for c in summary.nonempty if not summary.context.implies(c)])
        least = fewest(needed, [domain for domain, _ in where_empty(summary, summary.definitions())])
        found = self._within(summary.assumed, least, below)
        if found is not None:
            return found
        found = self._within(summary.assumed, needed, below)
        if found is None or len(needed) > _MOST_CONDITIONS:
            return found
        below = math.nextafter(_cost(found, self.request), math.inf)
        for condition in needed:
            fewer = [c for c in needed if c is not condition]
            with_fewer = self._within(summary.assumed, fewer, below)
            found, needed = (with_fewer, fewer) if with_fewer is not None else (found, needed)
        return found

    def _within(self, assumed: Domain, conditions: Sequence[Constraint], below: float) -> Proved | None:
        if not conditions or is_spent():
            return None
        SESSION.restart(same_function=True)
        with suppress(LiftError):
            summary = self._summary(assumed & Domain.of(*conditions))
            if not keeps_what_empty_loops_leave(summary):
                found = self._attempt(summary, {})
                return found if _cost(found, self.request) < below else None
        return None

    def _summary(self, within: Domain | None) -> Summary:
        target = self.request.target
        with self.stage("summarise"):
            return summarise(
                self.view,
                within=within,
                nonempty=not target.takes_empty,
                kept=self.kept,
                for_loops=target.reads_back,
                places=True,
            )

    def _attempt(self, summary: Summary, failed: dict[str, LiftError]) -> Proved:
        kept = dict(self.kept)
        return replace(_attempt(self.view, summary, self.request, self.stage, failed, not kept), kept=kept)


def _cost(found: Proved, request: Request) -> float:
    if found.program is None:
        return 0
    return cost_of(found.program, request.target.costs, request.estimated_at)


def _attempt(  # noqa: PLR0913, PLR0917 - what is lifted, and how
    view: FunctionView,
    summary: Summary,
    request: Request,
    stage: Stage,
    failed: dict[str, LiftError],
    is_first: bool,  # noqa: FBT001 - of several attempts at a function
) -> Proved:
    """Make one attempt, and one with its loops peeled; ``failed``, which grows, is what failed of what is read back."""
    if request.target.reads_back and request.with_guards:
        raise _without_guards(view, request.target)
    _refuse_left(view, [loop.location for loop in describe_loops(summary.items)])

    def attempt(form: Summary) -> Proved:
        if not request.target.reads_back:
            return _attempt_derived(view, summary, form, request, stage)
        in_place = partial(_attempt_in_place, view, summary, form, stage=stage, failed=failed)
        return _exactly_or_wrapping(in_place, request)

    found, first = None, None
    try:
        found = attempt(summary)
    except LiftError as error:
        first = error
    keeps_loops = found is not None and _has_loops(found)
    forms = list(peeled(summary)) if (keeps_loops or is_first) and not is_spent() else []
    for form in forms if found is not None else forms[-1:]:
        with suppress(LiftError):
            other = attempt(form)
            if found is None or _rank(other, request) < _rank(found, request):
                found = other
            break
    if found is not None and _has_loops(found) and "skewed" in request.target.forms and not is_spent():
        found = _over_diagonals(found, attempt, request)
    if found is None:
        raise first or LiftError()
    return found


def _has_loops(found: Proved) -> bool:
    return found.program is not None and any(isinstance(s, For) for s in found.program.body)


def _over_diagonals(found: Proved, attempt: Callable[[Summary], Proved], request: Request) -> Proved:
    """Return a program whose nests are loops over anti-diagonals, where that is cheaper and no more by degree."""
    form = skewed(found.summary)
    with suppress(LiftError):
        other = found if form is None else attempt(form)
        degree = max(2, _rank(found, request)[0])  # that of the nest
        if _rank(other, request)[0] <= degree and _cost(other, request) < _cost(found, request):
            return other
    return found


def _attempt_derived(view: FunctionView, summary: Summary, form: Summary, request: Request, stage: Stage) -> Proved:
    """Find a program for a form of the definitions, and prove it."""
    with stage("simplify"):
        simplified = simplify(form)
    with stage("derive"):
        program = request.search(simplified, request.target, request.effort)
    return proved_as(view, summary, program, request, stage)


def proved_as(view: FunctionView, summary: Summary, program: TensorProgram, request: Request, stage: Stage) -> Proved:
    """Emit a program that an engine found for a summary, and prove it.

    Raises:
        LiftError: where the target cannot spell it, or it is not proved.

    """
    target, found = request.target, program
    with stage("emit"):
        if target.takes_sizes:
            summary, program = at_sizes(summary, program, request.sizes, view.location)
        emit = with_places(target.emit, summary, view) if request.places else target.emit
        emitted = _emitted(program, summary, emit)
        preconditions = preconditions_of(view, summary)
        guards = _guards(view, emitted, preconditions, target) if request.with_guards else ()
        emitted = target.guarded(emitted, guards) if guards and target.guarded is not None else emitted
    with stage("prove"), _blamed(summary, emitted):
        wanted = [guard.condition for guard in guards]
        certificate = check(emitted.text, emitted.entry, summary, target, emitted.cuts, guards=wanted)
    return Proved(summary, emitted, certificate, preconditions, program=found)


def _exactly_or_wrapping(attempt: Callable[[Request], Proved], request: Request) -> Proved:
    """Let a program wrap all integers that it computes where those of positions might leave their types otherwise."""
    try:
        return attempt(request)
    except LiftError as failure:
        if failure.diagnostics[0].code != OBLIGATION or request.wrapping == ALL_WIDTHS:
            raise
        with suppress(LiftError):  # of the two reasons the first one is told
            return attempt(replace(request, wrapping=ALL_WIDTHS))
        raise


def _attempt_in_place(  # noqa: PLR0913 - what is lifted, in two forms, and how
    view: FunctionView,
    summary: Summary,
    form: Summary,
    request: Request,
    stage: Stage,
    *,
    failed: dict[str, LiftError],
) -> Proved:
    """Emit a program in a language that a front end reads, and prove it by what it means when it is read back.

    Where a fast program is not proved, one that computes again what is stored is tried, and then a plain one.
    """
    from tensorlift.readback import InPlace, with_threads  # noqa: PLC0415  it loads the C front end

    with stage("simplify"):
        simplified = simplify(form)
    with stage("derive"):
        again = tuple(_arranged(simplified.items))
        stored = tuple(_arranged(reading_stored(simplified.items)))
    function, target = InPlace(view, summary, preconditions_of(view, summary), request.wrapping), request.target

    def prove(emitted: Emitted) -> tuple[Certificate, FunctionView]:
        with stage("prove"), _blamed(summary, emitted):
            return function.proved(emitted, target.name)

    first: LiftError | None = None
    for items, plain in ((stored, False), *([(again, False)] if again != stored else []), (again, True)):
        ordered = replace(simplified, items=items)
        try:
            with stage("emit"):
                emitted = _emitted(ordered, summary, partial(target.emit, **function.memory(), plain=plain))
            with _remembered(failed, emitted.text):
                with stage("emit"):
                    end = emitted.text.count("\n")
                    emitted, written, pragmas = with_threads(
                        emitted, divides_sizes=any(size.demands for size in summary.derived)
                    )
                if written is not None and (request.replaces or plain or any_gathered(summary.definitions())):
                    check_degree(view, written, summary.context if request.replaces else None)
                found: tuple[Certificate, FunctionView] | None = None
                if request.pays:
                    if written is None:  # only the proof reads it
                        found = prove(emitted)
                        written = found[1]
                    tests = least(view, written, end, pragmas, request.estimated_at, request.pays)
                    if tests:
                        emitted, found = emitted._replace(text=with_tests(emitted.text, tests, function.places)), None
                certificate, program = found or prove(emitted)
        except LiftError as failure:
            first = first or failure
        else:
            return Proved(summary, emitted, certificate, function.preconditions, program, function.diagnostics)
    assert first is not None
    raise first


@contextmanager
def _remembered(failed: dict[str, LiftError], text: str) -> Iterator[None]:
    """Remember how a text failed, and do not try it again."""
    if text in failed:
        raise failed[text]
    try:
        yield
    except LiftError as failure:
        failed[text] = failure
        raise


def _arranged(items: Sequence[Item]) -> Iterator[Item]:
    """Order the items of each block, those of loops too, so that few versions are alive at once."""
    for item in arranged(tuple(items)):
        yield replace(item, body=tuple(_arranged(item.body))) if isinstance(item, KeptLoop) else item


def _guards(
    view: FunctionView, emitted: Emitted, preconditions: Sequence[Precondition], target: Target
) -> tuple[Guard, ...]:
    """List what the program must check of its arguments."""
    if target.guarded is None:
        raise _without_guards(view, target)
    read = names_read(emitted.text)
    unused = unused_arrays(view)
    taken = [p for p in describe_parameters(view, emitted.text) if p.name in read]
    parameters = [of_any_extents(p) if p.name in unused else p for p in taken]
    return guards_of(view.name, parameters, preconditions, emitted_names(view, parameters), view.location)


def _without_guards(view: FunctionView, target: Target) -> LiftError:
    return refuse("TL530", f"programs for the target '{target.name}' have no guards", view.location, "use numpy")


@contextmanager
def _blamed(summary: Summary, emitted: Emitted) -> Iterator[None]:
    """Say of a failed proof which definition the failing line belongs to: the first that holds from there on."""
    try:
        yield
    except CheckFailure as failure:
        line = failure.line
        names = [cut.definition for cut in emitted.cuts if line is not None and cut.line >= line]
        raise _blaming(failure, names, summary) from None


def _emitted(program: TensorProgram | Summary, summary: Summary, emit: Callable[..., Emitted]) -> Emitted:
    """Write a program; what the target cannot spell is said of the definition that it computes."""
    try:
        emitted = emit(program)
    except UnspelledError as error:
        raise _blaming(error, error.definitions, summary) from None
    return emitted


def _blaming(failure: LiftError, names: Sequence[str], summary: Summary) -> LiftError:
    """Give a failure as that of the first of some definitions, else of an output, else as it is."""
    outputs = [version for _, version in summary.outputs]
    outputs += [] if summary.result is None else [summary.result]
    definitions = {d.name: d for d in summary.definitions()}
    blamed = next((definitions[name] for name in (*names, *outputs) if name in definitions), None)
    return failure if blamed is None else DefinitionError(failure, blamed)
