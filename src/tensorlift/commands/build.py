"""``tensorlift build``: a shared library of a file, symbol for symbol, in which what lifts runs as its program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import PATH, REFUSED, complain, lift_options, others_option, project_of, source_options
from tensorlift.commands.screen import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.c.outline.unit import Unit
    from tensorlift.pipeline import LiftOptions
    from tensorlift.profit import Pays
    from tensorlift.record import FunctionRecord
    from tensorlift.runtime.compilers import Project
    from tensorlift.source import Source


@click.command(short_help="Make a drop-in library of a file in C or Fortran.")
@click.argument("file", type=PATH)
@others_option
@click.option("-o", "--output", metavar="LIB.so", required=True, help="Write the library to this file.")
@click.option("--function", "functions", metavar="F", multiple=True, help="Lift this function only (repeatable).")
@click.option("--programs", "programs_output", metavar="OUT.c", help="Also write the programs to this file.")
@click.option(
    "--cflags", metavar="FLAGS", help="Compile FILE itself with these. [default: those of -p, else -O3 -march=native]"
)
@click.option("--regardless", is_flag=True, help="Also replace what is no quicker by estimate, at all sizes.")
@click.option(
    "--measured", is_flag=True, help="Run functions, and replace those that are measured to be quicker on one thread."
)
@source_options
def build(  # noqa: PLR0913 - one parameter for each option
    *,
    file: str,
    others: tuple[str, ...],
    output: str,
    functions: tuple[str, ...],
    programs_output: str | None,
    cflags: str | None,
    regardless: bool,
    measured: bool,
    **flags: Any,
) -> int:
    """Compile FILE, in C or Fortran, to a shared library in which every function that lifts runs as its proved program.

    What FILE does not define is looked for in the files of --with, and in those of -p.
    Functions keep their symbols and signatures.  Where a precondition does not hold a call runs the original, and so do
    functions that do not lift.  BLAS is that of OpenBLAS.
    Exit status: 0 all functions lifted, 1 some are as they were, 2 the request is wrong.
    """
    from tensorlift.report.output import check_outputs, write_data, write_output
    from tensorlift.report.terminal import level_text
    from tensorlift.runtime.compilers import OPTIMISED
    from tensorlift.source import language_of, read_source

    check_outputs(file, [output, *([programs_output] if programs_output else [])])
    source, *_ = map(read_source, (file, *others))  # says what is wrong with others
    project = project_of(file, flags, OPTIMISED, cflags)
    options = lift_options(file, functions, "c", flags, others)
    pays: Pays = "measured" if measured else "" if regardless else "reordered"
    options = replace(options, replaces=True, pays=pays)
    from tensorlift.pipeline import lift_source

    if language_of(source.name) == "fortran":
        return _build_fortran(source, options, project, output, programs_output)
    with progress():
        record = lift_source(source, options)
    if record.diagnostics and not record.functions:
        return complain(record.diagnostics, REFUSED, source)
    with progress():
        library, replaced, left = _built(source, options, record.functions, project)
    ratios: dict[str, str] = {}
    if measured and replaced:
        ratios, slower = _measured(source, options, replaced, library, project)
        library, replaced, others_left = _built(source, options, [f for f in replaced if f.name in ratios], project)
        left = [*left, *slower, *others_left]
    if programs_output:
        write_output(programs_output, "\n".join(function.program for function in replaced))
    write_data(output, library)
    Path(output).chmod(0o755)
    for function in record.functions:
        how = "lifted" if function in replaced else "as it was"
        said = f", {level_text(function)}{ratios.get(function.name, '')}" if function in replaced else ""
        click.echo(f"{function.name}: {how}{said}")
    status = complain([*record.all_diagnostics, *left], REFUSED, source)
    return status if len(replaced) == len(record.functions) else max(status, REFUSED)


def _build_fortran(
    source: Source, options: LiftOptions, project: Project, output: str, programs_output: str | None
) -> int:
    """Build a library of a file in Fortran, whose procedures try their programs first."""
    from tensorlift.commands.in_place_fortran import checking, is_entered, rewrite_fortran
    from tensorlift.diagnostics import refuse
    from tensorlift.report.output import write_data, write_output
    from tensorlift.report.terminal import level_text
    from tensorlift.runtime.fortran_build import build_fortran_library

    if options.pays == "measured":
        message = f"procedures of Fortran are not measured, as those of '{source.name}'"
        raise refuse("TL519", message, remedy="leave --measured out")
    if is_entered(source):
        raise refuse("TL578", f"'{source.name}' has programs already", remedy="give the file as it was")
    with progress():
        done = rewrite_fortran(source, options, "programs.c", checking(source, project))
        hidden = [one.entry for one in done.entered]
        library = build_fortran_library(done.text, done.c, source.name, hidden, project)
    if programs_output:
        write_output(programs_output, done.c)
    write_data(output, library)
    Path(output).chmod(0o755)
    replaced = {one.name for one in done.entered}
    for function in done.record.functions:
        is_in = function.name in replaced
        click.echo(f"{function.name}: {f'lifted, {level_text(function)}' if is_in else 'as it was'}")
    status = complain(done.record.all_diagnostics, REFUSED, source)
    return status if len(replaced) == len(done.record.functions) else max(status, REFUSED)


def _built(
    source: Source, options: LiftOptions, functions: Sequence[FunctionRecord], project: Project
) -> tuple[bytes, list[FunctionRecord], list[Diagnostic]]:
    """Build the library; give the functions whose programs are in it, and say of which others they do not compile."""
    from tensorlift.diagnostics import LiftError, refuse
    from tensorlift.frontends.c.extents import extents_of
    from tensorlift.frontends.c.outline.unit import Unit
    from tensorlift.frontends.c.reader import parser_arguments
    from tensorlift.reading import is_c
    from tensorlift.runtime.compilers import ORIGINAL, build_library, renamed, replaced_functions

    if not is_c(source):
        raise refuse("TL519", f"'{source.name}' is no file in C", remedy="give a file in C or Fortran")
    arguments = parser_arguments(options.include_dirs, options.include_files, options.defines, options.std)
    shown = [flag for flag in project.flags if flag.startswith("-fvisibility=")]
    extents, unseen = extents_of(source.text, source.name, [*arguments, *shown])
    stated = _stated(Unit(source.text, source.name, arguments))
    may_be = replaced_functions({one.name: one.program for one in functions if one.lifted}, extents)

    def built(chosen: Sequence[FunctionRecord]) -> bytes:
        text = renamed(source.text, source.name, [one.name for one in chosen], extents, stated)
        hidden = [f"{one.name}{ORIGINAL}" for one in chosen] + [one.name for one in chosen if one.name in unseen]
        return build_library(text, [one.program for one in chosen], hidden, project)

    replaced = [one for one in functions if one.name in may_be]
    left: list[Diagnostic] = []
    blas = {name for name in (*extents, *(one.name for one in functions)) if name.startswith("cblas_")}
    for one in tuple(replaced):  # the library would bind what a program calls of BLAS to what the file has
        own = min((name for name in blas - {one.name} if f"{name}(" in one.program), default=None)
        if own is not None:
            left += _left_out(one, f"it calls `{own}` of BLAS, and the file has one of its own")
            replaced.remove(one)
    try:
        return built(replaced), replaced, left
    except LiftError as failure:
        if not replaced or failure.diagnostics[0].code != "TL640":
            raise
    built(())  # says what is wrong with the file itself
    for one in tuple(replaced):
        try:
            built([one])
        except LiftError as failure:
            left += _left_out(one, failure.diagnostics[0].message)
            replaced.remove(one)
    return built(replaced), replaced, left


_MEASURED_AT = (1 << 16, 1 << 22)  # bytes of arrays
_SECONDS = 0.5
_QUICKER, _ALIKE = 1.05, 0.95


def _measured(
    source: Source, options: LiftOptions, functions: Sequence[FunctionRecord], library: bytes, project: Project
) -> tuple[dict[str, str], Sequence[Diagnostic]]:
    """Run functions of a library beside those of the file as it is, on one thread; say how much quicker some are.

    More threads would wait for each other on a machine where others work too.
    """
    import tempfile

    from tensorlift.commands.measured import ratio_of
    from tensorlift.diagnostics import LiftError
    from tensorlift.runtime.compilers import build_library

    quicker: dict[str, str] = {}
    left: list[Diagnostic] = []
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as folder:
        before, after = Path(folder) / "before.so", Path(folder) / "after.so"
        before.write_bytes(build_library(source.text, (), (), project))
        after.write_bytes(library)
        for one in functions:
            alone = replace(options, functions=(one.name,), pays="")
            try:
                found = [
                    ratio_of(source, alone, (before, after), size, threads=1, seconds=_SECONDS) for size in _MEASURED_AT
                ]
            except LiftError as failure:
                left += _left_out(one, f"it is not measured: {failure.diagnostics[0].message}")
                continue
            medians = " and ".join(f"{ratio.median:.2f}" for ratio in found)
            said = f"{medians} times as fast with arrays of 64 KB and 4 MB"
            if max(ratio.bound for ratio in found) > _QUICKER and min(ratio.median for ratio in found) >= _ALIKE:
                quicker[one.name] = f", {said}"
            else:
                left += _left_out(one, f"it is {said}")
    return quicker, left


def _stated(unit: Unit) -> dict[str, str]:
    """State for each function the macros that it uses, so that it compiles only where they are what they were."""
    from tensorlift.frontends.c.outline.macros import SPELLED

    found = {}
    for definition in unit.definitions():
        spans = [(definition.start, definition.end), *definition.callees]
        lines = sorted({line for span in spans for line in unit.macros.stated(*span).values()})
        found[definition.name] = "\n".join(["", *SPELLED, *lines, ""]) if lines else ""
    return found


def _left_out(function: FunctionRecord, why: str) -> Sequence[Diagnostic]:
    from tensorlift.diagnostics import refuse

    message = f"the program of `{function.name}` is left out: {why}"
    return refuse("TL588", message, function.location, "nothing: the function stays as it was").diagnostics
