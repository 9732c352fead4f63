"""What `lift` shows: each program with its verdict under it on standard output, diagnostics on standard error.

Piped output is plain and stable: verdicts are comments of the program's language, so that the whole remains a valid
program, and times are left out, so that the same input gives the same bytes.  Only a terminal gets colours and times,
and only then is rich imported.

Preconditions in few words: comparisons with one bound share it, and each kind takes one line.
"""

from __future__ import annotations

import os
import shutil
from itertools import chain
from typing import TYPE_CHECKING, TextIO

from tensorlift.contract.interface import Precondition, Role
from tensorlift.contract.language import AnyOf, Compare, Condition, Inside, Relation, Sum
from tensorlift.diagnostics import Severity
from tensorlift.record import (
    EngineRun,
    FunctionRecord,
    Level,
    LiftRecord,
    Numerics,
    Outcome,
    Trial,
    Verdict,
    row_major_strides,
)
from tensorlift.report.excerpt import PLAIN_WIDTH, Piece, Sources, plain, printable, render
from tensorlift.report.output import seconds_text
from tensorlift.report.program import Language, language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.text import Text

    from tensorlift.diagnostics import Diagnostic, Location
    from tensorlift.source import Source


def shown(function: FunctionRecord) -> Iterator[Precondition]:
    """Give the preconditions without those that every shape meets: that a size which one tells is not negative."""
    taken = {parameter.name for parameter in function.parameters if parameter.role is Role.SIZE}
    for precondition in function.preconditions:
        name, relation, bound = _bound(precondition.condition) or ("", "", 0)
        if precondition.kind != "size" or (relation, bound) != (">=", 0) or name in taken:
            yield precondition


def in_few_words(preconditions: Iterable[Precondition]) -> Iterator[str]:
    """Give the lines that say all of the preconditions: bounds of sizes, other relations, then each of the rest.

    Reasons and places are left out: the JSON report has them.
    """
    limits: dict[Relation, dict[str, int]] = {">=": {}, "<=": {}}
    relations: dict[str, None] = {}
    rest: dict[str, None] = {}
    for precondition in preconditions:
        if found := _bound(precondition.condition):
            name, relation, bound = found
            tighter, bounds = max if relation == ">=" else min, limits[relation]
            bounds[name] = tighter(bounds.get(name, bound), bound)
        else:
            is_relation = isinstance(precondition.condition, Compare | AnyOf | Inside)
            (relations if is_relation else rest)[precondition.text] = None
    line = [*(text for relation, bounds in limits.items() for text in _shared(bounds, relation)), *relations]
    if line:
        yield "; ".join(line)
    yield from rest


def _bound(condition: Condition | None) -> tuple[str, Relation, int] | None:
    """Read a bound of one size."""
    match condition:
        case Compare(Sum(atom=str(name)), ">=" | "<=" as relation, Sum(value=int(bound))):
            return name, relation, bound
    return None


def _shared(bounds: dict[str, int], relation: str) -> Iterator[str]:
    for bound in sorted(set(bounds.values())):
        yield f"{', '.join(name for name, own in bounds.items() if own == bound)} {relation} {bound}"


_VERDICT_STYLE = {Verdict.HYBRID: "bold yellow", Verdict.UNCHANGED: "bold yellow", Verdict.REFUSED: "bold red"}
LEVEL_TEXT = {
    Level.PROVED: "proved for every size",
    Level.BOUNDED: "decided at small sizes, not proved",
    Level.TESTED: "tested, not proved",
    None: "neither proved nor tested",
}
_RESTRICTED = "restricted, proved for the sizes that it requires"
_STATIC = {"stablehlo"}  # targets whose programs are written for given sizes
_REFERENCES = {"interpreter": "interpreted source", "compiled": "compiled source", "python": "Python source"}
NUMERICS_TEXT = {Numerics.REAL: "over the reals", Numerics.IEEE: "in IEEE arithmetic"}


def level_text(function: FunctionRecord) -> str:
    """Say how far a program is known to be right; one of static shapes is right for its sizes."""
    if function.level is not Level.PROVED:
        return LEVEL_TEXT[function.level]
    is_sized = function.target in _STATIC and any(p.kind == "size" and "==" in p.text for p in function.preconditions)
    text = "proved for these sizes" if is_sized else _RESTRICTED if function.restricted else LEVEL_TEXT[function.level]
    if function.definitions is Level.PROVED:
        return text
    return f"{text.replace('proved', 'program proved')}, definitions tested"


