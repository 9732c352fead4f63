"""``tensorlift opt``: passes over a module in MLIR, as upstream's tool of that name has them."""

from __future__ import annotations

from typing import Any

import click

from tensorlift.commands.status import OK, complain

_PASSES = {
    "delinearize": "Access flat memrefs through views with dimensions, where subscripts are proved to stay in them.",
    "distribute-loops": "Split nests with several stores into perfect nests with one store each.",
    "raise-affine-to-affine": "Replace nests that are products by named operations, and keep all other loops.",
    "raise-affine-to-linalg": "Replace loop nests by operations of Linalg on memrefs, in place.",
    "reorder-matmul-chain": "Multiply chains of matrices in the cheapest order; a guard chooses among unknown sizes.",
    "raise-linalg-to-blas": "Replace products of Linalg by calls of CBLAS.",
}


def _collect(context: click.Context, parameter: click.Parameter, value: object) -> None:
    """Note a pass in the order of the command line."""
    if value:
        name = parameter.opts[0].removeprefix("--")
        context.meta.setdefault("passes", []).append(value if name == "pass-pipeline" else name)


def _pass_flags(command: Any) -> Any:
    for name, text in reversed(_PASSES.items()):
        flag = click.option(f"--{name}", is_flag=True, expose_value=False, callback=_collect, help=text)
        command = flag(command)
    return command


@click.command(short_help="Raise the loops of an MLIR module by passes.")
@click.argument("file")
@_pass_flags
@click.option(
    "--pass-pipeline",
    metavar="PASSES",
    expose_value=False,
    callback=_collect,
    help="Run these passes: name,name{option=value}.",
)
@click.option("-o", "--output", metavar="OUT", help="Write the module to this file.")
@click.option(
    "--print-ir-after-all",
    "--mlir-print-ir-after-all",
    "after_all",
    is_flag=True,
    help="Show the module behind each pass.",
)
@click.option(
    "--pass-statistics",
    "--mlir-pass-statistics",
    "statistics",
    is_flag=True,
    help="Show what each pass did, in numbers.",
)
@click.pass_context
def opt(context: click.Context, *, file: str, output: str | None, after_all: bool, statistics: bool) -> int:
    """Run passes over the module in FILE ('-': standard input), in their order, and show what it becomes.

    Each replacement is proved, and what is not raised stays as it is; notes say of both what and why.  What
    replacements assume is tested where the function starts: it calls the raised function or the original.
    Exit status: 0, 1 where a replacement contradicts its proof, 2 where the request or the module is wrong.
    """
    from tensorlift.raising.pipeline import parse_passes, run_passes
    from tensorlift.report.output import STDOUT, check_outputs, write_output
    from tensorlift.source import read_source

    check_outputs(file, [output] if output else [])
    passes = [one for text in context.meta.get("passes", []) for one in parse_passes(text)]
    source = read_source(file)
    show = _show_after if after_all else None
    result = run_passes(source.text, source.name, passes, show)
    write_output(output or STDOUT, result.text)
    if statistics:
        for name, counts in result.counts:
            click.echo(f"{name}:", err=True)
            for what, number in counts.items() or {"nothing": 0}.items():
                click.echo(f"  {number:>4} {what}", err=True)
    return complain(result.diagnostics, OK, source)


def _show_after(name: str, text: str) -> None:
    click.echo(f"// -----// IR Dump After {name} //----- //", err=True)
    click.echo(text, err=True)
