"""Options that several commands share: how a source is read, and under which conditions a program runs.

Exit statuses of commands, and how diagnostics become one.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.screen import screen
from tensorlift.source import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.compile_commands import CompilerFlags
    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.c.elsewhere import OtherFile
    from tensorlift.pipeline import LiftOptions
    from tensorlift.runtime.compilers import Project
    from tensorlift.runtime.measure import Conditions
    from tensorlift.source import Source

    Command = Callable[..., Any]


OK, REFUSED, USAGE, INTERNAL = range(4)


_FLAG = re.compile(r"(?P<name>\w+)\s*=\s*(?:(?P<number>-?\d+)|(?P<letter>[A-Za-z]))")


class FileName(click.ParamType):  # type: ignore[type-arg] # which click takes since 8.4
    """A name of a file, as it is given: shells complete it, and settings name it from their folder."""

    name = "file"

    def shell_complete(self, _context: click.Context, _param: click.Parameter, incomplete: str) -> list[Any]:
        """Let the shell list files."""
        from click.shell_completion import CompletionItem

        return [CompletionItem(incomplete, type="file")]


PATH = FileName()


def complain(diagnostics: Sequence[Diagnostic], status: int, *sources: Source) -> int:
    """Show diagnostics on standard error; give ``status`` where one is an error, INTERNAL where it is one of ours."""
    from tensorlift.diagnostics import Severity
    from tensorlift.report.excerpt import Sources
    from tensorlift.report.terminal import show_diagnostics

    sys.stdout.flush()  # what was shown before stays before
    show_diagnostics(diagnostics, Sources(*sources), screen(sys.stderr))
    if any(diagnostic.code.startswith("TL9") for diagnostic in diagnostics):
        return INTERNAL
    return status if any(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics) else OK


_SOURCE = (
    click.option(
        "-I", "include_dirs", metavar="DIR", type=PATH, multiple=True, help="Look for headers here (repeatable)."
    ),
    click.option("-D", "defines", metavar="MACRO", multiple=True, help="Define NAME or NAME=VALUE (repeatable)."),
    click.option(
        "-include", "--include-file", "include_files", metavar="FILE", type=PATH, multiple=True, help="Read FILE first."
    ),
    click.option(
        "-p", "database", metavar="JSON", type=PATH, help="Take -I, -D, -include and --std from compile_commands.json."
    ),
    click.option("--std", metavar="STD", help="C standard, for example c99; of Fortran: default-real-8."),
)
_RUNNING = (
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the inputs."),
    click.option(
        "--device", type=click.Choice(["cpu", "gpu"]), default="cpu", show_default=True, help="Where to run programs."
    ),
    click.option("--threads", type=click.IntRange(min=1), help="Processors to use.  [default: all]"),
    click.option(
        "--time-limit",
        "wall_seconds",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True),
        default=120.0,
        show_default=True,
        help="End each process after this time.",
    ),
)


def complete_targets(_context: click.Context, _option: click.Parameter, begun: str) -> list[str]:
    """List the targets that begin so, for shells."""
    from tensorlift.targets import imported_names, target_names

    return [name for name in ("auto", *target_names(), *imported_names()) if name.startswith(begun)]


def target_option(told: str = "See 'tensorlift targets'.") -> Callable[[Command], Command]:
    """Make the option that names a target."""
    return click.option(
        "--to",
        "target",
        metavar="TARGET",
        default="numpy",
        show_default=True,
        shell_complete=complete_targets,
        help=told,
    )


def language_option(command: Command) -> Command:
    """Let a command take the option that says in which language standard input is."""
    languages = click.Choice(list(LANGUAGES))
    return click.option("--language", type=languages, help="Of standard input, FILE '-'.  [default: c]")(command)


def case_option(command: Command) -> Command:
    """Let a command take what flags are in the one case of functions that it is about."""
    told = "Take this case of functions that flags steer, as order=101,uplo=U (repeatable)."
    return click.option("--case", metavar="CASE", multiple=True, callback=_case, help=told)(command)


def _case(_context: click.Context, _option: click.Parameter, texts: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Read ``order=101,uplo=U``; a letter is the number of its character."""
    found: dict[str, int] = {}
    for part in (part for text in texts for part in text.split(",") if part.strip()):
        flag = _FLAG.fullmatch(part.strip())
        if flag is None:
            raise click.BadParameter(f"'{part.strip()}' is no flag: write CASE as order=101,uplo=U")
        found[flag["name"]] = int(flag["number"]) if flag["number"] else ord(flag["letter"])
    return tuple(found.items())


