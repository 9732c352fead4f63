"""``tensorlift lift --in-place`` and ``build`` of Fortran: procedures that first try their programs, in C beside them.

A procedure keeps its text.  Before its first statement stands a call of the function in C, through an interface of
``iso_c_binding``: where all that the proof assumes holds, the function runs the program and says so, and the procedure
returns; else the statements run as they were.  Arrays are handed over as they lie in memory, which programs have by
columns; one that is not contiguous is not handed over.  What was written is parsed again in the end.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from tensorlift import __version__, reading
from tensorlift.commands.fortran_calls import IN_C, MARK, entered, formulas, in_c, with_calls
from tensorlift.commands.rewrite import Rewriting
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import LiftError, Severity, refuse
from tensorlift.frontends.fortran.procedures import parse_fortran
from tensorlift.frontends.fortran.syntax import body, part
from tensorlift.ir.function import FunctionView, function_named
from tensorlift.joined import cases_in
from tensorlift.pipeline import lift_to_run
from tensorlift.profit import NO_QUICKER
from tensorlift.record import LiftRecord
from tensorlift.report.output import STDOUT
from tensorlift.runtime.fortran_build import error_in_c, fortran_complaints
from tensorlift.targets.c.chained import is_chainable
from tensorlift.targets.c.text import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from tensorlift.commands.fortran_calls import Entered
    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.fortran.procedures import ParsedFortran
    from tensorlift.interface import Lifting
    from tensorlift.pipeline import LiftOptions
    from tensorlift.record import FunctionRecord
    from tensorlift.runtime.compilers import Project
    from tensorlift.source import Source

_STAYS = "nothing: what is here stays as it was"
_MARKED = re.compile(rf"^[ \t]*! \w+ is {MARK}: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A file of Fortran with the one in C beside it, the procedures that have programs, and what became of the rest."""

    record: LiftRecord
    text: str
    c: str
    entered: tuple[Entered, ...]


def checking(source: Source, project: Project) -> Callable[[str, str, Sequence[Entered]], Diagnostic | None]:
    """Let compilers say why a rewritten file, or the programs beside it, may not stand."""
    before = cache(partial(fortran_complaints, source.text, source.name, project))

    def failing(text: str, c: str, _chosen: Sequence[Entered]) -> Diagnostic | None:
        new, old = fortran_complaints(text, source.name, project), before()
        said = next(iter(new - old), "") if new is not None and old is not None else ""
        said = said or error_in_c(c)
        if not said:
            return None
        return refuse("TL588", f"the program is left out: a compiler says: {said}", None, _STAYS).diagnostics[0]

    return failing


def rewritten_fortran(
    source: Source, options: LiftOptions, output: str | None, project: Project
) -> tuple[LiftRecord, bytes, dict[str, bytes]]:
    """Rewrite a file, unless that has been done; give with what becomes of it the file in C by where it goes."""
    if is_entered(source):
        return LiftRecord(__version__, source.name, source.sha256, "c"), source.encoded(source.text), {}
    if any(line.lstrip().startswith("#") for line in source.lines):  # what is lifted holds for one way of compiling
        message = f"'{source.name}' has lines of the preprocessor"
        raise refuse("TL578", message, remedy="give what it makes of them: gfortran -E -cpp FILE -o NEW.f90")
    path = PurePath(source.name if output in {None, STDOUT} else output or "")
    beside = str(path.with_name(f"{path.stem}{PROGRAM}.c"))
    with suppress(OSError):
        if IN_C not in Path(beside).read_text(encoding="utf-8", errors="replace"):
            raise refuse("TL578", f"'{beside}' is there already, and holds no programs", remedy="give -o another name")
    done = rewrite_fortran(source, options, beside, checking(source, project))
    loops = tuple(one for one in done.record.functions if one.lifted or _has_loops(source, options, one))
    return replace(done.record, functions=loops), source.encoded(done.text), {beside: done.c.encode()} if done.c else {}


def _has_loops(source: Source, options: LiftOptions, function: FunctionRecord) -> bool:
    """Tell whether a procedure that stays has anything that a program might be quicker at."""
    if any(d.code not in NO_QUICKER for d in function.diagnostics if d.severity is Severity.ERROR):
        return True
    (read,) = reading.read(source, replace(options, functions=(function.name,), replaces=True))
    return read.module is None or FunctionView(function_named(read.module, read.name)).loop_depth > 0


def is_entered(source: Source) -> bool:
    """Tell whether a file is one that was written here."""
    return _MARKED.search(source.text) is not None


def rewrite_fortran(
    source: Source,
    options: LiftOptions,
    c_file: str,
    failing: Callable[[str, str, Sequence[Entered]], Diagnostic | None],
) -> Rewritten:
    """Let procedures of a file try their programs first, those in ``c_file``.

    ``failing`` says why a text, and one in C, may not stand; a procedure that it comes from stays as it was.
    """
    return with_deep_stack(lambda: _Entering(source, options, c_file).run(failing))


