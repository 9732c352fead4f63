"""The command ``tensorlift target add``: a dialect of MLIR becomes a target from its definition and its lowerings."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import click

from tensorlift.commands.options import OK, PATH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tensorlift.targets.imported.record import ImportedDialect


@click.group(short_help="Import dialects of MLIR as targets.")
def target() -> None:
    """Import dialects of MLIR as targets."""


@target.command(short_help="Import a dialect.")
@click.argument("name")
@click.option("--irdl", metavar="FILE", type=PATH, help="The definition in IRDL.")
@click.option("--tablegen", metavar="DUMP", type=PATH, help="The definition as 'llvm-tblgen --dump-json' writes it.")
@click.option(
    "--lowering",
    required=True,
    metavar="FILE|PASSES",
    help="With --irdl functions in affine MLIR, one or more an operation; with --tablegen passes of mlir-opt.",
)
@click.option("-o", "--output", metavar="OUT", type=PATH, help="Write the target to this file, NAME.target.json.")
def add(name: str, irdl: str | None, tablegen: str | None, lowering: str, output: str | None) -> int:
    """Import a dialect as the target NAME, and list its operations: the meaning of each, or why it has none.

    Exit status: 0, or 2 where the definition or the lowerings are wrong or no operation has a meaning.
    """
    if (irdl is None) == (tablegen is None):
        raise click.UsageError("give one definition: --irdl FILE or --tablegen DUMP")
    from tensorlift.dialects.table import table
    from tensorlift.report.output import write_output
    from tensorlift.targets import imported_file

    dialect = _imported(name, irdl, tablegen, lowering)
    file = imported_file(name)
    if not output:
        file.parent.mkdir(parents=True, exist_ok=True)
    write_output(output or str(file), dialect.to_json())
    click.echo(table(dialect), nl=False)
    return OK


def _imported(name: str, irdl: str | None, tablegen: str | None, lowering: str) -> ImportedDialect:
    from tensorlift.deep import with_deep_stack
    from tensorlift.dialects.from_passes import import_dump
    from tensorlift.dialects.meanings import import_irdl
    from tensorlift.dialects.remembered import remembered
    from tensorlift.source import read_source

    if tablegen is not None:
        definition = read_source(tablegen)
        with _status() as tell:
            made = partial(import_dump, name, definition, lowering, tell)
            return remembered(name, definition, lowering, partial(with_deep_stack, made))
    assert irdl is not None
    return import_irdl(name, read_source(irdl), read_source(lowering))


@contextmanager
def _status() -> Iterator[Callable[[str], None]]:
    """Show on a terminal what is told, the latest of it; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    with Console(stderr=True).status("importing") as status:
        yield lambda text: status.update(f"importing: {text}")
