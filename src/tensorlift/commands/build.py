"""``tensorlift build``: a shared library of a C file, symbol for symbol, in which what lifts runs as its program."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import REFUSED, complain, lift_options, source_options

if TYPE_CHECKING:
    from tensorlift.pipeline import LiftOptions
    from tensorlift.record import FunctionRecord
    from tensorlift.runtime.compilers import Project
    from tensorlift.source import Source


@click.command(short_help="Make a drop-in library of a C file.")
@click.argument("file")
@click.option("-o", "--output", metavar="LIB.so", required=True, help="Write the library to this file.")
@click.option("--function", "functions", metavar="F", multiple=True, help="Lift this function only (repeatable).")
@click.option("--programs", "programs_output", metavar="OUT.c", help="Also write the programs to this file.")
@click.option(
    "--cflags", metavar="FLAGS", help="Compile FILE itself with these. [default: those of -p, else -O3 -march=native]"
)
@source_options
def build(
    *, file: str, output: str, functions: tuple[str, ...], programs_output: str | None, cflags: str | None, **flags: Any
) -> int:
    """Compile FILE, in C, to a shared library in which every function that lifts runs as its proved program.

    Functions keep their symbols and signatures.  Where a precondition does not hold a call runs the original, and so do
    functions that do not lift.  BLAS is that of OpenBLAS.
    Exit status: 0 all functions lifted, 1 some are as they were, 2 the request is wrong.
    """
    from tensorlift.report.output import check_outputs, write_data, write_output
    from tensorlift.report.terminal import level_text
    from tensorlift.source import read_source

    check_outputs(file, [output, *([programs_output] if programs_output else [])])
    source = read_source(file)
    given, database = dict(flags), flags["database"]
    options = replace(lift_options(file, functions, "c", flags), replaces=True)
    from tensorlift.pipeline import lift_source
    from tensorlift.runtime.compilers import ORIGINAL, build_library
    from tensorlift.runtime.original import CompileOptions

    record = lift_source(source, options)
    if record.diagnostics and not record.functions:
        return complain(record.diagnostics, REFUSED, source)
    text, replaced = _renamed(source, options, record.functions)
    programs = [function.program for function in record.functions if function.name in replaced]
    if programs_output:
        write_output(programs_output, "\n".join(programs))
    project = _project(file, database, cflags)
    if not project.folder:  # else all flags of the build are there
        given = {name: getattr(options, name) for name in given if name != "database"}
    standard = given["std"] or ""
    compiled = CompileOptions(given["include_dirs"], given["defines"], standard, given["include_files"])
    hidden = [f"{name}{ORIGINAL}" for name in replaced]
    write_data(output, build_library(text, programs, hidden, compiled, project))
    Path(output).chmod(0o755)
    for function in record.functions:
        how = "lifted" if function.name in replaced else "as it was"
        click.echo(f"{function.name}: {how}{f', {level_text(function)}' if function.name in replaced else ''}")
    status = complain(record.all_diagnostics, REFUSED, source)
    return status if len(replaced) == len(record.functions) else max(status, REFUSED)


def _project(file: str, database: str | None, cflags: str | None) -> Project:
    """Say how a file itself is compiled: by ``cflags``, else by the command that a database has for it."""
    from tensorlift.compile_commands import read_flags
    from tensorlift.runtime.compilers import OPTIMISED, Project

    beside = ("-iquote", str(Path(file).resolve().parent))
    if cflags is not None:
        return Project(flags=(*beside, *shlex.split(cflags)))
    if not database:
        return Project(flags=(*beside, *OPTIMISED))
    found = read_flags(database, file)
    return Project(found.compiler, (*beside, *found.rest), found.folder)


def _renamed(source: Source, options: LiftOptions, functions: tuple[FunctionRecord, ...]) -> tuple[str, list[str]]:
    """Return the text of a file without the names that programs take, and these; raises LiftError for no C file."""
    from tensorlift.diagnostics import refuse
    from tensorlift.frontends.c.extents import extents_of
    from tensorlift.frontends.c.reader import parser_arguments
    from tensorlift.runtime.compilers import renamed, replaced_functions

    if Path(source.name).suffix in {".py", ".mlir", ".cpp", ".cc", ".cxx", ".hpp"}:
        raise refuse("TL519", f"'{source.name}' is no file in C", remedy="give one that a C compiler takes")
    arguments = parser_arguments(options.include_dirs, options.include_files, options.defines, options.std)
    extents = extents_of(source.text, source.name, arguments)
    programs = {function.name: function.program for function in functions if function.lifted}
    replaced = replaced_functions(source.text, programs, extents)
    return renamed(source.text, source.name, replaced, extents), replaced
