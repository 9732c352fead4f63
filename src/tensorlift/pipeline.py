"""The pipeline: one page of named steps from source text to a run record.

    read -> summarise -> derive -> emit -> prove -> check small sizes -> (test against the compiled source)

Each step is one room.  A `LiftError` in a step refuses the function at hand and no other; so does an exception that
nobody expected, which becomes diagnostic TL900 (with TENSORLIFT_DEBUG set it is raised).
"""

from __future__ import annotations

import difflib
import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tensorlift import __version__
from tensorlift.diagnostics import Diagnostic, LiftError, Location, internal_error, refuse
from tensorlift.record import FunctionRecord, Json, LiftRecord, Verdict
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tensorlift.source import Source
    from tensorlift.targets.target import Target


@dataclass(frozen=True, slots=True)
class LiftOptions:
    """What to lift and how; no ``functions`` means all of the source."""

    functions: tuple[str, ...] = ()
    target: str = "numpy"
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    std: str | None = None
    engine: str = "auto"
    test: bool = False


@dataclass(frozen=True, slots=True)
class Intermediate:
    """A function on its way: its loop IR or its definitions as text, or the diagnostics that stopped it."""

    name: str
    text: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()


@dataclass(slots=True)
class StageClock:
    """Seconds by stage, in the order in which the stages ran."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count the time of the block for the stage, also where the block raises."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


class ReadFunction(Protocol):
    """What a front end gives for each function: its module, or the diagnostics that say why there is none."""

    name: str
    location: Location | None
    module: Any
    diagnostics: tuple[Diagnostic, ...]


def lift_source(source: Source, options: LiftOptions) -> LiftRecord:
    """Lift the functions of a source; raise `LiftError` only where the request itself is wrong."""
    target = get_target(options.target)
    clock = StageClock()
    try:
        with clock.stage("read"):
            read = _read(source, options)
    except LiftError as refusal:
        return LiftRecord(
            __version__,
            source.name,
            source.sha256,
            options.target,
            diagnostics=refusal.diagnostics,
            seconds=clock.seconds,
        )
    functions = tuple(
        _lift_function(function, target, options) for function in _select(read, options.functions, source.name)
    )
    return LiftRecord(__version__, source.name, source.sha256, options.target, functions, seconds=clock.seconds)


def intermediate(source: Source, options: LiftOptions, form: str) -> list[Intermediate]:
    """Give each function in an earlier form: ``ir``, the loop IR, or ``definitions``, its meaning."""
    return [_intermediate(f, form) for f in _select(_read(source, options), options.functions, source.name)]


def verify(certificate: Mapping[str, Json]) -> tuple[Diagnostic, ...]:
    """Decide a certificate again, without any of the search; no diagnostics means that it holds."""
    raise NotImplementedError


def _lift_function(function: ReadFunction, target: Target, options: LiftOptions) -> FunctionRecord:
    clock = StageClock()
    if function.module is None:
        return _refused(function, function.diagnostics, options, clock)
    try:
        return _lift_module(function, target, options, clock)
    except LiftError as refusal:
        return _refused(function, function.diagnostics + refusal.diagnostics, options, clock)
    except Exception as error:
        if "TENSORLIFT_DEBUG" in os.environ:
            raise
        return _refused(function, (*function.diagnostics, internal_error(error, function.location)), options, clock)


def _lift_module(function: ReadFunction, target: Target, options: LiftOptions, clock: StageClock) -> FunctionRecord:
    """Take one function through the rooms: summarise, derive, emit, prove, check, test, each timed by the clock."""
    raise NotImplementedError


def _read(source: Source, options: LiftOptions) -> Sequence[ReadFunction]:
    raise NotImplementedError


def _intermediate(function: ReadFunction, form: str) -> Intermediate:
    raise NotImplementedError


def _refused(
    function: ReadFunction, diagnostics: tuple[Diagnostic, ...], options: LiftOptions, clock: StageClock
) -> FunctionRecord:
    return FunctionRecord(
        function.name,
        Verdict.REFUSED,
        function.location,
        target=options.target,
        seconds=clock.seconds,
        diagnostics=diagnostics,
    )


def _select(functions: Sequence[ReadFunction], names: Sequence[str], file: str) -> list[ReadFunction]:
    """Keep the functions asked for, in source order; refuse names that the source does not define."""
    if not functions:
        raise refuse(
            "TL506", f"'{file}' defines no function", remedy="give a source file with at least one function body"
        )
    known = [function.name for function in functions]
    for name in names:
        if name not in known:
            raise refuse("TL503", f"'{file}' defines no function '{name}'", remedy=_instead(name, known))
    return [function for function in functions if not names or function.name in names]


def _instead(wrong: str, accepted: Sequence[str]) -> str:
    near = difflib.get_close_matches(wrong, accepted, 1)
    return f"did you mean '{near[0]}'?" if near else f"accepted: {', '.join(accepted)}"
