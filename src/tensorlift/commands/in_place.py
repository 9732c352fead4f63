"""``tensorlift lift --in-place``: a C file in which functions, and parts of functions, are replaced by their programs.

A function that lifts keeps its text under another name, and its program takes its name.  In any other function the
longest stretches of statements that lift become functions of their own, each with its program; where a stretch is
refused, its loops are tried one by one, and then what is inside them.  What was written is read again in the end: all
that was not replaced must mean what it meant, and each program what it means where it was proved.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from tensorlift import __version__
from tensorlift.commands.in_place_fortran import is_entered, rewritten_fortran
from tensorlift.commands.in_place_mlir import rewrite_mlir
from tensorlift.commands.options import OK, REFUSED, complain
from tensorlift.commands.rewrite import (
    Lines,
    Replaced,
    Rewriting,
    anchor_of,
    applied,
    check_for_programs,
    difference,
    differing,
    generated,
    has_room,
    is_rewritten,
    rewritten,
)
from tensorlift.commands.screen import progress, screen
from tensorlift.deep import with_deep_stack
from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity, refuse
from tensorlift.frontends.c.openmp import pragmas_in
from tensorlift.frontends.c.outline.stretches import Stretch, is_left, refused_inside
from tensorlift.frontends.c.outline.text import Outlined, outlined
from tensorlift.frontends.c.outline.unit import Definition, Unit, trees_of
from tensorlift.frontends.c.reader import parser_arguments
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, LiftRecord, Region
from tensorlift.refusals import refusal
from tensorlift.report.output import STDOUT, write_bytes, write_output
from tensorlift.report.terminal import show_lift, summary_lines
from tensorlift.runtime.compilers import Complaint, Project, complaints
from tensorlift.runtime.original import CompileOptions
from tensorlift.source import Source, bounded_bytes, language_of
from tensorlift.targets.c.chained import is_chainable
from tensorlift.targets.c.text import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.profit import Pays

_WORD = re.compile(r"[A-Za-z_]\w*")
_ATTEMPT = Lines("source", "program")  # how attempts number their lines
_CHECKED = ("-Wall",)
_MARKER = re.compile(r'#line (\d+) "(source|program)"')
_NUMBERED = re.compile(rb"^[ \t]*#[ \t]*(?:line\b|\d)", re.MULTILINE)
_OLD_STANDARDS = re.compile(r"(c|gnu)(89|90)|ansi|iso9899:199(0|409)")


def rewrite_c(
    source: Source, options: LiftOptions, output: str = "", project: Project | None = None
) -> tuple[LiftRecord, bytes]:
    """Replace what lifts in a C file; return what became of each part, and the text.

    Where it goes to another file, the ``output``, its lines keep the numbers that they have in the source.  Compilers
    say no more against it than against the file, compiled with ``-Wall``, and as the ``project`` says.

    Raises:
        LiftError: TL578, where the file cannot take programs; what the front end says of the whole file.

    """
    return with_deep_stack(lambda: _Rewriting(source, options, project).run(output))


@dataclass(frozen=True, slots=True)
class _Tried:
    """A stretch with the function that it is a part of."""

    definition: Definition
    stretch: Stretch


class _Rewriting(Rewriting):
    target = "c"

    def __init__(self, source: Source, options: LiftOptions, project: Project | None) -> None:
        super().__init__(source, options, set(_WORD.findall(source.text)))
        self.text = source.text.encode()
        asked = project or Project.of(source.name, CompileOptions.of(options), ())
        self.project = replace(asked, flags=(*_CHECKED, *asked.flags))  # what the project turns off stays off
        self.arguments = parser_arguments(options.include_dirs, options.include_files, options.defines, options.std)
        self.unit = Unit(source.text, source.name, self.arguments)
        self.replaced: list[Replaced] = []
        self.formless: dict[str, tuple[Diagnostic, ...]] = {}  # why a function that lifts has no program in C

    def run(self, output: str) -> tuple[LiftRecord, bytes]:
        """Try functions as a whole, then parts of those that stay, in rounds."""
        self._check_file()
        wanted = [d for d in self.unit.definitions() if self._is_wanted(d.name)]
        definitions = [d for d in wanted if d.stretches and (d.is_static or not d.is_inline)]
        whole = self._whole(definitions)
        for definition in wanted:
            if definition.errors:
                self.records.append(self.refused(definition.name, definition.location, definition.errors))
            elif definition.stretches and definition.is_inline and not definition.is_static:
                message = f"`{definition.name}` is inline for other files too"  # it may not call what is static
                reason = refuse("TL579", message, definition.location, "make it static")
                self.records.append(self.refused(definition.name, definition.location, reason.diagnostics))
            elif definition.name not in whole and is_left(definition.body, definition.stretches):
                self.records.append(self.refused(definition.name, definition.location, self._left(definition)))
        pending = [_Tried(d, stretch) for d in definitions if d.name not in whole for stretch in d.stretches]
        while pending:
            pending = self._round(pending)
        numbered = self._numbered(output)
        text = numbered if output else rewritten(self.text, self.replaced, Lines())
        in_part = {one.definition.name for one in self.replaced}
        for name, reasons in self.formless.items():
            self.notes += () if name in in_part else reasons
            self.note(reasons if name in in_part else ())
        return self.record(), self.source.encoded(text.decode())

    def _left(self, definition: Definition) -> tuple[Diagnostic, ...]:
        """Say why a function has loops that nobody tries."""
        body = definition.body.start, definition.end
        pragmas = [pragma.text for pragma in pragmas_in(self.text, *body) if "scop" not in pragma.text]
        detail = next(iter(pragmas), "") or self.unit.macros.pragma_in(*body)
        return refusal("outline-pragma", definition.location, detail).diagnostics

    def _is_wanted(self, name: str) -> bool:
        return not self.options.functions or name in self.options.functions

    def _check_file(self) -> None:
        start = Location(self.source.name, 1, 1)
        declared = {name for name, _ in self.unit.trees}
        macros = {"TENSORLIFT_APART", "TENSORLIFT_THREADS", "TENSORLIFT_TEXT"}
        taken = sorted((self.names & macros) | (declared & SHARED.keys()))
        if taken:
            message, remedy = f"the file has the name `{taken[0]}`, which programs need", "give that another name"
            raise refuse("TL578", message, start, remedy)
        check_for_programs(self.names, start)
        if _NUMBERED.search(self.text):
            raise refuse("TL578", "the file numbers its lines itself", start, "give the file that it was made from")
        if not has_room(self.text):
            message = "a macro that selects what headers declare is defined after other lines"
            raise refuse("TL578", message, start, "define it in the first lines of the file")
        if self.options.std and _OLD_STANDARDS.fullmatch(self.options.std):
            raise refuse(
                "TL578", f"programs are in C99, not {self.options.std}", start, "give --std c99 or a later one"
            )
        known = {definition.name for definition in self.unit.definitions()}
        if set(self.options.functions) - known:
            lift_source(self.source, self.options)  # says what is wrong with the names

    # -- whole functions

    def _whole(self, definitions: Sequence[Definition]) -> set[str]:
        """Replace the functions that lift as a whole; return their names."""
        tried = {d.name: d for d in definitions if d.name != "main" and self._may_be_renamed(d)}
        if not tried:
            return set()
        lifted = lift_source(self.source, replace(self.options, functions=tuple(tried)))
        if lifted.diagnostics and not lifted.functions:
            raise LiftError(*lifted.diagnostics)
        done = set()
        for function in lifted.functions:
            if is_chainable(function.name, function.program):
                self._replace(function, tried[function.name])
                done.add(function.name)
            else:
                self.note(() if function.lifted else function.diagnostics)
                self.formless |= {function.name: function.diagnostics} if function.lifted else {}
        return done

    def _may_be_renamed(self, definition: Definition) -> bool:
        """Tell whether a function may be another one's fallback; note why not."""
        bodies = [(definition.body.start, definition.end), *definition.callees]
        asked = (refused_inside(self.text[slice(*body)], definition.location) for body in bodies)
        reason = next((one for one in asked if one is not None), None)
        if reason is None and definition.attribute:
            message = f"the attribute `{definition.attribute}` is for the name `{definition.name}`"
            reason = refuse("TL579", message, definition.location, "nothing: its parts are replaced")
        if reason is None and definition.name in self._with_lanes():
            reason = refusal("outline-pragma", definition.location, "omp declare simd")
        if reason is None and self.names & set(generated(definition.name)[1:]):
            message, remedy = f"the file has names that programs make of `{definition.name}`", "rename those"
            reason = refuse("TL579", message, definition.location, remedy)
        if reason is not None:
            self.note(reason.diagnostics)
        return reason is None

    def _with_lanes(self) -> set[str]:
        """Name what stands in declarations of functions that compilers make of several elements too."""
        said = [p for p in pragmas_in(self.text) if (p.openmp or "").startswith("declare simd")]
        heads = [re.split(rb"[;{]", self.text[p.end :], maxsplit=1)[0].decode() for p in said]
        return {word for head in heads for word in _WORD.findall(head)}

    def _replace(self, function: FunctionRecord, definition: Definition, part: Outlined | None = None) -> None:
        self.records.append(function)
        known = [line for line in summary_lines(function) if not line.startswith("  agrees")]
        spans = [(definition.start, definition.end), *definition.callees] if part is None else part.stretch.spans
        macros = {name: text for span in spans for name, text in self.unit.macros.stated(*span).items()}
        self.replaced.append(Replaced(function.program, known, definition, part, dict(sorted(macros.items()))))

    # -- parts of functions

    def _round(self, tried: Sequence[_Tried]) -> list[_Tried]:
        """Lift stretches, all at once if possible; return the smaller ones to be tried next."""
        parts: dict[str, tuple[_Tried, Outlined]] = {}
        later: list[_Tried] = []
        for one in tried:
            name = self._name(one)
            try:
                parts[name] = (one, outlined(one.stretch, name, self._fresh))
            except LiftError as error:
                later += self._refused(one, name, error.diagnostics)
        once = {name: one for name, one in parts.items() if not one[0].stretch.is_repeated}
        repeated = {name: one for name, one in parts.items() if name not in once}
        for name, function in (self._lifted(once) | self._lifted(repeated)).items():
            one, part = parts[name]
            if is_chainable(name, function.program):
                self._replace(function, one.definition, part)
            else:
                later += self._refused(one, name, function.diagnostics)
        return later

    def _name(self, one: _Tried) -> str:
        return self._fresh(f"{one.definition.name}_at_{one.stretch.location.line}")

    def _fresh(self, wanted: str) -> str:
        """Take a name."""
        name = self.free(wanted)
        self.names |= set(generated(name))
        return name

    def _refused(self, one: _Tried, name: str, reasons: Sequence[Diagnostic]) -> list[_Tried]:
        """Note that a stretch stays, if it is one loop or has no parts; return its parts."""
        parts = one.stretch.parts()
        if one.stretch.is_loop or not parts:
            record = self.refused(name, one.stretch.location, reasons)
            self.records.append(replace(record, region=self._region(one)))
        return [_Tried(one.definition, part) for part in parts]

    def _region(self, one: _Tried) -> Region:
        end = one.stretch.end
        column = end - (self.text.rfind(b"\n", 0, end) + 1)
        return Region(one.definition.name, Location(self.source.name, self.text.count(b"\n", 0, end) + 1, column))

    def _lifted(self, parts: Mapping[str, tuple[_Tried, Outlined]]) -> dict[str, FunctionRecord]:
        """Lift outlined stretches, all repeated or none; one by one where the file with all does not parse."""
        if not parts:
            return {}
        text = self._with_definitions(parts)
        source = Source(self.source.name, text, self.source.sha256)
        repeated = any(one.stretch.is_repeated for one, _ in parts.values())
        pays: Pays = "repeated" if repeated and self.options.pays == "alike" else self.options.pays
        record = lift_source(source, replace(self.options, functions=tuple(parts), pays=pays))
        reasons = record.diagnostics
        try:
            if record.functions:
                unit, origins = Unit(text, source.name, self.arguments), _origins(text)
                return {f.name: self._checked(f, *parts[f.name], unit, origins) for f in record.functions}
        except LiftError as error:
            reasons = error.diagnostics
        if len(parts) > 1:
            alone = [self._lifted({name: part}) for name, part in parts.items()]
            return {name: function for one in alone for name, function in one.items()}
        ((name, (one, _)),) = parts.items()
        return {name: self.refused(name, one.stretch.location, self._as_text(one, reasons[0].message))}

    def _with_definitions(self, parts: Mapping[str, tuple[_Tried, Outlined]]) -> str:
        """Return the text with the outlined functions before those that they are parts of."""
        edits = []
        for one, part in parts.values():
            anchor = anchor_of(self.text, one.definition)
            line = self.text.count(b"\n", 0, anchor) + 1
            own = _ATTEMPT.of_program()
            block = part.definition(part.head(), _ATTEMPT.of_source(part.line), own)
            edits.append((anchor, anchor, f"\n{own}{block}{_ATTEMPT.of_source(line)}"))
        return applied(self.text, edits).decode()

    def _as_text(self, one: _Tried, detail: str) -> tuple[Diagnostic, ...]:
        return refusal("outline-text", one.stretch.location, detail).diagnostics

    def _checked(
        self, function: FunctionRecord, one: _Tried, part: Outlined, unit: Unit, origins: Sequence[int]
    ) -> FunctionRecord:
        """Give a record its places in the file; refuse a function whose statements are not read as they were."""
        function = replace(_moved(function, origins, one.stretch.location), region=self._region(one))
        read = unit.statements(function.name)
        if read[len(part.before) : len(read) - len(part.after)] == trees_of(one.stretch):
            return function
        return self._kept(function, self._as_text(one, "a macro stands at their edge"))

    def _kept(self, function: FunctionRecord, reasons: Sequence[Diagnostic]) -> FunctionRecord:
        """Give the record of a function that is not replaced after all."""
        kept = self.refused(function.name, function.location, reasons)
        return replace(kept, seconds=function.seconds, region=function.region)

    def _numbered(self, output: str) -> bytes:
        """Rewrite the text, its lines numbered, without what makes it another one or what compilers complain of."""
        lines = Lines(self.source.name, output or self.source.name)

        def failing(replaced: Sequence[Replaced]) -> LiftError | None:
            return self._failing(rewritten(self.text, replaced, lines), replaced)

        if failing(self.replaced) is not None:
            self._silence(lines)
            self._leave_out(failing)
        return rewritten(self.text, self.replaced, lines)

    def _leave_out(self, failing: Callable[[Sequence[Replaced]], LiftError | None]) -> None:
        """Take back what may not stand by itself; raises LiftError where the rest may not stand together."""
        if failing(self.replaced) is None:
            return
        for one in tuple(self.replaced):
            reason = failing([one])
            if reason is not None:
                self._take_back(one, reason.diagnostics[0])
        reason = failing(self.replaced)
        if reason is not None:
            said = reason.diagnostics[0]
            raise refuse(said.code, said.message, None, "choose functions with --function")

    def _failing(self, text: bytes, replaced: Sequence[Replaced]) -> LiftError | None:
        """Say why a rewritten text may not stand: it means something else, or compilers say more against it."""
        reason = differing(self.unit, text.decode(), self.source.name, self.arguments, replaced)
        if reason:
            remedy = "rename the macros and names that programs in C need"
            return refuse("TL580", f"the rewritten file would mean something else: {reason}", None, remedy)
        new = self._complaints(text) if replaced else []
        if not new:
            return None
        message = f"the program is left out: {PurePath(new[0].compiler).name} says: {new[0].message}"
        return refuse("TL588", message, None, "nothing: what is here stays as it was")

    def _complaints(self, text: bytes) -> list[Complaint]:
        """List what compilers say of a rewritten text that they do not say of the file."""
        said = complaints(text.decode(), self.project)
        return [one for one in said if one not in self._said_before] if said else []

    @cached_property
    def _said_before(self) -> dict[Complaint, None]:
        return complaints(self.source.text, self.project)

    def _silence(self, lines: Lines) -> None:
        """Let programs turn off the warnings that they alone give, in each function those of its own."""
        silenced = []
        for start in dict.fromkeys(one.definition.start for one in self.replaced):
            mine = [one for one in self.replaced if one.definition.start == start]
            said = self._complaints(rewritten(self.text, mine, lines))
            options = sorted({one.option for one in said if one.option})
            silenced += [replace(one, silenced=tuple(options)) for one in mine]
        self.replaced = silenced

    def _take_back(self, one: Replaced, reason: Diagnostic) -> None:
        """Leave a part as it was."""
        self.replaced.remove(one)
        place = one.definition.location if one.part is None else one.part.stretch.location
        position = next(k for k, record in enumerate(self.records) if record.name == one.name)
        self.records[position] = self._kept(self.records[position], [replace(reason, location=place)])


