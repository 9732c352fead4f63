"""The engines by their names: each finds a program that computes a summary with the operations of a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import refuse
from tensorlift.source import read_source
from tensorlift.synthesis.derive import derive
from tensorlift.synthesis.derive.builder import Builder

if TYPE_CHECKING:
    from tensorlift.comprehension.definition import Summary
    from tensorlift.ir.tensor_program import TensorProgram
    from tensorlift.synthesis.derive import Select
    from tensorlift.targets.target import Target

TACTICS = "tactics"
_BRIEF = 500_000  # candidates of a brief search
AUTO = "auto"
ENUMERATE = "enumerate"
HEURISTICS = ("operations", "reductions", "monomials", "parts")  # of the engine that enumerates
LIMITS = ("candidates", "operations", "gigabytes", "seconds")  # of the same engine
_NONE = "none"
_GIGABYTE = 10**9
Limits = tuple[tuple[str, float], ...]


@dataclass(slots=True)
class Effort:
    """What a search may take, until a moment of `time.perf_counter`, and what it did, counted by name.

    ``heuristics`` are those that it used, None where it has none to choose from.
    A search through all programs is brief where nobody asked for more than what derivation gives.
    """

    deadline: float = math.inf
    is_brief: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    heuristics: tuple[str, ...] | None = None


Search = Callable[["Summary", "Target", Effort], "TensorProgram"]


def engine_names() -> list[str]:
    """Return the names of all engines, in the order in which a portfolio runs them."""
    return ["derive", TACTICS, *_SEARCHES]


def heuristics_named(text: str) -> tuple[str, ...]:
    """Return the heuristics that a list with commas names, in their own order; ``none`` names none of them.

    Raises:
        LiftError: TL313, where one is not known.

    """
    names = [] if text.strip() == _NONE else [name.strip() for name in text.split(",")]
    _check_heuristics(names)
    return tuple(name for name in HEURISTICS if name in names)


def _check_heuristics(names: Iterable[str]) -> None:
    for name in names:
        if name not in HEURISTICS:
            remedy = f"name some of {', '.join(HEURISTICS)}, with commas between them, or {_NONE}"
            raise refuse("TL313", f"the engine {ENUMERATE} has no heuristics '{name}'", remedy=remedy)


def limits_named(text: str) -> Limits:
    """Return the limits that a list with commas sets: ``candidates=5e7,seconds=60``.

    Raises:
        LiftError: TL317, where one is not known or not a positive number, or is set twice.

    """
    pairs = [part.strip().partition("=") for part in text.split(",")]
    limits = tuple((name, _number(number)) for name, _, number in pairs)
    for name, number in limits:
        is_once = sum(name == other for other, _ in limits) == 1
        is_whole = math.isinf(number) or name in ("gigabytes", "seconds") or number == int(number)
        if name not in LIMITS or not is_once or not number > 0 or not is_whole:
            remedy = f"set each of {', '.join(LIMITS)} at most once, as in candidates=50000000,seconds=60"
            raise refuse("TL317", f"the engine {ENUMERATE} has no such limits: '{text}'", remedy=remedy)
    return limits


def _number(text: str) -> float:
    """Return a number, zero for what is none."""
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return 0.0 if math.isnan(number) else number


def search_by(
    engine: str, tactics: tuple[str, ...] = (), heuristics: tuple[str, ...] = HEURISTICS, limits: Limits = ()
) -> Search:
    """Return the search of an engine; ``tactics`` are files whose tactics go before those of the library.

    ``heuristics`` are those by which the engine that enumerates leaves out candidates, and at ``limits`` it ends.

    Raises:
        LiftError: TL313, where a heuristic is not known; TL321 to TL325, where a file holds no tactics or one that
            contradicts itself; TL501 without the file.

    """
    _check_heuristics(heuristics)
    if engine == ENUMERATE:
        return partial(_by_enumeration, heuristics=heuristics, limits=limits)
    if engine == TACTICS:
        return _by_tactics(tuple((source.name, source.text) for source in map(read_source, tactics)))
    return _SEARCHES.get(engine, derived)


def derived(summary: Summary, target: Target, _effort: Effort) -> TensorProgram:
    """Derive a program: every target can spell what derivation gives, an imported one by operations that compute it."""
    is_python = target.language == "python"
    build = Builder(
        chooses=is_python,
        chooses_in_loops=is_python and target.changes_arrays,  # else loops are traced
        short_windows=target.short_windows,
        segmented=target.segmented,
        orders_stores=target.orders_stores,
    )
    return derive(summary, select=_selection(target), build=build, settles=is_python)


def _selection(target: Target) -> Select | None:
    """Return what selects the operations of an imported dialect for what is found without them."""
    if not target.instances:
        return None
    from tensorlift.synthesis.select import selection  # noqa: PLC0415 - loads the engine that searches

    return selection(target)


def _by_sketches(summary: Summary, target: Target, effort: Effort, *, is_whole: bool = False) -> TensorProgram:
    from tensorlift.synthesis.sketch import Run, sketch, sketch_whole  # noqa: PLC0415 - loads NumPy

    run = Run(deadline=effort.deadline)
    try:
        return (sketch_whole if is_whole else sketch)(summary, target, run)
    finally:
        effort.counts |= asdict(run.statistics)


def _by_enumeration(
    summary: Summary,
    target: Target,
    effort: Effort,
    *,
    heuristics: tuple[str, ...] = HEURISTICS,
    limits: Limits = (),
) -> TensorProgram:
    from tensorlift.synthesis.enumerate import Options, Statistics, enumerated  # noqa: PLC0415 - loads NumPy

    by = {f"by_{name}": name in heuristics for name in HEURISTICS}
    numbers, options = Statistics(), Options(deadline=effort.deadline, **by)
    for name, number in limits:
        options = replace(options, **_as_option(name, number))
    if effort.is_brief:
        options = replace(options, candidates=_BRIEF)
    effort.heuristics = heuristics
    try:
        return enumerated(summary, target, numbers, options)
    finally:
        effort.counts |= asdict(numbers)


def _as_option(name: str, number: float) -> dict[str, Any]:
    if name == "gigabytes":
        return {"bytes": number * _GIGABYTE}
    return {name: number if name == "seconds" or math.isinf(number) else int(number)}


_SEARCHES: dict[str, Search] = {
    "sketch": _by_sketches,
    "sketch-whole": partial(_by_sketches, is_whole=True),
    ENUMERATE: _by_enumeration,
}


@lru_cache(maxsize=8)
def _by_tactics(files: tuple[tuple[str, str], ...]) -> Search:
    from tensorlift.synthesis.tactics import Engine, load_tactics, shipped_tactics  # noqa: PLC0415 - loads the library

    engine = Engine(shipped_tactics(), [tactic for name, text in files for tactic in load_tactics(text, name)])

    def search(summary: Summary, target: Target, effort: Effort) -> TensorProgram:
        try:
            return engine.program(summary, _selection(target))
        finally:
            effort.counts["applied"] = len(engine.applied)

    return search


def show_tactics(files: tuple[str, ...], *, tablegen: bool = False) -> str:
    """Return the tactics of files, or of the library, as the steps that they stand for, or as records of TableGen.

    Raises:
        LiftError: as `search_by`.

    """
    from tensorlift.synthesis.tactics import load_tactics, shipped_tactics  # noqa: PLC0415 - loads the library
    from tensorlift.synthesis.tactics.tablegen_text import as_tablegen  # noqa: PLC0415 - as above

    spell = as_tablegen if tablegen else str
    sources = [read_source(file) for file in files]
    found = [tactic for source in sources for tactic in load_tactics(source.text, source.name)]
    return "\n".join(spell(tactic.program) for tactic in (found if files else shipped_tactics()))
