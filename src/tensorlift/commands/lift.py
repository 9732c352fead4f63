"""The command ``tensorlift lift``: the functions of source files become programs, shown, written or put in place."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import (
    OK,
    PATH,
    REFUSED,
    case_option,
    complain,
    language_option,
    lift_options,
    others_option,
    project_of,
    source_options,
    target_option,
)
from tensorlift.commands.screen import progress, screen

if TYPE_CHECKING:
    from tensorlift.pdl.rewriting import Rewrites
    from tensorlift.pipeline import LiftOptions
    from tensorlift.profit import Pays
    from tensorlift.source import Source


@click.command(short_help="Lift the functions of source files.")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=PATH)
@others_option
@click.option("--function", "functions", metavar="F", multiple=True, help="Lift this function only (repeatable).")
@target_option("See 'tensorlift targets'; or auto.")
@click.option("--measured", metavar="REPORT", type=PATH, help="With --to auto: choose by this record of bench --json.")
@click.option(
    "-o", "--output", metavar="OUT", type=PATH, help="Write the program to this file; of several FILEs to this folder."
)
@click.option(
    "--json",
    "report",
    metavar="REPORT",
    type=PATH,
    help="Write the JSON report to this file ('-': standard output); of several FILEs to this folder.",
)
@click.option("--no-times", is_flag=True, help="Leave times out of the report: same input, same bytes.")
@click.option(
    "--emit",
    "form",
    type=click.Choice(["literal", "ir", "definitions", "sketches", "program"]),
    default="program",
    show_default=True,
    help="Show the literal IR (C, C++, MLIR), loop IR, the definitions, how sketch solves them, or the program.",
)
@click.option(
    "--in-place",
    is_flag=True,
    help="C, Fortran, MLIR: rewrite FILE, or write OUT, with programs in place of what lifts.",
)
@click.option("--diff", "as_diff", is_flag=True, help="With --in-place: show what would change, and write nothing.")
@click.option(
    "--check", "only_checked", is_flag=True, help="With --in-place: write nothing; exit status 1 if FILE would change."
)
@click.option(
    "--regardless",
    is_flag=True,
    help="C, Fortran: with --in-place, also replace what is no quicker by estimate, at all sizes.",
)
@click.option("--sizes", metavar="N=..,M=..", multiple=True, help="Write a program of these sizes (stablehlo).")
@click.option(
    "--portable-artifact", "artifact", metavar="FILE", type=PATH, help="Also write StableHLO as versioned bytecode."
)
@click.option("--mlir-print-debuginfo", "places", is_flag=True, help="MLIR: say of each operation where it comes from.")
@click.option(
    "--rewrite",
    "rewrites",
    metavar="FILE",
    type=PATH,
    multiple=True,
    help="MLIR: rewrite programs by the patterns in PDL of FILE.",
)
@click.option("--test", is_flag=True, help="Also run against the source compiled with cc.")
@click.option("--guards", is_flag=True, help="Let the program check its arguments, and raise ValueError.")
@click.option("--adapter", is_flag=True, help="C: add functions with the original signatures, over flat memory.")
@click.option(
    "--generalise/--no-generalise",
    default=None,
    help="MLIR: make constant bounds sizes, also those over extents that are left open; never. "
    "[default: those that an index ties to an extent]",
)
@language_option
@case_option
@source_options
@click.option(
    "--engine",
    type=click.Choice(["auto", "derive", "tactics", "sketch", "sketch-whole", "enumerate"]),
    default="auto",
    show_default=True,
    help="How to search: by derivation, by tactics alone, by solving sketches, the same through all loop nests at once,"
    " through all programs; auto: by derivation, by the others where it fails.",
)
@click.option(
    "--budget",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True),
    help="Let all engines search for the cheapest program, for so long together; with --engine auto.",
)
@click.option(
    "--explain", "is_explained", is_flag=True, help="Say what each engine did, and why the program was chosen."
)
@click.option(
    "--tactics", metavar="FILE", type=PATH, multiple=True, help="Try the tactics of FILE first; with --engine tactics."
)
@click.option(
    "--heuristics",
    metavar="NAMES",
    help="Try only the operations, reductions or monomials of the source, each part of it by itself, or all with none;"
    " with --engine enumerate.  [default: operations,reductions,monomials,parts]",
)
@click.option(
    "--limits",
    metavar="NAME=N,..",
    help="End a search at so many candidates, operations of a program, gigabytes or seconds; with --engine enumerate.  "
    "[default: candidates=16000000,operations=6,gigabytes=1]",
)
def lift(**given: Any) -> int:
    """Lift the functions of each FILE ('-': standard input) and show the programs with their verdicts.

    In C, what a FILE does not define is looked for in the other ones, in those of --with, and in those of -p.

    Exit status: 0 all functions lifted, 1 some refused or unchanged (with --check: FILE would change), 2 the request is
    wrong, 3 an internal error.
    """
    own = {field.name for field in fields(_Request)} - {"flags"}
    flags = {name: value for name, value in given.items() if name not in own}
    request = _Request(**{name: given[name] for name in own}, flags=flags)
    request.check()
    return request.rewrite() if request.in_place else request.run()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """What a command line asks for: a field for each option; ``flags`` are those on how a source is read."""

    files: tuple[str, ...]
    others: tuple[str, ...]
    functions: tuple[str, ...]
    target: str
    measured: str | None
    output: str | None
    report: str | None
    no_times: bool
    form: str
    in_place: bool
    as_diff: bool
    only_checked: bool
    regardless: bool
    sizes: tuple[str, ...]
    artifact: str | None
    places: bool
    rewrites: tuple[str, ...]
    test: bool
    guards: bool
    adapter: bool
    generalise: bool | None
    engine: str
    budget: float | None
    is_explained: bool
    tactics: tuple[str, ...]
    heuristics: str | None
    limits: str | None
    language: str | None
    flags: dict[str, Any]

    def check(self) -> None:
        """Refuse options that contradict each other, and outputs over inputs, before any work is done."""
        from tensorlift.report.output import check_outputs

        self._check_pairs()
        if self.report and self.form != "program":
            raise click.UsageError("--json reports on programs: it does not go with --emit ir, definitions or sketches")
        if self.language and self.files != ("-",):
            raise click.UsageError("--language goes with '-': the name of a FILE tells its language")
        if len(self.files) > 1:
            self._check_several()
        if self.in_place:
            self._check_in_place()
        elif self.regardless or self.as_diff or self.only_checked:
            option = "--regardless goes" if self.regardless else "--diff and --check go"
            raise click.UsageError(f"{option} with --in-place")
        for file, *named in zip(self.files, self._outputs(), self._reports(), strict=True):
            check_outputs(file, [name for name in (*named, self.artifact) if name])
        if self.artifact:
            from tensorlift.runtime.xla import require_portable

            require_portable(self.target)

    def rewrite(self) -> int:
        """Put programs in the place of what lifts."""
        from tensorlift.commands.in_place import Output, rewrite_files

        where = zip(self._outputs(), self._reports(), strict=True)
        outputs = [Output(*named, not self.no_times, self.as_diff, self.only_checked) for named in where]
        sources, database = self._read(), self.flags["database"]
        projects = [project_of(file, self.flags, ()) if database else None for file in self.files]
        pays: Pays = "" if self.regardless else "alike"
        options = [replace(self._options(file), target="c", pays=pays) for file in self.files]
        return rewrite_files(list(zip(sources, options, outputs, projects, strict=True)))

    def run(self) -> int:
        """Lift the files one after the other, and show and write what they become."""
        status = OK
        sources = self._read()
        for k, (file, output, report) in enumerate(zip(self.files, self._outputs(), self._reports(), strict=True)):
            options = self._options(file)
            if self.target == "auto":
                from tensorlift.commands.auto import with_chosen_target

                options, note = with_chosen_target(sources[k], options, self.measured)
                complain((note,), OK)
            if k and not output:
                click.echo("\n")
            if self.form != "program":
                status = max(status, _show_intermediate(sources[k], options, self.form, output))
            else:
                status = max(status, self._lift(sources[k], options, output, report))
        return status

    def _read(self) -> list[Source]:
        """Read the files, and say what is wrong with the others."""
        from tensorlift.source import read_source

        found = [read_source(file, self.language) for file in self.files]
        for other in self.others:
            read_source(other)
        return found

    def _options(self, file: str) -> LiftOptions:
        around = [other for other in dict.fromkeys((*self.files, *self.others)) if other != file]
        flags = self.flags | _of_enumerate(self.heuristics, self.limits)
        options = replace(  # from here on every room is loaded: only for a request that can be met
            lift_options(file, self.functions, self.target, flags, around),
            engine=self.engine,
            budget=self.budget,
            tactics=self.tactics,
            test=self.test,
            generalise=self.generalise,
            guards=self.guards,
            adapter=self.adapter,
            sizes=_sizes(self.sizes),
            places=self.places,
        )
        if self.places:
            _check_places(options.target, self.form, in_place=self.in_place)
        return replace(options, rewrites=_rewrites(self.rewrites, options.target, self.form))

    def _lift(self, source: Source, options: LiftOptions, output: str | None, report: str | None) -> int:
        from tensorlift.pipeline import lift_source
        from tensorlift.report.output import STDOUT, write_output
        from tensorlift.report.program import join_programs
        from tensorlift.report.terminal import show_lift

        with progress():
            record = lift_source(source, options)
        programs = [function.program for function in record.functions if function.lifted]
        adapters = [function.adapter for function in record.functions if function.adapter]
        if adapters:
            from tensorlift.contract.adapter import helpers

            programs = [helpers(), *programs, *adapters]
        if output and programs:
            write_output(output, join_programs(programs, record.target))
        if self.artifact and programs:
            from tensorlift.report.output import write_data
            from tensorlift.runtime.xla import portable_artifact

            write_data(self.artifact, portable_artifact(join_programs(programs, record.target)))
        if report:
            write_output(report, record.to_json(times=not self.no_times))
        if STDOUT not in (output, report):
            whole = join_programs(programs, record.target) if adapters else ""
            on = screen(sys.stdout)
            show_lift(record, on, programs=not output, whole=whole, is_explained=self.is_explained)
        refused = [diagnostic for function in record.functions for diagnostic in function.without_adapter]
        status = complain([*record.all_diagnostics, *refused], REFUSED, source)
        return max(status, REFUSED if record.verdict in {"unchanged", "refused"} else OK)

    def _outputs(self) -> list[str | None]:
        return self._places(self.output, "" if self.in_place else _suffix_of(self.target, self.form))

    def _reports(self) -> list[str | None]:
        return self._places(self.report, ".json")

    def _places(self, place: str | None, suffix: str) -> list[str | None]:
        """Say where what each file becomes goes: to the place, or, of several, into that folder under its name."""
        if place is None or len(self.files) == 1:
            return [place] * len(self.files)
        names = [PurePath(file).stem + (suffix or PurePath(file).suffix) for file in self.files]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise click.UsageError(f"two FILEs would be written as '{PurePath(place, twice)}': lift them one by one")
        return [str(PurePath(place, name)) for name in names]

    def _check_pairs(self) -> None:
        """Refuse options without those that they go with."""
        needed: dict[str, tuple[str, str, str]] = {
            "tactics": ("--engine", self.engine, "tactics"),
            "budget": ("--engine", self.engine, "auto"),
            "heuristics": ("--engine", self.engine, "enumerate"),
            "limits": ("--engine", self.engine, "enumerate"),
            "measured": ("--to", self.target, "auto"),
        }
        for name, (option, actual, wanted) in needed.items():
            value = getattr(self, name)
            if value not in (None, ()) and actual != wanted:
                raise click.UsageError(f"--{name} goes with {option} {wanted}")
            if isinstance(value, float) and math.isnan(value):
                raise click.UsageError(f"--{name} takes a number")

    def _check_several(self) -> None:
        """Refuse for several files what is for one; the places that are named are folders, which must be there."""
        if self.functions or self.artifact:
            option = "--function" if self.functions else "--portable-artifact"
            raise click.UsageError(f"{option} goes with one FILE: give the others by --with FILE")
        if len(set(self.files)) < len(self.files) or "-" in self.files:
            raise click.UsageError("each FILE is given once, and '-' alone")
        for option, folder in (("-o", self.output), ("--json", self.report)):
            if folder is not None and not Path(folder).is_dir():
                raise click.UsageError(f"{option} takes a folder for several FILEs: make '{folder}' first")

    def _check_in_place(self) -> None:
        """Refuse options that do not go with rewriting a file, and to show what would change where it is written."""
        given = click.get_current_context().get_parameter_source("target")
        others = self.artifact, self.guards, self.adapter, self.sizes, self.generalise, self.rewrites
        if given is click.core.ParameterSource.COMMANDLINE or self.form != "program" or any(others):
            raise click.UsageError(
                "--in-place goes with -o, --json, --function, --test and what a compiler is given only"
            )
        if not self.as_diff and not self.only_checked:
            if self.files == ("-",) and not self.output:
                raise click.UsageError("--in-place rewrites a file: standard input needs -o")
        elif self.output or (self.report == "-" and self.as_diff):
            message = "--diff and --check write no program: leave -o out, and give --json a file with --diff"
            raise click.UsageError(message)


def _suffix_of(target: str, form: str) -> str:
    """Return how the files end that programs, or what comes before them, are written to."""
    from tensorlift.report.program import language

    if form == "program":
        return language(target).suffix
    return ".mlir" if form in {"literal", "ir"} else ".txt"


def _check_places(target: str, form: str, *, in_place: bool) -> None:
    """Refuse to say in MLIR where operations come from, of what is none."""
    if in_place or not (form in ("literal", "ir") or _is_in_mlir(target, form)):
        raise click.UsageError("--mlir-print-debuginfo goes with a target in MLIR, or with --emit literal or ir")


def _is_in_mlir(target: str, form: str) -> bool:
    """Tell whether programs in MLIR are asked for."""
    from tensorlift.targets import get_target

    return form == "program" and target != "auto" and get_target(target).language == "mlir"


def _rewrites(files: tuple[str, ...], target: str, form: str) -> Rewrites | None:
    """Read rewrites of programs in MLIR; refuse them for others."""
    if not files:
        return None
    if not _is_in_mlir(target, form):
        raise click.UsageError("--rewrite goes with programs for a target in MLIR, such as --to stablehlo or linalg")
    from tensorlift.pdl.rewriting import read_rewrites
    from tensorlift.targets import get_target

    return read_rewrites(files, get_target(target))


def _of_enumerate(heuristics: str | None, limits: str | None) -> dict[str, Any]:
    """Read the options of the engine that enumerates."""
    found: dict[str, Any] = {}
    if heuristics is not None or limits is not None:
        from tensorlift.engines import heuristics_named, limits_named

        found |= {"heuristics": heuristics_named(heuristics)} if heuristics is not None else {}
        found |= {"limits": limits_named(limits)} if limits is not None else {}
    return found


def _sizes(texts: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Read ``N=..,M=..``."""
    if not texts:
        return ()
    from tensorlift.runtime.large_sizes import parse_sizes

    return tuple(parse_sizes(texts).items())


def _show_intermediate(source: Source, options: LiftOptions, form: str, output: str | None) -> int:
    from tensorlift.pipeline import intermediate
    from tensorlift.report.output import STDOUT, write_output

    with progress():
        found = intermediate(source, options, form)
    texts = [f"{one.text.rstrip()}\n" for one in found if one.text]
    if texts:
        write_output(output or STDOUT, _drawn(texts) if _is_drawing(form, output) else "\n".join(texts))
    return complain([d for one in found for d in one.diagnostics], REFUSED, source)


def _is_drawing(form: str, output: str | None) -> bool:
    """Whether what is shown goes to a picture."""
    return form == "sketches" and (output or "").lower().endswith(".svg")


def _drawn(texts: list[str]) -> str:
    from tensorlift.report.outline import outline_svg

    return outline_svg("\n".join(texts))