class Screen:
    """A text stream, plain or in colour, on which more or less is shown; a line of it holds ``width`` cells.

    Without a wish for ``color``, terminals are in colour, and what NO_COLOR (https://no-color.org) and FORCE_COLOR say
    comes first.
    """

    def __init__(
        self, stream: TextIO, *, color: bool | None = None, quiet: bool = False, verbose: bool = False
    ) -> None:
        """Write to the stream; ask it once whether it is a terminal."""
        self._stream = stream
        self.is_terminal = stream.isatty()
        self.width = min(PLAIN_WIDTH, shutil.get_terminal_size().columns) if self.is_terminal else PLAIN_WIDTH
        self._is_coloured = _is_coloured(is_terminal=self.is_terminal) if color is None else color
        self.is_quiet = quiet
        self.is_verbose = verbose
        self.shows_times = self.is_terminal or verbose

    def write(self, pieces: Sequence[Piece]) -> None:
        """Write styled pieces, without their styles where the stream has no colours."""
        if not self._is_coloured:
            self._stream.write(plain(pieces))
            return
        from rich.text import Text  # noqa: PLC0415 - only colours need it

        self._print(Text.assemble(*((piece.text, piece.style) for piece in pieces)))

    def write_code(self, code: str, name: str) -> None:
        """Write a program, highlighted as the language of that name where the stream has colours."""
        if not self._is_coloured:
            self._stream.write(code)
            return
        from rich.syntax import Syntax  # noqa: PLC0415 - only colours need it

        self._print(Syntax("", name, theme="ansi_dark", background_color="default").highlight(code))

    def _print(self, text: Text) -> None:
        from rich.console import Console  # noqa: PLC0415 - only colours need it

        console = Console(
            file=self._stream, highlight=False, force_terminal=True, no_color=False, color_system="standard"
        )
        console.print(text, end="", soft_wrap=True)


def _is_coloured(*, is_terminal: bool) -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (is_terminal and os.environ.get("TERM") != "dumb")


def show_lift(
    record: LiftRecord, screen: Screen, *, programs: bool = True, whole: str = "", is_explained: bool = False
) -> None:
    """Show each function's program and verdict; without ``programs``, where they went to a file, the verdicts alone.

    ``whole`` is one text that is shown in place of the programs.  Where it ``is_explained``, what the engines did.
    """
    written = language(record.target)
    if programs and whole:
        screen.write_code(whole + "\n", written.name)
    for k, function in enumerate(record.functions):
        if programs and function.lifted and not whole:
            screen.write_code("\n\n" * bool(k) + function.program.strip() + "\n\n", written.name)
        if screen.is_quiet:
            continue
        lines = _summary(function, times=screen.shows_times)
        engines = list(map(_engine_line, function.engines if is_explained or screen.is_verbose else ()))
        if is_explained and function.undecided:
            engines.append([Piece(f"  definitions are tested only: {function.undecided}")])
        screen.write(list(_commented(chain(lines, engines), written if programs else None)))


def summary_lines(function: FunctionRecord) -> list[str]:
    """Say of a function what is shown under its program, a line each."""
    return ["".join(printable(piece.text) for piece in line) for line in _summary(function, times=False)]


def show_diagnostics(diagnostics: Sequence[Diagnostic], sources: Sources, screen: Screen) -> None:
    """Show diagnostics with their source lines, each once, as a C compiler would; errors alone on a quiet screen."""
    for diagnostic in dict.fromkeys(diagnostics):
        if screen.is_quiet and diagnostic.severity is not Severity.ERROR:
            continue
        screen.write(render(diagnostic, sources, screen.width))


def _commented(lines: Iterable[list[Piece]], written: Language | None) -> Iterator[Piece]:
    for line in lines:
        if written:
            yield Piece(f"{written.comment} ", "dim")
        # A newline inside would end the comment.
        yield from (Piece(printable(piece.text.replace("\n", " ")), piece.style) for piece in line)
        yield Piece("\n")


