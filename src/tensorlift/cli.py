"""The command line: thin over the pipeline; everything heavy is imported by the command that needs it.

Exit status: 0 all functions lifted, 1 some refused or unchanged, 2 the request is wrong, 3 an internal error.
"""

from __future__ import annotations

import errno
import io
import math
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tensorlift import __version__
from tensorlift.commands.bench import bench
from tensorlift.commands.build import build
from tensorlift.commands.explain import explain
from tensorlift.commands.opt import opt
from tensorlift.commands.options import INTERNAL, OK, REFUSED, USAGE, complain, lift_options, project_of, source_options
from tensorlift.commands.run import run
from tensorlift.commands.scan import scan
from tensorlift.commands.target import target as target_command
from tensorlift.commands.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.pdl.rewriting import Rewrites
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import Source

_INTERRUPTED = 130  # as shells report it: 128 and the number of the signal
_BROKEN_PIPE = 141
_UNWRITTEN = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)  # why output is not written


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status; no exception of ours or of a user's mistake gets out."""
    from tensorlift.diagnostics import LiftError
    from tensorlift.report.output import unwritable

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no reason to fail
    try:
        status = int(commands.main(args=arguments, prog_name="tensorlift", standalone_mode=False) or OK)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return USAGE
    except LiftError as error:
        return complain(error.diagnostics, USAGE)
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads: let the last flush succeed
        return _BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITTEN:
            return _failed(error)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # as above
        return complain(unwritable("standard output", error).diagnostics, USAGE)
    except Exception as error:  # noqa: BLE001 - told as what it is
        return _failed(error)
    return status


def _failed(error: Exception) -> int:
    """Tell of an error that nobody expected."""
    from tensorlift.diagnostics import internal_error

    if "TENSORLIFT_DEBUG" in os.environ:
        raise error
    return complain((internal_error(error),), INTERNAL)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tensorlift")
def commands() -> None:
    """Lift loop code to tensor programs, for every size, with a proof."""


