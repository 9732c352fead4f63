"""``tensorlift opt``: passes over a module in MLIR, as upstream's tool of that name has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensorlift.commands.options import PATH, USAGE, complain
from tensorlift.commands.screen import progress
from tensorlift.progress import begin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tensorlift.raising.passes import RaisingPass
    from tensorlift.raising.pipeline import Result
    from tensorlift.source import Source

_SCHEMA = 1  # of the report
_PASSES = {
    "canonicalize": "Fold constants, simplify operations, and remove what nothing uses (xDSL's pass, not proved).",
    "cse": "Compute common subexpressions once (xDSL's pass, not proved).",
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


def _collect_tactics(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> None:
    """Note files of tactics as passes."""
    del parameter
    context.meta.setdefault("passes", []).extend(map(Path, values))


def _pass_flags(command: Any) -> Any:
    for name, text in reversed(_PASSES.items()):
        flag = click.option(f"--{name}", is_flag=True, expose_value=False, callback=_collect, help=text)
        command = flag(command)
    return command


class _WithPasses(click.Command):
    """A command whose help lists passes by themselves, and whose options may start with one dash as upstream's do."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give long options the dash that LLVM's tools do without."""
        known = {name for one in self.get_params(ctx) for name in one.opts}
        return super().parse_args(ctx, [f"-{arg}" if f"-{arg.partition('=')[0]}" in known else arg for arg in args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of passes and of options."""
        records = {one.name: one.get_help_record(ctx) for one in self.get_params(ctx) if isinstance(one, click.Option)}
        names = {name.replace("-", "_") for name in (*_PASSES, "tactics")}
        for title, is_listed in (("Passes, which run in the order of the command line", True), ("Options", False)):
            with formatter.section(title):
                formatter.write_dl([text for name, text in records.items() if text and (name in names) is is_listed])


@click.command(cls=_WithPasses, short_help="Raise the loops of an MLIR module by passes.")
@click.argument("file", default="-", type=PATH)
@_pass_flags
@click.option(
    "--pass-pipeline",
    metavar="PASSES",
    expose_value=False,
    callback=_collect,
    help="Run these passes: name,name{option=value},func.func(name).",
)
@click.option(
    "--tactics",
    metavar="FILE",
    type=PATH,
    multiple=True,
    expose_value=False,
    callback=_collect_tactics,
    help="Replace loop nests by what the tactics of FILE build (a pass, in its order; repeatable).",
)
@click.option(
    "--irdl-file",
    "--irdl",
    "files",
    metavar="FILE",
    type=PATH,
    multiple=True,
    help="Keep the operations of the dialects in FILE where they are, and raise what is beside them; tactics may name"
    " these operations (repeatable).",
)
@click.option("--lowering", metavar="FILE", type=PATH, help="What these operations mean: functions in affine MLIR.")
@click.option("--explain", is_flag=True, help="Say of each tactic that does not fire at which matcher it failed.")
@click.option("-o", "--output", metavar="OUT", type=PATH, help="Write the module to this file.")
@click.option(
    "--json", "report", metavar="REPORT", type=PATH, help="Write what was replaced, with certificates, to this file."
)
@click.option("--split-input-file", "split", is_flag=True, help="Take what lines '// -----' separate as modules.")
@click.option(
    "--verify-diagnostics",
    "expected",
    is_flag=True,
    help="Compare what is said with comments '// expected-error {{text}}', and succeed where all of it is expected.",
)
@click.option(
    "--verify-each",
    type=bool,
    is_flag=False,
    flag_value=True,
    default=True,
    show_default=True,
    metavar="BOOL",
    help="Verify the module after each pass.",
)
@click.option("--mlir-print-op-generic", "generic", is_flag=True, help="Print operations in generic form.")
@click.option("--mlir-print-debuginfo", "debuginfo", is_flag=True, help="Print the locations of operations.")
@click.option(
    "--allow-unregistered-dialect",
    is_flag=True,
    expose_value=False,
    help="Accepted, as operations of any dialect are kept.",
)
@click.option("--mlir-print-ir-before-all", "before_all", is_flag=True, help="Show the module before each pass.")
@click.option(
    "--print-ir-after-all",
    "--mlir-print-ir-after-all",
    "after_all",
    is_flag=True,
    help="Show the module after each pass.",
)
@click.option(
    "--mlir-print-ir-before", "before", metavar="PASSES", multiple=True, help="Show the module before these passes."
)
@click.option(
    "--mlir-print-ir-after", "after", metavar="PASSES", multiple=True, help="Show the module after these passes."
)
@click.option(
    "--pass-statistics",
    "--mlir-pass-statistics",
    "statistics",
    is_flag=True,
    help="Show what each pass did, in numbers.",
)
@click.option("--mlir-timing", "timing", is_flag=True, help="Show how long each pass took.")
@click.pass_context
def opt(  # noqa: PLR0913 - one parameter for each option
    context: click.Context,
    *,
    file: str,
    files: tuple[str, ...],
    lowering: str | None,
    explain: bool,
    output: str | None,
    report: str | None,
    split: bool,
    expected: bool,
    verify_each: bool,
    generic: bool,
    debuginfo: bool,
    before_all: bool,
    after_all: bool,
    before: tuple[str, ...],
    after: tuple[str, ...],
    statistics: bool,
    timing: bool,
) -> int:
    """Run passes over the module in FILE ('-': standard input), in their order, and show what it becomes.

    Each replacement is proved, and what is not raised stays as it is; notes say of both what and why.  What
    replacements assume is tested where the function starts: it calls the raised function or the original.
    Exit status: 0, 1 where a replacement contradicts its proof, 2 where the request or the module is wrong.
    """
    from tensorlift.raising.expected import verify_expected
    from tensorlift.raising.instrumentation import Instrumentation
    from tensorlift.raising.modules import Form
    from tensorlift.raising.pipeline import pieces_of, run_on_pieces, run_passes
    from tensorlift.report.output import STDOUT, check_outputs, write_output
    from tensorlift.source import read_source
    from tensorlift.targets.imported.record import dialects_in

    check_outputs(file, [name for name in (output, report) if name])
    passes, status = _chosen(context, files, {"lowering": lowering, "explain": explain})
    if status:
        return status
    watch = Instrumentation(
        lambda text: click.echo(text, err=True),
        _PASSES if before_all else _named(before),
        _PASSES if after_all else _named(after),
        verify_each,
        Form(generic, debuginfo),
    )
    source = read_source(file)
    dialects = {name for file in map(read_source, files) for name in dialects_in(file.text, file.name)}
    with progress():
        begin(f"raising {source.name}")
        if split or expected:
            pieces = pieces_of(source.text) if split else [source.text]
            result = run_on_pieces(pieces, source.name, passes, watch, dialects=dialects)
        else:
            result = run_passes(source.text, source.name, passes, watch, dialects=dialects)
    write_output(output or STDOUT, result.text)
    if report:
        write_output(report, _report(result, source))
    if statistics:
        for name, counts in result.counts:
            click.echo(f"{name}:", err=True)
            for what, number in counts.items() or {"nothing": 0}.items():
                click.echo(f"  {number:>4} {what}", err=True)
    if timing:
        click.echo(watch.timing(), err=True)
    said = verify_expected(source.name, source.lines, result.diagnostics) if expected else result.diagnostics
    return complain(said, USAGE, source)