@dataclass(frozen=True, slots=True)
class Output:
    """Where a rewritten file goes: to ``file``, else in its place; or nowhere, to be shown as a diff or checked."""

    file: str | None = None
    report: str | None = None
    times: bool = True
    as_diff: bool = False
    only_checked: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether something else than a summary goes to standard output."""
        return self.as_diff or STDOUT in {self.file, self.report}


def rewrite_files(requests: Sequence[tuple[Source, LiftOptions, Output, Project | None]]) -> int:
    """Rewrite files, or show what would change; show and report what became of their parts.

    All are read before one is written: functions of each are looked for in the others as they were.
    """
    for source, *_ in requests:
        if language_of(source.name) not in {"c", "fortran", "mlir"}:
            raise refuse("TL519", f"'{source.name}' is no file in C", remedy="give a file in C, Fortran or MLIR")
    with progress():
        found = [_rewritten(source, options, output.file, project) for source, options, output, project in requests]
    return max(_put(source, output, *one) for (source, _, output, _), one in zip(requests, found, strict=True))


def _put(source: Source, output: Output, record: LiftRecord, data: bytes, others: Mapping[str, bytes]) -> int:
    """Write or show a file that was rewritten, and others beside it, and what became of its parts."""
    before = source.encoded(source.text)
    if not output.only_checked:
        _write(source.name, output, before, data, others)
    if output.report:
        write_output(output.report, record.to_json(times=output.times))
    if not output.is_shown:
        show_lift(record, screen(sys.stdout), programs=False)
        if any("cblas_" in function.program for function in record.functions):
            click.echo("link with -lopenblas -lm")
        for name in () if output.only_checked else others:
            click.echo(f"compile {name} too")
    if is_rewritten(source) or is_entered(source):
        click.echo(f"{source.name}: already rewritten by tensorlift", err=output.is_shown)
    elif output.only_checked:
        would = "be rewritten" if data != before else "stay as it is"
        click.echo(f"{source.name}: would {would}", err=output.is_shown)
    told = [d for d in record.diagnostics if d.severity is Severity.WARNING]
    found = dict.fromkeys([*told, *(d for function in record.functions for d in function.diagnostics)])
    status = complain(list(found), REFUSED, source)
    if output.only_checked and status in {OK, REFUSED}:
        return REFUSED if data != before else OK
    return status


def _write(name: str, output: Output, before: bytes, data: bytes, others: Mapping[str, bytes]) -> None:
    """Write files, or show what would change in them."""
    if output.as_diff:
        write_bytes(STDOUT, difference(name, before, data))
        for other, text in others.items():
            write_bytes(STDOUT, difference(other, bounded_bytes(other) if Path(other).exists() else b"", text))
    elif output.file is not None or data != before:
        write_bytes(output.file or name, data)
        for other, text in others.items() if output.file != STDOUT else ():
            write_bytes(other, text)


def _rewritten(
    source: Source, options: LiftOptions, output: str | None, project: Project | None
) -> tuple[LiftRecord, bytes, Mapping[str, bytes]]:
    """Rewrite a file, unless that has been done; give those that belong to it by their names."""
    language = language_of(source.name)
    if language == "fortran":
        return rewritten_fortran(source, options, output, project or Project.of(source.name, CompileOptions(), ()))
    if is_rewritten(source):
        target = "linalg" if language == "mlir" else "c"
        return LiftRecord(__version__, source.name, source.sha256, target), source.encoded(source.text), {}
    if language == "mlir":
        return *rewrite_mlir(source, options), {}
    return *rewrite_c(source, options, "<stdout>" if output == STDOUT else output or "", project), {}


def _origins(text: str) -> list[int]:
    """Give for each line the one of the original file that it is; 0 for none."""
    found, line = [0], 1
    for one in text.split("\n"):
        found.append(line)
        marker = _MARKER.fullmatch(one.rstrip("\r"))
        line = int(marker[1]) if marker else line + (line > 0)
    return found


def _moved(function: FunctionRecord, origins: Sequence[int], start: Location) -> FunctionRecord:
    """Give a record the places of the original file; what is in no line of it is at the ``start`` of the statements."""

    def moved(place: Location | None) -> Location | None:
        if place is None or place.file != start.file or place.line >= len(origins):
            return place
        return replace(place, line=origins[place.line]) if origins[place.line] else start

    def all_moved(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
        for d in diagnostics:
            notes = tuple(replace(note, location=moved(note.location)) for note in d.notes)
            yield replace(d, location=moved(d.location), notes=notes)

    loops = [replace(loop, location=moved(loop.location)) for loop in function.residual_loops]
    return replace(
        function,
        location=start,
        diagnostics=tuple(all_moved(function.diagnostics)),
        preconditions=tuple(replace(p, location=moved(p.location)) for p in function.preconditions),
        residual_loops=tuple(replace(loop, statement=str(loop.location or "")) for loop in loops),
    )
