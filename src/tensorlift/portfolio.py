"""The portfolio: engines one after the other in one budget of time; the cheapest program that is proved is returned.

    derive, with its proof -> proved, and nobody asks for the cheapest? done
                           -> other forms, the other engines on the same definitions -> ranked by cost
                           -> proved, cheapest first

Derivation takes milliseconds and proves nearly everything, so that the others run only where it fails or where a search
for something cheaper is asked for: in a budget of time by all engines, without one by those that take milliseconds too.
What an engine finds is a candidate, as are the forms of what is derived: one whose proof fails is told of and never
returned.  Where none is cheaper, what derivation gives stays.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from xdsl.dialects.affine import ForOp

from tensorlift.attempts import proved_as, proved_program
from tensorlift.diagnostics import LiftError
from tensorlift.engines import AUTO, TACTICS, Effort, engine_names, search_by
from tensorlift.ir.cost import cost_of
from tensorlift.poly.isl import TooManyPartsError, together
from tensorlift.record import EngineRun, Outcome
from tensorlift.session import SESSION
from tensorlift.summarize import summarise
from tensorlift.synthesis.simplify import simplify

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.attempts import Proved, Request, Stage
    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.tensor_program import TensorProgram

RESCUE = 2.0  # seconds for the others where derivation fails: a refusal must not take long
_MOST_LOOPS = 2  # that add to the allowance of a search: an answer takes seconds
_ONLY_CLOSED = {"sketch-whole", "enumerate"}  # these search once: through all definitions, or for long
_OF_ENGINES = ("TL3", "TL4")  # how the codes begin for what an engine does not find, and for what is not proved


class NothingFoundError(LiftError):
    """Raised where no engine gives a program that is proved; ``runs`` are what they did."""

    def __init__(self, error: LiftError, runs: tuple[EngineRun, ...]) -> None:
        """Refuse as the first engine does."""
        super().__init__(*error.diagnostics)
        self.runs = runs


@dataclass(frozen=True, slots=True)
class Choice:
    """A proved program, and what the engines did; that of the program comes first."""

    proved: Proved
    runs: tuple[EngineRun, ...]

    @property
    def engine(self) -> str:
        """The engine that found the program."""
        return self.runs[0].engine


def chosen_program(  # noqa: PLR0913 - what is asked for, and how long to search
    view: FunctionView,
    request: Request,
    stage: Stage,
    engine: str = AUTO,
    budget: float | None = None,
    *,
    with_forms: bool = False,
) -> Choice:
    """Find a proved program for a function by one engine, or the cheapest of all in a budget of seconds.

    ``with_forms`` the cheapest of what takes milliseconds to find is asked for, without a budget.

    Raises:
        NothingFoundError: where there is none.

    """
    SESSION.loops = max(1, sum(isinstance(op, ForOp) for outer in view.body.ops for op in outer.walk()))
    with together(times=min(SESSION.loops, _MOST_LOOPS)) as allowance:
        try:
            if engine != AUTO:
                return _by_one(view, request, stage, engine)
            end = time.perf_counter() + (RESCUE if budget is None else budget)
            return _Portfolio(view, request, stage, end, is_asked=budget is not None, with_forms=with_forms).chosen()
        except LiftError as error:
            if not allowance.is_spent:
                raise
            runs = error.runs if isinstance(error, NothingFoundError) else ()
            raise NothingFoundError(TooManyPartsError(), runs) from None  # not what an attempt told


def _by_one(view: FunctionView, request: Request, stage: Stage, engine: str) -> Choice:
    start = time.perf_counter()
    effort, keeps_loops = request.effort, engine not in _ONLY_CLOSED

    def run(outcome: Outcome, reason: str = "", cost: float | None = None) -> EngineRun:
        return EngineRun(
            engine, outcome, reason, cost, time.perf_counter() - start, dict(effort.counts), effort.heuristics
        )

    try:
        proved = proved_program(view, replace(request, keeps_loops=keeps_loops), stage)
    except LiftError as error:
        raise NothingFoundError(error, (run(Outcome.REFUSED, _reason(error)),)) from None
    return Choice(proved, (run(Outcome.CHOSEN, cost=_cost(proved.program, request)),))


def _cost(program: TensorProgram | None, request: Request) -> float | None:
    return None if program is None else cost_of(program, request.target.costs, request.estimated_at)


def _reason(error: LiftError) -> str:
    return f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"


@dataclass(slots=True)
class _Candidate:
    """What an engine found for a summary; ``proved`` where that is known already."""

    run: EngineRun
    summary: Summary
    program: TensorProgram
    proved: Proved | None = None

    @property
    def cost(self) -> float:
        return math.inf if self.run.cost is None else self.run.cost


@dataclass(slots=True)
class _Portfolio:
    """The runs of all engines for one function, until a moment; ``is_asked`` where a budget was named.

    Without one, but ``with_forms``, only what takes milliseconds runs.
    """

    view: FunctionView
    request: Request
    stage: Stage
    deadline: float
    is_asked: bool
    with_forms: bool = False
    candidates: list[_Candidate] = field(default_factory=list)
    runs: list[EngineRun] = field(default_factory=list)

    def chosen(self) -> Choice:
        """Return the cheapest program; where nobody asks for more, what derivation gives if it is proved."""
        first: Choice | None = None
        failure: NothingFoundError | None = None
        try:
            first = _by_one(self.view, self.request, self.stage, "derive")
        except NothingFoundError as error:
            failure = error
        others = [] if self.request.target.reads_back else engine_names()[1:]
        if failure is not None and (not others or not failure.diagnostics[0].code.startswith(_OF_ENGINES)):
            raise failure
        if first is not None and not self.is_asked:
            self.runs += [_not_run(e, "derivation suffices") for e in others if not (self.with_forms and e == TACTICS)]
            others = [e for e in others if self.with_forms and e == TACTICS]
        if first is not None and not others:
            return replace(first, runs=(*first.runs, *self.runs))
        with suppress(TooManyPartsError):
            self._search(others, first)
        if failure is not None:
            self.runs.append(failure.runs[0])
        return self._best(failure)

    def _search(self, engines: list[str], first: Choice | None) -> None:
        """Let engines search, on what the function means as it is, then with the loops that derivation keeps."""
        SESSION.restart(same_function=True)
        if first is not None and first.proved.program is not None:
            run = replace(first.runs[0], outcome=Outcome.NOT_CHEAPER)
            self.candidates.append(_Candidate(run, first.proved.summary, first.proved.program, first.proved))
        with self.stage("summarise"):
            within = first.proved.summary.assumed if first is not None else None
            nonempty = not self.request.target.takes_empty
            summaries = [summarise(self.view, within=within, nonempty=nonempty, places=True)]
            if first is not None and first.proved.kept:
                summaries.append(summarise(self.view, within=within, kept=first.proved.kept, places=True))
        with self.stage("simplify"):
            meant = [(summary, simplify(summary)) for summary in summaries]
        if first is not None and first.proved.program is not None:
            self._form(*meant[-1], first.proved.program)
        for engine in engines:
            if time.perf_counter() < self.deadline:
                self._run(engine, meant)
            else:
                self.runs.append(_not_run(engine, "the budget is spent"))

    def _form(self, summary: Summary, simplified: Summary, derived: TensorProgram) -> None:
        """Try the other forms of what derivation gave."""
        from tensorlift.synthesis.forms import formed  # noqa: PLC0415 - only where the cheapest is asked for

        target = self.request.target

        def cost(program: TensorProgram) -> float:
            return cost_of(program, target.costs, self.request.estimated_at)

        start = time.perf_counter()
        with self.stage("derive"):
            for one in formed(simplified, derived, target.forms, cost):
                spent, start = time.perf_counter() - start, time.perf_counter()
                run = EngineRun("derive", Outcome.NOT_CHEAPER, "", one.cost, spent, forms=one.forms)
                self.candidates.append(_Candidate(run, summary, one.program))

    def _run(self, engine: str, meant: list[tuple[Summary, Summary]]) -> None:
        """Let one engine search: the first summary, as simplified, for which it finds a program counts."""
        start, reason = time.perf_counter(), ""
        effort = Effort(self.deadline, is_brief=not self.is_asked)
        search = search_by(engine)
        for summary, simplified in meant:
            try:
                with self.stage("derive"):
                    program = search(simplified, self.request.target, effort)
            except LiftError as error:
                reason = reason or _reason(error)
                continue
            spent = time.perf_counter() - start
            cost = _cost(program, self.request)
            run = EngineRun(engine, Outcome.NOT_CHEAPER, "", cost, spent, dict(effort.counts), effort.heuristics)
            self.candidates.append(_Candidate(run, summary, program))
            return
        spent = time.perf_counter() - start
        self.runs.append(
            EngineRun(engine, Outcome.REFUSED, reason, None, spent, dict(effort.counts), effort.heuristics)
        )

    def _best(self, failure: NothingFoundError | None) -> Choice:
        """Return the cheapest candidate whose proof succeeds; among equals the first."""
        for candidate in sorted(self.candidates, key=lambda c: c.cost):
            try:
                proved = candidate.proved or self._proof(candidate)
            except LiftError as error:
                candidate.run = replace(candidate.run, outcome=Outcome.UNPROVED, reason=_reason(error))
                failure = failure or NothingFoundError(error, ())
                continue
            candidate.run = replace(candidate.run, outcome=Outcome.CHOSEN)
            return Choice(proved, (candidate.run, *self._others(candidate)))
        assert failure is not None
        raise NothingFoundError(failure, tuple(self._others(None)))

    def _proof(self, candidate: _Candidate) -> Proved:
        return proved_as(self.view, candidate.summary, candidate.program, self.request, self.stage)

    def _others(self, chosen: _Candidate | None) -> Iterator[EngineRun]:
        """Yield what the other engines did, in the order of engines."""
        runs = [*self.runs, *(c.run for c in self.candidates if c is not chosen)]
        yield from sorted(runs, key=lambda run: engine_names().index(run.engine))


def _not_run(engine: str, reason: str) -> EngineRun:
    return EngineRun(engine, Outcome.NOT_RUN, reason)