def _chosen(context: click.Context, irdl: tuple[str, ...], given: Mapping[str, Any]) -> tuple[list[RaisingPass], int]:
    """Make the passes of the command line, those of tactics with the options ``given``; or say why there are none."""
    from tensorlift.diagnostics import LiftError
    from tensorlift.raising.pipeline_text import PIPELINE, parse_passes
    from tensorlift.raising.tactics import RaiseWithTactics
    from tensorlift.source import source_from_text

    passes: list[RaisingPass] = []
    for one in context.meta.get("passes", []):
        try:
            passes += (
                [RaiseWithTactics(file=str(one), irdl=irdl, **given)] if isinstance(one, Path) else parse_passes(one)
            )
        except LiftError as wrong:
            return [], complain(wrong.diagnostics, USAGE, source_from_text(one, PIPELINE))
    alone = next((name for name, value in given.items() if value), None)
    if alone and not any(isinstance(one, RaiseWithTactics) for one in passes):
        raise click.UsageError(f"--{alone} goes with --tactics FILE")
    return passes, 0


def _report(result: Result, source: Source) -> str:
    """Give what was replaced as JSON text, each replacement with its certificate."""
    from tensorlift import __version__
    from tensorlift.record import RECORDS

    functions = []
    for proof, place, undecided in result.proofs:
        certificate = proof.about(source.sha256, proof.preconditions).as_json()
        line, column = (place.line, place.column) if place is not None else (None, None)
        said = {key: certificate[key] for key in ("target", "level", "numerics", "program")}
        said |= {"definitions": "tested" if undecided else "proved", "undecided": undecided}
        stated = [{"text": text} for text in proof.preconditions]
        where = {"file": source.name, "line": line, "column": column}
        functions.append(
            {"name": certificate["function"], **where, **said, "preconditions": stated, "certificate": certificate}
        )
    content = {
        "schema": _SCHEMA,
        "tensorlift": __version__,
        "source": {"file": source.name, "sha256": source.sha256},
        "passes": [{"name": name, "counts": counts} for name, counts in result.counts],
        "functions": functions,
        "diagnostics": RECORDS.write(result.diagnostics),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _named(lists: Iterable[str]) -> set[str]:
    """Read lists of passes; raises LiftError where there is none of a name."""
    from tensorlift.raising.pipeline_text import known_pass

    names = {name.strip() for listed in lists for name in listed.split(",")}
    for name in sorted(names):
        known_pass(name)
    return names