def others_option(command: Command) -> Command:
    """Let a command take other files of a project, in which functions are looked for."""
    told = "C: look for functions in this file too (repeatable)."
    return click.option("--with", "others", metavar="FILE", type=PATH, multiple=True, help=told)(command)


def source_options(command: Command) -> Command:
    """Let a command take the options that say how a source is read."""
    return _with(command, _SOURCE)


def running_options(command: Command) -> Command:
    """Let a command take the options that say under which conditions a program runs."""
    return _with(command, _RUNNING)


def lift_options(
    file: str, functions: tuple[str, ...], target: str, flags: dict[str, Any], others: Sequence[str] = ()
) -> LiftOptions:
    """Make the options of lifting of those of a command, and of a build's database where one is named.

    What the file does not define is looked for in the ``others``, and in all files of the database.
    """
    from tensorlift.pipeline import LiftOptions

    database = flags.pop("database", None)
    more = other_files(flags, others, database) if others or database else ()
    if database:
        from tensorlift.compile_commands import check_types, read_flags

        found = read_flags(database, file)
        check_types(file, found.rest)
        flags = with_compiler_flags(flags, found)
    return LiftOptions(functions, target, others=more, **flags)


def other_files(flags: dict[str, Any], names: Sequence[str], database: str | None) -> tuple[OtherFile, ...]:
    """List the files of a project in C: those of a build's database as they are compiled, others by the flags given."""
    from tensorlift.compile_commands import Database
    from tensorlift.frontends.c.elsewhere import OtherFile

    def read_with(name: str, ways: Sequence[CompilerFlags]) -> OtherFile:
        first, *others = [OtherFile(name, **_read(flags, way)) for way in ways] or [OtherFile(name, **_read(flags))]
        return replace(first, is_ambiguous=any(other != first for other in others))

    built = dict(Database(database).files()) if database else {}
    known = {os.path.realpath(file): read_with(os.path.relpath(file), ways) for file, ways in built.items()}
    for name in names:
        known.setdefault(os.path.realpath(name), read_with(name, ()))
    return tuple(file for _, file in sorted(known.items()) if file.name.endswith(".c"))


def _read(flags: dict[str, Any], found: CompilerFlags | None = None) -> dict[str, Any]:
    """Say how a file of a project is read, which is not all that its compiler is told."""
    given = with_compiler_flags(flags, found) if found is not None else flags
    kept = {flag: given[flag] for flag in ("include_dirs", "include_files", "defines", "std")}
    return {**kept, "machine": found.machine if found is not None else ()}


def with_compiler_flags(flags: dict[str, Any], found: CompilerFlags) -> dict[str, Any]:
    """Add the flags of a build to those of a command, which come first where one counts."""
    return flags | {
        "include_dirs": flags["include_dirs"] + found.include_dirs,
        "include_files": found.include_files + flags["include_files"],
        "defines": found.defines + flags["defines"],
        "std": flags["std"] or found.std,
    }


def project_of(file: str, flags: Mapping[str, Any], otherwise: Sequence[str], cflags: str | None = None) -> Project:
    """Say how a file itself is compiled: with ``cflags``, else by the command of its build, else with other flags.

    The ``flags`` are those of a command before `lift_options` has them.
    """
    from tensorlift.compile_commands import CompilerFlags, check_types, read_flags
    from tensorlift.runtime.compilers import Project
    from tensorlift.runtime.original import CompileOptions

    found = read_flags(flags["database"], file) if flags["database"] else CompilerFlags()
    given = flags if cflags is None else with_compiler_flags(dict(flags), found)
    options = CompileOptions(given["include_dirs"], given["defines"], given["std"] or "", given["include_files"])
    if cflags is not None:
        own = shlex.split(cflags)
        check_types(file, own)
        return Project.of(file, options, own)
    return Project.of(file, options, found.rest if found.folder else otherwise, found.compiler, found.folder)


def conditions(*, seed: int, device: str, threads: int | None, wall_seconds: float) -> Conditions:
    """Make the conditions of a run of the options; without a number of threads, all processors are used."""
    from tensorlift.runtime.measure import Conditions, processors

    return Conditions(seed, device, min(threads or processors(), processors()), wall_seconds)


def _with(command: Command, options: tuple[Command, ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
