"""The run record: what lifting one source did, as plain typed data that reports render and nothing else computes.

The pipeline fills it, `report` and the public API read it.  Its JSON form is documented in ``docs/report.md`` and fixed
by ``docs/report.schema.json``; whatever changes there changes `SCHEMA_VERSION`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tensorlift.codec import Codec, Form, Via
from tensorlift.contract.interface import Parameter, Precondition
from tensorlift.contract.notation import FORMS, VIA
from tensorlift.diagnostics import Diagnostic, Location, Note, Severity

SCHEMA_VERSION = 8
_SECONDS_DIGITS = 6  # clocks are not better than a microsecond

# A value that JSON can hold; mappings keep their order.
Json = None | bool | int | float | str | list["Json"] | tuple["Json", ...] | Mapping[str, "Json"]


class Verdict(StrEnum):
    """What became of a function, from best to worst."""

    LOOP_FREE = "loop-free"
    SCAN = "scan"
    HYBRID = "hybrid"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


class Level(StrEnum):
    """How far the emitted program is known to be right, from strongest to weakest."""

    PROVED = "proved"
    BOUNDED = "bounded"
    TESTED = "tested"


class Outcome(StrEnum):
    """What became of an engine's search for a program."""

    CHOSEN = "chosen"
    NOT_CHEAPER = "not cheaper"
    UNPROVED = "unproved"
    REFUSED = "refused"
    NOT_RUN = "not run"


class Numerics(StrEnum):
    """The numerics contract: equal over the reals, or operation by operation in IEEE arithmetic."""

    REAL = "real"
    IEEE = "ieee"


