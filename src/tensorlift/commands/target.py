"""The command ``tensorlift target add``: a dialect of MLIR becomes a target from its definition and its lowerings."""

from __future__ import annotations

import click

from tensorlift.commands.status import OK


@click.group(short_help="Import dialects of MLIR as targets.")
def target() -> None:
    """Import dialects of MLIR as targets."""


@target.command(short_help="Import a dialect.")
@click.argument("name")
@click.option("--irdl", metavar="FILE", help="The definition in IRDL.")
@click.option("--lowering", required=True, metavar="FILE", help="Functions in affine MLIR, one or more an operation.")
@click.option("-o", "--output", metavar="OUT", help="Write the target to this file, NAME.target.json.")
def add(name: str, irdl: str | None, lowering: str, output: str | None) -> int:
    """Import a dialect as the target NAME, and list its operations: the meaning of each, or why it has none.

    Exit status: 0, or 2 where the definition or the lowerings are wrong or no operation has a meaning.
    """
    if irdl is None:
        raise click.UsageError("give the definition: --irdl FILE")
    from tensorlift.dialects.importer import import_irdl
    from tensorlift.dialects.table import table
    from tensorlift.report.output import write_output
    from tensorlift.source import read_source
    from tensorlift.targets import imported_file

    dialect = import_irdl(name, read_source(irdl), read_source(lowering))
    file = imported_file(name)
    if not output:
        file.parent.mkdir(parents=True, exist_ok=True)
    write_output(output or str(file), dialect.to_json())
    click.echo(table(dialect), nl=False)
    return OK