@commands.command(short_help="Lift the functions of a source file.")
@click.argument("file")
@click.argument("others", metavar="[OTHER]...", nargs=-1)
@click.option("--function", "functions", metavar="F", multiple=True, help="Lift this function only (repeatable).")
@click.option(
    "--to", "target", metavar="TARGET", default="numpy", show_default=True, help="See 'tensorlift targets'; or auto."
)
@click.option("--measured", metavar="REPORT", help="With --to auto: choose by this record of bench --json.")
@click.option("-o", "--output", metavar="OUT", help="Write the program to this file.")
@click.option("--json", "report", metavar="REPORT", help="Write the JSON report to this file ('-': standard output).")
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
    "--in-place", is_flag=True, help="C, MLIR: rewrite FILE, or write OUT, with programs in place of what lifts."
)
@click.option("--diff", "as_diff", is_flag=True, help="With --in-place: show what would change, and write nothing.")
@click.option("--check", is_flag=True, help="With --in-place: write nothing; exit status 1 if FILE would change.")
@click.option(
    "--regardless", is_flag=True, help="C: with --in-place, also replace what is no quicker by estimate, at all sizes."
)
@click.option("--sizes", metavar="N=..,M=..", multiple=True, help="Write a program of these sizes (stablehlo).")
@click.option("--portable-artifact", "artifact", metavar="FILE", help="Also write StableHLO as versioned bytecode.")
@click.option("--mlir-print-debuginfo", "places", is_flag=True, help="MLIR: say of each operation where it comes from.")
@click.option(
    "--rewrite",
    "rewrites",
    metavar="FILE",
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
@click.option("--tactics", metavar="FILE", multiple=True, help="Try the tactics of FILE first; with --engine tactics.")
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
def lift(  # noqa: PLR0913 - one parameter for each option
    *,
    file: str,
    others: tuple[str, ...],
    functions: tuple[str, ...],
    target: str,
    measured: str | None,
    output: str | None,
    report: str | None,
    no_times: bool,
    form: str,
    in_place: bool,
    as_diff: bool,
    check: bool,
    regardless: bool,
    sizes: tuple[str, ...],
    artifact: str | None,
    places: bool,
    rewrites: tuple[str, ...],
    test: bool,
    guards: bool,
    adapter: bool,
    generalise: bool | None,
    engine: str,
    budget: float | None,
    is_explained: bool,
    tactics: tuple[str, ...],
    heuristics: str | None,
    limits: str | None,
    **flags: Any,
) -> int:
    """Lift the functions of FILE ('-': standard input) and show the programs with their verdicts.

    In C, what FILE does not define is looked for in OTHER files of the project, and in those of -p.

    Exit status: 0 all functions lifted, 1 some refused or unchanged (with --check: FILE would change), 2 the request is
    wrong, 3 an internal error.
    """
    from tensorlift.report.output import check_outputs
    from tensorlift.source import read_source

    _check_pairs(
        engine, target, tactics=tactics, budget=budget, heuristics=heuristics, limits=limits, measured=measured
    )
    if report and form != "program":
        raise click.UsageError("--json reports on programs: it does not go with --emit ir, definitions or sketches")
    if regardless and not in_place:
        raise click.UsageError("--regardless goes with --in-place")
    if in_place:
        where = output or ("-" if as_diff or check else None)
        _check_in_place(file, where, form=form, others=[artifact, guards, adapter, sizes, generalise, rewrites])
    if as_diff or check:
        _check_preview(in_place=in_place, written=[output, "" if report != "-" or not as_diff else report])
    check_outputs(file, [name for name in (output, report, artifact) if name])
    if artifact:
        from tensorlift.runtime.xla import require_portable

        require_portable(target)
    source, *_ = map(read_source, (file, *others))  # says what is wrong with others
    flags |= _of_enumerate(heuristics, limits)
    given = dict(flags)
    options = replace(  # from here on every room is loaded: only for a request that can be met
        lift_options(file, functions, target, flags, others),
        engine=engine,
        budget=budget,
        tactics=tactics,
        test=test,
        generalise=generalise,
        guards=guards,
        adapter=adapter,
        sizes=_sizes(sizes),
        places=places,
    )
    if places:
        _check_places(options.target, form, in_place=in_place)
    options = replace(options, rewrites=_rewrites(rewrites, options.target, form))
    if in_place:
        from tensorlift.commands.in_place import Output, lift_in_place

        project = project_of(file, given, ()) if given["database"] else None
        wanted = Output(output, report, not no_times, as_diff, check)
        options = replace(options, target="c", pays="" if regardless else "alike")
        return lift_in_place(source, options, wanted, project)
    if target == "auto":
        from tensorlift.commands.auto import with_chosen_target

        options, note = with_chosen_target(source, options, measured)
        complain((note,), OK)
    if form != "program":
        return _show_intermediate(source, options, form, output)
    return _lift(source, options, output, report, artifact, times=not no_times, is_explained=is_explained)


def _check_pairs(engine: str, target: str, **given: object) -> None:
    """Refuse options without those that they go with."""
    needed = {
        "tactics": ("--engine", engine, "tactics"),
        "budget": ("--engine", engine, "auto"),
        "heuristics": ("--engine", engine, "enumerate"),
        "limits": ("--engine", engine, "enumerate"),
        "measured": ("--to", target, "auto"),
    }
    for name, value in given.items():
        option, actual, wanted = needed[name]
        if value not in (None, ()) and actual != wanted:
            raise click.UsageError(f"--{name} goes with {option} {wanted}")
        if isinstance(value, float) and math.isnan(value):
            raise click.UsageError(f"--{name} takes a number")


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


def _check_in_place(file: str, output: str | None, *, form: str, others: Sequence[object]) -> None:
    """Refuse options that do not go with rewriting a file."""
    given = click.get_current_context().get_parameter_source("target")
    if given is click.core.ParameterSource.COMMANDLINE or form != "program" or any(others):
        raise click.UsageError("--in-place goes with -o, --json, --function, --test and what a compiler is given only")
    if file == "-" and not output:
        raise click.UsageError("--in-place rewrites a file: standard input needs -o")


def _check_preview(*, in_place: bool, written: Sequence[str | None]) -> None:
    """Refuse to show what would change where nothing is rewritten, or where the text goes to a file all the same."""
    if not in_place:
        raise click.UsageError("--diff and --check go with --in-place")
    if any(written):
        raise click.UsageError("--diff and --check write no program: leave -o out, and give --json a file with --diff")


@commands.command(short_help="Show tactics and the operations that they stand for.")
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--tds", "tablegen", is_flag=True, help="Show them as records of TableGen, as the paper on tactics does.")
def tactics(files: tuple[str, ...], *, tablegen: bool) -> int:
    """Load the tactics of each FILE, or of the library, and show them with the operations that they stand for.

    Exit status: 0, or 2 where a file holds no tactics or one that contradicts itself.
    """
    from tensorlift.engines import show_tactics

    click.echo(show_tactics(files, tablegen=tablegen), nl=False)
    return OK


@commands.command(short_help="List targets and their operations.")
@click.argument("names", metavar="[TARGET]...", nargs=-1)
@click.option("--explain", "operation", metavar="OP", help="Show what an operation means, given as 'tril' or '@'.")
def targets(names: tuple[str, ...], operation: str | None) -> int:
    """List the targets that '--to' takes, or the operations of TARGET, which the programs are made of.

    Exit status: 0, or 2 where the request is wrong.
    """
    if operation is not None or names:
        from tensorlift.explain import explain, list_operations

        texts = [explain(operation, names)] if operation is not None else map(list_operations, names)
        click.echo("\n".join(texts), nl=False)
        return OK
    from tensorlift.report.program import language
    from tensorlift.runtime.libraries import installation
    from tensorlift.targets import imported_names, target_names

    for name in (*target_names(), *imported_names()):
        missing = installation(name)
        click.echo(f"{name:<12} writes {language(name).title}" + (f"; to run it: {missing}" if missing else ""))
    return OK


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


def _lift(  # noqa: PLR0913 - what to lift, and where to write what
    source: Source,
    options: LiftOptions,
    output: str | None,
    report: str | None,
    artifact: str | None,
    *,
    times: bool,
    is_explained: bool,
) -> int:
    from tensorlift.pipeline import lift_source
    from tensorlift.report.output import STDOUT, write_output
    from tensorlift.report.program import join_programs
    from tensorlift.report.terminal import Screen, show_lift

    record = lift_source(source, options)
    programs = [function.program for function in record.functions if function.lifted]
    adapters = [function.adapter for function in record.functions if function.adapter]
    if adapters:
        from tensorlift.contract.adapter import helpers

        programs = [helpers(), *programs, *adapters]
    if output and programs:
        write_output(output, join_programs(programs, record.target))
    if artifact and programs:
        from tensorlift.report.output import write_data
        from tensorlift.runtime.xla import portable_artifact

        write_data(artifact, portable_artifact(join_programs(programs, record.target)))
    if report:
        write_output(report, record.to_json(times=times))
    if STDOUT not in (output, report):
        whole = join_programs(programs, record.target) if adapters else ""
        show_lift(record, Screen(sys.stdout), programs=not output, whole=whole, is_explained=is_explained)
    refused = [diagnostic for function in record.functions for diagnostic in function.without_adapter]
    status = complain([*record.all_diagnostics, *refused], REFUSED, source)
    return max(status, REFUSED if record.verdict in {"unchanged", "refused"} else OK)


def _show_intermediate(source: Source, options: LiftOptions, form: str, output: str | None) -> int:
    from tensorlift.pipeline import intermediate
    from tensorlift.report.output import STDOUT, write_output

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


commands.add_command(run)
commands.add_command(build)
commands.add_command(bench)
commands.add_command(explain)
commands.add_command(opt)
commands.add_command(scan)
commands.add_command(target_command)
commands.add_command(verify)