class _Entering(Rewriting):
    target = "c"

    def __init__(self, source: Source, options: LiftOptions, c_file: str) -> None:
        super().__init__(source, options, set())
        self.c_file = PurePath(c_file).name
        self.chosen: list[Entered] = []

    @cached_property
    def parsed(self) -> ParsedFortran:
        """The file."""
        return parse_fortran(self.source.text, self.source.name, reading.fortran_settings(self.options))

    def run(self, failing: Callable[[str, str, Sequence[Entered]], Diagnostic | None]) -> Rewritten:
        """Lift all procedures, and enter those that have a program that Fortran can call."""
        record, found = lift_to_run(self.source, self.options)
        if record.diagnostics and not record.functions:
            raise LiftError(*record.diagnostics)
        for function in record.functions:
            self.records.append(self._tried(function, found.get(function.name)))
        self._leave_out(failing)
        text, c = self._texts(self.chosen)
        told = replace(record, version=__version__, functions=tuple(self.records))
        return Rewritten(told, text, c, tuple(self.chosen))

    def _tried(self, function: FunctionRecord, lifting: Lifting | None) -> FunctionRecord:
        if not is_chainable(function.name, function.program):  # as nothing checks what it needs
            return self._kept(function, function.diagnostics) if function.lifted else function
        try:
            view = lifting.view if lifting is not None else self._of_one_case(function)
            self.chosen.append(entered(self.parsed.procedures[function.name], function, view, self.c_file))
        except LiftError as reason:
            return self._kept(function, reason.diagnostics)
        return function

    def _of_one_case(self, function: FunctionRecord) -> FunctionView:
        """Read a procedure that is lifted by cases once more, in one of them: all take the same."""
        case, _ = cases_in(function.certificate or {})[0]
        (read,) = reading.read(self.source, replace(self.options, functions=(function.name,), case=case))
        assert read.module is not None
        return FunctionView(function_named(read.module, function.name))

    def _kept(self, function: FunctionRecord, reasons: Sequence[Diagnostic]) -> FunctionRecord:
        kept = self.refused(function.name, function.location, reasons)
        return replace(kept, seconds=function.seconds)

    def _texts(self, chosen: Sequence[Entered]) -> tuple[str, str]:
        return with_calls(self.source, self.parsed, chosen), in_c(self.source, chosen)

    def _again(self, text: str) -> ParsedFortran | LiftError:
        """Parse a rewritten text."""
        try:
            return parse_fortran(text, self.source.name, reading.fortran_settings(self.options))
        except LiftError as refusal:
            return refusal

    def _leave_out(self, failing: Callable[[str, str, Sequence[Entered]], Diagnostic | None]) -> None:
        """Take back what may not stand by itself; raises LiftError where the rest may not stand together."""

        def reason(chosen: Sequence[Entered]) -> Diagnostic | None:
            text, c = self._texts(chosen)
            return _differing(self.parsed, self._again(text), chosen) or failing(text, c, chosen)

        if not self.chosen or reason(self.chosen) is None:
            return
        for one in tuple(self.chosen):
            said = reason([one])
            if said is not None:
                self.chosen.remove(one)
                place = next(k for k, record in enumerate(self.records) if record.name == one.name)
                self.records[place] = self._kept(one.record, [replace(said, location=one.record.location)])
        said = reason(self.chosen)
        if said is not None:
            raise refuse(said.code, said.message, None, "choose procedures with --function")


def _differing(before: ParsedFortran, after: ParsedFortran | LiftError, chosen: Sequence[Entered]) -> Diagnostic | None:
    """Say what is not the same in a rewritten text; None where all is."""
    if isinstance(after, LiftError):
        what = after.diagnostics[0].message
    else:
        what = _changed(before, after, {one.name for one in chosen})
    if not what:
        return None
    message = f"the rewritten file would mean something else: {what}"
    return refuse("TL580", message, None, "give each statement a line of its own").diagnostics[0]


def _changed(before: ParsedFortran, after: ParsedFortran, chosen: Collection[str]) -> str:
    if [*before.procedures] != [*after.procedures] or [*before.unread] != [*after.unread]:
        return "other procedures"
    for name, procedure in before.procedures.items():
        now = after.procedures[name]
        if name not in chosen:
            if str(procedure.tree) != str(now.tree):
                return f"the procedure `{name}`"
            continue
        old, new = ([str(node) for node in body(one)] for one in (procedure, now))
        before_them, added = len(formulas(procedure)), len(new) - len(old)
        if (
            new[:before_them] != old[:before_them]
            or new[before_them + added :] != old[before_them:]
            or added not in {1, 2, 3}
        ):
            return f"the statements of `{name}`"
        parts = [part(one.tree, "Specification_Part") for one in (procedure, now)]
        declared, now_declared = ([str(n) for n in getattr(p, "children", ()) or ()] for p in parts)
        if now_declared[: len(declared)] != declared:
            return f"the declarations of `{name}`"
    return ""
