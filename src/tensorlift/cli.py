"""The command line: thin over the pipeline; everything heavy is imported by the command that needs it.

Exit status: 0 all functions lifted, 1 some refused or unchanged, 2 the request is wrong, 3 an internal error.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

import click

from tensorlift import __version__
from tensorlift.commands.bench import bench
from tensorlift.commands.build import build
from tensorlift.commands.completion import completion
from tensorlift.commands.explain import explain
from tensorlift.commands.explore import explore
from tensorlift.commands.lift import lift
from tensorlift.commands.lsp import lsp
from tensorlift.commands.opt import opt
from tensorlift.commands.options import INTERNAL, OK, PATH, USAGE, complain
from tensorlift.commands.run import run
from tensorlift.commands.scan import scan
from tensorlift.commands.screen import start_screen, with_screen_options
from tensorlift.commands.settings import project_settings
from tensorlift.commands.target import target as target_command
from tensorlift.commands.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130  # as shells report it: 128 and the number of the signal
_BROKEN_PIPE = 141
_UNWRITTEN = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)  # why output is not written


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit status; no exception of ours or of a user's mistake gets out."""
    from tensorlift.diagnostics import LiftError
    from tensorlift.report.output import unwritable

    start_screen()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no reason to fail
    try:
        defaults = project_settings(commands)
        status = commands.main(args=arguments, prog_name="tensorlift", standalone_mode=False, default_map=defaults)
        status = int(status or OK)
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


@commands.command(short_help="Show tactics and the operations that they stand for.")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=PATH)
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


for command in (lift, run, build, bench, explain, explore, lsp, opt, scan, target_command, verify, completion):
    commands.add_command(command)
with_screen_options(commands)