def _summary(function: FunctionRecord, *, times: bool) -> Iterator[list[Piece]]:
    yield [
        Piece(f"{function.name}: ", "bold"),
        Piece(function.verdict, _VERDICT_STYLE.get(function.verdict, "bold green")),
        *_how(function),
        Piece(f" ({sum(function.seconds.values()) * 1e3:.1f} ms)" if times and function.seconds else "", "dim"),
    ]
    if function.verdict is Verdict.UNCHANGED:
        yield [Piece("  nothing is gained: "), *_loss(function)]
    for residual in function.residual_loops:
        yield [Piece(f"  keeps {residual.loop}"), Piece(_because(residual.reason, residual.location))]
    yield from ([Piece("  takes "), Piece(text, "bold")] for text in _shapes(function))
    for condition in in_few_words(shown(function)):
        yield [Piece("  requires "), Piece(condition, "bold")]
    if passed := [trial for trial in function.tests if trial.passed]:
        yield [Piece(f"  {_agreement(passed)}"), Piece(_error(passed) if times else "", "dim")]
    for trial in function.tests:
        if not trial.passed:
            yield [
                Piece(
                    f"  differs from the {_REFERENCES.get(trial.against, trial.against)}: {trial.failure}", "bold red"
                )
            ]


def _shapes(function: FunctionRecord) -> Iterator[str]:
    """Say the shapes that are not just sizes, as ``p + 1`` rows, and those of parts of what C has in memory.

    The program takes the last row to be row p, and rows with a leading dimension without what lies between them.
    """
    for parameter in function.parameters:
        is_whole = parameter.strides == row_major_strides(parameter.shape) or parameter.role is not Role.ARRAY
        if not is_whole or not all(extent.isidentifier() or extent.isdigit() for extent in parameter.shape):
            yield f"{parameter.name} of shape ({', '.join(parameter.shape)}{',' * (len(parameter.shape) == 1)})"


def _engine_line(run: EngineRun) -> list[Piece]:
    """Say what an engine did: what its program costs, or why there is none, and what it counted."""
    found = ", ".join([run.engine, *run.forms])
    line = [Piece(f"  engine {found}: "), Piece(run.outcome, "bold" if run.outcome is Outcome.CHOSEN else "")]
    if run.reason:
        line.append(Piece(f" ({run.reason})"))
    if run.cost is not None:
        line.append(Piece(f", about {seconds_text(run.cost * 1e-9)} a call"))
    if run.heuristics is not None:
        line.append(Piece(f", heuristics: {', '.join(run.heuristics) or 'none'}"))
    counts = ", ".join(f"{count} {name}" for name, count in run.counts.items())
    return [*line, Piece(f"; {counts}" if counts else "", "dim")]


def _loss(function: FunctionRecord) -> tuple[Piece, ...]:
    """Say why a program is no better than its source, and what is."""
    excess = function.work.get("excess")
    if excess is not None:
        return Piece("its work is "), Piece(excess, "bold"), Piece(", more by degree than that of the source")
    advice = Piece("--to jax", "bold"), Piece(" and "), Piece("--to c", "bold")
    return Piece("each step computes cells alone; "), *advice, Piece(" give loops that are compiled")


def _how(function: FunctionRecord) -> Iterator[Piece]:
    if function.lifted:
        yield Piece(f", {level_text(function)}")
        yield Piece(f", {NUMERICS_TEXT[function.numerics]}" if function.level in {Level.PROVED, Level.BOUNDED} else "")
    elif function.diagnostics:
        codes = dict.fromkeys(diagnostic.code for diagnostic in function.diagnostics)
        yield Piece(f" [{', '.join(codes)}]")


def _agreement(trials: Sequence[Trial]) -> str:
    """Say against what a program was tested, how often, and how close it came."""
    runs = " and ".join(
        f"{_cases(trial.cases)} of the {_REFERENCES.get(trial.against, trial.against)}" for trial in trials
    )
    return f"agrees with {runs}"


def _error(trials: Sequence[Trial]) -> str:
    """Say how close results came; another machine rounds otherwise, so that piped output leaves this out."""
    error = max(trial.error for trial in trials)
    return f", relative error {error:.0e}" if error else ""


def _cases(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _because(reason: str, location: Location | None) -> str:
    return f": {reason}" * bool(reason) + f" ({location})" * bool(location)


def explain(diagnostics: Sequence[Diagnostic], source: Source) -> str:
    """Give diagnostics with their lines and carets as plain text."""
    return "".join(plain(render(diagnostic, Sources(source))) for diagnostic in diagnostics)