@dataclass(frozen=True, slots=True)
class Output:
    """A value that the emitted function returns: a written array, or the C return value."""

    name: str
    dtype: str
    shape: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResidualLoop:
    """A loop that stays in the emitted program, with the dependence that keeps it."""

    loop: str
    dependence: str
    statement: str
    reason: str
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A differential test: the emitted program against a reference, on random inputs of several sizes.

    ``against`` is ``interpreter`` (the loop IR's) or ``compiled`` (the source, by the C compiler).  ``error`` is the
    largest relative difference seen; ``failure`` describes the first case that failed.
    """

    against: str
    cases: int
    sizes: tuple[Mapping[str, int], ...] = ()
    error: float = 0.0
    failure: str = ""

    @property
    def passed(self) -> bool:
        """Whether no case failed."""
        return not self.failure


@dataclass(frozen=True, slots=True)
class EngineRun:
    """What one engine did for a function.

    ``reason`` says why there is no program, or none that is proved.  ``cost`` is the estimated time of a call of its
    program in nanoseconds, at the given sizes or with each as 1000; ``counts`` are what the search did, by name;
    ``forms`` are those of its program that differ from what it gives by itself (`synthesis/forms`);
    ``heuristics`` are those that it used, None where the engine has none to choose from.
    """

    engine: str
    outcome: Outcome
    reason: str = ""
    cost: float | None = None
    seconds: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict)
    heuristics: tuple[str, ...] | None = None
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """Statements of a function that are lifted on their own: the function's name, and where they end."""

    function: str
    end: Location


@dataclass(frozen=True, slots=True)
class FunctionRecord:
    """What became of one function; ``seconds`` maps stages, in the order in which they ran, to time spent.

    ``level`` says how far the program is known to be what the definitions say, ``definitions`` how far those are known
    to be what the source says: proved, or tested where that is ``undecided``, for this reason.
    ``restricted`` says that preconditions leave out sizes that the source takes.
    ``engines`` are what the engines did that were asked for, the one that found the program first.
    ``adapter`` is the text of its adapter where one was asked for, ``without_adapter`` says why there can be none.
    ``region`` says that it is a part of a function of the source.
    """

    name: str
    verdict: Verdict
    location: Location | None = None
    level: Level | None = None
    definitions: Level | None = None
    undecided: str = ""
    engine: str = ""
    target: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    parameters: tuple[Parameter, ...] = ()
    outputs: tuple[Output, ...] = ()
    preconditions: tuple[Precondition, ...] = ()
    restricted: bool = False
    numerics: Numerics = Numerics.REAL
    residual_loops: tuple[ResidualLoop, ...] = ()
    work: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    program: str = ""
    certificate: Mapping[str, Json] | None = None
    tests: tuple[Trial, ...] = ()
    adapter: str = ""
    without_adapter: tuple[Diagnostic, ...] = ()
    engines: tuple[EngineRun, ...] = ()
    region: Region | None = None

    @property
    def lifted(self) -> bool:
        """Whether there is a program."""
        return self.verdict is not Verdict.REFUSED


@dataclass(frozen=True, slots=True)
class LiftRecord:
    """What lifting one source did: its functions in source order, and what concerns the source as a whole."""

    version: str
    file: str
    sha256: str
    target: str
    functions: tuple[FunctionRecord, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def source(self) -> Mapping[str, str]:
        """What was lifted."""
        return {"file": self.file, "sha256": self.sha256}

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all functions; ``refused`` where the source itself was refused."""
        refused = any(d.severity is Severity.ERROR for d in self.diagnostics)
        return Verdict.REFUSED if refused else worst_verdict(f.verdict for f in self.functions)

    @property
    def level(self) -> Level | None:
        """The weakest level of all lifted functions, None where there is none."""
        return weakest_level(f.level for f in self.functions if f.lifted)

    @property
    def all_diagnostics(self) -> tuple[Diagnostic, ...]:
        """The diagnostics of the source, then those of its functions in order."""
        return self.diagnostics + tuple(d for f in self.functions for d in f.diagnostics)

    def as_json(self, *, times: bool = True) -> dict[str, Json]:
        """Give the report as JSON values, in the order in which it documents them."""
        return {"schema": SCHEMA_VERSION, **RECORDS.write(self, times)}

    def to_json(self, *, times: bool = True) -> str:
        """Give the report as JSON text; without ``times`` the same input gives the same bytes."""
        return json.dumps(self.as_json(times=times), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def worst_verdict(verdicts: Iterable[Verdict]) -> Verdict:
    """Give the worst of the verdicts; of none, ``refused``: nothing was lifted."""
    order = list(Verdict)
    return max(verdicts, key=order.index, default=Verdict.REFUSED)


def weakest_level(levels: Iterable[Level | None]) -> Level | None:
    """Give the weakest of the levels; None where one of them is missing or there are none."""
    order = [*Level, None]
    return max(levels, key=order.index, default=None)


def row_major_strides(shape: Sequence[str]) -> tuple[str, ...]:
    """Give the dense row-major strides of a shape, as expressions: ``("m", "n")`` has ``("n", "1")``."""
    factors = [extent if extent.isidentifier() or extent.isdigit() else f"({extent})" for extent in shape]
    return tuple("*".join(factors[k + 1 :]) or "1" for k in range(len(factors)))


_PLACE = "file=location.file line=location.line column=location.column"
_STAGES = Via(lambda times, spent: {name: round(one, _SECONDS_DIGITS) for name, one in spent.items()} if times else {})

# JSON has no infinities: a difference that is no number is spelled.  The context says whether times are told.
RECORDS = Codec(
    FORMS
    | {
        LiftRecord: Form("tensorlift=version source target verdict level seconds diagnostics functions"),
        FunctionRecord: Form(
            f"name {_PLACE} region verdict level definitions undecided engine engines target numerics seconds"
            " parameters outputs preconditions restricted residual_loops work diagnostics tests program adapter"
            " certificate"
        ),
        Region: Form("function end_line=end.line end_column=end.column"),
        EngineRun: Form("engine forms outcome reason cost seconds counts heuristics"),
        Parameter: Form("name role dtype shape layout"),
        Output: Form("name dtype shape"),
        Precondition: Form(f"text kind reason {_PLACE} condition=stated"),
        ResidualLoop: Form(f"loop dependence statement reason {_PLACE}"),
        Diagnostic: Form(f"code severity=severity.value {_PLACE} message remedy notes"),
        Note: Form(f"message {_PLACE}"),
        Trial: Form("against passed cases sizes error failure"),
    },
    VIA
    | {
        (LiftRecord, "seconds"): _STAGES,
        (FunctionRecord, "seconds"): _STAGES,
        (FunctionRecord, "certificate"): Via(lambda _, certificate: certificate),
        (EngineRun, "seconds"): Via(lambda times, spent: round(spent, _SECONDS_DIGITS) if times else None),
        (EngineRun, "cost"): Via(lambda _, cost: None if cost is None else round(cost, 1)),
        (Trial, "error"): Via(lambda _, error: error if math.isfinite(error) else str(error)),
    },
)


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a derivation: what it is about, at a place of the source perhaps, and what is said of it."""

    location: Location | None
    head: str
    lines: tuple[str, ...] = ()
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Section:
    """Steps of one kind; the ``note`` says how they are decided."""

    title: str
    steps: tuple[Step, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Derivation:
    """Why a lift is right."""

    function: FunctionRecord
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text beside a source; ``of`` tells by its lines to which of the source they belong, first and last of each."""

    title: str
    text: str
    language: str
    of: Mapping[int, Sequence[tuple[int, int]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Exploration:
    """A lift, and what was asked for beside it.

    By the names of functions: their programs, why these are right, and their IR after each pass that changed it. By
    targets: the seconds that a call is expected to take, ``at`` sizes.
    """

    record: LiftRecord
    programs: Mapping[str, Text] = field(default_factory=dict)
    derivations: Mapping[str, Derivation] = field(default_factory=dict)
    passes: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    estimates: Mapping[str, float] = field(default_factory=dict)
    at: Mapping[str, int] = field(default_factory=dict)
